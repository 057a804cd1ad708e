"""The identities that the printed numbers must obey, and the rows that break them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, names_its_keywords
from dominoperf.runs import COLUMNS as RUN_COLUMNS
from dominoperf.runs import MEASURED, Value, prints, step_of_digits, table_of
from dominoperf.runs.tidy_runs import TEXTS
from dominoperf.tables import loading
from dominoperf.tables.folders import each_data_folder, folder_descriptor, setting_as_list
from dominoperf.tables.folders import our_data_folders as our_folders
from dominoperf.tables.reading import as_numbers, read_number
from dominoperf.tables.rendering import number, printed_number

COLUMNS = ["identity", "table", "row", "column", "printed", "computed", "unit", "reason", "status", "locator"]
_TYPES = dict.fromkeys(COLUMNS, "str") | {"row": "Int64"}
NOTHING = pd.DataFrame(columns=COLUMNS).astype(_TYPES)
"""The frame that `check_consistency` gives where all agree."""
_ENOUGH = 4  # points of a workload before its line is judged
_CENT, _COUNT = 0.005, 0.5  # half a unit of the last digit: of a price, of a count
_SAME = 0.03  # of a number: two tables may round one measurement, or average it, in two ways
_OFF = 5  # usual deviations: a line through all points is blamed on none that is nearer
_NORMAL = 1.4826  # standard deviations in a median absolute deviation of normal noise
_LEAST_CYCLE_DEVIATION = 0.001  # of a cycle, printed to three digits or four: below it deviations are rounding
_TASK = 1.5  # times: one task moves the same bytes however long it takes
_USER = 10  # times: systems differ in protocol and attachments, not by more than a digit
_LONG = 1e5  # from six digits on two runs never agree by chance
_PRICES = ["users", "price_per_user_usd", "notesmark_tpm", "price_per_tpm_usd"]


@dataclass(frozen=True)
class Identity:
    """What must hold, in words, and the function that yields what breaks it: of a table's id, or of a frame of runs."""

    statement: str
    of: str  # "table" or "runs"
    broken: Callable


@names_its_keywords()
def check_consistency(folder: str | os.PathLike | None = None) -> pd.DataFrame:
    """Test the identities that printed numbers must obey; name each cell that breaks one.

    Parameters
    ----------
    folder : path, optional
        A data folder of your own, or a folder of such folders; by default the five documents.

    Returns
    -------
    DataFrame
        identity (a name in `IDENTITIES`), table, row, column, printed, computed, unit, reason, status, locator: a row
        a cell that cannot be right beside the others, as printed. Which of the cells of an identity is wrong is not
        told by it; `status` is that of the erratum that explains it, "" where there is none. Empty when all agree.

    Raises
    ------
    BadTable
        When the folder cannot be used.
    """
    rows = []
    for paths in [our_folders()] if folder is None else ([path] for path in each_data_folder(folder)):
        ids = [f"{path.name}/{resource['name']}" for path in paths for resource in folder_descriptor(path)["resources"]]
        runs = _our_runs_for_identities() if folder is None else _users_runs_for_identities(ids)
        for name, identity in IDENTITIES.items():
            of_runs = identity.of == "runs"
            for cell in identity.broken(runs) if of_runs else (row for id in ids for row in identity.broken(id)):
                table, row, column = cell[:3]
                errata, about = tables.errata(table), tables.describe(table)
                heading, caption = errata["row"].isna(), errata["column"] == ""
                on_row = (errata["row"] == row) if row else heading
                touching = errata[((on_row | heading) & (errata["column"] == column)) | (heading & caption)]
                status = "" if touching.empty else touching["status"].iloc[0]
                place = tables.locators(table)[row - 1] if row else f"{about.document}, {about.full_locator}"
                rows.append((name, *cell, status, place))
    return pd.DataFrame(rows, columns=COLUMNS).astype(_TYPES)


