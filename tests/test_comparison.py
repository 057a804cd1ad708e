"""Which law the points speak for: only where the tests agree, else "cannot tell", with the reason."""

import numpy as np
import pandas as pd
import pytest

from dominoperf import benchmarks, catalog, compare, fit
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting import words
from dominoperf.laws import FAMILIES, LAWS

X = np.array([1.0, 2, 4, 8, 12, 16, 24, 32])


def frame(law, params, x=X, noise=0.02, seed=0):
    """Seeded points of a law with relative normal noise."""
    y = LAWS[law].function(x, *params) * (1 + noise * np.random.default_rng(seed).standard_normal(len(x)))
    return pd.DataFrame({"processors": x, "users": y})


def test_points_that_speak():
    """Eight points of a USL with little noise: its coherency is asked for, and Amdahl's law is out of reach."""
    found = compare(["linear", "amdahl", "usl"], frame("usl", (100, 0.04, 0.002)))
    glance = found.glance().iloc[0]
    assert (glance["best"], glance["verdict"]) == ("usl", "usl")
    assert found.reach == ["usl"]
    assert "speak for usl" in found.headline()


def test_amdahl_is_not_refused_by_a_law_that_contains_it():
    """Points of Amdahl's law: the USL forecasts as well, but the nested test does not ask for its coherency."""
    found = compare(["linear", "amdahl", "usl"], frame("amdahl", (100, 0.1), seed=2))
    assert found.glance()["best"][0] == "amdahl"
    assert found.verdict[0] == "amdahl"


def test_three_points_cannot_tell():
    """The SMP points of the document: the USL passes through all three, so nothing judges its coherency."""
    found = compare("processors", "smp_mail")
    assert found.glance()["best"][0] == "amdahl"
    assert found.verdict[0] == "cannot tell"
    assert "too few points judge the coherency of usl" in found.verdict[1]
    assert found["usl"].error_from == "none"
    assert "users_at_response" in found.refused
    assert "response_max_s" in found.tidy().set_index("law").loc["users_at_response", "reason"]


def test_leave_one_out_and_nested_test_that_disagree():
    """Found among seeded sets: one picks Amdahl's law, the other asks for the coherency, and the verdict is neither."""
    quarrels = [
        compare(["amdahl", "usl"], frame("usl", (100, 0.04, 0.0006), x=np.arange(1.0, 7), seed=seed)).verdict
        for seed in range(40)
    ]
    said = [reason for verdict, reason in quarrels if verdict == "cannot tell"]
    assert any("asks for the coherency of usl" in reason for reason in said) or any(
        "does not ask for its coherency" in reason for reason in said
    )
    assert {verdict for verdict, _ in quarrels} <= {"cannot tell", "amdahl", "usl"}


def test_laws_that_forecast_alike():
    """Two points cannot judge; laws that are not nested in each other and as good are named."""
    assert compare("cache", "cache_mail").verdict == ("cannot tell", "too few points to leave one out")
    found = compare("clock", "clock_mail")
    assert found.verdict[0] == "cannot tell"
    assert "clock_power" in found.verdict[1]


def test_a_rule_is_not_data():
    """The memory table: no verdict."""
    assert compare(["sizing", "linear"], "memory_mail").verdict == ("cannot tell", "a published rule is not data")


def test_reach_is_an_f_ratio():
    """A law is within reach while its mean squared leave-one-out error is within the F quantile of the best's."""
    from scipy import stats

    found = compare(["amdahl", "geometric", "power"], frame("amdahl", (100, 0.1), seed=1))
    squares = {name: np.mean(errors**2) for name, errors in found.errors.items()}
    limit = stats.f.ppf(0.95, 6, 6) * squares[found.order[0]]
    assert set(found.reach) == {name for name, square in squares.items() if square <= limit}
    assert found.order == sorted(squares, key=squares.get)


def test_forecasts_have_the_span_of_the_laws_within_reach():
    """The best law's forecast lies within the span; beyond the points it is extrapolated."""
    found = compare("overhead", frame("amdahl", (100, 0.1), seed=1))
    row = found.predict([64]).iloc[0]
    curves = [found[name].curve([64.0])[0] for name in found.reach]
    assert np.isclose(row["span_low"], min(curves))
    assert np.isclose(row["span_high"], max(curves))
    assert row["span_low"] <= row["predicted"] <= row["span_high"]
    assert row["extrapolated"]
    assert row["law"] == found.best.law.name
    assert f"{row['n_laws']} laws" in found.say_forecast(64)


