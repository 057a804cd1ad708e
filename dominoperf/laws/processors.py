"""Capacity against the number of processors."""

import numpy as np
from scipy.special import wrightomega

from dominoperf.laws.elementary import power, power_law
from dominoperf.laws.numerics import factor as best_factor
from dominoperf.laws.numerics import level, nonnegative, root, scaled, separable, where_positive
from dominoperf.laws.overhead import (
    PAIRS,
    PROCESSORS,
    SCALE,
    WAIT,
    WAIT_LOG,
    at_each,
    karp_flatt,
    peak_height_of,
    peak_of,
    ratio_law,
)
from dominoperf.laws.record import Law, Param, Quantity
from dominoperf.queueing.single import waiting as erlang_c

CONTENTION = Param("contention", "serial share of the work", "1", 0.0, 1.0)
COHERENCY = Param("coherency", "share of the work that each pair adds", "1", 0.0, np.inf)


def linear(processors, scale):
    """Every processor adds the same: ``X = scale N``, N processors, X in any unit of capacity."""
    return scale * processors


def linear_inverse(capacity, scale):
    """Processors for a capacity: ``N = X / scale``."""
    return capacity / scale


def amdahl(processors, scale, contention):
    """A fixed share of the work is serial: ``X = scale N / (1 + contention (N - 1))``.

    `contention` is the serial share, 0 to 1. After Amdahl, AFIPS 1967. It holds for a fixed amount of work per user and
    has no maximum: where capacity falls again with more processors another law is needed.
    """
    return scale * processors / (1 + contention * (processors - 1))


def serial_share(processors, capacity):
    """Return the share of serial work that explains each measured speed-up ``s = X(N) / X(1)``, as `karp_flatt` has it.

    `capacity` is that of each number of processors, in any unit; NaN without a measurement of one processor.
    """
    count, capacity = np.asarray(processors, float), np.asarray(capacity, float)
    one = capacity[count == 1]
    return karp_flatt(count, capacity / one[0]) if len(one) else np.full(count.shape, np.nan)


def amdahl_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = X (1 - contention) / (scale - contention X)``; none at ``scale/contention``."""
    at = lambda room: where_positive(1 - contention, lambda share: capacity * share / room)  # noqa: E731
    return where_positive(scale - contention * capacity, at)


def usl(processors, scale, contention, coherency):
    """Waiting and exchanging: ``X = scale N / (1 + contention (N - 1) + coherency N (N - 1))``.

    `contention` is the serial share, `coherency` what every ordered pair of processors adds, both in shares of the work
    of one. The universal scalability law, after Gunther, Guerrilla Capacity Planning, 2007; with a scale it is equation
    3 of Schwartz, Practical Scalability Analysis with the Universal Scalability Law, 2015. After the peak capacity
    falls as ``1/N``, which measured systems rarely follow far.
    """
    return scale * processors / (1 + contention * (processors - 1) + coherency * processors * (processors - 1))


def usl_inverse(capacity, scale, contention, coherency):
    """Processors for a capacity, below the peak: the smaller root of ``b X N^2 - B N + (1 - a) X = 0``.

    a and b are contention and coherency, ``B = scale + (b - a) X``; none above the peak. Written so that no coherency
    is no exception.
    """
    share = 1 - contention
    middle = scale + (coherency - contention) * capacity
    inner = middle**2 - 4 * coherency * share * capacity**2
    there = (np.real(inner) >= 0) & (np.real(middle) > 0) & (np.real(share) > 0)
    below = np.where(there, middle, 1) + np.sqrt(np.where(there, inner, 1))
    return np.where(there, 2 * capacity * share / below, np.nan)


def usl_peak(scale, contention, coherency):
    """Processors at which capacity is greatest: ``sqrt((1 - contention) / coherency)``; infinite without coherency.

    1 where capacity falls from the first processor on. Schwartz, 2015, equation 4.
    """
    top = lambda share: where_positive((1 - contention) / share - 1, lambda more: np.sqrt(1 + more), 1.0)  # noqa: E731
    return where_positive(coherency, top, np.inf)


def usl_peak_capacity(scale, contention, coherency):
    """Capacity at the peak; without coherency that of any number, ``scale/contention``."""
    return _greatest(usl, usl_peak(scale, contention, coherency), scale, contention, coherency)


def _greatest(curve, top, scale, contention, coherency):
    """Capacity at the peak `top`, or the limit where there is none."""
    there = np.isfinite(np.real(top))
    at_top = curve(np.where(there, top, 1.0), scale, contention, coherency)
    return np.where(there, at_top, limit(scale, contention))


def limit(scale, contention, *rest):
    """What contention alone would allow: ``scale/contention``, infinite without it."""
    return where_positive(contention, lambda share: scale / share, np.inf)


def payback(scale, contention, coherency):
    """Where a superlinear gain is paid back, X = scale N again: ``-contention/coherency``; NaN without such a gain."""
    return where_positive(-contention, lambda gain: where_positive(coherency, lambda share: gain / share))


def log_usl(processors, scale, contention, coherency):
    """Exchange over a tree: ``X = scale N / (1 + contention (N - 1) + coherency (N - 1) ln N)``; shares as in `usl`.

    A variant of the universal law that Schwartz, 2015, describes; capacity falls more slowly after its peak.
    """
    return scale * processors / (1 + contention * (processors - 1) + coherency * (processors - 1) * np.log(processors))


def log_usl_peak(scale, contention, coherency):
    """Processors at which capacity is greatest: ``N + ln N = 1 + (1 - contention) / coherency``, Wright's omega of it.

    1 where capacity falls from the first processor on; infinite without coherency.
    """
    return where_positive(coherency, lambda share: _omega(1 + (1 - contention) / share), np.inf)


def _omega(z):
    """Wright's omega, ``w + ln w = z``, 1 for what is below; its derivative is ``w / (1 + w)``."""
    real = np.maximum(np.real(z), 1.0)
    omega = np.real(wrightomega(real))
    step = np.where((real > 1) & (real < np.inf), z - real, 0.0)
    return omega + step / (1 + 1 / omega)


