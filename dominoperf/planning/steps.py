"""The five steps of the main TechNote's chapter 4, each a function of the last one's record."""

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dominoperf import catalog
from dominoperf.errors import CannotPlan
from dominoperf.laws import disk
from dominoperf.planning.request import MAIL, PROFILES, Request
from dominoperf.planning.rules import DOCUMENT, Rules
from dominoperf.planning.systems import capacity

ROW = ["step", "server", "quantity", "value", "low", "high", "unit", "rule", "locator", "basis"]
_TABLES = {"Mail": f"{DOCUMENT}/table_4_5", "Groupware_A": f"{DOCUMENT}/table_4_6"}
_MINIMUM, _RECOMMENDED = "ram_min_mb", "ram_recommended_mb"
_MOST_DRIVES = 1000


class Part(NamedTuple):
    """People of a group on a server; before step 3 the whole group, its share and server unknown."""

    group: str
    profile: str
    workload: str
    planned_users: float
    databases: int
    users: float = math.nan  # of the benchmark
    share: float = math.nan  # of a system
    capacity: float = math.nan  # users of the benchmark that the system carries
    server: str = ""


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
    """Step 3: shares of a system, and who is on which server; `system` is the row of `systems` for the first group."""

    demand: Demand
    parts: tuple
    total: float
    system: dict
    rows: tuple
    machines: dict | None = None  # rows of `systems` by server, where they are not all `system`
    spares: tuple | None = None  # and those of the spare servers

    @property
    def bought(self):
        """The row of `systems` of each server, spare ones last."""
        if self.machines is not None:
            return [*self.machines.values(), *self.spares]
        return [self.system] * (len(self.servers) + self.demand.profile.request.spare_servers)

    @property
    def servers(self):
        """The parts on each server, by its name."""
        names = dict.fromkeys(part.server for part in self.parts)
        return {name: [part for part in self.parts if part.server == name] for name in names}


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
    years = request.months_ahead / 12
    rows, groups = [], []
    for group in request.groups:
        profile, where, flagged = _profile(group, rules)
        growth = request.growth_percent if group.growth_percent is None else group.growth_percent
        double = sum(each["users"] for each in request.overlap if each["groups"][0] == group.name)
        planned = (group.users - double) * (1 + growth / 100) ** years
        groups.append(Part(group.name, profile, PROFILES[profile], planned, group.databases))
        basis = "derived" if planned != group.users else "request"
        rows.append(
            _row(1, "", f"{group.name}: people, {profile}", planned, "person", "classes", where, basis + flagged)
        )
    return Profile(request, rules, tuple(groups), tuple(rows))


