"""Least squares within bounds for many curves at once: Levenberg's and Marquardt's steps, a column per curve.

Arrays are laid out points first, curves last, so that every sum over the points of a curve runs along memory. A curve
that has converged drops out of the later steps.
"""

import numpy as np

from dominoperf.laws.solving import symmetric

_ANGLE = 1e-10  # converged when no column of the Jacobian makes a cosine above this with the residuals
_FLAT = 1e-13  # a sum of squares that changes by less of itself has not changed
# Steps without a change after which a search never converges: it runs off to infinity. Fewer where steps are limited.
_IDLE, _PATIENT = 12, 40
ROUNDING = 16 * np.finfo(float).eps  # of y: residuals below it are the arithmetic's, and so is their gradient
_FIRST_DAMPING, _LEAST_DAMPING, _MOST_DAMPING = 1e-3, 1e-9, 1e16
_FEW = 8  # curves for which a QR factor each is quick enough
_STEPS = 2000  # the hardest certified problems from their far starts need several hundred
_COMPRESS = 0.7  # copy the curves still at work together when fewer than this share of the columns are


def solve(function, gradient, x, points, start, bounds, free, damping=0.0, steps=None):
    """Return the parameters that make each curve's weighted sum of squares least, within the bounds.

    Parameters
    ----------
    function, gradient : callable
        ``function(x, params)`` gives the curves, ``gradient(x, params)`` their derivatives by each parameter stacked
        in front. A curve that cannot be is NaN.
    x : ndarray
        With a column per curve or one for all.
    points : tuple of ndarray
        y and weights, points × curves.
    start, free : ndarray
        Parameters to begin with and whether each is sought, parameters × curves.
    bounds : tuple of ndarray
        Low and high, broadcast to the parameters.
    damping : float or ndarray
        How short the first steps are; 0, Gauss's and Newton's full ones, for a start that is near.
    steps : int, optional
        How many at most.

    Returns
    -------
    params, squares, converged : ndarray
        The best parameters, the sum of squares there, and whether the gradient vanishes there.
    """
    found = np.clip(start, *bounds)
    squares = np.full(found.shape[1], np.inf)
    converged = np.zeros(found.shape[1], bool)
    work = _Work((function, gradient), x, points, found, bounds, free, damping)
    work.patience = _IDLE if steps else _PATIENT
    for _ in range(steps or _STEPS):
        done = work.step()
        if done.all():
            break
        if done.mean() > 1 - _COMPRESS:
            work.hand_over(done, found, squares, converged)
            work = work.of(~done)
    work.hand_over(np.ones(len(work.columns), bool), found, squares, converged)
    return found, squares, converged


