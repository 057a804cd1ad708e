"""Our own data keep their contract, and agree with what is written beside them."""

import csv
import json
import re
import shutil
import tomllib
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT

from dominoperf import runs, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.planning import rules_named
from dominoperf.study.audit import verdicts
from dominoperf.tables import (
    check,
    describe,
    errata,
    figures,
    generating,
    home,
    list_tables,
    load,
    locators,
    resolution,
    units,
    validation,
    vocabulary,
)
from dominoperf.tables.generating import generate_descriptors
from dominoperf.tables.reading import read_number, read_printed_csv

DATA = home()


@pytest.mark.parametrize("folder", [None, DATA])
def test_no_problems(folder):
    """The same check that a user's folder gets, of the folders in use and of the folder that holds them."""
    assert check(folder).to_dict("records") == []


def test_a_stale_descriptor_is_seen(tmp_path, monkeypatch, capsys):
    """Ours are up to date; one changed digit makes one stale, which `make check` refuses until it is renewed."""
    shutil.copytree(DATA, tmp_path / "data")
    monkeypatch.setattr(generating, "home", lambda: tmp_path / "data")
    assert generating.write_or_check_descriptors(["--check"]) == 0
    path = tmp_path / "data" / "ibm_330" / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("2,917", "2,918"), encoding="utf-8")
    assert generating.write_or_check_descriptors(["--check"]) == 1
    assert "ibm_330/datapackage.json is stale" in capsys.readouterr().err
    assert [each.parent.name for each in generate_descriptors(tmp_path / "data")] == ["ibm_330"]
    assert generate_descriptors(tmp_path / "data") == []


def test_every_document_is_complete():
    """The number of tables and views, and of figures, that the inventory of the five documents asks for."""
    counts = list_tables()["id"].str.partition("/")[0].value_counts().to_dict()
    assert counts == {"compaq_domino45": 32, "compaq_netware": 11, "ibm_330": 15, "domino6": 12, "rhel5": 27}
    assert len(figures()) == 53


def test_vocabulary_is_sorted_and_used():
    """Every name once, in order, each with a meaning."""
    names = [line.split(" =")[0] for line in (DATA / "columns.toml").read_text().splitlines() if " = {" in line]
    assert names == sorted(set(names))
    assert all(known["meaning"] for known in vocabulary().values())


def test_figures_name_tables_that_exist():
    """`from_tables` leads somewhere; what is recoverable exactly names where from."""
    ids = set(list_tables()["id"])
    for figure in figures().itertuples():
        assert set(figure.from_tables.split()) <= ids, figure.id
        assert figure.recoverable in ("exactly", "partly", "not")
        assert figure.from_tables or figure.recoverable != "exactly", figure.id


@pytest.mark.parametrize("id", [id for id in list_tables()["id"] if resolution(id)])
def test_resolution_divides_the_printed_numbers(id):
    """A stated step is one that every printed number of the column is a multiple of."""
    for column, step in resolution(id).items():
        assert (load(id, "printed")[column] % step == 0).all()


def test_rules_agree_with_tables_and_examples():
    """The multipliers of rules.toml are those of the summary tables, or stand in the worked examples on their page."""
    rules = {name: rules_named(name).steps for name in ("compaq_1998", "corrected")}
    summary = [*load("compaq_domino45/table_4_1")["formula"], *load("compaq_domino45/table_4_2")["formula"]]
    divisors = [int(re.search(r"/(\d)$", formula)[1]) for formula in summary]
    names = ["light_mail", "medium_mail", "heavy_mail", "maildb_reader", "maildb_active"]
    assert [rules["corrected"]["users"][name]["multiplier"] for name in names] == divisors
    examples = load("compaq_domino45/worked_examples")
    printed = examples[examples["quantity"] == "multiplier in the formula"]
    rows = [rules["compaq_1998"]["users"][name] for name in names]
    assert [row["multiplier"] for row in rows] == list(printed["value"])
    assert [row["locator"] for row in rows] == [f"page {place}" for place in printed["locator"]]
    for name in ("groupware", "discdb"):  # neither is converted: Table 4-4 divides by nothing, Table 4-3 is lost
        assert {rules[each]["users"][name]["multiplier"] for each in rules} == {1}


def test_memory_tables_printed_thrice_agree():
    """Tables 3-2, 3-5 and 4-5 print one rule, 3-3, 3-6 and 4-6 another; recommended is minimum plus 64 MB in all."""
    for names in (("table_3_2", "table_3_5", "table_4_5"), ("table_3_3", "table_3_6", "table_4_6")):
        first, *others = (load(f"compaq_domino45/{name}").to_numpy().tolist() for name in names)
        assert all(other == first for other in others)
        assert all(recommended - least == 64 for *_, least, recommended in first)


def test_csv_files_are_plain():
    """UTF-8, line feeds, no blank at either end of a cell."""
    for path in sorted(DATA.glob("**/*.csv")):
        text = path.read_bytes().decode("utf-8")
        assert "\r" not in text
        assert text.endswith("\n")
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        assert [cell for cell in cells if cell != cell.strip()] == [], path.name


