"""pgbench of PostgreSQL: the lines of ``-P``, the summary at the end, and the logs, aggregated or not.

Forms: runs of pgbench 15 made for the tests, and its manual page, which says what earlier versions print otherwise. The
four are readers of their own: intervals of a run, whole runs, intervals of one thread of a run, and transactions.
"""

import csv
import dataclasses
import glob
import io
import itertools
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf.errors import spelling
from dominoperf.loadtests.readers import per_second
from dominoperf.loadtests.readers.recording import EPOCH, MS, US, ReaderClock, epoch_as_iso, reader
from dominoperf.loadtests.readers.reports_in_text import stated_runs
from dominoperf.tables.files import ENDINGS

PROGRESS = ("time", "time_s", "users", "throughput_tps", "response_s", "response_sd_s", "failures", "line")
SUMMARY = ("users", "threads", "test_time_s", "transactions", "failures", "throughput_tps", "response_s",
           "response_sd_s", "line")  # fmt: skip
LOG = ("time", "time_s", "transactions", "throughput_tps", "response_s", "response_sd_s", "response_max_s", "failures",
       "line")  # fmt: skip
TRANSACTIONS = tuple("throughput_tps" if name == "throughput_per_s" else name for name in per_second.COLUMNS)
_CELLS = ("client_id", "transaction_no", "time", "script_no", "time_epoch", "time_us")  # and two more, that vary
_FAILED = ("failed", "serialization", "deadlock", "skipped")  # what stands for the time of a failed transaction
_LEAST_EPOCH = 1e8  # seconds since 1970 have nine digits or more
_NO_LINE = 1 << 62  # of a transaction that another thread logged
_SAMPLED = 1.02  # transactions for each line of a log, from which on it is a sample: a few lines may be lost
_NUMBER = r"(\d+(?:\.\d+)?|-?nan|NaN)"
_INTERVAL = re.compile(
    rf"progress: (\d{{1,10}}(?:\.\d+)?) s, {_NUMBER} tps, lat {_NUMBER} ms stddev {_NUMBER}"
    r"(?:, (\d+) failed)?(?:, lag [^,]*, (\d+) skipped)?(?:, .*)?"
)
_TRANSACTION = re.compile(
    rf"\d{{1,5}} \d{{1,18}} (?:\d{{1,18}}|{'|'.join(_FAILED)}) \d{{1,5}} \d{{9,10}} \d{{1,6}}(?: \d+){{0,2}}"
)
_LOGGED = re.compile(r"\d{9,10}(?: \d{1,18}){5,}")
_STATED = {
    "users": (r"number of clients: (\d+)", 1),
    "threads": (r"number of threads: (\d+)", 1),
    "test_time_s": (r"duration: (\d+) s", 1),
    "transactions": (r"number of transactions actually processed: (\d+)", 1),
    "failures": (r"number of failed transactions: (\d+)", 1),
    "skipped": (r"number of transactions skipped: (\d+)", 1),
    "response_s": (r"latency average = (\d+(?:\.\d+)?) ms", MS),
    "response_sd_s": (r"latency stddev = (\d+(?:\.\d+)?) ms", MS),
    "throughput_tps": (r"tps = (\d+(?:\.\d+)?)(?:$| \((?!including connections))", 1),
}
_BEGINS = "transaction type:"


def _has_pgbench_intervals(head):
    """Whether an interval is among the first lines."""
    return any(map(_INTERVAL.fullmatch, head.lines))


@reader("pgbench", "what pgbench -P prints as it runs", "a line progress: 1.0 s, ...", _has_pgbench_intervals, PROGRESS,
        user="client")  # fmt: skip
