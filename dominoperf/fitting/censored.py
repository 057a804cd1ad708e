"""Fits to capacities that are known between two loads, or only from below: maximum likelihood.

A capacity lies between the last load that passed and the next that did not, or above the last load that was tried.
With m the curve and a, b the limits of a point (all as logarithms where the error is relative, which makes it
lognormal; as they are where it is constant, which makes it normal), Phi the normal distribution and s the standard
deviation, `sigma` in the code, a point adds

=====================  ==================================
exact, a = b           ``ln phi((a - m) / s) - ln s``
between a and b        ``ln(Phi((b - m) / s) - Phi((a - m) / s))``
above a                ``ln Phi((m - a) / s)``
below b                ``ln Phi((b - m) / s)``
=====================  ==================================

to the log-likelihood. At a given s the signed root of twice what a point loses against its best m is a residual, so
that the least-squares engine, its profiles and its regions serve: the sum of their squares is the deviance. s is the
one of the greatest likelihood; but not below a share of the usual interval, for where a curve passes through every
interval the likelihood goes on rising towards s = 0. As with residuals, s^2 is enlarged by m / (m - p) for intervals:
m exact and two-sided points, p parameters. Standard errors are from the observed information at that s.

Sources: likelihood of censored samples, Meeker and Escobar, Statistical Methods for Reliability Data, 1998, chapter 2;
deviance residuals, McCullagh and Nelder, Generalized Linear Models, 1989, section 2.4.
"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import special

from dominoperf.errors import CannotFit, capitalized, spelling
from dominoperf.fitting.diagnostics import AUTO, UNTESTED
from dominoperf.fitting.fit import check_size_of_noise, weighted_curves_of_points
from dominoperf.fitting.least_squares import Curves
from dominoperf.fitting.points import read_points
from dominoperf.fitting.result import Fit
from dominoperf.fitting.summary import FEW_BETWEEN, origin_of_errors_in_words
from dominoperf.tables.rendering import percent

_LEAST_SIGMA_SHARE = (
    0.15  # of the median interval: the least sigma; with 0.1 intervals cover too little, with 0.25 too much
)
_LEAST_SIGMA_OF_EXACT = 1e-6  # sigma where there are only exact points, in logarithms or as a share of the largest
_GREATEST_SIGMA = 3.0  # in logarithms, or times the largest end
_TRIED = 25  # values of sigma, evenly spaced in the logarithm
_NARROWER = 2  # times as many between the neighbours of the best: to a thousandth, before a parabola gives the least
_SEARCH = 80  # steps at most for each sigma tried
_NEAR = 1e-6  # a residual so small is replaced by its slope
_STEP = 1e-4  # of a parameter, for the second derivative of the deviance
CENSORED = "likelihood"


@dataclass(frozen=True)
class CensoringLimits:
    """The two limits of each point on the scale of the error, points × 1; infinite where there is none."""

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray
    logs: bool  # whether the limits are logarithms, for a relative error

    @property
    def exact(self):
        """Whether a point has no width."""
        return self.low == self.high

    @property
    def two_sided(self):
        """Whether a point is known between two loads."""
        return np.isfinite(self.low) & np.isfinite(self.high) & ~self.exact

    @property
    def informative(self):
        """Whether a point is exact or two-sided, and so says how large the noise is."""
        return self.exact | self.two_sided

    def middle(self):
        """Return a value of each point, in the unit of y: the middle, or the one end that there is."""
        low, high = (np.where(np.isfinite(end), end, other) for end, other in ((self.low, self.high),
                                                                               (self.high, self.low)))  # fmt: skip
        middle = (low + high) / 2
        return np.exp(middle) if self.logs else middle

    def residuals(self, curve, sigma):
        """Return the signed roots of the deviance, points × curves, and their derivatives by the curve."""
        m, m_slope = (np.log(curve), 1 / curve) if self.logs else (curve, 1.0)
        m, sigma = np.broadcast_arrays(m, sigma)
        with np.errstate(all="ignore"):
            residuals = np.where(self.exact, (m - self.low) / sigma, 0.0)
            slope = np.where(self.exact, 1 / sigma, 0.0)
            for limit, other_limit, sign in ((self.low, self.high, -1), (self.high, self.low, 1)):
                u = -sign * (m - limit) / sigma
                root = np.sqrt(-2 * special.log_ndtr(u))
                u_slope = np.exp(-(u**2) / 2 - special.log_ndtr(u)) / np.sqrt(2 * np.pi) / sigma
                one_sided = np.isfinite(limit) & ~np.isfinite(other_limit)
                residuals = np.where(one_sided, sign * root, residuals)
                slope = np.where(one_sided, np.where(root > 1e-8, u_slope / root, 0.0), slope)
            # Between two loads
            before, after = (self.low - m) / sigma, (self.high - m) / sigma
            flipped = before > 0
            inside = _log_between(np.where(flipped, -after, before), np.where(flipped, -before, after))
            half = (self.high - self.low) / (2 * sigma)
            most = _log_between(-half, half)
            root = np.sign(m - (self.low + self.high) / 2) * np.sqrt(np.maximum(2 * (most - inside), 0.0))
            fall = (np.exp(-(after**2) / 2 - inside) - np.exp(-(before**2) / 2 - inside)) / np.sqrt(2 * np.pi) / sigma
            middle = np.sqrt(2 * half * np.exp(-(half**2) / 2 - most) / np.sqrt(2 * np.pi)) / sigma
            root_slope = np.where(np.abs(root) > _NEAR, fall / root, middle)
        return np.where(self.two_sided, root, residuals), np.where(self.two_sided, root_slope, slope) * m_slope

    def log_likelihood(self, deviance, sigma):
        """Return the log-likelihood of curves with this deviance and sigma."""
        half = (self.high - self.low) / (2 * np.atleast_1d(sigma))
        with np.errstate(all="ignore"):
            most = np.where(self.two_sided, _log_between(-half, half), 0.0).sum(axis=0)
        count = self.exact.sum()
        jacobian = np.sum(np.where(self.exact & self.logs, self.low, 0.0)[self.exact])  # of ln y by y
        return -np.asarray(deviance) / 2 + most - count * (np.log(sigma) + np.log(2 * np.pi) / 2) - jacobian


def _log_between(low, high):
    """ln(Phi(high) - Phi(low)), of low <= high with low below zero, to the last digits."""
    upper, lower = special.log_ndtr(high), special.log_ndtr(low)
    return upper + np.log1p(-np.exp(lower - upper))


@dataclass(frozen=True)
class DevianceCurves(Curves):
    """The deviance residuals of one curve: x is sigma and y is 0, so that the sum of squares is the deviance.

    The covariance is that of the observed information.
    """

    limits: CensoringLimits | None = None

    def covariance(self, params):
        """Return the inverse of half the second derivatives of the deviance; 0 for what is held or on a bound."""
        covariance = np.zeros((params.shape[1], len(params), len(params)))
        for k in range(params.shape[1]):
            inside = np.flatnonzero(self.inside(params[:, [k]])[:, 0])
            second = np.zeros((len(inside), len(inside)))
            for row, j in enumerate(inside):
                step = _STEP * max(abs(params[j, k]), 1e-6)
                moved = np.repeat(params[:, [k]], 2, axis=1)
                moved[j] += [-step, step]
                slope = self.take([k, k]).slope(moved)[inside]
                second[row] = (slope[:, 1] - slope[:, 0]) / (2 * step) / 2
            second = (second + second.T) / 2
            size = np.sqrt(np.abs(np.diag(second)))
            regular = len(inside) and (size > 0).all() and np.linalg.eigvalsh(second / np.outer(size, size))[0] > 1e-12
            block = np.linalg.inv(second / np.outer(size, size)) / np.outer(size, size) if regular else np.nan
            covariance[k][np.ix_(inside, inside)] = block
        return covariance

    @property
    def dof(self):
        """Exact and two-sided points minus parameters."""
        return np.full(self.n_curves, self.limits.informative.sum() - self.free.sum())


def _deviance_law(law, limits):
    """The deviance residuals of a law's curve within the limits of the points, as a law of sigma."""

    def function(sigma, *params):
        return limits.residuals(law.function(limits.x, *params), sigma)[0]

    def jacobian(sigma, *params):
        slope = limits.residuals(law.function(limits.x, *params), sigma)[1]
        return tuple(part * slope for part in law.gradient(limits.x, *params))

    def start(sigma, y, held):
        x, middle = (np.broadcast_to(column, y.shape) for column in (limits.x, limits.middle()))
        return law.start(x, middle, held)

    return replace(law, function=function, jacobian=jacobian, start=start, positive=False)


