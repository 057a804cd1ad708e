"""Whether the rows of a table are points of one curve: no totals, no loads that failed, all of one system, by one law.

A row that sums up others, as spreadsheets and reports of load tests end in, is no measurement: it is refused by its
name (data/totals.toml).

A load that failed is one of which a run had more failed requests than a share of all (`failed_share` in
data/capacity.toml). What fails is done in another time than what succeeds, so what still succeeded there is not what
the server can deliver to so many users. `curve`, `capacity` and `node_count` leave such loads out; a fit or a forecast
of a table has them all the same, and says so.

Rows are of several systems by their names, or by the parts in which they differ. Rows without a time are whole runs, or
parts of one: each has a kind of request, and one may be the total of them all.
"""

import contextlib
import functools
import re

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, as_python, as_typed, counted, is_number, spelling
from dominoperf.tables.columns import factor_to_per_second, is_rate_of_requests, plural_of_user, user_of
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import LOADS, THROUGHPUTS, columns_of_headings, in_our_columns, possible_meaning
from dominoperf.tables.reading import as_numbers, numbers_of_column, place_of_row
from dominoperf.tables.rendering import cell_text, number, percent

FAILURES = ("failures", "test_failures", "test_errors")  # counts of a row; a rate is failures_per_s
SYSTEM_COLUMNS = (
    "system", "nodes", "servers", "processors", "clock_mhz", "l2_kb", "ram_mb", "drives", "operating_system",
    "domino_release", "build",
)  # fmt: skip
"""Columns by which systems differ, whose curves over a load are not one."""
RAMP_IS_ONE_ROW = "a ramp, whose load changes throughout, is one row: hold each load for a minute or longer, in steps"
_NAMES_TOLD = 5
_LITTLE = 1.1  # response times throughput / load, from which on the two contradict each other
_PAUSE_GROWS = 0.2  # of the time between two requests of a user: pauses that are longer by more do not scatter
_FAR_TOO_LONG = 50  # the same, from which on milliseconds may stand under a heading of seconds
_IN_MS = ", or they are milliseconds under a heading of seconds"
_SURELY, _FAR_APART = 0.01, np.log(1.1)  # when a column tells two curves apart: p value, and how far in ln y
_WORD = re.compile(r"[^\W_]+")
_RUNS = re.compile(r"[\W\d_]+")  # by what texts differ that number the runs of one test: run 1, run-2


def names_a_total(cell):
    """Return whether a cell names a row that sums up others, as "** Grand-Total: **" does (``data/totals.toml``)."""
    names = our_toml_file("totals.toml")["names"]
    return isinstance(cell, str) and " ".join(_WORD.findall(cell.casefold())) in names


def refused_total(where, column, cell):
    """Return the error of a row that sums up others, where each is to be a measurement."""
    found = f"{as_python(cell)} in column {column}, the name of a row that sums up others"
    remedy = (
        "Leave that row out, or, if such rows alone are meant, the others; if it was measured, give it another name."
    )
    return BadTable(where, expected="a measurement in every row", found=found, remedy=remedy)


def check_no_totals(frame, where, file=""):
    """Refuse a frame some of whose rows, but not all, are named as totals; of a text file the message has the line."""
    for name, column in frame.items():
        texts = {cell for cell in column if isinstance(cell, str)} if column.dtype.kind in "OSU" else set()
        totals = {*filter(names_a_total, texts)}
        if totals and totals != texts:
            row = next(k for k, cell in enumerate(column) if isinstance(cell, str) and cell in totals)
            raise refused_total(f"{where}, {place_of_row(file, row)}", name, column.iloc[row])


def loads_that_failed(runs, failed_share):
    """Return which rows are of a load of which a run failed: more than this share of its requests did."""
    return runs["load"].isin(runs["load"][runs["failed_share"] > failed_share])


def failed_load_in_words(load, share, limit):
    """Return in words why a load that failed is no point, by the share of a run of it."""
    if not share > limit:
        return f"another run of load {load:g} failed"
    return f"{100 * share:.4g} % of the requests at load {load:g} failed, more than {100 * limit:.4g} %"


