"""Which servers suffice, and who goes where: mixed-integer programs over kinds of systems, or over single servers."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from dominoperf.errors import CannotPlan
from dominoperf.planning.steps import memory_for, memory_table

_SMALL = 1e-7
_CUT = 1e-6  # what a cut may be missed by, a share of the demand
_DEAREST = 3.0  # how many times the price of the cheapest set the next ones may have
_EXACT, _FIRST, _NEAT = 1e-9, 1.0, 0.01  # gaps at which a search ends: proved, any that fits, nearly the neatest
_WIDER = 1.05  # by how much the budget grows when nothing is found within it
_NODES = 1_000  # nodes, not seconds: the same answer on every machine


@dataclass(frozen=True)
class Market:
    """A demand and what can be bought for it; G groups, S kinds of systems, H hours.

    Parameters
    ----------
    people : array, G
        People of each group.
    share : array, S × G
        Share of a server that a person takes at the full hours; NaN where the system cannot serve the group.
    hours : array, H × G
        Share of the people at work, 0 to 1.
    rows : tuple, G
        Memory of a group by its people on a server, as `memory_rows` gives it.
    mb_each, databases_mb : array, G
        Disk space of a person, and of the databases of a group, which lie on one server.
    price_usd, ram_mb : array, S
    usable_mb : float
        Usable disk space of a server with the most drives.
    paging : tuple
        Paging file for an MB of memory, and the step it is rounded up to.
    spare : int
        Servers that may fail.
    most_servers, most_usd : float
    """

    people: np.ndarray
    share: np.ndarray
    hours: np.ndarray
    rows: tuple
    mb_each: np.ndarray
    databases_mb: np.ndarray
    price_usd: np.ndarray
    ram_mb: np.ndarray
    usable_mb: float
    paging: tuple
    spare: int = 0
    most_servers: float = math.inf
    most_usd: float = math.inf

    def rows_on(self, kind, group, most):
        """Give the memory rows that a server of a kind has room for, the last one cut to what it can use."""
        full = np.max(self.hours[:, group]) * self.share[kind, group]
        most = min(most, 1 / full) if full > 0 else most
        found = []
        for low, high, base, slope in self.rows[group]:
            if base > self.ram_mb[kind] + _SMALL or (found and low >= most):
                break
            high = min(high, low + (self.ram_mb[kind] - base) / slope) if slope > 0 else high
            found.append((low, min(high, max(most, low)), base, slope))
        return found


def memory_rows(workload, rules):
    """Give memory by people as rows (above, to, MB just above, MB for each further person): a step has slope 0.

    Derived by code from the rule of step 4, and equal to it everywhere; above the last row of the table the rules'
    slope, or no row where they have none.
    """
    tables = [memory_table(kind, "ram_min_mb")[0] for kind in ("Mail", "Groupware_A")]
    found = []
    for low, high in itertools.pairwise([0.0, *np.unique(np.concatenate(tables)), math.inf]):
        wide = min(high - low, 200.0)
        try:
            half, full = (memory_for(workload, low + part * wide, rules)[0] for part in (0.5, 1.0))
        except CannotPlan:
            break
        slope = round((full - half) / (0.5 * wide), 9)
        row = (low, high, full - slope * wide, slope)
        if found and _continued(found[-1], row):
            row = (found[-1][0], high, *found.pop()[2:])
        found.append(row)
    return tuple(found)


def _continued(before, after):
    reached = before[2] + before[3] * (before[1] - before[0])
    return math.isclose(before[3], after[3], abs_tol=1e-9) and math.isclose(reached, after[2])


class _Program:
    """A mixed-integer program that grows by columns and rows."""

    def __init__(self):
        self.lower, self.upper, self.whole = [], [], []
        self.at, self.by, self.low, self.high = [], [], [], []

    def column(self, lower=0.0, upper=np.inf, *, whole=False):
        self.lower.append(lower)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.lower) - 1

    def row(self, terms, low=-np.inf, high=np.inf):
        """Ask for low <= sum of coefficient × column <= high; `terms` are pairs of column and coefficient."""
        self.at.append([column for column, _ in terms])
        self.by.append([by for _, by in terms])
        self.low.append(low)
        self.high.append(high)

    def solve(self, cost, gap=_EXACT, nodes=_NODES):
        return optimize.milp(
            self._objective(cost),
            integrality=np.array(self.whole, int),
            bounds=optimize.Bounds(self.lower, self.upper),
            constraints=optimize.LinearConstraint(self.matrix(), self.low, self.high) if self.at else (),
            options={"mip_rel_gap": gap, "node_limit": nodes},
        )

    def _objective(self, cost):
        objective = np.zeros(len(self.lower))
        for column, by in cost:
            objective[column] += by
        return objective

    def matrix(self):
        starts = np.cumsum([0, *map(len, self.at)])
        at = np.fromiter(itertools.chain.from_iterable(self.at), int, starts[-1])
        by = np.fromiter(itertools.chain.from_iterable(self.by), float, starts[-1])
        return sparse.csr_array((by, at, starts), shape=(len(self.at), len(self.lower)))


@dataclass
class _Block:
    """The columns of a placement by unit and group: people, servers in each memory row, databases."""

    people: dict
    present: dict
    databases: dict
    memory: list


def _place(program, market, units, room, scale, most, *, whole, short=None):
    """Add a placement of the demand on units, each a kind with room for so many servers.

    Parameters
    ----------
    units : sequence of int
        The kind of each unit.
    room : sequence of int
        The column of how many servers each unit is.
    scale : int
        The column of how much of the demand.
    most : float
        The largest it can be.
    whole : bool
        Whether each unit is one server, for which the program is exact; else it is what several hold together at most.
    short : int, optional
        The column of the share of the demand that may be left out.
    """
    most = market.people * most if most < math.inf else np.full(len(market.people), np.inf)
    block = _Block({}, {}, {}, [])
    for unit, (kind, servers) in enumerate(zip(units, room, strict=True)):
        memory = []
        for group in np.flatnonzero(~np.isnan(market.share[kind])):
            rows = market.rows_on(kind, group, most[group])
            if rows:
                memory += _group(program, market, block, (unit, int(group)), rows, servers, whole)
        block.memory += memory
        _unit(program, market, block, unit, kind, servers, memory, whole)
    _demand(program, market, block, scale, [] if short is None else [short])
    return block


def _group(program, market, block, key, rows, servers, whole):
    """Add a group on a unit: its people, and in which memory row each server is; give the terms of its memory."""
    people = program.column()
    present, limit, memory = [], [(people, 1.0)], []
    for low, high, base, slope in rows:
        row = program.column(whole=whole)
        present.append((row, 1.0))
        memory.append((row, base))
        if slope > 0:
            above = program.column()
            program.row([(above, 1.0), (row, low - high)], high=0)
            memory.append((above, slope))
            limit += [(row, -low), (above, -1.0)]
        else:
            limit.append((row, -high))
    program.row(limit, high=0)
    program.row([*present, (servers, -1.0)], high=0)
    block.people[key], block.present[key] = people, present
    if market.databases_mb[key[1]]:
        held = block.databases[key] = program.column(upper=1.0)
        program.row([(held, 1.0), *((row, -by) for row, by in present)], high=0)
    return memory


def _unit(program, market, block, unit, kind, servers, memory, whole):
    """Add the limits of a unit: memory, processors in each hour, disks."""
    here = [(group, column) for (each, group), column in block.people.items() if each == unit]
    if not here:
        return
    program.row([*memory, (servers, -market.ram_mb[kind])], high=0)
    for hour in market.hours:
        program.row([*((c, market.share[kind, g] * hour[g]) for g, c in here), (servers, -1.0)], high=0)
    factor, step = market.paging
    paging = program.column(whole=whole)
    program.row([(paging, step), *((column, -factor * by) for column, by in memory)], low=0)
    stored = [(c, market.mb_each[g]) for g, c in here]
    for group, _ in here:
        if (unit, group) in block.databases:
            column = block.databases[unit, group]
            program.whole[column] = whole
            stored.append((column, market.databases_mb[group]))
    program.row([*stored, (paging, step), (servers, -market.usable_mb)], high=0)


def _demand(program, market, block, scale, short):
    """Ask that every group is placed, all of it, and its databases."""
    for group, people in enumerate(market.people):
        mine = [key for key in block.people if key[1] == group]
        here, missing = [(block.people[key], 1.0) for key in mine], [(column, 1.0) for column in short]
        program.row([*here, (scale, -people), *((column, people) for column in short)], low=0)
        program.row([*(term for key in mine for term in block.present[key]), *missing], low=1)
        if market.databases_mb[group]:
            program.row([*((block.databases[key], 1.0) for key in mine), *missing], low=1)


def placed(market, kinds, scale=1.0, *, neat=False):
    """Place the demand on single servers.

    Parameters
    ----------
    kinds : sequence of int
        The kind of each server.
    neat : bool
        Whether memory and the pieces that groups are cut into are to be (nearly) the least; else any placement will do.

    Returns
    -------
    tuple
        People by server and group, databases (MB) by server and group, or None where they do not fit; and whether that
        is certain.
    """
    if not kinds:
        return None, True
    program = _Program()
    room = [program.column(1.0, 1.0) for _ in kinds]
    block = _place(program, market, kinds, room, program.column(scale, scale), scale, whole=True)
    pieces = [term for terms in block.present.values() for term in terms]
    found = program.solve([*block.memory, *pieces], _NEAT if neat else _FIRST)
    if found.x is None:
        return None, found.status == 2
    people, databases = (np.zeros((len(kinds), len(market.people))) for _ in range(2))
    for key, column in block.people.items():
        people[key] = found.x[column] if sum(found.x[row] for row, _ in block.present[key]) > 0.5 else 0.0
    for key, column in block.databases.items():
        databases[key] = market.databases_mb[key[1]] * round(found.x[column])
    return (_exact(people, market.people * scale), databases), True


def _exact(people, wanted):
    """Free the numbers of people from the solver's rounding, so that they add up."""
    people = people.round(6)
    for group, total in enumerate(wanted):
        largest = int(np.argmax(people[:, group]))
        people[largest, group] += total - people[:, group].sum()
    return people


