"""The search for the cheapest set of servers: a relaxation proposes sets by price, an exact program accepts or refuses.

One integer program of all servers that there may be gives the same price, and takes several times as long even where it
is told that price, as `tests/benchmarks/plans.py` shows with 21 systems and 10 groups. Servers of one kind can be
exchanged in it, and each choice of servers that may fail needs people placed anew.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import highspy
import numpy as np

from dominoperf.planning.assignment import (
    LARGEST_SCALE,
    Assignment,
    IntegerProgram,
    add_assignment,
    assign_to_servers,
    fill_one_by_one,
    largest_scale,
    largest_scale_together,
    relax_and_fix,
)
from dominoperf.planning.server_set_problem import MANY_GROUPS, ServerSetProblem, server_kinds_left

_PRICE_GAP = 1e-9  # of the price: sets are told apart by cents
_CENT = 0.01
_NODES = 300  # of branch and bound for one proposal: without an answer by then its bound still counts
_SHORTFALL = 1e-5  # of the demand, by which servers are short of it and not the solver's rounding
WORK = 2e8  # of a search: nodes, each by the cube of the integer columns
LARGE = 300  # integer columns; where servers take more, they are filled one after the other
_MOST_UNDECIDED = 3  # sets of which it is not known whether they are enough, before a search settles for less
_WHOLE_ROWS = 60  # kinds × groups, up to which the servers in a memory row are whole numbers from the start
_FEW_KINDS, _MORE_KINDS = 20, 16  # that are searched first, and how many times as many after each search
_BISECTIONS = 4  # times that many servers are filled to see how much they hold
_RUNNERS_UP_USD = 3.0  # how many times the price of the cheapest set the next ones may have
_EXCHANGES = 1e5  # servers × groups that are filled to see whether exchanged servers are enough
_LARGER = (1.02, 1.05, 1.1, 1.2, 1.4, 1.8, 2.6)  # of the demand, where the cheapest sets are not known to be enough


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

    A `scale` of None leaves free how much of the demand, for `largest`. With `whole_rows` the servers in each memory
    row are whole numbers: a tighter bound, slower.
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


class ServerSetSearch:
    """The search for sets of servers.

    Sets are proposed in the order of their price by what the servers of a kind hold together (`ServerSetRelaxation`).
    The exact program of the single servers accepts a set or excludes it with its parts; the first one accepted is the
    cheapest. Once its work is spent, a search takes the first set that it happens to find, and says so. With spare
    servers a set must hold the demand without any so many of its servers.

    `work` is what a search for one set may take: a count, not seconds, so that the answer is the same on every machine.
    """

    def __init__(self, problem: ServerSetProblem, work: float = WORK):
        self.problem, self.work = problem, work
        self._infeasible, self._attempts, self._scales, self._bounds = [], {}, {}, []
        self._fill = fill_one_by_one if len(problem.people) > MANY_GROUPS else relax_and_fix

    def cheapest(self, scale: float = 1.0, cheaper_sets: Sequence[tuple] = ()) -> ServerSetFound:
        """Return the cheapest set that holds so much of the demand, and has all servers of none of the cheaper sets."""
        limit, kinds = self._limit_usd(scale, cheaper_sets), self.problem.dominated_at_most(len(cheaper_sets))
        if limit <= 0:
            return ServerSetFound(None, math.inf, True)
        # First the kinds that look cheapest: the price of a set of these rules out most of the others.
        # Without it, 35 kinds and ten groups take half as long again.
        best, least_usd = ServerSetFound(None, math.inf, True), np.zeros(len(self.problem.price_usd))
        if len(kinds) > _FEW_KINDS:
            none_fail = self.problem.without("redundancy") or self.problem
            least_usd = ServerSetRelaxation(none_fail, scale, limit, kinds).least_price_with_each()
        kinds = kinds[np.argsort(least_usd[kinds], kind="stable")]
        few = _FEW_KINDS
        while True:
            found = self._cheapest_of(np.sort(kinds[:few]), scale, limit, cheaper_sets)
            if found.numbers is None and best.numbers is not None:  # none cheaper, as far as was looked
                found = ServerSetFound(best.numbers, min(found.bound, limit), found.proved)
            best = found
            limit = limit if best.numbers is None else self.problem.price(best.numbers)
            kinds = kinds[least_usd[kinds] <= limit]
            if few >= len(kinds):
                break
            few *= _MORE_KINDS
        if best.numbers is not None and not best.proved:
            numbers = self._with_exchanges(best.numbers, scale, best.bound, cheaper_sets)
            best = ServerSetFound(numbers, best.bound, False)
        if best.numbers is not None:
            self._bounds.append((scale, frozenset(cheaper_sets), best.bound))
        return best

    def _cheapest_of(self, kinds, scale, limit, cheaper_sets):
        """The cheapest set of some kinds that costs no more than the limit, and the bound of such sets."""
        relaxation, budget = self._relaxation(scale, limit, cheaper_sets, kinds), self.work
        # A price below which there is no such set, for there is none that holds less or of which less is left out.
        bound = max((usd for at, out, usd in self._bounds if at <= scale and out <= {*cheaper_sets}), default=0.0)
        certain, undecided = True, 0
        while undecided < _MOST_UNDECIDED:
            relaxation.raise_bound(bound)
            proposal = relaxation.cheapest()
            budget -= proposal.work
            bound = max(bound, proposal.bound) if certain else bound
            certain &= proposal.proved
            numbers = proposal.numbers
            if numbers is None:
                break
            holds, work = self._is_sufficient(numbers, scale, budget)
            budget -= work
            if holds:
                price = self.problem.price(numbers)
                return ServerSetFound(numbers, price if certain else min(bound, price), certain)
            undecided += holds is None or budget <= 0
            certain &= holds is not None
            large = self.problem.integer_columns(sum(numbers)) > LARGE
            if not relaxation.whole_rows and not self.problem.spare and not large:  # a tighter bound, from now on
                relaxation = self._relaxation(scale, limit, cheaper_sets, kinds, whole_rows=True)
            relaxation.exclude_parts_of(numbers)
        if certain and proposal.numbers is None:
            return ServerSetFound(None, math.inf, True)
        numbers = self._any_sufficient(scale, limit, cheaper_sets, kinds)
        return ServerSetFound(numbers, bound if numbers is None else min(bound, self.problem.price(numbers)), False)

    def _relaxation(self, scale, limit, cheaper_sets, kinds, *, whole_rows=False):
        """The program that proposes sets, without those known to be cheaper or not to be enough."""
        whole_rows = whole_rows or self.problem.share.size <= _WHOLE_ROWS
        relaxation = ServerSetRelaxation(self.problem, scale, limit, kinds, whole_rows=whole_rows)
        for numbers in cheaper_sets:
            relaxation.exclude_additions_to(numbers)
        for at, numbers in self._infeasible:
            if at <= scale:
                relaxation.exclude_parts_of(numbers)
        return relaxation

    def _any_sufficient(self, scale, limit, cheaper_sets, kinds):
        """A set that is enough for the demand, of those that may hold a little more; None where none is found."""
        for larger in _LARGER:
            numbers = self._relaxation(scale * larger, limit, cheaper_sets, kinds).cheapest().numbers
            if numbers is None:
                break
            if self._is_sufficient(numbers, scale, 0)[0]:
                return numbers
        alone = self._each_group_alone(scale)
        fits = alone is not None and sum(alone) <= self.problem.max_servers and self.problem.price(alone) <= limit
        return alone if fits and not any(np.all(np.less_equal(each, alone)) for each in cheaper_sets) else None

    def _with_exchanges(self, numbers, scale, bound, cheaper_sets):
        """A set no dearer, as far as exchanges lead: one or two servers left out, or a cheaper one in their place."""
        price_usd, budget = self.problem.price_usd, _EXCHANGES
        while True:
            used = np.flatnonzero(numbers)
            gone = [(kind,) for kind in used] + [*itertools.combinations_with_replacement(used, 2)]
            fewer = [np.array(numbers) - np.bincount(kinds, minlength=len(numbers)) for kinds in gone]
            more = [np.zeros_like(numbers), *np.eye(len(numbers), dtype=int)[self.problem.undominated]]
            sets = {tuple((left + one).tolist()) for left in fewer if left.min() >= 0 for one in more}
            cheaper = [each for each in sets if bound <= self.problem.price(each) < self.problem.price(numbers)]
            cheaper = [each for each in cheaper if not any(np.all(np.less_equal(one, each)) for one in cheaper_sets)]
            for each in sorted(cheaper, key=lambda each: (np.dot(each, price_usd), each)):
                budget -= sum(each) * len(self.problem.people)
                if budget < 0:
                    return numbers
                if self._is_filled(each, scale):
                    numbers = each
                    break
            else:
                return numbers

    def _is_filled(self, numbers, scale):
        """Whether the servers of a set, filled one by one, hold the demand whichever of them fail."""
        for kinds in server_kinds_left(numbers, self.problem.spare):
            attempt = self._attempts.get((kinds, scale))
            if attempt is None or not attempt.assignment:
                attempt = fill_one_by_one(self.problem, kinds, scale)
                if attempt.assignment is None:
                    return False
                self._attempts[kinds, scale] = attempt
        return True

    def _is_sufficient(self, numbers, scale, budget):
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
        """An assignment to single servers, if there is one: exact where there is work enough left, else filled in turn.

        An attempt is remembered, but looked at again where it was not certain and there is work left.
        """
        before = self._attempts.get((kinds, scale))
        if before is not None and (before.certain or budget <= 0):
            return before._replace(work=0)
        columns = self.problem.integer_columns(len(kinds))
        if columns > LARGE and columns**3 > budget:
            attempt = self._fill(self.problem, kinds, scale)
        else:
            attempt = assign_to_servers(self.problem, kinds, scale, nodes=int(np.clip(budget / columns**3, 1, 10_000)))
        self._attempts[kinds, scale] = attempt
        return attempt

    def assignment(self, kinds: Sequence[int]) -> Assignment:
        """Return an assignment of the demand to single servers that hold it."""
        return self._assign(tuple(kinds), 1.0, math.inf).assignment

    def largest_scale(self, numbers: Sequence[int]) -> tuple[float, float]:
        """Return how many times the demand fits on a set, whichever of its servers fail: at least, and at most.

        NaN where there are no people, as any number of times nobody is nobody.
        """
        if not self.problem.people.any():
            return math.nan, math.nan
        ends = [self.largest_scale_on(kinds) for kinds in server_kinds_left(numbers, self.problem.spare)]
        return min(low for low, _ in ends), min(high for _, high in ends)

    def largest_scale_on(self, kinds):
        """Return how many times the demand servers of these kinds hold: at least, and at most."""
        if kinds not in self._scales:
            attempts = self._attempts.items()
            held = [scale for (servers, scale), attempt in attempts if servers == kinds and attempt.assignment]
            columns, low = self.problem.integer_columns(len(kinds)), max(held, default=0.0)
            high = max(largest_scale_together(self.problem, kinds)[0], low) if kinds else 0.0
            if columns <= LARGE:
                nodes = int(np.clip(self.work / columns**3, 1, 2_000))
                ends = largest_scale(self.problem, kinds, high, nodes=nodes)
                self._scales[kinds] = max(ends[0], low), max(ends[1], low)
            else:  # fill them with it a few times
                scale = above = high
                for _ in range(_BISECTIONS):
                    if self._fill(self.problem, kinds, scale).assignment is None:
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
        relaxation = ServerSetRelaxation(self.problem, None, limit, self.problem.undominated)
        best, budget = 0.0, self.work
        while budget > 0:
            proposal = relaxation.largest()
            budget -= proposal.work
            if proposal.numbers is None or proposal.bound <= best + 1e-6:
                return min(best, 1.0), not proposal.proved
            best = max(best, self.largest_scale(proposal.numbers)[0])
            budget -= self.problem.integer_columns(sum(proposal.numbers)) ** 3
            relaxation.exclude_parts_of(proposal.numbers)
        return min(best, 1.0), True

    def _limit_usd(self, scale, cheaper_sets):
        """The most that a set may cost, and how far it is worth looking."""
        problem, alone = self.problem, self._each_group_alone(scale)
        enough = problem.price(alone) if alone is not None else -1.0
        if cheaper_sets:
            enough = _RUNNERS_UP_USD * problem.price(cheaper_sets[0])
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
