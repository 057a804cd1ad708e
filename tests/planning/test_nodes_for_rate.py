"""Nodes for a rate: by hand, against closed queueing networks whose whole curve is known, and by drawing."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from dominoperf import mva, node_count, tables
from dominoperf.cli import main
from dominoperf.errors import CannotPlan

ROWS = {
    "load": [1, 4, 16, 32, 64],
    "throughput_per_s": [100.0, 380, 900, 1000, 980],
    "throughput_std_error": [2.0, 5, 20, 20, 20],
    "response_s": [0.010, 0.0105, 0.0178, 0.032, 0.065],
    "response_std_error": 0.0001,
    "response_p95_s": [0.02, 0.03, 0.09, 0.18, 0.5],
    "load_unit": "connections",
}
CURVE = pd.DataFrame(ROWS)


def test_by_hand():
    """A share of the highest throughput; lines between the measured loads, and Little's law without think time."""
    found = node_count(CURVE, 5000, utilization=0.7, growth=0.2, headroom=0.1, spare=2, node_price=3.0)
    assert found.node_rate_per_s == pytest.approx(700)
    assert found.nodes == math.ceil(6000 / 630) + 2 == 12
    assert found.glance()["cost"].tolist() == [36]
    assert node_count(CURVE, 700).nodes == 2  # the default share of 0.7, one spare
    assert node_count(CURVE, 5000, response_p95_s=0.12).node_rate_per_s == pytest.approx(
        64 / 3 / (0.0178 + 0.0142 / 3), abs=0.1
    )
    rows = (
        node_count(CURVE, 5000, response_p95_s=0.12, response_s=0.0178, utilization=0.95).tidy().set_index("objective")
    )
    assert rows["node_rate_per_s"].tolist() == pytest.approx([950, 900, 946.7], abs=0.1)
    assert rows["decides"].tolist() == [False, True, False]
    assert rows.loc["response_p95_s", "load"] == pytest.approx(16 + 16 / 3)


def network(loads):
    """A closed network of a machine of two processors and a disk, as a curve."""
    rows = mva([0.010, 0.004], [int(load) for load in loads], think_s=0.1, servers=[2, 1])
    return rows.rename(columns={"users": "load"})[["load", "throughput_per_s", "response_s"]]


def test_against_a_network_measured_at_few_loads():
    """The rate at which the mean response is 30 ms: within 3 % of that of the whole curve."""
    whole = network(range(1, 61))
    truth = whole.loc[whole["response_s"] <= 0.03, "throughput_per_s"].max()
    found = node_count(network([1, 4, 8, 16, 24, 32, 48]), 1000, response_s=0.03)
    assert found.node_rate_per_s == pytest.approx(truth, rel=0.03)
    assert found.think_s == pytest.approx(0.1)
    assert found.tidy()["basis"].tolist() == ["measured"]


def test_a_forecast_beyond_the_measured_loads():
    """Measured to 16 users, 27 ms are met by 19: within 10 % of the whole curve, and never beyond its peak."""
    whole, few = network(range(1, 61)), network([1, 2, 4, 8, 12, 16])
    truth = whole.loc[whole["response_s"] <= 0.027, "throughput_per_s"].max()
    found = node_count(few, 1000, response_s=0.027)
    assert found.tidy()["basis"].tolist() == ["forecast by a law"]
    assert found.node_rate_per_s == pytest.approx(truth, rel=0.1)
    assert "the error of the law there is not known" in node_count(few, 1000, response_s=0.027).headline()
    assert found.next_test[0] == 32
    assert node_count(CURVE, 1000, response_s=9.0).node_rate_per_s == pytest.approx(1000)  # past its peak: no more
    assert node_count(CURVE.head(3), 1000, response_s=9.0).node_rate_per_s < 1300


