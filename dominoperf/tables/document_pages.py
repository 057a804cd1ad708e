"""A table with its provenance: what is known about it, and its page with a locator for every row."""

import html
from dataclasses import dataclass

import pandas as pd

from dominoperf.errors import counted, names_its_keywords
from dominoperf.tables import rendering
from dominoperf.tables.columns import column_heading
from dominoperf.tables.loading import errata, find_table, list_tables, load, locators, locators_within_document

# The style goes with the views, so that they switch in JupyterLab too.
_SWITCHED = "".join(
    f".views > input:nth-of-type({k}):not(:checked) ~ .scroll:nth-of-type({k}) {{ display: none }}" for k in (1, 2, 3)
).join(("<style>", "</style>"))
_PLACE = "printed in"  # the column that we set beside those of the page
_FIRST = "as printed"  # the view that is open when a page is


def anchor_of_row(id, row):
    """Return the anchor of a row of a printed table, counted from 1: what a locator leads to."""
    return f"{id}:row{row}"


@names_its_keywords()
def describe(id: str) -> "Description":
    """Return what is known of a table or view: title, place, kind, columns with units, notes, errata.

    Parameters
    ----------
    id : str
        ``source/name``, see `list_tables`.

    Returns
    -------
    Description
        Printed by ``print``, shown as HTML in a notebook.
    """
    table = find_table(id)
    columns = pd.DataFrame(
        {
            "column": name,
            "heading": field.get("title", ""),
            "type": field.get("type", "any"),
            "unit": field.get("unit", ""),
            "meaning": field.get("description", ""),
            "assigned": name in table.assigned,
        }
        for name, field in table.fields.items()
    )
    notes = tuple((table.view or table.resource).get("notes", ()))
    about = (id, table.title, table.number, table.locator, table.kind, table.document, notes, columns, errata(id))
    return Description(*about, prose=table.resource.get("prose", False))


@names_its_keywords()
def show(id: str) -> "Page":
    """Return a table as on its page, every value with its locator; shown as HTML in a notebook.

    Parameters
    ----------
    id : str
        ``source/name``, see `list_tables`.

    Returns
    -------
    Page
    """
    printed, corrected = (load(id, as_, text=True) for as_ in ("printed", "corrected"))
    return Page(describe(id), printed, tuple(locators(id)), corrected)


@names_its_keywords()
def pages(source: str) -> "Pages":
    """Return every table and view of a document, in order, as `show` does.

    Parameters
    ----------
    source : str
        The key of the document, see `sources`.

    Returns
    -------
    Pages
    """
    return Pages(tuple(show(id) for id in list_tables(source)["id"]))


def page_as_csv(id, as_="corrected"):
    """Return a table as CSV, with the place of every row: what a page offers to download."""
    return _csv_with_locators(load(id, as_, text=True), locators(id))


def _csv_with_locators(frame, places):
    """A frame as CSV with the places of its rows in a last column."""
    return rendering.as_csv(frame.assign(locator=places))


@dataclass(frozen=True)
class Description:
    """What is known of a table: `columns` and `errata` are frames, the rest is text."""

    id: str
    title: str
    number: str
    locator: str
    kind: str
    document: str
    notes: tuple[str, ...]
    columns: pd.DataFrame
    errata: pd.DataFrame
    prose: bool = False  # whether the cells stand in sentences, and the table is ours

    @property
    def full_locator(self) -> str:
        """Number and place, as far as there are any."""
        return ", ".join(filter(None, (self.number, self.locator)))

    def __str__(self):
        """Lay the description out for a terminal."""
        top = f"{self.id}\n{self.title}\n{self.document}\n{self.full_locator}\nkind: {self.kind}\n\n"
        notes = "".join(f"\nnote: {note}" for note in self.notes) + "\n" * bool(self.notes)
        wrong = self.errata[["row", "column", "printed", "corrected", "status", "mistake"]]
        wrong = f"\nerrata:\n{rendering.as_text(wrong)}" if len(wrong) else ""
        return f"{top}{rendering.as_text(self.columns)}{notes}{wrong}"

    __repr__ = __str__

    def _repr_html_(self):
        title, *facts = (html.escape(text) for text in (self.title, self.document, self.full_locator, self.kind))
        notes = rendering.as_html_list([*self.notes, *_errata_in_words(self.errata)])
        top = f"<h4>{title}</h4><p>{html.escape(self.id)}<br>{'<br>'.join(facts)}</p>"
        return f"{top}{rendering.as_html(self.columns)}{notes}"


@dataclass(frozen=True)
class ViewOfData:
    """One way to see a table: what its switch says, its name, its cells as text, which of them are marked and why."""

    label: str
    as_: str
    frame: pd.DataFrame
    marks: dict


