"""Nodes for a rate: by hand, against closed queueing networks whose whole curve is known, and by drawing."""

import ast
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm, t

import dominoperf
from dominoperf import curve, mva, node_count, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotFit, CannotPlan
from dominoperf.planning.safe_rate import NodeCurve

ROWS = {
    "load": [1, 4, 16, 32, 64],
    "throughput_per_s": [100.0, 380, 900, 1000, 980],
    "throughput_std_error": [2.0, 5, 20, 4, 4],
    "response_s": [0.010, 0.0105, 0.0178, 0.032, 0.065],
    "response_std_error": 0.0001,
    "response_p95_s": [0.02, 0.03, 0.09, 0.18, 0.5],
    "load_unit": "connections",
}
CURVE = pd.DataFrame(ROWS)
EXACT = CURVE.drop(columns=["throughput_std_error", "response_std_error"])  # for which nothing is drawn


def test_by_hand():
    """A share of the highest throughput; lines between the measured loads, and Little's law without think time."""
    assert node_count(EXACT, 700).nodes == 2  # the default share of 0.7, one spare
    assert node_count(EXACT, 5000, response_p95_s=0.12).node_rate_per_s == pytest.approx(
        64 / 3 / (2 / 3 * 16 / 900 + 1 / 3 * 32 / 1000)
    )
    rows = (
        node_count(CURVE, 5000, response_p95_s=0.12, response_s=0.0178, utilization=0.95).tidy().set_index("objective")
    )
    assert rows["node_rate_per_s"].tolist() == pytest.approx([950, 900, 947.4], abs=0.1)
    assert rows["decides"].tolist() == [False, True, False]
    assert rows.loc["response_p95_s", "load"] == pytest.approx(16 + 16 / 3)


def test_rows_that_say_nothing_are_told_and_negative_numbers_refused():
    """What is left out is said by its row; the peak is looked for where its neighbours are high."""
    blank = EXACT.assign(throughput_per_s=[100.0, 380, np.nan, 1000, 980], response_s=[0.01, 0.01, 0.9, 0.03, np.nan])
    left_out = "Left out: rows 3, 5, without load, throughput_per_s or response_s."
    assert left_out in node_count(blank, response_s=0.02).headline()
    assert "Left out" not in node_count(EXACT, 500).headline()
    with pytest.raises(
        CannotPlan, match=r"column throughput_per_s, row 3: expected a number of 0 or more, found -900\."
    ):
        node_count(EXACT.assign(throughput_per_s=[100.0, 380, -900, 1000, 980]))
    # N / (1 + 0.02 (N - 1) + 0.00033 N (N - 1)) times 10, whose peak is 179.7 at 54
    rates = {"load": [10, 20, 40, 80, 160], "throughput_per_s": [82.665, 132.855, 174.307, 171.468, 127.235]}
    assert node_count(pd.DataFrame(rates), utilization=1).next_test[0] == 57


def test_a_load_that_failed_is_none_to_plan_with(tmp_path, capsys):
    """Nor is a law followed to it, whether its row is there or `curve` left it out; --failed-share says otherwise."""
    curve = CURVE.drop(columns="throughput_std_error").assign(failed_share=[0, 0, 0.01, 0.94, 0.99])
    found = node_count(curve, response_s=0.1)
    assert found.curve["load"].tolist() == [1, 4, 16]
    told = ("94 % of the requests at load 32 failed, more than 1 %", "99 % of the requests at load 64 failed")
    assert "Left out: " in found.headline()
    assert all(each in found.headline() for each in told)
    assert found.tidy()["load"].item() < 32
    assert node_count(curve, response_s=0.05, failed_share=0.95).curve["load"].tolist() == [1, 4, 16, 32]
    between = node_count(curve.assign(failed_share=[0, 0, 0, 0.5, 0]), response_s=0.1)
    assert between.tidy()["load"].item() < 32  # though nothing failed at 64
    assert "Left out: 64, beyond a load at which requests failed" in between.headline()
    of_curve = curve.drop(columns="failed_share").drop(3).assign(failed_load=[32, 32, 32, np.nan])  # as `curve` has it
    assert node_count(of_curve, response_s=0.1).curve["load"].tolist() == [1, 4, 16]
    passed = curve.head(3).assign(failed_load=20)
    assert node_count(passed, response_s=0.1).tidy()["load"].item() < 20
    assert "Requests failed at load 20, which is no point of the curve." in node_count(passed).headline()
    assert node_count(passed, utilization=1).next_test == (18, "the throughput still rises at the last load")
    counted = curve.drop(columns="failed_share").assign(failures=[0, 0, 0, 94, 99], requests=100)
    counted.to_csv(path := tmp_path / "curve.csv", index=False)
    assert node_count(counted).curve["load"].tolist() == [1, 4, 16]
    assert main(["plan", "--curve", str(path), "--format", "csv"]) == 0
    assert f"note: left out: {told[0]}" in capsys.readouterr().err
    assert main(["plan", "--curve", str(path), "--failed-share", "1"]) == 0
    assert "eft out" not in capsys.readouterr().out
    with pytest.raises(CannotPlan, match=f"two different loads.* found 1 in 1 row.*{told[0]}"):
        node_count(counted.tail(3))


def test_no_node_is_planned_for_more_than_was_delivered_where_requests_failed(tmp_path):
    """A law went on to 426 per second at 79 users, of 80 users who got 360: by a table and by a curve made of it."""
    rows = {"load": [10, 20, 40, 80, 160], "throughput_per_s": [99.0, 192, 330, 360, 340]}
    rows |= {"response_s": [0.101, 0.104, 0.121, 0.2, 0.3], "failed_share": [0, 0, 0, 0.3, 0.6]}
    table = pd.DataFrame(rows)
    table.to_csv(tmp_path / "runs.csv", index=False)
    for given in (table, table.head(4), dominoperf.curve(tmp_path / "runs.csv")):
        found = node_count(given, 1000, response_s=1)
        assert found.node_rate_per_s == 330
        assert found.next_test[0] == 57
    none = node_count(table.assign(throughput_per_s=[99.0, 192, 330, 0, 0]), 1000, response_s=1)
    assert none.node_rate_per_s == 330
    assert "without" not in none.headline()


def test_the_notes_of_curve_are_those_of_plan(tmp_path, capsys):
    """Columns that are left out, Little's law, failures of how many: `plan --curve` tells them too, once."""
    table = CURVE[["load", "throughput_per_s"]].assign(**{"latency [ms]": [10, 10.5, 17.8, 50, 90], "colour": "red"})
    table.assign(failures=[0, 0, 0, 1, 2]).to_csv(path := tmp_path / "runs.csv", index=False)
    told = [
        "columns left out, as they are not mapped: colour",
        "requests failed at load 32, 64, but it is not told of how many, so what succeeded is taken",
        "at 2 of 5 loads the mean response is longer than load / throughput, by up to 56 %, which Little's law rules",
    ]
    for words in (["curve", str(path)], ["plan", "--curve", str(path), "--format", "csv"]):
        assert main(words) == 0
        notes = capsys.readouterr().err
        assert all(notes.count(each) == 1 for each in told), words
    assert main(["plan", "--curve", str(path)]) == 0
    shown = capsys.readouterr()
    assert all(each[1:] in " ".join(shown.out.split()) for each in told)
    made = node_count(dominoperf.curve(path)).headline()
    assert all(made.count(each[1:]) == 1 for each in told)


