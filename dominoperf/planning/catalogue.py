"""The columns of a catalogue of systems, and the systems of a user's own: a file or frame, or runs of data folders."""

import math
import os
from typing import Any

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, as_python, is_number, shell_command, spelling
from dominoperf.machines import MACHINE_PARTS
from dominoperf.machines.own_runs import capacities_of_folder
from dominoperf.planning.request import WORKLOADS
from dominoperf.runs import benchmarks, table_of
from dominoperf.tables.folders import users_data_folders
from dominoperf.tables.headings import columns_of_headings, in_our_columns, snake_case
from dominoperf.tables.reading import number_in_cell

Catalogue = dict | pd.DataFrame | str | os.PathLike
"""What stands for the systems that can be bought: a frame or CSV file as `systems` has it, or `ratings` of one."""
COLUMNS = ["system", "workload", "users", "users_low", "users_high", "std_error", "dof", "response_s", "think_s"]
COLUMNS += ["processors", "ram_mb", "price_usd", "basis", "law", "extrapolated", "locator"]
OTHER_PARTS = tuple(part for part in MACHINE_PARTS if part not in ("system", "processors", "ram_mb"))
"""Columns of a catalogue that describe a machine, beside its processors and ram_mb."""
_KNOWN = (*COLUMNS, *OTHER_PARTS)
_TEXTS = ("system", "workload", "basis", "law", "extrapolated", "locator")
_TEXTS += ("processor_family", "operating_system", "domino_release")
_TRUTHS = {"": False, "false": False, "true": True}
_DISTINGUISHED_BY = {"processors": " processors", "ram_mb": " MB", "clock_mhz": " MHz", "operating_system": ""}


def read_catalogue(catalogue: pd.DataFrame | str | os.PathLike) -> pd.DataFrame:
    """Return the systems of a file or frame of the caller's, checked; users are NaN where the model is to rate them.

    The columns are COLUMNS, and OTHER_PARTS where there is one of these. Of a workload in several cases the first
    spelling stays, or that of the planner.
    `BadTable` where a column or a number is missing, a system is there twice with a workload or at two prices, or a
    price is not above zero or in a column of another name.
    """
    where = os.fspath(catalogue) if isinstance(catalogue, str | os.PathLike) else "catalogue"
    first = 1 if isinstance(catalogue, pd.DataFrame) else 2  # a file has a header
    frame = tables.read_table(catalogue, texts=_TEXTS, where="catalogue")
    spelt = {name: snake_case(name) for name in frame if isinstance(name, str) and name not in _KNOWN}
    frame = frame.rename(columns={name: ours for name, ours in spelt.items() if ours in _TEXTS and ours not in frame})
    if len(set(frame)) == frame.shape[1]:  # a column that is there twice is told below
        meant, _ = columns_of_headings(frame)
        frame = in_our_columns(frame, [column for column in meant if column.name in _KNOWN and column.factor])
    describes = [name for name in OTHER_PARTS if name in frame]
    _check_headings_of_catalogue(frame, describes, where)
    cells: dict[str, Any] = dict.fromkeys(_KNOWN, math.nan) | dict.fromkeys(_TEXTS, "")
    for name in (name for name in _KNOWN if name in frame):
        texts = ["" if pd.isna(cell) else str(cell) for cell in frame[name]] if name in _TEXTS else None
        cells[name] = _numbers_of_catalogue(frame[name], where, first) if texts is None else texts
    frame = pd.DataFrame(cells, index=range(len(frame)))
    spelt = {name.casefold(): name for name in WORKLOADS}
    frame["system"] = frame["system"].str.strip()
    frame["workload"] = [spelt.setdefault(name.casefold(), name) for name in frame["workload"].str.strip()]
    parts = frame[list(OTHER_PARTS)]
    unrated = frame["users"].isna() & (parts.notna() & (parts != "")).any(axis=1)
    _check_rows_of_catalogue(frame, unrated, where, first)
    every = unrated & (frame["workload"] == "")  # a row for each workload that the system has no other row of
    if every.any():
        there = set(zip(frame["system"], frame["workload"], strict=True))
        workloads = [
            [name for name in WORKLOADS if (system, name) not in there] if whole else [workload]
            for system, workload, whole in zip(frame["system"], frame["workload"], every, strict=True)
        ]
        frame = frame.assign(workload=workloads).explode("workload").dropna(subset="workload", ignore_index=True)
    rated = frame["law"].eq("") & ~(frame["std_error"] > 0)
    frame["users_low"] = frame["users_low"].fillna(frame["users"].where(rated))  # an estimate is no lower bound
    frame["basis"] = frame["basis"].where((frame["basis"] != "") | frame["users"].isna(), "given")
    frame["extrapolated"] = [_TRUTHS[text.lower()] for text in frame["extrapolated"]]
    return frame[[*COLUMNS, *(OTHER_PARTS if describes else ())]]


def _check_headings_of_catalogue(frame, describes, where):
    """Refuse a catalogue that lacks a column, has one twice, has prices in an unknown unit, or has no rows."""
    wrong = [f"no {name}" for name in COLUMNS[: 1 if describes else 3] if name not in frame]
    wrong += [f"{name} twice" for name in _KNOWN if list(frame.columns).count(name) > 1]
    prices = [name for name in frame if "price_usd" not in frame and "price" in str(name).lower()]
    if prices and not wrong:
        usd = spelling("Call it price_usd", f"Write `{shell_command('--map', f'{prices[0]}=price_usd[USD]')}`")
        remedy = f"{usd} if they are US dollars; else convert them."
        raise BadTable(
            f"{where}, column {prices[0]}", expected="price_usd", found="prices whose unit is not ours", remedy=remedy
        )
    if wrong:
        machines = f"the first three are needed, or machines ({', '.join(OTHER_PARTS)})"
        rename = spelling("Rename the file's", "Say which is which: --map 'HEADING=system'")
        remedy = f"{rename}. The columns of a catalogue are {', '.join(COLUMNS)}; {machines}."
        found = f"{', '.join(wrong)} among {', '.join(map(str, frame))}"
        raise BadTable(where, expected="system, workload and users, once", found=found, remedy=remedy)
    if frame.empty:
        raise BadTable(
            where, expected="a row for each system and workload", found="none", remedy="Write them below the headings."
        )


