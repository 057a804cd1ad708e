"""Laws of capacity for forecasts: linear scaling with one term of overhead each, and a capacity reached and kept.

Which of them forecasts best is for the data to say, not for a theory. `compare("overhead", ...)` sets the universal
scalability law and its logarithmic sister beside them; `dominoperf.laws.universal_scalability` makes the records.
"""

import numpy as np

from dominoperf.laws.numerics import nonnegative_least_squares, proportional_start, where_positive
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample
from dominoperf.laws.universal_scalability import (
    PROCESSORS,
    SCALE,
    amdahl_inverse,
    capacity_at_peak,
    inverse_of_rising_law,
    ratio_law,
    scaling_at_each_load,
)


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


def overhead_peak(power):
    """Return where capacity is greatest if overhead grows with a power above 1, as a function of the parameters.

    ``N = ((power/overhead - 1) / (power - 1))^(1/power)``; 1 where capacity falls from the first processor on, infinite
    without overhead.
    """

    def peak(scale, overhead):
        beyond_one = lambda share: (power / share - 1) / (power - 1) - 1  # noqa: E731
        at = lambda share: where_positive(beyond_one(share), lambda more: (1 + more) ** (1 / power), 1.0)  # noqa: E731
        return where_positive(overhead, at, np.inf)

    return peak


def saturation(load, scale, overhead):
    """In proportion at first, then a fixed capacity: ``X = scale N / (1 + overhead (N^4 - 1))^(1/4)``.

    The asymptotic bound ``min(scale N, limit)`` (Lazowska and others, Quantitative System Performance, 1984) with its
    corner rounded; the power 4 is a choice of ours. From N = 1 on.

    >>> saturation(2, 100, 1.0)  # the limit is reached by the first: 200 / 16^(1/4)
    100.0
    """
    return scale * load / (1 + overhead * (load**4 - 1)) ** (1 / 4)


def saturation_jacobian(load, scale, overhead):
    """Return the derivatives by the scale, ``X / scale``, and by the overhead, ``-X (N^4 - 1) / (4 D)``."""
    term = load**4 - 1
    below = 1 + overhead * term
    unscaled = load * below ** (-1 / 4)
    return unscaled, -scale * unscaled * term / (4 * below)


def saturation_inverse(capacity, scale, overhead):
    """Load for a capacity below the limit ``scale / overhead^(1/4)``; NaN from there on."""
    room = (scale / capacity) ** 4 - overhead
    return where_positive(room, lambda positive: ((1 - overhead) / positive) ** (1 / 4))


def saturation_limit(scale, overhead):
    """Return the capacity of any load: ``scale / overhead^(1/4)``, infinite without overhead."""
    return where_positive(overhead, lambda share: scale / share ** (1 / 4), np.inf)


def _saturation_guess(load, capacity, held):
    """(N/X)^4 is linear in N^4."""
    z = (load / capacity) ** 4
    base, slope = nonnegative_least_squares([1.0, load**4 - 1], z, 1 / z**2)
    return (slope / base,)


_OVERHEAD = Param("overhead", "overhead as a share of the work, times its term", "1", 0.0, np.inf)
_LIMIT = Param("overhead", "(scale / limit)^4", "1", 0.0, 1.0)
_ABOUT = {
    "family": "overhead",
    "source": "elementary: the form of Amdahl, 1967, and Gunther, 1993, with another term; a choice of ours for "
    "forecasts",
    "equation": "elementary: the integral of N^(p - 1) from 1 to N, as the overhead of linear scaling",
    "limits": "from N = 1 on; a form for forecasts near the points, with no mechanism behind it",
}


def _overhead_inverse_and_peak(function, power):
    """The inverse up to the peak, and the peak, of a law whose overhead grows with a power above 1."""
    peak = overhead_peak(power)
    return {"inverse": inverse_of_rising_law(function, high=peak), "derived": capacity_at_peak(function, peak)}


