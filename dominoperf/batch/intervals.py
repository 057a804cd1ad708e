"""Intervals, many at once: how far a quantity can go until the least sum of squares has risen to a limit."""

from dataclasses import replace

import numpy as np

from dominoperf.batch.curves import Turned
from dominoperf.laws import gradient

_NEAR = 1e-9  # of the limit: as close as the end of an interval is sought
_STEPS = 200  # of the search for an end; one that has not come near by then stays unknown, NaN
_INNER = 60  # steps of a search with a quantity held, which begins next to its answer
_DOUBLINGS = 40  # of the first step: beyond that the points do not bound the quantity


def of_parameters(curves, params, squares, spread, how, level, *, known=False):
    """Give the ends of the interval of every parameter of every curve: low and high, parameters × curves.

    `how` is "profile", one-sided for an estimate on its bound, or "wald"; `known` says that the spread was given. Both
    end at the bounds, between which the parameter is known to lie. A held parameter, and a curve without a spread, has
    NaN.
    """
    if how == "wald":
        half = curves.standard_errors(params, np.sqrt(curves.rise(spread, level, known=known)))
        return np.clip([params - half, params + half], *curves.bounds)
    rises = [curves.rise(spread, level, known=known, one_sided=one_sided) for one_sided in (False, True)]
    which, columns = np.nonzero(curves.free[:, None] & np.isfinite(rises[0]))
    found = np.full((2, *params.shape), np.nan)
    normal = _step_sizes(curves, params, curves.covariance(params))
    for side in (0, 1):
        edges = np.broadcast_to(curves.bounds[side], params.shape)[which, columns]
        on_bound = ~curves.inside(params)[which, columns]
        rise = np.where(on_bound, rises[1][columns], rises[0][columns])
        first = np.sqrt(rise) * normal[which, columns]
        tasks = curves.take(columns)
        found[side][which, columns] = _ends(
            tasks, which, params[:, columns], (squares[columns], rise), first, edges, side
        )
    return found


def of_quantity(curves, params, squares, rise, function, at, edges):
    """Give the ends of the interval of ``function(at, *params)`` at each `at`, of one curve: low and high.

    The quantity takes the place of one parameter, the pivot, and is profiled as if it were that parameter. The pivot
    is the one that moves the quantity most within its own error: through another the quantity could hardly be held.

    Parameters
    ----------
    curves : Curves
        A single one.
    params : ndarray
        The best parameters, parameters × 1.
    squares, rise : float
        The least sum of squares, and how far it may rise within the interval.
    function : callable
        Of arrays and complex parameters, as those of a law.
    at : ndarray
    edges : pair of float
        Between which the quantity is known to lie; an end that the points do not bound is the edge.

    Returns
    -------
    ndarray
        2 × len(at); NaN where the quantity has no value, or no parameter moves it.
    """
    values = np.broadcast_to(function(at, *params), at.shape).astype(float)
    slope = np.broadcast_to(gradient(lambda *each: function(at, *each), list(params)), (len(params), len(at)))
    covariance = curves.covariance(params)
    weight = np.abs(slope) * np.where(curves.inside(params), _step_sizes(curves, params, covariance), 0.0)
    size = np.sqrt(np.einsum("pt,pq,qt->t", slope, covariance[0], slope))
    first = np.sqrt(rise) * np.where(size > 0, size, np.abs(values))
    found = np.full((2, len(at)), np.nan)
    for pivot in range(len(params)):
        mine = np.flatnonzero((np.argmax(weight, axis=0) == pivot) & np.isfinite(values) & (weight[pivot] > 0))
        if len(mine):
            asked = at[mine], values[mine], first[mine]
            found[:, mine] = _of_pivot(curves, params, (squares, rise), function, asked, pivot, edges)
    return found


def _of_pivot(curves, params, limit, function, asked, pivot, edges):
    """The ends where the quantity takes the place of one parameter."""
    at, values, first = asked
    columns = np.zeros(len(at), int)
    tasks = curves.take(columns)
    bounds = tuple(float(edge[pivot, 0]) for edge in curves.bounds)
    turned = Turned(function, pivot, at[None], np.full((1, len(at)), params[pivot, 0]), bounds)
    tasks = replace(tasks, turned=turned, law=_unbound(curves.law, pivot))
    best = params[:, columns].copy()
    best[pivot] = values
    squares, rise = (np.broadcast_to(each, len(at)) for each in limit)
    which = np.full(len(at), pivot)
    return np.array([
        _ends(tasks, which, best, (squares, rise), first, np.full(len(at), float(edges[side])), side) for side in (0, 1)
    ])  # fmt: skip


