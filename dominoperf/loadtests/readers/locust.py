"""Locust's ``--csv``: ``PREFIX_stats_history.csv``, a line per second and request, and ``PREFIX_stats.csv``, of a run.

Form: a run of Locust 2.47 made for the tests. Response times are printed in milliseconds, and are of all requests,
those that failed among them; the throughput is of the others.
"""

import math
import re

from dominoperf.loadtests.readers.source import MS, Clock, Reader, from_epoch, plain_number, split

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
_LONGEST = "response_max_s"  # of a whole run alone
_GOOD = "throughput_per_s"  # of requests that did not fail
HISTORY = ("time", "time_s", "users", _GOOD, *_RATES, *(name for name in _TIMES if name != _LONGEST), "line")
STATS = ("request", *_COUNTS, _GOOD, *_RATES, *_TIMES, "line")
_TOTAL_MEAN = "Total Average Response Time"
_NEEDED = {
    "Timestamp": (
        "User Count",
        "Name",
        "Total Request Count",
        "Total Failure Count",
        _TOTAL_MEAN,
        "Requests/s",
    ),
    "Type": ("Name", *_COUNTS.values(), *_RATES.values(), *_TIMES.values()),
}
_WINDOW = {"response_median_s": "50%", "response_p95_s": "95%", "response_p99_s": "99%"}


def read_history(source):
    """Return the columns and rows of the history of a run, a row per line of all requests together (`Aggregated`).

    Locust prints totals since the start: the rates and the mean response time here are those since the line before,
    from the differences; the median and the percentiles are Locust's own, of the last ten seconds or so.
    """
    return HISTORY, _history_rows(source)


def read_stats(source):
    """Return the columns and rows of the totals of a run, a row per request and one of all together (`Aggregated`)."""
    return STATS, _request_rows(source)


READER = Reader(
    "locust",
    read_history,
    "Locust's _stats_history.csv",
    "its header: Timestamp,User Count,...",
    lambda head: head.first.startswith("Timestamp,User Count,Type,Name,"),
    columns=HISTORY,
)
STATS_READER = Reader(
    "locust_stats",
    read_stats,
    "Locust's _stats.csv",
    "its header: Type,Name,...",
    lambda head: head.first.startswith("Type,Name,Request Count,"),
    columns=STATS,
)


def _history_rows(source):
    """A row a line of all requests together; the lines of single requests are counted and left out."""
    clock, before, others = Clock(source.notes), None, set()
    for line, cells in _columns_of_lines(source, "Timestamp"):
        if cells is None:  # another run: its seconds begin anew
            before = None
            clock.restart()
        elif cells["Name"] != _ALL:
            others.add(cells["Name"])
        elif not re.fullmatch(r"\d{9,10}", cells["Timestamp"]):
            source.skip(line, "a line that begins with seconds since 1970")
        else:
            seconds, count = int(cells["Timestamp"]), _locust_number(cells, "Total Request Count")
            now = (
                seconds,
                count,
                _locust_number(cells, "Total Failure Count"),
                count * _locust_number(cells, _TOTAL_MEAN),
            )
            row = {"time": from_epoch(seconds), "time_s": clock.since(float(seconds), line), "line": line}
            row["users"] = _locust_number(cells, "User Count")
            if _locust_number(cells, "Requests/s") or _locust_number(
                cells, "100%"
            ):  # else zeros of a window without requests
                row |= {name: _locust_number(cells, column) / MS for name, column in _WINDOW.items()}
            yield row | _rates_between_lines(source, line, before, now)
            before = now
    clock.finish()
    if len(others) > 1:  # one is all of them
        note = f"lines of single requests are not read ({len(others)} names); the file of totals has them, by request"
        source.notes.add("requests", None, note)


def _rates_between_lines(source, line, before, now):
    """Rates and the mean response between two lines, of their seconds, requests, failures and summed responses.

    Totals that fall were set back, so nothing is known.
    """
    if before is None or not 0 < now[0] - before[0] <= _PAUSE:  # a clock that was set, or nothing recorded
        return {}
    length, count, failed, spent = (b - a for a, b in zip(before, now, strict=True))
    if count < 0 or failed < 0:
        source.notes.add("totals", line, "the totals fall, so they were set back; rates here are unknown")
        return {}
    mean = spent / count / MS if count else math.nan
    good = max(count - failed, 0) / length
    return {_GOOD: good, "requests_per_s": count / length, "failures_per_s": failed / length, "response_s": mean}


def _request_rows(source):
    """A row for each request, and one of all together."""
    for line, cells in _columns_of_lines(source, "Type"):
        if cells is None:
            continue
        row = {"request": f"{cells['Type']} {cells['Name']}".strip(), "line": line}
        row |= {name: _locust_number(cells, column) for name, column in (_COUNTS | _RATES).items()}
        row[_GOOD] = max(row["requests_per_s"] - row["failures_per_s"], 0.0)
        yield row | {name: _locust_number(cells, column) / MS for name, column in _TIMES.items()}


def _columns_of_lines(source, first):
    """The cells of every line by column; None in their place where a header stands again, of another run."""
    header = None
    for line, text in source.lines():
        cells = split(text)
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
