"""Reports of whole runs, by wrk, wrk2, ab, hey, oha, sysbench, vegeta, autocannon and fio: a row for each run.

Forms: runs made for the tests (wrk 4.1, wrk2 of 2019, ab 2.3, hey 0.1.4, oha 1.16.0, sysbench 1.0.20, vegeta 12,
autocannon 9, fio 3.33). Throughput is that of the requests that did not fail; the response times are the tool's own,
which mix in those of the failed requests where there are any: a note says so.
"""

import json
import math
import re

from dominoperf.loadtests.readers.source import MS, NS, US, Clock, Reader, plain_number

COLUMNS = (
    "users",
    "threads",
    "test_time_s",
    "requests",
    "failures",
    "throughput_per_s",
    "response_s",
    "response_sd_s",
    "response_median_s",
    "response_p95_s",
    "response_p99_s",
    "response_max_s",
    "line",
)
INTERVALS = ("time_s", "users", "throughput_per_s", "response_p95_s", "failures_per_s", "line")
_PERCENTILES = {"50": "response_median_s", "95": "response_p95_s", "99": "response_p99_s", "100": "response_max_s"}
_PER_S = {"us": US, "ms": MS, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}
_N = r"(-?[\d.]+)"
_LENGTH = r"([\d.]+)(us|ms|s|m|h)"  # as wrk writes it: 533.37us
# Column -> the pattern of its number (with its unit, where the tool writes it), and its divisor to our unit.
# Beside columns: `rate` is the tool's own rate of requests; `status` and `cut` are failed requests that it counts,
# `broken` and `exceptions` those that it does not.
_WRK = {
    "threads": (rf" +{_N} threads and ", 1),
    "users": (rf" +\d+ threads and {_N} connections", 1),
    "response_s": (rf" +Latency +{_LENGTH} ", 1),
    "response_sd_s": (rf" +Latency +\S+ +{_LENGTH} ", 1),
    "response_max_s": (rf" +Latency +\S+ +\S+ +{_LENGTH} ", 1),
    "response_median_s": (rf" +50(?:\.000)?% +{_LENGTH}$", 1),
    "response_p95_s": (rf" +{_N} +0\.950000 +\d+ ", MS),  # wrk2 alone
    "response_p99_s": (rf" +99(?:\.000)?% +{_LENGTH}$", 1),
    "requests": (rf" +{_N} requests in ", 1),
    "test_time_s": (rf" +\d+ requests in {_LENGTH},", 1),
    "status": (rf" +Non-2xx or 3xx responses: {_N}", 1),
    "broken": (r" +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", 1),
    "rate": (rf"Requests/sec: +{_N}", 1),
}
_AB = {
    "users": (rf"Concurrency Level: +{_N}", 1),
    "test_time_s": (rf"Time taken for tests: +{_N} seconds", 1),
    "requests": (rf"Complete requests: +{_N}", 1),
    "broken": (r" +\(Connect: (\d+), ", 1),
    "cut": (r" +\(Connect: \d+, Receive: (\d+), ", 1),
    "exceptions": (r" +\(Connect: .* Exceptions: (\d+)\)", 1),
    "status": (rf"Non-2xx responses: +{_N}", 1),
    "rate": (rf"Requests per second: +{_N} ", 1),
    "response_s": (rf"Time per request: +{_N} \[ms\] \(mean\)", MS),
    "response_sd_s": (rf"Total: +\d+ +[\d.]+ +{_N} ", MS),
    "response_median_s": (rf" +50% +{_N}$", MS),
    "response_p95_s": (rf" +95% +{_N}$", MS),
    "response_p99_s": (rf" +99% +{_N}$", MS),
    "response_max_s": (rf" +100% +{_N} \(longest", MS),
}
_HEY = {
    "test_time_s": (rf" +Total:\s+{_N} secs", 1),
    "response_max_s": (rf" +Slowest:\s+{_N} secs", 1),
    "response_s": (rf" +Average:\s+{_N} secs", 1),
    "rate": (rf" +Requests/sec:\s+{_N}", 1),
    "response_median_s": (rf" +50%+ in {_N} secs", 1),
    "response_p95_s": (rf" +95%+ in {_N} secs", 1),
    "response_p99_s": (rf" +99%+ in {_N} secs", 1),
}
_SYSBENCH = {
    "users": (rf"Number of threads: {_N}", 1),
    "test_time_s": (rf" +total time: +{_N}s", 1),
    "requests": (rf" +(?:transactions|total number of events): +{_N}", 1),
    "rate": (rf" +(?:transactions: +\d+ +\(|events per second: +){_N}", 1),
    "response_s": (rf" +avg: +{_N}", MS),
    "response_max_s": (rf" +max: +{_N}", MS),
    "response_p95_s": (rf" +95th percentile: +{_N}", MS),
    "response_p99_s": (rf" +99th percentile: +{_N}", MS),
    "ignored": (rf" +ignored errors: +{_N}", 1),
}
_OHA_CUT = "aborted due to deadline"  # what oha calls a request that its end cut off
# Engines of fio that wait for each operation, whatever queue depth is asked for.
_ONE_AT_A_TIME = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")
_BEGINS = {
    "wrk": r"Running .* test @ ",
    "ab": "This is ApacheBench",
    "hey": "Summary:",
    "sysbench_summary": r"sysbench \d",
}
_INTERVAL = re.compile(rf"\[ {_N}s \] thds: (\d+) (?:tps|eps): {_N} .*?lat \(ms,(\d+)%\): {_N}(?: err/s: {_N})?")


