"""Ramp-up, steady window and drift of a run, and its roll-up."""

from dominoperf.steady.agreement import agreement
from dominoperf.steady.documents import notesnum
from dominoperf.steady.finding import steady_state
from dominoperf.steady.levels import SteadyRuns, steady_means, steady_runs
from dominoperf.steady.means import roll_up
from dominoperf.steady.result import Steady
from dominoperf.steady.samples import read_run

__all__ = [
    "Steady",
    "SteadyRuns",
    "agreement",
    "notesnum",
    "read_run",
    "roll_up",
    "steady_means",
    "steady_runs",
    "steady_state",
]