def failed_loads_that_count_in_words(runs, which, limit):
    """Return a note, or "", on the loads of one build at which more requests failed than a load may have."""
    failed = runs[loads_that_failed(runs, limit)]
    if failed.empty:
        return ""
    worst, loads = failed.loc[failed["failed_share"].idxmax()], counted(failed["load"].nunique(), "load")
    share, most = f"{100 * worst['failed_share']:.4g} %", f"more than {100 * limit:.4g} % at {loads}"
    at = f"at load {worst['load']:g}"
    return f"{which}: {share} of the requests {at} failed, {most}: rates and responses are of those that succeeded"


def failures_of_unknown_share_in_words(runs):
    """Return in words at which loads requests failed, but not of how many; "" where there are none."""
    failed = (as_numbers(runs["failures"]) > 0) & runs["failed_share"].isna()
    if not failed.any():
        return ""
    loads = ", ".join(f"{load:g}" for load in sorted({*runs["load"][failed]}))
    return (
        f"requests failed at load {loads}, but it is not told of how many, so what succeeded is taken for the "
        "throughput there; a column requests, test_time_s or failed_share would tell"
    )


def shares_of_failed_requests(frame, throughput_per_s):
    """Return which share of the requests failed, for each row of a table of whole runs; NaN where it does not tell."""
    numbers = functools.partial(numbers_of_column, frame)
    failures, rate = numbers(*FAILURES), numbers("failures_per_s")
    done = numbers("transactions").fillna(throughput_per_s * numbers("test_time_s"))
    requests = numbers("requests").fillna(done + failures)  # those that failed among them
    shares = numbers("failed_share").fillna(failures / requests.clip(lower=failures))
    return shares.fillna(rate / (rate + throughput_per_s)).mask(failures == 0, 0.0)


def failed_points_in_words(frame, x, y):
    """Return in words which points of a table of load tests are of loads that failed; "" where it tells of none.

    Examples
    --------
    >>> frame = pd.DataFrame({"users": [8, 16], "tps": [90, 50], "failures": [0, 3000], "test_time_s": [60, 60]})
    >>> failed_points_in_words(frame, "users", "tps")
    '50 % of the requests at load 16 failed, more than 1 %: `curve` leaves such a load out, here it is a point'
    """
    try:
        columns, _ = columns_of_headings(frame)
    except BadTable:  # two columns that mean the same
        return ""
    y_name = next((column.name for column in columns if column.source == y), "")
    told = {"failures_per_s", "failed_share", *FAILURES} & {column.name for column in columns}
    if y_name not in THROUGHPUTS or not told:
        return ""
    loads, frame = as_numbers(frame[x]), in_our_columns(frame, columns)
    rates = as_numbers(frame[y_name]).astype(float) * factor_to_per_second(y_name)
    limit = our_toml_file("capacity.toml")["load_test"]["failed_share"]
    shares = shares_of_failed_requests(frame, rates).groupby(loads).max()
    failed = [failed_load_in_words(load, share, limit) for load, share in shares[shares > limit].items()]
    which = "such a load out, here it is a point" if len(failed) == 1 else "such loads out, here they are points"
    return f"{'; '.join(failed)}: `curve` leaves {which}" if failed else ""


def _different_values_in_words(values):
    """How many different values a column has, and the first of them: "2 (A, B)"."""
    names = list(dict.fromkeys(map(cell_text, values)))
    return f"{len(names)} ({', '.join(names[:_NAMES_TOLD])}{', ...' * (len(names) > _NAMES_TOLD)})"


