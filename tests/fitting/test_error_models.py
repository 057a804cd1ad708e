"""How the noise grows: the test's p values and false alarms, what is chosen, and that it is said."""

import re

import numpy as np
import pytest
from scipy import stats

from dominoperf import bootstrap, compare, fit
from dominoperf.errors import DominoperfError
from dominoperf.fitting import Curves, diagnostics
from dominoperf.laws import LAWS

X = np.geomspace(1, 32, 8)
CURVES = {"usl": (100, 0.05, 0.002), "amdahl": (100, 0.05), "linear": (100,)}


def simulated(law, power, runs, x=X, noise=0.03, seed=11):
    """Seeded points of a law, points × runs, whose standard deviation is in proportion to a power of the value."""
    values = LAWS[law].function(x, *CURVES[law])
    deviation = noise * np.exp(np.log(values).mean() * (1 - power)) * values**power
    return values[:, None] + deviation[:, None] * np.random.default_rng(seed).standard_normal((len(x), runs))


def p_values(law, error, y, x=X):
    """The p value of the test for each column of y."""
    curves = Curves.from_points(LAWS[law], x[:, None], y, error=error)
    params, *_ = curves.solve()
    return np.array([diagnostics.residual_trend(curves.take([k]), params[:, k]).p for k in range(y.shape[1])])


def test_p_values_are_those_of_simulated_residuals():
    """Imhof's integral against 200,000 draws of T for a straight line, to 0.004."""
    y = simulated("linear", 1, 3)
    curves = Curves.from_points(LAWS["linear"], X[:, None], y, error="relative")
    params, *_ = curves.solve()
    z = np.log(params[0, 0] * X)
    z, column = z - z.mean(), curves.jacobian(params)[0, :, 0]
    noise = np.random.default_rng(0).standard_normal((200_000, 8))
    left = noise - np.outer(noise @ column, column) / (column @ column)
    drawn = np.sum(z * left**2, axis=1) / np.sum(left**2, axis=1)
    for k in range(3):
        own = curves.residuals(params)[:, k]
        above = np.mean(drawn >= np.sum(z * own**2) / np.sum(own**2))
        found = diagnostics.residual_trend(curves.take([k]), params[:, k]).p
        assert found == pytest.approx(2 * min(above, 1 - above), abs=0.004)


def test_many_points_are_judged_by_the_normal_law(monkeypatch):
    """Of 150 points both ways give one p value, to 0.02."""
    x = np.geomspace(1, 64, 150)
    y = simulated("amdahl", 1, 5, x=x)
    exact = p_values("amdahl", "relative", y, x)
    monkeypatch.setattr(diagnostics, "_POINTS_FOR_NORMAL", 100)
    assert p_values("amdahl", "relative", y, x) == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize(("law", "power"), [("usl", 1), ("amdahl", 0)])
def test_false_alarms_are_two_to_five_in_a_hundred(law, power):
    """700 sets of eight points under the model that holds."""
    p = p_values(law, ("constant", "relative")[power], simulated(law, power, 700))
    assert 0.02 <= np.mean(p < diagnostics.FALSE_ALARMS) <= 0.05


def test_a_model_that_does_not_hold_is_found_out():
    """Eight points of Amdahl's law: constant noise under relative errors in a quarter or more, the reverse likewise."""
    for power, wrong in ((0, "relative"), (1, "constant")):
        p = p_values("amdahl", wrong, simulated("amdahl", power, 200))
        assert np.mean(p < diagnostics.FALSE_ALARMS) > 1 / 4


def test_what_the_points_choose_is_right_far_more_often_than_wrong():
    """Twelve points of Amdahl's law, 30 sets each, the law's own model wrong: the right one 21 times or more."""
    x = np.geomspace(1, 32, 12)
    for power, right, other in ((0, "constant", "relative"), (1, "relative", "constant")):
        begun = [Curves.from_points(LAWS["amdahl"], x[:, None], y[:, None], error=other)
                 for y in simulated("amdahl", power, 30, x=x).T]  # fmt: skip
        assert sum(diagnostics.choose_error_model(each).error == right for each in begun) >= 21


