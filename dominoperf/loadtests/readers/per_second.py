"""Logs of single requests, of k6, vegeta, hey and Gatling: a row for each second of the clock.

Forms: runs of k6 1.8.1, vegeta 12, hey 0.1.4 and Gatling 3.9.5 made for the tests. A request counts in the second in
which it ended. Failed requests (an error, or a status from 400 on) are counted apart: neither the throughput nor the
response times have them. A row also has the response times themselves (`RESPONSES`).
"""

import csv
import functools
import io
import itertools
import json
import math
import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.loadtests.readers.recording import (
    EPOCH,
    LATEST,
    MS,
    NS,
    RESPONSES,
    epoch_as_iso,
    epoch_seconds,
    failed_checks_in_words,
    iso_moment,
    reader,
)
from dominoperf.tables.files import BROKEN

COLUMNS = ("time", "time_s", "users", "throughput_per_s", "response_s", "response_median_s", "response_p95_s",
           "response_p99_s", "response_max_s", "failures", "line")  # fmt: skip
_BLOCK = 8 << 20  # bytes of a file that are in memory at once
_PIECE = 64 << 10  # bytes read at once: of a packed file that breaks off, no more than these are lost
PAUSE = 600  # seconds without a request, after which another run is taken to begin
_BREAK, _LONG, _ENOUGH = 60, 20, 20  # seconds, times the usual distance of requests, seconds that show what is usual
_OUT_OF_ORDER = 3  # lines of a block that end before the one above: more are no other runs
_BACK = 2  # seconds: tools write their requests nearly in the order in which they ended
_VEGETA = ("timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "attack", "seq", "method", "url",
           "headers")  # fmt: skip
_FEW_TEXTS = ("success", "threadName", "responseMessage", "label", "name", "metric_name",
              "expected_response")  # columns of a few texts, often  # fmt: skip
_K6 = r'metric_name,timestamp,metric_value|\{(?=.*"metric":).*"type": ?"(?:Metric|Point)"'
_K6_TIMES = ("http_req_duration", "grpc_req_duration")
_K6_DROPPED = "dropped_iterations"
_DROPPED_NOTE = (
    f"iterations that k6 had no virtual user to start for ({_K6_DROPPED}) count as failed requests, one each"
)
_GRPC = 16  # the highest status of gRPC; 0 is that of success
NONE = np.array([])


@dataclass(frozen=True)
class Requests:
    """Requests of a block of lines, and the numbers of users that it tells; times in seconds, an array each.

    Of a request that did not fail `failed` is 0; a line may stand for several that did.
    """

    line: np.ndarray
    ended: np.ndarray
    response: np.ndarray
    failed: np.ndarray
    users_at: np.ndarray
    users: np.ndarray


def each_second(blocks):
    """Return the function of a reader, of one that yields blocks of `Requests`: it gives a row for each second."""
    return lambda source: rows_per_second(source, blocks(source))


@reader(
    "k6",
    "samples of k6 (--out csv or json)",
    "its header: metric_name,timestamp,metric_value, or lines of Metric and Point",
    lambda head: not head.mapping and re.match(_K6, head.first),
    COLUMNS,
    user="virtual user",
)
@each_second
def k6(source):
    """Yield the requests of ``k6 run --out csv`` or ``--out json``, by ``http_req_duration`` or ``grpc_req_duration``.

    An iteration that was dropped for want of a virtual user counts as one failed request. A failed check does not: by
    k6's manual it fails no test, but for a threshold on the metric ``checks``, and it names no request; a note has the
    share. The users are those of the metric ``vus``.
    """
    if source.first_lines()[0].startswith("{"):
        yield from json_request_blocks(source, functools.partial(_k6_line, source, checks := []))
        source.notes.add("checks", None, failed_checks_in_words(sum(checks), len(checks)))
        return
    checks, passed = 0, 0.0
    needed, more = ("metric_name", "timestamp", "metric_value"), ("expected_response", "status")
    for lines, frame in csv_blocks(source, needed, more):
        at, value, status = (requests_number_column(frame, name) for name in ("timestamp", "metric_value", "status"))
        names = (*_K6_TIMES, _K6_DROPPED, "vus", "checks")
        http, grpc, dropped, alive, checked = (requests_where_text(frame, "metric_name", name.__eq__) for name in names)
        keep = http | grpc
        if keep.any() and not (np.abs(at[keep]) < LATEST).any():
            found, remedy = f"{frame['timestamp'][keep].iloc[0]}", "Run k6 without K6_CSV_TIME_FORMAT, or with `unix`."
            raise source.wrong(int(lines[keep][0]), "the time of a request in seconds since 1970", found, remedy)
        failed = requests_where_text(frame, "expected_response", lambda text: text.lower() == "false")
        failed |= np.where(grpc, (status > 0) & (status <= _GRPC), status == 0) | (status >= 400)
        if dropped.any():
            source.notes.add("dropped", None, _DROPPED_NOTE)
        checks, passed = checks + np.count_nonzero(checked), passed + np.nansum(value[checked])
        spent, failures = np.where(dropped, value - np.abs(value), value / MS), np.where(dropped, value, failed)
        keep |= dropped & (value != 0)
        yield known_requests(source, lines[keep], at[keep], spent[keep], failures[keep], at[alive], value[alive])
    source.notes.add("checks", None, failed_checks_in_words(passed, checks))


