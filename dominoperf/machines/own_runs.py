"""Runs of a user's own, from a frame, a file or a data folder, as the model of users takes them.

A column that looks like a part of a machine is asked for, not left out. Of a load test one load counts.
"""

import hashlib
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, as_python, counted, joined_with, near_spellings, spelling
from dominoperf.machines.censoring import CENSORED, LIMITED_BY
from dominoperf.machines.levels import (
    cells_that_are_no_number,
    level_of_printed_cell,
    machine_columns,
    run_names,
    texts_of_column,
)
from dominoperf.machines.parts import NUMBERS, TEXTS, UNITS, number_of_part, parts_of_heading
from dominoperf.runs import benchmarks
from dominoperf.tables import carried_errata
from dominoperf.tables.columns import check_columns, factor_to_per_second
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import (
    THROUGHPUTS,
    columns_of_heading,
    columns_of_headings,
    in_our_columns,
    meaning_of_some_words,
    proposed_mapping,
)
from dominoperf.tables.reading import check_cells, numbers_of_column
from dominoperf.tables.rendering import number, percent
from dominoperf.tables.rows_of_one_curve import FAILURES, shares_of_failed_requests

MACHINE_AND_LOAD = (*NUMBERS, *TEXTS, "users", "cpu_utilization_percent")
"""Columns whose errata an answer tells."""
OWN_WORKLOAD = "own"
"""What a workload of the user's is called that has no name."""
_RESPONSES = ("users", *THROUGHPUTS)
_MEASURES = ("cpu_utilization_percent", "limited_by", "response_s")
_COLUMNS = frozenset((*NUMBERS, *TEXTS, *_RESPONSES, *_MEASURES))  # that the model takes
_FAILED = ("failed_share", "failures_per_s", *FAILURES)
_OF_FAILED = (*_FAILED, "requests", "transactions", "test_time_s")  # what tells of how many requests they are
_RATES = (*THROUGHPUTS, "response_s")  # no question is asked for want of one: users say as much
_LIMIT_PERCENT = 85.0  # a server that is less busy could have carried more
_FULL_PERCENT = 99.0  # a busier CPU, as it is printed, does no more however many users come
_BUSIEST_PERCENT = 101.0  # more is no rounding
_LOADS, _APART = 3, 2.0  # so many loads, the last so many times the first, show if a throughput rises in proportion
_LEVEL = 0.05  # share of the highest throughput: a load that brings as much less is at the peak
_HALF_PERCENT = 50.0  # from which on the CPU of a load tells by how many more users it is filled


@dataclass(frozen=True)
class OwnRuns:
    """Runs of a user's own: two are equal where their cells and errata are; `load_tests` as of `Observations`."""

    key: str
    frame: pd.DataFrame = field(compare=False, repr=False)
    load_tests: tuple[tuple[str, str], ...] = ()
    errata: tuple[carried_errata.CarriedErratum, ...] = ()
    # of each workload: users, or a throughput
    counted_in: Mapping[str, str] = field(default_factory=dict, compare=False)
    without_workload: bool = False  # no column says what was run: what was asked for
    unused: tuple[str, ...] = ()  # headings of columns that say nothing that the model takes


