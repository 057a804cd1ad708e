"""Runs, curves, comparisons and readers at their edges: values by hand or by brute force, and what is said of them."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy import stats
from statsmodels.genmod.families import Gamma, links
from statsmodels.genmod.generalized_linear_model import GLM

from dominoperf import ab, change_points, curve, measured_runs, tables
from dominoperf.errors import BadTable, CannotFit, DominoperfError, UnknownName, at_shell
from dominoperf.loadtests import batch_means, mser, readers, roll_up, steady_runs, steady_state
from dominoperf.loadtests.load_curve import combined, repeat_variance, runs_of_samples, usable_runs
from dominoperf.loadtests.load_generators import clock_of_recording, overlaps_in_words, ran_at_once
from dominoperf.loadtests.readers.recording import ReaderClock, ReaderNotes
from dominoperf.loadtests.samples import (
    Samples,
    factor_to_per_second,
    measured_columns_of_samples,
    rows_of_each_run,
    sample_clock,
    sample_column,
    sample_seconds,
)
from dominoperf.tables.rendering import number

NAN = math.nan


def told(frame):
    """The notes of a frame in one text."""
    return "\n".join(frame.attrs["notes"])


def written(tmp_path, text, name="file.txt"):
    """A file with a text."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


# ---- means


def test_a_mean_of_ten_samples_by_hand():
    """Each its own batch; the error widened by the lag-1 autocorrelation, Student's t on what is left."""
    values = np.array([1.0, 2, 4, 3, 5, 7, 6, 8, 9, 7])
    found = batch_means.mean_by_batches(values, 0.9)
    residual = values - values.mean()
    alike = (residual[1:] @ residual[:-1]) / (residual @ residual)
    alike += (1 + 3 * alike) / 10
    widened = (1 + alike) / (1 - alike)
    error = math.sqrt(residual @ residual / 9 / 10 * widened)
    dof = max(10 / widened - 1, 2)
    assert (found.value, found.std_error) == (pytest.approx(5.2), pytest.approx(error))
    reach = stats.t.ppf(0.95, dof) * error
    assert [found.low, found.high] == pytest.approx([5.2 - reach, 5.2 + reach])
    assert found.effective == pytest.approx(residual @ residual / 10 / error**2)
    assert found.reason == f"10 samples worth {found.effective:.0f} independent ones"
    assert batch_means.mean_by_batches(values[:9], 0.9).reason == "9 samples: too few for an error"
    assert math.isnan(batch_means.mean_by_batches(values[:9], 0.9).std_error)
    assert batch_means.mean_by_batches(values[:0], 0.9).reason == "no samples"
    same = batch_means.mean_by_batches(np.full(10, 3.0), 0.9)
    assert (same.value, same.std_error, same.low, same.high, same.effective) == (3, 0, 3, 3, 10)
    assert same.reason == "all samples are equal"


def test_a_weighted_mean_is_a_ratio():
    """Of samples w (y - mean) / mean(w); a weight of 0 measured nothing."""
    values, weights = np.arange(12.0) % 5, np.array([1.0, 2, 3, 0, 1, 4, 2, 2, 5, 1, 3, 2])
    found, kept = batch_means.mean_by_batches(values, 0.95, weights), weights > 0
    mean = (weights @ values) / weights.sum()
    parts = weights[kept] * (values[kept] - mean) / weights[kept].mean()
    same = batch_means.mean_by_batches(parts, 0.95)
    assert found.value == pytest.approx(mean)
    assert found.std_error == pytest.approx(same.std_error)
    assert found.high - found.value == pytest.approx(same.high - same.value)


def test_more_samples_than_batches_are_joined():
    """Of 100 samples 50 batches of two; so is a slope."""
    values = np.sin(np.arange(100.0) ** 1.3)
    batches = values.reshape(50, 2).mean(axis=1)
    residual = batches - batches.mean()
    error = math.sqrt(residual @ residual / 49 / 50 * batch_means.autocorrelation_widening(residual, 1))
    assert batch_means.mean_by_batches(values, 0.95).std_error == pytest.approx(error)
    at = np.arange(100.0)
    slope, line = (
        batch_means.slope_by_batches(at, values, 0.95),
        stats.linregress(at.reshape(50, 2).mean(1), batches),
    )
    assert slope.value == pytest.approx(line.slope)
    assert slope.std_error >= line.stderr * (1 - 1e-9)


def test_slopes_that_cannot_be_told():
    """Too few samples, one time, and none at all where all are equal."""
    at = np.arange(10.0)
    assert batch_means.slope_by_batches(at[:9], at[:9], 0.95).reason == "9 samples: too few for a slope"
    assert batch_means.slope_by_batches(np.ones(10), at, 0.95).reason == "all samples have one time"
    flat = batch_means.slope_by_batches(at, np.full(10, 2.0), 0.95)
    assert (flat.value, flat.std_error, flat.low, flat.high, flat.effective) == (0, 0, 0, 0, 10)
    assert batch_means.t_quantile(0.95, 0.5) == pytest.approx(stats.t.ppf(0.975, 0.5))
    assert math.isnan(batch_means.t_quantile(0.95, 0))


def test_a_quantile_by_its_share():
    """The 80 % quantile; its error is that of the share at or below it, turned into values by the distribution."""
    groups = [np.arange(10.0) + shift for shift in (0, 1, 0, 2, 1, 0, 1, 2, 0, 1, 1, 0)] + [np.array([])]
    found = batch_means.quantile_by_batches(groups, 0.8, 0.9)
    values = np.concatenate(groups)
    value = np.quantile(values, 0.8)
    of_share = batch_means.mean_by_batches(
        np.array([np.mean(group <= value) for group in groups[:-1]]), 0.9, np.full(12, 10.0)
    )
    error, reach = of_share.std_error, of_share.high - of_share.value
    assert found.value == value
    assert [found.low, found.high] == pytest.approx(np.quantile(values, [0.8 - reach, 0.8 + reach]).tolist())
    assert found.std_error == pytest.approx(np.diff(np.quantile(values, [0.8 - error, 0.8 + error])).item() / 2)
    assert batch_means.quantile_by_batches([], 0.8, 0.9).reason == "no requests"
    assert batch_means.quantile_by_batches(groups[:3], 0.8, 0.9).reason == "3 samples: too few for an error"


def test_roll_up_row_by_row():
    """Units of known columns alone; what is counted is a rate over its seconds; each group by itself, in order."""
    frame = pd.DataFrame({"time_s": [0.0, 1, 3, 4], "driver": ["b", "b", "a", "a"], "users": [1, 2, 3, NAN]})
    frame = frame.assign(mine=[5.0, 7, 9, 11], transactions=[10, 20, 60, 30])
    found = roll_up(frame, by="driver", columns=["users", "mine"], counts="transactions")
    assert [*found] == [
        "driver", "metric", "unit", "mean", "std_error", "low", "high", "samples", "effective_samples", "reason",
    ]  # fmt: skip
    assert found[["driver", "metric", "unit", "mean", "samples"]].to_numpy().tolist() == [
        ["b", "users", "user", 1.5, 2], ["b", "mine", "", 6.0, 2], ["b", "transactions_per_s", "1/s", 20.0, 1],
        ["a", "users", "user", 3.0, 1], ["a", "mine", "", 10.0, 2], ["a", "transactions_per_s", "1/s", 30.0, 1],
    ]  # fmt: skip
    weighted = roll_up(frame, columns=["mine"], weights={"mine": "users"})
    assert weighted[["mean", "samples"]].to_numpy().tolist() == [[(5 + 14 + 27) / 6, 3]]
    assert (
        roll_up(frame.assign(mine=[NAN, 7, 9, 11]), columns=["mine"], weights={"mine": "users"})["mean"].item()
        == 41 / 5
    )
    assert roll_up(frame, (1, 3), columns=["mine"])["mean"].item() == 8
    assert roll_up(frame, [True, False, False, True], columns=["mine"])["mean"].item() == 8
    assert roll_up(frame.drop(columns="time_s"), columns=["mine"])["samples"].item() == 4
    assert roll_up(frame)["metric"].tolist() == ["users", "mine", "transactions"]


