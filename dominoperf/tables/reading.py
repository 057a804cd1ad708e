"""Tables from CSV and Parquet files, and numbers from their cells.

`read_table` takes anybody's table, `read_printed_csv` those of data folders; bytes and text come from `files`. Numbers
are as documents print them (``$5,150``, ``.890``), or as programs of any country write them. A document's tables are
read by what their descriptor says. Of a file that somebody brings it is told from the cells: ``1,5`` can only have a
decimal comma, ``1,234.5`` only a decimal point, and ``1,234`` may be either.
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

from dominoperf.errors import BadTable, as_python, counted, names_its_keywords, spelling
from dominoperf.tables.columns import OF_ITS_ROW, column_names, sign_fits, units
from dominoperf.tables.files import check_no_spreadsheet, decoded_text, read_bytes

PARQUET = b"PAR1"
"""What every Parquet file begins with."""
PERCENT_SIGNS = "percent signs"
"""Key of a frame's attrs: columns of numbers that had percent signs in the file, and whether every number had one."""
ANY = "a DataFrame, or the path or URL of a CSV, TSV or Parquet file"
"""What is expected where a table is given, in the words of a message."""
_DELIMITERS = (",", ";", "\t")
# Headings of names, though they may be of digits: as numbers 1.1 and 1.10 would be one version, 7e2 and 700 one commit.
_NAMES = re.compile(
    r"((.*[\W_])?(build|version|release|revision|tag|sha|hash)|(git[\W_]?)?commit)([\W_]?(id|name|no|number|sha|hash))?",
    re.IGNORECASE,
)
_MOST = int(np.finfo(float).max)
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # with its end
csv.field_size_limit(2**30)  # a cell may be long; the default depends on who imported csv first
# Of a column in plain digits all cells, a line each, by the sign before decimals; none where all are whole.
_PLAIN_COLUMN = {
    sign: re.compile(rf"(?:(?:[-+]?\d{{1,15}}{decimals})?+\n)*+", re.ASCII)
    for sign, decimals in {"": "", ".": r"(?:\.\d{1,30})?+"}.items()
}
_TURNED = str.maketrans(",.", ".,")  # decimals and thousands change places
_ABSENT = {
    "", "-", "--", "–", "—", ".", "n/a", "na", "n.a.", "nan", "-nan", "<na>", "null", "none",
    "#n/a", "#nv", "k.a.", "k. a.", "n.v.",
}  # fmt: skip
"""What stands for no value, in small letters."""
_INFINITE = "inf"
_BLANKS = " \u00a0\u202f"
_GROUPS = f"{_BLANKS}'’"  # between thousands, whatever the sign of the decimals
NUMBERS_ALONE = (
    "Write numbers alone: thousands without a sign, the unit in the heading, nothing where there is no value."
)
"""What to do about a cell that is no number, in a column of numbers."""
_MEND = "Mend the cell, or leave it empty."
_UNTOLD = "Write its numbers so that it can be told: 1234, 1234.0 or 1.2340."


class OtherFrame(Protocol):
    """A table of another library, such as Polars or Arrow."""

    def to_pandas(self) -> pd.DataFrame:
        """Return it as a frame of pandas."""


Table = pd.DataFrame | OtherFrame | str | os.PathLike
"""Whatever `read_table` takes for a table: a frame, or the path or URL of a file."""


