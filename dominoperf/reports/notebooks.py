"""The notebooks: where they are, the list of runs, the parameters that each declares and the values that fit."""

import ast
import contextlib
import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dominoperf import tables
from dominoperf.errors import BadTable, ReportFailed, UnknownName, as_python
from dominoperf.tables import folders
from dominoperf.tables.files import read_users_toml
from dominoperf.tables.validation import validate_by_schema

PARAMETERS = "parameters"  # papermill's tag of the cell that declares them
FINDING = "finding"  # tag of the cell whose output is the answer of a notebook in a sentence or two
NOTEBOOK_ONLY = "notebook-only"  # tag of a cell that a page leaves out: it speaks of the notebook itself
LIVE_ONLY = "live-only"  # tag of one that speaks of controls, which live in JupyterLab and the app
NUMBER = "int | float"
"""The type of a parameter whose default is a number, where none is declared."""
_TYPES_IN_WORDS = {
    "int": "a whole number", "float": "a number", NUMBER: "a number", "str": "a text", "bool": "true or false",
}  # fmt: skip
_TYPES = {"str": str, "int": int, "float": (int, float), NUMBER: (int, float), "bool": bool}
_TYPES_OF_DEFAULTS = {str: "str", bool: "bool", int: NUMBER, float: NUMBER}  # 1 may become 0.5, and 0.5 may become 1


@dataclass(frozen=True)
class NotebookRun:
    """One run of a notebook: its name, the notebook's stem, the parameters that differ from the defaults.

    ``overrides`` are those of them that somebody chose for this one time; the run list knows nothing of them.
    """

    name: str
    notebook: str
    parameters: dict
    overrides: dict = field(default_factory=dict)
    first: bool = False  # takes so long that it begins before the others
    group: str = "Questions"  # that the list of pages has it in
    label: str = ""  # what that list calls it, if not its title

    @property
    def title(self) -> str:
        """What a page calls it: the document it is about, or the question that heads the notebook."""
        if "source" in self.parameters:
            return tables.document(self.parameters["source"])["title"]
        first = json.loads(find_notebook(self.notebook).read_text(encoding="utf-8"))["cells"][0]
        return "".join(first["source"]).splitlines()[0].removeprefix("# ")

    @property
    def data(self) -> str:
        """What the command that makes it again needs beside the name: values, and a data folder not ours."""
        values = "".join(f" -p {name} {shlex.quote(str(value))}" for name, value in self.overrides.items())
        return values + ("" if self.is_ours else f" --data {self.parameters['source']}")

    @property
    def is_ours(self) -> bool:
        """Whether it is about one of our documents, or about none."""
        source = self.parameters.get("source")
        return source is None or (tables.home() / source) in folders.our_data_folders()


def notebooks_folder():
    """Return the folder of our notebooks."""
    return folders.shipped_folder("notebooks")


def runs() -> list[NotebookRun]:
    """List the standard runs, in the order of ``runs.toml``.

    Raises
    ------
    BadTable
        When the run list cannot be read, or says what it cannot.
    """
    path = notebooks_folder() / "runs.toml"
    listed = read_users_toml(path, "the run list, in TOML", "Mend the run list.")
    validate_by_schema("runs", listed, path.name)
    found = []
    for notebook, how in listed.items():
        stem, about = notebook.partition("_")[2], {key: how[key] for key in ("first", "group", "label") if key in how}
        sources = tables.sources()["source"] if "for_each" in how else ()
        found += [NotebookRun(f"{stem}_{source}", notebook, {"source": source}, **about) for source in sources]
        found += [] if "for_each" in how else [NotebookRun(stem, notebook, {}, **about)]
    return found


def pages_of_documents(runs):
    """Return the page of each document by its key: that of the run that is about it."""
    return {run.parameters["source"]: f"{run.name}.html" for run in runs if "source" in run.parameters}


def find_notebook(notebook):
    """Return the path of a notebook, of ours by its stem, or any by its path; `UnknownName` where there is none."""
    folders.path_of_argument(notebook, "notebook", "the stem or the path of a notebook")
    for path in (notebooks_folder() / f"{notebook}.ipynb", Path(notebook)):
        if path.is_file():
            return path
    stems = sorted(path.stem for path in notebooks_folder().glob("*.ipynb"))
    raise UnknownName.among("notebook", str(notebook), stems)


def given_parameters(parameters):
    """Return the parameters that somebody gave, none or a dict, as a dict; anything else is refused."""
    if parameters is not None and not isinstance(parameters, Mapping):
        remedy = "Give a dict, or leave it out."
        raise BadTable("parameters", expected="a dict of name to value", found=as_python(parameters), remedy=remedy)
    return dict(parameters or {})


