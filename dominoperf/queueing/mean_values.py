"""Throughput, response and queues of a closed network."""

import numpy as np
import pandas as pd

from dominoperf.errors import CannotSolve, UnknownName
from dominoperf.queueing import classes
from dominoperf.queueing.convolution import convolve
from dominoperf.queueing.network import network as read_network
from dominoperf.queueing.network import populations
from dominoperf.queueing.operational import utilization

_METHODS = ("exact", "schweitzer")
_LARGEST = 20_000_000  # numbers in the largest array of an exact solution: 160 MB


def mva(demand_s, users, *, think_s=0.0, servers=1, method="exact"):
    """Solve a closed network: users who think, visit every station, and think again.

    Service times are exponential, or stations share their time among all present (product form). Of one class the exact
    answer is Buzen's convolution (`convolve`), stable with any number of servers and users; of several it is mean value
    analysis over all smaller populations (`mean_values`). Both give what Reiser and Lavenberg's recursion would.

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
    """
    if method not in _METHODS:
        raise UnknownName.among("method of mva", method, _METHODS, f"Known are {' and '.join(_METHODS)}.")
    network = read_network("mva", demand_s, think_s, servers)
    by_class = np.ndim(demand_s) > 1
    users = populations("mva", users, len(network.demand) if by_class else None)
    throughput, queue = _solved(network, users, method)
    return _frame(network, users, throughput, queue, by_class)


def _solved(network, users, method):
    """Throughput (populations x classes) and queues (x stations) by the method that can."""
    if method == "schweitzer":
        return classes.schweitzer(network, users)
    _refuse_large(network, users)
    if len(network.demand) == 1:
        return _of_one_class(network, users[:, 0])
    if (np.isfinite(network.servers) & (network.servers > 1)).any():
        expected, found = "one server, or inf, at every station where classes meet", "several"
        remedy = 'Ask for method="schweitzer", an approximation, or make one class of them.'
        raise CannotSolve("mva(servers=...)", expected=expected, found=found, remedy=remedy)
    return classes.mean_values(network, users)


def _of_one_class(network, users):
    """The convolution, with a throughput and queues of 0 for a population of 0."""
    throughput, queue = np.zeros(len(users)), np.zeros((len(users), network.demand.shape[1]))
    some = users > 0
    throughput[some], queue[some] = convolve(network, users[some])
    return throughput[:, None], queue[:, None, :]


def _refuse_large(network, users):
    """Refuse what would not fit into memory."""
    size = float(np.prod(users.max(axis=0) + 1.0) * network.demand.shape[1])
    if size > _LARGEST:
        expected = f"at most {_LARGEST:,} smaller populations x stations for an exact answer"
        remedy = 'Ask for method="schweitzer", or for fewer users or classes.'
        raise CannotSolve("mva(users=...)", expected=expected, found=f"{size:,.0f}", remedy=remedy)


def _frame(network, users, throughput, queue, by_class):
    """The columns of `mva`, from arrays populations x classes (x stations)."""
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
