"""The five steps of the main TechNote's chapter 4: people, users of the benchmark, servers, memory, disks."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.packing import Needs, Part, by_server, load, whole_servers
from dominoperf.planning.request import MAIL, OWN, PROFILES, Group, Request, growth
from dominoperf.planning.rules import Rules
from dominoperf.planning.sizes import (
    MEMORY_RULES,
    MEMORY_TABLES,
    fewest_drives,
    memory_table,
    part_memory,
    raid_level,
    stored,
    usable_drives,
)
from dominoperf.planning.systems import capacity, caveats, check_pauses, check_response
from dominoperf.tables.rendering import number

_ROUNDING = 1e-6  # of a server, by which a solver may be out
_MINIMUM, _RECOMMENDED = "ram_min_mb", "ram_recommended_mb"


class Row(NamedTuple):
    """A quantity of a plan. Server, group and key say which, "" where it is of none; `quantity` says it in words."""

    step: int
    server: str
    group: str
    key: str
    quantity: str
    value: float
    unit: str
    rule: str
    locator: str
    basis: str
    low: float = math.nan
    high: float = math.nan
    caveats: tuple = ()  # keys of `plan.CAVEATS`


@dataclass(frozen=True)
class Demand:
    """Steps 1 and 2: a `Part` for each group, with its people and, after step 2, its users of the benchmark."""

    request: Request
    rules: Rules
    groups: tuple[Part, ...]
    rows: tuple[Row, ...]


class Volume(NamedTuple):
    """The data volume of a server."""

    server: str
    needed_gb: float
    drives: int
    usable_gb: float
    paging_mb: float


def classify(request: Request, rules: Rules) -> Demand:
    """Return step 1: the people of each group, classified (pages 4-8/4-9), with growth, without those counted twice."""
    rows, groups = [], []
    for group in request.groups:
        profile, locator, unruled = _profile(group, rules)
        planned = planned_people(group, group.users, request)
        needs = None
        if profile == OWN:
            needs = Needs(group.multiplier, group.ram_mb or 0.0, group.ram_mb_per_user, group.disk_mb_per_user)
        workload = group.workload or PROFILES[profile]
        groups.append(Part(group.name, profile, workload, planned, group.databases, needs=needs))
        basis = ("derived" if planned != group.users else "request") + ", no rule for this size" * unruled
        quantity = f"{group.name}: people, {profile}"
        rows.append(Row(1, "", group.name, "people", quantity, float(planned), "person", "classes", locator, basis,
                        caveats=("no_rule",) * unruled))  # fmt: skip
    return Demand(request, rules, tuple(groups), tuple(rows))


def planned_people(group: Group, users: float | np.ndarray, request: Request) -> float | np.ndarray:
    """Return the people to plan for, of a number or an array of people now: without those counted twice, grown.

    ``(users - double) (1 + growth / 100)^(months / 12)``; who is in two groups is planned in the second alone.

    Examples
    --------
    >>> group = Group("mail", 1000, "light_mail")
    >>> round(planned_people(group, 1000, Request((group,), growth_percent=10, months_ahead=24)))
    1210
    """
    percent = request.growth_percent if group.growth_percent is None else group.growth_percent
    double = sum(overlap["users"] for overlap in request.overlap if overlap["groups"][0] == group.name)
    return (users - double) * growth(percent, request.months_ahead or 0.0)


def _profile(group, rules):
    """The profile of a group, the page of the rule, whether there is no rule; a bound belongs to the lighter class."""
    if group.profile == OWN:
        return OWN, "", False
    if group.profile != MAIL:
        return group.profile, rules.locator("users", group.profile), False
    for name, limit in (("light_mail", "light_to_kb"), ("medium_mail", "medium_to_kb"), ("heavy_mail", "heavy_to_kb")):
        if group.message_kb <= rules.value("classes", limit):
            return name, rules.locator("classes", limit), False
    above = "groupware_above_kb"
    unruled = group.message_kb <= rules.value("classes", above)
    return "heavy_mail" if unruled else "groupware", rules.locator("classes", above), unruled


def convert(demand: Demand) -> Demand:
    """Return step 2: people as users of the benchmark, ``users = people × multiplier`` (pages 4-8 to 4-13).

    The multipliers above 1 keep the utilization at 50 %; another target scales them by 50 / target. They hold the
    head-room already, so it is never applied a second time. A group with another multiplier is planned as measured, and
    its row says so.
    """
    request, rules = demand.request, demand.rules
    target, planned = request.utilization_percent, rules.value("headroom", "planned_percent")
    rows, groups = [], []
    for group in demand.groups:
        scaled = multiplier(group.profile, request, rules, group.needs)
        follows = follows_target(group, request, rules)
        as_measured = not follows and target not in (None, planned)
        users = group.planned_users * scaled
        groups.append(group._replace(users=users))
        locator = rules.locator("headroom", "planned_percent") if group.needs else rules.locator("users", group.profile)
        rule = f"× {scaled:g}" + (f", {target:g} % in place of {planned:g} %" if follows else "")
        basis = f"derived, as measured: not at {target:g} %" if as_measured else "derived"
        quantity = f"{group.group}: {group.workload} users"
        rows.append(Row(2, "", group.group, "users", quantity, float(users), "user", rule, locator, basis,
                        caveats=("as_measured",) * as_measured))  # fmt: skip
    return Demand(request, rules, tuple(groups), (*demand.rows, *rows))


def multiplier(profile: str, request: Request, rules: Rules, needs: Needs | None = None) -> float:
    """Return the users of the benchmark that stand for one person of a profile; `needs` of a workload of the user's.

    That of the rules, times 50 / target where the request has a target of its own. A multiplier of 1 holds no
    head-room that could be scaled: those workloads are planned as measured (pages 4-12/4-13).

    Examples
    --------
    >>> from dominoperf.planning import example, rules
    >>> multiplier("light_mail", example(), rules()), multiplier("groupware", example(), rules())
    (2, 1)
    """
    written, target = _unscaled(profile, rules, needs), request.utilization_percent
    return written * rules.value("headroom", "planned_percent") / target if target and written > 1 else written


def _unscaled(profile, rules, needs):
    """The users of the benchmark that stand for a person at the rules' utilization."""
    if needs:
        return needs.multiplier or 100 / rules.value("headroom", "planned_percent")
    return rules.value("users", profile)


