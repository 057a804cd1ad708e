"""Capacity with overhead: laws of the form ``X = scale N / (1 + overhead(N))``.

`ratio_law` makes such a law from its function and the terms of its overhead. N/X is linear in the terms, which gives
all of them the same start (a linear fit), the same derivatives and, where no closed form exists, the same peak and
inverse.

The laws below are for forecasts: linear scaling with one term of overhead each, and a capacity that is reached and
kept. Which of them forecasts best is for the data to say, not for a theory. `compare("overhead", ...)` sets Gunther's
law and its logarithmic sister beside them.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dominoperf.laws.numerics import factor, level, nonnegative, products, root, symmetric, where_positive
from dominoperf.laws.record import Law, Param, Quantity

SCALE = Param("scale", "capacity of one", "{y}/{x}", 0.0, np.inf)
PROCESSORS = (1, 2, 3, 4, 6, 8)  # of the examples
_KNEE = 4  # how sharply a fixed capacity is reached
_POLISH = 4  # steps: what noise leaves after them, the fitter does
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
        derived = _peaks(function, kinds) if any(kind.bend(_MOST) > 1 for kind in kinds) else ()
    return Law(
        name=name, function=function, params=(SCALE, *shares), example=(PROCESSORS, example),
        formula=f"X = scale N / (1{below})" if terms else "X = scale N",
        latex=rf"X = \frac{{\text{{scale}} \, N}}{{1{below_latex}}}" if terms else r"X = \text{scale} \, N",
        x="processors", y="users", error="relative", start=_start(shares, kinds), jacobian=_jacobian(kinds),
        inverse=inverse or _inverse(function, kinds), derived=(*at_each(function), *derived),
        reduces=reduces or (("linear", shares[0].name, 0.0) if len(shares) == 1 else ()), **about,
    )  # fmt: skip


def _overhead(kinds, load, shares):
    overhead = 0
    for share, kind in zip(shares, kinds, strict=True):
        overhead = overhead + share * kind.h(load)
    return 1 + overhead


def _jacobian(kinds):
    def jacobian(load, scale, *shares):
        each = load / _overhead(kinds, load, shares)
        return each + 0 * scale, *[-scale * each**2 / load * kind.h(load) for kind in kinds]

    return jacobian


def _start(params, kinds):
    """N/X by linear least squares, weighted as if the errors of X were relative; then the best scale."""

    def start(load, capacity, held):
        known = [held.get(param.name, 0.0) for param in params]
        free = [param for param in params if param.name not in held]
        terms = [kind.h(load) for kind, param in zip(kinds, params, strict=True) if param in free]
        base = _overhead(kinds, load, known) + 0.0 * capacity
        each, weights = load / capacity, (capacity / load) ** 2
        if "scale" in held:
            one, found = 1 / held["scale"], nonnegative(terms, each - base / held["scale"], weights) if terms else ()
        else:
            one, *found = _polished([base, *terms], each, nonnegative([base, *terms], each, weights))
        shares = {param.name: np.minimum(b / one, 0.99 * param.high) for param, b in zip(free, found, strict=True)}
        shares = [shares.get(param.name, value) for param, value in zip(params, known, strict=True)]
        scale = held.get("scale", factor(load / _overhead(kinds, load, shares), capacity))
        return level(capacity, scale, *shares)

    return start


def _polished(terms, each, begun):
    """Newton's steps for relative errors of X = N / D, D linear in the terms; as begun where they leave the bounds.

    With q the ratio of curve to point the residual is q - 1, its derivative - q / D, the Hessian's weight
    q (3 q - 2) / D^2.
    """
    found = begun
    with np.errstate(all="ignore"):
        for _ in range(_POLISH):
            below = sum(one * term for one, term in zip(found, terms, strict=True))
            ratio = each / below
            slope = ratio / below
            residual = (ratio - 1) * slope
            gradient = [np.einsum("n...,n...->...", residual, term) for term in terms]
            found = found + symmetric(products(terms, slope * (3 * ratio - 2) / below), gradient)
    return np.where(np.all(found > 0, axis=0), found, begun)


def _peak(kinds):
    def peak(scale, *shares):
        """1 where capacity falls from the start, infinite where it never does."""

        def fall(N, *shares):
            return sum(share * kind.bend(N) for share, kind in zip(shares, kinds, strict=True)) - 1

        first, last = np.real(fall(1.0, *shares)), np.real(fall(_MOST, *shares))
        found = root(fall, 1.0, _MOST, *shares)
        return np.where(first >= 0, 1.0, np.where(last < 0, np.inf, found))

    return peak


def _peaks(function, kinds):
    """Load and height of the peak, found by halving."""
    peak = _peak(kinds)

    def height(*params):
        top = peak(*params)
        there = np.isfinite(np.real(top))
        return np.where(there, function(np.where(there, top, 1.0), *params), np.inf)

    return peak_of(peak), peak_height_of(height)


def _inverse(function, kinds):
    """Up to the peak, by halving: closed forms exist for few of these laws.

    Below one processor too, as far down as the curve rises from there: a capacity near that of one has an interval that
    reaches below.
    """

    def inverse(capacity, scale, *shares):
        top = np.real(_peak(kinds)(scale, *shares)) if kinds else np.inf
        top = np.minimum(top, _MOST)
        low = _rises_from(function, scale, *shares)
        found = root(lambda N, X, *params: function(N, *params) - X, low, top, capacity, scale, *shares)
        above = np.real(capacity - function(low, scale, *shares)) >= 0
        return np.where(above & (np.real(capacity - function(top, scale, *shares)) <= 0), found, np.nan)

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


_OVERHEAD = Param("overhead", "overhead as a share of the work, times its term", "1", 0.0, np.inf)
_SOURCE = "elementary: the form of Amdahl, 1967, and Gunther, 1993, with another term; a choice of ours for forecasts"
_LIMITS = "from N = 1 on; a form for forecasts near the points, with no mechanism behind it"
_ABOUT = {"family": "overhead", "source": _SOURCE, "limits": _LIMITS}


def overhead_log(load, scale, overhead):
    """Overhead that grows with the logarithm: ``X = scale N / (1 + overhead ln N)``; from N = 1 on."""
    return scale * load / (1 + overhead * np.log(load))


def overhead_root(load, scale, overhead):
    """Overhead that grows with the square root: ``X = scale N / (1 + overhead (N^0.5 - 1) / 0.5)``; from N = 1 on."""
    return scale * load / (1 + overhead * ((load**0.5 - 1) / 0.5))


def overhead_linear(load, scale, overhead):
    """Overhead that grows linearly: ``X = scale N / (1 + overhead (N - 1))``; from N = 1 on.

    The form of Amdahl's law, but the share may pass 1: capacity then falls with N.
    """
    return scale * load / (1 + overhead * (load - 1))


def overhead_three_halves(load, scale, overhead):
    """Overhead that grows with the power 3/2: ``X = scale N / (1 + overhead (N^1.5 - 1) / 1.5)``; from N = 1 on."""
    return scale * load / (1 + overhead * ((load**1.5 - 1) / 1.5))


def overhead_square(load, scale, overhead):
    """Overhead that grows with the square: ``X = scale N / (1 + overhead (N^2 - 1) / 2)``; from N = 1 on."""
    return scale * load / (1 + overhead * ((load**2 - 1) / 2))


def overhead_five_halves(load, scale, overhead):
    """Overhead that grows with the power 5/2: ``X = scale N / (1 + overhead (N^2.5 - 1) / 2.5)``; from N = 1 on."""
    return scale * load / (1 + overhead * ((load**2.5 - 1) / 2.5))


def overhead_cube(load, scale, overhead):
    """Overhead that grows with the cube: ``X = scale N / (1 + overhead (N^3 - 1) / 3)``; from N = 1 on."""
    return scale * load / (1 + overhead * ((load**3 - 1) / 3))


def saturation(load, scale, overhead):
    """In proportion at first, then a fixed capacity: ``X = scale N / (1 + overhead (N^4 - 1))^(1/4)``.

    The asymptotic bound ``min(scale N, limit)`` (Lazowska and others, Quantitative System Performance, 1984) with its
    corner rounded; the power 4 is a choice of ours. From N = 1 on.
    """
    return scale * load / (1 + overhead * (load**_KNEE - 1)) ** (1 / _KNEE)


def saturation_inverse(capacity, scale, overhead):
    """Load for a capacity below the limit ``scale / overhead^(1/4)``; NaN from there on."""
    room = (scale / capacity) ** _KNEE - overhead
    return where_positive(room, lambda left: ((1 - overhead) / left) ** (1 / _KNEE))


def _saturation_limit(scale, overhead):
    return where_positive(overhead, lambda share: scale / share ** (1 / _KNEE), np.inf)


def _saturation_jacobian(load, scale, overhead):
    each = load**_KNEE - 1
    below = 1 + overhead * each
    value = load * below ** (-1 / _KNEE)
    return value, -scale * value * each / (_KNEE * below)


def _saturation_start(load, capacity, held):
    """(N/X)^4 is linear in N^4."""
    each = (load / capacity) ** _KNEE
    one, more = nonnegative([1.0, load**_KNEE - 1], each, 1 / each**2)
    share = held.get("overhead", np.minimum(more / one, 0.99))
    scale = held.get("scale", factor(saturation(load, 1.0, share), capacity))
    return level(capacity, scale, share)


OVERHEAD_LOG = ratio_law(
    "overhead_log", overhead_log, {_OVERHEAD: powered(0)}, example=(100, 0.3),
    title="Overhead that grows with the logarithm", **_ABOUT,
)  # fmt: skip

OVERHEAD_ROOT = ratio_law(
    "overhead_root", overhead_root, {_OVERHEAD: powered(0.5)}, example=(100, 0.3),
    title="Overhead that grows with the square root", **_ABOUT,
)  # fmt: skip

OVERHEAD_LINEAR = ratio_law(
    "overhead_linear", overhead_linear, {_OVERHEAD: powered(1)}, example=(100, 0.2), same_as="amdahl",
    title="Overhead that grows linearly: Amdahl's law whose share may pass 1", **_ABOUT,
)  # fmt: skip

OVERHEAD_THREE_HALVES = ratio_law(
    "overhead_three_halves", overhead_three_halves, {_OVERHEAD: powered(1.5)}, example=(100, 0.03),
    title="Overhead that grows with the power 3/2", **_ABOUT,
)  # fmt: skip

OVERHEAD_SQUARE = ratio_law(
    "overhead_square", overhead_square, {_OVERHEAD: powered(2)}, example=(100, 0.01),
    title="Overhead that grows with the square", **_ABOUT,
)  # fmt: skip

OVERHEAD_FIVE_HALVES = ratio_law(
    "overhead_five_halves", overhead_five_halves, {_OVERHEAD: powered(2.5)}, example=(100, 0.005),
    title="Overhead that grows with the power 5/2", **_ABOUT,
)  # fmt: skip

OVERHEAD_CUBE = ratio_law(
    "overhead_cube", overhead_cube, {_OVERHEAD: powered(3)}, example=(100, 0.001),
    title="Overhead that grows with the cube", **_ABOUT,
)  # fmt: skip

SATURATION = Law(
    name="saturation",
    family="overhead",
    title="A fixed capacity, reached and kept",
    formula="X = scale N / (1 + overhead (N^4 - 1))^(1/4)",
    latex=r"X = \frac{\text{scale} \, N}{\left( 1 + \text{overhead} \, \left( N^{4} - 1 \right) \right)^{\frac{1}{4}}}",
    function=saturation,
    params=(SCALE, Param("overhead", "(scale / limit)^4", "1", 0.0, 1.0)),
    example=(PROCESSORS, (100, 0.01)),
    start=_saturation_start,
    x="processors",
    y="users",
    error="relative",
    source="the asymptotic bound of a closed network, Lazowska and others, 1984; its rounding a choice of ours",
    limits="from N = 1 on; nothing falls again",
    inverse=saturation_inverse,
    derived=(
        *at_each(saturation),
        Quantity("limit", "capacity of any load", "{y}", _saturation_limit),
    ),
    reduces=("linear", "overhead", 0.0),
    jacobian=_saturation_jacobian,
)

LAWS = (
    OVERHEAD_LOG,
    OVERHEAD_ROOT,
    OVERHEAD_LINEAR,
    OVERHEAD_THREE_HALVES,
    OVERHEAD_SQUARE,
    OVERHEAD_FIVE_HALVES,
    OVERHEAD_CUBE,
    SATURATION,
)
