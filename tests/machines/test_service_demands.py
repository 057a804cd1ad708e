"""Service demands, think times and the cost of added users by hand, and by brute force."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf.errors import CannotFit, UnknownName
from dominoperf.machines import added_demand, stretch, task_demand, transaction_demand

# Four runs of one document, two workloads: a calm one, one that keeps the processor busy, one without its utilization.
RUNS = pd.DataFrame(
    {
        "source": "a",
        "workload": ["mail", "mail", "mail", "web"],
        "processors": [2, 1, 2, 4],
        "users": [100, 200, 300, 60],
        "notesmark_tpm": [120, 230, 330, 60],
        "response_s": [0.5, 2.0, 3.0, 0.25],
        "cpu_utilization_percent": [50, 100, np.nan, 20],
        "locator": ["page 1", "page 2", "page 3", "page 4"],
    }
)


def test_transactions_by_hand():
    """D = U m / X; Z = N / X - R; half busy, two processors take a third longer; what the median Z implies."""
    found = transaction_demand(RUNS)
    rate = np.array([2, 230 / 60, 5.5, 1])
    think = RUNS["users"] / rate - RUNS["response_s"]
    assert found["run"].tolist() == ["row 1", "row 2", "row 3", "row 4"]
    assert found["demand_s"].tolist() == pytest.approx([0.5, 60 / 230, np.nan, 0.8], nan_ok=True)
    assert found["think_s"].tolist() == pytest.approx(think.tolist())
    assert found["queue_s"][[0, 3]].tolist() == pytest.approx([0.5 / (1 - 0.25), 0.8], rel=0.004)
    assert found["queue_s"].isna().tolist() == [False, True, True, False]
    assert found["queue_share_percent"][0] == pytest.approx(100 * 0.5 / 0.75 / 0.5)
    usual = [np.median(think[:3])] * 3 + [think[3]]
    assert found["response_implied_s"].tolist() == pytest.approx((RUNS["users"] / rate - usual).tolist())
    least, most = (RUNS["users"] * 60 / (RUNS["notesmark_tpm"] + half) for half in (0.5, -0.5))
    assert found["think_error_s"].tolist() == pytest.approx(((most - least) / 2).tolist(), rel=1e-4)
    assert found["locator"].equals(RUNS["locator"])
    assert found[[*RUNS]].equals(RUNS[[*RUNS]])
    printed = ["workload", "processors", "users", "notesmark_tpm", "cpu_utilization_percent", "response_s"]
    told = ["demand_s", "queue_s", "queue_share_percent", "think_s", "think_error_s", "response_implied_s", "locator"]
    assert [*found] == ["run", "source", *printed, *told]


def test_runs_without_their_numbers_are_left_out():
    """Nobody, no throughput, no response; of runs without a document or a place these are empty."""
    runs = RUNS.drop(columns=["source", "locator"]).assign(users=[0, 200, 300, 60], notesmark_tpm=[120, 0, 330, 60])
    found = transaction_demand(runs.assign(response_s=[0.5, 2.0, 3.0, np.nan]))
    assert found[["run", "source", "locator"]].to_numpy().tolist() == [["row 3", "", ""]]
    with pytest.raises(UnknownName, match=r"transaction_demand.*response_s"):
        transaction_demand(runs.drop(columns="response_s"))


def test_tasks_by_hand():
    """W stations complete W / R tasks a second: half of 100 s for ten is 5 s each; ratios within a task."""
    cells = {
        "workload": ["copy", "copy", "copy", "open", "copy"],
        "factor": "drives",
        "workstations": [10, 10, 10, 4, 0],
    }
    cells |= {"response_s": [100.0, 80, 50, 20, 5], "cpu_utilization_percent": [50.0, 70, 100, 10, 50]}
    found = task_demand(pd.DataFrame(cells))
    assert found["demand_s"].tolist() == pytest.approx([5, 5.6, 5, 0.5])
    assert found["ratio"].tolist() == pytest.approx([1, 1.12, 1, 1])
    assert found["locator"].tolist() == [""] * 4
    names = ["run", "workload", "factor", "workstations", "cpu_utilization_percent", "response_s"]
    assert [*found] == [*names, "demand_s", "ratio", "locator"]


def test_added_users_by_hand():
    """30 % for the first 100, 20 % for 100 more, 60 % for the next 200; repeats count by their mean, in any order."""
    loads = pd.DataFrame({"users": [400, 100, 200, 200], "cpu_utilization_percent": [110.0, 30, 44, 56]})
    found = added_demand(loads)
    assert found[["users_fewest", "users_most"]].to_numpy().tolist() == [[100, 200], [200, 400]]
    assert found["first_percent_per_1000_users"].tolist() == pytest.approx([300, 300])
    assert found["added_percent_per_1000_users"].tolist() == pytest.approx([200, 300])
    assert found["ratio"].tolist() == pytest.approx([2 / 3, 1])
    with pytest.raises(CannotFit, match="two loads or more, found 1"):
        added_demand(loads.iloc[2:])
    with pytest.raises(CannotFit, match="added_demand"):
        added_demand(loads, level=95)


@pytest.mark.parametrize("runs", [(1, 1, 1), (3, 1, 2)])
def test_the_noise_that_would_hide_a_difference(runs):
    """That with which simulated differences leave zero outside their 90 % interval half of the time and no more."""
    users, percent, level = np.array([100.0, 200, 400]), np.array([30.0, 45, 110]), 0.9
    loads = pd.DataFrame({"users": users, "cpu_utilization_percent": percent})
    found = added_demand(loads.loc[np.repeat(range(3), runs)], level=level)
    noise = np.random.default_rng(0).standard_normal((100_000, 3)) / np.sqrt(runs)
    assert (found["sigma_percent"] > 0).all()
    for k, sigma in enumerate(found["sigma_percent"]):
        drawn = percent + sigma * noise
        difference = (drawn[:, k + 1] - drawn[:, k]) / (users[k + 1] - users[k]) - drawn[:, 0] / users[0]
        reach = stats.norm.ppf((1 + level) / 2) * difference.std()
        assert abs(difference.mean()) == pytest.approx(reach, rel=0.02)


def test_stretch_by_closed_forms():
    """One processor 1 / (1 - U), two 1 / (1 - U^2); their knees at 1/2 and 1 over the root of 3."""
    found = stretch([1, 2], [0.5, 0.8])
    assert found[["processors", "utilization"]].to_numpy().tolist() == [[1, 0.5], [1, 0.8], [2, 0.5], [2, 0.8]]
    assert found["stretch"].tolist() == pytest.approx([2, 5, 1 / 0.75, 1 / 0.36])
    assert found["knee_utilization"].tolist() == pytest.approx([0.5, 0.5, 3**-0.5, 3**-0.5])
