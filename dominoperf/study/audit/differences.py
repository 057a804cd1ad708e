"""Published and regenerated cells compared one by one; known differences are listed."""

from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.study import recompute
from dominoperf.study.recompute.regeneration import as_printed
from dominoperf.tables import numerals, rendering

SAME, CORRECTED, PINNED, DIFFERS, LOST = "same", "corrected", "pinned", "differs", "picture lost"
_CELL = {"table": "str", "row": "int64", "column": "str", "printed": "str", "corrected": "str", "regenerated": "str"}
_CELL |= {"difference": "float64", "verdict": "str", "reason": "str"}
_NOT_PRINTED = "no value of the picture is printed"
_COUNTS = {"table": "str", "cells": "int64", "recomputed": "int64", "carried": "int64", "differing": "int64"}


@dataclass(frozen=True)
class RegeneratedTable:
    """The regenerated and the printed cells of a table."""

    table: str
    rows: pd.DataFrame
    cells: int  # printed cells of the table
    stale: tuple = ()  # pins that no longer differ, as (row, column)

    def tidy(self):
        """Return one row per regenerated cell.

        Columns: table, row, column, printed, corrected, regenerated, difference, verdict, reason. The verdict is
        "same", "corrected" where an erratum explains the difference from the print, "pinned" where ``differences.csv``
        does, "differs" otherwise; of a figure "picture lost". `reason` says why a difference is pinned, or why there is
        none to compute.
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
    RegeneratedTable

    Raises
    ------
    UnknownName
        When there is no such table or figure.
    """
    if id in list(tables.figures()["id"]):
        values = recompute.figure_values(id)  # nothing of a picture is printed, so nothing can differ
        texts = zip(values["label"], rendering.shown(values["value"]), strict=True)
        rows = [
            (id, k, label, "", "", text, float("nan"), LOST, _NOT_PRINTED)
            for k, (label, text) in enumerate(texts, start=1)
        ]
        return RegeneratedTable(id, _frame_of_differences(rows, _CELL), len(rows))
    return _beside_printed_cells(id, recompute.cells_of(id))


def _beside_printed_cells(id, cells):
    """The recomputed cells of a table, as `recompute.cells` has them, beside the printed ones."""
    text, pins = tables.load(id, text=True), tables.read_table(tables.home() / "differences.csv")
    pins = pins[pins["table"] == id]
    pins = {(pin.row, pin.column): (pin.regenerated, pin.reason) for pin in pins.itertuples()}
    rows = []
    for cell in cells.itertuples():
        key, corrected = (cell.row, cell.column), text[cell.column][cell.row - 1]
        shown = as_printed(cell.implied, cell.printed)
        was, right, regenerated = map(numerals.read_number, (cell.printed, corrected, shown))
        pinned, reason = pins.get(key, (None, ""))
        if regenerated == pinned:
            verdict = PINNED
        elif regenerated != right:
            verdict, reason = DIFFERS, ""
        else:
            verdict, reason = SAME if regenerated == was else CORRECTED, ""
        rows.append((cell.table, *key, cell.printed, corrected, shown, round(regenerated - was, 9), verdict, reason))
    frame = _frame_of_differences(rows, _CELL)
    pinned = frame[frame["verdict"] == PINNED]
    stale = set(pins) - set(zip(pinned["row"], pinned["column"], strict=True))
    return RegeneratedTable(id, frame, int((text != "").to_numpy().sum()), tuple(sorted(stale)))


def diffs(source=None):
    """Return the `RegeneratedTable` of every table that has regenerated cells; views repeat them and are left out."""
    recomputed = recompute.cells(source).groupby("table", sort=False)
    return [_beside_printed_cells(id, cells) for id, cells in recomputed]


def diff_counts(source=None):
    """Return a row for each table with regenerated cells: table, cells, recomputed, carried, differing."""
    return counts_of_diffs(diffs(source))


def counts_of_diffs(diffs):
    """Return the row of each `RegeneratedTable` that `diff_counts` has of it."""
    return pd.concat([_frame_of_differences([], _COUNTS), *(diff.glance() for diff in diffs)], ignore_index=True)


def diff_cells(source=None):
    """Return every regenerated cell beside the printed one, as `RegeneratedTable.tidy` has it."""
    return pd.concat([_frame_of_differences([], _CELL), *(diff.tidy() for diff in diffs(source))], ignore_index=True)


def _frame_of_differences(rows, types):
    """A frame of rows; without any its columns have their types too, or those beside which it is laid lose theirs."""
    return pd.DataFrame(rows, columns=list(types)).astype(types)
