"""The systems that can be bought: the rating of each for every workload, its memory and its price.

The rating of a system is the number of users of a workload that it carries, with what is known of its range.
"""

import functools
import math
import numbers
import os
import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import optimize

from dominoperf import fitting, tables
from dominoperf.errors import BadTable, CannotPlan, UnknownName, check_level
from dominoperf.laws import Law
from dominoperf.laws.response import closed
from dominoperf.machines import MACHINE_PARTS
from dominoperf.planning.modelled import (
    MODELLED,
    OTHER_PARTS,
    fill_ratings,
    modelled_rating,
    rating_at_response,
    rating_in_data,
)
from dominoperf.planning.request import WORKLOADS
from dominoperf.planning.rules import method
from dominoperf.runs import benchmarks, table_of
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.folders import foreign, stamp
from dominoperf.tables.rendering import number
from dominoperf.tables.sheets import number_in

Catalogue = dict | pd.DataFrame | str | os.PathLike
"""What stands for the systems that can be bought: a frame or CSV file as `systems` has it, or `ratings` of one."""
COLUMNS = ["system", "workload", "users", "users_low", "users_high", "std_error", "dof", "response_s", "think_s"]
COLUMNS += ["processors", "ram_mb", "price_usd", "basis", "law", "extrapolated", "locator"]
_KEYS = ["model", "processors", "clock_mhz", "l2_kb", "ram_mb", "operating_system"]
_TEXTS = ("system", "workload", "basis", "law", "extrapolated", "locator")
_PART_TEXTS = ("processor_family", "operating_system", "domino_release")
_TRUTHS = {"": False, "false": False, "true": True}
_AT_RESPONSE = "at_response"  # whether the users of a row are those at a response that was asked for
_DISTINGUISHED_BY = ("processors", "ram_mb", "clock_mhz", "operating_system")


def systems(catalogue: Catalogue | None = None, *, modelled: bool = False) -> pd.DataFrame:
    """Return the systems and their ratings, users carried: a row for each workload that a system was measured with.

    Parameters
    ----------
    catalogue : path, URL or DataFrame, optional
        A table of your own (`tables.read_table`) with system, workload, users and, where known, users_low, users_high,
        std_error, dof, response_s, think_s, processors, ram_mb, price_usd, basis, law, extrapolated, locator;
        ``pandas.concat`` of this frame and `fitted_rating` is one. A row without users that describes a machine
        (processors, ram_mb, and any of clock_mhz, l2_kb, drives, drive_gb, processor_family, operating_system,
        domino_release) has the rating of `modelled_rating`; without a workload, of each workload of the planner that
        the system has no other row of. By default the audited systems of the document that the method is of, prices
        corrected, and the priced runs of data folders of your own.
    modelled : bool
        Whether each audited system has a row of the model (basis "modelled") for each workload of the planner that it
        was not tested with; `choose` takes the frame as its catalogue, and may then put people where nobody tested.

    Returns
    -------
    DataFrame
        system, workload, users (the most that passed), users_low, users_high (the range of the rating: a run that
        passed is a lower bound, the upper one is unknown; of a law without an interval both are), std_error (in users)
        and dof where a law was fitted, response_s, think_s, processors, ram_mb, price_usd, basis (in words), law and
        extrapolated (of a rating that a law forecasts: its name, and whether from outside its points), locator; where
        machines without users are in it, reason (why one has no rating; its users are NaN). The columns of a machine
        are kept where the catalogue has one of them.

    Raises
    ------
    BadTable
        When the file or frame lacks a column or a number, or has a system twice with a workload.

    Examples
    --------
    >>> systems().query("system == 'ProLiant 5000 1xP6/200-512'")[["workload", "users"]].values.tolist()
    [['Mail', 1920.0], ['DiscDB', 720.0], ['MailDB', 1440.0], ['Groupware_A', 440.0]]
    """
    frame = _for_sale(stamp()).copy() if catalogue is None else _of_user(catalogue)
    if not modelled:
        return frame
    rows = _rows_by_name(frame)
    names = [name for name in frame["system"].unique() if _audited_machine(name, rows)]
    missing = [(name, workload) for name in names for workload in WORKLOADS if (name, workload) not in rows]
    return pd.concat([frame, pd.DataFrame([rating(rows, *pair) for pair in missing])], ignore_index=True)


