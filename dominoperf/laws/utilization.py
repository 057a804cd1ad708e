"""Utilization of the processors against users."""

import numpy as np

from dominoperf.laws.record import Law, Param, Quantity
from dominoperf.laws.starting import separable


def utilization_law(users, demand, idle):
    """Each user keeps the processors busy a share of the time: ``U = demand users + idle``, U from 0 to 1.

    `idle` is the utilization without users. The utilization law, Denning and Buzen, Computing Surveys 10(3), 1978. It
    holds up to saturation: leave rows above 0.95 out.
    """
    return demand * users + idle


def utilization_inverse(utilization, demand, idle):
    """Users at a utilization: ``(U - idle) / demand``; none below that of the idle machine."""
    there = np.real(utilization - idle) >= 0
    return np.where(there, (utilization - idle) / demand, np.nan)


def utilization_proportional(users, demand):
    """Nothing runs without users: ``U = demand users``."""
    return utilization_law(users, demand, 0.0)


_DEMAND = Param("demand", "utilization of one user", "1/{x}", 0.0, np.inf)
_IDLE = Param("idle", "utilization without users", "1", 0.0, 1.0)
_ABOUT = {"family": "utilization", "x": "users", "y": "cpu_utilization", "y_unit": "1", "error": "constant"}
_SOURCE = "the utilization law; Denning and Buzen, Computing Surveys 10(3), 1978"


def _terms(users, given):
    return {"demand": users, "idle": 1 + 0 * users}


def _saturation(function):
    return Quantity("saturation", "users at which nothing is idle", "{x}", lambda *params: function(1.0, *params))


UTILIZATION_LAW = Law(
    name="utilization_law", title="Utilization by users", formula="U = demand users + idle", function=utilization_law,
    params=(_DEMAND, _IDLE), start=separable((_DEMAND, _IDLE), _terms, error="constant"), source=_SOURCE,
    limits="one mix of work, below saturation (U up to 0.95)", inverse=utilization_inverse,
    derived=(_saturation(utilization_inverse),), reduces=("utilization_proportional", "idle", 0.0), **_ABOUT,
)  # fmt: skip

UTILIZATION_PROPORTIONAL = Law(
    name="utilization_proportional", title="Utilization in proportion to users", formula="U = demand users",
    function=utilization_proportional, params=(_DEMAND,), source=_SOURCE,
    start=separable((_DEMAND,), lambda users, given: {"demand": users}, error="constant"),
    limits="as for `utilization_law`, and nothing runs without users", inverse=lambda U, demand: U / demand,
    derived=(_saturation(lambda U, demand: U / demand),), **_ABOUT,
)  # fmt: skip

LAWS = (UTILIZATION_LAW, UTILIZATION_PROPORTIONAL)
