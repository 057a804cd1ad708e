"""What a law of one's own computes, as a text: another text where its code or its constants are others."""

import functools
import sysconfig
import types
import uuid
from pathlib import Path

import numpy as np

from dominoperf.laws.record import Law, Param, Quantity, WorkedExample

_PATHS = sysconfig.get_paths()
_INSTALLED = (
    *(_PATHS[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    str(Path(__file__).parents[1]),
)
_VALUES = (str, bytes, int, float, complex, np.number, type(None), type(...))


def code_of_law(thing, above=()):
    """Return the values of a law, the code of its functions and whatever of the caller's that code names, as a text.

    What cannot be told, as an object of a class of the caller's, has another text each time: it is never the same.

    Examples
    --------
    >>> texts = [code_of_law(law) for law in (lambda x, a: a * x, lambda x, a: a * x, lambda x, a: 2 * a * x)]
    >>> texts[0] == texts[1], texts[0] == texts[2]
    (True, False)
    """
    if isinstance(thing, _VALUES):
        return repr(thing)
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    if isinstance(thing, (types.BuiltinFunctionType, np.ufunc)):
        return f"{getattr(thing, '__module__', '')} {thing.__name__}"
    if any(thing is one for one in above):  # it names itself
        return type(thing).__name__
    if isinstance(thing, (tuple, list)):
        parts = thing
    elif isinstance(thing, (set, frozenset)):
        parts = sorted(thing, key=repr)
    elif isinstance(thing, dict):
        parts = thing.items()
    elif isinstance(thing, np.ndarray):
        parts = thing.tolist()
    elif isinstance(thing, (Law, Param, Quantity, WorkedExample)):
        parts = vars(thing).values()
    elif isinstance(thing, functools.partial):
        parts = thing.func, thing.args, thing.keywords
    elif isinstance(thing, types.CodeType):
        parts = thing.co_code, thing.co_names, thing.co_consts
    elif isinstance(thing, types.FunctionType):
        named = {} if thing.__code__.co_filename.startswith(_INSTALLED) else thing.__globals__
        held = [cell.cell_contents for cell in thing.__closure__ or ()]
        parts = thing.__code__, thing.__defaults__, thing.__kwdefaults__, held
        parts += tuple(named[name] for name in _names_in_code(thing.__code__) if name in named)
    else:
        return uuid.uuid4().hex
    return f"{type(thing).__name__}({', '.join(code_of_law(part, (*above, thing)) for part in parts)})"


def _names_in_code(code):
    """The names that a code and the functions inside it look up."""
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return sorted({*code.co_names}.union(*map(_names_in_code, inner)))
