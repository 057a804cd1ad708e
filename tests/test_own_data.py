"""A data folder of one's own: made from raw files, checked, beside ours in every room, and never written to."""

import hashlib
import os
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT, read_package, write_package
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

import dominoperf
from dominoperf import fitting, planning, reports, runs, tables
from dominoperf.cli import main, parser
from dominoperf.errors import BadTable, CannotPlan, ReportFailed, UnknownName
from dominoperf.loadtests import readers
from dominoperf.study import audit

EXAMPLE = ROOT / "tests" / "samples" / "own" / "web_tier"
RAW = "Server,CPUs,Users,Response time (ms),queue depth\nA,1,420,106,0.47\nB,2,805,NA,.89\n"
FILLED = {"title": "Runs", "source": "a test", "licence": "CC0-1.0", "units": {"queue depth": "1"}}


@pytest.fixture(autouse=True)
def nothing_in_use(monkeypatch):
    monkeypatch.setenv("DOMINOPERF_DATA", "")


@pytest.fixture
def raw(tmp_path):
    return write(tmp_path / "runs.csv", RAW)


def write(path, text, **kind):
    path.write_bytes(text.encode(**kind))
    return path


def made(tmp_path, name, text, **said):
    """A folder made of one CSV file of that text."""
    (tmp_path / "raw").mkdir(exist_ok=True)
    tables.new(tmp_path / name, write(tmp_path / "raw" / "runs.csv", text), **(FILLED | {"units": {}} | said))
    return tmp_path / name


def digests(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def fields(folder, table=0):
    return {each["name"]: each for each in read_package(folder)["resources"][table]["schema"]["fields"]}


# --- new: what is made, what is asked


def test_new_asks_for_what_it_cannot_tell(raw, tmp_path):
    """Title, source, licence, and the unit that no heading tells; answered where they stand, nothing is left.

    The copy is the file to the byte.
    """
    left = tables.new(tmp_path / "mine", raw)
    assert list(left["column"]) == ["title", "sources", "licenses", "queue depth"]
    assert set(left["found"]) == {"a question left open"}
    assert (tmp_path / "mine" / "runs.csv").read_bytes() == raw.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "runs.csv"]
    pd.testing.assert_frame_equal(tables.check(tmp_path / "mine"), left)
    lines = (tmp_path / "mine" / "datapackage.json").read_text(encoding="utf-8").splitlines()
    assert all('"? ' in lines[int(line) - 1] for line in left["line"])
    package = read_package(tmp_path / "mine")
    package |= {"title": "Runs", "sources": [{"title": "a test"}], "licenses": [{"name": "MIT"}]}
    package["resources"][0]["schema"]["fields"][-1]["unit"] = "1"
    write_package(tmp_path / "mine", package)
    assert tables.check(tmp_path / "mine").empty


def test_the_descriptor_of_a_load_test_speaks_of_no_benchmark_that_did_not_run(tmp_path):
    """From the file of pgbench: what is said of its columns is true of them."""
    readers.write(readers.read_parts(readers.sample()), tmp_path / "runs.csv")
    tables.new(tmp_path / "mine", tmp_path / "runs.csv", title="Runs", source="a test", licence="CC0-1.0")
    told = (tmp_path / "mine" / "datapackage.json").read_text(encoding="utf-8")
    assert "clients: not people" in told
    assert "NotesBench" not in told
    assert "Table" not in told


def test_answers_as_options(raw, tmp_path, capsys):
    """The command says what is left, in the form of the errors, and after the options nothing is."""
    assert main(["new", str(tmp_path / "asked"), "--from", str(raw)]) == 0
    told = capsys.readouterr()
    assert "datapackage.json, line 4, title: expected a title of the data, in a line, found" in told.out
    assert "4 questions left to fill in" in told.err
    assert main(["check", str(tmp_path / "asked")]) == 1
    capsys.readouterr()
    options = ["--title", "T", "--source", "S", "--licence", "MIT", "--unit", "queue depth=1", "--as", "Server=system"]
    assert main(["new", str(tmp_path / "mine"), "--from", str(raw), *options]) == 0
    assert capsys.readouterr().out == ""
    assert main(["check", str(tmp_path / "mine")]) == 0


