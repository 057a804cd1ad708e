"""Weighted least squares within bounds, for many curves of one law at once: Levenberg's and Marquardt's method.

`Curves` holds the points, their weights and the law; `Curves.solve` finds the best parameters. Arrays are laid out
points first, curves last, so that every sum over the points of a curve runs along memory.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.linalg.lapack import dgels

from dominoperf.laws import Law
from dominoperf.laws.numerics import solve_positive_definite

GIVEN_PER_POINT = "given per point"  # the error model of weights that are 1 over the stated error of each point
IN_PROPORTION = "in proportion to errors given"  # of the same weights where the size of the errors is not known
FROM_REPEATS = "repeats"  # where these errors come from, if they are of means and from the rows behind them
_EXACT = 1e-12  # a residual below this share of y is the arithmetic's, not the data's
_NEAR_BOUND = 1e-6  # of y: a bound that moves an exact curve by less is tried
_SINGULAR = 1e-14  # of a factor with columns of length one
_ANGLE = 1e-10  # converged when no column of the Jacobian makes a cosine above this with the residuals
_FLAT = 1e-13  # a sum of squares that changes by less of itself has not changed
# Steps without a change after which a search never converges: it runs off to infinity. Fewer where steps are limited.
_IDLE, _PATIENT = 12, 40
_ROUNDING = 16 * np.finfo(float).eps  # of y: residuals below it are the arithmetic's, and so is their gradient
_LAST_DIGITS = 4 * np.finfo(float).eps  # of a parameter
_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-3, 1e-9, 1e16
_FEW_CURVES = 8  # curves for which a QR factor each is quick enough
_STEPS = 2000  # the hardest certified problems from their far starts need several hundred
_COMPRESS = 0.7  # copy the curves still at work together when fewer than this share of the columns are


class Repeats(NamedTuple):
    """The scatter of rows about the mean of their x, ``sd mean^power``, pooled with `dof` degrees of freedom.

    Of errors that were stated with their degrees of freedom there are no rows, and no scatter is known.
    """

    rows: int
    sd: float
    error: str
    power: float
    dof: int


@dataclass(frozen=True)
class Curves:
    """Points of many curves, a column each, and the law they are to follow.

    `weights` multiply the residuals; 0 leaves a point out. `fixed` has the values of held parameters, by name. `power`
    is that of y in the standard deviation of a point: 1 of relative errors, 0 of constant ones. `repeats` are what
    errors given per point were estimated from; without, these are known exactly.
    """

    law: Law
    x: np.ndarray
    y: np.ndarray
    weights: np.ndarray
    fixed: dict
    error: str
    bounded: bool = True
    power: float = 0.0
    repeats: Repeats | None = None

    @classmethod
    def from_points(
        cls, law: Law, x: np.ndarray, y: np.ndarray, *, fixed: Mapping[str, float | None] | None = None,
        error: str | None = None, bounded: bool = True, power: float = 0.0,
    ) -> "Curves":  # fmt: skip
        """Return points weighted as the law or `error` says: ``y^-power``, that is 1 / y if relative, 1 if constant."""
        error = error or law.error
        power = {"relative": 1.0, "power": power}.get(error, 0.0)
        held = {param.name: param.held for param in law.params} | dict(fixed or {})
        held = {name: value for name, value in held.items() if value is not None}
        return cls(law, x, y, 1 / y**power if power else np.ones_like(y), held, error, bounded, power)

    @property
    def n_curves(self) -> int:
        """Number of curves."""
        return self.y.shape[1]

    @functools.cached_property
    def free(self) -> np.ndarray:
        """Whether each parameter is fitted."""
        return np.array([name not in self.fixed for name in self.law.names])

    @functools.cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Low and high of each parameter, as columns; without bounds a scale keeps its own."""
        edges = np.array([
            (p.low, p.high) if self.bounded or p.name == "scale" else (-np.inf, np.inf) for p in self.law.params
        ])  # fmt: skip
        return edges[:, :1], edges[:, 1:]

    @functools.cached_property
    def n_points(self) -> np.ndarray:
        """Number of points of each curve."""
        return (self.weights > 0).sum(axis=0)

    @functools.cached_property
    def dof(self) -> np.ndarray:
        """Residual degrees of freedom of each curve."""
        return self.n_points - np.count_nonzero(self.free)

    @functools.cached_property
    def norm(self) -> np.ndarray:
        """The root of the weighted sum of squares of y, of each curve."""
        return np.sqrt(((self.weights * self.y) ** 2).sum(axis=0))

    def take(self, columns: np.ndarray) -> "Curves":
        """Return some of the curves; one that is asked for twice is there twice."""
        x = self.x if self.x.shape[1] == 1 else self.x[:, columns]
        return replace(self, x=x, y=self.y[:, columns], weights=self.weights[:, columns])

    def in_order_of_x(self, drawn: np.ndarray) -> np.ndarray:
        """Return noise drawn for points in the order of x, points x sets, in the order that the points have."""
        noise = np.empty_like(drawn)
        noise[np.lexsort((self.weights[:, 0], self.x[:, 0]))] = drawn
        return noise

    def through(self, x: np.ndarray, y: np.ndarray) -> "Curves":
        """Return the same law and settings through other points, a column for each curve.

        Errors given per point are those of the points in turn, and beyond the last point its own.
        """
        settings = {"fixed": self.fixed, "error": self.error, "bounded": self.bounded, "power": self.power}
        curves = Curves.from_points(self.law, x, y, **settings)
        if self.error in (GIVEN_PER_POINT, IN_PROPORTION):
            weights = self.weights[np.minimum(np.arange(len(y)), len(self.weights) - 1), :1]
            curves = replace(curves, weights=np.broadcast_to(weights, y.shape), repeats=self.repeats)
        return curves

    def with_errors_of_other_repeats(self, random: np.random.Generator) -> "Curves":
        """Return simulated curves with the errors that repeats of their own would give: as much too small or large."""
        if self.repeats is None:
            return self
        ratio = random.chisquare(self.repeats.dof, self.n_curves) / self.repeats.dof
        return replace(self, weights=self.weights / np.sqrt(ratio))

    def start(self) -> np.ndarray:
        """Return parameters to begin with, inside the bounds: those of the law's own start, and the held ones."""
        y = self.y
        if self.law.positive and (y <= 0).any():  # a start divides by y; there, and there alone, the least above zero
            y = np.maximum(y, np.min(np.where(y > 0, y, np.inf), axis=0))
        with np.errstate(all="ignore"):
            begun = self.law.start(self.x, y, self.fixed)
        params = np.empty((len(self.law.names), self.n_curves))
        for k, value in enumerate(begun):
            params[k] = value
        low, high = self.bounds
        return self.hold(np.minimum(np.maximum(params, low), high))

    def hold(self, params: np.ndarray) -> np.ndarray:
        """Return the parameters with the held ones at their values."""
        params = np.array(params, float)
        for k, name in enumerate(self.law.names if self.fixed else ()):
            params[k] = self.fixed.get(name, params[k])
        return params

    def fitted(self, x: np.ndarray, params: np.ndarray) -> np.ndarray:
        """Return the curves at x; NaN where errors grow with y and the law is not above zero, as beyond a pole."""
        values = self.law.function(x, *params)
        return values if not self.power or np.all(values > 0) else np.where(values > 0, values, np.nan)

    def residuals(self, params: np.ndarray) -> np.ndarray:
        """Return weighted residuals, points × curves."""
        return (self.fitted(self.x, params) - self.y) * self.weights

    def jacobian(self, params: np.ndarray) -> np.ndarray:
        """Return derivatives of the weighted curves, parameters × points × curves."""
        slopes = self.law.gradient(self.x, *params)
        return np.broadcast_to(slopes, (len(params), *self.y.shape)) * self.weights

    def slope(self, params: np.ndarray) -> np.ndarray:
        """Return the derivative of the sum of squares by each parameter."""
        return 2 * np.einsum("pnr,nr->pr", self.law.gradient(self.x, *params) * self.weights, self.residuals(params))

    def solve(
        self, start: np.ndarray | None = None, free: np.ndarray | None = None, damping: float | np.ndarray = 0.0,
        steps: int | None = None,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
        """Return the best parameters (parameters × curves), the sum of squares and whether the search converged.

        It begins at `start` with the parameters that are `free`, both parameters × curves. `damping` says how short the
        first steps are; 0, the full steps of Gauss and Newton, is for a start that is near. Of points without noise a
        parameter is on its bound where it is within rounding of it.
        """
        start = self.start() if start is None else self.hold(start)
        free = np.repeat(self.free[:, None], self.n_curves, axis=1) if free is None else free
        params, squares, converged = _bounded_search(self, start, free, damping, steps)
        exact = np.flatnonzero(self.exact(squares))
        if len(exact):
            on_bounds = self.take(exact)._onto_bounds(params[:, exact], squares[exact], free[:, exact])
            params[:, exact], squares[exact] = on_bounds
            converged[exact] = True  # nothing comes nearer
        return params, squares, converged

    def _onto_bounds(self, params, squares, free):
        """Put each parameter on a bound from where the curve goes through every point too, the others solved again."""
        free = free.copy()
        for k in range(len(params)):
            for edge in (bound[k, 0] for bound in self.bounds if np.isfinite(bound[k, 0])):
                at_edge = params.copy()
                at_edge[k] = edge
                with np.errstate(all="ignore"):
                    moved = np.sqrt(np.sum(self.residuals(at_edge) ** 2, axis=0))
                near = free[k] & (moved < _NEAR_BOUND * self.norm)
                if not near.any():
                    continue
                free[k] &= ~near
                tried, least, _ = _bounded_search(self, np.where(near, at_edge, params), free)
                better = near & (np.sqrt(least) <= np.sqrt(squares) + _ROUNDING * self.norm)
                free[k] |= near & ~better
                params, squares = np.where(better, tried, params), np.where(better, least, squares)
        return params, squares

    def inside(self, params: np.ndarray) -> np.ndarray:
        """Return whether each parameter was fitted and lies between its bounds."""
        return self.free[:, None] & (params > self.bounds[0]) & (params < self.bounds[1])

    def on_bound(self, params: np.ndarray) -> np.ndarray:
        """Return whether each parameter was fitted and lies on a bound."""
        return self.free[:, None] & ~self.inside(params)

    def test_dof(self, params: np.ndarray) -> np.ndarray:
        """Return the degrees of freedom to test each curve by: the points did not choose a parameter on its bound."""
        return self.dof + self.on_bound(params).sum(axis=0)

    def names_on_bound(self, params: np.ndarray) -> np.ndarray:
        """Return the names of the parameters of each curve that lie on a bound, as text with commas."""
        on = self.on_bound(params)
        names = np.full(params.shape[1], "", object)
        for k in np.flatnonzero(on.any(axis=1)):
            names[on[k]] = [f"{name}, {self.law.names[k]}".removeprefix(", ") for name in names[on[k]]]
        return names

    def rmse(self, params: np.ndarray) -> np.ndarray:
        """Return the root of the residual sum of squares over the degrees of freedom, unweighted; NaN without any."""
        residuals = self.law.function(self.x, *params) - self.y
        squares = np.einsum("nr,nr->r", residuals, residuals)
        return np.where(self.dof > 0, np.sqrt(squares / np.maximum(self.dof, 1)), np.nan)

    def covariance(self, params: np.ndarray) -> np.ndarray:
        """Return the inverse of the normal matrix of each curve, from a QR factor; 0 for what is held or on a bound.

        NaN where the points do not determine the parameters.
        """
        jacobian = np.where(self.inside(params)[:, None], self.jacobian(params), 0.0).transpose(2, 1, 0)
        length = np.sqrt(np.sum(jacobian**2, axis=1))
        still = ~(length > 0)
        length = np.where(still, 1.0, length)
        rows = np.eye(len(params)) * still[:, None]  # a row of its own for what does not move keeps the factor square
        factor = np.linalg.qr(np.concatenate([jacobian / length[:, None], rows], axis=1), mode="r")
        singular = np.min(np.abs(np.diagonal(factor, axis1=1, axis2=2)), axis=1) < _SINGULAR
        singular |= ~np.isfinite(factor).all(axis=(1, 2))
        inverse = np.linalg.inv(np.where(singular[:, None, None], np.eye(len(params)), factor))
        normal = np.where(singular[:, None, None], np.nan, inverse @ inverse.transpose(0, 2, 1))
        normal = np.where(still[:, :, None] | still[:, None, :], 0.0, normal)
        with np.errstate(over="ignore"):  # of a parameter that hardly moves a point the variance is infinite
            return normal / length[:, :, None] / length[:, None, :]

    def standard_errors(self, params: np.ndarray, residual_sd: float | np.ndarray) -> np.ndarray:
        """Return standard errors of the parameters, parameters × curves; NaN for what is held or on a bound.

        NaN, too, where the points do not determine the parameters, as for one that moves no point.
        """
        variance = np.diagonal(self.covariance(params), axis1=1, axis2=2).T
        return np.where(self.inside(params) & (variance > 0), np.sqrt(variance) * residual_sd, np.nan)

    def exact(self, squares: float | np.ndarray) -> np.ndarray:
        """Return whether a sum of squares is the arithmetic's: the curve passes through every point."""
        return np.sqrt(squares) <= _EXACT * self.norm

    def residual_sd(
        self, squares: np.ndarray, *, sigma: float | None = None, step: float = np.nan
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the standard deviation of a weighted residual of each curve, and where it comes from.

        ``sqrt(squares / dof)``, but no less than printed numbers can tell: rounding to a step alone has the standard
        deviation ``step / sqrt(12)``, times the root mean square of the weights. NaN where nothing tells it; 1 where
        the errors of the points are given, for the weights are in units of them.
        """
        if self.error == GIVEN_PER_POINT:
            origin = FROM_REPEATS if self.repeats and self.repeats.rows else GIVEN_PER_POINT
            return np.ones(self.n_curves), np.full(self.n_curves, origin, object)
        if sigma is not None:
            return np.full(self.n_curves, float(sigma)), np.full(self.n_curves, "given", object)
        dof = self.dof
        residual, floor, unknown = np.sqrt(squares / np.maximum(dof, 1)), 0.0, (dof < 1) | ~np.isfinite(squares)
        if step > 0:
            floor = np.sqrt((self.weights**2).sum(axis=0) / self.n_points) * step / np.sqrt(12)
        else:
            unknown |= self.exact(squares)
        origin = np.where(unknown, "none", np.where(residual < floor, "resolution", "residuals"))
        return np.where(unknown, np.nan, np.fmax(residual, floor)), origin.astype(object)

    def profile_threshold(self, residual_sd: np.ndarray, level: float, *, sigma_given: bool) -> np.ndarray:
        """Return how far the sum of squares may rise within an interval: ``s² F(1, dof)`` at the level.

        s is the residual standard deviation; where it was given chi-squared stands for F, and F has the degrees of
        freedom of the repeats where it is from these. The rise is the same for an estimate on its bound, where the
        whole tail could lie on the one side that remains: to choose by the estimate costs coverage where the truth is
        near.
        """
        if self.repeats is not None:
            return residual_sd**2 * special.fdtri(1, self.repeats.dof, level)
        if sigma_given:
            return residual_sd**2 * special.chdtri(1, 1 - level)
        return residual_sd**2 * special.fdtri(1, np.maximum(self.dof, 1), level)


def _bounded_search(curves, start, free, damping=0.0, steps=None):
    """The parameters of least squares within the bounds, the sums of squares, and where the gradient vanishes."""
    low, high = curves.bounds
    params = np.minimum(np.maximum(start, low), high)
    if params.shape[1] == 1 and free.all() and (last := _single_full_step(curves, params)) is not None:
        return last
    squares = np.full(params.shape[1], np.inf)
    converged = np.zeros(params.shape[1], bool)
    search = _Search(curves, params, free, damping)
    search.patience = _IDLE if steps else _PATIENT
    for _ in range(steps or _STEPS):
        done = search.step()
        if done.all():
            break
        if done.mean() > 1 - _COMPRESS:
            search.write(done, params, squares, converged)
            search = search.only(~done)
    search.write(np.ones(len(search.columns), bool), params, squares, converged)
    return params, squares, converged


def _single_full_step(curves, params):
    """The answer of one full step where the start is the minimum but for its last digits; None elsewhere.

    The start of many a law is least squares itself. On a bound, or further from the minimum, a search has to be made.
    """
    low, high = curves.bounds
    with np.errstate(all="ignore"):
        residuals = curves.residuals(params)[:, 0]
        squares = residuals @ residuals
        columns = (curves.law.gradient(curves.x, *params) * curves.weights)[:, :, 0].T
        length = np.sqrt(np.einsum("np,np->p", columns, columns))
        columns = columns / length
        slope = np.abs(residuals @ columns).max()
        if not slope**2 <= _ANGLE**2 * squares + (_ROUNDING * curves.norm[0]) ** 2:  # nor where one is NaN
            return None
        _, move, singular = dgels(columns, -residuals)
        tried = params + (move[: len(length)] / length)[:, None]
        if singular or not ((tried > low) & (tried < high)).all():
            return None
        residuals = curves.residuals(tried)[:, 0]
        least = residuals @ residuals
    return (tried, np.array([least]), np.ones(1, bool)) if least <= squares * (1 + _FLAT) else None


class _Search:
    """The curves whose search still goes on, and how far it has come. A step changes it in place."""

    def __init__(self, curves, params, free, damping):
        count = params.shape[1]
        self.curves, self.bounds, self.free = curves, curves.bounds, free
        self.columns = np.arange(count)
        self.x, self.y, self.weights = curves.x, curves.y, curves.weights
        self.params, self.damping = params.copy(), np.full(count, damping, float)
        self.scale = np.zeros(params.shape)  # the longest that each column of the Jacobian has been
        self.residuals, self.squares = self._residuals(self.params)
        self.patience = _PATIENT
        self.done = self.converged = np.zeros(count, bool)
        self.idle = np.zeros(count, int)  # steps since the sum of squares changed
        self.floor = _ROUNDING**2 * curves.norm**2

    def only(self, keep):
        """The search of some of its columns; an array with one column for all curves stays whole."""
        part = lambda array: array if array.shape[1] == 1 else array[:, keep]  # noqa: E731
        other = object.__new__(_Search)
        other.curves, other.patience, other.bounds = self.curves, self.patience, self.bounds
        for name in ("columns", "damping", "squares", "done", "converged", "floor", "idle"):
            setattr(other, name, np.broadcast_to(getattr(self, name), keep.shape)[keep])
        for name in ("x", "y", "weights", "residuals", "params", "free", "scale"):
            setattr(other, name, part(getattr(self, name)))
        return other

    def write(self, which, params, squares, converged):
        """Write the results of some columns where the caller looks for them."""
        to = self.columns[which]
        params[:, to], squares[to], converged[to] = self.params[:, which], self.squares[which], self.converged[which]

    def _residuals(self, params):
        """The weighted residuals, and their sum of squares; infinite where the law has no value."""
        with np.errstate(all="ignore"):
            residuals = (self.curves.fitted(self.x, params) - self.y) * self.weights
            squares = np.einsum("nr,nr->r", residuals, residuals)
        return residuals, np.where(np.isfinite(squares), squares, np.inf)

    def step(self):
        """Try one step of every column; return which are done.

        A step that does not raise the sum of squares is taken and the damping falls to a tenth, at last to none, which
        is Gauss's and Newton's step and converges fastest. Another is left, and the damping grows tenfold.
        """
        with np.errstate(all="ignore"):
            jacobian = self.curves.law.gradient(self.x, *self.params)
            jacobian *= self.weights
            move, converged = self._move(jacobian)
            tried = np.minimum(np.maximum(self.params + move, self.bounds[0]), self.bounds[1])
            residuals, squares = self._residuals(tried)
            # A full step that changes no more than the last digits of the parameters cannot be improved on.
            least = (np.abs(tried - self.params) <= _LAST_DIGITS * np.abs(self.params)).all(axis=0)
        converged |= least & (self.damping == 0)
        # Near the minimum the sum of squares no longer tells two points apart, while the gradient still does.
        better = (squares <= (np.sqrt(self.squares) * (1 + _FLAT) + np.sqrt(self.floor)) ** 2) & ~self.done
        if better.all():
            self.params, self.residuals = tried, residuals
        else:
            self.params = np.where(better, tried, self.params)
            self.residuals = np.where(better, residuals, self.residuals)
        stuck = ~better & ((self.damping > _MOST_DAMPING) | (tried == self.params).all(axis=0))
        self.idle = np.where(better & (squares < self.squares * (1 - _FLAT)), 0, self.idle + better)
        self.squares = np.where(better, squares, self.squares)
        raised = np.clip(self.damping * 10, _FIRST_DAMPING, 10 * _MOST_DAMPING)
        lowered = np.where(self.damping > _LEAST_DAMPING, self.damping / 10, 0.0)
        self.damping = np.where(better, lowered, raised)
        self.converged = self.converged | converged
        self.done = self.done | converged | stuck | (self.idle > self.patience)
        return self.done

    def _move(self, jacobian):
        """The damped step in the free parameters, and whether the gradient vanishes already."""
        slope = np.einsum("pnr,nr->pr", jacobian, self.residuals)
        low, high = self.bounds
        # The active set: what is fixed, and what lies on a bound that the slope presses it against.
        active = ~self.free | (self.params <= low) & (slope > 0) | (self.params >= high) & (slope < 0)
        length = np.sqrt(np.einsum("pnr,pnr->pr", jacobian, jacobian))
        self.scale = np.fmax(self.scale, length)  # no leap where a column vanishes (Moré 1978)
        length = np.where(active | ~(length > 0), 1.0, length)
        slope = np.where(active, 0.0, slope / length)
        damping = self.damping * np.where(active, 1.0, self.scale / length) ** 2 if self.damping.any() else 0 * length
        columns = np.where(active[:, None], 0.0, jacobian / length[:, None])
        if len(self.columns) > _FEW_CURVES:
            normal = np.einsum("inr,jnr->ijr", columns, columns)
            normal[np.diag_indices(len(normal))] = 1 + damping  # an active one does not move
            move = solve_positive_definite(normal, -slope)
        else:
            move = _qr_solve(columns, self.residuals, damping, active)
        move = np.where(active, 0.0, move / length)  # an active one stays a number where the others have no step
        return move, (slope**2).max(axis=0) <= _ANGLE**2 * self.squares + self.floor


def _qr_solve(jacobian, residuals, damping, active):
    """The step from a QR factor: twice the digits of the normal equations, for the hard single problem."""
    n_params, _, n_curves = jacobian.shape
    moves = np.full((n_params, n_curves), np.nan)
    for k in range(n_curves):
        rows = np.diag(np.sqrt(np.where(active[:, k], 1.0, damping[:, k])))
        whole = np.concatenate([jacobian[:, :, k].T, rows])
        right = np.concatenate([-residuals[:, k], np.zeros(n_params)])
        if np.isfinite(whole).all() and np.isfinite(right).all():
            _, solution, singular = dgels(whole, right)
            if not singular:
                moves[:, k] = solution[:n_params]
    return moves
