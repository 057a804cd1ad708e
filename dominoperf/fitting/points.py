"""From what a user names to points that a law can be fitted to, or an error that says what to do.

`read_points` has three steps: what was named becomes a frame (`frames_of_points`), two columns of it are chosen (here),
and these become numbers in the units of the law (`units_of_points`). `weighted_curves_of_points` then gives what a fit
works on. The checks below them refuse what no fit, forecast or comparison can take.
"""

from collections.abc import Hashable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dominoperf import laws, runs, tables
from dominoperf.errors import CannotFit, UnknownName, as_python, counted, spelling
from dominoperf.fitting.diagnostics import AUTO, check_error_model
from dominoperf.fitting.frames_of_points import NOWHERE, Source, frame_with_source, values_without_frame
from dominoperf.fitting.least_squares import GIVEN_PER_POINT, IN_PROPORTION, Curves, Repeats
from dominoperf.fitting.units_of_points import (
    check_shares,
    column_in_unit_of_law,
    degrees_of_freedom_of_errors,
    least_degrees_of_freedom,
    numbers_of_point_column,
    standard_errors_of_points,
)
from dominoperf.laws import LAWS
from dominoperf.tables import carried_errata, loading
from dominoperf.tables.columns import USER, check_columns, meaning_of
from dominoperf.tables.folders import users_data_folders
from dominoperf.tables.headings import LOADS, THROUGHPUTS, columns_of_headings
from dominoperf.tables.reading import as_numbers
from dominoperf.tables.rows_of_one_curve import check_no_totals, failed_points_in_words, several_systems

_CURVE = ("load", "throughput_per_s")  # the axes of a curve of load tests, where a frame has them and nobody named any
_CAPACITY = ("processors", "users")  # the axes of laws that a throughput by its load follows too
_TWO_COLUMNS, _BY_HEADINGS = "The two columns of numbers", "By their headings"  # why columns are taken
_NOTHING_RUN_AGAIN = "lacks how one run differs from the next, for nothing was run again: it weighs the points alone"


