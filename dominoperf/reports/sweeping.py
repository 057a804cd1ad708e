"""A notebook over many sets of parameters: read and check the sets, run what is left, join the tables of all runs."""

import contextlib
import functools
import io
import itertools
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dominoperf import parallel, tables
from dominoperf.errors import (
    BadTable,
    CannotRun,
    DominoperfError,
    ReportFailed,
    names_its_keywords,
    shortened,
    system_reason,
)
from dominoperf.reports import cache, notebooks
from dominoperf.reports.building import refuse_folder_of_standard_reports
from dominoperf.reports.folder import LOCK, move_reports_into_place, work_folder_of_reports
from dominoperf.reports.notebook_process import notebook_threads
from dominoperf.reports.notebooks import find_notebook
from dominoperf.reports.running import Limits, run_notebook
from dominoperf.tables import folders, rendering
from dominoperf.tables.files import read_users_toml, replace_file

KEPT = ".sweep"  # in the out folder: a file for each finished set
FAILURES = "failures"  # a table that is ours


@dataclass(frozen=True)
class Sweep:
    """What became of a sweep."""

    out: Path
    tables: list  # names, each a CSV file below out/tables
    sets: int
    resumed: int
    failures: pd.DataFrame  # the parameters of a set that failed, the cell and its error

    def glance(self) -> pd.DataFrame:
        """Return one row: sets, ran, resumed, sets_failed."""
        row = {"sets": self.sets, "ran": self.sets - self.resumed, "resumed": self.resumed}
        return pd.DataFrame([row | {"sets_failed": len(self.failures)}])

    def __repr__(self):
        """Lay it out for a terminal."""
        return rendering.as_text(self.glance())


@names_its_keywords()
def sweep(
    notebook: str | os.PathLike,
    grid: str | os.PathLike | dict[str, Any] | pd.DataFrame,
    *,
    out: str | os.PathLike | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    limits: Limits | None = None,
    tell: Callable[[str], object] = lambda line: None,
) -> Sweep:
    """Run a notebook over sets of parameters and put each table that the runs save into one.

    A finished set is kept under a key of its content: notebook, parameters, the files that these name, library, data.
    What was ended on the way, however hard, goes on from there when it is run again; a larger grid runs what is new in
    it.

    Parameters
    ----------
    notebook : str
        Stem of a notebook of ours, or a path.
    grid : path, dict or DataFrame
        A TOML file or a dict: a list a parameter, whose product is taken, the last one changing fastest. A CSV or
        Parquet file or a frame: one row per set.
    out : path, optional
        Gets ``tables/NAME.csv``, the parameters in the first columns, sets in the order of the grid, and
        ``tables/failures.csv`` when sets failed; by default a folder below ``runs``.
    jobs, scheduler
        Runs at once, each in a process of its own, and the address of a Dask cluster, as for `pmap`. On a cluster the
        notebook travels with its set; data folders of your own must lie there too.
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
        When `jobs` cannot be, the cluster cannot be used, or its scheduler gave a set up.
    """
    path = find_notebook(notebook)
    declarations = notebooks.declared_parameters(path)
    sets = check_parameter_sets(
        path, read_parameter_sets(grid, [name for name, kind in declarations.items() if kind == "str"])
    )
    name = f"sweep-{path.stem.partition('_')[2] or path.stem}"
    place = Path(out or Path("runs", f"{name}-{cache.json_digest([path.stem, sets])[:8]}"))  # the same again resumes
    refuse_folder_of_standard_reports(place)
    if (place / cache.FOLDER).exists():  # whose tables would be taken for old ones of the sweep
        expected, remedy = "a folder of its own for a sweep", "Leave out --out, or name another."
        raise ReportFailed(str(place), expected=expected, found="a folder of reports", remedy=remedy)
    with work_folder_of_reports(place, KEPT) as work:
        files = [path, *cache.library_files(), *cache.data_files()]  # what a set depends on beside its parameters
        content = cache.json_digest(
            [[file.name, cache.file_digest(file)] for file in files] + [cache.versions_of_libraries()]
        )
        named, defaults = functools.cache(cache.digests_of_named_files), notebooks.default_texts(path)
        files_of = lambda values: [named(text) for text in values.values() if isinstance(text, str)]  # noqa: E731
        keys = [cache.json_digest([content, values, *filter(None, files_of(defaults | values))]) for values in sets]
        result_files = [place / KEPT / f"{content[:12]}-{key[:32]}.json" for key in keys]
        missing = {file: values for file, values in zip(result_files, sets, strict=True) if not file.is_file()}
        place_of_runs = work if scheduler is None else None  # which the next run empties, where this one is killed
        runner = _SweepRunner(
            path.name, path.read_text("utf-8"), os.environ.get(folders.IN_USE, ""), limits, place_of_runs
        )
        failed = _run_missing_sets(runner, missing, result_files, tell, jobs=jobs, scheduler=scheduler)
        pairs = list(zip(sets, result_files, strict=True))
        names = list(dict.fromkeys(name for values in sets for name in values))
        rows = [[*map(values.get, names), *failed[file]] for values, file in pairs if file in failed]
        failures = pd.DataFrame(
            rows, columns=[*names, free_column_name_of_sweep("cell", names), free_column_name_of_sweep("error", names)]
        )
        done = [(values, json.loads(file.read_text(encoding="utf-8"))) for values, file in pairs if file.is_file()]
        tables = collect_tables(done, names, work)
        if FAILURES in tables:
            expected, found = "tables of other names than ours", f"a table called {FAILURES!r}"
            remedy = "Save it under another name."
            raise CannotRun(f"sweep of {path.stem}", expected=expected, found=found, remedy=remedy)
        fresh = {f"tables/{name}.csv": work / f"{name}.csv" for name in tables}
        if len(failures):
            fresh[f"tables/{FAILURES}.csv"] = work / f"{FAILURES}.csv"
            replace_file(work / f"{FAILURES}.csv", rendering.as_csv(failures))
        move_reports_into_place(place, fresh, gone=lambda name: True, replace=out is None, work=work)
        for file in (place / KEPT).iterdir():  # of another notebook, library or data, or half written
            if file.name != LOCK and not file.name.startswith(content[:12]):
                file.unlink(missing_ok=True)
    return Sweep(place, tables, len(sets), sum(file not in missing for file in result_files), failures)


