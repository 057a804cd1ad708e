"""What `read` and its like answer, whole: columns, types, attributes, parts; and what they refuse, word by word."""

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from made import written

from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import reading

OWN = "users,throughput_per_s,system,response_s,tester\n1,10,a,,x\n2,20,,,x\n3,30,c,,x\n"
LEFT = "columns left out, as they are not mapped: tester"
EMPTY = "the file has no values of response_s"
AB = "Percentage served,Time in ms\n50,250\n95,500\n"
JMETER = "timeStamp,elapsed,success\n1700000000000,500,true\n1700000001000,250,true\n1700000001100,250,true\n"


def own(tmp_path, name="own.csv", text=OWN):
    return str(written(tmp_path, text, name))


def test_a_frame_and_its_attributes(tmp_path):
    """Numbers, texts and lines with their types; the reader, its notes with their kinds, what it calls a user."""
    frame = readers.read(own(tmp_path))
    expected = pd.DataFrame({"users": [1.0, 2, 3], "throughput_per_s": [10.0, 20, 30]})
    texts = pd.Series(["a", None, "c"]).astype("str").where([True, False, True])
    expected = expected.assign(system=texts, response_s=np.nan, line=np.array([2, 3, 4], "int64"))
    pd.testing.assert_frame_equal(frame, expected)
    assert frame.attrs == {"reader": "csv", "notes": [LEFT, EMPTY], "user": "user"}
    assert [note.kind for note in frame.attrs["notes"]] == ["columns left out", "columns without values"]
    percentiles = readers.read(own(tmp_path, "p", AB))
    assert percentiles.attrs == {
        "reader": "ab_percentiles", "user": "client",
        "notes": ["the file has no values of response_p99_s, response_max_s"],
    }  # fmt: skip


def test_parts_of_a_file(tmp_path):
    """As many rows as asked for; a note comes with the part in which it was made, that on empty columns with the "
    "last."""
    parts = list(readers.read_parts(own(tmp_path), rows=2))
    assert [part["users"].tolist() for part in parts] == [[1, 2], [3]]
    assert [part.attrs["notes"] for part in parts] == [[LEFT], [EMPTY]]
    assert [part.attrs["reader"] for part in parts] == ["csv", "csv"]
    assert [len(part) for part in readers.read_parts(own(tmp_path), rows=3)] == [3]


def test_many_files_as_one(tmp_path):
    """A column for the file, those of all, the line; what each reader read; notes with their files; what was not "
    "read."""
    paths = [own(tmp_path, f"{k}.csv") for k in (1, 2)] + [own(tmp_path, "3", AB), own(tmp_path, "4", "nothing")]
    paths += [own(tmp_path, "5.csv", "users,throughput_per_s,response_s\n1,2,\n4,many\n")]
    frame = readers.read(paths)
    assert [*frame] == [
        "file", "users", "throughput_per_s", "system", "response_s", "response_median_s", "response_p95_s",
        "response_p99_s", "response_max_s", "line",
    ]  # fmt: skip
    assert frame["file"].tolist() == [paths[0]] * 3 + [paths[1]] * 3 + [paths[2]]
    assert frame["response_p95_s"].fillna(-1).tolist() == [-1] * 6 + [0.5]
    unread = {path: str(error) for path, error in ((path, _error(path)) for path in paths[3:])}
    assert frame.attrs == {
        "reader": "csv ab_percentiles", "readers": {"csv": 2, "ab_percentiles": 1}, "user": "user", "unread": unread,
        "notes": [
            f"{paths[0]} and 1 other: {LEFT}", f"{paths[0]} and 1 other: {EMPTY}",
            f"{paths[2]}: the file has no values of response_p99_s, response_max_s",
            "several tools: 2 runs of csv, 1 run of ab_percentiles; a column that a tool does not give is empty in "
            "its rows",
            *(f"not read: {error}" for error in unread.values()),
        ],
    }  # fmt: skip
    clients = readers.read([own(tmp_path, name, AB) for name in ("6", "7")])
    assert clients.attrs["user"] == "client"
    assert len(clients.attrs["notes"]) == 1


def _error(path):
    with pytest.raises((BadTable, UnknownName)) as caught:
        readers.read(path)
    return caught.value


def test_parts_of_many_files(tmp_path):
    """Those of each file by themselves, as many rows as asked for; the attributes come with the last one."""
    paths = [own(tmp_path, f"{k}.csv") for k in range(4)]
    for rows, sizes in ((2, [2, 1] * 4), (3, [3] * 4), (100, [3] * 4)):
        parts = list(readers.read_parts(paths, rows=rows))
        assert [len(part) for part in parts] == sizes
        assert [bool(part.attrs) for part in parts] == [False] * (len(parts) - 1) + [True]
        pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), readers.read(paths))


def test_what_breaks_on_the_way(tmp_path):
    """Rows of whole parts stay, with a note on how many; a file of fewer is left out whole."""
    text = "users,tester\n" + "1,x\n" * 5 + "many,x\n"
    paths = [own(tmp_path, "a.csv", text), own(tmp_path, "b.csv", "users\n7\n")]
    for rows, kept in ((4, 4), (2, 4), (6, 0), (1, 4)):
        parts = list(readers.read_parts(paths, rows=rows))
        assert sum(len(part) for part in parts) == kept + 1
        told = parts[-1].attrs["notes"]
        note = f"its first {kept} row{'s' * (kept != 1)} were read before that showed"
        assert (f"{paths[0]}: {note}" in told) == (kept > 0)
        assert (f"{paths[0]}: {LEFT}" in told) == (kept > 0)
        assert f"not read: {paths[0]}, line 7: expected a number in column 'users', found 'many'" in "".join(told)
        assert parts[-1].attrs["readers"] == {"csv": 1}


