"""Small solvers that the laws share: derivatives, guarded values, roots, small systems, many at once."""

import numpy as np

TINY = 1e-100  # an imaginary step: f(p + ih) = f(p) + ih f'(p) has no difference in it, so nothing cancels
_HALVINGS = 110  # enough for the widest bracket, 1 to 1e15, down to the last digit; fewer where fewer do


def derivative(function, x):
    """Return ``function'(x)``, exact to the last digits, by a step along the imaginary axis; x is real."""
    return np.imag(function(x + 1j * TINY)) / TINY


def where_positive(value, function, otherwise=np.nan):
    """Return ``function(value)`` where the real part of the value is above zero, elsewhere `otherwise`."""
    there = np.real(value) > 0
    return np.where(there, function(np.where(there, value, 1)), otherwise)


def halved(function, low, high):
    """Where ``function(x)``, which rises from below zero at `low`, becomes zero, to the last digit by halving."""
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.all((middle == low) | (middle == high)):
            break
        below = function(middle) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return middle


def root(function, low, high, *params):
    """Where ``function(x, *params)``, which rises from below zero at `low`, becomes zero; halving, then a Newton step.

    The step is taken with the parameters as they are, so with complex ones the root has the derivative by them.
    """
    real = [np.real(param) for param in params]
    low, high = (np.array(edge, float) for edge in np.broadcast_arrays(low, high, *real)[:2])
    middle = halved(lambda x: function(x, *real), low, high)
    slope = derivative(lambda x: function(x, *real), middle)
    return middle - function(middle, *params) / np.where(slope == 0, 1, slope)


def symmetric(matrix, right):
    """Solve many small positive definite systems at once by Cholesky's factor; NaN where one is not.

    Parameters
    ----------
    matrix : list of list of ndarray
        Lower triangle, an array with a value per system in each place.
    right : sequence of ndarray
        The right-hand sides, row by row.
    """
    count, factor, forward = len(right), [], []
    for i in range(count):
        row = []
        for j in range(i):
            row.append((matrix[i][j] - sum(row[k] * factor[j][k] for k in range(j))) / factor[j][j])
        row.append(np.sqrt(matrix[i][i] - sum(each * each for each in row)))
        factor.append(row)
        forward.append((right[i] - sum(row[k] * forward[k] for k in range(i))) / row[i])
    back = [None] * count
    for i in reversed(range(count)):
        back[i] = (forward[i] - sum(factor[k][i] * back[k] for k in range(i + 1, count))) / factor[i][i]
    return np.array(back)


def products(terms, weights):
    """Return the lower triangle of sums over points of weights times two terms each, for `symmetric`."""
    return [
        [np.einsum("n...,n...->...", terms[i] * weights, terms[j]) for j in range(i + 1)] for i in range(len(terms))
    ]