@pytest.mark.parametrize(
    ("headings", "mapped"),
    [
        (["users", "requests"], "name its columns: mapping={'requests': 'throughput_tps[tps]'}"),
        (["users", "colour"], "name its columns: mapping={'COLUMN': 'throughput_per_s[1/s]'}"),
        (["users", "duration_s", "avg_ms"], "name its columns: mapping={'COLUMN': 'throughput_per_s[1/s]'}"),
        (["users", "Durchsatz pro Minute"], "{'Durchsatz pro Minute': 'throughput_per_s[1/minute]'}"),
        (["users"], "or add a column throughput_per_s"),
        (
            ["users", "KO (%)", "Durchsatz (1/s)"],
            "name its columns: mapping={'Durchsatz (1/s)': 'throughput_per_s[1/s]'}",
        ),
        (["cores", "tps"], "or add a column load"),
    ],
)
def test_what_is_not_read_is_proposed_for_what_is_missing(headings, mapped):
    with pytest.raises(CannotPlan) as caught:
        node_count(pd.DataFrame({heading: [10.0, 20.0] for heading in headings}), 100)
    assert str(caught.value).endswith(f"{mapped}.")


def test_nothing_is_forecast_beyond_the_measured_loads():
    """M/M/8//N of 20 ms with pauses of 0.5 s, at most 400 per second, tested to 353: a law went on to 666."""
    curve = pd.DataFrame({"users": [23, 47, 94, 187], "throughput_per_s": [44.23, 90.38, 180.7, 352.8]})
    curve = curve.assign(response_s=[0.0200, 0.0200, 0.0202, 0.0300])
    found = node_count(curve, 5000, response_s=0.1)
    assert (found.nodes, found.node_rate_per_s, found.tidy()["load"].item()) == (16, 352.8, 187)
    assert found.tidy()["limit_reached"].tolist() == ["no measured load reaches that"]
    assert "below a mean response of 0.1 s" in found.headline()
    assert "The longest that was measured is 0.03 s: a node may carry more, no law tells how much." in found.headline()
    assert found.next_test == (374, "no measured load is beyond the limit")
    assert "at a mean response of 0.025 s: within the measured" in node_count(curve, 50, response_s=0.025).headline()


def test_columns_of_nullable_numbers_are_read():
    """A missing one is a blank, as NaN is: the answer is that of the same curve in floats."""
    holes = CURVE.assign(throughput_per_s=CURVE["throughput_per_s"].mask(CURVE["load"] == 4))
    found = node_count(holes.convert_dtypes(), 5000, utilization=0.7)
    pd.testing.assert_frame_equal(found.glance(), node_count(holes, 5000, utilization=0.7).glance())


def test_nodes_in_words():
    """Every sentence: what is bought, what a node carries, what binds, how surely, what it costs, what to test."""
    found = node_count(CURVE, 5000, utilization=0.7, spare=2, node_price=3.0, growth=0.2, headroom=0.1)
    row = found.glance().iloc[0]
    assert found.headline() == (
        "12 nodes, 2 of them spare, for 6,000 requests per second. A node carries 700 per second (95 %"
        " interval 692.7 to 793.6) at a share of the highest throughput of 0.7: within the measured loads, at 9.838"
        " connections. Of that rate 10 % is left free."
        " They suffice without the spare with a probability of at least 0.999, by the errors of the curve."
        " Cost: 36. Test 45 connections next: the answer rests on the stretch between 32 and 64 connections."
        " Its standard errors are taken for known: where they come from few repeats, add a"
        " column runs (how many runs a load had)."
    )
    exact = "The curve has no response_p95_std_error: its interval takes response_p95_s for exact."
    without = [name for name in CURVE if name.startswith("response") and name.endswith("std_error")]
    assert exact in node_count(CURVE.drop(columns=without), response_p95_s=0.12).headline()
    assert exact not in node_count(CURVE.assign(response_std_error=0.001), response_p95_s=0.12).headline()
    with_dof = node_count(CURVE.assign(throughput_dof=8), 5000)
    assert "taken for known" not in with_dof.headline()
    assert row[["nodes", "spare", "node_rate_per_s", "objective", "peak_rate_per_s", "cost", "next_load"]].tolist() == [
        12, 2, 700, "utilization", 6000, 36, 45,
    ]  # fmt: skip
    assert (row["utilization"], row["reason"]) == (0.5, "")
    bare = node_count(CURVE.drop(columns=["throughput_std_error", "load_unit"]), 500, spare=0)
    assert bare.headline() == (
        "1 node, for 500 requests per second. A node carries 700 per second at a share of the highest throughput of"
        " 0.7: within the measured loads, at 9.838 users. Test 45 users next: the answer rests on the stretch between"
        " 32 and 64 users. No interval and no probability: the curve has no standard"
        " errors; run each load again."
    )


def test_what_one_node_carries_without_a_rate():
    """Users and rate within a limit, as for a rate; nodes are counted for none."""
    asked, one = node_count(CURVE, 5000, response_p95_s=0.12), node_count(CURVE, response_p95_s=0.12)
    row, same = one.glance().iloc[0], asked.glance().iloc[0]
    alike = ["node_rate_per_s", "low", "high", "objective", "next_load", "next_test"]
    assert row[alike].tolist() == same[alike].tolist()
    assert row[row.isna()].index.tolist() == ["nodes", "peak_rate_per_s", "utilization", "probability", "cost"]
    assert row["load"] == pytest.approx(16 + 16 / 3)
    assert row["next_load"] == 21
    assert node_count(EXACT[:-1], response_p95_s=0.12).glance()["next_load"][0] == 21
    assert "Add rate_per_s=N, the requests per second at the peak, for how many nodes" in one.headline()
    assert "No interval: nothing was run again" in node_count(CURVE.assign(throughput_dof=0)).headline()
    with pytest.raises(CannotPlan, match="expected a rate, to count nodes for, found none"):
        _ = one.nodes


@pytest.mark.parametrize(
    ("objective", "limit", "rate", "load"),
    [
        ("utilization", 1, 1000, 32),
        ("utilization", 0.05, 50, 0.5),
        ("response_p95_s", 0.09, 900, 16),
        ("response_p95_s", 0.025, 2.5 / (0.01 + (4 / 380 - 0.01) / 2), 2.5),
        ("response_s", 0.0103, 2.8 / (0.01 + (4 / 380 - 0.01) * 0.6), 2.8),
    ],
)
def test_the_safe_rate_at_and_between_loads(objective, limit, rate, load):
    """At a measured load its own rate, by Little's law between two; a share below the first in proportion."""
    found = node_count(EXACT, 5000, **{objective: limit}).tidy().iloc[0]
    assert found["load"] == pytest.approx(load)
    assert found["node_rate_per_s"] == pytest.approx(rate)


def test_how_many_nodes_at_the_edges():
    """A rate that so many nodes carry to the digit needs no further one; headroom, growth and spare ones add up."""
    assert [node_count(EXACT, rate, spare=0).nodes for rate in (700, 700.1, 1400, 1)] == [1, 2, 2, 1]
    assert node_count(EXACT, 700, growth=-0.5, headroom=0.5, spare=3).nodes == 4
    assert node_count(EXACT, 700, utilization=0.35, spare=0).nodes == 2
    grown = {"growth": 0.1, "utilization": 0.55, "spare": 0}  # 1,500 and a tenth more are 3 times 550
    assert 1500 * 1.1 / 550 > 3  # but for the arithmetic
    assert [node_count(EXACT, rate, **grown).nodes for rate in (1500, 1500.000001)] == [3, 4]


