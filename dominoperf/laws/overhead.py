"""Laws of capacity for forecasts: linear scaling with one term of overhead each, and a capacity reached and kept.

Which of them forecasts best is for the data to say, not for a theory. `compare("overhead", ...)` sets the universal
scalability law and its logarithmic sister beside them; `dominoperf.laws.universal_scalability` makes the records.
"""

import numpy as np

from dominoperf.laws.numerics import defined_where, inverse_of_rising_law, nonnegative_least_squares, proportional_start
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample
from dominoperf.laws.universal_scalability import (
    PROCESSORS,
    SCALE,
    capacity_at_peak,
    ratio_law,
    scaling_at_each_load,
)


def overhead_log(load, scale, overhead):
    """Overhead that grows with the logarithm: ``X = scale N / (1 + overhead ln N)``."""
    return scale * load / (1 + overhead * np.log(load))


def overhead_power(power):
    """Return the law of overhead that grows with a power, as a function of load, scale and overhead."""

    def law(load, scale, overhead):
        """Overhead that grows with a power p: ``X = scale N / (1 + overhead (N^p - 1) / p)``."""
        return scale * load / (1 + overhead * ((load**power - 1) / power))

    return law


def overhead_peak(power):
    """Return where capacity is greatest if overhead grows with a power above 1, as a function of the parameters.

    ``N = ((power/overhead - 1) / (power - 1))^(1/power)``; 1 where capacity falls from the first processor on, infinite
    without overhead.
    """

    @defined_where(lambda scale, overhead: overhead > 0, otherwise=np.inf)
    def peak(scale, overhead):
        return np.maximum((power / overhead - 1) / (power - 1), 1) ** (1 / power)

    return peak


@defined_where(lambda scale, overhead: overhead > 0, otherwise=0.0)
def overhead_log_turn(scale, overhead):
    """Load below 1 from which on capacity rises: ``exp(1 - 1/overhead)``; 0 without overhead."""
    return np.exp(1 - 1 / overhead)


@defined_where(lambda scale, overhead: overhead > 0.5, otherwise=0.0)
def overhead_root_turn(scale, overhead):
    """Load from which on capacity rises: ``(2 - 1/overhead)^2``; 0 up to an overhead of 1/2."""
    return (2 - 1 / overhead) ** 2


def saturation(load, scale, overhead):
    """In proportion at first, then a fixed capacity: ``X = scale N / (1 + overhead (N^4 - 1))^(1/4)``.

    The asymptotic bound ``min(scale N, limit)`` with its corner rounded; the power 4 is a choice of ours.
    """
    return scale * load / (1 + overhead * (load**4.0 - 1)) ** (1 / 4)


def saturation_jacobian(load, scale, overhead):
    """Return the derivatives by the scale, ``X / scale``, and by the overhead, ``-X (N^4 - 1) / (4 D)``."""
    term = load**4.0 - 1
    below = 1 + overhead * term
    unscaled = load * below ** (-1 / 4)
    return unscaled, -scale * unscaled * term / (4 * below)


@defined_where(lambda capacity, scale, overhead: (overhead < 1) & (overhead < (scale / capacity) ** 4))
def saturation_inverse(capacity, scale, overhead):
    """Load for a capacity: ``((1 - overhead) / ((scale/X)^4 - overhead))^(1/4)``; none from the limit on."""
    return ((1 - overhead) / ((scale / capacity) ** 4 - overhead)) ** (1 / 4)


@defined_where(lambda scale, overhead: overhead > 0, otherwise=np.inf)
def saturation_limit(scale, overhead):
    """Return the capacity of any load: ``scale / overhead^(1/4)``, infinite without overhead."""
    return scale / overhead ** (1 / 4)


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


def _overhead_power_law(name, power, growth, overhead, worked, turn=None):
    """The record of `overhead_power`; capacity rises from `turn` on, or up to the peak that a power above 1 has.

    `growth` says the power in words, `overhead` is that of the example.
    """
    function = overhead_power(power)
    if turn:
        about = {"inverse": inverse_of_rising_law(function, low=turn)}
    else:
        peak = overhead_peak(power)
        about = {"inverse": inverse_of_rising_law(function, high=peak), "derived": capacity_at_peak(function, peak)}
    return ratio_law(
        function, (_OVERHEAD,), name=name, title=f"Overhead that grows with the {growth}",
        formula=f"X = scale N / (1 + overhead (N^{power:g} - 1) / {power:g})",
        example=(PROCESSORS, (100, overhead)), reduces=("linear", "overhead", 0.0), worked=worked, **about, **_ABOUT,
    )  # fmt: skip


OVERHEAD_LOG = ratio_law(
    overhead_log, (_OVERHEAD,), name="overhead_log", title="Overhead that grows with the logarithm",
    formula="X = scale N / (1 + overhead ln N)",
    example=(PROCESSORS, (100, 0.3)), reduces=("linear", "overhead", 0.0),
    worked=WorkedExample(np.e, (100, 0.5), "181.22", "by hand: ln e is 1, so 100 e / 1.5"),
    inverse=inverse_of_rising_law(overhead_log, low=overhead_log_turn),  # it falls below that
    **_ABOUT,
)  # fmt: skip

OVERHEAD_ROOT = _overhead_power_law(
    "overhead_root", 0.5, "square root", 0.3,
    WorkedExample(16, (100, 0.1), "1000", "by hand: 1600 / (1 + 0.1 x 3 / 0.5)"), turn=overhead_root_turn,
)  # fmt: skip

OVERHEAD_THREE_HALVES = _overhead_power_law(
    "overhead_three_halves", 1.5, "power 3/2", 0.03,
    WorkedExample(4, (100, 0.3), "166.67", "by hand: 400 / (1 + 0.3 x 7 / 1.5)"),
)  # fmt: skip

OVERHEAD_SQUARE = _overhead_power_law(
    "overhead_square", 2, "square", 0.01, WorkedExample(4, (100, 0.08), "250", "by hand: 400 / (1 + 0.08 x 15 / 2)")
)  # fmt: skip

OVERHEAD_FIVE_HALVES = _overhead_power_law(
    "overhead_five_halves", 2.5, "power 5/2", 0.005,
    WorkedExample(4, (100, 0.05), "246.91", "by hand: 400 / (1 + 0.05 x 31 / 2.5)"),
)  # fmt: skip

OVERHEAD_CUBE = _overhead_power_law(
    "overhead_cube", 3, "cube", 0.001, WorkedExample(4, (100, 0.05), "195.12", "by hand: 400 / (1 + 0.05 x 63 / 3)")
)  # fmt: skip

SATURATION = Law(
    name="saturation",
    family="overhead",
    title="A fixed capacity, reached and kept",
    formula="X = scale N / (1 + overhead (N^4 - 1))^(1/4)",
    function=saturation,
    params=(SCALE, _LIMIT),
    example=(PROCESSORS, (100, 0.01)),
    start=proportional_start(saturation, (SCALE, _LIMIT), _saturation_guess),
    x="processors",
    y="users",
    error="relative",
    source="the asymptotic bound of a closed network, Lazowska and others, 1984; its rounding a choice of ours",
    equation="Lazowska and others, chapter 5, for the bound min(scale N, limit); its rounded corner is in no source",
    worked=WorkedExample(2, (100, 0.2), "141.42", "by hand: 200 / (1 + 0.2 x 15)^(1/4), 4^(1/4) being the root of 2"),
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
    OVERHEAD_THREE_HALVES,
    OVERHEAD_SQUARE,
    OVERHEAD_FIVE_HALVES,
    OVERHEAD_CUBE,
    SATURATION,
)
