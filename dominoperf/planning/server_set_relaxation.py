"""Sets of servers proposed in the order of their price, by what the servers of each kind hold together at most."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import highspy
import numpy as np

from dominoperf.planning.assignment import LARGEST_SCALE, IntegerProgram, add_assignment
from dominoperf.planning.server_set_problem import ServerSetProblem, server_kinds_left

_PRICE_GAP = 1e-9  # of the price: sets are told apart by cents
_CENT = 0.01
_NODES = 300  # of branch and bound for one proposal: without an answer by then its bound still counts
_SHORTFALL = 1e-5  # of the demand, by which servers are short of it and not the solver's rounding


class ServerSetFound(NamedTuple):
    """The best set of servers that was found, and the bound of all others.

    A set that is known to be the best is `proved`. So is None, where it is known that there is no set.
    """

    numbers: tuple | None  # servers of each kind
    bound: float  # a price below which there is no set; of `ServerSetRelaxation.largest` the most of the demand held
    proved: bool
    work: int = 0


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

    def part_and_gains(self, numbers: Sequence[int]) -> tuple[float, np.ndarray]:
        """Return the part that so many servers of each kind hold, at most 1, and by how much one more of a kind adds.

        The part is concave in the numbers: of other numbers it is at most ``part + gains @ (others - numbers)``.
        """
        for column, number in zip(self._numbers, numbers, strict=True):
            self._solver.changeColBounds(column, float(number), float(number))
        self._solver.run()
        solution = self._solver.getSolution()
        return solution.col_value[self._part], np.maximum(-np.array(solution.col_dual)[self._numbers], 0.0)


class ServerSetRelaxation:
    """What sets of servers hold at most, the memory rows of the servers of a kind in any mixture.

    A mixture of rows is a line below the memory tables, so the cheapest set of this mixed-integer program is nowhere
    dearer than the cheapest that the rules allow, server by server. Sets that were found not to be enough are excluded
    with all their parts. With spare servers a set must be enough without those that fail: what is left holds at most
    what the gains of `PartOfDemandHeld` say, and each set that falls short adds a row that asks for enough (Benders'
    decomposition).

    Parameters
    ----------
    problem : ServerSetProblem
    scale : float, optional
        How much of the demand; none to leave it free, for `largest`.
    limit_usd : float
        No dearer set is looked for.
    kinds : sequence of int
        Of which servers may be taken.
    whole_rows : bool
        Whether the servers in each memory row are whole numbers: a tighter bound, slower.
    """

    def __init__(
        self,
        problem: ServerSetProblem,
        scale: float | None,
        limit_usd: float,
        kinds: Sequence[int],
        *,
        whole_rows: bool = False,
    ):
        self.problem, self.whole_rows = problem, whole_rows
        joined = problem.with_like_groups_joined
        limit_usd *= 1 + 1e-12
        self.upper = np.zeros(len(problem.names), int)
        self.upper[kinds] = np.minimum(np.floor(limit_usd / problem.price_usd[kinds]), problem.max_servers)
        self.program, self._reached = IntegerProgram(), {}
        self._kinds = np.flatnonzero(self.upper)
        self.numbers = {kind: self.program.column(0, float(self.upper[kind]), integer=True) for kind in self._kinds}
        self.scale = self.program.column(*((0.0, LARGEST_SCALE) if scale is None else (scale, scale)))
        self._cost = [(column, problem.price_usd[kind]) for kind, column in self.numbers.items()]
        self._price = self.program.row(self._cost, high=limit_usd)
        if problem.max_servers < math.inf:
            self.program.row([(column, 1.0) for column in self.numbers.values()], high=problem.max_servers)
        self.program.row([(column, 1.0) for column in self.numbers.values()], low=problem.spare + 1)
        self._held = PartOfDemandHeld(joined, self._kinds, scale) if problem.spare and scale else None
        if whole_rows or self._held is None:
            servers, together = [[(self.numbers[kind], 1.0)] for kind in self._kinds], [False] * len(self._kinds)
            largest = LARGEST_SCALE if scale is None else scale
            add_assignment(
                self.program, joined, self._kinds, servers, self.scale, largest, single=together, whole_rows=whole_rows
            )

    def exclude_parts_of(self, numbers: Sequence[int]) -> None:
        """Leave out a set and all its parts: of some kind there must be more."""
        more = [self._number_reaches(kind, count + 1) for kind, count in enumerate(numbers) if count < self.upper[kind]]
        self.program.row([(column, 1.0) for column in more], low=1)

    def exclude_additions_to(self, numbers: Sequence[int]) -> None:
        """Leave out the sets that have all of a set: of some kind there must be fewer."""
        every = [
            self._number_reaches(kind, count) for kind, count in enumerate(numbers) if 0 < count <= self.upper[kind]
        ]
        if len(every) == np.count_nonzero(numbers):
            self.program.row([(column, 1.0) for column in every], high=len(every) - 1)

    def raise_bound(self, usd: float) -> None:
        """Look for no cheaper set: it is known that there is none, and the solver need not find that again."""
        self.program.low[self._price] = max(self.program.low[self._price], usd - _CENT / 2)

    def _number_reaches(self, kind, count):
        """The column of whether there are so many servers of a kind: 1 just where number >= count.

        Two rows say so: at 1 the number is at least the count, at 0 it is at most one less.
        """
        if (kind, count) not in self._reached:
            column = self._reached[kind, count] = self.program.column(upper=1.0, integer=True)
            number, most = self.numbers[kind], float(self.upper[kind])
            self.program.row([(number, 1.0), (column, -float(count))], low=0)
            self.program.row([(number, 1.0), (column, count - 1 - most)], high=count - 1)
        return self._reached[kind, count]

    def least_price_with_each(self) -> np.ndarray:
        """Return for each kind of system a price in USD below which there is no set with a server of it.

        It is the price of the linear program plus the reduced cost of the kind. A solution with a server of the kind
        costs at least this, as the duals of a linear program bound the cost of each of its solutions. What servers hold
        together does not grow when some of them may fail, so the bound is right with spare servers too.
        """
        solver = self.program.solver(self._cost)
        solver.setOptionValue("solve_relaxation", True)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return np.zeros(len(self.upper))
        least_usd = np.full(len(self.upper), math.inf)
        reduced_usd = np.array(solver.getSolution().col_dual)[list(self.numbers.values())]
        least_usd[self._kinds] = solver.getInfo().objective_function_value + np.maximum(reduced_usd, 0.0) - _CENT
        return least_usd

    def cheapest(self) -> ServerSetFound:
        """Return the cheapest set, its bound a price in USD."""
        work, last = 0, None
        while True:
            proposal = self._proposal(self.program.solve(self._cost, gap=_PRICE_GAP, nodes=_NODES), 1.0)
            work += proposal.work
            if self._held is None or proposal.numbers in (None, last):
                return proposal._replace(work=work)
            last, short = proposal.numbers, False
            if proposal.proved:
                self.raise_bound(proposal.bound)
            for left in server_kinds_left(last, self.problem.spare):
                numbers = np.bincount(left, minlength=len(last))[self._kinds]
                part, gains = self._held.part_and_gains(numbers)
                work += self._held.work
                if part < 1 - _SHORTFALL:
                    short = True
                    self._add_benders_row(gains, 1 - part + gains @ numbers)
            if not short:
                return proposal._replace(work=work)

    def _add_benders_row(self, gains, least):
        """Ask that the gains of all servers but the `spare` ones that gain most add up to at least so much.

        The sum of the n greatest is the least of ``n t + sum of what each is above t`` over all t.
        """
        spare, level = self.problem.spare, self.program.column()
        lost = [(level, -float(spare))]
        for kind, gain in zip(self._kinds, gains, strict=True):
            for count in range(1, 1 + min(spare, self.upper[kind])) if gain > 0 else ():
                above = [(self.program.column(), 1.0)] if spare > 1 else []
                lost += [(column, -1.0) for column, _ in above]
                self.program.row([(level, 1.0), *above, (self._number_reaches(kind, count), -gain)], low=0)
        every = [(self.numbers[kind], gain) for kind, gain in zip(self._kinds, gains, strict=True) if gain > 0]
        self.program.row([*every, *lost], low=least - _SHORTFALL / 10)

    def largest(self) -> ServerSetFound:
        """Return the set that holds most, its bound how many times the demand."""
        return self._proposal(self.program.solve([(self.scale, -1.0)], nodes=_NODES), -1.0)

    def _proposal(self, solution, sign):
        """The solver's answer as a set; the sign turns its objective into a price or a share of the demand."""
        work = self.program.work(solution.nodes)
        if solution.infeasible:
            return ServerSetFound(None, sign * math.inf, True, work)
        bound = solution.objective if solution.optimal else solution.bound
        numbers = None
        if solution.x is not None:
            numbers = np.zeros(len(self.upper), int)
            numbers[self._kinds] = np.round(solution.x[list(self.numbers.values())])
            numbers = tuple(numbers.tolist())
        return ServerSetFound(numbers, sign * (bound if math.isfinite(bound) else -math.inf), solution.optimal, work)
