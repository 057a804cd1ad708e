"""A papermill engine: a notebook runs in one process of its own, which is ended when it takes too much.

Starting Python and importing libraries is most of what a small notebook takes. Where many notebooks run, the fork
server of `multiprocessing` does both once (`dominoperf.reports.preloaded`), and each process is a fork of it with its
own memory. Where a fork is not safe, or the server has ended, a new Python starts.
"""

import contextlib
import json
import multiprocessing
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import forkserver
from pathlib import Path

from nbclient.exceptions import CellExecutionError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines

from dominoperf import parallel
from dominoperf.errors import ReportFailed
from dominoperf.reports import worker
from dominoperf.reports.running import LOOK, MEMORY

ENGINE = "dominoperf"  # papermill's name for the engine below
_FORK = "notebook"  # the name of a process that is a fork
_NOTEBOOKS_PER_PROCESSOR = 2  # notebooks for each processor: so few are done before the server has loaded
_LOOK_S = 0.1  # between looks at how much a cell printed and how long it takes
_START_S = 60  # for a process to be ready
_END_S = 5  # for a process to end after its last cell
_running = set()  # processes of notebooks that this process started


def start_fork_server(count, jobs):
    """Return whether `count` notebooks, `jobs` at once, run in forks; begin to load the fork server if they do.

    Only Linux forks safely what has loaded so many libraries. A user's script would be run again for each notebook.
    """
    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    again = not spec.name.endswith("__main__") if spec else file and Path(file).parent != Path(sys.executable).parent
    if (
        count <= _NOTEBOOKS_PER_PROCESSOR * jobs
        or sys.platform != "linux"
        or again
        or multiprocessing.current_process().daemon
    ):
        return False
    multiprocessing.set_forkserver_preload(["dominoperf.reports.preloaded"])
    with parallel.environment_of_new_processes():
        forkserver.ensure_running()
    return True


def end_notebook_processes():
    """End every process of a notebook at once; the threads that wait for them get an error."""
    for process in list(_running):
        process.kill()


def end_leftover_forks():
    """End the forks that are left when no thread waits for one: Python would wait for them at its end."""
    end_notebook_processes()
    for process in multiprocessing.active_children():
        if process.name == _FORK:
            process.kill()


class NotebookProcess:
    """A process that runs cells: in a fork of the server where `warm`, else in a new Python.

    It has the environment `variables`. The folder `out` gets the two files of what the cells print, which are removed
    in the end. Of a message longer than `longest` bytes the rest is not read.
    """

    def __init__(self, out, variables, *, warm, longest):
        try:
            self._process, self._cells, replies = _forked_process() if warm else _new_python_process()
        except (EOFError, ConnectionError):  # the server ended: a module is broken, or memory ran out
            self._process, self._cells, replies = _new_python_process()
        self.kill, self._lines, self._longest = self._process.kill, queue.Queue(maxsize=8), longest
        _running.add(self)

        def read():
            with replies, contextlib.suppress(OSError):
                for line in iter(lambda: replies.readline(longest), b""):
                    self._lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        for name in worker.STREAMS:
            Path(out, name).touch()
        self._streams = {name: open(Path(out, name), "rb") for name in worker.STREAMS}  # noqa: SIM115
        self.send({"variables": variables, "folder": str(Path.cwd()), "out": str(Path(out).resolve())})

    def send(self, value):
        """Send a line of JSON: the source of a cell, or None as the last."""
        with contextlib.suppress(OSError):  # it has ended: the next look tells
            self._cells.write(json.dumps(value).encode() + b"\n")
            self._cells.flush()

    def receive(self):
        """Return the next line that the process sends, or b"" where none comes soon."""
        with contextlib.suppress(queue.Empty):
            return self._lines.get(timeout=_LOOK_S)
        return b""

    def bytes_of_output(self):
        """Return how much the process has printed by now."""
        return sum(os.fstat(stream.fileno()).st_size for stream in self._streams.values())

    def printed(self):
        """Return what it printed since the last time: stream to text."""
        return {name: stream.read(self._longest).decode(errors="replace") for name, stream in self._streams.items()}

    def status(self, seconds=0):
        """Return the exit status, negative for a signal, or None where the process does not end in so many seconds."""
        if isinstance(self._process, subprocess.Popen):
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._process.wait(seconds)
            return None
        self._process.join(seconds)
        return self._process.exitcode

    def __enter__(self):
        """Return itself."""
        return self

    def __exit__(self, kind, *_):
        """End the process; give one that has run all its cells the time to end by itself."""
        self.send(None)
        if kind or self.status(_END_S) is None:
            self.kill()
            self.status(_END_S)
        _running.discard(self)
        with contextlib.suppress(OSError):
            self._cells.close()
        for stream in self._streams.values():
            stream.close()
            Path(stream.name).unlink(missing_ok=True)


