"""Closed networks of several classes: mean value analysis over all smaller populations, and Schweitzer's short cut."""

import numpy as np

from dominoperf.errors import CannotSolve

_ROUNDS = 100_000
_STEADY = 1e-13  # largest change of a queue in a round, relative to the population


def mean_values(network, users):
    """Solve a network of several classes exactly, by mean value analysis; stations have one server or are delays.

    An arriving user finds what the network would hold without him (arrival theorem), so the populations are solved in
    the order of their totals, all those of one total at once.

    Parameters
    ----------
    network : Network
        Every number of servers is 1 or infinite.
    users : array of int, populations x classes

    Returns
    -------
    throughput : array, populations x classes
        Rounds per second.
    queue : array, populations x classes x stations
        Mean number at each station, in service too.

    Notes
    -----
    Reiser and Lavenberg, JACM 27(2) 1980. Memory grows with the number of populations up to the largest of each class,
    that is with the product of ``users + 1``.
    """
    sides = users.max(axis=0) + 1
    place = np.append(np.cumprod(sides[:0:-1])[::-1], 1)
    points = np.indices(sides).reshape(len(sides), -1).T
    totals = points.sum(axis=1)
    layers = np.split(np.argsort(totals, kind="stable"), np.cumsum(np.bincount(totals))[:-1])
    found = np.zeros((len(points), network.demand.shape[1]))

    def solve(each):
        # Where a class is absent its row names some other population; nothing of it is used, for X is 0 there.
        seen = found[np.maximum(each[:, None] - place, 0)]
        return _advance(network, points[each], seen)

    for layer in layers[1:]:
        throughput, _, waiting = solve(layer)
        found[layer] = (throughput[..., None] * waiting).sum(axis=1)
    throughput, residence, _ = solve(users @ place)
    return throughput, throughput[..., None] * residence


def schweitzer(network, users):
    """Solve a network of several classes approximately; arguments and results are those of `mean_values`.

    An arriving user is taken to find the queues of the whole population less his own class's mean share of it, which is
    iterated until nothing changes. A station of m servers becomes one of m times the speed and a delay for the rest of
    the service time (Seidmann). Errors are mostly a few percent, largest near saturation.

    Raises
    ------
    CannotSolve
        When the iteration does not settle.

    Notes
    -----
    Bard 1979 and Schweitzer 1979, as told in Lazowska et al., Quantitative System Performance, 1984; Seidmann,
    Schweitzer and Shalev-Oren 1987 for several servers.
    """
    users = users.astype(float)
    queue = np.repeat(users[..., None] / network.demand.shape[1], network.demand.shape[1], axis=-1)
    own = 1 / np.maximum(users, 1)[..., None]  # nobody has no queue to take it from
    for _ in range(_ROUNDS):
        seen = queue.sum(axis=1, keepdims=True) - own * queue
        throughput, residence, waiting = _advance(network, users, seen)
        before, queue = queue, throughput[..., None] * waiting
        if (np.abs(queue - before).max(axis=(1, 2)) <= _STEADY * users.sum(axis=1)).all():
            return throughput, throughput[..., None] * residence
    remedy = 'Ask for method="exact", or for other populations.'
    raise CannotSolve('mva(method="schweitzer")', expected="queues that settle", found="none", remedy=remedy)


def _advance(network, users, seen):
    """Throughput, time at each station, and its part in the queue, from what an arrival finds.

    `users` are populations x classes, `seen` populations x classes x stations. The time at a station of m servers is
    ``D/m (1 + seen)`` in the queue and ``D (1 - 1/m)`` beside it: exact for one server and for a delay.
    """
    waiting = network.demand / network.servers * (1 + seen)
    residence = waiting + network.demand * (1 - 1 / network.servers)
    return users / (network.think + residence.sum(axis=-1)), residence, waiting
