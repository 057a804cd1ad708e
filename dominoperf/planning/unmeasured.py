"""The columns of a rating; the ratings of systems that nobody measured, by the model of users or a law of others."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dominoperf import machines
from dominoperf.errors import CannotFit, CannotPlan, UnknownName, as_typed, check_level, is_number, names_its_keywords
from dominoperf.laws import Law
from dominoperf.machines.asked_machines import Machine
from dominoperf.machines.audited_systems import audited_runs
from dominoperf.machines.observations import CAPACITY, LOWER_LIMIT
from dominoperf.machines.parts import MACHINE_PARTS, MACHINE_TEXTS, NUMBERS
from dominoperf.runs import benchmarks
from dominoperf.tables.folders import cached_until_data_change

COLUMNS = ["system", "workload", "users", "users_low", "users_high", "std_error", "dof", "response_s", "think_s"]
COLUMNS += ["processors", "ram_mb", "price_usd", "basis", "law", "extrapolated", "locator"]
OTHER_PARTS = tuple(part for part in MACHINE_PARTS if part not in ("system", "processors", "ram_mb"))
"""Columns of a catalogue that describe a machine, beside its processors and ram_mb."""
MODELLED = "modelled"  # how the basis of such a rating begins
_LOCATOR = "data/capacity.toml"
_LEVEL = 0.95


def measured_ratings(runs: pd.DataFrame) -> pd.DataFrame:
    """Return runs with the columns of a rating before all others: the users that passed are its lower bound.

    The think time is N / X - R, X of NotesMark, else of the transactions per second.
    """
    cycle_s = 60 * runs["users"] / runs["notesmark_tpm"]
    cycle_s = cycle_s.fillna(runs["users"] / runs["throughput_tps"]) if "throughput_tps" in runs else cycle_s
    known = {"users_low": runs["users"], "basis": "measured", "law": "", "extrapolated": False}
    rated = runs.assign(think_s=cycle_s - runs["response_s"], **known)
    return rated.reindex(columns=[*COLUMNS, *rated.columns.difference(COLUMNS, sort=False)])


@names_its_keywords()
def modelled_rating(
    machine: Machine, workload: str, *, system: str = "", price_usd: float = math.nan, level: float = _LEVEL
) -> pd.DataFrame:
    """Return the rating of a machine that nobody measured, by the model of `dominoperf.capacity`: a row of `systems`.

    `users` is the median of the forecast. `users_low` and `users_high` are each one-sided at the level and of a new
    test of such a machine: the ends of ``capacity(machine, workload, level=2 * level - 1)``. The errors are relative:
    ``ln users`` is normal with the standard deviation ``std_error / users = ln(users / users_low) / z``, z the
    normal quantile of the level.

    Parameters
    ----------
    machine : dict, row, path of a TOML file, or str
        As for `dominoperf.capacity`: one machine.
    workload : str
        Mail, MailDB, Groupware_A, DiscDB, or another that was run.
    system : str, optional
        How the system is called; by default as the machine calls itself, else "machine".
    price_usd : float, optional
        Its price; without one it is not for sale.
    level : float
        Coverage of each one-sided bound, above a half.

    Returns
    -------
    DataFrame
        The columns of `systems`; basis is "modelled", with the parts that are beyond what was measured. Then those that
        describe the machine, so that `assess` can draw its workloads together.

    Raises
    ------
    CannotPlan
        When more than one machine is given, or a name or price is none.
    CannotFit, UnknownName, BadTable
        As `dominoperf.capacity` raises them: beyond the reach of the measured machines there is no rating.

    Examples
    --------
    >>> machine = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "processor_family": "Pentium Pro"}
    >>> row = modelled_rating(machine, "Mail", system="2 x 200 MHz").iloc[0]
    >>> row["basis"], bool(row["users_low"] < 2000 < row["users"] < 3000)
    ('modelled', True)
    """
    check_level(level, "modelled_rating")
    if isinstance(machine, pd.DataFrame):
        remedy = "Give a row of it, or hand the frame to `plan` as a catalogue without users."
        raise CannotPlan("modelled_rating, machine", expected="one machine", found="a frame", remedy=remedy)
    _check_names_of_rating("modelled_rating", workload, system, price_usd)
    answer = machines.capacity(machine, workload, level=2 * level - 1)
    name = system or answer.machine["system"] or "machine"
    row = _ratings_of(answer.glance(), level).iloc[0].to_dict()
    about = {part: answer.machine[part] for part in ("processors", "ram_mb")}
    row |= about | {"system": name, "workload": answer.workload, "price_usd": price_usd, "law": ""}
    row |= answer.machine[list(OTHER_PARTS)].to_dict()
    return pd.DataFrame([row]).reindex(columns=[*COLUMNS, *OTHER_PARTS])


def fill_unmeasured_ratings(frame: pd.DataFrame, rows: pd.Series) -> pd.DataFrame:
    """Return a catalogue whose chosen rows, without users, have the model's; or in `reason` why they have none."""
    unrated = frame[list(MACHINE_PARTS)][rows]
    filled = frame.assign(reason="")
    for workload, part in unrated.groupby(frame["workload"][rows], sort=False):
        try:
            modelled = _ratings_of(machines.capacity(part, workload, level=2 * _LEVEL - 1), _LEVEL)
        except (CannotFit, UnknownName) as error:
            modelled = pd.DataFrame({"reason": str(error)}, index=part.index)
        filled.loc[part.index, modelled.columns] = modelled
    return filled


