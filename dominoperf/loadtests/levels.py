"""Several runs in one frame, of a load each or repeated: a steady window and its means for each."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.loadtests.finding import steady_state
from dominoperf.loadtests.means import COLUMNS, roll_up
from dominoperf.loadtests.samples import read_run, runs_of
from dominoperf.tables import rendering

_WHERE = "steady_runs"
_HELD = 5  # samples of a load, in the median of the loads, from which on each was held and not passed through


@dataclass(frozen=True, eq=False)
class SteadyRuns:
    """What `steady_state` found in each run of a frame. `tidy`, `glance` and `means` give plain frames."""

    by: tuple  # the columns that tell the runs apart; none of a single run
    runs: tuple  # the frame of each run
    each: tuple  # the Steady of each run
    time: str
    level: float

    @property
    def found(self):
        """Whether any run has a steady window."""
        return any(each.found for each in self.each)

    def tidy(self):
        """Return a row per run and phase: the columns of `by`, then those of `Steady.tidy`."""
        return self._joined(each.tidy() for each in self.each)

    def glance(self):
        """Return a row per run: the columns of `by`, then those of `Steady.glance`."""
        return self._joined(each.glance() for each in self.each)

    def means(self, *, columns=None, counts=(), weights=None, within=()):
        """Roll every run up over its steady window.

        Parameters
        ----------
        columns, counts, weights
            As `roll_up` takes them.
        within : str or list of str
            Columns by whose values the rows of a run are grouped: drivers, say.

        Returns
        -------
        DataFrame
            Of several runs the columns of `by` and from_s, to_s (the window); then those of `roll_up`. Without a window
            the numbers are NaN, and the reason says why.
        """
        how = {"columns": columns, "counts": counts, "weights": weights, "time": self.time, "level": self.level}
        frames = [self._means(run, each, how | {"by": within or None})
                  for run, each in zip(self.runs, self.each, strict=True)]  # fmt: skip
        return self._joined(frames)

    def _means(self, run, found, how):
        window = found if found.found else np.zeros(len(run), bool)
        means = roll_up(run, window, **how)
        if not found.found:
            means["reason"] = found.reason
        if not self.by:
            return means
        means = means[~means["metric"].isin(self.by)]
        at = [name for name in means if name not in COLUMNS]
        means.insert(len(at), "from_s", found.from_s)
        means.insert(len(at) + 1, "to_s", found.to_s)
        return means

    def _joined(self, frames):
        """The frames of the runs one below the other, each behind what its run is told apart by."""
        named = []
        for run, frame in zip(self.runs, frames, strict=True):
            keys = {name: run[name].iloc[0] for name in self.by}
            rest = [name for name in frame if name not in keys]
            named.append(frame.assign(**keys)[[*keys, *rest]])
        return pd.concat(named, ignore_index=True)

    def headline(self):
        """Say of every run where it is steady, on which level, and whether it drifts."""
        if not self.by:
            return self.each[0].headline()
        steady, count = sum(each.found for each in self.each), len(self.each)
        lines = [f"{steady} of {count} runs have a steady window; each run is looked at by itself."]
        for run, each in zip(self.runs, self.each, strict=True):
            of = ", ".join(f"{name} {rendering.cell_text(run[name].iloc[0])}" for name in self.by)
            lines.append(f"{of}: {each.headline()}")
        return "\n".join(lines)

    def __str__(self):
        """Lay the summary out for a terminal."""
        if not self.by:
            return str(self.each[0])
        return f"{self.headline()}\n\n{rendering.Table(self.glance(), 6)}"

    __repr__ = __str__

    def _repr_html_(self):
        return rendering.as_html_report(self.headline(), (self.tidy(), self.glance()), digits=6)


def steady_runs(frame, *, by=None, time="time_s", level=0.95, **settings):
    """Find ramp-up, steady window and drift of each run of a frame by itself.

    Parameters
    ----------
    frame : DataFrame, path or URL
        A row a sample, the rows of a run in order of time.
    by : str or list of str, optional
        Columns whose values tell the runs apart; where the time goes back among rows alike in them, a run is repeated.
        By default a column ``run`` of several values names the runs. Else a run begins wherever the time goes back, and
        the runs are told apart by ``users`` if each has a number of its own, else by ``run``, which counts them. Where
        it never goes back, every load that was held for some samples (5 in the median) is a run: a stepped test. A
        ramp, which holds none, stays one.
    time, level, **settings
        As `steady_state` takes them.

    Returns
    -------
    SteadyRuns

    Raises
    ------
    UnknownName, BadTable, CannotFit
        As `steady_state` raises them.
    """
    frame = read_run(frame)
    by = _named(frame) if by is None else by
    if by is None:
        runs = [frame.iloc[rows] for rows in runs_of(frame, time, _WHERE)]
        by = "users" if len(runs) == 1 and _is_stepped(frame) else None
    if by is None:
        by, runs = _told_apart(runs)
    else:
        by = [by] if isinstance(by, str) else list(by)
        tables.check_columns(frame, by, _WHERE)
        groups = [part for _, part in frame.groupby(by, sort=False, dropna=False)]
        runs = [part.iloc[rows] for part in groups for rows in runs_of(part, time, _WHERE)]
    each = tuple(steady_state(run, time=time, level=level, **settings) for run in runs)
    return SteadyRuns(tuple(by), tuple(runs), each, time, level)


def _named(frame):
    """The column that names the runs, and the load where each has one; none where nothing names them."""
    if "run" not in frame or frame["run"].nunique(dropna=False) < 2:
        return None
    of_one = "users" in frame and frame.groupby("run", dropna=False)["users"].nunique(dropna=False).eq(1).all()
    return ["run", "users"] if of_one else ["run"]


def _is_stepped(frame):
    """Whether a single run holds several loads, one after another, for some samples each.

    How many samples was chosen on simulated steps and ramps; no recorded stepped test was at hand. Locust's recorded
    ramp holds its loads for one sample in the median.
    """
    if "users" not in frame:
        return False
    samples = frame["users"].value_counts()
    return len(samples) > 1 and samples.median() >= _HELD


def _told_apart(runs):
    """The columns by which the runs are told apart, and the runs with them."""
    if len(runs) == 1:
        return [], runs
    loads = [run["users"].unique() if "users" in run else [np.nan] for run in runs]
    of_one = all(len(load) == 1 and load[0] == load[0] for load in loads)
    if of_one and len({load[0] for load in loads}) == len(runs):
        return ["users"], runs
    return ["run", *(["users"] if of_one else [])], [run.assign(run=str(k)) for k, run in enumerate(runs, 1)]


def steady_means(frame, *, by="users", columns=None, counts=(), weights=None, time="time_s", level=0.95, **settings):
    """Find the steady window of each run of a frame, and roll it up: a point of a scaling curve each.

    Parameters
    ----------
    frame : DataFrame, path or URL
        A row a sample, times counted in each run.
    by : str or list of str
        Columns whose values tell the runs apart: the load.
    columns, counts, weights
        As `roll_up` takes them.
    time, level, **settings
        As `steady_state` takes them.

    Returns
    -------
    DataFrame
        The columns of `by`; from_s, to_s (the window); metric, unit, mean, std_error, low, high, samples,
        effective_samples, reason. Without a window the numbers are NaN, and the reason says why. A load that was run
        again has its rows again.

    Raises
    ------
    UnknownName, BadTable, CannotFit
        As `steady_state` and `roll_up` raise them.
    """
    frame = read_run(frame)
    found = steady_runs(frame, by=by, time=time, level=level, **settings)
    told = found.means(columns=columns, counts=counts, weights=weights)
    told.attrs[tables.USER] = tables.user_of(frame)
    return told
