"""Capacity against the clock of the processors."""

import numpy as np

from dominoperf.laws.power import power_law
from dominoperf.laws.record import Law, Param, Quantity
from dominoperf.laws.solving import where_positive
from dominoperf.laws.starting import separable


def clock_time(clock, memory_time, core_cycles):
    """Only the core's part of the time follows the clock: ``X = 1 / (memory_time + core_cycles / f)``.

    Both in the time of one unit of capacity: as a share of the machine where X is users and f MHz. The iron law of
    Hennessy and Patterson, Computer Architecture, 1990. It holds while memory and cache keep their speed.
    """
    return 1 / (memory_time + core_cycles / clock)


def clock_time_inverse(capacity, memory_time, core_cycles):
    """Clock for a capacity: ``f = core_cycles / (1/X - memory_time)``; none from ``1/memory_time`` on."""
    return where_positive(1 / capacity - memory_time, lambda room: core_cycles / room)


def _limit(memory_time, core_cycles):
    return where_positive(memory_time, lambda time: 1 / time, np.inf)


_TIMES = (
    Param("memory_time", "time of a unit of capacity that the clock does not change", "1/{y}", 0.0, np.inf),
    Param("core_cycles", "cycles of a unit of capacity", "{x}/{y}", 0.0, np.inf),
)

CLOCK_TIME = Law(
    name="clock_time",
    family="clock",
    title="Time of the core and of memory",
    formula="X = 1 / (memory_time + core_cycles / f)",
    latex=r"X = \frac{1}{\text{memory_time} + \frac{\text{core_cycles}}{f}}",
    function=clock_time,
    params=_TIMES,
    start=separable(
        _TIMES, lambda f, given: {"memory_time": 1.0, "core_cycles": 1 / f}, change=lambda capacity: 1 / capacity
    ),
    x="clock_mhz",
    x_unit="MHz",
    y="users",
    error="relative",
    source="the iron law; Hennessy and Patterson, Computer Architecture: A Quantitative Approach, 1990",
    limits="the same processor, cache and memory at every clock",
    inverse=clock_time_inverse,
    derived=(
        Quantity("limit", "capacity at any clock", "{y}", _limit),
        Quantity(
            "core_share", "share of the time that follows the clock", "1",
            lambda clock, memory_time, core_cycles: core_cycles / (core_cycles + memory_time * clock), at_x=True,
        ),
    ),
)  # fmt: skip

CLOCK_POWER = power_law(
    Param("exponent", "percent of capacity for a percent of clock", "1", 0.0, 1.0),
    name="clock_power", family="clock", title="Power of the clock", formula="X = scale f^exponent", x="clock_mhz",
    latex=r"X = \text{scale} \, f^{\text{exponent}}",
    x_unit="MHz", y="users", source="elementary: a straight line of ln X on ln f",
    limits="the same processor, cache and memory; an exponent above 1 is a sign that something else changed",
    reduces=("linear", "exponent", 1.0),
)  # fmt: skip

LAWS = (CLOCK_TIME, CLOCK_POWER)
