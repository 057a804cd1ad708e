"""The model of users on machines that it did not see: its error, its coverage, and simpler methods beside it."""

import functools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dominoperf.errors import UnknownName
from dominoperf.machines import fitted_users_model
from dominoperf.machines.capacity_answer import capacity_rows
from dominoperf.machines.users_model import UsersModel, fit_users
from dominoperf.study import capacity_evidence


@functools.cache
def of(function, by):
    """A frame of the module, computed once."""
    return getattr(capacity_evidence, function)(by)


def test_what_cannot_be_left_out_is_named():
    with pytest.raises(UnknownName, match="machine"):
        capacity_evidence.left_out("machin")


def test_machines_left_out():
    """All 23 runs of 1997 and 1998 answered; log error below 0.18; at least 90 % of them inside their intervals."""
    found = of("left_out", "machine")
    assert len(found) == 23
    assert found["predicted"].notna().all()
    assert np.sqrt((found["log_ratio"] ** 2).mean()) < 0.18
    assert found["inside"].mean() >= 0.9
    width = np.log(found["high"] / found["low"])
    assert width.median() < 1.3  # a factor of 1.9 either way: not wide enough to hold anything


def test_it_beats_each_simpler_method_where_that_answers():
    """Over the same rows, which for some methods are far fewer."""
    found = of("scores", "machine").set_index("method").drop(capacity_evidence.MODEL)
    assert (found["held_out_log_error_model"] < found["held_out_log_error"]).all()
    assert (found["answered"] < 23).all()


def test_utilizations_without_their_machine():
    """Domino 6 on four platforms: 40 % off in the mean, inside their intervals, and no answer beyond reach."""
    found = of("utilization_left_out", "machine")
    of_2002 = found[found["source"] == "domino6"]
    assert np.sqrt((of_2002["log_ratio"] ** 2).mean()) < 0.4
    assert of_2002["inside"].mean() >= 0.9
    assert found[found["source"] == "rhel5"]["reason"].str.contains("clock_mhz 3000 is too far").all()
    assert found["predicted"].isna().equals(found["reason"] != "")


@pytest.mark.parametrize("function", ["left_out", "utilization_left_out"])
def test_the_runs_of_one_document_alone(function):
    """Their forecasts are those among all documents; a document without such runs has none."""
    found, alone = of(function, "machine"), functools.partial(getattr(capacity_evidence, function), "machine")
    ours = found[found["source"] == "compaq_domino45"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone(source="compaq_domino45"), ours)
    none = alone(source="compaq_netware")
    assert len(none) == 0
    assert list(none) == list(found)


def test_the_interval_score_is_width_and_what_misses():
    """By hand from the forecasts themselves, at a level where some runs are outside."""
    shares = capacity_evidence.calibration("machine", (0.2, 0.95)).set_index("level")
    narrow = capacity_evidence.left_out("machine", level=0.2)
    total = 0.0
    for row in narrow.itertuples():
        low, high, seen = np.log([row.low, row.high, row.observed])
        total += high - low + 2 / 0.8 * max(low - seen, seen - high, 0.0)
    assert shares.loc[0.2, "score"] == pytest.approx(total / 23)
    assert shares.loc[0.2, "coverage"] == pytest.approx(narrow["inside"].mean())
    assert shares.loc[0.95, "coverage"] == of("left_out", "machine")["inside"].mean()
    assert shares["n"].tolist() == [23, 23]


def test_simpler_methods_by_loops():
    """The nearest machine by its parts, and users in proportion to processors times clock, without the own machine."""
    rows = fitted_users_model().model.observations.rows
    rows = rows[capacity_evidence.scored_capacity_runs()]
    assert set(rows["observation"]) == {"capacity"}
    parts, errors = ["processors", "clock_mhz", "l2_kb", "ram_mb"], {"nearest machine": [], "processors x clock": []}
    for run in rows.to_dict("records"):
        others = rows[(rows["source"] != run["source"]) | (rows["system"] != run["system"])]
        same = others[others["workload"] == run["workload"]].to_dict("records")
        if not same:
            continue
        apart = []
        for each in same:
            known = [each[name] == each[name] and run[name] == run[name] for name in parts]
            ratios = [each[name] / run[name] if told else 1.2 for name, told in zip(parts, known, strict=True)]
            ratios += [1.5] * (each["operating_system"] != run["operating_system"])
            apart.append(sum(np.log(ratio) ** 2 for ratio in ratios))
        errors["nearest machine"].append(np.log(same[int(np.argmin(apart))]["users"] / run["users"]))
        per_clock = np.mean([np.log(each["users"] / each["processors"] / each["clock_mhz"]) for each in same])
        errors["processors x clock"].append(per_clock + np.log(run["processors"] * run["clock_mhz"] / run["users"]))
    found = of("scores", "machine").set_index("method")
    for name, logs in errors.items():
        assert found.loc[name, ["answered", "n"]].tolist() == [len(logs), 23]
        assert found.loc[name, "held_out_log_error"] == pytest.approx(np.sqrt(np.mean(np.square(logs))))
    model, held = found.loc[capacity_evidence.MODEL], of("left_out", "machine")
    assert model["held_out_log_error"] == pytest.approx(np.sqrt((held["log_ratio"] ** 2).mean()))
    assert (model["answered"], model["coverage"]) == (23, held["inside"].mean())
    assert found["coverage"].drop(capacity_evidence.MODEL).isna().all()