def read_wrk(source):
    """Return the columns and rows of the report of wrk or wrk2; users are the connections."""
    return COLUMNS, _rows_of_reports(source, _BEGINS["wrk"], _WRK)


def read_ab(source):
    """Return the columns and rows of the report of ab (ApacheBench); users are its concurrency.

    Answers of another length than the first, which ab calls failed, are no failures here: a page that changes has them.
    """
    return COLUMNS, _rows_of_reports(source, _BEGINS["ab"], _AB)


def read_ab_percentiles(source):
    """Return the columns and the one row of ``ab -e``, percentiles of the response times."""
    return ("response_median_s", "response_p95_s", "response_p99_s", "response_max_s", "line"), _ab_percentiles(source)


def read_hey(source):
    """Return the columns and rows of the report of hey, which does not tell its number of workers."""
    return COLUMNS, _rows_of_reports(source, _BEGINS["hey"], _HEY)


def read_sysbench(source):
    """Return the columns and rows of the lines of ``sysbench --report-interval``, a row for each interval."""
    return INTERVALS, _sysbench_intervals(source)


def read_sysbench_summary(source):
    """Return the columns and rows of the reports of sysbench, a row for each run; users are its threads."""
    return COLUMNS, _rows_of_reports(source, _BEGINS["sysbench_summary"], _SYSBENCH)


def read_vegeta(source):
    """Return the columns and rows of ``vegeta report --type json``, which has a rate and no number of users."""
    return COLUMNS, _json_documents(source, _vegeta_row)


def read_autocannon(source):
    """Return the columns and rows of ``autocannon --json``; users are the connections."""
    return COLUMNS, _json_documents(source, _autocannon_row)


def read_oha(source):
    """Return the columns and rows of ``oha --output-format json``, which does not tell its number of connections.

    Requests that the end of the test cut off count neither as failed nor as done.
    """
    return COLUMNS, _json_documents(source, _oha_row)


def read_fio(source):
    """Return the columns and rows of ``fio --output-format=json``, a row for each job.

    Users are the outstanding operations: queue depth times jobs. The mean response is from submission, the percentiles,
    as fio gives no others, from when the kernel took the operation.
    """
    return COLUMNS, _json_documents(source, _fio_rows)


def _form_columns(forms):
    """The columns that a tool whose report has these forms gives."""
    counts = ("requests",) if forms is _HEY else ()  # which it counts by status
    return tuple(name for name in COLUMNS if name in (*forms, *counts, "failures", "throughput_per_s", "line"))


def _columns_without(*names):
    """All columns without those named."""
    return tuple(name for name in COLUMNS if name not in names)


def _starts_with(name):
    """What recognises a report by the line with which a run of it begins."""
    return lambda head: any(re.match(_BEGINS[name], line) for line in head.lines)


