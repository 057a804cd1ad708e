"""Means over the steady window of each run, with the errors of `batch_means`; `load_curve` combines those of repeats.

A file may have one run or several: one per load, repeats of a load, or loads that follow each other on one clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, as_python, check_level, names_its_keywords, spelling
from dominoperf.loadtests import batch_means
from dominoperf.loadtests.batch_means import Estimate
from dominoperf.loadtests.readers.recording import RESPONSES
from dominoperf.loadtests.samples import (
    DIFFERENCES,
    SamplesLike,
    check_one_process,
    counter_in_words,
    measured_columns_of_samples,
    read_run,
    rows_of_each_run,
    sample_numbers,
    sample_seconds,
    samples_argument,
    seconds_between,
    time_column,
    uneven_times,
)
from dominoperf.loadtests.window import Steady, steady_state
from dominoperf.tables import rendering
from dominoperf.tables.columns import USER, check_columns, check_group_columns, column_names
from dominoperf.tables.headings import MEAN_RESPONSES, THROUGHPUTS
from dominoperf.tables.rendering import Result

_COLUMNS = ["metric", "unit", "mean", "std_error", "low", "high", "samples", "effective_samples", "reason"]
_QUANTILES = {"response_median_s": 0.5, "response_p95_s": 0.95, "response_p99_s": 0.99}
_RESPONSES = (*MEAN_RESPONSES, *_QUANTILES, "response_sd_s", "response_max_s")
_OF_SAMPLES = "mean of the samples' percentiles, which is mostly less than the percentile of all requests"
SAMPLES_HELD = 5
"""Samples of a load, in the median of the loads, from which on each was held and not passed through."""


@names_its_keywords()
def roll_up(
    frame: SamplesLike,
    window: Steady | Sequence[float] | Sequence[bool] | np.ndarray | pd.Series | None = None,
    *,
    by: str | Sequence[str] | None = None,
    columns: str | Sequence[str] | None = None,
    counts: str | Sequence[str] = (),
    weights: str | None = None,
    time: str | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return the mean of every measure of a run over a window, with its interval.

    Errors are of batch means (`dominoperf.loadtests.batch_means`). 95 % intervals include the mean of an autoregressive
    series in 93 to 97 % of cases where it is worth some 30 independent samples or more, in 88 to 97 % where it is worth
    7 to 20, and in two thirds where it is worth less than one; below 10 the reason says so. Single samples far off,
    such as pauses of the server, need more: where one of 20 is 80 % lower, 20 samples had intervals with the mean in
    68 % of cases, 60 samples in 93 %.

    A percentile of the response times of a run is that of all its requests where the frame has them (the column
    ``responses_s`` of logs of requests). Else it is the mean of those of the samples, and the reason says so. The
    longest response is the longest of all.

    Parameters
    ----------
    frame : DataFrame, path or URL
        One row per sample, in order of time within each group.
    window : Steady, pair of float or array of bool, optional
        Which rows: the steady ones, those from one second on and before another, or those marked; by default all.
    by : str or list of str, optional
        Columns by whose values rows are grouped: drivers, say.
    columns : list of str, optional
        Measures; by default all numbers but the time and the columns of `by`.
    counts : sequence of str
        Measures that count something since the row before: their mean is a rate, all counts over all seconds, named
        with ``_per_s``. The first row of a group has no row before it and is left out.
    weights : str, optional
        Column of transactions by which our columns of response times (``response_s`` and its percentiles) are weighted:
        their mean is then one over transactions, not over samples.
    time : str, optional
        Column of seconds, or of clock times; by default ``time_s``, else ``time``, ``timestamp``...
    level : float
        Coverage of the intervals.

    Returns
    -------
    DataFrame
        The columns of `by`; metric, unit, mean, std_error, low, high, samples, effective_samples (independent ones that
        would say as much), reason.

    Raises
    ------
    UnknownName
        When the frame lacks a column.
    BadTable
        When a column holds text, the window does not fit the frame, or rows of several processes would be mixed.

    Examples
    --------
    >>> run = pd.DataFrame({"time_s": range(120), "throughput_tps": [99, 100, 101] * 40})
    >>> roll_up(run, (60, 120))[["metric", "unit", "mean", "samples"]]
               metric unit   mean  samples
    0  throughput_tps  tps  100.0       60
    """
    where = "roll_up"
    check_level(level, where)
    frame = read_run(frame, named=(by, columns, counts, weights, time))
    time = time_column(frame, time)
    groups = column_names(by or [], samples_argument(frame, where, "by"))
    check_group_columns(groups, _COLUMNS, samples_argument(frame, where, "by"))
    if "process" not in groups:
        check_one_process(frame, where, "Give `by='process'`.")
    if columns is None:
        columns = [name for name in measured_columns_of_samples(frame, time) if name not in groups]
    columns = column_names(columns, samples_argument(frame, where, "columns"))
    counts = column_names(counts, samples_argument(frame, where, "counts"))
    weighing = [] if weights is None else [weights]
    for name, needed in {"by": groups, "columns": columns, "counts": counts, "weights": weighing}.items():
        check_columns(frame, needed, samples_argument(frame, where, name))
    if not isinstance(time, str):
        remedy = "Name the column of the times."
        raise BadTable(samples_argument(frame, where, "time"), expected="a name", found=as_python(time), remedy=remedy)
    at = sample_seconds(frame, time, where) if time in frame else np.full(len(frame), np.nan)
    rows = _rows_in_window(window, at)
    chosen, at = frame[rows].reset_index(drop=True), at[rows]

    means, units = [], tables.units()
    for key, part in chosen.groupby(groups, sort=False, dropna=False) if groups else [((), chosen)]:
        seconds = at[part.index]
        for name in dict.fromkeys([*columns, *counts]):
            metric, unit, values = name, units.get(name, ""), sample_numbers(part, name, where)
            weight = sample_numbers(part, weights, where) if weights and name in _RESPONSES else None
            if name in counts:
                metric, unit = f"{name}_per_s", "1/s"
                values, weight = _rates_of_counts(values, seconds, f"{samples_argument(frame, where, 'counts')} {name}")
            if weight is not None and (weight < 0).any():
                place, found = f"{spelling(where, '--weights')}, {metric}", f"{np.nanmin(weight):g}"
                remedy = "Rows must be in order of time, and transactions counted from 0."
                raise BadTable(place, expected="weights from 0", found=found, remedy=remedy)
            mean, used = _mean_of_samples(part, name, values, weight, seconds, level, timed=time in frame)
            means.append((*key, metric, unit, mean.value, mean.std_error, mean.low, mean.high, used, mean.effective,
                          mean.reason))  # fmt: skip
    rolled = pd.DataFrame(means, columns=[*groups, *_COLUMNS])
    rolled.attrs[USER] = tables.user_of(frame)
    return rolled


