"""Logs of single requests, of JMeter, k6, vegeta, hey and Gatling: a row for each second of the clock.

Forms: runs of JMeter 5.6.3, k6 1.8.1, vegeta 12, hey 0.1.4 and Gatling 3.9.5 made for the tests. A request counts
in the second in which it ended. Failed requests (an error, or a status from 400 on) are counted apart: neither the
throughput nor the response times have them, as an error page is often faster than the page. A row also has the response
times themselves (`RESPONSES`): the percentile of a minute does not follow from those of its seconds.
"""

import csv
import io
import itertools
import json
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
    US,
    epoch_as_iso,
    epoch_seconds,
    iso_moment,
    reader,
    split_csv_line,
)
from dominoperf.tables.files import BROKEN, WEB

COLUMNS = ("time", "time_s", "users", "throughput_per_s", "response_s", "response_median_s", "response_p95_s",
           "response_p99_s", "response_max_s", "failures", "line")  # fmt: skip
_BLOCK = 8 << 20  # bytes of a file that are in memory at once
_PIECE = 64 << 10  # bytes read at once: of a packed file that breaks off, no more than these are lost
_PAUSE = 600  # seconds without a request, after which another run is taken to begin
_BACK = 2  # seconds: tools write their requests nearly in the order in which they ended
_VEGETA = ("timestamp", "code", "latency", "bytes_out", "bytes_in", "error", "body", "attack", "seq", "method", "url",
           "headers")  # fmt: skip
_JMETER = ("timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
           "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime",
           "Connect")  # fmt: skip
_JMETER_CELLS = 16  # of a line that has allThreads where it is here: URL came with JMeter 5
_OTHERS = 1.05  # times the threads that a JMeter counts, from which on others wrote to its file too
_TWO_AT_ONCE = 0.005  # share of the requests that a thread begins before its last one ended, which no JMeter writes
_ALL_LINES = 0.98  # share of the lines of a block that are there several times, where all of the file are
_CLOCK = 0.0025  # seconds by which two times of one log may be wrong: each by a millisecond
_FEW_TEXTS = (
    "success",
    "threadName",
    "responseMessage",
    "label",
    "metric_name",
    "expected_response",
)  # columns of a few texts, often
_K6 = r'metric_name,timestamp,metric_value|\{(?=.*"metric":).*"type": ?"(?:Metric|Point)"'
_K6_TIMES = ("http_req_duration", "grpc_req_duration")
_GRPC = 16  # the highest status of gRPC; 0 is that of success
_NONE = np.array([])
_SUB_SAMPLE = re.compile(r".-\d+$")
_TRANSACTION = "Number of samples in transaction"  # JMeter: the sum of other lines


@dataclass(frozen=True)
class Requests:
    """Requests of a block of lines, and the numbers of users that it tells; times in seconds, an array each."""

    line: np.ndarray
    ended: np.ndarray
    response: np.ndarray
    failed: np.ndarray
    users_at: np.ndarray
    users: np.ndarray


def _each_second(blocks):
    """The function from a source to its rows, of one from a source to blocks of `Requests`: a row for each second."""
    return lambda source: rows_per_second(source, blocks(source))


