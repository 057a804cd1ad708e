"""Ramp-up, steady window and drift of runs whose truth is known; roll-up by hand, as printed, and by theory."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy import stats

from dominoperf import figures, loadtests, queueing, study, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.loadtests import (
    batch_means,
    driver_rollup,
    mser,
    notesnum,
    readers,
    roll_up,
    steady_means,
    steady_state,
)

COUNT = 1440
STEP = 10.0  # seconds


def noise(seed, count=COUNT, alike=0.5, wide=5.0):
    """An autoregressive series about 0 that has settled: y = alike y' + e."""
    from scipy.signal import lfilter

    drawn = np.random.default_rng(seed).standard_normal(count + 300)
    return lfilter([wide], [1, -alike], drawn)[300:]


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


def test_mser_is_its_definition():
    """The cut that makes sum (z - mean)^2 / n^2 least, computed here one by one; the last five are never cut into."""
    for seed in range(20):
        z = 10 * (1 - np.exp(-np.arange(90) / 9)) + noise(seed, 90, wide=1)
        errors = [np.sum((z[d:] - z[d:].mean()) ** 2) / len(z[d:]) ** 2 for d in range(85)]
        assert mser.mser_truncation(z) == int(np.argmin(errors))


def test_mser_by_hand():
    """5, 9, 9, ... : the first batch goes, for the rest has no batch_means."""
    assert mser.mser_truncation(np.array([5.0, *[9.0] * 11])) == 1
    assert list(mser.means_of_batches(np.arange(400.0))[:2]) == [2, 7]
    assert (
        mser.mser_batch_size(40),
        mser.mser_batch_size(120),
        mser.mser_batch_size(200),
        mser.mser_batch_size(10**6),
    ) == (1, 3, 5, 1954)


# ---- windows


@pytest.mark.parametrize("seed", range(6))
def test_ramp_steady_ramp_down(seed):
    """50 minutes of ramp-up, 10 of ramp-down: both are found to a few minutes, the mean within its interval."""
    shape = ramp(300, COUNT) * ramp(60, COUNT)[::-1]
    found = steady_state(a_run(100 * shape + noise(seed)))
    assert 2600 <= found.from_s <= 3300
    assert 13400 <= found.to_s <= 14000
    assert list(found.tidy()["phase"]) == ["ramp-up", "steady", "ramp-down"]
    assert found.tidy()["samples"].sum() == COUNT
    assert found.drifting == "no"
    assert found.mean.value == pytest.approx(100, abs=1.2)
    assert found.window.sum() == found.glance()["samples"].item()


def test_nothing_is_cut_from_noise_or_a_constant():
    """No ramp-up where there is none."""
    for seed in range(20):
        found = steady_state(a_run(100 + noise(seed)))
        assert (found.from_s, found.to_s) == (0, STEP * (COUNT - 1))
    for value in (7.0, 0.0):
        found = steady_state(a_run(np.full(100, value)))
        assert (found.from_s, found.to_s, found.window.all()) == (0, 990, True)
    assert steady_state(a_run(np.full(100, 7.0))).drifting == "no"
    assert "the mean is 0" in steady_state(a_run(np.zeros(100))).reason


def test_a_stair_is_a_ramp():
    """Drivers added one by one (Childstagger), each with its own short level."""
    stairs = np.minimum(np.ceil((np.arange(COUNT) + 1) / 30) / 13, 1)
    found = steady_state(a_run(100 * stairs + noise(1, wide=0.5)))
    assert found.from_s == pytest.approx(3600, abs=50)


@pytest.mark.parametrize(("upper", "wide"), [(150, 5.0), (115, 5.0), (118, 2.0)])
def test_two_levels_are_no_steady_state(upper, wide):
    """A step in the middle: neither level is the run's; each is found when asked for."""
    frame = a_run(np.where(np.arange(COUNT) < COUNT / 2, 100, upper) + noise(2, wide=wide))
    found = steady_state(frame)
    assert np.isnan(found.from_s)
    assert not found.window.any()
    assert "2 levels" in found.reason
    assert list(found.tidy()["phase"])[:2] == ["level", "level"]
    later = steady_state(frame, between=(7200, 14390))
    assert (later.from_s, later.mean.value) == (7200, pytest.approx(upper, abs=1.5))


def test_a_short_level_before_is_told():
    """A third of a run on another level: the rest is steady, and the reader is told."""
    found = steady_state(a_run(np.where(np.arange(COUNT) < 400, 60, 100) + noise(3)))
    assert found.from_s == pytest.approx(4000, abs=50)
    assert found.reason == "the ramp-up has a level of its own"


