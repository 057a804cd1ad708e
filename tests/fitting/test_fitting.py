"""Fits agree with published and closed-form answers, and say how sure they are."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, stats
from statsmodels.regression.linear_model import OLS  # of statsmodels.api the rest takes a second to load
from statsmodels.tools.tools import add_constant

from dominoperf import fit_many, series
from dominoperf.fitting import compare, fit, summary
from dominoperf.laws import LAWS
from dominoperf.tables import load, resolution, vocabulary

# The Mail SMP points fitted on the face of the USL that is Amdahl's law:
# contention 0.347; the same points give 3,762 users at four processors. Tolerance: half of the last digit.
SMP_CONTENTION, SMP_AT_FOUR = 0.347, 3762


def frame(x, y):
    """Points in the laws' own columns."""
    return pd.DataFrame({"processors": x, "users": y})


def test_smp_mail_against_the_published_answer():
    """One residual degree of freedom; the residuals undercut the step of 10 users, so the step gives the errors."""
    found = fit("amdahl", "smp_mail")
    tidy, glance = found.tidy().set_index("term"), found.glance().iloc[0]
    assert abs(tidy.loc["contention", "estimate"] - SMP_CONTENTION) < 0.0005
    assert abs(found.predict(4)["predicted"][0] - SMP_AT_FOUR) < 0.5
    assert glance["dof"] == 1
    assert glance["error_from"] == "resolution"
    assert (tidy["low"] < tidy["estimate"]).all()
    assert (tidy["estimate"] < tidy["high"]).all()
    assert tidy.loc["scale", "unit"] == "user/processor"


def test_linear_law_has_the_t_interval():
    """For one slope through the origin estimate, error and interval have closed forms (weights 1): to 1e-9."""
    x, y = np.array([1.0, 2, 3, 5]), np.array([10.5, 19.0, 31.0, 49.0])
    slope = (x @ y) / (x @ x)
    error = np.sqrt(np.sum((y - slope * x) ** 2) / 3 / (x @ x))
    half = stats.t.ppf(0.975, 3) * error
    found = fit("linear", frame(x, y), error="constant")
    row = found.tidy().iloc[0]
    assert np.allclose(
        row[["estimate", "std_error", "low", "high"]].astype(float), [slope, error, slope - half, slope + half]
    )
    ahead = found.predict(10).iloc[0]
    assert np.allclose([ahead["mean_low"], ahead["mean_high"]], [10 * (slope - half), 10 * (slope + half)])
    noise = stats.t.ppf(0.975, 3) * np.sqrt(np.sum((y - slope * x) ** 2) / 3)
    assert np.isclose(ahead["obs_high"], 10 * slope + np.hypot(10 * half, noise))


def test_profile_rises_by_the_f_quantile():
    """At each end of the contention interval the least sum of squares has risen by s^2 F(0.95; 1, n - 2)."""
    rng = np.random.default_rng(1)
    x = np.arange(1.0, 9)
    found = fit("amdahl", frame(x, LAWS["amdahl"].function(x, 100, 0.05) * (1 + 0.02 * rng.standard_normal(8))))
    row, problem = found.tidy().iloc[1], found
    limit = problem.squares_at(found.params) + found.residual_sd**2 * stats.f.ppf(0.95, 1, 6)
    for end in (row["low"], row["high"]):
        shape = x / (1 + end * (x - 1)) / problem.points[1]  # the best scale for a held contention, in closed form
        scale = shape.sum() / (shape @ shape)
        assert np.isclose(problem.squares_at([scale, end]), limit, rtol=1e-6)


def test_as_many_points_as_parameters():
    """The curve passes through every point: estimates, no errors, and the reason."""
    far = fit("gustafson", x=[12.715, 74391.202], y=[1530.367, 26425.0])  # where one parameter hardly moves a point
    assert np.allclose(far.curve([12.715, 74391.202]), far.points[1], rtol=1e-12)
    found = fit("amdahl", frame([1, 2], [100, 190]))
    tidy = found.tidy()
    assert np.allclose(tidy["estimate"], [100, 1 / 19])
    assert tidy[["std_error", "low", "high"]].isna().all().all()
    assert (tidy["reason"] != "").all()
    assert found.glance()["error_from"][0] == "none"
    assert "every point" in str(found)
    assert "no interval" in found.describe("contention")
    ahead = found.predict(3)
    assert ahead[["std_error", "mean_low", "mean_high", "obs_low", "obs_high"]].isna().all().all()
    assert ahead["reason"].tolist() == [tidy["reason"][0]]
    assert fit("amdahl", "smp_mail").predict([2, 4])["reason"].tolist() == ["", ""]
    unasked = fit("amdahl", "smp_mail", interval="none").predict(4)
    assert unasked["reason"].tolist() == ["no interval asked for"]


