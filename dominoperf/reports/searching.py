"""The search of the site: an index of built pages by section, printed row, claim, erratum and name of the reference.

The index is a classic script, for a page opened from a disk may not fetch a file; only the page of the search loads it.
"""

import html
import itertools
import json
import re
import tomllib
from collections import Counter

from dominoperf.reports.cells import FOLDER

NAME = "search_index.js"
_ARTICLE = re.compile(r'<article class="bd-article">(.*)</article>', re.DOTALL)
_UNSAID = re.compile(
    r'<(svg|style|script|form|thead)\b.*?</\1>|<div class="cell_input.*?</pre>|<a class="headerlink".*?</a>',
    re.DOTALL,
)
# What is found by itself: a section of a page, a row that has an id, a term, an object of the library.
_PART = re.compile(
    r'<section(?: class="[^"]*")? id="(?P<section>[^"]+)">\s*(?:<details><summary>\s*)?<h[1-6]>(?P<title>.*?)</h[1-6]>'
    r'|<tr id="(?P<row>[^"]+)"(?P<about>[^>]*)>(?P<cells>.*?)</tr>'
    r'|<dt class="sig[^"]*" id="(?P<object>[^"]+)">',
    re.DOTALL,
)
_ROW = re.compile(r":row\d+$")  # of a printed table
_PLACE = re.compile(r'title="([^"]*)"')
_TAG = re.compile(r"<[^>]*>")
_CELL = re.compile(r"</td>")
_PIECE = re.compile(r"\S.{0,1599}(?!\S)|\S+")  # of a section: a whole long one would have any words that are sought


def search_index(site):
    """Return the index of a built site as a script that sets `searchIndex`.

    It has the pages, as title, address and what else people call them, and what is found on them: page, anchor, title
    and text of each; of a long section one after the other.
    """
    called = tomllib.loads((FOLDER / "search.toml").read_text(encoding="utf-8"))
    pages, found = [], []
    for path in sorted([*site.glob("*.html"), *site.glob("handbook/*.html")]):
        article = _ARTICLE.search(path.read_text(encoding="utf-8"))
        name = path.relative_to(site).with_suffix("").as_posix()
        if not article or name == "search":
            continue
        parts = list(_searched_parts_of_page(_UNSAID.sub(" ", article[1])))
        pages.append([parts[0][1] if parts else name, f"{name}.html", called.get(name, "")])
        title = f"{pages[-1][0]}, "  # said once, and not of every row
        found += [[len(pages) - 1, anchor, place.removeprefix(title), words] for anchor, place, words in parts]
    # A table may be shown again beside a question: its rows are found where the document is shown.
    rows = Counter(page for page, anchor, _, _ in found if _ROW.search(anchor))
    home = {}
    for page, anchor, _, _ in found:
        if _ROW.search(anchor) and rows[page] > rows[home.get(anchor)]:
            home[anchor] = page
    found = [part for part in found if home.get(part[1], part[0]) == part[0]]
    whole = json.dumps({"pages": pages, "found": found}, ensure_ascii=False, separators=(",", ":"))
    return f"searchIndex = {whole};\n"


def _searched_parts_of_page(article):
    """What is found on a page: anchor, title and text of each; the first is the page itself."""
    begun, anchor, title = list(_PART.finditer(article)), "", ""
    for match, after in itertools.zip_longest(begun, begun[1:]):
        body = _searched_words_of_html(article[match.end() : after.start() if after else len(article)])
        if match["row"]:
            place = _PLACE.search(match["about"])
            cells = _searched_words_of_html(match["cells"])
            yield html.unescape(match["row"]), html.unescape(place[1]) if place else "", cells
        else:
            anchor = "" if match is begun[0] else html.unescape(match["section"] or match["object"])
            title = _searched_words_of_html(match["title"] if match["section"] else match["object"])
        pieces = _PIECE.findall(body)  # below a row: of the section that it is in
        for piece in pieces or ([] if match["row"] else [""]):
            yield anchor, title, piece


def _searched_words_of_html(page):
    """The words of HTML; cells of a row stand apart."""
    return " ".join(html.unescape(_TAG.sub("", _CELL.sub(" · ", page.replace("><", "> <")))).split()).strip("· ")