@pytest.mark.parametrize(
    ("text", "types", "key"),
    [
        (RAW, ["string", "integer", "integer", "integer", "number"], ["Server"]),
        ("system,processors,response_s\nA,1,1\nA,2,2\nB,1,3\nB,2,4\n", ["string", *["integer"] * 2], None),
        ("system,response_s\nA,1\nA,2\n", ["string", "integer"], []),
    ],
)
def test_types_key_and_missing_signs(tmp_path, text, types, key):
    """As the standard has them. A pair is the key where no column is; what was measured is none."""
    folder = made(tmp_path, "mine", text, units={"queue depth": "1"} if "queue" in text else {})
    schema = read_package(folder)["resources"][0]["schema"]
    assert [field["type"] for field in schema["fields"]] == types
    assert schema.get("primaryKey", []) == (["system", "processors"] if key is None else key)
    assert schema["missingValues"] == (["", "NA"] if "NA" in text else [""])


@pytest.mark.parametrize(
    ("heading", "ours", "unit"),
    [
        ("users", "", "user"),
        ("Response time (ms)", "response_s", "ms"),
        ("CPU %", "cpu_utilization_percent", "percent"),
        ("Response time", "response_s", "? "),
        ("load", "", "1"),  # the name is ours
        ("Load", "? ", "? "),
        ("p95 response (ms)", "response_p95_s", "ms"),  # a percentile is no mean
        ("Response time (MB)", "", "MB"),  # measures something else
        ("value", "", "? "),  # its unit is that of a row, and there is none
        ("time (min)", "? ", "? "),  # minutes, or the least
        ("price ($)", "price_usd", "USD"),
        ("price (EUR)", "", "EUR"),  # money of others is no dollars
        ("cost per user (€)", "", "EUR/user"),
        ("price per user ($)", "price_per_user_usd", "USD/user"),
        ("response CAD", "", "? "),  # three letters that mean much else
        ("Users (#)", "users", "user"),
        ("users [thousand]", "users", "? "),  # a thousand of them, and no user each
        ("Users (k)", "users", "? "),  # no Boltzmann constant
        ("RAM (G)", "ram_mb", "? "),  # no gauss
        ("price (kUSD)", "price_usd", "kUSD"),
    ],
)
def test_headings(tmp_path, heading, ours, unit):
    """What is sure, what is asked, what is left alone."""
    tables.new(tmp_path / "mine", write(tmp_path / "runs.csv", f'the row,"{heading}"\nA,1\nB,2\n'))
    found = fields(tmp_path / "mine")[heading]
    for key, expected in (("as", ours), ("unit", unit)):
        value = found.get(key, "")
        assert value.startswith("? ") if expected == "? " else value == expected, (key, value)


def test_thousands_are_asked_and_counted(tmp_path):
    """By the unit that the user gives; one said to be users is asked too."""
    text = "system;workload;users [thousand]\nA;mail;1,2\nB;mail;2,1\n"
    heading, names = "users [thousand]", {"users [thousand]": "users"}
    said = {"title": "Runs", "source": "a test", "licence": "MIT", "names": names}
    left = tables.new(tmp_path / "asked", write(tmp_path / "runs.csv", text), **said)
    assert left["column"].tolist() == [heading]
    assert "kuser where it counts thousands" in left["expected"].item()
    for unit in ("user", "kuser"):
        folder = made(tmp_path, unit, text, names=names, units={heading: unit})
        with tables.using(folder):
            assert runs.benchmarks().query("source == @unit")["users"].tolist() == (
                [1200, 2100] if unit == "kuser" else [1.2, 2.1]
            )


def test_headings_of_texts_may_have_capitals(tmp_path):
    """Runs whose workload was not found would be used by no capacity and no plan."""
    text = "System,Workload,OS,Processor,Users\nM1,Mail,Windows NT 4.0,Pentium II,1900\nM2,Mail,AIX,POWER,2850\n"
    about = {"title": "Two machines", "source": "our laboratory", "licence": "CC0-1.0"}
    assert tables.new(tmp_path / "mine", write(tmp_path / "runs.csv", text), **about).empty
    with tables.using(tmp_path / "mine"):
        found = runs.benchmarks().query("source == 'mine'")
    assert found["workload"].tolist() == ["Mail", "Mail"]
    assert found["processor"].tolist() == ["Pentium II", "POWER"]


def test_what_the_user_says_counts(tmp_path):
    """A meaning that was asked for; a column said to be itself is asked no more."""
    text = "Load,latency,name\n1,2.5,A\n2,3.5,B\n"
    said = {"names": {"Load": "users", "latency": "latency", "name": "system"}, "units": {"latency": "ms"}}
    made(tmp_path, "mine", text, **said)
    assert tables.check(tmp_path / "mine").empty
    found = fields(tmp_path / "mine")
    assert (found["Load"]["as"], found["Load"]["unit"]) == ("users", "user")
    assert "as" not in found["latency"]
    assert found["name"]["as"] == "system"
    made(tmp_path, "rows", "value,x\n1.5,2\n2.5,3\n", units={"value": "MB", "x": "s"})  # their rows have the unit
    assert [each["unit"] for each in fields(tmp_path / "rows").values()] == ["MB", "s"]


