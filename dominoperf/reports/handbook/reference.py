"""The reference: a page for every room of the library, written by Sphinx and numpydoc from the docstrings."""

import ast
import importlib
import inspect
import itertools
import pkgutil

import dominoperf
from dominoperf.reports.handbook.cells import notebook, rendered

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


def documented():
    """List every public object by the name that it stands under, as room.name."""
    return [f"{room}.{name}" for room in rooms() for name in public(room)]


def page(pages):
    """Give the first page of the reference: every room, with its names."""
    rows = [{"room": room, "about": _first(_module(room).__doc__), "names": _named(room)} for room in rooms()]
    names = "\n".join(f"reference_{room}.ipynb" for room in rooms())
    return notebook(
        "# API reference\n\nEvery public name, by the part of the library that it is of. Those in bold can be had from "
        "`dominoperf` itself, as in `from dominoperf import fit`.",
        rendered("reference.html", rows=rows),
        f"```{{toctree}}\n:hidden:\n\n{names}\n```",
    )


def room_pages():
    """Give the page of every room, by its name."""
    return {f"reference_{room}": _room_page(room) for room in rooms()}


def _room_page(room):
    """One cell: of reStructuredText further down MyST-NB makes thousands of lines, and reads each."""
    objects = (_object(room, name) for name in sorted(public(room), key=str.lower))
    text = "\n\n".join([inspect.getdoc(_module(room)), *objects])
    return notebook(f"# dominoperf.{room}\n\n````{{eval-rst}}\n{text}\n````")


def _object(room, name):
    """The directive that documents an object, as reStructuredText."""
    found, full = getattr(_module(room), name), f"dominoperf.{room}.{name}"
    if inspect.isclass(found):
        return f".. autoclass:: {full}\n   :members:"
    if callable(found):
        return f".. autofunction:: {full}"
    body = "\n".join(f"   {line}" for line in (*[said_of(room, name)], "", *_listed(found)))
    return f".. py:data:: {full}\n\n{body}"


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
