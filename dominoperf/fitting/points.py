"""From what a user names to points that a law can be fitted to, or an error that says what to do.

`read_points` has three steps: what was named becomes a frame with its `Source` (a series, a table, a file, a frame, or
values), two columns of it are chosen, and these become numbers in the units of the law. Whatever else is known of a
frame (step of printed numbers, kind of table, errata) is in its ``attrs``, however it came here. The checks at the end
refuse what no fit, forecast or comparison can take.
"""

import functools
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import (
    BadTable,
    CannotFit,
    UnknownName,
    as_python,
    as_typed,
    joined_with,
    names_its_keywords,
    spelling,
)
from dominoperf.tables import carried_errata, files, reading, rendering
from dominoperf.tables.columns import OF_ITS_ROW, USER, check_columns, meaning_of, memory_unit_factor, unit_fits
from dominoperf.tables.folders import users_data_folders
from dominoperf.tables.headings import LOADS, THROUGHPUTS, columns_of_headings, heading_words, in_mapped_columns
from dominoperf.tables.reading import NUMBERS_ALONE, as_numbers, is_absent_cell
from dominoperf.tables.rendering import cell_text
from dominoperf.tables.rows_of_one_curve import check_no_totals, failed_points_in_words, several_systems

PointsLike = str | os.PathLike | pd.DataFrame | pd.Series | Mapping | Sequence | np.ndarray
"""What stands for points: the name of a series, the id of a table, the path or URL of a file, a frame, columns."""
ValuesLike = str | Sequence | np.ndarray | pd.Series | pd.Index
"""A column by its name, or its values."""
NumbersLike = float | Sequence | np.ndarray | pd.Series | pd.DataFrame
"""Numbers to ask at: one, several, or a frame with their column."""
_FILES = (".csv", ".tsv", ".txt", ".parquet")  # endings of files of points
_CURVE = ("load", "throughput_per_s")  # the axes of a curve of load tests, where a frame has them and nobody named any
_CAPACITY = ("processors", "users")  # the axes of laws that a throughput by its load follows too
_TWO_COLUMNS, _BY_HEADINGS = "The two columns of numbers", "By their headings"  # why columns are taken
_NUMERAL_WITH_UNIT = r"[-+$]?\d[\d.,' ]*[A-Za-zµ%/]*"
_UTILIZATION_OF_RATE = (
    "A rate is no utilization: give the rate times the service time of a request, divided by the number of servers. "
    "The service time is about the response at the lowest rate."
)
_ERRORS, _DOF = "std_error", "dof"  # what the names of a column of errors, and of the one beside it, end in


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
    without_load : int
        How many rows were left out because x and y are 0, through which the law passes with any parameters.
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
    without_load: int = field(default=0, repr=False, compare=False)
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


