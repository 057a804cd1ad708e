"""The systems that can be bought: the rating of each for every workload, its memory and its price.

The rating of a system is the number of users of a workload that it carries, with what is known of its range. Systems
are the audited ones, those of data folders in use, or a catalogue of one's own.
"""

import dataclasses
import itertools
import os
from collections.abc import Collection, Iterable, Mapping

import numpy as np
import pandas as pd
from scipy import optimize

from dominoperf import tables
from dominoperf.errors import (
    BadTable,
    CannotPlan,
    UnknownName,
    as_python,
    as_typed,
    is_number,
    names_its_keywords,
    shell_command,
    spelling,
)
from dominoperf.laws.response import closed
from dominoperf.machines import MACHINE_PARTS
from dominoperf.machines.audited_systems import audited_runs
from dominoperf.machines.levels import spelt_as_known, texts_of_column
from dominoperf.machines.own_runs import capacities_of_folder
from dominoperf.planning.request import OWN, WORKLOADS, Request
from dominoperf.planning.unmeasured import (
    COLUMNS,
    MODELLED,
    OTHER_PARTS,
    fill_unmeasured_ratings,
    measured_ratings,
    modelled_rating,
    modelled_rating_at_response,
    rating_in_data,
)
from dominoperf.runs import benchmarks, table_of
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.folders import cached_until_data_change, users_data_folders
from dominoperf.tables.headings import columns_of_headings, in_our_columns, snake_case
from dominoperf.tables.reading import check_cells, number_in_cell, numbers_of_column, place_of_row
from dominoperf.tables.rendering import number

Catalogue = dict | pd.DataFrame | str | os.PathLike
"""What stands for the systems that can be bought: a frame or CSV file as `systems` has it, or `ratings` of one."""
_AT_RESPONSE = "at_response"  # whether the users of a row are those at a response that was asked for
_THOUGHT = ("users", "response_s", "notesmark_tpm", "throughput_tps")  # from which the think time follows
_PRICED = ("price_usd", "processors", "ram_mb")
_KNOWN = (*COLUMNS, *OTHER_PARTS)
_TEXTS = ("system", "workload", "basis", "law", "extrapolated", "locator")
_TEXTS += ("processor_family", "operating_system", "domino_release")
_TRUTHS = {"": False, "false": False, "true": True}
_DISTINGUISHED_BY = {"processors": " processors", "ram_mb": " MB", "clock_mhz": " MHz", "operating_system": ""}


@names_its_keywords()
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
    frame = _systems_for_sale()[0].copy() if catalogue is None else _systems_of_user(catalogue)
    if not modelled:
        return frame
    rows = _systems_by_name(frame)
    names = [name for name in frame["system"].unique() if _machine_of_audited_system(name, rows)]
    missing = [(name, workload) for name in names for workload in WORKLOADS if (name, workload) not in rows]
    return pd.concat([frame, pd.DataFrame([rating(rows, *pair) for pair in missing])], ignore_index=True)


@names_its_keywords()
def ratings(catalogue: Catalogue | None = None) -> dict:
    """Return `systems` as a dict of system and workload to the row as a dict: what `rating` looks up.

    Such a dict is a catalogue too, given back as it is: who plans often reads and checks a file or frame once. A dict
    of columns is taken for a frame.

    Examples
    --------
    >>> len(ratings())
    21
    """
    if catalogue is None:
        return _systems_for_sale()[1]
    if isinstance(catalogue, dict):
        if isinstance(next(iter(catalogue), None), tuple):  # one key tells: a plan asks once per system and workload
            return catalogue
        if all(pd.api.types.is_list_like(column) for column in catalogue.values()):
            catalogue = pd.DataFrame(catalogue)
    return _systems_by_name(_systems_of_user(catalogue))


