"""What the lost pictures must have shown, as far as tables and sentences tell."""

import functools
import re

import pandas as pd

from dominoperf import catalog, rendering
from dominoperf.catalog.folders import our_file
from dominoperf.errors import UnknownName
from dominoperf.recompute.expressions import evaluate
from dominoperf.recompute.tables import number

COLUMNS = ["figure", "label", "value", "unit", "basis", "expression"]
_CELL = re.compile(r"cell\([^()]*\)")


def figure_values(id=None):
    """Give the values that a figure must have shown; without `id` of all whose data survive.

    The expressions stand in ``data/figures.toml``. Without a unit the points are multiples
    of the one that is 1.

    Returns
    -------
    DataFrame
        figure, label, value, unit, basis ("printed" for a number that stands in a table, "derived" for one that
        follows from others), expression. No rows where nothing of a picture survives.

    Raises
    ------
    UnknownName
        When there is no such figure.
    """
    known = list(catalog.figures()["id"])
    if id is not None and id not in known:
        raise UnknownName.among("figure", id, known, "Known are those that the page of the document lists.")
    rows = [row for each in ([id] if id else known) for row in _points(each)]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "printed"])
    found = frame[COLUMNS].astype(dict.fromkeys(COLUMNS, "str") | {"value": "float64"})
    found.attrs[rendering.PRINTED] = {"value": rendering.printed_forms(frame["printed"])}
    return found


def shown(id):
    """Say what a figure of ``figures.toml`` shows, in a few words; nothing for another."""
    return _figures().get(id, {}).get("shows", "")


def _points(id):
    """The points of one figure, with the characters of those that are printed: bare cells of a table."""
    source = id.partition("/")[0]
    functions = {"cell": lambda table, column, row: number(f"{source}/{table}", column, row)}
    texts = {"cell": lambda table, column, row: catalog.load(f"{source}/{table}", text=True)[column][row - 1]}
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
