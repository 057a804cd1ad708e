"""One queue with Poisson arrivals: Erlang's two formulas, and the mean response against utilization.

They take arrays that broadcast, also complex ones (a derivative by an imaginary step); only real parts are compared,
and of `servers` nothing else counts. A response, in seconds as `service_s`, is infinite from a utilization of 1 on,
where the queue grows without end, and NaN below 0.
"""

import functools

import numpy as np

from dominoperf.errors import names_its_keywords
from dominoperf.queueing.arguments import (
    Numbers,
    RealNumbers,
    queueing_formula,
    queueing_numbers,
    refuse_queueing_value,
    whole_numbers_from,
)


@names_its_keywords()
def erlang_b(servers: RealNumbers, offered_load: Numbers) -> np.number | np.ndarray:
    """Return the probability that an arrival is lost, when those who find all servers busy go away (M/M/c/c).

    ``B(c, a) = (a^c / c!) / sum(a^k / k!, k = 0..c)``, by ``B(k) = a B(k-1) / (k + a B(k-1))``, ``B(0) = 1``: every
    term is positive, so nothing cancels or overflows. Holds for any distribution of the service time.

    Parameters
    ----------
    servers : int or array
        Number of servers c, 1 or more.
    offered_load : float or array
        Load a in erlangs: arrival rate times service time. May be complex (a derivative by an imaginary step).

    Returns
    -------
    float or array
        Of the shape that both broadcast to.

    Raises
    ------
    CannotSolve
        When a number of servers is not whole or below 1, or a load is negative or not finite.

    Notes
    -----
    Erlang 1917; Kleinrock, Queueing Systems 1, 1975, M/M/m/m.

    Examples
    --------
    >>> round(float(erlang_b(10, 4.46)), 3)
    0.01
    """
    return blocking_probability(*_checked_erlang_arguments("erlang_b", servers, offered_load))[()]


@names_its_keywords()
def erlang_c(servers: RealNumbers, offered_load: Numbers) -> np.number | np.ndarray:
    """Return the probability that an arrival has to wait, when those who find all servers busy queue (M/M/c).

    ``C(c, a) = c B / (c - a (1 - B))`` with Erlang's B; 1 where ``a >= c``, for then the queue grows without end.
    Needs exponential service times. Kleinrock, Queueing Systems 1, 1975, M/M/m.

    Parameters
    ----------
    servers, offered_load : number or array
        As for `erlang_b`.

    Returns
    -------
    float or array
        As from `erlang_b`.

    Raises
    ------
    CannotSolve
        As `erlang_b` does.

    Examples
    --------
    >>> round(float(erlang_c(2, 1.0)), 3)
    0.333
    """
    return waiting_probability(*_checked_erlang_arguments("erlang_c", servers, offered_load))[()]


def blocking_probability(servers, offered_load):
    """Return Erlang's B of arrays whose values are not checked."""
    servers, offered_load = np.broadcast_arrays(np.real(servers), offered_load)
    blocked = np.ones(servers.shape, np.result_type(offered_load, float))
    for count in range(1, int(servers.max(initial=0)) + 1):
        offered = offered_load * blocked
        blocked = np.where(count <= servers, offered / (count + offered), blocked)
    return blocked


def waiting_probability(servers, offered_load):
    """Return Erlang's C of arrays whose values are not checked; 1 from saturation on."""
    servers, blocked = np.real(servers), blocking_probability(servers, offered_load)
    stable = np.real(offered_load) < servers
    room = np.where(stable, servers - offered_load * (1 - blocked), 1)
    return np.where(stable, servers * blocked / room, 1)


def _checked_erlang_arguments(name, servers, offered_load):
    """Both as arrays, or an error that says what to give."""
    where = f"{name}(servers=...)"
    servers = np.real(queueing_numbers(where, servers, "whole numbers from 1", kinds="iufc"))
    _check_servers(where, servers)
    where, expected = f"{name}(offered_load=...)", "finite loads from 0"
    load = queueing_numbers(where, offered_load, expected, kinds="iufc")
    remedy = "Give the arrival rate times the service time."
    refuse_queueing_value(where, load, np.isfinite(load) & (np.real(load) >= 0), expected, remedy)
    return servers, load


def _check_servers(where, servers):
    good = whole_numbers_from(1, servers) & np.isfinite(servers)
    refuse_queueing_value(where, servers, good, "whole numbers from 1", "Count the servers.")


def in_steady_state(response):
    """Let a formula see stable queues alone: where the utilization is 1 or more it is infinite, below 0 NaN."""

    @functools.wraps(response)
    def defined(utilization, *params):
        share = np.real(utilization)
        stable = (share >= 0) & (share < 1)
        with np.errstate(all="ignore"):
            inside = response(np.where(stable, utilization, 0.0), *params)
        return np.where(stable, inside, np.where(share >= 1, np.inf, np.nan))[()]

    return defined


@in_steady_state
def mm1(utilization, service_s):
    """One server, random arrivals, exponential times: ``R = service_s / (1 - U)`` (Kleinrock 1)."""
    return service_s / (1 - utilization)


@in_steady_state
def mmc(utilization, service_s, servers):
    """Several servers and one queue: ``R = service_s (1 + C(c, c U) / (c (1 - U)))`` (Kleinrock 1).

    C is Erlang's formula for the share of arrivals that wait, U the utilization of each server; part of a server is
    none, and there is no derivative by them.
    """
    c = np.floor(np.real(servers))
    return service_s * (1 + waiting_probability(c, c * utilization) / (c * (1 - utilization)))


@in_steady_state
def sakasegawa(utilization, service_s, servers):
    """M/M/c nearly, for any c: ``R = service_s (1 + U^(sqrt(2 (c + 1)) - 1) / (c (1 - U)))`` (Sakasegawa, 1977)."""
    return service_s * (1 + utilization ** (np.sqrt(2 * (servers + 1)) - 1) / (servers * (1 - utilization)))


@in_steady_state
def mg1(utilization, service_s, squared_cv):
    """One server, any distribution of times: ``R = service_s (1 + U (1 + squared_cv) / (2 (1 - U)))``.

    The formula of Pollaczek and Khinchine (Kleinrock 1); at ``squared_cv = 1`` it is `mm1`.
    """
    return service_s * (1 + utilization * (1 + squared_cv) / (2 * (1 - utilization)))


@queueing_formula
def mmc_response(service_s: Numbers, utilization: Numbers, servers: Numbers) -> np.number | np.ndarray:
    """Return the response of several servers with exponential service: ``R = S (1 + C(c, cU) / (c (1 - U)))``.

    C is Erlang's second formula, U the utilization of each server (Kleinrock, Queueing Systems 1, 1975).

    Raises
    ------
    CannotSolve
        When a number of servers is not whole or below 1.

    Examples
    --------
    >>> round(float(mmc_response(2.0, 0.5, 2)), 3)
    2.667
    """
    _check_servers("mmc_response(servers=...)", np.asarray(np.real(servers)))
    return mmc(utilization, service_s, servers)
