"""Capacity against the number of processors."""

import numpy as np

from dominoperf.laws.record import Law, Param, Quantity

_SCALE = Param("scale", "capacity of one processor", "{y}/{x}", 0.0, np.inf)
_CONTENTION = Param("contention", "serial share of the work", "1", 0.0, 1.0)


def linear(processors, scale):
    """Every processor adds the same: ``X = scale N``."""
    return scale * processors


def amdahl(processors, scale, contention):
    """A fixed share of the work is serial: ``X = scale N / (1 + contention (N - 1))``.

    `contention` is the serial share, 0 to 1. After Amdahl, AFIPS 1967. It holds for a fixed amount of work per user and
    has no maximum: where capacity falls again with more processors another law is needed.
    """
    return scale * processors / (1 + contention * (processors - 1))


def amdahl_inverse(capacity, scale, contention):
    """Processors for a capacity: ``N = X (1 - contention) / (scale - contention X)``; none at ``scale/contention``."""
    room = scale - contention * capacity
    return np.where(np.real(room) > 0, capacity * (1 - contention) / np.where(room == 0, 1, room), np.nan)


def _linear_start(processors, capacity, held):
    return (np.mean(capacity / processors, axis=0),)


def _amdahl_start(processors, capacity, held):
    """N/X is a straight line in N - 1; weights make its errors those of X."""
    slope, intercept = _line(processors - 1, processors / capacity, (capacity / processors) ** 2)
    scale = np.where(intercept > 0, 1 / np.where(intercept == 0, 1, intercept), np.max(capacity / processors, axis=0))
    return scale, np.clip(slope * scale, 0.01, 0.99)


def _line(x, y, weights):
    """Slope and intercept of the weighted least squares line through each curve."""
    total = weights.sum(0)
    x_mean, y_mean = (weights * x).sum(0) / total, (weights * y).sum(0) / total
    slope = (weights * (x - x_mean) * (y - y_mean)).sum(0) / (weights * (x - x_mean) ** 2).sum(0)
    return slope, y_mean - slope * x_mean


EFFICIENCY = Quantity(
    "efficiency", "capacity per processor, as a share of that of one", "1",
    lambda processors, scale, *rest: amdahl(processors, scale, *rest) / (scale * processors), at_x=True,
)  # fmt: skip

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
    source="the definition of perfect scaling",
    limits="no contention at all",
    inverse=lambda capacity, scale: capacity / scale,
)

AMDAHL = Law(
    name="amdahl",
    family="processors",
    title="Amdahl's law",
    formula="X = scale N / (1 + contention (N - 1))",
    function=amdahl,
    params=(_SCALE, _CONTENTION),
    start=_amdahl_start,
    x="processors",
    y="users",
    error="relative",
    source="Amdahl, AFIPS 1967",
    limits="a fixed amount of work per user; no maximum",
    inverse=amdahl_inverse,
    derived=(EFFICIENCY, Quantity("limit", "capacity of any number of processors", "{y}", lambda scale, contention: scale / contention)),
    reduces=("linear", "contention", 0.0),
)  # fmt: skip