def read_own_runs(data: pd.DataFrame | str | os.PathLike, workload: str = OWN_WORKLOAD) -> OwnRuns:
    """Return runs of a user's own in our columns, with users and limited_by in each row; by default of `workload`.

    Where a workload has no users its throughput is in their place. Rows that are the same in every cell are one run.
    Loads that failed, or lie beyond the peak of their machine, are left out. A row is a lower limit where limited_by
    says "drivers" or "load chosen", and where the CPU was less than 85 % busy; without a utilization where the same
    machine carried more of the workload by more than tests differ: a third more, or 10 % where the table has responses,
    or users and throughput, so that its rows may be loads of one test. Else it is a capacity. `data` is a frame, a CSV
    file or a data folder (with a datapackage.json). `BadTable` where it has neither users nor throughput, no row with a
    number above zero, a number that is infinite, or shares in a column of percent; `UnknownName` where a column looks
    like one of a machine's and is none.

    Examples
    --------
    >>> runs = pd.DataFrame({"processors": [1, 1, 2], "throughput_per_s": [40, 70, 120]})
    >>> frame = read_own_runs(runs).frame
    >>> frame["users"].tolist(), frame["limited_by"].tolist()
    ([40.0, 70.0, 120.0], ['load chosen', '', ''])
    """
    where = spelling("capacity(data=...)", "--data")
    frame, errata, unused = _read_in_our_columns(data, where)
    workloads = _workloads(frame)
    without_workload = (workloads == "").all()  # a data folder has the column in any case
    workloads = pd.Series(workload, frame.index) if without_workload else workloads
    frame["workload"] = workloads.where(workloads != "", OWN_WORKLOAD)
    again = frame.astype(str).duplicated()
    told = "left out: the same in every cell as another row; if that is another test, add a column that tells it"
    copies = _told_by_workload(frame["workload"][again], "row", told)
    frame, failed = _without_loads_that_failed(frame[~again].reset_index(drop=True))
    frame, of_tables = _without_loads_beyond_the_peak(frame)
    load_tests = (*copies, *failed, *of_tables)
    if not set(_RESPONSES) & set(frame.columns):
        named, remedy = ", ".join(map(str, frame.columns)), "Add one of these columns: how much each machine carried."
        raise BadTable(where, expected="users, throughput_per_s or notesmark_tpm", found=named, remedy=remedy)
    amounts = {name: numbers_of_column(frame, name) for name in _RESPONSES if name in frame}
    may_be_loads = _may_be_loads(frame)
    carried, counted_in = pd.Series(np.nan, frame.index), {}
    for name, values in amounts.items():  # users of a workload where it has any, else its throughput
        of_workload = [*frame["workload"][values > 0].drop_duplicates()]
        counted_in |= {workload: name for workload in of_workload if workload not in counted_in}
        carried = carried.where(frame["workload"].map(counted_in) != name, values)
    told = "left out: no users or throughput above zero"
    load_tests += _told_by_workload(frame["workload"][~(carried > 0)], "row", told)
    frame = frame.assign(users=carried, run=run_names(frame))[carried > 0].reset_index(drop=True)
    if frame.empty:
        remedy = "Give how much each machine carried."
        expected = "a row with users or throughput above zero"
        raise BadTable(where, expected=expected, found="none", remedy=remedy)
    checksum = hashlib.sha256(frame.to_csv().encode()).hexdigest()  # the same of frames with the same cells

    frame, below = _capacities_and_lower_limits(frame, may_be_loads=may_be_loads)
    return OwnRuns(checksum, frame, (*load_tests, *below), errata, counted_in, without_workload, unused)


def capacities_of_folder(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[tuple[str, str], ...]]:
    """Return the runs of a data folder of a user's with one load of each machine as its capacity, as of a file.

    Runs without a workload are of `OWN_WORKLOAD`; also returned is which loads count, by workload.
    """
    workloads = _workloads(frame)
    frame = frame.assign(workload=workloads.where(workloads != "", OWN_WORKLOAD)).dropna(axis=1, how="all")
    frame, failed = _without_loads_that_failed(frame)
    frame, peaks = _without_loads_beyond_the_peak(frame)
    may_be_loads = _may_be_loads(frame)
    frame = frame.assign(users=numbers_of_column(frame, "users"))
    frame, below = _capacities_and_lower_limits(frame, may_be_loads=may_be_loads)
    return frame, (*failed, *peaks, *below)


def _workloads(frame):
    """The workload of each row, "" for none: Web and "web " are that which is spelt so first."""
    texts = texts_of_column(frame, "workload").map(lambda text: level_of_printed_cell("workload", text))
    return texts.groupby(texts.str.casefold(), sort=False).transform("first")


def _told_by_workload(workloads, name, told):
    """What is told of some rows, here their workloads, by workload: how many they are, and that."""
    counts = workloads.value_counts(sort=False)
    return tuple((workload, f"{counted(count, name)} {told}") for workload, count in counts.items())


def _may_be_loads(frame):
    """Whether the rows of a machine may be loads of one test: they have a response, or users and throughput."""
    return len({*_RESPONSES, "response_s"} & {*frame.columns}) > 1