def _rates_of_counts(counts, seconds, place):
    """Counts since the row before as rates, and the seconds of each, which are its weight."""
    if told := counter_in_words(counts):
        found = f"a counter, which {told}"
        raise BadTable(place, expected="counts since the row before", found=found, remedy=DIFFERENCES)
    weight = np.diff(seconds, prepend=np.nan)
    return np.divide(counts, weight, out=np.full(len(counts), np.nan), where=weight > 0), weight


def _mean_of_samples(part, name, values, weight, seconds, level, *, timed):
    """The mean of a column over some rows, as an `Estimate`, and of how many of them; percentiles of responses too."""
    valid = np.isfinite(values)
    if weight is not None:
        valid &= np.isfinite(weight) & (weight > 0)  # no request of a second measures no response of it
    used = int(valid.sum())
    if name in _QUANTILES and RESPONSES in part and part[RESPONSES].notna().all():
        return batch_means.quantile_by_batches(part[RESPONSES][valid], _QUANTILES[name], level), used
    if name == "response_max_s" and timed and used:
        return Estimate(float(values[valid].max()), reason="the longest of all, which has no error"), used
    mean = batch_means.mean_by_batches(values[valid], level, None if weight is None else weight[valid])
    apart = uneven_times(seconds) if weight is None else ""
    of_samples = _OF_SAMPLES if name in _QUANTILES and timed and used > 1 else ""
    return replace(mean, reason="; ".join(filter(None, (of_samples, apart, mean.reason)))), used


