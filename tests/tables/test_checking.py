"""A bad data folder is refused with file, line, column, expected, found and remedy: all problems at once."""

import hashlib
import itertools
import shutil
import tomllib
from pathlib import Path

import pint
import pytest
from conftest import read_errata, read_package, write_package
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dominoperf import tables
from dominoperf.cli import main
from dominoperf.errors import BadTable
from dominoperf.tables import columns

KEYS = [
    "name",
    "path",
    "schema",
    "fields",
    "type",
    "unit",
    "kind",
    "hash",
    "primaryKey",
    "missingValues",
    "constraints",
]


def problems(folder):
    """The problems of a folder as (file, line, column) and the rest."""
    frame = tables.check(folder)
    assert (frame["remedy"].str.len() > 10).all()
    return [(p.file, None if p.line != p.line else p.line, p.column, p.expected, p.found) for p in frame.itertuples()]


def break_schema(**changes):
    """A fault of one field of the schema: of `users` unless said otherwise."""

    def fault(folder):
        package = read_package(folder)
        package["resources"][0]["schema"]["fields"][1] |= changes
        write_package(folder, package)

    return fault


def break_resource(**changes):
    """A fault of the resource."""

    def fault(folder):
        package = read_package(folder)
        package["resources"][0] |= changes
        write_package(folder, package)

    return fault


def break_csv(text, encoding="utf-8"):
    """Other text in the CSV file."""
    return lambda folder: (folder / "runs.csv").write_bytes(text.encode(encoding))


def both(*several):
    """Several faults."""
    return lambda folder: [fault(folder) for fault in several]