@dataclass(frozen=True, repr=False)
class CensoredFit(Fit):
    """A law fitted to capacities between two loads or above one; it answers as any other fit."""

    sigma: float = np.nan  # the standard deviation of the greatest likelihood: of ln y, or of y
    loads: pd.DataFrame | None = None  # x, y, y_low, y_high of each point in the unit of y

    @property
    def points(self):
        """The x values, and the middle of each point or its one end."""
        return self.loads["x"].to_numpy(), self.loads["y"].to_numpy()

    @property
    def relative(self):
        """Whether errors grow in proportion to y."""
        return self.curves.limits.logs

    @property
    def positive(self):
        """Whether no y lies below zero."""
        return self.relative or self.law.positive

    def noise(self, values):
        """Return the standard deviation of the capacity of another test, where the curve has these values."""
        sizes = np.asarray(values, float) if self.relative else np.ones(np.shape(values))
        return self.residual_sd * self.sigma * sizes

    def augment(self):
        """Return a row per point as any fit: y is the middle of its two loads, whose columns are in `loads`.

        A point that is not known exactly has no residual: NaN.
        """
        frame = self.loads.assign(fitted=self.curve(self.loads["x"].to_numpy()))
        exact = frame["y_low"] == frame["y_high"]
        frame["residual"] = (frame["y"] - frame["fitted"]).where(exact)
        return frame[["x", "y", "fitted", "residual"]]

    @property
    def log_likelihood(self):
        """The logarithm of the likelihood, at the estimates and `sigma`."""
        return float(self.curves.limits.log_likelihood(self.squares, self.sigma)[0])

    def _statistics(self):
        """Those of `Fit`, of which a point between two loads has none that is made of residuals.

        aicc is ``-2 log_likelihood + 2 k + 2 k (k + 1) / (n - k - 1)``, k counting sigma where it was fitted.
        """
        n, k = len(self.curves.limits.x), int(self.curves.free.sum()) + (self.error_from != "given")
        aicc = 2 * (k - self.log_likelihood) + 2 * k * (k + 1) / (n - k - 1) if n > k + 1 else np.nan
        names = ("rmse", "log_error", "loo_log_error", "f_test_p", "aicc", "error_test_p")
        without = f"{', '.join(name for name in names if name != 'aicc')}: a point between two loads has no residual"
        no_error = "intervals: no degrees of freedom" * (not np.isfinite(self.residual_sd))
        whys = {"rmse": without, "error_test_p": no_error}
        return {name: (np.nan, whys.get(name, "")) for name in names} | {"aicc": (aicc, "aicc: needs n > k + 1")}

    @property
    def trend(self):
        """Untested: a point between two loads has no residual."""
        return UNTESTED

    @property
    def note(self):
        """That sigma is as small as it may be; "" where it is not."""
        least = _least_sigma_of_censored_fit(self.curves.limits)
        if self.error_from in ("given", FEW_BETWEEN) or self.sigma > least * 1.001:
            return ""
        return "the curve passes through the intervals: they, not the noise, say how sure the law is"

    def headline(self):
        """Return in a few sentences what was fitted, and how sure."""
        limits, bound = self.curves.limits, self.glance()["params_at_bound"].item()
        of_kinds = {"exact": limits.exact, "between two loads": limits.two_sided, "with one end": ~limits.informative}
        kinds = [f"{count} {words}" for words, which in of_kinds.items() if (count := which.sum())]
        formula = "; ".join(filter(None, (self.law.formula, self.law.source)))
        what = f"{self.law.title} ({formula}) by likelihood through {len(limits.x)} points: "
        kind = "lognormal" if self.relative else "normal"
        size = percent(self.sigma, 2) if self.relative else f"{self.sigma:.3g}"
        noise = f"Error model: {kind}, standard deviation {size}{', given' if self.error_from == 'given' else ''}."
        sure = ""
        if not np.isfinite(self.residual_sd):
            noise, sure = f"Error model: {kind}.", origin_of_errors_in_words(self)
        bound = f"At its bound: {bound}." if bound else ""
        note = f"{capitalized(self.note)}." if self.note else ""
        return " ".join(filter(None, (f"{what}{', '.join(kinds)}.", noise, note, sure, bound)))


