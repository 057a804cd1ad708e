"""Ramp-up, steady window and drift of a run."""

import functools

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, check_level, check_number, typed
from dominoperf.loadtests import change, protocol, spread
from dominoperf.loadtests.result import Steady
from dominoperf.loadtests.samples import find_column, numbers, read_run, runs_of, seconds, take
from dominoperf.tables.rendering import number

LEAST = 20  # samples
_METHODS = ("change", "documents")
_HOUR = 3600.0
_WHERE = "steady_state"


def steady_state(
    frame,
    *,
    on=None,
    time="time_s",
    method="change",
    users=None,
    settle_s=None,
    measure_s=None,
    between=None,
    tolerance=0.05,
    share=0.5,
    level=0.95,
):
    """Find ramp-up, steady window and drift in a time series of a run.

    Parameters
    ----------
    frame : DataFrame, path or URL
        A row a sample, of one run: `steady_runs` takes several.
    on : str, optional
        Column to look at; by default a throughput, or the only measure there is.
    time : str
        Column of seconds, or of clock times, which are counted from the earliest.
    method : {"change", "documents"}
        "change" looks for a level part in the numbers: MSER-5 at the beginning, its quantity over both ends
        (`dominoperf.loadtests.change`). "documents" takes the period of the documents: it begins when all users are on
        and they have settled, and lasts the time to measure, to the end of the full load or of the data at most
        (NotesBench and Server.Load; the defaults are printed in the table that ``data/steady.toml`` names).
    users : str or float, optional
        For "documents": the column of users at work (by default `users`, if the frame has it), or how many users are
        all of them (by default the most that were at work).
    settle_s : float, optional
        For "documents": the time to settle (NB_SteadyStateTime), in seconds from the first sample; by default the
        30 minutes of the script.
    measure_s : float, optional
        For "documents": the time to measure (NB_MeasureTime) in seconds, by default the 60 minutes of the script;
        infinity for all of the full load.
    between : pair of float, optional
        Look only at this stretch of time, in seconds: at one of several levels, say.
    tolerance : float
        Change over the window, as a share of the mean, that counts as level.
    share : float
        Least share of the samples that a level part must have; with less MSER is not to be trusted.
    level : float
        Coverage of the intervals.

    Returns
    -------
    Steady
        Its drift is the slope over the mean, an hour. It is "no" where the interval of the change over the window lies
        within the tolerance, "yes" where it lies beside 0, else "cannot tell". A run that keeps rising has no steady
        state: with "change" a drifting run has no window.

    Raises
    ------
    UnknownName
        When a column or the method does not exist.
    BadTable
        When a column holds text, no row has a number, or the frame has several runs.
    CannotFit
        When a setting is out of its range.
    """
    _check(method, users, settle_s, measure_s, tolerance, share, level)
    frame = read_run(frame)
    column = find_column(frame, on, time, _WHERE)
    _check_one(frame, time)
    samples, times = take(frame, column, time, _WHERE), seconds(frame, time, _WHERE)
    asked = samples.part(*_stretch(between, samples))
    judged = functools.partial(_judged, samples, times, level=level, tolerance=tolerance)
    if method == "documents":
        loads, most = _users(frame, users)
        settings = (settle_s, measure_s)
        return _by_documents(asked, _loads(times, loads, asked.times), most, settings, judged)
    return _by_change(asked, tolerance, share, judged)


def _check_one(frame, time):
    """Refuse several runs: their samples laid over each other would be those of none."""
    runs = runs_of(frame, time, _WHERE)
    if len(runs) > 1:
        found = f"{len(runs)} runs, as {time} goes back at row {runs[1][0] + 1}"
        remedy = (
            f"Use `loadtests.steady_runs` or `loadtests.steady_means`, or put the rows of one run in order of {time}."
        )
        raise BadTable(f"{_WHERE}(frame)", expected="one run", found=found, remedy=remedy)


