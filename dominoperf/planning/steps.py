"""The five steps of the main TechNote's chapter 4, each a function of the last one's record."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.packing import Own, Part, by_server, load, placed, whole
from dominoperf.planning.request import MAIL, OWN, PROFILES, Request, growth
from dominoperf.planning.rules import Rules
from dominoperf.planning.sizes import (
    MEMORY_RULES,
    READ,
    fewest_drives,
    memory_table,
    part_memory,
    raid_level,
    stored,
    usable_drives,
)
from dominoperf.planning.systems import capacity, check_pauses, check_response
from dominoperf.tables.rendering import number

ROW = ["step", "server", "quantity", "value", "low", "high", "unit", "rule", "locator", "basis"]
_ROUNDING = 1e-6  # of a server, by which a solver may be out
_MINIMUM, _RECOMMENDED = "ram_min_mb", "ram_recommended_mb"


@dataclass(frozen=True)
class Profile:
    """Step 1: who the people are, a `Part` for each group."""

    request: Request
    rules: Rules
    groups: tuple
    rows: tuple


@dataclass(frozen=True)
class Demand:
    """Step 2: the people as users of the benchmark."""

    profile: Profile
    groups: tuple
    rows: tuple


@dataclass(frozen=True)
class Selection:
    """Step 3: shares of a system, and who is on which server; `carried` has a row of `systems` for each group."""

    demand: Demand
    parts: tuple
    total: float
    carried: tuple
    rows: tuple

    @property
    def system(self):
        """The row of `systems` of the first group."""
        return self.carried[0]

    @property
    def servers(self):
        """The parts on each server, by its name."""
        return by_server(self.parts)


@dataclass(frozen=True)
class Memory:
    """Step 4: memory by server, as the rules take it."""

    selection: Selection
    ram_mb: dict
    rows: tuple


class Volume(NamedTuple):
    """The data volume of a server."""

    server: str
    needed_gb: float
    drives: int
    usable_gb: float
    paging_mb: float


@dataclass(frozen=True)
class Disks:
    """Step 5: a `Volume` for each server."""

    memory: Memory
    volumes: tuple
    rows: tuple


def classify(request, rules):
    """Step 1: classify the people of each group (pages 4-8/4-9), with growth and without those counted twice."""
    rows, groups = [], []
    for group in request.groups:
        profile, where, flagged = _profile(group, rules)
        planned = planned_people(group, group.users, request)
        workload = group.workload or PROFILES[profile]
        groups.append(Part(group.name, profile, workload, planned, group.databases, own=_own(group)))
        basis = "derived" if planned != group.users else "request"
        rows.append(
            _row(1, "", f"{group.name}: people, {profile}", planned, "person", "classes", where, basis + flagged)
        )
    return Profile(request, rules, tuple(groups), tuple(rows))


def _own(group):
    """What the request says of a workload of its own."""
    if group.profile != OWN:
        return None
    return Own(group.multiplier, group.ram_mb or 0.0, group.ram_mb_per_user, group.disk_mb_per_user)


def planned_people(group, users, request):
    """Give the people to plan for, of a number or an array of people now: without those counted twice, grown.

    ``(users - double) (1 + growth / 100)^(months / 12)``; who is in two groups is planned in the second alone.
    """
    percent = request.growth_percent if group.growth_percent is None else group.growth_percent
    double = sum(each["users"] for each in request.overlap if each["groups"][0] == group.name)
    return (users - double) * growth(percent, request.months_ahead or 0.0)


def _profile(group, rules):
    """The profile of a group, the page of the rule, and what to flag; a bound belongs to the lighter class."""
    if group.profile == OWN:
        return OWN, "", ""
    if group.profile != MAIL:
        return group.profile, rules.locator("users", group.profile), ""
    for name, limit in (("light_mail", "light_to_kb"), ("medium_mail", "medium_to_kb"), ("heavy_mail", "heavy_to_kb")):
        if group.message_kb <= rules.value("classes", limit):
            return name, rules.locator("classes", limit), ""
    above = "groupware_above_kb"
    if group.message_kb <= rules.value("classes", above):
        return "heavy_mail", rules.locator("classes", above), ", no rule for this size"
    return "groupware", rules.locator("classes", above), ""


def convert(profile):
    """Step 2: convert people into users of the benchmark: users = people × multiplier (pages 4-8 to 4-13).

    The multipliers above 1 keep the utilization at 50 %; another target scales them by 50 / target. They hold the
    head-room already, so it is never applied a second time. A group with another multiplier is planned as measured, and
    its row says so.
    """
    rules, target = profile.rules, profile.request.utilization_percent
    planned = rules.value("headroom", "planned_percent")
    rows, groups = [], []
    for each in profile.groups:
        scaled = multiplier(each.profile, profile.request, rules, each.own)
        follows = follows_target(each, profile.request, rules)
        users = each.planned_users * scaled
        groups.append(each._replace(users=users))
        where = rules.locator("headroom", "planned_percent") if each.own else rules.locator("users", each.profile)
        rule = f"× {scaled:g}" + (f", {target:g} % in place of {planned:g} %" if follows else "")
        basis = "derived" if follows or target in (None, planned) else f"derived, as measured: not at {target:g} %"
        rows.append(_row(2, "", f"{each.group}: {each.workload} users", users, "user", rule, where, basis))
    return Demand(profile, tuple(groups), tuple(rows))


def follows_target(part, request, rules):
    """Whether the users of a group follow the request's CPU utilization: only head-room in a multiplier can."""
    return multiplier(part.profile, request, rules, part.own) != _unscaled(part.profile, rules, part.own)


