"""Very many rows: the means of each x, points left out by leverage, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import bootstrap, compare, fit
from dominoperf.cli import main
from dominoperf.errors import CannotFit
from dominoperf.fitting import model_selection

LOADS = [1.0, 2, 4, 8, 16, 32]


def rows(each, seed=0):
    """Rows of a universal law with relative noise of 5 %, some at each load."""
    x = np.repeat(LOADS, each)
    y = 100 * x / (1 + 0.04 * (x - 1) + 0.002 * x * (x - 1))
    return pd.DataFrame({"load": x, "tps": y * (1 + 0.05 * np.random.default_rng(seed).standard_normal(len(x)))})


@pytest.mark.parametrize("error", ["relative", "constant"])
def test_by_x_is_the_fit_of_the_means_with_the_pooled_scatter_of_their_rows(error):
    """As pandas has means and scatter; intervals are Student's with as many degrees of freedom as rows minus loads."""
    frame = rows(4).iloc[1:]  # three rows at the first load
    means = frame.groupby("load")["tps"].transform("mean")
    grows = means if error == "relative" else 1 + 0 * means
    pooled = np.sqrt((((frame["tps"] - means) / grows) ** 2).sum() / (23 - 6))
    groups = frame.assign(grows=grows).groupby("load")
    errors = pooled * groups["grows"].mean() / np.sqrt(groups.size())
    expected = fit("usl", x=LOADS, y=groups["tps"].mean().to_numpy(), y_err=errors.to_numpy(), interval="wald")
    found = fit("usl", frame, x="load", y="tps", by_x=True, error=error, interval="wald")
    columns = ["estimate", "std_error"]
    assert found.tidy()[columns].to_numpy() == pytest.approx(expected.tidy()[columns].to_numpy(), rel=1e-9)
    scale = found.tidy().iloc[0]
    assert scale["high"] - scale["estimate"] == pytest.approx(stats.t(17).ppf(0.975) * scale["std_error"], rel=1e-9)
    row = found.predict([16]).iloc[0]
    scatter = pooled * (row["predicted"] if error == "relative" else 1)
    half = np.hypot(row["predicted"] - row["mean_low"], stats.t(17).ppf(0.975) * scatter)
    assert row["predicted"] - row["obs_low"] == pytest.approx(half, rel=1e-9)
    assert "23 rows" in found.glance()["note"][0]
    assert "Errors of the means from the scatter of the rows of each x, pooled; 17 degrees" in found.headline()
    assert compare(["linear", "amdahl", "usl"], rows(40), x="load", y="tps", by_x=True).verdict[0] == "usl"


def test_by_x_of_two_rows_a_load_covers_the_truth_and_refutes_no_true_law():
    """In 150 simulations: about 95 % and, of a true law, at most 5 %; the true law of rates() as well."""
    x, random, covered, refuted = np.repeat(LOADS, 2), np.random.default_rng(31), [], []
    curve = 100 * x / (1 + 0.05 * (x - 1))
    for _ in range(150):
        y = curve * (1 + 0.03 * random.standard_normal(len(x)))
        low, high = fit("amdahl", x=x, y=y, by_x=True, interval="wald").tidy().loc[1, ["low", "high"]]
        covered.append(low <= 0.05 <= high)
    for _ in range(50):
        y = curve * (1 + 0.03 * random.standard_normal(len(x)))
        laws = compare(["linear", "amdahl"], x=x, y=y, by_x=True)
        refuted.append("amdahl" in laws.refuted)
    assert 0.9 <= np.mean(covered) <= 0.98
    assert np.mean(refuted) <= 0.08
    assert laws.rates("amdahl")["refuted_share"][0] <= 0.08


def test_simulated_means_have_repeats_of_their_own():
    """Estimates divided by their errors are Student's of 3 degrees of freedom, 3.18; with errors known exactly 1.96."""
    x, y = [1, 1, 4, 4, 16, 16], [100, 104, 350, 340, 910, 945]
    found = fit("amdahl", x=x, y=y, by_x=True)
    replicates = bootstrap(found, 2000)
    for term, estimate in found.tidy().set_index("term")["estimate"].items():
        studentised = (replicates[term] - estimate) / replicates[f"{term}_std_error"]
        assert np.diff(studentised.quantile([0.025, 0.975])) / 2 == pytest.approx(3.18, rel=0.15)


def test_the_error_model_of_means_is_chosen_from_their_rows():
    """Constant noise, of a law whose own model is relative."""
    x, random = np.repeat(LOADS, 5), np.random.default_rng(4)
    y = 100 * x / (1 + 0.05 * (x - 1)) + 10 * random.standard_normal(len(x))
    assert fit("amdahl", x=x, y=y, by_x=True, error="auto").glance()["error_model"][0] == "constant"


