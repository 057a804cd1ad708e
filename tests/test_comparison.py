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
