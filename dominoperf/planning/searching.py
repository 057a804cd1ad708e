"""The search for the cheapest set of servers that the rules allow, server by server, with a limit on its work."""

import itertools
import math
from typing import NamedTuple

import numpy as np

from dominoperf.planning.filling import filled
from dominoperf.planning.packing import check_count
from dominoperf.planning.placing import most, most_together, placed
from dominoperf.planning.pooled import Pooled

WORK = 2e8  # of a search: nodes, each by the cube of the whole-number columns
_LARGE = 300  # whole-number columns; where servers take more, they are filled one after the other
_DOUBTS = 3  # sets of which it is not known whether they are enough, before a search settles for less
_COUNTED = 60  # kinds × groups, up to which servers are counted by memory row from the start
_FILLED = 4  # times that many servers are filled to see how much they hold
_DEAREST = 3.0  # how many times the price of the cheapest set the next ones may have
_WIDER = (1.02, 1.05, 1.1, 1.2, 1.4, 1.8, 2.6)  # of the demand, where the cheapest sets are not known to be enough


class Found(NamedTuple):
    """What a search found: a set or None, whether that is proved, and a price below which there is none."""

    numbers: tuple | None
    proved: bool
    bound_usd: float


class Search:
    """The search for sets of servers.

    Sets are proposed in the order of their price by what the servers of a kind hold together (`Pooled`). The exact
    program of the single servers accepts a set or cuts it off with its parts; the first one accepted is the cheapest.
    Once its work is spent, a search takes the first set that it happens to find, and says so. With spare servers a set
    must hold the demand without any so many of its servers.

    Parameters
    ----------
    market : Market
    work : float
        What a search for one set may take. A count, not seconds: the same answer on every machine.
    """

    def __init__(self, market, work=WORK):
        self.market, self.work, self.tried = market, work, 0
        self._refused, self._held, self._most, self._failing, self._bounds = [], {}, {}, (), []

    def cheapest(self, scale=1.0, beaten=()):
        """Give the cheapest set that holds so much of the demand, as `Found`.

        A set that has all servers of one in `beaten` is left out.
        """
        limit = self._limit_usd(scale, beaten)
        if limit <= 0:
            return Found(None, True, math.inf)
        pooled, left, certain, bound = self._pooled(scale, limit, beaten), self.work, True, self._known(scale, beaten)
        doubts = 0
        while doubts < _DOUBTS:
            pooled.at_least(bound)
            found = pooled.cheapest()
            left -= found.work
            bound = max(bound, found.bound) if certain else bound
            certain &= found.certain
            if found.numbers is None:
                break
            holds, work = self._holds(found.numbers, scale, left)
            left -= work
            if holds:
                price = self.market.price(found.numbers)
                self._bounds.append((scale, frozenset(beaten), price if certain else bound))
                return Found(found.numbers, certain, price if certain else min(bound, price))
            doubts += holds is None or left <= 0
            certain &= holds is not None
            numbers = found.numbers
            if holds is False:
                numbers, work = self._grown(numbers, scale, limit, min(left, found.work))
                left -= work
            pooled = self._tighter(pooled, numbers, scale, limit, beaten)
        if certain and found.numbers is None:
            return Found(None, True, math.inf)
        numbers = self._at_a_guess(scale, limit, beaten)
        return Found(numbers, False, bound if numbers is None else min(bound, self.market.price(numbers)))

    def _known(self, scale, beaten):
        """A price below which there is no such set, for there is none that holds less or is left out less."""
        return max((usd for at, out, usd in self._bounds if at <= scale and out <= {*beaten}), default=0.0)

    def _grown(self, numbers, scale, limit, left):
        """A set that is not enough with servers added while it is not; what is cut off with it is all its parts."""
        work = 0
        for kind in np.argsort(self.market.price_usd, kind="stable").tolist():
            while work < left:
                more = tuple(count + (each == kind) for each, count in enumerate(numbers))
                if self.market.price(more) > limit or sum(more) > self.market.max_servers:
                    break
                holds, took = self._holds(more, scale, left - work)
                work += took
                if holds is not False:
                    break
                numbers = more
        return numbers, work

    def _tighter(self, pooled, numbers, scale, limit, beaten):
        """The program that proposes sets, a set cut off; where the first is not enough, one with a tighter bound."""
        large = self._columns(_servers(numbers)) > _LARGE
        if not pooled.counted and not self.market.spare and not large:
            pooled = self._pooled(scale, limit, beaten, counted=True)
        pooled.cut_off(numbers)
        pooled.fail(self._failing)
        return pooled

    def _pooled(self, scale, limit, beaten, *, counted=False):
        """The program that proposes sets, without those known to be beaten or not to be enough."""
        counted = counted or self.market.share.size <= _COUNTED
        pooled = Pooled(self.market, scale, limit, counted=counted)
        for numbers in beaten:
            pooled.pass_over(numbers)
        for at, numbers in self._refused:
            if at <= scale:
                pooled.cut_off(numbers)
        pooled.fail(self._failing)
        return pooled

    def _at_a_guess(self, scale, limit, beaten):
        """A set that is enough for the demand, of those that may hold a little more; None where none is found."""
        for wider in _WIDER:
            found = self._pooled(scale * wider, limit, beaten).cheapest()
            if found.numbers is None:
                break
            if self._holds(found.numbers, scale, 0)[0]:
                return found.numbers
        alone = self._alone_each(scale)
        fits = alone is not None and sum(alone) <= self.market.max_servers and self.market.price(alone) <= limit
        return alone if fits and not any(np.all(np.less_equal(each, alone)) for each in beaten) else None

    def _holds(self, numbers, scale, left):
        """Whether a set holds the demand, None where that is not known; and the work it took."""
        work, certain = 0, True
        for failing, kinds in self._left(numbers):
            held = self._place(kinds, scale, left - work)
            work += held.work
            if held.placement is None and held.certain:
                self._refused.append((scale, numbers))
                self._failing = failing
                return False, work
            certain &= held.placement is not None
        return (True if certain else None), work

    def _place(self, kinds, scale, left):
        """A placement on single servers, if there is one: exact where that is work enough left for, else by filling.

        What was found is kept, but looked at again where it was not certain and there is work left.
        """
        known = self._held.get((kinds, scale))
        if known is not None and (known.certain or left <= 0):
            return known._replace(work=0)
        self.tried += 1
        columns = self._columns(kinds)
        if columns > _LARGE and columns**3 > left:
            found = filled(self.market, kinds, scale)
        else:
            found = placed(self.market, kinds, scale, nodes=int(np.clip(left / columns**3, 1, 10_000)))
        self._held[kinds, scale] = found
        return found

    def _columns(self, kinds):
        """About how many whole-number columns the exact program of so many servers has."""
        return 4 * len(kinds) * len(self.market.people) + 1

    def placement(self, kinds):
        """Give a placement of the demand on single servers that hold it."""
        return self._place(tuple(kinds), 1.0, math.inf).placement

    def _left(self, numbers):
        """Each choice of servers that fail, and the kinds of those left."""
        kinds = _servers(numbers)
        for failing in sorted(set(itertools.combinations(kinds, min(self.market.spare, len(kinds))))):
            left = list(kinds)
            for kind in failing:
                left.remove(kind)
            yield failing, tuple(left)

    def kept(self, numbers):
        """Give the kinds of the servers of a set without its dearest spare ones, and those."""
        kinds = sorted(_servers(numbers), key=lambda kind: -self.market.price_usd[kind])
        spare = self.market.spare
        return tuple(sorted(kinds[spare:])), tuple(kinds[:spare])

    def most(self, numbers):
        """Give how many times the demand fits on a set, whichever of its servers fail: at least, and at most."""
        found = [self._most_on(left) for _, left in self._left(numbers)]
        return min(low for low, _ in found), min(high for _, high in found)

    def _most_on(self, kinds):
        """How many times the demand some servers hold: at least, for a placement says so, and at most, by a bound."""
        if kinds not in self._most:
            held = [scale for (servers, scale), each in self._held.items() if servers == kinds and each.placement]
            columns, low = self._columns(kinds), max(held, default=0.0)
            high = max(most_together(self.market, kinds), low) if kinds else 0.0
            if columns > _LARGE:
                found = self._filled_most(kinds, low, high)
            else:
                found = most(self.market, kinds, high, nodes=int(np.clip(self.work / columns**3, 1, 2_000)))
            self._most[kinds] = max(found[0], low), max(found[1], low)
        return self._most[kinds]

    def _filled_most(self, kinds, low, high):
        """How many times the demand many servers hold, by filling them with it a few times: at least, and at most."""
        scale = above = high
        for _ in range(_FILLED):
            if filled(self.market, kinds, scale).placement is None:
                above = scale
            else:
                low = scale
            if low == above:
                break
            scale = (low + above) / 2
        return low, high

    def largest(self):
        """Give how much of the demand fits within the limits, at most 1, and whether more may fit."""
        limit = min(self.market.max_price_usd, self.market.max_servers * float(self.market.price_usd.max()))
        if limit == math.inf or limit < self.market.price_usd.min():
            return 0.0, False
        pooled, best, left = Pooled(self.market, None, limit), 0.0, self.work
        while left > 0:
            found = pooled.widest()
            left -= found.work
            if found.numbers is None or found.bound <= best + 1e-6:
                return min(best, 1.0), not found.certain
            best = max(best, self.most(found.numbers)[0])
            left -= self._columns(_servers(found.numbers)) ** 3
            pooled.cut_off(found.numbers)
        return min(best, 1.0), True

    def _limit_usd(self, scale, beaten):
        """The most that a set may cost, and how far it is worth looking."""
        market, alone = self.market, self._alone_each(scale)
        enough = market.price(alone) if alone is not None else -1.0
        if beaten:
            enough = _DEAREST * market.price(beaten[0])
        elif market.max_servers < math.inf and enough > 0:
            enough = math.inf
        return min(enough, market.max_price_usd, market.max_servers * float(market.price_usd.max()))

    def _alone_each(self, scale):
        """A set that is enough: each group alone on the kind that is cheapest for it, and its spare servers."""
        numbers, kinds = [0] * len(self.market.price_usd), range(len(self.market.price_usd))
        for group in range(len(self.market.people)):
            counts = [self._alone_count(kind, group, scale) for kind in kinds]
            usd = [count * price for count, price in zip(counts, self.market.price_usd, strict=True)]
            kind = int(np.argmin(usd))
            if usd[kind] == math.inf:
                return None
            numbers[kind] += counts[kind]
        return tuple(numbers)

    def _alone_count(self, kind, group, scale):
        """How many servers of a kind hold a group alone, whichever fail."""
        market = self.market
        with_, without = (self._alone(kind, group, mb) for mb in (market.databases_mb[group], 0.0))
        if with_ < 0 or without <= 0:
            return math.inf
        left = max(market.people[group] * scale - with_, 0.0)
        return 1 + math.ceil(left / without) + market.spare

    def _alone(self, kind, group, databases_mb):
        """The most people of a group that a server holds alone with so much of databases; negative for not at all."""
        market = self.market
        if np.isnan(market.share[kind, group]):
            return -1.0
        (factor, step), each, found = market.paging, market.mb_each[group], -1.0
        for low, high, base, slope in market.rows_on(kind, group, 1e9):
            memory = base + slope * (high - low)
            disk = market.usable_mb - databases_mb - step * math.ceil(factor * memory / step - 1e-9)
            room = high if disk >= 0 and each * high <= disk else disk / each if each else -1.0
            found = max(found, min(high, room))
        return found


def _servers(numbers):
    """The kind of each server of a set, one after the other."""
    check_count(sum(numbers))
    return tuple(kind for kind, count in enumerate(numbers) for _ in range(int(count)))
