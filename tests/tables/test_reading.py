"""A table of one's own reads the same through every door: decimal signs, thousands, exponents, what cannot be told."""

import functools
import gzip
import http.server
import threading

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dominoperf
from dominoperf import fitting, loadtests, machines, planning, tables
from dominoperf.errors import BadTable
from dominoperf.reports import sweeping
from dominoperf.tables import reading

# ---- one cell, one column


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("12", 12, 12),
        ("1,234", 1234, 1.234),
        ("1.234", 1.234, 1234),
        ("1,234.5", 1234.5, None),
        ("1.234,5", None, 1234.5),
        ("1,234,567", 1234567, None),
        ("0,123", None, 0.123),
        (".890", 0.89, None),
        ("1234,567", None, 1234.567),
        ("1,2345", None, 1.2345),
        ("3.2e3", 3200, None),
        ("3,2E+3", None, 3200),
        ("-1e-3", -0.001, -0.001),
        ("1 234", 1234, 1234),
        ("1\u00a0234,5", None, 1234.5),
        ("1'234.5", 1234.5, None),
        ("1,234 567", None, None),
        ("$1,000.50", 1000.5, None),
        ("44,4 %", None, 44.4),
        ("16 KB", 16, 16),
        ("1 2", None, None),
        ("1_000", None, None),
        ("inf", None, None),
        ("1e999", None, None),
        ("1.2.3", None, None),
        ("01.02.2024", None, None),
        ("", None, None),
    ],
)
def test_readings(text, point, comma):
    """What a cell can be, with a point or a comma before its decimals."""
    assert reading.readings_of_numeral(text) == {
        sign: value for sign, value in ((".", point), (",", comma)) if value is not None
    }


@pytest.mark.parametrize(
    ("columns", "delimiter", "signs"),
    [
        ([["12,5", "1.234"]], ";", [","]),
        ([["1,234", "1.5"]], ";", ["."]),
        ([["1,234", "5,150"]], ";", [""]),  # a thousand, or a little more than one
        ([["1.234", "5.150"]], "\t", [""]),
        ([["5,150"]], ",", ["."]),  # who writes decimal commas parts cells otherwise
        ([["12,5"]], ",", [","]),
        ([["12,5"], ["5,150"]], ",", [",", ""]),  # one speaks against the rule, so that the other is not guessed
        ([["1.200"], ["0,25"]], ";", [",", ","]),  # one program wrote the file
        ([["1,200"], ["0,25"], ["0.25"]], ";", ["", ",", "."]),
        ([["1,200"], ["1,5", "none", "x"]], ";", ["", ","]),  # a column with words is none of numbers
        ([["12", "13"]], ";", [""]),
    ],
)
def test_decimal_signs(columns, delimiter, signs):
    found = reading.decimal_signs(dict(enumerate(columns)), delimiter)
    assert list(found.values()) == signs


# ---- one table in every form, through every command and function

ROWS = pd.DataFrame(
    {
        "system": ["Zürich A", "Zürich B", "Genève", "Bern"],
        "workload": ["Mail"] * 4,
        "operating_system": ["AIX", "AIX", "Linux", "Linux"],
        "domino_release": ["5.0.10", "6.0", "5.0.10", "6.0"],
        "processors": [1, 2, 3, 4],
        "users": [1000.5, 1900.25, 2700.0, 3400.5],
        "cpu_utilization_percent": [40.5, 41.0, 60.25, 61.5],
        "time_s": [0.0, 10.5, 20.0, 30.0],
    }
)


def spelt(number, sign, group, digits):
    """A number as a program of some country writes it."""
    text = f"{number:,.{digits}f}" if digits else f"{number:,}"
    return text.replace(",", "\0").replace(".", sign).replace("\0", group)


