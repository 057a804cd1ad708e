"""Verdicts under other rules: the same claims by the same code, a tolerance, hedges or an assumption changed."""

import pytest

from dominoperf.study import audit

FOUND = audit.verdict_sensitivity()
COUNTS = FOUND.glance().set_index("rule_changed")

# A change of the rules, a claim that it turns, and both verdicts; worked out by hand.
TURNS = [
    ("half of every tolerance", "compaq_domino45/smp-mail-2p-48: confirmed to contradicted"),  # 48.44 is no 48 to 0.25
    ("twice every tolerance", "compaq_domino45/s2-drives-4: contradicted to confirmed"),  # 5 drives are 4 to 1
    ("half of what a hedge allows", "rhel5/recipients-78: conditional to contradicted"),  # 76 is 2.6 % off
    ("no hedges", "ibm_330/both-over-8-hours: confirmed to contradicted"),  # 9.25 hours are over 8, but not 8
    ("no hedges", "rhel5/rest-500mb: approximate to contradicted"),  # 512 for about 500
    ("no assumptions", "domino6/zos-mail-25-30: conditional to unverifiable"),
    ("not assumed: CPU proportional to users", "domino6/zos-mail-25-30: conditional to unverifiable"),
    (
        "not assumed: every user repeats one script with the same waits",
        "compaq_domino45/a-mail-cycle: contradicted to unverifiable",
    ),
]


@pytest.mark.parametrize(("change", "turn"), TURNS)
def test_a_known_claim_turns(change, turn):
    """And under no change at all nothing does."""
    rows = FOUND.tidy().query("rule_changed == @change")
    turns = rows["source"] + "/" + rows["id"] + ": " + rows["verdict"] + " to " + rows["verdict_then"]
    assert turn in set(turns)
    assert COUNTS.loc[change, "turned"] == len(rows)
    assert COUNTS.loc["none", "turned"] == 0


def test_every_assumption_is_taken_away_once():
    """Only claims that are tested under it turn, all of them; the parts make the whole."""
    whole = audit.audit_claims()
    for row in audit.assumptions(whole).itertuples():
        found = COUNTS.loc[f"not assumed: {row.assumption}"]
        assert (found["concerned"], found["turned"], found["no_longer_hold"]) == (
            row.claims,
            row.claims,
            row.conditional,
        )
    each = COUNTS[COUNTS.index.str.startswith("not assumed: ")]
    assert each["turned"].sum() == COUNTS.loc["no assumptions", "turned"]
    assert COUNTS.loc["no assumptions", "conditional"] == 0


def test_verdicts_are_counted_as_the_audit_counts_them():
    """Each row counts every claim once; the first row is the audit."""
    (counts,) = audit.audit_claims().glance().to_dict("records")
    assert (COUNTS[list(audit.VERDICTS)].sum(axis="columns") == counts["claims"]).all()
    assert all(COUNTS.loc["none", verdict] == counts[verdict] for verdict in audit.VERDICTS)
