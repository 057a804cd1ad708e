"""The cells of a notebook in a process of its own, which is ended when one takes too much."""

import json
import signal
import time

from nbclient import NotebookClient
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from dominoperf.errors import DominoperfError, ReportFailed
from dominoperf.reports.running import LOOK, MEMORY

_START_S = 60  # for a process to be ready
_LONG_ERROR = 1000  # characters: an error's text may be as long as the data


def notebook_to_run(path, parameters):
    """Return the notebook of a file, without outputs; papermill puts parameters into a cell below the declared ones."""
    notebook = load_notebook_node(str(path))
    if parameters:
        notebook = parameterize_notebook(notebook, parameters, kernel_name="python3", language="python")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return notebook


class CellRunner(NotebookClient):
    """Runs the cells of a notebook in a `NotebookProcess`, not a kernel; nbclient makes outputs of its messages."""

    def __init__(self, notebook, name, process, limits):
        super().__init__(notebook)
        self._notebook, self._process, self._limits = name, process, limits
        self._sent = 0  # bytes of messages

    def run_cells(self, on_cell):
        """Run the cells, each after a call of `on_cell` with its number.

        `ReportFailed` where one raises an error that it is not tagged to raise, takes too long or prints too much, or
        the process ends. A cell that ends Python well (`SystemExit`) ends the notebook well.
        """
        self._wait()
        for number, cell in enumerate(self.nb.cells):
            on_cell(number + 1, len(self.nb.cells))
            if cell.cell_type != "code" or not cell.source.strip():
                continue
            done = self._run_cell(cell, number)
            if not done["success"] and "raises-exception" not in cell.metadata.get("tags", []):
                errors = [(output.ename, output.evalue) for output in cell.outputs if output.output_type == "error"]
                name, text = errors[-1] if errors else ("an error that it does not show", "")
                if name == "SystemExit" and text in ("", "0"):
                    return
                raise self._failed(number, name, text, done["mistake"])

    def _failed(self, number, name, text, mistake):
        """Return the error of a cell that raised one; a mistake of ours says itself what to do."""
        where = f"{self._notebook}, cell {number}"
        if mistake:
            ours = DominoperfError(**mistake)
            told = {"expected": ours.expected, "found": ours.found, "remedy": ours.remedy}
            error = ReportFailed(f"{ours.where} ({where})", **told, cell=number)
            error.__cause__ = ours
            return error
        found = f"{name}: {text}"
        found = (found if len(found) <= _LONG_ERROR else f"{found[:_LONG_ERROR]}…").rstrip(": ").removesuffix(".")
        expected, remedy = "the notebook to run to its end", MEMORY if name.endswith("MemoryError") else LOOK
        return ReportFailed(where, expected=expected, found=found, remedy=remedy, cell=number)

    def _wait(self):
        """Wait until the process is ready, which is no part of the time of a cell."""
        until = time.monotonic() + _START_S
        while not self._process.receive():
            status = self._process.status()
            if status is not None:
                raise process_died(self._notebook, status)
            if time.monotonic() > until:
                expected, remedy = f"its process to start within {_START_S} s", "Look what keeps the machine at work."
                raise ReportFailed(self._notebook, expected=expected, found="one still starting", remedy=remedy)

    def _run_cell(self, cell, number):
        """Run a cell, which gets its outputs; return what the process tells at its end."""
        until = time.monotonic() + self._limits.cell_s
        self.clear_before_next_output = False
        self._process.send(cell.source)
        while True:
            line = self._process.receive()
            self._sent += len(line) + bool(line) * self._limits.MESSAGE_BYTES
            over = self._sent + self._process.bytes_of_output() > self._limits.output_bytes
            message = json.loads(line) if line and not over else {}
            for name, text in ({} if over else self._process.printed()).items():
                if text:
                    self._put(cell, number, "stream", {"name": name, "text": text})
            if over or time.monotonic() > until or (not line and self._process.status() is not None):
                raise self._stopped(cell, number, over)
            if message.get("msg_type") == "done":
                cell.execution_count = message["content"]["execution_count"]
                return message["content"]
            if message:
                self._put(cell, number, **message)

    def _put(self, cell, cell_index, msg_type, content):
        """Add an output to a cell; a widget is dead on a page, and its random id would be a difference."""
        content.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        message = {"header": {"msg_type": msg_type}, "parent_header": {}, "msg_type": msg_type, "content": content}
        self.process_message(message, cell, cell_index)

    def _stopped(self, cell, cell_index, over):
        """Return the error for a cell that had to be stopped, which its first line makes known."""
        where, status = f"{self._notebook}, cell {cell_index}", self._process.status()
        lines = [line.strip() for line in cell.source.splitlines()]
        begins = f"which begins {next((line for line in lines if line and not line.startswith('#')), '')[:60]!r}"
        if over:
            expected, found = f"at most {self._limits.output_mb} MB of output from a notebook", "more by then"
            remedy = "Print less, or save it to a file; or allow more with --max-output MB."
        elif status is not None:
            return process_died(where, status, cell_index)
        else:
            expected, found = f"every cell to end within {self._limits.cell_s} s", "one still at work"
            remedy = "Make it quicker, or allow more with --timeout SECONDS."
        return ReportFailed(where, expected=expected, found=f"{found}, {begins}", remedy=remedy, cell=cell_index)


def process_died(where, status, cell=None):
    """Return the error for a process that ended by itself, with this exit status."""
    names = {-number: number.name for number in signal.Signals}
    ended = f"ended by {names.get(status, f'signal {-status}')}" if status < 0 else f"exit status {status}"
    memory = ended.endswith(("SIGKILL", "SIGABRT"))  # the system's answer to a lack of it, and that of compiled code
    remedy = f"The system may have run out of memory. {MEMORY}" if memory else LOOK
    expected, found = "the notebook to run to its end", f"its process gone ({ended})"
    return ReportFailed(where, expected=expected, found=found, remedy=remedy, cell=cell)