def test_a_smoothed_rate_is_not_called_measured():
    """PostgreSQL's of the page on load tests: the plan rests on 4,032 per second; 4,668 is the highest measured."""
    errors = [86, 150, 238, 340, 462, 360]
    rates = {"load": [1, 2, 4, 8, 16, 32], "throughput_per_s": [1104.4, 1971.6, 3399.7, 4083.8, 4668.3, 3586.5]}
    responses = {"response_s": [0.00091, 0.00102, 0.00118, 0.00196, 0.00339, 0.00884]}
    curve = pd.DataFrame(rates | responses | {"throughput_std_error": errors, "throughput_dof": 6})
    found = node_count(curve, 20000)
    highest = found.node_rate_per_s / 0.7
    assert highest == pytest.approx(4032, abs=2)
    assert f"too high: {highest:,.0f} per second, where 4,668 was measured at 16 users." in found.headline()
    assert ": measured" not in found.headline()
    assert found.glance()["utilization"].item() == pytest.approx(20000 / (found.nodes * highest))
    assert "smoothed" not in node_count(CURVE, 500).headline()  # the load beyond the highest is surely lower


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
    assert found.tidy()["limit_reached"].tolist() == ["within the measured loads"]


@pytest.mark.parametrize(("longest_s", "at_pace"), [(0.06, False), (0.08, True)])
def test_users_at_a_pace_ask_sooner_than_those_with_a_pause(longest_s, at_pace):
    """With a pause of 0.99 s each would ask 5 or 7 % later than they do."""
    curve = pd.DataFrame(
        {"load": [10, 20, 40], "throughput_per_s": [10, 20, 40], "response_s": [0.01, 0.02, longest_s]}
    )
    assert NodeCurve(curve).pace_s == (1 if at_pace else math.inf)


@pytest.mark.parametrize(("behind_s", "jumps"), [(0.28, True), (0.32, False)])
def test_a_response_jumps_where_it_rises_twice_as_steeply_as_behind(behind_s, jumps):
    """By 1 s, less twice what it rises behind, which has to be more than a fifth of the 2 s there."""
    curve = pd.DataFrame({"load": [1, 2, 3], "throughput_per_s": [1, 1.5, 1.7], "response_s": [1, 2, 2 + behind_s]})
    assert NodeCurve(curve).jumps["response_s"].tolist() == [False, jumps, False]


@pytest.mark.parametrize("share", [1, 1 + 1e-13])
def test_all_of_the_highest_throughput_is_at_the_last_load(share):
    """A load that was a rounding error beyond the last one, or a share of as much above 1, ended in a traceback."""
    for last in range(41, 81):
        plan = node_count(network([5, 20, 40, last]), 30, utilization=share)
        assert "carries" in plan.headline()
        assert plan.tidy()["load"].tolist() == pytest.approx([last])


def test_users_at_a_share_of_the_highest_throughput_follow_little():
    """Of a network measured at 1, 4, 16, 64: N / X is a line between them; by that of X 29 % more users were told."""
    few, whole = network([1, 4, 16, 64]), network(range(1, 65))
    found = node_count(few, utilization=0.7).tidy().iloc[0]
    cycles = np.interp(found["load"], few["load"], few["load"] / few["throughput_per_s"])
    assert found["load"] / cycles == pytest.approx(found["node_rate_per_s"])
    truth = np.interp(found["node_rate_per_s"], whole["throughput_per_s"], whole["load"])
    assert truth < found["load"] < 1.1 * truth


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


def test_the_highest_of_noisy_rates_is_no_node_rate():
    """A flat end of a curve: of six measured with noise at most two have intervals wholly above the truth.

    By the maximum of the noisy rates nearly all were, and the nodes sufficed half as often as told.
    """
    random, above, rates = np.random.default_rng(11), 0, []
    true = mva([0.001], [10, 40, 80, 120, 160, 200, 300, 400, 600], think_s=0.1).rename(columns={"users": "load"})
    highest, error = true["throughput_per_s"].max(), 0.03 * true["throughput_per_s"]
    for _ in range(6):
        noise = error * random.standard_normal(len(true))
        curve = true.assign(throughput_per_s=true["throughput_per_s"] + noise, throughput_std_error=error)
        found = node_count(curve, 1000, utilization=0.7, think_s=0.1)
        above += found.interval[0] > 0.7 * highest
        rates.append(found.node_rate_per_s / (0.7 * highest))
    assert above <= 2
    assert np.mean(rates) == pytest.approx(1, abs=0.015)


def test_what_to_test_next():
    """Beyond the last load while throughput rises by more than its errors; between two; the last one again."""
    rising = CURVE.head(4)
    assert node_count(rising, 500).next_test == (64, "the throughput still rises at the last load")
    near = (9, "the answer rests on the stretch between 4 and 16 connections")
    assert node_count(rising, 500, response_p95_s=0.055).next_test == near  # not where the throughput ends
    assert node_count(rising, 500, response_p95_s=0.2).next_test[0] > 32
    assert node_count(CURVE, 5000, response_p95_s=0.12).next_test[0] == 21
    assert node_count(CURVE, 5000, response_p95_s=0.095).next_test[0] == 23  # 17 is too near to 16
    level = rising.assign(throughput_per_s=[100.0, 380, 980, 1000])
    stretch = "the answer rests on the stretch between"
    assert node_count(level, 500).next_test == (23, f"{stretch} 16 and 32 connections")
    peak = CURVE.assign(load=[1, 4, 16, 20, 64])
    assert node_count(peak, 500).next_test == (36, f"{stretch} 20 and 64 connections")  # the wider side
    near = CURVE.assign(load=[1, 2, 3, 4, 5])
    assert node_count(near, 500).next_test == (4, f"{stretch} 3 and 4 connections")  # again


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"response_p95_s": 0.001}, r"which the lightest load takes \(1 connection\), found 0"),
        ({"headroom": 1.0}, "headroom"),
        (
            {"headroom": 30},
            r"headroom=\.\.\.\): expected a share from 0 to below 1, found 30\. Write it as a share: 0\.3\.",
        ),
        ({"utilization": 150}, "Give a share above 0, at most 1, or leave it out"),
        ({"growth": 50}, r"a share above -1, at most 10, found 50\. Write it as a share: 0\.5\."),
        ({"spare": 1.5}, "spare"),
        ({"rate_per_s": None, "growth": 0.2}, "rate_per_s beside it, found none"),
        ({"node_price": -5}, r"expected a number of 0 or more, found -5\. Give a number of 0 or more"),
        (
            {"rate_per_s": 1e300},
            r"at most 700,000,000 requests per second, found 1e\+300\. The most .* are a million nodes, at 700 each",
        ),
        ({"rate_per_s": 0}, r"rate_per_s=\.\.\.\): expected a number above 0, found 0\."),
        ({"level": 0.3}, r"node_count\(level=\.\.\.\): expected a number between 0\.5 and 1, found 0\.3"),
    ],
)
def test_mistakes(settings, says):
    with pytest.raises(CannotPlan, match=says):
        node_count(CURVE, **{"rate_per_s": 100} | settings).glance()


