"""Files of load tests to measured runs: a row for each run of each load, and why some are no points of a curve.

A run is measured over its steady window. Its throughput has the standard error of batch means, which allows for
autocorrelation. A run without a steady window is kept: its error is the spread between its quarters, as if no more than
a quarter of it had been measured. `load_curve` combines the runs of a load.
"""

import functools
import hashlib
import itertools
import math
import os
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, counted, names_its_keywords, spelling
from dominoperf.loadtests import batch_means, readers
from dominoperf.loadtests.load_generators import (
    APART,
    TOGETHER,
    clock_of_recording,
    overlapping_clocks_in_words,
    ran_at_once,
    requests_added_up,
    tests_of_generators,
)
from dominoperf.loadtests.means import SAMPLES_HELD, runs_of_frame
from dominoperf.loadtests.readers.reading import PathOrPaths, files_in_words, files_of_runs
from dominoperf.loadtests.readers.recording import EMPTY_COLUMNS, RESPONSES, UNMAPPED_COLUMNS, ReaderNote
from dominoperf.loadtests.run_settings import RunSettings, is_file_of_manifest
from dominoperf.loadtests.samples import has_times, seconds_between
from dominoperf.loadtests.window import steady_state
from dominoperf.tables import columns
from dominoperf.tables.files import STDIN, WEB, opened_file
from dominoperf.tables.headings import (
    MEAN_RESPONSES,
    THROUGHPUTS,
    heading_words,
    likely_mapping,
    proposed_mapping,
)
from dominoperf.tables.rendering import number, percent
from dominoperf.tables.rows_of_one_curve import (
    FAILURES,
    RAMP_IS_ONE_ROW,
    check_one_machine,
    check_one_workload,
    failed_load_in_words,
    failures_of_unknown_share_in_words,
    loads_that_failed,
    rows_of_whole_runs,
    several_systems,
    shares_of_failed_requests,
)

LATE_CHANGES = "late_changes"  # key of attrs of measured runs: file, load and `LateChange` of those in the curve
FAILED_RUNS = "failed"  # key of attrs of measured runs: load and file of those left out as requests failed
OF_REQUESTS, OF_SAMPLES = "requests", "samples"  # what a 95th percentile is of
RUN_COLUMNS = (
    "file", "load", "throughput_per_s", "throughput_std_error", "response_s", "response_std_error", "response_p95_s",
    "response_p95_std_error", "response_p95_of", "failures", "failed_share", "from_s", "to_s", "samples",
    "effective_samples", "steady", "in_curve", "reason",
)  # fmt: skip
_ERRORS_OF_MEANS = {"throughput_per_s": "throughput_std_error", "response_s": "response_std_error"}
_TABLES = ("csv", "parquet")  # readers of columns of anything
_RUNS_APART = 10.0  # minutes from row to row
_OF_INTERVALS = ("gap", "interval", "clock", "same time")  # kinds of notes of a reader on the times of samples
# Samples of a load that is measured. Of a file with longer ones, a shorter one was passed through. Where none has as
# many, one of less than half of the longest was.
_FEWEST = 20
_PARTS = 4  # of a run that is not steady
_NO_REPEATS = 1.5  # times the throughput of another run at the same load
_SILENT, _ANSWERS = 0.01, 10  # share of samples without an answer; answers of others, so many that it is no chance
_VARIES = 0.05  # share of the load from which on a run has no single one
_COPY = "a copy of another file that is read"
_RAMP = 2.0  # times the load that nine of ten samples exceed, which one of ten exceeds: no run of one load
_LEFT_OUT = "left out: "  # how the reason of a run begins that is no point of the curve (`in_curve` is 0)