def _check(method, users, settle_s, measure_s, tolerance, share, level):
    """Refuse settings that cannot be, before a frame is looked at."""
    if method not in _METHODS:
        raise UnknownName.among("method", method, _METHODS, f"It is {' or '.join(_METHODS)}.")
    given = {"users": users, "settle": settle_s, "measure": measure_s}
    for name in [name for name, value in given.items() if value is not None and method != "documents"]:
        where = typed(f"{_WHERE}({name if name == 'users' else f'{name}_s'}=...)", f"--{name}")
        expected = typed("method='documents', whose period it sets", "--method documents, whose period it sets")
        remedy = "Leave it out, or ask for that method."
        raise BadTable(where, expected=expected, found=f"the method {method!r}", remedy=remedy)
    check_level(level, _WHERE)
    # The limits themselves are out: a little below zero lets a tolerance and a wait of 0 in.
    check_number(typed(f"{_WHERE}(tolerance=...)", "--tolerance"), tolerance, -1e-12, 1)
    check_number(f"{_WHERE}(share=...)", share, 0, 1)
    for name, value in (("settle_s", settle_s), ("measure_s", measure_s)):
        if value is not None and value != np.inf:
            place = typed(f"{_WHERE}({name}=...)", f"--{name.removesuffix('_s')}")
            check_number(place, value, -1e-12, np.inf)


def _stretch(between, samples):
    """The first and last second to look at."""
    if between is None:
        return samples.times[0], samples.times[-1]
    try:
        first, last = (float(value) for value in between)
    except (TypeError, ValueError):
        first, last = np.nan, np.nan
    inside = (samples.times >= first) & (samples.times <= last)
    if not inside.any():
        asked = typed(repr(between), str(between).strip("[]").replace(",", ""))
        found = f"{asked}, and samples from {samples.times[0]:g} to {samples.times[-1]:g} s"
        remedy = "Give the first and the last second of a stretch with samples."
        raise BadTable(typed(f"{_WHERE}(between=...)", "--between"), expected="two times", found=found, remedy=remedy)
    return first, last


def _users(frame, users):
    """The column of users at work, if there is one, and how many are all of them, if told."""
    if isinstance(users, str):
        tables.check_columns(frame, [users], typed(_WHERE, "--users"))
        return numbers(frame, users, _WHERE), None
    if users is not None:
        check_number(typed(f"{_WHERE}(users=...)", "--users"), users, 0, np.inf)
        tables.check_columns(
            frame, ["users"], typed(_WHERE, "--users"), hint="A number of users needs the column users."
        )
    return numbers(frame, "users", _WHERE) if "users" in frame else None, users


def _loads(times, loads, at):
    """The users at work at the samples, in their order: the last that were told by then."""
    if loads is None or not np.isfinite(loads).any():
        return None
    known = np.isfinite(times) & np.isfinite(loads)
    order = np.argsort(times[known], kind="stable")
    place = np.searchsorted(times[known][order], at, side="right") - 1
    return np.where(place < 0, np.nan, loads[known][order][np.maximum(place, 0)])


def _by_documents(asked, loads, users, settings, judged):
    """The period of the documents; what lies before and after it is named, and not judged."""
    names = ("settle", "measure")
    settle_s, measure_s = (protocol.default_s(n) if s is None else s for n, s in zip(names, settings, strict=True))
    first, last, said = protocol.window(asked.times, loads, users, settle_s, measure_s)
    if np.isnan(first):
        rows = [("unknown", asked.times[0], asked.times[-1], "; ".join(said))]
    else:
        rows = [("ramp-up", -np.inf, first, ""), ("steady", first, last, ""), ("not measured", last, np.inf, "")]
    return judged("documents", asked, _rows(asked.times, rows), first, last, said)


def _by_change(asked, tolerance, share, judged):
    """The level part that the numbers show; of too few samples it cannot be told."""
    count = len(asked.times)
    if count < LEAST:
        said = f"cannot tell: {count} samples, at least {LEAST} are needed"
        phases = _rows(asked.times, [("unknown", -np.inf, np.inf, said)])
        return judged("change", asked, phases, np.nan, np.nan, [said])
    found = change.search(change.batches(asked.values), tolerance=tolerance, share=share)
    edges = _edges(asked.times, found.parts)
    first, last = next(((a, b) for name, a, b, _ in edges if name == "steady"), (np.nan, np.nan))
    said = _why_not(found, asked, edges) if found.window is None else _notes(edges)
    return judged("change", asked, _rows(asked.times, edges), first, last, said)


