"""How sure a plan is: what is given as uncertain is drawn many times; what is a rule is varied by name."""

import html
import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan
from dominoperf.planning.plan import Plan
from dominoperf.planning.scenarios import scenario_table, scenarios
from dominoperf.planning.systems import Catalogue
from dominoperf.planning.uncertainty import (
    PEOPLE,
    Input,
    Uses,
    capacity_id,
    inputs,
    stores_people,
    systems_needed,
    uses,
)
from dominoperf.tables import rendering

_SLACK = 1 + 1e-9  # as the steps have it
CONSTRAINTS = ("load", "memory", "disk")
_TORNADO = [
    "input",
    "kind",
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
_NOTHING = "nothing is uncertain: give a group a spread, or a capacity its std_error and dof"
_AT_ROW_END = (
    "planned for the most people of its row of the memory table: one more asks for the next row, so the chance is that"
    " of no more people than planned, however wide their spread"
)
_FLEET = "load, people spread evenly"


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
    central: Uses = field(repr=False)  # everything at its central value
    drawn: Uses = field(repr=False)  # one column a future; as the central one where nothing is uncertain
    catalogue: object = field(default=None, repr=False)

    @property
    def unsure(self):
        """Whether anything of the plan is uncertain."""
        return bool(self.inputs)

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
        kept = {kind: (getattr(self.drawn, kind) <= _SLACK).all(axis=0) for kind in CONSTRAINTS}
        bound = _quantile(self.drawn.total, self.level) if self.unsure else math.nan
        whole = self._chance(np.all(list(kept.values()), axis=0))
        row = {"n": self.n if self.unsure else 0, "level": self.level, "probability": whole}
        row |= {"probability_std_error": self._error(whole)}
        row |= {f"probability_{kind}": self._chance(kept[kind], self._moved(kind)) for kind in CONSTRAINTS}
        row |= {"systems_bound": bound, "servers_bound": _whole(bound)}
        row |= {"margin": 1 - max(float(getattr(self.central, kind).max()) for kind in ("load", "disk"))}
        held = [kind for kind in CONSTRAINTS if not self._moved(kind)] if self.unsure else []
        reasons = [self._reason(whole), f"held, so without a probability: {', '.join(held)}" * bool(held)]
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
                central, drawn = (getattr(each, kind)[k] for each in (self.central, self.drawn))
                rows.append(self._row(volume.server, kind, central[0], drawn, self._moved(kind, volume.server)))
        central, drawn = (each.total / len(self.plan.volumes) for each in (self.central, self.drawn))
        return pd.DataFrame([*rows, self._row("", _FLEET, central[0], drawn, self._moved("load"))])

    def _row(self, server, constraint, central, drawn, moved):
        sides = ((1 - self.level) / 2, 0.5, (1 + self.level) / 2, self.level)
        names = ("use_low", "use_median", "use_high", "use_bound")
        ends = [_quantile(drawn, side) if self.unsure else math.nan for side in sides]
        chance = self._chance(drawn <= _SLACK, moved)
        row = {"server": server, "constraint": constraint, "use_central": _finite(central)}
        row |= dict(zip(names, map(_finite, ends), strict=True))
        row |= {"probability": chance, "probability_std_error": self._error(chance)}
        reason = self._reason(chance) if moved or not self.unsure else "held: no uncertain input bears on it"
        at_row_end = moved and constraint == "memory" and self._at_row_end(server)
        reason = _AT_ROW_END if at_row_end else reason
        beyond = self.unsure and not all(map(math.isfinite, (central, *ends)))
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
        if not self.unsure or not short.any():
            return rows.iloc[:0]
        most = short[short.sum(axis=1).argmax()]
        alone, other = (most & ~short).sum(axis=1), (short & ~most).sum(axis=1)
        return rows[(alone - other <= 3 * np.sqrt(alone + other)) & short.any(axis=1)]

    def _at_row_end(self, server):
        """Whether the people of a server are the most of their row of the memory table."""
        k = [volume.server for volume in self.plan.volumes].index(server)
        more = {each.id: each.value * (1 + 1e-6) for each in self.inputs if each.kind == PEOPLE}
        return self.central.memory[k][0] <= _SLACK < uses(self.plan, more).memory[k][0]

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
        frame["probability_std_error"] = [self._error(each) for each in chances[1:]]
        frame["gain"] = np.diff(chances)
        frame["price_usd"] = frame["servers"] * price
        return frame.assign(reason=[self._reason(each) for each in chances[1:]])

    def tornado(self) -> pd.DataFrame:
        """Return how far each uncertain input, and each named scenario, moves the systems needed; the widest first.

        An input goes to its ends of the middle share `level` while the others are held at their central values. A
        scenario has no ends and no probability: it is another rule, target or growth.

        Returns
        -------
        DataFrame
            input (in words), kind (people, capacity, scenario), key (which of its kind), unit, value, low, high (of the
            input), systems_central, systems_low, systems_high (the systems needed at its ends; of a scenario the first
            is as planned), swing.
        """
        held = {each.id: each.value for each in self.inputs}
        centre, sides = float(self.central.total[0]), np.array([(1 - self.level) / 2, (1 + self.level) / 2])
        rows = []
        for each in self.inputs:
            low, high = map(float, each.quantile(sides))
            ends = [float(systems_needed(self.plan, held | {each.id: end})) for end in (low, high)]
            about = (each.name, each.kind, each.key, each.unit, each.value, low, high)
            rows.append((*about, centre, *ends, abs(ends[1] - ends[0])))
        for each in scenarios(self.plan):
            moved = float(systems_needed(self.plan, held, each.request, each.rules, each.profiles))
            if not math.isclose(moved, centre):
                about = (each.name, "scenario", each.key, "", np.nan, np.nan, np.nan)
                rows.append((*about, centre, centre, moved, abs(moved - centre)))
        bars = pd.DataFrame(rows, columns=_TORNADO)
        return bars.sort_values("swing", ascending=False, kind="stable", ignore_index=True)

    def scenarios(self) -> pd.DataFrame:
        """Return what would be bought under each named scenario: see `scenario_table`."""
        return scenario_table(self.plan, self.catalogue)

    def _moved(self, kind, server=None):
        """Whether an uncertain input bears on a kind, of a server or of all; a capacity moves loads alone."""
        here = [part for part in self.plan.parts if server in (None, part.server)]
        moving = {(PEOPLE, part.group) for part in here if kind != "disk" or stores_people(part, self.plan.rules)}
        moving |= {capacity_id(self.plan.capacities[part.group]) for part in here} if kind == "load" else set()
        return any(each.id in moving for each in self.inputs)

    def _chance(self, kept, moved=True):
        """The share of futures in which it suffices; NaN where nothing uncertain bears on it."""
        return float(np.mean(kept)) if self.unsure and moved else math.nan

    def _error(self, chance):
        """Binomial standard error of a probability."""
        return math.sqrt(chance * (1 - chance) / self.n) if chance == chance else math.nan

    def _reason(self, chance):
        """Why there is no probability, or how little an empty count says: below 3 / n, at 95 %."""
        if not self.unsure:
            return _NOTHING
        none = {0.0: "suffices", 1.0: "fails"}.get(chance, "")
        few = rendering.number(3 / self.n, 2)
        return f"none of {self.n:,} futures {none}: the chance of one is below about {few}" if none else ""

    def headline(self) -> str:
        """Return what is uncertain, or why the plan has no probability, in a sentence."""
        named = "; ".join(f"{each.name} ({each.words})" for each in self.inputs)
        return f"Uncertain: {named}. All else is held." if named else f"No probability: {_NOTHING}."

    def __repr__(self):
        """Lay the assessment out for a terminal."""
        return "\n".join([f"{self.headline()}\n", *(repr(rendering.Table(each)) for each in self._frames())])

    def _repr_html_(self):
        tables = [rendering.Table(each)._repr_html_() for each in self._frames()]
        return f"<p>{html.escape(self.headline())}</p>{''.join(tables)}"

    def _frames(self):
        return self.glance(), self.tidy(), self.servers(), self.tornado(), self.scenarios()


def assess(
    plan: Plan, *, n: int = 100_000, seed: int = 0, level: float = 0.95, catalogue: Catalogue | None = None
) -> Assessment:
    """Return how sure a plan is: the chance that what it buys suffices, given what is uncertain.

    Uncertain are the people of each group with a `spread`, and each capacity with a std_error and dof (`systems`,
    `fitted_capacity`). They are drawn independently, n times at once; a capacity's draw replaces the bound that the
    rules planned with. Everything else is held: rules have no honest distribution, and are varied by name in
    `Assessment.tornado` and `Assessment.scenarios`.

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
        That of the plan, for a scenario that classifies people otherwise and so needs another workload's capacity.

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
    _check(n, seed, level)
    uncertain = inputs(plan)
    draws = np.random.default_rng(seed).random((len(uncertain), n))
    values = {each.id: each.quantile(row) for each, row in zip(uncertain, draws, strict=True)}
    central = uses(plan, {each.id: each.value for each in uncertain})
    return Assessment(plan, n, seed, level, uncertain, central, uses(plan, values) if uncertain else central, catalogue)


def _check(n, seed, level):
    whole = lambda value: isinstance(value, (int, np.integer)) and not isinstance(value, bool)  # noqa: E731
    for name, value, good, expected in (
        ("n", n, whole(n) and n > 0, "a whole number above 0"),
        ("seed", seed, whole(seed) and seed >= 0, "a whole number, 0 or more"),
        ("level", level, isinstance(level, float) and 0.5 < level < 1, "a share between 0.5 and 1"),
    ):
        if not good:
            remedy = "Mend it, or leave it out."
            raise CannotPlan(f"assess, {name}", expected=expected, found=repr(value), remedy=remedy)


def _quantile(values, share):
    """The smallest drawn value that a share of them does not exceed: a bound is never too low by interpolation."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def _finite(value):
    return float(value) if math.isfinite(value) else math.nan


def _whole(systems):
    return float(max(math.ceil(systems - 1e-9), 1)) if math.isfinite(systems) else math.nan
