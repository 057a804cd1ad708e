"""A notebook over many sets of parameters: checked first, kept when finished, resumed after a kill, failures apart."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, write_notebook

from dominoperf import cli, reports, tables
from dominoperf.errors import BadTable, CannotRun, ReportFailed, UnknownName
from dominoperf.reports import cache, sweeping

DECLARED = "n: int = 1  # a number\nword: str = 'a'  # a text\nlog: str = ''  # where to count"
CELLS = (
    "import os, pathlib\nwith open(f'{log}.txt', 'a') as lines:\n    lines.write(f'{n} {word}\\n')",
    "assert n != 3, 'three'",
    "pathlib.Path(os.environ['DOMINOPERF_OUT'], 'squares.csv').write_text(f'square,word\\n{n * n},{len(word)}\\n')",
)


@pytest.fixture
def notebook(tmp_path):
    """A notebook that writes down each time it runs, fails for 3, and saves a table."""
    return write_notebook(tmp_path / "01_squares.ipynb", *CELLS, parameters=DECLARED)


@pytest.fixture
def grid(tmp_path):
    """Three sets, one of which fails."""
    path = tmp_path / "grid.toml"
    path.write_text(f"n = [4, 3, 5]\nword = '=1'\nlog = '{(tmp_path / 'log').as_posix()}'\n", encoding="utf-8")
    return path


def started(notebook, grid, out, *more):
    """The command in a process group of its own, so that all that it started can be ended."""
    command = [sys.executable, "-m", "dominoperf.cli", "sweep", str(notebook), str(grid), "--out", str(out), *more]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=notebook.parent, start_new_session=True
    )


def killed_after(finished, process):
    """Kill the command when so many sets are finished, then what is left of its processes."""
    try:
        for line in process.stderr:
            if line.startswith(f"{finished} of "):
                break
        process.kill()
        assert process.wait() == -signal.SIGKILL
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.stderr.read()  # ends with the last of them: a fork may not have let go of the lock yet
        process.stdout.close()
        process.stderr.close()


def test_a_notebook_without_types_is_swept(tmp_path):
    """As notebooks for papermill are: the values have the types of the defaults, and whole numbers stay whole.

    A mistake in a set is told by the message that the library raised, and the cell that made it.
    """  # first here: what is swept after it is forked from the process that it loads
    code = "import os, pathlib\nfrom dominoperf import tables\ntables.load(word if share else 'ibm_330/pricin')"
    code += "\ntext = f'k,{n / 2},{type(n).__name__},{type(share).__name__}'"
    code += "\npathlib.Path(os.environ['DOMINOPERF_OUT'], 't.csv').write_text('word,half,n_is,share_is\\n' + text)"
    parameters = "n = 1\nshare = 0.5  # of all\nword = 'ibm_330/pricing'"
    notebook = write_notebook(tmp_path / "one.ipynb", code, parameters=parameters)
    swept = reports.sweep(notebook, {"n": [3], "share": [1, 0.25, 0]}, out=tmp_path / "out", jobs=1)
    table = pd.read_csv(swept.out / "tables" / "t.csv")
    assert table[["n", "share"]].to_numpy().tolist() == [[3, 1], [3, 0.25]]
    assert table[["n_is", "share_is"]].to_numpy().tolist() == [["int", "int"], ["int", "float"]]
    with pytest.raises(UnknownName) as raised:
        tables.load("ibm_330/pricin")
    assert swept.failures[["share", "cell", "error"]].to_numpy().tolist() == [[0, "2", str(raised.value)]]


def test_killed_and_run_again(notebook, grid, tmp_path, capsys, monkeypatch):
    """SIGKILL in the middle: nothing half written; what runs again, with a set more, does what is left alone.

    It gives the whole table. A failed set does not stop the others, and is told with its parameters, cell and error.
    Nothing stays among the temporary files of the machine.
    """
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    out, log = tmp_path / "out", tmp_path / "log.txt"
    fewer = tmp_path / "fewer.toml"
    fewer.write_text(grid.read_text().replace("4, 3, 5", "4, 5"), encoding="utf-8")  # for which nothing is forked
    killed_after(1, started(notebook, fewer, out, "--jobs", "1"))
    kept = {path.name: path.read_bytes() for path in (out / sweeping.KEPT).glob("*.json")}
    assert (len(kept), (out / "tables").exists()) == (1, False)
    assert not [*(tmp_path / "temporary").glob("dominoperf-*")]
    before = log.read_text().splitlines()
    assert before[0] == "4 =1"

    assert cli.main(["sweep", str(notebook), str(grid), "--out", str(out), "--jobs", "2"]) == 1
    told = capsys.readouterr()
    assert told.out == f"{out / 'tables'}\n"
    assert told.err.splitlines()[0] == "1 of 3, 1 resumed"
    assert "3 of 3, 1 resumed, 1 failed" in told.err
    again = log.read_text().splitlines()[len(before) :]
    assert sorted(again) == ["3 =1", "5 =1"]
    assert all((out / sweeping.KEPT / name).read_bytes() == data for name, data in kept.items())
    assert not [*out.glob(".building*")]
    _check_tables(out, tmp_path / "log")


def _check_tables(out, log):
    """Sets in the order of the grid; parameters first; failures apart."""
    assert {path.name for path in (out / "tables").iterdir()} == {"failures.csv", "squares.csv"}
    rows = [f"{n},'=1,{log},{n * n},2" for n in (4, 5)]
    assert (out / "tables" / "squares.csv").read_text().splitlines() == ["n,word,log,square,table_word", *rows]
    failed = f"n,word,log,cell,error\n3,'=1,{log},3,AssertionError: three\n"
    assert (out / "tables" / "failures.csv").read_text() == failed


def write_table(out, name, text):
    """What a notebook leaves in its folder."""
    out.mkdir()
    (out / f"{name}.csv").write_text(text, encoding="utf-8")


def test_what_is_finished_follows_from_its_content(notebook, tmp_path, monkeypatch):
    """A larger grid runs what is new; so does what another notebook, library or data make; failures go."""
    ran = []

    def run_notebook(path, values, *, out, **_):
        ran.append(values["n"])
        if values["n"] == 3:
            raise ReportFailed(f"{path.name}, cell 1", expected="two", found="no", remedy="Mend it.")
        write_table(out, "t", f"double\n{2 * values['n']}\n")

    monkeypatch.setattr(sweeping, "run_notebook", run_notebook)
    run = lambda *values: reports.sweep(notebook, {"n": list(values)}, out=tmp_path / "out", jobs=1)  # noqa: E731
    assert run(1, 2, 3, 2).glance().iloc[0].tolist() == [4, 4, 0, 1]
    assert ran == [1, 2, 3]
    assert (tmp_path / "out" / "tables" / "failures.csv").exists()
    assert run(5, 2, 1).glance().iloc[0].tolist() == [3, 1, 2, 0]
    assert ran == [1, 2, 3, 5]
    assert not (tmp_path / "out" / "tables" / "failures.csv").exists()
    assert (tmp_path / "out" / "tables" / "t.csv").read_text() == "n,double\n5,10\n2,4\n1,2\n"
    for name, changed in (
        ("library_files", [tmp_path / "a.py"]),
        ("data_files", [tmp_path / "a.py"]),
        ("versions_of_libraries", {"x": "1"}),
    ):
        (tmp_path / "a.py").write_text("1", encoding="utf-8")
        with monkeypatch.context() as other:
            other.setattr(cache, name, lambda changed=changed: changed)
            assert run(1).resumed == 0
    write_notebook(notebook, "1", parameters=DECLARED)
    assert run(1).resumed == 0


def test_a_file_that_a_parameter_names_runs_again_when_it_changed(tmp_path, monkeypatch):
    """Named by the grid or by the notebook's default; what names no file, or another one, is resumed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        sweeping, "run_notebook", lambda *_, out, **__: write_table(out, "t", Path("a.csv").read_text())
    )
    notebook = write_notebook(tmp_path / "01_one.ipynb", "1", parameters="raw: str = 'a.csv'\nk: int = 1")
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("n\n100\n", encoding="utf-8")
    for grid in ({"raw": ["a.csv", "b.csv"]}, {"k": [1]}):
        resumed = [reports.sweep(notebook, grid, jobs=1).resumed for _ in range(2)]
        assert resumed == [0, len(grid.get("raw", [1]))]
    Path("a.csv").write_text("n\n200\n", encoding="utf-8")
    assert reports.sweep(notebook, {"raw": ["a.csv", "b.csv"]}, jobs=1).resumed == 1
    again = reports.sweep(notebook, {"k": [1]}, jobs=1)
    assert again.resumed == 0
    assert (again.out / "tables" / "t.csv").read_text() == "k,n\n1,200\n"


