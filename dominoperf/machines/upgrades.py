"""What an upgrade buys: the ratio of two machines, and the least change of each part that reaches a target."""

import os

import numpy as np
import pandas as pd

from dominoperf.errors import check_number, names_its_keywords, spelling
from dominoperf.machines.asked_machines import (
    Machine,
    asked_machines_of,
    machines_beyond_reach,
    measured_ranges,
    read_machines,
    refused_machine,
)
from dominoperf.machines.capacity_answer import answer_errata, check_capacity_question, fitted_users_model
from dominoperf.machines.parts import PARTS, not_known
from dominoperf.machines.resources import capacity_draws, resource_limits
from dominoperf.tables import carried_errata
from dominoperf.tables.folders import our_toml_file

RATIO_IN_WORDS = (
    "The ratio is the median over simulations of both machines together. It is 1 where something else runs out first "
    "in most of them, and need not be the ratio of the two numbers of users, each of which is a median of its own."
)
_MOST_VALUES_TRIED = 2000  # values of a part that are tried
_SOUGHT = 1 - 1e-9  # users are sought, not computed exactly


@names_its_keywords()
def capacity_ratio(
    machine: Machine,
    other: Machine,
    workload: str,
    *,
    response_s: float | None = None,
    level: float = 0.95,
    data: pd.DataFrame | str | os.PathLike | None = None,
) -> pd.DataFrame:
    """Return how many times the users of a machine another carries, with the interval of the ratio.

    Both are drawn together from the posterior: what they share (family, system, release, what is not known of either)
    falls out of the ratio, so that its interval is far narrower than those of the two capacities would make it. The
    error of a test of each is in it. More of a part never means fewer users: where the other machine has at least as
    much of each part and nothing else differs, the interval does not go below one, nor above one the other way round.
    That does not hold where processors follow a forecast of your own runs (see `capacity`), which may fall.

    Parameters
    ----------
    machine, other : as for `capacity`
        One machine each: before, and after the upgrade.
    workload, response_s, level, data
        As for `capacity`.

    Returns
    -------
    DataFrame
        One row: workload, users_baseline, users_comparison, ratio (its median in joint draws: 1 where something else
        runs out first in most of them, and not always that of the two medians beside it), low, high, probability (that
        a test of the other shows more users than one of the first: 50 % if they are equal), binds_baseline,
        binds_comparison.

    Raises
    ------
    UnknownName, CannotFit, BadTable
        As `capacity` does.

    Examples
    --------
    >>> machine = {"processor_family": "Pentium Pro", "clock_mhz": 200, "l2_kb": 512, "ram_mb": 1024}
    >>> answer = capacity_ratio(machine | {"processors": 1}, machine | {"processors": 2}, "Mail").iloc[0]
    >>> bool(1.3 < answer["ratio"] < 1.7), bool(answer["low"] > 1)
    (True, True)
    """
    check_capacity_question("capacity_ratio", level, response_s)
    posterior = fitted_users_model(data=data, workload=workload)
    pair = [_one_machine_to_upgrade(posterior, described, workload, response_s) for described in (machine, other)]
    pair = pd.concat(pair, ignore_index=True)
    without_name = pair["system"].isin(["", *posterior.model.observations.without_a_name["system"]])
    if without_name.all() and (pair["system"] == "").any():  # the other is the tested machine, with other parts
        pair["system"] = pair["system"].max()
    logs = capacity_draws(posterior, pair, response_s)
    ratio = np.exp(logs[:, 1] - logs[:, 0])
    answers = resource_limits(posterior, pair, 1.0, response_s, level)
    low, high = np.quantile(ratio, [(1 - level) / 2, (1 + level) / 2])
    itself = capacity_draws(posterior, pair, response_s, of_tests=False)
    middle = float(np.exp(np.median(itself[:, 1] - itself[:, 0])))
    alike, of_parts = pair.iloc[0].eq(pair.iloc[1]) | pair.isna().all(), pair.columns.isin(PARTS)
    changes = pair.loc[:, of_parts & ~alike].astype(float).diff().iloc[1]
    may_fall = "processors" in changes and pair["workload"][0] in posterior.model.observations.own_curves
    only_parts = alike[~of_parts].all() and len(changes) and not may_fall
    if only_parts and (changes > 0).all():
        low, middle = max(low, 1.0), max(middle, 1.0)
    elif only_parts and (changes < 0).all():
        middle, high = min(middle, 1.0), min(high, 1.0)
    users, binds = answers["all_users"], answers["binds"]
    cells = {
        "workload": pair["workload"][0],
        "users_baseline": users[0],
        "users_comparison": users[1],
        "ratio": middle,
        "low": low,
        "high": high,
        "probability": np.mean(ratio > 1) + np.mean(ratio == 1) / 2,  # what limits both the same makes them equal
        "binds_baseline": binds[0],
        "binds_comparison": binds[1],
    }
    return carried_errata.attach_errata(pd.DataFrame([cells]), answer_errata(posterior, cells["workload"]))


