"""The machines that a question is about: a dict, a row, a frame, a TOML file or the name of a system in the data."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, CannotFit, UnknownName, as_python, near_names, spelling
from dominoperf.machines.audited_systems import audited_runs
from dominoperf.machines.levels import (
    cells_that_are_no_number,
    level_of_printed_cell,
    machine_columns,
    spelt_as_known,
    system_model,
)
from dominoperf.machines.observations import LOWER_LIMIT
from dominoperf.machines.parts import (
    COUNTED,
    MACHINE_PARTS,
    MACHINE_TEXTS,
    NUMBERS,
    PARTS,
    POWERS,
    TEXTS,
    UNITS,
    number_of_part,
    part_as_option,
    part_in_words,
    parts_of_heading,
)
from dominoperf.machines.users_model import UsersModel
from dominoperf.runs import benchmarks
from dominoperf.tables.columns import check_columns
from dominoperf.tables.files import read_users_toml
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import numbers_of_column, without_names_of_columns
from dominoperf.tables.rendering import cell_text

CONFIGURATION = "configuration"  # which of several a named system was taken in
Machine = Mapping | pd.Series | pd.DataFrame | str | os.PathLike


def asked_machines_of(
    model: UsersModel, machine: Machine, workload: str, response_s: float | None = None
) -> tuple[pd.DataFrame, bool]:
    """Return the machines of a question with their workload, spelt as the runs have it, and whether it is one.

    `CannotFit` where a response is asked of a workload that the rule of the documents does not know.
    """
    observations, workloads = model.observations, model.levels["workload"]
    [name] = spelt_as_known([level_of_printed_cell("workload", workload)], workloads)
    if name not in workloads:
        raise UnknownName.among("workload", workload, workloads, f"Workloads that were run: {', '.join(workloads)}.")
    if (observations.rows["observation"][observations.rows["workload"] == name] == LOWER_LIMIT).all():
        of_tests = [reason for of, reason in observations.load_tests if of == name] or ["lower limits alone"]
        expected = f"a run of {name} whose load the server set, or that says how busy the CPU was"
        remedy = "Measure loads until throughput falls, or add a column cpu_utilization_percent."
        where, found = spelling("capacity(workload=...)", "--workload"), "; ".join(of_tests)
        raise CannotFit(where, expected=expected, found=found, remedy=remedy)
    if part := observations.own_limit(name):
        where, words = spelling("capacity(data=...)", "--data"), part_in_words(part)
        found = f"machines that carried more with more {words} and no more of all else"
        remedy = "What limits a workload of yours beside the processors is not known: give the runs of machines with as"
        remedy += f" much of that as the machine in question, or leave its column {part} out."
        raise CannotFit(where, expected=f"runs of {name} that {words} did not limit", found=found, remedy=remedy)
    of_user = observations.runs_of_user[observations.runs_of_user["workload"] == name]
    if response_s is not None and (name in observations.own_workloads or of_user["response_s"].notna().any()):
        where, expected = spelling("capacity(response_s=...)", "--response"), "none beside runs of your own"
        how = spelling("`node_count(CURVE, response_s=...)`", "`dominoperf plan --curve CURVE --response SECONDS`")
        remedy = (
            f"Leave it out. What a machine carries within a response, {how} says from the responses that you measured."
        )
        raise CannotFit(where, expected=expected, found=f"{response_s:g} s of {name}", remedy=remedy)
    least = observations.rows["response_s"].min()
    if response_s is not None and response_s < least:
        where, expected = (
            spelling("capacity(response_s=...)", "--response"),
            f"{least:g} s, the shortest measured, or more",
        )
        raise CannotFit(where, expected=expected, found=f"{response_s:g} s", remedy="Ask for a longer response.")
    return read_machines(model, machine, name)


def read_machines(model: UsersModel, machine: Machine, workload: str = "") -> tuple[pd.DataFrame, bool]:
    """Return machines with the columns of PARTS and TEXTS, spelt as the runs have them, and whether it was one machine.

    Without a workload each machine keeps its own. One of which nothing is said but the name of a system of the data has
    the parts of that system.
    """
    frame, single = machine, not isinstance(machine, pd.DataFrame)
    own_runs = model.observations.own_runs
    if single:
        frame = pd.DataFrame([parts_of_machine(machine, workload, own_runs)])
    frame = _with_parts_of_named_systems(without_names_of_columns(frame), workload, own_runs)
    place, columns = _place_of_machine(), (*PARTS, *TEXTS)
    lacking, more = [name for name in columns if name not in frame], [name for name in frame if name not in columns]
    others = {CONFIGURATION, *benchmarks().columns} if more else set()
    if more and not isinstance(machine, Mapping) and single:  # a row of a table; a dict or file has what the user typed
        others |= {*tables.vocabulary()}
    for name in more:
        meant = parts_of_heading(str(name), frame[[name]].iloc[:, 0], lacking)
        meant += ["processors"] if name == "threads" and "processors" in lacking else []
        if not meant and (not single or name in others):
            continue
        where, listing = f"{place}, column", f"What a machine can have: {', '.join(columns)}."
        if not meant:
            raise UnknownName.among(where, name, columns, listing)
        units = "".join(f" {part} is in {UNITS[part]}." for part in meant if part in UNITS)
        remedy = f"Did you mean {' or '.join(meant)}?{units} {listing}"
        raise UnknownName(where, expected="a known name", found=as_python(name), remedy=remedy)
    check_columns(frame, [name for name in (*PARTS, *TEXTS, CONFIGURATION) if name in frame], place)
    for name in (part for part in PARTS if part in frame):
        cells, wrong = numbers_of_column(frame, name), cells_that_are_no_number(frame, name)
        if wrong.any():
            found = as_python(frame[name][wrong.idxmax()])
            remedy = "Give the number alone; leave out what is not known."
            raise BadTable(f"{place}, {name}", expected=number_of_part(name), found=found, remedy=remedy)
        broken = np.isfinite(cells) & (cells % 1 != 0)
        limited = name == "processors" and workload in model.observations.own_workloads  # a container's share of them
        if name in COUNTED and broken.any() and not limited:
            where, found = f"{place}, {part_as_option(name)}", f"{cells[broken.idxmax()]:.15g}"
            remedy = "The model knows whole ones alone: ask for the number below and the one above."
            raise BadTable(where, expected="a whole number", found=found, remedy=remedy)
    sizes = {name: about["drive_gb"] for name, about in our_toml_file("capacity.toml")["drive_sizes"].items()}
    described = machine_columns(frame)
    if "system" in frame:  # one that is called by its parts is no model
        described["system"] = frame["system"].where(frame["system"].isin(model.levels["system"]), described["system"])
    printed = described["system"].map(sizes)
    described["drive_gb"] = numbers_of_column(frame, "drive_gb") if "drive_gb" in frame else printed
    if CONFIGURATION in frame:
        described[CONFIGURATION] = frame[CONFIGURATION]
    if workload:
        described["workload"] = workload
    for name in TEXTS:
        described[name] = pd.Series(spelt_as_known(described[name], model.levels[name]), described.index, dtype=object)
    described = _with_what_all_runs_of_a_system_have(model.observations, described)
    if (nameless := described["system"] == "").any():  # it is the machine of the runs that tell the same of theirs
        parts = [*POWERS, "ram_mb", *(name for name in MACHINE_TEXTS if name != "system")]
        alike = model.observations.without_a_name.drop_duplicates(parts)[[*parts, "system"]]
        same = described[parts].merge(alike, how="left", on=parts)["system"].fillna("")
        described["system"] = described["system"].mask(nameless, same.to_numpy())
    return described, single


def _with_what_all_runs_of_a_system_have(observations, described):
    """Machines, with each part that is not told, but the same in all runs of their system with as many processors.

    Where there are no such runs, in all runs of their system.
    """
    if not described["system"].isin(observations.rows["system"]).any():
        return described
    for of, only in observations.common_to_systems:
        found = described[of].join(only, on=of)[only.columns]
        blank = described[only.columns].isna() | (described[only.columns] == "")
        described = described.assign(**described[only.columns].mask(blank & found.notna(), found))
    return described


def _with_parts_of_named_systems(frame, workload, own_runs):
    """Machines, with the parts of the data's system in each row that has nothing but its name."""
    if "system" not in frame:
        return frame
    given = frame[[name for name in MACHINE_PARTS if name in frame]].astype(object)
    bare = ~given.drop(columns="system").map(lambda cell: cell_text(cell).strip() != "").any(axis=1)
    for name in filter(str.strip, given["system"][bare].map(cell_text).unique()):
        try:
            machine = _machine_from_data(name, workload, own_runs)
        except UnknownName:  # a system that nobody tested has no parts to take
            continue
        same = bare & (given["system"] == name)
        frame = frame.assign(
            **{
                part: frame.get(part, pd.Series(np.nan, frame.index)).astype(object).mask(same, cell)
                for part, cell in machine.items()
            }
        )
    return frame


