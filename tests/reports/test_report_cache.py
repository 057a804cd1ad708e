"""Runs again what changed by content and nothing else; says why; puts nothing in place unless all went well."""

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import ROOT, add_prose, write_notebook

from dominoperf import cli, reports, tables
from dominoperf.errors import ReportFailed
from dominoperf.reports import building, cache, folder, ledger, notebooks, site
from dominoperf.tables import folders

NAMES = ["one", "two"]


class Place:
    """Copies of notebooks, data and library to change, an out folder, and what ran; no kernel is started."""

    def __init__(self, home):
        self.home, self.out, self.ran, self.built, self.failing = home, home / "out", [], 0, set()
        self.during = lambda: None
        shutil.copytree(ROOT / "data", home / "data")
        for name in ("notebooks", "library"):
            (home / name).mkdir()
        for number, name in enumerate(NAMES):
            write_notebook(home / "notebooks" / f"1{number}_{name}.ipynb", "1")
        (home / "notebooks" / "runs.toml").write_text("[10_one]\n[11_two]\n", encoding="utf-8")
        (home / "library" / "laws.py").write_text("a = 1\n", encoding="utf-8")
        (home / "library" / "page.html").write_text("<p>", encoding="utf-8")

    def run_notebook(self, notebook, parameters, *, out, **_):
        """In the place of a process: a table and an executed notebook, or a failure after half of them."""
        name = notebook.partition("_")[2]
        self.ran.append(name)
        out.mkdir()
        (out / f"{name}.csv").write_text(f"n\n{parameters.get('n', 1)}\n", encoding="utf-8")
        if name in self.failing:
            raise ReportFailed(f"{notebook}.ipynb, cell 2", expected="a", found=f"ValueError: {name}", remedy="C.")
        shutil.copy(self.home / "notebooks" / f"{notebook}.ipynb", out / "executed.ipynb")
        self.during()

    def build_site(self, pages, folder, cache, key):
        """In the place of the site: a page per run, in a folder."""
        self.built += 1
        (folder / "pages").mkdir(parents=True)
        for run, _ in pages:
            (folder / "pages" / f"{run.name}.html").write_text(run.name, encoding="utf-8")
        (folder / "index.html").write_text(str(self.built), encoding="utf-8")

    def build(self, **how):
        """Build; give the names that ran and what was told."""
        self.ran, told = [], []
        reports.build(**({"out": self.out, "jobs": 1, "tell": told.append} | how))
        return self.ran, told

    def files(self):
        """Every file below the out folder with when it was written; who was at work aside."""
        files = [path for path in self.out.rglob("*") if path.is_file() and path.name != folder.LOCK]
        return {path: path.stat().st_mtime_ns for path in files}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place of one's own."""
    found = Place(tmp_path)
    for module in (tables, folders):
        monkeypatch.setattr(module, "home", lambda: tmp_path / "data")
    monkeypatch.setattr(notebooks, "notebooks_folder", lambda: tmp_path / "notebooks")
    monkeypatch.setattr(cache, "PACKAGE", tmp_path / "library")
    monkeypatch.setattr(building, "run_notebook", found.run_notebook)
    monkeypatch.setattr(site, "build_site", found.build_site)
    monkeypatch.setattr(site, "prepare_common_pages", lambda pages, kept, key: None)
    monkeypatch.chdir(tmp_path)
    return found