@names_its_keywords()
def read_table(data: Table, *, texts: Iterable[str] = (), mixed: bool = False, where: str = "data") -> pd.DataFrame:
    """Return any table as a frame: whatever takes a table takes it through here.

    A text file has a header, and commas, semicolons or tabs between its cells, told from the cells. Numbers may have a
    decimal point or comma, thousands apart (``1,234.5``, ``1.234,5``, ``1'234``), an exponent (``3.2e3``) and a unit
    (``44 %``), as long as all cells of a column can be told (`decimal_signs`). It is in UTF-8, UTF-16 or
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
    for name, cells in sheet.columns.items():  # 44 % in a column of shares would be wrong by a factor of a hundred
        unit = units().get(name.strip(), OF_ITS_ROW[0])
        for line, cell in zip(sheet.lines, cells, strict=True) if unit not in OF_ITS_ROW else ():
            check_unit_sign(f"{data}, line {line}", name, cell, unit)
    for name, cells in sheet.columns.items():
        spellings = {name.strip(), name.strip().lower().replace(" ", "_")}
        is_text = _NAMES.fullmatch(name.strip()) or not spellings.isdisjoint(texts)
        values = cells if is_text else _values_of_column(sheet, name, mixed, data)
        columns[name.strip()] = values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
    frame = pd.DataFrame(columns)
    for name, cells in sheet.columns.items():
        signed = ["%" in cell for cell in cells if readings_of_numeral(cell)] if "%" in "".join(cells) else ()
        if any(signed) and name.strip() in frame.select_dtypes("number"):
            frame.attrs.setdefault(PERCENT_SIGNS, {})[name.strip()] = all(signed)
    return frame


def _values_of_column(sheet, name, mixed, place):
    """The numbers of a column, else its texts. A cell that may be two numbers is refused."""
    cells, sign = sheet.columns[name], sheet.decimals[name]
    if cells and all(map(_WHOLE.fullmatch, cells)):
        return np.array(cells, dtype="int64")
    if sign == "." and any(cells) and in_plain_digits(cells):
        return np.array([float(cell) if cell else np.nan for cell in cells])
    words = not _is_number_column(cells)
    if words and not (mixed and any(map(readings_of_numeral, cells))):
        return cells
    numbers = [number_in_cell(cell.strip(), sign) for cell in cells]
    for k, number in enumerate(numbers):
        if number is None and readings_of_numeral(cells[k]):
            raise refused_numeral(f"{place}, line {sheet.lines[k]}", name, cells[k], sign)
        if number is None:
            numbers[k] = float("inf") if cells[k].strip() == _INFINITE else cells[k] if words else float("nan")
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


def numbers_of_column(frame, *names):
    """Return the first of some columns that is there as numbers: NaN in a cell that is none, and without a column."""
    name = next((name for name in names if name in frame), None)
    return pd.Series(np.nan, frame.index) if name is None else as_numbers(frame[name]).astype(float)


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


def check_cells(cells, wrong, where, file="", *, remedy=_MEND, refused=BadTable):
    """Refuse the first cell of a column that is wrong, by its row; `wrong` maps what is expected to which cells are.

    The error is of the class `refused`. Of a cell that is no number at all the remedy is to write numbers alone.
    """
    for expected, which in wrong.items():
        if np.any(which):
            row = int(np.argmax(which))
            number = as_numbers(cells).iloc[row]
            found, remedy = (as_python(cells.iloc[row]), NUMBERS_ALONE) if np.isnan(number) else (f"{number:g}", remedy)
            raise refused(f"{where}, {place_of_row(file, row)}", expected=expected, found=found, remedy=remedy)


def read_parquet(path, content):
    """Return the Arrow table of the bytes of a Parquet file; a `BadTable`, which calls it `path`, where it is torn."""
    import pyarrow
    import pyarrow.parquet

    try:
        check_headings_once(pyarrow.parquet.read_schema(io.BytesIO(content)).names, str(path))
        table = pyarrow.parquet.read_table(io.BytesIO(content))
        table.slice(length=0).to_pandas()  # what pandas wrote beside the columns may be torn
        return table
    except (pyarrow.ArrowException, ValueError, OSError, OverflowError, LookupError, TypeError) as error:
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


def how_to_read_recordings() -> str:
    """Return what reads what is no table, but the output of a tool."""
    how = spelling("`read(FILE)`", "`dominoperf ingest FILE --out rows.csv`")
    return f"What a load-test tool wrote becomes a table by {how}."


def read_anybodys_csv(path, text):
    """Return the text of anybody's CSV file as it is, with commas, semicolons or tabs, decimal points or commas.

    Messages call it `path`. `BadTable` where it is no table: without a header, with torn quotes, rows of several
    lengths, or two columns of one name.
    """
    if not text.strip():
        remedy = "Look whether what writes it has come to its end."
        raise BadTable(str(path), expected="a table with a header", found="an empty file", remedy=remedy)
    if re.match(r'\s*(\{\s*"|\[\s*[\[{])', text):
        raise BadTable(str(path), expected="a table, in CSV or Parquet", found="JSON", remedy=how_to_read_recordings())
    delimiter, header, cells, lines, fault = _split_cells(text)
    if fault:
        expected = "a header in the first line, then rows of as many cells"
        remedy = "Give every row as many cells as the header, parted by one sign; delete titles above it. "
        remedy += how_to_read_recordings()
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

    Of the signs that part the header it is the one that parts most rows evenly, then into most cells; the one that a
    first line names for Excel, where it does.
    """
    first = text.lstrip().partition("\n")[0]
    if told := separator_told_to_excel(first):
        return told, *_columns_of_cells(text, told)
    attempts = {sign: _columns_of_cells(text, sign) for sign in _DELIMITERS if sign == "," or sign in first}
    parting = [sign for sign, (header, *_) in attempts.items() if len(header) > 1] or [","]

    def evenness(delimiter):
        header, _, _, fault = attempts[delimiter]
        return fault[0] if fault else float("inf"), len(header)

    best = max(parting, key=evenness)
    return best, *attempts[best]


