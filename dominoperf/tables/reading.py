"""Tables from CSV and Parquet files: `read_table` takes anybody's, `read_printed_csv` those of data folders.

Bytes and text come from `files`; which numbers the cells hold is decided by `numerals`.
"""

import csv
import io
import os
import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, counted
from dominoperf.tables.columns import OF_ITS_ROW, column_names, units
from dominoperf.tables.files import check_no_spreadsheet, decoded_text, read_bytes
from dominoperf.tables.numerals import (
    INFINITE,
    check_unit_sign,
    decimal_signs,
    in_plain_digits,
    is_number_column,
    number_in_cell,
    readings_of_numeral,
    refused_numeral,
)

PARQUET = b"PAR1"
"""What every Parquet file begins with."""
PERCENT_SIGNS = "percent signs"
"""Key of a frame's attrs: columns of numbers that had percent signs in the file, and whether every number had one."""
ANY = "a DataFrame, or the path or URL of a CSV, TSV or Parquet file"
"""What is expected where a table is given, in the words of a message."""
DELIMITERS = (",", ";", "\t")
_MOST = int(np.finfo(float).max)
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # with its end
RECORDED = "What a load-test tool wrote becomes a CSV file by `dominoperf ingest FILE --out rows.csv`."
csv.field_size_limit(2**30)  # a cell may be long; the default depends on who imported csv first


class OtherFrame(Protocol):
    """A table of another library, such as Polars or Arrow."""

    def to_pandas(self) -> pd.DataFrame:
        """Return it as a frame of pandas."""


Table = pd.DataFrame | OtherFrame | str | os.PathLike
"""Whatever `read_table` takes for a table: a frame, or the path or URL of a file."""


def read_table(data: Table, *, texts: Iterable[str] = (), mixed: bool = False, where: str = "data") -> pd.DataFrame:
    """Return any table as a frame: whatever takes a table takes it through here.

    A text file has a header, and commas, semicolons or tabs between its cells, told from the cells. Numbers may have a
    decimal point or comma, thousands apart (``1,234.5``, ``1.234,5``, ``1'234``), an exponent (``3.2e3``) and a unit
    (``44 %``), as long as all cells of a column can be told (`dominoperf.tables.numerals`). It is in UTF-8, UTF-16 or
    Windows-1252, and may be packed (gzip, bzip2, xz, zstd) or come from standard input (``-``).

    Parameters
    ----------
    data : DataFrame, path or URL
        A frame is returned as it is, but for `without_names_of_columns`; one of another library (Polars, Arrow) is
        converted by its ``to_pandas``.
    texts : collection of str
        Columns of a text file, in any case, that are texts, whatever they look like; types of Parquet and frames stay.
    mixed : bool
        Whether a column may have words among its numbers; else one word makes it a column of texts.
    where : str
        What messages call the argument.

    Returns
    -------
    DataFrame
        Columns of numbers as numbers (whole ones written in plain digits as integers), NaN where a cell stands for
        nothing (``n/a``, ``-``, an empty one); the others as text.

    Raises
    ------
    BadTable
        When it is no table, cannot be read, a cell may be two numbers, or a number carries the sign of another unit
        than that of its column: with line and column, what was expected, what was found and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "runs.csv"
    >>> _ = path.write_text("machine;users;response_s\\nA;100;0,25\\nB;1.200;0,5\\n")
    >>> read_table(path)
      machine   users  response_s
    0       A   100.0        0.25
    1       B  1200.0        0.50
    """
    texts = column_names(texts, "texts")
    if isinstance(data, pd.DataFrame):
        return without_names_of_columns(data)
    if hasattr(data, "to_pandas"):
        return without_names_of_columns(data.to_pandas())
    if not isinstance(data, (str, os.PathLike)):
        remedy = "Give one of these."
        raise BadTable(where, expected=ANY, found=type(data).__name__, remedy=remedy)
    content = read_bytes(data)
    if content.startswith(PARQUET):
        return read_parquet(data, content).to_pandas()
    check_no_spreadsheet(content, data, "a table, in CSV or Parquet")
    sheet, columns = read_anybodys_csv(data, decoded_text(content, str(data))), {}
    _check_units_of_sheet(sheet, data)
    for name, cells in sheet.columns.items():
        spellings = {name.strip(), name.strip().lower().replace(" ", "_")}
        values = _values_of_column(sheet, name, mixed, data) if spellings.isdisjoint(texts) else cells
        columns[name.strip()] = values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
    frame = pd.DataFrame(columns)
    for name, cells in sheet.columns.items():
        signed = (
            ["%" in cell for cell in cells if readings_of_numeral(cell)] if any("%" in cell for cell in cells) else ()
        )
        if any(signed) and name.strip() in frame.select_dtypes("number"):
            frame.attrs.setdefault(PERCENT_SIGNS, {})[name.strip()] = all(signed)
    return frame