@reader(
    "jmeter",
    "results of JMeter in CSV (JTL)",
    "its header: timeStamp,elapsed,..., or lines in the order of JMeter's columns",
    lambda head: _jmeter_form(head.first) and not head.mapping,
    COLUMNS,
)
@_each_second
def jmeter(source):
    """Yield the requests of a results file of JMeter in CSV (JTL), without transaction controllers and sub-samples.

    A transaction is the sum of other lines. Where the file has no others ("Generate parent sample"), the transactions
    are the requests. A sub-sample (a redirect, an embedded resource) is a part of another line, and so left out.

    The users are the most threads at work in the second (`allThreads`). Where several JMeter wrote the file (``-r``),
    each counts its own threads there, so the users are the threads by their names. Logs joined by hand, whose threads
    have the same names, are noted: their users cannot be told.

    A file in which every line is there twice, as two listeners with one file name write it, counts once.

    Properties of JMeter set another delimiter (``;``, a tab or ``|``), times as dates, or no header line; the columns
    are those of JMeter 5 then.
    """
    delimiter, header, headless = _jmeter_form(source.first_lines()[0]) or (",", _JMETER, False)
    if headless:
        told = "no header line: the columns are taken for those that JMeter 5 writes without other properties"
        source.notes.add("header", None, told)
    needed = ("timeStamp", "elapsed", "success")
    more = ("allThreads", "threadName", "responseMessage", "label", "bytes")
    parts, sums, held = 0, 0, []  # how many transactions there are; the first blocks while they have nothing else
    threads, seconds, most, counted, at_once, twins = [], [], 0.0, 0, 0, 0
    addressed = 0  # of those at once: with an address as label, within the time of another

    def requests(block, keep):
        """The requests of the lines to keep of a block; all lines tell the users."""
        lines, ended, spent, failed, users = block
        return known_requests(source, lines[keep], ended[keep], spent[keep], failed[keep], ended, users)

    blocks = _csv_blocks(source, needed, more, header if headless else None, delimiter)
    blocks = _blocks_of_one_listener(source, _in_ms_since_1970(source, blocks))
    for lines, frame, part in _blocks_with_sub_samples(source, blocks):
        began, spent = (_requests_number_column(frame, name) / MS for name in ("timeStamp", "elapsed"))
        ended = (_requests_number_column(frame, "timeStamp") + _requests_number_column(frame, "elapsed")) / MS
        keep = _requests_where_text(frame, "responseMessage", lambda text: not text.startswith(_TRANSACTION))
        failed = _requests_where_text(frame, "success", lambda text: text.lower() != "true")
        users = _requests_number_column(frame, "allThreads")
        block = lines, ended, spent, failed, users
        most = max(most, np.nanmax(users, initial=0.0))
        if "threadName" in frame:
            single = keep & ~part if keep.any() else ~keep
            names = frame["threadName"].astype("str").to_numpy()
            address = _requests_where_text(frame, "label", lambda label: label.startswith(WEB))
            of_threads = names[single], began[single], ended[single], address[single]
            lived, early, same, inside = _threads_of_requests(*of_threads)
            threads.append(lived)
            seconds.append(np.unique(np.floor(ended[single & (np.abs(ended) < LATEST)])))
            counted, at_once, twins = counted + np.count_nonzero(single), at_once + early, twins + same
            addressed += inside
        sums, parts = sums + np.count_nonzero(~keep), parts + np.count_nonzero(part)
        if held is not None and not keep.any():
            held.append(block)
            continue
        for sooner in held or ():
            yield requests(sooner, np.zeros(len(sooner[0]), bool))
        held = None
        yield requests(block, keep & ~part)
    if parts:
        text = f"{parts:,} sub-samples left out (redirects, embedded resources): each is a part of another line"
        source.notes.add("sub-samples", None, text)
    if held and sums:
        source.notes.add("transactions", None, f"{sums:,} transactions and nothing else: each counts as a request")
        for block in held:
            yield requests(block, np.ones(len(block[0]), bool))
    elif sums:
        text = f"{sums:,} lines of transactions left out: each is the sum of other lines"
        source.notes.add("transactions", None, text)
    if twins > at_once / 2 and twins > _TWO_AT_ONCE * counted:
        text = f"{twins:,} of {counted:,} requests are there before, with the same thread, time and length"
        why = "two listeners may have written the file, which has twice the throughput then: give that of one alone"
        source.notes.add("twice", None, f"{text}: {why}")
    elif at_once > _TWO_AT_ONCE * counted and addressed > at_once / 2:
        text = f"{addressed:,} of {counted:,} requests, whose label is an address, lie within another of their thread"
        why = "they may be redirects and embedded resources, which are parts of it, and are counted too"
        how = "Have JMeter name them after it (subresults.disable_renaming=false), or leave their lines out"
        source.notes.add("sub-samples", None, f"{text}: {why}. {how}")
    elif at_once > _TWO_AT_ONCE * counted:
        text = f"{at_once:,} of {counted:,} requests began before the last one of their thread had ended"
        why = "logs of several JMeter in one, whose threads have the same names, so that users are counted too few"
        for column, what in (("responseMessage", "transactions"), ("label", "sub-samples")):
            if column not in header:
                why += f"; or {what}, which only the column {column} tells from requests"
        source.notes.add("names", None, f"{text}: {why}. Give the log of each JMeter as a file, to be added up")
    if most and threads:
        at, alive = _threads_at_work(pd.concat(threads), np.unique(np.concatenate(seconds)))
        if alive.max(initial=0) > _OTHERS * most:
            text = f"{alive.max()} threads are at work at once by their names, where allThreads says {most:g}"
            source.notes.add("threads", None, f"{text}: a file of several JMeter (-r), whose users are added up")
            yield Requests(*[_NONE.astype(kind) for kind in (int, float, float, bool)], at, alive.astype(float))


