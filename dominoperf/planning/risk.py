"""How sure a plan is: what is given as uncertain is drawn many times; what is a rule is varied by name."""

import functools
import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import CannotPlan
from dominoperf.machines import MACHINE_PARTS, correlation
from dominoperf.planning.conversion import Part, multiplier, planned_people
from dominoperf.planning.packing import planned_rating, whole_servers
from dominoperf.planning.plan import Plan
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules
from dominoperf.planning.scenarios import scenario_table, scenarios
from dominoperf.planning.sizing import DATABASES, part_memory, stored
from dominoperf.planning.systems import Catalogue, describes_machine, is_modelled
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.rendering import number

PEOPLE, RATING = "people", "rating"
_SLACK = 1 + 1e-9  # as the steps have it
CONSTRAINTS = ("load", "memory", "disk")
_TORNADO = [
    "input",
    "input_kind",
    "key",
    "unit",
    "value",
    "low",
    "high",
    "systems_central",
    "systems_low",
    "systems_high",
    "swing",
]
_NOTHING = "nothing is uncertain: give a group a spread, or a rating its std_error and dof"
_AT_ROW_END = (
    "planned for the most people of its row of the memory table: one more asks for the next row, so the chance is that"
    " of no more people than planned, however wide their spread"
)
_FLEET = "load, people spread evenly"


class Input(NamedTuple):
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


class Demand(NamedTuple):
    """What is used, an array of futures each; by server (rows) a share of what is bought of load, memory and disk.

    `total` is the number of systems that the people need together: people may then be moved between the servers.
    """

    total: np.ndarray
    load: np.ndarray
    memory: np.ndarray
    disk: np.ndarray


