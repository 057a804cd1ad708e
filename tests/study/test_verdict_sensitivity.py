"""Verdicts under other rules: the same claims by the same code, a tolerance, hedges or an assumption changed."""

import pytest

from dominoperf.study import audit
from dominoperf.study.audit import coding
from dominoperf.study.audit.sensitivity import verdict_sensitivity
from dominoperf.study.audit.verdicts import HOLDS


@pytest.fixture(scope="module")
def found():
    """The verdicts under every changed rule, which take some seconds."""
    return verdict_sensitivity()


@pytest.fixture(scope="module")
def counts(found):
    """How many turn, by the changed rule."""
    return found[1].set_index("rule_changed")


# A change of the rules, a claim that it turns, and both verdicts; worked out by hand.
TURNS = [
    ("half of every tolerance", "compaq_domino45/smp-mail-2p-48: confirmed to contradicted"),  # 48.44 is no 48 to 0.25
    ("twice every tolerance", "compaq_domino45/s2-drives-4: contradicted to confirmed"),  # 5 drives are 4 to 1
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
def test_a_known_claim_turns(found, counts, change, turn):
    """And under no change at all nothing does."""
    rows = found[0].query("rule_changed == @change")
    turns = rows["source"] + "/" + rows["id"] + ": " + rows["verdict"] + " to " + rows["verdict_then"]
    assert turn in set(turns)
    assert counts.loc[change, "turned"] == len(rows)
    held, holds = (rows[name].isin(HOLDS) for name in ("verdict", "verdict_then"))
    assert counts.loc[change, ["no_longer_hold", "newly_hold"]].tolist() == [
        (held & ~holds).sum(),
        (holds & ~held).sum(),
    ]
    assert counts.loc["none", "turned"] == 0


def test_every_assumption_is_taken_away_once(counts):
    """Only claims that are tested under it turn, all of them; the parts make the whole."""
    whole = audit.audit_claims()
    for row in coding.assumptions(whole).itertuples():
        taken = counts.loc[f"not assumed: {row.assumption}"]
        assert (taken["concerned"], taken["turned"], taken["no_longer_hold"]) == (
            row.claims,
            row.claims,
            row.conditional,
        )
    each = counts[counts.index.str.startswith("not assumed: ")]
    assert each["turned"].sum() == counts.loc["no assumptions", "turned"]
    assert counts.loc["no assumptions", "conditional"] == 0


def test_verdicts_are_counted_as_the_audit_counts_them(counts):
    """Each row counts every claim once; the first row is the audit."""
    (whole,) = audit.audit_claims().glance().to_dict("records")
    assert (counts[list(audit.VERDICTS)].sum(axis="columns") == whole["claims"]).all()
    assert all(counts.loc["none", verdict] == whole[verdict] for verdict in audit.VERDICTS)
