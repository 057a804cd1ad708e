"""The site: every table on its page, nothing fetched from elsewhere, every build the same bytes, data as text."""

import copy
import html
import json
import posixpath
import re
import shutil
from html.parser import HTMLParser
from urllib.parse import unquote

import nbformat
import pandas as pd
import papermill
import pytest
from conftest import ROOT, opened, pages_of, read_package, write_executed, write_notebook, write_package

from dominoperf import reports
from dominoperf.errors import ReportFailed
from dominoperf.reports import cache, citation, folder, front_page, page_html, saving, site
from dominoperf.runs import benchmarks
from dominoperf.study import audit
from dominoperf.study.audit.claim_rows import BEARS_ON
from dominoperf.tables import cells as printed_cells
from dominoperf.tables import document as document_of
from dominoperf.tables import errata, list_tables, load, locators, rendering, sources
from dominoperf.tables import pages as table_pages
from dominoperf.tables.folders import DESCRIPTOR

PHONE = 390
HOSTILE = "<script>alert(1)</script> {{ 7*7 }} $x$ `code` *a* [b](c) {math}`y` & &amp; \"q\" -- 'r'"


class Links(HTMLParser):
    """The addresses and ids of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.loaded = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if found.get("id") else []
        self.links += [found["href"]] if tag == "a" and found.get("href") else []
        self.loaded += [
            found.get("src") or found.get("href") for _ in [0] if tag in ("script", "link", "img", "iframe")
        ]


def read(path):
    return path.read_text(encoding="utf-8")


def pages_in(site):
    """Every page of a site, those of the handbook too."""
    return [*site.glob("*.html"), *site.glob("handbook/*.html")]


def test_every_run_has_page_and_tables(built):
    """A page and its tables for each of the standard runs."""
    out, told = built
    names = sorted(run.name for run in reports.runs())
    of = lambda form: sorted(line.split()[1] for line in told if re.fullmatch(form, line))  # noqa: E731
    assert of(r"start \S+") == of(r"done \S+ \d+\.\d s")
    assert sorted([*of(r"done \S+ \d+\.\d s"), *of(r"unchanged \S+")]) == names
    assert {path.stem for path in (out / "site").glob("*.html")} == {*names, "gallery", "index", "search"}
    assert (out / "tables" / "processors_fit.csv").exists()
    assert {path.name for path in out.iterdir() if path.name.startswith(".")} == {cache.FOLDER, folder.WRITTEN}


def test_tables_of_the_site_show_what_is_printed(built):
    """Transcriptions to the character, each in a section with the places of its rows; runs with all printed digits."""
    for source in sources()["source"]:
        page = read(built[0] / "site" / f"published_tables_{source}.html")
        for id in list_tables(source)["id"]:
            section = page[page.index(f'<section id="{id}">') :].partition("</section>")[0]
            frame = load(id, "printed", text=True).drop(columns="locator", errors="ignore")
            assert [cell for cell in frame.to_numpy().ravel() if f">{html.escape(cell)}</td>" not in section] == []
            assert f'<a class="reference internal nav-link" href="#{id}">' in page  # in the contents of the page
            assert all(html.escape(place) in page for place in locators(id)[-1:])
    runs = benchmarks()
    page = read(built[0] / "site" / "benchmarks.html")
    texts = dict(zip(runs, rendering.number_texts(runs), strict=True))
    shown = {text for name in runs.select_dtypes("number") for text in texts[name]}
    assert [text for text in shown if f">{html.escape(text)}</td>" not in page] == []


def test_no_page_rounds_a_long_printed_number(built):
    """19,749,184 was 19749000, 100,852 was 100850."""
    tables = [load(id, "printed").select_dtypes("number") for id in list_tables()["id"]]
    printed = {value for table in tables for value in table.to_numpy(float).ravel() if value == value}
    long = {value for value in printed if value >= 1e5}
    assert len(long) > 10
    near = {(value, float(f"{value:.{digits}g}")) for value in long for digits in (3, 4, 5, 6)}
    wrong = {form for value, each in near if each not in printed for form in (f"{each:,.0f}", f"{each:.0f}")}
    wrong |= {f"{value:.{digits}g}" for value in long if value >= 1e6 for digits in (4, 5, 6)}
    found = re.compile(rf"(?<![\d.,])(?:{'|'.join(map(re.escape, sorted(wrong)))})(?![\d,]|\.\d)")
    for page in pages_in(built[0] / "site"):
        words = re.sub(r"<(script|style|svg)\b.*?</\1>|<[^>]*>", " ", read(page), flags=re.DOTALL)
        assert found.findall(words) == [], page.name


def test_tables_are_what_is_committed(built):
    """The committed tables are those that the runs wrote, byte for byte, and what is made of all of them."""
    kept = cache.ReportCache(built[0])
    made = {name: read(path) for run in reports.runs() for name, path in kept.tables(run).items()}
    made |= {name: read(built[0] / "tables" / name) for name in (DESCRIPTOR, saving.PLACES)}
    there = ROOT / "reports" / "tables"
    committed = {path.relative_to(there).as_posix(): read(path) for path in there.rglob("*") if path.is_file()}
    assert made == committed


def test_nothing_of_the_machine_in_the_pages(built):
    """No path, no time of the run, no warning of the kernel, nothing of Sphinx that is no reader's."""
    for page in pages_in(built[0] / "site"):
        text = read(page)
        assert str(built[0]) not in text
        assert "site-packages" not in text
        assert "/tmp/" not in text
        assert "Warning:" not in text
    names = {path.name for path in (built[0] / "site").rglob("*")}
    assert not names & {".doctrees", ".buildinfo", "_sources"}