@dataclass(frozen=True)
class MeasuredPoints:
    """Two columns of numbers and what is known of them: names, step of the printed y, kind of the table, source.

    `user` is what their users are called.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, str]
    step: float
    kind: str
    source: Source
    user: str = USER
    errata: tuple = ()  # that touch the two columns
    y_err: np.ndarray | None = None  # a standard error per point, in the unit of y
    guessed: str = ""  # why these columns are x and y, where nobody named them
    converted: tuple = ()  # columns of the user's that are in another unit now: their names before and after
    columns: tuple = ()  # the columns of the user's that they are read from
    dof_of_rows: np.ndarray | None = None  # degrees of freedom of each error; infinite: known, 0: nothing was run again
    errors_dof: float = np.inf  # what all of them together rest on; 0: their ratios alone
    about_errors: str = ""  # how their column was read, where that is not plain
    index: pd.Index | None = None  # of the rows of the user's that they are
    y_factor: float = 1.0  # what y was multiplied with to be in the unit of the law


def read_points(data, x, y, law, y_err=None, call="fit", *, copy=True, empty=False):
    """Return the points that the caller means. Rows without x or y are none: `source` has how many they are.

    `data` is as for `fit`; `x` and `y` are names of columns, None for the usual ones of the law, or without data the
    values themselves; `y_err` is a column of standard errors, or one per point. The points get the units of the law.
    `call` is what the user called, for messages. Without `copy` whole numbers stay as they are, for very many points;
    with `empty` an empty cell of y stays, as where a capacity has no upper limit.

    `CannotFit` where the data are no points, or the units are not those the law needs; `UnknownName` where a series,
    table or column does not exist.
    """
    x, y = ("" if name is None else name for name in (x, y))
    if data is None:
        frame, attrs, source, guessed = values_without_frame(x, y, call), {}, NOWHERE, ""
        indexes = [values.index for values in (y, x) if isinstance(values, pd.Series)]
        index = indexes[0] if indexes else pd.RangeIndex(len(next(iter(frame.values()))))
        x, y = frame
        if isinstance(y_err, str):
            frame = pd.DataFrame(frame)
    else:
        check_axis_names(call, x, y, "Name a column of the data, or leave the data out: x=[...], y=[...].")
        frame, source, usual = frame_with_source(data, f"{call}(data=...)")
        is_users = source.file or _is_users(frame)
        if is_users:
            check_no_totals(frame, str(source), source.file)
        wanted = x or usual[0] or law.x, y or usual[1] or law.y
        (x, y), guessed = _x_and_y_columns(frame, (x, y), wanted, y_err, source)
        if x == y:  # every law that is a line would fit it
            place = spelling(f"{call}(x=..., y=...)", "--x and --y")
            remedy = spelling("Name another one as x or as y.", "Name another one for --x or for --y.")
            raise CannotFit(place, expected="two columns", found=f"{x} for both", remedy=remedy)
        of_user = source.table.partition("/")[0] in {folder.name for folder in users_data_folders()}
        if is_users:
            source = replace(source, failed_loads=failed_points_in_words(frame, x, y))
        if is_users or (of_user and not source.series):
            source = replace(source, several_systems=_several_systems_in_words(frame, x, y))
        attrs, index = frame.attrs, data.index if isinstance(data, (pd.DataFrame, pd.Series)) else frame.index
    where = f"fit of {law.name} to {source}" if call == "fit" else f"{call} of {source}"
    if isinstance(y_err, str):
        check_standard_errors_column(call, y_err, x, y)
    x_numbers, y_numbers = (numbers_of_point_column(where, name, frame[name], source) for name in (x, y))
    lost = np.zeros(len(index), bool)
    for numbers in (x_numbers,) if empty else (x_numbers, y_numbers):
        if numbers.dtype.kind == "f":
            lost |= np.isnan(numbers)
    if lost.any() and (kept := np.flatnonzero(~lost)).size:
        x_numbers, y_numbers, index = x_numbers[kept], y_numbers[kept], index[kept]
        source = replace(source, rows=kept, left_out=int(lost.sum()))
        if isinstance(frame, pd.DataFrame):
            frame = frame.iloc[kept]
        if y_err is not None and not isinstance(y_err, str) and len(y_err) == len(lost):
            y_err = np.asarray(y_err)[kept]
    if copy:
        x_numbers, y_numbers = np.array(x_numbers, float), np.array(y_numbers, float)
    x_name, x_values, _ = column_in_unit_of_law(x, x_numbers, law.x_unit, where)
    check_shares(law.x_unit, x_name, x_values, where, source)
    y_name, y_values, factor = column_in_unit_of_law(y, y_numbers, law.y_unit, where)
    check_shares(law.y_unit, y_name, y_values, where, source)
    errors, dof, dof_of_rows, about_errors = None, np.inf, None, ""
    if y_err is not None:
        errors = standard_errors_of_points(frame, y, y_values, y_err, law.y_unit, factor, where, source)
        dof_of_rows = degrees_of_freedom_of_errors(frame, y_err, where, source)
        dof = least_degrees_of_freedom(dof_of_rows)
        about_errors = "" if dof else f"{y_err} {_NOTHING_RUN_AGAIN}"
    return MeasuredPoints(
        x_values,
        y_values,
        (x_name, y_name),
        step=factor * attrs.get("resolution", {}).get(y, np.nan),
        kind=attrs.get("kind", "measured"),
        source=source,
        user=tables.user_of(frame) if data is not None else USER,
        errata=carried_errata.errata_of(carried_errata.columns_used(frame, x, y)) if attrs else (),
        y_err=errors,
        columns=(x, y),
        dof_of_rows=dof_of_rows,
        errors_dof=dof,
        about_errors=about_errors,
        index=index,
        y_factor=factor,
        guessed=guessed,
        converted=() if source.table else tuple(pair for pair in ((x, x_name), (y, y_name)) if pair[0] != pair[1]),
    )


def _is_users(frame):
    """Whether nothing is known of a frame but where it is from, as of tables of the data: it is the user's."""
    return not {*frame.attrs} - {"source"}