OVERHEAD_LOG = ratio_law(
    overhead_log, (_OVERHEAD,), name="overhead_log", title="Overhead that grows with the logarithm",
    formula="X = scale N / (1 + overhead ln N)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \ln N}",
    example=(PROCESSORS, (100, 0.3)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(np.e, (100, 0.5), "181.22", "by hand: ln e is 1, so 100 e / 1.5"),
    inverse=inverse_of_rising_law(
        overhead_log, low=lambda scale, overhead: where_positive(overhead, lambda share: np.exp(1 - 1 / share), 0.0)
    ),  # it falls below that
    **_ABOUT,
)  # fmt: skip

OVERHEAD_ROOT = ratio_law(
    overhead_root, (_OVERHEAD,), name="overhead_root", title="Overhead that grows with the square root",
    formula="X = scale N / (1 + overhead (N^0.5 - 1) / 0.5)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \frac{N^{0.5} - 1}{0.5}}",
    example=(PROCESSORS, (100, 0.3)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(16, (100, 0.1), "1000", "by hand: 1600 / (1 + 0.1 x 3 / 0.5)"),
    inverse=inverse_of_rising_law(
        overhead_root, low=lambda scale, overhead: where_positive(2 * overhead - 1, lambda z: (z / overhead) ** 2, 0.0)
    ),  # it falls below that
    **_ABOUT,
)  # fmt: skip

OVERHEAD_LINEAR = ratio_law(
    overhead_linear, (_OVERHEAD,), name="overhead_linear",
    title="Overhead that grows linearly: Amdahl's law whose share may pass 1",
    formula="X = scale N / (1 + overhead (N - 1))",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \left( N - 1 \right)}",
    example=(PROCESSORS, (100, 0.2)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(4, (100, 0.2), "250", "by hand: 400 / (1 + 0.2 x 3)"),
    inverse=amdahl_inverse, same_as="amdahl", **_ABOUT,
)  # fmt: skip

OVERHEAD_THREE_HALVES = ratio_law(
    overhead_three_halves, (_OVERHEAD,), name="overhead_three_halves", title="Overhead that grows with the power 3/2",
    formula="X = scale N / (1 + overhead (N^1.5 - 1) / 1.5)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \frac{N^{1.5} - 1}{1.5}}",
    example=(PROCESSORS, (100, 0.03)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(4, (100, 0.3), "166.67", "by hand: 400 / (1 + 0.3 x 7 / 1.5)"),
    **_overhead_inverse_and_peak(overhead_three_halves, 1.5), **_ABOUT,
)  # fmt: skip

OVERHEAD_SQUARE = ratio_law(
    overhead_square, (_OVERHEAD,), name="overhead_square", title="Overhead that grows with the square",
    formula="X = scale N / (1 + overhead (N^2 - 1) / 2)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \frac{N^{2} - 1}{2}}",
    example=(PROCESSORS, (100, 0.01)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(4, (100, 0.08), "250", "by hand: 400 / (1 + 0.08 x 15 / 2)"),
    **_overhead_inverse_and_peak(overhead_square, 2), **_ABOUT,
)  # fmt: skip

OVERHEAD_FIVE_HALVES = ratio_law(
    overhead_five_halves, (_OVERHEAD,), name="overhead_five_halves", title="Overhead that grows with the power 5/2",
    formula="X = scale N / (1 + overhead (N^2.5 - 1) / 2.5)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \frac{N^{2.5} - 1}{2.5}}",
    example=(PROCESSORS, (100, 0.005)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(4, (100, 0.05), "246.91", "by hand: 400 / (1 + 0.05 x 31 / 2.5)"),
    **_overhead_inverse_and_peak(overhead_five_halves, 2.5), **_ABOUT,
)  # fmt: skip

OVERHEAD_CUBE = ratio_law(
    overhead_cube, (_OVERHEAD,), name="overhead_cube", title="Overhead that grows with the cube",
    formula="X = scale N / (1 + overhead (N^3 - 1) / 3)",
    latex=r"X = \frac{\text{scale} \, N}{1 + \text{overhead} \, \frac{N^{3} - 1}{3}}",
    example=(PROCESSORS, (100, 0.001)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(4, (100, 0.05), "195.12", "by hand: 400 / (1 + 0.05 x 63 / 3)"),
    **_overhead_inverse_and_peak(overhead_cube, 3), **_ABOUT,
)  # fmt: skip

SATURATION = Law(
    name="saturation",
    family="overhead",
    title="A fixed capacity, reached and kept",
    formula="X = scale N / (1 + overhead (N^4 - 1))^(1/4)",
    latex=r"X = \frac{\text{scale} \, N}{\left( 1 + \text{overhead} \, \left( N^{4} - 1 \right) \right)^{\frac{1}{4}}}",
    function=saturation,
    params=(SCALE, _LIMIT),
    example=(PROCESSORS, (100, 0.01)),
    start=proportional_start(saturation, (SCALE, _LIMIT), _saturation_guess),
    x="processors",
    y="users",
    error="relative",
    source="the asymptotic bound of a closed network, Lazowska and others, 1984; its rounding a choice of ours",
    equation="Lazowska and others, section 5.2, for the bound min(scale N, limit); its rounded corner is in no source",
    worked=WorkedExample(2, (100, 1.0), "100", "by hand: 200 / (1 + 15)^(1/4)"),
    limits="from N = 1 on; nothing falls again",
    inverse=saturation_inverse,
    derived=(
        *scaling_at_each_load(saturation),
        Quantity("limit", "capacity of any load", "{y}", saturation_limit),
    ),
    reduces=("linear", "overhead", 0.0),
    jacobian=saturation_jacobian,
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
