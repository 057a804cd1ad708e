"""Papermill's client of a kernel, with limits: it stops a notebook that takes too long or prints too much.

It looks at the kernel through its manager alone, and so serves however the kernel was started. A kernel that the system
ended can leave no word itself: what happened is told from here, by notebook and cell.
"""

import asyncio
import logging
import signal
from functools import partial
from pathlib import Path

import zmq
from jupyter_core.utils import run_sync
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines
from traitlets import Any, Instance, Unicode

from dominoperf.errors import ReportFailed
from dominoperf.reports.running import LOOK, MEMORY, Limits

ENGINE = "dominoperf"  # papermill's name for what is below
_KINDS = {"stream", "display_data", "execute_result", "update_display_data", "error"}
_ESCAPED = 2  # times as long may a text be in a message, where line feeds are two characters
_LATE_S = 60  # for the rest of a cell's output to come, after the cell has ended
_QUIET = logging.getLogger(__name__)  # what nbclient would log we tell ourselves
_QUIET.addHandler(logging.NullHandler())


class Client(PapermillNotebookClient):
    """Runs the cells; what it counts and sees is of this notebook alone."""

    limits = Instance(Limits)
    notebook = Unicode()  # its name, for messages
    turn = Any()  # a context manager, in which its cells are run

    def __init__(self, *args, **settings):
        """Begin with nothing printed."""
        super().__init__(*args, **settings)
        self._printed, self._cut = 0, None

    def create_kernel_manager(self):
        """Cut off a kernel that sends more at once than may come in all: it would be in memory before it is counted."""
        manager = super().create_kernel_manager()
        manager.client = partial(_capped, manager.client, _ESCAPED * self.limits.output_bytes)
        return manager

    async def async_start_new_kernel_client(self):
        """Listen, too, for the connection being cut."""
        client = await super().async_start_new_kernel_client()
        self._cut = client.iopub_channel.socket.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        return client

    start_new_kernel_client = run_sync(async_start_new_kernel_client)

    def papermill_execute_cells(self):
        """Run all cells once it is this notebook's turn: kernels come up and end while others are at work."""
        with self.turn:
            super().papermill_execute_cells()

    async def async_execute_cell(self, cell, cell_index, *args, **how):
        """Run a cell; say which it was that had to be stopped, and why."""
        before = asyncio.all_tasks()
        try:
            done = await super().async_execute_cell(cell, cell_index, *args, **how)
            if await self._is_too_much():
                raise DeadKernelError
            return done
        except (CellTimeoutError, DeadKernelError) as error:
            self.shutdown_kernel = "immediate"  # it may not listen any more
            left = asyncio.all_tasks() - before  # nbclient lets them wait for a kernel that it gave up
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
            raise await self._stopped(error, f"{self.notebook}, cell {cell_index}", cell.source) from error

    execute_cell = run_sync(async_execute_cell)

    def process_message(self, msg, cell, cell_index):
        """Count an output, and drop it when there were too many; a widget is dead on a page, and its random id news."""
        if msg["msg_type"] in _KINDS:
            self._printed += self.limits.MESSAGE_BYTES + _size(msg["content"])
            if self._printed > self.limits.output_bytes:
                return None
        msg["content"].get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        return super().process_message(msg, cell, cell_index)

    async def _async_check_alive(self):
        """Stop waiting for a kernel that is dead or printed too much: asked every second while a cell is at work."""
        too_much = await self._is_too_much()
        await super()._async_check_alive()  # first: a dead kernel is cut off too
        if too_much:
            raise DeadKernelError

    async def _is_too_much(self):
        return self._printed > self.limits.output_bytes or bool(self._cut and await self._cut.poll(0))

    async def _stopped(self, error, where, source):
        """The error for a cell that had to be stopped; it is known by the line that it begins with."""
        lines = [line.strip() for line in source.splitlines()]
        cell = f"which begins {next((line for line in lines if line and not line.startswith('#')), '')[:60]!r}"
        status = await self.km.provisioner.poll() if self.km.provisioner else None
        too_much = status is None and await self._is_too_much()
        if status is not None or (isinstance(error, DeadKernelError) and not too_much):
            return died(where, status)
        if too_much:
            expected, found = f"at most {self.limits.output_mb} MB of output from a notebook", f"more by then, {cell}"
            remedy = "Print less, or save it to a file; or allow more with --max-output MB."
        elif "IOPub" in str(error):  # of nbclient: the output did not come to its end
            expected, found = "the cell's output", f"some of it lost, {cell}"
            remedy = "Print less, or in larger pieces."
        else:
            expected, found = f"every cell to end within {self.limits.cell_s} s", f"one still at work, {cell}"
            remedy = "Make it quicker, or allow more with --timeout SECONDS."
        return ReportFailed(where, expected=expected, found=found, remedy=remedy)


def died(where, status):
    """Return the error for a kernel that ended by itself, with the exit status that the system told, if it did."""
    named = {-number: number.name for number in signal.Signals}
    signalled = status is not None and status < 0
    ended = f"ended by {named.get(status, f'signal {-status}')}" if signalled else f"exit status {status}"
    memory = ended.endswith(("SIGKILL", "SIGABRT"))  # the system's answer to a lack of it, and that of compiled code
    found = "its kernel gone" if status is None else f"its kernel gone ({ended})"
    remedy = f"The system may have run out of memory. {MEMORY}" if memory else LOOK
    return ReportFailed(where, expected="the notebook to run to its end", found=found, remedy=remedy)


class _Engine(NBClientEngine):
    """Papermill's way to choose a client; the notebook is written once, however it ended, not after every cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, kernel_name, *, limits, turn, input_path, start_timeout=60, **settings):
        named = {"kernel_name": kernel_name, "notebook": Path(input_path).name, "log": _QUIET}
        times = {"timeout": limits.cell_s, "startup_timeout": start_timeout, "iopub_timeout": _LATE_S}
        place, nb_man.output_path = nb_man.output_path, None
        try:
            return Client(nb_man, limits=limits, turn=turn, **named, **times, **settings).execute()
        finally:
            nb_man.output_path = place


def _capped(make, longest, **settings):
    """A kernel's client whose connection is cut by a message longer than that; set before it has any."""
    made = make(**settings)
    made.context.setsockopt(zmq.MAXMSGSIZE, longest)
    return made


def _size(value):
    """Bytes of the texts in a message, nearly."""
    if isinstance(value, dict):
        return sum(map(_size, value.values()))
    return sum(map(_size, value)) if isinstance(value, list) else len(value) if isinstance(value, str) else 0


papermill_engines.register(ENGINE, _Engine)