def test_percentiles_and_the_longest_of_samples():
    """A mean of percentiles says that it is one; the longest has no error; responses of single requests decide."""
    frame = pd.DataFrame({"time_s": range(12), "response_p95_s": np.arange(12.0), "response_max_s": np.arange(12.0)})
    found = roll_up(frame).set_index("metric")
    assert found.loc["response_max_s", ["mean", "reason"]].tolist() == [11, "the longest of all, which has no error"]
    assert found.loc["response_p95_s", "mean"] == 5.5
    assert found.loc["response_p95_s", "reason"].startswith(
        "mean of the samples' percentiles, which is mostly less than"
    )
    one = roll_up(frame.iloc[:1]).set_index("metric")
    assert one.loc["response_p95_s", "reason"] == "1 sample: too few for an error"
    of_requests = frame.assign(responses_s=[np.array([0.0, second]) for second in range(12)])
    found = roll_up(of_requests, columns=["response_p95_s"]).iloc[0]
    assert found["mean"] == np.quantile([0.0] * 12 + [*range(12)], 0.95)
    assert "mean of the samples" not in found["reason"]


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"weights": 3}, BadTable, r"roll_up\(weights=...\): expected a column for each column, found 3"),
        ({"time": 3}, BadTable, r"roll_up\(time=...\): expected a name, found 3"),
        ({"by": "driver"}, UnknownName, r"roll_up\(by=...\)"),
        ({"columns": ["speed"]}, UnknownName, r"roll_up\(columns=...\)"),
        ({"counts": "speed"}, UnknownName, r"roll_up\(counts=...\)"),
        ({"weights": {"users": "speed"}}, UnknownName, r"roll_up\(weights=...\)"),
        ({"window": [True]}, BadTable, r"roll_up\(window=...\): expected 3 truth values, found 1 values"),
        ({"level": 1}, CannotFit, r"^roll_up\(level"),
        ({"counts": "users", "columns": []}, BadTable, r"expected weights from 0, found -1\. Rows must be"),
    ],
)  # fmt: skip
def test_what_roll_up_refuses(settings, error, says):
    """Each argument by its name."""
    frame = pd.DataFrame({"time_s": [0.0, 2, 1], "users": [1, 2, 3]})
    with pytest.raises(error, match=says):
        roll_up(frame, **settings)


# ---- samples and windows


def test_gaps_are_over_ten_times_the_usual_distance():
    """Ten times is none; where most samples have one time, or there are two, none can be told."""
    samples = lambda times: Samples("x", np.array(times, float), np.zeros(len(times)), 0)  # noqa: E731
    assert samples([0, 1, 2, 12]).gap() == ""
    assert samples([0, 1, 2, 12.5]).gap() == "no samples from 2 to 12.5 s"
    assert samples([0, 0.5, 1, 7]).gap() == "no samples from 1 to 7 s"
    assert samples([0, 0, 0, 5]).gap() == samples([0, 9]).gap() == samples([]).gap() == ""
    part = samples([0, 1, 2, 3]).part(1, 2)
    assert part.times.tolist() == [1, 2]
    assert [sample_clock(time) for time in (0, 12345.67, -1.26, 1e6)] == ["0", "12,345.7", "-1.26", "1,000,000"]


def test_where_runs_begin():
    """Where the time goes back; rows shuffled every few are one run; a cell without a time begins none."""
    rows = lambda times: [each.tolist() for each in rows_of_each_run(pd.DataFrame({"t": times}), "t", "x")]  # noqa: E731
    assert rows([0, 1, 2, 3, 4, 0, 1, 2, 3, 4]) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert rows([0, 1, 2, 3, 0, 1, 2, 3, 4]) == [[0, 1, 2, 3], [4, 5, 6, 7, 8]]
    assert rows([0, 1, 2, 0, 1, 2]) == [[0, 1, 2], [3, 4, 5]]
    assert rows([3, 0, 2, 1]) == [[0, 1, 2, 3]]
    assert rows([0.0, 1, NAN, 1, 2, 3, 4]) == [[*range(7)]]


def test_times_of_samples():
    """Numbers as they are; clock times from the earliest; past midnight a day later; no times are told."""
    seconds = lambda cells: sample_seconds(pd.DataFrame({"t": cells}), "t", "x").tolist()  # noqa: E731
    assert seconds([5, 7.5]) == [5, 7.5]
    assert seconds(["2026-01-01 10:00:05", "2026-01-01 10:00:00"]) == [5, 0]
    assert seconds(["23:59:58", "00:00:01"]) == [0, 3]
    assert seconds(["10:00", "09:59"]) == [60, 0]
    with pytest.raises(BadTable, match="column t: expected times, found"):
        seconds(["soon", "later"])
    with pytest.raises(UnknownName, match=r"Name the column of times \(time=...\)"):
        sample_seconds(pd.DataFrame({"t": [1]}), "time_s", "x")


def test_the_column_that_is_looked_at():
    """The first throughput in a fixed order, else the only measure; else the columns of numbers are named."""
    frame = pd.DataFrame({"time_s": [1], "n": [1], "line": [2], "requests_per_s": [1.0], "throughput_tps": [1.0]})
    assert sample_column(frame, None, "time_s", "x") == "throughput_tps"
    assert sample_column(frame, "n", "time_s", "x") == "n"
    assert measured_columns_of_samples(frame, "time_s") == ["requests_per_s", "throughput_tps"]
    assert sample_column(frame[["time_s", "line"]].assign(users=1), None, "time_s", "x") == "users"
    with pytest.raises(UnknownName, match=r"Numbers are in users, cpu\."):
        sample_column(frame[["time_s"]].assign(users=1, cpu=2), None, "time_s", "x")
    with pytest.raises(UnknownName, match=r"Numbers are in none\."):
        sample_column(frame[["time_s"]], None, "time_s", "x")
    assert [factor_to_per_second(name) for name in ("throughput_per_s", "notesmark_tpm", "mine")] == [1, 1 / 60, 1]


def test_mser_of_short_and_long_runs():
    """Batch sizes; up to the last five batches may go; a constant has none to cut; shifts and scales do not matter."""
    assert [mser.mser_batch_size(count) for count in (1, 79, 80, 199, 200, 2560, 2561)] == [1, 1, 2, 4, 5, 5, 6]
    assert mser.means_of_batches(np.arange(83.0)).tolist() == [0.5 + 2 * k for k in range(41)]
    z = np.array([9.0, 8, 7, 6, 5, 4, 3, 2, 1])
    assert mser.mser_truncation(z) == 3
    assert mser.mser_truncation(z[:3]) == 0
    assert mser.initial_transient(np.full(30, 4.0), tolerance=0.05) == 0
    random = np.random.default_rng(0)
    ramp = np.r_[np.linspace(0, 90, 10), 100 + random.normal(0, 1, 60)]
    cut = mser.initial_transient(ramp, tolerance=0.05)
    assert 9 <= cut <= 11
    assert mser.initial_transient(3 * ramp, tolerance=0.05) == cut
    assert mser.initial_transient(100 + random.normal(0, 1, 70), tolerance=0.05) == 0


def a_run(values, **columns):
    """A sample a second."""
    return pd.DataFrame({"time_s": np.arange(len(values)) * 1.0, "throughput_tps": values} | columns)


def noisy(level, count, seed=0):
    """A level with noise of 1 %."""
    return level * (1 + 0.01 * np.random.default_rng(seed).standard_normal(count))


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"method": "fix"}, UnknownName, r"It is mser or fixed\."),
        ({"settle_s": 5}, BadTable, r"steady_state\(settle_s=...\): expected method='fixed',"),
        ({"users": 5}, BadTable, r"steady_state\(users=...\): .*found the method 'mser'\. Leave it out"),
        ({"measure_s": -1, "method": "fixed"}, CannotFit, r"steady_state\(measure_s=...\)"),
        ({"tolerance": -0.1}, CannotFit, r"steady_state\(tolerance=...\)"), ({"share": 1.5}, CannotFit, "share="),
        ({"between": (90, 95)}, BadTable, r"expected two times, found \(90, 95\), and samples from 0 to 59 s"),
        ({"users": 0, "method": "fixed"}, CannotFit, r"steady_state\(users=...\)"),
    ],
)  # fmt: skip
def test_settings_of_a_window(settings, error, says):
    """Each by its name and what it may be."""
    with pytest.raises(error, match=says):
        steady_state(a_run(noisy(100, 60), users=5), **settings)


@pytest.mark.parametrize(
    "settings", [{"tolerance": 0}, {"tolerance": 0.99}, {"settle_s": 0, "measure_s": math.inf, "method": "fixed"}]
)
def test_settings_at_their_ends(settings):
    """No tolerance, all of it, no time to settle and endless measuring are allowed."""
    assert steady_state(a_run(noisy(100, 60)), **settings).method in ("mser", "fixed")


