"""Reports of whole runs by hand: every value of every run, every note, every refusal."""

import json

import pytest
from made import about, notes, read_whole, written
from test_ingest import SAMPLES

from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers

MIXED = "the response times are of all requests, those that failed among them"
NO_RESPONSE = "all requests failed, so no response time is known"
NOT_ENDED = "a run without its requests per second: it had not ended"
WRK_HEAD = "Running 10s test @ http://x\n  2 threads and 100 connections\n"
WRK_TIMES = (
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   533.37us    2.50ms   1.50s   84.03%\n"
    "    Req/Sec     5.43k     1.03k    7.12k    65.00%\n"
)
WRK_PLACES = "  Latency Distribution\n     50%    1.46ms\n     75%    7.95ms\n     99%    1.20m\n"
WRK = {"users": 100.0, "threads": 2.0, "response_s": 0.00053337, "response_sd_s": 0.0025, "response_max_s": 1.5}
AB = (
    "This is ApacheBench, Version 2.3\nConcurrency Level:      4\nTime taken for tests:   2.5 seconds\n"
    "Complete requests:      200\nFailed requests:        150\n{0}Requests per second:    80.00 [#/sec] (mean)\n"
    "Time per request:       50.000 [ms] (mean)\nTime per request:       12.500 [ms] (mean, across all requests)\n"
    "Total:          0    7   2.5      9      90\n  50%     40\n  66%     45\n  95%     60\n  99%     80\n"
    " 100%     90 (longest request)\n"
)
AB_ROW = {"users": 4.0, "test_time_s": 2.5, "requests": 200.0, "response_s": 0.05, "response_sd_s": 0.0025,
          "response_median_s": 0.04, "response_p95_s": 0.06, "response_p99_s": 0.08, "response_max_s": 0.09,
          "line": 1}  # fmt: skip
HEY = (
    "\nSummary:\n  Total:\t2.5 secs\n  Slowest:\t0.9 secs\n  Fastest:\t0.1 secs\n  Average:\t0.5 secs\n"
    "  Requests/sec:\t80.0\n\nLatency distribution:\n  50% in 0.4 secs\n  95%% in 0.6 secs\n  99% in 0.8 secs\n\n"
    "Status code distribution:\n"
)
HEY_ROW = {"test_time_s": 2.5, "response_max_s": 0.9, "response_s": 0.5, "response_median_s": 0.4,
           "response_p95_s": 0.6, "response_p99_s": 0.8, "line": 2}  # fmt: skip