def check_target(demand):
    """Refuse a CPU utilization that no group follows: all would be planned as measured, as if none had been asked.

    Raises
    ------
    CannotPlan
        Names the groups.
    """
    request, rules = demand.profile.request, demand.profile.rules
    target, planned = request.utilization_percent, rules.value("headroom", "planned_percent")
    if target in (None, planned) or any(follows_target(each, request, rules) for each in demand.groups):
        return
    expected = "a group whose users count more than one each, for their head-room alone can be changed"
    found = ", ".join(f"{each.group} (× {_unscaled(each.profile, rules, each.own):g})" for each in demand.groups)
    remedy = "Leave utilization_percent out: these workloads are planned as measured."
    raise CannotPlan(f"request, utilization_percent {target:g}", expected=expected, found=found, remedy=remedy)


def _unscaled(profile, rules, own):
    """The users of the benchmark that stand for a person at the rules' utilization."""
    if own:
        return own.multiplier or 100 / rules.value("headroom", "planned_percent")
    return rules.value("users", profile)


def multiplier(profile, request, rules, own=None):
    """Give the users of the benchmark that stand for one person of a profile; `own` where its workload is one's own.

    That of the rules, times 50 / target where the request has a target of its own. A multiplier of 1 holds no
    head-room that could be scaled: those workloads are planned as measured (pages 4-12/4-13).
    """
    written, target = _unscaled(profile, rules, own), request.utilization_percent
    return written * rules.value("headroom", "planned_percent") / target if target and written > 1 else written


def select(demand, known):
    """Step 3: what share of the system each group takes, how many systems that makes, and who goes where.

    share = users / users that the system carries, added over the workloads, rounded up (pages 4-14 to 4-16). With
    hours, the sum is that of the hour in which it is greatest; and no server is beyond its load in any hour.

    Raises
    ------
    CannotPlan
        When the system was not measured with a workload, its capacity may be none at all, or the placement puts more
        on a server than it carries.
    """
    request = demand.profile.request
    groups, carried = shared(demand, known)
    parts, how = placed(groups, request)
    return selected(demand, groups, carried, parts, how, whole(load(groups).max()))


def shared(demand, known):
    """Give the groups with the share of the system that each takes, and the row of `systems` that each stands on."""
    request, rules = demand.profile.request, demand.profile.rules
    check_response(known, [request.system], demand.groups, request.response_s)
    carried = [capacity(known, request.system, each.workload, request.response_s) for each in demand.groups]
    for each, row in zip(demand.groups, carried, strict=True):
        if each.own and each.own.multiplier is None:
            check_pauses(row)
    most, busy = [planned_capacity(row, rules) for row in carried], busy_hours(request)
    groups = [
        each._replace(share=each.users / users, capacity=users, busy=busy[each.group])
        for each, users in zip(demand.groups, most, strict=True)
    ]
    return groups, carried


