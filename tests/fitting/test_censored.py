"""Capacities between two loads: the likelihood by brute force, simulated coverage, limits, and what cannot be."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from dominoperf import bootstrap, compare, fit
from dominoperf.cli import main
from dominoperf.errors import DominoperfError
from dominoperf.laws import LAWS

X = np.array([1.0, 2, 4, 6, 8, 12, 16, 24])
TRUTH = {"usl": (100, 0.05, 0.002), "amdahl": (100, 0.05)}


def between(law, noise, width, seed, *, open_end=True):
    """Ends of capacities with lognormal noise: steps of a width in logarithms; the last was never overloaded."""
    random = np.random.default_rng(seed)
    logs = np.log(LAWS[law].function(X, *TRUTH[law])) + noise * random.standard_normal(len(X))
    first = random.uniform(0, 1, len(X))
    low = (np.floor(logs / width - first) + first) * width
    high = low + width
    if open_end:
        high[-1] = np.inf
    return np.exp(low), np.exp(high)


def log_likelihood(law, params, s, low, high, *, logs):
    """As scipy has it; a point without width by its density."""
    with np.errstate(divide="ignore"):
        m, a, b = (np.log(each) if logs else each for each in (LAWS[law].function(X, *params), low, high))
    exact = a == b
    p = np.where(exact, stats.norm.pdf(a, m, s), stats.norm.cdf((b - m) / s) - stats.norm.cdf((a - m) / s))
    return np.sum(np.log(np.maximum(p, 1e-300))) - (np.sum(a[exact]) if logs else 0)


@pytest.mark.parametrize(("law", "logs"), [("usl", True), ("amdahl", True), ("amdahl", False)])
def test_estimates_are_those_of_a_search_over_the_same_likelihood(law, logs):
    """Nelder and Mead's search over parameters and s, one exact point and one lower limit: 1e-4; errors to 2 %."""
    low, high = between(law, 0.06, 0.05, seed=5)
    high[2] = low[2]
    found = fit(law, x=X, y_low=low, y_high=high, error=None if logs else "constant")

    def loss(tried):
        inside = (tried[1:-1] >= 0).all()
        return -log_likelihood(law, tried[:-1], np.exp(tried[-1]), low, high, logs=logs) if inside else 1e9

    begin = np.log(0.05 if logs else 30)
    settings = {"xatol": 1e-9, "fatol": 1e-11, "maxiter": 20_000, "maxfev": 20_000}
    best = optimize.minimize(loss, [*TRUTH[law], begin], method="Nelder-Mead", options=settings)
    assert found.estimates == pytest.approx(best.x[:-1], rel=1e-4)
    assert found.sigma == pytest.approx(np.exp(best.x[-1]), rel=1e-4)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    if not found.on_bound.any():
        own = np.diag(np.array(found.estimates) * 1e-3)
        at = lambda move: -log_likelihood(law, found.estimates + move, found.sigma, low, high, logs=logs)  # noqa: E731
        second = [[(at(a + b) - at(a - b) - at(b - a) + at(-a - b)) / 4 for a in own] for b in own]
        scale = np.diag(own)
        errors = np.sqrt(np.diag(np.linalg.inv(second))) * scale * found.residual_sd
        assert found.tidy()["std_error"].to_numpy() == pytest.approx(errors, rel=0.02)


def test_simulated_coverage():
    """The universal law, eight loads, noise of half a step: of 12 profile intervals at 95 % 7 hold, or more.

    Fewer would once in 90,000; intervals at 60 % would half of the time.
    """
    runs, held, truth = 12, np.zeros(3), np.array(TRUTH["usl"])
    for seed in range(runs):
        low, high = between("usl", 0.03, 0.06, seed=seed)
        found = fit("usl", x=X, y_low=low, y_high=high)
        curves = found.curves.take([0, 0, 0])  # a parameter belongs to its profile where the others can make up for it
        start = np.repeat(found.estimates[:, None], 3, axis=1)
        start[range(3), range(3)] = truth
        _, squares, _ = curves.solve(start, ~np.eye(3, dtype=bool), damping=1e-3, steps=100)
        held += (
            squares - found.squares
            <= found.curves.profile_threshold(np.array([found.residual_sd]), 0.95, sigma_given=False)[0]
        )
    assert (held >= 7).all(), held / runs


