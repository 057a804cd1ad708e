"""A recording, which is a file to be read, and what a reader of it is: lines, notes made on the way, numbers, clock."""

import codecs
import contextlib
import csv
import io
import json
import math
import os
import re
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from dominoperf.errors import BadTable
from dominoperf.tables.files import BROKEN, WEB, decoded_text, opened_file, read_bytes
from dominoperf.tables.rendering import percent

_LONGEST = 1 << 20  # bytes of a line: a file without line ends must not fill the memory
_HEAD = 64 << 10  # bytes by which a file is recognised
_NOTES = 10  # of one kind: of a file with a gap at every line the gaps are counted
_JSON, _BLANKS = json.JSONDecoder(), re.compile(r"\s*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")  # what a terminal would obey, in a name of the file
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME_OF_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})", re.IGNORECASE)
_DATE = re.compile(  # day and month in either order, year; then perhaps hour, minute, second, its part, AM or PM
    r"(\d\d?)([./-])(\d\d?)\2(\d{4}|\d\d)(?:,?\s+(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,6}))?)?(?:\s?([AaPp])[Mm])?)?"
)
_NEAR = 0.5  # share of the usual interval by which another one differs
_ZERO = datetime(1970, 1, 1)
_SPLIT = "Split the file at this line, and read each computer by itself."
CLOCK_WITHOUT_DATE = re.compile(r"\s*(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d*)?))?\s*")
EMPTY_COLUMNS, UNMAPPED_COLUMNS = "columns without values", "columns left out"  # kinds of notes, of any format
RESPONSES = "responses_s"  # column of arrays: the response time of each request that a row counts, of logs of these
EPOCH = 1e9  # seconds from 1970 to 2001: numbers from here on may be times of a clock
OF_ALL = "the response times are of all requests, those that failed among them"
LATEST = 1e11  # seconds from 1970 to the year 5138: no time of a sample or a request
MS, US, NS = 1e3, 1e6, 1e9  # milliseconds, microseconds and nanoseconds in a second


@dataclass(frozen=True)
class Reader:
    """A file format: a recording in, columns and rows out; `reader` makes one of a function."""

    name: str
    read: Callable  # Recording -> the columns of the rows, and an iterator of rows as dicts
    reads: str  # what it is for
    by: str  # how it is recognised, in words
    recognises: Callable  # Head -> bool
    mapped: bool = False  # whether names of the file can be mapped to ours
    user: str = "user"  # what the tool calls a user of the test
    several: Callable | None = None  # path -> what the files of its run have in common, None where that is not told
    columns: tuple = ()  # names of ours that it can give; none where the names are the file's own


def reader(
    name: str,
    reads: str,
    by: str,
    recognises: Callable[["HeadOfFile"], object],
    columns: tuple[str, ...] = (),
    *,
    lacks: Sequence[str] = (),
    mapped: bool = False,
    user: str = "user",
    several: Callable[[str], str | None] | None = None,
) -> Callable[[Callable], Reader]:
    """Return a decorator that makes a `Reader` of a function from a `Recording` to its rows.

    Where the columns depend on the file, the function returns both, ``(columns, rows)``.

    Parameters
    ----------
    name, reads, by, recognises
        As the fields of `Reader`.
    columns : tuple of str
        Of the rows; those that a file may have where the function returns its own.
    lacks : sequence of str
        Those of them that are always empty.
    mapped, user, several
        As the fields of `Reader`.

    Examples
    --------
    >>> @reader("benchlog", "what BENCH prints", "BENCH", lambda head: head.first == "BENCH", ("users", "line"))
    ... def benchlog(source):
    ...     for line, text in source.lines():
    ...         if line > 1:
    ...             yield {"users": float(text), "line": line}
    >>> benchlog.name, benchlog.columns
    ('benchlog', ('users', 'line'))
    """

    def of_rows(rows):
        def read(source):
            found = rows(source)
            return found if isinstance(found, tuple) else (columns, found)

        given = tuple(column for column in columns if column not in lacks)
        return Reader(name, read, reads, by, recognises, mapped, user, several, given)

    return of_rows


