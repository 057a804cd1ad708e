"""A bad data folder is refused with file, line, column, expected, found and remedy: all problems at once."""

import hashlib
import shutil

import pytest
from conftest import read_errata, read_package, write_package
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.tables import generating

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


def test_good_folder_has_no_problems(folder):
    """The folder that the faults are planted in is good."""
    assert problems(folder) == []


def test_ours_are_good():
    """The same check passes on a copy of our own folders."""
    assert tables.check(tables.home()).empty


FAULTS = {
    "missing file": (lambda f: (f / "runs.csv").unlink(), ("runs.csv", None, ""), "the file", "no such file"),
    "missing column": (break_csv("system,unit\nA,user\n"), ("runs.csv", 1, "users"), "a column 'users'", "no such column"),
    "unlisted column": (break_csv("system,users,unit,x\nA,1,user,2\n"), ("runs.csv", 1, "x"), "lists", "'x'"),
    "columns in another order": (break_csv("users,system,unit\n1,A,user\n"), ("runs.csv", 1, ""), "system, users", "users, "),
    "text in a number column": (break_csv("system,users,unit\nA,1,user\nB,many,user\n"), ("runs.csv", 3, "users"), "a number", "'many'"),
    "hedge in a number column": (break_csv("system,users,unit\nA,about 5,user\n"), ("runs.csv", 2, "users"), "a number", "'about 5'"),
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
    assert [problem[2] for problem in problems(folder)] == ["resources, number 1, path"]


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
        ("runs.csv", 5, "system"),
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
    assert "$13.22" in told["found"][0]


def test_folders_in_use_are_checked(folder, monkeypatch):
    """Without a folder named, the user's own in use are among those checked."""
    break_csv("system,users,unit\nA,many,user\n")(folder)
    monkeypatch.setenv("DOMINOPERF_DATA", str(folder))
    assert list(tables.check()["file"]) == ["mine/runs.csv"]


def test_a_name_used_twice(folder):
    """The second table of a name could not be reached."""
    package = read_package(folder)
    package["resources"] *= 2
    write_package(folder, package)
    assert "'runs' twice" in set(tables.check(folder)["found"])


def test_a_missing_key_column_is_told_once(folder):
    """The key cannot be judged, which is not told on top."""
    break_csv("users,unit\n1,user\n")(folder)
    assert [problem[1:3] for problem in problems(folder)] == [(1, "system")]


def test_a_folder_with_its_own_descriptor_is_that_one(folder):
    """Data folders inside it are not looked at, but for files that it does not list."""
    shutil.copytree(folder, folder / "old")
    (folder / "runs.csv").unlink()
    assert [problem[0] for problem in problems(folder)] == ["old/runs.csv", "runs.csv"]


def test_a_duplicate_key_names_the_line_of_the_first(folder):
    """As an editor counts lines, below a cell with a line break."""
    break_csv('system,users,unit\n"A\nB",1,user\nC,1,user\nC,2,user\n')(folder)
    assert [(problem[1], problem[4]) for problem in problems(folder)] == [(5, "the same as in line 4")]


def test_many_wrong_rows_hide_none(folder):
    """Beyond a thousand errors the rest is still told."""
    rows = "".join(f"A{k},x,user\n" for k in range(1200)) + "A5,1,user\nB,1\n"
    break_csv("system,users,unit\n" + rows)(folder)
    told = problems(folder)
    assert len(told) == 1202
    assert [problem[1:3] for problem in told[-2:]] == [(1202, "system"), (1203, "unit")]


def test_keys_are_compared_as_numbers(folder):
    """1,000 and 1000 are one key; 1,000 and 2,000 are two."""
    package = read_package(folder)
    package["resources"][0]["schema"]["primaryKey"] = ["users"]
    write_package(folder, package)
    break_csv('system,users,unit\nA,"1,000",user\nB,"2,000",user\nC,1000,user\n')(folder)
    assert [(problem[1], problem[4]) for problem in problems(folder)] == [(4, "the same as in line 2")]


def test_an_unclosed_quote_is_told_where_it_opens(folder):
    """It would swallow the rows below without a word."""
    break_csv('system,users,unit\nA,few,user\n"B,2,user\nC,zz,user\n')(folder)
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 2, "users"), ("runs.csv", 3, "")]
    break_csv('"system,users,unit\nA,1,user\n')(folder)
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 1, "")]


