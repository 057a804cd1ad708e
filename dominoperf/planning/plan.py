"""A plan: the five steps in a row, two plans side by side, a plan for each row of a table."""

import functools
import html
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import parallel
from dominoperf.errors import CannotPlan, DominoperfError
from dominoperf.planning.catalogue import Catalogue
from dominoperf.planning.conversion import Demand, Part, Row, check_target, classify, convert
from dominoperf.planning.packing import by_server, load_by_hour, pack, place, shares, whole_servers
from dominoperf.planning.request import PROFILES, Request, RequestLike, check_fields, of_fields, read_request
from dominoperf.planning.rules import Rules, method, rule_sets
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.sizing import Volume, size_disks, size_memory
from dominoperf.planning.systems import ratings
from dominoperf.tables import carried_errata, read_table, rendering

COLUMNS = ["step", "server", "group", "key", "quantity", "value", "low", "high", "unit", "rule", "locator", "basis"]
COLUMNS += ["reason"]
_UNKNOWN = {"processors": "the processors", "price_usd": "the price"}  # what a system may be sold without saying
_FEW = 20  # chunks of a table that are planned before other processes have begun
_WORDS = ["server", "quantity", "value", "low", "high", "unit", "rule", "basis"]  # on paper, where keys say nothing new
STEPS = ("people", "users of the benchmark", "system and servers", "memory", "disks")
"""What the five steps of the method are about, in order."""
CAVEATS = {
    "extrapolated": "extrapolated",
    "closed_queue": "closed queue",
    "law": "law",
    "modelled": "modelled",
    "no_rule": "no rule",
    "no_interval": "no interval",
    "as_measured": "as measured: not at the utilization asked for",
}
"""What makes a plan less sure than measured ratings and rules of the document do, by the key of a row's caveat."""


