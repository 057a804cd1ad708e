"""Capacity against the number of processors: laws of other forms than the universal law's, and the whole family."""

import numpy as np

from dominoperf.laws.elementary import power, power_law
from dominoperf.laws.numerics import (
    best_scale,
    defined_where,
    nonnegative_least_squares,
    one_value_per_curve,
    proportional_start,
    root,
    separable_start,
    smaller_root,
)
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample
from dominoperf.laws.universal_scalability import (
    AMDAHL,
    CONTENTION,
    LINEAR,
    LOG_USL,
    PROCESSORS,
    SCALE,
    USL,
    capacity_at_peak,
    contention_limit,
    scaling_at_each_load,
)
from dominoperf.queueing.single_queue import waiting_probability


def gustafson(processors, scale, contention):
    """The work grows with the machine: ``X = scale (N - contention (N - 1))``; Gustafson, CACM 31(5), 1988."""
    return scale * (processors - contention * (processors - 1))


@defined_where(lambda capacity, scale, contention: contention < 1)
def gustafson_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = (X/scale - contention) / (1 - contention)``; none where all work is serial."""
    return (capacity / scale - contention) / (1 - contention)


def _geometric_at_one(processors, scale, factor):
    """The limit of `geometric` where the factor is 1, to first order, so that it has the derivative too."""
    return scale * (processors + (factor - 1) * processors * (processors - 1) / 2)


@defined_where(lambda processors, scale, factor: factor != 1, otherwise=_geometric_at_one)
def geometric(processors, scale, factor):
    """Each processor adds `factor` times what the one before it did: ``X = scale (1 - factor^N) / (1 - factor)``."""
    one_minus_power = -np.expm1(processors * np.log(factor))  # 1 - factor^N itself loses its digits next to factor = 1
    return scale * one_minus_power / (1 - factor)


@defined_where(lambda capacity, scale, factor: ((1 - factor) * capacity < scale) & (factor > 0))
@defined_where(lambda capacity, scale, factor: factor != 1, otherwise=lambda capacity, scale, factor: capacity / scale)
def geometric_inverse(capacity, scale, factor):
    """Processors for a capacity: ``N = ln(1 - (1 - factor) X / scale) / ln(factor)``; none from the limit on."""
    return np.log1p(-(1 - factor) * capacity / scale) / np.log(factor)


def quadratic(processors, scale, loss):
    """Each processor takes the share `loss` of every other's capacity: ``X = scale (N - loss N (N - 1))``."""
    return scale * (processors - loss * processors * (processors - 1))


def quadratic_inverse(capacity, scale, loss):
    """Processors for a capacity, below the peak: the smaller root of ``loss N^2 - (1 + loss) N + X/scale = 0``."""
    return smaller_root(loss, 1 + loss, capacity / scale)


@defined_where(lambda scale, loss: loss > 0, otherwise=np.inf)
def quadratic_peak(scale, loss):
    """Processors at which capacity is greatest: ``(1 + 1/loss) / 2``; infinite without loss."""
    return (1 + 1 / loss) / 2


@defined_where(lambda N, service_s, response_max_s, rate_per_s: service_s < response_max_s, otherwise=0.0)
def users_at_response(processors, service_s, response_max_s, rate_per_s):
    """Most users L whose mean response stays within a limit: ``S (1 + C(N, A) / (N - A)) = R_max``, ``A = L rate S``.

    S and R_max in seconds, rate in requests of a user per second, C the probability to wait in M/M/N. A fraction of a
    processor is cut off; 0 where S alone exceeds the limit.
    """
    N = np.maximum(np.floor(processors), 1.0)
    excess = lambda A, times: waiting_probability(N, A) - (times - 1) * (N - A)  # noqa: E731
    return root(excess, 0.0, N, response_max_s / service_s) / (service_s * rate_per_s)


def _users_start(processors, users, held):
    """From nearly full processors, a few steps to the time that explains the users; never above the limit."""
    limit, rate = held["response_max_s"], held["rate_per_s"]
    service = np.minimum(0.9 * best_scale(processors + 0.0 * users, users) ** -1 / rate, 0.95 * limit)
    for _ in range(6):
        load = users_at_response(processors, service, limit, rate) * service
        service = np.minimum(np.sqrt(service / best_scale(load, users)), 0.95 * limit)
    return one_value_per_curve(users, held.get("service_s", service), limit, rate)


def _gustafson_guess(processors, capacity, held):
    """X is linear in 1 and N."""
    serial, parallel = nonnegative_least_squares([1.0, processors], capacity, 1 / capacity**2)
    return (serial / (serial + parallel),)


def _quadratic_guess(processors, capacity, held):
    """X is linear in N and - N (N - 1); capacity has to stay above zero as far as the points go."""
    pairs, most = processors * (processors - 1), np.max(processors, axis=0)
    scale, loss = nonnegative_least_squares([processors, -pairs], capacity, 1 / capacity**2)
    return (np.minimum(loss / scale, 0.9 / np.where(most > 1, most - 1, 1)),)


