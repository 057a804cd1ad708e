"""Run one notebook headlessly; save the tables that it makes."""

import contextlib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from dominoperf import catalog, rendering
from dominoperf.errors import BadTable, ReportFailed, UnknownName

OUT = "DOMINOPERF_OUT"  # environment variable: where a notebook's tables go
_LONG = 200  # rows: a longer table is for machines, and is not written as Markdown
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # a folder's name may be part of it
_TAG = "parameters"


@dataclass(frozen=True)
class Run:
    """One run of a notebook: its name, the notebook's stem, the parameters that differ from the defaults."""

    name: str
    notebook: str
    parameters: dict

    @property
    def title(self):
        """What a page calls it: the document it is about, or the question that heads the notebook."""
        if "source" in self.parameters:
            return catalog.document(self.parameters["source"])["title"]
        first = json.loads((home() / f"{self.notebook}.ipynb").read_text(encoding="utf-8"))["cells"][0]
        return "".join(first["source"]).splitlines()[0].removeprefix("# ")

    @property
    def data(self):
        """What the command that makes it again needs beside the name: the data folder of its source, if not ours."""
        source = self.parameters.get("source")
        return "" if source is None or (catalog.home() / source) in catalog.ours() else f" --data {source}"


def home():
    """Give the folder of the notebooks: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent.parent / "_notebooks"
    return inside if inside.is_dir() else Path(__file__).parent.parent.parent / "notebooks"


def runs():
    """List the standard runs, in the order of ``runs.toml``.

    Raises
    ------
    BadTable
        When the run list cannot be read, or says what it cannot.
    """
    path = home() / "runs.toml"
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        remedy = "Mend the run list."
        raise BadTable(path.name, expected="the run list, in TOML", found=str(error), remedy=remedy) from error
    return [run for notebook, how in listed.items() for run in _runs_of(notebook, how)]


def save(table, name):
    """Save a result table of a notebook as ``name.csv`` and, unless it is long, as ``name.md``.

    Inside a run they go to the run's folder, elsewhere to ``runs/interactive`` under the current one. Numbers are
    written to six significant digits, so that another version of the arithmetic gives the same file.

    Parameters
    ----------
    table : DataFrame
    name : str
        Letters, digits, - _ and ., not first a point.

    Returns
    -------
    rendering.Table
        Shows the table, so that a cell can save and show it; of a long one its first rows.

    Raises
    ------
    BadTable
        When the name could leave the folder.
    """
    if not _NAME.fullmatch(name):
        remedy = "Use letters, digits, underscores, hyphens and points."
        raise BadTable("save(table, name)", expected="a plain name", found=repr(name), remedy=remedy)
    folder = Path(os.environ.get(OUT) or Path("runs") / "interactive")
    folder.mkdir(parents=True, exist_ok=True)
    short = rendering.rounded(table, 6)
    rendering.replace_file(folder / f"{name}.csv", rendering.as_csv(short))
    if len(table) > _LONG:
        return rendering.Table(table.head(5), headings=catalog.meanings())
    rendering.replace_file(folder / f"{name}.md", rendering.as_markdown(short))
    return rendering.Table(table, headings=catalog.meanings())


def run_notebook(notebook, parameters=None, *, out):
    """Run one notebook through papermill into a folder.

    Parameters
    ----------
    notebook : str
        Stem of a notebook of ours, or a path.
    parameters : dict, optional
        Values for its tagged parameters; checked before a kernel starts.
    out : path
        Gets ``executed.ipynb`` and the tables that the notebook saves.

    Raises
    ------
    UnknownName
        When the notebook or one of the parameters does not exist.
    ReportFailed
        When the file is no notebook with a cell tagged ``parameters``, or a cell fails: the message names notebook,
        cell and error.
    """
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel

    path, out = check_run(notebook, parameters or {}), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with _environment(**{OUT: str(out.resolve())}):
        try:
            papermill.execute_notebook(
                str(path),
                str(out / "executed.ipynb"),
                parameters=parameters or {},
                progress_bar=False,
                kernel_name="python3",
                kernel_manager_class="dominoperf.reports.kernel.KernelManager",
                record_timing=False,
            )
        except papermill.PapermillExecutionError as error:
            raise _failed(f"{path.name}, cell {error.cell_index}", f"{error.ename}: {error.evalue}") from error
        except (RuntimeError, NoSuchKernel) as error:  # a kernel that died, on its way up or later
            raise _failed(path.name, f"{type(error).__name__}: {error}") from error


def _failed(where, found):
    remedy = "Run the notebook in JupyterLab to see more."
    return ReportFailed(where, expected="the notebook to run to its end", found=found.rstrip("."), remedy=remedy)


def _runs_of(notebook, how):
    stem = notebook.partition("_")[2]
    if how not in ({}, {"for_each": "source"}):
        remedy = 'A block is empty, or says for_each = "source".'
        raise BadTable(f"runs.toml, [{notebook}]", expected="a known key", found=repr(how), remedy=remedy)
    if how:
        return [Run(f"{stem}_{source}", notebook, {"source": source}) for source in catalog.sources()["source"]]
    return [Run(stem, notebook, {})]


def _notebook(notebook):
    for path in (home() / f"{notebook}.ipynb", Path(notebook)):
        if path.is_file():
            return path
    known = sorted(path.stem for path in home().glob("*.ipynb"))
    raise UnknownName.among("notebook", str(notebook), known, f"Known are {', '.join(known)}.")


def check_run(notebook, parameters):
    """Refuse what cannot run before anything starts; give the notebook's path.

    Papermill only warns of a missing tag or a misspelt parameter, and runs with the defaults.
    """
    path = _notebook(notebook)
    _check_tag(path)
    if parameters:
        _check_parameters(path, parameters)
    return path


def _check_tag(path):
    remedy = "Save it again from JupyterLab, with one cell tagged `parameters`."
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        tagged = [cell for cell in cells if _TAG in cell["metadata"].get("tags", [])]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        told = f"{type(error).__name__}: {error}"
        raise ReportFailed(path.name, expected="a notebook", found=told, remedy=remedy) from error
    if len(tagged) != 1:
        expected, found = f"one cell tagged `{_TAG}`", f"{len(tagged)} of them"
        raise ReportFailed(path.name, expected=expected, found=found, remedy=remedy)


def _check_parameters(path, parameters):
    import papermill

    known = papermill.inspect_notebook(str(path))
    for name, value in parameters.items():
        where = f"parameter of {path.stem}"
        if name not in known:
            raise UnknownName.among(where, name, known, f"Known are {', '.join(known) or 'none'}.")
        declared = known[name]["inferred_type_name"]
        if not _fits(value, declared):
            remedy = f"It is declared as {name}: {declared}."
            raise ReportFailed(f"{where}, {name}", expected=declared, found=repr(value), remedy=remedy)


def _fits(value, declared):
    """Whether a value is of a declared type; a whole number is a float too, a truth value no number."""
    types = {"str": str, "int": int, "float": (int, float), "bool": bool}
    return declared not in types or (
        isinstance(value, types[declared]) and isinstance(value, bool) == (declared == "bool")
    )


@contextlib.contextmanager
def _environment(**values):
    old = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in old.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)
