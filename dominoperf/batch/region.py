"""How far a quantity can go over the parameters that the points allow: the ends of its profile interval.

The region of a curve is all parameters within their bounds whose sum of squares is at most a limit. The least sum of
squares with a quantity held at a value is at most the limit just where some point of the region has that value, so the
ends of the profile interval are the smallest and the largest value over the region; where the region is in pieces, over
all of them.

Such an extreme lies inside the box of the bounds or on one of its faces, where some parameters are on a bound and the
others are free. With three parameters there are few faces, so each is searched by itself, as a smooth problem with one
constraint, and the outermost answer counts: nothing is lost where a parameter meets its bound.
"""

import functools
import itertools
import warnings

import numpy as np

from dominoperf.laws import gradient

_FAR = 1e6  # a quantity that may be so many times its estimate may be anything: the points do not bound it
_STEPS = 100  # of the search on a face
_DOUBLINGS, _HALVINGS = 24, 14  # along a ray, to find the limit
_NEAR = 1e-6  # of the gradient, and of the rise: the error of the end is then the square of it
_GAIN = 1e-11  # of the quantity: what further steps bring no longer counts
_CURVED = 1e-6  # of how far a parameter moves alone: a step for second derivatives
_ROUNDS = 3  # of searches; a further one starts where another ended, if that is further
_DAMPED = 1e9  # a search whose steps have been shortened so much stands at a kink, or where the law has no value