def _jmeter_form(line):
    """The delimiter of results of JMeter, their columns, and whether there is no header line; None of other files.

    Without a header, a line has the cells of JMeter's first columns: a time, a response time, ..., true or false.
    """
    for delimiter in ",;\t|":
        cells = split_csv_line(line.rstrip("\r"), delimiter)
        if {"timeStamp", "elapsed", "success"} <= {*cells}:
            return delimiter, cells, False
        timed = re.fullmatch(r"\d{12,13}", cells[0]) or _date_form(cells[0]) if len(cells) >= 9 else None
        if timed and cells[1].isdigit() and cells[7].lower() in ("true", "false"):
            return delimiter, _JMETER[: len(cells)] if len(cells) >= _JMETER_CELLS else _JMETER[:9], True
    return None


def _date_form(text):
    """The form of a date as JMeter writes it; none where there is no such date, or the day may be the month."""
    match = re.fullmatch(r"\d{4}([-/.])\d\d\1\d\d([ T])\d\d:\d\d:\d\d([.,]\d{1,6})?", text.strip())
    if not match:
        return None
    mark, gap, part = match.groups()
    return f"%Y{mark}%m{mark}%d{gap}%H:%M:%S{part[0] + '%f' if part else ''}"


def _in_ms_since_1970(source, blocks):
    """The blocks with the times of JMeter as numbers, where a property of it writes dates."""
    form = None
    for lines, frame in blocks:
        texts = frame["timeStamp"]
        if not pd.api.types.is_numeric_dtype(texts):
            at = numbers_of_cells(texts)
            if at.isna().all() and not form and (first := texts.dropna().astype("str").iloc[:1].tolist()):
                form = _date_form(first[0])
                if not form:
                    remedy = "Have JMeter write ms since 1970 (jmeter.save.saveservice.timestamp_format=ms)."
                    expected = "times in ms since 1970, or as 2026/11/21 20:26:50.123, in column timeStamp"
                    raise source.wrong(int(lines[0]), expected, repr(first[0]), remedy)
                source.notes.add("dates", None, "the times are dates without a zone, which are taken as UTC")
            if form:
                dates = pd.to_datetime(texts.astype("str").str.strip(), format=form, errors="coerce")
                whole = dates.astype("datetime64[us]").astype("int64") / (US / MS)  # of ns a float has no room
                at = at.fillna(whole.where(dates.notna()))
            frame = frame.assign(timeStamp=at)
        yield lines, frame


def _blocks_of_one_listener(source, blocks):
    """The blocks; where the lines of the first one are all there several times, each is left in once.

    A thread has one request at a time, so equal lines that took any time are of several listeners.
    """
    copies, begun, left_out, count = None, {}, 0, 0
    for lines, frame in blocks:
        if copies is None:
            equal = frame.groupby([*frame], dropna=False, observed=True)["elapsed"].transform("size")
            equal = equal[(numbers_of_cells(frame["elapsed"]) > 0) & ("threadName" in frame)]
            copies = int(equal.median()) if len(equal) else 1
            copies = copies if (equal % copies == 0).mean() >= _ALL_LINES else 1
        if copies > 1:
            keys = pd.util.hash_pandas_object(frame, index=False)
            place = keys.groupby(keys).cumcount() + keys.map(begun).fillna(0).astype(int)
            last = (place.groupby(keys).last() + 1) % copies  # of a line whose others may be in the next block
            begun = {key: number for key, number in (begun | last.to_dict()).items() if number}
            again = (place % copies > 0).to_numpy()
            left_out, count = left_out + np.count_nonzero(again), count + len(again)
            lines, frame = lines[~again], frame[~again].reset_index(drop=True)
        yield lines, frame
    if left_out:
        text = f"{left_out:,} of {count:,} lines left out: every line is there {copies} times"
        source.notes.add("twice", None, f"{text}, as {copies} listeners with one file name write them")


