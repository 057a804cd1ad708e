"""Runs again what changed by content and nothing else; says why; puts nothing in place unless all went well."""

import contextlib
import json
import os
import shutil
import threading
from pathlib import Path

import pytest
from conftest import ROOT, add_prose, write_notebook

from dominoperf import cli, reports, tables
from dominoperf.errors import ReportFailed
from dominoperf.reports import building, engine, inputs, locking, publishing, running
from dominoperf.tables import folders

NAMES = ["one", "two"]


class Place:
    """Copies of notebooks, data and library to change, an out folder, and what ran; no kernel is started."""

    def __init__(self, home):
        self.home, self.out, self.ran, self.built, self.failing = home, home / "out", [], 0, set()
        self.during = lambda: None
        shutil.copytree(ROOT / "data", home / "data")
        for folder in ("notebooks", "library"):
            (home / folder).mkdir()
        for number, name in enumerate(NAMES):
            write_notebook(home / "notebooks" / f"1{number}_{name}.ipynb", "1")
        (home / "notebooks" / "runs.toml").write_text("[10_one]\n[11_two]\n", encoding="utf-8")
        (home / "library" / "laws.py").write_text("a = 1\n", encoding="utf-8")
        (home / "library" / "page.html").write_text("<p>", encoding="utf-8")

    def run_notebook(self, notebook, parameters, *, turn, **how):
        """In the place of a kernel: a table and an executed notebook, or a failure after half of them."""
        with turn:
            self._run(notebook, parameters, how["out"])

    def _run(self, notebook, parameters, out):
        name = notebook.partition("_")[2]
        self.ran.append(name)
        out.mkdir()
        (out / f"{name}.csv").write_text(f"n\n{parameters.get('n', 1)}\n", encoding="utf-8")
        if name in self.failing:
            raise ReportFailed(f"{notebook}.ipynb, cell 2", expected="a", found=f"ValueError: {name}", remedy="C.")
        shutil.copy(self.home / "notebooks" / f"{notebook}.ipynb", out / "executed.ipynb")
        self.during()

    def build_site(self, pages, folder, kept, key):
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
        files = [path for path in self.out.rglob("*") if path.is_file() and path.name != locking.LOCK]
        return {path: path.stat().st_mtime_ns for path in files}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place of one's own."""
    found = Place(tmp_path)
    for module in (tables, folders):
        monkeypatch.setattr(module, "home", lambda: tmp_path / "data")
    monkeypatch.setattr(running, "home", lambda: tmp_path / "notebooks")
    monkeypatch.setattr(inputs, "_PACKAGE", tmp_path / "library")
    monkeypatch.setattr(building, "run_notebook", found.run_notebook)
    monkeypatch.setattr(building, "_build_site", found.build_site)
    monkeypatch.setattr(building, "_prepare_site", lambda pages, engine: None)
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


CHANGES = {
    "a data cell": (lambda home: append(home / "data/ibm_330/results.csv", "x"), NAMES, "data/ibm_330/results.csv"),
    "a notebook": (
        lambda home: write_notebook(home / "notebooks/11_two.ipynb", "2"),
        ["two"],
        "the code of 11_two.ipynb changed",
    ),
    "a library line": (lambda home: append(home / "library/laws.py", "b = 2\n"), NAMES, "library/laws.py changed"),
    "a new module": (lambda home: append(home / "library/x.py", "\n"), NAMES, "library/x.py is new"),
    "a module less": (lambda home: (home / "library/laws.py").unlink(), NAMES, "library/laws.py is gone"),
    "a result": (lambda home: append(home / "out/.engine/two/two.csv", "3\n"), ["two"], "two.csv is not as it was"),
    "a lost result": (
        lambda home: (home / "out/.engine/one/executed.ipynb").unlink(),
        ["one"],
        "executed.ipynb is not",
    ),
    "lost knowledge": (lambda home: (home / "out/.engine/.state.sqlite").unlink(), NAMES, "it has not run here yet"),
    "knowledge in shreds": (
        lambda home: (home / "out/.engine/.state.sqlite").write_text("x" * 5000),
        NAMES,
        "it has not run here yet",
    ),
}


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
    """The outputs stay where they are, among the new words; with another change, and if asked to, it runs."""
    notebook = place.home / "notebooks" / "11_two.ipynb"
    place.build()
    add_prose(notebook, "New words.")
    assert reports.explain(out=place.out)["two"] == ["the prose of 11_two.ipynb changed"]
    assert place.build() == ([], ["unchanged one", "reworded two"])
    executed = json.loads((place.out / ".engine" / "two" / "executed.ipynb").read_text(encoding="utf-8"))
    assert [cell["cell_type"] for cell in executed["cells"]] == ["code", "code", "markdown"]
    assert place.built == 2
    assert place.build() == ([], ["unchanged one", "unchanged two"])
    add_prose(notebook, "More words.")
    assert place.build(fresh=True)[0] == NAMES
    add_prose(notebook, "Still more.")
    append(place.home / "library/laws.py", "b = 2\n")
    assert place.build()[0] == NAMES


