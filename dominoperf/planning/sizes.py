"""Memory, disk space and drives by the rules: what so many people need, and what so many drives hold."""

import bisect
import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dominoperf import tables
from dominoperf.errors import CannotPlan
from dominoperf.laws import disk
from dominoperf.planning.packing import Part
from dominoperf.planning.request import Request
from dominoperf.planning.rules import DOCUMENT, Rules
from dominoperf.tables.rendering import number

_TABLES = {"Mail": f"{DOCUMENT}/table_4_5", "Groupware_A": f"{DOCUMENT}/table_4_6"}
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


def part_memory(part: Part, rules: Rules, column: str | None = None) -> float | np.ndarray:
    """Return the MB of memory that the people of a part need, by the rules' column or another; NaN without a rule.

    Of a workload of the user's own it is what the request says: MB of a server at all, and for each person.
    """
    if part.needs:
        return part.needs.ram_mb + part.needs.ram_mb_per_user * np.asarray(part.planned_users, float)
    column = column or rules.value("memory", MEMORY_RULES[part.workload])
    return memory_needed(part.workload, part.planned_users, column, rules)


def memory_needed(workload: str, users: float | np.ndarray, column: str, rules: Rules) -> float | np.ndarray:
    """Return the memory in MB that so many people of a workload need, by a column of the tables.

    The next row up of Table 4-5 (Mail) or 4-6 (Groupware_A, DiscDB); for MailDB a share of the way from the one to the
    other; above the last row the rules' MB for each person, NaN where they have none. `users` may be an array.

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
    return tuple(column.tolist() for column in memory_table(table, column))


@functools.cache
def memory_table(workload: str, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the users of the rows of a memory table (Mail or Groupware_A) and their memory in a column."""
    table = tables.load(_TABLES[workload])
    return table["planned_users"].to_numpy(float), table[column].to_numpy(float)


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
    size = lambda name: (rules.value("disk", name), rules.locator("disk", name))  # noqa: E731
    if part.needs:
        yield Stored("data", part.planned_users, part.needs.disk_mb_per_user, "", "request")
    elif part.workload in ("Mail", "MailDB"):
        yield Stored("mail", part.planned_users, *size("mail_mb"))
    elif part.workload == "Groupware_A":
        yield Stored("data", part.planned_users, *size("groupware_mb"))
    if part.databases:
        yield Stored(DATABASES, part.databases, *size("database_mb"))


def usable_drives(drives: int | np.ndarray, level: int, rules: Rules) -> float | np.ndarray:
    """Return drives' worth of usable space: n/(n + 1) of n for RAID 5 where the rules say so, else by the definition.

    Examples
    --------
    >>> from dominoperf.planning import rules
    >>> [round(float(usable_drives(6, 5, rules(name))), 3) for name in ("compaq_1998", "corrected")]
    [5.143, 5.0]
    """
    return _usable(drives, level, rules.value("disk", "raid5_lost"))


def _usable(drives, level, lost):
    if level in (4, 5) and not lost:
        drives = np.asarray(drives, float)
        return drives * drives / (drives + 1)
    return disk.raid_usable(drives, level)


@functools.cache
def _usable_up_to_most(level, lost):
    return _usable(np.arange(1, _MOST_DRIVES), level, lost)


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
