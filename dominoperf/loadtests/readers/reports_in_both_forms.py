"""Reports of whole runs, a row each, of tools that print them and write them in JSON: k6, oha, bombardier, vegeta.

What a tool prints is put into the form of its JSON, so that both are counted in one way. Forms: runs made for the tests
(k6 1.3, oha 1.16.0, bombardier 1.2.6, vegeta 12), and the manual of k6. Throughput is that of the requests that did not
fail; the response times are the tool's own, of failed requests too, with a note.
"""

import math
import re

from dominoperf.loadtests.readers.recording import (
    MS,
    NS,
    US,
    failed_checks_in_words,
    plain_number,
    reader,
    without_failed_responses,
)
from dominoperf.loadtests.readers.reports_in_json import (
    COLUMNS,
    PERCENTILES,
    json_has_names,
    rows_of_documents,
    rows_of_report,
)
from dominoperf.loadtests.readers.reports_in_text import (
    ALL_BUT,
    COUNTS_ARE_CUT,
    LENGTH,
    PER_S,
    has_line,
    row_of_report,
    stated_runs,
)

_K6_BEGINS = re.compile(r"\s*(?:execution: (?:local|cloud)$|█ TOTAL RESULTS)")
_K6_PART = re.compile(r"\s*█ (?:GROUP|SCENARIO)\b")  # of a summary in full, behind the metrics of the whole run
_K6_METRIC = re.compile(r"\s*(?:[✓✗] )?(\w+)\.{2,}: +(\S.*)")
_K6_LOOPING = re.compile(r"\s+\* \S+: (?:\d+ iterations (?:shared among|for each of) )?(\d{1,9}) (?:looping )?VUs\b")
_K6_SCENARIOS = re.compile(r"\s+scenarios: .*?(\d{1,9}) scenarios?,")
_K6_COUNT_AND_RATE = re.compile(r"(\d{1,15}) +(\d{1,15}(?:\.\d{1,15})?)/s")
_K6_SHARE = re.compile(r"[\d.]+% +(?:✓ (\d{1,15}) +✗ (\d{1,15})|(\d{1,15}) out of (\d{1,15}))")


@reader("k6_summary", "the summary of k6, as it prints it or in JSON (--summary-export, handleSummary)",
        "metrics and http_reqs",
        lambda head: (json_has_names("metrics", "http_reqs")(head) or has_line(_K6_BEGINS)(head)
                      or has_line(r"\s*(?:[✓✗] )?http_req\w+\.{2,}: ")(head)),
        COLUMNS, lacks=("threads", "response_sd_s"), user="virtual user")  # fmt: skip
def k6_summary(source):
    """Yield a row for each summary of k6.

    Users are the virtual users where there were as many all the time, or, as k6 prints at the start, its only scenario
    has as many. An iteration that was dropped for want of one counts as a failed request; a failed check does not, as
    it is of no one request.
    """
    if source.text().lstrip().startswith("{"):
        yield from rows_of_documents(source, _row_of_k6)
        return
    for summary in _printed_by_k6(source):
        yield from rows_of_report(source, summary["line"], summary, _row_of_k6)


def _row_of_k6(summary):
    """The row of a summary, whose metrics have their values beside them or, by handleSummary, below."""
    metrics = {name: metric.get("values", metric) for name, metric in summary["metrics"].items()}
    requests, times, vus = metrics["http_reqs"], metrics["http_req_duration"], metrics.get("vus", {})
    failures = metrics["http_req_failed"]["passes"]  # the requests of which it is true that they failed
    dropped = metrics.get("dropped_iterations", {}).get("count", 0)
    row = {
        "test_time_s": requests["count"] / requests["rate"],
        "requests": float(requests["count"] + dropped),
        "failures": float(failures + dropped),
        "throughput_per_s": requests["rate"] * (1 - failures / requests["count"]),
        "response_s": times["avg"] / MS,
        "response_max_s": times["max"] / MS,
    }
    names = {"med": "response_median_s", "p(95)": "response_p95_s", "p(99)": "response_p99_s"}
    row |= {column: times[name] / MS for name, column in names.items() if name in times}
    checks = metrics.get("checks", {"passes": 0, "fails": 0})
    row["note"] = failed_checks_in_words(checks["passes"], checks["passes"] + checks["fails"])
    if summary.get("looping_vus") or (vus and vus["min"] == vus["max"]):
        row["users"] = float(summary.get("looping_vus") or vus["max"])
    elif vus:
        varies = (
            f"from {vus['min']:g} to {vus['max']:g} virtual users: no number of users is that of the run; the samples "
            "(k6 run --out csv=FILE) have them second by second"
        )
        row["note"] = "; ".join(filter(None, (row["note"], varies)))
    yield row


