"""Numbers as text: as documents print them (``$5,150``, ``.890``), and as programs of any country write them.

A document's tables are read by what their descriptor says. Of a file that somebody brings it is told from the cells:
``1,5`` can only have a decimal comma, ``1,234.5`` only a decimal point, and ``1,234`` may be either.
"""

import re

from dominoperf.errors import BadTable
from dominoperf.tables.columns import sign_fits

NUMBER = re.compile(
    r"(?:\$\u00a0?\s?)?(?P<sign>[-+]?)(?P<whole>\d{1,3}(?:,\d{3})+|\d*)(?P<rest>(?:\.\d+|(?<=\d)\.)?)"
    r"[\s\u00a0\u202f]?(?:%|[KMG]B|\$)?",
    re.ASCII,
)
"""A number as documents print it."""
_EXPONENT = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d{1,3}", re.ASCII)  # as programs write, not pages
# Of a column in plain digits all cells, a line each, by the sign before decimals; none where all are whole.
_PLAIN_COLUMN = {
    sign: re.compile(rf"(?:(?:[-+]?\d{{1,15}}{decimals})?+\n)*+", re.ASCII)
    for sign, decimals in {"": "", ".": r"(?:\.\d{1,30})?+"}.items()
}
_TURNED = str.maketrans(",.", ".,")  # decimals and thousands change places
ABSENT = {
    "", "-", "--", "–", "—", ".", "n/a", "na", "n.a.", "nan", "-nan", "<na>", "null", "none",
    "#n/a", "#nv", "k.a.", "k. a.", "n.v.",
}  # fmt: skip
"""What stands for no value, in small letters."""
INFINITE = "inf"
_BLANKS = " \u00a0\u202f"
_GROUPS = f"{_BLANKS}'’"  # between thousands, whatever the sign of the decimals
_UNTOLD = "Write its numbers so that it can be told: 1234, 1234.0 or 1.2340."


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
    match = NUMBER.fullmatch(text.strip())
    if not match or not (match["whole"] or match["rest"]):
        number = float(text) if _EXPONENT.fullmatch(text.strip()) else float("inf")
        return number if abs(number) < float("inf") else None
    number = float(f"{match['sign']}{match['whole'].replace(',', '')}{match['rest']}")
    return number if abs(number) < float("inf") else None


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
    return text.strip().lower() in ABSENT


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
    distinct = {signs[name] for name, cells in columns.items() if signs[name] and is_number_column(cells)}
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
    remedy = "Write numbers alone, with their unit in the heading; leave the cell empty where there is no value."
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


def is_number_column(cells):
    """Whether all cells that stand for a value are numbers (``inf`` is one as it is), and there is one."""
    if in_plain_digits(cells):
        return any(cells)
    some = False
    for cell in cells:
        if readings_of_numeral(cell):
            some = True
        elif not is_absent_cell(cell) and cell.strip() != INFINITE:
            return False
    return some