def test_parameter_at_its_bound():
    """Superlinear points: contention on its bound, named, one-sided, without an error; the simpler law suggested."""
    found = fit("amdahl", frame([1, 2, 3, 4], [100, 203, 306, 407]))
    row = found.tidy().set_index("term").loc["contention"]
    assert row["estimate"] == row["low"] == 0
    assert row["at_bound"]
    assert np.isnan(row["std_error"])
    assert 0 < row["high"] < 0.05
    assert found.glance()["params_at_bound"][0] == "contention"
    assert "linear" in found.headline()
    other = fit(
        "amdahl", frame([1, 2, 3], [300, 180, 100])
    )  # capacity that falls: nothing is claimed of linear scaling
    assert other.estimates[1] == 1
    assert "contention = 1" in other.headline()
    assert "linear" not in other.headline()


def test_a_series_as_a_frame_is_the_same_fit():
    """The step of the printed numbers travels with the frame."""
    assert fit("amdahl", series("smp_mail")).tidy().equals(fit("amdahl", "smp_mail").tidy())


def test_units_of_the_points_do_not_matter():
    """The same points in other units: the same share, the scale in proportion, however small."""
    x, y = [1, 2, 3, 4], np.array([100.0, 185, 270, 340])
    one = fit("amdahl", frame(x, y)).tidy()
    for factor in (1e-12, 1e9):
        other = fit("amdahl", frame(x, y * factor)).tidy()
        assert np.allclose(other.loc[0, ["estimate", "low", "high"]].astype(float) / factor,
                           one.loc[0, ["estimate", "low", "high"]].astype(float), rtol=1e-6)  # fmt: skip
        assert np.allclose(other.loc[1, "low":"high"].astype(float), one.loc[1, "low":"high"].astype(float), rtol=1e-5)


def test_rules_are_not_data():
    """A table of kind `rule` gives estimates and no errors."""
    found = fit("linear", "compaq_domino45/table_3_3", x="users", y="ram_least_mb")
    assert found.error_from == "rule"
    assert found.tidy()["std_error"].isna().all()
    glance = found.glance().iloc[0]
    assert glance[["rmse", "log_error", "loo_log_error", "f_test_p", "aicc"]].isna().all()
    assert "rule" in glance["reason"]
    assert compare(["sizing", "linear"], "memory_mail").left_out().empty
    again = fit("linear", load("compaq_domino45/table_3_3"), x="users", y="ram_least_mb")
    assert again.tidy().equals(found.tidy())


def test_left_out_error_by_hand():
    """Linear law, relative errors: each point forecast from the slope of the others."""
    x, y = np.array([1.0, 2, 4]), np.array([10.0, 21, 39])
    logs = []
    for k in range(3):
        keep = np.arange(3) != k
        shape = x[keep] / y[keep]
        logs.append(np.log(shape.sum() / (shape @ shape) * x[k] / y[k]))
    assert np.isclose(fit("linear", frame(x, y)).glance()["loo_log_error"][0], np.sqrt(np.mean(np.square(logs))))


@pytest.mark.parametrize(("settings", "share"), [({}, 0.5), ({"sigma": 0.05}, 0.5), ({"bounded": False}, 1)])
def test_nested_test_by_hand(settings, share):
    """From the sums of squares: F, or chi-squared of a stated sigma; halved where linear scaling lies on a bound."""
    points = frame(np.arange(1.0, 7), [100.0, 188, 270, 339, 410, 462])
    full, simple = fit("amdahl", points, **settings), fit("linear", points)
    gain = simple.squares - full.squares
    p = stats.chi2.sf(gain / 0.05**2, 1) if "sigma" in settings else stats.f.sf(gain / (full.squares / 4), 1, 4)
    assert np.isclose(full.glance()["f_test_p"][0], share * p)


