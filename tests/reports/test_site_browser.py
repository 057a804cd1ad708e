"""The site as a reader meets it: rules of accessibility, keyboard, phone, theme, paper."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import opened
from test_site import pages_in

from dominoperf import capacity
from dominoperf.reports import handbook

PHONE = 390
NO_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}  # for large pages: slow, and checked in test_site


def address(built, name):
    return (built[0] / "site" / name).as_uri()


def found(page, options=None):
    """What axe-core finds on a page, in words."""
    few = {"preload": False, "resultTypes": ["violations"]}  # of rules that are kept not every place is listed
    said = Axe().run(page, options=few | (options or {})).response["violations"]
    return [f"{each['impact']} {each['id']}: {each['nodes'][0]['html'][:200]}" for each in said]


def test_no_rule_of_accessibility_is_broken(built, browser):
    """By axe-core, of any weight, on one page of each kind; the phone's list of pages open as well.

    The first page and the explore page are judged below, once they have answered.
    """
    page, wrong = opened(browser, 1200, "light")
    page.goto(address(built, "handbook/load_tests.html"))
    assert found(page) == []
    page, wrong = opened(browser, PHONE, "dark")
    page.goto(address(built, "search.html") + "?q=Drive+spindle+comparison")
    page.locator("#search-results a").first.wait_for()
    assert found(page) == []
    page.goto(address(built, "handbook/cite.html"))
    page.click("button.primary-toggle")
    assert found(page) == []
    assert wrong == []


@pytest.mark.parametrize("name", ["processors.html", "published_tables_ibm_330.html"])
def test_no_rule_is_broken_on_large_pages(built, browser, name):
    """On a phone, where tables scroll, and on a desk."""
    page, _ = opened(browser, PHONE)
    page.goto(address(built, name))
    assert found(page, NO_COLOURS) == []


def test_a_link_to_a_closed_section_opens_it(built, browser):
    """Before it, the section is closed and what is in it takes no room; from the contents of the page too."""
    page, wrong = opened(browser, 1440)
    page.goto(address(built, "processors.html"))
    section = page.locator("section.folded").first
    assert section.locator("table").first.is_hidden()
    name = section.get_attribute("id")
    page.click(f".bd-sidebar-secondary a[href='#{name}']")
    assert section.locator("table").first.is_visible()
    page.goto(address(built, "claims_audit.html") + "?verdict=contradicted")
    assert page.locator("form.filter").is_visible()
    assert wrong == []


def test_the_keyboard_reaches_everything(built, browser):
    """First the way past the lists; what scrolls takes the focus, has a name, shows where the focus is, and scrolls."""
    page, wrong = opened(browser, PHONE)
    page.goto(address(built, "published_tables_ibm_330.html"))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to main content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main-content"
    loose = """() => [...document.querySelectorAll('article *')].filter((part) =>
      part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX === 'auto'
      && !(part.tabIndex === 0 && part.getAttribute('aria-label'))).map((part) => part.outerHTML.slice(0, 120))"""
    assert page.evaluate(loose) == []
    first = page.locator('article [tabindex="0"]').first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    assert "solid" in first.evaluate("part => getComputedStyle(part).outlineStyle")
    assert wrong == []


def test_headings_come_in_order(built):
    """One of the first rank, and none below one that is missing."""
    for path in pages_in(built[0] / "site"):
        text = path.read_text(encoding="utf-8")
        ranks = [int(rank) for rank in re.findall(r"<h([1-6])", text.partition("<main")[2].partition("</main>")[0])]
        assert ranks.count(1) == 1, path.name
        assert all(b <= a + 1 for a, b in zip([0, *ranks], ranks, strict=False)), path.name
        assert text.count("<main") == 1


def test_the_theme_stays_when_the_page_changes(built, browser):
    """Chosen by a click; dark pages follow, until it is chosen again."""
    page, wrong = opened(browser, 1200, "light")
    page.goto(address(built, "index.html"))
    shown = lambda: page.evaluate("document.documentElement.dataset.theme")  # noqa: E731
    choose = lambda mode: (  # noqa: E731
        page.click("button.theme-switch-button, .theme-switch-container button"),
        page.click(f'[data-mode="{mode}"]:visible'),
    )
    other = page.context.new_page()  # no page of the site, whose script would write the mode, too
    other.goto(address(built, "_static/site.css"))
    # Chromium hands what a page keeps to other processes some time later, and the next page may have one of its own.
    until_kept = lambda mode: other.wait_for_function(f"localStorage.mode === '{mode}'")  # noqa: E731
    assert shown() == "light"
    choose("dark")
    assert shown() == "dark"
    until_kept("dark")
    page.click("nav.pages >> text=All pictures")
    page.wait_for_url("**/gallery.html")  # until it is loaded: its head sets the theme
    assert shown() == "dark"
    choose("light")
    assert shown() == "light"
    assert wrong == []


def test_a_phone_reaches_every_page(built, browser):
    """By a button with a name, which opens the list of pages over the page; from there to the sections of one."""
    page, wrong = opened(browser, PHONE)
    page.goto(address(built, "index.html"))
    pages = page.locator("nav.pages a")
    assert not pages.first.is_visible()
    button = page.locator("button.primary-toggle")
    assert button.get_attribute("aria-label")
    button.press("Enter")
    links = page.locator("nav.pages a:visible")
    others = len(list((built[0] / "site").glob("*.html"))) - 1  # all but the search
    assert links.count() == others + len(handbook.LISTED)
    links.filter(has_text="All pictures").click()
    page.wait_for_url("**/gallery.html")
    page.click("button.primary-toggle")
    page.click("nav.page-toc a:visible >> text=How much does a second processor buy?")
    page.wait_for_url("**/gallery.html#processors")
    assert wrong == []


def test_a_phone_shows_the_narrow_picture(built, browser):
    """Its words are at least 11 pixels high; a desk shows the wide one; one is shown at a time."""
    for width, kind in ((PHONE, "half"), (1200, "")):
        page, _ = opened(browser, width)
        page.goto(address(built, "disk.html"))
        page.eval_on_selector_all("section.folded > details", "all => all.forEach((each) => { each.open = true; })")
        shown = page.locator("article figure svg:visible")
        assert shown.count() == 4
        assert shown.evaluate_all("all => all.map((each) => each.getAttribute('class') ?? '')") == [kind] * 4
        assert all(size["width"] <= width for size in [shown.nth(k).bounding_box() for k in range(3)])


def test_no_heading_on_a_card_is_cut(built, browser):
    """On a phone, where a table with texts becomes cards, a heading that is too long goes on in the next line."""
    page, _ = opened(browser, PHONE)
    page.goto(address(built, "capacity.html"))
    heads = page.locator("article table.cards td[data-head]:visible")
    assert heads.count() > 0
    cut = "cells => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.dataset.head)"
    assert heads.evaluate_all(cut) == []


def test_the_handbook_on_a_phone(built, browser):
    """The name of a row is above its card, also where it is a heading. References wrap, a terminal's columns do not."""
    page, _ = opened(browser, PHONE)
    page.goto(address(built, "handbook/data.html"))
    names = page.locator("article table.cards tbody tr > :first-child")
    assert names.first.evaluate("cell => cell.tagName") == "TH"
    assert names.evaluate_all("all => all.every((cell) => cell.offsetWidth === cell.parentElement.clientWidth)")
    page.goto(address(built, "handbook/cite.html"))
    assert page.locator("article pre").evaluate_all("all => all.every((each) => each.scrollWidth <= each.clientWidth)")
    page.goto(address(built, "handbook/load_tests.html"))
    printed = page.locator("div.highlight-text pre").first
    height = printed.evaluate("each => each.clientHeight")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert printed.evaluate("each => each.clientHeight") == height