def _has_intervals(head):
    """Whether sysbench printed intervals among the first lines."""
    return any(_INTERVAL.match(line) for line in head.lines)


WRK = Reader(
    "wrk",
    read_wrk,
    "the report of wrk or wrk2",
    "a line Running 10s test @",
    _starts_with("wrk"),
    user="connection",
    columns=_form_columns(_WRK),
)
AB = Reader("ab", read_ab, "the report of ab (ApacheBench)", "This is ApacheBench", _starts_with("ab"), user="client",
            columns=_form_columns(_AB))  # fmt: skip
AB_PERCENTILES = Reader("ab_percentiles", read_ab_percentiles, "percentiles of ab (-e)",
                        "its header: Percentage served,...", lambda head: head.first == "Percentage served,Time in ms",
                        user="client", columns=(*_PERCENTILES.values(), "line"))  # fmt: skip
HEY = Reader("hey", read_hey, "the report of hey", "Summary: and Slowest:", lambda head: _starts_with("hey")(head)
             and any(line.lstrip().startswith("Slowest:") for line in head.lines), user="worker",
             columns=_form_columns(_HEY))  # fmt: skip
SYSBENCH = Reader("sysbench", read_sysbench, "what sysbench --report-interval prints as it runs",
                  "a line [ 1s ] thds:", _has_intervals, user="thread", columns=INTERVALS)  # fmt: skip
SYSBENCH_SUMMARY = Reader("sysbench_summary", read_sysbench_summary, "the report of sysbench at the end",
                          "sysbench 1.0 without intervals", lambda head: _starts_with("sysbench_summary")(head)
                          and not _has_intervals(head), user="thread", columns=_form_columns(_SYSBENCH))  # fmt: skip
VEGETA = Reader("vegeta", read_vegeta, "the report of vegeta (report --type json)", '{"latencies": at the start',
                lambda head: re.match(r'\{\s*"latencies"\s*:', head.first) is not None,
                columns=_columns_without("users", "threads", "response_sd_s"))  # fmt: skip
AUTOCANNON = Reader("autocannon", read_autocannon, "the result of autocannon --json", "connections and pipelining",
                    lambda head: all(f'"{name}":' in "".join(head.lines) for name in
                                     ("connections", "pipelining", "non2xx")), user="connection",
                    columns=_columns_without("response_p95_s"))  # fmt: skip
OHA = Reader("oha", read_oha, "the result of oha --output-format json", "successRate and requestsPerSec",
             lambda head: all(f'"{name}":' in "".join(head.lines) for name in ("successRate", "requestsPerSec")),
             columns=_columns_without("users", "threads", "response_sd_s"))  # fmt: skip
FIO = Reader("fio", read_fio, "the result of fio --output-format=json", "fio version at the start",
             lambda head: '"fio version"' in "".join(head.lines[:20]), user="outstanding operation",
             columns=_columns_without("threads", "failures"))  # fmt: skip


def stated_runs(source, begins, forms, also=None):
    """Return a dict for each run of a report: the numbers stated between one beginning and the next, and its `line`.

    Parameters
    ----------
    source : Source
    begins : str
        Pattern of the line with which a run begins.
    forms : dict
        Name to the pattern of a line and the divisor of its number. Of two groups the second is a unit of time, and the
        number comes in seconds; several numbers (`broken` of wrk) are added up.
    also : callable, optional
        Called with the run and each line of it, for what is no single number.
    """
    runs = []
    for number, text in source.lines():
        if re.match(begins, text):
            runs.append({"line": number})
        for name, (form, divisor) in forms.items() if runs else ():
            if name in runs[-1] or not (match := re.match(form, text)):
                continue
            *values, unit = match.groups() if match.groups()[-1] in _PER_S else (*match.groups(), None)
            try:
                runs[-1][name] = sum(map(float, values)) / _PER_S.get(unit, divisor)
            except ValueError:  # a point without a digit, as in "Latency .s"
                source.skip(number, "a number")
        if runs and also:
            also(runs[-1], text)
    return runs


def _rows_of_reports(source, begins, forms):
    """A row for each run of a report."""
    for run in stated_runs(source, begins, forms, _hey_counts if forms is _HEY else None):
        if not run.pop("counted", True):
            source.notes.add("incomplete", run["line"], "the counts of status codes are not whole: no throughput")
            run = {name: value for name, value in run.items() if name not in ("rate", "requests")}
        yield _finished_row(source, run, sysbench=forms is _SYSBENCH)


