"""A standard error per point: SciPy's weights, simulated coverage, and a law that the errors refute."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from dominoperf import bootstrap, compare, fit, fit_many, roll_up
from dominoperf.cli import main
from dominoperf.errors import CannotFit, DominoperfError
from dominoperf.fitting.diagnostics import strongest_test
from dominoperf.laws import LAWS
from dominoperf.loadtests import curve_of_runs

LOADS = np.array([1.0, 2, 4, 8, 16])
RATES, ERRORS = np.array([100.0, 190, 340, 560, 780]), np.array([2.0, 4, 5, 9, 10])


@pytest.mark.parametrize("law", ["usl", "amdahl", "linear", "power"])
def test_estimates_and_errors_are_those_of_scipy(law):
    """Random curves with errors of up to ten times each other: estimates to 1e-6, errors to 1e-3, the same rise."""
    random, truth = np.random.default_rng(3), {"usl": [50, 0.05, 0.002], "amdahl": [50, 0.05], "linear": [50]}
    compared = 0
    for _ in range(12):
        x = np.sort(random.choice(np.arange(1.0, 33), size=8, replace=False))
        params = truth.get(law, [50, 0.8])
        curve = LAWS[law].function(x, *params)
        errors = curve * random.uniform(0.002, 0.02, 8)
        y = curve + errors * random.standard_normal(8)
        found = fit(law, x=x, y=y, y_err=errors)
        if found.on_bound.any():
            continue
        best, covariance = optimize.curve_fit(LAWS[law].function, x, y, params, errors, absolute_sigma=True,
                                              ftol=1e-14, xtol=1e-14)  # fmt: skip
        compared += 1
        assert np.allclose(found.estimates, best, rtol=1e-6, atol=1e-9)
        assert np.allclose(found.tidy()["std_error"], np.sqrt(np.diag(covariance)), rtol=1e-3)
        assert np.isclose(found.squares, np.sum(((y - LAWS[law].function(x, *best)) / errors) ** 2), rtol=1e-8)
    assert compared > 6


def test_simulated_coverage_and_rate_of_refutation():
    """Five points of a true law with known errors: intervals hold in 93 to 97 %, the law is refuted in 3 to 7 %."""
    random, runs = np.random.default_rng(7), 600
    curve = LAWS["amdahl"].function(LOADS, 100, 0.05)
    errors = curve * np.array([0.01, 0.03, 0.01, 0.02, 0.04])
    y = curve + errors * random.standard_normal((runs, 5))
    parts = {"run": np.repeat(np.arange(runs), 5), "x": np.tile(LOADS, runs), "y": y.ravel()}
    frame = pd.DataFrame(parts | {"error": np.tile(errors, runs)})
    many = fit_many(frame, "amdahl", by="run", x="x", y="y", y_err="error", interval="profile")
    low, high = (many[[f"scale_{end}", f"contention_{end}"]] for end in ("low", "high"))
    held = ((low.to_numpy() <= [100, 0.05]) & (high.to_numpy() >= [100, 0.05])).sum(axis=0)
    refuted = many["refuted_p"] < 0.05
    for k in (0, 599, refuted.idxmax()):
        one = fit("amdahl", x=LOADS, y=y[k], y_err=errors)
        ends = one.tidy()[["low", "high"]].to_numpy()
        assert ends == pytest.approx(np.transpose([low.iloc[k], high.iloc[k]]), rel=1e-6)
        assert bool(one.refuted) == refuted[k]
    assert ((held / runs >= 0.93) & (held / runs <= 0.97)).all(), held / runs
    assert 0.03 <= refuted.mean() <= 0.07


def test_a_law_that_misses_the_points_is_never_a_narrow_band_alone():
    """The headline, each sentence with an interval, the reasons of the table and the picture say so."""
    found = fit("linear", x=LOADS, y=RATES, y_err=ERRORS)
    assert "The law is refuted: it misses the points by far more than their errors" in found.headline()
    assert "no interval is valid" in found.describe("scale")
    assert "no interval is valid" in found.describe_forecast(32)
    assert "refuted" in found.tidy()["reason"][0]
    assert "refuted" in found.inverse([900])["reason"][0]
    assert "the points refute it" in str([each.get_text() for each in found.plot().get_legend().get_texts()])
    holds = fit("usl", x=LOADS, y=RATES, y_err=ERRORS)
    assert "refuted" not in f"{holds}{holds.describe('scale')}{holds.derive()}"
    assert holds.glance()["error_from"][0] == holds.glance()["error_model"][0] == "given per point"
    both = compare(["linear", "usl"], x=LOADS, y=RATES, y_err=ERRORS)
    assert both.verdict[0] == "usl"
    assert compare(["linear"], x=LOADS, y=RATES, y_err=ERRORS).tidy()["refuted_by"].tolist() == ["y_err"]


def test_the_sentence_names_the_test_that_refutes_the_law():
    """Too large errors give a chi-squared of 2.8 of 9; repeats that differ by 0.2 % refute it, or Amdahl's law."""
    x = np.repeat([1, 2, 4, 8, 16], 2)
    y = 100 * x / (1 + 0.05 * (x - 1)) * (1 + 0.002 * np.tile([-1, 1], 5))
    for words in (
        fit("linear", x=x, y=y, y_err=0.4 * y).refuted,
        compare(["linear", "amdahl"], x=x, y=y, y_err=0.4 * y).headline(),
    ):
        assert "chi-squared" not in words
        assert "of the same x differ" in words
    x = np.arange(1, 17)
    y = 100 * x / (1 + 0.02 * (x - 1)) * (1 + 0.01 * np.tile([-1, 1], 8))
    found = compare(["linear", "amdahl"], x=x, y=y, y_err=0.07 * y)
    assert found.tidy()["refuted_by"].tolist() == ["amdahl", ""]
    assert "they refute linear scaling (Amdahl's law comes far closer, p = 0.005)" in found.headline()


