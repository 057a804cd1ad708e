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

TEXTS = [path for path in FORMS if path.suffix != ".parquet"]


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
        "hey/": (r"\[200\]", "[503]"),
        "k6_summary/full": (r"[\d.]+% +(\d+) out of (\d+)", r"100.00% \2 out of \2"),
        "bombardier/connections_4.txt": (
            r"2xx - (\d+), 3xx - 0, 4xx - 0, 5xx - \d+",
            r"2xx - 0, 3xx - 0, 4xx - 0, 5xx - \1",
        ),
        "bombardier/connections_4.json": ('"req2xx":(\\d+)', r'"req2xx":0,"req5xx":\1,"_":0'),
        "hey_requests": (",200,", ",500,"),
        "gatling": ("\tOK\t", "\tKO\t"),
        "vegeta_requests/rate_8.csv": (r"(?m)^(\d+),200,", r"\1,500,"),
        "pgbench_transactions": (r"(?m)^(\d+ \d+) \d+ ", r"\1 failed "),
    }
    form, to = next(pair for start, pair in edits.items() if name.startswith(start))
    return re.sub(form, to, text)


@pytest.mark.parametrize("name", ["autocannon/errors.json", "vegeta/rate_450.json", "hey/errors.txt",
                                  "artillery/errors.json", "k6_summary/full.txt", "bombardier/connections_4.txt",
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
        ("[ 1s ] thds: 2 tps: 0.00 qps: 0.00 (r/w/o: 0/0/0) lat (ms,95%): 0.00 err/s: 0.00 reconn/s: 0.00\n",
         "throughput_per_s"),
        ("users,throughput_per_s\n0,0\n", "throughput_per_s"),
    ],
)  # fmt: skip
def test_no_load(tmp_path, text, column):
    """A rate of 0 is one, and the response of nothing is unknown."""
    frame = readers.read(written(tmp_path, text))
    assert frame[column].iloc[0] == 0
    if "response_s" in frame:
        assert math.isnan(frame["response_s"].iloc[0])
