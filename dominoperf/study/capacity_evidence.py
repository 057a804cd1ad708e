"""How well the model predicts the users of machines left out one by one, compared with simpler methods."""

import functools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dominoperf.errors import CannotFit, UnknownName, check_level
from dominoperf.machines.asked_machines import machines_beyond_reach
from dominoperf.machines.capacity_answer import fitted_users_model
from dominoperf.machines.observations import CAPACITY, UTILIZATION
from dominoperf.machines.regression import factor_model
from dominoperf.machines.resources import resource_limits
from dominoperf.machines.upgrades import capacity_ratio
from dominoperf.machines.users_model import BUSY, Posterior, UsersModel, fit_users
from dominoperf.tables import folders

MODEL = "model of users"
LEFT_OUT = {"run": ["run"], "machine": ["source", "system"], "source": ["source"]}
"""What can be left out at a time, and the columns in which such rows are alike."""
_LEVEL = 0.95
_LEAST_SQUARES = {
    "least squares: processors, memory, system software": ("processors", "ram_mb", "operating_system", "workload"),
    "least squares: processors, cache, system software": ("processors", "l2_kb", "operating_system", "workload"),
    "least squares: processors, cache": ("processors", "l2_kb"),
    "factor model": (
        *("clock_mhz", "l2_kb", "processors", "ram_mb"),
        *("operating_system", "workload", "domino_release"),
    ),
}
DOUBLED = ("processors", "clock_mhz", "l2_kb", "ram_mb", "drives")


def scored_capacity_runs() -> pd.Series:
    """Return which rows of the observations are scored: capacities with a printed memory."""
    rows = fitted_users_model().model.observations.rows
    return (rows["observation"] == CAPACITY) & rows["ram_mb"].notna()


def left_out(
    by: str = "machine", level: float = _LEVEL, *, unknown_memory: bool = False, source: str | None = None
) -> pd.DataFrame:
    """Return what the model forecasts for each scored run without it and without those like it.

    What is left out at a time is a run, all runs of a machine, or of a document (`LEFT_OUT`; another word raises
    `UnknownName`). With `unknown_memory` capacities of machines whose memory is not printed are forecast too: no method
    is scored by those. `source` is the one document whose runs are forecast.
    """
    rows = fitted_users_model().model.observations.rows
    scored = rows["observation"] == CAPACITY if unknown_memory else scored_capacity_runs()
    scored &= (rows["source"] == source) | (source is None)
    parts = [
        _users_forecast(_users_model_without_runs(group), rows[group & scored], level)
        for group in _runs_left_out_of_capacity_model(by, scored)
    ]
    columns = ["run", "source", "system", "workload", "operating_system", "observed"]
    columns += ["predicted", "low", "high", "binds", "log_ratio", "inside"]
    return pd.concat(parts).sort_index().reset_index(drop=True) if parts else pd.DataFrame(columns=columns)


def scores(by: str = "machine") -> pd.DataFrame:
    """Return how well each method forecasts the scored runs that are left out; the model alone has intervals."""
    ours, rows, scored = left_out(by), fitted_users_model().model.observations.rows, scored_capacity_runs()
    methods = {
        name: functools.partial(_least_squares_forecast_of_users, list(factors))
        for name, factors in _LEAST_SQUARES.items()
    }
    methods |= {"nearest machine": _nearest_machine_users, "processors x clock": _users_by_clock}
    predicted = pd.DataFrame(np.nan, index=rows.index[scored], columns=list(methods))
    for group in _runs_left_out_of_capacity_model(by, scored):
        for name, method in methods.items():
            predicted.loc[group[scored], name] = method(rows[~group & scored], rows[group & scored])
    errors = np.log(predicted.div(rows["users"][scored], axis="index")).reset_index(drop=True)
    errors.insert(0, MODEL, ours["log_ratio"])
    scores = []
    for name, error in errors.items():
        answered = error.notna()
        row = {"method": name, "answered": answered.sum(), "n": len(error)}
        row |= {"held_out_log_error": np.sqrt((error[answered] ** 2).mean())}
        row |= {"held_out_log_error_model": np.sqrt((ours["log_ratio"][answered] ** 2).mean())}
        scores.append(row | {"coverage": ours["inside"].mean() if name == MODEL else np.nan})
    return pd.DataFrame(scores)