OTHER_LENGTH = (
    "answers of another length than the first, which ab calls failed, are done requests here: a page that changes has "
    "such answers"
)
SYSBENCH = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nNumber of threads: 2\n"
LATENCY = "Latency (ms):\n         min:  1.5\n         avg:  27.5\n         max:  1047.5\n"
INTERVAL = "[ {0}s ] thds: {1} tps: {2} qps: 9.44 (r/w/o: 1/4/2) lat (ms,{3}%): {4}"
TEXTS = {
    "wrk with failures of all kinds, one that had not ended, and one of no request": (
        f"{WRK_HEAD}{WRK_TIMES}{WRK_PLACES}  1000 requests in 9.50s, 7.27MB read\n"
        "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 250\n"
        f"Requests/sec:    100.00\nTransfer/sec:      3.60MB\n{WRK_HEAD}{WRK_TIMES}  10 requests in 1.00h, \n"
        f"{WRK_HEAD}    Latency   0.00us    0.00us   0.00us    -nan%\n  0 requests in 2.00m, 0.00B read\n"
        "Requests/sec:      0.00\n"
        f"{WRK_HEAD}{WRK_TIMES}  40 requests in 2.00s, \n  Non-2xx or 3xx responses: 40\nRequests/sec:      20.00\n"
        f"{WRK_HEAD}    Latency   .s    2.50ms   1.50s   84.03%\n  40 requests in 2.00s, \nRequests/sec:      20.00\n",
        "wrk",
        [
            WRK | {"test_time_s": 9.5, "requests": 1000.0, "failures": 260.0, "throughput_per_s": 75.0, "line": 1,
                   "response_median_s": 0.00146, "response_p99_s": 72.0},
            {"users": 100.0, "threads": 2.0, "test_time_s": 3600.0, "requests": 10.0, "line": 15},
            {"users": 100.0, "threads": 2.0, "test_time_s": 120.0, "requests": 0.0, "failures": 0.0,
             "throughput_per_s": 0.0, "line": 21},
            {"users": 100.0, "threads": 2.0, "test_time_s": 2.0, "requests": 40.0, "failures": 40.0,
             "throughput_per_s": 0.0, "line": 26},
            {"users": 100.0, "threads": 2.0, "test_time_s": 2.0, "requests": 40.0, "failures": 0.0,
             "throughput_per_s": 20.0, "response_sd_s": 0.0025, "response_max_s": 1.5, "line": 34},
        ],
        ["line 36: not a number; the line is left out", f"line 1: {MIXED}", f"line 15: {NOT_ENDED}",
         f"line 26: {NO_RESPONSE}"],
    ),
    "wrk2": (
        f"{WRK_HEAD}{WRK_TIMES} 50.000%    1.03ms\n 99.000%    8.42ms\n\n       5.119     0.950000        1140  20.00\n"
        "  40 requests in 2.00s, \nRequests/sec:      20.00\n",
        "wrk",
        [WRK | {"test_time_s": 2.0, "requests": 40.0, "failures": 0.0, "throughput_per_s": 20.0, "line": 1,
                "response_median_s": 0.00103, "response_p95_s": 0.005119, "response_p99_s": 0.00842}],
        [],
    ),
    "ab": (AB.format(""), "ab", [AB_ROW | {"failures": 0.0, "throughput_per_s": 80.0}], []),
    "ab with failures of all kinds": (
        AB.format("   (Connect: 5, Receive: 50, Length: 50, Exceptions: 60)\nNon-2xx responses:      30\n"), "ab",
        [AB_ROW | {"failures": 95.0, "throughput_per_s": 48.0}], [f"line 1: 50 {OTHER_LENGTH}", f"line 1: {MIXED}"],
    ),
    "ab with fewer exceptions than were cut": (
        AB.format("   (Connect: 5, Receive: 50, Length: 50, Exceptions: 40)\n"), "ab",
        [AB_ROW | {"failures": 55.0, "throughput_per_s": 60.0}], [f"line 1: 50 {OTHER_LENGTH}", f"line 1: {MIXED}"],
    ),
    "ab whose connections alone failed": (
        AB.format("   (Connect: 5, Receive: 0, Length: 0, Exceptions: 0)\n"), "ab",
        [AB_ROW | {"failures": 5.0, "throughput_per_s": 80.0}], [],
    ),
    "hey": (
        f"{HEY}  [200]\t150 responses\n  [301]\t10 responses\n  [199]\t5 responses\n  [400]\t15 responses\n\n"
        "Error distribution:\n  [20]\tGet http://x: refused\n",
        "hey",
        [HEY_ROW | {"requests": 200.0, "failures": 40.0, "throughput_per_s": 64.0}], [f"line 2: {MIXED}"],
    ),
    "hey without a failure": (
        f"{HEY}  [399]\t150 responses\n\n", "hey",
        [HEY_ROW | {"requests": 150.0, "failures": 0.0, "throughput_per_s": 80.0}], [],
    ),
    "hey whose codes are cut off": (
        f"{HEY}  [200]\t150 responses\n\n{HEY}  [200]\t150 responses\n", "hey",
        [HEY_ROW | {"requests": 150.0, "failures": 0.0, "throughput_per_s": 80.0}, {"test_time_s": 2.5, "line": 18}],
        ["line 18: the counts of status codes are not whole: no throughput", f"line 18: {NOT_ENDED}"],
    ),
    "sysbench of a database": (
        f"{SYSBENCH}    transactions:                        289    (72.5 per sec.)\n"
        "    ignored errors:                      10     (2.52 per sec.)\n    total time:                 3.9728s\n"
        f"    total number of events:              299\n{LATENCY}         99th percentile:  995.5\n",
        "sysbench_summary",
        [{"users": 2.0, "test_time_s": 3.9728, "requests": 289.0, "failures": 10.0, "throughput_per_s": 72.5,
          "response_s": 0.0275, "response_p99_s": 0.9955, "response_max_s": 1.0475, "line": 1}],
        [],
    ),
    "sysbench of a processor, and one that had not ended": (
        f"{SYSBENCH}    events per second:  2286.5\n    total time:  1.5s\n    total number of events: 2294\n{LATENCY}"
        f"         95th percentile:  8.25\n{SYSBENCH}{LATENCY}",
        "sysbench_summary",
        [{"users": 2.0, "test_time_s": 1.5, "requests": 2294.0, "throughput_per_s": 2286.5, "response_s": 0.0275,
          "response_p95_s": 0.00825, "response_max_s": 1.0475, "line": 1}, {"users": 2.0, "line": 12}],
        [f"line 12: {NOT_ENDED}"],
    ),
    "intervals of sysbench, of two runs": (
        f"{SYSBENCH}{INTERVAL.format(1, 4, 100.5, 95, 29.5)} err/s: 5.98 reconn/s: 0.00\n[ 2s ] thds: x\n"
        "[ 2s ] queue length: 7, concurrency: 4\nother\n"
        f"{INTERVAL.format(3, 4, 101.5, 99, 29.5)}\n{INTERVAL.format(3, 8, 200.5, 95, 19.5)} err/s: 0.00\n"
        f"{INTERVAL.format(4, 8, 201.5, 95, 19.5)}\n{INTERVAL.format(0.5, 9, 20.5, 95, 1)}\n",
        "sysbench",
        [{"time_s": 0.0, "users": 4.0, "throughput_per_s": 100.5, "response_p95_s": 0.0295, "failures_per_s": 5.98,
          "line": 4},
         {"time_s": 2.0, "users": 4.0, "throughput_per_s": 101.5, "line": 8},
         {"time_s": 0.0, "users": 8.0, "throughput_per_s": 200.5, "response_p95_s": 0.0195, "failures_per_s": 0.0,
          "line": 9},
         {"time_s": 1.0, "users": 8.0, "throughput_per_s": 201.5, "response_p95_s": 0.0195, "line": 10},
         {"time_s": 0.0, "users": 9.0, "throughput_per_s": 20.5, "response_p95_s": 0.001, "line": 11}],
        ["line 5: not an interval as sysbench prints it; the line is left out"],
    ),
    "percentiles of ab": (
        "Percentage served,Time in ms\n0,0.1\n50,2.5\n51,x\n95,5.5\n99,9.5\nhalf,1\n100,20.5\n", "ab_percentiles",
        [{"response_median_s": 0.0025, "response_p95_s": 0.0055, "response_p99_s": 0.0095, "response_max_s": 0.0205,
          "line": 1}],
        [f"line {line}: not a percentage and a time; the line is left out" for line in (4, 7)],
    ),
}  # fmt: skip
VEGETA = {
    "latencies": {"mean": 5e8, "50th": 4e8, "95th": 6e8, "99th": 8e8, "max": 9e8, "total": 1}, "duration": 2e9,
    "wait": 5e8, "requests": 100, "status_codes": {"200": 60, "399": 10, "199": 5, "400": 15, "0": 10},
}  # fmt: skip
TIMES = {
    "response_s": 0.5,
    "response_median_s": 0.4,
    "response_p95_s": 0.6,
    "response_p99_s": 0.8,
    "response_max_s": 0.9,
}
VEGETA_ROW = TIMES | {"test_time_s": 2.5, "requests": 100.0, "failures": 30.0, "throughput_per_s": 28.0}
AUTOCANNON = {
    "connections": 24, "pipelining": 1, "workers": 3, "duration": 2.5, "non2xx": 1, "1xx": 1, "2xx": 40, "3xx": 9,
    "4xx": 5, "5xx": 6, "errors": 7, "requests": {"total": 68},
    "latency": {"mean": 500, "stddev": 250, "p50": 400, "p99": 800, "max": 900},
}  # fmt: skip
AUTOCANNON_ROW = {
    "users": 24.0, "threads": 3.0, "test_time_s": 2.5, "requests": 68.0, "failures": 18.0, "throughput_per_s": 20.0,
    "response_s": 0.5, "response_sd_s": 0.25, "response_median_s": 0.4, "response_p99_s": 0.8, "response_max_s": 0.9,
    "line": 1,
}  # fmt: skip
OHA = {
    "summary": {"successRate": 1.0, "total": 2.5, "slowest": 0.9, "average": 0.5, "requestsPerSec": 40},
    "latencyPercentiles": {"p50": 0.4, "p95": 0.6, "p99": 0.8},
    "statusCodeDistribution": {"200": 60, "399": 10, "199": 5, "400": 15},
    "errorDistribution": {"refused": 10, "aborted due to deadline": 4},
}  # fmt: skip
NOTHING = {
    "summary": {"successRate": None, "total": 2.5, "slowest": None, "average": None, "requestsPerSec": 0},
    "latencyPercentiles": {"p50": None, "p95": None, "p99": None}, "statusCodeDistribution": {},
    "errorDistribution": {},
}  # fmt: skip


