"""Run a notebook over many sets of parameters: finished sets are kept, what is left goes on, failures stand apart."""

import contextlib
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
from dominoperf.reports.limits import Limits
from dominoperf.reports.locking import LOCK, alone
from dominoperf.reports.publishing import complete, publish
from dominoperf.reports.running import find, run_notebook
from dominoperf.reports.sets import check_sets, read_sets
from dominoperf.reports.storage import DAY_S, clear, writing
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
        """Give one row: sets, ran, resumed, failed."""
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
    texts = [name for name, kind in declarations.declared(path).items() if kind == "str"]
    sets = check_sets(path, read_sets(grid, texts))
    place = Path(out or _default_out(path, sets))
    _check_place(place)
    how = {"jobs": jobs, "scheduler": scheduler, "limits": limits}
    with alone(place, KEPT) as certain, writing(place):
        complete(place)
        clear(place, f"{_COLLECTING}*", older_s=0 if certain else DAY_S)
        return _swept(path, sets, place, how, tell, own=out is None)


def _swept(path, sets, place, how, tell, *, own):
    """Run what is not finished, and put the tables in place."""
    store = _Store(place / KEPT, _content(path))
    keys = [store.key(values) for values in sets]
    left = {key: values for key, values in zip(keys, sets, strict=True) if not store.has(key)}
    resumed = sum(key not in left for key in keys)
    failed = _run(path, left, store, _Count(len(sets), resumed, Counter(keys), tell), **how)
    failures = _failures(sets, keys, failed)
    tables = _publish(place, path, sets, keys, store, failures, own=own)
    store.clear()
    return Sweep(place, tables, len(sets), resumed, failures)


def _default_out(path, sets):
    """A folder of the notebook and its sets: the same again finds what is finished."""
    short = hashlib.sha256(json.dumps([path.stem, sets]).encode()).hexdigest()[:8]
    return Path("runs", f"sweep-{path.stem.partition('_')[2] or path.stem}-{short}")


def _check_place(out):
    """Refuse a folder of reports: their tables would be taken for old ones of the sweep."""
    refuse_standard(out)
    if (out / ENGINE).exists():
        expected, remedy = "a folder of its own for a sweep", "Leave out --out, or name another."
        raise ReportFailed(str(out), expected=expected, found="a folder of reports", remedy=remedy)


def _content(path):
    """A digest of all that a set depends on besides its parameters, in words of their content alone."""
    files = [path, *inputs.library(), *inputs.data()]
    told = [[each.name, inputs.digest(each)] for each in files] + [inputs.versions()]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


@dataclass(frozen=True)
class _Store:
    """The finished sets: a file each, there as a whole or not at all."""

    folder: Path
    content: str

    def key(self, values):
        """Give the name under which a set is kept."""
        told = json.dumps([self.content, values], sort_keys=True)
        return f"{self.content[:12]}-{hashlib.sha256(told.encode()).hexdigest()[:32]}"

    def has(self, key):
        """Tell whether a set is finished."""
        return self._path(key).is_file()

    def keep(self, key, tables):
        """Keep the tables of a finished set."""
        rendering.replace_file(self._path(key), json.dumps(tables))

    def read(self, key):
        """Give the tables of a finished set, name to text."""
        return json.loads(self._path(key).read_text(encoding="utf-8"))

    def clear(self):
        """Remove, a day old, what no run of today's notebook, library and data made, and what was half written."""
        for path in self.folder.iterdir():
            old = time.time() - path.stat().st_mtime > DAY_S
            if old and path.name != LOCK and not path.name.startswith(self.content[:12]):
                path.unlink(missing_ok=True)

    def _path(self, key):
        return self.folder / f"{key}.json"


@dataclass
class _Count:
    """How far the sweep is, in words."""

    of: int
    resumed: int
    times: Counter  # how often the grid has each set
    tell: object
    failed: int = 0

    def __post_init__(self):
        """Begin with what is there."""
        self.done = self.resumed
        self._say()

    def ended(self, key, error):
        """Tell of a set that ended; a set that is in the grid twice counts twice."""
        self.done += self.times[key]
        self.failed += self.times[key] * bool(error)
        self._say()

    def _say(self):
        failed = f", {self.failed} failed" if self.failed else ""
        self.tell(f"{self.done} of {self.of}, {self.resumed} resumed{failed}")


def _run(path, left, store, count, *, limits, **how):
    """Run what is left; what succeeds is kept at once, the errors of the others are given back."""
    if not left:
        return {}
    failed = {}
    runner = _Runner(path.name, path.read_text(encoding="utf-8"), os.environ.get(folders.IN_USE, ""), limits)
    with contextlib.closing(parallel.pmap(runner, left.items(), **how)) as ended:
        for key, tables, error in ended:
            if error:
                failed[key] = error
            else:
                store.keep(key, tables)
            count.ended(key, error)
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


def _failures(sets, keys, failed):
    """A row for every set that failed, in the order of the grid."""
    names = list(dict.fromkeys(name for values in sets for name in values))
    rows = [[*map(values.get, names), *failed[key]] for values, key in zip(sets, keys, strict=True) if key in failed]
    return pd.DataFrame(rows, columns=[*names, free("cell", names), free("error", names)])


def _publish(out, path, sets, keys, store, failures, *, own):
    """Collect the tables beside, then put them in place, and remove those of ours that are no more."""
    names = dict.fromkeys(name for values in sets for name in values)
    known = declarations.declared(path)
    runs = [(values, lambda key=key: store.read(key)) for values, key in zip(sets, keys, strict=True) if store.has(key)]
    with tempfile.TemporaryDirectory(prefix=_COLLECTING, dir=out.resolve()) as work:
        tables = collect(runs, {name: known[name] for name in names}, Path(work))
        if FAILURES in tables:
            remedy = "Save it under another name."
            raise CannotRun(f"sweep of {path.stem}", expected="tables of other names than ours",
                            found=f"a table called {FAILURES!r}", remedy=remedy)  # fmt: skip
        fresh = {f"tables/{name}{end}": Path(work, f"{name}{end}") for name in tables for end in (".csv", ".parquet")}
        if len(failures):
            Path(work, f"{FAILURES}.csv").write_text(rendering.as_csv(failures), encoding="utf-8", newline="\n")
            fresh[f"tables/{FAILURES}.csv"] = Path(work, f"{FAILURES}.csv")
        publish(out, fresh, (), gone=lambda name: True, own=own, work=Path(work))
    return tables
