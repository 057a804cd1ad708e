"""Ramp-up, steady window and drift of runs whose truth is known; roll-up by hand, as printed, and by theory."""

import io
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import every_second, noise, noisy
from matplotlib.figure import Figure
from scipy import stats

from dominoperf import figures, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.loadtests import (
    curve,
    mser,
    roll_up,
    steady_runs,
    steady_state,
)
from dominoperf.loadtests.samples import (
    Samples,
    measured_columns_of_samples,
    rows_of_each_run,
    sample_clock,
    sample_column,
    sample_seconds,
)
from dominoperf.study import printed_windows
from dominoperf.tables.columns import factor_to_per_second
from dominoperf.tables.rendering import number

NAN = math.nan
COUNT = 1440
STEP = 10.0  # seconds


def a_run(values, **columns):
    """A frame with a sample every ten seconds."""
    return pd.DataFrame({"time_s": STEP * np.arange(len(values)), "throughput_tps": values} | columns)


def ramp(count, of):
    """From just above 0 to 1 in so many samples, then 1."""
    return np.minimum((np.arange(of) + 1) / count, 1)


def mm1(rho, count, seed):
    """Response times of the customers of an M/M/1 queue that starts empty (Lindley's recursion); service takes 1."""
    random = np.random.default_rng(seed)
    served, between = random.exponential(1, count), random.exponential(1 / rho, count)
    walk = np.concatenate([[0], np.cumsum(served[:-1] - between[1:])])
    return walk - np.minimum.accumulate(walk) + served


# ---- the rule for the beginning


def test_mser_of_short_and_long_runs():
    """Batch sizes; up to the last five batches may go; a constant has none to cut."""
    assert [mser.mser_batch_size(count) for count in (1, 79, 80, 199, 200, 2560, 2561)] == [1, 1, 2, 4, 5, 5, 6]
    assert mser.means_of_batches(np.arange(83.0)).tolist() == [0.5 + 2 * k for k in range(41)]
    z = np.array([9.0, 8, 7, 6, 5, 4, 3, 2, 1])
    assert mser.mser_truncation(z) == 3
    assert mser.mser_truncation(z[:3]) == 0
    assert mser.initial_transient(np.full(30, 4.0), tolerance=0.05) == 0


# ---- windows


def test_nothing_is_cut_from_noise_or_a_constant():
    """No ramp-up where there is none."""
    for seed in range(10):
        found = steady_state(a_run(100 + noise(seed)))
        assert (found.from_s, found.to_s) == (0, STEP * (COUNT - 1))
    found = steady_state(a_run(np.full(100, 7.0)))
    assert (found.from_s, found.to_s, found.window.all()) == (0, 990, True)
    assert (found.drifting, found.reason) == ("no", "")
    assert found.tidy()["reason"].item() == "the mean of every batch of samples is the same"
    nothing = steady_state(a_run(np.zeros(100)))
    assert (nothing.found, nothing.reason) == (False, "no steady state: nothing was served from 0 to 990 s")


@pytest.mark.parametrize("seed", range(4))
def test_the_end_of_a_leak_is_no_ramp_down(seed):
    """2.8 % an hour, half hidden by noise, after a ramp-up: it drifts to the last sample."""
    phases = steady_state(a_run(100 * ramp(300, COUNT) + 0.01 * np.arange(COUNT) + noise(seed))).tidy()
    assert list(phases["phase"]) == ["ramp-up", "drifting"]
    assert 2500 <= phases["from_s"].iloc[1] <= 7200  # MSER cuts some of the leak, too


def test_what_never_settles_cannot_be_told():
    """A curve that still bends, a late plateau, a wave, a random walk: no window, and a reason."""
    at = np.arange(COUNT)
    late, walk = ramp(900, COUNT), np.cumsum(np.random.default_rng(6).standard_normal(COUNT))
    shapes = (100 * (1 - np.exp(-at / 1000)), 100 * late, 100 + 20 * np.sin(at / COUNT * 4 * np.pi))
    for values in (*(shape + noise(6, wide=1) for shape in shapes), 100 + walk):
        found = steady_state(a_run(values))
        assert not found.found
        assert found.reason.startswith(("cannot tell", "no steady state"))


