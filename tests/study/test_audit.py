"""The claims of the five documents: pinned both ways, and every one of them able to fail."""

import dataclasses
import functools
import re
from itertools import chain, product

import pandas as pd
import pytest

from dominoperf import tables
from dominoperf.cli import main
from dominoperf.study import audit, recompute
from dominoperf.study.audit.audited import judge_claims
from dominoperf.study.audit.claim_rows import BEARS_ON
from dominoperf.study.audit.verdicts import read_stated
from dominoperf.study.recompute.consequences import price_consequences, raid_consequences, reader_consequences
from dominoperf.tables import folders
from dominoperf.tables.reading import read_number, read_printed_csv

CLAIMS = audit.claims()
LEAST = {"compaq_domino45": 250, "compaq_netware": 60, "ibm_330": 60, "domino6": 60, "rhel5": 60}


@functools.cache
def printed(id):
    """The printed cells of a table."""
    return tables.load(id, "printed", text=True)


@pytest.fixture(scope="module")
def whole():
    """The audit of all claims."""
    return audit.audit_claims()


@pytest.fixture(scope="module")
def diffs():
    """The comparison of all cells that are computed again."""
    return audit.diffs()


def test_every_verdict_is_the_pinned_one(whole):
    """Strict both ways: a verdict that changes is news."""
    assert whole.unpinned().empty
    assert len(whole.claims) == len(CLAIMS)


def test_every_document_is_covered(whole):
    """About as many claims as the documents make."""
    counts = whole.glance("source").set_index("source")["claims"]
    assert all(counts[source] >= least for source, least in LEAST.items())


def test_contradictions_come_by_consequence(whole):
    """Plan, conclusion, wording; in each the furthest off first; each says by what."""
    found = whole.contradictions()
    order = [BEARS_ON.index(each) for each in found["bears_on"]]
    assert order == sorted(order)
    assert found["comment"].str.len().min() > 20
    assert len(found) == whole.glance()["contradicted"].item()


def test_errata_name_contradicted_claims(whole):
    """An erratum of a claim is of one that is contradicted; what changes a plan and is no mere doubt has an erratum."""
    tidy = whole.tidy().set_index(["source", "id"])
    for row in tables.errata().itertuples():
        assert row.bears_on in BEARS_ON[:3]
        for id in row.claim_ids.split():
            assert tidy.loc[(row.source, id), "verdict"] == "contradicted", id


def changed(claim, chosen, change, first=False):
    """The verdict of a claim with the cells, all or the first, or the other claims that inputs name changed."""
    others = {wanted.claim for wanted in chosen}
    every = [
        dataclasses.replace(each, stated=change(each.stated))
        if each.source == claim.source and each.id in others
        else each
        for each in CLAIMS
    ]
    frames = {wanted.table: printed(wanted.table).copy() for wanted in chosen if wanted.table}
    for wanted in (each for each in chosen if each.table):
        frame = frames[wanted.table]
        rows = ([row - 1 for row in wanted.rows] or list(range(len(frame))))[: 1 if first else None]
        frame.loc[rows, wanted.column] = [change(text) for text in frame[wanted.column].iloc[rows]]
    judged = judge_claims([claim], lambda id: frames[id] if id in frames else printed(id), every)
    if judged.failed:
        return "refused", ""
    return judged.judged[0][1].verdict, str(judged.judged[0][1].computed)


def times(factor):
    """Change a number, and the numbers in a text; another text becomes another one."""

    def change(text):
        number = re.compile(r"\d[\d,]*\.?\d*|\.\d+")
        said = number.sub(lambda found: f"{factor * read_number(found[0].rstrip('.,')):.6f}", text)
        return said if said != text else f"not {text}"

    return change


def other_text(text):
    """A text that it is not."""
    return f"not {text}"


CHANGES = (times(1.37), times(0.02), times(50), other_text)