def separator_told_to_excel(line):
    """Return what is between the cells by the first line of a file, ``sep=;``, which is no row; "" if it is a row."""
    match = re.fullmatch(r'\s*"?sep=([,;\t|])"?\s*', line)
    return match[1] if match else ""


def _columns_of_cells(text, delimiter):
    """The header, the cells of each column, the line of each row, and the first fault as (line, what it is) or nothing.

    Blank rows are none; at the first fault the rows end.
    """
    header, columns, lines = [], [], array("q")
    try:
        for line, cells in rows_with_lines((match[0] for match in _LINE.finditer(text)), delimiter):
            if is_blank_row(cells) or (line == 1 and separator_told_to_excel(delimiter.join(cells))):
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
        raise TornRow(line, f"a quote that is not closed where its cell ends ({error})") from error


def is_blank_row(cells):
    """Tell whether a row has nothing in it: no cell, or a single one of blanks."""
    return len(cells) < 2 and not any(map(str.strip, cells))


def _number_form(decimal, group):
    """The form of a number: thousands grouped by one sign, or with an exponent; its unit as documents print it."""
    grouped = rf"[1-9]\d{{0,2}}(?P<group>[{group}{_GROUPS}])\d{{3}}(?:(?P=group)\d{{3}})*(?:{decimal}\d*)?"
    bare = rf"(?:\d+(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][-+]?\d{{1,3}})?"
    return re.compile(
        rf"(?P<before>\$[{_BLANKS}]?)?(?P<number>[-+]?(?:{grouped}|{bare}))"
        rf"(?P<after>[{_BLANKS}]?(?:%|[KMG]B|\$))?",
        re.ASCII,
    )


# Whole numbers, and those with a point that cannot be between thousands.
_PLAIN = re.compile(r"[-+]?(?:\d{1,300}|\d{1,300}\.(?:\d{1,2}|\d{4,300})|(?:0\d*|\d{4,300})\.\d{3})", re.ASCII)
_POINT = re.compile(r"[-+]?\d{1,300}(?:\.\d{1,300})?", re.ASCII)
_FORMS = {".": _number_form(r"\.", ","), ",": _number_form(",", ".")}
_TO_POINT = {".": str.maketrans("", "", f",{_GROUPS}"), ",": str.maketrans(",", ".", f".{_GROUPS}")}


def read_number(text):
    """Read a printed number: ``5,150``, ``.890``, ``$13.22``, ``44.4%``, ``16 KB`` or ``1e-05``; else None.

    The sign is not judged here: the check of a folder compares it with the column's unit.
    """
    return readings_of_numeral(text).get(".")


def is_number_field(field):
    """Tell whether a field of a Table Schema holds numbers."""
    return field.get("type") in ("number", "integer")


def in_plain_digits(cells, sign="."):
    """Tell whether all cells of a column are numbers in plain digits, or empty: most columns are, and one look tells.

    `sign` is the one before decimals: a point, or nothing where all are whole.
    """
    text = "\n".join(cells) + "\n"
    return text.count("\n") == len(cells) and _PLAIN_COLUMN[sign].fullmatch(text) is not None


def numeral_in_our_form(cell, sign):
    """Return a cell of a column with such a sign before decimals as our documents would print it, where it is a number.

    Examples
    --------
    >>> [numeral_in_our_form(cell, ",") for cell in ("1.234,5", "1 234 $", "k.A.")]
    ['1,234.5', '1234 $', 'k.A.']
    """
    if not readings_of_numeral(cell):
        return cell
    text = cell.strip().translate(_TURNED) if sign == "," else cell.strip()
    return re.sub(rf"(?<=\d)[{_GROUPS}](?=\d)|\.(?!\d)", "", text)