def test_drift_in_words_is_the_change_over_the_window():
    """A percentage an hour of a run of minutes is no use: it is told over the window, by hand slope times length."""
    found = steady_state(a_run(100 + 3 * noise(7, 60)), tolerance=0.0001)
    hours = (found.to_s - found.from_s) / 3600
    assert (found.drifting, found.found) == ("cannot tell", True)
    low, high = (100 * hours * end for end in (found.drift.low, found.drift.high))
    ends = f"{low:+.1f} % and {high:+.1f} % of its mean (95 % interval)"
    span = f"{found.to_s - found.from_s:.6g} s"
    said = f"Too short or too noisy to tell a drift: the change over the window of {span} lies between {ends}."
    assert found.describe_drift() == said
    assert figures.run_words(found)["foot"] == said
    long = steady_state(a_run(100 + noise(1)))
    assert long.describe_drift().startswith("It does not drift: the change over the window of 14,390 s lies between ")
    assert "an hour" not in long.headline()


def test_samples_that_say_too_little_are_no_window():
    """Forty that hardly change from one to the next: their phase is unknown, and the reason says why."""
    walk = 100 + 0.001 * np.cumsum(np.random.default_rng(3).standard_normal(40))
    found = steady_state(every_second(walk))
    assert not found.found
    assert set(found.tidy()["phase"]) <= {"unknown", "drifting", "ramp-up", "ramp-down"}
    assert "unknown" in set(found.tidy()["phase"])
    assert found.reason.startswith(("cannot tell", "no steady state"))


def test_a_counter_is_told_and_refused():
    """It was "worth fewer than 10 independent" samples, and a rate of no meaning by the clock."""
    each = 500 + np.random.default_rng(1).integers(-40, 40, 180)
    counts = np.r_[np.cumsum(each[:90]), 0, np.cumsum(each[91:])]
    frame = pd.DataFrame({"time_s": 5.0 * np.arange(180), "requests": counts})
    found = steady_state(frame)
    fell = f"from {counts[0]:,} to {counts[-1]:,}, and falls back to 0 after {counts[89]:,}: it counts since a start"
    assert found.reasons[0] == f"no steady state: requests is a counter, which rises throughout, {fell}"
    assert found.reasons[1].startswith("write in each row the difference to the row before, ")
    with pytest.raises(BadTable, match="expected counts since the row before, found a counter, which rises throughout"):
        roll_up(frame, counts="requests")
    mended = frame.assign(requests=each)
    assert steady_state(mended).found
    assert roll_up(mended, counts="requests")["mean"].item() == pytest.approx(100, rel=0.02)
    assert "counter" not in steady_state(frame.assign(requests=np.sqrt(counts + 0.5))).reason  # no counts
    assert "counter" not in steady_state(frame.rename(columns={"requests": "throughput_tps"})).reason


def test_a_window_in_words():
    """Where it is steady, its mean and interval, its drift; a period by the clock; why there is none."""
    found = steady_state(every_second(noisy(100, 60)))
    mean = found.mean
    ends = f"(95 % interval {number(mean.low)} to {number(mean.high)})."
    name = tables.label("throughput_tps")
    assert found.headline() == (
        f"{name[0].upper()}{name[1:]} is steady from 0 to 59 s, mean {number(mean.value)} {ends} "
        f"{found.describe_drift()}"
    )
    period = steady_state(every_second(noisy(100, 60)), method="fixed", settle_s=5, measure_s=30).headline()
    assert period.startswith("The measured period is from 5 to 34 s, mean of ")
    with pytest.raises(BadTable, match=r"expected one run, found 2 runs, as time_s goes back at row 31\."):
        steady_state(pd.concat([every_second(noisy(100, 30))] * 2))
    row = found.glance().iloc[0]
    assert row[["method", "metric", "from_s", "to_s", "samples", "drifting"]].tolist() == [
        "mser", "throughput_tps", 0, 59, 60, found.drifting,
    ]  # fmt: skip
    hours = 59 / 3600
    line = stats.linregress(np.arange(60) / 3600, found.samples.values)
    assert row["drift_per_hour"] == pytest.approx(line.slope / mean.value, rel=0.2)
    assert found.drift.low < found.drift.value < found.drift.high
    assert hours * max(abs(found.drift.low), abs(found.drift.high)) < 0.05