@pytest.mark.parametrize("wide", [5.0, 0.5, 0.05])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_leak_is_drift_whatever_the_noise(wide, sign):
    """5 % of the mean an hour, found with its sign; there is no steady state (rhel5, section 2.3), unless tolerated."""
    hours = STEP * np.arange(COUNT) / 3600
    frame = a_run(100 * (1 + sign * 0.05 * (hours - 2)) + noise(15, wide=wide))
    found = steady_state(frame)
    assert (found.drifting, found.found) == ("yes", False)
    assert found.drift.low < sign * 0.05 < found.drift.high
    assert "drifting" in list(found.tidy()["phase"])
    assert ("rising" if sign > 0 else "falling") in found.reason
    assert steady_state(frame, tolerance=0.3).drifting == "no"
    assert steady_state(frame, tolerance=0.3).found


@pytest.mark.parametrize("seed", range(8))
def test_the_end_of_a_leak_is_no_ramp_down(seed):
    """2.8 % an hour, half hidden by noise, after a ramp-up: it drifts to the last sample."""
    phases = steady_state(a_run(100 * ramp(300, COUNT) + 0.01 * np.arange(COUNT) + noise(seed))).tidy()
    assert list(phases["phase"]) == ["ramp-up", "drifting"]
    assert 2500 <= phases["from_s"].iloc[1] <= 7200  # MSER cuts some of the leak, too


@pytest.mark.parametrize("wide", [1.0, 5.0, 40.0])
def test_a_ramp_alone_is_no_steady_state(wide):
    """However much noise lies on it."""
    found = steady_state(a_run(100 * np.arange(COUNT) / COUNT + noise(5, wide=wide)))
    assert not found.found
    assert found.drifting == "yes"


def test_what_never_settles_cannot_be_told():
    """A curve that still bends, a late plateau, a wave, a random walk: no window, and a reason."""
    at = np.arange(COUNT)
    late, walk = ramp(900, COUNT), np.cumsum(np.random.default_rng(6).standard_normal(COUNT))
    shapes = (100 * (1 - np.exp(-at / 1000)), 100 * late, 100 + 20 * np.sin(at / COUNT * 4 * np.pi))
    for values in (*(shape + noise(6, wide=1) for shape in shapes), 100 + walk):
        found = steady_state(a_run(values))
        assert not found.found
        assert found.reason.startswith(("cannot tell", "no steady state"))


def test_too_few_samples():
    """NaN with a reason, in every frame."""
    found = steady_state(a_run(100 + noise(1, 19)))
    assert np.isnan(found.from_s)
    assert found.drifting == "cannot tell"
    assert "19 samples, at least 20" in found.glance()["reason"].item()
    assert "No steady window" in repr(found)


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


# ---- against theory


@pytest.mark.parametrize(("rho", "count"), [(0.5, 4000), (0.8, 20000)])
def test_queue_that_starts_empty(rho, count):
    """Where a window is found, its interval holds 1/(1 - rho) as often as its level says, in 40 runs."""
    theory = queueing.mm1_response(1.0, rho)
    frames = [pd.DataFrame({"time_s": np.arange(count), "response_s": mm1(rho, count, seed)}) for seed in range(40)]
    found = [each for each in (steady_state(frame, on="response_s") for frame in frames) if each.found]
    assert len(found) >= 30
    assert sum(each.mean.low <= theory <= each.mean.high for each in found) >= 0.85 * len(found)
    assert np.mean([each.mean.value for each in found]) == pytest.approx(theory, rel=0.02)


def test_users_that_log_on_one_by_one():
    """40 users with think time 20 s at a server of 0.3 s a request: MVA's throughput, after the last has logged on."""
    from heapq import heappop, heappush

    random, users, each_s = np.random.default_rng(8), 40, 60.0
    events = [(k * each_s + random.exponential(20), k) for k in range(users)]
    events.sort()
    free, done = 0.0, []
    while events[0][0] < 20000:
        asked, user = heappop(events)
        free = max(free, asked) + random.exponential(0.3)
        done.append(free)
        heappush(events, (free + random.exponential(20), user))
    counted = np.histogram(done, bins=np.arange(0, 20000, 10.0))[0]
    frame = pd.DataFrame({"time_s": np.arange(10.0, 20000, 10)[: len(counted)], "transactions": counted})
    found = steady_state(frame, on="transactions")
    theory = queueing.mva(0.3, users, think_s=20.0)["throughput_per_s"].item()
    assert 1700 <= found.from_s <= 2700
    row = roll_up(frame, found, counts=["transactions"], columns=[]).iloc[0]
    assert row["metric"] == "transactions_per_s"
    assert row["low"] < theory < row["high"]
    assert row["high"] - row["low"] < 0.05 * theory


@pytest.mark.parametrize(("alike", "count"), [(0.0, 100), (0.5, 200), (0.8, 500), (0.9, 1000), (0.5, 4000), (0.9, 150)])
def test_coverage(alike, count):
    """95 % intervals of mean and slope hold the truth in 93 to 97 % of 1,500 autoregressive series."""
    at, hits = np.arange(count, dtype=float), np.zeros(2)
    series = noise(9, 1500 * (count + 200), alike).reshape(1500, -1)[:, :count]
    for values in series:
        mean, slope = batch_means.mean_by_batches(values, 0.95), batch_means.slope_by_batches(at, values, 0.95)
        hits += mean.low <= 0 <= mean.high, slope.low <= 0 <= slope.high
    assert (hits / 1500 >= 0.93).all()
    assert (hits / 1500 <= 0.972).all()


