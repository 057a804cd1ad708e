"""Means over the steady window, each with an error that knows that neighbours are alike."""

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, check_level, typed
from dominoperf.loadtests import spread
from dominoperf.loadtests.samples import measures, numbers, read_run, seconds

COLUMNS = ["metric", "unit", "mean", "std_error", "low", "high", "samples", "effective_samples", "reason"]
_WHERE = "roll_up"


def roll_up(frame, window=None, *, by=None, columns=None, counts=(), weights=None, time="time_s", level=0.95):
    """Roll a run up: the mean of every measure over a window, with its interval.

    Errors are of batch means, widened for what likeness is left between batches (`dominoperf.loadtests.spread`): 95 %
    intervals hold the mean of an autoregressive series in 93 to 97 % of cases.

    Parameters
    ----------
    frame : DataFrame, path or URL
        A row a sample, in order of time within each group.
    window : Steady, pair of float or array of bool, optional
        Which rows: the steady ones, those between two seconds, or those marked; all by default.
    by : str or list of str, optional
        Columns by whose values rows are grouped: drivers, say.
    columns : list of str, optional
        Measures; by default all numbers but the time and the columns of `by`.
    counts : sequence of str
        Measures that count something since the row before: their mean is a rate, all counts over all seconds, named
        with ``_per_s``. The first row of a group has no row before it and is left out.
    weights : str or dict, optional
        Column of transactions by which the columns of response (``response...``) are weighted, or each measure with its
        own column: the mean is then one over transactions, not over samples.
    time : str
        Column of seconds, or of clock times.
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
        When a column holds text, or the window does not fit the frame.
    """
    check_level(level, _WHERE)
    groups = [] if by is None else [by] if isinstance(by, str) else list(by)
    frame = read_run(frame)
    named = _named(frame, columns, [time, *groups])
    weighted = _weights(weights, named)
    tables.check_columns(frame, [*groups, *named, *counts, *weighted.values()], typed(_WHERE, "steady"))
    chosen = frame.assign(**{_SECONDS: seconds(frame, time, _WHERE) if time in frame else np.nan})
    chosen = chosen[_rows(chosen, window)]
    named = [*named, *(name for name in counts if name not in named)]
    rows = [(*key, *_measure(part, name, counts, weighted, level)) for key, part in _groups(chosen, groups)
            for name in named]  # fmt: skip
    told = pd.DataFrame(rows, columns=[*groups, *COLUMNS])
    told.attrs[tables.USER] = tables.user_of(frame)
    return told


_SECONDS = "\0seconds"


def _named(frame, columns, apart):
    if columns is None:
        return [name for name in measures(frame, apart[0]) if name not in apart]
    return [columns] if isinstance(columns, str) else list(columns)


def _weights(weights, named):
    """The column of weights of each measure that has one."""
    if isinstance(weights, str):
        return {name: weights for name in named if str(name).startswith("response")}
    return dict(weights or {})


def _rows(frame, window):
    """Which rows of the frame lie in the window."""
    if window is None:
        return np.full(len(frame), True)
    if isinstance(window, (tuple, list)) and len(window) == 2 and not isinstance(window[0], (bool, np.bool_)):
        return frame[_SECONDS].between(*window).to_numpy()
    mask = np.asarray(getattr(window, "window", window))
    if mask.dtype != bool or mask.shape != (len(frame),):
        remedy = "Give the frame that steady_state was given, a pair of seconds, or a truth value a row."
        found = f"{mask.size} values"
        raise BadTable(f"{_WHERE}(window=...)", expected=f"{len(frame)} truth values", found=found, remedy=remedy)
    return mask


def _groups(frame, names):
    if not names:
        return [((), frame)]
    return [(key, part) for key, part in frame.groupby(names, sort=False, dropna=False)]


def _measure(part, name, counts, weights, level):
    """One row of the roll-up: unit and estimate of a measure."""
    values = numbers(part, name, _WHERE)
    at, unit = part[_SECONDS].to_numpy(float), tables.units().get(name, "")
    if name in counts:
        values, weight, name, unit = *_rates(values, at), f"{name}_per_s", "1/s"
    else:
        weight = numbers(part, weights[name], _WHERE) if name in weights else None
    known = np.isfinite(values) & (np.isfinite(weight) if weight is not None else True)
    if weight is not None and (weight < 0).any():
        remedy = "Rows must be in order of time, and transactions counted from 0."
        raise BadTable(
            f"{typed(_WHERE, '--weights')}, {name}",
            expected="weights from 0",
            found=f"{np.nanmin(weight):g}",
            remedy=remedy,
        )
    found = spread.mean(values[known], level, None if weight is None else weight[known])
    return (name, unit, found.value, found.std_error, found.low, found.high, int(known.sum()), found.effective,
            found.reason)  # fmt: skip


def _rates(values, at):
    """Counts as rates, and the seconds of each as its weight."""
    steps = np.diff(at, prepend=np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(steps > 0, values / steps, np.nan), steps