def ratings(catalogue: Catalogue | None = None) -> dict:
    """Return `systems` as a dict of system and workload to the row as a dict: what `rating` looks up.

    Such a dict is a catalogue too, given back as it is: who plans often reads and checks a file or frame once.

    Examples
    --------
    >>> len(ratings())
    21
    """
    if isinstance(catalogue, dict):
        return catalogue
    return _rows_by_name_at(stamp()) if catalogue is None else _rows_by_name(_of_user(catalogue))


@functools.lru_cache(maxsize=4)
def _rows_by_name_at(stamp):
    """Our systems by name and workload, as long as no file of the data changes."""
    return _rows_by_name(_for_sale(stamp))


@functools.lru_cache(maxsize=4)
def _for_sale(_stamp):
    """Ours and those of the folders in use, as long as no file of theirs changes."""
    ours = _measured()
    users = user_systems(COLUMNS, ours)
    return pd.concat([ours, users], ignore_index=True) if len(users) else ours.copy()


def _rows_by_name(frame):
    """The rows of a frame as dicts, by system and workload."""
    return {(row["system"], row["workload"]): row for row in frame.to_dict("records")}


def rating(catalogue: Catalogue | None, system: str, workload: str, response_s: float | None = None) -> dict:
    """Return the rating of a system for a workload, the users that it carries of it, as a row of `systems`.

    Parameters
    ----------
    catalogue : dict, or whatever `ratings` takes
        As `ratings` gives it.
    system, workload : str
        Which row of it. Of a system that it has not, but the data have ("IBM PC Server 330"), the users that it was
        measured with, else those of the model; of an audited system that was not tested with the workload those of the
        model, basis "modelled". (`choose` does not look beyond the catalogue: `systems(modelled=True)` is one with
        these.)
    response_s : float, optional
        Response that must not be exceeded. A run that answered later carries fewer users: as many as a closed queue of
        one station, with the run's think time and its response at its users, has at that response. A modelled rating
        follows the model's rule for response.

    Raises
    ------
    UnknownName
        When there is no such system.
    CannotPlan
        When it was not measured with the workload, no user is answered that soon, or the response of its run is
        unknown; when the catalogue's machine is beyond the reach of the model.
    CannotFit
        When a system of the data is beyond that reach.

    Examples
    --------
    >>> row = rating(None, "ProLiant 5000 1xP6/200-512", "MailDB", response_s=1.0)
    >>> row["users"], row["basis"]
    (1352.0, 'closed queue through the run of 1,440 users at 2.49 s')
    """
    for name, text in (("system", system), ("workload", workload)):
        if not isinstance(text, str):
            raise CannotPlan(f"rating, {name}", expected="its name", found=repr(text), remedy="Mend the call.")
    if not (response_s is None or (isinstance(response_s, numbers.Real) and response_s > 0)):
        expected = "seconds above 0"
        raise CannotPlan("rating, response_s", expected=expected, found=repr(response_s), remedy="Mend the call.")
    rows = ratings(catalogue)
    row = rows.get((system, workload))
    if row is None and all(name != system for name, _ in rows):
        row = rating_in_data(system, workload)
    elif row is None and _audited_machine(system, rows):
        row = _audited_rating(stamp(), system, workload)
    if row is None:
        names = list(dict.fromkeys(name for name, _ in rows))
        if system not in names:
            raise UnknownName.among("system", system, names, f"Known are {'; '.join(names)}.")
        measured = ", ".join(ran for name, ran in rows if name == system)
        remedy = "Choose another system, or give its rating in a catalogue of your own."
        raise CannotPlan(f"system {system!r}", expected=f"a rating for {workload}", found=measured, remedy=remedy)
    if np.isnan(row["users"]):
        remedy = "Mend what the catalogue says of the machine, or give its users."
        where = f"system {system!r}, {workload}"
        raise CannotPlan(where, expected="a machine that can be rated", found=row["reason"], remedy=remedy)
    if response_s is not None and np.isnan(row["response_s"]) and is_modelled(row) and describes_machine(row):
        return rating_at_response(row, response_s)
    if response_s is not None and np.isnan(row["response_s"]):
        remedy = "Give response_s in the catalogue, or ask for no response."
        where = f"system {system!r}, {workload}, response_s"
        raise CannotPlan(where, expected=f"seconds, to hold it to {response_s:g}", found="none", remedy=remedy)
    return _at_response_s(row, response_s) if response_s is not None and row["response_s"] > response_s else row