@pytest.mark.parametrize(
    ("said", "kind", "says"),
    [
        ({"units": {"users": "s"}}, BadTable, "'user', found 's'"),
        ({"units": {"queue length": "furlongs per"}}, BadTable, "a unit that pint knows"),
        ({"units": {"quue": "1"}}, UnknownName, "Did you mean queue length"),
        ({"names": {"queue length": "resposne_s"}}, UnknownName, "Did you mean response_s"),
        ({"names": {"users": "processors"}}, BadTable, "the name itself is one of ours"),
    ],
)
def test_what_the_user_says_wrongly(tmp_path, said, kind, says):
    """Told before anything is made."""
    with pytest.raises(kind, match=says):
        made(tmp_path, "mine", "users,queue length\n1,2\n", **said)
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected a table with a header"),
        ("a,b\n1,2\n3\n", "line 3: .* 1 cell under 2 headings"),
        ("a\n\udc81\n", "line 2: expected text in UTF-8, UTF-16 or Windows-1252, found byte 0x81"),
        ("\ufeffa\n\udc81\n", "line 2: expected text in UTF-8, UTF-16 or Windows-1252, found byte 0x81"),
    ],
)
def test_no_table(tmp_path, text, says):
    """Refused as by `read_table` (tests/tables/test_reading.py), with its line; no folder is left, half or whole."""
    path = write(tmp_path / "runs.csv", text, errors="surrogateescape")
    with pytest.raises(BadTable, match=says):
        tables.new(tmp_path / "mine", path)
    assert os.listdir(tmp_path) == ["runs.csv"]


def test_nothing_is_overwritten(raw, tmp_path):
    """A folder with a file stays as it is; an empty one becomes the data folder."""
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine" / "notes.txt", "mine")
    for place, says in (
        (tmp_path / "mine", "a folder with files"),
        (raw, "found a file"),
        (tmp_path / "rhel5", "ours"),
    ):
        with pytest.raises(BadTable, match=says):
            tables.new(place, raw)
    assert os.listdir(tmp_path / "mine") == ["notes.txt"]
    (tmp_path / "mine" / "notes.txt").unlink()
    tables.new(tmp_path / "mine", raw)
    assert sorted(os.listdir(tmp_path / "mine")) == ["datapackage.json", "runs.csv"]


def test_two_files_of_one_name(raw, tmp_path):
    """Neither hides the other; claims are no table."""
    (tmp_path / "b").mkdir()
    other = shutil.copy(raw, tmp_path / "b" / "Runs.csv")
    with pytest.raises(BadTable, match="'runs' also from"):
        tables.new(tmp_path / "mine", [raw, other])
    with pytest.raises(BadTable, match="claims"):
        tables.new(tmp_path / "mine", shutil.copy(raw, tmp_path / "claims.csv"))


# --- how files are written


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_folder_has_plain_csv(tmp_path, mark):
    """Whatever the file has between cells, before decimals and between thousands; digits and texts stay as they are."""
    text = f"{mark}system;users;response_s;note;price\nA 1,5;1.200;1,50;1,5 or so;1 000,5 $\nB;2.300;2,5e-1;-;\n"
    folder = made(tmp_path, "mine", text)
    assert (folder / "runs.csv").read_text("utf-8").splitlines() == [
        "system,users,response_s,note,price",
        '"A 1,5","1,200",1.50,"1,5 or so",1000.5 $',
        'B,"2,300",2.5e-1,-,',
    ]
    with tables.using(folder):
        assert tables.load("mine/runs")["users"].tolist() == [1200, 2300]
        assert tables.load("mine/runs")["response_s"].tolist() == [1.5, 0.25]
        assert runs.benchmarks().set_index("run").loc["mine/runs#1", "response_s"] == 1.5


def test_a_number_that_may_be_two_is_refused(tmp_path):
    """1,200 in a file with semicolons is twelve hundred or one and a fifth; so is a descriptor that says which."""
    with pytest.raises(BadTable, match=r"line 2: .*found '1,200', a thousand and more or decimals"):
        made(tmp_path, "mine", "system;users\nA;1,200\nB;2,300\n")
    with pytest.raises(BadTable, match=r"line 3: .*'users', with a comma before decimals .*, found '2\.5'"):
        made(tmp_path, "mine", "system;users\nA;1,25\nB;2.5\n")
    folder = made(tmp_path, "mine", "system,users\nA,1200\n")
    package = read_package(folder)
    package["resources"][0]["schema"]["fields"][1]["decimalChar"] = ","
    write_package(folder, package)
    with pytest.raises(BadTable, match="a point before decimals"):
        tables.use(folder)


