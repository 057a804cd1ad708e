"""How claims are coded: the written rules with an example each, and a sample of claims coded a second time."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dominoperf.study.audit.audited import Audit
from dominoperf.study.audit.grounds import EVIDENCE
from dominoperf.study.audit.verdicts import CONTRADICTED, HOLDS, REPEATED, UNVERIFIABLE, VERDICTS
from dominoperf.tables import folders
from dominoperf.tables.reading import read_printed_csv

_RULE = ["part", "name", "rule", "added", "id", "source", "locator", "claim", "stated", "computed", "unit", "verdict"]
_RULE += ["evidence", "assumption", "comment"]


def codebook(audit: Audit) -> pd.DataFrame:
    """Return the rules by which a claim gets its verdict, each with a claim of the audit that it decides."""
    rules = pd.DataFrame(folders.our_toml_file("codebook.toml")["rule"])
    rules["added"] = rules["added"].fillna("")
    rules[["source", "id"]] = rules["example"].str.split("/", expand=True)
    examples = audit.tidy()
    examples["stated"] = (examples["hedge"] + " " + examples["stated"]).str.strip()
    return rules.merge(examples, on=["source", "id"], how="left", validate="many_to_one")[_RULE]


def assumptions(audit: Audit) -> pd.DataFrame:
    """Return every assumption under which a claim is tested, and how many: the most frequent first."""
    tidy = audit.tidy()
    named = tidy[tidy["assumption"] != ""]
    counts = pd.crosstab(named["assumption"], named["verdict"]).reindex(columns=["conditional", "contradicted"])
    counts = counts.fillna(0).astype("int64").assign(claims=named["assumption"].value_counts())
    return counts.sort_values("claims", ascending=False, kind="stable").reset_index()


_FOLDED = dict.fromkeys(HOLDS, "holds") | {CONTRADICTED: "does not hold"}
_FOLDED |= dict.fromkeys((REPEATED, UNVERIFIABLE), "cannot be judged")


def second_coding() -> pd.DataFrame:
    """Return the claims that were coded a second time, with both codings and what became of each disagreement.

    The first coding is as it was when the second was made; unsure is "yes" where the second coder was; adjudication is
    "first", "second" or "codebook unclear", "" where both agree.
    """
    return read_printed_csv(folders.home() / "second_coding.csv")


def kappa(table: ArrayLike) -> tuple[float, float, float]:
    """Return Cohen's kappa of two coders and its bootstrap interval: (kappa, low, high).

    (share of agreement - share expected by chance) / (1 - share expected by chance), of counts of claims by the
    category of the first coder (rows) and of the second (columns). The interval is of 95 %, by the percentiles of 4,000
    tables redrawn from `table`, claim by claim.

    >>> value, low, high = kappa([[75, 1, 4], [5, 4, 1], [0, 0, 10]])  # Fleiss, Cohen and Everitt (1969)
    >>> print(f"{value:.3f}")
    0.676
    """
    table = np.asarray(table)
    claims = table.sum()
    redrawn = np.random.default_rng(1998).multinomial(claims, table.ravel() / claims, size=4000)
    shares = np.concatenate([table.reshape(1, -1), redrawn]).reshape(-1, *table.shape) / claims
    agreed = np.trace(shares, axis1=1, axis2=2)
    by_chance = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    value, *drawn = (agreed - by_chance) / (1 - by_chance)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(value), float(low), float(high)


def coding_agreement() -> pd.DataFrame:
    """Return how far two codings agree: on the verdict, on whether a claim holds, and on the evidence.

    Evidence is compared where both coders name some.
    """
    twice, rows = second_coding(), []
    verdicts, grades = twice[["first_verdict", "second_verdict"]], twice[["first_evidence", "second_evidence"]]
    for question, codes, categories in (
        ("verdict of six", verdicts, VERDICTS),
        ("holds, does not, open", verdicts.replace(_FOLDED), list(dict.fromkeys(_FOLDED.values()))),
        ("evidence", grades[(grades != "").all(axis="columns")], EVIDENCE),
    ):
        table = _coding_crosstab(codes, categories)
        agreed, claims = int(np.diag(table).sum()), int(table.to_numpy().sum())
        rows.append((question, claims, agreed, 100 * agreed / claims, *kappa(table)))
    columns = ["question", "claims", "agreed", "agreed_percent", "kappa", "kappa_low", "kappa_high"]
    return pd.DataFrame(rows, columns=columns)


def coding_confusion() -> pd.DataFrame:
    """Return how many claims got each verdict from the first coder (rows) and from the second (columns)."""
    codes = second_coding()[["first_verdict", "second_verdict"]]
    return _coding_crosstab(codes, VERDICTS).rename_axis(columns=None).reset_index()


def _coding_crosstab(codes, categories):
    """The first coder's categories against the second's, those that neither used among them."""
    first, second = (pd.Categorical(codes[name], categories) for name in codes)
    table = pd.crosstab(first, second, dropna=False, rownames=[codes.columns[0]], colnames=["second"])
    return table.reindex(index=categories, columns=categories, fill_value=0)
