"""What the verdicts hang on: the same claims judged with other tolerances, without hedges, without an assumption."""

import functools
from dataclasses import replace

import pandas as pd

from dominoperf.study.audit.audited import judge_claims
from dominoperf.study.audit.claim_rows import claims
from dominoperf.study.audit.verdicts import HOLDS, UNVERIFIABLE, VERDICTS
from dominoperf.tables import loading

_TURNED = ["rule_changed", "source", "id", "locator", "claim", "stated", "computed", "unit", "verdict", "verdict_then"]
_COUNTS = ["rule_changed", "concerned", "turned", "turned_percent", "no_longer_hold", "newly_hold", *VERDICTS]


def verdict_sensitivity(source=None):
    """Return the verdicts under changed rules of judging, one changed at a time: those that turn, and their counts.

    Every allowance is halved and doubled: half a unit of the last digit, 5 % of a hedged number, a point of a hedged
    percentage. Hedges are taken away, so that "over 60" is 60. Assumptions are taken away, all and each: a claim that
    needs one is then not tested, and no longer bears on claims that name it.

    The first frame has a row for each verdict that a changed rule turns. The second has one for each changed rule, the
    first for none.
    """
    cells = functools.cache(lambda id: loading.load(id, "printed", text=True))
    known = {}  # what is computed: no rule changes that
    rows = judge_claims(claims(source), cells, known=known).claims  # but for those that cannot be judged
    numbers = sum(claim.tested and claim.readings != ("text",) and claim.stated != "yes" for claim in rows)
    hedged = sum(bool(claim.hedge and claim.tested) for claim in rows)
    assumed = pd.Series([claim.assumption for claim in rows if claim.assumption], dtype="str").value_counts(sort=False)
    assumed = assumed.sort_values(ascending=False, kind="stable")  # as often: in the order of the claims

    def without(words):
        """The claims, those under one of the assumptions untested."""
        untested = {"inputs": (), "expression": "", "readings": (), "assumption": "", "expected": UNVERIFIABLE}
        return tuple(replace(claim, **untested) if claim.assumption in words else claim for claim in rows)

    bare = tuple(replace(claim, hedge="") for claim in rows)
    changes = [
        ("none", 0, rows, 1.0),
        ("half of every tolerance", numbers, rows, 0.5),
        ("twice every tolerance", numbers, rows, 2.0),
        ("no hedges", hedged, bare, 1.0),
        ("no assumptions", int(assumed.sum()), without(set(assumed.index)), 1.0),
        *((f"not assumed: {words}", int(count), without({words}), 1.0) for words, count in assumed.items()),
    ]
    judged = judge_claims(rows, cells, known=known).tidy()
    judged["stated"] = (judged["hedge"] + " " + judged["stated"]).str.strip()
    turned, counts = [], []
    for change, concerned, chosen, tolerance in changes:
        new = judge_claims(chosen, cells, tolerance=tolerance, known=known)
        then = pd.Series([judgement.verdict for _, judgement in new.judged], dtype="str")
        found = judged.assign(rule_changed=change, verdict_then=then)[then != judged["verdict"]]
        turned.append(found[_TURNED])
        held, holds = found["verdict"].isin(HOLDS), found["verdict_then"].isin(HOLDS)
        about = {"rule_changed": change, "concerned": concerned, "turned": len(found)}
        about["turned_percent"] = 100 * len(found) / max(len(rows), 1)
        about |= {"no_longer_hold": int((held & ~holds).sum()), "newly_hold": int((holds & ~held).sum())}
        counts.append(about | {verdict: int((then == verdict).sum()) for verdict in VERDICTS})
    return pd.concat(turned, ignore_index=True), pd.DataFrame(counts, columns=_COUNTS)
