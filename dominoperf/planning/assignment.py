"""The assignment of people to servers: integer programs over single servers, which are exact, or over many together."""

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import highspy
import numpy as np

from dominoperf.planning.server_set_problem import ServerSetProblem

PROVED, ANY_FEASIBLE = 1e-6, 1.0  # relative gaps between a solution and its bound, at which a search ends
MOST_NODES = 2_000  # a limit in nodes rather than seconds gives the same answer on every machine
_WORK_PER_COLUMN = 500  # in the work at a node
Terms = Iterable[tuple[int, float]]
"""A sum: pairs of column and coefficient."""
LARGEST_SCALE = 1e3  # times the demand: headroom beyond it is not looked for
_COMPACT_GAP = 0.01  # of memory and pieces, how near to the least an assignment is to be
_FULL_GAP, _FULL_NODES = 0.05, 50  # how near to the fullest, and after how many nodes, a server is full enough
_NOBODY = 1e-5  # people that are the solver's rounding
_COMPACT_PIECES = 80  # of groups on servers, up to which a more compact assignment is looked for
_COMPACT_AMONG_ALL = 48  # servers × groups, up to which the most compact assignment is looked for among all


class Solution(NamedTuple):
    """What the solver found: a value for each column or None, the objective, a bound of it, and the nodes it took."""

    x: np.ndarray | None
    objective: float
    bound: float  # infinite where there is none
    optimal: bool
    infeasible: bool
    nodes: int