def measured_ranges(model: UsersModel, workload: str = "") -> dict[str, dict[str, tuple[float, float]]]:
    """Return the measured range of each part, of a workload or of all; for the clock by processor family, "" is all."""
    rows, reach = model.observations.rows, our_toml_file("capacity.toml")["reach"]
    rows = rows[rows["workload"] == workload] if workload else rows
    ranges = {name: {"": (rows[name].min(), rows[name].max())} for name in (*POWERS, "ram_mb")}
    clocks = rows[rows["clock_mhz"].notna()].groupby("processor_family")["clock_mhz"]
    ranges["clock_mhz"] |= {name: (part.min(), part.max()) for name, part in clocks if name}
    for name in ("drives", "drive_gb"):
        low, high = reach[name]
        ranges[name] = {"": (float(low), float(high))}
    return ranges


def _measured_ends(machines, ranges):
    """Each part with its value, and the ends of its measured range, of each machine."""
    codes, families = pd.factorize(machines["processor_family"])
    for name, by_family in ranges.items():
        ends = np.array([by_family.get(family, by_family[""]) for family in families]).reshape(-1, 2)[codes]
        yield name, machines[name].to_numpy(dtype=float), ends[:, 0], ends[:, 1]


def parts_beyond_measured(model: UsersModel, machines: pd.DataFrame) -> np.ndarray:
    """Return in which parts each machine is beyond what was measured with its workload; all are asked with one."""
    outside = np.full(len(machines), "", dtype=object)
    ranges = measured_ranges(model, next(iter(machines["workload"]), ""))
    for name, value, low, high in _measured_ends(machines, ranges):
        beyond = (value < low) | (value > high)
        outside[beyond] += np.where(outside[beyond] == "", name, f", {name}")
    return outside