def selected(demand, groups, carried, parts, how, servers):
    """Give the record of step 3 for parts of the groups on so many servers.

    Parameters
    ----------
    demand : Demand
    groups, carried : as `shared` gives them
    parts : sequence of Part
        Groups, or pieces of them, each with its server.
    how : str
        How they came there, in words: the basis of their rows.
    servers : int
        Without spare ones.

    Returns
    -------
    Selection

    Raises
    ------
    CannotPlan
        When a server has more than it carries, in any hour.
    """
    request, rules = demand.profile.request, demand.profile.rules
    by_hour = load(groups)
    total, hour = float(by_hour.max()), int(by_hour.argmax())
    share, rounded, where = (rules.locator("servers", name) for name in ("share", "whole", "placement"))
    rows = [_share(each, row, hour, rules) for each, row in zip(groups, carried, strict=True)]
    rows.append(_row(3, "", "systems, sum of the shares", total, "server", "sum", share, "derived"))
    rule = "rounded up" if servers == whole(total) else how
    rows.append(_row(3, "", "servers needed", servers, "server", rule, rounded, "derived"))
    for each in parts:
        people = f"{each.group}: people"
        rows.append(_row(3, each.server, people, each.planned_users, "person", "placement", where, how))
    rows += _loads(by_server(parts), rounded)
    if request.spare_servers:
        rows.append(_row(3, "", "spare servers", request.spare_servers, "server", "request", "", "request"))
    return Selection(demand, tuple(parts), total, tuple(carried), tuple(rows))


def busy_hours(request):
    """The share of the people of each group at work, hour by hour; one number where no group has hours."""
    hours = (100.0,) * (24 if any(group.hours for group in request.groups) else 1)
    return {group.name: tuple(each / 100 for each in group.hours or hours) for group in request.groups}


def _at(hour, busy):
    """The words for an hour, none for a day that is alike throughout."""
    return f", at {hour}:00" if len(busy) > 1 else ""


def planned_capacity(row, rules):
    """Give the users that the rules plan a system with, see `Rules.carried`.

    Raises
    ------
    CannotPlan
        When they are not above 0, as a lower bound may be.
    """
    users = row[rules.carried()]
    if not users > 0:
        where, found = (
            f"system {row['system']!r}, {row['workload']}",
            f"{number(users)} of {number(row['users'])} users",
        )
        remedy = "The law is too unsure there: take a measured system, or a lower level of the bound."
        raise CannotPlan(where, expected="a lower bound of its capacity above 0", found=found, remedy=remedy)
    return users


def _share(part, row, hour, rules):
    """The share of a system that a group takes, with the range of what the system carries, open where it is unknown."""
    where, rule = f"{rules.locator('servers', 'share')}; {row['locator']}", f"users / {number(part.capacity)}"
    share, quantity = part.share * part.busy[hour], f"{part.group}: share of a system{_at(hour, part.busy)}"
    ends = {
        end: share * part.capacity / row[name] if row[name] > 0 else math.nan
        for end, name in (("low", "users_high"), ("high", "users_low"))
    }
    return _row(3, "", quantity, share, "server", rule, where, row["basis"], **ends)


def _loads(servers, where):
    """The load of each server in its own fullest hour: what is left of 1 is head-room beyond the multipliers'."""
    rows = []
    for name, parts in servers.items():
        by_hour = load(parts)
        fullest, when = float(by_hour.max()), _at(int(by_hour.argmax()), parts[0].busy)
        if fullest > 1 + _ROUNDING:
            remedy = "Put fewer groups on it, or leave the placement out."
            found = f"{number(fullest, 3)} of it on {name}{when}"
            raise CannotPlan("request, placement", expected="at most one system's worth", found=found, remedy=remedy)
        rows.append(_row(3, name, "load", fullest, "server", f"sum{when}", where, "derived"))
    return rows


