"""Laws that their residuals refute: the tests by hand, how often a law that holds is refuted, and one that does not."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import compare, fit
from dominoperf.fitting import Curves, Fit, Source, goodness_of_fit
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
    """Linear scaling is the USL with two parameters held: F on 2 and n - 3 degrees of freedom."""
    points = frame("usl", (100, 0.04, 0.002))
    laws = compare(["linear", "usl"], points, interval="none")
    gain = squares("linear", points) - squares("usl", points)
    p = stats.f.sf(gain / 2 / (squares("usl", points) / 3), 2, 3)
    by, found = goodness_of_fit.judged(laws["linear"], laws.fits)
    assert (by, found) == ("usl", pytest.approx(p, rel=1e-9))
    assert goodness_of_fit.reduction(laws["usl"], laws["linear"]) == {"coherency": 0.0, "contention": 0.0}
    assert goodness_of_fit.reduction(laws["linear"], laws["usl"]) == {}
    held = compare(["linear", "usl"], points, fixed={"contention": 0.1}, interval="none")
    assert goodness_of_fit.reduction(held["usl"], held["linear"]) == {}  # its contention is not 0


def test_records_of_ones_own_that_name_each_other_end():
    """A law may reduce to one of the comparison that is in no list; two that reduce to each other end."""
    own = [replace(LAWS["amdahl"], name="mine"), replace(LAWS["usl"], name="more", reduces=("mine", "coherency", 0.0))]
    points = frame("usl", (100, 0.04, 0.002))
    laws = compare(["linear", *own], points, interval="none")
    known = {"mine": own[0]}
    assert goodness_of_fit.reduction(laws["more"], laws["linear"], known) == {"coherency": 0.0, "contention": 0.0}
    assert goodness_of_fit.reduction(laws["more"], laws["linear"]) == {}
    loop = [replace(own[0], reduces=("more", "contention", 0.0)), own[1]]
    assert compare(loop, points, interval="none").verdict[0] == "more"


def test_p_of_each_kind_of_test_by_hand():
    """One parameter on its bound halves the p value; other laws by the ratio of mean squares; times their number."""
    points = frame("amdahl", (100, 0.1))
    laws = compare(["linear", "amdahl", "power"], points, interval="none")
    s = {name: squares(name, points) for name in ("linear", "amdahl", "power")}
    tests = {
        "amdahl": stats.f.sf((s["linear"] - s["amdahl"]) / (s["amdahl"] / 4), 1, 4) / 2,
        "power": stats.f.sf((s["linear"] - s["power"]) / (s["power"] / 4), 1, 4),  # an exponent of 1 is on no bound
    }
    by, p = laws.judged["linear"]
    assert by == min(tests, key=tests.get)
    assert p == pytest.approx(2 * min(tests.values()), rel=1e-6)
    by, p = laws.judged["power"]  # linear is contained in it, and cannot refute it: there is one test
    assert (by, p) == ("amdahl", pytest.approx(stats.f.sf(s["power"] / s["amdahl"], 4, 4), rel=1e-6))


def test_repeats_are_a_measure_of_the_noise():
    """Lack of fit against pure error: the points of one x around their mean."""
    points = pd.concat([frame("usl", (100, 0.04, 0.004), seed=seed, noise=0.01) for seed in (1, 2)], ignore_index=True)
    found = fit("amdahl", points, interval="none")
    weights, y = 1 / points["users"] ** 2, points["users"]
    means = (weights * y).groupby(points["processors"]).sum() / weights.groupby(points["processors"]).sum()
    pure = np.sum(weights * (y - points["processors"].map(means)) ** 2)
    p = stats.f.sf((found.squares - pure) / (10 - 6) / (pure / 6), 4, 6)
    assert goodness_of_fit.judged(found, [found]) == ("repeats", pytest.approx(p, rel=1e-9))
    alone = compare(["amdahl"], points, interval="none")
    assert p < 1e-4
    assert alone.verdict[0] == "none"
    assert alone.say().startswith(
        "The points refute every law: the residuals refute amdahl (by repeats at the same x, p < "
    )
    assert (
        "The residuals refute this law (by repeats at the same x, p < 0.0001): no interval holds." in found.headline()
    )
    ahead = alone.predict([64]).iloc[0]
    assert ahead[["predicted", "span_low", "span_high"]].isna().all()
    assert (ahead["law"], ahead["n_laws"]) == ("", 0)
    assert alone.say_forecast(64).startswith("no law forecasts any users at 64 processors")
    same = pd.concat([points[:6], points[:6]], ignore_index=True)  # a copy is no repeat
    assert goodness_of_fit.judged(fit("amdahl", same, interval="none"), []) == ("", pytest.approx(np.nan, nan_ok=True))


def test_a_stated_sigma_refutes_by_itself():
    """Chi-squared of the residuals over sigma; laws that do not contain each other are then not compared."""
    points = frame("usl", (100, 0.04, 0.002))
    laws = compare(["gustafson", "power"], points, sigma=0.03, interval="none")
    for name in ("gustafson", "power"):
        p = stats.chi2.sf(squares(name, points) / 0.03**2, 4)
        assert laws.judged[name] == ("sigma", pytest.approx(p, rel=1e-9))
    three = compare(["linear", "usl"], frame("usl", (100, 0.1, 0.05), x=X[:3]), sigma=0.01, interval="none")
    assert three.refuted
    assert three.verdict[0] == "cannot tell"  # the USL has a parameter for each point: nothing could refute it
    assert three.verdict[1].startswith("usl stands; the residuals refute linear (by ")
    assert three.verdict[1].endswith("; nothing can test usl, with as many parameters as points")


def test_where_nothing_can_test():
    """No law larger, no repeats, no sigma; a published rule is no data; another error model has other residuals."""
    points = frame("amdahl", (100, 0.1))
    assert compare(["amdahl"], points).tidy()["reason"][0].startswith("refuted_p: ")
    rule = compare(["sizing", "linear"], "memory_mail")
    assert [by for by, _ in rule.judged.values()] == ["", ""]
    constant = replace(LAWS["power"], error="constant")
    assert [by for by, _ in compare(["linear", constant], points).judged.values()] == ["", ""]


def test_points_without_noise():
    """What passes through more points than it has parameters refutes every law that does not."""
    laws = compare(LADDER, frame("amdahl", (100, 0.1), noise=0), interval="none")
    assert laws.judged["linear"] == ("amdahl", 0.0)
    assert laws.standing == ["amdahl", "usl"]
    small = compare(LADDER, frame("linear", (100,), noise=0), interval="none")
    assert small.standing == LADDER
    assert small.judged["linear"][1] == 1.0


# Truth, parameters, points, noise: those where the tests were found to refute most often are all among them.
TRUTHS = [
    ("linear", (100,), [1, 2, 4], 0.03),
    ("linear", (100,), [1, 2, 3, 4, 5, 6], 0.1),
    ("amdahl", (100, 0.2), [1, 2, 3, 4], 0.03),
    ("gustafson", (100, 0.2), [1, 2, 4], 0.03),
    ("amdahl", (100, 0.2), [1, 2, 4, 8, 12, 16, 24, 32], 0.03),
    ("spindles_open", (113, 0.82), [1, 2, 3, 4, 6, 8, 14], 0.03),
]


def simulated(names, truth, params, x, noise, count, sigma=None):
    """Fits of laws to many seeded sets of points at once, a list per set, laws in the order of their names."""
    x, rng = np.array(x, float), np.random.default_rng(1)
    y = LAWS[truth].function(x, *params)[:, None] * np.exp(noise * rng.standard_normal((len(x), count)))
    fits = []
    for name in names:
        curves = Curves.of(LAWS[name], x[:, None], y)
        best, squares, _ = curves.solve()
        spread, origin = curves.spread(squares, sigma=sigma)
        about = {"x": "x", "y": "y", "level": 0.95, "source": Source("simulated"), "interval": "none"}
        columns = range(count)
        fits.append(
            [
                Fit(LAWS[name], curves.take([k]), best[:, k], spread=spread[k], error_from=origin[k], **about)
                for k in columns
            ]
        )
    return list(zip(*fits, strict=True))


def refuted(law, sets):
    """Share of the sets in which a law is refuted at 95 %."""
    return np.mean([goodness_of_fit.judged(fits[law], fits)[1] < 0.05 for fits in sets])


@pytest.mark.parametrize(("truth", "params", "x", "noise"), TRUTHS)
def test_a_law_that_holds_is_refuted_in_one_case_of_twenty_at_most(truth, params, x, noise):
    """By its own noise, beside every law of its family: 600 seeded sets, whose share is known to 0.9 points."""
    family = list(FAMILIES["disk"]) if truth in FAMILIES["disk"] else PROCESSORS
    family = [name for name in family if len(LAWS[name].free) <= len(x)]
    assert refuted(family.index(truth), simulated(family, truth, params, x, noise, 600)) <= 0.05


def test_a_law_on_its_bound_is_not_refuted_for_that():
    """Of points in proportion half the contentions are 0: the points did not choose these. By a stated sigma alone."""
    sets = simulated(["amdahl"], "linear", (100,), [1, 2, 4], 0.02, 2000, sigma=0.02)
    assert refuted(0, sets) == pytest.approx(0.05, abs=0.015)  # 3 standard deviations of the share
    on = fit("usl", "smp_mail", sigma=1e-5, interval="none")  # three points, three parameters, and still off by 0.01 %
    assert (on.dof, on.on_bound.sum()) == (0, 1)
    assert goodness_of_fit.judged(on, ())[0] == "sigma"


def test_a_law_that_does_not_hold_is_refuted_once_the_points_suffice():
    """Eight points of a USL with 3 % noise refute the smaller laws; four of Amdahl's law the straight line."""
    sets = simulated(LADDER, "usl", (100, 0.04, 0.002), [1, 2, 4, 8, 12, 16, 24, 32], 0.03, 200)
    assert [refuted(law, sets) for law in range(3)] == [1.0, 1.0, 0.0]
    family = PROCESSORS[:6]
    assert refuted(0, simulated(family, "amdahl", (100, 0.2), [1, 2, 3, 4], 0.03, 200)) > 0.9
    assert refuted(0, simulated(family, "amdahl", (100, 0.2), [1, 2, 4], 0.03, 200)) > 0.5
    sets = simulated(list(FAMILIES["disk"]), "spindles_open", (113, 0.82), [1, 4, 7, 14], 0.03, 200)
    assert refuted(FAMILIES["disk"].index("drive_power"), sets) > 0.8
