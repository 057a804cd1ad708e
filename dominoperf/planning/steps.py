"""The five steps of a plan: people, users of the benchmark, servers, memory and disks, each by the rules."""

import bisect
import functools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dominoperf import tables
from dominoperf.errors import CannotPlan
from dominoperf.laws import disk
from dominoperf.planning.catalogue import rating, rating_caveats
from dominoperf.planning.request import MAIL, OWN, PROFILES, Group, Request, growth_of_people
from dominoperf.planning.rules import Rules, planning_method
from dominoperf.tables.rendering import number

FULL = 1 + 1e-9  # a server, with room for rounding
MEMORY_TABLES = {  # from which a workload's memory is read
    "Mail": ("Mail",),
    "MailDB": ("Mail", "Groupware_A"),
    "DiscDB": ("Groupware_A",),
    "Groupware_A": ("Groupware_A",),
}
MEMORY_RULES = {
    "Mail": "mail_column",
    "MailDB": "maildb_column",
    "DiscDB": "discdb_column",
    "Groupware_A": "groupware_column",
}
DATABASES = "databases"  # what a part stores whatever its people
MOST_SYSTEMS = 10_000  # systems of one kind: a plan of more takes minutes, and is a slip
RAID5_OF_ONE_MORE = "n/(n + 1)"
"""The rule of the document: n drives of RAID 5 hold n/(n + 1) of their space; by the definition it is (n - 1)/n."""
_NONE = 1e-9  # of a group: less is nobody
_ROUNDING = 1e-6  # of a server, by which a solver may be out
_MOST_DRIVES = 1000  # that are tried


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
    reason: str = ""  # why an end of the range is unknown


class PartOnServer(NamedTuple):
    """People of a group on a server; before step 3 the whole group, its share and server unknown."""

    group: str
    profile: str
    workload: str
    planned_users: float
    databases: int
    users: float = math.nan  # of the benchmark
    share: float = math.nan  # of a system, with all its people at work
    rating: float = math.nan  # users of the benchmark that the system carries
    server: str = ""
    own: Group | None = None  # the group itself, where its workload is the user's own
    busy: tuple = (1.0,)  # share of its people at work in each hour; a single one for a day that is alike throughout

    @property
    def users_per_person(self) -> float:
        """The users of the benchmark that each of its people counts for; 1 of a group without people."""
        return self.users / self.planned_users if self.planned_users else 1.0


class Placement(NamedTuple):
    """Groups, or pieces of them, each with its server."""

    parts: list[PartOnServer]
    how: str  # they were put there, in words: the basis of their rows
    servers: int  # without spare ones


@dataclass(frozen=True)
class Demand:
    """Steps 1 and 2: a `PartOnServer` for each group, with its people as users of the benchmark, and their rows."""

    request: Request
    rules: Rules
    groups: tuple[PartOnServer, ...]
    rows: tuple[Row, ...]


# ---- steps 1 and 2: people, and users of the benchmark