def _hey_counts(run, text):
    """Add a line of hey's status codes or errors: `[200] 212 responses`, `[3] Get ...: refused`.

    An empty line ends the list of codes, so without one the counts are not whole.
    """
    run["counted"] = run.get("counted", False) or ("requests" in run and not text)
    if match := re.match(r" +\[(\d+)\]\s+(\d+) responses", text):
        run["requests"] = run.get("requests", 0) + float(match[2])
        run["status"] = run.get("status", 0) + (float(match[2]) if not 200 <= int(match[1]) < 400 else 0.0)
    elif match := re.match(r" +\[(\d+)\]\s+\D", text):
        run["requests"] = run.get("requests", 0) + float(match[1])
        run["status"] = run.get("status", 0) + float(match[1])


def _finished_row(source, run, *, sysbench):
    """The row of a run: failures counted, and the throughput of the others."""
    # What ab could not receive it counts as a request all the same, and most often as an exception too.
    status, cut = run.get("status", 0.0), run.get("cut", 0.0)
    broken = run.get("broken", 0.0) + max(run.get("exceptions", 0.0) - cut, 0.0)
    requests, rate = run.get("requests", math.nan), run.get("rate", math.nan)
    if math.isnan(rate):
        source.notes.add("incomplete", run["line"], "a run without its requests per second: it had not ended")
        # Its response times may be of requests that failed, which the lines that are missing would say.
        return {name: value for name, value in run.items() if name in COLUMNS and not name.startswith("response_")}
    run["failures"] = run.get("ignored", math.nan) if sysbench else status + cut + broken
    counted = status + cut
    run["throughput_per_s"] = rate * (1 - counted / requests) if counted else rate
    if counted:
        run = _without_mixed(source, run["line"], run)
    return {name: value for name, value in run.items() if name in COLUMNS}


def _without_mixed(source, line, row):
    """The row of a run with failed requests: without response times, if those are of failed requests alone."""
    if row["throughput_per_s"] > 0:
        source.notes.add("failures", line, "the response times are of all requests, those that failed among them")
        return row
    source.notes.add("failures", line, "all requests failed, so no response time is known")
    return {name: value for name, value in row.items() if not name.startswith("response_")}


def _ab_percentiles(source):
    """The row of a file of percentiles of ab."""
    row = {"line": 1}
    for number, text in source.lines():
        percent, _, value = text.partition(",")
        if percent in _PERCENTILES and plain_number(value) is not None:
            row[_PERCENTILES[percent]] = float(value) / MS
        elif number > 1 and not (percent.isdigit() and plain_number(value) is not None):
            source.skip(number, "a percentage and a time")
    yield row


def _sysbench_intervals(source):
    """A row for each interval; where the seconds begin anew, another run does."""
    clock, last = Clock(source.notes), 0.0
    for number, text in source.lines():
        if match := _INTERVAL.match(text):
            seconds = float(match[1])
            if seconds <= last:
                clock.restart()
            last = seconds
            yield {
                "time_s": clock.since(seconds, number),
                "users": float(match[2]),
                "throughput_per_s": float(match[3]),
                "response_p95_s": float(match[5]) / MS if match[4] == "95" else math.nan,
                "failures_per_s": float(match[6]) if match[6] else math.nan,
                "line": number,
            }
        elif re.match(r"\[ \d", text):
            source.skip(number, "an interval as sysbench prints it")
    clock.finish()


def _json_documents(source, rows_of):
    """The rows of each JSON document of a file, which may have several, one after the other."""
    text = source.text()
    begins = re.search(r"^\s*\{", text, re.MULTILINE)  # before it fio may have printed notes
    at, decoder = begins.start() if begins else 0, json.JSONDecoder()
    while at < len(text.rstrip()):
        at += len(text[at:]) - len(text[at:].lstrip())
        line = text.count("\n", 0, at) + 1
        try:
            document, at = decoder.raw_decode(text, at)
            rows = rows_of(document)
        except json.JSONDecodeError as error:
            remedy = "It may be cut off: give the file that the tool wrote."
            raise source.wrong(line, "whole JSON", str(error), remedy) from error
        except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
            remedy = "Name another reader, or none."
            raise source.wrong(line, "a report of a run", f"one without {error}", remedy) from error
        for row in rows:
            yield (_without_mixed(source, line, row) if row.get("failures") else row) | {"line": line}


