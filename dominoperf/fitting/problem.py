"""Weighted least squares within bounds: the best parameters, the spread of the residuals, where a profile rises."""

from dataclasses import dataclass

import numpy as np
from scipy import optimize

from dominoperf.laws import Law

_EXACT = 1e-12  # a residual below this share of y is the arithmetic's, not the data's
_ON_BOUND = 1e-7  # relative to the span of a bounded parameter, else to where the fit started


@dataclass(frozen=True)
class Problem:
    """Points, weights and a law: the sum of squares to be made small."""

    law: Law
    x: np.ndarray
    y: np.ndarray
    error: str  # "relative" or "constant"

    @property
    def weights(self):
        """What a residual is multiplied with."""
        return 1 / self.y if self.error == "relative" else np.ones_like(self.y)

    @property
    def dof(self):
        """Residual degrees of freedom."""
        return len(self.x) - len(self.law.params)

    @property
    def bounds(self):
        """A row per parameter: low, high."""
        return np.array([(param.low, param.high) for param in self.law.params])

    def residuals(self, params):
        """Weighted residuals at given parameters."""
        return (self.law.function(self.x, *params) - self.y) * self.weights

    def squares(self, params):
        """Weighted sum of squares at given parameters."""
        return float(np.sum(self.residuals(params) ** 2))

    def exact(self, params):
        """Whether the curve passes through every point, but for the arithmetic."""
        return rms(self.residuals(params)) < _EXACT * rms(self.weights * self.y)

    def solve(self, start, build=None, bounds=None):
        """The best parameters; with `build`, those it makes from the free ones."""
        build = build or (lambda free: free)
        bounds = self.bounds if bounds is None else bounds
        start = np.clip(np.asarray(start, float), bounds[:, 0], bounds[:, 1])
        if not len(start):
            return build(start)
        scale = np.where(start == 0, 1.0, np.abs(start))
        tight = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
        found = optimize.least_squares(
            lambda free: self.residuals(build(free)), start, bounds=bounds.T, x_scale=scale, **tight
        )
        return np.asarray(build(_snap(found.x, bounds, scale)), float)

    def without(self, index):
        """The same problem without one point."""
        keep = np.arange(len(self.x)) != index
        return Problem(self.law, self.x[keep], self.y[keep], self.error)


def spread_of(problem, best, sigma, step, kind):
    """Standard deviation of a weighted residual, and where it comes from."""
    if kind == "rule":
        return np.nan, "rule"
    if sigma is not None:
        return float(sigma), "given"
    if problem.dof < 1:
        return np.nan, "none"
    residual = np.sqrt(problem.squares(best) / problem.dof)
    if problem.exact(best) and not step > 0:
        return np.nan, "none"
    floor = rms(problem.weights) * step / np.sqrt(12)
    return (float(floor), "resolution") if residual < floor else (float(residual), "residuals")


def crossing(excess, value, edge):
    """Where the profile rises to its limit between the estimate and an edge; the edge where it does not."""
    way = 1.0 if edge > value else -1.0
    unit = abs(value) or 1e-6
    step, inner = unit * 1e-4, value
    while value != edge:
        outer = value + way * step
        if way * (outer - edge) >= 0:
            outer = edge
        if outer == edge and (not np.isfinite(edge) or excess(edge) <= 0):
            return edge
        if excess(outer) > 0:
            return float(optimize.brentq(excess, inner, outer, xtol=1e-12 * unit))
        inner, step = outer, step * 2
        if step > 1e12 * unit:
            return edge
    return edge


def _snap(params, bounds, scale):
    """Set a parameter that has all but reached a bound onto it."""
    low, high = bounds.T
    span = np.where(np.isfinite(high - low), high - low, scale)
    params = np.where(params - low < _ON_BOUND * span, low, params)
    return np.where(high - params < _ON_BOUND * span, high, params)


def rms(values):
    """Root of the mean of the squares."""
    return float(np.sqrt(np.mean(np.asarray(values) ** 2)))