def test_coverage_of_a_percentile():
    """The 95th percentile of the responses of a queue: 54 or more of 60 intervals include the true one.

    With one server at 60 % use they are exponential, with a mean of 1 / (1 - 0.6) service times. By hand, 95 % of 200
    intervals did, and 96 % of 200 four times as long.
    """
    random = np.random.default_rng(1)
    arrived = random.exponential(1 / 0.6, (8000, 60)).cumsum(axis=0)
    service = random.exponential(1, arrived.shape)
    free, responses = np.zeros(60), np.empty(arrived.shape)
    for k in range(len(arrived)):
        free = np.maximum(free, arrived[k]) + service[k]
        responses[k] = free - arrived[k]
    inside = 0
    for times, values in zip(arrived[300:].T, responses[300:].T, strict=True):  # without the queue that fills
        seconds = np.split(values, np.searchsorted(times, np.arange(times[0] + 10, times[-1], 10)))
        found = batch_means.quantile_by_batches(seconds, 0.95, 0.95)
        inside += found.low < np.log(20) / 0.4 < found.high
    assert inside >= 54


def test_a_percentile_that_too_few_requests_bound_has_no_upper_end():
    found = batch_means.quantile_by_batches(np.random.default_rng(1).exponential(1, (20, 1)), 0.95, 0.95)
    assert found.low < found.value
    assert np.isnan(found.high)
    assert "do not bound it" in found.reason


def test_widening_is_its_formula():
    """Of 1, 1, -1, -1, ... the lag-1 autocorrelation of 48 is 1/48, and its bias (1 + 3/48)/48; unlikeness is none."""
    r = 1 / 48 + (1 + 3 / 48) / 48
    assert batch_means.autocorrelation_widening(np.tile([1.0, 1, -1, -1], 12), 1) == pytest.approx((1 + r) / (1 - r))
    assert batch_means.autocorrelation_widening(np.tile([1.0, -1], 24), 1) == 1


def test_a_slope_without_autocorrelation_is_that_of_a_line():
    """Noise that changes its sign each time widens nothing: slope, error and interval are SciPy's, on n - 2."""
    at = np.arange(48.0)
    values = 5 + 0.25 * at + np.tile([-1.0, 1, 2, -2], 12)
    found, line = batch_means.slope_by_batches(at, values, 0.9), stats.linregress(at, values)
    reach = stats.t.ppf(0.95, 46) * line.stderr
    assert [found.value, found.std_error] == pytest.approx([line.slope, line.stderr])
    assert [found.low, found.high] == pytest.approx([line.slope - reach, line.slope + reach])
    assert batch_means.t_quantile(0.95, 1) == pytest.approx(12.7062, rel=1e-5)


def test_effective_samples():
    """n (1 - a)/(1 + a) of an autoregressive series, within a fifth."""
    told = [batch_means.mean_by_batches(noise(seed, 4000, 0.8), 0.95).effective for seed in range(30)]
    assert np.median(told) == pytest.approx(4000 * 0.2 / 1.8, rel=0.2)
    assert "independent" in batch_means.mean_by_batches(noise(1, 60, 0.9), 0.95).reason


# ---- the answer moves with the numbers


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


@given(st.lists(st.floats(-1e3, 1e3), min_size=10, max_size=300), st.floats(0.1, 10))
def test_intervals_shift_and_scale(values, scale):
    """An interval lies about the mean, and follows it."""
    assume(np.ptp(values) > 1e-3)
    one, other = (
        batch_means.mean_by_batches(np.array(values), 0.95),
        batch_means.mean_by_batches(5 + scale * np.array(values), 0.95),
    )
    assert other.value == pytest.approx(5 + scale * one.value, rel=1e-6, abs=1e-6)
    if np.isfinite(one.low):
        assert one.low <= one.value <= one.high
        assert other.std_error == pytest.approx(scale * one.std_error, rel=1e-4)
        assert other.effective <= len(values)


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


def test_clock_times_and_uneven_samples():
    """Clock times count from the first; samples need no even step."""
    times = np.sort(np.random.default_rng(11).uniform(0, 14400, COUNT))
    values = 100 * np.minimum(times / 3000, 1) + noise(11, alike=0)
    stamps = pd.Timestamp("2008-10-10 08:26:43") + pd.to_timedelta(times - times[0], unit="s")
    found = steady_state(pd.DataFrame({"time": stamps.astype(str), "throughput_tps": values}), time="time")
    assert found.from_s == pytest.approx(3000, abs=300)
    assert found.mean.low < 100 < found.mean.high


