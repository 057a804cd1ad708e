"""Ratings of systems by a law that is fitted to others."""

import math
import numbers
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dominoperf import fitting
from dominoperf.errors import CannotPlan, check_level
from dominoperf.laws import Law
from dominoperf.planning.catalogue import COLUMNS


def fitted_rating(
    law: str | Law | Callable,
    data: str | pd.DataFrame,
    x: float | ArrayLike,
    *,
    workload: str,
    system: str | Sequence[str] = "",
    price_usd: float | Sequence[float] = math.nan,
    level: float = 0.95,
    **settings,
) -> pd.DataFrame:
    """Return the ratings of systems by a law fitted to others: rows as `systems` gives them, one for each x.

    What is bought is one machine, not the mean of many, so its rating is a new observation: the bounds and the
    error are the curve's and the scatter of single machines together, ``std_error² = se(curve)² + s²`` with s the
    standard error of the residuals (relative to the rating, where the law's errors are). `users_low`, `users_high` are
    each one-sided at the level, from the profile of the forecast; they are Student's t where the law is linear.

    Parameters
    ----------
    law, data
        As for `fit`: "amdahl" and the series "smp_mail", say.
    x : float or array
        Where to forecast: 4 for four processors.
    workload : str
        The workload of the points: Mail, MailDB, Groupware_A or DiscDB, or one of your own.
    system : str or list, optional
        Names of the systems, one for each x; by default made of the law, the points and x.
    price_usd : float or list, optional
        Prices of the systems.
    level : float
        Coverage of each one-sided bound, above a half.
    **settings
        Others of `fit`: fixed, error, sigma...

    Returns
    -------
    DataFrame
        The columns of `systems`. Without residual degrees of freedom `users_low`, `users_high` and `std_error` are NaN
        and the basis says "no interval": the corrected rules then plan with `users`. A stated sigma is as good as
        infinitely many degrees of freedom.

    Raises
    ------
    CannotPlan
        When y is not the users, names or prices are not one for each x, or the law carries nobody there.
    CannotFit, UnknownName
        As `fit` raises them.

    Examples
    --------
    >>> row = fitted_rating("amdahl", "smp_mail", 4, workload="Mail").iloc[0]
    >>> round(row["users"]), row["basis"]
    (3762, 'law amdahl, extrapolated')
    """
    check_level(level, "fitted_rating")
    if not (isinstance(workload, str) and workload):
        remedy = "Mend the call."
        raise CannotPlan("fitted_rating, workload", expected="its name", found=repr(workload), remedy=remedy)
    fit = fitting.fit(law, data, level=2 * level - 1, **settings)  # ends of two sides, each the bound of one
    if fit.y != "users":
        remedy = "Fit a law whose y is users, or a series of them."
        raise CannotPlan(f"fitted_rating, {fit.source}", expected="users as y", found=fit.y, remedy=remedy)
    ahead = fit.predict(x)
    users = ahead["predicted"]
    if not (users > 0).all():
        found = ", ".join(f"{value:g}" for value in users)
        remedy = "Ask for another x."
        raise CannotPlan(f"fitted_rating, {law}", expected="users above 0", found=found, remedy=remedy)
    points = data if isinstance(data, str) else fit.source
    unnamed = isinstance(system, str) and not system
    names = system if not unnamed else [f"{fit.law.name} of {points}, {fit.x} {value:g}" for value in ahead["x"]]
    error = np.hypot(ahead["std_error"], fit.noise(users))
    sure = (error > 0) & ahead["obs_low"].notna()
    rows = {
        "system": _one_per_x("system", names, len(ahead)),
        "workload": workload,
        "users": users,
        "users_low": ahead["obs_low"].where(sure),
        "users_high": ahead["obs_high"].where(sure),
        "std_error": error.where(sure),
        "dof": math.inf if fit.sigma_given else float(fit.dof),
        "price_usd": _one_per_x("price_usd", price_usd, len(ahead)),
        "basis": [
            f"law {fit.law.name}" + ", extrapolated" * bool(outside) + ", no interval" * (not has_error)
            for outside, has_error in zip(ahead["extrapolated"], sure, strict=True)
        ],
        "law": fit.law.name,
        "extrapolated": ahead["extrapolated"],
        "locator": str(fit.source),
    }
    rows |= {fit.x: ahead["x"]} if fit.x in ("processors", "ram_mb") else {}
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def _one_per_x(name, argument, count):
    """A value for each x, of a list or of one value for one x."""
    values = list(argument) if np.ndim(argument) else [argument]
    values = values * count if name == "price_usd" and len(values) == 1 else values
    wanted, kind = ("names", str) if name == "system" else ("prices", numbers.Real)
    if not all(isinstance(value, kind) for value in values):
        raise CannotPlan(f"fitted_rating, {name}", expected=wanted, found=repr(argument), remedy="Mend the call.")
    if len(values) != count or (name == "system" and len(set(values)) < count):
        expected, remedy = f"{count} of them, one for each x", "Give a list as long as x."
        raise CannotPlan(f"fitted_rating, {name}", expected=expected, found=str(argument), remedy=remedy)
    return values