def test_a_law_that_ends_before_x_says_nothing():
    """The quadratic law has no capacity left at 100 processors: it is not the low end of the span."""
    found = compare(["amdahl", "quadratic"], frame("amdahl", (100, 0.02), x=X[:4], seed=3))
    assert found.predict([100])["span_low"][0] > 0


def test_leave_one_out_forecasts_are_those_of_the_others():
    """By refitting without each point."""
    points = frame("usl", (100, 0.04, 0.002), x=X[:6])
    found = compare(["amdahl", "usl"], points)
    for name in ("amdahl", "usl"):
        alone = [
            np.log(fit(name, points.drop(index=k)).curve(points["processors"][[k]])[0] / points["users"][k])
            for k in range(6)
        ]
        assert np.allclose(found.errors[name], alone, rtol=1e-5)


def test_columns_are_the_vocabulary():
    """Of tidy, glance and predict; glance has one row, tidy one a law."""
    found, known = compare("processors", "smp_mail"), set(catalog.vocabulary())
    for table in (found.tidy(), found.glance(), found.predict([4])):
        assert set(table.columns) <= known
    assert len(found.glance()) == 1
    assert list(found.tidy()["law"]) == [*(each.law.name for each in found.fits), *found.refused]
    assert len(found.tidy()) == len(FAMILIES["processors"])
    assert "<table" in found._repr_html_()


MIXED = frame("linear", (100,)).assign(clock_mhz=100 * X, price_usd=5000 * X)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: compare("processor", "smp_mail"), "processors"),
        (lambda: compare(["amdahl", "usll"], "smp_mail"), "usl"),
        (lambda: compare("processors", "smp_mail", fixed={"serial": 1}), "contention"),
        (lambda: compare(["usl"], "smp_mail_os2"), "at least 3 points"),
        (
            lambda: compare(["linear", "price_linear"], MIXED),
            "same y, found users of linear, price_usd of price_linear",
        ),
        (lambda: compare(["linear", "clock_power"], MIXED).predict([4]), "same x"),
        (lambda: compare("processors", "smp_mail")["gauss"], "gustafson"),
    ],
)
def test_mistakes_teach(call, says):
    """A name that cannot be is answered with what can; a family that no point can judge with its first reason."""
    with pytest.raises((UnknownName, CannotFit), match=says):
        call()


def test_constants_go_to_the_laws_that_have_them():
    """With the limit of the response time and the rate the M/M/c law of users is compared too."""
    found = compare("processors", "smp_mail", fixed={"response_max_s": 5.0, "rate_per_s": 0.022})
    assert "users_at_response" not in found.refused
    assert found["users_at_response"].curves.fixed == {"response_max_s": 5.0, "rate_per_s": 0.022}


def test_a_law_below_zero_is_named_apart():
    """Quadratic scaling is ``scale (N - loss N (N - 1))``: negative from 1 + 1/loss on, which no capacity can be."""
    laws = compare("processors", "smp_discdb")
    loss = laws["quadratic"].params[1]
    assert 4 < 1 + 1 / loss < 6
    ahead = {fit.law.name: fit.predict(6)["predicted"].item() for fit in laws.fits}
    assert ahead.pop("quadratic") < 0
    said = laws.say_spread(6)
    assert said.startswith(f"7 of 8 laws forecast {min(ahead.values()):,.0f} to {max(ahead.values()):,.0f} ")
    assert said.endswith(" at 6 processors; below zero, which cannot be: quadratic")
    assert laws.say_spread(4).startswith("8 laws forecast 599 to 1,667 ")
    assert "zero" not in laws.say_spread(4)


def test_points_are_called_by_the_title_of_their_series():
    """Not by a key; a frame has no name; one degree of freedom is one."""
    title = benchmarks.find("smp_mail").title
    assert f"8 laws through 3 points of {title}. " in compare("processors", "smp_mail").headline()
    assert fit("amdahl", "smp_mail").headline().endswith("; 1 degree of freedom.")
    frame = pd.DataFrame({"processors": [1, 2, 4, 8.0], "users": [100, 190, 340, 500.0]})
    said = fit("amdahl", frame).headline()
    assert " through 4 points. " in said
    assert "2 degrees of freedom" in said
    assert words.of_points(3, "unheard (of/it)") == "3 points of unheard (of/it)"