def _our_runs_for_identities():
    """Every print of a run of ours, a row each, with the printed values; `cells` says where they stand."""
    ours = [folder.name for folder in our_folders()]
    return pd.DataFrame(
        {"run": run.name, "source": run.source, "table": run.table, "cells": run.values}
        | {name: value.value for name, value in run.values.items()}
        for run in prints("printed")
        if run.source in ours
    )


def _users_runs_for_identities(ids):
    """The rows of tables as runs, where they have a column that every identity of runs asks for."""
    frames = [pd.DataFrame({"run": [], "source": [], "table": [], "cells": []})]
    for id in ids:
        if not {"workload", "network_bytes_per_s"} & {*loading.find_table(id).fields}:
            continue
        frame, text = tables.load(id, "printed"), loading.load(id, "printed", text=True)
        runs = frame[[name for name in frame if name in RUN_COLUMNS]]
        names = [f"{id}#{k}" for k in range(1, len(frame) + 1)]
        cells = [
            {name: Value(runs[name][k], text[name][k], "printed", "", at=(k + 1, name)) for name in runs}
            for k in range(len(frame))
        ]
        frames.append(runs.assign(run=names, table=id, cells=cells, source=id.partition("/")[0]))
    return pd.concat(frames[1:] or frames, ignore_index=True)


def _runs_with_known_cells(runs, *columns):
    """The runs in which all of these are known, numbers above zero: none, where no run has them."""
    complete = runs.reindex(columns=list(dict.fromkeys([*runs, *columns]))).dropna(subset=list(columns))
    numbers = [name for name in columns if name not in TEXTS]
    complete[numbers] = complete[numbers].apply(as_numbers)  # a column without a number was read as text
    return complete[(complete[numbers] > 0).all(axis=1)]


def _cell_that_breaks_identity(run, column, computed, reason):
    """A broken cell of a run, as the frame has it; `computed`, where there is one, in the unit of the cell."""
    value = run.cells[column]
    scale = read_number(value.printed) / value.value
    text = "" if computed is None else number(computed * scale)
    unit = _unit_of_broken_cell(value.at[1]) or _unit_of_broken_cell(column)
    return (run.table, *value.at, value.printed, text, unit, reason)


def _broken_price_identity(id):
    """Users × price per user = NotesMark × price per transaction, each the price of the system."""
    if not {*_PRICES} <= {*loading.find_table(id).fields}:
        return
    table, text = tables.load(id, "printed"), loading.load(id, "printed", text=True)
    for k, row in table[(table[_PRICES] > 0).all(axis=1)].iterrows():
        users, per_user, tpm, per_tpm = row[_PRICES].astype(float)
        slack = _CENT * (users + tpm) + _COUNT * (per_user + per_tpm)
        if abs(users * per_user - tpm * per_tpm) <= slack:
            continue
        right = {"price_per_user_usd": tpm * per_tpm / users, "price_per_tpm_usd": users * per_user / tpm}
        reason = f"users × $/user = {number(users * per_user)} USD, NotesMark × $/tpm = {number(tpm * per_tpm)} USD"
        if abs(users * per_tpm - tpm * per_user) <= slack:
            right = {"price_per_user_usd": per_tpm, "price_per_tpm_usd": per_user}
            reason += f"; exchanged, {number(users * per_tpm)} and {number(tpm * per_user)} USD"
        for column, value in right.items():
            yield id, k + 1, column, text[column][k], f"{value:.2f}", _unit_of_broken_cell(column), reason


def _unit_of_broken_cell(column):
    """Return the unit of a column; "" where the vocabulary has none."""
    return tables.units().get(column, "")