def people_as_benchmark_users(request: Request, rules: Rules) -> Demand:
    """Return steps 1 and 2: people of each group, classified and grown, as users of the benchmark.

    ``users = people × multiplier``. The multipliers above 1 keep the utilization at 50 %; another target scales them by
    50 / target. They hold the headroom already, so it is never applied a second time. One of 1 holds none: such a group
    is planned as measured, and its row says so.
    """
    target, usual = request.utilization_percent, rules.value("headroom", "planned_percent")
    without_target = replace(request, utilization_percent=None)
    people_rows, user_rows, groups = [], [], []
    for group in request.groups:
        profile, unruled, own = group.profile, False, group if group.profile == OWN else None
        if profile == MAIL:  # by the size of its messages; a bound belongs to the lighter profile
            for size in ("light", "medium", "heavy"):
                profile, limit = f"{size}_mail", f"{size}_to_kb"
                if group.message_kb <= rules.value("classes", limit):
                    break
            else:
                limit = "groupware_above_kb"
                unruled = group.message_kb <= rules.value("classes", limit)
                profile = "heavy_mail" if unruled else "groupware"
            locator = rules.locator("classes", limit)
        else:
            locator = "" if own else rules.locator("users", profile)
        planned = float(planned_people(group, group.users, request))
        if planned != group.users:  # nobody is a part of a person
            planned = float(math.ceil(planned - 1e-9))
        basis = ("derived" if planned != group.users else "request") + ", no rule for this size" * unruled
        quantity = f"{group.name}: people, {profile}"
        people_rows.append(Row(1, "", group.name, "people", quantity, planned, "person", "classes", locator,
                               basis, caveats=("no_rule",) * unruled))  # fmt: skip

        each = profile_multiplier(profile, request, rules, own)
        scaled = each != profile_multiplier(profile, without_target, rules, own)
        as_measured = not scaled and target not in (None, usual)
        workload, users = group.workload or PROFILES[profile], planned * each
        groups.append(PartOnServer(group.name, profile, workload, planned, group.databases, users, own=own))
        locator = rules.locator("headroom", "planned_percent") if own else rules.locator("users", profile)
        rule = f"× {each:g}" + (f", {target:g} % in place of {usual:g} %" if scaled else "")
        basis = f"derived, as measured: not at {target:g} %" if as_measured else "derived"
        quantity = f"{group.name}: {workload} users"
        user_rows.append(Row(2, "", group.name, "users", quantity, float(users), "user", rule, locator, basis,
                             caveats=("as_measured",) * as_measured))  # fmt: skip
    return Demand(request, rules, tuple(groups), (*people_rows, *user_rows))


def planned_people(group: Group, users: float | np.ndarray, request: Request) -> float | np.ndarray:
    """Return the people to plan for, of a number or an array of people now: without those counted twice, grown.

    ``(users - double) (1 + growth / 100)^(months / 12)``; who is in two groups is planned in the second alone.
    """
    double = sum(overlap["users"] for overlap in request.overlap if overlap["groups"][0] == group.name)
    return (users - double) * growth_of_group(group, request)


def growth_of_group(group: Group, request: Request) -> float:
    """Return by which factor the people of a group grow until the plan is to suffice."""
    percent = request.growth_percent if group.growth_percent is None else group.growth_percent
    return growth_of_people(percent, request.months_ahead or 0.0)


def profile_multiplier(profile: str, request: Request, rules: Rules, own: Group | None = None) -> float:
    """Return the benchmark users that one person of a profile counts as; `own` is a group with its own workload."""
    usual, target = rules.value("headroom", "planned_percent"), request.utilization_percent
    each = (own.multiplier or 100 / usual) if own else rules.value("users", profile)
    return each * usual / target if target and each > 1 else each


def check_target_utilization(demand: Demand) -> None:
    """Refuse a CPU utilization that no group follows: all would be planned as measured, as if none had been asked.

    The message names the groups.
    """
    rows = [row for row in demand.rows if "as_measured" in row.caveats]
    if len(rows) < len(demand.groups):
        return
    expected = "a group whose users count more than one each, for their headroom alone can be changed"
    found = ", ".join(f"{row.group} ({row.rule})" for row in rows)
    remedy = "Leave utilization_percent out: these workloads are planned as measured."
    where = f"request, utilization_percent {demand.request.utilization_percent:g}"
    raise CannotPlan(where, expected=expected, found=found, remedy=remedy)


# ---- step 3: shares of a system, and who is on which server


def system_shares_of_groups(demand: Demand, catalogue: Mapping) -> tuple[list[PartOnServer], dict[str, dict]]:
    """Return the groups with the share of the system that each takes, and the row of `systems` of each.

    `CannotPlan` where the system was not measured with a workload, or its rating may be none at all.
    """
    request, busy = demand.request, busy_hours(demand.request)
    system = request.system or ""  # one is named by now
    groups, ratings = [], {}
    for part in demand.groups:
        row = rating(catalogue, system, part.workload, request.response_s)
        if part.own and part.own.multiplier is None:
            check_clients_pause(row)
        users = planned_rating(row, demand.rules)
        groups.append(part._replace(share=part.users / users, rating=users, busy=busy[part.group]))
        ratings[part.group] = row
    return groups, ratings


