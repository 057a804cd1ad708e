"""What is wrong, mistake by mistake: the errata grouped, and the causes of contradicted claims."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.study.audit.claim_rows import BEARS_ON, claims
from dominoperf.study.audit.verdicts import read_stated
from dominoperf.tables import folders
from dominoperf.tables.expressions import FUNCTIONS, evaluate
from dominoperf.tables.reading import read_number

if TYPE_CHECKING:  # who lists errata needs no scipy
    from dominoperf.study.audit.audited import Audit

STATUS = ("certain", "suspected")
_COLUMNS = ["bears_on", "status", "source", "locator", "count", "printed", "corrected", "mistake", "shown_by"]
_COLUMNS += ["consequence", "claim_ids"]
_TOLD_ONCE = ("locator", "printed", "corrected", "shown_by", "consequence")
_CAUSE = ["bears_on", "status", "source", "locator", "mistake", "consequence", "quantity", "by_print", "by_numbers"]
_CAUSE += ["unit", "times_off", "claims", "claim_ids"]
_UNKNOWN = dict.fromkeys(["by_print", "by_numbers", "times_off"], float("nan"))
_LEAST_ALIKE_TO_JOIN = 3  # sentences alike, of which the first is reported for all


def errata_groups(status: str | None = None) -> pd.DataFrame:
    """Return a row for each thing that is wrong, with all cells and sentences that it touches.

    Parameters
    ----------
    status : {"certain", "suspected"}, optional
        Only these.

    Returns
    -------
    DataFrame
        bears_on (plan, conclusion or wording), status, source, locator, count, printed, corrected, mistake, shown_by,
        consequence, claim_ids. What bears on a plan comes first, in it what is certain and touches most.

    Raises
    ------
    UnknownName
        When there is no such status.
    """
    if status is not None and status not in STATUS:
        raise UnknownName.among("status", status, STATUS)
    errata, rows = tables.errata(), []
    chosen = errata[errata["status"] == status] if status else errata
    for (source, mistake, kind), cells in chosen.groupby(["source", "mistake", "status"], sort=False):
        once = {name: list(dict.fromkeys(filter(None, cells[name]))) for name in _TOLD_ONCE}
        for name in ("shown_by", "consequence"):  # of many sentences alike the first stands for all
            first, *others = once[name] or [""]
            if len(others) >= _LEAST_ALIKE_TO_JOIN:
                once[name] = [f"{first.rstrip('.')}. The other {len(others)} are alike."]
        ids = " ".join(dict.fromkeys(" ".join(cells["claim_ids"]).split()))
        weight = min(cells["bears_on"], key=BEARS_ON.index)
        about = {"bears_on": weight, "status": kind, "source": source, "mistake": mistake, "claim_ids": ids}
        told = {name: (" " if name in ("shown_by", "consequence") else "; ").join(once[name]) for name in _TOLD_ONCE}
        rows.append(about | told | {"count": len(cells)})
    rows.sort(key=lambda row: (BEARS_ON.index(row["bears_on"]), STATUS.index(row["status"]), -row["count"]))
    return pd.DataFrame(rows, columns=_COLUMNS).astype(dict.fromkeys(_COLUMNS, "str") | {"count": "int64"})


def causes(audit: "Audit") -> pd.DataFrame:
    """Return why claims are contradicted: a row for each cause, however many errata and sentences it is behind.

    Errata of one mistake are one cause, and so are those that ``causes.toml`` names together. Where a plan's number
    follows from the print and from the document's other numbers, it is computed both ways.

    Parameters
    ----------
    audit : Audit

    Returns
    -------
    DataFrame
        bears_on, status, source, locator, mistake, consequence, quantity (what is planned), by_print, by_numbers, unit,
        times_off (the greater of the two over the less), claims (how many it contradicts), claim_ids. First what
        changes a plan; in it what puts the plan's number furthest off, then what has no such number, of that first what
        is certain and contradicts most. A contradicted claim that no erratum names, as in data of your own, is a cause
        of its own, without a status.

    Raises
    ------
    BadTable
        When an expression of ``causes.toml`` cannot be computed.

    Examples
    --------
    >>> from dominoperf import audit_claims
    >>> causes(audit_claims("ibm_330"))[["bears_on", "mistake", "claims"]].head(1)
      bears_on                        mistake  claims
    0  wording  The M of the unit is missing.       1
    """
    wrong = audit.contradictions()
    contradicted = set(zip(wrong["source"], wrong["id"], strict=True))
    blocks = folders.our_toml_file("causes.toml")["cause"]
    shared = {(block["source"], id): k for k, block in enumerate(blocks) for id in block["claims"]}
    found, named = {}, set()
    for group in errata_groups().itertuples():
        keys = [(group.source, id) for id in group.claim_ids.split() if (group.source, id) in contradicted]
        if keys:
            named |= set(keys)
            block = next((shared[key] for key in keys if key in shared), None)
            found.setdefault((group.source, group.mistake) if block is None else block, []).append((group, keys))
    rows = [_row_of_cause(parts, blocks[key] if isinstance(key, int) else {}) for key, parts in found.items()]
    for claim in wrong[[key not in named for key in zip(wrong["source"], wrong["id"], strict=True)]].itertuples():
        about = {"bears_on": claim.bears_on, "source": claim.source, "locator": claim.locator}
        about |= {"mistake": claim.comment, "claim_ids": claim.id, "claims": 1}
        rows.append(dict.fromkeys(_CAUSE, "") | _UNKNOWN | about)
    weight = lambda row: (BEARS_ON.index(row["bears_on"]), -np.nan_to_num(row["times_off"]))  # noqa: E731
    rows.sort(key=lambda row: (*weight(row), row["status"] != STATUS[0], -row["claims"]))
    numbers = dict.fromkeys(_UNKNOWN, "float64") | {"claims": "int64"}
    return pd.DataFrame(rows, columns=_CAUSE).astype(dict.fromkeys(_CAUSE, "str") | numbers)


def _row_of_cause(parts, block):
    """The row of a cause: its errata, that of the first claim of its block first, and what a plan takes from both."""
    first = (block.get("source"), next(iter(block.get("claims", [])), None))
    parts = sorted(parts, key=lambda part: first not in part[1])
    groups, keys = zip(*parts, strict=True)
    ids = list(dict.fromkeys(id for part in keys for _, id in part))
    row = dict.fromkeys(_CAUSE, "") | _UNKNOWN | {"source": groups[0].source, "mistake": groups[0].mistake}
    row |= {"bears_on": min((group.bears_on for group in groups), key=BEARS_ON.index)}
    row |= {"status": min((group.status for group in groups), key=STATUS.index)}
    row |= {"locator": "; ".join(dict.fromkeys(group.locator for group in groups))}
    row |= {"consequence": " ".join(dict.fromkeys(group.consequence for group in groups))}
    row |= {"claims": len(ids), "claim_ids": " ".join(ids)}
    if "printed" not in block:
        return row

    def cell(table, column, k):
        """A printed cell of the document: a number, or a text where it is none."""
        text = tables.load(f"{block['source']}/{table}", "printed", text=True)[column][k - 1]
        value = read_number(text)
        return text if value is None else value

    stated = {claim.id: claim.stated for claim in claims(block["source"])}
    functions = FUNCTIONS | {"cell": cell, "claim": lambda id: read_stated(stated[id]).low}
    where = f"causes.toml, {block['source']}, {block['claims'][0]}"
    printed, follows = (float(evaluate(block[name], {}, functions, where)) for name in ("printed", "follows"))
    row |= {"quantity": block["quantity"], "unit": block["unit"], "by_print": printed, "by_numbers": follows}
    return row | {"times_off": max(printed, follows) / min(printed, follows)}
