"""What callers give, as arrays of numbers, or refused in four parts."""

import numpy as np

from dominoperf.errors import CannotSolve


def numbers(where, values, expected, kinds="iuf"):
    """Return the values as an array of numbers; ragged lists, text, and yes and no are refused."""
    remedy = "Give numbers, and rows of one length."
    try:
        found = np.asarray(values)
    except ValueError:
        raise CannotSolve(where, expected=expected, found="rows of several lengths", remedy=remedy) from None
    if found.dtype.kind not in kinds:
        raise CannotSolve(where, expected=expected, found=repr(values), remedy=remedy)
    return found


def refuse(where, values, good, expected, remedy):
    """Refuse the first of the values that is not good."""
    if not good.all():
        raise CannotSolve(where, expected=expected, found=f"{values[~good][0]}", remedy=remedy)


def whole_from(least, values):
    """Tell which values are whole numbers from `least` on; infinity counts as whole."""
    return (values >= least) & (values == np.floor(values))