@dataclass(frozen=True)
class MeasuredPoints:
    """Two columns of numbers and what is known of them: names, step of the printed y, kind of the table, source.

    `user` is what their users are called.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, str]
    step: float
    kind: str
    source: Source
    user: str = USER
    errata: tuple = ()  # that touch the two columns
    y_err: np.ndarray | None = None  # a standard error per point, in the unit of y
    guessed: str = ""  # why these columns are x and y, where nobody named them
    converted: tuple = ()  # columns of the user's that are in another unit now: their names before and after
    columns: tuple = ()  # the columns of the user's that they are read from
    dof_of_rows: np.ndarray | None = None  # degrees of freedom of each error; infinite: known, 0: nothing was run again
    index: pd.Index | None = None  # of the rows of the user's that they are
    y_factor: float = 1.0  # what y was multiplied with to be in the unit of the law

    @property
    def errors_dof(self):
        """What all errors together rest on; 0: their ratios alone, for nothing was run again."""
        return np.inf if self.dof_of_rows is None else least_degrees_of_freedom(self.dof_of_rows)


def read_points(data, x, y, law, y_err=None, call="fit", *, many=False, empty=False):
    """Return the points that the caller means. Rows without x or y are none, nor are those of 0 for both.

    `source` has how many these are.

    `data` is as for `fit`; `x` and `y` are names of columns, None for the usual ones of the law, or without data the
    values themselves; `y_err` is a column of standard errors, or one per point. The points get the units of the law.
    `call` is what the user called, for messages. With `many` the points are of many curves: nothing is asked of them as
    points of one, and whole numbers stay as they are; with `empty` an empty cell of y stays, as where a capacity has no
    upper limit.

    `CannotFit` where the data are no points, or the units are not those the law needs; `UnknownName` where a series,
    table or column does not exist.
    """
    x, y = ("" if name is None else name for name in (x, y))
    if data is None:
        frame, (x, y), index = _columns_of_values(x, y, y_err, call)
        source, guessed, attrs, user = NOWHERE, "", {}, USER
    else:
        frame, (x, y), index, source, guessed = _columns_of_data(data, x, y, law, y_err, call, many)
        attrs, user = frame.attrs, tables.user_of(frame)
    where = f"fit of {law.name} to {source}" if call == "fit" else f"{call} of {source}"
    if isinstance(y_err, str):
        check_standard_errors_column(call, y_err, x, y)
    x_numbers, y_numbers = (_numbers_of_point_column(where, name, frame[name], source) for name in (x, y))
    lost = np.zeros(len(index), bool)
    for numbers in (x_numbers,) if empty else (x_numbers, y_numbers):
        if numbers.dtype.kind == "f":
            lost |= np.isnan(numbers)
    without_load = np.zeros(len(index), bool)
    if not (many or empty) and law.positive and not law.at_zero and len(x_numbers) == len(y_numbers):
        without_load = (x_numbers == 0) & (y_numbers == 0)  # which every such law passes through
        lost |= without_load
    if lost.any() and (kept := np.flatnonzero(~lost)).size:
        x_numbers, y_numbers, index = x_numbers[kept], y_numbers[kept], index[kept]
        source = replace(source, rows=kept, left_out=int((lost & ~without_load).sum()),
                         without_load=int(without_load.sum()))  # fmt: skip
        if isinstance(frame, pd.DataFrame):
            frame = frame.iloc[kept]
        if y_err is not None and not isinstance(y_err, str) and len(y_err) == len(lost):
            y_err = np.asarray(y_err)[kept]
    if not many:
        x_numbers, y_numbers = np.array(x_numbers, float), np.array(y_numbers, float)
    x_name, x_values, _ = _column_in_unit_of_law(x, x_numbers, law.x_unit, where)
    _check_shares(law.x_unit, x_name, x_values, where, source)
    y_name, y_values, factor = _column_in_unit_of_law(y, y_numbers, law.y_unit, where)
    _check_shares(law.y_unit, y_name, y_values, where, source)
    errors, dof_of_rows = None, None
    if y_err is not None:
        errors = _standard_errors_of_points(frame, y, y_values, y_err, law.y_unit, factor, where, source)
        dof_of_rows = degrees_of_freedom_of_errors(frame, y_err, where, source)
    return MeasuredPoints(
        x_values,
        y_values,
        (x_name, y_name),
        step=factor * attrs.get("resolution", {}).get(y, np.nan),
        kind=attrs.get("kind", "measured"),
        source=source,
        user=user,
        errata=carried_errata.errata_of(carried_errata.columns_used(frame, x, y)) if attrs else (),
        y_err=errors,
        columns=(x, y),
        dof_of_rows=dof_of_rows,
        index=index,
        y_factor=factor,
        guessed=guessed,
        converted=() if source.table else tuple(pair for pair in ((x, x_name), (y, y_name)) if pair[0] != pair[1]),
    )


def _columns_of_values(x, y, y_err, call):
    """The values of x and y given alone as columns, "x" and "y" where they have no name; their names and the index."""
    names = {axis: name for axis, name in (("x", x), ("y", y)) if isinstance(name, str)}
    if len(names) == 1:
        ((axis, name),) = names.items()
        remedy = f"Give them, {axis}=[...]" + (", or the data with that column." if name else ".")
        expected, found = f"the values of {axis}", as_python(name) if name else "none"
        raise CannotFit(f"{call}({axis}=...)", expected=expected, found=found, remedy=remedy)
    if names:
        remedy = "Give the values, x=[1, 2, 4] and y=[...], or data: a DataFrame, a dict, a file or a series."
        raise CannotFit(f"{call}(data=...)", expected="points", found="none", remedy=remedy)
    arrays = _one_dimensional_values(f"{call}(x=...)", x), _one_dimensional_values(f"{call}(y=...)", y)
    expected, found = (len(array) for array in arrays)
    if expected != found:
        where, remedy = f"{call}(x=..., y=...)", "Give a value of y for each x."
        raise CannotFit(where, expected=f"{expected} values of y", found=str(found), remedy=remedy)
    names = [str(getattr(x, "name", None) or "x"), str(getattr(y, "name", None) or "y")]  # as pandas columns have
    frame = dict(zip(names if names[0] != names[1] else ("x", "y"), arrays, strict=True))
    indexes = [values.index for values in (y, x) if isinstance(values, pd.Series)]
    index = indexes[0] if indexes else pd.RangeIndex(len(arrays[0]))
    return pd.DataFrame(frame) if isinstance(y_err, str) else frame, (*frame,), index


def _columns_of_data(data, x, y, law, y_err, call, many):
    """The frame that was named, its two columns, the index of its rows, its source, and why they are these columns."""
    check_axis_names(call, x, y, "Name a column of the data, or leave the data out: x=[...], y=[...].")
    frame, source, usual = frame_with_source(data, f"{call}(data=...)")
    # Of tables of the data more is known than where they are from; any other frame or file is the user's.
    is_users = bool(source.file) or {"kind", rendering.PRINTED}.isdisjoint(frame.attrs)
    if is_users:
        check_no_totals(frame, str(source), source.file)
    wanted = x or usual[0] or law.x, y or usual[1] or law.y
    (x, y), guessed = _x_and_y_columns(frame, (x, y), wanted, y_err, source, is_users)
    if x == y:  # every law that is a line would fit it
        place = spelling(f"{call}(x=..., y=...)", "--x and --y")
        remedy = spelling("Name another one as x or as y.", "Name another one for --x or for --y.")
        raise CannotFit(place, expected="two columns", found=f"{x} for both", remedy=remedy)
    if is_users and not many:
        source = replace(source, failed_loads=failed_points_in_words(frame, x, y))
    of_users_folder = source.table.partition("/")[0] in {folder.name for folder in users_data_folders()}
    if not many and (is_users or (of_users_folder and not source.series)):
        source = replace(source, several_systems=_several_systems_in_words(frame, x, y))
    index = data.index if isinstance(data, (pd.DataFrame, pd.Series)) else frame.index
    return frame, (x, y), index, source, guessed


def frame_with_source(data, argument):
    """Return the frame that somebody means, its source, and the usual columns of x and y, "" but for a series."""
    if isinstance(data, (Mapping, np.ndarray, list, tuple)):
        data = _as_frame(data, argument)
    elif isinstance(data, os.PathLike):
        text = os.fspath(data)
        data = text if _names_a_file_of_points(text) else os.path.join(".", text)
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
        how = spelling("`curve(FOLDER)`", "`dominoperf curve`")
        remedy = f"Name a file in it. A folder of load tests becomes points by {how}."
        raise BadTable(data, expected="a file of points", found="a folder", remedy=remedy)
    if _names_a_file_of_points(data):
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
        series = spelling("`runs.list_series()`", "`dominoperf series`")
        known = spelling("`list_tables()`", "`dominoperf tables`")
        listing = f"{series} lists the series, {known} the tables; a file needs its path."
        raise UnknownName.among("series, table or file", data, names, listing) from error
    source = Source(series.title, series.table, series.name, tables.describe(series.table).full_locator)
    return runs.series(data), source, (series.x, series.y)


def _as_frame(data, argument):
    """A dict of columns, or an array of two columns, as a frame."""
    if isinstance(data, Mapping):
        names = [str(name).encode(errors="backslashreplace").decode() for name in data]  # pandas takes no half letters
        columns = {name: _one_dimensional_values(f"{argument}, {name}", values)
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


def _one_dimensional_values(where, values):
    """Values as a one-dimensional array, or an error in plain words."""
    try:
        array = _array_with_gaps(values) if not isinstance(values, (Mapping, set)) else np.empty(())
    except ValueError:  # rows of different lengths
        array = np.empty(())
    if array.ndim != 1:
        shape = " by ".join(map(str, array.shape)) or type(values).__name__
        raise CannotFit(where, expected="a list of numbers", found=shape, remedy="Give one number per point.")
    return array


def _names_a_file_of_points(text):
    """Whether a text names a file, not a series or a table: it is there, or is written as paths and URLs are."""
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


def _x_and_y_columns(frame, asked, usual, y_err, source, is_users):
    """The columns of x and y, and why they are if nobody named them.

    They are those asked for, the usual ones, those of a curve; and of a user's own file or frame those that mean the
    usual ones, or a load and its throughput; or the only two of numbers.
    """
    if {*usual} <= {*frame}:
        return usual, ""
    if not any(asked) and {*_CURVE} <= {*frame}:
        return _CURVE, ""
    if source.table and not any(asked):  # a table of the user's own, whose descriptor says what its headings are
        from dominoperf.tables.loading import find_table  # needed by no file and no frame

        meant = {meaning_of(field): name for name, field in find_table(source.table).fields.items()}
        if {*usual} <= {*meant}:
            return tuple(map(meant.get, usual)), "By its descriptor"
    columns, guessed = usual, ""
    if is_users:
        numbers = [*dict.fromkeys(frame.select_dtypes("number"))]
        if source.file and not any(asked):
            _refuse_numbers_as_names(numbers, source)
        if len(numbers) == 3 and isinstance(y_err, str) and y_err in numbers:
            numbers.remove(y_err)
        ours = {column.name: column.source for column in columns_of_headings(numbers)[0]}
        capacity = [next(filter(ours.get, names), "") for names in (LOADS, THROUGHPUTS)]
        for pair in [usual, *([capacity] if usual == _CAPACITY else [])] if not any(asked) else ():
            if {*pair} <= {*ours}:
                return tuple(map(ours.get, pair)), _BY_HEADINGS if len(numbers) > 2 else _TWO_COLUMNS
        if len(numbers) == 2:
            x = asked[0] or next(name for name in (usual[0], *numbers) if name in numbers and name != asked[1])
            columns = x, asked[1] or next(name for name in numbers if name != x)
            guessed = _TWO_COLUMNS if columns not in (usual, ("x", "y")) else ""
    hint, missing = "", [name for name in columns if name not in frame]
    if missing and source.table:
        series = runs.list_series().query("table == @source.table")["series"]
        hint = f"Series of this table: {', '.join(series)}." if len(series) else ""
    check_columns(frame, [name for name in asked if name], str(source), hint=hint)
    if missing:  # nobody typed them
        if not source.table:
            _refuse_odd_cells(frame, source)
        found = f"no column {' and none '.join(missing)} among {', '.join(map(str, frame))}"
        axes = [axis for axis, name in zip("xy", columns, strict=True) if name in missing]
        which = joined_with("and", [spelling(axis, f"--{axis}") for axis in axes])
        expected, them = ("columns for x and y", "them") if len(axes) > 1 else (f"a column for {axes[0]}", "it")
        remedy = f"Name {them} {spelling('as', 'with')} {which}. {hint}".rstrip()
        raise UnknownName(str(source), expected=expected, found=found, remedy=remedy)
    check_columns(frame, columns, str(source))
    return columns, guessed


def _refuse_numbers_as_names(names, source):
    """Refuse a file whose columns have only numbers for names: without a header the first point would be lost."""
    if len(names) < 2 or as_numbers(pd.Series([*map(str, names)])).isna().any():
        return
    remedy = "Write names above them, such as processors,users; or name these columns as x and y."
    found = f"the numbers {', '.join(map(str, names))}"
    raise UnknownName(str(source), expected="a line of column names", found=found, remedy=remedy)


def _refuse_odd_cells(frame, source):
    """Refuse a frame without rows, or with a column of numbers but for some cells, which is why it is taken for text.

    A number with its unit, or with thousands apart, is such a cell; so is a word among numbers.
    """
    if len(frame.columns) and not len(frame):
        raise CannotFit(str(source), expected="rows of points", found="none", remedy="Give a row for each point.")
    for name in frame.columns[frame.columns.notna()]:
        cells = frame[name].map(cell_text)
        odd = ~np.isfinite(as_numbers(frame[name])) & ~cells.map(is_absent_cell)
        numerals = cells.str.fullmatch(_NUMERAL_WITH_UNIT)
        if odd.any() and (odd & ~numerals).sum() <= len(frame) / 2:
            row = int(np.argmax(odd))
            place, found = f"{source}, column {name}, {source.place_of(row)}", as_python(frame[name].iloc[row])
            raise CannotFit(place, expected="a number", found=found, remedy=NUMBERS_ALONE)


def _several_systems_in_words(frame, x, y):
    """In which column the points of one curve differ, and how to take those of one value; "" where in none."""
    differs = several_systems(frame, x, y)
    if not differs:
        return ""
    column, values = differs
    one = spelling(f"fitting.rows_of(DATA, [({column!r}, VALUE)])", f"--where '{column}=VALUE'")
    return f"the points differ in {column}, {values}, and are taken as one curve: {one} takes those of one value"


def _numbers_of_point_column(where, name, column, source):
    """The numbers of a column; one of text is refused: its cells have to be read first."""
    values = np.asarray(column)
    if values.ndim > 1:
        raise BadTable(where, expected="every column once", found=f"{name!r} twice", remedy="Rename one of them.")
    if values.dtype.kind in "iuf" and (values == values).any():  # NaN is not itself
        return values
    column = pd.Series(column)
    numbers = as_numbers(column)
    texts, none = np.flatnonzero(numbers.isna() & column.notna()), numbers.isna().all()  # times are no numbers either
    odd = next((row for row in texts if not is_absent_cell(cell_text(column.iloc[row]))), None)
    expected, remedy = "a number", NUMBERS_ALONE
    if none and len(column):
        expected, remedy = f"numbers in {name}", f"Choose a column of numbers. {NUMBERS_ALONE}"
    if odd is not None:
        cell, place = column.iloc[odd], f"{where}, column {name}, {source.place_of(odd)}"
        found = as_python(cell) if isinstance(cell, str) else str(cell)
        raise CannotFit(place, expected=expected, found=found, remedy=remedy)
    if none and len(column):
        raise CannotFit(where, expected=expected, found="empty cells alone", remedy=remedy)
    return numbers.to_numpy(float)


def _unit_of_column(name, wanted=""):
    """The unit of a column by the vocabulary, else by its heading, where it fits one that is wanted; "" without any."""
    known = tables.vocabulary().get(name)
    unit = known.get("unit") if known else heading_words(str(name))[1]
    unit = "" if unit in ("1", *OF_ITS_ROW, None) else unit
    return unit if known or not wanted or (unit and unit_fits(unit, wanted)) else ""


def _column_in_unit_of_law(name, numbers, wanted, where):
    """A column in the unit that the law needs: its name there, the numbers, what they were multiplied with.

    The unit of a column that the vocabulary lacks is that of its heading, such as ``wait_ms`` or ``wait [ms]``.
    `CannotFit` where the column has a unit of something else.
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
            remedy = _UTILIZATION_OF_RATE if wanted == "1" and _is_rate(unit) else remedy
            raise CannotFit(where, expected=expected, found=found, remedy=remedy) from clash
    if factor != 1:  # names end in their unit, a share has none
        base, of_heading, _ = heading_words(name)
        stem = base if of_heading else name.removesuffix(f"_{unit}")
        name = stem if wanted == "1" else f"{stem}_{wanted.lower() if name.islower() else wanted}"
    return name, numbers if factor == 1 else numbers * factor, factor