def test_which_column():
    """A throughput, the only measure, or the one named."""
    frame = a_run(100 + noise(1), users=50, line=np.arange(COUNT))
    assert steady_state(frame).samples.column == "throughput_tps"
    assert steady_state(frame[["time_s", "line", "users"]]).samples.column == "users"
    with pytest.raises(UnknownName, match="a column of throughput"):
        steady_state(frame.rename(columns={"throughput_tps": "cpu"}))


def test_mistakes_are_told():
    """Each by its own name."""
    frame = a_run(100 + noise(1), text="a", none=np.nan)
    for wrong, kind, says in (
        ({"on": "speed"}, UnknownName, "'speed'"),
        ({"method": "change"}, UnknownName, "mser or fixed"),
        ({"on": "text"}, BadTable, "column text"),
        ({"on": "none"}, BadTable, "column none"),
        ({"time": "text"}, BadTable, "expected times"),
        ({"time": "clock"}, UnknownName, "time=\\.\\.\\."),
        ({"between": (5e5, 6e5)}, BadTable, "between="),
        ({"between": 3}, BadTable, "between="),
        ({"level": 2}, CannotFit, "level="),
        ({"share": 0}, CannotFit, "share="),
        ({"tolerance": "x"}, CannotFit, "tolerance="),
        ({"settle_s": -5, "method": "fixed"}, CannotFit, "settle_s="),
        ({"users": "who", "method": "fixed"}, UnknownName, "'who'"),
        ({"users": 5, "method": "fixed"}, UnknownName, "needs the column users"),
    ):
        with pytest.raises(kind, match=says):
            steady_state(frame, **wrong)


# ---- the documents' period


def test_defaults_are_the_printed_ones():
    """rhel5, 4.10: 30 and 60 minutes."""
    found = steady_state(a_run(100 * ramp(60, COUNT) + noise(1)), method="fixed")
    assert (found.from_s, found.to_s) == (1800, 5400)
    assert list(found.tidy()["phase"]) == ["ramp-up", "steady", "not measured"]
    assert found.tidy()["samples"].sum() == COUNT
    later = a_run(100 * ramp(60, COUNT)).assign(time_s=lambda frame: frame["time_s"] + 500)
    assert steady_state(later, method="fixed").from_s == 2300  # from the first sample


def test_the_windows_of_the_rhel_runs():
    """45 minutes after the driver's start, for an hour: the printed start and end of the first load, to the second."""
    printed = study.steady_states().set_index("source").loc["rhel5"].iloc[0]
    start, end = pd.Timestamp(printed["window_start"]), pd.Timestamp(printed["window_end"])
    begun = start - pd.Timedelta(minutes=45)
    assert begun.strftime("%Y-%m-%d %H:%M") == printed["begun"][:16]
    clock = begun + pd.to_timedelta(np.arange(1440) * 10, unit="s")
    frame = pd.DataFrame({"time": clock, "throughput_tps": 59 * ramp(60, 1440) + noise(2, wide=1)})
    found = steady_state(frame, time="time", method="fixed", settle_s=45 * 60)
    assert (begun + pd.to_timedelta([found.from_s, found.to_s], unit="s")).tolist() == [start, end]


def test_the_windows_of_the_ibm_runs():
    """All users on until the load ends: the printed windows, from the printed starts, with NB_MeasureTime endless."""
    for printed in study.steady_states().query("source == 'ibm_330'").itertuples():
        seconds = [(pd.Timestamp(each) - pd.Timestamp(printed.begun)).total_seconds()
                   for each in (printed.window_start, printed.window_end)]  # fmt: skip
        at = np.union1d(np.arange(0, seconds[1] + 1000, 60.0), seconds)
        users = np.where(at > seconds[1], 0.9, np.minimum(at / seconds[0], 1)) * printed.users
        frame = pd.DataFrame({"time_s": at, "users": users, "throughput_tps": 50.0})
        found = steady_state(frame, method="fixed", measure_s=np.inf)
        assert found.to_s == seconds[1]
        assert found.from_s == pytest.approx(seconds[0], rel=0.011)
        assert steady_state(frame, method="fixed", measure_s=np.inf, users="users").from_s == found.from_s


def test_the_documents_period_says_what_is_missing():
    """Never all users; too short a run; an hour that the data cut; users who fell out."""
    users = np.minimum(np.arange(COUNT), 300) * 2.0
    frame = a_run(100 + noise(3), users=users)
    assert steady_state(frame, method="fixed", users=601).from_s == 2980  # with 596 on, 99 % of them
    missed = steady_state(frame, method="fixed", users=900)
    assert (missed.found, missed.reason) == (False, "never 900 users: 600 at most")
    short = steady_state(frame[:170], method="fixed")
    assert "all users are on until" in short.reason
    assert "ends after" in steady_state(frame[:480], method="fixed").reason
    users[400:405] = 0
    assert "fewer users in 5 samples" in steady_state(a_run(100 + noise(3), users=users), method="fixed").reason


