"""Papermill's engine as we run it: with limits, and the notebook is written once, when it has ended."""

from pathlib import Path

from papermill.engines import NBClientEngine, papermill_engines

from dominoperf.reports.client import Client

NAME = "dominoperf"
_LATE_S = 60  # for the rest of a cell's output to come, after the cell has ended


class _Engine(NBClientEngine):
    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, *, limits, input_path, start_timeout=60, **settings):
        """Execute the cells; papermill writes what became of them when this is over, however it ended."""
        named = {"kernel_name": kernel_name, "notebook": Path(input_path).name, "limits": limits}
        times = {"timeout": limits.cell_s, "startup_timeout": start_timeout, "iopub_timeout": _LATE_S}
        place, nb_man.output_path = nb_man.output_path, None
        try:
            return Client(nb_man, **named, **times, **settings).execute()
        finally:
            nb_man.output_path = place


papermill_engines.register(NAME, _Engine)
