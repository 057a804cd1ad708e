"""The log of requests that JMeter writes (JTL), and how many of its threads were at work in each second.

Forms: runs of JMeter 5.6.3 made for the tests. Requests are counted in seconds as in `per_second`.
"""

import itertools
import re

import numpy as np
import pandas as pd

from dominoperf.loadtests.readers.per_second import (
    COLUMNS,
    NONE,
    PAUSE,
    Requests,
    csv_blocks,
    each_second,
    known_requests,
    numbers_of_cells,
    requests_number_column,
    requests_where_text,
)
from dominoperf.loadtests.readers.recording import LATEST, MS, US, reader, split_csv_line
from dominoperf.tables.files import WEB

_TRANSACTION = "Number of samples in transaction"  # JMeter: the sum of other samples
_JMETER = ("timeStamp", "elapsed", "label", "responseCode", "responseMessage", "threadName", "dataType", "success",
           "failureMessage", "bytes", "sentBytes", "grpThreads", "allThreads", "URL", "Latency", "IdleTime",
           "Connect")  # fmt: skip
_JMETER_CELLS = 16  # of a line that has allThreads where it is here: URL came with JMeter 5
_OTHERS = 1.05  # times the threads that a JMeter counts, from which on others wrote to its file too
_TWO_AT_ONCE = 0.005  # share of the requests that a thread begins before its last one ended, which no JMeter writes
_ALL_LINES = 0.98  # share of the lines of a block that are there several times, where all of the file are
_CLOCK = 0.0025  # seconds by which two times of one log may be wrong: each by a millisecond
_SUB_SAMPLE = re.compile(r".-\d+$")


@reader(
    "jmeter",
    "results of JMeter in CSV (JTL)",
    "its header: timeStamp,elapsed,..., or lines in the order of JMeter's columns",
    lambda head: _jmeter_form(head.first) and not head.mapping,
    COLUMNS,
)
@each_second
def jmeter(source):
    """Yield the requests of a results file of JMeter (JTL), without transaction controllers and sub-samples.

    A transaction is the sum of other requests. Where the file has no others ("Generate parent sample"), the
    transactions are the requests. A sub-sample (a redirect, an embedded resource) is a part of another request, and so
    left out.

    The users are the most threads at work in the second (`allThreads`). Where several JMeter wrote the file (``-r``),
    each counts its own threads there, so the users are the threads by their names. Logs joined by hand, whose threads
    have the same names, are noted: their users cannot be told.

    A file in which every sample is there twice, as two listeners with one file name write it, counts once.

    Properties of JMeter set another delimiter (``;``, a tab or ``|``), times as dates, or no header line; the columns
    are those of JMeter 5 then.
    """
    header, blocks = _blocks_of_csv(source)
    threads, parts, sums, held = _Threads(), 0, 0, []  # the first blocks are held while they are transactions alone
    for samples in blocks:
        threads.add(samples)
        parts, sums = parts + samples["part"].sum(), sums + samples["transaction"].sum()
        if held is not None and samples["transaction"].all():
            held.append(samples)
            continue
        for sooner in held or ():
            yield _requests_of_samples(source, sooner, np.zeros(len(sooner), bool))
        held = None
        yield _requests_of_samples(source, samples, ~(samples["transaction"] | samples["part"]))
    if parts:
        text = f"{parts:,} sub-samples left out (redirects, embedded resources): each is a part of another request"
        source.notes.add("sub-samples", None, text)
    if held and sums:
        source.notes.add("transactions", None, f"{sums:,} transactions and nothing else: each counts as a request")
        for samples in held:
            yield _requests_of_samples(source, samples, np.ones(len(samples), bool))
    elif sums:
        text = f"{sums:,} transactions left out: each is the sum of other requests"
        source.notes.add("transactions", None, text)
    threads.note_other_writers(source.notes, header)
    yield from threads.of_several_jmeter(source.notes)