def _blocks_with_sub_samples(source, blocks):
    """Each block of lines, and which of them are sub-samples, by the blocks before and after it too.

    JMeter calls the sub-samples of X X-0, X-1 and so on. Their time lies within that of X, in the same thread, where a
    request of its own that has such a name cannot begin. Before JMeter 5, or with subresults.disable_renaming, their
    label is their address.
    """
    before, block, labels, threads = None, None, set(), True
    for after in itertools.chain(blocks, [None]):
        threads = threads and (not after or "threadName" in after[1])
        if after and "label" in after[1]:
            labels.update(after[1]["label"].cat.categories.astype(str))
        if block:
            near = [each[1] for each in (before, block, after) if each]
            named = _are_sub_samples(block[1], near, labels)
            yield *block, named | _are_addressed_sub_samples(block[1], before[1] if before else None)
        before, block = block, after
    if not threads and any(label.endswith("-0") and label[:-2] in labels for label in labels):
        text = "labels such as X and X-0 may be of a request and its sub-samples (redirects, embedded resources)"
        source.notes.add("sub-samples", None, f"{text}, which only the column threadName tells: all are counted")


def _are_sub_samples(frame, near, labels):
    """Which lines of a block are sub-samples of a line of the blocks near it."""
    found = np.zeros(len(frame), bool)
    if not {"label", "threadName"} <= {*frame}:
        return found
    parent = [label.rpartition("-")[0] if _SUB_SAMPLE.search(label) else ""
              for label in frame["label"].cat.categories.astype(str)]  # fmt: skip
    parent = [label if label in labels and f"{label}-0" in labels else "" for label in parent]
    parent = np.array([*parent, ""], dtype=object)[frame["label"].cat.codes]
    if not (parent != "").any():
        return found
    spans = pd.concat([_spans_of_samples(each, each["label"].astype("str").to_numpy(dtype=object)) for each in near])
    spans = spans[spans["label"].isin({*parent}) & ~spans["transaction"]]
    inside = _spans_of_samples(frame, parent)
    inside["place"] = np.arange(len(frame))
    inside = inside[parent != ""]
    spans, inside = (
        each[np.isfinite(each["began"]) & np.isfinite(each["ended"])].sort_values("began", kind="stable")
        for each in (spans, inside)
    )
    spans["of"] = spans["began"]
    spans["ended"] = spans.groupby(["thread", "label"])["ended"].cummax()  # several JMeter may have such a thread
    both = pd.merge_asof(inside, spans, on="began", by=["thread", "label"], suffixes=("", "_of"))
    within = (both["began"] < both["ended_of"]) | (both["began"] == both["of"])
    found[both.loc[within & (both["ended"] <= both["ended_of"] + MS * _CLOCK), "place"]] = True
    return found


