"""The command line: words in, lines out; a mistake is one message, never a traceback."""

import importlib
import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest

from dominoperf import cli, fit, planning, runs, tables
from dominoperf.cli import main, options, table_commands
from dominoperf.errors import UnknownName
from dominoperf.study import audit, recommendations
from dominoperf.tables import rendering

MAIL = "compaq_domino45/a_mail"


def run(capsys, *words):
    """Exit status, output and messages of a command."""
    status = main(list(words))
    return status, *capsys.readouterr()


def test_printed_csv_is_the_page(capsys):
    """What the issue asks to see: the table to the digit, CSV alone on stdout."""
    status, out, err = run(capsys, "tables", MAIL, "--as", "printed", "--format", "csv")
    assert (status, err) == (0, "")
    assert out == (tables.home() / f"{MAIL}.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(("k", "id"), [*enumerate(tables.list_tables()["id"])], ids=tables.list_tables()["id"])
def test_every_table_prints_and_describes(capsys, k, id):
    """No table that a view or a description trips over; views and formats in turn."""
    view, format = ("printed", "corrected")[k % 2], ("text", "csv", "json", "md")[k // 2 % 4]
    assert run(capsys, "tables", id, "--as", view, "--format", format)[0] == 0
    assert run(capsys, "describe", id)[1].startswith(f"{id}\n")


def test_corrections_are_told(capsys):
    """Corrected numbers come with a note, the page without; a document lists its tables."""
    told = run(capsys, "tables", MAIL)[2]
    assert f"10 cells are corrected by errata; `dominoperf describe {MAIL}` lists them" in told
    assert run(capsys, "tables", MAIL, "--as", "printed")[2] == ""
    assert run(capsys, "tables", "ibm_330/clients")[2] == ""
    assert run(capsys, "tables", "ibm_330")[1].count("ibm_330/") == 15


def test_a_full_or_forbidden_place_is_one_message(capsys, tmp_path):
    """An output that cannot be written is the user's to know, without a traceback."""
    (tmp_path / "file").write_text("x")
    status, out, err = run(capsys, "report", "processors", "--out", str(tmp_path / "file"))
    assert (status, out) == (2, "")
    assert err.startswith("dominoperf: ")
    assert err.count("\n") == 1


def test_series(capsys):
    """Points to stdout, warnings to stderr."""
    status, out, err = run(capsys, "series", "smp_mail", "--format", "csv")
    assert status == 0
    assert out.startswith("processors,users,locator\n1,1920,")
    assert err.count("note: ") == len(runs.find("smp_mail").warnings)


def test_check_of_ours_and_of_a_broken_folder(capsys, folder):
    """0 and no line for a good folder; 1 and a line a problem for a bad one."""
    status, out, err = run(capsys, "check", "--format", "csv")
    assert status == 0
    assert "no problems; " in err
    assert "cells break an identity; each is in an erratum (--format csv lists them); " in err
    assert "compaq_domino45/a_mail,3,response_s,.107,1.08" in out
    status, out, err = run(capsys, "check", str(folder))
    assert (status, out) == (0, "")
    assert "no cell breaks an identity; " in err
    (folder / "runs.csv").write_text("system,users,unit\nA,many,user\n", encoding="utf-8")
    status, out, err = run(capsys, "check", str(folder))
    assert status == 1
    assert out.startswith("runs.csv, line 2, column users: expected a number such as 5,150")
    assert out.count("\n") == 1
    assert "1 problem" in err
    assert json.loads(run(capsys, "check", str(folder), "--format", "json")[1])[0]["line"] == 2


def test_data_anywhere(capsys, folder, monkeypatch):
    """--data before or behind the command adds a folder of one's own."""
    for words in (("--data", str(folder), "tables", "mine/runs"), ("tables", "mine/runs", "--data", str(folder))):
        monkeypatch.setenv("DOMINOPERF_DATA", "")
        assert "1,200" in run(capsys, *words)[1]


def test_words_named_again_are_those_of_the_library():
    """Options name what the library knows, without loading it: a word more or less here would be refused, or missed."""
    assert set(options.FORMATS) == set(rendering.FORMATS)
    assert options.VERDICTS == audit.VERDICTS
    assert options.ADVICE_VERDICTS == recommendations.VERDICTS
    with pytest.raises(UnknownName, match=rf"Known are {', '.join(options.INTERVALS)}\."):
        fit("amdahl", "smp_mail", interval="no such")
    assert options.METHODS == importlib.import_module("dominoperf.loadtests.window").METHODS
    assert options.VIEWS_OF_DATA == importlib.import_module("dominoperf.tables.loading").VIEWS_OF_DATA


def test_public_names_exist():
    """Every name that the package promises can be had."""
    import dominoperf

    for name in dominoperf.__all__:
        assert getattr(dominoperf, name) is not None
    with pytest.raises(AttributeError, match="attribute nothing"):
        dominoperf.nothing  # noqa: B018
    assert set(dominoperf.__all__) <= set(dir(dominoperf))
    rooms = {path.stem for path in Path(dominoperf.__file__).parent.iterdir()}
    assert not rooms & set(
        dominoperf.__all__
    )  # else a name would be a function or a module, by what was imported first


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt, 130), (BrokenPipeError, 0)])
def test_interrupted_or_cut_off(monkeypatch, error, status):
    """Ctrl-C has a shell's status; a reader that went away is not worth a word."""

    def tables(_):
        raise error

    monkeypatch.setattr(table_commands, "tables", tables)
    monkeypatch.setattr(cli.sys, "stderr", io.StringIO())
    assert cli.main(["tables"]) == status


