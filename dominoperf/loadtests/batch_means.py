"""Means, quantiles and slopes of autocorrelated samples, with their errors, by batch means.

The samples are put into 48 to 95 equal batches in order of time; of fewer than 48 samples each is a batch of its own.
With B batches of means b the squared error of the mean is ``sum((b - mean(b))^2) / (B (B - 1)) (1 + r)/(1 - r)``: what
autocorrelation is left between neighbouring batches widens it, r being their lag-1 autocorrelation (Tafazzoli and
Wilson, IIE Transactions 43(2) 2011), corrected for its bias in short series (Marriott and Pope, Biometrika 41 1954).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from dominoperf.errors import counted

FEWEST = 10  # samples: fewer have no error
_BATCHES = 48  # fewer leave few degrees of freedom, more leave batches alike; 93-97 % coverage is a test
_FEWEST_DOF = 2.0  # of batches worth fewer, whose number is itself uncertain
_MOST_ALIKE = 0.95  # an error would be six times the naive one, from a correlation hardly known: better none
_WIDEST = (1 + _MOST_ALIKE) / (1 - _MOST_ALIKE)
_ALIKE = "too much alike from one to the next for an error"


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; NaN where it is unknown, and why."""

    value: float
    std_error: float = np.nan
    low: float = np.nan
    high: float = np.nan
    effective: float = np.nan  # independent samples that would say as much
    reason: str = ""


def mean_by_batches(values, level, weights=None):
    """Return the mean of samples in order of time, ``sum(w y) / sum(w)``, as an `Estimate` with its interval.

    The error of a weighted mean is that of the ratio: of the samples ``w (y - mean) / mean(w)``. A sample of weight 0
    measured nothing, and is left out.
    """
    if weights is not None:
        values, weights = values[weights > 0], weights[weights > 0]
    count = len(values)
    weights = np.ones(count) if weights is None else weights
    if not count:
        return Estimate(np.nan, reason="no samples")
    value = float(np.sum(weights * values) / weights.sum())
    if count < FEWEST:
        return Estimate(value, reason=f"{counted(count, 'sample')}: too few for an error")
    parts = weights * (values - value) / weights.mean()
    if _is_constant(parts, abs(value)):
        return Estimate(value, 0.0, value, value, float(count), "all samples are equal")
    batches = _equal_batches(parts)
    residual = batches - batches.mean()
    widened = autocorrelation_widening(residual, 1)
    error = float(np.sqrt(np.sum(residual**2) / (len(batches) - 1) / len(batches) * widened))
    if widened >= _WIDEST or not error:
        return Estimate(value, reason=_ALIKE)
    effective = float(min(np.var(parts) / error**2, count))
    reach = t_quantile(level, max(len(batches) / widened - 1, _FEWEST_DOF)) * error
    few = f"{counted(count, 'sample')} worth {effective:.0f} independent ones" if effective < FEWEST else ""
    return Estimate(value, error, value - reach, value + reach, effective, few)