def _run_missing_sets(runner, missing, result_files, tell, **how):
    """Run what is left; what succeeds is kept at once, the errors of the others are returned by their files.

    How far the sweep is, is reported at the start and when a set ends; one that is in the grid twice counts twice.
    """
    times, failed = Counter(result_files), {}
    of, resumed = len(result_files), sum(file not in missing for file in result_files)
    done, lost = resumed, 0
    tell(f"{done} of {of}, {resumed} resumed")
    if not missing:
        return failed

    @contextlib.contextmanager
    def workers(jobs):
        with notebook_threads(len(missing), jobs) as (submit, warm):
            yield functools.partial(submit, warm=warm), jobs, ()

    with contextlib.closing(parallel.pmap(runner, missing.items(), **how, workers=workers)) as results:
        for file, tables, error in results:
            if error:
                failed[file] = error
                lost += times[file]
            else:
                replace_file(file, json.dumps(tables))
            done += times[file]
            tell(f"{done} of {of}, {resumed} resumed{f', {lost} failed' if lost else ''}")
    return failed


@dataclass(frozen=True)
class _SweepRunner:
    """Runs one set, here or on another machine: the notebook comes as text, the tables go as text."""

    name: str
    text: str
    data: str  # the folders in use where the sweep was started
    limits: Limits | None
    place: Path | None  # where each run has its folder; by default where the machine has such

    def __call__(self, item, *, warm=False):
        key, values = item
        if os.environ.get(folders.IN_USE, "") != self.data:
            os.environ[folders.IN_USE] = self.data
        with tempfile.TemporaryDirectory(prefix="dominoperf-", dir=self.place) as folder:
            path, out = Path(folder, self.name), Path(folder, "out")
            path.write_text(self.text, encoding="utf-8")
            try:
                run_notebook(path, values, out=out, limits=self.limits, warm=warm)
            except ReportFailed as error:
                why = str(error.__cause__) if isinstance(error.__cause__, DominoperfError) else error.found
                return key, {}, (str(error.cell or ""), why)
            except DominoperfError as error:
                return key, {}, ("", error.found)
            except (OSError, ValueError) as error:  # a full disk, a file that papermill cannot read
                return key, {}, ("", f"{type(error).__name__}: {error}")
            saved = {path.relative_to(out).with_suffix("").as_posix(): path for path in sorted(out.rglob("*.csv"))}
            return key, {name: path.read_text(encoding="utf-8") for name, path in saved.items()}, None


_MOST_SETS = 1_000_000  # sets of a sweep: years of notebooks
_SHORT = 60  # characters of the numbers of sets that have one mistake


