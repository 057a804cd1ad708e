"""A table of one's own reads the same through every door: decimal signs, thousands, exponents, what cannot be told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dominoperf
from dominoperf import loadtests, planning, tables
from dominoperf.errors import BadTable
from dominoperf.reports import sets
from dominoperf.tables import sheets

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
    assert sheets.readings(text) == {sign: value for sign, value in ((".", point), (",", comma)) if value is not None}


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
    found = sheets.decimal_signs(dict(enumerate(columns)), delimiter)
    assert list(found.values()) == signs


# ---- every door to a file


def fit(path, tmp_path):
    return dominoperf.fit("linear", str(path), x="processors", y="users").augment()["y"]


def compare(path, tmp_path):
    return dominoperf.compare(["linear", "power"], str(path), x="processors", y="users").fits[0].augment()["y"]


def run(path, tmp_path):
    return loadtests.read_run(path)["users"]


def ingest(path, tmp_path):
    return dominoperf.read(path)["users"]


def mapped(path, tmp_path):
    path.write_text(path.read_text(encoding="utf-8").replace("users", "N"), encoding="utf-8")
    return dominoperf.read(path, mapping={"N": "users"})["users"]


def catalogue(path, tmp_path):
    return planning.systems(path)["users"]


def grid(path, tmp_path):
    text = path.read_text(encoding="utf-8").replace("system", "comment").replace("users", "mail.users")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    path.write_text("\n".join(line.rpartition(delimiter)[2] for line in text.splitlines()) + "\n", encoding="utf-8")
    return planning.grid(planning.example(), path)["mail.users"]


def sweep(path, tmp_path):
    return pd.Series([float(each["users"]) for each in sets.read_sets(path, ["system"])])


def own_series(path, tmp_path):
    """A data folder made of the file: checked, then loaded as a series."""
    path = path.rename(tmp_path / "runs.csv")
    left = tables.new(tmp_path / "mine", path, title="T", source="S", licence="MIT",
                        units={"processors": "processor", "users": "user"})  # fmt: skip
    if len(left):
        raise BadTable("mine, line 2", expected="an answer", found=left["expected"].iloc[0], remedy="")
    assert tables.check(tmp_path / "mine").empty
    text = '[mine_users]\ntitle = "T"\ntable = "mine/runs"\nx = "processors"\ny = "users"\n'
    (tmp_path / "mine" / "series.toml").write_text(text, encoding="utf-8")
    with tables.using(tmp_path / "mine"):
        return dominoperf.series("mine_users")["users"]


DOORS = (fit, compare, run, ingest, mapped, catalogue, sweep, own_series)
HEAD = ("system", "workload", "processors", "users")
FILES = {
    "a thousand in quotes and an exponent": (",", ['"1,000"', "3.2e3", "1500"], [1000, 3200, 1500]),
    "decimal commas between semicolons": (";", ["12,5", "20", "1.234,5"], [12.5, 20, 1234.5]),
    "exponents with a comma": (";", ["3,2e3", "1e3", "2000"], [3200, 1000, 2000]),
    "points between tabs": ("\t", ["1,234.5", "2,000", "7"], [1234.5, 2000, 7]),
    "blanks between thousands": (";", ["1 234,5", "12\u00a0000", "7"], [1234.5, 12000, 7]),
    "apostrophes between thousands": (",", ["1'234.5", "2'000", "7"], [1234.5, 2000, 7]),
    "a file of a spreadsheet here": (",", ["1000", "2000.25", "7"], [1000, 2000.25, 7]),
}
UNTOLD = {
    "a thousand or a little more than one": (";", ["1,234", "2,345", "3,456"], 2),
    "the same with points": (";", ["7", "2.345", "3.456"], 3),
    "between tabs": ("\t", ["7", "8", "3,456"], 4),
    "both signs": (";", ["1.5", "12,5", "7"], 3),
}


def written(tmp_path, delimiter, cells):
    rows = [HEAD, *((name, "Mail", str(k), cell) for k, (name, cell) in enumerate(zip("ABC", cells, strict=True), 1))]
    path = tmp_path / "own.csv"
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("name", FILES)
def test_every_door_reads_the_same(tmp_path, name, door):
    delimiter, cells, values = FILES[name]
    assert list(door(written(tmp_path, delimiter, cells), tmp_path)) == values


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("name", UNTOLD)
def test_no_door_guesses(tmp_path, name, door):
    """What can be two numbers is refused with its line, or asked where a descriptor can answer."""
    delimiter, cells, line = UNTOLD[name]
    with pytest.raises(
        BadTable, match="mine" if door is own_series else rf"own\.csv, line {line}: .*'{cells[line - 2]}'"
    ):
        door(written(tmp_path, delimiter, cells), tmp_path)


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
    """A parameter that is declared a text is one, whatever it looks like."""
    path = tmp_path / "sets.csv"
    path.write_text("n;word\n1.000,5;1,5\n2;2,5\n", encoding="utf-8")
    assert sets.read_sets(path, ["word"]) == [{"n": "1000.5", "word": "1,5"}, {"n": "2", "word": "2,5"}]


def test_texts_and_nothing(tmp_path):
    """Words stay words, blank rows are none, signs for nothing are no numbers."""
    path = tmp_path / "own.csv"
    path.write_text("\ufeffname; n ;share\n\n007;1,5;44,4 %\nx;n/a;1\n", encoding="utf-8")
    sheet = tables.read_sheet(path)
    assert (sheet.delimiter, sheet.bom, sheet.lines) == (";", True, [3, 4])
    frame = sheet.frame()
    assert frame["name"].tolist() == ["007", "x"]
    np.testing.assert_array_equal(frame["n"], [1.5, np.nan])
    assert frame["share"].tolist() == [44.4, 1]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "line 1: .*an empty file"),
        (b"a,b\n1,2\n3\n", "line 3: .*1 cell under 2 headings"),
        (b'a,b\n1,"x\ny"\n2,"z\n', "line 4: .*unexpected end of data"),
        (b"a,a\n1,2\n", "'a' twice"),
        (b"a,\n1,2\n", "a name over every column"),
        (b"a,b\n1,\xff\n", "line 2: expected UTF-8, found byte 0xff"),
        ("a,b\n".encode("utf-16"), "UTF-16"),
        (b"a,b\n\0,1\n", "zero bytes"),
        (None, "no such file"),
    ],
)
def test_no_table(tmp_path, content, says):
    path = tmp_path / "own.csv"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadTable, match=says):
        tables.read_sheet(path)


def spelt(number, sign, group, digits):
    """A number as a program of some country writes it."""
    text = f"{number:,.{digits}f}" if digits else f"{number:,}"
    return text.replace(",", "\0").replace(".", sign).replace("\0", group)


@settings(max_examples=150)
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
    told = any(len(sheets.readings(cell)) == 1 for cell in cells) or all(
        len({*sheets.readings(cell).values()}) == 1 for cell in cells
    )
    if not told and delimiter != ",":
        with pytest.raises(BadTable, match=r"line \d+: .*neither is told"):
            tables.read_sheet(path).frame()
        return
    found = tables.read_sheet(path).frame()["n"].tolist()
    if told or sign == ".":  # between commas a lone comma is never taken for that of decimals
        assert found == numbers
