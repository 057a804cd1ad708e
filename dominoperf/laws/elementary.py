"""Straight lines and powers: formulas that several families of laws use."""

import numpy as np

from dominoperf.laws.numerics import defined_where, fitted_slope, proportional_start, separable_start
from dominoperf.laws.record import Law, Param

USERS = (150, 300, 600, 1000, 1500, 2500)  # of the examples


def line(x, slope, base):
    """A straight line: ``y = slope x + base``."""
    return slope * x + base


@defined_where(lambda y, slope, base: y >= base)
def line_inverse(y, slope, base):
    """Where the line reaches y: ``x = (y - base) / slope``; none below the base."""
    return (y - base) / slope


def line_law(slope, base, *, error, **about):
    """Return the record of a straight line; `about` is the rest of the record. Its base starts above zero."""
    params = (slope, base)
    start = separable_start(line, params, (slope.name, base.name), error=error)
    return Law(function=line, params=params, error=error, **{"start": start, "inverse": line_inverse} | about)


def power(x, scale, exponent):
    """A power: ``y = scale x^exponent``, `scale` being y at x = 1; for x above zero."""
    return scale * x**exponent


@defined_where(lambda y, scale, exponent: exponent != 0)
def power_inverse(y, scale, exponent):
    """Where the power reaches y: ``x = (y/scale)^(1/exponent)``; none without an exponent."""
    return (y / scale) ** (1 / exponent)


def offset_power(x, excess, exponent, base, reference=1.0):
    """A falling power above a base: ``y = base + excess (reference / x)^exponent``, `excess` that at the reference."""
    return base + excess * (reference / x) ** exponent


@defined_where(lambda y, excess, exponent, base, *_: (y > base) & (excess > 0) & (exponent > 0))
def offset_power_inverse(y, excess, exponent, base, reference=1.0):
    """Where it falls to y: ``x = reference (excess / (y - base))^(1/exponent)``; none at the base, or if flat."""
    return reference * (excess / (y - base)) ** (1 / exponent)


def power_law(exponent, *, at_one="value at 1", scale_unit="{y}/{x}^exponent", **about):
    """Return the record of a power; `exponent` is its second parameter, `about` the rest of the record."""
    params = (Param("scale", at_one, scale_unit, 0.0, np.inf), exponent)
    start = proportional_start(power, params, lambda x, y, held: (fitted_slope(np.log(x), np.log(y)),))
    about = {"function": power, "inverse": power_inverse, "error": "relative"} | about
    return Law(params=params, start=start, **about)
