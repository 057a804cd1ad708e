"""Back from a printed row to what uses it: pages with its place, claims that compute with it, errata that touch it.

The row says how often; what uses it stands in one script beside the pages, which each document's page loads.
"""

import html
import json
import re
from collections import defaultdict

from dominoperf.study import audit
from dominoperf.tables import errata, load
from dominoperf.tables.loading import erratum_name
from dominoperf.tables.pages import row_id

NAME = "uses.js"
_SCRIPT = f'<script defer src="{NAME}"></script>'
_PRINTED = re.compile(r'(<tr id="([^"]+:row\d+)".*?<td class="place"[^>]*>.*?)(</td>)', re.DOTALL)


def collect_row_uses(shown, links):
    """Return what uses each printed row.

    Parameters
    ----------
    shown : list of (Run, HTML)
        What each page shows, its places linked.
    links : linking.LocatorLinks
        Where the claims, the errata and the rows stand.

    Returns
    -------
    dict
        Id of a row to a list of users, each a tuple of kind, words and address; pages before claims before errata.
    """
    used = defaultdict(dict)  # a dict keeps an order, and each user once
    lead = re.compile(r'href="[\w.-]+\.html#([^"]+:row\d+)"')
    for run, page in shown:
        if "source" not in run.parameters:
            for row in lead.findall(page):
                used[html.unescape(row)][("page", run.title, f"{run.name}.html")] = None
    if page := links.page_of("claims"):
        for claim in audit.claims():
            for cells in (cells for cells in claim.inputs if cells.table):
                for row in cells.rows or range(1, len(load(cells.table, "printed")) + 1):
                    user = ("claim", claim.claim, f"{page}#claim-{claim.source}-{claim.id}")
                    used[row_id(cells.table, row)][user] = None
    if page := links.page_of("errata"):
        for wrong in errata().dropna(subset="row").itertuples():
            user = ("erratum", wrong.mistake, f"{page}#{erratum_name(wrong.source, wrong.mistake)}")
            used[row_id(f"{wrong.source}/{wrong.table}", int(wrong.row))][user] = None
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