def test_as_many_points_as_parameters():
    """Intervals follow from the errors alone; that nothing tests the law is said."""
    found = fit("amdahl", x=[1, 4], y=[100, 340], y_err=[1, 4])
    assert np.isfinite(found.tidy()[["low", "high"]]).all(axis=None)
    assert "nothing can show whether the law holds" in found.headline()


def test_a_forecast_has_no_interval_of_an_observation_whose_error_nobody_gave():
    """The interval of the curve is there."""
    row = fit("usl", x=LOADS, y=RATES, y_err=ERRORS).predict([32]).iloc[0]
    assert row["mean_low"] < row["predicted"] < row["mean_high"]
    assert np.isnan(row[["obs_low", "obs_high"]].astype(float)).all()
    assert row["reason"] == "obs: nobody gave the error of a new observation"


def test_errors_of_equal_size_are_a_stated_sigma():
    """The unit of y is that of the errors; both ways give one answer, replicates too."""
    one, other = fit("usl", x=LOADS, y=RATES, sigma=5, error="constant"), fit("usl", x=LOADS, y=RATES, y_err=[5] * 5)
    names = ["estimate", "std_error", "low", "high"]
    assert np.allclose(one.tidy()[names], other.tidy()[names], rtol=1e-9)
    frame = pd.DataFrame({"users": [100, 200, 400], "cpu_utilization_percent": [11.0, 19.0, 42.0], "e": [1.0, 1, 2]})
    asked = {"x": "users", "y": "cpu_utilization_percent"}
    share = frame.assign(cpu_utilization=frame["cpu_utilization_percent"] / 100, e=frame["e"] / 100)
    percent = fit("utilization_law", frame, **asked, y_err="e").tidy()[["estimate", "std_error"]]
    assert np.allclose(percent, fit("utilization_law", share, x="users", y_err="e").tidy()[["estimate", "std_error"]])
    known = fit("amdahl", x=LOADS, y=RATES, y_err=ERRORS)
    spread = bootstrap(known, 2000)[list(known.law.names)].std()
    assert np.allclose(spread, known.tidy()["std_error"], rtol=0.1)


def test_means_bring_their_errors():
    """The frame of means has a column of standard errors, which is named as any other."""
    random = np.random.default_rng(1)
    rows = [(users, 1000 * users / (1 + 0.05 * (users - 1)) + 5 * random.standard_normal())
            for users in (1, 2, 4, 8) for _ in range(100)]  # fmt: skip
    means = roll_up(pd.DataFrame(rows, columns=["users", "throughput_tps"]), by="users")
    found = fit("amdahl", means, x="users", y="mean", y_err="std_error")
    assert found.y_err == pytest.approx(means["std_error"])
    assert found.params["contention"] == pytest.approx(0.05, rel=0.02)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y_err": [1, 2]}, r"y_err: expected 5 errors, one per point, found 2\. Give"),
        ({"y_err": [1, 0, 1, 1, 1]}, r"y_err, row 2: expected a standard error above zero, found 0\. Give"),
        ({"y_err": [1, 1, 1, np.nan, 1]}, r"row 4: expected a standard error above zero, found nan\."),
        ({"y_err": "nope"}, r"column of a frame: expected one that is there, found 'nope'"),
        ({"y_err": "e", "sigma": 1.0}, r"fit\(y_err=\.\.\.\): expected y_err or sigma, found both\. Leave one out"),
        ({"y_err": "e", "error": "relative"}, r"expected y_err or error, found both"),
        (
            {"y_err": [1e-9] * 5},
            r"^fit\(y_err=\.\.\.\): expected noise of 1e-07 of the values .* 2\.15e-12 of them",
        ),
        ({"sigma": 1e-9}, r"^fit\(sigma=\.\.\.\): expected noise of 1e-07 of the values or more, .* 1e-09 of them"),
        ({"sigma": 1e-5, "error": "constant"}, r"noise of 1e-07 of the values or more, .*, found 2\S+e-08 of them"),
    ],
)
def test_errors_that_cannot_be(given, message):
    """Each is refused with what was expected, what was found and what to do."""
    frame = pd.DataFrame({"processors": LOADS, "users": RATES, "e": ERRORS, "text": "a"})
    with pytest.raises(DominoperfError, match=message):
        fit("usl", frame, **given)


