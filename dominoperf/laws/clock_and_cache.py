"""Capacity against the clock of the processors, and against their second-level cache."""

import numpy as np

from dominoperf.laws.elementary import power_law
from dominoperf.laws.numerics import defined_where, separable_start
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample


def clock_time(clock, memory_time, core_cycles):
    """Only the core's part of the time follows the clock: ``X = 1 / (memory_time + core_cycles / f)``."""
    return 1 / (memory_time + core_cycles / clock)


@defined_where(lambda capacity, memory_time, core_cycles: (memory_time < 1 / capacity) & (core_cycles > 0))
def clock_time_inverse(capacity, memory_time, core_cycles):
    """Clock for a capacity: ``f = core_cycles / (1/X - memory_time)``; none from ``1/memory_time`` on."""
    return core_cycles / (1 / capacity - memory_time)


@defined_where(lambda memory_time, core_cycles: memory_time > 0, otherwise=np.inf)
def clock_limit(memory_time, core_cycles):
    """Return the capacity of any clock: ``1 / memory_time``, infinite where memory takes no time."""
    return 1 / memory_time


_CLOCKS, _CACHES = (100, 133, 166, 200, 300), (128, 256, 512, 1024, 2048)  # of the examples
_TIMES = (
    Param("memory_time", "time of a unit of capacity that the clock does not change", "1/{y}", 0.0, np.inf),
    Param("core_cycles", "cycles of a unit of capacity", "{x}/{y}", 0.0, np.inf),
)

CLOCK_TIME = Law(
    name="clock_time",
    family="clock",
    title="Time of the core and of memory",
    formula="X = 1 / (memory_time + core_cycles / f)",
    example=(_CLOCKS, (2e-4, 0.2)),
    function=clock_time,
    params=_TIMES,
    start=separable_start(clock_time, _TIMES, ("memory_time", "core_cycles"), change=np.reciprocal),
    x="clock_mhz",
    x_unit="MHz",
    y="users",
    error="relative",
    source="the iron law; Hennessy and Patterson, Computer Architecture: A Quantitative Approach, 1990",
    equation="without a number: its processor performance equation, time = cycles / clock; the cycles of memory are "
    "split off as a time of their own",
    worked=WorkedExample(200, (0.001, 0.2), "500", "by hand: 1 / (0.001 + 0.2 / 200)"),
    limits="the same processor, cache and memory at every clock",
    inverse=clock_time_inverse,
    derived=(
        Quantity("limit", "capacity at any clock", "{y}", clock_limit),
        Quantity(
            "core_share", "share of the time that follows the clock", "1",
            lambda clock, memory_time, core_cycles: core_cycles / (core_cycles + memory_time * clock), at_x=True,
        ),
    ),
)  # fmt: skip

CLOCK_POWER = power_law(
    Param("exponent", "percent of capacity for a percent of clock", "1", 0.0, 1.0),
    name="clock_power", family="clock", title="Power of the clock", formula="X = scale f^exponent", x="clock_mhz",
    x_unit="MHz", y="users", source="elementary: a straight line of ln X on ln f",
    equation="elementary: its slope is the exponent",
    worked=WorkedExample(100, (5, 0.5), "50", "by hand: 5 times the root of 100"),
    limits="the same processor, cache and memory; an exponent above 1 is a sign that something else changed",
    reduces=("linear", "exponent", 1.0), example=(_CLOCKS, (5, 0.9)),
)  # fmt: skip


def cache_time(cache, hit_time, miss_time, exponent):
    """Misses become rarer with a power of the cache: ``X = 1 / (hit_time + miss_time C^-exponent)``.

    Times of one unit of capacity; `miss_time` is that of the misses at C = 1. Exponent near 0.5 (Chow, 1974;
    Hartstein and others, 2006, ask whether it is the square root of 2 that a doubling brings), 0.3 to 0.7 by workload.
    """
    return 1 / (hit_time + miss_time * cache**-exponent)


@defined_where(lambda capacity, hit_time, miss_time, exponent: (hit_time < 1 / capacity) & (miss_time * exponent > 0))
def cache_time_inverse(capacity, hit_time, miss_time, exponent):
    """Cache for a capacity: ``C = (miss_time / (1/X - hit_time))^(1/exponent)``; none from ``1/hit_time`` on."""
    return (miss_time / (1 / capacity - hit_time)) ** (1 / exponent)


_CACHE_TIMES = (
    Param("hit_time", "time of a unit of capacity without misses", "1/{y}", 0.0, np.inf),
    Param("miss_time", "time of its misses in a cache of 1", "{x}^exponent/{y}", 0.0, np.inf),
    Param("exponent", "how fast misses become rarer with the cache", "1", 0.0, 1.0, held=0.5),
)


CACHE_TIME = Law(
    name="cache_time",
    family="cache",
    title="Time of hits and misses",
    formula="X = 1 / (hit_time + miss_time C^-exponent)",
    example=(_CACHES, (3e-4, 6e-3, 0.5)),
    function=cache_time,
    params=_CACHE_TIMES,
    start=separable_start(
        cache_time,
        _CACHE_TIMES,
        ("hit_time", "miss_time"),
        tries=("exponent", lambda cache, capacity: np.linspace(0.1, 0.9, 9)),
        change=np.reciprocal,
    ),
    x="l2_kb",
    x_unit="KiB",
    y="users",
    error="relative",
    source="Chow, 1974; Hartstein and others, 2006",
    equation="without a number: the power law of misses, M = M0 C^-alpha; hits and misses each take their time",
    worked=WorkedExample(400, (0.01, 0.2, 0.5), "50", "by hand: the root of 400 is 20, so 1 / (0.01 + 0.2 / 20)"),
    limits="the same processor and clock, sizes near those that were run",
    inverse=cache_time_inverse,
)

CACHE_POWER = power_law(
    Param("exponent", "percent of capacity for a percent of cache", "1", 0.0, 1.0),
    name="cache_power", family="cache", title="Power of the cache", formula="X = scale C^exponent",
    x="l2_kb", x_unit="KiB", y="users", source="elementary: a straight line of ln X on ln C",
    equation="elementary: its slope is the exponent",
    worked=WorkedExample(400, (70, 0.5), "1400", "by hand: 70 times the root of 400"),
    limits="the same processor and clock; two points leave no error to judge by",
    example=(_CACHES, (200, 0.35)),
)  # fmt: skip

USES = {
    "clock": "users or throughput by the clock of the same processor",
    "cache": "users or throughput by the size of a cache",
}
LAWS = (CLOCK_TIME, CLOCK_POWER, CACHE_TIME, CACHE_POWER)
