"""Roots of curves that have no written inverse."""

import numpy as np

_TINY = 1e-100
_HALVINGS = 110  # enough for the widest bracket, 1 to 1e15, down to the last digit; fewer where fewer do


def root(function, low, high, *params):
    """Where ``function(x, *params)``, which rises from below zero at `low`, becomes zero; halving, then a Newton step.

    The step is taken with the parameters as they are, so with complex ones the root has the derivative by them.
    """
    real = [np.real(param) for param in params]
    low, high = (np.array(edge, float) for edge in np.broadcast_arrays(low, high, *real)[:2])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if ((middle == low) | (middle == high)).all():
            break
        below = function(middle, *real) < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    slope = np.imag(function(middle + 1j * _TINY, *real)) / _TINY
    return middle - function(middle, *params) / np.where(slope == 0, 1, slope)
