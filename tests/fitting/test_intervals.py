"""Profile intervals of forecasts, derived quantities and inverses: against brute force, along x, where nothing is told.

`profiles/ends.csv` has the ends of 240 curves of four laws, on and next to their bounds, as `profiles/brute_force.py`
finds them with scipy alone.
"""

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dominoperf import fit, series
from dominoperf.laws import LAWS

FOLDER = Path(__file__).with_name("profiles")
WITHIN = 0.01  # of the ends that brute force finds
TRIED = 12  # curves of each law: every truth with either kind of error
ILL = [36.645, 55.859, 118.615, 252.3625, 238.13, 343.1225]  # hardly tells the three parameters of the USL


def brute_force():
    """The script beside the file of ends."""
    spec = importlib.util.spec_from_file_location("brute_force", FOLDER / "brute_force.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BRUTE = brute_force()
ENDS = pd.read_csv(BRUTE.ENDS)


def points(law, x, y):
    return pd.DataFrame({LAWS[law].x: x, LAWS[law].y: y})


def asking(law, names):
    """The law with those of its derived quantities alone: each is a search of its own."""
    return replace(LAWS[law], derived=tuple(each for each in LAWS[law].derived if each.name in names))


def found(one, asked):
    """What a fit says to the rows of a curve: estimate, low, high each."""
    ahead = one.predict(asked.loc[asked["quantity"] == "predict", "at"])
    rows = ahead[["predicted", "mean_low", "mean_high"]].to_numpy().tolist()
    for row in asked[asked["quantity"] != "predict"].itertuples():
        answer = one.inverse(row.at) if row.quantity == "inverse" else one.derive().query("term == @row.quantity")
        rows.append(answer[["estimate", "low", "high"]].to_numpy(float)[0].tolist())
    return np.array(rows)


@pytest.mark.parametrize("law", BRUTE.LAWS)
def test_ends_are_those_of_brute_force(law):
    """Of 12 of its 60 curves: every estimate and end to 1 %, those that are endless or nothing alike."""
    data = {number: given for number, *given in BRUTE.curves(law, TRIED)}
    own = ENDS[ENDS["law"] == law]
    assert own["curve"].nunique() == BRUTE.CURVES
    for number, asked in own[own["curve"] < TRIED].groupby("curve"):
        asked = asked.sort_values("quantity", key=lambda names: names != "predict", kind="stable")
        error, x, y = data[number]
        answers = found(fit(asking(law, set(asked["quantity"])), points(law, x, y), error=error), asked)
        expected = asked[["estimate", "low", "high"]].to_numpy()
        assert np.allclose(answers, expected, rtol=WITHIN, atol=0), (number, asked, answers)


@pytest.mark.parametrize(("law", "curve"), [("usl", 13), ("clock_time", 31)])
def test_the_file_is_what_the_script_finds(law, curve):
    """A forecast within the points, again by brute force."""
    _, error, x, y = next(each for each in BRUTE.curves(law, BRUTE.CURVES) if each[0] == curve)
    row = ENDS.query("law == @law and curve == @curve and quantity == 'predict'").iloc[1]
    profile = BRUTE.Profile(law, error, x, y)
    squares, params = BRUTE.best(profile)
    limit = BRUTE.limit(squares, len(x) - len(params))
    assert BRUTE.end(profile, "predict", row["at"], row["estimate"], limit, 1) == pytest.approx(row["high"], rel=1e-5)


def test_the_known_bad_forecasts():
    """Where the search used to lose its way: ends by brute force."""
    ahead = fit("usl", points("usl", [1, 2, 4, 8, 12, 24], ILL)).predict([14, 14.5, 23.5, 24])
    assert np.allclose(ahead["mean_high"], [373.3, 380.6, 494.6, 501.6], rtol=1e-3)


@pytest.mark.parametrize("degree", [3, 6])
def test_ends_of_a_polynomial_are_students(degree):
    """Of four and of seven parameters, whose region is an ellipsoid: to a thousandth of the width."""
    x = np.linspace(-1, 1.3, 14)
    y = 1 + x + 0.1 * np.random.default_rng(0).standard_normal(14)
    names = "abcdefg"[: degree + 1]
    law = eval(f"lambda x, {', '.join(names)}: " + " + ".join(f"{name} * x**{k}" for k, name in enumerate(names)))
    ends = [
        fit(law, x=x, y=y, start=dict.fromkeys(names, 1.0), interval=interval).predict([0.1, 1.5, 2.0])
        for interval in ("profile", "wald")
    ]
    found, exact = (frame[["mean_low", "mean_high"]].to_numpy() for frame in ends)
    assert (np.abs(found - exact) < 1e-3 * np.diff(exact, axis=1)).all()


def test_ends_do_not_jump_along_x():
    """Curves of the USL with 10 % noise: each end lies within 2 % of the middle of its neighbours, in logarithms."""
    x, at = np.array([1.0, 2, 4, 8, 12, 24]), np.arange(8.0, 49)
    for seed in range(5):
        noise = 1 + 0.1 * np.random.default_rng(seed).standard_normal(6)
        ahead = fit("usl", points("usl", x, LAWS["usl"].function(x, 40, 0.05, 0.001) * noise)).predict(at)
        for end in (ahead["mean_low"], ahead["mean_high"]):
            assert (end > 0).all()
            steps = np.diff(np.log(end.to_numpy()))
            assert np.abs(np.diff(steps)).max() / 2 < 0.02, seed


def counted(law):
    """The law with a list that gets an entry for every call of its formula."""
    calls, function = [], LAWS[law].function

    def counting(x, *params):
        calls.append(1)
        return function(x, *params)

    return replace(LAWS[law], function=counting), calls


@pytest.mark.parametrize(("law", "data", "at"), [
    ("usl", points("usl", [1, 2, 4, 8, 12, 24], ILL), np.linspace(1, 48, 41)),
    ("clock_time", "clock_mail", np.linspace(100, 400, 41)),
])  # fmt: skip
def test_forecasts_of_an_ill_determined_fit_need_few_calls(law, data, at):
    """All 41 together: the formula is called as often as for one (the old search: 200,000 times)."""
    record, calls = counted(law)
    one = fit(record, data)
    before = len(calls)
    assert np.isfinite(one.predict(at)["mean_high"]).all()
    assert len(calls) - before < 3000


def test_where_the_points_tell_nothing():
    """Three points on one degree of freedom that allow next to no capacity: 0, and words; what they bound has ends."""
    one = fit("clock_time", "clock_mail")
    ahead = one.predict([100, 300])
    assert (ahead["mean_low"] == 0).all()
    assert (ahead["mean_high"] < 4000).all()
    back = one.inverse([500, 2000])
    assert back["reason"].tolist() == ["flat: the points do not bound it", "one-sided: the points give no upper end"]
    assert back["low"][0] == 0
    assert 150 < back["low"][1] < back["estimate"][1]
    assert np.isinf(back["high"]).all()
    assert "(95 % interval from 195 on; one-sided: the points give no upper end)" in one.describe_inverse(2000)
    assert "(95 % interval unknown; flat: the points do not bound it)" in one.describe_inverse(500)
    points = series("clock_mail")
    points["clock_mhz"] /= 1000
    assert "interval from 0.195 on" in fit("clock_time", points).describe_inverse(2000)
    limit = one.derive().set_index("term").loc["limit"]
    assert limit["reason"] == "infinite for these parameters; flat: the points do not bound it"


def test_a_capacity_that_may_never_be_reached():
    """Where some curves within the interval peak below it, no number of processors need be enough."""
    one = fit("usl", points("usl", [1, 2, 3, 4], [100, 180, 240, 280]), sigma=0.02)
    back = one.inverse([200, 300])
    assert back["reason"].tolist() == ["", "one-sided: the points give no upper end"]
    assert np.isfinite(back["high"][0])
    assert back["high"][1] == np.inf


def test_a_peak_that_may_not_exist():
    """Coherency on its bound: no peak, but the points say from where on one could be."""
    one = fit("usl", points("usl", [1, 2, 3], [720, 903, 1000]), sigma=0.02)
    row = one.derive().set_index("term").loc["peak"]
    assert row["estimate"] == row["high"] == np.inf
    assert 2 < row["low"] < 10
    assert row["reason"] == "infinite for these parameters; one-sided: the points give no upper end"


def test_the_capacity_at_the_peak_is_covered():
    """Of 20 intervals of `peak_capacity` at 95 % 14 hold the truth, or more: fewer would once in 30,000."""
    rng, runs, inside, x, shares = np.random.default_rng(11), 20, 0, np.arange(1.0, 7), (0.2, 0.05)
    truth, peak = LAWS["usl"].function(x, 100, *shares), BRUTE.LAWS["usl"].quantity["peak_capacity"](100, *shares)
    for _ in range(runs):
        one = fit(asking("usl", {"peak_capacity"}), points("usl", x, truth * (1 + 0.02 * rng.standard_normal(6))))
        row = one.derive().iloc[0]
        inside += row["low"] <= peak <= row["high"]
    assert inside >= 14


NOISY = {
    "pgbench, its own samples": ([1, 2, 4, 8], [2546.042279, 2790.516512, 1421.608448, 537.086542]),
    "a valley that bends": ([1, 2, 3, 4, 6, 12, 32], [72.88, 409.52, 104.48, 448.5, 98.65, 423.69, 344.39]),
    "falls from the start": ([1, 2, 4, 6, 8, 24], [220.69, 97.64, 13.35, 18.55, 10.79, 5.23]),
}


@pytest.mark.parametrize(("law", "name"), [*zip(("usl", "amdahl", "usl"), NOISY, strict=True)])
def test_what_follows_goes_as_far_as_the_parameters(name, law):
    """Karp and Flatt's share of N is ``contention + coherency N``, its efficiency ``1 / (1 + share (N - 1))``."""
    x, y = NOISY[name]
    one, count = fit(law, points(law, x, y)), max(x)
    ends, derived = (frame.set_index("term")[["low", "high"]] for frame in (one.tidy(), one.derive()))
    low, high = derived.loc["karp_flatt"]
    furthest = ends["high"].drop("scale") * [1, count][: len(ends) - 1]
    assert ends.loc["scale", "low"] == 0 or ends.loc["scale", "low"] > 1e-6 * one.estimates[0]
    assert low >= 0
    assert furthest.max() * (1 - 1e-6) <= high <= furthest.sum()
    if law == "amdahl":
        assert np.allclose([low, high], ends.loc["contention"], rtol=1e-6, atol=1e-9)
    assert np.allclose(derived.loc["efficiency"], 1 / (1 + np.array([high, low]) * (count - 1)), rtol=1e-3, atol=0)


def test_what_no_parameter_moves_ends_at_itself():
    """Linear scaling is all efficiency and no serial share, whatever the scale; so is any law at one processor."""
    rows = fit("linear", points("linear", *NOISY["pgbench, its own samples"])).derive().set_index("term")
    for name, value in (("efficiency", 1), ("karp_flatt", 0)):
        assert rows.loc[name, ["estimate", "low", "high"]].tolist() == [value, value, value]
        assert rows.loc[name, "reason"] == "no standard error: no parameter fitted inside its bounds changes it"
    one = fit("amdahl", "smp_mail").derive(1).set_index("term")
    assert one.loc["efficiency", ["estimate", "low", "high"]].tolist() == [1, 1, 1]


def test_several_levels_at_once_are_each_level():
    """The ends of the parameters are sought together."""
    one = fit("clock_power", "clock_mail")
    for level, made in zip((0.8, 0.99), one.at_levels((0.8, 0.99)), strict=True):
        alone = replace(one, level=level)
        ends = [each.tidy()[["low", "high"]].to_numpy() for each in (made, alone)]
        assert np.allclose(*ends, rtol=1e-8)
        assert np.allclose(made.predict([800]).iloc[0, 1:5], alone.predict([800]).iloc[0, 1:5], rtol=1e-6)


def test_a_power_of_the_clock_as_far_as_a_grid_of_exponents():
    """A free exponent: for each the best scale in closed form; the least and most that the F limit leaves."""
    one = fit("clock_power", "clock_mail", bounded=False)
    (x, y), limit, grid = one.points, BRUTE.limit(one.squares, one.dof), np.linspace(-6, 9, 150_001)
    ratio = (x[:, None] / x[0]) ** grid / y[:, None]
    left = grid[np.sum((ratio * ratio.sum(axis=0) / np.sum(ratio**2, axis=0) - 1) ** 2, axis=0) <= limit]
    assert np.allclose(one.tidy().loc[1, ["low", "high"]].astype(float), [left[0], left[-1]], rtol=1e-3)