def test_a_fit_to_a_table_finds_its_columns_by_the_descriptor(tmp_path):
    """`as` says what a heading is; the numbers stay in the unit of the file."""
    write(tmp_path / "mine.csv", "Instance,vCPUs,Users,Latency (ms)\nA,1,100,50\nB,2,190,51\nC,4,340,53\nD,8,560,58\n")
    names = {"vCPUs": "processors", "Instance": "system", "Latency (ms)": "response_s"}
    about = {"title": "T", "source": "S", "licence": "MIT", "units": {"vCPUs": "1"}, "names": names}
    tables.new(tmp_path / "mine", tmp_path / "mine.csv", **about)
    with tables.using(tmp_path / "mine"):
        found, asked = fitting.fit("amdahl", "mine/mine"), fitting.fit("amdahl", "mine/mine", x="vCPUs", y="Users")
        assert found.params.equals(asked.params)
        assert "By its descriptor: x is vCPUs, y is Users." in found.headline()
        with pytest.raises(UnknownName, match=r"among Instance, vCPUs, Users, Latency"):
            fitting.fit("sizing", "mine/mine")


def test_parquet_becomes_csv(tmp_path):
    """Texts, numbers, nothing; the Parquet file stays."""
    import pyarrow as pa
    from pyarrow import parquet

    frame = {"system": ['a "b", c', "d"], "users": [1, 2], "response_s": [0.1, None]}
    parquet.write_table(pa.table(frame), tmp_path / "runs.parquet")
    tables.new(tmp_path / "mine", tmp_path / "runs.parquet", title="T", source="S", licence="MIT")
    assert tables.check(tmp_path / "mine").empty
    with tables.using(tmp_path / "mine"):
        found = tables.load("mine/runs")
        assert found["system"].tolist() == frame["system"]
        assert found["users"].tolist() == [1, 2]
        assert found["response_s"].iloc[0] == 0.1
        assert np.isnan(found["response_s"].iloc[1])
    parquet.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "nested.parquet")
    with pytest.raises(BadTable, match="flat columns"):
        tables.new(tmp_path / "other", tmp_path / "nested.parquet")


NAMES = st.text(min_size=1, max_size=12).filter(
    lambda name: name.strip() and name.isprintable() and name not in tables.vocabulary()
)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(lambda text: f"w{text}")
CELLS = {
    "words": st.one_of(st.just(""), WORDS),
    "whole": st.integers(-(2**53) + 1, 2**53 - 1),
    "real": st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
}


@st.composite
def frames(draw):
    """Frames with a column of names and some of words, whole and real numbers."""
    rows = draw(st.integers(1, 5))
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique_by=str.strip))
    columns = {"the row": [f"r{k}" for k in range(rows)]}
    for name in names:
        kind = draw(st.sampled_from(sorted(CELLS)))
        cells = draw(st.lists(CELLS[kind], min_size=rows, max_size=rows))
        assume(any(cell is not None for cell in cells))
        columns[name] = pd.Series(cells, dtype={"words": "str", "whole": "int64", "real": "float64"}[kind])
    return pd.DataFrame(columns)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(frame=frames(), delimiter=st.sampled_from([",", "\t"]))
@example(frame=pd.DataFrame({"the row": ["r0"], "? a": [1e-300], "b(%)": [5]}), delimiter=",")
def test_any_frame_comes_back(tmp_path_factory, frame, delimiter):
    """Only questions are left, and the numbers and texts are those that went in."""
    place = tmp_path_factory.mktemp("any")
    text = frame.to_csv(index=False, sep=delimiter, lineterminator="\n")
    left = tables.new(place / "mine", write(place / "runs.csv", text))
    assert set(left["found"]) == {"a question left open"}, left.to_string()
    with tables.using(place / "mine"):
        found = tables.load("mine/runs")
    for name, cells in frame.items():
        if pd.api.types.is_numeric_dtype(cells):
            np.testing.assert_array_equal(found[name].to_numpy(float), cells.to_numpy(float))
        else:
            assert found[name].tolist() == cells.tolist()


# --- what check says of a descriptor that was written by hand


