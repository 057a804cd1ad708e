"""One law fitted to many curves at once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special

from dominoperf import laws
from dominoperf.errors import CannotFit, UnknownName, check_level
from dominoperf.fitting.diagnostics import check_error_model
from dominoperf.fitting.intervals import profile_intervals, wald_intervals
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, Curves
from dominoperf.fitting.points import (
    NOWHERE,
    PointsLike,
    check_axis_names,
    check_points,
    check_standard_errors_column,
    frame_with_source,
    least_degrees_of_freedom,
    read_points,
)
from dominoperf.fitting.resampling import NOT_CONVERGED
from dominoperf.fitting.summary import joined_reasons, rows_left_out_in_words
from dominoperf.laws import Law
from dominoperf.tables import carried_errata
from dominoperf.tables.columns import check_columns, check_group_columns, column_names

_FEWER_X = "fewer different x than parameters"
_ROWS = 32_768  # rows looked at together: what is made on the way does not grow with the data


def fit_many(
    data: PointsLike, law: str | Law, *, by: str | Sequence[str], x: str | None = None, y: str | None = None,
    fixed: Mapping[str, float | None] | None = None, error: str | None = None, bounded: bool = True,
    interval: str | None = None, level: float = 0.95, y_err: str | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Return one law fitted to every group of a frame, as `fit` would to each alone, to the eighth digit.

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
        As for `fit`; error="auto" is for `fit` alone.
    interval : {None, "profile", "wald"}
        Whether each parameter gets an interval, as columns named after it with ``_low`` and ``_high``.
    level : float
        Coverage of the intervals.
    y_err : str, optional
        A column of standard errors, as for `fit`, with that of their degrees of freedom beside it. A column refuted_p
        has the test of the law by these errors, NaN where nothing was run again.

    Returns
    -------
    DataFrame
        One row per group, in the order in which they first appear: the `by` columns, one column per parameter (and its
        interval), rmse, dof, params_at_bound (names of the parameters on a bound), reason (why a row has no values, or
        how many rows without x or y were left out).

    Raises
    ------
    BadTable
        When two columns have the name of one that is needed, or a `by` column that of a column of the answer.
    CannotFit
        When a value cannot be fitted, or a level or interval cannot be.
    UnknownName
        When the law, a column, an error model or a held parameter does not exist.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"box": [1, 1, 2, 2], "processors": [1, 2, 1, 2], "users": [100, 180, 50, 100]})
    >>> fit_many(runs, "amdahl", by="box")["contention"].round(3).tolist()
    [0.111, 0.0]
    """
    law, data = laws.find(law), frame_with_source(data, "fit_many(data=...)")[0]
    keys = column_names(by, "fit_many(by=...)", least=1)
    check_axis_names("fit_many", x, y)
    check_columns(data, keys, "fit_many(data=...)")
    if len(data) == 0:
        raise CannotFit("fit_many(data=...)", expected="points", found="an empty frame", remedy="Give some rows.")
    laws.check_fixed(law, fixed or {})
    check_error_model(error)
    where = f"fit_many of {law.name}"
    if y_err is not None:
        if error is not None:
            remedy = "Leave one out: y_err has the error of each point."
            raise CannotFit("fit_many(y_err=...)", expected="y_err or error", found="both", remedy=remedy)
        check_standard_errors_column("fit_many", y_err, x, y)
        error = GIVEN_PER_POINT
    if interval not in (None, "profile", "wald"):
        raise UnknownName.among("interval", interval, ("profile", "wald"), "It is profile, wald or None.")
    check_level(level, "fit_many")
    points = read_points(data.drop(columns=keys), x, y, law, y_err, call="fit_many", copy=False)
    errors_dof, rows_of_points, whole = np.inf, points.source.rows, data
    source = replace(NOWHERE, rows=rows_of_points)
    if rows_of_points is not None:
        data = data.iloc[rows_of_points]
    count, pieces = _groups_in_order(data, keys)
    ends = ("", "_low", "_high") if interval else ("",)
    names = [*(f"{name}{end}" for name in law.names for end in ends), "rmse", "dof"]
    names += ["refuted_p"] if y_err is not None else []
    check_group_columns(keys, [*names, "params_at_bound", "reason"], "fit_many(by=...)")
    values, bound, reason = np.full((count, len(names)), np.nan), np.zeros(count, np.int16), np.zeros(count, np.int16)
    texts = {"": 0}  # of the columns of text, with their codes
    first = np.empty(count, np.int32 if len(data) < 2**31 else np.int64)
    for which, rows in pieces:
        x_values, y_values = (column[rows].astype(float, copy=False) for column in (points.x, points.y))
        check_points(where, law, error or law.error, points.names, (x_values, y_values), rows, source)
        if (x_values == x_values[:, :1]).all():
            x_values = x_values[:, :1]  # the same loads for all: what follows from them is computed once
        curves = Curves.from_points(law, x_values, y_values, fixed=fixed, error=error, bounded=bounded)
        if y_err is not None:
            curves = replace(curves, weights=1 / points.y_err[rows])
            errors_dof = least_degrees_of_freedom(points.dof_of_rows[rows], axis=0)
        values[which], names_on_bound, reasons = _fit_some_curves(curves, interval, level, points.step, errors_dof)
        bound[which], reason[which] = _word_codes(names_on_bound, texts), _word_codes(reasons, texts)
        first[which] = rows[0]
    frame = pd.DataFrame(values, columns=names, copy=False)  # the numbers stay where they were written
    for place, name in enumerate(keys):
        frame.insert(place, name, data[name].array.take(first))
    words = pd.array([*texts], dtype="str")
    frame["params_at_bound"], frame["reason"] = words.take(bound), words.take(reason)
    if rows_of_points is not None:
        frame = _with_groups_left_out(frame, whole, keys, rows_of_points)
    return carried_errata.propagate_errata(frame, carried_errata.columns_used(data, *points.columns))