@names_its_keywords("dominoperf.loadtests.run_settings:RunSettings")
def measured_runs(paths: PathOrPaths, **settings: Any) -> pd.DataFrame:
    """Return what each run of many files of load tests measured, a row for each run: what `curve` combines.

    Parameters
    ----------
    paths, **settings
        As for `curve`.

    Returns
    -------
    DataFrame
        file, load, the measures of `curve`; from_s and to_s (of the part that was measured), samples,
        effective_samples, steady (1 or 0; unknown of totals), in_curve (0 where the run is left out of the curve),
        reason. A file that cannot be read has a row without numbers.

    Examples
    --------
    >>> import pandas as pd, tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> table = pd.DataFrame({"users": [8, 16], "throughput_per_s": [80.0, 150.0]})
    >>> table.to_csv(folder / "runs.csv", index=False)
    >>> measured_runs(folder)[["file", "load", "throughput_per_s", "steady"]].to_numpy().tolist()
    [['runs.csv', 8.0, 80.0, nan], ['runs.csv', 16.0, 150.0, nan]]
    """
    return runs_of_files(paths, RunSettings(**settings))


def runs_of_files(paths, settings):
    """Return the rows of `measured_runs`, by a `RunSettings`."""
    files = [*map(tuple, files_of_runs(paths))]
    names = _names_of_files([PurePath(logs[0]) for logs in files])
    tests = [[each] for each in zip(names, files, strict=True)]

    def read_run(logs):
        """Read a file, or the logs of the threads of one run, with their responses."""
        paths = [*logs] if len(logs) > 1 else logs[0]
        return readers.read(paths, settings.reader, mapping=settings.mapping, responses=True, where=settings.where)

    if settings.generators == TOGETHER:  # of each file first its clock, then its rows
        read_run = functools.cache(read_run)
        tests = tests_of_generators(tests, read_run)
    read, first_error = _TestsRead(settings, read_run), None
    for test in tests:
        try:
            read.add(test)
        except (DominoperfError, OSError) as error:
            first_error = first_error or error
            read.leave_out(" + ".join(name for name, _ in test), _error_of_load_test_file(error, test[0][1][0]))
    runs, notes = pd.DataFrame(read.rows, columns=[*RUN_COLUMNS, "reader"]), read.notes
    if not usable_runs(runs).any():
        if len(files) == 1 and isinstance(first_error, DominoperfError):
            raise first_error
        raise _error_of_nothing_measured(runs.iloc[0], names, first_error)
    runs = _runs_of_one_tool(runs, names).drop(columns="reader")
    usable = runs[usable_runs(runs)]
    failed = usable[loads_that_failed(usable, settings.failed_share)]
    for at, run in failed.iterrows():
        reason = failed_load_in_words(run["load"], run["failed_share"], settings.failed_share)
        runs.loc[at, ["in_curve", "reason"]] = 0, f"{_LEFT_OUT}{reason}"
    usable = usable.drop(failed.index)
    if usable.empty:
        raise _error_of_nothing_measured(runs.loc[failed.index[0]], names, first_error)
    told = ((file, failures_of_unknown_share_in_words(of_file)) for file, of_file in usable.groupby("file", sort=False))
    notes += [(file, note) for file, note in told if note]
    if settings.generators is None:
        _check_no_load_twice_at_once(usable, read.clocks)
    left_out = runs.drop(usable.index)
    notes += [(run["file"], ReaderNote(run["reason"], FAILED_RUNS if at in failed.index else ""))
              for at, run in left_out.iterrows()]  # fmt: skip
    given = [logs[0] for logs in files]
    for file in settings.manifest or ():
        if not any(is_file_of_manifest(path, file) for path in given):
            notes.append(("the manifest", f"{file} is none of the files that are read"))
    clocks = {name: clock for name, clock in read.clocks.items() if name in {*usable["file"]} and clock[0] == clock[0]}
    changes = [each for each in read.changes if each[0] in {*usable["file"]}]
    notes = [*_notes_with_their_files(notes), *_notes_of_runs(usable, clocks, settings)]
    if changes:
        notes.append(ReaderNote(late_changes_in_words(changes, len(usable)), LATE_CHANGES))
        runs.attrs[LATE_CHANGES] = changes
    nothing_passed = (runs["load"] > 0) & (runs["failures"] > 0) & ~runs["load"].isin(usable["load"])
    all_failed = nothing_passed | runs.index.isin(failed.index)
    runs.attrs |= {
        FAILED_RUNS: sorted({*runs[all_failed][["load", "file"]].itertuples(index=False, name=None)}),
        "notes": notes,
        columns.USER: read.words[0] if len(set(read.words)) == 1 else columns.USER,
        "clocks": clocks,
    }
    return runs


