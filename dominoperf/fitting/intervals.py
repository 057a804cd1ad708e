"""Intervals: Wald's and the profile of a parameter, and the profile of what follows from all parameters.

The profile of a parameter at a value is the least sum of squares with the parameter held there. The ends of its
interval lie where that has risen by a threshold; `profile_intervals` finds them for many curves at once.

The interval of a quantity that follows from the parameters, as the peak of a curve, has for its ends the smallest and
the largest value over a confidence region: all parameters within their bounds whose sum of squares is at most a limit.
The least sum of squares with a quantity held at a value is at most the limit just where some point of the region has
that value, so this is the profile again; where the region is in pieces, over all of them. Such an extreme lies inside
the box of the bounds or on one of its faces, where some parameters are on a bound and the others are free. With three
parameters there are few faces, so each is searched by itself, as a smooth problem with one constraint, and the
outermost answer counts: nothing is lost where a parameter meets its bound (`ConfidenceRegion`).
"""

import functools
import itertools
import warnings

import numpy as np

from dominoperf.laws import gradient

_NEAR_LIMIT = 1e-9  # of the limit: as close as the end of an interval is sought
_PROFILE_STEPS = 200  # of the search for an end: after these it gives up, and the end is NaN
_INNER = 60  # steps of a search with a parameter held, which begins next to its answer
_NOTHING = 1e-20  # share of the estimate: an end below it counts as 0, where 0 is the bound
_STEP_DOUBLINGS = 40  # of the first step: beyond that the points do not bound the parameter
_FAR = 1e6  # a quantity that may be so many times its estimate may be anything: the points do not bound it
_FACE_STEPS = 40  # of the search on a face
_RAY_DOUBLINGS, _RAY_HALVINGS = 24, 14  # along a ray, to find the limit
_INSIDE = 0.95  # of the way to a bound: so far a step on a face may go towards another
_NEAR = 1e-6  # of the gradient, and of the threshold: the error of the end is then the square of it
_GAIN = 1e-11  # of the quantity: what further steps bring no longer counts
_CURVED = 1e-6  # of how far a parameter moves alone: a step for second derivatives
_ROUNDS = 3  # of searches; a further one starts where another ended
_INWARDS = (0.2, 0.02, 0.002)  # of the way from a face to the middle: whether it goes higher there
_AT_ONCE = 64  # quantities whose searches are tried on one another
_CUTS = 12  # steps cut short at a bound: the answer lies on it, and another search has it
_DAMPED = 1e9  # a search stops when its steps have been shortened so much: the function is not smooth there


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
    size = np.abs(params[which, columns])  # far inside two loads nothing but rounding has a slope: no leap from there
    first = np.minimum(first, np.where(size > 0, _FAR * size, np.inf))
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


