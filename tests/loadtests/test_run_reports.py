"""Reports of whole runs: forms that the recorded samples lack, and what is refused."""

import json
import math

import pandas as pd
import pytest
from made import about, notes, read_whole, written
from test_ingest import SAMPLES

from dominoperf import curve
from dominoperf.errors import BadTable, UnknownName
from dominoperf.loadtests import readers

MIXED = "the response times are of all requests, those that failed among them"
WRK_HEAD = "Running 10s test @ http://x\n  2 threads and 100 connections\n"
WRK_TIMES = (
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   533.37us    2.50ms   1.50s   84.03%\n"
    "    Req/Sec     5.43k     1.03k    7.12k    65.00%\n"
)
SYSBENCH = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nNumber of threads: 2\n"
LATENCY = "Latency (ms):\n         min:  1.5\n         avg:  27.5\n         max:  1047.5\n"
INTERVAL = "[ {0}s ] thds: {1} tps: {2} qps: 9.44 (r/w/o: 1/4/2) lat (ms,{3}%): {4}"
VEGETA = {
    "latencies": {"mean": 5e8, "50th": 4e8, "95th": 6e8, "99th": 8e8, "max": 9e8, "total": 1}, "duration": 2e9,
    "wait": 5e8, "requests": 100, "status_codes": {"200": 60, "399": 10, "199": 5, "400": 15, "0": 10},
}  # fmt: skip
AUTOCANNON = {
    "connections": 24, "pipelining": 1, "workers": 3, "duration": 2.5, "non2xx": 1, "1xx": 1, "2xx": 40, "3xx": 9,
    "4xx": 5, "5xx": 6, "errors": 7, "requests": {"total": 68},
    "latency": {"mean": 500, "stddev": 250, "p50": 400, "p99": 800, "max": 900},
}  # fmt: skip


def of_fio(operations, iops, mean, longest, runtime=0, **more):
    """One direction of a job of fio; times in ns, but the run's in ms."""
    lat = {"mean": mean, "max": longest, "stddev": 250_000_000.0}
    return {"total_ios": operations, "iops": iops, "runtime": runtime, "lat_ns": lat, "clat_ns": {}} | more


NO_WAY = of_fio(0, 0.0, 0.0, 0)
PLACES = {"percentile": {"50.000000": 400_000_000, "95.000000": 600_000_000, "99.000000": 800_000_000}}
READS = of_fio(100, 40.0, 5e8, 900_000_000, 2500, clat_ns=PLACES)


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


def test_what_k6_prints_of_a_run_is_what_its_json_has():
    """One run, printed and exported: the same but for the digits that k6 prints."""
    printed, exported = (
        readers.read(SAMPLES / "k6_summary" / name).drop(columns="line") for name in ("compact.txt", "exported.json")
    )
    pd.testing.assert_frame_equal(printed, exported, rtol=1e-3)


def test_a_report_of_oha_without_its_last_counts_has_no_throughput(tmp_path):
    """Its rate times its time says how many requests there were."""
    text = (SAMPLES / "oha" / "errors.txt").read_text(encoding="utf-8")
    for cut in (text.rstrip(), text[: text.index("  [500]")], text[: text.index("Status code")]):
        with pytest.raises(BadTable, match="the counts of status codes are not whole: no throughput"):
            curve(written(tmp_path, cut))


def test_runs_of_k6_one_below_the_other(tmp_path):
    """As `k6 run >> FILE` leaves them, of every form; the metrics of a group count to no run."""
    names = ("compact.txt", "full.txt", "legacy.txt", "ramp.txt")
    texts = [(SAMPLES / "k6_summary" / name).read_text(encoding="utf-8") for name in names]
    frame = readers.read(written(tmp_path, "".join(texts)))
    alone = pd.concat([readers.read(SAMPLES / "k6_summary" / name) for name in names], ignore_index=True)
    pd.testing.assert_frame_equal(frame.drop(columns="line"), alone.drop(columns="line"))
    summaries = [text[text.index("http_req_duration") :] for text in texts[2:]]  # a line of metrics alone begins a run
    assert readers.read(written(tmp_path, "".join(f"   {text}" for text in summaries)))["requests"].tolist() == [
        120,
        134,
    ]


@pytest.mark.parametrize(
    ("scenarios", "users"),
    [
        ("1 scenario, 9 max VUs, 34s max duration:\n      * default: 9 looping VUs for 4s (gracefulStop: 30s)", 9),
        ("1 scenario, 9 max VUs, 34s:\n      * shop: 200 iterations shared among 9 VUs (maxDuration: 10m0s)", 9),
        ("1 scenario, 9 max VUs, 34s:\n      * shop: Up to 9 looping VUs for 1m0s over 3 stages", math.nan),
        ("2 scenarios, 9 max VUs, 34s:\n      * a: 4 looping VUs for 4s\n      * b: 5 looping VUs for 4s", math.nan),
    ],
)
def test_users_of_k6_are_those_of_its_only_scenario(tmp_path, scenarios, users):
    """Its gauge of virtual users falls at the end, where the last iterations are waited for."""
    told = f"     execution: local\n\n     scenarios: (100.00%) {scenarios}\n\n"
    metrics = (SAMPLES / "k6_summary" / "ramp.txt").read_text(encoding="utf-8")
    assert readers.read(written(tmp_path, told + metrics))["users"].item() == pytest.approx(users, nan_ok=True)


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


@pytest.mark.parametrize("name", ["errors", "workers_4"])
def test_a_report_of_hey_without_its_empty_lines_at_the_end(tmp_path, name):
    """As an editor or a shell strips them. It is whole if the counts add up to its rate times its time."""
    text = (SAMPLES / "hey" / f"{name}.txt").read_text(encoding="utf-8")
    whole, stripped = (readers.read(written(tmp_path, each)) for each in (text, f"{text.strip()}\n"))
    assert stripped.drop(columns="line").equals(whole.drop(columns="line"))
    cut = text.strip().replace("\n  [500]\t428 responses", "").replace("17837", "17818")
    with pytest.raises(BadTable, match="the counts of status codes are not whole: no throughput"):
        readers.read(written(tmp_path, f"{cut}\n"))


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