def machines_beyond_reach(model: UsersModel, machines: pd.DataFrame) -> np.ndarray:
    """Return why a machine cannot be answered, so far is it from all that were measured; "" where it can."""
    constants, ranges = our_toml_file("capacity.toml"), measured_ranges(model)
    factor = constants["reach"]["factor"]
    refused, families = np.full(len(machines), "", dtype=object), machines["processor_family"].to_numpy()
    for name, value, low, high in _measured_ends(machines, ranges):
        lowest, highest = low / factor, high * factor
        if name == "ram_mb":
            lowest = np.maximum(lowest, constants["model"]["memory_least_mb"])
        for at in np.flatnonzero((value < lowest) | (value > highest)):
            of = f" on {families[at]}" if families[at] in ranges[name] and families[at] else ""
            unit = f"; its unit is {UNITS[name]}" if name in UNITS else ""
            part = part_as_option(name)
            least = np.ceil(lowest[at]) if name in COUNTED else lowest[at]
            unit += f"; {least:g} to {highest[at]:g} can be answered"
            more = (
                f"{part} {value[at]:.15g} is too far from the {low[at]:g} to {high[at]:g} that were measured{of}{unit}"
            )
            refused[at] = "; ".join(filter(None, (refused[at], more)))
    return refused


def refused_machine(reason: str) -> CannotFit:
    """Return the error for a machine that cannot be answered."""
    remedy = "Give a number that can be answered, or leave it out: what is missing is unknown, and costs precision."
    return CannotFit(
        _place_of_machine(), expected="a machine within reach of the measured ones", found=reason, remedy=remedy
    )


def unmeasured_levels(model: UsersModel, machine: pd.Series) -> list[str]:
    """Say which levels of a machine nobody measured, with the nearest measured ones."""
    reasons, nameless = [], {"", *model.observations.without_a_name["system"]}
    for name in MACHINE_TEXTS:
        value, measured = machine[name], model.levels[name]
        if value and value not in measured:
            near = near_names(value, measured)
            others = f"near: {', '.join(near)}" if near else f"tested: {', '.join(sorted({*measured} - nameless))}"
            reasons.append(f"no run has {part_in_words(name)} {as_python(value)} ({others})")
    return reasons


