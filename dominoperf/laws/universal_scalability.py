"""The universal scalability law (USL), and the laws of its form: ``X = scale N / (1 + sum of share times term(N))``.

=======================  =====================================================================
Linear scaling           ``X = scale N``
Amdahl's law             ``X = scale N / (1 + contention (N - 1))``
Universal law            ``X = scale N / (1 + contention (N - 1) + coherency N (N - 1))``
with logarithmic cost    ``X = scale N / (1 + contention (N - 1) + coherency (N - 1) ln N)``
=======================  =====================================================================

`ratio_law` makes the record of such a law from its function and its terms. N/X is linear in the terms, which gives all
of them the same start (a linear fit), the same derivatives ``dX/dscale = N/D`` and ``dX/dshare = -scale N term / D^2``
with D what stands below, and, where no closed form exists, the same peak and inverse. `dominoperf.laws.overhead` has
further terms, for forecasts.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import wrightomega

from dominoperf.laws.numerics import (
    best_scale,
    linear_combination,
    nonnegative_least_squares,
    nonnegative_solution,
    products_of_pairs,
    root,
    solve_positive_definite,
    sums_over_points,
    where_positive,
)
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample

SCALE = Param("scale", "capacity of one", "{y}/{x}", 0.0, np.inf)
PROCESSORS = (1, 2, 3, 4, 6, 8)  # of the examples
CONTENTION = Param("contention", "serial share of the work", "1", 0.0, 1.0)
COHERENCY = Param("coherency", "share of the work that each pair adds", "1", 0.0, np.inf)
_POLISH = 4  # steps: what noise leaves after them, the fitter does
_SMALL = 1e-3  # a term that least squares would leave out starts with this share, so that it is inside its bounds
_MOST = 1e15  # a peak beyond this is none


@dataclass(frozen=True)
class Term:
    """A kind of overhead: ``h(N)``, zero at N = 1, and ``bend(N) = N h'(N) - h(N)``, with which capacity bends down.

    `text` and `latex` write h(N). Capacity peaks where share times bend, added over the terms, is one.
    """

    text: str
    latex: str
    h: Callable
    bend: Callable


def powered(power):
    """Return the term ``(N^power - 1) / power``, of which the logarithm is the limit at 0."""
    if power == 0:
        return Term("ln N", r"\ln N", np.log, lambda N: 1 - np.log(N))
    text, latex = f"(N^{power:g} - 1) / {power:g}", rf"\frac{{N^{{{power:g}}} - 1}}{{{power:g}}}"
    if power == 1:
        text, latex = "(N - 1)", r"\left( N - 1 \right)"
    return Term(text, latex, lambda N: (N**power - 1) / power, lambda N: N**power - (N**power - 1) / power)


WAIT = powered(1)
WAIT_LOG = Term(
    "(N - 1) ln N", r"\left( N - 1 \right) \, \ln N", lambda N: (N - 1) * np.log(N), lambda N: N - 1 + np.log(N)
)
PAIRS = Term("N (N - 1)", r"N \, \left( N - 1 \right)", lambda N: N * (N - 1), lambda N: N**2)


def ratio_law(name, function, terms, *, example, derived=None, inverse=None, reduces=(), **about):
    """Return the record of a law from its function and the terms of its overhead.

    Parameters
    ----------
    function : callable
        ``function(N, scale, *shares)``: ``scale N / (1 + sum of share times term)``.
    terms : dict
        The share (a `Param`) of each `Term`; none is linear scaling.
    example : tuple
        Parameters that make sense for a few processors.
    derived, inverse : optional
        Closed forms, where there are any; `derived` is then all of it but what `at_each` gives.
    reduces : tuple, optional
        By default to linear scaling where there is one term.
    **about
        family, title, source and limits of the record.
    """
    shares, kinds = tuple(terms), tuple(terms.values())
    below = "".join(f" + {share.name} {kind.text}" for share, kind in terms.items())
    below_latex = "".join(rf" + \text{{{share.name}}} \, {kind.latex}" for share, kind in terms.items())
    if derived is None:
        derived = _peaks_by_halving(function, kinds) if any(kind.bend(_MOST) > 1 for kind in kinds) else ()
    return Law(
        name=name, function=function, params=(SCALE, *shares), example=(PROCESSORS, example),
        formula=f"X = scale N / (1{below})" if terms else "X = scale N",
        latex=rf"X = \frac{{\text{{scale}} \, N}}{{1{below_latex}}}" if terms else r"X = \text{scale} \, N",
        x="processors", y="users", error="relative", start=_usl_start(shares, kinds), jacobian=_usl_jacobian(kinds),
        inverse=inverse or _inverse_by_halving(function, kinds), derived=(*at_each(function), *derived),
        reduces=reduces or (("linear", shares[0].name, 0.0) if len(shares) == 1 else ()), **about,
    )  # fmt: skip


def _usl_jacobian(kinds):
    """The derivatives by the scale, ``N / D``, and by each share, ``-scale N term / D^2``."""

    def jacobian(load, scale, *shares):
        terms = [kind.h(load) for kind in kinds]
        unscaled = load / _usl_denominator(shares, terms)
        slope = -scale * unscaled**2 / load
        return unscaled + 0 * scale, *[slope * term for term in terms]

    return jacobian


def _usl_denominator(shares, terms):
    """What stands below the line: ``D = 1 + sum of share times term``."""
    below = 1
    for share, term in zip(shares, terms, strict=True):
        below = below + share * term
    return below


def _usl_start(params, kinds):
    """N/X by linear least squares, weighted as if the errors of X were relative; then the best scale."""

    def start(load, capacity, held):
        terms = {param.name: kind.h(load) for param, kind in zip(params, kinds, strict=True)}
        free = [param for param in params if param.name not in held]
        shares = {param.name: held[param.name] for param in params if param.name in held}
        base = _usl_denominator(shares.values(), [terms[name] for name in shares])
        free_terms = [terms[param.name] for param in free]
        if "scale" in held:
            z, weights = load / capacity - base / held["scale"], (capacity / load) ** 2
            inverse, rest = 1 / held["scale"], nonnegative_least_squares(free_terms, z, weights) if free else ()
        else:
            inverse, *rest = _linear_coefficients([base, *free_terms], load, capacity)
        shares |= {param.name: np.minimum(b / inverse, 0.99 * param.high) for param, b in zip(free, rest, strict=True)}
        shares = [shares[param.name] for param in params]
        scale = held.get("scale", best_scale(load / _usl_denominator(shares, terms.values()), capacity))
        return scale, *shares

    return start


def _linear_coefficients(terms, load, capacity):
    """The coefficients c of ``X = N / D``, ``D = sum of c times term``, by least squares with relative errors.

    First those of ``N/X = D`` weighted with ``(X/N)^2``, which is linear. Then Newton's steps: with q the ratio of
    curve to point the residual is q - 1, its derivative - q / D, the Hessian's weight q (3 q - 2) / D^2. The first ones
    stay where the steps leave the bounds.
    """
    stacked = np.empty((len(terms), *np.shape(load)))
    for k, term in enumerate(terms):
        stacked[k] = term
    terms, point = stacked.reshape(len(terms), len(load), -1), (capacity / load).reshape(len(load), -1)
    products = products_of_pairs(terms)
    linear = nonnegative_solution(sums_over_points(products, point**2), sums_over_points(terms, point))
    highest = np.max(terms * point, axis=1)
    linear = np.maximum(linear, _SMALL / np.where(highest > 0, highest, 1))
    coefficients = linear
    with np.errstate(all="ignore"):
        inverse_point = 1 / point
        for _ in range(_POLISH):
            inverse = 1 / linear_combination(coefficients, terms)
            ratio = inverse_point * inverse
            slope = ratio * inverse
            hessian = sums_over_points(products, slope * (3 * ratio - 2) * inverse)
            coefficients = coefficients + solve_positive_definite(hessian, sums_over_points(terms, (ratio - 1) * slope))
    coefficients = np.where(np.all(coefficients > 0, axis=0), coefficients, linear)
    return coefficients.reshape(len(terms), *np.shape(capacity)[1:])


def _load_at_peak(kinds):
    """The load at which capacity is greatest: where share times bend, added over the terms, is one."""

    def peak(scale, *shares):
        """1 where capacity falls from the start, infinite where it never does."""

        def fall(N, *shares):
            return sum(share * kind.bend(N) for share, kind in zip(shares, kinds, strict=True)) - 1

        first, last = np.real(fall(1.0, *shares)), np.real(fall(_MOST, *shares))
        zero = root(fall, 1.0, _MOST, *shares)
        return np.where(first >= 0, 1.0, np.where(last < 0, np.inf, zero))

    return peak


def _peaks_by_halving(function, kinds):
    """Load and height of the peak, found by halving."""
    peak = _load_at_peak(kinds)

    def height(*params):
        top = peak(*params)
        there = np.isfinite(np.real(top))
        return np.where(there, function(np.where(there, top, 1.0), *params), np.inf)

    return peak_of(peak), peak_height_of(height)


def _inverse_by_halving(function, kinds):
    """Up to the peak, by halving: closed forms exist for few of these laws.

    Below one processor too, as far down as the curve rises from there: a capacity near that of one has an interval that
    reaches below.
    """

    def inverse(capacity, scale, *shares):
        top = np.real(_load_at_peak(kinds)(scale, *shares)) if kinds else np.inf
        top = np.minimum(top, _MOST)
        low = _rises_from(function, scale, *shares)
        load = root(lambda N, X, *params: function(N, *params) - X, low, top, capacity, scale, *shares)
        above = np.real(capacity - function(low, scale, *shares)) >= 0
        return np.where(above & (np.real(capacity - function(top, scale, *shares)) <= 0), load, np.nan)

    return inverse


def _rises_from(function, *params):
    """The load, 0.01 at least, from which on capacity rises up to one processor."""
    real = np.broadcast_arrays(*(np.real(param) for param in params))
    loads = np.geomspace(0.01, 1, 40).reshape(-1, *[1] * real[0].ndim)
    values = function(loads, *real)
    rises = (np.diff(values, axis=0) > 0) & (values[:-1] > 0)
    turns = np.flip(np.cumsum(np.flip(~rises, axis=0), axis=0), axis=0) > 0  # it does not rise here or further up
    return loads.ravel()[turns.sum(axis=0)]


def peak_of(function):
    """Return the record of where capacity is greatest."""
    return Quantity("peak", "load at which capacity is greatest", "{x}", function)


def peak_height_of(function):
    """Return the record of the greatest capacity."""
    return Quantity("peak_capacity", "greatest capacity", "{y}", function)


def karp_flatt(N, speed_up):
    """Return the serial share that explains a speed-up s of N processors: ``(1/s - 1/N) / (1 - 1/N)``; NaN for one.

    Flat over N where Amdahl's law holds, rising with overhead. Karp and Flatt, CACM 33(5), 1990.
    """
    several = N != 1
    return np.where(several, (1 / speed_up - 1 / N) / np.where(several, 1 - 1 / N, 1), np.nan)


def at_each(function, *, scaled=True):
    """Return what a curve of capacity says at each N: efficiency, gain of one more, and Karp and Flatt's serial share.

    `scaled` says that the first parameter is a factor, which a speed-up does not know.
    """

    def speed_up(N, first, *rest):
        first = 1.0 if scaled else first
        return function(N, first, *rest) / function(1.0, first, *rest)

    def efficiency(N, *params):
        return speed_up(N, *params) / N

    def gain(N, *params):
        return function(N + 1, *params) - function(N, *params)

    def serial(N, *params):
        return karp_flatt(N, speed_up(N, *params))

    return (
        Quantity("efficiency", "capacity of each, as a share of that of one alone", "1", efficiency, at_x=True),
        Quantity("marginal_gain", "capacity that one more adds", "{y}", gain, at_x=True),
        Quantity("karp_flatt", "serial share that would explain the speed-up", "1", serial, at_x=True),
    )


def linear(processors, scale):
    """Every processor adds the same: ``X = scale N``, N processors, X in any unit of capacity.

    >>> linear(4, 100)
    400
    """
    return scale * processors


def linear_inverse(capacity, scale):
    """Processors for a capacity: ``N = X / scale``."""
    return capacity / scale


def amdahl(processors, scale, contention):
    """A fixed share of the work is serial: ``X = scale N / (1 + contention (N - 1))``.

    `contention` is the serial share, 0 to 1. After Amdahl, AFIPS 1967. It holds for a fixed amount of work per user and
    has no maximum: where capacity falls again with more processors another law is needed.

    Of Bryant and O'Hallaron, Computer Systems, 2016, section 1.9.1, where 60 % of the work becomes three times as fast:

    >>> round(amdahl(3, 1, 0.4), 2)
    1.67
    """
    return scale * processors / (1 + contention * (processors - 1))


def amdahl_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = X (1 - contention) / (scale - contention X)``; none at ``scale/contention``."""
    at = lambda room: where_positive(1 - contention, lambda share: capacity * share / room)  # noqa: E731
    return where_positive(scale - contention * capacity, at)


