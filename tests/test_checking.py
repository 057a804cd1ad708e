"""A bad data folder is refused with file, line, column, expected, found and remedy: all problems at once."""

import hashlib
import shutil

import pytest
from conftest import read_package, write_package
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dominoperf import catalog, checking
from dominoperf.errors import BadTable

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
    frame = checking.check(folder)
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


def test_good_folder_has_no_problems(folder):
    """The folder that the faults are planted in is good."""
    assert problems(folder) == []


def test_ours_are_good():
    """The same check passes on a copy of our own folders."""
    assert checking.check(catalog.home()).empty


FAULTS = {
    "missing file": (lambda f: (f / "runs.csv").unlink(), ("runs.csv", None, ""), "the file", "no such file"),
    "missing column": (break_csv("system,unit\nA,user\n"), ("runs.csv", 1, "users"), "a column 'users'", "no such column"),
    "unlisted column": (break_csv("system,users,unit,x\nA,1,user,2\n"), ("runs.csv", 1, "x"), "lists", "'x'"),
    "columns in another order": (break_csv("users,system,unit\n1,A,user\n"), ("runs.csv", 1, ""), "system, users", "users, "),
    "text in a number column": (break_csv("system,users,unit\nA,1,user\nB,many,user\n"), ("runs.csv", 3, "users"), "a number", "'many'"),
    "hedge in a number column": (break_csv("system,users,unit\nA,about 5,user\n"), ("runs.csv", 2, "users"), "a number", "'about 5'"),
    "duplicate key": (break_csv("system,users,unit\nA,1,user\nA,2,user\n"), ("runs.csv", 3, ""), "a key", "the same as in the row"),
    "unknown unit of a column": (break_schema(unit="furlongz"), ("datapackage.json", None, "users"), "pint", "'furlongz'"),
    "no unit of a number": (break_schema(unit=None), ("datapackage.json", None, "users"), "a unit", "none"),
    "unknown unit in a cell": (break_csv("system,users,unit\nA,1,\nB,2,persn\n"), ("runs.csv", 3, "unit"), "pint", "'persn'"),
    "bad encoding": (break_csv("system,users,unit\nA,1,user\n\u00e9,2,user\n", "latin-1"), ("runs.csv", 3, ""), "UTF-8", "0xe9"),
    "wrong checksum": (break_resource(hash="sha256:" + "0" * 64), ("runs.csv", None, ""), "checksum", "sha256:"),
    "another checksum": (break_resource(hash="md5:0"), ("runs.csv", None, ""), "a sha256 checksum", "md5"),
    "path outside": (lambda f: [break_resource(path="../runs.csv")(f), (f / "runs.csv").unlink()], ("datapackage.json", None, "path"), "inside the folder", "../runs.csv"),
    "absolute path": (lambda f: [break_resource(path="/runs.csv")(f), (f / "runs.csv").unlink()], ("datapackage.json", None, "path"), "inside the folder", "/runs.csv"),
    "unknown kind": (break_resource(kind="guess"), ("datapackage.json", None, "kind"), "measured", "'guess'"),
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


def test_all_problems_come_in_one_report(folder):
    """Six faults of five kinds in one folder: all told, none hides another."""
    break_csv("system,users,unit,x\nA,many,user,1\nA,2,persn,1\nB,few,user,1\n")(folder)
    break_schema(unit="furlongz")(folder)
    (folder / "more.csv").write_text("a\n", encoding="utf-8")
    places = {problem[:3] for problem in problems(folder)}
    assert places >= {
        ("runs.csv", 1, "x"),
        ("runs.csv", 2, "users"),
        ("runs.csv", 4, "users"),
        ("runs.csv", 3, "unit"),
        ("datapackage.json", None, "users"),
        ("more.csv", None, ""),
    }


def test_a_link_out_of_the_folder_is_refused(folder, tmp_path):
    """A symbolic link is a path outside the folder too."""
    (tmp_path / "secret.csv").write_text("system,users,unit\n", encoding="utf-8")
    (folder / "runs.csv").unlink()
    (folder / "runs.csv").symlink_to(tmp_path / "secret.csv")
    assert [problem[2] for problem in problems(folder)] == ["path"]


def test_lines_count_what_an_editor_counts(folder):
    """A quoted cell with a line break moves what follows one line down."""
    break_csv('system,users,unit\n"A\nB",1,user\nC,many,user\n')(folder)
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 4, "users")]


def test_checksum_of_the_bytes_is_accepted(folder):
    """The checksum is that of the file as it lies there."""
    digest = hashlib.sha256((folder / "runs.csv").read_bytes()).hexdigest()
    break_resource(hash=f"sha256:{digest}")(folder)
    assert problems(folder) == []


def test_folder_of_folders(folder):
    """A folder of data folders is checked one by one, files named from its top."""
    break_csv("system,users,unit\nA,many,user\n")(folder)
    shutil.copytree(folder, folder.parent / "other")
    assert [problem[0] for problem in problems(folder.parent)] == ["mine/runs.csv", "other/runs.csv"]


def test_lines_below_a_blank_one(folder):
    """An empty line is told at its own line, and what follows at its own."""
    break_csv("system,users,unit\nA,1,user\n\nB,x,user\nA,2,user\n")(folder)
    assert [problem[:3] for problem in problems(folder)] == [
        ("runs.csv", 3, ""),
        ("runs.csv", 4, "users"),
        ("runs.csv", 5, ""),
    ]


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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)


@given(resource=st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6), content=st.binary(max_size=60))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_whatever_lies_there_is_told(folder, resource, content):
    """No descriptor and no file makes the check itself fall over; what it passes can be loaded."""
    write_package(folder, {"name": "mine", "resources": [{"name": "runs", "path": "runs.csv"} | resource]})
    (folder / "runs.csv").write_bytes(content)
    frame = checking.check(folder)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DOMINOPERF_DATA", str(folder))
            catalog.tables("mine")
    except BadTable:
        assert len(frame)


def test_no_folder_teaches(tmp_path):
    """A folder that is not there is a mistake, not a problem of its data."""
    with pytest.raises(BadTable, match="expected a folder"):
        checking.check(tmp_path / "nowhere")
