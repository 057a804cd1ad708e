"""Laws that the points refute: the tests by hand and by brute force, how often a law that holds is refuted or named."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import compare, fit
from dominoperf.fitting import diagnostics, model_selection
from dominoperf.fitting.model_selection import next_loads_to_test, rates_of_naming
from dominoperf.laws import FAMILIES, LAWS

LADDER = ["linear", "amdahl", "usl"]
PROCESSORS = [name for name in FAMILIES["processors"] if name != "users_at_response"]  # needs constants
X = np.array([1.0, 2, 4, 8, 12, 16])


def frame(law, params, x=X, noise=0.03, seed=0):
    """Seeded points of a law with relative normal noise."""
    y = LAWS[law].function(x, *params) * (1 + noise * np.random.default_rng(seed).standard_normal(len(x)))
    return pd.DataFrame({"processors": x, "users": y})


def squares(law, points, **settings):
    """The weighted sum of squares of a fit."""
    return fit(law, points, interval="none", **settings).squares


def test_nesting_is_followed_all_the_way_down():
    """Linear scaling is the USL with two parameters held, unless one of them is held elsewhere."""
    points = frame("usl", (100, 0.04, 0.002))
    judged = compare(["linear", "usl"], points, interval="none").law_tests
    linear, usl = judged.names["linear"], judged.names["usl"]
    assert judged.contains(usl, linear)
    assert not judged.contains(linear, usl)
    held = compare(["linear", "usl"], points, fixed={"contention": 0.1}, interval="none").law_tests
    assert not held.contains(held.names["usl"], held.names["linear"])  # its contention is not 0


def test_records_of_ones_own_that_name_each_other_end():
    """A law may reduce to one of the comparison that is in no list; two that reduce to each other end."""
    own = [replace(LAWS["amdahl"], name="mine"), replace(LAWS["usl"], name="more", reduces=("mine", "coherency", 0.0))]
    points = frame("usl", (100, 0.04, 0.002))
    for laws, known in ((["linear", *own], True), (["linear", own[1]], False)):
        judged = compare(laws, points, interval="none").law_tests
        assert judged.contains(judged.names["more"], judged.names["linear"]) is known
    loop = [replace(own[0], reduces=("more", "contention", 0.0)), own[1]]
    assert compare(loop, points, interval="none").verdict[0] == "more"


@pytest.mark.parametrize(("seed", "law"), [(3, "amdahl")])
def test_p_by_brute_force(seed, law):
    """Replicates of a law at its own fit, each fitted again by `fit`: p is the share of those that miss as much."""
    points = frame("amdahl", (100, 0.02), seed=seed)
    laws = compare(LADDER, points, interval="none")
    rng, own, count = np.random.default_rng(99), laws[law], 60

    def statistic(y):
        s = {name: fit(name, x=X, y=y, interval="none").squares for name in LADDER}
        return np.log(s.pop(law)) - np.log(min(s.values()))

    again = [statistic(own.curve(X) * np.exp(own.residual_sd * rng.standard_normal(len(X)))) for _ in range(count)]
    share = np.mean(np.array(again) >= statistic(points["users"].to_numpy()) - 1e-9)
    assert laws.test_results[law][1] == pytest.approx(share, abs=0.19)  # three standard deviations of a share of 60


def test_one_degree_of_freedom_refutes_what_it_contains_alone():
    """Of three points Amdahl's law can refute growth in proportion, but no other form of two parameters."""
    laws = compare(PROCESSORS, "smp_mail", interval="none")
    judged = laws.law_tests
    assert [judged.fits[k].law.name for k in judged.rivals[judged.names["power"]]] == ["linear"]
    assert {judged.fits[k].law.name for k in judged.rivals[0]} == {
        "amdahl",
        "gustafson",
        "power",
        "geometric",
        "quadratic",
    }
    assert [*laws.refuted] == ["linear"]


