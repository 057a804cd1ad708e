"""The process in which the cells of one notebook run: IPython's shell, and two pipes of JSON lines to its parent.

The first line that comes names the environment variables and folders; each further one is the source of a cell, and
``null`` is the end. What goes back are the messages of Jupyter (display_data, execute_result, error), ``ready``
at the start and ``done`` after each cell. Printed text, also of compiled code and of processes that a cell starts, goes
to two files: when a message arrives, all that was printed before it is in them.
"""

import gc
import io
import json
import os
import queue
import signal
import sys
import threading
import time
from pathlib import Path

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any, Type
from traitlets.config import Config

import dominoperf
from dominoperf.errors import DominoperfError
from dominoperf.reports.notebook_process import STREAMS

MATPLOTLIB_BACKEND = "module://matplotlib_inline.backend_inline"  # as ipykernel sets it


def run_cells(cells, replies):
    """Run the cells that come, until ``null`` does; end at once when the parent has ended.

    `cells` and `replies` are binary files of JSON lines.
    """
    from jupyter_client.jsonutil import json_default

    about = json.loads(cells.readline() or sys.exit(1))
    os.environ.clear()
    os.environ.update({"MPLBACKEND": MATPLOTLIB_BACKEND} | about["variables"])
    dominoperf._without_address_grammar()
    if hasattr(time, "tzset"):
        time.tzset()
    os.chdir(about["folder"])
    for number, name in enumerate(STREAMS, start=1):
        descriptor = os.open(Path(about["out"], name), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)
        stream = io.TextIOWrapper(io.FileIO(number, "w", closefd=False), "utf-8", "backslashreplace")
        setattr(sys, name, stream)

    lock = threading.Lock()

    def send(kind, **content):
        with lock:
            sys.stdout.flush()
            sys.stderr.flush()
            line = json.dumps({"msg_type": kind, "content": content}, default=json_default, ensure_ascii=False)
            replies.write(line.encode(errors="replace") + b"\n")
            replies.flush()

    waiting = queue.SimpleQueue()

    def listen():
        for line in cells:
            waiting.put(json.loads(line))
        os._exit(1)  # the parent is gone

    threading.Thread(target=listen, daemon=True).start()
    CellShell.send = staticmethod(send)
    gc.set_threshold(100_000, 10, 10)  # most of what cells make stays: to look for cycles more seldom saves a twentieth
    shell = CellShell.instance(config=Config(HistoryManager={"enabled": False}))
    send("ready")
    while (source := waiting.get()) is not None:
        result = shell.run_cell(source, store_history=True)
        error, mistake = result.error_in_exec, None
        if isinstance(error, DominoperfError):
            mistake = {name: getattr(error, name) for name in ("where", "expected", "found", "remedy")}
        send("done", execution_count=shell.execution_count - 1, success=result.success, mistake=mistake)


class CellOutputPublisher(DisplayPublisher):
    """Sends what a cell displays."""

    def publish(self, data, metadata=None, *, transient=None, update=False, **_):
        """Send a display, or what takes the place of one."""
        kind = "update_display_data" if update else "display_data"
        self.shell.send(kind, data=data, metadata=metadata or {}, transient=transient or {})

    def clear_output(self, wait=False):
        """Take back what the cell gave so far."""
        self.shell.send("clear_output", wait=wait)


class CellDisplayHook(DisplayHook):
    """Sends the value of a cell's last line."""

    def write_output_prompt(self):
        """Write none."""

    def write_format_data(self, format_dict, md_dict=None):
        """Send it."""
        self.shell.send("execute_result", data=format_dict, metadata=md_dict or {}, execution_count=self.prompt_count)

    def finish_displayhook(self):
        """Leave no line empty."""
        self._is_active = False


class CellShell(InteractiveShell):
    """IPython's shell without a terminal."""

    displayhook_class = Type(CellDisplayHook)
    display_pub_class = Type(CellOutputPublisher)
    kernel = Any(None)  # Plotly shows its figures in the notebook where the shell has this trait, else in a browser

    def enable_gui(self, gui=None):
        """Have no window."""

    def _showtraceback(self, etype, evalue, stb):
        self.send("error", ename=etype.__name__, evalue=str(evalue), traceback=stb)


def run_cells_in_fork(cells, replies):
    """Run cells in a fork of the server, with both pipes as `multiprocessing` hands them on."""
    os.setsid()  # what is typed at the terminal is not for it
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as in any Python
    sys.argv = [""]
    run_cells(os.fdopen(os.dup(cells.fileno()), "rb"), os.fdopen(os.dup(replies.fileno()), "wb"))


if __name__ == "__main__":
    pipes = [os.fdopen(os.dup(number), mode) for number, mode in ((0, "rb"), (1, "wb"))]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    run_cells(*pipes)
