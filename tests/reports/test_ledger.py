"""The ledger holds what the committed reports are made of; `verify` names each thing that differs."""

import shutil
import tomllib
from pathlib import Path

import pytest
from conftest import ROOT

from dominoperf import cli, reports, tables
from dominoperf.errors import BadTable
from dominoperf.reports import ledger
from dominoperf.tables import folders


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The committed reports, as if they had just been made."""
    out = tmp_path_factory.mktemp("made") / "reports"
    shutil.copytree(ROOT / "reports" / "tables", out / "tables")
    data, entries = ledger.data_checksums(), {}
    committed = tomllib.loads((ROOT / "reports" / "ledger.toml").read_text(encoding="utf-8"))
    for run in reports.runs():
        saved = {name: out / "tables" / name for name in committed[run.name]["tables"]}
        entries[run.name] = ledger.entry_of_run(run, saved, data)
    (out / "ledger.toml").write_text(ledger.ledger_text(entries, data), encoding="utf-8")
    return out


@pytest.fixture
def out(made, tmp_path):
    """A copy of them to change."""
    return Path(shutil.copytree(made, tmp_path / "reports"))


def change(path, old, new):
    """Change a text that must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_committed_ledger_holds(capsys):
    """Every run, every table, and inputs as they are."""
    assert cli.main(["verify", "--out", str(ROOT / "reports")]) == 0
    assert capsys.readouterr().out == ""
    assert set(ledger.read_ledger(ROOT / "reports")[0]) == {run.name for run in reports.runs()}


def test_the_ledger_is_the_same_everywhere():
    """Written from what was read, it is the same to the byte; nothing of the machine in it."""
    path = ROOT / "reports" / "ledger.toml"
    assert ledger.ledger_text(*ledger.read_ledger(ROOT / "reports")) == path.read_text(encoding="utf-8")
    assert str(ROOT) not in path.read_text(encoding="utf-8")


def test_any_name_and_value_is_good_toml():
    """Names with points, texts with quotes, numbers and truth values come back."""
    values = {"s": 'a "b"\\', "i": 1, "f": 0.5, "b": True}
    said = {"a.b-c": {"notebook": "x", "data": "z", "parameters": values, "tables": {"t.csv": "y"}}}
    assert tomllib.loads(ledger.ledger_text(said, {"data/a.csv": "w"})) == said | {"data files": {"data/a.csv": "w"}}


@pytest.mark.parametrize(
    ("old", "new", "report", "file"),
    [
        ("[processors]\ndata = ", '[processors]\ndata = "0"#', "processors", "data"),
        ('source = "rhel5"', 'source = "rhel6"', "published_tables_rhel5", "notebooks/runs.toml"),
        ('"processors_fit.csv" = "', '"processors_fit.csv" = "0', "processors", "tables/processors_fit.csv"),
        ('"processors_fit.csv" = ', '"processors_fix.csv" = ', "processors", "tables/processors_fix.csv"),
        ('"processors_fit.csv" = ', "# ", "", "tables/processors_fit.csv"),
    ],
)
def test_what_differs_is_named(out, capsys, old, new, report, file):
    """Report and file, what was expected and what was found; exit 1."""
    change(out / "ledger.toml", old, new)
    assert cli.main(["verify", "--out", str(out)]) == 1
    shown, told = capsys.readouterr()
    assert f"{report}, {file}: expected ".removeprefix(", ") in shown
    assert f"from the ledger. `dominoperf report --out {out}` makes tables and ledger anew" in told
    rows = reports.verify(out)
    assert (report, file) in set(zip(rows["report"], rows["file"], strict=True))


def test_a_changed_and_a_lost_table_are_named(out, capsys):
    """By their files; each once."""
    change(out / "tables" / "processors_fit.csv", "\namdahl,", "\nAmdahl,")
    (out / "tables" / "processors_fit.md").unlink()
    rows = reports.verify(out)
    assert list(rows["file"]) == ["tables/processors_fit.csv", "tables/processors_fit.md"]
    assert list(rows["found"]) == ["another", "no file"]
    assert set(rows.columns) <= set(tables.vocabulary())
    assert cli.main(["verify", "--out", str(out)]) == 1
    told = "processors, tables/processors_fit.csv: expected the table that the run saved, found another\n"
    assert told in capsys.readouterr().out


def test_the_table_of_sources_is_that_of_the_descriptor(out):
    """No run saves it, so no entry has its checksum: what says otherwise is named, and a file that is gone.

    It has the places of a table that is gone too.
    """
    places = out / "tables" / "computed_from.csv"
    change(places, "the runs of all documents", "the runs of some documents")
    (row,) = reports.verify(out).to_dict("records")
    assert (row["file"], row["found"]) == ("tables/computed_from.csv", "another")
    change(places, "the runs of some documents", "the runs of all documents")
    (out / "tables" / "processors_bands.csv").unlink()
    assert list(reports.verify(out)["file"]) == ["tables/processors_bands.csv"]  # what says where it is from is right
    places.unlink()
    assert list(reports.verify(out)["found"]) == ["no file", "no file"]


def test_a_changed_notebook_is_named(out, tmp_path, monkeypatch):
    """Its own report alone is of another notebook."""
    copied = tmp_path / "20_processors.ipynb"
    shutil.copy(ledger.find_notebook("20_processors"), copied)
    change(copied, "smp_mail", "smp_mial")
    found = ledger.find_notebook
    monkeypatch.setattr(ledger, "find_notebook", lambda name: copied if name == "20_processors" else found(name))
    (row,) = reports.verify(out).itertuples()
    assert (row.report, row.file, row.found) == ("processors", "notebooks/20_processors.ipynb", "another")


def test_missing_and_unknown_runs_are_named(out):
    """An entry less, and one too many."""
    change(out / "ledger.toml", "[processors]", "[procesors]")
    change(out / "ledger.toml", "[processors.tables]", "[procesors.tables]")
    found = {(row.report, row.file): row.expected for row in reports.verify(out).itertuples()}
    assert found["processors", "ledger.toml"] == "an entry for the run"
    assert found["procesors", "ledger.toml"] == "a run of the run list"


def test_a_data_cell_counts(out, tmp_path, monkeypatch):
    """Every run read it, so it is named once; a folder of the user's is none of the ledger's business."""
    shutil.copytree(tables.home(), tmp_path / "data")
    for module in (tables, folders):
        monkeypatch.setattr(module, "home", lambda: tmp_path / "data")
    assert reports.verify(out).empty
    change(tmp_path / "data" / "domino6" / "peak_load.csv", "0", "1")
    (row,) = reports.verify(out).itertuples()
    assert (row.report, row.file, row.found) == ("", "data/domino6/peak_load.csv", "another")
    (tmp_path / "data" / "domino6" / "peak_load.csv").unlink()
    assert list(reports.verify(out)["found"]) == ["no file"]


def test_data_of_others_are_not_verified(out, folder, monkeypatch):
    """They never reach the standard reports."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    assert reports.verify(out).empty


@pytest.mark.parametrize("text", [None, "[a", "a = 1\n", "[a]\ninputs = 1\n"])
def test_no_ledger_is_a_mistake(tmp_path, text, capsys):
    """None, no TOML, or another's: exit 2 with the file's name."""
    if text is not None:
        (tmp_path / "ledger.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadTable, match=r"ledger\.toml: expected"):
        reports.verify(tmp_path)
    assert cli.main(["verify", "--out", str(tmp_path)]) == 2
    assert capsys.readouterr().out == ""