def _broken_memory_allowance(id):
    """Recommended less minimum memory is the same in every row."""
    if not {"ram_least_mb", "ram_recommended_mb"} <= {*loading.find_table(id).fields}:
        return
    table, text = tables.load(id, "printed"), loading.load(id, "printed", text=True)
    difference = (table["ram_recommended_mb"] - table["ram_least_mb"]).dropna()
    usual = difference.mode().min()
    for k in difference.index[difference != usual]:
        expected = number(table["ram_least_mb"][k] + usual)
        reason = f"recommended less minimum is {number(difference[k])} MB, in the other rows {number(usual)} MB"
        yield id, k + 1, "ram_recommended_mb", text["ram_recommended_mb"][k], expected, "MB", reason


def _broken_declared_identities(id):
    """Sums, products, means and repeated tables that the descriptor declares."""
    for identity in loading.declared_identities(id):
        try:
            kind = next(name for name in _KINDS if name in identity)
            yield from list(_KINDS[kind](id, **identity))
        except (LookupError, TypeError, ValueError, AttributeError, StopIteration, RuntimeError) as error:
            expected, remedy = f"one of {', '.join(_KINDS)} over columns that exist", "Mend it in the descriptor."
            raise BadTable(f"identities of {id}", expected=expected, found=f"{identity!r}", remedy=remedy) from error


def _broken_sum(id, sum, total=None, equals=None, times=None, rows=None, rounded=False):
    """A column adds up to a row of its own, or to a stated number, `times` another column.

    Where the parts are `rounded`, half a unit of the last digit of each is allowed for.
    """
    table, text = tables.load(id, "printed"), loading.load(id, "printed", text=True)
    of = _rows_named_by_identity(text, rows) if rows else pd.Series(True, index=text.index)
    last = _rows_named_by_identity(text, total) if total else ~of
    parts = table[sum] * (table[times] if times else 1)
    added = parts[of & ~last].sum()
    at = np.flatnonzero(last)
    stated = table[sum][at[0]] if total else equals
    slack = text[sum][of & ~last].map(step_of_digits).sum() / 2 if rounded else 0
    if abs(added - stated) > slack + 1e-9 * abs(stated):
        row, printed_sum = (at[0] + 1, text[sum][at[0]]) if total else (None, number(equals))
        reason = f"the parts add up to {number(added)}"
        yield id, row, sum, printed_sum, number(added), _unit_of_broken_cell(sum), reason


def _rows_named_by_identity(text, wanted):
    """Which rows have these printed cells."""
    return np.logical_and.reduce([text[name].isin(setting_as_list(values)) for name, values in wanted.items()])


def _broken_mean(id, mean, weight, near, within):
    """The weighted mean of columns is near a number that another table prints, within a factor."""
    table = tables.load(id, "printed")
    share = table[weight] / table[weight].sum()
    weighted = float((table[mean].fillna(0).sum(axis=1) * share).sum())
    other, column, row = f"{id.partition('/')[0]}/{near['table']}", near["column"], near["row"]
    stated_text = loading.load(other, "printed", text=True)[column][row - 1]
    stated = read_number(stated_text)
    if not 1 / within <= weighted / stated <= within:
        reason = f"the mean over all rows is {number(weighted)}, stated {stated_text} in {other}, row {row}"
        for name in mean:
            yield id, None, name, "", "", _unit_of_broken_cell(name), reason


def _broken_repeated_table(id, repeats, columns=None):
    """The table prints another one again."""
    source = id.partition("/")[0]
    first = loading.load(f"{source}/{repeats}", "printed", text=True)
    again = loading.load(id, "printed", text=True).rename(columns=columns or {})
    back = {ours: theirs for theirs, ours in (columns or {}).items()}
    for name in first:
        for k in np.flatnonzero(first[name].reindex(again.index) != again[name]):
            column = back.get(name, name)
            reason = f"{repeats} prints it otherwise"
            yield id, k + 1, column, again[name][k], first[name].get(k, ""), _unit_of_broken_cell(name), reason


_KINDS = {"sum": _broken_sum, "mean": _broken_mean, "repeats": _broken_repeated_table}


