"""What a law is: a formula with named, bounded parameters, what can be asked of it, what a reader must know."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dominoperf.errors import CannotFit, as_python
from dominoperf.laws.numerics import TINY, start_from_example


@dataclass(frozen=True)
class Param:
    """A parameter of a law: its unit may name the axes, as in ``{y}/{x}``; `low` and `high` are its bounds.

    `held` is None for a parameter to be fitted, the value of one that is held there unless the caller frees it, and
    NaN for a constant that the caller has to know (servers, think time).
    """

    name: str
    meaning: str = ""
    unit: str = ""
    low: float = -np.inf
    high: float = np.inf
    held: float | None = None

    @property
    def fitted(self) -> bool:
        """Whether it is fitted when nothing else is asked for."""
        return self.held is None

    @property
    def required(self) -> bool:
        """Whether the caller has to give it: the law holds it, and has no value of its own for it."""
        return self.held is not None and self.held != self.held

    @property
    def in_words(self) -> str:
        """The parameter with what it means, and whether it is fitted."""
        if self.fitted:
            return f"{self.name}: {self.meaning}"
        how = "give it" if self.required else f"held at {self.held:g}"
        return f"{self.name} ({how}): {self.meaning}"


@dataclass(frozen=True)
class Quantity:
    """What follows from the parameters: ``function(*params)``, or of a point of the curve ``function(x, *params)``.

    The unit may name the axes. A quantity that does not exist for some parameters (a peak without coherency) is
    infinite or NaN there; `missing` says why it has no value. One that is found at a certain x, which the points may
    or may not hold, says at which: ``place(*params)``.
    """

    name: str
    meaning: str
    unit: str
    function: Callable
    at_x: bool = False
    missing: str = "the law has no such value with these parameters"
    place: Callable | None = None


@dataclass(frozen=True)
class WorkedExample:
    """One point of the curve that can be checked: x, the parameters, and y with the digits as written.

    `source` is the publication that prints y, or begins with "by hand: " and says how y comes about.
    """

    x: float
    params: tuple[float, ...]
    y: str
    source: str


@dataclass(frozen=True)
class Law:
    """A law: how y follows from x. A function, named parameters, a source and an example are enough to fit it.

    Every function takes arrays that broadcast, and complex parameters: `gradient` says why, and the handbook's page on
    adding a law how.

    Attributes
    ----------
    formula : str
        The formula as a line of text in the names of the parameters, with a space between factors.
    function : callable
        ``function(x, *params)``, in the order of `params`: of a scaling law the scale first, then contention, then
        coherency.
    start : callable
        ``start(x, y, held)`` gives parameters to begin a fit with; x and y have a row per point and may have a column
        per curve, `held` has the values of the parameters that are held, by name. By default that of the example
        (`numerics.start_from_example`).
    equation : str
        Where the source has the formula: its equation, section or chapter. Else "without a number: " and where it is
        or how it follows; "elementary: " and how it follows, where no source is needed.
    x, y : str
        What the law is usually fitted to: names of ``data/columns.toml``, as ``users`` and ``response_s``. Of a law of
        your own they may stay "x" and "y".
    error : str
        How the noise grows: "relative" or "constant".
    inverse : callable, optional
        ``inverse(y, *params)`` gives x, NaN where no x has that y.
    derived : tuple of Quantity
        What else can be asked.
    positive : bool
        Whether x and y lie above zero, as users, seconds and dollars do.
    at_zero : bool
        Whether the curve has a meaning at an x of 0, as the utilization without users does.
    reduces : tuple, optional
        ``(law, parameter, value)``: the simpler law this one is when that parameter has that value.
    x_unit, y_unit : str, optional
        The unit the formula needs; "" takes any.
    example : tuple
        Values of x and parameters that make sense there, with which every law is tried.
    worked : WorkedExample
        A value that a source prints, or that a reader finds by hand.
    jacobian : callable, optional
        ``jacobian(x, *params)``: the derivatives by each parameter, where a written form is worth its speed.
    """

    name: str
    function: Callable
    params: tuple[Param, ...]
    source: str
    family: str = "own"
    title: str = ""
    formula: str = ""
    start: Any = None
    x: str = "x"
    y: str = "y"
    error: str = "relative"
    limits: str = "not known"
    equation: str = ""
    inverse: Callable | None = None
    derived: tuple[Quantity, ...] = ()
    positive: bool = True
    at_zero: bool = False
    reduces: tuple = ()
    x_unit: str = ""
    y_unit: str = ""
    example: tuple = ()
    worked: WorkedExample | None = None
    jacobian: Callable | None = None

    def __post_init__(self):
        """Fill in what follows from the rest."""
        if self.example and (len(self.example) != 2 or len(self.example[1]) != len(self.params)):
            expected = f"example=((x, ...), ({', '.join(self.names)}))"
            remedy = "Give some x, and a value for each parameter."
            raise CannotFit(f"law {self.name}", expected=expected, found=as_python(self.example), remedy=remedy)
        if self.start is None:
            if not self.example:
                remedy = "Give example=((x, ...), (parameter, ...)), or start=."
                raise CannotFit(f"law {self.name}", expected="where a fit begins", found="no example", remedy=remedy)
            object.__setattr__(self, "start", start_from_example(self.function, self.params, self.example))
        if not self.title:
            object.__setattr__(self, "title", self.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters, in order."""
        return tuple(param.name for param in self.params)

    @property
    def fitted_names(self) -> tuple[str, ...]:
        """Names of the parameters that are fitted when nothing else is asked for."""
        return tuple(param.name for param in self.params if param.fitted)

    @property
    def worked_in_words(self) -> str:
        """The worked example as a line of text; nothing for a law that has none."""
        if self.worked is None:
            return ""
        given = zip((self.x, *self.names), (self.worked.x, *self.worked.params), strict=True)
        at = ", ".join(f"{name} = {value:g}" for name, value in given)
        return f"{self.y} = {self.worked.y} at {at} ({self.worked.source})"

    def gradient(self, x: float | np.ndarray, *params: float | np.ndarray) -> np.ndarray:
        """Return the derivatives of the curve by each parameter, stacked in front of its shape."""
        if self.jacobian is not None:
            return np.stack(np.broadcast_arrays(*self.jacobian(x, *params), *params)[: len(params)])
        return gradient(functools.partial(self.function, x), params)


def gradient(function: Callable, params: Sequence[float | np.ndarray] | np.ndarray) -> np.ndarray:
    """Return the derivatives of ``function(*params)`` by each parameter, exact to the last digits, stacked in front.

    ``df/dp = Im f(p + ih) / h`` with h so small that its square is nothing: no difference is taken, so no digit is
    lost. The function must be smooth in complex parameters: ``abs`` of one would drop the step.

    Examples
    --------
    >>> gradient(lambda a, b: a**2 * b, (3.0, 2.0)).tolist()
    [12.0, 9.0]
    """

    slopes = []
    for k, param in enumerate(params):
        stepped = [*params[:k], param + 1j * TINY, *params[k + 1 :]]
        slopes.append(np.imag(function(*stepped)) / TINY)
    return np.stack(
        np.broadcast_arrays(*slopes, *params)[: len(params)]
    )  # a constant has a derivative of each curve too