OWN = "place,processors,users\nhere,1,100\nhere,2,190\nhere,4,340\nhere,8,560\nhere,16,780\nthere,1,90\n"


@pytest.fixture
def own(tmp_path):
    """A CSV file of one's own: about scale 100, contention 0.05, coherency 0.001."""
    path = tmp_path / "my.csv"
    path.write_text(OWN, encoding="utf-8")
    return str(path)


def test_columns_in_another_unit_are_told_in_every_form(capsys, tmp_path):
    """500 of a column of milliseconds is 500 s: only the text said so. On stderr, for what reads the numbers alone."""
    own = tmp_path / "own.csv"
    own.write_text("cpu_utilization_percent,response_ms\n10,220\n30,290\n50,410\n70,660\n")
    words, said = (
        ["fit", "mm1", str(own), "--inverse", "0.5"],
        "as response_s; values that you ask for are in that unit",
    )
    for more in (["--show", "inverse"], ["--format", "json"], ["--format", "csv"]):
        status, out, err = run(capsys, *words, *more)
        assert (status, said in out, said in err) == (0, False, True)
    status, out, err = run(capsys, *words)
    assert (status, said in out.replace("\n", " "), err) == (0, True, "")


def test_compare(capsys, own):
    """The verdict as text; without --at the forecasts are at the points."""
    assert "do not settle which law is right" in run(capsys, "compare", "processors", "smp_mail")[1]
    words = ("compare", "linear,amdahl,usl", own, "--where", "place=here")
    assert "span_low" in run(capsys, *words, "--at", "32")[1]
    forecast = pd.read_csv(io.StringIO(run(capsys, *words, "--format", "csv", "--show", "predict")[1]))
    assert list(forecast["x"]) == [1, 2, 4, 8, 16]
    assert "far_off" not in run(capsys, *words)[1]
    text = run(capsys, *words, "--rates", "--next-load")[1]
    for column in ("far_off", "refuted_share", "distance"):
        assert column in text
    csv = run(capsys, *words, "--format", "csv", "--show", "next_load")[1]
    assert set(pd.read_csv(io.StringIO(csv))["x"]) == {20, 24, 32, 48, 64}
    assert {*json.loads(run(capsys, *words, "--rates", "--format", "json")[1])} >= {"tidy", "glance", "rates"}


