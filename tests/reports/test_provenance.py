"""Each number of a report leads back to its page: by a place per row, or by what the table is computed from."""

import ast
import csv
import fnmatch
import json
from collections import defaultdict
from pathlib import Path

import pandas as pd
import pytest

from dominoperf import machines, reports, runs, study, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.reports import linking, provenance
from dominoperf.reports.notebooks import notebooks_folder
from dominoperf.study import audit, recompute
from dominoperf.tables import loading
from dominoperf.tables.folders import DESCRIPTOR

SAVED = notebooks_folder().parent / "reports" / "tables"
WITHOUT = {}  # name of a table that cannot say what it stands on: the reason
MAIL = "compaq_domino45/a_mail"
GAINS = "compaq_netware/cpu_upgrades"


def saves():
    """Every table that a notebook saves: notebook, name as a pattern, and what it is told to stand on, in code."""
    for path in sorted(notebooks_folder().glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for source in ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]:
            for call in [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]:
                if ast.unparse(call.func) == "reports.save":
                    named = call.args[1]
                    parts = named.values if isinstance(named, ast.JoinedStr) else [named]
                    name = "".join(part.value if isinstance(part, ast.Constant) else "*" for part in parts)
                    yield path.stem, name, [word.value for word in call.keywords if word.arg == "computed_from"]


def header(path):
    """The columns of a saved table."""
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def test_each_saved_table_says_what_it_stands_on():
    """By a column of places, or by `computed_from`; the exceptions are listed above, each with its reason."""
    committed = {path.stem: path for path in SAVED.glob("*.csv")}
    silent = []
    for notebook, name, told in saves():
        found = fnmatch.filter(committed, name)
        if not told and name not in WITHOUT and not (found and all("locator" in header(committed[f]) for f in found)):
            silent.append(f"{notebook}: {name}")
    assert silent == [], "give reports.save a table with a column locator, or computed_from="
    assert set(WITHOUT) <= {name for _, name, _ in saves()}


def test_each_name_that_a_notebook_gives_is_known(tmp_path):
    """Before it runs: a table that is named as the origin of another has been saved in a cell above."""
    before, unknown = defaultdict(set), []
    for notebook, name, told in saves():
        constants = [node.value for part in told for node in ast.walk(part) if isinstance(node, ast.Constant)]
        for each in set(constants) - before[notebook] - {"source"}:  # the column of the table of sources
            try:
                provenance.origins_of_table(each, tmp_path)
            except UnknownName:
                unknown.append((notebook, name, each))
        before[notebook].add(name)
    assert unknown == []


def test_the_descriptor_of_the_reports_has_every_table():
    """The committed tables are one data package, and each has its places or its sources."""
    path = SAVED / DESCRIPTOR
    if not path.exists():
        pytest.skip("these reports were written before they were described")
    resources = {each["path"]: each for each in json.loads(path.read_text(encoding="utf-8"))["resources"]}
    assert set(resources) == {path.relative_to(SAVED).as_posix() for path in SAVED.rglob("*.csv")}
    for name, each in resources.items():
        columns = [field["name"] for field in each["schema"]["fields"]]
        assert columns == header(SAVED / name)
        assert "locator" in columns or each["sources"] or Path(name).stem in WITHOUT


def test_what_a_table_is_computed_from_is_found_by_name(tmp_path):
    """A series leads to its table; a data file and a table saved before to themselves; a path to its name alone."""
    (tmp_path / "before.csv").write_text("a\n1\n", encoding="utf-8")
    names = ["smp_mail", MAIL, "domino6", "benchmarks", "rules.toml", "before", Path("elsewhere") / "own.csv"]
    found = provenance.origins_of_table(names, tmp_path)
    assert [each.name for each in found[:2]] == [MAIL, MAIL]
    assert "page A-1" in found[0].words
    paths = [f"data/{MAIL}.csv"] * 2 + ["data/domino6", "data/benchmarks.toml", "data/rules.toml"]
    assert [each.path for each in found] == [*paths, "before.csv", "own.csv"]
    with pytest.raises(UnknownName, match="Did you mean smp_mail"):
        provenance.origins_of_table("smp_mial")
    with pytest.raises(UnknownName):
        provenance.origins_of_table("../pyproject.toml")


