"""How sure a plan is: what is given as uncertain is drawn many times; what is a rule is varied by name."""

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import CannotPlan, DominoperfError, check_level, names_its_keywords
from dominoperf.fitting.resampling import check_draws
from dominoperf.machines import MACHINE_PARTS, correlation
from dominoperf.planning.catalogue import Catalogue, is_modelled_rating, rating_describes_machine, ratings
from dominoperf.planning.plans import Plan, five_steps
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules, rule_sets, rules_named
from dominoperf.planning.steps import (
    DATABASES,
    FULL,
    data_stored_on_server,
    part_memory,
    people_as_benchmark_users,
    planned_people,
    planned_rating,
    profile_multiplier,
    whole_servers_of_plan,
)
from dominoperf.tables import carried_errata, label, rendering, vocabulary
from dominoperf.tables.rendering import Result, number

PEOPLE, RATING = "people", "rating"
_KEYS = ["server", "group", "key", "value"]  # in which two plans may differ
_BOUGHT = ["servers", "ram_mb", "drives", "price_usd"]
PLAN_RESOURCES = ("load", "memory", "disk")
_TORNADO = ["input", "input_kind", "key", "unit", "value", "input_low", "input_high"]
_TORNADO += ["systems_central", "systems_low", "systems_high", "swing", "reason"]
_NOTHING = "nothing is uncertain: give a group a spread, or a rating its std_error and dof"
_AT_ROW_END = (
    "planned for the most people of its row of the memory table: one more needs the next row, so the probability"
    " is only that there are no more people than planned"
)
_FLEET = "load, people spread evenly"


class UncertainInput(NamedTuple):
    """An uncertain number: which it is, its name in words, unit, central value and quantile function."""

    id: tuple  # its kind, then the group of people, or the system and workload of a rating
    name: str
    unit: str
    value: float
    quantile: Callable
    words: str  # how it is distributed

    @property
    def kind(self) -> str:
        """Whether it is a number of people or a rating."""
        return self.id[0]

    @property
    def key(self) -> str:
        """Which of its kind it is, as the tables have it."""
        return ": ".join(self.id[1:])


def uncertain_ratings(rows: Iterable[Mapping]) -> tuple[UncertainInput, ...]:
    """Return the uncertain ones of some ratings, those with a std_error and dof: one for all servers of a system.

    A rating is ``users + std_error × t`` with Student's t on the dof of its fit: the law's own interval, whether its
    errors are relative or not; of the model of users it is lognormal. It is cut at 0, which raises its quantiles a
    little where few dof leave much below.
    """
    inputs = []
    for key, row in {rating_id(row): row for row in rows}.items():
        error, users, dof = row.get("std_error", math.nan), row["users"], row.get("dof", math.nan)
        if not (error > 0 and dof > 0):
            continue
        from scipy import stats  # which most plans do not need

        if is_modelled_rating(row):
            quantile = stats.lognorm(error / users, scale=users).ppf
            words = f"lognormal, standard deviation of ln users {number(error / users, 2)}"
        else:
            law = stats.t(dof, users, error)
            quantile = lambda u, law=law: law.ppf(law.cdf(0.0) + u * law.sf(0.0))  # noqa: E731
            words = f"t, std_error {number(error)}, dof {dof:g}"
        inputs.append(UncertainInput(key, f"{row['system']}: {row['workload']} users", "user", users, quantile, words))
    return tuple(inputs)