def fit_between(law, data, x, low, high, *, fixed, error, bounded, sigma, interval, level):
    """Return a law fitted to points that are known between two columns, as `fit` describes it."""
    where = spelling("fit(y_low=..., y_high=...)", "--y-low, --y-high")
    if low is None or high is None:
        remedy = "Name the column of the last load that passed, and that of the next; empty or inf where there is none."
        raise CannotFit(where, expected="both", found="one", remedy=remedy)
    if error == AUTO:
        remedy = "Say whether the error is relative or constant."
        raise CannotFit(where, expected="what a likelihood of intervals has", found="error auto", remedy=remedy)
    below, above = (read_points(data, x, column, law, empty=True) for column in (low, high))
    if below.guessed and not x:
        below, above = (read_points(data, below.names[0], column, law, empty=True) for column in (low, high))
    error = error or law.error
    limits = _checked_limits(where, below, above, logs=error == "relative")
    deviance = _deviance_law(law, limits)
    checked = replace(below, y=limits.middle()[:, 0])
    plain = weighted_curves_of_points(law, checked, fixed=fixed, error=error, bounded=bounded)
    free, different = int(plain.free.sum()), len(np.unique(limits.x[limits.informative]))
    if different < free:
        expected = f"at least {free} points with different x that have two ends, one for each parameter"
        remedy = "A point known only from below bounds no capacity from above: test one more load."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)

    def curves_at(sigma):
        """The deviance residuals at one sigma or several, a curve for each."""
        x, y = np.tile(np.atleast_1d(sigma), (len(limits.x), 1)), np.zeros((len(limits.x), np.size(sigma)))
        return DevianceCurves(deviance, x, y, np.ones_like(x), plain.fixed, error, bounded, limits=limits)

    if sigma is None:
        likeliest, start = _likeliest_sigma(curves_at, limits)
        curves = curves_at(likeliest)
        best, squares, converged = curves.solve(start, damping=1e-3)
    else:
        likeliest = float(sigma if limits.logs else sigma * below.y_factor)
        check_size_of_noise(plain, likeliest, "fit(sigma=...)", "--sigma")
        curves = curves_at(likeliest)
        best, squares, converged = _most_likely_parameters(curves)
    if not converged[0] and not np.isfinite(squares[0]):
        remedy = spelling("Hold a parameter with fixed={...}.", "Hold a parameter with --fixed NAME VALUE.")
        raise CannotFit(where, expected="parameters that fit best", found="none", remedy=remedy)
    dof = int(curves.dof[0])
    residual_sd = 1.0 if sigma is not None else np.sqrt(limits.informative.sum() / dof) if dof > 0 else np.nan
    few = FEW_BETWEEN if limits.two_sided.any() else "none"
    origin = "given" if sigma is not None else CENSORED if dof > 0 else few
    loads = pd.DataFrame({"x": below.x, "y": limits.middle()[:, 0], "y_low": below.y, "y_high": above.y}, below.index)
    interval = "profile" if interval == "auto" else interval
    return CensoredFit(law, curves, best[:, 0], below, level, float(residual_sd), origin, interval, sigma=likeliest,
                       loads=loads)  # fmt: skip


