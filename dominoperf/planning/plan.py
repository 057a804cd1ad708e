"""A plan: the five steps in a row, and plans by two sets of rules side by side."""

import functools
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan
from dominoperf.planning.packing import Part, by_server, load, pack, whole_servers
from dominoperf.planning.request import PROFILES, Request, RequestLike, read_request
from dominoperf.planning.rules import Rules
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.steps import (
    Demand,
    Row,
    Volume,
    check_target,
    classify,
    convert,
    place,
    shares,
    size_disks,
    size_memory,
)
from dominoperf.planning.systems import Catalogue, capacities
from dominoperf.tables import doubts, rendering

COLUMNS = ["step", "server", "group", "key", "quantity", "value", "low", "high", "unit", "rule", "locator", "basis"]
_WORDS = ["server", "quantity", "value", "low", "high", "unit", "rule", "basis"]  # on paper, where keys say nothing new
STEPS = ("people", "users of the benchmark", "system and servers", "memory", "disks")
"""What the five steps of the method are about, in order."""
CAVEATS = {
    "extrapolated": "extrapolated",
    "closed_queue": "closed queue",
    "law": "law",
    "no_rule": "no rule",
    "no_interval": "no interval",
    "as_measured": "as measured: not at the utilization asked for",
}
"""What makes a plan less sure than measured capacities and rules of the document do, by the key of a row's caveat."""


@doubts.handing_on("tidy", "glance")
@dataclass(frozen=True)
class Plan:
    """What to buy for the people of a request, step by step, each quantity with its rule and page.

    Parameters
    ----------
    request : Request
    rules : Rules
    groups : tuple of Part
        The people of each group, as users of the benchmark, and the share of a system that they take.
    capacities : dict
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
    capacities: Mapping[str, dict]
    parts: tuple[Part, ...]
    systems: float
    ram_mb: Mapping[str, float]
    raid_level: int
    volumes: tuple[Volume, ...]
    rows: tuple[Row, ...]

    @property
    def system(self) -> dict:
        """The row of `systems` of the first group."""
        return self.capacities[self.groups[0].group]

    @property
    def by_server(self) -> dict[str, list[Part]]:
        """The parts on each server, by its name."""
        return by_server(self.parts)

    @functools.cached_property
    def errata(self) -> tuple:
        """The errata of the cells that print the rules it follows: none of other profiles and RAID levels."""
        idle = set(PROFILES) - {group.profile for group in self.request.groups}
        idle.add("raid_other" if self.request.critical else "raid_critical")
        used = [(step, name) for step, names in self.rules.steps.items() for name in names if name not in idle]
        return tuple(self.rules.errata(*used))

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
            words), value, low, high, unit, rule, locator, basis.

        Examples
        --------
        >>> from dominoperf.planning import example, plan
        >>> tidy = plan(example()).tidy().set_index(["server", "group", "key"])
        >>> tidy["value"][[("Server 2", "", "memory"), ("", "mail", "users")]].tolist()
        [512.0, 1600.0]
        """
        tidy = pd.DataFrame(self.rows)[COLUMNS]
        asked = tidy.loc[tidy["basis"] == "request", "value"].dropna()  # to be seen as it was written
        tidy.attrs[rendering.PRINTED] = {"value": rendering.given_forms(asked)}
        return tidy

    def glance(self) -> pd.DataFrame:
        """Return one row: servers, processors, ram_mb, drives, price_usd (of the servers as priced), rules, basis.

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
        return {
            "servers": self.servers,
            "processors": self.servers * self.system["processors"],
            "ram_mb": sum(self.ram_mb.values()) + spare * max(self.ram_mb.values()),
            "drives": sum(drives) + spare * max(drives) + self.servers,  # and a system volume each
            "price_usd": round(self.servers * self.system["price_usd"], 2),
            "rules": self.rules.name,
            "basis": self._basis(),
        }

    def _basis(self):
        """What the plan stands on, the weakest part named."""
        there = {key for row in self.rows for key in row.caveats}
        given = all(part.needs and self.capacities[part.group]["basis"] == "given" for part in self.groups)
        weak = [words for key, words in CAVEATS.items() if key in there]
        return ", ".join(["given" if given else "measured and rules", *weak])

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
        return "".join(steps) + rendering.as_html(self.glance()) + doubts.as_html(self.errata)


def plan(request: RequestLike, *, rules: str | Rules = "corrected", catalogue: Catalogue | None = None) -> Plan:
    """Plan servers, memory and disks for groups of people, by the five steps of the main TechNote (chapter 4).

    Parameters
    ----------
    request : Request, dict or path
        What is asked, see `Request`; a path of a TOML file.
    rules : {"corrected", "compaq_1998"} or Rules
        "compaq_1998" reproduces the document, its errors included; "corrected" is its method with right arithmetic.
    catalogue : path, DataFrame or dict, optional
        Systems of your own, see `systems` and `capacities`.

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
    asked = read_request(request)
    if asked.system is None:
        names = "; ".join(dict.fromkeys(name for name, _ in capacities(catalogue)))
        remedy = f"Name one, or let `choose` find the cheapest. Known are {names}."
        raise CannotPlan("request, system", expected="the name of a system", found="none", remedy=remedy)
    return five_steps(asked, rules_named(rules), capacities(catalogue))