class _TestsRead:
    """The runs of the tests that were read, what their loads are called, what was odd in their files, their clocks."""

    def __init__(self, settings, read_run):
        self._settings, self._read_run, self._contents = settings, read_run, set()
        self.rows, self.words, self.notes, self.changes, self.clocks = [], [], [], [], {}

    def add(self, test):
        """Read the files of a test, as pairs of a name and its logs, and add its runs; what is no test is refused."""
        settings, logs, contents = self._settings, test[0][1], {}
        for each in test:
            if contents.setdefault(_content_of_logs(each[1]), each) is not each:
                self.leave_out(each[0], _COPY)
        test = [*contents.values()]
        name = " + ".join(each for each, _ in test)
        frame = requests_added_up([_oldest_row_first(self._read_run(each)) for _, each in test], name)
        rate = _throughput_column(frame, str(logs[0]), settings.rate)
        named = [settings.load_named_by_file(each, frame, of[0]) for each, of in test]
        named_load = None if named[0] is None else sum(named)
        load, clock = settings.load_column(frame, named_load), clock_of_recording(frame)
        are_runs = _why_rows_are_runs(frame, load)
        untold = [EMPTY_COLUMNS, *(_OF_INTERVALS if are_runs else ())]
        self.notes += [(name, note) for note in frame.attrs["notes"] if note.kind not in untold]
        if are_runs:
            self.notes.append((name, f"{are_runs}, so each is taken for a run: no sample of one"))
            again = frame.drop(columns=["line", "time_s", RESPONSES], errors="ignore").duplicated()
            if "time" in frame:  # of one day there may be runs with the same rounded numbers
                again &= _have_time_of_day(frame["time"])
            if again.any():
                told = f"{counted(int(again.sum()), 'row')} left out: the same as another one, its time, too"
                self.notes.append((name, told))
            attrs, frame = frame.attrs, frame[~again].drop(columns=["time", "time_s"], errors="ignore")
            frame.attrs = attrs
        if not has_times(frame):
            frame = rows_of_whole_runs(frame, load, str(logs[0]))
            check_one_workload(frame, load, str(logs[0]))
            check_one_machine(frame, load, str(logs[0]))
        if differs := several_systems(frame, load, rate):
            column, values = differs
            two = spelling(f"ab(..., by={column!r})", f"ab --by {column!r}")
            told = f"systems that differ in {column}, {values}, are taken for one: a curve is of one"
            self.notes.append((name, f"{told}; `{two}` compares two"))
        content = named_load, *contents
        if content in self._contents:
            self.leave_out(name, _COPY)
            return
        self._contents.add(content)
        self.clocks[name] = clock
        rows = list(runs_of_samples(frame, rate, settings, named_load))
        is_untimed = frame.attrs["reader"] in _TABLES and not has_times(frame) and not are_runs
        if is_untimed and len({row["load"] for row in rows}) < len(rows):
            told = (
                f"{len(rows)} rows without a time are taken for runs that are independent of each other; if they are "
                "samples of one run, the errors are too small: call the column of their times time_s"
            )
            self.notes.append((name, told))
        word = tables.user_of(frame) if load == "users" else columns.singular_of_users(tables.label(load))
        self.words.append(settings.user or word)
        self.rows += [{"file": name, "reader": frame.attrs["reader"], "response_p95_of": ""} | row for row in rows]
        self.notes += [(name, row["ramp"]) for row in rows if "ramp" in row]
        self.changes += [(name, row["load"], row["change"]) for row in rows if "change" in row]

    def leave_out(self, name, why):
        """Add a test without a run, and why it has none."""
        row = {"file": name, "reader": "", "response_p95_of": "", "steady": 0}
        self.rows.append(row | _columns_of_run_left_out(why))