def readings_of_numeral(text):
    """Return the numbers that a text can be, by the sign of its decimals.

    Examples
    --------
    >>> [readings_of_numeral(text) for text in ("1,234", "3.2e3", "12", "many")]
    [{'.': 1234.0, ',': 1.234}, {'.': 3200.0}, {'.': 12.0, ',': 12.0}, {}]
    """
    text = text.strip()
    if _PLAIN.fullmatch(text):  # most cells: there is no need to ask for more
        value = float(text)
        return {".": value} if "." in text else {".": value, ",": value}
    values = {}
    for sign, form in _FORMS.items():
        if match := form.fullmatch(text):
            value = float(match["number"].translate(_TO_POINT[sign]))
            if abs(value) < float("inf"):
                values[sign] = value
    return values


def is_absent_cell(text):
    """Return whether a cell means that there is no value."""
    return text.strip().lower() in _ABSENT


def decimal_signs(columns, delimiter):
    """Return the decimal mark of each column, by name: ``"."``, ``","``, or ``""`` if none can be inferred.

    A cell that can be a number in one way only tells it of its column. What no cell of a column tells, the other
    columns of numbers tell, if they agree: one program wrote the file. Where none tells, a file with commas between its
    cells has points before its decimals; where one has commas there all the same, nothing is told of the others.

    Examples
    --------
    >>> decimal_signs({"users": ["1.200"], "response": ["0,25"]}, ";"), decimal_signs({"users": ["1,200"]}, ";")
    ({'users': ',', 'response': ','}, {'users': ''})
    """
    signs = {name: decimal_sign(cells) for name, cells in columns.items()}
    distinct = {signs[name] for name, cells in columns.items() if signs[name] and _is_number_column(cells)}
    distinct |= {"."} if delimiter == "," else set()
    file = distinct.pop() if len(distinct) == 1 else ""
    return {name: sign or file for name, sign in signs.items()}


def decimal_sign(cells):
    """Return the decimal mark, by the first cell that can be a number in one way only; else ``""``."""
    if in_plain_digits(cells, ""):
        return ""
    return next((next(iter(possible)) for possible in map(readings_of_numeral, cells) if len(possible) == 1), "")


def unit_sign(text):
    """Return the unit sign next to a number: ``$``, ``%``, ``KB``, ``MB``, ``GB`` or nothing."""
    match = _FORMS["."].fullmatch(text.strip()) or _FORMS[","].fullmatch(text.strip())
    return (match["before"] or match["after"] or "").strip(_BLANKS) if match else ""


def number_in_cell(text, sign):
    """Return the number of a cell in a column with such a sign before decimals; None where it is none, or two.

    Where nothing tells the sign (``""``), a number must be the same with either.
    """
    if sign == "." and _POINT.fullmatch(text):  # most cells of most files
        return float(text)
    values = readings_of_numeral(text)
    if sign:
        return values.get(sign)
    return next(iter(values.values())) if len({*values.values()}) == 1 else None


def refused_numeral(where, name, cell, sign):
    """Return the error for a cell that is no number, or may be two, in a column of numbers with that decimal sign."""
    expected, found = f"a number in column {name!r}", repr(cell)
    remedy = NUMBERS_ALONE
    if readings_of_numeral(cell):
        remedy = "Write the decimals of all its numbers with one sign, and thousands without any."
        if sign:
            expected += f", with {'a point' if sign == '.' else 'a comma'} before decimals as in its other cells"
        else:
            found, remedy = f"{cell!r}, a thousand and more or decimals: neither is told by other cells", _UNTOLD
    return BadTable(where, expected=expected, found=found, remedy=remedy)


def check_unit_sign(where, name, cell, unit):
    """Refuse a number that carries the sign of another unit than that of its column."""
    bare = cell[:1].isdigit() and cell[-1:].isdigit()  # most cells
    if not bare and not sign_fits(unit_sign(cell), unit):
        remedy = "Take the sign out of the cells, and give the numbers in the unit of the column."
        raise BadTable(where, expected=f"numbers of {name!r} in {unit}", found=repr(cell), remedy=remedy)


def _is_number_column(cells):
    """Whether all cells that stand for a value are numbers (``inf`` is one as it is), and there is one."""
    if in_plain_digits(cells):
        return any(cells)
    some = False
    for cell in cells:
        if readings_of_numeral(cell):
            some = True
        elif not is_absent_cell(cell) and cell.strip() != _INFINITE:
            return False
    return some
