"""From a frame of a run to its times and numbers, or an error that says what to do."""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, as_python, names_its_keywords, spelling
from dominoperf.loadtests import readers
from dominoperf.loadtests.readers.recording import (
    CLOCK_WITHOUT_DATE,
    dates_begin_with_day,
    moment_of_date,
    seconds_of_day,
)
from dominoperf.tables import columns
from dominoperf.tables.headings import (
    THROUGHPUTS,
    checked_mapping,
    columns_of_headings,
    heading_words,
    in_our_columns,
    means_a_time_of_day,
)
from dominoperf.tables.reading import as_numbers
from dominoperf.tables.rendering import PRINTED, forms_of_printed_numbers, number

SamplesLike = pd.DataFrame | str | os.PathLike | list
"""What has the samples of a run or of several: a frame, a file or URL, or a list of files."""
_FILE = "file"  # key of a frame's attrs: what it was read from
_TIMES = "time_s"  # the column of times, where none is named
_IN_ORDER = 5  # rows on end, in the mean, that a recorder wrote and nobody shuffled
_OFFSET = r".*\d:\d\d(?::\d\d(?:[.,]\d*)?)?\s*(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)\s*"  # of a time of day from UTC
_WITH_OFFSET = "2026-10-25T02:01:00+01:00"
_UNEVEN, _FEW = 0.5, 0.05  # share of the usual distance by which others differ, and of those that may
DIFFERENCES = "Write in each row the difference to the row before; where the counter fell back, the value itself."
_COUNTED, _RISES, _ABOUT_NOTHING = 20, 0.9, 0.1  # samples of a counter; of its steps that rise; what it falls back to
_NO_MEASURE = ("line", "n")  # numbers that are no measurement


@dataclass(frozen=True, eq=False)
class Samples:
    """Numbers of one column with their times in seconds, in order of time; cells without a number are left out."""

    column: str
    times: np.ndarray
    values: np.ndarray
    missing: int  # rows without a number or a time

    def part(self, first, last):
        """Return the samples of a stretch of time, both ends included."""
        inside = (self.times >= first) & (self.times <= last)
        return Samples(self.column, self.times[inside], self.values[inside], self.missing)

    def gap(self):
        """Return where the widest gap is, in words, if it is over ten times the usual distance between samples."""
        steps = np.diff(self.times)
        if len(steps) < 2 or steps.max() <= 10 * np.median(steps) or np.median(steps) <= 0:
            return ""
        k = int(steps.argmax())
        return f"no samples from {sample_clock(self.times[k])} to {sample_clock(self.times[k + 1])} s"


def seconds_between(times, first, last):
    """Return which times are from the first second on and before the last: a sample stands for what comes after it."""
    return (times >= first) & (times < last)


def uneven_times(times):
    """Return in words that samples at these times, in seconds, stand for unequal times; nothing for a few gaps."""
    steps = np.diff(times[np.isfinite(times)])
    steps = steps[steps > 0]
    odd = np.abs(steps / np.median(steps) - 1) > _UNEVEN if len(steps) else steps
    if np.sum(odd) <= max(1, _FEW * len(steps)):
        return ""
    apart = f"the samples are {steps.min():g} to {steps.max():g} s apart"
    return f"{apart}, but each counts alike: a mean over time may differ"


def sample_clock(time_s):
    """Return a time as text: to a tenth of a second at least, though it counts from 1970."""
    return number(time_s, max(4, len(f"{abs(time_s):.0f}") + 1))


def with_sample_clocks(frame):
    """Return the frame; tables show its columns from_s and to_s as `sample_clock` has them."""
    frame.attrs[PRINTED] = {
        name: forms_of_printed_numbers(map(sample_clock, frame[name])) for name in ("from_s", "to_s")
    }
    return frame