def _oldest_row_first(frame):
    """The rows of a table of one's own, turned where the newest is first, as monitors and spreadsheets have it."""
    if frame.attrs["reader"] not in _TABLES or "time" not in frame or len(frame) < 2:
        return frame
    clock = pd.to_datetime(frame["time"], format="ISO8601", errors="coerce", utc=True)
    if not clock.is_monotonic_decreasing or clock.nunique() < 2:
        return frame
    turned = frame.assign(time_s=(clock - clock.min()).dt.total_seconds())[::-1].reset_index(drop=True)
    notes = [note for note in frame.attrs["notes"] if note.kind not in _OF_INTERVALS]
    told = ReaderNote("its newest row is the first, so the rows are read from the last one on", "turned")
    turned.attrs = frame.attrs | {"notes": [*notes, told]}
    return turned


def _why_rows_are_runs(frame, load):
    """Why the rows of a table of one's own that have a clock are runs, in words; "" where they may be samples of one.

    Samples of a test are seconds apart, and its load is held for several. So rows ten minutes apart are runs, and rows
    a minute apart where no load is held for as many rows as a window needs; and rows that have a day and no time of it.
    """
    if frame.attrs["reader"] not in _TABLES or load not in frame or not has_times(frame):
        return ""
    times = frame["time_s"]  # unknown after a row that is older than the one before
    if "time" in frame:
        if not _have_time_of_day(frame["time"]).any():
            return "its rows have a day and no time"
        clock = pd.to_datetime(frame["time"], format="ISO8601", errors="coerce", utc=True)
        times = (clock - clock.min()).dt.total_seconds()
    gaps = np.diff(np.unique(times.dropna()))
    minutes = np.median(gaps) / 60 if len(gaps) else 0.0
    held = frame[load].groupby((frame[load] != frame[load].shift()).cumsum()).size().max()
    are_runs = minutes >= _RUNS_APART or (minutes >= 1 and held < SAMPLES_HELD)
    return f"its rows are {minutes:.3g} minutes apart" if are_runs else ""


def _have_time_of_day(clock):
    """Which texts of a clock have more than a day, which may have been read as its midnight."""
    return clock.str.contains(":", na=False) & ~clock.str.endswith("T00:00:00", na=False)


def _content_of_logs(logs):
    """A digest of what each file has, however it is packed; of one that can be read only once, equal to no other."""
    if any(
        path == STDIN or path.startswith(WEB) or (os.path.exists(path) and Path(path).is_fifo())
        for path in map(str, logs)
    ):
        return object()
    digests = []
    for path in logs:
        with opened_file(path) as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return tuple(digests)


def _names_of_files(paths):
    """The paths without the folders that all of them are in, which tell no files apart."""
    folders = zip(*(path.parent.parts for path in paths), strict=False)
    shared = sum(1 for _ in itertools.takewhile(lambda parts: len({*parts}) == 1, folders))
    return [PurePath(*path.parts[shared:]).as_posix() for path in paths]


def _throughput_column(frame, path, named=None):
    """The column that is named, or the first of a throughput that has values; a file without one is refused."""
    if named:
        columns.check_columns(frame, [named], path)
        return named
    rates = [rate for rate in THROUGHPUTS if rate in frame and frame[rate].notna().any()]
    if rates:
        return rates[0]
    measured = [column for column in frame if column != "line" and frame[column].notna().any()]
    unmapped = [note for note in frame.attrs["notes"] if note.kind == UNMAPPED_COLUMNS]
    found = "; ".join([f"numbers of {', '.join(measured) or 'nothing'} alone", *unmapped])
    remedy = "Leave it out: a curve is made of load tests."
    if frame.attrs["reader"] in _TABLES:  # it may be a load test, or points of anything
        headings = [heading for note in unmapped for heading in note.headings]
        how = likely_mapping(headings, missing=["throughput_per_s"])
        fitting = spelling("fit(usl, FILE, x=..., y=...)", "dominoperf fit usl FILE --x COLUMN --y COLUMN")
        remedy = f"Say which column is one, with its unit: {how}. To fit the columns as they are: `{fitting}`."
        if "requests" in measured:
            lasted = next((each for each in headings if columns.unit_fits(heading_words(each)[1], "s")), "COLUMN")
            seconds = proposed_mapping({lasted: ["test_time_s"]})
            remedy = f"Say how long each run took, and its requests are a throughput: {seconds}. Or s{remedy[1:]}"
        if has_times(frame) and "response_s" in measured:
            remedy = f"Where each row is a request, write a row per second with how many there were. {remedy}"
    raise BadTable(path, expected="a throughput", found=found, remedy=remedy)