# ---- against theory


@pytest.mark.parametrize(("rho", "count"), [(0.5, 4000), (0.8, 20000)])
def test_queue_that_starts_empty(rho, count):
    """Where a window is found, its interval holds 1/(1 - rho) as often as its level says, in 20 runs."""
    theory = 1 / (1 - rho)
    frames = [pd.DataFrame({"time_s": np.arange(count), "response_s": mm1(rho, count, seed)}) for seed in range(20)]
    found = [each for each in (steady_state(frame, on="response_s") for frame in frames) if each.found]
    assert len(found) >= 15
    assert sum(each.mean.low <= theory <= each.mean.high for each in found) >= 0.85 * len(found)
    assert np.mean([each.mean.value for each in found]) == pytest.approx(theory, rel=0.03)


def test_what_is_left_of_a_slow_ramp_is_in_the_interval(tmp_path):
    """Runs that approach 100 as 1 - 0.4 exp(-t / 120 s): 9 of 10 intervals hold it, and a curve has the same error."""
    slow = 100 * (1 - 0.4 * np.exp(-np.arange(900) / 120))
    runs = [every_second(slow * (1 + 5 * (noisy(1, 900, seed) - 1)), users=50) for seed in range(20)]
    found = [each for each in (steady_state(run) for run in runs) if each.found]
    assert len(found) >= 18
    assert sum(each.mean.low <= 100 <= each.mean.high for each in found) >= 0.9 * len(found)
    runs[0].to_csv(tmp_path / "run.csv", index=False)
    means, (point,) = steady_runs(runs[0]).means(), curve(tmp_path)["throughput_std_error"]
    assert point == pytest.approx(found[0].mean.std_error, rel=1e-9)
    assert means.set_index("metric").at["throughput_tps", "std_error"] == found[0].mean.std_error


# ---- the answer moves with the numbers


@settings(max_examples=12)
@given(st.integers(0, 40), st.floats(-1e6, 1e6), st.floats(1e-3, 1e3), st.sampled_from(["both", "step", "leak"]))
def test_time_shifts_and_values_scale(seed, shift, scale, kind):
    """Another clock moves the window, another unit the mean; nothing else changes."""
    at = np.arange(400)
    shape = {"both": ramp(80, 400) * ramp(20, 400)[::-1], "step": 1 + (at > 200), "leak": 1 + at / 1000}[kind]
    frame = a_run(100 * shape + noise(seed, 400))
    one = steady_state(frame)
    other = steady_state(frame.assign(time_s=frame["time_s"] + shift, throughput_tps=frame["throughput_tps"] * scale))
    assert np.isclose(other.from_s - shift, one.from_s, atol=1e-6, equal_nan=True)
    assert np.isclose(other.to_s - shift, one.to_s, atol=1e-6, equal_nan=True)
    assert np.isclose(other.mean.value, one.mean.value * scale, equal_nan=True)
    assert np.isclose(other.drift.value, one.drift.value, rtol=1e-6, atol=1e-9, equal_nan=True)
    assert (other.drifting, list(other.window)) == (one.drifting, list(one.window))


# ---- frames as they come


