"""Hand out a table: its cells as printed or corrected, the place of each row, the errata that touch it."""

import csv
import functools
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable, UnknownName, as_python, names_its_keywords, spelling
from dominoperf.tables import carried_errata, folders, rendering
from dominoperf.tables.columns import USER, user_of
from dominoperf.tables.reading import is_number_field, read_number, read_printed_csv
from dominoperf.tables.validation import keys_needed_by_schema, schema_fault

VIEWS_OF_DATA = ("printed", "corrected", "suspected")
_EXACT = 2**53  # up to here every whole number is a float


@names_its_keywords()
def list_tables(source: str | None = None) -> pd.DataFrame:
    """Return the tables and views in use.

    Parameters
    ----------
    source : str, optional
        Only those of this document.

    Returns
    -------
    DataFrame
        A row for each: id, title, number, locator, kind, rows.
    """
    chosen = folders.in_use() if source is None else [folders.folder_of(source)]
    tables = [find_table(f"{folder.name}/{name}") for folder in chosen for name in folders.table_names(folder)]
    rows = [(t.id, t.title, t.number, t.locator, t.kind, len(t.frame("printed"))) for t in tables]
    return pd.DataFrame(rows, columns=["id", "title", "number", "locator", "kind", "rows"])


@names_its_keywords()
def load(id: str, as_: str = "corrected", *, text: bool = False) -> pd.DataFrame:
    """Return a table or view as a frame.

    Parameters
    ----------
    id : str
        ``source/name``, see `list_tables`.
    as_ : {"corrected", "printed", "suspected"}
        With the certain errata applied; as the page has it; or with the suspected ones applied too, as if they were
        right: a cell whose right value is not known is empty, and the numbers under a suspected heading are those that
        it should announce (``readings.toml``).
    text : bool
        False gives numbers in the columns that have a unit, NaN where nothing or a sign such as ``--`` stands. True
        gives the characters of every cell (``.890``, ``5,150``, ``$13.22``; ``1.250,5`` in a file with decimal commas):
        the printed ones, but for the certain errata where `as_` is "corrected".

    Returns
    -------
    DataFrame
        Its ``attrs`` carry the kind of the table, the step of its printed numbers and what its users are called, so
        that a fit to it knows them, the printed forms that its numbers alone would not give back (``.890``), so that a
        page shows them, and the errata that touch it (`carried_errata.errata_of`).

    Raises
    ------
    UnknownName
        When there is no such table, or no such `as_`.
    """
    if as_ not in VIEWS_OF_DATA:
        raise UnknownName.among("load(as_=...)", as_, VIEWS_OF_DATA)
    return find_table(id).frame(as_, text=bool(text)).copy()


def load_where(id, keep, as_="corrected"):
    """Return the rows of a table for which ``keep(frame)`` is true, as `load`, with the errata of these rows alone."""
    frame = load(id, as_)
    rows = frame[keep(frame)]
    return carried_errata.attach_errata(rows, errata_touching(id, as_, rows=set(rows.index + 1))).reset_index(drop=True)


@names_its_keywords()
def locators(id: str) -> list[str]:
    """Return the place of every row of a table or view: document, table, page or section, row.

    Parameters
    ----------
    id : str
        ``source/name``, see `list_tables`.

    Returns
    -------
    list of str
    """
    document = find_table(id).document
    return [f"{document}, {place}" for place in locators_within_document(id)]


def locators_within_document(id):
    """Return the place of every row of a table or view, without its document: table, page or section, row."""
    table = find_table(id)
    frame = table.frame("printed")
    of_rows = frame["locator"] if "locator" in frame else [""] * len(frame)
    return [table.locate(row, place) for row, place in enumerate(of_rows, start=1)]


@names_its_keywords()
def errata(id: str | None = None) -> pd.DataFrame:
    """List the corrections of the data in use, all or those of one table, every cell as it is written.

    Parameters
    ----------
    id : str, optional
        ``source/name``, see `list_tables`.

    Returns
    -------
    DataFrame
        The columns of ``errata.csv``, one row per correction.

    Raises
    ------
    BadTable
        When the ``errata.csv`` of a folder of the user's cannot be read.
    """
    if id is not None:
        return _errata_of_table(find_table(id)).reset_index(drop=True)
    frames = [errata_of_our_tables(), *map(_errata_of_users_folder, folders.users_data_folders())]
    return pd.concat(frames, ignore_index=True)


