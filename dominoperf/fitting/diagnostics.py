"""What points say of one fit: how well it forecasts, whether the law holds, and whether its error model does.

**Law.** A law that holds leaves nothing but noise. How large the noise is has to be known from elsewhere. S is the
weighted sum of squares, d the residual degrees of freedom:

=====================================  ====================================  ================
What the law is tested against         Statistic                             Compared with
=====================================  ====================================  ================
repeats at the same x (pure error e)   ``(S - S_e) / (d - d_e) / s_e^2``     F(d - d_e, d_e)
a stated sigma                         ``S / sigma^2``                       chi-squared(d)
an error stated with each point        ``S = sum((residual / y_err)^2)``     chi-squared(d)
errors that rest on d_e repeats        ``S / d``                             F(d, d_e)
=====================================  ====================================  ================

d counts a parameter on its bound as not sought, for the points did not choose its value. The p value of a law is the
least of its tests times their number (Bonferroni). Other laws test it in `model_selection`. A law that is not refuted
is not shown to hold.

Sources: nested models and pure error, Draper and Smith, Applied Regression Analysis, 1998; one parameter on its bound,
whose p value is halved, Self and Liang, JASA 82, 1987.

**Error model.** The standard deviation of a point is ``s f(x)^p``: p = 0 is a constant error, p = 1 a relative one.

*Test.* With r the weighted residuals under the assumed p, z the centred logarithms of the fitted curve and M = I - H
the residual projection of the weighted Jacobian, the statistic is

``T = sum(z r^2) / sum(r^2)``

It is the score test of p against all other powers (Cook and Weisberg, Biometrika 70, 1983). If the model holds,
``P(T > t) = P(sum((l_j - t) g_j^2) > 0)`` with l the eigenvalues of M diag(z) M on the residual space and g standard
normal, which Imhof's integral gives exactly (Biometrika 48, 1961) for a law that is linear in its parameters. Of very
many points the moments of T are known and T is normal.

*Choice.* The restricted likelihood of p, with S the sum of squares under weights ``f^-p`` scaled to a geometric mean
of 1, W these weights, J the Jacobian and d the residual degrees of freedom, is

``l(p) = -(d / 2) ln S - (1 / 2) ln det(J' W^2 J)``

(Patterson and Thompson, Biometrika 58, 1971). Of constant and relative errors the likelier is taken where it is more
than five times as likely as the other; a fitted power where it gains on both more than one parameter may by chance
(1.92, half the 5 % point of chi-squared on 1). Else the points cannot choose, and the square root is taken, p = 1/2:
between the two, and what counts have. With fewer than two degrees of freedom the law's own model stays.
`tests/fitting/test_error_models.py` simulates how often test and choice are wrong.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import special

from dominoperf.errors import UnknownName, counted
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, IN_PROPORTION

SIGMA, Y_ERR, REPEATS = "sigma", "y_err", "repeats"
# Of a search without one point, or with other weights, which begins next to its answer; one that goes on runs off.
_STEPS = 200
_MOST_POINTS_SEARCHED = 500  # points from which on none is left out by a search of its own
_OUTLYING = 0.005  # p value below which a point is told to lie apart: once in 200 fits without one, at most
_ROUNDING = 1e-12  # a gain below this share of the sum of squares is the arithmetic's
AUTO = "auto"
BETWEEN = 0.5  # the power between a constant error and a relative one: that of counts
MODELS = ("relative", "constant")
FALSE_ALARMS = 0.04  # how often the test may accuse a model that holds
_ODDS = 5.0  # so many times as likely, one of two models is chosen, else their middle; a wrong one in 2 to 7 %
_GAIN = 1.92  # of the log-likelihood, by a fitted power
_POWERS = np.linspace(0.0, 2.0, 21)  # constant to twice as fast as the value
_NOTHING = 1e-9  # of values: a difference below it is the arithmetic's
_POINTS_FOR_NORMAL = 200  # points from which on T is taken as normal
_NODES, _SHARES = np.polynomial.legendre.leggauss(120)  # of Imhof's integral, to three digits


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
    pure = _p_value_of_repeats(curves, squares, freedom)
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


def _p_value_of_repeats(curves, squares, freedom):
    """The p value of each curve by points that share an x, which have the same x in every curve.

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


def check_error_model(error, more=()):
    """Refuse an error model that does not exist, or is not among `more`; None means the law's own."""
    models = (*MODELS, *more)
    if error not in (None, *models):
        raise UnknownName.among("error", error, models)


class ErrorModelChoice(NamedTuple):
    """An error model: relative, constant or power; its power; why it was taken, in words."""

    error: str
    power: float
    why: str


class Trend(NamedTuple):
    """Whether squared residuals grow otherwise than assumed: two-sided p value, NaN if untested; whether faster."""

    p: float
    faster: bool


UNTESTED = Trend(np.nan, False)