def test_a_curve_of_a_tool_without_a_95th_percentile_says_so(capsys, tmp_path):
    """As of wrk: its cells are empty, and another mapping would not help."""
    curve = CURVE.assign(response_p95_s=np.nan)
    with pytest.raises(CannotPlan, match=r"wrk has 50, 75, 90 and 99 %\. .* a limit of the mean: response_s=\.\.\."):
        node_count(curve, response_p95_s=0.2)
    curve.to_csv(tmp_path / "wrk.csv", index=False)
    assert main(["plan", "--curve", str(tmp_path / "wrk.csv"), "--p95", "0.2"]) == 2
    assert "give a limit of the mean: --response SECONDS, or add a column" in capsys.readouterr().err


@pytest.mark.parametrize("heading", ["Load", "threads"])
def test_the_load_is_not_proposed_for_what_is_missing(heading):
    """Where a percentile is missing, neither the load nor a mean in its place is to be mapped."""
    own = CURVE[["load", "throughput_per_s", "response_s"]].rename(columns={"load": heading})
    own["90% (sec)"] = 1.0
    with pytest.raises(CannotPlan, match=r"name its columns: mapping={'COLUMN': 'response_p95_s\[ms\]'}\.$"):
        node_count(own, response_p95_s=0.2)
    with pytest.raises(CannotPlan, match=r"mapping={'requests': 'throughput_tps\[tps\]'}\.$"):
        node_count(own.rename(columns={"throughput_per_s": "requests"}))


def test_a_limit_that_no_load_reaches_is_told():
    """200 where milliseconds are meant: 200 s is beyond every load of the test."""
    longest = EXACT["response_s"].max()
    said = node_count(EXACT, 5000, response_s=200).headline()
    assert f"The longest that was measured is {longest:g} s; limits are in seconds." in said
    assert "limits are in seconds" not in node_count(EXACT, 5000, response_s=2 * longest).headline()


def test_percentiles_of_samples_give_no_probability():
    """Means of the percentiles of seconds are none of the requests: neither an interval nor a probability."""
    found = node_count(CURVE.assign(response_p95_of="samples"), 5000, response_p95_s=0.12)
    assert np.isnan([found.probability, *found.interval]).all()
    reason = found.glance()["reason"].item()
    assert reason.startswith("no interval and no probability: the 95th percentiles of the curve are means of")
    assert "that of all requests is mostly longer, so a node may carry less" in found.headline()
    assert node_count(CURVE.assign(response_p95_of="samples"), 5000, response_s=0.02).probability > 0


def test_the_interval_has_the_errors_of_the_percentile():
    """With an error of 10 % of each percentile it is much wider than with that of the mean, 0.3 to 1 %."""
    curve = CURVE.assign(throughput_std_error=0.1)
    sharp = node_count(curve, 5000, response_p95_s=0.12)
    known = sharp.interval
    assert sharp.glance()["reason"].item() == ""
    wide = node_count(curve.assign(response_p95_std_error=0.1 * CURVE["response_p95_s"]), 5000, response_p95_s=0.12)
    assert wide.node_rate_per_s - wide.interval[0] > 3 * (wide.node_rate_per_s - known[0])


@pytest.mark.parametrize(("limit_s", "last", "error"), [(0.15, 40, 0.01), (0.15, 20, 0.002)])
def test_the_interval_has_what_is_not_known_between_the_loads(limit_s, last, error):
    """One server, exact, at a few loads with known errors: a line between two of them is below the true rate.

    So it is between the last two loads, beyond which the rates are those of a law.
    """
    whole = mva([0.05], list(range(1, 81)), think_s=1.0)
    few = whole[whole["users"].isin([2, 5, 10, 20, last])].rename(columns={"users": "load"})
    few["throughput_std_error"] = error * few["throughput_per_s"]
    few["response_std_error"] = 2 * error * few["response_s"]
    found = node_count(few, 200, response_s=limit_s, spare=0)
    truth = np.interp(limit_s, whole["response_s"], whole["throughput_per_s"])
    assert found.node_rate_per_s < truth
    assert found.interval[0] < truth < found.interval[1] < 1.15 * truth
    assert "with a probability of at least" in found.headline()


def curve_with_a_peak_at_6(*loads):
    """In proportion to the load up to 600 at a load of 6, then with its power of -0.5; known to a millionth."""
    load = np.array(loads, dtype=float)
    rates = np.where(load < 6, 100 * load, 600 * (load / 6) ** -0.5)
    rows = {"load": load, "throughput_per_s": rates, "throughput_std_error": 1e-6 * rates, "response_s": load / rates}
    return pd.DataFrame(rows)


@pytest.mark.parametrize("objective", [{"utilization": 0.7}, {"response_s": 0.02}])
def test_the_interval_has_a_peak_between_two_loads(objective):
    """The lines on either side meet at the peak; the lower end is the highest measured rate, 520 at a load of 8."""
    curve = curve_with_a_peak_at_6(1, 2, 4, 8, 16)
    found, share = node_count(curve, 1000, spare=0, **objective), objective.get("utilization", 1)
    highest = curve["throughput_per_s"].max()
    assert found.node_rate_per_s == pytest.approx(share * highest)
    assert found.interval == pytest.approx((share * highest, share * 600), rel=0.002)
    assert "a probability of at least" in found.headline()
    rising = node_count(curve.head(4), 1000, utilization=0.7)  # no fall was measured
    assert rising.interval == pytest.approx([0.7 * highest] * 2, rel=0.001)
    assert "a probability of at least" not in rising.headline()


@pytest.mark.parametrize(
    ("loads", "most"),
    [
        ((2, 10, 20), 600),  # before the first load in proportion to it, to the line through the last two
        ((1, 2, 4, 8, 24), 300 * 24 / 11.92),  # 520 (load/8)^0.377 is 300 (24/load) at 11.92
        ((8, 12, 24), 600 * (8 / 6) ** -0.5),  # nothing lower than the first load was tested
    ],
)
def test_a_peak_between_the_first_or_the_last_two_loads(loads, most):
    found = node_count(curve_with_a_peak_at_6(*loads), 1000, utilization=1)
    assert found.interval[1] == pytest.approx(most, rel=0.002)


def test_a_fall_that_errors_alone_explain_leaves_the_interval_narrow():
    """Level from 16 to 32: no load is measured behind a peak, though in some draws one is."""
    rates = np.array([100.0, 200, 400, 800, 1200, 1200])
    rows = {"load": [1, 2, 4, 8, 16, 32], "throughput_per_s": rates, "throughput_std_error": 0.02 * rates}
    low, high = node_count(pd.DataFrame(rows | {"throughput_dof": 6}), 1000, utilization=0.7).interval
    assert [low / 840, high / 840] == pytest.approx([0.96, 1.04], abs=0.02)


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


@pytest.mark.parametrize("heading", ["tps", "throughput_per_s", "requests/s"])
def test_a_cell_of_text_is_refused_under_any_heading(tmp_path, heading):
    """With its line, and not the blank one before it; a cell that means nothing is none of it."""
    path = tmp_path / "own.csv"
    path.write_text(f"users,{heading},response_ms\n1,50,10\n2,n/a,10\n4,x340,12\n8,200,20\n")
    with pytest.raises(CannotPlan, match=rf"column {heading}, line 4: expected a number, found 'x340'"):
        node_count(path, 100)
    path.write_text(path.read_text().replace("x340", "150").replace("20\n", "2O\n"))
    with pytest.raises(CannotPlan, match="column response_ms, line 5: expected a number, found '2O'"):
        node_count(path, 100, response_s=0.05)
    path.write_text(path.read_text().replace("2O\n", "20\n"))
    assert node_count(path, 100, response_s=0.05).curve["load"].tolist() == [1, 4, 8]
    path.write_text("users,tps,p95\n1,50,20ms\n2,90,30ms\n")
    with pytest.raises(CannotPlan, match="no response_p95_s") as caught:
        node_count(path, 100, response_p95_s=0.05)
    assert "wrk" not in str(caught.value)