def errata_touching(id, as_="corrected", *, rows=None):
    """Return the errata that touch a table or view seen ``as_``: all, or those of some `rows` (numbers from 1).

    An erratum of a heading or caption touches every row. A view has other columns than its table: each touches all.
    Those of one mistake are alike but for column and row.
    """
    touching = carried_errata.errata_of(find_table(id).frame(as_))
    return [erratum for erratum in touching if rows is None or erratum.row == 0 or erratum.row in rows]


def erratum_name(source, mistake):
    """Return the name by which pages link to what is wrong: the document, and the mistake in letters of links."""
    words = "-".join(re.findall(r"[a-z0-9]+", mistake.lower()))
    return f"erratum-{source}-{words[:80].rstrip('-')}"


@names_its_keywords()
def figures(source: str | None = None) -> pd.DataFrame:
    """List the figures of the documents, or of one, what they showed, and whether their data can be recovered.

    Returns
    -------
    DataFrame
        One row per figure: id, locator, caption, recoverable (exactly, partly or not), from_tables.
    """
    source = source if source is None else folders.folder_of(source).name
    frame = read_printed_csv(folders.home() / "figures.csv")
    return frame if source is None else frame[frame["id"].str.startswith(f"{source}/")].reset_index(drop=True)


@names_its_keywords()
def resolution(id: str) -> dict[str, float]:
    """Return the step of a table's printed numbers as a dict of column to step, for the columns where one is stated."""
    return dict(find_table(id).resource.get("resolution", {}))


def declared_identities(id):
    """List what the descriptor of a table declares of sums, means and repeated tables; a view has none of its own."""
    table = find_table(id)
    return [] if table.view else list(table.resource.get("identities", ()))


@names_its_keywords()
def is_view(id: str) -> bool:
    """Tell whether an id is another layout of a table rather than a table."""
    return bool(find_table(id).view)


@names_its_keywords()
def cells(source: str) -> pd.DataFrame:
    """List every printed cell of a document's tables: a frame of id, row, column, printed, origin, locator.

    Cells that are ours (labels, units, paraphrases) are left out, as are empty ones and views, which repeat a table.
    """
    rows = []
    for id in [id for id in list_tables(source)["id"] if not is_view(id)]:
        table, frame, places = find_table(id), load(id, "printed", text=True), locators(id)
        names = [name for name in frame if name not in table.assigned and name != "locator"]
        rows += [(id, k + 1, name, cell, "printed", places[k]) for k, row in enumerate(frame[names].to_numpy())
                 for name, cell in zip(names, row, strict=True) if cell]  # fmt: skip
    return pd.DataFrame(rows, columns=["id", "row", "column", "printed", "origin", "locator"])


