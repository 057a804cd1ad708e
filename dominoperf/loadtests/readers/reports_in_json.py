"""Reports of whole runs in JSON, a row each: Gatling, JMeter, autocannon, oha, Artillery, k6, fio.

Forms: runs made for the tests (autocannon 9, oha 1.16.0, Artillery 2.0, fio 3.33), and the manual of k6. Throughput is
that of the requests that did not fail; the response times are the tool's own, of failed requests too, with a note.
"""

import functools
import json
import math
import re

from dominoperf.loadtests.readers.recording import (
    MS,
    NS,
    json_value_at,
    reader,
    without_failed_responses,
)

COLUMNS = ("users", "threads", "test_time_s", "requests", "failures", "throughput_per_s", "response_s",
           "response_sd_s", "response_median_s", "response_p95_s", "response_p99_s", "response_max_s",
           "line")  # fmt: skip
PERCENTILES = {"50": "response_median_s", "95": "response_p95_s", "99": "response_p99_s", "100": "response_max_s"}
_BLANKS = re.compile(r"\s*")
# Engines of fio that wait for each operation, whatever queue depth is asked for.
_ONE_AT_A_TIME = ("sync", "psync", "vsync", "pvsync", "pvsync2", "mmap")


def rows_of_documents(source, rows_of, *, of_good=False):
    """Yield the rows of each JSON document of a file, which may have several, one after the other."""
    text = source.text()
    begins = re.search(r"^\s*\{", text, re.MULTILINE)  # before it fio may have printed notes
    at, end = begins.start() if begins else 0, len(text.rstrip())
    while at < end:
        at = _BLANKS.match(text, at).end()
        line = text.count("\n", 0, at) + 1
        try:
            document, at = json_value_at(text, at)
        except json.JSONDecodeError as error:
            remedy = "It may be cut off: give the file that the tool wrote."
            raise source.wrong(line, "whole JSON", str(error), remedy) from error
        yield from rows_of_report(source, line, document, rows_of, of_good=of_good)


