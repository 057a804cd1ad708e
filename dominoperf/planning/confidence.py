"""How sure a plan is: distributions of the request and of fitted capacities carried through, rules varied by name."""

import dataclasses
import functools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from dominoperf import rendering
from dominoperf.errors import CannotPlan, DominoperfError
from dominoperf.planning.plan import Plan, plan
from dominoperf.planning.rules import Rules, rule_sets
from dominoperf.planning.sizes import MEMORY_RULES, memory_needed, stored

CONSTRAINTS = ("load", "memory", "disk")
_MORE = (-1, 0, 1, 2)  # servers beside those of the plan
_FULL = 1 + 1e-9
_BOUNDS = ("systems_bound", "servers_bound")


@dataclass(frozen=True)
class Input:
    """An uncertain number: of a group its people, of a workload what the system carries; relative to its middle."""

    name: str
    quantile: object  # of its distribution, as a function of probability, relative to the middle


@dataclass(frozen=True)
class Assessment:
    """A plan under uncertainty: in which share of the futures it suffices, and what would change that."""

    plan: Plan
    uses: dict  # (server, constraint) to what is used of what is there, one number a future
    total: np.ndarray  # systems needed in all, one number a future
    inputs: tuple
    level: float
    catalogue: object = None

    def glance(self):
        """Give one row.

        n, probability (that everything suffices), std_error (of that number, from the simulation), probability_load,
        probability_memory, probability_disk, level, systems_bound (with that certainty no more systems are needed),
        servers_bound, servers, reason.
        """
        if not self.inputs:
            nothing = dict.fromkeys(
                ("probability", "std_error", *(f"probability_{each}" for each in CONSTRAINTS)), math.nan
            )
            bound = {"systems_bound": math.nan, "servers_bound": math.nan}
            return self._row(0, nothing | bound, "nothing in the request or the catalogue has a distribution")
        kept = {each: self._kept(each) for each in CONSTRAINTS}
        whole = functools.reduce(np.logical_and, kept.values())
        share, n = float(whole.mean()), len(self.total)
        bound = float(np.quantile(self.total, self.level))
        told = {"probability": share, "std_error": math.sqrt(share * (1 - share) / n)}
        told |= {f"probability_{each}": float(kept[each].mean()) for each in CONSTRAINTS}
        return self._row(n, told | dict(zip(_BOUNDS, (bound, math.ceil(bound - 1e-9)), strict=True)), "")

    def _row(self, n, told, reason):
        return pd.DataFrame([{"n": n} | told | {"level": self.level, "servers": self.plan.servers, "reason": reason}])

    def _kept(self, constraint):
        """In which futures a constraint holds on every server."""
        uses = [use for (_, each), use in self.uses.items() if each == constraint]
        return np.logical_and.reduce([use <= _FULL for use in uses])

    def tidy(self):
        """Give a row a server and constraint: server, constraint, probability, use (in the middle), low, high.

        The use is what is needed of what is there; low and high are its quantiles at (1 - level)/2 from both ends.
        """
        tail = (1 - self.level) / 2
        rows = [
            (server, constraint, float((use <= _FULL).mean()) if self.inputs else math.nan, float(np.median(use)))
            + (tuple(np.quantile(use, (tail, 1 - tail))) if self.inputs else (math.nan, math.nan))
            for (server, constraint), use in self.uses.items()
        ]
        return pd.DataFrame(rows, columns=["server", "constraint", "probability", "use", "low", "high"])

    def servers(self):
        """Say what servers more or fewer do: servers, probability that the load fits, people spread evenly."""
        there = len(self.plan.selection.servers)
        rows = [
            (there + more, float((self.total <= (there + more) * _FULL).mean()) if self.inputs else math.nan)
            for more in _MORE
            if there + more > 0
        ]
        return pd.DataFrame(rows, columns=["servers", "probability"])

    def tornado(self):
        """Move each uncertain number to its low and its high end, the others in the middle.

        Returns
        -------
        DataFrame
            input, low, high (systems needed in all), swing, the widest first.
        """
        tail = (1 - self.level) / 2
        rows = []
        for each in self.inputs:
            ends = [_total(self.plan, {each.name: each.quantile(p)}) for p in (tail, 1 - tail)]
            rows.append((each.name, *map(float, ends), float(abs(ends[1] - ends[0]))))
        frame = pd.DataFrame(rows, columns=["input", "low", "high", "swing"])
        return frame.sort_values("swing", ascending=False, ignore_index=True)

    def scenarios(self):
        """Plan the same request under other rules: a rule has no distribution, so no probability is given.

        Returns
        -------
        DataFrame
            scenario, systems (sum of the shares), servers, ram_mb, drives, reason (why there is no such plan).
        """
        rows = [_scenario(name, request, rules, self.catalogue) for name, request, rules in _scenarios(self.plan)]
        return pd.DataFrame(rows, columns=["scenario", "systems", "servers", "ram_mb", "drives", "reason"])

    def __repr__(self):
        """Lay the answer out for a terminal."""
        parts = (self.glance(), self.tidy(), self.servers(), self.tornado(), self.scenarios())
        return "\n".join(rendering.as_text(rendering.rounded(part, 4)) for part in parts)

    def _repr_html_(self):
        parts = (self.glance(), self.tidy(), self.servers(), self.tornado(), self.scenarios())
        return "".join(rendering.as_html(rendering.rounded(part, 4)) for part in parts)