def test_a_table_of_the_user_is_named_by_its_folder(folder, monkeypatch):
    """Its place on this machine is nobody else's business."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    id = next(iter(tables.list_tables(folder.name)["id"]))
    assert [each.path for each in provenance.origins_of_table([id, folder.name])] == [f"{id}.csv", folder.name]


def test_save_tells_it_below_the_table_and_in_its_descriptor(tmp_path, monkeypatch):
    """The CSV file has nothing but its cells."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    shown = reports.save(pd.DataFrame({"users": [1.0], "system": ["a"]}), "few", computed_from=["smp_mail", "claims"])
    assert (tmp_path / "few.csv").read_text() == "users,system\n1,a\n"
    last = (tmp_path / "few.md").read_text().splitlines()[-1]
    assert last.startswith("Computed from the series smp")
    assert last.endswith("; the claims of the documents.")
    about = json.loads((tmp_path / "few.resource.json").read_text())
    assert [each["path"] for each in about["sources"]] == [f"data/{MAIL}.csv", "data/claims.csv"]
    assert [field["type"] for field in about["schema"]["fields"]] == ["number", "string"]
    assert f'<span data-origin="{MAIL}">' in shown._repr_html_()


def test_save_refuses_a_table_that_says_nothing_of_its_sources(tmp_path, monkeypatch):
    """Neither the place of a row nor what it is computed from; nothing is written. A locator alone is enough."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    for nothing in ({}, {"computed_from": []}, {"computed_from": ""}):
        with pytest.raises(BadTable, match="found neither"):
            reports.save(pd.DataFrame({"users": [1.0]}), "none", **nothing)
    assert not [*tmp_path.iterdir()]
    placed = reports.save(pd.DataFrame({"users": [1.0], "locator": ["a"]}), "placed")
    assert "Computed from" not in placed._repr_html_()


def test_a_place_leads_to_the_row_of_the_printed_table():
    """With or without the document before it, each of several; what is no place of a row stays text."""
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    leads = linking.LocatorLinks([run], {"01_published_tables": "index"})
    short, full = loading.places(MAIL), tables.locators(MAIL)
    cells = "".join(f'<td class="locator">{text}</td>' for text in (f"{short[1]}; {full[4]}; page 9", "a &lt;b&gt;"))
    page = leads.linked(cells)
    for row in (2, 5):
        assert f'href="{run.name}.html#{MAIL}:row{row}"' in page
        assert f'<tr id="{MAIL}:row{row}"' in tables.show(MAIL)._repr_html_()
    assert f'title="{full[4]}">1998, {short[4]}</a>' in page  # the year for the title, which is shown over it
    assert "; page 9</td>" in page
    assert "a &lt;b&gt;</td>" in page
    origin = leads.linked(f'<span data-origin="{MAIL}">x &amp; y</span><span data-origin="claims">c</span>')
    assert origin == f'<a href="{run.name}.html#{MAIL}">x &amp; y</a>c'


def test_a_place_that_is_no_row_leads_to_its_table_or_document():
    """A column of a row to the row, a caption or page to the table, another page to the document."""
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    leads, title = linking.LocatorLinks([run], {}), tables.document("compaq_domino45")["title"]
    for place, anchor in (
        (f"{tables.locators(MAIL)[1]}, column users", f"#{MAIL}:row2"),
        (f"{title}, Table 4-6, page 4-18/4-19", "#compaq_domino45/table_4_6"),
        (f"{title}, page 2-8/2-9", ""),
        ("page 2-8/2-9", None),
    ):
        assert leads.of_place(place) == ("" if anchor is None else f"{run.name}.html{anchor}")


def test_every_place_of_a_page_is_full_and_leads_somewhere():
    """A reader of one row of a table knows its document, and the page links it: memory, disk, workloads, case study."""
    plans = recompute.PlanComparison(recompute.case_request(light_mail=900))
    tables_of_pages = [
        *(audit.printed_again("compaq_domino45/table_3_2"), study.response_by_memory(), runs.benchmarks()),
        *(study.drive_percentages(), study.stated_ratios(), study.capacity_shares(), study.table_ratios(MAIL)),
        *(study.missing_points(), study.release_points(), study.script_share(), study.workloads()),
        *(machines.censored(), machines.demand(), machines.proportionality()),
        machines.paired_ratios(study.peak_loads()).tidy(),  # without a place where neither load is printed
        *(plans.constants(), plans.differing(), recompute.raid_consequences(), recompute.reader_consequences()),
    ]
    leads = linking.LocatorLinks(reports.runs(), {})
    titles = tuple(tables.document(source)["title"] for source in tables.sources()["source"])
    places = {place for frame in tables_of_pages for text in frame["locator"] if text for place in text.split("; ")}
    assert not [place for place in places if not (place.startswith(titles) and leads.of_place(place))]


def test_a_saved_place_names_its_document(tmp_path, monkeypatch):
    """Errata, advice, tables and claims name the page alone; what is saved has the document, and leads to it."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    saved = {"errata": tables.errata(), "tables": tables.list_tables(), "gains": study.quoted_gains(GAINS)}
    leads = linking.LocatorLinks(reports.runs(), {})
    titles = tuple(tables.sources()["title"])
    for name, frame in (saved | {"claims": audit.audit_claims("ibm_330").tidy()}).items():
        reports.save(frame, name)
        written = pd.read_csv(tmp_path / f"{name}.csv")["locator"]
        places = {place for text in written.dropna() for place in text.split("; ")}
        assert len(places) > 5
        assert not [place for place in places if not (place.startswith(titles) and leads.of_place(place))], name