@dataclass(frozen=True)
class HeadOfFile:
    """The beginning of a file, by which a reader is found."""

    start: bytes  # the first four bytes
    lines: list  # the first lines, as far as they are text
    mapping: dict
    text: str = ""  # more of it, in one piece: JSON may have what its tool wrote far below

    @property
    def first(self):
        """The first line; empty where there is none."""
        return self.lines[0] if self.lines else ""


class ReaderNote(str):
    """A sentence about a file, of what kind it is, and the headings that it is about."""

    kind, headings = "", ()

    def __new__(cls, sentence, kind="", headings=()):
        """Give the sentence its kind and headings."""
        note = super().__new__(cls, sentence)
        note.kind, note.headings = kind, tuple(headings)
        return note


class ReaderNotes:
    """What a reader has to say of a file besides its rows: sentences with their line, each once, ten of one kind."""

    def __init__(self):
        self._all, self._new, self._more = set(), [], {}

    def add(self, kind, line, text, headings=()):
        """Note `text`, if there is any, at a line; `kind` is what the further ones are counted as."""
        if not text:
            return
        sentence = ReaderNote(_CONTROL.sub(" ", f"line {line}: {text}" if line else text), kind, headings)
        if (kind, sentence) in self._all:
            return
        if sum(kind == other for other, _ in self._all) < _NOTES:
            self._all.add((kind, sentence))
            self._new.append(sentence)
        else:
            self._more[kind] = (self._more.get(kind, (0, 0))[0] + 1, line)

    def take(self, *, last=False):
        """Return the sentences since the last call; at the end of the file also how many were left out."""
        new, self._new = self._new, []
        if last:
            for kind, (count, line) in self._more.items():
                new.append(ReaderNote(f"{kind}: {count} more, the last at line {line}", kind))
        return new