def check_response(rows_by_name, systems, groups, response_s):
    """Refuse a response that some group has on none of the systems, and name the shortest that all groups can have.

    Parameters
    ----------
    rows_by_name : dict
        As `ratings` gives it.
    systems : collection of str
        Of which each group may have any.
    groups : list of Part
        With group and workload.
    response_s : float or None
        What is asked; of None, or where no run of a workload tells, nothing is refused.

    Raises
    ------
    CannotPlan
        When a request takes longer even alone.
    """
    if response_s is None:
        return
    least = {}
    for part in groups:
        rows = [rows_by_name[name, part.workload] for name in systems if (name, part.workload) in rows_by_name]
        alone = [(_alone_s(row), row["system"]) for row in rows if row["think_s"] > 0]
        if alone:
            least[part] = min(alone)
    if all(response_s > alone for alone, _ in least.values()):
        return
    part = max(least, key=lambda group: least[group][0])
    alone, system = least[part]
    step = 10.0 ** (math.floor(math.log10(alone)) - 2)
    shortest = (math.floor(alone / step) + 1) * step  # the next number of three digits above
    expected = f"{shortest:g} or more, as a request of group {part.group!r} takes nearly that alone on {system}"
    remedy = "Ask for a longer one, or plan with a faster system."
    raise CannotPlan("request, response_s", expected=expected, found=f"{response_s:g}", remedy=remedy)


def _alone_s(row):
    """How long a request takes alone, in seconds: the service of the closed queue that gives the run's response."""
    users, think, response = row["users"], row["think_s"], row["response_s"]
    return optimize.brentq(lambda s: closed(users, s, think, 1.0) - response, 1e-9, response)


def check_pauses(row: dict) -> None:
    """Refuse to take the clients of a closed loop for people: each sends its next request when it has an answer.

    By Little's law a client waits for an answer for ``R / (R + Z)`` of its time, R the response and Z the think time.
    Who waits longer than it pauses is a request in progress, not somebody who reads what came; a short pause may be
    what the load tool itself takes.

    Parameters
    ----------
    row : dict
        Of `systems`; without response or think time nothing is known, and nothing refused.

    Raises
    ------
    CannotPlan
        When the think time is no longer than the response.
    """
    response, think = row["response_s"], row["think_s"]
    if not think <= response:
        return
    where = f"system {row['system']!r}, {row['workload']}"
    found = f"{row['users']:,.0f} that pause {max(think, 0.0):.2g} s between answers of {response:.2g} s"
    remedy = (
        "Clients without think time are concurrent requests, not people. Say how many of them a person counts for "
        "(multiplier), or measure with the pauses that people make."
    )
    raise CannotPlan(where, expected="clients that pause as people do", found=found, remedy=remedy)


def caveats(row: dict) -> tuple[str, ...]:
    """Return what makes a rating less sure than a measured one: keys of `CAVEATS`."""
    law = bool(row.get("law"))
    weak = {
        "extrapolated": row.get("extrapolated"),
        "closed_queue": row.get(_AT_RESPONSE),
        "law": law,
        "modelled": is_modelled(row),
        "no_interval": law and np.isnan(row["std_error"]),
    }
    return tuple(key for key, holds in weak.items() if holds)


def is_modelled(row: dict) -> bool:
    """Return whether a rating is of the model of users: its errors are relative, see `modelled_rating`."""
    return row["basis"].startswith(MODELLED)


def describes_machine(row: dict) -> bool:
    """Return whether a rating says which machine it is of, so that the model can be asked of that machine again."""
    return any(row.get(part) == row.get(part) and row.get(part) not in (None, "") for part in OTHER_PARTS)


