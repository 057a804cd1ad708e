"""What has to run again: doit compares the content of every input with that of the last success.

doit (https://pydoit.org) keeps what it knows in a data base below the out folder, beside what each run made. It decides
and remembers; the runs themselves are `building`'s.
"""

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
from pathlib import Path

from doit.dependency import DatabaseException, Dependency, FileChangedChecker, SqliteDB
from doit.task import Task
from doit.tools import config_changed

from dominoperf.errors import ReportFailed
from dominoperf.reports import inputs, rewording

FOLDER = ".engine"  # in the out folder
EXECUTED = "executed.ipynb"
_STATE = ".state.sqlite"
_SITE = "site"
_FEW = 5  # files that a reason names; a library that was exchanged has too many


class Engine:
    """What was made from what, in one out folder."""

    def __init__(self, out, *, look=False):
        self.out, self.home, self._tasks = Path(out), Path(out) / FOLDER, {}
        if not look:
            self.home.mkdir(parents=True, exist_ok=True)
        self._state = _open(self.home / _STATE)
        self._versions = inputs.versions()
        self._data, self._package = inputs.data(), inputs.package()
        self._library = inputs.library(self._package)

    def __enter__(self):
        """Give itself."""
        return self

    def __exit__(self, *_):
        """Write down what succeeded, also when something went wrong since."""
        with contextlib.suppress(sqlite3.OperationalError):  # another build writes: this one is told again next time
            self._state.close()

    def folder(self, run):
        """Give the folder with what a run made last."""
        return self.home / run.name

    def tables(self, run):
        """List the tables that a run made last."""
        return [path for path in sorted(self.folder(run).iterdir()) if path.suffix in (".csv", ".md")]

    def why(self, run, notebook):
        """List the reasons why a run has to run again, in words; empty when nothing that it depends on changed."""
        depends = [*self._library, *self._data]
        config = {f"parameter {name}": value for name, value in run.parameters.items()} | self._versions
        config |= {_part(part, notebook): told for part, told in rewording.digests(notebook).items()}
        return self._why(f"run {run.name}", depends, config, self.folder(run))

    def keep(self, run, made):
        """Put what a run made in the place of what it made before, and remember from what."""
        shutil.rmtree(self.folder(run), ignore_errors=True)
        os.replace(made, self.folder(run))
        self._keep(f"run {run.name}", self.folder(run), _files(self.folder(run)))

    def why_site(self, pages):
        """List the reasons why the site has to be built again."""
        depends = [*(Path(notebook) for _, notebook in pages), *self._package, *self._data]
        return self._why(_SITE, depends, self._config_of_site(pages), self.out / _SITE)

    def key_of_site(self, pages):
        """Give what changes with all that pages have in common: the library, the data, the list of pages."""
        content = {str(path): self._state.checker.info(str(path)) for path in (*self._package, *self._data)}
        told = json.dumps([content, self._config_of_site(pages)], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    def site(self):
        """List the files of the site that was built last, relative to its folder."""
        return sorted(self._state.get_values(_SITE).get("made", {}))

    def keep_site(self, names):
        """Remember the files of the site from what they are built now."""
        self._keep(_SITE, self.out / _SITE, names)

    def _config_of_site(self, pages):
        return {f"page {run.name}": [run.title, run.parameters] for run, _ in pages} | self._versions

    def _why(self, name, depends, config, folder):
        task = Task(
            name, None, file_dep=[str(path) for path in depends], uptodate=[config_changed(config), _AsMade(folder)]
        )
        task.value_savers.append(lambda: {"config": config})
        self._tasks[name] = task
        before = self._state.get_values(name)
        status = self._state.get_status(task, self._tasks, get_log=True)
        if not before:
            return ["it has not run here yet"]
        return [] if status.status == "up-to-date" else _reasons(status.reasons, before, config, folder)

    def _keep(self, name, folder, names):
        task = self._tasks[name]
        task.save_extra_values()
        task.values["made"] = {name: inputs.digest(folder / name) for name in names}
        self._state.save_success(task)


class _Content(FileChangedChecker):
    """Compares content alone, as it was when it was first asked for: what changes under a run is new to the next."""

    def __init__(self):
        self._known = {}

    def info(self, path):
        if path not in self._known:
            self._known[path] = inputs.digest(path)
        return self._known[path]

    def check_modified(self, path, found, state):
        return found != state

    def get_state(self, path, current):
        return self.info(path)


class _AsMade:
    """Whether all that a task made is there as it was made; doit itself looks for names alone."""

    def __init__(self, folder):
        self._folder = folder

    def __call__(self, task, values):
        return not _touched(values, self._folder)


def _open(path):
    """Open doit's data base; one that cannot be read is forgotten, and everything runs again."""
    name = str(path) if path.parent.is_dir() else ":memory:"  # to look writes nothing
    try:
        return Dependency(SqliteDB, name, checker_cls=_Content)
    except DatabaseException as error:
        if "not a database" not in str(error):  # locked, or not ours to write
            expected, remedy = "doit's data base", "Wait for the other report, or remove the file."
            raise ReportFailed(str(path), expected=expected, found=str(error), remedy=remedy) from error
        path.unlink()
        return Dependency(SqliteDB, name, checker_cls=_Content)


def _files(folder):
    return [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]


def _touched(values, folder):
    """The files that are gone or changed since they were made."""
    made = values.get("made", {})
    return [name for name in made if not (folder / name).is_file() or inputs.digest(folder / name) != made[name]]


def _reasons(found, before, config, folder):
    """Doit's reasons in words."""
    added = found.get("added_file_dep", [])
    changed = sorted(path for path in found.get("changed_file_dep", []) if path not in added)
    files = [f"{_shown(path)} changed" for path in changed]
    files += [f"{_shown(path)} is new" for path in added]
    files += [f"{_shown(path)} is gone" for path in found.get("removed_file_dep", [])]
    files += [f"{_shown(path)} is not as it was written" for path in map(folder.joinpath, _touched(before, folder))]
    more = [f"{len(files) - _FEW} more files differ"] if len(files) > _FEW else []
    old = before.get("config", {})
    differing = [name for name in sorted({*old, *config}) if old.get(name) != config.get(name)]
    told = [_differs(name, old.get(name, "not set"), config.get(name, "not set")) for name in differing]
    return told + files[:_FEW] + more or ["doit says so"]


def only_prose(reasons, notebook):
    """Tell whether reasons to run again are that the prose of the notebook changed, and nothing else did."""
    return reasons == [f"{_part('prose', notebook)} changed"]


def _part(part, notebook):
    return f"the {part} of {Path(notebook).name}"


def _differs(name, was, now):
    """Which value of the configuration differs, in words; of a part of a notebook the value is a digest."""
    return f"{name} changed" if name.startswith("the ") else f"{name} was {was!r} and is {now!r}"


def _shown(path):
    """A path as the user would type it."""
    path, here = Path(path), Path.cwd()
    return path.relative_to(here).as_posix() if path.is_absolute() and path.is_relative_to(here) else str(path)
