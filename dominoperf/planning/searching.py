"""The search for sets of servers in the order of their price."""

import itertools
import math

import numpy as np
from scipy import optimize

from dominoperf.planning.placing import Together, most, placed

_SMALL = 1e-7
_CUT = 1e-6  # what a cut may be missed by, a share of the demand
_DEAREST = 3.0  # how many times the price of the cheapest set the next ones may have
_STEP = 0.01  # the share by which the budget grows first when nothing is found within it
_TOGETHER = 25  # cuts looked at together
_TANGENTS = 60  # cuts to begin with, at most


class Search:
    """The search for sets of servers: the cheapest one, the next, the one that holds most.

    Sets are proposed in the order of their price. A linear program of what the servers of a kind hold together, and
    then the exact program of its single servers, accept a set or forbid it and its like; the first set accepted is the
    cheapest. With spare servers a set must hold the demand without any so many of its servers.

    Parameters
    ----------
    market : Market
    """

    def __init__(self, market):
        self.market = market
        self.certain, self.tried = True, 0
        self.rejected, self.cuts = [], []
        self._known, self._together = {}, {}

    def cheapest(self, scale=1.0, beaten=()):
        """Give the numbers of each kind in the cheapest set that holds so much of the demand, or None.

        A set that has all servers of one in `beaten` is left out.
        """
        limit, step = self._limit_usd(scale, beaten), _STEP
        if limit <= 0:
            return None
        self._begin(scale)
        budget = min(self._least_usd(scale, beaten) * (1 + step), limit)
        while True:
            found = self._first(self._within(budget, scale, beaten), scale)
            if found is not None or budget >= limit:
                return found
            step *= 2
            budget = min(budget * (1 + step), limit)

    def _first(self, sets, scale):
        """The first set that is accepted; what forbids one may forbid others of the list."""
        while len(sets):
            cuts, rejected = len(self.cuts), len(self.rejected)
            if self._accepted(sets[0], scale):
                return tuple(map(int, sets[0]))
            new = [cut[1:] for cut in self.cuts[cuts:]], [set_ for _, set_ in self.rejected[rejected:]]
            sets = self._allowed(sets[1:], *new)
        return None

    def largest(self, close=1e-4):
        """Give the most of the demand that fits, at most 1, and the numbers of each kind that hold it, or None."""
        low, high, held = 0.0, 1.0, self.cheapest(0.0)
        while held is not None and high - low > close:
            found = self.cheapest((low + high) / 2)
            if found is None:
                high = (low + high) / 2
            else:
                low, held = max(self.most(found)[0], (low + high) / 2), found
        return min(low, 1.0), held

    def most(self, numbers):
        """Give how many times the demand fits on a set, whichever of its servers fail, and whether that is exact."""
        found = [self._most(left) for _, left in self._left(numbers)]
        return min(much for much, _ in found), all(exact for _, exact in found)

    def kept(self, numbers):
        """Give the kinds of the servers of a set without its dearest spare ones, and those."""
        kinds = sorted(_servers(numbers), key=lambda kind: -self.market.price_usd[kind])
        spare = self.market.spare
        return sorted(kinds[spare:]), kinds[:spare]

    def _accepted(self, numbers, scale):
        if self._cut(numbers, scale):
            return False
        fits = all(self._holds(left, scale) for _, left in self._left(numbers))
        if not fits:
            self.rejected.append((scale, np.array(numbers)))
        return fits

    def _cut(self, numbers, scale):
        """Add a cut for each choice of failing servers after which the linear program leaves people out."""
        known = len(self.cuts)
        for _, left in self._left(numbers):
            self._tangent(np.bincount(np.array(left, int), minlength=len(numbers)), scale, 2 * _CUT)
        return len(self.cuts) > known

    def _tangent(self, counts, scale, above):
        """Add the cut at some numbers of servers, not whole ones perhaps, if more than so much is left out there."""
        short, gain = self._together[scale].left_out(counts)
        if short > above:
            self.cuts.append((scale, gain, short + gain @ counts))
        return short > above

    def _begin(self, scale):
        """Find the cuts around the cheapest set of divisible servers (Kelley's cutting planes, 1960), once a scale."""
        if scale in self._together:
            return
        self._together[scale] = Together(self.market, scale)
        counts = np.zeros(len(self.market.price_usd))
        for _ in range(_TANGENTS):
            if not self._tangent(counts, scale, 1e-3):
                return
            counts = self._divisible(scale).round(3)

    def _divisible(self, scale):
        """The cheapest numbers of servers, whole or not, that the cuts allow."""
        gains, needs = (np.array(each) for each in zip(*(cut[1:] for cut in self.cuts if cut[0] <= scale), strict=True))
        found = optimize.linprog(self.market.price_usd, -gains, -needs, method="highs")
        return np.zeros(len(self.market.price_usd)) if found.x is None else found.x

    def _left(self, numbers):
        """Each choice of servers that fail, and the kinds of those left."""
        kinds = _servers(numbers)
        for failure in sorted(set(itertools.combinations(kinds, min(self.market.spare, len(kinds))))):
            left = list(kinds)
            for kind in failure:
                left.remove(kind)
            yield failure, tuple(left)

    def _holds(self, kinds, scale):
        if (kinds, scale) not in self._known:
            self.tried += 1
            found, certain = placed(self.market, kinds, scale)
            self.certain &= certain
            self._known[kinds, scale] = found is not None
        return self._known[kinds, scale]

    def _most(self, kinds):
        if kinds not in self._known:
            self._known[kinds] = most(self.market, kinds)
        return self._known[kinds]

    def _within(self, budget, scale, beaten):
        """The sets of a price within the budget that no cut forbids, cheapest first.

        Kind after kind is added to all sets begun; a set is dropped once the best use of the money and of the servers
        left to it cannot satisfy a cut.
        """
        price, most_servers = self.market.price_usd, self.market.most_servers
        cuts = [(gain, need) for at, gain, need in self.cuts if at <= scale]
        sets, spent = np.zeros((1, len(price))), np.zeros(1)
        order = np.argsort(-price, kind="stable")
        for position, kind in enumerate(order):
            room = np.minimum((budget * (1 + 1e-12) - spent) // price[kind], most_servers - sets.sum(axis=1))
            count = np.maximum(room, 0).astype(int) + 1
            more = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            sets = np.repeat(sets, count, axis=0)
            sets[:, kind] = more
            spent = np.repeat(spent, count) + more * price[kind]
            rest = order[position + 1 :]
            for k in range(0, len(cuts), _TOGETHER):
                gains, needs = (np.array(each) for each in zip(*cuts[k : k + _TOGETHER], strict=True))
                reach = sets @ gains.T + _reach(gains, price, rest, budget - spent, most_servers - sets.sum(axis=1))
                kept = (reach >= needs - _CUT).all(axis=1)
                sets, spent = sets[kept], spent[kept]
        sets = sets[np.argsort(spent, kind="stable")]
        sets = sets[sets.sum(axis=1) > self.market.spare]
        for set_ in beaten:
            sets = sets[(sets < set_).any(axis=1)]
        return self._allowed(sets, cuts, [set_ for at, set_ in self.rejected if at <= scale])

    def _allowed(self, sets, cuts, rejected):
        """The sets that no cut forbids, whichever servers fail, and that are part of no rejected one."""
        for set_ in rejected:
            sets = sets[(sets > set_).any(axis=1)]
        for gain, need in cuts:
            sets = sets[sets @ gain - _lost(sets, gain, self.market.spare) >= need - _CUT]
        return sets

    def _least_usd(self, scale, beaten):
        """A price that no set is below: that of divisible servers, and of what was found before."""
        price = self.market.price_usd
        divisible = float(price @ self._divisible(scale)) if self.cuts else 0.0
        return max([divisible * (1 - 1e-6), float(price.min()), *(float(price @ set_) for set_ in beaten)])

    def _limit_usd(self, scale, beaten):
        """The most that a set may cost, and how far it is worth looking."""
        market, enough = self.market, self._enough_usd(scale)
        if beaten:
            enough = _DEAREST * float(beaten[0] @ market.price_usd)
        elif market.most_servers < math.inf and enough > 0:
            enough = math.inf
        return min(enough, market.most_usd, market.most_servers * float(market.price_usd.max()))

    def _enough_usd(self, scale):
        """A price that buys enough: each group alone on the kind that is cheapest for it, and the spare servers."""
        total = 0.0
        for group in range(len(self.market.people)):
            total += min(self._alone_usd(kind, group, scale) for kind in range(len(self.market.price_usd)))
        return total if total < math.inf else -1.0

    def _alone_usd(self, kind, group, scale):
        market = self.market
        with_, without = (self._alone(kind, group, mb) for mb in (market.databases_mb[group], 0.0))
        if with_ < 0 or without <= 0:
            return math.inf
        left = max(market.people[group] * scale - with_, 0.0)
        return (1 + math.ceil(left / without) + market.spare) * market.price_usd[kind]

    def _alone(self, kind, group, databases_mb):
        """The most people of a group that a server holds alone with so much of databases; negative for not at all."""
        market = self.market
        if np.isnan(market.share[kind, group]):
            return -1.0
        (factor, step), each, found = market.paging, market.mb_each[group], -1.0
        for low, high, base, slope in market.rows_on(kind, group, math.inf):
            memory = base + (slope * (high - low) if slope else 0.0)
            disk = market.usable_mb - databases_mb - step * math.ceil(factor * memory / step - 1e-9)
            room = high if disk >= 0 and each * high <= disk else disk / each if each else -1.0
            found = max(found, min(high, room))
        return found


def _servers(numbers):
    return tuple(kind for kind, count in enumerate(numbers) for _ in range(int(count)))


def _reach(gains, price, rest, left_usd, left_servers):
    """What the kinds that rest can add to each cut at most."""
    if not len(rest):
        return 0.0
    best = np.maximum(gains[:, rest].max(axis=1), 0.0)
    by_money = np.outer(left_usd, np.maximum((gains[:, rest] / price[rest]).max(axis=1), 0.0))
    return by_money if np.isinf(left_servers[:1]).any() else np.minimum(by_money, np.outer(left_servers, best))


def _lost(sets, gain, spare):
    """What a cut loses when the servers fail that give it most."""
    lost, left = np.zeros(len(sets)), np.array(sets)
    for _ in range(spare):
        worth = np.where(left > 0, gain, 0.0)
        worst = worth.argmax(axis=1)
        lost += worth[np.arange(len(sets)), worst]
        left[np.arange(len(sets)), worst] -= 1
    return lost