def _at_response_s(row, response_s):
    """The users at a response below that of the run, by the closed queue of one station that gives the run's own."""
    think, users, measured_s = row["think_s"], row["users"], row["response_s"]
    if not think > 0:
        remedy = "Give think_s in the catalogue, or ask for no response."
        raise CannotPlan(f"system {row['system']!r}, think_s", expected="seconds above 0", found="none", remedy=remedy)
    service = _alone_s(row)
    if response_s <= service:
        least = f"more than the {number(service, 3)} s that a request takes alone on {row['system']}"
        raise CannotPlan("request, response_s", expected=least, found=f"{response_s:g}", remedy="Ask for a longer one.")
    fewer = float(np.floor(optimize.brentq(lambda n: closed(n, service, think, 1.0) - response_s, 1.0, users)))
    # what is known of the rating stays as sure, relative to it
    return row | {
        "users": fewer,
        "users_low": row["users_low"] * fewer / users,
        "users_high": float("nan"),
        "std_error": row["std_error"] * fewer / users,
        "response_s": response_s,
        "basis": f"closed queue through the run of {number(users)} users at {number(measured_s)} s",
        _AT_RESPONSE: True,
    }


@functools.cache
def _audited_runs():
    """The audited runs of the appendices, those of one machine and configuration under one short name."""
    runs = benchmarks()
    runs = runs[(runs["source"] == method()["document"]) & runs["price_usd"].notna() & runs["workload"].isin(WORKLOADS)]
    runs = runs.assign(model=[re.match(method()["systems"]["model"], text)[1] for text in runs["system"]])
    names = runs[_KEYS].drop_duplicates().assign(system=lambda frame: _short_names(frame))
    return runs, runs.drop(columns="system").merge(names, on=_KEYS)


def _audited_machine(system, rows):
    """The machine of an audited system, as it was printed; None where a catalogue has another of that name."""
    _, runs = _audited_runs()
    runs = runs[runs["system"] == system]
    ours = {row["locator"] for key, row in ratings().items() if key[0] == system}
    if runs.empty or any(row["locator"] not in ours for key, row in rows.items() if key[0] == system):
        return None
    machine = runs.iloc[0]
    return machine[[part for part in MACHINE_PARTS if part in machine]].to_dict() | {"system": machine["model"]}


@functools.lru_cache(maxsize=64)
def _audited_rating(_stamp, system, workload):
    """The model's rating of an audited system for a workload that it was not tested with; None where nobody ran it."""
    machine = _audited_machine(system, {})
    price_usd = next(row["price_usd"] for (name, _), row in ratings().items() if name == system)
    try:
        row = modelled_rating(machine, workload, system=system, price_usd=price_usd).iloc[0].to_dict()
    except UnknownName:
        return None
    return row | {"workload": workload}


@functools.cache
def _measured():
    """The audited systems, a row for each workload that one was tested with."""
    runs, rows = _audited_runs()
    think = 60 * rows["users"] / rows["notesmark_tpm"] - rows["response_s"]
    prices = rows.groupby("system")["price_usd"].transform("median")  # the same machine, to the cents of its prices
    rows = rows.assign(price_usd=prices, think_s=think, users_low=rows["users"], basis="measured")
    rows = rows.assign(users_high=np.nan, std_error=np.nan, dof=np.nan, law="", extrapolated=False)
    frame = rendering.keep_printed(rows[COLUMNS].reset_index(drop=True), runs)
    errata = carried_errata.errata_of(carried_errata.within(rows, "users", "response_s", "notesmark_tpm", "price_usd"))
    thought = [erratum._replace(column="think_s") for erratum in errata if erratum.column != "price_usd"]
    return carried_errata.carry(frame, [erratum._replace(run="") for erratum in (*errata, *thought)])


def _short_names(frame):
    """Short names: ``ProLiant 5000 2xP6/200-512``; with the operating system or the memory where two would be alike."""
    naming = method()["systems"]
    runs = benchmarks().drop_duplicates("clock_mhz").set_index("clock_mhz")["processor_family"]
    short = [
        f"{row.model} {row.processors:.0f}x{naming['families'][runs[row.clock_mhz]]}/{row.clock_mhz:.0f}"
        + (f"-{row.l2_kb:.0f}" if row.l2_kb == row.l2_kb else "")
        + ("" if row.operating_system == naming["usual_operating_system"] else f", {row.operating_system.split()[0]}")
        for row in frame.itertuples()
    ]
    names = pd.Series(short, index=frame.index)
    alike = names.duplicated(keep=False)
    return names.where(~alike, names + ", " + frame["ram_mb"].map("{:.0f} MB".format))


