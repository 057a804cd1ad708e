"""The audit: how a claim is read and judged, what an expression may do, and what a folder of one's own gets."""

import csv
import json
import re
import shutil
import tomllib
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, write_package
from hypothesis import given
from hypothesis import strategies as st

from dominoperf import tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.study import PageList, audit
from dominoperf.study.audit.claim_rows import COLUMNS
from dominoperf.study.audit.sensitivity import verdict_sensitivity
from dominoperf.study.audit.verdicts import CHANGES, changes_by_reading, judge_claim_value, read_stated
from dominoperf.tables import expressions, folders

ROW = {
    "id": "more",
    "locator": "page 1",
    "topic": "users",
    "claim": "B carries 20 % more than A",
    "stated": "20",
    "unit": "%",
    "reading": "increase",
    "inputs": "old = runs.users[1]; new = runs.users[2]",
    "check": "table",
    "expected_verdict": "confirmed",
}


@pytest.mark.parametrize(
    ("column", "wrong", "near"),
    [("topic", "memmory", "memory"), ("unit", "documnt", "document"), ("unit", "procesor", "processor")],
)
def test_a_topic_or_unit_of_ours_is_a_word_of_the_vocabulary(tmp_path, monkeypatch, column, wrong, near):
    """A slip is told with what is near; a folder of the user's may have words of its own."""
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for folder in (theirs, ours):
        folder.mkdir()
        write_claims(folder, {"topic": "memory"} | {column: wrong})
    shutil.copy(ROOT / "data" / "claim_words.toml", ours)
    monkeypatch.setattr(tables, "home", lambda: ours)
    assert getattr(audit.read_claims(theirs / "claims.csv")[0], column) == wrong
    with pytest.raises(UnknownName, match=f"column {column}: .*{wrong}.*{near}"):
        audit.read_claims(ours / "claims.csv")


def test_each_word_of_claims_is_used():
    """The vocabulary has no dead words; every claim of ours keeps it."""
    words = tomllib.loads((ROOT / "data" / "claim_words.toml").read_text(encoding="utf-8"))
    ours = audit.read_claims(ROOT / "data" / "claims.csv")
    assert {claim.topic for claim in ours} == set(words["topics"])
    assert set(words["units"]) <= {claim.unit for claim in ours}


