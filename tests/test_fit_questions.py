"""What a fit is asked beyond its parameters: own functions, held constants, inverses, derived quantities, units."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from conftest import ROOT
from scipy import stats

from dominoperf import catalog, fit, load
from dominoperf.errors import BadTable, CannotFit, UnknownName
from dominoperf.laws import LAWS

SPEC = pd.DataFrame({  # SPEC SDM91: Gunther, Guerrilla Capacity Planning, 2007, chapter 5; a data set of R usl
    "processors": [1, 18, 36, 72, 108, 144, 216],
    "users": [64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2],
})  # fmt: skip


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


def test_a_plain_function_is_fitted_like_a_law():
    """The USL written by hand: the same estimates, errors, intervals and forecasts."""

    def usl(n, g, a, b):
        return g * n / (1 + a * (n - 1) + b * n * (n - 1))

    own = fit(usl, SPEC, x="processors", y="users", start={"g": 100, "a": 0.01, "b": 1e-4})
    ours = fit("usl", SPEC, error="constant")
    columns = ["estimate", "std_error", "low", "high"]
    assert np.allclose(own.tidy()[columns].astype(float), ours.tidy()[columns].astype(float), rtol=1e-6)
    assert np.allclose(own.predict([100, 400]).to_numpy(float), ours.predict([100, 400]).to_numpy(float), rtol=1e-6)
    assert list(own.tidy()["term"]) == ["g", "a", "b"]


@pytest.mark.parametrize("kind", ["math", "abs", "one at a time"])
def test_functions_that_take_no_arrays_or_complex_numbers(kind):
    """From the math module, with abs, or looking at one number: differences in place of complex steps, to 1e-5."""
    functions = {
        "math": lambda x, a, b: a * math.exp(-b * x),
        "abs": lambda x, a, b: abs(a) * np.exp(-abs(b) * x),
        "one at a time": lambda x, a, b: a * np.exp(-b * x) if np.ndim(x) == 0 and x > 0 else np.nan / 0 * x,
    }
    x = np.array([1.0, 2, 3, 5, 8])
    points = frame(x, 3 * np.exp(-0.3 * x) + [0.01, -0.02, 0.01, 0.0, -0.01], ("x", "y"))
    plain = fit(lambda x, a, b: a * np.exp(-b * x), points, start={"a": 1, "b": 0.1})
    if kind == "one at a time":
        functions[kind] = _careful
    found = fit(functions[kind], points, start={"a": 1, "b": 0.1})
    assert np.allclose(found.tidy()[["estimate", "std_error"]], plain.tidy()[["estimate", "std_error"]], rtol=1e-5)


def _careful(x, a, b):
    if x < 0:
        raise ValueError("below zero")
    return a * math.exp(-b * x)


def test_a_line_has_fiellers_interval():
    """Users at a utilization, from U = demand users + idle: the roots of Fieller's quadratic, to 1e-6."""
    users, share = np.array([100.0, 300, 500, 800, 1000]), np.array([0.09, 0.19, 0.33, 0.47, 0.62])
    found = fit("utilization_law", frame(users, share, ("users", "cpu_utilization")))
    ols, t = sm.OLS(share, sm.add_constant(users)).fit(), stats.t.ppf(0.975, 3)
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
    assert none["reason"] == "does not exist for these parameters"


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
    at = found.derive([2, 4]).query("term == 'efficiency'")
    assert list(at["x"]) == [2, 4]
    assert list(at["extrapolated"]) == [False, True]
    assert np.allclose(at["estimate"], found.curve([2, 4]) / (found.params[0] * np.array([2, 4])))
    flat = found.derive([2, 3]).query("term == 'karp_flatt'")["estimate"]
    assert np.allclose(flat, found.params[1])  # Amdahl's law is where it is flat
    assert set(found.derive()["x"].dropna()) == {3.0}


