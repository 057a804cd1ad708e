"""A papermill engine: a notebook runs in one process of its own, which is ended when it takes too much."""

import json
import os
import signal
import time
from pathlib import Path

from nbclient.exceptions import CellExecutionError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines

from dominoperf import parallel
from dominoperf.errors import DominoperfError, ReportFailed
from dominoperf.reports.notebook_process import NotebookProcess
from dominoperf.reports.running import LOOK, MEMORY

ENGINE = "dominoperf"  # papermill's name for the engine below
_START_S = 60  # for a process to be ready


class NotebookClient(PapermillNotebookClient):
    """Papermill's walk through the cells and nbclient's making of outputs, over a `NotebookProcess`, not a kernel."""

    def __init__(self, nb_man, process, notebook, limits, number_of_cell, on_cell, on_mistake):
        super().__init__(nb_man)
        self._process, self._notebook, self._limits = process, notebook, limits
        self._number_of_cell, self._on_cell, self._on_mistake = number_of_cell, on_cell, on_mistake
        self._sent = 0  # bytes of messages

    def wait(self):
        """Wait until the process is ready, which is no part of the time of a cell."""
        until = time.monotonic() + _START_S
        while not self._process.receive():
            status = self._process.status()
            if status is not None:
                raise process_died(self._notebook, status)
            if time.monotonic() > until:
                expected, remedy = f"its process to start within {_START_S} s", "Look what keeps the machine at work."
                raise ReportFailed(self._notebook, expected=expected, found="one still starting", remedy=remedy)

    def execute_cell(self, cell, cell_index, **_):
        """Run a cell.

        `CellExecutionError` where its code raises: papermill marks the cell and stops. `ReportFailed` where it takes
        too long, prints too much, or its process ends.
        """
        self._on_cell(self._number_of_cell(cell_index))
        if cell.cell_type != "code" or not cell.source.strip():
            return
        until = time.monotonic() + self._limits.cell_s
        cell.outputs, self.clear_before_next_output = [], False
        self._process.send(cell.source)
        while True:
            line = self._process.receive()
            self._sent += len(line) + bool(line) * self._limits.MESSAGE_BYTES
            over = self._sent + self._process.bytes_of_output() > self._limits.output_bytes
            message = json.loads(line) if line and not over else {}
            for name, text in ({} if over else self._process.printed()).items():
                if text:
                    self._put(cell, cell_index, "stream", {"name": name, "text": text})
            if over or time.monotonic() > until or (not line and self._process.status() is not None):
                raise self._stopped(cell, self._number_of_cell(cell_index), over)
            if message.get("msg_type") == "done":
                break
            if message:
                self._put(cell, cell_index, **message)
        cell.execution_count = message["content"]["execution_count"]
        if not message["content"]["success"] and "raises-exception" not in cell.metadata.get("tags", []):
            if message["content"]["mistake"]:
                self._on_mistake(DominoperfError(**message["content"]["mistake"]))
            raise CellExecutionError("", *([""] * 2))

    def _put(self, cell, cell_index, msg_type, content):
        """Add an output to a cell; a widget is dead on a page, and its random id would be a difference."""
        content.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        message = {"header": {"msg_type": msg_type}, "parent_header": {}, "msg_type": msg_type, "content": content}
        self.process_message(message, cell, cell_index)

    def _stopped(self, cell, number, over):
        """Return the error for a cell that had to be stopped, which its first line makes known."""
        where, status = f"{self._notebook}, cell {number}", self._process.status()
        lines = [line.strip() for line in cell.source.splitlines()]
        begins = f"which begins {next((line for line in lines if line and not line.startswith('#')), '')[:60]!r}"
        if over:
            expected, found = f"at most {self._limits.output_mb} MB of output from a notebook", "more by then"
            remedy = "Print less, or save it to a file; or allow more with --max-output MB."
        elif status is not None:
            return process_died(where, status, number)
        else:
            expected, found = f"every cell to end within {self._limits.cell_s} s", "one still at work"
            remedy = "Make it quicker, or allow more with --timeout SECONDS."
        return ReportFailed(where, expected=expected, found=f"{found}, {begins}", remedy=remedy, cell=number)


def process_died(where, status, cell=None):
    """Return the error for a process that ended by itself, with this exit status."""
    names = {-number: number.name for number in signal.Signals}
    ended = f"ended by {names.get(status, f'signal {-status}')}" if status < 0 else f"exit status {status}"
    memory = ended.endswith(("SIGKILL", "SIGABRT"))  # the system's answer to a lack of it, and that of compiled code
    remedy = f"The system may have run out of memory. {MEMORY}" if memory else LOOK
    expected, found = "the notebook to run to its end", f"its process gone ({ended})"
    return ReportFailed(where, expected=expected, found=found, remedy=remedy, cell=cell)


class ProcessEngine(Engine):
    """Runs a notebook in a `NotebookProcess`; papermill writes it once, however it ended, not cell by cell."""

    @classmethod
    def execute_managed_notebook(
        cls, nb_man, kernel_name, *, limits, variables, warm, input_path, number_of_cell, on_cell, on_mistake, **_
    ):
        """Run the cells up to the first that fails; `on_mistake` is called with an error of ours that it raised."""
        place, nb_man.output_path = nb_man.output_path, None
        variables = os.environ | parallel.SAFE_PATH | variables
        try:
            with NotebookProcess(Path(place).parent, variables, warm=warm, longest=limits.output_bytes + 1) as process:
                callbacks = number_of_cell, on_cell, on_mistake
                client = NotebookClient(nb_man, process, Path(input_path).name, limits, *callbacks)
                client.wait()
                client.papermill_execute_cells()
        finally:
            nb_man.output_path = place


papermill_engines.register(ENGINE, ProcessEngine)