def _capacities_and_lower_limits(frame, *, may_be_loads):
    """Runs that say nothing else are lower limits where the CPU was not busy or the same machine carried more.

    Loads that left half of the CPU free are left out where a higher one of the machine tells its CPU: what it takes in
    idle, and for each user where it is busier, makes them say another capacity. Also returned is how many are lower
    limits as the machine carried more, and how many are left out, by workload.
    """
    limited_by = texts_of_column(frame, "limited_by").str.strip().str.casefold()
    if len(unknown := limited_by.index[~limited_by.isin(["", *LIMITED_BY])]):
        place = f"{spelling('capacity(data=...)', '--data')}, column limited_by, {run_names(frame)[unknown[0]]}"
        remedy = (
            "Write server where the server set the load, its memory or disks too; drivers where its load generators"
        )
        remedy += " did; or leave it empty."
        found = as_python(frame["limited_by"][unknown[0]])
        raise BadTable(place, expected=joined_with("or", LIMITED_BY), found=found, remedy=remedy)
    parts = [name for name in (*NUMBERS, *TEXTS) if name in frame]
    machines = ["|".join(map(str, cells)) for cells in frame[parts].to_numpy(dtype=object)]
    machines = pd.Series(machines, frame.index)
    share = frame["users"] / frame["users"].groupby(machines).transform("max")
    differ = difference_of_two_tests()
    least = 1 - differ if may_be_loads else math.exp(-2 * math.sqrt(2) * differ)
    busy = numbers_of_column(frame, "cpu_utilization_percent")
    below = busy.isna() & (share < least) & (limited_by == "")
    with_cpu = frame["users"].where(busy > 0)
    lighter = (busy < _HALF_PERCENT) & (limited_by != LIMITED_BY[0])
    lighter &= with_cpu < (1 - 2 * differ) * with_cpu.groupby(machines).transform("max")
    idle = (busy < _HALF_PERCENT) & (limited_by == LIMITED_BY[0])
    reasons = []
    for which, told in (
        (idle, "that the server limited with half of the CPU free: something else did, so that the CPU does not count"),
        (below, "of a machine that carried more in another: loads below its limit, unless limited_by says server"),
        (lighter, "left out, with half of the CPU free, of a machine that tells its CPU at a higher load too"),
    ):
        reasons += _told_by_workload(frame["workload"][which], "run", told)
    lower = (busy < _LIMIT_PERCENT) | below
    frame = frame.assign(limited_by=limited_by.where((limited_by != "") | ~lower, CENSORED[1]))
    if "cpu_utilization_percent" in frame:  # a pool, a lock or a quota: more CPU would carry no more
        frame["cpu_utilization_percent"] = busy.mask(idle)
    return frame[~lighter].reset_index(drop=True), tuple(reasons)


def _read_in_our_columns(data, where):
    """Runs of a user's own in our columns, checked; their errata; the headings of columns that are of no use."""
    in_folder = isinstance(data, (str, os.PathLike)) and Path(data).is_dir()
    if in_folder:
        with tables.using(data) as folder:
            frame = benchmarks()
        frame = frame[frame["source"] == folder.name].dropna(axis=1, how="all")
    else:
        frame = tables.read_table(data, texts=TEXTS, where=where)  # release 5.0 is not 5
    file = data if isinstance(data, (str, os.PathLike)) and not in_folder else ""
    errata = carried_errata.errata_of(carried_errata.columns_used(frame, *MACHINE_AND_LOAD, *_RESPONSES))
    as_shares = "cpu_utilization" in frame and "cpu_utilization_percent" not in frame
    if as_shares:
        percent = 100 * numbers_of_column(frame, "cpu_utilization")
        frame = frame.drop(columns="cpu_utilization").assign(cpu_utilization_percent=percent)
    if "response_ms" in frame and "response_s" not in frame:  # both are columns of ours
        frame = frame.assign(response_s=numbers_of_column(frame, "response_ms") / 1000)
    meant, _ = columns_of_headings(dict.fromkeys(frame))
    if any(column.name == "time_s" for column in meant):
        how = spelling("what `curve(files)` returns", "what `dominoperf curve FILES --format csv` prints")
        remedy, found = f"Give {how}, a row for each load.", "times, as samples of a load test have"
        raise BadTable(where, expected="a row for each run", found=found, remedy=remedy)
    numbers = {*frame.select_dtypes("number")}  # as texts these are asked for: release 5.0 was read as 5
    meant = [column for column in meant if column.name not in TEXTS or column.source not in numbers]
    frame = in_our_columns(frame, [column for column in meant if column.name in _COLUMNS.union(_OF_FAILED)])
    _ask_for_near_headings(frame, in_folder, where)
    check_columns(frame, [name for name in frame.columns if name in _COLUMNS], where)
    frame = frame.reset_index(drop=True)
    _check_numbers_of_own_runs(frame, where, file)
    _check_percent_of_cpu(frame, as_shares, where)
    unused = [str(name) for name in frame if name not in _COLUMNS]
    unused = [name for name in unused if name not in tables.vocabulary() or len(name) == 1]  # n may be anything
    return frame, errata, tuple(name for name in unused if frame[name].notna().any())