def usl(processors, scale, contention, coherency):
    """Waiting and exchanging: ``X = scale N / (1 + contention (N - 1) + coherency N (N - 1))``.

    `contention` is the serial share, `coherency` what every ordered pair of processors adds, both in shares of the work
    of one. The universal scalability law of Gunther, Guerrilla Capacity Planning, 2007, section 4.4; with a scale it is
    equation 3 of Schwartz, Practical Scalability Analysis with the Universal Scalability Law, 2015. After the peak
    capacity falls as ``1/N``, which measured systems rarely follow far.

    The peak of the R package usl, for the data set specsdm91 of Gunther's chapter 5:

    >>> round(usl(96.52, 90.00, 0.02773, 1.044e-4))
    1884
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

    1 where capacity falls from the first processor on. Gunther, 2007, equation 4.33; Schwartz, 2015, equation 4.
    """
    square = where_positive(coherency, lambda share: (1 - contention) / share, np.inf)
    return np.sqrt(np.where(np.real(square) > 1, square, 1.0))


def usl_peak_capacity(scale, contention, coherency):
    """Capacity at the peak, ``X(N*)``; without coherency that of any number, ``scale/contention``."""
    return _greatest_capacity(usl, usl_peak(scale, contention, coherency), scale, contention, coherency)


