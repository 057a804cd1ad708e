"""Notebooks run headlessly; a failure names its cell and leaves the old reports; pages need no network."""

import errno
import math
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
from conftest import write_notebook
from faults.places import Place

from dominoperf import reports
from dominoperf.errors import BadTable, DominoperfError, ReportFailed, UnknownName
from dominoperf.reports import building, cache, folder, notebook_process, notebooks


@pytest.fixture(scope="module", autouse=True)
def _forks():
    """What is built here forks its notebooks from one process: to start a Python for each takes 4 s of a processor."""
    notebook_process.start_fork_server(math.inf, 1)


def test_failing_notebook_names_its_cell(tmp_path):
    """Notebook, cell and error; what ran so far is kept for a look."""
    path = write_notebook(tmp_path / "broken.ipynb", "x = 1", "x / 0")
    with pytest.raises(ReportFailed, match=r"broken\.ipynb, cell 3.*ZeroDivisionError: division by zero"):
        reports.run_notebook(path, out=tmp_path / "out", warm=True)
    assert (tmp_path / "out" / "executed.ipynb").exists()
    with pytest.raises(ReportFailed) as caught:  # the cell that papermill puts in is none of the notebook's
        reports.run_notebook(path, {"n": 2}, out=tmp_path / "other", warm=True)
    assert (caught.value.cell, caught.value.where) == (3, "broken.ipynb, cell 3")


