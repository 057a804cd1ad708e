"""How good a fit is: leave-one-out error, nested test, information criterion, and why one of them is unknown."""

import functools
from dataclasses import replace

import numpy as np
import pandas as pd

from dominoperf.fitting import lack_of_fit


def glance(fit):
    """Return one row on the whole fit, each statistic as the function of its name has it.

    Returns
    -------
    DataFrame
        law, n, n_params (those sought), dof, rmse, log_error, loo_log_error, f_test_p, aicc, error_model (relative or
        constant), error_from, at_bound (names of parameters on a bound), reason (why a number is NaN).
    """
    reasons, residual = [], fit.augment()["residual"]
    known = functools.partial(_known, rule=fit.error_from == "rule", reasons=reasons)
    row = {
        "law": fit.law.name,
        "n": len(residual),
        "n_params": int(fit.curves.free.sum()),
        "dof": fit.dof,
        "rmse": known(rmse(fit), "rmse: no residual degrees of freedom"),
        "log_error": known(log_error(fit), "log_error: a value is not above zero"),
        "loo_log_error": known(
            leave_one_out(fit), "loo_log_error: without some point the others do not tell the parameters"
        ),
        "f_test_p": known(nested_test(fit), "f_test_p: no simpler law, or no error to judge by"),
        "aicc": known(aicc(fit), "aicc: needs n > p + 2 and a residual"),
        "error_model": fit.curves.error,
        "error_from": fit.error_from,
        "at_bound": ", ".join(name for name, on in zip(fit.law.names, fit.on_bound, strict=True) if on),
    }
    return pd.DataFrame([row | {"reason": "; ".join(dict.fromkeys(filter(None, reasons)))}])


def rmse(fit):
    """``sqrt(sum((y - fitted)²) / dof)`` in units of y, unweighted whatever the error model; NaN without any dof."""
    return float(np.sqrt(np.sum(fit.augment()["residual"] ** 2) / fit.dof)) if fit.dof else np.nan


def log_error(fit):
    """Root mean square of ln(fitted / observed)."""
    return _log_error(fit.curve(fit.points[0]), fit.points[1])


def leave_one_out(fit):
    """Root mean square of ln(forecast / observed) when each point in turn is left out.

    NaN when some point cannot be left out, because the others do not tell the parameters.
    """
    forecasts = left_out(fit.curves, fit.params)
    return np.nan if forecasts is None else _log_error(forecasts, fit.points[1])


def left_out(curves, params):
    """Forecast each point of one curve from the others; None when these have too few different x.

    NaN where the law finds no best curve through the others: its scale runs off to infinity.
    """
    x, count = curves.x[:, 0], len(curves.x)
    rest = [len(np.unique(np.delete(x, k))) for k in range(count)]
    if min(rest) < curves.free.sum():
        return None
    weights = curves.weights * (1 - np.eye(count))
    others = replace(curves, y=np.repeat(curves.y, count, 1), weights=weights)
    best, _, converged = others.solve(np.repeat(params[:, None], count, axis=1))
    forecasts = np.diagonal(curves.law.function(curves.x, *best) * np.ones((count, count)))
    return np.where(converged, forecasts, np.nan)


def nested_test(fit):
    """P value of the simpler law: the law with one parameter held where it becomes that.

    It is halved where that value is a bound: the gain is then zero half the time (a mixture with chi-squared 0).
    """
    law = fit.law
    if not law.reduces or not np.isfinite(fit.spread) or law.reduces[1] in fit.curves.fixed:
        return np.nan
    _, name, value = law.reduces
    if fit.params[law.names.index(name)] == value:
        return 1.0
    return lack_of_fit.nested(fit, _held_squares(fit, name, value), {name: value})


def _held_squares(fit, name, value):
    """The least sum of squares with one parameter held."""
    held = replace(fit.curves, fixed=fit.curves.fixed | {name: value})
    return float(held.solve()[1][0])


def aicc(fit):
    """Corrected Akaike information criterion ``n ln(S / n) + 2 k + 2 k (k + 1) / (n - k - 1)``, S weighted squares.

    k counts the parameters sought and the error variance, as R does; constants are left out, so only laws fitted to
    the same points with the same error model compare. NaN for n <= k + 1, or where S is the arithmetic's.
    """
    n, k = len(fit.points[0]), int(fit.curves.free.sum()) + 1
    if n - k - 1 <= 0 or fit.exact:
        return np.nan
    return n * np.log(fit.squares / n) + 2 * k + 2 * k * (k + 1) / (n - k - 1)


def _log_error(forecast, observed):
    """NaN where a logarithm does not exist."""
    ratio = np.asarray(forecast) / observed
    return float(np.sqrt(np.mean(np.log(ratio) ** 2))) if (ratio > 0).all() else np.nan


def _known(value, why, *, rule, reasons):
    """A statistic, or NaN with the reason: of points that follow a published rule none has a meaning."""
    if rule or value != value:
        reasons.append("a published rule: nothing to judge a fit by" if rule else why)
        return np.nan
    return value