def test_a_library_that_was_edited_runs_as_it_is_now(tmp_path):
    """Also in a session that has forked notebooks before: a finished set is kept under what the library is now."""
    # With what is compiled, but for what another process compiles just now.
    shutil.copytree(ROOT / "dominoperf", tmp_path / "dominoperf", ignore=shutil.ignore_patterns("*.pyc.*"))
    (tmp_path / "data").mkdir()  # what notebooks are forked from loads all tables: here none
    code = "import os, pathlib\nfrom dominoperf import edited"
    code += "\npathlib.Path(os.environ['DOMINOPERF_OUT'], 't.csv').write_text(f'is\\n{edited.VALUE}\\n')"
    write_notebook(tmp_path / "01_one.ipynb", code, parameters="n: int = 1")
    session = "from pathlib import Path\nfrom dominoperf import reports\nfor value, n in ((10, [1, 2, 3]), (20, [3])):"
    session += "\n    Path('dominoperf/edited.py').write_text(f'VALUE = {value}')"
    session += "\n    swept = reports.sweep('01_one.ipynb', {'n': n}, out='out', jobs=1)"
    session += "\n    print(swept.resumed, Path('out/tables/t.csv').read_text().split())"
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-P", "-c", session]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    rows = [f"0 {['n,is', '1,10', '2,10', '3,10']}", f"0 {['n,is', '3,20']}"]
    assert (done.stderr, done.stdout.splitlines()) == ("", rows)


