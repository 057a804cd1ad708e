"""Straight lines in x: one formula that several families use."""

import numpy as np

from dominoperf.laws.record import Law
from dominoperf.laws.starting import separable


def line(x, slope, base):
    """A straight line: ``y = slope x + base``."""
    return slope * x + base


def line_inverse(y, slope, base):
    """Where the line reaches y: ``x = (y - base) / slope``; none below the base."""
    return np.where(np.real(y - base) >= 0, (y - base) / slope, np.nan)


def line_law(slope, base, *, error, **about):
    """Make the record of a straight line; `about` is the rest of the record. Its base starts above zero."""
    terms = lambda x, given: {slope.name: x, base.name: 1.0}  # noqa: E731
    about = {"start": separable((slope, base), terms, error=error), "inverse": line_inverse} | about
    return Law(function=line, params=(slope, base), error=error, **about)
