"""The cells of a CSV file that says nothing of itself: what stands between them, and how each column writes numbers.

A document's tables are read by what their descriptor says (`dominoperf.tables.printed`). Of a file that somebody brings
it is told from the cells: ``1,5`` can only have a decimal comma, ``1,234.5`` only a decimal point, and ``1,234`` may be
either.
"""

import re
from array import array
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, counted
from dominoperf.tables.columns import sign_fits
from dominoperf.tables.printed import TornRow, in_plain_digits, is_blank, rows_with_lines

DELIMITERS = (",", ";", "\t")
ABSENT = {"", "-", "--", ".", "n/a", "na", "nan", "-nan", "null", "none"}
"""What stands for no value, in small letters."""
_INF = "inf"
_BLANKS = " \u00a0\u202f"
_GROUPS = f"{_BLANKS}'’"  # between thousands, whatever the sign of the decimals
_WHOLE = re.compile(r"[-+]?\d{1,18}", re.ASCII)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")  # with its end
RECORDED = "What a load-test tool wrote becomes a CSV file by `dominoperf ingest FILE --out rows.csv`."
_UNTOLD = "Write its numbers so that it can be told: 1234, 1234.0 or 1.2340."


def _number_form(decimal, group):
    """The form of a number: thousands grouped by one sign, or with an exponent; its unit as documents print it."""
    grouped = rf"[1-9]\d{{0,2}}(?P<group>[{group}{_GROUPS}])\d{{3}}(?:(?P=group)\d{{3}})*(?:{decimal}\d*)?"
    bare = rf"(?:\d+(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][-+]?\d{{1,3}})?"
    return re.compile(
        rf"(?P<before>\$)?(?P<number>[-+]?(?:{grouped}|{bare}))(?P<after>[{_BLANKS}]?(?:%|[KMG]B))?", re.ASCII
    )


# Whole numbers, and those with a point that cannot stand between thousands.
_PLAIN = re.compile(r"[-+]?(?:\d{1,300}|\d{1,300}\.(?:\d{1,2}|\d{4,300})|(?:0\d*|\d{4,300})\.\d{3})", re.ASCII)
_POINT = re.compile(r"[-+]?\d{1,300}(?:\.\d{1,300})?", re.ASCII)
_FORMS = {".": _number_form(r"\.", ","), ",": _number_form(",", ".")}
_TO_POINT = {".": str.maketrans("", "", f",{_GROUPS}"), ",": str.maketrans(",", ".", f".{_GROUPS}")}


@dataclass(frozen=True)
class Sheet:
    """A CSV file, read: its cells unchanged, and how they are written."""

    path: str
    header: tuple
    columns: dict  # name to the list of its cells
    lines: array  # where each row begins
    delimiter: str
    decimals: dict  # name to what stands before decimals in the column: ".", ",", or "" where nothing tells

    def frame(self, *, texts=(), mixed=False):
        """Return columns of numbers as numbers, NaN where a cell stands for no value; the others as text.

        Parameters
        ----------
        texts : collection of str
            Columns of texts, whatever they look like.
        mixed : bool
            Whether a column may have words among its numbers.

        Raises
        ------
        BadTable
            When a column has numbers and it cannot be told which, or two ways to write them.
        """
        named = {raw.strip(): raw for raw in self.header}
        cells = {name: self.columns[raw] if name in texts else self._values(raw, mixed) for name, raw in named.items()}
        return pd.DataFrame({name: values if isinstance(values, np.ndarray) else pd.Series(values, dtype=object)
                             for name, values in cells.items()})  # fmt: skip

    def _values(self, name, mixed):
        """The numbers of a column, else its texts. A cell that may be two numbers is refused."""
        cells, sign = self.columns[name], self.decimals[name]
        if cells and all(map(_WHOLE.fullmatch, cells)):
            return np.array(cells, dtype="int64")
        if sign == "." and any(cells) and in_plain_digits(cells):
            return np.array([float(cell) if cell else np.nan for cell in cells])
        words = not _is_number_column(cells)
        if words and not (mixed and any(map(readings, cells))):
            return cells
        numbers = [number_in(cell.strip(), sign) for cell in cells]
        for k, number in enumerate(numbers):
            if number is None and readings(cells[k]):
                raise refusal(f"{self.path}, line {self.lines[k]}", name, cells[k], sign)
            if number is None:
                numbers[k] = float("inf") if cells[k].strip() == _INF else cells[k] if words else float("nan")
        return numbers if words else np.array(numbers)


