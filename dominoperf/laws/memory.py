"""Memory: how much a number of users needs, and the effect of too little on response time."""

import numpy as np

from dominoperf.laws.elementary import USERS, line_law, offset_power, offset_power_inverse
from dominoperf.laws.numerics import defined_where, fitted_slope, one_value_per_curve, separable_start
from dominoperf.laws.record import Law, Param, WorkedExample


def paging_power(memory, excess_s, exponent, reference_mb):
    """Paging where nothing else takes time: ``R = excess_s (reference_mb / M)^exponent``, seconds and MB."""
    return offset_power(memory, excess_s, exponent, 0.0, reference_mb)


def memory_knee(memory, slope, working_set, floor_s):
    """Flat once the working set fits: ``R = floor_s + slope max(0, working_set - M)``; seconds, memory as x is."""
    return floor_s + slope * np.maximum(0, working_set - memory)


@defined_where(lambda response, slope, working_set, floor_s: (response > floor_s) & (slope > 0))
def memory_knee_inverse(response, slope, working_set, floor_s):
    """Memory for a response time above the floor: ``M = working_set - (R - floor_s) / slope``."""
    return working_set - (response - floor_s) / slope


def _sizing_start(users, memory, held):
    """A straight line, of which the base may be below zero."""
    if "base" in held:
        rise = ((memory - held["base"]) * users).sum(0) / (users**2).sum(0)
    else:
        rise = fitted_slope(users, memory)
    per_user = held.get("per_user", np.maximum(rise, 1e-3 * memory.mean(0) / users.mean(0)))
    return one_value_per_curve(memory, per_user, held.get("base", (memory - per_user * users).mean(0)))


_EXCESS = Param("excess_s", "response time that paging adds at the reference", "s", 0.0, np.inf)
_EXPONENT = Param("exponent", "how fast faults become rarer with memory", "1", 0.0, 4.0)
_FLOOR = Param("floor_s", "response time without paging", "s", 0.0, np.inf)
_REFERENCE = Param("reference_mb", "memory at which the excess is stated", "MB", 0.0, np.inf, held=np.nan)
_KNEE = (
    Param("slope", "response time for each unit of memory that is missing", "s/{x}", 0.0, np.inf),
    Param("working_set", "memory from which on more does not help", "{x}", 0.0, np.inf),
    _FLOOR,
)


def _first_working_sets(memory, response):
    """Working sets to begin with, from little more than the least memory to beyond the most."""
    low, high = np.min(memory, axis=0), np.max(memory, axis=0)
    return [low + share * (high - low) for share in np.linspace(0.05, 1.5, 30)]


_WORKING_SETS = ("working_set", _first_working_sets)
_EXPONENTS = ("exponent", lambda memory, response: np.linspace(0.1, 3.9, 20))

SIZING = line_law(
    Param("per_user", "memory of one user more", "{y}/{x}", 0.0, np.inf),
    # Below zero: the line does not reach down to few users.
    Param("base", "memory without users, as far as the line goes", "{y}", -np.inf, np.inf),
    name="sizing",
    family="sizing",
    title="Memory by users",
    formula="M = per_user users + base",
    at_zero=True,
    example=(USERS, (0.64, -128)),
    start=_sizing_start,
    x="users",
    y="ram_least_mb",
    error="constant",  # what is left over is the rounding to modules, which are of one size
    source="elementary: so much for the system, and the same for every user",
    equation="elementary: a straight line",
    worked=WorkedExample(500, (0.64, -128), "192", "by hand: 0.64 x 500 - 128"),
    limits="users of one workload; published values are rounded up to modules: see `study.memory_rules`",
)

_SIZES = (128, 192, 256, 384, 512, 768)  # of the examples
_ABOUT = {"family": "memory", "x": "ram_mb", "y": "response_s", "y_unit": "s", "error": "relative"}
_PAGING = {
    **_ABOUT,
    "x_unit": "MB",
    "source": "Belady and Kuehner, CACM 12(5), 1969; Denning, CACM 11(5), 1968",
    "equation": "without a number: Belady's lifetime function, a power of the memory; response is taken as its inverse",
}

# Faults become rarer with a power of the memory, the lifetime function's exponent being 1.5 to 2.5.
PAGING = Law(
    name="paging",
    title="Response against memory, with a floor",
    formula="R = floor_s + excess_s (reference_mb / M)^exponent",
    example=(_SIZES, (1.5, 2, 0.2, 128)),
    function=offset_power,
    params=(_EXCESS, _EXPONENT, _FLOOR, _REFERENCE),
    start=separable_start(
        offset_power, (_EXCESS, _EXPONENT, _FLOOR, _REFERENCE), ("excess_s", "floor_s"), tries=_EXPONENTS
    ),
    limits="one workload at one load, while the working sets do not fit",
    inverse=offset_power_inverse,
    reduces=("paging_power", "floor_s", 0.0),
    worked=WorkedExample(256, (2.0, 2, 0.5, 128), "1", "by hand: 0.5 + 2 / 4"),
    **_PAGING,
)

PAGING_POWER = Law(
    name="paging_power",
    title="Response against memory",
    formula="R = excess_s (reference_mb / M)^exponent",
    example=(_SIZES, (1.5, 2, 128)),
    function=paging_power,
    params=(_EXCESS, _EXPONENT, _REFERENCE),
    start=separable_start(paging_power, (_EXCESS, _EXPONENT, _REFERENCE), ("excess_s",), tries=_EXPONENTS),
    limits="as for `paging`, and nothing but paging takes time",
    inverse=lambda response, excess, exponent, reference: offset_power_inverse(
        response, excess, exponent, 0.0, reference
    ),
    worked=WorkedExample(256, (2.0, 2, 128), "0.5", "by hand: 2 / 4"),
    **_PAGING,
)

MEMORY_KNEE = Law(
    name="memory_knee",
    title="Response against memory, with a knee",
    formula="R = floor_s + slope max(0, working_set - M)",
    example=(_SIZES, (0.004, 400, 0.2)),
    function=memory_knee,
    params=_KNEE,
    start=separable_start(memory_knee, _KNEE, ("slope", "floor_s"), tries=_WORKING_SETS),
    source="working sets; Denning, CACM 11(5), 1968",
    equation="without a number: the working set, in words; the straight line is in no source",
    worked=WorkedExample(256, (0.004, 356, 0.25), "0.65", "by hand: 0.25 + 0.004 x 100"),
    limits="a straight line for want of points that would show a bend; the knee lies between two points",
    inverse=memory_knee_inverse,
    **_ABOUT,
)

USES = {
    "sizing": "memory that so many users need",
    "memory": "response time by memory, while it pages",
}
LAWS = (SIZING, PAGING, PAGING_POWER, MEMORY_KNEE)