def of_fio(operations, iops, mean, longest, runtime=0, **more):
    """One direction of a job of fio; times in ns, but the run's in ms."""
    lat = {"mean": mean, "max": longest, "stddev": 250_000_000.0}
    return {"total_ios": operations, "iops": iops, "runtime": runtime, "lat_ns": lat, "clat_ns": {}} | more


NO_WAY = of_fio(0, 0.0, 0.0, 0)
PLACES = {"percentile": {"50.000000": 400_000_000, "95.000000": 600_000_000, "99.000000": 800_000_000}}
READS = of_fio(100, 40.0, 5e8, 900_000_000, 2500, clat_ns=PLACES)
WRITES = of_fio(300, 120.0, 1e8, 950_000_000, 2400)
FIO = {
    "fio version": "fio-3.33",
    "global options": {"ioengine": "libaio", "iodepth": "8"},
    "jobs": [
        {"jobname": "a", "groupid": 0, "job options": {"numjobs": "4"}, "read": READS, "write": NO_WAY},
        {
            "jobname": "b", "groupid": 1, "job options": {"numjobs": "2", "iodepth": "3"}, "read": NO_WAY,
            "write": of_fio(10, 4.0, 1e8, 2e8, 2500),
        },
        {
            "jobname": "b", "groupid": 1, "job options": {"numjobs": "2", "ioengine": "psync"}, "read": READS,
            "write": WRITES,
        },
        {"jobname": "c", "groupid": 2, "read": NO_WAY, "write": NO_WAY},
    ],
}  # fmt: skip
FIO_ROWS = [
    {"workload": "a", "users": 32.0, "test_time_s": 2.5, "requests": 100.0, "throughput_per_s": 40.0, "response_s": 0.5,
     "response_max_s": 0.9, "response_sd_s": 0.25, "response_median_s": 0.4, "response_p95_s": 0.6,
     "response_p99_s": 0.8, "line": 2},
    # the two of a group: 10 operations of 0.1 s, and 100 of 0.5 s with 300 of 0.1 s
    {"workload": "b", "users": 3.0 + 1.0, "test_time_s": 2.5, "requests": 410.0, "throughput_per_s": 164.0,
     "response_s": 81 / 410, "response_max_s": 0.95, "line": 2},
    {"requests": 0.0, "throughput_per_s": 0.0, "line": 2},
]  # fmt: skip
VEGETA_TEXT = """\
Requests      [total, rate, throughput]         100, 40.40, 28.01
Duration      [total, attack, wait]             2.5s, 2.475s, 25ms
Latencies     [min, mean, 50, 90, 95, 99, max]  850.5µs, 500ms, 400ms, 450ms, 600ms, 0.8s, 900000µs
Bytes In      [total, mean]                     7000, 70.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           70.00%
Status Codes  [code:count]                      0:10  199:5  200:60  399:10  400:15
Error Set:
400 Bad Request
Get "http://shop.test/": connect: connection refused
"""
VEGETA_OLD = """\
Requests      [total, rate]            12000, 100.01
Duration      [total, attack, wait]    2m0.5s, 1m59.9s, 600ms
Latencies     [mean, 50, 95, 99, max]  1.5ms, 1.2ms, 2.5ms, 30ms, 1m1.5s
Success       [ratio]                  100.00%
Status Codes  [code:count]             200:12000
Error Set:
"""
VEGETA_OLD_ROW = {
    "test_time_s": 120.5, "requests": 12000.0, "failures": 0.0, "throughput_per_s": 12000 / 120.5,
    "response_s": 0.0015, "response_median_s": 0.0012, "response_p95_s": 0.0025, "response_p99_s": 0.03,
    "response_max_s": 61.5,
}  # fmt: skip
NO_TIME = {name: value for name, value in VEGETA_ROW.items() if not name.startswith("response_")}
DOCUMENTS = {
    "vegeta, two reports": (
        f"{json.dumps(VEGETA)}\n\n{json.dumps(VEGETA | {'status_codes': {'200': 100}})}\n", "vegeta",
        [VEGETA_ROW | {"line": 1}, VEGETA_ROW | {"failures": 0.0, "throughput_per_s": 40.0, "line": 3}],
        [f"line 1: {MIXED}"],
    ),
    "vegeta, all failed": (
        json.dumps(VEGETA | {"status_codes": {"0": 100}}) + "\n", "vegeta",
        [NO_TIME | {"failures": 100.0, "throughput_per_s": 0.0, "line": 1}], [f"line 1: {NO_RESPONSE}"],
    ),
    "vegeta in text, several reports": (
        f"$ vegeta report 4.bin\n{VEGETA_TEXT}\n{VEGETA_OLD}".replace(":15\n", ":15  \n"), "vegeta",
        [VEGETA_ROW | {"throughput_per_s": 28.01, "line": 2}, VEGETA_OLD_ROW | {"line": 13}], [f"line 2: {MIXED}"],
    ),
    "vegeta in text, less than one request a second": (
        VEGETA_TEXT.replace("28.01", "0.28").replace("2.5s,", "4m10s,"), "vegeta",
        [VEGETA_ROW | {"throughput_per_s": 70 / 250, "test_time_s": 250.0, "line": 1}], [f"line 1: {MIXED}"],
    ),
    "vegeta in text, all failed": (
        VEGETA_TEXT.replace("28.01", "0.00").replace("200:60  399:10", "503:70"), "vegeta",
        [NO_TIME | {"failures": 100.0, "throughput_per_s": 0.0, "line": 1}], [f"line 1: {NO_RESPONSE}"],
    ),
    "vegeta in text, of no time and cut off": (
        VEGETA_OLD.replace("2m0.5s,", "0s,") + VEGETA_OLD.replace("200:", "200:12200:")
        + VEGETA_TEXT[: VEGETA_TEXT.index("  400:15")], "vegeta",
        [{"requests": 12000.0, "line": 1}, {"requests": 12000.0, "line": 7}, {"requests": 100.0, "line": 13}],
        ["line 19: no line end, so the file may be cut off here; the line is left out",
         *(f"line {at}: a report without its length or its status codes: no throughput, and no response times"
           for at in (1, 7, 13))],
    ),
    "autocannon": (json.dumps(AUTOCANNON), "autocannon", [AUTOCANNON_ROW], [f"line 1: {MIXED}"]),
    "autocannon without a worker": (
        json.dumps(AUTOCANNON | {"workers": 0, "4xx": 0, "5xx": 0, "errors": 0}), "autocannon",
        [AUTOCANNON_ROW | {"threads": 1.0, "failures": 0.0}], [],
    ),
    "oha": (
        json.dumps(OHA, indent=2), "oha",
        [TIMES | {"test_time_s": 2.5, "requests": 100.0, "failures": 30.0, "throughput_per_s": 28.0, "line": 1}],
        [f"line 1: {MIXED}"],
    ),
    "oha of no request": (
        json.dumps(NOTHING), "oha",
        [{"test_time_s": 2.5, "requests": 0.0, "failures": 0.0, "throughput_per_s": 0.0, "line": 1}], [],
    ),
    "fio": ("note: queue depth will be capped\n" + json.dumps(FIO, indent=1), "fio", FIO_ROWS, []),
    "fio without options": (
        json.dumps({"fio version": "3", "jobs": [{"jobname": "a", "job options": {"numjobs": 2, "iodepth": 9},
                                                  "read": READS, "write": WRITES}]}), "fio",
        [{"workload": "a", "users": 2.0, "test_time_s": 2.5, "requests": 400.0, "throughput_per_s": 160.0,
          "response_s": 0.2, "response_max_s": 0.95, "line": 1}], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*TEXTS, *DOCUMENTS])