@cached_until_data_change(maxsize=4)
def _systems_for_sale():
    """Ours and those of the folders in use, as a frame and by name, and the errata of each."""
    runs, rows = audited_runs()
    prices = rows.groupby("system")["price_usd"].transform("median")  # the same machine, to the cents of its prices
    rows = measured_ratings(rows.assign(price_usd=prices))
    ours = rendering.keep_printed_forms(rows[COLUMNS].reset_index(drop=True), runs)
    users = systems_of_folders(ours)
    frame = pd.concat([ours, users[COLUMNS]], ignore_index=True) if len(users) else ours
    keys, errata = ["run", "system", "workload"], {}
    sold = {run: key for part in (rows, users) for run, *key in part[keys].itertuples(index=False)}
    for erratum in carried_errata.errata_of(
        *(carried_errata.columns_used(part, *_THOUGHT, *_PRICED) for part in (rows, users))
    ):
        for column in (erratum.column, *(["think_s"] if erratum.column in _THOUGHT else [])):
            errata.setdefault(tuple(sold[erratum.run]), []).append(erratum._replace(column=column, run=""))
    frame = carried_errata.attach_errata(frame, itertools.chain(*errata.values()))
    return frame, _systems_by_name(frame), errata


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
    return measured_ratings(most).reset_index(drop=True)


def errata_of_ratings(rows: Iterable[Mapping], columns: Collection[str]) -> tuple:
    """Return the errata that touch these columns of some rows of `systems`, as far as they are of runs of the data."""
    _, sold, errata = _systems_for_sale()
    found = []
    for row in rows:
        key = row["system"], row["workload"]
        if key in errata and sold[key]["locator"] == row["locator"]:  # a catalogue may have another of that name
            found += [erratum for erratum in errata[key] if erratum.column in columns]
    return tuple(found)


def _systems_of_user(catalogue: pd.DataFrame | str | os.PathLike) -> pd.DataFrame:
    """The systems of a file or frame of the caller's, checked; machines without users are rated by the model.

    The columns are COLUMNS, and OTHER_PARTS where there is one of these. Of a workload in several cases the first
    spelling stays, or that of the planner.
    `BadTable` where a column or a number is missing, a system is there twice with a workload or at two prices, or a
    price is not above zero or in a column of another name.
    """
    file = os.fspath(catalogue) if isinstance(catalogue, str | os.PathLike) else ""
    where = file or "catalogue"
    frame = tables.read_table(catalogue, texts=_TEXTS, where="catalogue")
    spelt = {name: snake_case(name) for name in frame if isinstance(name, str) and name not in _KNOWN}
    frame = frame.rename(columns={name: ours for name, ours in spelt.items() if ours in _TEXTS and ours not in frame})
    if len(set(frame)) == frame.shape[1]:  # a column that is there twice is told below
        meant, _ = columns_of_headings(frame)
        frame = in_our_columns(frame, [column for column in meant if column.name in _KNOWN and column.factor])
    describes = [name for name in OTHER_PARTS if name in frame]
    _check_headings_of_catalogue(frame, describes, where)
    frame = frame.reset_index(drop=True)
    cells = {name: texts_of_column(frame, name) for name in _TEXTS}
    cells |= {name: _numbers_of_catalogue(frame, name, where, file) for name in _KNOWN if name not in _TEXTS}
    frame = pd.DataFrame(cells)
    spelt = {name.casefold(): name for name in WORKLOADS}
    frame["system"] = frame["system"].str.strip()
    frame["workload"] = [spelt.setdefault(name.casefold(), name) for name in frame["workload"].str.strip()]
    parts = frame[list(OTHER_PARTS)]
    unrated = frame["users"].isna() & (parts.notna() & (parts != "")).any(axis=1)
    _check_rows_of_catalogue(frame, unrated, file)
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
    frame = frame[[*COLUMNS, *(OTHER_PARTS if describes else ())]]
    unrated = frame["users"].isna()
    return fill_unmeasured_ratings(frame, unrated) if unrated.any() else frame


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


