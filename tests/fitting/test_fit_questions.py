"""What a fit is asked beyond its parameters: own functions, held constants, inverses, derived quantities, units."""

import numpy as np
import pandas as pd
import pytest
from conftest import public_curve
from scipy import optimize, stats
from statsmodels.regression.linear_model import OLS  # of statsmodels.api the rest takes a second to load
from statsmodels.tools.tools import add_constant

from dominoperf import bootstrap, compare, fit, fitting, forecast, load, runs
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.laws import LAWS, Law, Param, Quantity
from dominoperf.tables.rendering import number

SPEC = public_curve("specsdm91")


LIMITS = {"response_max_s": 1, "rate_per_s": 1}


def frame(x, y, names=("processors", "users")):
    return pd.DataFrame(dict(zip(names, (x, y), strict=True)))


def test_specsdm91_is_as_published():
    """R usl: estimates and standard errors to the printed digits; residual error 82.85 on 4 df; peak 96.52, 1884."""
    found = fit("usl", SPEC, error="constant")
    tidy = found.tidy().set_index("term")
    assert np.allclose(
        tidy.loc[["contention", "coherency", "scale"], "estimate"], [0.02773, 1.044e-4, 90.00], rtol=5e-4
    )
    assert np.allclose(
        tidy.loc[["contention", "coherency", "scale"], "std_error"], [9.122e-3, 1.988e-5, 14.21], rtol=3e-4
    )
    assert np.isclose(found.glance()["rmse"][0], 82.85, rtol=1e-4)
    derived = found.derive().set_index("term")["estimate"]
    assert np.allclose([derived["peak"], derived["peak_capacity"], derived["limit"]], [96.52, 1884, 3246], rtol=3e-4)


def test_parameters_that_the_points_do_not_tell_apart_are_said():
    """Amdahl's law with a start-up cost, whose three parameters make two: from each start another set fits as well."""

    def ridge(n, scale, serial, start_up):
        return scale * n / (1 + serial * (n - 1) + start_up * n)

    x, found = np.array([1.0, 2, 4, 8, 16, 32]), []
    y = 100 * x / (1 + 0.1 * (x - 1) + 0.05 * x) * [1.01, 0.99, 1.02, 0.98, 1.01, 1]
    for example in ((100, 0.1, 0.05), (300, 0.01, 1.0)):
        params = Param("scale", low=0), Param("serial", low=0, high=1), Param("start_up", low=0)
        found.append(fit(Law("ridge", ridge, params, "elementary", example=(x, example)), x=x, y=y))
    assert abs(found[0].params["scale"] - found[1].params["scale"]) > 1
    for one in found:
        tidy = one.tidy()
        assert tidy["std_error"].isna().all()
        assert tidy["reason"].str.contains("no standard error: other values of the parameters fit as well").all()
        told = "The points do not determine all of scale, serial and start_up: other values fit as well."
        assert told in one.headline()
        ahead = one.predict([64]).iloc[0]
        assert np.isnan(ahead["std_error"])
        assert ahead["reason"] == "no standard error: other values of the parameters fit as well"
    assert "other values" not in fit("amdahl", x=x, y=y).headline()


def test_a_parameter_that_moves_no_point_is_not_known_exactly():
    """Its standard error was 0, and so was that of what follows from it; of what follows from the other it is known."""
    derived = Quantity("of_both", "", "", lambda a, b: a + b), Quantity("of_a", "", "", lambda a, b: 2 * a)
    law = Law("idle", lambda x, a, b: a * x + 0 * b, (Param("a"), Param("b")), "elementary", example=((1, 2), (9, 2)),
              derived=derived)  # fmt: skip
    for y in ([1, 2.1, 3, 4], [1, 2, 3, 4]):  # where the curve meets all points, too
        found = fit(law, x=[1, 2, 3, 4], y=y)
        assert "The points do not determine b: other values fit as well." in found.headline()
        tidy = found.tidy().set_index("term")
        assert (tidy.loc["a", "std_error"] > 0) == (y[1] != 2)
        assert np.isnan(tidy.loc["b", "std_error"])
        assert "other values of the parameters fit as well" in tidy.loc["b", "reason"]
    both, one = fit(law, x=[1, 2, 3, 4], y=[1, 2.1, 3, 4]).derive().itertuples()
    assert np.isnan(both.std_error)
    assert "no standard error: other values of the parameters fit as well" in both.reason
    assert (one.std_error > 0, one.reason) == (True, "")


def test_what_follows_from_a_parameter_on_its_bound_says_why_it_has_no_error():
    """The reason was empty."""
    steep = fit("drive_power", frame([1, 2, 4], [900, 50, 3], ("drives", "response_s"))).derive().iloc[0]
    alone = fit("amdahl", frame([1, 2, 4, 8], [100, 201, 402, 803])).derive().set_index("term").loc["efficiency"]
    for row in (steep, alone):
        assert np.isnan(row["std_error"])
        assert row["reason"].endswith("no standard error: no parameter fitted inside its bounds changes it")


def test_a_line_has_fiellers_interval():
    """Users at a utilization, from U = demand users + idle: the roots of Fieller's quadratic, to 1e-6."""
    users, share = np.array([100.0, 300, 500, 800, 1000]), np.array([0.09, 0.19, 0.33, 0.47, 0.62])
    found = fit("utilization_law", frame(users, share, ("users", "cpu_utilization")))
    ols, t = OLS(share, add_constant(users)).fit(), stats.t.ppf(0.975, 3)
    (idle, demand), v = ols.params, ols.cov_params()
    a = demand**2 - t**2 * v[1, 1]
    b = -2 * ((0.7 - idle) * demand + t**2 * v[0, 1])
    c = (0.7 - idle) ** 2 - t**2 * v[0, 0]
    row = found.inverse(0.7).iloc[0]
    assert np.allclose([row["low"], row["high"]], np.sort(np.roots([a, b, c])), rtol=1e-6)
    assert np.isclose(row["estimate"], (0.7 - idle) / demand)
    assert row["extrapolated"]
    assert not found.inverse(0.5)["extrapolated"][0]


