"""Hand out a table: its cells as printed or corrected, the place of each row, the errata that touch it."""

import csv
import functools
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pandas as pd

from dominoperf.catalog.folders import ERRATA, folder_of, foreign, home, in_use, names, package, unusable, vocabulary
from dominoperf.errors import UnknownName

VIEWS_OF_DATA = ("printed", "corrected")
_NUMBER = re.compile(
    r"(?P<before>\$)?(?P<digits>[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?)\s?(?P<after>%|[KMG]B)?", re.ASCII
)
_EXPONENT = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d{1,3}", re.ASCII)  # as programs write, not pages
_TURNED = str.maketrans(",.", ".,")
_EXACT = 2**53  # up to here every whole number is a float
csv.field_size_limit(2**30)  # a cell may be long; the default depends on who imported csv first


def tables(source=None):
    """List the tables and views in use: a frame of id, title, number, locator, kind, rows.

    Parameters
    ----------
    source : str, optional
        Only those of this document.
    """
    chosen = in_use() if source is None else [folder_of(source)]
    found = [find(f"{folder.name}/{name}") for folder in chosen for name in names(folder)]
    rows = [(t.id, t.title, t.number, t.locator, t.kind, len(t.cells("printed"))) for t in found]
    return pd.DataFrame(rows, columns=["id", "title", "number", "locator", "kind", "rows"])


def load(id, as_="corrected", *, text=False):
    """Give a table or view as a frame.

    Parameters
    ----------
    id : str
        ``source/name``, see `tables`.
    as_ : {"corrected", "printed"}
        With the certain errata applied, or as the page has it.
    text : bool
        False gives numbers in the columns that have a unit, NaN where nothing or a sign such as ``--`` stands. True
        gives the characters of every cell (``.890``, ``5,150``, ``$13.22``): the printed ones, but for the certain
        errata where `as_` is "corrected".

    Returns
    -------
    DataFrame
        Its ``attrs`` carry the kind of the table and the step of its printed numbers, so that a fit to it knows them.

    Raises
    ------
    UnknownName
        When there is no such table, or no such `as_`.
    """
    if as_ not in VIEWS_OF_DATA:
        raise UnknownName.among("load(as_=...)", as_, VIEWS_OF_DATA, f"Known are {', '.join(VIEWS_OF_DATA)}.")
    table = find(id)
    cells = table.cells(as_)
    frame = cells if text else cells.apply(lambda column: _typed(column, table))
    frame.attrs |= {"kind": table.kind, "resolution": resolution(id)}
    return frame


def locators(id):
    """Give the place of every row of a table or view in its document.

    Parameters
    ----------
    id : str
        ``source/name``, see `tables`.

    Returns
    -------
    list of str
        Page or section, table, row.
    """
    table = find(id)
    frame = table.cells("printed")
    own = frame["locator"] if "locator" in frame else [""] * len(frame)
    return [table.locate(row, place) for row, place in enumerate(own, start=1)]


def errata(id=None):
    """List the corrections of the data in use, all or those of one table.

    Parameters
    ----------
    id : str, optional
        ``source/name``, see `tables`.

    Returns
    -------
    DataFrame
        The columns of ``errata.csv``, a row a correction.

    Raises
    ------
    BadTable
        When the ``errata.csv`` of a folder of the user's cannot be read.
    """
    frame = pd.concat([_errata(), *map(_errata_of, foreign())], ignore_index=True)
    if id is None:
        return frame
    table = find(id)
    touches = (frame["source"] + "/" + frame["table"]) == table.base
    if table.view:
        shown = _read(table.folder, table.resource).pipe(_chosen, table.view)
        touches &= frame["row"].isna() | (frame["row"] - 1).isin(shown.index)
    return frame[touches].reset_index(drop=True)


def figures(source=None):
    """List the figures of the documents, what they showed, and whether their data can be recovered."""
    frame = pd.read_csv(home() / "figures.csv", dtype=str, keep_default_na=False)
    return frame if source is None else frame[frame["id"].str.startswith(f"{source}/")].reset_index(drop=True)


def resolution(id):
    """Give the step of a table's printed numbers as a dict of column to step, for the columns where one is stated."""
    return dict(find(id).resource.get("resolution", {}))


