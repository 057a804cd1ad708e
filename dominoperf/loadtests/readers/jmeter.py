"""JMeter's log of requests (JTL), with the threads at work in each second; its Aggregate Report and Summary Report.

Forms: of the log, runs of JMeter 5.6.3 made for the tests; of the reports, which are saved as CSV with a row for each
label and TOTAL, of a whole run, the manual of JMeter 5.6. Requests of the log are counted in seconds as in
`per_second`. Times of a report are of all samples, those that failed among them; its throughput is of the others.
"""

import math
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
from dominoperf.loadtests.readers.recording import (
    LATEST,
    MS,
    reader,
    recorded_number,
    split_csv_line,
    without_failed_responses,
)
from dominoperf.tables.files import WEB

_TRANSACTION = "Number of samples in transaction"  # JMeter: the sum of other samples
_NEEDED = ("timeStamp", "elapsed", "success")
_OTHERS = 1.05  # times the threads that a JMeter counts, from which on others wrote to its file too
_TWO_AT_ONCE = 0.005  # share of the requests that a thread begins before its last one ended, which no JMeter writes
_DATE_IN_MS = re.compile(r"\d{4}([-/])\d\d\1\d\d[ T]\d\d:\d\d:\d\d\.\d{3}(?:Z|[+-]\d\d:?\d\d)?")
_CLOCK = 0.0025  # seconds by which two times of one log may be wrong: each by a millisecond
_REPORT_TIMES = {
    "response_s": "Average",
    "response_median_s": "Median",
    "response_p95_s": "95% Line",
    "response_p99_s": "99% Line",
    "response_max_s": "Max",
}
_NEEDED_IN_REPORT = ("Label", "# Samples", "Average", "Error %", "Throughput")
_SECONDS_OF_RATE = {"": 1, "sec": 1, "min": 60, "hour": 3600}  # what a rate is per: the table of the window has 3.2/min
_REPORT_COLUMNS = ("request", "requests", "failures", "throughput_per_s", "requests_per_s", *_REPORT_TIMES, "line")


@reader(
    "jmeter",
    "results of JMeter in CSV (JTL)",
    "its header: timeStamp,elapsed,...",
    lambda head: _delimiter_of_jmeter(head.first) and not head.mapping,
    COLUMNS,
)
@each_second
def jmeter(source):
    """Yield the requests of a results file of JMeter (JTL), without transaction controllers and sub-samples.

    Where the file has transactions alone ("Generate parent sample"), these are the requests. The users are the most
    threads at work in the second (`allThreads`). Where several JMeter wrote the file (``-r``), each counts its own
    threads there, so the users are the threads by their names; logs whose threads have the same names are noted.
    """
    first = source.first_lines()[0].rstrip("\r")
    delimiter = _delimiter_of_jmeter(first) or ","
    more = ("allThreads", "threadName", "responseMessage", "label")
    blocks = _in_ms_since_1970(source, csv_blocks(source, _NEEDED, more, delimiter=delimiter))
    threads, parts, sums, held = _Threads(), 0, 0, []  # the first blocks are held while they are transactions alone
    for samples in _samples_of_blocks(blocks):
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
        text = f"{parts:,} sub-samples left out (redirects, embedded resources, X-0 beside X)"
        source.notes.add("sub-samples", None, f"{text}: each is a part of another request")
    if held and sums:
        source.notes.add("transactions", None, f"{sums:,} transactions and nothing else: each counts as a request")
        for samples in held:
            yield _requests_of_samples(source, samples, np.ones(len(samples), bool))
    elif sums:
        text = f"{sums:,} transactions left out: each is the sum of other requests"
        source.notes.add("transactions", None, text)
    threads.tell_other_writers(source, split_csv_line(first, delimiter))
    yield from threads.of_several_jmeter(source.notes)


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
        early = pause < -_CLOCK
        self._at_once += np.count_nonzero(early)
        self._twins += np.count_nonzero(early & rows.duplicated(["thread", "began", "ended"]))
        self._inside += np.count_nonzero(early & rows["address"] & (rows["ended"] <= before + _CLOCK))

    def tell_other_writers(self, source, header):
        """Note requests that one thread of one JMeter cannot have made; refuse those that count a request twice."""
        few, of = _TWO_AT_ONCE * self._requests, f"of {self._requests:,} requests"
        if self._twins > max(self._at_once / 2, few):
            found = f"{self._twins:,} {of} again, with the same thread, time and length, as two listeners write them"
            raise source.wrong(None, "each request once", found, "Give the file of one listener alone.")
        if self._at_once > few and self._inside > self._at_once / 2:
            found = f"{self._inside:,} {of}, whose label is an address, within another of their thread"
            remedy = "Have JMeter name redirects and embedded resources after the request that they are a part of "
            remedy += "(subresults.disable_renaming=false), or leave their lines out."
            raise source.wrong(None, "requests that are no part of another", found, remedy)
        if self._at_once > few:
            text = f"{self._at_once:,} {of} began before the last one of their thread had ended"
            why = "logs of several JMeter in one, whose threads have the same names, so that users are counted too few"
            for column, what in (("responseMessage", "transactions"), ("label", "sub-samples")):
                if column not in header:
                    why += f"; or {what}, which only the column {column} tells from requests"
            source.notes.add("names", None, f"{text}: {why}. Give the log of each JMeter as a file, to be added up")

    def of_several_jmeter(self, notes):
        """Yield the users of a file of several JMeter, the threads at work at once: each counts its own alone there."""
        if not (self._most and self._lived):
            return
        at, alive = _threads_at_work(pd.concat(self._lived), np.unique(np.concatenate(self._seconds)))
        if alive.max(initial=0) > _OTHERS * self._most:
            text = f"{alive.max()} threads are at work at once by their names, where allThreads says {self._most:g}"
            notes.add("threads", None, f"{text}: a file of several JMeter (-r), whose users are added up")
            yield Requests(*[NONE.astype(kind) for kind in (int, float, float, bool)], at, alive.astype(float))