@pytest.mark.parametrize(
    ("truth", "params", "seed", "noise"),
    [("linear", (100,), 0, 0.01), ("amdahl", (100, 0.05), 2, 0.06), ("usl", (100, 0.05, 0.002), 0, 0.01)],
)
def test_a_law_may_lie_far_where_its_interval_does(truth, params, seed, noise):
    """The forecast at twice the last load differs by more than 15 or 20 % where the end of its interval does."""
    laws = compare(PROCESSORS, frame(truth, params, noise=noise, seed=seed), interval="none")
    judged, at = laws.law_tests, 2 * X.max()
    for one, name in ((0, "usl"), (1, "usl"), (1, "geometric"), (6, "amdahl"), (1, "power"), (1, "log_usl")):
        other = judged.names[name]
        here = laws.fits[one].curve([at])[0]
        wide = replace(laws[name], level=0.9, interval="profile").predict([at]).iloc[0]
        ends = wide[["mean_low", "mean_high"]].to_numpy(float) / here - 1
        far = 0.15 if (one, name) in ((0, "usl"), (1, "usl"), (1, "log_usl")) else 0.2
        assert model_selection.tolerance_of_naming(judged, one, other) == far
        if abs(np.abs(ends) - far).min() > 0.003:  # else the two searches may differ
            assert model_selection.may_differ_from_law(judged, one, other, judged.observed)[0] == (
                ends[0] < -far or ends[1] > far
            )


def test_repeats_are_a_measure_of_the_noise():
    """Lack of fit against pure error: the points of one x around their mean."""
    points = pd.concat([frame("usl", (100, 0.04, 0.004), seed=seed, noise=0.01) for seed in (1, 2)], ignore_index=True)
    found = fit("amdahl", points, interval="none")
    weights, y = 1 / points["users"] ** 2, points["users"]
    means = (weights * y).groupby(points["processors"]).sum() / weights.groupby(points["processors"]).sum()
    pure = np.sum(weights * (y - points["processors"].map(means)) ** 2)
    p = stats.f.sf((found.squares - pure) / (10 - 6) / (pure / 6), 4, 6)
    assert diagnostics.strongest_test(found) == ("repeats", pytest.approx(p, rel=1e-9))
    alone = compare(["amdahl"], points, interval="none")
    assert p < 1e-4
    assert alone.verdict[0] == "none"
    assert alone.describe().startswith("No law fits: the points refute Amdahl's law (misses by ")
    assert (
        "The residuals refute this law (by repeats at the same x, p < 0.0001): no interval is valid."
        in found.headline()
    )
    ahead = alone.predict([64]).iloc[0]
    assert ahead[["predicted", "span_low", "span_high"]].isna().all()
    assert (ahead["law"], ahead["n_laws"]) == ("", 0)
    assert alone.describe_forecast(64).startswith("no law forecasts any users at 64 processors")
    same = pd.concat([points[:6], points[:6]], ignore_index=True)  # a copy is no repeat
    assert diagnostics.strongest_test(fit("amdahl", same, interval="none")) == ("", pytest.approx(np.nan, nan_ok=True))


def test_a_stated_sigma_refutes_by_itself():
    """Chi-squared of the residuals over sigma, beside the test by the other law: the least p counts twice."""
    points = frame("usl", (100, 0.04, 0.002))
    laws = compare(["gustafson", "power"], points, sigma=0.03, interval="none")
    for name in ("gustafson", "power"):
        p = stats.chi2.sf(squares(name, points) / 0.03**2, 4)
        assert laws.test_results[name] == ("sigma", pytest.approx(2 * p, rel=1e-9))
    three = compare(["linear", "usl"], frame("usl", (100, 0.1, 0.05), x=X[:3]), sigma=0.01, interval="none")
    assert three.refuted
    assert three.verdict[0] == "cannot tell"  # the USL has a parameter for each point: nothing could refute it
    assert three.verdict[1].startswith(
        "the universal scalability law is not refuted; the points refute linear scaling (misses by "
    )
    assert three.verdict[1].endswith(
        "; nothing can test the universal scalability law, with as many parameters as points"
    )


def test_where_nothing_can_test():
    """No law larger, no repeats, no sigma; a published rule is no data; another error model has other residuals."""
    points = frame("amdahl", (100, 0.1))
    assert compare(["amdahl"], points).tidy()["reason"][0].startswith("refuted_p: ")
    rule = compare(["sizing", "linear"], "memory_mail")
    assert [by for by, _ in rule.test_results.values()] == ["", ""]
    constant = replace(LAWS["power"], error="constant")
    assert [by for by, _ in compare(["linear", constant], points).test_results.values()] == ["", ""]