@reader(
    "vegeta_requests",
    "results of vegeta (encode --to csv or json)",
    "lines of a time in ns, a status and a latency, or of attack and seq",
    lambda head: re.match(r'\{"attack":|\d{19}(?:,\d+){4}(?:,[^,]*){4}', head.first),
    COLUMNS,
    lacks=("users",),
)
@each_second
def vegeta(source):
    """Yield the requests of ``vegeta encode --to csv`` or ``--to json``."""
    if source.first_lines()[0].startswith("{"):
        yield from json_request_blocks(source, _vegeta_line)
        return
    for lines, frame in csv_blocks(source, ("timestamp", "code", "latency"), names=_VEGETA):
        code, spent = requests_number_column(frame, "code"), requests_number_column(frame, "latency") / NS
        ended = requests_number_column(frame, "timestamp") / NS + spent
        yield known_requests(source, lines, ended, spent, ~((code >= 200) & (code < 400)))


@reader(
    "hey_requests",
    "requests of hey (-o csv)",
    "its header: response-time,DNS+dialup,...",
    lambda head: head.first.startswith("response-time,DNS+dialup,") and not head.mapping,
    COLUMNS,
    lacks=("time", "users"),
)
@each_second
def hey(source):
    """Yield the requests of ``hey -o csv``, which has no clock: its seconds are those of the run."""
    for lines, frame in csv_blocks(source, ("response-time", "status-code", "offset")):
        code, spent = requests_number_column(frame, "status-code"), requests_number_column(frame, "response-time")
        ended = requests_number_column(frame, "offset") + spent
        yield known_requests(source, lines, ended, spent, ~((code >= 200) & (code < 400)))


@reader(
    "gatling",
    "the simulation.log of Gatling in text (3.4 to 3.9)",
    "RUN and a tab at the start of a line, after ASSERTION at most",
    lambda head: next((line for line in head.lines if not line.startswith("ASSERTION\t")), "").startswith("RUN\t"),
    COLUMNS,
)
@each_second
def gatling(source):
    """Yield the requests of Gatling's ``simulation.log`` in text, without groups, the sums of their requests."""
    alive = 0
    for line, text in blocks_of_whole_lines(source, quotes=False):
        requests, users = [], []
        for number, text_of_line in enumerate(text.decode("utf-8", errors="replace").split("\n")[:-1], line):
            kind, *cells = text_of_line.rstrip("\r").split("\t")
            try:
                if kind == "USER":
                    alive += {"START": 1, "END": -1}[cells[1]]
                    users.append((int(cells[2]) / MS, alive))
                elif kind == "REQUEST":
                    start, end = int(cells[2]), int(cells[3])
                    requests.append((number, end / MS, (end - start) / MS, {"OK": False, "KO": True}[cells[4]]))
                    users.append((end / MS, alive))
                elif kind == "RUN" and re.match(r"[12]\.|3\.[0-3]\b", cells[-1]):
                    remedy = "Run the test with one of these versions."
                    raise source.wrong(number, "a log of Gatling 3.4 to 3.9", f"one of Gatling {cells[-1]}", remedy)
                elif kind not in ("RUN", "GROUP", "ERROR", "ASSERTION"):
                    raise ValueError(kind)
            except (ValueError, IndexError, KeyError, OverflowError):
                source.skip(number, "a line of RUN, USER, REQUEST, GROUP or ERROR as Gatling 3.4 to 3.9 write it")
        yield _requests_of_rows(source, requests, users)


