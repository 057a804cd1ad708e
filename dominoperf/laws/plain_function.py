"""A law made of a plain function ``f(x, b1, b2, ...)``, and a law that begins where the caller says."""

import functools
import inspect
import warnings
from dataclasses import replace

import numpy as np

from dominoperf.errors import CannotFit, UnknownName, as_typed, is_number
from dominoperf.laws.record import Law, Param, gradient


def law_of_function(function, start):
    """Return the record of a plain function: no bounds, no simpler law, constant errors.

    Parameters
    ----------
    function : callable
        ``function(x, b1, b2, ...)``, of arrays or of numbers.
    start : dict
        A value for each argument after the first.

    Raises
    ------
    UnknownName
        When `start` names no argument of the function.
    CannotFit
        When an argument has no start, or one that is no number.

    Examples
    --------
    >>> law_of_function(lambda x, slope: slope * x, {"slope": 1}).names
    ('slope',)
    """
    name = getattr(function, "__name__", "function")  # a partial one has no name of its own
    try:
        names = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):  # some that are built in do not say
        remedy = "Wrap it: lambda x, b1, b2: ..."
        raise CannotFit(
            f"fit of {name}", expected="a function f(x, b1, ...)", found="no arguments told", remedy=remedy
        ) from None
    for argument in start:
        if argument not in names:
            listing = f"Its arguments after the first are {', '.join(names)}."
            raise UnknownName.among(f"argument of {name}", argument, names, listing)
    if not names or set(start) != set(names):
        expected = f"a start for {', '.join(names) or 'at least one parameter'}"
        remedy = "Give start={name: value, ...}, a number for each argument after the first."
        raise CannotFit(f"fit of {name}", expected=expected, found=str(start or None), remedy=remedy)
    for argument, value in start.items():
        if not (is_number(value) and np.isfinite(value)):
            raise CannotFit(f"start of {argument}", expected="a number", found=as_typed(value), remedy="Mend start.")
    begin = [float(start[argument]) for argument in names]
    curves = _function_over_columns(function, len(names))
    if not _function_takes_complex(curves, begin):
        curves = _complex_step_derivatives(curves)
    return Law(
        name=name, title=f"{name}()", formula=f"y = {name}(x, {', '.join(names)})", function=curves,
        params=tuple(Param(argument, f"argument of {name}") for argument in names),
        start=lambda x, y, held: tuple(begin), error="constant", positive=False,
        source="a function of the caller's", equation="definition by the caller",
    )  # fmt: skip


def law_with_derivatives(law):
    """Return the record of a user's law; where its function has ``abs`` or the like, with derivatives by differences.

    Steps along the imaginary axis would give derivatives of 0 there, and a fit that stays where it begins.
    """
    if law.jacobian or not law.example or _function_takes_complex(law.function, law.example[1], law.example[0]):
        return law
    return replace(law, function=_complex_step_derivatives(law.function))


def law_starting_at(law, start):
    """Return a law that begins at the values that `start` has by name, and elsewhere as it does."""

    def begin(x, y, held):
        return [start.get(name, value) for name, value in zip(law.names, law.start(x, y, held), strict=True)]

    return replace(law, start=begin)


def _function_over_columns(function, count):
    """The function as it is where it takes a column per curve, else one that goes from curve to curve."""
    probe = np.array([[1.0], [2.0], [3.0]])
    try:
        with np.errstate(all="ignore"):
            if np.shape(function(probe, *np.full((count, 2), 0.5))) == (3, 2):
                return function
    except Exception:  # a function of the caller's may raise anything on arrays: it then gets one curve at a time
        pass

    def curves(x, *params):
        arrays = np.broadcast_arrays(x, *params)
        x, *params = (np.atleast_2d(array) for array in arrays)  # of a single row each value is a curve
        values = [_values_of_function(function, x[:, k], [param[0, k] for param in params]) for k in range(x.shape[1])]
        if any(value.shape != x[:, 0].shape or value.dtype.kind not in "biufc" for value in values):
            found = f"{np.asarray(values[0][0]).tolist()!r} at x = {x[0, 0]:g}"
            remedy = "Return an array as long as x, or take one x at a time and return a number."
            name = getattr(function, "__name__", "function")
            raise CannotFit(f"fit of {name}", expected="a number for each x", found=found, remedy=remedy)
        return np.array(values).T.reshape(arrays[0].shape)

    return curves


def _values_of_function(function, x, params):
    """The values of one curve, by a function of arrays or one of numbers; NaN where it has none."""
    if len(x) > 1:
        try:
            return np.broadcast_to(function(x, *params), x.shape)
        except (TypeError, ValueError, ArithmeticError):
            pass  # one of numbers

    def value(x):
        try:
            return function(x, *params)
        except (ArithmeticError, ValueError):  # `math` raises where numpy has NaN
            return np.nan

    return np.array([value(float(x_value)) for x_value in x])


def _function_takes_complex(function, start, x=(0.5, 1.0, 2.0, 5.0)):
    """Whether a step along the imaginary axis gives the derivatives: not of ``abs``, ``max`` or what `math` has."""
    x, at = np.array(x, float)[:, None], [np.array([value], float) for value in start]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact, rough = (
                gradient(functools.partial(f, x), at) for f in (function, _complex_step_derivatives(function))
            )
    except Exception:  # a function of numbers refuses complex ones in ways of its own
        return False
    fine = np.isfinite(rough) & np.isfinite(exact)
    return np.allclose(exact[fine], rough[fine], rtol=1e-3, atol=1e-6)


def _complex_step_derivatives(function):
    """The function with central differences along the imaginary axis, so that a step there gives its derivatives."""

    def both(x, *params):
        real = [np.real(param) for param in params]
        value = function(x, *real)
        for k, param in enumerate(params):
            if np.iscomplexobj(param):
                # The cube root of the rounding error: there the errors of central differences, of the third
                # derivative and of rounding, are about equal.
                move = 6e-6 * np.maximum(np.abs(real[k]), 1e-3)
                up, down = (function(x, *real[:k], real[k] + side, *real[k + 1 :]) for side in (move, -move))
                value = value + 1j * np.imag(param) * (up - down) / (2 * move)
        return value

    return both