def read_parameter_sets(grid, texts=()):
    """Read the sets of a sweep as dicts, not yet checked.

    Of a TOML file or a dict of lists the product is taken, the last list changing fastest; a value that is no list is
    held. A row of a table (`tables.read_table`) is a set; the parameters `texts` are texts, whatever they look like in
    a CSV file. `BadTable` says that the file cannot be read, or has no set.
    """
    where = os.fspath(grid) if isinstance(grid, str | os.PathLike) else "grid"
    expected, remedy = "lists of values in TOML, or a table of sets in CSV or Parquet", "Mend the file."
    try:
        if isinstance(grid, dict):
            sets = _parameter_sets_of_lists(grid)
        elif hasattr(grid, "columns"):
            sets = _parameter_sets_of_rows(tables.read_table(grid))
        elif where.endswith(".toml"):
            sets = _parameter_sets_of_lists(read_users_toml(grid, expected, remedy))
        else:
            whole = lambda value: isinstance(value, float) and value.is_integer()  # noqa: E731  1,000, whatever is in it
            rows = _parameter_sets_of_rows(tables.read_table(grid, texts=texts))
            sets = [{name: int(value) if whole(value) else value for name, value in row.items()} for row in rows]
    except DominoperfError:
        raise
    except (OSError, ValueError) as error:  # pyarrow's own errors are among them
        raise BadTable(where, expected=expected, found=system_reason(error), remedy=remedy) from error
    if not sets or not sets[0]:
        remedy = "Give each parameter a value at least."
        raise BadTable(where, expected="a set of parameters at least", found="none", remedy=remedy)
    return sets


def check_parameter_sets(path, sets):
    """Return the sets with texts read as the declared types; every set that cannot run is named.

    The `ReportFailed` names the sets, counting from 1, and what is wrong with each.
    """
    declarations, checked, wrong = notebooks.declared_parameters(path), [], {}
    for number, values in enumerate(sets, start=1):
        try:
            values = notebooks.read_parameters(path, values, declarations)
            for name, value in values.items():
                if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
                    expected, remedy = "a text, number or truth value", "A set has plain values."
                    raise ReportFailed(name, expected=expected, found=repr(value), remedy=remedy)
            checked.append(values)
        except DominoperfError as error:
            wrong.setdefault(str(error), []).append(number)
    if wrong:
        reasons = [
            f"set{'s' if len(which) > 1 else ''} {shortened(', '.join(map(str, which)), _SHORT)}: {why.rstrip('.')}"
            for why, which in wrong.items()
        ]
        where, expected = f"sweep of {path.stem}", "parameters that the notebook declares, in every set"
        found = f"{sum(map(len, wrong.values()))} of {len(sets)} sets otherwise: {'; '.join(reasons)}"
        raise ReportFailed(where, expected=expected, found=found, remedy="Nothing has run. Mend the grid.")
    return checked


def _parameter_sets_of_lists(lists):
    """The sets of lists of values: their product, the last list changing fastest."""
    values = [value if isinstance(value, list) else [value] for value in lists.values()]
    if math.prod(map(len, values)) > _MOST_SETS:
        raise ValueError(f"lists whose product has more than {_MOST_SETS:,} sets")
    return [dict(zip(lists, values, strict=True)) for values in itertools.product(*values)]


def _parameter_sets_of_rows(frame):
    """The rows with Python's own numbers: the kernel is told them as Python writes them."""
    return [
        {str(name): value.item() if hasattr(value, "item") else value for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def collect_tables(runs, parameters, folder):
    """Write the tables of runs, in the order of the runs, into a folder as CSV; return their names.

    Each run is a pair: its values, and its tables, name to the text of a CSV file. The `parameters` are the first
    columns. A column that is called as one becomes ``table_<name>``.
    """
    parts = {}
    for values, saved in runs:
        for name, text in saved.items():
            rows = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, index_col=False)
            parts.setdefault(name, []).append((values, rows))
    for name, some in parts.items():
        cells = pd.concat([rows for _, rows in some], ignore_index=True).fillna("")
        for column in [column for column in cells if column in parameters]:
            cells = cells.rename(columns={column: free_column_name_of_sweep(column, {*parameters, *cells})})
        of_row = [values for values, rows in some for _ in range(len(rows))]
        texts = {column: [rendering.csv_cell(values.get(column)) for values in of_row] for column in parameters}
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = cells.assign(**texts)[[*texts, *cells]].to_csv(index=False, lineterminator="\n")
        replace_file(folder / f"{name}.csv", text)
    return sorted(parts)


def free_column_name_of_sweep(name, taken):
    """Return a column name that differs from those that are taken, by parameters or other columns."""
    while name in taken:
        name = f"table_{name}"
    return name
