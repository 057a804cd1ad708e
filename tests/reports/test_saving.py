"""Each number of a report leads back to its page: by a place per row, or by what the table is computed from."""

import ast
import csv
import fnmatch
import json
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest

from dominoperf import reports, runs, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.reports import linking, saving
from dominoperf.reports.notebooks import notebooks_folder
from dominoperf.study import audit, paired_runs
from dominoperf.tables.folders import DESCRIPTOR

SAVED = notebooks_folder().parent / "reports" / "tables"
MAIL = "compaq_domino45/a_mail"
GAINS = "compaq_netware/cpu_upgrades"


def saves():
    """Every table that a notebook saves: notebook, name as a pattern, and what it is told to stand on, in code."""
    for path in sorted(notebooks_folder().glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for source in ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]:
            for call in [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]:
                if ast.unparse(call.func) == "dp.save":
                    named = call.args[1]
                    parts = named.values if isinstance(named, ast.JoinedStr) else [named]
                    name = "".join(part.value if isinstance(part, ast.Constant) else "*" for part in parts)
                    yield path.stem, name, [word.value for word in call.keywords if word.arg == "computed_from"]


def header(path):
    """The columns of a saved table."""
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def test_each_saved_table_says_what_it_stands_on():
    """By a column of places, or by `computed_from`."""
    committed = {path.stem: path for path in SAVED.glob("*.csv")}
    silent, unseen = [], {*committed} - {Path(saving.PLACES).stem}
    for notebook, name, told in saves():
        found = fnmatch.filter(committed, name)
        unseen -= {*found}
        if not told and not (found and all("locator" in header(committed[f]) for f in found)):
            silent.append(f"{notebook}: {name}")
    assert silent == [], "give dp.save a table with a column locator, or computed_from="
    assert unseen == set()


def test_each_name_that_a_notebook_gives_is_known(tmp_path):
    """Before it runs: a table that is named as the origin of another has been saved in a cell above."""
    before, unknown = defaultdict(set), []
    for notebook, name, told in saves():
        constants = [node.value for part in told for node in ast.walk(part) if isinstance(node, ast.Constant)]
        for each in set(constants) - before[notebook] - {"source"}:  # the column of the table of sources
            try:
                saving.origins_of_table(each, tmp_path)
            except UnknownName:
                unknown.append((notebook, name, each))
        before[notebook].add(name)
    assert unknown == []


def test_the_descriptor_of_the_reports_has_every_table():
    """The committed tables are one data package, and each has its places or its sources."""
    path = SAVED / DESCRIPTOR
    resources = {each["path"]: each for each in json.loads(path.read_text(encoding="utf-8"))["resources"]}
    assert set(resources) | {saving.PLACES} == {path.relative_to(SAVED).as_posix() for path in SAVED.rglob("*.csv")}
    for name, each in resources.items():
        columns = [field["name"] for field in each["schema"]["fields"]]
        assert columns == header(SAVED / name)
        assert "locator" in columns or each["sources"]


def test_each_saved_table_leads_to_the_rows_that_print_its_numbers():
    """In two steps at most: a place, or a table with a place in each row. What no document prints is listed here."""
    listed = pd.read_csv(SAVED / saving.PLACES)
    assert set(listed["saved_table"]) | {Path(saving.PLACES).stem} == {
        path.relative_to(SAVED).with_suffix("").as_posix() for path in SAVED.rglob("*.csv")
    }
    leads, lost = linking.LocatorLinks(reports.runs(), {}), []
    for row in listed.drop_duplicates(["path", "locator"]).itertuples():
        _, before, file = row.locator.partition("column locator of ")
        if before:
            known = "locator" in header(SAVED / file) and pd.read_csv(SAVED / file)["locator"].notna().any()
        else:
            known = row.locator == saving.NOWHERE or leads.of_place(row.locator)
        if not known:
            lost.append((row.saved_table, row.locator))
    assert lost == []
    nowhere = set(listed.loc[listed["locator"] == saving.NOWHERE, "path"])
    ours = {"evidence.toml", "scaling_curves", "second_coding.csv", "sources.toml"}
    assert nowhere == {f"data/{name}" for name in ours} | {"recorded_pgbench.txt", "your_own_data_means.csv"}