@carried_errata.propagates_errata("glance", "tidy", "weakest", "servers", "tornado", "scenarios")
@dataclass(frozen=True)
class Assessment:
    """How sure a plan is. `glance`, `tidy`, `servers`, `tornado` and `scenarios` give plain frames.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, with_spread
    >>> risk = assess(plan(with_spread(example(), 20)), n=1_000)
    >>> risk.weakest()[["server", "constraint", "at_row_end"]].values.tolist()[0]
    ['Server 1', 'memory', True]
    """

    plan: Plan
    n: int
    seed: int
    level: float
    inputs: tuple[Input, ...]
    central: Demand = field(repr=False)  # everything at its central value
    drawn: Demand = field(repr=False)  # one column a future; as the central one where nothing is uncertain
    catalogue: object = field(default=None, repr=False)

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

        Returns
        -------
        DataFrame
            n (futures drawn), level, probability (that every load, memory and disk suffices), its binomial
            probability_std_error, probability_load, probability_memory, probability_disk, systems_bound (the systems
            needed are at most so many, one-sided at the level), servers_bound (that in whole servers), margin (the
            least share of any load and disk that is left, all at central values; memory is bought to a row of its
            table and has none), reason.
        """
        suffices = {kind: (getattr(self.drawn, kind) <= _SLACK).all(axis=0) for kind in CONSTRAINTS}
        bound = _quantile(self.drawn.total, self.level) if self.is_uncertain else math.nan
        whole = self._chance(np.all(list(suffices.values()), axis=0))
        row = {"n": self.n if self.is_uncertain else 0, "level": self.level, "probability": whole}
        row |= {"probability_std_error": self._error(whole)}
        row |= {f"probability_{kind}": self._chance(suffices[kind], self._moved(kind)) for kind in CONSTRAINTS}
        row |= {"systems_bound": bound}
        row |= {"servers_bound": float(whole_servers(bound)) if math.isfinite(bound) else math.nan}
        row |= {"margin": 1 - max(float(getattr(self.central, kind).max()) for kind in ("load", "disk"))}
        held = [kind for kind in CONSTRAINTS if not self._moved(kind)] if self.is_uncertain else []
        reasons = [self._why_no_probability(whole), f"held, so without a probability: {', '.join(held)}" * bool(held)]
        return pd.DataFrame([row | {"reason": "; ".join(filter(None, reasons))}])

    def tidy(self) -> pd.DataFrame:
        """Return a row for each server and what it must suffice for, and one for the load of all servers together.

        Returns
        -------
        DataFrame
            server ("" of all together), constraint (load, memory, disk), use_central, use_low, use_median, use_high
            (the middle share `level` of the futures), use_bound (one-sided), each a share of what is bought;
            probability (that it is at most 1), probability_std_error, at_row_end (whether the people planned for are
            the most of their row of the memory table), reason.
        """
        rows = []
        for k, volume in enumerate(self.plan.volumes):
            for kind in CONSTRAINTS:
                central, drawn = (getattr(demand, kind)[k] for demand in (self.central, self.drawn))
                rows.append(
                    self._probability_row(volume.server, kind, central[0], drawn, self._moved(kind, volume.server))
                )
        central, drawn = (demand.total / len(self.plan.volumes) for demand in (self.central, self.drawn))
        return pd.DataFrame([*rows, self._probability_row("", _FLEET, central[0], drawn, self._moved("load"))])

    def _probability_row(self, server, constraint, central, drawn, moved):
        """The row of `tidy` for one server and constraint, or for all servers together."""
        sides = ((1 - self.level) / 2, 0.5, (1 + self.level) / 2, self.level)
        names = ("use_low", "use_median", "use_high", "use_bound")
        ends = [_quantile(drawn, side) if self.is_uncertain else math.nan for side in sides]
        chance = self._chance(drawn <= _SLACK, moved)
        row = {"server": server, "constraint": constraint, "use_central": _finite(central)}
        row |= dict(zip(names, map(_finite, ends), strict=True))
        row |= {"probability": chance, "probability_std_error": self._error(chance)}
        reason = (
            self._why_no_probability(chance)
            if moved or not self.is_uncertain
            else "held: no uncertain input bears on it"
        )
        at_row_end = moved and constraint == "memory" and self._at_row_end(server)
        reason = _AT_ROW_END if at_row_end else reason
        beyond = self.is_uncertain and not all(map(math.isfinite, (central, *ends)))
        return row | {
            "at_row_end": at_row_end,
            "reason": "above the last row of the memory tables" if beyond else reason,
        }

    def weakest(self) -> pd.DataFrame:
        """Return what runs short first: the rows of `tidy` with the least probability, all that cannot be told apart.

        All are judged in the same futures. Two are told apart where the futures in which one alone falls short exceed
        those in which the other alone does by more than three standard errors, ``(a - b) / sqrt(a + b) > 3`` (McNemar
        1947): less is noise of the simulation.

        Returns
        -------
        DataFrame
            As `tidy`, one row or several; empty where nothing is uncertain or no future falls short.
        """
        rows = self.tidy().query("server != ''")
        short = np.array([getattr(self.drawn, kind)[k] > _SLACK for k in range(len(rows) // 3) for kind in CONSTRAINTS])
        if not self.is_uncertain or not short.any():
            return rows.iloc[:0]
        most = short[short.sum(axis=1).argmax()]
        alone, other = (most & ~short).sum(axis=1), (short & ~most).sum(axis=1)
        return rows[(alone - other <= 3 * np.sqrt(alone + other)) & short.any(axis=1)]

    def _at_row_end(self, server):
        """Whether the people of a server are the most of their row of the memory table."""
        k = [volume.server for volume in self.plan.volumes].index(server)
        more = {uncertain.id: uncertain.value * (1 + 1e-6) for uncertain in self.inputs if uncertain.kind == PEOPLE}
        return self.central.memory[k][0] <= _SLACK < demand_of(self.plan, more).memory[k][0]

    def servers(self) -> pd.DataFrame:
        """Return what one more server buys: the probability that so many carry the load, people spread evenly on them.

        Returns
        -------
        DataFrame
            servers (one fewer than bought to two more, spare ones not counted), probability, probability_std_error,
            gain (of probability, over one server fewer), price_usd, reason.
        """
        bought, price = len(self.plan.volumes), self.plan.system["price_usd"]
        counts = [k for k in range(bought - 1, bought + 3) if k > 0]
        chances = [self._chance(self.drawn.total <= k * _SLACK, self._moved("load")) for k in [counts[0] - 1, *counts]]
        frame = pd.DataFrame({"servers": counts, "probability": chances[1:]})
        frame["probability_std_error"] = [self._error(chance) for chance in chances[1:]]
        frame["gain"] = np.diff(chances)
        frame["price_usd"] = frame["servers"] * price
        return frame.assign(reason=[self._why_no_probability(chance) for chance in chances[1:]])

    def tornado(self) -> pd.DataFrame:
        """Return how far each uncertain input, and each named scenario, moves the systems needed; the widest first.

        An input goes to its ends of the middle share `level` while the others are held at their central values. A
        scenario has no ends and no probability: it is another rule, target or growth.

        Returns
        -------
        DataFrame
            input (in words), input_kind (people, rating, scenario), key (which of its kind), unit, value, low, high (of
            the input), systems_central, systems_low, systems_high (the systems needed at its ends; of a scenario the
            first is as planned), swing.
        """
        held = {uncertain.id: uncertain.value for uncertain in self.inputs}
        centre, sides = float(self.central.total[0]), np.array([(1 - self.level) / 2, (1 + self.level) / 2])
        rows = []
        for uncertain in self.inputs:
            low, high = map(float, uncertain.quantile(sides))
            ends = [float(systems_needed(self.plan, held | {uncertain.id: end})) for end in (low, high)]
            about = (uncertain.name, uncertain.kind, uncertain.key, uncertain.unit, uncertain.value, low, high)
            rows.append((*about, centre, *ends, abs(ends[1] - ends[0])))
        for scenario in scenarios(self.plan):
            moved = float(systems_needed(self.plan, held, scenario.request, scenario.rules, scenario.profiles))
            if not math.isclose(moved, centre):
                about = (scenario.name, "scenario", scenario.key, "", np.nan, np.nan, np.nan)
                rows.append((*about, centre, centre, moved, abs(moved - centre)))
        bars = pd.DataFrame(rows, columns=_TORNADO)
        return bars.sort_values("swing", ascending=False, kind="stable", ignore_index=True)

    def scenarios(self) -> pd.DataFrame:
        """Return what would be bought under each named scenario: see `scenario_table`."""
        return scenario_table(self.plan, self.catalogue)

    def _moved(self, kind, server=None):
        """Whether an uncertain input bears on a kind, of a server or of all; a rating moves loads alone."""
        here = [part for part in self.plan.parts if server in (None, part.server)]
        moving = {(PEOPLE, part.group) for part in here if kind != "disk" or stores_people(part, self.plan.rules)}
        moving |= {rating_id(self.plan.ratings[part.group]) for part in here} if kind == "load" else set()
        return any(uncertain.id in moving for uncertain in self.inputs)

    def _chance(self, suffices, moved=True):
        """The share of futures in which it suffices; NaN where nothing uncertain bears on it."""
        return float(np.mean(suffices)) if self.is_uncertain and moved else math.nan

    def _error(self, chance):
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
        """Return what is uncertain, or why the plan has no probability, in a sentence."""
        named = "; ".join(f"{uncertain.name} ({uncertain.words})" for uncertain in self.inputs)
        return f"Uncertain: {named}. All else is held." if named else f"No probability: {_NOTHING}."

    def __repr__(self):
        """Lay the assessment out for a terminal."""
        return "\n".join([f"{self.headline()}\n", *map(rendering.as_text, self._frames())])

    def _repr_html_(self):
        tables = "".join(rendering.as_html(frame) for frame in self._frames())
        return f"<p>{html.escape(self.headline())}</p>{tables}{carried_errata.as_html(self.errata)}"

    def _frames(self):
        """What is printed, table by table."""
        return self.glance(), self.tidy(), self.servers(), self.tornado(), self.scenarios()


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
        Futures to draw.
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
    check_draws("assess", n, seed, level)
    uncertain = inputs(plan)
    values = drawn(uncertain, plan.ratings.values(), n, seed)
    central = demand_of(plan, {one.id: one.value for one in uncertain})
    return Assessment(
        plan, n, seed, level, uncertain, central, demand_of(plan, values) if uncertain else central, catalogue
    )


def check_draws(where: str, n: int, seed: int, level: float) -> None:
    """Refuse a number of futures, a seed or a level that cannot be; `where` is the function that errors name.

    Raises
    ------
    CannotPlan
    """
    whole = lambda value: isinstance(value, (int, np.integer)) and not isinstance(value, bool)  # noqa: E731
    for name, value, good, expected in (
        ("n", n, whole(n) and n > 0, "a whole number above 0"),
        ("seed", seed, whole(seed) and seed >= 0, "a whole number, 0 or more"),
        ("level", level, isinstance(level, float) and 0.5 < level < 1, "a share between 0.5 and 1"),
    ):
        if not good:
            remedy = "Mend it, or leave it out."
            raise CannotPlan(f"{where}, {name}", expected=expected, found=repr(value), remedy=remedy)


def _quantile(values, share):
    """The smallest drawn value that a share of them does not exceed: a bound is never too low by interpolation."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def _finite(value):
    """A number, NaN in place of infinity."""
    return float(value) if math.isfinite(value) else math.nan


