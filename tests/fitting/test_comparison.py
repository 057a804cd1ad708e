"""Which laws the points refute, which stand, and the verdict: a law only where it stands alone."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dominoperf import compare, fit, runs
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting import Source
from dominoperf.laws import LAWS

X = np.array([1.0, 2, 4, 8, 12, 16, 24, 32])


def frame(law, params, x=X, noise=0.02, seed=0):
    """Seeded points of a law with relative normal noise."""
    y = LAWS[law].function(x, *params) * (1 + noise * np.random.default_rng(seed).standard_normal(len(x)))
    return pd.DataFrame({"processors": x, "users": y})


@pytest.fixture(scope="module")
def smp():
    """All laws through the three SMP points of the document."""
    return compare("processors", "smp_mail")


def test_points_that_speak():
    """Eight points of a USL with little noise: its coherency is asked for, and Amdahl's law is out of reach."""
    found = compare(["linear", "amdahl", "usl"], frame("usl", (100, 0.04, 0.002)))
    glance = found.glance().iloc[0]
    assert (glance["best"], glance["verdict"]) == ("usl", "usl")
    assert found.not_refuted == ["usl"]
    assert found.finding() == "speak for the universal scalability law"
    assert found.headline().startswith(
        "The points speak for the universal scalability law: they refute linear scaling (misses by 61 %) and "
    )


def test_a_law_that_contains_the_true_one_stands_beside_it():
    """Points of Amdahl's law: the USL is not refuted, and may be 15 % lower at 64 processors only with much noise."""
    found = compare(["linear", "amdahl", "usl"], frame("amdahl", (100, 0.1), seed=2))
    assert found.glance()["best"][0] == "amdahl"
    assert found.not_refuted == ["amdahl", "usl"]
    assert found.glance()["not_refuted"][0] == "amdahl, usl"
    assert found.verdict[0] == "amdahl"
    assert found.glance()["refuted"][0] == "linear"
    assert found.verdict[1].endswith(
        "; the universal scalability law is not refuted either, but forecasts the same within 15 % at 64 processors"
    )
    noisy = compare(["linear", "amdahl", "usl"], frame("amdahl", (100, 0.1), seed=2, noise=0.1), interval="none")
    assert noisy.not_refuted == ["amdahl", "usl"]
    assert noisy.verdict[0] == "cannot tell"
    assert "; at 64 processors the universal scalability law may lie far from Amdahl's law; " in noisy.verdict[1]


def test_three_points_cannot_tell(smp):
    """The SMP points of the document: growth in proportion is refuted, and two laws pass through any three points."""
    found = smp
    assert found.glance()["best"][0] == "amdahl"
    assert found.verdict[0] == "cannot tell"
    assert [*found.refuted] == ["linear"]
    assert found.test_results["linear"] == ("amdahl", pytest.approx(0.0075, abs=0.005))
    assert "the points refute linear scaling (misses by 23 %)" in found.verdict[1]
    assert found.verdict[1].endswith("logarithmic exchange, with as many parameters as points")
    assert found["usl"].error_from == "none"
    assert "users_at_response" in found.not_fitted
    table = found.tidy().set_index("law")
    assert "response_max_s" in table.loc["users_at_response", "reason"]
    assert table[["n", "n_params", "dof"]].to_csv().splitlines()[1] == "linear,3,1,2"  # whole, though one law has none


def test_laws_that_forecast_alike():
    """Two points cannot judge; laws that are not nested in each other and as good are named."""
    assert compare("cache", "cache_mail").verdict == ("cannot tell", "too few points to test a law by")
    found = compare("clock", "clock_mail")
    assert found.verdict[0] == "cannot tell"
    assert found.verdict[1] == "too few points to test a law by"  # one degree of freedom says little of the noise


def test_laws_with_errors_of_two_kinds():
    """The headline says which law was fitted with which."""
    said = compare(["sizing", "linear", "amdahl"], x=X, y=100 * X + 8, interval="none").headline()
    assert "constant (the same noise at every point) for sizing" in said
    assert "relative (noise in proportion to the value) for linear and amdahl" in said
    assert " for linear and amdahl" not in compare(["linear", "amdahl"], x=X, y=100 * X + 8).headline()


def test_a_rule_is_not_data():
    """The memory table: no verdict."""
    assert compare(["sizing", "linear"], "memory_mail").verdict == ("cannot tell", "a published rule is not data")