def test_places_follow_the_tables_between(tmp_path, monkeypatch):
    """A table with places is named by its column; through one without, its own sources are told."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    number = pd.DataFrame({"users": [1.0]})
    reports.save(number.assign(locator="Domino 6 performs!, prose"), "placed")
    reports.save(number, "fitted", computed_from=["smp_mail", "rules.toml"])
    reports.save(number, "further", computed_from=["fitted", "placed", "claims"])
    told = saving.places_of_tables(saving.resources_of_tables(sorted(tmp_path.glob("*.csv"))))
    places = told.groupby("saved_table")["locator"].agg(list)
    assert places["placed"] == ["column locator of placed.csv"]
    assert places["fitted"][:3] == list(runs.series("smp_mail")["locator"])
    assert "page 4-8/4-9" in places["fitted"][3]
    assert places["further"] == [*places["fitted"], "column locator of placed.csv", "column locator of claims.csv"]


def test_what_a_table_is_computed_from_is_found_by_name(tmp_path):
    """A series leads to its table; a data file and a table saved before to themselves; a path to its name alone."""
    (tmp_path / "before.csv").write_text("a\n1\n", encoding="utf-8")
    names = ["smp_mail", MAIL, "domino6", "benchmarks", "rules.toml", "before", Path("elsewhere") / "own.csv"]
    found = saving.origins_of_table(names, tmp_path)
    assert [each.name for each in found[:2]] == [MAIL, MAIL]
    assert "page A-1" in found[0].words
    paths = [f"data/{MAIL}.csv"] * 2 + ["data/domino6", "data/benchmarks.toml", "data/rules.toml"]
    assert [each.path for each in found] == [*paths, "before.csv", "own.csv"]
    with pytest.raises(UnknownName, match="Did you mean smp_mail"):
        saving.origins_of_table("smp_mial")
    with pytest.raises(UnknownName):
        saving.origins_of_table("../pyproject.toml")


def test_a_table_of_the_user_is_named_by_its_folder(folder, monkeypatch):
    """Its place on this machine is nobody else's business."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    id = next(iter(tables.list_tables(folder.name)["id"]))
    assert [each.path for each in saving.origins_of_table([id, folder.name])] == [f"{id}.csv", folder.name]


def test_save_tells_it_below_the_table_and_in_its_descriptor(tmp_path, monkeypatch):
    """The CSV file has nothing but its cells."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    shown = reports.save(pd.DataFrame({"users": [1.0], "system": ["a"]}), "few", computed_from=["smp_mail", "claims"])
    assert (tmp_path / "few.csv").read_text() == "users,system\n1,a\n"
    last = (tmp_path / "few.md").read_text().splitlines()[-1]
    assert last.startswith("Computed from the series “Mail users by processors” of Windows NT, Mail, audited")
    assert last.endswith("; the claims of the documents.")
    about = json.loads((tmp_path / "few.resource.json").read_text())
    assert [each["path"] for each in about["sources"]] == [f"data/{MAIL}.csv", "data/claims.csv"]
    assert [field["type"] for field in about["schema"]["fields"]] == ["number", "string"]
    assert about["sources"][0]["locators"] == list(runs.series("smp_mail")["locator"])
    assert f'<span data-origin="{MAIL}" data-locators="' in shown._repr_html_()


def test_save_refuses_a_table_that_says_nothing_of_its_sources(tmp_path, monkeypatch):
    """Neither the place of a row nor what it is computed from; nothing is written. A locator alone is enough."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    for nothing in ({}, {"computed_from": []}, {"computed_from": ""}):
        with pytest.raises(BadTable, match="found neither"):
            reports.save(pd.DataFrame({"users": [1.0]}), "none", **nothing)
    assert not [*tmp_path.iterdir()]
    placed = reports.save(pd.DataFrame({"users": [1.0], "locator": ["a"]}), "placed")
    assert "Computed from" not in placed._repr_html_()


def test_a_saved_place_names_its_document(tmp_path, monkeypatch):
    """Errata, advice, tables and claims name the page alone; what is saved has the document, and leads to it."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    saved = {"errata": tables.errata(), "tables": tables.list_tables(), "gains": paired_runs.quoted_gains(GAINS)}
    leads = linking.LocatorLinks(reports.runs(), {})
    titles = tuple(tables.sources()["title"])
    for name, frame in (saved | {"claims": audit.audit_claims("ibm_330").tidy()}).items():
        reports.save(frame, name)
        written = pd.read_csv(tmp_path / f"{name}.csv")["locator"]
        places = {place for text in written.dropna() for place in text.split("; ")}
        assert len(places) > 5
        assert not [place for place in places if not (place.startswith(titles) and leads.of_place(place))], name


def test_resources_of_runs_make_one_package(tmp_path):
    """Those of tables that stay are kept, those of tables that are gone or written anew are not."""
    old = [{"name": name, "path": f"{name}.csv"} for name in ("gone", "kept", "new")]
    (tmp_path / DESCRIPTOR).write_text(saving.tables_package(old), encoding="utf-8")
    for name in ("kept", "new"):
        (tmp_path / f"{name}.csv").write_text("a\n", encoding="utf-8")
    (tmp_path / "new.resource.json").write_text('{"name": "new", "path": "new.csv", "sources": []}', encoding="utf-8")
    found = saving.resources_of_tables([tmp_path / "new.csv", tmp_path / "new.md"])
    found += saving.kept_resources(tmp_path, ["new.csv", "new.md"])
    assert [each["name"] for each in json.loads(saving.tables_package(found))["resources"]] == ["kept", "new"]