def _printed_by_k6(source):
    """Return what k6 printed of each run in the form of its JSON, with its `line`, and `looping_vus` where told."""
    runs, in_part = [], False
    for number, text in source.lines():
        metric = _K6_METRIC.match(text)
        begins = _K6_BEGINS.match(text) and (not runs or runs[-1]["metrics"])
        again = metric and not in_part and metric[1] in runs[-1]["metrics"] if runs else metric
        if begins or again:
            runs.append({"line": number, "metrics": {}})
            in_part = False
        if not runs:
            continue
        if _K6_PART.match(text):
            in_part = True
        elif metric and not in_part:
            _add_k6_metric(runs[-1]["metrics"], *metric.groups())
        elif scenarios := _K6_SCENARIOS.match(text):
            runs[-1]["scenarios"] = int(scenarios[1])
        elif looping := _K6_LOOPING.match(text):
            runs[-1]["looping_vus"] = int(looping[1]) if runs[-1].get("scenarios") == 1 else 0
    return runs


def _add_k6_metric(metrics, name, text):
    """Add a metric by its name: a trend's statistics in ms, a counter, a rate, or the least and most of a gauge."""
    pairs = (word.partition("=") for word in text.split())
    statistics = {statistic: value for statistic, is_pair, value in pairs if is_pair}
    if count := _K6_COUNT_AND_RATE.match(text):
        metrics[name] = {"count": int(count[1]), "rate": float(count[2])}
    elif share := _K6_SHARE.match(text):
        passes, fails, part, whole = (group and int(group) for group in share.groups())
        passes, fails = (passes, fails) if passes is not None else (part, whole - part)
        metrics["checks" if name == "checks_succeeded" else name] = {"passes": passes, "fails": fails}
    elif statistics:  # of lengths of time in ms, or of a gauge
        numbers = {key: plain_number(value) if name.startswith("vus") else _ms_of_length(value)
                   for key, value in statistics.items()}  # fmt: skip
        metrics[name] = {key: number for key, number in numbers.items() if number is not None}


_OHA_CUT = "aborted due to deadline"  # what oha calls a request that its end cut off
_OHA_TIME = r"([\d.]+) (ns|us|ms|s)(?:ecs?)?$"
_OHA_RATE = r" +Success rate:"
_OHA = {
    "successRate": (rf"{_OHA_RATE}\s+([\d.]+)%", 100),
    "rate": (r" +Requests/sec:\s+([\d.]+)", 1),
    "total": (rf" +Total:\s+{_OHA_TIME}", 1),
    "slowest": (rf" +Slowest:\s+{_OHA_TIME}", 1),
    "average": (rf" +Average:\s+{_OHA_TIME}", 1),
    "p50": (rf" +50(?:\.00)?% in {_OHA_TIME}", 1),
    "p95": (rf" +95(?:\.00)?% in {_OHA_TIME}", 1),
    "p99": (rf" +99(?:\.00)?% in {_OHA_TIME}", 1),
}


@reader("oha", "the report of oha, as it prints it or in JSON (--output-format json)",
        "successRate and requestsPerSec, or a line Success rate:",
        lambda head: (json_has_names("successRate", "requestsPerSec")(head)
                      or (has_line("Summary:")(head) and has_line(_OHA_RATE)(head))),
        COLUMNS, lacks=("users", "threads", "response_sd_s"))  # fmt: skip
def oha(source):
    """Yield a row for each report of oha, which does not tell its number of connections.

    Requests that the end of the test cut off count neither as failed nor as done.
    """
    if source.text().lstrip().startswith("{"):
        yield from rows_of_documents(source, _row_of_oha)
        return
    runs = stated_runs(source, "Summary:", _OHA, _add_oha_counts)
    for run in (run for run in runs if "successRate" in run):  # hey begins as oha does
        counted = sum(sum(run.get(kind, {}).values()) for kind in ("statusCodeDistribution", "errorDistribution"))
        total = run.get("rate", math.nan) * run.get("total", math.nan)
        if not abs(counted - total) <= max(0.5, ALL_BUT * total):
            source.notes.add("incomplete", run["line"], COUNTS_ARE_CUT)
            yield {"line": run["line"]}
            continue
        run["summary"] = run | dict.fromkeys({"slowest", "average"} - {*run})
        run["latencyPercentiles"] = {name: run.get(name) for name in ("p50", "p95", "p99")}
        yield from rows_of_report(source, run["line"], run, _row_of_oha)


def _add_oha_counts(run, text):
    """Add a line of statuses or errors: `[200] 212 responses`, `[3] aborted due to deadline`."""
    if text.startswith("Status code distribution:"):
        run.update(statusCodeDistribution={}, errorDistribution={})
    elif "statusCodeDistribution" not in run:
        return
    elif match := re.match(r" +\[(\d{3})\] (\d{1,15}) responses", text):
        run["statusCodeDistribution"][match[1]] = int(match[2])
    elif match := re.match(r" +\[(\d{1,15})\] +(\S.*)", text):
        run["errorDistribution"][match[2]] = int(match[1])


def _row_of_oha(result):
    took, times, statuses = result["summary"]["total"], result["latencyPercentiles"], result["statusCodeDistribution"]
    good = sum(count for code, count in statuses.items() if 200 <= int(code) < 400)
    errors = sum(count for error, count in result["errorDistribution"].items() if error != _OHA_CUT)
    requests = sum(statuses.values()) + errors
    responses = {
        "response_s": result["summary"]["average"],
        "response_max_s": result["summary"]["slowest"],
        "response_median_s": times["p50"],
        "response_p95_s": times["p95"],
        "response_p99_s": times["p99"],
    }
    counts = {"requests": float(requests), "failures": float(requests - good), "throughput_per_s": good / took}
    yield (
        {"test_time_s": float(took)}
        | counts
        | {name: float(value) for name, value in responses.items() if value is not None}
    )


