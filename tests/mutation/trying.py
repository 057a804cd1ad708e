"""Runs of the tests in forked processes, a module's text exchanged in memory: no file of the checkout changes."""

import gc
import importlib.util
import io
import json
import os
import resource
import signal
import sys
import time
from importlib.machinery import SourceFileLoader

MEMORY = 6 << 30
KILLED, SURVIVED, TIMEOUT, UNTESTED = "killed", "survived", "timeout", "untested"
NOTICED = (KILLED, TIMEOUT)
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


class Chosen:
    """Plugin: only these tests, in this order; the process ends with the first that fails."""

    def __init__(self, order):
        self.order = {test: k for k, test in enumerate(order)}

    def pytest_collection_modifyitems(self, items):
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda i: self.order[i.nodeid])

    def pytest_runtest_logreport(self, report):
        if report.failed:
            os._exit(1)


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


def try_all(mutants, orders, seconds, jobs):
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
    return KILLED if os.WEXITSTATUS(status) else SURVIVED