@pytest.mark.parametrize("y_err", [None, [1.0, 2, 3, 2, 4, 1]])
def test_the_order_of_the_rows_decides_nothing(y_err):
    """P values, the best law and what is refuted: of two orders, with repeats of a load and errors of points."""
    points = pd.DataFrame({"x": [1.0, 2, 3, 4, 4, 2], "y": [102.3, 186.94, 270.47, 337.54, 341.0, 184.0]})
    settings = {} if y_err is None else {"y_err": "error"}
    points = points.assign(error=y_err or 1.0)
    found, names = [], ["linear", "amdahl", "power", "usl"]
    for seed in range(2):
        laws = compare(names, points.sample(frac=1, random_state=seed), x="x", y="y", **settings)
        found.append((laws.best.law.name, {name: round(p, 9) for name, (_, p) in laws.test_results.items()}))
    assert found[0] == found[1]


def test_the_level_decides_what_is_refuted():
    """Below ``1 - level`` of the p value that the table gives; the law that refutes is named there for those alone."""
    points = frame("amdahl", (100, 0.05), x=np.array([1.0, 2, 3, 5, 6]), seed=5, noise=0.03)
    names = ["linear", "amdahl", "geometric", "usl"]
    sizes = set()
    for level in (0.6, 0.95, 0.999):
        found = compare(names, points, level=level, interval="none")
        table = found.tidy().set_index("law")
        limits = pd.Series(found.law_tests.limits, index=table.index)
        assert limits["amdahl"] == pytest.approx(min(1 - level, 0.2))
        assert table["refuted_below"].equals(limits.rename("refuted_below").where(table["refuted_p"].notna()))
        assert set(found.refuted) == set(table.index[table["refuted_p"] < limits])
        assert (table["refuted_by"] != "").equals(table["refuted_p"] < limits)
        assert set(found.not_refuted) == set(names) - set(found.refuted)
        assert found.level == level
        sizes.add(len(found.refuted))
    assert len(sizes) > 1
    assert "refuted_p: no larger law, repeats or sigma to test it by" not in table.loc["linear", "reason"]


def test_forecasts_have_the_span_of_the_laws_that_stand():
    """The best law's forecast lies within the span; beyond the points it is extrapolated; a refuted law has no part."""
    found = compare(["linear", "amdahl", "power", "usl"], frame("amdahl", (100, 0.1), seed=1))
    row = found.predict([64]).iloc[0]
    ahead = {each.law.name: each.curve([64.0])[0] for each in found.fits}
    assert "linear" in found.refuted
    assert ahead["linear"] == max(ahead.values())
    curves = [ahead[name] for name in found.not_refuted]
    assert np.isclose(row["span_low"], min(curves))
    assert np.isclose(row["span_high"], max(curves))
    assert row["span_high"] < ahead["linear"] / 2
    assert row["span_low"] <= row["predicted"] <= row["span_high"]
    assert row["reason"] == ""
    assert row["extrapolated"]
    assert row["law"] == found.best.law.name
    assert row["n_laws"] == len(found.not_refuted)
    assert found.describe_forecast(64).startswith(
        f"{row['n_laws']} of {len(ahead)} laws forecast {row['span_low']:,.0f} to "
    )


MIXED = frame("linear", (100,)).assign(clock_mhz=100 * X, price_usd=5000 * X)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: compare("processor", "smp_mail"), "processors"),
        (lambda: compare(["amdahl", "usll"], "smp_mail"), "usl"),
        (lambda: compare(["usl"], "smp_mail_os2"), "at least 3 points"),
        (
            lambda: compare(["linear", "price_linear"], MIXED),
            "same y, found users of linear, price_usd of price_linear",
        ),
        (lambda: compare(["linear", "clock_power"], MIXED).predict([4]), "same x"),
        (lambda: compare(["linear", "gustafson"], "smp_mail")["gauss"], "gustafson"),
    ],
)
def test_mistakes_teach(call, says):
    """A name that cannot be is answered with what can; a family that no point can judge with its first reason."""
    with pytest.raises((UnknownName, CannotFit), match=says):
        call()


def test_constants_go_to_the_laws_that_have_them():
    """With the limit of the response time and the rate the M/M/c law of users is compared too."""
    found = compare("processors", "smp_mail", fixed={"response_max_s": 5.0, "rate_per_s": 0.022})
    assert "users_at_response" not in found.not_fitted
    assert found["users_at_response"].curves.fixed == {"response_max_s": 5.0, "rate_per_s": 0.022}


