"""Files of load tests to rows; steady window, drift and means of a run; runs to a curve, two sets of runs compared."""

from dominoperf.loadtests.build_comparison import Difference, ab
from dominoperf.loadtests.change_points import change_points
from dominoperf.loadtests.load_curve import combined, curve
from dominoperf.loadtests.load_generators import notesnum
from dominoperf.loadtests.means import SteadyRuns, roll_up, steady_runs
from dominoperf.loadtests.runs_from_files import measured_runs, usable_runs
from dominoperf.loadtests.samples import read_run
from dominoperf.loadtests.window import Steady, steady_state

__all__ = [
    "Difference",
    "Steady",
    "SteadyRuns",
    "ab",
    "change_points",
    "combined",
    "curve",
    "measured_runs",
    "notesnum",
    "read_run",
    "roll_up",
    "steady_runs",
    "steady_state",
    "usable_runs",
]