def _error_of_nothing_measured(first, names, error):
    """The error where no run is a point of a curve: why the first is none, or the first error of a file."""
    found = first["reason"].removeprefix(_LEFT_OUT)
    shows = spelling("`read(FILE)`", "`dominoperf ingest FILE`")
    remedy = f"Name files with a throughput and a load; {shows} shows what is read of one."
    if first["load"] > 0 and first[["failures", "failed_share"]].max() > 0:
        remedy = "Look at the server's errors first: requests that fail are no throughput."
        if first["throughput_per_s"] > 0:
            how = spelling("failed_share=SHARE", "--failed-share SHARE")
            remedy += f" If these failures are part of the test, say how many are: {how}."
    if isinstance(error, DominoperfError):
        found, remedy = error.found, error.remedy
    where = files_in_words(names)
    return BadTable(where, expected="a run with a load and a throughput", found=found, remedy=remedy)


def _notes_with_their_files(notes):
    """Notes of files as sentences: one that several files have is reported once, with the first of them."""
    files_of_note = {}
    for name, note in notes:
        files_of_note.setdefault(note, {})[name] = None  # a file of many runs may have it many times
    return [ReaderNote(f"{files_in_words([*files])}: {note}", getattr(note, "kind", ""))
            for note, files in files_of_note.items()]  # fmt: skip


def _notes_of_runs(usable, clocks, settings):
    """What is odd about the runs of a curve together."""
    notes = []
    if of_samples := usable.loc[usable["response_p95_of"] == OF_SAMPLES, "file"].tolist():
        notes.append(
            f"{files_in_words([*dict.fromkeys(of_samples)])}: there are no single requests, so the 95th "
            "percentile is the mean of the percentiles of the samples; that of all requests is mostly longer"
        )
    if settings.generators != APART:
        notes += overlapping_clocks_in_words(itertools.combinations(clocks, 2), clocks)
    if told := _no_repeats_in_words(usable):
        notes.append(told)
    if usable["load"].nunique() == 1:
        notes.append("one load only: a law needs runs at three different loads or more")
    return notes


def late_changes_in_words(changes, count):
    """Return in words of how many runs the throughput goes to another level, by most in which, and when."""
    file, _, most = max(changes, key=lambda each: abs(1 - each[2].ratio))
    told = f"{file}: the throughput {most.in_words()}, and {percent(most.share)} of the samples lie after it"
    several = f"{len(changes)} of {count} runs change their level in this way"
    return f"{told}; {several}: not steady, with the mean over both levels as their rate"


def _no_repeats_in_words(runs):
    """Which runs of one load differ so much that each may be a test at a rate of its own; "" where none do.

    Recorded repeats, on a machine with other work too, differed by up to 38 %.
    """
    rates = runs.groupby("load")["throughput_per_s"].agg(["min", "max", "count"])
    times = rates["max"] / rates["min"]
    if not (times > _NO_REPEATS).any():
        return ""
    load = times.idxmax()
    least, most, count = rates.loc[load]
    named = spelling("x_from=PATTERN", "--x-from PATTERN")
    listed = spelling("manifest=TABLE", "--manifest TABLE")
    return (
        f"the {count:.0f} runs at load {load:g} have from {number(least, 3)} to {number(most, 3)} per second. If each "
        f"was a test at a rate of its own, say which load each file has: by its name ({named}) or in a table ({listed})"
    )


def _check_no_load_twice_at_once(runs, clocks):
    """Refuse files of one load that ran at the same time: load generators of one test, or two tests."""
    loads = {file: {*part["load"]} for file, part in runs.groupby("file", sort=False)}
    for first, second in itertools.combinations(loads, 2):
        both = loads[first] & loads[second]
        if both and ran_at_once(clocks[first], clocks[second]):
            together, apart = (spelling(f"generators={how!r}", f"--generators {how}") for how in (TOGETHER, APART))
            raise BadTable(
                f"{first} and {second}",
                expected="runs of a load one after the other",
                found=f"two of {min(both):g} that ran at the same time",
                remedy=f"Say {together}, if they are the load generators of one test, to be added up; or {apart}, if "
                "each tested a system of its own. Leave one out, if both are of one run.",
            )


