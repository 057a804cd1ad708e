"""Laws for forecasts: overhead that grows with a power of the load, and a capacity that is reached and kept.

Each is linear scaling with one term of overhead; which of them forecasts best is for the data to say, not for a theory.
`compare("overhead", ...)` sets Gunther's law and its logarithmic sister beside them.
"""

import numpy as np

from dominoperf.laws.ratio import at_each, powered, ratio_law
from dominoperf.laws.record import Law, Param, Quantity
from dominoperf.laws.solving import where_positive
from dominoperf.laws.starting import factor, level, nonnegative

_SCALE = Param("scale", "capacity of one", "{y}/{x}", 0.0, np.inf)
_SHARE = Param("overhead", "overhead as a share of the work, times its term", "1", 0.0, np.inf)
_SOURCE = "elementary: the form of Amdahl, 1967, and Gunther, 1993, with another term; a choice of ours for forecasts"
_LIMITS = "from N = 1 on; a form for forecasts near the points, with no mechanism behind it"
_KNEE = 4  # how sharply a fixed capacity is reached


def rung(name, title, power):
    """Make a law whose overhead is ``(N^power - 1) / power``, the logarithm for 0."""
    terms, words = {_SHARE: powered(power)}, f"Overhead that grows {title}"
    return ratio_law(f"overhead_{name}", "overhead", words, terms, source=_SOURCE, limits=_LIMITS)


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


def _limit(scale, overhead):
    return where_positive(overhead, lambda share: scale / share ** (1 / _KNEE), np.inf)


def _jacobian(load, scale, overhead):
    each = load**_KNEE - 1
    below = 1 + overhead * each
    value = load * below ** (-1 / _KNEE)
    return value, -scale * value * each / (_KNEE * below)


def _start(load, capacity, held):
    """(N/X)^4 is linear in N^4."""
    each = (load / capacity) ** _KNEE
    one, more = nonnegative([1.0, load**_KNEE - 1], each, 1 / each**2)
    share = held.get("overhead", np.minimum(more / one, 0.99))
    scale = held.get("scale", factor(saturation(load, 1.0, share), capacity))
    return level(capacity, scale, share)


SATURATION = Law(
    name="saturation",
    family="overhead",
    title="A fixed capacity, reached and kept",
    formula="X = scale N / (1 + overhead (N^4 - 1))^(1/4)",
    latex=r"X = \frac{\text{scale} \, N}{\left( 1 + \text{overhead} \, \left( N^{4} - 1 \right) \right)^{\frac{1}{4}}}",
    function=saturation,
    params=(_SCALE, Param("overhead", "(scale / limit)^4", "1", 0.0, 1.0)),
    start=_start,
    x="processors",
    y="users",
    error="relative",
    source="the asymptotic bound of a closed network, Lazowska and others, 1984; its rounding a choice of ours",
    limits="from N = 1 on; nothing falls again",
    inverse=saturation_inverse,
    derived=(
        *at_each(saturation),
        Quantity("limit", "capacity of any load", "{y}", _limit),
    ),
    reduces=("linear", "overhead", 0.0),
    jacobian=_jacobian,
)

LAWS = (
    rung("log", "with the logarithm", 0),
    rung("root", "with the square root", 0.5),
    rung("linear", "linearly: Amdahl's law whose share may pass 1", 1),
    rung("three_halves", "with the power 3/2", 1.5),
    rung("square", "with the square", 2),
    rung("five_halves", "with the power 5/2", 2.5),
    rung("cube", "with the cube", 3),
    SATURATION,
)
