"""One law fitted to more curves than fit in memory: Parquet in, a row group at a time, Parquet out, a part each."""

import functools
import hashlib
import json
import re
import uuid
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
import pandas as pd

from dominoperf import laws, parallel, tables
from dominoperf.errors import BadTable, CannotFit, CannotRun, DominoperfError
from dominoperf.fitting.many import fit_many

_SETTINGS = "_fit.json"  # in the out folder: what its parts are; readers of Parquet pass over a leading underscore
_OURS = re.compile(r"part-\d{6}-[0-9a-f]{16}\.parquet")
_COMPARED = 2**25  # rows whose groups are compared at once, eight bytes a group
_HIVE = re.compile(r"([^=]+)=(.*)")  # a folder that names a column and its value


class Part(NamedTuple):
    """A row group of a file: where it is, how many rows it has, its columns and the statistics of them."""

    path: str
    group: int
    rows: int
    types: dict
    ends: dict  # column to its lowest and highest value, where the file tells
    told: dict  # columns that a folder names, with their values
    version: str  # of the file


def fit_parts(source, law, *, by, out=None, jobs=None, scheduler=None, tell=lambda line: None, **settings):
    """Fit one law to every group of a partitioned Parquet data set, as `fit_many` does to those of a frame.

    Each row group is read alone, with the columns that are needed, so memory follows the largest of them and the number
    of processes, never the number of curves. A group must lie in one row group.

    Parameters
    ----------
    source : path or URL
        A Parquet file, or a folder with such files at any depth, anywhere that fsspec reaches; a folder called
        ``name=value`` adds that column.
    law : str or Law
        A name in `LAWS`, or a record.
    by : str or list of str
        The columns that tell the curves apart.
    out : path or URL, optional
        A folder that gets a Parquet file for each row group, each there as a whole or not at all. Those that are there
        of the same row group, settings and library are kept; so what was ended on the way goes on.
    jobs, scheduler
        As for `pmap`; what is in memory:// is fitted in this process.
    tell : callable
        Called with a line at the start and for every part that ends.
    **settings
        x, y, fixed, error, bounded, interval, level, as for `fit_many`.

    Returns
    -------
    DataFrame
        What `fit_many` gives, part after part; with `out` a row a part: part (its file), curves, kept (whether it was
        there before).

    Raises
    ------
    BadTable
        When the source has no Parquet files, or they cannot be read.
    CannotFit
        When a group lies in more than one row group, `out` is inside the source or has parts of another fit, or for a
        reason of `fit_many`.
    CannotRun
        When the processes or the cluster cannot be used.
    UnknownName
        As for `fit_many`.

    Notes
    -----
    That no group is spread over parts is proven by the statistics of the files where the lowest and highest first keys
    of the parts do not overlap. Parts that do overlap have their keys compared, before anything is fitted, by eight
    bytes a group, and a hit is looked at again.
    """
    law, keys = laws.find(law), [by] if isinstance(by, str) else list(by)
    place = _place(source)
    parts = _parts(place, keys, (settings.get("x") or law.x, settings.get("y") or law.y))
    told = _told(law, keys, settings)
    goal = None if out is None else _goal(out, place, told)
    if any("memory" in each.protocols for each in (place, goal) if each):
        jobs = _one_process(scheduler)
    _check_groups(parts, keys, lambda part: _read(place, part, keys))
    worker = _Worker(place, goal, law, keys, settings)
    how = {"jobs": jobs, "scheduler": scheduler, "ordered": True}
    if goal is None:
        return pd.concat(parallel.pmap(worker, (("", part) for part in parts), **how), ignore_index=True)
    return _kept(worker, parts, told, how, tell)


@dataclass(frozen=True)
class _Place:
    """A file system and a path on it."""

    system: object
    path: str

    @property
    def protocols(self):
        """What the file system answers to."""
        names = self.system.protocol
        return (names,) if isinstance(names, str) else names

    def open(self, name, mode="rb"):
        """Open a file by its whole path."""
        return self.system.open(name, mode)


@dataclass(frozen=True)
class _Worker:
    """Fits one part, here or on another machine."""

    source: _Place
    goal: _Place | None
    law: object
    keys: list
    settings: dict

    def __call__(self, item):
        """Return the frame of a part, or its row of the list where it is written."""
        name, part = item
        axes = (self.settings.get("x") or self.law.x, self.settings.get("y") or self.law.y)
        try:
            found = fit_many(_read(self.source, part, [*self.keys, *axes]), self.law, by=self.keys, **self.settings)
        except DominoperfError as error:
            error_in = f"{_shown(part)}: {error.where}"
            raise type(error)(error_in, expected=error.expected, found=error.found, remedy=error.remedy) from error
        if self.goal is None:
            return found
        _write(self.goal, name, lambda file: found.to_parquet(file, index=False))
        return name, len(found)