def identities(id):
    """List what the descriptor of a table declares of sums, means and repeated tables; a view has none of its own."""
    table = find(id)
    return [] if table.view else list(table.resource.get("identities", ()))


def is_view(id):
    """Tell whether an id is another layout of a table rather than a table."""
    return bool(find(id).view)


def units():
    """Give the unit of every column of the vocabulary that holds numbers, by name."""
    return {name: known["unit"] for name, known in vocabulary().items() if "unit" in known}


def label(name):
    """Say what a column holds, for an axis or a sentence: its label, or its name in words with the unit."""
    known = vocabulary().get(name, {})
    words, unit = name.replace("_", " "), known.get("unit", "")
    return known.get("label") or (words if unit in ("", "1") or unit in words else f"{words} ({unit})")


def meanings():
    """Give what every column of the vocabulary means, by name, with its unit."""
    units_ = {name: f" ({unit})" if unit not in ("1", "row", "axis") else "" for name, unit in units().items()}
    return {name: known["meaning"] + units_.get(name, "") for name, known in vocabulary().items()}


def cells(source):
    """List every printed cell of a document's tables: a frame of id, row, column, printed, basis, locator.

    Cells that are ours (labels, units, paraphrases) are left out, as are empty ones and views, which repeat a table.
    """
    ids = [id for id in tables(source)["id"] if find(id).base == id]
    return pd.concat([_long(id) for id in ids], ignore_index=True)


def read_number(text):
    """Read a printed number: ``5,150``, ``.890``, ``$13.22``, ``44.4%`` or ``16 KB``; None when it is none.

    The sign is not judged here: `sign_of` gives it, and the check of a folder compares it with the column's unit.
    """
    match = _NUMBER.fullmatch(text.strip())
    number = float(match["digits"].replace(",", "")) if match and any(map(str.isdecimal, match["digits"])) else None
    return number if number is not None and number < float("inf") else None


def sign_of(text):
    """Give the sign that a printed number carries: ``$``, ``%``, ``KB``, ``MB``, ``GB`` or nothing."""
    match = _NUMBER.fullmatch(text.strip())
    return "".join(filter(None, (match["before"], match["after"]))) if match else ""


def check_columns(frame, needed, where, *, hint=""):
    """Refuse a frame that lacks a column; `hint` is a further sentence of help.

    Raises
    ------
    UnknownName
        When one of the needed columns is not there.
    """
    for name in needed:
        if name not in frame:
            listing = f"Columns are {', '.join(map(str, frame.columns))}. {hint}".strip()
            raise UnknownName.among(f"column of {where}", name, frame.columns, listing)


def is_number(field):
    """Tell whether a field of a Table Schema holds numbers."""
    return field.get("type") in ("number", "integer")


def plain(cell, field):
    """Give a cell as our documents would print it, where it is that of a number written otherwise.

    A field with a ``decimalChar`` of "," has ``1.234,5`` for ``1,234.5``; a program writes ``1e-05`` for ``0.00001``.
    """
    if not is_number(field):
        return cell
    text = cell.translate(_TURNED) if field.get("decimalChar") == "," else cell
    return format(Decimal(text), "f") if _EXPONENT.fullmatch(text) else text


def delimiter_of(resource):
    """Give what stands between the cells of a table's file, as its ``dialect`` says; a comma, where that says nothing.

    Both the standard's form ``{"delimiter": ";"}`` and that of frictionless, ``{"csv": {"delimiter": ";"}}``, are read.
    """
    dialect = resource.get("dialect")
    said = dialect.get("csv", dialect) if isinstance(dialect, dict) else {}
    found = said.get("delimiter") if isinstance(said, dict) else None
    return found if isinstance(found, str) and len(found) == 1 and found not in '\r\n"' else ","


def read_table(path, delimiter=","):
    """Read a CSV file as text, every cell as it stands.

    Raises
    ------
    ValueError
        When there is no header, or a row has another number of cells.
    """
    rows, lines, fault = read_records(path, delimiter)
    while rows and not rows[-1]:  # blank lines at the end
        rows.pop()
    if fault or not rows:
        raise ValueError("line {}: {}".format(*fault) if fault else "an empty file")
    for row, line in zip(rows, lines, strict=False):
        if len(row) != len(rows[0]):
            raise ValueError(f"line {line}: {len(row)} cells under {len(rows[0])} headings")
    return pd.DataFrame(rows[1:], columns=rows[0], dtype=object)