def test_a_window_by_the_clock_to_the_second():
    """From the time to settle to that to measure, ends included; what is cut, what lies outside, who is missing."""
    frame = a_run(noisy(100, 61))
    found = steady_state(frame, method="fixed", settle_s=10, measure_s=20)
    assert found.tidy()[["phase", "from_s", "to_s", "samples"]].to_numpy().tolist() == [
        ["ramp-up", 0, 9, 10], ["steady", 10, 30, 21], ["not measured", 31, 60, 30],
    ]  # fmt: skip
    assert (found.window.sum(), found.reason) == (21, "")
    short = steady_state(frame, method="fixed", settle_s=0, measure_s=120)
    assert (short.to_s, short.reason) == (60, "ends after 1 of 2 minutes")
    late = steady_state(frame, method="fixed", settle_s=60, measure_s=60)
    assert late.reason == "all users are on until 60 s, the period begins at 60 s"
    users = np.r_[np.arange(10), np.full(20, 10), [9], np.full(20, 10), np.arange(10)[::-1]].astype(float)
    on = steady_state(frame.assign(users=users), method="fixed", settle_s=0, measure_s=math.inf)
    assert (on.from_s, on.to_s, on.reason) == (10, 50, "fewer users in 1 samples of it")
    never = steady_state(frame.assign(users=users), method="fixed", users=11)
    assert never.reason == "never 11 users: 10 at most"
    assert "No steady window of" in never.headline()
    hole = frame.drop(range(10, 31))
    empty = steady_state(hole, method="fixed", settle_s=12, measure_s=10)
    assert empty.reason.startswith("no samples in the period, 12 to 22 s")


def test_a_window_in_words():
    """Where it is steady, its mean and interval, its drift; a period by the clock; why there is none."""
    found = steady_state(a_run(noisy(100, 60)))
    mean = found.mean
    ends = f"(95 % interval {number(mean.low)} to {number(mean.high)})."
    name = tables.label("throughput_tps")
    assert found.headline() == (
        f"{name[0].upper()}{name[1:]} is steady from 0 to 59 s, mean {number(mean.value)} {ends} "
        f"{found.describe_drift()}"
    )
    period = steady_state(a_run(noisy(100, 60)), method="fixed", settle_s=5, measure_s=30).headline()
    assert period.startswith("The measured period is from 5 to 35 s, mean of ")
    with pytest.raises(BadTable, match=r"expected one run, found 2 runs, as time_s goes back at row 31\."):
        steady_state(pd.concat([a_run(noisy(100, 30))] * 2))
    row = found.glance().iloc[0]
    assert row[["method", "metric", "from_s", "to_s", "samples", "drifting"]].tolist() == [
        "mser", "throughput_tps", 0, 59, 60, found.drifting,
    ]  # fmt: skip
    hours = 59 / 3600
    line = stats.linregress(np.arange(60) / 3600, found.samples.values)
    assert row["drift_per_hour"] == pytest.approx(line.slope / mean.value, rel=0.2)
    assert found.drift.low < found.drift.value < found.drift.high
    assert hours * max(abs(found.drift.low), abs(found.drift.high)) < 0.05


def test_runs_of_a_frame_by_their_columns():
    """By file, by run, by a time that goes back, by steps of the load; nobody's rows are left out."""
    one, two = a_run(noisy(10, 30), users=1.0), a_run(noisy(20, 30), users=2.0)
    both = pd.concat([one, two], ignore_index=True)
    assert steady_runs(both).by == ("users",)
    assert steady_runs(both.assign(file=["a"] * 30 + ["b"] * 30)).by == ("file", "users")
    assert steady_runs(both.assign(run=["x"] * 30 + ["y"] * 30)).glance()["run"].tolist() == ["x", "y"]
    again = steady_runs(pd.concat([one, one], ignore_index=True))
    assert (again.by, again.glance()["run"].tolist()) == (("run", "users"), ["1", "2"])
    steps = both.assign(time_s=range(60))
    assert steady_runs(steps).glance()[["users", "from_s", "to_s"]].to_numpy().tolist() == [[1, 0, 29], [2, 30, 59]]
    idle = pd.concat([one.assign(users=0.0), two], ignore_index=True)
    assert [len(run) for run in steady_runs(idle).runs] == [30]
    alone = steady_runs(one)
    assert (alone.by, alone.headline()) == ((), alone.each[0].headline())
    said = steady_runs(both).headline().split("\n")
    assert said[0] == "2 of 2 runs have a steady window; each run is looked at by itself."
    assert said[1].startswith("users 1: ")
    means = steady_runs(both).means()
    assert [*means][:3] == ["users", "from_s", "to_s"]
    assert means["metric"].unique().tolist() == ["throughput_tps"]


# ---- curves


RUNS = pd.DataFrame(
    {
        "file": ["a", "b", "c", "d"],
        "load": [1.0, 1, 2, 2],
        "throughput_per_s": [90.0, 110, 190, 210],
        "throughput_std_error": [30.0, 20, NAN, NAN],
        "response_s": [0.01, 0.02, 0.01, NAN],
        "response_std_error": [0.002, 0.001, NAN, NAN],
        "response_p95_s": [NAN, NAN, 0.03, 0.05],
        "response_p95_std_error": NAN,
        "response_p95_of": ["", "", "requests", "samples"],
        "failures": [NAN, NAN, 3.0, NAN],
        "steady": [1, 0, 1, 1],
        "reason": ["x", "x", "", "y"],
    }
)


def test_repeats_of_a_load_by_hand():
    """Weights of 1 / variance, each variance the greater of a run's own and that between repeats; all that is told."""
    pooled = (200 / 100**2 + 200 / 200**2) / 2
    assert repeat_variance(RUNS) == (pytest.approx(pooled), 2)
    none = repeat_variance(RUNS.iloc[[0, 2]])
    assert (math.isnan(none[0]), none[1]) == (True, 0)
    found = combined(RUNS).set_index("load")
    variance = np.array([900.0, max(400, pooled * 100**2)])
    weight = 1 / variance
    assert found.loc[1, "throughput_per_s"] == pytest.approx(weight @ [90, 110] / weight.sum())
    assert found.loc[1, "throughput_std_error"] == pytest.approx(math.sqrt(weight**2 @ variance) / weight.sum())
    assert found.loc[1, "response_s"] == pytest.approx(weight @ [0.01, 0.02] / weight.sum())
    among = np.var([0.01, 0.02], ddof=1)
    assert found.loc[1, "response_std_error"] == pytest.approx(math.sqrt((weight**2 * among).sum()) / weight.sum())
    assert found.loc[2, "throughput_std_error"] == pytest.approx(math.sqrt(2 * pooled * 200**2) / 2)
    assert found.loc[2, ["response_s", "response_p95_s", "response_p95_of", "failures"]].tolist() == [
        0.01, 0.04, "samples", 3.0,
    ]  # fmt: skip
    assert found["response_p95_of"][1] == ""
    assert math.isnan(found["failures"][1])
    assert found[["runs", "steady_runs", "files", "reason"]].to_numpy().tolist() == [
        [2, 1, "a; b", "x"], [2, 2, "c; d", "y"],
    ]  # fmt: skip
    assert found["load_unit"].tolist() == ["users"] * 2
    single = combined(RUNS.iloc[[2]])
    assert single["reason"].item() == "no error without samples or repeats"
    assert told(single) == "no load was run again: the errors do not know how runs differ from each other"
    slow = combined(RUNS.assign(response_s=[0.02, 0.02, 0.001, 0.001]))
    assert told(slow) == (
        "at 1 of 2 loads the mean response is longer than load / throughput, by up to 108 %, which Little's law rules"
        " out: the tool counts its response times in another way than its requests"
    )


def test_which_runs_are_points_of_a_curve():
    """A load and a throughput above zero, and not left out."""
    frame = pd.DataFrame(
        {"load": [1.0, 0, 1, NAN, 1], "throughput_per_s": [1.0, 1, 0, 1, 1], "in_curve": [1, 1, 1, 1, 0]}
    )
    assert usable_runs(frame).tolist() == [True, False, False, False, False]
    assert usable_runs(frame.drop(columns="in_curve")).tolist() == [True, False, False, False, True]


def rows(frame, rate, **settings):
    """The rows of `measured_runs` of a frame."""
    return list(runs_of_samples(frame, rate, **settings))