def test_a_phone_searches_and_filters(built, browser):
    """A table is found by its title; claims are chosen by verdict; no page grows wider than the phone."""
    page, wrong = opened(browser, PHONE)
    page.goto(address(built, "index.html"))
    page.locator("button.search-button, .search-button-field").locator("visible=true").first.click()
    page.locator("input[type=search]:visible").fill("Drive spindle comparison")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=**")
    link = page.locator('#search-results a[href$="#compaq_domino45/table_3_4"]').first
    link.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    page.goto(address(built, "claims_audit.html"))
    page.get_by_role("heading", name="Every claim").click()
    page.locator("select[name=verdict]").select_option("contradicted")
    assert page.locator("div.claims tbody tr:visible").count() == 50
    claim = page.locator("div.claims tbody tr:visible td:nth-child(2)").first
    assert claim.bounding_box()["width"] > PHONE * 0.4  # some words beside each other
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert wrong == []


def test_the_gallery_leads_to_its_pictures_by_keyboard(built, browser):
    """A picture's link has a name and leads to its place."""
    page, wrong = opened(browser, 1200)
    page.goto(address(built, "gallery.html"))
    item = page.locator("#processors ul.gallery > li").first
    picture = item.locator("a img")
    assert item.get_by_role("link", name=picture.get_attribute("alt")).count() >= 1
    item.locator("a").first.press("Enter")
    page.wait_for_url("**/processors.html#picture-1")
    assert page.locator("#picture-1").bounding_box()["y"] < 900
    assert wrong == []


