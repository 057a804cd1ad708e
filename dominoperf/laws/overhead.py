"""A ladder of overheads for forecasts: a fixed share of the work that grows ever faster with the number of processors.

Each rung is linear scaling with one term of overhead; which of them forecasts best is for the data to say, not for a
theory. The three-parameter laws beside them join two terms.
"""

import numpy as np

from dominoperf.laws import ratio
from dominoperf.laws.processors import COHERENCY, CONTENTION
from dominoperf.laws.ratio import ratio_law
from dominoperf.laws.record import Param

_SHARE = Param("overhead", "overhead as a share of the work, times its term", "1", 0.0, np.inf)
_SOURCE = "the form of Amdahl's and Gunther's laws with another term; a choice of ours for forecasts"
_LIMITS = "from N = 1 on; a form for forecasts near the points, with no mechanism behind it"


def rung(name, title, term):
    """Make a two-parameter law of the ladder."""
    return ratio_law(
        f"overhead_{name}", "overhead", f"Overhead that grows {title}", {_SHARE: term}, source=_SOURCE, limits=_LIMITS
    )


LAWS = (
    rung("log", "with the logarithm", ratio.LOG),
    rung("root", "with the square root", ratio.ROOT),
    rung("linear", "linearly: Amdahl's law whose share may pass 1", ratio.WAIT),
    rung("quarter", "with the power 5/4", ratio.QUARTER),
    rung("linear_log", "linearly times the logarithm", ratio.WAIT_LOG),
    rung("half", "with the power 3/2", ratio.HALF),
    rung("three_quarters", "with the power 7/4", ratio.THREE_QUARTERS),
    rung("square", "with every pair", ratio.PAIRS),
    ratio_law(
        "half_usl", "overhead", "Contention, and exchange with the power 3/2",
        {CONTENTION: ratio.WAIT, COHERENCY: ratio.HALF},
        source=_SOURCE, limits=_LIMITS, reduces=("amdahl", "coherency", 0.0),
    ),
    ratio_law(
        "log_square", "overhead", "Overhead with the logarithm, and exchange of every pair",
        {_SHARE: ratio.LOG, COHERENCY: ratio.PAIRS},
        source=_SOURCE, limits=_LIMITS, reduces=("overhead_log", "coherency", 0.0),
    ),
)  # fmt: skip