def _several_systems_in_words(frame, x, y):
    """In which column the points of one curve differ, and how to take those of one value; "" where in none."""
    differs = several_systems(frame, x, y)
    if not differs:
        return ""
    column, values = differs
    one = spelling(f"fitting.rows_of(DATA, [({column!r}, VALUE)])", f"--where '{column}=VALUE'")
    return f"the points differ in {column}, {values}, and are taken as one curve: {one} takes those of one value"


def _x_and_y_columns(frame, asked, usual, y_err, source):
    """The columns of x and y, and why they are if nobody named them.

    They are those asked for, the usual ones, those of a curve; and of a user's own file or frame those that mean the
    usual ones, or a load and its throughput; or the only two of numbers.
    """
    if {*usual} <= {*frame}:
        return usual, ""
    if not any(asked) and {*_CURVE} <= {*frame}:
        return _CURVE, ""
    if source.table and not any(asked):  # a table of the user's own, whose descriptor says what its headings are
        meant = {meaning_of(field): name for name, field in loading.find_table(source.table).fields.items()}
        if {*usual} <= {*meant}:
            return tuple(map(meant.get, usual)), "By its descriptor"
    columns, guessed = usual, ""
    if source.file or _is_users(frame):
        numbers = [*dict.fromkeys(frame.select_dtypes("number"))]
        if source.file and not any(asked):
            _refuse_numbers_as_names(numbers, source)
        if len(numbers) == 3 and isinstance(y_err, str) and y_err in numbers:
            numbers.remove(y_err)
        ours = {column.name: column.source for column in columns_of_headings(numbers)[0]}
        capacity = [next(filter(ours.get, names), "") for names in (LOADS, THROUGHPUTS)]
        for pair in [usual, *([capacity] if usual == _CAPACITY else [])] if not any(asked) else ():
            if {*pair} <= {*ours}:
                return tuple(map(ours.get, pair)), _BY_HEADINGS if len(numbers) > 2 else _TWO_COLUMNS
        if len(numbers) == 2:
            x = asked[0] or next(name for name in (usual[0], *numbers) if name in numbers and name != asked[1])
            columns = x, asked[1] or next(name for name in numbers if name != x)
            guessed = _TWO_COLUMNS if columns not in (usual, ("x", "y")) else ""
    check_columns(frame, [name for name in asked if name], str(source))
    if missing := [name for name in columns if name not in frame]:  # nobody typed them
        found = f"no column {' and none '.join(missing)} among {', '.join(map(str, frame))}"
        remedy = spelling("Name them as x and y.", "Name them with --x and --y.")
        if source.table:
            series = runs.list_series().query("table == @source.table")["series"]
            remedy += f" Series of this table: {', '.join(series)}." if len(series) else ""
        else:
            _refuse_odd_cells(frame, source)
        raise UnknownName(str(source), expected="columns for x and y", found=found, remedy=remedy)
    check_columns(frame, columns, str(source))
    return columns, guessed


def _refuse_numbers_as_names(names, source):
    """Refuse a file whose columns have only numbers for names: without a header the first point would be lost."""
    if len(names) < 2 or as_numbers(pd.Series([*map(str, names)])).isna().any():
        return
    remedy = "Write names above them, such as processors,users; or name these columns as x and y."
    found = f"the numbers {', '.join(map(str, names))}"
    raise UnknownName(str(source), expected="a line of column names", found=found, remedy=remedy)


def _refuse_odd_cells(frame, source):
    """Refuse a frame with a column of numbers but for some cells, which is why it is taken for text."""
    for name in frame.columns[frame.columns.notna()]:
        odd = ~np.isfinite(as_numbers(frame[name])) & frame[name].notna()
        if 0 < odd.sum() <= len(frame) / 2:
            row = int(np.argmax(odd))
            place, found = f"{source}, column {name}, {source.place_of(row)}", as_python(frame[name].iloc[row])
            raise CannotFit(place, expected="a number", found=found, remedy="Mend the cell, or leave out the row.")


