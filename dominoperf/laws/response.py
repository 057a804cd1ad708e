"""Utilization of the processors against users; response time against utilization, and against users who think.

The formulas of the open queues, mm1 to mg1, are those of `dominoperf.queueing.single_queue`.
"""

import numpy as np

from dominoperf.laws.elementary import USERS, line_inverse, line_law
from dominoperf.laws.numerics import (
    defined_where,
    derivative,
    nonnegative_least_squares,
    proportional_start,
    root,
    separable_start,
)
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample
from dominoperf.laws.universal_scalability import linear, linear_inverse
from dominoperf.queueing.single_queue import mg1, mm1, mmc, sakasegawa

_MOST_THINKING = 1e9  # users: the states of each answer then take some ten megabytes
_FULL = 1 - 1e-12  # how near to a utilization of 1 an inverse looks


def closed(users, service_s, think_s, servers):
    """Users who think and then wait for one of the servers, exactly: ``R(N)`` of M/M/c//N, seconds.

    For one server what mean value analysis gives. Whole servers; a straight line between whole users.
    """
    whole = np.floor(np.real(users))
    rest, first = users - whole, _closed_whole(whole, service_s, think_s, servers)
    if not np.any(rest):
        return first
    return (1 - rest) * first + rest * _closed_whole(whole + 1, service_s, think_s, servers)


def _closed_whole(users, service_s, think_s, servers):
    """`closed` of whole users, from the probabilities w of j users who think.

    ``w(j) / w(j - 1) = min(N - j + 1, c) Z / (S j)`` falls with j, at least as fast as in Poisson's distribution with
    the same likeliest state m. States further from m than ``12 sqrt(m) + 48`` have no weight: there ln w is below its
    top by more than 72. Where m is above some billions these states are too many, and the response is NaN.
    """
    c, service, think = np.floor(np.real(servers)), np.real(service_s), np.real(think_s)
    likeliest = np.clip(np.floor(np.minimum(c * think / service, (users + 1) * think / (service + think))), 0, users)
    likeliest = np.where(likeliest <= _MOST_THINKING, likeliest, np.nan)
    width = np.ceil(12 * np.sqrt(np.max(np.nan_to_num(likeliest), initial=0))) + 48
    thinking = likeliest + np.arange(-width, width + 1).reshape(-1, *[1] * np.ndim(likeliest))
    there = (thinking >= 0) & (thinking <= users)
    inside = users - thinking
    with np.errstate(divide="ignore", invalid="ignore"):  # states that are not there; nobody who waits or is served
        growth = np.log(np.minimum(inside + 1, c) * think_s / (service_s * thinking))
        log_weight = np.cumsum(np.where(there & (thinking > 0), growth, 0), axis=0)
        weight = np.where(there, np.exp(log_weight - np.real(log_weight).max(axis=0)), 0)
        return service_s * (weight * inside).sum(axis=0) / (weight * np.minimum(inside, c)).sum(axis=0)


def _utilization_by_halving(function):
    """Utilization at a response time; none below that of an idle server."""
    excess = lambda U, R, *params: function(U, *params) - R  # noqa: E731
    return lambda response, *params: root(excess, 0.0, _FULL, response, *params)


sakasegawa_inverse = _utilization_by_halving(sakasegawa)


@defined_where(lambda response, service_s: response >= service_s)
def mm1_inverse(response, service_s):
    """Utilization at a response time: ``1 - service_s / R``; none below that of an idle server."""
    return 1 - service_s / response


@defined_where(lambda response, service_s, squared_cv: response >= service_s)
def mg1_inverse(response, service_s, squared_cv):
    """Utilization at a response time: ``W / (W + (1 + squared_cv) / 2)`` with ``W = R / service_s - 1``."""
    waiting = response / service_s - 1
    return waiting / (waiting + (1 + squared_cv) / 2)


def closed_inverse(response, service_s, think_s, servers):
    """Users at a response time, between whole users on a straight line; none below the service time."""
    most = np.real(servers * (response + think_s) / service_s) + 1
    excess = lambda N, R, *params: closed(N, *params) - R  # noqa: E731
    return root(excess, 1.0, most, response, service_s, think_s, servers)