def test_a_law_that_is_not_proportional_has_the_t_interval():
    """A line with an intercept: parameters and forecasts as ordinary least squares has them, to 1e-6."""
    x, y = np.array([1.0, 2, 3, 4, 6]), np.array([160.0, 199, 260, 301, 395])
    found = fit(lambda x, slope, base: slope * x + base, x=x, y=y, start={"slope": 1, "base": 1})
    ols = OLS(y, add_constant(x)).fit()
    assert np.allclose(found.tidy()[["low", "high"]].to_numpy()[::-1], ols.conf_int(0.05), rtol=1e-6)
    expected = ols.get_prediction([[1.0, 8.0]]).conf_int(obs=False, alpha=0.05)[0]
    assert np.allclose(found.predict(8)[["mean_low", "mean_high"]].to_numpy()[0], expected, rtol=1e-6)
    assert np.isnan(found.glance()["f_test_p"][0])  # no law of that name


def test_a_resolution_is_used():
    """As the table states it (10 / sqrt(12) users, relative to each point), as given, and under points on the curve."""
    y = np.array([1920, 2850, 3400])
    assert np.isclose(fit("amdahl", "smp_mail").residual_sd, np.sqrt(np.mean((10 / np.sqrt(12) / y) ** 2)))
    assert np.isclose(fit("amdahl", "smp_mail", resolution=100).residual_sd, 10 * fit("amdahl", "smp_mail").residual_sd)
    mail = "compaq_domino45/a_mail"
    step = resolution(mail)["users"]
    rough = fit("linear", mail, x="notesmark_tpm").glance()
    assert rough["error_from"][0] == "residuals"
    assert fit("linear", mail, x="notesmark_tpm", resolution=1000 * step).error_from == "resolution"
    x = np.arange(1.0, 5)
    on_curve = frame(x, LAWS["amdahl"].function(x, 100, 0.1))
    assert fit("amdahl", on_curve, resolution=1).error_from == "resolution"


def test_exact_points_have_no_statistics_of_noise():
    """The residual of the arithmetic gives no AICc, and no interval of width zero."""
    x = np.arange(1.0, 7)
    found = fit("amdahl", frame(x, LAWS["amdahl"].function(x, 100, 0.1)))
    glance = found.glance().iloc[0]
    assert found.error_from == "none"
    assert found.tidy()["low"].isna().all()
    assert glance[["aicc", "f_test_p"]].isna().all()
    assert "aicc" in glance["reason"]
    assert "no error to judge by" in glance["reason"]


def test_left_out_points_of_a_comparison():
    """A row per law and point, whose errors make up the left-out error; the ends are extrapolated."""
    found = compare("disk", "spindles", interval="none")
    left = found.left_out()
    assert len(left) == 20
    own = left[left["law"] == "spindles"]
    size = found.tidy().set_index("law").loc["spindles", "loo_log_error"]
    assert np.isclose(np.sqrt(np.mean(own["log_ratio"] ** 2)), size)
    assert list(own["extrapolated"]) == [True, False, False, True]
    assert np.allclose(np.log(own["predicted"] / own["observed"]), own["log_ratio"])
    assert own.loc[~(own["x"] == 1), "log_ratio"].abs().max() < 0.01
    assert {*left.columns, *found.derive(1).columns} <= set(vocabulary())
    assert found.derive(1)["estimate"].between(0.35, 0.74).all()


def test_statistics_by_hand():
    """Residual error unweighted over the degrees of freedom, log error of the points, counts of a held parameter."""
    x, y = np.arange(1.0, 7), np.array([100.0, 188, 270, 339, 410, 462])
    found = fit("amdahl", frame(x, y))
    glance, fitted = found.glance().iloc[0], found.curve(x)
    assert np.isclose(glance["rmse"], np.sqrt(np.sum((y - fitted) ** 2) / 4))
    assert np.isclose(glance["log_error"], np.sqrt(np.mean(np.log(fitted / y) ** 2)))
    assert list(glance[["law", "n", "n_params", "dof", "error_from", "level", "params_at_bound", "reason"]]) == [
        "amdahl", 6, 2, 4, "residuals", 0.95, "", "",
    ]  # fmt: skip
    assert fit("amdahl", frame(x, y), level=0.8).glance()["level"].item() == 0.8
    held = fit("amdahl", frame(x, y), fixed={"contention": 0.05}).glance().iloc[0]
    assert list(held[["n_params", "dof"]]) == [1, 5]
    assert np.isnan(held["f_test_p"])
    assert held["reason"] == "f_test_p: no simpler law, or no error to judge by"