def _check_rows_of_catalogue(frame, without_users, file):
    """Refuse a system that is there twice with a workload or at two prices, and numbers that cannot be."""
    counted = (frame["users"] > 0) & np.isfinite(frame["users"]) | without_users
    again = frame.duplicated(["system", "workload"])
    first_price = frame.groupby("system")["price_usd"].transform("first")
    other_price = frame["price_usd"].notna() & (frame["price_usd"] != first_price)
    vague = (frame["std_error"] < 0) | (frame["std_error"] > 0) & ~(frame["dof"] > 0)
    unclear = ~frame["extrapolated"].str.lower().isin(list(_TRUTHS))
    for bad, names, expected in (
        (~counted, ("users",), "users above 0"),
        (again, ("system", "workload"), "a system once with each workload, in any case"),
        (frame["price_usd"] <= 0, ("system", "price_usd"), "a price above 0, or none of what is not for sale"),
        (other_price, ("system", "price_usd"), "one price for a system, in all of its rows"),
        (vague, ("std_error", "dof"), "a std_error of 0 or more, with a dof above 0 (inf for one known exactly)"),
        (unclear, ("extrapolated",), "true, false or nothing"),
    ):
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            place = f"{file or 'catalogue'}, {place_of_row(file, k)}"
            found = ", ".join(f"{name} {rendering.cell_text(frame[name].iloc[k]) or 'none'}" for name in names)
            raise BadTable(place, expected=expected, found=found, remedy="Mend the row.")


def _numbers_of_catalogue(frame, name, where, file):
    """The numbers of a column, as numbers or as text; NaN of an empty cell, and where the column is not there."""
    if name not in frame or pd.api.types.is_float_dtype(frame[name].dtype):
        return numbers_of_column(frame, name)
    column = frame[name]
    texts = ["" if pd.api.types.is_scalar(cell) and pd.isna(cell) else str(cell).strip() for cell in column]
    values = [
        float(cell) if is_number(cell) else {"": np.nan, "inf": np.inf}.get(text, number_in_cell(text, "."))
        for cell, text in zip(column, texts, strict=True)  # a frame writes inf so
    ]
    check_cells(column, {"a number": [each is None for each in values]}, f"{where}, column {name}", file)
    return values


def _systems_by_name(frame):
    """The rows of a frame as dicts, by system and workload."""
    return {(row["system"], row["workload"]): row for row in frame.to_dict("records")}


def as_catalogue_spells(request: Request, catalogue: Mapping) -> Request:
    """Return a request whose own workloads are spelt as in `ratings`, which may have them in another case."""
    groups = tuple(
        dataclasses.replace(group, workload=_workload_in_catalogue(group.workload, catalogue))
        if group.profile == OWN
        else group
        for group in request.groups
    )
    system = request.system and request.system.strip()
    return dataclasses.replace(request, groups=groups, system=system)


def _workload_in_catalogue(workload, rows):
    """A workload as the rows of `ratings` spell it; without blanks around it where they have none of the name."""
    names, name = [each for _, each in rows], workload.strip()
    return name if name in names else spelt_as_known([name], names)[0]