def knee_of_response(function):
    """Return where utilization divided by response time is greatest (Kleinrock's power): there ``U R'(U) = R(U)``."""

    def at(*params):
        params = [np.real(param) for param in params]  # the service time is no part of it, servers are given
        curve = lambda U: function(U, *params)  # noqa: E731
        return root(lambda U: U * derivative(curve, U) - curve(U), 0.0, _FULL)

    return at


def _knee_of(function):
    return Quantity("knee", "utilization at which utilization divided by response time is greatest", "{x}", function)


def _mg1_start(utilization, response, held):
    """R is linear in 1 and U/(1 - U)."""
    steady = utilization < 1
    queue = utilization / np.where(steady, 1 - utilization, 1)
    idle, wait = nonnegative_least_squares([1.0, queue], response, steady / response**2)
    return (np.maximum(2 * wait / idle - 1, 0.01),)


_SERVICE = Param("service_s", "response time of an idle system", "s", 0.0, np.inf)
_SERVERS = Param("servers", "servers of the queue", "1", 1.0, np.inf, held=np.nan)
_THINK = Param("think_s", "time between an answer and the next request of a user", "s", 0.0, np.inf, held=np.nan)
_VARIATION = Param("squared_cv", "squared coefficient of variation of the service times", "1", 0.0, np.inf)
_ABOUT = {"family": "response", "y": "response_s", "y_unit": "s", "error": "relative"}
_OPEN = {**_ABOUT, "x": "cpu_utilization", "x_unit": "1", "at_zero": True}
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)  # of the examples
_PARTS = (0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.99)  # of the shortest response
_TIMES = ("service_s", lambda users, response: [part * np.min(response, axis=0) for part in _PARTS])
_LIMITS = "U below 1; random arrivals; exponential times; the processors are the only queue"


MM1 = Law(
    example=(_SHARES, (0.2,)),
    name="mm1", title="One server, M/M/1", formula="R = service_s / (1 - U)", function=mm1, params=(_SERVICE,),
    source="Kleinrock, Queueing Systems, 1975",
    equation="Kleinrock, volume 1, chapter 3: T = (1/mu) / (1 - rho)", limits=_LIMITS,
    worked=WorkedExample(0.75, (2.0,), "8", "by hand: 2 / (1 - 0.75)"),
    inverse=mm1_inverse, derived=(_knee_of(lambda service_s: 0.5),), **_OPEN,
)  # fmt: skip

MMC = Law(
    example=(_SHARES, (0.2, 4)),
    name="mmc", title="Several servers, M/M/c", formula="R = service_s (1 + C(c, c U) / (c (1 - U)))", function=mmc,
    params=(_SERVICE, _SERVERS),
    source="Erlang, 1917; Kleinrock, Queueing Systems, 1975",
    equation="Kleinrock, volume 1, chapter 3, C(m, lambda/mu) there",
    worked=WorkedExample(0.75, (2.0, 2), "4.5714", "by hand: for two servers R = S / (1 - U^2), so 2 / 0.4375"),
    limits=_LIMITS,
    inverse=_utilization_by_halving(mmc), derived=(_knee_of(knee_of_response(mmc)),), **_OPEN,
)  # fmt: skip

SAKASEGAWA = Law(
    example=(_SHARES, (0.2, 4)),
    name="sakasegawa", title="Several servers, approximately",
    formula="R = service_s (1 + U^(sqrt(2 (c + 1)) - 1) / (c (1 - U)))", function=sakasegawa,
    params=(_SERVICE, _SERVERS), source="Sakasegawa, 1977",
    equation="without a number: the title of the article, L_q = alpha rho^beta / (1 - rho), with alpha 1 and beta "
    "sqrt(2 (c + 1)); one line from Little's law",
    worked=WorkedExample(0.5, (2.0, 7), "2.0714", "by hand: the power is 3, so 2 (1 + 0.125 / 3.5)"),
    limits=_LIMITS, inverse=sakasegawa_inverse,
    derived=(_knee_of(knee_of_response(sakasegawa)),), **_OPEN,
)  # fmt: skip

