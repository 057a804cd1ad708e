"""Run one notebook headlessly; save the tables that it makes."""

import contextlib
import json
import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from dominoperf import catalog, rendering
from dominoperf.errors import BadTable, ReportFailed, UnknownName

OUT = "DOMINOPERF_OUT"  # environment variable: where a notebook's tables go
_LONG = 200  # rows: a longer table is for machines, and is not written as Markdown
_NAME = "abcdefghijklmnopqrstuvwxyz0123456789_"


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


def home():
    """Give the folder of the notebooks: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent.parent / "_notebooks"
    return inside if inside.is_dir() else Path(__file__).parent.parent.parent / "notebooks"


def runs():
    """List the standard runs, in the order of ``runs.toml``."""
    listed = tomllib.loads((home() / "runs.toml").read_text(encoding="utf-8"))
    return [run for notebook, how in listed.items() for run in _runs_of(notebook, how)]


def save(table, name):
    """Save a result table of a notebook as ``name.csv`` and, unless it is long, as ``name.md``.

    Inside a run they go to the run's folder, elsewhere to ``runs/interactive`` under the current one. Numbers are
    written to six significant digits, so that another version of the arithmetic gives the same file.

    Parameters
    ----------
    table : DataFrame
    name : str
        Lower-case letters, digits and underscores.

    Returns
    -------
    rendering.Table
        Shows the table, so that a cell can save and show it; of a long one its first rows.

    Raises
    ------
    BadTable
        When the name could leave the folder.
    """
    if not name or set(name) - set(_NAME):
        remedy = "Use lower-case letters, digits and underscores."
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
        When a cell fails: the message names notebook, cell and error.
    """
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError

    path, out = _notebook(notebook), Path(out)
    _check_parameters(path, parameters or {})
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
        except (DeadKernelError, NoSuchKernel) as error:
            raise _failed(path.name, f"{type(error).__name__}: {error}") from error


def _failed(where, found):
    remedy = "Run the notebook in JupyterLab to see more."
    return ReportFailed(where, expected="the notebook to run to its end", found=found.rstrip("."), remedy=remedy)


def _runs_of(notebook, how):
    stem = notebook.partition("_")[2]
    if how.get("for_each") == "source":
        return [Run(f"{stem}_{source}", notebook, {"source": source}) for source in catalog.sources()["source"]]
    return [Run(stem, notebook, {})]


def _notebook(notebook):
    for path in (home() / f"{notebook}.ipynb", Path(notebook)):
        if path.is_file():
            return path
    known = sorted(path.stem for path in home().glob("*.ipynb"))
    raise UnknownName.among("notebook", str(notebook), known, f"Known are {', '.join(known)}.")


def _check_parameters(path, parameters):
    """Papermill only warns of a misspelt parameter and runs with the default: refuse before anything starts."""
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