def calibration(by: str = "machine", levels: Sequence[float] = (0.2, 0.5, 0.8, 0.9, 0.95)) -> pd.DataFrame:
    """Return how often intervals of several levels hold the scored runs that are left out, `by` as for `left_out`.

    ``interval score = width + 2 / (1 - level) x the distance outside``, of ln(users), in the mean: less is better, and
    intervals that are wider than they need be cost as those that are too narrow do (Gneiting and Raftery 2007).
    """
    rows, scored, parts = fitted_users_model().model.observations.rows, scored_capacity_runs(), []
    for group in _runs_left_out_of_capacity_model(by, scored):
        posterior = _users_model_without_runs(group)
        parts += [_users_forecast(posterior, rows[group & scored], level).assign(level=level) for level in levels]
    forecasts = pd.concat(parts)
    low, high, observed = (np.log(forecasts[name]) for name in ("low", "high", "observed"))
    outside = (low - observed).clip(lower=0) + (observed - high).clip(lower=0)
    score = high - low + 2 / (1 - forecasts["level"]) * outside
    by_level = forecasts.assign(score=score).groupby("level")
    cells = {"n": by_level.size(), "coverage": by_level["inside"].mean(), "score": by_level["score"].mean()}
    return pd.DataFrame(cells).reset_index()