def _of_user(catalogue):
    """The systems of a file or frame of the caller's, checked."""
    is_frame = isinstance(catalogue, pd.DataFrame)
    texts = (*_TEXTS, *_PART_TEXTS, "reason")
    where, frame = "catalogue", tables.read_table(catalogue, texts=texts, where="catalogue")
    where = where if is_frame else str(catalogue)
    describes = [name for name in OTHER_PARTS if name in frame]
    needed = ("system",) if describes else tuple(COLUMNS[:3])
    wrong = [f"no {name}" for name in needed if name not in frame]
    wrong += [f"{name} twice" for name in (*COLUMNS, *OTHER_PARTS) if list(frame.columns).count(name) > 1]
    if wrong:
        remedy = (
            f"Its columns are {', '.join(COLUMNS)}; the first three are needed, or machines ({', '.join(OTHER_PARTS)})."
        )
        raise BadTable(where, expected="system, workload and users, once", found=", ".join(wrong), remedy=remedy)
    first = 2 - is_frame  # a file has a header
    read = {name: _as_texts(frame[name]) if name in texts else _column_of_numbers(frame[name], where, first)
            for name in (*COLUMNS, *OTHER_PARTS, "reason") if name in frame}  # fmt: skip
    blank = dict.fromkeys((*COLUMNS, *OTHER_PARTS), math.nan) | dict.fromkeys(texts, "")
    read = pd.DataFrame(blank | read, index=range(len(frame)))
    refused = read["users"].isna() & (read["reason"] != "")  # a frame of ours handed back
    unrated = read["users"].isna() & ~refused & _described(read).any(axis=1)
    _check_rows(read[COLUMNS], where, first, unrated | refused)
    read, unrated = _each_workload(read, unrated)
    frame = read[[*COLUMNS, *OTHER_PARTS] if describes else COLUMNS].copy()
    rated = frame["law"].eq("") & ~(frame["std_error"] > 0)
    frame["users_low"] = frame["users_low"].fillna(frame["users"].where(rated))  # an estimate is no lower bound
    frame["basis"] = frame["basis"].where((frame["basis"] != "") | frame["users"].isna(), "given")
    frame["extrapolated"] = [_TRUTHS[text.lower()] for text in frame["extrapolated"]]
    frame = frame.assign(reason=read["reason"]) if frame["users"].isna().any() else frame
    return fill_ratings(frame, unrated) if unrated.any() else frame


def _described(frame):
    """Which cells of a catalogue say something of a machine."""
    return frame[list(OTHER_PARTS)].notna() & (frame[list(OTHER_PARTS)] != "")


def _each_workload(frame, unrated):
    """A row for each workload in place of one that names none, but for those that the system has a row of."""
    every = unrated & (frame["workload"] == "")
    if not every.any():
        return frame, unrated
    there = set(zip(frame["system"], frame["workload"], strict=True))
    missing = [
        [name for name in WORKLOADS if (system, name) not in there] if whole else [workload]
        for system, workload, whole in zip(frame["system"], frame["workload"], every, strict=True)
    ]
    frame = frame.assign(workload=missing, unrated=unrated).explode("workload").dropna(subset="workload")
    frame = frame.reset_index(drop=True)
    return frame, frame["unrated"].astype(bool)


def _check_rows(frame, where, first, unrated):
    """Refuse a row without users, one that an earlier row has, and an error that nobody can tell how far to believe."""
    counted = (frame["users"] > 0) & np.isfinite(frame["users"]) | unrated
    again = frame.duplicated(["system", "workload"])
    vague = (frame["std_error"] < 0) | (frame["std_error"] > 0) & ~(frame["dof"] > 0)
    unclear = ~frame["extrapolated"].str.lower().isin(list(_TRUTHS))
    for bad, names, expected in (
        (~counted | again, ("system", "workload", "users"), "a system and workload once, with users above 0"),
        (vague, ("std_error", "dof"), "a std_error of 0 or more, with a dof above 0 (inf for one known exactly)"),
        (unclear, ("extrapolated",), "true, false or nothing"),
    ):
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            found = ", ".join(f"{name} {frame[name].iloc[k]}" for name in names)
            raise BadTable(
                f"{where}, {_place(k + first, first)}", expected=expected, found=found, remedy="Mend the row."
            )


def _as_texts(column):
    """The cells of a column as texts, "" for an empty one."""
    return ["" if pd.isna(cell) else str(cell) for cell in column]


