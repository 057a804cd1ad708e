"""How good a fit is: leave-one-out error, nested F test, AICc; and whether a stated error or repeats refute the law.

A law that holds leaves nothing but noise. How large the noise is has to be known from elsewhere. S is the weighted sum
of squares, d the residual degrees of freedom:

=====================================  ====================================  ================
What the law is tested against         Statistic                             Compared with
=====================================  ====================================  ================
repeats at the same x (pure error e)   ``(S - S_e) / (d - d_e) / s_e^2``     F(d - d_e, d_e)
a stated sigma                         ``S / sigma^2``                       chi-squared(d)
an error stated with each point        ``S = sum((residual / y_err)^2)``     chi-squared(d)
errors that rest on d_e repeats        ``S / d``                             F(d, d_e)
=====================================  ====================================  ================

d counts a parameter on its bound as not sought, for the points did not choose its value. The p value of a law is the
least of its tests times their number (Bonferroni). Other laws test it in `dominoperf.fitting.law_tests`. A law that is
not refuted is not shown to hold.

Sources: nested models and pure error, Draper and Smith, Applied Regression Analysis, 1998; one parameter on its bound,
whose p value is halved, Self and Liang, JASA 82, 1987.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

if TYPE_CHECKING:
    from dominoperf.fitting.result import Fit  # which imports this module

SIGMA, Y_ERR, REPEATS = "sigma", "y_err", "repeats"
_STEPS = 200  # of a search without one point, which begins next to its answer; one that goes on runs off to infinity
_MOST_POINTS_SEARCHED = 500  # points from which on none is left out by a search of its own
_OUTLYING = 0.005  # p value below which a point is told to lie apart: once in 200 fits without one, at most
_ROUNDING = 1e-12  # a gain below this share of the sum of squares is the arithmetic's
_RULE = "a published rule: nothing to judge a fit by"


def glance_of_fit(fit: "Fit") -> pd.DataFrame:
    """Return one row on the whole fit, each statistic as the function of its name has it.

    Returns
    -------
    DataFrame
        law, n, n_params (those fitted), dof, rmse, log_error, loo_log_error, f_test_p, aicc, error_model (relative,
        constant, a power or given per point), error_test_p (whether the residuals contradict it:
        `error_models.residual_trend`), error_from, level (of every interval), params_at_bound (their
        names), note (why the error model was chosen, or what contradicts it), reason (why a number is NaN).
    """
    (x, y), left_out = fit.points, fit.left_out_forecasts
    rows = fit.curves.repeats and fit.curves.repeats.rows
    untested = "means are not tested" if rows else "no two residual degrees of freedom, or errors that are known"
    statistics = {
        "rmse": (fit.curves.rmse(fit.estimates[:, None])[0], "rmse: no residual degrees of freedom"),
        "log_error": (log_error(fit.curve(x), y), "log_error: a value is not above zero"),
        "loo_log_error": (
            np.nan if left_out is None else log_error(left_out, y),
            "loo_log_error: without some point the others do not tell the parameters",
        ),
        "f_test_p": (nested_test(fit), "f_test_p: no simpler law, or no error to judge by"),
        "aicc": (aicc(fit), f"aicc: needs n > p + {'1' if fit.sigma_given else '2 and a residual'}"),
        "error_test_p": (fit.trend.p, f"error_test_p: {untested}"),
    }  # fmt: skip
    row: dict[str, Any] = {"law": fit.law.name, "n": len(x), "n_params": int(fit.curves.free.sum()), "dof": fit.dof}
    if fit.error_from == "rule":  # of points that follow a published rule no statistic has a meaning
        row |= dict.fromkeys(statistics, np.nan)
        reasons = [_RULE]
    else:
        row |= {name: value for name, (value, _) in statistics.items()}
        reasons = [why for value, why in statistics.values() if value != value]
    noise = fit.curves.repeats or fit.curves
    model = f"power {noise.power:g}" if noise.error == "power" else noise.error
    row = {**row, "error_model": model, "error_test_p": row.pop("error_test_p"), "error_from": fit.error_from}
    row["level"] = fit.level
    row["params_at_bound"] = fit.curves.names_on_bound(fit.estimates[:, None])[0]
    return pd.DataFrame([row | {"note": fit.note, "reason": "; ".join(reasons)}])


def log_error(forecast, observed):
    """Return the root mean square of ln(forecast / observed); NaN where a logarithm does not exist."""
    if not (observed > 0).all():
        return np.nan
    ratio = np.asarray(forecast) / observed
    return float(np.sqrt(np.mean(np.log(ratio) ** 2))) if (ratio > 0).all() else np.nan


def forecasts_of_left_out_points(curves, params):
    """Return the forecast of each point of one curve from the others; None when these have too few different x.

    NaN where the law finds no best curve through the others. Of more than 500 points the residual is divided by 1 - h,
    h the leverage: one step of Gauss and Newton, exact for a law that is linear.
    """
    count, (different, runs) = len(curves.x), np.unique(curves.x[:, 0], return_counts=True)
    if len(different) - (runs.min() == 1) < curves.free.sum():
        return None
    if count > _MOST_POINTS_SEARCHED:
        at = params[:, None]
        inside = curves.inside(at)[:, 0]
        hat = np.linalg.qr(curves.jacobian(at)[inside, :, 0].T)[0]
        return curves.y[:, 0] + curves.residuals(at)[:, 0] / (1 - np.sum(hat**2, axis=1)) / curves.weights[:, 0]
    best, _, converged = _fits_without_each_point(curves, params)
    forecasts = np.diagonal(curves.law.function(curves.x, *best) * np.ones((count, count)))
    return np.where(converged, forecasts, np.nan)


def _fits_without_each_point(curves, params):
    """The parameters (parameters x points) without each point of a curve, sums of squares, and which are found."""
    count = len(curves.x)
    others = replace(curves, y=np.repeat(curves.y, count, 1), weights=curves.weights * (1 - np.eye(count)))
    return others.solve(np.repeat(params[:, None], count, axis=1), steps=_STEPS)


def outlying_point(fit):
    """Return the number of the point that all others contradict, and the residual standard deviation of these, or None.

    It is the greatest deleted residual, ``t^2 = (S - S_i) / (S_i / (d - 1))`` with S_i the sum of squares without that
    point: F(1, d - 1), its p value times the number of points (Cook and Weisberg, Residuals and Influence, 1982).
    """
    count = len(fit.points[0])
    told_by_residuals = fit.error_from == "residuals" and not fit.curves.repeats and not fit.exact
    if not told_by_residuals or fit.dof < 2 or count > _MOST_POINTS_SEARCHED:
        return None
    _, squares, converged = _fits_without_each_point(fit.curves, fit.estimates)
    squares = np.where(converged, np.maximum(squares, _ROUNDING * fit.squares), np.inf)
    point = int(squares.argmin())
    without = squares[point] / (fit.dof - 1)
    p = count * special.fdtrc(1, fit.dof - 1, max(fit.squares - squares[point], 0.0) / without)
    return (point, float(np.sqrt(without))) if p < _OUTLYING else None


def nested_test(fit):
    """Return the p value of the simpler law: the law with one parameter held where it becomes that.

    It is halved where that value is a bound: the gain is then zero half the time (a mixture with chi-squared 0).
    """
    law, curves = fit.law, fit.curves
    if not law.reduces or not np.isfinite(fit.residual_sd) or law.reduces[1] in curves.fixed:
        return np.nan
    _, name, value = law.reduces
    k = law.names.index(name)
    if fit.estimates[k] == value:
        return 1.0
    squares = float(replace(curves, fixed=curves.fixed | {name: value}).solve()[1][0])
    gain = squares - fit.squares
    if gain <= _ROUNDING * squares:
        return 1.0
    ratio = gain / fit.residual_sd**2
    if fit.sigma_given and not curves.repeats:
        p = float(special.chdtrc(1, ratio))
    else:
        p = float(special.fdtrc(1, curves.repeats.dof if curves.repeats else fit.dof, ratio))
    return p / 2 if curves.bounded and value in (law.params[k].low, law.params[k].high) else p


def aicc(fit):
    """Return the corrected Akaike information criterion ``D + 2 k + 2 k (k + 1) / (n - k - 1)``.

    D is minus twice the log-likelihood, but for constants: only laws fitted to the same points with the same error
    model compare. S is the weighted sum of squares, k counts the parameters fitted:

    ==========================================  ==========================  =========================================
    The errors                                  D                           k
    ==========================================  ==========================  =========================================
    are told by the residuals                   ``n ln(S / n)``             also the variance, as in R
    are known: a sigma s, or one of each point  ``S / s^2``
    rest on d repeats                           ``(n + d) ln(1 + S / d)``   (the scale integrated out: Student's t)
    ==========================================  ==========================  =========================================

    NaN for n <= k + 1, and where the residuals are to tell the errors and are the arithmetic's.
    """
    n, k = len(fit.points[0]), int(fit.curves.free.sum()) + (not fit.sigma_given)
    if n - k - 1 <= 0 or (fit.exact and not fit.sigma_given):
        return np.nan
    if not fit.sigma_given:
        deviance = n * np.log(fit.squares / n)
    elif np.isfinite(freedom := fit.interval_dof):
        deviance = (n + freedom) * np.log1p(fit.squares / freedom)
    else:
        deviance = fit.squares / fit.residual_sd**2
    return deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1)


def strongest_test(fit):
    """Return the strongest test of a law that needs no other law, and the p value: the least times their number.

    The test is "sigma", "y_err" or "repeats"; "" and NaN where there is none.
    """
    tests = tests_without_rival(fit, fit.curves, fit.estimates[:, None], np.array([fit.squares]))
    if not tests:
        return "", np.nan
    by, p = min(tests, key=lambda test: test[1][0])
    return by, min(1.0, len(tests) * float(p[0]))


def tests_without_rival(fit, curves, params, squares):
    """Return the tests of a fitted law that need no other law, for points or sets of points: what by, and all p."""
    if fit.error_from == "rule":
        return []
    tests, freedom = [], curves.test_dof(params)
    pure = p_value_of_repeats(curves, squares, freedom)
    if pure is not None:
        tests.append((REPEATS, pure))
    if fit.sigma_given and fit.test_dof + len(curves.x) - len(fit.curves.x):
        freedom = np.maximum(freedom, 1)
        if curves.repeats is not None:
            by = REPEATS if curves.repeats.rows else Y_ERR
            tests.append((by, special.fdtrc(freedom, curves.repeats.dof, squares / freedom)))
        else:
            by = SIGMA if fit.y_err is None else Y_ERR
            tests.append((by, special.chdtrc(freedom, squares / fit.residual_sd**2)))
    return tests


def p_value_of_repeats(curves, squares, freedom):
    """Return the p value of each curve by points that share an x, which have the same x in every curve.

    None where no points do, or they agree to the last digit, and so show no noise; `freedom` is the residual degrees of
    freedom of each curve.
    """
    _, group, runs = np.unique(curves.x[:, 0], return_inverse=True, return_counts=True)
    dof = len(group) - len(runs)
    if not dof:
        return None
    weights, order, starts = curves.weights**2, np.argsort(group, kind="stable"), np.cumsum(runs) - runs
    sums, total = (np.add.reduceat(each[order], starts, axis=0) for each in (weights * curves.y, weights))
    means = sums / total
    pure = np.sum(weights * (curves.y - means[group]) ** 2, axis=0)
    rest = freedom - dof
    if (rest <= 0).all() or curves.exact(pure).all():
        return None
    with np.errstate(all="ignore"):
        ratio = np.maximum(squares - pure, 0.0) / rest / (pure / dof)
    p = special.fdtrc(np.maximum(rest, 1), dof, ratio)
    return np.where((rest > 0) & ~curves.exact(pure) & np.isfinite(p), p, 1.0)
