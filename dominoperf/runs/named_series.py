"""Named series of points for fits."""

from dataclasses import dataclass, replace

import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, names_its_keywords
from dominoperf.runs.tidy_runs import blocks_of_users_runs, prints
from dominoperf.tables import carried_errata, folders, loading, rendering
from dominoperf.tables.columns import USER
from dominoperf.tables.files import read_users_toml
from dominoperf.tables.folders import cached_until_data_change
from dominoperf.tables.validation import validate_by_schema


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
    warnings: tuple[str, ...]
    resolution: float  # step of the printed y values; NaN where none is stated
    short: str = ""  # the title in a list of choices

    def points(self, as_: str = "corrected") -> pd.DataFrame:
        """Return the points as a frame of x, y and locator, one row each, from the table `as_` `tables.load` gives it.

        Raises
        ------
        BadTable
            When a row that the series names is not in the table.
        """
        return self._select(self.rows, as_)

    def relative(self, *columns: str) -> pd.DataFrame:
        """Return printed columns of the rows of the series in proportion to those of its first row.

        A row per column and row of the series: the x, quantity (in words), value, ratio (to the first row), locator.
        """
        points, parts, forms, user = self.points(), [], set(), tables.user_of(self.table)
        for column in columns:
            values = replace(self, y=column).points()[column]
            forms |= set(values.attrs.get(rendering.PRINTED, {}).get(column, ()))
            cells = {self.x: points[self.x], "quantity": tables.label(column, user), "value": values}
            frame = pd.DataFrame(cells | {"ratio": values / values[0], "locator": points["locator"]})
            parts.append(carried_errata.propagate_errata(frame, points, values))
        ratios = carried_errata.propagate_errata(pd.concat(parts, ignore_index=True), *parts)
        ratios.attrs[rendering.PRINTED] = {"value": tuple(sorted(forms))}
        return ratios

    def left_out_points(self) -> pd.DataFrame:
        """Return the points of the same table that a reader would expect in the series and that are left out of it."""
        return self._select(self.left_out) if self.left_out else self.points().head(0)

    def _select(self, rows, as_="corrected"):
        """The rows whose printed cells are among those wanted, with both axes as numbers."""
        printed, numbers = tables.load(self.table, "printed", text=True), tables.load(self.table, as_)
        keep = pd.Series(True, index=printed.index)
        where = f"series {self.name}, column of {self.table}"
        for column, wanted in rows.items():
            if column not in printed:
                raise UnknownName.among(where, column, printed)
            absent = sorted(set(wanted) - set(printed[column]))
            if absent:
                remedy = "Mend `rows` of the series: they name the printed cells."
                raise BadTable(
                    f"series {self.name}", expected=f"{column} in {self.table}", found=str(absent), remedy=remedy
                )
            keep &= printed[column].isin(wanted)
        errata = loading.errata_touching(self.table, as_, rows={k + 1 for k in printed.index[keep]})
        values = {}
        for axis in (self.x, self.y):
            if axis in numbers:
                values[axis] = numbers[axis]
                continue
            # What the table does not print as a number of its own is read as for the runs of its rows.
            read = {run.name: run.values[axis] for run in prints(as_, of=self.table) if axis in run.values}
            if not read:
                listing = f"Name a column of {self.table}, or one that `benchmarks` reads from its rows."
                raise UnknownName.among(f"series {self.name}, axis", axis, numbers, listing)
            of_rows = [read.get(f"{self.table}#{row + 1}") for row in range(len(numbers))]
            values[axis] = [float("nan") if value is None else value.value for value in of_rows]
            headings = {value.at[1] for value in read.values() if value.at}
            errata += [erratum._replace(column=axis) for erratum in errata if erratum.column in headings]
        points = pd.DataFrame(values).assign(locator=tables.locators(self.table))[keep].reset_index(drop=True)
        points = rendering.keep_printed_forms(points, numbers)
        return carried_errata.attach_errata(points, errata)


