"""Scaling laws as records. A scan finds the `LAWS` of each module here, and in `USES` what its families are for."""

import copyreg
import importlib
import math
import pkgutil
from collections.abc import Callable, Iterable, Mapping

import pandas as pd

from dominoperf.errors import CannotFit, UnknownName, as_python, as_typed, is_number, names_its_keywords, spelling
from dominoperf.laws.plain_function import law_of_function, law_starting_at, law_with_derivatives
from dominoperf.laws.record import Law, Param, Quantity, gradient

_NAMES = sorted((info.name for info in pkgutil.iter_modules(__path__)), key=lambda name: (name != "processors", name))
_MODULES = [importlib.import_module(f"{__name__}.{name}") for name in _NAMES]  # the most used laws first
_USES = {family: use for module in _MODULES for family, use in getattr(module, "USES", {}).items()}

LAWS: dict[str, Law] = {law.name: law for module in _MODULES for law in getattr(module, "LAWS", ())}
"""Every `Law` by its name."""


def _pickled(law):
    """A law of ours is pickled by its name, since its functions are made on the way and have none."""
    return (find, (law.name,)) if LAWS.get(law.name) is law else law.__reduce_ex__(2)


copyreg.pickle(Law, _pickled)

FAMILIES = {family: tuple(law.name for law in LAWS.values() if law.family == family) for family in
            dict.fromkeys(law.family for law in LAWS.values())}  # fmt: skip
"""Laws that are compared with each other, by family. `overhead` also has linear scaling, Amdahl's law and the two
universal laws."""
FAMILIES["overhead"] = ("linear", "amdahl", *FAMILIES["overhead"], "usl", "log_usl")

OF_ANY_AXES = ("power", "linear")
"""Laws that may hold for columns that no law is made for."""

__all__ = ["FAMILIES", "LAWS", "Law", "Param", "Quantity", "family", "find", "gradient", "list_laws", "resolve_law"]


@names_its_keywords()
def find(law: str | Law) -> Law:
    """Return the record of a law by its name; a record is one already.

    Raises
    ------
    UnknownName
        When no law has that name.

    Examples
    --------
    >>> find("amdahl").formula
    'X = scale N / (1 + contention (N - 1))'
    """
    if isinstance(law, Law):
        return law if law is LAWS.get(law.name) else law_with_derivatives(law)
    listing = spelling(f"Known are {', '.join(LAWS)}.", "`dominoperf laws` lists them all.")
    if not isinstance(law, str):
        expected, found = "the name or the record of a law, before the points", f"a {type(law).__name__}"
        raise UnknownName("law", expected=expected, found=found, remedy=listing)
    if "," in law:
        how = spelling("compare([...], points)", "`dominoperf compare`")
        raise UnknownName("law", expected="a single law", found=repr(law), remedy=f"Name one, or compare them: {how}.")
    if law not in LAWS:
        raise UnknownName.among("law", law, LAWS, listing, "the name of a law, before the points")
    return LAWS[law]


@names_its_keywords()
def resolve_law(law: str | Law | Callable, start: Mapping[str, float] | None = None) -> Law:
    """Return the record of a law by its name, or one made of a plain function ``f(x, b1, b2, ...)``.

    Parameters
    ----------
    law : str, Law or callable
    start : dict, optional
        Where to begin: a value for each parameter of a plain function, or for some of a law's.

    Raises
    ------
    UnknownName
        When no law has that name, or `start` names no parameter.
    CannotFit
        When a plain function comes without a start, or a start cannot be.

    Examples
    --------
    >>> resolve_law(lambda x, slope: slope * x, {"slope": 1.0}).names
    ('slope',)
    """
    check_named("start", start or {})
    if callable(law):
        return law_of_function(law, start or {})
    law = find(law)
    if not start:
        return law
    _check_values(law, "start", start)
    return law_starting_at(law, start)


@names_its_keywords()
def family(name: str | Iterable[str | Law]) -> list[Law]:
    """Return the laws of a family, or those that a list names.

    Raises
    ------
    UnknownName
        When there is no such family, or no such law.
    CannotFit
        When the list names none.

    Examples
    --------
    >>> [law.name for law in family("clock")]
    ['clock_time', 'clock_power']
    """
    if (
        isinstance(name, str) or not isinstance(name, Iterable) or hasattr(name, "columns")
    ):  # a frame has laws by no name
        if not isinstance(name, str) or name not in FAMILIES:
            several = spelling("['usl', 'amdahl']", "usl,amdahl")
            listing = f"Known are {', '.join(FAMILIES)}; or name several laws, {several}."
            raise UnknownName.among("family of laws", name, FAMILIES, listing)
        name = FAMILIES[name]
    members = [find(law) for law in name]
    if not members:
        remedy = f"Families are {', '.join(FAMILIES)}."
        raise CannotFit("laws", expected="a family, or one law at least", found="none", remedy=remedy)
    return members


