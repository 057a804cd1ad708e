"""Runs of the tests in forked processes, a module's text exchanged in memory: no file of the checkout changes.

A mutant in the body of a function goes into a process that has collected the tests already (`try_loaded`): the function
gets other code. One that is run at an import, or whose function would need other variables, is loaded anew (`try_all`).
"""

import functools
import gc
import importlib.util
import io
import itertools
import json
import os
import resource
import signal
import sys
import time
import types
from importlib.machinery import SourceFileLoader

MEMORY = 6 << 30
KILLED, SURVIVED, TIMEOUT, UNTESTED, UNFIT = "killed", "survived", "timeout", "untested", "unfit"
NOTICED = (KILLED, TIMEOUT)
NOT_FIT = 77
ARGUMENTS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:anyio", "--hypothesis-profile=mutation", "-W",
             "ignore::pytest.PytestAssertRewriteWarning")  # fmt: skip


def prepare():
    """Import here, once, what takes long in every run; nothing of ours."""
    import hypothesis
    import matplotlib.figure  # noqa: F401
    import pandas  # noqa: F401
    import pytest  # noqa: F401
    import scipy.optimize
    import scipy.stats  # noqa: F401
    import xdist.plugin  # noqa: F401

    phases = [phase for phase in hypothesis.Phase if phase.name in ("explicit", "generate")]
    hypothesis.settings.register_profile("mutation", deadline=None, derandomize=True, database=None, phases=phases)
    gc.freeze()  # none of it is garbage in the processes forked


class Exchanged:
    """Loads one module of ours from another text."""

    def __init__(self, path, source):
        self.path, self.source = os.path.abspath(path), source
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        self.name, self.package = ".".join(parts), path.endswith("__init__.py")

    def find_spec(self, name, path=None, target=None):
        """Answer for the one module."""
        if name != self.name:
            return None
        loader = SourceFileLoader(name, self.path)
        loader.get_code = lambda _: compile(self.source, self.path, "exec")
        folder = [os.path.dirname(self.path)] if self.package else None
        return importlib.util.spec_from_file_location(name, self.path, loader=loader, submodule_search_locations=folder)


class Strict:
    """Plugin: the process ends with the first test that fails."""

    def pytest_runtest_logreport(self, report):
        if report.failed:
            os._exit(1)


class Chosen(Strict):
    """Plugin: only these tests, in this order."""

    def __init__(self, order):
        self.order = {test: k for k, test in enumerate(order)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])


class Collected(Strict):
    """Plugin: tries mutants where the tests would run, and writes (number, verdict) lines."""

    def __init__(self, work, out):
        self.work, self.out = work, out

    def pytest_runtestloop(self, session):
        items = {item.nodeid: item for item in session.items}
        for found in self.work(functools.partial(attempt_loaded, items)):
            os.write(self.out, (json.dumps(found) + "\n").encode())
        return True


class Watched:
    """Plugin: which lines each test runs, and how long it takes."""

    def __init__(self, coverage):
        self.coverage, self.seconds = coverage, {}

    def pytest_runtest_logstart(self, nodeid):
        self.seconds[nodeid] = time.process_time()
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logfinish(self, nodeid):
        self.seconds[nodeid] = time.process_time() - self.seconds[nodeid]
        self.coverage.switch_context("")

    def pytest_fixture_setup(self, fixturedef):
        if fixturedef.scope != "function":  # what it runs is run for every test that takes it: as at an import
            self.coverage.switch_context("")


def watch(tests, code, out):
    """Run all tests as they are and write to `out`: seconds per test, tests per line of each module, the coverage."""
    import coverage
    import pytest

    watcher = coverage.Coverage(data_file=None, branch=True, include=[f"{code}/*"], config_file=False)
    watched = Watched(watcher)
    watcher.start()
    status = pytest.main([*ARGUMENTS, *tests], plugins=[watched])
    watcher.stop()
    data, text = watcher.get_data(), io.StringIO()
    lines = {os.path.relpath(file): data.contexts_by_lineno(file) for file in data.measured_files()}
    watcher.report(show_missing=True, file=text)
    out.write_text(json.dumps({"seconds": watched.seconds, "lines": lines, "report": text.getvalue()}), "utf-8")
    return status


