"""The assignment of people to servers: integer programs over single servers, which are exact, or over many together."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import highspy
import numpy as np

from dominoperf.planning.server_set_problem import ServerSetProblem

TIGHT, FIRST = 1e-6, 1.0  # gaps at which a search ends: proved, any that fits
NODES = 2_000  # nodes, not seconds: the same answer on every machine
_EACH = 500  # of a column in the work at a node
Terms = Iterable[tuple[int, float]]
"""A sum: pairs of column and coefficient."""
LARGEST_SCALE = 1e3  # times the demand: headroom beyond it is not looked for
_NEAT = 0.01  # of memory and pieces, how near to the least an assignment is to be
_NEAR, _NODES = 0.05, 50  # how near to the fullest, and after how many nodes, a server is full enough
_NOBODY = 1e-5  # people that are the solver's rounding
_INTEGER_COLUMNS_SOLVED_AS_A_WHOLE = (
    80  # integer columns, up to which the most compact assignment is looked for among all
)


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
        return (sum(self.integer) ** 3 + _EACH * len(self.integer)) * max(nodes, 1)

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

    def solve(self, cost: Terms, *, gap: float = TIGHT, nodes: int = NODES) -> Solution:
        """Minimise a cost."""
        solver = self.solver(cost)
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_max_nodes", nodes)
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
    counted: bool = False,
    part: int | None = None,
) -> AssignmentColumns:
    """Add an assignment of the demand to units, each so many servers of a kind; return its columns.

    Parameters
    ----------
    kinds : sequence of int
        The kind of each unit.
    servers : sequence of terms
        How many servers each unit is.
    scale : int
        The column of how much of the demand.
    largest : float
        The largest it can be.
    single : sequence of bool
        Whether a unit is one server, for which the program is exact; else it is what several hold together at most:
        their memory rows in any mixture, which is a line below the tables.
    within : array, units × groups, optional
        Which groups may be on which unit.
    counted : bool
        Whether the servers in each memory row of a unit are whole numbers.
    part : int, optional
        The column of how much of each group's presence and databases is asked for; by default all of it.
    """
    columns, most = AssignmentColumns(), problem.people * largest
    for unit, (kind, count, exact) in enumerate(zip(kinds, servers, single, strict=True)):
        memory, groups = [], []
        for group in map(int, problem.serves(kind)):
            rows = problem.rows_on(kind, group, most[group])
            if rows and (within is None or within[unit, group]):
                groups.append(group)
                memory += _add_group(program, problem, columns, (unit, group), rows, count, exact, counted)
        columns.memory += memory
        if groups:
            _add_limits(program, problem, columns, unit, groups, kind, count, memory, exact)
    for group, people in enumerate(problem.people):  # all of every group is somewhere, and its databases
        here = [key for key in columns.people if key[1] == group]
        program.row([*((columns.people[key], 1.0) for key in here), (scale, -people)], low=0)
        asked, all_of_it = ([], 1.0) if part is None else ([(part, -1.0)], 0.0)
        program.row([*((columns.present[key], 1.0) for key in here), *asked], low=all_of_it)
        if problem.databases_mb[group]:
            databases = [*((columns.databases[key], 1.0) for key in here), *asked]
            program.row(databases, low=all_of_it, high=all_of_it)
    return columns


def _add_group(program, problem, columns, key, rows, count, single, counted):
    """Add a group on a unit: its people, and how many servers have reached each memory row; return its memory's terms.

    A row is reached after the one before, and adds the memory by which it is above that one's end.
    """
    room, memory, before, below = [], [], list(count), 0.0
    for low, high, base, slope in rows:
        reached, wide = program.column(upper=1.0 if single else np.inf, integer=single or counted), high - low
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
    people = program.column()
    program.row([(people, 1.0), *((column, -coefficient) for column, coefficient in room)], high=0)
    columns.people[key], columns.present[key], columns.room[key] = people, memory[0][0], room
    if problem.databases_mb[key[1]]:
        columns.databases[key] = program.column(upper=1.0, integer=single)
        program.row([(columns.databases[key], 1.0), (columns.present[key], -1.0)], high=0)
    return memory


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


class PartOfDemandHeld:
    """The part of a demand that servers of some kinds hold, were those of a kind one large server: a linear program."""

    def __init__(self, problem: ServerSetProblem, kinds: Sequence[int], scale: float):
        program = IntegerProgram()
        self._numbers, self._part = [program.column(0.0, 0.0) for _ in kinds], program.column(0.0, 1.0)
        demand = program.column(0.0, scale)
        program.row([(demand, 1.0), (self._part, -scale)], low=0, high=0)
        servers, single = [[(column, 1.0)] for column in self._numbers], [False] * len(kinds)
        add_assignment(program, problem, kinds, servers, demand, scale, single=single, part=self._part)
        self._solver = program.solver([(self._part, -1.0)])
        self.work = program.work()

    def of(self, numbers: Sequence[int]) -> tuple[float, np.ndarray]:
        """Return the part that so many servers of each kind hold, at most 1, and by how much one more of a kind adds.

        The part is concave in the numbers: of other numbers it is at most ``part + gains @ (others - numbers)``.
        """
        for column, number in zip(self._numbers, numbers, strict=True):
            self._solver.changeColBounds(column, float(number), float(number))
        self._solver.run()
        solution = self._solver.getSolution()
        return solution.col_value[self._part], np.maximum(-np.array(solution.col_dual)[self._numbers], 0.0)


def assign_to_servers(
    problem: ServerSetProblem, kinds: Sequence[int], scale: float = 1.0, *, nodes: int = NODES
) -> Attempt:
    """Return an assignment of the demand to single servers, any that fits, exactly; `kinds` has the kind of each."""
    if not len(kinds):
        return Attempt(None, True, 0)
    program, _, columns = _demand_on_single_servers(problem, kinds, (scale, scale), scale)
    solution = program.solve([], gap=FIRST, nodes=nodes)
    assignment = None if solution.x is None else _assignment_of(solution.x, problem, len(kinds), columns, scale)
    return Attempt(assignment, assignment is not None or solution.infeasible, program.work(solution.nodes))


def most_compact_assignment(problem: ServerSetProblem, kinds: Sequence[int], assignment: Assignment) -> Assignment:
    """Return an assignment with (nearly) the least memory and pieces of groups, of one that fits.

    Of many servers no piece comes up that the given one has not.
    """
    few = len(kinds) * len(problem.people) * 5 <= 3 * _INTEGER_COLUMNS_SOLVED_AS_A_WHOLE
    program, _, columns = _demand_on_single_servers(
        problem, kinds, (1.0, 1.0), 1.0, None if few else assignment.present
    )
    pieces = [(column, 1.0) for column in columns.present.values()]
    solution = program.solve([*columns.memory, *pieces], gap=_NEAT)
    return assignment if solution.x is None else _assignment_of(solution.x, problem, len(kinds), columns, 1.0)


def largest_scale_together(problem: ServerSetProblem, kinds: Sequence[int]) -> float:
    """Return how many times the demand servers hold at most, were those of a kind one large server."""
    program, (units, counts) = IntegerProgram(), np.unique(kinds, return_counts=True)
    one, scale = program.column(1.0, 1.0), program.column(0.0, LARGEST_SCALE)
    servers = [[(one, float(count))] for count in counts]
    add_assignment(program, problem, units, servers, scale, LARGEST_SCALE, single=[False] * len(units))
    solution = program.solve([(scale, -1.0)])
    return 0.0 if solution.x is None else float(solution.x[scale]) * (1 + 1e-6)


def largest_scale(
    problem: ServerSetProblem, kinds: Sequence[int], high: float, *, nodes: int = NODES
) -> tuple[float, float]:
    """Return how many times the demand, `high` at most, fits on single servers: at least, and at most."""
    program, scale, _ = _demand_on_single_servers(problem, kinds, (0.0, high), high)
    solution = program.solve([(scale, -1.0)], nodes=nodes)
    if solution.infeasible:
        return 0.0, 0.0
    low = 0.0 if solution.x is None else float(solution.x[scale])
    return low, low if solution.optimal else min(high, max(-solution.bound, low))


def _demand_on_single_servers(problem, kinds, scale, largest, within=None):
    """A program of the demand on single servers; the column of its scale, between two ends; its other columns."""
    program = IntegerProgram()
    one, column = program.column(1.0, 1.0), program.column(*scale)
    servers, single = [[(one, 1.0)]] * len(kinds), [True] * len(kinds)
    columns = add_assignment(program, problem, kinds, servers, column, largest, single=single, within=within)
    return program, column, columns


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
    solution = program.solve([(less, -1.0)], gap=_NEAR, nodes=_NODES)
    if solution.x is None:
        return None
    here, room, held, there = (np.zeros(len(problem.people)) for _ in range(4))
    for unit, group in columns.people:
        if unit == 0:
            here[group], room[group], there[group] = columns.read(solution.x, (unit, group))
            held[group] = round(solution.x[columns.databases[0, group]]) if (0, group) in columns.databases else 0.0
    return here, room, held, there
