"""Columns of points, and values asked for, become numbers in the units of a law; and the most a column can be."""

import re

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, CannotFit, as_python, as_typed, spelling
from dominoperf.fitting.frames_of_points import NOWHERE, one_dimensional_values
from dominoperf.tables import reading
from dominoperf.tables.columns import OF_ITS_ROW, check_columns, memory_unit_factor, unit_fits
from dominoperf.tables.headings import column_of_heading, columns_of_heading, heading_words, snake_case
from dominoperf.tables.reading import as_numbers

SATURATED = "above 100 %: the processor is saturated before"
BELOW_ZERO = "the law falls below 0 there"
_ERRORS, _DOF = "std_error", "dof"  # what the names of a column of errors, and of the one beside it, end in
_CAPACITIES = ("1", "user", "person", "axis", "row")  # units, beside rates, of what grows with a load until a limit
_WORDS_OF_CAPACITIES = {"users", "throughput"}
_WORDS_OF_OTHERS = {
    "latency", "latencies", "response", "resp", "elapsed", "duration", "second", "seconds", "wait", "waiting", "queue",
    "backlog", "error", "errors", "failed", "failure", "failures", "cost", "costs", "price", "utilization",
    "utilisation",
}  # fmt: skip
_PERCENTILE = re.compile(r"p\d\d+|percentile")
ENDS_AT_MOST = "one-sided: the upper end is 100 %, the most there can be"


def numbers_of_point_column(where, name, column, source):
    """Return the numbers of a column; one of text is refused: its cells have to be read first."""
    values = np.asarray(column)
    if values.ndim > 1:
        raise BadTable(where, expected="every column once", found=f"{name!r} twice", remedy="Rename one of them.")
    if values.dtype.kind in "iuf" and (values == values).any():  # NaN is not itself
        return values
    column = pd.Series(column)
    numbers = as_numbers(column)
    numeric = numbers.notna()
    if len(column) and (not numeric.any() or values.dtype.kind in "mMc"):  # times and complex numbers are none either
        remedy = "Choose a column of numbers, or write its cells as numbers alone, with their unit in the heading."
        first = column.iloc[0]
        found = as_python(first) if isinstance(first, str) else str(first)
        found = "empty cells alone" if column.isna().all() else found
        raise CannotFit(where, expected=f"numbers in {name}", found=found, remedy=remedy)
    texts = np.flatnonzero(~numeric & column.notna())
    if len(texts):
        place, found = f"{where}, column {name}, {source.place_of(texts[0])}", as_python(column.iloc[texts[0]])
        raise CannotFit(
            place, expected="a number", found=found, remedy="Write it as a number, or leave its cell empty."
        )
    return numbers.to_numpy(float)


def _unit_of_column(name, wanted=""):
    """The unit of a column by the vocabulary, else by its heading, where it fits one that is wanted; "" without any."""
    known = tables.vocabulary().get(name)
    unit = known.get("unit") if known else heading_words(str(name))[1]
    unit = "" if unit in ("1", *OF_ITS_ROW, None) else unit
    return unit if known or not wanted or (unit and unit_fits(unit, wanted)) else ""


def column_in_unit_of_law(name, numbers, wanted, where):
    """Return a column in the unit that the law needs: its name there, the numbers, what they were multiplied with.

    The unit of a column that the vocabulary lacks is that of its heading, such as ``wait_ms`` or ``wait [ms]``.
    `CannotFit` where the column has a unit of something else.
    """
    if not wanted:
        return name, numbers, 1.0
    unit, factor = _unit_of_column(name, wanted), 1.0
    if unit:
        try:
            factor = memory_unit_factor(unit, wanted)  # what laws know in bytes is memory and cache
        except Exception as clash:  # pint's own error of dimensions; its message names both units
            expected = f"a column in a unit of {wanted}" if wanted != "1" else "a column of shares, from 0 to 1"
            found, remedy = f"{name}, whose unit is {unit}", "Name another column, or another law."
            raise CannotFit(where, expected=expected, found=found, remedy=remedy) from clash
    if factor != 1:  # names end in their unit, a share has none
        base, of_heading, _ = heading_words(name)
        stem = base if of_heading else name.removesuffix(f"_{unit}")
        name = stem if wanted == "1" else f"{stem}_{wanted.lower() if name.islower() else wanted}"
    return name, numbers if factor == 1 else numbers * factor, factor


def check_shares(unit, name, values, where, source=NOWHERE):
    """Refuse a value above 1 where the law takes shares: percents, or something else."""
    if unit == "1" and (values > 1).any():
        row = int(np.argmax(values > 1))
        place, found = f"{where}, column {name}, {source.place_of(row)}", f"{values[row]:.15g}"
        remedy = f"Divide percent by 100, or name the column {name}_percent; for what is no share, take another law."
        raise CannotFit(place, expected="a share from 0 to 1", found=found, remedy=remedy)


def most_of_column(name, measured):
    """Return what a column can be at most: all of a processor, of its utilization by any heading; else infinity.

    So it is too where one of the `measured` values is above that: they are in another unit than the name says.
    """
    heading, greatest = str(name), np.max(measured)
    if column_of_heading(heading)[0] == "cpu_utilization":
        most = 1.0
    elif "cpu_utilization_percent" in columns_of_heading(heading):
        words = heading_words(heading)
        told = "percent" in words[1:] or "percent" in words[2].split("_")
        most = 100.0 if told or greatest > 1 else np.inf  # cpu_util, whose numbers may be shares
    else:
        most = np.inf
    return most if greatest <= most else np.inf


