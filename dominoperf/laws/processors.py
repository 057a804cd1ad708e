"""Capacity against the number of processors."""

import numpy as np

from dominoperf.laws.record import Law, Param

_SCALE = Param("scale", "capacity of one processor", "{y}/{x}", 0.0, np.inf)


def linear(processors, scale):
    """Every processor adds the same: ``X = scale N``."""
    return scale * np.asarray(processors, dtype=float)


def amdahl(processors, scale, contention):
    """A fixed share of the work is serial: ``X = scale N / (1 + contention (N - 1))``.

    `contention` is the serial share, 0 to 1. After Amdahl, AFIPS 1967. It holds for a fixed amount of work per user and
    has no maximum: where capacity falls again with more processors another law is needed.
    """
    count = np.asarray(processors, dtype=float)
    return scale * count / (1 + contention * (count - 1))


def _linear_start(processors, capacity):
    return (np.max(capacity / processors),)


def _amdahl_start(processors, capacity):
    """N/X is a straight line in N - 1; weights make its errors those of X."""
    slope, intercept = np.polyfit(processors - 1, processors / capacity, 1, w=capacity / processors)
    scale = 1 / intercept if intercept > 0 else np.max(capacity / processors)
    return scale, min(max(slope * scale, 0.01), 0.99)


LINEAR = Law(
    name="linear",
    family="processors",
    title="Linear scaling",
    formula="X = scale N",
    function=linear,
    params=(_SCALE,),
    start=_linear_start,
    x="processors",
    y="users",
    error="relative",
    nested="",
    source="the definition of perfect scaling",
    limits="no contention at all",
)

AMDAHL = Law(
    name="amdahl",
    family="processors",
    title="Amdahl's law",
    formula="X = scale N / (1 + contention (N - 1))",
    function=amdahl,
    params=(_SCALE, Param("contention", "serial share of the work", "1", 0.0, 1.0)),
    start=_amdahl_start,
    x="processors",
    y="users",
    error="relative",
    nested="linear",
    source="Amdahl, AFIPS 1967",
    limits="a fixed amount of work per user; no maximum",
)