def _profile(group, rules):
    """The profile of a group, the page of the rule, and what to flag; a bound belongs to the lighter class."""
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
    head-room already, so it is never applied a second time.
    """
    rules, target = profile.rules, profile.request.utilization_percent
    planned = rules.value("headroom", "planned_percent")
    rows, groups = [], []
    for each in profile.groups:
        multiplier = rules.value("users", each.profile)
        scaled = multiplier * planned / target if target and multiplier > 1 else multiplier
        users = each.planned_users * scaled
        groups.append(each._replace(users=users))
        where = rules.locator("users", each.profile)
        rule = f"× {scaled:g}" + (f", {target:g} % in place of {planned:g} %" if scaled != multiplier else "")
        rows.append(_row(2, "", f"{each.group}: {each.workload} users", users, "user", rule, where, "derived"))
    return Demand(profile, tuple(groups), tuple(rows))


def select(demand, known):
    """Step 3: what share of the system each group takes, how many systems that makes, and who goes where.

    share = users / users that the system carries, added over the workloads, rounded up (pages 4-14 to 4-16). With
    hours, the shares are those of the hour in which their sum is greatest.

    Raises
    ------
    CannotPlan
        When the system was not measured with a workload, or the placement puts more on a server than it carries.
    """
    request, rules = demand.profile.request, demand.profile.rules
    carried = [capacity(known, request.system, each.workload, request.response_s) for each in demand.groups]
    column = "users" if rules.name == "compaq_1998" else "users_low"
    shares = [each.users / row[column] for each, row in zip(demand.groups, carried, strict=True)]
    shares, peak = _at_the_peak(shares, request)
    groups = [
        each._replace(share=share, capacity=row[column])
        for each, share, row in zip(demand.groups, shares, carried, strict=True)
    ]
    rows = [
        _row(3, "", f"{each.group}: share of a system{peak}", each.share, "server", f"users / {each.capacity:,.0f}",
             f"page 4-14/4-15; {row['locator']}", row["basis"])
        for each, row in zip(groups, carried, strict=True)
    ]  # fmt: skip
    total = sum(shares)
    parts = _placed(groups, request)
    rows.append(_row(3, "", "systems, sum of the shares", total, "server", "sum", "page 4-14/4-15", "derived"))
    rows.append(_row(3, "", "servers needed", _whole(total), "server", "rounded up", "page 4-16/4-17", "derived"))
    basis = "request" if request.placement else "first-fit, largest share first"
    rows += [
        _row(
            3, each.server, f"{each.group}: people", each.planned_users, "person", "placement", "page 4-22/4-23", basis
        )
        for each in parts
    ]
    rows += _loads(parts)
    if request.spare_servers:
        rows.append(_row(3, "", "spare servers", request.spare_servers, "server", "request", "", "request"))
    return Selection(demand, tuple(parts), total, carried[0], tuple(rows))


def _at_the_peak(shares, request):
    """The shares in the hour in which their sum is greatest, and its name; the peak of the sum, not a sum of peaks."""
    if not any(group.hours for group in request.groups):
        return shares, ""
    hours = np.array([group.hours or (100.0,) * 24 for group in request.groups], float) / 100
    hour = int(np.argmax(np.array(shares) @ hours))
    return list(np.array(shares) * hours[:, hour]), f", at {hour}:00"


def _whole(total):
    return max(math.ceil(total - 1e-9), 1)


def _loads(parts):
    """The load of each server in shares of it: what is left of 1 is head-room beyond that of the multipliers."""
    loads = {}
    for part in parts:
        loads[part.server] = loads.get(part.server, 0.0) + part.share
    for name, load in loads.items():
        if load > 1 + 1e-9:
            remedy = "Put fewer groups on it, or leave the placement out."
            found = f"{load:.2f} of it on {name}"
            raise CannotPlan("request, placement", expected="at most one system's worth", found=found, remedy=remedy)
    return [_row(3, name, "load", load, "server", "sum", "page 4-16/4-17", "derived") for name, load in loads.items()]


def _placed(groups, request):
    """The parts of the groups by server: as asked for, else first-fit, else filled up in turn."""
    if request.placement:
        server = {name: where for where, names in request.placement.items() for name in names}
        order = list(request.placement)
        return sorted(
            (each._replace(server=server[each.group]) for each in groups), key=lambda part: order.index(part.server)
        )
    whole = _first_fit(groups)
    fewest = _whole(sum(each.share for each in groups))
    return whole if len({part.server for part in whole}) <= fewest else _filled(groups)


def _first_fit(groups):
    """Largest share first, each on the first server with room; a group beyond a server is cut into equal parts."""
    pieces, room = [], []
    for each in _largest_first(groups):
        parts = _whole(each.share)
        for part in range(parts):
            share = each.share / parts
            k = next((k for k, left in enumerate(room) if left >= share - 1e-9), len(room))
            room += [1.0] * (k == len(room))
            room[k] -= share
            pieces.append((k, _piece(each, share, k, first=part == 0)))
    return _sorted(pieces)


def _filled(groups):
    """Fill server after server, cutting a group where one is full: as few servers as the shares add up to."""
    pieces, k, left = [], 0, 1.0
    for each in _largest_first(groups):
        rest, first = each.share, True
        while rest > 1e-9 or first:
            if left <= 1e-9:
                k, left = k + 1, 1.0
            share = min(rest, left)
            pieces.append((k, _piece(each, share, k, first=first)))
            rest, left, first = rest - share, left - share, False
    return _sorted(pieces)


def _largest_first(groups):
    return sorted(groups, key=lambda each: -each.share)


def _piece(group, share, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    part = share / group.share if group.share else 1.0
    return group._replace(
        planned_users=part * group.planned_users,
        users=part * group.users,
        share=share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )


def _sorted(pieces):
    return [piece for _, piece in sorted(pieces, key=lambda each: each[0])]


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
        needs = [memory_for(each.workload, each.planned_users, rules) for each in parts]
        for each, (value, low, high, basis, rule) in zip(parts, needs, strict=True):
            where = rules.locator("memory", rule)
            rows.append(_row(4, server, f"{each.group}: memory", value, "MB", rule, where, basis, low=low, high=high))
        value, low, high = (sum(need[k] for need in needs) for k in range(3))
        totals[server] = value
        basis = "rule, extrapolated" if any("extrapolated" in need[3] for need in needs) else "rule"
        rows.append(_row(4, server, "memory", value, "MB", "sum", "page 4-22/4-23", basis, low=low, high=high))
    return Memory(selection, totals, tuple(rows))


def memory_for(workload, users, rules):
    """Value by the rules' column, by the minimum, by the recommended one, the basis and the name of the rule."""
    rule = {"Mail": "mail", "MailDB": "maildb", "DiscDB": "discdb", "Groupware_A": "groupware"}[workload] + "_column"
    column = rules.value("memory", rule)
    mail, groupware = (lambda c, w=w: _looked_up(w, users, c, rules) for w in ("Mail", "Groupware_A"))
    kinds = {
        "Mail": mail,
        "Groupware_A": groupware,
        "MailDB": lambda c: _between(mail(c), groupware(c), rules.value("memory", "maildb_share")),
        "DiscDB": groupware,
    }
    (value, known), (low, _), (high, _) = (kinds[workload](each) for each in (column, _MINIMUM, _RECOMMENDED))
    if workload == "DiscDB":
        low, high = value - rules.value("memory", "discdb_less_mb"), value
    return value, low, high, "rule" if known else "rule, extrapolated", rule


