"""From what a user names to points that a law can be fitted to, or an error that says what to do."""

import functools
import inspect
import os
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import laws, runs, tables
from dominoperf.errors import CannotFit, UnknownName, typed, typed_again
from dominoperf.fitting.arguments import check_error, check_points
from dominoperf.fitting.curves import Curves
from dominoperf.laws import LAWS, Law, Param
from dominoperf.tables import doubts, rendering


@dataclass(frozen=True)
class Source:
    """Where points are from, "" for what is not known: its words are those of messages.

    Parameters
    ----------
    title : str
        Of a series or a table; of a frame whatever its maker gave in ``frame.attrs["source"]``, a `Source`.
    table, series : str
        The id of the table, the name of the series.
    locator : str
        The place in the document; the path of a file.

    Examples
    --------
    >>> from dominoperf import fit
    >>> source = fit("amdahl", "smp_mail").source
    >>> source.series, source.locator
    ('smp_mail', 'Appendix A, page A-1')
    """

    title: str = ""
    table: str = ""
    series: str = ""
    locator: str = ""

    def __str__(self):
        """Name the series with its table, the table, the file, or what a frame is called."""
        if self.series:
            return f"{self.series} ({self.table})"
        return self.table or self.title or self.locator or "a frame"


@dataclass(frozen=True)
class Points:
    """Two columns of numbers and what is known of them: names, step of the printed y, kind of the table, source.

    `user` is what their users are called.
    """

    x: np.ndarray
    y: np.ndarray
    names: tuple
    step: float
    kind: str
    source: Source
    user: str = tables.USER
    errata: tuple = ()  # that touch the two columns


def law_of(law, start):
    """Return the record of a law by its name, or make one of a plain function ``f(x, b1, b2, ...)``.

    Raises
    ------
    UnknownName
        When no law has that name, or `start` names no argument of the function.
    CannotFit
        When a plain function comes without a start.
    """
    laws.check_named("start", start or {})
    if not callable(law):
        return _started(laws.find(law), start)
    called, names, begun = _called(law), _arguments(law), start or {}
    for name in begun:
        if name not in names:
            listing = f"Its arguments after the first are {', '.join(names)}."
            raise UnknownName.among(f"argument of {called}", name, names, listing)
    if not names or set(begun) != set(names):
        expected = f"a start for {', '.join(names) or 'at least one parameter'}"
        remedy = "Give start={name: value, ...}, a number for each argument after the first."
        raise CannotFit(f"fit of {called}", expected=expected, found=str(begun or None), remedy=remedy)
    return _plain(law, {name: _number(name, begun[name]) for name in names})


def _called(function):
    """What a plain function is called; a partial one has no name of its own."""
    return getattr(function, "__name__", "function")


def _arguments(function):
    """The names of a function's arguments after the first."""
    try:
        return list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):  # some that are built in do not tell
        remedy = "Wrap it: lambda x, b1, b2: ..."
        raise CannotFit(
            f"fit of {_called(function)}", expected="a function f(x, b1, ...)", found="no arguments told", remedy=remedy
        ) from None


def _number(name, value):
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and np.isfinite(value):
        return float(value)
    raise CannotFit(f"start of {name}", expected="a number", found=repr(value), remedy="Mend start.")


def _started(law, start):
    """A law that begins where the caller says."""
    if not start:
        return law
    laws.check_fixed(law, {**{param.name: param.held for param in law.params if param.held == param.held}, **start})
    own = law.start

    def begin(x, y, held):
        return [start.get(name, value) for name, value in zip(law.names, own(x, y, held), strict=True)]

    return replace(law, start=begin)


def _plain(function, start):
    """The record of a plain function: no bounds, no simpler law, constant errors."""
    name = _called(function)
    params = tuple(Param(each, f"argument of {name}", "", -np.inf, np.inf) for each in start)
    said = {"title": f"{name}()", "formula": f"y = {name}(x, {', '.join(start)})"}
    notes = {"source": "a function of the caller's", "limits": "not known"}
    over = _over_columns(function, len(start))
    if not _takes_complex(over, start.values()):
        over = _stepped(over)
    return Law(
        name=name, family="own", **said, function=over, params=params, start=lambda x, y, held: tuple(start.values()),
        x="x", y="y", error="constant", positive=False, **notes,
    )  # fmt: skip


