"""What the verdicts hang on: the same claims judged with other tolerances, without hedges, without an assumption."""

import functools
from dataclasses import replace

import pandas as pd

from dominoperf import tables
from dominoperf.study.audit.audited import judge_claims
from dominoperf.study.audit.claims import claims
from dominoperf.study.audit.verdicts import HOLDS, UNVERIFIABLE, VERDICTS

_COLUMNS = ["change", "concerned", "turned", "turned_percent", "no_longer_hold", "newly_hold", *VERDICTS, "claim_ids"]


def verdict_sensitivity(source=None):
    """Return how many verdicts turn, and which, when the rules of judging are changed, one at a time.

    Every allowance is halved and doubled: half a unit of the last digit, 5 % of a hedged number, a point of a hedged
    percentage; then those of hedges alone. Hedges are taken away, so that "over 60" is 60. Assumptions are taken away,
    all and each: a claim that needs one is then not tested, and no longer bears on claims that name it.

    Parameters
    ----------
    source : str, optional
        Only the claims of this document.

    Returns
    -------
    DataFrame
        change (none in the first row), concerned (claims that it could turn), turned, turned_percent (of all claims),
        no_longer_hold and newly_hold (see `HOLDS`), the number of claims with each verdict, claim_ids (those that
        turned, each with both verdicts).

    Raises
    ------
    UnknownName
        When there is no such source.

    Examples
    --------
    >>> from dominoperf.study import audit
    >>> found = audit.verdict_sensitivity("rhel5")
    >>> found[["change", "concerned", "turned"]].head(4)
                            change  concerned  turned
    0                         none          0       0
    1      half of every tolerance         87       3
    2        twice every tolerance         87       0
    3  half of what a hedge allows          9       1
    """
    rows = claims(source)
    cells = functools.cache(lambda id: tables.load(id, "printed", text=True))
    numbers = sum(claim.tested and claim.readings != ("text",) and claim.stated != "yes" for claim in rows)
    hedged = [claim for claim in rows if claim.hedge and claim.tested]
    assumed = pd.Series([claim.assumption for claim in rows if claim.assumption], dtype="str").value_counts()

    def without(words):
        """The claims, those under one of the assumptions untested."""
        untested = {"inputs": (), "expression": "", "readings": (), "assumption": "", "expected": UNVERIFIABLE}
        return tuple(replace(claim, **untested) if claim.assumption in words else claim for claim in rows)

    bare = tuple(replace(claim, hedge="") for claim in rows)
    changes = [
        ("none", 0, rows, {}),
        ("half of every tolerance", numbers, rows, {"rounding": 0.5, "hedging": 0.5}),
        ("twice every tolerance", numbers, rows, {"rounding": 2.0, "hedging": 2.0}),
        ("half of what a hedge allows", len(hedged), rows, {"hedging": 0.5}),
        ("twice what a hedge allows", len(hedged), rows, {"hedging": 2.0}),
        ("no hedges", len(hedged), bare, {}),
        ("no assumptions", int(assumed.sum()), without(set(assumed.index)), {}),
        *((f"not assumed: {words}", int(count), without({words}), {}) for words, count in assumed.items()),
    ]
    table, printed = [], None
    for change, concerned, chosen, tolerance in changes:
        verdicts = [judgement.verdict for judgement in judge_claims(chosen, cells, **tolerance).judgements]
        printed = printed or verdicts
        turned = [(claim, old, new) for claim, old, new in zip(rows, printed, verdicts, strict=True) if old != new]
        table.append(
            {
                "change": change,
                "concerned": concerned,
                "turned": len(turned),
                "turned_percent": 100 * len(turned) / len(rows),
                "no_longer_hold": sum(old in HOLDS and new not in HOLDS for _, old, new in turned),
                "newly_hold": sum(old not in HOLDS and new in HOLDS for _, old, new in turned),
                "claim_ids": "; ".join(f"{claim.source}/{claim.id}: {old} to {new}" for claim, old, new in turned),
            }
            | {verdict: verdicts.count(verdict) for verdict in VERDICTS}
        )
    return pd.DataFrame(table, columns=_COLUMNS)