def test_prose_is_not_put_into_what_ran_otherwise(place):
    """An executed notebook that does not have the code of its source, by whatever way, is made again."""
    place.build()
    executed = place.out / ".engine" / "two" / "executed.ipynb"
    write_notebook(executed, "2")
    with engine.Engine(place.out) as known:
        run = next(run for run in running.runs() if run.name == "two")
        known.why(run, place.home / "notebooks" / "11_two.ipynb")
        known._keep("run two", executed.parent, ["executed.ipynb", "two.csv"])
    add_prose(place.home / "notebooks" / "11_two.ipynb", "New words.")
    assert place.build()[0] == ["two"]


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
    versions = inputs.versions()
    assert {"python", "dominoperf", "pandas"} <= set(versions)
    monkeypatch.setattr(inputs, "versions", lambda: versions | {"pandas": "99"})
    assert reports.explain(place.out)["one"] == [f"pandas was {versions['pandas']!r} and is '99'"]
    assert place.build()[0] == NAMES


def test_data_of_others_are_inputs_too(place, folder, monkeypatch):
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
    assert "two" not in (place.out / "ledger.toml").read_text()
    names = (place.out / publishing.WRITTEN).read_text().split()
    assert names == ["ledger.toml", "site/index.html", "site/pages/one.html", "tables/one.csv"]


def test_an_empty_folder_of_the_site_goes(tmp_path):
    """With its last file, and no folder above the site."""
    (tmp_path / "site" / "a" / "b").mkdir(parents=True)
    (tmp_path / "site" / "a" / "b" / "c.html").touch()
    publishing._remove(tmp_path, tmp_path / "site" / "a" / "b" / "c.html")
    assert list(tmp_path.rglob("*")) == [tmp_path / "site"]


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


def test_values_are_refused_before_anything_starts(place, capsys):
    """Exit 2, one line that says where."""
    write_notebook(place.home / "notebooks" / "11_two.ipynb", "1", parameters="m: int = 1")
    for words, says in (
        (["-p", "n", "2"], "parameter of 11_two: expected a known name, found 'n'"),
        (["one", "-p", "n", "x"], "parameter of 10_one, n: expected int, found 'x'. It is declared as n: int."),
    ):
        assert cli.main(["report", *words]) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n"), says in err) == ("", 1, True), err
    assert not Path("runs").exists()
    assert place.ran == []


def test_what_the_run_list_sets_is_not_overridden(place):
    """A page named after one document and made from another would lie."""
    write_notebook(place.home / "notebooks" / "11_two.ipynb", "1", parameters='source: str = "rhel5"')
    append(place.home / "notebooks" / "runs.toml", 'for_each = "source"\n')
    with pytest.raises(ReportFailed, match="one that two_rhel5 sets"):
        reports.build(names=["two_rhel5"], parameters={"source": "domino6"})


def test_two_runs_with_one_table_are_refused(place, monkeypatch):
    """One would hide the other."""
    both = [reports.Run("one", "10_one", {}), reports.Run("again", "10_one", {})]
    monkeypatch.setattr(building, "runs", lambda: both)
    with pytest.raises(ReportFailed, match=r"again: .* found one\.csv also from one"):
        place.build()
    assert not (place.out / "tables").exists()


def test_a_page_says_how_it_is_made_again():
    """Values as a shell needs them."""
    run = reports.Run("two", "11_two", {"n": 3, "s": "a b"}, {"n": 3, "s": "a b"})
    assert run.data == " -p n 3 -p s 'a b'"


def test_locked_knowledge_is_not_thrown_away(tmp_path, monkeypatch):
    """Another report may be at work."""

    def locked(*_, **__):
        raise engine.DatabaseException("database is locked")

    (tmp_path / engine._STATE).touch()
    monkeypatch.setattr(engine, "Dependency", locked)
    with pytest.raises(ReportFailed, match="database is locked"):
        engine._open(tmp_path / engine._STATE)
    assert (tmp_path / engine._STATE).exists()


def test_a_kernel_comes_up_while_others_are_at_work(place, monkeypatch):
    """Two jobs: three kernels are up at once, the cells of two are run; the third waits for its turn."""
    write_notebook(place.home / "notebooks" / "12_three.ipynb", "1")
    (place.home / "notebooks" / "runs.toml").write_text("[10_one]\n[11_two]\n[12_three]\n", encoding="utf-8")
    up, two, three = (threading.Barrier(count) for count in (3, 2, 3))
    met = []

    def run_notebook(notebook, parameters, *, turn, **how):
        up.wait(10)  # would break with fewer than three
        with turn:
            met.append(notebook)
            if len(met) <= 2:
                two.wait(10)
            with contextlib.suppress(threading.BrokenBarrierError):
                three.wait(0.2)
                met.append("three at once")
        place.run_notebook(notebook, parameters, turn=contextlib.nullcontext(), **how)

    monkeypatch.setattr(building, "run_notebook", run_notebook)
    ran, told = place.build(jobs=2)
    assert sorted(ran) == ["one", "three", "two"]
    assert sorted(met) == ["10_one", "11_two", "12_three"]
    assert {line.split()[0] for line in told[:2]} == {"start"}  # the third is not told before its turn
    assert [line.split()[0] for line in told].count("start") == 3