def test_a_document_window_may_drift():
    """The period is one of time; that it drifts is told beside it."""
    found = steady_state(a_run(100 + 0.05 * np.arange(COUNT) + noise(3, wide=1)), method="fixed")
    assert (found.from_s, found.drifting) == (1800, "yes")


# ---- NOTESNUM


def test_test_times_are_the_printed_ones():
    """33,309 and 33,491 s between the stamps are printed as 33300 and 33480."""
    printed = tables.load("ibm_330/notesnum", text=True)
    for row in printed.itertuples():
        stamps = pd.to_datetime([row.min_start_time, row.max_stop_time], format="%m/%d/%y %I:%M:%S %p")
        assert driver_rollup.whole_minutes_s(*stamps) == float(row.test_time_s)


def driver(start, minutes, users, rate, response):
    """A driver's file: a row a minute, `rate` transactions in each."""
    clock = pd.Timestamp(start) + pd.to_timedelta(np.arange(minutes + 1), unit="min")
    return pd.DataFrame({"time": clock, "users": users, "transactions": rate, "response_s": response})


def test_two_drivers_add_up():
    """rhel5, 5: 600 and 1200 users, 59 and 118 a minute. The window is what both share, in whole minutes."""
    first = driver("2008-10-10 10:20:00", 119, 600, 59, 0.25)
    second = driver("2008-10-10 11:19:03", 60, 600, 59, 0.15)
    row = notesnum({"RES1": first, "RES2": second}).iloc[0]
    assert set(row.index) <= set(tables.vocabulary())
    printed = tables.load("rhel5/nb_domstat", text=True).set_index("metric")["driver_2"]
    assert row["users"] == float(printed["Active Users"])
    assert round(row["notesmark_tpm"]) == pytest.approx(float(printed["Transactions per Minute"]), abs=2)
    assert row["response_s"] == pytest.approx(0.2, abs=0.002)
    assert (row["window_start"], row["window_end"]) == ("2008-10-10 11:20:00", "2008-10-10 12:19:00")
    assert (row["client_drivers"], row["test_time_s"], row["reason"]) == (2, 119 * 60, "")
    alone = notesnum([first]).iloc[0]
    assert (alone["users"], alone["notesmark_tpm"], alone["response_s"]) == (600, 59, 0.25)


def test_responses_are_weighted_by_transactions():
    """A driver with three times the transactions counts three times."""
    row = notesnum([driver("2008-10-10", 60, 10, 30, 1.0), driver("2008-10-10", 60, 10, 10, 2.0)]).iloc[0]
    assert row["response_s"] == pytest.approx(1.25)
    assert row["notesmark_tpm"] == 40


def test_drivers_that_share_no_time():
    """NaN and why; mistakes by name."""
    row = notesnum([driver("2008-10-10", 60, 10, 30, 1.0), driver("2008-10-11", 60, 10, 10, 2.0)]).iloc[0]
    assert np.isnan(row["notesmark_tpm"])
    assert row["reason"] == "no minute with all drivers"
    for wrong in ([], [a_run([1.0], users=1, transactions=1, response_s=1)]):
        with pytest.raises((BadTable, UnknownName)):
            notesnum(wrong, time="time_s" if wrong else "time")


# ---- roll-up


def test_roll_up_by_hand():
    """Means, a rate from counts, a mean over transactions; a row a measure and group."""
    frame = pd.DataFrame({"time_s": [0.0, 10, 20, 40] * 2, "driver": list("aaaabbbb")})
    frame["response_s"] = [1.0, 2, 3, 4] * 2
    frame["transactions"] = [9, 10, 20, 30, 9, 0, 0, 60]
    rows = roll_up(frame, by="driver", counts=["transactions"], weights="transactions").set_index(["driver", "metric"])
    assert rows.at[("a", "transactions_per_s"), "mean"] == pytest.approx(60 / 40)
    assert rows.at[("b", "transactions_per_s"), "mean"] == pytest.approx(60 / 40)
    assert rows.at[("a", "response_s"), "mean"] == pytest.approx((9 + 20 + 60 + 120) / 69)
    assert rows.at[("b", "response_s"), "mean"] == pytest.approx((9 + 240) / 69)
    assert rows.at[("a", "response_s"), "reason"] == "4 samples: too few for an error"
    assert list(rows["unit"].unique()) == ["s", "1/s"]
    unknown = frame.assign(response_s=[1.0, np.nan, 3, 4] * 2).rename(columns={"response_s": "mine"})
    rows = roll_up(unknown, by="driver", columns="mine", weights={"mine": "transactions"})
    assert rows["mean"].tolist() == pytest.approx([(9 + 60 + 120) / 59, (9 + 240) / 69])
    assert rows["unit"].tolist() == ["", ""]
    with pytest.raises(UnknownName, match=r"weights.*Did you mean transactions"):
        roll_up(frame, weights={"response_s": "transaction"})
    plain = roll_up(frame, (10, 20), columns="response_s").iloc[0]
    assert (plain["mean"], plain["samples"]) == (2.5, 4)
    assert roll_up(frame, (50, 60), columns="response_s")["reason"].item() == "no samples"