_BOMBARDIER = {
    "users": (r"Bombarding .* using (\d+) connection", 1),
    "rate": (r" +Reqs/sec +([\d.]+) ", 1),
    "response_s": (rf" +Latency +{LENGTH} ", 1),
    "response_sd_s": (rf" +Latency +\S+ +{LENGTH} ", 1),
    "response_max_s": (rf" +Latency +\S+ +\S+ +{LENGTH}$", 1),
    "response_median_s": (rf" +50% +{LENGTH}$", 1),
    "response_p95_s": (rf" +95% +{LENGTH}$", 1),
    "response_p99_s": (rf" +99% +{LENGTH}$", 1),
    "good": (r" +1xx - (\d+), 2xx - (\d+), 3xx - (\d+), ", 1),
    "bad": (r" +1xx - .* 4xx - (\d+), 5xx - (\d+)$", 1),
    "others": (r" +others - (\d+)$", 1),
}


@reader("bombardier", "the report of bombardier, as it prints it or in JSON (-o json)",
        "numberOfConnections and timeTakenSeconds, or a line Bombarding",
        lambda head: json_has_names("numberOfConnections", "timeTakenSeconds")(head) or has_line("Bombarding ")(head),
        COLUMNS, lacks=("threads",), user="connection")  # fmt: skip
def bombardier(source):
    """Yield a row for each report of bombardier; what broke off is a failed request.

    Its own rate is the mean of samples. So where a time was asked for, the requests are divided by it.
    """
    if re.search(r'^\{"spec":', source.text(), re.MULTILINE):
        yield from rows_of_documents(source, _row_of_bombardier_json)
        return
    for run in stated_runs(source, "Bombarding ", _BOMBARDIER, _add_bombardier_time):
        if not run.keys() >= {"good", "bad", "others"}:
            run.pop("rate", None)
            yield row_of_report(source, run)
            continue
        failed = run["bad"] + run["others"]
        run["requests"] = run["good"] + failed
        if run.get("test_time_s"):
            run["rate"] = run["requests"] / run["test_time_s"]
        else:
            told = (
                "the rate is the mean of bombardier's samples, which in a short run is too high; its JSON has the time"
            )
            source.notes.add("samples", run["line"], told)
        yield row_of_report(source, run, failed, failed)


def _add_bombardier_time(run, text):
    if asked := re.match(r"Bombarding .* for (\S+) using ", text):
        run["test_time_s"] = _seconds_of_length(asked[1])


def _row_of_bombardier_json(report):
    result, times = report["result"], report["result"]["latency"]
    good = sum(result[f"req{kind}xx"] for kind in "123")
    requests = good + result["req4xx"] + result["req5xx"] + result["others"]
    row = {
        "users": float(report["spec"]["numberOfConnections"]),
        "test_time_s": float(result["timeTakenSeconds"]),
        "requests": float(requests),
        "failures": float(requests - good),
        "throughput_per_s": good / result["timeTakenSeconds"],
        "response_s": times["mean"] / US,
        "response_sd_s": times["stddev"] / US,
        "response_max_s": times["max"] / US,
    }
    yield row | {column: times["percentiles"][name] / US for name, column in PERCENTILES.items()
                 if name in times.get("percentiles", {})}  # fmt: skip


_VEGETA_BEGINS = r"Requests +\[total, rate"
_VEGETA = {  # the first word of a line; what its names in brackets are
    "Requests": {"total": "requests", "throughput": "rate"},
    "Duration": {"total": "test_time_s"},
    "Latencies": PERCENTILES | {"mean": "response_s", "max": "response_max_s"},
}


@reader("vegeta", "the report of vegeta, in text or JSON (report --type json)",
        '{"latencies": at the start, or a line Requests [total, rate, throughput]',
        lambda head: re.match(r'\{\s*"latencies"\s*:', head.first) or has_line(_VEGETA_BEGINS)(head),
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
            number = plain_number(cell) if match[1] == "Requests" else _seconds_of_length(cell)
            if column and number is not None:
                run[column] = number
    elif match := re.match(r"Status Codes +\[code:count\]((?: +\d{1,3}:\d{1,15})*) *$", text):
        counts = (pair.split(":") for pair in match[1].split())
        run["good"] = float(sum(int(count) for code, count in counts if 200 <= int(code) < 400))


def _ms_of_length(text):
    seconds = _seconds_of_length(text)
    return None if seconds is None else MS * seconds


def _seconds_of_length(text):
    """The seconds of a length of time as Go writes it, such as 1m30.5s; None of anything else."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|[hms])", text)
    if not parts or "".join(map("".join, parts)) != text:
        return None
    return sum(float(number) / PER_S[unit] for number, unit in parts)


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
