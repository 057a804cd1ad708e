"""How often points like these would name a law if it held: by simulation of many sets of them."""

import numpy as np
import pandas as pd

from dominoperf.fitting import law_naming
from dominoperf.fitting.law_tests import ONE_CURVE, LawTests, error_model_of_compared_law

_NO_NOISE = "no law says how large the noise is"
_BELOW = "no law that stands is above zero there"


def rates_of_naming(tests, law=None, noise=None):
    """Return how often such points name each law where it is true; `Comparison.rates` has the columns.

    The replicates that give p values are those of each law at its fit to the true curve, once for all sets.
    """
    rows, count = [], tests.constants.sets
    for k, fit in enumerate(tests.fits):
        if law not in (None, fit.law.name):
            continue
        sd = _residual_noise(tests, k) if noise is None else float(noise)
        if np.isnan(sd):
            rows.append((fit.law.name, *[np.nan] * 5, count, _NO_NOISE))
            continue
        mean = fit.curve(tests.x[:, 0])
        sets = tests.solve(tests.noisy(k, mean, sd, count, tests.constants.seed + 1), simulated=True)
        near = tests.solve(mean[:, None])
        means, sds = [], []
        for other, params, squares, dof in zip(tests.fits, near.params, near.squares, tests.dof, strict=True):
            means.append(np.broadcast_to(other.law.function(tests.x, *params), tests.x.shape)[:, 0])
            alike = error_model_of_compared_law(other) == error_model_of_compared_law(fit)
            missed = squares[0] / max(dof, 1)
            sds.append(other.residual_sd if other.sigma_given else np.sqrt(sd**2 * alike + missed))
        means = np.array(means)
        p = tests.p_values(sets, tests.nulls(means, np.array(sds)))
        refuted = float(np.mean(~tests.not_refuted(p)[k]))
        rows.append((fit.law.name, *_naming_shares(tests, p, sets, k, means), refuted, count, ""))
    names = ["law", "named", "wrong", "far_off", "cannot_tell", "refuted_share", "n_simulated", "reason"]
    return pd.DataFrame(rows, columns=names)


def next_loads_to_test(tests):
    """Return how much one more point at each of some loads would help; `Comparison.next_load` has the columns."""
    names = ["x", "distance", "apart", "named", "wrong", "far_off", "cannot_tell", "n_simulated", "reason"]
    tested = tests.x[:, 0]
    loads = tested.max() * np.array(tests.constants.multiples)
    if (tested == np.round(tested)).all():
        loads = np.round(loads)
    rows = [_next_load(tests, x) for x in np.unique(loads[loads > tested.max()])]
    return pd.DataFrame(rows, columns=names).sort_values(["named", "x"], ascending=[False, True], ignore_index=True)


def _next_load(tests, x):
    """The row of one load: each unrefuted law is the truth in turn, and the other points stay as they are."""
    fits, (tested, y) = tests.fits, tests.fits[0].points
    further = LawTests(fits, tests.level, tests.constants, np.append(tested, x)[:, None])
    ahead = np.array([fit.curve(np.array([x]))[0] for fit in fits])
    noise = np.array([_residual_noise(tests, k) for k in range(len(fits))])
    unrefuted = tests.not_refuted(tests.p)[:, 0] & np.isfinite(ahead) & ((ahead > 0) | (not fits[0].positive))
    means = np.array([np.append(fit.curve(tested), there) for fit, there in zip(fits, ahead, strict=True)])
    sds = np.array([fit.residual_sd for fit in fits])
    nulls = further.nulls(means, np.where(np.isfinite(sds), sds, noise))
    shares, count = [], tests.constants.sets
    for k in np.flatnonzero(unrefuted & np.isfinite(noise)):
        if (_laws_with_same_curve(means, k) & unrefuted)[:k].any():
            continue
        sets = further.noisy(k, means[k], noise[k], count, tests.constants.seed + 1)
        sets[:-1] = y[:, None]
        solved = further.solve(sets)
        shares.append(_naming_shares(further, further.p_values(solved, nulls), solved, k, means))
    apart = ahead[unrefuted].max() / ahead[unrefuted].min() if unrefuted.any() else np.nan
    shares = np.mean(shares, axis=0) if shares else [np.nan] * 4
    reason = "" if np.isfinite(shares[0]) else _NO_NOISE if unrefuted.any() else _BELOW
    return x, x / tested.max(), apart, *shares, count, reason


def _residual_noise(tests, k):
    """The residual standard deviation of an unrefuted law, else the least of the unrefuted ones; NaN if unknown."""
    fit, unrefuted = tests.fits[k], tests.not_refuted(tests.p)[:, 0]
    if unrefuted[k] and np.isfinite(fit.residual_sd):
        return fit.residual_sd
    alike = [other for other, known in zip(tests.fits, unrefuted, strict=True)
             if known and error_model_of_compared_law(other) == error_model_of_compared_law(fit)]  # fmt: skip
    sds = [other.residual_sd for other in alike if np.isfinite(other.residual_sd)]
    return min(sds, default=np.nan)


def _naming_shares(tests, p, solved, k, means):
    """Shares of sets that name law k or one no larger with its curve, that name another, a far one, and none."""
    named = law_naming.name_law(tests, p, solved).named
    decided, which = named >= 0, np.maximum(named, 0)
    size = np.array([fit.curves.free.sum() for fit in tests.fits])
    right = decided & (_laws_with_same_curve(means, k) & (size <= size[k]))[which]
    ahead = np.array([law_naming.forecast_at_asked_load(tests, i, solved) for i in range(len(size))])
    far = np.array([law_naming.tolerance(tests, i, k) for i in range(len(size))])[which]
    with np.errstate(all="ignore"):
        ratio = ahead[which, np.arange(len(which))] / tests.fits[k].curve(np.array([law_naming.asked_load(tests)]))[0]
    off = decided & ~right & ~(np.abs(ratio - 1) <= far)
    return tuple(float(np.mean(share)) for share in (right, decided & ~right, off, ~decided))


def _laws_with_same_curve(means, k):
    """Whether each law has the curve of law k at the points."""
    with np.errstate(all="ignore"):
        return (np.abs(means - means[k]) <= ONE_CURVE * np.abs(means[k])).all(axis=1)