def test_a_wrong_model_is_chosen_in_two_to_five_of_a_hundred():
    """Eight points of Amdahl's law, 120 sets each, the law's own model the right one; odds of 3 would be 6 to 7 %."""
    for power, right, other in ((0, "constant", "relative"), (1, "relative", "constant")):
        begun = [Curves.from_points(LAWS["amdahl"], X[:, None], y[:, None], error=right)
                 for y in simulated("amdahl", power, 120, seed=12).T]  # fmt: skip
        assert 0.02 <= np.mean([diagnostics.choose_error_model(each).error == other for each in begun]) <= 0.055


def test_a_power_is_fitted_to_relative_noise_in_three_to_six_of_a_hundred():
    """Twelve points of Amdahl's law, 200 sets: 5 % are meant; a gain of 1.4 would do in 9.5 %, one of 2.4 in 2 %."""
    x = np.geomspace(1, 32, 12)
    y = simulated("amdahl", 1, 200, x=x, seed=12)
    begun = [Curves.from_points(LAWS["amdahl"], x[:, None], each[:, None], error="relative") for each in y.T]
    fitted = ["as a relative or a constant error" in diagnostics.choose_error_model(each).why for each in begun]
    assert 0.03 <= np.mean(fitted) <= 0.06


def test_a_fitted_power_and_intervals_that_hold():
    """Noise as the value squared: a power above 1.5 is fitted, and intervals cover 90 % or more, those by 1/y less."""
    x, held = np.geomspace(1, 32, 24), {"auto": 0, "relative": 0}
    powers = []
    for y in simulated("linear", 2, 40, x=x, noise=0.01).T:
        for error in held:
            found = fit("linear", x=x, y=y, error=error, interval="wald")
            low, high = found.tidy()[["low", "high"]].to_numpy()[0]
            held[error] += low <= 100 <= high
            if error == "auto":
                powers.append(found.curves.power)
    assert np.median(powers) > 1.5
    assert held["auto"] >= 0.9 * 40


def test_it_is_said_which_and_why():
    """In the headline, the table and the note; the fit is that of the model named."""
    x, y = X, simulated("linear", 0, 1, noise=0.2)[:, 0]
    found = fit("linear", x=x, y=y, error="auto")
    assert found.glance()["error_model"][0] == "constant"
    assert "times as likely by the residuals as a relative one" in found.glance()["note"][0]
    assert found.glance()["note"][0].removeprefix("error model: ") in found.headline()
    plain = fit("linear", x=x, y=y, error="constant")
    assert found.params.equals(plain.params)
    told = "Intervals hold those with noise in proportion to the square root of the value, too."
    assert (told in found.headline(), told in plain.headline()) == (True, False)
    two = fit("amdahl", x=[1, 2, 4], y=[100, 190, 340], error="auto").headline()
    assert "relative (noise in proportion to the value), the law's own, for 1 residual degree of freedom" in two
    zero = fit("linear", x=[1, 2, 3, 4], y=[0, 2, 3, 5], error="auto")
    assert zero.glance()["note"][0] == "error model: a value is not above zero"


@pytest.mark.parametrize(("seed", "power"), [(2, 0), (11, 1), (12, 1)])
def test_how_many_times_as_likely_by_brute_force(seed, power):
    """The two digits that are told: densities of the points, added up over slopes and over logarithms of the noise."""
    y = simulated("linear", power, 1, noise=0.15, seed=seed)[:, 0]
    slopes, noises = np.linspace(20, 300, 561)[:, None, None], np.geomspace(0.01, 3, 80)[None, :, None]
    shape = X / np.exp(np.log(X).mean())
    constant, relative = (
        np.exp(stats.norm.logpdf(y, slopes * X, 500 * noises * shape**p).sum(axis=2)).sum() for p in (0, 1)
    )
    names = ("relative", "constant") if relative > constant else ("constant", "relative")
    odds = max(relative, constant) / min(relative, constant)
    note = fit("linear", x=X, y=y, error="auto").glance()["note"][0]
    told = re.search(r"([\d.]+) times as likely by the residuals as a (\w+) one", note)
    assert told[2] == names[1]
    assert float(told[1]) == pytest.approx(odds, rel=0.06)