def test_columns_of_runs_of_ones_own_are_mapped(capsys, tmp_path):
    """As where columns have our names; a part that was not mapped is asked, with what to type."""
    mapped, ours, asked = (tmp_path / name for name in ("mapped.csv", "ours.csv", "asked.csv"))
    rows = "".join(f"m{n},{n},{4 * n},5.0,{1000 * n}\n" for n in (1, 2, 4))
    mapped.write_text("host,vCPUs,Memory (GiB),version,people\n" + rows)
    ours.write_text("system,processors,ram_mb,domino_release,users\n" + rows)
    pairs = ("host=system", "vCPUs=processors", "Memory=ram_mb[GiB]", "version=domino_release", "people=users")
    ours.write_text(pd.read_csv(ours, dtype=str).assign(ram_mb=["4096", "8192", "16384"]).to_csv(index=False))
    question = ("capacity", "--processors", "3", "--release", "5.0", "--workload", "own", "--data")
    wanted = run(capsys, *question, str(ours))
    found = run(capsys, *question, str(mapped), *(word for pair in pairs for word in ("--map", pair)))
    assert found == wanted
    assert found[0] == 0
    asked.write_text("vCPUs,users\n1,1000\n2,1900\n")
    status, _, err = run(capsys, *question, str(asked))
    assert status == 2
    assert "--map 'vCPUs=processors'" in err
    asked.write_text("machine,cpu,users\na,90,1000\nb,95,1900\n")
    _, _, err = run(capsys, *question, str(asked))
    assert "add --map 'cpu=cpu_utilization_percent[percent]', so" in err
    assert "--data beside it" in run(capsys, *question[:-1], "--map", "vCPUs=processors")[2]
    asked.write_text("cores,Users carried\n1,1000\n2,1900\n")
    assert "add --map 'Users carried=users', so" in run(capsys, *question, str(asked))[2]
    asked.write_text("cores,users,Stopped by,Cache MB\n1,1000,server,1\n2,1900,drivers,2\n")
    assert "add --map 'Stopped by=limited_by' --map 'Cache MB=l2_kb[MB]', so" in run(capsys, *question, str(asked))[2]
    pairs = ("Stopped by=limited_by", "Cache MB=l2_kb[MB]")
    assert run(capsys, *question, str(asked), *(word for pair in pairs for word in ("--map", pair)))[0] == 0


def test_the_workload_that_a_file_of_machines_tells_is_asked_about(tmp_path, capsys):
    """A TOML file or table with a workload was told that no workload is there; an option replaces it."""
    toml, table, mixed = (tmp_path / name for name in ("machine.toml", "machines.csv", "mixed.csv"))
    toml.write_text('processors = 2\nclock_mhz = 200\nworkload = "Mail"\n')
    table.write_text("name,processors,clock_mhz,workload\nA,2,200,Mail\nB,4,200,Mail\n")
    mixed.write_text("name,processors,clock_mhz,workload\nA,2,200,Mail\nB,4,200,MailDB\n")
    for file in (toml, table):
        answer = run(capsys, "capacity", str(file))
        assert answer[0] == 0
        assert answer[:2] == run(capsys, "capacity", str(file), "--workload", "Mail")[:2]
        assert answer[1] != run(capsys, "capacity", str(file), "--workload", "MailDB")[1]
    status, _, err = run(capsys, "capacity", str(mixed))
    assert status == 2
    assert "mixed.csv are of Mail and MailDB: name one" in err


def test_capacity_of_runs_of_throughputs(tmp_path, capsys):
    """What is counted is no users."""
    file = tmp_path / "nodes.csv"
    file.write_text("processors,req/s\n2,1200\n4,2300\n8,4100\n")
    status, out, _ = run(capsys, "capacity", "--data", str(file), "--processors", "8", "--workload", "own")
    assert status == 0
    assert re.match(r"4,1\d\d per second \(95 % interval [\d,]+ to [\d,]+, of a new test\)\. ", out)
    assert "This machine was tested: 4,100 per second." in out
    assert not re.search(r"\d users", out)
    assert run(capsys, "capacity", "--data", str(file), "--processors", "8")[:2] == (0, out)  # they are of one workload