def _greatest_capacity(curve, top, scale, contention, coherency):
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

    >>> round(float(log_usl(np.e, 100, 0.2, 0.3)), 2)  # 100 e / (1 + 0.5 (e - 1))
    146.21
    """
    return scale * processors / (1 + contention * (processors - 1) + coherency * (processors - 1) * np.log(processors))


def log_usl_peak(scale, contention, coherency):
    """Processors at which capacity is greatest: ``N + ln N = 1 + (1 - contention) / coherency``, Wright's omega of it.

    1 where capacity falls from the first processor on; infinite without coherency.
    """
    return where_positive(coherency, lambda share: _wright_omega(1 + (1 - contention) / share), np.inf)


def _wright_omega(z):
    """Wright's omega, ``w + ln w = z``, 1 for what is below; its derivative is ``w / (1 + w)``."""
    real = np.maximum(np.real(z), 1.0)
    omega = np.real(wrightomega(real))
    step = np.where((real > 1) & (real < np.inf), z - real, 0.0)
    return omega + step / (1 + 1 / omega)


def log_usl_peak_capacity(scale, contention, coherency):
    """Capacity at the peak, ``X(N*)``; without coherency that of any number, ``scale/contention``."""
    return _greatest_capacity(log_usl, log_usl_peak(scale, contention, coherency), scale, contention, coherency)


