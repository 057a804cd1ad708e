"""Reports of whole runs in text, a row each: wrk, ab, hey, sysbench.

Forms: runs made for the tests (wrk 4.1, wrk2 of 2019, ab 2.3, hey 0.1.4, sysbench 1.0.20). Throughput is
that of the requests that did not fail; the response times are the tool's own, of failed requests too, with a note.
"""

import math
import re

from dominoperf.loadtests.readers.recording import (
    MS,
    NS,
    US,
    ReaderClock,
    plain_number,
    reader,
    without_failed_responses,
)
from dominoperf.loadtests.readers.reports_in_json import COLUMNS, PERCENTILES

PER_S = {"ns": NS, "us": US, "µs": US, "ms": MS, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}
_N = r"(-?[\d.]+)"
LENGTH = r"([\d.]+)(us|ms|s|m|h)"  # as wrk writes it: 533.37us


def stated_runs(source, begins, forms, also=None):
    """Return a dict for each run of a report: the numbers stated from a line that `begins` one, and that `line`.

    `forms` has for each name the pattern of a line and the divisor of its number. Of two groups the second may be a
    unit of time; several numbers are added up; a group may be missing. `also` is called with the run and each line of
    it.
    """
    runs = []
    for number, text in source.lines():
        if re.match(begins, text):
            runs.append({"line": number})
        for name, (form, divisor) in forms.items() if runs else ():
            if name in runs[-1] or not (match := re.match(form, text)):
                continue
            values = [group for group in match.groups() if group is not None]
            unit = values.pop() if values and values[-1] in PER_S else None
            if not values:
                continue
            try:
                runs[-1][name] = sum(map(float, values)) / PER_S.get(unit, divisor)
            except ValueError:  # a point without a digit, as in "Latency .s"
                source.skip(number, "a number")
        if runs and also:
            also(runs[-1], text)
    return runs


def has_line(form):
    """What recognises a report by the beginning of one of its first lines."""
    return lambda head: any(re.match(form, line) for line in head.lines)


def row_of_report(source, run, failed=0.0, failures=None):
    """Return the row of a run of a report in text.

    `failed` of the requests that the tool's own `rate` counts are no throughput; `failures` are all that failed, where
    the report does not state them. Without a rate the run had not ended.
    """
    if "rate" not in run:
        source.notes.add("incomplete", run["line"], "a run without its requests per second: it had not ended")
        # Its response times may be of requests that failed, which the lines that are missing would say.
        return {column: run[column] for column in COLUMNS if column in run and "response_" not in column}
    run["throughput_per_s"] = run["rate"] * (1 - failed / (run.get("requests") or math.nan) if failed else 1)
    if failures is not None:
        run["failures"] = failures
    row = {column: run[column] for column in COLUMNS if column in run}
    if run.get("requests") == 0:  # a response of 0.00us stands for none
        row = {column: value for column, value in row.items() if not column.startswith("response_")}
    return without_failed_responses(source, row) if failed else row


_WRK_BEGINS = "Running .* test @ "
_WRK = {
    "response_s": (rf" +Latency +{LENGTH} ", 1),
    "response_sd_s": (rf" +Latency +\S+ +{LENGTH} ", 1),
    "response_max_s": (rf" +Latency +\S+ +\S+ +{LENGTH}(?: |$)", 1),
    "response_median_s": (rf" +50(?:\.000)?% +{LENGTH} ?$", 1),
    "response_p99_s": (rf" +99(?:\.000)?% +{LENGTH} ?$", 1),
    "threads": (rf" +{_N} threads and ", 1),
    "users": (rf" +\d+ threads and {_N} connections", 1),
    "response_p95_s": (rf" +{_N} +0\.950000 +\d+ ", MS),  # wrk2 alone
    "requests": (rf" +{_N} requests in ", 1),
    "test_time_s": (rf" +\d+ requests in {LENGTH},", 1),
    "status": (rf" +Non-2xx or 3xx responses: {_N}", 1),
    "broken": (r" +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", 1),
    "rate": (rf"Requests/sec: +{_N}", 1),
}


@reader("wrk", "the report of wrk or wrk2", "a line Running 10s test @",
        lambda head: has_line(_WRK_BEGINS)(head) and not any("│ Stat" in line for line in head.lines),  # autocannon's
        COLUMNS, user="connection")  # fmt: skip
