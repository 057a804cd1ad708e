"""Run notebooks headlessly, those that have to run again; collect their tables, write the pages."""

from dominoperf.reports.archiving import archive
from dominoperf.reports.building import build, explain, printers
from dominoperf.reports.notebooks import Run, runs
from dominoperf.reports.running import Limits, run_notebook, save
from dominoperf.reports.sweeping import Sweep, sweep
from dominoperf.reports.verifying import verify

__all__ = [
    "Limits",
    "Run",
    "Sweep",
    "archive",
    "build",
    "explain",
    "printers",
    "run_notebook",
    "runs",
    "save",
    "sweep",
    "verify",
]
