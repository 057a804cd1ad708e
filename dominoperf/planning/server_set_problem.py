"""The choice of servers as a problem in arrays: a demand, the systems for sale, what a person takes of each."""

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.catalogue import rating
from dominoperf.planning.rules import Rules
from dominoperf.planning.steps import (
    DATABASES,
    MEMORY_RULES,
    MEMORY_TABLES,
    Demand,
    busy_hours,
    check_number_of_systems,
    data_stored_on_server,
    memory_needed,
    memory_table,
    planned_rating,
    raid_level,
    usable_drives,
)

_SMALL = 1e-7  # of MB or USD: what sums of binary fractions are out by, and far below what a price or size is told to
MANY_GROUPS = 60  # beyond which like groups are joined to find a bound, and servers are filled without programs
_FREE = ((0.0, math.inf, 0.0, 0.0),)  # memory that costs nothing
_NAMED = 5  # systems that a note names


@dataclass(frozen=True)
class ServerSetProblem:
    """A demand and what can be bought for it; G groups, S kinds of systems, H hours."""

    names: tuple  # S
    groups: tuple  # G
    people: np.ndarray  # of each group
    share: np.ndarray  # S × G, of a server that a person takes at the full hours; NaN where it cannot serve the group
    hours: np.ndarray  # H × G, share of the people at work, 0 to 1
    rows: tuple  # G, memory of a group by its people on a server, as `memory_rows_by_people` gives it
    mb_each: np.ndarray  # G, disk space of a person
    databases_mb: np.ndarray  # G, disk space of the databases of a group, which lie on one server
    price_usd: np.ndarray  # S
    ram_mb: np.ndarray  # S, infinite where it is unknown
    usable_mb: float  # disk space of a server with the most drives
    paging: tuple  # paging file for an MB of memory, and the step it is rounded up to
    spare: int  # servers that may fail
    max_servers: float
    max_price_usd: float
    not_offered: tuple = ()  # rows of the catalogue that cannot be chosen: system, workload, what is missing
    joined: np.ndarray | None = None  # G, how many groups each one stands for; none where each is one

    def rows_on(self, kind: int, group: int, most: float) -> list[tuple]:
        """Return the memory rows that a server of a kind has room for, the last one cut to what it can use."""
        full = np.max(self.hours[:, group]) * self.share[kind, group]
        most = min(most, 1 / full) if full > 0 else most
        rows = []
        for low, high, base, slope in self.rows[group]:
            if base > self.ram_mb[kind] + _SMALL or (rows and low >= most):
                break
            high = min(high, low + (self.ram_mb[kind] - base) / slope) if slope > 0 else high
            rows.append((low, min(high, max(most, low)), base, slope))
        return rows

    def most_alone(self, kind: int, group: int, databases_mb: float) -> float:
        """Return the most people of a group that a server holds alone with so much of databases; below 0: none."""
        if np.isnan(self.share[kind, group]):
            return -1.0
        (factor, step), mb_each, most = self.paging, self.mb_each[group], -1.0
        for low, high, base, slope in self.rows_on(kind, group, 1e9):
            memory = base + slope * (high - low)
            disk = self.usable_mb - databases_mb - step * math.ceil(factor * memory / step - 1e-9)
            room = high if disk >= 0 and mb_each * high <= disk else disk / mb_each if mb_each else -1.0
            most = max(most, min(high, room))
        return most

    @functools.cached_property
    def undominated(self) -> np.ndarray:
        """The kinds that no other dominates: see `dominated_at_most`."""
        return self.dominated_at_most(0)

    def dominated_at_most(self, times: int) -> np.ndarray:
        """Return the kinds that at most `times` other kinds dominate: no dearer, no less memory, no greater share.

        The search looks for the cheapest set that does not contain any of `times` sets that are already known to fail.
        These kinds are enough for it. Suppose that the cheapest set has a server of another kind. At least
        ``times + 1`` kinds dominate that one, and each could take its place at no higher price. Each failing set can
        rule out one of these exchanges at most: the one that adds the server which it lacked. So one exchange is left.
        """
        share = np.where(np.isnan(self.share), np.inf, self.share)
        needs, kept = np.unique(np.column_stack([-self.ram_mb, share]), axis=1), []
        for kind in np.lexsort((share.sum(axis=1), self.price_usd)):
            if np.count_nonzero((needs[kept] <= needs[kind]).all(axis=1)) <= times:
                kept.append(int(kind))
        return np.sort(kept)

    def integer_columns(self, servers: int) -> int:
        """Return about how many integer columns the exact program of so many single servers has."""
        return 4 * servers * len(self.people) + 1

    def serves(self, kind: int) -> np.ndarray:
        """Return the groups that a kind of system was measured for."""
        return np.flatnonzero(~np.isnan(self.share[kind]))

    def rest(self, groups: Sequence[int], people: np.ndarray, databases_mb: np.ndarray) -> "ServerSetProblem":
        """Return the problem of some of its groups, with so many people and databases left of each."""
        return dataclasses.replace(
            self,
            groups=tuple(self.groups[g] for g in groups),
            people=people[groups],
            share=self.share[:, groups],
            hours=self.hours[:, groups],
            rows=tuple(self.rows[g] for g in groups),
            mb_each=self.mb_each[groups],
            databases_mb=databases_mb[groups],
        )

    @functools.cached_property
    def like_groups(self) -> list[list[int]]:
        """The groups that take the same of each server, together; each on its own where groups are few."""
        alike = {}
        for g, rows in enumerate(self.rows):
            takes = self.share[:, g].tobytes(), self.hours[:, g].tobytes(), rows, self.mb_each[g]
            alike.setdefault(takes if len(self.people) > MANY_GROUPS else g, []).append(g)
        return list(alike.values())

    @functools.cached_property
    def with_like_groups_joined(self) -> "ServerSetProblem":
        """The problem with like groups as one.

        Servers that hold the groups hold them joined, as the sums of people, memory and places are the same. So a bound
        for joined groups is one for the groups.
        """
        people, databases_mb, counts = (
            np.array([each[groups].sum() for groups in self.like_groups])
            for each in (self.people, self.databases_mb, np.ones(len(self.people)))
        )
        first = self.rest([groups[0] for groups in self.like_groups], self.people, self.databases_mb)
        return dataclasses.replace(first, people=people, databases_mb=databases_mb, joined=counts)

    def price(self, numbers: Sequence[int]) -> float:
        """Return the price of a set, to the cent, half a cent up."""
        return round(float(np.dot(numbers, self.price_usd)) + _SMALL, 2)

    def words(self, numbers: Sequence[int]) -> str:
        """Return a set in words."""
        return " + ".join(f"{int(count)} {name}" for name, count in zip(self.names, numbers, strict=True) if count)

    def without(self, name: str) -> "ServerSetProblem | None":
        """Return the problem with one kind of limit lifted, None where there is no such limit."""
        lifted = {
            "memory": {"rows": (_FREE,) * len(self.people)},
            "disk": {"mb_each": 0 * self.mb_each, "databases_mb": 0 * self.databases_mb, "paging": (0.0, 1.0)},
            "redundancy": {"spare": 0} if self.spare else None,
            "max_servers": {name: math.inf} if self.max_servers < math.inf else None,
            "max_price_usd": {name: math.inf} if self.max_price_usd < math.inf else None,
        }[name]
        return None if lifted is None else dataclasses.replace(self, **lifted)


