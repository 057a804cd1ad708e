"""Published beside regenerated, cell by cell, with what is known to differ pinned."""

from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.study import recompute
from dominoperf.study.recompute.regeneration import as_printed, rounded
from dominoperf.tables import printed, rendering

SAME, CORRECTED, PINNED, DIFFERS, LOST = "same", "corrected", "pinned", "differs", "picture lost"
_CELL = {"table": "str", "row": "int64", "column": "str", "printed": "str", "corrected": "str", "regenerated": "str"}
_CELL |= {"difference": "float64", "verdict": "str"}
_COUNTS = {"table": "str", "cells": "int64", "recomputed": "int64", "carried": "int64", "differing": "int64"}


@dataclass(frozen=True)
class Diff:
    """The regenerated cells of a table beside the printed ones."""

    table: str
    rows: pd.DataFrame
    cells: int  # printed cells of the table
    stale: tuple = ()  # pins that no longer differ, as (row, column)

    def tidy(self):
        """Return a row a regenerated cell: table, row, column, printed, corrected, regenerated, difference, verdict.

        The verdict is "same", "corrected" where an erratum explains the difference from the print, "pinned" where
        ``differences.csv`` does, "differs" otherwise; of a figure "picture lost".
        """
        return self.rows.copy()

    def glance(self):
        """Return one row: table, cells, recomputed, carried, differing (from the print, for whatever reason)."""
        done = len(self.rows)
        differing = int((~self.rows["verdict"].isin([SAME, LOST])).sum())
        return pd.DataFrame([(self.table, self.cells, done, self.cells - done, differing)], columns=list(_COUNTS))

    def unpinned(self):
        """Return what is news: cells that differ without an erratum or a pin, and pins of cells that do not differ."""
        old = self.rows[[key in self.stale for key in zip(self.rows["row"], self.rows["column"], strict=True)]]
        return pd.concat([self.rows[self.rows["verdict"] == DIFFERS], old], ignore_index=True)

    def __repr__(self):
        """Lay the cells out for a terminal."""
        return rendering.as_text(self.rows)

    def _repr_html_(self):
        return rendering.as_html(self.rows)


def diff_table(id):
    """Lay the regenerated cells of a table beside the printed ones; of a figure the values that it must have shown.

    Parameters
    ----------
    id : str
        A table, see `tables.list_tables`, or a figure, see `tables.figures`.

    Returns
    -------
    Diff

    Raises
    ------
    UnknownName
        When there is no such table or figure.
    """
    if id in list(tables.figures()["id"]):
        values = recompute.figure_values(id)  # nothing of a picture is printed, so nothing can differ
        texts = zip(values["label"], rendering.shown(values["value"]), strict=True)
        rows = [(id, k, label, "", "", text, float("nan"), LOST) for k, (label, text) in enumerate(texts, start=1)]
        return Diff(id, _frame_of_differences(rows, _CELL), len(rows))
    cells = recompute.cells_of(id)
    text, pins = tables.load(id, text=True), _pins(id)
    rows = [_difference_row(each, text[each.column][each.row - 1], pins) for each in cells.itertuples()]
    frame = _frame_of_differences(rows, _CELL)
    pinned = frame[frame["verdict"] == PINNED]
    stale = set(pins) - set(zip(pinned["row"], pinned["column"], strict=True))
    return Diff(id, frame, int((text != "").to_numpy().sum()), tuple(sorted(stale)))


def diffs(source=None):
    """Return the `Diff` of every table with regenerated cells; views lay them out again and are left out."""
    return [each for each in map(diff_table, recompute.computed(source)) if len(each.rows)]


def diff_counts(source=None):
    """Return a row for each table with regenerated cells: table, cells, recomputed, carried, differing."""
    return pd.concat(
        [_frame_of_differences([], _COUNTS), *(each.glance() for each in diffs(source))], ignore_index=True
    )


def diff_cells(source=None):
    """Return every regenerated cell beside the printed one, as `Diff.tidy` has it."""
    return pd.concat([_frame_of_differences([], _CELL), *(each.tidy() for each in diffs(source))], ignore_index=True)


def _frame_of_differences(rows, types):
    """A frame of rows; without any its columns have their types too, or those beside which it is laid lose theirs."""
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _difference_row(cell, corrected, pins):
    """The cell as printed, corrected and regenerated, the last rounded to the digits of the print."""
    found, key = rounded(cell.regenerated, cell.printed), (cell.row, cell.column)
    was, right = map(printed.read_number, (cell.printed, corrected))
    if found == pins.get(key):
        verdict = PINNED
    elif found != right:
        verdict = DIFFERS
    else:
        verdict = SAME if found == was else CORRECTED
    return (cell.table, *key, cell.printed, corrected, as_printed(found, cell.printed), round(found - was, 9), verdict)


def _pins(id):
    """Regenerated numbers that are known to differ from the corrected ones, by row and column."""
    known = tables.read_table(tables.home() / "differences.csv")
    return {(each.row, each.column): each.regenerated for each in known[known["table"] == id].itertuples()}