def weighted_curves_of_points(law, points, *, fixed, error, bounded):
    """Return the points weighted for a fit, once nothing speaks against it.

    `CannotFit` with fewer different x values than free parameters, or values that the law cannot take; `UnknownName`
    where there is no such error model or parameter.
    """
    laws.check_fixed(law, fixed or {})
    check_error_model(error, (AUTO,))
    if error == AUTO:  # chosen once there are residuals, beginning with the law's own
        error = None if (points.y > 0).all() else "constant"
    if points.y_err is not None:
        error = GIVEN_PER_POINT if points.errors_dof else IN_PROPORTION
    where, rows = f"fit of {law.name} to {points.source}", np.arange(len(points.x))
    check_points(where, law, error or law.error, points.names, (points.x, points.y), rows, points.source)
    curves = Curves.from_points(law, points.x[:, None], points.y[:, None], fixed=fixed, error=error, bounded=bounded)
    if points.y_err is not None:
        stated = Repeats(0, np.nan, GIVEN_PER_POINT, 0.0, points.errors_dof)
        repeats = stated if np.isfinite(points.errors_dof) and points.errors_dof else None
        curves = replace(curves, weights=1 / points.y_err[:, None], repeats=repeats)
    different, free = len(np.unique(points.x)), np.count_nonzero(curves.free)
    if not free:
        remedy = spelling("Leave one out of fixed.", "Leave one of --fixed out.")
        raise CannotFit(where, expected="a parameter to seek", found="all held", remedy=remedy)
    if different < free:
        fewer = []  # laws that would fit, each with the constants that somebody has to give
        for other in LAWS.values():
            if other.family == law.family and len(other.fitted_names) <= different:
                names = [param.name for param in other.params if param.required]
                constants = ", ".join(spelling(f"{name}=...", f"--fixed {name} VALUE") for name in names)
                how = spelling(f" with fixed={{{constants}}}", f" with {constants}") if names else ""
                fewer.append(f"{other.name}{how}")
        expected = f"at least {free} points with different x, one for each parameter"
        remedy = f"Of its family {', '.join(fewer) or 'no law'} would fit."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    return curves


def means_of_each_x(curves, names, where):
    """Return rows of one curve with each x once: the mean of its y, with the standard error of that mean.

    The scatter of the rows about their means is pooled over all x, as the error model has it grow with the value:
    ``s^2 = sum(((y - mean) / mean^p)^2) / (rows - x)``, and the error of a mean of k rows is ``s mean^p / sqrt(k)``.
    `CannotFit` where no x has two rows that differ, and so nothing shows the scatter.
    """
    x, group, count = np.unique(curves.x[:, 0], return_inverse=True, return_counts=True)
    y, dof = curves.y[:, 0], count - 1
    means = np.bincount(group, y) / count
    off = y - means[group]
    if curves.exact(np.sum((curves.weights[:, 0] * off) ** 2))[0]:
        found = f"{counted(len(y), 'row')} at {len(x)} different {names[0]}, without a difference at any of them"
        remedy = spelling("Leave by_x out: take the rows as they are.", "Leave --by-x out: take the rows as they are.")
        raise CannotFit(where, expected="rows of one x that differ", found=found, remedy=remedy)
    grows = means**curves.power
    pooled = np.sqrt(np.sum((off / grows[group]) ** 2) / dof.sum())
    repeats = Repeats(len(y), float(pooled), curves.error, curves.power, int(dof.sum()))
    weights, given = np.sqrt(count) / (pooled * grows), {"error": GIVEN_PER_POINT, "power": 0.0, "repeats": repeats}
    return replace(curves, x=x[:, None], y=means[:, None], weights=weights[:, None], **given)


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
            if value == 0 and name == names[1] and law.family != "response":
                failed = np.asarray(points[0])[rows == row][0]
                remedy += (
                    f" If nothing was served at {failed:g}, the system failed there: go by no answer from there on."
                )
            place = f"{where}, column {name}, {source.place_of(row)}"
            raise CannotFit(place, expected=expected, found=found, remedy=remedy)
