"""Mean response of one queue with Poisson arrivals, against its utilization.

All take arrays that broadcast, and complex `service_s` and `utilization` (a derivative by an imaginary step); only real
parts are compared. The result is infinite from a utilization of 1 on, where the queue grows without end, and NaN below
0. `service_s` is in seconds, and so is the response.
"""

import numpy as np

from dominoperf.queueing.erlang import waiting


def mm1_response(service_s, utilization):
    """One server, exponential service: ``R = S / (1 - U)`` (Kleinrock, Queueing Systems 1, 1975).

    R and S in one unit of time, U the busy share; infinite from 1 on, NaN below 0, as in all of these.
    """
    return _where_stable(utilization, lambda u: service_s / (1 - u))


def mmc_response(service_s, utilization, servers):
    """Several servers, exponential service: ``R = S (1 + C(c, cU) / (c (1 - U)))``, C Erlang's second formula.

    `utilization` is that of each server; of complex `servers` the real part counts, for there is no derivative by them.
    Kleinrock, Queueing Systems 1, 1975.
    """
    servers = np.real(servers)
    return _where_stable(utilization, lambda u: service_s * (1 + waiting(servers, servers * u) / (servers * (1 - u))))


def sakasegawa_response(service_s, utilization, servers):
    """Several servers, nearly: ``R = S (1 + U^(sqrt(2 (c + 1)) - 1) / (c (1 - U)))``.

    Close to `mmc_response` without its recursion, and exact for one server; `servers` need not be whole. After
    Sakasegawa 1977.
    """
    power = np.sqrt(2 * (servers + 1)) - 1
    return _where_stable(utilization, lambda u: service_s * (1 + u**power / (servers * (1 - u))))


def mg1_response(service_s, utilization, squared_cv):
    """One server, any service time: ``R = S (1 + U / (1 - U) (1 + v) / 2)`` (Pollaczek and Khinchine).

    `squared_cv` is v, the variance of the service time over its squared mean: 1 for exponential, 0 for constant times.
    """
    return _where_stable(utilization, lambda u: service_s * (1 + u / (1 - u) * (1 + squared_cv) / 2))


def _where_stable(utilization, response):
    """The response where a steady state exists, infinite from saturation on, NaN where there is no such utilization."""
    share = np.real(utilization)
    stable = (share >= 0) & (share < 1)
    return np.where(stable, response(np.where(stable, utilization, 0.0)), np.where(share >= 1, np.inf, np.nan))[()]