@pytest.mark.parametrize("source", LEAST)
def test_every_verdict_depends_on_its_cells(source):
    """Changing what a claim names turns it; one that stayed confirmed whatever the cells are would test nothing."""
    idle = []
    for claim in (each for each in CLAIMS if each.source == source and each.inputs):
        before = judge_claims([claim], printed, CLAIMS).judged[0][1]
        one = (changed(claim, [each], *how) for each in claim.inputs for how in product(CHANGES, (True, False)))
        same = (changed(claim, claim.inputs, lambda _, same=same: same) for same in ("0", "1", "no"))
        after = chain(one, same)  # until the first that turns it
        if before.verdict == "contradicted":
            turned = any((verdict, value) != (before.verdict, str(before.computed)) for verdict, value in after)
        else:
            turned = any(verdict in ("contradicted", "refused") for verdict, _ in after)
        idle += [] if turned else [claim.id]
    assert idle == []


def test_arithmetic_without_cells_can_fail_too():
    """Where a sentence carries its own numbers, another stated number is contradicted."""
    for claim in (each for each in CLAIMS if each.expression and not each.inputs and each.expression[0] != "@"):
        assert claim.check == "arithmetic", claim.id
        if read_stated(claim.stated) is not None:
            wrong = dataclasses.replace(claim, stated="987654321", hedge="")
            assert judge_claims([wrong], printed, CLAIMS).judged[0][1].verdict == "contradicted"


# One printed number of each document, another value for it, and the claims that turn with it.
FLIPS = {
    ("compaq_domino45/table_3_4", 3, "response_s", "110"): (
        "spindles-7-over-4 spindles-7-over-4-fig spindles-14-over-7 spindles-14-over-7-fig"
    ),
    ("compaq_netware/table_4_5", 1, "response_s", "80"): (
        "smart-heavy-cpu disk-faster-costs-cpu smart-loss-against-saving"
    ),
    ("ibm_330/notesnum", 1, "users", "2,000"): "summary-mail-users summary-mail-price-user conclusion-mail-users",
    ("domino6/peak_load", 1, "cpu_utilization_percent", "60%"): "solaris-mail-38-fits-peak solaris-saving-grows",
    ("rhel5/results", 1, "value_600_users", "500"): "domstat-again driver-600 loads-600-conclusion tables-1-4-users",
}


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: flip[0])
def test_one_flipped_number_turns_the_right_claims(flip, whole):
    """Only claims that name the cell turn, and those that are listed do."""
    id, row, column, value = flip
    frame = printed(id).copy()
    frame.loc[row - 1, column] = value
    after = judge_claims(CLAIMS, lambda each: frame if each == id else printed(each)).tidy()
    turned = set(after["id"][after["verdict"] != whole.tidy()["verdict"]])
    assert turned == set(FLIPS[flip].split())