class Region:
    """The parameters of one curve within its bounds whose sum of squares is at most ``squares + rise``.

    Attributes
    ----------
    points : ndarray
        Some of them, parameters × points: the best of each face, and the ends of rays from there.
    face : ndarray
        The face of each point, a column of `free`.
    free : ndarray
        Which parameters are free on each face, parameters × faces.
    """

    def __init__(self, curves, params, squares, rise):
        self.curves, self.rise, self.limit = curves, float(rise), float(squares + rise)
        self.low, self.high = (np.broadcast_to(edge, (len(params), 1)) for edge in curves.bounds)
        best, self.free, squares = self._bests(params)
        self.points, self.face = self._rays(best, squares)

    def _bests(self, params):
        """The least sum of squares on each face that the region reaches; the first is the whole box."""
        pinned = [self._pins(k) for k in range(len(params))]
        faces = np.array([face for face in itertools.product(*pinned) if np.isnan(face).any()]).T
        whole = np.where(self.curves.free, np.nan, params[:, 0])
        free = np.isnan(faces) & np.isnan(whole)[:, None]
        start = np.where(np.isnan(faces), params, faces)
        curves = self.curves.take(np.zeros(faces.shape[1], int))
        best, squares, _ = curves.solve(start, free)
        within = (squares <= self.limit) & free.any(axis=0)
        return best[:, within], free[:, within], squares[within]

    def _pins(self, k):
        """NaN for a parameter left free, and the bounds that it may be put on."""
        ends = (self.low[k, 0], self.high[k, 0]) if self.curves.free[k] else ()
        return [np.nan, *(end for end in ends if np.isfinite(end))]

    def _rays(self, best, squares):
        """Go from the best of each face in many directions, to the limit or to a bound."""
        whitened = _whitening(self.jacobian(best), self.free)
        ways = [_ways(whitened[k]) for k in range(best.shape[1])]
        face = np.repeat(np.arange(best.shape[1]), [way.shape[1] for way in ways])
        way, origin = np.concatenate(ways, axis=1), best[:, face]
        wall = self.wall(origin, way)
        length = np.minimum(np.sqrt(self.limit - squares[face]), wall)
        inner, outer = np.zeros_like(length), np.full_like(length, np.inf)
        for _ in range(_DOUBLINGS):
            within = self.squares(origin + way * length) <= self.limit
            inner, outer = np.where(within, length, inner), np.where(within, outer, length)
            if not (within & (length < wall)).any():
                break
            length = np.where(within, np.minimum(2 * length, wall), length)
        for _ in range(_HALVINGS):
            length = np.where(np.isinf(outer), inner, (inner + outer) / 2)
            within = self.squares(origin + way * length) <= self.limit
            inner, outer = np.where(within, length, inner), np.where(within, outer, length)
        ends = np.clip(origin + way * inner, self.low, self.high)
        return np.concatenate([best, ends], axis=1), np.concatenate([np.arange(best.shape[1]), face])

    def wall(self, params, way):
        """How many times `way` leads to the nearest bound."""
        with np.errstate(all="ignore"):
            times = np.where(way > 0, self.high - params, self.low - params) / way
        return np.min(np.where(way == 0, np.inf, times), axis=0)

    def residuals(self, params):
        """Weighted residuals, points × columns; NaN where the law has no value."""
        with np.errstate(all="ignore"):
            return self.curves.residuals(params)

    def squares(self, params):
        """Weighted sums of squares; infinite where the law has no value."""
        found = np.sum(self.residuals(params) ** 2, axis=0)
        return np.where(np.isfinite(found), found, np.inf)

    def jacobian(self, params):
        """Derivatives of the weighted curve by each parameter, parameters × points × columns."""
        with np.errstate(all="ignore"):
            found = self.curves.law.gradient(self.curves.x, *params)
        return np.broadcast_to(found, (len(params), len(self.curves.x), params.shape[1])) * self.curves.weights

    def slope(self, params):
        """Derivatives of the sum of squares by each parameter."""
        return 2 * np.einsum("pnt,nt->pt", self.jacobian(params), self.residuals(params))

    def extremes(self, function, at, edges):
        """Give the smallest and the largest value of ``function(at, *params)`` at each `at`, 2 × len(at).

        Parameters
        ----------
        function : callable
            Of arrays and complex parameters, as those of a law; NaN where it has no value, which counts as outside.
        at : ndarray
        edges : pair of float
            Between which the quantity is known to lie; an end that the points do not bound is the edge.
        """
        sides, asked = np.repeat([-1.0, 1.0], len(at)), np.tile(at, 2)  # a row for either side of each `at`
        points, face, faces = self.points, self.face, self.free.shape[1]
        found = np.full(len(asked), -np.inf)
        for turn in range(_ROUNDS):
            values = sides[:, None] * _values(function, asked[:, None], points[:, None])
            values = np.where(np.isnan(values), -np.inf, values)
            best, before = values.max(axis=1), found
            enough = _enough(sides[:, None] * values, sides, edges) if turn == 0 else enough
            found = np.fmax(found, np.where(best >= enough, best, -np.inf))
            if turn == 0:  # from the best point of every face
                row = np.repeat(np.flatnonzero(best < enough), faces)
                there = np.where(face == np.arange(faces)[:, None], values[best < enough, None], -np.inf)
                start = there.argmax(axis=2).ravel()
                valued = np.isfinite(there.max(axis=2).ravel())
                row, start = row[valued], start[valued]
            else:  # from points that others found, where they lead further than the own ones
                further = best > before + 1e-9 * np.abs(np.where(np.isfinite(before), before, 0.0))
                row = np.flatnonzero(further & (before < enough))
                start = values[row].argmax(axis=1)
            climb = _Climb(self, function, (asked[row], sides[row], enough[row]), points[:, start], face[start])
            np.maximum.at(found, row, climb.run())
            points, face = np.concatenate([points, climb.where], axis=1), np.concatenate([face, face[start]])
        found = np.where(found >= enough, np.where(sides > 0, edges[1], edges[0]), sides * found)
        return np.clip(found, *edges).reshape(2, -1)