def test_inverse_goes_there_and_back():
    """The x of a forecast is the x asked; its interval holds it; beyond the peak there is none."""
    found = fit("usl", SPEC)
    there = found.predict([20, 50])["predicted"]
    back = found.inverse(there)
    assert np.allclose(back["estimate"], [20, 50], rtol=1e-9)
    assert ((back["low"] < back["estimate"]) & (back["estimate"] < back["high"])).all()
    none = found.inverse(1e6).iloc[0]
    assert np.isnan(none["estimate"])
    assert np.isnan(none["low"])
    assert none["reason"] == "the fitted curve never reaches 1,000,000"


def test_errors_of_derived_quantities():
    """Amdahl's limit is scale / contention: its error by the delta method, its interval by the profile of 1/limit."""
    points = frame(
        np.arange(1.0, 9), LAWS["amdahl"].function(np.arange(1.0, 9), 100, 0.1) * (1 + 0.01 * np.sin(np.arange(8)))
    )
    found = fit("amdahl", points)
    scale, contention = found.params
    slope = np.array([1 / contention, -scale / contention**2])
    row = found.derive().set_index("term").loc["limit"]
    assert np.isclose(row["std_error"], np.sqrt(slope @ found.covariance @ slope))
    other = fit(lambda n, g, limit: g * n / (1 + g / limit * (n - 1)), points, x="processors", y="users",
                start={"g": 100, "limit": 1000}, error="relative").tidy().set_index("term").loc["limit"]  # fmt: skip
    assert np.allclose(
        row[["estimate", "low", "high"]].astype(float), other[["estimate", "low", "high"]].astype(float), rtol=1e-6
    )


def test_derived_quantities_at_a_point():
    """Efficiency, gain, Karp and Flatt's share at the x asked, by default the last one; flagged beyond the points."""
    found = fit("amdahl", "smp_mail")
    at = found.derive([0.5, 1, 2, 3, 4]).query("term == 'efficiency'")
    assert list(at["x"]) == [0.5, 1, 2, 3, 4]
    assert list(at["extrapolated"]) == [True, False, False, False, True]
    assert np.allclose(at["estimate"], found.curve(at["x"]) / (found.estimates[0] * at["x"]))
    flat = found.derive([2, 3]).query("term == 'karp_flatt'")["estimate"]
    assert np.allclose(flat, found.estimates[1])  # Amdahl's law is where it is flat
    assert set(found.derive()["x"].dropna()) == {3.0}
    derived = fit("usl", SPEC, interval="none").derive().set_index("term")
    assert derived.loc[["peak", "peak_capacity"], "unit"].tolist() == ["processor", "user"]
    calls = frame([1.0, 2, 3], [2.0, 4.1, 5.9], ("calls", "answers"))  # names that are not in columns.toml
    assert fit(line, calls, x="calls", y="answers", **LINE).unit("{y}/{x}") == "answers/calls"


def test_a_peak_or_limit_beyond_the_points_is_extrapolated():
    """Whatever belongs to the whole curve: a load by the x of the points, a limit by their y; a peak by its load."""
    beyond = fit("usl", x=[1, 2, 3], y=[100, 180, 235]).derive().set_index("term")["extrapolated"]
    assert beyond[["peak", "peak_capacity", "limit"]].all()
    at = [1, 2, 4, 8, 16, 32]
    between = fit("usl", x=at, y=[1006.9, 1912.4, 3521.5, 5638.4, 7084.9, 6672.1]).derive().set_index("term")
    assert between.loc["peak_capacity", "estimate"] > 7084.9  # above each point, at a load between two of them
    assert not between.loc[["peak", "peak_capacity"], "extrapolated"].any()


def test_held_parameters():
    """A constant that a law needs is given, one that it holds can be freed; a held one has no error."""
    cache = frame([128.0, 256, 512, 1024, 2048], [1000.0, 1400, 1790, 2150, 2420], ("l2_kb", "users"))
    held = fit("cache_time", cache).tidy().set_index("term").loc["exponent"]
    assert (held["estimate"], held["reason"]) == (0.5, "held, not fitted")
    assert np.isnan(held["std_error"])
    free = fit("cache_time", cache, fixed={"exponent": None})
    assert free.glance()["n_params"][0] == 3
    assert free.squares < fit("cache_time", cache).squares
    x = np.array([0.1, 0.3, 0.5, 0.7, 0.8, 0.9])  # a start needs no constants
    begun = fit("sakasegawa", x=x, y=0.2 / (1 - x), fixed={"servers": 1}, start={"service_s": 0.1})
    assert np.allclose(begun.estimates, [0.2, 1])
    other = fit("cache_time", cache, fixed={"exponent": 0.3})
    assert other.estimates[2] == 0.3
    assert "Held: exponent = 0.3" in other.headline()


def test_superlinear_on_request():
    """Without bounds contention may be negative; it is named, and so is the load where the gain is paid back."""
    points = frame([1, 2, 4, 8, 16, 32], [100, 206, 420, 800, 1330, 1700])
    assert fit("usl", points).glance()["params_at_bound"][0] == "contention"
    found = fit("usl", points, bounded=False)
    assert found.estimates[1] < 0
    assert "superlinear" in found.headline()
    payback = found.derive().set_index("term").loc["payback", "estimate"]
    assert np.isclose(found.curve([payback])[0], found.estimates[0] * payback)


