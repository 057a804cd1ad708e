"""Every example of the library's docstrings runs and prints what it says; the rooms that have one for each name."""

import ast
import builtins
import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import dominoperf
from dominoperf.figures import pictures
from dominoperf.reports.reference import public_names, rooms_with_public_names

LIBRARY = Path(dominoperf.__file__).parent
MODULES = sorted(
    ".".join(("dominoperf", *path.relative_to(LIBRARY).with_suffix("").parts)).removesuffix(".__init__")
    for path in LIBRARY.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


@pytest.fixture
def only_words_of_pictures(monkeypatch):
    """Draw of a picture only what its words are read from; the tests of figures draw the whole."""
    bare, wide = Figure(), pictures.figure_with_words
    bare.subplots()
    drawn = lambda draw, size, *how: wide(draw, size, *how) if size is pictures.TEXT else bare  # noqa: E731
    monkeypatch.setattr(pictures, "figure_with_words", drawn)
    monkeypatch.setattr(pictures, "figure_as_svg", lambda figure: "")


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module, only_words_of_pictures):
    """With the names of its own module at hand; what differs is printed."""
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted
    assert found.failed == 0


ROOMS = ["fitting", "laws", "machines", "planning", "queueing", "study"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_has_an_example(room):
    """Of functions; what is returned stands first in the docstring of each."""
    public = {name: getattr(importlib.import_module(f"dominoperf.{room}"), name) for name in public_names(room)}
    functions = {name: each for name, each in public.items() if callable(each) and not isinstance(each, type)}
    assert functions
    assert [name for name, each in functions.items() if ">>>" not in each.__doc__] == []
    assert [name for name, each in functions.items() if not each.__doc__.startswith("Return ")] == []


def test_examples_need_no_name_but_those_that_the_page_says_to_import():
    """Of every room all public names, np and pd: a reader who types an example has no others."""
    unknown = {}
    for room in rooms_with_public_names():
        module, public = importlib.import_module(f"dominoperf.{room}"), public_names(room)
        for name in public:
            for test in doctest.DocTestFinder().find(getattr(module, name), f"{room}.{name}"):
                tree = [*ast.walk(ast.parse("".join(example.source for example in test.examples)))]
                made = {"np", "pd", *dir(builtins), *public}
                made |= {node.id for node in tree if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
                made |= {node.arg for node in tree if isinstance(node, ast.arg)}
                made |= {node.name for node in tree if isinstance(node, (ast.FunctionDef, ast.ExceptHandler))}
                made |= {node.asname or node.name for node in tree if isinstance(node, ast.alias)}
                if names := {node.id for node in tree if isinstance(node, ast.Name)} - made:
                    unknown[test.name] = names
    assert unknown == {}


def test_every_public_name_has_type_hints():
    """Each argument and what is returned, of functions, of methods and of properties; `make check` judges them."""
    lacking = []
    for room in rooms_with_public_names():
        module = importlib.import_module(f"dominoperf.{room}")
        for name in public_names(room):
            public = getattr(module, name)
            functions = functions_of_class(public) if inspect.isclass(public) else {name: public}
            for called, function in functions.items():
                if inspect.isfunction(function):
                    hints = inspect.signature(function)
                    given = [each.annotation for each in hints.parameters.values() if each.name not in ("self", "cls")]
                    if hints.empty in (*given, hints.return_annotation):
                        lacking.append(f"{room}: {called}")
    assert lacking == []


def functions_of_class(cls):
    """The public functions of a class of ours, the getters of its properties too, by how they are called."""
    members = {name: each for name, each in vars(cls).items() if not name.startswith("_")}
    inner = {name: next((getattr(each, of) for of in ("fget", "func", "__func__") if hasattr(each, of)), each)
             for name, each in members.items()}  # fmt: skip
    ours = {name: each for name, each in inner.items() if getattr(each, "__module__", "").startswith("dominoperf")}
    return {f"{cls.__name__}.{name}": each for name, each in ours.items()}


def test_types_in_docstrings_exist():
    """A capitalized word in the type of an argument is a class of this library, or one of few others."""
    known = {"Axes", "CSV", "DataFrame", "None", "Parquet", "Path", "TOML", "URL"}
    texts = [path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")]
    known |= {name for text in texts for name in re.findall(r"^ *class (\w+)", text, re.MULTILINE)}
    types = [
        (line, name)
        for text in texts
        for line in re.findall(r"^ +[\w*, ]+ : (.*)$", text, re.MULTILINE)
        for name in re.findall(r"\b[A-Z]\w+", re.sub(r'"[^"]*"|`[^`]*`', "", line))
    ]
    assert len(types) > 100
    assert [(line, name) for line, name in types if name not in known] == []