def wrk(source):
    """Yield a row for each report of wrk or wrk2; requests that broke off are no requests of its rate."""
    for run in stated_runs(source, _WRK_BEGINS, _WRK):
        failed = run.get("status", 0.0)
        yield row_of_report(source, run, failed, failed + run.get("broken", 0.0))


_AB_BEGINS = "This is ApacheBench"
_AB = {
    "users": (rf"Concurrency Level: +{_N}", 1),
    "test_time_s": (rf"Time taken for tests: +{_N} seconds", 1),
    "requests": (rf"Complete requests: +{_N}", 1),
    "broken": (r" +\(Connect: (\d+), ", 1),
    "cut": (r" +\(Connect: \d+, Receive: (\d+), ", 1),
    "lengths": (r" +\(Connect: \d+, Receive: \d+, Length: (\d+)", 1),
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


@reader("ab", "the report of ab (ApacheBench)", "This is ApacheBench", has_line(_AB_BEGINS), COLUMNS,
        lacks=("threads",), user="client")  # fmt: skip
def ab(source):
    """Yield a row for each report of ab.

    Answers of another length than the first, which ab calls failed, are no failures here. What ab could not receive it
    counts as a request, and most often as an exception too.
    """
    for run in stated_runs(source, _AB_BEGINS, _AB):
        if run.get("lengths") and "rate" in run:
            text = f"{run['lengths']:,.0f} answers of another length than the first, which ab calls failed, are done"
            source.notes.add("lengths", run["line"], f"{text} requests here: a page that changes has such answers")
        cut = run.get("cut", 0.0)
        failed, others = run.get("status", 0.0) + cut, max(run.get("exceptions", 0.0) - cut, 0.0)
        yield row_of_report(source, run, failed, failed + run.get("broken", 0.0) + others)


@reader("ab_percentiles", "percentiles of ab (-e)", "its header: Percentage served,...",
        lambda head: head.first == "Percentage served,Time in ms", (*PERCENTILES.values(), "line"),
        user="client")  # fmt: skip
def ab_percentiles(source):
    """Yield the one row of ``ab -e``, percentiles of the response times."""
    row = {"line": 1}
    for number, text in source.lines():
        percent, _, value = text.partition(",")
        if percent in PERCENTILES and plain_number(value) is not None:
            row[PERCENTILES[percent]] = float(value) / MS
        elif number > 1 and not (percent.isdigit() and plain_number(value) is not None):
            source.skip(number, "a percentage and a time")
    yield row


ALL_BUT = 1e-3  # share of the requests by which counts may differ from rate times time, if all are there
COUNTS_ARE_CUT = "the counts of status codes are not whole: no throughput"
_TIME = rf"{_N} secs$"
_HEY = {
    "test_time_s": (rf" +Total:\s+{_TIME}", 1),
    "response_max_s": (rf" +Slowest:\s+{_TIME}", 1),
    "response_s": (rf" +Average:\s+{_TIME}", 1),
    "rate": (rf" +Requests/sec:\s+{_N}", 1),
    "response_median_s": (rf" +50%+ in {_TIME}", 1),
    "response_p95_s": (rf" +95%+ in {_TIME}", 1),
    "response_p99_s": (rf" +99%+ in {_TIME}", 1),
}


@reader("hey", "the report of hey", "Summary: and Slowest:",
        lambda head: (has_line("Summary:")(head) and has_line(r"\s*Slowest:")(head)
                      and not has_line(r"\s*(?:Success rate|Count):")(head)),  # of oha, of ghz
        COLUMNS, lacks=("users", "threads", "response_sd_s"), user="worker")  # fmt: skip
def hey(source):
    """Yield a row for each report of hey, which does not tell its number of workers; its requests are its answers."""
    for run in stated_runs(source, "Summary:", _HEY, _add_hey_counts):
        total = run.get("rate", math.nan) * run.get("test_time_s", math.nan)
        if not run["of_oha"] and abs(run.get("requests", math.nan) - total) <= ALL_BUT * total:
            run["counted"] = True  # all are there, though something took the empty lines at the end
        if not run["counted"]:
            source.notes.add("incomplete", run["line"], COUNTS_ARE_CUT)
            run = {column: value for column, value in run.items() if column not in ("rate", "requests")}
        failed = run.get("status", 0.0)
        yield row_of_report(source, run, failed, failed)


def _add_hey_counts(run, text):
    """Add a line of hey's status codes or errors: `[200] 212 responses`, `[3] Get ...: refused`.

    An empty line ends the list of codes, so without one the counts are not whole; nor are they in the report of oha.
    """
    run["of_oha"] = run.get("of_oha", False) or text.startswith("  Success rate:")
    run["counted"] = not run["of_oha"] and (run.get("counted", False) or ("requests" in run and not text))
    if match := re.match(r" +\[(\d{3})\]\s+(\d+) responses", text):
        run["requests"] = run.get("requests", 0) + float(match[2])
        run["status"] = run.get("status", 0) + (float(match[2]) if not 200 <= int(match[1]) < 400 else 0.0)
    elif match := re.match(r" +\[(\d+)\]\s+\D", text):
        run["requests"] = run.get("requests", 0) + float(match[1])
        run["status"] = run.get("status", 0) + float(match[1])


INTERVALS = ("time_s", "users", "throughput_per_s", "response_s", "response_p95_s", "failures_per_s", "line")
_DECIMAL = r"(-?\d+(?:\.\d*)?)"
_INTERVAL = re.compile(
    rf"\[ *{_DECIMAL}s \] thds: (\d+) (?:tps|eps): {_DECIMAL} .*?lat \(ms,(\d+)%\): {_DECIMAL}(?: err/s: {_DECIMAL})?"
)
_SYSBENCH_BEGINS = r"sysbench 1\."
_SYSBENCH = {
    "users": (rf"Number of threads: {_N}", 1),
    "test_time_s": (rf" +(?:total time|time elapsed): +{_N}s", 1),  # the latter of 1.1
    "requests": (rf" +transactions: +{_N}", 1),
    "events": (rf" +total number of events: +{_N}", 1),
    "rate": (rf" +(?:transactions: +\d+ +\(|events per second: +){_N}", 1),
    "response_s": (rf" +avg: +{_N}", MS),
    "response_max_s": (rf" +max: +{_N}", MS),
    "response_p95_s": (rf" +95th percentile: +{_N}", MS),
    "response_p99_s": (rf" +99th percentile: +{_N}", MS),
    "failures": (rf" +ignored errors: +{_N}", 1),
}


@reader("sysbench_summary", "the report of sysbench at the end", "sysbench 1.0 without intervals",
        lambda head: has_line(_SYSBENCH_BEGINS)(head) and not has_line(_INTERVAL)(head),
        COLUMNS, lacks=("threads", "response_sd_s", "response_median_s"), user="thread")  # fmt: skip
def sysbench_summary(source):
    """Yield a row for each report of sysbench; where there are no transactions, its events are the requests."""
    for run in stated_runs(source, _SYSBENCH_BEGINS, _SYSBENCH):
        if "events" in run:
            run.setdefault("requests", run["events"])
        if "rate" not in run and "requests" in run and run.get("test_time_s"):
            run["rate"] = run["requests"] / run["test_time_s"]
        yield row_of_report(source, run)


@reader("sysbench", "what sysbench --report-interval prints as it runs", "a line [ 1s ] thds:", has_line(_INTERVAL),
        INTERVALS, user="thread")  # fmt: skip
def sysbench(source):
    """Yield a row for each interval; where the seconds begin anew, another run does.

    An interval has no mean response time. It is given that of its whole run, where the file has the report at its end.
    """
    clock, rows, last = ReaderClock(source.notes), [], 0.0
    for number, text in source.lines():
        if match := _INTERVAL.match(text):
            seconds = float(match[1])
            if seconds <= last:
                yield from rows
                rows = []
                clock.restart()
            last = seconds
            rows.append({
                "time_s": clock.since(seconds, number),
                "users": float(match[2]),
                "throughput_per_s": float(match[3]),
                "response_p95_s": float(match[5]) / MS if match[4] == "95" else math.nan,
                "failures_per_s": float(match[6]) if match[6] else math.nan,
                "line": number,
            })  # fmt: skip
        elif match := re.match(rf" +avg: +{_DECIMAL}", text):
            yield from (row | {"response_s": float(match[1]) / MS} for row in rows)
            if rows:
                told = "each interval has the mean response time of its whole run, which its report at the end prints"
                source.notes.add("mean", None, told)
            rows = []
        elif re.match(_SYSBENCH_BEGINS, text):
            yield from rows
            rows = []
        elif re.match(r"\[ *\d", text) and "s ] queue length: " not in text:  # of --rate, beside each interval
            source.skip(number, "an interval as sysbench prints it")
    yield from rows
    clock.finish()