@dataclass(frozen=True)
class TableRecord:
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
    def of_user(self):
        """Whether it is of a folder that is not ours."""
        return self.folder in folders.users_data_folders()

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
        return _locator_in_words(self.view.get("locator") or self.resource.get("locator", ""))

    @property
    def full_locator(self) -> str:
        """Number and place, as far as there are any."""
        return ", ".join(filter(None, (self.number, self.locator)))

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
        return {field["name"]: field for field in folders.fields_of(self.resource)}

    def frame(self, as_, *, text=True):
        """The table as `load` gives it, to look at only: it is kept for the next who asks while the files are the same.

        A notebook asks some thousands of times.
        """
        paths = [
            os.path.join(self.folder, name) for name in (folders.DESCRIPTOR, self.resource["path"], folders.ERRATA)
        ]
        files = tuple((path, os.stat(path).st_mtime_ns) for path in paths if os.path.exists(path))
        return _frame_of_table(self.id, as_, text, files)

    def printed_cells(self):
        """The characters of the file, of the table that a view shows too."""
        path = self.folder / self.resource["path"]
        try:
            return read_printed_csv(path)
        except (OSError, ValueError, TypeError, csv.Error) as error:
            raise folders.unusable_data_file(path, error) from error

    def cells(self, as_):
        """The printed characters, the errata put in that `as_` asks for."""
        frame = self.printed_cells()
        status = {"corrected": ("certain",), "suspected": ("certain", "suspected")}.get(as_, ())
        mended = set()
        for erratum in _errata_of_file(self).to_dict("records"):
            row, column = erratum["row"], erratum["column"]
            if pd.isna(row) or erratum["status"] not in status:
                continue
            place = f"row {row}, column {column!r}"
            if row - 1 not in frame.index or list(frame).count(column) != 1:  # the user's may name any cell
                raise folders.unusable_data_file(self.folder / folders.ERRATA, f"no {place} in {self.base}")
            if place in mended:
                raise folders.unusable_data_file(self.folder / folders.ERRATA, f"two errata of {place} of {self.base}")
            if erratum["printed"] != (cell := frame.loc[row - 1, column]):
                found = f"{erratum['printed']!r} as printed in {place} of {self.base}, where the table prints {cell!r}"
                raise folders.unusable_data_file(self.folder / folders.ERRATA, found)
            frame.loc[row - 1, column] = erratum["corrected"]
            mended.add(place)
        if as_ == "suspected":  # the numbers under a suspected heading are those that it should announce
            for column, factor in folders.our_toml_file("readings.toml").get(self.base, {}).items():
                read = zip(frame[column], map(read_number, frame[column]), strict=True)
                frame[column] = [cell if number is None else f"{number * factor:.12g}" for cell, number in read]
        if not self.view:
            return frame
        view, rows = self.view, []  # one row per metric, a column for each value of `across`
        frame = _rows_of_view(frame, self)
        heads = list(dict.fromkeys(frame[view["across"]]))
        for value, block in frame.groupby(view["rows"], sort=False):
            for name, field in self.fields.items():
                if is_number_field(field) and any(block[name]):
                    values = dict(zip(block[view["across"]], block[name], strict=True))
                    rows.append([value, field.get("title") or name, *(values.get(head, "") for head in heads)])
        return pd.DataFrame(rows, columns=[view["rows"], "metric", *heads], dtype=object)

    def locate(self, row, place):
        """Say where in the document row number `row` stands; `place` is its own page or section, where it has one.

        Rows that we gathered from several places are items of our list, not rows of a printed table. A page may hold
        several tables without a number of their own: the row then says which of ours it is of.
        """
        numbered = self.resource.get("numbered", False) and not self.view
        ours = "" if numbered else f" of {self.id.partition('/')[2]}"
        count = f"{'item' if place else 'row'} {row}{ours}"
        parts = [self.number, _locator_in_words(place) or self.locator, count]
        return ", ".join(part for part in parts if part)


def find_table(id):
    """Return the record of a table or view; an `UnknownName` where no folder in use has it."""
    source, _, name = (id if isinstance(id, str) else as_python(id)).partition("/")
    used = {folder.name: folder for folder in folders.in_use()}
    folder = used.get(source)
    descriptor = folders.folder_descriptor(folder) if folder else {"resources": ()}
    view = descriptor.get("views", {}).get(name, {})
    for resource in descriptor["resources"]:
        if resource["name"] == (view.get("of") or name):
            return TableRecord(f"{source}/{name}", folder, resource, view, descriptor["title"])
    listing = spelling("list_tables() lists them all.", "`dominoperf tables` lists them all.")
    listed = [f"{other.name}/{table}" for other in used.values() for table in folders.table_names(other)]
    known = listed if folder else [*listed, *used]
    raise UnknownName.among("table", id, known, listing)


@functools.lru_cache(maxsize=1024)
def _frame_of_table(id, as_, text, _files):
    """The frame of a table with its attributes, made again when a file of it has changed."""
    table = find_table(id)
    frame = table.cells(as_)
    if not text:
        forms, columns = {}, {}
        for name, cells in frame.items():
            columns[name] = cells.astype("str")
            field = table.fields.get(name)
            across = table.view and name != "metric"  # numbers that a view sets across
            if is_number_field(field) if field else across:
                numbers = [read_number(cell) for cell in cells]
                # Whole numbers stay whole unless a cell is missing: 12.0 is one that was measured, 12 may be a count.
                whole = len(numbers) > 0 and all(
                    n is not None and n.is_integer() and abs(n) < _EXACT and "." not in cell
                    for n, cell in zip(numbers, cells, strict=True)
                )
                columns[name] = pd.Series(numbers, dtype="int64" if whole else "float64", index=cells.index)
                forms[name] = rendering.forms_of_printed_numbers(cells)
        frame = pd.DataFrame(columns)
        frame.attrs[rendering.PRINTED] = rendering.PrintedForms(
            {name: printed for name, printed in forms.items() if printed}
        )
    frame.attrs |= {"kind": table.kind, "resolution": dict(table.resource.get("resolution", {}))}
    frame.attrs[USER] = user_of(id)
    return carried_errata.attach_errata(frame, _all_errata_touching(table, as_))