def _is_rate(unit):
    return unit_fits(unit, "1/s") or unit_fits(unit, "tps")


def _check_shares(unit, name, values, where, source=NOWHERE):
    """Refuse a value above 1 where the law takes shares: percents, or something else."""
    if unit == "1" and (values > 1).any():
        row = int(np.argmax(values > 1))
        place, found = f"{where}, column {name}, {source.place_of(row)}", f"{values[row]:.15g}"
        remedy = f"Divide percent by 100, or name the column {name}_percent; for what is no share, take another law."
        if _is_rate(heading_words(str(name))[1]):
            remedy = _UTILIZATION_OF_RATE
        raise CannotFit(place, expected="a share from 0 to 1", found=found, remedy=remedy)


def _standard_errors_of_points(frame, y, y_values, y_err, wanted, factor, where, source):
    """The standard error of each point, of a column or one number each.

    `factor` is what y was multiplied with to be in the unit `wanted` by the law. Errors are in the unit of their own
    heading where it fits, else in that of y; percents of y are refused.
    """
    if isinstance(y_err, str):
        signed = getattr(frame, "attrs", {}).get(reading.PERCENT_SIGNS, {})
        percent, y_in_percent = (name in signed or heading_words(str(name))[1] == "percent" for name in (y_err, y))
        if percent and not y_in_percent and (y_err in signed or wanted != "1"):
            expected, remedy = f"standard errors in the unit of {y}", f"Multiply them by {y} / 100."
            raise CannotFit(where, expected=expected, found=f"{y_err}, in percent", remedy=remedy)
        check_columns(frame, (y_err,), str(source))
        name, errors = f"column {y_err}", _numbers_of_point_column(where, y_err, frame[y_err], source).astype(float)
        own, of_points = _unit_of_column(y_err), _unit_of_column(y)
        unit = wanted or (of_points if own and of_points and unit_fits(own, of_points) else "")
        converts = unit and _unit_of_column(y_err, unit)
        errors = _column_in_unit_of_law(y_err, errors, unit, where)[1] if converts else errors * factor
    else:
        column = pd.Series(_one_dimensional_values(f"{where}, y_err", y_err))
        name, errors = "y_err", as_numbers(column).to_numpy(float) * factor
    if len(errors) != len(y_values):
        expected, remedy = f"{len(y_values)} errors, one per point", "Give a standard error for each point."
        raise CannotFit(f"{where}, y_err", expected=expected, found=str(len(errors)), remedy=remedy)
    if len(bad := np.flatnonzero(~(np.isfinite(errors) & (errors > 0)))):
        remedy = "Give the standard error of each point in the unit of y, or leave out the rows without one."
        place, found = f"{where}, {name}, {source.place_of(bad[0])}", f"{errors[bad[0]]:g}"
        raise CannotFit(place, expected="a standard error above zero", found=found, remedy=remedy)
    return errors


