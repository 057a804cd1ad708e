"""Whether a law agrees with means whose errors are known: the chi-squared test of lack of fit."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from dominoperf.errors import CannotFit, as_typed


@dataclass(frozen=True)
class Agreement:
    """How far the nearest curve of a law is from points, in their own errors; NaN where that is unknown."""

    chi_squared: float
    dof: int
    p: float
    reason: str = ""


def agreement(fit, std_errors):
    """Return the chi-squared test of lack of fit of a law: ``chi² = min sum(((y - f(x)) / se)²)``.

    The least is taken over the parameters, within the bounds of the fit: it is the curve of the law that is nearest to
    the points in their errors, and not the one that was fitted with other weights. If the law is true, chi² has as many
    degrees of freedom as there are points less parameters (Draper and Smith, Applied Regression Analysis, 1998).

    Parameters
    ----------
    fit : Fit
    std_errors : array
        Of each point, in the unit of y.

    Returns
    -------
    Agreement
        p is how likely a chi² this large or larger would be if the law were true. NaN, with the reason, where a point
        has no error, or there are no degrees of freedom.

    Raises
    ------
    CannotFit
        When `fit` is none, or there is not one error per point.

    Examples
    --------
    >>> from dominoperf import fit
    >>> test = agreement(fit("amdahl", "smp_mail"), [50, 50, 50])
    >>> test.dof, round(test.p, 2)
    (1, 0.99)
    """
    if not hasattr(fit, "curves"):
        remedy = "Fit the law first: agreement(fit(law, data), std_errors)."
        raise CannotFit("agreement, fit", expected="a Fit, as `fit` gives it", found=type(fit).__name__, remedy=remedy)
    try:
        errors = np.broadcast_to(np.asarray(std_errors, float), len(fit.curves.x))
    except (TypeError, ValueError, OverflowError):
        expected, remedy = f"{len(fit.curves.x)} numbers, one per point", "Give a standard error for each point."
        found = as_typed(std_errors)
        raise CannotFit("agreement, std_errors", expected=expected, found=found, remedy=remedy) from None
    if not (np.isfinite(errors) & (errors > 0)).all():
        return Agreement(np.nan, fit.dof, np.nan, "a point has no standard error")
    if fit.dof < 1:
        return Agreement(np.nan, fit.dof, np.nan, "no more points than parameters")
    weighted = replace(fit.curves, weights=1 / errors[:, None])
    _, squares, converged = weighted.solve(fit.estimates[:, None])
    if not converged[0]:
        return Agreement(np.nan, fit.dof, np.nan, "the nearest curve was not found")
    return Agreement(float(squares[0]), fit.dof, float(special.chdtrc(fit.dof, squares[0])))