def _over_columns(function, count):
    """The function as it is where it takes a column per curve, else one that goes from curve to curve."""
    probe = np.array([[1.0], [2.0], [3.0]])
    try:
        with np.errstate(all="ignore"):
            whole = np.shape(function(probe, *np.full((count, 2), 0.5))) == (3, 2)
    except Exception:  # a function of the caller's may raise anything on arrays: it then gets one curve at a time
        whole = False
    if whole:
        return function

    def each(x, *params):
        given = np.broadcast_arrays(x, *params)
        x, *params = (np.atleast_2d(one) for one in given)  # of a single row each value is a curve
        found = np.array([_call(function, x[:, k], [param[0, k] for param in params]) for k in range(x.shape[1])])
        return found.T.reshape(given[0].shape)

    return each


def _call(function, x, params):
    """The curve at each x, of a function of arrays or one of numbers; NaN where it has no value."""
    if len(x) > 1:
        try:
            return np.broadcast_to(function(x, *params), x.shape)
        except (TypeError, ValueError, ArithmeticError):
            pass  # one of numbers
    return np.array([_value(function, float(each), params) for each in x])


def _value(function, x, params):
    try:
        return function(x, *params)
    except (ArithmeticError, ValueError):  # `math` raises where numpy has NaN
        return np.nan


def _takes_complex(function, start):
    """Whether a step along the imaginary axis gives the derivatives: not of ``abs``, ``max`` or what `math` has."""
    x, at = np.array([[0.5], [1.0], [2.0], [5.0]]), [np.array([value]) for value in start]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact, rough = (laws.gradient(functools.partial(each, x), at) for each in (function, _stepped(function)))
    except Exception:  # a function of numbers refuses complex ones in ways of its own
        return False
    fine = np.isfinite(rough) & np.isfinite(exact)
    return np.allclose(exact[fine], rough[fine], rtol=1e-3, atol=1e-6)


def _stepped(function):
    """The function with differences along the imaginary axis, so that a step there gives its derivatives."""

    def both(x, *params):
        real = [np.real(param) for param in params]
        value = function(x, *real)
        for k, param in enumerate(params):
            if np.iscomplexobj(param):
                # The cube root of the rounding error: there the errors of central differences, of the third
                # derivative and of rounding, are about equal.
                move = 6e-6 * np.maximum(np.abs(real[k]), 1e-3)
                up, down = (function(x, *_moved(real, k, way * move)) for way in (1, -1))
                value = value + 1j * np.imag(param) * (up - down) / (2 * move)
        return value

    return both


def _moved(params, which, by):
    return [param + by if k == which else param for k, param in enumerate(params)]


def read(data, x, y, law):
    """Find the points that the caller means.

    Raises
    ------
    CannotFit
        When the data are no points, or the units are not those the law needs.
    UnknownName
        When a series, table or column does not exist.
    """
    asked = x, y
    data = _given(data)
    frame, x, y, step, kind, source = _found(data, x, y, law, "fit(data=...)")
    if is_file(data) if isinstance(data, str) else not data.attrs:
        _check_axes(str(source), frame, (x, y), asked)
    if not {x, y} <= {*frame}:  # the hint reads every series, so it is made for whom it helps
        tables.check_columns(frame, (x, y), str(source), hint=_series_of(source))
    where = f"fit of {law.name} to {source}"
    for name in (x, y):
        if list(frame.columns).count(name) > 1:
            remedy = "Rename one of them."
            raise CannotFit(where, expected="every column once", found=f"{name!r} twice", remedy=remedy)
    _check_numbers(where, frame[x], frame[y])
    errata = doubts.doubts(doubts.within(frame, x, y))
    (x, x_values, _), (y, y_values, factor) = _axis(frame, x, law.x_unit, where), _axis(frame, y, law.y_unit, where)
    # the frame of a series has only its points
    user = tables.user_of(source.table if isinstance(data, str) and source.series else frame)
    return Points(x_values, y_values, (x, y), step * factor, kind, source, user, errata)