def draw_inputs(
    uncertain: Sequence[UncertainInput], rows: Iterable[Mapping], n: int, seed: int
) -> dict[tuple, np.ndarray]:
    """Return n values of each uncertain input, by its id; modelled ratings are drawn together, all else independently.

    ``quantile(Phi(z))`` with z normal and correlated as ln(users) of such machines is by `machines.correlation` (a
    Gaussian copula): each rating keeps its own distribution. `rows` are the ratings of the inputs, as `systems` has
    them; one that does not describe its machine is drawn by itself.
    """
    uniform = np.random.default_rng(seed).random((len(uncertain), n))
    described = {rating_id(row): row for row in rows if is_modelled_rating(row) and rating_describes_machine(row)}
    together = [place for place, one in enumerate(uncertain) if one.id in described]
    if len(together) > 1:
        machines = pd.DataFrame([described[uncertain[place].id] for place in together])
        values, vectors = np.linalg.eigh(correlation(machines[[*MACHINE_PARTS, "workload"]]))
        root = vectors * np.sqrt(np.clip(values, 0, None))
        uniform[together] = special.ndtr(root @ special.ndtri(uniform[together]))
    return {one.id: one.quantile(row) for one, row in zip(uncertain, uniform, strict=True)}


def uncertain_people(request: Request) -> tuple[UncertainInput, ...]:
    """Return the uncertain numbers of people of a request: of its groups with a spread that is wider than nothing.

    They are uniform, triangular with the mode at `users`, or normal around them and cut at 0.
    """
    inputs = []
    for group in (group for group in request.groups if group.spread):
        users, ends = float(group.users), {name: end for name, end in group.spread.items() if name != "kind"}
        kind, low = group.spread["kind"], ends.get("low", 0.0)
        wide = ends["sd"] if kind == "normal" else ends["high"] - low
        if not wide:
            continue
        from scipy import stats

        if kind == "normal":
            law = stats.truncnorm(-users / wide, np.inf, users, wide)
        elif kind == "uniform":
            law = stats.uniform(low, wide)
        else:
            law = stats.triang((users - low) / wide, low, wide)
        words = f"{kind}, " + ", ".join(f"{name} {end:g}" for name, end in ends.items())
        about = (PEOPLE, group.name), f"{group.name}: people", "person", users
        inputs.append(UncertainInput(*about, law.ppf, words))
    return tuple(inputs)


def rating_id(row: Mapping) -> tuple[str, str, str]:
    """Return the id of the input that a rating would be: one for all servers of a system."""
    return RATING, row["system"], row["workload"]


class Scenario(NamedTuple):
    """A request and rules that differ from the plan's in one thing: its key, and its name in words."""

    key: str
    name: str
    request: Request
    rules: Rules


def sensitivity_scenarios(plan: Plan) -> list[Scenario]:
    """Return the scenarios, one thing otherwise in each, whether or not they bear on the plan.

    The other sets of rules; each rule that they have otherwise; memory of MailDB as that of Mail and of Groupware,
    between which the document puts it; CPU utilization at the rules' target and threshold, and 100 %, which is no
    headroom; no growth.
    """
    request, base = plan.request, plan.rules
    made = []
    for name in rule_sets():
        if name != base.name:
            other = rules_named(name)
            made.append(Scenario(f"rules.{name}", f"rules: {name}", request, other))
            for step, rule in base.differing(other):
                values = (rules.value(step, rule) for rules in (other, base))  # of a column what its heading says
                taken, instead = (vocabulary().get(str(value), {}).get("heading", value) for value in values)
                words = f"{base.words(step, rule)}: {taken} in place of {instead}"
                changed = _rules_with_one_changed(base, step, rule, other.steps[step][rule])
                made.append(Scenario(f"{step}.{rule}", words, request, changed))
    for share, kind in ((0.0, "Mail"), (1.0, "Groupware")):
        changed = _rules_with_one_changed(base, "memory", "maildb_share", {"value": share})
        made.append(Scenario(f"memory.maildb_as_{kind.lower()}", f"memory, MailDB as {kind}", request, changed))
    planned, threshold = (base.value("headroom", f"{name}_percent") for name in ("planned", "threshold"))
    for target, words in ((planned, ""), (threshold, ""), (100.0, ", no headroom")):
        changed = dataclasses.replace(request, utilization_percent=float(target))
        made.append(Scenario(f"utilization.{target:g}", f"utilization {target:g} %{words}", changed, base))
    return [*made, Scenario("growth.none", "no growth", dataclasses.replace(request, months_ahead=0.0), base)]


