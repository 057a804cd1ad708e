"""The measured curve of a node, read from a table or from what `loadtests.curve` gave, and checked."""

import math
import os
import shlex
from typing import NamedTuple

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import CannotPlan, DominoperfError, capitalized, counted, joined_with, spelling
from dominoperf.fitting.points import degrees_of_freedom_of_errors
from dominoperf.tables import columns
from dominoperf.tables.headings import (
    LOADS,
    THROUGHPUTS,
    checked_mapping,
    column_of_heading,
    columns_of_heading,
    columns_of_headings,
    in_our_columns,
    likely_mapping,
    possible_meaning,
    user_of_mapped_load,
    words_of_servers,
)
from dominoperf.tables.reading import as_numbers, check_cells, is_absent_cell, numbers_of_column
from dominoperf.tables.rows_of_one_curve import (
    RAMP_IS_ONE_ROW,
    check_no_totals,
    checked_failed_share,
    contradictions_of_littles_law_in_words,
    failed_load_in_words,
    failures_of_unknown_share_in_words,
    loads_that_failed,
    several_systems,
    shares_of_failed_requests,
)

RESPONSES = ("response_s", "response_p95_s")
"""Columns of a curve that a node may have to keep a limit of."""
RESPONSE_ERRORS = ("response_std_error", "response_p95_std_error")
"""The column of the standard error of each of them."""
MEASURED = ("load", "throughput_per_s", "throughput_std_error", *RESPONSE_ERRORS, *RESPONSES)
"""Columns of a curve that are numbers of 0 or more."""
_MOST = 1e100  # of a load, a rate or a time: what is computed with it is finite
_OTHER_NAMES = {"load": LOADS, "throughput_per_s": THROUGHPUTS, "response_s": ("response_ms", "response_min")}
_ROWS_TOLD = 5  # of those left out
_ERRORS_TAKEN_FOR_KNOWN = (
    "its standard errors are taken for known: where they come from few repeats, add a column runs (how many runs a load"
    " had)"
)
_ERRORS_OF_FEW_RUNS = "its standard errors are of few runs: how much runs differ is estimated from all loads together"
_MANY_RUNS = 10  # of each load: then its own standard error says more than those of all loads together


class CurveOfNode(NamedTuple):
    """A curve with a row for each load in order, the lowest load beyond them that failed, and what is odd about it."""

    rows: pd.DataFrame
    failed_load: float  # infinity where none is known
    notes: tuple[str, ...]


def read_curve_of_node(curve, responses, mapping=None, failed_share=None) -> CurveOfNode:
    """Return the measured curve of a node that `node_count` is given; its arguments are said there.

    `responses` are the columns of `RESPONSES` that each load must have. Of a file with several runs of a load the curve
    is that of `loadtests.curve`. `CannotPlan` where the curve lacks a column, has a cell that is no number of 0 or
    more, or has fewer than two loads.
    """
    where = spelling("node_count(curve)", "--curve")
    failed_share = checked_failed_share(failed_share, "node_count")
    file = curve if isinstance(curve, (str, os.PathLike)) else ""
    if file and os.path.isdir(file):
        remedy = f"Make one of it: {_call_of_curve(file)}."
        raise CannotPlan(where, expected="a file, the measured curve of a node", found="a folder", remedy=remedy)
    given = tables.read_table(curve, where=where)
    check_no_totals(given, where, file)
    user = user_of_mapped_load(mapping) or tables.user_of(given)
    notes = list(given.attrs.get("notes", ())) if "steady_runs" in given else []  # others may have notes of their own
    of_curve = bool(notes)  # `curve` made it, and has told what is odd about its points
    headings = [name for name in given if isinstance(name, str)]
    columns.check_columns(given, headings, where)  # each once
    meant, left_out = columns_of_headings(headings, checked_mapping(mapping), where)
    if left_out:
        notes.append(f"columns left out, as they are not mapped: {', '.join(left_out)}")
    _check_one_node(given, meant, where, columns.plural_of_user(user))
    frame = _measured_columns(given, meant, where, file)
    missing = [name for name in ("load", "throughput_per_s") if name not in frame]
    missing += [name for name in responses if name not in frame or frame[name].isna().all()]
    if missing:
        remedy = _how_to_add_columns(missing, file, given, left_out)
        found = f"no {' and no '.join(missing)}"
        raise CannotPlan(where, expected="a curve of load tests", found=found, remedy=remedy)
    if file and frame["load"].dropna().duplicated().any() and not of_curve:
        from dominoperf.loadtests import curve as curve_of_files  # with every reader

        averaged = curve_of_files(file, mapping=mapping, failed_share=failed_share)
        return read_curve_of_node(averaged, responses, failed_share=failed_share)
    frame, failed_load, of_rows = _loads_that_passed(frame, responses, failed_share, of_curve)
    notes += of_rows
    frame.attrs[columns.USER] = user
    unsteady = frame["load"][numbers_of_column(frame, "steady_runs") == 0]
    if len(unsteady):
        loads = joined_with("and", [f"{load:g}" for load in unsteady])
        notes.append(
            f"no run was steady at {loads} {columns.plural_of_user(user)}: what was carried there may not last"
        )
    if not of_curve:
        if "failures" in frame:
            notes.append(failures_of_unknown_share_in_words(frame))
        if "response_s" in frame:
            notes += contradictions_of_littles_law_in_words(frame)
    has_errors = "throughput_std_error" in frame and (frame["throughput_std_error"] > 0).any()
    for name in responses if has_errors else ():
        own, of_mean = RESPONSE_ERRORS[RESPONSES.index(name)], RESPONSE_ERRORS[0]  # which stands in for the other
        if not any(error in frame and frame[error].notna().any() for error in (own, of_mean)):
            notes.append(f"the curve has no {own}: its interval takes {name} for exact")
    if has_errors and "throughput_dof" not in frame:
        frame, note = _with_errors_of_few_runs(frame)
        notes += [note] * (not of_curve)
    notes = [*filter(None, notes)]
    if frame["load"].nunique() < 2 or frame["load"].duplicated().any():
        how = spelling("`curve(FILES)`", "`dominoperf curve`")
        remedy, whys = f"Measure more loads, and average the runs of one: {how} does.", []
        if len(frame) == 1:
            remedy += f" {capitalized(RAMP_IS_ONE_ROW)}."
            whys = [text for text in frame.get("reason", ()) if isinstance(text, str)]
        found = "; ".join([f"{frame['load'].nunique()} in {counted(len(frame), 'row')}", *whys, *notes])
        raise CannotPlan(where, expected="two different loads or more, a row each", found=found, remedy=remedy)
    return CurveOfNode(frame, failed_load, tuple(notes))