def pgbench_progress(source):
    """Yield a row per interval of the lines that ``pgbench -P`` prints.

    Failures are also the transactions that were skipped as too late (``-L``); the number of clients is that of the
    summary below, where the file has one. The next run begins behind it, at second 0.
    """
    clock, rows = ReaderClock(source.notes), []
    for number, text in source.lines():
        if match := _INTERVAL.fullmatch(text):
            seconds = float(match[1])
            tps, latency, deviation, *failures = (float(cell) if cell else math.nan for cell in match.groups()[1:])
            rows.append({
                "time": epoch_as_iso(seconds) if seconds > EPOCH else None,  # as with --progress-timestamp
                "time_s": clock.since(seconds, number),
                "throughput_tps": tps,
                "response_s": latency / MS if tps else math.nan,  # of none that ended it prints 0.000
                "response_sd_s": deviation / MS if tps else math.nan,
                "failures": failures[0] if math.isnan(failures[1]) else np.nansum(failures),
                "line": number,
            })  # fmt: skip
        elif text.startswith("progress:"):
            source.skip(number, "an interval as pgbench prints it")
        elif match := re.match(_STATED["users"][0], text):  # of the summary, with which a run ends
            yield from (row | {"users": float(match[1])} for row in rows)
            rows = []
            clock.restart()
    yield from rows
    clock.finish()


@reader(
    "pgbench_summary",
    "what pgbench prints at the end",
    "transaction type: without progress",
    lambda head: any(line.startswith(_BEGINS) for line in head.lines) and not _has_pgbench_intervals(head),
    SUMMARY,
    user="client",
)
def pgbench_summary(source):
    """Yield a row per summary that pgbench prints at the end: several runs in a file are a scaling curve.

    Transactions per second are without the time to connect, unless each connects anew (``-C``) and pgbench 14 or newer
    prints no others. What was skipped as too late (``-L``) is a failure.
    """
    for run in stated_runs(source, _BEGINS, _STATED):
        if skipped := run.pop("skipped", 0.0):
            run["failures"] = run.get("failures", 0.0) + skipped
        if "throughput_tps" not in run:
            note = "a run without its transactions per second: it had not ended"
            source.notes.add("incomplete", run["line"], note)
        yield run


def _run_of_pgbench_log(path):
    """What the logs of the threads of one run have in common; None where the name is none that pgbench gives."""
    first, _, packed = _thread_of_log(Path(path))
    return (first, packed) if first else None


@reader("pgbench_log", "a log of pgbench --aggregate-interval", "whole numbers alone",
        lambda head: _LOGGED.fullmatch(head.first), LOG, user="client",
        several=_run_of_pgbench_log)  # fmt: skip
def pgbench_log(source):
    """Yield a row per interval of what ``pgbench --log --aggregate-interval`` writes, of all threads together.

    An interval's length is not in the file: the throughput is that up to the next line, and of the last unknown.
    """
    clock, sources = ReaderClock(source.notes), [source, *source.others]
    _check_pgbench_threads(sources)
    entries = _intervals_over_threads(sources) if source.others else _pgbench_log_entries(source)
    for (number, row), (_, after) in itertools.pairwise(itertools.chain(entries, [(None, None)])):
        began, count, total, squares, _, longest = row[:6]  # in microseconds: sums of latencies, and of their squares
        mean = total / count if count else math.nan
        length = after[0] - began if after and after[0] > began else math.nan
        yield {
            "time": epoch_as_iso(began),
            "time_s": clock.since(float(began), number),
            "transactions": float(count),
            "throughput_tps": count / length,
            "response_s": mean / US,
            "response_sd_s": math.sqrt(max(squares / count - mean**2, 0)) / US if count else math.nan,
            "response_max_s": longest / US if count else math.nan,
            # Skipped, of serialization, by deadlock, among the fifteen columns that version 15 writes.
            "failures": float(row[10] + sum(row[13:15])) if len(row) == 15 else math.nan,
            "line": number,
        }
    clock.finish()


