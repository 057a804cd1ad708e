"""What the laws compute with: derivatives, roots, small systems of equations, and where a fit begins.

A start is linear least squares where a law is linear after a change of form, and a short scan where it is not. All of
it works down axis 0, so that one call serves a curve (shape n) or many at once (n points by rows of curves).
"""

import functools

import numpy as np
from scipy.linalg.lapack import dposv

TINY = 1e-100  # an imaginary step: f(p + ih) = f(p) + ih f'(p) has no difference in it, so nothing cancels
_HALVINGS = 110  # enough for the widest bracket, 1 to 1e15, down to the last digit; fewer where fewer do
_SMALL = 1e-3  # a term that least squares would leave out starts with this share, so that it is inside its bounds
_RIDGE = 1e-12  # lets points that cannot tell two terms apart have a start all the same


def derivative(function, x):
    """Return ``function'(x)``, exact to the last digits, by a step along the imaginary axis; x is real."""
    return np.imag(function(x + 1j * TINY)) / TINY


def where_positive(value, function, otherwise=np.nan):
    """Return ``function(value)`` where the real part of the value is above zero, elsewhere `otherwise`."""
    there = np.real(value) > 0
    return np.where(there, function(np.where(there, value, 1)), otherwise)


def bisect(function, low, high):
    """Return the zero of ``function(x)``, which rises from below zero at `low`, to the last digit by halving."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.all((middle == low) | (middle == high)):
            break
        below = function(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return middle


def root(function, low, high, *params):
    """Return the zero of ``function(x, *params)``, which rises from below zero at `low`: halving, then a Newton step.

    The step is taken with the parameters as they are, so with complex ones the root has the derivative by them.
    """
    real = [np.real(param) for param in params]
    low, high = (np.array(edge, float) for edge in np.broadcast_arrays(low, high, *real)[:2])
    middle = bisect(lambda x: function(x, *real), low, high)
    slope = derivative(lambda x: function(x, *real), middle)
    return middle - function(middle, *params) / np.where(slope == 0, 1, slope)


def solve_positive_definite(lower, right):
    """Return the solutions of many small positive definite systems, by Cholesky's factor; NaN where one is not.

    Parameters
    ----------
    lower : sequence of ndarray
        The lower triangle row by row, with a value per system in each place.
    right : ndarray
        The right-hand sides, row by row.
    """
    count, factor, forward = len(right), [], []
    if right.size == count:  # a single system
        _, solution, failed = dposv(np.ravel(lower)[_places_in_triangle(count)[0]], right.ravel(), lower=1)
        return np.full(right.shape, np.nan) if failed else solution.reshape(right.shape)
    rows = [lower[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(count)]
    for i in range(count):
        row = []
        for j in range(i):
            row.append((rows[i][j] - sum(row[k] * factor[j][k] for k in range(j))) / factor[j][j])
        row.append(np.sqrt(rows[i][i] - sum(entry * entry for entry in row)))
        factor.append(row)
        forward.append((right[i] - sum(row[k] * forward[k] for k in range(i))) / row[i])
    back = [None] * count
    for i in reversed(range(count)):
        back[i] = (forward[i] - sum(factor[k][i] * back[k] for k in range(i + 1, count))) / factor[i][i]
    return np.array(back)


@functools.cache
def _lower_triangle(count):
    """The rows and columns of a lower triangle, row by row."""
    return np.tril_indices(count)


@functools.cache
def _places_in_triangle(count):
    """Where a lower triangle, row by row, has each cell of its symmetric matrix, and where the diagonal."""
    places = np.empty((count, count), int)
    rows, columns = _lower_triangle(count)
    places[rows, columns] = places[columns, rows] = np.arange(len(rows))
    return places, np.diagonal(places)


def products_of_pairs(terms):
    """Return the products of two terms each, in the order of a lower triangle; terms × points × curves."""
    rows, columns = _lower_triangle(len(terms))
    return terms[rows] * terms[columns]


def sums_over_points(terms, values):
    """Return the sum over points of each term times values: terms × curves. Terms may be the same for all curves."""
    if terms.shape[2] == 1:
        return terms[:, :, 0] @ values
    return np.einsum("pnr,nr->pr", terms, values)


def linear_combination(coefficients, terms):
    """Return the sum of coefficients times terms: points × curves."""
    if terms.shape[2] == 1:
        return terms[:, :, 0].T @ coefficients
    return np.einsum("pr,pnr->nr", coefficients, terms)


def nonnegative_least_squares(columns, z, weights):
    """Return the coefficients, above zero, of the weighted least squares fit of z by the columns.

    A negative coefficient is taken out and the rest fitted again; what was taken out gets a small value.
    """
    shape = np.broadcast_shapes(np.shape(z), np.shape(weights), *map(np.shape, columns))
    root = np.sqrt(np.broadcast_to(weights, shape).reshape(shape[0], -1))
    terms = np.stack([np.broadcast_to(column, shape).reshape(shape[0], -1) for column in columns]) * root
    right = np.broadcast_to(z, shape).reshape(shape[0], -1) * root
    normal = [np.einsum("nr,nr->r", terms[i], terms[j]) for i, j in zip(*_lower_triangle(len(terms)), strict=True)]
    coefficients = nonnegative_solution(np.array(normal), np.einsum("pnr,nr->pr", terms, right))
    small = _SMALL * np.abs(right).mean(0) / np.where(terms.max(1) > 0, terms.max(1), 1)
    return np.maximum(coefficients, small).reshape(len(columns), *shape[1:])


def nonnegative_solution(lower, right):
    """Return the solutions of normal equations, with 0 for coefficients that would be negative; terms × curves.

    `lower` has the triangles as `solve_positive_definite` takes them. The systems are scaled to terms of length one;
    those with negative coefficients are solved again without these terms.
    """
    (rows, columns), (_, diagonal) = _lower_triangle(len(right)), _places_in_triangle(len(right))
    size = np.sqrt(lower[diagonal])
    size = np.where(size == 0, 1.0, size)
    lower, right = lower / (size[rows] * size[columns]), right / size
    on_diagonal = (rows == columns)[:, None]
    lower = lower + _RIDGE * on_diagonal
    with np.errstate(all="ignore"):
        coefficients, keep = solve_positive_definite(lower, right), True
        while (coefficients < 0).any():  # as often as there are terms at most: what was taken out comes out as 0
            keep = keep & ~(coefficients < 0)
            # the equation of a term that is taken out says that it is nothing
            system = lower * (keep[rows] & keep[columns]) + on_diagonal * ~keep[rows]
            coefficients = solve_positive_definite(system, right * keep)
    return np.where(np.isfinite(coefficients), coefficients, 0.0) / size


def separable_start(params, columns, *, tries=None, change=np.asarray, error="relative"):
    """Return the start of a law that is a sum of terms, linear in most of its parameters.

    Parameters
    ----------
    columns : callable
        ``columns(x, others)`` gives the term of each linear parameter by name; `others` has the rest by name.
    tries : tuple, optional
        The name of a parameter that is not linear, and a function of x that gives the values to try.
    change : callable, optional
        What of y the terms add up to, 1/y for example.
    """
    name, values = tries or ("", None)

    def start(x, y, held):
        z = change(y)
        weights = 1 / z**2 if error == "relative" else 1.0
        trials = [held | {name: value} for value in values(x)] if name and name not in held else [held]
        tried = np.stack([_tried_value(params, columns(x, others), others, z, weights) for others in trials])
        best = np.argmin(tried[:, 0], axis=0)[None, None]
        start = np.take_along_axis(tried, best, 0)[0, 1:]
        return tuple(
            value if param.name in held else inside_bounds(param, value)
            for param, value in zip(params, start, strict=True)
        )

    return start


def _tried_value(params, terms, others, z, weights):
    """Sum of squares and parameters of one value tried."""
    remainder = z - sum(others[name] * term for name, term in terms.items() if name in others)
    free = {name: term for name, term in terms.items() if name not in others}
    linear = (
        dict(zip(free, nonnegative_least_squares([*free.values()], remainder, weights), strict=True)) if free else {}
    )
    off = remainder - sum(linear[name] * term for name, term in free.items())
    return np.stack(
        one_value_per_curve(z, (weights * off**2).sum(0), *((others | linear)[param.name] for param in params))
    )


def best_scale(shape, y):
    """Return the factor that brings a curve closest to y, with relative errors, where the curve has values."""
    ratio = np.where(np.isfinite(shape), shape, 0.0) / y
    total = (ratio * ratio).sum(0)
    return np.where(total > 0, ratio.sum(0) / np.where(total > 0, total, 1), np.min(y, axis=0))


def fitted_slope(x, y):
    """Return the slope of the straight line through each curve; 1 where all x are the same."""
    off = x - np.mean(x, axis=0)
    squares = (off**2).sum(0)
    return np.where(squares > 0, (off * (y - np.mean(y, axis=0))).sum(0) / np.where(squares > 0, squares, 1), 1.0)


def inside_bounds(param, value):
    """Return a start inside its bounds: one on or beyond them is moved in, by a hundredth of the range if finite."""
    edge = 0.01 * (param.high - param.low)
    if not np.isfinite(edge):
        return np.maximum(value, param.low)
    inside = (value > param.low) & (value < param.high)
    return np.where(inside, value, np.clip(value, param.low + edge, param.high - edge))


def proportional_start(function, params, guess):
    """Return the start of a law that is proportional to its first parameter.

    ``guess(x, y, held)`` gives the other parameters in order; those that are held are put in their place, and the first
    follows from them.
    """
    first, *others = params

    def start(x, y, held):
        free = zip(others, guess(x, y, held), strict=True)
        rest = [held.get(param.name, inside_bounds(param, value)) for param, value in free]
        scale = held.get(first.name, best_scale(function(x, 1.0, *rest), y))
        return one_value_per_curve(y, scale, *rest)

    return start


def one_value_per_curve(y, *params):
    """Return every parameter the same shape: one value a curve."""
    return tuple(np.full(np.shape(y)[1:], param, float) for param in params)