class _Work:
    """The curves still at work. The one mutable thing here: a step changes it in place."""

    def __init__(self, curve, x, points, params, bounds, free, damping):
        self.function, self.gradient = curve
        self.x, self.bounds = x, bounds
        self.columns = np.arange(params.shape[1])
        self.y, self.weights = points
        self.params, self.free = params.copy(), free
        self.damping = np.full(params.shape[1], damping, float)
        self.scale = np.zeros(params.shape)  # the longest that each column of the Jacobian has been
        self.residuals, self.squares = self._residuals(self.params)
        self.patience = _PATIENT
        self.done = self.converged = np.zeros(params.shape[1], bool)
        self.idle = np.zeros(params.shape[1], int)
        self.floor = ROUNDING**2 * np.sum((self.weights * self.y) ** 2, axis=0)

    def of(self, keep):
        """The same work on some of its columns."""
        other = object.__new__(_Work)
        other.function, other.gradient, other.patience = self.function, self.gradient, self.patience
        for name in ("columns", "damping", "squares", "done", "converged", "floor", "idle"):
            setattr(other, name, np.broadcast_to(getattr(self, name), keep.shape)[keep])
        for name in ("y", "weights", "residuals", "params", "free", "scale"):
            setattr(other, name, _kept(getattr(self, name), keep))
        other.bounds, other.x = tuple(_kept(each, keep) for each in self.bounds), _kept(self.x, keep)
        return other

    def hand_over(self, which, params, squares, converged):
        """Write the results of some columns where the caller looks for them."""
        to = self.columns[which]
        params[:, to], squares[to], converged[to] = self.params[:, which], self.squares[which], self.converged[which]

    def _residuals(self, params):
        with np.errstate(all="ignore"):
            residuals = (self.function(self.x, params) - self.y) * self.weights
            squares = np.einsum("nr,nr->r", residuals, residuals)
        return residuals, np.where(np.isfinite(squares), squares, np.inf)

    def step(self):
        """Try one step of every column; tell which are done.

        A step that does not raise the sum of squares is taken and the damping falls to a tenth, at last to none, which
        is Gauss's and Newton's step and converges fastest. Another is left, and the damping grows tenfold.
        """
        with np.errstate(all="ignore"):
            jacobian = self.gradient(self.x, self.params)
            jacobian *= self.weights
            move, converged = self._move(jacobian)
            tried = np.clip(self.params + move, *self.bounds)
            residuals, squares = self._residuals(tried)
        # Near the minimum the sum of squares no longer tells two points apart, while the gradient still does.
        better = (squares <= (np.sqrt(self.squares) * (1 + _FLAT) + np.sqrt(self.floor)) ** 2) & ~self.done
        if better.all():
            self.params, self.residuals = tried, residuals
        else:
            self.params = np.where(better, tried, self.params)
            self.residuals = np.where(better, residuals, self.residuals)
        stuck = ~better & ((self.damping > _MOST_DAMPING) | np.all(tried == self.params, axis=0))
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
        held = ~self.free | (self.params <= low) & (slope > 0) | (self.params >= high) & (slope < 0)
        length = np.sqrt(np.einsum("pnr,pnr->pr", jacobian, jacobian))
        self.scale = np.fmax(self.scale, length)  # no leap where a column vanishes (Moré 1978)
        length = np.where(held | ~(length > 0), 1.0, length)
        slope = np.where(held, 0.0, slope / length)
        damping = self.damping * np.where(held, 1.0, self.scale / length) ** 2 if self.damping.any() else 0 * length
        if len(self.columns) > _FEW:
            move = symmetric(_normal(jacobian, length, held, damping), -slope)
        else:
            move = _qr_solve(np.where(held[:, None], 0.0, jacobian / length[:, None]), self.residuals, damping, held)
        move = np.where(held, 0.0, move / length)  # a held one stays a number where the others have no step
        return move, np.max(slope**2, axis=0) <= _ANGLE**2 * self.squares + self.floor


def _kept(array, keep):
    """Some columns of an array; all of one that has a single column for all curves."""
    return array if array.shape[1] == 1 else array[:, keep]


def _normal(jacobian, length, held, damping):
    """The normal equations of columns of length one; those of a held parameter say that it does not move."""
    count, some = len(jacobian), held.any()
    matrix = [[None] * count for _ in range(count)]
    for i in range(count):
        for j in range(i):
            product = np.einsum("nr,nr->r", jacobian[i], jacobian[j]) / (length[i] * length[j])
            matrix[i][j] = np.where(held[i] | held[j], 0.0, product) if some else product
        matrix[i][i] = 1 + damping[i]
    return matrix


def _qr_solve(jacobian, residuals, damping, held):
    """The step from a QR factor: twice the digits of the normal equations, for the hard single problem."""
    rows = np.eye(len(held)) * np.sqrt(np.where(held, 1.0, damping)).T[:, None]
    whole = np.concatenate([jacobian.transpose(2, 1, 0), rows], axis=1)
    right = np.concatenate([-residuals.T, np.zeros((residuals.shape[1], len(held)))], axis=1)
    if not np.isfinite(whole).all() or not np.isfinite(right).all():
        return np.full(held.shape, np.nan)
    q, r = np.linalg.qr(whole)
    r = np.where(np.abs(np.diagonal(r, axis1=1, axis2=2)).min(axis=1)[:, None, None] > 0, r, np.nan)
    singular = ~np.isfinite(r).all(axis=(1, 2))
    solved = np.linalg.solve(
        np.where(singular[:, None, None], np.eye(len(held)), r), q.transpose(0, 2, 1) @ right[..., None]
    )
    return np.where(singular, np.nan, solved[..., 0].T)