def check_clients_pause(row: Mapping) -> None:
    """Refuse to take the clients of a closed loop for people: each sends its next request when it has an answer.

    By Little's law a client waits for an answer for ``R / (R + Z)`` of its time, R the response and Z the think time.
    Who waits longer than it pauses is a request in progress, not somebody who reads what came; a short pause may be
    what the load tool itself takes. Without R or Z nothing is known, and nothing refused.
    """
    response, think = row["response_s"], row["think_s"]
    if not think <= response:
        return
    where = f"system {row['system']!r}, {row['workload']}"
    found = f"{row['users']:,.0f} that pause {max(think, 0.0):.2g} s between answers of {response:.2g} s"
    remedy = (
        "Clients without think time are concurrent requests, not people. Say how many of them a person counts for "
        "(multiplier), or measure with the pauses that people make."
    )
    raise CannotPlan(where, expected="clients that pause as people do", found=found, remedy=remedy)


def busy_hours(request: Request) -> dict[str, tuple[float, ...]]:
    """Return the share of the people of each group at work, hour by hour; one number where no group has hours."""
    hours = (100.0,) * (24 if any(group.hours for group in request.groups) else 1)
    return {group.name: tuple(percent / 100 for percent in group.hours or hours) for group in request.groups}


def planned_rating(row: Mapping, rules: Rules) -> float:
    """Return the users that the rules plan a system with, see `Rules.rating_column`.

    The users of the rating itself where its lower bound is unknown. `CannotPlan` where they are not above 0, as a lower
    bound may be.
    """
    users = row[rules.rating_column()]
    users = row["users"] if math.isnan(users) else users
    if not users > 0:
        where, found = (
            f"system {row['system']!r}, {row['workload']}",
            f"{number(users)} of {number(row['users'])} users",
        )
        remedy = "The law is too unsure there: take a measured system, or a lower level of the bound."
        raise CannotPlan(where, expected="a lower bound of its rating above 0", found=found, remedy=remedy)
    return users


def whole_servers_of_plan(systems: float) -> int:
    """Return the number of servers for a load in systems: rounded up, at least one."""
    return max(math.ceil(systems - 1e-9), 1)  # 0.2 + 0.4 + 0.3 + 0.1 are a little over 1 in binary


def check_number_of_systems(systems: float) -> None:
    """Refuse more systems than anybody has, or a count that is no number."""
    if not systems <= MOST_SYSTEMS:
        remedy = "Mend the people, their growth or the utilization, or choose a system that carries more."
        found = f"as many as {systems:.6g} of them carry"
        raise CannotPlan("request", expected=f"people for {MOST_SYSTEMS:,} systems at most", found=found, remedy=remedy)


def load_of_servers_by_hour(parts: Iterable[PartOnServer]) -> np.ndarray:
    """Return the load of parts together, in shares of a system, in every hour."""
    return sum(part.share * np.asarray(part.busy) for part in parts)


def parts_by_server(parts: Iterable[PartOnServer]) -> dict[str, list[PartOnServer]]:
    """Return the parts on each server, by its name."""
    servers = {}
    for part in parts:
        servers.setdefault(part.server, []).append(part)
    return servers


def pack_groups_on_servers(groups: Sequence[PartOnServer], request: Request) -> Placement:
    """Return the parts of the groups by server.

    As the request asks for; else first-fit; else, where that takes more servers than the peak of the sum of the loads
    adds up to, filled up in turn; else each group on every server. `CannotPlan` where that takes more systems than
    anybody has.
    """
    total = load_of_servers_by_hour(groups).max()
    check_number_of_systems(total)
    fewest = whole_servers_of_plan(total)
    if request.placement:
        order = list(request.placement)
        server = {group: name for name, here in request.placement.items() for group in here}
        parts = (group._replace(server=server[group.group]) for group in groups)
        return Placement(sorted(parts, key=lambda part: order.index(part.server)), "request", fewest)
    largest_first = sorted(groups, key=lambda group: -load_of_servers_by_hour([group]).max())
    for method_of_packing, words in (
        (_first_fit_on_servers, "first-fit, largest share first"),
        (_fill_servers, "filled, server after server"),
    ):
        parts = method_of_packing(largest_first)
        if len({part.server for part in parts}) <= fewest:
            return Placement(parts, words, fewest)
    evenly = [_piece_of_group(group, 1 / fewest, k, first=k == 0) for k in range(fewest) for group in largest_first]
    return Placement(evenly, "spread evenly", fewest)