def utilization_left_out(by: str = "machine", level: float = _LEVEL, *, source: str | None = None) -> pd.DataFrame:
    """Return the CPU utilization that the model forecasts for each run that prints one, as `left_out` does.

    Where a document is left out, its workloads are unknown; `reason` says what is beyond reach without its rows.
    """
    all_rows, parts = fitted_users_model().model.observations.rows, []
    busy_rows = (all_rows["observation"] == UTILIZATION) & ((all_rows["source"] == source) | (source is None))
    for group in _runs_left_out_of_capacity_model(by, busy_rows):
        rows, posterior = all_rows[group & busy_rows], _users_model_without_runs(group)
        of_utilization = replace(posterior, error=posterior.error_of_utilization)
        forecasts = _users_forecast(of_utilization, rows, level, "processor")
        full = np.exp(-posterior.mean[posterior.model.column_of(BUSY)])
        busy = {"low": "high", "high": "low", "predicted": "predicted"}
        users = rows["users"].to_numpy()
        cells = {name: 100 * users / (forecasts[other] * full) for name, other in busy.items()}
        observed = 100 * users / np.exp(rows["log_users"].to_numpy())
        forecasts = forecasts.assign(observed=observed, users=users, **cells)
        reason = machines_beyond_reach(posterior.model, _runs_as_asked_machines(rows))
        forecasts = forecasts.assign(log_ratio=np.log(forecasts["predicted"] / observed), reason=reason)
        parts.append(forecasts.assign(inside=_capacity_is_inside_interval(forecasts)))
    columns = ["run", "source", "system", "workload", "users", "observed", "predicted", "low", "high", "log_ratio"]
    columns += ["inside", "reason"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def influence(runs: Sequence[str] | None = None) -> pd.DataFrame:
    """Return how much each scored run moves what the model says of all of them, the most influential first.

    Of all runs, or of those in `runs`, one is left out at a time. ``cooks_distance`` is the sum of squared changes of
    ln(users) over all scored runs then, divided by the squared error of a run times their number; ``standardized`` is
    the residual of the run, in halves of its interval (beyond 1 it is outside).
    """
    posterior, scored, rows = fitted_users_model(), scored_capacity_runs(), []
    all_rows = posterior.model.observations.rows
    all_runs = all_rows[scored]
    fitted = np.log(_users_forecast(posterior, all_runs, _LEVEL)["predicted"])
    wanted = scored if runs is None else scored & all_rows["run"].isin(list(runs))
    for group in _runs_left_out_of_capacity_model("run", wanted):
        forecasts = _users_forecast(_users_model_without_runs(group), all_runs, _LEVEL)
        at = np.flatnonzero(group[scored].to_numpy())[0]
        one = forecasts.iloc[at]
        moved = np.sum((np.log(forecasts["predicted"]) - fitted) ** 2) / (posterior.error**2 * len(all_runs))
        half = np.log(one["high"] / one["low"]) / 2
        cells = {name: one[name] for name in ("run", "system", "workload", "operating_system", "observed", "predicted")}
        rows.append(cells | {"cooks_distance": moved, "standardized": -one["log_ratio"] / half})
    return pd.DataFrame(rows).sort_values("cooks_distance", ascending=False, kind="stable", ignore_index=True)


def doubling(machine: dict, workload: str, *, level: float = _LEVEL) -> pd.DataFrame:
    """Return what doubling each known part of a machine buys; a machine is as for `machines.capacity`."""
    check_level(level, "doubling")
    rows = []
    for name in DOUBLED:
        if not machine.get(name) or pd.isna(machine[name]):
            continue
        row = {"component": name, "present": machine[name], "doubled": 2 * machine[name]}
        try:
            ratio = capacity_ratio(machine, machine | {name: 2 * machine[name]}, workload, level=level).iloc[0]
            row |= {column: ratio[column] for column in ("ratio", "low", "high", "binds_comparison")} | {"reason": ""}
        except CannotFit as error:
            row |= {"ratio": np.nan, "low": np.nan, "high": np.nan, "binds_comparison": "", "reason": error.found}
        rows.append(row)
    columns = ["component", "present", "doubled", "ratio", "low", "high", "binds_comparison", "reason"]
    return pd.DataFrame(rows, columns=columns)


def _runs_left_out_of_capacity_model(by, scored):
    """Which rows are left out, one group after the other, as far as they have a row that is scored."""
    if by not in LEFT_OUT:
        raise UnknownName.among("by", by, LEFT_OUT)
    rows = fitted_users_model().model.observations.rows
    group = rows.groupby(LEFT_OUT[by], dropna=False, sort=False).ngroup()
    return [group == number for number in group[scored].unique()]


def _users_model_without_runs(left_out):
    """The model fitted to all rows but those that are left out; the script rates stay, as part of the question."""
    return _users_model_of_rows((~left_out).to_numpy().tobytes())


@folders.cached_until_data_change(maxsize=128, ours=True)
def _users_model_of_rows(kept):
    """The model fitted to some rows, told as the bytes of an array of bool: most answers here ask for the same ones."""
    observations = fitted_users_model().model.observations
    rows = observations.rows[np.frombuffer(kept, dtype=bool)].reset_index(drop=True)
    return fit_users(UsersModel.from_observations(replace(observations, rows=rows)))


def _users_forecast(posterior: Posterior, rows: pd.DataFrame, level: float, resource: str = "all") -> pd.DataFrame:
    """What the model says of some rows: of all resources, or of one."""
    asked, names = _runs_as_asked_machines(rows), ["run", "source", "system", "workload", "operating_system"]
    within_reach = machines_beyond_reach(posterior.model, asked) == ""
    answers = resource_limits(posterior, asked[within_reach], 1.0, None, level).reindex(rows.index)
    answers["binds"] = answers["binds"].astype(object).where(within_reach, "")
    users = rows["users"]
    ends = {"predicted": "users", "low": "low", "high": "high"}
    cells = {name: answers[f"{resource}_{end}"] for name, end in ends.items()} | {"binds": answers["binds"]}
    frame = rows[names].assign(observed=users, **cells)
    return frame.assign(log_ratio=np.log(frame["predicted"] / users), inside=_capacity_is_inside_interval(frame))


def _runs_as_asked_machines(rows):
    """Rows as machines that are asked about; the rules for disks are left out, for hardly a run prints its drives."""
    return rows.drop(columns="users").assign(drive_gb=np.nan, drives=np.nan)


def _capacity_is_inside_interval(frame):
    """Whether the interval holds what was observed; unknown where there is no forecast."""
    inside = (frame["low"] <= frame["observed"]) & (frame["observed"] <= frame["high"])
    return inside.astype(float).where(frame["predicted"].notna())


def _least_squares_forecast_of_users(factors, rows, left_out_rows):
    """Ordinary least squares on logarithms; NaN where a factor is missing or has a level that no row has."""
    frame = rows.drop(columns=["observation", "log_users", "source"])
    varying = [name for name in factors if frame[name].replace("", np.nan).dropna().nunique() > 1]
    try:
        model = factor_model("users", varying, frame, robust="none")
    except CannotFit:
        return np.full(len(left_out_rows), np.nan)
    return model.predict(left_out_rows[varying])["predicted"].to_numpy()


def _nearest_machine_users(rows, left_out_rows):
    """The users of the nearest machine with the same workload, by the logarithms of its numbers."""
    answers = []
    for _, row in left_out_rows.iterrows():
        same = rows[rows["workload"] == row["workload"]]
        if same.empty:
            answers.append(np.nan)
            continue
        names = ["processors", "clock_mhz", "l2_kb", "ram_mb"]
        apart = (np.log(same[names]) - np.log(row[names].astype(float))) ** 2
        other = (same["operating_system"] != row["operating_system"]) * np.log(1.5) ** 2
        answers.append(same["users"].iloc[int((apart.fillna(np.log(1.2) ** 2).sum(axis=1) + other).argmin())])
    return np.array(answers, dtype=float)


def _users_by_clock(rows, left_out_rows):
    """Users in proportion to processors times clock, at the geometric mean of the workload."""
    power = np.log(rows["processors"] * rows["clock_mhz"])
    level = (np.log(rows["users"]) - power).groupby(rows["workload"]).mean()
    asked_power = np.log(left_out_rows["processors"] * left_out_rows["clock_mhz"])
    return np.exp(left_out_rows["workload"].map(level) + asked_power).to_numpy()