def read_records(path, delimiter=","):
    """Read the records of a CSV file, empty ones too, the line that each starts in, and what ended the reading.

    The last is None, or the line and what is wrong with the record there: a quote that is not closed, or is closed
    within a cell. A byte-order mark is no part of the first cell.
    """
    records, lines, line = [], [], 1
    with open(path, encoding="utf-8-sig", newline="") as text:
        reader = csv.reader(text, strict=True, delimiter=delimiter)
        try:
            for record in reader:
                records.append(record)
                lines.append(line)
                line = reader.line_num + 1
        except csv.Error as error:
            return records, lines, (line, str(error))
    return records, lines, None


@dataclass(frozen=True)
class Table:
    """A table or view of a folder in use."""

    id: str
    folder: Path
    resource: dict  # the Frictionless resource of the table, or of the table that a view shows
    view: dict  # how a view lays the table out; empty for a table
    document: str

    @property
    def base(self):
        """The id of the table that holds the cells."""
        return f"{self.folder.name}/{self.resource['name']}"

    @property
    def title(self):
        """The view's own title, else the table's."""
        return self.view.get("title") or self.resource.get("title") or self.resource["name"]

    @property
    def number(self):
        """The table's number as printed; a view has none."""
        return "" if self.view else self.resource.get("number", "")

    @property
    def locator(self):
        """The place in the document."""
        return _place(self.view.get("locator") or self.resource.get("locator", ""))

    @property
    def kind(self):
        """What sort of numbers these are; measured unless the descriptor says otherwise."""
        return self.resource.get("kind", "measured")

    @property
    def assigned(self):
        """The columns whose cells are ours, not the page's."""
        return set(self.resource.get("assigned", ()))

    @property
    def fields(self):
        """The fields of the schema by name."""
        return {field["name"]: field for field in self.resource["schema"]["fields"]}

    def holds_numbers(self, name):
        """Whether a column holds numbers; in a view, those that it set across do."""
        if name in self.fields:
            return is_number(self.fields[name])
        return bool(self.view) and name != "metric"

    def cells(self, as_):
        """The printed characters, the certain errata put in for ``"corrected"``."""
        frame = _read(self.folder, self.resource)
        frame = self._corrected(frame) if as_ == "corrected" else frame.copy()
        return _lay_out(frame, self) if self.view else frame

    def _corrected(self, frame):
        """The certain errata put in; those of the user's may name cells that are not there."""
        wrong = errata(self.base)
        for item in wrong[(wrong["status"] == "certain") & wrong["row"].notna()].itertuples():
            if item.row - 1 not in frame.index or item.column not in frame:
                raise unusable(self.folder / ERRATA, f"no row {item.row}, column {item.column!r} in {self.base}")
            frame.loc[item.row - 1, item.column] = item.corrected
        return frame

    def locate(self, row, place):
        """Say where row number `row` stands; `place` is its own page or section, where it has one.

        Rows that we gathered from several places are items of our list, not rows of a printed table. A page may hold
        several tables without a number of their own: the row then says which of ours it is of.
        """
        ours = "" if self.number.startswith("Table ") else f" of {self.id.partition('/')[2]}"
        count = f"{'item' if place else 'row'} {row}{ours}"
        parts = [self.document, self.number, _place(place) or self.locator, count]
        return ", ".join(part for part in parts if part)


def find(id):
    """Give the record of a table or view.

    Raises
    ------
    UnknownName
        When no folder in use has it.
    """
    source, _, name = str(id).partition("/")
    used = {folder.name: folder for folder in in_use()}
    if source not in used or name not in names(used[source]):
        known = [f"{folder.name}/{each}" for folder in used.values() for each in names(folder)]
        raise UnknownName.among("table", id, known, "`dominoperf tables` lists them all.")
    descriptor = package(used[source])
    view = descriptor.get("views", {}).get(name, {})
    resource = next(r for r in descriptor["resources"] if r["name"] == (view.get("of") or name))
    return Table(id, used[source], resource, view, descriptor["title"])


