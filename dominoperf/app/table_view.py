"""The panel of tables: any table or list in use, searched, with its provenance."""

import functools
from dataclasses import dataclass

import pandas as pd

from dominoperf import runs, tables
from dominoperf.app import markup
from dominoperf.app.points import documents, short_places
from dominoperf.app.state import TableState, check, wrong
from dominoperf.study import audit
from dominoperf.tables import rendering
from dominoperf.tables.pages import change_in_words

VERSIONS = ("printed", "corrected")
LISTS = {
    "benchmarks": "Benchmarks: one row a run, of all documents",
    "claims": "Claims: what the documents state in numbers, in our words",
    "errata": "Errata: what is wrong in the documents",
}
_FEW = 25  # rows of the view that stands where no control works


@dataclass(frozen=True)
class TableView:
    """The rows of a table that a search leaves, each with its place; and what is known of the table."""

    state: TableState
    frame: pd.DataFrame
    of: int  # rows before the search
    title: str
    facts: tuple
    notes: tuple

    def said(self):
        """Say what is shown, and of how much."""
        rows = f"{len(self.frame)} of {self.of} rows" if len(self.frame) != self.of else f"{self.of} rows"
        return f"{self.title}: {rows}."

    def ways(self):
        """Tell what a reader can do about an empty table."""
        if len(self.frame):
            return ()
        return ("Search for other words, or none." if self.of else "The body of this table is lost; choose another.",)

    @functools.cached_property
    def shown(self):
        """The rows as a page has room for: the document stands above them, not in each."""
        return short_places(self.frame, self.state.table.partition("/")[0])

    @functools.cached_property
    def about(self):
        """The words beside the table, as HTML."""
        empty = markup.notice("No row to show.", self.ways()) if self.ways() else ""
        return markup.view(
            markup.paragraph(self.said(), "said"),
            *(markup.paragraph(fact) for fact in self.facts),
            markup.listing(self.notes),
            f"<p>Download: {self.download()}</p>",
            empty,
        )

    @functools.cached_property
    def html(self):
        """The whole view as HTML, of a long table the first rows."""
        more = len(self.frame) - _FEW
        rest = markup.paragraph(f"{more} more rows are in the download.") if more > 0 else ""
        table = markup.view(markup.table(self.shown.head(_FEW)), rest) if len(self.frame) else ""
        return self.about + table

    @property
    def still(self):
        """The view as HTML where no controls are: the same."""
        return self.html

    def download(self):
        """Return the link to the rows as CSV."""
        name = f"{self.state.table.replace('/', '_')}_{self.state.version}.csv"
        return rendering.as_download(name, rendering.as_csv(self.frame))


def view(state):
    """Return what the panel of tables shows for a state.

    Raises
    ------
    UnknownName
        When there is no such table.
    BadTable
        When another value cannot be.
    """
    check(state)
    if state.version not in VERSIONS:
        raise wrong("version", f"one of {', '.join(VERSIONS)}", state.version)
    frame, *known = _list(state.table) if state.table in LISTS else _table(state.table, state.version)
    return TableView(state, searched(frame, state.search), len(frame), *known)


def searched(frame, words):
    """Return the rows in which every word stands in some cell, in upper or lower case, ``1920`` and ``1,920`` too."""
    rows = zip(*rendering.number_texts(frame), strict=True)
    rows = ["\n".join([*row, *(text.replace(",", "") for text in row)]).casefold() for row in rows]
    texts = pd.Series(rows, index=frame.index, dtype=str)
    keep = pd.Series(True, index=frame.index)
    for word in words.casefold().split():
        keep &= texts.str.contains(word, regex=False)
    return frame[keep].reset_index(drop=True)


def _table(id, version):
    """The cells as they are printed, the place of each row and the errata that touch it; title, facts, notes."""
    about = tables.describe(id)
    frame = tables.load(id, version, text=True).drop(columns="locator", errors="ignore")
    marks = _errata_of(about.errata)
    frame = frame.assign(locator=tables.locators(id))
    if marks:
        frame = frame.assign(erratum=[marks.get(row, "") for row in range(1, len(frame) + 1)])
    facts = (f"{about.document}, {about.place}. Kind of numbers: {about.kind}. Table {id}, as {version}.",)
    return frame, about.title, facts, about.notes


def _errata_of(errata):
    """What is wrong in each row, in words."""
    told = {}
    for row in errata.dropna(subset="row").itertuples():
        told.setdefault(int(row.row), []).append(f"{row.column}: {change_in_words(row)} ({row.status})")
    return {row: "; ".join(each) for row, each in told.items()}


def _list(name):
    """A list of ours that is no table of a document: its rows, title and facts."""
    if name == "benchmarks":
        frame = runs.benchmarks()
        facts = ("Read from the tables of all documents; basis and locator of a row say how and from where.",)
    elif name == "claims":
        frame = audit.audit_claims().tidy()
        facts = ("Each claim beside what the printed cells give for it, and the verdict.",)
    else:
        frame = tables.errata()
        facts = ("Certain ones are applied where a table is corrected; suspected ones are left alone.",)
    return frame, LISTS[name].partition(":")[0], facts, ()


def options(state):
    """Return what each list of the panel offers: field to pairs of words and value."""
    known = tables.list_tables()
    titles = documents()
    words = [(f"{row.title} ({titles[row.id.partition('/')[0]]}, {row.id})", row.id) for row in known.itertuples()]
    lists = [(title, name) for name, title in LISTS.items()]
    return {"table": lists + words, "version": [("as printed", "printed"), ("corrected", "corrected")]}


def settled(before, after):
    """Return a new state in which words sought in another table are gone."""
    return TableState(after.table, after.version) if after.table != before.table else after