HIDDEN_ON_PAPER = (
    ".bd-header",
    ".bd-sidebar-primary",
    "form.filter",
    ".show-code",
    ".headerlink",
    ".theme-switch-button",
)


@pytest.mark.parametrize("name", ["processors.html", "published_tables_ibm_330.html", "claims_audit.html"])
def test_on_paper(built, browser, name):
    """Nothing to click, on white though the theme is dark; tables end within the page; the checksum at the foot."""
    page, wrong = opened(browser, 750, "dark")  # a page of A4 within its margins
    page.goto(address(built, name))
    page.emulate_media(media="print", color_scheme="dark")
    for part in HIDDEN_ON_PAPER:
        assert page.locator(f"{part}:visible").count() == 0, part
    assert page.locator("article :is(h1, p):visible").count() >= 2
    assert page.evaluate("getComputedStyle(document.querySelector('article h1')).color") == "rgb(0, 0, 0)"
    assert page.evaluate("getComputedStyle(document.querySelector('.bd-main')).backgroundColor") == "rgb(255, 255, 255)"
    right = page.locator("article table:visible").evaluate_all("all => all.map((t) => t.getBoundingClientRect().right)")
    assert max(right, default=0) <= 750
    assert "checksum of the data" in page.locator("footer:visible").last.inner_text()
    assert wrong == []


def test_what_is_folded_is_open_on_paper(built, browser):
    """While it is printed, and folded again afterwards."""
    page, _ = opened(browser, 1200)
    page.goto(address(built, "gallery.html"))
    count = lambda: page.locator("article details[open]").count()  # noqa: E731
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert count() == page.locator("article details").count() > 25
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert count() == 0


def test_a_picture_answers_a_pointer(built, browser):
    """In the place of the still one, which paper keeps: a mark is named, tells its run, leads to its printed row."""
    page, wrong = opened(browser, PHONE, "dark")
    page.goto(address(built, "index.html"))
    page.evaluate(
        """window.moved = 0; new PerformanceObserver((list) => {
        list.getEntries().forEach((each) => { window.moved += each.value; });
        }).observe({ type: "layout-shift", buffered: true })"""
    )
    figure = page.locator("#loads figure.drawn")
    marks = figure.locator(".chart [aria-roledescription=point]")
    marks.first.wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("window.moved") < 0.05
    assert marks.count() == 75
    assert not figure.locator(":scope > svg").locator("visible=true").count()
    assert figure.evaluate("each => each.scrollWidth <= each.clientWidth && each.scrollHeight <= each.clientHeight + 1")
    mark = figure.locator(".chart [aria-label^='PC Server 330 (1997), Mail, users 2,200.']").first
    mark.hover()
    tip = page.locator("main #vg-tooltip-element.visible")
    tip.get_by_text("PC Server 330 (1997), Mail, users 2,200.").wait_for()
    at = mark.bounding_box()
    for x in (at["x"] + 1, at["x"] + at["width"] - 1):
        page.mouse.move(x, at["y"] + at["height"] / 2)
        box = tip.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE
    assert found(page) == []
    figure.locator("summary").focus()
    page.keyboard.press("Enter")
    figure.locator("td").first.wait_for()
    assert figure.locator("td a[href*='.html']").count() == figure.locator("td").count() == 75
    page.emulate_media(media="print")
    assert figure.locator(":scope > svg").locator("visible=true").count() == 1
    assert not figure.locator(".pointer").is_visible()
    page.emulate_media(media="screen")
    mark.click()
    page.wait_for_url("**/published_tables_ibm_330.html#**")
    assert wrong == []