def _k6_line(source, checks, text):
    """A request as (end, response, failed), with how many were dropped, users as (time, number), or nothing."""
    if not any(name in text for name in (b'req_duration"', b'"vus"', b'"dropped_iterations"', b'"checks"')):
        return ()
    point = json.loads(text)
    if point["type"] != "Point" or point["metric"] not in (*_K6_TIMES, _K6_DROPPED, "vus", "checks"):
        return ()
    data = point["data"]
    if point["metric"] == "checks":
        checks.append(int(data["value"]))
        return ()
    at = epoch_seconds(iso_moment(data["time"]))
    if point["metric"] == _K6_DROPPED:
        source.notes.add("dropped", None, _DROPPED_NOTE)
        return (at, data["value"] - abs(data["value"]), data["value"]) if data["value"] else ()
    if point["metric"] == "vus":
        return at, float(data["value"])
    tags = data.get("tags") or {}
    status = int(tags.get("status", 0 if point["metric"] == "grpc_req_duration" else 200))
    failed = 0 < status <= _GRPC if point["metric"] == "grpc_req_duration" else status == 0
    return at, data["value"] / MS, failed or tags.get("expected_response") == "false" or status >= 400


def _vegeta_line(text):
    """A request of vegeta in JSON as (end, response, failed)."""
    result = json.loads(text)
    spent = result["latency"] / NS
    return epoch_seconds(iso_moment(result["timestamp"])) + spent, spent, not 200 <= result["code"] < 400


def requests_number_column(frame, name):
    """Return a column as numbers; NaN where it is not there or has none."""
    if name not in frame:
        return np.full(len(frame), np.nan)
    return numbers_of_cells(frame[name]).to_numpy(float)


def numbers_of_cells(cells):
    """A column as numbers; NaN of a cell that is none. Whole numbers beyond 64 bits may be beyond a float too."""
    return pd.to_numeric(cells.astype("str") if cells.dtype == object else cells, errors="coerce")


def requests_where_text(frame, name, test):
    """Return where the text of a column, whose texts are few, passes a test; one that is not there is empty."""
    if name not in frame:
        return np.full(len(frame), test(""))
    cells = frame[name].cat
    return np.array([*map(test, cells.categories.astype(str)), test("")])[cells.codes]  # -1 is a cell without a text


# ---- the file in blocks, so that it may be larger than the memory


def csv_blocks(source, needed, more=(), names=None, delimiter=","):
    """Yield the numbers and the cells of each block of lines of CSV; names, if not given, are the first line's."""
    header = names or [name.strip() for name in source.first_lines()[0].split(delimiter)]
    if missing := [name for name in needed if name not in header]:
        remedy = "Give the file as the tool wrote it, or name another reader."
        found = f"no {', '.join(missing)} among {', '.join(header)}"
        raise source.wrong(1, f"the columns {', '.join(needed)}", found, remedy)
    wanted = [*dict.fromkeys(name for name in header if name in needed + more)]
    few = {name: "category" for name in wanted if name in _FEW_TEXTS}
    labels = [name if header.index(name) == k else f"{name}, column {k + 1}" for k, name in enumerate(header)]
    for line, text in blocks_of_whole_lines(source, quotes=True):
        first = 1 if line == 1 and not names else 0
        try:
            frame = pd.read_csv(io.BytesIO(text), sep=delimiter, header=None, names=labels, index_col=False,
                                skiprows=first, usecols=wanted, skip_blank_lines=False, on_bad_lines="skip", dtype=few,
                                encoding_errors="replace")  # fmt: skip
        except pd.errors.EmptyDataError:  # the header alone
            continue
        except (pd.errors.ParserError, IndexError) as error:  # the latter of lines with fewer cells, all of them
            remedy = "Mend the lines after it, or leave them out."
            raise source.wrong(line, "lines of CSV", str(error).strip(), remedy) from error
        lines = line + first + np.arange(len(frame))
        if len(frame) + first < text.count(b"\n"):  # cells in quotes with line ends of their own
            rows = csv.reader(io.StringIO(text.decode("utf-8", errors="replace"), newline=""),
                              delimiter=delimiter)  # fmt: skip
            lines = line + np.array([0, *(rows.line_num for _ in rows)])[first : first + len(frame)]
        yield lines, frame