def test_poles_are_never_crossed():
    """Without bounds, too, the curve stays positive at every point, and so do the ends of its profiles."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        points = frame([1, 2, 4, 8, 16], np.array([100, 190, 330, 520, 640]) * (1 + 0.15 * rng.standard_normal(5)))
        found = fit("usl", points, bounded=False)
        assert (found.curve(points["processors"]) > 0).all()
        assert np.isfinite(found.tidy()[["low", "high"]].to_numpy(float)).all()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fit("clock_time", SPEC.assign(ram_mb=1.0), x="ram_mb"), "unit of MHz, found ram_mb, whose unit is MB"),
        (lambda: fit("mm1", SPEC.assign(cpu_utilization=0.5), y="users"), "a unit of s, found users, whose unit is"),
        (lambda: fit("mmc", SPEC.assign(cpu_utilization=0.5, response_s=1.0)), "servers given.*fixed"),
        (lambda: fit("amdahl", SPEC, fixed={"contention": -1}), "from 0 to 1"),
        (lambda: fit("amdahl", SPEC, fixed={"contention": "a"}), "from 0 to 1"),
        (lambda: fit("linear", SPEC, fixed={"scale": 90}), "all held"),
        (lambda: fit("amdahl", "nothing.csv"), "no such file"),
        (lambda: fit("spindles", "spindles").inverse([-1]), "above zero"),
        (lambda: fit("users_at_response", "smp_mail", fixed=LIMITS).inverse(1), "a law with one"),
        (lambda: fit("usl", SPEC, x=SPEC["users"]), r"fit\(x=...\): expected the name of a column, found a Series"),
        (lambda: fit("usl", SPEC).predict(pd.DataFrame({"name": ["a"]})), "found a frame of name"),
        (lambda: fit("amdahl", frame([2, 2, 2], [1, 2, 3])), "different x"),
        (lambda: fit("linear", "compaq_domino45/a_mail", x="ram"), "numbers in ram, found '1536- MB'"),
        (lambda: fit("amdahl", "compaq_domino45/a_mail"), "smp_mail"),
        (lambda: fit("amdahl", "smp_mial"), r"Did you mean smp_mail.*list_series"),
        (lambda: fit("amdahl", "smp_mail").predict(["x"]), "above zero"),
        (lambda: fit("amdahl", "smp_mail").describe("sigma"), "contention"),
        (lambda: fit("amdahl", SPEC).inverse(-5), r"^inverse of amdahl: expected users above zero, found -5\. "),
        (lambda: fit("amdahl", SPEC).predict(-5), r"^predict of amdahl: expected processors above zero, found -5\. "),
        (lambda: fit("amdahl", SPEC).derive(-5), r"^derive of amdahl: expected processors above zero, found -5\. "),
    ],
)  # fmt: skip
def test_mistakes_teach(call, says):
    """Units that clash, constants not given, names that do not exist: what was expected, and what to do."""
    with pytest.raises((UnknownName, CannotFit, BadTable), match=says):
        call()


def test_raytracer_lies_on_the_face_of_its_bounds():
    """Free, its coherency is negative (-2.0e-4): bounded it is 0, without an error, and the rest is Amdahl's law."""
    points = public_curve("raytracer")
    free = fit("usl", points, error="constant", bounded=False)
    assert np.isclose(free.estimates[2], -2.0e-4, rtol=0.05)
    bounded, amdahl = fit("usl", points, error="constant"), fit("amdahl", points, error="constant")
    assert bounded.glance()["params_at_bound"][0] == "coherency"
    assert np.allclose(bounded.estimates[:2], amdahl.params, rtol=1e-8)
    row = bounded.tidy().set_index("term").loc["coherency"]
    assert np.isnan(row["std_error"])
    assert row["low"] == 0 < row["high"] < 1e-3
    six = fit("usl", points.head(6), error="constant").params
    assert np.allclose(six, [20.85605, 0.02444, 0.00163], rtol=3e-3)


def line(x, base, slope):
    return base + slope * np.asarray(x)


def noisy_line(points=6, seed=0):
    """Seeded points of a line with constant noise; columns of a plain function."""
    x = np.arange(1.0, points + 1)
    return frame(x, line(x, 5.0, 2.0) + 0.3 * np.random.default_rng(seed).standard_normal(points), ("x", "y"))


LINE = {"start": {"base": 1.0, "slope": 1.0}}


def test_bootstrap_estimates_of_a_line_scatter_as_students():
    """With normal noise estimates divided by their standard errors follow t: within the noise of 2,000 replicates."""
    found = fit(line, noisy_line(), **LINE)
    replicates, quantiles = bootstrap(found, 2000), [0.025, 0.2, 0.8, 0.975]
    for term, estimate in found.tidy().set_index("term")["estimate"].items():
        studentised = (replicates[term] - estimate) / replicates[f"{term}_std_error"]
        assert np.allclose(studentised.quantile(quantiles), stats.t.ppf(quantiles, 4), rtol=0.12)


def test_wald_intervals_of_forecasts():
    """Estimate and standard error of the curve, times t; with a stated sigma times the normal quantile."""
    points = noisy_line()
    found = fit(line, points, interval="wald", level=0.9, **LINE)
    row, t = found.predict([9]).iloc[0], stats.t.ppf(0.95, 4)
    ols = OLS(points["y"], add_constant(points["x"])).fit().get_prediction([[1, 9]])
    assert np.isclose(row["std_error"], ols.se_mean[0])
    assert np.allclose([row["mean_low"], row["mean_high"]], row["predicted"] + np.array([-t, t]) * row["std_error"])
    assert np.allclose([row["obs_low"], row["obs_high"]], ols.conf_int(obs=True, alpha=0.1)[0])
    stated = fit(line, points, interval="wald", sigma=0.3, **LINE)
    assert np.isclose(stated.quantile, stats.norm.ppf(0.975))
    row = stated.predict([9]).iloc[0]
    assert np.isclose(row["mean_high"] - row["predicted"], stats.norm.ppf(0.975) * row["std_error"])
    assert np.isclose(row["std_error"], ols.se_mean[0] * 0.3 / found.residual_sd)


def test_wald_intervals_end_at_the_bounds():
    """No share below 0 and no users below none, however rough the points; without bounds there is no such end."""
    rough = frame([1, 2, 4, 8, 16], [130.0, 150, 500, 500, 1600])
    found = fit("amdahl", rough, interval="wald")
    row, half = found.tidy().iloc[1], stats.t.ppf(0.975, 3) * found.tidy()["std_error"][1]
    assert row["estimate"] - half < 0 == row["low"]
    assert np.isclose(row["high"], row["estimate"] + half)
    assert row["reason"] == "low is the bound itself"
    far = found.predict([1000]).iloc[0]
    assert far["predicted"] - found.quantile * far["std_error"] < 0 == far["mean_low"] == far["obs_low"]
    free = fit("amdahl", rough, interval="wald", bounded=False)
    assert free.tidy()["low"][1] < 0
    at = found.derive().set_index("term").loc["limit"]
    assert np.isclose(at["low"], at["estimate"] - found.quantile * at["std_error"])


@pytest.mark.parametrize("interval", ["profile", "wald"])
def test_a_new_observation_has_noise_of_its_own(interval):
    """Both variances add, on either side of its own; relative noise grows with the forecast, constant does not."""
    relative = fit("amdahl", SPEC, interval=interval)
    row, t = relative.predict([4]).iloc[0], stats.t.ppf(0.975, 5)
    for end in ("low", "high"):
        mean, whole = (row[f"{kind}_{end}"] - row["predicted"] for kind in ("mean", "obs"))
        assert np.isclose(whole**2, mean**2 + (t * relative.residual_sd * row["predicted"]) ** 2)
    assert row["obs_low"] < row["mean_low"] < row["predicted"] < row["mean_high"] < row["obs_high"]
    constant = fit("amdahl", SPEC, error="constant", interval=interval)
    row = constant.predict([100]).iloc[0]
    assert np.isclose((row["obs_high"] - row["predicted"]) ** 2,
                      (row["mean_high"] - row["predicted"]) ** 2 + (t * constant.residual_sd) ** 2)  # fmt: skip