_FACTORS = ("factor", lambda processors, capacity: 1 - np.geomspace(1e-4, 0.95, 24))
_FACTOR = Param("factor", "what each processor adds, as a share of what the one before it did", "1", 0.0, 1.0)
_LOSS = Param("loss", "share of its capacity that each processor loses to each other one", "1", 0.0, 1.0)
_ABOUT = {"family": "processors", "x": "processors", "y": "users", "error": "relative"}

GUSTAFSON = Law(
    name="gustafson", title="Gustafson's law, scaled work", formula="X = scale (N - contention (N - 1))",
    example=(PROCESSORS, (100, 0.2)), function=gustafson, params=(SCALE, CONTENTION),
    start=proportional_start(gustafson, (SCALE, CONTENTION), _gustafson_guess),
    source="Gustafson, CACM 31(5), 1988",
    equation="without a number: his scaled speed-up N + (1 - N) s, with s the serial share",
    worked=WorkedExample(1024, (1, 0.004), "1020", "Gustafson, CACM 31(5), 1988: about 1,020 of 1,024 processors"),
    limits="work that grows with the machine; no maximum",
    inverse=gustafson_inverse, derived=scaling_at_each_load(gustafson), reduces=("linear", "contention", 0.0), **_ABOUT,
)  # fmt: skip

POWER = power_law(
    Param("exponent", "percent of capacity for a percent of processors", "1", 0.0, 1.2),
    at_one="capacity of one", name="power", title="Power law", formula="X = scale N^exponent",
    example=(PROCESSORS, (100, 0.8)),
    source="elementary: a straight line of ln X on ln N", equation="elementary: its slope is the exponent",
    worked=WorkedExample(4, (100, 0.5), "200", "by hand: 100 times the root of 4"),
    limits="no maximum, and no mechanism behind it",
    derived=scaling_at_each_load(power), reduces=("linear", "exponent", 1.0), **_ABOUT,
)  # fmt: skip

GEOMETRIC = Law(
    name="geometric", title="Geometric scaling", formula="X = scale (1 - factor^N) / (1 - factor)",
    example=(PROCESSORS, (100, 0.85)), function=geometric, params=(SCALE, _FACTOR),
    start=separable_start(geometric, (SCALE, _FACTOR), ("scale",), tries=_FACTORS),
    source="Gunther, The Practical Performance Analyst, 1998; multiprocessor factors of vendors",
    equation="without a number: the sum scale (1 + factor + factor^2 + ...) of N terms, a geometric series",
    worked=WorkedExample(4, (100, 0.5), "187.5", "by hand: 100 (1 + 1/2 + 1/4 + 1/8)"),
    limits="capacity never falls", inverse=geometric_inverse, reduces=("linear", "factor", 1.0),
    derived=(*scaling_at_each_load(geometric), Quantity(
        "limit", "capacity of any number of processors", "{y}",
        lambda scale, factor: contention_limit(scale, 1 - factor))),
    **_ABOUT,
)  # fmt: skip

QUADRATIC = Law(
    name="quadratic", title="Quadratic scaling", formula="X = scale (N - loss N (N - 1))",
    example=(PROCESSORS, (100, 0.03)), function=quadratic, params=(SCALE, _LOSS),
    start=proportional_start(quadratic, (SCALE, _LOSS), _quadratic_guess),
    source="Gunther, The Practical Performance Analyst, 1998",
    equation="without a number: each of N (N - 1) ordered pairs takes the share loss of one",
    worked=WorkedExample(4, (100, 0.05), "340", "by hand: 100 (4 - 0.05 x 12)"),
    limits="loss below 1 / (N - 1): few processors only",
    inverse=quadratic_inverse, reduces=("linear", "loss", 0.0),
    derived=(*scaling_at_each_load(quadratic), *capacity_at_peak(quadratic, quadratic_peak)), **_ABOUT,
)  # fmt: skip

_SERVICE = Param("service_s", "time that one request needs", "s", 0.0, np.inf)

USERS_AT_RESPONSE = Law(
    name="users_at_response",
    family="processors",
    title="Users within a response limit, M/M/c",
    formula="S (1 + C(N, L rate S) / (N - L rate S)) = R_max, solved for L",
    function=users_at_response,
    params=(
        _SERVICE,
        Param("response_max_s", "longest mean response that passes", "s", 0.0, np.inf, held=np.nan),
        Param("rate_per_s", "requests of a user per second", "1/s", 0.0, np.inf, held=np.nan),
    ),
    example=(PROCESSORS, (0.2, 0.5, 0.01)),
    start=_users_start,
    x="processors",
    y="users",
    error="relative",
    source="Erlang, 1917; Kleinrock, Queueing Systems, 1975",
    equation="Kleinrock, volume 1, chapter 3, for the wait of M/M/m; here it is solved for the load",
    worked=WorkedExample(
        1, (0.2, 0.5, 0.01), "300", "by hand: with one server R_max = S / (1 - U), so (1/0.2 - 1/0.5) / 0.01"
    ),
    limits="whole processors, random arrivals, exponential times, nothing shared but the queue",
    derived=scaling_at_each_load(users_at_response, scaled=False),
)

USES = {"processors": "throughput or users by processors, clients or servers"}
LAWS = (LINEAR, AMDAHL, GUSTAFSON, POWER, GEOMETRIC, QUADRATIC, USL, LOG_USL, USERS_AT_RESPONSE)