def inputs(plan: Plan) -> tuple[Input, ...]:
    """Return the uncertain inputs of a plan: people with a spread, ratings with a std_error and dof.

    People: uniform, triangular with its mode at `users`, or normal around them, cut at 0. A rating is
    ``users + std_error × t`` with Student's t on the dof of its fit: the law's own interval, whether its errors are
    relative or not; of the model of users it is lognormal. It is cut at 0, which raises its quantiles a little where
    few dof leave much below, and drawn once for all servers of a system, as they are one model.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, with_spread
    >>> [(each.key, each.words) for each in inputs(plan(with_spread(example(), 20)))][0]
    ('mail', 'triangular, low 640, high 960')
    """
    people = [_uncertain_people(group) for group in plan.request.groups if group.spread]
    return (*filter(None, people), *rating_inputs(plan.ratings[part.group] for part in plan.parts))


def rating_inputs(rows: Iterable[Mapping]) -> tuple[Input, ...]:
    """Return the uncertain ones of some ratings, each once: those with a std_error and dof."""
    by_id = {rating_id(row): row for row in rows}
    unsure = [row for row in by_id.values() if row.get("std_error", np.nan) > 0 and row.get("dof", np.nan) > 0]
    return tuple(map(_uncertain_rating, unsure))


def drawn(uncertain: Sequence[Input], rows: Iterable[Mapping], n: int, seed: int) -> dict[tuple, np.ndarray]:
    """Return n values of each uncertain input, by its id; modelled ratings are drawn together, all else independently.

    ``quantile(Phi(z))`` with z normal and correlated as ln(users) of such machines is by `machines.correlation` (a
    Gaussian copula): each rating keeps its own distribution.

    Parameters
    ----------
    rows : iterable of dict
        The ratings of the inputs, as `systems` has them; one that does not describe its machine is drawn by itself.
    """
    uniform = np.random.default_rng(seed).random((len(uncertain), n))
    described = {rating_id(row): row for row in rows if is_modelled(row) and describes_machine(row)}
    together = [place for place, one in enumerate(uncertain) if one.id in described]
    if len(together) > 1:
        machines = pd.DataFrame([described[uncertain[place].id] for place in together])
        values, vectors = np.linalg.eigh(correlation(machines[[*MACHINE_PARTS, "workload"]]))
        root = vectors * np.sqrt(np.clip(values, 0, None))
        uniform[together] = special.ndtr(root @ special.ndtri(uniform[together]))
    return {one.id: one.quantile(row) for one, row in zip(uncertain, uniform, strict=True)}


