"""Laws that are plain functions of the caller's: fitted like any other, whatever the function takes."""

import functools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import public_curve

from dominoperf import fit
from dominoperf.errors import CannotFit, UnknownName

SPEC = public_curve("specsdm91")


def frame(x, y, names=("x", "y")):
    return pd.DataFrame(dict(zip(names, (x, y), strict=True)))


def test_a_plain_function_is_fitted_like_a_law():
    """The USL written by hand: the same estimates, errors, intervals and forecasts."""

    def usl(n, g, a, b):
        return g * n / (1 + a * (n - 1) + b * n * (n - 1))

    own = fit(usl, SPEC, x="processors", y="users", start={"g": 100, "a": 0.01, "b": 1e-4})
    ours = fit("usl", SPEC, error="constant")
    columns = ["estimate", "std_error", "low", "high"]
    assert np.allclose(own.tidy()[columns].astype(float), ours.tidy()[columns].astype(float), rtol=1e-6)
    assert np.allclose(
        own.predict([100, 400]).iloc[:, :-1].to_numpy(float),
        ours.predict([100, 400]).iloc[:, :-1].to_numpy(float),
        rtol=1e-6,
    )
    assert list(own.tidy()["term"]) == ["g", "a", "b"]


@pytest.mark.parametrize("kind", ["math", "abs", "max", "one at a time"])
def test_functions_that_take_no_arrays_or_complex_numbers(kind):
    """From the math module, with abs, or looking at one number: differences in place of complex steps, to 1e-5."""
    functions = {
        "math": lambda x, a, b: a * math.exp(-b * x),
        "abs": lambda x, a, b: abs(a) * np.exp(-abs(b) * x),
        "max": lambda x, a, b: max(a, 0.0) * np.exp(-b * x),
        "one at a time": _careful,
    }
    x = np.array([1.0, 2, 3, 5, 8])
    points = frame(x, 3 * np.exp(-0.3 * x) + [0.01, -0.02, 0.01, 0.0, -0.01])
    plain = fit(lambda x, a, b: a * np.exp(-b * x), points, start={"a": 1, "b": 0.1})
    found = fit(functions[kind], points, start={"a": 1, "b": 0.1})
    assert np.allclose(found.tidy()[["estimate", "std_error"]], plain.tidy()[["estimate", "std_error"]], rtol=1e-5)
    assert np.allclose(
        found.predict([2, 4, 10]).iloc[:, :-1].to_numpy(float),
        plain.predict([2, 4, 10]).iloc[:, :-1].to_numpy(float),
        rtol=1e-5,
    )
    assert np.isclose(found.curve(4.0), plain.curve(4.0))


def test_a_small_parameter_of_a_function_that_takes_no_complex_numbers():
    """A coherency of 1e-5 has its own step of differences: the errors are those of the library's law, to 1e-4."""
    load = np.array([1.0, 30, 100, 200, 300, 500, 900])
    rate = 50 * load / (1 + 0.02 * (load - 1) + 1e-5 * load * (load - 1)) * [1.01, 0.99, 1, 1.02, 0.98, 1.01, 0.99]
    points = frame(load, rate)

    def by_hand(n, g, a, b):
        return abs(g) * n / (1 + abs(a) * (n - 1) + abs(b) * n * (n - 1))

    found = fit(by_hand, points, start={"g": 40, "a": 0.01, "b": 1e-5}).tidy()
    ours = fit("usl", points, x="x", y="y", error="constant").tidy()
    assert np.allclose(found[["estimate", "std_error"]], ours[["estimate", "std_error"]], rtol=1e-4)