def _forked_process():
    """Return a process forked from the server, with the pipe to it and the pipe from it."""
    context = multiprocessing.get_context("forkserver")
    (cells, to), (of, replies) = context.Pipe(duplex=False), context.Pipe(duplex=False)
    with cells, to, of, replies:
        process = context.Process(target=worker.run_cells_in_fork, args=(cells, replies), name=_FORK)
        process.start()
        return process, os.fdopen(os.dup(to.fileno()), "wb"), os.fdopen(os.dup(of.fileno()), "rb")


def _new_python_process():
    """Return a new Python process, with the pipe to it and the pipe from it."""
    command, pipe = [sys.executable, "-m", worker.__name__], subprocess.PIPE
    variables = os.environ | parallel.SAFE_PATH
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=variables, start_new_session=True)
    return process, process.stdin, process.stdout


class NotebookClient(PapermillNotebookClient):
    """Papermill's walk through the cells and nbclient's making of outputs, over a `NotebookProcess`, not a kernel."""

    def __init__(self, nb_man, process, notebook, limits, on_cell):
        super().__init__(nb_man)
        self._process, self._notebook, self._limits, self._on_cell = process, notebook, limits, on_cell
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

        Raises
        ------
        CellExecutionError
            When its code raises: papermill marks the cell and stops.
        ReportFailed
            When it takes too long, prints too much, or its process ends.
        """
        self._on_cell(cell_index + 1)
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
                raise self._stopped(cell, cell_index, over)
            if message.get("msg_type") == "done":
                break
            if message:
                self._put(cell, cell_index, **message)
        cell.execution_count = message["content"]["execution_count"]
        if not message["content"]["success"] and "raises-exception" not in cell.metadata.get("tags", []):
            raise CellExecutionError("", *([""] * 2))

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
            return process_died(where, status)
        else:
            expected, found = f"every cell to end within {self._limits.cell_s} s", "one still at work"
            remedy = "Make it quicker, or allow more with --timeout SECONDS."
        return ReportFailed(where, expected=expected, found=f"{found}, {begins}", remedy=remedy)


def process_died(where, status):
    """Return the error for a process that ended by itself, with this exit status."""
    names = {-number: number.name for number in signal.Signals}
    ended = f"ended by {names.get(status, f'signal {-status}')}" if status < 0 else f"exit status {status}"
    memory = ended.endswith(("SIGKILL", "SIGABRT"))  # the system's answer to a lack of it, and that of compiled code
    remedy = f"The system may have run out of memory. {MEMORY}" if memory else LOOK
    expected, found = "the notebook to run to its end", f"its process gone ({ended})"
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)


class ProcessEngine(Engine):
    """Runs a notebook in a `NotebookProcess`; papermill writes it once, however it ended, not cell by cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, *, limits, variables, warm, on_cell, input_path, **_):
        """Run the cells up to the first that fails."""
        place, nb_man.output_path = nb_man.output_path, None
        variables = os.environ | parallel.SAFE_PATH | variables
        try:
            with NotebookProcess(Path(place).parent, variables, warm=warm, longest=limits.output_bytes + 1) as process:
                client = NotebookClient(nb_man, process, Path(input_path).name, limits, on_cell)
                client.wait()
                client.papermill_execute_cells()
        finally:
            nb_man.output_path = place


papermill_engines.register(ENGINE, ProcessEngine)
