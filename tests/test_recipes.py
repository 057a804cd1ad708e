"""Recipes: all that a line needs, and nothing else."""

import pytest

from dominoperf.reports import recipes


def taken(*cells):
    return recipes.recipe(list(cells)).split("\n")


def test_only_what_is_needed():
    """Neither another parameter, nor another import, nor what is only called for its effect."""
    cells = (
        "a: int = 1  # of use\nb: int = 2  # of none",
        "import os\nimport math, sys",
        "print(a)",
        "c = math.sqrt(a)",
        "d = b",
        "c",
    )
    assert taken(*cells) == ["a: int = 1  # of use", "import math", "c = math.sqrt(a)", "c"]


def test_the_last_binding_counts():
    """What was bound before is not needed; injected parameters come after the declared ones."""
    assert taken("a = 1", "a = 2", "a") == ["a = 2", "a"]
    assert taken("a = 1", "a = a + 1", "a") == ["a = 1", "a = a + 1", "a"]
    assert taken("a, b = 1, 2", "a = 5", "a + b") == ["a, b = 1, 2", "a = 5", "a + b"]


def test_changes_of_a_thing_are_kept():
    """A column or an entry that is set, and words added to."""
    cells = ("f = {}", "f['a'] = 1", "g = {}\ng['a'] = 2", "f |= {'b': 3}", "f")
    assert taken(*cells) == ["f = {}", "f['a'] = 1", "f |= {'b': 3}", "f"]
    assert taken("import types", "o = types.SimpleNamespace()", "o.x = [1]\no.x[0] = 4", "o")[2:] == [
        "o.x = [1]",
        "o.x[0] = 4",
        "o",
    ]


def test_names_of_a_comprehension_are_its_own():
    """But what it goes through, and what a lambda or an f-string reads, comes from outside."""
    assert taken("each = 1", "many = [2]", "[each for each in many]") == ["many = [2]", "[each for each in many]"]
    assert taken("each = [1]", "[each for each in each]")[0] == "each = [1]"
    assert taken("x = 1", "y = 2", "lambda x: x + y") == ["y = 2", "lambda x: x + y"]
    assert taken("x = 1", "f'{x:.{x}f}'")[0] == "x = 1"


def test_imports_keep_the_names_used():
    """Under the names that they are given."""
    assert taken("from os import path as p, sep", "import os.path", "p.join('a')") == [
        "from os import path as p",
        "p.join('a')",
    ]
    assert taken("import os.path", "os.sep") == ["import os.path", "os.sep"]


def test_many_lines_stay_as_written():
    """A call over several lines, to the letter; a cell before the last one can be asked for."""
    call = "max(\n    1,  # one\n    2,\n)"
    assert recipes.recipe(["a = 1", call]) == call
    assert recipes.recipe(["a = 1", "a", "a = 2"], shown=1) == "a = 1\na"
    assert recipes.last_line(f"a = 1\n{call}") == call
    assert recipes.last_line("a = 1") == ""
    assert recipes.last_line("panel = make(1)\npanel") == "panel = make(1)"
    assert recipes.last_line("a = 1\npanel") == "panel"


@pytest.mark.parametrize("cells", [("a = 1; b = 2", "a")])
def test_two_statements_of_one_line(cells):
    """The line that holds both is taken whole: it runs."""
    namespace = {}
    exec(recipes.recipe(list(cells)), namespace)
    assert namespace["a"] == 1
