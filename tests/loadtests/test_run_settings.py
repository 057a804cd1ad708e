"""The load of a file by its name, a pattern, a manifest or its rows, with its note; what settings may not be."""

import math

import pandas as pd
import pytest
from made import written

from dominoperf.errors import BadTable, CannotFit, DominoperfError, UnknownName, at_shell
from dominoperf.loadtests.run_settings import RunSettings

ROWS = pd.DataFrame({"throughput_per_s": [1.0]})


def load_of(name, frame=ROWS, **settings):
    return RunSettings(**settings).load_named_by_file(name, frame)


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("c4.csv", 4), ("4_clients.csv", 4), ("clients-4.csv", 4), ("conn=4", 4), ("4 users", 4), ("VUs_4", 4),
        ("threads_4", 4), ("threads4_clients_8", 8), ("c4d.csv", 4), ("users_4/run1.csv", 4), ("users_4/c8.csv", 8),
        ("50users_1", 50), ("users_50_1", 50), ("50_users_run1", 50), ("run1_users_50", 50), ("t4_c100", 100),
        ("16_clients_2_threads.csv", 16), ("threads_2_clients_16", 16),
        ("20231114_50users_4threads", 50), ("a-8-users-20231114", 8), ("20231114_users_8", 8),
        ("2kb_users_4", 4), ("nginx1.22_users_8", 8), ("x2_users_2", 2),
    ],
)  # fmt: skip
def test_the_load_in_a_name(name, load):
    assert load_of(name) == load


def test_no_folder_is_asked_where_a_name_is_not_plain():
    """The number in the folder's name is that of other files."""
    with pytest.raises(BadTable, match=r"1_500 in the name users_1_500\.csv"):
        load_of("8_clients/users_1_500.csv")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("run_2_users_50", "2 or 50"), ("50users_8workers", "50 or 8"), ("load4_users8", "4 or 8"),
        *((name, "none") for name in ("nothing", "abusers_4", "clientsx4", "pg15.3_users.csv")),
        ("load1.5", "1.5"), ("c16.1", "16.1"), ("users=1e3", "1e3"), ("users_2k", "2k"), ("2k_users_4_threads", "2k"),
        ("1,500_users", "1,500"), ("1_500_users_4_threads", "1_500"), ("1.5_users_7", "1.5 or 7"),
        ("users_1_500", "1_500"),
    ],
)  # fmt: skip
def test_a_name_that_is_not_plain_is_refused(name, found):
    """Two loads, none, or a number that can be read in two ways, whatever stands beside a less sure word."""
    with pytest.raises(BadTable) as caught:
        load_of(name)
    found = "none in the file or its name" if found == "none" else f"{found} in the name {name}"
    assert str(caught.value) == (
        f"{name}: expected a load, found {found}. Say where the load is in the names (x_from=r'c(\\d+)'), name its "
        "column (x=), or use a manifest."
    )


@pytest.mark.parametrize(
    ("frame", "settings", "found"),
    [
        ({"users": [5.0]}, {}, None), ({"users": [None]}, {}, 4.0), ({"users": ["x"]}, {}, 4.0),
        ({"users": [5.0],
          "threads": [9]}, {"x": "threads"}, None), ({"users": [5.0]}, {"x_from": r"s(\d+)"}, 4.0),
        ({"users": [5.0]}, {"manifest": pd.DataFrame({"file": ["users4"], "load": ["15"]})}, 15.0),
        ({"users": [5.0]}, {"manifest": pd.DataFrame({"file": ["./users4"], "load": [7]}), "x_from": "(x)"}, 7.0),
    ],
)  # fmt: skip
def test_which_says_the_load(frame, settings, found):
    """The manifest before the pattern, that before the rows of the file, these before its name."""
    assert load_of("users4", pd.DataFrame(frame), **settings) == found


def test_a_column_that_is_not_there():
    with pytest.raises(UnknownName, match="threads"):
        load_of("users4", pd.DataFrame({"users": [5.0]}), x="threads")


def test_files_of_a_manifest():
    """By their names or by more of their paths."""
    manifest = pd.DataFrame({"file": ["a/x.csv", "/data/b/x.csv", "y.csv"], "load": [1, 2, 3]})
    twice = pd.DataFrame({"file": ["x.csv"], "load": [4]})
    assert [load_of(name, manifest=manifest) for name in ("a/x.csv", "/data/b/x.csv", "z/y.csv", "deep/a/x.csv")] == [
        1,
        2,
        3,
        1,
    ]
    for name, expected, found, remedy in (
        ("xy.csv", "the load of each file", "none of this one", "Add a row for xy.csv, or leave the file out."),
        ("b/x.csv", "the load of each file", "none of this one", "Add a row for b/x.csv, or leave the file out."),
        ("/data/a/x.csv", "one row for this file", "2, a/x.csv and x.csv", "Leave one row of /data/a/x.csv."),
    ):
        with pytest.raises(BadTable) as caught:
            load_of(name, manifest=pd.concat([manifest, twice]) if "one row" in expected else manifest)
        assert str(caught.value) == f"the manifest: expected {expected}, found {found}. {remedy}"
    assert load_of("a/x.csv", manifest=pd.concat([manifest, twice]).assign(load=5)) == 5.0


