"""Whether a law agrees with points whose own errors are known: the chi-squared test of lack of fit."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special


@dataclass(frozen=True)
class Agreement:
    """How far the nearest curve of a law is from points, in their own errors; NaN where that is unknown."""

    chi_squared: float
    dof: int
    p: float
    reason: str = ""


def agreement(fit, std_errors):
    """Test a fitted law against the standard errors of its points: ``chi² = min sum(((y - f(x)) / se)²)``.

    The least is taken over the parameters, within the bounds of the fit: it is the curve of the law that is nearest to
    the points in their errors, and not the one that was fitted with other weights. If the law holds, chi² has as many
    degrees of freedom as there are points less parameters (Draper and Smith, Applied Regression Analysis, 1998).

    Parameters
    ----------
    fit : Fit
    std_errors : array
        Of each point, in the unit of y.

    Returns
    -------
    Agreement
        p is how likely so much or more would be if the law held. NaN, with the reason, where a point has no error, or
        there are no degrees of freedom.

    Examples
    --------
    >>> from dominoperf import fit
    >>> found = agreement(fit("amdahl", "smp_mail"), [50, 50, 50])
    >>> found.dof, round(found.p, 2)
    (1, 0.99)
    """
    errors = np.asarray(std_errors, float)
    if not (np.isfinite(errors) & (errors > 0)).all():
        return Agreement(np.nan, fit.dof, np.nan, "a point has no standard error")
    if fit.dof < 1:
        return Agreement(np.nan, fit.dof, np.nan, "no more points than parameters")
    weighted = replace(fit.curves, weights=1 / errors[:, None])
    _, squares, converged = weighted.solve(fit.params[:, None])
    if not converged[0]:
        return Agreement(np.nan, fit.dof, np.nan, "the nearest curve was not found")
    return Agreement(float(squares[0]), fit.dof, float(special.chdtrc(fit.dof, squares[0])))