def several_systems(frame: pd.DataFrame, x: str, y: str) -> tuple[str, str] | None:
    """Return by which column the points of a table are of several curves, and its values in words; None if by none.

    Over a load no part of a system may differ; at one size no other part may, nor the load of a throughput. Of other
    laws, as of price, no part is asked for: their points are of different machines. Whatever its name, no column may
    take the same values at every x that was measured again and move y (`_columns_that_move`); of samples of a run,
    which have a `time_s`, this is not asked.

    Examples
    --------
    >>> frame = pd.DataFrame({"host": ["A", "A", "B", "B"], "users": [1, 2, 1, 2], "tps": [10, 19, 20, 39]})
    >>> several_systems(frame, "users", "tps"), several_systems(frame[:2], "users", "tps")
    (('host', '2 (A, B)'), None)
    """
    try:
        columns, others = columns_of_headings(frame)
    except BadTable:  # two columns that mean the same
        return None
    meant = {name: possible_meaning(name) for name in others} | {column.source: column.name for column in columns}
    is_load, is_size = meant.get(x) in LOADS, meant.get(x) in SYSTEM_COLUMNS
    loads = LOADS if is_size and meant.get(y) in THROUGHPUTS else ()
    for part in (*SYSTEM_COLUMNS, *loads) if is_load or is_size else ():
        for name in (name for name, meaning in meant.items() if meaning == part and name not in (x, y)):
            values = frame[name].replace("", np.nan)[frame[x].notna() & frame[y].notna()].dropna()
            if values.groupby(frame[x]).nunique().max() > 1 or (is_load and values.nunique() > 1):
                return name, _different_values_in_words(values)
    if x not in frame or ("time_s" in frame and frame["time_s"].notna().any()):  # samples of a run, no points
        return None
    for name, column in _columns_that_move(frame, x, y):
        return name, _different_values_in_words(column.dropna())
    return None


def _columns_that_move(frame, x, y):
    """Yield columns with the same values at every x of several rows, by which ln y differs far more than within them.

    By an F test of their values beside those of x (p below 0.01), and by more than 10 %: a number of a run moves
    nothing. One x alone tells no curves apart: there a count or a utilization that follows y would do.
    """
    values = as_numbers(frame[y])
    again = (values > 0) & as_numbers(frame[x]).duplicated(keep=False)
    rows, logs = frame[again], np.log(values[again].to_numpy(float))
    for name, column in rows.items() if rows[x].nunique() > 1 else ():
        with contextlib.suppress(TypeError):  # a column of lists has no values to group by
            codes, kinds = pd.factorize(column.where(column != ""))
            known = codes >= 0
            of_x, loads = pd.factorize(rows[x][known])
            cells = len(loads) * len(kinds)
            if name in (x, y) or not 1 < len(loads) < cells <= known.sum():
                continue
            if np.bincount(of_x * len(kinds) + codes[known], minlength=cells).min() and _moves(
                logs[known], of_x, codes[known]
            ):
                yield name, column


def _moves(logs, of_x, codes):
    """Whether the mean of ln y beside that of its x differs by the code of the row, surely and far."""
    from scipy import special  # not for tables whose x differ

    left = logs - (np.bincount(of_x, logs) / np.bincount(of_x))[of_x]
    means = np.bincount(codes, left) / np.bincount(codes)
    freedom = len(means) - 1, len(logs) - of_x.max() - len(means)
    noise, moved = (np.sum(each**2) for each in (left - means[codes], means[codes]))
    if freedom[1] < 1 or np.ptp(means) <= _FAR_APART:
        return False
    return not noise or special.fdtrc(*freedom, moved / freedom[0] / (noise / freedom[1])) < _SURELY


def rows_of_whole_runs(frame, load, where):
    """Return the rows of a table that has no times; of those that name different requests at one load the total alone.

    A request that comes again belongs to another run. Requests without a row that has the name of a total (TOTAL,
    Aggregated) are refused.
    """
    if "request" not in frame or frame["request"].nunique() < 2:
        return frame
    loads, rows = frame[load] if load in frame else pd.Series(0, frame.index), []
    run = frame.groupby([loads, frame["request"]], dropna=False).cumcount()
    for _, part in frame.groupby([loads, run], dropna=False, sort=False):
        whole = part if len(part) == 1 else part[part["request"].map(names_a_total)]
        if len(whole) != 1:
            found = _different_values_in_words(part["request"])
            remedy = "Give the row of all requests, called TOTAL, or it alone."
            raise BadTable(where, expected="one row for all requests of a run", found=found, remedy=remedy)
        rows += [*whole.index]
    return frame.loc[rows].reset_index(drop=True)