def _runs_of_one_tool(runs, names):
    """The runs with those left out that are of another tool than most, or are read twice from two kinds of files.

    Locust and pgbench write totals of a run beside its samples: the samples are taken.
    """
    usable = usable_runs(runs)
    if runs.loc[usable, "reader"].nunique() == 1:
        return runs
    runs = runs.assign(tool=runs["reader"].str.partition("_")[0])
    counts = runs[usable]["tool"].value_counts()
    most = counts[counts == counts.max()].index
    if len(most) > 1:
        found = ", ".join(f"{counted(counts[tool], 'run')} of {tool}" for tool in sorted(most))
        remedy = "Name the files of one of them; a pattern will do: 'runs/*.jtl'."
        raise BadTable(files_in_words(names), expected="runs of one tool", found=found, remedy=remedy)
    others = usable & (runs["tool"] != most[0])
    runs.loc[others, "reason"] = f"{_LEFT_OUT}a run of " + runs["tool"] + f", as most are of {most[0]}"
    runs.loc[others, "in_curve"] = 0
    left = runs[usable & ~others]
    for _, part in left.groupby("load"):
        kinds = part.groupby("reader")["samples"].agg(sampled=lambda samples: samples.max() > 1, runs="count")
        taken = kinds.sort_values(["sampled", "runs"], kind="stable").index[-1]
        twice = part.index[part["reader"] != taken]
        reason = f"{_LEFT_OUT}this load is read from the files of {taken}, of the same tool"
        runs.loc[twice, ["in_curve", "reason"]] = 0, reason
    return runs.drop(columns="tool")


def usable_runs(runs: pd.DataFrame) -> pd.Series:
    """Return which rows of `measured_runs` have a load and a throughput above zero, and are in the curve."""
    measured = (runs["load"] > 0) & (runs["throughput_per_s"] > 0)
    return measured & (runs["in_curve"] != 0) if "in_curve" in runs else measured


def runs_with_failed_loads(runs):
    """Return the usable rows of `measured_runs`, and those that were left out for the requests that failed alone."""
    failed = runs.attrs.get(FAILED_RUNS)
    if failed and {"in_curve", "file", "reason"} <= {*runs}:
        again = [run in failed for run in zip(runs["load"], runs["file"], strict=True)]
        again = (runs["in_curve"] == 0) & np.array(again)
        runs = runs.assign(in_curve=runs["in_curve"].mask(again, 1), reason=runs["reason"].mask(again, ""))
        runs.attrs["notes"] = [note for note in runs.attrs.get("notes", ()) if getattr(note, "kind", "") != FAILED_RUNS]
    return runs[usable_runs(runs)]


def _error_of_load_test_file(error, path):
    """An error of a file in short: what was expected and found, without the path and the remedy."""
    if isinstance(error, DominoperfError):
        where = error.where.removeprefix(f"{path}").removeprefix(", ")
        place = f"{where}: " if where.startswith("line") else ""
        return f"{place}expected {error.expected}, found {error.found}"
    return str(error.strerror or error)


