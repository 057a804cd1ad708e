"""Intervals: Wald's and the profile of a parameter, and the profile of what follows from all parameters.

The profile of a parameter at a value is the least sum of squares with the parameter held there. The ends of its
interval lie where that has risen by a threshold; `profile_intervals` finds them for many curves at once.

The interval of a quantity that follows from the parameters, as the peak of a curve, has for its ends the smallest and
the largest value over a confidence region: all parameters within their bounds whose sum of squares is at most a limit.
The least sum of squares with a quantity held at a value is at most the limit just where some point of the region has
that value, so this is the profile again; where the region is in pieces, over all of them. Rays in all directions find
the limit of the region, and the ray that leads furthest is turned until none beside it leads further
(`ConfidenceRegion`). No derivative of the quantity is needed. A quantity is taken to be largest on the limit or on a
bound. Where some parameters are on a bound, on a face of their box, rays go from the best of the others: with three
parameters there are few faces.
"""

import functools
import itertools
import warnings

import numpy as np

_NEAR_LIMIT = 1e-9  # of the limit: as close as the end of an interval is sought
_PROFILE_STEPS = 200  # of the search for an end: after these it gives up, and the end is NaN
_INNER = 60  # steps of a search with a parameter held, which begins next to its answer
_NOTHING = 1e-20  # share of the estimate: an end below it counts as 0, where 0 is the bound
_STEP_DOUBLINGS = 40  # of the first step: beyond that the points do not bound the parameter
_FAR = 1e6  # a quantity that may be so many times its estimate may be anything: the points do not bound it
_RAY_STEPS, _FEW_RAY_STEPS = 40, 6  # to the end of a ray, and of one next to a ray whose end is known
_NEXT_TO = 1e-9  # of the way back from a bound: so near a ray comes to it
_SHORT = 5e-7  # of a ray: so much before its end it is left, for what is found has to lie inside
_FIRST_ANGLE, _LEAST_ANGLE, _TURNS = 0.3, 5e-4, 14  # an end misses what the square of the least angle makes
_MUCH_LESS = 0.8  # of how far the furthest ray leads: rays from an origin that all lead less far are not turned
_AT_ONCE = 64  # quantities together, so that memory does not grow with their number


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

    Rays go in all directions from an origin on the box of the bounds and on each of its faces, in coordinates where the
    sum of squares is round to first order. Their ends are where they leave the region; one that meets a bound goes on
    along it. `furthest` is where each parameter alone goes furthest, as `profile_intervals` has it.
    """

    def __init__(self, curves, params, squares, threshold, furthest):
        self.curves, self.threshold, self.limit = curves, float(threshold), float(squares + threshold)
        self.scale = np.array([name == "scale" for name in curves.law.names])[:, None] & (params > 0)
        self.low, self.high = (self._coordinates(np.broadcast_to(edge, (len(params), 1))) for edge in curves.bounds)
        best, free = self._bests(params)
        self._send_rays(best, free)
        # Of a best in a corner half of the rays lead out of it: others go from the middle of their ends.
        middle = np.array([np.mean(self.ends[:, self.source == k], axis=1) for k in range(best.shape[1])]).T
        corner = (((best <= self.low) | (best >= self.high)) & free).any(axis=0)
        corner &= self.squares(middle) < self.limit
        if corner.any():
            origins = np.concatenate([best, middle[:, corner]], axis=1)
            self._send_rays(origins, np.concatenate([free, free[:, corner]], axis=1))
        self.points = np.concatenate([best, self._coordinates(furthest), self.at_bound, self.ends], axis=1)

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

    def _send_rays(self, origin, free):
        """Send rays from origins, each on the face where its parameters are free."""
        self.origin, self.free, self.least = origin, free, self.squares(origin)
        self.round = _whitening_matrix(self.jacobian(origin), self.free)
        rays = [_directions_all_round(count, len(origin)) for count in self.free.sum(axis=0)]
        self.source = np.repeat(np.arange(len(rays)), [each.shape[1] for each in rays])
        self.directions = np.concatenate(rays, axis=1)
        usual = np.full(len(self.source), np.sqrt(self.threshold))
        along, self.lengths = self._rays(self.source, self.directions, usual, _RAY_STEPS)
        self.ends = along(self.lengths)
        # Where each meets its first bound: a quantity may have its last value there.
        move, begin = np.einsum("rij,jr->ir", self.round[self.source], self.directions), origin[:, self.source]
        with np.errstate(all="ignore"):
            times = np.where(move > 0, self.high - begin, self.low - begin) / move
        at_bound = along(np.fmin(np.min(np.where(move == 0, np.inf, times), axis=0), self.lengths))
        self.at_bound = at_bound[:, self.squares(at_bound) <= self.limit]

    def _rays(self, source, directions, lengths, steps):
        """The parameters along rays, by length, and how long these are in the region, sought from lengths given."""
        move = np.einsum("rij,jr->ir", self.round[source], directions)
        origin, least = self.origin[:, source], self.least[source]
        with np.errstate(invalid="ignore"):  # next to a bound, not on it: there a quantity may have no value
            low, high = (edge + _NEXT_TO * (origin - edge) for edge in (self.low, self.high))
        low, high = np.where(np.isnan(low), self.low, low), np.where(np.isnan(high), self.high, high)

        def along(lengths):
            with np.errstate(all="ignore"):
                return np.clip(origin + move * lengths, low, high)

        inner, outer = np.zeros_like(lengths), np.full_like(lengths, np.inf)
        last, last_root = inner, inner
        for _ in range(steps):
            with np.errstate(all="ignore"):  # the root of the rise is nearly a straight line in the length
                root = np.sqrt(np.maximum(self.squares(along(lengths)) - least, 0) / (self.limit - least))
                secant = lengths + (1 - _SHORT - root) * (lengths - last) / (root - last_root)
            inner, outer = np.where(root <= 1, lengths, inner), np.where(root <= 1, outer, lengths)
            if ((np.abs(root - 1 + _SHORT) <= _SHORT) | (outer - inner <= _SHORT * inner)).all():
                break
            last, last_root = lengths, root
            usual = np.where(np.isinf(outer), 4 * lengths, (inner + outer) / 2)
            lengths = np.where((secant > inner) & (secant < np.minimum(outer, 4 * lengths)), secant, usual)
        return along, inner

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

    def extremes(self, function, at, edges):
        """Return the smallest and the largest value of ``function(at, *params)`` at each `at`, 2 × len(at).

        The function takes arrays, as a law does; NaN, no value, counts as outside. The quantity is known to lie between
        the `edges`; an end that the points do not bound is the edge.
        """
        if not len(at):
            return np.empty((2, 0))
        starts = range(0, len(at), _AT_ONCE)
        return np.concatenate([self._extremes(function, at[k : k + _AT_ONCE], edges) for k in starts], axis=1)

    def _extremes(self, function, at, edges):
        """The same for some together."""
        sides, at = np.repeat([-1.0, 1.0], len(at)), np.tile(at, 2)  # a row for either side of each `at`

        def outwards(row, points):
            """The quantity of rows at as many points each, upwards the side asked for; of no value the lowest."""
            row = np.repeat(row, points.shape[1] // len(row))
            with np.errstate(all="ignore"):
                values = sides[row] * np.real(function(at[row], *self.native(points)))
            return np.where(np.isnan(values), -np.inf, values)

        values = outwards(np.arange(len(at)), np.tile(self.points, len(at))).reshape(len(at), -1)
        best, most = values[:, 0], values.max(axis=1)
        usual = _median_size_of_rows(values)
        enough = _direction_without_bound_of_interval(sides * best, usual, sides, edges)
        # Begin at the ray from each origin that leads furthest, unless those from others lead much further.
        ends = values[:, -len(self.source) :]
        from_each = np.where(self.source == np.arange(len(self.least))[:, None, None], ends, -np.inf)
        row, start = np.tile(np.arange(len(at)), len(self.least)), from_each.argmax(axis=2).ravel()
        reach = ends[row, start]
        with np.errstate(invalid="ignore"):
            much_further = reach - best[row] < _MUCH_LESS * (most - best)[row]
        begin = np.isfinite(reach) & ~much_further & (most < enough)[row]
        row, start = row[begin], start[begin]
        if len(row):
            np.maximum.at(most, row, self._turned(functools.partial(outwards, row), start, reach[begin]))
        most = np.where(most >= enough, np.where(sides > 0, edges[1], edges[0]), sides * most)
        nothing = np.where(np.isfinite(best), np.abs(best), usual) / _FAR
        most = np.where(np.abs(most) < nothing, 0.0, most)
        return np.clip(most, *edges).reshape(2, -1)

    def _turned(self, outwards, start, most):
        """How far out quantities go where each ray is turned a little as long as that leads further, then less."""
        source, lengths, directions = self.source[start], self.lengths[start], self.directions[:, start]
        count = len(directions)
        turns = np.concatenate([np.eye(count), -np.eye(count), np.eye(count) / 6, -np.eye(count) / 6], axis=1)
        size, rows = turns.max(axis=0) - turns.min(axis=0), np.arange(len(source))
        free = np.arange(count)[:, None] < self.free.sum(axis=0)[source]
        turns = turns[:, None] * free[:, :, None]  # coordinates × rows × turns
        angle = np.full(len(source), _FIRST_ANGLE)
        for _ in range(_TURNS):
            across = turns - directions[:, :, None] * np.einsum("dr,drt->rt", directions, turns)
            tried = directions[:, :, None] + angle[:, None] * across
            tried = tried / np.sqrt(np.sum(tried**2, axis=0))
            each = np.repeat(source, len(size)), tried.reshape(count, -1), np.repeat(lengths, len(size))
            along, found = self._rays(*each, _FEW_RAY_STEPS)
            values = outwards(along(found)).reshape(tried.shape[1:])
            furthest = rows, values.argmax(axis=1)
            further = values[furthest] > most
            most = np.where(further, values[furthest], most)
            lengths = np.where(further, found.reshape(values.shape)[furthest], lengths)
            directions = np.where(further, tried[:, *furthest], directions)
            angle = angle * np.where(further, 2 * size[furthest[1]], size.min() / 2)
            if (angle < _LEAST_ANGLE).all():
                break
        return most


def _direction_without_bound_of_interval(estimate, usual, sides, edges):
    """Where, away from the estimate, the points no longer bound a quantity: its end is then the edge.

    Where the estimate is next to nothing, the usual size stands for it.
    """
    finite = np.isfinite(estimate)
    size = np.where(finite, np.fmax(np.abs(estimate), usual), np.inf)
    near = np.where(finite, np.abs(estimate), 0.0) / _FAR
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


def _directions_all_round(free, count):
    """Directions in all of the first coordinates, those that are free; the others are 0."""
    if free == 1:
        directions = np.array([[1.0, -1.0]])
    elif free == 2:
        angle = np.linspace(0, 2 * np.pi, 64, endpoint=False)
        directions = np.array([np.cos(angle), np.sin(angle)])
    else:
        directions = np.random.default_rng(0).standard_normal((free, 256))
        directions = directions / np.sqrt(np.sum(directions**2, axis=0))
    return np.pad(directions, ((0, count - free), (0, 0)))
