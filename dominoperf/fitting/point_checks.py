"""What no fit, forecast or comparison can take as points, refused with what to do."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from dominoperf import runs
from dominoperf.errors import CannotFit, UnknownName, as_typed, joined_with, spelling
from dominoperf.fitting.error_models import MODELS
from dominoperf.fitting.frames_of_points import NOWHERE
from dominoperf.tables.reading import as_numbers


def check_order_of_law_and_points(call, law, data, names):
    """Refuse data where a law belongs, and a law where the data belong: the two were exchanged.

    A series may have the name of a law: those are exchanged only where the first name is one of data too.
    """
    if isinstance(law, str) and isinstance(data, str) and law not in names and data in names:
        series = {*runs.list_series()["series"]}
        if data in series and law not in series:
            return
        remedy = f"The law comes first: {call}({data!r}, {law!r})."
        raise UnknownName(call, expected="a law, then the data", found=f"{law!r}, then {data!r}", remedy=remedy)


def check_axis_names(call, x, y, remedy="Name a column of the data."):
    """Refuse values of x or y where the data are given, and a column has to be named."""
    for axis, name in (("x", x), ("y", y)):
        if not isinstance(name, Hashable):
            where, found = f"{call}({axis}=...)", f"a {type(name).__name__}"
            raise CannotFit(where, expected="the name of a column", found=found, remedy=remedy)


def check_standard_errors_column(call, y_err, x, y):
    """Refuse x or y itself as the column of standard errors, and what names no column."""
    expected = "a column of standard errors, besides those of x and y"
    remedy = spelling("Leave y_err out if there is none.", "Leave --y-err out if there is none.")
    if not isinstance(y_err, str):
        found, remedy = f"a {type(y_err).__name__}", "Name a column of the data."
        raise CannotFit(f"{call}(y_err=...)", expected=expected, found=found, remedy=remedy)
    if y_err in (x, y):
        named = spelling(f"{call}(y_err={y_err!r})", f"--y-err {y_err}")
        raise CannotFit(named, expected=expected, found=f"{y_err}, which is one of the two", remedy=remedy)


def check_error_model(error, more=()):
    """Refuse an error model that does not exist, or is not among `more`; None means the law's own."""
    models = (*MODELS, *more)
    if error not in (None, *models):
        raise UnknownName.among("error", error, models, f"It is {joined_with('or', models)}.")


def check_points(where, law, error, names, points, rows, source=NOWHERE, *, in_logs=False):
    """Refuse values that no curve can have; `rows` says which row of the data, or of a file, each comes from.

    `in_logs` says that the caller takes logarithms, so that no other error model helps.
    """
    for name, values, positive in zip(names, points, (law.positive, error == "relative"), strict=True):
        zero = law.at_zero and not in_logs and name == names[0]
        bad = ~np.isfinite(values) | (positive & ((values < 0) if zero else (values <= 0)))
        if bad.any():
            row = rows[bad].min()
            value = values[rows == row][0]
            above = "a number, 0 or more" if zero else "a number above zero"
            expected, found = above if positive else "a number", f"{value:.15g}"
            remedy = "Leave out the row."
            if not np.isfinite(value):
                remedy = "Leave out the rows without a value, and text."
                found = spelling(found, "an empty cell") if np.isnan(value) else found
            elif name == names[1] and not in_logs:  # relative errors alone need it
                constant = spelling('error="constant"', "--error constant")
                remedy = f"Leave out the row, or take errors of the same size everywhere: {constant}."
            place = f"{where}, column {name}, {source.place_of(row)}"
            raise CannotFit(place, expected=expected, found=found, remedy=remedy)


def with_index_of(values, forecasts):
    """Return forecasts, a row for each of the values, with the index of these where they are a frame or a Series."""
    return forecasts.set_axis(values.index) if isinstance(values, (pd.DataFrame, pd.Series)) else forecasts


def axis_values(values, name, where, *, positive=True, some=False, zero=False):
    """Return values of an axis, where somebody asks for a forecast, as plain numbers; of a frame its column.

    `CannotFit` where one is no number, or not above zero if it has to be `positive`, where 0 may be allowed (`zero`);
    where there is none, if `some` are needed; where a frame has no column of that name.
    """
    if values is None:
        remedy = f"Say where, in {name}: at=[...]."
        raise CannotFit(where, expected="values to forecast at", found="none", remedy=remedy)
    lacks = isinstance(values, pd.DataFrame) and name not in values
    column = values[name] if isinstance(values, pd.DataFrame) and not lacks else values
    numbers = as_numbers(pd.Series(np.ravel(column), dtype=object)).to_numpy(float)
    if (
        lacks
        or not (np.isfinite(numbers) & ((numbers > 0) | (not positive) | (zero & (numbers == 0)))).all()
        or (some and not len(numbers))
    ):
        found = f"a frame of {', '.join(map(str, values))}" if isinstance(values, pd.DataFrame) else as_typed(values)
        expected = f"{name}{', 0 or more' if zero else ' above zero'}" if positive else "numbers"
        remedy = f"Give values of {name}{spelling(', or a frame with that column', '')}."
        raise CannotFit(where, expected=expected, found=found, remedy=remedy)
    return numbers