def _uncertain_people(group):
    """The people of a group; None where both ends of their distribution are one."""
    from scipy import stats

    distribution, users = group.spread, float(group.users)
    kind, ends = distribution["kind"], {name: end for name, end in distribution.items() if name != "kind"}
    if kind == "normal":
        law = stats.truncnorm(-users / ends["sd"], np.inf, users, ends["sd"]) if ends["sd"] else None
    else:
        low, wide = ends["low"], ends["high"] - ends["low"]
        if not wide:
            law = None
        elif kind == "uniform":
            law = stats.uniform(low, wide)
        else:
            law = stats.triang((users - low) / wide, low, wide)
    words = f"{kind}, " + ", ".join(f"{name} {end:g}" for name, end in ends.items())
    return law and Input((PEOPLE, group.name), f"{group.name}: people", "person", users, law.ppf, words)


def rating_id(row: Mapping) -> tuple[str, str, str]:
    """Return the id of the input that a rating would be: one for all servers of a system."""
    return RATING, row["system"], row["workload"]


def _uncertain_rating(row):
    """A rating: Student's t around the estimate, what lies at or below 0 cut off; lognormal where it is modelled."""
    from scipy import stats

    where = rating_id(row), f"{row['system']}: {row['workload']} users", "user", row["users"]
    if is_modelled(row):
        sigma = row["std_error"] / row["users"]
        law = stats.lognorm(sigma, scale=row["users"])
        return Input(*where, law.ppf, f"lognormal, standard deviation of ln users {number(sigma, 2)}")
    law = stats.t(row["dof"], row["users"], row["std_error"])
    below = law.cdf(0.0)
    words = f"t, std_error {number(row['std_error'])}, dof {row['dof']:g}"
    quantile = lambda u: law.ppf(below + u * (1 - below))  # noqa: E731
    return Input(*where, quantile, words)