def runs_of_samples(frame, rate, settings, named_load):
    """Yield a row of `measured_runs` for each run of a frame with one row per sample."""
    load = settings.load_column(frame, named_load)
    if not has_times(frame):
        shares = shares_of_failed_requests(frame, frame[rate] * columns.factor_to_per_second(rate))
        for (_, run), failed_share in zip(frame.iterrows(), shares, strict=True):
            response = next((name for name in MEAN_RESPONSES if name in run), None)
            row = {"load": run.get(load, math.nan) if named_load is None else named_load}
            row["throughput_per_s"] = run[rate] * columns.factor_to_per_second(rate)
            row["response_s"] = (
                run[response] * columns.unit_factor(tables.units()[response], "s") if response else math.nan
            )
            row["response_p95_s"] = run.get("response_p95_s", math.nan)
            row["response_p95_of"] = OF_REQUESTS if row["response_p95_s"] > 0 else ""  # as the tool printed of all
            row["failures"] = next((run[name] for name in FAILURES if name in run), math.nan)
            row["failed_share"] = failed_share
            row |= {"samples": 1, "steady": math.nan, "in_curve": 1, "reason": "totals, with the beginning of the run"}
            yield row | _left_out_where_nothing_was_measured(row)
        return
    if load != "users":
        frame = frame.rename(columns={"users": "users_of_the_tool", load: "users"})
    if "users" in frame and frame["users"].isna().all():
        frame = frame.drop(columns="users")
    by, runs = runs_of_frame(frame, None, "time_s")
    first, last = settings.settle or 0.0, math.inf if settings.until is None else settings.until
    window = {"method": "fixed", "settle_s": 0.0, "measure_s": math.inf} if settings.timed else {}  # all of these
    seconds = f"from {first:g} s on" if last == math.inf else f"from {first:g} to {last:g} s"
    # What comes before the first user is the beginning of the first run.
    began = [frame["time_s"].min(), *[run["time_s"].min() for run in runs[1:]]]
    since = [run["time_s"] - at for run, at in zip(runs, began, strict=True)]
    parts = runs
    if settings.timed:  # the first sample stands for an interval from second 0 on, whichever end of it has its time
        parts = [run[seconds_between(at, first, last)] for run, at in zip(runs, since, strict=True)]
    longest = max(map(len, parts))
    if not longest:
        took = max(at.max() for at in since)
        where, remedy = spelling("settle=..., until=...", "--settle, --until"), "Give seconds with samples."
        raise BadTable(where, expected=f"samples {seconds}", found=f"runs of {took:g} s at most", remedy=remedy)
    fewest = _FEWEST if longest >= _FEWEST else longest / 2
    for run, part in zip(runs, parts, strict=True):
        load = _load_of_timed_run(run, named_load)
        if not len(part):
            if len(run) >= SAMPLES_HELD:  # a ramp passes through many others
                why = f"no sample at load {load:g} {seconds}"
                yield {"load": load, "samples": 0, "steady": 0} | _columns_of_run_left_out(why)
        elif by == ["users"] and len(part) < fewest:
            why = f"a load of {counted(len(part), 'sample')}, passed through on the way to others"
            yield {"load": load, "samples": len(part), "steady": 0} | _columns_of_run_left_out(why)
        else:
            steady = steady_state(part, on=rate, level=settings.level, **window)
            yield _timed_run(part, steady, rate, named_load, settings.level)


def _columns_of_run_left_out(why):
    """The columns of a run that is no point of the curve."""
    return {"in_curve": 0, "reason": f"{_LEFT_OUT}{why}"}


def _left_out_where_nothing_was_measured(row):
    """The columns to change in the row of a run without a load or a throughput above zero; of others none."""
    if not row["load"] > 0:
        return _columns_of_run_left_out("a load of 0" if row["load"] == 0 else "no load")
    if not row["throughput_per_s"] > 0:
        return _columns_of_run_left_out(f"no throughput{', all requests failed' if row['failures'] > 0 else ''}")
    return {}


