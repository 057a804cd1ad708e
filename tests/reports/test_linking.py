"""Links both ways: from a place to the printed row; from a row to the pages, claims and errata that use it."""

import functools
import json
import re

import pandas as pd

from dominoperf import machines, reports, runs, study, tables
from dominoperf.reports import linking
from dominoperf.reports.linking import LocatorLinks
from dominoperf.reports.notebooks import NotebookRun
from dominoperf.study import audit, changes, paired_runs, recompute, release_migration, workload_scripts
from dominoperf.study.recompute.consequences import raid_consequences, reader_consequences
from dominoperf.tables import errata, load, loading
from dominoperf.tables.loading import erratum_name

DOCUMENT = NotebookRun("doc", "01_published_tables", {"source": "compaq_domino45"})
RUNS = [
    DOCUMENT,
    NotebookRun("claims", "80_claims_audit", {}),
    NotebookRun("errata", "81_errata", {}),
    NotebookRun("price", "60_price", {}),
]
MAIL = "compaq_domino45/a_mail"
ROW = f"{MAIL}:row1"


@functools.cache
def links():
    """The links of these runs."""
    return LocatorLinks(RUNS, {run.notebook: run.name for run in RUNS})


def test_a_row_knows_its_claims_errata_and_pages():
    """Each once; a page that shows its place, not the document's own; what touches another row is not there."""
    page = f'<a href="doc.html#{ROW}">1998</a><a href="doc.html#{ROW}">again</a>'
    used = linking.collect_row_uses([(RUNS[3], page), (DOCUMENT, page)], links())[ROW]
    assert [user for user in used if user[0] == "page"] == [("page", RUNS[3].title, "price.html")]
    wanted = {
        f"claims.html#claim-{claim.source}-{claim.id}"
        for claim in audit.claims()
        for cells in claim.inputs
        if cells.table == "compaq_domino45/a_mail" and (not cells.rows or 1 in cells.rows)
    }
    assert {href for kind, _, href in used if kind == "claim"} == wanted
    assert len(wanted) > 3
    rows = errata().query("source == 'compaq_domino45' and table == 'a_mail' and row == 1")
    wanted = {f"errata.html#{erratum_name(row.source, row.mistake)}" for row in rows.itertuples()}
    assert {href for kind, _, href in used if kind == "erratum"} == wanted
    assert len(used) == len(set(used))


def test_a_claim_about_a_whole_column_is_at_every_row():
    """An input without rows stands for all of them."""
    claim, table = next((c.id, i.table) for c in audit.claims() for i in c.inputs if i.table and not i.rows)
    used = linking.collect_row_uses([], links())
    for row in range(1, len(load(table, "printed")) + 1):
        assert any(href.endswith(f"-{claim}") for _, _, href in used[f"{table}:row{row}"])


def test_the_page_says_how_often_and_the_script_by_what():
    """A row that nothing uses says nothing; a page without printed rows loads no script."""
    used = {"d/t:row1": [("page", "A", "a.html"), ("claim", "B", "c.html#b")], "d/t:row2": [("page", "A", "a.html")]}
    row = '<tr id="d/t:row{}"><td>1</td><td class="place" style="">page 1</td></tr>'
    made = linking.table_with_use_counts("".join(map(row.format, (1, 2, 3))), used)
    assert re.findall(r"used [\w ]+", made) == ["used 2 times", "used once"]
    assert made.endswith('<script defer src="uses.js"></script>')
    assert linking.table_with_use_counts("<p>none</p>", used) == "<p>none</p>"
    data = json.loads(re.fullmatch(r"usesData\((.*)\);\n", linking.uses_script(used))[1])
    assert [data["users"][number][1] for number in data["rows"]["d/t:row1"]] == ["A", "B"]
    assert len(data["users"]) == 2


def test_a_place_leads_to_the_row_of_the_printed_table():
    """With or without the document before it, each of several; what is no place of a row stays text."""
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    leads = linking.LocatorLinks([run], {"01_published_tables": "index"})
    short, full = loading.locators_within_document(MAIL), tables.locators(MAIL)
    cells = "".join(f'<td class="locator">{text}</td>' for text in (f"{short[1]}; {full[4]}; page 9", "a &lt;b&gt;"))
    page = leads.linked(cells)
    for row in (2, 5):
        assert f'href="{run.name}.html#{MAIL}:row{row}"' in page
        assert f'<tr id="{MAIL}:row{row}"' in tables.show(MAIL)._repr_html_()
    # The year for the title of the document, no id of our table: both are shown over it.
    assert f'title="{full[4]}: Windows NT, Mail, audited">1998, Appendix A, page A-1, row 5</a>' in page
    assert f'title="{short[1]}: Windows NT, Mail, audited">Appendix A, page A-1, row 2</a>' in page
    assert "; page 9</td>" in page
    assert "a &lt;b&gt;</td>" in page
    origin = leads.linked(f'<span data-origin="{MAIL}">x &amp; y</span><span data-origin="claims">c</span>')
    assert origin == f'<a href="{run.name}.html#{MAIL}">x &amp; y</a>c'
    for rows, words in (((1, 4), "rows"), ((1,), "row")):  # of many rows the table alone
        places = "; ".join(full[row - 1] for row in rows)
        origin = leads.linked(f'<span data-origin="{MAIL}" data-locators="{places}">x</span>')
        listed = ", ".join(f'<a href="{run.name}.html#{MAIL}:row{row}">{row}</a>' for row in rows)
        assert origin == f'<a href="{run.name}.html#{MAIL}">x</a>, {words} {listed}'
    many = leads.linked(f'<span data-origin="{MAIL}" data-locators="{"; ".join(full[:7] * 2)}">x</span>')
    assert many == f'<a href="{run.name}.html#{MAIL}">x</a>'
    saved = LocatorLinks([run], {}, {"runs": "price.html#table-2"})
    origins = '<span data-origin="runs">r</span><span data-origin="rules.toml">t</span>'
    assert saved.linked(origins) == (
        '<a href="price.html#table-2">r</a><a href="handbook/methods.html#planning-rules">t</a>'
    )


