"""Run one notebook headlessly; save the tables that it makes."""

import contextlib
import json
import os
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, ReportFailed, UnknownName
from dominoperf.reports import parameters as declarations
from dominoperf.study.missing import Missing
from dominoperf.tables import doubts, rendering
from dominoperf.tables.validating import validate

LOOK = "Run the notebook in JupyterLab to see more."
MEMORY = "See what the cell keeps in memory; take smaller data, fewer --jobs, or a machine with more."
OUT = "DOMINOPERF_OUT"  # environment variable: where a notebook's tables go
_MISTAKES = {kind.__name__ for kind in DominoperfError.__subclasses__()}  # told in words that say what to do
_LONG = 200  # rows: a longer table is for machines, and is not written as Markdown
_LONG_ERROR = 1000  # characters: an error's text may be as long as the data
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")  # a folder's name may be part of it


@dataclass(frozen=True)
class Limits:
    """What a notebook may take: seconds for each cell, and megabytes of output in all.

    Output is counted as it comes, so that memory does not grow with what a notebook prints. A megabyte is 10⁶ bytes,
    and `MESSAGE_BYTES` are counted for each output beside its text, which is about what it takes to keep one.
    """

    cell_s: int = 600
    output_mb: int = 20

    MESSAGE_BYTES = 500

    @property
    def output_bytes(self):
        """The bound on output, in bytes."""
        return self.output_mb * 1_000_000


@dataclass(frozen=True)
class Run:
    """One run of a notebook: its name, the notebook's stem, the parameters that differ from the defaults.

    ``given`` are those of them that somebody chose for this one time; the run list knows nothing of them.
    """

    name: str
    notebook: str
    parameters: dict
    given: dict = field(default_factory=dict)
    first: bool = False  # takes so long that it begins before the others

    @property
    def title(self):
        """What a page calls it: the document it is about, or the question that heads the notebook."""
        if "source" in self.parameters:
            return tables.document(self.parameters["source"])["title"]
        first = json.loads(find(self.notebook).read_text(encoding="utf-8"))["cells"][0]
        return "".join(first["source"]).splitlines()[0].removeprefix("# ")

    @property
    def data(self):
        """What the command that makes it again needs beside the name: values, and a data folder not ours."""
        values = "".join(f" -p {name} {shlex.quote(str(value))}" for name, value in self.given.items())
        return values + ("" if self.is_ours else f" --data {self.parameters['source']}")

    @property
    def is_ours(self):
        """Whether it is about one of our documents, or about none."""
        source = self.parameters.get("source")
        return source is None or (tables.home() / source) in tables.ours()


def home():
    """Return the folder of the notebooks: inside an installed package, or beside it in a checkout."""
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
    validate("runs", listed, path.name)
    return [run for notebook, how in listed.items() for run in _runs_of(notebook, how)]


def save(table, name, *, show=None):
    """Save a result table of a notebook as ``name.csv`` and, unless it is long, as ``name.md``.

    Inside a run they go to the run's folder, elsewhere to ``runs/interactive`` under the current one. Numbers are
    written to six significant digits, so that another version of the arithmetic gives the same file.

    Parameters
    ----------
    table : DataFrame or Missing
        Of results; its index is left out. What is missing is not saved.
    name : str
        Letters, digits, - _ and ., not first a point.
    show : list of str, optional
        The columns that the page shows, where all that are saved would be too wide for it.

    Returns
    -------
    rendering.Table
        Shows the table, so that a cell can save and show it; of a long one its first rows. Of one that is missing, why.

    Raises
    ------
    BadTable
        When the name could leave the folder.
    """
    if not _NAME.fullmatch(name):
        remedy = "Use letters, digits, underscores, hyphens and points."
        raise BadTable("save(table, name)", expected="a plain name", found=repr(name), remedy=remedy)
    if isinstance(table, Missing):
        return table
    folder = Path(os.environ.get(OUT) or Path("runs") / "interactive")
    folder.mkdir(parents=True, exist_ok=True)
    short, shown = rendering.rounded(table), table
    if show is not None:
        shown = doubts.hand_on(table[show], doubts.within(table, *show))  # whose runs may not be shown
    rendering.replace_file(folder / f"{name}.csv", rendering.as_csv(short))
    if len(table) > _LONG:
        note = f"The first {_LONG} of {len(table)} rows; all of them are in {name}.csv."
        return rendering.Table(shown.head(_LONG), headings=tables.meanings(), note=note)
    rendering.replace_file(folder / f"{name}.md", rendering.as_markdown(short))
    return rendering.Table(shown, headings=tables.meanings())