def _measured_columns(frame, meant, where, file):
    """A curve in our columns, those of `MEASURED` as numbers of 0 or more; NaN in an empty cell."""
    absent = frame.map(lambda cell: isinstance(cell, str) and is_absent_cell(cell))
    frame = in_our_columns(frame.mask(absent, np.nan), meant)
    headings = {column.name: column.source for column in meant}
    for name, others in _OTHER_NAMES.items():
        other = next((other for other in others if other in frame and as_numbers(frame[other]).notna().any()), None)
        if name not in frame and other:
            to_seconds = columns.unit_factor(tables.units()[other], "s") if name == "response_s" else 1.0
            numbers = as_numbers(frame[other])
            factor, headings[name] = columns.factor_to_per_second(other) * to_seconds, headings[other]
            frame[name] = (numbers * factor).where(numbers.notna(), frame[other])  # a cell of text is refused below
    if "throughput_dof" in frame:
        frame["throughput_dof"] = degrees_of_freedom_of_errors(frame, "throughput_std_error", where)
    for name in filter(frame.__contains__, MEASURED):  # an empty column of a file is one of texts
        cells, frame[name] = frame[name], as_numbers(frame[name]).astype(float)
        wrong = {
            "a number": frame[name].isna() & cells.notna(),  # its column is in no unit of ours
            "a finite number": np.isinf(frame[name]),
            "a number of 0 or more": frame[name] < 0,
            f"a number up to {_MOST:g}": frame[name] > _MOST,
        }
        check_cells(cells, wrong, f"{where}, column {headings.get(name, name)}", file, refused=CannotPlan)
    return frame


def _how_to_add_columns(missing, file, given, left_out):
    """What to do about missing columns: the likely mapping of the table as given, or another file or limit."""
    from dominoperf.loadtests.readers import recognise  # every reader

    try:
        tool = recognise(file) if file else ""
    except DominoperfError:
        tool = ""
    if tool not in ("", "csv", "parquet"):
        return f"It is a file of {tool}: {_call_of_curve(file)} makes one of it."
    # A count of requests may be meant as their rate; what is read as what it would be mapped to is not.
    headings = [name for name in given if isinstance(name, str)]
    ours = [name for name in headings if name not in MEASURED]
    perhaps = [name for name in ours if possible_meaning(name) not in ("", column_of_heading(name)[0])]
    unread = [name for name in headings if name in left_out or name in perhaps]
    mapped = likely_mapping(unread, [name for name in unread if as_numbers(given[name]).isna().all()], missing)
    add = f"name its columns: {mapped}" if unread else f"add a column {' and a column '.join(missing)}"
    if missing == ["response_p95_s"] and not any("response_p95_s" in columns_of_heading(name) for name in unread):
        return (
            "Some tools print no 95th percentile: wrk has 50, 75, 90 and 99 %. Test with one that does, as k6, hey or "
            f"JMeter, give a limit of the mean: {spelling('response_s=...', '--response SECONDS')}, or {add}."
        )
    return f"Make one with {_call_of_curve('FILES')}, or {add}."