@pytest.mark.parametrize(
    ("header", "errors"), [("err", ["1%", "1%", "2%", "3"]), ("err_percent", [1, 1, 2, 3])], ids=["sign", "name"]
)
def test_errors_in_percent_of_y_are_refused(tmp_path, header, errors):
    """Of percents of CPU they are percentage points, and taken."""
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in zip([1, 2, 4, 8], [100, 190, 340, 560], errors, strict=True))
    (tmp_path / "runs.csv").write_text(f"threads,tps,{header}\n{rows}")
    with pytest.raises(
        CannotFit, match=rf"errors in the unit of tps, found {header}, in percent\. Multiply them by tps"
    ):
        fit("usl", tmp_path / "runs.csv", x="threads", y="tps", y_err=header)
    (tmp_path / "cpu.csv").write_text("users,cpu_utilization_percent,err\n100,11%,1%\n200,19%,1%\n400,42%,2%\n")
    points = fit("utilization_law", tmp_path / "cpu.csv", y="cpu_utilization_percent", y_err="err")
    assert points.y_err == pytest.approx([0.01, 0.01, 0.02], rel=1e-12)


def test_the_means_that_steady_prints_are_points_with_errors(tmp_path, capsys):
    """What `dominoperf steady --show means --format csv` prints goes into `fit` and `forecast` with --y-err."""
    random = np.random.default_rng(2)
    rows = [(users, at, 1000 * users / (1 + 0.05 * (users - 1)) * min(1, at / 20) + 4 * random.standard_normal())
            for users in (1, 2, 4, 8, 16) for at in range(1, 241)]  # fmt: skip
    runs = pd.DataFrame(rows, columns=["users", "time_s", "throughput_tps"])
    runs["run"] = runs["users"].map("load {}".format)
    runs.to_csv(tmp_path / "runs.csv", index=False)
    assert main(["steady", str(tmp_path / "runs.csv"), "--show", "means", "--format", "csv"]) == 0
    (tmp_path / "means.csv").write_text(capsys.readouterr().out)
    columns = ["--x", "users", "--y", "mean", "--y-err", "std_error", "--where", "metric=throughput_tps"]
    assert main(["fit", "amdahl", str(tmp_path / "means.csv"), *columns, "--format", "json"]) == 0
    contention = json.loads(capsys.readouterr().out)["tidy"][1]
    assert contention["low"] < 0.05 < contention["high"]
    assert main(["forecast", str(tmp_path / "means.csv"), *columns, "--at", "32"]) == 0
    assert "with their standard errors" in capsys.readouterr().out.replace("\n", " ")


def test_errors_that_rest_on_few_repeats_have_intervals_of_student():
    """A line through the origin by hand: Student's t and F with the degrees of freedom beside the errors, the least.

    Of errors known exactly, whose cell is empty or infinite, the normal ones; so too for many groups at once.
    """
    points = pd.DataFrame({"load": LOADS, "throughput_per_s": RATES, "throughput_std_error": 10 * ERRORS})
    settings = {"x": "load", "y": "throughput_per_s", "y_err": "throughput_std_error"}
    weights = (LOADS / (10 * ERRORS)) ** 2
    scale, error = np.sum(weights * RATES / LOADS) / np.sum(weights), 1 / np.sqrt(np.sum(weights))
    squares = np.sum(((RATES - scale * LOADS) / (10 * ERRORS)) ** 2)
    cases = {
        "few": ([3, 7, np.inf, "", 3], stats.t.ppf(0.975, 3), stats.f.sf(squares / 4, 4, 3)),
        "known": (["", np.inf, "", "", ""], stats.norm.ppf(0.975), stats.chi2.sf(squares, 4)),
    }
    for name, (dof, times, p) in cases.items():
        found = fit("linear", points.assign(throughput_dof=pd.Series(dof, dtype=object)), **settings)
        row = found.tidy().iloc[0]
        expected = [scale, error, scale - times * error, scale + times * error]
        np.testing.assert_allclose(row[["estimate", "std_error", "low", "high"]].astype(float), expected, rtol=1e-6)
        assert strongest_test(found) == ("y_err", pytest.approx(p, rel=1e-6))
        assert ("rest on 3 degrees of freedom" in found.headline()) == (name == "few")
    groups = [
        points.assign(name=name, throughput_dof=pd.Series(dof, dtype=object)) for name, (dof, *_) in cases.items()
    ]
    many = fit_many(pd.concat(groups, ignore_index=True), "linear", by="name", interval="wald", **settings)
    expected = [[scale - times * error, scale + times * error, p] for _, times, p in cases.values()]
    np.testing.assert_allclose(many[["scale_low", "scale_high", "refuted_p"]], expected, rtol=1e-6)
    with pytest.raises(CannotFit, match="throughput_dof, row 2: expected degrees of freedom, 0 or more, found -1"):
        fit("linear", points.assign(throughput_dof=[1, -1, 1, 1, 1]), **settings)


