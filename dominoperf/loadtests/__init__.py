"""Files of load tests to rows; ramp-up, steady window and drift of a run, and its means."""

from dominoperf.loadtests.agreement import agreement
from dominoperf.loadtests.finding import steady_state
from dominoperf.loadtests.levels import SteadyRuns, steady_means, steady_runs
from dominoperf.loadtests.means import roll_up
from dominoperf.loadtests.result import Steady
from dominoperf.loadtests.samples import read_run

__all__ = [
    "Steady",
    "SteadyRuns",
    "agreement",
    "read_run",
    "roll_up",
    "steady_means",
    "steady_runs",
    "steady_state",
]