def write_claims(folder, *rows):
    """Write the claims of a folder, each a dict over ROW."""
    with open(folder / "claims.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(ROW | row for row in rows)


@pytest.fixture
def mine(folder, monkeypatch):
    """A folder in use of two runs, of 1,000 and 1,200 users."""
    (folder / "runs.csv").write_text('system,users,unit\nA,"1,000",user\nB,"1,200",user\n', encoding="utf-8")
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    return folder


@pytest.mark.parametrize(
    ("text", "low", "high", "steps"),
    [
        ("1,425", 1425, 1425, 1),
        ("$13.22", 13.22, 13.22, 0.01),
        ("20-30", 20, 30, 1),
        ("2.5-3", 2.5, 3, (0.1, 1)),
        ("44.4%", 44.4, 44.4, 0.1),
        ("three", 3, 3, 1),
        ("twice", 2, 2, 0.1),
        ("30-20", 20, 30, 1),  # as in "rose 30-20 %"
        ("two to three", 2, 3, 1),
        ("3 or 4", 3, 4, 1),
        ("-5 to -3", -5, -3, 1),
        ("−5", -5, -5, 1),  # the sign of print
    ],
)
def test_stated_numbers(text, low, high, steps):
    """Digits, ranges and words, each end with the unit of its last digit."""
    stated = read_stated(text)
    assert (stated.low, stated.high) == (low, high)
    assert [stated.low_step, stated.high_step] == pytest.approx(np.broadcast_to(steps, 2))


@pytest.mark.parametrize("text", ["yes", "RAID 1", "ProLiant 5000", "", "twenty-five", "1/3"])
def test_stated_texts(text):
    """What is no number is compared as a text."""
    assert read_stated(text) is None


@given(st.floats(0.01, 1e6), st.floats(0, 0.49))
def test_half_a_unit_of_the_last_digit(number, share):
    """A number agrees with its own print, and with all that rounds to it; not with the next."""
    printed = f"{number:.2f}"
    stated = read_stated(printed)
    assert stated.agrees(float(printed) + share * 0.01)
    assert not stated.agrees(float(printed) + 0.011)


@pytest.mark.parametrize(
    ("stated", "computed", "hedge", "unit", "verdict"),
    [
        ("48", 48.4, "", "%", "confirmed"),
        ("48", 48.6, "", "%", "contradicted"),
        ("48", 48.6, "about", "%", "approximate"),
        ("48", 49.1, "about", "%", "contradicted"),  # more than a point off
        ("48", 50.2, "about", "percent", "contradicted"),
        ("500", 409, "up to", "%", "contradicted"),
        ("100", 104.9, "about", "user", "approximate"),
        ("100", 105.1, "about", "user", "contradicted"),
        ("60", 64, "over", "%", "confirmed"),  # a floor
        ("60", 59.2, "over", "%", "approximate"),
        ("60", 12, "less than", "s", "confirmed"),  # a ceiling
        ("60", 70, "less than", "s", "contradicted"),
        ("400", 900, "not exceeding", "user", "contradicted"),
        ("400", 900, "No more than", "user", "contradicted"),  # at the head of a sentence
        ("400", 900, "never more than", "user", "contradicted"),
        ("400", 300, "without exceeding", "user", "confirmed"),
        ("400", 900, "notably above", "user", "confirmed"),
        ("20-30", np.array([22, 31]), "", "%", "contradicted"),  # all of them
        ("20-30", np.array([22, 30.4]), "", "%", "confirmed"),
        ("2.5-3", 2.45, "", "", "confirmed"),  # half a unit of each end's own digits
        ("3-2.5", 3.45, "", "", "confirmed"),
        ("yes", False, "", "", "contradicted"),
        ("ProLiant 5000", "Proliant  5000", "", "", "confirmed"),
        ("ProLiant 5000", "ProLiant 7000", "", "", "contradicted"),
        ("5", float("nan"), "", "", "unverifiable"),
        ("1500", 1480.0, "exactly", "", "contradicted"),
        ("1500", 1480.0, "not exactly", "", "approximate"),
    ],
)
def test_verdicts(stated, computed, hedge, unit, verdict):
    """House rules: half a unit; hedged 5 %, or 1 point; floors and ceilings; ranges hold all."""
    assert judge_claim_value(stated, {"value": computed}, hedge=hedge, unit=unit).verdict == verdict


def test_an_assumption_caps_the_verdict():
    """What agrees only under an assumption, exactly or nearly, is conditional; what does not stays contradicted."""
    assert judge_claim_value("5", {"value": 5.0}, assumption="CPU proportional to users").verdict == "conditional"
    assert (
        judge_claim_value("5", {"value": 5.2}, hedge="about", assumption="CPU proportional to users").verdict
        == "conditional"
    )
    assert judge_claim_value("5", {"value": 9.0}, assumption="CPU proportional to users").verdict == "contradicted"


def test_the_reading_that_agrees_best_is_told():
    """From 100 to 80: 20 % shorter, 25 % faster, 80 % of it, 20 points less."""
    found = changes_by_reading(100.0, 80.0, "%", CHANGES)
    assert found == pytest.approx({"increase": -20, "decrease": 20, "faster": 25, "ratio": 80, "difference": -20})
    judged = judge_claim_value("25", {name: found[name] for name in ("decrease", "faster")}, unit="%")
    assert (judged.verdict, judged.reading) == ("confirmed", "faster")
    assert judged.others == (("decrease", pytest.approx(20)),)
    none = judge_claim_value("40", {name: found[name] for name in ("decrease", "faster")}, unit="%")
    assert (none.verdict, none.reading) == ("contradicted", "faster")  # the nearest


def test_claims_of_ones_own(mine):
    """A folder's claims join ours, judged by its own cells; its name is their source."""
    other = {"id": "total", "claim": "Both carry 2,200 users", "stated": "2,200", "unit": "user", "reading": "sum"}
    write_claims(mine, {}, other | {"inputs": "users = runs.users[*]", "expression": "sum(users)"})
    found = audit.audit_claims("mine")
    assert found.tidy()["verdict"].tolist() == ["confirmed", "confirmed"]
    assert found.tidy()["source"].tolist() == ["mine", "mine"]
    assert len(audit.claims()) == len(audit.claims("mine")) + sum(
        len(audit.claims(s.name)) for s in folders.our_data_folders()
    )


@pytest.mark.parametrize("heading", ["Antwort (ms)", "CPU %", "mean [ms]"])
def test_a_claim_names_a_heading_as_it_is_written(tmp_path, monkeypatch, heading):
    """With its blanks, brackets and units, as spreadsheets have them."""
    (tmp_path / "runs.csv").write_text(f"system,{heading}\nA,250\nB,300\n", encoding="utf-8")
    tables.new(tmp_path / "own", tmp_path / "runs.csv", title="t", source="s", licence="CC0-1.0", units={heading: "1"})
    write_claims(tmp_path / "own", {"inputs": f"old = runs.{heading}[1]; new = runs.{heading}[2]"})
    monkeypatch.setenv("DOMINOPERF_DATA", str(tmp_path / "own"))
    assert audit.audit_claims("own").tidy()["verdict"].tolist() == ["confirmed"]


@pytest.fixture
def timed(mine):
    """Four runs with times in ms and in s, a release, and cells that are empty: two of D, one of B."""
    rows = ["A,1000,250,0.25,5.10,40", "B,1850,300,0.30,512,", "C,3100,1200,1.2,x,75", "D,,275,,y,90"]
    text = "\n".join(["system,users,mean_ms,mean_s,release,busy", *rows, ""])
    (mine / "runs.csv").write_text(text, encoding="utf-8")
    package = json.loads((mine / "datapackage.json").read_text(encoding="utf-8"))
    units = {"users": "user", "mean_ms": "ms", "mean_s": "s", "busy": "percent"}
    package["resources"][0]["schema"]["fields"] = [
        {"name": name, "description": name} | ({"type": "number", "unit": units[name]} if name in units else {})
        for name in ("system", "users", "mean_ms", "mean_s", "release", "busy")
    ]
    write_package(mine, package)
    return mine


EACH = "u = runs.users[*]"
OF_B = "a = runs.mean_ms[2]; b = runs.mean_s[2]"


@pytest.mark.parametrize(
    ("stated", "unit", "reading", "inputs", "expression", "verdict", "computed"),
    [
        ("250", "ms", "value", "r = claim:base", "r", "confirmed", "250"),
        ("0.25", "s", "value", "r = runs.mean_ms[1] in ms", "r / 1000", "confirmed", "0.25"),
        ("yes", "", "truth", "a = runs.mean_ms[2]; b = runs.mean_s[2] in s", "a == 1000 * b", "confirmed", "yes"),
        ("0.40", "MB", "value", "p = runs.busy[1]", "p / 100", "confirmed", "0.4"),  # a percentage is no memory
        ("85", "percent", "increase", "old = runs.users[1]; new = runs.users[2]", "", "confirmed", "85"),
        ("10", "%", "faster", "old = runs.mean_ms[4]; new = runs.mean_ms[1]", "", "confirmed", "10"),
        ("5.10", "", "text", "r = runs.release[1]", "r", "confirmed", "5.10"),
        ("5.1", "", "text", "r = runs.release[1]", "r", "contradicted", "5.10"),
        ("yes", "", "truth", EACH, "rising(u)", "unverifiable", ""),
        ("no", "", "truth", "a = runs.users[3]; b = runs.users[4]", "b > a", "unverifiable", ""),
        ("no", "", "truth", "a = runs.users[3]; b = runs.users[4]", "same(a, b)", "unverifiable", ""),
        ("no", "", "truth", "u = runs.users[4]", "not u", "unverifiable", ""),
        ("4", "", "count", "u = runs.busy[*]", "count(u)", "unverifiable", ""),
        ("3", "", "count", "u = runs.busy[*]", "count(known(u))", "confirmed", "3"),
        ("yes", "", "truth", EACH, "all(known(u) > 500) and rising(known(u))", "confirmed", "yes"),
        ("yes", "", "truth", "u = runs.users[4]", "all(known(u) > 500)", "unverifiable", ""),
    ],
)
def test_what_a_claim_of_its_cells_is_worth(timed, stated, unit, reading, inputs, expression, verdict, computed):
    """Nothing is converted, a text is its print, and nothing is said of what is not there."""
    base = {"id": "base", "stated": "250", "unit": "ms", "reading": "value"}
    base |= {"inputs": "r = runs.mean_ms[1]", "expression": "r"}
    write_claims(
        timed,
        base,
        {"stated": stated, "unit": unit, "reading": reading, "inputs": inputs, "expression": expression},
    )
    found = audit.audit_claims("mine").tidy()
    assert found[["verdict", "computed"]].to_numpy().tolist() == [["confirmed", "250"], [verdict, computed]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"inputs": "old = runs.users[1-2]; new = runs.users[1-3]"}, "pairs of old and new.*2 of old and 3 of new"),
        ({"reading": "truth", "inputs": "u = runs.users[1-3]", "expression": "u > 500"}, r"write all\(...\) or any\("),
        ({"reading": "value", "inputs": "u = runs.users[1-3]", "expression": "u > 500"}, "numbers, by the reading"),
        ({"reading": "text", "inputs": "u = runs.users[1]", "expression": "u + 0"}, "one text, by the reading"),
        ({"reading": "truth", "inputs": "r = runs.release[2]", "expression": "r == '512'"}, "write it without quotes"),
        ({"reading": "truth", "inputs": "u = runs.users[1]", "expression": "rising(u)"}, "two values or more"),
        ({"reading": "value", "inputs": "", "expression": "9" * 400}, "can be computed"),
        (
            {"unit": "s", "reading": "value", "inputs": "r = runs.mean_ms[1]", "expression": "r"},
            r"numbers in one unit, found ms beside s.*write 'r = mine/runs.mean_ms\[1\] in ms', and an expression",
        ),
        ({"reading": "truth", "inputs": OF_B, "expression": "a > 1000 * b"}, "s beside ms"),
        ({"inputs": "old = runs.mean_ms[2]; new = runs.mean_s[2] in s"}, "s beside ms"),  # and nothing converts it
        ({"reading": "value", "unit": "MB", "inputs": "m = claim:heap", "expression": "m"}, "GB beside MB"),
        ({"reading": "value", "inputs": "m = claim:heap in MB", "expression": "m"}, "write 'm = claim:heap in GB'"),
        ({"reading": "value", "inputs": "r = runs.release[2] in s", "expression": "r"}, "found no unit beside s"),
        (
            {"reading": "faster", "inputs": "old = runs.users[1]; new = runs.users[2]"},
            "two times, found user.*increase",
        ),
    ],
)
def test_a_claim_that_may_mean_two_things_is_not_judged(timed, change, told):
    """Its error says what was found and what to write; the claims beside it are judged."""
    heap = {"id": "heap", "stated": "4", "unit": "GB", "reading": "value", "expression": "2 + 2", "check": "arithmetic"}
    write_claims(timed, heap | {"inputs": ""}, {"stated": "yes" if change.get("reading") == "truth" else "1"} | change)
    found = audit.audit_claims("mine")
    assert found.tidy()["verdict"].tolist() == ["confirmed"]
    assert re.search(told, found.unpinned()["comment"].item(), re.IGNORECASE)


