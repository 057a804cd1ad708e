"""How the noise of points grows with the value: a test of the assumed model, and a choice by likelihood.

The standard deviation of a point is ``s f(x)^p``: p = 0 is a constant error, p = 1 a relative one.

**Test.** With r the weighted residuals under the assumed p, z the centred logarithms of the fitted curve and M = I - H
the residual projection of the weighted Jacobian, the statistic is

``T = sum(z r^2) / sum(r^2)``

It is the score test of p against all other powers (Cook and Weisberg, Biometrika 70, 1983). If the model holds,
``P(T > t) = P(sum((l_j - t) g_j^2) > 0)`` with l the eigenvalues of M diag(z) M on the residual space and g standard
normal, which Imhof's integral gives exactly (Biometrika 48, 1961) for a law that is linear in its parameters. Of very
many points the moments of T are known and T is normal.

**Choice.** The restricted likelihood of p, with S the sum of squares under weights ``f^-p`` scaled to a geometric mean
of 1, W these weights, J the Jacobian and d the residual degrees of freedom, is

``l(p) = -(d / 2) ln S - (1 / 2) ln det(J' W^2 J)``

(Patterson and Thompson, Biometrika 58, 1971). Of constant and relative errors the likelier is taken where it is more
than five times as likely as the other; a fitted power where it gains on both more than one parameter may by chance
(1.92, half the 5 % point of chi-squared on 1). Else the points cannot choose, and the law's own model stays.
`tests/fitting/test_error_models.py` simulates how often test and choice are wrong.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import special

from dominoperf.errors import counted
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, IN_PROPORTION

AUTO = "auto"
MODELS = ("relative", "constant")
FALSE_ALARMS = 0.04  # how often the test may accuse a model that holds
_ODDS = 5.0  # so many times as likely, one of two models is chosen; a wrong one is then chosen in 2 to 7 %
_GAIN = 1.92  # of the log-likelihood, by a fitted power
_POWERS = np.linspace(0.0, 2.0, 21)  # constant to twice as fast as the value
_STEPS = 200  # of a search with other weights, which begins next to its answer
_NOTHING = 1e-9  # of values: a difference below it is the arithmetic's
_POINTS_FOR_NORMAL = 200  # points from which on T is taken as normal
_NODES, _SHARES = np.polynomial.legendre.leggauss(120)  # of Imhof's integral, to three digits


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
        above = _normal_probability(observed, first, second, d)
    else:
        projection = np.eye(len(z)) - hat @ hat.T
        of_fit = 1e6 * hat @ hat.T  # moves the zeros of the fitted directions above the others: the first d are wanted
        spectrum = np.linalg.eigvalsh(projection @ (z[:, None] * projection) + of_fit)[:d]
        above = _imhof_probability(spectrum - observed)
    return Trend(min(1.0, 2 * min(above, 1 - above)), above < 0.5)


def _normal_probability(observed, first, second, d):
    """The probability that T is above what was observed, by the sums of the eigenvalues and of their squares."""
    variance = 2 * (d * second - first**2) / (d**2 * (d + 2))
    return float(special.ndtr(-(observed - first / d) / np.sqrt(variance)))


def _imhof_probability(weights):
    """The probability that a sum of squares of standard normals with these weights is above zero: Imhof's integral."""
    v, share = (_NODES + 1) / 2, _SHARES / 2  # from zero to infinity: u = v up to 1, and beyond u = 1 / v
    u, share = np.r_[v, 1 / v], np.r_[share, share / v**2]
    angles = np.outer(u, weights / np.abs(weights).max())
    parts = np.sin(np.arctan(angles).sum(axis=1) / 2) / (u * np.prod((1 + angles**2) ** 0.25, axis=1))
    return float(np.clip(0.5 + parts @ share / np.pi, 0.0, 1.0))


def choose_error_model(curves):
    """Return the error model that the points of one curve choose, or the law's own, which it comes with."""
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
    return stays._replace(why=f"the law's own, for the residuals choose none: {name} is {why}")


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