def _given(data):
    """A frame, of whatever library, or a text; a path is the text of a file."""
    if isinstance(data, os.PathLike):
        text = os.fspath(data)
        return text if is_file(text) else os.path.join(".", text)
    return tables.read_table(data) if hasattr(data, "to_pandas") else data


def _found(data, x, y, law, argument):
    """The frame, the columns, the step of the printed y, the kind of the table, and where the points are from."""
    if isinstance(data, pd.DataFrame):
        y, source = y or law.y, data.attrs.get("source")
        source = source if isinstance(source, Source) else Source()
        step, kind = data.attrs.get("resolution", {}).get(y, np.nan), data.attrs.get("kind", "measured")
        return data, x or law.x, y, step, kind, source
    if not isinstance(data, str):
        remedy = f"Give the name of a series, the id of a table, {tables.ANY}."
        raise CannotFit(argument, expected="points", found=type(data).__name__, remedy=remedy)
    if is_file(data):
        return tables.read_table(data), x or law.x, y or law.y, np.nan, "measured", Source(locator=data)
    if "/" in data:
        about, y = tables.describe(data), y or law.y
        frame, step = tables.load(data), tables.resolution(data).get(y, np.nan)
        return frame, x or law.x, y, step, about.kind, Source(about.title, table=data, locator=about.place)
    series = runs.find(data)
    about = tables.describe(series.table)
    step = series.resolution if y in ("", series.y) else tables.resolution(series.table).get(y, np.nan)
    source = Source(series.title, series.table, series.name, about.place)
    return series.points(), x or series.x, y or series.y, step, about.kind, source


def is_file(text):
    """Return whether a text names a file, not a series or a table: it is there, or is written as paths and URLs are.

    Examples
    --------
    >>> is_file("runs.tsv"), is_file("./runs"), is_file("smp_mail"), is_file("mine/loads")
    (True, True, False, False)
    """
    if tables.is_url(text) or Path(text).suffix.lower() in (".csv", ".tsv", ".txt", ".parquet"):
        return True  # without a look at the names of all tables
    if not (Path(text).suffix or text.startswith((".", "/", "~")) or os.path.isfile(text)):
        return False
    return text not in tables.list_tables()["id"].to_numpy() and text not in runs.named()["series"].to_numpy()


def _check_axes(path, frame, axes, asked):
    """Refuse a file without the columns of the axes; where nobody named them, show how."""
    absent = [axis for axis, name in zip("xy", axes, strict=True) if name not in frame]
    if not absent or any(said and said not in frame for said in asked):
        return
    numbers = [name for name in frame.select_dtypes("number") if name not in asked]
    named = {axis: numbers.pop(0) for axis, said in zip("xy", asked, strict=True) if not said and numbers}
    words = [word for axis, name in named.items() for word in (f"--{axis}", name)]
    how = typed(", ".join(f"{axis}={name!r}" for axis, name in named.items()), f"`{typed_again(*words)}`")
    remedy = f"Say which they are: {how}." if len(named) == 2 - sum(map(bool, asked)) else (
        "Give it two columns of numbers, with commas, semicolons or tabs between them."
    )  # fmt: skip
    expected = f"a column for {' and one for '.join(absent)}"
    raise UnknownName(path, expected=expected, found=f"the columns {', '.join(frame)}", remedy=remedy)


def frame_of(data, argument):
    """Return the rows that `fit` would take its points from: of a series, a table of ours, a frame or a file.

    Parameters
    ----------
    data : str, path or DataFrame
        As for `fit`.
    argument : str
        What messages call it.
    """
    return _found(_given(data), "", "", LAWS["linear"], argument)[0]