class IntegerProgram:
    """A mixed-integer program that grows by columns and rows, solved by HiGHS.

    Examples
    --------
    >>> program = IntegerProgram()
    >>> a, b = program.column(integer=True), program.column(upper=1.0, integer=True)
    >>> _ = program.row([(a, 2.0), (b, 3.0)], low=7.0)
    >>> program.solve([(a, 1.0), (b, 1.25)]).x.tolist()
    [2.0, 1.0]
    """

    def __init__(self):
        self.lower, self.upper, self.integer = [], [], []
        self.low, self.high = [], []
        self._columns, self._coefficients, self._starts = [], [], [0]

    def column(self, lower: float = 0.0, upper: float = math.inf, *, integer: bool = False) -> int:
        """Add a column, return its number."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.integer.append(integer)
        return len(self.lower) - 1

    def row(self, terms: Terms, low: float = -math.inf, high: float = math.inf) -> int:
        """Ask for low <= sum of the terms <= high; return the number of the row."""
        for column, coefficient in terms:
            self._columns.append(column)
            self._coefficients.append(coefficient)
        self._starts.append(len(self._columns))
        self.low.append(low)
        self.high.append(high)
        return len(self.low) - 1

    def work(self, nodes: int = 1) -> int:
        """Return the work of a solution: nodes, one at least, each by the cube of the integer columns and by all."""
        return (sum(self.integer) ** 3 + _WORK_PER_COLUMN * len(self.integer)) * max(nodes, 1)

    def solver(self, cost: Terms) -> highspy.Highs:
        """Return HiGHS with the program and a cost to minimise, not yet run."""
        objective = np.zeros(len(self.lower))
        for column, coefficient in cost:
            objective[column] += coefficient
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.lower), len(self.low)
        model.col_cost_, model.col_lower_, model.col_upper_ = objective, np.array(self.lower), np.array(self.upper)
        model.row_lower_, model.row_upper_ = np.array(self.low), np.array(self.high)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.num_col_, model.a_matrix_.num_row_ = model.num_col_, model.num_row_
        model.a_matrix_.start_ = np.array(self._starts, np.int32)
        model.a_matrix_.index_ = np.array(self._columns, np.int32)
        model.a_matrix_.value_ = np.array(self._coefficients, float)
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if integer else kinds.kContinuous for integer in self.integer]
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.passModel(model)
        return solver

    def solve(self, cost: Terms, *, gap: float = PROVED, nodes: int = MOST_NODES) -> Solution:
        """Minimise a cost."""
        solver = self.solver(cost)
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_max_nodes", nodes)
        solver.run()
        if solver.getModelStatus() == highspy.HighsModelStatus.kSolveError:  # its presolve may lose a solution by 1e-6
            solver.setOptionValue("presolve", "off")
            solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        optimal = status == highspy.HighsModelStatus.kOptimal
        feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Solution(
            np.array(solver.getSolution().col_value) if feasible else None,
            info.objective_function_value,
            info.mip_dual_bound if any(self.integer) else info.objective_function_value if optimal else -math.inf,
            optimal,
            status == highspy.HighsModelStatus.kInfeasible,
            max(int(info.mip_node_count), 0),
        )


class Assignment(NamedTuple):
    """Who is where: people, databases and presence by server and group."""

    people: np.ndarray
    databases: np.ndarray
    present: np.ndarray


class Attempt(NamedTuple):
    """Whether some servers hold the demand: an `Assignment` or None, whether that is certain, and the work it took."""

    assignment: Assignment | None
    certain: bool
    work: int


@dataclass
class AssignmentColumns:
    """The columns of an assignment by unit and group: people, servers with the group, databases; terms of memory."""

    people: dict = field(default_factory=dict)
    present: dict = field(default_factory=dict)
    databases: dict = field(default_factory=dict)
    room: dict = field(default_factory=dict)  # terms of how many people the memory rows reached have room for
    memory: list = field(default_factory=list)

    def read(self, x: np.ndarray, key: tuple[int, int]) -> tuple[float, float, int]:
        """Return the people of a group on a single server in a solution, the room for them, and whether it is there."""
        present = round(x[self.present[key]])
        room = 0.0
        for column, coefficient in self.room[key]:
            whole = round(x[column])  # which the solver means, where it is this near
            room += present * coefficient * (whole if abs(x[column] - whole) < 1e-5 else x[column])
        return min(round(max(x[self.people[key]], 0.0), 6), room), room, present


def add_assignment(
    program: IntegerProgram,
    problem: ServerSetProblem,
    kinds: Sequence[int],
    servers: Sequence[Terms],
    scale: int,
    largest: float,
    *,
    single: Sequence[bool],
    within: np.ndarray | None = None,
    whole_rows: bool = False,
    part: int | None = None,
) -> AssignmentColumns:
    """Add an assignment of the demand to units, each so many servers of a kind; return its columns.

    `scale` is the column of how much of the demand, `largest` the largest it can be. A `single` unit is one server, for
    which the program is exact. Others are a relaxation of several: their memory is the convex lower bound of the table,
    or the number of their servers that reach a memory row is whole (`whole_rows`). `within`, units × groups, says which
    groups may be on which unit; `part` is the column of how much of each group's presence and databases is asked for.
    """
    columns, most = AssignmentColumns(), problem.people * largest
    joined = np.ones(len(problem.people)) if problem.joined is None else problem.joined
    one = program.column(1.0, 1.0)
    for unit, (kind, count, exact) in enumerate(zip(kinds, servers, single, strict=True)):
        memory, groups = [], []
        for group in map(int, problem.serves(kind)):
            rows = problem.rows_on(kind, group, most[group])
            if rows and (within is None or within[unit, group]):
                groups.append(group)
                places = [(column, coefficient * joined[group]) for column, coefficient in count]
                if exact or whole_rows:
                    memory += _add_group(program, problem, columns, (unit, group), rows, places, exact)
                else:
                    memory += _add_group_on_several(program, problem, columns, (unit, group), rows, places)
        columns.memory += memory
        if groups:
            _add_limits(program, problem, columns, unit, groups, kind, count, memory, exact)
    for group, people in enumerate(problem.people):  # all of every group is somewhere, and its databases
        here = [key for key in columns.people if key[1] == group]
        program.row([*((columns.people[key], 1.0) for key in here), (scale, -people)], low=0)
        asked = one if part is None else part
        program.row([*((columns.present[key], 1.0) for key in here), (asked, -joined[group])], low=0)
        if problem.databases_mb[group]:
            program.row([*((columns.databases[key], 1.0) for key in here), (asked, -1.0)], low=0, high=0)
    return columns


def _add_group(program, problem, columns, key, rows, places, single):
    """Add a group on a unit: its people, and how many servers have reached each memory row; return its memory's terms.

    A row is reached after the one before, and adds the memory by which it is above that one's end.
    """
    room, memory, before, below = [], [], places, 0.0
    for low, high, base, slope in rows:
        reached, wide = program.column(upper=1.0 if single else np.inf, integer=True), high - low
        program.row([(reached, 1.0), *((column, -coefficient) for column, coefficient in before)], high=0)
        memory.append((reached, base - below))
        if slope > 0:  # the next row is reached after all of this one
            filled = program.column()
            program.row([(filled, 1.0), (reached, -wide)], high=0)
            memory.append((filled, slope))
            room.append((filled, 1.0))
            before = [(filled, 1 / wide)] if wide > 0 else [(reached, 1.0)]
        else:
            room.append((reached, wide))
            before = [(reached, 1.0)]
        below = base + slope * wide
    _add_people(program, problem, columns, key, memory[0][0], room, single)
    return memory


def _add_group_on_several(program, problem, columns, key, rows, places):
    """Add a group on a unit of several servers, their memory rows in any mixture; return its memory's terms.

    The least memory of a mixture is the convex line below the ends of the rows. So the parts of this line are filled in
    order without a column that says so.
    """
    present = program.column()
    program.row([(present, 1.0), *((column, -coefficient) for column, coefficient in places)], high=0)
    room, memory = [], [(present, rows[0][2])]
    for low, high, slope in convex_line_below(rows):
        if slope > 0:
            filled = program.column()
            program.row([(filled, 1.0), (present, low - high)], high=0)
            memory.append((filled, slope))
            room.append((filled, 1.0))
        else:
            room.append((present, high - low))
    _add_people(program, problem, columns, key, present, room, single=False)
    return memory


def convex_line_below(rows: Sequence[tuple]) -> list[tuple]:
    """Return the convex line below memory rows, from the first one's beginning to the ends of rows.

    Its parts are people above, people to, and MB for each further person.
    """
    ends = [(high, base + slope * (high - low)) for low, high, base, slope in rows]
    line = [(rows[0][0], rows[0][2])]
    while line[-1][0] < ends[-1][0]:
        people, mb = line[-1]
        slopes = [((there - mb) / (end - people), -end) for end, there in ends if end > people]
        slope, end = min(slopes)
        line.append((-end, mb + slope * (-end - people)))
    return [(low, high, (there - here) / (high - low)) for (low, here), (high, there) in itertools.pairwise(line)]


def _add_people(program, problem, columns, key, present, room, single):
    """Add the people of a group on a unit, within their room, and its databases."""
    people = program.column()
    program.row([(people, 1.0), *((column, -coefficient) for column, coefficient in room)], high=0)
    columns.people[key], columns.present[key], columns.room[key] = people, present, room
    if problem.databases_mb[key[1]]:
        columns.databases[key] = program.column(upper=1.0, integer=single)
        program.row([(columns.databases[key], 1.0), (present, -1.0)], high=0)


def _add_limits(program, problem, columns, unit, groups, kind, count, memory, single):
    """Add the limits of a unit: memory, processors in each hour, disks."""
    people = [(group, columns.people[unit, group]) for group in groups]
    room = lambda size: [(column, -size * coefficient) for column, coefficient in count]  # noqa: E731
    if np.isfinite(problem.ram_mb[kind]):
        program.row([*memory, *room(problem.ram_mb[kind])], high=0)
    for hour in problem.hours:
        program.row([*((column, problem.share[kind, g] * hour[g]) for g, column in people), *room(1.0)], high=0)
    factor, step = problem.paging
    if not factor:
        return
    stored = [(column, problem.mb_each[g]) for g, column in people if problem.mb_each[g]]
    stored += [(columns.databases[unit, g], problem.databases_mb[g]) for g in groups if (unit, g) in columns.databases]
    paging = program.column(integer=single)
    program.row([(paging, step), *((column, -factor * coefficient) for column, coefficient in memory)], low=0)
    program.row([*stored, (paging, step), *room(problem.usable_mb)], high=0)


def assign_to_servers(
    problem: ServerSetProblem, kinds: Sequence[int], scale: float = 1.0, *, nodes: int = MOST_NODES
) -> Attempt:
    """Return an assignment of the demand to single servers, any that fits, exactly; `kinds` has the kind of each."""
    if not len(kinds):
        return Attempt(None, True, 0)
    program, _, columns = _demand_on_single_servers(problem, kinds, scale, scale)
    solution = program.solve([], gap=ANY_FEASIBLE, nodes=nodes)
    assignment = None if solution.x is None else _assignment_of(solution.x, problem, len(kinds), columns, scale)
    return Attempt(assignment, assignment is not None or solution.infeasible, program.work(solution.nodes))


def most_compact_assignment(problem: ServerSetProblem, kinds: Sequence[int], assignment: Assignment) -> Assignment:
    """Return an assignment with (nearly) the least memory and pieces of groups, of one that fits.

    Of many servers no piece comes up that the given one has not; one of very many pieces stays as it is.
    """
    if np.count_nonzero(assignment.present) > _COMPACT_PIECES:
        return assignment
    within = None if len(kinds) * len(problem.people) <= _COMPACT_AMONG_ALL else assignment.present
    program, _, columns = _demand_on_single_servers(problem, kinds, 1.0, 1.0, within)
    pieces = [(column, 1.0) for column in columns.present.values()]
    solution = program.solve([*columns.memory, *pieces], gap=_COMPACT_GAP)
    return assignment if solution.x is None else _assignment_of(solution.x, problem, len(kinds), columns, 1.0)


def largest_scale_together(problem: ServerSetProblem, kinds: Sequence[int]) -> tuple[float, dict[int, np.ndarray]]:
    """Return how many times the demand servers hold at most, were those of a kind one large server; then its people.

    These are the people of each of `ServerSetProblem.like_groups`, by kind.
    """
    program, (units, counts) = IntegerProgram(), np.unique(kinds, return_counts=True)
    one, scale = program.column(1.0, 1.0), program.column(0.0, LARGEST_SCALE)
    servers, joined = [[(one, float(count))] for count in counts], problem.with_like_groups_joined
    columns = add_assignment(program, joined, units, servers, scale, LARGEST_SCALE, single=[False] * len(units))
    solution = program.solve([(scale, -1.0)])
    people = {unit: np.zeros(len(joined.people)) for unit in units.tolist()}
    if solution.x is None:
        return 0.0, people
    for (unit, group), column in columns.people.items():
        people[int(units[unit])][group] = solution.x[column]
    return float(solution.x[scale]) * (1 + 1e-6), people


def largest_scale(
    problem: ServerSetProblem, kinds: Sequence[int], high: float, *, nodes: int = MOST_NODES
) -> tuple[float, float]:
    """Return how many times the demand, `high` at most, fits on single servers: at least, and at most."""
    program, scale, _ = _demand_on_single_servers(problem, kinds, 0.0, high)
    solution = program.solve([(scale, -1.0)], nodes=nodes)
    if solution.infeasible:
        return 0.0, 0.0
    low = 0.0 if solution.x is None else float(solution.x[scale])
    return low, low if solution.optimal else min(high, max(-solution.bound, low))


def _demand_on_single_servers(problem, kinds, least, most, within=None):
    """A program of so many times the demand on single servers; the column of how many times, and the others."""
    program = IntegerProgram()
    one, scale = program.column(1.0, 1.0), program.column(least, most)
    servers, single = [[(one, 1.0)]] * len(kinds), [True] * len(kinds)
    columns = add_assignment(program, problem, kinds, servers, scale, most, single=single, within=within)
    return program, scale, columns


def _assignment_of(x, problem, servers, columns, scale):
    people, databases, present, room = (np.zeros((servers, len(problem.people))) for _ in range(4))
    for key in columns.people:
        people[key], room[key], present[key] = columns.read(x, key)
    for key, column in columns.databases.items():
        databases[key] = round(x[column])
    return assignment_without_rounding(people, room, problem.people * scale, databases > 0, present > 0)


def assignment_without_rounding(
    people: np.ndarray, room: np.ndarray, wanted: np.ndarray, databases: np.ndarray, present: np.ndarray
) -> Assignment:
    """Return an assignment freed from the solver's rounding: people add up, and nobody is beyond a memory row."""
    for group, total in enumerate(wanted):
        for _ in range(len(people)):
            rest = total - people[:, group].sum()
            spare = room[:, group] - people[:, group] if rest > 0 else people[:, group]
            largest = int(np.argmax(spare))
            people[largest, group] += np.clip(rest, -spare[largest], spare[largest])
    return Assignment(people, databases, (people > 0) | databases | present & (wanted == 0))


