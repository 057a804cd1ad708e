"""The reference: a page for every room of the library, from the docstrings as numpydoc reads them.

Sphinx's own extension for it, and numpydoc's, take twice the time and look into every object anew.
"""

import ast
import functools
import importlib
import inspect
import itertools
import pkgutil
import textwrap

import dominoperf
from dominoperf.reports.cells import notebook, rendered

_LEAVES = ("errors", "parallel")  # modules that are public without an `__all__`


def rooms():
    """List the rooms of the library that have public names, in alphabetical order."""
    found = [each.name for each in pkgutil.iter_modules(dominoperf.__path__)]
    return [name for name in found if name in _LEAVES or hasattr(_module(name), "__all__")]


def public(room):
    """List the public names of a room: those that it says, else those of what it defines itself."""
    module = _module(room)
    said = getattr(module, "__all__", None)
    return list(said or (name for name, each in vars(module).items() if _is_own(module, name, each)))


def page(pages):
    """Give the first page of the reference: every room, with its names."""
    rows = [{"room": room, "about": _first(_module(room).__doc__), "names": _named(room)} for room in rooms()]
    names = "\n".join(f"reference_{room}.ipynb" for room in rooms())
    return notebook(
        "# API reference\n\nEvery public name, by the part of the library that it is of. Those in bold can be had from "
        "`dominoperf` itself, as in `from dominoperf import fit`.",
        rendered("handbook/reference.html", rows=rows),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```",
    )


def room_pages():
    """Give the page of every room, by its name."""
    return {f"reference_{room}": _room_page(room) for room in rooms()}


def _room_page(room):
    """One cell: of reStructuredText further down MyST-NB makes thousands of lines, and reads each."""
    objects = (_object(room, name) for name in sorted(public(room), key=str.lower))
    top = f".. py:currentmodule:: dominoperf.{room}\n\n{inspect.getdoc(_module(room))}"
    text = "\n\n".join([top, *objects])
    return notebook(f"# dominoperf.{room}\n\n````{{eval-rst}}\n{text}\n````")


def _object(room, name):
    """An object as the directive that Sphinx knows and links it by."""
    found = getattr(_module(room), name)
    if inspect.isclass(found):
        return _directive("class", name + _signature(found), _class_text(found))
    if callable(found):
        return _directive("function", name + _signature(found), _text(found))
    return _directive("data", name, "\n\n".join([said_of(room, name), *_listed(found)]))


def _directive(kind, signature, text):
    return f".. py:{kind}:: {signature}\n\n{textwrap.indent(text, '   ')}\n"


def _class_text(found):
    """A class and its public methods and properties, in the order in which they are written."""
    parts = [_text(found)]
    for name, each in vars(found).items():
        if isinstance(each, (property, functools.cached_property)) and not name.startswith("_"):
            parts.append(_directive("property", name, _text(each)))
        elif inspect.isfunction(each) and not name.startswith("_"):
            parts.append(_directive("method", name + _signature(each, bound=True), _text(each)))
    return "\n\n".join(parts)


def _text(found):
    """A docstring with its sections as reStructuredText."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    return str(SphinxDocString(inspect.getdoc(found), config={"template": _template()})).strip()


@functools.cache
def _template():
    """What numpydoc lays a docstring out by; it would read it again for each."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    return SphinxDocString("").template


def _signature(found, bound=False):
    """How it is called, without types, which the docstring says; a default that is no plain value is not shown."""
    params = list(inspect.signature(found).parameters.values())[bound:]
    shown = [each.replace(annotation=each.empty, default=_default(each.default)) for each in params]
    return str(inspect.Signature(shown))


class _Left:
    """Stands for a default that has no short text."""

    def __repr__(self):
        return "..."


def _default(value):
    return value if value is inspect.Parameter.empty or not repr(value).startswith("<") else _Left()


def _listed(found):
    """What a constant has in it, where that is a short list of words."""
    words = list(found) if isinstance(found, (dict, tuple)) else []
    return [", ".join(f"``{word}``" for word in words if word) + "."] if words and isinstance(words[0], str) else []


def said_of(room, name):
    """Give what the code says of a constant: the text that stands below its assignment, where it is assigned."""
    body = ast.parse(inspect.getsource(_home(_module(room), name))).body
    for each, below in itertools.pairwise(body):
        names = [at.id for node in getattr(each, "targets", ()) for at in ast.walk(node) if isinstance(at, ast.Name)]
        if name in names and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return " ".join(below.value.value.split())
    return ""


def _home(module, name):
    """The module that assigns a name, where it came by imports."""
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and name in (each.asname or each.name for each in node.names):
            return _home(importlib.import_module(node.module), name)
    return module


def _named(room):
    return [{"name": name, "top": dominoperf._HOME.get(name) == room} for name in sorted(public(room), key=str.lower)]


def _first(text):
    return (text or "").strip().partition("\n\n")[0].replace("\n", " ")


def _is_own(module, name, found):
    ours = inspect.isclass(found) or inspect.isfunction(found)
    return ours and not name.startswith("_") and found.__module__ == module.__name__


def _module(room):
    return importlib.import_module(f"dominoperf.{room}")
