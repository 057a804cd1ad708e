"""The reference: a page for every room of the library, from the docstrings as numpydoc reads them.

Sphinx's own extension for it takes two and a half times as long, and finds no text of a constant that a room imports.
"""

import functools
import importlib
import inspect
import pkgutil
import sys
import textwrap

import dominoperf
from dominoperf.reports.cells import notebook_of_cells, rendered_template

_LEAVES = ("errors", "parallel")  # modules that are public without an `__all__`


def rooms_with_public_names():
    """Return the rooms of the library that have public names, and the rooms within them, in alphabetical order."""
    modules = pkgutil.walk_packages(dominoperf.__path__, "dominoperf.")
    names = [
        module.name.removeprefix("dominoperf.") for module in modules if module.ispkg or module.name.count(".") == 1
    ]
    return sorted(name for name in names if name in _LEAVES or hasattr(_module_of_room(name), "__all__"))


def public_names(room):
    """List the public names of a room but for its modules: those that it says, else those of what it defines itself."""
    module = _module_of_room(room)
    kinds = [
        (name, value) for name, value in vars(module).items() if inspect.isclass(value) or inspect.isfunction(value)
    ]
    defined = [name for name, value in kinds if not name.startswith("_") and value.__module__ == module.__name__]
    public = [name for name in getattr(module, "__all__", defined) if not inspect.ismodule(getattr(module, name))]
    return sorted(public, key=str.lower)


def is_name_of_package(room, name):
    """Return whether a public name of a room can be had from `dominoperf` itself."""
    return name in dominoperf.__all__ and getattr(dominoperf, name) is getattr(_module_of_room(room), name)


def reference_page():
    """Return the first page of the reference: every room, with its names."""
    rows = []
    for room in rooms_with_public_names():
        names = [{"name": name, "top": is_name_of_package(room, name)} for name in public_names(room)]
        about = (_module_of_room(room).__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
        rows.append({"room": room, "about": about, "names": names})
    listed = "\n".join(f"reference_{row['room']}.ipynb" for row in rows)
    return notebook_of_cells(
        "# API reference\n\nEvery public name, by the part of the library that it is of. Those in bold can be had from "
        "`dominoperf` itself, as in `from dominoperf import fit`.",
        rendered_template("handbook/reference.html", rows=rows),
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```",
    )


def pages_of_rooms():
    """Return the page of every room, by its name.

    Each is one cell: of reStructuredText further down MyST-NB makes thousands of lines, and reads each.
    """
    made = {}
    for room in rooms_with_public_names():
        top = f".. py:currentmodule:: dominoperf.{room}\n\n{inspect.getdoc(_module_of_room(room))}\n\n"
        top += f"Before an example, type ``from dominoperf.{room} import *``, ``import numpy as np`` and "
        top += "``import pandas as pd``."
        text = "\n\n".join([top, *(_object_directive(room, name) for name in public_names(room))])
        made[f"reference_{room}"] = notebook_of_cells(f"# dominoperf.{room}\n\n````{{eval-rst}}\n{text}\n````")
    return made


def docstring_summary(room, name):
    """Return what the code says of a constant: the text that is below its assignment, where it is assigned."""
    from sphinx.pycode import ModuleAnalyzer

    constant = getattr(_module_of_room(room), name)
    for key, module in list(sys.modules.items()):
        if key.startswith("dominoperf.") and vars(module).get(name) is constant:
            lines = ModuleAnalyzer.for_module(key).find_attr_docs().get(("", name))
            if lines:
                return " ".join(" ".join(lines).split())
    return ""


def _object_directive(room, name):
    """An object as the directive that Sphinx knows and links it by; a class with its public methods and properties."""
    value = getattr(_module_of_room(room), name)
    if inspect.isclass(value):
        parts = [_restructured_text(value)]
        for of, member in [(of, member) for of, member in vars(value).items() if not of.startswith("_")]:
            if isinstance(member, (property, functools.cached_property)):
                parts.append(_rst_directive("property", of, _restructured_text(member)))
            elif inspect.isfunction(member):
                parts.append(_rst_directive("method", of + _signature(member, bound=True), _restructured_text(member)))
        return _rst_directive("class", name + _signature(value), "\n\n".join(parts))
    if callable(value):
        return _rst_directive("function", name + _signature(value), _restructured_text(value))
    words = list(value) if isinstance(value, (dict, tuple)) else []
    short = words and isinstance(words[0], str)  # what a constant has in it
    listed = [", ".join(f"``{word}``" for word in words if word) + "."] if short else []
    return _rst_directive("data", name, "\n\n".join([docstring_summary(room, name), *listed]))


def _rst_directive(kind, signature, text):
    """A directive of reStructuredText with indented text."""
    return f".. py:{kind}:: {signature}\n\n{textwrap.indent(text, '   ')}\n"


def _restructured_text(documented):
    """A docstring with its sections as reStructuredText."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    return str(SphinxDocString(inspect.getdoc(documented), config={"template": _numpydoc_template()})).strip()


@functools.cache
def _numpydoc_template():
    """What numpydoc lays a docstring out by; it would read it again for each."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    return SphinxDocString("").template


def _signature(called, bound=False):
    """How it is called, without types, which the docstring says; a default that is no plain value is not shown."""

    class Left:
        __repr__ = lambda self: "..."  # noqa: E731

    params = [param.replace(annotation=param.empty) for param in inspect.signature(called).parameters.values()][bound:]
    short = lambda param: param.replace(default=Left()) if repr(param.default).startswith("<") else param  # noqa: E731
    return str(inspect.Signature([short(param) if param.default is not param.empty else param for param in params]))


def _module_of_room(room):
    return importlib.import_module(f"dominoperf.{room}")