def test_only_what_is_positive_stops_at_zero():
    """Users do, in the curve and in an observation; what a plain function gives may be anything, x too."""
    noise = frame([1, 2, 3, 4], [1.0, 90, 20, 200])
    row = fit("amdahl", noise, error="constant").predict([1]).iloc[0]
    assert row["obs_low"] == 0
    x = np.array([-2.0, -1, 0, 1, 2])
    found = fit(line, frame(x, [-3.9, -2.2, 0.1, 2.2, 3.8], ("x", "y")), **LINE)
    row = found.predict([-3]).iloc[0]
    assert row["obs_low"] < row["mean_low"] < row["predicted"] < row["mean_high"] < 0
    assert list(found.predict([-2, -2.1, 2, 2.1])["extrapolated"]) == [False, True, False, True]
    with pytest.raises(CannotFit, match="expected numbers"):
        found.predict([np.inf])
    unknown = fit("amdahl", frame([1, 2], [100, 190])).predict([2, 4])
    assert unknown["obs_low"].isna().all()


def test_a_fit_keeps_its_last_forecasts():
    """What is asked again is not computed again, and nobody who changes a frame changes the next one."""
    calls = []

    def counted(x, slope):
        calls.append(1)
        return slope * np.asarray(x)

    found = fit(counted, noisy_line(), start={"slope": 1.0})
    first, before = found.predict([1]), len(calls)
    again = found.predict([1])
    assert len(calls) == before
    again["predicted"] = 0.0
    assert found.predict([1]).equals(first)
    tidy = found.tidy()
    tidy["estimate"] = 0.0
    assert found.tidy()["estimate"][0] == found.estimates[0]


def test_quantities_without_an_interval_say_why():
    """None asked for, none to be found, no error known, no such thing: four reasons, and none where there is one."""
    reasons = {how: fit("usl", SPEC, interval=how).derive().set_index("term")["reason"] for how in ("wald", "none")}
    assert (reasons["wald"]["peak"], reasons["none"]["peak"]) == ("", "no interval asked for")
    none = fit("amdahl", SPEC, interval="none")
    assert none.tidy()[["low", "high"]].isna().all(axis=None)
    assert none.tidy()["std_error"].notna().all()
    assert none.predict([2])["mean_low"].isna().all()
    through = fit("amdahl", frame([1, 2], [100, 190])).derive()
    assert set(through["reason"]) == {"The curve passes through every point: no error can be told."}
    bent = fit("usl", frame([1, 2, 4, 8, 16], [100, 181, 309, 468, 641]), interval="wald").derive().set_index("term")
    assert bent.loc["peak", "reason"] == "infinite for these parameters"
    assert bent.loc["payback", "reason"] == "no superlinear gain to pay back: contention is not below zero"
    assert bent.loc["payback", ["estimate", "std_error", "low", "high"]].isna().all()


def test_what_follows_from_a_held_parameter_alone_has_no_error():
    """The peak is at the root of (1 - contention) / coherency: known, without an error; the limit has the scale's."""
    found = fit("usl", SPEC, fixed={"contention": 0.05, "coherency": 1e-4}, interval="wald")
    derived = found.derive().set_index("term")
    assert np.isclose(derived.loc["peak", "estimate"], np.sqrt(0.95 / 1e-4))
    assert derived.loc["peak", ["std_error", "low", "high"]].isna().all()
    assert np.isclose(derived.loc["limit", "std_error"], found.tidy()["std_error"][0] / 0.05)
    bound = fit("usl", frame([1, 2, 4, 8, 16], [100, 181, 309, 468, 641]))  # its coherency is on its bound
    amdahl = fit("amdahl", frame([1, 2, 4, 8, 16], [100, 181, 309, 468, 641]))
    errors = [one.predict([10])["std_error"][0] / one.residual_sd for one in (bound, amdahl)]
    assert np.isclose(*errors)


def test_inverses_at_the_ends_of_the_points():
    """Within from the first to the last x; no x below zero in an interval; a frame is asked by its column of y."""
    found = fit("linear", frame([1, 2, 4], [10.2, 19.7, 40.3]))
    at = found.inverse(found.estimates[0] * np.array([0.999, 1.001, 3.999, 4.001]))
    assert list(at["extrapolated"]) == [True, False, False, True]
    assert found.inverse(pd.DataFrame({"users": [20.0]})).equals(found.inverse([20.0]))
    rough = fit("utilization_law", frame([100.0, 200, 300, 400], [0.1, 0.3, 0.2, 0.4], ("users", "cpu_utilization")))
    assert rough.inverse(0.15)["low"][0] == 0
    assert (found.inverse(20)["reason"] == "").all()


def test_sentences_of_a_fit():
    """Parameter, derived quantity, forecast and inverse; a name that does not exist is answered with those that do."""
    found = fit("usl", SPEC, interval="wald")
    tidy = found.tidy().set_index("term").loc["contention"]
    said = f"{tidy['estimate']:.4g} (95 % interval {tidy['low']:.4g} to {tidy['high']:.4g})"
    assert (found.describe("contention"), found.describe("contention", named=False)) == (f"contention {said}", said)
    assert found.describe("peak").startswith(f"peak {number(found.derive().set_index('term').loc['peak', 'estimate'])}")
    ahead, back = found.predict(100).iloc[0], found.inverse(1000).iloc[0]
    ends = f"(95 % interval {ahead['mean_low']:,.0f} to {ahead['mean_high']:,.0f})"
    assert found.describe_forecast(100) == f"{ahead['predicted']:,.0f} users at 100 processors {ends}"
    assert found.describe_forecast(217).endswith("), extrapolated")
    middle, low, high = (number(back[name], 3) for name in ("estimate", "low", "high"))
    assert found.describe_inverse(1000) == f"{middle} processors (95 % interval {low} to {high})"
    assert found.describe_inverse(1e6) == "no processors (the fitted curve never reaches 1,000,000)"
    with pytest.raises(UnknownName, match=r"Known are scale, contention, coherency, .*peak"):
        found.describe("summit")
    without = "(no interval: the curve passes through every point: no error can be told), extrapolated"
    assert fit("amdahl", frame([1, 2], [100, 190])).describe_forecast(4).endswith(without)


