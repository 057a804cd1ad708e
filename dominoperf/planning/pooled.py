"""Sets of servers in the order of their price, by what all servers of a kind hold together: none below is enough."""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dominoperf.planning.placing import MOST, place
from dominoperf.planning.programs import Program

_GAP = 1e-9  # of the price: sets are told apart by cents
_CENT = 0.01
_NODES = 300  # of branch and bound for one proposal: without an answer by then its bound still counts
_SCENARIOS = 6  # choices of failing servers that are written out


class Proposal(NamedTuple):
    """A set that may be enough, numbers of each kind; the price, or the share of the demand, that bounds all others.

    Without a set and `certain`, there is none.
    """

    numbers: tuple | None
    bound: float
    certain: bool
    work: int


class Pooled:
    """What sets of servers hold at most, the memory rows of the servers of a kind in any mixture.

    A mixture of rows is a line below the memory tables, so the cheapest set of this mixed-integer program is nowhere
    dearer than the cheapest that the rules allow, server by server. Sets that were found not to be enough are cut off
    with all their parts. With spare servers a set must be enough without those that fail; the choices of failing
    servers are added as they come up.

    Parameters
    ----------
    market : Market
    scale : float, optional
        How much of the demand; none to leave it free, for `widest`.
    limit_usd : float
        No dearer set is looked for.
    counted : bool
        Whether the servers in each memory row are whole numbers: a tighter bound, slower.
    """

    def __init__(self, market, scale, limit_usd, *, counted=False):
        self.market, self.counted = market, counted
        usd = market.price_usd
        by_price = np.floor(limit_usd * (1 + 1e-12) / usd)
        self.upper = np.minimum(by_price, market.max_servers).astype(int)
        self.program, self._reached, self._scenarios = Program(), {}, set()
        self.numbers = [self.program.column(0, float(each), whole=True) for each in self.upper]
        self.scale = self.program.column(*((0.0, MOST) if scale is None else (scale, scale)))
        self._most = MOST if scale is None else scale
        self._price = self.program.row(list(zip(self.numbers, usd, strict=True)), high=limit_usd * (1 + 1e-12))
        if market.max_servers < math.inf:
            self.program.row([(column, 1.0) for column in self.numbers], high=market.max_servers)
        self.program.row([(column, 1.0) for column in self.numbers], low=market.spare + 1)
        self._hold([[(column, 1.0)] for column in self.numbers])

    def _hold(self, servers):
        """Ask that so many servers of each kind, as terms, hold the demand together."""
        kinds, counted = range(len(servers)), {"whole": [False] * len(servers), "counted": self.counted}
        place(self.program, self.market, kinds, servers, self.scale, self._most, **counted)

    def cut_off(self, numbers):
        """Leave out a set and all its parts: of some kind there must be more."""
        more = [self._at_least(kind, count + 1) for kind, count in enumerate(numbers) if count < self.upper[kind]]
        self.program.row([(column, 1.0) for column in more], low=1)

    def pass_over(self, numbers):
        """Leave out the sets that have all of a set: of some kind there must be fewer."""
        all_ = [self._at_least(kind, count) for kind, count in enumerate(numbers) if 0 < count <= self.upper[kind]]
        if len(all_) == np.count_nonzero(numbers):
            self.program.row([(column, 1.0) for column in all_], high=len(all_) - 1)

    def at_least(self, usd):
        """Look for no cheaper set: it is known that there is none, and the solver need not find that again."""
        self.program.low[self._price] = max(self.program.low[self._price], usd - _CENT / 2)

    def fail(self, kinds):
        """Ask that the demand is held without some servers, given by their kinds; few such choices are written out."""
        failing = tuple(sorted(kinds))
        if not failing or failing in self._scenarios or len(self._scenarios) >= _SCENARIOS:
            return
        self._scenarios.add(failing)
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
            column = self._reached[kind, count] = self.program.column(upper=1.0, whole=True)
            number, most = self.numbers[kind], float(self.upper[kind])
            self.program.row([(number, 1.0), (column, -float(count))], low=0)
            self.program.row([(number, 1.0), (column, count - 1 - most)], high=count - 1)
        return self._reached[kind, count]

    def cheapest(self):
        """Give the cheapest set as a `Proposal`, its bound a price in USD."""
        found = self.program.solve(list(zip(self.numbers, self.market.price_usd, strict=True)), gap=_GAP, nodes=_NODES)
        return self._proposal(found, 1.0)

    def widest(self):
        """Give the set that holds most, its bound how many times the demand."""
        found = self.program.solve([(self.scale, -1.0)], nodes=_NODES)
        return self._proposal(found, -1.0)

    def _proposal(self, found, sign):
        work = self.program.work(found)
        if found.status == 2:
            return Proposal(None, sign * math.inf, True, work)
        bound = found.mip_dual_bound if found.x is None or found.status else found.fun
        bound = -math.inf if bound is None or not np.isfinite(bound) else bound
        numbers = None if found.x is None else tuple(round(each) for each in found.x[self.numbers])
        return Proposal(numbers, sign * float(bound), found.status == 0, work)