def test_errors_of_runs_that_were_not_repeated_weigh_the_points_alone():
    """As SciPy's ``absolute_sigma=False``: the residuals tell their size, and no test refutes the law by them."""
    points = pd.DataFrame({"load": LOADS, "throughput_per_s": RATES, "throughput_std_error": ERRORS / 10})
    points = points.assign(throughput_dof=0, group="a")
    settings = {"x": "load", "y": "throughput_per_s", "y_err": "throughput_std_error"}
    best, covariance = optimize.curve_fit(LAWS["amdahl"].function, LOADS, RATES, [100, 0.02], ERRORS)
    found = fit("amdahl", points, interval="wald", **settings)
    error = np.sqrt(np.diag(covariance))
    rows = found.tidy()
    np.testing.assert_allclose(rows[["estimate", "std_error"]], np.transpose([best, error]), rtol=1e-4)
    half = stats.t.ppf(0.975, 3) * error
    np.testing.assert_allclose(rows[["low", "high"]], np.transpose([best - half, best + half]), rtol=1e-3)
    assert strongest_test(found)[0] == ""
    assert "for nothing was run again: it weighs the points alone" in found.headline()
    forecast = found.predict([16]).iloc[0]
    assert np.isfinite(forecast["mean_low"])
    assert np.isnan(forecast["obs_low"])
    many = fit_many(points, "amdahl", by="group", interval="wald", **settings)
    np.testing.assert_allclose(many[["scale_low", "scale_high"]], rows[["low", "high"]].head(1), rtol=1e-6)
    assert many["refuted_p"].isna().all()
    assert compare(["linear", "amdahl"], points, **settings).tidy().set_index("law").loc["amdahl", "refuted_by"] == ""


def test_a_curve_of_few_repeats_covers_its_law():
    """Six loads of which one was run twice: of 40 curves that Amdahl's law made, the intervals hold most.

    Taken as known, such errors held the scale in 70 %. Of 40 intervals at 95 % fewer than 32 hold once in 7,000.
    """
    random, loads, curves = np.random.default_rng(5), np.array([1.0, 2, 4, 4, 8, 16, 32]), []
    names = ("response_s", "response_std_error", "response_p95_s", "response_p95_std_error")
    for number in range(40):
        rates = 10 * loads / (1 + 0.03 * (loads - 1)) * np.exp(0.08 * random.standard_normal(7))
        runs = pd.DataFrame({"load": loads, "throughput_per_s": rates, "throughput_std_error": 0.003 * rates})
        runs = runs.assign(**dict.fromkeys(names, np.nan), response_p95_of="", failures=0.0, steady=1)
        curves.append(curve_of_runs(runs.assign(file="a", reason="")).assign(number=number))
    settings = {"x": "load", "y": "throughput_per_s", "y_err": "throughput_std_error", "interval": "profile"}
    found = fit_many(pd.concat(curves, ignore_index=True), "amdahl", by="number", **settings)
    for name, truth in (("scale", 10), ("contention", 0.03)):
        assert (found[f"{name}_low"].le(truth) & found[f"{name}_high"].ge(truth)).sum() >= 32
    assert (found["refuted_p"] < 0.05).mean() < 0.1


def test_errors_in_another_unit_than_y_are_converted():
    """Also where the law has no unit of y: 60 a minute are one a second; a unit of something else changes nothing."""
    frame = pd.DataFrame({"users": LOADS, "throughput_per_s": RATES, "err": ERRORS, "err (1/minute)": 60 * ERRORS})
    asked = {"x": "users", "y": "throughput_per_s"}
    plain, minutes = (fit("usl", frame, **asked, y_err=name).tidy() for name in ("err", "err (1/minute)"))
    assert np.allclose(plain[["estimate", "std_error"]], minutes[["estimate", "std_error"]])