def _rows_in_window(window, at):
    """Which rows lie in a window, as truth values."""
    if window is None:
        return np.full(len(at), True)
    if isinstance(window, (tuple, list)) and len(window) == 2 and not isinstance(window[0], (bool, np.bool_)):
        return seconds_between(at, *window)
    mask = np.asarray(getattr(window, "window", window))
    if mask.dtype != bool or mask.shape != (len(at),):
        remedy = "Give the frame that steady_state was given, a pair of seconds, or a truth value a row."
        found = f"{mask.size} values"
        raise BadTable("roll_up(window=...)", expected=f"{len(at)} truth values", found=found, remedy=remedy)
    return mask


@dataclass(frozen=True, eq=False)
class SteadyRuns(Result):
    """What `steady_state` found in each run of a frame. `tidy`, `glance` and `means` give plain frames."""

    by: tuple  # the columns that tell the runs apart; none of a single run
    runs: tuple  # the frame of each run
    each: tuple  # the Steady of each run
    time: str
    level: float

    @property
    def found(self) -> bool:
        """Whether any run has a steady window."""
        return any(steady.found for steady in self.each)

    def tidy(self) -> pd.DataFrame:
        """Return a row per run and phase: the columns of `by`, then those of `Steady.tidy`."""
        return self._joined(steady.tidy() for steady in self.each)

    def glance(self) -> pd.DataFrame:
        """Return a row per run: the columns of `by`, then those of `Steady.glance`."""
        return self._joined(steady.glance() for steady in self.each)

    def means(
        self,
        *,
        columns: str | Sequence[str] | None = None,
        counts: str | Sequence[str] = (),
        weights: str | None = None,
    ) -> pd.DataFrame:
        """Return the means of every run over its steady window.

        The arguments are those of `roll_up`, and so are the columns, behind those of `by` and the window, from_s and
        to_s. Without a window the numbers are NaN, and the reason says why.
        """
        settings = {"columns": columns, "counts": counts, "weights": weights, "time": self.time, "level": self.level}
        frames = []
        for run, steady in zip(self.runs, self.each, strict=True):
            means = roll_up(run, steady.window, **settings)
            if not steady.found:
                means["reason"] = steady.reason
            elif steady.samples.column in THROUGHPUTS:  # its error has what is left of a ramp-up
                names = ["mean", "std_error", "low", "high"]
                found = [steady.mean.value, steady.mean.std_error, steady.mean.low, steady.mean.high]
                means.loc[means["metric"] == steady.samples.column, names] = found
            means.insert(0, "from_s", steady.from_s)
            means.insert(1, "to_s", steady.to_s)
            frames.append(means[~means["metric"].isin(self.by)])
        joined = self._joined(frames)
        joined.attrs[USER] = tables.user_of(self.runs[0])
        return joined

    def _joined(self, frames):
        """The frames of the runs one below the other, after the columns that identify the run."""
        named = []
        for run, frame in zip(self.runs, frames, strict=True):
            keys = {name: run[name].iloc[0] for name in self.by}
            rest = [name for name in frame if name not in keys]
            named.append(frame.assign(**keys)[[*keys, *rest]])
        return pd.concat(named, ignore_index=True)

    def headline(self) -> str:
        """Return of every run where it is steady, on which level, and whether it drifts, a line each."""
        if not self.by:
            return self.each[0].headline()
        count = sum(steady.found for steady in self.each)
        lines = [f"{count} of {len(self.each)} runs have a steady window; each run is looked at by itself."]
        for run, steady in zip(self.runs, self.each, strict=True):
            name = ", ".join(f"{column} {rendering.cell_text(run[column].iloc[0])}" for column in self.by)
            lines.append(f"{name}: {steady.headline()}")
        return "\n".join(lines)

    def __str__(self):
        """Lay the summary out for a terminal."""
        if not self.by:
            return str(self.each[0])
        return f"{self.headline()}\n\n{rendering.Table(self.glance(), 6)}"

    def _page_tables(self):
        return self.tidy(), self.glance()