def check_run(notebook, parameters):
    """Return a notebook's path; refuse what cannot run, where papermill would only warn, and run with the defaults."""
    path = find_notebook(notebook)
    check_parameters(path, parameters)
    return path


def declared_parameters(path):
    """Return the parameters of a notebook: a dict of name to type; that of its default, where none is declared.

    The type is empty where the default is neither a number nor a text nor a truth value. Python's own grammar reads
    them, not papermill's: to import that takes longer than to find that nothing has to run.
    """
    return {name: kind for name, (kind, _) in _declarations(path).items()}


def default_texts(path):
    """Return the default of each parameter that is a text as it is written in the notebook, by name."""
    return {name: default for name, (_, default) in _declarations(path).items() if isinstance(default, str)}


def _declarations(path):
    """The type and the default of each parameter, by its name; without a declared type it has that of its default.

    A default that is no literal counts as None, which has no type.
    """
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tagged = ["".join(cell["source"]) for cell in cells if PARAMETERS in cell["metadata"].get("tags", [])]
        expected, found = f"one cell tagged `{PARAMETERS}`", f"{len(tagged)} of them"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        found = "JSON without cells of a notebook" if isinstance(error, KeyError) else f"what is none ({error})"
        if isinstance(error, json.JSONDecodeError):
            found = f"text that is no JSON (line {error.lineno})"
        tagged, expected = [], "a notebook"
    if len(tagged) != 1:
        remedy = f"Save it again from JupyterLab, with one cell tagged `{PARAMETERS}`."
        raise ReportFailed(path.name, expected=expected, found=found, remedy=remedy)
    declared = {}
    try:
        for line in ast.parse(tagged[0]).body:
            target = line.targets[0] if isinstance(line, ast.Assign) else getattr(line, "target", None)
            if isinstance(line, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name):
                default = None
                with contextlib.suppress(ValueError, TypeError, SyntaxError, RecursionError, MemoryError):  # no literal
                    default = ast.literal_eval(line.value)
                of_default = _TYPES_OF_DEFAULTS.get(type(default), "")
                kind = ast.unparse(line.annotation) if isinstance(line, ast.AnnAssign) else of_default
                declared[target.id] = kind, default
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # half a character, nested too deep
        remedy = f"Mend the cell tagged `{PARAMETERS}`: one `name: type = default` a line."
        raise ReportFailed(path.name, expected="parameters in Python", found=str(error), remedy=remedy) from error
    return declared


def check_parameters(path, values, declarations=None):
    """Refuse a parameter that the notebook does not declare, or a value of another type than declared."""
    declarations = declared_parameters(path) if declarations is None else declarations
    for name, value in values.items():
        where, kind = f"parameter of {path.stem}", declarations.get(name, "")
        if name not in declarations:
            raise UnknownName.among(where, name, declarations)
        if not is_of_parameter_type(value, kind):
            remedy = f"The notebook has it as {name}: {kind}."
            expected = _TYPES_IN_WORDS.get(kind, kind)
            raise ReportFailed(f"{where}, {name}", expected=expected, found=repr(value), remedy=remedy)


def read_parameters(path, values, declarations=None):
    """Return the texts of a command line as values of the declared types, checked by `check_parameters`.

    A parameter that is declared as what a command line cannot say is refused too. `declarations` are the notebook's,
    where they have been read before.
    """
    declarations = declared_parameters(path) if declarations is None else declarations
    for name in values:
        if name in declarations and declarations[name] not in _TYPES:
            where, remedy = f"parameter of {path.stem}", f"Declare it, as {name}: float = 1.0, or run it in JupyterLab."
            found = f"{name}: {declarations[name]}" if declarations[name] else f"{name!r} without a type"
            raise ReportFailed(where, expected="str, int, float or bool", found=found, remedy=remedy)
    read = {name: _notebook_parameter_of_type(value, declarations.get(name)) for name, value in values.items()}
    check_parameters(path, read, declarations)
    return read


def is_of_parameter_type(value, kind):
    """Whether a value is of a declared type; a whole number is a float too, a truth value no number."""
    return kind not in _TYPES or (isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "bool"))


def _notebook_parameter_of_type(value, kind):
    """A text as the type says; no infinity, since no notebook means one."""
    if not isinstance(value, str) or kind not in _TYPES:
        return value
    if kind == "bool":
        return {"true": True, "false": False}.get(value.lower(), value)
    for python_type in {"int": (int,), "float": (float,), NUMBER: (int, float)}.get(kind, ()):
        with contextlib.suppress(ValueError):
            number = python_type(value)
            return number if python_type is int or math.isfinite(number) else value
    return value
