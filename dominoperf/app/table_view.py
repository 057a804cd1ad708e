"""The panel of tables: any table or list in use, searched, with its provenance."""

import functools
import re
from dataclasses import dataclass

import pandas as pd

from dominoperf import runs, tables
from dominoperf.app import views
from dominoperf.app.points import documents_offered
from dominoperf.app.views import TableState, check_state_of_panel, wrong_parameter_of_panel
from dominoperf.study import audit
from dominoperf.tables import carried_errata, loading, rendering
from dominoperf.tables.columns import column_heading
from dominoperf.tables.document_pages import erratum_in_words

VERSIONS = {"printed": "as printed", "corrected": "corrected"}
LISTS = {  # what is no table of a document: title, and a sentence of it
    "benchmarks": ("Benchmarks", "one row per run, of all documents"),
    "claims": ("Claims", "what the documents state in numbers, in our words"),
    "errata": ("Errata", "what is wrong in the documents"),
}
_STATIC_ROWS = 25  # rows of the view that stands where no control works


@dataclass(frozen=True)
class TableView(views.View):
    """The rows of a table that a search leaves, each with its place; and what is known of the table.

    `shown` has the same rows as a page has room for: the document is above them, not in each.
    """

    state: TableState
    frame: pd.DataFrame
    shown: pd.DataFrame
    of: int  # rows before the search
    title: str
    facts: str
    notes: tuple

    def summary(self):
        """Return what is shown, and of how much, in a sentence."""
        rows = f"{len(self.frame)} of {self.of} rows" if len(self.frame) != self.of else f"{self.of} rows"
        return f"{self.title}: {rows}."

    @property
    def alternatives(self):
        """Return what a reader can do about an empty table."""
        if len(self.frame):
            return ()
        return ("Search for other words, or none." if self.of else "The body of this table is lost; choose another.",)

    @functools.cached_property
    def about(self):
        """The text next to the table, as HTML."""
        file = f"{self.state.table.replace('/', '_')}_{self.state.version}.csv"
        return views.panel_html(
            views.panel_paragraph(self.summary(), "said"),
            views.panel_paragraph(self.facts),
            rendering.as_html_list(self.notes),
            f"<p>Download: {rendering.as_download(file, rendering.as_csv(self.frame))}</p>",
            views.panel_notice("No row to show.", self.alternatives) if self.alternatives else "",
        )

    def _html(self, alternatives):  # the same where no controls are; of a long table the first rows
        if not len(self.frame):
            return self.about
        more = len(self.frame) - _STATIC_ROWS
        rest = views.panel_paragraph(f"{more} more rows are in the download.") if more > 0 else ""
        return self.about + views.panel_html(views.panel_table(self.shown.head(_STATIC_ROWS)), rest)


def view(state):
    """Return what the panel of tables shows for a state."""
    check_state_of_panel(state)
    if state.version not in VERSIONS:
        raise wrong_parameter_of_panel("version", f"one of {', '.join(VERSIONS)}", state.version)
    frame, places, title, facts, notes = table_or_list_for_panel(state.table, state.version)
    keep = row_matches_search(frame, state.search)
    frame, of = frame[keep].reset_index(drop=True), len(frame)
    shown = frame.assign(locator=places[keep].to_numpy()) if "locator" in frame else frame
    return TableView(state, frame, shown, of, title, facts, notes)


def row_matches_search(frame, words):
    """Return whether every word is in some cell of a row, in any case; ``1920`` finds ``1,920``, and the other way."""
    rows = zip(*rendering.number_texts(frame), strict=True)
    rows = ["\n".join([*row, *(text.replace(",", "") for text in row)]).casefold() for row in rows]
    words = [(word, re.sub(r"(?<=\d),(?=\d{3})", "", word)) for word in words.casefold().split()]
    keep = [all(any(form in row for form in forms) for forms in words) for row in rows]
    return pd.Series(keep, index=frame.index, dtype=bool)


def table_or_list_for_panel(name, version):
    """Return a table or list: its rows with their locators, the places in the document, title, facts and notes.

    The cells are as the version has them, and the last column of a table says what is wrong in a row.
    """
    if name in LISTS:
        if name == "benchmarks":
            frame, wrong = runs.benchmarks(version), {}
            for erratum in carried_errata.errata_of(frame):
                status = "suspected" if erratum.status == "suspected" else "certain"
                wrong.setdefault(erratum.run, {})[f"{erratum.mistake} ({status})"] = True
            frame = frame.assign(erratum=["; ".join(wrong.get(run, ())) for run in frame["run"]])
            facts = f"Read from the tables of all documents, {VERSIONS[version]}; a row has its origin and locator."
        elif name == "claims":
            frame = audit.audit_claims(as_=version).tidy()
            facts = f"Each claim beside what the cells {VERSIONS[version]} give for it, and the verdict."
        else:
            frame = tables.errata()
            facts = "Certain ones are applied where a table is corrected; suspected ones are left alone."
        return frame, frame["locator"], LISTS[name][0], facts, ()
    about = tables.describe(name)
    frame = tables.load(name, version, text=True).drop(columns="locator", errors="ignore")
    changes = {}
    for row in about.errata.dropna(subset="row").itertuples():
        changes.setdefault(int(row.row), []).append(
            f"{column_heading(row.column)}: {erratum_in_words(row)} ({row.status})"
        )
    frame = frame.assign(locator=tables.locators(name))
    if changes:
        frame = frame.assign(erratum=["; ".join(changes.get(row, ())) for row in range(1, len(frame) + 1)])
    facts = f"{about.document}, {about.full_locator}. Kind of numbers: {about.kind}. Table {name}, as {version}."
    places = pd.Series(loading.locators_within_document(name), index=frame.index, dtype=object)
    return frame, places, about.title, facts, about.notes


def options(state):
    """Return what each list of the panel offers: field to pairs of words and value."""
    titles = documents_offered()
    lists = [(f"{title}: {about}", name) for name, (title, about) in LISTS.items()]
    ids = tables.list_tables().itertuples()
    listed = [(f"{row.title} ({titles[row.id.partition('/')[0]]}, {row.id})", row.id) for row in ids]
    return {"table": lists + listed, "version": [(words, name) for name, words in VERSIONS.items()]}


def validated(before, after):
    """Return a new state in which words sought in another table are gone."""
    return TableState(after.table, after.version) if after.table != before.table else after
