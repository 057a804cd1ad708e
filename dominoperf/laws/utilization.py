"""Utilization of the processors against users: each keeps them busy a share of the time, up to saturation."""

import numpy as np

from dominoperf.laws.line import line_inverse, line_law
from dominoperf.laws.processors import linear, linear_inverse
from dominoperf.laws.record import Law, Param, Quantity
from dominoperf.laws.starting import separable

_DEMAND = Param("demand", "utilization of one user", "1/{x}", 0.0, np.inf)
_IDLE = Param("idle", "utilization without users", "1", 0.0, 1.0)
_ABOUT = {"family": "utilization", "x": "users", "y": "cpu_utilization", "y_unit": "1", "error": "constant"}
_SOURCE = "the utilization law; Denning and Buzen, Computing Surveys 10(3), 1978"


def _saturation(function):
    return Quantity("saturation", "users at which nothing is idle", "{x}", lambda *params: function(1.0, *params))


UTILIZATION_LAW = line_law(
    _DEMAND, _IDLE, name="utilization_law", title="Utilization by users", formula="U = demand users + idle",
    latex=r"U = \text{demand} \, \text{users} + \text{idle}",
    source=_SOURCE, limits="one mix of work, below saturation: leave rows above 0.95 out",
    derived=(_saturation(line_inverse),), reduces=("utilization_proportional", "idle", 0.0), **_ABOUT,
)  # fmt: skip

UTILIZATION_PROPORTIONAL = Law(
    name="utilization_proportional", title="Utilization in proportion to users", formula="U = demand users",
    latex=r"U = \text{demand} \, \text{users}",
    function=linear, params=(_DEMAND,), source=_SOURCE,
    start=separable((_DEMAND,), lambda users, given: {"demand": users}, error="constant"),
    limits="as for `utilization_law`, and nothing runs without users", inverse=linear_inverse,
    derived=(_saturation(linear_inverse),), **_ABOUT,
)  # fmt: skip

LAWS = (UTILIZATION_LAW, UTILIZATION_PROPORTIONAL)
