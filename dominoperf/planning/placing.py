"""Which servers suffice, and who goes where: mixed-integer programs over kinds of systems, or over single servers."""

import contextlib
import ctypes
import itertools
import math
import os
from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from dominoperf.errors import CannotPlan
from dominoperf.planning.steps import memory_for, memory_table

_SMALL = 1e-7
_CLOSE, _FIRST, _NEAT = 1e-6, 1.0, 0.01  # gaps at which a search ends: proved, any that fits, nearly the neatest
_NODES = 2_000  # nodes, not seconds: the same answer on every machine


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


@contextlib.contextmanager
def _quiet():
    """Send what the solver prints of its own to standard error: a line of debugging that no option silences.

    It would stand in the CSV or JSON of the command line (HiGHS.jl issue 312; seen with the HiGHS of scipy 1.17).
    """
    try:
        kept, c = os.dup(1), ctypes.CDLL(None)
    except (OSError, TypeError):  # no standard output, or a C library that cannot be asked to flush
        yield
        return
    try:
        c.fflush(None)
        os.dup2(2, 1)
        yield
    finally:
        c.fflush(None)
        os.dup2(kept, 1)
        os.close(kept)


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

    def solve(self, cost, gap=_CLOSE, nodes=_NODES):
        with _quiet():
            return optimize.milp(
                self._objective(cost),
                integrality=np.array(self.whole, int),
                bounds=optimize.Bounds(self.lower, self.upper),
                constraints=optimize.LinearConstraint(self.matrix(), self.low, self.high),
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
        People by server and group, where the databases are, and which group is where, or None where they do not fit;
        and whether that is certain.
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
    people, databases, present = (np.zeros((len(kinds), len(market.people))) for _ in range(3))
    for key, column in block.people.items():
        present[key] = round(sum(found.x[row] for row, _ in block.present[key]))
        people[key] = found.x[column] * present[key]
    for key, column in block.databases.items():
        databases[key] = round(found.x[column])
    people = _exact(people, market.people * scale)
    return (people, databases > 0, (people > 0) | (databases > 0) | (present > 0) & (market.people == 0)), True


def _exact(people, wanted):
    """Free the numbers of people from the solver's rounding, so that they add up."""
    people = people.round(6)
    for group, total in enumerate(wanted):
        largest = int(np.argmax(people[:, group]))
        people[largest, group] += total - people[:, group].sum()
    return people


def most(market, kinds):
    """Give how many times the people of the demand fit on single servers, at least, and whether exactly so many."""
    if not kinds:
        return 0.0, True
    program = _Program()
    room = [program.column(1.0, 1.0) for _ in kinds]
    scale = program.column()
    _place(program, market, kinds, room, scale, math.inf, whole=True)
    found = program.solve([(scale, -1.0)], nodes=_NODES // 4)
    return (0.0 if found.x is None else float(found.x[scale])), found.status in (0, 2)


class Together:
    """What several servers of a kind hold together at most: a linear program, and what it says of other numbers.

    The share v of the demand that must be left out is a convex function of the numbers of servers n. So
    v(n) - gain (m - n) <= v(m), and a set m that holds the demand makes the left side 0 or less:
    Benders' cuts, Numerische Mathematik 4, 1962.
    """

    def __init__(self, market, most):
        program = _Program()
        room = [program.column() for _ in market.price_usd]
        short, scale = program.column(upper=1.0), program.column(most, most)
        _place(program, market, range(len(room)), room, scale, most, whole=False, short=short)
        matrix, low, high = program.matrix(), np.array(program.low), np.array(program.high)
        up, down = np.flatnonzero(high < np.inf), np.flatnonzero(low > -np.inf)
        self.less = sparse.vstack([matrix[up], -matrix[down]]).tocsr()
        self.limit = np.concatenate([high[up], -low[down]])
        self.cost = np.zeros(len(program.lower))
        self.cost[short] = 1.0
        self.bounds = np.column_stack([program.lower, program.upper])
        self.fixed = sparse.eye_array(len(room), len(program.lower)).tocsr()

    def left_out(self, numbers):
        """Give the share left out, and by how much one server more of each kind lessens it; none where unsure."""
        found = optimize.linprog(
            self.cost, self.less, self.limit, self.fixed, np.asarray(numbers, float), self.bounds, method="highs"
        )
        return (0.0, 0.0) if found.x is None else (found.fun, -found.eqlin.marginals)
