"""MSER and what surrounds it against loops over all windows, lines by least squares, and shapes by hand."""

import itertools

import numpy as np
import pytest
from made import noise

from dominoperf.loadtests import mser
from dominoperf.loadtests.mser import level_part_by_mser


def level(value, count, seed=0, wide=0.01):
    return value * (1 + wide * np.random.default_rng(seed).standard_normal(count))


@pytest.mark.parametrize("line", [False, True])
@pytest.mark.parametrize(("least", "floor"), [(10, 0.0), (10, 0.3), (3, 0.001), (25, 0.0)])
def test_the_window_of_least_marginal_error_is_that_of_all(line, least, floor):
    """Every pair of ends one by one: squares about the mean or the line, over the count, and again over the count."""
    for seed in range(3):
        z = np.r_[noise(seed, 8, wide=1) + 9, noise(seed + 9, 25, wide=0.5) + 0.1 * np.arange(25) * line, [7.0, 9, 8]]

        def error(a, b, z=z):
            at = np.arange(b - a)
            fitted = np.polynomial.Polynomial.fit(at, z[a:b], 1)(at) if line else z[a:b].mean()
            return (((z[a:b] - fitted) ** 2).sum() / (b - a) + floor) / (b - a)

        ends = [(a, b) for a, b in itertools.combinations(range(len(z) + 1), 2) if b - a >= least]
        assert mser._range_of_least_marginal_error(z, floor, least, line) == min(ends, key=lambda pair: error(*pair))


def widening(residual, terms):
    """Marriott and Pope's correction, as the head of `batch_means` has it."""
    alike = (residual[1:] @ residual[:-1]) / (residual @ residual)
    alike = min(max(alike + (terms + (2 + terms) * alike) / len(residual), 0), 0.95)
    return (1 + alike) / (1 - alike)


@pytest.mark.parametrize("count", [5, 19, 20, 40])
def test_when_two_stretches_differ(count):
    """Means more than four standard errors apart: of the rest, or of the first stretch about a cubic, if it is long."""
    told = []
    for k, apart in enumerate(np.linspace(0, 3, 40)):
        z = np.r_[noise(k, count, wide=0.6) + apart, noise(k + 50, 60, wide=0.8)]
        a, b = z[:count], z[count:]
        rest = b - b.mean()
        wide = widening(rest, 1)
        error = rest.var() * min(wide, count) / count
        if count >= 20:
            at = np.arange(count)
            bent = a - np.polynomial.Polynomial.fit(at, a, 3)(at)
            error = max(error, bent.var() * widening(bent, 4) / count)
        expected = abs(a.mean() - b.mean()) > 4 * np.sqrt(error + rest.var() * wide / 60)
        assert mser._batch_means_differ(z, (0, count), (count, len(z))) == expected
        told.append(expected)
    assert 3 < sum(told) < 38


def test_steps_and_slopes():
    """Two levels against one line by brute force; a slope of more than four standard errors."""
    at = np.arange(40)
    for seed, step in itertools.product(range(5), (0.0, 0.5, 2.0)):
        z = noise(seed, 40, wide=0.3) + step * (at >= 15) + 0.02 * at
        two = min(z[:cut].var() * cut + z[cut:].var() * (40 - cut) for cut in range(1, 40))
        line = ((z - np.polynomial.Polynomial.fit(at, z, 1)(at)) ** 2).sum()
        assert mser._level_has_step(z) == (two < line)
    flat = noise(1, 40, wide=1)
    assert [mser._level_has_slope(flat + slope * at, 0, 40) for slope in (0, 1, -1)] == [False, True, True]


def test_several_levels_and_what_lies_around_them():
    """A stretch of ten batches between two levels is one of its own; a shorter one belongs to the level behind it."""
    assert mser._several_levels_of_run(100, [(5, 40), (49, 70), (80, 95)]) == (
        ("ramp-up", 0, 5, ""), ("level", 5, 40, "level 1 of 3"), ("level", 40, 70, "level 2 of 3"),
        ("change", 70, 80, ""), ("level", 80, 95, "level 3 of 3"), ("change", 95, 100, ""),
    )  # fmt: skip
    assert mser._several_levels_of_run(20, [(0, 20)]) == (("level", 0, 20, "level 1 of 1"),)


@pytest.mark.parametrize(("tolerance", "share", "found"), [(0.05, 0.5, True), (0.05, 0.8, False), (0.05, 0.75, True)])
def test_the_least_share_of_a_level_part(tolerance, share, found):
    """30 of 40 batches are three quarters."""
    z = np.r_[level(1, 10), level(5, 30)]
    assert bool(level_part_by_mser(z, tolerance=tolerance, share=share).window) == found


def test_a_rise_within_the_tolerance_counts_as_none():
    """The floor is the variance of a line that rises by the tolerance: a twelfth of its square."""
    z = level(5, 60, wide=0.0001) * np.linspace(0.99, 1.01, 60)
    assert level_part_by_mser(z, tolerance=0.5, share=0.5).window == (0, 60)
    assert level_part_by_mser(z, tolerance=0.0, share=0.5).window is None
    for floor in (0.0, 0.01, 1.0):
        errors = [(np.var(z[k:]) + floor) / (60 - k) for k in range(55)]
        assert mser.mser_truncation(z, floor) == int(np.argmin(errors))
    ramp = np.r_[4.8 * np.ones(8), level(5, 52, wide=0.0001)]
    assert mser.initial_transient(ramp, tolerance=0.0) == 8
    assert mser.initial_transient(ramp, tolerance=0.9) == 0
    assert [mser.initial_transient(level(100, 70, seed), tolerance=0.0) for seed in range(6)] == [0] * 6  # noise