MG1 = Law(
    example=(_SHARES, (0.2, 2.5)),
    name="mg1", title="One server, any service times, M/G/1",
    formula="R = service_s (1 + U (1 + squared_cv) / (2 (1 - U)))", function=mg1, params=(_SERVICE, _VARIATION),
    start=proportional_start(mg1, (_SERVICE, _VARIATION), _mg1_start), limits=_LIMITS.replace("exponential", "any"),
    source="Pollaczek and Khinchine; Kleinrock, Queueing Systems, 1975",
    equation="Kleinrock, volume 1, chapter 5, the Pollaczek-Khinchin mean-value formula: "
    "T / x = 1 + rho (1 + C_b^2) / (2 (1 - rho))",
    inverse=mg1_inverse,
    worked=WorkedExample(0.75, (2.0, 0.0), "5", "by hand: constant times wait half as long as M/M/1, 2 + 6 / 2"),
    derived=(_knee_of(lambda service_s, squared_cv: 1 / (1 + np.sqrt((1 + squared_cv) / 2))),),
    reduces=("mm1", "squared_cv", 1.0), **_OPEN,
)  # fmt: skip

CLOSED = Law(
    example=((1, 5, 10, 20, 40, 80), (0.2, 5, 2)),
    name="closed", title="Users who think, one queue", formula="R(N) of M/M/c//N with think time", function=closed,
    params=(_SERVICE, _THINK, _SERVERS), start=separable_start(closed, (_SERVICE, _THINK, _SERVERS), (), tries=_TIMES),
    source="the machine repair model; Reiser and Lavenberg, JACM 27(2), 1980",
    equation="Kleinrock, volume 1, chapter 3, M/M/m/K/M with room for all, for the states; then Little's law",
    worked=WorkedExample(
        2, (0.2, 5, 1), "0.20769", "by hand: R(2) = S (1 + Q(1)), where one user alone is served S/(S + Z) of the time"
    ),
    limits="users alike, one at a time each; exponential service; the processors are the only queue",
    x="users", inverse=closed_inverse,
    derived=(Quantity(
        "knee", "users from which on they must wait: N* of the asymptotic bounds", "{x}",
        lambda service_s, think_s, servers: servers * (service_s + think_s) / service_s),), **_ABOUT,
)  # fmt: skip

_DEMAND = Param("demand", "utilization of one user", "1/{x}", 0.0, np.inf)
_IDLE = Param("idle", "utilization without users", "1", 0.0, 1.0)
_UTILIZATION = {
    "family": "utilization",
    "x": "users",
    "y": "cpu_utilization",
    "y_unit": "1",
    "error": "constant",
    "at_zero": True,
}
_UTILIZATION_SOURCE = "the utilization law; Denning and Buzen, Computing Surveys 10(3), 1978"
_UTILIZATION_EQUATION = "without a number: the utilization law, U = X S, with throughput in proportion to users"


def _saturation_record(function):
    """The record of the users at which utilization is 1, from the inverse of the law."""
    return Quantity("saturation", "users at which nothing is idle", "{x}", lambda *params: function(1.0, *params))


UTILIZATION_LAW = line_law(
    _DEMAND, _IDLE, name="utilization_law", title="Utilization by users", formula="U = demand users + idle",
    source=_UTILIZATION_SOURCE, equation=_UTILIZATION_EQUATION,
    limits="one mix of work, below saturation: leave rows above 0.95 out",
    example=(USERS, (3e-4, 0.05)),
    worked=WorkedExample(1000, (3e-4, 0.05), "0.35", "by hand: 0.3 + 0.05"),
    derived=(_saturation_record(line_inverse),), reduces=("utilization_proportional", "idle", 0.0), **_UTILIZATION,
)  # fmt: skip

UTILIZATION_PROPORTIONAL = Law(
    name="utilization_proportional", title="Utilization in proportion to users", formula="U = demand users",
    example=(USERS, (3e-4,)),
    function=linear, params=(_DEMAND,), source=_UTILIZATION_SOURCE, equation=_UTILIZATION_EQUATION,
    start=separable_start(linear, (_DEMAND,), ("demand",), error="constant"),
    limits="as for `utilization_law`, and nothing runs without users", inverse=linear_inverse,
    worked=WorkedExample(1000, (3e-4,), "0.3", "by hand: 1000 users at 0.03 % each"),
    derived=(_saturation_record(linear_inverse),), **_UTILIZATION,
)  # fmt: skip

USES = {
    "utilization": "processor utilization by users or throughput",
    "response": "response time by utilization or users: queueing",
}
LAWS = (UTILIZATION_LAW, UTILIZATION_PROPORTIONAL, MM1, MMC, SAKASEGAWA, MG1, CLOSED)