def test_a_law_below_zero_is_named_apart():
    """Quadratic scaling is ``scale (N - loss N (N - 1))``: negative from 1 + 1/loss on, which no capacity can be."""
    laws = compare("processors", "smp_discdb", interval="none")
    loss = laws["quadratic"].estimates[1]
    assert 4 < 1 + 1 / loss < 6
    ahead = {name: laws[name].predict(6)["predicted"].item() for name in laws.not_refuted}
    assert np.isnan(ahead.pop("quadratic"))
    assert laws["quadratic"].curve([6])[0] < 0
    assert "linear" not in ahead
    said = laws.describe_forecast(6)
    assert said.startswith(f"6 of 8 laws forecast {min(ahead.values()):,.0f} to {max(ahead.values()):,.0f} ")
    assert said.endswith(
        " at 6 processors, extrapolated; refuted: linear scaling; below zero, which cannot be: quadratic scaling"
    )
    assert laws.describe_forecast(4).startswith("7 of 8 laws forecast 599 to ")
    assert "zero" not in laws.describe_forecast(4)


def test_the_headline_spread_of_the_processors_page(smp):
    """Four processors by the laws that stand: growth in proportion misses the points by a quarter, and has no part."""
    assert smp["linear"].curve([4.0])[0] > 5400
    said = "7 of 8 laws forecast 2,955 to 4,263 NotesBench users at 4 processors, extrapolated; refuted: linear scaling"
    assert smp.describe_forecast(4) == said


def test_the_drives_of_the_disk_page():
    """A power of the drives misses the points by 31 %, work divided among them by 21 %: neither stands."""
    laws = compare("disk", "spindles", interval="none")
    errors = laws.tidy().set_index("law")["log_error"]
    assert errors["drive_power"] > 0.3
    assert set(laws.refuted) == {"spindles_open", "drive_power", "drive_hyperbola"}
    assert (errors[laws.not_refuted] < 0.03).all()


def test_points_are_called_by_the_title_of_their_series(smp):
    """Not by a key; a frame has no name; one degree of freedom is one."""
    title = runs.find("smp_mail").title
    assert (
        f". 8 laws through 3 points of {title}. Error model: relative (noise in proportion to the value). "
        in smp.headline()
    )
    assert fit("amdahl", "smp_mail").headline().partition(" Formula: ")[0].endswith("; 1 degree of freedom.")
    frame = pd.DataFrame({"processors": [1, 2, 4, 8.0], "users": [100, 190, 340, 500.0]})
    said = fit("amdahl", frame).headline()
    assert " through 4 points: " in said
    assert "2 degrees of freedom" in said
    frame.attrs["source"] = Source("runs of a box")
    assert " through 4 points of runs of a box: " in fit("amdahl", frame).headline()


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
    """The runner-up is second by left-out error; of one law, or where none can be left out, there is none."""
    found = compare(["linear", "amdahl", "geometric", "power"], frame("amdahl", (100, 0.1), x=X[:4]))
    glance = found.glance().iloc[0]
    sizes = found.tidy().set_index("law")["loo_log_error"][found.not_refuted].sort_values()
    assert len(sizes) > 1
    assert [glance["best"], glance["runner_up"]] == list(sizes.index[:2])
    single = compare(["amdahl"], frame("amdahl", (100, 0.1)))
    assert single.glance().iloc[0].to_dict() == {
        "best": "amdahl", "runner_up": "", "not_refuted": "amdahl", "refuted": "", "verdict": "cannot tell",
        "grounds": "a single law could be fitted",
    }  # fmt: skip
    said = "The points do not settle which law is right: a single law could be fitted. 1 law through 8 points. "
    assert single.headline().startswith(said)
    assert "Not fitted" not in single.headline()
    assert single.tidy()["reason"].tolist() == ["refuted_p: no larger law, repeats or sigma to test it by"]
    two = compare("cache", "cache_mail")
    assert two.glance()["runner_up"][0] == ""
    assert (two.order, two.not_refuted) == ([], ["cache_time", "cache_power"])
    assert two.best.law.name == "cache_time"
    assert two.left_out().empty
    assert list(two.left_out().columns) == ["law", "x", "observed", "predicted", "log_ratio", "extrapolated"]


def test_laws_with_fewer_parameters_come_first():
    """However they are listed; among equals the order stays, and of laws that forecast alike the smaller is best."""
    points = frame("amdahl", (100, 0.1))
    found = compare(["usl", "power", "amdahl", "linear"], points)
    assert [each.law.name for each in found.fits] == ["linear", "power", "amdahl", "usl"]
    superlinear = pd.DataFrame({"processors": [1.0, 2, 4, 8], "users": [100.0, 204, 411, 840]})
    same = compare(["usl", "amdahl", "linear"], superlinear)  # contention and coherency are on their bounds
    assert same.order == ["linear", "amdahl", "usl"]
    assert same.best.law.name == "linear"