def test_where_the_information_criterion_is_defined():
    """From as many points as parameters, the variance counted, and two more."""
    x, y = np.arange(1.0, 6), np.array([100.0, 188, 270, 339, 410])
    four, five = (fit("amdahl", frame(x[:n], y[:n])) for n in (4, 5))
    assert np.isnan(four.glance()["aicc"][0])
    assert four.glance()["reason"][0] == "aicc: needs n > p + 2 and a residual"
    assert np.isclose(five.glance()["aicc"][0], 5 * np.log(five.squares / 5) + 6 + 2 * 3 * 4 / 1)


def test_the_information_criterion_of_errors_that_are_known():
    """Differences are those of twice the log-likelihood, by the normal density, and of the penalty of the parameters.

    With errors from repeats the density is integrated over the scale, which is inverse chi-squared.
    """
    x, y = np.arange(1.0, 7), np.array([99.0, 188, 266, 335, 402, 461])
    stated, relative = frame(x, y).assign(users_sd=0.01 * y), {"sigma": 0.01}
    for how in ({"y_err": "users_sd"}, relative):
        laws = [fit(law, stated, **how) for law in ("linear", "amdahl", "usl")]
        likely = [stats.norm.logpdf(y, law.curve(x), 0.01 * y).sum() for law in laws]
        by_hand = [2 * k + 2 * k * (k + 1) / (6 - k - 1) - 2 * ln for k, ln in zip((1, 2, 3), likely, strict=True)]
        assert np.diff([law.glance()["aicc"][0] for law in laws]) == pytest.approx(np.diff(by_hand), rel=1e-9)
    five = fit("usl", stated.head(5), y_err="users_sd").glance().iloc[0]
    assert np.isfinite(five["aicc"])
    four = fit("usl", stated.head(4), y_err="users_sd").glance().iloc[0]
    assert "aicc: needs n > p + 1" in four["reason"].split("; ")

    means = frame(x, y).assign(std_error=0.01 * y, dof=4)
    laws = [fit(law, means, y_err="std_error") for law in ("linear", "amdahl")]
    assert {law.interval_dof for law in laws} == {4}

    def evidence(squares):
        v = np.exp(np.linspace(-15, 15, 20_001))
        return -2 * np.log(integrate.trapezoid(np.exp(-squares / 2 / v) * v**-3 * stats.invgamma.pdf(v, 2, scale=2), v))

    by_hand = [evidence(law.squares) + 2 * k + 2 * k * (k + 1) / (5 - k) for law, k in zip(laws, (1, 2), strict=True)]
    assert np.diff([law.glance()["aicc"][0] for law in laws]) == pytest.approx(np.diff(by_hand), rel=1e-6)


def test_leaving_out_one_of_a_pair():
    """Two points at one x: without either the other x values still tell both parameters, by refitting; or do not."""
    points = frame([1.0, 2, 2, 4], [100, 181, 187, 310])
    logs = [
        np.log(fit("amdahl", points.drop(index=k)).curve(points["processors"][[k]])[0] / points["users"][k])
        for k in range(4)
    ]
    assert np.isclose(fit("amdahl", points).glance()["loo_log_error"][0], np.sqrt(np.mean(np.square(logs))), rtol=1e-6)
    # Without x = 1, two parameters are too many.
    glance = fit("amdahl", frame([1, 2, 2], [100, 180, 190])).glance().iloc[0]
    assert np.isnan(glance["loo_log_error"])
    assert "loo_log_error" in glance["reason"]


def test_a_start_of_a_law_and_one_of_its_parameters():
    """Wherever the search begins, the answer is the same; as it is by name, by record, and with text for the error."""
    best = fit("amdahl", "smp_mail")
    for settings in (
        {"start": {"contention": 0.99}},
        {"start": {"scale": 1e5, "contention": 0.5}},
        {"interval": "auto"},
    ):
        assert np.allclose(fit(LAWS["amdahl"], "smp_mail", **settings).params, best.params, rtol=1e-8)
    assert best.interval == "profile"
    assert best.level == 0.95
    assert fit("amdahl", "smp_mail", bounded=False).curves.bounded is False
    assert best.curves.bounded is True
    assert not best.exact
    assert fit("amdahl", frame([1, 2], [100, 190])).exact