def column_of_degrees_of_freedom(y_err):
    """Return the name of the column beside one of standard errors that says what they rest on; "" where none can."""
    return y_err.removesuffix(_ERRORS) + _DOF if isinstance(y_err, str) and y_err.endswith(_ERRORS) else ""


def degrees_of_freedom_of_errors(frame, y_err, where, source=NOWHERE):
    """Return the degrees of freedom that each standard error of a column rests on: infinity where it is known.

    They stand in the column beside it: throughput_dof of throughput_std_error, dof of std_error. Without that column,
    and in its empty cells, errors are taken as known. 0 says that nothing was run again.
    """
    beside = column_of_degrees_of_freedom(y_err)
    if not beside or beside not in frame:
        return np.full(len(frame if isinstance(y_err, str) else y_err), np.inf)
    cells = pd.Series(frame[beside])
    dof = as_numbers(cells).to_numpy(float)
    wrong = ~(dof >= 0) & ~(cells.isna() | (cells == "")).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        place, found = f"{where}, column {beside}, {source.place_of(row)}", as_python(cells.iloc[row])
        remedy = f"Mend the cell, or leave it empty where {y_err} is known exactly."
        raise CannotFit(place, expected="degrees of freedom, 0 or more", found=found, remedy=remedy)
    return np.where(np.isnan(dof), np.inf, dof)