def _check_units_of_sheet(sheet, place):
    """Refuse a number with the sign of another unit than its column's."""
    known = units()
    for name, cells in sheet.columns.items():  # 44 % in a column of shares would be wrong by a factor of a hundred
        unit = known.get(name.strip(), OF_ITS_ROW[0])
        for line, cell in zip(sheet.lines, cells, strict=True) if unit not in OF_ITS_ROW else ():
            check_unit_sign(f"{place}, line {line}", name, cell, unit)


def _values_of_column(sheet, name, mixed, place):
    """The numbers of a column, else its texts. A cell that may be two numbers is refused."""
    cells, sign = sheet.columns[name], sheet.decimals[name]
    if cells and all(map(_WHOLE.fullmatch, cells)):
        return np.array(cells, dtype="int64")
    if sign == "." and any(cells) and in_plain_digits(cells):
        return np.array([float(cell) if cell else np.nan for cell in cells])
    words = not is_number_column(cells)
    if words and not (mixed and any(map(readings_of_numeral, cells))):
        return cells
    numbers = [number_in_cell(cell.strip(), sign) for cell in cells]
    for k, number in enumerate(numbers):
        if number is None and readings_of_numeral(cells[k]):
            raise refused_numeral(f"{place}, line {sheet.lines[k]}", name, cells[k], sign)
        if number is None:
            numbers[k] = float("inf") if cells[k].strip() == INFINITE else cells[k] if words else float("nan")
    return numbers if words else np.array(numbers)


def without_names_of_columns(frame):
    """Return a frame none of whose index levels is called as a column: pandas could not tell which of them is meant."""
    names = [None if name in frame.columns else name for name in frame.index.names]
    return frame if names == [*frame.index.names] else frame.rename_axis(index=names)


def with_levels_of_index(frame):
    """Return a frame whose index levels with a name are its first columns, and whose index has no names."""
    frame = without_names_of_columns(frame)
    names = [name for name in frame.index.names if isinstance(name, str)]
    if not names:
        return frame
    levels = [frame.index.get_level_values(name) for name in names]
    frame = frame.rename_axis(index=[None] * frame.index.nlevels)
    for name, values in zip(reversed(names), reversed(levels), strict=True):
        frame.insert(0, name, values)
    return frame


def as_numbers(column):
    """Return a column as numbers: NaN for what is none, infinity for a number that no float holds.

    Truth values, times, periods and complex numbers are none, though pandas has a number for some of them. A number
    that is infinite is refused by its row where finite ones are needed; a NaN would leave the row out in silence.

    Examples
    --------
    >>> as_numbers(pd.Series([1, "2.5", "many", 10**400, "1e400", True])).tolist()
    [1.0, 2.5, nan, inf, inf, nan]
    """
    kind = column.dtype.categories.dtype if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    if kind.kind in "bmMc" or isinstance(kind, pd.PeriodDtype):
        return pd.Series(np.nan, column.index, name=column.name)
    if pd.api.types.is_object_dtype(kind):
        column = column.mask(np.array([isinstance(value, (bool, np.bool_)) for value in column], bool))

    try:
        return pd.to_numeric(column, errors="coerce")
    except OverflowError:  # a whole number that no float holds

        def within_floats(value):
            return np.inf if isinstance(value, int) and abs(value) > _MOST else value

        return pd.to_numeric(column.map(within_floats), errors="coerce")


def lines_of_rows(place):
    """Return the line where each row of a text file begins; none of a Parquet file, or what cannot be read again."""
    try:
        content = read_bytes(place)
        return [] if content.startswith(PARQUET) else read_anybodys_csv(place, decoded_text(content, str(place))).lines
    except BadTable:
        return []


def place_of_row(file, row):
    """Return the line in which a row, from 0, of a text file begins; without one, or of a Parquet file, its number."""
    lines = lines_of_rows(file) if file else ()
    return f"line {lines[row]}" if row < len(lines) else f"row {row + 1}"


def read_parquet(path, content):
    """Return the Arrow table of the bytes of a Parquet file; a `BadTable`, which calls it `path`, where it is torn."""
    import pyarrow
    import pyarrow.parquet

    try:
        check_headings_once(pyarrow.parquet.read_schema(io.BytesIO(content)).names, str(path))
        return pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, ValueError, OSError, OverflowError) as error:
        found = str(error).strip().partition("\n")[0].rstrip(".")
        raise BadTable(str(path), expected="a whole Parquet file", found=found, remedy="Write it again.") from error


@dataclass(frozen=True)
class Sheet:
    """A CSV file, read: its cells unchanged, and how they are written."""

    header: tuple
    columns: dict  # name to the list of its cells
    lines: array  # where each row begins
    delimiter: str
    decimals: dict  # name to what is before decimals in the column: ".", ",", or "" where nothing tells


