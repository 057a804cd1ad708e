"""The codebook and what hangs on it: rules with examples that are what they say, a random sample, a second coding."""

import collections

from dominoperf.study import audit

WHOLE = audit.audit_claims()


def test_the_codebook_has_every_verdict_and_grade_with_an_example_of_it():
    """Names are those of the audit, in its order; an example has the verdict or evidence that it is an example of."""
    rules = audit.codebook(WHOLE)
    for part, names in (("verdict", audit.VERDICTS), ("evidence", audit.EVIDENCE)):
        rows = rules[rules["part"] == part]
        assert tuple(rows["name"]) == names
        assert tuple(rows[part]) == names
    assert list(dict.fromkeys(rules["part"])) == ["verdict", "evidence", "tolerance", "hedge", "assumption"]
    assert rules["claim"].notna().all()
    assert (rules[rules["part"] == "assumption"]["assumption"] != "").all()
    shown = rules.set_index("name")
    assert shown.loc["up to", "stated"].startswith("up to ")
    assert shown.loc["at least", "stated"].startswith("more than ")


def test_every_assumption_is_listed_with_its_claims():
    """Each claim under an assumption is conditional, or contradicted all the same."""
    listed = audit.assumptions(WHOLE)
    named = [claim.assumption for claim in WHOLE.claims if claim.assumption]
    assert dict(zip(listed["assumption"], listed["claims"], strict=True)) == collections.Counter(named)
    assert (listed["conditional"] + listed["contradicted"]).tolist() == listed["claims"].tolist()


def test_the_second_sample_is_drawn_in_proportion_and_without_the_examples():
    """150 claims, from each document its share to one claim; in whatever order the claims stand; no example."""
    drawn = audit.second_sample(WHOLE.claims)
    assert len(drawn) == 150
    of_all, of_drawn = (collections.Counter(claim.source for claim in rows) for rows in (WHOLE.claims, drawn))
    assert all(abs(of_drawn[name] - 150 * of_all[name] / len(WHOLE.claims)) < 1.5 for name in of_all)
    rules = audit.codebook(WHOLE)
    examples = set(zip(rules["source"], rules["id"], strict=True))
    assert not examples & {(claim.source, claim.id) for claim in drawn}
    assert set(audit.second_sample(WHOLE.claims[::-1])) == set(drawn)