def log_usl_peak_capacity(scale, contention, coherency):
    """Capacity at the peak; without coherency that of any number, ``scale/contention``."""
    return _greatest(log_usl, log_usl_peak(scale, contention, coherency), scale, contention, coherency)


def gustafson(processors, scale, contention):
    """The work grows with the machine: ``X = scale (N - contention (N - 1))``.

    `contention` is the serial share of the time on N processors. After Gustafson, CACM 31(5), 1988. It holds where each
    processor brings work of its own; it has no limit, so it says nothing of a fixed job.
    """
    return scale * (processors - contention * (processors - 1))


def gustafson_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = (X/scale - contention) / (1 - contention)``."""
    return (capacity / scale - contention) / (1 - contention)


def geometric(processors, scale, factor):
    """Each processor adds `factor` times what the one before it did: ``X = scale (1 - factor^N) / (1 - factor)``.

    `factor` above 0 to 1, where it is linear. Vendors' multiprocessor factors are meant so; Gunther, 1998. Capacity
    never falls: it ends at ``scale / (1 - factor)``.
    """
    near = np.abs(processors * (1 - np.real(factor))) < 0.1
    closed = (1 - factor**processors) / np.where(near, 1, 1 - factor)
    small = np.log(np.where(near, factor, 1.0))  # next to 1 the closed form loses all its digits
    series = processors * np.exp(_log_growth(np.where(near, processors * small, 0)) - _log_growth(small))
    return scale * np.where(near, series, closed)


def _log_growth(z):
    """``ln(expm1(z) / z)``, to the last digit for z below 0.1."""
    return z / 2 + z**2 / 24 - z**4 / 2880 + z**6 / 181440


def geometric_inverse(capacity, scale, factor):
    """Processors for a capacity: ``N = ln(1 - (1 - factor) X / scale) / ln(factor)``; none from the limit on."""
    lost = (1 - factor) * capacity / scale
    there, bent = np.real(lost) < 1, np.real(factor) != 1
    rise = np.log1p(np.where(there, -lost, 0)) / np.where(bent, np.log(np.where(bent, factor, 2)), 1)
    return np.where(there, np.where(bent, rise, capacity / scale), np.nan)


def quadratic(processors, scale, loss):
    """Each processor takes some of every other's capacity: ``X = scale (N - loss N (N - 1))``.

    `loss` is the share that one takes of another. Gunther, 1998. It holds for few processors only: from
    ``N = 1 + 1/loss`` on it is negative.
    """
    return scale * (processors - loss * processors * (processors - 1))


def quadratic_inverse(capacity, scale, loss):
    """Processors for a capacity, below the peak: the smaller root of ``loss N^2 - (1 + loss) N + X/scale = 0``."""
    inner = (1 + loss) ** 2 - 4 * loss * capacity / scale
    there = np.real(inner) >= 0
    return np.where(there, 2 * capacity / scale / (1 + loss + np.sqrt(np.where(there, inner, 1))), np.nan)


def quadratic_peak(scale, loss):
    """Processors at which capacity is greatest: ``(1 + 1/loss) / 2``; infinite without loss."""
    return where_positive(loss, lambda share: (1 + 1 / share) / 2, np.inf)


def _quadratic_peak_capacity(scale, loss):
    return where_positive(loss, lambda share: quadratic(quadratic_peak(scale, share), scale, share), np.inf)


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


def _users_start(processors, users, held):
    """From nearly full processors, a few steps to the time that explains the users; never above the limit."""
    limit, rate = held["response_max_s"], held["rate_per_s"]
    service = np.minimum(0.9 * best_factor(processors + 0.0 * users, users) ** -1 / rate, 0.95 * limit)
    for _ in range(6):
        load = users_at_response(processors, service, limit, rate) * service
        service = np.minimum(np.sqrt(service / best_factor(load, users)), 0.95 * limit)
    return level(users, held.get("service_s", service), limit, rate)


def _gustafson_guess(processors, capacity, held):
    """X is linear in 1 and N."""
    serial, parallel = nonnegative([1.0, processors], capacity, 1 / capacity**2)
    return (serial / (serial + parallel),)


def _geometric_terms(processors, given):
    return {"scale": geometric(processors, 1.0, given["factor"])}


def _quadratic_guess(processors, capacity, held):
    """X is linear in N and - N (N - 1); capacity has to stay above zero as far as the points go."""
    pairs, most = processors * (processors - 1), np.max(processors, axis=0)
    scale, loss = nonnegative([processors, -pairs], capacity, 1 / capacity**2)
    return (np.minimum(loss / scale, 0.9 / np.where(most > 1, most - 1, 1)),)


_FACTORS = ("factor", lambda processors: 1 - np.geomspace(1e-4, 0.95, 24))
_FACTOR = Param("factor", "what each processor adds, as a share of what the one before it did", "1", 0.0, 1.0)
_LOSS = Param("loss", "share of its capacity that each processor loses to each other one", "1", 0.0, 1.0)
_ABOUT = {"family": "processors", "x": "processors", "y": "users", "error": "relative"}

LINEAR = ratio_law(
    "linear", linear, {}, family="processors", title="Linear scaling", example=(100,),
    source="elementary: capacity in proportion, the definition of perfect scaling",
    limits="no contention at all", inverse=linear_inverse,
)  # fmt: skip

AMDAHL = ratio_law(
    "amdahl", amdahl, {CONTENTION: WAIT}, family="processors", title="Amdahl's law", example=(100, 0.2),
    source="Amdahl, AFIPS 1967", limits="a fixed amount of work per user; no maximum",
    inverse=amdahl_inverse, derived=(Quantity("limit", "capacity of any number of processors", "{y}", limit),),
)  # fmt: skip

USL = ratio_law(
    "usl", usl, {CONTENTION: WAIT, COHERENCY: PAIRS}, family="processors", title="Universal scalability law",
    example=(100, 0.1, 0.01),
    source="Gunther, CMG 1993; Guerrilla Capacity Planning, 2007; Schwartz, 2015, equation 3, its peak equation 4",
    limits="a peak beyond the points is an extrapolation; three points are no test of it",
    inverse=usl_inverse, reduces=("amdahl", "coherency", 0.0),
    derived=(
        peak_of(usl_peak), peak_height_of(usl_peak_capacity),
        Quantity("limit", "capacity that contention alone would allow", "{y}", limit),
        Quantity("payback", "where a superlinear gain (contention below zero) is paid back", "{x}", payback),
    ),
)  # fmt: skip

LOG_USL = ratio_law(
    "log_usl", log_usl, {CONTENTION: WAIT, COHERENCY: WAIT_LOG}, family="processors",
    title="Universal scalability law with logarithmic exchange", example=(100, 0.1, 0.01), source="Schwartz, 2015",
    limits="as for the universal law", reduces=("amdahl", "coherency", 0.0),
    derived=(peak_of(log_usl_peak), peak_height_of(log_usl_peak_capacity)),
)  # fmt: skip

GUSTAFSON = Law(
    name="gustafson", title="Gustafson's law, scaled work", formula="X = scale (N - contention (N - 1))",
    latex=r"X = \text{scale} \, \left( N - \text{contention} \, \left( N - 1 \right) \right)",
    example=(PROCESSORS, (100, 0.2)), function=gustafson, params=(SCALE, CONTENTION),
    start=scaled(gustafson, (SCALE, CONTENTION), _gustafson_guess),
    source="Gustafson, CACM 31(5), 1988", limits="work that grows with the machine; no maximum",
    inverse=gustafson_inverse, derived=at_each(gustafson), reduces=("linear", "contention", 0.0), **_ABOUT,
)  # fmt: skip

POWER = power_law(
    Param("exponent", "percent of capacity for a percent of processors", "1", 0.0, 1.2),
    at_one="capacity of one", name="power", title="Power law", formula="X = scale N^exponent",
    example=(PROCESSORS, (100, 0.8)),
    latex=r"X = \text{scale} \, N^{\text{exponent}}",
    source="elementary: a straight line of ln X on ln N", limits="no maximum, and no mechanism behind it",
    derived=at_each(power), reduces=("linear", "exponent", 1.0), **_ABOUT,
)  # fmt: skip

GEOMETRIC = Law(
    name="geometric", title="Geometric scaling", formula="X = scale (1 - factor^N) / (1 - factor)",
    latex=r"X = \frac{\text{scale} \, \left( 1 - \text{factor}^{N} \right)}{1 - \text{factor}}",
    example=(PROCESSORS, (100, 0.85)), function=geometric, params=(SCALE, _FACTOR),
    start=separable((SCALE, _FACTOR), _geometric_terms, tries=_FACTORS),
    source="Gunther, The Practical Performance Analyst, 1998; multiprocessor factors of vendors",
    limits="capacity never falls", inverse=geometric_inverse, reduces=("linear", "factor", 1.0),
    derived=(*at_each(geometric), Quantity(
        "limit", "capacity of any number of processors", "{y}", lambda scale, factor: limit(scale, 1 - factor))),
    **_ABOUT,
)  # fmt: skip

QUADRATIC = Law(
    name="quadratic", title="Quadratic scaling", formula="X = scale (N - loss N (N - 1))",
    latex=r"X = \text{scale} \, \left( N - \text{loss} \, N \, \left( N - 1 \right) \right)",
    example=(PROCESSORS, (100, 0.03)), function=quadratic, params=(SCALE, _LOSS),
    start=scaled(quadratic, (SCALE, _LOSS), _quadratic_guess),
    source="Gunther, The Practical Performance Analyst, 1998", limits="loss below 1 / (N - 1): few processors only",
    inverse=quadratic_inverse, reduces=("linear", "loss", 0.0),
    derived=(*at_each(quadratic), peak_of(quadratic_peak), peak_height_of(_quadratic_peak_capacity)), **_ABOUT,
)  # fmt: skip

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
    example=(PROCESSORS, (0.2, 0.5, 0.01)),
    start=_users_start,
    x="processors",
    y="users",
    error="relative",
    source="Erlang, 1917; Kleinrock, Queueing Systems, 1975",
    limits="whole processors, random arrivals, exponential times, nothing shared but the queue",
    derived=at_each(users_at_response, scaled=False),
)

LAWS = (LINEAR, AMDAHL, GUSTAFSON, POWER, GEOMETRIC, QUADRATIC, USL, LOG_USL, USERS_AT_RESPONSE)