def test_probability_by_theory():
    """One point sets the rate: 5 nodes with 0.7 (1000 +- 20) each, so 3500 is exceeded in half of all cases."""
    sharp = CURVE.head(4).assign(throughput_std_error=[1e-6, 1e-6, 1e-6, 20])
    for rate in (3500.0, 3450.0, 3550.0):
        found = node_count(sharp, rate, utilization=0.7, spare=0)
        expected = norm.sf(rate, found.nodes * 700, found.nodes * 0.7 * 20)
        assert found.probability == pytest.approx(expected, abs=0.05)
    low, high = node_count(sharp, 3500, utilization=0.7).interval
    assert [low, high] == pytest.approx([700 - 1.96 * 14, 700 + 1.96 * 14], abs=4)
    none = node_count(CURVE.drop(columns="throughput_std_error"), 3500)
    assert np.isnan(none.probability)
    assert "run each load again" in none.headline()


def test_next_test():
    assert node_count(CURVE, 5000, response_p95_s=0.12).next_test[0] == 23  # between 16 and 32
    assert node_count(CURVE.head(4), 5000).next_test == (
        64,
        "the throughput still rises at the last load: where it ends is not known",
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"response_p95_s": 0.001}, "lightest, 1 connection has 0.02 s"),
        ({"headroom": 1.0}, "headroom"),
        (
            {"headroom": 30},
            r"headroom=\.\.\.\): expected a share from 0 to below 1, found 30\. Write it as a share: 0\.3\.",
        ),
        ({"utilization": 150}, "Give a share above 0, at most 1, or leave it out"),
        ({"growth": -2}, "growth"),
        ({"node_price": -5}, r"expected a number of 0 or more, found -5\. Give a price, or leave it out\."),
        ({"rate_per_s": 0}, r"rate_per_s=\.\.\.\): expected a number above 0, found 0\."),
    ],
)
def test_mistakes(settings, says):
    with pytest.raises(CannotPlan, match=says):
        node_count(CURVE, **{"rate_per_s": 100} | settings).glance()


def test_a_limit_that_no_load_reaches_is_told():
    """200 where milliseconds are meant: 200 s is beyond every load of the test."""
    longest = CURVE["response_s"].max()
    said = node_count(CURVE, 5000, response_s=200).headline()
    assert f"No measured load reaches that limit: the longest is {longest:g} s; limits are in seconds." in said
    assert "limits are in seconds" not in node_count(CURVE, 5000, response_s=2 * longest).headline()
    assert "No measured load" not in node_count(CURVE, 5000, response_s=0.9 * longest).headline()


def test_percentiles_of_samples_give_no_probability():
    """Means of the percentiles of seconds are none of the requests: neither an interval nor a probability."""
    found = node_count(CURVE.assign(response_p95_of="samples"), 5000, response_p95_s=0.12)
    assert np.isnan([found.probability, *found.interval]).all()
    assert "that of all requests is mostly longer, so more nodes may be needed" in found.headline()
    assert node_count(CURVE.assign(response_p95_of="samples"), 5000, response_s=0.02).probability > 0
    assert node_count(CURVE.assign(response_p95_of="requests"), 5000, response_p95_s=0.12).probability > 0


def test_the_interval_has_the_errors_of_the_percentile():
    """With an error of 10 % of each percentile it is much wider than with that of the mean, 0.3 to 1 %."""
    known = node_count(CURVE, 5000, response_p95_s=0.12).interval
    wide = node_count(CURVE.assign(response_p95_std_error=0.1 * CURVE["response_p95_s"]), 5000, response_p95_s=0.12)
    assert wide.node_rate_per_s - wide.interval[0] > 3 * (wide.node_rate_per_s - known[0])


@pytest.mark.parametrize("limit_s", [0.15, 0.5])
def test_the_interval_has_what_is_not_known_between_the_loads(limit_s):
    """One server, exact, at five loads with errors of 1 and 2 %: a line between two of them is below the true rate."""
    whole = mva([0.05], list(range(1, 81)), think_s=1.0)
    few = whole[whole["users"].isin([2, 5, 10, 20, 40])].rename(columns={"users": "load"})
    few = few.assign(throughput_std_error=0.01 * few["throughput_per_s"], response_std_error=0.02 * few["response_s"])
    found = node_count(few, 200, response_s=limit_s, spare=0)
    truth = np.interp(limit_s, whole["response_s"], whole["throughput_per_s"])
    assert found.node_rate_per_s < truth
    assert found.interval[0] < truth < found.interval[1] < 1.1 * truth
    assert "with a probability of at least" in found.headline()