@names_its_keywords()
def read_run(
    path: SamplesLike, mapping: Mapping[str, str] | None = None, named: Sequence = (), reader: str | None = None
) -> pd.DataFrame:
    """Return the rows of a run or of several, one row per sample: of a format that `ingest` knows, else any table.

    The columns of a table have our names and units where their headings surely mean them: ``TPS``, ``elapsed [ms]``.
    Logs of requests have their column ``responses_s``.

    Parameters
    ----------
    path, mapping
        As `loadtests.readers.read` takes them. A frame is returned as it is.
    named : sequence
        Headings of a table that the caller asks for, or lists of them: these columns stay as they are.
    reader
        As `loadtests.readers.read` takes it.
    """
    if not isinstance(path, (str, os.PathLike, list)):
        return tables.read_table(path, where="data")
    paths = path if isinstance(path, list) else [path]
    if not paths:
        raise BadTable("data", expected="a file", found="an empty list", remedy="Name at least one.")
    files = readers.files(*paths)
    try:
        found = reader or (readers.recognise(files[0], mapping=mapping) if len(files) == 1 else "several")
    except UnknownName:  # none, or more than one
        found = ""
    is_table = found in ("csv", "parquet", "")
    if is_table:
        frame = tables.read_table(files[0])
        meant, _ = columns_of_headings(dict.fromkeys(frame), checked_mapping(mapping), str(files[0]))
        asked = [name for each in named for name in (each if isinstance(each, (list, tuple)) else [each])]
        frame = in_our_columns(frame, [column for column in meant if column.source not in asked])
    else:
        frame = readers.read(path, reader, mapping=mapping, responses=True)
        if not has_times(frame) and not any(means_a_time_of_day(name) and frame[name].notna().any() for name in frame):
            found = f"rows without one (reader {frame.attrs['reader']}), as the totals of whole runs"
            remedy = "Give what the tool recorded during the run (its log or history); `curve` takes totals."
            raise BadTable(" ".join(map(str, paths)), expected="samples with a time", found=found, remedy=remedy)
    frame.attrs[_FILE] = " ".join(map(str, paths))
    return frame


def has_times(frame):
    """Return whether rows, as `readers.read` gives them, are samples of a run; else each is a run or a part of one."""
    return "time_s" in frame and bool(frame["time_s"].notna().any())


def rows_of_each_run(frame, time, where):
    """Return which rows are each run's, as lists of row numbers: where the time goes back another run begins.

    Rows in no order at all, whose time goes back every few of them, are those of one run.
    """
    times = sample_seconds(frame, time, where)
    timed = np.flatnonzero(np.isfinite(times))
    starts = timed[1:][np.diff(times[timed]) < 0]
    if len(starts) * _IN_ORDER > len(frame):
        return [np.arange(len(frame))]
    return np.split(np.arange(len(frame)), starts)


def check_one_process(frame, where, remedy):
    """Refuse the rows of several processes: their mean would be that of none of them, nor of all together."""
    if "process" in frame and (count := frame["process"].nunique()) > 1:
        raise BadTable(f"{where}(frame)", expected="rows of one process", found=f"of {count} processes", remedy=remedy)


def samples_of_column(frame, column, time, where):
    """Return the samples of a column; one that holds text, or no number, is refused."""
    columns.check_columns(frame, [column], samples_argument(frame, where, "on"))
    times, values = sample_seconds(frame, time, where), sample_numbers(frame, column, where)
    valid = np.isfinite(times) & np.isfinite(values)
    if not valid.any():
        remedy = "Name another column, or mend the file."
        raise BadTable(_cells_of_samples(frame, column, where), expected="numbers", found="none", remedy=remedy)
    order = np.argsort(times[valid], kind="stable")
    return Samples(column, times[valid][order], values[valid][order], int((~valid).sum()))


def sample_numbers(frame, column, where):
    """Return a column as numbers, NaN for an empty cell."""
    columns.check_columns(frame, [column], where)
    try:
        return pd.to_numeric(frame[column]).to_numpy(float, na_value=np.nan)
    except (ValueError, TypeError, OverflowError):
        cells = frame[column]
        values = as_numbers(cells)
        row = int((values.isna() & cells.notna() | np.isinf(values.astype(float))).to_numpy().argmax())
        place, found = f"{_cells_of_samples(frame, column, where)}, row {row + 1}", as_python(cells.iloc[row])
        remedy = "Leave text out, or name another column."
        raise BadTable(place, expected="a number", found=found, remedy=remedy) from None


def time_column(frame: pd.DataFrame, time: str | None) -> str:
    """Return the column of the times: the one named, else ``time_s``, else the first called as clock times are."""
    clocks = (name for name in frame if isinstance(name, str) and means_a_time_of_day(name))
    return time if time is not None else _TIMES if _TIMES in frame else next(clocks, _TIMES)