def check_one_workload(frame, load, where):
    """Refuse rows without a time of one load whose workloads have names that differ in more than a number.

    Whether they ran at the same time nobody can say.
    """
    if "workload" not in frame:
        return
    loads = frame[load] if load in frame else pd.Series(0, frame.index)
    for at, names in frame["workload"].dropna().astype(str).groupby(loads, sort=True):
        if len({_RUNS.sub("", name.casefold()) for name in names}) > 1:
            found = f"{', '.join(dict.fromkeys(names))}{f' at load {at:g}' if load in frame else ''}"
            remedy = "Make a file of each: a test by itself for every workload."
            raise BadTable(where, expected="one workload or test at a load", found=found, remedy=remedy)


def check_one_machine(frame, load, where):
    """Refuse rows without a time that name several systems, or of one load on machines that differ in a part.

    The curve of each is one by itself, and no row repeats one of another.
    """
    loads = frame[load] if load in frame else pd.Series(0, frame.index)
    for column in (name for name in SYSTEM_COLUMNS if name in frame and name != load):
        values = frame[column].replace("", np.nan).dropna()
        several = values.nunique() if column == "system" else values.groupby(loads).nunique().max()
        if several > 1:
            how = spelling(
                "where={COLUMN: NAME} of `curve` and `ab`, or fitting.rows_of(FILE, [(COLUMN, NAME)]) for `fit`",
                "`--where COLUMN=NAME` of `curve`, `ab` and `fit`",
            )
            remedy = "Their curves are not one: make a file of the rows of each, or take those of one ("
            remedy += f"{how}, where COLUMN is the heading of these names)."
            where = f"{where}, column {column}{' (or machine, host)' * (column == 'system')}"
            expected = f"runs of one {'build' if column == 'build' else 'machine'}"
            raise BadTable(where, expected=expected, found=_different_values_in_words(values), remedy=remedy)


def contradictions_of_littles_law_in_words(curve):
    """Return what of a curve contradicts ``N = X (R + Z)`` with one pause Z at all loads, a sentence each."""
    user = user_of(curve)
    if is_rate_of_requests(user):
        return []
    told, cycle_s = [], curve["load"] / curve["throughput_per_s"]
    busy = curve["response_s"] / cycle_s  # users that wait for an answer, of one
    if (busy > _LITTLE).any():
        told.append(
            f"at {(busy > _LITTLE).sum()} of {counted(len(busy), 'load')} the mean response is longer than load / "
            f"throughput, by up to {percent(busy.max() - 1)}, which Little's law rules out: the test is short "
            "against its responses, its runs are of several systems, or the tool counts response times in another way "
            f"than requests{_IN_MS * bool(busy.max() > _FAR_TOO_LONG)}"
        )
    pause_s = cycle_s - curve["response_s"]
    longer_s = pause_s - pause_s.cummin().clip(lower=0)
    odd = longer_s > np.maximum(curve["response_s"], _PAUSE_GROWS * cycle_s)
    if odd.any() and len(curve) > 2:  # two loads may be of two scripts
        at = longer_s.where(odd).idxmax()
        pauses = f"{number(pause_s[at])} s, at fewer {number(pause_s[at] - longer_s[at])} s"
        users = plural_of_user(user)
        told.append(
            f"at {curve['load'][at]:g} {users} each seems to pause {pauses}: requests are missing from the throughput "
            "(refused or failed), or wait where the response is not counted (for a connection, in the load generator)"
        )
    return told


def checked_failed_share(share, function):
    """Return the share of the requests above which a load did not pass: as given to a function, or the usual one."""
    if share is None:
        return our_toml_file("capacity.toml")["load_test"]["failed_share"]
    if not (is_number(share) and 0 <= share <= 1):
        where, remedy = spelling(f"{function}(failed_share=...)", "--failed-share"), "Give a share, or leave it out."
        raise BadTable(where, expected="a share from 0 to 1", found=as_typed(share), remedy=remedy)
    return float(share)
