"""Steps 4 and 5 of a plan: memory, disk space and drives, by the rules."""

import bisect
import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dominoperf import tables
from dominoperf.errors import CannotPlan
from dominoperf.laws import disk
from dominoperf.planning.conversion import Demand, Part, Row
from dominoperf.planning.packing import by_server
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules, method
from dominoperf.tables.rendering import number

MEMORY_TABLES = {"Mail": ("Mail",), "Groupware_A": ("Groupware_A",), "DiscDB": ("Groupware_A",)}
MEMORY_TABLES["MailDB"] = ("Mail", "Groupware_A")  # which tables a workload's memory is read from
MEMORY_RULES = {
    "Mail": "mail_column",
    "MailDB": "maildb_column",
    "DiscDB": "discdb_column",
    "Groupware_A": "groupware_column",
}
DATABASES = "databases"  # what a part stores whatever its people
_MOST_DRIVES = 1000  # that are tried
_MINIMUM, _RECOMMENDED = "ram_least_mb", "ram_recommended_mb"


class Volume(NamedTuple):
    """The data volume of a server."""

    server: str
    needed_gb: float
    drives: int
    usable_gb: float
    paging_mb: float


def size_memory(demand: Demand, parts: Sequence[Part]) -> tuple[dict[str, float], list[Row]]:
    """Return step 4: the MB of memory of each server, added over its groups.

    Mail and Groupware by their memory tables, the next row up; MailDB between the two, nearer Mail; DiscDB a little
    below the Groupware minimum up to it. `low` and `high` are the minimum and the recommended column.

    Raises
    ------
    CannotPlan
        When the rules have none for that many people.
    """
    rows, ram_mb = [], {}
    for server, here in by_server(parts).items():
        groups = [_memory_row(part, server, demand.rules) for part in here]
        ram_mb[server], low, high = (sum(getattr(row, end) for row in groups) for end in ("value", "low", "high"))
        beyond = tuple(dict.fromkeys(key for row in groups for key in row.caveats))
        basis = "rule, extrapolated" if beyond else "rule"
        locator = demand.rules.locator("memory", "added")
        total = Row(4, server, "", "memory", "memory", ram_mb[server], "MB", "sum", locator, basis, low, high, beyond)
        rows += [*groups, total]
    return ram_mb, rows


def _memory_row(part, server, rules):
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


def part_memory(part: Part, rules: Rules, column: str | None = None) -> float | np.ndarray:
    """Return the MB of memory that the people of a part need, by the rules' column or another; NaN without a rule.

    Of a workload of the user's own it is what the request says: MB of a server at all, and for each person.
    """
    if part.needs:
        return part.needs.ram_mb + part.needs.ram_mb_per_user * np.asarray(part.planned_users, float)
    column = column or rules.value("memory", MEMORY_RULES[part.workload])
    return memory_needed(part.workload, part.planned_users, column, rules)


def memory_needed(workload: str, users: float | np.ndarray, column: str, rules: Rules) -> float | np.ndarray:
    """Return the memory in MB for a number of people of a workload, by a column of the tables.

    The next row up of the memory table for Mail or for Groupware_A and DiscDB; for MailDB a share of the way from the
    one to the other; above the last row the rules' MB for each person, NaN where they have none. `users` may be an
    array.

    Examples
    --------
    >>> from dominoperf.planning import rules
    >>> memory_needed("Mail", 800, "ram_recommended_mb", rules())
    448.0
    """
    sizes = [_looked_up(table, users, column, rules) for table in MEMORY_TABLES[workload]]
    if len(sizes) == 1:
        return sizes[0]
    mail, groupware = sizes
    return mail + rules.value("memory", "maildb_share") * (groupware - mail)


def _looked_up(table, users, column, rules):
    """Memory in the next row up of a table, and above its last row."""
    above_mb = rules.value("memory", "mail_above_mb" if table == "Mail" else "groupware_above_mb")
    # Just below: people who come to a row but for the last binary digits belong to it, not to the next.
    if isinstance(users, (int, float)):  # one plan: an array of one number takes ten times as long
        most, sizes = _rows_of(table, column)
        size = sizes[min(bisect.bisect_left(most, users - 1e-9), len(most) - 1)]
        return size + above_mb * (users - most[-1]) if users > most[-1] else size
    most, sizes = memory_table(table, column)
    at = np.minimum(np.searchsorted(most, np.asarray(users) - 1e-9), len(most) - 1)
    above = np.maximum(np.asarray(users, float) - most[-1], 0.0)
    return sizes[at] + np.where(above > 0, above_mb * above, 0.0)


@functools.cache
def _rows_of(table, column):
    """A memory table as tuples: looking one number up in them is faster than in arrays."""
    return tuple(column.tolist() for column in memory_table(table, column))