def five_steps(request: Request, rules: Rules, catalogue: Mapping) -> Plan:
    """Return the plan of a request that is checked, by rules, with `capacities`."""
    demand = convert(classify(request, rules))
    check_target(demand)
    groups, rows = shares(demand, catalogue)
    parts, how = pack(groups, request)
    return sized(demand, groups, rows, parts, how, whole_servers(load(groups).max()))


def sized(
    demand: Demand, groups: Sequence[Part], capacities: Mapping, parts: Sequence[Part], how: str, servers: int
) -> Plan:
    """Return the plan of parts that are on their servers, see `steps.place` for what is given.

    Raises
    ------
    CannotPlan
        When a server has more than it carries, or more people than the rules have memory for.
    """
    placed = place(demand, groups, capacities, parts, how, servers)
    ram_mb, memory = size_memory(demand, parts)
    level, volumes, disks = size_disks(demand, parts, ram_mb)
    systems = float(load(groups).max())
    rows = (*demand.rows, *placed, *memory, *disks)
    return Plan(
        demand.request, demand.rules, tuple(groups), capacities, tuple(parts), systems, ram_mb, level, volumes, rows
    )


def side_by_side(left: Plan, right: Plan) -> pd.DataFrame:
    """Return two plans side by side, a row a quantity of either, in the order of the steps.

    Returns
    -------
    DataFrame
        step, server, group, key, quantity, planned (by the left plan), corrected (by the right one), unit, differs,
        rule, locator (of the right plan where it has the quantity); NaN where a plan has no such quantity.

    Examples
    --------
    >>> from dominoperf.planning import example, plan
    >>> both = side_by_side(*(plan(example(), rules=name) for name in ("compaq_1998", "corrected")))
    >>> both.query("key == 'raid_level'")[["planned", "corrected"]].values.tolist()
    [[5.0, 1.0]]
    """
    keys = ["step", "server", "group", "key"]
    frames = [each.tidy().set_index(keys) for each in (left, right)]
    index = frames[0].index.union(frames[1].index, sort=False)
    words = ["quantity", "unit", "rule", "locator"]
    both = frames[1].reindex(index)[words].fillna(frames[0].reindex(index)[words])
    both["planned"], both["corrected"] = (frame["value"].reindex(index) for frame in frames)
    # Two sets of rules add the same numbers in other orders.
    both["differs"] = ~np.isclose(both["planned"], both["corrected"], rtol=1e-9, equal_nan=True)
    both = both.reset_index().sort_values("step", kind="stable", ignore_index=True)
    return both[[*keys, "quantity", "planned", "corrected", "unit", "differs", "rule", "locator"]]


def differing(request: RequestLike, *, catalogue: Catalogue | None = None) -> pd.DataFrame:
    """Return the quantities in which the plans of the two sets of rules differ.

    Returns
    -------
    DataFrame
        step, server, group, key, quantity, compaq_1998, corrected, unit, locator (of the corrected rule, where its plan
        has the quantity); NaN where a plan has none.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> differing(example()).query("key == 'drives'")[["server", "compaq_1998", "corrected"]].values.tolist()
    [['Server 1', 6.0, 10.0], ['Server 2', 4.0, 8.0]]
    """
    published, corrected = (plan(request, rules=name, catalogue=catalogue) for name in ("compaq_1998", "corrected"))
    both = side_by_side(published, corrected).rename(columns={"planned": "compaq_1998"})
    return both[both["differs"]].drop(columns=["differs", "rule"]).reset_index(drop=True)