def _name(number, part, told):
    """A name for a part's results: its number and a digest of what they follow from."""
    whence = [told, PurePosixPath(part.path).name, part.group, part.version, _library()]
    return f"part-{number:06d}-{hashlib.sha256(json.dumps(whence).encode()).hexdigest()[:16]}.parquet"


def _kept(worker, parts, told, how, tell):
    """Fit the parts that are not there, list all of them, and remove old ones of data that changed."""
    goal = worker.goal
    names = [_name(*item, told) for item in enumerate(parts)]
    there = {PurePosixPath(path).name for path in goal.system.ls(goal.path, detail=False)}
    left = [(name, part) for name, part in zip(names, parts, strict=True) if name not in there]
    counts, resumed = {}, len(parts) - len(left)
    tell(f"{resumed} of {len(parts)}, {resumed} resumed")
    for name, count in parallel.pmap(worker, left, **how):
        counts[name] = count
        tell(f"{resumed + len(counts)} of {len(parts)}, {resumed} resumed")
    for name in there - set(names):
        if _OURS.fullmatch(name) or name.startswith(".part-"):
            goal.system.rm(f"{goal.path}/{name}")
    rows = [(name, counts.get(name) or _count(goal, name), name not in counts) for name in names]
    return pd.DataFrame(rows, columns=["part", "curves", "kept"])


def _place(url):
    """The file system and path of a URL or a path of this machine."""
    import fsspec

    try:
        system, path = fsspec.core.url_to_fs(str(url))
    except (ValueError, ImportError) as error:
        remedy = "Give a path, or a URL whose package is installed."
        raise BadTable(str(url), expected="a place that fsspec reaches", found=str(error), remedy=remedy) from error
    return _Place(system, path.rstrip("/"))


def _parts(place, keys, axes):
    """The row groups of all files, in the order of their paths; all files must have the columns."""
    parts = [part for path in _files(place) for part in _of_file(place, path)]
    for part in parts:
        tables.check_columns(pd.DataFrame(columns=list(part.types)), (*keys, *axes), _shown(part))
    for key in keys:
        other = next((part for part in parts if part.types[key] != parts[0].types[key]), None)
        if other:
            expected, found = f"{parts[0].types[key]}, as in {_shown(parts[0])}", str(other.types[key])
            remedy = "Write the key with one type in all files."
            raise BadTable(f"{_shown(other)}, column {key}", expected=expected, found=found, remedy=remedy)
    return parts


def _files(place):
    found = [place.path] if place.system.isfile(place.path) else sorted(place.system.find(place.path))
    hidden = lambda path: any(each[0] in "._" for each in PurePosixPath(path[len(place.path) :]).parts if each != "/")  # noqa: E731
    found = [path for path in found if path == place.path or (path.endswith(".parquet") and not hidden(path))]
    if not found:
        remedy = "Name a Parquet file, or a folder of them."
        raise BadTable(place.path, expected="Parquet files", found="none", remedy=remedy)
    return found


def _of_file(place, path):
    """The row groups of a file, known by its footer alone; empty ones are passed over."""
    import pyarrow.parquet

    try:
        with place.open(path) as file:
            known = pyarrow.parquet.read_metadata(file)
    except (OSError, ValueError) as error:
        raise BadTable(path, expected="a Parquet file", found=str(error), remedy="Write it again.") from error
    told = _told_by_folders(path[len(place.path) :])
    types = dict(zip(known.schema.to_arrow_schema().names, map(str, known.schema.to_arrow_schema().types), strict=True))
    types |= {name: type(value).__name__ for name, value in told.items()}
    version = place.system.ukey(path)
    for group in range(known.num_row_groups):
        about = known.row_group(group)
        if about.num_rows:
            ends = _ends(about) | {name: (value, value) for name, value in told.items()}
            yield Part(path, group, about.num_rows, types, ends, told, version)


def _told_by_folders(path):
    """Columns that the folders of a path name; a whole number is one."""
    pairs = [_HIVE.fullmatch(each) for each in PurePosixPath(path).parts[:-1]]
    return {each[1]: int(each[2]) if each[2].isdecimal() else each[2] for each in pairs if each}


def _ends(about):
    """The lowest and highest value of each column whose statistics leave nothing out."""
    columns = [about.column(k) for k in range(about.num_columns)]
    known = [
        (each.path_in_schema, each.statistics) for each in columns if each.physical_type not in ("FLOAT", "DOUBLE")
    ]
    return {name: (s.min, s.max) for name, s in known if s is not None and s.has_min_max and s.null_count == 0}