def follows_target(part: Part, request: Request, rules: Rules) -> bool:
    """Return whether the users of a group follow the request's CPU utilization: head-room in a multiplier alone can."""
    return multiplier(part.profile, request, rules, part.needs) != _unscaled(part.profile, rules, part.needs)


def check_target(demand: Demand) -> None:
    """Refuse a CPU utilization that no group follows: all would be planned as measured, as if none had been asked.

    Raises
    ------
    CannotPlan
        Names the groups.
    """
    request, rules = demand.request, demand.rules
    target, planned = request.utilization_percent, rules.value("headroom", "planned_percent")
    if target in (None, planned) or any(follows_target(group, request, rules) for group in demand.groups):
        return
    expected = "a group whose users count more than one each, for their head-room alone can be changed"
    found = ", ".join(f"{part.group} (× {_unscaled(part.profile, rules, part.needs):g})" for part in demand.groups)
    remedy = "Leave utilization_percent out: these workloads are planned as measured."
    raise CannotPlan(f"request, utilization_percent {target:g}", expected=expected, found=found, remedy=remedy)


def shares(demand: Demand, catalogue: Mapping) -> tuple[list[Part], dict[str, dict]]:
    """Return the groups with the share of the system that each takes, and the row of `systems` that each stands on.

    Raises
    ------
    CannotPlan
        When the system was not measured with a workload, or its capacity may be none at all.
    """
    request, rules, busy = demand.request, demand.rules, busy_hours(demand.request)
    check_response(catalogue, [request.system], demand.groups, request.response_s)
    groups, capacities = [], {}
    for part in demand.groups:
        row = capacity(catalogue, request.system, part.workload, request.response_s)
        if part.needs and part.needs.multiplier is None:
            check_pauses(row)
        users = planned_capacity(row, rules)
        groups.append(part._replace(share=part.users / users, capacity=users, busy=busy[part.group]))
        capacities[part.group] = row
    return groups, capacities


def busy_hours(request: Request) -> dict[str, tuple[float, ...]]:
    """Return the share of the people of each group at work, hour by hour; one number where no group has hours."""
    hours = (100.0,) * (24 if any(group.hours for group in request.groups) else 1)
    return {group.name: tuple(percent / 100 for percent in group.hours or hours) for group in request.groups}


