"""Multi-factor log-linear models over benchmark rows; CPU demand per user; what set a load."""

import functools

import numpy as np

from dominoperf.capacity.censoring import censored, driver_limits
from dominoperf.capacity.demand import PROPORTIONAL, PairedRatios, demand, paired_ratios, proportionality
from dominoperf.capacity.design import Design
from dominoperf.capacity.model import NO_RANKING, FactorModel
from dominoperf.capacity.rows import RESPONSES, find_response, gather, is_numeric
from dominoperf.errors import CannotFit, UnknownName, check_level

__all__ = [
    "NO_RANKING",
    "PROPORTIONAL",
    "RESPONSES",
    "FactorModel",
    "PairedRatios",
    "censored",
    "demand",
    "driver_limits",
    "factor_model",
    "paired_ratios",
    "proportionality",
]

_FULL = 1e-8  # a leverage this near to 1 is 1
_EXACT = 1e-12  # a residual logarithm below this is the arithmetic's


def factor_model(response="users", factors=None, data=None, *, where=None, level=0.95, robust="HC3"):
    """Explain a response by several factors at once: ordinary least squares on logarithms.

    ``ln y = a + sum p_i ln(x_i / centre_i) + sum b_jk [category j has level k]``: the p are exponents, the exp(b)
    ratios to a baseline. Errors are HC3 (MacKinnon and White 1985) with the t distribution. A row with leverage 1
    makes those meaningless; then the classical ones are given and the row is named.

    Parameters
    ----------
    response : {"users", "cpu_per_user"}
        Users (a capacity), or percent of the machine's CPU per 1,000 users. As a capacity no row enters whose
        load the drivers or a choice set (`censored`), and none of a document that ``data/limits.toml`` excludes.
    factors : sequence of str, optional
        Columns; by default of users clock_mhz, l2_kb, processors, ram_mb, operating_system, workload, domino_release,
        of CPU per user the last three. Printed texts are read into families first: platform, first two numbers of the
        release.
    data : DataFrame, path or URL, optional
        Rows in the columns of `benchmarks`; by default those. In a frame of your own a column `limited_by` marks the
        censored rows.
    where : dict, optional
        Column to the value, or the list of values, that its rows must have.
    level : float
        Coverage of the intervals.
    robust : {"HC3", "none"}
        Kind of the errors; "none" asks for the classical ones.

    Returns
    -------
    FactorModel

    Raises
    ------
    CannotFit
        With fewer than two complete rows, a value not above zero, no factor or a level that cannot be.
    UnknownName
        When the response, a factor or a column does not exist.
    BadTable
        When a numeric column holds text.
    """
    check_level(level, "factor_model")
    if robust not in ("HC3", "none"):
        raise UnknownName.among("robust", robust, ("HC3", "none"), "It is HC3 or none.")
    wanted = find_response(response)
    factors = _factors(factors, wanted)
    rows, dropped = gather(wanted, factors, data, where)
    design = Design.of(rows, factors, functools.partial(is_numeric, rows))
    params, covariance, kind, reason = _fit(design, np.log(rows[wanted.column].to_numpy(float)), rows["run"], robust)
    return FactorModel(wanted, design, rows, dropped, params, covariance, kind, reason, level)


def _factors(factors, response):
    """The factors of a model; the response itself, or one that is named twice, would explain nothing."""
    factors = response.factors if factors is None else (factors,) if isinstance(factors, str) else tuple(factors)
    own = {response.column, *response.needs} & set(factors)
    if not factors or own or len(set(factors)) < len(factors):
        found = f"{', '.join(own)}, the response itself" if own else repr(factors)
        remedy = f"Choose among {', '.join(response.factors)}, or other columns of the rows."
        raise CannotFit("factor_model(factors=...)", expected="different factors", found=found, remedy=remedy)
    return factors


def _fit(design, logs, runs, robust):
    """Parameters, their covariance, the kind of the errors and what is to be said of them."""
    from statsmodels.regression.linear_model import OLS  # of statsmodels.api the rest takes a second to load

    found = OLS(logs, design.columns).fit(method="qr")
    none = np.full((len(found.params),) * 2, np.nan)
    if len(logs) <= len(found.params):
        return found.params, none, "none", "as many terms as rows: no residual degree of freedom"
    if np.sqrt(np.mean(found.resid**2)) < _EXACT * max(1.0, np.abs(logs).max()):
        return found.params, none, "none", "the model passes through every row"
    full = runs[design.leverage() > 1 - _FULL]
    if robust == "none" or len(full):
        said = f"not robust: leverage 1 of {', '.join(full)}" if len(full) and robust != "none" else ""
        return found.params, np.asarray(found.cov_params()), "none", said
    better = found.get_robustcov_results("HC3", use_t=True)
    return found.params, np.asarray(better.cov_params()), robust, ""
