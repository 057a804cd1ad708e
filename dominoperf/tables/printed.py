"""Cells as files write them: CSV as text, printed numbers with their signs, other ways to write a number."""

import csv
import re
from decimal import Decimal

import pandas as pd

_NUMBER = re.compile(
    r"(?P<before>\$)?(?P<digits>[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)\s?(?P<after>%|[KMG]B)?", re.ASCII
)
_EXPONENT = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d{1,3}", re.ASCII)  # as programs write, not pages
_POINT = re.compile(r"[-+]?\d+\.", re.ASCII)
# Of a column in plain digits all cells, a line each, by the sign before decimals; none where all are whole.
_PLAIN = {
    sign: re.compile(rf"(?:(?:[-+]?\d{{1,15}}{decimals})?+\n)*+", re.ASCII)
    for sign, decimals in {"": "", ".": r"(?:\.\d{1,30})?+", ",": r"(?:,\d{1,30})?+"}.items()
}
_TURNED = str.maketrans(",.", ".,")  # decimals and thousands change places
_GROUPS = str.maketrans("", "", " \u00a0\u202f'’")  # between thousands, where it is neither a comma nor a point
csv.field_size_limit(2**30)  # a cell may be long; the default depends on who imported csv first


def read_number(text):
    """Read a printed number: ``5,150``, ``.890``, ``$13.22``, ``44.4%`` or ``16 KB``; None when it is none.

    The sign is not judged here: `sign_of` gives it, and the check of a folder compares it with the column's unit.
    """
    match = _NUMBER.fullmatch(text.strip())
    number = float(match["digits"].replace(",", "")) if match and any(map(str.isdecimal, match["digits"])) else None
    return number if number is not None and number < float("inf") else None


def sign_of(text):
    """Return the sign that a printed number carries: ``$``, ``%``, ``KB``, ``MB``, ``GB`` or nothing."""
    match = _NUMBER.fullmatch(text.strip())
    return "".join(filter(None, (match["before"], match["after"]))) if match else ""


def is_number(field):
    """Tell whether a field of a Table Schema holds numbers."""
    return field.get("type") in ("number", "integer")


def in_plain_digits(cells, sign="."):
    """Tell whether all cells of a column are numbers in plain digits, or empty: most columns are, and one look tells.

    Parameters
    ----------
    cells : list of str
    sign : {".", ",", ""}
        What stands before decimals; nothing: all are whole.

    Examples
    --------
    >>> in_plain_digits(["1.5", "", "-12"]), in_plain_digits(["1.5"], ""), in_plain_digits(["1,000"])
    (True, False, False)
    """
    text = "\n".join(cells) + "\n"
    return text.count("\n") == len(cells) and _PLAIN[sign].fullmatch(text) is not None


def plain(cell, field):
    """Return a cell as our documents would print it, where it is that of a number written otherwise.

    A field with a ``decimalChar`` of "," has ``1.234,5`` for ``1,234.5``; one with a ``groupChar`` of "'" has
    ``1'234``; a program writes ``1e-05`` for ``0.00001``, and ``5.`` for 5.
    """
    if not is_number(field):
        return cell
    text = cell.translate(_TURNED) if field.get("decimalChar") == "," else cell
    if field.get("groupChar") not in (None, ",", "."):
        text = text.translate(_GROUPS)
    text = text[:-1] if _POINT.fullmatch(text) else text
    return format(Decimal(text), "f") if _EXPONENT.fullmatch(text) else text


def delimiter_of(resource):
    """Return the delimiter of a table's file, as its ``dialect`` says, or else a comma.

    Both the standard's form ``{"delimiter": ";"}`` and that of frictionless, ``{"csv": {"delimiter": ";"}}``, are read.
    """
    dialect = resource.get("dialect")
    settings = dialect.get("csv", dialect) if isinstance(dialect, dict) else {}
    sign = settings.get("delimiter") if isinstance(settings, dict) else None
    return sign if isinstance(sign, str) and len(sign) == 1 and sign not in '\r\n"' else ","


def read_printed(path, delimiter=","):
    """Return a CSV file as text, every cell unchanged.

    Raises
    ------
    ValueError
        When there is no header, or a row has another number of cells.
    """
    rows, lines, fault = read_records(path, delimiter)
    while rows and not rows[-1]:  # blank lines at the end
        rows.pop()
    if fault or not rows:
        raise ValueError("line {}: {}".format(*fault) if fault else "an empty file")
    for row, line in zip(rows, lines, strict=False):
        if len(row) != len(rows[0]):
            raise ValueError(f"line {line}: {len(row)} cells under {len(rows[0])} headings")
    return pd.DataFrame(rows[1:], columns=rows[0], dtype=object)


def read_records(path, delimiter=","):
    """Read the records of a CSV file, empty ones too, the line that each starts in, and what ended the reading.

    The last is None, or the line and what is wrong with the record there: a quote that is not closed, or is closed
    within a cell. A byte-order mark is no part of the first cell.
    """
    records, lines = [], []
    with open(path, encoding="utf-8-sig", newline="") as text:
        try:
            for line, record in rows_with_lines(text, delimiter):
                records.append(record)
                lines.append(line)
        except TornRow as torn:
            return records, lines, torn.args
    return records, lines, None


class TornRow(Exception):
    """A row that is none, for a quote that is not closed or is closed within a cell: its line, and what is wrong."""


def rows_with_lines(text, delimiter=","):
    """Yield the line in which each row of a CSV file begins, and its cells; a cell in quotes may hold line ends.

    Parameters
    ----------
    text : iterable of str
        Lines with their ends: an open file, say.

    Raises
    ------
    TornRow
        When a quote is not closed, or is open for so long that it would fill the memory.

    Examples
    --------
    >>> [*rows_with_lines(["a,b\\n", '1,"2\\n', '3"\\n', "4,5\\n"])]
    [(1, ['a', 'b']), (2, ['1', '2\\n3']), (4, ['4', '5'])]
    """
    reader, line = csv.reader(text, strict=True, delimiter=delimiter), 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise TornRow(line, str(error)) from error


def is_blank(cells):
    """Tell whether a row has nothing in it: no cell, or a single one of blanks."""
    return len(cells) < 2 and not any(map(str.strip, cells))
