"""Memory, disk space and drives by the rules: what so many people need, and what so many drives hold."""

import bisect
import functools
from typing import NamedTuple

import numpy as np

from dominoperf import tables
from dominoperf.errors import CannotPlan
from dominoperf.laws import disk
from dominoperf.planning.rules import DOCUMENT
from dominoperf.tables.rendering import number

_TABLES = {"Mail": f"{DOCUMENT}/table_4_5", "Groupware_A": f"{DOCUMENT}/table_4_6"}
READ = {"Mail": ("Mail",), "Groupware_A": ("Groupware_A",), "DiscDB": ("Groupware_A",)}
READ["MailDB"] = ("Mail", "Groupware_A")  # which tables a workload's memory is read from
MEMORY_RULES = {
    "Mail": "mail_column",
    "MailDB": "maildb_column",
    "DiscDB": "discdb_column",
    "Groupware_A": "groupware_column",
}
DATABASES = "databases"  # what a part stores whatever its people
_MOST_DRIVES = 1000  # that are tried


def part_memory(part, rules, column=None):
    """Give the MB of memory that the people of a part need, by the rules' column or another; NaN without a rule.

    Of a workload of one's own it is what the request says: MB of a server at all, and for each person.
    """
    if part.own:
        return part.own.ram_mb + part.own.ram_mb_per_user * np.asarray(part.planned_users, float)
    column = column or rules.value("memory", MEMORY_RULES[part.workload])
    return memory_needed(part.workload, part.planned_users, column, rules)


def memory_needed(workload, users, column, rules):
    """Give the memory in MB that so many people of a workload need, by a column of the tables.

    The next row up of Table 4-5 (Mail) or 4-6 (Groupware_A, DiscDB); for MailDB a share of the way from the one to the
    other; above the last row the rules' MB for each person, NaN where they have none. `users` may be an array.
    """
    sizes = [_looked_up(each, users, column, rules) for each in READ[workload]]
    if len(sizes) == 1:
        return sizes[0]
    mail, groupware = sizes
    return mail + rules.value("memory", "maildb_share") * (groupware - mail)


def _looked_up(table, users, column, rules):
    """Memory in the next row up of a table, and above its last row."""
    each = rules.value("memory", "mail_above_mb" if table == "Mail" else "groupware_above_mb")
    if isinstance(users, (int, float)):  # one plan: an array of one number takes ten times as long
        return _looked_up_once(*_rows_of(table, column), users, each)
    most, sizes = memory_table(table, column)
    # Just below: people who come to a row but for the last binary digits belong to it, not to the next.
    at = np.minimum(np.searchsorted(most, np.asarray(users) - 1e-9), len(most) - 1)
    above = np.maximum(np.asarray(users, float) - most[-1], 0.0)
    return sizes[at] + np.where(above > 0, each * above, 0.0)


def _looked_up_once(most, sizes, users, each):
    size = sizes[min(bisect.bisect_left(most, users - 1e-9), len(most) - 1)]
    return size + each * (users - most[-1]) if users > most[-1] else size


@functools.cache
def _rows_of(table, column):
    return tuple(each.tolist() for each in memory_table(table, column))


@functools.cache
def memory_table(workload, column):
    """Give the users of the rows of a memory table (Mail or Groupware_A) and their memory in a column, as arrays."""
    table = tables.load(_TABLES[workload])
    return table["planned_users"].to_numpy(float), table[column].to_numpy(float)


def raid_level(request, rules):
    """The RAID level and where it is from."""
    if request.raid is not None:
        return request.raid, "request"
    name = "raid_critical" if request.critical else "raid_other"
    return rules.value("disk", name), rules.locator("disk", name)


class Stored(NamedTuple):
    """What a part of a group stores: how many of what, and where the size of each is from."""

    quantity: str
    count: float
    each_mb: float
    locator: str
    basis: str = "rule"


def stored(part, rules):
    """What a part of a group stores, a `Stored` for each quantity."""
    of = lambda name: (rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    if part.own:
        yield Stored("data", part.planned_users, part.own.disk_mb_per_user, "", "request")
    elif part.workload in ("Mail", "MailDB"):
        yield Stored("mail", part.planned_users, *of("mail_mb"))
    elif part.workload == "Groupware_A":
        yield Stored("data", part.planned_users, *of("groupware_mb"))
    if part.databases:
        yield Stored(DATABASES, part.databases, *of("database_mb"))


def usable_drives(drives, level, rules):
    """Drives' worth of usable space: n/(n + 1) of n for RAID 5 where the rules say so, else by the definition."""
    return _usable(drives, level, rules.value("disk", "raid5_lost"))


def _usable(drives, level, lost):
    if level in (4, 5) and not lost:
        drives = np.asarray(drives, float)
        return drives * drives / (drives + 1)
    return disk.raid_usable(drives, level)


@functools.cache
def _usable_of_each(level, lost):
    """What one drive, two, three... hold, as `usable_drives` has it."""
    return _usable(np.arange(1, _MOST_DRIVES), level, lost)


def fewest_drives(needed_gb, drive_gb, level, rules):
    """Give the fewest drives of a size whose usable space suffices."""
    enough = drive_gb * _usable_of_each(level, rules.value("disk", "raid5_lost")) >= needed_gb - 1e-9
    first = int(enough.argmax())
    if not enough[first]:
        remedy = "Ask for larger drives, or more servers."
        expected = f"a data volume of fewer than {_MOST_DRIVES} drives"
        raise CannotPlan("request, drive_gb", expected=expected, found=f"{number(needed_gb)} GB needed", remedy=remedy)
    return first + 1
