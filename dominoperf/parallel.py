"""Map a function over items: in processes of this machine (loky, joblib's own), or on an existing Dask cluster.

Both are a `concurrent.futures.Executor`, so that one loop serves them: it has few items out at a time, and memory does
not grow with their number.
"""

import asyncio
import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent import futures
from concurrent.futures.process import BrokenProcessPool
from typing import NamedTuple

from dominoperf.errors import CannotRun, as_python, as_typed, is_whole_number

_MOST_JOBS = 1024  # processes at once: each takes some 100 MB
_AHEAD = 2  # items out for each process: one in work, one waiting for it
_TRIES = 2  # of an item whose process was lost
_IDLE_S = 300  # until an idle process ends, as in joblib
_LOOK_S = 1.0  # between looks at whether the process that started this one is there
_CONNECT_S = 10  # for a scheduler and its first worker to answer
SAFE_PATH = {"PYTHONSAFEPATH": "1"}
"""Environment of every process that we start: none looks for modules in the folder in which it starts."""
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def pmap(function: Callable, items: Iterable, jobs: int | None = None, *, scheduler: str | None = None,
         ordered: bool = False, workers: Callable | None = None) -> Iterator:  # fmt: skip
    """Yield ``function(item)`` for every item, in the order of completion or of the items.

    The answers are the same wherever they are computed, as long as the function depends on its item alone; one that
    draws random numbers seeds them by its item: ``default_rng([seed, chunk])``.

    Parameters
    ----------
    function : callable
        Importable by name, so that another process can find it.
    items : iterable
        One argument each, asked for as they are needed.
    jobs : int, optional
        Processes at once, 1,024 at most; by default one per processor, and on a cluster all that it has. One job runs
        here, without a second process.
    scheduler : str, optional
        Address of the scheduler of a Dask cluster: ``tcp://host:port``. Its workers need this package, and see files
        where they lie on this machine only if they share them.
    ordered : bool
        Whether results come in the order of the items; those that are early wait.
    workers : callable, optional
        What works on this machine in place of processes: given a number of jobs, a context that gives a function to
        submit calls with, as an executor has it, how many items to have out at a time, and the errors that tell that a
        worker was lost.

    Raises
    ------
    CannotRun
        When `jobs` or `scheduler` cannot be, the cluster cannot be used, or the process of an item was lost again: what
        a process that was killed had in work is done once more by another, on a cluster as often as its scheduler
        allows.
    """
    if not (jobs is None or (is_whole_number(jobs) and 1 <= jobs <= _MOST_JOBS)):
        expected, remedy = f"a whole number of processes, 1 to {_MOST_JOBS:,}", "Leave it out for one per processor."
        raise CannotRun("jobs", expected=expected, found=as_typed(jobs), remedy=remedy)
    if not (scheduler is None or isinstance(scheduler, str)):
        remedy = "Leave it out to work on this machine."
        raise CannotRun("scheduler", expected="an address: tcp://host:port", found=as_python(scheduler), remedy=remedy)
    if scheduler is not None:
        context = _dask_cluster(scheduler, jobs)
    elif not workers and (jobs or processors()) == 1:
        return (function(item) for item in items)
    else:
        context = (workers or _processes_of_this_machine)(jobs or processors())
    return _spread_items_over_workers(function, items, context, ordered)


@contextlib.contextmanager
def environment_of_new_processes() -> Generator[None, None, None]:
    """While a library starts processes whose environment it takes from this one: it is as `SAFE_PATH` says."""
    before = {name: os.environ.get(name) for name in SAFE_PATH}
    os.environ.update(SAFE_PATH)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def processors() -> int:
    """Return how many processors this process may use."""
    import joblib

    return joblib.cpu_count()


class _Task(NamedTuple):
    number: int
    item: object
    tries: int = 1