def test_an_empty_cell_is_unknown(mine):
    """No number is made of nothing: the claim is unverifiable, and says why."""
    write_claims(mine, {})
    (mine / "runs.csv").write_text('system,users,unit\nA,"1,000",user\nB,,user\n', encoding="utf-8")
    found = audit.audit_claims("mine").tidy()
    assert found[["verdict", "comment"]].to_numpy().tolist() == [["unverifiable", "A cell that it names is empty."]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"id": "No Capitals"}, "column id"),
        ({"reading": "guess"}, "column reading"),
        ({"expected_verdict": "contradicted"}, "column bears_on"),
        ({"bears_on": "plan"}, "column bears_on"),
        ({"expected_verdict": "unverifiable", "inputs": "", "reading": ""}, "column comment"),
        ({"inputs": "old is runs.users[1]"}, "column inputs"),
        ({"inputs": "old = runs.users[2-1]"}, "column inputs"),
        ({"inputs": "old = runs.users[1,*]"}, "column inputs"),
        ({"reading": "sum"}, "column expression"),
        ({"stated": "twenty-five"}, "column stated"),
        ({"inputs": "", "reading": "", "assumption": "x", "expected_verdict": "unverifiable"}, "assumption|comment"),
    ],
)
def test_rows_that_break_the_contract(mine, change, told):
    """File, row, id and column, and what was expected there."""
    write_claims(mine, change)
    with pytest.raises(
        BadTable, match=rf"claims.csv, line 2 \(.*\), column ({told.removeprefix('column ')}).*expected"
    ):
        audit.audit_claims("mine")


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": "old = nothing.users[1]; new = runs.users[2]"},
        {"inputs": "old = runs.cost[1]; new = runs.users[2]"},
        {"inputs": "old = runs.users[1]; new = runs.users[3]"},
        {"inputs": "old = runs.users[1]; new = claim:other"},
        {"reading": "value", "expression": "old.tofile('x')"},
        {"reading": "value", "expression": "@nothing"},
        {"inputs": "old = runs.system[1]; new = runs.users[2]"},
    ],
)
def test_claims_that_cannot_be_computed(mine, change, capsys):
    """It is named, with what is wrong with it, and the others are judged; `audit` and `check` end with status 1."""
    write_claims(mine, {"id": "wrong"} | change, {})
    found = audit.audit_claims("mine")
    assert found.tidy()[["id", "verdict"]].to_numpy().tolist() == [["more", "confirmed"]]
    ((claim, error),) = found.failed
    assert claim.id == "wrong"
    assert isinstance(error, DominoperfError)
    assert found.unpinned()[["id", "verdict"]].to_numpy().tolist() == [["wrong", ""]]
    assert len(verdict_sensitivity("mine")[1]) == 5
    for command in (["audit", "--source", "mine"], ["check", str(mine)]):
        assert main(command) == 1
        told = capsys.readouterr().err
        assert "claim wrong" in told
        assert "not judged: " in told
        assert "Traceback" not in told