def _broken_runs_printed_twice(runs):
    """A run printed in two tables has the same numbers in both."""
    compared = [name for name in MEASURED if name in runs]
    complete = _runs_with_known_cells(runs, "users", "workload")
    for _, group in complete.groupby(["source", "workload", "users"]):
        for one, other in combinations(group.itertuples(), 2) if len(group) > 1 else ():
            pairs = {name: (getattr(one, name), getattr(other, name)) for name in compared}
            shared = {name: pair for name, pair in pairs.items() if np.isfinite(pair).all()}
            differ = [name for name, (a, b) in shared.items() if abs(a - b) > _SAME * max(abs(a), abs(b))]
            # Where all numbers differ these are two runs under one name, not one that is misprinted.
            if table_of(one.run) != table_of(other.run) and 0 < len(differ) < len(shared):
                for name in differ:
                    reason = f"{other.run} prints {printed_number(other.cells[name].printed)} for the same run"
                    yield _cell_that_breaks_identity(one, name, getattr(other, name), reason)


def _line_through_runs(response, cycle):
    """Return Theil and Sen's line of cycles over responses: slope, intercept, how far runs usually are off it."""
    one, other = np.triu_indices(len(cycle), 1)
    # The median slope between two runs, as scipy.stats has it, which takes 0.6 s to load.
    apart = response[one] != response[other]
    slope = np.median((cycle[other] - cycle[one])[apart] / (response[other] - response[one])[apart])
    intercept = np.median(cycle) - slope * np.median(response)
    off = abs(cycle - intercept - slope * response)
    return slope, intercept, max(_NORMAL * np.median(off), _LEAST_CYCLE_DEVIATION * np.median(cycle))


def _broken_closed_loop(runs):
    """A user waits, asks, is answered, again: 60 × users / NotesMark, the cycle, is a line in the response."""
    cells = ["users", "notesmark_tpm", "response_s", "workload"]
    complete = _runs_with_known_cells(runs, *cells).drop_duplicates(cells)
    for workload, group in complete.groupby("workload"):
        if len(group) < _ENOUGH:
            continue
        cycle = (60 * group["users"] / group["notesmark_tpm"]).to_numpy()
        response = group["response_s"].to_numpy()
        slope, intercept, usual = _line_through_runs(response, cycle)
        for k in np.flatnonzero(abs(cycle - intercept - slope * response) > _OFF * usual):
            # What is wrong with a run is told by the line through the others, which it has not bent.
            slope, intercept, usual = _line_through_runs(np.delete(response, k), np.delete(cycle, k))
            off = cycle[k] - intercept - slope * response[k]
            expected = (cycle[k] - intercept) / slope if slope > 0 else None
            how_far = f"{number(abs(off), 3)} s {'above' if off > 0 else 'below'} the line"
            reason = (
                f"60 × users / NotesMark = {number(cycle[k])} s, {how_far} through the other {workload} runs,"
                f" which usually keep within {number(usual, 2)} s"
            )
            yield _cell_that_breaks_identity(next(group.iloc[[k]].itertuples()), "response_s", expected, reason)


def _broken_bytes_per_station(runs):
    """A task moves the same bytes for every workstation, however long it takes."""
    for column in ("network_bytes_per_s", "disk_bytes_per_s"):
        complete = _runs_with_known_cells(runs, column, "response_s", "workstations", "workload")
        for task, group in complete.groupby("workload"):
            moved = (group[column] * group["response_s"] / group["workstations"]).to_numpy()
            usual = np.median(moved)
            for k in np.flatnonzero((moved > _TASK * usual) | (moved < usual / _TASK)) if len(group) >= _ENOUGH else ():
                reason = f"{task}: {number(moved[k])} bytes a workstation, usually {number(usual)}"
                run = next(group.iloc[[k]].itertuples())
                yield _cell_that_breaks_identity(run, column, usual * run.workstations / run.response_s, reason)


