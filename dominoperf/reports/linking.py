"""Links from the pages of the site: places to rows of printed tables, origins to tables, errata to their evidence.

Outside the site the same outputs have no links, for nothing stands where they would lead.
"""

import html
import re

from dominoperf import tables
from dominoperf.laws import LAWS
from dominoperf.tables import columns, loading
from dominoperf.tables.pages import row_id

_ERRATUM = re.compile(r'(<details class="erratum [a-z]+" data-erratum="([^"]*)">.*?)(</p></details>)', re.DOTALL)
_LOCATOR = re.compile(r'(<td class="locator"[^>]*>)([^<]+)(?=</td>)')
_ROW = re.compile(r'(<tr [^>]*data-locator="([^"]*)"[^>]*><td[^>]*>)((?:(?!</?a|</td>).)+)(?=</td>)')
_ORIGIN = re.compile(r'<span data-origin="([^"]*)">([^<]*)</span>')
_HEADING = re.compile(
    r'<th scope="col"([^>]*?)(?: title="([^"]*)")?>([a-z][a-z0-9]*(?:_<wbr>[a-z0-9]+)*)(?=<br>|</th>)'
)
_NOTEBOOKS = {"benchmarks": "02_benchmarks", "claims": "80_claims_audit", "errata": "81_errata"}
_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_WORD = re.compile(r"(<td[^>]*>)(\w+)(?=</td>)")
_MARK = re.compile(r'<a data-place="([^"]*)"(?=>)')  # of a picture
_BETWEEN = "; "  # the places of a number that is printed more than once


class LocatorLinks:
    """Where the pages of a site lead.

    Parameters
    ----------
    runs : list of Run
        Every run that has a page.
    led : dict
        The page of each notebook, as `site.page_of_notebook` gives it.
    """

    def __init__(self, runs, led):
        printed = {run.parameters["source"]: f"{run.name}.html" for run in runs if "source" in run.parameters}
        self._named = {name: f"{led[notebook]}.html" for name, notebook in _NOTEBOOKS.items() if notebook in led}
        self._named |= {notebook: f"{page}.html" for notebook, page in led.items()}
        self._places, self._keys = {}, {"law": {}, "source": {}}
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
                table = tables.describe(id)
                for place in (table.place, table.locator):
                    self._places.setdefault(f"{about['title']}, {place}", self._named[id])
                for words in (loading.places(id), tables.locators(id)):
                    for row, place in enumerate(words, start=1):
                        self._places.setdefault(place, f"{page}#{row_id(id, row)}")

    def linked(self, page):
        """Return HTML with a link on each place, mark of a picture, origin of a table and erratum that is known.

        Headings that are names of columns are in words, laws and documents have their names.
        """
        page = _TABLE.sub(self._keys_in_words, _HEADING.sub(_heading_in_words, page))
        page = _MARK.sub(self._leading, page)
        page = _LOCATOR.sub(lambda match: match[1] + self._located(html.unescape(match[2])), page)
        page = _ROW.sub(lambda match: match[1] + _link_or_words(self._first(html.unescape(match[2])), match[3]), page)
        page = _ORIGIN.sub(lambda match: _link_or_words(self._named.get(html.unescape(match[1])), match[2]), page)
        if evidence := self._named.get("errata"):
            page = _ERRATUM.sub(rf'\1 <a href="{evidence}#\2">The evidence</a>\3', page)
        return page

    def _keys_in_words(self, match):
        """A table with the name of a law or document for its key, linked, where a column has them."""
        known = {}
        for column, names in self._keys.items():
            known |= names if f'data-name="{column}"' in match[0] else {}

        def named(cell):
            href, words = known.get(cell[2], ("", ""))
            return f'{cell[1]}<a href="{href}" title="{cell[2]}">{html.escape(words)}</a>' if words else cell[0]

        return _WORD.sub(named, match[0]) if known else match[0]

    def of_place(self, place):
        """Return where a place of a row leads, the first of several that is known; "" where none is."""
        return self._first(place) or ""

    def page_of(self, name):
        """Return the page of the claims, the errata or the runs, a notebook or a document; "" where there is none."""
        return self._named.get(name, "")

    def _leading(self, match):
        """A mark with the address of the first of its places that is known."""
        href = self.of_place(html.unescape(match[1]))
        return f'{match[0]} href="{html.escape(href)}"' if href else match[0]

    def _first(self, text):
        """Where the first of the places leads that is known; None where none is."""
        return next(filter(None, map(self._address, (text, *text.split(_BETWEEN)))), None)

    def _address(self, place):
        """Where a place leads: to its row, else to its table or page, else to its document; None where none is known.

        What is nearer stands behind: document, table, page, row, column.
        """
        while place and place not in self._places:
            place = place.rpartition(", ")[0]
        return self._places.get(place)

    def _located(self, text):
        """A cell of places, each linked; one place may hold what stands between two."""
        parts = [text] if text in self._places else text.split(_BETWEEN)
        return _BETWEEN.join(map(self._short_link, parts))

    def _short_link(self, place):
        """A place as a link, in which the year stands for the title of the document; the title is shown over it."""
        href, words = self._address(place), html.escape(place)
        title = next((name for name in self._years if href and place.startswith(f"{name}, ")), "")
        if not title:
            return _link_or_words(href, words)
        short = html.escape(self._years[title] + place.removeprefix(title))
        return f'<a href="{html.escape(href)}" title="{words}">{short}</a>'


def _heading_in_words(match):
    """A heading that is the name of a column of the vocabulary, in words and with its unit; the name is over it."""
    look, meaning, name = match[1], match[2], match[3].replace("<wbr>", "")
    if name not in tables.vocabulary():
        return match[0]
    title = f' title="{name}: {meaning}"' if meaning else f' title="{name}"'
    return f'<th scope="col"{look} data-name="{name}"{title}>{html.escape(columns.heading(name))}'


def _link_or_words(href, words):
    """Words as a link, or bare where there is no address."""
    return f'<a href="{html.escape(href)}">{words}</a>' if href else words
