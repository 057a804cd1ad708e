"""Errata of a data folder of one's own: how they are written, that they meet their cells, and where they are told."""

import shutil

import pandas as pd
import pytest

from dominoperf import fitting, machines, planning, runs, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable
from dominoperf.study import audit, check_data
from dominoperf.tables import carried_errata

RUNS = """system,workload,users,processors,Response time (ms),price_usd,ram_mb
S1,checkout,1000,1,250,5000,1024
S2,checkout,1850,2,300,9000,2048
S3,checkout,3100,4,410,16000,4096
S4,checkout,5000,8,650,30000,8192
"""
SERIES = """[own_users]
title = "Users by processors"
table = "runs"
x = "processors"
y = "users"
rows = {system = ["S1", "S2", "S3", "S4"]}

[own_resp]
title = "Response by processors"
table = "runs"
x = "processors"
y = "response_s"
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """What makes a folder of RUNS, or of another text, with these errata: (row, column, printed, corrected, status)."""
    monkeypatch.setenv("DOMINOPERF_DATA", "")

    def make(*errata, text=RUNS):
        (tmp_path / "runs.csv").write_text(text, encoding="utf-8")
        shutil.rmtree(tmp_path / "own", ignore_errors=True)
        tables.new(tmp_path / "own", tmp_path / "runs.csv", title="Own", source="a log", licence="CC0-1.0")
        (tmp_path / "own" / "series.toml").write_text(SERIES, encoding="utf-8")
        lines = [f"page 1,runs,{row},{','.join(map(quoted, cells))},{cells[0]} is wrong" for row, *cells in errata]
        head = "locator,table,row,column,printed,corrected,status,mistake"
        (tmp_path / "own" / "errata.csv").write_text("\n".join([head, *lines, ""]), encoding="utf-8")
        return tmp_path / "own"

    return make


def quoted(text):
    return f'"{text}"'


def mistakes(*things):
    return {erratum.mistake for erratum in carried_errata.errata_of(*things)}


@pytest.mark.parametrize(
    ("errata", "found"),
    [
        (
            [(2, "users", "9999", "100", "certain")],
            "'9999' as printed in row 2, column 'users' of own/runs, where the table prints '1850'",
        ),
        (
            [(2, "users", "1850", "100", "certain"), (2, "users", "1850", "1900", "certain")],
            "two errata of row 2, column 'users' of own/runs",
        ),
    ],
)
def test_an_erratum_that_does_not_meet_its_cell_is_not_applied(own, errata, found):
    folder = own(*errata)
    assert len(tables.check(folder)) == 1
    with tables.using(folder):
        assert tables.load("own/runs", "printed")["users"].tolist() == [1000, 1850, 3100, 5000]
        with pytest.raises(BadTable, match="dominoperf check") as told:
            fitting.fit("amdahl", "own_users")
    assert told.value.found == found


def test_an_erratum_follows_its_column_under_another_name(own):
    with tables.using(own((3, "Response time (ms)", "410", "900", "suspected"))):
        points = runs.series("own_resp")
        assert mistakes(points) == mistakes(fitting.fit("amdahl", "own_resp")) == {"Response time (ms) is wrong"}
        assert not mistakes(runs.series("own_users"))
        record = runs.find("own_resp")
        assert record.points("suspected")["response_s"].tolist() == [0.25, 0.3, 0.9, 0.65]


def test_rows_of_a_series_name_the_printed_cells(own):
    with tables.using(own((4, "system", "S4", "S4x", "certain"))):
        assert len(runs.series("own_users")) == 4


def test_a_capacity_tells_the_errata_of_the_runs_it_stands_on(own):
    folder = own((2, "users", "1850", "1200", "suspected"), (3, "price_usd", "16000", "1", "suspected"))
    asked = {"processors": 2, "ram_mb": 2048}
    answers = [machines.capacity(asked, "checkout", data=folder)]
    with tables.using(folder):
        answers += [machines.capacity("S2", "checkout"), machines.capacity(asked, "checkout").tidy()]
        answers += [machines.capacity_ratio("S1", "S2", "checkout"), machines.cheapest_upgrades("S1", "checkout", 2000)]
        answers += [machines.capacity(pd.DataFrame([asked]), "checkout")]
        assert "users is wrong" not in mistakes(machines.capacity("S2", "Mail"))
    assert [mistakes(answer) for answer in answers] == [{"users is wrong"}] * len(answers)
    rewritten = own((2, "users", "1850", "1300", "suspected"))  # another erratum of the same cells
    assert [each.corrected for each in machines.capacity(asked, "checkout", data=rewritten).errata] == ["1300"]


def test_plans_and_systems_tell_the_errata_of_their_systems(own):
    folder = own((2, "users", "1850", "1200", "suspected"), (4, "price_usd", "30000", "20000", "suspected"),
                 (1, "Response time (ms)", "250", "25", "suspected"))  # fmt: skip
    group = {"name": "a", "users": 900, "profile": "own", "workload": "checkout"}
    group |= {"ram_mb_per_user": 0.5, "disk_mb_per_user": 2}
    with tables.using(folder):
        listed = planning.systems()
        assert {"users is wrong", "price_usd is wrong", "Response time (ms) is wrong"} <= mistakes(listed)
        told = {name: mistakes(planning.plan({"system": name, "groups": [group]})) for name in ("S1", "S2", "S3", "S4")}
        choice = planning.choose({"groups": [group]}, runners_up=0)
    assert [{"users is wrong", "price_usd is wrong"} & of_plan for of_plan in told.values()] == [
        set(),
        {"users is wrong"},
        set(),
        {"price_usd is wrong"},
    ]
    assert {"users is wrong", "price_usd is wrong"} <= mistakes(choice, choice.tidy())


@pytest.mark.parametrize(
    "command",
    ["series own_users", "fit amdahl own_users", "compare processors own_users", "forecast own_users --at 16"],
)
def test_a_command_says_in_a_line_that_cells_are_corrected(own, capsys, command):
    folder = own((2, "users", "1850", "1900", "certain"), (3, "processors", "4", "5", "certain"))
    assert main([*command.split(), "--data", str(folder)]) == 0
    notes = capsys.readouterr().err.splitlines()
    assert notes.count("note: cells are corrected by certain errata: users is wrong. And 1 more.") == 1
    assert main(["tables", "own/runs", "--data", str(folder)]) == 0  # which names the cells, once
    assert capsys.readouterr().err.count("corrected by") == 1


def test_a_heading_is_met_and_its_numbers_stay_as_printed(own):
    folder = own(("", "Response time (ms)", "Response time (ms)", "Response time (s)", "certain"))
    assert tables.check(folder).empty
    with tables.using(folder):
        points = runs.series("own_resp")
        assert points["response_s"].tolist() == [0.25, 0.3, 0.41, 0.65]
        assert {each.status for each in carried_errata.errata_of(points)} == {"uncorrected"}


@pytest.mark.parametrize("corrected", ["20000 €", "20000 KB", "many", "1.5"])
def test_a_correction_is_what_a_cell_of_the_column_can_be(own, corrected):
    problems = tables.check(own((2, "users", "1850", corrected, "certain")))
    assert problems[["line", "column", "found"]].to_numpy().tolist() == [[2, "users", repr(corrected)]]


def test_check_lists_what_is_wrong_with_tables_errata_and_claims_at_once(own, capsys, monkeypatch):
    """Each file is told to its end: one mistake in a cell hides none in the errata, and none of these a claim's."""
    folder = own((1, "users", "1000", "1100", "certain"), (2, "users", "1", "2", "certain"))
    table = (folder / "runs.csv").read_text(encoding="utf-8")
    (folder / "runs.csv").write_text(
        table.replace("3100", "many").replace("S4,checkout,5000", "S4,checkout,lots"), encoding="utf-8"
    )
    head = "id,locator,topic,claim,stated,unit,reading,inputs,expression,check,expected_verdict\n"
    claims = [
        "a,p,t,c,few,user,value,u = runs.users[1],u,,confirmed",
        "b,p,t,c,9,user,value,u = runs.users[x],u,,confirmed",
        "c,p,t,c,1000,user,value,u = runs.users[1],u,,confirmed",
        "c,p,t,c,1000,user,value,u = runs.users[1],u,,confirmd",
    ]
    (folder / "claims.csv").write_text(head + "\n".join(claims) + "\n", encoding="utf-8")
    found = check_data(folder).problems
    places = found[["file", "line", "column"]].itertuples(index=False, name=None)
    of_claims = [("claims.csv", 2, "stated"), ("claims.csv", 3, "inputs"), ("claims.csv", 5, "expected_verdict")]
    of_tables = [("errata.csv", 3, "users"), ("runs.csv", 4, "users"), ("runs.csv", 5, "users")]
    assert list(places) == of_tables + of_claims
    assert main(["check", str(folder)]) == 1
    assert "own: 6 problems; numbers and verdicts are tested when" in capsys.readouterr().err
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    assert list(check_data().problems["file"]) == [f"own/{name}" for name, *_ in of_tables + of_claims]
    lines = [*claims[2:3], claims[2].replace("1000", "1100")]
    (folder / "claims.csv").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    assert check_data(folder).problems.iloc[-1][["file", "line", "column", "found"]].tolist() == [
        *("claims.csv", 3, "id", "'c'")
    ]
    with pytest.raises(BadTable, match=r"claims\.csv, line 3 \(c\), column id: expected a new id"):
        audit.read_claims(folder / "claims.csv")