def _column_of_numbers(column, where, first):
    """The numbers of a column, as numbers or as text."""
    if pd.api.types.is_float_dtype(column.dtype):
        return column.to_numpy(float, na_value=np.nan)
    return [
        _number_in_cell(cell, f"{where}, {_place(row, first)}, {column.name}")
        for row, cell in enumerate(column, start=first)
    ]


def _place(number, first):
    """The line of a file, whose rows begin under its header, or the row of a frame."""
    return f"{'line' if first > 1 else 'row'} {number}"


def _number_in_cell(cell, where):
    """The number in a cell: itself, or as text; NaN of an empty one."""
    if isinstance(cell, numbers.Real):
        return float(cell)
    text = "" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell).strip()
    value = {"": np.nan, "inf": np.inf}.get(text, number_in(text, "."))  # a frame writes them so
    if value is None:
        raise BadTable(where, expected="a number", found=repr(cell), remedy="Mend the cell.")
    return value


def user_systems(columns: list[str], ours: pd.DataFrame) -> pd.DataFrame:
    """Return the systems of the folders in use that are not ours: a row for each workload that one was measured with.

    Of several runs of one configuration the one with most users counts. Configurations of one system at different
    prices, or at none, are told apart by their processors, else by memory, clock or operating system. Without a price a
    system can be planned with, and is not for sale.

    Parameters
    ----------
    columns : list of str
        Those of `planning.systems`.
    ours : DataFrame
        The systems of ours.

    Raises
    ------
    BadTable
        When a system has the name of one of ours, or of one in another folder.
    """
    folders = {folder.name: folder for folder in foreign()}
    runs = benchmarks() if folders else ours.head(0).assign(source="", notesmark_tpm=np.nan)
    named = (runs["workload"].fillna("") != "") & (runs["system"].fillna("") != "") & (runs["users"] > 0)
    runs = runs[runs["source"].isin(list(folders)) & named]
    if runs.empty:
        return ours.head(0)
    most = runs.assign(system=_names_apart(runs)).sort_values("users", kind="stable")
    most = most.drop_duplicates(["source", "system", "workload"], keep="last").sort_index()
    _check_names(most, ours)
    rate = most["notesmark_tpm"] / 60
    rate = rate.fillna(most["throughput_tps"]) if "throughput_tps" in most else rate
    think = most["users"] / rate - most["response_s"]
    most = most.assign(think_s=think, users_low=most["users"], basis="measured", law="", extrapolated=False)
    return most.reindex(columns=columns).reset_index(drop=True)


def _names_apart(runs):
    """The printed names; where one name has several prices, with what differs between them."""
    names = runs["system"].copy()
    for column in _DISTINGUISHED_BY:
        prices = runs["price_usd"].fillna(np.inf).groupby([runs["source"], names]).transform("nunique")
        unknown = runs["price_usd"].isna()
        values = runs.groupby([runs["source"], names])[column].transform("nunique")
        apart = ((prices > 1) | unknown) & (values > 1)
        names = names.where(~apart, names + ", " + _values_in_words(runs[column]))
    return names


def _values_in_words(values):
    """Values of a column with their unit."""
    unit = {"processors": " processors", "ram_mb": " MB", "clock_mhz": " MHz"}.get(values.name, "")
    words = values.map(lambda value: f"{value:g}{unit}" if isinstance(value, float) else str(value))
    return words.replace("1 processors", "1 processor")


def _check_names(systems, ours):
    """Two folders cannot sell one name: a plan that names it would not say which is meant."""
    folders = dict.fromkeys(ours["system"], "ours")
    for (name, source), run in systems.groupby(["system", "source"], sort=False)["run"].first().items():
        if name in folders:
            where, remedy = f"{table_of(run)}, system {name!r}", "Rename the system in one of them."
            raise BadTable(where, expected="a name of its own", found=f"also in {folders[name]}", remedy=remedy)
        folders[name] = source