def test_a_file_of_runs_is_its_curve(tmp_path):
    """Several runs of a load, one of them failed: what `curve` makes of the file, with its notes and errors."""
    runs = pd.concat([CURVE, CURVE.assign(throughput_per_s=1.02 * CURVE["throughput_per_s"])])
    runs = runs[["load", "throughput_per_s", "response_s"]].rename(columns={"load": "users"})
    runs["errors/s"] = np.where(runs["users"] == runs["users"].max(), runs["throughput_per_s"] / 2, 0)
    path = tmp_path / "runs.csv"
    runs.to_csv(path, index=False)
    found, known = node_count(path, 500), node_count(curve(path), 500)
    pd.testing.assert_frame_equal(found.glance(), known.glance())
    assert found.curve["load"].tolist() == CURVE["load"].tolist()[:-1]
    assert found.interval == known.interval != (math.nan, math.nan)


def test_curves_of_few_loads():
    """Two are enough, in any order; two rows of one load are not, nor are loads and rates of nothing."""
    two = node_count(EXACT.iloc[[3, 0]], 500, spare=0)
    assert (two.nodes, two.curve["load"].tolist()) == (1, [1, 32])
    with pytest.raises(CannotPlan, match="expected two different loads or more, a row each, found 2 in 3 rows"):
        node_count(CURVE.iloc[[0, 1, 1]], 500)
    with pytest.raises(CannotPlan, match="found 1 in 1 row"):
        node_count(CURVE.iloc[:3].assign(load=[0, 1, 2], throughput_per_s=[1, 5, 0]), 500)
    with pytest.raises(CannotPlan, match=r"column response_s, row 2: expected a finite number, found inf\."):
        node_count(CURVE.assign(response_s=[1, math.inf, 1, 1, 1]), 500)
    with pytest.raises(CannotPlan, match="found no load and no throughput_per_s"):
        node_count(CURVE[["response_s"]], 500)