def modelled_rating_at_response(row: dict, response_s: float) -> dict:
    """Return a modelled rating at a response that must not be exceeded, by the model's rule for response.

    `CannotPlan` where nobody may be answered that soon, for an idle server may take as long, or no rule is known.
    """
    machine = {part: row[part] for part in MACHINE_PARTS if row[part] == row[part]}
    where = f"system {row['system']!r}, {row['workload']}, response_s"
    try:
        answer = machines.capacity(machine, row["workload"], response_s=response_s, level=2 * _LEVEL - 1).glance()
    except CannotFit as error:
        raise CannotPlan(where, expected=error.expected, found=error.found, remedy=error.remedy) from error
    if not answer["low"].item() > 0:
        remedy = "Ask for a longer one."
        expected = "seconds well above the response of an idle server"
        raise CannotPlan(where, expected=expected, found=f"{response_s:g}", remedy=remedy)
    return row | _ratings_of(answer, _LEVEL).iloc[0].to_dict() | {"response_s": response_s}


def rating_in_data(system: str, workload: str) -> dict | None:
    """Return the rating of a system of the data by its printed name or its model; None where there is none of the name.

    Where the machine that `capacity` means by the name ran the workload to its limit, the most users of such a run;
    else the users of the model, and no fewer than passed on that machine in a run that did not reach its limit.
    `UnknownName` where nobody ran the workload; `CannotFit` where the machine is beyond the reach of those that the
    model is fitted to.
    """
    of_catalogue = system.casefold() in audited_runs()[1]["system"].str.casefold().to_numpy()  # perhaps misspelt there
    if not workload or system.endswith(".toml") or of_catalogue:
        return None
    try:
        machines.parts_of_machine(system, workload)
    except UnknownName:
        return None
    return dict(_rating_in_data(system, workload))


@cached_until_data_change(maxsize=64)
def _rating_in_data(system, workload):
    """The row of `rating_in_data`."""
    answer = machines.capacity(system, workload)
    rows = machines.fitted_users_model().model.observations.rows
    parts = [*NUMBERS, *MACHINE_TEXTS]
    same = (rows[parts] == answer.machine[parts]) | (rows[parts].isna() & answer.machine[parts].isna())
    ran = rows[same.all(axis=1) & (rows["workload"] == answer.workload)]
    passed = ran.loc[ran["observation"] == LOWER_LIMIT, "users"].max()
    ran = ran[ran["observation"] == CAPACITY]
    if ran.empty:
        row = modelled_rating(system, workload).iloc[0].to_dict()
        if passed > row["users_low"]:  # a run that passed is a lower bound
            row |= {end: max(row[end], passed) for end in ("users", "users_low", "users_high")}
            row["std_error"] = row["users"] * math.log(row["users"] / passed) / float(ndtri(_LEVEL))
            row["basis"] += ", no less than what passed"
    else:
        runs = benchmarks()
        run = runs[runs["run"] == ran.loc[ran["users"].idxmax(), "run"]]
        row = measured_ratings(run)[COLUMNS].iloc[0].to_dict()
    return row | {"system": system, "workload": workload}