def memory_rows_by_people(workload: str, rules: Rules) -> tuple[tuple, ...]:
    """Return memory by people as rows (above, to, MB just above, MB for each further person): a step has slope 0.

    Derived from the rule of step 4, and equal to it everywhere; above the last row of the table the rules' slope, or no
    row where they have none.
    """
    column = rules.value("memory", MEMORY_RULES[workload])
    ends = [memory_table(table, column)[0] for table in MEMORY_TABLES[workload]]
    rows = []
    for low, high in itertools.pairwise([0.0, *np.unique(np.concatenate(ends)), math.inf]):
        wide = min(high - low, 200.0)
        half, full = np.asarray(memory_needed(workload, np.array([low + wide / 2, low + wide]), column, rules))
        if math.isnan(full):
            break
        slope = float(round((full - half) / (wide / 2), 9))
        rows.append((float(low), float(high), float(full - slope * wide), slope))
    return tuple(rows)


def server_set_problem(
    demand: Demand, catalogue: Mapping, *, max_servers: float = math.inf, max_price_usd: float = math.inf
) -> ServerSetProblem:
    """Return the problem of a demand, its people as users of the benchmark, and of the systems with a price.

    `CannotPlan` where no system with a price was measured with the workload of a group, or a RAID level takes more
    drives.
    """
    request, rules, groups = demand.request, demand.rules, demand.groups
    kinds = {name: row for (name, _), row in catalogue.items() if row["price_usd"] > 0}
    workloads, most, not_offered = {part.workload for part in groups}, {}, []
    for (name, workload), row in catalogue.items():
        missing = ""
        if workload not in workloads:
            continue
        if name not in kinds:
            missing = "a price"
        elif math.isnan(row["users"]):
            reason = str(row.get("reason") or "").removesuffix(".")
            missing = "users" + f" ({reason})" * bool(reason)
        else:
            try:
                most[name, workload] = planned_rating(rating(catalogue, name, workload, request.response_s), rules)
            except CannotPlan as error:  # no user is answered that soon, or for certain
                missing = f"a known answer within {request.response_s:g} s" if request.response_s else error.expected
        not_offered += [(name, workload, missing)] * bool(missing)
    share = np.full((len(kinds), len(groups)), math.nan)
    for (kind, name), (group, part) in itertools.product(enumerate(kinds), enumerate(groups)):
        share[kind, group] = part.users_per_person / most.get((name, part.workload), math.nan)
    for part, on_kinds in zip(groups, share.T, strict=True):
        if np.isnan(on_kinds).all():
            asked = request.response_s is not None
            remedy = f"Give it a rating in a catalogue of your own, with users{', response_s' * asked} and price_usd"
            remedy += ", or ask for a longer response." if asked else "."
            expected = f"a priced system measured with {part.workload}"
            of_workload = [row for row in not_offered if row[1] == part.workload]
            found = "; ".join(["none", *not_offered_in_words(of_workload)])
            raise CannotPlan(f"group {part.group!r}", expected=expected, found=found, remedy=remedy)
    hours = np.array([*busy_hours(request).values()], float).T
    disk = lambda name: rules.value("disk", name)  # noqa: E731
    ram = np.array([row["ram_mb"] for row in kinds.values()], float)
    memory: list[tuple] = []
    for part in groups:
        if not part.planned_users:
            memory.append(_FREE)
        elif part.own:
            memory.append(((0.0, math.inf, part.own.ram_mb or 0.0, part.own.ram_mb_per_user),))
        else:
            memory.append(memory_rows_by_people(part.workload, rules))
    stored_each = [
        sum(data.each_mb for data in data_stored_on_server(part, rules) if data.key != DATABASES) for part in groups
    ]
    level, _ = raid_level(request, rules)
    drives = np.arange(1, int(disk("array_drives")) + 1)  # as an array controller takes
    usable_gb = np.nanmax((request.drive_gb or disk("drive_gb")) * usable_drives(drives, level, rules))
    return ServerSetProblem(
        names=tuple(kinds),
        groups=tuple(part.group for part in groups),
        people=np.array([part.planned_users for part in groups]),
        share=share,
        hours=np.unique(hours, axis=0),
        rows=tuple(memory),
        mb_each=np.array(stored_each, float),
        databases_mb=np.array([part.databases * disk("database_mb") for part in groups], float),
        price_usd=np.array([row["price_usd"] for row in kinds.values()], float),
        ram_mb=np.where(np.isnan(ram), np.inf, ram),
        usable_mb=float(usable_gb * disk("mb_per_gb")),
        paging=(1 + disk("paging_percent") / 100, disk("paging_step_mb")),
        spare=int(request.spare_servers),
        max_servers=max_servers,
        max_price_usd=max_price_usd,
        not_offered=tuple(not_offered),
    )


