"""Run notebooks headlessly, those that have to run again; collect their tables, write the pages."""

from dominoperf.reports.building import build, explain
from dominoperf.reports.ledger import verify
from dominoperf.reports.progress import printers
from dominoperf.reports.running import Limits, Run, run_notebook, runs, save
from dominoperf.reports.sweeping import Sweep, sweep

__all__ = ["Limits", "Run", "Sweep", "build", "explain", "printers", "run_notebook", "runs", "save", "sweep", "verify"]
