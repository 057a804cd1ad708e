"""Very many rows: the means of each x, leave-one-out by leverage, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from dominoperf import compare, fit
from dominoperf.cli import main
from dominoperf.errors import CannotFit

LOADS = [1.0, 2, 4, 8, 16, 32]


def rows(each, seed=0):
    """Rows of a universal law with relative noise of 5 %, some at each load."""
    x = np.repeat(LOADS, each)
    y = 100 * x / (1 + 0.04 * (x - 1) + 0.002 * x * (x - 1))
    return pd.DataFrame({"load": x, "tps": y * (1 + 0.05 * np.random.default_rng(seed).standard_normal(len(x)))})


def test_by_x_is_the_fit_of_the_means_with_their_standard_errors():
    """As pandas has means and standard errors; the note says how many rows they are from."""
    frame = rows(40)
    groups = frame.groupby("load")["tps"]
    expected = fit("usl", x=LOADS, y=groups.mean().to_numpy(), y_err=groups.sem().to_numpy())
    found = fit("usl", frame, x="load", y="tps", by_x=True)
    columns = ["estimate", "std_error", "low", "high"]
    assert found.tidy()[columns].to_numpy() == pytest.approx(expected.tidy()[columns].to_numpy(), rel=1e-9)
    assert "240 rows" in found.glance()["note"][0]
    laws = compare(["linear", "amdahl", "usl"], frame, x="load", y="tps", by_x=True)
    assert laws.verdict[0] == "usl"


@pytest.mark.parametrize("law", ["linear", "usl"])
def test_leave_one_out_of_many_points_is_that_of_searches(law):
    """Of 600 points the forecasts from the other 599, each by a fit of its own: 1e-4 of them."""
    frame = rows(100)
    held_out = fit(law, frame, x="load", y="tps").held_out
    for row in (0, 150, 599):
        others = fit(law, frame.drop(index=row), x="load", y="tps", interval="none")
        assert held_out[row] == pytest.approx(others.curve(frame["load"][[row]])[0], rel=1e-4)
        assert held_out[row] != pytest.approx(
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


def test_a_file_that_changes_is_read_again(tmp_path):
    """A file is read once for all laws of a comparison, and again once it is another."""
    path = tmp_path / "rows.csv"
    for scale in (1, 10):
        path.write_text(f"load,tps\n1,{10 * scale}\n2,{20 * scale}\n4,{40 * scale}\n")
        assert fit("linear", path, x="load", y="tps").params["scale"] == pytest.approx(10 * scale)


@pytest.mark.parametrize(
    ("x", "settings", "message"),
    [
        ([1, 1, 2, 2, 4], {}, "differences between the rows of each x"),
        ([1, 1, 2, 2, 2], {"sigma": 0.1}, "by_x or sigma"),
        ([1, 1, 2, 2, 2], {"y_err": [1, 1, 1, 1, 1]}, "by_x or y_err"),
    ],
)
def test_means_that_cannot_be(x, settings, message):
    """An x with a single row has no error; errors from elsewhere and those of means exclude each other."""
    with pytest.raises(CannotFit, match=message):
        fit("linear", x=x, y=[10, 11, 20, 22, 40], by_x=True, **settings)


@pytest.mark.parametrize("settings", [{}, {"error": "constant"}, {"sigma": 0.05}, {"fixed": {"contention": 0.04}}])
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