def _ask_for_near_headings(frame, in_folder, where):
    """Refuse headings that may mean a column of ours which is not there; of a data folder its descriptor says more."""
    proposed = _COLUMNS.difference(THROUGHPUTS) | {"throughput_per_s", "notesmark_tpm"}
    lacking, meant_by = proposed.difference(frame.columns), {}
    for name in (name for name in frame.columns if name not in _COLUMNS):
        near = []
        if name not in tables.vocabulary():
            near = near_spellings(str(name).casefold(), sorted(lacking))
        near = near or [other for other in columns_of_heading(str(name)) if other in lacking.difference(_RATES)]
        if not in_folder:
            # vCPUs, memory, processor: a part of the machine that was not read would cost more than a question.
            near = near or parts_of_heading(str(name), frame[[name]].iloc[:, 0], lacking.difference(_RATES))
            near += ["cpu_utilization_percent"] if name == "cpu" and "cpu_utilization_percent" in lacking else []
            if not near and not {*_RESPONSES} & {*frame.columns}:  # nothing says how much a machine carried
                near = [other for other in [meaning_of_some_words(str(name))] if other in _RESPONSES]
        if near:
            meant_by[name] = near
    if not meant_by:
        return
    several = len(meant_by) > 1
    them = "them" if several else "the column"
    how = spelling(f"Rename {them}", f"Rename {them}, or add {proposed_mapping(meant_by)}")
    which = (f" for {as_python(name)}" if several else "" for name in meant_by)
    asked = ", ".join(" or ".join(near) + of for near, of in zip(meant_by.values(), which, strict=True))
    near = {other for each in meant_by.values() for other in each}
    units = "".join(f"; {other} is in {UNITS[other]}" for other in sorted(near.intersection(UNITS)))
    remedy = f"Did you mean {asked}? {how}, so that {'they are' if several else 'it is'} read{units}."
    found = joined_with("and", map(as_python, meant_by))
    raise UnknownName(f"{where}, column", expected="a column of runs", found=found, remedy=remedy)


def _check_numbers_of_own_runs(frame, where, file):
    """Refuse by its row a number that is infinite or below 0, or so little of a part that it is in another unit."""
    constants = our_toml_file("capacity.toml")
    factor = constants["reach"]["factor"]
    for name in sorted(_COLUMNS.difference(TEXTS, ["limited_by"]).intersection(frame.columns)):
        numbers, wrong = numbers_of_column(frame, name), cells_that_are_no_number(frame, name)
        least, most, expected, how = 0.0, np.inf, "a number, 0 or more", {}
        if name in NUMBERS:
            low, high = constants["reach"][name]
            least = constants["model"]["memory_least_mb"] if name == "ram_mb" else low / factor
            expected = f"{number_of_part(name)}, from {least:g}"
            how["remedy"] = "Mend the cell, or leave it empty: what is missing is unknown, and costs precision."
        if name == "clock_mhz":  # a server of today may have any number of the others
            most = high * factor
            expected += f" to {most:g}"
        wrong |= (numbers < least) | (numbers > most)
        wrong = {"a finite number": np.isinf(numbers), expected: wrong}
        check_cells(frame[name], wrong, f"{where}, column {name}", file, **how)


def _check_percent_of_cpu(frame, as_shares, where):
    """Refuse a CPU utilization that is no percentage of the whole machine."""
    busiest = numbers_of_column(frame, "cpu_utilization_percent").max()
    place = f"{where}, column cpu_utilization_percent"
    if not as_shares and 0 < busiest <= 1:  # as a spreadsheet saves cells that it shows as 71 %
        remedy = "Give percent (71 for 0.71), or call the column cpu_utilization."
        raise BadTable(
            place, expected="percent", found=f"nothing above {number(busiest)}, as shares are", remedy=remedy
        )
    if busiest > _BUSIEST_PERCENT:
        remedy = "Give percent of the whole machine: 330 % of one of 4 processors are 82.5."
        found = f"{number(busiest)} %, as where each processor counts 100"
        raise BadTable(place, expected="a CPU of at most 100 %", found=found, remedy=remedy)


def difference_of_two_tests() -> float:
    """Return by what share two tests of one machine usually differ."""
    return math.exp(our_toml_file("capacity.toml")["effects"]["error"]["mean"])