@dataclass
class Recording:
    """A file to be read: a path or an fsspec URL, what is mapped, and the notes made on the way."""

    path: str
    mapping: dict = field(default_factory=dict)  # name in the file -> ours, for the formats with names of one's own
    notes: ReaderNotes = field(default_factory=ReaderNotes)
    chosen: frozenset | None = None  # the lines (in Parquet rows) of a table that count; None where all do
    cut: bool = False  # whether a line without an end was met: the last one
    others: tuple = ()  # further files of the same run, each a Recording
    fetched: bytes | None = None  # what a server sent
    logged_s: float = math.nan  # when the last request was written, of those read so far: as it ended, mostly
    start: bytes | None = None  # the first bytes, once they were read
    computer: str = ""  # the one that the lines read so far are of, where they name it

    @contextlib.contextmanager
    def open(self, how: str | None = "infer") -> Generator[BinaryIO, None, None]:
        """Open for reading bytes, as `dominoperf.tables.files.opened_file` does."""
        pipe = os.path.exists(self.path) and Path(self.path).is_fifo()  # which gives its bytes once, as does the web
        if self.fetched is None and (pipe or self.path.startswith(WEB)):
            self.fetched = read_bytes(self.path)
        with opened_file(self.path, how) if self.fetched is None else io.BytesIO(self.fetched) as file:
            yield file

    def head(self) -> bytes:
        """Return the first bytes; they are read once."""
        if self.start is None:
            start = b""
            with self.open() as file, contextlib.suppress(*BROKEN):
                while len(start) < _HEAD and (line := file.readline(_HEAD - len(start))):
                    start += line
            self.start = start
        return self.start

    def first_lines(self) -> list[str]:
        """Return the first lines as far as they are text, to recognise the format by."""
        text = self.head().removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
        return [line.rstrip("\r") for line in text.split("\n")]

    def lines(self, *, keep_last: bool = False) -> Iterator[tuple[int, str]]:
        """Yield the number and text of every line; the text is without its end.

        A last line without a line end is one that a recorder had not finished: its last number may lack digits. It
        is noted and left out, or with `keep_last` noted and kept.
        """
        for number, _, text in self.places(keep_last=keep_last):
            yield number, text

    def places(self, place: tuple[int, int] = (1, 0), *, keep_last: bool = False) -> Iterator[tuple[int, int, str]]:
        """Yield the number, the offset in bytes and the text of every line from a `place` (number, offset) on."""
        number, offset = place
        with self.open() as file:
            file.seek(offset)
            while True:
                try:
                    raw = file.readline(_LONGEST)
                except BROKEN as error:
                    self.notes.add("cut", number, f"the file cannot be read beyond here ({error})")
                    return
                if not raw:
                    return
                if len(raw) == _LONGEST and not raw.endswith(b"\n"):
                    remedy = "Save it as text with line ends, or name the reader of its format."
                    raise self.wrong(number, "lines of text", f"a line longer than {_LONGEST:,} bytes", remedy)
                text = decoded_text(raw, f"{self.path}, line {number}").rstrip("\r\n")
                cut = not raw.endswith(b"\n")
                if cut:
                    self.cut = True
                    what = "its last cell may lack characters" if keep_last else "the line is left out"
                    self.notes.add("cut", number, f"no line end, so the file may be cut off here; {what}")
                if keep_last or not cut:
                    yield number, offset, text
                number, offset = number + 1, offset + len(raw)

    def text(self) -> str:
        """Return the whole text, for the formats that have no lines."""
        with self.open() as file:
            try:
                return decoded_text(file.read(), self.path)
            except BROKEN as error:
                raise self.wrong(None, "a whole file", str(error), "Give the file that the tool wrote.") from error

    def wrong(self, number: int | None, expected: str, found: str, remedy: str) -> BadTable:
        """Return the error of a line."""
        where = f"{self.path}, line {number}" if number else self.path
        return BadTable(where, expected=expected, found=found, remedy=remedy)

    def check_computer(self, name: str, number: int | None, remedy: str = _SPLIT) -> None:
        """Refuse a line of another computer than those before: the rows of two would pass for those of one."""
        self.computer = self.computer or name
        if name and name.lower() != self.computer.lower():
            raise self.wrong(number, "a recording of one computer", f"{self.computer} and {name}", remedy)

    def skip(self, number: int, expected: str) -> None:
        """Note a line of a recording that cannot be read, and go on."""
        self.notes.add("left out", number, f"not {expected}; the line is left out")


def split_csv_line(text, delimiter=","):
    """Return the cells of a row of CSV; none where its quotes or line ends make no sense."""
    try:
        return next(csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter), [])
    except csv.Error:
        return []


def json_value_at(text, at=0):
    """Return the value of JSON that begins at a place of a text or after the blanks there, and the place of its end.

    A `json.JSONDecodeError` also where Python could not hold it.
    """
    at = _BLANKS.match(text, at).end()
    try:
        return _JSON.raw_decode(text, at)
    except json.JSONDecodeError:
        raise
    except (RecursionError, ValueError) as error:
        raise json.JSONDecodeError(str(error), text, at) from None


def plain_number(text):
    """Return a number with a decimal point and no other sign; None for anything else."""
    return float(text) if _NUMBER.fullmatch(text) else None


def recorded_number(text):
    """Return a number of a recorder, which never groups thousands: a comma can only be that of the decimals."""
    return plain_number(text.strip().replace(",", "."))


def failed_checks_in_words(passed, checks):
    """Return how many checks of a script of k6 failed, which none of its samples lays to a request; "" if none did."""
    if not passed < checks:
        return ""
    share = percent(1 - passed / checks, 1)
    return f"{share} of {checks:,} checks failed: k6 calls no request failed for a check, so these count as done"


