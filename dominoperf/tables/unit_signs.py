"""Units as pint reads them, with those of the field from ``units.txt``."""

import functools
import re
from pathlib import Path

from dominoperf.errors import BadTable
from dominoperf.tables import sheets
from dominoperf.tables.columns import OF_ITS_ROW, units

_LONGEST = 100  # characters of a unit: pint takes a second over some thousands
_FREE = ("1", *OF_ITS_ROW)  # units that pint need not know
# Names joined by * and /, each to a small power: what pint would compute (9**9**9) or run is refused before it sees it.
_NAME = r"[^\W\d]\w*(?:(?:\*\*|\^)-?\d)?"
_SHAPE = re.compile(rf"(?:1\s*/\s*)?{_NAME}(?:\s*[*/]\s*{_NAME})*")
COUNTED = ("user", "person", "processor", "server", "drive", "database")  # a plain count may be one of these
_MEMORY = ("ram_mb", "l2_kb")
_BINARY = {"kB": "KiB", "MB": "MiB", "GB": "GiB"}
# What a printed number carries, and the units that it may stand for.
_SIGNS = {"$": ("USD",), "%": ("percent",), "KB": ("kB", "KiB"), "MB": ("MB", "MiB"), "GB": ("GB", "GiB")}


def known_unit(unit):
    """Tell whether pint, with the units of the field, can read `unit`."""
    return unit in _FREE or _parses(str(unit))


def in_brackets(heading):
    """Split ``response (ms)`` or ``response [ms]`` into the name and what stands in the brackets, nothing without any.

    By hand: a pattern would try every way to share out a long row of blanks.
    """
    text = heading.rstrip()
    begun = max(text.rfind("("), text.rfind("["))
    inner = text[begun + 1 : -1]
    if begun < 0 or text[-1] not in ")]" or not inner.strip() or ")" in inner or "]" in inner:
        return heading, ""
    return text[:begun].rstrip(), inner.strip()


def sign_fits(sign, unit):
    """Tell whether a number printed with ``$``, ``%``, ``KB``... can be one in `unit`; dollars may be per user."""
    return not sign or str(unit).partition("/")[0].strip() in _SIGNS.get(sign, ())


def with_units(sheet):
    """Return a sheet whose numbers carry no sign of another unit than that of their column: 44 % are no share of 44.

    Raises
    ------
    BadTable
        Which names the line.
    """
    for name, cells in sheet.columns.items():
        unit = units().get(name.strip(), OF_ITS_ROW[0])
        for line, cell in zip(sheet.lines, cells, strict=True) if unit not in OF_ITS_ROW else ():
            check_sign(f"{sheet.path}, line {line}", name, cell, unit)
    return sheet


def check_sign(where, name, cell, unit):
    """Refuse a number that carries the sign of another unit than that of its column."""
    plain = cell[:1].isdigit() and cell[-1:].isdigit()  # most cells
    if not plain and not sign_fits(sheets.unit_sign(cell), unit):
        remedy = "Take the sign out of the cells, and give the numbers in the unit of the column."
        raise BadTable(where, expected=f"numbers of {name!r} in {unit}", found=repr(cell), remedy=remedy)


@functools.cache
def factor(unit, wanted):
    """Return what a number in `unit` is multiplied with to be one in `wanted`.

    Raises
    ------
    pint.DimensionalityError
        When the two measure different things.
    """
    if unit == wanted or (unit == "1" and wanted in COUNTED):
        return 1.0
    return float(_registry().Quantity(1.0, unit).to(wanted).magnitude)


def factor_of(column, unit, wanted):
    """Return `factor` for a column of our vocabulary; memory counts in steps of 1,024, whatever its unit is called."""
    if column in _MEMORY:
        unit, wanted = (_BINARY.get(each, each) for each in (unit, wanted))
    return factor(unit, wanted)


def fits(unit, wanted):
    """Tell whether a number in `unit` can be one in `wanted`: both measure the same thing."""
    try:
        return bool(factor(unit, wanted))
    except (TypeError, AttributeError, ValueError):  # as pint tells that they differ, or that it knows no such unit
        return False


@functools.cache
def _parses(unit):
    """Whether it has the shape of a unit, and pint knows every name in it."""
    if len(unit) > _LONGEST or not _SHAPE.fullmatch(unit):
        return False
    try:
        _registry().parse_units(unit)
    except Exception:  # pint raises many kinds, from its own to those of the tokenizer: all mean the same here
        return False
    return True


@functools.cache
def _registry():
    import pint

    registry = pint.UnitRegistry()
    registry.load_definitions(Path(__file__).parent / "units.txt")
    return registry