def test_a_word_that_is_no_hedge_is_told_with_those_there_are(mine, capsys):
    """Any word allowed 5 %: a banana before a number made it approximate."""
    write_claims(mine, {"hedge": "nearly"}, {"id": "next", "hedge": "in general, well below"})
    assert [claim.hedge for claim in audit.claims("mine")] == ["nearly", "in general, well below"]
    write_claims(mine, {}, {"id": "next", "hedge": "abuot"}, {"id": "last", "hedge": "banana"})
    with pytest.raises(UnknownName, match=r"line 3 \(next\), column hedge: .*'abuot'.*about"):
        audit.audit_claims("mine")
    assert main(["check", str(mine)]) == 1
    told = capsys.readouterr().out
    assert "banana" in told
    assert "at least" in told


def test_a_file_without_its_columns(mine):
    """Missing columns are named; the optional ones may be left out."""
    optional = ("source", "bears_on", "comment", "assumption", "hedge")
    columns = [name for name in COLUMNS if name not in optional]
    pd.DataFrame([ROW]).reindex(columns=columns, fill_value="").to_csv(mine / "claims.csv", index=False)
    assert audit.audit_claims("mine").unpinned().empty
    (mine / "claims.csv").write_text("id,claim\na,b\n", encoding="utf-8")
    with pytest.raises(BadTable, match="no locator, topic"):
        audit.audit_claims("mine")


