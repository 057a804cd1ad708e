"""Run a notebook over many sets of parameters: finished sets are kept, what is left goes on, failures stand apart."""

import contextlib
import functools
import hashlib
import json
import os
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import parallel
from dominoperf.errors import CannotRun, DominoperfError, ReportFailed
from dominoperf.reports import inputs
from dominoperf.reports import parameters as declarations
from dominoperf.reports.building import refuse_standard
from dominoperf.reports.collecting import collect, free
from dominoperf.reports.engine import FOLDER as ENGINE
from dominoperf.reports.folder import DAY_S, LOCK, alone, clear, complete, publish, writing
from dominoperf.reports.running import Limits, find, run_notebook
from dominoperf.reports.sets import check_sets, read_sets
from dominoperf.tables import folders, rendering

KEPT = ".sweep"  # in the out folder: a file for each finished set
FAILURES = "failures"  # a table that is ours
_COLLECTING = ".collecting"


@dataclass(frozen=True)
class Sweep:
    """What became of a sweep."""

    out: Path
    tables: list  # names, each a CSV and a Parquet file below out/tables
    sets: int
    resumed: int
    failures: pd.DataFrame  # the parameters of a set that failed, the cell and its error

    def glance(self):
        """Return one row: sets, ran, resumed, failed."""
        row = {"sets": self.sets, "ran": self.sets - self.resumed, "resumed": self.resumed}
        return pd.DataFrame([row | {"failed": len(self.failures)}])

    def __repr__(self):
        """Lay it out for a terminal."""
        return rendering.as_text(self.glance())


def sweep(notebook, grid, *, out=None, jobs=None, scheduler=None, limits=None, tell=lambda line: None):
    """Run a notebook over sets of parameters and put each table that the runs save into one.

    A finished set is kept under a key of its content: notebook, parameters, library, data. What was ended on the way,
    however hard, goes on from there when it is run again; a larger grid runs what is new in it.

    Parameters
    ----------
    notebook : str
        Stem of a notebook of ours, or a path.
    grid : path, dict or DataFrame
        A TOML file or a dict: a list a parameter, whose product is taken, the last one changing fastest. A CSV or
        Parquet file or a frame: a row a set.
    out : path, optional
        Gets ``tables/NAME.csv`` and ``tables/NAME.parquet``, the parameters in the first columns, sets in the order of
        the grid, and ``tables/failures.csv`` when sets failed; by default a folder below ``runs``.
    jobs, scheduler
        As for `pmap`. On a cluster the notebook travels with its set; data folders of your own must lie there too.
    limits : Limits, optional
        What each run may take: by default 600 s a cell and 20 MB of output.
    tell : callable
        Called with a line at the start and for every set that ends.

    Returns
    -------
    Sweep

    Raises
    ------
    BadTable
        When the grid cannot be read.
    ReportFailed
        Before anything starts, when a set cannot run (every such set is named), the folder cannot be written to, or
        another run is at work in it. A set that fails on its way does not stop the others and raises nothing.
    CannotRun
        When the cluster cannot be used, or a process was lost twice.
    """
    path = find(notebook)
    known = declarations.declared(path)
    sets = check_sets(path, read_sets(grid, [name for name, kind in known.items() if kind == "str"]))
    place = Path(out or _default_out(path, sets))
    refuse_standard(place)
    if (place / ENGINE).exists():  # whose tables would be taken for old ones of the sweep
        expected, remedy = "a folder of its own for a sweep", "Leave out --out, or name another."
        raise ReportFailed(str(place), expected=expected, found="a folder of reports", remedy=remedy)
    with alone(place, KEPT) as certain, writing(place):
        complete(place)
        clear(place, f"{_COLLECTING}*", older_s=0 if certain else DAY_S)
        content = _content(path)
        kept = [place / KEPT / f"{_key(content, values)}.json" for values in sets]
        left = {file: values for file, values in zip(kept, sets, strict=True) if not file.is_file()}
        resumed = sum(file not in left for file in kept)
        counted = _counting(Counter(kept), resumed, tell)
        failed = _run(path, left, counted, limits, jobs=jobs, scheduler=scheduler)
        pairs = list(zip(sets, kept, strict=True))
        names = {name: known[name] for values in sets for name in values}
        rows = [[*map(values.get, names), *failed[file]] for values, file in pairs if file in failed]
        failures = pd.DataFrame(rows, columns=[*names, free("cell", names), free("error", names)])
        read = lambda file: json.loads(file.read_text(encoding="utf-8"))  # noqa: E731
        done = [(values, functools.partial(read, file)) for values, file in pairs if file.is_file()]
        tables = _publish(place, path.stem, done, names, failures, own=out is None)
        for file in (place / KEPT).iterdir():  # of another notebook, library or data, or half written
            old = time.time() - file.stat().st_mtime > DAY_S
            if old and file.name != LOCK and not file.name.startswith(content[:12]):
                file.unlink(missing_ok=True)
    return Sweep(place, tables, len(sets), resumed, failures)