def test_what_is_left_out_together():
    """The answer for a run of the model fitted to all rows but those of its document."""
    model, source = fitted_users_model().model, "compaq_domino45"
    rows, found = model.observations.rows, capacity_evidence.left_out("source", source=source)
    run = found.set_index("run").iloc[1]
    own = rows[(rows["run"] == run.name) & (rows["observation"] == "capacity")].iloc[0]
    kept = replace(model.observations, rows=rows[rows["source"] != source].reset_index(drop=True))
    posterior = fit_users(UsersModel.from_observations(kept))
    machine = pd.DataFrame([own]).drop(columns="users").assign(drives=np.nan, drive_gb=np.nan)
    answer = capacity_rows(posterior, machine, 1.0, None, 0.95).iloc[0]
    ends = ["predicted", "low", "high", "binds"]
    assert run[ends[:3]].tolist() == pytest.approx(answer[["users", "low", "high"]].tolist())
    assert run["binds"] == answer["binds"]
    assert run["observed"] == own["users"]
    assert run["log_ratio"] == pytest.approx(np.log(answer["users"] / own["users"]))
    assert run["inside"] == (answer["low"] <= own["users"] <= answer["high"])
    scored = capacity_evidence.scored_capacity_runs() & (rows["source"] == source)
    assert found["run"].tolist() == rows["run"][scored].tolist()


def test_runs_whose_memory_is_not_printed_are_forecast_if_asked():
    """They are no more than the others, and those that were scored keep their answers."""
    rows = fitted_users_model().model.observations.rows
    rows = rows[rows["observation"] == "capacity"]
    source = rows["source"][rows["ram_mb"].isna()].iloc[0]
    found = capacity_evidence.left_out("source", unknown_memory=True, source=source)
    assert found["run"].tolist() == rows["run"][rows["source"] == source].tolist()
    scored = capacity_evidence.left_out("source", source=source)
    assert len(scored) < len(found)
    same = found[found["run"].isin(scored["run"])].reset_index(drop=True)
    assert same["predicted"].tolist() == scored["predicted"].tolist()


def test_a_utilization_by_the_users_of_a_busy_processor():
    """100 x users / those of a CPU that is fully busy, in the model without the run; low from high."""
    found = of("utilization_left_out", "machine")
    assert found["observed"].between(0, 100, inclusive="right").all()
    assert [*found] == [
        "run", "source", "system", "workload", "users", "observed", "predicted", "low", "high", "log_ratio", "inside",
        "reason",
    ]  # fmt: skip
    runs = fitted_users_model().model.observations.rows.query("observation == 'utilization'")
    assert sorted(found["run"]) == sorted(runs["run"])
    row = found[found["reason"] == ""].iloc[0]
    rows = fitted_users_model().model.observations.rows
    own_machine = (rows["source"] == row["source"]) & (rows["system"] == row["system"])
    kept = replace(fitted_users_model().model.observations, rows=rows[~own_machine].reset_index(drop=True))
    posterior = fit_users(UsersModel.from_observations(kept))
    own = runs[runs["run"] == row["run"]].drop(columns="users").assign(drives=np.nan, drive_gb=np.nan)
    posterior = replace(posterior, error=posterior.error_of_utilization)
    answer = capacity_rows(posterior, own, 1.0, None, 0.95).iloc[0]
    full = np.exp(-posterior.mean[posterior.model.column_of("busy_at_capacity")])
    for name, end in {"predicted": "users", "low": "high", "high": "low"}.items():
        assert row[name] == pytest.approx(100 * row["users"] / (answer[f"processor_{end}"] * full))
    assert row["observed"] == pytest.approx(100 * row["users"] / np.exp(own["log_users"].item()))
    assert row["log_ratio"] == pytest.approx(np.log(row["predicted"] / row["observed"]))
    assert row["inside"] == (row["low"] <= row["observed"] <= row["high"])


def test_the_influence_of_a_run_by_hand():
    """Squared changes of all forecasts over the squared error times their number; the residual in half intervals."""
    posterior, name = fitted_users_model(), "compaq_domino45/a_groupware_a#1"
    found = capacity_evidence.influence([name])
    assert found["run"].tolist() == [name]
    rows = posterior.model.observations.rows
    scored = rows[capacity_evidence.scored_capacity_runs()]
    kept = replace(posterior.model.observations, rows=rows[rows["run"] != name].reset_index(drop=True))
    machines = scored.drop(columns="users").assign(drives=np.nan, drive_gb=np.nan)
    before, after = (
        pd.concat([capacity_rows(each, part, 1.0, None, 0.95) for _, part in machines.groupby("workload")])
        for each in (posterior, fit_users(UsersModel.from_observations(kept)))
    )
    moved = (np.log(after["users"] / before["users"]) ** 2).sum() / (posterior.error**2 * 23)
    assert found["cooks_distance"].item() == pytest.approx(moved)
    row, users = after.loc[scored.index[scored["run"] == name][0]], found["observed"].item()
    assert found["predicted"].item() == pytest.approx(row["users"])
    half = np.log(row["high"] / row["low"]) / 2
    assert found["standardized"].item() == pytest.approx(np.log(users / row["users"]) / half)


def test_the_order_of_influence_and_the_doubled_parts():
    """The most influential first; parts that are told, in a fixed order, without those of which there is none."""
    names = ["compaq_domino45/a_mail#6", "compaq_domino45/a_groupware_a#1"]
    assert capacity_evidence.influence(names)["run"].tolist() == names[::-1]
    machine = {"drives": 4, "ram_mb": np.nan, "processors": 1, "l2_kb": None}
    found = capacity_evidence.doubling(machine, "Mail")
    assert found[["component", "present", "doubled", "reason"]].to_numpy().tolist() == [
        ["processors", 1, 2, ""], ["drives", 4, 8, ""],
    ]  # fmt: skip
