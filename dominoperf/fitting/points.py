"""From what a user names to points that a law can be fitted to, or an error that says what to do.

`read_points` goes three ways: what was named becomes a frame with its `Source`, the frame two columns, and these
numbers in the units of the law. Whatever else is known of a frame (step of printed numbers, kind of table, errata) is
in its ``attrs``, however it came here.
"""

import functools
import os
import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import laws, runs, tables
from dominoperf.errors import BadTable, CannotFit, UnknownName, as_python, as_typed, counted, shell_command, spelling
from dominoperf.fitting.error_models import AUTO, MODELS, UNTESTED, trend_of_scatter
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, Curves, Repeats
from dominoperf.laws import LAWS
from dominoperf.tables import carried_errata, files, reading, rendering
from dominoperf.tables.columns import USER, check_columns, memory_unit_factor, unit_fits
from dominoperf.tables.reading import as_numbers

_CURVE = ("load", "throughput_per_s")  # the axes of a curve of load tests, where a frame has them and nobody named any


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

    def __str__(self):
        """Name the series with its table, the table, the file, or what a frame is called."""
        if self.series:
            return f"{self.series} ({self.table})"
        return self.table or self.title or self.locator or "a frame"

    @property
    def file(self):
        """The path of the user's file that the points are from, "" without one."""
        return "" if self.table or self.title else self.locator

    def place_of(self, row):
        """Return the line of a text file in which a row begins; elsewhere the row, from 1."""
        lines = reading.lines_of_rows(self.file) if self.file else ()
        return f"line {lines[row]}" if row < len(lines) else f"row {row + 1}"


