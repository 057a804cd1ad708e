"""Laws of capacity for forecasts: linear scaling with one term of overhead each, and a capacity reached and kept.

Which of them forecasts best is for the data to say, not for a theory. `compare("overhead", ...)` sets the universal
scalability law and its logarithmic sister beside them; `dominoperf.laws.universal_scalability` makes the records.
"""

import numpy as np

from dominoperf.laws.numerics import best_scale, nonnegative_least_squares, one_value_per_curve, where_positive
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample
from dominoperf.laws.universal_scalability import PROCESSORS, SCALE, at_each, powered, ratio_law

_KNEE = 4  # how sharply a fixed capacity is reached

_OVERHEAD = Param("overhead", "overhead as a share of the work, times its term", "1", 0.0, np.inf)
_SOURCE = "elementary: the form of Amdahl, 1967, and Gunther, 1993, with another term; a choice of ours for forecasts"
_LIMITS = "from N = 1 on; a form for forecasts near the points, with no mechanism behind it"
_EQUATION = "elementary: the integral of N^(p - 1) from 1 to N, as the overhead of linear scaling"
_ABOUT = {"family": "overhead", "source": _SOURCE, "equation": _EQUATION, "limits": _LIMITS}


def overhead_log(load, scale, overhead):
    """Overhead that grows with the logarithm: ``X = scale N / (1 + overhead ln N)``; from N = 1 on.

    >>> round(float(overhead_log(np.e, 100, 0.5)), 2)  # 100 e / 1.5
    181.22
    """
    return scale * load / (1 + overhead * np.log(load))


def overhead_root(load, scale, overhead):
    """Overhead that grows with the square root: ``X = scale N / (1 + overhead (N^0.5 - 1) / 0.5)``; from N = 1 on.

    >>> overhead_root(16, 100, 0.1)  # 1600 / 1.6
    1000.0
    """
    return scale * load / (1 + overhead * ((load**0.5 - 1) / 0.5))


def overhead_linear(load, scale, overhead):
    """Overhead that grows linearly: ``X = scale N / (1 + overhead (N - 1))``; from N = 1 on.

    The form of Amdahl's law, but the share may pass 1: capacity then falls with N.

    >>> overhead_linear(4, 100, 0.2)  # 400 / 1.6
    250.0
    """
    return scale * load / (1 + overhead * (load - 1))


def overhead_three_halves(load, scale, overhead):
    """Overhead that grows with the power 3/2: ``X = scale N / (1 + overhead (N^1.5 - 1) / 1.5)``; from N = 1 on.

    >>> round(overhead_three_halves(4, 100, 0.3), 4)  # 400 / (1 + 0.3 x 7 / 1.5)
    166.6667
    """
    return scale * load / (1 + overhead * ((load**1.5 - 1) / 1.5))


def overhead_square(load, scale, overhead):
    """Overhead that grows with the square: ``X = scale N / (1 + overhead (N^2 - 1) / 2)``; from N = 1 on.

    >>> round(overhead_square(4, 100, 0.08), 6)  # 400 / (1 + 0.08 x 15 / 2)
    250.0
    """
    return scale * load / (1 + overhead * ((load**2 - 1) / 2))


def overhead_five_halves(load, scale, overhead):
    """Overhead that grows with the power 5/2: ``X = scale N / (1 + overhead (N^2.5 - 1) / 2.5)``; from N = 1 on.

    >>> round(overhead_five_halves(4, 100, 0.05), 4)  # 400 / (1 + 0.05 x 31 / 2.5)
    246.9136
    """
    return scale * load / (1 + overhead * ((load**2.5 - 1) / 2.5))


def overhead_cube(load, scale, overhead):
    """Overhead that grows with the cube: ``X = scale N / (1 + overhead (N^3 - 1) / 3)``; from N = 1 on.

    >>> round(overhead_cube(4, 100, 0.05), 4)  # 400 / (1 + 0.05 x 63 / 3)
    195.122
    """
    return scale * load / (1 + overhead * ((load**3 - 1) / 3))


def saturation(load, scale, overhead):
    """In proportion at first, then a fixed capacity: ``X = scale N / (1 + overhead (N^4 - 1))^(1/4)``.

    The asymptotic bound ``min(scale N, limit)`` (Lazowska and others, Quantitative System Performance, 1984) with its
    corner rounded; the power 4 is a choice of ours. From N = 1 on.

    >>> saturation(2, 100, 1.0)  # the limit is reached by the first: 200 / 16^(1/4)
    100.0
    """
    return scale * load / (1 + overhead * (load**_KNEE - 1)) ** (1 / _KNEE)