def test_unknown_parameter_is_refused_before_a_kernel_starts(tmp_path):
    """Papermill would only warn and run with the default."""
    with pytest.raises(UnknownName, match="Did you mean source"):
        reports.run_notebook("01_published_tables", {"sorce": "rhel5"}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_parameters_and_tables_reach_their_place(tmp_path):
    """A value comes in, a table goes out, nowhere else; the environment is as before."""

    table = "pd.DataFrame({'n': [n / 3]})"
    cell = f"import pandas as pd, dominoperf\ndominoperf.save({table}, 'third', computed_from='smp_mail')"
    path = write_notebook(tmp_path / "one.ipynb", cell)
    reports.run_notebook(path, {"n": 2}, out=tmp_path / "out", warm=True)
    assert (tmp_path / "out" / "third.csv").read_text() == "n\n0.666667\n"
    assert "DOMINOPERF_OUT" not in os.environ


@pytest.mark.usefixtures("small_site")
def test_a_failure_leaves_the_old_reports(tmp_path, monkeypatch):
    """One notebook fails: the others run, nothing that stood there changes, and the message names the failed one.

    A mistake that our own words explain is told in them alone.
    """
    out = tmp_path / "reports"
    (out / "tables").mkdir(parents=True)
    (out / "tables" / "old.csv").write_text("old\n")
    cells = (
        ("good", "1"),
        ("bad", "from dominoperf import load; load('none/such')"),
    )
    good, bad = (write_notebook(tmp_path / f"{name}.ipynb", cell) for name, cell in cells)
    listed = [reports.NotebookRun("good", str(good), {}), reports.NotebookRun("bad", str(bad), {})]
    monkeypatch.setattr(building, "runs", lambda: listed)
    told = []
    with pytest.raises(ReportFailed, match=r"^table \(bad\.ipynb, cell 2\): expected .*, found 'none/such'\. "):
        reports.build(out, jobs=1, tell=told.append)
    assert [" ".join(line.split()[:2]) for line in told] == ["start good", "done good", "start bad", "failed bad"]
    assert {path.name for path in out.iterdir()} == {"tables", cache.FOLDER}
    assert [path.name for path in (out / "tables").iterdir()] == ["old.csv"]


@pytest.mark.usefixtures("small_site")
def test_files_that_are_not_ours_stay(tmp_path, monkeypatch):
    """Only what a run of ours wrote is ever removed; a file of somebody else in a table's place is not replaced."""
    cell = "import pandas as pd, dominoperf\ndominoperf.save(pd.DataFrame({'n': [1]}), 'n', computed_from='smp_mail')"
    notebook = write_notebook(tmp_path / "one.ipynb", cell)
    monkeypatch.setattr(building, "runs", lambda: [reports.NotebookRun("one", str(notebook), {"source": "rhel5"})])
    monkeypatch.setattr(building, "check_run", lambda notebook, parameters: Path(notebook))
    monkeypatch.setattr(building, "run_notebook", lambda notebook, _, **how: reports.run_notebook(notebook, **how))
    mine = ("tables/mine.csv", "tables/notes/x.txt", "site/thesis.html")
    for name in (*mine, "tables/n.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine\n")
    with pytest.raises(ReportFailed, match="somebody else"):
        reports.build(tmp_path, jobs=1)
    assert (tmp_path / "tables" / "n.csv").read_text() == "mine\n"
    assert [path.name for path in (tmp_path / "site").iterdir()] == ["thesis.html"]
    (tmp_path / "tables" / "n.csv").unlink()
    reports.build(tmp_path, jobs=1)
    assert (tmp_path / "tables" / "n.csv").read_text() == "n\n1\n"
    (tmp_path / "tables" / "old.csv").write_text("ours once\n")
    with (tmp_path / folder.WRITTEN).open("a") as written:
        written.write("tables/old.csv\n")
    reports.build(tmp_path, jobs=1)
    assert not (tmp_path / "tables" / "old.csv").exists()
    for name in mine:
        assert (tmp_path / name).read_text() == "mine\n"


def test_the_list_of_what_we_wrote_leads_nowhere_else(tmp_path):
    (tmp_path / folder.WRITTEN).write_text("../victim.txt\n/etc/passwd\nsite/..\nsite/a.html\n", encoding="utf-8")
    assert folder.files_written_by_reports(tmp_path) == {"site/a.html"}


@pytest.mark.parametrize("name", ["", "../x", "a/../b", "a/b/c", "/a", "..", ".hidden", "a b"])
def test_save_stays_in_its_folder(tmp_path, monkeypatch, name):
    """A name is a name, with one folder before it at most."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadTable, match="plain name"):
        reports.save(pd.DataFrame({"a": [1]}), name)


def test_save_outside_a_run(tmp_path, monkeypatch):
    """In JupyterLab a table goes to runs/interactive, which git ignores; a long one has no Markdown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DOMINOPERF_OUT", raising=False)
    reports.save(pd.DataFrame({"a": range(201)}), "long", computed_from="claims")
    names = {path.name for path in (tmp_path / "runs" / "interactive").iterdir()}
    assert names == {"long.csv", "long.resource.json"}


def test_a_notebook_that_names_no_kernel_runs(tmp_path):
    """Tools other than JupyterLab write such ones; ours are in Python."""
    path = write_notebook(tmp_path / "n.ipynb", "print(n)")
    notebook = nbformat.read(path, as_version=4)
    del notebook.metadata["kernelspec"]
    nbformat.write(notebook, path)
    reports.run_notebook(str(path), {"n": 3}, out=tmp_path / "out", warm=True)
    assert "3" in (tmp_path / "out" / "executed.ipynb").read_text()


@pytest.mark.parametrize("text", ["{", "[]", '{"cells": []}', '{"cells": [{"metadata": {}, "source": "x"}]}'])
def test_what_is_no_notebook_is_refused_before_anything_starts(tmp_path, text):
    """No JSON, no cells, no cell tagged `parameters`."""
    (tmp_path / "bad.ipynb").write_text(text, encoding="utf-8")
    with pytest.raises(ReportFailed, match=r"bad\.ipynb: expected"):
        reports.run_notebook(tmp_path / "bad.ipynb", out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["[20_processors", '[20_processors]\nfor_eech = "source"', "[99_nope]"])
def test_a_broken_run_list_is_refused_before_anything_starts(tmp_path, monkeypatch, text):
    """TOML that is none, a key that is none, a notebook that is none."""
    home = notebooks.notebooks_folder()
    for path in home.glob("*.ipynb"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "runs.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr(notebooks, "notebooks_folder", lambda: tmp_path)
    with pytest.raises(DominoperfError):
        reports.build(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_work_folders_of_killed_builds_go(tmp_path):
    (tmp_path / ".buildingold").mkdir()
    with folder.work_folder_of_reports(tmp_path, ".engine") as work:
        assert {path.name for path in tmp_path.iterdir()} == {".engine", work.name}
    assert {path.name for path in tmp_path.iterdir()} == {".engine"}


def test_a_folder_without_locks_is_refused(tmp_path, monkeypatch):
    """As some networks have them: there two runs could be at work at once."""

    def no_locks(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    with pytest.raises(ReportFailed, match="no locks available"):
        folder.work_folder_of_reports(tmp_path, ".engine").__enter__()


def test_an_ended_report_clears_up(tmp_path):
    """SIGTERM as soon as a notebook runs, others waiting: a shell's status, nothing in place, no work folder left."""
    names = ["published_tables_compaq_domino45", "published_tables_rhel5"]
    command = [sys.executable, "-m", "dominoperf.cli", "report", *names, "--jobs", "1", "--out", "out"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as running_:
        assert running_.stderr.readline() == "start published_tables_compaq_domino45\n"
        running_.terminate()
        assert "dominoperf: interrupted\n" in running_.stderr.read()  # a kernel may have its own word on the way down
        assert running_.wait(60) == 130
    assert [path.name for path in (tmp_path / "out").iterdir()] == [cache.FOLDER]
    kept = {path.name for path in (tmp_path / "out" / cache.FOLDER).iterdir()}
    assert kept - {".site"} == {folder.LOCK}  # what was made for the site is kept


def test_a_broken_module_of_the_environment_ends_a_report_with_a_message(tmp_path):
    """One that the fork server loads for all kernels, too: it goes on, and the notebook that needs the module tells."""
    place = Place(tmp_path / "place")
    for k in range(3):
        place.notebook(f"0{k}_n{k}", "import patsy")
    (place.home / "patsy.py").write_text("raise RuntimeError('it is broken')")
    done = place.report("--jobs", "1")
    assert done.status == 2, done.said
    for k in range(3):
        assert f"0{k}_n{k}.ipynb, cell 2: RuntimeError: it is broken" in done.said
    assert "Traceback" not in done.said