@functools.cache
def memory_table(workload: str, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the users of the rows of a memory table (Mail or Groupware_A) and their memory in a column."""
    table = tables.load(method()["memory"][workload])
    return table["planned_users"].to_numpy(float), table[column].to_numpy(float)


def size_disks(
    demand: Demand, parts: Sequence[Part], ram_mb: Mapping[str, float]
) -> tuple[int, tuple[Volume, ...], list[Row]]:
    """Return step 5: the RAID level, the data volume of each server, and the rows.

    Space for mail and databases; a paging file of the memory + 10 %, rounded up to 100 MB; the fewest drives whose
    usable space is enough.
    """
    request, rules = demand.request, demand.rules
    level, level_at = raid_level(request, rules)
    drive_gb = request.drive_gb or rules.value("disk", "drive_gb")
    names = ("paging_percent", "paging_step_mb", "mb_per_gb")
    percent, step, mb_per_gb = (rules.value("disk", name) for name in names)
    paging_at, _, space_at = (rules.locator("disk", name) for name in names)
    drives_at = rules.locator("disk", "raid5_lost" if level in (4, 5) else "drive_gb")
    quantity = "RAID level of the data volumes"
    rows, volumes = [Row(5, "", "", "raid_level", quantity, float(level), "1", "raid", level_at, "rule")], []
    for server, here in by_server(parts).items():
        data = 0.0
        for part in here:
            for key, count, each_mb, where, basis in stored(part, rules):
                size, quantity, rule = float(count * each_mb), f"{part.group}: {key}", f"{count:g} × {each_mb:g} MB"
                rows.append(Row(5, server, part.group, key, quantity, size, "MB", rule, where, basis))
                data += size
        exact = ram_mb[server] * (1 + percent / 100)
        paging = float(step * math.ceil(exact / step - 1e-9))  # in binary 3,000 MB + 10 % are a little over 3,300
        needed = (data + paging) / mb_per_gb
        drives = fewest_drives(needed, drive_gb, level, rules)
        usable = float(drive_gb * usable_drives(drives, level, rules))
        rule, most, over = f"memory + {percent:g} %, rounded up", f"fewest of {drive_gb:g} GB", f"/ {mb_per_gb:g}"
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


def stored(part: Part, rules: Rules) -> Iterator[Stored]:
    """Return what a part of a group stores, a `Stored` for each kind of data."""
    if part.needs:
        yield Stored("data", part.planned_users, part.needs.disk_mb_per_user, "", "request")
    elif part.workload in ("Mail", "MailDB"):
        yield Stored("mail", part.planned_users, rules.value("disk", "mail_mb"), rules.locator("disk", "mail_mb"))
    elif part.workload == "Groupware_A":
        size, locator = rules.value("disk", "groupware_mb"), rules.locator("disk", "groupware_mb")
        yield Stored("data", part.planned_users, size, locator)
    if part.databases:
        size, locator = rules.value("disk", "database_mb"), rules.locator("disk", "database_mb")
        yield Stored(DATABASES, part.databases, size, locator)


def usable_drives(drives: int | np.ndarray, level: int, rules: Rules) -> float | np.ndarray:
    """Return drives' worth of usable space: n/(n + 1) of n for RAID 5 where the rules say so, else by the definition.

    Examples
    --------
    >>> from dominoperf.planning import rule_sets, rules
    >>> [round(float(usable_drives(6, 5, rules(name))), 3) for name in rule_sets()]
    [5.143, 5.0]
    """
    return _usable_by_level(drives, level, rules.value("disk", "raid5_lost"))


def _usable_by_level(drives, level, lost):
    """Drives' worth of usable space by the RAID level, and by whether a drive is lost to RAID 5 parity."""
    if level in (4, 5) and not lost:
        drives = np.asarray(drives, float)
        return drives * drives / (drives + 1)
    return disk.raid_usable(drives, level)


@functools.cache
def _usable_up_to_most(level, lost):
    """The usable space of 1, 2, ... drives."""
    return _usable_by_level(np.arange(1, _MOST_DRIVES), level, lost)


def fewest_drives(needed_gb: float, drive_gb: float, level: int, rules: Rules) -> int:
    """Return the fewest drives of a size whose usable space suffices.

    Raises
    ------
    CannotPlan
        When a thousand drives do not.

    Examples
    --------
    >>> from dominoperf.planning import rules
    >>> fewest_drives(40.5, 9.1, 1, rules())
    10
    """
    enough = drive_gb * _usable_up_to_most(level, rules.value("disk", "raid5_lost")) >= needed_gb - 1e-9
    first = int(enough.argmax())
    if not enough[first]:
        remedy = "Ask for larger drives, or more servers."
        expected = f"a data volume of fewer than {_MOST_DRIVES} drives"
        raise CannotPlan("request, drive_gb", expected=expected, found=f"{number(needed_gb)} GB needed", remedy=remedy)
    return first + 1