def _call_of_curve(files):
    """How a user makes a curve of files."""
    path = os.fspath(files)
    return spelling(
        f"`curve({path if path == 'FILES' else repr(path)})`",
        f"`dominoperf curve {shlex.quote(path)} --format csv > curve.csv`",
    )


def _loads_that_passed(frame, responses, failed_share, of_curve):
    """The loads of a curve that passed, rising, below any that failed; and which rows are left out and why.

    Between them the lowest load that failed; infinity if unknown. What `curve` made has told of a load that failed and
    has no row.
    """
    needed, notes = ["load", "throughput_per_s", *responses], []
    told = frame[needed].notna().all(axis=1) & (frame["load"] > 0) & (frame["throughput_per_s"] > 0)
    frame["failed_share"] = shares_of_failed_requests(frame, frame["throughput_per_s"])
    failed = (frame["load"] > 0) & loads_that_failed(frame, failed_share)
    if not (told | failed).all():
        rows = [str(row + 1) for row in np.flatnonzero(~(told | failed))]
        more = f" and {len(rows) - _ROWS_TOLD} more" * (len(rows) > _ROWS_TOLD)
        first = f"{'row' if len(rows) == 1 else 'rows'} {', '.join(rows[:_ROWS_TOLD])}"
        notes.append(f"left out: {first}{more}, without {', '.join(needed[:-1])} or {needed[-1]}")
    for row in frame[failed].itertuples():
        notes.append(f"left out: {failed_load_in_words(row.load, row.failed_share, failed_share)}")
    failed_loads = [*frame["load"][failed], *numbers_of_column(frame, "failed_load")]
    beyond = told & ~failed & (frame["load"] > pd.Series(failed_loads, dtype=float).min())
    if beyond.any():
        loads = joined_with("and", [f"{load:g}" for load in sorted(set(frame["load"][beyond]))])
        notes.append(f"left out: {loads}, beyond a load at which requests failed")
    frame = frame[told & ~failed & ~beyond].sort_values("load", kind="stable", ignore_index=True)
    failed_load = min((load for load in failed_loads if load > frame["load"].max()), default=math.inf)
    if math.isfinite(failed_load) and not (failed.any() or of_curve):
        notes.append(f"requests failed at load {failed_load:g}, which is no point of the curve")
    return frame, failed_load, notes


def _check_one_node(frame, meant, where, users):
    """Refuse a curve whose loads were not all run on one machine: what ten nodes carry is not what one carries."""
    headings = {column.name: column.source for column in meant}
    load, rate = (next(filter(None, map(headings.get, names)), None) for names in (("load", *LOADS), THROUGHPUTS))
    of_servers = bool(load) and users in words_of_servers()
    differs = several_systems(frame, load, rate) if load and rate else None
    if of_servers or differs:
        column, values = (load, "numbers of them as the load") if of_servers else differs
        remedy = "Make a file of the rows of one."
        if of_servers or column in map(headings.get, ("nodes", "servers")):
            x = shlex.join(["--x", column])
            how = spelling(f"forecast(FILE, [N], x={column!r})", f"`dominoperf forecast FILE {x} --at N`")
            remedy += f" What N {users if of_servers else column} carry together says {how}."
        place = f"{where}, column {column}"
        raise CannotPlan(place, expected="the curve of one node", found=values, remedy=remedy)


def _with_errors_of_few_runs(frame):
    """A curve with errors pooled over the loads, where its column runs tells that each is of a few; and what to tell.

    The curve stays as it is where it does not tell the runs, made each once, or `curve` made it.
    """
    from dominoperf.loadtests.load_curve import variances_of_runs  # with every reader

    runs = numbers_of_column(frame, "runs").to_numpy()
    if not ((runs >= 1) & (runs <= _MOST)).all() or (runs == 1).all() or "steady_runs" in frame:
        return frame, _ERRORS_TAKEN_FOR_KNOWN
    if runs.min() >= _MANY_RUNS:
        return frame.assign(throughput_dof=runs.min() - 1), ""
    pooled = {"throughput_dof": (runs - 1).sum()}
    for error, name in (("throughput_std_error", "throughput_per_s"), *zip(RESPONSE_ERRORS, RESPONSES, strict=True)):
        variances = (runs * (numbers_of_column(frame, error) / numbers_of_column(frame, name)) ** 2).to_numpy()
        dof = np.where(np.isfinite(variances), runs - 1, 0)
        if (variances[dof > 0] > 0).any():
            pooled[error] = frame[name] * np.sqrt(variances_of_runs(frame["load"].to_numpy(), variances, dof) / runs)
    return frame.assign(**pooled), _ERRORS_OF_FEW_RUNS
