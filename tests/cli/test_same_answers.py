"""The command line gives the answers of Python: every command, cell by cell, from what it prints.

A command without an entry in `ANSWERS` fails here: who adds one says which call gives the same frames.
"""

import argparse
import csv
import io
import json
import math
import shutil

import pandas as pd
import pytest
from conftest import ROOT

import dominoperf
from dominoperf import errors, loadtests, machines, planning, reports, runs, study, tables
from dominoperf.cli import main, parser
from dominoperf.loadtests import readers
from dominoperf.study import audit

MAIL = "compaq_domino45/a_mail"
TOTALS = str(ROOT / "tests" / "samples" / "pgbench_summary")
POINTS = "place,processors,users\nhere,1,100\nhere,2,190\nhere,4,340\nhere,8,560\nhere,16,780\nthere,1,90\n"
GRID = 'mail.users,growth_percent\n"1,200",0\n800,2.5e1\n-5,\n'
SYSTEMS = 'system,workload,users,price_usd\nBox,Mail,"2,000",$9000\nBox,Groupware_A,500,9000\n'
SIXTH = str(ROOT / "tests" / "samples" / "sixth_document" / "report.txt")
LOCUST = str(ROOT / "tests" / "samples" / "locust" / "demo_stats_history.csv")
LOADS = "clients\ttps\n1\t100\n2\t190\n4\t350\n8\t600\n16\t900\n"
REQUEST = 'system = "Box"\n[[groups]]\nname = "mail"\nusers = 1500\nprofile = "light_mail"\n'


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files to work on."""
    place = tmp_path_factory.mktemp("files")
    for name, text in {
        "my.csv": POINTS,
        "grid.csv": GRID,
        "systems.csv": SYSTEMS,
        "all.csv": SYSTEMS + "ProLiant 3000 1xP2/300,Mail,1900,20000\n",
        "ask.toml": REQUEST,
        "loads.tsv": LOADS,
        "machines.csv": "processors,clock_mhz,ram_mb\n2,200,512\n0,200,512\n",
        "loads.csv": LOADS.replace("clients", "load").replace("tps", "throughput_per_s").replace("\t", ","),
    }.items():
        (place / name).write_text(text, encoding="utf-8")
    one = dominoperf.read(readers.sample()).query("users == 96").drop(columns="time")
    one.to_csv(place / "one.csv", index=False)
    pd.concat([one.assign(run=name) for name in ("before", "after")]).to_csv(place / "named.csv", index=False)
    for name in ("", "old", "new", "builds/1", "builds/2"):
        (place / name).mkdir(parents=True, exist_ok=True)
        shutil.copy(readers.sample(), place / name / "runs.txt")
    (place / "ours" / "tables").mkdir(parents=True)
    shutil.copy(ROOT / "reports" / "ledger.toml", place / "ours")
    return place


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch, folder, files):
    """The folder where the commands run, with files of its own; `mine` is a data folder with a mistake."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    (folder / "runs.csv").write_text("system,users,unit\nA,many,user\n", encoding="utf-8")


def fitted(law="amdahl", **more):
    """The tables of a fit to the points of one place."""
    found = dominoperf.fit(law, points(), **more)
    frames = {"tidy": found.tidy(), "glance": found.glance(), "augment": found.augment()}
    frames |= {"derive": found.derive([4, 32]), "predict": found.predict([4, 32])}
    return frames | ({"inverse": found.inverse([300])} if law == "amdahl" else {})


def of_loads(**more):
    """So large a coherency leaves the contention below zero, which only an unbounded fit has."""
    found = dominoperf.fit("usl", "loads.tsv", x="clients", y="tps", **more)
    assert found.estimates[1] < 0
    frames = {"tidy": found.tidy(), "glance": found.glance(), "augment": found.augment()}
    return frames | {"derive": found.derive(), "predict": found.predict(found.points[0])}


def points():
    return pd.read_csv("my.csv").query("place == 'here'")


def compared():
    found = dominoperf.compare(["linear", "amdahl", "usl"], points())
    return {"tidy": found.tidy(), "glance": found.glance(), "predict": found.predict([32])}


def forecast_at(data, at, **more):
    found = dominoperf.forecast(data, at, **more)
    return {"tidy": found.tidy(), "weights": found.weights(), "glance": found.glance()}


MACHINE = {"processors": 2.0, "clock_mhz": 200.0, "l2_kb": 512.0, "ram_mb": 512.0, "processor_family": "Pentium Pro"}
OF_A_MACHINE = ["--processors", "2", "--clock", "200", "--l2", "512", "--ram", "512", "--family", "Pentium Pro"]
UPGRADES = ["--compare", "--processors 4", "--target", "3000"]


