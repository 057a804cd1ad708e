"""The report of YCSB, a row for each run: the operations of all kinds together.

Form: YCSB 0.17. The kinds are READ, UPDATE, INSERT, SCAN and DELETE; an operation of READ-MODIFY-WRITE stands beside
the READ and the UPDATE that it is made of. A ``Return`` that is not OK counts those that failed.
"""

import math
import re

from dominoperf.loadtests.readers.recording import MS, US, reader, without_failed_responses

COLUMNS = ("users", "test_time_s", "requests", "failures", "throughput_per_s", "response_s", "response_median_s",
           "response_p95_s", "response_p99_s", "response_max_s", "line")  # fmt: skip
_LINE = re.compile(r"\s*\[([A-Z][\w-]*)\], ([^,]+), (\d{1,25}(?:\.\d*)?(?:E\d{1,2})?)\s*")
_ANYWHERE = re.compile(r"\[OVERALL\], (?:RunTime\(ms\)|Throughput)|YCSB Client |\d sec: \d+ operations; ")
_TIMES = {"median": "50thPercentileLatency", "p95": "95thPercentileLatency", "p99": "99thPercentileLatency",
          "max": "MaxLatency"}  # fmt: skip
_MIXED = "READ-MODIFY-WRITE"
_DONE = ("Return=OK", "Return=BATCHED_OK")


@reader("ycsb", "the report of YCSB", "a line [OVERALL], RunTime(ms), or its status: 10 sec: 5000 operations",
        lambda head: _ANYWHERE.search(head.text), COLUMNS, user="thread")  # fmt: skip
def ycsb(source):
    """Yield a row for each run; percentiles where it has operations of one kind, as those of several cannot be joined.

    Users are the threads, where the file has the command (``-threads``).
    """
    kinds, threads, begun, asked = {}, math.nan, None, math.nan
    for number, text in source.lines():
        if match := re.search(r"(?:-threads |threadcount=)(\d{1,9})\b", text):
            asked = float(match[1])
        if not (match := _LINE.fullmatch(text)):
            continue
        kind, name, value = match[1], match[2], float(match[3])
        if kind == "OVERALL" and name in kinds.get(kind, {"RunTime(ms)": 0} if kinds else {}):
            yield from _rows_of_ycsb_run(source, kinds, threads, begun)
            kinds = {}
        if not kinds:
            threads, begun, asked = asked, number, math.nan
        kinds.setdefault(kind, {})[name] = value
    if kinds:
        yield from _rows_of_ycsb_run(source, kinds, threads, begun)


def _rows_of_ycsb_run(source, kinds, threads, line):
    """The row of a run, whole if its operations are as many as its throughput says."""
    whole, row = kinds.get("OVERALL", {}), {"users": threads, "line": line}
    row["test_time_s"] = took = whole.get("RunTime(ms)", math.nan) / MS
    done = {kind: numbers for kind, numbers in kinds.items() if numbers.get("Operations") and "FAILED" not in kind
            and kind not in ("CLEANUP", "VERIFY") and not kind.startswith("Intended")}  # fmt: skip
    for kind, numbers in done.items():
        good = sum(numbers.get(name, 0.0) for name in _DONE)  # that returned OK
        if any(name.startswith("Return=") for name in numbers) and numbers["Operations"] != good:
            found = f"[{kind}] with {numbers['Operations']:,.0f} operations, and {good:,.0f} that returned OK"
            remedy = "In versions before 0.17 failed operations are among the others: run the test with 0.17."
            raise source.wrong(line, "the report of YCSB 0.17", found, remedy)
    mixed = done.pop(_MIXED, {}).get("Operations", 0.0)
    good = sum(numbers["Operations"] for numbers in done.values()) - mixed
    returned = [each for numbers in kinds.values() for each in numbers.items() if each[0].startswith("Return=")]
    failures = sum(value for name, value in returned if name not in _DONE)
    said = whole.get("Throughput(ops/sec)", math.nan) * took
    if not took or not any(math.isclose(said, total, rel_tol=1e-3, abs_tol=1) for total in (good, good + failures)):
        found = f"{good + failures:,.0f} operations, where its throughput says {said:,.0f}"
        source.notes.add("incomplete", line, f"{found}: not whole, so no throughput and no response times")
        yield row
        return
    row |= {"requests": good + failures, "failures": failures, "throughput_per_s": good / took}
    if failures and not good:
        yield without_failed_responses(source, row)
        return
    told = ""
    if mixed and failures:
        told = "no response times: an operation of READ-MODIFY-WRITE whose READ failed has its UPDATE among those done"
    elif len(done) == 1 and "CLEANUP" not in kinds:  # of a READ-MODIFY-WRITE the READ comes first, the UPDATE last
        told = "no CLEANUP, so the file may be cut off: no response times, as other kinds may be missing"
    if told:
        source.notes.add("incomplete", line, told)
        yield row
        return
    times = {kind: _seconds_of_ycsb(numbers) for kind, numbers in done.items()}
    if good:
        spent = sum(done[kind]["Operations"] * times[kind].get("AverageLatency", math.nan) for kind in done)
        row["response_s"] = spent / good
    if len(done) == 1:
        (only,) = times.values()
        row |= {f"response_{name}_s": only[column] for name, column in _TIMES.items() if column in only}
    elif done:
        told = "no percentiles: the file has them of each kind of operation, and those of several cannot be joined"
        source.notes.add("kinds", None, told)
    yield row


def _seconds_of_ycsb(numbers):
    """The times of a kind of operation in seconds, by their names without a unit."""
    times = ((name.removesuffix("(us)"), value) for name, value in numbers.items() if name.endswith("Latency(us)"))
    return {name: value / US for name, value in times}
