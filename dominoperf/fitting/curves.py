"""Many curves of one law: their points, their best parameters, the spread of their residuals."""

import functools
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from dominoperf.fitting import solver
from dominoperf.laws import Law

_EXACT = 1e-12  # a residual below this share of y is the arithmetic's, not the data's
_NEAR = 1e-6  # of y: a bound that moves an exact curve by less is tried
_SINGULAR = 1e-14  # of a factor with columns of length one


@dataclass(frozen=True)
class Curves:
    """Points of many curves, a column each, and the law they are to follow.

    `weights` multiply the residuals; 0 leaves a point out. `fixed` has the values of held parameters, by name.
    """

    law: Law
    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    fixed: dict
    error: str
    bounded: bool = True

    @classmethod
    def of(cls, law, x, y, *, fixed=None, error=None, bounded=True):
        """Weigh the points as the law says, or as `error` does: ``1 / y`` for relative errors, 1 for constant ones."""
        error = error or law.error
        held = {param.name: param.held for param in law.params} | (fixed or {})
        held = {name: value for name, value in held.items() if value is not None}
        return cls(law, x, y, 1 / y if error == "relative" else np.ones_like(y), held, error, bounded)

    @property
    def count(self):
        """Number of curves."""
        return self.y.shape[1]

    @functools.cached_property
    def free(self):
        """Whether each parameter is sought."""
        return np.array([name not in self.fixed for name in self.law.names])

    @functools.cached_property
    def bounds(self):
        """Low and high of each parameter, as columns; without bounds a scale keeps its own."""
        kept = [self.bounded or param.name == "scale" for param in self.law.params]
        edges = np.array(
            [(p.low, p.high) if keep else (-np.inf, np.inf) for p, keep in zip(self.law.params, kept, strict=True)]
        )
        return edges[:, :1], edges[:, 1:]

    @property
    def n(self):
        """Number of points of each curve."""
        return np.sum(self.weights > 0, axis=0)

    @property
    def dof(self):
        """Residual degrees of freedom of each curve."""
        return self.n - self.free.sum()

    def take(self, columns):
        """Some of the curves; one that is asked for twice is there twice."""
        x = self.x if self.x.shape[1] == 1 else self.x[:, columns]
        return replace(self, x=x, y=self.y[:, columns], weights=self.weights[:, columns])

    def start(self):
        """Return parameters to begin with, inside the bounds: those of the law's own start, and the held ones."""
        with np.errstate(all="ignore"):
            begun = self.law.start(self.x, self.y, self.fixed)
        begun = np.array([np.broadcast_to(np.asarray(each, float), self.count) for each in begun])
        return self.hold(np.clip(begun, *self.bounds))

    def hold(self, params):
        """The parameters with the held ones at their values."""
        params = np.array(params, float)
        for k, name in enumerate(self.law.names):
            params[k] = self.fixed.get(name, params[k])
        return params

    def solve(self, start=None, free=None, damping=0.0, steps=None):
        """Return the best parameters (parameters × curves), the sum of squares and whether the search converged.

        Of points without noise a parameter is on its bound where it is within rounding of it.
        """
        start = self.start() if start is None else self.hold(start)
        free = np.broadcast_to(self.free[:, None] if free is None else free, start.shape)
        found = self._solved(start, free, damping, steps)
        exact = np.flatnonzero(self.exact(found[1]))
        if len(exact):
            least = self.take(exact)._onto_bounds(*(each[..., exact] for each in found), free[:, exact])
            for each, better in zip(found, least, strict=True):
                each[..., exact] = better
        return found

    def _solved(self, start, free, damping=0.0, steps=None):
        return solver.solve(
            self._curve, self._gradient, self.x, (self.y, self.weights), start, self.bounds, free, damping, steps
        )

    def _onto_bounds(self, params, squares, converged, free):
        """Put each parameter on a bound from where the curve goes through every point too, the others solved again."""
        free = free.copy()
        for k in range(len(params)):
            for edge in (bound[k, 0] for bound in self.bounds if np.isfinite(bound[k, 0])):
                at = params.copy()
                at[k] = edge
                with np.errstate(all="ignore"):
                    moved = np.sqrt(np.sum(((self._curve(self.x, at) - self.y) * self.weights) ** 2, axis=0))
                near = free[k] & (moved < _NEAR * self._size)
                if not near.any():
                    continue
                free[k] &= ~near
                tried, least, done = self._solved(np.where(near, at, params), free)
                better = near & (np.sqrt(least) <= np.sqrt(squares) + solver.ROUNDING * self._size)
                free[k] |= near & ~better
                params, squares = np.where(better, tried, params), np.where(better, least, squares)
                converged = np.where(better, done, converged)
        return params, squares, converged

    @property
    def _size(self):
        """The length of the weighted points of each curve."""
        return np.sqrt(np.sum((self.weights * self.y) ** 2, axis=0))

    def _curve(self, x, params):
        values = self.law.function(x, *params)
        # Relative errors have no meaning where a capacity beyond a pole of the law is negative.
        return np.where(values > 0, values, np.nan) if self.error == "relative" else values

    def _gradient(self, x, params):
        return self.law.gradient(x, *params)

    def residuals(self, params):
        """Weighted residuals, points × curves."""
        return (self._curve(self.x, params) - self.y) * self.weights

    def slope(self, params):
        """Derivative of the sum of squares by each parameter."""
        jacobian = self._gradient(self.x, params) * self.weights
        return 2 * np.einsum("pnr,nr->pr", jacobian, self.residuals(params))

    def inside(self, params):
        """Whether each parameter is sought and on no bound."""
        return self.free[:, None] & (params > self.bounds[0]) & (params < self.bounds[1])

    def covariance(self, params):
        """The inverse of the normal matrix of each curve, from a QR factor; 0 for what is held or on a bound."""
        jacobian = np.broadcast_to(self.law.gradient(self.x, *params), (len(params), *self.y.shape)) * self.weights
        jacobian = np.where(self.inside(params)[:, None], jacobian, 0.0).transpose(2, 1, 0)
        scale = np.sqrt(np.sum(jacobian**2, axis=1))
        still = ~(scale > 0)
        scale = np.where(still, 1.0, scale)
        rows = np.eye(len(params)) * still[:, None]  # a row of its own for what does not move keeps the factor square
        factor = np.linalg.qr(np.concatenate([jacobian / scale[:, None], rows], axis=1), mode="r")
        return _inverse_of_normal(factor, still) / (scale[:, :, None] * scale[:, None, :])

    def standard_errors(self, params, spread):
        """Standard errors of the parameters, parameters × curves; NaN for what is held or on a bound."""
        variance = np.diagonal(self.covariance(params), axis1=1, axis2=2).T
        return np.where(self.inside(params), np.sqrt(variance) * spread, np.nan)

    def exact(self, squares):
        """Whether a sum of squares is the arithmetic's: the curve passes through every point."""
        return np.sqrt(squares) < _EXACT * self._size

    def spread(self, squares, *, sigma=None, step=np.nan):
        """Standard deviation of a weighted residual of each curve, and where it comes from.

        ``sqrt(squares / dof)``, but no less than printed numbers can tell: rounding to a step alone has the standard
        deviation ``step / sqrt(12)``, times the root mean square of the weights. NaN without residual degrees of
        freedom, or where the curve passes through every point and no step is known.
        """
        if sigma is not None:
            return np.full(self.count, float(sigma)), np.full(self.count, "given", object)
        floor = np.sqrt(np.sum(self.weights**2, axis=0) / self.n) * (step if step > 0 else 0.0) / np.sqrt(12)
        residual = np.where(self.dof < 1, np.nan, np.sqrt(squares / np.maximum(self.dof, 1)))
        unknown = (self.dof < 1) | ~np.isfinite(squares) | self.exact(squares) & ~(floor > 0)
        origin = np.where(unknown, "none", np.where(residual < floor, "resolution", "residuals"))
        return np.where(unknown, np.nan, np.fmax(residual, floor)), origin.astype(object)

    def rise(self, spread, level, *, known):
        """How far the sum of squares may rise within an interval: ``spread² F(1, dof)`` at the level.

        Chi-squared for F where the spread is `known`. It is the same for an estimate on its bound, where the whole tail
        could lie on the one side that is left: to choose by the estimate costs coverage where the truth is near.
        """
        if known:
            return spread**2 * special.chdtri(1, 1 - level)
        return spread**2 * special.fdtri(1, np.maximum(self.dof, 1), level)


def _inverse_of_normal(factor, still):
    """The inverse of R'R; NaN where R is singular, 0 in the rows and columns of what does not move."""
    singular = np.min(np.abs(np.diagonal(factor, axis1=1, axis2=2)), axis=1) < _SINGULAR
    singular |= ~np.isfinite(factor).all(axis=(1, 2))
    inverse = np.linalg.inv(np.where(singular[:, None, None], np.eye(factor.shape[1]), factor))
    normal = np.where(singular[:, None, None], np.nan, inverse @ inverse.transpose(0, 2, 1))
    return np.where(still[:, :, None] | still[:, None, :], 0.0, normal)