def test_gaps_disorder_and_empty_cells():
    """The same window; what is missing is told."""
    values = 100 * ramp(300, COUNT) + noise(10)
    frame = a_run(values)
    whole = steady_state(frame)
    holed = frame.assign(throughput_tps=np.where(np.arange(COUNT) % 100 == 7, np.nan, values)).drop(range(800, 900))
    found = steady_state(holed.sample(frac=1, random_state=1))
    assert found.from_s == pytest.approx(whole.from_s, abs=200)
    assert found.reason == "no samples from 7,990 to 9,000 s; 14 rows without a number left out"
    assert found.window.sum() == found.glance()["samples"].item() + 11  # empty cells lie in the window, too


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
    """Numbers and time spans as they are; clock times from the earliest; past midnight a day later; else an error."""
    seconds = lambda cells: sample_seconds(pd.DataFrame({"t": cells}), "t", "x").tolist()  # noqa: E731
    assert seconds([5, 7.5]) == seconds(["5", "7.5"]) == seconds(pd.to_timedelta([5000, 7500], unit="ms")) == [5, 7.5]
    assert seconds(["2026-01-01 10:00:05", "2026-01-01 10:00:00"]) == [5, 0]
    assert seconds(["23:59:58", "00:00:01"]) == [0, 3]
    assert seconds(["10:00", "09:59"]) == [60, 0]
    with pytest.raises(BadTable, match="column t: expected times, found"):
        seconds(["01.12.2026 23:59", "later"])
    with pytest.raises(BadTable, match="expected times, found '23:75:10'"):
        seconds(["23:59:50", "23:75:10"])
    with pytest.raises(UnknownName, match=r"Did you mean at_s\?.*Name the column of times \(time=...\)"):
        sample_seconds(pd.DataFrame({"at_s": [1]}), "at", "x")


def test_a_table_without_times_is_told_in_the_words_of_its_user(tmp_path):
    """Not by a name that nobody typed, nor by one that a heading of the file was given here."""
    (tmp_path / "my.csv").write_text("threads,tps\n1,410\n2,790\n")
    for call in (steady_state, steady_runs):
        with pytest.raises(UnknownName) as caught:
            call(str(tmp_path / "my.csv"))
        error = caught.value
        assert (error.where, error.found) == (str(tmp_path / "my.csv"), "none")
        assert error.expected == "a column of times, as time_s, time or timestamp"
        others = "Of a table with a row for each run take `curve` or `fit`."
        assert error.remedy == f"Name the column of times (time=...). {others}"


def test_the_column_that_is_looked_at():
    """The first throughput in a fixed order, else the only measure; else the columns of numbers are named."""
    frame = pd.DataFrame({"time_s": [1], "n": [1], "line": [2], "requests_per_s": [1.0], "throughput_tps": [1.0]})
    assert sample_column(frame, None, "time_s", "x") == "throughput_tps"
    assert sample_column(frame, "n", "time_s", "x") == "n"
    assert measured_columns_of_samples(frame, "time_s") == ["requests_per_s", "throughput_tps"]
    assert sample_column(frame[["time_s", "line"]].assign(users=1), None, "time_s", "x") == "users"
    with pytest.raises(UnknownName, match=r"a column of throughput.* Numbers are in users, cpu\."):
        sample_column(frame[["time_s"]].assign(users=1, cpu=2), None, "time_s", "x")
    with pytest.raises(UnknownName, match=r"Numbers are in none\."):
        sample_column(frame[["time_s"]], None, "time_s", "x")
    assert [factor_to_per_second(name) for name in ("throughput_per_s", "notesmark_tpm", "mine")] == [1, 1 / 60, 1]


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"on": "speed"}, UnknownName, "'speed'"),
        ({"on": "text"}, BadTable, "column text"), ({"on": "none"}, BadTable, "column none"),
        ({"time": "text"}, BadTable, "expected times"), ({"time": "clock"}, UnknownName, r"\(time=...\)"),
        ({"method": "fix"}, UnknownName, r"Known are mser, fixed\."),
        ({"settle_s": 5}, BadTable, r"steady_state\(settle_s=...\): expected method='fixed',"),
        ({"measure_s": 60}, BadTable, r"steady_state\(measure_s=...\): expected method='fixed',"),
        ({"users": "text"}, BadTable, r"steady_state\(users=...\): .*found the method 'mser'\. Leave it out"),
        ({"settle_s": -5, "method": "fixed"}, CannotFit, r"steady_state\(settle_s=...\)"),
        ({"measure_s": -1, "method": "fixed"}, CannotFit, r"steady_state\(measure_s=...\)"),
        ({"users": "who", "method": "fixed"}, UnknownName, "'who'"),
        ({"tolerance": -0.1}, CannotFit, r"steady_state\(tolerance=...\)"),
        ({"tolerance": "x"}, CannotFit, "tolerance="),
        ({"between": (90, 95)}, BadTable, r"expected two times, found \(90, 95\), and samples from 0 to 59 s"),
        ({"between": 3}, BadTable, "between="),
    ],
)  # fmt: skip
def test_settings_of_a_window(settings, error, says):
    """Each by its name and what it may be."""
    with pytest.raises(error, match=says):
        steady_state(every_second(noisy(100, 60), users=5, text="a", none=np.nan), **settings)