class _Climb:
    """A search on a face for the largest ``sign * function(at, *params)`` of the region; a column per search.

    Newton's steps on the Lagrangian ``quantity - multiplier (sum of squares - limit)``, in coordinates where the sum of
    squares is round to first order, shortened until they lead further. Changed in place.
    """

    def __init__(self, region, function, asked, params, face):
        self.region, self.function = region, function
        self.at, self.sign, self.enough = asked
        self.params, self.free = params.copy(), region.free[:, face]
        self.value, self.squares = self._value(self.params), region.squares(params)
        self.damping = np.zeros(len(self.at))
        self.found, self.where = self.value.copy(), self.params.copy()

    def run(self):
        """Climb until every search is done; give the values, `where` has the parameters."""
        open_ = np.flatnonzero(np.isfinite(self.value))
        for _ in range(_STEPS):
            if not len(open_):
                break
            open_ = open_[~self._step(open_)]
        return self.found

    def _value(self, params, k=slice(None)):
        values = self.sign[k] * _values(self.function, self.at[k], params)
        return np.where(np.isnan(values), -np.inf, values)

    def _slope(self, params, k):
        """Derivatives of the quantity by each parameter."""
        with np.errstate(all="ignore"):
            found = gradient(functools.partial(self.function, self.at[k]), list(params))
        return self.sign[k] * np.broadcast_to(found, params.shape)

    def _step(self, k):
        """Take a step of the searches k; tell which are done."""
        region, params, free = self.region, self.params[:, k], self.free[:, k]
        jacobian = region.jacobian(params)
        round_ = _whitening(jacobian, free)
        moves = np.sqrt(region.rise) / _lengths(jacobian)
        rise, bend = _derivatives(region.slope, params, moves, region.high, round_)
        gain, curved = _derivatives(lambda each: self._slope(each, k), params, moves, region.high, round_)
        gap, steep = region.limit - self.squares[k], np.maximum(np.sum(rise**2, axis=1), 1e-300)
        multiplier = np.maximum(np.sum(rise * gain, axis=1) / steep, 0.0)
        usual = np.sqrt(np.sum(gain**2, axis=1)) / (2 * np.sqrt(region.rise))  # what it is for a straight line
        multiplier = np.where(gap > region.rise / 2, np.minimum(multiplier, usual), multiplier)  # far from the limit
        off = np.sqrt(np.sum((gain - multiplier[:, None] * rise) ** 2, axis=1))
        self._record(k, multiplier, gap)
        arrived = (off <= _NEAR * usual * 2 * np.sqrt(region.rise)) & (np.abs(gap) <= _NEAR * region.rise)
        weight = np.maximum(multiplier, 1e-3 * usual)
        hessian = weight[:, None, None] * bend - curved
        move, multiplier = _newton(hessian, rise, gain, gap, weight, self.damping[k])
        move = np.einsum("tpi,ti->pt", round_, move)
        reach = region.wall(params, move)
        tried = params + np.minimum(1.0, 0.95 * reach) * move
        back = np.einsum("tpi,ti->pt", round_, rise / steep[:, None])
        tried, squares = self._lowered(tried, back)
        value = self._value(tried, k)
        price = 2 * np.maximum(multiplier, weight)  # of leaving the region: more than it brings
        before = self.value[k] - price * np.maximum(-gap, 0)
        after = value - price * np.maximum(squares - region.limit, 0)
        better = (after >= before) & (squares <= region.limit + region.rise)
        gained = np.where(better, np.abs(value - self.value[k]), np.inf)
        self.params[:, k] = np.where(better, tried, params)
        self.value[k] = np.where(better, value, self.value[k])
        self.squares[k] = np.where(better, squares, self.squares[k])
        short = np.where(self.damping[k] > 1e-3, self.damping[k] / 5, 0.0)
        self.damping[k] = np.where(better, short, np.maximum(8 * self.damping[k], 1e-2))
        self._record(k, 0 * gap, region.limit - self.squares[k])
        idle = (gained <= _GAIN * np.abs(value)) & (np.abs(squares - region.limit) <= _NEAR * region.rise)
        stuck = (self.damping[k] > _DAMPED) | (better & (reach < 1e-3))
        return arrived | idle | stuck | (self.value[k] >= self.enough[k])

    def _lowered(self, tried, back):
        """Bring what has left the region back to it, along the slope of the sum of squares at the last place."""
        region, squares = self.region, self.region.squares(tried)
        for _ in range(2):
            over = np.where(np.isfinite(squares), np.maximum(squares - region.limit, 0), 0)
            if not over.any():
                break
            nearer = np.clip(tried - over * back, region.low, region.high)
            lower = region.squares(nearer)
            tried, squares = np.where(lower < squares, nearer, tried), np.fmin(lower, squares)
        return tried, squares

    def _record(self, k, multiplier, gap):
        """Keep the largest value of the region; next to the limit that of the limit, to first order."""
        near = np.abs(gap) <= 1e-3 * self.region.rise
        value = self.value[k] + np.where(near, multiplier * gap, 0.0)
        more = (gap >= -_NEAR * self.region.rise) & (value > self.found[k])
        self.found[k] = np.where(more, value, self.found[k])
        self.where[:, k] = np.where(more, self.params[:, k], self.where[:, k])


def _values(function, at, params):
    """The quantity; a NaN has no value."""
    with np.errstate(all="ignore"):
        found = np.real(function(at, *params))
    return np.broadcast_to(found, np.broadcast_shapes(np.shape(at), params.shape[1:])).astype(float)


