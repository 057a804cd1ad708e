"""A relaxation: sets of servers in the order of their price, by what all servers of a kind hold together."""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dominoperf.planning.assignment import LARGEST_SCALE, add_assignment
from dominoperf.planning.mip import Program
from dominoperf.planning.problem import Problem

_GAP = 1e-9  # of the price: sets are told apart by cents
_CENT = 0.01
_NODES = 300  # of branch and bound for one proposal: without an answer by then its bound still counts
_FAILURES = 6  # choices of failing servers that are written out


class Proposal(NamedTuple):
    """A set that may be enough, numbers of each kind; the price, or the share of the demand, that bounds all others.

    Without a set and `certain`, there is none.
    """

    numbers: tuple | None
    bound: float
    certain: bool
    work: int


class Relaxation:
    """What sets of servers hold at most, the memory rows of the servers of a kind in any mixture.

    A mixture of rows is a line below the memory tables, so the cheapest set of this mixed-integer program is nowhere
    dearer than the cheapest that the rules allow, server by server. Sets that were found not to be enough are cut off
    with all their parts. With spare servers a set must be enough without those that fail; the choices of failing
    servers are added as they come up.

    Parameters
    ----------
    problem : Problem
    scale : float, optional
        How much of the demand; none to leave it free, for `largest`.
    limit_usd : float
        No dearer set is looked for.
    counted : bool
        Whether the servers in each memory row are whole numbers: a tighter bound, slower.
    """

    def __init__(self, problem: Problem, scale: float | None, limit_usd: float, *, counted: bool = False):
        self.problem, self.counted = problem, counted
        limit_usd *= 1 + 1e-12
        self.upper = np.minimum(np.floor(limit_usd / problem.price_usd), problem.max_servers).astype(int)
        self.program, self._reached, self._failures = Program(), {}, set()
        self.numbers = [self.program.column(0, float(most), integer=True) for most in self.upper]
        self.scale = self.program.column(*((0.0, LARGEST_SCALE) if scale is None else (scale, scale)))
        self._largest = LARGEST_SCALE if scale is None else scale
        self._cost = list(zip(self.numbers, problem.price_usd, strict=True))
        self._price = self.program.row(self._cost, high=limit_usd)
        if problem.max_servers < math.inf:
            self.program.row([(column, 1.0) for column in self.numbers], high=problem.max_servers)
        self.program.row([(column, 1.0) for column in self.numbers], low=problem.spare + 1)
        self._hold([[(column, 1.0)] for column in self.numbers])

    def _hold(self, servers):
        """Ask that so many servers of each kind, as terms, hold the demand together."""
        kinds, how = range(len(servers)), {"single": [False] * len(servers), "counted": self.counted}
        add_assignment(self.program, self.problem, kinds, servers, self.scale, self._largest, **how)

    def cut_off(self, numbers: Sequence[int]) -> None:
        """Leave out a set and all its parts: of some kind there must be more."""
        more = [self._at_least(kind, count + 1) for kind, count in enumerate(numbers) if count < self.upper[kind]]
        self.program.row([(column, 1.0) for column in more], low=1)

    def pass_over(self, numbers: Sequence[int]) -> None:
        """Leave out the sets that have all of a set: of some kind there must be fewer."""
        every = [self._at_least(kind, count) for kind, count in enumerate(numbers) if 0 < count <= self.upper[kind]]
        if len(every) == np.count_nonzero(numbers):
            self.program.row([(column, 1.0) for column in every], high=len(every) - 1)

    def at_least(self, usd: float) -> None:
        """Look for no cheaper set: it is known that there is none, and the solver need not find that again."""
        self.program.low[self._price] = max(self.program.low[self._price], usd - _CENT / 2)

    def fail(self, kinds: Sequence[int]) -> None:
        """Ask that the demand is held without some servers, given by their kinds; few such choices are written out."""
        failing = tuple(sorted(kinds))
        if not failing or failing in self._failures or len(self._failures) >= _FAILURES:
            return
        self._failures.add(failing)
        servers = [[(column, 1.0)] for column in self.numbers]
        for kind, group in itertools.groupby(failing):
            lost = range(1, 1 + len(list(group)))
            servers[kind] += [(self._at_least(kind, count), -1.0) for count in lost if count <= self.upper[kind]]
        self._hold(servers)

    def _at_least(self, kind, count):
        """The column of whether there are so many servers of a kind: 1 just where number >= count.

        Two rows say so: at 1 the number is at least the count, at 0 it is at most one less.
        """
        if (kind, count) not in self._reached:
            column = self._reached[kind, count] = self.program.column(upper=1.0, integer=True)
            number, most = self.numbers[kind], float(self.upper[kind])
            self.program.row([(number, 1.0), (column, -float(count))], low=0)
            self.program.row([(number, 1.0), (column, count - 1 - most)], high=count - 1)
        return self._reached[kind, count]

    def cheapest(self) -> Proposal:
        """Return the cheapest set as a `Proposal`, its bound a price in USD."""
        return self._proposal(self.program.solve(self._cost, gap=_GAP, nodes=_NODES), 1.0)

    def largest(self) -> Proposal:
        """Return the set that holds most, its bound how many times the demand."""
        return self._proposal(self.program.solve([(self.scale, -1.0)], nodes=_NODES), -1.0)

    def _proposal(self, solution, sign):
        work = self.program.work(solution)
        if solution.infeasible:
            return Proposal(None, sign * math.inf, True, work)
        bound = solution.objective if solution.optimal else solution.bound
        numbers = None if solution.x is None else tuple(round(number) for number in solution.x[self.numbers])
        return Proposal(numbers, sign * (bound if math.isfinite(bound) else -math.inf), solution.optimal, work)