def _are_addressed_sub_samples(frame, sooner):
    """Which lines of a block have an address as label and are sub-samples for sure; `sooner` is the block before.

    JMeter writes them after the line that they are a part of, with its thread, within its time, and counts their bytes
    among its own. Several JMeter whose threads have the same names would also have requests of a thread that overlap
    by a part: where there are such, nothing is sure.
    """
    found = np.zeros(len(frame), bool)
    if not {"label", "threadName", "bytes"} <= {*frame}:
        return found
    addressed = _requests_where_text(frame, "label", lambda label: label.startswith(WEB))
    if not addressed.any():
        return found
    both = [each for each in (sooner, frame) if each is not None]
    rows = pd.concat([_spans_of_samples(each, each["label"].astype("str").to_numpy(dtype=object)) for each in both])
    rows["bytes"] = np.concatenate([_requests_number_column(each, "bytes") for each in both])
    rows["of_block"] = np.arange(len(rows)) - (len(rows) - len(frame))
    rows["addressed"] = [False] * (len(rows) - len(frame)) + [*addressed]
    rows = rows[~rows["transaction"] & np.isfinite(rows["began"]) & np.isfinite(rows["ended"])].reset_index(drop=True)
    latest = rows.groupby("thread")["ended"].cummax()
    latest_of = rows.index.to_series().where(rows["ended"] == latest)  # the first of equals is the parent
    latest_of = latest_of.where(latest > latest.groupby(rows["thread"]).shift(fill_value=-np.inf))
    parent = latest_of.groupby(rows["thread"]).ffill().groupby(rows["thread"]).shift()
    rows, parent = rows[parent.notna()], rows.loc[parent.dropna().astype(int)].set_axis(parent.dropna().index)
    early = parent["ended"] - rows["began"]
    within = (rows["began"] >= parent["began"]) & (rows["ended"] <= parent["ended"] + MS * _CLOCK)
    same = rows[["label", "began", "ended"]].eq(parent[["label", "began", "ended"]]).all(axis=1)
    part = (early > 0) & within & rows["addressed"] & ~same & (rows["bytes"] <= parent["bytes"])
    if np.count_nonzero((early > MS * _CLOCK) & ~within) <= np.count_nonzero(part) * _TWO_AT_ONCE:
        found[rows.loc[part, "of_block"]] = True
    return found


def _spans_of_samples(frame, label):
    """When each line of JMeter began and ended, in ms, with its thread and a label."""
    began = _requests_number_column(frame, "timeStamp")
    transaction = _requests_where_text(frame, "responseMessage", lambda text: text.startswith(_TRANSACTION))
    return pd.DataFrame({"thread": frame["threadName"].astype("str").to_numpy(dtype=object), "label": label,
                         "began": began, "ended": began + _requests_number_column(frame, "elapsed"),
                         "transaction": transaction})  # fmt: skip


def _threads_of_requests(names, began, ended, address):
    """When each thread began its first request and ended its last one, and its longest pause; how many it began
    before its last one had ended, how many are as the one before, and how many of an address lie within another.
    """
    rows = pd.DataFrame({"name": names, "began": began, "ended": ended, "address": address})
    rows = rows[np.isfinite(rows["began"]) & np.isfinite(rows["ended"]) & (rows["ended"] < LATEST)]
    rows = rows.sort_values(["name", "began", "ended"], kind="stable")  # one of 0 ms may begin as the next one does
    before = rows.groupby("name")["ended"].cummax().shift()
    rows["pause"] = rows["began"] - before
    rows.loc[~rows["name"].duplicated(), "pause"] = 0.0
    lived = rows.groupby("name").agg({"began": "min", "ended": "max", "pause": "max"})
    early = rows["pause"] < -_CLOCK
    twins, inside = rows.duplicated(["name", "began", "ended"]), rows["address"] & (rows["ended"] <= before + _CLOCK)
    return lived, *(int((early & each).sum()) for each in (early, twins, inside))