def test_a_profile_ends_where_the_deviance_has_risen():
    """The ends of `tidy` are those at which the likelihood has fallen by half the rise: 1e-3."""
    low, high = between("amdahl", 0.05, 0.05, seed=2)
    found = fit("amdahl", x=X, y_low=low, y_high=high)
    rise = found.curves.profile_threshold(np.array([found.residual_sd]), 0.95, sigma_given=False)[0]
    for end in found.tidy()[["low", "high"]].to_numpy()[0]:
        loss = lambda c, scale=end: -log_likelihood("amdahl", (scale, c), found.sigma, low, high, logs=True)  # noqa: E731
        other = optimize.minimize_scalar(loss, bounds=(0, 0.5), method="bounded")
        assert 2 * (found.log_likelihood + other.fun) == pytest.approx(rise, rel=1e-3)


def test_exact_points_are_the_fit_of_their_logarithms():
    """Points without width: least squares of ln y, with the residual error on n - p degrees of freedom."""
    y = LAWS["amdahl"].function(X, 100, 0.05) * np.exp(0.03 * np.random.default_rng(0).standard_normal(8))
    found = fit("amdahl", x=X, y_low=y, y_high=y)
    best = optimize.least_squares(lambda p: np.log(LAWS["amdahl"].function(X, *p) / y), [100, 0.05], x_scale="jac",
                                  xtol=1e-14, ftol=1e-14)  # fmt: skip
    assert found.estimates == pytest.approx(best.x, rel=1e-5)
    assert found.sigma * found.residual_sd == pytest.approx(np.sqrt(2 * best.cost / 6), rel=1e-4)
    assert found.noise(np.array([10.0]))[0] == pytest.approx(10 * found.sigma * found.residual_sd)


def test_the_criterion_is_that_of_the_likelihood():
    """AICc with the standard deviation among the parameters; NaN where the points are too few for it."""
    low, high = between("amdahl", 0.05, 0.2, seed=3)
    found = fit("amdahl", x=X, y_low=low, y_high=high)
    n, k = len(X), 3
    expected = 2 * k - 2 * found.log_likelihood + 2 * k * (k + 1) / (n - k - 1)
    assert found.glance()["aicc"][0] == pytest.approx(expected, rel=1e-12)
    few = fit("amdahl", x=X[:4], y_low=low[:4], y_high=high[:4]).glance()
    assert np.isnan(few["aicc"][0])
    assert "aicc: needs n > k + 1" in few["reason"][0]


def test_a_lower_limit_pulls_up_and_never_down():
    """A limit below the curve changes nothing much; one above raises it."""
    low, high = between("amdahl", 0.03, 0.05, seed=4, open_end=False)
    near = fit("amdahl", x=X, y_low=low, y_high=np.where(X == 24, np.inf, high))
    deep = fit("amdahl", x=X, y_low=np.where(X == 24, 1.0, low), y_high=np.where(X == 24, np.inf, high))
    tall = fit("amdahl", x=X, y_low=np.where(X == 24, 1.3 * low, low), y_high=np.where(X == 24, np.inf, high))
    without = fit("amdahl", x=X[:-1], y_low=low[:-1], y_high=high[:-1])
    assert deep.estimates == pytest.approx(without.estimates, rel=1e-4)
    assert tall.curve([24.0]) > near.curve([24.0])
    missing = fit("amdahl", x=X, y_low=low, y_high=np.where(X == 24, np.nan, high))
    assert missing.estimates == pytest.approx(near.estimates, rel=1e-9)