def test_ten_files_that_cannot_be_read_are_told(tmp_path):
    for count, more in ((10, []), (11, ["not read: 1 files more"]), (13, ["not read: 3 files more"])):
        paths = [own(tmp_path, f"{k}.txt", "nothing\n") for k in range(count)] + [own(tmp_path)]
        told = [note for note in readers.read(paths).attrs["notes"] if "not read" in note]
        assert len(told) == min(count, 10) + len(more)
        assert told[10:] == more


def test_responses_of_requests_are_for_who_asks(tmp_path):
    path = own(tmp_path, "a.jtl", JMETER)
    frame = readers.read(path, responses=True)
    assert [*frame][-2:] == ["line", "responses_s"]
    assert [each.tolist() for each in frame["responses_s"]] == [[0.5], [0.25, 0.25]]
    assert "responses_s" not in readers.read(path)
    assert "responses_s" not in readers.read(own(tmp_path), responses=True)
    both = readers.read([path, own(tmp_path)], responses=True)
    assert [*both][-2:] == ["line", "responses_s"]
    assert both["responses_s"].isna().tolist() == [False, False, True, True, True]


def test_which_files_are_one_run(tmp_path):
    """Logs of threads by their names, in natural order; what cannot be read is by itself; other files are alone."""
    log = "0 1 900 0 1795445201 5000\n"
    for name, text in {"log.9.1": log, "log.9": log, "own.csv": OWN, "log.88": "nothing", "log.10.2": ""}.items():
        written(tmp_path, text, name)
    found = reading.files_of_runs(tmp_path)
    assert [[path.rpartition("/")[2] for path in run] for run in found] == [
        ["log.9", "log.9.1"], ["log.10.2"], ["log.88"], ["own.csv"],
    ]  # fmt: skip


def test_a_mapping_must_be_one(tmp_path):
    path = own(tmp_path)
    for wrong in ("x", ["x"], {"a": 1}, {1: "users"}):
        with pytest.raises(BadTable) as caught:
            readers.read(path, mapping=wrong)
        assert (caught.value.where, caught.value.expected, caught.value.remedy) == (
            "mapping", "a dict of the file's headings to our names", "Write {'elapsed': 'response_s[ms]'}.",
        )  # fmt: skip
    with pytest.raises(UnknownName) as caught:
        readers.read(own(tmp_path, "a.jtl", JMETER), "jmeter", mapping={"elapsed": "response_s[ms]"})
    mapped = ", ".join(name for name, each in readers.READERS.items() if each.mapped)
    assert str(caught.value) == (
        f"mapping: expected names of one's own, found a file of jmeter. Leave the mapping out; it is for {mapped}."
    )
    assert mapped == "csv, parquet, perfmon, prometheus"
    source = readers.Recording(path)
    with pytest.raises(BadTable) as caught:
        reading._begin_reading_run([source, readers.Recording(path)], None)
    assert str(caught.value) == (
        f"{path}: expected one file, or the logs of the threads of one run of pgbench, found 2 files of csv. Read "
        f"one at "
        "a time; several are read where a run of pgbench -j N wrote a log a thread."
    )


def test_only_the_first_lines_tell_the_format(tmp_path):
    """The fiftieth may; of a longer file the others are not looked at."""
    text = "Running 1s test @ x\n  1 threads and 2 connections\n  100 requests in 1.00s, \nRequests/sec:  100.0\n"
    assert readers.recognise(own(tmp_path, "a", "\n" * 49 + text)) == "wrk"
    with pytest.raises(UnknownName):
        readers.recognise(own(tmp_path, "a", "\n" * 50 + text))


def test_what_is_written(tmp_path):
    """One header; counts; types of the vocabulary in Parquet, whatever a part has; an error leaves nothing."""
    parts = [pd.DataFrame({"users": [1.0], "system": [None], "line": [2]}),
             pd.DataFrame({"users": [np.nan, 2.0], "system": ["a", "b"], "line": [3, 4]})]  # fmt: skip
    assert readers.write(iter(parts), tmp_path / "a.csv") == 3
    assert (tmp_path / "a.csv").read_text() == "users,system,line\n1,,2\n,a,3\n2,b,4\n"
    assert readers.write(parts, str(tmp_path / "a.parquet")) == 3
    table = pyarrow.parquet.read_table(tmp_path / "a.parquet")
    assert [str(field.type) for field in table.schema] == ["double", "string", "int64"]
    assert table["system"].to_pylist() == [None, "a", "b"]
    assert readers.write([], tmp_path / "none.csv") == 0
    for name, expected, found, remedy in (
        ("b.txt", ".csv or .parquet", ".txt", "End the name in one of them."),
        ("b", ".csv or .parquet", "no ending", "End the name in one of them."),
        ("no/b.csv", "a folder to write to", f"no folder {tmp_path / 'no'}", "Make the folder first, or name another."),
        ("a.csv", "a name that is free", "a file", "Name another file, or move the one that is there."),
    ):
        with pytest.raises((UnknownName, BadTable)) as caught:
            readers.write(parts, tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name}: expected {expected}, found {found}. {remedy}"

    def breaks():
        yield parts[0]
        raise ValueError("on the way")

    for name in ("c.csv", "c.parquet"):
        with pytest.raises(ValueError, match="on the way"):
            readers.write(breaks(), tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.parquet", "none.csv"]