def test_a_flat_curve_with_noise_does_not_break_its_limit_at_the_first_load():
    """Percentiles of 0.46 to 0.48 s that only noise tells apart: no draw puts the safe rate at the first load."""
    rows = {"load": [1, 2, 4, 6, 8, 10], "throughput_per_s": [0.81, 1.73, 3.35, 5.16, 6.88, 8.33]}
    rows |= {"throughput_std_error": 0.01, "response_s": 0.16, "response_p95_std_error": 0.01}
    rows |= {"response_p95_s": [0.469, 0.485, 0.459, 0.471, 0.5, 0.552]}
    found = node_count(pd.DataFrame(rows), 100, response_p95_s=0.5)
    assert found.interval[0] > 5
    assert 6 < found.node_rate_per_s < 7


def test_curves_that_are_none():
    with pytest.raises(CannotPlan, match="no response_p95_s"):
        node_count(CURVE.drop(columns="response_p95_s"), 100, response_p95_s=0.1)
    empty = CURVE.assign(response_p95_s="", response_std_error="")  # as a file has it that was written without them
    assert node_count(empty, 5000, response_s=0.02).nodes > 5
    with pytest.raises(CannotPlan, match="two different loads"):
        node_count(CURVE.head(1), 100)
    with pytest.raises(CannotPlan, match="no load"):
        node_count(CURVE.drop(columns="load"), 100)


def test_on_the_command_line(tmp_path, capsys):
    """Words, JSON, and options that need each other; the columns are those of the vocabulary."""
    path = str(tmp_path / "curve.csv")
    CURVE.to_csv(path, index=False)
    words = ["plan", "--curve", path, "--rate", "5000", "--p95", "0.12", "--headroom", "30%", "--node-price", "0.34"]
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("9 nodes, 1 of them spare, for 5,000 requests per second.")
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["glance"][0]["nodes"] == 9
    assert {name for rows in told.values() for row in rows for name in row} <= set(tables.vocabulary())
    assert main(["plan", "--rate", "5000"]) == 2
    assert main(["plan", "--curve", path]) == 2
    assert "--rate" in capsys.readouterr().err


def test_beyond_the_measured_loads_no_errors_tell():
    """Where a law goes on from the last load, its own error is not known: no probability of 1.000 from the curve's."""
    rows = {"load": [1, 2, 4], "throughput_per_s": [10.0, 20, 39], "throughput_std_error": 0.1, "response_s": 0.01}
    found = node_count(pd.DataFrame(rows), 200, response_s=0.05, think_s=0.09)
    assert found.safe["basis"].tolist() == ["forecast by a law"]
    assert np.isnan([found.probability, *found.interval]).all()
    assert "No interval and no probability beyond the measured loads" in found.headline()
    assert node_count(pd.DataFrame(rows), 200, utilization=0.7).probability > 0.9


def test_a_think_time_that_the_curve_contradicts_is_told():
    """Users that think 0.1 s by ``N = X (R + Z)``: 5 s are far off, 0.1 s and none given are not."""
    rows = mva([0.010, 0.004], [1, 4, 16, 32], think_s=0.1)
    curve = pd.DataFrame({"load": [1, 4, 16, 32], "throughput_per_s": rows["throughput_per_s"].to_numpy()})
    curve = curve.assign(response_s=rows["response_s"].to_numpy())
    found = node_count(curve, 200, utilization=0.7, think_s=5)
    assert found.glance()["reason"].item().startswith("the curve implies a think time of 0.1 s")
    assert "The curve implies a think time of 0.1 s" in found.headline()
    for think in ({}, {"think_s": 0.1}):
        assert not node_count(curve, 200, utilization=0.7, **think).think_remark