def test_a_report_by_hand(tmp_path, name):
    text, reader, rows, told = (TEXTS | DOCUMENTS)[name]
    path = written(tmp_path, text)
    assert readers.recognise(path) == reader
    found, found_notes = read_whole(path)
    assert about(rows) == found
    assert found_notes == told


@pytest.mark.parametrize(
    ("text", "reader", "said"),
    [
        (json.dumps(VEGETA)[:-9], None, "line 1: expected whole JSON, found "),
        (f"{json.dumps(VEGETA)}\n{json.dumps(VEGETA)[:-9]}", None, "line 2: expected whole JSON, found "),
        (f'{json.dumps(VEGETA)}\n{{"latencies": {{}}}}', None,
         "line 2: expected a report of a run, found one without 'duration'"),
        (json.dumps(AUTOCANNON | {"latency": []}), None, "line 1: expected a report of a run, found one without list"),
        (json.dumps(VEGETA | {"duration": 0, "wait": 0}), None,
         "expected a report of a run, found one without float division by zero"),
        ("nothing\n", "fio", "line 1: expected whole JSON, found Expecting value: line 1 column 1 (char 0)"),
        (" \n", "vegeta", "expected rows as vegeta reads them (the report of vegeta, in text or JSON (report --ty"),
        ("Running\n", "wrk", "expected rows as wrk reads them (the report of wrk or wrk2), found nothing of the kind"),
    ],
)  # fmt: skip
def test_what_is_no_report(tmp_path, text, reader, said):
    with pytest.raises(BadTable) as caught:
        readers.read(written(tmp_path, text), reader)
    assert said in str(caught.value)
    remedy = {
        "whole JSON": "It may be cut off: give the file that the tool wrote.",
        "a report": "Name another reader, or none.",
    }
    other = "Name another reader, reader=..., or mend the file."
    assert caught.value.remedy == next((text for part, text in remedy.items() if part in said), other)