def test_a_place_that_is_no_row_leads_to_its_table_or_document():
    """A column of a row to the row, a caption or page to the table, another page to the document."""
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    leads, title = linking.LocatorLinks([run], {}), tables.document("compaq_domino45")["title"]
    for place, anchor in (
        (f"{tables.locators(MAIL)[1]}, column users", f"#{MAIL}:row2"),
        (f"{title}, Table 4-6, page 4-18/4-19", "#compaq_domino45/table_4_6"),
        (f"{title}, page 2-8/2-9", ""),
        ("page 2-8/2-9", None),
    ):
        assert leads.of_place(place) == ("" if anchor is None else f"{run.name}.html{anchor}")


def test_a_reader_sees_names_for_ids():
    """Of a run, a table, a series in a sentence, a document over a column; what a document prints stays as it is."""
    cell = lambda id: f"<table><td>{id}</td></table>"  # noqa: E731
    link = '<table><td><a href="doc.html#{}" title="{}">1998, Windows NT, Mail, audited{}</a></td></table>'
    for part, anchor, words in (("", "", ""), ("#3", ":row3", ", row 3"), ("#users_p2", "", ", users p2")):
        assert links().linked(cell(MAIL + part)) == link.format(MAIL + anchor, MAIL + part, words)
    named = '<span title="smp_mail">Mail users by processors</span>'
    assert links().linked(cell("the law of smp_mail")) == cell(f"the law of {named}")
    for other in ("compaq_domino45/none", "a of compaq_domino45/a_mail", "/smp_mail.csv", "P5/100"):
        assert links().linked(cell(other)) == cell(other)
    printed = f'<table><td>{MAIL}</td><td>smp_mail</td><td class="place">page 1</td></table>'
    assert links().linked(printed) == printed
    head = links().linked('<th scope="col">compaq_<wbr>domino45</th>')
    assert head == '<th scope="col" title="compaq_domino45">1998</th>'


def test_a_place_of_a_list_has_the_short_name_of_its_document():
    """It leads to the table of that place, else to the document; outside the site it is text."""
    group = audit.errata_groups().head(1).assign(source="compaq_domino45")
    for locator, anchor in (("Table 4-6, page 4-18/4-19", "#compaq_domino45/table_4_6"), ("page 2-8/2-9", "")):
        shown = study.PageList("errata", group.assign(locator=locator))._repr_html_()
        place = re.search(r"<span data-place=.*?</span>", shown)[0]
        assert links().linked(place) == f'<a href="doc.html{anchor}">1998 Compaq TechNote, {locator}</a>'
        assert LocatorLinks([], {}).linked(place) == f"1998 Compaq TechNote, {locator}"


def test_every_place_of_a_page_is_full_and_leads_somewhere():
    """A reader of one row of a table knows its document, and the page links it: memory, disk, workloads, case study."""
    plans = recompute.PlanComparison(recompute.case_request(light_mail=900))
    tables_of_pages = [
        *(changes.response_by_memory(), runs.benchmarks()),
        *(changes.drive_percentages(), changes.stated_ratios(), changes.capacity_shares(), changes.table_ratios(MAIL)),
        *(
            release_migration.missing_points(),
            release_migration.release_points(),
            workload_scripts.script_share(),
            study.workloads(),
        ),
        *(machines.censored(), machines.demand(), machines.proportionality()),
        machines.paired_ratios(paired_runs.peak_loads()).tidy(),  # without a place where neither load is printed
        *(plans.constants(), plans.differing(), raid_consequences(), reader_consequences()),
    ]
    leads = linking.LocatorLinks(reports.runs(), {})
    titles = tuple(tables.document(source)["title"] for source in tables.sources()["source"])
    places = {place for frame in tables_of_pages for text in frame["locator"] if text for place in text.split("; ")}
    assert not [place for place in places if not (place.startswith(titles) and leads.of_place(place))]


def test_a_row_without_its_place_leads_to_it_from_its_first_cell(tmp_path, monkeypatch):
    """Where the page leaves the column of places out; the place is shown over the row anywhere."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    frame = pd.DataFrame(
        {"system": ["a_1", "b & c"], "users": [1, 2], "locator": [loading.locators_within_document(MAIL)[2], "page 9"]}
    )
    page = reports.save(frame, "rows", show=["system", "users"])._repr_html_()
    assert f'title="{loading.locators_within_document(MAIL)[2]}"' in page
    page = linking.LocatorLinks([run], {}).linked(page)
    assert f'<a href="{run.name}.html#{MAIL}:row3">a_1</a></td>' in page
    assert page.count("<a ") == 1
    assert ">b &amp; c</td>" in page
    assert "data-locator" not in reports.save(frame, "all")._repr_html_()


def test_a_row_is_found_before_a_page():
    """Of two places the first leads to its row, though the text of both ends in a page that is known too."""
    links = object.__new__(LocatorLinks)
    between = linking._BETWEEN
    links._places = {"Note": "note.html", "Note, Table 1": "note.html#t1", "Note, Table 1, row 3": "note.html#t1-3"}
    assert links.of_place(f"Note, Table 1, row 3{between}Note, Table 2") == "note.html#t1-3"
    links._places[f"Note, Table 1{between}Table 2"] = "note.html#both"
    assert links.of_place(f"Note, Table 1{between}Table 2") == "note.html#both"
