"""Named series of points for fits."""

import functools
import tomllib
from dataclasses import dataclass, replace

import pandas as pd

from dominoperf import catalog
from dominoperf.benchmarks.runs import prints
from dominoperf.errors import BadTable, UnknownName


@dataclass(frozen=True)
class Series:
    """A named series of points: which rows of a table, and what to know before believing a curve through them."""

    name: str
    title: str
    table: str
    x: str
    y: str
    rows: dict
    left_out: dict
    warnings: tuple
    resolution: float  # step of the printed y values; NaN where none is stated

    def points(self):
        """Give the points as a frame of x, y and locator, one row each, from the corrected table.

        Raises
        ------
        BadTable
            When a row that the series names is not in the table.
        """
        return self._select(self.rows)

    def relative(self, *columns):
        """Give printed columns of the rows of the series in proportion to those of its first row.

        Returns
        -------
        DataFrame
            The x of the series, quantity (in words), value, ratio (``value / value of the first row``), locator: a row
            per column and row of the series.
        """
        points, parts = self.points(), []
        for column in columns:
            values = replace(self, y=column).points()[column]
            cells = {self.x: points[self.x], "quantity": catalog.label(column), "value": values}
            parts.append(pd.DataFrame(cells | {"ratio": values / values[0], "locator": points["locator"]}))
        return pd.concat(parts, ignore_index=True)

    def beside(self):
        """Give the points of the same table that a reader would expect in the series and that are left out of it."""
        return self._select(self.left_out) if self.left_out else self.points().head(0)

    def _select(self, rows):
        printed, numbers = catalog.load(self.table, text=True), catalog.load(self.table)
        keep = pd.Series(True, index=printed.index)
        for column, wanted in rows.items():
            absent = sorted(set(wanted) - set(printed[column]))
            if absent:
                remedy = "Mend `rows` of the series: they name the printed cells."
                raise BadTable(
                    f"series {self.name}", expected=f"{column} in {self.table}", found=str(absent), remedy=remedy
                )
            keep &= printed[column].isin(wanted)
        values = {
            axis: numbers[axis] if axis in numbers else self._read(axis, len(numbers)) for axis in (self.x, self.y)
        }
        return pd.DataFrame(values).assign(locator=catalog.locators(self.table))[keep].reset_index(drop=True)

    def _read(self, axis, count):
        """An axis that the table does not print as a number of its own: as read for the runs of its rows."""
        read = {run.name: run.values[axis].value for run in prints(of=self.table) if axis in run.values}
        return [read.get(f"{self.table}#{row}", float("nan")) for row in range(1, count + 1)]


def series(name=None):
    """Give the points of a named series, see `Series.points`; without a name list the series.

    The step of the printed y values travels with the frame, in ``attrs``, so that a fit to it finds it.
    """
    if name is None:
        return named()
    found = find(name)
    points = found.points()
    points.attrs |= {"kind": catalog.describe(found.table).kind, "resolution": {found.y: found.resolution}}
    return points


def find(name):
    """Give the record of a named series.

    Raises
    ------
    UnknownName
        When there is no such series.
    """
    known = _series()
    if name not in known:
        raise UnknownName.among("series", name, known, "`dominoperf series` lists them all.")
    return known[name]


def named():
    """List the named series: a frame of series, title, table, number of points."""
    rows = [(each.name, each.title, each.table, len(each.points())) for each in _series().values()]
    return pd.DataFrame(rows, columns=["series", "title", "table", "n"])


@functools.cache
def _series():
    blocks = tomllib.loads((catalog.home() / "series.toml").read_text(encoding="utf-8"))
    return {name: _record(name, block) for name, block in blocks.items()}


def _record(name, block):
    step = catalog.resolution(block["table"]).get(block["y"], float("nan"))
    plain = {key: block[key] for key in ("title", "table", "x", "y")}
    return Series(
        name=name,
        rows=block.get("rows", {}),
        left_out=block.get("left_out", {}),
        warnings=tuple(block.get("warnings", ())),
        resolution=step,
        **plain,
    )