def size_memory(selection):
    """Step 4: memory of each server, added over its groups (pages 4-16 to 4-18, 4-22/4-23).

    Mail and Groupware by Tables 4-5 and 4-6, the next row up; MailDB between the two, nearer Mail; DiscDB a little
    below the Groupware minimum up to it. `low` and `high` are the minimum and the recommended column.

    Raises
    ------
    CannotPlan
        When the rules have none for that many people.
    """
    rules = selection.demand.profile.rules
    rows, totals = [], {}
    for server, parts in selection.servers.items():
        needs = [_memory(each, rules) for each in parts]
        for each, (value, low, high, basis, rule) in zip(parts, needs, strict=True):
            where = "" if each.own else rules.locator("memory", rule)
            rows.append(_row(4, server, f"{each.group}: memory", value, "MB", rule, where, basis, low=low, high=high))
        value, low, high = (sum(need[k] for need in needs) for k in range(3))
        totals[server] = value
        basis = "rule, extrapolated" if any("extrapolated" in need[3] for need in needs) else "rule"
        where = rules.locator("memory", "added")
        rows.append(_row(4, server, "memory", value, "MB", "sum", where, basis, low=low, high=high))
    return Memory(selection, totals, tuple(rows))


def _memory(part, rules):
    """Value by the rules' column, by the minimum, by the recommended one, the basis and the name of the rule."""
    value, low, high = (float(part_memory(part, rules, column)) for column in (None, _MINIMUM, _RECOMMENDED))
    if part.own:
        return value, value, value, "request", "MB a server and a user"
    users, most = part.planned_users, min(memory_table(each, _MINIMUM)[0][-1] for each in READ[part.workload])
    if math.isnan(value):
        expected = f"at most the {number(most)} users of the last row of the memory table"
        remedy = "Take the corrected rules, which go on above it and say so, or a faster system with fewer on each."
        raise CannotPlan(f"rules {rules.name}", expected=expected, found=f"{number(users)} on a server", remedy=remedy)
    if part.workload == "DiscDB":
        low, high = value - rules.value("memory", "discdb_less_mb"), value
    return value, low, high, "rule" if users <= most else "rule, extrapolated", MEMORY_RULES[part.workload]


def size_disks(memory):
    """Step 5: data volume of each server: space for mail and databases, paging file, the fewest drives that suffice.

    Paging file: memory + 10 %, rounded up to 100 MB. Drives: the fewest whose usable space is enough (4-22 to 4-25).
    """
    selection, rules = memory.selection, memory.selection.demand.profile.rules
    request = selection.demand.profile.request
    level, where = raid_level(request, rules)
    rows, volumes = [_row(5, "", "RAID level of the data volumes", level, "1", "raid", where, "rule")], []
    for server, parts in selection.servers.items():
        found, volume = _volume(server, parts, memory.ram_mb[server], level, request, rules)
        rows += found
        volumes.append(volume)
    return Disks(memory, tuple(volumes), tuple(rows))


def _volume(server, parts, ram_mb, level, request, rules):
    """Rows and record of a server's data volume."""
    rule = lambda name: (rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    rows, data = [], 0.0
    for each in parts:
        for quantity, count, size, where, basis in stored(each, rules):
            data += count * size
            told = f"{count:g} × {size:g} MB"
            rows.append(_row(5, server, f"{each.group}: {quantity}", count * size, "MB", told, where, basis))
    percent, where = rule("paging_percent")
    step = rules.value("disk", "paging_step_mb")
    exact = ram_mb * (1 + percent / 100)
    paging = step * math.ceil(exact / step - 1e-9)  # in binary 3,000 MB + 10 % are a little over 3,300
    rows.append(_row(5, server, "paging file", paging, "MB", f"memory + {percent:g} %, rounded up", where, "rule",
                     low=exact, high=paging))  # fmt: skip
    per_gb, where = rule("mb_per_gb")
    needed = (data + paging) / per_gb
    rows.append(_row(5, server, "storage needed", needed, "GB", f"/ {per_gb:g}", where, "derived"))
    size = request.drive_gb or rules.value("disk", "drive_gb")
    drives = fewest_drives(needed, size, level, rules)
    usable = size * usable_drives(drives, level, rules)
    where = rules.locator("disk", "raid5_lost" if level in (4, 5) else "drive_gb")
    rows.append(_row(5, server, "drives", drives, "drive", f"fewest of {size:g} GB", where, "derived"))
    rows.append(_row(5, server, "usable space", usable, "GB", f"RAID {level}", where, "derived"))
    return rows, Volume(server, needed, drives, float(usable), paging)


def _row(step, server, quantity, value, unit, rule, locator, basis, *, low=np.nan, high=np.nan):
    return (step, server, quantity, float(value), low, high, unit, rule, locator, basis)
