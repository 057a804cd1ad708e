"""Many servers filled one after the other, by a small program each; the others hold the rest of the demand together."""

import numpy as np

from dominoperf.planning.placing import Held, place, settled
from dominoperf.planning.programs import Program

_CLOSE, _NODES = 0.05, 50  # how near to the fullest, and after how many nodes, a server is full enough
_LEFT = 1e-5  # people that are the solver's rounding


def filled(market, kinds, scale=1.0):
    """Place the demand on single servers, kind after kind; gives what is `Held`, uncertain where it does not fit.

    Each server is filled so that the rest of the demand takes the least of the other servers, if these held it
    together (relax and fix). Where groups are large, like servers get the same.
    """
    wanted = market.people * scale
    left, data, waiting = wanted.copy(), market.databases_mb.copy(), np.ones(len(wanted), bool)
    people, room, databases, present = (np.zeros((len(kinds), len(wanted))) for _ in range(4))
    at, work = 0, 0
    order = sorted(range(len(kinds)), key=lambda k: (len(market.serves(kinds[k])), -market.ram_mb[kinds[k]], kinds[k]))
    while at < len(order) and (waiting | (data > 0)).any():
        groups = np.flatnonzero(waiting | (data > 0))
        full = _full(market.left(groups, left, data), [kinds[k] for k in order[at:]])
        work += 1
        if full is None:
            return Held(None, False, work)
        here, space, held, there = full
        alike = sum(kinds[k] == kinds[order[at]] for k in order[at:])
        for copy in range(_copies(here, left[groups], alike)):
            server = order[at]
            people[server, groups], room[server, groups], present[server, groups] = here, space, there
            databases[server, groups] = held * (copy == 0)
            at += 1
            left[groups] -= here
        data[groups[held > 0]] = 0.0
        left[left < _LEFT] = 0.0
        waiting[groups] &= (left[groups] > 0) | ((there == 0) & (wanted[groups] == 0))
    if (waiting | (data > 0)).any():
        return Held(None, False, work)
    return Held(settled(people, room, wanted, databases > 0, present > 0), True, work)


def _copies(here, left, alike):
    """How many of the servers that are alike get the same: half of them at most, while there are people for it."""
    taken = here > _LEFT
    enough = int(np.min(left[taken] // here[taken])) if taken.any() else 1
    return max(min(enough, alike // 2), 1)


def _full(market, kinds):
    """People, room, databases and presence by group on the first of the servers; None where the rest is too much."""
    rest, counts = np.unique(kinds[1:], return_counts=True)
    program = Program()
    one, less, scale = program.column(1.0, 1.0), program.column(0.0, 1.0), program.column(1.0, 1.0)
    units = [kinds[0], *map(int, rest)]
    servers = [[(one, 1.0)], *([(one, float(count)), (less, -float(count))] for count in counts)]
    block = place(program, market, units, servers, scale, 1.0, whole=[True] + [False] * len(rest))
    found = program.solve([(less, -1.0)], gap=_CLOSE, nodes=_NODES)
    if found.x is None:
        return None
    here, room, held, there = (np.zeros(len(market.people)) for _ in range(4))
    for unit, group in block.people:
        if unit == 0:
            here[group], room[group], there[group] = block.read(found.x, (unit, group))
            held[group] = round(found.x[block.databases[unit, group]]) if (unit, group) in block.databases else 0.0
    return here, room, held, there