def rows_of(data, pairs):
    """Return the points of a series, a table or a file as a frame, only rows whose columns print certain values.

    Raises
    ------
    UnknownName
        When there is no such series, table, column, or value in it.
    BadTable
        When a file cannot be read.
    """
    frame, *_, source = _found(_given(data), "", "", LAWS["linear"], "rows_of(data)")
    attrs = frame.attrs
    for name, value in pairs:
        tables.check_columns(frame, [name], str(source))
        texts = frame[name].map(rendering.cell_text)
        if value not in set(texts):
            known = sorted(set(texts))
            raise UnknownName.among(f"{name} of {source}", value, known, f"Values are {', '.join(known)}.")
        frame = frame[texts == value]
    frame.attrs = attrs
    return frame


def _axis(frame, name, wanted, where):
    """A column in the unit that the law needs: its name there, the numbers, what they were multiplied with."""
    values, unit = pd.to_numeric(frame[name], errors="coerce").to_numpy(float), tables.units().get(name)
    if not wanted or not unit or unit in ("row", "axis"):
        return name, values, 1.0
    try:
        factor = tables.factor(unit, wanted) if unit != "1" else 1.0
    except Exception as clash:  # pint's own error of dimensions; its message names both units
        expected = f"{name} in a unit of {wanted}" if wanted != "1" else f"{name} as a share"
        remedy = "Choose another column, or another law."
        raise CannotFit(where, expected=expected, found=unit, remedy=remedy) from clash
    return (_renamed(name, unit, wanted) if factor != 1 else name), values * factor, factor


def _renamed(name, unit, wanted):
    """The name of a column in another unit: names end in their unit, a share has none."""
    return name.removesuffix("_percent") if wanted == "1" else f"{name.removesuffix(f'_{unit}')}_{wanted}"


def _series_of(source):
    """A hint at the series that take their points from a table."""
    if source.series or not source.table:
        return ""
    named = runs.named()
    known = named.loc[named["table"] == source.table, "series"]
    return f"Series of this table: {', '.join(known)}." if len(known) else ""


def _check_numbers(where, *columns):
    """Refuse a column of text: its cells have to be read first."""
    for column in columns:
        known = pd.to_numeric(column, errors="coerce").notna()
        if not known.any() and len(column):
            remedy = "Choose a column of numbers, or make one of its cells."
            raise CannotFit(where, expected=f"numbers in {column.name}", found=repr(column.iloc[0]), remedy=remedy)
        texts = np.flatnonzero(~known & column.notna())
        if len(texts):
            place, found = f"{where}, column {column.name}, row {texts[0] + 1}", repr(column.iloc[texts[0]])
            raise CannotFit(place, expected="a number", found=found, remedy="Leave out the rows without one.")


def curves_of(law, points, *, fixed, error, bounded):
    """Weigh the points, once nothing speaks against a fit.

    Raises
    ------
    CannotFit
        With fewer different x values than free parameters, or values that the law cannot take.
    UnknownName
        When there is no such error model or parameter.
    """
    laws.check_fixed(law, fixed or {})
    check_error(error)
    where = f"fit of {law.name} to {points.source}"
    check_points(where, law, error or law.error, points.names, (points.x, points.y), np.arange(len(points.x)))
    curves = Curves.of(law, points.x[:, None], points.y[:, None], fixed=fixed, error=error, bounded=bounded)
    different, free = len(np.unique(points.x)), int(curves.free.sum())
    if not free:
        raise CannotFit(where, expected="a parameter to seek", found="all held", remedy="Leave one out of fixed.")
    if different < free:
        fewer = [each.name for each in LAWS.values() if each.family == law.family and len(each.free) <= different]
        expected = f"at least {free} points with different x, one a parameter"
        remedy = f"Of its family {', '.join(fewer) or 'no law'} would fit."
        raise CannotFit(where, expected=expected, found=str(different), remedy=remedy)
    return curves
