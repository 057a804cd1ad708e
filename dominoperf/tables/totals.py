"""Rows that sum up others, as spreadsheets and reports of load tests end in: a total is no measurement."""

import re

import numpy as np

from dominoperf.errors import BadTable, as_python
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import place_of_row
from dominoperf.tables.rendering import number

_WORD = re.compile(r"[^\W_]+")


def names_a_total(cell):
    """Return whether a cell names a row that sums up others, by the words of ``data/totals.toml``.

    Examples
    --------
    >>> [names_a_total(cell) for cell in ("TOTAL", "** Grand-Total: **", "total_v2", 760)]
    [True, True, False, False]
    """
    names = our_toml_file("totals.toml")["names"]
    return isinstance(cell, str) and " ".join(_WORD.findall(cell.casefold())) in names


def refused_total(where, column, cell):
    """Return the error of a row that sums up others, where each is to be a measurement."""
    found = f"{as_python(cell)} in column {column}, the name of a row that sums up others"
    remedy = (
        "Leave that row out, or, if such rows alone are meant, the others; if it was measured, give it another name."
    )
    return BadTable(where, expected="a measurement in every row", found=found, remedy=remedy)


def check_no_totals(frame, where, file=""):
    """Refuse a frame some of whose rows, but not all, are named as totals; of a text file the message has the line."""
    for name, column in frame.select_dtypes(exclude=["number", "bool", "datetime"]).items():
        texts = {cell for cell in column if isinstance(cell, str)}
        totals = {*filter(names_a_total, texts)}
        if totals and totals != texts:
            row = next(k for k, cell in enumerate(column) if isinstance(cell, str) and cell in totals)
            raise refused_total(f"{where}, {place_of_row(file, row)}", name, column.iloc[row])


def sum_of_others_in_words(x, y, name):
    """Return, without a stop, that the row of the largest x may be a total: its x and y are the sums of the others.

    "" where they are not. `name` is the column of x.

    Examples
    --------
    >>> sum_of_others_in_words(np.array([10, 20, 40, 80, 150]), np.array([98, 190, 350, 500, 1138]), "users")
    'the row of users 150 is in both columns the sum of the others: if it is a total, leave it out'
    >>> sum_of_others_in_words(np.array([1, 2, 3]), np.array([98, 190, 288]), "users")
    ''
    """
    rules, x, y = our_toml_file("totals.toml"), np.asarray(x), np.asarray(y)
    others = np.arange(len(x)) != (top := int(np.argmax(x)))
    if others.sum() < rules["fewest"]:
        return ""
    if not all(np.isclose(values[top], values[others].sum(), rtol=rules["within"], atol=0) for values in (x, y)):
        return ""
    row = f"the row of {name} {number(x[top], 6)}"
    return f"{row} is in both columns the sum of the others: if it is a total, leave it out"