@pytest.mark.parametrize("law", ["linear", "usl"])
def test_left_out_points_of_many_are_forecast_as_by_searches(law):
    """Of 600 points the forecasts from the other 599, each by a fit of its own: 1e-4 of them."""
    frame = rows(100)
    left_out = fit(law, frame, x="load", y="tps").left_out_forecasts
    for row in (0, 150, 599):
        others = fit(law, frame.drop(index=row), x="load", y="tps", interval="none")
        assert left_out[row] == pytest.approx(others.curve(frame["load"][[row]])[0], rel=1e-4)
        assert left_out[row] != pytest.approx(
            fit(law, frame, x="load", y="tps").curve([frame["load"][row]])[0], rel=1e-9
        )


def test_compare_of_very_many_rows_asks_for_means(tmp_path, capsys):
    """More than 5,000 points are refused with what to do, in Python's words and in the shell's."""
    frame = rows(1000)
    with pytest.raises(CannotFit, match=r"6,000 at 6 different x.*by_x=True"):
        compare(["linear", "usl"], frame, x="load", y="tps")
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    command = ["compare", "linear,amdahl,usl", str(path), "--x", "load", "--y", "tps"]
    assert main(command) == 2
    assert "--by-x" in capsys.readouterr().err
    assert main([*command, "--by-x"]) == 0
    assert capsys.readouterr().out.startswith("The points speak for the universal scalability law: they refute ")


def test_replicates_fitted_in_blocks_are_those_fitted_at_once(monkeypatch):
    """Of 150 points with three laws: the same p values."""
    x = np.linspace(1, 32, 150)
    y = 100 * x / (1 + 0.05 * (x - 1)) * np.exp(0.05 * np.random.default_rng(1).standard_normal(150))
    in_blocks = compare(["linear", "amdahl", "usl"], x=x, y=y).test_results
    monkeypatch.setattr(model_selection, "_NUMBERS_AT_ONCE", 10**9)
    assert compare(["linear", "amdahl", "usl"], x=x, y=y).test_results == in_blocks


def test_a_file_that_changes_is_read_again(tmp_path):
    """A file is read once for all laws of a comparison, and again once it is another."""
    path = tmp_path / "rows.csv"
    for scale in (1, 10):
        path.write_text(f"load,tps\n1,{10 * scale}\n2,{20 * scale}\n4,{40 * scale}\n")
        assert fit("linear", path, x="load", y="tps").params["scale"] == pytest.approx(10 * scale)


@pytest.mark.parametrize(
    ("x", "settings", "message"),
    [
        ([1, 2, 3, 4, 5], {}, "rows of one x that differ, found 5 rows at 5 different x"),
        ([1, 1, 2, 2, 2], {"sigma": 0.1}, "by_x or sigma"),
        ([1, 1, 2, 2, 2], {"y_err": [1, 1, 1, 1, 1]}, "by_x or y_err"),
    ],
)
def test_means_that_cannot_be(x, settings, message):
    """Without repeats there is no error; errors from elsewhere and those of means exclude each other."""
    with pytest.raises(CannotFit, match=message):
        fit("linear", x=x, y=[10, 11, 20, 22, 40], by_x=True, **settings)


@pytest.mark.parametrize("settings", [{"error": "constant"}, {"sigma": 0.05, "fixed": {"contention": 0.04}}])
def test_intervals_of_many_rows_are_those_of_rows_whose_x_differ(settings):
    """Loads a billionth apart are not added up, and have the same intervals of parameters, peak and forecast."""
    frame = rows(200)
    apart = frame.assign(load=frame["load"] * (1 + 1e-11 * np.arange(len(frame))))
    together, alone = (fit("usl", points, x="load", y="tps", **settings) for points in (frame, apart))
    for one, other in (
        (together.tidy(), alone.tidy()),
        (together.derive(32), alone.derive(32)),
        (together.predict([3, 64]), alone.predict([3, 64])),
    ):
        low_high = [name for name in one if name.endswith(("low", "high"))]
        assert one[low_high].to_numpy(float) == pytest.approx(other[low_high].to_numpy(float), rel=1e-6, nan_ok=True)


def test_the_shell_forecasts_each_x_once(tmp_path, capsys):
    """Not once for each of its rows."""
    path = tmp_path / "rows.csv"
    rows(200).to_csv(path, index=False)
    assert main(["fit", "usl", str(path), "--x", "load", "--y", "tps", "--show", "predict", "--format", "csv"]) == 0
    assert [line.split(",")[0] for line in capsys.readouterr().out.split()[1:]] == ["1", "2", "4", "8", "16", "32"]