@pytest.fixture(scope="module")
def links(built):
    """The links of every page, by its path in the site."""
    site = built[0] / "site"
    return {path.relative_to(site).as_posix(): Links(read(path)) for path in pages_in(site)}


def test_pages_load_nothing_from_elsewhere(built, links):
    """Every script, style and picture lies beside the page."""
    for name, found in links.items():
        page = built[0] / "site" / name
        for address in found.loaded:
            path = (address or "").partition("?")[0].partition("#")[0]
            assert address is None or address.startswith("data:") or (page.parent / path).exists(), address
    for style in (built[0] / "site").rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//", read(style)), style


def test_links_lead_somewhere(built, links):
    """Every page, every place of a page and every file that a link names is there."""
    ids = {name: set(page.ids) for name, page in links.items()}
    followed = [(name, link) for name, page in links.items() for link in page.links if not link.startswith("data:")]
    assert len(followed) > 5000
    for name, link in followed:
        path, _, place = link.partition("#")
        path = path.partition("?")[0]  # what a link asks of the page
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
        assert target in links or (built[0] / "site" / unquote(target)).is_file(), f"{name}: {link}"
        assert not place or unquote(place) in ids[target], f"{name}: {link}"


def test_every_id_of_a_document_page_stands_once(links):
    """An anchor leads to one place."""
    ours = [id for id in links["published_tables_compaq_domino45.html"].ids if "/" in id]
    assert len(ours) == len(set(ours)) >= 32


def test_index_says_what_is_known(built):
    """Each document once, the findings with a picture, each reason of an erratum, what may be done next."""
    text = html.unescape(read(built[0] / "site" / "index.html"))
    body = text[text.index("<article") :]
    for source in sources()["source"]:
        assert f'href="published_tables_{source}.html"' in body
        assert f">{len(printed_cells(source)):,}</td>" in body
    groups = audit.errata_groups()
    assert all(reason in body for reason in groups["mistake"].head(3))
    assert groups["mistake"].iloc[3] not in body
    assert 'href="errata.html"' in body
    counts = audit.audit_claims("domino6").glance().iloc[0]
    link = 'href="claims_audit.html?document=domino6&verdict=contradicted" title="contradicted"'
    assert f"{link}>{counts['contradicted']}</a>" in body
    assert "Users gained by each further processor" in body
    assert re.search(r'<img class="small" alt="Users gained by each further processor[^"]+"', body)
    assert "dominoperf check FOLDER" in body
    assert (
        body.index('id="doors"')
        < body.index('id="findings"')
        < body.index('id="errors"')
        < body.index('id="documents"')
    )
    assert f">{len(benchmarks())}</a>" in body
    assert citation.data_checksum() in body


@pytest.fixture(scope="module")
def facts():
    """What the first page tells of the data."""
    return front_page.facts_of_data(audit.audit_claims)


