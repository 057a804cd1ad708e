"""Units beside the numbers of a column: ``12 ms``, ``100.5 req/s``, ``1.2k``; for every table of somebody's own.

A column all of whose cells are a number with a known unit is one of numbers in the unit of its first cell. Cells in
another unit of the same kind are converted (``0.9 s`` among ``12 ms``); other mixtures are refused. ``k`` and ``M`` (as
Grafana writes them ``K`` and ``Mil``) are thousands and millions, also of a unit (``1.2k req/s``), and may stand among
bare numbers.
"""

import re
from dataclasses import dataclass

from dominoperf.errors import BadTable
from dominoperf.tables import numerals
from dominoperf.tables.columns import COUNTED, unit_factor, unit_fits
from dominoperf.tables.headings import column_of_heading, heading_and_unit, heading_words

_NUMBER_AND_UNIT = re.compile(r"([-+]?[\d.,]+)\s?(?:([kKM]|Mil)(?: |$))?([^\W\d_][^\d,;]*)?")
_MULTIPLES = {None: 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "Mil": 1e6}
_MIXED = "Write the numbers alone, and their unit in the heading: took [ms]."


@dataclass(frozen=True)
class UnitOfCells:
    """The unit beside the numbers of a column, as it is written and read, and the sign before their decimals."""

    heading: str
    written: str
    read: str
    sign: str

    def number(self, cell):
        """The number of a cell as text, in the unit of the column; None where the cell is no number in such a unit."""
        match = _NUMBER_AND_UNIT.fullmatch(cell.strip())
        if not match:
            return None
        factor = _MULTIPLES[match[2]]
        if (match[3] or "") != self.written:
            unit = _read_unit(self.heading, match[3]) if match[3] and self.written else ""
            if not unit or not unit_fits(unit, self.read):
                return None
            factor *= unit_factor(unit, self.read)
        if factor == 1:
            return match[1]
        number = numerals.number_in_cell(match[1], self.sign)
        return None if number is None else f"{number * factor:.15g}".replace(".", self.sign or ".")


def unit_of_cells(heading, cells, where, *, target="", named=""):
    """Return the `UnitOfCells` of a column, by its cells with their lines; None where they are others.

    `target` is our name that the column is mapped to and `named` the unit that the mapping says, if any. `BadTable` for
    units of several kinds, and for another one than the heading or the mapping names.

    Examples
    --------
    >>> unit_of_cells("wait", [(2, "12 ms"), (3, "0.9 s")], "runs.csv").number("0.9 s")
    '900'
    >>> [unit_of_cells("tps", [(2, "950"), (3, text)], "runs.csv").number(text) for text in ("1.2k", "1.2 Mil")]
    ['1200', '1200000']
    """
    cells = [(line, cell.strip()) for line, cell in cells if not numerals.is_absent_cell(cell)]
    matches = []
    for _, cell in cells:
        matches.append(_NUMBER_AND_UNIT.fullmatch(cell))
        if not matches[-1]:
            return None
    units = {match[3] or "": f"{cell!r} in line {line}"
             for (line, cell), match in reversed([*zip(cells, matches, strict=True)])}  # fmt: skip
    multiples = any(match[2] for match in matches)
    if not multiples and (not cells or "" in units or any(numerals.readings_of_numeral(cell) for _, cell in cells)):
        return None
    name = heading_and_unit(heading)[0]
    read = {unit: _read_unit(heading, unit) if unit else "" for unit in units}
    meant = target or any(column_of_heading(f"{name} [{unit}]" if unit else heading)[0] for unit in units)
    if units.keys() == {""}:
        if not meant and heading_words(heading)[1] not in ("", "1/s", "tps", *COUNTED):
            return None
    elif not all(read.values()) or (not meant and {*read.values()} & {*COUNTED, "1"}):
        return None  # names of things, with a number before them
    first = matches[0][3] or ""
    named = named or heading_words(heading)[1]
    fits = all(unit_fits(unit, read[first]) for unit in read.values()) if first else True
    if not fits or (named and first and units.keys() != {named} and {*read.values()} != {named}):
        expected = f"numbers in one unit in column {heading!r}" + f", in {named} as is said of it" * bool(named)
        raise BadTable(where, expected=expected, found=" and ".join(reversed(units.values())), remedy=_MIXED)
    return UnitOfCells(heading, first, read[first], numerals.decimal_sign([match[1] for match in matches]))


def heading_with_unit(heading, unit):
    """Return the heading with the unit of its cells, where it names none itself."""
    return f"{heading} [{unit.written}]" if unit and unit.written and not heading_words(heading)[1] else heading


def _read_unit(heading, unit):
    """The unit as pint reads it, in a column of that heading; "" where it is none."""
    return heading_words(f"{heading_and_unit(heading)[0]} [{unit}]")[1]