def least_degrees_of_freedom(dof, axis=None):
    """Return those that errors together rest on: the least of them but 0, infinity for known ones, 0 if all are 0."""
    least = np.min(dof, axis=axis, where=dof > 0, initial=np.inf)
    return np.where((dof > 0).any(axis=axis), least, 0.0)[()]


def check_axis_names(call, x, y, remedy="Name a column of the data."):
    """Refuse values of x or y where the data are given, and a column has to be named."""
    for axis, name in (("x", x), ("y", y)):
        if not isinstance(name, Hashable):
            where, found = f"{call}({axis}=...)", f"a {type(name).__name__}"
            raise CannotFit(where, expected="the name of a column", found=found, remedy=remedy)


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


def check_points(where, law, error, names, points, rows, source=NOWHERE, *, in_logs=False):
    """Refuse values that no curve can have; `rows` says which row of the data, or of a file, each comes from.

    `in_logs` says that the caller takes logarithms, so that no other error model helps.
    """
    for name, values, positive in zip(names, points, (law.positive, error == "relative"), strict=True):
        zero = law.at_zero and not in_logs and name == names[0]
        bad = ~np.isfinite(values) | (positive & ((values < 0) if zero else (values <= 0)))
        if bad.any():
            row = rows[bad].min()
            value = values[rows == row][0]
            above = "a number, 0 or more" if zero else "a number above zero"
            expected, found = above if positive else "a number", f"{value:.15g}"
            remedy = "Leave out the row."
            if not np.isfinite(value):
                remedy = "Leave out the rows without a value, and text."
                found = spelling(found, "an empty cell") if np.isnan(value) else found
            elif name == names[1] and not in_logs:  # relative errors alone need it
                constant = spelling('error="constant"', "--error constant")
                remedy = f"Leave out the row, or take errors of the same size everywhere: {constant}."
            if value == 0 and name == names[1] and law.family != "response":
                failed = np.asarray(points[0])[rows == row][0]
                remedy += (
                    f" If nothing was served at {failed:g}, the system failed there: go by no answer from there on."
                )
            place = f"{where}, column {name}, {source.place_of(row)}"
            raise CannotFit(place, expected=expected, found=found, remedy=remedy)


