"""Bootstrap-t intervals: from replicates of the points, each estimate in units of its own standard error."""

import functools

import numpy as np

from dominoperf.fitting import many
from dominoperf.laws import gradient

REPLICATES = 2000  # a tail of 2.5 % is then known to 0.35 points (binomial)


def of_parameters(fit, errors):
    """Ends of the interval of every parameter; NaN where it has no standard error."""
    curves, params = _replicates(fit)
    own = curves.standard_errors(params, _spreads(curves, params))
    return _ends(fit, fit.params, errors, params, own)


def of_quantity(fit, function, at, values, errors):
    """Ends of the interval of ``function(at, *params)`` at each `at`."""
    curves, params = _replicates(fit)
    covariance, spreads = curves.covariance(params), _spreads(curves, params)
    found, own = np.empty((2, len(at), params.shape[1]))
    for k, each in enumerate(at):
        found[k] = np.real(function(each, *params))
        slope = np.broadcast_to(gradient(functools.partial(function, each), list(params)), params.shape)
        slope = np.where(curves.inside(params), slope, 0.0)
        own[k] = np.sqrt(np.einsum("pr,rpq,qr->r", slope, covariance, slope)) * spreads
    return _ends(fit, values, errors, found, own)


def _replicates(fit):
    return many.replicates(fit, REPLICATES, seed=0)


def _spreads(curves, params):
    return np.sqrt(np.sum(curves.residuals(params) ** 2, axis=0) / curves.dof)


def _ends(fit, values, errors, replicated, own):
    """Estimate less the upper, and less the lower, quantile of the studentised replicates times its standard error."""
    with np.errstate(all="ignore"):
        studentised = (replicated - np.asarray(values)[:, None]) / own
    studentised = np.where(np.isfinite(studentised), studentised, np.nan)
    tail = (1 - fit.level) / 2
    ends = np.full((2, len(values)), np.nan)
    usable = (np.sum(np.isfinite(studentised), axis=1) > 100) & np.isfinite(errors)
    if not usable.any():
        return ends
    upper, lower = np.nanquantile(studentised[usable], [1 - tail, tail], axis=1)
    ends[:, usable] = values[usable] - upper * errors[usable], values[usable] - lower * errors[usable]
    return ends