def test_headlines_name_what_is_on_its_bound_and_what_is_held():
    """Each parameter on a bound; the simpler law only where the parameter has its value; what is held, by value."""
    both = fit("usl", frame([1, 2, 4, 8], [100, 206, 420, 850]))
    assert "At its bound: contention = 0, coherency = 0." in both.headline()
    assert both.glance()["params_at_bound"][0] == "contention, coherency"
    assert "The law without it (amdahl) says the same." in both.headline()
    assert "superlinear" not in both.headline()  # a contention of 0 is not below it
    spoken = fit("usl", SPEC).headline()
    assert not any(word in spoken for word in ("bound", "Held", "superlinear"))
    held = fit("usl", SPEC, fixed={"coherency": 0.0, "scale": 80}).headline()
    assert "Held: scale = 80, coherency = 0." in held
    assert "Errors from the stated sigma." in fit("amdahl", SPEC, sigma=0.1).headline()
    told = 'Errors from the stated sigma, 2,000 % of each value: error="constant" takes sigma in the unit of y.'
    assert told in fit("amdahl", x=[1, 2, 4, 8], y=[100, 190, 350, 600], sigma=20).headline()
    assert "; 95 % intervals, if the law is right." in fit("amdahl", "smp_mail").headline()
    refuted = fit("linear", frame([1.0, 2, 4, 8], [100, 180, 300, 420]), sigma=0.02).headline()
    assert "no interval is valid" in refuted
    assert "intervals, if" not in refuted


def test_reasons_of_parameters():
    """Which end is the bound itself; an estimate whose interval ends before it has none."""
    wide = frame([1, 2, 4, 8], [100, 190, 350, 640])
    tidy = fit("usl", wide).tidy().set_index("term")
    assert tidy.loc["contention", "reason"] == "low is the bound itself"
    assert tidy.loc["scale", "reason"] == ""
    assert fit("usl", SPEC, interval="wald").tidy()["reason"].tolist() == ["", "", ""]
    falling = fit("amdahl", frame([1, 2, 3, 4], [100, 99, 98, 95])).tidy().set_index("term")
    assert falling.loc["contention", "reason"] == "high is the bound itself; on its bound: no standard error"
    one = fit("amdahl", frame([1, 2], [100, 220])).tidy().set_index("term")
    nothing = "As many parameters as points, one of them on its bound: no error can be told."
    assert one.loc["scale", "reason"] == nothing
    assert one.loc["contention", "reason"] == f"{nothing.removesuffix('.')}; on its bound: no standard error"


def test_a_start_is_begun_with():
    """Of two valleys the one next to it is found; parameters without a start begin where the law says."""
    wave = Law(
        name="wave", family="mine", title="A wave", formula="y = height sin(pace x)",
        function=lambda x, pace, height: height * np.sin(pace * x),
        params=(Param("pace", "pace", "", 0, 10), Param("height", "height", "{y}", 0, np.inf)),
        start=lambda x, y, held: (1.0, 1.0), x="x", y="y",
        error="constant", source="a test", limits="none", positive=False,
    )  # fmt: skip
    x = np.arange(0.25, 6, 0.25)
    points = frame(x, np.sin(x) + 0.9 * np.sin(3 * x), ("x", "y"))
    slow, quick = fit(wave, points), fit(wave, points, start={"pace": 3.0})
    assert np.isclose(slow.estimates[0], 1, rtol=0.05)
    assert np.isclose(quick.estimates[0], 3, rtol=0.05)
    assert quick.law.name == "wave"
    with pytest.raises(CannotFit, match="from 0 to 10, found 11"):
        fit(wave, points, start={"pace": 11.0})


@pytest.mark.parametrize(("law", "seed"), [("log_usl", 28), ("spindles", 57)])
def test_a_narrow_valley_within_bounds(law, seed):
    """Points without a law in them, where our own steps are too slow: as good as scipy's best from many starts."""
    x, y = np.array([1.0, 2, 3, 4, 6, 8]), np.exp(np.random.default_rng(seed).standard_normal(6))
    found = fit(law, frame(x, y, (LAWS[law].x, LAWS[law].y)), interval="none")
    low, high = (np.array([getattr(param, end) for param in LAWS[law].params]) for end in ("low", "high"))

    def residuals(params):
        return LAWS[law].function(x, *params) / y - 1

    starts = np.random.default_rng(0).uniform(0.02, 0.9, (4, len(low)))
    best = min(optimize.least_squares(residuals, start, bounds=(low, high), x_scale="jac").cost for start in starts)
    assert found.squares <= 2 * best * (1 + 1e-6)
    assert ((low <= found.params) & (found.params <= high)).all()


def test_a_search_that_ends_nowhere_is_told():
    """Where the best curve is one of endless parameters: the law, where it stopped, and what to do."""
    endless = frame([1.0, 2, 3, 4, 6, 8], np.exp(np.random.default_rng(17).standard_normal(6)))
    with pytest.raises(CannotFit, match=r"fit of quadratic to a frame: .*stopped at scale = \S+, loss = \S+\. Begin"):
        fit("quadratic", endless)


def test_rows_that_print_a_value():
    """Of a series, a table or a file: those rows alone, with what is known of the columns; others are listed."""
    two = fitting.rows_of("smp_mail", [("processors", "2")])
    assert two["users"].tolist() == [2850]
    mail = "compaq_domino45/a_mail"
    table = fitting.rows_of(mail, [("cpu", "4xP6/200 - 1M"), ("users", "5150")])
    assert table["system"].tolist() == ["Compaq ProLiant 7000 P6/200- 1M"]
    assert table.attrs == load(mail).attrs
    assert len(fitting.rows_of(mail, [])) == len(load(mail))
    with pytest.raises(UnknownName, match=r"processors of smp_mail .*found '7'. Values are 1, 2, 3\."):
        fitting.rows_of("smp_mail", [("processors", "7")])
    with pytest.raises(UnknownName, match=r"column of smp_mail .*'cpus'"):
        fitting.rows_of("smp_mail", [("cpus", "7")])


