"""Closed networks: throughput, response and queues, exactly or by Schweitzer's approximation."""

import numpy as np
import pandas as pd

from dominoperf.errors import CannotSolve, UnknownName, names_its_keywords
from dominoperf.queueing.arguments import RealNumbers, checked_closed_network, network_populations
from dominoperf.queueing.convolution import convolve
from dominoperf.queueing.operational_laws import utilization

_METHODS = ("exact", "schweitzer")
_LARGEST = 20_000_000  # numbers in the largest array of an exact solution: 160 MB
_ROUNDS = 100_000  # of Schweitzer's iteration
_STEADY = 1e-13  # largest change of a queue in a round, relative to the population


@names_its_keywords()
def mva(
    demand_s: RealNumbers,
    users: RealNumbers,
    *,
    think_s: RealNumbers = 0.0,
    servers: RealNumbers = 1,
    method: str = "exact",
) -> pd.DataFrame:
    """Return the solution of a closed network: users who think, visit every station, and think again.

    Service times are exponential, or stations share their time among all present (product form). The exact answer is
    Buzen's convolution of one class, and mean value analysis over all smaller populations of several.

    Parameters
    ----------
    demand_s : array
        Seconds of service of one round, visits times service time: one per station, or classes x stations.
    users : int or list
        A population or several; with classes, a number for each or a list of such.
    think_s : float or array
        Seconds between a response and the next request, for all classes or for each.
    servers : int or array
        Servers of all stations or of each; ``math.inf`` for a delay station, where nobody waits.
    method : {"exact", "schweitzer"}
        "schweitzer" iterates an approximation instead, of any size.

    Returns
    -------
    DataFrame
        A row per population: `users`, `throughput_per_s`, `response_s` (without think time), then `utilization_1` and
        on (busy share of each server; NaN at a delay station, which has no such share) and `queue_1` and on (mean
        number present, in service too), numbered in the order of the stations. With classes a row per population and
        class, headed by `population` and `user_class`, both from 1; utilizations and queues are the class's shares.
        Nobody has no response: it is NaN for 0 users.

    Raises
    ------
    CannotSolve
        When an argument cannot be, an exact answer would need too much memory, or several classes meet a station of
        several servers, for which only the approximation is offered.
    UnknownName
        When the method does not exist.

    Notes
    -----
    Reiser and Lavenberg, JACM 27(2) 1980; Buzen, CACM 16(9) 1973; Schweitzer 1979.

    Examples
    --------
    >>> found = mva([0.4, 0.1], [1, 40], think_s=5.0, servers=[4, 1])
    >>> found["throughput_per_s"].round(2).tolist()
    [0.18, 6.92]
    """
    if method not in _METHODS:
        raise UnknownName.among("method of mva", method, _METHODS)
    network = checked_closed_network("mva", demand_s, think_s, servers)
    by_class = np.ndim(demand_s) > 1
    users = network_populations("mva", users, len(network.demand) if by_class else None)
    size = float(np.prod(users.max(axis=0) + 1.0) * network.demand.shape[1])
    if method == "schweitzer":
        throughput, queue = schweitzer_mean_values(network, users)
    elif size > _LARGEST:
        expected = f"at most {_LARGEST:,} smaller populations x stations for an exact answer"
        remedy = 'Ask for method="schweitzer", or for fewer users or classes.'
        raise CannotSolve("mva(users=...)", expected=expected, found=f"{size:,.0f}", remedy=remedy)
    elif len(network.demand) > 1:
        if (np.isfinite(network.servers) & (network.servers > 1)).any():
            expected, found = "one server, or inf, at every station where classes meet", "several"
            remedy = 'Ask for method="schweitzer", an approximation, or make one class of them.'
            raise CannotSolve("mva(servers=...)", expected=expected, found=found, remedy=remedy)
        throughput, queue = mean_values(network, users)
    else:
        throughput, queue = np.zeros((len(users), 1)), np.zeros((len(users), 1, network.demand.shape[1]))
        some = users[:, 0] > 0  # of nobody both are 0
        throughput[some, 0], queue[some, 0] = convolve(network, users[some, 0])
    with np.errstate(invalid="ignore"):  # 0 / 0: nobody has no response
        columns = {"users": users, "throughput_per_s": throughput, "response_s": queue.sum(axis=-1) / throughput}
    servers = np.where(np.isinf(network.servers), np.nan, network.servers)
    busy = utilization(throughput[..., None], network.demand, servers)
    for name, values in (("utilization", busy), ("queue", queue)):
        columns |= {f"{name}_{k + 1}": values[..., k] for k in range(values.shape[-1])}
    if by_class:
        population, user_class = np.indices(users.shape) + 1
        columns = {"population": population, "user_class": user_class, **columns}
    return pd.DataFrame({name: values.ravel() for name, values in columns.items()})


