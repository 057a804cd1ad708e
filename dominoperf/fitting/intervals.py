"""Intervals of parameters: Wald's, and the profile.

The profile of a parameter at a value is the least sum of squares with the parameter held there. The ends of its
interval lie where that has risen by a threshold; `profile_intervals` finds them for many curves at once. The interval
of a quantity that follows from all parameters, as the peak of a curve, is in `confidence_region`.
"""

import numpy as np

_NEAR_LIMIT = 1e-9  # of the limit: as close as the end of an interval is sought
_PROFILE_STEPS = 200  # of the search for an end: after these it gives up, and the end is NaN
_INNER = 60  # steps of a search with a parameter held, which begins next to its answer
_NOTHING = 1e-20  # share of the estimate: an end below it counts as 0, where 0 is the bound
_STEP_DOUBLINGS = 40  # of the first step: beyond that the points do not bound the parameter


def wald_intervals(curves, params, thresholds):
    """Return low and high, parameters × curves: estimate minus and plus its standard errors, within the bounds."""
    half = curves.standard_errors(params, np.sqrt(thresholds))
    return np.clip([params - half, params + half], *curves.bounds)


def profile_intervals(curves, params, thresholds, squares):
    """Return how far each parameter goes until the least sum of squares has risen so much, and all parameters there.

    `params` are the best ones, parameters × curves; the sum of squares of each curve may rise from `squares` by
    `thresholds`. The ends are low and high, parameters × curves: NaN for what is held, and for a curve without a rise.
    Of all parameters there, or next to there, each end has a row in front.
    """
    which, columns = np.nonzero(curves.free[:, None] & np.isfinite(thresholds))
    ends = np.full((2, *params.shape), np.nan)
    furthest = np.broadcast_to(params, (2, len(params), *params.shape)).copy()
    # How far each parameter goes when the sum of squares rises by one, to first order.
    inside = np.sqrt(np.diagonal(curves.covariance(params), axis1=1, axis2=2)).T
    with np.errstate(divide="ignore"):  # a parameter that moves no point goes any way
        alone = 1 / np.sqrt(np.sum(curves.jacobian(params) ** 2, axis=1))
    first = np.sqrt(thresholds[columns]) * np.where(inside > 0, inside, alone)[which, columns]
    # Both sides at once: the low end of each, then the high end.
    edges = np.concatenate([np.broadcast_to(edge, params.shape)[which, columns] for edge in curves.bounds])
    side, which, columns = np.repeat([0, 1], len(which)), np.tile(which, 2), np.tile(columns, 2)
    limit, step = (squares[columns], thresholds[columns]), np.concatenate([-first, first])
    found, there = _profile_ends(curves.take(columns), which, params[:, columns], limit, step, edges)
    ends[side, which, columns], furthest[side, which, :, columns] = found, there.T
    return ends, furthest


def _profile_ends(curves, which, best, limit, first, edges):
    """Where the profile of parameter `which` of each curve reaches the limit, or the edge; and all parameters there.

    Newton's method on the root of the rise, nearly a straight line in the value, kept in a bracket that shrinks. The
    first step is `first`.
    """
    (squares, threshold), columns = limit, np.arange(len(which))
    bracket = _ProfileBracket(best[which, columns], first, edges)
    nearby = best.copy()
    for _ in range(_PROFILE_STEPS):
        at = np.flatnonzero(np.isnan(bracket.end))
        if not len(at):
            break
        some, held = curves.take(at), (which[at], np.arange(len(at)))
        params, free = nearby[:, at], np.repeat(curves.free[:, None], len(at), axis=1)
        params[held], free[held] = bracket.value[at], False
        solved, least, _ = some.solve(params, free, steps=_INNER)
        risen = np.maximum(least - squares[at], 0.0)
        with np.errstate(all="ignore"):
            slope = some.slope(solved)[held]
        nearby[:, at] = np.where(risen <= threshold[at], solved, nearby[:, at])
        bracket.shrink(at, risen, threshold[at], slope)
    return bracket.end, nearby


class _ProfileBracket:
    """Between which values each end is known to lie, and the value to try next. Changed in place."""

    def __init__(self, start, first, edges):
        self.start, self.edges = start, edges
        self.inner, self.outer = start.copy(), edges.astype(float)
        self.passed = np.zeros(len(start), bool)  # whether the limit was passed: the end lies before `outer`
        self.doublings = np.zeros(len(start), int)
        self.end = np.where(start == edges, edges, np.nan)
        value = start + first
        self.value = np.where(edges > start, np.minimum(value, edges), np.maximum(value, edges))

    def shrink(self, at, risen, threshold, slope):
        """Take in the rise at the values of some curves; choose their next values, or end them."""
        start, edges, value, within = self.start[at], self.edges[at], self.value[at], risen <= threshold
        self.inner[at] = np.where(within, value, self.inner[at])
        self.outer[at] = np.where(within, self.outer[at], value)
        self.passed[at] |= ~within
        self.doublings[at] += ~self.passed[at]
        inner, outer, passed = self.inner[at], self.outer[at], self.passed[at]
        close = np.abs(risen - threshold) <= _NEAR_LIMIT * threshold
        close |= passed & (np.abs(outer - inner) <= np.maximum(1e-9 * np.abs(value), 1e-22 * np.abs(start)))
        # Doubled so often without reaching the limit, the value may go anywhere: the end is the edge, infinite or not.
        unbound = (within & (value == edges)) | (self.doublings[at] > _STEP_DOUBLINGS)
        gone = passed & (outer == edges) & (np.abs(inner) <= _NOTHING * np.abs(start))
        unbound |= gone & (edges == 0)
        self.end[at] = np.where(close, value, np.where(unbound, edges, np.nan))
        # Newton's value where it lies inside the bracket, else the middle of it, or a step twice as far.
        with np.errstate(all="ignore"):  # on the root of the rise, whose derivative is slope / (2 root)
            newton = value + (np.sqrt(threshold) - np.sqrt(risen)) * 2 * np.sqrt(risen) / slope
            good = np.isfinite(newton) & ((newton > inner) != (newton > outer))
            good &= passed | (np.abs(newton - start) <= 8 * np.abs(value - start))  # no leap into the unknown
            twice = start + 2 * (value - start)
            twice = np.where(outer > start, np.minimum(twice, outer), np.maximum(twice, outer))
            self.value[at] = np.where(good, newton, np.where(passed, (inner + outer) / 2, twice))