def test_a_claim_of_ones_own_is_of_its_folder(mine, capsys):
    """A source that says so is taken; another one would hide the claim, or take the place of one of ours."""
    source, ours = "compaq_domino45", audit.claims("compaq_domino45")
    write_claims(mine, {"source": "mine"}, {"source": "", "id": "next"})
    assert [claim.source for claim in audit.claims("mine")] == ["mine", "mine"]
    write_claims(mine, {"source": source, "id": ours[0].id})
    with pytest.raises(BadTable, match=f"line 2 .*column source: expected 'mine', .*found '{source}'.*Empty the cell"):
        audit.audit_claims("compaq_domino45")
    assert main(["check", str(mine)]) == 1
    assert f"found '{source}'" in capsys.readouterr().out


def test_ids_are_taken_once(mine):
    """Two rows of one id could not be told apart."""
    write_claims(mine, {}, {})
    with pytest.raises(BadTable, match="a new id"):
        audit.audit_claims("mine")


def test_text_of_a_claim_is_text(mine):
    """A claim with markup shows as its letters; in the list, the terminal and CSV."""
    write_claims(mine, {"claim": "<script>alert(1)</script>", "comment": "=cmd|' /C calc'!A0", "topic": "<b>"})
    whole = audit.audit_claims("mine")
    page = PageList("claims", whole.tidy())._repr_html_() + whole._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page


def test_unknown_choices_are_named():
    """Sources, verdicts and topics that do not exist."""
    with pytest.raises(UnknownName, match="compaq_domino45"):
        audit.audit_claims("compaq")
    with pytest.raises(UnknownName, match="contradicted"):
        audit.audit_claims("domino6").only("wrong")
    with pytest.raises(UnknownName, match="topic"):
        audit.audit_claims("domino6").only(topic="nothing")


