"""Replicates of a fit by the parametric bootstrap."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dominoperf.errors import CannotFit, DominoperfError, as_typed, check_seed, is_whole_number, names_its_keywords

if TYPE_CHECKING:
    from dominoperf.fitting.result import Fit  # which imports this module

MOST_DRAWS = 1_000_000
"""Random draws of one simulation: a share of them then has a standard error of 0.05 percentage points at most. More
would take gigabytes, and tell nobody more: what is drawn is not known so well."""
NOT_CONVERGED = "the search for the best parameters did not converge"
_CHUNK = 4096  # replicates at once: their arrays stay in the cache, and memory does not grow with their number


@names_its_keywords()
def bootstrap(fit: "Fit", n: int, seed: int = 0) -> pd.DataFrame:
    """Return parameters refitted to `n` replicates of a fit: its curve with fresh normal noise of its size.

    Quantiles of the replicates are intervals that are too short below about ten points; the intervals of `fit` are not.

    Parameters
    ----------
    fit : Fit
        Of a law to points, with errors that it knows.
    n : int
        Number of replicates, 1,000,000 at most.
    seed : int
        Of the random numbers: the same seed gives the same replicates, however many are asked for.

    Returns
    -------
    DataFrame
        One row per replicate: a column per parameter, one per standard error (``_std_error``), rmse, dof,
        params_at_bound, reason.

    Raises
    ------
    CannotFit
        When there is no fit, it does not know its residual standard deviation, or `n` or the seed cannot be.

    Examples
    --------
    >>> from dominoperf import bootstrap, fit
    >>> replicates = bootstrap(fit("amdahl", "smp_mail"), 200)
    >>> round(float(replicates["contention"].mean()), 2)
    0.35
    """
    if not hasattr(fit, "residual_sd"):
        remedy = "Fit first: bootstrap(fit(law, data), n)."
        raise CannotFit("bootstrap", expected="a Fit, as `fit` gives it", found=type(fit).__name__, remedy=remedy)
    if hasattr(fit, "loads"):  # a `CensoredFit`, whose module imports this one by way of `Fit`
        remedy = "Take its profile intervals: nobody knows which loads other tests would have tried."
        raise CannotFit("bootstrap", expected="points", found="capacities between two loads", remedy=remedy)
    if not np.isfinite(fit.residual_sd):
        expected = "a fit that knows the standard deviation of its residuals"
        raise CannotFit("bootstrap", expected=expected, found=fit.error_from, remedy="Give `fit` a sigma.")
    check_draws("bootstrap", n, seed, CannotFit)
    frames = []
    for curves, params, squares, good in _bootstrap_replicates(fit, n, seed):
        errors = curves.standard_errors(params, curves.residual_sd(squares)[0])
        values = np.vstack([params, errors, curves.rmse(params)[None], curves.dof[None]])
        names = [*fit.law.names, *(f"{name}_std_error" for name in fit.law.names), "rmse", "dof"]
        frame = pd.DataFrame(np.where(good, values, np.nan).T, columns=names)
        reasons = np.where(good, "", NOT_CONVERGED).astype(object)
        frames.append(frame.assign(params_at_bound=curves.names_on_bound(params), reason=reasons))
    return pd.concat(frames, ignore_index=True)


def check_draws(where: str, n: object, seed: object, refused: type[DominoperfError]) -> None:
    """Refuse a number of random draws that is none from 1 to `MOST_DRAWS`, or a seed that is none.

    By the class `refused`; `where` is the function that errors name.
    """
    if not (is_whole_number(n) and 1 <= n <= MOST_DRAWS):
        expected = f"a whole number from 1 to {MOST_DRAWS:,}"
        raise refused(f"{where}, n", expected=expected, found=as_typed(n), remedy=f"Give {expected}.")
    check_seed(where, seed, refused)


def _bootstrap_replicates(fit, n, seed):
    """Replicates, some at a time: the curves, their parameters, sums of squares, and whether each is to be used."""
    curves, best = fit.curves, fit.estimates[:, None]
    fitted, random = curves.law.function(curves.x, *best), np.random.default_rng(seed)
    of_errors = np.random.default_rng([seed, 1])  # of its own: how many replicates are made at once changes none
    for first in range(0, n, _CHUNK):
        noise = curves.in_order_of_x(random.standard_normal((min(_CHUNK, n - first), len(fitted))).T)
        y = fitted + fit.residual_sd * noise / curves.weights
        again = curves.through(curves.x, y).with_errors_of_other_repeats(of_errors)
        params, squares, converged = again.solve(np.repeat(best, y.shape[1], axis=1))
        below = (y <= 0).any(axis=0) & (curves.power > 0)
        yield again, params, squares, converged & ~below