def not_offered_in_words(not_offered: Iterable[tuple[str, str, str]], of: str = "the catalogue") -> tuple[str, ...]:
    """Return in words how many rows cannot be chosen, of which systems, and why: `ServerSetProblem.not_offered`.

    `of` is what the rows are of, in words.
    """
    left_out = {}
    for name, _, missing in not_offered:
        left_out.setdefault(missing, []).append(name)
    notes = []
    for missing, names in left_out.items():
        rows = f"1 row of {of} is" if len(names) == 1 else f"{len(names):,} rows of {of} are"
        more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
        notes.append(f"{rows} not offered, without {missing}: {', '.join(names[:_NAMED])}{more}")
    return tuple(notes)


def kind_of_each_server(numbers: Sequence[int]) -> tuple[int, ...]:
    """Return the kind of each server of a set, which is given by the number of servers of each kind.

    `CannotPlan` where these are more than anybody has.
    """
    check_number_of_systems(sum(numbers))
    return tuple(kind for kind, count in enumerate(numbers) for _ in range(int(count)))


def server_kinds_left(numbers: Sequence[int], spare: int) -> Iterator[tuple[int, ...]]:
    """Yield the kinds of the servers that are left of a set, for each choice of `spare` servers that fail."""
    kinds = kind_of_each_server(numbers)
    for failing in sorted(set(itertools.combinations(kinds, min(spare, len(kinds))))):
        left = list(kinds)
        for kind in failing:
            left.remove(kind)
        yield tuple(left)
