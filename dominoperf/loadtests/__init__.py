"""Files of load tests to rows; ramp-up, steady window and drift of a run, its means; many runs to one curve."""

from dominoperf.loadtests.load_curve import curve, measured_runs
from dominoperf.loadtests.means import SteadyRuns, agreement, roll_up, steady_means, steady_runs
from dominoperf.loadtests.samples import THROUGHPUTS, read_run
from dominoperf.loadtests.window import Steady, steady_state

__all__ = [
    "THROUGHPUTS",
    "Steady",
    "SteadyRuns",
    "agreement",
    "curve",
    "measured_runs",
    "read_run",
    "roll_up",
    "steady_means",
    "steady_runs",
    "steady_state",
]