def run_notebook(
    notebook, parameters=None, *, out, limits=None, on_cell=lambda number, of: None, warm=False, turn=None
):
    """Run one notebook through papermill into a folder; several at once in threads, if need be.

    Parameters
    ----------
    notebook : str
        Stem of a notebook of ours, or a path.
    parameters : dict, optional
        Values for its tagged parameters; checked before a kernel starts.
    out : path
        Gets ``executed.ipynb`` and the tables that the notebook saves.
    limits : Limits, optional
        Seconds for each cell and megabytes of output; by default 600 and 20.
    on_cell : callable
        Called before each cell with its number and the number of cells.
    warm : bool
        Fork the kernel from a process that has loaded what notebooks import: quicker, where many are run.
    turn : context manager, optional
        Held while the cells are run: a semaphore lets few notebooks be at work, while more kernels come up or end.

    Raises
    ------
    UnknownName
        When the notebook or one of the parameters does not exist.
    ReportFailed
        When the file is no notebook with a cell tagged ``parameters``, a cell fails or takes too long, the output is
        too much, or the kernel dies: the message names notebook, cell and error.
    """
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel

    from dominoperf.reports.client import ENGINE
    from dominoperf.reports.kernels import managed

    path, out = check_run(notebook, parameters or {}), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    cells = len(json.loads(path.read_text(encoding="utf-8"))["cells"]) + bool(parameters)  # papermill puts one in
    try:
        papermill.execute_notebook(
            str(path),
            str(out / "executed.ipynb"),
            parameters=parameters or {},
            engine_name=ENGINE,
            limits=limits or Limits(),
            turn=turn or contextlib.nullcontext(),
            progress_bar=False,
            kernel_name="python3",
            language="python",
            kernel_manager_class=managed({OUT: str(out.resolve())}, warm=warm),
            record_timing=False,
            store_widget_state=False,
            on_cell_start=lambda cell, cell_index: on_cell(cell_index + 1, cells),
        )
    except papermill.PapermillExecutionError as error:
        mistake = error.ename in _MISTAKES
        raise _failed(f"{path.name}, cell {error.cell_index}", error.ename, error.evalue, mistake) from error
    except (RuntimeError, NoSuchKernel) as error:  # a kernel that died, on its way up or later
        raise _failed(path.name, type(error).__name__, str(error)) from error


def _failed(where, name, told, mistake=False):
    """The error for a notebook that stopped with one; a mistake that our own words explain is told in them."""
    found = told if mistake else f"{name}: {told}"
    found = (found if len(found) <= _LONG_ERROR else f"{found[:_LONG_ERROR]}…").rstrip(".: ")
    if mistake:
        remedy = "Mend that, then run again."
        return ReportFailed(where, expected="input that it can use", found=f"this: {found}", remedy=remedy)
    remedy = MEMORY if name.endswith("MemoryError") else LOOK
    return ReportFailed(where, expected="the notebook to run to its end", found=found, remedy=remedy)


def _runs_of(notebook, how):
    stem = notebook.partition("_")[2]
    first = how.get("first", False)
    if "for_each" in how:
        sources = tables.sources()["source"]
        return [Run(f"{stem}_{source}", notebook, {"source": source}, first=first) for source in sources]
    return [Run(stem, notebook, {}, first=first)]


def find(notebook):
    """Return the path of a notebook, of ours by its stem, or any by its path."""
    for path in (home() / f"{notebook}.ipynb", Path(notebook)):
        if path.is_file():
            return path
    known = sorted(path.stem for path in home().glob("*.ipynb"))
    raise UnknownName.among("notebook", str(notebook), known, f"Known are {', '.join(known)}.")


def check_run(notebook, parameters):
    """Return a notebook's path; refuse what cannot run before anything starts.

    Papermill only warns of a missing tag or a misspelt parameter, and runs with the defaults.
    """
    path = find(notebook)
    declarations.check(path, parameters)
    return path
