"""One law fitted to many curves at once, and to many replicates of one."""

import numpy as np
import pandas as pd

from dominoperf import laws, tables
from dominoperf.errors import CannotFit, UnknownName, check_level
from dominoperf.fitting import grouping, intervals
from dominoperf.fitting.arguments import check_error, check_points
from dominoperf.fitting.curves import Curves
from dominoperf.fitting.points import frame_of
from dominoperf.tables import doubts

_CHUNK = 4096  # curves at once: their arrays stay in the cache, and memory does not grow with the number of curves


def fit_many(data, law, *, by, x=None, y=None, fixed=None, error=None, bounded=True, interval=None, level=0.95):
    """Fit one law to every group of a frame, as `fit` would to each alone, to the eighth digit.

    Parameters
    ----------
    data : DataFrame, str or path
        The points of all curves, as for `fit`. A resolution of y in ``data.attrs`` counts as it does in `fit`.
    law : str or Law
        A name in `LAWS`, or a record of your own.
    by : str or list of str
        The columns that tell the curves apart.
    x, y : str, optional
        Columns; by default those of the law.
    fixed, error, bounded
        As for `fit`.
    interval : {None, "profile", "wald"}
        Whether each parameter gets an interval, as columns named after it with ``_low`` and ``_high``.
    level : float
        Coverage of the intervals.

    Returns
    -------
    DataFrame
        One row per group, in the order in which they first appear: the `by` columns, one column per parameter (and its
        interval), rmse, dof, at_bound (names of the parameters on a bound), reason (why a row has no values).

    Raises
    ------
    CannotFit
        When a value cannot be fitted, or a level or interval cannot be.
    UnknownName
        When the law, a column, an error model or a held parameter does not exist.
    """
    law, data = laws.find(law), frame_of(data, "fit_many(data=...)")
    keys, x, y = [by] if isinstance(by, str) else list(by), x or law.x, y or law.y
    _check(data, law, keys, (x, y), fixed or {}, error, interval, level)
    columns = [_numbers(data[name]) for name in (x, y)]
    step, names = data.attrs.get("resolution", {}).get(y, np.nan), _names(law, interval)
    count, pieces = grouping.of(data, keys)
    values, bound, reason = np.full((count, len(names)), np.nan), np.full(count, "", object), np.full(count, "", object)
    first = np.empty(count, np.int32 if len(data) < 2**31 else np.int64)
    for which, rows in pieces:
        at, values_at = (column[rows].astype(float, copy=False) for column in columns)
        check_points(f"fit_many of {law.name}", law, error or law.error, (x, y), (at, values_at), rows)
        at = at[:, :1] if (at == at[:, :1]).all() else at  # the same loads for all: what follows from them once
        curves = Curves.of(law, at, values_at, fixed=fixed, error=error, bounded=bounded)
        values[which], bound[which], reason[which] = _fitted(curves, interval, level, step)
        first[which] = rows[0]
    found = pd.DataFrame(values, columns=names, copy=False)  # the numbers stay where they were written
    for place, name in enumerate(keys):
        found.insert(place, name, data[name].array.take(first))
    return doubts.hand_on(found.assign(at_bound=_texts(bound), reason=_texts(reason)), doubts.within(data, x, y))


def _numbers(column):
    """The numbers of a column, where they are; a copy only of what has to be read first."""
    return (column if pd.api.types.is_numeric_dtype(column) else pd.to_numeric(column, errors="coerce")).to_numpy()


def _texts(words):
    """A column of text, made piece by piece: on the way pandas needs several times the memory of what it makes."""
    starts = range(0, max(len(words), 1), grouping.ROWS)
    return pd.concat([pd.Series(words[at : at + grouping.ROWS], dtype="str") for at in starts], ignore_index=True)


def without_each(data, law, *, by, **settings):
    """Fit one law as often as there are rows, each time without one of them: what a single row does to the answer.

    Parameters
    ----------
    data : DataFrame, str or path
        The points of one curve, as for `fit`.
    law : str or Law
    by : str
        The column that names a row, a different name for each.
    **settings
        As for `fit_many`.

    Returns
    -------
    DataFrame
        As `fit_many` gives it; the `by` column names the row that was left out.
    """
    data = frame_of(data, "without_each(data=...)")
    names = data[by].tolist()
    parts = [data[data[by] != name].assign(**{by: name}) for name in names]
    return fit_many(pd.concat(parts, ignore_index=True), law, by=by, **settings)


