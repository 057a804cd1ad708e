"""The errata by what is wrong: cells and sentences of one reason together, the gravest first."""

import html
from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.study.audit.claims import BEARS_ON
from dominoperf.tables import rendering

STATUS = ("certain", "suspected")
_COLUMNS = ["bears_on", "status", "source", "locator", "count", "printed", "corrected", "reason", "evidence"]
_COLUMNS += ["consequence", "claim_ids"]
_FEW = 3  # of what is told in full
_PAGE = "claims_audit.html"  # of the site, where the claims stand


def errata_groups(status=None):
    """Return a row for each thing that is wrong, with all cells and sentences that it touches.

    Parameters
    ----------
    status : {"certain", "suspected"}, optional
        Only these.

    Returns
    -------
    DataFrame
        bears_on (plan, conclusion or wording), status, source, locator, count, printed, corrected, reason, evidence,
        consequence, claim_ids. What bears on a plan comes first, in it what is certain and touches most.

    Raises
    ------
    UnknownName
        When there is no such status.
    """
    if status is not None and status not in STATUS:
        raise UnknownName.among("status", status, STATUS, f"Known are {', '.join(STATUS)}.")
    errata = tables.errata()
    chosen = errata[errata["status"] == status] if status else errata
    rows = [_group(key, rows) for key, rows in chosen.groupby(["source", "reason", "status"], sort=False)]
    rows.sort(key=lambda row: (BEARS_ON.index(row["bears_on"]), STATUS.index(row["status"]), -row["count"]))
    return pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(_COLUMNS, "str") | {"count": "int64"})


def errata_counts(status=None):
    """Count the errors of one reason: a row for each document, a column for each status."""
    groups = errata_groups(status)
    return pd.crosstab(groups["source"], groups["status"]).reindex(columns=list(STATUS), fill_value=0).reset_index()


def _group(key, rows):
    """The row of one reason; what is printed and corrected is told of each cell once."""
    source, reason, status = key
    told = {name: "; ".join(dict.fromkeys(filter(None, rows[name]))) for name in ("locator", "printed", "corrected")}
    said = {name: _alike(rows[name]) for name in ("evidence", "consequence")}
    ids = " ".join(dict.fromkeys(" ".join(rows["claim_ids"]).split()))
    gravest = min(rows["bears_on"], key=BEARS_ON.index)
    return {"source": source, "reason": reason, "status": status, "count": len(rows), "claim_ids": ids} | {
        "bears_on": gravest,
        **told,
        **said,
    }


def _alike(texts):
    """The sentences, each once; of more than two alike the first stands for all."""
    told = list(dict.fromkeys(filter(None, texts)))
    return " ".join(told) if len(told) <= _FEW else f"{told[0].rstrip('.')}. The other {len(told) - 1} are alike."


@dataclass(frozen=True)
class ErrataList:
    """Groups of errata as a page tells them: what is printed, what follows, what difference it makes."""

    groups: pd.DataFrame

    def __repr__(self):
        """Lay the list out for a terminal."""
        return rendering.as_text(self.groups[["bears_on", "status", "source", "reason", "consequence"]])

    def _repr_html_(self):
        return "".join(_card(row) for row in self.groups.itertuples())


def _card(row):
    """One thing that is wrong."""
    year = tables.document(row.source).get("year", "")
    places = f"{year} {row.source}, {row.locator}"
    parts = (
        ("Printed", row.printed),
        ("It should say", row.corrected or "not known"),
        ("Because", row.evidence),
        ("So", row.consequence),
    )
    said = "".join(f"<dt>{label}</dt><dd>{html.escape(text)}</dd>" for label, text in parts if text)
    claims = ", ".join(_link(row.source, id) for id in row.claim_ids.split())
    said += f"<dt>Claims</dt><dd>{claims}</dd>" if claims else ""
    bears = f"changes {'a plan' if row.bears_on == 'plan' else f'the {row.bears_on}'}"
    top = f"<h3>{html.escape(row.reason)}</h3><p>{html.escape(places)}. {row.status.capitalize()}; {bears}.</p>"
    name = html.escape(tables.erratum_name(row.source, row.reason))
    return f'<section class="erratum" id="{name}">{top}<dl>{said}</dl></section>'


def _link(source, id):
    name = html.escape(f"claim-{source}-{id}")
    return f'<a href="{_PAGE}#{name}">{html.escape(id)}</a>'
