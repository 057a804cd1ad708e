"""Safe arithmetic over named values, the same for our files and for a user's: no attributes, no statements, no text."""

import ast
import functools
import operator
import re

import numpy as np
import pandas as pd
import simpleeval

from dominoperf.errors import BadTable
from dominoperf.tables.reading import read_number

_FAULTS = (SyntaxError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
_LONGEST = 500  # characters of an expression
_MOST_VALUES = 5_000_000  # in all places of an expression together: then it takes no second, and no 100 MB
_NUMBERS_PER_TEXT = 100  # a text costs as much time as so many numbers
_NODES = {ast.Expr, ast.Constant, ast.Name, ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp}
_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_DIGITS = 14  # of a number: beyond these, binary arithmetic misses the decimals that are meant
_BITS = {ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Invert}


def evaluate(expression, names, functions, where):
    """Return the value of an expression; messages name it by `where`.

    It is arithmetic, comparisons, ``and``, ``or``, ``not``, ``a if b else c`` and calls of the `functions`, over
    `names`, whose values are numbers, arrays of numbers or texts. What compares or counts a missing value is NaN.
    `BadTable` where it uses anything else, or cannot be computed.
    """
    try:
        if len(expression) > _LONGEST:
            raise ValueError(f"longer than {_LONGEST} characters")
        tree = _parsed(expression.strip())
        used = [
            np.asarray(names[node.id]) for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names
        ]
        if sum(value.size * (1 if value.dtype.kind in "biuf" else _NUMBERS_PER_TEXT) for value in used) > _MOST_VALUES:
            raise ValueError(f"more than {_MOST_VALUES:,} numbers, of which a text counts as {_NUMBERS_PER_TEXT}")
        with np.errstate(all="ignore"):
            value = _Arithmetic(names=names, functions=functions).eval(expression, previously_parsed=tree)
        # a function that is named and not called, bytes, ``...``
        if np.asarray(value).dtype.kind not in "biufUO" or value is None or value is ... or callable(value):
            raise TypeError("neither a number nor a truth value nor a text")
        return float(value) if isinstance(value, int) and abs(value) >= 2**63 else value  # none beyond all floats
    except _MissingValue:
        return np.nan
    except (*_FAULTS, simpleeval.InvalidExpression) as error:
        usable = ", ".join(sorted({*names, *functions}))
        remedy = f"Mend the expression: it may use {usable}."
        expected = "an expression over named cells that can be computed"
        raise BadTable(
            where, expected=expected, found=f"{expression!r}: {str(error).rstrip('.')}", remedy=remedy
        ) from error
    except (RecursionError, MemoryError) as error:
        remedy = "Mend the expression."
        raise BadTable(where, expected="a short expression", found=f"{expression!r}", remedy=remedy) from error


@functools.lru_cache(maxsize=4096)  # a claim is judged again under other rules
def _parsed(expression):
    """The tree of one expression; simpleeval would take the first of several statements."""
    return ast.parse(expression, mode="eval").body


class _MissingValue(Exception):
    """Of a comparison, or a count, of a value that is not there."""


def _of_known_values(function):
    """The function of values of which none is missing: NaN is neither more nor less than anything."""

    def of(*values):
        if any(np.any(pd.isna(value)) for value in values):
            raise _MissingValue
        return function(*values)

    return of


def _operation_on_numbers_only(operation):
    """An operation that refuses texts, which a product would repeat beyond all memory."""

    def of(one, other):
        if any(np.asarray(side).dtype.kind in "OSU" for side in (one, other)):  # texts in an array grow too
            raise TypeError("arithmetic with a text")
        return operation(one, other)

    return of


def _comparison_of_decimals(operation):
    """A comparison that takes numbers as printed decimals: 0.1 + 0.2 is 0.3, neither more nor less."""

    def of(one, other):
        if any(np.asarray(side).dtype.kind not in "biuf" for side in (one, other)):
            _refuse_digits_in_quotes(one, other)
            return operation(one, other)
        return operation(_as_decimals(one), _as_decimals(other))

    return of


def _as_decimals(value):
    """Numbers without what binary arithmetic adds to decimals: 0.1 + 0.2 as 0.3."""
    value = np.asarray(value, float)
    scale = 10.0 ** (_DIGITS - np.ceil(np.log10(np.abs(value))))
    whole = np.round(value * scale)
    return np.where(np.isfinite(whole), whole / scale, value)[()]  # no digits of nought and infinity


def _refuse_digits_in_quotes(*values):
    """Refuse a text of digits beside numbers: a cell of digits is a number, and would never equal it."""
    cells = [cell for value in values for cell in np.ravel(np.asarray(value, object))]
    digits = next((cell for cell in cells if isinstance(cell, str) and read_number(cell) is not None), None)
    if digits is not None and any(isinstance(cell, (int, float)) for cell in cells):
        raise TypeError(f"a number is compared with the text {digits!r}: write it without quotes")


class _Arithmetic(simpleeval.SimpleEval):
    """simpleeval's evaluator with fewer nodes: an attribute of an array (``x.tofile``) would reach the disk."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.nodes = {kind: handle for kind, handle in self.nodes.items() if kind in _NODES}
        self.operators = {kind: of for kind, of in self.operators.items() if kind not in _BITS}
        for kind, operation in ((ast.Mult, operator.mul), (ast.Add, operator.add), (ast.Mod, operator.mod)):
            self.operators[kind] = _operation_on_numbers_only(operation)
        for kind, operation in _COMPARISONS.items():
            self.operators[kind] = _of_known_values(_comparison_of_decimals(operation))
        self.operators[ast.Not] = _of_known_values(operator.not_)
        # As floats, which overflow where whole numbers would grow for ever.
        self.operators[ast.Pow] = lambda base, exponent: np.asarray(base, float) ** np.asarray(exponent, float)


def seconds(texts):
    """Return the seconds of printed times, with their date or without, so that two of them can be subtracted."""
    moments = []
    for text in np.ravel(texts):
        text = re.sub(r"^(\d+:\d+)\.(\d+)$", r"\1:\2", str(text).strip())  # 08:18.54: hours, minutes and seconds
        dated = re.search(r"[/-]|[a-z]{3}", text, re.IGNORECASE)
        moments.append(pd.Timestamp(text if dated else f"1970-01-01 {text}").timestamp())  # the same day for all
    return np.array(moments)


def amounts(texts):
    """Return the first number in each text: 512 of ``512-MB``; NaN where there is none."""
    matches = [re.search(r"\d[\d,]*(?:\.\d+)?|\.\d+", str(text)) for text in np.ravel(texts)]
    return np.array([read_number(match[0].rstrip(",")) if match else np.nan for match in matches])


def word_after(texts, word):
    """Return what follows a word in each text: ``5.2`` after ``RHEL`` in ``32-bit RHEL 5.2 Server``; "" for nothing."""
    rests = [str(text).partition(f" {word} ")[2].split() for text in np.ravel(texts)]
    return np.array([rest[0] if rest else "" for rest in rests], dtype=object)


def _rounded(value, digits=0):
    """Return decimals rounded as people do, halves away from zero: 1.005 to two digits is 1.01."""
    unit = 10.0**digits
    size = _as_decimals(np.multiply(np.abs(value), unit))
    return np.copysign(np.floor(size + 0.5), value) / unit + 0.0  # no minus before nothing


def _near(one, other, percent):
    """Return whether numbers differ from others by no more than a percentage of these: 1.1 from 1 by 10 %."""
    off, most = np.abs(np.subtract(one, other)), percent / 100 * np.abs(other)
    return np.all(_as_decimals(off) <= _as_decimals(most))


def _known(values):
    """Return the values that are there, one at least."""
    values = np.ravel(values)
    if np.all(pd.isna(values)):
        raise _MissingValue
    return values[~pd.isna(values)]


@_of_known_values
def _same(*values):
    """Return whether all cells are one number, or one text without regard to case."""
    _refuse_digits_in_quotes(*values)
    return len({str(cell).casefold() for value in values for cell in np.ravel(value)}) == 1


@_of_known_values
def _steps(values):
    """Return the differences of values that follow each other."""
    if np.size(values) < 2:
        raise ValueError("steps, rising and falling take two values or more")
    return np.diff(values)


def _between_points(at, x, y):
    """Return y at a place between the points (x, y), which may stand in any order; at the end beyond them."""
    x, y = (np.asarray(values, float) for values in (x, y))
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError("interp takes two columns of one length")
    known = np.isfinite(x)
    order = np.argsort(x[known], kind="stable")
    x, y = x[known][order], y[known][order]
    if np.any((np.diff(x) == 0) & (np.diff(y) != 0)):
        raise ValueError("interp with two values at one place")
    return np.interp(at, x, y)


def _function_of_one_argument(function):
    """The function of one argument alone: numpy takes a second one for the array to write into."""
    return lambda value: function(value)


def _function_of_all_numbers(function):
    """The function of all numbers of all its arguments."""
    return lambda *values: function(np.hstack(values))


FUNCTIONS = {
    **{name: _function_of_one_argument(getattr(np, name)) for name in ("abs", "exp", "log", "sqrt")},
    **{name: _function_of_all_numbers(getattr(np, name)) for name in ("max", "mean", "median", "min", "sum")},
    "all": _of_known_values(_function_of_one_argument(np.all)),
    "amounts": amounts,
    "any": _of_known_values(_function_of_one_argument(np.any)),
    "ceil": lambda value: np.ceil(_as_decimals(value)),  # of 0.3 / 0.1 as of 3
    "count": _of_known_values(_function_of_one_argument(np.size)),
    "floor": lambda value: np.floor(_as_decimals(value)),
    "interp": _between_points,
    "known": _known,
    "near": _of_known_values(_near),
    "round": _rounded,
    "falling": lambda values: np.all(_steps(values) < 0),
    "rising": lambda values: np.all(_steps(values) > 0),
    "seconds": seconds,
    "same": _same,
    "steps": _steps,
    "word_after": word_after,
}
"""What an expression may call: of a claim, say, or of a recomputed cell."""
