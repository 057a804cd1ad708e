"""The process in which the cells of a notebook run.

Starting Python and importing libraries is most of what a small notebook takes. Where many notebooks run, the fork
server of `multiprocessing` does both once (`dominoperf.reports.preloaded`), and each process is a fork of it with its
own memory. Where a fork is not safe, or the server has ended, a new Python starts; the first ones may do so while
their parent still imports papermill.
"""

import _imp
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
from concurrent import futures
from multiprocessing import forkserver, resource_tracker
from pathlib import Path

from dominoperf import parallel

STREAMS = ("stdout", "stderr")
_WORKER = "dominoperf.reports.worker"
_FORK = "notebook"  # the name of a process that is a fork
_NOTEBOOKS_PER_PROCESSOR = 2  # so few for each processor are done before the server has loaded
_LOOK_S = 0.1  # between looks at what a process sent
_END_S = 5  # for a process to end after its last cell
_running = set()  # processes of notebooks that this process started
_started_ahead = []  # new Pythons that wait for a notebook
_library_of_server = {}  # the file of each module that it may have loaded, and when that was written


@contextlib.contextmanager
def notebook_threads(count, jobs):
    """Give threads that run `count` notebooks, `jobs` at once, each in a process of its own.

    It gives a function that submits a call to them, and whether notebooks run in forks. When the work ends early, all
    processes end at once.
    """
    warm = start_fork_server(count, jobs)
    if not warm:
        start_ahead(min(count, jobs))
    at_work = set()
    try:
        with futures.ThreadPoolExecutor(jobs) as pool:

            def submit(function, *arguments, **how):
                at_work.add(future := pool.submit(function, *arguments, **how))
                future.add_done_callback(at_work.discard)
                return future

            try:
                yield submit, warm
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                while at_work:  # a process may be about to start
                    with contextlib.suppress(RuntimeError):  # not held
                        _imp.release_lock()  # a signal within an import may leave it held, and the threads wait for it
                    end_notebook_processes()
                    time.sleep(_LOOK_S)
                end_leftover_forks()
                raise
    finally:
        end_started_ahead()


def start_fork_server(count, jobs):
    """Return whether `count` notebooks, `jobs` at once, run in forks; begin to load the fork server if they do.

    A few notebooks are done before a server has loaded, unless one has by now. Only Linux forks safely what has loaded
    so many libraries. A user's script would be run again for each notebook. A server that loaded the library before it
    was changed would run the old one.
    """
    from dominoperf.reports.cache import library_files

    main = sys.modules["__main__"]
    spec, file = getattr(main, "__spec__", None), getattr(main, "__file__", None)
    again = not spec.name.endswith("__main__") if spec else file and Path(file).parent != Path(sys.executable).parent
    if (
        (count <= _NOTEBOOKS_PER_PROCESSOR * jobs and not _library_of_server)
        or sys.platform != "linux"
        or again
        or multiprocessing.current_process().daemon
    ):
        return False
    library = {path: path.stat().st_mtime_ns for path in library_files()}
    if (_library_of_server or library) != library:
        return False
    _library_of_server.update(library)
    multiprocessing.set_forkserver_preload(["dominoperf.reports.preloaded"])
    with parallel.environment_of_new_processes():
        resource_tracker.ensure_running()  # which the server would start, and unblock the signal
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # unblocked in `preloaded`
        try:
            forkserver.ensure_running()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return True


def start_ahead(count):
    """Start new Pythons for `count` notebooks, which load IPython until the first cell comes."""
    _started_ahead.extend(_new_python_process() for _ in range(count))


def end_started_ahead():
    """End the Pythons for which no notebook came."""
    while _started_ahead:
        process, cells, replies = _started_ahead.pop()
        process.kill()
        process.wait()
        cells.close()
        replies.close()


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
            self._process, self._cells, replies = _forked_process() if warm else _started_ahead.pop()
        except (EOFError, ConnectionError, IndexError):  # the server ended, or no Python was started ahead
            self._process, self._cells, replies = _new_python_process()
        self.kill, self._lines, self._longest = self._process.kill, queue.Queue(maxsize=8), longest
        _running.add(self)

        def read():
            with replies, contextlib.suppress(OSError):
                for line in iter(lambda: replies.readline(longest), b""):
                    self._lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        for name in STREAMS:
            Path(out, name).touch()
        self._streams = {name: open(Path(out, name), "rb") for name in STREAMS}  # noqa: SIM115
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
    from dominoperf.reports import worker  # IPython

    context = multiprocessing.get_context("forkserver")
    (cells, to), (of, replies) = context.Pipe(duplex=False), context.Pipe(duplex=False)
    with cells, to, of, replies:
        process = context.Process(target=worker.run_cells_in_fork, args=(cells, replies), name=_FORK)
        process.start()
        return process, os.fdopen(os.dup(to.fileno()), "wb"), os.fdopen(os.dup(of.fileno()), "rb")


def _new_python_process():
    """Return a new Python process, with the pipe to it and the pipe from it."""
    command, pipe = [sys.executable, "-m", _WORKER], subprocess.PIPE
    variables = os.environ | parallel.SAFE_PATH
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=variables, start_new_session=True)
    return process, process.stdin, process.stdout