def parts_of_machine(
    machine: Mapping | pd.Series | str | os.PathLike, workload: str, own_runs: pd.DataFrame | None = None
) -> dict:
    """Return what is known of one machine: a dict or row as it is, a TOML file's lines, or a system of the data.

    A system has its printed name, its model, or the short name that a plan prints: ``ProLiant 5000 1xP6/200-512``.
    Of a system that was tested in several configurations it is the first that ran the workload, else the first of all;
    `configuration` then says which that is, and what the others have. Runs of a user's own that are in no data folder,
    as rows of `Observations`, come first.

    Raises
    ------
    UnknownName
        When no system of the data has that name.
    BadTable
        When it is none of these, or the TOML file cannot be read.

    Examples
    --------
    >>> float(parts_of_machine("PC Server 330", "Mail")["clock_mhz"])
    233.0
    >>> parts_of_machine("Compaq ProSignia 200", "Mail")["configuration"].partition(":")[0]
    'Of 2 configurations of Compaq ProSignia 200, this is the first that ran Mail'
    """
    if isinstance(machine, (Mapping, pd.Series)):
        return dict(machine)
    text = os.fspath(machine) if isinstance(machine, os.PathLike) else machine
    if not isinstance(text, str):
        remedy = "Give a dict, a row, a frame, the path of a TOML file, or the name of a system in the data."
        raise BadTable(_place_of_machine(), expected="a machine", found=type(machine).__name__, remedy=remedy)
    if isinstance(machine, os.PathLike) or text.endswith(".toml"):
        return read_users_toml(text, "a machine in TOML", "Write lines such as processors = 2 and clock_mhz = 200.")
    return _machine_from_data(text, workload, own_runs)


def _machine_from_data(name, workload, own_runs):
    """The machine of that name in the data or the user's own runs, as it ran the workload where it did."""
    runs, wanted = benchmarks(), name.casefold()
    if own_runs is not None and len(own_runs):
        runs = pd.concat([own_runs, runs], ignore_index=True)
    runs = runs[runs["system"] != ""]
    full = runs["system"].str.casefold()
    same = runs[full == wanted]
    if same.empty:
        same = runs[(runs["system"].map(system_model).str.casefold() == wanted) | full.str.endswith(" " + wanted)]
    audited = audited_runs()[1].set_index("run")["system"]  # as a plan calls them
    if same.empty:
        same = runs[runs["run"].isin(audited.index[audited.str.casefold() == wanted])]
    if same.empty:
        parts = spelling(
            "give a dict: processors, clock_mhz, l2_kb, ram_mb, ...", "describe it: --processors 2 --clock 200"
        )
        listing = f"Or {parts}; a file has to be there." if Path(name).suffix else f"Or {parts}."
        known = audited if re.search(r"\dx", wanted) else runs["system"]  # 1xP6/200
        raise UnknownName.among("system", name, known.unique(), listing)
    ran = same[
        same["workload"].map(lambda text: level_of_printed_cell("workload", text)).str.casefold() == workload.casefold()
    ]
    row = (same if ran.empty else ran).iloc[0]
    machine = {part: row[part] for part in (*NUMBERS, *MACHINE_TEXTS)}

    # Which of several configurations this is, and what the others have.
    tested = machine_columns(same)
    parts = [part for part in machine if part != "system" and tested[part].nunique() > 1]
    count = len(tested[parts].drop_duplicates()) if parts else 1
    if count == 1:
        return machine
    taken = tested.loc[row.name, parts]
    here = ", ".join(f"{part} {_machine_part_in_words(taken[part])}" for part in parts)
    others = {part: tested[part][tested[part] != taken[part]].dropna().unique() for part in parts}
    others = "; ".join(f"{part} {' or '.join(map(_machine_part_in_words, values))}" for part, values in others.items())
    why = "the first" if ran.empty or not workload else f"the first that ran {workload}"
    ask = spelling("describe the machine in a dict", "add those parts as options")
    note = f"Of {count} configurations of {name}, this is {why}: {here}. Others have {others}: to ask for one, {ask}"
    return machine | {CONFIGURATION: note}


def _machine_part_in_words(value):
    """A part as a sentence has it."""
    return ("unknown" if value != value else f"{value:g}") if isinstance(value, float) else value or "unknown"


def _place_of_machine():
    """Where a machine was given, as the user gave it."""
    return spelling("capacity(machine=...)", "the machine")
