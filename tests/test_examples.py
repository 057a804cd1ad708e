"""Every example of the library's docstrings runs and prints what it says; the rooms that have one for each name."""

import doctest
import importlib
from pathlib import Path

import pytest

import dominoperf

LIBRARY = Path(dominoperf.__file__).parent
MODULES = sorted(
    ".".join(("dominoperf", *path.relative_to(LIBRARY).with_suffix("").parts)).removesuffix(".__init__")
    for path in LIBRARY.rglob("*.py")
    if ">>>" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module):
    """With the names of its own module at hand; what differs is printed."""
    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted
    assert found.failed == 0


@pytest.mark.parametrize("room", ["fitting", "laws", "machines", "queueing", "study"])
def test_every_public_name_has_an_example(room):
    """Of functions; what is returned stands first in the docstring of each."""
    handed_out = importlib.import_module(f"dominoperf.{room}")
    public = {name: getattr(handed_out, name) for name in handed_out.__all__}
    functions = {name: each for name, each in public.items() if callable(each) and not isinstance(each, type)}
    assert functions
    assert [name for name, each in functions.items() if ">>>" not in each.__doc__] == []
    assert [name for name, each in functions.items() if not each.__doc__.startswith("Return ")] == []