def test_totals_are_read_as_they_are():
    """All requests together; a minute, a millisecond; which failures count; why one is no point."""
    frame = pd.DataFrame(
        {"users": [4, 4], "request": ["GET /", "Aggregated"], "notesmark_tpm": [30.0, 60], "response_ms": [5, 8.0]}
    )
    (row,) = rows(frame.assign(failures=[1.0, 2.0], response_p95_s=0.02), "notesmark_tpm")
    assert [row[name] for name in ("load", "throughput_per_s", "response_s", "response_p95_s", "failures")] == [
        4, 1, 0.008, 0.02, 2,
    ]  # fmt: skip
    assert (row["response_p95_of"], row["samples"], row["steady"]) == ("requests", 1, 0)
    assert row["reason"] == "totals, with the beginning of the run"
    bare = pd.DataFrame(
        {"users": [4.0, 0, NAN, 4, 4], "throughput_per_s": [9.0, 9, 9, 0, 0], "test_errors": [0, 0, 0, 0, 7]}
    )
    found = rows(bare, "throughput_per_s")
    assert [row["reason"] for row in found[1:]] == [
        "left out: a load of 0", "left out: no load", "left out: no throughput",
        "left out: no throughput, all requests failed",
    ]  # fmt: skip
    assert math.isnan(found[0]["response_s"])
    assert (found[0]["response_p95_of"], found[0]["failures"]) == ("", 0)
    assert [row["load"] for row in rows(bare, "throughput_per_s", named_load=7)] == [7] * 5


def test_a_run_of_samples_by_hand():
    """The mean of the window; responses over requests; failures a second, times the seconds; what varies is said."""
    values = noisy(50, 60)
    frame = pd.DataFrame(
        {"time_s": 2.0 * np.arange(60), "users": 8.0, "throughput_per_s": values, "failures_per_s": 0.5}
    )
    frame = frame.assign(response_ms=np.tile([10.0, 30], 30), response_p95_s=0.04)
    (row,) = rows(frame, "throughput_per_s")
    assert (row["load"], row["samples"], row["steady"], row["reason"]) == (8, 60, 1, "")
    assert row["throughput_per_s"] == pytest.approx(values.mean())
    assert row["response_s"] == pytest.approx((values @ np.tile([0.01, 0.03], 30)) / values.sum())
    assert (row["failures"], row["response_p95_s"], row["response_p95_of"]) == (60, pytest.approx(0.04), "samples")
    (counted,) = rows(frame.assign(failures=2), "throughput_per_s")
    assert counted["failures"] == 120
    (minutes,) = rows(frame.assign(notesmark_tpm=60 * values).drop(columns="throughput_per_s"), "notesmark_tpm")
    assert minutes["throughput_per_s"] == pytest.approx(values.mean())
    assert minutes["throughput_std_error"] == pytest.approx(row["throughput_std_error"])
    (varied,) = rows(frame.assign(users=np.linspace(8, 9, 60)), "throughput_per_s", named_load=None)
    assert varied["load"] == pytest.approx(8.5, abs=0.1)
    assert "loads from 8 to 9" in varied["reason"]
    (named,) = rows(frame.assign(users=np.linspace(8, 9, 60)), "throughput_per_s", named_load=3.0)
    assert named["load"] == 3
    assert "loads from" not in named["reason"]


def test_recordings_that_overlap():
    """More than half of the shorter one is at once; a note names the longest overlaps first, five of them."""
    assert [ran_at_once((0, 10), other) for other in ((5, 15), (4.9, 15), (0, 10), (10, 20), (NAN, NAN))] == [
        False, True, True, False, False,
    ]  # fmt: skip
    clocks = {"a": (0, 60), "b": (50, 110), "c": (109, 140), "d": (30, 45)}
    (note,) = overlaps_in_words(itertools.combinations(clocks, 2), clocks)
    assert note.startswith(
        "a and d ran at the same time for 15 of 15 s, a and b ran at the same time for 10 of 60 s: on"
    )
    assert note.endswith("(settle, until); if each tested a system of its own, say generators='apart'")
    assert overlaps_in_words([("b", "c")], clocks) == []
    many = {str(k): (0, 10) for k in range(4)}
    (note,) = overlaps_in_words(itertools.combinations(many, 2), many)
    assert ", 1 other pair for no longer: on one server neither had it to itself then." in note
    assert note.count("ran at the same time") == 5
    assert clock_of_recording(pd.DataFrame({"time": ["2026-01-01T00:00:10Z", None, "2026-01-01T00:00:00Z"]})) == (
        1767225600.0, 1767225610.0,
    )  # fmt: skip
    for frame in (pd.DataFrame({"time": [1, 2]}), pd.DataFrame({"x": [1]}), pd.DataFrame({"time": ["soon"]})):
        assert np.isnan(clock_of_recording(frame)).all()


def test_notes_and_left_out_files_of_a_curve(tmp_path):
    """A file that is no run is named with its place; points without times; few samples; one load."""
    (tmp_path / "runs").mkdir()
    for k in (1, 2):
        a_run(noisy(10.0 * k, 30), users=k).to_csv(tmp_path / "runs" / f"r{k}.csv", index=False)
    found = curve(tmp_path / "runs")
    assert found["steady_runs"].tolist() == [1, 1]
    written(tmp_path, "users,throughput_per_s\n1,x\n", "runs/broken.csv")
    runs = measured_runs(tmp_path / "runs")
    left_out = runs[runs["file"] == "broken.csv"].iloc[0]
    assert left_out["reason"].startswith("left out: line 2")
    assert "expected" in left_out["reason"]
    assert math.isnan(left_out["throughput_per_s"])
    assert "broken.csv: left out: line 2" in told(runs)
    points = written(tmp_path, "users,throughput_per_s\n1,10\n1,11\n2,20\n", "points.csv")
    assert "points.csv: 3 rows without a time are taken for runs that are independent" in told(curve(points))
    assert "without a time" not in told(curve(written(tmp_path, "users,throughput_per_s\n1,10\n2,20\n", "p.csv")))
    with pytest.raises(CannotFit, match=r"curve\(settle=...\)"):
        curve(points, settle=-1)
    with pytest.raises(UnknownName, match=r"curve\(generators=...\): expected 'together' or 'apart', found 'both'"):
        curve(points, generators="both")


# ---- builds


def build(rates, loads=(1, 2, 4), **columns):
    """A run of each load."""
    return pd.DataFrame({"load": [*map(float, loads)], "throughput_per_s": rates, "reason": ""} | columns)


def test_a_difference_of_two_builds_by_brute_force():
    """Weighted by the variances of both sides; a run is known no better than by its repeats or its own error.

    The variance of repeats follows the load by a GLM of statsmodels, whose covariance gives the degrees of freedom.
    """
    old = pd.concat([build([100.0, 190, 340]), build([104.0, 188, 350])], ignore_index=True)
    new = pd.concat([build([90.0, 172, 300]), build([91.0, 165, 310])], ignore_index=True)
    old, new = (side.assign(throughput_std_error=[5.0, 1, 1, 1, 1, 1], steady=1) for side in (old, new))
    found = ab(old, new, level=0.9)
    logs = [np.log(side["throughput_per_s"]).groupby(side["load"]) for side in (old, new)]
    means, squares = [log.mean().to_numpy() for log in logs], sum(log.var() for log in logs) / 2
    terms = np.column_stack([np.ones(3), np.log([1, 2, 4])])
    fit = GLM(squares, terms, family=Gamma(links.Log()), var_weights=np.full(3, 2)).fit(scale=2, tol=1e-13)

    def parts(repeat):
        """The variance of the change of each load."""
        own = ((side["throughput_std_error"] / side["throughput_per_s"]) ** 2 for side in (old, new))
        return sum((np.maximum(one, [*repeat, *repeat]).groupby(old["load"]).sum() / 4).to_numpy() for one in own)

    def reach(weight, level):
        variances = weight**2 * parts(fit.fittedvalues)
        error = (variances @ terms) @ fit.cov_params().to_numpy() @ (variances @ terms)  # of their sum, squared
        dof = 2 * variances.sum() ** 2 / error
        return stats.t.isf((1 - level) / 2, dof) * math.sqrt(variances.sum())

    weight = 1 / parts([squares.mean()] * 3)
    weight /= weight.sum()
    changes = means[1] - means[0]
    change, wide = weight @ changes, reach(weight, 1 - 0.1 / 3)
    throughput = found.changes["throughput"]
    assert throughput.ratio == pytest.approx(math.exp(change))
    assert [throughput.low, throughput.high] == pytest.approx([math.exp(change - wide), math.exp(change + wide)])
    tidy = found.tidy()
    alone = np.array([reach(one, 0.9) for one in np.eye(3)])
    assert tidy["ratio"].tolist() == pytest.approx(np.exp(changes).tolist())
    assert tidy["low"].tolist() == pytest.approx(np.exp(changes - alone).tolist())
    assert tidy["high"].tolist() == pytest.approx(np.exp(changes + alone).tolist())
    assert tidy["before_per_s"].tolist() == pytest.approx(np.exp(means[0]).tolist())
    assert tidy[["runs_before", "runs_after", "reason"]].to_numpy().tolist() == [[2, 2, ""]] * 3
    highest = means[1].max() - means[0].max()
    assert found.changes["capacity"].ratio == pytest.approx(math.exp(highest))
    assert found.changes["response"].reason == "no response on both sides"
    glance = found.glance().iloc[0]
    assert glance[["verdict", "failed", "loads", "runs_before", "runs_after", "level"]].tolist() == [
        "slower", False, 3, 6, 6, 0.9,
    ]  # fmt: skip
    for end in ("ratio", "low", "high"):
        assert glance[f"throughput_{end}"] == getattr(throughput, end)
        assert glance[f"capacity_{end}"] == getattr(found.changes["capacity"], end)