def _threads_at_work(lived, seconds):
    """The seconds of the rows, and the most threads that are at work at once in each.

    A thread is at work between the first and the last request that it did. The rows are those of `seconds`, in which
    requests ended, and of the seconds between them, if that is no pause. A thread that may have only paused at an end
    of the log, no longer than twice as elsewhere, is at work until there.
    """
    lived = lived.groupby(level=0).agg({"began": "min", "ended": "max", "pause": "max"})
    if lived.empty:
        return _NONE, _NONE
    first, last = lived["began"].min(), lived["ended"].max()
    began = lived["began"].mask(lived["began"] - 2 * lived["pause"] <= first, first)
    ended = lived["ended"].mask(lived["ended"] + 2 * lived["pause"] >= last, np.inf)
    steps = np.diff(seconds, append=seconds[-1:] + 1)
    steps = np.where(steps > _PAUSE, 1, steps).astype(int)
    at = np.repeat(seconds - np.cumsum(steps) + steps, steps) + np.arange(steps.sum())
    at = at[at < last]
    # As a second begins, and whenever a thread begins in it: one that ended by that millisecond has made room for it.
    began, ended = np.sort(began), np.sort(np.maximum(ended - 0.5 / MS, began))
    alive, begun = (
        np.searchsorted(began, moments, side="right") - np.searchsorted(ended, moments) for moments in (at, began)
    )
    row = np.searchsorted(at, np.floor(began))
    known = (row < len(at)) & (at[np.minimum(row, len(at) - 1)] == np.floor(began)) if len(at) else row < 0
    np.maximum.at(alive, row[known], begun[known])
    return at, alive


@reader(
    "k6",
    "samples of k6 (--out csv or json)",
    "its header: metric_name,timestamp,metric_value, or lines of Metric and Point",
    lambda head: not head.mapping and re.match(_K6, head.first),
    COLUMNS,
    user="virtual user",
)
@_each_second
def k6(source):
    """Yield the requests of ``k6 run --out csv`` or ``--out json``, by ``http_req_duration`` or ``grpc_req_duration``.

    A request by gRPC failed if its status is any of 1 to 16. The users are those of the metric ``vus``, which k6 gives
    once a second.
    """
    if source.first_lines()[0].startswith("{"):
        yield from _json_blocks(source, _k6_line)
        return
    needed, more = ("metric_name", "timestamp", "metric_value"), ("expected_response", "status")
    for lines, frame in _csv_blocks(source, needed, more):
        at, value, status = (_requests_number_column(frame, name) for name in ("timestamp", "metric_value", "status"))
        if np.isnan(at).all():  # K6_CSV_TIME_FORMAT=rfc3339
            dates = pd.to_datetime(frame["timestamp"].astype("str"), format="ISO8601", utc=True, errors="coerce")
            whole = dates.dt.tz_localize(None).astype("datetime64[us]").astype("int64") / US
            at = whole.where(dates.notna()).to_numpy(float)
        for limit, factor in ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3)):  # K6_CSV_TIME_FORMAT: ns, us, ms
            if np.nanmax(at, initial=0) > limit:
                at = at / factor
                break
        http, grpc, alive = (_requests_where_text(frame, "metric_name", name.__eq__) for name in (*_K6_TIMES, "vus"))
        keep = http | grpc
        failed = _requests_where_text(frame, "expected_response", lambda text: text.lower() == "false")
        failed |= np.where(grpc, (status > 0) & (status <= _GRPC), status == 0) | (status >= 400)
        yield known_requests(source, lines[keep], at[keep], value[keep] / MS, failed[keep], at[alive], value[alive])


@reader(
    "vegeta_requests",
    "results of vegeta (encode --to csv or json)",
    "lines of a time in ns, a status and a latency, or of attack and seq",
    lambda head: re.match(r'\{"attack":|\d{19}(?:,\d+){4}(?:,[^,]*){4}', head.first),
    COLUMNS,
    lacks=("users",),
)
@_each_second
def vegeta(source):
    """Yield the requests of ``vegeta encode --to csv`` or ``--to json``."""
    if source.first_lines()[0].startswith("{"):
        yield from _json_blocks(source, _vegeta_line)
        return
    for lines, frame in _csv_blocks(source, ("timestamp", "code", "latency"), names=_VEGETA):
        code, spent = _requests_number_column(frame, "code"), _requests_number_column(frame, "latency") / NS
        ended = _requests_number_column(frame, "timestamp") / NS + spent
        yield known_requests(source, lines, ended, spent, ~((code >= 200) & (code < 400)))