def test_check_of_a_folder_tests_its_claims(mine, capsys, monkeypatch):
    """Status 0 where they are as pinned, 1 where one is not or a row cannot be used."""
    monkeypatch.delenv("DOMINOPERF_DATA")
    write_claims(mine, {})
    assert main(["check", str(mine)]) == 0
    write_claims(mine, {"stated": "30"})
    assert main(["check", str(mine)]) == 1
    assert "claim more: expected confirmed, found contradicted" in capsys.readouterr().err
    write_claims(mine, {"reading": "guess"})
    assert main(["check", str(mine)]) == 1
    assert "claims.csv, line 2, column reading: expected" in capsys.readouterr().out


def test_pages_are_compared_as_pages(mine):
    """An erratum of page 3-16 is none of page 3-1, whose name begins as its own does."""
    write_claims(mine, {"locator": "page 3-1, sentence 2", "expected_verdict": "confirmed"})
    (claim,) = audit.claims(mine.name)
    assert claim.page == "3-1"
    right = audit.claims("compaq_domino45")[0]
    wrong = tables.errata().query("table == ''").head(1).assign(source=right.source, status="certain")
    stated = replace(right, locator="page 3-1", stated="20", expected="confirmed", inputs=(), expression="20")
    for locator, count in (("page 3-16/3-19", 0), ("page 3-1, item 4", 1)):
        found = audit.check_verdicts(
            [stated], wrong.assign(locator=locator, printed="20", corrected="30", claim_ids="")
        )
        assert (found["rule"] == "corrected").sum() == count


@pytest.mark.parametrize("expression", ["max(" + ",".join(["x"] * 60) + ")", "same(" + ",".join(["t"] * 60) + ")"])
def test_an_expression_over_too_many_values_is_refused_before_it_is_computed(expression):
    """A table of a hundred thousand rows, named sixty times; named once it is computed."""
    names = {"x": np.arange(100_000.0), "t": np.array(["a"] * 1_000, dtype=object)}
    with pytest.raises(BadTable, match="more than 5,000,000 numbers"):
        expressions.evaluate(expression, names, expressions.FUNCTIONS, "claims.csv, line 2")
    assert expressions.evaluate("max(x) if same(t) else 0", names, expressions.FUNCTIONS, "line 2") == 99_999


def by_formula(expression, **names):
    """The value of an expression as a claim has it."""
    return expressions.evaluate(expression, names, expressions.FUNCTIONS, "line 2")


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_interp_reads_a_table_in_any_order(order):
    """Six processors are halfway from four to eight, in an appendix that begins with the largest too."""
    n, u = np.array([1.0, 2.0, 4.0, 8.0])[order], np.array([100.0, 190.0, 340.0, 560.0])[order]
    assert by_formula("interp(6, n, u)", n=n, u=u) == 450
    assert by_formula("interp(6, n, u)", n=np.append(n, np.nan), u=np.append(u, 7.0)) == 450
    with pytest.raises(BadTable, match="two values at one place"):
        by_formula("interp(6, n, u)", n=np.append(n, 8.0), u=np.append(u, 570.0))


def test_arithmetic_of_claims_is_that_of_printed_decimals():
    """What a person reckons with pencil and paper: halves are rounded away from zero, and 0.1 + 0.2 is 0.3."""
    rng = np.random.default_rng(3)
    for digits in (-2, 0, 2, 3):
        printed = [Decimal(int(n)).scaleb(-k) for k in range(6) for n in rng.integers(-(10**7), 10**7, 100)]
        right = [float(number.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)) for number in printed]
        assert by_formula(f"round(x, {digits})", x=np.array(printed, float)).tolist() == right
    rounded = {"round(1.005, 2)": 1.01, "round(57 / 200, 2)": 0.29, "round(-2.5)": -3, "round(1.004999, 2)": 1.0}
    whole = {"floor(0.6 / 0.2)": 3, "ceil((0.1 + 0.2) / 0.1)": 3, "floor(2.999999)": 2, "ceil(3.000001)": 4}
    for expression, right in (rounded | whole).items():
        assert by_formula(expression) == right, expression
    for true in ("0.1 + 0.2 == 0.3", "1.1 * 3 <= 3.3", "near(1.1, 1, 10)", "0.3 != 0.300001", "0.3 < 0.300001"):
        assert by_formula(true), true
    for false in ("0.1 + 0.2 != 0.3", "1.1 * 3 > 3.3", "near(1.100001, 1, 10)", "10000000000001 == 10000000000000"):
        assert not by_formula(false), false