def test_residuals_that_contradict_the_model_are_a_note_and_no_warning(recwarn):
    """The headline says so with the p value; without a contradiction nothing is said; unknown is NaN with a reason."""
    y = 100 * X + [30, -40, 35, -25, 40, -35, 25, -30]
    wrong = fit("linear", x=X, y=y)
    assert wrong.glance()["error_test_p"][0] < diagnostics.FALSE_ALARMS
    assert "they grow less with the value than a relative error would (p" in wrong.glance()["note"][0]
    assert 'the intervals are not to be relied on. Try error="auto".' in wrong.headline()
    right = fit("linear", x=X, y=y, error="constant")
    assert right.glance()["note"][0] == ""
    untested = fit("linear", x=[1, 2], y=[10, 21]).glance()
    assert np.isnan(untested["error_test_p"][0])
    assert "error_test_p: no two residual degrees" in untested["reason"][0]
    assert not len(recwarn)


def test_a_new_observation_is_off_by_the_power_of_the_value():
    """The interval of an observation; a bootstrap draws its noise by the same power; no test across two powers."""
    y = simulated("linear", 2, 1, x=np.geomspace(1, 32, 24), noise=0.01)[:, 0]
    found = fit("linear", x=np.geomspace(1, 32, 24), y=y, error="auto")
    assert found.curves.error == "power"
    assert found.glance()["error_model"][0] == f"power {found.curves.power:g}"
    row = found.predict([64]).iloc[0]
    noise = found.quantile * found.residual_sd * row["predicted"] ** found.curves.power
    assert (row["obs_high"] - row["predicted"]) ** 2 == pytest.approx(
        (row["mean_high"] - row["predicted"]) ** 2 + noise**2
    )
    assert np.allclose(bootstrap(found, 2000)["scale"].std(), found.tidy()["std_error"], rtol=0.05)
    assert compare(["linear", "amdahl"], x=X, y=simulated("amdahl", 1, 1)[:, 0], error="auto").verdict


def test_what_cannot_be():
    """A sigma has the unit of the error model, which has to be named; an error per point leaves none to choose."""
    with pytest.raises(
        DominoperfError, match=r"fit\(sigma=\.\.\.\): expected an error model, found auto\. Say whether"
    ):
        fit("linear", x=[1, 2, 4], y=[1, 2, 4.1], sigma=0.1, error="auto")
    with pytest.raises(DominoperfError, match="expected y_err or error, found both"):
        fit("linear", x=[1, 2, 4], y=[1, 2, 4.1], y_err=[0.1] * 3, error="auto")


def test_intervals_of_a_chosen_error_model_hold_what_they_say():
    """Of 150 sets each of relative, constant and square-root noise 94 %; those of the chosen model alone 90 %."""
    rng, x, held = np.random.default_rng(5), np.geomspace(1, 32, 7), []
    curve = LAWS["amdahl"].function(x, 100, 0.05)
    for noise in (0.05 * curve, 0.05 * curve.mean(), np.sqrt(curve)):
        for _ in range(150):
            y = curve + noise * rng.standard_normal(len(x))
            found = fit("amdahl", x=x, y=y, error="auto", interval="wald")
            assert ("do not tell" in found.why_error_model) <= (found.curves.power == 0.5)
            low, high = found.tidy()[["low", "high"]].to_numpy().T
            held.append((low <= (100, 0.05)) & (high >= (100, 0.05)))
    assert 0.93 <= np.mean(held) <= 0.97


def test_intervals_of_a_chosen_error_model_hold_those_between_two_models():
    """Of a line with noise of the same size everywhere: of the parameter and the forecast, by hand."""
    y = simulated("linear", 0, 1, noise=0.2)[:, 0]
    found, constant = (fit("linear", x=X, y=y, error=error) for error in ("auto", "constant"))
    slope = X.sum() / np.sum(X**2 / y)  # of squares that weigh 1 / y
    half = stats.t.ppf(0.975, 7) * np.sqrt(np.sum((y - slope * X) ** 2 / y) / 7 / np.sum(X**2 / y))
    own = constant.tidy()[["low", "high"]].to_numpy()[0]
    low, high = min(own[0], slope - half), max(own[1], slope + half)
    assert high - low > own[1] - own[0]
    assert found.tidy()[["low", "high"]].to_numpy()[0] == pytest.approx([low, high], rel=1e-6)
    assert found.predict([64])[["mean_low", "mean_high"]].to_numpy()[0] == pytest.approx(
        [64 * low, 64 * high], rel=1e-6
    )
