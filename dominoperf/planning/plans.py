"""A plan: the five steps in a row; two plans side by side."""

import functools
import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan, counted, joined_with, names_its_keywords, spelling
from dominoperf.planning.catalogue import Catalogue, as_catalogue_spells, errata_of_ratings, names_of_systems, ratings
from dominoperf.planning.request import PROFILES, Request, RequestLike, check_people_are_no_shares, read_request
from dominoperf.planning.rules import Rules, planning_method, rule_sets, rules_named
from dominoperf.planning.steps import (
    Demand,
    PartOnServer,
    Placement,
    Row,
    Volume,
    check_target_utilization,
    load_of_servers_by_hour,
    memory_table,
    pack_groups_on_servers,
    parts_by_server,
    people_as_benchmark_users,
    plan_rows_of_step_3,
    size_disks,
    size_memory,
    system_shares_of_groups,
)
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.rendering import Result

COLUMNS = ["step", "server", "group", "key", "quantity", "value", "low", "high", "unit", "rule", "locator", "basis"]
COLUMNS += ["reason"]
_UNKNOWN = {"processors": "the processors", "price_usd": "the price"}  # what a system may be sold without saying
_NO_RANGE = "no range is computed"
_SHOWN = ["server", "quantity", "value", "low", "high", "unit", "rule", "basis", "locator", "reason"]
_SMALL = 1e-6  # of an MB, or of a drive: less than that is a rounding of floats
_EACH_SERVER = 4  # servers up to which the headline names the memory and drives of each
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