def _check_rows_of_catalogue(frame, without_users, where, first):
    """Refuse a system that is there twice with a workload or at two prices, and numbers that cannot be."""
    counted = (frame["users"] > 0) & np.isfinite(frame["users"]) | without_users
    again = frame.duplicated(["system", "workload"])
    first_price = frame.groupby("system")["price_usd"].transform("first")
    other_price = frame["price_usd"].notna() & (frame["price_usd"] != first_price)
    vague = (frame["std_error"] < 0) | (frame["std_error"] > 0) & ~(frame["dof"] > 0)
    unclear = ~frame["extrapolated"].str.lower().isin(list(_TRUTHS))
    for bad, names, expected in (
        (~counted | again, ("system", "workload", "users"), "a system and workload once, with users above 0"),
        (frame["price_usd"] <= 0, ("system", "price_usd"), "a price above 0, or none of what is not for sale"),
        (other_price, ("system", "price_usd"), "one price for a system, in all of its rows"),
        (vague, ("std_error", "dof"), "a std_error of 0 or more, with a dof above 0 (inf for one known exactly)"),
        (unclear, ("extrapolated",), "true, false or nothing"),
    ):
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            place = f"{where}, {_line_of_catalogue(k + first, first)}"
            found = ", ".join(f"{name} {frame[name].iloc[k]}" for name in names)
            raise BadTable(place, expected=expected, found=found, remedy="Mend the row.")


def _numbers_of_catalogue(column, where, first):
    """The numbers of a column, as numbers or as text; NaN of an empty cell."""
    if pd.api.types.is_float_dtype(column.dtype):
        return column.to_numpy(float, na_value=np.nan)
    values = []
    for row, cell in enumerate(column, start=first):
        text = "" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell).strip()
        value = {"": np.nan, "inf": np.inf}.get(text, number_in_cell(text, "."))  # a frame writes them so
        value = float(cell) if is_number(cell) else value
        if value is None:
            place = f"{where}, {_line_of_catalogue(row, first)}, {column.name}"
            raise BadTable(place, expected="a number", found=as_python(cell), remedy="Mend the cell.")
        values.append(value)
    return values


def _line_of_catalogue(number, first):
    """The line of a file, whose rows begin under its header, or the row of a frame."""
    return f"{'line' if first > 1 else 'row'} {number}"


def systems_of_folders(ours: pd.DataFrame) -> pd.DataFrame:
    """Return the systems of the folders in use that are not ours: a row for each workload that one was measured with.

    Its run and what was measured are behind the columns of a catalogue, and its errata are those of `benchmarks`.

    Of several runs of one configuration the one with most users counts, no load beyond the peak of its throughput.
    Configurations of one system at different prices, or at none, are told apart by their processors, else by memory,
    clock or operating system. Without a price a system can be planned with, and is not for sale. `BadTable` where a
    system has the name of one in `ours`, or of one in another folder.
    """
    folders = {folder.name: folder for folder in users_data_folders()}
    runs = benchmarks() if folders else ours.head(0).assign(source="", notesmark_tpm=np.nan)
    named = (runs["workload"].fillna("") != "") & (runs["system"].fillna("") != "") & (runs["users"] > 0)
    runs = runs[runs["source"].isin(list(folders)) & named]
    if runs.empty:
        return ours.head(0).assign(run="")
    carried = [capacities_of_folder(of_folder)[0] for _, of_folder in runs.groupby("source", sort=False)]
    runs = pd.concat(carried, ignore_index=True).reindex(columns=runs.columns)
    names = runs["system"].copy()  # where one has several prices, with what differs between them
    for column, unit in _DISTINGUISHED_BY.items():
        prices = runs["price_usd"].fillna(np.inf).groupby([runs["source"], names]).transform("nunique")
        values = runs.groupby([runs["source"], names])[column].transform("nunique")
        apart = ((prices > 1) | runs["price_usd"].isna()) & (values > 1)
        words = [f"{value:g}{unit}" if isinstance(value, float) else str(value) for value in runs[column]]
        words = pd.Series(words, index=runs.index).replace("1 processors", "1 processor")
        names = names.where(~apart, names + ", " + words)
    most = runs.assign(system=names).sort_values("users", kind="stable")
    most = most.drop_duplicates(["source", "system", "workload"], keep="last").sort_index()
    owners = dict.fromkeys(ours["system"], "ours")  # a plan that names one of two would not say which is meant
    for (name, source), run in most.groupby(["system", "source"], sort=False)["run"].first().items():
        if name in owners:
            where, remedy = f"{table_of(run)}, system {name!r}", "Rename the system in one of them."
            raise BadTable(where, expected="a name of its own", found=f"also in {owners[name]}", remedy=remedy)
        owners[name] = source
    rate = most["notesmark_tpm"] / 60
    rate = rate.fillna(most["throughput_tps"]) if "throughput_tps" in most else rate
    think = most["users"] / rate - most["response_s"]
    most = most.assign(think_s=think, users_low=most["users"], basis="measured", law="", extrapolated=False)
    return most.reindex(columns=[*COLUMNS, *most.columns.difference(COLUMNS, sort=False)]).reset_index(drop=True)