def test_points_of_all_laws():
    """Of every law its fitted points, numbered through, the law in front."""
    found = compare(["linear", "amdahl"], frame("amdahl", (100, 0.1)))
    points = found.augment()
    assert list(points.columns) == ["law", "x", "y", "fitted", "residual"]
    assert list(points.index) == list(range(16))
    assert list(points["law"]) == ["linear"] * 8 + ["amdahl"] * 8
    assert np.allclose(points["fitted"][8:], found["amdahl"].curve(X))
    assert np.allclose(points["y"] - points["fitted"], points["residual"])
    derived = found.derive([4, 8])
    assert list(derived.columns[:2]) == ["law", "term"]
    assert list(derived.index) == list(range(len(derived)))
    assert set(derived["law"]) == {"linear", "amdahl"}
    assert set(derived["x"].dropna()) == {4.0, 8.0}


def test_one_row_on_a_comparison():
    """The runner-up is second by leave-one-out error; of one law, or where none can be left out, there is none."""
    found = compare(["linear", "amdahl", "usl"], frame("usl", (100, 0.04, 0.002)))
    glance = found.glance().iloc[0]
    sizes = found.tidy().set_index("law")["loo_log_error"].sort_values()
    assert [glance["best"], glance["runner_up"]] == list(sizes.index[:2])
    single = compare(["amdahl"], frame("amdahl", (100, 0.1)))
    assert single.glance().iloc[0].to_dict() == {
        "best": "amdahl", "runner_up": "", "verdict": "cannot tell", "reason": "a single law could be fitted",
    }  # fmt: skip
    assert single.headline().startswith("1 law through 8 points. The points cannot tell which law holds: a single law")
    assert "Not fitted" not in single.headline()
    assert single.tidy()["reason"].tolist() == [""]
    two = compare("cache", "cache_mail")
    assert two.glance()["runner_up"][0] == ""
    assert (two.order, two.reach) == ([], ["cache_time", "cache_power"])
    assert two.best.law.name == "cache_time"
    assert two.left_out().empty
    assert list(two.left_out().columns) == ["law", "x", "observed", "predicted", "log_error", "extrapolated"]


def test_laws_with_fewer_parameters_come_first():
    """However they are listed; among equals the order stays, and of laws that forecast alike the smaller is best."""
    points = frame("amdahl", (100, 0.1))
    found = compare(["usl", "power", "amdahl", "linear"], points)
    assert [each.law.name for each in found.fits] == ["linear", "power", "amdahl", "usl"]
    superlinear = pd.DataFrame({"processors": [1.0, 2, 4, 8], "users": [100.0, 204, 411, 840]})
    same = compare(["usl", "amdahl", "linear"], superlinear)  # contention and coherency are on their bounds
    assert same.order == ["linear", "amdahl", "usl"]
    assert same.best.law.name == "linear"


@pytest.mark.parametrize("level", [0.6, 0.8, 0.95, 0.999])
def test_reach_counts_the_degrees_of_freedom_of_each_law(level):
    """The F quantile has the law's own above and the best's below; a law that a nested test refutes is not in it."""
    from scipy import stats

    points = frame("amdahl", (100, 0.05), x=np.array([1.0, 2, 3, 5, 6]), seed=5, noise=0.03)
    found = compare(["linear", "amdahl", "geometric", "usl"], points, level=level)
    squares = {name: np.mean(errors**2) for name, errors in found.errors.items()}
    dof, best = {each.law.name: each.dof for each in found.fits}, found.order[0]
    near = {name for name in squares if squares[name] <= stats.f.ppf(level, dof[name], dof[best]) * squares[best]}
    refuted = {
        each.law.reduces[0] for each in found.fits if each.law.reduces and each.glance()["f_test_p"][0] < 1 - level
    }
    assert set(found.reach) == {name for name in near if name not in refuted or name == best}
    assert found.level == level


def test_the_nested_test_that_asks_for_more():
    """A straight line forecasts left-out points best, though the contention is asked for: said with the p value."""
    points = frame("amdahl", (100, 0.02), x=np.arange(1.0, 7), seed=12, noise=0.05)
    found = compare(["linear", "amdahl"], points)
    p = found["amdahl"].glance()["f_test_p"][0]
    assert found.verdict == ("cannot tell", "linear forecasts left-out points best, but the nested test asks for the "
                             f"contention of amdahl (p = {p:.2g})")  # fmt: skip
    assert 0.04 < p < 0.05
    strict = compare(["linear", "amdahl"], points, level=0.99)
    assert strict.verdict[0] == "linear"