def test_points_without_noise():
    """What passes through more points than it has parameters refutes every law that does not.

    p is the least that so many replicates can show: none of them misses as much, and zero would claim more.
    """
    laws = compare(LADDER, frame("amdahl", (100, 0.1), noise=0), interval="none")
    by, p = laws.test_results["linear"]
    assert by == "amdahl"
    assert p == 1 / (1 + model_selection.constants_of_law_tests().replicates)
    assert laws.not_refuted == ["amdahl", "usl"]
    small = compare(LADDER, frame("linear", (100,), noise=0), interval="none")
    assert small.not_refuted == LADDER
    assert small.test_results["linear"][1] == 1.0


def test_a_law_that_misses_by_less_than_the_printed_step():
    """Points on Amdahl's curve refute linear scaling, which misses by 3 %, but not where they are printed in tens."""
    x, pair = np.arange(1.0, 7), ["linear", "amdahl"]
    y = LAWS["amdahl"].function(x, 10.0, 0.02)
    assert compare(pair, x=x, y=y, resolution=0.1).not_refuted == ["amdahl"]
    printed = compare(pair, x=x, y=y, resolution=10)
    assert printed.not_refuted == pair
    assert min(p for _, p in printed.test_results.values()) > 0.3


FAST = replace(model_selection.constants_of_law_tests(), replicates=100, sets=100)


@pytest.mark.parametrize(("truth", "params", "x", "noise"), [("usl", (100, 0.05, 0.002), [1, 2, 4, 8, 12, 16], 0.02)])
def test_rates_are_those_of_brute_force(truth, params, x, noise):
    """Points simulated and compared one by one: shares of 40 that name the truth, that name another, that refute it."""
    x, rng, sets = np.array(x, float), np.random.default_rng(3), []
    ladder = [name for name in LADDER if len(LAWS[name].names) < len(x)]
    for _ in range(40):
        y = LAWS[truth].function(x, *params) * np.exp(noise * rng.standard_normal(len(x)))
        laws = compare(ladder, x=x, y=y, interval="none")
        judged = model_selection.LawTests(laws.fits, constants=FAST)
        named = model_selection.name_law(judged, judged.p, judged.observed).named[0]
        sets.append(
            (named == judged.names[truth], named >= 0, not judged.not_refuted(judged.p)[judged.names[truth], 0])
        )
    right, any_law, refuted = np.mean(sets, axis=0)
    exact = compare(ladder, x=x, y=LAWS[truth].function(x, *params), interval="none")
    (_, rates), *more = rates_of_naming(model_selection.LawTests(exact.fits, constants=FAST), truth, noise).iterrows()
    assert not more
    assert rates["named"] == pytest.approx(right, abs=0.24)  # three standard deviations of the difference at a half
    assert rates["wrong"] == pytest.approx(any_law - right, abs=0.1)
    assert rates["refuted_share"] == pytest.approx(refuted, abs=0.13)
    assert refuted <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)


@pytest.mark.parametrize(
    ("truth", "params", "at_least"),
    [("linear", (100,), 0.6), ("amdahl", (100, 0.1), 0.6), ("usl", (100, 0.05, 0.002), 0.4)],
)
def test_eight_loads_name_the_law(truth, params, at_least):
    """The goal of the project: loads up to 12, 1 % noise, all laws of the family; another law in 5 % at most."""
    x = [1, 2, 3, 4, 6, 8, 10, 12]
    points = frame(truth, params, x=np.array(x, float), noise=0.01, seed=1)
    laws = compare(PROCESSORS, points, interval="none")
    judged = model_selection.LawTests([laws[name] for name in laws.not_refuted], constants=FAST)
    rates = rates_of_naming(judged, truth).iloc[0]
    assert rates["named"] >= at_least
    assert rates["wrong"] <= 0.05


def test_a_law_on_its_bound_is_not_refuted_for_that():
    """Of points in proportion half the contentions are 0: the points did not choose these. By a stated sigma alone."""
    y = X[:3, None] * np.exp(0.02 * np.random.default_rng(1).standard_normal((3, 150)))
    fits = [fit("amdahl", x=X[:3], y=each, sigma=0.02, interval="none") for each in y.T]
    share = np.mean([diagnostics.strongest_test(each)[1] < 0.05 for each in fits])
    assert share == pytest.approx(0.05, abs=0.054)  # 3 standard deviations of the share
    on = fit("usl", "smp_mail", sigma=1e-5, interval="none")  # three points, three parameters, and still off by 0.01 %
    assert (on.dof, on.on_bound.sum()) == (0, 1)
    assert diagnostics.strongest_test(on)[0] == "sigma"