def people_and_shares(
    plan: Plan, values: Mapping, request: Request, rules: Rules, profiles: Mapping[str, str]
) -> tuple[dict, list]:
    """Return a dict of group to people planned for, and a list of the share of a system that each part takes.

    Parameters
    ----------
    values : dict
        Numbers or arrays in place of the plan's, by the id of the input.
    request, rules, profiles
        Those of the plan, or of a scenario; profiles by group.
    """
    people = {
        group.name: np.maximum(planned_people(group, values.get((PEOPLE, group.name), group.users), request), 0.0)
        for group in request.groups
    }
    taken = []
    for part, piece in zip(plan.parts, _pieces(plan), strict=True):
        row = plan.ratings[part.group]
        users = people[part.group] * multiplier(profiles[part.group], request, rules, part.needs)
        key = rating_id(row)
        most = values[key] if key in values else planned_rating(row, rules)
        with np.errstate(divide="ignore"):
            taken.append(piece * users / most)
    return people, taken


def systems_needed(
    plan: Plan,
    values: Mapping,
    request: Request | None = None,
    rules: Rules | None = None,
    profiles: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Return the systems that the people need together, at the peak of their sum; of a scenario's request and rules."""
    profiles = profiles or {part.group: part.profile for part in plan.groups}
    _, taken = people_and_shares(plan, values, request or plan.request, rules or plan.rules, profiles)
    return _peak_of_day(plan.parts, taken)


def demand_of(plan: Plan, values: Mapping) -> Demand:
    """Return the `Demand` of a plan as bought: its servers, who is on which, their memory and their drives.

    load = the sum of the shares of the groups of a server in its own busiest hour; memory = what the tables ask for
    over what is bought; disk = what is stored and the paging file of the memory bought, over the usable space.
    """
    profiles = {part.group: part.profile for part in plan.groups}
    people, taken = people_and_shares(plan, values, plan.request, plan.rules, profiles)
    by_server = {}
    for part, piece, share in zip(plan.parts, _pieces(plan), taken, strict=True):
        moved = part._replace(planned_users=piece * people[part.group])
        by_server.setdefault(part.server, []).append((moved, share))
    rows = []
    for volume in plan.volumes:
        parts, here = zip(*by_server[volume.server], strict=True)
        memory = sum(_memory_asked(part, plan.rules) for part in parts) / plan.ram_mb[volume.server]
        data = sum(kind.count * kind.each_mb for part in parts for kind in stored(part, plan.rules))
        space = (data + volume.paging_mb) / (volume.usable_gb * plan.rules.value("disk", "mb_per_gb"))
        rows.append((_peak_of_day(parts, here), memory, space))
    futures = max((np.size(drawn) for drawn in values.values()), default=1)
    total = np.broadcast_to(_peak_of_day(plan.parts, taken), futures)
    by_kind = ([np.broadcast_to(share, futures) for share in of_servers] for of_servers in zip(*rows, strict=True))
    return Demand(total, *map(np.array, by_kind))


def stores_people(part: Part, rules: Rules) -> bool:
    """Return whether what a part stores grows with its people; databases do not."""
    return any(kind.key != DATABASES for kind in stored(part, rules))


def _pieces(plan):
    """The share of its group that each part is; equal ones of a group without people."""
    whole, count = {}, {}
    for part in plan.parts:
        whole[part.group] = whole.get(part.group, 0.0) + part.planned_users
        count[part.group] = count.get(part.group, 0) + 1
    return [
        part.planned_users / whole[part.group] if whole[part.group] else 1 / count[part.group] for part in plan.parts
    ]


def _peak_of_day(parts, taken):
    """The greatest sum of the shares in any hour; without hours their sum."""
    day = np.unique(np.array([part.busy for part in parts]).T, axis=0)  # hours that are alike once
    by_hour = (sum(share * at_work for share, at_work in zip(taken, busy, strict=True)) for busy in day)
    return functools.reduce(np.maximum, by_hour)


def _memory_asked(part, rules):
    """Memory that a part asks for; infinite where the rules have none for so many."""
    needed = part_memory(part, rules)
    return np.where(np.isnan(needed), np.inf, needed)
