"""Capacities that nobody measured: forecasts of a fitted law as systems to plan with, with what is known of them."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dominoperf import fitting
from dominoperf.errors import CannotPlan, check_level
from dominoperf.laws import Law
from dominoperf.planning.systems import COLUMNS


def fitted_capacity(
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
    """Return what systems would carry by a law fitted to others: rows as `systems` gives them, one for each x.

    What is bought is one machine, not the mean of many, so its capacity is a new observation: the bounds and the
    error are the curve's and the scatter of single machines together, ``std_error² = se(curve)² + s²`` with s the
    spread of the residuals (relative to the capacity, where the law's errors are). `users_low` and `users_high` are
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
    >>> row = fitted_capacity("amdahl", "smp_mail", 4, workload="Mail").iloc[0]
    >>> round(row["users"]), row["basis"]
    (3762, 'law amdahl, extrapolated')
    """
    check_level(level, "fitted_capacity")
    fit = fitting.fit(law, data, level=2 * level - 1, **settings)  # ends of two sides, each the bound of one
    if fit.y != "users":
        remedy = "Fit a law whose y is users, or a series of them."
        raise CannotPlan(f"fitted_capacity, {fit.source}", expected="users as y", found=fit.y, remedy=remedy)
    ahead = fit.predict(x)
    users = ahead["predicted"]
    if not (users > 0).all():
        found = ", ".join(f"{each:g}" for each in users)
        remedy = "Ask for another x."
        raise CannotPlan(f"fitted_capacity, {law}", expected="users above 0", found=found, remedy=remedy)
    points = data if isinstance(data, str) else fit.source
    names = system if len(system) else [f"{fit.law.name} of {points}, {fit.x} {each:g}" for each in ahead["x"]]
    error = np.hypot(ahead["std_error"], fit.spread * (users if fit.relative else 1.0))
    sure = (error > 0) & ahead["obs_low"].notna()
    rows = {
        "system": _each("system", names, len(ahead)),
        "workload": workload,
        "users": users,
        "users_low": ahead["obs_low"].where(sure),
        "users_high": ahead["obs_high"].where(sure),
        "std_error": error.where(sure),
        "dof": math.inf if fit.sigma_given else float(fit.dof),
        "price_usd": _each("price_usd", price_usd, len(ahead)),
        "basis": [
            f"law {fit.law.name}" + ", extrapolated" * bool(outside) + ", no interval" * (not known)
            for outside, known in zip(ahead["extrapolated"], sure, strict=True)
        ],
        "law": fit.law.name,
        "extrapolated": ahead["extrapolated"],
        "locator": str(fit.source),
    }
    rows |= {fit.x: ahead["x"]} if fit.x in ("processors", "ram_mb") else {}
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def _each(name, given, count):
    """A value for each x, of a list or of one value for one x."""
    values = list(given) if np.ndim(given) else [given]
    values = values * count if name == "price_usd" and len(values) == 1 else values
    if len(values) != count or (name == "system" and len(set(values)) < count):
        expected, remedy = f"{count} of them, one for each x", "Give a list as long as x."
        raise CannotPlan(f"fitted_capacity, {name}", expected=expected, found=str(given), remedy=remedy)
    return values