def bootstrap(fit, n, seed=0):
    """Refit a law to `n` replicates of its points: the fitted curve with fresh normal noise of the fit's spread.

    Parameters
    ----------
    fit : Fit
        Of a law to points, with errors that it knows.
    n : int
        Number of replicates.
    seed : int
        Of the random numbers: the same seed gives the same replicates, however many are asked for.

    Returns
    -------
    DataFrame
        One row per replicate: a column per parameter, one per standard error (``_std_error``), rmse, dof, at_bound,
        reason.

    Raises
    ------
    CannotFit
        When there is no fit, it does not know its spread, or `n` is no number of replicates.

    Notes
    -----
    Quantiles of the replicates are intervals that are too short below about ten points; `fit` with
    ``interval="bootstrap-t"`` takes those of the estimates divided by their standard errors.
    """
    if not hasattr(fit, "spread"):  # `Fit` itself lives in a later room
        remedy = "Fit first: bootstrap(fit(law, data), n)."
        raise CannotFit("bootstrap", expected="a Fit, as `fit` gives it", found=type(fit).__name__, remedy=remedy)
    if not np.isfinite(fit.spread):
        raise CannotFit(
            "bootstrap", expected="a fit that knows its spread", found=fit.error_from, remedy="Give `fit` a sigma."
        )
    if not isinstance(n, (int, np.integer)) or n < 1:
        raise CannotFit("bootstrap(n=...)", expected="a whole number from 1", found=repr(n), remedy="Mend n.")
    names = [*fit.law.names, *(f"{name}_std_error" for name in fit.law.names), "rmse", "dof"]
    parts = [_row(*part) for part in _parts(fit, n, seed)]
    values, bound, reason = (np.concatenate(part) for part in zip(*parts, strict=True))
    return pd.DataFrame(values, columns=names).assign(at_bound=bound, reason=reason)


def replicates(fit, n, seed=0):
    """Return replicates as curves, and the best parameters of each; those without convergence are left out."""
    curves, params, _, good = next(_parts(fit, n, seed, size=n))
    return curves.take(np.flatnonzero(good)), params[:, good]


def _parts(fit, n, seed, size=_CHUNK):
    """Replicates, some at a time: the curves, their parameters, sums of squares, and whether each is to be used."""
    curves, best = fit.curves, fit.params[:, None]
    fitted, random = curves.law.function(curves.x, *best), np.random.default_rng(seed)
    for first in range(0, n, size):
        noise = random.standard_normal((min(size, n - first), len(fitted))).T
        y = fitted + fit.spread * noise / curves.weights
        again = Curves.of(curves.law, curves.x, y, fixed=curves.fixed, error=curves.error, bounded=curves.bounded)
        params, squares, converged = again.solve(np.repeat(best, y.shape[1], axis=1))
        below = (y <= 0).any(axis=0) & (curves.error == "relative")
        yield again, params, squares, converged & ~below


def _row(curves, params, squares, good):
    """Parameters, standard errors, rmse and dof of each replicate; what is on a bound; why a row is unknown."""
    errors = curves.standard_errors(params, curves.spread(squares)[0])
    values = np.vstack([params, errors, _rmse(curves, params)[None], curves.dof[None]])
    reason = _reasons(good)
    return np.where(reason == "", values, np.nan).T, _bound(curves, params), reason


def _fitted(curves, interval, level, step):
    """The values, bounds and reasons of a chunk of curves."""
    different = np.sort(curves.x, axis=0)
    different = 1 + np.sum(np.diff(different, axis=0) > 0, axis=0)
    params, squares, converged = curves.solve()
    parts = list(params)
    if interval:
        rises = curves.rise(curves.spread(squares, step=step)[0], level, known=False)
        asked = {"wald": intervals.wald, "profile": lambda *given: intervals.profile(*given, squares)[0]}
        low, high = asked[interval](curves, params, rises)
        parts = [each for k in range(len(params)) for each in (params[k], low[k], high[k])]
    values = np.array([*parts, _rmse(curves, params), curves.dof])
    enough = different >= curves.free.sum()
    reason = np.where(enough, _reasons(converged), "fewer different x than parameters")
    return np.where(reason == "", values, np.nan).T, _bound(curves, params), reason


def _reasons(converged):
    return np.where(converged, "", "the search for the best parameters did not converge").astype(object)


def _rmse(curves, params):
    """Root of the residual sum of squares over the degrees of freedom, unweighted."""
    residuals = curves.law.function(curves.x, *params) - curves.y
    squares = np.einsum("nr,nr->r", residuals, residuals)
    return np.where(curves.dof > 0, np.sqrt(squares / np.maximum(curves.dof, 1)), np.nan)


def _bound(curves, params):
    """Names of the parameters that lie on a bound."""
    on = curves.free[:, None] & ~curves.inside(params)
    names = np.full(params.shape[1], "", object)
    for k in np.flatnonzero(on.any(axis=1)):
        names[on[k]] = [f"{name}, {curves.law.names[k]}".removeprefix(", ") for name in names[on[k]]]
    return names


def _names(law, interval):
    ends = ("", "_low", "_high") if interval else ("",)
    return [*(f"{name}{end}" for name in law.names for end in ends), "rmse", "dof"]


def _check(data, law, keys, axes, fixed, error, interval, level):
    """Refuse names that do not exist and settings that cannot be."""
    tables.check_columns(data, (*keys, *axes), "fit_many(data=...)")
    if len(data) == 0:
        raise CannotFit("fit_many(data=...)", expected="points", found="an empty frame", remedy="Give some rows.")
    laws.check_fixed(law, fixed)
    check_error(error)
    if interval not in (None, "profile", "wald"):
        raise UnknownName.among("interval", interval, ("profile", "wald"), "It is profile, wald or None.")
    check_level(level, "fit_many")