def test_roll_up_of_a_window():
    """The steady rows alone, marked by the result or by truth values."""
    frame = a_run(100 * ramp(300, COUNT) + noise(12), cpu_utilization_percent=50 + noise(13, wide=1))
    found = steady_state(frame)
    rows = roll_up(frame, found).set_index("metric")
    assert rows.at["throughput_tps", "mean"] == frame["throughput_tps"][found.window].mean()
    assert rows.at["throughput_tps", "std_error"] == found.mean.std_error
    assert rows.at["cpu_utilization_percent", "low"] < 50 < rows.at["cpu_utilization_percent", "high"]
    pd.testing.assert_frame_equal(roll_up(frame, found.window), rows.reset_index())
    assert rows["samples"].tolist() == [found.window.sum()] * 2


def test_weighted_error_is_that_of_a_ratio():
    """Where half of the samples count fifty times, the interval holds the mean over transactions: 600 series."""
    random, hits = np.random.default_rng(14), 0
    for _ in range(600):
        found = batch_means.mean_by_batches(5 + random.standard_normal(400), 0.95, random.choice([1.0, 50.0], 400))
        hits += found.low <= 5 <= found.high
    assert 0.92 <= hits / 600 <= 0.975


def test_roll_up_mistakes():
    """A mask of another frame, text, weights below 0, times in disorder."""
    frame = a_run(100 + noise(1, 50), transactions=-1.0, text="a")
    for wrong in ({"window": np.full(3, True)}, {"columns": ["text"]}, {"weights": {"throughput_tps": "transactions"}}):
        with pytest.raises(BadTable):
            roll_up(frame, **wrong)
    with pytest.raises(BadTable, match="order of time"):
        roll_up(frame[::-1], counts=["transactions"])
    with pytest.raises(UnknownName):
        roll_up(frame, by="driver")


# ---- what a reader sees


def test_words():
    """Headline and tables, escaped for a page."""
    frame = a_run(100 + noise(1)).rename(columns={"throughput_tps": "<b>"})
    found = steady_state(frame, on="<b>")
    assert repr(found).startswith("<b> is steady from 0 to 14,390 s, mean ")
    assert "&lt;b&gt; is steady" in found._repr_html_()
    assert "It does not drift" in found.headline()
    assert "measured period" in steady_state(frame, on="<b>", method="fixed").headline()


@pytest.mark.parametrize(
    ("values", "title"),
    [
        (100 * ramp(300, COUNT) + noise(1), "Steady from 0."),
        (np.where(np.arange(COUNT) < 720, 100, 150) + noise(2), "No steady window: 2 levels"),
        (100 + 0.02 * np.arange(COUNT) + noise(4), "No steady window: it keeps rising, by "),
        (100 * (1 - np.exp(-np.arange(COUNT) / 1000)) + noise(6, wide=1), "No steady window: cannot tell"),
    ],
)
def test_picture(values, title):
    """The title says the finding, the words for the blind all of it; the same bytes twice; phases named."""
    found = steady_state(a_run(values))
    picture = figures.picture(found)
    assert figures.run_words(found)["title"].startswith(title)
    words = picture.alt.replace("\xa0%", " %").replace("−", "-")  # the page sets a space before the sign, and a minus
    assert words.startswith(f"{found.headline()} Axes: time (h) across, ")
    assert picture.svg == figures.picture(found).svg
    ax = figures.plot(found, Figure().subplots())
    named = {text.get_text() for text in ax.texts}
    assert named & {"steady", "drifting", "no level part", "mean 99.9"}
    assert ax.get_xlabel() == "time (h)"
    shades = [patch.get_alpha() for patch in ax.patches[:2]]
    assert len(found.phases) == 1 or shades[0] != shades[1]


def test_picture_of_a_frame_and_few_samples():
    """A frame is asked first; few samples are a line; the mean is drawn over the window."""
    frame = a_run(100 * ramp(15, 60) + noise(3, 60))
    ax = figures.run(frame)
    samples, mean = ax.get_lines()
    found = steady_state(frame)
    assert list(samples.get_ydata()) == list(frame["throughput_tps"])
    assert list(mean.get_xdata()) == [found.from_s / 60, found.to_s / 60]
    assert list(mean.get_ydata()) == [found.mean.value] * 2


def several(loads, seed=7, n=60):
    """Runs one after the other, each begun anew: about 100 a second and user."""
    rng = np.random.default_rng(seed)
    return pd.concat(
        [
            pd.DataFrame({"users": load, "time_s": np.arange(n), "throughput_tps": 100 * load + rng.normal(0, 2, n)})
            for load in loads
        ],
        ignore_index=True,
    )