def _edges(times, parts):
    """Parts in seconds: of the first and the last sample of each; the last part has what fills no batch."""
    each, final = change.size(len(times)), parts[-1][2]
    last = [len(times) if stop == final else stop * each for _, _, stop, _ in parts]
    rows = zip(parts, last, strict=True)
    return [(name, times[start * each], times[stop - 1], why) for (name, start, _, why), stop in rows]


def _why_not(found, asked, edges):
    """Why a run has no level part; of a drifting one the drift says so."""
    if found.reason == "drifting":
        return []
    if found.reason == "levels":
        levels = [(a, b) for name, a, b, _ in edges if name == "level"]
        told = [f"{number(asked.part(a, b).values.mean())} from {number(a)} to {number(b)} s" for a, b in levels]
        return [f"cannot tell: {len(levels)} levels, {', '.join(told)}", "look between the times of one alone"]
    each, (start, stop) = change.size(len(asked.times)), found.level
    part = (stop - start) * each / len(asked.times)
    place = f"{number(asked.times[start * each])} to {number(asked.times[stop * each - 1])} s"
    return [f"cannot tell: the longest level part, {place}, is {part:.0%} of the run"]


def _notes(edges):
    return [f"the {name} {why}" for name, _, _, why in edges if why and name != "steady"]


def _rows(times, edges):
    """A frame of phases; the bounds of a neighbour belong to the steady window."""
    rows = []
    for name, first, last, why in edges:
        inside = (times >= first) & (times <= last)
        inside &= (times < last) if name == "ramp-up" and first == -np.inf else True
        inside &= (times > first) if name == "not measured" else True
        if inside.any():
            at = times[inside]
            rows.append((name, float(at[0]), float(at[-1]), len(at), why))
    return pd.DataFrame(rows, columns=["phase", "from_s", "to_s", "samples", "reason"])


def _judged(samples, row_times, method, asked, phases, first, last, said, *, level, tolerance):
    """Put mean and drift beside the window; what drifts, or is too short to tell, is no steady state."""
    name, *ends = _main(phases)
    part = asked.part(*ends)
    mean = spread.mean(part.values, level)
    drift, drifting, why = _drift(part, mean.value, level, tolerance)
    if method == "change" and name:
        instead, refusal = _refused(name, ends, drift, drifting)
        if refusal:
            phases, said = phases.assign(phase=phases["phase"].replace(name, instead)), [refusal]
            first, last, why = np.nan, np.nan, ""
    said = [*said, why, part.gap(), f"{samples.missing} rows without a number left out" if samples.missing else ""]
    reasons = tuple(filter(None, said))
    return Steady(method, samples, row_times, phases, first, last, drift, drifting, mean, reasons, level)


def _main(phases):
    """Name, first and last second of the part that is steady or drifting; without one an empty name."""
    for name, first, last in phases[["phase", "from_s", "to_s"]].itertuples(index=False, name=None):
        if name in ("steady", "drifting"):
            return name, first, last
    return "", np.nan, np.nan


def _refused(name, ends, drift, drifting):
    """Why a part is no steady window, and what it is instead; empty words if it is one."""
    where = "from {} to {} s".format(*map(number, ends))
    if drifting == "yes":
        way = "rising" if drift.value > 0 else "falling"
        return "drifting", f"no steady state: it keeps {way}, by {abs(drift.value):.2%} of its mean an hour {where}"
    if not drift.effective >= spread.LEAST:
        return "unknown", f"cannot tell: the samples {where} are worth fewer than {spread.LEAST} independent ones"
    return ("unknown", f"cannot tell: neither level nor surely drifting {where}") if name == "drifting" else ("", "")


def _drift(part, mean, level, tolerance):
    """The slope an hour over the mean, whether it is one, and why it is unknown."""
    if not len(part.times):
        return spread.Estimate(np.nan), "cannot tell", ""
    found = spread.slope(part.times / _HOUR, part.values, level)
    scale = abs(mean) if mean else np.nan
    ends = (value / scale for value in (found.value, found.std_error, found.low, found.high))
    drift = spread.Estimate(*ends, found.effective)
    if np.isnan(drift.low):
        return drift, "cannot tell", f"drift unknown: {found.reason or 'the mean is 0'}"
    hours = (part.times[-1] - part.times[0]) / _HOUR
    if max(abs(drift.low), abs(drift.high)) * hours <= tolerance:
        return drift, "no", ""
    return drift, "yes" if drift.low > 0 or drift.high < 0 else "cannot tell", ""