def made_for_axes(x, y):
    """Return the names of the laws that are made for two columns; a share may be in percent.

    Examples
    --------
    >>> made_for_axes("users", "cpu_utilization_percent")
    ['utilization_law', 'utilization_proportional']
    """
    axes = [name.removesuffix("_percent") for name in (x, y)]
    return [law.name for law in LAWS.values() if [law.x, law.y] == axes]


@names_its_keywords()
def list_laws(family: str | None = None) -> pd.DataFrame:
    """Return a row per law: what to call it in `fit`, its formula and parameters, what it is for and where it stops.

    Parameters
    ----------
    family : str, optional
        A name in `FAMILIES`, with the laws that it borrows of others; or the name of a law. By default every law.

    Returns
    -------
    DataFrame
        family, law, title, formula, parameters (each with what it means, and "held" or "give it" for one that is
        not fitted), use (y by x, of the whole family), limits, reference (where it comes from), equation (which one
        there, or which section; else how it follows), worked (a value to check it by, and who prints it).

    Raises
    ------
    UnknownName
        When there is no such family.

    Examples
    --------
    >>> list_laws("clock")["law"].tolist()
    ['clock_time', 'clock_power']
    """
    if family is not None and not (isinstance(family, str) and family in {*FAMILIES, *LAWS}):
        listing = f"Families are {', '.join(FAMILIES)}."
        raise UnknownName.among("family or law", family, [*FAMILIES, *LAWS], listing)
    members = LAWS if family is None else FAMILIES.get(family, [family])
    rows = [
        {
            "family": law.family,
            "law": law.name,
            "title": law.title,
            "formula": law.formula,
            "parameters": "; ".join(param.in_words for param in law.params),
            "use": _USES.get(law.family, ""),
            "limits": law.limits,
            "reference": law.source,
            "equation": law.equation,
            "worked": law.worked_in_words,
        }
        for law in map(find, members)
    ]
    return pd.DataFrame(rows)


def check_named(argument, values):
    """Refuse for an argument what does not give values by name."""
    if not isinstance(values, Mapping):
        remedy = f"Give {argument}={{name: value, ...}}."
        raise CannotFit(f"fit({argument}=...)", expected="values by name", found=as_python(values), remedy=remedy)


def check_fixed(law, fixed):
    """Refuse held values of parameters that the law does not have, values that cannot be, constants not given.

    `UnknownName` where the law has no such parameter, else `CannotFit`.
    """
    check_named("fixed", fixed)
    given = {name: value for name, value in fixed.items() if value is not None or name not in law.names}
    _check_values(law, "fixed", given)
    for param in law.params:
        if param.required and fixed.get(param.name) is None:
            how = spelling(f"fixed={{{param.name!r}: ...}}", f"--fixed {param.name} VALUE")
            remedy = f"Give {how}: {param.meaning}."
            raise CannotFit(f"fit of {law.name}", expected=f"{param.name} given", found="none", remedy=remedy)


def _check_values(law, argument, values):
    """Refuse values of parameters that the law does not have, and values that cannot be; `argument` has them."""
    for name, value in values.items():
        if name not in law.names:
            listing = f"Its parameters are {', '.join(law.names)}."
            to = "to hold" if argument == "fixed" else "to start from"
            raise UnknownName.among(f"parameter of {law.name} {to}", name, law.names, listing)
        param = law.params[law.names.index(name)]
        if not (is_number(value) and math.isfinite(value) and param.low <= value <= param.high):
            how = spelling(f"{argument}={{{name!r}: ...}}", f"--{argument} {name}")
            to = f" to {param.high:g}" if math.isfinite(param.high) else " on"
            expected = f"a number from {param.low:g}{to}" if math.isfinite(param.low) else "a number"
            remedy = f"Give {how} such a number; it is: {param.meaning}."
            raise CannotFit(f"{name} of {law.name}", expected=expected, found=as_typed(value), remedy=remedy)
