"""What may be wrong with any recorded file: rows with a note, or a message in four parts; never a crash."""

import json
import math
import random
import re

import pandas as pd
import pytest
from made import notes, written
from test_ingest import FORMS, MAPPED, SAMPLES, sample

from dominoperf.errors import DominoperfError
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import per_second

TEXTS = [path for path in FORMS if path.suffix != ".parquet"]
EPOCH_MS = 1_700_000_000_000
RAW = re.compile(
    r"Errno|Traceback|NoneType|list index|unpack|subscriptable|invalid literal|could not convert|has no attr"
)


def read(tmp_path, path, content, reader=None):
    """A frame, or the message; anything else fails the test. Warnings are errors (pyproject.toml)."""
    place = tmp_path / path.name
    place.write_bytes(content)
    try:
        return readers.read(place, reader, mapping=MAPPED.get(path.stem))
    except DominoperfError as error:
        found = error
    assert all((found.where, found.expected, found.found, found.remedy))
    assert path.name in found.where
    assert not RAW.search(str(found)), found
    return str(found)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_any_file_may_be_any_of_these(tmp_path, path):
    """Empty, blank, random bytes and characters, header only, first line missing, bytes changed."""
    raw, name, rng = path.read_bytes(), path.parent.name, random.Random(path.name)
    lines = raw.splitlines(keepends=True)
    assert "an empty one" in read(tmp_path, path, b"", name)
    assert isinstance(read(tmp_path, path, b"\n\n", name), str)
    assert isinstance(read(tmp_path, path, rng.randbytes(3000), name), str)
    assert isinstance(read(tmp_path, path, bytes(rng.choices(b' ,;:.0123456789abc"\n{}[]\t', k=5000)), name), str)
    for content in (lines[0], b"".join(lines[1:]), b"".join(lines[:2])):
        read(tmp_path, path, content, name)
    read(tmp_path, path, b"".join(lines[1:]))
    for _ in range(2):
        changed = bytearray(raw)
        for _ in range(5):
            changed[rng.randrange(len(raw))] = rng.randrange(1, 256)
        read(tmp_path, path, bytes(changed), name)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_line_ends_and_marks_change_nothing(tmp_path, path):
    """CRLF and a byte-order mark, as Windows writes them."""
    content = b"\xef\xbb\xbf" + path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    pd.testing.assert_frame_equal(read(tmp_path, path, content), sample(path))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_line_of_something_else_loses_no_row_in_silence(tmp_path, path):
    """Wherever it stands: all rows are there, or a note or the message says at which line one is not."""
    lines, whole = path.read_bytes().splitlines(keepends=True), sample(path)
    for k in range(1, len(lines), max(len(lines) // 3, 1)):
        frame = read(tmp_path, path, b"".join([*lines[:k], "?? \u00e4 ??\n".encode(), *lines[k:]]), path.parent.name)
        if isinstance(frame, pd.DataFrame) and len(frame) < len(whole):
            assert re.search(r"line \d+", notes(frame)), k


def test_lines_that_end_in_carriage_returns_alone(tmp_path):
    """What Excel saves as CSV (Macintosh) is one line to everybody else."""
    path = written(tmp_path, "users,throughput_per_s\r1,100\r2,190\r")
    with pytest.raises(DominoperfError, match=r"found carriage returns alone.*Save it again as CSV UTF-8"):
        readers.read(path, "csv")


def test_clock_of_requests_goes_back(tmp_path):
    """Two runs in one file, or a clock that was set: told with the line, once for each time."""
    rows = [f"{EPOCH_MS + 250 * k},9,true,3\n" for k in range(40)]
    text = "".join(["timeStamp,elapsed,success,allThreads\n", *rows, *rows[:20]])
    frame = readers.read(written(tmp_path, text))
    assert "line 42: the clock goes back by 10 s: another run, or a clock that was set" in notes(frame)
    assert notes(frame).count("the clock goes back") == 1
    assert frame["throughput_per_s"].iloc[1:-1].tolist() == [8] * 4 + [4] * 4
    frame = readers.read(written(tmp_path, text.replace(rows[7], f"{9**20},9,true,3\n", 1)))
    assert "line 9: not a request with its time and response" in notes(frame)


def test_lines_are_those_of_the_file_though_cells_have_line_ends(tmp_path, monkeypatch):
    rows = [f'{EPOCH_MS + 500 * k},{k},true,3,"two\nlines"\n' for k in range(9)]
    rows[6] = 'soon,7,true,3,"two\nlines"\n'
    path = written(tmp_path, "".join(["timeStamp,elapsed,success,allThreads,responseMessage\n", *rows]))
    for size in (1 << 20, 64):
        monkeypatch.setattr(per_second, "_BLOCK", size)
        frame = readers.read(path)
        assert frame["line"].tolist() == [2, 6, 10, 16, 18]
        assert "line 14: not a request" in notes(frame)


def test_lines_of_another_thread_are_told_by_its_file(tmp_path):
    """What the second thread's log has that cannot be read."""
    for name, last in (("log.123", ""), ("log.123.1", "nonsense\n")):
        rows = "".join(f"0 {k} 900 0 {1795445201 + k} 5000\n" for k in range(4))
        written(tmp_path, rows + last, name)
    frame = readers.read(f"{tmp_path}/log.*")
    assert f"{tmp_path}/log.123.1: line 5: not a request with its time and response" in notes(frame)
    assert frame["throughput_tps"].tolist()[1:-1] == [2, 2]


# ---- all requests failed, and no load


def _all_failed(name):
    """The text of a sample in which every request failed."""
    path = SAMPLES / name
    text = path.read_text()
    if name.startswith("autocannon"):
        result = json.loads(text)
        failed = {"5xx": result["requests"]["total"], "4xx": 0, "1xx": 0, "2xx": 0, "3xx": 0}
        return json.dumps(result | failed)
    if name.startswith("vegeta/"):
        report = json.loads(text)
        return json.dumps(report | {"status_codes": {"500": report["requests"]}})
    edits = {
        "jmeter": (",true,", ",false,"),
        "k6/six_users.csv": (",true,", ",false,"),
        "artillery": (r"http\.codes\.200", "http.codes.503"),
        "bombardier": ('"req2xx":812', '"req2xx":0'),
        "fortio": ('"200"', '"503"'),
        "hey/": (r"\[200\]", "[503]"),
        "hey_requests": (",200,", ",500,"),
        "gatling": ("\tOK\t", "\tKO\t"),
        "vegeta_requests/rate_8.csv": (r"(?m)^(\d+),200,", r"\1,500,"),
        "pgbench_transactions": (r"(?m)^(\d+ \d+) \d+ ", r"\1 failed "),
    }
    form, to = next(pair for start, pair in edits.items() if name.startswith(start))
    return re.sub(form, to, text)


@pytest.mark.parametrize("folder", ["wrk", "ab", "h2load", "siege", "bombardier"])
def test_all_requests_failed_as_recorded(folder):
    frame = sample(SAMPLES / folder / "all_failed.txt")
    assert frame["throughput_per_s"].tolist() == [0]
    assert frame["failures"].tolist() == frame["requests"].tolist()
    assert frame.filter(like="response_").isna().all(axis=None)
    assert "all requests failed, so no response time is known" in notes(frame)


@pytest.mark.parametrize("name", ["autocannon/errors.json", "vegeta/rate_450.json", "hey/errors.txt",
                                  "artillery/errors.json", "bombardier/errors.json", "fortio/synthetic.json",
                                  "hey/workers_4.txt", "jmeter/four_threads.jtl", "k6/six_users.csv",
                                  "gatling/loop.log",
                                  "vegeta_requests/rate_8.csv", "pgbench_transactions/one_thread",
                                  "hey_requests/rate_32.csv"])  # fmt: skip
def test_all_requests_failed(tmp_path, name):
    """No throughput and no response time, however fast the error pages were."""
    frame = readers.read(written(tmp_path, _all_failed(name)))
    rate = frame[[column for column in frame if column.startswith("throughput")]].iloc[:, 0]
    assert (rate.dropna() == 0).all()
    assert rate.notna().any()
    assert frame.filter(like="response_").isna().all(axis=None)
    assert frame["failures"].sum() > 0


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("progress: 1.0 s, 0.0 tps, lat NaN ms stddev NaN, 0 failed\n", "throughput_tps"),
        ("1795292860 0 0 0 0 0\n1795292861 0 0 0 0 0\n", "throughput_tps"),
        ("Running 2s test @ http://h/\n  1 threads and 4 connections\n  0 requests in 2.00s, 0.00B read\nRequests/sec:"
         "      0.00\n", "throughput_per_s"),
        ("[ 1s ] thds: 2 tps: 0.00 qps: 0.00 (r/w/o: 0/0/0) lat (ms,95%): 0.00 err/s: 0.00 reconn/s: 0.00\n",
         "throughput_per_s"),
        ('{"fio version": "fio-3.33",\n"jobs": [{"jobname": "a", "job options": {}, "read": {"total_ios": 0}, "write": '
         '{"total_ios": 0}}]}\n', "throughput_per_s"),
        ("users,throughput_per_s\n0,0\n", "throughput_per_s"),
    ],
)  # fmt: skip
def test_no_load(tmp_path, text, column):
    """A rate of 0 is one, and the response of nothing is unknown."""
    frame = readers.read(written(tmp_path, text))
    assert frame[column].iloc[0] == 0
    if "response_s" in frame:
        assert math.isnan(frame["response_s"].iloc[0])


def test_a_run_of_no_requests_has_no_response(tmp_path):
    """wrk prints a latency of 0.00us where nothing was answered."""
    lines = ["Running 1s test @ http://127.0.0.1:1/", "  1 threads and 4 connections"]
    lines += ["    Latency     0.00us    0.00us   0.00us     nan%", "  0 requests in 1.00s, 0.00B read"]
    (tmp_path / "wrk.txt").write_text("\n".join([*lines, "Requests/sec:      0.00", ""]))
    row = readers.read(tmp_path / "wrk.txt").iloc[0]
    assert row["throughput_per_s"] == 0
    assert row[["response_s", "response_sd_s", "response_max_s"]].isna().all()
