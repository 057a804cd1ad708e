"""Logs of single requests by hand: every column of every second, and every note."""

import json
import re
import statistics
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from made import notes, written

from dominoperf.errors import BadTable
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers import per_second, recording

T0 = 1_700_000_000
LAST = "the last second is not whole, so its throughput is unknown"
ENDS = "the first and the last second are not whole, so their throughput is unknown"
NO_REQUEST = "not a request with its time and response; the line is left out"
NO_JSON = "not a result in JSON; the line is left out"
NO_GATLING = "not a line of RUN, USER, REQUEST, GROUP or ERROR as Gatling 3.4 to 3.9 write it; the line is left out"


def quantile(values, share):
    """By linear interpolation between the sorted values."""
    values, place = sorted(values), share * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])


def seconds(rows, began):
    """The frame of rows (second of the clock, line, users, failures, responses); `began` is 0 of a log without one."""
    made, ends = [], {rows[-1][0]} | ({rows[0][0]} if began else set())
    for second, line, users, failures, times in rows:
        moment = datetime.fromtimestamp(began + second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if began else None
        row = [moment, float(second - rows[0][0]), users, None if second in ends else float(len(times))]
        of_times = [statistics.fmean, statistics.median, *(lambda v, s=s: quantile(v, s) for s in (0.95, 0.99)), max]
        row += [of(times) if times else None for of in of_times]
        made.append([*row, float(failures), line])
    frame = pd.DataFrame(made, columns=list(per_second.COLUMNS))
    numbers = frame.columns.difference(["time", "line"])
    frame[numbers] = frame[numbers].astype(float)
    frame["time"] = frame["time"].astype("str").where(frame["time"].notna())
    return frame


def vegeta_line(at, code, took):
    return f"{(T0 * 1000 + at) * 10**6},{code},{took * 10**6},0,0,,,,0,GET,http://x,e30K\n"


def vegeta_json(at, code, took):
    moment = datetime.fromtimestamp(T0 + at / 1000, UTC).isoformat().replace("+00:00", "Z")
    return json.dumps({"attack": "", "seq": 0, "code": code, "timestamp": moment, "latency": took * 10**6}) + "\n"


def hey_line(at, code, took):
    return f"{took / 1000},0,0,0,0,0,{code},{at / 1000}\n"


HEY = "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
# begin in ms, status, response in ms: below 200 and from 400 on they failed
STATUSES = [(100, 200, 300), (700, 199, 400), (900, 399, 600), (1000, 400, 200), (1600, 301, 100), (2000, 200, 0)]
JMETER = "timeStamp,elapsed,label,responseMessage,threadName,success,allThreads\n"
CASES = {
    "jmeter": (
        JMETER + "1700000000000,500,a,OK,T 1,true,1\n"
        "1700000000600,700,a,OK,T 1,TRUE,2\n"
        "1700000001300,100,a,Err,T 1,false,2\n"
        '1700000001000,500,TC,"Number of samples in transaction : 2, of which failed : 1",T 1,false,3\n'
        "1700000001500,1500,a,OK,T 1,true,1\n"
        "1700000003100,200,a,OK,T 1,yes,1\n"
        "soon,1,a,OK,T 1,true,9\n"
        "1700000003500,-5,a,OK,T 1,true,1\n"
        "1700000003600,1000,a,OK,T 1,true,\n"
        "100000000000000,1,a,OK,T 1,true,1\n",
        T0,
        [(0, 2, 1, 0, [0.5]), (1, 3, 2, 1, [0.7]), (2, 3, 2, 0, []), (3, 6, 1, 1, [1.5]), (4, 10, 1, 0, [1.0])],
        [
            f"line 8: {NO_REQUEST}", f"line 9: {NO_REQUEST}", f"line 11: {NO_REQUEST}",
            "1 transactions left out: each is the sum of other requests", ENDS,
        ],
    ),
    "jmeter of transactions alone": (
        JMETER
        + "".join(f"{T0 + k}000,{k + 1}00,TC,Number of samples in transaction : 2,T 1,true,4\n" for k in range(3)),
        T0,
        [(0, 2, 4, 0, [0.1]), (1, 3, 4, 0, [0.2]), (2, 4, 4, 0, [0.3])],
        ["3 transactions and nothing else: each counts as a request", ENDS],
    ),
    "jmeter with the least columns": (
        f"timeStamp,elapsed,success\n{T0}000,1000,true\n{T0}500,1500,false\n{T0}900,100,true\n",
        T0,
        [(1, 2, None, 0, [1.0, 0.1]), (2, 3, None, 1, [])],
        [ENDS],
    ),
    "k6": (
        "metric_name,timestamp,metric_value,status,expected_response\n"
        f"vus,{T0},2,,\nhttp_req_duration,{T0},250,200,true\nvus,{T0 + 1},5,,\n"
        f"http_req_duration,{T0 + 1},100,400,true\nhttp_reqs,{T0 + 1},1,200,true\n"
        f"http_req_duration,{T0 + 1},300,399,true\nhttp_req_duration,{T0 + 1},9,1,FALSE\n"
        f"http_req_duration,{T0 + 1},700,0,true\nhttp_req_duration,{T0 + 2},50,200,\n"
        f"http_req_duration,{T0 + 2},x,200,\n",
        T0,
        [(0, 3, 2, 0, [0.25]), (1, 5, 5, 3, [0.3]), (2, 10, 5, 0, [0.05])],
        [f"line 11: {NO_REQUEST}", ENDS],
    ),
    "vegeta in csv": (
        "".join(vegeta_line(*each) for each in STATUSES),
        T0,
        [(0, 1, None, 0, [0.3]), (1, 2, None, 2, [0.6, 0.1]), (2, 6, None, 0, [0.0])],
        [ENDS],
    ),
    "vegeta in json": (
        "".join(vegeta_json(*each) for each in STATUSES) + '{"attack":"","seq":7}\n',
        T0,
        [(0, 1, None, 0, [0.3]), (1, 2, None, 2, [0.6, 0.1]), (2, 6, None, 0, [0.0])],
        [f"line 7: {NO_JSON}", ENDS],
    ),
    "hey": (
        HEY + "".join(hey_line(*each) for each in STATUSES) + "0.1,0,0,0,0,0,200,later\n",
        0,
        [(0, 2, None, 0, [0.3]), (1, 3, None, 2, [0.6, 0.1]), (2, 7, None, 0, [0.0])],
        [f"line 8: {NO_REQUEST}", LAST],
    ),
    "gatling": (
        f"ASSERTION\tAAEC\n"
        f"RUN\tLoop\tloop\t{T0}000\t \t3.9.5\nUSER\tVisit\tSTART\t{T0}100\nUSER\tVisit\tSTART\t{T0}200\n"
        f"REQUEST\t\tpage\t{T0}150\t{T0}400\tOK\t \nUSER\tVisit\tEND\t{T0}500\n"
        f"REQUEST\t\tpage\t{T0}300\t{T0 + 1}100\tKO\tno\r\nGROUP\tg\t{T0}100\t{T0}900\t800\tOK\n"
        f"REQUEST\t\tpage\t{T0}300\t{T0 + 1}300\tOK\t \nREQUEST\t\tpage\t{T0}300\t{T0 + 1}300\tSO\t \n"
        f"ERROR\tbroken\t{T0 + 1}300\nUSER\tVisit\tPAUSE\t{T0}1\nUSER\tVisit\n"
        f"REQUEST\t\tpage\t{T0 + 1}300\t{T0 + 2}050\tOK\t \nSOMETHING\n",
        T0,
        [(0, 5, 2, 0, [0.25]), (1, 7, 1, 1, [1.0]), (2, 14, 1, 0, [0.75])],
        [*(f"line {line}: {NO_GATLING}" for line in (10, 12, 13, 15)), ENDS],
    ),
}  # fmt: skip


def k6_point(metric, second, value, tags=None):
    moment = datetime.fromtimestamp(T0 + second, UTC).isoformat()
    data = {"time": moment, "value": value} | ({"tags": tags} if tags is not None else {})
    return json.dumps({"metric": metric, "type": "Point", "data": data}) + "\n"


CASES["k6 in json"] = (
    '{"metric":"http_req_duration","type":"Metric","data":{}}\n' + k6_point("vus", 0, 2)
    + k6_point("http_req_duration", 0.25, 250, {"status": "200"}) + k6_point("vus", 1, 5)
    + "".join(k6_point("http_req_duration", 1.5, *each) for each in (
        (100, {"status": "400"}), (300, {"status": "399"}), (9, {"expected_response": "false"}),
        (700, {"status": "0"})))
    + k6_point("http_reqs", 1, 1) + k6_point("vus_max", 1, 9) + k6_point("http_req_duration", 2.5, 50)
    + '{"metric":"http_req_duration","type":"Point"}\n',
    T0,
    [(0, 3, 2, 0, [0.25]), (1, 5, 5, 3, [0.3]), (2, 11, 5, 0, [0.05])],
    [f"line 12: {NO_JSON}", ENDS],
)  # fmt: skip


DROPPED = "iterations that k6 had no virtual user to start for (dropped_iterations) count as failed requests, one each"
CASES["k6 with dropped iterations"] = (
    "metric_name,timestamp,metric_value,status,expected_response\n"
    f"http_req_duration,{T0},250,200,true\ndropped_iterations,{T0},3,,\nhttp_req_duration,{T0 + 1},100,400,true\n"
    f"dropped_iterations,{T0 + 1},27,,\ndropped_iterations,{T0 + 1},0,,\ndropped_iterations,{T0 + 1},-1,,\n"
    f"http_req_duration,{T0 + 2},50,200,true\n",
    T0,
    [(0, 2, None, 3, [0.25]), (1, 4, None, 28, []), (2, 8, None, 0, [0.05])],
    [DROPPED, f"line 7: {NO_REQUEST}", ENDS],
)
CHECKS = "66.7 % of 3 checks failed: k6 calls no request failed for a check, so these count as done"
CASES["k6 with failed checks"] = (
    "metric_name,timestamp,metric_value,status\n"
    + "".join(f"http_req_duration,{T0 + k},250,200\nchecks,{T0 + k},{passed},\n" for k, passed in enumerate((1, 0, 0))),
    T0,
    [(k, 2 + 2 * k, None, 0, [0.25]) for k in range(3)],
    [CHECKS, ENDS],
)
CASES["k6 with failed checks in json"] = (
    "".join(k6_point("http_req_duration", k + 0.5, 250) + k6_point("checks", k + 0.5, passed)
            for k, passed in enumerate((1, 0, 0))),
    T0,
    [(k, 1 + 2 * k, None, 0, [0.25]) for k in range(3)],
    [CHECKS, ENDS],
)  # fmt: skip
CASES["k6 with dropped iterations in json"] = (
    k6_point("http_req_duration", 0.5, 250) + k6_point("dropped_iterations", 0.5, 3)
    + k6_point("dropped_iterations", 1.5, 27) + k6_point("dropped_iterations", 1.5, 0)
    + k6_point("http_req_duration", 2.5, 50),
    T0,
    [(0, 1, None, 3, [0.25]), (1, 3, None, 27, []), (2, 5, None, 0, [0.05])],
    [DROPPED, ENDS],
)  # fmt: skip
CASES["k6 of gRPC in json"] = (
    "".join(
        k6_point("grpc_req_duration", *each)
        for each in ((0.5, 250, {"status": "0"}), (1.5, 100, {"status": "14"}), (1.5, 300, {"status": "0"}), (2.5, 50))
    )
    + k6_point("vus", 2, 7)
    + k6_point("grpc_streams_msgs_sent", 2, 3),
    T0,
    [(0, 1, None, 0, [0.25]), (1, 2, None, 1, [0.3]), (2, 4, 7, 0, [0.05])],
    [ENDS],
)
CASES["k6 of gRPC in csv"] = (
    "metric_name,timestamp,metric_value,status\n"
    + "".join(f"grpc_req_duration,{T0 + s},{took},{status}\n" for s, took, status in (
        (0, 250, 0), (1, 100, 14), (1, 300, 0), (2, 50, "")))
    + f"vus,{T0 + 2},7,\n",
    T0,
    [(0, 2, None, 0, [0.25]), (1, 3, None, 1, [0.3]), (2, 5, 7, 0, [0.05])],
    [ENDS],
)  # fmt: skip


def test_times_of_k6_that_are_no_seconds_are_refused(tmp_path):
    """K6_CSV_TIME_FORMAT=rfc3339, and unix_milli."""
    plain = CASES["k6"][0]
    for text in (
        re.sub(r",(170000000\d),", r",2023-11-14T22:13:20Z,", plain),
        re.sub(r",(170000000\d),", r",\g<1>000,", plain),
    ):
        with pytest.raises(BadTable, match=r"in seconds since 1970, found .* Run k6 without K6_CSV_TIME_FORMAT"):
            readers.read(written(tmp_path, text))


@pytest.mark.parametrize("version", ["2.3.0", "3.3.1"])
def test_a_log_of_an_older_gatling_is_refused(tmp_path, version):
    """Its lines have other columns."""
    text = f"RUN\tSim\tsim\t1700000000000\t \t{version}\nUSER\tscn\t0\tSTART\t1700000000000\t1700000000000\n"
    with pytest.raises(BadTable, match=rf"line 1: .* log of Gatling 3.4 to 3.9, found one of Gatling {version}"):
        readers.read(written(tmp_path, text))


@pytest.mark.parametrize("name", CASES)
def test_a_log_by_hand(tmp_path, name):
    """Each second with its users, requests, failures and response times; the notes in order."""
    text, began, rows, told = CASES[name]
    frame = readers.read(written(tmp_path, text), responses=True)
    responses = [sorted(times) for times in frame.pop("responses_s")]
    assert responses == [pytest.approx(sorted(times)) for *_, times in rows]
    expected = seconds(rows, began)
    pd.testing.assert_frame_equal(frame, expected, rtol=1e-9, check_dtype=False)
    empty = [column for column in expected if expected[column].isna().all()]
    reader = readers.READERS[frame.attrs["reader"]]
    listed = ", ".join(column for column in reader.columns if column in empty or column not in frame)
    lacking = ", ".join(column for column in per_second.COLUMNS if column in empty)
    assert frame.attrs["notes"] == [*told, *([f"the file has no values of {lacking}"] if lacking else [])]
    assert listed == ", ".join(column for column in empty if column in reader.columns)


@pytest.mark.parametrize("name", CASES)
def test_blocks_change_nothing(tmp_path, monkeypatch, name):
    """A log that is read a few lines at a time; transactions are held back until another line comes."""
    text = CASES[name][0]
    if name == "jmeter":
        first, *others = text.splitlines(keepends=True)
        text = "".join([first, others[3], *others[:3], *others[4:]])
    path = written(tmp_path, text)
    whole = readers.read(path)
    monkeypatch.setattr(per_second, "_BLOCK", 200)
    monkeypatch.setattr(per_second, "_PIECE", 10)
    parted = readers.read(path)
    pd.testing.assert_frame_equal(parted, whole)
    assert parted.attrs == whole.attrs


def test_lines_of_cells_that_have_line_ends(tmp_path, monkeypatch):
    """A message of two lines, in any block; the last one has no line end and is left out."""
    lines = [f'{T0 + k}000,100,a,"O\nK",T 1,true,1\n' for k in range(4)]
    text = "\ufeff" + JMETER + "".join(lines) + "1700000009000,1,a,OK"
    for size in (per_second._BLOCK, 98, 136):
        monkeypatch.setattr(per_second, "_BLOCK", size)
        monkeypatch.setattr(per_second, "_PIECE", 7)
        frame = readers.read(written(tmp_path, text))
        assert frame["line"].tolist() == [2, 4, 6, 8]
        assert frame["time_s"].tolist() == [0, 1, 2, 3]
        assert notes(frame) == f"line 10: no line end, so the file may be cut off here; the line is left out\n{ENDS}"


def test_what_is_no_log(tmp_path, monkeypatch):
    """Columns that are missing, by a reader that is named; lines too long for a block; a header alone."""
    path = written(tmp_path, "timeStamp,label\n1,a\n")
    with pytest.raises(BadTable) as caught:
        readers.read(path, "jmeter")
    assert str(caught.value) == (
        f"{path}, line 1: expected the columns timeStamp, elapsed, success, "
        "found no elapsed, success among timeStamp, label. "
        "Give the file as the tool wrote it, or name another reader."
    )
    monkeypatch.setattr(per_second, "_BLOCK", 100)
    with pytest.raises(BadTable) as caught:
        readers.read(written(tmp_path, JMETER + "x" * 300))
    assert "line 2: expected lines of text, found none that ends within 100 bytes. Look at it." in str(caught.value)
    with pytest.raises(BadTable, match="expected rows as jmeter reads them"):
        readers.read(written(tmp_path, JMETER))
    monkeypatch.setattr(per_second, "_BLOCK", len(JMETER))
    monkeypatch.setattr(per_second, "_PIECE", 1)
    with pytest.raises(BadTable, match=r"line 2: expected lines of CSV, found .*Mend the lines after it"):
        readers.read(written(tmp_path, JMETER + "1\n" * 40), "jmeter")


JTL = (
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,"
    "grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"
)
JTL += "".join(
    f"{T0}{ms},{took},page,200,OK,T 1-{k},text,{good},,9,9,3,{alive},http://x,5,0,1\n"
    for k, (ms, took, good, alive) in enumerate(
        [("000", 300, "true", 2), ("400", 600, "false", 3), ("900", 1100, "true", 1)]
    )
)


@pytest.mark.parametrize("text", [JTL.replace(",", ";"), JTL.replace(",", "|").replace("\n", "\r\n")])
def test_another_delimiter_of_jmeter_changes_no_number(tmp_path, text):
    plain = readers.read(written(tmp_path, JTL), responses=True)
    frame = readers.read(written(tmp_path, text), responses=True)
    assert frame.attrs["reader"] == "jmeter"
    pd.testing.assert_frame_equal(frame, plain)
    assert frame["users"].tolist() == [2, 3, 1]


@pytest.mark.parametrize("form", ["%Y/%m/%d %H:%M:%S.{ms}", "%Y-%m-%dT%H:%M:%S.{ms}", "%Y-%m-%dT%H:%M:%S.{ms}Z"])
def test_dates_of_jmeter_are_its_milliseconds(tmp_path, form):
    """The recorded log with its times as dates has the same rows."""
    log = next((ROOT / "tests" / "samples" / "jmeter").glob("*.jtl"))

    def date(match):
        at = datetime.fromtimestamp(int(match[0]) / 1000, UTC)
        return at.strftime(form).format(ms=match[0][-3:])

    text = re.sub(r"(?m)^\d{13}", date, log.read_text(encoding="utf-8"))
    frame, plain = readers.read(written(tmp_path, text), responses=True), readers.read(log, responses=True)
    assert len(plain) == 4
    pd.testing.assert_frame_equal(frame, plain)


@pytest.mark.parametrize("date", ["2023/11/14 22:13:20", "14/11/2023 22:13:20.000"])
def test_other_dates_of_jmeter_are_refused(tmp_path, date):
    """Whole seconds are too coarse for requests; and where the year is last the day may be the month."""
    dates = re.sub(rf"(?m)^{T0}\d+", date, JTL)
    with pytest.raises(BadTable, match=rf"line 2: expected times in ms since 1970.* found '{date}'.*=ms.*HH:mm:ss.SSS"):
        readers.read(written(tmp_path, dates))


def test_requests_that_are_logged_with_their_transaction_set_no_clock_back(tmp_path):
    """With "Generate parent sample" those of 15 s come after others that ended meanwhile; else a clock was set back."""

    def transaction(at, took, *requests):
        """A transaction, and its requests after it."""
        lines = [(at, took, "Number of samples in transaction : 2"), *((*request, "OK") for request in requests)]
        return "".join(f"{T0 * 1000 + at},{took},Buy,{message},T 1,true,2\n" for at, took, message in lines)

    text = f"{JMETER}{T0 + 15}000,300,Home,OK,T 2,true,2\n" + transaction(5000, 15_000, (5000, 300), (19_000, 1000))
    frame = readers.read(written(tmp_path, text), responses=True)
    assert sum(map(len, frame["responses_s"])) == 3
    assert "clock" not in notes(frame)
    back = readers.read(written(tmp_path, text + transaction(3000, 800, (3000, 500))))
    assert "the clock goes back by 16 s" in notes(back)


SUB_SAMPLES = (
    "timeStamp,elapsed,label,responseMessage,threadName,success,allThreads\n"
    "1700000000000,600,Login,OK,T 1,true,2\n"
    "1700000000000,150,Login-0,Found,T 1,true,2\n"
    "1700000000150,450,Login-1,OK,T 1,true,2\n"
    "1700000000200,100,Login-1-0,Found,T 1,true,2\n"
    "1700000000300,200,Login-1-1,OK,T 1,true,2\n"
    "1700000000800,400,Page-1,OK,T 1,true,2\n"  # two whose labels only end in a number
    "1700000001200,400,Page,OK,T 1,true,2\n"
    '1700000001300,900,Buy,"Number of samples in transaction : 1",T 1,true,2\n'
    "1700000001600,400,Buy-0,OK,T 1,true,2\n"  # the request that the transaction is the sum of
    "1700000001700,500,Login,OK,T 2,false,2\n"
    "1700000001700,50,Login-0,Found,T 2,true,2\n"
    "1700000002000,100,Page,OK,T 1,true,2\n"
)


def read_in_blocks(path, monkeypatch, size):
    """The file with the response times of its requests, in blocks of so many bytes; without a size in one."""
    if size:
        monkeypatch.setattr(per_second, "_BLOCK", size)
        monkeypatch.setattr(per_second, "_PIECE", 10)
    return readers.read(path, responses=True)


def sorted_times(frame):
    """The response times of each second, to the millisecond that JMeter writes."""
    return [sorted(round(float(time), 9) for time in times) for times in frame["responses_s"]]


@pytest.mark.parametrize("size", [None, 250, 400])
def test_sub_samples_of_jmeter_are_parts_of_their_parents(tmp_path, monkeypatch, size):
    """By label, also in another block of the file than the first parent, and without the column threadName."""
    for text in (SUB_SAMPLES, re.sub(r",T \d,|,threadName,", ",", SUB_SAMPLES)):
        frame = read_in_blocks(written(tmp_path, text), monkeypatch, size)
        assert sorted_times(frame) == [[0.6], [0.4, 0.4], [0.1, 0.4]]
        assert frame["failures"].tolist() == [0, 0, 1]
        assert frame.attrs["notes"] == [
            "5 sub-samples left out (redirects, embedded resources, X-0 beside X): each is a part of another request",
            "1 transactions left out: each is the sum of other requests",
            ENDS,
        ]


def of_threads(requests, alive):
    """A log of JMeter of requests (thread, begin in s, end in s), in order of their ends."""
    rows = sorted(requests, key=lambda request: request[2])
    lines = [f"{T0 * 1000 + 1000 * a:.0f},{1000 * (b - a):.0f},a,OK,{name},true,{alive}\n" for name, a, b in rows]
    return JMETER + "".join(lines)


def test_threads_at_work_by_their_names(tmp_path):
    """B may have only paused before its first request, no longer than twice as between two.

    C, D and E had not begun yet. D ends in second 3; B may have paused again before the end of the log.
    """
    requests = [("A", 0, 0.5), ("A", 1.0, 1.5), ("A", 4.0, 5.5), ("B", 1.2, 1.4), ("B", 2.1, 4.4)]
    requests += [("C", 2.1, 2.2), ("C", 2.3, 5.4), ("D", 2.5, 2.6), ("D", 3.2, 3.9), ("E", 2.5, 2.55), ("E", 3.55, 5.3)]
    frame = readers.read(written(tmp_path, of_threads(requests, 1)))
    assert frame["users"].tolist() == [2, 2, 5, 5, 4, 4]
    told = "5 threads are at work at once by their names, where allThreads says 1"
    assert f"{told}: a file of several JMeter (-r), whose users are added up" in frame.attrs["notes"]
    assert frame["throughput_per_s"].tolist()[1:-1] == [2, 3, 1, 1]
    assert frame["failures"].sum() == 0
    assert frame["line"].tolist() == [2, 3, 5, 8, 9, 10]


@pytest.mark.parametrize(("threads", "told"), [(21, False), (22, True)])
def test_how_many_threads_too_many_are_those_of_others(tmp_path, threads, told):
    """21 of 20 is within 5 %: a thread may begin as another ends."""
    requests = [(f"T {k}", k / 100, 2 + k / 100) for k in range(threads)] + [("T 0", 3, 4)]
    frame = readers.read(written(tmp_path, of_threads(requests, 20)))
    assert ("by their names" in notes(frame)) == told
    assert frame["users"].max() == (threads if told else 20)


def test_threads_one_after_the_other_are_not_at_work_at_once(tmp_path):
    """A thread of JMeter that does its requests within 20 ms and ends makes room for the next: 2 users, not 50."""
    requests = [(f"T {k}", k / 50, k / 50 + 0.02) for k in range(140)] + [("All", 0, 2.9)]
    frame = readers.read(written(tmp_path, of_threads(requests, 2)))
    assert frame["users"].tolist() == [2, 2, 2]
    assert frame.attrs["notes"] == [ENDS]
    both = readers.read(written(tmp_path, of_threads(requests, 1)))  # each of two JMeter counts its own
    assert both["users"].tolist() == [2, 2, 2]
    assert "2 threads are at work at once by their names, where allThreads says 1" in notes(both)


def test_a_request_of_0_ms_may_begin_as_the_next_one_does(tmp_path):
    """A script of JMeter that takes no time, then a request in the same millisecond: one thread, one JMeter."""
    requests = [(f"T {k}", k / 100, k / 100 + length) for k in range(90) for length in (0, 0.38)]
    frame = readers.read(written(tmp_path, of_threads(requests, 90)))
    assert "began before" not in notes(frame)


@pytest.mark.parametrize(
    ("count", "early", "told"), [(199, 0.003, True), (200, 0.003, False), (199, 0.001, False), (20, 0.003, True)]
)
@pytest.mark.parametrize("messages", [True, False])
def test_how_many_requests_of_a_thread_at_once_are_those_of_two(tmp_path, count, early, told, messages):
    """1 of 199 is more than a half per cent; times of a log may be wrong by 2 ms."""
    requests = [("T 1", k, k + 1) for k in range(count)]
    requests[1] = ("T 1", 1 - early, 2)
    text = of_threads(requests, 1)
    text = text if messages else text.replace("responseMessage", "responseText")
    frame = readers.read(written(tmp_path, text))
    why = "" if messages else "; or transactions, which only the column responseMessage tells from requests"
    note = (
        f"1 of {count} requests began before the last one of their thread had ended: logs of several JMeter in one, "
        f"whose threads have the same names, so that users are counted too few{why}. Give the log of each JMeter as a "
        "file, to be added up"
    )
    assert [note] * told == [each for each in frame.attrs["notes"] if "began before" in each]
    assert [each.kind for each in frame.attrs["notes"] if "began before" in each] == ["names"] * told


@pytest.mark.parametrize("again", [1, 2])
def test_requests_that_are_there_twice_are_refused(tmp_path, again):
    """Two listeners with one file name wrote all of them, or some; a thread cannot make two equal requests at once."""
    requests = [("T 1", k, k + 0.5) for k in range(20)]
    with pytest.raises(
        BadTable, match=rf"found {20 // again} of {20 + 20 // again} requests again.*Give the file of one"
    ):
        readers.read(written(tmp_path, of_threads(requests + requests[::again], 1)))
    at_no_time = [("T 1", k, k) for k in range(20) for _ in range(2)]
    assert len(readers.read(written(tmp_path, of_threads(at_no_time, 1)))) == 20


def test_sub_samples_with_an_address_as_label_are_refused(tmp_path):
    """JMeter before 5, or with subresults.disable_renaming: nothing says for sure whose part they are."""
    pages = [f"{T0 + k}000,600,Page,OK,T 1,true,1\n" for k in range(6)]
    parts = [f"{T0 + k}{at},200,http://x/{at}.css,OK,T 1,true,1\n" for k in range(6) for at in (100, 400)]
    with pytest.raises(BadTable, match=r"found 12 of 18 requests, whose label is an address.*disable_renaming=false"):
        readers.read(written(tmp_path, JMETER + "".join(sorted(pages + parts))))
    plain = readers.read(written(tmp_path, JMETER + "".join(pages + [part.replace("T 1", "T 2") for part in parts])))
    assert plain["throughput_per_s"].tolist()[1:-1] == [3] * 4


@pytest.mark.parametrize(("back", "told"), [(2, False), (3, True)])
def test_a_clock_that_goes_back_between_blocks(tmp_path, monkeypatch, back, told):
    """The last request of a block and the first of the next are neighbours."""
    text = "".join(vegeta_line(1000 * at, 200, 100) for at in (0, 5, 5 - back, 6))
    monkeypatch.setattr(per_second, "_BLOCK", len(text) // 4)
    monkeypatch.setattr(per_second, "_PIECE", 10)
    frame = readers.read(written(tmp_path, text))
    note = f"line 3: the clock goes back by {back} s: another run, or a clock that was set"
    assert [f"{note}; what ended in the same second is added up"] * told == [
        each for each in frame.attrs["notes"] if "clock" in each
    ]
    assert frame["throughput_per_s"].sum() == 2
    assert frame["time_s"].tolist() == [*range(7)]


def test_seconds_of_rows_by_brute_force():
    """Any order of requests and users: each whole second with its own, from the first to the last."""
    random = np.random.default_rng(4)
    ended, failed = random.uniform(2e9, 2e9 + 30, 200), random.random(200) < 0.2
    ended = ended[(ended < 2e9 + 10) | (ended > 2e9 + 13)]
    count = len(ended)
    response, users_at, users = (
        random.random(count),
        random.uniform(2e9, 2e9 + 30, 50),
        random.integers(1, 90, 50) * 1.0,
    )
    source = recording.Recording("x")
    users[3] = np.nan
    parts = [slice(0, 50), slice(50, None)]
    lines = np.arange(count) + 1
    blocks = [
        per_second.Requests(lines[p], ended[p], response[p], failed[:count][p], users_at[p], users[p]) for p in parts
    ]
    rows, alive = [], np.nan
    for second in range(int(ended.min()), int(ended.max()) + 1):
        here, there = np.floor(ended) == second, (np.floor(users_at) == second) & np.isfinite(users)
        alive = users[there].max() if there.any() else alive
        line = lines[here].min() if here.any() else rows[-1][1]
        rows.append((second, line, alive, failed[:count][here].sum(), response[here & ~failed[:count]].tolist()))
    expected = seconds([(second - rows[0][0], *rest) for second, *rest in rows], rows[0][0])
    found = pd.DataFrame(per_second.rows_per_second(source, iter(blocks)))[list(per_second.COLUMNS)]
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert list(per_second.rows_per_second(source, iter([]))) == []