def attempt(mutant, order):
    """Run the tests in order with the mutant in place."""
    import pytest

    sys.meta_path.insert(0, Exchanged(mutant.path, mutant.source))
    files = list(dict.fromkeys(test.partition("::")[0] for test in order))
    return pytest.main([*ARGUMENTS, *files], plugins=[Chosen(order)])


def attempt_loaded(items, mutant, order):
    """Run the collected tests in order with the mutant's code in the functions that there are."""
    try:
        _give_code(mutant)
    except ValueError:  # other variables of the function around it, or no such function
        return NOT_FIT
    run = [items[test] for test in order]
    for item, following in itertools.zip_longest(run, run[1:]):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return 0


def _give_code(mutant):
    """Give every function of the module the code that it has in the mutant."""
    path = os.path.abspath(mutant.path)
    with open(path, encoding="utf-8") as file:
        old, new = (list(_codes(compile(text, path, "exec"))) for text in (file.read(), mutant.source))
    if [each.co_qualname for each in old] != [each.co_qualname for each in new]:
        raise ValueError
    changed = dict(zip(old, new, strict=True))
    gc.unfreeze()  # what conftest.py has frozen is not among the objects
    found = [each for each in gc.get_objects() if isinstance(each, types.FunctionType) and each.__code__ in changed]
    if not found:
        raise ValueError
    for each in found:
        each.__code__ = changed[each.__code__]


def _codes(code):
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from _codes(each)


def forked(work, *given, seconds, log=os.devnull):
    """Start ``work(*given)`` in a process of its own group, bounded in processor time and memory; give its id."""
    pid = os.fork()
    if pid:
        return pid
    os.setpgid(0, 0)
    target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(target, 1), os.dup2(target, 2)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try:
        status = work(*given)
    except BaseException:
        status = 1
    os._exit(int(status))


def try_all(mutants, orders, seconds, jobs, attempt=attempt):
    """Yield (mutant, verdict) as they come, `jobs` at a time; `orders` gives the tests of each."""
    waiting = list(zip(mutants, orders, strict=True))[::-1]
    running = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant, order = waiting.pop()
            if order:
                pid = forked(attempt, mutant, order, seconds=seconds)
                running[pid] = mutant, time.monotonic() + 10 * seconds
            else:
                yield mutant, UNTESTED
        for pid, (mutant, end) in list(running.items()):
            if time.monotonic() > end:
                os.killpg(pid, signal.SIGKILL)
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                del running[pid]
                yield mutant, _verdict(status)
        time.sleep(0.01)


def _verdict(status):
    if os.WIFSIGNALED(status):
        return TIMEOUT if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else KILLED
    return {0: SURVIVED, NOT_FIT: UNFIT}.get(os.WEXITSTATUS(status), KILLED)


def try_loaded(mutants, orders, seconds, jobs):
    """As `try_all`, in a process that has collected the tests; some are unfit for it."""
    number = {mutant: k for k, mutant in enumerate(mutants)}
    files = sorted({test.partition("::")[0] for order in orders for test in order})
    source, sink = os.pipe()

    def work(attempt):
        return ((number[mutant], found) for mutant, found in try_all(mutants, orders, seconds, jobs, attempt))

    pid = forked(_collect, files, Collected(work, sink), seconds=100_000)
    os.close(sink)
    with os.fdopen(source) as lines:
        for k, found in map(json.loads, lines):
            yield mutants[k], found
    os.waitpid(pid, 0)


def _collect(files, plugin):
    import pytest

    return pytest.main([*ARGUMENTS, *files], plugins=[plugin])
