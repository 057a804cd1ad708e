"""Reports of whole runs in text, a row each: wrk, ab, hey, oha, siege, bombardier, vegeta, h2load, sysbench.

Forms: runs made for the tests (wrk 4.1, wrk2 of 2019, ab 2.3, hey 0.1.4, oha 1.16.0, siege 4.0.7, bombardier 1.2,
vegeta 12, h2load 1.52, sysbench 1.0.20). Throughput is that of the requests that did not fail; the response times are
the tool's own, which mix in those of the failed requests where there are any: a note says so. What oha, siege,
bombardier and vegeta write in JSON is read here too, and the intervals of sysbench.
"""

import bisect
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
from dominoperf.loadtests.readers.reports_in_json import COLUMNS, PERCENTILES, json_has_names, rows_of_documents

_PER_S = {"ns": NS, "us": US, "µs": US, "ms": MS, "s": 1.0, "sec": 1.0, "secs": 1.0, "m": 1 / 60, "min": 1 / 60,
          "h": 1 / 3600, "hr": 1 / 3600}  # fmt: skip
_N = r"(-?[\d.]+)"
_LENGTH = r"([\d.]+)(us|ms|s|m|h)"  # as wrk writes it: 533.37us


def stated_runs(source, begins, forms, also=None):
    """Return a dict for each run of a report: the numbers stated between one beginning and the next, and its `line`.

    Parameters
    ----------
    source : Recording
    begins : str
        Pattern of the line with which a run begins.
    forms : dict
        Name to the pattern of a line and the divisor of its number. Of two groups the second is a unit of time, and the
        number comes in seconds; several numbers (`broken` of wrk) are added up. A group that a line lacks is left out.
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

    `failed` of the requests that the tool's own `rate` counts are no throughput; `failures` are all that failed, those
    too that it does not count, where the report does not state them. Without a rate the run had not ended.
    """
    if "rate" not in run:
        source.notes.add("incomplete", run["line"], "a run without its requests per second: it had not ended")
        # Its response times may be of requests that failed, which the lines that are missing would say.
        return {column: run[column] for column in COLUMNS if column in run and "response_" not in column}
    run["throughput_per_s"] = run["rate"] * (1 - failed / run.get("requests", math.nan) if failed else 1)
    if failures is not None:
        run["failures"] = failures
    row = {column: run[column] for column in COLUMNS if column in run}
    if run.get("requests") == 0:  # a response of 0.00us stands for none
        row = {column: value for column, value in row.items() if not column.startswith("response_")}
    return without_failed_responses(source, row) if failed else row