def without_failed_responses(source, row, *, of_table=False):
    """Return a row of requests, without response times if all of them failed; if some did, a note says so."""
    if not row.get("failures"):
        return row
    if row["throughput_per_s"] > 0 or row.get("requests", 0) > row["failures"]:
        source.notes.add("failures", None if of_table else row["line"], OF_ALL)
        return row
    source.notes.add("failures", row["line"], "all requests failed, so no response time is known")
    return {name: value for name, value in row.items() if not name.startswith("response_")}


class ReaderClock:
    """Turn the times of samples into seconds since the first one.

    A clock that goes back leaves unknown how much later the sample was: from there on `since` gives NaN, with a note. A
    gap, a clock set forward and another interval are noted, and the seconds are those of the clock.
    """

    def __init__(self, notes):
        self._notes, self._odd = notes, None
        self.restart()

    def restart(self):
        """Begin anew: the next sample is the first of another run."""
        self.finish()
        self._first = self._last = self._usual = None
        self._lost = False

    def stamp(self, moment, line):
        """Return the columns `time`, `time_s` and `line` of a sample at a moment."""
        return {"time": moment.isoformat(), "time_s": self.since(epoch_seconds(moment), line), "line": line}

    def since(self, seconds, line):
        """Return the seconds since the first sample; `seconds` is any count that rises by one a second."""
        if self._first is None:
            self._first = self._last = seconds
            return 0.0
        step, self._last = seconds - self._last, seconds
        if step < 0:
            self.finish()
            self._lost = True
            text = f"the clock goes back by {-step:g} s; time_s is unknown from here on: split the file here to have it"
            self._notes.add("clock", line, text)
        elif step == 0 and not self._lost:
            self._notes.add("same time", line, "the time of the sample before")
        elif not self._lost:  # a single odd interval is a gap; two alike are another interval
            if self._usual is None or _sample_intervals_are_equal(step, self._usual):
                self.finish()
                self._usual = self._usual or step
            elif self._odd and _sample_intervals_are_equal(step, self._odd[1]):
                text = f"the interval changes from {self._usual:g} s to {self._odd[1]:g} s"
                self._notes.add("interval", self._odd[0], text)
                self._usual, self._odd = step, None
            else:
                self.finish()
                self._odd = line, step
        return math.nan if self._lost else seconds - self._first

    def finish(self):
        """Note an odd interval that stayed the only one of its kind: after the last sample none can follow."""
        if self._odd:
            line, step = self._odd
            cause = "samples are missing, or the clock was set forward" if step > self._usual else "a short interval"
            usual = f"where {self._usual:g} s are usual: {cause}"
            self._notes.add("gap", line, f"{step:g} s after the sample before, {usual}")
        self._odd = None


def _sample_intervals_are_equal(one, other):
    return abs(one - other) <= _NEAR * min(one, other)


def epoch_seconds(moment):
    """Return the seconds from 1970 to a moment; one without a zone is taken as UTC."""
    moment = moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    return (moment - _ZERO).total_seconds()


def epoch_as_iso(seconds):
    """Return the ISO text of seconds since 1970 in UTC."""
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds" if seconds % 1 else "seconds").replace("+00:00", "Z")


def iso_moment(text):
    """Return the moment of an ISO 8601 time; None for anything else."""
    try:
        return datetime.fromisoformat(text.strip())
    except ValueError:
        return None


def moment_of_clock(text):
    """Return the moment of an ISO 8601 time, or of s, ms, µs or ns since 1970 in UTC; None for anything else."""
    number = plain_number(text.strip())
    if number is not None and EPOCH <= number < 5e9 * NS:
        factor = next(factor for factor in (1.0, MS, US, NS) if number < 5e9 * factor)
        return _ZERO + timedelta(microseconds=round(number / factor * 1e6))
    return iso_moment(text)