@carried_errata.propagates_errata("tidy", "glance")
@dataclass(frozen=True)
class Plan:
    """What to buy for the people of a request, step by step, each quantity with its rule and page.

    Parameters
    ----------
    request : Request
    rules : Rules
    groups : tuple of Part
        The people of each group, as users of the benchmark, and the share of a system that they take.
    ratings : dict
        The row of `systems` that each group is planned with.
    parts : tuple of Part
        Groups, or pieces of them, each on its server.
    systems : float
        Systems that all need together, as a share of one where that is less.
    ram_mb : dict
        Memory of each server.
    raid_level : int
    volumes : tuple of Volume
        The data volume of each server.
    rows : tuple of Row
        The quantities, as `tidy` gives them.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> bought = plan(example())
    >>> round(bought.systems, 2), bought.raid_level, [part.group for part in bought.by_server["Server 2"]]
    (1.69, 1, ['active', 'power'])
    """

    request: Request
    rules: Rules
    groups: tuple[Part, ...]
    ratings: Mapping[str, dict]
    parts: tuple[Part, ...]
    systems: float
    ram_mb: Mapping[str, float]
    raid_level: int
    volumes: tuple[Volume, ...]
    rows: tuple[Row, ...]

    @property
    def system(self) -> dict:
        """The row of `systems` of the first group."""
        return self.ratings[self.groups[0].group]

    @property
    def by_server(self) -> dict[str, list[Part]]:
        """The parts on each server, by its name."""
        return by_server(self.parts)

    @functools.cached_property
    def errata(self) -> tuple:
        """The errata of the cells that print the rules it follows: none of other profiles and RAID levels."""
        return rules_errata(self.request, self.rules)

    @property
    def servers(self) -> int:
        """How many servers, spare ones too."""
        return len(self.volumes) + self.request.spare_servers

    def tidy(self) -> pd.DataFrame:
        """Return a row a quantity.

        Returns
        -------
        DataFrame
            step, server, group and key (which quantity it is: "" for no server and no group), quantity (the same in
            words), value, low, high (the range, of a quantity that has one), unit, rule, locator, basis, reason (why
            an end of the range is unknown).

        Examples
        --------
        >>> from dominoperf.planning import example, plan
        >>> tidy = plan(example()).tidy().set_index(["server", "group", "key"])
        >>> tidy["value"][[("Server 2", "", "memory"), ("", "mail", "users")]].tolist()
        [512.0, 1600.0]
        """
        tidy = pd.DataFrame(self.rows)[COLUMNS]
        from_request = tidy.loc[tidy["basis"] == "request", "value"].dropna()  # to be seen as it was written
        tidy.attrs[rendering.PRINTED] = {"value": rendering.given_forms(from_request)}
        return tidy

    def glance(self) -> pd.DataFrame:
        """Return one row: servers, processors, ram_mb, drives, price_usd (of the servers as priced), rules, basis.

        Last `reason`: what the system is not known of where its processors or price are NaN.

        Examples
        --------
        >>> from dominoperf.planning import example, plan
        >>> plan(example()).glance()[["servers", "ram_mb", "drives"]].iloc[0].tolist()
        [2.0, 960.0, 20.0]
        """
        return pd.DataFrame([self.summary()])

    def summary(self) -> dict:
        """Return the row of `glance` as a dict: of thousands of plans, frames would take nearly all the time."""
        spare = self.request.spare_servers
        drives = [volume.drives for volume in self.volumes]
        unknown = [words for name, words in _UNKNOWN.items() if np.isnan(self.system[name])]
        all_given = all(part.needs and self.ratings[part.group]["basis"] == "given" for part in self.groups)
        caveats = {key for row in self.rows for key in row.caveats}
        weak = [words for key, words in CAVEATS.items() if key in caveats]  # the weakest parts are named
        return {
            "servers": self.servers,
            "processors": self.servers * self.system["processors"],
            "ram_mb": sum(self.ram_mb.values()) + spare * max(self.ram_mb.values()),
            "drives": sum(drives) + spare * max(drives) + self.servers,  # and a system volume each
            "price_usd": round(self.servers * self.system["price_usd"], 2),
            "rules": self.rules.name,
            "basis": ", ".join(["given" if all_given else "measured and rules", *weak]),
            "reason": f"unknown of {self.system['system']}: {', '.join(unknown)}" if unknown else "",
        }

    def __repr__(self):
        """Lay the plan out for a terminal, step by step."""
        tidy = self.tidy()
        steps = [
            f"{step}. {name}\n{rendering.as_text(tidy[tidy['step'] == step][_WORDS])}"
            for step, name in enumerate(STEPS, start=1)
        ]
        return "\n".join([*steps, rendering.as_text(self.glance())])

    def _repr_html_(self):
        tidy = self.tidy()
        shown = tidy.drop(columns=["step", "group", "key"])
        steps = [
            f"<h4>{step}. {html.escape(name)}</h4>{rendering.as_html(shown[tidy['step'] == step])}"
            for step, name in enumerate(STEPS, start=1)
        ]
        return "".join(steps) + rendering.as_html(self.glance()) + carried_errata.as_html(self.errata)


def rules_errata(request: Request, rules: Rules) -> tuple:
    """Return the errata of the cells that print the rules a request follows: none of other profiles and RAID levels."""
    idle = set(PROFILES) - {group.profile for group in request.groups}
    idle.add("raid_other" if request.critical else "raid_critical")
    used = [(step, name) for step, names in rules.steps.items() for name in names if name not in idle]
    return tuple(rules.errata(*used))


def plan(request: RequestLike, *, rules: str | Rules | None = None, catalogue: Catalogue | None = None) -> Plan:
    """Plan servers, memory and disks for groups of people, by the five steps of the method in ``data/planning.toml``.

    Parameters
    ----------
    request : Request, dict or path
        What is asked, see `Request`; a path of a TOML file.
    rules : str or Rules, optional
        A set of rules or its name, see `rule_sets`: the published one reproduces the document, its errors included;
        the corrected one, which is the default, is its method with right arithmetic.
    catalogue : path, DataFrame or dict, optional
        Systems of your own, see `systems` and `ratings`.

    Returns
    -------
    Plan

    Raises
    ------
    CannotPlan
        When the request cannot be read, or not be met: field, value, what is allowed.
    UnknownName
        When a key, profile, system or set of rules does not exist.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> bought = plan(example())
    >>> bought.servers, bought.ram_mb, [volume.drives for volume in bought.volumes]
    (2, {'Server 1': 448.0, 'Server 2': 512.0}, [10, 8])
    """
    checked = read_request(request)
    if checked.system is None:
        names = "; ".join(dict.fromkeys(name for name, _ in ratings(catalogue)))
        remedy = f"Name one, or let `choose` find the cheapest. Known are {names}."
        raise CannotPlan("request, system", expected="the name of a system", found="none", remedy=remedy)
    return five_steps(checked, rules_named(rules), ratings(catalogue))


