"""Response time against the number of drives, and what RAID makes of drives."""

import numpy as np

from dominoperf.errors import UnknownName
from dominoperf.laws.elementary import offset_power, offset_power_inverse, power, power_law
from dominoperf.laws.numerics import defined_where, separable_start
from dominoperf.laws.record import Law, Param, Quantity, WorkedExample

# Drive operations of a small write: data; both copies; read and write of data and of parity.
RAID_WRITES = {0: 1, 1: 2, 4: 4, 5: 4, 10: 2}


@defined_where(lambda drives, service_s, load, base_s: drives > load, otherwise=np.inf)
def spindles(drives, service_s, load, base_s):
    """Drives share a load: ``R = base_s + service_s / (1 - load / D)``, seconds; each drive an M/M/1 queue.

    `load` is the utilization that a single drive would have. Infinite where ``D <= load``.
    """
    return base_s + service_s / (1 - load / drives)


@defined_where(lambda response, service_s, load, base_s: (response > base_s + service_s) & (service_s * load > 0))
def spindles_inverse(response, service_s, load, base_s):
    """Drives for a response time: ``D = load / (1 - service_s / (R - base_s))``; none up to ``base_s + service_s``.

    Nor is there one where nothing takes service, or loads the drives.
    """
    return load / (1 - service_s / (response - base_s))


def spindles_open(drives, service_s, load):
    """The same without a base: ``R = service_s / (1 - load / D)``."""
    return spindles(drives, service_s, load, 0.0)


def drive_hyperbola(drives, excess_s, base_s):
    """Work divided among drives: ``R = base_s + excess_s / D``, seconds; no queue."""
    return offset_power(drives, excess_s, 1.0, base_s)


def raid_usable(drives, level):
    """Drives' worth of space that a RAID level leaves of so many: n, n/2 for levels 1 and 10, n - 1 for 4 and 5.

    NaN where the level cannot have that number: an odd one for 1 and 10, fewer than three for 4 and 5.
    Chen and others, Computing Surveys 26(2), 1994.
    """
    drives, penalty = np.asarray(drives, float), write_penalty(level)
    if penalty == 4:
        return np.where(drives >= 3, drives - 1, np.nan)
    return np.where(drives % 2 == 0, drives / 2, np.nan) if penalty == 2 else drives


def write_penalty(level):
    """Drive operations that a small write costs: 1 (RAID 0), 2 (1 and 10), 4 (4 and 5). Chen and others, 1994."""
    if level not in RAID_WRITES:
        raise UnknownName.among("RAID level", level, RAID_WRITES)
    return RAID_WRITES[level]


def _gain_of_next_drive(function):
    """What one drive more takes off the response time, as a share of it: ``1 - R(D + 1) / R(D)``."""
    return Quantity(
        name="next_drive",
        meaning="share of the response time that one drive more takes off",
        unit="1",
        function=lambda drives, *params: 1 - function(drives + 1, *params) / function(drives, *params),
        at_x=True,
    )


_SERVICE = Param("service_s", "response time of idle drives, less the base", "s", 0.0, np.inf)
_LOAD = Param("load", "utilization that a single drive would have", "1", 0.0, 1.0)
_BASE = Param("base_s", "response time that no drive shortens", "s", 0.0, np.inf)
_EXCESS = Param("excess_s", "response time that one drive adds", "s", 0.0, np.inf)
_EXPONENT = Param("exponent", "how fast drives take it away", "1", 0.0, 4.0)
_ABOUT = {"family": "disk", "x": "drives", "y": "response_s", "y_unit": "s", "error": "relative"}
_COUNTS = (1, 2, 4, 7, 14)  # of the examples
_LOADS = ("load", lambda drives, response: 1 - np.geomspace(0.005, 0.99, 40))
_EXPONENTS = ("exponent", lambda drives, response: np.linspace(0.1, 3.9, 39))
_EQUATION = "Kleinrock, volume 1, chapter 3, M/M/1, with a utilization of load / D for each of D drives"
_SOURCE = "M/M/1, Kleinrock, Queueing Systems, 1975; the load split among the drives"