def test_every_picture_for_a_pointer_is_drawn(built, browser):
    """Once its section is open; a cell of the claims asks the list for what it counts; no page fetches anything."""
    page, wrong = opened(browser, 1440)
    for name, count in (("processors", 2), ("price", 1), ("choice_and_risk", 1), ("utilization_and_response", 2),
                        ("workloads", 1), ("claims_audit", 1)):  # fmt: skip
        page.goto(address(built, f"{name}.html"))
        page.eval_on_selector_all("section.folded > details", "all => all.forEach((each) => { each.open = true; })")
        pictures = page.locator("article figure:has(> script)")
        assert pictures.count() == count, name
        for k in range(count):
            pictures.nth(k).scroll_into_view_if_needed()
            pictures.nth(k).locator(".chart [role=graphics-symbol]").first.wait_for()
            assert "drawn" in pictures.nth(k).get_attribute("class")
    cell = page.locator(".chart [aria-label^='price, contradicted: ']")
    count = cell.get_attribute("aria-label").split()[2]
    cell.click()
    page.wait_for_url("**/claims_audit.html?topic=price&verdict=contradicted")
    assert page.locator("form.filter output").inner_text().startswith(f"{count} of ")
    assert wrong == []


def test_without_scripts_the_still_picture_stands(built, browser):
    """As it is printed."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1200, "height": 900})
    page = context.new_page()
    page.goto(address(built, "index.html"))
    assert page.locator("#loads figure > svg >> visible=true").count() == 1
    context.close()


def test_the_explore_page_answers_by_itself(built, browser):
    """Three panels drawn without a server; a choice changes answer, numbers and address, which gives it again."""
    page, wrong = opened(browser, PHONE, "dark")
    page.goto(address(built, "explore.html"))
    for name in ("fit", "capacity", "plan"):
        page.locator(f"#panel-{name} .drawing svg [role=graphics-symbol]").first.wait_for()
    said = page.locator("#panel-fit .said")
    assert "NotesBench users = 3,762 (95 % interval 3,700 to 3,826, if the law holds)" in said.inner_text()
    assert "; 95 % intervals, if the law" in page.locator("#panel-fit .more").inner_text()
    machine = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 4}
    machine |= {"processor_family": "Pentium Pro", "operating_system": "Windows NT"}
    users = capacity(machine, "Mail").headline().partition(" ")[0]  # as the command says it
    answer = page.locator("#panel-capacity .said").inner_text()
    assert f"512 MB, 4 data drives of 9.1 GB: {users} Mail users" in answer
    assert found(page) == []
    page.locator("#panel-fit [name=point]").nth(1).focus()
    page.keyboard.press("Space")
    page.locator("#panel-fit select[name=level]").select_option("80")
    page.locator("#panel-fit select[name=axes]").select_option("log")
    assert "3,762" not in said.inner_text()
    kept, words = page.evaluate("location.hash"), said.inner_text()
    assert "panel=fit&series=smp_mail&law=amdahl&level=80&axes=log" in kept
    page.locator("#panel-fit .numbers summary").click()
    row = page.locator("#panel-fit .numbers tbody tr").nth(1)
    assert row.locator("td").nth(4).inner_text() == "no"
    assert row.locator("a").get_attribute("href").startswith("published_tables_compaq_domino45.html#")
    page.goto("about:blank")
    page.goto(address(built, "explore.html") + kept)
    page.wait_for_function("document.querySelector('#panel-fit .said').textContent !== ''")
    assert said.inner_text() == words
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE
    assert wrong == []


def test_an_address_of_the_explore_page_holds_values_alone(built, browser):
    """What no control offers is ignored."""
    page, wrong = opened(browser, 1440)
    page.goto(address(built, "explore.html") + "#panel=fit&series=<img src=x onerror=alert(1)>&law=constructor&level=7")
    page.locator("#panel-fit .drawing svg").wait_for()
    assert "3,762" in page.locator("#panel-fit .said").inner_text()
    page.goto(address(built, "explore.html") + "#panel=__proto__&series=smp_discdb")
    assert "3,762" in page.locator("#panel-fit .said").inner_text()
    assert wrong == []


@pytest.mark.parametrize("name", ["claims_audit.html", "explore.html"])
def test_a_long_page_prints_on_few_sheets(built, browser, name):
    """At most twenty of A4: a list in pieces stands there with the piece that is open."""
    page, _ = opened(browser, 1200)
    page.goto(address(built, name))
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "15mm")
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", margin=margin)))
    assert 2 < sheets <= 20
