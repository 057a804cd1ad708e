"""Links of the site's pages, both ways: from a number to the row that prints it, from a row to what uses it.

Places lead to rows of printed tables, origins to tables, errata to their evidence. Outside the site the same outputs
have no links, for nothing is there where they would lead. A printed row says how often it is used; by what is in one
script beside the pages, which each document's page loads.
"""

import html
import json
import re
from collections import defaultdict

from dominoperf import runs, tables
from dominoperf.laws import LAWS
from dominoperf.reports.cells import html_outputs
from dominoperf.reports.notebooks import pages_of_documents
from dominoperf.study import audit
from dominoperf.tables import columns, loading
from dominoperf.tables.document_pages import anchor_of_row
from dominoperf.tables.folders import our_toml_file

USES = "uses.js"  # in the site
_SCRIPT = f'<script defer src="{USES}"></script>'
_ERRATUM = re.compile(r'(<details class="erratum [a-z]+" data-erratum="([^"]*)">.*?)(</p></details>)', re.DOTALL)
_ERRATA = re.compile(r'(?:<details class="erratum [a-z]+" data-erratum="[^"]*">.*?</details>)+', re.DOTALL)
_LOCATOR = re.compile(r'(<td class="locator"[^>]*>)([^<]+)(?=</td>)')
_ROW = re.compile(r'(<tr [^>]*data-locator="([^"]*)"[^>]*><td[^>]*>)((?:(?!</?a|</td>).)+)(?=</td>)')
_ORIGIN = re.compile(r'<span data-origin="([^"]*)"(?: data-locators="([^"]*)")?>([^<]*)</span>')
_OF_ROW = re.compile(r":row(\d+)$")  # the end of an address
_FEW_ROWS = 12  # more are shown by their table alone
_HEADING = re.compile(
    r'<th scope="col"([^>]*?)(?: title="([^"]*)")?>([a-z][a-z0-9]*(?:_<wbr>[a-z0-9]+)*)(?=<br>|</th>)'
)
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_WORD = re.compile(r"(<td[^>]*>)(\w+)(?=</td>)")
_KEYED = {"binds", "binds_comparison", "column", "component", "constant", "constant_other", "resource", "rule", "term"}
_NAMES = re.compile(r'data-name="(\w+)"')
_KEY = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_PLACE = re.compile(r'<span data-place="([^"]*)">([^<]*)</span>')
_ID = re.compile(r"(<td[^>]*>)([\w.-]+/[\w.-]+(?:#\w+)?)(?=</td>)")  # of a table, or of a run by its row
_SERIES = re.compile(r"(?<![\w./])[a-z0-9]+(?:_[a-z0-9]+)+(?![\w./])(?=[^<>]*</td>)")  # in a cell or a sentence of it
_MARK = re.compile(r'<a data-place="([^"]*)"(?=>)')  # of a picture
_PRINTED = re.compile(r'(<tr id="([^"]+:row\d+)".*?<td class="place"[^>]*>.*?)(</td>)', re.DOTALL)
_BETWEEN = "; "  # the places of a number that is printed more than once