def why_no_throughput(name):
    """Return that a column is no throughput or capacity, by its unit, meaning or words; "" if it may be one."""
    heading, known = str(name), tables.units()
    meant = [column_of_heading(heading)[0], *columns_of_heading(heading)]
    unit = known.get(heading) or heading_words(heading)[1] or next(filter(None, map(known.get, meant)), "1")
    words = {*snake_case(heading).split("_")}
    if any(unit_fits(unit, rate) for rate in ("1/s", "tps")) or unit.endswith("/s") or words & _WORDS_OF_CAPACITIES:
        return ""
    is_other = bool(words & _WORDS_OF_OTHERS) or any(_PERCENTILE.fullmatch(word) for word in words)
    return f"{tables.label(name)} is no throughput or capacity" if unit not in _CAPACITIES or is_other else ""


def standard_errors_of_points(frame, y, y_values, y_err, wanted, factor, where, source):
    """Return the standard error of each point, of a column or one number each.

    `factor` is what y was multiplied with to be in the unit `wanted` by the law. Errors are in the unit of their own
    heading where it fits, else in that of y; percents of y are refused.
    """
    if isinstance(y_err, str):
        signed = getattr(frame, "attrs", {}).get(reading.PERCENT_SIGNS, {})
        percent, y_in_percent = (name in signed or heading_words(str(name))[1] == "percent" for name in (y_err, y))
        if percent and not y_in_percent and (y_err in signed or wanted != "1"):
            expected, remedy = f"standard errors in the unit of {y}", f"Multiply them by {y} / 100."
            raise CannotFit(where, expected=expected, found=f"{y_err}, in percent", remedy=remedy)
        check_columns(frame, (y_err,), str(source))
        name, errors = f"column {y_err}", numbers_of_point_column(where, y_err, frame[y_err], source).astype(float)
        own, of_points = _unit_of_column(y_err), _unit_of_column(y)
        unit = wanted or (of_points if own and of_points and unit_fits(own, of_points) else "")
        converts = unit and _unit_of_column(y_err, unit)
        errors = column_in_unit_of_law(y_err, errors, unit, where)[1] if converts else errors * factor
    else:
        column = pd.Series(one_dimensional_values(f"{where}, y_err", y_err))
        name, errors = "y_err", as_numbers(column).to_numpy(float) * factor
    if len(errors) != len(y_values):
        expected, remedy = f"{len(y_values)} errors, one per point", "Give a standard error for each point."
        raise CannotFit(f"{where}, y_err", expected=expected, found=str(len(errors)), remedy=remedy)
    if len(bad := np.flatnonzero(~(np.isfinite(errors) & (errors > 0)))):
        remedy = "Give the standard error of each point in the unit of y, or leave out the rows without one."
        place, found = f"{where}, {name}, {source.place_of(bad[0])}", f"{errors[bad[0]]:g}"
        raise CannotFit(place, expected="a standard error above zero", found=found, remedy=remedy)
    return errors


def column_of_degrees_of_freedom(y_err):
    """Return the name of the column beside one of standard errors that says what they rest on; "" where none can."""
    return y_err.removesuffix(_ERRORS) + _DOF if isinstance(y_err, str) and y_err.endswith(_ERRORS) else ""


def degrees_of_freedom_of_errors(frame, y_err, where, source=NOWHERE):
    """Return the degrees of freedom that each standard error of a column rests on: infinity where it is known.

    They stand in the column beside it: throughput_dof of throughput_std_error, dof of std_error. Without that column,
    and in its empty cells, errors are taken as known. 0 says that nothing was run again.
    """
    beside = column_of_degrees_of_freedom(y_err)
    if not beside or beside not in frame:
        return np.full(len(frame if isinstance(y_err, str) else y_err), np.inf)
    cells = pd.Series(frame[beside])
    dof = as_numbers(cells).to_numpy(float)
    wrong = ~(dof >= 0) & ~(cells.isna() | (cells == "")).to_numpy()
    if wrong.any():
        row = int(np.argmax(wrong))
        place, found = f"{where}, column {beside}, {source.place_of(row)}", as_python(cells.iloc[row])
        remedy = f"Mend the cell, or leave it empty where {y_err} is known exactly."
        raise CannotFit(place, expected="degrees of freedom, 0 or more", found=found, remedy=remedy)
    return np.where(np.isnan(dof), np.inf, dof)


def least_degrees_of_freedom(dof, axis=None):
    """Return those that errors together rest on: the least of them but 0, infinity for known ones, 0 if all are 0."""
    least = np.min(dof, axis=axis, where=dof > 0, initial=np.inf)
    return np.where((dof > 0).any(axis=axis), least, 0.0)[()]


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


def with_index_of(values, forecasts):
    """Return forecasts, a row for each of the values, with the index of these where they are a frame or a Series."""
    return forecasts.set_axis(values.index) if isinstance(values, (pd.DataFrame, pd.Series)) else forecasts