def test_series_meet_their_rows():
    """Every named series has points, each with a place."""
    for name in runs.list_series()["series"]:
        runs.find(name).left_out_points()
        points = runs.series(name)
        assert len(points) >= 2
        assert points["locator"].str.contains("row").all()


def test_no_row_is_lost():
    """The number of rows of every table, as counted on the pages by two people."""
    counts = {row.id: row.rows for row in list_tables().itertuples()}
    pinned = tomllib.loads((ROOT / "tests" / "samples" / "rows.toml").read_text(encoding="utf-8"))
    assert counts == {f"{source}/{name}": rows for source, tables in pinned.items() for name, rows in tables.items()}


def test_rules_are_the_published_formulas():
    """A table of this kind gets no errors when it is fitted: none too many, none too few."""
    kinds = list_tables().set_index("id")["kind"]
    memory, users = ("3_2", "3_3", "3_5", "3_6", "4_5", "4_6"), ("4_1", "4_2", "4_3", "4_4")
    assert set(kinds[kinds == "rule"].index) == {f"compaq_domino45/table_{number}" for number in memory + users}


def test_a_name_that_ends_in_its_unit_has_it():
    """`response_s` is in seconds."""
    ends = {"_s": "s", "_mb": "MB", "_gb": "GB", "_percent": "percent", "_tpm": "tpm", "_min": "min", "_ms": "ms"}
    for name, unit in units().items():
        for end, wanted in ends.items():
            if name.endswith(end) and "_per_" not in name:
                assert unit == wanted, name


def test_a_certain_erratum_has_what_is_right_or_says_why_not():
    """What a document does not say nobody can correct; the evidence then ends with that."""
    errata = tables.errata()
    lacking = errata[(errata["status"] == "certain") & (errata["corrected"] == "")]
    assert lacking["shown_by"].str.endswith("the document does not say.").all()


def test_errata_stand_where_their_row_does():
    """The place of an erratum is that of the row it corrects."""
    for item in errata().itertuples():
        if item.table:
            id = f"{item.source}/{item.table}"
            place = describe(id).locator if pd.isna(item.row) else locators(id)[item.row - 1]
            assert item.locator.partition(", ")[0] in place


def test_consequence_is_the_arithmetic():
    """By how much a price per user is misread."""
    for item in errata().itertuples():
        if item.column == "price_per_user_usd" and pd.notna(item.row):
            share = 1 - read_number(item.printed) / read_number(item.corrected)
            assert f"{share:.0%}".replace("%", " %") in item.consequence


def test_what_people_write_keeps_its_schema():
    """Runs, series, rules, the run list, claims and errata; the schema's words are those of the code."""
    home, toml = tables.home(), lambda path: tomllib.loads(path.read_text(encoding="utf-8"))
    said = [("series", block) for block in toml(home / "series.toml").values()]
    said += [("benchmarks", toml(home / "benchmarks.toml")["runs"]), ("rules", toml(home / "rules.toml"))]
    said += [("runs", toml(ROOT / "notebooks" / "runs.toml"))]
    said += [(kind, row) for kind in ("claims", "errata")
             for row in read_printed_csv(home / f"{kind}.csv").to_dict("records")]  # fmt: skip
    assert len(said) > 1000
    assert [fault for kind, value in said if (fault := validation.schema_fault(kind, value))] == []
    for reading in verdicts.READINGS:
        claim = read_printed_csv(home / "claims.csv").iloc[0].to_dict() | {"reading": reading, "expression": "1"}
        assert not validation.schema_fault("claims", claim)
    schema = json.loads((Path(validation.__file__).parent / "schemas" / "claims.json").read_text(encoding="utf-8"))
    assert tuple(schema["properties"]["expected_verdict"]["enum"]) == verdicts.VERDICTS


@pytest.mark.parametrize(
    ("kind", "value", "where", "says"),
    [
        ("benchmarks", [{"tabel": "runs"}], (0,), "tabel"),
        ("benchmarks", [{"table": "runs", "columns": {"users": 3}}], (0, "columns", "users"), "3"),
        ("benchmarks", [{"table": "runs", "facts": [{"table": "a", "kye": "b"}]}], (0, "facts", 0), "kye"),
        ("series", {"title": "T", "table": "a", "x": "x", "y": "y", "rows": {"cpu": "P6"}}, ("rows", "cpu"), "P6"),
        (
            "rules",
            {"own": {"disk": {"mail_mb": {"value": True, "locator": "p"}}}},
            ("own", "disk", "mail_mb", "value"),
            "",
        ),
        ("rules", {"own": {"disk": {"mail_mb": {"locator": "p"}}}}, ("own", "disk", "mail_mb"), "locator"),
        ("runs", {"00_sources": {"frist": True}}, ("00_sources",), "frist"),
        ("runs", {"00_sources": {"first": 1}}, ("00_sources", "first"), "1"),
    ],
)
def test_a_fault_has_its_place(kind, value, where, says):
    fault = validation.schema_fault(kind, value)
    assert (fault.path, says in fault.found) == (where, True)
    assert fault.expected
    assert fault.remedy
    with pytest.raises(
        (BadTable, UnknownName), match="Did you mean" if fault.expected == "a known key" else "expected"
    ):
        validation.validate_by_schema(kind, value, "file")
