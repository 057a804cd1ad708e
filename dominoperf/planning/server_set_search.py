"""The search for the cheapest set of servers: a relaxation proposes sets by price, an exact program accepts or refuses.

One integer program of all servers that there may be gives the same price, and takes several times as long even where it
is told that price, as `tests/benchmarks/plans.py` shows with 21 systems and 10 groups. Servers of one kind can be
exchanged in it, and each choice of servers that may fail needs people placed anew.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from dominoperf.planning.assignment import (
    Assignment,
    assign_to_servers,
    fill_one_by_one,
    largest_scale,
    largest_scale_together,
    relax_and_fix,
)
from dominoperf.planning.server_set_problem import MANY_GROUPS, ServerSetProblem, kind_of_each_server, server_kinds_left
from dominoperf.planning.server_set_relaxation import ServerSetFound, ServerSetRelaxation

WORK = 2e8  # of a search: nodes, each by the cube of the integer columns
LARGE = 300  # integer columns; where servers take more, they are filled one after the other
_MOST_UNDECIDED = 3  # sets of which it is not known whether they are enough, before a search settles for less
_WHOLE_ROWS = 60  # kinds × groups, up to which the servers in a memory row are whole numbers from the start
_FEW_KINDS, _MORE_KINDS = 20, 16  # that are searched first, and how many times as many after each search
_BISECTIONS = 4  # times that many servers are filled to see how much they hold
_RUNNERS_UP_USD = 3.0  # how many times the price of the cheapest set the next ones may have
_EXCHANGES = 1e5  # servers × groups that are filled to see whether exchanged servers are enough
_LARGER = (1.02, 1.05, 1.1, 1.2, 1.4, 1.8, 2.6)  # of the demand, where the cheapest sets are not known to be enough


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
            if holds is False:
                numbers, work = self._add_until_sufficient(numbers, scale, limit, min(budget, proposal.work))
                budget -= work
            large = self.problem.integer_columns(sum(numbers)) > LARGE
            if not relaxation.whole_rows and not self.problem.spare and not large:  # a tighter bound, from now on
                relaxation = self._relaxation(scale, limit, cheaper_sets, kinds, whole_rows=True)
            relaxation.exclude_parts_of(numbers)
        if certain and proposal.numbers is None:
            return ServerSetFound(None, math.inf, True)
        numbers = self._any_sufficient(scale, limit, cheaper_sets, kinds)
        return ServerSetFound(numbers, bound if numbers is None else min(bound, self.problem.price(numbers)), False)

    def _add_until_sufficient(self, numbers, scale, limit, budget):
        """A set that is not enough with servers added while it is not; what is excluded with it is all its parts."""
        work = 0
        for kind in np.argsort(self.problem.price_usd, kind="stable").tolist():
            while work < budget:
                more = tuple(count + (other == kind) for other, count in enumerate(numbers))
                if self.problem.price(more) > limit or sum(more) > self.problem.max_servers:
                    break
                holds, took = self._is_sufficient(more, scale, budget - work)
                work += took
                if holds is not False:
                    break
                numbers = more
        return numbers, work

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

    def working_and_idle(self, numbers: Sequence[int]) -> tuple[tuple, tuple]:
        """Return the kinds of the servers of a set without its dearest spare ones, and those."""
        kinds = sorted(kind_of_each_server(numbers), key=lambda kind: -self.problem.price_usd[kind])
        spare = self.problem.spare
        return tuple(sorted(kinds[spare:])), tuple(kinds[:spare])

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