def five_steps(request: Request, rules: Rules, catalogue: Mapping) -> Plan:
    """Return the plan of a request that is checked, by rules, with `ratings`."""
    demand = convert(classify(request, rules))
    check_target(demand)
    groups, rows = shares(demand, catalogue)
    parts, how = pack(groups, request)
    return sized(demand, groups, rows, parts, how, whole_servers(load_by_hour(groups).max()))


def sized(
    demand: Demand, groups: Sequence[Part], ratings: Mapping, parts: Sequence[Part], how: str, servers: int
) -> Plan:
    """Return the plan of parts that are on their servers, see `packing.place` for what is given.

    Raises
    ------
    CannotPlan
        When a server has more than it carries, or more people than the rules have memory for.
    """
    placed = place(demand, groups, ratings, parts, how, servers)
    ram_mb, memory = size_memory(demand, parts)
    level, volumes, disks = size_disks(demand, parts, ram_mb)
    systems = float(load_by_hour(groups).max())
    rows = (*demand.rows, *placed, *memory, *disks)
    return Plan(
        demand.request, demand.rules, tuple(groups), ratings, tuple(parts), systems, ram_mb, level, volumes, rows
    )


def side_by_side(left: Plan, right: Plan) -> pd.DataFrame:
    """Return two plans side by side, a row a quantity of either, in the order of the steps.

    Returns
    -------
    DataFrame
        step, server, group, key, quantity, planned (by the left plan), planned_other (by the right one), unit, differs,
        rule, locator (of the right plan where it has the quantity); NaN where a plan has no such quantity.

    Raises
    ------
    CannotPlan
        When one is no `Plan`.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, rule_sets
    >>> both = side_by_side(*(plan(example(), rules=name) for name in rule_sets()))
    >>> both.query("key == 'raid_level'")[["planned", "planned_other"]].values.tolist()
    [[5.0, 1.0]]
    """
    for name, side in (("left", left), ("right", right)):
        if not isinstance(side, Plan):
            found, remedy = type(side).__name__, "Plan first: side_by_side(plan(...), plan(...))."
            raise CannotPlan(f"side_by_side, {name}", expected="a Plan", found=found, remedy=remedy)
    keys = ["step", "server", "group", "key"]
    frames = [side.tidy().set_index(keys) for side in (left, right)]
    index = frames[0].index.union(frames[1].index, sort=False)
    words = ["quantity", "unit", "rule", "locator"]
    both = frames[1].reindex(index)[words].fillna(frames[0].reindex(index)[words])
    both["planned"], both["planned_other"] = (frame["value"].reindex(index) for frame in frames)
    # Two sets of rules add the same numbers in other orders.
    both["differs"] = ~np.isclose(both["planned"], both["planned_other"], rtol=1e-9, equal_nan=True)
    both = both.reset_index().sort_values("step", kind="stable", ignore_index=True)
    return both[[*keys, "quantity", "planned", "planned_other", "unit", "differs", "rule", "locator"]]


def differing(request: RequestLike, *, catalogue: Catalogue | None = None) -> pd.DataFrame:
    """Return the quantities in which a plan by the published rules and one by the corrected rules differ.

    Returns
    -------
    DataFrame
        step, server, group, key, quantity, a column named after each of the two sets, unit, locator (of the corrected
        rule, where its plan has the quantity); NaN where a plan has none.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> differing(example()).query("key == 'drives'").iloc[:, [1, 5, 6]].values.tolist()
    [['Server 1', 6.0, 10.0], ['Server 2', 4.0, 8.0]]
    """
    names = {"planned": rule_sets()[0], "planned_other": method()["rules"]}
    both = side_by_side(*(plan(request, rules=name, catalogue=catalogue) for name in names.values()))
    both = both.rename(columns=names)
    return both[both["differs"]].drop(columns=["differs", "rule"]).reset_index(drop=True)