def read_anybodys_csv(path, text):
    """Return the text of anybody's CSV file as it is, with commas, semicolons or tabs, decimal points or commas.

    Messages call it `path`. `BadTable` where it is no table: without a header, with torn quotes, rows of several
    lengths, or two columns of one name.
    """
    delimiter, header, cells, lines, fault = _split_cells(text)
    if fault:
        expected = "a header in the first line, then rows of as many cells"
        remedy = f"Delete titles above the header, mend the file, or save it again as CSV. {RECORDED}"
        raise BadTable(f"{path}, line {fault[0]}", expected=expected, found=fault[1], remedy=remedy)
    for name in header:
        if not name.strip() or not name.isprintable():
            where, remedy = f"{path}, line 1", "Give every column a name of its own in the first line."
            raise BadTable(where, expected="a name over every column", found=repr(name), remedy=remedy)
    check_headings_once(header, f"{path}, line 1")
    columns = dict(zip(header, cells, strict=True))
    return Sheet(tuple(header), columns, lines, delimiter, decimal_signs(columns, delimiter))


class HeadingTwice(BadTable):
    """A table two of whose columns have one name: which of them is meant nobody can say."""


def check_headings_once(headings, where):
    """Refuse a table with a heading that comes twice."""
    names = [str(heading).strip() for heading in headings]
    if twice := next((name for name in names if names.count(name) > 1), None):
        places = [k + 1 for k, name in enumerate(names) if name == twice]
        often = "twice" if len(places) == 2 else f"{len(places)} times"
        found = f"{twice!r} {often}, in columns {', '.join(map(str, places[:-1]))} and {places[-1]}"
        remedy = "Give every column a name of its own, or leave one of them out."
        raise HeadingTwice(where, expected="every column once", found=found, remedy=remedy)


def delimiter_of_text(text):
    """Return what is between the cells of a CSV text: the sign that splits its rows evenly, into most cells."""
    return _split_cells(text)[0]


def _split_cells(text):
    """What is between the cells, the header, the columns, the lines of their rows, and the first fault or nothing.

    Of the signs that part the header it is the one that parts most rows evenly, then into most cells.
    """
    first = text.lstrip().partition("\n")[0]
    attempts = {sign: _columns_of_cells(text, sign) for sign in DELIMITERS if sign == "," or sign in first}
    parting = [sign for sign, (header, *_) in attempts.items() if len(header) > 1] or [","]

    def evenness(delimiter):
        header, _, _, fault = attempts[delimiter]
        return fault[0] if fault else float("inf"), len(header)

    best = max(parting, key=evenness)
    return best, *attempts[best]


def _columns_of_cells(text, delimiter):
    """The header, the cells of each column, the line of each row, and the first fault as (line, what it is) or nothing.

    Blank rows are none; at the first fault the rows end.
    """
    header, columns, lines = [], [], array("q")
    try:
        for line, cells in rows_with_lines((match[0] for match in _LINE.finditer(text)), delimiter):
            if is_blank_row(cells):
                continue
            if not header:
                header, columns = cells, [[] for _ in cells]
                continue
            if len(cells) != len(header):
                fault = f"{counted(len(cells), 'cell')} under {counted(len(header), 'heading')}"
                return header, columns, lines, (line, fault)
            for column, cell in zip(columns, cells, strict=True):
                column.append(cell)
            lines.append(line)
    except TornRow as torn:
        return header, columns, lines, torn.args
    return header, columns, lines, None if header else (1, "an empty file")


def read_printed_csv(path):
    """Return a CSV file as text, every cell unchanged; a ValueError without a header, or for a row of another width."""
    rows, lines, fault = read_csv_records(path)
    while rows and not rows[-1]:  # blank lines at the end
        rows.pop()
    if fault or not rows:
        raise ValueError("line {}: {}".format(*fault) if fault else "an empty file")
    for row, line in zip(rows, lines, strict=False):
        if len(row) != len(rows[0]):
            raise ValueError(f"line {line}: {len(row)} cells under {len(rows[0])} headings")
    return pd.DataFrame(rows[1:], columns=rows[0], dtype=object)


def read_csv_records(path):
    """Read the records of a CSV file, empty ones too, the line that each starts in, and what ended the reading.

    The last is None, or the line and what is wrong with the record there: a quote that is not closed, or is closed
    within a cell. A byte-order mark is no part of the first cell.
    """
    records, lines = [], array("q")
    with open(path, encoding="utf-8-sig", newline="") as text:
        try:
            for line, record in rows_with_lines(text):
                records.append(tuple(record))
                lines.append(line)
        except TornRow as torn:
            return records, lines, torn.args
    return records, lines, None


class TornRow(Exception):
    """A row that is none, for a quote that is not closed or is closed within a cell: its line, and what is wrong."""


def rows_with_lines(text, delimiter=","):
    """Yield the line in which each row of a CSV file begins, and its cells; a cell in quotes may hold line ends.

    `TornRow` where a quote is not closed, or is open for so long that it would fill the memory.
    """
    reader, line = csv.reader(text, strict=True, delimiter=delimiter), 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise TornRow(line, str(error)) from error


def is_blank_row(cells):
    """Tell whether a row has nothing in it: no cell, or a single one of blanks."""
    return len(cells) < 2 and not any(map(str.strip, cells))