def test_columns_of_a_file(tmp_path):
    """Numbers where every cell that is not empty is one; the rest is text, which no law can take."""
    path = tmp_path / "own.csv"
    path.write_text("processors,users,note,half,tps\n1,100,a,1,5\n2,190,2,x,10\n4,,3,3,20\n", encoding="utf-8")
    read = fitting.rows_of(str(path), [])
    assert [read[name].dtype.kind for name in ("processors", "users")] == ["i", "f"]
    assert np.isnan(read["users"][2])
    assert read["note"].tolist() == ["a", "2", "3"]
    assert fit("amdahl", str(path), x="processors", y="tps", fixed={"contention": 0}).estimates[0] == 5
    assert fit("amdahl", str(path)).source.left_out == 1
    with pytest.raises(CannotFit, match="column users, row 2: expected a number, found 'many'"):
        fit("amdahl", frame([1, 2, 3], ["100", "many", "250"]))


def test_columns_that_are_asked_for():
    """Beside those of a series or a table, by name; a hint names the series of the table."""
    found = fit("linear", "compaq_domino45/a_mail", x="notesmark_tpm")
    assert (found.x, found.y, found.source.table) == ("notesmark_tpm", "users", "compaq_domino45/a_mail")
    assert len(found.points[0]) == len(load("compaq_domino45/a_mail"))
    turned = fit("linear", "smp_mail", x="users", y="processors")
    assert (turned.x, turned.y) == ("users", "processors")
    assert turned.error_from == "residuals"  # the step of 10 is that of the users
    source = fit("amdahl", "smp_mail").source
    assert (source.series, source.locator, source.title) == (
        "smp_mail", "Appendix A, page A-1", runs.find("smp_mail").title,
    )  # fmt: skip
    assert (str(source), str(fit("amdahl", SPEC).source)) == ("smp_mail (compaq_domino45/a_mail)", "a frame")
    with pytest.raises(UnknownName, match=r"'cpus'\. Did you mean cpu"):
        fit("amdahl", "compaq_domino45/a_mail", x="cpus")
    with pytest.raises(CannotFit, match=r"found 2\. Measure at more x; of its family linear, amdahl, gustafson, "):
        fit("usl", SPEC.head(2))


@pytest.mark.parametrize(("name", "value", "ends"), [("sigma", 2, False), ("resolution", 5, False), ("sigma", 2, True)])
def test_noise_is_in_the_unit_of_the_column(name, value, ends):
    """Percent for a column in percent, where the law takes shares: as 0.02 and 0.05 for the shares themselves."""
    users, percent = np.array([10.0, 30, 50, 70, 90]), np.array([11.0, 31, 52, 73, 91])
    frames, settings = [], [{"x": "users", "y": f"cpu_utilization{end}"} for end in ("_percent", "")]
    if ends:
        settings = [{"x": "users", "y_low": f"low{end}", "y_high": f"high{end}"} for end in ("_percent", "")]
    for columns, scale in zip(settings, (1, 100), strict=True):
        low, high = (percent - 1) / scale, (percent + 1) / scale
        values = {columns.get("y"): percent / scale, columns.get("y_low"): low, columns.get("y_high"): high}
        frames.append(pd.DataFrame({"users": users} | {column: of for column, of in values.items() if column}))
    found, again = (
        fit("utilization_law", frame, **columns, **{name: value / scale})
        for frame, columns, scale in zip(frames, settings, (1, 100), strict=True)
    )
    assert found.error_from == again.error_from
    pd.testing.assert_frame_equal(found.tidy(), again.tidy())


def test_units_of_columns():
    """Times in milliseconds for a law of seconds, shares in percent: numbers, names, steps; others are as they were."""
    waits = frame([1.0, 4, 7], [631.0, 137, 129], ("drives", "response_ms"))
    waits.attrs["resolution"] = {"response_ms": 10.0}
    found = fit("spindles_open", waits, y="response_ms", resolution=None)
    assert np.allclose(found.points[1], [0.631, 0.137, 0.129])
    step = 0.01 / np.sqrt(12) * np.sqrt(np.mean(1 / found.points[1] ** 2))
    assert found.residual_sd >= step * (1 - 1e-12)
    plain = fit("utilization_law", frame([100.0, 200, 300], [0.11, 0.19, 0.31], ("users", "load")), y="load")
    assert plain.y == "load"  # not in columns.toml: taken as it is
    points = frame([100.0, 200, 300], [11.0, 19, 31], ("users", "cpu_utilization_percent"))
    points.attrs["resolution"] = {"cpu_utilization_percent": 10}
    share = fit("utilization_law", points, y="cpu_utilization_percent")
    assert share.y == "cpu_utilization"
    assert np.allclose(share.params, plain.params)
    assert np.isclose(share.residual_sd, 0.1 / np.sqrt(12))  # the step is divided by a hundred, too
    with pytest.raises(CannotFit, match=r"a column of shares, from 0 to 1, found users, whose unit is user"):
        fit("mm1", frame([1.0, 2], [1.0, 2], ("users", "response_s")), x="users")


BUSY = pd.DataFrame({"users": [100, 200, 400], "cpu_utilization_percent": [11.0, 19.0, 42.0]})
OF_BUSY = {"x": "users", "y": "cpu_utilization_percent"}


SATURATED = "above 100 %: the processor is saturated before"


@pytest.mark.parametrize("interval", ["profile", "wald"])
def test_no_utilization_is_above_all_of_the_processor(interval):
    """The band of 800 users reached 125 % and more, and 3,200 users took 331 %: the line meets 100 % at 968 users."""
    fitted = fit("utilization_law", BUSY, **OF_BUSY, interval=interval)
    ahead = fitted.predict([400, 800, 3200])
    assert ahead[["mean_high", "obs_high"]].iloc[1].tolist() == [1, 1]
    assert ahead["reason"].iloc[1].endswith("the upper end is 100 %, the most there can be")
    assert ahead["predicted"].iloc[:2].round(3).tolist() == [0.413, 0.827]
    assert ahead.iloc[2][["predicted", "std_error", "mean_low", "mean_high", "obs_low", "obs_high"]].isna().all()
    assert ahead["reason"].iloc[2] == SATURATED
    above = fitted.inverse([0.5, 1.5])
    assert above["estimate"].isna().tolist() == [False, True]
    assert above["reason"].iloc[1] == SATURATED