def relax_and_fix(problem: ServerSetProblem, kinds: Sequence[int], scale: float = 1.0) -> Attempt:
    """Return an assignment of the demand to single servers, kind after kind; where it does not fit, nothing is certain.

    Each server is filled so that the rest of the demand takes the least of the other servers, if these held it
    together. Where groups are large, like servers get the same.
    """
    wanted = problem.people * scale
    unassigned, databases_mb, waiting = wanted.copy(), problem.databases_mb.copy(), np.ones(len(wanted), bool)
    people, room, databases, present = (np.zeros((len(kinds), len(wanted))) for _ in range(4))
    at, work = 0, 0
    order = sorted(
        range(len(kinds)), key=lambda k: (len(problem.serves(kinds[k])), -problem.ram_mb[kinds[k]], kinds[k])
    )
    while at < len(order) and (waiting | (databases_mb > 0)).any():
        groups = np.flatnonzero(waiting | (databases_mb > 0))
        fullest = _fullest_first_server(problem.rest(groups, unassigned, databases_mb), [kinds[k] for k in order[at:]])
        work += 1
        if fullest is None:
            return Attempt(None, False, work)
        here, space, held, there = fullest
        # Of the servers that are alike half get the same, at most, while there are people for it.
        alike, taken = sum(kinds[k] == kinds[order[at]] for k in order[at:]), here > _NOBODY
        enough = int(np.min(unassigned[groups][taken] // here[taken])) if taken.any() else 1
        for copy in range(max(min(enough, alike // 2), 1)):
            server = order[at]
            people[server, groups], room[server, groups], present[server, groups] = here, space, there
            databases[server, groups] = held * (copy == 0)
            at += 1
            unassigned[groups] -= here
        databases_mb[groups[held > 0]] = 0.0
        unassigned[unassigned < _NOBODY] = 0.0
        waiting[groups] &= (unassigned[groups] > 0) | ((there == 0) & (wanted[groups] == 0))
    if (waiting | (databases_mb > 0)).any():
        return Attempt(None, False, work)
    return Attempt(assignment_without_rounding(people, room, wanted, databases > 0, present > 0), True, work)


def _fullest_first_server(problem, kinds):
    """People, room, databases and presence by group on the first of the servers; None where the rest is too much."""
    rest, counts = np.unique(kinds[1:], return_counts=True)
    program = IntegerProgram()
    one, less, scale = program.column(1.0, 1.0), program.column(0.0, 1.0), program.column(1.0, 1.0)
    servers = [[(one, 1.0)], *([(one, float(count)), (less, -float(count))] for count in counts)]
    single = [True] + [False] * len(rest)
    units = [kinds[0], *map(int, rest)]
    columns = add_assignment(program, problem, units, servers, scale, 1.0, single=single)
    solution = program.solve([(less, -1.0)], gap=_FULL_GAP, nodes=_FULL_NODES)
    if solution.x is None:
        return None
    here, room, held, there = (np.zeros(len(problem.people)) for _ in range(4))
    for unit, group in columns.people:
        if unit == 0:
            here[group], room[group], there[group] = columns.read(solution.x, (unit, group))
            held[group] = round(solution.x[columns.databases[0, group]]) if (0, group) in columns.databases else 0.0
    return here, room, held, there


def fill_one_by_one(problem: ServerSetProblem, kinds: Sequence[int], scale: float = 1.0) -> Attempt:
    """Return an assignment of the demand to single servers, filled in turn; where it does not fit, nothing is certain.

    A server takes the largest group that it holds whole, then the next one, then part of a group. The largest is the
    one that needs most of the server: of its processors, memory or disks. Like groups are on the kinds on which they
    would be if the servers of a kind were one, then wherever there is room. Databases go with the first people.
    """
    wanted = problem.people * scale
    unassigned, waiting, mb_each = wanted.copy(), np.ones(len(wanted), bool), problem.mb_each
    people, databases, present = (np.zeros((len(kinds), len(wanted))) for _ in range(3))
    like, (factor, step) = np.zeros(len(wanted), int), problem.paging
    for number, groups in enumerate(problem.like_groups):
        like[groups] = number
    one_of = [groups[0] for groups in problem.like_groups]
    rows = [problem.rows[g] for g in one_of]
    largest, meant = largest_scale_together(problem, kinds)
    for server in sorted(range(len(kinds)), key=lambda k: (-problem.ram_mb[kinds[k]], kinds[k])):
        kind, load, memory_mb, disk_mb = kinds[server], np.zeros(len(problem.hours)), 0.0, 0.0
        load_each = problem.hours[:, one_of] * np.nan_to_num(problem.share[kind, one_of], nan=np.inf)
        able, ram_mb, rest = waiting & ~np.isnan(problem.share[kind]), problem.ram_mb[kind], meant[kind]
        while True:
            with np.errstate(divide="ignore", invalid="ignore"):
                by_load = np.where(load_each > 0, (1 - load)[:, None] / load_each, np.inf).min(axis=0)
            room = np.minimum(by_load, [_most_in_memory(each, ram_mb - memory_mb) for each in rows])
            groups = np.flatnonzero(able & (room[like] >= np.minimum(unassigned, 1)))
            here, databases_mb = np.minimum(unassigned, room[like])[groups], problem.databases_mb[groups]
            databases_mb = np.where(unassigned[groups] == wanted[groups], databases_mb, 0.0)
            mb = _memory_mb(problem, groups, like[groups], here)
            free_mb = problem.usable_mb - disk_mb - databases_mb
            free_mb -= step * np.ceil(factor * (memory_mb + mb) / step - 1e-9)
            here = np.where(here * mb_each[groups] <= free_mb, here, free_mb // np.maximum(mb_each[groups], 1e-9))
            whole = (here >= unassigned[groups]) & (free_mb >= 0)
            here = np.where(whole, here, np.floor(here))
            fits = whole | (here >= 1)
            if not fits.any():
                break
            uses = [
                load_each[:, like[groups]].max(axis=0) * here,
                mb / ram_mb,
                here * mb_each[groups] / problem.usable_mb,
            ]
            rank = np.max(uses, axis=0) + 2 * whole + 4 * (rest[like[groups]] > 0)
            best = int(np.argmax(np.where(fits, rank, -1)))
            group, count = groups[best], here[best]
            people[server, group], present[server, group] = count, 1
            databases[server, group] = databases_mb[best] > 0
            unassigned[group] -= count
            rest[like[group]] -= count * largest / scale
            load = load + load_each[:, like[group]] * count
            memory_mb += _memory_mb(problem, groups[[best]], like[groups[[best]]], here[[best]])[0]
            disk_mb += databases_mb[best] + mb_each[group] * count
            able[group], waiting[group] = False, not whole[best]
        if not waiting.any():
            return Attempt(Assignment(people, databases > 0, present > 0), True, 1)
    return Attempt(None, False, 1)


def _most_in_memory(rows, mb):
    """The most people of a group on a server whose memory is so much; below 0 where the first one has no room."""
    most = -1.0
    for low, high, base, slope in rows:
        if base > mb:
            break
        most = min(high, low + (mb - base) / slope) if slope > 0 else high
    return most


def _memory_mb(problem, groups, like, people):
    """The memory of so many people of each group, by the rows of the groups that are like it."""
    mb = np.zeros(len(groups))
    for number in np.unique(like):
        low, high, base, slope = np.array(problem.rows[problem.like_groups[number][0]]).T
        here = people[like == number]
        row = np.searchsorted(high, here)
        mb[like == number] = base[row] + slope[row] * np.maximum(here - low[row], 0.0)
    return mb
