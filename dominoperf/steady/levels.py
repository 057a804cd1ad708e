"""Runs at several levels of load in one frame: a steady window and its means for each."""

import numpy as np
import pandas as pd

from dominoperf import catalog
from dominoperf.steady.finding import steady_state
from dominoperf.steady.means import roll_up


def steady_means(frame, *, by="users", columns=None, counts=(), weights=None, time="time_s", level=0.95, **settings):
    """Find the steady window of each run of a frame, and roll it up: a point of a scaling curve each.

    Parameters
    ----------
    frame : DataFrame
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
        effective_samples, reason. Without a window the numbers are NaN, and the reason says why.

    Raises
    ------
    UnknownName, BadTable, CannotFit
        As `steady_state` and `roll_up` raise them.
    """
    rows = []
    for _, part in frame.groupby(by, sort=False, dropna=False):
        found = steady_state(part, time=time, level=level, **settings)
        window = found if found.found else np.zeros(len(part), bool)
        means = roll_up(part, window, columns=columns, counts=counts, weights=weights, time=time, level=level)
        means["reason"] = means["reason"] if found.found else found.reason
        keys = {name: part[name].iloc[0] for name in ([by] if isinstance(by, str) else by)}
        rows.append(means[~means["metric"].isin(keys)].assign(**keys, from_s=found.from_s, to_s=found.to_s))
    told = pd.concat(rows, ignore_index=True)
    told.attrs[catalog.USER] = catalog.user_of(frame)
    first = [*keys, "from_s", "to_s"]
    return told[[*first, *(name for name in told if name not in first)]]
