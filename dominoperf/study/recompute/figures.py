"""What the lost pictures must have shown, as far as tables and sentences tell."""

import functools
import re

import pandas as pd

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.study.recompute.expressions import evaluate
from dominoperf.study.recompute.regeneration import number
from dominoperf.tables import doubts, rendering
from dominoperf.tables.folders import our_file

COLUMNS = ["figure", "label", "value", "unit", "basis", "expression"]
_CELL = re.compile(r"cell\([^()]*\)")


def figure_values(id=None, source=None):
    """Return the values that a figure must have shown; without `id` of all of a document, or of all documents.

    The expressions stand in ``data/figures.toml``. Without a unit the points are multiples
    of the one that is 1.

    Returns
    -------
    DataFrame
        figure, label, value, unit, basis ("printed" for a number that stands in a table, "derived" for one that
        follows from others), expression. No rows where nothing of a picture survives. It carries the errata of the
        cells that its points are made of.

    Raises
    ------
    UnknownName
        When there is no such figure, or no such source.
    """
    known = list(tables.figures(source)["id"])
    if id is not None and id not in known:
        raise UnknownName.among("figure", id, known, "Known are those that the page of the document lists.")
    used = {}  # the columns and rows of each table that the points are made of
    rows = [row for each in ([id] if id else known) for row in _points(each, used)]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "printed"])
    found = frame[COLUMNS].astype(dict.fromkeys(COLUMNS, "str") | {"value": "float64"})
    found.attrs[rendering.PRINTED] = {"value": rendering.printed_forms(frame["printed"])}
    return doubts.hand_on(found, *(_cells(*key, rows) for key, rows in used.items()))


def _cells(table, column, rows):
    """Cells of a column, with their errata."""
    return doubts.within(tables.load_where(table, lambda frame: frame.index.isin(rows)), column)


def shown(id):
    """Say what a figure of ``figures.toml`` shows, in a few words; nothing for another."""
    return _figures().get(id, {}).get("shows", "")


def _points(id, used):
    """The points of one figure, with the characters of those that are printed: bare cells of a table."""
    source = id.partition("/")[0]

    def cell(table, column, row):
        used.setdefault((f"{source}/{table}", column), set()).add(row - 1)
        return number(f"{source}/{table}", column, row)

    functions = {"cell": cell}
    texts = {"cell": lambda table, column, row: tables.load(f"{source}/{table}", text=True)[column][row - 1]}
    about = _figures().get(id, {"points": {}})
    for label, expression in about["points"].items():
        where = f"figures.toml, {id}, {label}"
        value, printed = evaluate(expression, {}, functions, where), ""
        if _CELL.fullmatch(expression):
            printed = evaluate(expression, {}, texts, where)
        basis = "printed" if printed else "derived"
        yield id, label, value, about["unit"].removesuffix("1"), basis, expression, printed


@functools.cache
def _figures():
    """The blocks of the file by id of the figure."""
    written = our_file("figures.toml")
    return {f"{source}/{name}": block for source, figures in written.items() for name, block in figures.items()}
