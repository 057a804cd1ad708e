"""Users within a limit of the response time, against processors: M/M/c under a benchmark's rule of acceptance."""

import numpy as np

from dominoperf.laws.ratio import at_each
from dominoperf.laws.record import Law, Param
from dominoperf.laws.solving import root
from dominoperf.laws.starting import factor, level
from dominoperf.queueing.erlang import waiting as erlang_c


def users_at_response(processors, service_s, response_max_s, rate_per_s):
    """Most users L whose mean response stays within a limit: ``S (1 + C(N, A) / (N - A)) = R_max``, ``A = L rate S``.

    S and R_max in seconds, rate in requests of a user per second, C the probability to wait in M/M/N (Erlang, 1917;
    Kleinrock, Queueing Systems, 1975). Whole processors: a fraction is cut off. Arrivals at random, service times
    exponential, one queue for all; 0 where S alone exceeds the limit.
    """
    count, often = np.maximum(np.floor(np.real(processors)), 1.0), response_max_s / service_s

    def spare(load, often):
        return erlang_c(count, load) - (often - 1) * (count - load)

    there = np.real(often) > 1
    load = root(spare, 0.0, count, np.where(there, often, 2.0))
    return np.where(there, load, 0) / (service_s * rate_per_s)


def _start(processors, users, held):
    """From nearly full processors, a few steps to the time that explains the users; never above the limit."""
    limit, rate = held["response_max_s"], held["rate_per_s"]
    service = np.minimum(0.9 * factor(processors + 0.0 * users, users) ** -1 / rate, 0.95 * limit)
    for _ in range(6):
        load = users_at_response(processors, service, limit, rate) * service
        service = np.minimum(np.sqrt(service / factor(load, users)), 0.95 * limit)
    return level(users, held.get("service_s", service), limit, rate)


_SERVICE = Param("service_s", "time that one request needs", "s", 0.0, np.inf)

USERS_AT_RESPONSE = Law(
    name="users_at_response",
    family="processors",
    title="Users within a response limit, M/M/c",
    formula="S (1 + C(N, L rate S) / (N - L rate S)) = R_max, solved for L",
    latex=r"S \, \left( 1 + \frac{C\left( N, L \, \text{rate} \, S \right)}{N - L \, \text{rate} \, S} \right) "
    r"= \text{R_max}\text{, solved for L}",
    function=users_at_response,
    params=(
        _SERVICE,
        Param("response_max_s", "longest mean response that passes", "s", 0.0, np.inf, held=np.nan),
        Param("rate_per_s", "requests of a user per second", "1/s", 0.0, np.inf, held=np.nan),
    ),
    start=_start,
    x="processors",
    y="users",
    error="relative",
    source="Erlang, 1917; Kleinrock, Queueing Systems, 1975",
    limits="whole processors, random arrivals, exponential times, nothing shared but the queue",
    derived=at_each(users_at_response, scaled=False),
)

LAWS = (USERS_AT_RESPONSE,)