def with_remaining_ramp(mean, values, before):
    """Return the mean of samples with an error that also has what may be left in them of the ramp before them.

    The squared error grows by ``(mean of the second half - mean)^2`` where that goes on in the direction of the ramp:
    a bias of half the standard error is seen in no test, and makes an interval of 95 % hold less.
    """
    ahead = (values[len(values) // 2 :].mean() - mean.value) * np.sign(mean.value - before.mean())
    if not (mean.std_error > 0 and ahead > 0):
        return mean
    wider = float(np.hypot(mean.std_error, ahead))
    reach = (mean.high - mean.value) * wider / mean.std_error
    return replace(mean, std_error=wider, low=mean.value - reach, high=mean.value + reach)


def quantile_by_batches(groups, share, level):
    """Return the value that a share of all requests does not exceed, as an `Estimate` with its interval.

    `groups` are the values of the requests of each sample, in order of time. The error is that of the share of requests
    at or below it, as `mean_by_batches` has it, turned into values by the distribution of the requests (Woodruff,
    Journal of the American Statistical Association 47 1952).
    """
    groups = [group for group in groups if len(group)]
    if not groups:
        return Estimate(np.nan, reason="no requests")
    values = np.concatenate(groups)
    value = float(np.quantile(values, share))
    below = np.array([np.mean(group <= value) for group in groups])
    of_share = mean_by_batches(below, level, np.array([len(group) for group in groups], float))
    error, reach = of_share.std_error, of_share.high - of_share.value
    if np.isnan(error):
        return Estimate(value, reason=of_share.reason)
    ends = share + np.array([-error, error, -reach, reach])
    known = (ends >= 0) & (ends <= 1)
    below_one, above_one, low, high = np.where(known, np.quantile(values, np.clip(ends, 0, 1)), np.nan).tolist()
    few = "" if known.all() else "so few requests lie beyond it that they do not bound it"
    return Estimate(value, (above_one - below_one) / 2, low, high, of_share.effective, few or of_share.reason)


def slope_by_batches(times, values, level):
    """Return the least-squares slope of values against times, in order of time, as an `Estimate` with its interval.

    ``b = sum((t - t̄) y) / sum((t - t̄)²)`` over batch means; its error is that of a line, widened as that of a mean;
    `effective` counts independent samples about the line. NaN with a reason for fewer than 10 samples, or of one time.
    """
    if len(values) < FEWEST:
        return Estimate(np.nan, reason=f"{counted(len(values), 'sample')}: too few for a slope")
    if _is_constant(values, np.abs(values).max()):
        return Estimate(0.0, 0.0, 0.0, 0.0, len(values))
    at, batches = _equal_batches(times), _equal_batches(values)
    at = at - at.mean()
    across = float(np.sum(at**2))
    if across == 0:
        return Estimate(np.nan, reason="all samples have one time")
    value = float(np.sum(at * batches)) / across
    residual = batches - batches.mean() - value * at
    if _is_constant(residual, np.abs(values).max()):  # a line, but for rounding
        residual = np.zeros(len(at))
    widened = autocorrelation_widening(residual, 2)
    error = float(np.sqrt(np.sum(residual**2) / (len(batches) - 2) / across * widened))
    if widened >= _WIDEST:
        return Estimate(value, reason=_ALIKE)
    effective = float(len(values))
    if error:
        about = values - values.mean() - value * (times - times.mean())
        effective = float(min(np.var(about) * len(batches) / (np.var(residual) * widened), len(values)))
    reach = t_quantile(level, max(len(batches) / widened - 2, _FEWEST_DOF)) * error
    return Estimate(value, error, value - reach, value + reach, effective)


def t_quantile(level, dof):
    """Return the quantile of Student's t for a two-sided interval; NaN where there are no degrees of freedom."""
    return float(special.stdtrit(dof, (1 + level) / 2)) if dof > 0 else np.nan


def autocorrelation_widening(residual, terms):
    """Return by how much autocorrelation widens a variance, from residuals about a mean (1 term) or a line (2).

    ``(1 + r) / (1 - r)`` with r the lag-1 autocorrelation; what has been fitted makes residuals look less alike than
    the samples are, so r is raised by its bias, ``(terms + (2 + terms) r) / n``. A negative r is taken as 0.
    """
    total = float(np.sum(residual**2))
    if total == 0:
        return 1.0
    alike = float(np.sum(residual[1:] * residual[:-1])) / total
    alike += (terms + (2 + terms) * alike) / len(residual)
    alike = min(max(alike, 0.0), _MOST_ALIKE)
    return (1 + alike) / (1 - alike)


def _is_constant(values, scale):
    """Whether values differ by no more than rounding on their scale."""
    return np.ptp(values) <= 1e-12 * max(scale, np.finfo(float).tiny)


def _equal_batches(values):
    """Means of equal batches; what is left over is the first samples."""
    size = max(1, len(values) // _BATCHES)
    return values[len(values) % size :].reshape(-1, size).mean(axis=1)