@pytest.mark.parametrize(
    "text", ["Summary:\n  Total:\t2.5 secs\n", '{"connections": 1, "pipelining": 2}\n', '{"a": {"latencies": 1}}\n']
)
def test_what_no_reader_of_reports_takes(tmp_path, text):
    with pytest.raises((UnknownName, BadTable)) as caught:
        readers.recognise(written(tmp_path, text))
    assert "recognise" in str(caught.value) or "expected" in str(caught.value)


def test_a_summary_of_k6_below_its_checks(tmp_path):
    """k6 may write its groups and checks first, a line for each number: the metrics come hundreds of lines below."""
    summary = json.loads((SAMPLES / "k6_summary" / "synthetic_export.json").read_text(encoding="utf-8"))
    checks = {f"check {k}": {"name": f"check {k}", "passes": 9, "fails": 0} for k in range(80)}
    below = {"root_group": {"name": "", "groups": {}, "checks": checks}, "metrics": summary["metrics"]}
    one, other = (
        readers.read(written(tmp_path, json.dumps(each, indent=4))) for each in (below, {"metrics": summary["metrics"]})
    )
    assert one.attrs["reader"] == "k6_summary"
    assert one.equals(other)


def test_iterations_that_k6_dropped_are_failed_requests(tmp_path):
    """They are no throughput; the share of failures is of all that were offered."""
    summary = json.loads((SAMPLES / "k6_summary" / "synthetic_export.json").read_text(encoding="utf-8"))
    summary["metrics"]["dropped_iterations"] = {"count": 400, "rate": 13.3}
    rows, notes = read_whole(written(tmp_path, json.dumps(summary)))
    (row,) = rows
    assert (row["requests"], row["failures"], row["throughput_per_s"]) == (1000.0, 412.0, pytest.approx(19.6))
    assert notes[0].startswith("line 1: 2.0 % of 600 checks failed: ")


