"""Locust's ``--csv``: ``PREFIX_stats_history.csv``, a line per second and request, and ``PREFIX_stats.csv``, of a run.

Form: a run of Locust 2.47 made for the tests. Response times are printed in milliseconds, and are of all requests,
those that failed among them; the throughput is of the others.
"""

import math
import re

import numpy as np

from dominoperf.loadtests.readers.recording import (
    MS,
    OF_ALL,
    ReaderClock,
    epoch_as_iso,
    plain_number,
    reader,
    split_csv_line,
    without_failed_responses,
)

_PAUSE = 60  # seconds between two lines, after which no rate between them is one of the test
_ALL = "Aggregated"
_COUNTS = {"requests": "Request Count", "failures": "Failure Count"}
_RATES = {"requests_per_s": "Requests/s", "failures_per_s": "Failures/s"}
_TIMES = {
    "response_s": "Average Response Time",
    "response_median_s": "Median Response Time",
    "response_p95_s": "95%",
    "response_p99_s": "99%",
    "response_max_s": "Max Response Time",
}
HISTORY = ("time", "time_s", "users", "throughput_per_s", "requests_per_s", "failures_per_s", "response_s",
           "response_median_s", "response_p95_s", "response_p99_s", "line")  # fmt: skip
STATS = ("request", *_COUNTS, "throughput_per_s", *_RATES, *_TIMES, "line")
_TOTAL_MEAN = "Total Average Response Time"
_NEEDED = {
    "Timestamp": ("User Count", "Name", "Total Request Count", "Total Failure Count", _TOTAL_MEAN, "Requests/s"),
    "Type": ("Name", *_COUNTS.values(), *_RATES.values(), *_TIMES.values()),
}
_WINDOW = {"response_median_s": "50%", "response_p95_s": "95%", "response_p99_s": "99%"}


@reader("locust", "Locust's _stats_history.csv", "its header: Timestamp,User Count,...",
        lambda head: head.first.replace('"', "").startswith("Timestamp,User Count,Type,Name,"), HISTORY)  # fmt: skip
def locust_history(source):
    """Yield a row for the time between two lines of all requests together (`Aggregated`), from the first of them on.

    Locust prints totals since the start: the rates and the mean response time are from the differences of two lines.
    The users, the median and the percentiles, of the last ten seconds or so, are those of the later one.
    """
    clock, before, rows, others = ReaderClock(source.notes), None, 0, set()
    for line, cells in _locust_cells_of_lines(source, "Timestamp"):
        if cells is None:  # another run: its seconds begin anew
            before = None
            clock.restart()
            continue
        if cells["Name"] != _ALL:
            others.add(cells["Name"])
            continue
        if not re.fullmatch(r"\d{9,10}", cells["Timestamp"]):
            source.skip(line, "a line that begins with seconds since 1970")
            continue
        seconds, time_s = int(cells["Timestamp"]), clock.since(float(cells["Timestamp"]), line)
        count, failures = _locust_number(cells, "Total Request Count"), _locust_number(cells, "Total Failure Count")
        totals = np.array([seconds, count, failures, count * _locust_number(cells, _TOTAL_MEAN)])
        if before is not None:
            began, began_s, totals_before = before
            row = {"time": epoch_as_iso(began), "time_s": began_s, "users": _locust_number(cells, "User Count")}
            if _locust_number(cells, "Requests/s") or _locust_number(cells, "100%"):  # else a window without requests
                row |= {name: _locust_number(cells, column) / MS for name, column in _WINDOW.items()}
            length, requests, failed, spent = (totals - totals_before).tolist()
            if 0 < length <= _PAUSE and (requests < 0 or failed < 0):
                text = "the totals fall, so they were set back; rates here are unknown"
                source.notes.add("totals", line, text)
            elif 0 < length <= _PAUSE:  # else a clock that was set, or nothing recorded
                row["throughput_per_s"] = max(requests - failed, 0) / length
                row |= {"requests_per_s": requests / length, "failures_per_s": failed / length}
                row["response_s"] = spent / requests / MS if requests != failed else math.nan
                if failed and requests != failed:
                    source.notes.add("failures", None, OF_ALL)
            yield row | {"line": line}
            rows += 1
        before = seconds, time_s, totals
    clock.finish()
    if before is not None and not rows:
        source.notes.add("one line", None, "a single line: rates are between two")
    if len(others) > 1:  # one is all of them
        note = f"lines of single requests are not read ({len(others)} names); the file of totals has them, by request"
        source.notes.add("requests", None, note)


@reader("locust_stats", "Locust's _stats.csv", "its header: Type,Name,...",
        lambda head: head.first.replace('"', "").startswith("Type,Name,Request Count,"), STATS)  # fmt: skip
def locust_stats(source):
    """Yield the totals of a run, a row per request and one of all together (`Aggregated`)."""
    for line, cells in _locust_cells_of_lines(source, "Type"):
        if cells is not None:
            row = {"request": f"{cells['Type']} {cells['Name']}".strip(), "line": line}
            row |= {name: _locust_number(cells, column) for name, column in (_COUNTS | _RATES).items()}
            row["throughput_per_s"] = max(row["requests_per_s"] - row["failures_per_s"], 0.0)
            row |= {name: _locust_number(cells, column) / MS for name, column in _TIMES.items()}
            yield without_failed_responses(source, row, of_table=True)


def _locust_cells_of_lines(source, first):
    """The cells of every line by column; None in their place where a second header begins another run."""
    header = None
    for line, text in source.lines():
        cells = split_csv_line(text)
        if cells[:1] == [first]:
            if header:
                source.notes.add("restart", line, "another run begins")
                yield line, None
            header = cells
            if missing := [name for name in _NEEDED[first] if name not in header]:
                remedy = "Give the file as Locust wrote it; its columns are those of Locust 1.0 and later."
                raise source.wrong(line, f"the columns {', '.join(missing)} in the header", "none of that name", remedy)
        elif header and len(cells) == len(header):
            yield line, dict(zip(header, cells, strict=True))
        elif text:
            source.skip(line, f"{len(header or [])} cells under a header")


def _locust_number(cells, column):
    """The number in a column of a line; NaN for N/A and the like."""
    number = plain_number(cells.get(column, ""))
    return math.nan if number is None else number