class LocatorLinks:
    """Where the pages of a site lead.

    `runs` are those with a page, `pages` is of `site.page_of_notebook`, `saved` has the address of each saved table.
    """

    def __init__(self, runs, pages, saved=None):
        printed = pages_of_documents(runs)
        origins, pages = our_toml_file("origins.toml"), {notebook: f"{page}.html" for notebook, page in pages.items()}
        shown_by = {name: origin["notebook"] for name, origin in origins["registries"].items()}
        self._named = (saved or {}) | {name: origin["address"] for name, origin in origins["files"].items()} | pages
        self._named |= {name: pages[notebook] for name, notebook in shown_by.items() if notebook in pages}
        self._places, self._keys = {}, {"law": {}, "source": {}}
        self._printed_titles, self._titles, self._series = {}, {}, _series_in_words()
        for name, law in LAWS.items():
            self._keys["law"][name] = f"handbook/methods.html#law-{name}".replace("_", "-"), law.title
        abouts = [tables.document(source) for source in printed]
        years = [about.get("year", "") for about in abouts]
        self._years = {
            about["title"]: year for about, year in zip(abouts, years, strict=True) if year and years.count(year) == 1
        }
        for (source, page), about in zip(printed.items(), abouts, strict=True):
            self._named[source] = page
            self._places[about["title"]] = page
            self._keys["source"][source] = page, about.get("year") or about["title"]
            for id in tables.list_tables(source)["id"]:
                self._named[id] = f"{page}#{id}"
                table = loading.find_table(id)
                self._printed_titles[id] = table.title
                self._titles[id] = ", ".join(filter(None, (about.get("year", ""), table.title)))
                for place in (table.full_locator, table.locator):
                    self._places.setdefault(f"{about['title']}, {place}", self._named[id])
                for words in (loading.locators_within_document(id), tables.locators(id)):
                    for row, place in enumerate(words, start=1):
                        self._places.setdefault(place, f"{page}#{anchor_of_row(id, row)}")

    def of_place(self, text):
        """Return where the first of one or several places leads that is known; "" where none is.

        A place leads to its row, else to its table or page, else to its document: what is nearer comes last in it.
        """
        for place in [text] if text in self._places else text.split(_BETWEEN):
            while place and place not in self._places:
                place = place.rpartition(", ")[0]
            if place:
                return self._places[place]
        return ""

    def page_of(self, name):
        """Return the page of the claims, the errata or the runs, a notebook or a document; "" where there is none."""
        return self._named.get(name, "")

    def linked(self, page):
        """Return HTML with a link on each place, mark of a picture, origin of a table and erratum that is known.

        Headings that are names of columns are in words, laws and documents have their names.
        """

        def mark(match):
            href = self.of_place(html.unescape(match[1]))
            return f'{match[0]} href="{html.escape(href)}"' if href else match[0]

        def places(match):
            text = html.unescape(match[2])  # one place may hold what is between two
            parts = [text] if text in self._places else text.split(_BETWEEN)
            return match[1] + _BETWEEN.join(map(self._short_link, parts))

        def heading(match):
            key = match[3].replace("<wbr>", "")
            _, words = self._keys["source"].get(key, ("", ""))
            told = f'<th scope="col"{match[1]} title="{key}">{html.escape(words)}'
            return told if words else _heading_in_words(match)

        page = _TABLE.sub(self._keys_in_words, _HEADING.sub(heading, page))
        page = _LOCATOR.sub(places, _MARK.sub(mark, page))
        page = _PLACE.sub(lambda place: _link_or_words(self.of_place(html.unescape(place[1])), place[2]), page)
        page = _ROW.sub(lambda row: row[1] + _link_or_words(self.of_place(html.unescape(row[2])), row[3]), page)
        page = _ORIGIN.sub(self._origin_and_its_rows, page)
        if evidence := self.page_of("errata"):
            page = _ERRATUM.sub(rf'\1 <a href="{evidence}#\2">The evidence</a>\3', page)
        return page

    def _keys_in_words(self, match):
        """A table with the name of a law or document for its key, linked, where a column has them; other keys in words.

        So have ids of tables and runs their titles, and series in sentences their names. A transcription, which has a
        place in each row, stays as it is.
        """
        known = {}
        for column, names in self._keys.items():
            known |= names if f'data-name="{column}"' in match[0] else {}
        keyed = 'class="place"' not in match[0] and not _KEYED.isdisjoint(_NAMES.findall(match[0]))

        def named(cell):
            href, words = known.get(cell[2], ("", ""))
            if words:
                return f'{cell[1]}<a href="{href}" title="{cell[2]}">{html.escape(words)}</a>'
            if keyed and _KEY.fullmatch(cell[2]):
                return f'{cell[1]}<span title="{cell[2]}">{html.escape(columns.key_in_words(cell[2]))}</span>'
            return cell[0]

        def of_series(key):
            words = self._series.get(key[0])
            return f'<span title="{key[0]}">{words}</span>' if words else key[0]

        table = _WORD.sub(named, match[0]) if known or keyed else match[0]
        if 'class="place"' in table:
            return table
        return _ID.sub(self._title_for_id, _SERIES.sub(of_series, table))

    def _title_for_id(self, cell):
        """The id of a table, or of a run, as the title of its table, linked; the id is shown over it."""
        id, _, part = cell[2].partition("#")
        if id not in self._titles:
            return cell[0]
        href, words = self._named[id], self._titles[id]
        if part.isdecimal():
            href, part = f"{href.removesuffix(id)}{anchor_of_row(id, int(part))}", f"row {part}"
        words += f", {part.replace('_', ' ')}" if part else ""
        return f'{cell[1]}<a href="{html.escape(href)}" title="{cell[2]}">{html.escape(words)}</a>'

    def _origin_and_its_rows(self, match):
        """What a table is computed from as a link, and a link to each of its printed rows where these are few."""
        words = _link_or_words(self.page_of(html.unescape(match[1])), match[3])
        places = html.unescape(match[2] or "").split(_BETWEEN)
        rows = [(row[1], href) for href in map(self.of_place, places) if (row := _OF_ROW.search(href))]
        if not 0 < len(rows) <= _FEW_ROWS:
            return words
        listed = ", ".join(_link_or_words(href, number) for number, href in rows)
        return f"{words}, {'row' if len(rows) == 1 else 'rows'} {listed}"

    def short_place(self, place):
        """Return a place with the year for the title of the document, and without the id of our table."""
        short, row = place, _OF_ROW.search(self.of_place(place))
        if title := next((name for name in self._years if place.startswith(f"{name}, ")), ""):
            short = self._years[title] + place.removeprefix(title)
        if row:
            id = row.string[: row.start()].partition("#")[2]
            short = short.replace(f" of {id.partition('/')[2]}", "", 1)
        return short

    def _short_link(self, place):
        """A place as a link, with the year for the title of the document, and without the id of our table.

        What is left out is shown over it.
        """
        href, short, words = self.of_place(place), self.short_place(place), html.escape(place)
        if not href:
            return words
        if row := _OF_ROW.search(href):  # its table is at the end of the link, and told over it
            words += html.escape(f": {self._printed_titles[href[: row.start()].partition('#')[2]]}")
        title = "" if short == place else f' title="{words}"'
        return f'<a href="{html.escape(href)}"{title}>{html.escape(short)}</a>'


