"""Who goes where: mixed-integer programs over single servers, which are exact, or over several of a kind together."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dominoperf.planning.programs import FIRST, NODES, Program

MOST = 1e3  # times the demand: head-room beyond it is not looked for
_NEAT = 0.01  # of memory and pieces, how near to the least a placement is to be
_FEW = 80  # whole-number columns, up to which the neatest placement is looked for among all


class Placement(NamedTuple):
    """Who is where: people, databases and presence by server and group."""

    people: np.ndarray
    databases: np.ndarray
    present: np.ndarray


class Held(NamedTuple):
    """Whether some servers hold the demand: a `Placement` or None, whether that is certain, and the work it took."""

    placement: Placement | None
    certain: bool
    work: int


@dataclass
class Block:
    """The columns of a placement by unit and group: people, servers with the group, databases; terms of memory."""

    people: dict = field(default_factory=dict)
    present: dict = field(default_factory=dict)
    databases: dict = field(default_factory=dict)
    room: dict = field(default_factory=dict)  # terms of how many people the memory rows reached have room for
    memory: list = field(default_factory=list)

    def read(self, x, key):
        """Give the people of a group on a single server in a solution, the room for them, and whether it is there."""
        there = round(x[self.present[key]])
        room = there * sum(by * _whole(x[column]) for column, by in self.room[key])
        return min(round(max(x[self.people[key]], 0.0), 6), room), room, there


def _whole(value):
    """A whole number where the solver means one."""
    return round(value) if abs(value - round(value)) < 1e-5 else value


def place(program, market, units, servers, scale, most, *, whole, within=None, counted=False):
    """Add a placement of the demand on units, each so many servers of a kind.

    Parameters
    ----------
    units : sequence of int
        The kind of each unit.
    servers : sequence of terms
        How many servers each unit is: pairs of column and coefficient.
    scale : int
        The column of how much of the demand.
    most : float
        The largest it can be.
    whole : sequence of bool
        Whether a unit is one server, for which the program is exact; else it is what several hold together at most:
        their memory rows in any mixture, which is a line below the tables.
    within : array, units × groups, optional
        Which groups may be on which unit.
    counted : bool
        Whether the servers in each memory row of a unit are whole numbers.

    Returns
    -------
    Block
    """
    block, most = Block(), market.people * most
    for unit, (kind, count, exact) in enumerate(zip(units, servers, whole, strict=True)):
        memory = []
        for group in market.serves(kind):
            rows = market.rows_on(kind, group, most[group])
            if rows and (within is None or within[unit, group]):
                memory += _group(program, market, block, (unit, int(group)), rows, count, exact, counted)
        block.memory += memory
        _unit(program, market, block, unit, kind, count, memory, exact)
    _demand(program, market, block, scale)
    return block


def _group(program, market, block, key, rows, count, whole, counted):
    """Add a group on a unit: its people, and how many servers have reached each memory row; give its memory's terms.

    A row is reached after the one before, and adds the memory by which it is above that one's end.
    """
    room, memory, before, held = [], [], list(count), 0.0
    for low, high, base, slope in rows:
        reached, wide = program.column(upper=1.0 if whole else np.inf, whole=whole or counted), high - low
        program.row([(reached, 1.0), *((column, -by) for column, by in before)], high=0)
        memory.append((reached, base - held))
        if slope > 0:  # the next row is reached after all of this one
            filled = program.column()
            program.row([(filled, 1.0), (reached, -wide)], high=0)
            memory.append((filled, slope))
            room.append((filled, 1.0))
            before = [(filled, 1 / wide)] if wide > 0 else [(reached, 1.0)]
        else:
            room.append((reached, wide))
            before = [(reached, 1.0)]
        held = base + slope * wide
    people = program.column()
    program.row([(people, 1.0), *((column, -by) for column, by in room)], high=0)
    block.people[key], block.present[key], block.room[key] = people, memory[0][0], room
    if market.databases_mb[key[1]]:
        block.databases[key] = program.column(upper=1.0, whole=whole)
        program.row([(block.databases[key], 1.0), (block.present[key], -1.0)], high=0)
    return memory


def _unit(program, market, block, unit, kind, count, memory, whole):
    """Add the limits of a unit: memory, processors in each hour, disks."""
    here = [(group, column) for (each, group), column in block.people.items() if each == unit]
    if not here:
        return
    room = lambda each: [(column, -each * by) for column, by in count]  # noqa: E731
    if np.isfinite(market.ram_mb[kind]):
        program.row([*memory, *room(market.ram_mb[kind])], high=0)
    for hour in market.hours:
        program.row([*((c, market.share[kind, g] * hour[g]) for g, c in here), *room(1.0)], high=0)
    factor, step = market.paging
    if not factor:
        return
    stored = [(c, market.mb_each[g]) for g, c in here if market.mb_each[g]]
    stored += [(block.databases[unit, g], market.databases_mb[g]) for g, _ in here if (unit, g) in block.databases]
    paging = program.column(whole=whole)
    program.row([(paging, step), *((column, -factor * by) for column, by in memory)], low=0)
    program.row([*stored, (paging, step), *room(market.usable_mb)], high=0)


def _demand(program, market, block, scale):
    """Ask that every group is placed, all of it, and its databases."""
    for group, people in enumerate(market.people):
        mine = [key for key in block.people if key[1] == group]
        program.row([*((block.people[key], 1.0) for key in mine), (scale, -people)], low=0)
        program.row([(block.present[key], 1.0) for key in mine], low=1)
        if market.databases_mb[group]:
            program.row([(block.databases[key], 1.0) for key in mine], low=1, high=1)


def placed(market, kinds, scale=1.0, *, nodes=NODES):
    """Place the demand on single servers, exactly, anyhow; `kinds` has the kind of each. Gives what is `Held`."""
    if not len(kinds):
        return Held(None, True, 0)
    program, _, block = _on_single(market, kinds, (scale, scale), scale)
    found = program.solve([], gap=FIRST, nodes=nodes)
    placement = None if found.x is None else _read(found.x, market, len(kinds), block, scale)
    return Held(placement, placement is not None or found.status == 2, program.work(found))


def tidied(market, kinds, placement):
    """Give a placement with (nearly) the least memory and pieces of groups, of large ones no piece that was not there.

    Parameters
    ----------
    placement : Placement
        One that fits.
    """
    few = len(kinds) * len(market.people) * 5 <= 3 * _FEW
    program, _, block = _on_single(market, kinds, (1.0, 1.0), 1.0, None if few else placement.present)
    found = program.solve([*block.memory, *((column, 1.0) for column in block.present.values())], gap=_NEAT)
    return placement if found.x is None else _read(found.x, market, len(kinds), block, 1.0)


def most_together(market, kinds):
    """Give how many times the people of the demand servers hold at most, were those of a kind one large server."""
    program, (units, counts) = Program(), np.unique(kinds, return_counts=True)
    one, scale = program.column(1.0, 1.0), program.column(0.0, MOST)
    servers = [[(one, float(count))] for count in counts]
    place(program, market, units, servers, scale, MOST, whole=[False] * len(units))
    found = program.solve([(scale, -1.0)])
    return 0.0 if found.x is None else float(found.x[scale]) * (1 + 1e-6)


def most(market, kinds, high, *, nodes=NODES):
    """Give how many times the people of the demand, `high` at most, fit on single servers: at least, and at most."""
    program, scale, _ = _on_single(market, kinds, (0.0, high), high)
    found = program.solve([(scale, -1.0)], nodes=nodes)
    if found.status == 2:
        return 0.0, 0.0
    low = 0.0 if found.x is None else float(found.x[scale])
    bound = found.mip_dual_bound
    return low, low if found.status == 0 else high if bound is None else min(high, max(-float(bound), low))


def _on_single(market, kinds, scale, largest, within=None):
    """A program of the demand on single servers; the column of its scale, between the two ends given; its block."""
    program = Program()
    one, column = program.column(1.0, 1.0), program.column(*scale)
    rooms = [[(one, 1.0)]] * len(kinds)
    return (
        program,
        column,
        place(program, market, kinds, rooms, column, largest, whole=[True] * len(kinds), within=within),
    )


def _read(x, market, servers, block, scale):
    """The placement of a solution."""
    people, databases, present, room = (np.zeros((servers, len(market.people))) for _ in range(4))
    for key in block.people:
        people[key], room[key], present[key] = block.read(x, key)
    for key, column in block.databases.items():
        databases[key] = round(x[column])
    return settled(people, room, market.people * scale, databases > 0, present > 0)


def settled(people, room, wanted, databases, present):
    """Give a placement freed from the solver's rounding: people add up, and nobody is beyond a memory row."""
    for group, total in enumerate(wanted):
        for _ in range(len(people)):
            rest = total - people[:, group].sum()
            spare = room[:, group] - people[:, group] if rest > 0 else people[:, group]
            largest = int(np.argmax(spare))
            people[largest, group] += np.clip(rest, -spare[largest], spare[largest])
    return Placement(people, databases, (people > 0) | databases | present & (wanted == 0))