def _rules_with_one_changed(base, step, rule, changed):
    unchanged = {"locator": base.steps[step][rule]["locator"]}
    return Rules(base.name, base.steps | {step: base.steps[step] | {rule: unchanged | changed}})


def _bought_under_scenario(request, rules, catalogue):
    """The quantities of a plan, none without a plan; and its columns of `scenario_table`, or the reason."""
    try:
        plan = five_steps(request, rules, catalogue)
    except DominoperfError as error:
        none = dict.fromkeys(["systems", *_BOUGHT], np.nan)
        return pd.DataFrame(columns=_KEYS), none | {"changes": "", "reason": str(error)}
    summary = plan.summary()
    bought = {"systems": plan.systems} | {name: float(summary[name]) for name in _BOUGHT}
    return plan.tidy()[_KEYS], bought | {"changes": "", "reason": ""}


class ResourceUse(NamedTuple):
    """What is used, an array of futures each; by server (rows) a share of what is bought of load, memory and disk.

    `total` is the number of systems that the people need together: people may then be moved between the servers.
    """

    total: np.ndarray
    load: np.ndarray
    memory: np.ndarray
    disk: np.ndarray


@carried_errata.carries_errata("glance", "tidy", "weakest", "servers", "tornado", "scenarios")
@dataclass(frozen=True)
class Assessment(Result):
    """How sure a plan is. `glance`, `tidy`, `servers`, `tornado` and `scenarios` give plain frames.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, with_spread
    >>> risk = assess(plan(with_spread(example(), 20)), n=1_000)
    >>> risk.weakest()[["server", "resource", "at_row_end"]].values.tolist()[0]
    ['Server 1', 'memory', True]
    """

    plan: Plan
    n: int
    seed: int
    level: float
    inputs: tuple[UncertainInput, ...]
    central: ResourceUse  # everything at its central value
    futures: ResourceUse  # one column a future; as the central one where nothing is uncertain
    catalogue: object = None

    @property
    def is_uncertain(self) -> bool:
        """Whether anything of the plan is uncertain."""
        return bool(self.inputs)

    @property
    def errata(self) -> tuple:
        """The errata of the cells that print the rules of the plan."""
        return self.plan.errata

    def glance(self) -> pd.DataFrame:
        """Return one row: probabilities that the plan suffices, the bound of the demand, the margin at central values.

        draws (futures drawn), level, probability (that every load, memory and disk suffices) with its binomial
        probability_std_error, probability_load, probability_memory, probability_disk, systems_bound (of the systems
        needed, one-sided at the level), servers_bound (that in whole servers), margin (the least share of any load and
        disk that is left at central values; memory is bought to a row of its table and has none), reason.
        """
        suffices = {kind: (getattr(self.futures, kind) <= FULL).all(axis=0) for kind in PLAN_RESOURCES}
        bound = _empirical_quantile(self.futures.total, self.level) if self.is_uncertain else math.nan
        whole = self._probability(np.all(list(suffices.values()), axis=0))
        row = {"draws": self.n if self.is_uncertain else 0, "level": self.level, "probability": whole}
        row |= {"probability_std_error": self._std_error(whole)}
        row |= {f"probability_{kind}": self._probability(suffices[kind], self._varies(kind)) for kind in PLAN_RESOURCES}
        row |= {"systems_bound": bound}
        row |= {"servers_bound": float(whole_servers_of_plan(bound)) if math.isfinite(bound) else math.nan}
        row |= {"margin": 1 - max(float(getattr(self.central, kind).max()) for kind in ("load", "disk"))}
        held = [kind for kind in PLAN_RESOURCES if not self._varies(kind)] if self.is_uncertain else []
        reasons = [self._why_no_probability(whole), f"held, so without a probability: {', '.join(held)}" * bool(held)]
        return pd.DataFrame([row | {"reason": "; ".join(filter(None, reasons))}])

    def tidy(self) -> pd.DataFrame:
        """Return a row for each server and what it must suffice for, and one for the load of all servers together.

        server ("" of all together), resource (load, memory, disk), use_central, use_low, use_median, use_high (the
        middle share `level` of the futures), use_bound (one-sided), each a share of what is bought; probability (that
        it is at most 1), probability_std_error, at_row_end (whether the people planned for are the most of their row of
        the memory table), reason.
        """
        more = {uncertain.id: uncertain.value * (1 + 1e-6) for uncertain in self.inputs if uncertain.kind == PEOPLE}
        with_more_people, rows = resource_use_of_plan(self.plan, more), []
        for k, volume in enumerate(self.plan.volumes):
            for kind in PLAN_RESOURCES:
                central, futures = (getattr(use, kind)[k] for use in (self.central, self.futures))
                varies = self._varies(kind, volume.server)
                at_row_end = varies and kind == "memory" and central[0] <= FULL < with_more_people.memory[k][0]
                rows.append(self._probability_row(volume.server, kind, central[0], futures, varies, at_row_end))
        central, futures = (use.total / len(self.plan.volumes) for use in (self.central, self.futures))
        rows.append(self._probability_row("", _FLEET, central[0], futures, self._varies("load"), False))
        return pd.DataFrame(rows).replace(math.inf, math.nan)

    def _probability_row(self, server, resource, central, futures, varies, at_row_end):
        """The row of `tidy` for one server and resource, or for all servers together."""
        sides = ((1 - self.level) / 2, 0.5, (1 + self.level) / 2, self.level)
        ends = [_empirical_quantile(futures, side) if self.is_uncertain else math.nan for side in sides]
        probability = self._probability(futures <= FULL, varies)
        reason = self._why_no_probability(probability)
        if self.is_uncertain and not all(map(math.isfinite, (central, *ends))):
            reason = "above the last row of the memory tables"
        elif at_row_end:
            reason = _AT_ROW_END
        elif self.is_uncertain and not varies:
            reason = "held: no uncertain input bears on it"
        row = {"server": server, "resource": resource, "use_central": float(central)}
        row |= dict(zip(("use_low", "use_median", "use_high", "use_bound"), ends, strict=True))
        row |= {"probability": probability, "probability_std_error": self._std_error(probability)}
        return row | {"at_row_end": at_row_end, "reason": reason}

    def weakest(self) -> pd.DataFrame:
        """Return what runs short first: the rows of `tidy` with the least probability, within chance.

        All are judged in the same futures. Two are told apart where the futures in which one alone falls short exceed
        those in which the other alone does by more than three standard errors, ``(a - b) / sqrt(a + b) > 3`` (McNemar
        1947): less is noise of the simulation.

        Returns
        -------
        DataFrame
            As `tidy`, one row or several; empty where nothing is uncertain or no future falls short.
        """
        rows = self.tidy().query("server != ''")
        short = np.array(
            [getattr(self.futures, kind)[k] > FULL for k in range(len(rows) // 3) for kind in PLAN_RESOURCES]
        )
        if not self.is_uncertain or not short.any():
            return rows.iloc[:0]
        most = short[short.sum(axis=1).argmax()]
        alone, other = (most & ~short).sum(axis=1), (short & ~most).sum(axis=1)
        return rows[(alone - other <= 3 * np.sqrt(alone + other)) & short.any(axis=1)]

    def servers(self) -> pd.DataFrame:
        """Return what one more server buys: the probability that a number of them carry the load, spread evenly.

        servers (one fewer than bought to two more, without spare ones), probability, probability_std_error,
        probability_gain (over one server fewer), price_usd, reason.
        """
        bought, price = len(self.plan.volumes), self.plan.system["price_usd"]
        counts = [k for k in range(bought - 1, bought + 3) if k > 0]
        varies = self._varies("load")
        chances = [self._probability(self.futures.total <= k * FULL, varies) for k in [counts[0] - 1, *counts]]
        frame = pd.DataFrame({"servers": counts, "probability": chances[1:]})
        frame["probability_std_error"] = [self._std_error(chance) for chance in chances[1:]]
        frame["probability_gain"] = np.diff(chances)
        frame["price_usd"] = frame["servers"] * price
        return frame.assign(reason=[self._why_no_probability(chance) for chance in chances[1:]])

    def tornado(self) -> pd.DataFrame:
        """Return how far each uncertain input, and each named scenario, moves the systems needed; the widest first.

        An input goes to its ends of the middle share `level` while the others are held at their central values. A
        scenario has no ends and no probability: it is another rule, target or growth.

        input (in words), input_kind (people, rating, scenario), key (which of its kind), unit, value, input_low and
        input_high (its ends), systems_central, systems_low, systems_high (the systems needed there; without a scenario
        and with it), swing, reason.
        """
        held = {uncertain.id: uncertain.value for uncertain in self.inputs}
        centre, sides = float(self.central.total[0]), np.array([(1 - self.level) / 2, (1 + self.level) / 2])
        rows = []
        for uncertain in self.inputs:
            low, high = map(float, uncertain.quantile(sides))
            ends = [
                float(_systems_needed(self.plan, held | {uncertain.id: end}, self.plan.request, self.plan.rules))
                for end in (low, high)
            ]
            about = (uncertain.name, uncertain.kind, uncertain.key, uncertain.unit, uncertain.value, low, high)
            rows.append((*about, centre, *ends, abs(ends[1] - ends[0]), ""))
        for scenario in sensitivity_scenarios(self.plan):
            systems = float(_systems_needed(self.plan, held, scenario.request, scenario.rules))
            if not math.isclose(systems, centre):
                about = (scenario.name, "scenario", scenario.key, "", np.nan, np.nan, np.nan)
                rows.append((*about, centre, centre, systems, abs(systems - centre), "a scenario has no ends"))
        bars = pd.DataFrame(rows, columns=_TORNADO)
        return bars.sort_values("swing", ascending=False, kind="stable", ignore_index=True)

    def scenarios(self) -> pd.DataFrame:
        """Return what is to be bought as planned, and under each scenario that changes any quantity of the plan.

        Each is planned anew on the same system, with the placement of the request or our own packing.

        key ("planned", or that of the scenario), scenario (in words), systems (the sum of the shares), servers, ram_mb,
        drives, price_usd, changes (of what is bought, in words), reason (why there is no plan).
        """
        plan = self.plan
        systems = ratings(self.catalogue) | {(row["system"], row["workload"]): row for row in plan.ratings.values()}
        base, first = _bought_under_scenario(plan.request, plan.rules, systems)
        rows = [{"key": "planned", "scenario": "as planned"} | first]
        for scenario in sensitivity_scenarios(plan):
            other, bought = _bought_under_scenario(scenario.request, scenario.rules, systems)
            if other.equals(base):
                continue  # as planned
            bought["changes"] = ", ".join(
                f"{label(name)} {number(first[name])} → {number(bought[name])}"
                for name in _BOUGHT
                if first[name] == first[name] and bought[name] == bought[name] and first[name] != bought[name]
            )
            rows.append({"key": scenario.key, "scenario": scenario.name} | bought)
        return pd.DataFrame(rows)

    def _varies(self, kind, server=None):
        """Whether an uncertain input bears on a resource, of a server or of all; a rating bears on loads alone."""
        here = [part for part in self.plan.parts if server in (None, part.server)]
        if kind == "disk":  # what a part stores grows with its people; databases do not
            rules = self.plan.rules
            here = [part for part in here if any(data.key != DATABASES for data in data_stored_on_server(part, rules))]
        bearing = {(PEOPLE, part.group) for part in here}
        bearing |= {rating_id(self.plan.ratings[part.group]) for part in here} if kind == "load" else set()
        return any(uncertain.id in bearing for uncertain in self.inputs)

    def _probability(self, suffices, varies=True):
        """The share of futures in which it suffices; NaN where nothing uncertain bears on it."""
        return float(np.mean(suffices)) if self.is_uncertain and varies else math.nan

    def _std_error(self, chance):
        """Binomial standard error of a probability."""
        return math.sqrt(chance * (1 - chance) / self.n) if chance == chance else math.nan

    def _why_no_probability(self, chance):
        """Why there is no probability, or how little an empty count says: below 3 / n, at 95 %."""
        if not self.is_uncertain:
            return _NOTHING
        none = {0.0: "suffices", 1.0: "fails"}.get(chance, "")
        few = number(3 / self.n, 2)
        return f"none of {self.n:,} futures {none}: the chance of one is below about {few}" if none else ""

    def headline(self) -> str:
        """Return how likely the plan suffices and what is uncertain, or why there is no probability."""
        if not self.is_uncertain:
            return f"No probability: {_NOTHING}."
        row = self.glance().iloc[0]
        named = "; ".join(f"{uncertain.name} ({uncertain.words})" for uncertain in self.inputs)
        of_each = [(kind, row[f"probability_{kind}"]) for kind in PLAN_RESOURCES]
        parts = ", ".join(f"{kind} in {rendering.percent(chance)}" for kind, chance in of_each if chance == chance)
        return (
            f"The plan suffices in {rendering.percent(row['probability'])} of {self.n:,} futures ({parts}), "
            f"spare servers left out. Uncertain: {named}. All else is held."
        )

    def _tables(self):
        return self.glance(), self.tidy(), self.servers(), self.tornado(), self.scenarios()


@names_its_keywords()
def assess(
    plan: Plan, *, n: int = 100_000, seed: int = 0, level: float = 0.95, catalogue: Catalogue | None = None
) -> Assessment:
    """Return how sure a plan is: the chance that what it buys suffices, given what is uncertain.

    Uncertain are the people of each group with a `spread`, and each rating with a std_error and dof (`systems`,
    `fitted_rating`). They are drawn independently, n times at once, but for modelled ratings: the workloads of one
    machine share its system, family and parts, and all machines share the terms of the model, so these are drawn
    together with the correlation that the model gives them. A rating's draw replaces the bound that the rules planned
    with. Everything else is held: rules have no honest distribution, and are varied by name in `Assessment.tornado`
    and `Assessment.scenarios`.

    Parameters
    ----------
    plan : Plan
    n : int
        Futures to draw, 1,000,000 at most (`MOST_DRAWS` in `dominoperf.fitting.resampling`).
    seed : int
        The same seed gives the same numbers.
    level : float
        Coverage of the bounds and intervals, above a half.
    catalogue : path or DataFrame, optional
        That of the plan, for a scenario that classifies people otherwise and so needs another workload's rating.

    Returns
    -------
    Assessment

    Raises
    ------
    CannotPlan
        When there is no plan, or n, the seed or the level cannot be.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, with_spread
    >>> risk = assess(plan(with_spread(example(), 20)), n=10_000)
    >>> risk.glance().round(2)[["probability_load", "probability_memory", "probability_disk"]].iloc[0].tolist()
    [1.0, 0.25, 0.93]
    """
    if not isinstance(plan, Plan):
        remedy = "Plan first: assess(plan(request))."
        raise CannotPlan("assess", expected="a Plan, as `plan` gives it", found=type(plan).__name__, remedy=remedy)
    check_draws("assess", n, seed, CannotPlan)
    check_level(level, "assess", CannotPlan)
    rated = uncertain_ratings(plan.ratings[part.group] for part in plan.parts)
    uncertain = (*uncertain_people(plan.request), *rated)
    values = draw_inputs(uncertain, plan.ratings.values(), n, seed)
    central = resource_use_of_plan(plan, {one.id: one.value for one in uncertain})
    futures = resource_use_of_plan(plan, values) if uncertain else central
    return Assessment(plan, n, seed, level, uncertain, central, futures, catalogue)


def _empirical_quantile(values, share):
    """The smallest drawn value that a share of them does not exceed: a bound is never too low by interpolation."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def _people_and_shares(plan, values, request, rules):
    """People planned for by group, and the share of a system of each part; `values` stand in for inputs by their id."""
    profiles = {part.group: part.profile for part in people_as_benchmark_users(request, rules).groups}
    people = {
        group.name: np.maximum(planned_people(group, values.get((PEOPLE, group.name), group.users), request), 0.0)
        for group in request.groups
    }
    taken = []
    for part, fraction in zip(plan.parts, _fractions_of_groups(plan), strict=True):
        row = plan.ratings[part.group]
        users = people[part.group] * profile_multiplier(profiles[part.group], request, rules, part.own)
        key = rating_id(row)
        most = values[key] if key in values else planned_rating(row, rules)
        with np.errstate(divide="ignore"):
            taken.append(fraction * users / most)
    return people, taken


def _systems_needed(plan, values, request, rules):
    """The systems that the people need together, at the peak of their sum, by some request and rules."""
    _, taken = _people_and_shares(plan, values, request, rules)
    return _peak_load_of_day(plan.parts, taken)


def resource_use_of_plan(plan: Plan, values: Mapping) -> ResourceUse:
    """Return the `ResourceUse` of a plan as bought: its servers, who is on which, their memory and their drives.

    load = the sum of the shares of the groups of a server in its own busiest hour; memory = what the tables ask for
    over what is bought; disk = what is stored and the paging file of the memory bought, over the usable space.
    """
    people, taken = _people_and_shares(plan, values, plan.request, plan.rules)
    by_server = {}
    for part, fraction, share in zip(plan.parts, _fractions_of_groups(plan), taken, strict=True):
        changed = part._replace(planned_users=fraction * people[part.group])
        by_server.setdefault(part.server, []).append((changed, share))
    rows = []
    for volume in plan.volumes:
        parts, here = zip(*by_server[volume.server], strict=True)
        ram_mb = sum(part_memory(part, plan.rules) for part in parts)  # NaN where the rules have none for so many
        bought_mb = max(plan.ram_mb[volume.server], 1.0)  # 0 for nobody
        memory = np.where(np.isnan(ram_mb), np.inf, ram_mb) / bought_mb
        data = sum(kind.count * kind.each_mb for part in parts for kind in data_stored_on_server(part, plan.rules))
        usable_mb = max(volume.usable_gb * plan.rules.value("disk", "mb_per_gb"), 1.0)  # 0 without drives
        space = (data + volume.paging_mb) / usable_mb
        rows.append((_peak_load_of_day(parts, here), memory, space))
    futures = max((np.size(value) for value in values.values()), default=1)
    total = np.broadcast_to(_peak_load_of_day(plan.parts, taken), futures)
    by_kind = ([np.broadcast_to(share, futures) for share in of_servers] for of_servers in zip(*rows, strict=True))
    return ResourceUse(total, *map(np.array, by_kind))


def _fractions_of_groups(plan):
    """The fraction of its group that each part is; equal ones of a group without people."""
    people = pd.Series([part.planned_users for part in plan.parts])
    of_group = people.groupby([part.group for part in plan.parts])
    return (people / of_group.transform("sum")).fillna(1 / of_group.transform("count")).tolist()


def _peak_load_of_day(parts, taken):
    """The greatest sum of the shares in any hour; without hours their sum."""
    day = np.unique(np.array([part.busy for part in parts]).T, axis=0)  # hours that are alike once
    by_hour = (sum(share * at_work for share, at_work in zip(taken, busy, strict=True)) for busy in day)
    return functools.reduce(np.maximum, by_hour)