def test_a_span_of_one_law_is_its_forecast():
    """Said by its name; beyond the points it is extrapolated, within them not."""
    found = compare(["linear", "amdahl", "usl"], frame("usl", (100, 0.04, 0.002)))
    ahead = found.predict([16, 64])
    assert (ahead["span_low"] == ahead["span_high"]).all()
    assert (ahead["n_laws"] == 1).all()
    assert ahead["reason"].str.startswith("one law is left, so the span has no width; that is no certainty").all()
    assert list(ahead["extrapolated"]) == [False, True]
    assert list(ahead["x"]) == [16, 64]
    said, refuted = (
        f"the universal scalability law forecasts {ahead['predicted'][1]:,.0f} users",
        "; refuted: linear scaling and Amdahl's law",
    )
    assert found.describe_forecast(64) == f"{said} at 64 processors, extrapolated{refuted}"
    assert (
        found.describe_forecast(16)
        == f"the universal scalability law forecasts {ahead['predicted'][0]:,.0f} users at 16 processors{refuted}"
    )


def test_laws_that_could_not_be_fitted_have_the_reason_alone(smp):
    """Named in the headline; their row says what was expected and found, and has no number."""
    found = smp
    assert (
        ". Not fitted: users within a response limit (users_at_response)." in f".{found.headline().partition('.')[2]}"
    )
    row = found.tidy().set_index("law").loc["users_at_response"]
    assert row["reason"] == ("fit of users_at_response: expected response_max_s given, found none")
    assert (row["error_from"], row["params_at_bound"]) == ("", "")
    assert np.isnan(row["rmse"])
    assert found.tidy().index.tolist() == list(range(9))
    with pytest.raises(UnknownName, match="Compared are linear, "):
        found["users_at_response"]
    assert str(found) == repr(found)
    assert str(found).startswith(found.headline())
    assert found._repr_html_().startswith("<p>The points do not settle which law is right: Amdahl&#x27;s law, ")


def test_a_law_without_positive_forecasts_is_not_ordered():
    """A point that the others forecast below zero has no logarithm: the law is shown, but has no left-out points."""
    found = compare(["amdahl", "quadratic"], frame("amdahl", (100, 0.3), x=np.array([1.0, 2, 3, 20])), level=0.99)
    assert np.isnan(found["quadratic"].glance()["loo_log_error"][0])
    assert "loo_log_error" in found["quadratic"].glance()["reason"][0]
    assert found.order == ["amdahl"]
    assert found.left_out()["law"].tolist() == ["amdahl"] * 4
    assert set(found.tidy()["law"]) == {"amdahl", "quadratic"}


def test_a_verdict_of_a_large_family_names_two_laws_and_counts_the_others():
    """Whatever the family, a list of laws in the sentence has three at most; the row of `glance` has them all."""
    x = np.array([1.0, 2, 4, 8, 12, 16, 24, 32])
    y = 100 * x / (1 + 0.05 * (x - 1) + 0.004 * x * (x - 1)) * [1.02, 0.99, 1.01, 0.98, 1.02, 1.0, 0.99, 1.01]
    found = compare("processors", x=x, y=y)
    assert len(found.refuted) > 4
    assert f"and {len(found.refuted) - 2} others" in found.describe()
    assert sum(found.title(name) in found.describe() for name in found.refuted) == 2
    assert all(name in found.glance()["refuted"][0] for name in found.refuted)


def test_a_law_named_twice_is_compared_once():
    """It ended in an IndexError; two records of one name are refused."""
    points = {"x": [1, 2, 4, 8, 12], "y": [100, 181, 309, 475, 569]}
    assert [one.law.name for one in compare(["users_at_response", "linear"], **points).fits] == ["linear"]
    assert len(compare(["amdahl", "amdahl", "linear"], **points).fits) == 2
    other = replace(LAWS["amdahl"], title="Another")
    with pytest.raises(CannotFit, match="expected a name of its own for each law, found two laws called amdahl"):
        compare(["amdahl", other], **points)


def test_a_rival_that_fits_worse_refutes_nothing_at_any_level():
    """The power law through its own points, whose p against a far worse law is 0.32 whatever the points."""
    points = {"processors": [1, 2, 4], "users": [100, 162.4505, 263.9016]}
    for level in (0.6, 0.95):
        assert (
            compare(["linear", "power"], points, level=level).tidy().set_index("law").loc["power", "refuted_by"] == ""
        )


def test_a_law_is_refuted_at_any_level():
    """Of 99.9 % too, for which 400 replicates would not do."""
    points = frame("amdahl", (100, 0.1), x=np.array([1.0, 2, 4, 8, 16, 32]), seed=1, noise=0.01)
    assert "linear" in compare(["linear", "amdahl", "power"], points, level=0.999).refuted
