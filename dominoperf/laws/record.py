"""What a law is: a formula with named, bounded parameters, and what a reader must know of it."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Param:
    """A parameter of a law: its unit may name the axes, as in ``{y}/{x}``; `low` and `high` are its bounds."""

    name: str
    meaning: str
    unit: str
    low: float
    high: float


@dataclass(frozen=True)
class Law:
    """A scaling law.

    `function` takes the x values and the parameters in order, the scale first: the curve is linear in it.
    `start` gives parameters to begin a fit with, from x and y. `error` says how the noise grows: "relative" or
    "constant". `nested` names the law that this one becomes when its last parameter is at its lower
    bound.
    """

    name: str
    family: str
    title: str
    formula: str
    function: Callable
    params: tuple
    start: Callable
    x: str
    y: str
    error: str
    nested: str
    source: str
    limits: str