def most(market, kinds):
    """Give how many times the people of the demand fit on single servers, and whether that is certain."""
    if not kinds:
        return 0.0, True
    program = _Program()
    room = [program.column(1.0, 1.0) for _ in kinds]
    scale = program.column()
    _place(program, market, kinds, room, scale, math.inf, whole=True)
    found = program.solve([(scale, -1.0)])
    return (0.0 if found.x is None else float(found.x[scale])), found.status in (0, 2)


class _Together:
    """What several servers of a kind hold together at most: a linear program, and what it says of other numbers.

    The share v of the demand that must be left out is a convex function of the numbers of servers n (and of the scale
    of the demand). So v(n) + slope (m - n) <= v(m), and a set m that holds the demand makes the left side 0 or less:
    Benders' cuts, Numerische Mathematik 4, 1962.
    """

    def __init__(self, market, most):
        program = _Program()
        self.given = [program.column() for _ in (*market.price_usd, most)]
        short = program.column(upper=1.0)
        *room, scale = self.given
        _place(program, market, range(len(room)), room, scale, most, whole=False, short=short)
        self.matrix, low, high = program.matrix(), np.array(program.low), np.array(program.high)
        up, down = np.flatnonzero(high < np.inf), np.flatnonzero(low > -np.inf)
        self.less = sparse.vstack([self.matrix[up], -self.matrix[down]]).tocsr()
        self.limit = np.concatenate([high[up], -low[down]])
        self.cost = np.zeros(len(program.lower))
        self.cost[short] = 1.0
        self.bounds = np.column_stack([program.lower, program.upper])
        self.fixed = sparse.eye_array(len(self.given), len(program.lower)).tocsr()

    def left_out(self, numbers, scale):
        """Give the share left out, and its slopes by the numbers and by the scale."""
        found = optimize.linprog(
            self.cost, self.less, self.limit, self.fixed, [*map(float, numbers), scale], self.bounds, method="highs"
        )
        return found.fun, found.eqlin.marginals


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
        limit = self._limit_usd(scale, beaten)
        budget = min(self._least_usd(scale), limit)
        while budget > 0:
            sets = self._within(budget, scale, beaten)
            while len(sets):
                known = len(self.cuts), len(self.rejected)
                if self._accepted(sets[0], scale):
                    return tuple(map(int, sets[0]))
                sets = self._allowed(
                    sets[1:], [cut[1:] for cut in self.cuts[known[0] :]], [set_ for _, set_ in self.rejected[known[1] :]]
                )
            if budget >= limit:
                break
            budget = min(budget * _WIDER, limit)
        return None

    def largest(self, close=1e-4):
        """Give the most of the demand that fits, at most 1, and the numbers of each kind that hold it, or None."""
        low, high, held = 0.0, 1.0, self.cheapest(0.0)
        while held is not None and high - low > close:
            found = self.cheapest((low + high) / 2)
            if found is None:
                high = (low + high) / 2
            else:
                low, held = max(self.most(found), (low + high) / 2), found
        return min(low, 1.0), held

    def most(self, numbers):
        """Give how many times the demand fits on a set, whichever of its servers fail."""
        return min(self._most(left) for _, left in self._left(numbers))

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
        if scale not in self._together:
            self._together[scale] = _Together(self.market, scale)
        cuts = []
        for _, left in self._left(numbers):
            counts = np.bincount(np.array(left, int), minlength=len(numbers))
            short, slopes = self._together[scale].left_out(counts, scale)
            if short > 2 * _CUT:
                cuts.append((scale, -slopes[:-1], short - slopes[:-1] @ counts))
        self.cuts += cuts
        return bool(cuts)

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
            self._known[kinds], certain = most(self.market, kinds)
            self.certain &= certain
        return self._known[kinds]

    def _within(self, budget, scale, beaten):
        """The sets of a price within the budget that no cut forbids, cheapest first.

        Kind after kind is added to all sets begun; a set is dropped once the best use of the money and of the servers
        left to it cannot satisfy a cut.
        """
        price, most_servers = self.market.price_usd, self.market.most_servers
        cuts = [(gain, need) for at, gain, need in reversed(self.cuts) if at <= scale]
        sets, spent = np.zeros((1, len(price)), int), np.zeros(1)
        order = np.argsort(-price, kind="stable")
        for position, kind in enumerate(order):
            room = np.minimum((budget * (1 + 1e-12) - spent) // price[kind], most_servers - sets.sum(axis=1))
            count = room.astype(int) + 1
            more = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            sets = np.repeat(sets, count, axis=0)
            sets[:, kind] = more
            spent = np.repeat(spent, count) + more * price[kind]
            rest = order[position + 1 :]
            for gain, need in cuts:
                reach = sets @ gain + _reach(gain, price, rest, budget - spent, most_servers - sets.sum(axis=1))
                sets, spent = sets[reach >= need - _CUT], spent[reach >= need - _CUT]
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

    def _least_usd(self, scale):
        """A price that no set is below: that of the cuts so far, servers divisible."""
        price = self.market.price_usd
        known = [(gain, need) for at, gain, need in self.cuts if at <= scale]
        if not known:
            return float(price.min())
        gains, needs = (np.array(each) for each in zip(*known, strict=True))
        return max(float(optimize.linprog(price, -gains, -needs, method="highs").fun or 0.0), float(price.min()))

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
    return tuple(kind for kind, count in enumerate(numbers) for _ in range(count))


def _reach(gain, price, rest, left_usd, left_servers):
    """What the kinds that rest can add to a cut at most."""
    if not len(rest):
        return 0.0
    by_money = left_usd * max(np.max(gain[rest] / price[rest]), 0.0)
    best = max(gain[rest].max(), 0.0)
    return np.minimum(by_money, left_servers * best) if best > 0 else 0.0


def _lost(sets, gain, spare):
    """What a cut loses when the servers fail that give it most."""
    lost, left = np.zeros(len(sets)), np.array(sets)
    for _ in range(spare):
        worth = np.where(left > 0, gain, 0.0)
        worst = worth.argmax(axis=1)
        lost += worth[np.arange(len(sets)), worst]
        left[np.arange(len(sets)), worst] -= 1
    return lost