def assess(plan, *, n=100_000, seed=0, level=0.95, catalogue=None):
    """Simulate a plan under the distributions of its request and of the capacities it stands on.

    People of a group vary where the request has a `spread`; what a system carries varies, as Student's t about its
    estimate, where a fit gave it a standard error. Everything else is held. The plan is kept as bought.

    Parameters
    ----------
    plan : Plan
    n : int
        Futures.
    seed : int
        Of the random numbers: the same one gives the same answer.
    level : float
        Certainty of the one-sided bound, and of the ends of ranges.
    catalogue
        That of the plan, where it has one of its own.

    Returns
    -------
    Assessment

    Raises
    ------
    CannotPlan
        When n or level is no such number.
    """
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise CannotPlan("assess, n", expected="a whole number from 1", found=repr(n), remedy="Mend the argument.")
    if not isinstance(level, (int, float)) or not 0.5 < level < 1:
        raise CannotPlan("assess, level", expected="a number between 0.5 and 1", found=repr(level), remedy="Mend it.")
    inputs, random = tuple(_inputs(plan)), np.random.default_rng(seed)
    draws = {each.name: each.quantile(random.random(n if inputs else 1)) for each in inputs}
    return Assessment(plan, dict(_uses(plan, draws)), np.atleast_1d(_total(plan, draws)), inputs, level, catalogue)


def _inputs(plan):
    """The uncertain numbers of a plan."""
    for group in plan.request.groups:
        if group.spread:
            yield Input(f"{group.name}: people", functools.partial(_people, group))
    seen = set()
    for part, row in zip(plan.selection.demand.groups, plan.selection.carried, strict=True):
        error = row.get("std_error", math.nan)
        if error == error and part.workload not in seen:
            seen.add(part.workload)
            yield Input(f"{part.workload}: users carried", functools.partial(_carried, row["users"], error, row["dof"]))


def _people(group, probability):
    """Quantiles of the people of a group, relative to the request's number."""
    spread, middle = group.spread, group.users
    if spread["kind"] == "normal":
        return np.maximum(stats.norm.ppf(probability, middle, spread["sd"]), 0.0) / middle
    low, width = spread["low"], spread["high"] - spread["low"]
    if width == 0:
        return np.full_like(np.asarray(probability, float), low / middle)
    if spread["kind"] == "uniform":
        return stats.uniform.ppf(probability, low, width) / middle
    return stats.triang.ppf(probability, (middle - low) / width, low, width) / middle


def _carried(users, std_error, dof, probability):
    """Quantiles of what a system carries, relative to the estimate; none at or below nothing."""
    return np.maximum(1 + stats.t.ppf(probability, dof) * std_error / users, 1e-6)


def _growth(part, row, draws):
    """By what the share of a part grows: people over what the system carries, both relative to the plan's.

    A capacity that varies does so about its estimate, where the plan may have taken its lower end.
    """
    people = draws.get(f"{part.group}: people", 1.0)
    carried = draws.get(f"{part.workload}: users carried")
    return people if carried is None else people * part.capacity / (row["users"] * carried)


def _total(plan, draws):
    """Systems needed in all: the sum of the shares."""
    rows = _rows(plan)
    return sum(part.share * _growth(part, rows[part.group], draws) for part in plan.selection.parts)


def _rows(plan):
    """The row of `systems` that each group stands on."""
    groups = (part.group for part in plan.selection.demand.groups)
    return dict(zip(groups, plan.selection.carried, strict=True))


def _uses(plan, draws):
    """What each server uses of its load, memory and disk, in every future."""
    volumes, rows = {volume.server: volume for volume in plan.disks.volumes}, _rows(plan)
    for server, parts in plan.selection.servers.items():
        volume = volumes[server]
        people = [draws.get(f"{part.group}: people", 1.0) for part in parts]
        load = sum(part.share * _growth(part, rows[part.group], draws) for part in parts)
        memory = sum(_memory(part, more, plan.rules) for part, more in zip(parts, people, strict=True))
        data = sum(_data(part, more, plan.rules) for part, more in zip(parts, people, strict=True))
        space = volume.usable_gb * plan.rules.value("disk", "mb_per_gb") - volume.paging_mb
        for name, use in zip(CONSTRAINTS, (load, memory / plan.disks.memory.ram_mb[server], data / space), strict=True):
            yield (server, name), np.atleast_1d(use)


def _memory(part, people, rules):
    """Memory that a part needs; where the rules have none, more than there is."""
    column = rules.value("memory", MEMORY_RULES[part.workload])
    needed = memory_needed(part.workload, part.planned_users * people, column, rules)
    return np.where(np.isnan(needed), np.inf, needed)


def _data(part, people, rules):
    """MB that a part stores; its databases do not grow with its people."""
    return sum(
        count * rules.value("disk", name) * (1.0 if quantity == "databases" else people)
        for quantity, count, name in stored(part)
    )


def _scenarios(plan):
    """Name, request and rules of each scenario: as planned, one rule otherwise at a time, no head-room kept."""
    request, own = plan.request, plan.rules
    yield "as planned", request, own
    from dominoperf.planning.rules import rules as rules_named

    other = rules_named(next(name for name in rule_sets() if name != own.name))
    for step, name in own.differing(other):
        changed = own.steps | {step: own.steps[step] | {name: other.steps[step][name]}}
        yield f"{step}: {name} of {other.name}", request, Rules(own.name, changed)
    yield f"all rules of {other.name}", request, other
    threshold = own.value("headroom", "threshold_percent")
    yield f"planned at {threshold:g} % utilization", dataclasses.replace(request, utilization_percent=threshold), own
    yield "no head-room", dataclasses.replace(request, utilization_percent=100.0), own


def _scenario(name, request, rules, catalogue):
    try:
        found = plan(request, rules=rules, catalogue=catalogue)
    except DominoperfError as error:
        return name, math.nan, math.nan, math.nan, math.nan, str(error)
    glance = found.glance().iloc[0]
    return name, found.selection.total, found.servers, glance["ram_mb"], glance["drives"], ""