@pytest.mark.parametrize(
    ("change", "column", "says"),
    [
        (lambda package, fields: fields[0].update({"as": "sytem"}), "Server", "'sytem'"),
        (lambda package, fields: fields[1].update({"as": "users"}), "Users", "'users' also in 'CPUs'"),
        (lambda package, fields: fields[3].update({"unit": "GB"}), "Response time (ms)", "'GB'"),
        (lambda package, fields: package.update(benchmarks=[{"table": "rnus"}]), "benchmarks", "no table 'rnus'"),
        (lambda package, fields: package.update(benchmarks=[{"tabel": "runs"}]), "benchmarks", "'tabel'"),
        (lambda package, fields: package.update(benchmarks="runs"), "benchmarks", "'runs'"),
        (
            lambda package, fields: package.update(benchmarks=[{"table": "runs", "columns": {"drives": "Disks"}}]),
            "benchmarks",
            "no column 'Disks'",
        ),
    ],
)
def test_mistakes_in_the_descriptor(raw, tmp_path, change, column, says):
    """Each is told by itself, with the column."""
    tables.new(tmp_path / "mine", raw, **FILLED)
    package = read_package(tmp_path / "mine")
    change(package, package["resources"][0]["schema"]["fields"])
    write_package(tmp_path / "mine", package)
    found = tables.check(tmp_path / "mine")
    here = found[found["column"].str.startswith(column)]
    assert here["found"].str.contains(says, regex=False).any(), found.to_string()


def test_only_measured_tables_have_runs(raw, tmp_path):
    """Advice and prices are none."""
    tables.new(tmp_path / "mine", raw, **FILLED)
    package = read_package(tmp_path / "mine")
    package["resources"][0]["kind"] = "rule"
    write_package(tmp_path / "mine", package)
    with tables.using(tmp_path / "mine"), pytest.raises(BadTable, match="of kind measured, found kind 'rule'"):
        runs.benchmarks()


# --- the example joins everything


@pytest.fixture
def web(monkeypatch):
    """The example in use."""
    monkeypatch.setenv("DOMINOPERF_DATA", str(EXAMPLE))
    return EXAMPLE


def test_the_example_is_clean_and_says_what_it_is(capsys):
    """Its numbers are made up, and title and description say so."""
    assert main(["check", str(EXAMPLE)]) == 0
    package = read_package(EXAMPLE)
    assert "ynthetic" in package["title"]
    assert "made up" in package["description"]


def test_runs_join_ours(web):
    """In our units, after ours, which stay as they are; columns beyond ours are shown with their own numbers."""
    frame = runs.benchmarks()
    own = frame[frame["source"] == "web_tier"].set_index("run")
    assert own.loc["web_tier/scaling#3", ["processors", "users", "response_s"]].tolist() == [4, 1475, 0.118]
    assert own.loc["web_tier/scaling#3", ["throughput_tps", "queue depth"]].tolist() == [207.2, 1.64]
    assert own.loc["web_tier/servers#3", "ram_mb"] == 16 * 1024
    title = read_package(web)["title"]
    assert own.loc["web_tier/scaling#3", "locator"] == f"{title}, file scaling.csv, row 3 of scaling"
    os.environ["DOMINOPERF_DATA"] = ""
    ours = runs.benchmarks()
    assert list(ours) == ["run", "source", *runs.COLUMNS, "locator", "origin"]
    pd.testing.assert_frame_equal(frame[list(ours)].head(len(ours)), ours)


def test_series_are_fitted_and_compared(web):
    """The law that the numbers were made with comes back; x or y may be what benchmarks() reads."""
    assert {"web_users", "web_response", "smp_mail"} <= set(runs.series()["series"])
    estimates = fitting.fit("usl", "web_users").tidy().set_index("term")["estimate"]
    assert estimates.tolist() == pytest.approx([420, 0.04, 0.0015], rel=0.02)
    assert fitting.compare(["usl", "amdahl"], "web_users").glance()["best"].iloc[0] == "usl"
    assert runs.series("web_response")["response_s"].tolist() == [0.106, 0.111, 0.118, 0.127, 0.14]


def test_claims_and_errata_join(web):
    """Judged by the cells of the folder; an erratum touches its table alone."""
    found = audit.audit_claims("web_tier").tidy().set_index("id")["verdict"]
    assert found.to_dict() == {"double": "confirmed", "sixteen": "contradicted"}
    assert tables.errata("web_tier/scaling")["status"].tolist() == ["suspected"]
    assert tables.errata("web_tier/servers").empty
    assert "web_tier" in set(audit.errata_groups()["source"])
    assert tables.check().empty