def _with_groups_left_out(frame, data, keys, kept):
    """The answer with a row for groups none of whose rows has x and y, and in `reason` how many rows were left out."""
    groups = data.groupby(keys, sort=False, dropna=False).ngroup().to_numpy()
    lost = np.bincount(groups) - np.bincount(groups[kept], minlength=groups.max() + 1)
    every = frame.set_axis(pd.unique(groups[kept])).reindex(range(len(lost)))
    first = data[keys].iloc[np.unique(groups, return_index=True)[1]].reset_index(drop=True)
    left_out = [rows_left_out_in_words(replace(NOWHERE, left_out=int(count))) for count in lost]
    reasons = [*map(joined_reasons, zip(every["reason"].fillna(_FEWER_X), left_out, strict=True))]
    texts = {"params_at_bound": every["params_at_bound"].fillna(""), "reason": pd.array(reasons, dtype="str")}
    return every.assign(**{name: first[name] for name in keys}, **texts)


def _fit_some_curves(curves, interval, level, step, errors_dof):
    """The values, bounds and reasons of some curves; `errors_dof`: of each, how many its errors per point rest on."""
    different = 1 + np.sum(np.diff(np.sort(curves.x, axis=0), axis=0) > 0, axis=0)
    params, squares, converged = curves.solve()
    parts = list(params)
    if interval:
        sd = curves.residual_sd(squares, step=step)[0]
        thresholds = curves.profile_threshold(sd, level, sigma_given=curves.error == GIVEN_PER_POINT)
        thresholds = np.where(np.isfinite(errors_dof), sd**2 * special.fdtri(1, errors_dof, level), thresholds)
        left = np.where(curves.dof > 0, squares / np.maximum(curves.dof, 1), np.nan)  # all that tells their size
        by_residuals = left * special.fdtri(1, np.maximum(curves.dof, 1), level)
        thresholds = np.where(np.equal(errors_dof, 0), by_residuals, thresholds)
        low, high = (
            wald_intervals(curves, params, thresholds)
            if interval == "wald"
            else profile_intervals(curves, params, thresholds, squares)[0]
        )
        parts = [part for k in range(len(params)) for part in (params[k], low[k], high[k])]
    values = [*parts, curves.rmse(params), curves.dof]
    if curves.error == GIVEN_PER_POINT:
        tested = curves.test_dof(params)
        d = np.maximum(tested, 1)
        p = np.where(np.isfinite(errors_dof), special.fdtrc(d, errors_dof, squares / d), special.chdtrc(d, squares))
        values.append(np.where((tested > 0) & (np.asarray(errors_dof) > 0), p, np.nan))
    values = np.array(values)
    reason = np.where(converged, "", NOT_CONVERGED).astype(object)
    reason = np.where(different >= curves.free.sum(), reason, _FEWER_X)
    return np.where(reason == "", values, np.nan).T, curves.names_on_bound(params), reason


def _word_codes(words, texts):
    """The code of each word in `texts`, which gets the new ones: a column of texts needs several times the memory."""
    codes, different = pd.factorize(words)
    return np.array([texts.setdefault(word, len(texts)) for word in different], np.int16)[codes]


def _groups_in_order(data, keys):
    """The number of groups; and, piece by piece, numbers of groups of equally many rows, with these rows as columns.

    Groups count in the order of their first rows. Where the keys only rise from row to row, so that each group is in
    one piece, nothing as long as the data is made.
    """
    (key, *more) = [data[name].to_numpy() for name in keys]
    if not more and key.dtype.kind in "iuf":
        count = 1
        for first in range(0, len(key), _ROWS):
            part = key[max(first - 1, 0) : first + _ROWS]
            if not (part[1:] >= part[:-1]).all():  # NaN is no number to rise from
                break
            count += int(np.count_nonzero(part[1:] != part[:-1]))
        else:
            return count, _consecutive_groups(key)
    whole = data[keys[0]] if len(keys) == 1 else pd.MultiIndex.from_frame(data[keys])
    codes, names = pd.factorize(whole, use_na_sentinel=False)
    return len(names), _scattered_groups(codes, np.bincount(codes, minlength=len(names)))


def _consecutive_groups(key):
    """Groups whose rows are next to each other, in the order of the rows."""
    number = begun = 0
    for first in range(0, len(key), _ROWS):
        part = key[first : first + _ROWS + 1]
        starts = np.flatnonzero(part[1:] != part[:-1]) + first + 1
        edges = np.concatenate([[begun], starts])
        if first + _ROWS >= len(key):
            edges = np.append(edges, len(key))
        yield from _by_count(np.arange(number, number + len(edges) - 1), edges[:-1], np.diff(edges))
        number, begun = number + len(edges) - 1, edges[-1]


def _scattered_groups(codes, counts):
    """Groups whose rows are strewn over the data, or named by more than one number."""
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(counts) - counts
    size = max(int(_ROWS // max(counts.mean(), 1)), 1)
    for first in range(0, len(counts), size):
        part = slice(first, first + size)
        for which, rows in _by_count(np.arange(len(counts))[part], starts[part], counts[part]):
            yield which, order[rows]


def _by_count(numbers, starts, counts):
    """Split groups by how many rows they have."""
    for count in np.unique(counts):
        some = counts == count
        yield numbers[some], starts[some] + np.arange(count)[:, None]