@reader("pgbench_transactions", "a log of pgbench -l, a line per transaction",
        "a client, a count, microseconds, a script, seconds and microseconds",
        lambda head: _TRANSACTION.fullmatch(head.first), TRANSACTIONS, user="client",
        several=_run_of_pgbench_log)  # fmt: skip
def pgbench_transactions(source):
    """Yield a row per second of what ``pgbench --log`` writes, a transaction a line; `line` is one of the first thread.

    A transaction counts in the second in which it ended; its response from when it was due, where ``-R`` sets a rate.
    The users are the clients of all threads. A sample of the transactions (``--sampling-rate``) is refused.
    """
    sources = [source, *source.others]
    _check_pgbench_threads(sources)
    clients, line = float(_count_of_pgbench_clients(sources)), 1
    for row in per_second.rows_per_second(source, _transactions_of_blocks(sources, clients)):
        line = row["line"] if row["line"] < _NO_LINE else line
        row["throughput_tps"] = row.pop("throughput_per_s")
        yield row | {"line": line}


def _count_of_pgbench_clients(sources):
    """How many clients there are; a sample of the transactions is refused, as pgbench counts those of each client."""
    span = {}  # client -> number of its first and of its last transaction
    lines = 0
    for log in sources:
        for _, frame in _frames_of_blocks(log):
            for client, numbers in frame.groupby("client_id")["transaction_no"]:
                first, last = span.get(client, (math.inf, -math.inf))
                span[client] = min(first, numbers.min()), max(last, numbers.max())
                lines += len(numbers)
    done = sum(last - first for first, last in span.values())
    if done > _SAMPLED * (lines - len(span)) > 0:
        found, remedy = f"{lines:,} of {done + len(span):,.0f}, as with --sampling-rate", "Log all of them: pgbench -l."
        raise sources[0].wrong(None, "a line for each transaction", found, remedy)
    return len(span)


def _transactions_of_blocks(sources, clients):
    """The transactions of each block of lines of each thread."""
    for source in sources:
        for line, frame in _frames_of_blocks(source):
            ended = frame["time_epoch"] + frame["time_us"] / US
            failed = frame["time"].isin(_FAILED).to_numpy()
            response = np.where(failed, 0.0, per_second.numbers_of_cells(frame["time"]) / US)
            lines = line + np.arange(len(frame))
            if skipped := int((frame["time"] == "skipped").sum()):
                source.notes.add("skipped", None, f"{skipped} transactions were skipped, as they were too late")
            ended = ended.to_numpy(float)
            everyone = np.full(len(frame), clients)
            block = per_second.known_requests(source, lines, ended, response, failed, ended, everyone)
            first = source is sources[0]
            yield block if first else dataclasses.replace(block, line=np.full(len(block.line), _NO_LINE))


def _frames_of_blocks(source):
    """The cells of each block of lines, with the number of its first line."""
    how = {"sep": " ", "header": None, "names": list(_CELLS), "index_col": False, "skip_blank_lines": False,
           "usecols": ("client_id", "transaction_no", "time", "time_epoch", "time_us"),
           "quoting": csv.QUOTE_NONE, "dtype": {"time": "str"}, "encoding_errors": "replace"}  # fmt: skip
    for line, text in per_second.blocks_of_whole_lines(source, quotes=False):
        try:
            frame = pd.read_csv(io.BytesIO(text), **how)
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            remedy = "Name another reader, or none."
            raise source.wrong(line, "transactions of pgbench", str(error).strip(), remedy) from error
        for name in ("client_id", "transaction_no", "time_epoch", "time_us"):
            frame[name] = per_second.numbers_of_cells(frame[name])
        # An aggregated log has whole numbers in its cells too, of other things.
        clocked = (frame["time_epoch"] > _LEAST_EPOCH) & frame["time_us"].between(0, US, inclusive="left")
        yield line, frame.assign(time_epoch=frame["time_epoch"].where(clocked))