def planned_capacity(row: Mapping, rules: Rules) -> float:
    """Return the users that the rules plan a system with, see `Rules.capacity_column`.

    Raises
    ------
    CannotPlan
        When they are not above 0, as a lower bound may be.
    """
    users = row[rules.capacity_column()]
    if not users > 0:
        where, found = (
            f"system {row['system']!r}, {row['workload']}",
            f"{number(users)} of {number(row['users'])} users",
        )
        remedy = "The law is too unsure there: take a measured system, or a lower level of the bound."
        raise CannotPlan(where, expected="a lower bound of its capacity above 0", found=found, remedy=remedy)
    return users


def place(
    demand: Demand, groups: Sequence[Part], capacities: Mapping, parts: Sequence[Part], how: str, servers: int
) -> list[Row]:
    """Return the rows of step 3: the share of each group, the servers that makes, who is on which (4-14 to 4-16).

    share = users / users that the system carries, added over the workloads. With hours, the sum is that of the hour in
    which it is greatest, and the load of a server that of its own fullest hour: what is left of 1 is head-room beyond
    that of the multipliers.

    Parameters
    ----------
    groups, capacities : as `shares` gives them
    parts : sequence of Part
        Groups, or pieces of them, each with its server.
    how : str
        How they came there, in words: the basis of their rows.
    servers : int
        Without spare ones.

    Raises
    ------
    CannotPlan
        When a server has more than it carries, in any hour.
    """
    request, rules = demand.request, demand.rules
    by_hour = load(groups)
    total, hour = float(by_hour.max()), int(by_hour.argmax())
    share, rounded, placement = (rules.locator("servers", name) for name in ("share", "whole", "placement"))
    rows = [_share(part, capacities[part.group], hour, share) for part in groups]
    rows.append(Row(3, "", "", "systems", "systems, sum of the shares", total, "server", "sum", share, "derived"))
    rule = "rounded up" if servers == whole_servers(total) else how
    rows.append(Row(3, "", "", "servers", "servers needed", float(servers), "server", rule, rounded, "derived"))
    for part in parts:
        people = f"{part.group}: people", float(part.planned_users), "person"
        rows.append(Row(3, part.server, part.group, "people", *people, "placement", placement, how))
    for server, here in by_server(parts).items():
        by_hour = load(here)
        fullest, when = float(by_hour.max()), _at(int(by_hour.argmax()), here[0].busy)
        if fullest > 1 + _ROUNDING:
            remedy = "Put fewer groups on it, or leave the placement out."
            found = f"{number(fullest, 3)} of it on {server}{when}"
            raise CannotPlan("request, placement", expected="at most one system's worth", found=found, remedy=remedy)
        rows.append(Row(3, server, "", "load", "load", fullest, "server", f"sum{when}", rounded, "derived"))
    if request.spare_servers:
        spare = "spare servers", float(request.spare_servers), "server"
        rows.append(Row(3, "", "", "spare_servers", *spare, "request", "", "request"))
    return rows


def _share(part, row, hour, locator):
    """The share of a system that a group takes, with the range of what the system carries, open where it is unknown."""
    share, quantity = part.share * part.busy[hour], f"{part.group}: share of a system{_at(hour, part.busy)}"
    low, high = (
        share * part.capacity / row[name] if row[name] > 0 else math.nan for name in ("users_high", "users_low")
    )
    rule, locator = f"users / {number(part.capacity)}", f"{locator}; {row['locator']}"
    return Row(3, "", part.group, "share", quantity, float(share), "server", rule, locator, row["basis"],
               low, high, caveats(row))  # fmt: skip


def _at(hour, busy):
    """The words for an hour, none for a day that is alike throughout."""
    return f", at {hour}:00" if len(busy) > 1 else ""


def size_memory(demand: Demand, parts: Sequence[Part]) -> tuple[dict[str, float], list[Row]]:
    """Return step 4: the MB of memory of each server, added over its groups (pages 4-16 to 4-18, 4-22/4-23).

    Mail and Groupware by Tables 4-5 and 4-6, the next row up; MailDB between the two, nearer Mail; DiscDB a little
    below the Groupware minimum up to it. `low` and `high` are the minimum and the recommended column.

    Raises
    ------
    CannotPlan
        When the rules have none for that many people.
    """
    rows, ram_mb = [], {}
    for server, here in by_server(parts).items():
        groups = [_memory(part, server, demand.rules) for part in here]
        ram_mb[server], low, high = (sum(getattr(row, end) for row in groups) for end in ("value", "low", "high"))
        beyond = tuple(dict.fromkeys(key for row in groups for key in row.caveats))
        basis = "rule, extrapolated" if beyond else "rule"
        locator = demand.rules.locator("memory", "added")
        total = Row(4, server, "", "memory", "memory", ram_mb[server], "MB", "sum", locator, basis, low, high, beyond)
        rows += [*groups, total]
    return ram_mb, rows