# ---- the documents' period


def test_defaults_are_the_printed_ones():
    """rhel5, 4.10: 30 and 60 minutes."""
    found = steady_state(a_run(100 * ramp(60, COUNT) + noise(1)), method="fixed")
    assert (found.from_s, found.to_s) == (1800, 5390)  # and the 10 s of the last sample
    later = a_run(100 * ramp(60, COUNT)).assign(time_s=lambda frame: frame["time_s"] + 500)
    assert steady_state(later, method="fixed").from_s == 2300  # from the first sample


def test_a_window_by_the_clock_to_the_second():
    """From the time to settle to that to measure, without its end; what is cut, what lies outside, who is missing."""
    frame = every_second(noisy(100, 61))
    found = steady_state(frame, method="fixed", settle_s=10, measure_s=20)
    assert found.tidy()[["phase", "from_s", "to_s", "samples"]].to_numpy().tolist() == [
        ["ramp-up", 0, 9, 10], ["steady", 10, 29, 20], ["not measured", 30, 60, 31],
    ]  # fmt: skip
    assert (found.window.sum(), found.reason) == (20, "")
    short = steady_state(frame, method="fixed", settle_s=0, measure_s=120)
    assert (short.to_s, short.reason) == (60, "ends after 1.02 of 2 minutes")
    whole = steady_state(frame[:60], method="fixed", settle_s=0, measure_s=60)
    assert (whole.to_s, whole.reason) == (59, "")
    late = steady_state(frame, method="fixed", settle_s=60, measure_s=60)
    assert "No steady window of" in late.headline()
    assert late.reason == "all users are on until 60 s, the period begins at 60 s"
    users = np.r_[np.arange(10), np.full(20, 10), [9], np.full(20, 10), np.arange(10)[::-1]].astype(float)
    on = steady_state(frame.assign(users=users), method="fixed", settle_s=0, measure_s=math.inf)
    assert (on.from_s, on.to_s, on.reason) == (10, 50, "fewer users in 1 samples of it")
    hole = frame.drop(range(10, 31))
    empty = steady_state(hole, method="fixed", settle_s=12, measure_s=10)
    assert empty.reason.startswith("no samples in the period, 12 to 22 s")


