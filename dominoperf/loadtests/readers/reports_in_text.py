"""Reports of whole runs in text, a row each: wrk, ab, hey, vegeta, sysbench.

Forms: runs made for the tests (wrk 4.1, wrk2 of 2019, ab 2.3, hey 0.1.4, vegeta 12, sysbench 1.0.20). Throughput is
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
from dominoperf.loadtests.readers.reports_in_json import COLUMNS, PERCENTILES, rows_of_documents

_PER_S = {"ns": NS, "us": US, "µs": US, "ms": MS, "s": 1.0, "m": 1 / 60, "h": 1 / 3600}
_N = r"(-?[\d.]+)"
_LENGTH = r"([\d.]+)(us|ms|s|m|h)"  # as wrk writes it: 533.37us


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
            unit = values.pop() if values and values[-1] in _PER_S else None
            if not values:
                continue
            try:
                runs[-1][name] = sum(map(float, values)) / _PER_S.get(unit, divisor)
            except ValueError:  # a point without a digit, as in "Latency .s"
                source.skip(number, "a number")
        if runs and also:
            also(runs[-1], text)
    return runs


def _has_line(form):
    """What recognises a report by the beginning of one of its first lines."""
    return lambda head: any(re.match(form, line) for line in head.lines)


def _row_of_report(source, run, failed=0.0, failures=None):
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
    "response_s": (rf" +Latency +{_LENGTH} ", 1),
    "response_sd_s": (rf" +Latency +\S+ +{_LENGTH} ", 1),
    "response_max_s": (rf" +Latency +\S+ +\S+ +{_LENGTH}(?: |$)", 1),
    "response_median_s": (rf" +50(?:\.000)?% +{_LENGTH} ?$", 1),
    "response_p99_s": (rf" +99(?:\.000)?% +{_LENGTH} ?$", 1),
    "threads": (rf" +{_N} threads and ", 1),
    "users": (rf" +\d+ threads and {_N} connections", 1),
    "response_p95_s": (rf" +{_N} +0\.950000 +\d+ ", MS),  # wrk2 alone
    "requests": (rf" +{_N} requests in ", 1),
    "test_time_s": (rf" +\d+ requests in {_LENGTH},", 1),
    "status": (rf" +Non-2xx or 3xx responses: {_N}", 1),
    "broken": (r" +Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", 1),
    "rate": (rf"Requests/sec: +{_N}", 1),
}


@reader("wrk", "the report of wrk or wrk2", "a line Running 10s test @",
        lambda head: _has_line(_WRK_BEGINS)(head) and not any("│ Stat" in line for line in head.lines),  # autocannon's
        COLUMNS, user="connection")  # fmt: skip
def wrk(source):
    """Yield a row for each report of wrk or wrk2; requests that broke off are no requests of its rate."""
    for run in stated_runs(source, _WRK_BEGINS, _WRK):
        failed = run.get("status", 0.0)
        yield _row_of_report(source, run, failed, failed + run.get("broken", 0.0))


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


@reader("ab", "the report of ab (ApacheBench)", "This is ApacheBench", _has_line(_AB_BEGINS), COLUMNS,
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
        yield _row_of_report(source, run, failed, failed + run.get("broken", 0.0) + others)


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


_ALL_BUT = 1e-3  # share of hey's requests by which its counts may differ from its rate times its time, if all are there
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
        lambda head: (_has_line("Summary:")(head) and _has_line(r"\s*Slowest:")(head)
                      and not _has_line(r"\s*(?:Success rate|Count):")(head)),  # of oha, of ghz
        COLUMNS, lacks=("users", "threads", "response_sd_s"), user="worker")  # fmt: skip
def hey(source):
    """Yield a row for each report of hey, which does not tell its number of workers; its requests are its answers."""
    for run in stated_runs(source, "Summary:", _HEY, _add_hey_counts):
        total = run.get("rate", math.nan) * run.get("test_time_s", math.nan)
        if not run["of_oha"] and abs(run.get("requests", math.nan) - total) <= _ALL_BUT * total:
            run["counted"] = True  # all are there, though something took the empty lines at the end
        if not run["counted"]:
            source.notes.add("incomplete", run["line"], "the counts of status codes are not whole: no throughput")
            run = {column: value for column, value in run.items() if column not in ("rate", "requests")}
        failed = run.get("status", 0.0)
        yield _row_of_report(source, run, failed, failed)


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


_VEGETA_BEGINS = r"Requests +\[total, rate"
_VEGETA = {  # the first word of a line; what its names in brackets are
    "Requests": {"total": "requests", "throughput": "rate"},
    "Duration": {"total": "test_time_s"},
    "Latencies": PERCENTILES | {"mean": "response_s", "max": "response_max_s"},
}


@reader("vegeta", "the report of vegeta, in text or JSON (report --type json)",
        '{"latencies": at the start, or a line Requests [total, rate, throughput]',
        lambda head: re.match(r'\{\s*"latencies"\s*:', head.first) or _has_line(_VEGETA_BEGINS)(head),
        COLUMNS, lacks=("users", "threads", "response_sd_s"))  # fmt: skip
def vegeta(source):
    """Yield a row for each report of vegeta, which has a rate and no number of users.

    Where the throughput in text is below 1, and so of few digits, or is not there, it follows from the length of the
    test.
    """
    if source.text().lstrip().startswith("{"):
        yield from rows_of_documents(source, _rows_of_vegeta_json)
        return
    for run in stated_runs(source, _VEGETA_BEGINS, {}, _add_vegeta_line):
        if not run.keys() >= {"requests", "test_time_s", "good"} or not run["test_time_s"]:
            told = "a report without its length or its status codes: no throughput, and no response times"
            source.notes.add("incomplete", run["line"], told)
            yield {name: run[name] for name in ("requests", "line") if name in run}
            continue
        rate = run.get("rate", 0.0)
        run["throughput_per_s"] = rate if rate >= 1 else run["good"] / run["test_time_s"]
        run["failures"] = run["requests"] - run["good"]
        yield without_failed_responses(source, {column: run[column] for column in COLUMNS if column in run})


def _add_vegeta_line(run, text):
    """Add the numbers of a line, which names them in brackets: `Duration [total, attack, wait] 2s, 1.998s, 1.2ms`."""
    if match := re.match(r"(Requests|Duration|Latencies) +\[(.*?)\] +(.*)", text):
        for name, cell in zip(match[2].split(", "), match[3].split(", "), strict=False):
            column = _VEGETA[match[1]].get(name)
            number = plain_number(cell) if match[1] == "Requests" else _seconds_of_parts(cell)
            if column and number is not None:
                run[column] = number
    elif match := re.match(r"Status Codes +\[code:count\]((?: +\d{1,3}:\d{1,15})*) *$", text):
        counts = (pair.split(":") for pair in match[1].split())
        run["good"] = float(sum(int(count) for code, count in counts if 200 <= int(code) < 400))


def _seconds_of_parts(text):
    """The seconds of a length of time as Go writes it, such as 1m30.5s; None of anything else."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|[hms])", text)
    if not parts or "".join(map("".join, parts)) != text:
        return None
    return sum(float(number) / _PER_S[unit] for number, unit in parts)


def _rows_of_vegeta_json(report):
    times = report["latencies"]
    took = (report["duration"] + report["wait"]) / NS
    good = sum(count for code, count in report["status_codes"].items() if 200 <= int(code) < 400)
    yield {
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
        lambda head: _has_line(_SYSBENCH_BEGINS)(head) and not _has_line(_INTERVAL)(head),
        COLUMNS, lacks=("threads", "response_sd_s", "response_median_s"), user="thread")  # fmt: skip
def sysbench_summary(source):
    """Yield a row for each report of sysbench; where there are no transactions, its events are the requests."""
    for run in stated_runs(source, _SYSBENCH_BEGINS, _SYSBENCH):
        if "events" in run:
            run.setdefault("requests", run["events"])
        if "rate" not in run and "requests" in run and run.get("test_time_s"):
            run["rate"] = run["requests"] / run["test_time_s"]
        yield _row_of_report(source, run)


@reader("sysbench", "what sysbench --report-interval prints as it runs", "a line [ 1s ] thds:", _has_line(_INTERVAL),
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