def test_a_difference_in_words():
    """Verdict, changes with their intervals, how many loads were run on one side alone, and whether it fails."""
    old = pd.concat([build([100.0, 190, 340])] * 2 + [build([101.0, 191, 341])], ignore_index=True)
    slow = old.assign(throughput_per_s=0.8 * old["throughput_per_s"])
    found = ab(old, slow, fail_below=0.05)
    change = found.changes["throughput"]
    ends = [
        f"{100 * (ratio - 1):+.1f} %".replace("-", "\N{MINUS SIGN}")
        for ratio in (change.ratio, change.low, change.high)
    ]
    said = found.headline()
    assert said.startswith(
        f"Slower. Throughput over all loads: {ends[0]} ({ends[1]} to {ends[2]}). Highest throughput: "
    )
    assert "The intervals hold together with 95" in said
    assert said.endswith("It fails: slower by more than 5 %.")
    assert ab(slow, old).headline().startswith("Faster. Throughput over all loads: +25.0 % (")
    assert ab(old, old, fail_below=0.05).headline().startswith("No difference beyond 5")
    assert (
        ab(build([100.0], [1]), build([101.0], [1]))
        .headline()
        .startswith("The runs do not settle whether it is faster or slower. Throughput over all loads: +1.0 %.")
    )
    apart = ab(old, pd.concat([build([100.0, 150, 200, 340], (1, 1.5, 2.5, 4))] * 2, ignore_index=True))
    assert "3 loads of 5 were run on one side alone: there the other lies between bounds" in apart.headline()


@pytest.mark.parametrize(
    ("change", "fail_below", "failed"), [(0.9, 0.05, True), (0.9, 0.15, False), (0.9, None, False), (1.1, 0.05, False)]
)
def test_when_a_build_fails(change, fail_below, failed):
    """Surely slower, and by more than the threshold."""
    old = pd.concat([build([100.0, 190, 340]), build([100.5, 191, 341])], ignore_index=True)
    found = ab(old, old.assign(throughput_per_s=change * old["throughput_per_s"]), fail_below=fail_below)
    assert found.failed is failed


def test_arguments_of_a_comparison():
    """Each side by its name; a threshold between 0 and 1."""
    good = build([1.0, 2, 3])
    for sides, name in (((good[["load"]], good), "before"), ((good, good[["load"]]), "after")):
        with pytest.raises(UnknownName, match=rf"ab\({name}\)"):
            ab(*sides)
    with pytest.raises(BadTable, match=r"ab\(after\): expected runs with a load and a throughput, found none"):
        ab(good, good.assign(in_curve=0))
    for wrong in (0, 1, -0.1):
        with pytest.raises(CannotFit, match=r"ab\(fail_below=...\)"):
            ab(good, good, fail_below=wrong)
    with pytest.raises(CannotFit, match=r"^ab\(level"):
        ab(good, good, level=95)


def test_a_history_by_hand():
    """Ratios to the mean of the first level; a change where the level begins; loads that all builds have."""
    low = [(100.0, 190.0), (102, 188), (100, 191), (101, 190), (99, 191), (100, 189)]
    up = [*low, *((1.2 * one, 1.21 * two) for one, two in low)]
    builds = {f"b{k}": build(rates, (1, 2)) for k, rates in enumerate(up)}
    builds["b0"] = pd.concat([builds["b0"], build([300.0], [4])], ignore_index=True)
    found = change_points(builds)
    logs = np.log(np.array(up)).mean(axis=1)
    first, second = logs[:6].mean(), logs[6:].mean()
    assert found["build"].tolist() == [*builds]
    assert found["runs"].tolist() == [3, *[2] * 11]
    assert found["loads"].tolist() == [3, *[2] * 11]
    assert found["ratio"].tolist() == pytest.approx(np.exp(logs - first).tolist())
    assert found["level_ratio"].tolist() == pytest.approx([1] * 6 + [math.exp(second - first)] * 6)
    assert found["change_ratio"].tolist() == pytest.approx([1] * 6 + [math.exp(second - first)] + [1] * 5)
    assert found["p"].notna().tolist() == [False] * 6 + [True] + [False] * 5
    assert 1 / 400 <= found["p"][6] < 0.05
    assert told(found).startswith(
        "p assumes that the sessions of equal builds differ no more than the runs of one session"
    )
    with pytest.raises(BadTable, match="expected two builds or more, found 1"):
        change_points({"a": builds["b1"]})
    with pytest.raises(BadTable, match="the builds: expected a load that all have, found none"):
        change_points({"a": builds["b1"], "b": build([1.0], [8])})
    with pytest.raises(CannotFit, match=r"^change_points\(level"):
        change_points(builds, level=2)
    with pytest.raises(BadTable, match="expected a folder, found none of this name"):
        change_points("no such folder")


# ---- readers


def test_notes_of_one_kind_are_counted():
    """Each sentence once; ten of a kind, then how many more and where the last was; control characters are blanks."""
    notes = ReaderNotes()
    for line in range(1, 14):
        notes.add("odd", line, "a\ttab")
        notes.add("odd", line, "a\ttab")
    notes.add("even", None, "no line")
    taken = notes.take()
    assert taken == [*(f"line {line}: a tab" for line in range(1, 11)), "no line"]
    assert notes.take(last=True) == ["odd: 6 more, the last at line 13"]


BEFORE = "the sample before, where"


@pytest.mark.parametrize(
    ("seconds", "since", "notes"),
    [
        ([5, 6, 7], [0, 1, 2], []),
        ([5, 6, 6], [0, 1, 1], ["line 3: the time of the sample before"]),
        (
            [5, 6, 7, 9, 10], [0, 1, 2, 4, 5],
            [f"line 4: 2 s after {BEFORE} 1 s are usual: samples are missing, or the clock was set forward"],
        ),
        ([5, 6, 7, 9, 11, 13], [0, 1, 2, 4, 6, 8], ["line 4: the interval changes from 1 s to 2 s"]),
        ([5, 7, 9, 10, 12], [0, 2, 4, 5, 7], [f"line 4: 1 s after {BEFORE} 2 s are usual: a short interval"]),
        (
            [5, 6, 3, 4], [0, 1, NAN, NAN],
            ["line 3: the clock goes back by 3 s; time_s is unknown from here on: split the file here to have it"],
        ),
    ],
)  # fmt: skip
def test_a_clock_of_samples(seconds, since, notes):
    """Seconds since the first; what is odd is said once."""
    kept = ReaderNotes()
    clock = ReaderClock(kept)
    found = [clock.since(float(each), line) for line, each in enumerate(seconds, 1)]
    clock.finish()
    assert found == pytest.approx(since, nan_ok=True)
    assert kept.take(last=True) == notes


K6 = "metric_name,timestamp,metric_value,status,expected_response\n"