def axis_values(values, name, where, *, positive=True, some=False, zero=False):
    """Return values of an axis, where somebody asks for a forecast, as plain numbers; of a frame its column.

    `CannotFit` where one is no number, or not above zero if it has to be `positive`, where 0 may be allowed (`zero`);
    where there is none, if `some` are needed; where a frame has no column of that name.
    """
    if values is None:
        remedy = f"Say where, in {name}: at=[...]."
        raise CannotFit(where, expected="values to forecast at", found="none", remedy=remedy)
    lacks = isinstance(values, pd.DataFrame) and name not in values
    column = values[name] if isinstance(values, pd.DataFrame) and not lacks else values
    numbers = as_numbers(pd.Series(np.ravel(column), dtype=object)).to_numpy(float)
    can_be = np.isfinite(numbers) & ((numbers > 0) | (not positive) | (zero & (numbers == 0)))
    if lacks or not can_be.all() or (some and not len(numbers)):
        found = f"a frame of {', '.join(map(str, values))}" if isinstance(values, pd.DataFrame) else as_typed(values)
        expected = f"{name}{', 0 or more' if zero else ' above zero'}" if positive else "numbers"
        remedy = f"Give values of {name}{spelling(', or a frame with that column', '')}."
        raise CannotFit(where, expected=expected, found=found, remedy=remedy)
    return numbers


def with_index_of(values, forecasts):
    """Return forecasts, a row for each of the values, with the index of these where they are a frame or a Series."""
    return forecasts.set_axis(values.index) if isinstance(values, (pd.DataFrame, pd.Series)) else forecasts


@names_its_keywords()
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