def fitted_rating(
    law: str | Law | Callable,
    data: str | pd.DataFrame,
    x: float | ArrayLike,
    *,
    workload: str,
    system: str | Sequence[str] = "",
    price_usd: float | Sequence[float] = math.nan,
    level: float = 0.95,
    **settings,
) -> pd.DataFrame:
    """Return the ratings of systems by a law fitted to others: rows as `systems` gives them, one for each x.

    What is bought is one machine, not the mean of many, so its rating is a new observation: the bounds and the
    error are the curve's and the scatter of single machines together, ``std_error² = se(curve)² + s²`` with s the
    standard error of the residuals (relative to the rating, where the law's errors are). `users_low`, `users_high` are
    each one-sided at the level, from the profile of the forecast; they are Student's t where the law is linear.

    Parameters
    ----------
    law, data
        As for `fit`: "amdahl" and the series "smp_mail", say.
    x : float or array
        Where to forecast: 4 for four processors.
    workload : str
        The workload of the points: Mail, MailDB, Groupware_A or DiscDB, or one of your own.
    system : str or list, optional
        Names of the systems, one for each x; by default made of the law, the points and x.
    price_usd : float or list, optional
        Prices of the systems.
    level : float
        Coverage of each one-sided bound, above a half.
    **settings
        Others of `fit`: fixed, error, sigma...

    Returns
    -------
    DataFrame
        The columns of `systems`. Without residual degrees of freedom `users_low`, `users_high` and `std_error` are NaN
        and the basis says "no interval": the corrected rules then plan with `users`. A stated sigma is as good as
        infinitely many degrees of freedom.

    Raises
    ------
    CannotPlan
        When y is not the users, names or prices are not one for each x, or the law carries nobody there.
    CannotFit, UnknownName
        As `fit` raises them.

    Examples
    --------
    >>> row = fitted_rating("amdahl", "smp_mail", 4, workload="Mail").iloc[0]
    >>> round(row["users"]), row["basis"]
    (3762, 'law amdahl, extrapolated')
    """
    check_level(level, "fitted_rating")
    if not (isinstance(workload, str) and workload):
        remedy = "Mend the call."
        raise CannotPlan("fitted_rating, workload", expected="its name", found=repr(workload), remedy=remedy)
    fit = fitting.fit(law, data, level=2 * level - 1, **settings)  # ends of two sides, each the bound of one
    if fit.y != "users":
        remedy = "Fit a law whose y is users, or a series of them."
        raise CannotPlan(f"fitted_rating, {fit.source}", expected="users as y", found=fit.y, remedy=remedy)
    ahead = fit.predict(x)
    users = ahead["predicted"]
    if not (users > 0).all():
        found = ", ".join(f"{value:g}" for value in users)
        remedy = "Ask for another x."
        raise CannotPlan(f"fitted_rating, {law}", expected="users above 0", found=found, remedy=remedy)
    points = data if isinstance(data, str) else fit.source
    unnamed = isinstance(system, str) and not system
    names = system if not unnamed else [f"{fit.law.name} of {points}, {fit.x} {value:g}" for value in ahead["x"]]
    error = np.hypot(ahead["std_error"], fit.noise(users))
    sure = (error > 0) & ahead["obs_low"].notna()
    rows = {
        "system": _one_per_x("system", names, len(ahead)),
        "workload": workload,
        "users": users,
        "users_low": ahead["obs_low"].where(sure),
        "users_high": ahead["obs_high"].where(sure),
        "std_error": error.where(sure),
        "dof": math.inf if fit.sigma_given else float(fit.dof),
        "price_usd": _one_per_x("price_usd", price_usd, len(ahead)),
        "basis": [
            f"law {fit.law.name}" + ", extrapolated" * bool(outside) + ", no interval" * (not has_error)
            for outside, has_error in zip(ahead["extrapolated"], sure, strict=True)
        ],
        "law": fit.law.name,
        "extrapolated": ahead["extrapolated"],
        "locator": str(fit.source),
    }
    rows |= {fit.x: ahead["x"]} if fit.x in ("processors", "ram_mb") else {}
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def _one_per_x(name, argument, count):
    """A value for each x, of a list or of one value for one x."""
    values = list(argument) if np.ndim(argument) else [argument]
    values = values * count if name == "price_usd" and len(values) == 1 else values
    wanted, kind = ("names", str) if name == "system" else ("prices", numbers.Real)
    if not all(isinstance(value, kind) for value in values):
        raise CannotPlan(f"fitted_rating, {name}", expected=wanted, found=repr(argument), remedy="Mend the call.")
    if len(values) != count or (name == "system" and len(set(values)) < count):
        expected, remedy = f"{count} of them, one for each x", "Give a list as long as x."
        raise CannotPlan(f"fitted_rating, {name}", expected=expected, found=str(argument), remedy=remedy)
    return values