def test_a_sweep_that_saves_no_table_says_how_one_is_saved(notebook, tmp_path, monkeypatch, capsys):
    """It names no folder that is not there."""
    monkeypatch.setattr(sweeping, "run_notebook", lambda *_, out, **__: out.mkdir())
    (tmp_path / "grid.toml").write_text("n = [1]\n", encoding="utf-8")
    command = ["sweep", str(notebook), str(tmp_path / "grid.toml"), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert cli.main(command) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "no set saved a table: `dominoperf.reports.save` in the notebook saves one" in told.err


def test_every_bad_set_is_named_before_anything_runs(notebook, tmp_path):
    """Names and types, as for one report; sets alike in what is wrong are told together."""
    table = tmp_path / "sets.csv"
    table.write_text("n,word\n1,a\nx,a\n3,b\n1.5,c\ny,c\n", encoding="utf-8")
    with pytest.raises(ReportFailed) as told:
        reports.sweep(notebook, table, out=tmp_path / "out")
    for words in ("3 of 5 sets", "set 2: ", "found 'x'", "set 4: ", "found '1.5'", "set 5: ", "found 'y'", "n: int"):
        assert words in str(told.value)
    with pytest.raises(ReportFailed, match=r"4 of 4 sets otherwise: sets 1, 2, 3, 4: .*Did you mean word"):
        reports.sweep(notebook, {"n": [1, 2], "wort": ["a", "b"]}, out=tmp_path / "out")
    for value in (True, 1.0, float("nan"), [1], None):
        with pytest.raises(ReportFailed, match="1 of 2 sets otherwise: set 2"):
            reports.sweep(notebook, {"n": [1, value]}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_grids(tmp_path):
    """Lists are multiplied, the last changing fastest; a row is a set; CSV and Parquet say the same."""
    (tmp_path / "a.toml").write_text("b = [1, 2]\na = ['x', 'y']\nc = 5\n", encoding="utf-8")
    found = sweeping.read_parameter_sets(tmp_path / "a.toml")
    assert found == [{"b": b, "a": a, "c": 5} for b in (1, 2) for a in ("x", "y")]
    frame = pd.DataFrame({"n": [1, 2], "word": ["x", "y"]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    notebook = write_notebook(tmp_path / "one.ipynb", "1", parameters=DECLARED)
    read = [
        sweeping.check_parameter_sets(notebook, sweeping.read_parameter_sets(tmp_path / f"a.{end}"))
        for end in ("csv", "parquet")
    ]
    assert read == [frame.to_dict("records")] * 2
    assert type(read[1][0]["n"]) is int


@pytest.mark.parametrize(("name", "text"), [
    ("a.toml", "n = ["), ("a.toml", ""), ("a.toml", "n = []"), ("a.csv", "n\n"), ("a.csv", ""), ("a.parquet", "no"),
    ("a.txt", "n = [1]"), ("gone.toml", None),
])  # fmt: skip
def test_a_grid_that_is_none_is_refused(notebook, tmp_path, name, text):
    """Broken, empty, of another format, or not there."""
    if text is not None:
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadTable, match=name):
        reports.sweep(notebook, tmp_path / name, out=tmp_path / "out")


def test_tables_of_different_shape(tmp_path):
    """Columns are those of all runs; what a run lacks is empty."""
    texts = [{"t": "a,b,e\n1,2,\n"}, {"t": "b,c\n2.5e-07,007\n-inf,x\n"}, {}, {"t": "n,a\n9,\n"}]
    runs = [({"n": k / 2, "yes": k > 1}, text) for k, text in enumerate(texts)]
    assert sweeping.collect_tables(runs, ["n", "yes"], tmp_path) == ["t"]
    rows = ["0,no,1,2,,,", "0.5,no,,2.5e-07,,007,", "0.5,no,,-inf,,x,", "1.5,yes,,,,,9"]
    assert (tmp_path / "t.csv").read_text().splitlines() == ["n,yes,a,b,e,c,table_n", *rows]


def test_tables_below_a_folder_are_joined_too(notebook, tmp_path, monkeypatch):
    """``save(table, "many/one")`` gives a table of that name."""

    def run_notebook(path, values, *, out, **_):
        write_table(out, "t.v2", "a\n1\n")
        write_table(out / "many", "one", f"b\n{values['n']}\n")

    monkeypatch.setattr(sweeping, "run_notebook", run_notebook)
    for _ in range(2):
        found = reports.sweep(notebook, {"n": [1, 2]}, out=tmp_path / "out", jobs=1)
    assert found.tables == ["many/one", "t.v2"]
    assert (tmp_path / "out" / "tables" / "many" / "one.csv").read_text() == "n,b\n1,1\n2,2\n"


def test_every_cell_is_below_its_heading(tmp_path):
    """Columns called as a parameter, and as such a column would be called."""
    text = "x,table_x,code,name\n1,2,007,a\n"
    sweeping.collect_tables([({"x": 5, "name": "b"}, {"t": text})], ["x", "name"], tmp_path)
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines == ["x,name,table_table_x,table_x,code,table_name", "5,b,1,2,007,a"]
    sweeping.collect_tables([({"x": 5, "table_x": 6}, {"t": text})], ["x", "table_x"], tmp_path)
    assert (tmp_path / "t.csv").read_text().splitlines()[1] == "5,6,1,2,007,a"


def test_what_is_somebody_elses_stays(notebook, tmp_path, monkeypatch):
    """A file that no sweep wrote, a folder of reports, a table called as ours."""
    monkeypatch.setattr(sweeping, "run_notebook", lambda *_, out, **__: write_table(out, "t", "a\n1\n"))
    out = tmp_path / "out"
    (out / "tables").mkdir(parents=True)
    (out / "tables" / "t.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(ReportFailed, match="somebody else"):
        reports.sweep(notebook, {"n": [1]}, out=out, jobs=1)
    assert (out / "tables" / "t.csv").read_text() == "mine"
    (tmp_path / "reported" / cache.FOLDER).mkdir(parents=True)
    with pytest.raises(ReportFailed, match="folder of reports"):
        reports.sweep(notebook, {"n": [1]}, out=tmp_path / "reported", jobs=1)
    monkeypatch.setattr(sweeping, "run_notebook", lambda *_, out, **__: write_table(out, "failures", "a\n1\n"))
    with pytest.raises(CannotRun, match="failures"):
        reports.sweep(notebook, {"n": [1]}, out=tmp_path / "other", jobs=1)


def test_the_same_sweep_finds_its_folder(notebook, tmp_path, monkeypatch):
    """Without --out the folder follows from notebook and sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sweeping, "run_notebook", lambda *_, out, **__: write_table(out, "t", "a\n1\n"))
    first, again = (reports.sweep(notebook, {"n": [1]}, jobs=1) for _ in range(2))
    assert first.out == again.out
    assert (again.out.parent, again.resumed) == (Path("runs"), 1)
    assert reports.sweep(notebook, {"n": [2]}, jobs=1).out != first.out
