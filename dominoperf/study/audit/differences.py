"""Published and regenerated cells compared one by one; known differences are listed."""

from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.errors import counted, names_its_keywords
from dominoperf.study import recompute
from dominoperf.study.recompute.regeneration import as_printed
from dominoperf.tables import reading, rendering
from dominoperf.tables.rendering import Result

SAME, CORRECTED, PINNED, DIFFERS, LOST = "same", "corrected", "pinned", "differs", "picture lost"
_CELL = {"table": "str", "row": "int64", "column": "str", "printed": "str", "corrected": "str", "regenerated": "str"}
_CELL |= {"difference": "float64", "verdict": "str", "reason": "str"}
_NOT_PRINTED = "no value of the picture is printed"
_COUNTS = {"table": "str", "cells": "int64", "recomputed": "int64", "carried": "int64", "differing": "int64"}


@dataclass(frozen=True)
class RegeneratedTable(Result):
    """The regenerated and the printed cells of a table, or of several."""

    rows: pd.DataFrame
    cells: dict  # printed cells of each table, by its id
    stale: frozenset = frozenset()  # pins that no longer differ, as (table, row, column)

    def tidy(self) -> pd.DataFrame:
        """Return one row per regenerated cell.

        The verdict is "same", "corrected" where an erratum explains the difference from the print, "pinned" where
        ``differences.csv`` does, "differs" otherwise; of a figure "picture lost".
        """
        return self.rows.copy()

    def glance(self) -> pd.DataFrame:
        """Return one row per table: table, cells, recomputed, carried, differing (from the print, for any reason)."""
        differing = self.rows[~self.rows["verdict"].isin([SAME, LOST])]
        counts = pd.DataFrame({"table": [*self.cells], "cells": [*self.cells.values()]})
        for name, rows in (("recomputed", self.rows), ("differing", differing)):
            counts[name] = counts["table"].map(rows["table"].value_counts()).fillna(0)
        counts["carried"] = counts["cells"] - counts["recomputed"]
        return counts[list(_COUNTS)].astype(_COUNTS)

    def unpinned(self) -> pd.DataFrame:
        """Return what is news: cells that differ without an erratum or a pin, and pins of cells that do not differ."""
        keys = zip(self.rows["table"], self.rows["row"], self.rows["column"], strict=True)
        old = self.rows[[key in self.stale for key in keys]]
        return pd.concat([self.rows[self.rows["verdict"] == DIFFERS], old], ignore_index=True)

    def headline(self) -> str:
        """Return in a sentence how many cells were computed again, and what became of them."""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.rows["verdict"].value_counts().items())
        return f"{counted(len(self.rows), 'cell')} computed again{': ' * bool(counts)}{counts}."


@names_its_keywords()
def diff_table(id: str) -> RegeneratedTable:
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
        texts = zip(values["label"], rendering.numbers_as_shown(values["value"]), strict=True)
        rows = [
            (id, k, label, "", "", text, float("nan"), LOST, _NOT_PRINTED)
            for k, (label, text) in enumerate(texts, start=1)
        ]
        return RegeneratedTable(_frame_of_differences(rows), {id: len(rows)})
    return _beside_printed_cells([id], recompute.cells_of(id))


def diffs(source: str | None = None) -> RegeneratedTable:
    """Lay the regenerated cells of every table that has some beside the printed ones; views, which repeat them, not.

    Returns
    -------
    RegeneratedTable
        Of all tables together: its `glance` has a row for each.
    """
    cells = recompute.cells(source)
    return _beside_printed_cells(cells["table"].unique(), cells)


def _beside_printed_cells(ids, cells):
    """The recomputed cells of tables, as `recompute.cells` has them, beside the printed ones."""
    texts, pins = {id: tables.load(id, text=True) for id in ids}, tables.read_table(tables.home() / "differences.csv")
    pins = pins[pins["table"].isin(ids)]
    pins = {(pin.table, pin.row, pin.column): (pin.regenerated, pin.reason) for pin in pins.itertuples()}
    rows = []
    for cell in cells.itertuples():
        key, corrected = (cell.table, cell.row, cell.column), texts[cell.table][cell.column][cell.row - 1]
        shown = as_printed(cell.implied, cell.printed)
        was, right, regenerated = map(reading.read_number, (cell.printed, corrected, shown))
        pinned, reason = pins.get(key, (None, ""))
        if regenerated == pinned:
            verdict = PINNED
        elif regenerated != right:
            verdict, reason = DIFFERS, ""
        else:
            verdict, reason = SAME if regenerated == was else CORRECTED, ""
        rows.append((*key, cell.printed, corrected, shown, round(regenerated - was, 9), verdict, reason))
    frame = _frame_of_differences(rows)
    pinned = frame[frame["verdict"] == PINNED]
    stale = set(pins) - set(zip(pinned["table"], pinned["row"], pinned["column"], strict=True))
    return RegeneratedTable(
        frame, {id: int((text != "").to_numpy().sum()) for id, text in texts.items()}, frozenset(stale)
    )


def _frame_of_differences(rows):
    """A frame of rows; without any its columns have their types too, or those beside which it is laid lose theirs."""
    return pd.DataFrame(rows, columns=list(_CELL)).astype(_CELL)