def test_points_of_each_kind_are_counted():
    """An exact point has a residual, the others have none; without degrees of freedom no error can be told."""
    ends = {"x": [1, 2, 4, 8], "y_low": [95, 190, 390, 700], "y_high": [105, 190, np.inf, 800]}
    found = fit("linear", **ends, sigma=0.05)
    assert "by likelihood through 4 points: 1 exact, 2 between two loads, 1 with one end. " in found.headline()
    assert "no error" not in found.headline()
    rows = found.augment()
    assert rows["residual"].isna().tolist() == [True, False, True, True]
    assert rows["residual"][1] == pytest.approx(190 - 2 * found.estimates[0])
    assert fit("linear", **ends, sigma=0.05, error="constant").noise(np.array([7.0]))[0] == 0.05
    alone = fit("linear", x=[1, 2], y_low=[95, 190], y_high=[105, np.inf])
    few = "No more points between two loads than parameters: all curves within the intervals fit alike, and nothing "
    few += "shows how tests scatter. With a sigma of a tenth of their width, intervals are the range of these curves."
    assert alone.headline().endswith(f"Error model: lognormal. {few}")
    assert alone.tidy()["reason"][0] == few
    for sigma, off in ((0.01, 0.012), (1e-4, 1e-3), (1e-6, 1e-3)):
        within = fit("linear", x=[1, 2], y_low=[95, 190], y_high=[105, np.inf], sigma=sigma).tidy()
        assert within[["low", "high"]].to_numpy()[0] == pytest.approx((95, 105), rel=off)


def test_it_answers_as_any_other_fit():
    """Tables with described columns, forecasts, a picture, a stated sigma; a curve through all intervals says so."""
    low, high = between("amdahl", 0.002, 0.1, seed=1)
    found = fit("amdahl", x=X, y_low=low, y_high=high)
    assert "the curve passes through the intervals" in found.glance()["note"][0]
    assert found.glance()["reason"][0].startswith("rmse, log_error,")
    assert "by likelihood through 8 points: 7 between two loads, 1 with one end" in str(found)
    row = found.predict([32]).iloc[0]
    assert row["obs_low"] < row["mean_low"] < row["predicted"] < row["mean_high"] < row["obs_high"]
    assert found.augment()["residual"].isna().all()
    assert found.plot().get_xlabel() == "x"
    given = fit("amdahl", x=X, y_low=low, y_high=high, sigma=0.03)
    assert (given.sigma, given.residual_sd, given.error_from) == (0.03, 1.0, "given")
    two = fit("amdahl", x=X[:2], y_low=low[:2], y_high=high[:2])
    assert two.tidy()[["low", "high"]].isna().all(axis=None)
    assert "nothing shows how tests scatter" in two.headline()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y_high": None}, "expected both, found one"),
        ({"y": "low"}, "expected no other column of y, found y"),
        ({"y_err": [1] * 8}, "found y_err"),
        ({"error": "auto"}, "Say whether the error is relative or constant"),
        ({"y_low": "high", "y_high": "low"}, r"row 1: expected y_low not above y_high, found"),
        ({"y_high": "never"}, r"expected at least 3 points with different x that have two ends, .* found 0"),
    ],
)
def test_what_cannot_be(change, message):
    """Each is refused with what was expected, what was found and what to do."""
    low, high = between("usl", 0.03, 0.06, seed=1)
    frame = pd.DataFrame({"processors": X, "low": low, "high": high, "never": np.inf})
    with pytest.raises(DominoperfError, match=message):
        fit("usl", frame, **{"y_low": "low", "y_high": "high"} | change)


def test_what_other_functions_refuse():
    """A simulation and a bootstrap have no points to work with."""
    low, high = between("usl", 0.03, 0.06, seed=1)
    for simulate in (
        lambda: compare(["linear", "usl"], x=X, y_low=low, y_high=high),
        lambda: bootstrap(fit("usl", x=X, y_low=low, y_high=high), 10),
    ):
        with pytest.raises(DominoperfError, match="expected points, found capacities between two loads"):
            simulate()


def test_the_command_line(tmp_path, capsys):
    """--y-low and --y-high, with an empty cell for a load that was never tried."""
    low, high = between("usl", 0.03, 0.06, seed=1)
    frame = pd.DataFrame({"cpus": X, "passed": low, "failed": np.where(np.isinf(high), np.nan, high)})
    frame.to_csv(tmp_path / "tests.csv", index=False)
    columns = ["--x", "cpus", "--y-low", "passed", "--y-high", "failed", "--at", "32"]
    assert main(["fit", "amdahl", str(tmp_path / "tests.csv"), *columns]) == 0
    assert "7 between two loads, 1 with one end" in " ".join(capsys.readouterr().out.split())