def append(path, text):
    """Add a text to a file, which is made where there is none."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_an_untouched_tree_runs_nothing(place):
    """Not a file is written the second time; a new date alone is no change."""
    assert place.build()[0] == NAMES
    for path in place.home.rglob("*.csv"):
        if not path.is_relative_to(place.out):
            os.utime(path, (1, 1))
    before = place.files()
    assert place.build() == ([], ["unchanged one", "unchanged two"])
    assert place.files() == before
    assert place.built == 1


def test_one_report_alone_leaves_the_others(place):
    """Naming a report renews it, also in the ledger, and keeps what else is there."""
    place.build()
    text, (before, _) = (place.out / "ledger.toml").read_text(), ledger.read_ledger(place.out)
    for name in NAMES:
        (place.out / "tables" / f"{name}.csv").write_text("old\n")
        text = text.replace(f"[{name}]\ndata = ", f'[{name}]\ndata = "0"#')
    (place.out / "ledger.toml").write_text(text)
    place.build(names=["one"])
    after, _ = ledger.read_ledger(place.out)
    assert after["one"] == before["one"]
    assert after["two"]["data"] == "0"  # what it was made from is not known now
    assert [(place.out / "tables" / f"{name}.csv").read_text() for name in NAMES] == ["n\n1\n", "old\n"]
    assert {path.stem for path in (place.out / "site" / "pages").iterdir()} == set(NAMES)


CHANGES = {
    "a data cell": (lambda home: append(home / "data/ibm_330/results.csv", "x"), NAMES, "data/ibm_330/results.csv"),
    "a notebook": (
        lambda home: write_notebook(home / "notebooks/11_two.ipynb", "2"),
        ["two"],
        "the code of 11_two.ipynb changed",
    ),
    "a library line": (lambda home: append(home / "library/laws.py", "b = 2\n"), NAMES, "library/laws.py changed"),
    "a module less": (lambda home: (home / "library/laws.py").unlink(), NAMES, "library/laws.py is gone"),
    "a result": (lambda home: append(home / "out/.engine/two/two.csv", "3\n"), ["two"], "two.csv is not as it was"),
    "a lost result": (
        lambda home: (home / "out/.engine/one/executed.ipynb").unlink(),
        ["one"],
        "executed.ipynb is not",
    ),
    "knowledge in shreds": (
        lambda home: (home / "out/.engine/one/made.json").write_text('{"files": 1}'),
        ["one"],
        "it has not run here yet",
    ),
}


@pytest.mark.parametrize("named", ["te*/*.csv", "file://{}/runs.csv"])
def test_a_file_of_the_users_that_changed_runs_again(place, named):
    """What a parameter names counts by its bytes, whether a pattern or a URL; not by its time."""
    write_notebook(place.home / "notebooks/10_one.ipynb", "1", parameters="n: int = 1\nraw: str = ''")
    asked = {"names": ["one"], "parameters": {"raw": named.format(place.home), "n": 2}}

    def measure(users):
        (place.home / "tests").mkdir(exist_ok=True)
        for path in (place.home / "runs.csv", place.home / "tests" / "c1.csv"):
            path.write_text(f"users\n{users}\n", encoding="utf-8")
            os.utime(path, (1e9, 1e9))

    measure(100)
    assert place.build(**asked)[0] == ["one"]
    measure(100)
    assert place.build(**asked)[0] == []
    measure(200)
    reasons = reports.explain(place.out, **asked)["one"]
    changed = {"te*/*.csv": "tests/c1.csv"}.get(named, named)
    assert reasons == [f"{changed.format(place.home)} changed"]
    assert place.build(**asked)[0] == ["one"]
    assert place.build(**asked)[0] == []


def test_what_a_report_writes_into_the_folder_that_it_reads_is_no_change(place):
    """The folder of the command itself may be what is read; a file more in it counts."""
    write_notebook(place.home / "notebooks/10_one.ipynb", "1", parameters="raw: str = ''")
    asked = {"names": ["one"], "parameters": {"raw": "."}}
    assert [place.build(**asked)[0] for _ in range(2)] == [["one"], []]
    append(place.home / "more.csv", "users\n1\n")
    assert reports.explain(place.out, **asked)["one"] == ["more.csv is new"]


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_named_and_run(place, capsys, what):
    """`--explain` names the file; the build runs what depends on it, once."""
    change, again, says = CHANGES[what]
    place.build()
    change(place.home)
    assert cli.main(["report", "--explain", "--out", str(place.out)]) == 0
    told = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert {name for name in NAMES if told[name] != "unchanged"} == set(again)
    assert all(says in told[name] for name in again)
    assert told["site"].startswith("would be made again: ")
    assert place.build()[0] == again
    assert place.build()[0] == []


def test_prose_is_exchanged_without_a_run(place):
    """The site alone is made again; with another change, and if asked to, the notebook runs."""
    notebook = place.home / "notebooks" / "11_two.ipynb"
    place.build()
    add_prose(notebook, "New words.")
    assert reports.explain(out=place.out) == {"one": [], "two": [], "site": ["the prose of 11_two.ipynb changed"]}
    assert place.build() == ([], ["unchanged one", "unchanged two"])
    assert place.built == 2
    assert place.build(fresh=True)[0] == NAMES
    add_prose(notebook, "Still more.")
    append(place.home / "library/laws.py", "b = 2\n")
    assert place.build()[0] == NAMES


def _markdown(source, **metadata):
    return {"cell_type": "markdown", "id": "words", "metadata": metadata, "source": source}


EDITS = {  # of the cells of a notebook: parameters, code, prose, code
    "nothing but the layout": (lambda cells: None, set()),
    "a word": (lambda cells: cells[2].update(source="Other."), {"prose"}),
    "a place": (lambda cells: cells.insert(1, cells.pop(2)), {"prose"}),
    "code": (lambda cells: cells[1].update(source="n + 2"), {"code"}),
    "the order of code": (lambda cells: cells.insert(1, cells.pop(3)), {"code", "prose"}),
}


@pytest.mark.parametrize("what", EDITS)
def test_code_and_prose_are_told_apart(place, what):
    """What changes the outputs is code; what only stands around them is prose."""
    path = write_notebook(place.home / "notebooks" / "11_two.ipynb", "n + 1", "print(n)")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    notebook["cells"].insert(2, _markdown("Words."))
    path.write_text(json.dumps(notebook), encoding="utf-8")
    place.build()
    change, expected = EDITS[what]
    change(notebook["cells"])
    path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
    reasons = reports.explain(out=place.out)
    assert reasons["two"] == (["the code of 11_two.ipynb changed"] if "code" in expected else [])
    again = ["two runs"] if "code" in expected else ["the prose of 11_two.ipynb changed"] if expected else []
    assert reasons["site"] == again


def test_another_parameter_is_named_and_run(place):
    """And the way back is a change too."""
    for values, reason in (
        ({"n": "2"}, "parameter n was 'not set' and is 2"),
        ({}, "parameter n was 2 and is 'not set'"),
    ):
        out = {"out": "elsewhere", "names": ["two"]}
        if values:
            place.build(**out)
            (place.home / "elsewhere" / "ledger.toml").unlink()
        assert reports.explain(**out, parameters=values)["two"] == [reason]
        assert place.build(**out, parameters=values)[0] == ["two"]
        assert place.build(**out, parameters=values)[0] == []


def test_another_version_is_named_and_run(place, monkeypatch):
    """Of Python, of dominoperf, or of what it needs."""
    place.build()
    versions = cache.versions_of_libraries()
    assert {"python", "dominoperf", "pandas"} <= set(versions)
    monkeypatch.setattr(cache, "versions_of_libraries", lambda: versions | {"pandas": "99"})
    assert reports.explain(place.out)["one"] == [f"pandas was {versions['pandas']!r} and is '99'"]
    assert place.build()[0] == NAMES


def test_data_of_others_are_cache_too(place, folder, monkeypatch):
    """What the descriptor names, not all that lies there."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    place.build()
    append(folder / "notes.txt", "x")
    assert place.build()[0] == []
    append(folder / "runs.csv", "C,7,user\n")
    assert reports.explain(place.out)["one"] == ["mine/runs.csv changed"]
    assert place.build()[0] == NAMES