@dataclass(frozen=True)
class Page:
    """A table with its provenance: description, printed and corrected cells, locator of each row, another view."""

    about: Description
    frame: pd.DataFrame
    locators: tuple[str, ...]
    corrected: pd.DataFrame
    more: ViewOfData | None = None

    def __repr__(self):
        """Lay the table out for a terminal, each row beside its locator."""
        return f"{self.about.title} ({self.about.full_locator})\n" + rendering.as_text(
            self.frame.assign(locator=self.locators)
        )

    def _repr_html_(self):
        about, name = self.about, html.escape(self.about.id)
        lost = "" if len(self.frame) else "<p>The body of this table is lost.</p>"
        facts = f"<p><code>{name}</code>, {html.escape(about.full_locator)}. Kind: {html.escape(about.kind)}.</p>"
        notes = rendering.as_html_list([*about.notes, *_errata_in_words(about.errata)])
        top = f'<section id="{name}"><h3>{html.escape(about.title)}</h3>{facts}'
        views, links = self._views(), []
        ends = {"as printed": "", "corrected": "_corrected", "regenerated": "_regenerated"}
        for view in views:  # each is carried by its link with its locators: it works wherever the page is opened
            file = f"{about.id.replace('/', '_')}{ends[view.as_]}.csv"
            links.append(rendering.as_download(file, _csv_with_locators(view.frame, self.locators)))
        shown = "".join(map(self._table, views))
        if len(views) > 1:  # one at a time, switched without a script
            switches = []
            for number, view in enumerate(views, start=1):
                chosen = " checked" if number == 1 else ""
                switches.append(
                    f'<input type="radio" name="{name}" id="{name}:{number}"{chosen}>'
                    f'<label for="{name}:{number}">{html.escape(view.label)}</label>'
                )
            shown = f'<div class="views">{_SWITCHED}{"".join(switches)}{shown}</div>'
        return f"{top}{shown}{lost}{notes}<p>Download: {', '.join(links)}</p></section>"

    def _views(self):
        """The views: as printed; corrected, where certain errata change it; what else was put to it."""
        printed, corrected = {}, {}  # how cells with errata are marked, by row position and column
        for row in self.about.errata.dropna(subset="row").itertuples():
            place = f"row {row.row}, {column_heading(row.column)}"
            about = f"Erratum ({row.status}), {place}: {erratum_in_words(row)}. {row.mistake}"
            certain = row.status == "certain"
            printed[row.row - 1, row.column] = ("wrong" if certain else "suspected", about)
            corrected[row.row - 1, row.column] = ("corrected" if certain else "suspected", about)
        views = [ViewOfData("As printed", _FIRST, self.frame, printed)]
        if not self.corrected.equals(self.frame):
            cells = int((self.corrected != self.frame).to_numpy().sum())
            views.append(ViewOfData(f"Corrected ({counted(cells, 'cell')})", "corrected", self.corrected, corrected))
        return [*views, self.more] if self.more else views

    def _table(self, view):
        """A view as an HTML table with places, headings as printed and marks."""
        about = self.about
        numbers = about.columns.loc[about.columns["type"].isin(["number", "integer"]), "column"]
        headings = {}  # what is shown over each
        for column in about.columns.itertuples():
            printed = f"printed: {column.heading}" if column.heading else ""
            unit = f"unit: {column.unit}" if column.unit else ""
            ours = "ours, not the page's" if column.assigned else ""
            headings[column.column] = "; ".join(filter(None, (printed, column.meaning, unit, ours)))
        ours = f" of {about.id.partition('/')[2]}"
        places = [place.removesuffix(ours) for place in locators_within_document(about.id)]
        table = rendering.as_html(
            view.frame.drop(columns="locator", errors="ignore").assign(**{_PLACE: places}),
            caption=f"{about.number or about.title}, {view.as_}",
            titles=self.locators,
            ids=[anchor_of_row(about.id, row) for row in range(1, len(view.frame) + 1)] if view.as_ == _FIRST else None,
            headings=headings | {_PLACE: "Where the row is printed"},
            page_headings=dict(zip(about.columns["column"], about.columns["heading"], strict=True)),
            classes=dict.fromkeys(numbers, "number") | {_PLACE: "place"},
            marks=view.marks,
        )
        return f'<div class="scroll">{table}</div>'


@dataclass(frozen=True)
class Pages:
    """The tables of a document in order."""

    pages: tuple[Page, ...]

    def __repr__(self):
        """Lay the tables out for a terminal, one below the other."""
        return "\n".join(map(repr, self.pages))

    def _repr_html_(self):
        return "".join(page._repr_html_() for page in self.pages)


def erratum_in_words(row):
    """Say what an erratum changes; of a suspected one the right value may be unknown."""
    return f"printed {row.printed}, {f'corrected {row.corrected}' if row.corrected else 'the right value is not known'}"


def _errata_in_words(errata):
    """A sentence for each mistake, with the cells, headings or caption that it touches."""
    for (status, mistake), rows in errata.groupby(["status", "mistake"], sort=False):
        cells = []
        for row in rows.itertuples():
            heading = f"heading {row.column}" if row.column else "caption"
            place = f"row {row.row} {row.column}" if pd.notna(row.row) else heading
            cells.append(f"{place} {row.printed} → {row.corrected or 'not known'}")
        yield f"Errata ({status}). {mistake} Printed → corrected: {'; '.join(cells)}."
