"""One law fitted to more curves than fit in memory: Parquet in, a row group at a time, Parquet out, a part for each."""

import hashlib
import json
import os
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dominoperf import laws, parallel
from dominoperf.errors import BadTable, CannotFit, CannotRun, DominoperfError, as_python
from dominoperf.fitting.many import fit_many
from dominoperf.fitting.points import column_of_degrees_of_freedom
from dominoperf.laws import Law
from dominoperf.tables.columns import check_columns, column_names

_SETTINGS = "_fit.json"  # in the out folder: what its parts are; readers of Parquet pass over a leading underscore
_OURS = re.compile(r"part-\d{6}-[0-9a-f]{16}\.parquet")
_HIVE = re.compile(r"([^=]+)=(.*)")  # a folder that names a column and its value


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
        expected, found = (
            "a law of the library, whose parts are known again by its name",
            f"one of your own, {law.name}",
        )
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
    worker = _FitterOfParts(place, goal, law, keys, settings)
    how = {"jobs": jobs, "scheduler": scheduler, "ordered": True}
    if goal is None:
        return pd.concat(parallel.pmap(worker, (("", part) for part in parts), **how), ignore_index=True)
    return _fit_missing_parts(worker, parts, described_fit, how, tell)


@dataclass(frozen=True)
class _Place:
    """A file system and a path on it."""

    system: object
    path: str


@dataclass(frozen=True)
class _FitterOfParts:
    """Fits one part, here or on another machine."""

    source: _Place
    goal: _Place | None
    law: object
    keys: list
    settings: dict

    def __call__(self, item):
        """Return the frame of a part, or its row of the list where it is written."""
        name, part = item
        columns = [*self.keys, *_point_columns(self.law, self.settings)]
        beside = column_of_degrees_of_freedom(self.settings.get("y_err"))
        rows = _read_row_group(self.source, part, [*columns, *filter(part.types.__contains__, [beside])])
        try:
            fits = fit_many(rows, self.law, by=self.keys, **self.settings)
        except DominoperfError as error:
            where = f"{part}: {error.where}"
            raise type(error)(where, expected=error.expected, found=error.found, remedy=error.remedy) from error
        if self.goal is None:
            return fits
        _write_part_then_rename(self.goal, name, lambda file: fits.to_parquet(file, index=False))
        return name, len(fits)


def _point_columns(law, settings):
    """The columns that a fit cannot do without: x, y, and the errors where they are asked for."""
    columns = (settings.get("x") or law.x, settings.get("y") or law.y, settings.get("y_err"))
    return [name for name in columns if name is not None]


def _fit_missing_parts(worker, parts, described_fit, how, tell):
    """Fit the parts that are not there, list all of them, and remove old ones of data that changed."""
    import pyarrow.parquet

    goal, names, home = worker.goal, [], Path(__file__).parent.parent
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

    `read` gives the key columns of a part.
    """
    for cluster in _overlapping_parts(parts, keys[0]):
        hashes = np.sort(np.concatenate([_group_hashes(read(part))[0] for part in cluster]))
        twice, seen = hashes[1:][hashes[1:] == hashes[:-1]], {}
        for part in cluster if len(twice) else ():  # two groups may have one hash by chance: they themselves decide
            numbers, groups = _group_hashes(read(part))
            groups = groups[np.isin(numbers, twice)]
            groups = groups.astype(object).where(groups.notna(), None)  # a missing key equals a missing key
            for group in groups.itertuples(index=False, name=None):
                if group in seen:
                    there = " and ".join(f"{one.path}, row group {one.group}" for one in (seen[group], part))
                    named = ", ".join(f"{key} = {as_python(value)}" for key, value in zip(keys, group, strict=True))
                    expected, found = "each group in one row group", f"{named} in {there}"
                    remedy = "Write the data so that all rows of a group are in one row group."
                    raise CannotFit("fit_parts(by=...)", expected=expected, found=found, remedy=remedy)
                seen[group] = part


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


def _group_hashes(frame):
    """A number for each group of a part, and the groups."""
    groups = frame.drop_duplicates(ignore_index=True)
    return pd.util.hash_pandas_object(groups, index=False).to_numpy(), groups
