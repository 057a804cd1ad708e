"""Intervals, many at once: how far a quantity can go until the least sum of squares has risen to a limit."""

import numpy as np

_NEAR = 1e-9  # of the limit: as close as the end of an interval is sought
_STEPS = 200  # of the search for an end; one that has not come near by then stays unknown, NaN
_INNER = 60  # steps of a search with a quantity held, which begins next to its answer
_NOTHING = 1e-20  # of the estimate: a parameter that may be as little as that may be nothing
_DOUBLINGS = 40  # of the first step: beyond that the points do not bound the quantity


def wald(curves, params, rises):
    """Estimate less and plus so many standard errors, within the bounds: low and high, parameters × curves."""
    half = curves.standard_errors(params, np.sqrt(rises))
    return np.clip([params - half, params + half], *curves.bounds)


def profile(curves, params, rises, squares):
    """How far each parameter goes until the least sum of squares has risen so much.

    Returns
    -------
    ends : ndarray
        Low and high, parameters × curves; NaN for what is held, and for a curve without a rise.
    furthest : ndarray
        All parameters there, or next to there: a row for each end in front.
    """
    which, columns = np.nonzero(curves.free[:, None] & np.isfinite(rises))
    found = np.full((2, *params.shape), np.nan)
    furthest = np.broadcast_to(params, (2, len(params), *params.shape)).copy()
    normal = _step_sizes(curves, params, curves.covariance(params))
    for side in (0, 1):
        edges = np.broadcast_to(curves.bounds[side], params.shape)[which, columns]
        rise = rises[columns]
        first = np.sqrt(rise) * normal[which, columns]
        tasks = curves.take(columns)
        found[side][which, columns], there = _ends(
            tasks, which, params[:, columns], (squares[columns], rise), first, edges, side
        )
        furthest[side, which, :, columns] = there.T
    return found, furthest


def _step_sizes(curves, params, covariance):
    """How far each parameter goes when the sum of squares rises by one, to first order."""
    inside = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)).T
    jacobian = np.broadcast_to(curves.law.gradient(curves.x, *params), (len(params), *curves.y.shape)) * curves.weights
    with np.errstate(divide="ignore"):  # a parameter that moves no point goes any way
        alone = 1 / np.sqrt(np.sum(jacobian**2, axis=1))
    return np.where(inside > 0, inside, alone)


def _ends(tasks, which, best, limit, first, edges, side):
    """One end for each task: where the profile of parameter `which` of its curve reaches the limit, or the edge.

    And all parameters there.

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
    return search.found, nearby


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
        gone = beyond & (outer == self.edges[at]) & (np.abs(inner) <= _NOTHING * np.abs(self.start[at]))
        unbound |= gone & (self.edges[at] == 0)
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
