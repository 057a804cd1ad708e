"""Fits to capacities that are known between two loads, or only from below: maximum likelihood.

A capacity lies between the last load that passed and the next that did not, or above the last load that was tried.
With m the curve and a, b the ends of a point (all as logarithms where the error is relative, which makes it lognormal;
as they are where it is constant, which makes it normal), Phi the normal distribution and s the standard deviation, a
point adds

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
from scipy import optimize, special

from dominoperf.errors import CannotFit, typed
from dominoperf.fitting import points
from dominoperf.fitting.error_models import AUTO, UNTESTED
from dominoperf.fitting.least_squares import Curves
from dominoperf.fitting.result import Fit
from dominoperf.laws import Law

_LEAST = 0.15  # of the median interval: the least s; with 0.1 intervals cover too little, with 0.25 too much
_EXACT_LEAST = 1e-6  # of s where there are only exact points, in logarithms or as a share of the largest
_MOST = 3.0  # in logarithms, or times the largest end: the greatest s
_TRIED = 25  # values of s, evenly spaced in the logarithm, before the best is refined
_SEARCH = 80  # steps at most for each s tried
_NEAR = 1e-6  # a residual so small is replaced by its slope
_STEP = 1e-4  # of a parameter, for the second derivative of the deviance
CENSORED = "likelihood"


@dataclass(frozen=True)
class Ends:
    """The ends of each point on the scale of the error, points × 1; infinite where there is none."""

    x: np.ndarray
    low: np.ndarray
    high: np.ndarray
    logs: bool

    @property
    def exact(self):
        """Whether a point has no width."""
        return self.low == self.high

    @property
    def two_sided(self):
        """Whether a point is known between two loads."""
        return np.isfinite(self.low) & np.isfinite(self.high) & ~self.exact

    def middle(self):
        """Return a value of each point, in the unit of y: the middle, or the one end that there is."""
        low, high = (np.where(np.isfinite(end), end, other) for end, other in ((self.low, self.high),
                                                                               (self.high, self.low)))  # fmt: skip
        middle = (low + high) / 2
        return np.exp(middle) if self.logs else middle

    def residuals(self, curve, s):
        """Return the signed roots of the deviance, points × curves, and their derivatives by the curve."""
        m, each = (np.log(curve), 1 / curve) if self.logs else (curve, 1.0)
        m, s = np.broadcast_arrays(m, s)
        found, slope = (m - self.low) / s, 1 / s
        with np.errstate(all="ignore"):
            found, slope = np.where(self.exact, found, 0.0), np.where(self.exact, slope, 0.0)
            for given, end, sign in ((self.low, self.high, -1), (self.high, self.low, 1)):
                u = -sign * (m - given) / s  # so many s on the side where the point may be
                root = np.sqrt(-2 * special.log_ndtr(u))
                lost = np.exp(-(u**2) / 2 - special.log_ndtr(u)) / np.sqrt(2 * np.pi) / s
                one = np.isfinite(given) & ~np.isfinite(end)
                found = np.where(one, sign * root, found)
                slope = np.where(one, np.where(root > 1e-8, lost / root, 0.0), slope)
            root, inner = self._between(m, s)
        return np.where(self.two_sided, root, found), np.where(self.two_sided, inner, slope) * each

    def _between(self, m, s):
        """The residuals and slopes of points between two loads."""
        before, after = (self.low - m) / s, (self.high - m) / s
        flipped = before > 0
        small, large = np.where(flipped, -after, before), np.where(flipped, -before, after)
        inside = _log_between(small, large)
        half = (self.high - self.low) / (2 * s)
        most = _log_between(-half, half)
        root = np.sign(m - (self.low + self.high) / 2) * np.sqrt(np.maximum(2 * (most - inside), 0.0))
        lost = (np.exp(-(after**2) / 2 - inside) - np.exp(-(before**2) / 2 - inside)) / np.sqrt(2 * np.pi) / s
        middle = np.sqrt(2 * half * np.exp(-(half**2) / 2 - most) / np.sqrt(2 * np.pi)) / s
        return root, np.where(np.abs(root) > _NEAR, lost / root, middle)

    def log_likelihood(self, deviance, s):
        """Return the log-likelihood of curves with this deviance and s."""
        half = (self.high - self.low) / (2 * np.atleast_1d(s))
        with np.errstate(all="ignore"):
            most = np.where(self.two_sided, _log_between(-half, half), 0.0).sum(axis=0)
        count = self.exact.sum()
        scale = np.sum(np.where(self.exact & self.logs, self.low, 0.0)[self.exact])
        return -np.asarray(deviance) / 2 + most - count * (np.log(s) + np.log(2 * np.pi) / 2) - scale


def _log_between(low, high):
    """ln(Phi(high) - Phi(low)), of low <= high with low below zero, to the last digits."""
    upper, lower = special.log_ndtr(high), special.log_ndtr(low)
    return upper + np.log1p(-np.exp(lower - upper))


class DevianceCurves(Curves):
    """Points of one curve as deviance residuals; the covariance is that of the observed information."""

    def covariance(self, params):
        """Return the inverse of half the second derivatives of the deviance; 0 for what is held or on a bound."""
        found = np.zeros((params.shape[1], len(params), len(params)))
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
            found[k][np.ix_(inside, inside)] = block
        return found

    @property
    def dof(self):
        """Exact and two-sided points minus parameters."""
        return np.full(self.count, self.law.told - self.free.sum())


@dataclass(frozen=True)
class _DevianceLaw(Law):
    """A law whose value at x = s is the deviance residual of each point."""

    ends: Ends | None = None
    told: int = 0


def _deviance_law(law, ends):
    def function(s, *params):
        return ends.residuals(law.function(ends.x, *params), s)[0]

    def jacobian(s, *params):
        slope = ends.residuals(law.function(ends.x, *params), s)[1]
        return tuple(part * slope for part in law.gradient(ends.x, *params))

    def start(s, y, held):
        x, middle = (np.broadcast_to(each, y.shape) for each in (ends.x, ends.middle()))
        return law.start(x, middle, held)

    parts = {name: getattr(law, name) for name in Law.__dataclass_fields__}
    parts |= {"function": function, "jacobian": jacobian, "start": start, "positive": False}
    return _DevianceLaw(**parts, ends=ends, told=int((ends.exact | ends.two_sided).sum()))


@dataclass(frozen=True, repr=False)
class CensoredFit(Fit):
    """A law fitted to capacities between two loads or above one; it answers as any other fit."""

    s: float = np.nan  # the standard deviation of the greatest likelihood: of ln y, or of y
    loads: pd.DataFrame | None = None  # x, y, y_low, y_high of each point in the unit of y

    @property
    def points(self):
        """The x values, and the middle of each point or its one end."""
        return self.loads["x"].to_numpy(), self.loads["y"].to_numpy()

    @property
    def relative(self):
        """Whether errors grow in proportion to y."""
        return self.curves.law.ends.logs

    @property
    def positive(self):
        """Whether no y lies below zero."""
        return self.relative or self.law.positive

    def noise(self, values):
        """Return the standard deviation of the capacity of another test, where the curve has these values."""
        return self.spread * self.s * (np.asarray(values, float) if self.relative else np.ones(np.shape(values)))

    def augment(self):
        """Return a row per point: x, y (the middle), fitted, residual (NaN unless exact), y_low, y_high."""
        frame = self.loads.assign(fitted=self.curve(self.loads["x"].to_numpy()))
        exact = frame["y_low"] == frame["y_high"]
        frame["residual"] = (frame["y"] - frame["fitted"]).where(exact)
        return frame[["x", "y", "fitted", "residual", "y_low", "y_high"]]

    @property
    def log_likelihood(self):
        """The logarithm of the likelihood, at the estimates and `s`."""
        return float(self.curves.law.ends.log_likelihood(self.squares, self.s)[0])

    def glance(self):
        """Return one row: law, n, n_exact, n_between, n_one_sided, n_params, dof, sigma, log_likelihood, and why."""
        ends = self.curves.law.ends
        exact, between = int(ends.exact.sum()), int(ends.two_sided.sum())
        row = {"law": self.law.name, "n": len(ends.x), "n_exact": exact, "n_between": between}
        row |= {"n_one_sided": len(ends.x) - exact - between, "n_params": int(self.curves.free.sum()), "dof": self.dof}
        row |= {"sigma": self.s, "log_likelihood": self.log_likelihood}
        row |= {"error_model": "relative" if self.relative else "constant", "error_from": self.error_from}
        row |= {"at_bound": self.curves.at_bound(self.estimates[:, None])[0], "note": self.note}
        return pd.DataFrame([row | {"reason": "" if np.isfinite(self.spread) else "intervals: no degrees of freedom"}])

    @property
    def trend(self):
        """Untested: a point between two loads has no residual."""
        return UNTESTED

    @property
    def note(self):
        """Whether s is as small as it may be."""
        least = _least(self.curves.law.ends)
        if self.error_from == "given" or self.s > least * 1.001:
            return ""
        return "the curve passes through the intervals: they, not the noise, say how sure the law is"

    def headline(self):
        """Return in a few sentences what was fitted, and how sure."""
        row = self.glance().iloc[0]
        kinds = [f"{row[name]} {words}" for name, words in (("n_exact", "exact"), ("n_between", "between two loads"),
                 ("n_one_sided", "with one end")) if row[name]]  # fmt: skip
        what = f"{self.law.title} ({self.law.formula}; {self.law.source}) by likelihood through {row['n']} points: "
        kind = "lognormal" if self.relative else "normal"
        size = f"{self.s:.2%}" if self.relative else f"{self.s:.3g}"
        noise = f"Error model: {kind}, standard deviation {size}{', given' if self.error_from == 'given' else ''}."
        sure = "" if np.isfinite(self.spread) else "With so few points between two loads no error can be told."
        bound = f"At its bound: {row['at_bound']}." if row["at_bound"] else ""
        note = f"{self.note[0].upper()}{self.note[1:]}." if self.note else ""
        return " ".join(filter(None, (f"{what}{', '.join(kinds)}.", noise, note, sure, bound)))


def fit_between(law, data, x, low, high, *, fixed, error, bounded, sigma, interval, level):
    """Return a law fitted to points that are known between two columns, as `fit` describes it.

    Raises
    ------
    CannotFit
        Without both columns, with a point without an end or with its ends exchanged, with fewer exact or two-sided
        points of different x than parameters, or an interval that cannot be had.
    """
    where = typed("fit(y_low=..., y_high=...)", "--y-low, --y-high")
    if low is None or high is None:
        remedy = "Name the column of the last load that passed, and that of the next; empty or inf where there is none."
        raise CannotFit(where, expected="both", found="one", remedy=remedy)
    if interval == "bootstrap-t" or error == AUTO:
        found, remedy = ("bootstrap-t", "Take profile or wald.") if interval == "bootstrap-t" else (
            "error auto", "Say whether the error is relative or constant.")  # fmt: skip
        raise CannotFit(where, expected="what a likelihood of intervals has", found=found, remedy=remedy)
    below, above = (points.read(data, x, each, law) for each in (low, high))
    if below.guessed and not x:
        below, above = (points.read(data, below.names[0], each, law) for each in (low, high))
    error = error or law.error
    ends = _ends(where, below, above, logs=error == "relative")
    deviance = _deviance_law(law, ends)
    checked = replace(below, y=ends.middle()[:, 0])
    plain = points.curves_of(law, checked, fixed=fixed, error=error, bounded=bounded)
    told = (ends.exact | ends.two_sided)[:, 0]
    free = int(plain.free.sum())
    if len(np.unique(ends.x[told])) < free:
        expected = f"at least {free} points with different x that have two ends, one a parameter"
        remedy = "A point known only from below bounds no capacity from above: test one more load."
        raise CannotFit(where, expected=expected, found=str(len(np.unique(ends.x[told]))), remedy=remedy)

    def at(s):  # x of the deviance law is s, a column for each
        x, y = np.tile(np.atleast_1d(s), (len(ends.x), 1)), np.zeros((len(ends.x), np.size(s)))
        return DevianceCurves(deviance, x, y, np.ones_like(x), plain.fixed, error, bounded)

    s, start = (float(sigma), None) if sigma is not None else _likeliest(at, ends)
    curves = at(s)
    best, squares, converged = curves.solve(start, damping=1e-3) if start is not None else _solved(curves)
    if not converged[0] and not np.isfinite(squares[0]):
        remedy = typed("Hold a parameter with fixed={...}.", "Hold a parameter with --fixed NAME VALUE.")
        raise CannotFit(where, expected="parameters that fit best", found="none", remedy=remedy)
    dof = int(curves.dof[0])
    spread = 1.0 if sigma is not None else np.sqrt(told.sum() / dof) if dof > 0 else np.nan
    origin = "given" if sigma is not None else CENSORED if dof > 0 else "none"
    loads = pd.DataFrame({"x": below.x, "y": ends.middle()[:, 0], "y_low": below.y, "y_high": above.y})
    return CensoredFit(
        law, curves, best[:, 0], *below.names, level, float(spread), origin, below.source,
        interval="profile" if interval == "auto" else interval, user=below.user, errata=below.errata, s=s, loads=loads,
    )  # fmt: skip


def _ends(where, below, above, *, logs):
    """The ends of the points, once nothing speaks against them."""
    low, high = below.y.copy(), above.y.copy()
    low[np.isnan(low) | (logs & (low <= 0))] = 0.0 if logs else -np.inf
    high[np.isnan(high)] = np.inf
    for k, (one, other) in enumerate(zip(low, high, strict=True)):
        place = f"{where}, row {k + 1}"
        if one > other:
            remedy = "y_low is the last load that passed, y_high the next."
            raise CannotFit(place, expected="y_low not above y_high", found=f"{one:g} and {other:g}", remedy=remedy)
        if (other == np.inf and one == (0 if logs else -np.inf)) or (logs and other <= 0):
            expected = "an end above zero" if logs else "an end"
            raise CannotFit(place, expected=expected, found=f"{one:g} and {other:g}", remedy="Leave out the row.")
    with np.errstate(divide="ignore"):
        low, high = (np.log(low), np.log(high)) if logs else (low, high)
    return Ends(below.x[:, None], low[:, None], high[:, None], logs)


def _least(ends):
    """The least s that is believed."""
    wide = (ends.high - ends.low)[ends.two_sided]
    if len(wide):
        return _LEAST * float(np.median(wide))
    return _EXACT_LEAST * (1.0 if ends.logs else float(np.abs(ends.low[ends.exact]).max()))


def _solved(curves):
    """The best parameters, from timid steps first: a curve far from its intervals has residuals without a slope."""
    return curves.solve(damping=np.full(curves.count, 1e-2), steps=_SEARCH)


def _likeliest(at, ends):
    """The s of the greatest likelihood, with the best parameters for each."""
    most = _MOST if ends.logs else _MOST * float(np.abs(np.where(np.isfinite(ends.high), ends.high, ends.low)).max())
    tried = np.geomspace(_least(ends), most, _TRIED)

    best, deviance, _ = _solved(at(tried))
    losses = -np.where(np.isfinite(deviance), ends.log_likelihood(deviance, tried), -np.inf)
    k = int(np.argmin(losses))
    around = np.log([tried[max(k - 1, 0)], tried[min(k + 1, _TRIED - 1)]])

    def loss(logarithm):
        s = np.exp(logarithm)
        return -float(ends.log_likelihood(at(s).solve(best[:, [k]], damping=1e-3, steps=_SEARCH)[1], s)[0])

    found = optimize.minimize_scalar(loss, bounds=around, method="bounded", options={"xatol": 1e-6})
    s = float(np.exp(found.x)) if found.fun < losses[k] else float(tried[k])
    return s, best[:, [k]]