def test_requests_of_k6_by_second(tmp_path):
    """A status of 399 passed, 400 and 0 failed, as did what was not expected; users of the second before; a stall."""
    lines = ["vus,1790000000,3,,"]
    for second, value, status, expected in (
        (0, 10, 200, "true"), (0, 30, 399, "true"), (1, 20, 400, "true"), (1, 40, 0, "true"), (1, 60, 200, "FALSE"),
        (1, 80, 200, "true"), (4, 50, 200, "true"), (5, 5, 200, "true"),
    ):  # fmt: skip
        lines.append(f"http_req_duration,{1790000000 + second},{value},{status},{expected}")
    frame = readers.read(written(tmp_path, K6 + "\n".join(lines) + "\n"))
    assert frame["time_s"].tolist() == [0, 1, 2, 3, 4, 5]
    assert frame["users"].tolist() == [3] * 6
    assert frame["throughput_per_s"].tolist() == pytest.approx([NAN, 1, 0, 0, 1, NAN], nan_ok=True)
    assert frame["failures"].tolist() == [0, 3, 0, 0, 0, 0]
    assert frame["response_s"].tolist() == pytest.approx([0.02, 0.08, NAN, NAN, 0.05, 0.005], nan_ok=True)
    assert frame["response_median_s"].tolist()[0] == pytest.approx(0.02)
    assert frame["response_p95_s"].tolist()[0] == pytest.approx(np.percentile([0.01, 0.03], 95))
    assert frame["line"].tolist() == [3, 5, 5, 5, 9, 10]
    assert frame["time"][0] == "2026-09-21T14:13:20Z"
    assert "the first and the last second are not whole, so their throughput is unknown" in told(frame)
    for unit, factor in (("ms", 1000), ("us", 10**6), ("ns", 10**9)):
        scaled = [line.replace("1790000000", str(1790000000 * factor)) for line in lines[:3]]
        same = readers.read(written(tmp_path, K6 + "\n".join(scaled) + "\n", f"{unit}.csv"))
        assert same["time"].tolist() == ["2026-09-21T14:13:20Z"]


def test_a_clock_of_requests_that_goes_back(tmp_path):
    """By two seconds it may, for requests end out of order; by more it is said; a long pause is another run."""
    request = "http_req_duration,{},10,200,true"
    text = lambda times: K6 + "\n".join(request.format(1790000000 + second) for second in times) + "\n"  # noqa: E731
    assert "goes back" not in told(readers.read(written(tmp_path, text([3, 1, 4]))))
    back = readers.read(written(tmp_path, text([4, 1, 5])))
    assert "line 3: the clock goes back by 3 s: another run, or a clock that was set" in told(back)
    assert len(readers.read(written(tmp_path, text([0, 600])))) == 601
    paused = readers.read(written(tmp_path, text([0, 601])))
    assert paused["time_s"].tolist() == [0, 601]
    assert "line 3: 601 s without a request: another run, or another clock" in told(paused)


def test_locust_totals_that_fall_and_begin_anew(tmp_path):
    """Rates between lines; a reset has none; a header again is another run; a pause of over a minute has no rate."""
    head = ("Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,100%,Total Request Count,"
            "Total Failure Count,Total Average Response Time")  # fmt: skip
    line = lambda at, total, failed, mean: f"{1790000000 + at},5,,Aggregated,1,0,10,20,30,40,{total},{failed},{mean}"  # noqa: E731
    lines = [head, line(0, 0, 0, 0), line(2, 20, 4, 10), line(4, 10, 0, 10), line(64, 70, 0, 10), line(125, 80, 0, 10)]
    lines += [head, line(200, 5, 0, 1), line(201, 9, 0, 3)]
    frame = readers.read(written(tmp_path, "\n".join(lines) + "\n"))
    assert frame["throughput_per_s"].tolist() == pytest.approx([NAN, 8, NAN, 1, NAN, NAN, 4], nan_ok=True)
    assert frame["requests_per_s"].tolist() == pytest.approx([NAN, 10, NAN, 1, NAN, NAN, 4], nan_ok=True)
    assert frame["failures_per_s"].tolist() == pytest.approx([NAN, 2, NAN, 0, NAN, NAN, 0], nan_ok=True)
    assert frame["response_s"].tolist()[-1] == pytest.approx((27 - 5) / 4 / 1000)
    assert frame["time_s"].tolist() == [0, 2, 4, 64, 125, 0, 1]
    assert "line 4: the totals fall, so they were set back; rates here are unknown" in told(frame)
    assert "line 7: another run begins" in told(frame)
    assert frame["response_p95_s"].tolist() == [0.02] * 7


def test_tables_of_ones_own_at_their_edges(tmp_path):
    """Negative loads, other lengths of rows, a quote that is open, texts for numbers: each with its line."""
    for text, says in (
        (
            "users,throughput_per_s\n1,10\n-2,20\n",
            r"line 3: expected a number from 0 in column 'users', found -2\. Mend",
        ),
        ("users,throughput_per_s\n1,10\n2\n", r"line 3: expected 2 cells, found 1\. Give every row"),
        ("users,throughput_per_s\n1,10\n2,ten\n", "line 3"),
        ("time,throughput_per_s\nsoon,10\n", "line 2: expected an ISO 8601 time, found 'soon'"),
        ('users,throughput_per_s\n1,"10\n2,20\n', "line 2: expected a quote that is closed"),
        ("users,users,throughput_per_s\n1,1,10\n", "expected every column once, found users more than once"),
    ):
        with pytest.raises(BadTable, match=says):
            readers.read(written(tmp_path, text, "own.csv"))
    zero = readers.read(written(tmp_path, "users,throughput_per_s\n0,0\n", "own.csv"))
    assert zero[["users", "throughput_per_s"]].to_numpy().tolist() == [[0, 0]]
    cut = readers.read(written(tmp_path, "users,throughput_per_s\n1,10\n2", "own.csv"))
    assert cut["users"].tolist() == [1]
    assert "line 3: not a whole row: 1 of 2 cells; the line is left out" in told(cut)
    back = readers.read(written(tmp_path, "time_s,throughput_per_s\n0,1\n5,1\n2,1\n", "own.csv"))
    assert "line 4: time_s goes back by 3 s: another run begins here, or rows are out of order" in told(back)
    scaled = readers.read(written(tmp_path, "time_ms,throughput_per_s\n0,1\n500,1\n", "own.csv"))
    assert scaled["time_s"].tolist() == [0, 0.5]


def test_what_is_written_and_listed(tmp_path):
    """Parts one after the other under one header; an ending that is none; the table of formats."""
    parts = [pd.DataFrame({"users": [1, 2]}), pd.DataFrame({"users": [3]})]
    for name in ("out.csv", "out.parquet"):
        assert readers.write(iter(parts), tmp_path / name) == 3
    assert (tmp_path / "out.csv").read_text().split() == ["users", "1", "2", "3"]
    assert pd.read_parquet(tmp_path / "out.parquet")["users"].tolist() == [1, 2, 3]
    with pytest.raises(UnknownName, match=r"expected \.csv or \.parquet, found no ending"):
        readers.write(parts, tmp_path / "out")
    with pytest.raises(BadTable, match="expected a folder to write to, found no folder"):
        readers.write(parts, tmp_path / "none" / "out.csv")
    listed = readers.formats()
    assert [*listed] == ["reader", "reads", "recognised_by", "columns_given"]
    assert listed["reader"].tolist() == [*readers.READERS]
    assert "users" in listed.set_index("reader").loc["k6", "columns_given"]
    assert "users" not in listed.set_index("reader").loc["hey_requests", "columns_given"]


def test_files_of_several_tools_together(tmp_path):
    """A column for each file; what cannot be read is listed with its reason; the tools are counted."""
    own = written(tmp_path, "users,throughput_per_s\n1,10\n2,20\n", "a.csv")
    k6 = written(tmp_path, K6 + "http_req_duration,1790000000,10,200,true\n", "b.csv")
    odd = written(tmp_path, "hello\n", "c.txt")
    frame = readers.together(own, k6, odd)
    assert frame["file"].tolist() == [str(own)] * 2 + [str(k6)]
    assert frame.attrs["reader"] == "csv k6"
    assert frame.attrs["readers"] == {"csv": 1, "k6": 1}
    assert [*frame.attrs["unread"]] == [str(odd)]
    assert "several tools: 1 run of csv, 1 run of k6; a column that a tool does not give is empty in its rows" in told(
        frame
    )
    assert "not read: " in told(frame)
    with pytest.raises(BadTable, match=r"expected files that `read` takes, found none of 2; .*Look at the first one\."):
        readers.together(odd, written(tmp_path, "bye\n", "d.txt"))
    (part, *rest) = readers.together_parts(own, k6, rows=1)
    assert len(part) == 1
    assert sum(len(each) for each in rest) == 2