SPINDLES = Law(
    name="spindles", title="Drives that share a load", formula="R = base_s + service_s / (1 - load / D)",
    example=(_COUNTS, (58.7, 0.897, 61.4)),
    function=spindles, params=(_SERVICE, _LOAD, _BASE),
    start=separable_start(spindles, (_SERVICE, _LOAD, _BASE), ("service_s", "base_s"), tries=_LOADS),
    source=_SOURCE, equation=_EQUATION,
    limits="load below the fewest drives: at most 1 here, for series from one drive on",
    inverse=spindles_inverse, reduces=("spindles_open", "base_s", 0.0),
    worked=WorkedExample(4, (60, 0.8, 25), "100", "by hand: 25 + 60 / (1 - 0.8 / 4)"),
    derived=(_gain_of_next_drive(spindles),), **_ABOUT,
)  # fmt: skip

SPINDLES_OPEN = Law(
    name="spindles_open", title="Drives that share a load, nothing else", formula="R = service_s / (1 - load / D)",
    example=(_COUNTS, (113, 0.82)),
    function=spindles_open, params=(_SERVICE, _LOAD),
    start=separable_start(spindles_open, (_SERVICE, _LOAD), ("service_s",), tries=_LOADS),
    source=_SOURCE, equation=_EQUATION, limits="as for `spindles`, and nothing but the drives takes time",
    inverse=lambda response, service_s, load: spindles_inverse(response, service_s, load, 0.0),
    worked=WorkedExample(4, (60, 0.8), "75", "by hand: 60 / (1 - 0.8 / 4)"),
    derived=(_gain_of_next_drive(spindles_open),), **_ABOUT,
)  # fmt: skip

DRIVE_OFFSET_POWER = Law(
    name="drive_offset_power", title="Power of the drives, with a base", formula="R = base_s + excess_s D^-exponent",
    example=(_COUNTS, (500, 1.5, 120)),
    function=offset_power, params=(_EXCESS, _EXPONENT, _BASE),
    start=separable_start(offset_power, (_EXCESS, _EXPONENT, _BASE), ("excess_s", "base_s"), tries=_EXPONENTS),
    source="elementary: a power above a base; a form for comparison", equation="elementary: a sum",
    worked=WorkedExample(4, (8, 0.5, 1), "5", "by hand: 1 + 8 / 2"),
    limits="no mechanism; never infinite, however few the drives",
    inverse=offset_power_inverse, reduces=("drive_hyperbola", "exponent", 1.0),
    derived=(_gain_of_next_drive(offset_power),), **_ABOUT,
)  # fmt: skip

DRIVE_HYPERBOLA = Law(
    name="drive_hyperbola", title="Work divided among drives", formula="R = base_s + excess_s / D",
    example=(_COUNTS, (500, 60)),
    function=drive_hyperbola, params=(_EXCESS, _BASE),
    start=separable_start(drive_hyperbola, (_EXCESS, _BASE), ("excess_s", "base_s")),
    source="elementary: work divided by the drives; a form for comparison", equation="elementary: a sum",
    limits="no queue", worked=WorkedExample(4, (500, 60), "185", "by hand: 60 + 500 / 4"),
    inverse=lambda response, excess_s, base_s: offset_power_inverse(response, excess_s, 1.0, base_s),
    derived=(_gain_of_next_drive(drive_hyperbola),), **_ABOUT,
)  # fmt: skip

DRIVE_POWER = power_law(
    Param("exponent", "percent of response time for a percent of drives", "1", -4.0, 0.0),
    at_one="response time of one drive", scale_unit="s", name="drive_power", title="Power of the drives",
    formula="R = scale D^exponent", source="elementary: a straight line of ln R on ln D",
    equation="elementary: its slope is the exponent",
    worked=WorkedExample(4, (600, -0.5), "300", "by hand: 600 divided by the root of 4"),
    limits="no mechanism", example=(_COUNTS, (600, -0.6)),
    derived=(_gain_of_next_drive(power),), **_ABOUT,
)  # fmt: skip

USES = {"disk": "response time by the number of drives"}
LAWS = (SPINDLES, SPINDLES_OPEN, DRIVE_OFFSET_POWER, DRIVE_HYPERBOLA, DRIVE_POWER)