def _check_pgbench_threads(sources):
    """Refuse a part of the logs of a run: ``PREFIX.PID`` is that of its first thread, ``PREFIX.PID.1`` of the second.

    A part has its share of the transactions, which reads like a slow server.
    """
    logs = [_thread_of_log(Path(source.path)) for source in sources]
    runs = dict.fromkeys((run, packed) for run, _, packed in logs if run)
    if len(runs) > 1 or len({source.path for source in sources}) < len(sources):
        names, remedy = " and ".join(source.path for source in sources), "Read one run at a time, and each log once."
        raise sources[0].wrong(None, "logs of the threads of one run of pgbench, each once", names, remedy)
    for run, packed in runs:
        threads, near = {thread for _, thread, _ in logs}, run.parent.glob(f"{glob.escape(run.name)}*")
        beside = {thread for other, thread, _ in map(_thread_of_log, near) if other == run}
        needed = [run.with_name(f"{run.name}{f'.{k}' if k else ''}{packed}") for k in range(max(threads | beside) + 1)]
        missing = [path.name for k, path in enumerate(needed) if k not in threads]
        if missing:
            expected = f"the logs of all {len(needed)} threads, which have a share of the transactions each"
            files = [str(path) for path in needed]
            together = spelling(f"`read({files})`", f"`dominoperf ingest {' '.join(files)}`")
            remedy = f"Give them together: {together}."
            raise sources[0].wrong(None, expected, f"{len(threads)} without {', '.join(missing)}", remedy)
    if len(sources) == 1:
        note = "read as the whole run: with -j 2 or more each thread writes a log of its own, to be given together"
        sources[0].notes.add("threads", None, note)


def _thread_of_log(path):
    """The log of the run's first thread, the number of the thread that a log is of, and how it is packed."""
    packed = path.suffix if path.suffix in ENDINGS else ""
    name = path.name.removesuffix(packed)
    match = re.fullmatch(r"(.*\.(\d+))\.(\d+)", name)
    if match and (int(match[3]) < int(match[2]) or path.with_name(f"{match[1]}{packed}").is_file()):
        return path.with_name(match[1]), int(match[3]), packed
    return path.with_name(name) if re.fullmatch(r".*\.\d+", name) else None, 0, packed


def _intervals_over_threads(sources):
    """The intervals that all threads worked in, added up: transactions, sums of latencies and of their squares."""
    logs = [list(_pgbench_log_entries(log)) for log in sources]
    pairs = itertools.chain.from_iterable(map(itertools.pairwise, logs))
    steps = Counter(after - before for (_, (before, *_)), (_, (after, *_)) in pairs if after > before)
    length, first = max(steps, key=steps.get, default=1), min((log[0][1][0] for log in logs if log), default=0)
    # Threads begin within a second of each other, so their intervals may be printed a second apart.
    placed = [{int((row[0] - first) / length + 0.5): (number, row) for number, row in log} for log in logs]
    shared, every = set.intersection(*map(set, placed)), set.union(*map(set, placed))
    if not shared:
        remedy = "Give the logs of one run."
        raise sources[0].wrong(None, "an interval that all threads worked in", "none", remedy)
    if shared != every:
        note = f"left out, as not every thread has them: {len(every - shared)} of {len(every)} intervals"
        sources[0].notes.add("threads", None, note)
    for k in sorted(shared):
        (number, row), rows = placed[0][k], [log[k][1] for log in placed]
        sums = [sum(column) for column in zip(*rows, strict=False)]
        shortest, longest = min(cells[4] for cells in rows), max(cells[5] for cells in rows)
        yield number, [row[0], *sums[1:4], shortest, longest, *sums[6:]]


def _pgbench_log_entries(source):
    """The number and the cells of each line of an aggregated log."""
    for number, text in source.lines():
        if _LOGGED.fullmatch(text):
            yield number, [int(cell) for cell in text.split()]
        else:
            source.skip(number, "six whole numbers or more")