def test_the_windows_of_the_rhel_runs():
    """45 minutes after the driver's start, for an hour: the printed start and end of the first load, to the second."""
    printed = printed_windows.steady_states().set_index("source").loc["rhel5"].iloc[0]
    start, end = pd.Timestamp(printed["window_start"]), pd.Timestamp(printed["window_end"])
    begun = start - pd.Timedelta(minutes=45)
    assert begun.strftime("%Y-%m-%d %H:%M") == printed["begun"][:16]
    clock = begun + pd.to_timedelta(np.arange(1440) * 10, unit="s")
    frame = pd.DataFrame({"time": clock, "throughput_tps": 59 * ramp(60, 1440) + noise(2, wide=1)})
    found = steady_state(frame, time="time", method="fixed", settle_s=45 * 60)
    seconds = [found.from_s, found.to_s + 10]  # of the last sample its interval
    assert (begun + pd.to_timedelta(seconds, unit="s")).tolist() == [start, end]


def test_the_windows_of_the_ibm_runs():
    """All users on until the load ends: the printed windows, from the printed starts, with NB_MeasureTime endless."""
    for printed in printed_windows.steady_states().query("source == 'ibm_330'").itertuples():
        seconds = [(pd.Timestamp(each) - pd.Timestamp(printed.begun)).total_seconds()
                   for each in (printed.window_start, printed.window_end)]  # fmt: skip
        at = np.union1d(np.arange(0, seconds[1] + 1000, 60.0), seconds)
        users = np.where(at > seconds[1], 0.9, np.minimum(at / seconds[0], 1)) * printed.users
        frame = pd.DataFrame({"time_s": at, "users": users, "throughput_tps": 50.0})
        found = steady_state(frame, method="fixed", measure_s=np.inf)
        assert found.to_s == seconds[1]
        assert found.from_s == pytest.approx(seconds[0], rel=0.011)
        assert steady_state(frame, method="fixed", measure_s=np.inf, users="users").from_s == found.from_s


# ---- NOTESNUM


def driver(start, minutes, users, rate, response):
    """A driver's file: a row a minute, `rate` transactions in each."""
    clock = pd.Timestamp(start) + pd.to_timedelta(np.arange(minutes + 1), unit="min")
    return pd.DataFrame({"time": clock, "users": users, "transactions": rate, "response_s": response})


def test_two_drivers_are_rolled_up():
    """rhel5, 5: 600 and 1200 users, 59 and 118 a minute, over the minutes in which both drivers work."""
    drivers = {"RES1": driver("2008-10-10 10:20:00", 119, 600, 59, 0.25),
               "RES2": driver("2008-10-10 11:19:00", 60, 600, 59, 0.15)}  # fmt: skip
    frame = pd.concat(part.assign(driver=name) for name, part in drivers.items())
    both = frame["time"].between("2008-10-10 11:19:00", "2008-10-10 12:19:00")
    found = roll_up(frame, both, columns=["users", "transactions", "response_s"], by="driver", counts="transactions",
                    weights="transactions").set_index(["metric", "driver"])["mean"]  # fmt: skip
    printed = tables.load("rhel5/nb_domstat", text=True).set_index("metric")["driver_2"]
    assert found["users"].sum() == float(printed["Active Users"])
    assert round(60 * found["transactions_per_s"].sum()) == float(printed["Transactions per Minute"])
    assert np.average(found["response_s"], weights=found["transactions_per_s"]) == pytest.approx(0.2)


# ---- what a reader sees


@pytest.mark.parametrize(
    ("values", "title", "named"),
    [
        (100 * ramp(300, COUNT) + noise(1), "Steady from 0.", "steady"),
        (100 + 0.02 * np.arange(COUNT) + noise(4), "No steady window: it keeps rising, by ", "drifting"),
    ],
)
def test_picture(values, title, named):
    """The title says the finding, the words for the blind all of it; phases are named and shaded."""
    found = steady_state(a_run(values))
    assert figures.run_words(found)["title"].startswith(title)
    words = figures.picture(found).alt.replace("\xa0%", " %").replace("−", "-")  # the page sets a space, and a minus
    assert words.startswith(f"{found.headline()} Axes: time (h) across, ")
    ax = figures.plot(found, Figure().subplots())
    assert named in {text.get_text() for text in ax.texts}
    assert ax.get_xlabel() == "time (h)"
    shades = [patch.get_alpha() for patch in ax.patches[:2]]
    assert len(found.phases) == 1 or shades[0] != shades[1]