def _first_fit_on_servers(groups):
    """Each group on the first server with room; one beyond a server is cut into equal parts."""
    pieces, loads = [], []
    for group in groups:
        count, k = whole_servers_of_plan(load_of_servers_by_hour([group]).max()), 0
        taken = load_of_servers_by_hour([group]) / count
        for part in range(count):  # those before the last one's server have no room for its like
            k = next((at for at in range(k, len(loads)) if (loads[at] + taken).max() <= FULL), len(loads))
            loads += [np.zeros_like(taken)] * (k == len(loads))
            loads[k] = loads[k] + taken
            pieces.append((k, _piece_of_group(group, 1 / count, k, first=part == 0)))
    return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]


def _fill_servers(groups):
    """Fill server after server, cutting a group where one is full: without hours, as few servers as can be."""
    pieces, k, used = [], 0, 0.0
    for group in groups:
        rest, first, whole = 1.0, True, load_of_servers_by_hour([group])
        while rest > _NONE or first:
            busy = whole > 0
            room = ((1 - used * np.ones_like(whole))[busy] / whole[busy]).min() if busy.any() else 1.0
            share = min(rest, room)
            if share <= _NONE:
                k, used = k + 1, 0.0
                continue
            pieces.append(_piece_of_group(group, share, k, first=first))
            rest, used, first = rest - share, used + share * whole, False
    return pieces


def whole_people(people: Sequence[float], of_group: float) -> np.ndarray:
    """Return the people of each part of a group as whole numbers that add up to those of the group, a whole number.

    What is whole stays as it is: each is the difference of two sums that are rounded.
    """
    sums = np.cumsum(people) * (of_group / (sum(people) or 1.0))
    return np.diff(np.round(np.round(sums, 6)), prepend=0.0)