def _blocks_of_csv(source):
    """The columns of results of JMeter in CSV, and the samples of each block of lines."""
    delimiter, header, headless = _jmeter_form(source.first_lines()[0]) or (",", _JMETER, False)
    if headless:
        told = "no header line: the columns are taken for those that JMeter 5 writes without other properties"
        source.notes.add("header", None, told)
    needed = ("timeStamp", "elapsed", "success")
    more = ("allThreads", "threadName", "responseMessage", "label", "bytes")
    blocks = csv_blocks(source, needed, more, header if headless else None, delimiter)
    blocks = _blocks_of_one_listener(source, _in_ms_since_1970(source, blocks))
    return header, _blocks_with_sub_samples(source, blocks)


def _requests_of_samples(source, samples, counted):
    """The requests of the samples that are counted, and the users by these and by the sub-samples.

    A transaction that is the sum of others tells none: it lasts longer than it says, by the time between its requests.
    """
    requests = (samples.loc[counted, name].to_numpy() for name in ("line", "ended", "spent", "failed"))
    users = samples["users"].where(counted | ~samples["transaction"])
    logged = _times_of_logging(samples)[counted].to_numpy()
    return known_requests(source, *requests, samples["ended"].to_numpy(), users.to_numpy(), logged)


def _times_of_logging(samples):
    """When each sample of a block was logged: as it ended, or with the transaction that it is a request of.

    With "Generate parent sample" a transaction comes first, and its requests after it.
    """
    if "thread" not in samples or not samples["transaction"].any():
        return samples["ended"]
    last = samples[["began", "ended"]].where(samples["transaction"]).groupby(samples["thread"]).ffill()
    within = (samples["began"] >= last["began"] - _CLOCK) & (samples["ended"] <= last["ended"] + _CLOCK)
    return last["ended"].where(within, samples["ended"])


class _Threads:
    """The threads of a log by their names: when each worked, and what shows that others wrote to the file too."""

    def __init__(self):
        self._lived, self._seconds, self._most = [], [], 0.0
        self._requests = self._at_once = self._twins = 0
        self._inside = 0  # of those at once: with an address as label, within the time of another

    def add(self, samples):
        """Add the requests of a block; of one without others the transactions are these."""
        self._most = max(self._most, np.nanmax(samples["users"].to_numpy(), initial=0.0))
        if "thread" not in samples:
            return
        if not samples["transaction"].all():
            samples = samples[~(samples["transaction"] | samples["part"])]
        self._requests += len(samples)
        ended = samples["ended"].to_numpy()
        self._seconds.append(np.unique(np.floor(ended[np.abs(ended) < LATEST])))
        rows = samples[np.isfinite(samples["began"]) & np.isfinite(ended) & (ended < LATEST)]
        rows = rows.sort_values(["thread", "began", "ended"], kind="stable")  # of 0 ms one may begin as the next does
        before = rows.groupby("thread")["ended"].cummax().shift()
        pause = (rows["began"] - before).where(rows["thread"].duplicated(), 0.0)
        lived = rows.assign(pause=pause).groupby("thread")
        self._lived.append(lived.agg({"began": "min", "ended": "max", "pause": "max"}))
        clock_s = _CLOCK if (rows["began"] % 1).any() else 1.0  # times may be written without milliseconds
        early = pause < -clock_s
        self._at_once += np.count_nonzero(early)
        self._twins += np.count_nonzero((pause < -_CLOCK) & rows.duplicated(["thread", "began", "ended"]))
        self._inside += np.count_nonzero(early & rows["address"] & (rows["ended"] <= before + _CLOCK))

    def note_other_writers(self, notes, header):
        """Note requests that one thread of one JMeter cannot have made, and who else may have written them."""
        few, of = _TWO_AT_ONCE * self._requests, f"of {self._requests:,} requests"
        if self._twins > max(self._at_once / 2, few):
            text = f"{self._twins:,} {of} are there before, with the same thread, time and length"
            why = "two listeners may have written the file, which has twice the throughput then: give that of one alone"
            notes.add("twice", None, f"{text}: {why}")
        elif self._at_once > few and self._inside > self._at_once / 2:
            text = f"{self._inside:,} {of}, whose label is an address, lie within another of their thread"
            why = "they may be redirects and embedded resources, which are parts of it, and are counted too"
            how = "Have JMeter name them after it (subresults.disable_renaming=false), or leave their lines out"
            notes.add("sub-samples", None, f"{text}: {why}. {how}")
        elif self._at_once > few:
            text = f"{self._at_once:,} {of} began before the last one of their thread had ended"
            why = "logs of several JMeter in one, whose threads have the same names, so that users are counted too few"
            for column, what in (("responseMessage", "transactions"), ("label", "sub-samples")):
                if column not in header:
                    why += f"; or {what}, which only the column {column} tells from requests"
            notes.add("names", None, f"{text}: {why}. Give the log of each JMeter as a file, to be added up")

    def of_several_jmeter(self, notes):
        """Yield the users of a file of several JMeter, the threads at work at once: each counts its own alone there."""
        if not (self._most and self._lived):
            return
        at, alive = _threads_at_work(pd.concat(self._lived), np.unique(np.concatenate(self._seconds)))
        if alive.max(initial=0) > _OTHERS * self._most:
            text = f"{alive.max()} threads are at work at once by their names, where allThreads says {self._most:g}"
            notes.add("threads", None, f"{text}: a file of several JMeter (-r), whose users are added up")
            yield Requests(*[NONE.astype(kind) for kind in (int, float, float, bool)], at, alive.astype(float))


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
        text = f"{left_out:,} of {count:,} samples left out: each is there {copies} times"
        source.notes.add("twice", None, f"{text}, as {copies} listeners with one file name write them")