@pytest.mark.parametrize(
    ("mapping", "error", "says"),
    [
        ({"rate": "speed"}, UnknownName, "a value of the mapping"),
        ({"pace": "users", "rate": "throughput_per_s[1/s]"}, UnknownName, r"a key of the mapping.*are n, rate"),
        ({"rate": "throughput_per_s"}, BadTable, "expected a unit, to be throughput_per_s in 1/s, found none"),
        ({"rate": "throughput_per_s[kg]"}, BadTable, "expected a unit that goes into 1/s, found 'kg'"),
        ({"rate": "throughput_per_s[1/s]", "n": "throughput_per_s[1/s]"}, BadTable, "every column once"),
        ({"n": "workload[s]", "rate": "throughput_per_s[1/s]"}, BadTable, "a name of a column of numbers, found w"),
    ],
)  # fmt: skip
def test_mappings_that_are_none(tmp_path, mapping, error, says):
    """A name that is not ours, a heading that is not there, a unit that is missing or of another kind."""
    path = written(tmp_path, "n,rate\n1,10\n2,20\n", "own.csv")
    with pytest.raises(error, match=says):
        readers.read(path, mapping=mapping)


def test_units_of_a_mapping_are_converted(tmp_path):
    """Minutes, milliseconds and a share; in the heading or in the mapping."""
    path = written(tmp_path, "n,rate (1/min),took [ms],cpu%\n4,60,250,50\n", "own.csv")
    mapping = {"n": "users", "rate": "throughput_per_s", "took": "response_s", "cpu": "cpu_utilization"}
    row = readers.read(path, mapping=mapping).iloc[0]
    assert row[["users", "throughput_per_s", "response_s", "cpu_utilization"]].tolist() == pytest.approx(
        [4, 1, 0.25, 0.5]
    )


def test_a_recording_without_a_clock_ran_at_no_time(tmp_path):
    """Two of one load, one of them with clock times: nothing says that they ran at the same time."""
    written(tmp_path, "users,throughput_per_s,time\n5,10,2026-01-01T00:00:00Z\n5,11,2026-01-01T00:01:00Z\n", "a.csv")
    written(tmp_path, "users,throughput_per_s\n5,12\n", "b.csv")
    assert curve(tmp_path)["runs"].tolist() == [2]
    assert [ran_at_once((0, 10), (NAN, NAN)), ran_at_once((NAN, NAN), (0, 10))] == [False, False]


# ---- words of the shell, foreign files, words for a load


@pytest.mark.parametrize(
    ("call", "option"),
    [
        (lambda: steady_state(a_run(noisy(9, 60)), settle_s=5), "--settle: expected --method fixed"),
        (lambda: steady_state(a_run(noisy(9, 60)), method="fixed", measure_s=-1), "--measure: "),
        (lambda: steady_state(a_run(noisy(9, 60)), tolerance=2), "--tolerance: "),
        (lambda: steady_state(a_run(noisy(9, 60)), between=(90, 95)), "--between: expected two times, found (90 95)"),
        (lambda: steady_state(a_run(noisy(9, 60), users=1), method="fixed", users=0), "--users: "),
        (lambda: ab(build([1.0, 2, 3]), build([1.0, 2, 3]), fail_below=2), "--fail-below: "),
        (lambda: curve("x", settle=-1), "--settle: "),
        (lambda: curve("x", until=-1), "--until: "),
        (lambda: curve("x", x_from="c"), "--x-from: expected a pattern with one group"),
        (lambda: curve("x", generators="no"), "--generators: "),
        (lambda: curve("x", manifest=pd.DataFrame({"file": ["a"]})), "--manifest"),
        (lambda: change_points({"a": build([1.0, 2, 3])}), "--history: expected two builds"),
        (lambda: roll_up(a_run(noisy(9, 60)), columns=["speed"]), "--columns"),
        (lambda: roll_up(a_run(noisy(9, 60)), counts=["speed"]), "--count"),
        (lambda: sample_seconds(pd.DataFrame({"x": [1]}), "t", "steady"), "--time"),
    ],
)
def test_a_mistake_at_the_shell_names_the_option(call, option):
    """As it was typed there."""
    with at_shell(["ingest", "x"]), pytest.raises(DominoperfError) as caught:
        call()
    assert option in str(caught.value)
    assert "(" not in caught.value.where


@pytest.mark.parametrize(
    ("begins", "name"),
    [
        (b"\x89PNG\r\n", "a PNG image"), (b"\xff\xd8\xff\xe0", "a JPEG image"), (b"GIF89a", "a GIF image"),
        (b"%PDF-1.4", "a PDF document"), (b"SQLite format 3\0", "an SQLite database"),
        (b"7z\xbc\xaf\x27", "a 7-Zip archive"), (b"Rar!\x1a", "a RAR archive"),
        (b"<testResults version", "results of JMeter in XML"), (b"Requests  [total, rate, thr", "the report of vegeta"),
        (b"Availability:  99.90 %", "the report of siege"), (b"Method,Name,Error,Occurrences", "failures or except"),
        (b"<!DOCTYPE HTML>", "an HTML page"), (b"<?xml version", "XML"), (b"    http_reqs.....: 5", "a summary of k6"),
    ],
)  # fmt: skip
def test_files_of_others_are_named(tmp_path, begins, name):
    """By what they begin with."""
    (tmp_path / "file").write_bytes(begins + b"\nrest\n")
    with pytest.raises(BadTable) as caught:
        readers.read(tmp_path / "file")
    assert caught.value.found.startswith(name)
    assert caught.value.expected == "a file that `ingest` can read"


def test_what_each_tool_calls_a_user():
    """Clients, connections, threads, workers; a user of the test where it has no word of its own."""
    words = {
        "client": "ab ab_percentiles pgbench pgbench_log pgbench_summary pgbench_transactions",
        "connection": "autocannon wrk", "thread": "sysbench sysbench_summary", "worker": "hey",
        "virtual user": "k6", "process": "pidstat", "outstanding operation": "fio",
        "NotesBench user": "notesnum", "Server.Load user": "domstat",
    }  # fmt: skip
    expected = {name: word for word, names in words.items() for name in names.split()}
    assert {name: each.user for name, each in readers.READERS.items()} == {
        name: expected.get(name, "user") for name in readers.READERS
    }


def test_k6_in_json_and_after_a_mark_of_its_encoding(tmp_path):
    """As in CSV: 399 passed, 400 and 0 failed, what was not expected too; a byte-order mark is none of the header."""
    data = '"data":{{"time":"2026-09-21T14:13:2{0}Z","value":10,"tags":{1}}}'
    point = '{{"metric":"http_req_duration","type":"Point",' + data + "}}"
    tags = ['{"status":"399"}', '{"status":"400"}', '{"status":"0"}', '{"expected_response":"false"}', "{}"]
    lines = [point.format(0, each) for each in tags] + [point.format(2, "null")]
    frame = readers.read(written(tmp_path, "\n".join(['{"type":"Metric","metric":"vus"}', *lines]) + "\n", "k6.json"))
    assert frame["failures"].tolist() == [3, 0, 0]
    assert frame["line"].tolist() == [2, 2, 7]
    marked = readers.read(written(tmp_path, "\ufeff" + K6 + "http_req_duration,1790000000,10,200,true\n", "k6.csv"))
    assert marked["response_s"].tolist() == [0.01]


def test_a_constant_run_is_steady_without_a_word():
    """Only ramps are told."""
    found = steady_state(a_run(np.full(60, 5.0)))
    assert (found.from_s, found.to_s, found.reason, found.drifting) == (0, 59, "", "no")
    assert found.tidy()["reason"].item() == "the mean of every batch of samples is the same"


def test_short_runs_that_are_not_steady_are_counted(tmp_path):
    """Of at most 40 samples, more than half of the runs; with a time to settle nothing is said."""
    for k in (1, 2, 3):
        a_run(np.linspace(10, 30, 40), users=k).to_csv(tmp_path / f"r{k}.csv", index=False)
    said = "3 of 3 runs have at most 40 samples, too few to find a steady window in them: say where it begins (curve("
    found = curve(tmp_path)
    assert said in told(found)
    assert "have at most" not in told(curve(tmp_path, settle=5))
    assert found["steady_runs"].tolist() == [0, 0, 0]