def test_every_form_of_a_fit_says_its_error_model():
    """In words, as HTML and as a column; of a comparison, too."""
    points = pd.DataFrame({"x": [1.0, 2, 3, 4], "y": [10.0, 19, 31, 40]})
    how = {"x": "x", "y": "y", "interval": "none", "error": "constant"}
    said = f"Error model: {summary.ERROR_MODEL['constant']}."
    found, both = fit("linear", points, **how), compare(["linear", "power"], points, **how)
    assert all(said in words for words in (str(found), found._repr_html_()))
    assert said in both.headline()
    assert {*found.glance()["error_model"], *both.tidy()["error_model"]} == {"constant"}


EXACT = {
    "usl": [(7, 0, 0), (7, 0, 0.03), (7, 0.2, 0), (7, 1, 0), (7, 0.2, 0.03)],
    "log_usl": [(7, 0, 0), (7, 0, 0.03), (7, 0.2, 0)],
    "amdahl": [(7, 0), (7, 1), (7, 1e-9)],
    "gustafson": [(7, 0), (7, 1)],
    "quadratic": [(7, 0), (7, 1e-9)],
    "geometric": [(7, 1), (7, 0.9)],
    "power": [(7, 0), (7, 1.2), (7, 1.2 - 1e-9)],
    "clock_time": [(0, 7), (7, 0), (7, 7)],
}


@pytest.mark.parametrize("law", EXACT)
def test_exact_points_put_their_parameters_on_the_bounds_alone(law):
    """In units of any size, alone and as many: a parameter on a bound is there to the last bit, one near it is not."""
    x, kept = np.array([1.0, 2, 3, 5, 8, 13]), [(param.low, param.high) for param in LAWS[law].params]
    for truth in EXACT[law]:
        expected = [value in edges for value, edges in zip(truth, kept, strict=True)]
        for unit in (1 / 3, 8.1e9):
            y = LAWS[law].function(x, *truth) * np.ones(6) * unit
            points = pd.DataFrame({LAWS[law].x: x, LAWS[law].y: y, "curve": 1})
            one = fit(law, points)
            assert one.on_bound.tolist() == expected, (truth, unit, one.params)
            many = fit_many(points, law, by="curve")
            assert (
                many["params_at_bound"][0].split(", ")
                == [*np.array(one.law.names)[expected], ""][: max(sum(expected), 1)]
            )


@pytest.mark.parametrize("law", ["amdahl", "usl", "quadratic", "power"])
@pytest.mark.parametrize("share", [0, 1e-9, 1e-5])
@pytest.mark.parametrize("single", [False, True], ids=["double", "single"])
def test_tiny_shares_over_wide_loads_are_scipys(law, share, single):
    """From 1 to 1,000 processors, exact or rounded to single precision, in units of any size, for both error models."""
    x, low, high = np.array([1.0, 10, 100, 1000]), *np.array([(p.low, p.high) for p in LAWS[law].params]).T
    others = {"geometric": [1 - share], "power": [1.2 - share], "usl": [0.1, share]}.get(law, [share])
    for scale, error in itertools.product((1e-6, 1e9), ("relative", "constant")):
        truth = np.array([scale, *others])
        y = LAWS[law].function(x, *truth)
        y = y.astype(np.float32).astype(float) if single else y
        found = fit(law, frame(x, y), error=error, interval="none")
        weights = 1 / y if error == "relative" else 1 / np.linalg.norm(y)

        def residuals(params, y=y, weights=weights):
            return (LAWS[law].function(x, *params) - y) * weights

        tight = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "x_scale": [scale, *[1e-6] * len(others)]}
        best = optimize.least_squares(residuals, np.clip(truth, low, high - 1e-13), bounds=(low, high), **tight)
        assert np.linalg.norm(residuals(found.params)) <= np.sqrt(2 * best.cost) * (1 + 1e-6) + 2e-12
        if not single:
            assert found.on_bound.tolist() == ((truth == low) | (truth == high)).tolist()


@pytest.mark.parametrize(("law", "x", "y"), [
    ("usl", [1, 8, 12, 24], [99.0078030187296, 621.0049369045075, 633.0461446968586, 2073.8113687218342]),
    ("log_usl", [1, 3, 4, 6, 8, 24], [95.2493661285559, 238.18644790978217, 127.11265650651332, 174.22323093019935,
                                      387.1815606201827, 415.2504634731037]),
])  # fmt: skip
def test_a_search_that_comes_slowly_near_is_not_refused(law, x, y):
    """Scattered points with coherency on its bound, where each step goes half the way: as Amdahl's law alone."""
    points = pd.DataFrame({"processors": x, "users": y})
    assert np.allclose(fit(law, points).params, [*fit("amdahl", points).params, 0], rtol=1e-6)