def _delimiter_of_jmeter(line):
    """The delimiter of results of JMeter, by their header; None of other files."""
    line = line.rstrip("\r")
    return next((sign for sign in ",;\t|" if {*_NEEDED} <= {*split_csv_line(line, sign)}), None)


def _in_ms_since_1970(source, blocks):
    """The blocks with the times of JMeter as numbers: as they are, or of dates to the millisecond.

    The property ``jmeter.save.saveservice.timestamp_format`` writes dates: those with the year first can be read.
    """
    for lines, frame in blocks:
        at, texts = numbers_of_cells(frame["timeStamp"]), frame["timeStamp"].dropna().astype("str")
        if at.isna().all() and len(texts):
            if not _DATE_IN_MS.fullmatch(texts.iloc[0]):
                remedy = (
                    "Have JMeter write ms since 1970 (jmeter.save.saveservice.timestamp_format=ms), or dates to the"
                    " millisecond (yyyy/MM/dd HH:mm:ss.SSS)."
                )
                expected, found = "times in ms since 1970 in column timeStamp", repr(texts.iloc[0])
                raise source.wrong(int(lines[0]), expected, found, remedy)
            dates = pd.to_datetime(texts.str.replace("/", "-"), format="ISO8601", errors="coerce", utc=True)
            at = ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(milliseconds=1)).reindex(at.index)
        yield lines, frame.assign(timeStamp=at)


def _samples_of_blocks(blocks):
    """The samples of each block of lines, and which of them are sub-samples: JMeter calls those of X X-0, X-1..."""
    labels = set()

    def is_sub_sample(label):
        parent, dash, number = label.rpartition("-")
        return bool(dash and number.isdecimal() and {parent, f"{parent}-0"} <= labels)

    for lines, frame in blocks:
        samples = _samples_of_lines(lines, frame)
        if "label" in frame:  # a transaction X is the sum of X-0, and not its request
            labels.update(map(str, frame["label"][~samples["transaction"].to_numpy()].unique()))
        yield samples.assign(part=requests_where_text(frame, "label", is_sub_sample))


def _samples_of_lines(lines, frame):
    """What each line of a block says: times in seconds; the thread where the file has it."""
    began, spent = (requests_number_column(frame, name) / MS for name in ("timeStamp", "elapsed"))
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
    if "threadName" in frame:
        samples["thread"] = frame["threadName"].astype("str").to_numpy(dtype=object)
    return pd.DataFrame(samples)


def _threads_at_work(lived, seconds):
    """The seconds of the rows, and the most threads that are at work at once in each.

    A thread is at work between its first and its last request, or to the end of the log if that is no farther than
    twice its longest pause. The rows are those of `seconds`, and of the seconds between them, if that is no pause.
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


@reader(
    "jmeter_report",
    "JMeter's Aggregate Report or Summary Report",
    "its header: Label,# Samples,Average,...",
    lambda head: _header_of_jmeter_report(head.first)[:3] == ["Label", "# Samples", "Average"],
    _REPORT_COLUMNS,
)
def jmeter_report(source):
    """Yield a row for each label of a run, and one of all together (`TOTAL`)."""
    header = None
    for line, text in source.lines(keep_last=True):
        if header is None:
            header = _header_of_jmeter_report(text)
            if missing := [name for name in _NEEDED_IN_REPORT if name not in header]:
                remedy = "Give the table as JMeter saved it, with its header."
                raise source.wrong(line, f"the columns {', '.join(missing)} in the header", "none of that name", remedy)
            continue
        cells = [cell.strip() for cell in split_csv_line(text)]
        row = dict(zip(header, cells, strict=False))
        requests, share = recorded_number(row.get("# Samples", "")), recorded_number(row.get("Error %", "").rstrip("%"))
        rate = re.fullmatch(r"(\d+(?:[.,]\d*)?|[.,]\d+)(?:/(sec|min|hour))?", row.get("Throughput", ""))
        if len(cells) != len(header) or requests is None or share is None or not rate or math.isinf(requests * share):
            if text.strip():
                source.skip(line, "a label with its samples, their Error % and Throughput")
            continue
        done = recorded_number(rate[1]) / _SECONDS_OF_RATE[rate[2] or ""]
        counts = {"requests": requests, "failures": float(round(requests * share / 100)), "requests_per_s": done}
        numbers = ((name, recorded_number(row.get(column, ""))) for name, column in _REPORT_TIMES.items())
        times = {name: number / MS for name, number in numbers if number is not None and requests > 0}
        row = {"request": row["Label"], "throughput_per_s": done * (1 - share / 100), "line": line} | counts | times
        yield without_failed_responses(source, row, of_table=True)


def _header_of_jmeter_report(line):
    return [cell.strip() for cell in split_csv_line(line)]