def test_wrk_prints_a_blank_after_a_unit_of_one_letter(tmp_path):
    """A percentile of a second or more: 1.93s and a blank; wrk2 does so too."""
    places = "  Latency Distribution\n     50%    1.15s \n     99%    1.93s \n"
    text = WRK_HEAD + WRK_TIMES + "{}  900 requests in 10.00s, 1.00MB read\nRequests/sec:     90.00\n"
    for each in (places, places.replace("%", ".000%")):
        frame = readers.read(written(tmp_path, text.format(each)))
        assert frame[["response_median_s", "response_p99_s"]].to_numpy().tolist() == [[1.15, 1.93]]


def test_a_report_of_sysbench_without_a_rate_has_that_of_its_events(tmp_path):
    """Of fileio, which prints reads and writes a second."""
    text = (
        f"{SYSBENCH}File operations:\n    reads/s:                      70.50\n\nGeneral statistics:\n"
        f"    total time:                          2.5000s\n    total number of events:              500\n{LATENCY}"
        "         95th percentile:                     40.12\n"
    )
    frame = readers.read(written(tmp_path, text))
    row = frame[["users", "requests", "throughput_per_s", "response_s", "response_p95_s"]].to_numpy().tolist()
    assert row == [[2, 500, 200, 0.0275, pytest.approx(0.04012)]]
    assert "had not ended" not in notes(frame)


