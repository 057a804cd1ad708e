"""pidstat of sysstat: what single processes use, a row for each sample and process.

Form: runs of sysstat 12.6.1 made for the tests. A kB is 1,024 bytes; ``%CPU`` is of one processor, so a process on
several may have more than 100.
"""

import dataclasses
import re

from dominoperf.loadtests.readers.recording import (
    ReaderClock,
    epoch_as_iso,
    epoch_seconds,
    iso_moment,
    moment_with_month_first,
    reader,
    recorded_number,
)
from dominoperf.loadtests.readers.resources import KIB, kernel_line_host

_OURS = {
    "process_cpu_percent": ("%CPU", 1),
    "process_wait_percent": ("%wait", 1),
    "process_ram_mib": ("RSS", 1 / KIB),
    "process_read_bytes_per_s": ("kB_rd/s", KIB),
    "process_write_bytes_per_s": ("kB_wr/s", KIB),
}
COLUMNS = ("time", "time_s", "process", *_OURS, "line")
_MOST = 1_000_000  # rows of a file
_DAY, _LATE = 86_400, 43_200  # seconds: a clock that goes back by more than the latter has passed midnight
_TIMED = re.compile(r"(?:# )?\s*(\d\d:\d\d:\d\d(?: [AP]M)?|\d{9,10}|Time|Average:)\s+(.*)")


@reader("pidstat", "what pidstat prints at an interval", "a table whose header has PID or TGID, and Command",
        lambda head: any(_is_pidstat_header(line.split()) and _TIMED.match(line) for line in head.lines[:6]),
        COLUMNS, user="process")  # fmt: skip
def pidstat(source):
    """Yield a row for each sample and process of what ``pidstat`` prints at an interval.

    The sections of one time (``-u``, ``-r``, ``-d``) are joined. Threads (``-t``) are left out, as their process is the
    sum of them. Without ``-p`` a process has a line only where it did something: in the other samples of a recording
    its numbers are 0, and its memory is unknown. A file of more than a million rows is refused.
    """
    samples, measured = [], {}  # of each process of each recording the columns that it has
    for sample in _pidstat_samples(source):
        samples.append(sample)
        for process, row in sample.rows.items():
            measured.setdefault((sample.recording, process), set()).update(row)
        if len(samples) * len(measured) > _MOST:
            found = f"{len(samples):,} samples of {len(measured):,} processes, or more"
            remedy = "Record fewer: pidstat -p PID."
            raise source.wrong(None, f"samples and processes that make at most {_MOST:,} rows", found, remedy)
    clock, silent = ReaderClock(source.notes), 0
    for sample in samples:
        since, names = clock.since(sample.seconds, sample.line), dict.fromkeys(sample.rows)
        if sample.whole:
            names |= {process: None for recording, process in measured if recording == sample.recording}
        for process in names:
            row = {"time": sample.time, "time_s": since, "process": process, "line": sample.line}
            if sample.whole:
                row |= dict.fromkeys(measured[sample.recording, process] & sample.measured, 0.0)
            yield row | sample.rows.get(process, {})
        silent += len(names) - len(sample.rows)
    clock.finish()
    if silent:
        text = f"{silent:,} rows of 0: a process without a line did nothing in that interval"
        source.notes.add("silent", None, text)


@dataclasses.dataclass
class _PidstatSample:
    """What pidstat printed at one time."""

    recording: int  # of those in the file
    line: int
    seconds: float
    time: str | None
    rows: dict = dataclasses.field(default_factory=dict)  # by process
    measured: set = dataclasses.field(default_factory=set)  # columns that are 0 of a process without a line
    whole: bool = False  # whether something follows it


def _pidstat_samples(source):
    """The samples of all recordings of a file."""
    sample = None
    for recording, number, seconds, time, header, process, cells in _pidstat_lines(source):
        if sample and seconds != sample.seconds:
            sample.whole = True
            yield sample
            sample = None
        if seconds is None:
            continue
        sample = sample or _PidstatSample(recording, number, seconds, time)
        sample.measured |= {name for name, (theirs, _) in _OURS.items() if theirs in header} - {"process_ram_mib"}
        if process:
            row = sample.rows.setdefault(process, {"line": number})
            row |= {name: cells[theirs] * factor for name, (theirs, factor) in _OURS.items() if theirs in cells}
    if sample:
        yield sample


def _pidstat_lines(source):
    """The recording, number, seconds, ISO text, header, process and numbers of each line of a sample.

    A sample in which no process did anything is a header, and the next one an interval later: it has no process. The
    averages after the last sample have no time either.
    """
    date, header, last, days, opened, recording = None, [], None, 0, None, 0
    for number, text in source.lines():
        if text.startswith("Linux "):
            source.check_computer(kernel_line_host(text), number)
            day = re.search(r"\s(\d{4}-\d\d-\d\d|\d\d/\d\d/(?:\d{4}|\d\d))\s", text)
            moment = day and (iso_moment(day[1]) or moment_with_month_first(f"{day[1]} 00:00:00"))
            date, header, last, days, opened = moment and int(epoch_seconds(moment)) // _DAY, [], None, 0, None
            recording += 1
            continue
        match = _TIMED.fullmatch(text)
        if not match:
            if text.strip():
                source.skip(number, "a time and the cells of a process")
            continue
        stamp, cells = match[1], match[2].split()
        begins, above = _is_pidstat_header(cells), header
        if begins:
            nothing, header, opened = opened not in (None, stamp), cells, stamp
            if not nothing and stamp != "Average:":
                continue
        if stamp == "Average:":
            yield recording, number, None, None, [], "", {}
            continue
        seconds, time = _pidstat_time(stamp, date, days)
        if not header or len(cells) < len(header) or seconds is None:
            source.skip(number, "a time and the cells of a process, under a header")
            continue
        if last is not None and seconds < last - _LATE and ":" in stamp:  # past midnight
            days += 1
            seconds, time = _pidstat_time(stamp, date, days)
        last = seconds
        if begins:
            yield recording, number, seconds, time, above, "", {}
            continue
        opened, named = None, dict(zip(header, cells, strict=False))
        if named.get("TID", "-") != "-":  # a thread
            continue
        process = f"{' '.join(cells[len(header) - 1 :])} ({named.get('PID', named.get('TGID'))})"
        numbers = {name: recorded_number(cell) for name, cell in named.items()}
        valid = {name: value for name, value in numbers.items() if value is not None and value >= 0}
        yield recording, number, seconds, time, header, process, valid


def _is_pidstat_header(cells):
    return bool({"PID", "TGID"} & set(cells)) and cells[-1] == "Command"


def _pidstat_time(stamp, date, days):
    """The seconds since 1970, or of the day where the date (days since 1970) is not told, and the ISO text."""
    if stamp.isdigit():
        return float(stamp), epoch_as_iso(int(stamp))
    moment = moment_with_month_first(f"01/01/1970 {stamp}")
    if moment is None:
        return None, None
    seconds = epoch_seconds(moment) + ((date or 0) + days) * _DAY
    return seconds, epoch_as_iso(seconds).removesuffix("Z") if date else None