def test_the_nested_test_that_does_not_ask_for_what_forecasts_best():
    """The USL forecasts best, but its coherency is not asked for; at a level of 90 % it is, and it has the verdict."""
    points = frame("usl", (100, 0.04, 0.0006), x=np.arange(1.0, 7), seed=12)
    found = compare(["amdahl", "usl"], points)
    p = found["usl"].glance()["f_test_p"][0]
    assert 0.05 < p < 0.1
    assert found.glance()["best"][0] == "usl"
    assert found.verdict == ("cannot tell", "usl forecasts left-out points best, but the nested test does not ask for "
                             f"its coherency (p = {p:.2g})")  # fmt: skip
    assert compare(["amdahl", "usl"], points, level=0.9).verdict[0] == "usl"


def test_others_that_forecast_as_well_are_named():
    """With commas and an and; those that the nested test decides are not among them."""
    found = compare(["linear", "amdahl", "geometric", "power"], frame("amdahl", (100, 0.02), x=X[:5], seed=3))
    assert found.verdict[0] == "cannot tell"
    rest = [name for name in found.reach if name not in ("linear", found.best.law.name)]
    assert len(rest) > 1
    listed = f"{', '.join(rest[:-1])} and {rest[-1]}"
    assert (
        found.verdict[1] == f"{found.best.law.name} forecasts left-out points best, {listed} as well within the noise"
    )


def test_a_span_of_one_law_is_its_forecast():
    """Said by its name; beyond the points it is extrapolated, within them not."""
    found = compare(["linear", "amdahl", "usl"], frame("usl", (100, 0.04, 0.002)))
    ahead = found.predict([16, 64])
    assert (ahead["span_low"] == ahead["span_high"]).all()
    assert (ahead["n_laws"] == 1).all()
    assert list(ahead["extrapolated"]) == [False, True]
    assert list(ahead["x"]) == [16, 64]
    said = f"{ahead['predicted'][1]:,.0f} users at 64 processors by usl"
    assert found.say_forecast(64) == f"{said}, extrapolated"
    assert found.say_forecast(16) == f"{ahead['predicted'][0]:,.0f} users at 16 processors by usl"


def test_a_span_of_several_laws_is_from_the_least_to_the_most():
    """In words, too; a law that ends before x is not counted."""
    found = compare(["amdahl", "geometric", "quadratic"], frame("amdahl", (100, 0.02), x=X[:4], seed=3))
    assert len(found.reach) == 3
    near, far = found.predict([4]).iloc[0], found.predict([100]).iloc[0]
    assert near["n_laws"] == 3
    assert far["n_laws"] == 2
    assert near["span_low"] < near["span_high"]
    assert found.say_forecast(100) == (
        f"{far['span_low']:,.0f} to {far['span_high']:,.0f} users at 100 processors by 2 laws, extrapolated"
    )
    assert found.say_forecast(4).endswith("at 4 processors by 3 laws")


def test_laws_that_could_not_be_fitted_have_the_reason_alone():
    """Named in the headline; their row says what was expected and found, and has no number."""
    found = compare("processors", "smp_mail")
    assert ". Not fitted: users_at_response." in f".{found.headline().partition('.')[2]}"
    row = found.tidy().set_index("law").loc["users_at_response"]
    assert row["reason"] == ("fit of users_at_response: expected response_max_s given, found none")
    assert (row["error_from"], row["at_bound"]) == ("", "")
    assert np.isnan(row["rmse"])
    assert found.tidy().index.tolist() == list(range(9))
    with pytest.raises(UnknownName, match="Compared are linear, "):
        found["users_at_response"]
    assert str(found) == repr(found)
    assert str(found).startswith(found.headline())
    assert found._repr_html_().startswith("<p>8 laws")


def test_a_law_without_positive_forecasts_is_not_ordered():
    """A point that the others forecast below zero has no logarithm: the law is shown, but has no left-out points."""
    points = frame("amdahl", (100, 0.3), x=np.array([1.0, 2, 3, 20]))
    found = compare(["amdahl", "quadratic", "power"], points)
    assert np.isnan(found["quadratic"].glance()["loo_log_error"][0])
    assert "loo_log_error" in found["quadratic"].glance()["reason"][0]
    assert set(found.order) == {"amdahl", "power"}
    assert set(found.left_out()["law"]) == {"amdahl", "power"}
    assert list(found.left_out().index) == list(range(8))
    assert "quadratic" not in found.reach
    assert set(found.tidy()["law"]) == {"amdahl", "quadratic", "power"}
