"""The parameters that a notebook declares in its tagged cell, and the values that fit them."""

import ast
import json
import math

from dominoperf.errors import ReportFailed, UnknownName

TAG = "parameters"
_TYPES = {"str": str, "int": int, "float": (int, float), "bool": bool}


def declared(path):
    """Return the parameters of a notebook: a dict of name to declared type, empty where none is declared.

    Read with Python's own grammar, not papermill's: to import that takes longer than to find that nothing has to run.

    Raises
    ------
    ReportFailed
        When the file is no notebook with one cell tagged ``parameters``, or the cell is not Python.
    """
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tagged = ["".join(cell["source"]) for cell in cells if TAG in cell["metadata"].get("tags", [])]
        expected, found = f"one cell tagged `{TAG}`", f"{len(tagged)} of them"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        tagged, expected, found = [], "a notebook", f"{type(error).__name__}: {error}"
    if len(tagged) != 1:
        remedy = f"Save it again from JupyterLab, with one cell tagged `{TAG}`."
        raise ReportFailed(path.name, expected=expected, found=found, remedy=remedy)
    types = {}
    try:
        for line in ast.parse(tagged[0]).body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                types[line.target.id] = ast.unparse(line.annotation)
            elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                types[line.targets[0].id] = ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:  # half a character, nested too deep
        remedy = f"Mend the cell tagged `{TAG}`: one `name: type = default` a line."
        raise ReportFailed(path.name, expected="parameters in Python", found=str(error), remedy=remedy) from error
    return types


def check(path, values, known=None):
    """Refuse a parameter that the notebook does not declare, or a value of another type than declared.

    `known` has its declarations, where they have been read.
    """
    known = declared(path) if known is None else known
    for name, value in values.items():
        where, kind = f"parameter of {path.stem}", known.get(name, "")
        if name not in known:
            raise UnknownName.among(where, name, known, f"Known are {', '.join(known) or 'none'}.")
        if not fits(value, kind):
            remedy = f"It is declared as {name}: {kind}."
            raise ReportFailed(f"{where}, {name}", expected=kind, found=repr(value), remedy=remedy)


def read(path, values, known=None):
    """Return the texts of a command line as values of the declared types; what cannot be read is left for `check`.

    Raises
    ------
    ReportFailed
        When a parameter is declared as what a command line cannot say.
    """
    known = declared(path) if known is None else known
    for name in values:
        if name in known and known[name] not in _TYPES:
            where, remedy = f"parameter of {path.stem}", "Declare it so, or run the notebook in JupyterLab."
            found = f"{name}: {known[name]}" if known[name] else f"{name} without a type"
            raise ReportFailed(where, expected="str, int, float or bool", found=found, remedy=remedy)
    return {name: _value(value, known.get(name)) for name, value in values.items()}


def fits(value, kind):
    """Whether a value is of a declared type; a whole number is a float too, a truth value no number."""
    return kind not in _TYPES or (isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "bool"))


def _value(value, kind):
    """A text as the type says; no infinity, since no notebook means one."""
    if not isinstance(value, str) or kind not in ("int", "float", "bool"):
        return value
    if kind == "bool":
        return {"true": True, "false": False}.get(value.lower(), value)
    try:
        number = int(value) if kind == "int" else float(value)
    except ValueError:
        return value
    return number if kind == "int" or math.isfinite(number) else value