def test_a_row_without_its_place_leads_to_it_from_its_first_cell(tmp_path, monkeypatch):
    """Where the page leaves the column of places out; the place is shown over the row anywhere."""
    monkeypatch.setenv("DOMINOPERF_OUT", str(tmp_path))
    run = next(run for run in reports.runs() if run.parameters.get("source") == "compaq_domino45")
    frame = pd.DataFrame({"system": ["a_1", "b & c"], "users": [1, 2], "locator": [loading.places(MAIL)[2], "page 9"]})
    page = reports.save(frame, "rows", show=["system", "users"])._repr_html_()
    assert f'title="{loading.places(MAIL)[2]}"' in page
    page = linking.LocatorLinks([run], {}).linked(page)
    assert f'<a href="{run.name}.html#{MAIL}:row3">a_1</a></td>' in page
    assert page.count("<a ") == 1
    assert ">b &amp; c</td>" in page
    assert "data-locator" not in reports.save(frame, "all")._repr_html_()


def test_resources_of_runs_make_one_package(tmp_path):
    """Those of tables that stay are kept, those of tables that are gone or written anew are not."""
    old = [{"name": name, "path": f"{name}.csv"} for name in ("gone", "kept", "new")]
    (tmp_path / DESCRIPTOR).write_text(provenance.tables_package(old), encoding="utf-8")
    for name in ("kept", "new"):
        (tmp_path / f"{name}.csv").write_text("a\n", encoding="utf-8")
    (tmp_path / "new.resource.json").write_text('{"name": "new", "path": "new.csv", "sources": []}', encoding="utf-8")
    found = provenance.resources_of_tables([tmp_path / "new.csv", tmp_path / "new.md"])
    found += provenance.kept_resources(tmp_path, ["new.csv", "new.md"])
    assert [each["name"] for each in json.loads(provenance.tables_package(found))["resources"]] == ["kept", "new"]


def test_a_row_of_a_table_has_one_anchor():
    """Its other views have the same rows."""
    page = tables.show(MAIL)._repr_html_()
    assert page.count(f'id="{MAIL}:row1"') == 1
