"""The files of several drivers of one test rolled up as NOTESNUM does: what they share, and their sums."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.loadtests.samples import sample_numbers
from dominoperf.tables import columns

_STAMP = "%Y-%m-%d %H:%M:%S"


def notesnum(drivers, *, users="users", count="transactions", response="response_s", time="time"):
    """Return the files of several drivers rolled up over the time that all of them worked, as NOTESNUM does.

    The test lasts from the first start to the last stop, in whole minutes: 33,309 s between the stamps are printed as
    33300 sec. The measured window is what all drivers share, from the latest start to the earliest stop, shortened to
    whole minutes too. Users and transactions per minute are sums over the drivers; the response is the mean over all
    transactions.

    Parameters
    ----------
    drivers : sequence or dict of DataFrame
        One per driver, one row per sample: clock time, users at work, transactions since the row before, mean response
        in seconds. Leave ramp-up out of each first, for a driver starts with its first row.
    users, count, response, time : str
        Their columns.

    Returns
    -------
    DataFrame
        One row: client_drivers, users, notesmark_tpm, response_s, min_start_time, max_stop_time, test_time_s,
        window_start, window_end, reason.

    Raises
    ------
    UnknownName
        When a driver lacks a column.
    BadTable
        When there is no driver, or a column holds something else than it should.

    Examples
    --------
    >>> clock = pd.date_range("2008-10-08 09:00", periods=3, freq="min")
    >>> driver = pd.DataFrame({"time": clock, "users": 600, "transactions": 59, "response_s": 0.2})
    >>> notesnum([driver, driver])[["client_drivers", "users", "notesmark_tpm"]]
       client_drivers   users  notesmark_tpm
    0               2  1200.0          118.0
    """
    several = drivers.values() if isinstance(drivers, dict) else drivers
    frames, names = list(several) if isinstance(several, Iterable) else [several], (users, count, response)
    if not frames or not all(isinstance(frame, pd.DataFrame) for frame in frames):
        found = ", ".join(type(frame).__name__ for frame in frames) or "none"
        raise BadTable("notesnum", expected="a frame per driver, in a list", found=found, remedy="Name at least one.")
    clocks = [_driver_clock(frame, names, time, k) for k, frame in enumerate(frames, 1)]
    zones = {str(clock.dt.tz) for clock in clocks}
    if "None" in zones and len(zones) > 1:
        remedy = "Give all clocks a time zone, or none."
        raise BadTable("notesnum", expected="clocks that can be compared", found="some with a time zone", remedy=remedy)
    starts, stops = [clock.min() for clock in clocks], [clock.max() for clock in clocks]
    start, stop = max(starts).ceil("min"), min(stops).floor("min")
    row = {"client_drivers": len(frames), "users": np.nan, "notesmark_tpm": np.nan, "response_s": np.nan}
    window, why = ("", ""), "no minute with all drivers"
    if start < stop:
        at_work = transactions = answered = spent = 0.0
        for frame, clock in zip(frames, clocks, strict=True):
            # A row tells of what came since the row before: the first instant of the window is out, its last one in.
            rows = frame[((clock > start) & (clock <= stop)).to_numpy()]
            on, counts, responses = (sample_numbers(rows, name, "notesnum") for name in names)
            valid = np.isfinite(counts) & np.isfinite(responses)
            at_work += float(np.nanmax(on)) if np.isfinite(on).any() else np.nan
            transactions += float(np.nansum(counts))
            answered += float(counts[valid].sum())
            spent += float((counts * responses)[valid].sum())
        row |= {"users": at_work, "notesmark_tpm": transactions / ((stop - start) / pd.Timedelta(minutes=1))}
        row["response_s"] = spent / answered if answered else np.nan
        window, why = (f"{start:{_STAMP}}", f"{stop:{_STAMP}}"), "" if answered else "no transactions"
    row |= {"min_start_time": f"{min(starts):{_STAMP}}", "max_stop_time": f"{max(stops):{_STAMP}}"}
    row |= {"test_time_s": whole_minutes_s(min(starts), max(stops))}
    return pd.DataFrame([row | {"window_start": window[0], "window_end": window[1], "reason": why}])


def whole_minutes_s(start, stop):
    """Return the length of a test as NOTESNUM prints it: whole minutes from the first start to the last stop, in s."""
    return 60.0 * ((stop - start) // pd.Timedelta(minutes=1))


def _driver_clock(frame, needed, time, k):
    """The clock times of a driver: seconds begin anew with every driver, and could not be compared."""
    where = f"notesnum, driver {k}"
    columns.check_columns(frame, [*needed, time], where)
    number, remedy = pd.api.types.is_numeric_dtype(frame[time]), "Give clock times: drivers are compared by them."
    try:
        stamps = pd.to_datetime(frame[time])
    except (ValueError, TypeError) as error:
        raise BadTable(f"{where}, column {time}", expected="times", found=str(error), remedy=remedy) from None
    if number or stamps.isna().all():
        found = "plain numbers" if number else "none"
        raise BadTable(f"{where}, column {time}", expected="clock times", found=found, remedy=remedy)
    return stamps