def _all_errata_touching(table, as_):
    """The errata that touch a table or view seen ``as_``, one for each of their rows and columns."""
    touching, alike = [], {}
    for row in _errata_of_table(table).to_dict("records"):
        alike.setdefault((row["source"], row["mistake"], row["status"]), []).append(row)
    for (source, mistake, status), rows in alike.items():
        columns = ("locator", "printed", "corrected")
        place, *readings = ("; ".join(dict.fromkeys(filter(None, (row[name] for row in rows)))) for name in columns)
        erratum = carried_errata.CarriedErratum(
            erratum_name(source, mistake), place, status, mistake, *readings, rows[0]["consequence"]
        )
        for row in rows:
            number = 0 if pd.isna(row["row"]) else int(row["row"])
            placed = erratum._replace(column="" if table.view else row["column"], row=number)
            # A heading is never corrected: its numbers are as printed.
            applied = "printed" if status == "certain" and not number else as_
            touching.append(carried_errata.erratum_in_view(placed, applied))
    return touching


def _errata_of_table(table):
    """The errata of a table, or those that touch the rows of a view."""
    errata = _errata_of_file(table)
    if not table.view or errata.empty:
        return errata
    return errata[errata["row"].isna() | errata["row"].isin(_rows_of_view(table.printed_cells(), table).index + 1)]


def _errata_of_file(table):
    """The errata of the file of a table: none is of another folder's tables."""
    errata = _errata_of_users_folder(table.folder) if table.of_user else errata_of_our_tables()
    return errata[(errata["source"] == table.folder.name) & (errata["table"] == table.resource["name"])]


def _locator_in_words(place):
    """A page or section in words: chapter-page, or a pair of them, is a page; numbers with points are a section."""
    if re.fullmatch(r"\d+-\d+(/\d+-\d+)?", place):
        return f"page {place}"
    return f"section {place}" if re.fullmatch(r"\d+(\.\d+)*( to \d+(\.\d+)*)?", place) else place


def _rows_of_view(frame, table):
    """The rows that a view shows; an error where the file has not the columns that it is made of."""
    view = table.view
    needed = (*view["where"], view["rows"], view["across"], *table.fields)
    if lacking := [name for name in dict.fromkeys(needed) if name not in frame]:
        raise folders.unusable_data_file(
            table.folder / table.resource["path"], f"no column {', '.join(map(str, lacking))}"
        )
    for name, wanted in view["where"].items():
        frame = frame[frame[name] == wanted]
    return frame


@functools.cache
def errata_of_our_tables():
    """Return the errata of the five documents, to look at only."""
    frame = read_printed_csv(folders.home() / folders.ERRATA)
    return frame.assign(row=pd.to_numeric(frame["row"]).astype("Int64"))  # none for an error of the prose


def _errata_of_users_folder(folder):
    """The errata of a folder of the user's, where it has some; they are of its own tables."""
    path = folder / folders.ERRATA
    return _errata_of_users_file(path) if path.exists() else errata_of_our_tables().head(0)


@folders.cached_until_file_changes
def _errata_of_users_file(path):
    for line, fault in faults_of_errata(path):
        place = f"line {line}, column {fault.locator}"
        raise folders.unusable_data_file(path, f"{fault.found} in {place}, for {fault.expected}")
    frame = _cells_of_errata(path)
    rows = pd.to_numeric(frame["row"].replace("", None)).astype("Int64")
    frame = frame.reindex(columns=list(errata_of_our_tables()), fill_value="").assign(row=rows)
    # Where a user does not say: the least grave, for nothing of ours follows from it.
    return frame.replace({"status": {"": "certain"}, "bears_on": {"": "wording"}})


def faults_of_errata(path):
    """Return the rows of a file of errata that do not keep their contract: of each the line and the `SchemaFault`.

    `BadTable` where the file cannot be read, or has not all columns.
    """
    rows = enumerate(_cells_of_errata(path).to_dict("records"), start=2)
    return [(line, fault) for line, row in rows if (fault := schema_fault("errata", row))]


def _cells_of_errata(path):
    """The cells of a file of errata as they are written, and the source that the folder is."""
    try:
        frame = read_printed_csv(path).assign(source=path.parent.name)
    except (OSError, ValueError) as error:
        raise folders.unusable_data_file(path, error) from error
    needed = keys_needed_by_schema("errata")
    if lacking := [name for name in needed if name not in frame]:
        expected, found = f"the columns {', '.join(needed)}", f"no {', '.join(lacking)}"
        raise BadTable(str(path), expected=expected, found=found, remedy="Mend the first line.")
    return frame
