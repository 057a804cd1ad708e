"""One law fitted to many curves at once: the groups of a frame, or of Parquet files that memory does not hold.

`fit_many` fits the groups of a frame. `fit_parts` reads a partitioned data set a row group at a time, gives each to
`fit_many`, here or on another machine, and writes a Parquet file for each where it is asked to.
"""

import functools
import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import laws, parallel
from dominoperf.errors import (
    BadTable,
    CannotFit,
    CannotRun,
    DominoperfError,
    UnknownName,
    as_python,
    check_level,
    names_its_keywords,
)
from dominoperf.fitting.diagnostics import check_error_model
from dominoperf.fitting.fit import check_size_of_noise
from dominoperf.fitting.intervals import profile_intervals, wald_intervals
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, Curves
from dominoperf.fitting.points import (
    NOWHERE,
    PointsLike,
    check_axis_names,
    check_points,
    check_standard_errors_column,
    column_of_degrees_of_freedom,
    frame_with_source,
    least_degrees_of_freedom,
    read_points,
)
from dominoperf.fitting.resampling import NOT_CONVERGED
from dominoperf.fitting.summary import joined_reasons, rows_left_out_in_words
from dominoperf.laws import Law
from dominoperf.tables import carried_errata
from dominoperf.tables.columns import check_columns, check_group_columns, column_names

_FEWER_X = "fewer different x than parameters"
_ROWS = 32_768  # rows looked at together: what is made on the way does not grow with the data
_SETTINGS = "_fit.json"  # in the out folder: what its parts are; readers of Parquet pass over a leading underscore
_OURS = re.compile(r"part-\d{6}-[0-9a-f]{16}\.parquet")
_HIVE = re.compile(r"([^=]+)=(.*)")  # a folder that names a column and its value


