"""The universal scalability law (USL), and the laws of its form: ``X = scale N / (1 + sum of share times term(N))``.

First the formulas, then what every law of this form shares (`ratio_law`), then the records.
"""

import numpy as np
from scipy.special import wrightomega

from dominoperf.laws.numerics import (
    defined_where,
    inverse_of_rising_law,
    proportional_start,
    reciprocal_least_squares,
    smaller_root,
)
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample


def linear(processors, scale):
    """Every processor adds the same: ``X = scale N``."""
    return scale * processors


def linear_inverse(capacity, scale):
    """Processors for a capacity: ``N = X / scale``."""
    return capacity / scale


def amdahl(processors, scale, contention):
    """The share `contention` of the work is serial: ``X = scale N / (1 + contention (N - 1))``.

    Amdahl, 1967, in words; Bryant and O'Hallaron, 2016, section 1.9.1, which has it without a number.
    """
    return scale * processors / (1 + contention * (processors - 1))


@defined_where(lambda capacity, scale, contention: (contention < 1) & (contention * capacity < scale))
def amdahl_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = X (1 - contention) / (scale - contention X)``; none at ``scale/contention``."""
    return capacity * (1 - contention) / (scale - contention * capacity)


def usl(processors, scale, contention, coherency):
    """Waiting and exchanging: ``X = scale N / (1 + contention (N - 1) + coherency N (N - 1))``.

    `contention` is the serial share, `coherency` what every ordered pair of processors adds, both in shares of the work
    of one. After the peak capacity falls as ``1/N``, which measured systems rarely follow far. Gunther, 2007, section
    4.4; with a scale Schwartz, 2015, equation 3.
    """
    return scale * processors / (1 + contention * (processors - 1) + coherency * processors * (processors - 1))


def usl_inverse(capacity, scale, contention, coherency):
    """Processors for a capacity, below the peak: the smaller root of ``b X N^2 - B N + (1 - a) X = 0``.

    a and b are contention and coherency, ``B = scale + (b - a) X``; none above the peak.
    """
    X, a, b = capacity, contention, coherency
    return smaller_root(b * X, scale + (b - a) * X, (1 - a) * X)


@defined_where(lambda scale, contention, coherency: coherency > 0, otherwise=np.inf)
def usl_peak(scale, contention, coherency):
    """Processors at which capacity is greatest: ``sqrt((1 - contention) / coherency)``; infinite without coherency.

    1 where capacity falls from the first processor on. Gunther, 2007, equation 4.33; Schwartz, 2015, equation 4.
    """
    return np.sqrt(np.maximum((1 - contention) / coherency, 1))


@defined_where(lambda scale, contention, *_: contention > 0, otherwise=np.inf)
def contention_limit(scale, contention, *rest):
    """What contention alone would allow: ``scale/contention``, infinite without it."""
    return scale / contention


@defined_where(lambda scale, contention, coherency: (contention < 0) & (coherency > 0))
def superlinear_payback(scale, contention, coherency):
    """Where a superlinear gain is paid back, X = scale N again: ``-contention/coherency``; NaN without such a gain."""
    return -contention / coherency


def log_usl(processors, scale, contention, coherency):
    """Exchange over a tree: ``X = scale N / (1 + contention (N - 1) + coherency (N - 1) ln N)``; shares as in `usl`.

    Schwartz, 2015, without a number.
    """
    return scale * processors / (1 + contention * (processors - 1) + coherency * (processors - 1) * np.log(processors))


@defined_where(lambda scale, contention, coherency: coherency > 0, otherwise=np.inf)
def log_usl_peak(scale, contention, coherency):
    """Processors at which capacity is greatest: ``N + ln N = 1 + (1 - contention) / coherency``, Wright's omega of it.

    1 where capacity falls from the first processor on; infinite without coherency.
    """
    return np.maximum(wrightomega(1 + (1 - contention) / coherency), 1)


SCALE = Param("scale", "capacity of one", "{y}/{x}", 0.0, np.inf)
PROCESSORS = (1, 2, 3, 4, 6, 8)  # of the examples
CONTENTION = Param("contention", "serial share of the work", "1", 0.0, 1.0)
COHERENCY = Param("coherency", "share of the work that each pair adds", "1", 0.0, np.inf)


def ratio_law(function, shares=(), *, derived=(), **about):
    """Return the record of a law ``scale N / (1 + sum of share times term(N))``; `about` is the rest of the record.

    N/X is linear in the terms: each is N/X - 1 where its share is 1, the others 0 and the scale 1. So all these laws
    have the same start, a fit of N/X, and the same derivatives: with D the denominator, ``dX/dscale = N/D`` and
    ``dX/dshare = -scale N term / D^2``.
    """

    def terms(load):
        return [load / function(load, 1.0, *one) - 1 for one in np.eye(len(shares))]

    def jacobian(load, scale, *values):
        unscaled = function(load, 1.0, *values)
        slope = -scale * unscaled**2 / load
        return unscaled, *[slope * term for term in terms(load)]

    def guess(load, capacity, held):
        inverse, *found = reciprocal_least_squares([np.ones_like(load), *terms(load)], capacity / load)
        return [coefficient / inverse for coefficient in found]

    params = (SCALE, *shares)
    return Law(
        function=function, params=params, x="processors", y="users", error="relative", jacobian=jacobian,
        start=proportional_start(function, params, guess), derived=(*scaling_at_each_load(function), *derived), **about,
    )  # fmt: skip


def capacity_at_peak(function, peak, otherwise=lambda *params: np.inf):
    """Return where capacity is greatest, and how great it is there; `otherwise` without a peak."""

    def height(*params):
        top = peak(*params)
        there = np.isfinite(np.real(top))
        return np.where(there, function(np.where(there, top, 1.0), *params), otherwise(*params))

    return (
        Quantity("peak", "load at which capacity is greatest", "{x}", peak),
        Quantity("peak_capacity", "greatest capacity", "{y}", height, place=peak),
    )


@defined_where(lambda N, speed_up: N != 1)
def karp_flatt(N, speed_up):
    """Return the serial share that explains a speed-up s of N processors: ``(1/s - 1/N) / (1 - 1/N)``; NaN for one.

    Flat over N where Amdahl's law holds, rising with overhead. Karp and Flatt, CACM 33(5), 1990.
    """
    return (1 / speed_up - 1 / N) / (1 - 1 / N)


def scaling_at_each_load(function, *, scaled=True):
    """Return what a curve of capacity says at each N: efficiency, gain of one more, and Karp and Flatt's serial share.

    `scaled` says that the first parameter is a factor, which a speed-up does not know.
    """

    def speed_up(N, first, *rest):
        first = 1.0 if scaled else first
        return function(N, first, *rest) / function(1.0, first, *rest)

    return (
        Quantity("efficiency", "capacity of each, as a share of that of one alone", "1",
                 lambda N, *params: speed_up(N, *params) / N, at_x=True),
        Quantity("marginal_gain", "capacity that one more adds", "{y}",
                 lambda N, *params: function(N + 1, *params) - function(N, *params), at_x=True),
        Quantity("karp_flatt", "serial share that would explain the speed-up", "1",
                 lambda N, *params: karp_flatt(N, speed_up(N, *params)), at_x=True,
                 missing="one alone has no speed-up to explain"),
    )  # fmt: skip


LINEAR = ratio_law(
    linear, name="linear", family="processors", title="Linear scaling", formula="X = scale N",
    example=(PROCESSORS, (100,)),
    source="elementary: capacity in proportion, the definition of perfect scaling",
    equation="elementary: in proportion",
    limits="no contention at all", inverse=linear_inverse,
    worked=WorkedExample(4, (100,), "400", "by hand: four times that of one"),
)  # fmt: skip

AMDAHL = ratio_law(
    amdahl, (CONTENTION,), name="amdahl", family="processors", title="Amdahl's law",
    formula="X = scale N / (1 + contention (N - 1))",
    example=(PROCESSORS, (100, 0.2)), reduces=("linear", "contention", 0.0),
    source="Amdahl, AFIPS 1967, in words; Bryant and O'Hallaron, Computer Systems, 2016, as a formula",
    equation="Bryant and O'Hallaron, section 1.9.1: scale / ((1 - alpha) + alpha / k), k being N and alpha the rest of "
    "contention",
    worked=WorkedExample(3, (1, 0.4), "1.67", "Bryant and O'Hallaron, 2016, section 1.9.1: alpha 0.6, k 3"),
    limits="a fixed amount of work per user; no maximum",
    inverse=amdahl_inverse,
    derived=(Quantity("limit", "capacity of any number of processors", "{y}", contention_limit),),
)  # fmt: skip

USL = ratio_law(
    usl, (CONTENTION, COHERENCY), name="usl", family="processors", title="Universal scalability law",
    formula="X = scale N / (1 + contention (N - 1) + coherency N (N - 1))",
    example=(PROCESSORS, (100, 0.1, 0.01)),
    source="Gunther, CMG 1993; Guerrilla Capacity Planning, 2007; Schwartz, 2015",
    equation="Gunther, 2007, section 4.4, its peak equation 4.33; with a scale Schwartz, 2015, equation 3: lambda N / "
    "(1 + sigma (N - 1) + kappa N (N - 1))",
    worked=WorkedExample(
        96.52, (90.00, 0.02773, 1.044e-4), "1884",
        "the peak that the R package usl prints for specsdm91, the data of Gunther, 2007, chapter 5",
    ),
    limits="a peak beyond the points is an extrapolation; three points are no test of it",
    inverse=usl_inverse, reduces=("amdahl", "coherency", 0.0),
    derived=(
        *capacity_at_peak(usl, usl_peak, contention_limit),
        Quantity("limit", "capacity that contention alone would allow", "{y}", contention_limit),
        Quantity("payback", "where a superlinear gain (contention below zero) is paid back", "{x}",
                 superlinear_payback, missing="no superlinear gain to pay back: contention is not below zero"),
    ),
)  # fmt: skip

LOG_USL = ratio_law(
    log_usl, (CONTENTION, COHERENCY), name="log_usl", family="processors",
    title="Universal scalability law with logarithmic exchange",
    formula="X = scale N / (1 + contention (N - 1) + coherency (N - 1) ln N)",
    example=(PROCESSORS, (100, 0.1, 0.01)), source="Schwartz, 2015",
    equation="without a number: N (N - 1) of the universal law becomes (N - 1) ln N",
    worked=WorkedExample(np.e, (100, 0.2, 0.3), "146.21", "by hand: ln e is 1, so 100 e / (1 + 0.5 (e - 1))"),
    limits="as for the universal law", reduces=("amdahl", "coherency", 0.0),
    inverse=inverse_of_rising_law(log_usl, high=log_usl_peak),
    derived=capacity_at_peak(log_usl, log_usl_peak, contention_limit),
)  # fmt: skip
