"""The steady window of a run: where ramp-up ends, how long the level stays, and whether it drifts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import (
    BadTable,
    UnknownName,
    as_typed,
    capitalized,
    check_level,
    check_number,
    counted,
    names_its_keywords,
    spelling,
)
from dominoperf.loadtests import batch_means, mser
from dominoperf.loadtests.batch_means import Estimate
from dominoperf.loadtests.samples import (
    DIFFERENCES,
    Samples,
    SamplesLike,
    check_one_process,
    counter_in_words,
    read_run,
    rows_of_each_run,
    sample_clock,
    sample_column,
    sample_numbers,
    sample_seconds,
    samples_argument,
    samples_of_column,
    seconds_between,
    time_column,
    uneven_times,
    with_sample_clocks,
)
from dominoperf.tables import columns
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import MEAN_RESPONSES, THROUGHPUTS
from dominoperf.tables.rendering import Result, coverage, number, percent

METHODS = ("mser", "fixed")
_FEWEST = 20  # samples
_LEAST_SHARE = 0.5  # of the samples that a level part must have; with less MSER is not to be trusted
_HOUR = 3600.0  # seconds
_STILL_RISING = 0.25  # of the mean of the second half, over it: an approach that is two thirds done rises by less
_ALL_ON = 0.99  # of the users: one who drops out for a moment ends no steady state
_CUT_OFF = 2  # samples, or times that a user needs for a request, that the end of a recording may lack
_SHORT_CHANGE = 0.05  # share of the samples up to which another level at the end leaves a steady window
_SHORT_RAMP_DOWN = 0.1  # the same where users are not known, who may be leaving
_NOTHING = 0.2  # of the level: below it the end of a ramp-down lies
_ALONE = "look between the times of one alone"
_WHERE = "steady_state"
_DRIFTS = {"yes": "It drifts", "no": "It does not drift", "cannot tell": "The samples do not show whether it drifts"}


@dataclass(frozen=True)
class LateChange:
    """Where a run goes to another level and stays there, though no users are known to leave as in a ramp-down."""

    at_s: float  # of the first sample of the other level
    ratio: float  # of the other level to the one before
    share: float  # of the samples that lie on the other level
    users_known: bool  # and unchanged

    def in_words(self):
        """Return by how much the run falls or rises, and when."""
        way, under = "falls" if self.ratio < 1 else "rises", " under unchanged users" * self.users_known
        return f"{way} by {percent(abs(1 - self.ratio))} at {sample_clock(self.at_s)} s{under}"


@dataclass(frozen=True, eq=False)
class Steady(Result):
    """The steady window of a run, or why there is none. `tidy` and `glance` give plain frames."""

    method: str  # one of METHODS
    samples: Samples  # of the column looked at
    row_times: np.ndarray  # of every row of the frame, in seconds
    phases: pd.DataFrame
    from_s: float
    to_s: float
    drift: Estimate  # 1/hour: slope over the mean
    drifting: str  # "yes", "no" or "cannot tell"
    mean: Estimate  # of the column over the window
    reasons: tuple  # why there is no window, or what to know of it
    level: float
    change: "LateChange | None" = None  # for which there is no window

    @property
    def reason(self) -> str:
        """All reasons in one text."""
        return "; ".join(self.reasons)

    @property
    def found(self) -> bool:
        """Whether there is a steady window."""
        return bool(np.isfinite(self.from_s))

    @property
    def window(self) -> np.ndarray:
        """Which rows of the frame lie in the steady window: an array of truth values, all false where there is none."""
        return (self.row_times >= self.from_s) & (self.row_times <= self.to_s)

    def tidy(self) -> pd.DataFrame:
        """Return a row per phase: phase, from_s, to_s (of its first and last sample), samples, reason."""
        return with_sample_clocks(self.phases.copy())

    def glance(self) -> pd.DataFrame:
        """Return one row: method, metric, from_s, to_s, samples, drift per hour with its interval, drifting, reason."""
        row = {"method": self.method, "metric": self.samples.column, "from_s": self.from_s, "to_s": self.to_s}
        row["samples"] = len(self.samples.part(self.from_s, self.to_s).times)
        row |= {"drift_per_hour": self.drift.value, "drift_low_per_hour": self.drift.low}
        row |= {"drift_high_per_hour": self.drift.high, "drifting": self.drifting, "reason": self.reason}
        return with_sample_clocks(pd.DataFrame([row]))

    def headline(self) -> str:
        """Return in a sentence or three where the run is steady, on which level, and whether it drifts."""
        name = tables.label(self.samples.column)
        if not self.found:
            return f"No steady window of {name}: {self.reason}."
        ends = f"{coverage(self.level)} interval {number(self.mean.low)} to {number(self.mean.high)}"
        ends = f"no interval: {self.mean.reason}" if np.isnan(self.mean.low) else ends
        mean = f"{number(self.mean.value)} ({ends})"
        times = f"from {sample_clock(self.from_s)} to {sample_clock(self.to_s)} s"
        if self.method == "mser":
            sentence = f"{capitalized(name)} is steady {times}, mean {mean}."
        else:
            sentence = f"The measured period is {times}, mean of {name} {mean}."
        return " ".join([sentence, self.describe_drift(), *([f"Note: {self.reason}."] if self.reason else [])])

    def describe_drift(self) -> str:
        """Return in a sentence whether the run drifts, and its change over the window, by drift per hour."""
        span = self.to_s - self.from_s
        low, high = self.drift.low * span / _HOUR, self.drift.high * span / _HOUR
        if not np.isfinite([low, high]).all():
            return f"{_DRIFTS[self.drifting]}."
        verdict = "Too short or too noisy to tell a drift" if self.drifting == "cannot tell" else _DRIFTS[self.drifting]
        digits = 1 if max(-low, high) >= 0.01 else 2
        ends = f"{100 * low:+.{digits}f} % and {100 * high:+.{digits}f} % of its mean ({coverage(self.level)} interval)"
        return f"{verdict}: the change over the window of {number(span)} s lies between {ends}."

    def _tables(self):
        return self.tidy(), self.glance()


@names_its_keywords()
def steady_state(
    frame: SamplesLike,
    *,
    on: str | None = None,
    time: str | None = None,
    method: str = "mser",
    users: str | None = None,
    settle_s: float | None = None,
    measure_s: float | None = None,
    between: Sequence[float] | None = None,
    tolerance: float = 0.05,
    level: float = 0.95,
) -> Steady:
    """Return ramp-up, steady window and drift of a run, from its time series.

    Parameters
    ----------
    frame : DataFrame, path or URL
        One row per sample, of one run: `steady_runs` takes several.
    on : str, optional
        Column to look at; by default a throughput, or the only measure there is.
    time : str, optional
        Column of seconds, of another unit that its heading names (``time_ms``), or of clock times, which are counted
        from the earliest; by default ``time_s``, else ``time``, ``timestamp``...
    method : {"mser", "fixed"}
        "mser" looks for a level part in the numbers (`dominoperf.loadtests.mser`). The users at work have to be level
        too, where the frame has them, and of a throughput the response must have risen: beyond saturation a throughput
        is level while users are still being started. Another level at the end is a ramp-down if users leave, or of a
        frame without users if it is higher, short or ends at about nothing; else there is no window, and `change` of
        the answer has when and by how much. A dip from which the run comes back is no ramp and part of the window, if
        the mean then has an error. "fixed" takes a period by the clock, whether or not the numbers are level:
        from when all users are on and have settled, for the time to measure, to the end of the full load at most.
    users : str, optional
        For "fixed": the column of users at work, by default ``users``; all are on where the most are.
    settle_s, measure_s : float, optional
        For "fixed": the seconds to settle, from the first sample, and to measure; by default those of the protocol that
        ``steady.toml`` in the data names (30 and 60 minutes).
    between : pair of float, optional
        Look only at the samples from the one second on and before the other: at one of several levels, say.
    tolerance : float
        Change over the window, as a share of the mean, that counts as level.
    level : float
        Coverage of the intervals.

    Returns
    -------
    Steady
        Its drift is the slope over the mean, per hour. It is "no" where the interval of the change over the window lies
        within the tolerance, "yes" where it excludes 0, else "cannot tell". A run that keeps rising has no steady
        state: with "mser" a drifting run has no window.

    Raises
    ------
    UnknownName, CannotFit
        When a column or the method does not exist; when a setting is out of its range.
    BadTable
        When a column holds text, no row has a number, or the frame has several runs or processes.

    Notes
    -----
    What is left of a slow approach to the level stays in the window of MSER: the mean of a throughput that came near
    its level exponentially is too low. Where 20 samples or more were cut as ramp-up, its error has what of that the
    second half of the window shows. Where it matters use "fixed" with a long `settle_s`, or `between`.

    Examples
    --------
    >>> run = pd.DataFrame({"time_s": range(100), "throughput_tps": [*range(0, 100, 10), *[100, 101, 99] * 30]})
    >>> found = steady_state(run)
    >>> found.from_s, found.to_s, round(found.mean.value, 1)
    (10.0, 99.0, 100.0)
    >>> found = steady_state(run, method="fixed", settle_s=20, measure_s=60)
    >>> found.from_s, found.to_s
    (20.0, 79.0)
    """
    _check_steady_settings(method, users, settle_s, measure_s, tolerance, level)
    frame = read_run(frame, named=(on, time, users))
    time = time_column(frame, time)
    column = sample_column(frame, on, time, _WHERE)
    check_one_process(frame, _WHERE, "Use `loadtests.steady_runs`, which looks at each by itself.")
    runs = rows_of_each_run(frame, time, _WHERE)
    if len(runs) > 1:  # their samples laid over each other would be those of none
        remedy = f"Use `loadtests.steady_runs`, which looks at each, or put the rows of one run in order of {time}."
        several = f"{len(runs)} runs, as {time} goes back at row {runs[1][0] + 1}"
        raise BadTable(f"{_WHERE}(frame)", expected="one run", found=several, remedy=remedy)
    samples, row_times = samples_of_column(frame, column, time, _WHERE), sample_seconds(frame, time, _WHERE)
    change = None
    part = _samples_looked_at(samples, between)
    if method == "fixed":
        at_work = _users_at_samples(frame, users, row_times, part.times)
        phases, reasons = _phases_by_clock(part.times, at_work, settle_s, measure_s)
    else:
        at_work = _users_at_samples(frame, None, row_times, part.times)
        first, last, why = _level_users(part.times, at_work)
        held = part.part(first, last)
        if why:
            phases, reasons = _run_without_steady_phase(part.times, why)
        else:
            users_on = math.nan if at_work is None else float(np.nanmax(at_work))
            phases, reasons, change = _phases_by_numbers(held, users_on, tolerance)
        phases = _with_the_phases_around(phases, part, held)
        if column in THROUGHPUTS and (phases["phase"] == "steady").any():
            phases, reasons = _after_the_response_rose(frame, time, held, phases, reasons, tolerance)

    # Mean and drift of the steady or drifting part; one that drifts, or is too short to tell, is no steady state.
    main = phases[phases["phase"].isin(["steady", "drifting"])].head(1)
    name, first, last = next(main[["phase", "from_s", "to_s"]].itertuples(index=False), ("", math.nan, math.nan))
    part = samples.part(first, last)
    mean = batch_means.mean_by_batches(part.values, level)
    if method == "mser" and column in THROUGHPUTS and (held.times < first).sum() >= _FEWEST:
        mean = batch_means.with_remaining_ramp(mean, part.values, held.values[held.times < first])
    drift, drifting, unknown = _drift_of_steady_window(part, mean.value, level, tolerance)
    if method == "mser" and name:
        refusal = _why_no_steady_state(name, column, mean, drift, drifting, (first, last))
        if refusal:
            instead = "drifting" if drifting == "yes" else "unknown"
            phases, reasons = phases.assign(phase=phases["phase"].replace(name, instead)), [refusal, *reasons]
            first, last, unknown = math.nan, math.nan, ""
    no_window = method == "mser" and not np.isfinite(first)
    if no_window and column not in THROUGHPUTS and (told := counter_in_words(samples.values)):
        told = f"{tables.label(column)} is a counter, which {told}"
        phases, reasons = _run_without_steady_phase(samples.times, f"no steady state: {told}")
        reasons.append(DIFFERENCES[0].lower() + DIFFERENCES[1:-1].replace(";", ","))
    in_part = (row_times >= part.times.min(initial=math.inf)) & (row_times <= part.times.max(initial=-math.inf))
    reasons = [*reasons, unknown, part.gap(), uneven_times(np.sort(row_times[in_part]))]
    reasons += [f"{counted(samples.missing, 'row')} without a number left out"] if samples.missing else []
    reasons = tuple(filter(None, reasons))
    return Steady(method, samples, row_times, phases, first, last, drift, drifting, mean, reasons, level, change)


def _why_no_steady_state(phase, column, mean, drift, drifting, span_s):
    """Why a phase of a run is no steady state, in words; "" where it is one."""
    first, last = span_s
    span = f"from {sample_clock(first)} to {sample_clock(last)} s"
    if drifting == "yes":
        way, over_window = "rising" if drift.value > 0 else "falling", abs(drift.value) * (last - first) / _HOUR
        shares = [f"{number(100 * each, 2)} %" for each in (over_window, abs(drift.value))]
        return f"no steady state: it keeps {way} {span}, by {shares[0]} of its mean ({shares[1]} an hour)"
    if column in THROUGHPUTS and mean.value == 0:
        return f"no steady state: nothing was served {span}"
    if not drift.effective >= batch_means.FEWEST:
        return f"cannot tell: the samples {span} are worth fewer than {batch_means.FEWEST} independent ones"
    return f"cannot tell: neither level nor surely drifting {span}" if phase == "drifting" else ""


def _check_steady_settings(method, users, settle_s, measure_s, tolerance, level):
    """Refuse settings that cannot be, before a frame is looked at."""
    if method not in METHODS:
        raise UnknownName.among("method", method, METHODS)
    for name, value in {"users": users, "settle_s": settle_s, "measure_s": measure_s}.items():
        where = spelling(f"{_WHERE}({name}=...)", f"--{name.removesuffix('_s')}")
        if value is not None and method != "fixed":
            expected = spelling("method='fixed', whose window it sets", "--method fixed, whose window it sets")
            remedy = "Leave it out, or ask for that method."
            raise BadTable(where, expected=expected, found=f"the method {method!r}", remedy=remedy)
        if name != "users" and value is not None and value != np.inf:
            check_number(where, value, 0, np.inf, low_included=True)
    check_level(level, _WHERE)
    check_number(spelling(f"{_WHERE}(tolerance=...)", "--tolerance"), tolerance, 0, 1, low_included=True)


def _samples_looked_at(samples, between):
    """The samples between the first and last second to look at."""
    if between is None:
        return samples
    try:
        first, last = (float(value) for value in between)
    except (TypeError, ValueError):
        first, last = math.nan, math.nan
    inside = seconds_between(samples.times, first, last)
    part = Samples(samples.column, samples.times[inside], samples.values[inside], samples.missing)
    if not len(part.times):
        found = f"{as_typed(between)}, and samples from {samples.times[0]:g} to {samples.times[-1]:g} s"
        remedy = "Give the first and the last second of a stretch with samples."
        raise BadTable(
            spelling(f"{_WHERE}(between=...)", "--between"), expected="two times", found=found, remedy=remedy
        )
    return part


def _users_at_samples(frame, users, row_times, times):
    """The users at work at each sample; None where the frame does not say."""
    column = "users" if users is None else users
    if users is not None:
        columns.check_columns(frame, [column], samples_argument(frame, _WHERE, "users"))
    elif column not in frame:
        return None
    loads = sample_numbers(frame, column, _WHERE)
    valid = np.isfinite(row_times) & np.isfinite(loads)
    if not valid.any():
        return None
    order = np.argsort(row_times[valid], kind="stable")
    latest = np.searchsorted(row_times[valid][order], times, side="right") - 1  # the last row by then that has a load
    return np.where(latest < 0, np.nan, loads[valid][order][np.maximum(latest, 0)])


def _phases_by_clock(times, at_work, settle_s, measure_s):
    """The phases of a window by the clock, and what to know of it: so long to settle, so long to measure."""
    settle_s = _protocol_time_of_steady_window("settle") if settle_s is None else settle_s
    measure_s = _protocol_time_of_steady_window("measure") if measure_s is None else measure_s
    began, ended, reasons = times[0], times[-1], []
    if at_work is not None:
        on = at_work >= _ALL_ON * np.nanmax(at_work)
        began, ended = times[on][0], times[on][-1]
        out = int((~on & np.isfinite(at_work) & (times > began) & (times < ended)).sum())
        reasons += [f"fewer users in {out} samples of it"] if out else []
    start = max(began, times[0] + settle_s)
    stop = min(start + measure_s, ended + (np.median(np.diff(times)) if len(times) > 1 else 0.0))
    if start >= ended:
        return _run_without_steady_phase(
            times, f"all users are on until {sample_clock(ended)} s, the period begins at {sample_clock(start)} s"
        )
    first = np.searchsorted(times, start)
    last = min(np.searchsorted(times, start + measure_s), np.searchsorted(times, ended, side="right"))
    if first == last:
        return _run_without_steady_phase(
            times, f"no samples in the period, {sample_clock(start)} to {sample_clock(stop)} s"
        )
    if math.isfinite(measure_s) and stop < start + measure_s:
        reasons.append(f"ends after {number((stop - start) / 60, 3)} of {number(measure_s / 60, 3)} minutes")
    parts = ("ramp-up", 0, first, ""), ("steady", first, last, ""), ("not measured", last, len(times), "")
    return _rows_of_steady_phases(times, parts), reasons


def _protocol_time_of_steady_window(name):
    """The time to "settle" or to "measure", in seconds, from the table that ``steady.toml`` names."""
    where = our_toml_file("steady.toml")
    table = tables.load(where["table"], text=True).set_index(where["key"])
    return 60.0 * float(table.at[where[name], where["minutes"]])


def _phases_by_numbers(part, users_on, tolerance):
    """The phases that the numbers show, what to know of them, and a `LateChange`; too few samples show none."""
    times, values = part.times, part.values
    if len(times) < _FEWEST:
        why = f"cannot tell: {len(times)} samples, at least {_FEWEST} are needed"
        return *_run_without_steady_phase(times, why), None
    size = mser.mser_batch_size(len(times))
    result = mser.level_part_by_mser(mser.means_of_batches(values), tolerance=tolerance, share=_LEAST_SHARE)
    final = result.parts[-1][2]  # the last part has what fills no batch
    parts = [(name, a * size, len(times) if b == final else b * size, why) for name, a, b, why in result.parts]
    parts, change, told = _late_change(part, parts, users_on, tolerance)
    if change and change.users_known:
        what = "throughput" if part.column in THROUGHPUTS else tables.label(part.column)
        after = f"and {percent(change.share)} of the samples lie after it"
        reason = f"no steady state: the {what} {change.in_words()}, {after}"
        return _rows_of_steady_phases(times, parts), [reason, _ALONE], change
    if change or result.reason == "levels":
        levels = [
            f"{number(values[a:b].mean())} from {sample_clock(times[a])} to {sample_clock(times[b - 1])} s"
            for name, a, b, _ in parts
            if name == "level"
        ]
        reason = f"cannot tell: {len(levels)} levels, {', '.join(levels)}"
        if change and change.ratio < 1:
            reason += f": a fall by {percent(1 - change.ratio)}, and no users tell whether it is a ramp-down"
        return _rows_of_steady_phases(times, parts), [reason, _ALONE], change
    if result.reason == "short":
        a, b = (k * size for k in result.longest)
        stretch = f"{sample_clock(times[a])} to {sample_clock(times[b - 1])} s"
        reason = f"cannot tell: the longest level part, {stretch}, is {percent((b - a) / len(times))} of the run"
        return _rows_of_steady_phases(times, parts), [reason], None
    reasons = [f"the {name} {why}" for name, _, _, why in parts if why and name != "steady"]
    for a, b in np.multiply(result.dips, size).tolist():
        ratio = values[a:b].mean() / np.r_[values[:a], values[b:]].mean()
        way, span = "falls" if ratio < 1 else "rises", f"{sample_clock(times[a])} to {sample_clock(times[b - 1])} s"
        reasons.append(f"it {way} by {percent(abs(1 - ratio))} from {span} and comes back, so that is no ramp")
    (name, a, b, _), (_, _, last, _), *_ = [*parts, parts[-1]]
    if name == "ramp-up" and part.column in THROUGHPUTS and b - a >= _FEWEST:
        higher = values[a:b].mean() / values[b:last].mean() - 1
        if higher > tolerance and mser.two_levels_differ(values[a:last], b - a):
            why = "a write cache that fills, burst credits that end or a processor that slows down"
            reasons.append(f"what lies before it is no ramp-up but {percent(higher)} higher, as with {why}")
    return _rows_of_steady_phases(times, parts), [*reasons, *told], None  # of a drifting run the drift says so


def _late_change(part, parts, users_on, tolerance):
    """The parts, with two levels where the run goes to another one and stays there; a `LateChange`, or None; notes.

    What lies behind a level under unchanged users is no ramp-down. Where users are not known, what is short, or at
    whose end nothing is done, may be one; and what is higher is not looked at: more users may have come.
    """
    ends = _ends_of_two_levels(part, parts, tolerance)
    if not ends:
        return parts, None, []
    times, values, (first, step, last) = part.times, part.values, ends
    before, after, tail = values[first:step].mean(), values[step:last].mean(), (last - step) / len(times)
    change = LateChange(times[step], after / before, tail, users_known=math.isfinite(users_on))
    around = [each for each in parts if each[2] <= first or each[1] >= last]
    levels = [("level", first, step, "level 1 of 2"), ("level", step, last, "level 2 of 2")]
    parted = sorted([*around, *levels], key=lambda each: each[1])
    if any(name == "level" for name, *_ in parts):
        return parted, change, []
    if change.users_known:
        interval = float(np.median(np.diff(times)))
        rate = before * columns.factor_to_per_second(part.column) if part.column in THROUGHPUTS else math.inf
        if (last - step) * interval <= max(_CUT_OFF * interval, _CUT_OFF * users_on / rate):
            return parts, None, []  # requests that were under way when the recording ended
        if tail < _SHORT_CHANGE:
            what = "throughput" if part.column in THROUGHPUTS else tables.label(part.column)
            return parts, None, [f"behind it the {what} {change.in_words()}"]
        return parted, change, []
    ends_at = values[last - max(2, (last - step) // 10) : last].mean()
    may_be_ramp_down = tail < _SHORT_RAMP_DOWN or abs(ends_at) < _NOTHING * abs(before)
    return (parts, None, []) if after > before or may_be_ramp_down else (parted, change, [])


def _ends_of_two_levels(part, parts, tolerance):
    """The first sample of a level, the first of another behind it by least squares, and its end; None without another.

    The other one is a second level, or what was taken for a ramp-down.
    """
    names = [name for name, *_ in parts if name != "ramp-up"]
    if names.count("level") != 2 and names != ["steady", "ramp-down"]:
        return None
    first, level_ends = next((a, b) for name, a, b, _ in parts if name in ("steady", "level"))
    last = [b for name, _, b, _ in parts if name in ("level", "ramp-down")][-1]
    values, batch = part.values[first:last], mser.mser_batch_size(len(part.times))
    step = mser.step_by_least_squares(values, max(level_ends - first - 2 * batch, 1))  # but for a batch of both levels
    before, after = values[:step].mean(), values[step:].mean()
    sure = mser.two_levels_differ(values, step)
    return (first, first + step, last) if sure and before and abs(after / before - 1) > tolerance else None


def _level_users(times, at_work):
    """The first and the last time at which the users at work are level, and why there is none."""
    if at_work is None or np.nanmin(at_work) == np.nanmax(at_work) or len(times) < _FEWEST:
        return times[0], times[-1], ""
    known = pd.Series(at_work).bfill().to_numpy()
    size = mser.mser_batch_size(len(times))
    result = mser.level_part_by_mser(mser.means_of_batches(known), tolerance=1 - _ALL_ON, share=0.0)
    if result.window:
        last = len(times) if result.window[1] == result.parts[-1][2] else result.window[1] * size
        first = result.window[0] * size
        slope = batch_means.slope_by_batches(times[first:last], known[first:last], 0.95)
        change = np.abs([slope.low, slope.high]).min() * (times[last - 1] - times[first]) / known[first:last].mean()
        if slope.low <= 0 <= slope.high or not change > 1 - _ALL_ON:
            return times[first], times[last - 1], ""
    why = f"no steady state: the users at work change throughout, from {known.min():g} to {known.max():g}"
    return times[0], times[-1], why


def _with_the_phases_around(phases, part, held):
    """The phases of the samples that are looked at, and what lies before and after them."""
    first, last = np.searchsorted(part.times, [held.times[0], held.times[-1]])
    before = _rows_of_steady_phases(part.times, [("ramp-up", 0, first, "users are still being started")])
    after = _rows_of_steady_phases(part.times, [("ramp-down", last + 1, len(part.times), "users are ending")])
    return pd.concat([each for each in (before, phases, after) if len(each)], ignore_index=True)


def _after_the_response_rose(frame, time, held, phases, reasons, tolerance):
    """The phases and reasons with the steady part begun where the response has risen, or without one."""
    response = next((name for name in MEAN_RESPONSES if name in frame and frame[name].notna().any()), None)
    if response is None:
        return phases, reasons
    seen = samples_of_column(frame, response, time, _WHERE).part(held.times[0], held.times[-1])
    if len(seen.times) < 2 * _FEWEST:  # too short for a second search
        return phases, reasons
    cut = mser.initial_transient(mser.means_of_batches(seen.values), tolerance=tolerance)
    risen_s = seen.times[cut * mser.mser_batch_size(len(seen.times))]
    where = int((phases["phase"] == "steady").to_numpy().argmax())
    steady = held.part(*phases.loc[where, ["from_s", "to_s"]])
    first = int(np.searchsorted(steady.times, risen_s)) if cut else 0
    parts = ("ramp-up", 0, first, "the response still changes"), ("steady", first, len(steady.times), "")
    if len(steady.times) - first < _LEAST_SHARE / 2 * len(held.times):  # a ramp may be half of the run
        parts = parts[0], ("unknown", *parts[1][1:])
        reasons = [f"no steady state: the response changes until {sample_clock(risen_s)} s"]
        half = len(seen.times) // 2
        times, values = seen.times[half:], seen.values[half:]
        slope = batch_means.slope_by_batches(times, values, 0.95)
        if slope.low > 0 and slope.value * (times[-1] - times[0]) > _STILL_RISING * values.mean():
            ends = [number(each.mean(), 2) for each in (values[: half // 2], values[half // 2 :])]
            unit = tables.units()[response]
            parts = (("unknown", 0, len(steady.times), "the response rises"),)
            reasons = [
                f"no steady state: the response rises to the end, from {ends[0]} to {ends[1]} {unit} between the third"
                " and the last quarter, so more may arrive than is served"
            ]
    rows = [phases[:where], _rows_of_steady_phases(steady.times, parts), phases[where + 1 :]]
    return pd.concat([each for each in rows if len(each)], ignore_index=True), reasons


def _rows_of_steady_phases(times, parts):
    """A row for each part (name, first sample, one past the last, reason) that has samples."""
    rows = [(name, times[a], times[b - 1], b - a, why) for name, a, b, why in parts if a < b]
    return pd.DataFrame(rows, columns=["phase", "from_s", "to_s", "samples", "reason"])


def _run_without_steady_phase(times, why):
    """The one phase of a run that shows none, and why."""
    return _rows_of_steady_phases(times, [("unknown", 0, len(times), why)]), [why]


def _drift_of_steady_window(part, mean, level, tolerance):
    """The slope per hour over the mean, whether the run drifts, and why it is unknown."""
    if not len(part.times):
        return Estimate(np.nan), "cannot tell", ""
    slope = batch_means.slope_by_batches(part.times / _HOUR, part.values, level)
    scale = abs(mean) if mean else np.nan
    drift = Estimate(
        *(value / scale for value in (slope.value, slope.std_error, slope.low, slope.high)), slope.effective
    )
    if np.isnan(drift.low):
        return drift, "cannot tell", f"drift unknown: {slope.reason or 'the mean is 0'}"
    hours = (part.times[-1] - part.times[0]) / _HOUR
    if max(abs(drift.low), abs(drift.high)) * hours <= tolerance:
        return drift, "no", ""
    return drift, "yes" if drift.low > 0 or drift.high < 0 else "cannot tell", ""