def _broken_bytes_per_user(runs):
    """Users of one workload move about the same bytes a second on every system."""
    complete = _runs_with_known_cells(runs, "network_bytes_per_s", "users", "workload", "system")
    complete = complete.assign(rate=complete["network_bytes_per_s"] / complete["users"])
    for workload, group in complete.groupby("workload"):
        systems = group.groupby("system")["rate"].median()
        usual = systems.median()
        for run in group.itertuples() if len(systems) > 2 else ():
            if not 1 / _USER <= run.rate / usual <= _USER:
                reason = f"{workload}: {number(run.rate)} bytes a second and user, on the middle system {number(usual)}"
                yield _cell_that_breaks_identity(run, "network_bytes_per_s", usual * run.users, reason)


def _numbers_copied_between_runs(runs):
    """No measured number of six digits or more belongs to two runs."""
    complete = _runs_with_known_cells(runs, "network_bytes_per_s")
    for value, group in complete[complete["network_bytes_per_s"] >= _LONG].groupby("network_bytes_per_s"):
        if len(group[["workload", "users"]].drop_duplicates()) > 1:
            reason = f"{number(value)} stands for different runs: {', '.join(group['run'])}"
            for run in group.itertuples():
                yield _cell_that_breaks_identity(run, "network_bytes_per_s", None, reason)


_TWINS = ("R5", "R6")  # generations of workloads of one kind, the lighter first
_LIGHTER = 0.5  # the share of its twin's response that a heavier workload cannot have


def _heavier_workloads_that_are_lighter(runs):
    """At equal users the heavier of twin workloads has not both less CPU and response, nor half of the response."""
    complete = _runs_with_known_cells(
        runs, "cpu_utilization_percent", "response_s", "users", "workload", "system", "domino_release"
    )
    light, heavy = (complete[complete["workload"].astype(str).str.startswith(kind)] for kind in _TWINS)
    keys = ["source", "system", "domino_release", "users"]
    pairs = heavy.assign(kind=heavy["workload"].astype(str).str[2:]).merge(
        light.assign(kind=light["workload"].astype(str).str[2:]), on=[*keys, "kind"], suffixes=("", "_light")
    )
    for pair in pairs.itertuples():
        less = pair.cpu_utilization_percent < pair.cpu_utilization_percent_light
        ratio = pair.response_s / pair.response_s_light
        if ratio >= 1 or (not less and ratio > _LIGHTER):
            continue
        other = f"{pair.workload_light} in {number(pair.response_s_light)} s"
        reason = f"{pair.workload} at {number(pair.users)} users answers in {number(pair.response_s)} s, {other}"
        columns = ["response_s"] + ["cpu_utilization_percent"] * less
        for run in (pair.run, pair.run_light):
            cells = next(complete[complete["run"] == run].itertuples())
            yield from (_cell_that_breaks_identity(cells, column, None, reason) for column in columns)


IDENTITIES = {
    "price": Identity("users × price per user = NotesMark × price per transaction", "table", _broken_price_identity),
    "allowance": Identity("recommended minus minimum memory is constant", "table", _broken_memory_allowance),
    "declared": Identity("sums, means and repeated tables agree", "table", _broken_declared_identities),
    "printed twice": Identity(
        "a run printed in two tables has the same numbers in both", "runs", _broken_runs_printed_twice
    ),
    "closed loop": Identity(
        "60 × users / NotesMark is linear in a workload's response time", "runs", _broken_closed_loop
    ),
    "per station": Identity(
        "a task moves the same bytes per workstation in every run", "runs", _broken_bytes_per_station
    ),
    "per user": Identity(
        "a workload moves about the same bytes per user on every system", "runs", _broken_bytes_per_user
    ),
    "heavier": Identity(
        "at equal users, a heavier workload is not lighter on the server", "runs", _heavier_workloads_that_are_lighter
    ),
    "copied": Identity("two runs do not share the same long number", "runs", _numbers_copied_between_runs),
}
"""What printed numbers must obey, by name: each with its statement and its test."""