@names_its_keywords("dominoperf.loadtests:steady_state")
def steady_runs(
    frame: SamplesLike,
    *,
    by: str | Sequence[str] | None = None,
    time: str | None = None,
    level: float = 0.95,
    **settings: Any,
) -> SteadyRuns:
    """Return ramp-up, steady window and drift of each run of a frame, each looked at by itself.

    Parameters
    ----------
    frame : DataFrame, path or URL
        One row per sample, the rows of a run in order of time.
    by : str or list of str, optional
        Columns whose values tell the runs apart; where the time goes back among rows alike in them, a run is repeated.
        By default a column ``file`` or ``run`` of several values names the runs, and with it or alone a column
        ``process``. Else a run begins wherever the time goes back, and the column of the runs is ``users`` if each has
        a number of its own, else ``run``, which counts them. Where it never goes back, every load of a stepped test is
        a run; a ramp, whose loads last for fewer than 5 samples, is one. Rows with no user belong to no run.
    time, level, **settings
        As `steady_state` takes them. Runs without a sample in the stretch `between` are left out.

    Examples
    --------
    >>> runs = pd.DataFrame({"users": [8] * 60 + [16] * 60, "time_s": [*range(60)] * 2})
    >>> steady_runs(runs.assign(throughput_tps=10.0 * runs["users"])).glance()[["users", "from_s", "to_s"]]
       users  from_s  to_s
    0      8     0.0  59.0
    1     16     0.0  59.0
    """
    frame = read_run(frame, named=(by, time, settings.get("on"), settings.get("users")))
    time = time_column(frame, time)
    by, runs = runs_of_frame(frame, by, time)
    runs = _runs_looked_at(runs, time, settings.get("between"))
    windows = tuple(steady_state(run, time=time, level=level, **settings) for run in runs)
    answer = [name for steady in windows[:1] for name in (*steady.tidy(), *steady.glance(), *_COLUMNS)]
    check_group_columns(by, answer, samples_argument(frame, "steady_runs", "by"))
    return SteadyRuns(tuple(by), tuple(runs), windows, time, level)


def _runs_looked_at(runs, time, between):
    """The runs with samples between two seconds; all, where none has, of which the first then is refused."""
    try:
        first, last = map(float, between)
    except (TypeError, ValueError):  # none, or what `steady_state` refuses
        return runs
    seen = [run for run in runs if _rows_in_window((first, last), sample_seconds(run, time, "steady_runs")).any()]
    return seen or runs


def runs_of_frame(frame, by, time):
    """Return the columns that identify the runs of a frame, and the frame of each run, as `steady_runs` takes them."""
    where = "steady_runs"
    # before the first user nothing is tested
    if by is None and "users" in frame and (sample_numbers(frame, "users", where) > 0).any():
        frame = frame[frame["users"] != 0]
    if by is None:
        several = [name for name in ("file", "run", "process")
                   if name in frame and frame[name].nunique(dropna=False) > 1]  # fmt: skip
        if several:
            by = several[:1] + [name for name in several[1:] if name == "process"]
            by += _load_column_of_steady_runs([run for _, run in frame.groupby(by, dropna=False)])
    if by is None:
        runs = [frame.iloc[rows] for rows in rows_of_each_run(frame, time, where)]
        if len(runs) > 1:
            by = _load_column_of_steady_runs(runs)
            if by and len({run["users"].iloc[0] for run in runs}) == len(runs):
                return by, runs
            return ["run", *by], [run.assign(run=str(k)) for k, run in enumerate(runs, 1)]
        samples = frame["users"].value_counts() if "users" in frame else ()
        if len(samples) < 2 or samples.median() < SAMPLES_HELD:
            return [], runs
        by = "users"
    by = column_names(by, samples_argument(frame, where, "by"), least=1)
    check_columns(frame, by, samples_argument(frame, where, "by"))
    groups = [part for _, part in frame.groupby(by, sort=False, dropna=False)]
    return by, [part.iloc[rows] for part in groups for rows in rows_of_each_run(part, time, where)]


def _load_column_of_steady_runs(runs):
    """The column of the load where each run has one number of users, as a list."""
    return ["users"] if all("users" in run and run["users"].nunique(dropna=False) == 1 for run in runs) else []