@pytest.mark.parametrize(("heading", "whole"), [("cpu_percent", 100), ("CPU %", 100), ("busy", 1), ("", 1)])
def test_the_limit_of_a_utilization_is_100_percent_whatever_its_heading(heading, whole):
    """Under another heading than ours 16 users took 180 %; the law itself refuses a share above 1."""
    users, busy = [1, 2, 4, 8], [whole * share for share in (0.10, 0.25, 0.40, 0.92)]
    if heading:
        points = pd.DataFrame({"users": users, heading: busy})
        fitted = fit("utilization_law", points, x="users", y=heading)
    else:
        points, fitted = None, fit("utilization_law", x=users, y=busy)
    ahead = fitted.predict([8, 16])
    assert fitted.most == ahead["mean_high"].max() == 1
    assert (np.isnan(ahead["predicted"].iloc[1]), ahead["reason"].iloc[1]) == (True, SATURATED)
    if whole == 100:
        row = forecast(points, [16], x="users", y=heading).tidy().iloc[0]
        assert np.isnan(row["predicted"])
        assert row["reason"].startswith(SATURATED)


@pytest.mark.parametrize(
    ("law", "y"),
    [
        ("utilization_law", [0.05, 0.11, 0.20, 0.27, 0.36]),
        ("utilization_proportional", [0, 0.11, 0.20, 0.27, 0.36]),
        ("sizing", [64, 128, 256, 384, 512]),
    ],
)
def test_a_line_is_fitted_to_a_point_without_users(law, y):
    """The utilization without users is what the idle of the law means: as NumPy fits the line; forecast at 0 too."""
    users = [0, 200, 400, 600, 800]
    found = fit(law, x=users, y=y)
    right = [np.dot(users, y) / np.dot(users, users)] if law == "utilization_proportional" else np.polyfit(users, y, 1)
    assert found.estimates == pytest.approx(right)
    base = right[1] if len(right) > 1 else 0
    assert found.predict([0, 100])["predicted"].tolist() == pytest.approx([base, base + 100 * right[0]])
    box = pd.DataFrame({"box": 1, "users": users, "y": y})
    assert fitting.fit_many(box, law, by="box", x="users", y="y").iloc[0, 1] == pytest.approx(right[0])


def test_zero_is_refused_where_a_law_or_an_error_has_no_meaning_there():
    """No processors carry nobody; a relative error of a value 0 is none; nothing is below 0."""
    busy = [0, 0.1, 0.2]
    for law, x, y, told in (
        ("amdahl", [0, 1, 2], [1, 2, 3], "column x, row 1: expected a number above zero, found 0"),
        ("utilization_law", [-1, 1, 2], busy, "column x, row 1: expected a number, 0 or more, found -1"),
        ("price_linear", [0, 1, 2], [0, 10, 20], "column y, row 1: expected a number above zero, found 0"),
    ):
        with pytest.raises(CannotFit, match=told):
            fit(law, x=x, y=y)
    with pytest.raises(CannotFit, match="expected x, 0 or more, found"):
        fit("utilization_law", x=[0, 1, 2], y=busy).predict([-1])
    assert fit("price_linear", x=[0, 1, 2], y=[8, 10, 12]).predict([0])["predicted"].item() == pytest.approx(8)
    assert compare("utilization", x=[0, 1, 2, 3], y=[0.1, 0.2, 0.31, 0.4]).predict([0])["predicted"].item() > 0


def test_nothing_is_forecast_below_zero():
    """Neither a capacity nor an x below 0, nor an efficiency of one; the reason says so. Above it nothing changes."""
    loses = fit("quadratic", frame([1, 2, 4, 8, 12], [1000, 1950, 3500, 6000, 7200]))
    ahead = loses.predict([12, 48])
    assert ahead["predicted"].isna().tolist() == [False, True]
    assert ahead.loc[1, ["mean_low", "mean_high", "obs_low", "obs_high"]].isna().all()
    assert ahead["reason"][1] == "the law falls below 0 there"
    at_48 = loses.derive(48).set_index("term")
    assert at_48["estimate"].isna().tolist() == [True, True, True, False, False]
    assert at_48["reason"]["efficiency"] == "the law falls below 0 there"
    serial = fit("gustafson", frame([4, 20, 41, 52], [790, 1150, 1310, 1390]))
    needed = serial.inverse([300, 1000])
    assert needed["estimate"].isna().tolist() == needed["low"].isna().tolist() == [True, False]
    assert needed["reason"][0] == "the fitted curve never reaches 300 above 0"
    paging = frame([64, 96, 128, 192, 256], [4.1, 3, 2.1, 0.6, 0.5], ("ram_mb", "response_s"))
    assert fit("memory_knee", paging).inverse([10, 2])["estimate"].isna().tolist() == [True, False]


def test_a_closed_queue_is_forecast_from_points_that_it_misses():
    """Once a region without a further starting point had no users to count."""
    users, response_s = [10, 20, 40, 60, 80], [0.21, 0.23, 0.3, 0.55, 1.6]
    closed = fit("closed", frame(users, response_s, ("users", "response_s")), fixed={"think_s": 5, "servers": 1})
    ahead = closed.predict([100])
    assert ahead["mean_low"][0] < ahead["predicted"][0] < ahead["mean_high"][0]
    assert closed.inverse([1])["estimate"][0] == pytest.approx(68.33, abs=0.01)
    assert closed.derive([100])["estimate"].notna().all()  # of quantities that have no x, too


def test_forecasts_of_a_utilization_end_there_too():
    """Of laws compared, and of `forecast`; percents in a column of another name are refused."""
    spans = compare("utilization", BUSY, **OF_BUSY).predict([800, 3200])
    assert spans["n_laws"].tolist() == [2, 0]
    assert spans[["predicted", "span_high"]].isna().all(axis=1).tolist() == [False, True]
    ahead = forecast(BUSY, [800, 3200], **OF_BUSY).tidy()
    assert ahead[["low", "high"]].isna().all(axis=None)
    assert ahead[["predicted", "low", "high"]].iloc[1].isna().all()
    many = fitting.forecast_many(BUSY.assign(box="a"), [800, 3200], by="box", **OF_BUSY)
    pd.testing.assert_frame_equal(many.drop(columns="box"), ahead)
    renamed = BUSY.rename(columns={"cpu_utilization_percent": "busy"})
    with pytest.raises(CannotFit, match="a share from 0 to 1"):
        fit("utilization_law", renamed, x="users", y="busy")