def sample_seconds(frame, time, where):
    """Return the times of the rows in seconds: numbers, also as texts, in the unit of their heading (``time_ms``), else
    as they are; time spans (``timedelta64``) as they are; clock times counted from the earliest.
    """
    hint = f"Name the column of times ({spelling('time=...', '--time COLUMN')})."
    if time == _TIMES and time not in frame:  # which nobody need have named
        expected = "a column of times, as time_s, time or timestamp"
        remedy = f"{hint} Of a table with a row for each run take `curve` or `fit`."
        raise UnknownName(frame.attrs.get(_FILE) or f"{where}(frame)", expected=expected, found="none", remedy=remedy)
    columns.check_columns(frame, [time], samples_argument(frame, where, "time"), hint=hint)
    cells = frame[time]
    if pd.api.types.is_timedelta64_dtype(cells):
        return cells.dt.total_seconds().to_numpy(float)
    numbers = as_numbers(cells)
    if pd.api.types.is_numeric_dtype(cells) or (numbers.notna().any() and numbers.notna().equals(cells.notna())):
        _, unit, _ = heading_words(str(time))
        factor = columns.unit_factor(unit, "s") if unit and columns.unit_fits(unit, "s") else 1.0
        return factor * numbers.to_numpy(float, na_value=np.nan)
    stamps = moments_of_column(cells, _cells_of_samples(frame, time, where))
    without_date = cells.dropna().astype(str).str.fullmatch(CLOCK_WITHOUT_DATE)
    if without_date.all():  # back by half a day or more is past midnight
        stamps += pd.to_timedelta((stamps.ffill().diff() <= -pd.Timedelta(hours=12)).cumsum(), unit="D")
    return (stamps - stamps.min()).dt.total_seconds().to_numpy(float)


def moments_of_column(cells, place):
    """Return the moments that ISO 8601 times, dates with times or times of a day are; in UTC where offsets differ."""
    texts = cells.dropna().astype(str)
    offsets = texts.str.extract(f"^{_OFFSET}$", expand=False)
    if offsets.notna().any() and offsets.isna().any():
        with_and_without = (texts[offsets.notna()].iloc[0], texts[offsets.isna()].iloc[0])
        expected, found = "an offset from UTC in all times, or in none", " and ".join(with_and_without)
        raise BadTable(place, expected=expected, found=found, remedy=f"Write each as {_WITH_OFFSET}.")
    seconds = texts.map(seconds_of_day).astype(float)
    if len(texts) and seconds.notna().all():
        return pd.Timestamp(0) + pd.to_timedelta(seconds.reindex(cells.index), unit="s")
    with contextlib.suppress(ValueError, TypeError):
        return pd.to_datetime(cells, format="ISO8601", utc=offsets.nunique() > 1)
    day_first, _ = dates_begin_with_day(texts, place)
    moments = texts.map(lambda text: moment_of_date(text, day_first))
    if moments.notna().all():
        return pd.to_datetime(moments.reindex(cells.index))
    no_times = texts[pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce").isna() & seconds.isna()]
    remedy = "Give seconds, or clock times such as 2008-10-10 09:11:43."
    raise BadTable(place, expected="times", found=as_python([*no_times, *texts][0]), remedy=remedy)


def sample_column(frame, on, time, where):
    """Return the column to look at: the one named, a throughput, or the only measure there is."""
    if on is not None:
        return on
    ours = {column.name: column.source for column in columns_of_headings([*dict.fromkeys(map(str, frame))])[0]}
    throughputs = [ours[name] for name in THROUGHPUTS if name in ours]
    measured = measured_columns_of_samples(frame, time)
    if throughputs or len(measured) == 1:
        return [*throughputs, *measured][0]
    remedy = f"Name a column: {spelling('on=...', '--on COLUMN')}. Numbers are in {', '.join(measured) or 'none'}."
    expected = f"a column of throughput ({', '.join(THROUGHPUTS)})"
    raise UnknownName(frame.attrs.get(_FILE) or where, expected=expected, found="none", remedy=remedy)


def measured_columns_of_samples(frame, time):
    """Return the columns of measured numbers."""
    numeric = frame.select_dtypes("number").columns
    return [name for name in numeric if name != time and name not in _NO_MEASURE]


def counter_in_words(values):
    """Return in words that counts are those since a start, which only rise; "" where they are not."""
    values = values[np.isfinite(values)]
    steps = np.diff(values)
    back = np.flatnonzero(steps < 0)
    if len(values) < _COUNTED or (values < 0).any() or (values != np.round(values)).any():
        return ""
    rises = (steps > 0).sum() >= _RISES * (len(steps) - len(back)) and len(back) <= len(steps) / _COUNTED
    if not (rises and (values[back + 1] <= _ABOUT_NOTHING * values[back]).all()):
        return ""
    told = f"rises throughout, from {number(values[0])} to {number(values[-1])}"
    if len(back):
        told += f", and falls back to {number(values[back[0] + 1])} after {number(values[back[0]])}"
    return f"{told}: it counts since a start"


def samples_argument(frame, where, name):
    """Return what a message calls an argument: the call in Python, the file and the option in a shell."""
    option = "--count" if name == "counts" else f"--{name}"
    return spelling(f"{where}({name}=...)", " for ".join(filter(None, [frame.attrs.get(_FILE), option])))


def _cells_of_samples(frame, column, where):
    """What a message calls the cells of a column."""
    return f"{frame.attrs.get(_FILE) or spelling(where, 'steady')}, column {column}"
