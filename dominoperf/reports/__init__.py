"""Run notebooks headlessly, collect their tables, write the pages."""

from dominoperf.reports.building import build
from dominoperf.reports.running import Run, run_notebook, runs, save

__all__ = ["Run", "build", "run_notebook", "runs", "save"]