def rows_of_report(source, line, report, rows_of, *, of_good=False):
    """Yield the rows of a report that begins in a line of a file; `of_good` says that its times are of no failures."""
    try:
        found = list(rows_of(report))
    except (KeyError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        remedy = "Name another reader, or none."
        raise source.wrong(line, "a report of a run", f"one without {error}", remedy) from error
    for row in found:
        source.notes.add("of the run", line, row.pop("note", ""))
        row["line"] = line
        yield row if of_good else without_failed_responses(source, row)


def _of_documents(rows_of, *, of_good=False):
    """The function from a source to its rows, of one from a JSON document to the rows of it."""
    return lambda source: rows_of_documents(source, rows_of, of_good=of_good)


def json_has_names(*names):
    """Return what recognises JSON by some of its names, wherever they are: k6 may write checks before its metrics."""

    def has_names(head):
        text = head.text if head.first.lstrip().startswith("{") else "".join(head.lines)
        return all(re.search(f'"{name}" *:', text) for name in names)

    return has_names


@reader("gatling_stats", "the statistics of Gatling's report (stats.json or global_stats.json)",
        "numberOfRequests and meanNumberOfRequestsPerSecond",
        json_has_names("numberOfRequests", "meanResponseTime"), COLUMNS, lacks=("users", "threads"))  # fmt: skip
@functools.partial(_of_documents, of_good=True)
def gatling_stats(report):
    """Yield the row of all requests of a run, from ``stats.json`` or ``global_stats.json`` of Gatling's report."""
    stats = report
    if "stats" in report:  # of stats.json, which has each request and group too
        stats = report["stats"]
    total, good = (float(stats["numberOfRequests"][of]) for of in ("total", "ok"))
    rate = stats["meanNumberOfRequestsPerSecond"]
    row = {
        "test_time_s": total / float(rate["total"]),
        "requests": total,
        "failures": total - good,
        "throughput_per_s": float(rate["ok"]) if good else 0.0,
        "note": "the percentiles are taken for the 50th, 75th, 95th and 99th, which gatling.conf may have changed",
    }
    names = {"response_s": "meanResponseTime", "response_sd_s": "standardDeviation",
             "response_max_s": "maxResponseTime", "response_median_s": "percentiles1",
             "response_p95_s": "percentiles3", "response_p99_s": "percentiles4"}  # fmt: skip
    yield row | ({column: float(stats[name]["ok"]) / MS for column, name in names.items()} if good else {})


@reader("jmeter_statistics", "the statistics of JMeter's HTML report (statistics.json)",
        "sampleCount and meanResTime", json_has_names("sampleCount", "meanResTime"), COLUMNS,
        lacks=("users", "threads", "response_sd_s"))  # fmt: skip
@_of_documents
def jmeter_statistics(report):
    """Yield the row of all requests of a run (`Total`), from ``statistics.json`` of the HTML report of JMeter."""
    total = report["Total"]
    names = {"response_s": "meanResTime", "response_median_s": "medianResTime", "response_p95_s": "pct2ResTime",
             "response_p99_s": "pct3ResTime", "response_max_s": "maxResTime"}  # fmt: skip
    row = {
        "test_time_s": total["sampleCount"] / total["throughput"],
        "requests": float(total["sampleCount"]),
        "failures": float(total["errorCount"]),
        "throughput_per_s": total["throughput"] * (1 - total["errorCount"] / total["sampleCount"]),
    } | {column: total[name] / MS for column, name in names.items() if name in total}  # the median since JMeter 5.2
    row["note"] = "the percentiles are taken for the 90th, 95th and 99th, which a property of JMeter may have changed"
    if any(label.endswith("-0") and label[:-2] in report for label in report):
        row["note"] += (
            "; the requests have redirects and embedded resources among them (X-0 beside X), which are parts of "
            "others; the results (`jmeter -l FILE.jtl`) are read without them"
        )
    yield row


@reader("autocannon", "the result of autocannon --json", "connections and pipelining",
        json_has_names("connections", "pipelining", "non2xx"), COLUMNS, lacks=("response_p95_s",),
        user="connection")  # fmt: skip
@_of_documents
def autocannon(result):
    """Yield the row of ``autocannon --json``; users are the connections."""
    times, good = result["latency"], result["1xx"] + result["2xx"] + result["3xx"]
    yield {
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


@reader("artillery", "the report of Artillery 2 (run --output)", "vusers.created and http.requests",
        json_has_names(r"vusers\.created", r"http\.requests"), COLUMNS,
        lacks=("users", "threads", "response_sd_s"))  # fmt: skip
@_of_documents
def artillery(report):
    """Yield the row of all HTTP requests of ``artillery run --output FILE``, which starts users at a rate.

    Artillery times a request to the first byte of its answer.
    """
    total = report["aggregate"]
    counts, times = total["counters"], total.get("summaries", {}).get("http.response_time", {})
    took = (total["lastCounterAt"] - total["firstCounterAt"]) / MS
    codes = ((re.fullmatch(r"http\.codes\.(\d{3})", name), count) for name, count in counts.items())
    good = sum(count for code, count in codes if code and 200 <= int(code[1]) < 400)
    names = {"mean": "response_s", "median": "response_median_s", "p95": "response_p95_s", "p99": "response_p99_s",
             "max": "response_max_s"}  # fmt: skip
    yield {
        "test_time_s": took,
        "requests": float(counts["http.requests"]),
        "failures": float(counts["http.requests"] - good),
        "throughput_per_s": good / took,
    } | {column: times[name] / MS for name, column in names.items() if name in times}


@reader("fio", "the result of fio --output-format=json", "fio version at the start",
        lambda head: re.search(r'"fio version"\s*:\s*"(?!fio-2)', head.text), ("workload", *COLUMNS),
        lacks=("threads", "failures"), user="outstanding operation")  # fmt: skip
@_of_documents
def fio(report):
    """Yield a row for each group of jobs of ``fio --output-format=json``: jobs that ran at the same time, added up.

    A group ends where a job waits for those before it (``stonewall``). Users are the outstanding operations: queue
    depth times jobs. A single job of one direction has percentiles: from submission, as the mean response, with
    ``lat_percentiles=1``, else from when the kernel took the operation.
    """
    told = "global options" in report or any("job options" in job for job in report["jobs"])
    for jobs in _fio_jobs_at_once(report):
        # With unified_rw_reporting all directions are in one, "mixed".
        ways = [job[way] for job in jobs for way in (("mixed",) if "mixed" in job else ("read", "write"))
                if job[way]["total_ios"]]  # fmt: skip
        done = sum(way["total_ios"] for way in ways)
        if not done:
            yield {"requests": 0.0, "throughput_per_s": 0.0}
            continue
        row = {
            "workload": ", ".join(dict.fromkeys(job["jobname"] for job in jobs)),
            "test_time_s": max(way["runtime"] for way in ways) / MS,
            "requests": float(done),
            "throughput_per_s": float(sum(way["iops"] for way in ways)),
            "response_s": sum(way["lat_ns"]["mean"] * way["total_ios"] for way in ways) / done / NS,
            "response_max_s": max(way["lat_ns"]["max"] for way in ways) / NS,
        }
        if told:
            row["users"] = float(sum(_fio_depth(job, jobs, report) for job in jobs))
        if len(ways) == 1:
            row["response_sd_s"] = ways[0]["lat_ns"]["stddev"] / NS
            for name, percent in (("median", "50"), ("p95", "95"), ("p99", "99")):
                places = ways[0]["lat_ns"].get("percentile") or ways[0]["clat_ns"].get("percentile", {})
                row[f"response_{name}_s"] = places.get(f"{percent}.000000", math.nan) / NS
        yield row


def _fio_jobs_at_once(report):
    """The jobs of a report in lists of those that ran at the same time."""
    groups = []
    for job in report["jobs"]:
        options = job.get("job options", {})
        beside = "new_group" in options and "stonewall" not in options  # a group of its own in the report alone
        if groups and (beside or job.get("groupid") == groups[-1][-1].get("groupid")):
            groups[-1].append(job)
        else:
            groups.append([job])
    return groups


def _fio_depth(job, jobs, report):
    """The operations that a job keeps outstanding: with ``group_reporting`` it stands for all of its name."""
    options = report.get("global options", {}) | job.get("job options", {})
    depth = 1 if options.get("ioengine", "psync") in _ONE_AT_A_TIME else int(options.get("iodepth", 1))
    alone = sum(other["jobname"] == job["jobname"] for other in jobs) == 1
    return depth * (int(options.get("numjobs", 1)) if alone else 1)
