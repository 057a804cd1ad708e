"""What a CSV file says of itself: what stands between cells, how numbers are written, types and keys of columns."""

import codecs
import csv
import datetime
import io
import itertools
import re
from dataclasses import dataclass

from dominoperf import catalog
from dominoperf.checking.problems import bad_byte
from dominoperf.checking.questions import asked, is_question
from dominoperf.errors import BadTable

_DELIMITERS = (",", ";", "\t")
_MISSING = {"NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None", "-", "--", "."}
_GROUPED = re.compile(r"[-+]?[1-9]\d{0,2}(?P<sign>[.,])\d{3}(?:(?P=sign)\d{3})*")  # 1,200 or 1.200: grouped, or decimal
_NUMERAL = re.compile(r"[-+]?[\d.,]*\d", re.ASCII)
_LEADING_ZERO = re.compile(r"0\d+")  # of an identifier, not of a number
_DECIMAL_COMMA = {"decimalChar": ","}
_KEY_COLUMNS = 12  # columns that are looked at in pairs


@dataclass(frozen=True)
class Sheet:
    """A CSV file, read: its cells as they stand, and how they are written."""

    header: tuple
    columns: dict  # name to the list of its cells
    delimiter: str
    bom: bool
    decimals: dict  # name to what stands before decimals in the column: "." or ",", or a question


def read_sheet(path, content):
    """Read the bytes of a CSV file.

    Parameters
    ----------
    path : Path
        What the messages call it.
    content : bytes

    Raises
    ------
    BadTable
        When it is no table: not in UTF-8, without a header, with torn quotes, rows of several lengths, or two columns
        of one name.
    """
    text = _decoded(path, content)
    delimiter, records = _split(path, text)
    header = tuple(records[0])
    _check_header(path, header)
    rows = [record for record in records[1:] if record]  # a blank row is told by `check`
    columns = {name: [row[k] for row in rows] for k, name in enumerate(header)}
    return Sheet(header, columns, delimiter, content.startswith(codecs.BOM_UTF8), _decimals(columns, delimiter))


def type_of(cells, decimal, numeric):
    """Give type, sign, whether all numbers are whole, and which cells stand for nothing, of a column.

    Parameters
    ----------
    numeric : bool or None
        Whether the vocabulary says that the column holds numbers; None where it says nothing.
    """
    field = {"type": "number"} | (_DECIMAL_COMMA if decimal == "," else {})
    texts = [catalog.plain(cell, field) for cell in cells if cell.strip()]
    numbers = [text for text in texts if catalog.read_number(text) is not None]
    strange = {text for text in texts if catalog.read_number(text) is None}
    signs = {catalog.sign_of(text) for text in numbers} - {""}
    zeros = numeric is None and any(_LEADING_ZERO.fullmatch(text) for text in numbers)
    # Of a column that is one of ours half the cells may be slips, which `check` tells; else a single word says text.
    enough = len(numbers) > 0 and (strange <= _MISSING or (numeric and 2 * len(numbers) >= len(texts)))
    if numeric is False or zeros or not enough or len(signs) > 1:
        return "date" if _are_dates(texts) else "string", "", _whole(numbers), set()
    kind = "integer" if _whole(numbers) and not signs and not is_question(decimal) else "number"
    missing = {cell for cell in cells if cell.strip() and catalog.plain(cell, field) in strange & _MISSING}
    return kind, next(iter(signs), ""), _whole(numbers), missing


def key_of(columns, kinds, measured):
    """Give the first column that tells the rows apart, else the first two that do; nothing, where none do.

    A number with decimals is no key, nor is what was measured: that two runs never answered alike is chance.
    """
    names = [name for name in columns if kinds[name] in ("string", "integer") and name not in measured]
    names = [name for name in names if all(columns[name])][:_KEY_COLUMNS]
    for several in itertools.chain(((name,) for name in names), itertools.combinations(names, 2)):
        rows = list(zip(*(columns[name] for name in several), strict=True))
        if rows and len(set(rows)) == len(rows):
            return list(several)
    return []


def _are_dates(texts):
    try:
        return bool(texts) and all(len(text) == 10 and datetime.date.fromisoformat(text) for text in texts)
    except ValueError:
        return False


def _whole(numbers):
    return all(catalog.read_number(text).is_integer() and "." not in text for text in numbers)


def _decoded(path, content):
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line, found = bad_byte(error)
        remedy = "Save the file as UTF-8."
        raise BadTable(f"{path}, line {line}", expected="UTF-8", found=found, remedy=remedy) from error


def _split(path, text):
    """What stands between the cells, and the records: the split into most cells that is the same in every row."""
    found = {delimiter: _records(text, delimiter) for delimiter in _DELIMITERS}
    several = [each for each in _DELIMITERS if found[each][0] and len(found[each][0][0]) > 1] or _DELIMITERS[:1]
    even = [each for each in several if found[each][0] and not found[each][1]]
    if even:
        best = max(even, key=lambda each: len(found[each][0][0]))
        return best, found[best][0]
    line, fault = found[several[0]][1] or (1, "an empty file")
    expected, remedy = "a header, then rows of as many cells", "Mend the file, or save it again as CSV."
    raise BadTable(f"{path}, line {line}", expected=expected, found=fault, remedy=remedy)


def _records(text, delimiter):
    """The records, and the line of the first fault with what it is, or nothing."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    records = []
    try:
        records.extend(reader)
    except csv.Error as error:
        return records, (reader.line_num, str(error))
    for number, record in enumerate(records, start=1):
        if record and len(record) != len(records[0]):
            return records, (number, f"{len(record)} cells under {len(records[0])} headings")
    return records, None if records and records[0] else (1, "no heading in the first line")


def _check_header(path, header):
    """Refuse a heading that cannot name a column, and one that two columns have."""
    where, remedy = f"{path}, line 1", "Give every column a name of its own in the first line."
    for name in header:
        if not name.strip() or not name.isprintable():
            raise BadTable(where, expected="a name over every column", found=repr(name), remedy=remedy)
        if [each.strip() for each in header].count(name.strip()) > 1:
            raise BadTable(where, expected="a name of its own for every column", found=f"{name!r} twice", remedy=remedy)


def _decimals(columns, delimiter):
    """The sign before decimals, column by column: a point, a comma, or a question where 1,200 may be either.

    What one column leaves open another one tells: a file is written by one program.
    """
    found = {name: _decimal([cell for cell in cells if _NUMERAL.fullmatch(cell)]) for name, cells in columns.items()}
    known = {sign for sign in found.values() if sign in (".", ",")}
    if len(known) == 1 or delimiter != ";":
        file = known.pop() if len(known) == 1 else "."
        return {name: sign if sign in (".", ",") else file for name, sign in found.items()}
    return {
        name: asked(f". or , : which of them stands before decimals in {sign}") if len(sign) > 1 else sign or "."
        for name, sign in found.items()
    }


def _decimal(texts):
    """The sign before decimals in a column; an example, where it may be either; nothing, where there are none."""
    example = ""
    for text in texts:
        last = text[max(text.rfind(","), text.rfind("."))] if "," in text or "." in text else ""
        if last and (len({",", "."} & set(text)) == 2 or not _GROUPED.fullmatch(text)):
            if text.count(last) == 1:
                return last
        elif text.count(last) > 1:
            return {",": ".", ".": ","}.get(last, "")
        elif last:
            example = example or text
    return example


def decimal_of(sheet, name):
    """Give the ``decimalChar`` that a field needs: none for a point."""
    sign = sheet.decimals[name]
    return {} if sign == "." else {"decimalChar": sign}
