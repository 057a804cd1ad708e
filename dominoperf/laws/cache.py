"""Capacity against the second-level cache."""

import numpy as np

from dominoperf.laws.power import power_law
from dominoperf.laws.record import Law, Param
from dominoperf.laws.solving import where_positive
from dominoperf.laws.starting import separable


def cache_time(cache, hit_time, miss_time, exponent):
    """Misses become rarer with a power of the cache: ``X = 1 / (hit_time + miss_time C^-exponent)``.

    Times of one unit of capacity; `miss_time` is that of the misses at C = 1. Exponent near 0.5 (Chow, 1974;
    Hartstein and others, 2006, ask whether it is the square root of 2 that a doubling brings), 0.3 to 0.7 by workload.
    It holds between the sizes that were run: no cache is large enough for all.
    """
    return 1 / (hit_time + miss_time * cache**-exponent)


def cache_time_inverse(capacity, hit_time, miss_time, exponent):
    """Cache for a capacity: ``C = (miss_time / (1/X - hit_time))^(1/exponent)``; none from ``1/hit_time`` on."""
    return where_positive(1 / capacity - hit_time, lambda room: (miss_time / room) ** (1 / exponent))


_TIMES = (
    Param("hit_time", "time of a unit of capacity without misses", "1/{y}", 0.0, np.inf),
    Param("miss_time", "time of its misses in a cache of 1", "{x}^exponent/{y}", 0.0, np.inf),
    Param("exponent", "how fast misses become rarer with the cache", "1", 0.0, 1.0, held=0.5),
)


def _terms(cache, given):
    return {"hit_time": 1.0, "miss_time": cache ** -given["exponent"]}


CACHE_TIME = Law(
    name="cache_time",
    family="cache",
    title="Time of hits and misses",
    formula="X = 1 / (hit_time + miss_time C^-exponent)",
    latex=r"X = \frac{1}{\text{hit_time} + \text{miss_time} \, C^{-\text{exponent}}}",
    function=cache_time,
    params=_TIMES,
    start=separable(
        _TIMES, _terms, tries=("exponent", lambda cache: np.linspace(0.1, 0.9, 9)), change=lambda capacity: 1 / capacity
    ),
    x="l2_kb",
    x_unit="KiB",
    y="users",
    error="relative",
    source="Chow, 1974; Hartstein and others, 2006",
    limits="the same processor and clock, sizes near those that were run",
    inverse=cache_time_inverse,
)

CACHE_POWER = power_law(
    Param("exponent", "percent of capacity for a percent of cache", "1", 0.0, 1.0),
    name="cache_power", family="cache", title="Power of the cache", formula="X = scale C^exponent",
    latex=r"X = \text{scale} \, C^{\text{exponent}}",
    x="l2_kb", x_unit="KiB", y="users", source="elementary: a straight line of ln X on ln C",
    limits="the same processor and clock; two points leave no error to judge by",
)  # fmt: skip

LAWS = (CACHE_TIME, CACHE_POWER)
