"""Relax and fix: many servers filled one after the other, while the others hold the rest of the demand together."""

from collections.abc import Sequence

import numpy as np

from dominoperf.planning.assignment import Attempt, add_assignment, without_rounding
from dominoperf.planning.mip import Program
from dominoperf.planning.problem import Problem

_NEAR, _NODES = 0.05, 50  # how near to the fullest, and after how many nodes, a server is full enough
_NOBODY = 1e-5  # people that are the solver's rounding


def relax_and_fix(problem: Problem, kinds: Sequence[int], scale: float = 1.0) -> Attempt:
    """Return an assignment of the demand to single servers, kind after kind; where it does not fit, nothing is certain.

    Each server is filled so that the rest of the demand takes the least of the other servers, if these held it
    together. Where groups are large, like servers get the same.
    """
    wanted = problem.people * scale
    left, data, waiting = wanted.copy(), problem.databases_mb.copy(), np.ones(len(wanted), bool)
    people, room, databases, present = (np.zeros((len(kinds), len(wanted))) for _ in range(4))
    at, work = 0, 0
    order = sorted(
        range(len(kinds)), key=lambda k: (len(problem.serves(kinds[k])), -problem.ram_mb[kinds[k]], kinds[k])
    )
    while at < len(order) and (waiting | (data > 0)).any():
        groups = np.flatnonzero(waiting | (data > 0))
        fullest = _fullest(problem.rest(groups, left, data), [kinds[k] for k in order[at:]])
        work += 1
        if fullest is None:
            return Attempt(None, False, work)
        here, space, held, there = fullest
        alike = sum(kinds[k] == kinds[order[at]] for k in order[at:])
        for copy in range(_copies(here, left[groups], alike)):
            server = order[at]
            people[server, groups], room[server, groups], present[server, groups] = here, space, there
            databases[server, groups] = held * (copy == 0)
            at += 1
            left[groups] -= here
        data[groups[held > 0]] = 0.0
        left[left < _NOBODY] = 0.0
        waiting[groups] &= (left[groups] > 0) | ((there == 0) & (wanted[groups] == 0))
    if (waiting | (data > 0)).any():
        return Attempt(None, False, work)
    return Attempt(without_rounding(people, room, wanted, databases > 0, present > 0), True, work)


def _copies(here, left, alike):
    """How many of the servers that are alike get the same: half of them at most, while there are people for it."""
    taken = here > _NOBODY
    enough = int(np.min(left[taken] // here[taken])) if taken.any() else 1
    return max(min(enough, alike // 2), 1)


def _fullest(problem, kinds):
    """People, room, databases and presence by group on the first of the servers; None where the rest is too much."""
    rest, counts = np.unique(kinds[1:], return_counts=True)
    program = Program()
    one, less, scale = program.column(1.0, 1.0), program.column(0.0, 1.0), program.column(1.0, 1.0)
    servers = [[(one, 1.0)], *([(one, float(count)), (less, -float(count))] for count in counts)]
    single = [True] + [False] * len(rest)
    units = [kinds[0], *map(int, rest)]
    columns = add_assignment(program, problem, units, servers, scale, 1.0, single=single)
    solution = program.solve([(less, -1.0)], gap=_NEAR, nodes=_NODES)
    if solution.x is None:
        return None
    here, room, held, there = (np.zeros(len(problem.people)) for _ in range(4))
    for unit, group in columns.people:
        if unit == 0:
            here[group], room[group], there[group] = columns.read(solution.x, (unit, group))
            held[group] = round(solution.x[columns.databases[0, group]]) if (0, group) in columns.databases else 0.0
    return here, room, held, there