def test_systems_are_for_sale(web):
    """Beside ours, with what follows from the run; the cheapest set may be of them."""
    known = planning.systems().set_index(["system", "workload"])
    rack = known.loc[("Rack R2", "Mail")]
    assert rack[["users", "price_usd", "ram_mb", "processors"]].tolist() == [3400, 7900, 16384, 8]
    assert rack["think_s"] == pytest.approx(60 * 3400 / 6200 - 0.52)
    assert len(known) == len(planning.systems().drop_duplicates(["system", "workload"]))
    request = {"groups": [{"name": "mail", "users": 800, "profile": "light_mail"}]}
    best = planning.choose(request).tidy().iloc[0]
    assert best["system"] in ("Tower T1", "Rack R2")
    os.environ["DOMINOPERF_DATA"] = ""
    assert "Rack R2" not in set(planning.systems()["system"])


def test_a_workload_of_ones_own_is_planned_for(tmp_path):
    """Without a price, and of two sizes: the planner knows each by its processors; none of them is for sale."""
    text = "system,workload,users,processors\nweb,checkout,900,1\nweb,checkout,1500,2\n"
    group = {"name": "callers", "users": 2000, "profile": "own", "workload": "checkout"}
    group |= {"ram_mb_per_user": 0.5, "disk_mb_per_user": 2}
    with tables.using(made(tmp_path, "lab", text)):
        found = planning.plan({"groups": [group], "system": "web, 2 processors"})
        assert found.servers == 3
        assert found.system["locator"].startswith("Runs, file runs.csv, ")
        with pytest.raises(CannotPlan, match="a priced system measured with checkout"):
            planning.choose({"groups": [group]})


def test_configurations_are_told_apart_by_what_differs(tmp_path):
    """Memory where processors are alike, then clock, then operating system; what is alike keeps its name.

    A run without workload, system or users is no system; the order is that of the runs.
    """
    lines = [
        "A,Mail,500,1,256,400,NT,900,0.5,300",
        "A,Mail,700,1,512,400,NT,1100,1,420",
        "A,Mail,650,1,512,400,NT,1100,1,420",  # of runs of one configuration the largest counts
        "B,Mail,800,2,512,200,NT,900,1,420",
        "B,Mail,900,2,512,300,NT,901,1,420",
        "C,Mail,910,1,512,300,NT,900,1,420",
        "C,Mail,920,1,512,300,OS/2,902,1,420",
        "D,Mail,930,4,512,300,NT,900,1,420",
        "D,DiscDB,940,4,512,300,NT,900,1,420",
        "D,Mail,0,4,512,300,NT,900,1,420",
        ",Mail,950,4,512,300,NT,900,1,420",
        "E,,950,4,512,300,NT,900,1,420",
    ]
    head = "system,workload,users,processors,ram_mb,clock_mhz,operating_system,price_usd,response_s,notesmark_tpm"
    with tables.using(made(tmp_path, "shop", "\n".join([head, *lines]) + "\n")):
        found = planning.systems()
        assert found.index.tolist() == list(range(len(found)))
        found = found[~found["system"].str.startswith("ProLiant") & ~found["system"].str.startswith("ProSignia")]
    assert found["system"].tolist() == [
        "A, 256 MB", "A, 512 MB", "B, 200 MHz", "B, 300 MHz", "C, NT", "C, OS/2", "D", "D",
    ]  # fmt: skip
    assert found["users"].tolist() == found["users_low"].tolist() == [500, 700, 800, 900, 910, 920, 930, 940]
    assert found["users_high"].isna().all()
    assert found["workload"].tolist() == ["Mail"] * 7 + ["DiscDB"]
    assert found["think_s"].iloc[0] == pytest.approx(60 * 500 / 300 - 0.5)
    assert set(found["basis"]) == {"measured"}
    assert found["std_error"].isna().all()


# --- several folders


def test_several_folders_in_the_environment(web, tmp_path, monkeypatch):
    """All of them, in their order; `use` adds one more."""
    other = made(tmp_path, "other", "system,users,heat (W)\nA,5,2\n")
    monkeypatch.setenv("DOMINOPERF_DATA", os.pathsep.join([str(web), str(other)]))
    assert list(tables.sources()["source"])[-2:] == ["web_tier", "other"]
    dominoperf.use(made(tmp_path, "third", "system,users\nA,7\n"))
    frame = runs.benchmarks()
    assert frame["source"].drop_duplicates().tolist()[-3:] == ["web_tier", "other", "third"]
    assert frame["heat (W)"].dropna().tolist() == [2]