@names_its_keywords()
def cheapest_upgrades(
    machine: Machine,
    workload: str,
    target: float,
    *,
    response_s: float | None = None,
    level: float = 0.95,
    data: pd.DataFrame | str | os.PathLike | None = None,
) -> pd.DataFrame:
    """Return the least change of each single part with which a machine carries the target.

    Parameters
    ----------
    machine : as for `capacity`
        One machine. A part that is not known cannot be changed.
    workload : str
        As for `capacity`.
    target : float
        Users that the machine has to carry.
    response_s, level, data
        As for `capacity`.

    Returns
    -------
    DataFrame
        A row per part: component, present, needed (the least value at which the median reaches the target, in steps
        of ``data/capacity.toml``), users, low, high, probability (that a test of the changed machine carries the
        target), binds, reason (why a part alone cannot do it: what then runs out, and with how many users).

    Raises
    ------
    UnknownName, CannotFit, BadTable
        As `capacity` does; CannotFit too for a target that is not above zero.

    Examples
    --------
    >>> machine = {"processor_family": "Pentium Pro", "processors": 1, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 1024}
    >>> upgrades = cheapest_upgrades(machine, "Mail", 2200).set_index("component")
    >>> upgrades.loc["processors", ["present", "needed"]].tolist(), upgrades.loc["drives", "reason"]
    ([1.0, 2.0], 'drives are not known')
    """
    check_capacity_question("cheapest_upgrades", level, response_s)
    check_number(spelling("cheapest_upgrades(target=...)", "--target"), target, 0, float("inf"))
    posterior = fitted_users_model(data=data, workload=workload)
    present = _one_machine_to_upgrade(posterior, machine, workload, response_s)
    constants, rows = our_toml_file("capacity.toml"), []
    ranges, family = measured_ranges(posterior.model), present["processor_family"].iloc[0]
    for part, step in constants["steps"].items():
        value = float(present[part].iloc[0])
        unknown = dict.fromkeys(("needed", "users", "low", "high", "probability"), np.nan)
        row = {"component": part, "present": value} | unknown | {"binds": "", "reason": ""}
        rows.append(row)
        if np.isnan(value):
            row["reason"] = not_known(part)
            continue
        most = ranges[part].get(family, ranges[part][""])[1] * constants["reach"]["factor"]
        steps = np.arange(np.floor(value / step) + 1, np.floor(most / step) + 1) * step
        values = np.concatenate([[value], steps[:: max(1, -(-len(steps) // _MOST_VALUES_TRIED))]])
        machines = present.loc[np.zeros(len(values), dtype=int)].reset_index(drop=True).assign(**{part: values})
        answers = resource_limits(posterior, machines, 1.0, response_s, level)
        enough = np.flatnonzero(answers["all_users"] >= target * _SOUGHT)
        most_users = answers["all_users"] >= answers["all_users"].max() * _SOUGHT  # more processors may carry fewer
        at = enough[0] if len(enough) else np.flatnonzero(most_users)[-1]
        row["binds"] = answers["binds"].iloc[at]
        if not len(enough):
            first_out, users = answers["binds"].iloc[at].replace("_", " "), answers["all_users"].iloc[at]
            row["reason"] = f"{first_out} runs out at {users:,.0f} users, even with {values[at]:g}"
            continue
        logs = capacity_draws(posterior, machines.iloc[[at]].reset_index(drop=True), response_s)
        row |= {"needed": values[at], "probability": np.mean(logs >= np.log(target))}
        row |= {name: answers[f"all_{name}"].iloc[at] for name in ("users", "low", "high")}
    upgrades = pd.DataFrame(rows)
    return carried_errata.attach_errata(upgrades, answer_errata(posterior, present["workload"].iloc[0]))


def correlation(machines: pd.DataFrame) -> np.ndarray:
    """Return the correlation of ln(users) between new tests of machines, a workload each, as the model draws them.

    Two workloads of one machine share its system, family, release and parts, and the errors of the model's terms; the
    error of each test is its own.

    Parameters
    ----------
    machines : DataFrame
        A row per test: the columns of a machine, and workload.

    Examples
    --------
    >>> machine = {"system": "Mine", "processors": 2, "clock_mhz": 200, "ram_mb": 4096}
    >>> shared = correlation(pd.DataFrame([machine | {"workload": name} for name in ("Mail", "DiscDB")]))
    >>> shared.shape, bool(0.9 < shared[0, 1] < 1)
    ((2, 2), True)
    """
    posterior = fitted_users_model()
    described, _ = read_machines(posterior.model, machines)
    return np.corrcoef(capacity_draws(posterior, described, None), rowvar=False)


def _one_machine_to_upgrade(posterior, machine, workload, response_s):
    """One machine as it is asked; refuse several, and one beyond reach."""
    machines, _ = asked_machines_of(posterior.model, machine, workload, response_s)
    if len(machines) != 1:
        raise refused_machine(f"{len(machines)} machines")
    if refused := machines_beyond_reach(posterior.model, machines)[0]:
        raise refused_machine(refused)
    return machines.reset_index(drop=True)