def test_a_source_or_claim_of_an_erratum_that_is_none_is_told(own):
    """Another source became the folder's in silence, and a claim that does not exist was named by nothing."""
    folder = own((2, "users", "1850", "1900", "certain"), (3, "users", "3100", "3000", "certain"))
    head, first, second = (folder / "errata.csv").read_text(encoding="utf-8").splitlines()
    lines = f"{head},source,claim_ids", f"{first},own,a", f"{second},compaq_1998,a  b c"
    (folder / "errata.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "claims.csv").write_text("id\na\nb\n", encoding="utf-8")
    columns = ["line", "column", "expected", "found"]
    assert tables.check(folder)[columns].to_numpy().tolist() == [
        [3, "source", "'own', the folder, or nothing", "'compaq_1998'"],
        [3, "claim_ids", "an id of claims.csv", "'c'"],
    ]
    (folder / "claims.csv").unlink()
    assert tables.check(folder)["found"].tolist() == ["'a'", "'compaq_1998'", "'a'", "'b'", "'c'"]


def test_every_row_of_errata_that_is_none_is_told(own):
    """A row with two mistakes in the cells of its own contract is told once; each such row is."""
    folder = own((1, "users", "1000", "1100", "certain"))
    text = (folder / "errata.csv").read_text(encoding="utf-8")
    wrong = text + "p,runs,q,users,1,2,certain,S.\np,runs,2,users,1850,2,certain,S.\np,runs,1,users,1,2,maybe,S.\n"
    (folder / "errata.csv").write_text(wrong, encoding="utf-8")
    found = tables.check(folder)
    assert found["line"].tolist()[:1] == [3]
    with pytest.raises(BadTable, match="'q' in line 3, column row"), tables.using(folder):
        tables.errata()