def test_a_clash_of_sources_names_both(web, tmp_path):
    """Whose table would it be?"""
    other = made(tmp_path, "web_tier", "system,users\nA,5\n")
    with pytest.raises(BadTable, match=f"{other}.*also the name of {EXAMPLE}"):
        tables.use(other)
    assert os.environ["DOMINOPERF_DATA"] == str(EXAMPLE)


BLOCK = '[{}]\ntitle = "t"\ntable = "runs"\nx = "processors"\ny = "users"\n'


@pytest.mark.parametrize(
    ("text", "series", "read", "says"),
    [
        ("processors,users\n1,5\n", "web_users", runs.series, r"other/series\.toml.*web_tier/series\.toml"),
        ("processors,users\n1,5\n", "smp_mail", runs.series, r"other/series\.toml.*data/series\.toml"),
        (
            "system,workload,users,price_usd\nRack R2,Mail,5,10\n",
            "",
            planning.systems,
            r"other/runs, system 'Rack R2'.*also in web_tier",
        ),
        ("users,queue depth\n5,10\n", "", runs.benchmarks, r"other/runs.*as in web_tier/scaling"),
    ],
)
def test_a_clash_names_both(web, tmp_path, text, series, read, says):
    """A series of another folder or ours, a system that a request may name, two units of a column that is not ours."""
    other = made(tmp_path, "other", text, units={"queue depth": "s"} if "queue" in text else {})
    if series:
        write(other / "series.toml", BLOCK.format(series))
    with tables.using(other), pytest.raises(BadTable, match=says):
        read()


def test_a_series_over_a_column_of_ones_own_is_taken(tmp_path):
    """A notebook asks for one over processors: which column that is the data do not say."""
    folder = made(tmp_path, "mine", "blades,users\n1,5\n2,9\n")
    write(folder / "series.toml", BLOCK.format("mine").replace("processors", "blades"))
    with tables.using(folder):
        assert runs.find("mine", over="processors").points()["blades"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[a", "series, in TOML"),
        ("a = 1", "expected a block"),
        ('[a]\ntitle = "t"\n', "the key 'table'"),
        ('[a]\ntitle = "t"\ntable = "runs"\nx = "users"\ny = "users"\nrow = {}\n', "Did you mean rows"),
        ('[a]\ntitle = "t"\ntable = "runs"\nx = "users"\ny = "users"\nrows = 3\n', "a list of printed cells"),
        ('[a]\ntitle = "t"\ntable = "rnus"\nx = "users"\ny = "users"\n', "Did you mean mine/runs"),
        ('[a]\ntitle = "t"\ntable = "runs"\nx = "usres"\ny = "users"\n', "Did you mean"),
        ('[a]\ntitle = "t"\ntable = "runs"\nx = "users"\ny = "users"\nrows = {b = ["1"]}\n', "column of mine/runs"),
    ],
)
def test_mistakes_in_series(tmp_path, capsys, text, says):
    """`check` finds them, as every other command would."""
    folder = made(tmp_path, "mine", "system,users\nA,5\n")
    write(folder / "series.toml", text)
    assert main(["check", str(folder)]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("runs,1,users,5,6,certain,wrong", ""),
        ("runs,1,users,5,6,,wrong", ""),
        ("runs,1,users,7,6,certain,wrong", "as printed '5', which mine/runs has in row 1; '7'"),
        ("runs,1,users,5,6,sure,wrong", "a status certain or suspected; 'sure'"),
        ("rnus,1,users,5,6,certain,wrong", "a table, one of mine/runs; no such cell in mine/rnus, row 1"),
        ("runs,1,usres,5,6,certain,wrong", "a column, one of system, users; no such cell in mine/runs, row 1"),
        ("runs,9,users,5,6,certain,wrong", "a row from 1 to 1; no such cell in mine/runs, row 9"),
        ("runs,x,users,5,6,certain,wrong", "'x'"),
        ("runs,1,users,5,6,certain,wrong; runs,1,system,A,B,certain,wrong", ""),
        ("runs,1,users,5,6,certain,wrong; runs,1,users,5,7,certain,late", "'7', where line 2 corrects the same cell"),
        ("runs,1,users,5,6S,certain,wrong", "'6S'"),
        ("runs,1,users,5,unknown,suspected,wrong", "'unknown'"),
    ],
)
def test_errata_of_ones_own(tmp_path, row, says):
    """A certain one is put in; one that does not meet its cell, or gives it no number, or a second one, is told."""
    folder = made(tmp_path, "mine", "system,users\nA,5\n")
    rows = "".join(f"{line},p. 1\n" for line in row.split("; "))
    write(folder / "errata.csv", f"table,row,column,printed,corrected,status,mistake,locator\n{rows}")
    found = tables.check(folder)
    if says:
        assert len(found) == 1
        assert found["file"].iloc[0] == "errata.csv"
        assert says in "; ".join(found.iloc[0][["expected", "found"]])
    else:
        assert found.empty, found.to_string()
        with tables.using(folder):
            assert tables.load("mine/runs")["users"].tolist() == [6]