def test_a_quantity_that_is_not_there_has_a_reason():
    """Without coherency there is no peak: infinite, no error, and said so."""
    found = fit("usl", frame([1, 2, 4, 8, 16], [100, 181, 309, 468, 641]))
    row = found.derive().set_index("term").loc["peak"]
    assert np.isinf(row["estimate"]) or row["estimate"] > 16
    exact = fit("usl", frame([1, 2, 4, 8], [100, 190, 350, 640])).derive().set_index("term").loc["peak"]
    assert np.isinf(exact["estimate"])
    assert np.isnan(exact["std_error"])
    assert exact["reason"] == "infinite for these parameters"


def test_held_parameters():
    """A constant that a law needs is given, one that it holds can be freed; a held one has no error."""
    cache = frame([128.0, 256, 512, 1024, 2048], [1000.0, 1400, 1790, 2150, 2420], ("l2_kb", "users"))
    held = fit("cache_time", cache).tidy().set_index("term").loc["exponent"]
    assert (held["estimate"], held["reason"]) == (0.5, "held, not fitted")
    assert np.isnan(held["std_error"])
    free = fit("cache_time", cache, fixed={"exponent": None})
    assert free.glance()["n_params"][0] == 3
    assert free.squares < fit("cache_time", cache).squares
    other = fit("cache_time", cache, fixed={"exponent": 0.3})
    assert other.params[2] == 0.3
    assert "Held: exponent = 0.3" in other.headline()


def test_superlinear_on_request():
    """Without bounds contention may be negative; it is named, and so is the load where the gain is paid back."""
    points = frame([1, 2, 4, 8, 16, 32], [100, 206, 420, 800, 1330, 1700])
    assert fit("usl", points).glance()["at_bound"][0] == "contention"
    found = fit("usl", points, bounded=False)
    assert found.params[1] < 0
    assert "superlinear" in found.headline()
    payback = found.derive().set_index("term").loc["payback", "estimate"]
    assert np.isclose(found.curve([payback])[0], found.params[0] * payback)


def test_poles_are_never_crossed():
    """Without bounds, too, the curve stays positive at every point, and so do the ends of its profiles."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = frame([1, 2, 4, 8, 16], np.array([100, 190, 330, 520, 640]) * (1 + 0.15 * rng.standard_normal(5)))
        found = fit("usl", points, bounded=False)
        assert (found.curve(points["processors"]) > 0).all()
        assert np.isfinite(found.tidy()[["low", "high"]].to_numpy(float)).all()


def test_percent_becomes_a_share():
    """A law of utilization needs a share: a column of percent is divided by a hundred, its name and step with it."""
    points = frame([100.0, 200, 300], [11.0, 19, 31], ("users", "cpu_utilization_percent"))
    found = fit("utilization_law", points, y="cpu_utilization_percent")
    share = fit("utilization_law", points.assign(cpu_utilization=points["cpu_utilization_percent"] / 100))
    assert np.allclose(found.params, share.params)
    assert found.y == "cpu_utilization"
    points.attrs["resolution"] = {"cpu_utilization_percent": 10}
    assert np.isclose(fit("utilization_law", points, y="cpu_utilization_percent").spread, 0.1 / np.sqrt(12))
    waits = frame([1.0, 4, 7], [631.0, 137, 129], ("drives", "response_ms"))
    found = fit("spindles_open", waits, y="response_ms")
    assert found.y == "response_s"
    assert found.points[1][0] == 0.631


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fit("clock_time", SPEC.assign(ram_mb=1.0), x="ram_mb"), "ram_mb in a unit of MHz"),
        (lambda: fit("mm1", SPEC.assign(cpu_utilization=0.5), y="users"), "users in a unit of s"),
        (lambda: fit("mmc", SPEC.assign(cpu_utilization=0.5, response_s=1.0)), "servers given.*fixed"),
        (lambda: fit("amdahl", SPEC, fixed={"serial": 0.1}), "contention"),
        (lambda: fit("amdahl", SPEC, fixed={"contention": -1}), "from 0 to 1"),
        (lambda: fit("amdahl", SPEC, fixed={"contention": "a"}), "from 0 to 1"),
        (lambda: fit("linear", SPEC, fixed={"scale": 90}), "all held"),
        (lambda: fit("amdahl", SPEC, start={"serial": 1}), "contention"),
        (lambda: fit("amdahl", SPEC, interval="percentile"), "bootstrap-t"),
        (lambda: fit(_careful, SPEC, x="processors", y="users"), "a start for a, b"),
        (lambda: fit(_careful, SPEC, x="processors", y="users", start={"a": 1, "c": 2}), "argument of _careful"),
        (lambda: fit(_careful, SPEC, x="processors", y="users", start={"a": 1, "b": "x"}), "start of b"),
        (lambda: fit(lambda x: x, SPEC, start={}), "at least one parameter"),
        (lambda: fit("amdahl", "nothing.csv"), "no such file"),
        (lambda: fit("spindles", "spindles").inverse([-1]), "above zero"),
        (lambda: fit("users_at_response", SPEC, fixed=LIMITS).inverse(1), "a law with one"),
    ],
)  # fmt: skip
def test_mistakes_teach(call, says):
    """Units that clash, constants not given, names that do not exist: what was expected, and what to do."""
    with pytest.raises((UnknownName, CannotFit, BadTable), match=says):
        call()


def test_a_csv_file_of_ones_own(tmp_path):
    """Columns of numbers are numbers, printed with commas too; a broken file is told by its line."""
    path = tmp_path / "own.csv"
    path.write_text('name,processors,users\na,1,"1,920"\nb,2,"2,850"\nc,3,"3,400"\n', encoding="utf-8")
    found, ours = fit("amdahl", str(path)), fit("amdahl", "smp_mail", resolution=1e-9)
    assert np.allclose(found.params, ours.params)
    path.write_text("processors,users\n1,2,3\n", encoding="utf-8")
    with pytest.raises((BadTable, UnknownName, CannotFit)):
        fit("amdahl", str(path))


def test_wald_and_no_intervals():
    """Student's t times the standard error, or none with nothing invented."""
    found = fit("amdahl", SPEC, interval="wald")
    row, t = found.tidy().iloc[1], stats.t.ppf(0.975, 5)
    assert np.isclose(row["high"] - row["estimate"], t * row["std_error"])
    none = fit("amdahl", SPEC, interval="none")
    assert none.tidy()[["low", "high"]].isna().all().all()
    assert none.tidy()["std_error"].notna().all()
    assert none.predict([2])["mean_low"].isna().all()