def of_a_machine(**more):
    found = dominoperf.capacity(MACHINE, "Mail", **more)
    return {"tidy": found.tidy(), "glance": found.glance()}


def of_two_machines():
    more = {"level": 0.9}
    ratio = machines.capacity_ratio(MACHINE, MACHINE | {"processors": 4.0}, "Mail", **more)
    return of_a_machine(**more) | {
        "ratio": ratio,
        "upgrades": machines.cheapest_upgrades(MACHINE, "Mail", 3000, **more),
    }


def of_a_table():
    asked = pd.read_csv("machines.csv")
    return asked.join(dominoperf.capacity(asked, "Mail"))


def several_runs():
    """Eight runs in a file, each by itself; their means are those that a notebook takes for a scaling curve."""
    frame = dominoperf.read("runs.txt")
    found = loadtests.steady_runs(frame)
    return {"tidy": found.tidy(), "glance": found.glance(), "means": found.means()}


def compared_builds(**more):
    found = dominoperf.ab("old", "new", **more)
    return tidy_and_glance(found) | {"parameters": found.parameters()}


def of_locust():
    found = loadtests.steady_runs(dominoperf.read(LOCUST))
    return {"tidy": found.tidy(), "glance": found.glance(), "means": found.means()}


def named_runs():
    """The runs go by the names that the file has for them, which are no measure."""
    found = loadtests.steady_runs(pd.read_csv("named.csv"))
    frames = {"tidy": found.tidy(), "glance": found.glance(), "means": found.means()}
    assert all(list(dict.fromkeys(frame["run"])) == ["before", "after"] for frame in frames.values())
    assert "run" not in set(frames["means"]["metric"])
    return frames


def one_run():
    frame = pd.read_csv("one.csv")
    found = loadtests.steady_runs(frame, by="failures", method="fixed", settle_s=5, measure_s=20, level=0.9)
    return {"tidy": found.tidy(), "glance": found.glance(), "means": found.means(counts=["users"])}


def grid_at_shell():
    """A row without a plan says what to type, so that its reason is in the words of whoever asks."""
    with errors.at_shell(["plan"]):
        return planning.grid("ask.toml", "grid.csv", catalogue="systems.csv")


def tidy_and_glance(found):
    return {"tidy": found.tidy(), "glance": found.glance()}


def explained():
    """The lines of `report --explain`."""
    for name, reasons in reports.explain().items():
        yield f"{name}: would be made again: {'; '.join(reasons)}\n" if reasons else f"{name}: unchanged\n"


