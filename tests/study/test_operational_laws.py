"""Operational laws over the runs: hand-computed cases, and what the documents print."""

import numpy as np
import pandas as pd
import pytest

from dominoperf import compare, fit, machines, runs
from dominoperf.study import workload_scripts
from dominoperf.study.recompute.regenerated_cells import every_cell


@pytest.fixture(scope="module")
def printed():
    """The runs, read once."""
    return runs.benchmarks()


@pytest.fixture(scope="module")
def transactions(printed):
    """The runs taken apart."""
    return machines.transaction_demand(printed).set_index("run")


def test_transactions_of_the_documents(transactions):
    """0.071 x 2 / (59 / 60) s on Red Hat; where no utilization is printed there is no demand, but a think time."""
    assert transactions.at["rhel5/results#value_600_users", "demand_s"] == pytest.approx(0.142 * 60 / 59)
    assert np.isnan(transactions.at["ibm_330/results#1", "demand_s"])
    assert transactions.at["ibm_330/results#1", "think_s"] == pytest.approx(2200 * 60 / 2917 - 0.36)
    # errata.csv: these responses cannot be right; their throughputs say so.
    assert transactions.at["compaq_domino45/a_discdb#4", "response_implied_s"] > 5
    assert transactions.at["compaq_domino45/a_mail#3", "response_implied_s"] > 0.9


def test_think_time_does_not_depend_on_the_load(printed):
    """Mail from 600 to 5,150 users: within a second; the script of the IBM report lists an action every 74 s."""
    think = workload_scripts.think_times(printed).set_index(["source", "workload"])
    mail = think.loc[("compaq_domino45", "Mail")]
    assert (mail["users_fewest"], mail["users_most"], mail["n"]) == (600, 5150, 12)
    assert mail["think_most_s"] - mail["think_least_s"] < 1.3
    each = machines.transaction_demand(printed).query("source == 'compaq_domino45' and workload == 'Mail'")
    assert mail["think_error_s"] == each["think_error_s"].max() > each["think_error_s"].min()
    assert think.at[("ibm_330", "Mail-Only"), "listed_s"] == pytest.approx(900 / (12 + 1 / 6))
    assert np.isnan(mail["listed_s"])


def test_tasks_have_one_demand_but_for_a_table(printed):
    """All runs of a task within 7 % of their median, but those of Table 4-7 with half (errata.csv)."""
    tasks = machines.task_demand(printed)
    odd = tasks["run"].str.contains("table_4_7")
    assert tasks.loc[~odd, "ratio"].between(0.93, 1.07).all()
    assert tasks.loc[odd, "ratio"].between(0.48, 0.51).all()
    assert tasks.set_index("run").at["compaq_netware/table_4_4#1", "demand_s"] == pytest.approx(0.57 * 1184 / 10)


def test_no_queue_falls_with_load(printed):
    """Every law of the response family misses Red Hat's two loads in the same way; M/G/1 on its bound."""
    two = printed[printed["source"] == "rhel5"]
    two = two.assign(cpu_utilization=two["cpu_utilization_percent"] / 100)
    found = compare("response", two, fixed={"servers": 2.0, "think_s": 610.0})
    parts = found.augment().groupby("law")
    assert len(parts) == 5
    assert (parts["fitted"].last() > parts["fitted"].first()).all()
    assert (parts["residual"].first() > 0).all()
    assert (parts["residual"].last() < 0).all()
    assert found["mg1"].glance()["params_at_bound"].iloc[0] == "squared_cv"


def test_words_of_an_inverse():
    """Users at a utilization; as many parameters as points do not mean that the curve passes through them."""
    two = pd.DataFrame({"users": [600, 1200], "cpu_utilization": [0.0710, 0.1514]})
    line = fit("utilization_proportional", two)
    assert line.describe_inverse(0.7) == "5,618 users (95 % interval 4,258 to 8,256), extrapolated"
    bounded = fit("utilization_law", two)
    assert "one of them on its bound" in bounded.headline()
    assert "passes through" not in bounded.headline()
    loaded = fit("utilization_law", pd.DataFrame({"users": [600, 1200], "cpu_utilization": [0.1, 0.15]}))
    assert loaded.describe_inverse(0.01).startswith("no users (")


def test_red_hats_procedure_gives_its_numbers():
    """Every number that the settings imply is the printed one."""
    cells = every_cell("rhel5/procedure").query("column == 'value' and how != 'copied'")
    assert len(cells) == 14
    assert list(cells["regenerated"]) == list(cells["printed"])