def test_picture_of_few_samples():
    """Few samples are a line; the mean is drawn over the window."""
    frame = a_run(100 * ramp(15, 60) + noise(3, 60))
    found = steady_state(frame)
    samples, mean = figures.plot(found).get_lines()
    assert list(samples.get_ydata()) == list(frame["throughput_tps"])
    assert list(mean.get_xdata()) == [found.from_s / 60, found.to_s / 60]
    assert list(mean.get_ydata()) == [found.mean.value] * 2


def test_command(capsys, tmp_path):
    """Text in words, CSV of any table, JSON of all; mistakes are one message."""
    path = tmp_path / "run.csv"
    frame = a_run(100 * ramp(300, COUNT) + noise(1), users=600 * ramp(300, COUNT), transactions=1000.0)
    frame.to_csv(path, index=False)
    found = steady_state(pd.read_csv(path))
    assert main(["steady", str(path)]) == 0
    assert capsys.readouterr().out.startswith(found.headline())
    words = ["--format", "csv", "--show", "means", "--count", "transactions"]
    assert main(["steady", str(path), *words]) == 0
    rows = pd.read_csv(io.StringIO(capsys.readouterr().out)).set_index("metric")
    assert rows.at["throughput_tps", "mean"] == pytest.approx(found.mean.value)
    assert rows.at["transactions_per_s", "mean"] == 100
    assert main(["steady", str(path), *words[:-1], "time_s"]) == 2
    assert "run.csv for --count time_s: expected counts since the row before, found" in capsys.readouterr().err
    asked = ["--method", "fixed", "--settle", "2700", "--measure", "inf", "--format", "json"]
    assert main(["steady", str(path), *asked]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"tidy", "glance", "means"}
    assert (whole["glance"][0]["from_s"], whole["glance"][0]["to_s"]) == (2960, 14390)
    (tmp_path / "bad.csv").write_text("a,b\n1,2,3\n1\n1,2,3,4\n")
    for name in ("none.csv", "bad.csv"):
        assert main(["steady", str(tmp_path / name)]) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_a_column_time_is_taken_where_there_is_no_time_s(tmp_path):
    """Seconds as well as clock times; `time_s` comes first; of frames and of files."""
    samples, told, means = every_second(noisy(100, 100)), [], []
    clocks = [samples.rename(columns={"time_s": name}) for name in ("time", "timestamp")]
    for frame in (samples, *clocks, samples.assign(time=0)):
        frame.to_csv(path := tmp_path / "samples.csv", index=False)
        told += [steady_state(path).headline(), steady_state(frame).headline(), steady_runs(frame).headline()]
        means.append(roll_up(frame, (10, 60), columns=["throughput_tps"]).iloc[0].to_list())
    assert len({*told}) == 1
    assert means[0] == means[1] == means[2]
    assert means[0][-2] == steady_state(samples.iloc[10:60]).mean.effective


@pytest.mark.parametrize("begun", ["2026-03-29T00:59Z", "2026-10-25T00:59Z"])
def test_offsets_that_change_with_summer_time_are_no_gap(begun, tmp_path):
    """As in UTC: texts in ISO 8601, with fractions of seconds or without, and moments of Python."""
    clock = pd.date_range(begun, periods=240, freq="500ms").tz_convert("Europe/Berlin")
    rates = 100 + np.random.default_rng(1).normal(0, 2, 240)
    moments = pd.Series([pd.Timestamp(each.isoformat()) for each in clock], dtype=object)
    for cells in (clock.map(pd.Timestamp.isoformat), moments):
        frame = pd.DataFrame({"at": cells, "throughput_per_s": rates})
        assert steady_state(frame, time="at").row_times.tolist() == [k / 2 for k in range(240)]
    frame.assign(at=frame["at"].map(pd.Timestamp.isoformat)).to_csv(tmp_path / "run.csv", index=False)
    assert steady_state(str(tmp_path / "run.csv"), time="at").row_times[-1] == 119.5
    some = frame.assign(at=[str(each)[:19] if k else str(each) for k, each in enumerate(clock)])
    with pytest.raises(
        BadTable, match=r"column at: expected an offset from UTC in all times, or in none, found .* and"
    ):
        steady_state(some, time="at")