def _spread_items_over_workers(function, items, workers, ordered):
    """Hand out the items, few at a time, and yield what comes back."""
    fresh, again, running = map(_Task, itertools.count(), items), deque(), {}
    early, due = {}, 0  # results that wait for their turn, and the number of the next
    with workers as (submit, ahead, lost):
        try:
            while True:
                while len(running) + len(early) < ahead or not running:
                    task = again.popleft() if again else next(fresh, None)
                    if task is None:
                        break
                    running[submit(function, task.item)] = task
                if not running:
                    return
                for future in futures.wait(running, return_when=futures.FIRST_COMPLETED).done:
                    task = running.pop(future)
                    try:
                        early[task.number] = future.result()
                    except lost as error:
                        if task.tries == _TRIES or not isinstance(error, BrokenProcessPool):
                            found = f"item {task.number + 1} lost with its process ({type(error).__name__})"
                            remedy = "Look whether memory ran out, then take fewer jobs or smaller parts."
                            expected = "its processes to stay"
                            raise CannotRun("parallel work", expected=expected, found=found, remedy=remedy) from error
                        again.append(task._replace(tries=task.tries + 1))
                    while (due if ordered else task.number) in early:
                        yield early.pop(due if ordered else task.number)
                        due += 1
        finally:  # what is still out when the work ends early
            for future in running:
                future.cancel()


@contextlib.contextmanager
def _processes_of_this_machine(jobs):
    """Processes of this machine, kept for the next time; those of work that ended early are ended too."""
    from joblib.externals.loky import get_reusable_executor

    threads = str(max(processors() // jobs, 1))  # of the linear algebra in each, as joblib has it
    settings = {"max_workers": jobs, "timeout": _IDLE_S, "env": dict.fromkeys(_THREADS, threads) | SAFE_PATH}
    settings |= {"initializer": _end_with_parent_process, "initargs": (os.getpid(),)}

    def submit(function, item):
        with environment_of_new_processes():  # loky starts trackers of its own, too
            try:
                return get_reusable_executor(**settings).submit(function, item)
            except BrokenProcessPool:  # it broke since it was asked for
                return get_reusable_executor(**settings).submit(function, item)

    try:
        yield submit, _AHEAD * jobs, BrokenProcessPool
    except BaseException:
        get_reusable_executor(**settings).shutdown(wait=True, kill_workers=True)
        raise


def _end_with_parent_process(parent):
    """End this process when the one that started it was killed: nobody waits for its answers any more."""

    def watch():
        while os.getppid() == parent:
            time.sleep(_LOOK_S)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _dask_cluster(scheduler, jobs):
    """An existing Dask cluster; it does again by itself what a lost worker had in work."""
    try:
        from distributed import Client, KilledWorker
        from distributed.comm import CommClosedError
    except ImportError as error:
        remedy = "Install it: pip install 'dominoperf[cluster]'."
        raise CannotRun(
            f"scheduler {scheduler}", expected="the package distributed", found="none", remedy=remedy
        ) from error
    with contextlib.ExitStack() as stack:
        try:
            with futures.ThreadPoolExecutor(1) as thread:  # this one may have a loop of its own, as in JupyterLab
                thread.submit(asyncio.run, _greet(str(scheduler))).result()
            client = stack.enter_context(Client(scheduler, timeout=_CONNECT_S, set_as_default=False))
            client.wait_for_workers(1, timeout=_CONNECT_S)
        # On a busy machine a client that gives up finds itself not yet closed, which it asserts.
        except (OSError, ValueError, TimeoutError, AssertionError) as error:
            expected, remedy = "a Dask scheduler with a worker", "Start both, and give the address: tcp://host:port."
            found = str(error) or f"no answer within {_CONNECT_S} s"
            raise CannotRun(f"scheduler {scheduler}", expected=expected, found=found, remedy=remedy) from error
        ahead = jobs or _AHEAD * sum(client.nthreads().values())
        yield client.get_executor(pure=False).submit, ahead, (KilledWorker, CommClosedError, futures.CancelledError)


async def _greet(scheduler):
    """Return when something at this address answers as Dask does; an error tells that nothing does.

    Before a client is made: one to which nothing answers waits for ever, and one that cannot connect stays half open.
    That closes when Python collects garbage, which takes 20 s, or for ever if another client is starting just then.
    """
    from distributed.comm import connect
    from distributed.security import Security

    async with asyncio.timeout(_CONNECT_S):
        comm = await connect(scheduler, timeout=_CONNECT_S, **Security().get_connection_args("client"))
    await comm.close()
