"""What a CSV file says of itself: types and keys of its columns, and how they write numbers."""

import datetime
import itertools
import re

from dominoperf.tables import sheets
from dominoperf.tables.questions import asked

_LEADING_ZERO = re.compile(r"0\d+")  # of an identifier, not of a number
_KEY_COLUMNS = 12  # columns that are looked at in pairs
_GROUP = re.compile(r"\d([^\d])\d{3}(?!\d)")  # what may stand between thousands


def type_of(cells, decimal, numeric):
    """Return type, sign, whether all numbers are whole, and which cells stand for nothing, of a column.

    Parameters
    ----------
    cells : list of str
    decimal : str
        What stands before decimals, as `decimal_signs` of `dominoperf.tables.sheets` gives it.
    numeric : bool or None
        Whether the vocabulary says that the column holds numbers; None where it says nothing.
    """
    texts = [cell.strip() for cell in cells if cell.strip()]
    numbers = [text for text in texts if (decimal or ".") in sheets.readings(text)]
    strange = set(texts) - set(numbers)
    signs = {sheets.unit_sign(text) for text in numbers} - {""}
    zeros = numeric is None and any(_LEADING_ZERO.fullmatch(text) for text in numbers)
    absent = {text for text in strange if sheets.is_absent(text)}
    # Of a column that is one of ours half the cells may be slips, which `check` tells; else a single word says text.
    enough = len(numbers) > 0 and (strange == absent or (numeric and 2 * len(numbers) >= len(texts)))
    whole = bool(numbers) and all(_is_whole(text, decimal) for text in numbers)
    if numeric is False or zeros or not enough or len(signs) > 1:
        return "date" if _are_dates(texts) else "string", "", whole, set()
    kind = "integer" if whole and not signs and (decimal or not _either(numbers)) else "number"
    return kind, next(iter(signs), ""), whole, {cell for cell in cells if cell.strip() in absent}


def key_of(columns, kinds, measured):
    """Return the first column that tells the rows apart, else the first two that do; nothing, where none do.

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


def _is_whole(text, decimal):
    """Whether a number is written without decimals; thousands may be grouped."""
    value = sheets.readings(text)[decimal or "."]
    return value.is_integer() and (decimal or ".") not in text


def _either(texts):
    """The first text that is another number with a decimal comma than with a point."""
    return next((text for text in texts if sheets.number_in(text, "") is None), "")


def writing_of(sheet, name):
    """Return how a column of numbers is written, in the words of the Table Schema: ``decimalChar`` and ``groupChar``.

    Nothing stands for a decimal point; where nothing tells it, ``decimalChar`` is a question.
    """
    sign, cells = sheet.decimals[name], sheet.columns[name]
    either = "" if sign else _either([cell for cell in cells if sheets.readings(cell)])
    if either:
        sign = asked(f". or , : which of them stands before decimals in {either}")
    groups = [found[1] for found in map(_GROUP.search, cells) if found and found[1] != sign]
    decimal = {"decimalChar": sign} if sign not in ("", ".") else {}
    return decimal | ({"groupChar": groups[0]} if groups and (not either or groups[0] not in ",.") else {})