LINEAR = ratio_law(
    "linear", linear, {}, family="processors", title="Linear scaling", example=(100,),
    source="elementary: capacity in proportion, the definition of perfect scaling",
    equation="elementary: in proportion",
    limits="no contention at all", inverse=linear_inverse,
    worked=WorkedExample(4, (100,), "400", "by hand: four times that of one"),
)  # fmt: skip

AMDAHL = ratio_law(
    "amdahl", amdahl, {CONTENTION: WAIT}, family="processors", title="Amdahl's law", example=(100, 0.2),
    source="Amdahl, AFIPS 1967, in words; Bryant and O'Hallaron, Computer Systems, 2016, as a formula",
    equation="Bryant and O'Hallaron, section 1.9.1: scale / ((1 - alpha) + alpha / k), k being N and alpha the rest of "
    "contention",
    worked=WorkedExample(3, (1, 0.4), "1.67", "Bryant and O'Hallaron, 2016, section 1.9.1: alpha 0.6, k 3"),
    limits="a fixed amount of work per user; no maximum",
    inverse=amdahl_inverse, derived=(Quantity("limit", "capacity of any number of processors", "{y}", limit),),
)  # fmt: skip

USL = ratio_law(
    "usl", usl, {CONTENTION: WAIT, COHERENCY: PAIRS}, family="processors", title="Universal scalability law",
    example=(100, 0.1, 0.01),
    source="Gunther, CMG 1993; Guerrilla Capacity Planning, 2007; Schwartz, 2015",
    equation="Gunther, 2007, section 4.4, its peak equation 4.33; with a scale Schwartz, 2015, equation 3",
    worked=WorkedExample(
        96.52, (90.00, 0.02773, 1.044e-4), "1884",
        "the peak that the R package usl prints for specsdm91, the data of Gunther, 2007, chapter 5",
    ),
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
    equation="without a number: N (N - 1) of the universal law becomes (N - 1) ln N",
    worked=WorkedExample(np.e, (100, 0.2, 0.3), "146.21", "by hand: ln e is 1, so 100 e / (1 + 0.5 (e - 1))"),
    limits="as for the universal law", reduces=("amdahl", "coherency", 0.0),
    derived=(peak_of(log_usl_peak), peak_height_of(log_usl_peak_capacity)),
)  # fmt: skip