def mean_values(network, users):
    """Return throughput (populations x classes) and queues (also x stations) of several classes, exactly.

    Of stations with one server or infinitely many. An arriving user finds what the network would hold without him
    (arrival theorem; Reiser and Lavenberg, JACM 27(2) 1980), so the populations are solved in the order of their
    totals, all those of one total at once. Memory grows with the product of ``users + 1``.
    """
    sides = users.max(axis=0) + 1
    place = np.append(np.cumprod(sides[:0:-1])[::-1], 1)
    points = np.indices(sides).reshape(len(sides), -1).T
    totals = points.sum(axis=1)
    layers = np.split(np.argsort(totals, kind="stable"), np.cumsum(np.bincount(totals))[:-1])
    queue = np.zeros((len(points), network.demand.shape[1]))

    def solve(numbers):
        """What an arrival in some populations finds is there already: they have one user less."""
        # Where a class is absent its row names some other population; nothing of it is used, for X is 0 there.
        seen = queue[np.maximum(numbers[:, None] - place, 0)]
        return _mean_value_step(network, points[numbers], seen)

    for layer in layers[1:]:
        throughput, _, waiting = solve(layer)
        queue[layer] = (throughput[..., None] * waiting).sum(axis=1)
    throughput, residence, _ = solve(users @ place)
    return throughput, throughput[..., None] * residence


def schweitzer_mean_values(network, users):
    """Return the same as `mean_values`, of any number of servers, by an approximation: mostly within a few percent.

    An arriving user is taken to find the queues of the whole population less his own class's mean share of it, which is
    iterated until nothing changes (Bard and Schweitzer, 1979). A station of m servers becomes one of m times the speed
    and a delay for the rest of the service time (Seidmann, Schweitzer and Shalev-Oren, 1987).
    """
    users = users.astype(float)
    queue = np.repeat(users[..., None] / network.demand.shape[1], network.demand.shape[1], axis=-1)
    share = 1 / np.maximum(users, 1)[..., None]  # nobody has no queue to take it from
    for _ in range(_ROUNDS):
        seen = queue.sum(axis=1, keepdims=True) - share * queue
        throughput, residence, waiting = _mean_value_step(network, users, seen)
        before, queue = queue, throughput[..., None] * waiting
        if (np.abs(queue - before).max(axis=(1, 2)) <= _STEADY * users.sum(axis=1)).all():
            return throughput, throughput[..., None] * residence
    remedy = 'Ask for method="exact", or for other populations.'
    raise CannotSolve('mva(method="schweitzer")', expected="queues that settle", found="none", remedy=remedy)


def _mean_value_step(network, users, seen):
    """Throughput, time at each station, and its part in the queue, from what an arrival finds.

    `users` are populations x classes, `seen` populations x classes x stations. The time at a station of m servers is
    ``D/m (1 + seen)`` in the queue and ``D (1 - 1/m)`` beside it: exact for one server and for a delay.
    """
    waiting = network.demand / network.servers * (1 + seen)
    residence = waiting + network.demand * (1 - 1 / network.servers)
    return users / (network.think + residence.sum(axis=-1)), residence, waiting