def test_functions_of_numbers_of_any_count_of_parameters():
    """One parameter or three: as numpy has them; where `math` raises the curve has no value; no warning is heard."""
    x = np.array([1.0, 2, 3, 5, 8])
    points = frame(x, 2.0 * np.sqrt(x) + [0.1, -0.2, 0.1, 0.0, -0.1])
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        one = fit(lambda x, a: a * math.sqrt(x), points, start={"a": 1})
        three = fit(lambda x, a, b, c: a + b * math.log(x + c), points, start={"a": 0, "b": 1, "c": 0.5})
        assert fit(lambda x, a: a * np.log(x - 0.7) / np.log(x - 0.7) * x, points, start={"a": 1}).dof == 4
    assert not heard
    assert np.isclose(one.estimates[0], (points["y"] @ np.sqrt(x)) / x.sum())
    assert np.isclose(one.predict([9])["predicted"][0], 3 * one.estimates[0])
    vector = fit(lambda x, a, b, c: a + b * np.log(x + c), points, start={"a": 0, "b": 1, "c": 0.5})
    assert np.allclose(three.params, vector.params, rtol=1e-6)
    assert np.isnan(three.curve([-9.0])[0])
    with pytest.raises(CannotFit, match=r"stopped at a = .*Begin nearer"):  # math.exp(800) has no value
        fit(lambda x, a, b: a * math.exp(b * x), points, start={"a": 1, "b": 100})


def test_functions_without_a_name_or_a_signature():
    """A partial function is fitted, and mistakes with it are told as with any other."""
    proportional = functools.partial(lambda factor, x, a: factor * a * x, 2.0)
    points = frame([1.0, 2, 3], [2.0, 4.1, 5.9])
    assert np.isclose(fit(proportional, points, start={"a": 1}).estimates[0], (2 + 8.2 + 17.7) / 28)
    assert fit(proportional, points, start={"a": 1}).law.name == "function"
    for function, start, says in [
        (proportional, None, "fit of function: expected a start for a, found None"),
        (proportional, {"b": 1}, "argument of function: .*'b'"),
        (max, {"a": 1}, r"fit of max: expected a function f\(x"),
    ]:
        with pytest.raises((CannotFit, UnknownName), match=says):
            fit(function, points, start=start)
    for value in (True, np.nan, np.inf, "1", None):
        with pytest.raises(CannotFit, match="start of a: expected a number"):
            fit(proportional, points, start={"a": value})
    assert fit(proportional, points, start={"a": np.float32(1)}).dof == 2


def _careful(x, a, b):
    if x < 0:
        raise ValueError("below zero")
    return a * math.exp(-b * x)


def test_functions_may_be_below_zero():
    """A line through points on both sides of zero is that of numpy; its values there are no mistake."""
    x, y = np.array([-2.0, 1, 2, 5]), np.array([-3.1, 0.2, 1.1, 3.9])
    found = fit(lambda x, slope, base: slope * x + base, frame(x, y), start={"slope": 1, "base": 0})
    assert np.allclose(found.params, np.polyfit(x, y, 1), rtol=1e-9)
    assert np.allclose(found.curve([-3.0]), np.polyval(np.polyfit(x, y, 1), -3))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fit(_careful, SPEC, x="processors", y="users"), "a start for a, b"),
        (lambda: fit(_careful, SPEC, x="processors", y="users", start={"a": 1, "c": 2}), "argument of _careful"),
        (lambda: fit(_careful, SPEC, x="processors", y="users", start={"a": 1, "b": "x"}), "start of b"),
        (lambda: fit(lambda x: x, SPEC, start={}), "at least one parameter"),
        (lambda: fit(lambda x, a: "z", SPEC, start={"a": 1}), "fit of <lambda>: .* for each x, found 'z' at x = 1"),
        (lambda: fit(lambda x, a: np.ones(2), SPEC, start={"a": 1}), "expected a number for each x, found .* at x = 1"),
    ],
)  # fmt: skip
def test_mistakes_with_functions_teach(call, says):
    """Starts that are not given, or of no argument; functions that give no numbers."""
    with pytest.raises((UnknownName, CannotFit), match=says):
        call()