@carried_errata.carries_errata("tidy", "glance")
@dataclass(frozen=True)
class Plan(Result):
    """What to buy for the people of a request, step by step, each quantity with its rule and page.

    Parameters
    ----------
    request : Request
    rules : Rules
    groups : tuple of PartOnServer
        The people of each group, as users of the benchmark, and the share of a system that they take.
    ratings : dict
        The row of `systems` that each group is planned with.
    parts : tuple of PartOnServer
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
    groups: tuple[PartOnServer, ...]
    ratings: Mapping[str, dict]
    parts: tuple[PartOnServer, ...]
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
    def by_server(self) -> dict[str, list[PartOnServer]]:
        """The parts on each server, by its name."""
        return parts_by_server(self.parts)

    @functools.cached_property
    def errata(self) -> tuple:
        """The errata of its systems, and of the rules it follows: none of other profiles and RAID levels."""
        columns = ["users", "price_usd", "processors", "ram_mb"]
        columns += ["response_s", "think_s"] if self.request.response_s is not None else []
        return (*errata_of_ratings(self.ratings.values(), columns), *rules_errata(self.request, self.rules))

    @property
    def servers(self) -> int:
        """How many servers, spare ones too."""
        return len(self.volumes) + self.request.spare_servers

    def tidy(self) -> pd.DataFrame:
        """Return a row for each quantity.

        Its step, server, group and key ("" for no server and no group), quantity (the same in words), value, low, high
        (its range), unit, rule, locator, basis, and reason (why there is none, or an end of it is unknown).

        Examples
        --------
        >>> from dominoperf.planning import example, plan
        >>> tidy = plan(example()).tidy().set_index(["server", "group", "key"])
        >>> tidy["value"][[("Server 2", "", "memory"), ("", "mail", "users")]].tolist()
        [512.0, 1600.0]
        """
        tidy = pd.DataFrame(self.rows)[COLUMNS]
        without = tidy["low"].isna() & tidy["high"].isna() & (tidy["reason"] == "")
        tidy["reason"] = tidy["reason"].mask(without, _NO_RANGE)
        from_request = tidy.loc[tidy["basis"] == "request", "value"].dropna()  # to be seen as it was written
        tidy.attrs[rendering.PRINTED] = {"value": rendering.forms_of_given_numbers(from_request)}
        return tidy

    def glance(self) -> pd.DataFrame:
        """Return one row: servers, processors, ram_mb, drives, price_usd (of the servers as priced), rules, basis.

        Last `reason`: what the system is not known of where its processors or price are NaN, and which servers need
        more than the system has: see `beyond_system`.
        """
        return pd.DataFrame([self.summary()])

    def summary(self) -> dict:
        """Return the row of `glance` as a dict: of thousands of plans, frames would take nearly all the time."""
        spare = self.request.spare_servers
        drives = [volume.drives for volume in self.volumes]
        unknown = [words for name, words in _UNKNOWN.items() if np.isnan(self.system[name])]
        unknown = [f"unknown of {self.system['system']}: {', '.join(unknown)}"] if unknown else []
        all_given = all(part.own and self.ratings[part.group]["basis"] == "given" for part in self.groups)
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
            "reason": "; ".join([*unknown, *self.beyond_system()]),
        }

    def beyond_system(self) -> list[str]:
        """Return which servers need more memory than the system has as priced, or more drives than a controller takes.

        The five steps put people where the processors have room, and add memory and drives after that; `choose` counts
        a server with more than either as none.
        """
        memory_mb, most_drives = self.system["ram_mb"], self.rules.value("disk", "array_drives")
        priced = "" if np.isnan(self.system["price_usd"]) else " as priced"
        drives = {volume.server: volume.drives for volume in self.volumes}
        sentences = []
        for needed, most, what, has in (
            (self.ram_mb, memory_mb, "MB of memory", f"the system{priced} has {rendering.number(memory_mb)} MB"),
            (drives, most_drives, "data drives", f"an array controller takes {rendering.number(most_drives)}"),
        ):
            over = {server: value for server, value in needed.items() if value > most + _SMALL}
            if over:
                who = joined_with("and", over) if len(over) <= _EACH_SERVER else f"{len(over)} of {len(needed)} servers"
                amount = f"{'up to ' * (len({*over.values()}) > 1)}{rendering.number(max(over.values()))}"
                sentences.append(f"{who} need{'s' * (len(over) == 1)} {amount} {what}, but {has}")
        return sentences

    def memory_remark(self) -> str:
        """Return that the memory of a server is between two rows of the memory tables; "" where none is."""
        if all(part.own for part in self.parts):
            return ""
        step = np.gcd.reduce(memory_table("Mail", "ram_least_mb")[1].astype(int))
        if not any(mb % step for mb in self.ram_mb.values()):
            return ""
        return f"Memory is the sum of the rules, not a size one can buy: the memory tables go up in steps of {step} MB."

    def headline(self) -> str:
        """Return in a sentence what to buy, its price and the rules that say so; then what its servers lack."""
        whole, spare = len(self.volumes), self.request.spare_servers
        servers = counted(whole, "server") + f" and {spare} spare" * bool(spare)
        memory = _servers_in_numbers(self.ram_mb.values(), " MB of memory")
        drives = _servers_in_numbers(
            (volume.drives for volume in self.volumes), f" data drives in RAID {self.raid_level}"
        )
        price = self.summary()["price_usd"]
        cost = "price not known" if np.isnan(price) else f"${rendering.number(price)} as priced"
        what = f"{servers} ({self.system['system']}): {memory}, {drives}; {cost}, by the {self.rules.name} rules."
        how = spelling("`assess(plan)` says how likely that suffices.", "How likely that suffices is below.")
        uncertain = [f"People are uncertain. {how}"] if any(group.spread for group in self.request.groups) else []
        sentences = [what, self.memory_remark(), *(f"{words}." for words in self.beyond_system()), *uncertain]
        return " ".join(sentence for sentence in sentences if sentence)

    def _steps(self):
        """The title and the rows of each step, as a reader sees them: keys say nothing new."""
        tidy = self.tidy().replace({"reason": {_NO_RANGE: ""}})
        for step, name in enumerate(STEPS, start=1):
            rows = tidy.loc[tidy["step"] == step, _SHOWN]
            yield f"{step}. {name}", rows if rows["reason"].any() else rows.drop(columns="reason")

    def __str__(self):
        """Lay the plan out for a terminal: what to buy, then how that follows, step by step."""
        steps = [f"{title}\n{rendering.as_text(rows)}" for title, rows in self._steps()]
        return "\n".join([f"{self.headline()}\n", *steps, rendering.as_text(self.glance())])

    def _repr_html_(self):
        steps = [f"<h4>{html.escape(title)}</h4>{rendering.as_html(rows)}" for title, rows in self._steps()]
        glance, errata = rendering.as_html(self.glance()), carried_errata.errata_as_html(self.errata)
        return f"<p>{html.escape(self.headline())}</p>{''.join(steps)}{glance}{errata}"


def _servers_in_numbers(values, what):
    """What each server has: its numbers in a row, or their range where servers are many."""
    values = list(values)
    texts = [rendering.number(value) for value in values]
    if len(set(texts)) == 1:
        return f"{texts[0]}{what}{' each' * (len(texts) > 1)}"
    if len(texts) > _EACH_SERVER:
        return f"{rendering.number(min(values))} to {rendering.number(max(values))}{what} each"
    return f"{joined_with('and', texts)}{what}"


def rules_errata(request: Request, rules: Rules) -> tuple:
    """Return the errata of the cells that print the rules a request follows: none of other profiles and RAID levels."""
    idle = set(PROFILES) - {group.profile for group in request.groups}
    idle.add("raid_other" if request.critical else "raid_critical")
    used = [(step, name) for step, names in rules.steps.items() for name in names if name not in idle]
    return tuple(rules.errata(*used))


@names_its_keywords()
def plan(request: RequestLike, *, rules: str | Rules | None = None, catalogue: Catalogue | None = None) -> Plan:
    """Return a plan of servers, memory and disks for groups of people, by the five steps of the method.

    The method is in ``data/planning.toml``.

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
    return five_steps(read_request(request), rules_named(rules), ratings(catalogue))