@pytest.mark.parametrize(
    ("unit", "cell", "good"),
    [
        ("MB", "512 MB", True),
        ("MB", "2 GB", False),
        ("MB", "$768", False),
        ("USD/user", "$13.22", True),
        ("percent", "44.4%", True),
        ("user", "200%", False),
        ("kB", "16 KB", True),
    ],
)
def test_a_printed_sign_must_be_the_columns(folder, unit, cell, good):
    """A factor of a thousand must not pass in silence; that users have no such unit is told of the descriptor."""
    break_schema(unit=unit)(folder)
    break_csv(f"system,users,unit\nA,{cell},\n")(folder)
    assert ([each for each in problems(folder) if each[0] == "runs.csv"] == []) == good


@pytest.mark.parametrize(
    ("change", "cell"),
    [({"type": "integer"}, "1.5"), ({"constraints": {"minimum": 5}}, "4"), ({"constraints": {"maximum": 5}}, "6")],
)
def test_numbers_keep_their_type_and_constraints(folder, change, cell):
    """Numbers are judged here, with what the schema says of them."""
    break_schema(**change)(folder)
    break_csv("system,users,unit\nA,5,user\n")(folder)
    assert problems(folder) == []
    break_csv(f"system,users,unit\nA,{cell},user\n")(folder)
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", 2, "users")]


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


def test_files_that_nobody_lists_at_any_depth(folder):
    """Capitals and subfolders too; a folder of folders names one without a descriptor."""
    (folder / "MORE.CSV").write_text("a\n", encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "sub" / "s.csv").write_text("a\n", encoding="utf-8")
    assert [problem[0] for problem in problems(folder)] == ["MORE.CSV", "sub/s.csv"]
    (folder.parent / "bare").mkdir()
    (folder.parent / "bare" / "x.csv").write_text("a\n", encoding="utf-8")
    assert "bare/datapackage.json" in {problem[0] for problem in problems(folder.parent)}


def test_a_wrong_size_is_told(folder):
    """`bytes` of the descriptor is that of the file."""
    break_resource(bytes=5)(folder)
    assert [problem[:3] for problem in problems(folder)] == [("runs.csv", None, "")]


@pytest.mark.parametrize("unit", [" ", "9**9**9**9", "m**9**9**9", "__import__('os')", "1/hour/2", "m^99", 5, ["s"]])
def test_units_that_pint_must_not_see(unit):
    """What it would compute for ever, or run."""
    assert not tables.known_unit(unit)


@pytest.mark.parametrize("unit", ["1", "s", "1/hour", "USD/user", "kB/s", "m**2", "m^-1", "tpm"])
def test_units_of_the_field(unit):
    """Those of our tables, and powers."""
    assert tables.known_unit(unit)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"resources": ' + "9" * 5000 + "}", '{"resources": [5], "views": null}']
)
def test_descriptors_that_no_parser_likes(folder, text):
    """Nested too deep, a number too long, a resource that is none: told."""
    (folder / "datapackage.json").write_text(text, encoding="utf-8")
    assert problems(folder)[0][0] == "datapackage.json"
    with pytest.raises(BadTable):
        tables.use(folder)


@pytest.mark.parametrize("change", [{"locator": 5}, {"notes": "x"}, {"assigned": [1]}, {"resolution": {"users": -5}}])
def test_our_own_properties_are_checked(folder, change):
    """What later commands would fall over."""
    break_resource(**change)(folder)
    assert problems(folder)
    with pytest.raises(BadTable):
        tables.use(folder)


def test_the_check_option_fails_on_a_stale_descriptor(tmp_path, monkeypatch, capsys):
    """`make check` must not pass one."""
    shutil.copytree(tables.home(), tmp_path / "data")
    monkeypatch.setattr(generating, "home", lambda: tmp_path / "data")
    assert generating.main(["--check"]) == 0
    path = tmp_path / "data" / "ibm_330" / "results.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("2,917", "2,918"), encoding="utf-8")
    assert generating.main(["--check"]) == 1
    assert "ibm_330/datapackage.json is stale" in capsys.readouterr().err
