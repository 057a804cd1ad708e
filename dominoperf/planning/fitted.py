"""Capacities that nobody measured: forecasts of a fitted law as systems to plan with, with what is known of them."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from dominoperf import fitting
from dominoperf.batch import check_level
from dominoperf.errors import CannotPlan
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
    found = fitting.fit(law, data, level=2 * level - 1, **settings)  # ends of two sides, each the bound of one
    if found.y != "users":
        remedy = "Fit a law whose y is users, or a series of them."
        raise CannotPlan(f"fitted_capacity, {found.source}", expected="users as y", found=found.y, remedy=remedy)
    ahead = found.predict(x)
    carried = ahead["predicted"]
    if not (carried > 0).all():
        expected, told = "users above 0", ", ".join(f"{each:g}" for each in carried)
        raise CannotPlan(f"fitted_capacity, {law}", expected=expected, found=told, remedy="Ask for another x.")
    known = data if isinstance(data, str) else found.source
    names = system if len(system) else [f"{found.law.name} of {known}, {found.x} {each:g}" for each in ahead["x"]]
    rows = {"system": _each("system", names, len(ahead)), "workload": workload, "users": carried}
    rows |= _bounds(found, ahead) | {
        "price_usd": _each("price_usd", price_usd, len(ahead)),
        "locator": str(found.source),
    }
    rows |= {found.x: ahead["x"]} if found.x in ("processors", "ram_mb") else {}
    return pd.DataFrame(rows).reindex(columns=COLUMNS)


def _bounds(found, ahead):
    """Bounds, standard error and freedom of a new machine's capacity, and what the row stands on."""
    noise = found.spread * (ahead["predicted"] if found.relative else 1.0)
    error = np.hypot(ahead["std_error"], noise)
    known = (error > 0) & ahead["obs_low"].notna()
    basis = [
        f"law {found.law.name}" + ", extrapolated" * bool(outside) + ", no interval" * (not sure)
        for outside, sure in zip(ahead["extrapolated"], known, strict=True)
    ]
    ends = {"users_low": ahead["obs_low"], "users_high": ahead["obs_high"], "std_error": error}
    about = {"basis": basis, "law": found.law.name, "extrapolated": ahead["extrapolated"]}
    freedom = math.inf if found.known else float(found.dof)
    return {name: values.where(known) for name, values in ends.items()} | {"dof": freedom} | about


def _each(name, given, count):
    """A value for each x, of a list or of one value for one x."""
    values = list(given) if np.ndim(given) else [given]
    values = values * count if name == "price_usd" and len(values) == 1 else values
    if len(values) != count or (name == "system" and len(set(values)) < count):
        expected, remedy = f"{count} of them, one for each x", "Give a list as long as x."
        raise CannotPlan(f"fitted_capacity, {name}", expected=expected, found=str(given), remedy=remedy)
    return values