def spelt_rows(sign, group):
    """A writer of a frame whose numbers are written as somewhere: with thousands apart, or, for "e", with exponents."""

    def write(frame):
        cells = frame.copy()
        for name in frame.select_dtypes("float"):
            texts = [spelt(v, sign, group, 2) if group != "e" else f"{v:e}".replace(".", sign) for v in frame[name]]
            cells[name] = texts
        return cells.to_csv(index=False, sep=";", lineterminator="\n").encode()

    return write


def comma_text(frame, delimiter, decimal):
    return frame.to_csv(index=False, sep=delimiter, decimal=decimal, lineterminator="\n")


FORMS = {
    "semicolons and decimal commas": lambda frame: comma_text(frame, ";", ",").encode(),
    "points, commas between thousands": spelt_rows(".", ","),
    "commas, points between thousands": spelt_rows(",", "."),
    "blanks between thousands": spelt_rows(",", " "),
    "apostrophes between thousands": spelt_rows(".", "'"),
    "exponents": spelt_rows(".", "e"),
    "exponents with a comma": spelt_rows(",", "e"),
    "tabs": lambda frame: comma_text(frame, "\t", ".").encode(),
    "line ends of Windows and a mark": lambda frame: (
        comma_text(frame, ",", ".").replace("\n", "\r\n").encode("utf-8-sig")
    ),
    "UTF-16": lambda frame: comma_text(frame, "\t", ",").encode("utf-16"),
    "Latin-1": lambda frame: comma_text(frame, ";", ",").encode("latin-1"),
    "packed": lambda frame: gzip.compress(comma_text(frame, ",", ".").encode()),
    "Parquet": lambda frame: frame.to_parquet(index=False),
    "file URL": lambda frame: comma_text(frame, ",", ".").encode(),
    "http URL": lambda frame: comma_text(frame, ",", ".").encode(),
    "http URL of Parquet": lambda frame: frame.to_parquet(index=False),
    "path": lambda frame: comma_text(frame, ",", ".").encode(),
    "frame": None,
    "frame with its columns as index too": None,
    "frame of Arrow": None,
}
ENDS = {"packed": "runs.csv.gz", "Parquet": "runs.parquet", "http URL of Parquet": "runs.parquet"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A folder and its address on a server of this machine."""
    folder = tmp_path_factory.mktemp("served")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def in_form(name, frame, served, label):
    """The frame as somebody brings it."""
    import pyarrow

    if FORMS[name] is None:
        if name == "frame with its columns as index too":
            return frame.set_index([*frame], drop=False)
        return frame if name == "frame" else pyarrow.table(frame)
    folder, address = served
    folder = folder / f"{label}-{name.replace(' ', '_')}"
    folder.mkdir(exist_ok=True)
    path = folder / ENDS.get(name, "runs.csv")
    path.write_bytes(FORMS[name](frame))
    if name.startswith("http"):
        return f"{address}/{folder.name}/{path.name}"
    return path.as_uri() if name == "file URL" else path if name == "path" else str(path)


REQUEST = {"groups": [{"name": "mail", "profile": "light_mail", "users": 100}], "system": "Zürich A"}
FUNCTIONS = {
    "fit": lambda data: dominoperf.fit("usl", data, x="processors", y="users").tidy(),
    "fit_many": lambda data: fitting.fit_many(data, "linear", by="operating_system", x="processors", y="users"),
    "rows_of": lambda data: fitting.rows_of(data, [("workload", "Mail")])[["system", "users"]],
    "systems": lambda data: planning.systems(data),
    "plan --catalogue": lambda data: planning.plan(REQUEST, catalogue=data).glance(),
    "sweep": lambda data: pd.DataFrame(sweeping.read_parameter_sets(data, ["system"])),
    "compare": lambda data: dominoperf.compare(["linear", "power"], data, x="processors", y="users").tidy(),
    "read_run": lambda data: loadtests.read_run(data)[["system", "users"]],
    "roll_up": lambda data: loadtests.roll_up(data, columns=["users"]),
    "steady_runs": lambda data: loadtests.steady_runs(data, on="users", between=(0, 30)).glance(),
    "factor_model": lambda data: machines.factor_model("users", ["processors"], data).tidy(),
    "demand": lambda data: machines.demand(data)[["system", "cpu_percent_per_1000_users"]],
    "added_demand": lambda data: pd.DataFrame([str(machines.added_demand(data))]),
}


def read_from_new_folder(place, name):
    tables.new(place / "mine", name)
    with tables.using(place / "mine"):
        return tables.load(tables.list_tables("mine")["id"][0])


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read_alike(served, tmp_path, form):
    """By the reader of tables, by that of load tests, and into a folder: whatever the same table comes as."""
    data = in_form(form, ROWS, served, "all")
    found = [tables.read_table(data).reset_index(drop=True)]
    if FORMS[form]:
        found += [dominoperf.read(data).drop(columns="line"), read_from_new_folder(tmp_path, data)]
    for frame in found:
        pd.testing.assert_frame_equal(frame[[*ROWS]], ROWS, check_dtype=False)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_takes_a_file(served, name):
    """With the same answer as of a frame, though it is written as in another country."""
    found = FUNCTIONS[name](in_form("commas, points between thousands", ROWS, served, "all"))
    pd.testing.assert_frame_equal(found, FUNCTIONS[name](ROWS), check_dtype=False)


UNTOLD = {
    "a thousand or a little more than one": (";", ["1,234", "2,345", "3,456", "4,567"], 2),
    "the same with points": (";", ["7", "2.345", "3.456", "8"], 3),
    "between tabs": ("\t", ["7", "8", "3,456", "9"], 4),
    "both signs": (";", ["1.5", "12,5", "7", "8"], 3),
}


READERS = {"read": dominoperf.read, "read, mapped": lambda data: dominoperf.read(data, mapping={"users": "users"})}


@pytest.mark.parametrize("name", FUNCTIONS | READERS)
def test_no_function_guesses(tmp_path, name):
    """What can be two numbers is refused with its line."""
    whole = ROWS.assign(cpu_utilization_percent=[40, 41, 60, 61], time_s=[0, 10, 20, 30])
    for delimiter, cells, line in UNTOLD.values():
        path = tmp_path / "own.csv"
        path.write_text(whole.assign(users=cells).to_csv(index=False, sep=delimiter), encoding="utf-8")
        with pytest.raises(BadTable, match=rf"own\.csv, line {line}: .*'{cells[line - 2]}'"):
            (FUNCTIONS | READERS)[name](path)


@pytest.mark.parametrize(
    ("address", "says"), [("/none.csv", "found HTTP 404"), (None, "an address that answers with a file, found")]
)
def test_an_address_without_a_file(served, address, says):
    place = f"{served[1]}{address}" if address else "http://127.0.0.1:9/runs.csv"
    for call in (tables.read_table, dominoperf.read, lambda place: dominoperf.fit("usl", place)):
        with pytest.raises(BadTable, match=says):
            call(place)


def test_a_unit_beside_a_number(tmp_path):
    """In a column of that unit it says nothing new; in one of another unit the number would be wrong by a factor."""
    path = tmp_path / "own.csv"
    path.write_text("users,cpu_utilization_percent\n1,44.4%\n2,50 %\n", encoding="utf-8")
    assert dominoperf.read(path)["cpu_utilization_percent"].tolist() == [44.4, 50]
    path.write_text("users,cpu_utilization\n1,44.4%\n", encoding="utf-8")
    calls = [
        dominoperf.read,
        loadtests.read_run,
        lambda path: dominoperf.fit("linear", str(path), x="users", y="users"),
    ]
    for call in calls:
        with pytest.raises(BadTable, match=r"line 2: expected numbers of 'cpu_utilization' in 1, found '44\.4%'"):
            call(path)


@pytest.mark.parametrize("cells", [("$ 1.000,50", "$2.000"), ("$1,000.50", "$2,000"), ("1 000,5 $", "2 000 $")])
def test_money_with_its_sign_is_a_number(tmp_path, cells):
    """As other columns with thousands and decimal commas; a folder made of it passes its check with that unit."""
    path = tmp_path / "own.csv"
    path.write_text("users;price per user\n" + "".join(f"{k};{cell}\n" for k, cell in enumerate(cells)), "utf-8")
    assert tables.read_table(path)["price per user"].tolist() == [1000.5, 2000]
    left = tables.new(tmp_path / "mine", path, title="t", source="s", licence="CC0-1.0")
    assert left.empty
    assert '"unit": "USD/user"' in (tmp_path / "mine" / "datapackage.json").read_text("utf-8")


def test_a_sign_that_is_met_far_below(tmp_path):
    """Rows are read as they come: the first cell that tells decides, and one that could be either is refused."""
    path = tmp_path / "own.csv"
    path.write_text("users;response_s\n" + "1;2\n" * 1200 + "1;2,5\n1;1.234,5\n", encoding="utf-8")
    assert dominoperf.read(path)["response_s"].tolist()[-3:] == [2, 2.5, 1234.5]
    path.write_text("users;response_s\n" + "1;2\n" * 1200 + "1;1,234\n", encoding="utf-8")
    with pytest.raises(BadTable, match=r"line 1202: .*'1,234', a thousand and more or decimals"):
        dominoperf.read(path)


def test_a_grid_of_plans(tmp_path):
    """The rows of a grid are planned with their numbers; one that cannot be told stops it, a word is a reason."""
    path = tmp_path / "grid.csv"
    path.write_text("mail.users;growth_percent\n1.200;2,5\n3,2e2;0,5\nmany;1\n", encoding="utf-8")
    found = planning.grid(planning.example(), path)
    assert found["mail.users"].tolist()[1:] == [320, "many"]
    assert found["growth_percent"].tolist() == [2.5, 0.5, 1]
    path.write_text("mail.users;growth_percent\n1.200;2\n", encoding="utf-8")
    with pytest.raises(BadTable, match=r"grid\.csv, line 2: .*'mail\.users'.*'1\.200'"):
        planning.grid(planning.example(), path)


def test_texts_of_a_sweep_stay(tmp_path):
    """A parameter that is declared a text is one, whatever it looks like; a seed keeps all its digits."""
    path = tmp_path / "sets.csv"
    path.write_text("n;word;seed\n1.000,5;1,5;123456789012345678\n2;2,5;1\n", encoding="utf-8")
    first, second = sweeping.read_parameter_sets(path, ["word"])
    assert first == {"n": 1000.5, "word": "1,5", "seed": 123456789012345678}
    assert second == {"n": 2, "word": "2,5", "seed": 1}


@pytest.mark.parametrize("nothing", ["n/a", "N.A.", "k.A.", "#NV", "#N/A", "<NA>", "–", "NULL"])
def test_texts_and_nothing(tmp_path, nothing):
    """Words stay words, blank rows are none, signs for nothing (of pandas, of spreadsheets) are no numbers."""
    path = tmp_path / "own.csv"
    path.write_text(f"\ufeffname; n ;part\n\n007;1,5;44,4 %\nx;{nothing};1\n", encoding="utf-8")
    frame = tables.read_table(path)
    assert frame["name"].tolist() == ["007", "x"]
    np.testing.assert_array_equal(frame["n"], [1.5, np.nan])
    assert frame["part"].tolist() == [44.4, 1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "expected a table with a header, found an empty file"),
        (b"a,b\n1,2\n3\n", "line 3: .*1 cell under 2 headings"),
        (b'a,b\n1,"x\ny"\n2,"z\n', "line 4: .*a quote that is not closed"),
        (b"a,a\n1,2\n", "'a' twice"),
        (b"a,\n1,2\n", "a name over every column"),
        (b"a,b\n1,\x81\n", "line 2: expected text in UTF-8, UTF-16 or Windows-1252, found byte 0x81"),
        ("a,b\n".encode("utf-16")[:-1], "expected UTF-16, as its mark says"),
        (b"a,b\n\0,1\n", "zero bytes"),
        (None, "no such file"),
    ],
)
def test_no_table(tmp_path, content, says):
    path = tmp_path / "own.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadTable, match=says):
        tables.read_table(path)


@settings(max_examples=60)
@given(
    st.lists(st.integers(-(10**8), 10**8), min_size=1, max_size=5),
    st.sampled_from([(".", ","), (",", "."), (".", ""), (",", ""), (",", " "), (".", "'")]),
    st.integers(0, 4),
    st.sampled_from(",;\t"),
)
def test_round_trip(tmp_path_factory, whole, style, digits, delimiter):
    """Written in any country's way, numbers come back to the digit, or are refused: never another number."""
    (sign, group), numbers = style, [value / 10**digits if digits else value for value in whole]
    cells = [spelt(value, sign, group, digits) for value in numbers]
    path = tmp_path_factory.mktemp("sheet", numbered=True) / "own.csv"
    text = pd.DataFrame({"name": "x", "n": cells}).to_csv(index=False, sep=delimiter, lineterminator="\n")
    path.write_text(text, encoding="utf-8")
    told = any(len(reading.readings_of_numeral(cell)) == 1 for cell in cells) or all(
        len({*reading.readings_of_numeral(cell).values()}) == 1 for cell in cells
    )
    if not told and delimiter != ",":
        with pytest.raises(BadTable, match=r"line \d+: .*neither is told"):
            tables.read_table(path)
        return
    found = tables.read_table(path)["n"].tolist()
    if told or sign == ".":  # between commas a lone comma is never taken for that of decimals
        assert found == numbers


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_a_packed_file_that_would_fill_the_memory_is_refused(tmp_path, ending):
    """Nothing honest unpacks to 200 times its size, beyond 100 MB; and one that is smaller is read as it is."""
    path, zeros = tmp_path / f"runs.csv.{ending}", b"0" * (1 << 20)
    pack = gzip.compress if ending == "gz" else lambda data: pyarrow.compress(data, "zstd", asbytes=True)
    path.write_bytes(b"".join(pack(zeros) for _ in range(101)))
    with pytest.raises(BadTable, match="at most 200 times its size, found more than 104,857,600 bytes"):
        tables.read_table(path)
    path.write_bytes(pack(b"users,tps\n" + b"100,0.25\n" * 10_000))
    assert len(tables.read_table(path)) == 10_000


@pytest.mark.parametrize("begins", [b"PK\x03\x04 [Content_Types].xml xl/", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_spreadsheet_is_to_be_saved_as_csv(tmp_path, begins):
    """By its bytes, for fits, plans and files of load tests alike."""
    path = tmp_path / "loads"
    path.write_bytes(begins + bytes(500))
    for read in (lambda: fitting.fit("usl", path), lambda: planning.node_count(path, 9), lambda: loadtests.curve(path)):
        with pytest.raises(BadTable, match=r"found a spreadsheet\. Save its sheet as CSV"):
            read()


def test_a_version_is_no_number(tmp_path):
    """As numbers 1.1 and 1.10 were one build, and 7e2 and 700 one commit."""
    path = tmp_path / "builds.csv"
    path.write_text("App version,commit,Build Number,users\n1.1,7e2,1.1,10\n1.10,700,1.10,10\n")
    frame = tables.read_table(path)
    assert frame.iloc[:, :3].to_numpy().tolist() == [["1.1", "7e2", "1.1"], ["1.10", "700", "1.10"]]
    assert frame["users"].tolist() == [10, 10]
