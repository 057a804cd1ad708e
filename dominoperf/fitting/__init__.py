"""Fit one law to one table, say how sure, say why not."""

import numpy as np
import pandas as pd

from dominoperf import benchmarks, catalog
from dominoperf.errors import CannotFit, UnknownName
from dominoperf.fitting.problem import Problem, spread_of
from dominoperf.fitting.result import Fit
from dominoperf.laws import LAWS, Law

__all__ = ["Fit", "fit"]


def fit(law, data, *, x=None, y=None, error=None, sigma=None, resolution=None, level=0.95):
    """Fit a law to points by weighted least squares within the bounds of its parameters.

    Minimises ``sum(((y - f(x)) w)^2)`` with ``w = 1 / y`` for relative errors and 1 for constant ones.

    Parameters
    ----------
    law : str or Law
        A name in `LAWS`, or a record of your own.
    data : str or DataFrame
        The name of a series, the id of a table, or a frame.
    x, y : str, optional
        Columns; by default those of the series, else those of the law.
    error : {"relative", "constant"}, optional
        How the noise grows; by default as the law says.
    sigma : float, optional
        Known standard deviation of the noise, relative or in units of y. Gives intervals without residual freedom.
    resolution : float, optional
        Step of the printed y values; by default the series' own. A residual error below ``step / sqrt(12)`` is not
        believed.
    level : float
        Coverage of the intervals.

    Returns
    -------
    Fit

    Raises
    ------
    CannotFit
        With fewer different x values than parameters, values that no law can take, or a level, sigma or resolution
        that cannot be.
    UnknownName
        When the law, the series or a column does not exist.
    """
    law = _law(law)
    _check_arguments(sigma, resolution, level)
    points, x, y, step, kind, where = _points(data, x or "", y or "", law)
    step = step if resolution is None else resolution
    problem = _problem(law, points[x], points[y], error or law.error, where)
    best = problem.solve(law.start(problem.x, problem.y))
    return Fit(law, problem, best, x, y, level, *spread_of(problem, best, sigma, step, kind), where)


def _check_arguments(sigma, resolution, level):
    """Refuse a level, sigma or resolution that cannot be; a one-sided interval needs a level above a half."""
    limits = (("level", level, 0.5, 1), ("sigma", sigma, 0, np.inf), ("resolution", resolution, 0, np.inf))
    for name, value, low, high in limits:
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (number and low < value < high):
            expected, remedy = f"a number between {low} and {high}", f"Mend {name}, or leave it out."
            raise CannotFit(f"fit({name}=...)", expected=expected, found=repr(value), remedy=remedy)


def _law(law):
    if isinstance(law, Law):
        return law
    if law not in LAWS:
        raise UnknownName.among("law", law, LAWS, f"Known are {', '.join(LAWS)}.")
    return LAWS[law]


def _points(data, x, y, law):
    """The points, their columns, the step of the printed y, the kind of the table, and what to call them."""
    if isinstance(data, pd.DataFrame):
        x, y, kind, where = x or law.x, y or law.y, data.attrs.get("kind", "measured"), "a frame"
        points, step = data, data.attrs.get("resolution", {}).get(y, np.nan)
    elif not isinstance(data, str):
        remedy = "Give a DataFrame, the name of a series or the id of a table."
        raise CannotFit("fit(data=...)", expected="points", found=type(data).__name__, remedy=remedy)
    elif "/" in data:
        x, y, kind = x or law.x, y or law.y, catalog.describe(data).kind
        points, step, where = catalog.load(data), catalog.resolution(data).get(y, np.nan), data
    else:
        found = benchmarks.find(data)
        points, x, y, kind = found.points(), x or found.x, y or found.y, catalog.describe(found.table).kind
        step, where = found.resolution, f"{data} ({found.table})"
    for name in (x, y):
        if name not in points:
            listing = f"Columns are {', '.join(map(str, points.columns))}.{_series_of(where)}"
            raise UnknownName.among(f"column of {where}", name, points.columns, listing)
    return points, x, y, step, kind, where


def _series_of(table):
    """A hint at the series that take their points from a table."""
    named = benchmarks.named()
    known = named.loc[named["table"] == table, "series"]
    return f" Series of this table: {', '.join(known)}." if len(known) else ""


def _problem(law, x, y, error, where):
    """The points as numbers, weighted, once nothing speaks against a fit."""
    where = f"fit of {law.name} to {where}"
    _check_numbers(where, x, y)
    x, y = (pd.to_numeric(values, errors="coerce").to_numpy(float) for values in (x, y))
    different = len(np.unique(x[np.isfinite(x)]))
    if different < len(law.params):
        fewer = [other.name for other in LAWS.values() if other.family == law.family and len(other.params) <= different]
        expected = f"at least {len(law.params)} points with different x, one a parameter"
        remedy = f"Of its family {', '.join(fewer) or 'no law'} would fit."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all() and (y > 0).all()):
        remedy = "Leave out the rows without a value, and text."
        raise CannotFit(where, expected="x and y above zero", found="others among them", remedy=remedy)
    if error not in ("relative", "constant"):
        raise UnknownName.among("error", error, ("relative", "constant"), "It is relative or constant.")
    return _scaled(Problem(law, x, y, error), where)


def _check_numbers(where, *columns):
    """Refuse a column of text: its cells have to be read first."""
    for column in columns:
        if not pd.to_numeric(column, errors="coerce").notna().any() and len(column):
            remedy = "Choose a column of numbers, or make one of its cells."
            raise CannotFit(where, expected=f"numbers in {column.name}", found=repr(column.iloc[0]), remedy=remedy)


def _scaled(problem, where):
    """Refuse a law that is not linear in its first parameter: forecasts are profiled by solving for it."""
    first, *others = problem.law.start(problem.x, problem.y)
    zero, one, two = (problem.law.function(problem.x, times * first, *others) for times in (0, 1, 2))
    if not np.allclose(two - one, one - zero, rtol=1e-8, atol=0, equal_nan=True):
        remedy = "Put a factor or an addend first among its parameters."
        raise CannotFit(where, expected="a law linear in its first parameter", found=problem.law.formula, remedy=remedy)
    return problem