@names_its_keywords()
def rating(catalogue: Catalogue | None, system: str, workload: str, response_s: float | None = None) -> dict:
    """Return the rating of a system for a workload, the users that it carries of it, as a row of `systems`.

    Parameters
    ----------
    catalogue : dict, or whatever `ratings` takes
    system, workload : str
        Which row of it, the workload in any case. Of a system that it has not, but the data have ("IBM PC Server 330"),
        the users that it was measured with, else those of the model; of an audited system not tested with the workload
        those of the model.
        (`choose` does not look beyond the catalogue: `systems(modelled=True)` is one with these.)
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
            raise CannotPlan(f"rating, {name}", expected="its name", found=as_python(text), remedy="Mend the call.")
    if not (response_s is None or (is_number(response_s) and response_s > 0)):
        expected = "seconds above 0"
        raise CannotPlan("rating, response_s", expected=expected, found=as_typed(response_s), remedy="Mend the call.")
    rows = ratings(catalogue)
    system = system.strip()
    if (system, workload) not in rows:
        workload = _workload_in_catalogue(workload, rows)
    row = rows.get((system, workload))
    if row is None and all(name != system for name, _ in rows):
        configurations = list(dict.fromkeys(name for name, _ in rows if name.startswith(f"{system}, ")))
        if len(configurations) > 1:
            found, remedy = f"{system!r}, of which there are {len(configurations)}", "Name one of them: "
            remedy += f"{'; '.join(configurations)}."
            raise UnknownName("system", expected="one configuration", found=found, remedy=remedy)
        row = rating_in_data(system, workload)
    elif row is None and _machine_of_audited_system(system, rows):
        row = _rating_of_audited_system(system, workload)
    if row is None:
        if all(name != system for name, _ in rows):
            names = names_of_systems(rows)
            yours = spelling("catalogue=TABLE", "--catalogue TABLE")
            raise UnknownName.among(
                "system", system, names, f"Systems of your own need {yours}. Known are {'; '.join(names)}."
            )
        measured = ", ".join(ran for name, ran in rows if name == system)
        remedy = "Choose another system, or give its rating in a catalogue of your own."
        raise CannotPlan(f"system {system!r}", expected=f"a rating for {workload}", found=measured, remedy=remedy)
    if np.isnan(row["users"]):
        remedy = "Mend what the catalogue says of the machine, or give its users."
        where = f"system {system!r}, {workload}"
        raise CannotPlan(where, expected="a machine that can be rated", found=row["reason"], remedy=remedy)
    if response_s is None or row["response_s"] <= response_s:
        return row
    if row["response_s"] > response_s:
        return _users_at_response(row, response_s)
    if not (is_modelled_rating(row) and rating_describes_machine(row)):
        remedy = "Give response_s in the catalogue, or ask for no response."
        where = f"system {system!r}, {workload}, response_s"
        raise CannotPlan(where, expected=f"seconds, to hold it to {response_s:g}", found="none", remedy=remedy)
    return modelled_rating_at_response(row, response_s)


def _users_at_response(row, response_s):
    """A rating at a response below that of its run, by the closed queue of one station that gives the run's own."""
    think, users, measured_s = row["think_s"], row["users"], row["response_s"]
    if not think > 0:
        remedy = "Give think_s in the catalogue, or ask for no response."
        raise CannotPlan(f"system {row['system']!r}, think_s", expected="seconds above 0", found="none", remedy=remedy)
    most = measured_s * (1 + 1e-9)  # of a single user it is the response, to the last digit or so
    service = min(optimize.brentq(lambda s: closed(users, s, think, 1.0) - measured_s, 1e-9, most), measured_s)
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


def names_of_systems(catalogue: Mapping) -> list[str]:
    """Return the names that a request can give to its system: those of `ratings`, then others of the data."""
    runs = benchmarks()
    others = runs["system"][~runs["run"].isin(audited_runs()[1]["run"]) & (runs["system"] != "")]
    return list(dict.fromkeys([*(name for name, _ in catalogue), *others]))


def rating_caveats(row: dict) -> tuple[str, ...]:
    """Return what makes a rating less sure than a measured one: keys of `CAVEATS`."""
    law = bool(row.get("law"))
    weak = {
        "extrapolated": row.get("extrapolated"),
        "closed_queue": row.get(_AT_RESPONSE),
        "law": law,
        "modelled": is_modelled_rating(row),
        "no_interval": law and np.isnan(row["std_error"]),
    }
    return tuple(key for key, holds in weak.items() if holds)


def is_modelled_rating(row: Mapping) -> bool:
    """Return whether a rating is of the model of users: its errors are relative, see `modelled_rating`."""
    return row["basis"].startswith(MODELLED)


def rating_describes_machine(row: Mapping) -> bool:
    """Return whether a rating says which machine it is of, so that the model can be asked of that machine again."""
    return any(row.get(part) == row.get(part) and row.get(part) not in (None, "") for part in OTHER_PARTS)


def _machine_of_audited_system(system, rows):
    """The machine of an audited system, as it was printed; None where a catalogue has another of that name."""
    _, runs = audited_runs()
    runs = runs[runs["system"] == system]
    ours = {row["locator"] for key, row in ratings().items() if key[0] == system}
    if runs.empty or any(row["locator"] not in ours for key, row in rows.items() if key[0] == system):
        return None
    machine = runs.iloc[0]
    return machine[[part for part in MACHINE_PARTS if part in machine]].to_dict() | {"system": machine["model"]}


@cached_until_data_change(maxsize=64)
def _rating_of_audited_system(system, workload):
    """The model's rating of an audited system for a workload that it was not tested with; None where nobody ran it."""
    machine = _machine_of_audited_system(system, {})
    price_usd = next(row["price_usd"] for (name, _), row in ratings().items() if name == system)
    try:
        row = modelled_rating(machine, workload, system=system, price_usd=price_usd).iloc[0].to_dict()
    except UnknownName:
        return None
    return row | {"workload": workload}