def _timed_run(run, steady, rate, named_load, level):
    """The row of a run of which the file has samples."""
    if steady.found:
        part = run[steady.window]
    else:  # what comes after the ramp-up, or all of the stretch
        phases = steady.phases[steady.phases["phase"] != "ramp-up"]
        phases = phases if len(phases) else steady.phases
        part = run[(steady.row_times >= phases["from_s"].min()) & (steady.row_times <= phases["to_s"].max())]
    throughputs = part[rate].to_numpy(float)  # the weights of the responses too
    rates, seconds_measured = throughputs[np.isfinite(throughputs)], part["time_s"][np.isfinite(throughputs)]
    throughput = steady.mean if steady.found else batch_means.mean_by_batches(rates, level)
    per_second = columns.factor_to_per_second(rate)
    steady_now = steady.found and not (steady.method == "fixed" and steady.drifting == "yes")
    row = {"load": _load_of_timed_run(part, named_load), "throughput_per_s": throughput.value * per_second}
    row["throughput_std_error"] = throughput.std_error * per_second
    if not steady_now and len(rates) >= _PARTS:
        quarters = np.std([quarter.mean() for quarter in np.array_split(rates, _PARTS)], ddof=1)
        row["throughput_std_error"] = np.fmax(row["throughput_std_error"], quarters * per_second)
    response = next((name for name in MEAN_RESPONSES if name in part), None)
    measures = [(response, "response_s", "response_std_error")] if response else []
    measures += [("response_p95_s", "response_p95_s", "response_p95_std_error")] if "response_p95_s" in part else []
    for name, value, error in measures:  # over requests, not over samples
        values, factor = part[name].to_numpy(float), columns.unit_factor(tables.units()[name], "s")
        valid = np.isfinite(values) & np.isfinite(throughputs)
        if value == "response_p95_s" and RESPONSES in part:
            found = batch_means.quantile_by_batches(part[RESPONSES][valid], 0.95, level)
        else:
            found = batch_means.mean_by_batches(values[valid], level, throughputs[valid])
        row |= {value: found.value * factor, error: found.std_error * factor}
    if row.get("response_p95_s", math.nan) > 0:
        row["response_p95_of"] = OF_REQUESTS if RESPONSES in part else OF_SAMPLES
    count = next((name for name in FAILURES if name in part), None)
    row["failures"], seconds = float(part[count].sum()) if count else math.nan, part["time_s"].diff().median()
    if not count and "failures_per_s" in part and part["failures_per_s"].notna().any():
        row["failures"] = float(round(part["failures_per_s"].sum() * seconds)) if seconds > 0 else math.nan
    requests = row["throughput_per_s"] * len(rates) * seconds + row["failures"]
    row["failed_share"] = row["failures"] / requests if requests > 0 else math.nan
    row |= {"from_s": seconds_measured.min(), "to_s": seconds_measured.max()}
    row |= {"samples": len(rates), "effective_samples": throughput.effective, "steady": int(steady_now)}
    if steady_now:
        reasons = list(steady.reasons)
    else:
        why = (steady.reason or steady.describe_drift()).removeprefix("no steady state: ").removesuffix(".")
        reasons = [f"not steady: {why}"]
    loads = part["users"].dropna() if "users" in part else []
    if named_load is None and len(loads) and np.ptp(loads) > _VARIES * row["load"]:
        reasons.append(f"loads from {loads.min():g} to {loads.max():g}")
        least, most = np.quantile(loads, [0.1, 0.9])
        if not steady_now and most > _RAMP * least:
            row["ramp"] = f"{reasons[-1]}: {RAMP_IS_ONE_ROW}"
    silent = (throughputs == 0) & ~(part[count] > 0 if count else False)
    if np.mean(silent) >= _SILENT and row["throughput_per_s"] * seconds >= _ANSWERS:
        pauses = f"nothing is answered in {percent(np.mean(silent), 1)} of its samples"
        reasons.append(
            f"{pauses}: users of a test wait through such pauses, a stream of requests would meet more of them"
        )
    reasons += take_out_errors_of_equal_values(row, "samples")
    row |= {"in_curve": 1, "reason": "; ".join(filter(None, reasons))}
    row |= {"change": steady.change} if steady.change else {}
    return row | _left_out_where_nothing_was_measured(row)


def take_out_errors_of_equal_values(row, what):
    """Make errors of 0 missing ones in a row, and return why: what is alike to its last digit is not known exactly."""
    equal = [value for value, error in _ERRORS_OF_MEANS.items() if row.get(error) == 0]
    row |= {_ERRORS_OF_MEANS[value]: math.nan for value in equal}
    return [f"all {what} of {value} are equal: they give no error" for value in equal]


def _load_of_timed_run(part, named_load):
    """The load of a run: as named, else the median of its users."""
    if named_load is not None:
        return named_load
    loads = part["users"].dropna() if "users" in part else pd.Series(dtype=float)
    return float(loads.median()) if len(loads) else math.nan
