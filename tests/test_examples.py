"""Every example of the library's docstrings runs and prints what it says; the rooms that have one for each name."""

import ast
import doctest
import importlib
import re
from pathlib import Path

import pytest

import dominoperf
from dominoperf import figures
from dominoperf.figures import fits
from dominoperf.reports.reference import public_names

LIBRARY = Path(dominoperf.__file__).parent
MODULES = sorted(
    ".".join(("dominoperf", *path.relative_to(LIBRARY).with_suffix("").parts)).removesuffix(".__init__")
    for path in LIBRARY.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


def words_alone(draw, **words):
    """A picture with its words around empty axes."""
    empty = lambda ax: None  # noqa: E731
    vars(empty).update({name: each for name, each in vars(draw).items() if name != "figure_level"})
    return fits.picture(empty, **words | {"pointer": False})


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module, monkeypatch):
    """With the names of its own module at hand; what differs is printed.

    Those of the study's pictures show their titles; the notebooks draw every one of them.
    """
    if module == "dominoperf.study.pictures":
        monkeypatch.setattr(figures, "picture", words_alone)
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted
    assert found.failed == 0


ROOMS = ["fitting", "laws", "machines", "planning", "queueing", "study"]
PAGES = ("capacity_answers", "plan_answers", "pictures", "drawings", "changes", "paired_runs", "added_processors")
PAGES += ("printed_windows", "release_migration", "workload_scripts")


@pytest.mark.parametrize("room", [*ROOMS, *(f"study.{module}" for module in PAGES)])
def test_every_public_name_has_an_example(room):
    """Of functions; what is returned stands first in the docstring of each. So of what only our notebooks call."""
    public = {name: getattr(importlib.import_module(f"dominoperf.{room}"), name) for name in public_names(room)}
    functions = {name: each for name, each in public.items() if callable(each) and not isinstance(each, type)}
    assert functions
    assert [name for name, each in functions.items() if ">>>" not in each.__doc__] == []
    assert [name for name, each in functions.items() if not each.__doc__.startswith("Return ")] == []


def test_types_in_docstrings_exist():
    """A capitalized word in the type of an argument is a class of this library, or one of few others."""
    others = {"Axes", "CSV", "DataFrame", "None", "Parquet", "Path", "TOML", "URL"}
    nodes = [node for path in LIBRARY.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    known = others | {node.name for node in nodes if isinstance(node, ast.ClassDef)}
    documented = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    types = [
        (node.name, name)
        for node in documented
        for line in re.findall(r"^[\w*, ]+ : (.*)$", ast.get_docstring(node) or "", re.MULTILINE)
        for name in re.findall(r"\b[A-Z]\w+", re.sub(r'"[^"]*"|`[^`]*`', "", line))
    ]
    assert len(types) > 100
    assert [(function, name) for function, name in types if name not in known] == []