@pytest.mark.parametrize(
    ("loads", "by", "keys"),
    [
        ([1, 2, 4], ("users",), [(1,), (2,), (4,)]),
        ([4, 2, 4], ("run", "users"), [("1", 4), ("2", 2), ("3", 4)]),  # a load that was run again
        ([2], (), [()]),
    ],
)
def test_each_run_is_looked_at_by_itself(loads, by, keys):
    """Told apart where the time goes back: what is found of each is what is found of it alone."""
    frame = several(loads)
    found = loadtests.steady_runs(frame)
    assert found.by == by
    alone = [steady_state(frame.iloc[60 * k : 60 * k + 60]) for k in range(len(loads))]
    glance = found.glance()
    assert list(glance[list(by)].itertuples(index=False, name=None)) == keys
    pd.testing.assert_frame_equal(
        glance.drop(columns=list(by)), pd.concat([a.glance() for a in alone], ignore_index=True)
    )
    pd.testing.assert_frame_equal(
        found.tidy().drop(columns=list(by)), pd.concat([a.tidy() for a in alone], ignore_index=True)
    )
    means = found.means(columns=["throughput_tps"])
    assert means["mean"].tolist() == [each.mean.value for each in alone]
    assert np.allclose(means["mean"], 100 * np.array(loads), atol=2)
    assert found.headline().count("is steady from") == len(loads)


def test_a_run_without_a_window_has_its_reason():
    """Five samples are too few: NaN and why, beside the load that has enough."""
    means = steady_means(several([1, 2]).iloc[:65])
    assert (means["users"].tolist(), means["mean"].isna().tolist()) == ([1, 2], [False, True])
    assert "at least 20" in means["reason"].iloc[-1]


def test_runs_without_users_or_with_a_ramp_are_counted():
    """A number of users that changes within a run tells no runs apart; without that column they are counted too."""
    ramped = several([3, 3]).assign(users=[*np.minimum(np.arange(60), 20), *np.minimum(np.arange(60), 30)])
    for frame in (ramped, several([3, 5]).drop(columns="users")):
        found = loadtests.steady_runs(frame)
        assert (found.by, found.glance()["run"].tolist()) == (("run",), ["1", "2"])


def test_several_runs_are_no_run():
    """Pooled, eight loads had one "steady" mean; rows in no order at all are still those of one run."""
    frame = several([1, 2, 4])
    with pytest.raises(BadTable, match=r"expected one run, found 3 runs, as time_s goes back at row 61.*steady_runs"):
        steady_state(frame)
    one = several([4]).sample(frac=1, random_state=1)
    assert steady_state(one).mean.value == steady_state(one.sort_values("time_s")).mean.value


def test_the_recorded_runs_by_command(capsys):
    """The file of eight loads: a line and a row each, and the means that `steady_means` has; none of 13,046."""
    assert main(["steady", str(readers.sample())]) == 0
    told = capsys.readouterr().out
    assert told.startswith("7 of 8 runs have a steady window; each run is looked at by itself.\nusers 16: Throughput")
    assert "users 64: No steady window" in told
    assert "13046" not in told
    assert main(["steady", str(readers.sample()), "--format", "csv", "--show", "means"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out)).query("metric == 'throughput_tps'")
    means = steady_means(readers.read(readers.sample())).query("metric == 'throughput_tps'")
    assert printed["users"].tolist() == [16, 32, 48, 64, 96, 128, 192, 256]
    np.testing.assert_array_equal(printed["mean"], means["mean"])
    summary = readers.read(readers.sample(), "pgbench_summary")["throughput_tps"]
    assert np.nanmax(np.abs(printed["mean"].to_numpy() / summary.to_numpy() - 1)) < 0.06


def test_a_run_with_names_of_its_own(tmp_path):
    """As it stands, packed or not, however its numbers are written; another tool's file is refused."""
    text = "t;tput;driver\n" + "".join(f"{k};1.00{k % 10},5;a\n" for k in range(30))
    path = tmp_path / "run.csv.gz"
    path.write_bytes(gzip.compress(text.encode()))
    frame = loadtests.read_run(path)
    assert frame["tput"].tolist() == [1000.5 + k % 10 for k in range(30)]
    assert loadtests.steady_runs(frame, on="tput", time="t").glance()["metric"].tolist() == ["tput"]
    path = tmp_path / "results.jtl"
    path.write_text("timeStamp,elapsed,label,success\n1700000000000,12,Home,true\n", encoding="utf-8")
    assert loadtests.read_run(path)["response_s"].tolist() == [0.012]
    path.write_text("Method,Name,Error,Occurrences\nGET,/,500,3\n", encoding="utf-8")
    with pytest.raises(BadTable, match="found failures or exceptions of Locust"):
        loadtests.read_run(path)


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
    asked = ["--method", "fixed", "--users", "600", "--settle", "2700", "--measure", "inf", "--format", "json"]
    assert main(["steady", str(path), *asked]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"tidy", "glance", "means"}
    assert (whole["glance"][0]["from_s"], whole["glance"][0]["to_s"]) == (2960, 14390)
    (tmp_path / "bad.csv").write_text("a,b\n1,2,3\n1\n1,2,3,4\n")
    for name in ("none.csv", "bad.csv"):
        assert main(["steady", str(tmp_path / name)]) == 2
        assert "Traceback" not in capsys.readouterr().err