def test_a_form_without_a_mechanism_is_not_named():
    """Points of a power refute every law with a mechanism; a power is none, and is named only among forms."""
    points = frame("power", (100, 0.6), noise=0.005, seed=1)
    laws = compare(["linear", "amdahl", "power"], points, interval="none")
    assert (laws.not_refuted, laws.verdict[0]) == (["power"], "cannot tell")
    assert laws.verdict[1].startswith("the power law is not refuted; the points refute linear scaling (misses by ")
    assert compare(["geometric", "power"], points, interval="none").verdict[0] == "power"


def test_a_law_without_a_scale_is_judged_as_one_with_it():
    """By the standard error of its forecast: with much noise a power may lie far from linear scaling."""
    params = (replace(LAWS["power"].params[0], name="gain"), LAWS["power"].params[1])
    for noise, expected in ((0.01, 0), (0.1, model_selection.UNDECIDED_INDEX)):
        for law in (LAWS["power"], replace(LAWS["power"], name="own", params=params)):
            laws = compare(["linear", law], frame("linear", (100,), noise=noise, seed=1), interval="none")
            judged = model_selection.LawTests(laws.fits, constants=FAST)
            assert model_selection.name_law(judged, judged.p, judged.observed).named == [expected]


def test_the_next_load_helps():
    """Five points of Amdahl's law leave several laws; one more load may tell them apart."""
    points = frame("amdahl", (100, 0.1), x=X[:5], noise=0.05, seed=5)
    laws = compare(LADDER, points, interval="none")
    assert laws.verdict[0] == "cannot tell"
    judged = model_selection.LawTests(laws.fits, constants=FAST)
    loads = next_loads_to_test(judged)
    assert list(loads["named"]) == sorted(loads["named"], reverse=True)
    assert loads.index.equals(pd.RangeIndex(5))
    assert sorted(loads["x"]) == [15, 18, 24, 36, 48]
    assert loads["named"].max() > 0.3
    assert np.allclose(loads[["named", "wrong", "cannot_tell"]].sum(axis=1), 1)
    stand = judged.not_refuted(judged.p)[:, 0]
    ahead = [fit.curve([24.0])[0] for fit, stands in zip(laws.fits, stand, strict=True) if stands]
    assert loads.set_index("x")["apart"][24.0] == pytest.approx(max(ahead) / min(ahead), rel=1e-9)
    unknown = compare(["usl"], "smp_mail").next_load()
    assert unknown["x"].tolist() == [4, 6, 9, 12]
    assert set(unknown["reason"]) == {"no law says how large the noise is"}


def test_a_point_that_all_others_contradict_is_named():
    """A digit too few at 8 users, of a curve with 1 % of noise; its weight 1 / y pulls all others to it."""
    tps = [98.5, 191.2, 355, 60.59, 905.1, 1105.3]
    found = fit("usl", x=[1, 2, 4, 8, 16, 32], y=tps)
    point, scatter = diagnostics.outlying_point(found)
    others = fit("usl", x=[1, 2, 4, 16, 32], y=[*tps[:3], *tps[4:]])
    assert (point, scatter) == (3, pytest.approx(others.residual_sd, rel=1e-4))
    assert "The point at 8 (60.59) lies apart: without it the scatter falls from 89 % to 1 %." in found.headline()
    right = fit("usl", x=[1, 2, 4, 8, 16, 32], y=[*tps[:3], 605.9, *tps[4:]])
    assert diagnostics.outlying_point(right) is None
    assert "lies apart" not in right.headline()


def test_a_point_without_an_error_seldom_lies_apart():
    """Of 200 curves of a straight line one by the p value, at most; 5 with four standard errors of it."""
    random, x, told = np.random.default_rng(5), np.arange(1.0, 9.0), 0
    for _ in range(200):
        y = 100 * x * (1 + 0.05 * random.standard_normal(8))
        told += diagnostics.outlying_point(fit("linear", x=x, y=y, interval="none")) is not None
    assert told <= 5