def _ratings_of(answers, level):
    """Columns of `systems` of what `capacity` answers: a row per machine."""
    users, low = answers["users"], answers["low"]
    outside = answers["beyond_measured"]
    basis = MODELLED + (", extrapolated in " + outside).where(outside != "", "")
    return pd.DataFrame(
        {
            "users": users,
            "users_low": low,
            "users_high": answers["high"],
            "std_error": users * np.log(users / low) / ndtri(level),
            "dof": np.where(users > 0, math.inf, math.nan),
            "basis": basis.where(users > 0, ""),
            "extrapolated": outside != "",
            "locator": _LOCATOR,
            "reason": answers["reason"].where(users.isna(), ""),
        },
        index=answers.index,
    )


@names_its_keywords("dominoperf.fitting:fit")
def fitted_rating(
    law: str | Law | Callable,
    data: str | pd.DataFrame,
    x: float,
    *,
    workload: str,
    system: str = "",
    price_usd: float = math.nan,
    level: float = 0.95,
    **settings: Any,
) -> pd.DataFrame:
    """Return the rating of a system by a law fitted to others: a row as `systems` gives it.

    What is bought is one machine, not the mean of many, so its rating is a new observation. Bounds and error have the
    curve's and the scatter of single machines together: ``std_error² = se(curve)² + s²``, s the standard error of the
    residuals (relative to the rating, where the law's errors are). `users_low` and `users_high` are each one-sided at
    the level, from the profile of the forecast; they are Student's t where the law is linear.

    Parameters
    ----------
    law, data
        As for `fit`: "amdahl" and the series "smp_mail", say.
    x : float
        Where to forecast: 4 for four processors.
    workload : str
        The workload of the points: Mail, MailDB, Groupware_A or DiscDB, or one of your own.
    system : str, optional
        Name of the system; by default made of the law, the points and x.
    price_usd : float, optional
        Its price.
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
        When y is not the users, a name or price is none, or the law carries nobody there.
    CannotFit, UnknownName
        As `fit` raises them.

    Examples
    --------
    >>> row = fitted_rating("amdahl", "smp_mail", 4, workload="Mail").iloc[0]
    >>> round(row["users"]), row["basis"]
    (3762, 'law amdahl, extrapolated')
    """
    from dominoperf import fitting  # which no other plan needs

    check_level(level, "fitted_rating")
    _check_names_of_rating("fitted_rating", workload, system, price_usd)
    if not is_number(x):
        remedy = "Give one; `pandas.concat` puts the ratings of several together."
        raise CannotPlan("fitted_rating, x", expected="a number", found=as_typed(x), remedy=remedy)
    fit = fitting.fit(law, data, level=2 * level - 1, **settings)  # ends of two sides, each the bound of one
    if fit.y != "users":
        remedy = "Fit a law whose y is users, or a series of them."
        raise CannotPlan(f"fitted_rating, {fit.source}", expected="users as y", found=fit.y, remedy=remedy)
    ahead = fit.predict([x]).iloc[0]
    users = ahead["predicted"]
    if not users > 0:
        found = ahead["reason"] or f"{users:g}"
        raise CannotPlan(f"fitted_rating, {law}", expected="users above 0", found=found, remedy="Ask for another x.")
    points = data if isinstance(data, str) else fit.source
    error = float(np.hypot(ahead["std_error"], fit.noise(users)))
    sure = error > 0 and not math.isnan(ahead["obs_low"])
    row = {
        "system": system or f"{fit.law.name} of {points}, {fit.x} {ahead['x']:g}",
        "workload": workload,
        "users": users,
        "users_low": ahead["obs_low"] if sure else math.nan,
        "users_high": ahead["obs_high"] if sure else math.nan,
        "std_error": error if sure else math.nan,
        "dof": fit.interval_dof,
        "price_usd": price_usd,
        "basis": f"law {fit.law.name}" + ", extrapolated" * bool(ahead["extrapolated"]) + ", no interval" * (not sure),
        "law": fit.law.name,
        "extrapolated": bool(ahead["extrapolated"]),
        "locator": str(fit.source),
    }
    row |= {fit.x: ahead["x"]} if fit.x in ("processors", "ram_mb") else {}
    return pd.DataFrame([row]).reindex(columns=COLUMNS)


def _check_names_of_rating(where, workload, system, price_usd):
    """Refuse a workload or system that is no name, and a price that is no number."""
    for name, value, good, expected in (
        ("workload", workload, isinstance(workload, str) and workload, "its name"),
        ("system", system, isinstance(system, str), "its name"),
        ("price_usd", price_usd, is_number(price_usd), "a number of USD"),
    ):
        if not good:
            raise CannotPlan(f"{where}, {name}", expected=expected, found=as_typed(value), remedy="Mend the call.")