def seconds_of_day(text):
    """Return the seconds since midnight of a clock time without a date, as 23:59:58; None for anything else."""
    match = CLOCK_WITHOUT_DATE.fullmatch(text)
    hour, minute, second = map(float, match.groups("0")) if match else (24.0, 0.0, 0.0)
    return 3600 * hour + 60 * minute + second if hour < 24 and minute < 60 and second < 60 else None


def moment_with_day_first(time, date):
    """Return the moment of nmon's ``20:26:50`` and ``21-NOV-2026``, whatever the locale; None for anything else."""
    day = re.fullmatch(r"(\d{1,2})-([A-Za-z]{3})-(\d{4}|\d\d)", date.strip())
    clock = re.fullmatch(r"(\d\d?):(\d\d)[:.](\d\d)", time.strip())
    if not day or not clock or day[2].lower() not in _MONTHS:
        return None
    return _time_with_century(day[3], _MONTHS.index(day[2].lower()) + 1, day[1], *clock.groups())


def moment_with_month_first(text):
    """Return the moment of ``09/13/97 09:30:39 PM`` and ``11/21/2026 20:26:50.123``; None for anything else."""
    is_stamp = re.fullmatch(r"[\d/]+ \d\d?:\d\d:\d\d(?:\.\d{1,6})?(?: [AP]M)?", text.strip())
    return moment_of_date(text) if is_stamp else None


def moment_of_date(text, day_first=False):
    """Return the moment of ``3/1/2026 2:00 PM``, ``01.03.2026 14:00:05.123`` or ``Mar 1, 2026 14:00``, else None.

    The day is first where dots are between; else as `day_first` says, which `dates_begin_with_day` finds.
    """
    match = _DATE.fullmatch(text.strip())
    if not match:
        return _moment_with_name_of_month(text)
    first, sign, second, year, hour, minute, seconds, part, half = match.groups("")
    month, day = (second, first) if day_first or sign == "." else (first, second)
    if half:
        hour = int(hour) % 12 + (12 if half in "Pp" else 0) if 1 <= int(hour) <= 12 else 99  # no hour
    moment = _time_with_century(year, month, day, hour or 0, minute or 0, seconds or 0)
    return moment and moment.replace(microsecond=int(part.ljust(6, "0")) if part else 0)


def _moment_with_name_of_month(text):
    """The moment of a text with the English name of a month, a year of four digits and a time of day."""
    if not (_NAME_OF_MONTH.search(text) and re.search(r"\b\d{4}\b", text) and ":" in text) or _DATE.match(text.strip()):
        return None
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a zone that is not known
        try:
            return pd.Timestamp(text).to_pydatetime(warn=False)
        except (ValueError, Warning):
            return None


def dates_begin_with_day(texts, where, remedy=""):
    """Return whether the dates of a column, as ``3/1/2026``, begin with the day, and what to note about that.

    A number above 12 tells it; else AM or PM means that the month is first. `BadTable` where nothing tells it.
    """
    either = with_half = ""
    for text in texts:
        match = _DATE.fullmatch(text.strip())
        if match and match[2] != ".":
            first, second = int(match[1]), int(match[3])
            if max(first, second) > 12:
                return first > 12, ""
            either = either or (text.strip() if first != second else "")
            with_half = with_half or (text.strip() if match[9] else "")
    if either and not with_half:
        readings = (moment_of_date(either, day_first) for day_first in (True, False))
        days = " or ".join(f"{moment:%Y-%m-%d}" for moment in readings if moment)
        found = f"{either!r}, which may be {days}" if days else repr(either)
        how = f"Write times as 2026-11-21T20:26:50{remedy}."
        raise BadTable(where, expected="dates that can be read in one way", found=found, remedy=how)
    return False, f"dates as in {either} are read with the month first, as AM and PM go with it" if either else ""


def _time_with_century(year, *rest):
    """A year of two digits lies between 1970 and 2069."""
    year = int(year) + (0 if len(year) == 4 else 1900 if int(year) >= 70 else 2000)
    try:
        return datetime(year, *map(int, rest))
    except ValueError:
        return None
