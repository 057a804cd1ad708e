"""Run notebooks headlessly, those that have to run again; collect their tables, write the pages."""

from dominoperf.reports.archiving import archive
from dominoperf.reports.building import build, explain, printers
from dominoperf.reports.ledger import verify
from dominoperf.reports.notebooks import NotebookRun, runs
from dominoperf.reports.running import Limits, run_notebook
from dominoperf.reports.saving import save
from dominoperf.reports.sweeping import Sweep, sweep

__all__ = [
    "Limits",
    "NotebookRun",
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