def _default_out(path, sets):
    """A folder of the notebook and its sets: the same again finds what is finished."""
    short = hashlib.sha256(json.dumps([path.stem, sets]).encode()).hexdigest()[:8]
    return Path("runs", f"sweep-{path.stem.partition('_')[2] or path.stem}-{short}")


def _content(path):
    """A digest of all that a set depends on besides its parameters, in words of their content alone."""
    files = [path, *inputs.library(), *inputs.data()]
    told = [[each.name, inputs.digest(each)] for each in files] + [inputs.versions()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def _key(content, values):
    """The name under which a set is kept."""
    told = json.dumps([content, values], sort_keys=True)
    return f"{content[:12]}-{hashlib.sha256(told.encode()).hexdigest()[:32]}"


def _counting(times, resumed, tell):
    """Return a function that tells how far the sweep is when a set ends; one that is in the grid twice counts twice."""
    of, done, failed = times.total(), resumed, 0

    def ended(file=None, error=None):
        nonlocal done, failed
        done, failed = done + times[file], failed + times[file] * bool(error)
        tell(f"{done} of {of}, {resumed} resumed{f', {failed} failed' if failed else ''}")

    ended()
    return ended


def _run(path, left, ended, limits, **how):
    """Run what is left; what succeeds is kept at once, the errors of the others are returned by their files."""
    failed = {}
    runner = _Runner(path.name, path.read_text(encoding="utf-8"), os.environ.get(folders.IN_USE, ""), limits)
    if not left:
        return failed
    with contextlib.closing(parallel.pmap(runner, left.items(), **how)) as results:
        for file, tables, error in results:
            if error:
                failed[file] = error
            else:
                rendering.replace_file(file, json.dumps(tables))
            ended(file, error)
    return failed


@dataclass(frozen=True)
class _Runner:
    """Runs one set, here or on another machine: the notebook comes as text, the tables go as text."""

    name: str
    text: str
    data: str  # the folders in use where the sweep was started
    limits: Limits | None

    def __call__(self, item):
        key, values = item
        if os.environ.get(folders.IN_USE, "") != self.data:
            os.environ[folders.IN_USE] = self.data
        with tempfile.TemporaryDirectory(prefix="dominoperf-") as folder:
            path, out = Path(folder, self.name), Path(folder, "out")
            path.write_text(self.text, encoding="utf-8")
            try:
                run_notebook(path, values, out=out, limits=self.limits)
            except DominoperfError as error:
                return key, {}, (error.where.partition(", cell ")[2], error.found)
            except (OSError, ValueError) as error:  # a full disk, a file that papermill cannot read
                return key, {}, ("", f"{type(error).__name__}: {error}")
            return key, {each.stem: each.read_text(encoding="utf-8") for each in sorted(out.glob("*.csv"))}, None


def _publish(out, stem, done, kinds, failures, *, own):
    """Collect the tables beside, then put them in place, and remove those of ours that are no more."""
    with tempfile.TemporaryDirectory(prefix=_COLLECTING, dir=out.resolve()) as work:
        tables, work = collect(done, kinds, Path(work)), Path(work)
        if FAILURES in tables:
            expected, found = "tables of other names than ours", f"a table called {FAILURES!r}"
            remedy = "Save it under another name."
            raise CannotRun(f"sweep of {stem}", expected=expected, found=found, remedy=remedy)
        fresh = {f"tables/{name}{end}": work / f"{name}{end}" for name in tables for end in (".csv", ".parquet")}
        if len(failures):
            fresh[f"tables/{FAILURES}.csv"] = work / f"{FAILURES}.csv"
            rendering.replace_file(work / f"{FAILURES}.csv", rendering.as_csv(failures))
        publish(out, fresh, gone=lambda name: True, own=own, work=work)
    return tables