@names_its_keywords()
def series(name: str | None = None) -> pd.DataFrame:
    """Return the points of a named series, or the list of all series.

    Parameters
    ----------
    name : str, optional
        Of a series of the documents or of a data folder in use; without it all are listed.

    Returns
    -------
    DataFrame
        A row per point: its x, its y, `locator` (where it is printed), in the units of their columns. In ``attrs`` are
        the step of the printed y values, which a fit uses, and the errata that touch the points. Of the list: series,
        title, table, n (points).

    Raises
    ------
    UnknownName
        When there is no such series.

    Examples
    --------
    >>> series("smp_mail")[["processors", "users"]].values.tolist()
    [[1, 1920], [2, 2850], [3, 3400]]
    """
    if name is None:
        return list_series()
    record = find(name)
    points = record.points()
    points.attrs |= {"kind": tables.describe(record.table).kind, "resolution": {record.y: record.resolution}}
    points.attrs[USER] = tables.user_of(record.table)
    return points


@names_its_keywords()
def find(name: str, over: str | None = None) -> Series:
    """Return the record of a named series.

    `over` is the column of our vocabulary that its x axis has to be; or one of a user's own that is none of ours.

    Raises
    ------
    UnknownName
        When there is no such series or column, or the x axis of the series is another column.
    """
    records, asked = _all_series(), ""
    if over is not None:
        if not isinstance(over, str) or over not in tables.vocabulary():
            raise UnknownName.among("find(over=...)", over, tables.vocabulary(), "Name a column of the vocabulary.")
        records = {key: each for key, each in records.items() if each.x == over or each.x not in tables.vocabulary()}
        asked = f" over {over}"
    if not isinstance(name, str) or name not in records:
        known = f"Series{asked} are {', '.join(records)}."
        raise UnknownName.among("series", name, records, known, f"a series{asked}" if asked else "a known name")
    return records[name]


def list_series() -> pd.DataFrame:
    """List the named series: a frame of series, title, table, number of points."""
    rows = [(record.name, record.title, record.table, len(record.points())) for record in _all_series().values()]
    return pd.DataFrame(rows, columns=["series", "title", "table", "n"])


def series_names() -> list[str]:
    """Return the names of the series in use as a list, without a look at their tables."""
    return list(_all_series())


def read_own_series(source: str) -> None:
    """Read the runs and series of a folder of the user's that is in use, so that a mistake in them is raised."""
    for block in blocks_of_users_runs():
        if block["table"].startswith(f"{source}/"):
            list(prints(of=block["table"]))
    for record in _all_series().values():
        if record.table.startswith(f"{source}/"):
            record.points()


@cached_until_data_change(maxsize=16, ours=True)
def _all_series():
    """Every series in use by name: ours, then those of the user's folders, whose tables may go without the folder."""
    records, files = {}, {}
    for folder in (tables.home(), *folders.users_data_folders()):
        path = folder / folders.SERIES
        for name, block in (_series_blocks(path) if path.exists() else {}).items():
            if name in records:
                remedy, found = "Give the series another name.", f"one of that name in {files[name]}"
                raise BadTable(f"{path}, [{name}]", expected="a name of its own", found=found, remedy=remedy)
            table, y = block["table"], block["y"]
            table = table if "/" in table else f"{folder.name}/{table}"
            records[name] = Series(
                name=name,
                title=block["title"],
                table=table,
                x=block["x"],
                y=y,
                rows=block.get("rows", {}),
                left_out=block.get("left_out", {}),
                warnings=tuple(block.get("warnings", ())),
                resolution=tables.resolution(table).get(y, float("nan")),
                short=block.get("short", block["title"]),
            )
            files[name] = path
    return records


def _series_blocks(path):
    """The blocks of a file of series."""
    blocks = read_users_toml(path, "series, in TOML", "Mend the file.")
    for name, block in blocks.items():
        validate_by_schema("series", block, f"{path}, [{name}]")
    return blocks
