"""Back from a printed row: which pages, claims and errata use it."""

import json
import re

from dominoperf.reports import using
from dominoperf.reports.linking import LocatorLinks
from dominoperf.reports.notebooks import Run
from dominoperf.study import audit
from dominoperf.tables import errata, load
from dominoperf.tables.loading import erratum_name

DOCUMENT = Run("doc", "01_published_tables", {"source": "compaq_domino45"})
RUNS = [DOCUMENT, Run("claims", "80_claims_audit", {}), Run("errata", "81_errata", {}), Run("price", "60_price", {})]
LINKS = LocatorLinks(RUNS, {run.notebook: run.name for run in RUNS})
ROW = "compaq_domino45/a_mail:row1"


def test_a_row_knows_its_claims_errata_and_pages():
    """Each once; a page that shows its place, not the document's own; what touches another row is not there."""
    page = f'<a href="doc.html#{ROW}">1998</a><a href="doc.html#{ROW}">again</a>'
    used = using.collect_row_uses([(RUNS[3], page), (DOCUMENT, page)], LINKS)[ROW]
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
    used = using.collect_row_uses([], LINKS)
    for row in range(1, len(load(table, "printed")) + 1):
        assert any(href.endswith(f"-{claim}") for _, _, href in used[f"{table}:row{row}"])


def test_the_page_says_how_often_and_the_script_by_what():
    """A row that nothing uses says nothing; a page without printed rows loads no script."""
    used = {"d/t:row1": [("page", "A", "a.html"), ("claim", "B", "c.html#b")], "d/t:row2": [("page", "A", "a.html")]}
    row = '<tr id="d/t:row{}"><td>1</td><td class="place" style="">page 1</td></tr>'
    made = using.table_with_use_counts("".join(map(row.format, (1, 2, 3))), used)
    assert re.findall(r"used [\w ]+", made) == ["used 2 times", "used once"]
    assert made.endswith('<script defer src="uses.js"></script>')
    assert using.table_with_use_counts("<p>none</p>", used) == "<p>none</p>"
    data = json.loads(re.fullmatch(r"usesData\((.*)\);\n", using.uses_script(used))[1])
    assert [data["users"][number][1] for number in data["rows"]["d/t:row1"]] == ["A", "B"]
    assert len(data["users"]) == 2