def residual_trend(curves, params) -> Trend:
    """Return whether the residuals of one curve contradict its error model, at its best parameters.

    Untested with fewer than two residual degrees of freedom, where the curve passes through every point or goes through
    zero, or where each point came with its own error.
    """
    params = np.asarray(params, float)[:, None]
    residuals, values = curves.residuals(params)[:, 0], _fitted_values(curves, params)
    inside, d = curves.inside(params)[:, 0], curves.test_dof(params)[0]
    stated = curves.error in (GIVEN_PER_POINT, IN_PROPORTION)
    untold = stated or d < 2 or not (values > 0).all() or curves.exact(np.sum(residuals**2))[0]
    if untold or np.ptp(values) <= _NOTHING * values.max():
        return UNTESTED
    z = np.log(values)
    z -= z.mean()
    columns = curves.jacobian(params)[inside, :, 0].T
    size = np.linalg.norm(columns, axis=0)
    hat, _ = np.linalg.qr(columns / np.where(size > 0, size, 1.0))
    projected = residuals - hat @ (hat.T @ residuals)
    observed = np.sum(z * projected**2) / np.sum(projected**2)
    if len(z) > _POINTS_FOR_NORMAL:
        leverage, inner = np.sum(hat**2, axis=1), hat.T @ (z[:, None] * hat)
        first, second = np.sum(z * (1 - leverage)), np.sum(z**2 * (1 - 2 * leverage)) + np.sum(inner**2)
        variance = 2 * (d * second - first**2) / (d**2 * (d + 2))  # of T, from sums of the eigenvalues and squares
        above = float(special.ndtr((first / d - observed) / np.sqrt(variance)))
    else:
        projection = np.eye(len(z)) - hat @ hat.T
        of_fit = 1e6 * hat @ hat.T  # moves the zeros of the fitted directions above the others: the first d are wanted
        spectrum = np.linalg.eigvalsh(projection @ (z[:, None] * projection) + of_fit)[:d]
        above = _imhof_probability(spectrum - observed)
    return Trend(min(1.0, 2 * min(above, 1 - above)), above < 0.5)


def _imhof_probability(weights):
    """The probability that a sum of squares of standard normals with these weights is above zero: Imhof's integral."""
    v, share = (_NODES + 1) / 2, _SHARES / 2  # from zero to infinity: u = v up to 1, and beyond u = 1 / v
    u, share = np.r_[v, 1 / v], np.r_[share, share / v**2]
    angles = np.outer(u, weights / np.abs(weights).max())
    parts = np.sin(np.arctan(angles).sum(axis=1) / 2) / (u * np.prod((1 + angles**2) ** 0.25, axis=1))
    return float(np.clip(0.5 + parts @ share / np.pi, 0.0, 1.0))


def choose_error_model(curves):
    """Return the error model that the points of one curve choose; without two degrees of freedom that it comes with."""
    error = curves.error
    stays = ErrorModelChoice(error, curves.power, "")
    if not (curves.y > 0).all():
        return ErrorModelChoice("constant", 0.0, "a value is not above zero")
    params, squares, converged = curves.solve()
    d = int(curves.test_dof(params)[0])
    if d < 2:
        few = counted(d, "residual degree")
        return stays._replace(why=f"the law's own, for {few} of freedom choose none")
    values = _fitted_values(curves, params)
    if not converged[0] or curves.exact(squares)[0] or not (values > 0).all():
        return stays._replace(why="the law's own, for the residuals show no noise")
    likelihood = _restricted_log_likelihood(curves, params, values)
    constant, relative = likelihood[0], likelihood[np.searchsorted(_POWERS, 1.0)]
    best = int(np.argmax(likelihood))
    if not np.isfinite(likelihood[best]):
        return stays._replace(why="the law's own, for no model has a likelihood")
    if likelihood[best] - max(constant, relative) > _GAIN:
        times = _odds_in_words(likelihood[best] - max(constant, relative))
        power = float(round(_POWERS[best], 2))
        why = f"{times} times as likely by the residuals as a relative or a constant error"
        return ErrorModelChoice("power", power, why)
    gain = relative - constant
    name, other = ("relative", "constant") if gain > 0 else ("constant", "relative")
    why = f"{_odds_in_words(abs(gain))} times as likely by the residuals as a {other} one"
    if abs(gain) > np.log(_ODDS):
        return ErrorModelChoice(name, float(name == "relative"), why)
    why = f"for the residuals do not tell a relative error from a constant one: {name} is {why}, {_ODDS:g} are asked"
    return ErrorModelChoice("power", BETWEEN, why)


def _restricted_log_likelihood(curves, params, values):
    """The restricted log-likelihood of each power, up to a constant; the fitted values are the law's own fit."""
    shape = values / np.exp(np.mean(np.log(values)))
    columns = np.zeros(len(_POWERS), int)
    tried = replace(curves.take(columns), weights=shape[:, None] ** -_POWERS, error="constant", power=0.0)
    best, squares, _ = tried.solve(params[:, columns], steps=_STEPS)
    inside = tried.inside(best)
    jacobian = np.where(inside[:, None], tried.jacobian(best), 0.0).transpose(2, 1, 0)
    size = np.abs(jacobian).max(axis=(0, 1))
    jacobian = jacobian / np.where(size > 0, size, 1.0)
    normal = jacobian.transpose(0, 2, 1) @ jacobian + np.eye(len(best)) * ~inside.T[:, None]
    d = tried.test_dof(best)
    likelihood = -(d / 2) * np.log(squares) - np.linalg.slogdet(normal)[1] / 2
    # Where another parameter meets its bound the degrees of freedom change, and likelihoods no longer compare.
    return np.where((inside == inside[:, :1]).all(axis=0) & np.isfinite(likelihood), likelihood, -np.inf)


def _fitted_values(curves, params):
    return np.broadcast_to(curves.law.function(curves.x, *params), curves.y.shape)[:, 0].astype(float)


def _odds_in_words(gain):
    odds = np.exp(min(gain, np.log(1000)))
    return "over 1,000" if odds > 999 else f"{odds:.2g}"