def _memory(part, server, rules):
    """The memory of a part: by the rules' column, by the minimum and by the recommended one."""
    value, low, high = (float(part_memory(part, rules, column)) for column in (None, _MINIMUM, _RECOMMENDED))
    row = Row(4, server, part.group, "memory", f"{part.group}: memory", value, "MB", "", "", "rule", low, high)
    if part.needs:
        return row._replace(rule="MB a server and a user", basis="request", low=value, high=value)
    users, tables = part.planned_users, MEMORY_TABLES[part.workload]
    most = min(memory_table(name, _MINIMUM)[0][-1] for name in tables)
    if math.isnan(value):
        expected = f"at most the {number(most)} users of the last row of the memory table"
        remedy = "Take the corrected rules, which go on above it and say so, or a faster system with fewer on each."
        raise CannotPlan(f"rules {rules.name}", expected=expected, found=f"{number(users)} on a server", remedy=remedy)
    if part.workload == "DiscDB":
        row = row._replace(low=value - rules.value("memory", "discdb_less_mb"), high=value)
    if users > most:
        row = row._replace(basis="rule, extrapolated", caveats=("extrapolated",))
    rule = MEMORY_RULES[part.workload]
    return row._replace(rule=rule, locator=rules.locator("memory", rule))


def size_disks(
    demand: Demand, parts: Sequence[Part], ram_mb: Mapping[str, float]
) -> tuple[int, tuple[Volume, ...], list[Row]]:
    """Return step 5: the RAID level, the data volume of each server, and the rows (pages 4-22 to 4-25).

    Space for mail and databases; a paging file of the memory + 10 %, rounded up to 100 MB; the fewest drives whose
    usable space is enough.
    """
    request, rules = demand.request, demand.rules
    of_disk = lambda name: (rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    level, locator = raid_level(request, rules)
    size = request.drive_gb or rules.value("disk", "drive_gb")
    (percent, paging_at), (mb_per_gb, space_at) = of_disk("paging_percent"), of_disk("mb_per_gb")
    step = rules.value("disk", "paging_step_mb")
    drives_at = rules.locator("disk", "raid5_lost" if level in (4, 5) else "drive_gb")
    quantity = "RAID level of the data volumes"
    rows, volumes = [Row(5, "", "", "raid_level", quantity, float(level), "1", "raid", locator, "rule")], []
    for server, here in by_server(parts).items():
        data = 0.0
        for part in here:
            for key, count, each_mb, where, basis in stored(part, rules):
                data += count * each_mb
                quantity, words = f"{part.group}: {key}", f"{count:g} × {each_mb:g} MB"
                rows.append(
                    Row(5, server, part.group, key, quantity, float(count * each_mb), "MB", words, where, basis)
                )
        exact = ram_mb[server] * (1 + percent / 100)
        paging = float(step * math.ceil(exact / step - 1e-9))  # in binary 3,000 MB + 10 % are a little over 3,300
        needed = (data + paging) / mb_per_gb
        drives = fewest_drives(needed, size, level, rules)
        usable = float(size * usable_drives(drives, level, rules))
        rule, most = f"memory + {percent:g} %, rounded up", f"fewest of {size:g} GB"
        rows += [
            Row(5, server, "", "paging_file", "paging file", paging, "MB", rule, paging_at, "rule", exact, paging),
            Row(
                5, server, "", "storage_needed", "storage needed", needed, "GB", f"/ {mb_per_gb:g}", space_at, "derived"
            ),
            Row(5, server, "", "drives", "drives", float(drives), "drive", most, drives_at, "derived"),
            Row(5, server, "", "usable_space", "usable space", usable, "GB", f"RAID {level}", drives_at, "derived"),
        ]
        volumes.append(Volume(server, needed, drives, usable, paging))
    return level, tuple(volumes), rows