def test_the_workload_of_runs_of_ones_own_need_not_be_named(tmp_path, capsys):
    """Where they are of one; of several the message lists them."""
    runs = pd.DataFrame({"processors": [1, 2, 4], "users": [90, 170, 300], "workload": "checkout"})
    runs.to_csv(tmp_path / "one.csv", index=False)
    named, short = (
        run(capsys, "capacity", "--processors", "2", "--data", str(tmp_path / "one.csv"), *more)
        for more in (("--workload", "checkout"), ())
    )
    assert named == short
    assert named[0] == 0
    runs.assign(workload=["checkout", "checkout", "search"]).to_csv(tmp_path / "two.csv", index=False)
    status, _, err = run(capsys, "capacity", "--processors", "2", "--data", str(tmp_path / "two.csv"))
    assert status == 2
    assert "expected --workload NAME, found nothing there. Your runs are of checkout and search: name one." in err


def test_a_plan_for_people_with_a_spread_says_how_sure_it_is(tmp_path, capsys):
    """As `assess` has it; where servers are chosen a note says that the spread is not used."""
    request = tmp_path / "request.toml"
    group = (
        'name = "mail"\nusers = 800\nprofile = "light_mail"\nspread = {kind = "triangular", low = 700, high = 1000}\n'
    )
    request.write_text(f'system = "ProLiant 5000 1xP6/200-512"\n[[groups]]\n{group}')
    risk = planning.assess(planning.plan(request))
    _, out, _ = run(capsys, "plan", str(request))
    assert "People are uncertain. How likely that suffices is below." in out.splitlines()[0]
    assert f"\n{risk.headline()}\n" in out
    assert f"The plan suffices in {100 * risk.glance()['probability'].item():.0f} % of 100,000 futures" in out
    _, table, _ = run(capsys, "plan", str(request), "--show", "risk", "--format", "csv")
    assert pd.read_csv(io.StringIO(table))["probability"].tolist() == pytest.approx(risk.tidy()["probability"].tolist())
    request.write_text(f"[[groups]]\n{group}")
    _, _, err = run(capsys, "plan", str(request), "--show", "glance")
    assert "note: the spread of people is not used in choosing servers" in err
    assert run(capsys, "plan", str(request), "--show", "risk")[0] == 2
    request.write_text(f"spare_servers = 1\n[[groups]]\n{group}")
    _, _, err = run(capsys, "plan", str(request), "--servers", "2 ProLiant 5000 1xP6/200-512", "--format", "csv")
    assert "note: 1 server of the set may fail" in err


def test_columns_of_a_catalogue_are_mapped(capsys, tmp_path):
    """A catalogue by other headings is refused with what to type, and chosen from as ours is."""
    catalogue, request = tmp_path / "offers.csv", tmp_path / "ask.toml"
    catalogue.write_text("host,kind,people,cost\nbig,Mail,900,5000\nsmall,Mail,300,900\n")
    request.write_text('[[groups]]\nname = "mail"\nusers = 800\nprofile = "light_mail"\n')
    question = ("plan", str(request), "--catalogue", str(catalogue), "--format", "csv", "--show", "tidy")
    status, _, err = run(capsys, *question)
    assert status == 2
    assert "no system, no workload, no users among host, kind, people, cost" in err
    assert "--map 'HEADING=system'" in err
    pairs = ("host=system", "kind=workload", "people=users", "cost=price_usd[USD]")
    found = run(capsys, *question, *(word for pair in pairs for word in ("--map", pair)))
    ours = catalogue.read_text().replace("host,kind,people,cost", "system,workload,users,price_usd")
    catalogue.write_text(ours)
    assert found == run(capsys, *question)
    assert found[0] == 0
