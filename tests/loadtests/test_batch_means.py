"""Means, slopes and quantiles with their errors: by hand, and by how often intervals hold the truth."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from made import noise
from scipy import stats

from dominoperf.loadtests import batch_means


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


def test_widening_is_its_formula():
    """Of 1, 1, -1, -1, ... the lag-1 autocorrelation of 48 is 1/48, and its bias (1 + 3/48)/48; unlikeness is none."""
    r = 1 / 48 + (1 + 3 / 48) / 48
    assert batch_means.autocorrelation_widening(np.tile([1.0, 1, -1, -1], 12), 1) == pytest.approx((1 + r) / (1 - r))
    assert batch_means.autocorrelation_widening(np.tile([1.0, -1], 24), 1) == 1


def test_slopes_that_cannot_be_told():
    """Too few samples, one time, and none at all where all are equal."""
    at = np.arange(10.0)
    assert batch_means.slope_by_batches(at[:9], at[:9], 0.95).reason == "9 samples: too few for a slope"
    assert batch_means.slope_by_batches(np.ones(10), at, 0.95).reason == "all samples have one time"
    flat = batch_means.slope_by_batches(at, np.full(10, 2.0), 0.95)
    assert (flat.value, flat.std_error, flat.low, flat.high, flat.effective) == (0, 0, 0, 0, 10)
    assert batch_means.t_quantile(0.95, 0.5) == pytest.approx(stats.t.ppf(0.975, 0.5))
    assert math.isnan(batch_means.t_quantile(0.95, 0))


@pytest.mark.parametrize("count", [10, 60, 61, 150, 1000])
@pytest.mark.parametrize("ends", [(10, 20), (3e6, 1e6), (-0.1, 0.3)])
def test_a_line_without_noise_is_known_exactly(count, ends):
    """Rounding is no noise: what is left of it is alike from one to the next, and left the slope without an error."""
    times = 7 + 2.0 * np.arange(count)
    found = batch_means.slope_by_batches(times, np.linspace(*ends, count), 0.95)
    assert found.value == pytest.approx((ends[1] - ends[0]) / (2 * (count - 1)))
    assert (found.std_error, found.low, found.high, found.effective, found.reason) == (
        0.0, found.value, found.value, count, "",
    )  # fmt: skip


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


def test_a_percentile_that_too_few_requests_bound_has_no_upper_end():
    found = batch_means.quantile_by_batches(np.random.default_rng(1).exponential(1, (20, 1)), 0.95, 0.95)
    assert found.low < found.value
    assert np.isnan(found.high)
    assert "do not bound it" in found.reason


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


@pytest.mark.parametrize(("alike", "count"), [(0.0, 100), (0.5, 200), (0.9, 1000), (0.9, 150)])
def test_coverage(alike, count):
    """95 % intervals of mean and slope hold the truth in 93 to 97 % of autoregressive series: here of 700, to 0.8 %."""
    at, hits = np.arange(count, dtype=float), np.zeros(2)
    series = noise(9, 700 * (count + 200), alike).reshape(700, -1)[:, :count]
    for values in series:
        mean, slope = batch_means.mean_by_batches(values, 0.95), batch_means.slope_by_batches(at, values, 0.95)
        hits += mean.low <= 0 <= mean.high, slope.low <= 0 <= slope.high
    assert (hits / 700 >= 0.922).all()
    assert (hits / 700 <= 0.975).all()


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
