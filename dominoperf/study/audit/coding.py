"""How claims are coded: the written rules with an example each, and a sample of claims coded a second time."""

import hashlib

import pandas as pd

from dominoperf.tables import folders

_RULE = ["part", "name", "rule", "id", "source", "locator", "claim", "stated", "computed", "unit", "verdict"]
_RULE += ["evidence", "assumption", "comment"]


def codebook(audit):
    """Return the rules by which a claim gets its verdict, each with a claim that it decides.

    Parameters
    ----------
    audit : Audit
        Of all claims of the five documents: what is stated and computed of an example is taken from it.

    Returns
    -------
    DataFrame
        part (verdict, evidence, tolerance, hedge, assumption), name, rule, and of the example id, source, locator,
        claim, stated (with its hedge), computed, unit, verdict, evidence, assumption, comment.

    Examples
    --------
    >>> from dominoperf import audit_claims
    >>> from dominoperf.study import audit
    >>> rules = audit.codebook(audit_claims())
    >>> rules[["part", "name", "stated", "computed", "verdict"]].head(3)
          part         name       stated computed      verdict
    0  verdict    confirmed           48    48.44    confirmed
    1  verdict  approximate  usually 500      512  approximate
    2  verdict  conditional        25-30    27.39  conditional
    """
    rules = pd.DataFrame(folders.our_file("codebook.toml")["rule"])
    rules[["source", "id"]] = rules["example"].str.split("/", expand=True)
    examples = audit.tidy()
    examples["stated"] = (examples["hedge"] + " " + examples["stated"]).str.strip()
    return rules.merge(examples, on=["source", "id"], how="left", validate="many_to_one")[_RULE]


def assumptions(audit):
    """Return every assumption under which a claim is tested, and how many: the most frequent first."""
    tidy = audit.tidy()
    named = tidy[tidy["assumption"] != ""]
    counts = pd.crosstab(named["assumption"], named["verdict"]).reindex(columns=["conditional", "contradicted"])
    counts = counts.fillna(0).astype("int64").assign(claims=named["assumption"].value_counts())
    return counts.sort_values("claims", ascending=False, kind="stable").reset_index()


def second_sample(rows):
    """Return the claims that are drawn to be coded a second time, in the order of the claims.

    Drawn at random from each document, as many as its share of all claims, by the seed of ``codebook.toml``; the
    examples of the codebook and the claims written after the draw are left out. A claim's place in the order of a draw
    hangs on nothing but the seed, its document and its id.

    Parameters
    ----------
    rows : sequence of Claim

    Returns
    -------
    tuple of Claim

    Examples
    --------
    >>> from dominoperf.study import audit
    >>> len(audit.second_sample(audit.claims()))
    150
    """
    written = folders.our_file("codebook.toml")
    about = written["second_coding"]
    out = {rule["example"] for rule in written["rule"]} | set(about["written_since"])
    names = [f"{claim.source}/{claim.id}" for claim in rows]
    order = [hashlib.sha256(f"{about['seed']} {name}".encode()).hexdigest() for name in names]
    drawn = pd.DataFrame({"source": [claim.source for claim in rows], "name": names, "order": order})
    drawn = drawn[~drawn["name"].isin(out)]

    # Whole numbers in proportion: the largest remainders get what rounding down leaves.
    exact = about["claims"] * drawn["source"].value_counts() / len(drawn)
    each = exact.astype(int)
    each[(exact - each).nlargest(about["claims"] - each.sum()).index] += 1
    rank = drawn.groupby("source")["order"].rank()
    chosen = set(drawn.index[rank <= drawn["source"].map(each)])
    return tuple(claim for k, claim in enumerate(rows) if k in chosen)