FAULTS = {
    "missing file": (lambda f: (f / "runs.csv").unlink(), ("runs.csv", None, ""), "the file", "no such file"),
    "missing column": (break_csv("system,unit\nA,user\n"), ("runs.csv", 1, "users"), "a column 'users'", "no such column"),
    "unlisted column": (break_csv("system,users,unit,x\nA,1,user,2\n"), ("runs.csv", 1, "x"), "lists", "'x'"),
    "columns in another order": (break_csv("users,system,unit\n1,A,user\n"), ("runs.csv", 1, ""), "system, users", "users, "),
    "text in a number column": (break_csv("system,users,unit\nA,1,user\nB,many,user\n"), ("runs.csv", 3, "users"), "a number", "'many'"),
    "hedge in a number column": (break_csv("system,users,unit\nA,about 5,user\n"), ("runs.csv", 2, "users"), "a number", "'about 5'"),
    "fewer than no users": (break_csv("system,users,unit\nA,1,user\nB,-2,user\n"), ("runs.csv", 3, "users"), "0 or more", "'-2'"),
    "duplicate key": (break_csv("system,users,unit\nA,1,user\nA,2,user\n"), ("runs.csv", 3, "system"), "a key", "the same as in line 2"),
    "unknown unit of a column": (break_schema(unit="furlongz"), ("datapackage.json", None, "users"), "pint", "'furlongz'"),
    "no unit of a number": (break_schema(unit=None), ("datapackage.json", None, "users"), "a unit", "none"),
    "unknown unit in a cell": (break_csv("system,users,unit\nA,1,\nB,2,persn\n"), ("runs.csv", 3, "unit"), "pint", "'persn'"),
    "bad encoding": (break_csv("system,users,unit\nA,1,user\n\u00e9,2,user\n", "latin-1"), ("runs.csv", 3, ""), "UTF-8", "0xe9"),
    "wrong checksum": (break_resource(hash="sha256:" + "0" * 64), ("runs.csv", None, ""), "checksum", "sha256:"),
    "another checksum": (break_resource(hash="md5:0"), ("runs.csv", None, ""), "a sha256 checksum", "md5"),
    "path outside": (lambda f: [break_resource(path="../runs.csv")(f), (f / "runs.csv").unlink()], ("datapackage.json", None, "resources, number 1, path"), "inside the folder", "../runs.csv"),
    "absolute path": (lambda f: [break_resource(path="/runs.csv")(f), (f / "runs.csv").unlink()], ("datapackage.json", None, "resources, number 1, path"), "inside the folder", "/runs.csv"),
    "unknown kind": (break_resource(kind="guess"), ("datapackage.json", None, "resources, number 1, kind"), "measured", "'guess'"),
    "too few cells": (break_csv("system,users,unit\nA,1\n"), ("runs.csv", 2, "unit"), "as many cells", "too few"),
    "too many cells": (break_csv("system,users,unit\nA,1,user,2\n"), ("runs.csv", 2, ""), "as many cells", "too many"),
    "blank line": (break_csv("system,users,unit\nA,1,user\n\nB,2,user\n"), ("runs.csv", 3, ""), "a row with cells", "an empty row"),
    "byte-order mark": (break_csv("\ufeffsystem,users,unit\n"), ("runs.csv", 1, ""), "without a byte-order mark", "byte-order"),
    "semicolons": (break_csv("system;users;unit\nA;1;user\n"), ("runs.csv", 1, ""), "commas", "system;users;unit"),
    "empty file": (break_csv(""), ("runs.csv", 1, ""), "a header line", "an empty file"),
    "no descriptor": (lambda f: (f / "datapackage.json").unlink(), ("datapackage.json", None, ""), "a descriptor", "no such file"),
    "broken descriptor": (lambda f: (f / "datapackage.json").write_text('{"name":\n oops'), ("datapackage.json", 2, ""), "JSON", "Expecting"),
    "no tables": (lambda f: write_package(f, {"name": "mine"}), ("datapackage.json", None, "resources"), "a list", "none"),
    "unlisted file": (lambda f: (f / "more.csv").write_text("a\n1\n"), ("more.csv", None, ""), "lists", "an unlisted file"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_planted_fault_is_told(folder, name):
    """Each fault alone: one problem, at its file, line and column, with what was expected and found."""
    fault, place, expected, found = FAULTS[name]
    fault(folder)
    told = problems(folder)
    assert [problem[:3] for problem in told] == [place], told
    assert expected in told[0][3]
    assert found in told[0][4]


def test_a_place_in_the_descriptor_is_called_no_column(folder, capsys):
    """It is a key of the descriptor, by the keys above it."""
    break_resource(kind="guess")(folder)
    assert main(["check", str(folder)]) == 1
    assert "datapackage.json, resources, number 1, kind: expected" in capsys.readouterr().out.replace("\n", " ")


def test_a_folder_without_a_descriptor_is_one_that_new_can_read(folder, capsys):
    """The command stands first, with the files as a shell takes them."""
    (folder / "datapackage.json").unlink()
    assert main(["check", str(folder)]) == 1
    assert f"dominoperf new FOLDER --from {folder}/*.csv" in capsys.readouterr().out.replace("\n", " ")


def test_folder_of_folders(folder):
    """A folder of data folders is checked one by one, files named from its top."""
    break_csv("system,users,unit\nA,many,user\n")(folder)
    shutil.copytree(folder, folder.parent / "other")
    assert [problem[0] for problem in problems(folder.parent)] == ["mine/runs.csv", "other/runs.csv"]


@pytest.mark.parametrize(
    "schema",
    ["schema.json", 5, [], {"fields": [5]}, {"fields": "x"}, {"fields": [{"name": "system", "type": "text"}]}, {}],
)
def test_a_schema_that_is_none_is_a_problem(folder, schema):
    """What frictionless stumbles over is told, not thrown, and does not hide the folder beside it."""
    shutil.copytree(folder, folder.parent / "other")
    break_csv("system,users,unit\nA,many,user\n")(folder.parent / "other")
    break_resource(schema=schema)(folder)
    files = [problem[0] for problem in problems(folder.parent)]
    assert "other/runs.csv" in files
    assert any(file.startswith("mine/") for file in files)


SEVERAL = {
    "a name used twice": (
        lambda f: write_package(f, read_package(f) | {"resources": read_package(f)["resources"] * 2}),
        [("datapackage.json", None, ""), ("datapackage.json", None, "name", "'runs' twice")],
    ),
    "a good folder": (break_resource(), []),
    "its checksum": (lambda f: break_resource(hash="sha256:" + hashlib.sha256((f / "runs.csv").read_bytes()).hexdigest())(f), []),
    "another size": (break_resource(bytes=5), [("runs.csv", None, "")]),
    "six faults of five kinds": (
        both(break_csv("system,users,unit,x\nA,many,user,1\nA,2,persn,1\nB,few,user,1\n"), break_schema(unit="furlongz"), lambda f: (f / "more.csv").write_text("a\n")),
        [("datapackage.json", None, "users"), ("more.csv", None, ""), ("runs.csv", 1, "x"), ("runs.csv", 2, "users"), ("runs.csv", 3, "unit"), ("runs.csv", 3, "system"), ("runs.csv", 4, "users")],
    ),
    "below a cell with a line break": (break_csv('system,users,unit\n"A\nB",1,user\nC,many,user\n'), [("runs.csv", 4, "users")]),
    "below a blank line": (break_csv("system,users,unit\nA,1,user\n\nB,x,user\nA,2,user\n"), [("runs.csv", 3, ""), ("runs.csv", 4, "users"), ("runs.csv", 5, "system")]),
    "a key without its column": (break_csv("users,unit\n1,user\n"), [("runs.csv", 1, "system")]),
    "two keys below a line break": (break_csv('system,users,unit\n"A\nB",1,user\nC,1,user\nC,2,user\n'), [("runs.csv", 5, "system", "the same as in line 4")]),
    "1,000 and 1000 are one key, 2,000 another": (
        both(break_resource(schema={"fields": [{"name": "system", "type": "string"}, {"name": "users", "type": "number", "unit": "user"}, {"name": "unit", "type": "string"}], "primaryKey": ["users"]}), break_csv('system,users,unit\nA,"1,000",user\nB,"2,000",user\nC,1000,user\n')),
        [("runs.csv", 4, "users", "the same as in line 2")],
    ),
    "an open quote swallows the rows below": (break_csv('system,users,unit\nA,few,user\n"B,2,user\nC,zz,user\n'), [("runs.csv", 2, "users"), ("runs.csv", 3, "")]),
    "an open quote in the header": (break_csv('"system,users,unit\nA,1,user\n'), [("runs.csv", 1, "")]),
    "a whole number that is none": (both(break_schema(type="integer"), break_csv("system,users,unit\nA,5,user\nB,1.5,user\n")), [("runs.csv", 3, "users")]),
    "a minimum": (both(break_schema(constraints={"minimum": 5}), break_csv("system,users,unit\nA,5,user\nB,4,user\n")), [("runs.csv", 3, "users")]),
    "a maximum": (both(break_schema(constraints={"maximum": 5}), break_csv("system,users,unit\nA,5,user\nB,6,user\n")), [("runs.csv", 3, "users")]),
    "signs of units in a column of dollars per user": (both(break_csv("system,price,unit\nA,$13.22,\nB,13.22,\nC,2 GB,\n"), break_schema(name="price", unit="USD/user")), [("runs.csv", 4, "price")]),
    "signs of units in a column of megabytes": (both(break_csv("system,size,unit\nA,512 MB,\nB,2 GB,\nC,$768,\n"), break_schema(name="size", unit="MB")), [("runs.csv", 3, "size"), ("runs.csv", 4, "size")]),
    "signs of units in a column of shares": (both(break_csv("system,share,unit\nA,44.4%,\nB,16 KB,\n"), break_schema(name="share", unit="percent")), [("runs.csv", 3, "share")]),
    "a link out of the folder": (
        lambda f: [(f / "runs.csv").replace(f.parent / "secret.csv"), (f / "runs.csv").symlink_to(f.parent / "secret.csv")],
        [("datapackage.json", None, "resources, number 1, path")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_places_of_several_problems(folder, name):
    """All are reported, each at the line that an editor counts, and none hides another."""
    fault, expected = SEVERAL[name]
    fault(folder)
    found = problems(folder)
    assert [each[:3] for each in found] == [each[:3] for each in expected], found
    assert all(each[3] == found[k][4] for k, each in enumerate(expected) if len(each) > 3)


FIELD = {"name": "system", "type": "string"}
UNUSABLE = {
    "nested too deep": ("[" * 100_000, ""),
    "a number too long": ('{"resources": ' + "9" * 5000 + "}", ""),
    "a number that JSON has not": ('{"resources": [], "x": NaN}', ""),
    "a resource that is none": ('{"resources": [5], "views": null}', "resources, number 1"),
    "a table without a name": ({"name": None}, "resources, number 1, name"),
    "fields without a name": ({"schema": {"fields": [FIELD, {}]}}, "resources, number 1, schema, fields, number 2"),
    "no fields": ({"schema": {"fields": []}}, "resources, number 1, schema, fields"),
    "a locator that is no text": ({"locator": 5}, "resources, number 1, locator"),
    "notes that are no list": ({"notes": "x"}, "resources, number 1, notes"),
    "assigned columns that are no texts": ({"assigned": [1]}, "resources, number 1, assigned, number 1"),
    "a step below zero": ({"resolution": {"users": -5}}, "resources, number 1, resolution, users"),
    "a number that says nothing of numbering": ({"numbered": "Table 1"}, "resources, number 1, numbered"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_descriptors_that_cannot_be_used(folder, name):
    """The check names the place, and no command takes the folder."""
    change, place = UNUSABLE[name]
    if isinstance(change, str):
        (folder / "datapackage.json").write_text(change, encoding="utf-8")
    else:
        break_resource(**change)(folder)
    assert ("datapackage.json", None, place) in [each[:3] for each in problems(folder)]
    with pytest.raises(BadTable, match="dominoperf check"):
        tables.use(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(resource=st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6), content=st.binary(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_whatever_lies_there_is_told(folder, resource, content):
    """No descriptor and no file makes the check itself fall over; what it passes can be loaded."""
    write_package(folder, {"name": "mine", "resources": [{"name": "runs", "path": "runs.csv"} | resource]})
    (folder / "runs.csv").write_bytes(content)
    frame = tables.check(folder)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOMINOPERF_DATA", str(folder))
            tables.list_tables("mine")
    except BadTable:
        assert len(frame)


def test_no_folder_teaches(tmp_path):
    """A folder that is not there is a mistake, not a problem of its data."""
    with pytest.raises(BadTable, match="expected a folder"):
        tables.check(tmp_path / "nowhere")


def test_an_erratum_that_misses_its_cell(monkeypatch):
    """A correction of what is not printed is told at its line of errata.csv."""
    wrong = tables.errata().head(1).assign(printed="$1.00")
    read_errata(monkeypatch, wrong)
    told = tables.check()
    assert list(told["file"]) == ["errata.csv"]
    assert "printed '$13.22'" in told["expected"][0]
    assert told["found"][0] == "'$1.00'"


def test_a_folder_with_its_own_descriptor_is_that_one(folder):
    """Data folders inside it are not looked at, but for files that it does not list."""
    shutil.copytree(folder, folder / "old")
    (folder / "runs.csv").unlink()
    assert [problem[0] for problem in problems(folder)] == ["old/runs.csv", "runs.csv"]


def test_what_check_passes_is_a_number(folder, monkeypatch):
    """A point behind the last digit, as programs write it, was no number of a fit."""
    break_csv("system,users,unit\nA,5.,user\nB,1e-05,user\n")(folder)
    assert problems(folder) == []
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    assert tables.load("mine/runs")["users"].tolist() == [5, 1e-05]


def test_a_long_file_is_one_table(folder):
    """However it is read: keys are compared over all rows, lines counted from the first, and the last row looked at."""
    rows = [f"A{k},{k},user\n" for k in range(20_000)]
    rows[13_000], rows[18_000], rows[-1] = "A7,1,user\n", "B,1.2.3,user\n", "C,1\n"
    break_csv("system,users,unit\n" + "".join(rows))(folder)
    found = problems(folder)
    assert [each[1:3] for each in found] == [(13_002, "system"), (18_002, "users"), (20_001, "unit")]
    assert found[0][4] == "the same as in line 9"


CELLS = {
    "a date": ({"name": "code", "type": "date"}, "2020-01-01", "2020-13-01", "a cell of the field's type"),
    "a pattern": ({"name": "code", "type": "string", "constraints": {"pattern": "[AB]+"}}, "AB", "C", "a cell that keeps its constraints"),
    "a cell of each row": ({"type": "number", "unit": "user", "constraints": {"required": True}}, "1", "", "a cell that keeps its constraints"),
    "a cell of its own": ({"name": "code", "type": "string", "constraints": {"unique": True}}, "x", "x", "a cell that no other row has"),
    "a text of ours that is a number": ({"type": "string"}, "", "~1900", "a number of user"),
    "a decimal comma": ({"type": "number", "unit": "user"}, "1.5", '"1,5"', "a number such as"),
    "a number of a row's unit": ({"name": "amount", "type": "number", "unit": "row"}, "5", "$5", "a number in user"),
}  # fmt: skip


@pytest.mark.parametrize("name", CELLS)
def test_what_a_field_does_not_allow(folder, name):
    """A good cell passes; a wrong one is told at its line."""
    field, good, wrong, expected = CELLS[name]
    break_schema(**field)(folder)
    column = field.get("name", "users")
    break_csv(f"system,{column},unit\nB,{good},user\n")(folder)
    assert problems(folder) == []
    with (folder / "runs.csv").open("a") as file:
        file.write(f"C,{wrong},user\n")
    (told,) = problems(folder)
    assert told[2] == column
    assert expected in told[3]


def test_foreign_keys_lead_to_rows(folder):
    """To another table of the folder; a cell that leads nowhere is told at its line."""
    package = read_package(folder)
    other = {"name": "systems", "path": "systems.csv", "schema": {"fields": [{"name": "name", "type": "string"}]}}
    package["resources"].append(other)
    key = {"fields": ["system"], "reference": {"resource": "systems", "fields": ["name"]}}
    package["resources"][0]["schema"]["foreignKeys"] = [key]
    write_package(folder, package)
    (folder / "systems.csv").write_text("name\nA\nB\n", encoding="utf-8")
    assert problems(folder) == []
    (folder / "systems.csv").write_text("name\nA\n", encoding="utf-8")
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 3, "system")]
    key |= {"fields": ["system", "unit"], "reference": {"resource": "systems", "fields": ["name", "of"]}}
    other["schema"]["fields"].append({"name": "of", "type": "string"})
    write_package(folder, package)
    (folder / "systems.csv").write_text("name,of\nA,user\n", encoding="utf-8")
    (folder / "runs.csv").write_text(
        "system,users,unit\nA,1,user\nB,2,\n", encoding="utf-8"
    )  # half a key leads nowhere
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 3, "system, unit")]


def test_files_that_nobody_lists_at_any_depth(folder):
    """Capitals and subfolders too; a folder of folders names one without a descriptor."""
    (folder / "MORE.CSV").write_text("a\n", encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "s.csv").write_text("a\n", encoding="utf-8")
    assert [problem[0] for problem in problems(folder)] == ["MORE.CSV", "sub/s.csv"]
    (folder.parent / "bare").mkdir()
    (folder.parent / "bare" / "x.csv").write_text("a\n", encoding="utf-8")
    assert "bare/datapackage.json" in {problem[0] for problem in problems(folder.parent)}


@pytest.mark.parametrize("unit", [" ", "9**9**9**9", "m**9**9**9", "__import__('os')", "1/hour/2", "m^99", 5, ["s"]])
def test_units_that_pint_must_not_see(unit):
    """What it would compute for ever, or run."""
    assert not columns.known_unit(unit)


@pytest.mark.parametrize("unit", ["1", "s", "1/hour", "USD/user", "kB/s", "m**2", "m^-1", "tpm"])
def test_units_of_the_field(unit):
    """Those of our tables, and powers."""
    assert columns.known_unit(unit)


def test_usual_units_are_those_of_pint():
    """Every pair of the units that are known without pint converts as pint converts it, or does not in both."""
    rooms = Path(columns.__file__).parent
    registry = pint.UnitRegistry(on_redefinition="ignore")
    registry.load_definitions(rooms / "units.txt")
    kinds = tomllib.loads((rooms / "usual_units.toml").read_text(encoding="utf-8"))
    usual, of_bits = [unit for sizes in kinds.values() for unit in sizes], {*kinds["byte"], *kinds["byte/s"]}
    assert all(map(columns.known_unit, usual))
    for unit, wanted in itertools.permutations(usual, 2):
        fits = registry.Unit(unit).is_compatible_with(wanted) or (unit == "1" and wanted in columns.COUNTED)
        fits = fits and (unit in of_bits) == (wanted in of_bits)  # to pint a bit is a plain number
        assert columns.unit_fits(unit, wanted) == fits, (unit, wanted)
        if fits and unit != "1":
            factor = registry.Quantity(1.0, unit).to(wanted).magnitude
            assert columns.unit_factor(unit, wanted) == pytest.approx(factor, rel=1e-14)