def test_steady_takes_folders_and_patterns(capsys, tmp_path):
    """Each file is a run, also where its time does not go back; what is no run is told."""
    for users, level in ((2, 20.0), (10, 100.0)):
        noise = np.random.default_rng(users).normal(0, level / 50, 100)
        run = pd.DataFrame({"time_s": range(100), "users": users, "throughput_tps": level + noise})
        run.assign(time_s=run["time_s"] + 1000 * users).to_csv(tmp_path / f"c{users}.csv", index=False)
    (tmp_path / "README").write_text("Runs of Monday")
    frame = loadtests.read_run(tmp_path)
    found = loadtests.steady_runs(frame).glance()
    assert found["users"].tolist() == [2, 10]
    assert [path.rpartition("/")[2] for path in found["file"]] == ["c2.csv", "c10.csv"]
    assert found["from_s"].tolist() == [2000, 10000]
    for named in (str(tmp_path), f"{tmp_path}/c*.csv"):
        assert main(["steady", named, "--format", "csv", "--show", "means"]) == 0
        out, err = capsys.readouterr()
        assert [line.split(",")[1] for line in out.splitlines()] == ["users", "2", "10"]
        assert ("not read" in err) == (named == str(tmp_path))


def test_a_stepped_test_is_looked_at_load_by_load():
    """One clock, three loads held for 60 s each at one throughput: no mean of 60 users, who only ran a third of it."""
    frame = pd.DataFrame({"time_s": np.arange(180.0), "users": np.repeat([40, 60, 80], 60)})
    frame["throughput_per_s"] = 300 + np.random.default_rng(3).normal(0, 2, 180)
    found = loadtests.steady_runs(frame)
    assert found.glance()["users"].tolist() == [40, 60, 80]
    assert (found.means().set_index(["users", "metric"]).loc[(60, "throughput_per_s"), "samples"]) <= 60
    ramp = frame.assign(users=np.minimum(np.arange(180), 100))
    assert len(loadtests.steady_runs(ramp).glance()) == 1


@pytest.mark.parametrize("given", [{"users": 100}, {"settle_s": 60}, {"measure_s": 60}])
def test_settings_of_the_other_method_are_refused(given):
    """What would change nothing is not taken in silence; the documents' period takes each of them."""
    frame = pd.DataFrame({"time_s": np.arange(100.0), "throughput_tps": 5.0, "users": 100})
    with pytest.raises(BadTable, match=f"{next(iter(given))}=.*: expected method='fixed'"):
        steady_state(frame, **given)
    assert steady_state(frame, method="fixed", **{"settle_s": 0, "measure_s": 50} | given).method == "fixed"


def test_a_sample_of_weight_0_measured_nothing():
    """A second without a request says nothing of the response, in `roll_up` as in `curve`: as if it had no value."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"time_s": np.arange(200.0), "throughput_tps": rng.poisson(20, 200) + 1.0})
    frame["response_s"] = rng.gamma(4, 0.05, 200)
    frame.loc[::5, ["throughput_tps", "response_s"]] = 0.0
    gaps = frame.assign(response_s=frame["response_s"].where(frame["throughput_tps"] > 0))
    rows = [roll_up(each, columns=["response_s"], weights="throughput_tps") for each in (frame, gaps)]
    pd.testing.assert_frame_equal(*rows)
    assert rows[0]["samples"].tolist() == [160]


def test_text_among_the_users_is_named_by_its_row():
    frame = pd.DataFrame({"time_s": range(3), "users": [1, "many", 3], "throughput_tps": [1.0, 2.0, 3.0]})
    with pytest.raises(BadTable, match="column users, row 2: expected a number, found 'many'"):
        loadtests.steady_runs(frame)


def test_a_number_that_no_float_holds_is_named():
    """A whole number of 400 digits among the users: the row, and no OverflowError."""
    run = pd.DataFrame({"time_s": range(20), "users": [5] * 19 + [10**400], "throughput_tps": [9.0] * 20}, dtype=object)
    with pytest.raises(BadTable, match=r"users, row 20: expected a number, found '?1000"):
        loadtests.steady_runs(run)


def test_clock_times_without_a_date_cross_midnight(tmp_path):
    """One run, and no warning of pandas."""
    clock = pd.date_range("2026-01-01 23:58:00", periods=240, freq="s").strftime("%H:%M:%S")
    rates = 100 + np.random.default_rng(1).normal(0, 2, 240)
    pd.DataFrame({"clock": clock, "throughput_per_s": rates}).to_csv(tmp_path / "run.csv", index=False)
    found = steady_state(str(tmp_path / "run.csv"), time="clock", level=0.999)
    assert found.row_times.tolist() == list(range(240))
    assert "99.9 % interval" in found.headline()