def test_explaining_writes_nothing(place):
    """Not even a folder."""
    assert reports.explain(place.out)["one"] == ["it has not run here yet"]
    assert not place.out.exists()
    place.build()
    before = place.files()
    reports.explain(place.out)
    assert (place.files(), place.ran) == (before, NAMES)


def test_fresh_runs_everything(place, capsys):
    """Changed or not, and the site with it."""
    place.build()
    assert place.build(fresh=True)[0] == NAMES
    assert place.built == 2
    assert cli.main(["report", "--explain", "--fresh", "--out", str(place.out)]) == 0
    assert capsys.readouterr().out.count("would be made again: --fresh\n") == 3


def test_what_changes_under_a_run_runs_again(place):
    """What was known of an input is of before the start."""
    place.during = lambda: append(place.home / "data/errata.csv", "\n")
    place.build(names=["one"])
    place.during = lambda: None
    assert place.build(names=["one"])[0] == ["one"]
    assert place.build(names=["one"])[0] == []


def test_lost_pages_and_tables_come_back_without_a_run(place):
    """A table from what the run made, the site from the executed notebooks."""
    place.build()
    (place.out / "tables" / "one.csv").unlink()
    append(place.out / "tables" / "two.csv", "changed\n")
    shutil.rmtree(place.out / "site")
    assert place.build()[0] == []
    assert (place.out / "tables" / "one.csv").read_text() == (place.out / "tables" / "two.csv").read_text() == "n\n1\n"
    assert (place.out / "site" / "pages" / "one.html").is_file()