@reader(
    "hey_requests",
    "requests of hey (-o csv)",
    "its header: response-time,DNS+dialup,...",
    lambda head: head.first.startswith("response-time,DNS+dialup,") and not head.mapping,
    COLUMNS,
    lacks=("time", "users"),
)
@_each_second
def hey(source):
    """Yield the requests of ``hey -o csv``, which has no clock: its seconds are those of the run."""
    for lines, frame in _csv_blocks(source, ("response-time", "status-code", "offset")):
        code, spent = _requests_number_column(frame, "status-code"), _requests_number_column(frame, "response-time")
        ended = _requests_number_column(frame, "offset") + spent
        yield known_requests(source, lines, ended, spent, ~((code >= 200) & (code < 400)))


@reader(
    "gatling",
    "the simulation.log of Gatling in text (2.2 to 3.9)",
    "RUN and a tab at the start of a line, after ASSERTION at most",
    lambda head: next((line for line in head.lines if not line.startswith("ASSERTION\t")), "").startswith("RUN\t"),
    COLUMNS,
)
@_each_second
def gatling(source):
    """Yield the requests of Gatling's ``simulation.log`` in text, without groups, which are the sum of their requests.

    The users are the most at work in the second, by the lines of their starts and ends. Up to 3.3 the lines have the
    number of the user too, and up to 2.3 the scenario of a request.
    """
    alive = 0
    for line, text in blocks_of_whole_lines(source, quotes=False):
        requests, users = [], []
        for number, text_of_line in enumerate(text.decode("utf-8", errors="replace").split("\n")[:-1], line):
            kind, *cells = text_of_line.rstrip("\r").split("\t")
            try:
                if kind == "USER" and cells[1].isdigit():  # of 3.3: scenario, user, START, and two times
                    del cells[1]
                elif kind == "REQUEST":  # up to 3.3 the user is before the group, and up to 2.3 the scenario too
                    while cells[4] not in ("OK", "KO"):
                        del cells[0]
                if kind == "USER":
                    alive += {"START": 1, "END": -1}[cells[1]]
                    users.append((int(cells[-1]) / MS, alive))  # of 3.3: of the start, and of the end
                elif kind == "REQUEST":
                    start, end = int(cells[2]), int(cells[3])
                    requests.append((number, end / MS, (end - start) / MS, {"OK": False, "KO": True}[cells[4]]))
                    users.append((end / MS, alive))
                elif kind not in ("RUN", "GROUP", "ERROR", "ASSERTION"):
                    raise ValueError(kind)
            except (ValueError, IndexError, KeyError, OverflowError):
                source.skip(number, "a line of RUN, USER, REQUEST, GROUP or ERROR as Gatling 2.2 to 3.9 write it")
        yield _requests_of_rows(source, requests, users)


def _k6_line(text):
    """A request as (end, response, failed), a number of users as (time, number), or nothing."""
    if b'req_duration"' not in text and b'"vus"' not in text:
        return ()
    point = json.loads(text)
    if point["type"] != "Point" or point["metric"] not in (*_K6_TIMES, "vus"):
        return ()
    data = point["data"]
    at = epoch_seconds(iso_moment(data["time"]))
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


def _requests_number_column(frame, name):
    """A column as numbers; NaN where it is not there or has none."""
    if name not in frame:
        return np.full(len(frame), np.nan)
    return numbers_of_cells(frame[name]).to_numpy(float)


def numbers_of_cells(cells):
    """A column as numbers; NaN of a cell that is none. Whole numbers beyond 64 bits may be beyond a float too."""
    return pd.to_numeric(cells.astype("str") if cells.dtype == object else cells, errors="coerce")


def _requests_where_text(frame, name, test):
    """Where the text of a column, whose texts are few, passes a test; one that is not there is empty."""
    if name not in frame:
        return np.full(len(frame), test(""))
    cells = frame[name].cat
    return np.array([*map(test, cells.categories.astype(str)), test("")])[cells.codes]  # -1 is a cell without a text


# ---- the file in blocks, so that it may be larger than the memory


def _csv_blocks(source, needed, more=(), names=None, delimiter=","):
    """The numbers and the cells of each block of lines of CSV; names are those of the first line, if none are given."""
    header = names or [name.strip() for name in source.first_lines()[0].split(delimiter)]
    if missing := [name for name in needed if name not in header]:
        remedy = "Give the file as the tool wrote it, or name another reader."
        raise source.wrong(1, f"the columns {', '.join(needed)}", f"no {', '.join(missing)}", remedy)
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