def _between(mail, groupware, share):
    return mail[0] + share * (groupware[0] - mail[0]), mail[1] and groupware[1]


def _looked_up(workload, users, column, rules):
    """Memory in the next row up of a table, and whether there is one; above the last the rules' MB for each user."""
    most, sizes = memory_table(workload, column)
    at = int(np.searchsorted(most, users - 1e-9))
    if at < len(most):
        return float(sizes[at]), True
    each = rules.value("memory", "mail_above_mb" if workload == "Mail" else "groupware_above_mb")
    if math.isnan(each):
        expected = f"at most the {most[-1]:g} users of the last row of the memory table"
        remedy = "Take the corrected rules, which go on above it and say so, or a faster system with fewer on each."
        raise CannotPlan(f"rules {rules.name}", expected=expected, found=f"{users:,.0f} on a server", remedy=remedy)
    return float(sizes[-1] + each * (users - most[-1])), False


@functools.cache
def memory_table(workload, column):
    """Give the users of the rows of a memory table (Mail or Groupware_A) and their memory in a column, as arrays."""
    table = catalog.load(_TABLES[workload])
    return table["planned_users"].to_numpy(float), table[column].to_numpy(float)


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


def raid_level(request, rules):
    """The RAID level and where it is from."""
    if request.raid is not None:
        return request.raid, "request"
    name = "raid_critical" if request.critical else "raid_other"
    return rules.value("disk", name), rules.locator("disk", name)


def _volume(server, parts, ram_mb, level, request, rules):
    """Rows and record of a server's data volume."""
    rule = lambda name: (rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    rows, data = [], 0.0
    for each in parts:
        for quantity, count, name in stored(each):
            size, where = rule(name)
            data += count * size
            told = f"{count:g} × {size:g} MB"
            rows.append(_row(5, server, f"{each.group}: {quantity}", count * size, "MB", told, where, "rule"))
    percent, where = rule("paging_percent")
    step = rules.value("disk", "paging_step_mb")
    exact = ram_mb * (1 + percent / 100)
    paging = step * math.ceil(exact / step - 1e-9)
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


def stored(part):
    """What a part of a group stores: quantity, how many, and the rule of its size."""
    if part.workload in ("Mail", "MailDB"):
        yield "mail", part.planned_users, "mail_mb"
    if part.workload == "Groupware_A":
        yield "data", part.planned_users, "groupware_mb"
    if part.databases:
        yield "databases", part.databases, "database_mb"


def usable_drives(drives, level, rules):
    """Drives' worth of usable space: n/(n + 1) of n for RAID 5 where the rules say so, else by the definition."""
    if level in (4, 5) and not rules.value("disk", "raid5_lost"):
        drives = np.asarray(drives, float)
        return drives * drives / (drives + 1)
    return disk.raid_usable(drives, level)


def fewest_drives(needed_gb, drive_gb, level, rules):
    """Give the fewest drives of a size whose usable space suffices."""
    drives = np.arange(1, _MOST_DRIVES)
    enough = np.flatnonzero(drive_gb * usable_drives(drives, level, rules) >= needed_gb - 1e-9)
    if not len(enough):
        remedy = "Ask for larger drives, or more servers."
        expected = f"a data volume of fewer than {_MOST_DRIVES} drives"
        raise CannotPlan("request, drive_gb", expected=expected, found=f"{needed_gb:,.0f} GB needed", remedy=remedy)
    return int(drives[enough[0]])


def _row(step, server, quantity, value, unit, rule, locator, basis, *, low=np.nan, high=np.nan):
    return (step, server, quantity, float(value), low, high, unit, rule, locator, basis)
