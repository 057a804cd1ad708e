"""The measured period of a test by a fixed protocol: so long to settle, so long to measure."""

import functools
import math

import numpy as np

from dominoperf import tables
from dominoperf.tables.folders import our_file
from dominoperf.tables.rendering import number

_ALL = 0.99  # of the peak: a user who drops out for a moment ends no steady state


@functools.cache
def default_s(name):
    """Return the default of "settle" or "measure" in seconds, from the table that ``steady.toml`` names."""
    where = our_file("steady.toml")
    table = tables.load(where["table"], text=True).set_index(where["key"])
    return 60.0 * float(table.at[where[name], where["minutes"]])


def window(times, loads, users, settle_s, measure_s):
    """Return the measured period of a run: first and last second and what is to be said of it; NaN where there is none.

    Parameters
    ----------
    times : array
        In seconds, in order.
    loads : array or None
        Users at work at each of them.
    users : float or None
        How many are all; None for the most that were.
    settle_s, measure_s : float
        How long the users settle before the period, and how long it lasts at most, in seconds.
    """
    began, ended, said = times[0], times[-1], []
    if loads is not None:
        on = loads >= _ALL * (np.nanmax(loads) if users is None else users)
        if not on.any():
            return np.nan, np.nan, [f"never {users:g} users: {np.nanmax(loads):g} at most"]
        began, ended = times[on][0], times[on][-1]
        out = int((~on & np.isfinite(loads) & (times > began) & (times < ended)).sum())
        said += [f"fewer users in {out} samples of it"] if out else []
    start = max(began, times[0] + settle_s)
    if start >= ended:
        return np.nan, np.nan, [f"all users are on until {number(ended)} s, the period begins at {number(start)} s"]
    stop = min(start + measure_s, ended)
    short = math.isfinite(measure_s) and stop < start + measure_s
    said += [f"ends after {number((stop - start) / 60, 3)} of {number(measure_s / 60, 3)} minutes"] if short else []
    return float(start), float(stop), said
