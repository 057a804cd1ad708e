"""What callers give of queues and networks, as arrays of numbers, or an error that says what to give."""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

import numpy as np
import pandas as pd

from dominoperf.errors import CannotSolve, as_python, names_its_keywords

RealNumbers = float | np.number | Sequence | np.ndarray | pd.Series
"""A number, or an array of them in any form."""
Numbers = complex | RealNumbers
"""The same, which may be complex: a derivative by an imaginary step."""

_SHAPE = "one per station, or classes x stations"
_Params = ParamSpec("_Params")
_Answer = TypeVar("_Answer")


def queueing_numbers(where, values, expected, kinds="iuf"):
    """Return the values as an array of numbers; ragged lists, text, and yes and no are refused."""
    remedy = "Give numbers, and rows of one length."
    try:
        array = np.asarray(values)
    except ValueError:
        raise CannotSolve(where, expected=expected, found="rows of several lengths", remedy=remedy) from None
    if array.dtype.kind not in kinds:
        raise CannotSolve(where, expected=expected, found=as_python(values), remedy=remedy)
    return array


def queueing_formula(function: Callable[_Params, _Answer]) -> Callable[_Params, _Answer]:
    """Let a formula refuse what is no number and no array; what is divided by zero is infinite or NaN, in silence."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs)
        for name, value in arguments.arguments.items():
            where = f"{function.__name__}({name}=...)"
            array = queueing_numbers(where, value, "a number, or an array of them", kinds="iufc")
            arguments.arguments[name] = value if isinstance(value, pd.Series) else array[()]  # which keeps its index
        with np.errstate(all="ignore"):
            return function(*arguments.args)

    return names_its_keywords()(checked)


def refuse_queueing_value(where, values, good, expected, remedy):
    """Refuse the first of the values that is not good."""
    if not good.all():
        raise CannotSolve(where, expected=expected, found=f"{values[~good][0]}", remedy=remedy)


def whole_numbers_from(least, values):
    """Tell which values are whole numbers from `least` on; infinity counts as whole."""
    return (values >= least) & (values == np.floor(values))


@dataclass(frozen=True)
class Network:
    """Classes of users who think, and then visit stations.

    Attributes
    ----------
    demand : array, classes x stations
        Service time of one round in seconds.
    think : array, one per class
        Seconds between a response and the next request.
    servers : array, one per station
        Whole numbers; infinite for a delay station, where nobody waits.
    """

    demand: np.ndarray
    think: np.ndarray
    servers: np.ndarray


def checked_closed_network(where, demand_s, think_s, servers=1):
    """Return a network, or `CannotSolve` that names the function `where`."""
    demand = np.atleast_2d(queueing_numbers(f"{where}(demand_s=...)", demand_s, _SHAPE).astype(float))
    if demand.ndim > 2 or not demand.size:
        remedy = "Give the seconds of service of one round."
        raise CannotSolve(f"{where}(demand_s=...)", expected=_SHAPE, found=f"shape {demand.shape}", remedy=remedy)
    think = _one_value_per_station(f"{where}(think_s=...)", think_s, len(demand), "class")
    servers = _one_value_per_station(f"{where}(servers=...)", servers, demand.shape[1], "station")
    for name, times in (("demand_s", demand), ("think_s", think)):
        good = np.isfinite(times) & (times >= 0)
        refuse_queueing_value(
            f"{where}({name}=...)", times, good, "finite seconds from 0", "Mend or leave out the value."
        )
    remedy = "Count the servers; math.inf makes a delay station."
    refuse_queueing_value(
        f"{where}(servers=...)", servers, whole_numbers_from(1, servers), "whole numbers from 1, or inf", remedy
    )
    round_s = demand.sum(axis=1) + think
    remedy = "Without either, nothing limits the throughput."
    refuse_queueing_value(
        f"{where}(demand_s=...)", round_s, round_s > 0, "a demand or think time above 0 in every class", remedy
    )
    return Network(demand, think, servers)


def network_populations(where, users, classes=None):
    """Return the populations asked for: an array with a row each and a column per class.

    Without `classes`, `users` are one number or a list of them; else a number for each class, or a list of such.
    """
    expected = f"a number for each of {classes} classes, or a list of such" if classes else "a number, or a list"
    where = f"{where}(users=...)"
    array = queueing_numbers(where, users, expected)
    fits = array.ndim in (1, 2) and array.shape[-1] == classes if classes else array.ndim <= 1
    if not fits or not array.size:
        remedy = "With classes, demand_s has a row and users a number for each; ask for one population at least."
        raise CannotSolve(where, expected=expected, found=f"shape {array.shape}", remedy=remedy)
    refuse_queueing_value(
        where, array, whole_numbers_from(0, array) & (array < 2**53), "whole numbers from 0", "Count the users."
    )
    return array.reshape(-1, classes or 1).astype(int)


def _one_value_per_station(where, values, count, owner):
    """One value for all, or one for each owner."""
    expected = f"one number, or one per {owner} ({count})"
    array = queueing_numbers(where, values, expected).astype(float)
    if array.ndim and array.shape != (count,):
        raise CannotSolve(where, expected=expected, found=f"shape {array.shape}", remedy=f"Give one per {owner}.")
    return np.broadcast_to(array, (count,))