def _enough(values, sides, edges):
    """Where, away from the estimate, the points no longer bound a quantity: its end is then the edge.

    The estimate is the first of the values; where it is next to nothing, what is usual of them stands for it.
    """
    sizes = np.abs(np.where(np.isfinite(values), values, np.nan))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of no values at all
        size = np.where(np.isfinite(values[:, 0]), np.fmax(sizes[:, 0], np.nanmedian(sizes, axis=1)), np.inf)
    near = np.where(np.isfinite(values[:, 0]), sizes[:, 0], 0.0) / _FAR
    return np.where((sides < 0) & (edges[0] == 0), -near, size * _FAR)


def _lengths(jacobian):
    """The length of each column of a Jacobian; 1 for one of zeros."""
    length = np.sqrt(np.sum(jacobian**2, axis=1))
    return np.where(length > 0, length, 1.0)


def _whitening(jacobian, free):
    """A matrix W of each column: of a step W z the sum of squares knows the length of z, to first order."""
    length = np.where(free, _lengths(jacobian), np.inf)
    scaled = (np.where(np.isfinite(jacobian), jacobian, 0.0) / length[:, None]).transpose(2, 1, 0)
    held = (
        np.eye(len(free)) * (2.0 * len(free) * ~free).T[:, None]
    )  # apart from what is free, which has 0 to their number
    values, vectors = np.linalg.eigh(np.einsum("tni,tnj->tij", scaled, scaled) + held)
    values = np.maximum(values, 1e-14)  # a direction that moves no point goes far, not endlessly far
    return vectors / np.sqrt(values)[:, None] / length.T[:, :, None]


def _derivatives(slope, params, moves, high, round_):
    """First and second derivatives in round coordinates, the second by differences of the first."""
    first, second = slope(params), np.empty((params.shape[1], len(params), len(params)))
    for k in range(len(params)):
        moved = params.copy()
        step = _CURVED * moves[k]
        moved[k] += np.where(moved[k] + step > high[k], -step, step)
        second[:, k] = ((slope(moved) - first) / (moved[k] - params[k])).T
    first = np.einsum("tpi,pt->ti", round_, first)
    second = np.einsum("tpi,tpq,tqj->tij", round_, second, round_)
    second = (second + second.transpose(0, 2, 1)) / 2
    return np.where(np.isfinite(first), first, 0.0), np.where(np.isfinite(second), second, 0.0)


def _newton(hessian, rise, gain, gap, weight, damping):
    """The step to where the Lagrangian is stationary on the limit, and the multiplier there.

    Across the limit the step is given by the constraint, so any multiple of its own curvature may be added; then the
    Hessian is positive definite near a maximum, and elsewhere it is made so.
    """
    steep = np.sum(rise**2, axis=1)
    size = np.abs(hessian).sum(axis=(1, 2)) + weight
    across = np.where(np.sum(rise * gain, axis=1) > 0, 10 * size / np.where(steep > 0, steep, 1.0), 0.0)
    values, vectors = np.linalg.eigh(hessian + across[:, None, None] * rise[:, :, None] * rise[:, None])
    values = np.maximum(np.abs(values), 1e-3 * weight[:, None]) + (damping * weight)[:, None]
    values = np.where(values > 0, values, 1.0)

    def solved(right):
        return np.einsum("tij,tj->ti", vectors, np.einsum("tji,tj->ti", vectors, right) / values)

    up, out = solved(gain), solved(rise)
    along = np.sum(rise * out, axis=1)
    multiplier = np.maximum((np.sum(rise * up, axis=1) - gap) / np.where(along > 0, along, 1.0), 0.0)
    return up - multiplier[:, None] * out, multiplier


def _ways(whitened):
    """Steps in many directions, whose length the sum of squares takes for one."""
    free = np.abs(whitened).sum(axis=0) > 0
    count = int(free.sum())
    if count == 1:
        ways = np.array([[1.0, -1.0]])
    elif count == 2:
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ways = np.array([np.cos(angle), np.sin(angle)])
    else:
        ways = np.random.default_rng(0).standard_normal((count, 64))
        ways = ways / np.sqrt(np.sum(ways**2, axis=0))
    return whitened[:, free] @ ways
