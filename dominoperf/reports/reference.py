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
from dominoperf.reports.cells import notebook, rendered

_LEAVES = ("errors", "parallel")  # modules that are public without an `__all__`


def rooms():
    """Return the rooms of the library that have public names, and the rooms within them, in alphabetical order."""
    found = pkgutil.walk_packages(dominoperf.__path__, "dominoperf.")
    names = [each.name.removeprefix("dominoperf.") for each in found if each.ispkg or each.name.count(".") == 1]
    return sorted(name for name in names if name in _LEAVES or hasattr(_module(name), "__all__"))


def public(room):
    """List the public names of a room: those that it says, else those of what it defines itself."""
    module = _module(room)
    kinds = [(name, each) for name, each in vars(module).items() if inspect.isclass(each) or inspect.isfunction(each)]
    own = [name for name, each in kinds if not name.startswith("_") and each.__module__ == module.__name__]
    return sorted(getattr(module, "__all__", own), key=str.lower)


def page(pages):
    """Return the first page of the reference: every room, with its names."""
    rows = []
    for room in rooms():
        names = [{"name": name, "top": name in dominoperf._HOMES.get(room, ())} for name in public(room)]
        about = (_module(room).__doc__ or "").strip().partition("\n\n")[0].replace("\n", " ")
        rows.append({"room": room, "about": about, "names": names})
    listed = "\n".join(f"reference_{row['room']}.ipynb" for row in rows)
    return notebook(
        "# API reference\n\nEvery public name, by the part of the library that it is of. Those in bold can be had from "
        "`dominoperf` itself, as in `from dominoperf import fit`.",
        rendered("handbook/reference.html", rows=rows),
        f"```{{toctree}}\n:hidden:\n\n{listed}\n```",
    )


def room_pages():
    """Return the page of every room, by its name.

    Each is one cell: of reStructuredText further down MyST-NB makes thousands of lines, and reads each.
    """
    made = {}
    for room in rooms():
        top = f".. py:currentmodule:: dominoperf.{room}\n\n{inspect.getdoc(_module(room))}"
        text = "\n\n".join([top, *(_object(room, name) for name in public(room))])
        made[f"reference_{room}"] = notebook(f"# dominoperf.{room}\n\n````{{eval-rst}}\n{text}\n````")
    return made


def said_of(room, name):
    """Return what the code says of a constant: the text that stands below its assignment, where it is assigned."""
    from sphinx.pycode import ModuleAnalyzer

    found = getattr(_module(room), name)
    for key, module in list(sys.modules.items()):
        if key.startswith("dominoperf.") and vars(module).get(name) is found:
            said = ModuleAnalyzer.for_module(key).find_attr_docs().get(("", name))
            if said:
                return " ".join(" ".join(said).split())
    return ""


def _object(room, name):
    """An object as the directive that Sphinx knows and links it by."""
    found = getattr(_module(room), name)
    if inspect.isclass(found):
        return _directive("class", name + _signature(found), _class_text(found))
    if callable(found):
        return _directive("function", name + _signature(found), _restructured_text(found))
    words = list(found) if isinstance(found, (dict, tuple)) else []
    short = words and isinstance(words[0], str)  # what a constant has in it
    listed = [", ".join(f"``{word}``" for word in words if word) + "."] if short else []
    return _directive("data", name, "\n\n".join([said_of(room, name), *listed]))


def _directive(kind, signature, text):
    return f".. py:{kind}:: {signature}\n\n{textwrap.indent(text, '   ')}\n"


def _class_text(found):
    """A class and its public methods and properties, in the order in which they are written."""
    parts = [_restructured_text(found)]
    for name, each in [(name, each) for name, each in vars(found).items() if not name.startswith("_")]:
        if isinstance(each, (property, functools.cached_property)):
            parts.append(_directive("property", name, _restructured_text(each)))
        elif inspect.isfunction(each):
            parts.append(_directive("method", name + _signature(each, bound=True), _restructured_text(each)))
    return "\n\n".join(parts)


def _restructured_text(found):
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

    class Left:
        __repr__ = lambda self: "..."  # noqa: E731

    params = [each.replace(annotation=each.empty) for each in inspect.signature(found).parameters.values()][bound:]
    short = lambda each: each.replace(default=Left()) if repr(each.default).startswith("<") else each  # noqa: E731
    return str(inspect.Signature([short(each) if each.default is not each.empty else each for each in params]))


def _module(room):
    return importlib.import_module(f"dominoperf.{room}")