def grid(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Plan once for each row of a table, whose columns replace fields of the request.

    Parameters
    ----------
    request : Request, dict or path
        What the rows do not change.
    table : DataFrame, or path or URL of a CSV or Parquet file
        Columns are fields of the request (``system``, ``months_ahead``) or of a group (``mail.users``,
        ``power.profile``). An empty cell changes nothing.
    rules, catalogue
        As for `plan`.
    jobs, scheduler
        As for `pmap`; by default a table that is done before other processes have begun is planned in this one.

    Returns
    -------
    DataFrame
        The columns of the table, then servers, processors, ram_mb, drives, price_usd, rules, basis, and reason: why a
        row has no plan, which stops none of the others, or why a value of its plan is NaN.

    Raises
    ------
    BadTable
        When the table is neither, or the file cannot be read.
    UnknownName
        When a column is no field.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> grid(example(), pd.DataFrame({"mail.users": [800, 3000]}))["servers"].tolist()
    [2, 4]
    """
    return _for_each_row(Planner, request, table, rules, catalogue, jobs, scheduler, {})


def risks(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    n: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Plan once for each row of a table, as `grid` does, and simulate each plan, as `assess` does.

    The seed of row k follows from ``SeedSequence([seed, k])``, the first row being 0: the answers are the same however
    the rows are distributed over processes.

    Returns
    -------
    DataFrame
        The columns of the table, then those of `Assessment.glance`.

    Raises
    ------
    BadTable, UnknownName
        As for `grid`.

    Examples
    --------
    >>> from dominoperf.planning import example, with_spread
    >>> people = pd.DataFrame({"mail.users": [700, 800]})
    >>> risks(with_spread(example(), 20), people, n=1_000)["probability_memory"].round(1).tolist()
    [0.3, 0.2]
    """
    from dominoperf.planning.uncertainty import check_draws

    check_draws("risks", n, seed, level)
    settings = {"n": n, "seed": seed, "level": level}
    return _for_each_row(Assessor, request, table, rules, catalogue, jobs, scheduler, settings)


def _for_each_row(kind, request, table, rules, catalogue, jobs, scheduler, settings):
    """Hand out the rows of a table in chunks."""
    frame = read_table(table, mixed=True, where="table").reset_index(drop=True)
    frame = pd.DataFrame({name: [_field_value(value) for value in frame[name]] for name in frame})
    request = read_request(request)
    check_fields(request, frame.columns, "table" if isinstance(table, pd.DataFrame) else str(table))
    worker = kind(request, ratings(catalogue), rules_named(rules), settings)
    chunks = ((first, frame.iloc[first : first + kind.rows]) for first in range(0, len(frame), kind.rows))
    if jobs is None and len(frame) <= _FEW * kind.rows:
        jobs = 1
    answers = list(parallel.pmap(worker, chunks, jobs, scheduler=scheduler, ordered=True))
    return pd.concat([frame, pd.concat(answers, ignore_index=True)] if answers else [frame], axis=1)


@dataclass(frozen=True)
class Planner:
    """Plans the rows of a chunk, here or on another machine: a function for `pmap`."""

    base: Request
    catalogue: dict
    rules: Rules
    settings: dict
    rows = 1_000  # of a chunk

    def __call__(self, chunk):
        """Return the frame of a chunk: the number of its first row, and its rows."""
        first, frame = chunk
        rows = enumerate(frame.to_dict("records"), start=first)
        answers = []
        for number, row in rows:
            fields = {
                name: value for name, value in row.items() if not (value is None or value == "" or value != value)
            }
            try:
                changed = read_request(of_fields(self.base, fields))
                answers.append(self.answer(number, five_steps(changed, self.rules, self.catalogue)))
            except DominoperfError as error:
                answers.append({"reason": str(error)})
        return pd.DataFrame(answers)

    def answer(self, _number, plan: Plan) -> dict:
        """Return the row of a plan; the number of its row is for those who draw, see `Assessor`."""
        return plan.summary()


@dataclass(frozen=True)
class Assessor(Planner):
    """Plans the rows of a chunk and simulates each plan; the seed of a row is its own."""

    rows = 10

    def answer(self, number, plan: Plan) -> dict:
        """Return what the futures of a plan give."""
        from dominoperf.planning.risk import assess

        seed = np.random.SeedSequence([self.settings["seed"], number]).generate_state(1, np.uint64)[0]
        return assess(plan, **self.settings | {"seed": int(seed)}).glance().iloc[0].to_dict()


def _field_value(value):
    """A cell as a field has it: true and false, a whole number without decimals, else what stands there."""
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, float) and value.is_integer() else value