# Of each command: the words, and the call that gives the same frame, or frames by the name that --show has. Of the
# first words the answer is read from CSV too.
ANSWERS = {
    "tables": [
        (["tables"], dominoperf.list_tables),
        (["tables", "ibm_330"], lambda: dominoperf.list_tables("ibm_330")),
        (["tables", MAIL], lambda: dominoperf.load(MAIL)),
        (["tables", MAIL, "--as", "printed"], lambda: tables.load(MAIL, "printed", text=True)),
        (["tables", MAIL, "--as", "regenerated"], lambda: dominoperf.regenerate(MAIL)),
        (
            ["tables", MAIL, "--locators"],
            lambda: dominoperf.load(MAIL).assign(locator=dominoperf.locators(MAIL)),
        ),
    ],
    "describe": [
        (["describe", MAIL], lambda: {each: getattr(tables.describe(MAIL), each) for each in ("columns", "errata")}),
        (["describe", "groupware"], lambda: study.workloads("GroupWare")),
    ],
    "series": [
        (["series"], runs.list_series),
        (["series", "smp_mail"], lambda: dominoperf.series("smp_mail")),
    ],
    "ingest": [
        (["ingest", "runs.txt"], lambda: dominoperf.read("runs.txt")),
        (
            ["ingest", "my.csv", "--map", "processors=load", "--reader", "csv"],
            lambda: dominoperf.read("my.csv", "csv", mapping={"processors": "load"}),
        ),
    ],
    "curve": [
        (["curve", TOTALS], lambda: dominoperf.curve(TOTALS)),
        (["curve", TOTALS, "--show", "runs"], lambda: dominoperf.measured_runs(TOTALS)),
        (
            ["curve", "runs.txt", "--settle", "1", "--until", "9", "--level", "0.9"],
            lambda: dominoperf.curve("runs.txt", settle=1, until=9, level=0.9),
        ),
    ],
    "ab": [
        (["ab", "old", "new"], compared_builds),
        (
            ["ab", "old", "new", "--fail-below", "5%", "--level", "0.9", "--settle", "1", "--until", "9"],
            lambda: compared_builds(fail_below=0.05, level=0.9, settle=1, until=9),
        ),
        (["ab", "--history", "builds"], lambda: tidy_and_glance(dominoperf.change_points("builds"))),
    ],
    "laws": [
        (["laws"], dominoperf.list_laws),
        (["laws", "overhead"], lambda: dominoperf.list_laws("overhead")),
        (["laws", "usl"], lambda: dominoperf.list_laws("usl")),
    ],
    "fit": [
        (
            ["fit", "amdahl", "my.csv", "--where", "place=here", "--at", "4", "32", "--inverse", "300"],
            fitted,
        ),
        (
            ["fit", "amdahl", "my.csv", "--where", "place=here", "--at", "4", "32", "--inverse", "300", "--error",
             "constant", "--level", "0.8", "--sigma", "9"],
            lambda: fitted(error="constant", level=0.8, sigma=9),
        ),
        (
            ["fit", "usl", "loads.tsv", "--x", "clients", "--y", "tps", "--fixed", "coherency", "0.1", "--unbounded",
             "--interval", "wald"],
            lambda: of_loads(fixed={"coherency": 0.1}, bounded=False, interval="wald"),
        ),
    ],
    "compare": [
        (["compare", "linear,amdahl,usl", "my.csv", "--where", "place=here", "--at", "32"], compared),
        (
            ["compare", "linear,amdahl", "loads.tsv", "--x", "clients", "--y", "tps"],
            lambda: tidy_and_glance(dominoperf.compare(["linear", "amdahl"], "loads.tsv", x="clients", y="tps")),
        ),
    ],
    "forecast": [
        (
            ["forecast", "my.csv", "--where", "place=here", "--at", "32", "200"],
            lambda: forecast_at(points(), [32, 200]),
        ),
        (
            ["forecast", "loads.tsv", "--x", "clients", "--y", "tps", "--at", "32", "--level", "0.8"],
            lambda: forecast_at("loads.tsv", 32, x="clients", y="tps", level=0.8),
        ),
    ],
    "capacity": [
        (["capacity", *OF_A_MACHINE, "--workload", "mail"], of_a_machine),
        (
            ["capacity", *OF_A_MACHINE, "--workload", "mail", "--utilization", "0.5", "--response", "1"],
            lambda: of_a_machine(utilization=0.5, response_s=1),
        ),
        (
            ["capacity", *OF_A_MACHINE, "--workload", "Mail", "--level", "0.9", *UPGRADES],
            of_two_machines,
        ),
        (["capacity", "machines.csv", "--workload", "mail"], of_a_table),
    ],
    "steady": [
        (["steady", "runs.txt"], several_runs),
        (["steady", "named.csv"], named_runs),
        (["steady", LOCUST], of_locust),
        (
            ["steady", "one.csv", "--method", "fixed", "--settle", "5", "--measure", "20", "--by", "failures",
             "--count", "users", "--level", "0.9"],
            one_run,
        ),
    ],
    "plan": [
        (
            ["plan", "--curve", "loads.csv", "--rate", "5000", "--utilization", "60%", "--spare", "0"],
            lambda: tidy_and_glance(dominoperf.node_count("loads.csv", 5000, utilization=0.6, spare=0)),
        ),
        (["plan", "--example", "case_study"], lambda: tidy_and_glance(dominoperf.plan(planning.example("case_study")))),
        (
            ["plan", "ask.toml", "--catalogue", "systems.csv", "--rules", "compaq_1998"],
            lambda: tidy_and_glance(dominoperf.plan("ask.toml", catalogue="systems.csv", rules="compaq_1998")),
        ),
        (
            ["plan", "ask.toml", "--catalogue", "systems.csv", "--grid", "grid.csv", "--jobs", "1"],
            grid_at_shell,
        ),
        (
            ["plan", "--servers", "2 Box", "--servers", "ProLiant 3000 1xP2/300", "--catalogue", "all.csv"],
            lambda: tidy_and_glance(
                planning.recommend({"Box": 2, "ProLiant 3000 1xP2/300": 1}, catalogue="all.csv")
            ),
        ),
        (
            ["plan", "ask.toml", "--servers", "3 x Box", "--catalogue", "systems.csv", "--rules", "compaq_1998"],
            lambda: tidy_and_glance(
                planning.recommend({"Box": 3}, "ask.toml", catalogue="systems.csv", rules="compaq_1998")
            ),
        ),
    ],
    "audit": [
        (["audit", "--source", "rhel5"], lambda: dominoperf.audit_claims("rhel5").tidy()),
        (
            ["audit", "--source", "ibm_330", "--verdict", "contradicted", "--as", "corrected"],
            lambda: dominoperf.audit_claims("ibm_330", as_="corrected").only("contradicted").tidy(),
        ),
    ],
    "advice": [
        (["advice", "cache"], lambda: study.advice("cache")),
        (
            ["advice", "--source", "compaq_netware", "--verdict", "supported", "--as", "corrected"],
            lambda: study.advice(source="compaq_netware", as_="corrected").query("verdict == 'supported'"),
        ),
    ],
    "diff": [
        (["diff"], lambda: audit.diffs().glance()),
        (["diff", MAIL], lambda: dominoperf.diff_table(MAIL).tidy()),
    ],
    "check": [
        (["check", "mine"], lambda: dominoperf.check("mine")),
        (["check", str(ROOT / "tests" / "samples" / "own" / "web_tier")],
         lambda: dominoperf.check_consistency(ROOT / "tests" / "samples" / "own" / "web_tier")),
    ],
    "new": [
        (
            ["new", "made", "--from", "my.csv", "--title", "T", "--unit", "processors=processor"],
            lambda: dominoperf.new("other", "my.csv", title="T", units={"processors": "processor"}),
        ),
        (
            ["new", "drafted", "--from-text", SIXTH, "--source", "S", "--licence", "CC0-1.0"],
            lambda: audit.draft("other_draft", SIXTH, source="S", licence="CC0-1.0"),
        ),
    ],
    "archive": [
        (
            ["archive", "deposit", "--reports", "ours"],
            lambda: f"{reports.archive('other_deposit', 'ours').with_name('deposit')}\n",
        ),
    ],
    "verify": [(["verify", "--out", "ours"], lambda: reports.verify("ours"))],
    "report": [(["report", "--explain"], lambda: "".join(explained()))],
    "sweep": [],  # answers with the folder that it fills: tests/reports/test_sweep.py
    # Serve pages until they are ended, and answer with no table: tests/app/test_serving.py starts them.
    "lab": [],
    "app": [],
}  # fmt: skip