_WRK_BEGINS = "Running .* test @ "
_LATENCY = {  # of wrk, and of bombardier, which prints these lines alike
    "response_s": (rf" +Latency +{_LENGTH} ", 1),
    "response_sd_s": (rf" +Latency +\S+ +{_LENGTH} ", 1),
    "response_max_s": (rf" +Latency +\S+ +\S+ +{_LENGTH}(?: |$)", 1),
    "response_median_s": (rf" +50(?:\.000)?% +{_LENGTH} ?$", 1),
    "response_p99_s": (rf" +99(?:\.000)?% +{_LENGTH} ?$", 1),
}
_WRK = _LATENCY | {
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

    Answers of another length than the first, which ab calls failed, are no failures here: a note says so. What ab could
    not receive it counts as a request all the same, and most often as an exception too.
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


def _has_oha_text(head):
    """Whether it is the report of oha, which is like that of hey."""
    return _has_line(r" +Success rate:\s")(head) and "Summary:" in head.lines


_TIME = rf"{_N} (ns|us|µs|ms|secs?|min|hr)$"  # hey writes all in seconds
_HEY = {  # also of oha, whose report is like that of hey
    "test_time_s": (rf" +Total:\s+{_TIME}", 1),
    "response_max_s": (rf" +Slowest:\s+{_TIME}", 1),
    "response_s": (rf" +Average:\s+{_TIME}", 1),
    "rate": (rf" +Requests/sec:\s+{_N}", 1),
    "response_median_s": (rf" +50(?:\.00)?%+ in {_TIME}", 1),
    "response_p95_s": (rf" +95(?:\.00)?%+ in {_TIME}", 1),
    "response_p99_s": (rf" +99(?:\.00)?%+ in {_TIME}", 1),
}


@reader("hey", "the report of hey", "Summary: and Slowest:",
        lambda head: (_has_line("Summary:")(head) and _has_line(r"\s*Slowest:")(head)
                      and not _has_oha_text(head) and not _has_line(r"\s*Count:")(head)),  # ghz's
        COLUMNS, lacks=("users", "threads", "response_sd_s"), user="worker")  # fmt: skip
def hey(source):
    """Yield a row for each report of hey, which does not tell its number of workers; its requests are its answers."""
    for run in stated_runs(source, "Summary:", _HEY, _add_hey_counts):
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


_OHA_CUT = "aborted due to deadline"  # what oha calls a request that its end cut off


@reader("oha", "the report of oha, in text or JSON", "successRate and requestsPerSec, or Success rate:",
        lambda head: json_has_names("successRate", "requestsPerSec")(head) or _has_oha_text(head),
        COLUMNS, lacks=("users", "threads", "response_sd_s"))  # fmt: skip
def oha(source):
    """Yield a row for each report of oha, which does not tell its number of connections.

    Requests that the end of the test cut off count neither as failed nor as done.
    """
    if not source.text().lstrip().startswith("{"):
        yield from _rows_of_oha_text(source)
        return
    yield from rows_of_documents(source, _rows_of_oha_json)


def _rows_of_oha_json(result):
    total, times = result["summary"]["total"], result["latencyPercentiles"]
    responses = {
        "response_s": result["summary"]["average"],
        "response_max_s": result["summary"]["slowest"],
        "response_median_s": times["p50"],
        "response_p95_s": times["p95"],
        "response_p99_s": times["p99"],
    }
    counts = _counts_of_oha(result["statusCodeDistribution"], result["errorDistribution"], float(total))
    yield counts | {name: float(value) for name, value in responses.items() if value is not None}


def _rows_of_oha_text(source):
    """The rows of oha's reports in text, whose counts are whole if they are as many as its rate says."""
    for run in stated_runs(source, "Summary:", _HEY, _add_oha_counts):
        statuses, errors = run.get("statuses", {}), run.get("errors", {})
        counted = sum(statuses.values()) + sum(errors.values())
        if (
            not {"rate", "test_time_s"} <= {*run}
            or not run["test_time_s"]
            or counted < 0.99 * run["rate"] * run["test_time_s"] - 1
        ):
            told = "the counts of status codes and errors are not whole: no throughput, and no response times"
            source.notes.add("incomplete", run["line"], told)
            yield {name: run[name] for name in ("test_time_s", "line") if name in run}
            continue
        row = {name: run[name] for name in run if name.startswith("response_")}
        row = _counts_of_oha(statuses, errors, run["test_time_s"]) | row | {"line": run["line"]}
        yield without_failed_responses(source, row)


def _add_oha_counts(run, text):
    """Add a line of oha's status codes or errors: `[200] 7800 responses`, `[113] operation timed out`."""
    if match := re.match(r" +\[(\d{3})\] (\d{1,15}) responses", text):
        run.setdefault("statuses", {})[match[1]] = int(match[2])
    elif match := re.match(r" +\[(\d{1,15})\] ([^|]*)$", text):  # a line of the histogram has a bar
        run.setdefault("errors", {})[match[2]] = int(match[1])


def _counts_of_oha(statuses, errors, total):
    """Requests, failures and throughput; without those that the end of the test cut off."""
    good = sum(count for code, count in statuses.items() if 200 <= int(code) < 400)
    requests = sum(statuses.values()) + sum(count for error, count in errors.items() if error != _OHA_CUT)
    counts = {"requests": float(requests), "failures": float(requests - good)}
    return {"test_time_s": total} | counts | {"throughput_per_s": good / total}


_BOMBARDIER_BEGINS = "Bombarding "
_BOMBARDIER_RESULT = r"Statistics +Avg +Stdev +Max"  # with -p r it is the first line
_BOMBARDIER = _LATENCY | {
    "users": (r"Bombarding .* using (\d+) connection", 1),
    "response_p95_s": (rf" +95% +{_LENGTH}$", 1),
    "others": (r" +others - (\d+)$", 1),  # errors and time-outs
    "bytes_per_s": (r" +Throughput: +([\d.]+)\w*/s$", 1),  # ends a report
}


@reader("bombardier", "the result of bombardier, in text or JSON (-o json -p r)",
        "numberOfConnections and timeTakenSeconds, or the line Statistics Avg Stdev Max",
        lambda head: json_has_names("numberOfConnections", "timeTakenSeconds")(head)
        or _has_line(_BOMBARDIER_RESULT)(head),
        COLUMNS, lacks=("threads",), user="connection")  # fmt: skip
def bombardier(source):
    """Yield a row for each result of bombardier; with ``-l`` it has percentiles.

    In text it has no length of the test but the one that was asked for (``-d``) or, of a number of requests (``-n``),
    the rate in its bar. Its own Reqs/sec is the mean of the rates in parts of some 20 ms, and may be several times that
    of the test where the machine was busy.
    """
    if source.text().lstrip().startswith("{"):
        yield from rows_of_documents(source, _rows_of_bombardier_json)
        return
    whole = any(text.startswith(_BOMBARDIER_BEGINS) for _, text in source.lines())
    for run in stated_runs(
        source, _BOMBARDIER_BEGINS if whole else _BOMBARDIER_RESULT, _BOMBARDIER, _add_bombardier_line
    ):
        if not run.keys() >= {"good", "others", "bytes_per_s"}:
            run.pop("rate", None)  # of the bar, of all requests: how many of them failed is not known
            yield _row_of_report(source, run)
            continue
        failures = run["failed"] + run["others"]
        run["requests"] = run["good"] + failures
        if run.get("test_time_s"):
            run["rate"] = run["requests"] / run["test_time_s"]
            told = "the throughput is that of the length asked for: in text bombardier does not print how long it took"
            source.notes.add("length", run["line"], told)
        elif "rate" not in run:
            told = "no throughput: the result does not say how long the test took; give all that bombardier prints, or "
            source.notes.add("length", run["line"], told + "what it prints with -o json")
            run["rate"] = math.nan
        yield _row_of_report(source, run, failures, failures)


def _add_bombardier_line(run, text):
    """Add how long the test was to be, the rate of a bar that is full, or the counts of status codes."""
    if match := re.match(r"Bombarding \S+ for ((?:[\d.]+(?:ms|[hms]))+) using ", text):
        run["test_time_s"] = _seconds_of_parts(match[1])
    elif match := re.search(r" (\d+) / \1 .*100\.00% (\d+)/s", text):
        run["rate"] = float(match[2])
    elif match := re.match(r" +1xx - (\d+), 2xx - (\d+), 3xx - (\d+), 4xx - (\d+), 5xx - (\d+)$", text):
        *good, client, server = map(float, match.groups())
        run |= {"good": sum(good), "failed": client + server}


def _rows_of_bombardier_json(report):
    result, times = report["result"], report["result"]["latency"]
    good = result["req1xx"] + result["req2xx"] + result["req3xx"]
    failures = result["req4xx"] + result["req5xx"] + result["others"]  # others are errors and time-outs
    row = {
        "users": float(report["spec"]["numberOfConnections"]),
        "test_time_s": float(result["timeTakenSeconds"]),
        "requests": float(good + failures),
        "failures": float(failures),
        "throughput_per_s": good / result["timeTakenSeconds"],
        "response_s": times["mean"] / US,
        "response_sd_s": times["stddev"] / US,
        "response_max_s": times["max"] / US,
    }
    places = times.get("percentiles", {})
    yield row | {column: places[name] / US for name, column in PERCENTILES.items() if name in places}


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

    In text its throughput has two digits after the point, and the length of a test of more than a minute is in whole
    seconds. Where the throughput is below 1, or is not there (in old versions), it follows from the length.
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


_H2LOAD_BEGINS = "starting benchmark"
_H2LOAD = {
    "test_time_s": (rf"finished in {_LENGTH}, ", 1),
    "rate": (rf"finished in [\d.]+[a-z]+, {_N} req/s", 1),
    "good": (r"requests: .* (\d+) succeeded,", 1),
    "failed": (r"requests: .* (\d+) failed,", 1),
    "broken": (r"requests: .* (\d+) errored,", 1),
}
_H2LOAD_TIMES = {"mean": "response_s", "sd": "response_sd_s", "median": "response_median_s", "p95": "response_p95_s",
                 "p99": "response_p99_s", "max": "response_max_s"}  # fmt: skip


@reader("h2load", "the report of h2load", "starting benchmark... at the start", _has_line(_H2LOAD_BEGINS), COLUMNS,
        lacks=("threads",), user="client")  # fmt: skip
def h2load(source):
    """Yield a row for each report of h2load, whose requests, and whose rate, are those that were answered.

    Those that it calls failed had an answer with a status from 400 on, or none.
    """
    for run in stated_runs(source, _H2LOAD_BEGINS, _H2LOAD, _add_h2load_line):
        if run.keys() >= {"good", "failed", "broken"}:
            failed = run["failed"] - run["broken"]
            run["requests"] = run["good"] + failed
            yield _row_of_report(source, run, failed, run["failed"])
        else:
            run.pop("rate", None)  # how many of it failed is not known
            yield _row_of_report(source, run)


def _add_h2load_line(run, text):
    """Add the clients of a thread, or the times of requests below the names of their columns."""
    if match := re.match(r"spawning thread #\d+: (\d{1,9}) total client", text):
        run["users"] = run.get("users", 0.0) + float(match[1])
    elif re.match(r" +min +max +", text):
        run["names"] = text.split()
    elif match := re.match(r"(?:time for )?request *:(.*)", text):
        for name, cell in zip(run.get("names", ()), match[1].split(), strict=False):
            length = re.fullmatch(_LENGTH, cell)
            if name in _H2LOAD_TIMES and length and plain_number(length[1]) is not None:
                run[_H2LOAD_TIMES[name]] = float(length[1]) / _PER_S[length[2]]


_SIEGE = re.compile(r'[{\s]*"?([A-Za-z_ ]+)"?:\s+([\d.]+)(?!,?\d)(?: (ms)\b)?')
_OF_SIEGE = {"transactions", "elapsed_time", "transaction_rate", "concurrency", "failed_transactions",
             "longest_transaction"}  # fmt: skip
_SIEGE_BEGINS = re.compile(r"\*\* Preparing (\d+) concurrent users")
_SIEGE_LOG = "Date & Time,  Trans,"
# The columns of siege.log beside the time; its throughput is of megabytes, and its mean response has two digits.
_OF_SIEGE_LOG = ("transactions", "elapsed_time", "", "", "transaction_rate", "", "concurrency",
                 "successful_transactions", "failed_transactions")  # fmt: skip


def _is_of_siege(head):
    """Whether siege printed its report, perhaps below thousands of requests, or wrote its log."""
    text = "\n".join(head.lines)
    return (
        head.first.lstrip().startswith(_SIEGE_LOG)
        or _has_line(_SIEGE_BEGINS)(head)
        or re.search(r'(?im)^[{\s]*"?transactions"?:.*\n\s*"?availability"?:', text)
    )


@reader("siege", "the report of siege, in text or JSON, or its log of runs (siege.log)",
        "transactions, and availability in the next line; or Date & Time, and Trans at the start", _is_of_siege,
        COLUMNS,
        lacks=("threads", "response_sd_s", "response_median_s", "response_p95_s", "response_p99_s"))  # fmt: skip
def siege(source):
    """Yield a row for each report of siege, or line of its log; the text alone may say how many users there were.

    Failures are the requests that siege calls failed, and its transactions that were not successful: of a status from
    400 on. The mean response time is the concurrency times the length of the test, divided by all requests: what siege
    calls concurrency is the time of all requests together, divided by the length. Its own mean has two digits after
    the point, is 0.00 below 5 ms, and divides the time of all requests by those that succeeded.
    """
    runs = _runs_of_siege_log if source.first_lines()[0].lstrip().startswith(_SIEGE_LOG) else _runs_of_siege_reports
    for run in runs(source):
        done, good = run["transactions"], min(run.get("successful_transactions", math.inf), run["transactions"])
        if good < done:
            text = f"{done - good:,.0f} of {done:,.0f} transactions were not successful (a status from 400 on)"
            source.notes.add("unsuccessful", run["line"], f"{text}: they count as failures")
        row = {
            "users": run["users"],
            "test_time_s": run["elapsed_time"],
            "requests": done + run["failed_transactions"],
            "failures": done - good + run["failed_transactions"],
            "throughput_per_s": run["transaction_rate"] * (good / done if done else 1.0),
            "response_max_s": run["longest_transaction"],
            "line": run["line"],
        }
        if row["requests"]:
            row["response_s"] = run["concurrency"] * run["elapsed_time"] / row["requests"]
        yield without_failed_responses(source, row)


def _runs_of_siege_reports(source):
    """The names and numbers of each whole report of siege."""
    users, run = math.nan, {}
    for number, text in source.lines():
        if match := _SIEGE_BEGINS.match(text):
            users = float(match[1])
        if not (match := _SIEGE.match(text)) or plain_number(match[2]) is None:
            continue
        name = match[1].lower().replace(" ", "_")
        if name == "transactions":
            run = {"line": number}
        run[name] = float(match[2]) / (MS if match[3] else 1)
        if name == "shortest_transaction" and run.keys() >= _OF_SIEGE:  # it ends the report: nothing is cut off
            yield run | {"users": users}
            users, run = math.nan, {}


def _runs_of_siege_log(source):
    """What the report of each run says, from the lines of siege.log, which know neither users nor the longest."""
    for number, text in source.lines():
        cells = [cell.strip() for cell in text.split(",")]
        numbers = dict(zip(_OF_SIEGE_LOG, map(plain_number, cells[1:]), strict=False))
        if len(cells) == len(_OF_SIEGE_LOG) + 1 and None not in [numbers[name] for name in _OF_SIEGE_LOG if name]:
            yield numbers | {"users": math.nan, "longest_transaction": math.nan, "line": number}
        elif text.strip() and not text.lstrip().startswith((_SIEGE_LOG, "****")):  # of --mark
            source.skip(number, "a run as siege logs it")


INTERVALS = ("time_s", "users", "throughput_per_s", "response_s", "response_p95_s", "failures_per_s", "line")
_DECIMAL = r"(-?\d+(?:\.\d*)?)"
_INTERVAL = re.compile(  # of 1.0; of 0.5 with a comma between, and the unit after the time
    rf"\[ *{_DECIMAL}s ?\] (?:thds|threads): (\d+),? (?:tps|eps): {_DECIMAL},? .*?"
    rf"(?:lat \(ms,(\d+)%\): {_DECIMAL}|response time: {_DECIMAL}ms \((\d+)%\))(?:,? err(?:/s|ors): {_DECIMAL})?"
)
_SYSBENCH_BEGINS = r"sysbench \d"
_SYSBENCH = {
    "users": (rf"Number of threads: {_N}", 1),
    "test_time_s": (rf" +(?:total time|time elapsed): +{_N}s", 1),  # the latter of 1.1
    "requests": (rf" +transactions: +{_N}", 1),
    "events": (rf" +total number of events: +{_N}", 1),
    "rate": (rf" +(?:transactions: +\d+ +\(|events per second: +){_N}", 1),
    "response_s": (rf" +avg: +{_N}", MS),
    "response_max_s": (rf" +max: +{_N}", MS),
    "response_p95_s": (rf" +(?:95th|approx\. +95) percentile: +{_N}", MS),  # the latter of 0.5
    "response_p99_s": (rf" +(?:99th|approx\. +99) percentile: +{_N}", MS),
    "failures": (rf" +ignored errors: +{_N}", 1),
}


@reader("sysbench_summary", "the report of sysbench at the end", "sysbench 1.0 without intervals",
        lambda head: _has_line(_SYSBENCH_BEGINS)(head) and not _has_line(_INTERVAL)(head),
        COLUMNS, lacks=("threads", "response_sd_s", "response_median_s"), user="thread")  # fmt: skip
def sysbench_summary(source):
    """Yield a row for each report of sysbench; where there are no transactions, its events are the requests.

    Version 0.5 without BEGIN and COMMIT counts 0 transactions, and no version gives the rate of events of all tests:
    then it is that of the whole time.
    """
    for run in stated_runs(source, _SYSBENCH_BEGINS, _SYSBENCH):
        if run.get("events") and run.get("requests") == 0:
            run = {column: value for column, value in run.items() if column not in ("rate", "requests")}
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
    ends, last = [], 0.0  # the lines with which a run ends, or another begins, and the mean response time
    for number, text in source.lines():
        if match := re.match(rf" +avg: +{_DECIMAL}", text):
            ends.append((number, float(match[1]) / MS))
        elif re.match(_SYSBENCH_BEGINS, text):
            ends.append((number, math.nan))
            last = 0.0
        elif match := _INTERVAL.match(text):
            if float(match[1]) <= last:
                ends.append((number, math.nan))
            last = float(match[1])
    clock, last = ReaderClock(source.notes), 0.0
    for number, text in source.lines():
        if match := _INTERVAL.match(text):
            seconds = float(match[1])
            if seconds <= last:
                clock.restart()
            last = seconds
            at = bisect.bisect_right(ends, number, key=lambda end: end[0])
            mean = ends[at][1] if at < len(ends) else math.nan
            if mean == mean:
                told = "each interval has the mean response time of its whole run, which its report at the end prints"
                source.notes.add("mean", None, told)
            yield {
                "time_s": clock.since(seconds, number),
                "users": float(match[2]),
                "throughput_per_s": float(match[3]),
                "response_s": mean,
                "response_p95_s": float(match[5] or match[6]) / MS if "95" in match.group(4, 7) else math.nan,
                "failures_per_s": float(match[8]) if match[8] else math.nan,
                "line": number,
            }
        elif re.match(r"\[ *\d", text):
            source.skip(number, "an interval as sysbench prints it")
    clock.finish()