def json_request_blocks(source, of_line):
    """Yield the `Requests` of each block of lines of JSON, for `each_second`; lines that are none are noted.

    `of_line` takes the bytes of a line. It returns a request, as its end, its response time and whether it failed, or
    how many did; or a time and the number of users at it; or nothing, as `()`.
    """
    for line, text in blocks_of_whole_lines(source, quotes=False):
        requests, users = [], []
        for number, result in enumerate(text.splitlines(), line):
            try:
                numbers = of_line(result)
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
                source.skip(number, "a result in JSON")
                continue
            if len(numbers) == 3:
                requests.append((number, *numbers))
            elif numbers:
                users.append(numbers)
        yield _requests_of_rows(source, requests, users)


def _requests_of_rows(source, requests, users):
    """The known requests of rows of line, end, response and failed, and of rows of time and users."""
    lines, ended, response, failed = np.array(requests, float).reshape(-1, 4).T
    users_at, users = np.array(users, float).reshape(-1, 2).T
    return known_requests(source, lines.astype(int), ended, response, failed, users_at, users)


def known_requests(source, lines, ended, response, failed, users_at=NONE, users=NONE, logged=None):
    """The requests whose time and response are numbers; the others are noted, and where the clock goes back."""
    logged = ended if logged is None else logged
    fine = (np.abs(ended) < LATEST) & (response >= 0) & (response < LATEST)  # not a number is not fine
    for number in lines[~fine]:
        source.skip(int(number), "a request with its time and response")
    lines, ended, response, failed, logged = (each[fine] for each in (lines, ended, response, failed, logged))
    steps = np.diff(logged, prepend=source.logged_s if len(logged) else [])
    back = np.flatnonzero(steps < -_BACK)
    if len(back) > _OUT_OF_ORDER:
        most = f"{-np.nanmin(steps):,.0f} s"
        text = f"{len(back):,} lines end before the one above, by up to {most}: not in the order of time"
        source.notes.add("order", int(lines[back[0]]), f"{text}; what ended in the same second is added up")
        back = back[:0]
    for k in back:
        text = f"the clock goes back by {-steps[k]:.0f} s: another run, or a clock that was set"
        source.notes.add("clock", int(lines[k]), f"{text}; what ended in the same second is added up")
    source.logged_s = logged[-1] if len(logged) else source.logged_s
    return Requests(lines, ended, response, failed, users_at, users)


def blocks_of_whole_lines(source, *, quotes):
    """Yield the number of the first line, and the bytes, of blocks of whole lines; with `quotes` no cell is parted."""
    line, rest, ended = 1, b"", False
    pieces = pieces_of_file(source)
    while not ended:
        taken, size = [rest], len(rest)
        while size < _BLOCK and not ended:
            piece = next(pieces, b"")
            taken.append(piece)
            size, ended = size + len(piece), not piece
        text = b"".join(taken)
        end = text.rfind(b"\n") + 1
        while quotes and end and text.count(b'"', 0, end) % 2:
            end = text.rfind(b"\n", 0, end - 1) + 1
        if not end and text and not ended:
            raise source.wrong(line, "lines of text", f"none that ends within {_BLOCK:,} bytes", "Look at it.")
        block, rest = text[:end], text[end:]
        if block:
            yield line, block.removeprefix(b"\xef\xbb\xbf") if line == 1 else block
        line += block.count(b"\n")
    if rest:
        source.cut = True
        source.notes.add("cut", line, "no line end, so the file may be cut off here; the line is left out")