def _unbound(law, pivot):
    """The law whose pivot stands for a quantity: it has not the bounds of the parameter."""
    param = replace(law.params[pivot], low=-np.inf, high=np.inf)
    return replace(law, params=(*law.params[:pivot], param, *law.params[pivot + 1 :]))


def _step_sizes(curves, params, covariance):
    """How far each parameter goes when the sum of squares rises by one, to first order."""
    inside = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)).T
    jacobian = np.broadcast_to(curves.law.gradient(curves.x, *params), (len(params), *curves.y.shape)) * curves.weights
    with np.errstate(divide="ignore"):  # a parameter that moves no point goes any way
        alone = 1 / np.sqrt(np.sum(jacobian**2, axis=1))
    return np.where(inside > 0, inside, alone)


def _ends(tasks, which, best, limit, first, edges, side):
    """One end for each task: where the profile of parameter `which` of its curve reaches the limit, or the edge.

    Newton's method on the root of the rise, nearly a straight line in the value, kept in a bracket that shrinks.
    """
    squares, rise = limit
    search = _Search(best[which, np.arange(len(which))], first * (1, -1)[side == 0], edges)
    nearby = best.copy()
    for _ in range(_STEPS):
        at = search.open()
        if not len(at):
            break
        solved, risen, slope = _risen(tasks.take(at), which[at], nearby[:, at], search.value[at], squares[at])
        nearby[:, at] = np.where(risen <= rise[at], solved, nearby[:, at])
        search.learn(at, risen, rise[at], slope)
    return search.found


def _risen(tasks, which, params, values, squares):
    """Hold a parameter of each task at a value; give the rest, the rise of the sum of squares, and its derivative."""
    columns = np.arange(len(which))
    params = params.copy()
    params[which, columns] = values
    free = np.repeat(tasks.free[:, None], len(which), axis=1)
    free[which, columns] = False
    solved, risen, _ = tasks.solve(params, free, steps=_INNER)
    with np.errstate(all="ignore"):
        slope = tasks.slope(solved)[which, columns]
    return solved, np.maximum(risen - squares, 0.0), slope


class _Search:
    """Where each end is known to lie: the state of the search. Changed in place."""

    def __init__(self, start, first, edges):
        self.start, self.edges = start, edges
        self.inner, self.outer = start.copy(), edges.astype(float)
        self.beyond = np.zeros(len(start), bool)  # whether the end is known to lie before `outer`
        self.doublings = np.zeros(len(start), int)
        self.found = np.where(start == edges, edges, np.nan)
        self.value = self._clipped(start + first, edges)

    def open(self):
        """The tasks still at work."""
        return np.flatnonzero(np.isnan(self.found))

    def _clipped(self, value, edges):
        return np.where(edges > self.start, np.minimum(value, edges), np.maximum(value, edges))

    def learn(self, at, risen, rise, slope):
        """Take in the rise at the values of some tasks; choose their next values, or end them."""
        value, within = self.value[at], risen <= rise
        self.inner[at] = np.where(within, value, self.inner[at])
        self.outer[at] = np.where(within, self.outer[at], value)
        self.beyond[at] |= ~within
        self.doublings[at] += ~self.beyond[at]
        inner, outer, beyond = self.inner[at], self.outer[at], self.beyond[at]
        close = np.abs(risen - rise) <= _NEAR * rise
        close |= beyond & (np.abs(outer - inner) <= np.maximum(1e-9 * np.abs(value), 1e-22 * np.abs(self.start[at])))
        # Doubled so often without reaching the limit, the value may go anywhere: the end is the edge, infinite or not.
        unbound = (within & (value == self.edges[at])) | (self.doublings[at] > _DOUBLINGS)
        self.found[at] = np.where(close, value, np.where(unbound, self.edges[at], np.nan))
        with np.errstate(all="ignore"):  # on the root of the rise, whose derivative is slope / (2 root)
            newton = value + (np.sqrt(rise) - np.sqrt(risen)) * 2 * np.sqrt(risen) / slope
        self.value[at] = self._next(at, newton, inner, outer)

    def _next(self, at, newton, inner, outer):
        """Newton's value inside the bracket, else the middle of it, or a step twice as far."""
        start, value, beyond = self.start[at], self.value[at], self.beyond[at]
        good = np.isfinite(newton) & ((newton > inner) != (newton > outer))
        good &= beyond | (np.abs(newton - start) <= 8 * np.abs(value - start))  # no leap into the unknown
        twice = start + 2 * (value - start)
        twice = np.where(outer > start, np.minimum(twice, outer), np.maximum(twice, outer))
        with np.errstate(all="ignore"):
            return np.where(good, newton, np.where(beyond, (inner + outer) / 2, twice))