def saturation_inverse(capacity, scale, overhead):
    """Load for a capacity below the limit ``scale / overhead^(1/4)``; NaN from there on."""
    room = (scale / capacity) ** _KNEE - overhead
    return where_positive(room, lambda positive: ((1 - overhead) / positive) ** (1 / _KNEE))


def _saturation_limit(scale, overhead):
    """The capacity of any load: ``scale / overhead^(1/4)``, infinite without overhead."""
    return where_positive(overhead, lambda share: scale / share ** (1 / _KNEE), np.inf)


def _saturation_jacobian(load, scale, overhead):
    """The derivatives by the scale, ``X / scale``, and by the overhead, ``-X (N^4 - 1) / (4 D)``."""
    term = load**_KNEE - 1
    below = 1 + overhead * term
    value = load * below ** (-1 / _KNEE)
    return value, -scale * value * term / (_KNEE * below)


def _saturation_start(load, capacity, held):
    """(N/X)^4 is linear in N^4."""
    z = (load / capacity) ** _KNEE
    base, slope = nonnegative_least_squares([1.0, load**_KNEE - 1], z, 1 / z**2)
    share = held.get("overhead", np.minimum(slope / base, 0.99))
    scale = held.get("scale", best_scale(saturation(load, 1.0, share), capacity))
    return one_value_per_curve(capacity, scale, share)


OVERHEAD_LOG = ratio_law(
    "overhead_log", overhead_log, {_OVERHEAD: powered(0)}, example=(100, 0.3),
    worked=WorkedExample(np.e, (100, 0.5), "181.22", "by hand: ln e is 1, so 100 e / 1.5"),
    title="Overhead that grows with the logarithm", **_ABOUT,
)  # fmt: skip

OVERHEAD_ROOT = ratio_law(
    "overhead_root", overhead_root, {_OVERHEAD: powered(0.5)}, example=(100, 0.3),
    worked=WorkedExample(16, (100, 0.1), "1000", "by hand: 1600 / (1 + 0.1 x 3 / 0.5)"),
    title="Overhead that grows with the square root", **_ABOUT,
)  # fmt: skip

OVERHEAD_LINEAR = ratio_law(
    "overhead_linear", overhead_linear, {_OVERHEAD: powered(1)}, example=(100, 0.2), same_as="amdahl",
    worked=WorkedExample(4, (100, 0.2), "250", "by hand: 400 / (1 + 0.2 x 3)"),
    title="Overhead that grows linearly: Amdahl's law whose share may pass 1", **_ABOUT,
)  # fmt: skip

OVERHEAD_THREE_HALVES = ratio_law(
    "overhead_three_halves", overhead_three_halves, {_OVERHEAD: powered(1.5)}, example=(100, 0.03),
    worked=WorkedExample(4, (100, 0.3), "166.67", "by hand: 400 / (1 + 0.3 x 7 / 1.5)"),
    title="Overhead that grows with the power 3/2", **_ABOUT,
)  # fmt: skip

OVERHEAD_SQUARE = ratio_law(
    "overhead_square", overhead_square, {_OVERHEAD: powered(2)}, example=(100, 0.01),
    worked=WorkedExample(4, (100, 0.08), "250", "by hand: 400 / (1 + 0.08 x 15 / 2)"),
    title="Overhead that grows with the square", **_ABOUT,
)  # fmt: skip

OVERHEAD_FIVE_HALVES = ratio_law(
    "overhead_five_halves", overhead_five_halves, {_OVERHEAD: powered(2.5)}, example=(100, 0.005),
    worked=WorkedExample(4, (100, 0.05), "246.91", "by hand: 400 / (1 + 0.05 x 31 / 2.5)"),
    title="Overhead that grows with the power 5/2", **_ABOUT,
)  # fmt: skip

OVERHEAD_CUBE = ratio_law(
    "overhead_cube", overhead_cube, {_OVERHEAD: powered(3)}, example=(100, 0.001),
    worked=WorkedExample(4, (100, 0.05), "195.12", "by hand: 400 / (1 + 0.05 x 63 / 3)"),
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
    equation="Lazowska and others, section 5.2, for the bound min(scale N, limit); its rounded corner is in no source",
    worked=WorkedExample(2, (100, 1.0), "100", "by hand: 200 / (1 + 15)^(1/4)"),
    limits="from N = 1 on; nothing falls again",
    inverse=saturation_inverse,
    derived=(
        *at_each(saturation),
        Quantity("limit", "capacity of any load", "{y}", _saturation_limit),
    ),
    reduces=("linear", "overhead", 0.0),
    jacobian=_saturation_jacobian,
)

USES = {"overhead": "the same, where each law is a sum of work that scales and work that grows faster"}
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