def _place(place):
    """A page or section in words: 3-8/3-9 is a pair of pages, 4.8.1 a section."""
    if re.fullmatch(r"\d+-\d+(/\d+-\d+)?", place):
        return f"page {place}"
    return f"section {place}" if re.fullmatch(r"\d+(\.\d+)*( to \d+(\.\d+)*)?", place) else place


def _typed(column, table):
    """The column as numbers where its field is one: whole numbers stay whole unless a cell is missing."""
    if not table.holds_numbers(column.name):
        return column.astype("str")
    numbers = [read_number(cell) for cell in column]
    whole = all(
        n is not None and n.is_integer() and abs(n) < _EXACT and "." not in cell
        for n, cell in zip(numbers, column, strict=True)
    )
    return pd.Series(numbers, dtype="int64" if whole and numbers else "float64", index=column.index)


def _lay_out(frame, table):
    """The printed layout of a tidy table: a row a metric, a column for each value of `across`."""
    view, fields = table.view, table.fields
    frame = _chosen(frame, view)
    metrics = [name for name, field in fields.items() if is_number(field)]
    heads = list(dict.fromkeys(frame[view["across"]]))
    rows = []
    for value, block in frame.groupby(view["rows"], sort=False):
        for metric in metrics:
            values = dict(zip(block[view["across"]], block[metric], strict=True))
            if any(values.values()):
                rows.append([value, fields[metric]["title"], *(values.get(head, "") for head in heads)])
    return pd.DataFrame(rows, columns=[view["rows"], "metric", *heads], dtype=object)


def _chosen(frame, view):
    """The rows that a view shows."""
    for name, wanted in view["where"].items():
        frame = frame[frame[name] == wanted]
    return frame


def _long(id):
    table, frame, places = find(id), load(id, "printed", text=True), locators(id)
    names = [name for name in frame if name not in table.assigned and name != "locator"]
    rows = [(id, k + 1, name, cell, "printed", places[k]) for k, row in enumerate(frame[names].to_numpy())
            for name, cell in zip(names, row, strict=True) if cell]  # fmt: skip
    return pd.DataFrame(rows, columns=["id", "row", "column", "printed", "basis", "locator"])


def _read(folder, resource):
    path = folder / resource["path"]
    try:
        numbers = tuple((each["name"], each.get("decimalChar")) for each in filter(is_number, _fields(resource)))
        return _read_stamped(path, path.stat().st_mtime_ns, delimiter_of(resource), numbers).copy()
    except (OSError, ValueError, TypeError, csv.Error) as error:
        raise unusable(path, error) from error


def _fields(resource):
    return resource["schema"]["fields"]


@functools.lru_cache(maxsize=256)
def _read_stamped(path, _stamp, delimiter, numbers):
    frame = read_table(path, delimiter)
    for name, decimal in numbers:
        if name in frame and len(frame):
            frame[name] = [plain(cell, {"type": "number", "decimalChar": decimal}) for cell in frame[name]]
    return frame


@functools.cache
def _errata():
    frame = pd.read_csv(home() / ERRATA, dtype=str, keep_default_na=False)
    return frame.assign(row=pd.to_numeric(frame["row"]).astype("Int64"))  # none for an error of the prose


def _errata_of(folder):
    """The errata of a folder of the user's, where it has some; they are of its own tables."""
    path, columns = folder / ERRATA, list(_errata())
    if not path.exists():
        return _errata().head(0)
    try:
        frame = read_table(path).assign(source=folder.name)
        rows = pd.to_numeric(frame["row"].replace("", None)).astype("Int64")
        lacking = [name for name in columns if name not in frame and name not in _OPTIONAL]
    except (OSError, ValueError, TypeError, KeyError, csv.Error) as error:
        raise unusable(path, error) from error
    if lacking:
        raise unusable(path, f"no column {', '.join(lacking)}")
    frame = frame.reindex(columns=columns, fill_value="").assign(row=rows)
    return frame.assign(bears_on=frame["bears_on"].replace("", "wording"))


_OPTIONAL = ("source", "evidence", "consequence", "bears_on", "claim_ids")