def test_on_the_command_line(tmp_path, capsys):
    """JSON, words, and options that need each other; the columns are those of the vocabulary."""
    path = str(tmp_path / "curve.csv")
    CURVE.to_csv(path, index=False)
    words = ["plan", "--curve", path, "--rate", "5000", "--p95", "0.12", "--headroom", "30%", "--node-price", "0.34"]
    assert main([*words, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["glance"][0]["nodes"] == 9
    assert {name for rows in told.values() for row in rows for name in row} <= set(tables.vocabulary())
    assert main(["plan", "--rate", "5000"]) == 2
    assert "--curve" in capsys.readouterr().err
    assert main(["plan", "--curve", path, "--p95", "0.1", "--spare", "2"]) == 2
    assert "--spare: expected --rate beside it, found none." in capsys.readouterr().err
    assert main(["plan", "--curve", path, "--p95", "0.12"]) == 0
    assert capsys.readouterr().out.startswith("One node carries 21 connections, 947.4 requests per second (95 % ")


def test_a_think_time_that_the_curve_contradicts_is_told():
    """Users that think 0.1 s by ``N = X (R + Z)``: 5 s are far off, 0.1 s and none given are not."""
    rows = mva([0.010, 0.004], [1, 4, 16, 32], think_s=0.1)
    curve = pd.DataFrame({"load": [1, 4, 16, 32], "throughput_per_s": rows["throughput_per_s"].to_numpy()})
    curve = curve.assign(response_s=rows["response_s"].to_numpy())
    found = node_count(curve, 200, utilization=0.7, think_s=5)
    assert found.glance()["reason"].item().startswith("the curve implies a think time of 0.1 s")
    assert "The curve implies a think time of 0.1 s" in found.headline()
    for think in ({}, {"think_s": 0.1}):
        assert "implies" not in node_count(curve, 200, utilization=0.7, **think).headline()


def test_errors_of_few_repeats_widen_the_interval_of_a_node():
    """At a share of the highest throughput the rate is that share of Student's t about it; repeats of none are told."""
    curve = CURVE.head(4).assign(throughput_std_error=[1e-9, 1e-9, 1e-9, 20.0])
    for dof, times in ((3, t.ppf(0.975, 3)), (np.inf, norm.ppf(0.975))):
        found = node_count(curve.assign(throughput_dof=dof), 6000).glance().iloc[0]
        top = curve["throughput_per_s"].max()
        assert found["high"] == pytest.approx(0.7 * (top + 20 * times), rel=0.02)
        assert found["reason"] == ""
    never = node_count(curve.assign(throughput_dof=0), 6000).glance().iloc[0]
    told = "no interval and no probability: nothing was run again, so nobody knows how runs differ; run each load again"
    assert never["reason"] == told
    assert never[["low", "high", "probability"]].isna().all()
    with pytest.raises(CannotFit, match="degrees of freedom, 0 or more"):
        node_count(curve.assign(throughput_dof=[3, 3, -1, 3]), 6000)


def test_errors_of_few_repeats_widen_the_interval_for_a_response_too():
    """Where the response alone is not known, the lower end is as much lower as Student's t says (10 %).

    The upper end is what the points on either side leave open, whatever their errors.
    """
    curve = CURVE.head(4).assign(throughput_std_error=1e-6, response_std_error=[1e-9, 1e-9, 1e-9, 0.0002])
    lower = {}
    for dof in (3, np.inf):
        found = node_count(curve.assign(throughput_dof=dof), 6000, response_s=0.025).glance().iloc[0]
        lower[dof] = found["node_rate_per_s"] - found["low"]
    assert lower[3] / lower[np.inf] == pytest.approx(t.ppf(0.975, 3) / norm.ppf(0.975), rel=0.1)


def test_errors_of_a_few_runs_are_pooled_over_the_loads_by_brute_force():
    """The column runs says that they are few: their scatter may grow with the load, by a mean over its powers.

    Errors of unknown or many runs are the own of each load, the latter by Student's t.
    """
    loads, rates, runs = np.array([2.0, 5, 30, 80]), np.array([90.0, 200, 700, 800]), np.array([2, 4, 1, 3])
    curve = pd.DataFrame({"load": loads, "throughput_per_s": rates, "throughput_std_error": [1.0, 9, 2, 50]})
    relative = runs * (curve["throughput_std_error"].to_numpy() / rates) ** 2
    again, powers = runs > 1, np.linspace(-1, 1, 17)
    variances, weights = [], []
    for power in powers:
        shape = loads ** (2 * power)
        scale = np.average((relative / shape)[again], weights=runs[again] - 1)
        of_one = scale * shape[again] / (runs[again] - 1)
        likelihood = np.prod(chi2.pdf(relative[again] / of_one, runs[again] - 1) / of_one)
        variances.append(scale * shape)
        weights.append(norm.pdf(power, scale=0.35) * likelihood)
    pooled = rates * np.sqrt(np.average(variances, axis=0, weights=weights) / runs)
    found = node_count(curve.assign(runs=runs))
    assert found.curve["throughput_std_error"].to_numpy() == pytest.approx(pooled)
    assert found.interval == node_count(curve.assign(throughput_std_error=pooled, throughput_dof=6)).interval
    assert "Its standard errors are of few runs: how much runs differ is estimated from all" in found.headline()
    for unknown in ({}, {"runs": np.nan}, {"runs": 1}):
        assert node_count(curve.assign(**unknown)).interval == node_count(curve).interval
    many = node_count(curve.assign(runs=[10, 30, 10, 12]))
    assert many.interval == node_count(curve.assign(throughput_dof=9)).interval
    assert "standard errors" not in many.headline()


def test_the_interval_holds_the_rate_with_errors_of_two_runs():
    """Of 10 load tests with 6 % between two runs of each load 9 intervals hold it or more; with own errors 7 did."""
    loads = np.array([1.0, 2, 4, 8, 12, 16, 24, 32, 48, 64])
    law, random, held = 100 * loads / (1 + 0.05 * (loads - 1)), np.random.default_rng(8), 0
    for _ in range(10):
        runs = law[:, None] * (1 + 0.06 * random.standard_normal((len(loads), 2)))
        rows = {"load": loads, "throughput_per_s": runs.mean(axis=1), "runs": 2}
        rows["throughput_std_error"] = runs.std(axis=1, ddof=1) / math.sqrt(2)
        low, high = node_count(pd.DataFrame(rows), think_s=0).interval
        held += low <= 0.7 * law.max() <= high
    assert held >= 9


def test_a_total_is_no_load_of_the_curve(tmp_path):
    """By its name it is refused."""
    curve = EXACT.assign(label=["a", "b", "c", "d", "Total"])
    path = tmp_path / "curve.csv"
    curve.to_csv(path, index=False)
    for table, place in ((curve, "row 5"), (path, "line 6")):
        with pytest.raises(
            BadTable, match=f"{place}: expected a measurement in every row, found 'Total' in column label"
        ):
            node_count(table, 5000)


@pytest.mark.parametrize(
    ("heading", "per_second"),
    [
        ("Throughput (req/min)", 1 / 60),
        ("Rate [queries/s]", 1),
        ("ktps", 1000),
    ],
)
def test_a_suggested_mapping_has_the_unit_of_the_heading(heading, per_second):
    """Copied as it stands, it gives the nodes of the same numbers in 1/s."""
    own = pd.DataFrame({"people": EXACT["load"], heading: EXACT["throughput_per_s"] / per_second})
    with pytest.raises(CannotPlan) as caught:
        node_count(own, 5000)
    mapping = ast.literal_eval(re.search(r"mapping=({.*})\.$", str(caught.value))[1])
    found, wanted = node_count(own, 5000, mapping=mapping), node_count(EXACT[["load", "throughput_per_s"]], 5000)
    assert found.node_rate_per_s == pytest.approx(wanted.node_rate_per_s)


@pytest.mark.parametrize("heading", ["Throughput (k)", "Rate € per hour"])
def test_a_suggested_mapping_asks_for_a_unit_that_cannot_be_told(heading):
    own = CURVE[["load", "throughput_per_s"]].set_axis(["people", heading], axis="columns")
    with pytest.raises(CannotPlan, match=rf"'{re.escape(heading)}': '\w+\[UNIT\]'}} \(for UNIT, write the unit"):
        node_count(own, 5000)
    with pytest.raises(BadTable) as caught:
        node_count(own, mapping={heading: "throughput_per_s"})
    asked = f"one that goes into 1/s: mapping={{'{heading}': 'throughput_per_s[UNIT]'}}."
    assert asked in str(caught.value)


def test_headings_are_read_as_by_the_other_commands(tmp_path, capsys):
    """VUs, TPS and milliseconds need no mapping, other names do; the nodes are those of our own headings."""
    own = CURVE.drop(columns=["throughput_std_error", "response_std_error", "load_unit"])
    want = node_count(own, 5000, response_p95_s=0.12).glance()
    columns = own.assign(response_s=1000 * own["response_s"], response_p95_s=1000 * own["response_p95_s"])
    columns.columns = ["VUs", "TPS", "latency [ms]", "p95 (ms)"]
    pd.testing.assert_frame_equal(node_count(columns, 5000, response_p95_s=0.12).glance(), want)
    other = own.rename(columns={"load": "people", "throughput_per_s": "rate", "response_s": "response_ms"})
    other["response_ms"] *= 1000
    minutes = own.assign(throughput_per_s=60 * own["throughput_per_s"]).rename(columns={"load": "users"})
    minutes = minutes.rename(columns={"throughput_per_s": "notesmark_tpm"})
    pd.testing.assert_frame_equal(node_count(minutes, 5000, response_p95_s=0.12).glance(), want)
    path = str(tmp_path / "own.csv")
    other.to_csv(path, index=False)
    words = ["plan", "--curve", path, "--rate", "5000", "--p95", "0.12"]
    assert main(words) == 2
    assert "--map 'people=users'" in capsys.readouterr().err
    assert main([*words, "--map", "people=users", "--map", "rate=throughput_per_s[1/s]"]) == 0
    assert capsys.readouterr().out.startswith("7 nodes")
    assert main(["plan", "--map", "people=users"]) == 2
    assert "--map: expected --catalogue or --curve beside it" in capsys.readouterr().err


def test_a_cell_of_text_is_refused():
    """Beside it the others of its column would stay milliseconds."""
    with pytest.raises(CannotPlan, match=r"column latency \[ms\], row 2: expected a number, found '9 ms'"):
        node_count(CURVE.drop(columns="response_s").assign(**{"latency [ms]": [10, "9 ms", 17, 32, 65]}), 100)


@pytest.mark.parametrize(
    ("failed_load", "limit", "next_load"), [(math.nan, 0.03, 64), (math.nan, 5, 64), (64, 5, 45), (40, 0.03, 36)]
)
def test_the_next_test_lies_below_a_load_that_failed(failed_load, limit, next_load):
    """Between the last load and that one; else it is twice the last load."""
    rows = {"load": [1, 4, 16, 32], "throughput_per_s": [10, 39, 150, 280], "response_s": [0.01, 0.011, 0.014, 0.02]}
    nodes = node_count(pd.DataFrame(rows | {"failed_load": failed_load}), 1000, response_s=limit)
    assert nodes.next_test == (next_load, "no measured load is beyond the limit")


def test_the_loads_of_a_cluster_are_no_curve_of_a_node(tmp_path):
    """One to eight nodes that carry 100 per second each were planned as a node that carries 560 of 800."""
    path = tmp_path / "cluster.csv"
    path.write_text("Nodes,users,req/s\n1,10,100\n2,20,200\n4,40,400\n8,80,800\n", encoding="utf-8")
    with pytest.raises(CannotPlan, match=r"column Nodes: expected the curve of one node, found 4 \(1, 2, 4, 8\)"):
        node_count(path, 1000)
    assert any("differ in nodes, 4 (1, 2, 4, 8)" in note for note in dominoperf.curve(path).attrs["notes"])
    one = pd.DataFrame({"Nodes": [1, 1], "users": [10, 20], "req/s": [100, 120]})
    assert node_count(one, 1000).nodes == 13  # of 84 per second each, and a spare
    replicas = pd.DataFrame({"replicas": [1, 2, 4], "req/s": [210, 405, 760]})
    with pytest.raises(CannotPlan, match="What N replicas carry together says forecast"):
        node_count(replicas, mapping={"replicas": "load"})
    replicas.rename(columns={"replicas": "Number of pods"}).to_csv(tmp_path / "own.csv", index=False)
    of_pods = dominoperf.curve(tmp_path / "own.csv", x="Number of pods")
    with pytest.raises(CannotPlan, match="What N pods carry together says forecast"):
        node_count(of_pods)
    with pytest.raises(CannotPlan, match=r"column vCPUs: expected the curve of one node, found 2 \(2, 4\)"):
        node_count(one.rename(columns={"Nodes": "vCPUs"}).assign(vCPUs=[2, 4]), 1000)


def test_a_folder_of_load_tests_is_no_curve_yet(tmp_path):
    """The command that makes a curve of it is told; it was asked for a path or a URL."""
    with pytest.raises(CannotPlan, match=r"found a folder\. Make one of it: `curve\('\S+'\)`"):
        node_count(tmp_path, 1000)


def test_a_file_of_a_tool_is_no_curve(tmp_path):
    """It proposed to map the texts of metric_name to milliseconds."""
    path = tmp_path / "stages.csv"
    rows = [
        f"{name},{1767225600 + s},{value},GET"
        for s in range(120)
        for name, value in (("vus", 5 * (1 + s // 40)), ("http_reqs", 1), ("http_req_duration", 90 + s % 7))
    ]
    path.write_text("\n".join(["metric_name,timestamp,metric_value,method", *rows]), encoding="utf-8")
    with pytest.raises(CannotPlan, match=r"It is a file of k6: `curve\('.*stages\.csv'\)` makes"):
        node_count(path, 800)


def test_an_offered_rate_is_no_number_of_users():
    """Little's law says nothing of it; and what is delivered short of it is the most, though it is the highest yet."""
    rates = pd.DataFrame(
        {"load": [30, 60, 88, 120], "throughput_per_s": [30.0, 60, 87.9, 100], "response_s": [0.02, 0.02, 0.05, 5]}
    )
    rates = rates.assign(throughput_std_error=0.1, throughput_dof=4)
    offered = node_count(rates.assign(load_unit="requests per second"))
    assert "Little's law" not in offered.headline()
    assert offered.next_test == (103, "the answer rests on the stretch between 88 and 120 requests per second")
    users = node_count(rates.assign(load_unit="users"))
    assert "by up to 317 %, which Little's law rules out" in users.headline()


def test_loads_without_a_steady_run_are_told():
    """A service that slows down in every run: what it carried in five minutes is not what it carries."""
    steady = node_count(EXACT.assign(steady_runs=[2, 2, 1, 2, np.nan]), 500)
    assert "steady" not in steady.headline()
    falling = node_count(EXACT.assign(steady_runs=[2, 2, 0, 2, 0]), 500)
    assert "No run was steady at 16 and 64 connections: what was carried there may not last." in falling.headline()


def test_users_who_mostly_wait_are_no_stream_of_requests():
    """Two servers of 20 ms, tested by 1 to 32 connections: a stream of 95 per second takes 0.22 s, not 0.16."""
    loads = np.array([1, 2, 4, 8, 16, 32])
    rates = np.minimum(loads * 50.0, 100)
    closed = pd.DataFrame({"load": loads, "throughput_per_s": rates, "response_s": loads / rates})
    said = "100 % of the users wait for an answer there, and ask again when they have it"
    assert said in node_count(closed, 950, response_s=0.16).headline()
    assert said not in node_count(closed, 950).headline()  # nobody asked for a response
    thinking = closed.assign(load=loads + rates * 5)
    assert "wait for an answer there" not in node_count(thinking, 950, response_s=0.16, think_s=5).headline()


def test_pauses_that_grow_with_the_users_are_told(tmp_path, capsys):
    """Eight connections hold 320 users back: their responses are short, as the wait for a connection is not counted.

    Each pauses 0.5 s; `curve` and `plan --curve` say it, once.
    """
    users, rates = np.array([10, 40, 80, 160, 320]), np.array([17.5, 70, 139, 199, 201])
    curve = pd.DataFrame({"users": users, "throughput_per_s": rates, "response_s": [0.07, 0.07, 0.075, 0.08, 0.08]})
    curve.to_csv(path := tmp_path / "held.csv", index=False)
    said = "at 320 users each seems to pause 1.512 s, at fewer 0.5005 s: requests are missing from the throughput"
    assert main(["curve", str(path)]) == 0
    assert capsys.readouterr().err.count(said) == 1
    for given in (path, dominoperf.curve(path)):
        assert node_count(given, response_s=0.2).headline().count(said[1:]) == 1
    offered = dominoperf.curve(path).assign(load_unit="requests per second")
    offered.attrs = {}
    assert "pause" not in node_count(offered, response_s=0.2).headline()


def test_a_response_that_falls_by_more_than_it_scatters_is_not_averaged_away():
    """Heavy requests starve from 160 users on: 0.5 s, which 45 users keep, were told to be kept by 640."""
    loads = {"load": [20, 40, 80, 160, 320], "throughput_per_s": [38, 73, 137, 264, 513]}
    curve = pd.DataFrame(loads | {"response_s": [0.036, 0.055, 0.082, 0.107, 0.119]})
    curve["response_p95_s"] = [0.245, 0.409, 0.859, 0.0215, 0.019]
    found = node_count(curve, response_p95_s=0.5)
    assert found.tidy()["load"].item() == 40
    said = "The 95th percentile of response falls from 0.859 s at 80 users to 0.0215 s at 160"
    assert said in found.headline()
    assert "falls from" not in node_count(curve, response_s=0.1).headline()
    noisy = curve.assign(response_p95_s=[0.245, 0.409, 0.859, 0.82, 0.9])
    averaged = node_count(noisy, response_p95_s=0.85)  # 0.859 and 0.82 are one value with scatter
    assert averaged.tidy()["load"].item() > 160
    assert "falls from" not in averaged.headline()


def test_responses_behind_the_peak_are_measured_too():
    """At the peak, 32 users, 0.09 s were measured; 0.267 s and a fall behind it decide nothing, and are not denied."""
    loads = {"load": [8, 16, 32, 64, 128], "throughput_per_s": [240, 470, 600, 560, 400]}
    curve = pd.DataFrame(loads | {"response_s": [0.01, 0.02, 0.09, 0.267, 0.1]})
    found = node_count(curve, response_s=0.2)
    assert found.node_rate_per_s == 600
    assert "below a mean response of 0.2 s: the throughput peaks before a load exceeds it" in found.headline()
    assert "The longest that was measured" not in found.headline()
    assert "falls from" not in found.headline()
    assert node_count(curve.assign(load=curve["load"] / 1000), response_s=0.05).next_test[0] == 0.023


@pytest.mark.parametrize(("later", "error", "falls"), [(0.15, None, True), (0.17, None, False), (0.15, 0.02, False)])
def test_what_fall_of_a_response_is_no_scatter(later, error, falls):
    """More than 20 % where no errors are known, else more than three standard errors too."""
    curve = pd.DataFrame(
        {"load": [1, 2, 4, 8], "throughput_per_s": [10, 20, 38, 60], "response_s": [0.05, 0.2, later, 0.4]}
    )
    if error:
        curve = curve.assign(response_std_error=error)
    assert ("falls from 0.2 s at 2 users" in node_count(curve, response_s=0.3).headline()) == falls


def test_the_errors_of_a_fall_are_those_of_the_two_loads():
    """The highest so far, at 2 users, is known to 30 %: a load between them that is known well does not count."""
    curve = pd.DataFrame(
        {"load": [1, 2, 4, 8], "throughput_per_s": [10, 20, 38, 60], "response_s": [0.05, 0.2, 0.19, 0.15]}
    )
    curve = curve.assign(response_std_error=[0.001, 0.06, 0.001, 0.001])
    assert "falls from" not in node_count(curve, response_s=0.3).headline()
    assert "falls from" in node_count(curve.assign(response_std_error=0.001), response_s=0.3).headline()


def test_notes_of_ones_own_silence_none_of_ours():
    table = EXACT.assign(failures=[0, 0, 0, 1, 2])
    table.attrs["notes"] = ["nightly"]
    said = node_count(table).headline()
    assert "it is not told of how many" in said
    assert "ightly" not in said


@pytest.mark.parametrize(
    ("pause_s", "limit_s", "told"), [(0.06, 0.1, True), (0.14, 0.1, False), (0.0, 0.021, True), (0.0, 0.0151, False)]
)
def test_when_users_are_said_to_wait(pause_s, limit_s, told):
    """More than half of them, at more than 70 % of the highest throughput: here 80 and 62 %."""
    rates, response = np.array([40.0, 62, 80, 100]), np.array([0.01, 0.015, 0.021, 0.1])
    curve = pd.DataFrame({"load": rates * (response + pause_s), "throughput_per_s": rates, "response_s": response})
    said = node_count(curve, response_s=limit_s).headline()
    assert ("wait for an answer there" in said) == told


@pytest.mark.parametrize(
    ("limit", "users"),
    [({"response_s": 1}, 106), ({"response_s": 0.5}, 99), ({"response_p95_s": 0.5}, 97), ({"utilization": 0.9}, 90)],
)
def test_users_with_a_pace(limit, users):
    """A request each second, or at once if the last took longer, to 2 servers of 20 ms: by an exact simulation.

    The response is 0.07 s at 88 users, 1.05 at 107, 1.6 at 160. A line from 80 to 160 said 128, 80 requests per second.
    """
    rates = np.array([20, 40, 80.01, 99.53])
    curve = pd.DataFrame({"users": [20, 40, 80, 160], "throughput_per_s": rates})
    curve = curve.assign(response_s=[0.0219, 0.0247, 0.0436, 1.608], response_p95_s=[0.063, 0.071, 0.117, 1.834])
    row = node_count(curve, **limit).tidy().iloc[0]
    assert 0.85 * users < row["load"] <= users
    assert row["node_rate_per_s"] == pytest.approx(row["load"], rel=0.01)
    said = node_count(curve, **limit).headline()
    assert "users wait for an answer" not in said
    assert "the answer rests on the stretch between 80 and 160" in said


def test_a_node_that_is_nearly_full_is_told():
    """It meets its response with a CPU at 97 %: by lines between the loads; not where some of a node is left free."""
    full = EXACT.assign(**{"CPU [%]": [5, 20, 70, 99, 100], "disk_busy_percent": [1, 2, 3, 81, 90]})
    said = "At 32 connections the CPU is 99 % busy and the busiest disk is 81 % busy, which leaves little for a burst"
    assert said in node_count(full, response_s=0.032).headline()
    assert "At 21.33 connections the CPU is 79.67" not in node_count(full, response_p95_s=0.12).headline()
    assert "busy" not in node_count(full, 5000, response_s=0.032, headroom=0.3).headline()
    assert "busy" not in node_count(full.assign(**{"CPU [%]": [20, 80, 280, 390, 400]}), response_s=0.02).headline()
    assert "busy" not in node_count(full, response_s=0.012).headline()
    shares = EXACT.assign(cpu_utilization=[0.05, 0.2, 0.7, 0.95, 1])
    assert "the CPU is 95 % busy" in node_count(shares, response_s=0.032).headline()


def test_a_further_load_below_1_is_no_0():
    """Rates of 0.1 to 0.3 per second, still rising."""
    few = pd.DataFrame({"load": [0.05, 0.1, 0.2], "throughput_per_s": [0.05, 0.1, 0.2], "response_s": [1.0, 1, 1]})
    assert node_count(few, response_s=2).next_test[0] == 0.4


def curve_with_a_jump():
    """A cache that no longer holds the data from 44 users on: 0.017 s at 44, 0.142 s at 46."""
    rates = np.array([9.84, 19.68, 39.85, 74.66, 143.4])
    curve = pd.DataFrame({"load": [10, 20, 40, 80, 160], "throughput_per_s": rates, "throughput_std_error": rates / 70})
    curve["response_s"] = [0.008, 0.0081, 0.0079, 0.0724, 0.1128]
    curve["response_p95_s"] = [0.017, 0.01655, 0.0175, 0.1625, 0.165]
    return curve.assign(response_p95_std_error=[0.0006, 0.0006, 0.0003, 0.003, 0.003])


@pytest.mark.parametrize("limit", [0.05, 0.1, 0.14])
def test_a_percentile_that_jumps_is_no_line(limit):
    """By a line 62 users were told."""
    found = node_count(curve_with_a_jump(), 500, response_p95_s=limit)
    assert (found.node_rate_per_s, found.tidy()["load"].item()) == (39.85, 40)
    assert found.interval[0] < 39.85 < 44 < 74.66 < found.interval[1]
    assert "percentile of response jumps from 0.0175 s at 40 users to 0.1625 s at 80 users" in found.headline()
    assert found.next_test == (57, "the answer rests on the stretch between 40 and 80 users")


def test_where_a_percentile_does_not_jump():
    """Where its error explains the rise, where it rises as steeply behind, and beyond the jump."""
    curve = curve_with_a_jump()
    rising = curve.assign(response_p95_s=[0.017, 0.0165, 0.0175, 0.1625, 0.5])
    for given, limit in ((curve.assign(response_p95_std_error=0.05), 0.1), (rising, 0.1), (curve, 0.164)):
        assert "jumps" not in node_count(given, 500, response_p95_s=limit).headline()


def test_the_pause_between_two_loads_is_theirs():
    """It grows with the load: 160 users made 267 per second and 240 made 325, so 171 make about 275; 324 were told."""
    users, rates = [20, 40, 80, 120, 160, 240], np.array([50, 100, 198, 243, 267, 325])
    curve = pd.DataFrame({"load": users, "throughput_per_s": rates, "throughput_std_error": 0.004 * rates})
    curve["response_s"] = [0.2, 0.201, 0.203, 0.207, 0.238, 0.32]
    found = node_count(curve, response_s=0.25)
    assert found.tidy()["load"].item() == pytest.approx(171.7, abs=0.1)
    assert found.node_rate_per_s == pytest.approx(278, abs=2)
    assert found.interval[1] < 290


def test_the_interval_at_a_response_has_the_errors_of_the_throughput():
    """An error of 10 % in the throughput is one of 10 % in the rate within a response that is known."""
    for share in (0.005, 0.1):
        curve = CURVE.drop(columns="response_std_error").head(4)
        curve["throughput_std_error"] = share * curve["throughput_per_s"]
        found = node_count(curve, response_p95_s=0.12)
        assert found.node_rate_per_s - found.interval[0] > share * found.node_rate_per_s
