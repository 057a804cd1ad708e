"""Which law points name: the simplest unrefuted one with a mechanism, where no other may lie far from it.

Of the laws with a mechanism (linear scaling, Amdahl's, the universal law) the simplest that is not refuted, unless
another unrefuted law may lie far from it at twice the last load: its forecast there, or the far end of the one-sided
interval of it, differs by more than 15 %, or 20 % where it does not contain the named law. Where all of these are
refuted, the one law that is not, unless it is a form without a mechanism (power, quadratic).
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dominoperf.fitting.law_tests import Solved

UNDECIDED_INDEX, NO_LAW_INDEX = -1, -2  # in place of the number of a law


class Naming(NamedTuple):
    """Which law each of many sets of points names, and why no other."""

    named: np.ndarray  # the number of a law, `UNDECIDED_INDEX` or `NO_LAW_INDEX`
    first: np.ndarray  # that of the simplest unrefuted law with a mechanism, -1 where there is none
    far: np.ndarray  # laws x sets: whether each may lie far from `first`


def name_law(tests, p, solved):
    """Return the `Naming` of sets of points, whose p values and fits are given."""
    not_refuted, count = tests.not_refuted(p), p.shape[1]
    named, first = np.full(count, UNDECIDED_INDEX), np.full(count, -1)
    far = np.zeros(p.shape, bool)
    undecided = np.ones(count, bool)
    for k in (tests.names[name] for name in tests.constants.laws if name in tests.names):
        here = np.flatnonzero(undecided & not_refuted[k])
        here = here[np.isfinite(p[k, here])]  # a law that nothing tests is never named
        if not len(here):
            continue
        curves, params = [law.take(here) for law in solved.curves], [law[:, here] for law in solved.params]
        some = Solved(curves, params, solved.squares[:, here])
        for other in range(len(tests.fits)):
            if other != k and not_refuted[other, here].any():
                far[other, here] = not_refuted[other, here] & may_differ(tests, k, other, some)
        named[here] = np.where(far[:, here].any(axis=0), UNDECIDED_INDEX, k)
        first[here], undecided[here] = k, False
    only = not_refuted.argmax(axis=0)
    nameable = np.ones(len(tests.fits), bool)
    if set(tests.constants.laws) & set(tests.names):
        nameable = np.array([fit.law.name not in tests.constants.forms for fit in tests.fits])
    alone = undecided & (not_refuted.sum(axis=0) == 1) & nameable[only] & np.isfinite(p[only, np.arange(count)])
    named[alone] = only[alone]
    named[~not_refuted.any(axis=0)] = NO_LAW_INDEX
    return Naming(named, first, far)


def asked_load(tests):
    """Return the load at which the unrefuted laws are asked to agree."""
    return tests.constants.reach * tests.x.max()


def tolerance(tests, k, other):
    """Return by which share another law may differ from law k at the asked load: less if it contains that."""
    return tests.constants.apart if tests.contains(other, k) else tests.constants.apart_unrelated


def may_differ(tests, k, other, solved):
    """Return whether another law may lie far from law k at the asked load, for every set of points."""
    far, here = tolerance(tests, k, other), forecast_at_asked_load(tests, k, solved)
    with np.errstate(all="ignore"):
        ratio = forecast_at_asked_load(tests, other, solved) / here
        differs = ~((ratio >= 1 - far) & (ratio <= 1 + far))
    # How far its sum of squares may rise one-sidedly: NaN if unknown.
    fit, curves, squares = tests.fits[other], solved.curves[other], solved.squares[other]
    if fit.sigma_given:
        sd = np.full(len(squares), fit.residual_sd)
    else:
        sd = np.where(curves.dof > 0, np.sqrt(squares / np.maximum(curves.dof, 1)), np.nan)
    threshold = curves.profile_threshold(sd, 2 * tests.constants.one_sided - 1, sigma_given=fit.sigma_given)
    differs |= ~np.isfinite(threshold)
    near = np.flatnonzero(~differs)
    for side in (1 - far, 1 + far):
        some = near[~differs[near]]
        if len(some):
            differs[some] = _reaches(tests, other, solved, some, here[some] * side, threshold[some], sd[some])
    return differs


def forecast_at_asked_load(tests, k, solved):
    """Return what law k forecasts at the asked load for every set of points."""
    law = tests.fits[k].law
    with np.errstate(all="ignore"):
        return np.broadcast_to(law.function(asked_load(tests), *solved.params[k]), solved.squares[k].shape)


def _reaches(tests, k, solved, some, value, threshold, sd):
    """Whether a law can have a value at the asked load where its sum of squares has risen by `threshold` at most.

    By the least sum of squares of all curves through that value. A law that has no scale in proportion to which it
    grows is judged by the standard error of its forecast.
    """
    curves, params, at = solved.curves[k].take(some), solved.params[k][:, some], asked_load(tests)
    pinned = _law_through_a_load(tests.fits[k].law, at)
    with np.errstate(all="ignore"):
        if pinned is None or not curves.free[0]:
            slope = np.where(curves.inside(params), curves.law.gradient(at, *params), 0.0)
            error = sd * np.sqrt(np.einsum("pr,rpq,qr->r", slope, curves.covariance(params), slope))
            distance = np.abs(value - curves.law.function(at, *params))
            return ~(distance > error * np.sqrt(threshold) / sd)
        start, free = params.copy(), np.repeat(curves.free[:, None], len(some), axis=1)
        start[0], free[0] = value, False
        least = replace(curves, law=pinned).solve(start, free, steps=tests.constants.steps)[1]
    return least - solved.squares[k, some] <= threshold


def _law_through_a_load(law, at):
    """A law with its value at a load in place of its scale; None where it does not grow in proportion to one."""
    if law.names[0] != "scale" or not law.example:
        return None
    rest = law.example[1][1:]
    if not np.isclose(law.function(at, 2.0, *rest), 2 * law.function(at, 1.0, *rest)):
        return None

    def function(x, value, *others):
        """The law, proportional to its value at the load."""
        return value * law.function(x, 1.0, *others) / law.function(at, 1.0, *others)

    return replace(law, function=function, jacobian=None)
