"""Parameters as notebooks declare them; values from a command line are read as declared, or refused before a start."""

import pytest
from conftest import write_notebook

from dominoperf.errors import ReportFailed, UnknownName
from dominoperf.reports import notebooks


@pytest.fixture
def notebook(tmp_path):
    """One parameter of every type, and two of none that a command line can say."""
    lines = ['s: str = "a"', "i: int = 1", "f: float = 0.5", "b: bool = True", "many: list = [1]", "bare = None"]
    return write_notebook(tmp_path / "n.ipynb", parameters="\n".join(lines))


def test_values_are_read_as_declared(notebook):
    """A whole number may be a float, a text stays one, and what is none is left for the check."""
    texts = {"s": "1", "i": "-5", "f": "2", "b": "False"}
    values = notebooks.read_parameters(notebook, texts)
    assert values == {"s": "1", "i": -5, "f": 2.0, "b": False}
    assert [type(value) for value in values.values()] == [str, int, float, bool]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("i", "x"),
        ("i", "1.5"),
        ("i", True),
        ("s", 3),
        ("f", "nan"),
        ("f", "1e999"),
        ("b", "1"),
        ("b", "yes"),
        ("i", ""),
    ],
)
def test_what_is_not_of_the_type_is_refused(notebook, name, text):
    """With the declared type."""
    with pytest.raises(ReportFailed, match=f"has it as {name}: "):
        notebooks.read_parameters(notebook, {name: text})


@pytest.mark.parametrize(
    ("default", "text", "value"),
    [("'a'", "1", "1"), ("1", "2", 2), ("1", "0.5", 0.5), ("-0.5", "2", 2), ("0.5", "1e3", 1000.0),
     ("1", "9" * 400, int("9" * 400)),
     ("True", "no", None), ("True", "false", False), ("1", "x", None), ("1", "nan", None), ("2", "", None)],
)  # fmt: skip
def test_a_parameter_without_a_type_has_that_of_its_default(tmp_path, default, text, value):
    """As notebooks for papermill have them: a number stays whole where it is; None is for a text that is refused."""
    notebook = write_notebook(tmp_path / "n.ipynb", parameters=f"p = {default}  # a comment")
    if value is None:
        with pytest.raises(ReportFailed, match="The notebook has it as p: "):
            notebooks.read_parameters(notebook, {"p": text})
    else:
        read = notebooks.read_parameters(notebook, {"p": text})["p"]
        assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "says"), [("many", "many: list"), ("bare", "'bare' without a type. Declare it, as bare: float")]
)
def test_a_type_that_no_text_says_is_refused(notebook, name, says):
    """Papermill would hand the text on as it is."""
    with pytest.raises(ReportFailed, match=says):
        notebooks.read_parameters(notebook, {name: "[2]"})


def test_an_unknown_name_is_refused(notebook):
    """Naming the notebook."""
    with pytest.raises(UnknownName, match=r"parameter of n: .*Known are s, i, f, b, many, bare"):
        notebooks.read_parameters(notebook, {"x": "1"})


def test_a_cell_that_is_not_python_is_refused(tmp_path):
    """Before a kernel starts."""
    with pytest.raises(ReportFailed, match=r"n\.ipynb: expected parameters in Python"):
        notebooks.declared_parameters(write_notebook(tmp_path / "n.ipynb", parameters="n: int ="))