def test_parts_of_requests_in_the_statistics_of_jmeter_are_told(tmp_path):
    """JMeter counts the redirects X-0 and X-1 of X among the requests of the run."""
    total = {"sampleCount": 300, "errorCount": 0, "meanResTime": 20.0, "maxResTime": 90.0, "pct1ResTime": 30.0,
             "pct2ResTime": 40.0, "pct3ResTime": 50.0, "throughput": 6.0}  # fmt: skip
    one, two = (
        readers.read(written(tmp_path, json.dumps(dict.fromkeys(labels, total), separators=(",", " : "))))
        for labels in (("Login", "Login-1", "Total"), ("Login", "Login-0", "Login-1", "Total"))
    )
    assert one.iloc[0][["test_time_s", "throughput_per_s", "response_p95_s"]].tolist() == [50, 6, 0.04]
    assert "redirects and embedded resources" not in notes(one)
    assert "; the requests have redirects and embedded resources among them (X-0 beside X)" in notes(two)


def test_intervals_of_sysbench_have_the_mean_of_their_run(tmp_path):
    """Only those of a run whose report is in the file: neither of one that was stopped, nor of one after it."""
    stopped = SYSBENCH + "".join(f"{INTERVAL.format(k, 4, 100, 95, 29.5)}\n" for k in (1, 2))
    ended = SYSBENCH + "".join(f"{INTERVAL.format(k, 8, 100, 95, 29.5)}\n" for k in (1, 2)) + LATENCY
    frame = readers.read(written(tmp_path, stopped + ended + ended.replace("27.5", "37.5") + stopped))
    assert frame["response_s"].fillna(-1).tolist() == [-1, -1, 0.0275, 0.0275, 0.0375, 0.0375, -1, -1]
    told = "each interval has the mean response time of its whole run, which its report at the end prints"
    assert frame.attrs["notes"].count(told) == 1


def test_percentiles_of_fio_from_submission(tmp_path):
    """lat_percentiles=1 has them beside the mean, and clat none or others; those from submission are the response."""
    whole = {"percentile": {"50.000000": 410_000_000, "95.000000": 610_000_000, "99.000000": 810_000_000}}
    for of_kernel in ({}, PLACES):
        reads = READS | {"lat_ns": READS["lat_ns"] | whole, "clat_ns": of_kernel}
        report = {"fio version": "fio-3.36", "jobs": [{"jobname": "a", "read": reads, "write": NO_WAY}]}
        frame = readers.read(written(tmp_path, json.dumps(report)))
        assert frame[["response_median_s", "response_p95_s", "response_p99_s"]].to_numpy().tolist() == [
            [0.41, 0.61, 0.81]
        ]


def test_a_report_of_jmeter_with_decimal_commas(tmp_path):
    """And with every heading in quotes, as spreadsheets write them: no table of one's own, whose rows are repeats."""
    header = '"Label","# Samples","Average","Median","90% Line","95% Line","99% Line","Min","Max","Error %"'
    header += ',"Throughput","KB/sec"'
    path = written(tmp_path, f'{header}\n/a,1000,99,72,216,235,287,62,1109,"2,500%",",80000","9,6"\n')
    rows, noted = read_whole(path)
    row = {"request": "/a", "requests": 1000, "failures": 25, "throughput_per_s": 0.78, "requests_per_s": 0.8}
    times = {"response_s": 0.099, "response_median_s": 0.072, "response_p95_s": 0.235, "response_p99_s": 0.287}
    assert rows == about([row | times | {"response_max_s": 1.109, "line": 2}])
    assert noted == [MIXED]


def test_a_report_of_sysbench_1_1(tmp_path):
    """It calls the total time the time elapsed; only some tests say what they did in a second."""
    text = (
        "sysbench 1.1.0-bbee5d5 (using bundled LuaJIT 2.1.0-beta3)\n\nNumber of threads: 2\n\nThroughput:\n"
        "    events/s (eps):                      114.0750\n    time elapsed:                        10.0022s\n"
        "    total number of events:              1141\n\nLatency (ms):\n         min:    8.76\n"
        "         avg:                                    8.77\n         max:    8.78\n"
    )
    row = {"users": 2, "test_time_s": 10.0022, "requests": 1141, "throughput_per_s": 1141 / 10.0022, "line": 1}
    rows, told = read_whole(written(tmp_path, text))
    assert (rows, told) == (about([row | {"response_s": 0.00877, "response_max_s": 0.00878}]), [])