def commands():
    """Every command that the command line has."""
    return next(each.choices for each in parser()._actions if isinstance(each, argparse._SubParsersAction))


def test_every_command_has_an_entry():
    """A command that is added has to say which call of Python gives its answer."""
    assert set(ANSWERS) == set(commands())


@pytest.mark.parametrize(
    ("words", "call", "also_csv"),
    [
        pytest.param(*each, k == 0, id=" ".join(each[0][:3]))
        for several in ANSWERS.values()
        for k, each in enumerate(several)
    ],
)
def test_the_command_line_gives_the_answers_of_python(capsys, words, call, also_csv):
    """As JSON every frame; a text to the letter. CSV has one of them: the last is not what is shown unasked."""
    command = commands()[words[0]]
    command.add_options()
    shown = {name for action in command._actions for name in (action.choices or ()) if action.dest == "show"}
    if not any(action.dest == "format" for action in command._actions):
        assert printed(capsys, words) == call()
        return
    told, expected = json.loads(printed(capsys, [*words, "--format", "json"])), call()
    name, more = None, []
    if isinstance(expected, dict):
        assert set(told) == set(expected)
        assert shown >= set(expected)
        for each, frame in expected.items():
            check_same(told[each], frame)
        *_, name = expected
        expected, more = expected[name], ["--show", name]
    else:
        check_same(told, expected)
    if also_csv:
        if words[0] == "new":
            words = ["new", "again", *words[2:]]  # a folder that is there is not made again
        check_same(as_objects(printed(capsys, [*words, "--format", "csv", *more])), expected)


def printed(capsys, words):
    """What a command prints; it ends with 0, or with 1 where it finds a difference."""
    assert main([str(word) for word in words]) in (0, 1)
    return capsys.readouterr().out


def as_objects(text):
    """The rows of CSV as dicts of texts."""
    return list(csv.DictReader(io.StringIO(text)))


def check_same(rows, frame):
    """Every cell printed is the cell of the frame: to all digits, nothing left out, in the same order."""
    assert len(rows) == len(frame)
    assert len(frame) or not rows
    for row, cells in zip(rows, frame.to_dict("records"), strict=True):
        assert list(row) == [str(name) for name in cells]
        for name, cell in cells.items():
            assert same(row[str(name)], cell), (name, row[str(name)], cell)


def same(found, cell):
    """Whether a cell of JSON or of CSV is that of a frame; JSON has no infinity, and a missing value is nothing."""
    if cell is None or cell is pd.NA or cell != cell:
        return found in (None, "")
    if isinstance(cell, bool) or type(cell).__name__ == "bool":
        return found in (bool(cell), "yes" if cell else "no")
    if isinstance(cell, str):
        return found in (cell, f"'{cell}")  # the apostrophe keeps a spreadsheet from computing it
    if math.isinf(cell):
        return found in (None, str(float(cell)))
    return float(found) == float(cell)


def test_every_part_of_a_machine_has_an_option():
    """What the library takes of a machine the command takes, and under the library's name."""
    given = parser().parse_args(["capacity", "--workload", "Mail", *OF_A_MACHINE])
    assert set(machines.MACHINE_PARTS) <= set(vars(given))