def test_spindles_as_published_in_our_notes():
    """Table 3-4: B = 61.4, S = 58.7, V = .897 with a log error of 0.12 %; with B = 0: 113, .820, 2.5 %."""
    full, open_queue = fit("spindles", "spindles"), fit("spindles_open", "spindles")
    assert np.allclose(full.params, [58.7, 0.897, 61.4], rtol=1e-3)
    assert np.allclose(open_queue.params, [113, 0.820], rtol=1e-3)
    assert np.allclose([f.glance()["log_error"][0] for f in (full, open_queue)], [0.0012, 0.025], rtol=0.03)
    assert load("compaq_domino45/table_3_4")["response_s"].tolist() == [631, 137, 129, 124]


def test_columns_are_the_vocabulary():
    """Those of derive and inverse too."""
    found, known = fit("usl", SPEC), set(catalog.vocabulary())
    for table in (found.derive(), found.inverse([100])):
        assert set(table.columns) <= known


def test_raytracer_lies_on_the_face_of_its_bounds():
    """Free, its coherency is negative (-2.0e-4): bounded it is 0, without an error, and the rest is Amdahl's law."""
    points = pd.read_csv(ROOT / "tests/curves/raytracer.csv").rename(
        columns={"load": "processors", "throughput": "users"}
    )
    free = fit("usl", points, error="constant", bounded=False)
    assert np.isclose(free.params[2], -2.0e-4, rtol=0.05)
    bounded, amdahl = fit("usl", points, error="constant"), fit("amdahl", points, error="constant")
    assert bounded.glance()["at_bound"][0] == "coherency"
    assert np.allclose(bounded.params[:2], amdahl.params, rtol=1e-8)
    row = bounded.tidy().set_index("term").loc["coherency"]
    assert np.isnan(row["std_error"])
    assert row["low"] == 0 < row["high"] < 1e-3
    six = fit("usl", points.head(6), error="constant").params
    assert np.allclose(six, [20.85605, 0.02444, 0.00163], rtol=3e-3)