def _vegeta_row(report):
    """The row of a report of vegeta."""
    times = report["latencies"]
    took = (report["duration"] + report["wait"]) / NS
    good = sum(count for code, count in report["status_codes"].items() if 200 <= int(code) < 400)
    row = {
        "test_time_s": took,
        "requests": float(report["requests"]),
        "failures": float(report["requests"] - good),
        "throughput_per_s": good / took,
        "response_s": times["mean"] / NS,
        "response_median_s": times["50th"] / NS,
        "response_p95_s": times["95th"] / NS,
        "response_p99_s": times["99th"] / NS,
        "response_max_s": times["max"] / NS,
    }
    return [row]


def _autocannon_row(result):
    """The row of a result of autocannon."""
    times, good = result["latency"], result["1xx"] + result["2xx"] + result["3xx"]
    row = {
        "users": float(result["connections"]),
        "threads": float(result["workers"]) or 1.0,
        "test_time_s": float(result["duration"]),
        "requests": float(result["requests"]["total"]),
        "failures": float(result["4xx"] + result["5xx"] + result["errors"]),  # errors have the time-outs among them
        "throughput_per_s": good / result["duration"],
        "response_s": times["mean"] / MS,
        "response_sd_s": times["stddev"] / MS,
        "response_median_s": times["p50"] / MS,
        "response_p99_s": times["p99"] / MS,
        "response_max_s": times["max"] / MS,
    }
    return [row]


def _oha_row(result):
    """The row of a result of oha."""
    total, times = result["summary"]["total"], result["latencyPercentiles"]
    statuses, errors = result["statusCodeDistribution"], result["errorDistribution"]
    good = sum(count for code, count in statuses.items() if 200 <= int(code) < 400)
    requests = sum(statuses.values()) + sum(count for error, count in errors.items() if error != _OHA_CUT)
    responses = {
        "response_s": result["summary"]["average"],
        "response_max_s": result["summary"]["slowest"],
        "response_median_s": times["p50"],
        "response_p95_s": times["p95"],
        "response_p99_s": times["p99"],
    }
    row = {
        "test_time_s": float(total),
        "requests": float(requests),
        "failures": float(requests - good),
        "throughput_per_s": good / total,
    }
    return [row | {name: float(value) for name, value in responses.items() if value is not None}]


def _fio_rows(report):
    """A row for each job: operations of both directions together; percentiles where it has one direction alone."""
    jobs, rows = report["jobs"], []
    for job in jobs:
        options = report.get("global options", {}) | job.get("job options", {})
        grouped = sum(other["jobname"] == job["jobname"] for other in jobs) == 1
        depth = 1 if options.get("ioengine", "psync") in _ONE_AT_A_TIME else int(options.get("iodepth", 1))
        ways = [job[way] for way in ("read", "write") if job[way]["total_ios"]]
        done = sum(way["total_ios"] for way in ways)
        if not done:
            rows.append({"requests": 0.0, "throughput_per_s": 0.0})
            continue
        row = {
            "users": float(depth * (int(options.get("numjobs", 1)) if grouped else 1)),
            "test_time_s": max(way["runtime"] for way in ways) / MS,
            "requests": float(done),
            "throughput_per_s": sum(way["iops"] for way in ways),
            "response_s": sum(way["lat_ns"]["mean"] * way["total_ios"] for way in ways) / done / NS,
            "response_max_s": max(way["lat_ns"]["max"] for way in ways) / NS,
        }
        if len(ways) == 1:
            row["response_sd_s"] = ways[0]["lat_ns"]["stddev"] / NS
            for name, percent in (("median", "50"), ("p95", "95"), ("p99", "99")):
                place = ways[0]["clat_ns"].get("percentile", {}).get(f"{percent}.000000", math.nan)
                row[f"response_{name}_s"] = place / NS
        rows.append(row)
    return rows
