"""Runs of a user's own, which join those of the documents: a folder, a CSV file or a frame."""

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, near_names, spelling
from dominoperf.machines.censoring import CENSORED
from dominoperf.machines.levels import numbers
from dominoperf.machines.load_test_runs import one_run_per_load_test
from dominoperf.machines.observations import NUMBERS, TEXTS, Observations, observe
from dominoperf.runs import benchmarks

OWN_WORKLOAD = "own"
"""What a workload without a name is called."""
_RESPONSES = ("users", "throughput_per_s", "notesmark_tpm")
_MEASURES = ("cpu_utilization_percent", "limited_by", "response_s")
_LIMIT_PERCENT = 85.0  # a server that is less busy could have carried more


@dataclass(frozen=True)
class OwnRuns:
    """Runs of a user's own: two are equal where their cells are. `load_tests` are those of `Observations`."""

    key: str
    frame: pd.DataFrame = field(compare=False, repr=False)
    load_tests: tuple[tuple[str, str], ...] = ()


def read_own_runs(data: pd.DataFrame | str | os.PathLike) -> OwnRuns:
    """Return runs of a user's own in our columns, with users and limited_by in each row.

    Where a workload has no users its throughput stands in their place. The samples of a load test are one run at most
    (`one_run_per_load_test`). A row is a lower limit where limited_by says "drivers" or "load chosen", where the CPU
    was less than 85 % busy, and where the same machine carried more of the workload; else it is a capacity.

    Parameters
    ----------
    data : DataFrame, path
        A frame, a CSV file or a data folder (with a datapackage.json).

    Returns
    -------
    OwnRuns

    Raises
    ------
    BadTable
        When it has neither users nor throughput, or no row with a number above zero.
    UnknownName
        When a column looks like one of a machine's and is none.

    Examples
    --------
    >>> runs = pd.DataFrame({"processors": [1, 1, 2], "throughput_per_s": [40, 70, 120]})
    >>> frame = read_own_runs(runs).frame
    >>> frame["users"].tolist(), frame["limited_by"].tolist()
    ([40.0, 70.0, 120.0], ['load chosen', '', ''])
    """
    if isinstance(data, (str, os.PathLike)) and Path(data).is_dir():
        with tables.using(data) as folder:
            frame = benchmarks()
        frame = frame[frame["source"] == folder.name].dropna(axis=1, how="all")
    else:
        frame = tables.read_table(data, where=_place_of_runs())
    columns = {*NUMBERS, *TEXTS, *_RESPONSES, *_MEASURES}
    for name in frame.columns:
        near = [] if name in tables.vocabulary() else near_names(str(name), sorted(columns - set(frame.columns)))
        if near:
            listing = "Rename the column, so that it is read."
            raise UnknownName.among(f"{_place_of_runs()}, column", name, near, listing)
    frame = frame.reset_index(drop=True)
    workload = frame["workload"].fillna("").astype(str) if "workload" in frame else pd.Series("", frame.index)
    frame["workload"] = workload.where(workload != "", OWN_WORKLOAD)
    frame, load_tests = one_run_per_load_test(frame)
    if frame.empty and load_tests:
        remedy = spelling("Give what `curve(files)` returns", "Give what `dominoperf curve FILES --format csv` prints")
        remedy = f"{remedy}: it finds loads in the names of files too."
        expected, found = "users and throughput of a load that was held", "; ".join(reason for _, reason in load_tests)
        raise BadTable(_place_of_runs(), expected=expected, found=found, remedy=remedy)
    if not set(_RESPONSES) & set(frame.columns):
        named, remedy = ", ".join(map(str, frame.columns)), "Add one of these columns: how much each machine carried."
        raise BadTable(_place_of_runs(), expected=" or ".join(_RESPONSES), found=named, remedy=remedy)
    amounts = {name: numbers(frame, name) for name in _RESPONSES if name in frame}
    carried = pd.Series(np.nan, frame.index)
    for values in amounts.values():  # users of a workload where it has any, else its throughput
        has_values = (values > 0).groupby(frame["workload"]).transform("any")
        has_none_yet = carried.isna().groupby(frame["workload"]).transform("all")
        carried = carried.where(~(has_values & has_none_yet), values)
    frame = frame.assign(users=carried)[carried > 0].reset_index(drop=True)
    if frame.empty:
        remedy = "Give how much each machine carried."
        raise BadTable(
            _place_of_runs(), expected="a row with users or throughput above zero", found="none", remedy=remedy
        )
    checksum = hashlib.sha256(frame.to_csv().encode()).hexdigest()  # the same of frames with the same cells
    return OwnRuns(checksum, frame.assign(limited_by=_limited_by(frame)), load_tests)


def joined(ours: Observations, own_runs: OwnRuns) -> Observations:
    """Return the observations of the documents and those of a user together."""
    more = observe(own_runs.frame.drop(columns=["run", "source"], errors="ignore"), ours=False).rows
    more = more.assign(source="own", run="own, " + more["run"].astype(str))
    new = set(more["workload"]) - set(ours.rows["workload"])
    rows = pd.concat([ours.rows, more], ignore_index=True)
    return Observations(rows, ours.script_rates, frozenset(new), (*ours.load_tests, *own_runs.load_tests))


def _limited_by(frame):
    """The column limited_by with "load chosen" where a run is a lower limit by what else it prints."""
    limited_by = frame.get("limited_by", pd.Series("", index=frame.index)).fillna("").astype(str)
    parts = [name for name in (*NUMBERS, *TEXTS) if name in frame]
    machines = ["|".join(map(str, cells)) for cells in frame[parts].to_numpy(dtype=object)]
    most = frame["users"].groupby(pd.Series(machines, frame.index)).transform("max")
    lower = (frame["users"] < most) | (numbers(frame, "cpu_utilization_percent") < _LIMIT_PERCENT)
    return limited_by.where((limited_by != "") | ~lower, CENSORED[1])


def _place_of_runs():
    """Where runs were given, as the user gave them."""
    return spelling("capacity(data=...)", "--data")