class ConfidenceRegion:
    """The parameters of one curve within its bounds whose sum of squares is at most ``squares + threshold``.

    Some of them are the `points`, parameters × points: the best of each face, the ends of rays from there, and where
    each parameter alone goes furthest, as `profile_intervals` has it. `face` is the face of each, a column of `free`
    (which parameters are free there), `starts` whether a search may begin at it: not where a bound cut it off before
    the limit. `middle` has a point well inside each face.
    """

    def __init__(self, curves, params, squares, threshold, furthest):
        self.curves, self.threshold, self.limit = curves, float(threshold), float(squares + threshold)
        self.scale = np.array([name == "scale" for name in curves.law.names])[:, None] & (params > 0)
        self.low, self.high = (self._coordinates(np.broadcast_to(edge, (len(params), 1))) for edge in curves.bounds)
        best, self.free = self._bests(params)
        self.points, self.face, self.starts = best, np.arange(best.shape[1]), np.ones(best.shape[1], bool)
        self._add_rays(best, self.face)
        self.middle = np.array([np.mean(self.points[:, self.face == k], axis=1) for k in range(best.shape[1])]).T
        off = (((best <= self.low) | (best >= self.high)) & self.free).any(axis=0)
        off = np.flatnonzero(off & (self.squares(self.middle) < self.limit))
        self._add_rays(self.middle[:, off], off)  # half of the directions lead out of a corner
        # Further points are on the face that their bounds say; no search starts at what is on none.
        furthest = self._coordinates(furthest)
        pinned = (furthest <= self.low) | (furthest >= self.high)
        same = (self.free[:, :, None] == (self.curves.free[:, None] & ~pinned)[:, None]).all(axis=0)
        self.points = np.concatenate([self.points, furthest], axis=1)
        self.face = np.concatenate([self.face, same.argmax(axis=0)])
        self.starts = np.concatenate([self.starts, same.any(axis=0)])

    def _bests(self, params):
        """The least sum of squares on each face that the region reaches; the first is the whole box."""
        pins = [[np.nan] for _ in params]  # NaN for a parameter left free, and the bounds that it may be put on
        for k in np.flatnonzero(self.curves.free & ~self.scale[:, 0]):
            pins[k] += [end for end in (self.low[k, 0], self.high[k, 0]) if np.isfinite(end)]
        faces = np.array([*itertools.product(*pins)]).T
        free = np.isnan(faces) & self.curves.free[:, None]
        faces, free = faces[:, free.any(axis=0)], free[:, free.any(axis=0)]
        start = np.where(np.isnan(faces), params, faces)
        curves = self.curves.take(np.zeros(faces.shape[1], int))
        best, squares, _ = curves.solve(start, free)
        self.limit = max(self.limit, float(squares[0]))  # a threshold that is nothing beside the squares is lost
        within = squares <= self.limit
        if not within[0]:  # no number is so large as these squares
            best[:, :1], within[0] = params, True
        return self._coordinates(best[:, within]), free[:, within]

    def _coordinates(self, params):
        """Coordinates of parameters: the logarithm of a scale, which may be of any order of magnitude."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.scale, np.log(params), params)

    def native(self, points):
        """The parameters of coordinates."""
        with np.errstate(over="ignore"):
            return np.where(self.scale, np.exp(points), points)

    def _add_rays(self, origin, face):
        """Add the ends of rays that go from an origin on each face in many directions, to the limit or to a bound."""
        if not len(face):
            return
        whitened = _whitening_matrix(self.jacobian(origin), self.free[:, face])
        directions = [_unit_steps_of_region(matrix) for matrix in whitened]
        which = np.repeat(np.arange(len(face)), [direction.shape[1] for direction in directions])
        direction, origin = np.concatenate(directions, axis=1), origin[:, which]
        bound = _INSIDE * self.fraction_to_bound(origin, direction)  # what lies on it belongs to another face
        length = np.minimum(np.sqrt(np.maximum(self.limit - self.squares(origin), 0.0)), bound)
        inner, outer = np.zeros_like(length), np.full_like(length, np.inf)
        for turn in range(_RAY_DOUBLINGS + _RAY_HALVINGS):
            within = self.squares(origin + direction * length) <= self.limit
            inner, outer = np.where(within, length, inner), np.where(within, outer, length)
            further = np.minimum(2 * length, bound) if turn < _RAY_DOUBLINGS else inner
            length = np.where(np.isinf(outer), further, (inner + outer) / 2)
        self.points = np.concatenate([self.points, origin + direction * inner], axis=1)
        self.face = np.concatenate([self.face, face[which]])
        self.starts = np.concatenate([self.starts, np.isfinite(outer)])

    def fraction_to_bound(self, params, direction):
        """How many times `direction` leads to the nearest bound."""
        with np.errstate(all="ignore"):
            times = np.where(direction > 0, self.high - params, self.low - params) / direction
        return np.min(np.where(direction == 0, np.inf, times), axis=0)

    def residuals(self, points):
        """Weighted residuals, points × columns; NaN where the law has no value."""
        with np.errstate(all="ignore"):
            return self.curves.residuals(self.native(points))

    def squares(self, points):
        """Weighted sums of squares; infinite where the law has no value."""
        with np.errstate(over="ignore"):
            sums = np.sum(self.residuals(points) ** 2, axis=0)
        return np.where(np.isfinite(sums), sums, np.inf)

    def jacobian(self, points):
        """Derivatives of the weighted curve by each coordinate, coordinates × points × columns."""
        params = self.native(points)
        with np.errstate(all="ignore"):
            slopes = self.curves.law.gradient(self.curves.x, *params)
            slopes = np.broadcast_to(slopes, (len(params), len(self.curves.x), params.shape[1])) * self.curves.weights
            return np.where(self.scale[:, None], slopes * params[:, None], slopes)

    def values(self, function, at, points):
        """A quantity at points, for each `at` or all of them."""
        with np.errstate(all="ignore"):
            values = np.real(function(at, *self.native(points)))
        return np.broadcast_to(values, np.broadcast_shapes(np.shape(at), points.shape[1:])).astype(float)

    def gradient(self, function, at, points):
        """Its derivatives by each coordinate."""
        params = self.native(points)
        with np.errstate(all="ignore"):
            slopes = np.broadcast_to(gradient(functools.partial(function, at), list(params)), params.shape)
            return np.where(self.scale, slopes * params, slopes)

    def slope(self, points):
        """Derivatives of the sum of squares by each coordinate."""
        return 2 * np.einsum("pnt,nt->pt", self.jacobian(points), self.residuals(points))

    def extremes(self, function, at, edges):
        """Return the smallest and the largest value of ``function(at, *params)`` at each `at`, 2 × len(at).

        The function takes arrays and complex parameters, as a law does; NaN, no value, counts as outside. The quantity
        is known to lie between the `edges`; an end that the points do not bound is the edge.
        """
        starts = range(0, max(len(at), 1), _AT_ONCE)
        return np.concatenate([self._extremes(function, at[k : k + _AT_ONCE], edges) for k in starts], axis=1)

    def _extremes(self, function, at, edges):
        """The same for some together: each is tried where the searches of the others ended."""
        sides, at_rows = np.repeat([-1.0, 1.0], len(at)), np.tile(at, 2)  # a row for either side of each `at`
        points, face = self.points, self.face

        def upwards(points):
            """The quantity at every point, for each row, upwards the side asked for; of no value the lowest."""
            values = sides[:, None] * self.values(function, at_rows[:, None], points)
            return np.where(np.isnan(values), -np.inf, values)

        values = upwards(points)
        enough = _direction_without_bound_of_interval(sides[:, None] * values, sides, edges)
        # Begin on each face at the point of the limit that leads furthest.
        there = (face == np.arange(self.free.shape[1])[:, None]) & self.starts
        there = np.where(there, values[:, None], -np.inf)
        row, onto = np.nonzero(np.isfinite(there.max(axis=2)))
        start = there[row, onto].argmax(axis=1)
        params, onto = points[:, start], face[start]
        most = np.where(values.max(axis=1) >= enough, values.max(axis=1), -np.inf)
        for turn in range(_ROUNDS):
            search = most[row] < enough[row]
            row, params, onto = row[search], params[:, search], onto[search]
            ascent = _ExtremeSearch(self, function, (at_rows[row], sides[row], enough[row]), params, onto)
            np.maximum.at(most, row, ascent.run())
            points, face = np.concatenate([points, ascent.where], axis=1), np.concatenate([face, onto])
            values = np.concatenate([values, upwards(ascent.where)], axis=1)
            best = values.argmax(axis=1)
            row = np.flatnonzero(values.max(axis=1) > most + 1e-9 * np.abs(np.where(np.isfinite(most), most, 0.0)))
            params, onto = points[:, best[row]], face[best[row]]  # another search leads further
            if turn == 0:
                ends = _ExtremeSearch(self, function, (at_rows, sides, enough), points[:, best], face[best])
                inner, near = ends.retry_from_interior()
                row, onto = np.concatenate([row, inner]), np.concatenate([onto, 0 * inner])
                params = np.concatenate([params, near], axis=1)
        most = np.where(most >= enough, np.where(sides > 0, edges[1], edges[0]), sides * most)
        nothing = np.where(np.isfinite(values[:, 0]), np.abs(values[:, 0]), _median_size_of_rows(values)) / _FAR
        most = np.where(np.abs(most) < nothing, 0.0, most)
        return np.clip(most, *edges).reshape(2, -1)


class _ExtremeSearch:
    """A search on a face for the largest ``sign * function(at, *params)`` of the region; a column per search.

    Newton's steps on the Lagrangian ``quantity - multiplier (sum of squares - limit)``, in coordinates where the sum of
    squares is round to first order, shortened until they lead further. Changed in place.
    """

    def __init__(self, region, function, goal, params, face):
        self.region, self.function = region, function
        self.at, self.sign, self.enough = goal
        self.params, self.free = params.copy(), region.free[:, face]
        self.value, self.squares = self._value(self.params), region.squares(params)
        self.damping, self.cuts = np.zeros(len(self.at)), np.zeros(len(self.at), int)
        self.most, self.where = self.value.copy(), self.params.copy()

    def run(self):
        """Climb until every search is done; give the values, `where` has the parameters."""
        open_ = np.flatnonzero(np.isfinite(self.value))
        for _ in range(_FACE_STEPS):
            if not len(open_):
                break
            with np.errstate(all="ignore"):  # a step may lead to where the law or the quantity has no value
                open_ = open_[~self._step(open_)]
        return self.most

    def retry_from_interior(self):
        """Which searches stand on a face from where it goes higher inside the box, and a point there for each."""
        region, constraint = self.region, self.region.slope(self.params)
        objective = self._slope(self.params, slice(None))
        size = self.free / _jacobian_column_lengths(region.jacobian(self.params))
        with np.errstate(over="ignore", invalid="ignore"):  # the quantity may have no slope there, or an infinite one
            steep = np.maximum(np.sum((constraint * size) ** 2, axis=0), 1e-300)
            multiplier = np.maximum(np.sum(objective * constraint * size**2, axis=0) / steep, 0.0)
        most, where = self.value + 1e-6 * np.abs(np.where(np.isfinite(self.value), self.value, 0.0)), self.params
        for share in _INWARDS:
            tried = self.params + share * (region.middle[:, :1] - self.params)
            slack = region.limit - region.squares(tried)
            with np.errstate(invalid="ignore"):
                merit = np.where(slack >= 0, self._value(tried) + multiplier * slack, -np.inf)
            where, most = np.where(merit > most, tried, where), np.fmax(merit, most)
        on_face = (region.curves.free[:, None] & ~self.free).any(axis=0)
        which = np.flatnonzero((where != self.params).any(axis=0) & on_face & (self.value < self.enough))
        return which, where[:, which]

    def _value(self, params, k=slice(None)):
        """The quantity upwards the side asked for, of searches k; the lowest where it has no value."""
        values = self.sign[k] * self.region.values(self.function, self.at[k], params)
        return np.where(np.isnan(values), -np.inf, values)

    def _slope(self, params, k):
        """Derivatives of the quantity by each coordinate."""
        return self.sign[k] * self.region.gradient(self.function, self.at[k], params)

    def _step(self, k):
        """Take a step of the searches k; tell which are done.

        Sequential quadratic programming with one constraint, the sum of squares, and a Levenberg damping of the Hessian
        of the Lagrangian in place of a line search. A step is taken unless the merit falls: the quantity less an exact
        penalty on the squares above the limit. Nocedal and Wright, Numerical Optimization, 2nd edition, 2006, ch. 18.
        """
        region, params, free = self.region, self.params[:, k], self.free[:, k]
        jacobian = region.jacobian(params)
        whitening = _whitening_matrix(jacobian, free)
        moves = np.where(free, np.sqrt(region.threshold) / _jacobian_column_lengths(jacobian), 0.0)
        constraint, constraint_hessian = _first_and_second_derivatives(
            region.slope, params, moves, region.high, whitening
        )
        objective, objective_hessian = _first_and_second_derivatives(
            lambda points: self._slope(points, np.tile(k, 1 + len(params))), params, moves, region.high, whitening
        )
        slack = region.limit - self.squares[k]
        steep = np.maximum(np.sum(constraint**2, axis=1), 1e-300)
        multiplier = np.maximum(np.sum(constraint * objective, axis=1) / steep, 0.0)
        usual = np.sqrt(np.sum(objective**2, axis=1)) / (2 * np.sqrt(region.threshold))  # that of a straight line
        far_from_limit = slack > region.threshold / 2
        multiplier = np.where(far_from_limit, np.minimum(multiplier, usual), multiplier)
        residual = np.sqrt(np.sum((objective - multiplier[:, None] * constraint) ** 2, axis=1))  # first-order condition
        to_limit = np.einsum("tpi,ti->pt", whitening, constraint / steep[:, None])
        before_bound = region.fraction_to_bound(params, slack * to_limit) > 1
        self._record(k, np.where(before_bound, multiplier, 0.0), slack)
        optimal = residual <= _NEAR * usual * 2 * np.sqrt(region.threshold)
        optimal &= np.abs(slack) <= _NEAR * region.threshold
        weight = np.maximum(multiplier, 1e-3 * usual)
        penalty = 2 * weight  # of leaving the region: more than it brings
        merit = self.value[k] - penalty * np.maximum(-slack, 0)
        tried, value, squares, cut = params, self.value[k], self.squares[k], np.zeros(len(k), bool)
        best = np.full(len(k), -np.inf)
        # Newton's step; and one that takes the quantity for straight and the region for round, for far from the end.
        lagrangian_hessian = weight[:, None, None] * constraint_hessian - objective_hessian
        for hessian in (lagrangian_hessian, 2 * weight[:, None, None] * np.eye(len(params))):
            move = _newton_step_on_region(hessian, constraint, objective, slack, weight, self.damping[k])
            moved = self._moved(k, params, np.einsum("tpi,ti->pt", whitening, move), to_limit)
            merit_there = moved[1] - penalty * np.maximum(moved[2] - region.limit, 0)
            merit_there = np.where(moved[2] <= region.limit + region.threshold, merit_there, -np.inf)
            more = merit_there > best
            pairs = zip((*moved, merit_there), (tried, value, squares, cut, best), strict=True)
            tried, value, squares, cut, best = (np.where(more, new, old) for new, old in pairs)
        better = best >= merit
        gained = np.where(better, np.abs(value - self.value[k]), np.inf)
        self.params[:, k] = np.where(better, tried, params)
        self.value[k] = np.where(better, value, self.value[k])
        self.squares[k] = np.where(better, squares, self.squares[k])
        less = np.where(self.damping[k] > 1e-3, self.damping[k] / 5, 0.0)
        self.damping[k] = np.where(better, less, np.maximum(8 * self.damping[k], 1e-2))
        self._record(k, 0 * slack, region.limit - self.squares[k])
        stationary = (gained <= _GAIN * np.abs(value)) & (np.abs(squares - region.limit) <= _NEAR * region.threshold)
        self.cuts[k] += cut
        stuck = (self.damping[k] > _DAMPED) | (self.cuts[k] > _CUTS)
        return optimal | stationary | stuck | (self.value[k] >= self.enough[k])

    def _moved(self, k, params, move, to_limit):
        """Where a step leads, the quantity there and the sum of squares; no further than most of the way to a bound.

        What has left the region is brought back to it, along the slope of the sum of squares at the last place.
        """
        region = self.region
        reach = _INSIDE * region.fraction_to_bound(params, move)
        tried = params + np.minimum(1.0, reach) * move
        squares = region.squares(tried)
        for _ in range(2):
            over = np.where(np.isfinite(squares), np.maximum(squares - region.limit, 0), 0)
            if not over.any():
                break
            direction = -over * to_limit
            nearer = tried + np.minimum(1.0, _INSIDE * region.fraction_to_bound(tried, direction)) * direction
            lower = region.squares(nearer)
            tried, squares = np.where(lower < squares, nearer, tried), np.fmin(lower, squares)
        return tried, self._value(tried, k), squares, reach < 1

    def _record(self, k, multiplier, slack):
        """Keep the largest value of the region; next to the limit that of the limit, to first order.

        The multiplier is 0 where a bound lies before the limit.
        """
        near = np.abs(slack) <= 1e-3 * self.region.threshold
        value = self.value[k] + np.where(near, multiplier * slack, 0.0)
        more = (slack >= -_NEAR * self.region.threshold) & (value > self.most[k])
        self.most[k] = np.where(more, value, self.most[k])
        self.where[:, k] = np.where(more, self.params[:, k], self.where[:, k])


def _direction_without_bound_of_interval(values, sides, edges):
    """Where, away from the estimate, the points no longer bound a quantity: its end is then the edge.

    The estimate is the first of the values; where it is next to nothing, what is usual of them stands for it.
    """
    finite = np.isfinite(values[:, 0])
    size = np.where(finite, np.fmax(np.abs(values[:, 0]), _median_size_of_rows(values)), np.inf)
    near = np.where(finite, np.abs(values[:, 0]), 0.0) / _FAR
    return np.where((sides < 0) & (edges[0] == 0), -near, np.where(size > 0, size * _FAR, np.inf))


def _median_size_of_rows(values):
    """The median size of the finite values of each row that are not zero, as on a whole face; NaN of none."""
    sizes = np.abs(np.where(np.isfinite(values) & (values != 0), values, np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no values at all
        return np.nanmedian(sizes, axis=1)


def _jacobian_column_lengths(jacobian):
    """The length of each column of a Jacobian; 1 for one of zeros."""
    length = np.sqrt(np.sum(jacobian**2, axis=1))
    return np.where(length > 0, length, 1.0)


def _whitening_matrix(jacobian, free):
    """A matrix W of each column: of a step W z the sum of squares knows the length of z, to first order."""
    length = np.where(free, _jacobian_column_lengths(jacobian), np.inf)
    scaled = (np.where(np.isfinite(jacobian), jacobian, 0.0) / length[:, None]).transpose(2, 1, 0)
    held = np.eye(len(free)) * (2.0 * len(free) * ~free).T[:, None]  # above what is free can have
    values, vectors = np.linalg.eigh(np.einsum("tni,tnj->tij", scaled, scaled) + held)
    values = np.maximum(values, 1e-14)  # a direction that moves no point goes far, not endlessly far
    return vectors / np.sqrt(values)[:, None] / length.T[:, :, None]


def _first_and_second_derivatives(slope, params, moves, high, whitening):
    """First and second derivatives in round coordinates, the second by differences of the first, all in one call."""
    count, (_, searches) = len(params), params.shape
    steps = np.where(params + _CURVED * moves > high, -_CURVED * moves, _CURVED * moves)
    moved = np.repeat(params[:, None], 1 + count, axis=1)  # where they are, and a step along each coordinate
    along = np.arange(count)
    moved[along, 1 + along] += steps
    slopes = slope(moved.reshape(count, -1)).reshape(count, 1 + count, searches)
    taken = moved[along, 1 + along] - params  # none of what is held
    second = (slopes[:, 1:] - slopes[:, :1]) / np.where(taken == 0, 1.0, taken)
    first = np.einsum("tpi,pt->ti", whitening, slopes[:, 0])
    second = np.einsum("tpi,pqt,tqj->tij", whitening, second, whitening)
    second = (second + second.transpose(0, 2, 1)) / 2
    return np.where(np.isfinite(first), first, 0.0), np.where(np.isfinite(second), second, 0.0)


def _newton_step_on_region(hessian, constraint, objective, slack, weight, damping):
    """The step to where the Lagrangian is stationary on the limit.

    Across the limit the step is given by the constraint, so any multiple of its own curvature may be added; then the
    Hessian is positive definite near a maximum, and elsewhere it is made so.
    """
    steep = np.sum(constraint**2, axis=1)
    size = np.abs(hessian).sum(axis=(1, 2)) + weight
    outwards = np.sum(constraint * objective, axis=1) > 0
    across = np.where(outwards, 10 * size / np.where(steep > 0, steep, 1.0), 0.0)
    hessian = hessian + across[:, None, None] * constraint[:, :, None] * constraint[:, None]
    values, vectors = np.linalg.eigh(np.where(np.isfinite(hessian), hessian, 0.0))  # far away it may overflow
    values = np.maximum(np.abs(values), 1e-3 * weight[:, None]) + (damping * weight)[:, None]
    values = np.where(values > 0, values, 1.0)

    def solved(right):
        """The solution of the Hessian for a right-hand side."""
        return np.einsum("tij,tj->ti", vectors, np.einsum("tji,tj->ti", vectors, right) / values)

    up, out = solved(objective), solved(constraint)
    along = np.sum(constraint * out, axis=1)
    multiplier = np.maximum((np.sum(constraint * up, axis=1) - slack) / np.where(along > 0, along, 1.0), 0.0)
    return up - multiplier[:, None] * out


def _unit_steps_of_region(whitened):
    """Steps in many directions, whose length the sum of squares takes for one."""
    free = np.abs(whitened).sum(axis=0) > 0
    count = int(free.sum())
    if count == 1:
        directions = np.array([[1.0, -1.0]])
    elif count == 2:
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        directions = np.array([np.cos(angle), np.sin(angle)])
    else:
        directions = np.random.default_rng(0).standard_normal((count, 64))
        directions = directions / np.sqrt(np.sum(directions**2, axis=0))
    return whitened[:, free] @ directions