def _piece_of_group(group, share, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    return group._replace(
        planned_users=share * group.planned_users,
        users=share * group.users,
        share=share * group.share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )


def plan_rows_of_step_3(
    demand: Demand, groups: Sequence[PartOnServer], ratings: Mapping, placement: Placement
) -> list[Row]:
    """Return the rows of step 3: the share of each group, the servers that makes, who is on which.

    share = users / users that the system carries, added over the workloads. With hours, the sum is that of the hour in
    which it is greatest, and the load of a server that of its own fullest hour: what is left of 1 is headroom beyond
    that of the multipliers. `groups` and `ratings` are as `system_shares_of_groups` returns them. `CannotPlan` where a
    server has more than it carries, in any hour.
    """
    request, rules, rows = demand.request, demand.rules, []
    parts, how, servers = placement
    day = load_of_servers_by_hour(groups)
    total, hour = float(day.max()), int(day.argmax())
    shares_at, rounded, placed_by = (rules.locator("servers", name) for name in ("share", "whole", "placement"))
    for part in groups:
        row, share = ratings[part.group], part.share * part.busy[hour]
        ends = (row["users_high"], row["users_low"])
        low, high = (share * part.rating / end if end > 0 else math.nan for end in ends)
        unknown = " and ".join(end for end, limit in (("upper", low), ("lower", high)) if math.isnan(limit))
        quantity = f"{part.group}: share of a system{_peak_hour_in_words(hour, part.busy)}"
        rows.append(Row(3, "", part.group, "share", quantity, float(share), "server",
                        f"users / {number(part.rating)}", f"{shares_at}; {row['locator']}", row["basis"], low, high,
                        rating_caveats(row), f"the rating has no {unknown} limit" * bool(unknown)))  # fmt: skip
    rows.append(Row(3, "", "", "systems", "systems, sum of the shares", total, "server", "sum", shares_at, "derived"))
    rule = "at least one" if not total else "rounded up" if servers == whole_servers_of_plan(total) else how
    rows.append(Row(3, "", "", "servers", "servers needed", float(servers), "server", rule, rounded, "derived"))
    whole = {}
    for group in groups:
        people = [part.planned_users for part in parts if part.group == group.group]
        whole[group.group] = iter(whole_people(people, group.planned_users))
    for part in parts:
        people = f"{part.group}: people", float(next(whole[part.group])), "person"
        rows.append(Row(3, part.server, part.group, "people", *people, "placement", placed_by, how))
    for server, here in parts_by_server(parts).items():
        day = load_of_servers_by_hour(here)
        fullest, when = float(day.max()), _peak_hour_in_words(int(day.argmax()), here[0].busy)
        if fullest > 1 + _ROUNDING:
            remedy = "Put fewer groups on it, or leave the placement out."
            found = f"{number(fullest, 3)} of it on {server}{when}"
            raise CannotPlan("request, placement", expected="at most one system's worth", found=found, remedy=remedy)
        rows.append(Row(3, server, "", "load", "load", fullest, "server", f"sum{when}", rounded, "derived"))
    if request.spare_servers:
        spare = "spare servers", float(request.spare_servers), "server"
        rows.append(Row(3, "", "", "spare_servers", *spare, "request", "", "request"))
    return rows


def _peak_hour_in_words(hour, busy):
    """The words for an hour, none for a day that is alike throughout."""
    return f", at {hour}:00" if len(busy) > 1 else ""


# ---- step 4: memory


def size_memory(demand: Demand, parts: Sequence[PartOnServer]) -> tuple[dict[str, float], list[Row]]:
    """Return step 4: the MB of memory of each server, added over its groups (`memory_needed`).

    `low` and `high` are the minimum and the recommended column; of DiscDB a little below the Groupware minimum, and it.
    `CannotPlan` where the rules have none for that many people.
    """
    rules, rows, ram_mb = demand.rules, [], {}
    for server, here in parts_by_server(parts).items():
        groups = []
        for part in here:
            columns = (None, "ram_least_mb", "ram_recommended_mb")
            value, low, high = (float(part_memory(part, rules, column)) for column in columns)
            rule, locator, basis, beyond = "MB a server and a user", "", "request", False
            if part.own:
                low = high = value
            else:
                most = min(memory_table(name, "ram_least_mb")[0][-1] for name in MEMORY_TABLES[part.workload])
                if math.isnan(value):
                    expected = f"at most the {number(most)} users of the last row of the memory table"
                    remedy = "Take the corrected rules, which go on above it and say so, or a faster system with fewer"
                    where, found = f"rules {rules.name}", f"{number(part.planned_users)} on a server"
                    raise CannotPlan(where, expected=expected, found=found, remedy=f"{remedy} on each.")
                if part.workload == "DiscDB":
                    low, high = max(value - rules.value("memory", "discdb_less_mb"), 0.0), value
                rule, beyond = MEMORY_RULES[part.workload], bool(part.planned_users > most)
                locator, basis = rules.locator("memory", rule), "rule" + ", extrapolated" * beyond
            groups.append(Row(4, server, part.group, "memory", f"{part.group}: memory", value, "MB", rule, locator,
                              basis, low, high, ("extrapolated",) * beyond))  # fmt: skip
        ram_mb[server], low, high = (sum(getattr(row, end) for row in groups) for end in ("value", "low", "high"))
        beyond = any(row.caveats for row in groups)
        locator, basis = rules.locator("memory", "added"), "rule" + ", extrapolated" * beyond
        total = Row(4, server, "", "memory", "memory", ram_mb[server], "MB", "sum", locator, basis, low, high,
                    ("extrapolated",) * beyond)  # fmt: skip
        rows += [*groups, total]
    return ram_mb, rows


def part_memory(part: PartOnServer, rules: Rules, column: str | None = None) -> float | np.ndarray:
    """Return the MB of memory that the people of a part need, by the rules' column or another; NaN without a rule.

    Nobody needs none. Of a workload of the user's own it is what the request says: MB of a server at all, and for each
    person.
    """
    if part.own:
        needed = (part.own.ram_mb or 0.0) + part.own.ram_mb_per_user * np.asarray(part.planned_users, float)
    else:
        column = column or rules.value("memory", MEMORY_RULES[part.workload])
        needed = memory_needed(part.workload, part.planned_users, column, rules)
    return needed * (np.asarray(part.planned_users) > 0)


def memory_needed(workload: str, users: float | np.ndarray, column: str, rules: Rules) -> float | np.ndarray:
    """Return the memory in MB for a number of people of a workload, by a column of the tables.

    The next row up of the memory table for Mail or for Groupware_A and DiscDB; for MailDB a share of the way from the
    one to the other; above the last row the rules' MB for each person, NaN where they have none. `users` may be an
    array.
    """
    sizes = []
    for table in MEMORY_TABLES[workload]:
        above_mb = rules.value("memory", "mail_above_mb" if table == "Mail" else "groupware_above_mb")
        sizes.append(memory_of_next_row(users, *memory_table(table, column), above_mb))
    if len(sizes) == 1:
        return sizes[0]
    mail, groupware = sizes
    return mail + rules.value("memory", "maildb_share") * (groupware - mail)


def memory_of_next_row(
    people: float | np.ndarray, users: np.ndarray, memory: np.ndarray, above_mb: float
) -> float | np.ndarray:
    """Return the MB that a memory table asks for people: those of its next row up, above the last one `above_mb` each.

    Users and memory have a number for each row of the table, fewest users first.

    Examples
    --------
    >>> memory_of_next_row(np.array([100, 150, 151, 450]), np.array([150, 300]), np.array([64, 128]), 0.5).tolist()
    [64.0, 64.0, 128.0, 203.0]
    """
    # Just below: people who come to a row but for the last binary digits belong to it, not to the next.
    if isinstance(people, (int, float)):  # one plan: an array of one number takes ten times as long
        row = float(memory[min(bisect.bisect_left(users, people - 1e-9), len(users) - 1)])
        return row + above_mb * (people - float(users[-1])) if people > users[-1] else row
    at = np.minimum(np.searchsorted(users, np.asarray(people) - 1e-9), len(users) - 1)
    above = np.maximum(np.asarray(people, float) - users[-1], 0.0)
    return memory[at] + np.where(above > 0, above_mb * above, 0.0)


@functools.cache
def memory_table(workload: str, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the users of the rows of a memory table (Mail or Groupware_A) and their memory in a column."""
    table = tables.load(planning_method()["memory"][workload])
    return table["planned_users"].to_numpy(float), table[column].to_numpy(float)


# ---- step 5: disks


class Volume(NamedTuple):
    """The data volume of a server."""

    server: str
    needed_gb: float
    drives: int
    usable_gb: float
    paging_mb: float


def size_disks(
    demand: Demand, parts: Sequence[PartOnServer], ram_mb: Mapping[str, float]
) -> tuple[int, tuple[Volume, ...], list[Row]]:
    """Return step 5: the RAID level, the data volume of each server, and the rows.

    Space for mail and databases; a paging file of the memory + 10 %, rounded up to 100 MB; the fewest drives whose
    usable space is enough. The document puts the paging file on the data volume, so a server with memory has data
    drives even where its people store nothing; a server that needs no space has none.
    """
    request, rules = demand.request, demand.rules
    level, level_at = raid_level(request, rules)
    drive_gb = request.drive_gb or rules.value("disk", "drive_gb")
    names = ("paging_percent", "paging_step_mb", "mb_per_gb")
    percent, step, mb_per_gb = (rules.value("disk", name) for name in names)
    paging_at, _, space_at = (rules.locator("disk", name) for name in names)
    drives_at = rules.locator("disk", "raid5_usable" if level in (4, 5) else "drive_gb")
    quantity = "RAID level of the data volumes"
    rows, volumes = [Row(5, "", "", "raid_level", quantity, float(level), "1", "raid", level_at, "rule")], []
    for server, here in parts_by_server(parts).items():
        data = 0.0
        for part in here:
            for key, count, each_mb, where, basis in data_stored_on_server(part, rules):
                size, quantity, rule = float(count * each_mb), f"{part.group}: {key}", f"{count:g} × {each_mb:g} MB"
                rows.append(Row(5, server, part.group, key, quantity, size, "MB", rule, where, basis))
                data += size
        exact = ram_mb[server] * (1 + percent / 100)
        paging = float(step * math.ceil(exact / step - 1e-9))  # in binary 3,000 MB + 10 % are a little over 3,300
        needed = (data + paging) / mb_per_gb
        drives = fewest_drives(needed, drive_gb, level, rules)
        usable = float(drive_gb * usable_drives(drives, level, rules)) if drives else 0.0
        rule, most, over = f"memory + {percent:g} %, rounded up", f"fewest of {drive_gb:g} GB", f"/ {mb_per_gb:g}"
        most += ", for the paging file alone" if drives and not data else ""
        rows += [
            Row(5, server, "", "paging_file", "paging file", paging, "MB", rule, paging_at, "rule", exact, paging),
            Row(5, server, "", "storage_needed", "storage needed", needed, "GB", over, space_at, "derived"),
            Row(5, server, "", "drives", "drives", float(drives), "drive", most, drives_at, "derived"),
            Row(5, server, "", "usable_space", "usable space", usable, "GB", f"RAID {level}", drives_at, "derived"),
        ]
        volumes.append(Volume(server, needed, drives, usable, paging))
    return level, tuple(volumes), rows


def raid_level(request: Request, rules: Rules) -> tuple[int, str]:
    """Return the RAID level and where it is from: a page, or "request"."""
    if request.raid is not None:
        return request.raid, "request"
    name = "raid_critical" if request.critical else "raid_other"
    return rules.value("disk", name), rules.locator("disk", name)


class Stored(NamedTuple):
    """What a part of a group stores: how many of what, and where the size of each is from."""

    key: str  # mail, data or databases
    count: float
    each_mb: float
    locator: str
    basis: str = "rule"


def data_stored_on_server(part: PartOnServer, rules: Rules) -> Iterator[Stored]:
    """Return what a part of a group stores, a `Stored` for each kind of data."""
    by_rule = lambda key, count, name: Stored(key, count, rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    if part.own:
        yield Stored("data", part.planned_users, part.own.disk_mb_per_user or 0.0, "", "request")
    elif part.workload in ("Mail", "MailDB"):
        yield by_rule("mail", part.planned_users, "mail_mb")
    elif part.workload == "Groupware_A":
        yield by_rule("data", part.planned_users, "groupware_mb")
    if part.databases:
        yield by_rule(DATABASES, part.databases, "database_mb")


def usable_drives(drives: int | np.ndarray, level: int, rules: Rules) -> float | np.ndarray:
    """Return usable space in drives: n/(n + 1) of n for RAID 5 where the rules say so, else by the definition."""
    if level in (4, 5) and rules.value("disk", "raid5_usable") == RAID5_OF_ONE_MORE:
        drives = np.asarray(drives, float)
        return drives * drives / (drives + 1)
    return disk.raid_usable(drives, level)


def fewest_drives(needed_gb: float, drive_gb: float, level: int, rules: Rules) -> int:
    """Return the fewest drives of a size whose usable space suffices, 0 where none is needed.

    `CannotPlan` where a thousand drives do not suffice.
    """
    if not needed_gb:
        return 0
    enough = np.asarray(drive_gb * usable_drives(np.arange(1, _MOST_DRIVES), level, rules)) >= needed_gb - 1e-9
    first = int(enough.argmax())
    if not enough[first]:
        remedy = "Ask for larger drives, or more servers."
        expected = f"a data volume of fewer than {_MOST_DRIVES} drives"
        raise CannotPlan("request, drive_gb", expected=expected, found=f"{number(needed_gb)} GB needed", remedy=remedy)
    return first + 1
