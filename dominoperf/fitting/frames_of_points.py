"""What a user names as points, becomes a frame with its `Source`: a series, a table, a file, a frame, values.

Whatever else is known of a frame (step of printed numbers, kind of table, errata) is in its ``attrs``, however it came
here.
"""

import functools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import BadTable, CannotFit, UnknownName, as_python, joined_with
from dominoperf.tables import files, reading, rendering
from dominoperf.tables.columns import check_columns
from dominoperf.tables.headings import in_mapped_columns

PointsLike = str | os.PathLike | pd.DataFrame | pd.Series | Mapping | Sequence | np.ndarray
"""What stands for points: the name of a series, the id of a table, the path or URL of a file, a frame, columns."""
ValuesLike = str | Sequence | np.ndarray | pd.Series | pd.Index
"""A column by its name, or its values."""
NumbersLike = float | Sequence | np.ndarray | pd.Series | pd.DataFrame
"""Numbers to ask at: one, several, or a frame with their column."""
_FILES = (".csv", ".tsv", ".txt", ".parquet")  # endings of files of points


@dataclass(frozen=True)
class Source:
    """Where points are from, "" for what is not known: its words are those of messages.

    Parameters
    ----------
    title : str
        Of a series or a table; of a frame whatever its maker gave in ``frame.attrs["source"]``, a `Source`.
    table, series : str
        The id of the table, the name of the series.
    locator : str
        The place in the document; the path of a file.
    rows : ndarray, optional
        The numbers of the rows that are points, from 0, where others have no x or no y.
    left_out : int
        How many these others are.
    failed_loads : str
        Which points are of loads at which requests failed, in words.
    several_systems : str
        In which column the points differ, though no part of a system may differ in a curve, in words.

    Examples
    --------
    >>> from dominoperf import fit
    >>> source = fit("amdahl", "smp_mail").source
    >>> source.series, source.locator
    ('smp_mail', 'Appendix A, page A-1')
    """

    title: str = ""
    table: str = ""
    series: str = ""
    locator: str = ""
    rows: np.ndarray | None = field(default=None, repr=False, compare=False)
    left_out: int = field(default=0, repr=False, compare=False)
    failed_loads: str = field(default="", repr=False, compare=False)
    several_systems: str = field(default="", repr=False, compare=False)

    def __str__(self):
        """Name the series with its table, the table, the file, or what a frame is called."""
        if self.series:
            return f"{self.series} ({self.table})"
        return self.table or self.title or self.locator or "a frame"

    @property
    def file(self) -> str:
        """The path of the user's file that the points are from, "" without one."""
        return "" if self.table or self.title else self.locator

    def place_of(self, row: int) -> str:
        """Return the line of a text file in which a row begins; elsewhere the row, from 1."""
        return reading.place_of_row(self.file, row if self.rows is None else int(self.rows[row]))


NOWHERE = Source()


def values_without_frame(x, y, call):
    """Return the values of x and y given alone, by the names that their columns have, "x" and "y" without one."""
    names = {axis: name for axis, name in (("x", x), ("y", y)) if isinstance(name, str)}
    if len(names) == 1:
        ((axis, name),) = names.items()
        remedy = f"Give them, {axis}=[...]" + (", or the data with that column." if name else ".")
        expected, found = f"the values of {axis}", as_python(name) if name else "none"
        raise CannotFit(f"{call}({axis}=...)", expected=expected, found=found, remedy=remedy)
    if names:
        remedy = "Give the values, x=[1, 2, 4] and y=[...], or data: a DataFrame, a dict, a file or a series."
        raise CannotFit(f"{call}(data=...)", expected="points", found="none", remedy=remedy)
    arrays = one_dimensional_values(f"{call}(x=...)", x), one_dimensional_values(f"{call}(y=...)", y)
    expected, found = (len(array) for array in arrays)
    if expected != found:
        where, remedy = f"{call}(x=..., y=...)", "Give a value of y for each x."
        raise CannotFit(where, expected=f"{expected} values of y", found=str(found), remedy=remedy)
    names = [str(getattr(x, "name", None) or "x"), str(getattr(y, "name", None) or "y")]  # as pandas columns have
    return dict(zip(names if names[0] != names[1] else ("x", "y"), arrays, strict=True))


def frame_with_source(data, argument):
    """Return the frame that somebody means, its source, and the usual columns of x and y, "" but for a series."""
    if isinstance(data, (Mapping, np.ndarray, list, tuple)):
        data = _as_frame(data, argument)
    elif isinstance(data, os.PathLike):
        text = os.fspath(data)
        data = text if names_a_file_of_points(text) else os.path.join(".", text)
    elif isinstance(data, pd.Series) and any(isinstance(name, str) for name in data.index.names):  # x is in its index
        data = data.to_frame("y" if data.name is None else data.name)
    elif hasattr(data, "to_pandas"):  # of another library
        data = tables.read_table(data)
    if isinstance(data, pd.DataFrame):
        source = data.attrs.get("source")
        return reading.with_levels_of_index(data), source if isinstance(source, Source) else NOWHERE, ("", "")
    if not isinstance(data, str):
        remedy = f"Give the name of a series, the id of a table, {reading.ANY}."
        raise CannotFit(argument, expected="points", found=type(data).__name__, remedy=remedy)
    if os.path.isdir(data) and not _names_ours(data):
        remedy = "Name a file in it. A folder of load tests becomes points by `dominoperf curve`."
        raise BadTable(data, expected="a file of points", found="a folder", remedy=remedy)
    if names_a_file_of_points(data):
        if not os.path.isfile(data):
            return tables.read_table(data), Source(locator=data), ("", "")
        about = os.stat(data)
        frame = _table_of_file(data, (about.st_ino, about.st_size, about.st_mtime_ns))
        return frame, Source(locator=data), ("", "")
    if "/" in data:
        about = tables.describe(data)
        return tables.load(data), Source(about.title, table=data, locator=about.full_locator), ("", "")
    try:
        series = runs.find(data)
    except UnknownName as error:
        names = runs.series_names()
        listing = "`dominoperf series` lists the series, `dominoperf tables` the tables; a file needs its path."
        raise UnknownName.among("series, table or file", data, names, listing) from error
    source = Source(series.title, series.table, series.name, tables.describe(series.table).full_locator)
    return runs.series(data), source, (series.x, series.y)


