"""The search for the cheapest set of servers: a relaxation proposes sets by price, an exact program accepts or refuses.

Each search has a limit on its work.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dominoperf.planning.assignment import (
    LARGEST_SCALE,
    Assignment,
    IntegerProgram,
    PartOfDemandHeld,
    add_assignment,
    assign_to_servers,
    largest_scale,
    largest_scale_together,
    relax_and_fix,
)
from dominoperf.planning.server_set_problem import ServerSetProblem
from dominoperf.planning.steps import check_number_of_systems

WORK = 2e8  # of a search: nodes, each by the cube of the integer columns
LARGE = 300  # integer columns; where servers take more, they are filled one after the other
_UNDECIDED = 3  # sets of which it is not known whether they are enough, before a search settles for less
_COUNTED = 60  # kinds × groups, up to which servers are counted by memory row from the start
_BISECTIONS = 4  # times that many servers are filled to see how much they hold
_DEAREST = 3.0  # how many times the price of the cheapest set the next ones may have
_WIDER = (1.02, 1.05, 1.1, 1.2, 1.4, 1.8, 2.6)  # of the demand, where the cheapest sets are not known to be enough
_GAP = 1e-9  # of the price: sets are told apart by cents
_CENT = 0.01
_NODES = 300  # of branch and bound for one proposal: without an answer by then its bound still counts
_SHORT = 1e-5  # of the demand, by which servers are short of it and not the solver's rounding


class Answer(NamedTuple):
    """A set of servers, numbers of each kind, or None; and what is known of all others.

    `bound` is a price below which there is no set, or of `ServerSetRelaxation.largest` the share of the demand above
    which there is none. Without numbers and `certain`, there is no set.
    """

    numbers: tuple | None
    bound: float
    certain: bool
    work: int = 0


class ServerSetSearch:
    """The search for sets of servers.

    Sets are proposed in the order of their price by what the servers of a kind hold together (`ServerSetRelaxation`).
    The exact program of the single servers accepts a set or cuts it off with its parts; the first one accepted is the
    cheapest.
    Once its work is spent, a search takes the first set that it happens to find, and says so. With spare servers a set
    must hold the demand without any so many of its servers.

    `work` is what a search for one set may take: a count, not seconds, so that the answer is the same on every machine.
    """

    def __init__(self, problem: ServerSetProblem, work: float = WORK):
        self.problem, self.work = problem, work
        self._infeasible, self._attempts, self._scales, self._bounds = [], {}, {}, []

    def cheapest(self, scale: float = 1.0, beaten: Sequence[tuple] = ()) -> Answer:
        """Return the cheapest set that holds so much of the demand, and does not have all servers of a beaten one."""
        limit = self._limit_usd(scale, beaten)
        if limit <= 0:
            return Answer(None, math.inf, True)
        relaxation, budget = self._relaxation(scale, limit, beaten), self.work
        # A price below which there is no such set, for there is none that holds less or of which less is left out.
        bound = max((usd for at, out, usd in self._bounds if at <= scale and out <= {*beaten}), default=0.0)
        certain, undecided = True, 0
        while undecided < _UNDECIDED:
            relaxation.at_least(bound)
            proposal = relaxation.cheapest()
            budget -= proposal.work
            bound = max(bound, proposal.bound) if certain else bound
            certain &= proposal.certain
            numbers = proposal.numbers
            if numbers is None:
                break
            holds, work = self._holds(numbers, scale, budget)
            budget -= work
            if holds:
                price = self.problem.price(numbers)
                self._bounds.append((scale, frozenset(beaten), price if certain else bound))
                return Answer(numbers, price if certain else min(bound, price), certain)
            undecided += holds is None or budget <= 0
            certain &= holds is not None
            if holds is False:
                numbers, work = self._add_until_sufficient(numbers, scale, limit, min(budget, proposal.work))
                budget -= work
            large = self.problem.integer_columns(sum(numbers)) > LARGE
            if not relaxation.counted and not self.problem.spare and not large:  # a tighter bound, from now on
                relaxation = self._relaxation(scale, limit, beaten, counted=True)
            relaxation.cut_off(numbers)
        if certain and proposal.numbers is None:
            return Answer(None, math.inf, True)
        numbers = self._any_sufficient(scale, limit, beaten)
        return Answer(numbers, bound if numbers is None else min(bound, self.problem.price(numbers)), False)

    def _add_until_sufficient(self, numbers, scale, limit, budget):
        """A set that is not enough with servers added while it is not; what is cut off with it is all its parts."""
        work = 0
        for kind in np.argsort(self.problem.price_usd, kind="stable").tolist():
            while work < budget:
                more = tuple(count + (other == kind) for other, count in enumerate(numbers))
                if self.problem.price(more) > limit or sum(more) > self.problem.max_servers:
                    break
                holds, took = self._holds(more, scale, budget - work)
                work += took
                if holds is not False:
                    break
                numbers = more
        return numbers, work

    def _relaxation(self, scale, limit, beaten, *, counted=False):
        """The program that proposes sets, without those known to be beaten or not to be enough."""
        counted = counted or self.problem.share.size <= _COUNTED
        kinds = self.problem.dominated_at_most(len(beaten))
        relaxation = ServerSetRelaxation(self.problem, scale, limit, kinds, counted=counted)
        for numbers in beaten:
            relaxation.pass_over(numbers)
        for at, numbers in self._infeasible:
            if at <= scale:
                relaxation.cut_off(numbers)
        return relaxation

    def _any_sufficient(self, scale, limit, beaten):
        """A set that is enough for the demand, of those that may hold a little more; None where none is found."""
        for wider in _WIDER:
            numbers = self._relaxation(scale * wider, limit, beaten).cheapest().numbers
            if numbers is None:
                break
            if self._holds(numbers, scale, 0)[0]:
                return numbers
        alone = self._each_group_alone(scale)
        fits = alone is not None and sum(alone) <= self.problem.max_servers and self.problem.price(alone) <= limit
        return alone if fits and not any(np.all(np.less_equal(cheaper, alone)) for cheaper in beaten) else None

    def _holds(self, numbers, scale, budget):
        """Whether a set holds the demand, None where that is not known; and the work it took."""
        work, certain = 0, True
        for kinds in server_kinds_left(numbers, self.problem.spare):
            attempt = self._assign(kinds, scale, budget - work)
            work += attempt.work
            if attempt.assignment is None and attempt.certain:
                self._infeasible.append((scale, numbers))
                return False, work
            certain &= attempt.assignment is not None
        return (True if certain else None), work

    def _assign(self, kinds, scale, budget):
        """An assignment to single servers, if there is one: exact where there is work enough left, else relax and fix.

        An attempt is remembered, but looked at again where it was not certain and there is work left.
        """
        before = self._attempts.get((kinds, scale))
        if before is not None and (before.certain or budget <= 0):
            return before._replace(work=0)
        columns = self.problem.integer_columns(len(kinds))
        if columns > LARGE and columns**3 > budget:
            attempt = relax_and_fix(self.problem, kinds, scale)
        else:
            attempt = assign_to_servers(self.problem, kinds, scale, nodes=int(np.clip(budget / columns**3, 1, 10_000)))
        self._attempts[kinds, scale] = attempt
        return attempt

    def assignment(self, kinds: Sequence[int]) -> Assignment:
        """Return an assignment of the demand to single servers that hold it."""
        return self._assign(tuple(kinds), 1.0, math.inf).assignment

    def working_and_idle(self, numbers: Sequence[int]) -> tuple[tuple, tuple]:
        """Return the kinds of the servers of a set without its dearest spare ones, and those."""
        kinds = sorted(_kind_of_each_server(numbers), key=lambda kind: -self.problem.price_usd[kind])
        spare = self.problem.spare
        return tuple(sorted(kinds[spare:])), tuple(kinds[:spare])

    def largest_scale(self, numbers: Sequence[int]) -> tuple[float, float]:
        """Return how many times the demand fits on a set, whichever of its servers fail: at least, and at most."""
        ends = [self.largest_scale_on(kinds) for kinds in server_kinds_left(numbers, self.problem.spare)]
        return min(low for low, _ in ends), min(high for _, high in ends)

    def largest_scale_on(self, kinds):
        """Return how many times the demand servers of these kinds hold: at least, and at most."""
        if kinds not in self._scales:
            attempts = self._attempts.items()
            held = [scale for (servers, scale), attempt in attempts if servers == kinds and attempt.assignment]
            columns, low = self.problem.integer_columns(len(kinds)), max(held, default=0.0)
            high = max(largest_scale_together(self.problem, kinds), low) if kinds else 0.0
            if columns <= LARGE:
                nodes = int(np.clip(self.work / columns**3, 1, 2_000))
                ends = largest_scale(self.problem, kinds, high, nodes=nodes)
                self._scales[kinds] = max(ends[0], low), max(ends[1], low)
            else:  # fill them with it a few times
                scale = above = high
                for _ in range(_BISECTIONS):
                    if relax_and_fix(self.problem, kinds, scale).assignment is None:
                        above = scale
                    else:
                        low = scale
                    if low == above:
                        break
                    scale = (low + above) / 2
                self._scales[kinds] = low, high
        return self._scales[kinds]

    def largest_share(self) -> tuple[float, bool]:
        """Return how much of the demand fits within the limits, at most 1, and whether more may fit."""
        limit = min(self.problem.max_price_usd, self.problem.max_servers * float(self.problem.price_usd.max()))
        if limit == math.inf or limit < self.problem.price_usd.min():
            return 0.0, False
        relaxation, best, budget = (
            ServerSetRelaxation(self.problem, None, limit, self.problem.undominated),
            0.0,
            self.work,
        )
        while budget > 0:
            proposal = relaxation.largest()
            budget -= proposal.work
            if proposal.numbers is None or proposal.bound <= best + 1e-6:
                return min(best, 1.0), not proposal.certain
            best = max(best, self.largest_scale(proposal.numbers)[0])
            budget -= self.problem.integer_columns(sum(proposal.numbers)) ** 3
            relaxation.cut_off(proposal.numbers)
        return min(best, 1.0), True

    def _limit_usd(self, scale, beaten):
        """The most that a set may cost, and how far it is worth looking."""
        problem, alone = self.problem, self._each_group_alone(scale)
        enough = problem.price(alone) if alone is not None else -1.0
        if beaten:
            enough = _DEAREST * problem.price(beaten[0])
        elif problem.max_servers < math.inf and enough > 0:
            enough = math.inf
        return min(enough, problem.max_price_usd, problem.max_servers * float(problem.price_usd.max()))

    def _each_group_alone(self, scale):
        """A set that is enough: each group alone on the kind that is cheapest for it, and its spare servers."""
        problem = self.problem
        numbers = [0] * len(problem.price_usd)
        for group, people in enumerate(problem.people):
            counts = []
            for kind in problem.undominated:
                first, others = (problem.most_alone(kind, group, mb) for mb in (problem.databases_mb[group], 0.0))
                enough = first >= 0 and others > 0
                rest = max(people * scale - first, 0.0)
                counts.append(1 + math.ceil(rest / others) + problem.spare if enough else math.inf)
            usd = counts * problem.price_usd[problem.undominated]
            best = int(np.argmin(usd))
            if usd[best] == math.inf:
                return None
            numbers[problem.undominated[best]] += int(counts[best])
        return tuple(numbers)


def _kind_of_each_server(numbers):
    check_number_of_systems(sum(numbers))
    return tuple(kind for kind, count in enumerate(numbers) for _ in range(int(count)))


def server_kinds_left(numbers: Sequence[int], spare: int) -> Iterator[tuple[int, ...]]:
    """Yield the kinds of the servers that are left of a set, for each choice of `spare` servers that fail.

    Examples
    --------
    >>> list(server_kinds_left((2, 1), 1))
    [(0, 1), (0, 0)]
    """
    kinds = _kind_of_each_server(numbers)
    for failing in sorted(set(itertools.combinations(kinds, min(spare, len(kinds))))):
        left = list(kinds)
        for kind in failing:
            left.remove(kind)
        yield tuple(left)


class ServerSetRelaxation:
    """What sets of servers hold at most, the memory rows of the servers of a kind in any mixture.

    A mixture of rows is a line below the memory tables, so the cheapest set of this mixed-integer program is nowhere
    dearer than the cheapest that the rules allow, server by server. Sets that were found not to be enough are cut off
    with all their parts. With spare servers a set must be enough without those that fail: what is left holds at most
    what the slopes of `PartOfDemandHeld` say, and a row for each slope that came up asks for that (Benders'
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
    counted : bool
        Whether the servers in each memory row are whole numbers: a tighter bound, slower.
    """

    def __init__(
        self,
        problem: ServerSetProblem,
        scale: float | None,
        limit_usd: float,
        kinds: Sequence[int],
        *,
        counted: bool = False,
    ):
        self.problem, self.counted = problem, counted
        limit_usd *= 1 + 1e-12
        self.upper = np.zeros(len(problem.names), int)
        self.upper[kinds] = np.minimum(np.floor(limit_usd / problem.price_usd[kinds]), problem.max_servers)
        self.program, self._reached = IntegerProgram(), {}
        self.numbers = [self.program.column(0, float(most), integer=True) for most in self.upper]
        self.scale = self.program.column(*((0.0, LARGEST_SCALE) if scale is None else (scale, scale)))
        self._cost = list(zip(self.numbers, problem.price_usd, strict=True))
        self._price = self.program.row(self._cost, high=limit_usd)
        if problem.max_servers < math.inf:
            self.program.row([(column, 1.0) for column in self.numbers], high=problem.max_servers)
        self.program.row([(column, 1.0) for column in self.numbers], low=problem.spare + 1)
        self._kinds = np.flatnonzero(self.upper)
        self._held = PartOfDemandHeld(problem, self._kinds, scale) if problem.spare and scale else None
        if counted or self._held is None:
            servers, together = [[(self.numbers[kind], 1.0)] for kind in self._kinds], [False] * len(self._kinds)
            largest = LARGEST_SCALE if scale is None else scale
            add_assignment(
                self.program, problem, self._kinds, servers, self.scale, largest, single=together, counted=counted
            )

    def cut_off(self, numbers: Sequence[int]) -> None:
        """Leave out a set and all its parts: of some kind there must be more."""
        more = [self._has_at_least(kind, count + 1) for kind, count in enumerate(numbers) if count < self.upper[kind]]
        self.program.row([(column, 1.0) for column in more], low=1)

    def pass_over(self, numbers: Sequence[int]) -> None:
        """Leave out the sets that have all of a set: of some kind there must be fewer."""
        every = [self._has_at_least(kind, count) for kind, count in enumerate(numbers) if 0 < count <= self.upper[kind]]
        if len(every) == np.count_nonzero(numbers):
            self.program.row([(column, 1.0) for column in every], high=len(every) - 1)

    def at_least(self, usd: float) -> None:
        """Look for no cheaper set: it is known that there is none, and the solver need not find that again."""
        self.program.low[self._price] = max(self.program.low[self._price], usd - _CENT / 2)

    def _has_at_least(self, kind, count):
        """The column of whether there are so many servers of a kind: 1 just where number >= count.

        Two rows say so: at 1 the number is at least the count, at 0 it is at most one less.
        """
        if (kind, count) not in self._reached:
            column = self._reached[kind, count] = self.program.column(upper=1.0, integer=True)
            number, most = self.numbers[kind], float(self.upper[kind])
            self.program.row([(number, 1.0), (column, -float(count))], low=0)
            self.program.row([(number, 1.0), (column, count - 1 - most)], high=count - 1)
        return self._reached[kind, count]

    def cheapest(self) -> Answer:
        """Return the cheapest set as a `Answer`, its bound a price in USD."""
        work, last = 0, None
        while True:
            proposal = self._proposal(self.program.solve(self._cost, gap=_GAP, nodes=_NODES), 1.0)
            work += proposal.work
            if self._held is None or proposal.numbers in (None, last):
                return proposal._replace(work=work)
            last, short = proposal.numbers, False
            if proposal.certain:
                self.at_least(proposal.bound)
            for left in server_kinds_left(last, self.problem.spare):
                numbers = np.bincount(left, minlength=len(last))[self._kinds]
                part, gains = self._held.of(numbers)
                work += self._held.work
                if part < 1 - _SHORT:
                    short = True
                    self._ask_without_failing(gains, 1 - part + gains @ numbers)
            if not short:
                return proposal._replace(work=work)

    def _ask_without_failing(self, gains, least):
        """Ask that the gains of all servers but the `spare` ones that gain most add up to at least so much.

        The sum of the n greatest is the least of ``n t + sum of what each is above t`` over all t.
        """
        spare, level = self.problem.spare, self.program.column()
        lost = [(level, -float(spare))]
        for kind, gain in zip(self._kinds, gains, strict=True):
            for count in range(1, 1 + min(spare, self.upper[kind])) if gain > 0 else ():
                above = [(self.program.column(), 1.0)] if spare > 1 else []
                lost += [(column, -1.0) for column, _ in above]
                self.program.row([(level, 1.0), *above, (self._has_at_least(kind, count), -gain)], low=0)
        every = [(self.numbers[kind], gain) for kind, gain in zip(self._kinds, gains, strict=True) if gain > 0]
        self.program.row([*every, *lost], low=least - _SHORT / 10)

    def largest(self) -> Answer:
        """Return the set that holds most, its bound how many times the demand."""
        return self._proposal(self.program.solve([(self.scale, -1.0)], nodes=_NODES), -1.0)

    def _proposal(self, solution, sign):
        """The solver's answer as a `Answer`; the sign turns its objective into a price or a share of the demand."""
        work = self.program.work(solution.nodes)
        if solution.infeasible:
            return Answer(None, sign * math.inf, True, work)
        bound = solution.objective if solution.optimal else solution.bound
        numbers = None if solution.x is None else tuple(round(number) for number in solution.x[self.numbers])
        return Answer(numbers, sign * (bound if math.isfinite(bound) else -math.inf), solution.optimal, work)
