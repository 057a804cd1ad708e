"""Safe arithmetic over named values, the same for our files and for a user's: no attributes, no statements, no text."""

import ast
import functools
import operator
import re

import numpy as np
import pandas as pd
import simpleeval

from dominoperf.errors import BadTable
from dominoperf.tables.numerals import read_number

_FAULTS = (SyntaxError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
_LONGEST = 500  # characters of an expression
_MOST_VALUES = 5_000_000  # in all places of an expression together: then it takes no second, and no 100 MB
_NUMBERS_PER_TEXT = 100  # a text costs as much time as so many numbers
_NODES = {ast.Expr, ast.Constant, ast.Name, ast.Call, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp}
_BITS = {ast.LShift, ast.RShift, ast.BitOr, ast.BitAnd, ast.BitXor, ast.Invert}


def evaluate(expression, names, functions, where):
    """Return the value of an expression; messages name it by `where`.

    It is arithmetic, comparisons, ``and``, ``or``, ``not``, ``a if b else c`` and calls of the `functions`, over
    `names`, whose values are numbers, arrays of numbers or texts.

    Raises
    ------
    BadTable
        When it uses anything else, or cannot be computed.
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
        return value
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


def _operation_on_numbers_only(operation):
    """An operation that refuses texts, which a product would repeat beyond all memory."""

    def of(one, other):
        if any(np.asarray(side).dtype.kind in "OSU" for side in (one, other)):  # texts in an array grow too
            raise TypeError("arithmetic with a text")
        return operation(one, other)

    return of


class _Arithmetic(simpleeval.SimpleEval):
    """simpleeval's evaluator with fewer nodes: an attribute of an array (``x.tofile``) would reach the disk."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.nodes = {kind: handle for kind, handle in self.nodes.items() if kind in _NODES}
        self.operators = {kind: of for kind, of in self.operators.items() if kind not in _BITS}
        for kind, operation in ((ast.Mult, operator.mul), (ast.Add, operator.add), (ast.Mod, operator.mod)):
            self.operators[kind] = _operation_on_numbers_only(operation)
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


def _function_of_one_argument(function):
    """The function of one argument alone: numpy takes a second one for the array to write into."""
    return lambda value: function(value)


FUNCTIONS = {
    "abs": _function_of_one_argument(np.abs),
    "all": _function_of_one_argument(np.all),
    "amounts": amounts,
    "any": _function_of_one_argument(np.any),
    "ceil": _function_of_one_argument(np.ceil),
    "count": _function_of_one_argument(np.size),
    "exp": _function_of_one_argument(np.exp),
    "floor": _function_of_one_argument(np.floor),
    "interp": np.interp,
    "log": _function_of_one_argument(np.log),
    "max": lambda *values: np.max(np.hstack(values)),
    "mean": lambda *values: np.mean(np.hstack(values)),
    "median": lambda *values: np.median(np.hstack(values)),
    "min": lambda *values: np.min(np.hstack(values)),
    "near": lambda one, other, percent: np.all(np.abs(np.subtract(one, other)) <= percent / 100 * np.abs(other)),
    # Halves up, as people round; numpy's goes to the even number.
    "round": lambda value, digits=0: np.floor(np.multiply(value, 10.0**digits) + 0.5) / 10.0**digits,
    "falling": lambda values: np.all(np.diff(values) < 0),
    "rising": lambda values: np.all(np.diff(values) > 0),
    "seconds": seconds,
    "same": lambda *values: len({str(cell).casefold() for value in values for cell in np.ravel(value)}) == 1,
    "sqrt": _function_of_one_argument(np.sqrt),
    "steps": _function_of_one_argument(np.diff),
    "sum": lambda *values: np.sum(np.hstack(values)),
    "word_after": word_after,
}
"""What an expression may call: of a claim, say, or of a recomputed cell."""
