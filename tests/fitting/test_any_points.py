"""Whatever the points: `compare` answers or says what is wrong with them, and never crashes."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dominoperf import bootstrap, compare, fit
from dominoperf.errors import DominoperfError
from dominoperf.fitting.comparison import CANNOT_TELL, NONE

SHAPES = {
    "rising": lambda share: share,
    "constant": np.ones_like,
    "falling": lambda share: 1 / share,
    "saturating": lambda share: share / (1 + 5 * share),
    "collapsing": lambda share: share / (1 + share + 20 * share**2),
}
NOISE = [0.0, 1e-13, 1e-6, 0.01, 1.0, 3.0]
SETTINGS = [{}, {"sigma": 0.05}, {"error": "constant"}, {"error": "auto"}, {"bounded": False}, {"y_err": 1e-3}]


@st.composite
def points(draw):
    """Three to twelve points of a shape with noise, some x repeated, of any size; and what is said of their errors."""
    n, random = draw(st.integers(3, 12)), np.random.default_rng(draw(st.integers(0, 10**6)))
    x = 10.0 ** draw(st.floats(-6, 9)) * random.choice(np.arange(1, 13), n, replace=draw(st.booleans()))
    y = SHAPES[draw(st.sampled_from([*SHAPES]))](x / x.max()) * 10.0 ** draw(st.floats(-6, 9))
    y = y * np.exp(draw(st.sampled_from(NOISE)) * random.standard_normal(n))
    asked = dict(draw(st.sampled_from(SETTINGS)))
    if "y_err" in asked:
        asked["y_err"] = (y * asked["y_err"]).tolist()
    return x.tolist(), y.tolist(), asked


def check(family, x, y, asked):
    """Ask a comparison for everything, and hold its parts against each other."""
    try:
        laws = compare(family, x=x, y=y, interval="none", **asked)
    except DominoperfError:
        return
    glance = laws.glance().iloc[0]
    assert glance["verdict"] in {CANNOT_TELL, NONE, *laws.not_refuted}
    assert (glance["verdict"] == NONE) == (not laws.not_refuted)
    assert set(laws.not_refuted) | set(laws.refuted) == {fit.law.name for fit in laws.fits}
    p = laws.tidy()["refuted_p"].dropna()
    assert ((p >= 0) & (p <= 1)).all()
    assert laws.describe().endswith(".")
    assert laws.describe_forecast(2 * max(x))


@settings(max_examples=6, deadline=None, derandomize=True)
@given(points())
def test_a_comparison_of_any_points_answers(drawn):
    """Warnings of the arithmetic count as crashes."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(["linear", "amdahl", "usl"], *drawn)


@pytest.mark.parametrize(
    ("family", "y"),
    [("clock", np.arange(1.0, 11) ** 3), ("disk", np.arange(10.0, 0, -1)), ("utilization", 1 + 1e-12 * np.arange(10))],
)
def test_other_families_answer(family, y):
    """Ten points that only rise, that only fall, and that are nearly one."""
    check(family, list(range(1, 11)), y.tolist(), {})


MISSED = np.array([1.1, 0.9, 1, 1.05])
BUSY, LOADS = np.array([0.1, 0.3, 0.5, 0.9]), np.array([1e-3, 1, 1e3, 1e6])


@pytest.mark.parametrize(
    ("law", "x", "y", "asked"),
    [
        ("mm1", BUSY, 0.1 / (1 - BUSY) * MISSED, {}),  # infinite response at a utilization of 1
        ("power", [1, 2, 4, 8], np.array([1, 8, 64, 512]) * MISSED, {}),  # overflows far beyond the points
        ("cache_power", LOADS, 100 * LOADS / (1 + 0.05 * LOADS) * MISSED, {}),  # a profile without a slope
        ("clock_time", [1, 1, 2, 4], 1e150 * np.array([1, 1, 2, 4]), {}),  # an end that runs off to infinity
        ("utilization_law", [1, 2, 4, 8], np.zeros(4), {"bounded": False}),  # no logarithm of the squares
        ("utilization_proportional", LOADS, -LOADS, {}),  # replicates of zero
    ],
)
def test_no_warning_of_numpy_reaches_a_user(law, x, y, asked):
    """Every warning is an error in these tests; what cannot be had is infinite or NaN, with a reason."""
    found = fit(law, x=x, y=y, **asked)
    assert found.headline()
    assert len(found.predict([0.5, 1.0, 1e300])) == 3
    assert len(found.derive()) == len(found.law.derived)
    if found.law.inverse:
        assert len(found.inverse([1.0, 1e3])) == 2
    if np.isfinite(found.residual_sd):
        assert len(bootstrap(found, n=5)) == 5