def test_a_template_makes_the_site_again_and_runs_nothing(place):
    """Pages depend on it, numbers do not."""
    place.build()
    append(place.home / "library/page.html", "<p>")
    assert reports.explain(place.out) == {"one": [], "two": [], "site": ["library/page.html changed"]}
    assert place.build()[0] == []
    assert place.built == 2


def test_a_failure_puts_nothing_in_place_and_keeps_what_succeeded(place, capsys):
    """Exit 2 with notebook, cell and error; mended, only the failed one runs again."""
    place.build()
    before = {path: path.read_bytes() for path in place.out.rglob("*") if path.suffix in (".csv", ".html", ".toml")}
    append(place.home / "library/laws.py", "b = 2\n")
    place.failing, place.ran = {"one"}, []
    assert cli.main(["report", "--jobs", "1", "--out", str(place.out)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "dominoperf: 10_one.ipynb, cell 2: expected a, found ValueError: one" in err
    assert {"start one", "failed one", "start two"} <= set(err.splitlines())
    assert place.ran == NAMES
    assert {path: path.read_bytes() for path in before} == before
    place.failing = set(NAMES)
    append(place.home / "library/laws.py", "c = 3\n")
    with pytest.raises(ReportFailed, match=r"2 notebooks: .*10_one.*: ValueError: one; .*: ValueError: two"):
        place.build()
    place.failing = {"one"}
    with pytest.raises(ReportFailed):
        place.build()
    place.failing = set()
    assert place.build()[0] == ["one"]


def test_a_report_that_left_the_list_leaves_the_folder(place):
    """Its table, its page and its entry; a part of the reports removes no other's table."""
    place.build()
    (place.home / "notebooks" / "runs.toml").write_text("[10_one]\n", encoding="utf-8")
    place.build(names=["one"])
    assert (place.out / "tables" / "two.csv").is_file()
    assert not (place.out / "site" / "pages" / "two.html").exists()
    place.build()
    assert not (place.out / "tables" / "two.csv").exists()
    assert "two.csv" not in (place.out / "ledger.toml").read_text()
    names = (place.out / folder.WRITTEN).read_text().split()
    assert names == [
        "ledger.toml",
        "site/index.html",
        "site/pages/one.html",
        "tables/computed_from.csv",
        "tables/datapackage.json",
        "tables/one.csv",
    ]


def test_other_parameters_go_elsewhere(place):
    """To a folder named by report and values, without a ledger; never to that of standard reports."""
    index = reports.build(names=["two"], parameters={"n": "3"}, jobs=1)
    other = reports.build(names=["two"], parameters={"n": 4}, jobs=1)
    assert index.parts[0] == "runs"
    assert index.parts[1].startswith("two-")
    assert index != other
    assert (index.parents[1] / "tables" / "two.csv").read_text() == "n\n3\n"
    assert not (index.parents[1] / "ledger.toml").exists()
    assert not Path("reports").exists()
    place.build()
    for out in ("reports", place.out):
        with pytest.raises(ReportFailed, match="the folder of standard reports"):
            reports.build(out, ["two"], parameters={"n": 3}, jobs=1)


def test_what_the_run_list_sets_is_not_overridden(place):
    """A page named after one document and made from another would lie."""
    write_notebook(place.home / "notebooks" / "11_two.ipynb", "1", parameters='source: str = "rhel5"')
    append(place.home / "notebooks" / "runs.toml", 'for_each = "source"\n')
    with pytest.raises(ReportFailed, match="one that two_rhel5 sets"):
        reports.build(names=["two_rhel5"], parameters={"source": "domino6"})


def test_two_runs_with_one_table_are_refused(place, monkeypatch):
    """One would hide the other."""
    both = [reports.NotebookRun("one", "10_one", {}), reports.NotebookRun("again", "10_one", {})]
    monkeypatch.setattr(building, "runs", lambda: both)
    with pytest.raises(ReportFailed, match=r"again: .* found one\.csv also from one"):
        place.build()
    assert not (place.out / "tables").exists()


def test_a_page_says_how_it_is_made_again():
    """Values as a shell needs them."""
    run = reports.NotebookRun("two", "11_two", {"n": 3, "s": "a b"}, {"n": 3, "s": "a b"})
    assert run.data == " -p n 3 -p s 'a b'"