@pytest.mark.parametrize(
    ("rows", "place", "expected", "found", "remedy"),
    [
        ("a,1\nb,x\n", 3, "a load", "'x'", "Give a number for b."),
        ("a,1\nb,2\n./a,3\n", 4, "each file once", "a again, after {0}", "Leave one of the two rows out."),
    ],
)
def test_a_manifest_that_is_none(tmp_path, rows, place, expected, found, remedy):
    """With the line of the file, or the row of a frame."""
    path = written(tmp_path, f"file,load\n{rows}", "loads.csv")
    for manifest, where, first in (
        (path, f"{path}, line {place}", f"{path}, line 2"), (pd.read_csv(path), f"row {place - 1}", "row 1"),
    ):  # fmt: skip
        with pytest.raises(BadTable) as caught:
            RunSettings(manifest=manifest)
        assert str(caught.value) == (
            f"manifest=..., {where}: expected {expected}, found {found.format(first)}. {remedy}"
        )
    with pytest.raises(UnknownName, match=r"column of manifest=\.\.\."):
        RunSettings(manifest=pd.DataFrame({"file": ["a"]}))


@pytest.mark.parametrize(
    ("pattern", "name", "found"),
    [
        (r"c(\d+)", "sec10_c8", "8 and 10"), (r"x(\d+)", "c8", "no number"), ("(c)", "c8", "no number"),
        (r"c(\d+)", "c8_c8", 8.0), (r"c(\d+)", "c8/x", 8.0), (r"c(\d+)", "c8/c9", 9.0),
    ],
)  # fmt: skip
def test_a_pattern_in_names(pattern, name, found):
    """In the name, else in its folders; one number, or it is told what was found."""
    if isinstance(found, float):
        assert load_of(name, x_from=pattern) == found
        return
    with pytest.raises(BadTable) as caught:
        load_of(name, x_from=pattern)
    assert str(caught.value) == (
        f"{name}: expected {pattern} in the name, found {found}. Write a pattern that finds one number in every "
        f"name, as "
        r"_c(\d+), or use a manifest."
    )


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"level": 1.0}, CannotFit, "curve(level=...)"), ({"settle": -1}, CannotFit, "settle=..."),
        ({"until": "x"}, CannotFit, "until=..."),
        ({"generators": "both"}, UnknownName,
         "generators=...: expected 'together' or 'apart', found 'both'. Leave "
         "it out, or name one of them."),
        ({"generators": 3}, UnknownName, "generators=...: expected 'together' or 'apart', found 3"),
        ({"x_from": "c"}, UnknownName,
         "x_from=...: expected a pattern with one group, found 'c'. Put the number "
         r"in brackets: c(\d+) finds 16 in run_c16.txt."),
        ({"x_from": "(c)(d)"}, UnknownName, "expected a pattern with one group, found '(c)(d)'"),
        ({"x_from": r"c\d+"}, UnknownName, r"expected a pattern with one group, found 'c\d+'. Put"),
        ({"x_from": "c("}, UnknownName, "x_from=...: expected a regular expression, found 'c(' (missing )"),
        ({"x_from": 3}, UnknownName, "expected a regular expression, found 3 (first argument must be"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(settings, error, said):
    with pytest.raises(error) as caught:
        RunSettings(**settings)
    assert str(caught.value).startswith(said) or said in str(caught.value)


def test_settings_that_cannot_be_by_their_options():
    """What a user types at the shell."""
    wrong = {
        "--generators": {"generators": "both"}, "--settle": {"settle": -1}, "--until": {"until": -1},
        "--x-from": {"x_from": "c"}, "--manifest, row 1": {"manifest": pd.DataFrame({"file": ["a"], "load": ["x"]})},
    }  # fmt: skip
    for where, settings in wrong.items():
        with at_shell(["curve", "runs"]), pytest.raises(DominoperfError) as caught:
            RunSettings(**settings)
        assert caught.value.where == where
    with at_shell(["curve", "runs"]), pytest.raises(BadTable) as caught:
        load_of("nothing")
    assert caught.value.remedy == (
        r"Say where the load is in the names (--x-from 'c(\d+)'), name its column (--x), or use a manifest."
    )


def test_what_the_settings_ask_of_each_run():
    """Whether seconds are given; the column of the load."""
    assert [RunSettings(**given).timed for given in ({"settle": 0}, {"until": 7}, {})] == [True, True, False]
    frame = pd.DataFrame({"users": [math.nan], "threads": [4], "load": [8]})
    assert [RunSettings(x=x).load_column(frame) for x in (None, "threads")] == ["load", "threads"]
    assert [RunSettings(x=x).load_column(frame, 16) for x in (None, "threads")] == ["users", "threads"]