def pieces_of_file(source):
    """Yield the bytes of a file a piece at a time, as far as it can be read."""
    with source.open() as file:
        read = getattr(file, "read1", file.read)
        while True:
            try:
                piece = read(_PIECE)
            except BROKEN as error:
                source.notes.add("cut", None, f"the file cannot be read to its end ({error})")
                return
            if not piece:
                return
            yield piece


# ---- seconds


def rows_per_second(source, blocks):
    """A row for each second from the first request that ended to the last.

    A second without a number of users has that of the one before. The throughput of the last is unknown, as is that of
    the first if the times are those of a clock: these seconds need not be whole.
    """
    requests, alive = {}, {}  # second -> [line, failures, responses of the others, when the first of it began], users
    for block in blocks:
        for second, places in _requests_by_second(block.ended):
            row = requests.setdefault(second, [int(block.line[places].min()), 0, [], math.inf])
            row[1] += int(block.failed[places].sum())
            row[2].append(block.response[places][block.failed[places] == 0])
            row[3] = min(row[3], float((block.ended[places] - block.response[places]).min()))
        valid = np.isfinite(block.users_at) & np.isfinite(block.users)
        for second, places in _requests_by_second(block.users_at[valid]):
            alive[second] = max(alive.get(second, 0.0), float(block.users[valid][places].max()))
    order = sorted(requests)
    if not order:
        return
    first, users = order[0], np.nan
    clocked = first > EPOCH
    source.notes.add("ends", None, "the last second is not whole, so its throughput is unknown" if not clocked else
                     "the first and the last second are not whole, so their throughput is unknown")  # fmt: skip
    ends = _seconds_that_end_a_run(np.array(order), np.array([requests[second][3] for second in order]))
    for second, after in itertools.zip_longest(order, order[1:]):
        line, failures, responses, _ = requests.pop(second)
        part, users = second in ends or (clocked and second == first), alive.get(second, users)
        times = np.concatenate(responses)
        row = {"time": epoch_as_iso(second) if clocked else None, "time_s": float(second - first), "users": users}
        row |= {"line": line, "failures": float(failures), "throughput_per_s": np.nan if part else float(len(times))}
        row[RESPONSES] = times
        yield row | response_columns(times)
        if after and second in ends:
            text = f"{after - second} s without a request: another run begins here, or another clock"
            source.notes.add("pause", requests[after][0], text)
            first, users = after, np.nan
            continue
        for k in range(second + 1, after or 0):  # nothing ended in these seconds, which is what a stall looks like
            users = alive.get(k, users)
            yield {"time": epoch_as_iso(k) if clocked else None, "time_s": float(k - first), "users": users,
                   "throughput_per_s": 0.0, "failures": 0.0, "line": line, RESPONSES: NONE}  # fmt: skip


def _seconds_that_end_a_run(seconds, began):
    """The last seconds of the runs of a log, of the seconds in which requests ended and when the first of each began.

    Another run begins after ten minutes without a request, or after one through which nobody waited, as in a stall, and
    which is far longer than what else lies between two requests.
    """
    steps = np.diff(seconds)
    waited = np.minimum.accumulate(began[::-1])[::-1][1:] <= seconds[:-1] + 1
    usual = np.median(steps) if len(steps) >= _ENOUGH else math.inf
    return {
        *seconds[:-1][(steps > PAUSE) | ((steps > max(_BREAK, _LONG * usual)) & ~waited)].tolist(),
        int(seconds[-1]),
    }


def response_columns(times):
    """Return the mean, the percentiles and the longest of response times by our names; nothing where there are none."""
    if not len(times):
        return {}
    median, p95, p99 = np.percentile(times, [50, 95, 99]).tolist()
    return {"response_s": float(times.mean()), "response_median_s": median, "response_p95_s": p95,
            "response_p99_s": p99, "response_max_s": float(times.max())}  # fmt: skip


def _requests_by_second(times):
    """The whole seconds of the times, each with the places of the times in it."""
    seconds = np.floor(times).astype(np.int64)
    order = np.argsort(seconds, kind="stable")
    begins = np.flatnonzero(np.diff(seconds[order], prepend=np.iinfo(np.int64).min))
    return [(int(seconds[places[0]]), places) for places in np.split(order, begins[1:]) if len(places)]