def _blocks_with_sub_samples(source, blocks):
    """The samples of each block of lines; which of them are sub-samples, the blocks before and after it tell too.

    JMeter calls the sub-samples of X X-0, X-1 and so on. Their time lies within that of X, in the same thread, where a
    request of its own that has such a name cannot begin. Before JMeter 5, or with subresults.disable_renaming, their
    label is their address.
    """
    before, block, labels, threads = None, None, set(), True
    for after in itertools.chain(itertools.starmap(_samples_of_lines, blocks), [None]):
        threads = threads and (after is None or "thread" in after)
        if after is not None and "label" in after:
            labels.update(after["label"].cat.categories.astype(str))
        if block is not None:
            near = [each for each in (before, block, after) if each is not None]
            part = _are_sub_samples(block, near, labels) | _are_addressed_sub_samples(block, before)
            yield _in_seconds(block, part)
        before, block = block, after
    if not threads and any(label.endswith("-0") and label[:-2] in labels for label in labels):
        text = "labels such as X and X-0 may be of a request and its sub-samples (redirects, embedded resources)"
        source.notes.add("sub-samples", None, f"{text}, which only the column threadName tells: all are counted")


def _in_seconds(samples, part):
    """The samples of a block with which of them are sub-samples, and their times in seconds."""
    times = {name: samples[name] / MS for name in ("began", "ended", "spent")}
    return samples.assign(part=np.asarray(part), **times)


def _are_sub_samples(samples, near, labels):
    """Which samples of a block are sub-samples of one of the blocks near it."""
    found = np.zeros(len(samples), bool)
    if not {"label", "thread"} <= {*samples}:
        return found
    parent = [label.rpartition("-")[0] if _SUB_SAMPLE.search(label) else ""
              for label in samples["label"].cat.categories.astype(str)]  # fmt: skip
    parent = [label if label in labels and f"{label}-0" in labels else "" for label in parent]
    parent = np.array([*parent, ""], dtype=object)[samples["label"].cat.codes]
    if not (parent != "").any():
        return found
    spans = pd.concat([each.assign(label=_texts(each["label"])) for each in near])
    spans = spans.loc[spans["label"].isin({*parent}) & ~spans["transaction"], ["thread", "label", "began", "ended"]]
    inside = samples.assign(label=parent, place=np.arange(len(samples)))[parent != ""]
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