@pytest.mark.parametrize(
    ("failures", "told"),
    [
        ([0, 0, 0, 30, 3000], "50 % of the requests at load 16 failed, more than 1 %: `curve` leaves such a load out"),
        ([0, 0, 0, 400, 3000], "at load 16 failed, more than 1 %: `curve` leaves such loads out, here they are points"),
        ([0, 0, 0, 30, 20], ""),
        (None, ""),
    ],
)
def test_points_at_which_requests_failed_are_told(tmp_path, failures, told):
    """By the share that `curve` has; from a file and from a frame, of fits and forecasts, with any headings."""
    rows = pd.DataFrame({"Users": [1, 2, 4, 8, 16], "TPS": [10.0, 19, 36, 60, 50]})
    rows = rows if failures is None else rows.assign(failures=failures, test_time_s=60)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    per_minute = rows.assign(notesmark_tpm=60 * rows["TPS"]).drop(columns="TPS")
    from_file = forecast(tmp_path / "rows.csv", 32, x="Users", y="TPS")
    for found in (
        fit("usl", rows, x="Users", y="TPS"),
        fit("usl", per_minute, x="Users", y="notesmark_tpm"),
        from_file,
    ):
        assert told in str(found)
        assert ("of the requests at load" in str(found)) == bool(told)


_OF_THREE_MACHINES = "machine,nodes,clients,run,tps\n" + "".join(
    f"{machine},{nodes},{load},{run},{min(load, 4 * nodes) * 100 + run}\n"
    for machine, nodes in (("m1", 1), ("m2", 2), ("m4", 4)) for load in (1, 2, 4, 8, 16, 32) for run in (1, 2)
)  # fmt: skip


@pytest.mark.parametrize(
    ("axes", "pairs", "told"),
    [
        ({"x": "nodes", "y": "tps"}, [], "The points differ in clients, 6 (1, 2, 4, 8, 16, ...), and are taken as one"),
        ({"x": "clients", "y": "tps"}, [("machine", "m2")], ""),
    ],
)
def test_points_of_several_machines_are_told(tmp_path, axes, pairs, told):
    """A curve of three machines at once is that of none, and nothing said so: by a fit, a forecast, a comparison."""
    path = tmp_path / "loads.csv"
    path.write_text(_OF_THREE_MACHINES, encoding="utf-8")
    data = fitting.rows_of(path, pairs) if pairs else path
    answers = fit("amdahl", data, **axes), forecast(data, 64, **axes), compare(["linear", "amdahl"], data, **axes)
    assert [(told or "The points differ in") in answer.headline() for answer in answers] == [bool(told)] * 3
    apart = pd.DataFrame({"machine": [*"aabb"], "clients": [1, 2, 4, 8], "tps": [10, 19, 36, 60]})  # share no load
    assert "differ in machine, 2 (a, b), and" in fit("amdahl", apart, x="clients", y="tps").headline()


@pytest.mark.parametrize("heading", ["build", "version", "Commit", "env", "container", "node", "pool", "jvm", "gc"])
def test_points_of_several_builds_or_settings_are_told(heading):
    rows = pd.DataFrame({heading: [*"ooonnn"], "clients": [1, 2, 4] * 2, "tps": [10, 19, 36, 5, 9, 18]})
    told = f"The points differ in {heading}, 2 (o, n), and are taken as one curve"
    answers = (
        fit("amdahl", rows, x="clients", y="tps"),
        forecast(rows, 8, x="clients", y="tps"),
        compare(["linear", "amdahl"], rows, x="clients", y="tps"),
    )
    assert [told in answer.headline() for answer in answers] == [True] * 3


@pytest.mark.parametrize("heading", ["quantization", "scenario", "pool_size", "run"])
def test_a_column_of_any_name_that_moves_the_points_is_told(heading):
    """Two settings at each load, one of 2.4 times the rate; the number of a run moves nothing and is not told."""
    noise = 0.03 * np.random.default_rng(3).standard_normal(8)
    rates = np.array([100, 190, 340, 500] * 2) * np.exp(noise) * np.repeat([1, 1 if heading == "run" else 2.4], 4)
    settings = np.repeat([1, 2] if heading in ("pool_size", "run") else ["a", "b"], 4)
    rows = pd.DataFrame({"users": [10, 20, 40, 80] * 2, "rps": rates, heading: settings, "p95_ms": rates[::-1]})
    answers = (
        fit("amdahl", rows, x="users", y="rps"),
        forecast(rows, 160, x="users", y="rps"),
        compare(["linear", "amdahl"], rows, x="users", y="rps"),
    )
    told = f"The points differ in {heading}, 2 ("
    assert [told in answer.headline() for answer in answers] == [heading != "run"] * 3


def test_one_repeated_load_tells_no_curves_apart_and_any_column_may_stand_beside():
    """A utilization in whole percent follows the rate; columns of lists, or of one name, were a TypeError."""
    rates = [100, 190, 340, 510, 440, 520, 430, 505, 445]
    rows = pd.DataFrame({"users": [10, 20, 40] + [80] * 6, "rps": rates, "busy": [9, 20, 40, 90, 80, 90, 80, 90, 80]})
    assert "differ in" not in fit("amdahl", rows, x="users", y="rps").headline()
    rows = pd.DataFrame({"users": [10, 20] * 3, "rps": [100, 190, 101, 192, 99, 191], "tags": [["a"]] * 6})
    rows = pd.concat([rows, rows["tags"]], axis=1)
    assert "differ in" not in fit("amdahl", rows, x="users", y="rps").headline()


def test_shares_under_a_heading_of_percent_are_told(tmp_path):
    """0.1 to 0.75 was read as less than 1 %, and 1,070 users that saturate a processor as 108,173 without a word."""
    path = tmp_path / "cpu.csv"
    path.write_text("users,cpu_utilization_percent\n100,0.1\n200,0.2\n400,0.38\n800,0.75\n", encoding="utf-8")
    told = "cpu_utilization_percent is at most 0.75 %: if its numbers are shares of 1, call it cpu_utilization."
    assert told in fit("utilization_law", path).headline()
    path.write_text("users,CPU (%)\n100,0.1\n200,20\n400,38\n800,75\n", encoding="utf-8")
    assert "shares of 1" not in fit("utilization_law", path).headline()
