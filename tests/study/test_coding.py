"""The codebook and what hangs on it: rules with examples that are what they say, a random sample, a second coding."""

import collections
import functools
import hashlib

import pandas as pd
import pytest

from dominoperf.study import audit
from dominoperf.study.audit import coding
from dominoperf.tables import folders


@functools.cache
def whole():
    """The audit of every claim."""
    return audit.audit_claims()


@functools.cache
def twice():
    """The claims that were coded a second time."""
    return coding.second_coding()


def second_sample(rows):
    """The claims that are drawn to be coded a second time, in the order of the claims.

    Drawn at random from each document, as many as its share of all claims, by the seed of ``codebook.toml``; the
    examples of the codebook and the claims written after the draw are left out. The draw depends on nothing but the
    seed, the documents and the ids.
    """
    written = folders.our_toml_file("codebook.toml")
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


def test_the_codebook_has_every_verdict_and_grade_with_an_example_of_it():
    """Names are those of the audit, in its order; an example has the verdict or evidence that it is an example of."""
    rules = coding.codebook(whole())
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
    listed = coding.assumptions(whole())
    named = [claim.assumption for claim in whole().claims if claim.assumption]
    assert dict(zip(listed["assumption"], listed["claims"], strict=True)) == collections.Counter(named)
    assert (listed["conditional"] + listed["contradicted"]).tolist() == listed["claims"].tolist()


def test_the_second_sample_is_drawn_in_proportion_and_without_the_examples():
    """150 claims, from each document its share to one claim; in whatever order the claims stand; no example."""
    drawn = second_sample(whole().claims)
    assert len(drawn) == 150
    of_all, of_drawn = (collections.Counter(claim.source for claim in rows) for rows in (whole().claims, drawn))
    assert all(abs(of_drawn[name] - 150 * of_all[name] / len(whole().claims)) < 1.5 for name in of_all)
    rules = coding.codebook(whole())
    examples = set(zip(rules["source"], rules["id"], strict=True))
    assert not examples & {(claim.source, claim.id) for claim in drawn}
    assert set(second_sample(whole().claims[::-1])) == set(drawn)


def test_kappa_is_the_published_one():
    """Fleiss, Cohen and Everitt (1969): 0.676, with a standard error of 0.088; in one category there is none."""
    value, low, high = coding.kappa([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
    assert round(value, 3) == 0.676
    assert low < value < high
    assert (high - low) / (2 * 1.96) == pytest.approx(0.088, abs=0.01)
    assert coding.kappa([[10, 0], [0, 10]]) == (1, 1, 1)
    assert coding.kappa([[5, 5], [5, 5]])[0] == 0


def test_every_claim_that_was_drawn_was_coded_a_second_time():
    """Each once, by names of the audit; evidence where there is a verdict by some."""
    drawn = [(claim.source, claim.id) for claim in second_sample(whole().claims)]
    assert sorted(zip(twice()["source"], twice()["id"], strict=True)) == sorted(drawn)
    for coder in ("first", "second"):
        assert set(twice()[f"{coder}_verdict"]) <= set(audit.VERDICTS)
        assert set(twice()[f"{coder}_evidence"]) <= {*audit.EVIDENCE, ""}
        assert ((twice()[f"{coder}_verdict"] == "unverifiable") == (twice()[f"{coder}_evidence"] == "")).all()
    assert (twice()["second_reason"] != "").all()


def test_each_disagreement_is_adjudicated_and_the_audit_follows():
    """Where the second coder is right the audit has that coding now, elsewhere it kept its own."""
    codes = [f"{coder}_{what}" for coder in ("first", "second") for what in ("verdict", "evidence")]
    differ = (twice()[codes[:2]].to_numpy() != twice()[codes[2:]].to_numpy()).any(axis=1)
    assert set(twice().loc[differ, "adjudication"]) == {"first", "second", "codebook unclear"}
    assert (twice().loc[~differ, ["adjudication", "adjudication_reason"]] == "").all(axis=None)
    assert (twice().loc[differ, "adjudication_reason"] != "").all()
    now = whole().tidy().set_index(["source", "id"])[["verdict", "evidence"]]
    for row in twice()[differ].itertuples():
        kept = (row.first_verdict, row.first_evidence)
        right = (row.second_verdict, row.second_evidence) if row.adjudication == "second" else kept
        assert tuple(now.loc[(row.source, row.id)]) == right, row.id


def test_agreement_is_that_of_the_codings():
    """Counted and worked out apart, by kappa's definition."""
    agreement = coding.coding_agreement().set_index("question")
    first, second = (twice()[f"{coder}_verdict"] for coder in ("first", "second"))
    agreed = (first == second).mean()
    chance = sum((first == verdict).mean() * (second == verdict).mean() for verdict in audit.VERDICTS)
    found = agreement.loc["verdict of six"]
    assert (found["claims"], found["agreed"]) == (150, 119)
    assert found["kappa"] == pytest.approx((agreed - chance) / (1 - chance))
    assert found["kappa"] == pytest.approx(0.690, abs=0.0005)
    assert (agreement["kappa_low"] < agreement["kappa"]).all()
    assert (agreement["kappa"] < agreement["kappa_high"]).all()
    confusion = coding.coding_confusion().set_index("first_verdict")
    assert confusion.to_numpy().sum() == 150
    assert confusion.loc["repeated", "confirmed"] == ((first == "repeated") & (second == "confirmed")).sum() == 7
