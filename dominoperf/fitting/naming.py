"""How often the points would name the law that holds, as they are and with one more load tested."""

import numpy as np
import pandas as pd

from dominoperf.fitting.evidence import LawTests, error_model

_NO_NOISE = "no law says how large the noise is"
_ALIKE = 1e-6  # of y: curves that differ by less are one
_BELOW = "no law that stands is above zero there"


def rates(law_tests, law=None, noise=None):
    """Return how often such points name each law where it holds; `Comparison.rates` has the columns.

    The replicates that give p values are those of each law at its fit to the true curve, once for all sets of points.
    """
    rows = []
    for k, fit in enumerate(law_tests.fits):
        if law not in (None, fit.law.name):
            continue
        sd = _residual_noise(law_tests, k) if noise is None else float(noise)
        shares = [np.nan] * 5 if np.isnan(sd) else _naming_rates(law_tests, k, sd)
        rows.append((fit.law.name, *shares, law_tests.constants.sets, _NO_NOISE if np.isnan(sd) else ""))
    names = ["law", "named", "wrong", "far_off", "cannot_tell", "refuted_share", "n_simulated", "reason"]
    return pd.DataFrame(rows, columns=names)


def _naming_rates(law_tests, k, noise):
    """Shares of sets of points about the curve of law k: that name it, another, none, and that refute it."""
    mean = law_tests.fits[k].curve(law_tests.x[:, 0])
    sets = law_tests.solve(law_tests.noisy(k, mean, noise, law_tests.constants.sets, law_tests.constants.seed + 1))
    near = law_tests.solve(mean[:, None])
    means, sds = [], []
    for fit, params, squares, dof in zip(law_tests.fits, near.params, near.squares, law_tests.dof, strict=True):
        means.append(np.broadcast_to(fit.law.function(law_tests.x, *params), law_tests.x.shape)[:, 0])
        alike = error_model(fit) == error_model(law_tests.fits[k])
        missed = squares[0] / max(dof, 1)
        sds.append(fit.residual_sd if fit.sigma_given else np.sqrt(noise**2 * alike + missed))
    means = np.array(means)
    p = law_tests.p_values(sets, law_tests.nulls(means, np.array(sds)))
    shares = _naming_shares(law_tests, p, sets, k, means)
    return *shares, float(np.mean(~law_tests.not_rejected(p)[k]))


def _naming_shares(law_tests, p, solved, k, means):
    """Shares of sets that name law k or one no larger with its curve, that name another, a far one, and none."""
    named = law_tests.decide(p, solved)[0]
    decided, which = named >= 0, np.maximum(named, 0)
    size = np.array([fit.curves.free.sum() for fit in law_tests.fits])
    right = decided & (_laws_with_same_curve(means, k) & (size <= size[k]))[which]
    ahead = np.array([np.broadcast_to(fit.law.function(law_tests.asked_load, *params), named.shape)
                      for fit, params in zip(law_tests.fits, solved.params, strict=True)])  # fmt: skip
    far = np.array([law_tests.tolerance(i, k) for i in range(len(size))])[which]
    with np.errstate(all="ignore"):
        ratio = ahead[which, np.arange(len(which))] / law_tests.fits[k].curve(np.array([law_tests.asked_load]))[0]
    off = decided & ~right & ~(np.abs(ratio - 1) <= far)
    return (*(float(np.mean(share)) for share in (right, decided & ~right, off, ~decided)),)


def _laws_with_same_curve(means, k):
    """Whether each law has the curve of law k at the points."""
    with np.errstate(all="ignore"):
        return (np.abs(means - means[k]) <= _ALIKE * np.abs(means[k])).all(axis=1)


def _residual_noise(law_tests, k):
    """The residual standard deviation of a law that stands, else the least of those that do; NaN if none is known."""
    fit, stands = law_tests.fits[k], law_tests.not_rejected(law_tests.p)[:, 0]
    if stands[k] and np.isfinite(fit.residual_sd):
        return fit.residual_sd
    sds = [other.residual_sd for other, other_stands in zip(law_tests.fits, stands, strict=True)
             if other_stands and error_model(other) == error_model(fit) and np.isfinite(other.residual_sd)]  # fmt: skip
    return min(sds, default=np.nan)


def next_loads(law_tests):
    """Return how much one more point at each of some loads would help; `Comparison.next_load` has the columns."""
    names = ["x", "distance", "apart", "named", "wrong", "far_off", "cannot_tell", "n_simulated", "reason"]
    tested = law_tests.x[:, 0]
    loads = tested.max() * np.array(law_tests.constants.multiples)
    if (tested == np.round(tested)).all():
        loads = np.round(loads)
    rows = [_next_load(law_tests, x) for x in np.unique(loads[loads > tested.max()])]
    return pd.DataFrame(rows, columns=names).sort_values(["named", "x"], ascending=[False, True], ignore_index=True)


def _next_load(law_tests, x):
    """The row of one load: each law that stands is the truth in turn, and the points beside the new one as they are."""
    fits, (tested, y) = law_tests.fits, law_tests.fits[0].points
    further = LawTests(fits, law_tests.level, law_tests.constants, np.append(tested, x)[:, None])
    ahead = np.array([fit.curve(np.array([x]))[0] for fit in fits])
    noise = np.array([_residual_noise(law_tests, k) for k in range(len(fits))])
    stands = law_tests.not_rejected(law_tests.p)[:, 0] & np.isfinite(ahead) & ((ahead > 0) | (not fits[0].positive))
    means = np.array([np.append(fit.curve(tested), there) for fit, there in zip(fits, ahead, strict=True)])
    sds = np.array([fit.residual_sd for fit in fits])
    nulls = further.nulls(means, np.where(np.isfinite(sds), sds, noise))
    shares, count = [], law_tests.constants.sets
    for k in np.flatnonzero(stands & np.isfinite(noise)):
        if (_laws_with_same_curve(means, k) & stands)[:k].any():
            continue
        sets = further.noisy(k, means[k], noise[k], count, law_tests.constants.seed + 1)
        sets[:-1] = y[:, None]
        solved = further.solve(sets)
        shares.append(_naming_shares(further, further.p_values(solved, nulls), solved, k, means))
    apart = ahead[stands].max() / ahead[stands].min() if stands.any() else np.nan
    shares = np.mean(shares, axis=0) if shares else [np.nan] * 4
    reason = "" if np.isfinite(shares[0]) else _NO_NOISE if stands.any() else _BELOW
    return x, x / tested.max(), apart, *shares, count, reason