def test_command_counts_and_exits(capsys, monkeypatch):
    """`dominoperf audit --format csv` has a row a claim; status 1 when a verdict is not the pinned one."""
    assert main(["audit", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("\n") >= len(CLAIMS)
    assert main(["audit", "--verdict", "contradicted", "--source", "ibm_330"]) == 0
    out, err = capsys.readouterr()
    assert "appb-clock" in out
    worst = audit.audit_claims("ibm_330").only("contradicted").contradictions()
    rows = [line.split()[:2] for line in out.splitlines()[2:] if line[:1] not in ("", " ")]
    assert rows[0] == worst[["bears_on", "id"]].iloc[0].tolist()
    count = len(audit.claims("ibm_330"))
    assert err.splitlines()[-1] == f"{len(worst)} of {count} claims contradicted; all verdicts as expected"
    assert main(["audit", "--source", "ibm_330", "--as", "corrected", "--topic", "memory"]) == 0
    assert re.search(r"\n\d+ of \d+ claims of the topic memory\n\Z", f"\n{capsys.readouterr().err}")
    wrong = dataclasses.replace(next(each for each in CLAIMS if each.id == "smp-mail-2p-48"), expected="unverifiable")
    monkeypatch.setattr("dominoperf.study.audit.audited.claims", lambda source=None: (wrong,))
    assert main(["audit"]) == 1
    assert "1 with another verdict than expected" in capsys.readouterr().err


def test_diffs_are_pinned_both_ways(diffs):
    """No cell differs without an erratum or a pin, and no pin is idle."""
    assert diffs.unpinned().empty
    cells = diffs.tidy()
    assert len(cells) == len(recompute.cells())
    assert set(cells["verdict"]) == {"same", "corrected", "pinned"}
    counts = diffs.glance()
    assert (counts["recomputed"] + counts["carried"] == counts["cells"]).all()


def test_none_has_the_types_of_some(whole, diffs):
    """Frames without rows, which lie beside others in one frame, and in it numbers stay numbers."""
    table = "compaq_domino45/table_2_1"
    none, some = audit.diff_table(table).tidy(), diffs.tidy()
    assert none.empty
    assert some.dtypes.equals(none.dtypes)
    assert recompute.cells_of(table).dtypes.equals(recompute.cells().dtypes)
    assert (some["row"].dtype, some["difference"].dtype) == ("int64", "float64")
    assert (diffs.glance().drop(columns="table").dtypes == "int64").all()
    assert audit.NOTHING.dtypes.equals(audit.check_consistency().dtypes)
    assert audit.Audit(()).tidy().dtypes.equals(whole.tidy().dtypes)


def test_a_differing_cell_is_news(monkeypatch):
    """An expression that gives another number, and a pin of a number that does not differ."""
    table = "compaq_domino45/table_4_5"
    cells = recompute.cells_of(table)
    wrong = cells.assign(implied=cells["implied"].where(cells.index != 0, 1.0))
    monkeypatch.setattr(recompute, "cells_of", lambda id: wrong)
    assert audit.diff_table(table).unpinned()["row"].tolist() == [cells["row"][0]]
    assert main(["diff", table]) == 1
    monkeypatch.undo()
    pin = cells.iloc[[1]].assign(regenerated=5.0, reason="a reason")
    monkeypatch.setattr(tables, "read_table", lambda path: pin)
    assert len(audit.diff_table(table).unpinned()) == 1


def test_a_pinned_cell_says_why_it_differs():
    """Only pins have a reason where there is a difference; it is that of ``differences.csv``."""
    cells = audit.diff_table("compaq_domino45/a_mail").tidy()
    assert cells[cells["verdict"] == "pinned"]["reason"].str.contains("printed to the cent").all()
    assert set(cells[cells["verdict"] != "pinned"]["reason"]) == {""}


def test_figures_give_the_values_they_must_have_shown():
    """Figure 3-2: 1920, 2850, 3400 users; a picture of which nothing survives has none; others are recoverable."""
    shown = audit.diff_table("compaq_domino45/figure_3_2").tidy()
    assert shown["regenerated"].tolist() == ["1,920", "2,850", "3,400"]
    assert set(shown["verdict"]) == {"picture lost"}
    assert shown["difference"].isna().all()
    assert set(shown["reason"]) == {"no value of the picture is printed"}
    assert audit.diff_table("compaq_domino45/figure_4_1").tidy().empty
    known = tables.figures().set_index("id")["recoverable"]
    drawn = set(recompute.figure_values()["figure"])
    assert all(known[id] != "not" for id in drawn)
    assert {id for id in known.index if known[id] == "exactly"} <= drawn
    diagrams = {"ibm_330/figure_f5", "rhel5/figure_2", "rhel5/figure_screenshots", "compaq_netware/figure_4_4"}
    assert {id for id in known.index if known[id] == "partly"} - drawn == diagrams


def test_consequences():
    """By hand: 13.22 for 17.37 is 23.9 % low; four drives of 9.1 GB hold 27.3 GB of 28; 4 readers for 2."""
    prices = price_consequences()
    assert len(prices) == 6
    assert prices["difference_percent"].iloc[0] == pytest.approx(100 * (13.22 / 17.37 - 1))
    drives = raid_consequences().set_index("server")
    assert drives["usable_gb"].tolist() == pytest.approx([45.5, 27.3])
    assert drives["enough"].tolist() == [True, False]
    assert drives[["drives_raid_5", "drives_raid_1"]].to_numpy().tolist() == [[6, 10], [5, 8]]
    assert reader_consequences()["users"].tolist() == [1200, 600]


def changed_claims(folder, changes):
    """Our claims with cells of data/claims.csv changed, by id and column."""
    table = read_printed_csv(tables.home() / folders.CLAIMS).set_index("id", drop=False)
    for id, cells in changes.items():
        table.loc[id, list(cells)] = list(cells.values())
    rows = []
    for source, claims in table.groupby("source", sort=False):  # those of a folder are of that folder
        (folder / source).mkdir()
        claims.to_csv(folder / source / folders.CLAIMS, index=False)
        rows += audit.read_claims(folder / source / folders.CLAIMS)
    return rows


def claims_of(*sources):
    """The claims of some documents, which is quicker than of all."""
    return [claim for claim in CLAIMS if claim.source in sources]


def test_no_verdict_breaks_a_rule():
    """The rules find none of our own mistakes, every exception has a reason and is needed."""
    assert audit.check_verdicts().to_dict("records") == []
    argued = read_printed_csv(tables.home() / "exceptions.csv")
    assert set(argued["rule"]) <= set(audit.RULES)
    assert argued["reason"].str.len().min() > 30


def by(inputs, expression, verdict="confirmed", reading="value", **more):
    """The cells of a claim that is tested so."""
    tested = {"inputs": inputs, "expression": expression, "reading": reading, "check": "text", "bears_on": ""}
    return tested | {"expected_verdict": verdict} | more


# Verdicts as they once were, and the rule that finds each.
ONCE = {
    "reader-share": ("corrected", by("m = claim:reader-multiplier", "100 / m", check="arithmetic")),
    "s1-over-46": ("corrected", by("t = claim:s1-usable-468", "t", stated="46", hedge="over")),
    "s2-provides-29": ("corrected", by("t = claim:s2-usable-29", "t")),
    "memory-real-users": ("expression", {"assumption": "", "expected_verdict": "confirmed"}),
    "discdb-600-memory": ("subject", by("g = table_4_6.ram_least_mb[4]", "g")),
    "fs-users": ("subject", by("a = systems.setting[76]", "a")),
    "mail-wait-15": ("subject", by("x = workload_scripts.value[10]", "x")),
    "buffer-pool-512": ("subject", by("x = server_settings.setting[8]", "x")),
    "stripe-less-cpu": (
        "subject",
        by("h = compaq_netware/table_4_3.cpu_utilization_percent[*]", "rising(h)", "conditional", "truth"),
    ),
    "aix-mail-42": ("grounds", by("x = claim:aix-mail-42-again", "x")),
    "mem-hub-no-gain": ("grounds", by("d = memory_response.direction[7-8]", "same(d, 'increase')", reading="truth")),
    "view-cpu-100": ("grounds", by("x = atomic_tasks.value[1]", "x")),
    "conclusion-cpu-58": ("grounds", by("v = cpu_upgrades.value[5,7]", "max(v)")),
    "part-ramp-96-again": ("repetition", by("a = claim:part-ramp-96", "a")),
    "raid-critical-again": ("repetition", by("a = claim:raid-critical", "a", reading="text")),
    "windows-cpu-imap-47": (
        "assumption",
        by("u = peak_load.users[27,30]", "max(u)", "contradicted", bears_on="plan", assumption="CPU goes by users"),
    ),
}


@pytest.fixture(scope="module")
def as_once(tmp_path_factory):
    """What the rules say of the verdicts as they once were, all at once."""
    changes = {id: change for id, (_, change) in ONCE.items()}
    return audit.check_verdicts(changed_claims(tmp_path_factory.mktemp("once"), changes))


@pytest.mark.parametrize("id", ONCE)
def test_a_verdict_as_it_once_was_breaks_its_rule(id, as_once):
    """Each mistake that was made in claims.csv is found where it is put back."""
    rule, _ = ONCE[id]
    assert rule in set(as_once["rule"][as_once["id"] == id])


def test_one_number_is_testable_everywhere_or_nowhere(as_once):
    """The saving of the conclusions put back, the same number in the section before it is told too."""
    assert "edit-cpu-100-486" in set(as_once["id"][as_once["rule"] == "number"])


def test_what_is_gained_is_another_number_than_what_is_carried():
    """A gain of 10,000 users need not be tested as the 10,000 users are that a server carries."""
    by_id = {claim.id: claim for claim in claims_of("domino6")}
    carried, untested = by_id["aix-imap-10000"], dataclasses.replace(by_id["aix-imap-1000"], stated="10,000")
    for readings, told in (((), True), (("value",), True), (("increase",), False)):
        rules = audit.check_verdicts([carried, dataclasses.replace(untested, readings=readings)])["rule"]
        assert ("number" in set(rules)) == told


def test_a_contradiction_needs_an_erratum():
    """An erratum taken away, all claims that only it names are told, and no other."""
    errata = tables.errata()
    gone = errata["claim_ids"].str.contains("tables-1-4-users")
    found = audit.check_verdicts(claims_of("rhel5"), errata[~gone])
    assert found[["rule", "id"]].to_numpy().tolist() == [["erratum", "tables-1-4-users"]]


def test_a_cell_that_an_erratum_corrects_turns_its_claims():
    """A correction of the fourth drive row's time: the claims that hold by it are told."""
    errata = tables.errata()
    row = errata.iloc[[0]].assign(table="table_3_4", row=4, column="response_s", printed="124", corrected="200")
    found = audit.check_verdicts(claims_of("compaq_domino45"), pd.concat([errata, row], ignore_index=True))
    assert set(found["rule"]) == {"corrected"}
    assert {"spindles-14-over-7", "spindles-14-over-7-fig"} <= set(found["id"])
    assert found["found"].str.contains("by the corrected cells").all()


@pytest.mark.parametrize(
    ("source", "ids"),
    [
        ("compaq_domino45", ["tab-3-5-repeats", "table45-repeats", "mail-least-groupware-most"]),
        ("rhel5", ["attachment-10mb"]),
    ],
)
def test_a_heading_read_otherwise_does_not_turn_what_it_explains(source, ids):
    """People of Tables 3-5 and 4-5 are those of 3-2, two users each; bytes make the 10 MB, as they make the 50 KB."""
    judged = {as_: audit.audit_claims(source, as_=as_).tidy().set_index("id") for as_ in ("printed", "suspected")}
    for id in ids:
        printed, suspected = (judged[as_].loc[id, ["verdict", "computed"]].tolist() for as_ in judged)
        assert printed == suspected
        assert printed[0] in ("confirmed", "conditional")


def test_a_wrong_pin_is_not_laid_to_an_erratum():
    """A claim pinned as confirmed that the printed cells contradict breaks no rule on errata that correct cells."""
    right = next(claim for claim in CLAIMS if claim.id == "aix-mail-10000-end")
    wrong = dataclasses.replace(right, stated="12,345")
    rows = [wrong if each is right else each for each in claims_of("domino6")]
    found = audit.check_verdicts(rows, tables.errata())
    assert found.query("rule == 'corrected' and id == 'aix-mail-10000-end'").empty


def test_an_idle_exception_is_a_problem():
    """A verdict that no longer needs its exception, and one whose claim is gone."""
    rows = [claim for claim in claims_of("domino6", "compaq_netware") if claim.id != "zos-6000-users"]
    rows = [dataclasses.replace(claim, assumption="") if claim.id == "ws-4-7" else claim for claim in rows]
    rows = [claim for claim in rows if not any(each.claim == "zos-6000-users" for each in claim.inputs)]
    found = audit.check_verdicts(rows)
    idle = found[found["rule"] == "exceptions"]
    assert set(idle["id"]) == {"zos-6000-users", "ws-4-7"}
    assert set(idle["remedy"]) == {"Take the row out of data/exceptions.csv."}


def test_check_tells_claims_that_turned_or_break_a_rule(capsys, monkeypatch, whole, as_once):
    """Each with what was expected and what to do, status 1; cells that are known to break an identity are counted."""
    against_rules = as_once[as_once["id"] == "part-ramp-96-again"].head(1)
    stated = {"hedge": "about", "stated": "4.0", "unit": "s", "computed": "3.6"}
    turned = [{"id": "x", "expected_verdict": "confirmed", "verdict": "contradicted", "claim": "c"} | stated]
    monkeypatch.setattr(audit.Audit, "unpinned", lambda self: pd.DataFrame(turned))
    monkeypatch.setattr(audit, "audit_claims", lambda: whole)
    monkeypatch.setattr(audit, "check_verdicts", lambda: against_rules)
    monkeypatch.setattr(tables, "check", lambda folder: audit.NOTHING)  # files without a problem
    assert main(["check"]) == 1
    told = capsys.readouterr().err
    assert "claim x: expected confirmed, found contradicted; stated about 4.0 s, computed 3.6 s. c" in told
    (row,) = against_rules.itertuples()
    assert f"claim part-ramp-96-again, {row.rule}: expected {row.expected}, found {row.found}. {row.remedy}" in told
    assert re.search(r"4\d cells break an identity", told)
    assert told.rstrip().endswith("1 against a rule for verdicts")


def test_pages_and_sections_are_of_the_document(source_texts):
    """Of a claim or an erratum, one at least: where two pages stand side by side, the text may have lost one number."""
    for each in (*CLAIMS, *tables.errata().itertuples()):
        text = (source_texts / tables.document(each.source)["text"]).read_text(encoding="utf-8", errors="replace")
        places = re.findall(r"\b[A-Z\d]+(?:[-.]\d+)+", each.locator)
        assert not places or any(place in text for place in places), (each.source, each.locator)


WORDS_IN_A_ROW = 7


def test_claims_are_in_our_words(source_texts):
    """No run of seven words of a claim or an erratum's reason stands in its document, numbers left aside."""
    bare = lambda text: re.sub(r"[^a-z ]+", " ", text.lower()).split()  # noqa: E731
    for source in LEAST:
        text = (source_texts / tables.document(source)["text"]).read_text(encoding="utf-8", errors="replace")
        runs = set(zip(*(bare(text)[k:] for k in range(WORDS_IN_A_ROW)), strict=False))
        for claim in (each for each in CLAIMS if each.source == source):
            words = bare(claim.claim)
            found = [run for run in zip(*(words[k:] for k in range(WORDS_IN_A_ROW)), strict=False) if run in runs]
            assert not found, (claim.id, found)


# Numbers in prose that state nothing.
NO_CLAIM = {source: set() for source in LEAST} | {
    "compaq_domino45": {23.3, 37.0},  # pages of the index: 3-23.3-44 and 3-37
    "domino6": {390.0},  # OS/390, of an author's career
    # a section, a step, a key's fingerprint, an address on the web; the publisher's telephone and address
    "rhel5": {4.2, 14, 42, 65, 91, 105, 733, 754, 888, 919, 1801, 2072, 3700, 3701, 4281, 13588, 27606, 27709},
}


@pytest.mark.parametrize("source", LEAST)
def test_no_number_of_the_prose_is_left(source, source_texts):
    """Every number of a document stands in a cell or a claim."""
    text = (source_texts / tables.document(source)["text"]).read_text(encoding="utf-8", errors="replace")
    known = set().union(*(numbers(each) for each in tables.cells(source)["printed"]))
    for claim in (each for each in CLAIMS if each.source == source):
        known |= numbers(claim.stated) | numbers(claim.claim) | numbers(claim.comment)
    assert numbers(text) - known == NO_CLAIM[source]


def numbers(text):
    """The numbers of a text, in digits and in words; headings and lines of contents number themselves."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith("#") and "....." not in line)
    found = {read_number(each.rstrip(",")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?|\.\d+", text)}
    words = {read_stated(each) for each in re.findall(r"[A-Za-z]+", text)}
    return {each for each in found if each is not None} | {each.low for each in words if each and each.low > 1}


def test_what_is_only_said_twice_is_no_evidence(whole):
    """It is neither confirmed nor holds; what a printed cell bears on, by way of another claim too, is not repeated."""
    rows = whole.tidy().set_index(["source", "id"])
    twice = rows[rows["verdict"] == "repeated"]
    assert set(twice["evidence"]) == {"another sentence"}
    assert set(rows[rows["verdict"] == "unverifiable"]["evidence"]) == {""}
    assert set(rows["evidence"]) == {*audit.EVIDENCE, ""}
    assert rows.loc[("compaq_domino45", "copyright-year"), "verdict"] == "repeated"
    (counts,) = whole.glance().to_dict("records")
    assert counts["claims"] == sum(counts[verdict] for verdict in audit.VERDICTS) == len(rows)
    by_id = {(claim.source, claim.id): claim for claim in whole.claims}
    pair = [by_id["compaq_domino45", name] for name in ("copyright-year", "edition-year")]
    cell = dataclasses.replace(pair[1], inputs=(), stated="1998", expression="1990 + 8", check="arithmetic")
    again = judge_claims([pair[0], cell], lambda id: tables.load(id, "printed", text=True))
    assert [judgement.verdict for _, judgement in again.judged] == ["confirmed", "confirmed"]


def test_causes_of_contradictions(whole, monkeypatch):
    """Each contradicted claim has one cause, plans first; one that no erratum names is a cause of its own."""
    why, wrong = audit.causes(whole), whole.contradictions()
    named = [(row.source, id) for row in why.itertuples() for id in row.claim_ids.split()]
    assert sorted(named) == sorted(zip(wrong["source"], wrong["id"], strict=True))
    assert why["claims"].sum() == len(wrong) > len(why)
    assert list(dict.fromkeys(why["bears_on"])) == ["plan", "conclusion", "wording"]
    for _, rows in why.groupby("bears_on"):  # furthest off first, then those without a number
        known = rows["times_off"].dropna()
        assert known.is_monotonic_decreasing
        assert rows["times_off"].iloc[: len(known)].notna().all()
    raid = why[why["claim_ids"].str.contains("raid5-formula")]
    assert raid[["by_print", "by_numbers", "unit", "claims", "status"]].values.tolist() == [
        [4, 5, "drive", 8, "certain"]
    ]
    assert raid["mistake"].item() == "Wrong usable share of RAID 5, in both notes."
    prices = why[why["claim_ids"].str.contains("one-price-discdb")]
    assert prices[["by_print", "by_numbers"]].to_numpy().tolist() == [[700 * 6.80, 700 * 11.77]]
    groups = audit.errata_groups()
    monkeypatch.setattr("dominoperf.study.audit.listing.errata_groups", lambda: groups.head(0))
    assert len(audit.causes(whole)) == len(wrong)
    assert set(audit.causes(whole)["status"]) == {""}


def test_a_shared_cause_is_of_contradicted_claims_and_of_several_errata_or_with_a_number(whole):
    """What ``causes.toml`` names is contradicted; a block says something that the errata alone do not."""
    wrong = set(zip(whole.contradictions()["source"], whole.contradictions()["id"], strict=True))
    for block in folders.our_toml_file("causes.toml")["cause"]:
        assert {(block["source"], id) for id in block["claims"]} <= wrong, block["claims"]
        assert len(block["claims"]) > 1 or "printed" in block