def _without_loads_that_failed(frame):
    """Rows without the loads at which more requests failed than may, and which load is the highest that passed.

    That is a capacity of its machine: a higher one failed.
    """
    if not set(_FAILED) & set(frame.columns):
        return frame, ()
    rate = next((name for name in THROUGHPUTS if name in frame), None)
    rates = numbers_of_column(frame, rate) * factor_to_per_second(rate) if rate else np.nan
    most = our_toml_file("capacity.toml")["load_test"]["failed_share"]
    failed = shares_of_failed_requests(frame, rates) > most
    if "users" not in frame:  # which of the others is a higher load, nobody can say
        told = _told_by_workload(
            frame["workload"][failed], "row", f"left out: more than {percent(most)} of the requests failed"
        )
        return frame[~failed].reset_index(drop=True), told
    users, described, told = numbers_of_column(frame, "users"), machine_columns(frame), []
    limited_by = texts_of_column(frame, "limited_by")
    for _, alike in described.groupby([*NUMBERS, *TEXTS], sort=False, dropna=False):
        of_machine = failed[alike.index]
        if not of_machine.any():
            continue
        least = users[alike.index][of_machine].min()
        passed = users[alike.index][users[alike.index] < least]
        failed[alike.index] = of_machine | (users[alike.index] >= least)  # another run of such a load may have passed
        at = f"at {number(least)} users " * bool(least > 0) + f"more than {percent(most)} of the requests failed"
        if len(passed):
            highest = passed.index[(passed == passed.max()) & (limited_by[passed.index] == "")]
            limited_by[highest] = LIMITED_BY[0]
            at = f"{at}: {number(passed.max())} are the most that passed"
        told.append((alike["workload"].iloc[0], at))
    return frame.assign(limited_by=limited_by)[~failed].reset_index(drop=True), tuple(told)


def _without_loads_beyond_the_peak(frame):
    """Rows without the loads behind the peak of a machine's throughput, and which load that is, by workload.

    The peak is the first load within 5 % of the highest throughput. Loads behind it are left out where the highest
    brings less than in proportion by more than two tests differ. A user there waits longer, and the machine does no
    more. Where the throughput of three loads or more rises in proportion to the last, that is a lower limit.
    Where no throughput is told, loads with a full CPU are left out, but for the fewest users with one and what two
    tests may differ from them; and these, too, where they are far more than the busiest load below, if it takes half of
    the CPU, says in proportion. Where all have a full CPU they are no loads of one test, but the capacity tested again.
    """
    if "users" not in frame:
        return frame, ()
    users, cpu = (numbers_of_column(frame, name) for name in ("users", "cpu_utilization_percent"))
    rates = numbers_of_column(frame, *THROUGHPUTS)
    differ = difference_of_two_tests()
    described, beyond, peaks = machine_columns(frame), pd.Series(False, frame.index), []
    in_proportion, limited_by = beyond.copy(), texts_of_column(frame, "limited_by")
    for _, alike in described[users > 0].groupby([*NUMBERS, *TEXTS], sort=False, dropna=False):
        with_a_rate = rates[alike.index] > 0
        alike = alike[with_a_rate | ((cpu[alike.index] > 0) & ~with_a_rate.any())]
        if alike.empty:
            continue
        loads = users[alike.index]
        if with_a_rate.any():
            curve = rates[alike.index].groupby(loads).mean()
            peak, last = curve.index[(curve >= (1 - _LEVEL) * curve.max()).argmax()], curve.index[-1]
            told = "users are the peak of the loads"
            behind = (loads > peak) & bool(curve[last] < (1 - 2 * differ) * curve[peak] * last / peak)
            apart = len(curve) >= _LOADS and last >= _APART * curve.index[0]
            if apart and curve[last] >= (1 - differ) * curve.iloc[0] * last / curve.index[0]:
                in_proportion[alike.index] = (loads == last) & (limited_by[alike.index] == "")
                rises = f"the throughput still rises in proportion at {number(last)} users"
                below = f"{rises}: a load below the limit, unless limited_by says server"
                peaks.append((alike["workload"].iloc[0], below))
        else:
            busy = cpu[alike.index]
            full, slack = busy >= _FULL_PERCENT, 1 + 2 * differ
            peak, told = loads[full].min(), "users are the fewest with a full CPU of the loads"
            partly = busy[~full & (busy >= _HALF_PERCENT)]
            if not partly.empty:
                fill_it = 100 * loads[partly.idxmax()] / partly.max()
                if peak > slack * fill_it:
                    peak = fill_it
                    told = "users fill the CPU, in proportion to the busiest load that does not, of the loads"
            behind = full & (loads > slack * peak) & (not full.all())
        if behind.any():
            beyond[alike.index] = behind
            numbered = "run" in frame and frame["run"].duplicated().any()  # the first, second and third of each load
            names = run_names(frame.drop(columns="run") if numbered else frame)[alike.index[[0, -1]]]
            peaks.append((alike["workload"].iloc[0], f"{number(peak)} {told} in {' to '.join(dict.fromkeys(names))}"))
    if in_proportion.any():
        frame = frame.assign(limited_by=limited_by.mask(in_proportion, CENSORED[1]))
    return frame[~beyond].reset_index(drop=True), tuple(peaks)