def check_system_is_named(request: Request, catalogue: Mapping, how: str) -> None:
    """Refuse a request without a system: `how` says what else to do than to name one.

    The message names the systems that there are.
    """
    if request.system is None:
        remedy = f"Name one, or {how}. Known are {'; '.join(names_of_systems(catalogue))}."
        raise CannotPlan("request, system", expected="the name of a system", found="none", remedy=remedy)


def five_steps(request: Request, rules: Rules, catalogue: Mapping) -> Plan:
    """Return the plan of a request that is checked, by rules, with `ratings`."""
    how = spelling("dominoperf.planning.choose(request)", "`dominoperf plan REQUEST.toml` without --grid")
    check_system_is_named(request, catalogue, f"let {how} find the cheapest")
    check_people_are_no_shares(request)
    request = as_catalogue_spells(request, catalogue)
    demand = people_as_benchmark_users(request, rules)
    check_target_utilization(demand)
    groups, rated = system_shares_of_groups(demand, catalogue)
    return plan_of_parts(demand, groups, rated, pack_groups_on_servers(groups, request))


def plan_of_parts(demand: Demand, groups: Sequence[PartOnServer], rated: Mapping, placement: Placement) -> Plan:
    """Return the plan of parts that are on their servers; `groups` and `rated` are as of `system_shares_of_groups`.

    `CannotPlan` where a server has more than it carries, or more people than the rules have memory for.
    """
    parts, placed = placement.parts, plan_rows_of_step_3(demand, groups, rated, placement)
    ram_mb, memory = size_memory(demand, parts)
    level, volumes, disks = size_disks(demand, parts, ram_mb)
    systems = float(load_of_servers_by_hour(groups).max())
    rows = (*demand.rows, *placed, *memory, *disks)
    return Plan(demand.request, demand.rules, tuple(groups), rated, tuple(parts), systems, ram_mb, level, volumes, rows)


@names_its_keywords()
def side_by_side(left: Plan, right: Plan) -> pd.DataFrame:
    """Return two plans side by side, one row per quantity of either, in the order of the steps.

    Returns
    -------
    DataFrame
        step, server, group, key, quantity, planned (by the left plan), planned_other (by the right one), unit, differs,
        rule (of both where they differ: left; right), locator (of the right plan where it has the quantity); NaN where
        a plan has no such quantity.

    Raises
    ------
    CannotPlan
        When one is no `Plan`.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, rule_sets
    >>> both = side_by_side(*(plan(example(), rules=name) for name in rule_sets()[:2]))
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
    by_left, by_right = (frame["rule"].reindex(index) for frame in frames)
    both["rule"] = both["rule"].where(by_left.isna() | (by_left == both["rule"]), by_left + "; " + by_right)
    both["planned"], both["planned_other"] = (frame["value"].reindex(index) for frame in frames)
    # Two sets of rules add the same numbers in other orders.
    both["differs"] = ~np.isclose(both["planned"], both["planned_other"], rtol=1e-9, equal_nan=True)
    both = both.reset_index().sort_values("step", kind="stable", ignore_index=True)
    return both[[*keys, "quantity", "planned", "planned_other", "unit", "differs", "rule", "locator"]]


@names_its_keywords()
def differing(request: RequestLike, *, catalogue: Catalogue | None = None) -> pd.DataFrame:
    """Return the quantities in which a plan by the published rules and one by the corrected rules differ.

    Returns
    -------
    DataFrame
        The rows of `side_by_side` that differ: planned is by the published rules, planned_other by the corrected ones.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> differing(example()).query("key == 'drives'").iloc[:, [1, 5, 6]].values.tolist()
    [['Server 1', 6.0, 10.0], ['Server 2', 4.0, 8.0]]
    """
    rules = rule_sets()[0], planning_method()["rules"]
    both = side_by_side(*(plan(request, rules=name, catalogue=catalogue) for name in rules))
    return both[both["differs"]].drop(columns="differs").reset_index(drop=True)