def read_sheet(path, text):
    """Return a CSV file of anybody's as it stands, with commas, semicolons or tabs, decimal points or commas.

    Parameters
    ----------
    path : str or Path
        What messages call it.
    text : str
        What it holds.

    Raises
    ------
    BadTable
        When it is no table: without a header, with torn quotes, rows of several lengths, or two columns of
        one name.
    """
    delimiter, header, cells, lines, fault = _split_cells(text)
    if fault:
        expected, remedy = "a header, then rows of as many cells", f"Mend the file, or save it again as CSV. {RECORDED}"
        raise BadTable(f"{path}, line {fault[0]}", expected=expected, found=fault[1], remedy=remedy)
    names = [name.strip() for name in header]
    where, remedy = f"{path}, line 1", "Give every column a name of its own in the first line."
    for name in header:
        if not name.strip() or not name.isprintable():
            raise BadTable(where, expected="a name over every column", found=repr(name), remedy=remedy)
        if names.count(name.strip()) > 1:
            raise BadTable(where, expected="every column once", found=f"{name!r} twice", remedy=remedy)
    columns = dict(zip(header, cells, strict=True))
    return Sheet(str(path), tuple(header), columns, lines, delimiter, decimal_signs(columns, delimiter))


def _split_cells(text):
    """What stands between the cells, the header, the columns, the lines of their rows, and the first fault or nothing.

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
            if is_blank(cells):
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


def readings(text):
    """Return the numbers that a text can be, by the sign of its decimals.

    Examples
    --------
    >>> readings("1,234"), readings("3.2e3"), readings("12"), readings("many")
    ({'.': 1234.0, ',': 1.234}, {'.': 3200.0}, {'.': 12.0, ',': 12.0}, {})
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


def is_absent(text):
    """Return whether a cell means that there is no value."""
    return text.strip().lower() in ABSENT


def delimiter_of_text(text):
    """Return the delimiter of a CSV file: the one that splits its rows evenly, into most cells.

    Parameters
    ----------
    text : str
        The file, or whole lines from its beginning.
    """
    return _split_cells(text)[0]


def decimal_signs(columns, delimiter):
    """Return the decimal mark of each column: ``"."``, ``","``, or ``""`` if none can be inferred.

    A cell that can be a number in one way only tells it of its column. What no cell of a column tells, the other
    columns of numbers tell, if they agree: one program wrote the file. Where none tells, a file with commas between its
    cells has points before its decimals; where one has commas there all the same, nothing is told of the others.

    Parameters
    ----------
    columns : dict
        Name to cells.
    delimiter : str

    Examples
    --------
    >>> decimal_signs({"users": ["1.200"], "response": ["0,25"]}, ";")
    {'users': ',', 'response': ','}
    >>> decimal_signs({"users": ["1,200"]}, ","), decimal_signs({"users": ["1,200"]}, ";")
    ({'users': '.'}, {'users': ''})
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
    return next((next(iter(possible)) for possible in map(readings, cells) if len(possible) == 1), "")


def unit_sign(text):
    """Return the unit sign next to a number: ``$``, ``%``, ``KB``, ``MB``, ``GB`` or nothing."""
    match = _FORMS["."].fullmatch(text.strip()) or _FORMS[","].fullmatch(text.strip())
    return (match["before"] or match["after"] or "").strip(_BLANKS) if match else ""


def number_in(text, sign):
    """Return the number of a cell in a column with such a sign before decimals; None where it is none, or two.

    Parameters
    ----------
    text : str
    sign : str
        As `decimal_signs` gives it; where nothing tells, a number must be the same with either.
    """
    if sign == "." and _POINT.fullmatch(text):  # most cells of most files
        return float(text)
    values = readings(text)
    if sign:
        return values.get(sign)
    return next(iter(values.values())) if len({*values.values()}) == 1 else None


def refusal(where, name, cell, sign):
    """Make the error for a cell that is no number, or may be two, in a column of numbers.

    Parameters
    ----------
    where : str
        The file and line.
    name, cell, sign : str
        The column, the cell and the sign before decimals in the column, as `decimal_signs` gives it.
    """
    expected, found = f"a number in column {name!r}", repr(cell)
    remedy = "Leave the cell empty where there is no value."
    if readings(cell):
        remedy = "Write the decimals of all its numbers with one sign, and thousands without any."
        if sign:
            expected += f", with {'a point' if sign == '.' else 'a comma'} before decimals as in its other cells"
        else:
            found, remedy = f"{cell!r}, a thousand and more or decimals: neither is told by other cells", _UNTOLD
    return BadTable(where, expected=expected, found=found, remedy=remedy)


def _is_number_column(cells):
    """Whether all cells that stand for a value are numbers (``inf`` is one as it stands), and there is one."""
    if in_plain_digits(cells):
        return any(cells)
    some = False
    for cell in cells:
        if readings(cell):
            some = True
        elif not is_absent(cell) and cell.strip() != _INF:
            return False
    return some


def check_sign(where, name, cell, unit):
    """Refuse a number that carries the sign of another unit than that of its column."""
    bare = cell[:1].isdigit() and cell[-1:].isdigit()  # most cells
    if not bare and not sign_fits(unit_sign(cell), unit):
        remedy = "Take the sign out of the cells, and give the numbers in the unit of the column."
        raise BadTable(where, expected=f"numbers of {name!r} in {unit}", found=repr(cell), remedy=remedy)