def _are_addressed_sub_samples(samples, sooner):
    """Which samples of a block have an address as label and are sub-samples for sure; `sooner` is the block before.

    JMeter writes them after the line that they are a part of, with its thread, within its time, and counts their bytes
    among its own. Several JMeter whose threads have the same names would also have requests of a thread that overlap
    by a part: where there are such, nothing is sure.
    """
    found = np.zeros(len(samples), bool)
    if not ({"label", "thread", "bytes"} <= {*samples} and samples["address"].any()):
        return found
    both = [each for each in (sooner, samples) if each is not None]
    rows = pd.concat([each.assign(label=_texts(each["label"])) for each in both])
    rows["of_block"] = np.arange(len(rows)) - (len(rows) - len(samples))
    rows = rows[~rows["transaction"] & np.isfinite(rows["began"]) & np.isfinite(rows["ended"])].reset_index(drop=True)
    latest = rows.groupby("thread")["ended"].cummax()
    latest_of = rows.index.to_series().where(rows["ended"] == latest)  # the first of equals is the parent
    latest_of = latest_of.where(latest > latest.groupby(rows["thread"]).shift(fill_value=-np.inf))
    parent = latest_of.groupby(rows["thread"]).ffill().groupby(rows["thread"]).shift()
    rows, parent = rows[parent.notna()], rows.loc[parent.dropna().astype(int)].set_axis(parent.dropna().index)
    early = parent["ended"] - rows["began"]
    within = (rows["began"] >= parent["began"]) & (rows["ended"] <= parent["ended"] + MS * _CLOCK)
    same = rows[["label", "began", "ended"]].eq(parent[["label", "began", "ended"]]).all(axis=1)
    part = (early > 0) & within & rows["address"] & (rows["of_block"] >= 0) & ~same & (rows["bytes"] <= parent["bytes"])
    if np.count_nonzero((early > MS * _CLOCK) & ~within) <= np.count_nonzero(part) * _TWO_AT_ONCE:
        found[rows.loc[part, "of_block"]] = True
    return found


def _texts(cells):
    """Cells as an array of texts, in which blocks of lines with other labels are alike."""
    return cells.astype("str").to_numpy(dtype=object)


def _samples_of_lines(lines, frame):
    """What each line of a block says: times in ms; label, thread and bytes where the file has them."""
    began, spent = (requests_number_column(frame, name) for name in ("timeStamp", "elapsed"))
    samples = {
        "line": lines,
        "began": began,
        "ended": began + spent,
        "spent": spent,
        "failed": requests_where_text(frame, "success", lambda text: text.lower() != "true"),
        "users": requests_number_column(frame, "allThreads"),
        "transaction": requests_where_text(frame, "responseMessage", lambda text: text.startswith(_TRANSACTION)),
        "address": requests_where_text(frame, "label", lambda label: label.startswith(WEB)),
    }
    if "label" in frame:
        samples["label"] = frame["label"]
    if "threadName" in frame:
        samples["thread"] = _texts(frame["threadName"])
    if "bytes" in frame:
        samples["bytes"] = requests_number_column(frame, "bytes")
    return pd.DataFrame(samples)


def _threads_at_work(lived, seconds):
    """The seconds of the rows, and the most threads that are at work at once in each.

    A thread is at work between the first and the last request that it did. The rows are those of `seconds`, in which
    requests ended, and of the seconds between them, if that is no pause. A thread that may have only paused at an end
    of the log, no longer than twice as elsewhere, is at work until there.
    """
    lived = lived.groupby(level=0).agg({"began": "min", "ended": "max", "pause": "max"})
    if lived.empty:
        return NONE, NONE
    first, last = lived["began"].min(), lived["ended"].max()
    began = lived["began"].mask(lived["began"] - 2 * lived["pause"] <= first, first)
    ended = lived["ended"].mask(lived["ended"] + 2 * lived["pause"] >= last, np.inf)
    steps = np.diff(seconds, append=seconds[-1:] + 1)
    steps = np.where(steps > PAUSE, 1, steps).astype(int)
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