def _checked_limits(where, below, above, *, logs):
    """The limits of the points, once nothing speaks against them."""
    low, high = below.y.copy(), above.y.copy()
    low[np.isnan(low) | (logs & (low <= 0))] = 0.0 if logs else -np.inf
    high[np.isnan(high)] = np.inf
    for k, (one, other) in enumerate(zip(low, high, strict=True)):
        place = f"{where}, {below.source.place_of(k)}"
        if one > other:
            remedy = "y_low is the last load that passed, y_high the next."
            raise CannotFit(place, expected="y_low not above y_high", found=f"{one:g} and {other:g}", remedy=remedy)
        if (other == np.inf and one == (0 if logs else -np.inf)) or (logs and other <= 0):
            expected = "an end above zero" if logs else "an end"
            raise CannotFit(place, expected=expected, found=f"{one:g} and {other:g}", remedy="Leave out the row.")
    with np.errstate(divide="ignore"):
        low, high = (np.log(low), np.log(high)) if logs else (low, high)
    return CensoringLimits(below.x[:, None], low[:, None], high[:, None], logs)


def _least_sigma_of_censored_fit(limits):
    """The least sigma that is believed."""
    widths = (limits.high - limits.low)[limits.two_sided]
    if len(widths):
        return _LEAST_SIGMA_SHARE * float(np.median(widths))
    return _LEAST_SIGMA_OF_EXACT * (1.0 if limits.logs else float(np.abs(limits.low[limits.exact]).max()))


def _most_likely_parameters(curves):
    """The best parameters, from timid steps first: a curve far from its intervals has residuals without a slope."""
    return curves.solve(damping=np.full(curves.n_curves, 1e-2), steps=_SEARCH)


def _likeliest_sigma(curves_at, limits):
    """The sigma of the greatest likelihood, and the best parameters next to it."""
    largest = np.abs(np.where(np.isfinite(limits.high), limits.high, limits.low)).max()
    greatest = _GREATEST_SIGMA if limits.logs else _GREATEST_SIGMA * float(largest)
    tried = np.geomspace(_least_sigma_of_censored_fit(limits), greatest, _TRIED)
    best, deviance, _ = _most_likely_parameters(curves_at(tried))
    for narrower in range(_NARROWER + 1):  # all of a grid are tried at once, as quickly as a few one by one
        losses = -np.where(np.isfinite(deviance), limits.log_likelihood(deviance, tried), -np.inf)
        k = int(np.argmin(losses))
        sigma, start = float(tried[k]), best[:, [k]]
        if narrower < _NARROWER:
            tried = np.geomspace(tried[max(k - 1, 0)], tried[min(k + 1, _TRIED - 1)], _TRIED)
            best, deviance, _ = curves_at(tried).solve(start.repeat(_TRIED, axis=1), damping=1e-3, steps=_SEARCH)
    if 0 < k < _TRIED - 1 and np.isfinite(losses[k - 1 : k + 2]).all():  # the lowest point of a parabola
        before, after = losses[k - 1] - losses[k], losses[k + 1] - losses[k]
        if before + after > 0:
            sigma *= (tried[1] / tried[0]) ** ((before - after) / (before + after) / 2)
    return sigma, start
