"""Ctrl-C while notebooks run: held back while modules are imported, at once in what is made meanwhile."""

import _imp
import contextlib
import importlib
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from dominoperf.reports import building, notebook_process

RUN = SimpleNamespace(first=False, name="one")


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def seen(monkeypatch):
    """What has happened; no process is started. Interrupts are heard also where a shell started us behind an `&`."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    seen = []
    monkeypatch.setattr(building, "_run_notebook_in_thread", lambda run, *_: seen.append(f"ran {run.name}"))
    monkeypatch.setattr(notebook_process, "start_fork_server", lambda *_: seen.append("imported"))
    monkeypatch.setattr(notebook_process, "start_ahead", lambda count: None)
    monkeypatch.setattr(notebook_process, "end_notebook_processes", lambda: None)
    monkeypatch.setattr(notebook_process, "end_leftover_forks", lambda: seen.append("ended the rest"))
    yield seen
    signal.signal(signal.SIGINT, before)


def run_one(meanwhile, seen):
    cache = SimpleNamespace(keep=lambda *_: seen.append("kept"))
    before = signal.getsignal(signal.SIGINT)
    try:
        building._run_stale_notebooks([(RUN, "")], cache, Path(), meanwhile, 1, None, NOTHING)
    finally:
        assert signal.getsignal(signal.SIGINT) is before


NOTHING = contextlib.nullcontext()


def test_held_back_while_modules_are_imported(seen, monkeypatch):
    """An import goes to its end; then the report ends, and what is at work with it."""

    def imports(*_):
        interrupt()
        seen.append("imported")

    monkeypatch.setattr(notebook_process, "start_fork_server", imports)
    with pytest.raises(KeyboardInterrupt):
        run_one(lambda: seen.append("made meanwhile"), seen)
    assert seen[0] == "imported"
    assert seen[-1] == "ended the rest"
    assert "made meanwhile" not in seen
    assert "kept" not in seen


def test_what_is_made_meanwhile_ends_at_once(seen):
    """Nobody waits for the pages of a site that will not be there."""

    def makes():
        interrupt()
        seen.append("made meanwhile")

    with pytest.raises(KeyboardInterrupt):
        run_one(makes, seen)
    assert "made meanwhile" not in seen
    assert seen[-1] == "ended the rest"


def test_an_import_that_the_interrupt_broke_is_no_mistake(seen):
    """Compiled code fails in its own way when its import is broken off."""

    def breaks():
        try:
            interrupt()
        except KeyboardInterrupt:
            raise ImportError("half a module") from None

    with pytest.raises(KeyboardInterrupt):
        run_one(breaks, seen)
    with pytest.raises(ImportError, match="by itself"):
        run_one(lambda: (_ for _ in ()).throw(ImportError("by itself")), seen)


def test_an_import_lock_that_a_signal_left_held_keeps_no_thread_waiting():
    """Python drops an interrupt in the callback that clears a module's lock; the lock of all imports stays held."""
    with contextlib.suppress(KeyboardInterrupt), notebook_process.notebook_threads(1, 1) as (submit, _):
        _imp.acquire_lock()
        imported = submit(importlib.import_module, "a_module_that_is_not_there")
        raise KeyboardInterrupt
    assert isinstance(imported.exception(60), ModuleNotFoundError)
    assert not _imp.lock_held()