def test_errata_are_told_which_columns_they_lack(tmp_path):
    """All that are needed are named, wherever the file is read."""
    folder = made(tmp_path, "mine", "system,users\nA,5\n")
    write(folder / "errata.csv", "table,row,column,printed,corrected\nruns,1,users,5,6\n")
    (told,) = tables.check(folder)[["expected", "found"]].values.tolist()
    assert told == ["the columns table, row, column, printed, corrected, mistake", "no mistake"]
    with tables.using(folder), pytest.raises(BadTable, match="corrected, mistake, found no mistake"):
        tables.load("mine/runs")


# --- nothing of the user's is written to


def test_commands_leave_the_folder_alone(web, tmp_path, monkeypatch, capsys):
    """Read-only, and the same to the byte afterwards."""
    folder = Path(shutil.copytree(web, tmp_path / "web_tier"))
    monkeypatch.setenv("DOMINOPERF_DATA", "")
    before = digests(folder)
    for path in (*folder.iterdir(), folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        for words in (
            ["check", str(folder)],
            ["tables", "--data", str(folder), "web_tier/scaling", "--locators"],
            ["describe", "--data", str(folder), "web_tier/scaling"],
            ["series", "--data", str(folder), "web_users"],
            ["fit", "usl", "web_tier/scaling", "--data", str(folder)],
            ["audit", "--data", str(folder), "--source", "web_tier"],
        ):
            monkeypatch.setenv("DOMINOPERF_DATA", "")
            assert main(words) == 0, capsys.readouterr().err
        assert digests(folder) == before
    finally:
        folder.chmod(0o755)


@pytest.mark.usefixtures("small_site")
def test_a_report_is_made_elsewhere(tmp_path, monkeypatch):
    """Its page shows the tables, where each row comes from, the erratum, and how to make it again; the folder stays.

    The committed reports are left alone, and the name of a folder may have a dash.
    """
    web = shutil.copytree(EXAMPLE, tmp_path / "my-runs")
    monkeypatch.setenv("DOMINOPERF_DATA", str(web))
    monkeypatch.chdir(tmp_path)
    before = digests(web)
    for out in (web / "out", Path("reports")):
        with pytest.raises(ReportFailed, match=r"outside the data|of its own"):
            reports.build(out, ["published_tables_my-runs"])
    index = reports.build(names=["published_tables_my-runs"])
    assert index == Path("runs", "with-my-runs", "site", "index.html")
    page = (index.parent / "published_tables_my-runs.html").read_text(encoding="utf-8")
    for text in (
        "row 3 of scaling", "Errata (suspected)", "Made up for the tests", "CC0-1.0", "3.81",
        '<section id="my-runs/scaling">', "dominoperf report published_tables_my-runs --data my-runs",
    ):  # fmt: skip
        assert text in page, text
    assert (index.parents[1] / "tables" / "published_cells_my-runs.csv").exists()
    assert digests(web) == before
    assert sorted(os.listdir(tmp_path)) == ["my-runs", "runs"]


def test_the_commands_of_the_readme(tmp_path, monkeypatch, capsys):
    """From the file of a tool to a folder that is checked, as README says, in an empty folder; a page is made above."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition("### Data of your own")[2].split("```")[1]
    commands = [shlex.split(line, comments=True)[1:] for line in block.strip().splitlines()]
    assert [words[0] for words in commands] == ["ingest", "new", "check", "report"]
    shutil.copy(readers.sample(), tmp_path / "load_test.txt")
    monkeypatch.chdir(tmp_path)
    for words in commands[:-1]:
        assert main(words) == 0, capsys.readouterr().err
    assert parser().parse_args(commands[-1]).names == ["published_tables_my_runs"]


def test_a_folder_whose_runs_have_no_users_is_checked(tmp_path, capsys):
    """A column without a number is text to a reader of CSV; the identities of the runs take it for no number."""
    made(tmp_path, "mine", "users,throughput_tps,response_s\n,10,0.1\n,20,0.2\n")
    assert main(["check", str(tmp_path / "mine")]) == 0
    assert "no problems" in capsys.readouterr().err