def test_local_times_that_go_back_by_an_hour_are_two_runs():
    """The end of summer time or another run: they do not say. A run has its own seconds."""
    clock = pd.date_range("2026-10-25T00:58Z", periods=240, freq="s").tz_convert("Europe/Berlin").tz_localize(None)
    frame = pd.DataFrame(
        {"at": clock.astype(str), "throughput_per_s": 100 + np.random.default_rng(1).normal(0, 2, 240)}
    )
    with pytest.raises(BadTable, match="expected one run, found 2 runs, as at goes back at row 121"):
        steady_state(frame, time="at")
    assert [len(run) for run in steady_runs(frame, time="at").runs] == [120, 120]


@pytest.mark.parametrize(("name", "per_s"), [("time_ms", 1000), ("time (ms)", 1000), ("elapsed [minutes]", 1 / 60)])
def test_times_are_in_the_unit_of_their_heading(name, per_s):
    """The window of the same run with its times in seconds."""
    run = pd.DataFrame({"time_s": np.arange(100.0), "throughput_tps": [*range(0, 100, 10), *[100, 101, 99] * 30]})
    there = run.assign(**{name: per_s * run["time_s"]}).drop(columns="time_s")
    found, expected = (steady_state(frame, time=time) for frame, time in ((there, name), (run, "time_s")))
    ends = ["from_s", "to_s"]
    assert found.glance()[ends].to_numpy().tolist() == [pytest.approx(expected.glance()[ends].iloc[0].tolist())]


def test_users_under_another_heading_are_known(tmp_path):
    """The samples in which users are still being started are no part of the window, whatever the column is called."""
    run = pd.DataFrame({"time_s": np.arange(100.0), "throughput_tps": noisy(100, 100, seed=1)})
    run["users"] = np.minimum(5 * (run["time_s"] // 10 + 1), 20)
    windows = []
    for name in ("users", "Concurrent users", "vus"):
        run.rename(columns={"users": name}).to_csv(path := tmp_path / "run.csv", index=False)
        windows.append(steady_state(path, on="throughput_tps").from_s)
    assert windows == [windows[0]] * 3
    assert windows[0] >= 30


def test_totals_of_a_run_are_no_samples():
    told = r"expected samples with a time, found rows without one \(reader jmeter_statistics\), as the totals"
    with pytest.raises(BadTable, match=told):
        steady_state(Path(__file__).parents[1] / "samples" / "jmeter_statistics" / "synthetic.json")


@pytest.mark.parametrize(
    ("early", "told"), [(1.4, "40 % higher, as with a write cache that fills, burst credits"), (0.5, "")]
)
def test_a_higher_level_at_the_beginning_is_no_ramp_up(early, told):
    """As of a disk whose credits end after a minute; where the beginning is lower, nothing is said."""
    rates = 100 * np.r_[np.full(60, early), np.ones(240)] * (1 + np.random.default_rng(1).normal(0, 0.03, 300))
    found = steady_state(pd.DataFrame({"time_s": range(300), "users": 20, "throughput_per_s": rates}))
    assert (found.from_s, found.found) == (60, True)
    assert found.reason.startswith(f"what lies before it is no ramp-up but {told}" if told else "")
    assert bool(found.reason) == bool(told)