def test_builds_that_share_no_load_have_numbers_all_the_same():
    """Unknown ones, of the type of numbers, so that a table of them can be computed with."""
    found = ab(build([100.0, 190], (1, 2)), build([340.0, 600], (4, 8)))
    ratios = found.tidy()[["ratio", "low", "high", "response_ratio", "response_low", "response_high"]]
    assert ratios.select_dtypes("float").columns.equals(ratios.columns)
    assert ratios.isna().all(axis=None)
    assert found.tidy()["reason"].tolist() == ["only before"] * 2 + ["only after"] * 2


def test_the_unit_that_is_missing_in_words(tmp_path):
    """How the mapping is typed with its unit, and what numbers of the kind often are."""
    path = written(tmp_path, "n,rate,took\n1,10,5\n2,20,6\n", "own.csv")
    for mapping, remedy in (
        ({"rate": "throughput_per_s"}, "mapping={'rate': 'throughput_per_s[1/s]'}."),
        ({"took": "response_s"}, "'response_s[ms]'} where they are ms; any unit that goes into s will do."),
        ({"n": "users[kg]"}, "It is a count, and needs no unit: mapping={'n': 'users'}."),
    ):
        with pytest.raises(BadTable) as caught:
            readers.read(path, mapping=mapping)
        assert caught.value.remedy.endswith(remedy)


def test_one_load_that_was_run_on_one_side_alone():
    """Said in the singular."""
    old = pd.concat([build([100.0, 190, 340])] * 2, ignore_index=True)
    new = pd.concat([build([100.0, 340, 600], (1, 4, 8))] * 2, ignore_index=True)
    assert "1 load of 3 was run on one side alone: there the other lies between bounds" in ab(old, new).headline()


def test_loads_and_times_below_zero_are_refused(tmp_path):
    """A response, a failure, a use; a temperature of one's own is none of these."""
    for name in ("response_s", "failures", "cpu_utilization_percent", "throughput_per_s"):
        with pytest.raises(BadTable, match=f"expected a number from 0 in column '{name}', found -1"):
            readers.read(written(tmp_path, f"users,{name}\n1,-1\n", "own.csv"))


def test_a_slope_of_samples_that_follow_each_other():
    """Widened by the autocorrelation about the line, on n / widening - 2 degrees of freedom."""
    at, random = np.arange(40.0), np.random.default_rng(4)
    noise = np.zeros(40)
    for k in range(1, 40):
        noise[k] = 0.4 * noise[k - 1] + random.normal()
    found, line = batch_means.slope_by_batches(at, 3 * at + noise, 0.9), stats.linregress(at, 3 * at + noise)
    residual = 3 * at + noise - line.intercept - line.slope * at
    widened = batch_means.autocorrelation_widening(residual, 2)
    assert widened > 1.2
    error = line.stderr * math.sqrt(widened)
    reach = stats.t.ppf(0.95, 40 / widened - 2) * error
    assert [found.value, found.std_error, found.high] == pytest.approx([line.slope, error, line.slope + reach])
    assert found.effective == pytest.approx(40 / widened)


KINDS = {  # what the notes of a file are counted as, where there are very many of one kind; columns without values too
    "ab/errors.txt": "failures", "autocannon/errors.json": "failures", "gatling/loop.log": "ends",
    "hey/errors.txt": "failures", "hey_requests/rate_32.csv": "ends", "iostat/plain.txt": "first",
    "jmeter/four_threads.jtl": "transactions, ends", "k6/six_users.csv": "ends", "perfmon/synthetic.csv": "gap",
    "locust/demo_stats_history.csv": "requests", "pgbench_log/rate_300": "threads", "sadf/vm_restart.sadf": "restart",
    "pgbench_transactions/one_thread": "threads, ends", "prometheus/two_handlers.json": "series",
    "vmstat/plain.txt": "first", "wrk/all_failed.txt": "failures",
}  # fmt: skip
LOCUST_HEAD = ("Timestamp,User Count,Type,Name,Requests/s,Failures/s,50%,95%,99%,100%,Total Request Count,"
               "Total Failure Count,Total Average Response Time\n")  # fmt: skip
REQUEST = "http_req_duration,{},10,200,true\n"
TEXTS = {
    "cut": "users,throughput_per_s,\n1,10,\n2,20,\n3,30,",
    "run": "time_s,throughput_per_s\n0,1\n5,1\n2,1\n",
    "interval": "time_s,throughput_per_s\n" + "".join(f"{at},1\n" for at in (5, 6, 7, 9, 11, 13)),
    "same time": "time_s,throughput_per_s\n0,1\n0,1\n",
    "clock, ends": K6 + "".join(REQUEST.format(1790000000 + at) for at in (9, 1, 5)),
    "pause, ends": K6 + "".join(REQUEST.format(1790000000 + at) for at in (0, 601)),
    "left out, ends": K6 + REQUEST.format(1790000000) + REQUEST.format("soon"),
    "totals, restart": LOCUST_HEAD + "".join(
        f"{1790000000 + at},5,,Aggregated,1,0,1,2,3,4,{total},0,1\n" for at, total in ((0, 9), (1, 2))
    ) + LOCUST_HEAD + "1790000100,5,,Aggregated,1,0,1,2,3,4,9,0,1\n",
}  # fmt: skip


@pytest.mark.parametrize("name", [*KINDS, *TEXTS])
def test_what_many_notes_are_counted_as(tmp_path, monkeypatch, name):
    """Where none is kept, each kind is told with how many there were."""
    monkeypatch.setattr("dominoperf.loadtests.readers.recording._NOTES", 0)
    path = SAMPLES / name if name in KINDS else written(tmp_path, TEXTS[name], "file.csv")
    mapping = {"two_handlers": {TWO_HANDLERS: "throughput_per_s[1/s]"}}.get(path.stem)
    counted = [note.partition(":")[0] for note in readers.read(path, mapping=mapping).attrs["notes"]]
    assert {*counted} - {"columns", "columns left out", "columns without values"} == {
        *KINDS.get(name, name).split(", ")
    }


SAMPLES = ROOT / "tests" / "samples"
TWO_HANDLERS = '{code="200",handler="/-/ready",instance="127.0.0.1:8932",job="self"}'


def test_samples_that_say_too_little_are_no_window():
    """Forty that hardly change from one to the next: their phase is unknown, and the reason says why."""
    walk = 100 + 0.001 * np.cumsum(np.random.default_rng(3).standard_normal(40))
    found = steady_state(a_run(walk))
    assert not found.found
    assert set(found.tidy()["phase"]) <= {"unknown", "drifting", "ramp-up", "ramp-down"}
    assert "unknown" in set(found.tidy()["phase"])
    assert found.reason.startswith(("cannot tell", "no steady state"))


def test_disks_of_sadf_in_json(tmp_path):
    """Kilobytes of the disk, where the section of all transfers is not there; sectors before version 12."""
    disk = {"disk-device": "sda", "tps": 3.0, "rkB": 2.0, "wkB": 5.0, "util-percent": 7.5}
    sample = {"timestamp": {"date": "2026-11-21", "time": "20:26:50", "utc": 1}, "disk": [disk],
              "network": {"net-dev": [{"iface": "eth0", "rxkB": 1.0, "txkB": 3.0}, {"iface": "lo", "rxkB": 9}]},
              "memory": {"memfree": 2048, "avail": 4096}}  # fmt: skip
    later = {**sample, "timestamp": {**sample["timestamp"], "time": "20:26:51"}}
    whole = {"sysstat": {"hosts": [{"nodename": "x", "statistics": [sample, later]}]}}
    row = readers.read(written(tmp_path, json.dumps(whole, indent=1), "a.json")).iloc[1]
    names = ["disk_read_bytes_per_s", "disk_write_bytes_per_s", "disk_busy_percent", "disk_transfers_per_s"]
    assert row[names].tolist() == [2048, 5120, 7.5, 3]
    assert row[["ram_free_mib", "ram_available_mib", "network_bytes_per_s"]].tolist() == [2, 4, 4096]
    old = {name: cell for name, cell in disk.items() if "kB" not in name} | {"rd_sec": 4.0, "wr_sec": 10.0}
    for each in (sample, later):
        each["disk"] = [old]
    row = readers.read(written(tmp_path, json.dumps(whole, indent=1), "b.json")).iloc[1]
    assert row[names].tolist() == [2048, 5120, 7.5, 3]
