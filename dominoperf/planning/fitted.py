"""What a system carries by a law, where it was not measured: more processors, another clock, more memory."""

import math

import pandas as pd
from scipy import stats

from dominoperf import fitting


def fitted_capacity(law, data, x, *, workload, system="", price_usd=math.nan, level=0.95, **settings):
    """Give a row as `systems` has them for a system that a law forecasts.

    users is the forecast, users_low and users_high the ends of the interval of a new observation: what a test of that
    system would show. Without residual degrees of freedom there is no interval, and the plan takes the forecast itself.

    Parameters
    ----------
    law, data : as `fit` takes them
        For instance "amdahl" and the series "smp_mail".
    x : float
        Where: processors, MHz, MB, as the law has it.
    workload : str
        What the data are of: Mail, MailDB, Groupware_A or DiscDB.
    settings
        Others of `fit`: fixed, error, sigma...

    Returns
    -------
    DataFrame
        One row: system, workload, users, users_low, users_high, std_error, dof, price_usd, basis, locator.

    Raises
    ------
    CannotFit
        When the points do not allow it.
    """
    found = fitting.fit(law, data, level=level, **settings)
    told, dof = found.predict([x]).iloc[0], int(found.glance()["dof"].iloc[0])
    spread = (told["obs_high"] - told["obs_low"]) / 2
    known = dof > 0 and spread == spread
    outside = "extrapolated" if told["extrapolated"] else ""
    row = {
        "system": system or f"{data if isinstance(data, str) else 'own data'} at {x:g}",
        "workload": workload,
        "users": told["predicted"],
        "users_low": told["obs_low"] if known else told["predicted"],
        "users_high": told["obs_high"] if known else math.nan,
        "response_s": math.nan,
        "think_s": math.nan,
        "processors": math.nan,
        "ram_mb": math.nan,
        "price_usd": price_usd,
        "std_error": spread / stats.t.ppf(0.5 + level / 2, dof) if known else math.nan,
        "dof": dof,
        "basis": ", ".join(filter(None, (f"law {found.law.name}", outside, "" if known else "no interval"))),
        "locator": "",
    }
    return pd.DataFrame([row])