def _as_frame(data, argument):
    """A dict of columns, or an array of two columns, as a frame."""
    if isinstance(data, Mapping):
        names = [str(name).encode(errors="backslashreplace").decode() for name in data]  # pandas takes no half letters
        columns = {name: one_dimensional_values(f"{argument}, {name}", values)
                   for name, values in zip(names, data.values(), strict=True)}  # fmt: skip
        if len({len(values) for values in columns.values()}) > 1:
            found = ", ".join(f"{len(values)} of {name}" for name, values in columns.items())
            remedy = "Give a value in every column for each point."
            raise CannotFit(argument, expected="columns of one length", found=found, remedy=remedy)
        return pd.DataFrame(columns)
    try:
        array = _array_with_gaps(data)
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 2 or array.shape[1] != 2:
        shape = " by ".join(map(str, array.shape))
        found = f"{type(data).__name__} of {shape}" if shape else type(data).__name__
        remedy = "Give a row per point: x, y; or a DataFrame; or no data, but x=[...], y=[...]."
        raise CannotFit(argument, expected="two columns, x and y", found=found, remedy=remedy)
    return pd.DataFrame(array, columns=["x", "y"])


def _array_with_gaps(values):
    """Values as an array, NaN where a masked one has none."""
    masked = isinstance(values, np.ma.MaskedArray)
    return np.ma.filled(values.astype(float), np.nan) if masked else np.asarray(values)


def one_dimensional_values(where, values):
    """Return values as a one-dimensional array, or raise an error in plain words."""
    try:
        array = _array_with_gaps(values) if not isinstance(values, (Mapping, set)) else np.empty(())
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 1:
        shape = " by ".join(map(str, array.shape)) or type(values).__name__
        raise CannotFit(where, expected="a list of numbers", found=shape, remedy="Give one number per point.")
    return array


def names_a_file_of_points(text):
    """Return whether a text names a file, not a series or a table: it is there, or is written as paths and URLs are."""
    if files.is_url(text) or Path(text).suffix.lower() in _FILES:
        return True  # without a look at the names of all tables
    if not (Path(text).suffix or text.startswith((".", "/", "~")) or os.path.isfile(text)):
        return False
    return not _names_ours(text)


def _names_ours(text):
    """Whether a text is the id of a table or the name of a series."""
    return text in tables.list_tables()["id"].to_numpy() or text in runs.series_names()


@functools.lru_cache(maxsize=1)
def _table_of_file(path, stamp):
    """The table of a file, read once for all laws that are fitted to it."""
    return tables.read_table(path)


def rows_of(data: PointsLike, pairs: Mapping | Sequence, *, mapping: Mapping | None = None) -> pd.DataFrame:
    """Return the points of a series, a table or a file as a frame, only rows whose columns print certain values.

    `mapping` gives columns our names and units, as for `loadtests.readers.read`; the values are those as printed.

    Raises
    ------
    CannotFit
        When the pairs are not of a column and a value.
    UnknownName
        When there is no such series, table, column, or value in it.
    BadTable
        When a file cannot be read.

    Examples
    --------
    >>> rows_of("smp_mail", [("processors", "2")])["users"].tolist()
    [2850]
    """
    frame, source, _ = frame_with_source(data, "rows_of(data)")
    attrs = frame.attrs
    pairs = list(pairs.items() if isinstance(pairs, dict) else pairs if isinstance(pairs, (list, tuple)) else [pairs])
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        expected, remedy = "a column and a value in each", "Give [(column, value), ...]."
        raise CannotFit("rows_of, pairs", expected=expected, found=as_python(pairs), remedy=remedy)
    for name, value in pairs:
        value = value if isinstance(value, str) else rendering.cell_text(value)
        check_columns(frame, [name], str(source))
        texts = frame[name].map(rendering.cell_text)
        values = sorted(set(texts))
        if value not in values:
            listing = f"Values are {', '.join(values)}."
            raise UnknownName.among(f"{name} of {source}", value, values, listing, f"a value of {name}")
        frame = frame[texts == value]
    frame = in_mapped_columns(frame, mapping, str(source))
    if source.file:  # so that later messages name it
        chosen = joined_with("and", [f"{name}={value}" for name, value in pairs])
        attrs = attrs | {"source": Source(title=f"{source} with {chosen}" if pairs else str(source))}
    frame.attrs = attrs
    return frame