def test_errors_come_by_consequence(built, facts):
    """The gravest first: plan, conclusion, wording; in each the certain ones, those that touch most before others."""
    groups = audit.errata_groups()
    keys = groups[["bears_on", "status", "count"]].to_numpy()
    order = [(BEARS_ON.index(bears), status != "certain", -count) for bears, status, count in keys]
    assert order == sorted(order)
    assert groups["count"].sum() == len(errata())
    told = facts["errors"]
    assert [each["mistake"] for each in told["rows"]] == groups["mistake"].head(3).tolist()
    assert (told["count"], told["cells"]) == (len(groups), len(errata()))
    for page, words in {
        "index": "together they are in {} printed cells",
        "sources": "{} cells",
        "errata": "in {} printed",
    }.items():
        assert words.format(len(errata())) in read(built[0] / "site" / f"{page}.html")


def bytes_of(folder):
    """The content of every file below a folder."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_what_is_kept_changes_nothing(built, tmp_path, small_site, monkeypatch):
    """A build that makes the one page anew whose notebook changed has the same bytes as one that makes all.

    It leaves nothing beside it, and Sphinx has nothing to warn of. Of some pages: all are built twice by ``.ci/run``.
    """
    from sphinx.builders.html._assets import _file_checksum_inner

    said, run_sphinx = [], site.run_sphinx
    monkeypatch.setattr(site, "run_sphinx", lambda *given, **how: said.append(run_sphinx(*given, **how)))
    some = {"sources", "published_tables_ibm_330", "clock_and_cache", "memory", "errata"}
    pages, kept = [page for page in pages_of(built[0]) if page[0].name in some], tmp_path / "kept"
    site.prepare_common_pages(pages, kept, "a")
    shutil.copytree(kept, tmp_path / "anew")  # what follows from data and library alone, of which nothing is a page yet
    site.build_site(pages, tmp_path / "first", cache=kept, key="a")
    assert said == [""]
    assert {path.name for path in tmp_path.iterdir()} == {"anew", "first", "kept"}
    first = bytes_of(tmp_path / "first")
    assert len(first) > 20
    number, (run, path) = next((k, page) for k, page in enumerate(pages) if page[0].name == "clock_and_cache")
    changed = tmp_path / "executed.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for output in [output for cell in notebook.cells for output in cell.get("outputs", ()) if "data" in output]:
        data = output["data"]
        data |= {
            kind: data[kind].replace("cache", "cushion") for kind in ("text/markdown", "text/html") if kind in data
        }
    nbformat.write(notebook, changed)
    shutil.copytree(path.parent, tmp_path / run.name, ignore=shutil.ignore_patterns("*.ipynb"))
    changed = changed.rename(tmp_path / run.name / changed.name)
    pages[number] = (run, changed)
    was = {each: each.stat().st_mtime_ns for each in (kept / "work" / "html").glob("*.html")}
    for name, from_ in (("again", kept), ("whole", tmp_path / "anew")):
        _file_checksum_inner.cache_clear()  # another process knows nothing of the first build's files
        site.build_site(pages, tmp_path / name, cache=from_, key="a")
    again, whole = (bytes_of(tmp_path / folder) for folder in ("again", "whole"))
    assert [name for name in whole if again.get(name) != whole[name]] == []
    assert again.keys() == whole.keys()
    assert first != whole
    written = {each.stem for each, time in was.items() if each.stat().st_mtime_ns != time}
    assert written & some == {run.name}


def test_index_to_a_number_in_two_clicks(built, browser):
    """Document, table; there the row has its place, on hover, in a column and in the download.

    The table sorts, and is shown as it is printed or as corrected, one at a time: all on one visit of a large page.
    """
    page, wrong = opened(browser, 1200)
    page.goto((built[0] / "site" / "index.html").as_uri())
    page.click("#documents >> text=1998 Compaq TechNote")
    page.click("nav.page-toc:not(.narrow) >> text=Windows NT, Mail, audited")
    table = page.locator('[id="compaq_domino45/a_mail"] table').first
    row = table.locator("tbody tr").nth(1)
    assert table.is_visible()
    assert row.get_attribute("title").endswith("Appendix A, page A-1, row 2 of a_mail")
    place, uses = row.locator("td.place").inner_text().split("\n")[:2]
    assert place == "Appendix A, page A-1, row 2"
    assert uses.startswith("used ")
    assert row.locator("td").nth(7).inner_text() == ".423"
    with page.expect_download() as download:
        page.click("text=compaq_domino45_a_mail.csv")
    saved = pd.read_csv(download.value.path(), dtype=str)
    assert list(saved["locator"]) == locators("compaq_domino45/a_mail")
    check_that_printed_and_corrected_are_two_views(page)
    check_that_it_sorts(page.locator('[id="compaq_domino45/a_mail"] table').nth(1))
    assert wrong == []


def check_that_it_sorts(table):
    """By number where there are numbers, both ways round, with the keyboard too; every row stays."""
    head = table.locator("th").nth(3)
    users = lambda: [int(t.replace(",", "")) for t in table.locator("tbody tr td:nth-child(4)").all_inner_texts()]  # noqa: E731
    before = users()
    head.locator("button").click()
    assert users() == sorted(before) != before
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").press("Enter")
    assert users() == sorted(before, reverse=True)


def check_that_printed_and_corrected_are_two_views(page):
    """A cell that differs has an outline and a sign."""
    tables = page.locator('[id="compaq_domino45/a_mail"] table')
    cells = [tables.nth(k).locator("tbody tr").nth(0).locator("td").nth(5) for k in (0, 1)]
    assert [cell.inner_text() for cell in cells if cell.is_visible()] == ["$13.22"]
    page.click('[id="compaq_domino45/a_mail"] >> text=Corrected (10 cells)')
    assert [cell.inner_text() for cell in cells if cell.is_visible()] == ["$17.37"]
    sign = "cell => getComputedStyle(cell, '::after').content + getComputedStyle(cell).outlineStyle"
    assert [cell.evaluate(sign) for cell in cells] == ['" !"solid', '" *"solid']


def test_claims_are_filtered_and_searched(built, browser):
    """By document, topic, verdict and text, with the keyboard; a link chooses, or opens the claim that it names."""
    page, wrong = opened(browser, 1200)
    address = (built[0] / "site" / "claims_audit.html").as_uri()
    page.goto(address)
    page.get_by_role("heading", name="Every claim").click()
    shown, count = page.locator("div.claims tbody tr:visible"), page.locator("form.filter output")
    more = page.get_by_role("button", name="Show 50 more")
    assert (shown.count(), count.inner_text()) == (50, f"{len(audit.claims())} of {len(audit.claims())} claims")
    more.press("Enter")
    assert shown.count() == 100
    page.locator("select[name=verdict]").select_option("contradicted")
    page.locator("select[name=document]").select_option(label="IBM's 1997 disclosure")
    assert shown.count() == audit.audit_claims("ibm_330").glance()["contradicted"].item()
    page.locator("form.filter input").press_sequentially("233hz")
    assert shown.count() == 1
    assert count.inner_text() == f"1 of {len(audit.claims())} claims"
    shown.first.locator("summary").press("Enter")
    assert "Computed from" in shown.first.inner_text()
    confirmed = audit.audit_claims("domino6").glance()["confirmed"].item()
    for document in ("2002 domino6", "domino6"):  # as older links have it, and as ours do
        page.goto(f"{address}?document={document}&verdict=confirmed")
        assert count.inner_text() == f"{confirmed} of {len(audit.claims())} claims"
    assert shown.first.get_by_role("link").first.inner_text() == "Domino 6 performs! (2002)"
    assert shown.count() == min(confirmed, 50)
    assert 0 <= page.locator("form.filter").bounding_box()["y"] < 300  # the link leads to the list
    page.goto(f"{address}#claim-compaq_domino45-raid5-formula")  # far down the list
    assert page.locator('[id="claim-compaq_domino45-raid5-formula"] details[open]').is_visible()
    assert wrong == []


PAGE_MEANT = {  # by what people call it, and by sentences as they type them: the page, one of the first so many
    "price per user": ("price.html", 1),
    "own data": ("your_own_data.html", 1),
    "install": ("handbook/run_it.html", 1),
    "which printed price is wrong": ("errata.html", 1),
    "fit my own CSV": ("your_own_data.html", 3),
    "is raid 5 slower than raid 0": ("disk.html", 3),
    "import jmeter results": ("handbook/load_tests.html", 3),
    "what does contention mean": ("handbook/glossary.html", 3),
    "pentim pro 200": ("published_tables_compaq_domino45.html", 3),
}


def test_search_finds_the_page_that_people_mean(built, browser):
    """With the words around the first hit, from a disk, as they type; an address brings its query with it."""
    page, wrong = opened(browser, 1200)
    page.goto((built[0] / "site" / "index.html").as_uri() + "/../search.html?q=Drive+spindle+comparison")
    links = page.locator("#search-results li p:first-child a")
    page.locator('#search-results a[href$="#compaq_domino45/table_3_4"]').first.wait_for()
    field = page.locator(".bd-search-container input[type=search]")
    for query, (wanted, within) in PAGE_MEANT.items():
        field.fill(query)
        assert wanted in [each.partition("#")[0] for each in _addresses(links)[:within]], query
        assert page.locator("#search-results li").first.locator("p").nth(1).inner_text(), query
    field.fill("L2 cache")
    first = page.locator("#search-results li").first
    assert _addresses(links)[0] == "clock_and_cache.html"
    assert "cache" in first.locator("mark").all_inner_texts()  # of a page, the piece with these words and not its last
    field.fill("ProSignia")  # a word of cells
    assert any("compaq_domino45" in each for each in _addresses(links))
    field.fill("20342")  # in a long section, which is searched in pieces: it is listed once, with the best of them
    addresses = _addresses(links)
    assert addresses[0] == "choice_and_risk.html#the-systems"
    assert len(addresses) == len(set(addresses))
    assert page.locator("#search-results mark").first.inner_text() == "20,342"
    for query in ("5150", "5,150", ".890", "0.890"):  # in its row, however it is written
        field.fill(query)
        hit = page.locator("#search-results li").filter(has=page.locator('a[href$="#compaq_domino45/a_mail:row1"]'))
        assert hit.count() == 1
        assert hit.locator("mark").first.inner_text() in {"5,150", ".890"}
    page.goto((built[0] / "site" / "search.html").as_uri() + "?q=<img src=x onerror=alert(1)>")
    assert "0 places" in page.locator("#search-count").inner_text()
    assert wrong == []


def _addresses(links):
    return links.evaluate_all("all => all.map((each) => each.getAttribute('href'))")


def test_the_index_of_the_search_is_loaded_there_alone(built):
    """It is large, and not too large."""
    assert [path.name for path in pages_in(built[0] / "site") if "search_index" in read(path)] == ["search.html"]
    assert (built[0] / "site" / "search_index.js").stat().st_size < 2_500_000


def test_every_word_of_a_page_is_searched(built):
    """Of long sections, of rows, and of what is said below a table, on some page; headings of tables are left out."""
    site = built[0] / "site"
    index = json.loads(read(site / "search_index.js").partition(" = ")[2].rstrip(";\n"))
    words = re.compile(r"[^\W\d_]{5,}|\d[\d,.]*\d")
    searched = {
        *words.findall(" ".join(f"{index['pages'][page][0]} {title} {text}" for page, _, title, text in index["found"]))
    }
    unsaid = r'<(svg|style|script|form|thead)\b.*?</\1>|<div class="cell_input.*?</pre>|<a class="headerlink".*?</a>'
    for _, address, _ in index["pages"]:
        article = re.search(r'<article class="bd-article">(.*)</article>', read(site / address), re.DOTALL)[1]
        shown = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(unsaid, " ", article, flags=re.DOTALL)))
        assert {*words.findall(shown)} <= searched, address


def test_every_page_fits_and_can_be_read(built, browser):
    """No page scrolls sideways; text stands out from its ground in both themes, on one of each kind; nothing is wrong.

    Those of the handbook are opened in its own tests.
    """
    page, wrong = opened(browser, PHONE, "dark")
    for path in sorted((built[0] / "site").glob("*.html")):
        check_that_it_fits_and_can_be_read(page, path)
    assert wrong == []


# One page of each kind: all have the colours of one style sheet.
READ = ("index", "processors", "published_tables_ibm_330", "claims_audit", "explore", "gallery", "search", "run_it",
        "reference_fitting")  # fmt: skip


def check_that_it_fits_and_can_be_read(page, path):
    """Open it on a phone in the dark, then widen it to a desk in the light, as a reader may."""
    for width, scheme in ((PHONE, "dark"), (1200, "light")):
        page.set_viewport_size({"width": width, "height": 900})
        if width == PHONE:
            page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path.name
        if path.stem in READ:
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
            assert page.evaluate(_CONTRAST) > 4.5, path.name


# The least contrast of a table's cells and headings with the ground behind them (WCAG 2).
_CONTRAST = """() => {
  const parts = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const found = parts(getComputedStyle(node).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const contrast = (node) => {
    const [a, b] = [light(parts(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const shown = [...document.querySelectorAll("article :is(td, th, th button, p, h1)")].slice(0, 400);
  return Math.min(...shown.map(contrast));
}"""


def test_code_is_shown_on_request_and_pictures_are_told(built, browser):
    """A picture has a text for who cannot see it; the notebook's code is a click away."""
    page, wrong = opened(browser, 1200)
    page.goto((built[0] / "site" / "processors.html").as_uri())
    pictures = page.locator("figure[id^=picture]")
    assert pictures.count() == 4
    assert all(pictures.nth(k).get_attribute("aria-label") for k in range(4))
    assert not page.locator("div.cell_input").first.is_visible()
    page.check("#code")
    assert page.locator("div.cell_input").first.is_visible()
    assert "dominoperf report processors" in page.locator("footer").last.inner_text()
    assert wrong == []


@pytest.fixture
def hostile(folder, monkeypatch, tmp_path, small_site):
    """The site of a user's folder whose titles are markup."""
    package = read_package(folder) | {"title": HOSTILE}
    package["resources"][0] |= {"title": HOSTILE, "notes": [HOSTILE]}
    write_package(folder, package)
    (folder / "runs.csv").write_text('system,users,unit\n"{{ 7*7 }} $x$ <b>",1,user\n', encoding="utf-8")
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    shown = {"text/html": table_pages("mine")._repr_html_(), "text/plain": HOSTILE}
    path = write_executed(tmp_path / "one.ipynb", "# A question\n\nProse.", "## The tables", shown)
    run = reports.NotebookRun("published_tables_mine", "01_published_tables", {"source": "mine"})
    site.build_site([(run, path)], tmp_path / "out" / "site")
    return tmp_path / "out" / "site"


def test_titles_from_data_are_text(hostile):
    """Wherever they stand: headings, lists of pages, tables, the head of the page; to the letter, and never run."""
    for name, times in (("index.html", 2), ("published_tables_mine.html", 3)):
        text = read(hostile / name)
        assert "<script>alert" not in text
        assert "<math" not in text
        assert html.unescape(re.sub(r"<[^>]+>", "", text)).count(HOSTILE) >= times, name
    page = read(hostile / "published_tables_mine.html")
    assert re.search(r"<h1>(.*?)<a", page, re.DOTALL)[1] == html.escape(HOSTILE, quote=False).replace('"', "&quot;")
    assert "{{ 7*7 }} $x$ &lt;b&gt;" in page


@pytest.mark.usefixtures("small_site")
def test_formulas_need_no_script(tmp_path):
    """Of a notebook's prose; a price is none."""
    cells = ("# Formulas", "Inline $x^2$, prices $13.22 and $17.37.", "$$\ny = \\frac{1}{n}\n$$")
    run = reports.NotebookRun("formulas", "20_processors", {})
    site.build_site([(run, write_executed(tmp_path / "one.ipynb", *cells))], tmp_path / "site")
    page = read(tmp_path / "site" / "formulas.html")
    assert page.count("<math") == 2
    assert page.count("<div") == page.count("</div>")
    assert "<mfrac>" in page
    assert "$13.22 and $17.37" in page
    assert "MathJax" not in page


def test_what_speaks_of_the_notebook_is_left_out(tmp_path):
    """Cells tagged so, and the state of widgets, which would be looked for elsewhere."""
    path = write_executed(tmp_path / "one.ipynb", "# Title", "Only here.", "Stays.")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["tags"] = [site.NOTEBOOK_ONLY]
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    page = site.page_of_run(reports.NotebookRun("one", "20_processors", {}), notebook, {})
    assert [cell.source for cell in page.cells] == ["# Title", "Stays."]
    assert "widgets" not in page.metadata


def test_the_answer_and_the_first_picture_stand_below_the_question(tmp_path):
    """Their outputs once, their code where it was, and no heading over nothing; without an answer all stays as it is.

    Of the sections all but the first and the last are closed.
    """
    given, table = {"text/markdown": "42 users."}, {"text/plain": "a table"}
    drawn = {"text/html": '<figure role="img" aria-label="Users rise"><svg viewBox="0 0 9 9"></svg></figure>'}
    texts = ["# Title\n\nWhy it matters.", "## A table", table, "## More\n\nWords.", drawn, "## The answer", given]
    path = write_executed(tmp_path / "one.ipynb", *texts, "## End")
    notebook = nbformat.read(path, as_version=4)
    whole = site.page_of_run(reports.NotebookRun("one", "20_processors", {}), notebook, {})
    assert [cell.source for cell in whole.cells][1::2] == ["## A table", texts[3], "## The answer", "## End"]
    notebook.cells[6].metadata["tags"] = [site.FINDING]
    page = site.page_of_run(reports.NotebookRun("one", "20_processors", {}), notebook, {})
    prose = [cell.source for cell in page.cells if cell.cell_type == "markdown"]
    assert prose == ["# Title", "\nWhy it matters.", "## A table", "## More\n\n% folded\n\nWords.", "## End"]
    answer, *rest = [[output.data for output in cell.outputs] for cell in page.cells if cell.cell_type == "code"]
    assert answer[0] == given
    assert 'id="picture-1"' in answer[1]["text/html"]
    assert rest == [[table], [], []]


def test_the_list_of_pages_has_the_groups_of_the_run_list(tmp_path):
    """In the order of their first runs, the handbook last."""
    runs = [
        reports.NotebookRun(name, "20_processors", {}, group=group) for name, group in zip("abc", "xyx", strict=True)
    ]
    groups = site.template_context([(run, tmp_path / run.name) for run in runs])["page_groups"]
    assert [heading for heading, _ in groups] == ["x", "y", "Handbook"]
    assert [name for name, _ in groups[0][1]] == ["a", "c"]
    assert {run.group for run in reports.runs()} >= {"Documents", "Planning"}


@pytest.mark.parametrize("parameters", [{}, {"n": 5}])
def test_a_page_has_the_prose_of_its_source(tmp_path, parameters):
    """Among the outputs of its code: what comes out is what papermill gives. Other code leaves what was executed."""
    source = write_notebook(tmp_path / "10_one.ipynb", "n + 1", "print(n)")
    notebook = nbformat.read(source, as_version=4)
    for at in (0, 2, 4):
        notebook.cells.insert(at, nbformat.v4.new_markdown_cell(f"Words {at}."))
    source.write_text(nbformat.writes(notebook), encoding="utf-8")
    before, run = prepared(source, parameters), reports.NotebookRun("one", str(source), parameters)
    notebook.cells[2].source = "Other words."
    notebook.cells.insert(3, nbformat.v4.new_markdown_cell("A cell more."))
    del notebook.cells[0]
    source.write_text(nbformat.writes(notebook), encoding="utf-8")
    told = cells_of(site.executed_with_new_prose(run, copy.deepcopy(before)))
    assert told == cells_of(prepared(source, parameters))
    assert len(told) == 6 + bool(parameters)
    notebook.cells[-1].source = "n + 2"
    source.write_text(nbformat.writes(notebook), encoding="utf-8")
    assert cells_of(site.executed_with_new_prose(run, copy.deepcopy(before))) == cells_of(before)


def prepared(source, parameters):
    """The notebook as papermill prepares it for a run, with an output of each of its cells of code as if it had run."""
    made = papermill.execute_notebook(str(source), None, parameters, prepare_only=True, progress_bar=False)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs = [nbformat.v4.new_output("stream", text=f"what {cell.source} says")]
    return made


def cells_of(notebook):
    """What a reader sees of every cell of an executed notebook."""
    return [
        (cell.cell_type, cell.source, [*cell.metadata.get("tags", [])], cell.get("outputs")) for cell in notebook.cells
    ]


def test_links_between_notebooks_lead_to_their_pages(tmp_path):
    """To the first page where a notebook has one for each document; the words alone where there is no page."""
    text = "[one](20_processors.ipynb), [each](01_published_tables.ipynb), [none](40_disk.ipynb), [far](https://a.b/c)."
    path = write_executed(tmp_path / "one.ipynb", "# Title", text)
    runs = [reports.NotebookRun("processors", "20_processors", {})]
    runs += [reports.NotebookRun(f"tables_{name}", "01_published_tables", {"source": name}) for name in ("a", "b")]
    page = site.page_of_run(runs[0], nbformat.read(path, as_version=4), site.page_of_notebook(runs))
    assert page.cells[1].source == "[one](processors.ipynb), [each](index.ipynb), none, [far](https://a.b/c)."


@pytest.mark.usefixtures("small_site")
def test_a_failing_build_makes_no_site(tmp_path, monkeypatch):
    """Sphinx's error is one message, and nothing is left beside it."""
    pages = [(reports.NotebookRun("one", "20_processors", {}), write_executed(tmp_path / "one.ipynb", "# One"))]
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "conf.py").write_text("1 / 0\n")
    monkeypatch.setattr(site, "CONFIGURATION", broken)
    with pytest.raises(ReportFailed, match="Sphinx"):
        site.build_site(pages, tmp_path / "site")
    assert {path.name for path in tmp_path.iterdir()} == {"one.ipynb", "broken"}


def test_an_interval_shares_a_cell_and_says_which_end_is_unknown():
    ends = [("-1", "2"), ("3", ""), ("", "4"), ("", "")]
    rows = "".join(
        f'<tr><td>a</td><td class="number">{low}</td><td class="number">{high}</td></tr>' for low, high in ends
    )
    head = '<tr><th>Law</th><th data-name="low">Low</th><th data-name="high">High</th></tr>'
    table = re.fullmatch(r"<table\b([^>]*)>(.*?)</table>", f"<table>{head}{rows}</table>", re.DOTALL)
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", page_html.table_that_fits(table))
    assert cells == ["Law", "Low to high", "a", "\N{MINUS SIGN}1 to 2", "a", "3 or more", "a", "4 or less", "a", ""]


def test_what_stands_before_a_section_stays():
    """Sections of an output become the page's, after the words before them."""
    from docutils import nodes, utils

    output = nodes.container(
        "", nodes.raw("", '<p>Before</p><section id="a/b"><h3>A &amp; b</h3><p>In</p></section>', format="html")
    )
    document = utils.new_document("page")
    document += nodes.section("", nodes.title("", "T"), output, nodes.paragraph("", "after"))
    page_html.divide_into_sections(None, document)
    top = document.children[0]
    assert [type(child).__name__ for child in top.children] == ["title", "container", "section", "paragraph"]
    assert output.astext() == "<p>Before</p>"
    assert (top.children[2]["ids"], top.children[2].children[0].astext()) == (["a/b"], "A & b")
    assert top.children[2].children[1].astext() == "<p>In</p>"


def test_the_first_page_counts_cells_by_how_they_were_come_by(tmp_path, facts):
    """Of each document whose page has saved the counts; without any there is no such column."""
    (run,) = [run for run in reports.runs() if run.parameters.get("source") == "ibm_330"]
    pages = [(run, tmp_path / "executed.ipynb")]
    read = [(run, nbformat.read(write_executed(pages[0][1], "# Question", {}), 4))]

    def page():
        made = front_page.front_page_notebook(read, facts, kinds=front_page.kinds_of_cells(pages))
        return str(made.cells[1].outputs[0])

    assert "Cells by what regenerates them" not in page()
    rows = "source,how,cells\nibm_330,arithmetic,19\nibm_330,law,2\nibm_330,predicted,3\nibm_330,copied,1657\n"
    (tmp_path / "regenerated_ibm_330.csv").write_text(rows)
    counts = "arithmetic 19<br>law 2<br>predicted 3<br>copied 1,657"
    assert f'<td class="number" data-head="Cells by what regenerates them">{counts}</td>' in page()


def test_the_first_page_tells_own_data_from_the_reports_of_vendors(tmp_path, folder, facts, monkeypatch):
    """Neither are they one of the vendors' reports, nor is there a box whose list is empty."""
    counts = dict.fromkeys(
        ("tables", "figures", "cells"), 0
    )  # which no sentence here has, and claims take long to audit
    row = lambda source, _: document_of(source) | counts | {"source": source, "verdicts": []}  # noqa: E731
    monkeypatch.setattr(front_page, "row_of_document", row)
    run = reports.NotebookRun("published_tables_mine", "01_published_tables", {"source": "mine"})
    read = [(run, nbformat.read(write_executed(tmp_path / "one.ipynb", "# A question", {}), 4))]

    def page(known):
        return str(front_page.front_page_notebook(read, known).cells[1].outputs[0])

    vendors = len(sources())
    assert "Data of your own" not in page(facts)
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    text = page(front_page.facts_of_data(lambda: None))
    assert f"every table of {vendors} of their reports" in text
    assert f"Data of your own are in these pages and their counts too: {document_of('mine')['title']}." in text
    assert "Ask in the page" not in text