def _json_blocks(source, of_line):
    """The requests of each block of lines of JSON."""
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
    return known_requests(source, lines.astype(int), ended, response, failed.astype(bool), users_at, users)


def known_requests(source, lines, ended, response, failed, users_at=_NONE, users=_NONE):
    """The requests whose time and response are numbers; the others are noted, and where the clock goes back."""
    fine = (np.abs(ended) < LATEST) & (response >= 0) & (response < LATEST)  # not a number is not fine
    for number in lines[~fine]:
        source.skip(int(number), "a request with its time and response")
    lines, ended, response, failed = lines[fine], ended[fine], response[fine], failed[fine]
    steps = np.diff(ended, prepend=source.ended_s if len(ended) else [])
    for k in np.flatnonzero(steps < -_BACK):
        text = f"the clock goes back by {-steps[k]:.0f} s: another run, or a clock that was set"
        source.notes.add("clock", int(lines[k]), f"{text}; what ended in the same second is added up")
    source.ended_s = ended[-1] if len(ended) else source.ended_s
    return Requests(lines, ended, response, failed, users_at, users)


def blocks_of_whole_lines(source, *, quotes):
    """Yield the number of the first line, and the bytes, of blocks of whole lines; with `quotes` no cell is parted."""
    line, rest = 1, b""
    with source.open() as file:
        read, ended = getattr(file, "read1", file.read), False
        while not ended:
            pieces, size = [rest], len(rest)
            while size < _BLOCK and not ended:
                try:
                    piece = read(_PIECE)
                except BROKEN as error:
                    source.notes.add("cut", None, f"the file cannot be read to its end ({error})")
                    piece = b""
                pieces.append(piece)
                size, ended = size + len(piece), not piece
            text = b"".join(pieces)
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


# ---- seconds


def rows_per_second(source, blocks):
    """A row for each second from the first request that ended to the last.

    A second without a number of users has that of the one before. A log need not begin or end with a whole
    second, so the throughput of the first and of the last is unknown; a run whose times count from its own start begins
    with a whole one.
    """
    requests, alive = {}, {}  # second -> [line, failures, responses of the others], most users
    for block in blocks:
        for second, places in _requests_by_second(block.ended):
            row = requests.setdefault(second, [int(block.line[places].min()), 0, []])
            row[1] += int(block.failed[places].sum())
            row[2].append(block.response[places][~block.failed[places]])
        valid = np.isfinite(block.users_at) & np.isfinite(block.users)
        for second, places in _requests_by_second(block.users_at[valid]):
            alive[second] = max(alive.get(second, 0.0), float(block.users[valid][places].max()))
    order = sorted(requests)
    if not order:
        return
    first, last, users = order[0], order[-1], np.nan
    clocked = first > EPOCH
    source.notes.add("ends", None, "the last second is not whole, so its throughput is unknown" if not clocked else
                     "the first and the last second are not whole, so their throughput is unknown")  # fmt: skip
    for second, after in itertools.zip_longest(order, order[1:]):
        line, failures, responses = requests.pop(second)
        part, users = second == last or (clocked and second == first), alive.get(second, users)
        times = np.concatenate(responses)
        row = {"time": epoch_as_iso(second) if clocked else None, "time_s": float(second - first), "users": users}
        row |= {"line": line, "failures": float(failures), "throughput_per_s": np.nan if part else float(len(times))}
        row[RESPONSES] = times
        yield row | response_columns(times)
        pause = (after or second) - second
        if pause > _PAUSE:
            source.notes.add("pause", requests[after][0], f"{pause} s without a request: another run, or another clock")
        else:  # nothing ended in these seconds, which is what a stall looks like
            for k in range(second + 1, after or 0):
                users = alive.get(k, users)
                yield {"time": epoch_as_iso(k) if clocked else None, "time_s": float(k - first), "users": users,
                       "throughput_per_s": 0.0, "failures": 0.0, "line": line, RESPONSES: _NONE}  # fmt: skip


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