def _series_in_words():
    """The short title of each series that has a key and not a word for its name, as HTML."""
    return {name: html.escape(runs.find(name).short) for name in runs.series_names() if "_" in name}


def _heading_in_words(match):
    """A heading that is the name of a column of the vocabulary, in words and with its unit; the name is over it."""
    look, meaning, name = match[1], match[2], match[3].replace("<wbr>", "")
    if name not in tables.vocabulary():
        return match[0]
    title = f' title="{name}: {meaning}"' if meaning else f' title="{name}"'
    return f'<th scope="col"{look} data-name="{name}"{title}>{html.escape(columns.column_heading(name))}'


def _link_or_words(href, words):
    """Words as a link, or bare where there is no address."""
    return f'<a href="{html.escape(href)}">{words}</a>' if href else words


def errata_in_outputs(cells):
    """Return the errata that the outputs of cells tell, each once, the suspected first, and how many they are."""
    found = [erratum for data in html_outputs(cells) for erratum in _ERRATUM.finditer(data["text/html"])]
    notes = {erratum[2]: erratum[0] for erratum in found}
    return "".join(sorted(notes.values(), key=lambda note: 'class="erratum suspected"' not in note)), len(notes)


def errata_touch(count, what):
    """Say how many errata touch some numbers."""
    return f"{count} {'erratum touches' if count == 1 else 'errata touch'} {what}"


def errata_as_link(text, href):
    """Return HTML with a line where it tells errata: how many there are, as a link to where each is reported."""

    def line(match):
        words = errata_touch(len(_ERRATUM.findall(match[0])), "these numbers")
        return f'<p class="origins"><a href="{html.escape(href)}">{words}</a>.</p>'

    return _ERRATA.sub(line, text)


def collect_row_uses(shown, links):
    """Return what uses each printed row: id of the row to users, each a tuple of kind, words and address.

    `shown` has each run with the HTML that its page shows, places linked by `links`. Pages come before claims before
    errata.
    """
    used = defaultdict(dict)  # a dict keeps an order, and each user once
    lead = re.compile(r'href="[\w.-]+\.html#([^"]+:row\d+)"')
    for run, page in shown:
        if "source" not in run.parameters:
            user = ("page", run.title, f"{run.name}.html")
            for row in lead.findall(page):
                used[html.unescape(row)][user] = None
    if page := links.page_of("claims"):
        for claim in audit.claims():
            for cells in (cells for cells in claim.inputs if cells.table):
                user = ("claim", claim.claim, f"{page}#claim-{claim.source}-{claim.id}")
                for row in cells.rows or range(1, len(loading.find_table(cells.table).frame("printed")) + 1):
                    used[anchor_of_row(cells.table, row)][user] = None
    if page := links.page_of("errata"):
        for wrong in tables.errata().dropna(subset="row").itertuples():
            user = ("erratum", wrong.mistake, f"{page}#{loading.erratum_name(wrong.source, wrong.mistake)}")
            used[anchor_of_row(f"{wrong.source}/{wrong.table}", int(wrong.row))][user] = None
    return {row: list(users) for row, users in used.items()}


def table_with_use_counts(page, used):
    """Return the HTML of printed tables with how often each row is used; the script that says by what, after them."""

    def count(match):
        users = len(used.get(html.unescape(match[2]), ()))
        times = "once" if users == 1 else f"{users} times"
        note = f'<details class="uses"><summary>used {times}</summary></details>'
        return f"{match[1]}{note}{match[3]}" if users else match[0]

    made = _PRINTED.sub(count, page)
    return f"{made}{_SCRIPT}" if made != page else page


def uses_script(used):
    """Return the script: every user once, and for each row the numbers of its users."""
    users = {user: number for number, user in enumerate(dict.fromkeys(user for each in used.values() for user in each))}
    rows = {row: [users[user] for user in each] for row, each in sorted(used.items())}
    whole = json.dumps({"users": list(users), "rows": rows}, ensure_ascii=False, separators=(",", ":"))
    return f"usesData({whole});\n"