def _read(place, part, columns):
    """Some columns of a row group."""
    import pyarrow.parquet

    wanted = [name for name in dict.fromkeys(columns) if name not in part.told]
    with place.open(part.path) as file, pyarrow.parquet.ParquetFile(file) as parquet:
        table = parquet.read_row_group(part.group, columns=wanted, use_threads=False)
    told = {name: value for name, value in part.told.items() if name in columns}
    return table.to_pandas(use_threads=False).assign(**told)[list(dict.fromkeys(columns))]


def _goal(out, source, told):
    """The folder of the results, made; it may have parts of the same fit alone."""
    goal = _place(out)
    if goal.system == source.system and f"{goal.path}/".startswith(f"{source.path}/"):
        remedy = "Name a folder beside it."
        raise CannotFit("fit_parts(out=...)", expected="a folder outside the source", found=goal.path, remedy=remedy)
    goal.system.makedirs(goal.path, exist_ok=True)
    if not goal.system.exists(f"{goal.path}/{_SETTINGS}"):
        text = json.dumps(told, indent=1).encode()
        _write(goal, _SETTINGS, lambda file: file.write(text))
        return goal
    with goal.open(f"{goal.path}/{_SETTINGS}") as file:
        before = json.loads(file.read())
    if before != told:
        found = ", ".join(f"{name} = {before.get(name)}" for name in told if before.get(name) != told[name])
        expected, remedy = "a folder of its own for each fit", "Name another folder, or empty this one."
        raise CannotFit("fit_parts(out=...)", expected=expected, found=f"parts fitted with {found}", remedy=remedy)
    return goal


def _write(goal, name, write):
    """Write beside, then rename."""
    beside = f"{goal.path}/.{name.lstrip('._')}.{uuid.uuid4().hex[:8]}"
    with goal.open(beside, "wb") as file:
        write(file)
    goal.system.mv(beside, f"{goal.path}/{name}")


def _count(goal, name):
    import pyarrow.parquet

    with goal.open(f"{goal.path}/{name}") as file:
        return pyarrow.parquet.read_metadata(file).num_rows


def _one_process(scheduler):
    if scheduler:
        found, remedy = "memory://, which other processes do not see", "Copy the data to files."
        raise CannotRun("fit_parts", expected="data that the cluster sees", found=found, remedy=remedy)
    return 1


def _told(law, keys, settings):
    """What a fit is, in words."""
    own = {} if laws.LAWS.get(law.name) is law else {"params": [str(param) for param in law.params]}
    told = {"law": law.name, "by": keys, "x": law.x, "y": law.y} | own
    told |= {name: value for name, value in settings.items() if value is not None}
    return json.loads(json.dumps(told, default=str))


@functools.cache
def _library():
    """A digest of what the answers follow from in this package."""
    home = Path(__file__).parent.parent
    files = sorted([*(home / "fitting").glob("*.py"), *(home / "laws").glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _shown(part):
    return f"{PurePosixPath(part.path).name}, row group {part.group}"


def _check_groups(parts, keys, read):
    """Refuse parts that share a group.

    Parameters
    ----------
    parts : list of Part
    keys : list of str
    read : callable
        Gives the key columns of a part.

    Raises
    ------
    CannotFit
        Names the group and two parts that have it.
    """
    for cluster in _clusters(parts, keys[0]):
        rows = sum(part.rows for part in cluster)
        passes = 1 + rows // _COMPARED
        for turn in range(passes):
            for number in _twice(cluster, read, turn, passes):
                _refuse_shared(cluster, keys, read, number)


def _clusters(parts, key):
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


def _twice(cluster, read, turn, passes):
    """Hashes of groups that more than one part has, or seems to."""
    found = [numbers[numbers % passes == turn] for numbers in (_hashes(read(part))[0] for part in cluster)]
    found = np.sort(np.concatenate(found))
    return np.unique(found[1:][found[1:] == found[:-1]])


def _hashes(frame):
    """A number for each group of a part, and the groups."""
    groups = frame.drop_duplicates(ignore_index=True)
    return pd.util.hash_pandas_object(groups, index=False).to_numpy(), groups


def _refuse_shared(cluster, keys, read, number):
    """Two groups may have one number by chance: the groups themselves decide."""
    seen = {}
    for part in cluster:
        numbers, groups = _hashes(read(part))
        for group in groups[numbers == number].itertuples(index=False, name=None):
            if group in seen:
                there = " and ".join(f"{each.path}, row group {each.group}" for each in (seen[group], part))
                named = ", ".join(f"{key} = {value!r}" for key, value in zip(keys, group, strict=True))
                remedy = "Write the data so that all rows of a group are in one row group."
                raise CannotFit("fit_parts(by=...)", expected="each group in one row group",
                                found=f"{named} in {there}", remedy=remedy)  # fmt: skip
            seen[group] = part