_NOWHERE = Source()
_NUMBER_WITH_UNIT = re.compile(r"\s*[\d.,]+\s*([A-Za-z]+)\s*")
# Of names, in small letters too; not min, which may be a minimum.
_SUFFIXES = {unit: unit for unit in ("ns", "us", "ms", "s", "percent")} | {
    end: unit
    for unit in ("MHz", "GHz", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB")
    for end in (unit, unit.lower())
}


@dataclass(frozen=True)
class MeasuredPoints:
    """Two columns of numbers and what is known of them: names, step of the printed y, kind of the table, source.

    `user` is what their users are called.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple
    step: float
    kind: str
    source: Source
    user: str = USER
    errata: tuple = ()  # that touch the two columns
    y_err: np.ndarray | None = None  # a standard error per point, in the unit of y
    guessed: bool = False  # whether nobody named the columns: they are the two of numbers that there are
    converted: tuple = ()  # columns of the user's that are in another unit now: their names before and after
    about_errors: str = ""  # how their column was read, where that is not plain
    y_factor: float = 1.0  # what y was multiplied with to be in the unit of the law


def read_points(data, x, y, law, y_err=None, call="fit"):
    """Return the points that the caller means.

    Parameters
    ----------
    data : str, path, DataFrame, dict, array or None
        As for `fit`.
    x, y : str or sequence
        Names of columns, "" for the usual ones; without data the values themselves.
    law : Law
        Its columns are the usual ones of a frame; its units are those that the points get.
    y_err : str or sequence, optional
        A column of standard errors, or one per point.
    call : str
        What the user called, for messages.

    Raises
    ------
    CannotFit
        When the data are no points, or the units are not those the law needs.
    UnknownName
        When a series, table or column does not exist.
    """
    if data is None:
        frame, attrs, source, guessed = _values_without_frame(x, y, call), {}, _NOWHERE, False
        x, y = frame
        if isinstance(y_err, str):
            frame = pd.DataFrame(frame)
    else:
        check_axis_names(call, x, y, "Name a column of the data, or leave the data out: x=[...], y=[...].")
        frame, source, usual = _located_frame(data, f"{call}(data=...)")
        usual = x or usual[0] or law.x, y or usual[1] or law.y
        (x, y), guessed = _x_and_y_columns(frame, (x, y), usual, y_err, source)
        check_two_columns(call, x, y)
        attrs = frame.attrs
    where = f"fit of {law.name} to {source}" if call == "fit" else f"{call} of {source}"
    if isinstance(y_err, str):
        check_standard_errors_column(call, y_err, x, y)
    x_numbers, y_numbers = (_checked_numbers(where, name, frame[name], source) for name in (x, y))
    x_name, x_values, _ = column_in_unit_of_law(x, x_numbers, law.x_unit, where)
    check_shares(law.x_unit, x_name, x_values, where, source)
    y_name, y_values, factor = column_in_unit_of_law(y, y_numbers, law.y_unit, where)
    check_shares(law.y_unit, y_name, y_values, where, source)
    errors, about_errors = None, ""
    if y_err is not None:
        in_percent = is_in_percent_of_y(frame, y_err, y, law.y_unit)
        of_y = np.abs(y_values) / 100 if in_percent else factor
        errors = _standard_errors(frame, len(y_values), y_err, "" if in_percent else law.y_unit, of_y, where, source)
        about_errors = f"{y_err} being in percent of {y_name}" if in_percent else ""
    return MeasuredPoints(
        x_values,
        y_values,
        (x_name, y_name),
        step=factor * attrs.get("resolution", {}).get(y, np.nan),
        kind=attrs.get("kind", "measured"),
        source=source,
        user=tables.user_of(frame) if data is not None else USER,
        errata=carried_errata.errata_of(carried_errata.columns_used(frame, x, y)) if attrs else (),
        y_err=errors,
        about_errors=about_errors,
        y_factor=factor,
        guessed=guessed,
        converted=() if source.table else tuple(pair for pair in ((x, x_name), (y, y_name)) if pair[0] != pair[1]),
    )


# What was named becomes a frame


def _values_without_frame(x, y, call):
    """The values of x and y given alone, by the names that their columns have, "x" and "y" without one."""
    names = {axis: name for axis, name in (("x", x), ("y", y)) if isinstance(name, str)}
    if len(names) == 1:
        ((axis, name),) = names.items()
        remedy = f"Give them, {axis}=[...]" + (", or the data with that column." if name else ".")
        expected, found = f"the values of {axis}", as_python(name) if name else "none"
        raise CannotFit(f"{call}({axis}=...)", expected=expected, found=found, remedy=remedy)
    if names:
        remedy = "Give the values, x=[1, 2, 4] and y=[...], or data: a DataFrame, a dict, a file or a series."
        raise CannotFit(f"{call}(data=...)", expected="points", found="none", remedy=remedy)
    arrays = _one_dimensional(f"{call}(x=...)", x), _one_dimensional(f"{call}(y=...)", y)
    expected, found = (len(array) for array in arrays)
    if expected != found:
        where, remedy = f"{call}(x=..., y=...)", "Give a value of y for each x."
        raise CannotFit(where, expected=f"{expected} values of y", found=str(found), remedy=remedy)
    names = [str(getattr(x, "name", None) or "x"), str(getattr(y, "name", None) or "y")]  # as pandas columns have
    return dict(zip(names if names[0] != names[1] else ("x", "y"), arrays, strict=True))


def check_axis_names(call, x, y, remedy="Name a column of the data."):
    """Refuse values of x or y where the data are given, and a column has to be named."""
    for axis, name in (("x", x), ("y", y)):
        if not isinstance(name, Hashable):
            where, found = f"{call}({axis}=...)", f"a {type(name).__name__}"
            raise CannotFit(where, expected="the name of a column", found=found, remedy=remedy)


def check_two_columns(call, x, y):
    """Refuse one column as both axes: every law that is a line would fit it."""
    if x == y:
        where = spelling(f"{call}(x=..., y=...)", "--x and --y")
        remedy = spelling("Name another one as x or as y.", "Name another one for --x or for --y.")
        raise CannotFit(where, expected="two columns", found=f"{x} for both", remedy=remedy)


def _located_frame(data, argument):
    """The frame that somebody means, its source, and the usual columns of x and y, "" but for those of a series."""
    if isinstance(data, (Mapping, np.ndarray, list, tuple)):
        data = _as_frame(data, argument)
    elif isinstance(data, os.PathLike):
        text = os.fspath(data)
        data = text if names_a_file_of_points(text) else os.path.join(".", text)
    elif hasattr(data, "to_pandas"):  # of another library
        data = tables.read_table(data)
    if isinstance(data, pd.DataFrame):
        source = data.attrs.get("source")
        return data, source if isinstance(source, Source) else _NOWHERE, ("", "")
    if not isinstance(data, str):
        remedy = f"Give the name of a series, the id of a table, {reading.ANY}."
        raise CannotFit(argument, expected="points", found=type(data).__name__, remedy=remedy)
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
        names = runs.list_series()["series"].to_list()
        listing = "`dominoperf series` lists the series, `dominoperf tables` the tables; a file needs its path."
        listing = f"It is a law: here belong the points. {listing}" if data in LAWS else listing
        listing = f"It is a folder: name a file in it. {listing}" if os.path.isdir(data) else listing
        raise UnknownName.among("series, table or file", data, names, listing) from error
    source = Source(series.title, series.table, series.name, tables.describe(series.table).full_locator)
    return runs.series(data), source, (series.x, series.y)


def _as_frame(data, argument):
    """A dict of columns, or an array of two columns, as a frame."""
    if isinstance(data, Mapping):
        columns = {str(name): _one_dimensional(f"{argument}, {name}", values) for name, values in data.items()}
        if len({len(values) for values in columns.values()}) > 1:
            found = ", ".join(f"{len(values)} of {name}" for name, values in columns.items())
            remedy = "Give a value in every column for each point."
            raise CannotFit(argument, expected="columns of one length", found=found, remedy=remedy)
        return pd.DataFrame(columns)
    try:
        array = np.asarray(data)
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 2 or array.shape[1] != 2:
        shape = " by ".join(map(str, array.shape))
        found = f"{type(data).__name__} of {shape}" if shape else type(data).__name__
        remedy = "Give a row per point: x, y; or a DataFrame; or no data, but x=[...], y=[...]."
        raise CannotFit(argument, expected="two columns, x and y", found=found, remedy=remedy)
    return pd.DataFrame(array, columns=["x", "y"])


def _one_dimensional(where, values):
    """Values as a one-dimensional array, or an error in plain words."""
    try:
        array = np.asarray(values) if not isinstance(values, (Mapping, set)) else np.empty(())
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 1:
        shape = " by ".join(map(str, array.shape)) or type(values).__name__
        raise CannotFit(where, expected="a list of numbers", found=shape, remedy="Give one number per point.")
    return array


def names_a_file_of_points(text):
    """Return whether a text names a file, not a series or a table: it is there, or is written as paths and URLs are.

    Examples
    --------
    >>> [names_a_file_of_points(text) for text in ("runs.tsv", "./runs", "smp_mail", "mine/loads")]
    [True, True, False, False]
    """
    if files.is_url(text) or Path(text).suffix.lower() in (".csv", ".tsv", ".txt", ".parquet"):
        return True  # without a look at the names of all tables
    if not (Path(text).suffix or text.startswith((".", "/", "~")) or os.path.isfile(text)):
        return False
    return text not in tables.list_tables()["id"].to_numpy() and text not in runs.list_series()["series"].to_numpy()


@functools.lru_cache(maxsize=1)
def _table_of_file(path, stamp):
    """The table of a file, read once for all laws that are fitted to it."""
    return tables.read_table(path)


def frame_of_points(data, argument):
    """Return the rows that `fit` would take its points from; `argument` is what messages call the data."""
    return _located_frame(data, argument)[0]


def rows_of(data, pairs):
    """Return the points of a series, a table or a file as a frame, only rows whose columns print certain values.

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
    frame, source, _ = _located_frame(data, "rows_of(data)")
    attrs = frame.attrs
    pairs = list(pairs.items() if isinstance(pairs, dict) else pairs if isinstance(pairs, (list, tuple)) else [pairs])
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        expected, remedy = "a column and a value in each", "Give [(column, value), ...]."
        raise CannotFit("rows_of, pairs", expected=expected, found=as_python(pairs), remedy=remedy)
    for name, value in pairs:
        check_columns(frame, [name], str(source))
        texts = frame[name].map(rendering.cell_text)
        values = sorted(set(texts))
        if value not in values:
            listing = f"Values are {', '.join(values)}."
            raise UnknownName.among(f"{name} of {source}", value, values, listing, "a value of that column")
        frame = frame[texts == value]
    frame.attrs = attrs
    return frame


def most_of_column(name, measured):
    """Return what a column can be at most: all of a processor, of its utilization; else infinity.

    So it is too where one of the `measured` values is above that: they are in another unit than the name says.

    Examples
    --------
    >>> most_of_column("cpu_utilization_percent", [11, 42]), most_of_column("users", [100, 200])
    (100.0, inf)
    """
    most = {"cpu_utilization": 1.0, "cpu_utilization_percent": 100.0}.get(name, np.inf)
    return most if np.max(measured) <= most else np.inf


SATURATED = "above 100 %: the processor is saturated before"
BELOW_ZERO = "the law falls below 0 there"
ENDS_AT_MOST = "one-sided: the upper end is 100 %, the most there can be"

# The frame becomes two columns


def _x_and_y_columns(frame, asked, usual, y_err, source):
    """The columns of x and y, and whether they are guessed: those asked for, the usual ones, a curve's or the only two.

    Only of a user's own file or frame are columns guessed.
    """
    if usual[0] in frame.columns and usual[1] in frame.columns:
        return usual, False
    if not any(asked) and {*_CURVE} <= {*frame.columns}:
        return _CURVE, False
    (x, y), guessed = usual, False
    if source.file or not frame.attrs:
        numbers = [*dict.fromkeys(frame.select_dtypes("number"))]
        if source.file and not any(asked):
            _refuse_numbers_as_names(numbers, source)
        if len(numbers) == 3 and isinstance(y_err, str) and y_err in numbers:
            numbers.remove(y_err)
        if len(numbers) == 2:
            x = asked[0] or next(name for name in (x, *numbers) if name in numbers and name != asked[1])
            y = asked[1] or next(name for name in numbers if name != x)
        guessed = (x, y) not in (usual, ("x", "y"))
        if not any(name and name not in frame for name in asked):
            _refuse_unnamed_columns(frame, (x, y), asked, source)
    hint = "" if all(asked) else spelling("Name them as x and y.", "Name them with --x and --y.")
    if not {x, y} <= {*frame.columns} and source.table and not source.series:  # it reads every series
        named = runs.list_series()
        series = ", ".join(named.loc[named["table"] == source.table, "series"])
        hint = f"{hint} Series of this table: {series}.".strip() if series else hint
    check_columns(frame, [name for name in asked if name], str(source), hint=hint)
    if missing := [name for name in (x, y) if name not in frame]:  # nobody typed them
        found, listing = f"no column {' and none '.join(missing)}", ", ".join(map(str, frame.columns))
        expected = f"columns {x} and {y}, which are the usual ones of this law, or others by name"
        raise UnknownName(str(source), expected=expected, found=found, remedy=f"Columns are {listing}. {hint}")
    check_columns(frame, (x, y), str(source), hint=hint)
    return (x, y), guessed


def _refuse_numbers_as_names(names, source):
    """Refuse a file whose columns have only numbers for names: without a header the first point would be lost."""
    if len(names) < 2 or as_numbers(pd.Series([*map(str, names)])).isna().any():
        return
    python, words = f"x={names[0]!r}, y={names[1]!r}", ("--x", str(names[0]), "--y", str(names[1]))
    named = spelling(python, f"`{shell_command(*words)}`")
    remedy = f"Write names above them, such as processors,users; if these numbers are the names, say {named}."
    found = f"the numbers {', '.join(map(str, names))}"
    raise UnknownName(str(source), expected="a line of column names", found=found, remedy=remedy)


def _refuse_unnamed_columns(frame, axes, asked, source):
    """Refuse a file or frame without columns for the axes: say what is wrong with its cells, or how to name columns."""
    absent = [axis for axis, name in zip("xy", axes, strict=True) if name not in frame]
    if not absent:
        return
    if frame.empty and len(frame.columns):
        found, remedy = f"the header {', '.join(frame)} and nothing below it", "Name a file with rows."
        raise UnknownName(str(source), expected="rows under the header", found=found, remedy=remedy)
    for name in frame.columns:
        odd = ~np.isfinite(as_numbers(frame[name])) & frame[name].notna()
        if 0 < odd.sum() <= len(frame) / 2:  # a column of numbers, but for these cells
            row = int(np.argmax(odd))
            place, found = f"{source}, column {name}, {source.place_of(row)}", as_python(frame[name].iloc[row])
            raise CannotFit(place, expected="a number", found=found, remedy="Mend the cell, or leave out the row.")
        units = {match and match[1] for match in map(_NUMBER_WITH_UNIT.fullmatch, map(str, frame[name]))}
        if len(units) == 1 and (unit := units.pop()):
            place, found = f"{source}, column {name}, {source.place_of(0)}", as_python(frame[name].iloc[0])
            remedy = f"Write the numbers alone, and their unit in the name of the column: {name}_{unit}."
            raise CannotFit(place, expected="a number", found=found, remedy=remedy)
    numbers = [name for name in frame.select_dtypes("number") if name not in asked]
    named = {axis: numbers.pop(0) for axis, name in zip("xy", asked, strict=True) if not name and numbers}
    remedy = "Give it two columns of numbers, with commas, semicolons or tabs between them."
    if len(named) == 2 - sum(map(bool, asked)):
        python = ", ".join(f"{axis}={name!r}" for axis, name in named.items())
        words = [word for axis, name in named.items() for word in (f"--{axis}", name)]
        remedy = f"Say which they are: {spelling(python, f'`{shell_command(*words)}`')}."
    expected = f"a column for {' and one for '.join(absent)}"
    raise UnknownName(str(source), expected=expected, found=f"the columns {', '.join(frame)}", remedy=remedy)


# The columns become numbers


def _checked_numbers(where, name, column, source):
    """The numbers of a column; one of text is refused: its cells have to be read first."""
    values = np.asarray(column)
    if values.ndim > 1:
        raise BadTable(where, expected="every column once", found=f"{name!r} twice", remedy="Rename one of them.")
    if values.dtype.kind in "iuf" and (values == values).any():  # NaN is not itself
        return np.array(values, float)
    column = pd.Series(column)
    numbers = as_numbers(column)
    numeric = numbers.notna()
    if len(column) and (not numeric.any() or values.dtype.kind in "mMc"):  # times and complex numbers are none either
        remedy = "Choose a column of numbers, or make one of its cells."
        first = column.iloc[0]
        found = as_python(first) if isinstance(first, str) else str(first)
        found = "empty cells alone" if column.isna().all() else found
        raise CannotFit(where, expected=f"numbers in {name}", found=found, remedy=remedy)
    texts = np.flatnonzero(~numeric & column.notna())
    if len(texts):
        place, found = f"{where}, column {name}, {source.place_of(texts[0])}", as_python(column.iloc[texts[0]])
        raise CannotFit(place, expected="a number", found=found, remedy="Leave out the rows without one.")
    return numbers.to_numpy(float)


def _unit_of_column(name, wanted):
    """The unit of a column by the vocabulary, else by what its name ends in; "" where none is known."""
    known, suffix = tables.vocabulary().get(name), str(name).rpartition("_")[2]
    unit = known.get("unit") if known else _SUFFIXES.get(suffix, "")
    if not known and unit and not unit_fits(unit, wanted):
        return ""
    return "" if unit in ("1", "row", "axis", None) else unit


def column_in_unit_of_law(name, numbers, wanted, where):
    """Return a column in the unit that the law needs: its name there, the numbers, what they were multiplied with.

    The unit of a column that the vocabulary lacks is what its name ends in, such as ``wait_ms``, if that fits.

    Raises
    ------
    CannotFit
        When the column has a unit of something else.
    """
    if not wanted:
        return name, numbers, 1.0
    unit, factor = _unit_of_column(name, wanted), 1.0
    if unit:
        try:
            factor = memory_unit_factor(unit, wanted)  # what laws know in bytes is memory and cache
        except Exception as clash:  # pint's own error of dimensions; its message names both units
            expected = f"a column in a unit of {wanted}" if wanted != "1" else "a column of shares, from 0 to 1"
            found, remedy = f"{name}, whose unit is {unit}", "Name another column, or another law."
            raise CannotFit(where, expected=expected, found=found, remedy=remedy) from clash
    if factor != 1:  # names end in their unit, a share has none
        stem, _, end = name.rpartition("_")
        stem = stem if end.lower() == unit.lower() else name
        name = stem if wanted == "1" else f"{stem}_{wanted.lower() if end.islower() else wanted}"
    return name, numbers if factor == 1 else numbers * factor, factor


def check_shares(unit, name, values, where, source=_NOWHERE):
    """Refuse a value above 1 where the law takes shares: percents, or something else."""
    if unit == "1" and (values > 1).any():
        row = int(np.argmax(values > 1))
        place, found = f"{where}, column {name}, {source.place_of(row)}", f"{values[row]:.15g}"
        remedy = f"Divide percent by 100, or name the column {name}_percent; for what is no share, take another law."
        raise CannotFit(place, expected="a share from 0 to 1", found=found, remedy=remedy)


def _standard_errors(frame, count, y_err, wanted, factor, where, source):
    """The standard error of each point: a column, or one number per point; in the unit of y unless it names its own."""
    if isinstance(y_err, str):
        check_columns(frame, (y_err,), str(source))
        name, errors = f"column {y_err}", _checked_numbers(where, y_err, frame[y_err], source)
        errors = errors_in_unit_of_law(y_err, errors, wanted, factor, where)
    else:
        column = pd.Series(_one_dimensional(f"{where}, y_err", y_err))
        name, errors = "y_err", as_numbers(column).to_numpy(float) * factor
    if len(errors) != count:
        expected, remedy = f"{count} errors, one per point", "Give a standard error for each point."
        raise CannotFit(f"{where}, y_err", expected=expected, found=str(len(errors)), remedy=remedy)
    check_standard_errors(f"{where}, {name}", errors, source)
    return errors


def is_in_percent_of_y(frame, y_err, y, wanted):
    """Return whether a column of errors is in percent of y: by its signs or name, and y itself is in no percent.

    Raises
    ------
    CannotFit
        When some of its cells alone have a percent sign.
    """
    if not isinstance(y_err, str):
        return False
    signed = getattr(frame, "attrs", {}).get(reading.PERCENT_SIGNS, {})
    if not signed.get(y_err, True):
        remedy = "Write all of them in one unit."
        where, found = f"column {y_err}", "it in some of them"
        raise CannotFit(where, expected="a percent sign in every cell or in none", found=found, remedy=remedy)
    of_y = y not in signed and not str(y).endswith("_percent")
    return of_y and (y_err in signed or (y_err.endswith("_percent") and wanted != "1"))


def errors_in_unit_of_law(name, errors, wanted, factor, where):
    """Return a column of standard errors in the unit of the law: from its own unit, else by the `factor` of y."""
    if wanted and _unit_of_column(name, wanted):
        return column_in_unit_of_law(name, errors, wanted, where)[1]
    return errors * factor


# What no fit can take


def check_order_of_law_and_points(call, law, data, names):
    """Refuse data where a law belongs, and a law where the data belong: the two were exchanged."""
    if isinstance(law, str) and isinstance(data, str) and law not in names and data in names:
        remedy = f"The law comes first: {call}({data!r}, {law!r})."
        raise UnknownName(call, expected="a law, then the data", found=f"{law!r}, then {data!r}", remedy=remedy)


def check_standard_errors(place, errors, source=_NOWHERE):
    """Refuse standard errors that are no numbers above zero."""
    bad = np.flatnonzero(~(np.isfinite(errors) & (errors > 0)))
    if len(bad):
        remedy = "Give the standard error of each point in the unit of y, or leave out the rows without one."
        place, found = f"{place}, {source.place_of(bad[0])}", f"{errors[bad[0]]:g}"
        raise CannotFit(place, expected="a standard error above zero", found=found, remedy=remedy)


def check_standard_errors_column(call, y_err, x, y):
    """Refuse x or y itself as the column of standard errors, and what names no column."""
    expected = "a column of standard errors, besides those of x and y"
    remedy = spelling("Leave y_err out if there is none.", "Leave --y-err out if there is none.")
    if not isinstance(y_err, str):
        found, remedy = f"a {type(y_err).__name__}", "Name a column of the data."
        raise CannotFit(f"{call}(y_err=...)", expected=expected, found=found, remedy=remedy)
    if y_err in (x, y):
        named = spelling(f"{call}(y_err={y_err!r})", f"--y-err {y_err}")
        raise CannotFit(named, expected=expected, found=f"{y_err}, which is one of the two", remedy=remedy)


def check_error_model(error, more=()):
    """Refuse an error model that does not exist, or is not among `more`; None means the law's own."""
    models = (*MODELS, *more)
    if error not in (None, *models):
        *first, last = models
        raise UnknownName.among("error", error, models, f"It is {', '.join(first)} or {last}.")


def check_points(where, law, error, names, points, rows, source=_NOWHERE, *, in_logs=False):
    """Refuse values that no curve can have; `rows` says which row of the data, or of a file, each comes from.

    `in_logs` says that the caller takes logarithms, so that no other error model helps.
    """
    for name, values, positive in zip(names, points, (law.positive, error == "relative"), strict=True):
        bad = ~np.isfinite(values) | (positive & (values <= 0))
        if bad.any():
            row = rows[bad].min()
            value = values[rows == row][0]
            expected, found = "a number above zero" if positive else "a number", f"{value:.15g}"
            remedy = "Leave out the row."
            if not np.isfinite(value):
                remedy = "Leave out the rows without a value, and text."
                found = spelling(found, "an empty cell") if np.isnan(value) else found
            elif name == names[1] and not in_logs:  # relative errors alone need it
                constant = spelling('error="constant"', "--error constant")
                remedy = f"Leave out the row, or take errors of the same size everywhere: {constant}."
            place = f"{where}, column {name}, {source.place_of(row)}"
            raise CannotFit(place, expected=expected, found=found, remedy=remedy)


def axis_values(values, name, where, *, positive=True, some=False):
    """Return values of an axis, where somebody asks for a forecast, as plain numbers; of a frame its column.

    Raises
    ------
    CannotFit
        When one is no number, or not above zero if it has to be `positive`; when there is none, if `some` are needed.
    """
    if values is None:
        remedy = f"Say where, in {name}: at=[...]."
        raise CannotFit(where, expected="values to forecast at", found="none", remedy=remedy)
    column = values[name] if isinstance(values, pd.DataFrame) and name in values else values
    numbers = as_numbers(pd.Series(np.ravel(column), dtype=object)).to_numpy(float)
    if not (np.isfinite(numbers) & ((numbers > 0) | (not positive))).all() or (some and not len(numbers)):
        found = f"a frame of {', '.join(map(str, values))}" if isinstance(values, pd.DataFrame) else as_typed(values)
        expected = f"{name} above zero" if positive else "numbers"
        remedy = f"Give values of {name}{spelling(', or a frame with that column', '')}."
        raise CannotFit(where, expected=expected, found=found, remedy=remedy)
    return numbers


def weighted_curves_of_points(law, points, *, fixed, error, bounded):
    """Return the points weighted for a fit, once nothing speaks against it.

    Raises
    ------
    CannotFit
        With fewer different x values than free parameters, or values that the law cannot take.
    UnknownName
        When there is no such error model or parameter.
    """
    laws.check_fixed(law, fixed or {})
    check_error_model(error, (AUTO,))
    if error == AUTO:  # chosen once there are residuals, beginning with the law's own
        error = None if (points.y > 0).all() else "constant"
    error = error if points.y_err is None else GIVEN_PER_POINT
    where, rows = f"fit of {law.name} to {points.source}", np.arange(len(points.x))
    check_points(where, law, error or law.error, points.names, (points.x, points.y), rows, points.source)
    curves = Curves.from_points(law, points.x[:, None], points.y[:, None], fixed=fixed, error=error, bounded=bounded)
    if points.y_err is not None:
        curves = replace(curves, weights=1 / points.y_err[:, None])
    different, free = len(np.unique(points.x)), np.count_nonzero(curves.free)
    if not free:
        remedy = spelling("Leave one out of fixed.", "Leave one of --fixed out.")
        raise CannotFit(where, expected="a parameter to seek", found="all held", remedy=remedy)
    if different < free:
        fewer = []  # laws that would fit, each with the constants that somebody has to give
        for other in LAWS.values():
            if other.family == law.family and len(other.fitted_names) <= different:
                names = [param.name for param in other.params if param.required]
                constants = ", ".join(spelling(f"{name}=...", f"--fixed {name} VALUE") for name in names)
                how = spelling(f" with fixed={{{constants}}}", f" with {constants}") if names else ""
                fewer.append(f"{other.name}{how}")
        expected = f"at least {free} points with different x, one for each parameter"
        remedy = f"Of its family {', '.join(fewer) or 'no law'} would fit."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    return curves


def means_of_each_x(curves, names, where):
    """Return rows of one curve with each x once: the mean of its y, with the standard error of that mean.

    The scatter of the rows about their means is pooled over all x, as the error model has it grow with the value:
    ``s^2 = sum(((y - mean) / mean^p)^2) / (rows - x)``, and the error of a mean of k rows is ``s mean^p / sqrt(k)``.

    Raises
    ------
    CannotFit
        When no x has two rows that differ, and so nothing shows the scatter.
    """
    x, group, count = np.unique(curves.x[:, 0], return_inverse=True, return_counts=True)
    y, dof = curves.y[:, 0], count - 1
    means = np.bincount(group, y) / count
    off = y - means[group]
    if curves.exact(np.sum((curves.weights[:, 0] * off) ** 2))[0]:
        found = f"{counted(len(y), 'row')} at {len(x)} different {names[0]}, without a difference at any of them"
        remedy = spelling("Leave by_x out: take the rows as they are.", "Leave --by-x out: take the rows as they are.")
        raise CannotFit(where, expected="rows of one x that differ", found=found, remedy=remedy)
    grows = means**curves.power
    squares = np.bincount(group, (off / grows[group]) ** 2)
    pooled = np.sqrt(squares.sum() / dof.sum())
    trend = trend_of_scatter(np.log(means), squares, dof) if (means > 0).all() else UNTESTED
    repeats = Repeats(len(y), float(pooled), curves.error, curves.power, int(dof.sum()), trend)
    weights, given = np.sqrt(count) / (pooled * grows), {"error": GIVEN_PER_POINT, "power": 0.0, "repeats": repeats}
    return replace(curves, x=x[:, None], y=means[:, None], weights=weights[:, None], **given)