@names_its_keywords()
def fit_many(
    data: PointsLike, law: str | Law, *, by: str | Sequence[str], x: str | None = None, y: str | None = None,
    fixed: Mapping[str, float | None] | None = None, error: str | None = None, bounded: bool = True,
    interval: str | None = None, level: float = 0.95, y_err: str | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return one law fitted to every group of a frame, as `fit` would to each alone, to the eighth digit.

    Parameters
    ----------
    data : DataFrame, str or path
        The points of all curves, as for `fit`. A resolution of y in ``data.attrs`` counts as it does in `fit`.
    law : str or Law
        A name in `LAWS`, or a record of your own.
    by : str or list of str
        The columns that tell the curves apart.
    x, y : str, optional
        Columns; by default those of the law.
    fixed, error, bounded
        As for `fit`; error="auto" is for `fit` alone.
    interval : {None, "profile", "wald"}
        Whether each parameter gets an interval, as columns named after it with ``_low`` and ``_high``.
    level : float
        Coverage of the intervals.
    y_err : str, optional
        A column of standard errors, as for `fit`, with that of their degrees of freedom beside it. A column refuted_p
        has the test of the law by these errors, NaN where nothing was run again.

    Returns
    -------
    DataFrame
        One row per group, in the order in which they first appear: the `by` columns, one column per parameter (and its
        interval), rmse, dof, params_at_bound (names of the parameters on a bound), reason (why a row has no values, or
        how many rows without x or y were left out).

    Raises
    ------
    BadTable
        When two columns have the name of one that is needed, or a `by` column that of a column of the answer.
    CannotFit
        When a value cannot be fitted, or a level or interval cannot be.
    UnknownName
        When the law, a column, an error model or a held parameter does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"box": [1, 1, 2, 2], "processors": [1, 2, 1, 2], "users": [100, 180, 50, 100]})
    >>> fit_many(runs, "amdahl", by="box")["contention"].round(3).tolist()
    [0.111, 0.0]
    """
    law, data = laws.find(law), frame_with_source(data, "fit_many(data=...)")[0]
    keys = column_names(by, "fit_many(by=...)", least=1)
    check_axis_names("fit_many", x, y)
    check_columns(data, keys, "fit_many(data=...)")
    if len(data) == 0:
        raise CannotFit("fit_many(data=...)", expected="points", found="an empty frame", remedy="Give some rows.")
    laws.check_fixed(law, fixed or {})
    check_error_model(error)
    where = f"fit_many of {law.name}"
    if y_err is not None:
        if error is not None:
            remedy = "Leave one out: y_err has the error of each point."
            raise CannotFit("fit_many(y_err=...)", expected="y_err or error", found="both", remedy=remedy)
        check_standard_errors_column("fit_many", y_err, x, y)
        error = GIVEN_PER_POINT
    if interval not in (None, "profile", "wald"):
        raise UnknownName.among("interval", interval, ("profile", "wald"))
    check_level(level, "fit_many")
    points = read_points(data.drop(columns=keys), x, y, law, y_err, call="fit_many", many=True)
    errors_dof, rows_of_points, whole = np.inf, points.source.rows, data
    source = replace(NOWHERE, rows=rows_of_points)
    if rows_of_points is not None:
        data = data.iloc[rows_of_points]
    count, pieces = _groups_in_order(data, keys)
    ends = ("", "_low", "_high") if interval else ("",)
    names = [*(f"{name}{end}" for name in law.names for end in ends), "rmse", "dof"]
    names += ["refuted_p"] if y_err is not None else []
    check_group_columns(keys, [*names, "params_at_bound", "reason"], "fit_many(by=...)")
    values, bound, reason = np.full((count, len(names)), np.nan), np.zeros(count, np.int16), np.zeros(count, np.int16)
    texts = {"": 0}  # of the columns of text, with their codes
    first = np.empty(count, np.int32 if len(data) < 2**31 else np.int64)
    for which, rows in pieces:
        x_values, y_values = (column[rows].astype(float, copy=False) for column in (points.x, points.y))
        check_points(where, law, error or law.error, points.names, (x_values, y_values), rows, source)
        if (x_values == x_values[:, :1]).all():
            x_values = x_values[:, :1]  # the same loads for all: what follows from them is computed once
        curves = Curves.from_points(law, x_values, y_values, fixed=fixed, error=error, bounded=bounded)
        if y_err is not None:
            curves = replace(curves, weights=1 / points.y_err[rows])
            check_size_of_noise(curves, 1.0, "fit_many(y_err=...)", "--y-err")
            errors_dof = least_degrees_of_freedom(points.dof_of_rows[rows], axis=0)
        values[which], names_on_bound, reasons = _fit_some_curves(curves, interval, level, points.step, errors_dof)
        bound[which], reason[which] = _word_codes(names_on_bound, texts), _word_codes(reasons, texts)
        first[which] = rows[0]
    frame = pd.DataFrame(values, columns=names, copy=False)  # the numbers stay where they were written
    for place, name in enumerate(keys):
        frame.insert(place, name, data[name].array.take(first))
    words = pd.array([*texts], dtype="str")
    frame["params_at_bound"], frame["reason"] = words.take(bound), words.take(reason)
    if rows_of_points is not None:
        frame = _with_groups_left_out(frame, whole, keys, rows_of_points)
    return carried_errata.propagate_errata(frame, carried_errata.columns_used(data, *points.columns))


def _with_groups_left_out(frame, data, keys, kept):
    """The answer with a row for groups none of whose rows has x and y, and in `reason` how many rows were left out."""
    groups = data.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    lost = np.bincount(groups) - np.bincount(groups[kept], minlength=groups.max() + 1)
    every = frame.set_axis(pd.unique(groups[kept])).reindex(range(len(lost)))
    first = data[keys].iloc[np.unique(groups, return_index=True)[1]].reset_index(drop=True)
    left_out = [rows_left_out_in_words(replace(NOWHERE, left_out=int(count))) for count in lost]
    reasons = [*map(joined_reasons, zip(every["reason"].fillna(_FEWER_X), left_out, strict=True))]
    texts = {"params_at_bound": every["params_at_bound"].fillna(""), "reason": pd.array(reasons, dtype="str")}
    return every.assign(**{name: first[name] for name in keys}, **texts)


def _fit_some_curves(curves, interval, level, step, errors_dof):
    """The values, bounds and reasons of some curves; `errors_dof`: of each, how many its errors per point rest on."""
    different = 1 + np.sum(np.diff(np.sort(curves.x, axis=0), axis=0) > 0, axis=0)
    params, squares, converged = curves.solve()
    parts = list(params)
    if interval:
        sd = curves.residual_sd(squares, step=step)[0]
        thresholds = curves.profile_threshold(sd, level, sigma_given=curves.error == GIVEN_PER_POINT)
        thresholds = np.where(np.isfinite(errors_dof), sd**2 * special.fdtri(1, errors_dof, level), thresholds)
        left = np.where(curves.dof > 0, squares / np.maximum(curves.dof, 1), np.nan)  # all that tells their size
        by_residuals = left * special.fdtri(1, np.maximum(curves.dof, 1), level)
        thresholds = np.where(np.equal(errors_dof, 0), by_residuals, thresholds)
        if interval == "wald":
            low, high = wald_intervals(curves, params, thresholds)
        else:
            low, high = profile_intervals(curves, params, thresholds, squares)[0]
        parts = [part for k in range(len(params)) for part in (params[k], low[k], high[k])]
    values = [*parts, curves.rmse(params), curves.dof]
    if curves.error == GIVEN_PER_POINT:
        tested = curves.test_dof(params)
        d = np.maximum(tested, 1)
        p = np.where(np.isfinite(errors_dof), special.fdtrc(d, errors_dof, squares / d), special.chdtrc(d, squares))
        values.append(np.where((tested > 0) & (np.asarray(errors_dof) > 0), p, np.nan))
    values = np.array(values)
    reason = np.where(converged, "", NOT_CONVERGED).astype(object)
    reason = np.where(different >= curves.free.sum(), reason, _FEWER_X)
    return np.where(reason == "", values, np.nan).T, curves.names_on_bound(params), reason


def _word_codes(words, texts):
    """The code of each word in `texts`, which gets the new ones: a column of texts needs several times the memory."""
    codes, different = pd.factorize(words)
    return np.array([texts.setdefault(word, len(texts)) for word in different], np.int16)[codes]


def _groups_in_order(data, keys):
    """The number of groups; and, piece by piece, numbers of groups of equally many rows, with these rows as columns.

    Groups count in the order of their first rows. Where the keys only rise from row to row, so that each group is in
    one piece, nothing as long as the data is made.
    """
    (key, *more) = [data[name].to_numpy() for name in keys]
    if not more and key.dtype.kind in "iuf":
        count = 1
        for first in range(0, len(key), _ROWS):
            part = key[max(first - 1, 0) : first + _ROWS]
            if not (part[1:] >= part[:-1]).all():  # NaN is no number to rise from
                break
            count += int(np.count_nonzero(part[1:] != part[:-1]))
        else:
            return count, _consecutive_groups(key)
    whole = data[keys[0]] if len(keys) == 1 else pd.MultiIndex.from_frame(data[keys])
    codes, names = pd.factorize(whole, use_na_sentinel=False)
    return len(names), _scattered_groups(codes, np.bincount(codes, minlength=len(names)))


def _consecutive_groups(key):
    """Groups whose rows are next to each other, in the order of the rows."""
    number = begun = 0
    for first in range(0, len(key), _ROWS):
        part = key[first : first + _ROWS + 1]
        starts = np.flatnonzero(part[1:] != part[:-1]) + first + 1
        edges = np.concatenate([[begun], starts])
        if first + _ROWS >= len(key):
            edges = np.append(edges, len(key))
        yield from _by_count(np.arange(number, number + len(edges) - 1), edges[:-1], np.diff(edges))
        number, begun = number + len(edges) - 1, edges[-1]


def _scattered_groups(codes, counts):
    """Groups whose rows are strewn over the data, or named by more than one number."""
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(counts) - counts
    size = max(int(_ROWS // max(counts.mean(), 1)), 1)
    for first in range(0, len(counts), size):
        part = slice(first, first + size)
        for which, rows in _by_count(np.arange(len(counts))[part], starts[part], counts[part]):
            yield which, order[rows]


def _by_count(numbers, starts, counts):
    """Split groups by how many rows they have."""
    for count in np.unique(counts):
        some = counts == count
        yield numbers[some], starts[some] + np.arange(count)[:, None]


class RowGroup(NamedTuple):
    """A row group of a file: where it is, its columns and the statistics of them."""

    path: str
    group: int
    types: dict
    ends: dict  # column to its lowest and highest value, where the file tells
    labels: dict  # columns that a folder names, with their values
    version: str  # of the file

    def __str__(self):
        """Name the row group as messages do."""
        return f"{PurePosixPath(self.path).name}, row group {self.group}"


@names_its_keywords("dominoperf.fitting:fit_many")
def fit_parts(source: str | os.PathLike, law: str | Law, *, by: str | Sequence[str],
              out: str | os.PathLike | None = None, jobs: int | None = None, scheduler: str | None = None,
              tell: Callable[[str], Any] = lambda line: None, **settings: Any) -> pd.DataFrame:  # fmt: skip
    """Return one law fitted to every group of a partitioned Parquet data set, as `fit_many` does to those of a frame.

    Each row group is read alone, with the columns that are needed, so memory follows the largest of them and the number
    of processes, never the number of curves. A group must lie in one row group.

    Parameters
    ----------
    source : path or URL
        A Parquet file, or a folder with such files at any depth, anywhere that fsspec reaches; a folder called
        ``name=value`` adds that column.
    law : str or Law
        A name in `LAWS`; without `out` a record of your own too.
    by : str or list of str
        The columns that tell the curves apart.
    out : path or URL, optional
        A folder that gets a Parquet file for each row group, each there as a whole or not at all. Those that are there
        of the same row group, settings, law and library are kept; so what was ended on the way goes on.
    jobs, scheduler
        As for `pmap`; what is in memory:// is fitted in this process.
    tell : callable
        Called with a line at the start and for every part that ends.
    **settings
        x, y, y_err, fixed, error, bounded, interval, level, as for `fit_many`.

    Returns
    -------
    DataFrame
        What `fit_many` gives, part after part; with `out` a row per part: part (its file), curves, kept (whether it was
        there before).

    Raises
    ------
    BadTable
        When the source has no Parquet files, or they cannot be read.
    CannotFit
        When a group lies in more than one row group, `out` is inside the source or has parts of another fit or would
        have those of a law of your own.
    CannotRun
        When the processes or the cluster cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"box": [1, 1, 2, 2], "processors": [1, 2, 1, 2], "users": [100, 180, 50, 100]})
    >>> runs.to_parquet("memory://runs.parquet")
    >>> fit_parts("memory://runs.parquet", "amdahl", by="box")["contention"].round(3).tolist()
    [0.111, 0.0]
    """
    law, keys = laws.find(law), column_names(by, "fit_parts(by=...)", least=1)
    place = _file_system_and_path(source)
    parts = _row_groups(place, keys, _point_columns(law, settings))
    if out is not None and laws.LAWS.get(law.name) is not law:
        expected, found = "a law of the library, whose name its parts have", f"one of your own, {law.name}"
        remedy = "Leave out= out, or call fit_many for each file."
        raise CannotFit("fit_parts(out=...)", expected=expected, found=found, remedy=remedy)
    described_fit = {"law": law.name, "by": keys, "x": law.x, "y": law.y}
    described_fit |= {name: value for name, value in settings.items() if value is not None}
    described_fit = json.loads(json.dumps(described_fit, default=str))
    goal = None if out is None else _results_folder(out, place, described_fit)
    if any("memory" in np.atleast_1d(folder.system.protocol) for folder in (place, goal) if folder):
        if scheduler:
            found, remedy = "memory://, which other processes do not see", "Copy the data to files."
            raise CannotRun("fit_parts", expected="data that the cluster sees", found=found, remedy=remedy)
        jobs = 1
    _refuse_shared_groups(parts, keys, lambda part: _read_row_group(place, part, keys))
    worker = functools.partial(_fit_part, place, goal, law, keys, settings)
    how = {"jobs": jobs, "scheduler": scheduler, "ordered": True}
    if goal is None:
        return pd.concat(parallel.pmap(worker, (("", part) for part in parts), **how), ignore_index=True)
    return _fit_missing_parts(worker, goal, parts, described_fit, how, tell)


class _Place(NamedTuple):
    """A file system and a path on it."""

    system: object
    path: str


def _fit_part(source, goal, law, keys, settings, item):
    """Fit one part, here or on another machine; return its frame, or its row of the list where it is written."""
    name, part = item
    beside = column_of_degrees_of_freedom(settings.get("y_err"))
    rows = _read_row_group(
        source, part, [*keys, *_point_columns(law, settings), *filter(part.types.__contains__, [beside])]
    )
    try:
        fits = fit_many(rows, law, by=keys, **settings)
    except DominoperfError as error:
        where = f"{part}: {error.where}"
        raise type(error)(where, expected=error.expected, found=error.found, remedy=error.remedy) from error
    if goal is None:
        return fits
    _write_part_then_rename(goal, name, lambda file: fits.to_parquet(file, index=False))
    return name, len(fits)


def _point_columns(law, settings):
    """The columns that a fit cannot do without: x, y, and the errors where they are asked for."""
    columns = (settings.get("x") or law.x, settings.get("y") or law.y, settings.get("y_err"))
    return [name for name in columns if name is not None]


def _fit_missing_parts(worker, goal, parts, described_fit, how, tell):
    """Fit the parts that are not there, list all of them, and remove old ones of data that changed."""
    import pyarrow.parquet

    names, home = [], Path(__file__).parent.parent
    rooms = (home / name for name in ("fitting", "laws", "tables"))  # tables knows the units that columns come in
    code = sorted(path for room in rooms for path in room.iterdir() if path.suffix in (".py", ".toml"))
    library = hashlib.sha256(b"".join(path.read_bytes() for path in code)).hexdigest()
    for number, part in enumerate(parts):  # a name is the number and a digest of what the results follow from
        follows_from = [described_fit, PurePosixPath(part.path).name, part.group, part.version, library]
        digest = hashlib.sha256(json.dumps(follows_from).encode()).hexdigest()[:16]
        names.append(f"part-{number:06d}-{digest}.parquet")
    there = {PurePosixPath(path).name for path in goal.system.ls(goal.path, detail=False)}
    missing = [(name, part) for name, part in zip(names, parts, strict=True) if name not in there]
    counts, resumed = {}, len(parts) - len(missing)
    tell(f"{resumed} of {len(parts)}, {resumed} resumed")
    for name, count in parallel.pmap(worker, missing, **how):
        counts[name] = count
        tell(f"{resumed + len(counts)} of {len(parts)}, {resumed} resumed")
    for name in there - set(names):
        if _OURS.fullmatch(name) or name.startswith(".part-"):
            goal.system.rm(f"{goal.path}/{name}")
    rows = []
    for name in names:
        was_there = name not in counts
        if was_there:
            with goal.system.open(f"{goal.path}/{name}") as file:
                counts[name] = pyarrow.parquet.read_metadata(file).num_rows
        rows.append((name, counts[name], was_there))
    return pd.DataFrame(rows, columns=["part", "curves", "kept"])


def _file_system_and_path(url):
    """The file system and path of a URL or a path of this machine."""
    import fsspec

    url = os.fspath(url) if isinstance(url, (str, os.PathLike)) else as_python(url)
    try:
        system, path = fsspec.core.url_to_fs(url)
    except (ValueError, ImportError) as error:
        remedy = "Give a path, or a URL whose package is installed."
        raise BadTable(url, expected="a place that fsspec reaches", found=str(error), remedy=remedy) from error
    return _Place(system, path.rstrip("/"))


def _row_groups(place, keys, axes):
    """The row groups of all files, in the order of their paths; all files must have the columns."""
    paths = [place.path] if place.system.isfile(place.path) else sorted(place.system.find(place.path))
    parts, found = [], 0
    for path in paths:
        inside = PurePosixPath(path[len(place.path) :].lstrip("/")).parts
        if path == place.path or (path.endswith(".parquet") and not any(name[0] in "._" for name in inside)):
            parts += _row_groups_of_file(place, path, inside[:-1])
            found += 1
    if not found:  # what a leading dot or underscore hides does not count
        remedy = "Name a Parquet file, or a folder of them."
        raise BadTable(place.path, expected="Parquet files", found="none", remedy=remedy)
    for part in parts:
        check_columns(pd.DataFrame(columns=list(part.types)), (*keys, *axes), str(part))
    for key in keys:
        other = next((part for part in parts if part.types[key] != parts[0].types[key]), None)
        if other:
            expected, found = f"{parts[0].types[key]}, as in {parts[0]}", str(other.types[key])
            remedy = "Write the key with one type in all files."
            raise BadTable(f"{other}, column {key}", expected=expected, found=found, remedy=remedy)
    return parts


def _row_groups_of_file(place, path, folders):
    """The row groups of a file, known by its footer alone; empty ones are passed over."""
    import pyarrow.parquet

    try:
        with place.system.open(path) as file:
            footer = pyarrow.parquet.read_metadata(file)
    except (OSError, ValueError) as error:
        raise BadTable(path, expected="a Parquet file", found=str(error), remedy="Write it again.") from error
    named = [match for match in map(_HIVE.fullmatch, folders) if match]
    labels = {match[1]: int(match[2]) if match[2].isdecimal() else match[2] for match in named}
    schema = footer.schema.to_arrow_schema()
    types = dict(zip(schema.names, map(str, schema.types), strict=True))
    types |= {name: type(value).__name__ for name, value in labels.items()}
    parts, version = [], place.system.ukey(path)
    for group in range(footer.num_row_groups):
        about = footer.row_group(group)
        if not about.num_rows:
            continue
        ends = {name: (value, value) for name, value in labels.items()}
        for column in map(about.column, range(about.num_columns)):  # statistics that leave nothing out
            s, is_float = column.statistics, column.physical_type in ("FLOAT", "DOUBLE")
            if not is_float and s is not None and s.has_min_max and s.null_count == 0:
                ends.setdefault(column.path_in_schema, (s.min, s.max))
        parts.append(RowGroup(path, group, types, ends, labels, version))
    return parts


def _read_row_group(place, part, columns):
    import pyarrow.parquet

    wanted = [name for name in dict.fromkeys(columns) if name not in part.labels]
    with place.system.open(part.path) as file, pyarrow.parquet.ParquetFile(file) as parquet:
        table = parquet.read_row_group(part.group, columns=wanted, use_threads=False)
    labels = {name: value for name, value in part.labels.items() if name in columns}
    return table.to_pandas(use_threads=False).assign(**labels)[list(dict.fromkeys(columns))]


def _results_folder(out, source, described_fit):
    """The folder of the results, made; it may have parts of the same fit alone."""
    goal = _file_system_and_path(out)
    if goal.system == source.system and f"{goal.path}/".startswith(f"{source.path}/"):
        remedy = "Name a folder beside it."
        raise CannotFit("fit_parts(out=...)", expected="a folder outside the source", found=goal.path, remedy=remedy)
    goal.system.makedirs(goal.path, exist_ok=True)
    if not goal.system.exists(f"{goal.path}/{_SETTINGS}"):
        text = json.dumps(described_fit, indent=1).encode()
        _write_part_then_rename(goal, _SETTINGS, lambda file: file.write(text))
        return goal
    with goal.system.open(f"{goal.path}/{_SETTINGS}") as file:
        before = json.loads(file.read())
    if before != described_fit:
        differs = [name for name in {**before, **described_fit} if before.get(name) != described_fit.get(name)]
        found = ", ".join(f"{name} = {before[name]}" if name in before else f"no {name}" for name in differs)
        expected, remedy = "a folder of its own for each fit", "Name another folder, or empty this one."
        raise CannotFit("fit_parts(out=...)", expected=expected, found=f"parts fitted with {found}", remedy=remedy)
    return goal


def _write_part_then_rename(goal, name, write):
    beside = f"{goal.path}/.{name.lstrip('._')}.{uuid.uuid4().hex[:8]}"
    with goal.system.open(beside, "wb") as file:
        write(file)
    goal.system.mv(beside, f"{goal.path}/{name}")


def _refuse_shared_groups(parts, keys, read):
    """Refuse parts that share a group: proven by the ends of the parts where they do not overlap, or else looked up.

    `read` gives the key columns of a part. A group is known by a number of 64 bits: memory holds no more of each.
    """

    def groups_of(part):
        groups = read(part).drop_duplicates(ignore_index=True)
        numbers = pd.util.hash_pandas_object(groups, index=False)
        return groups.astype(object).where(groups.notna(), None).set_axis(numbers)

    for cluster in _overlapping_parts(parts, keys[0]):
        numbers = np.sort(np.concatenate([groups_of(part).index for part in cluster]))
        for twice in numbers[1:][numbers[1:] == numbers[:-1]][:1]:
            two = [(part, groups.loc[twice]) for part in cluster if twice in (groups := groups_of(part)).index]
            there = " and ".join(f"{part.path}, row group {part.group}" for part, _ in two[:2])
            named = ", ".join(f"{key} = {as_python(value)}" for key, value in two[0][1].items())
            expected, found = "each group in one row group", f"{named} in {there}"
            remedy = "Write the data so that all rows of a group are in one row group."
            raise CannotFit("fit_parts(by=...)", expected=expected, found=found, remedy=remedy)


def _overlapping_parts(parts, key):
    """Parts whose ends overlap, together; one whose ends are unknown may overlap with any."""
    if any(key not in part.ends for part in parts):
        return [parts] if len(parts) > 1 else []
    clusters, highest = [], None
    for part in sorted(parts, key=lambda part: part.ends[key]):
        low, high = part.ends[key]
        if clusters and low <= highest:
            clusters[-1].append(part)
            highest = max(highest, high)
        else:
            clusters.append([part])
            highest = high
    return [cluster for cluster in clusters if len(cluster) > 1]
