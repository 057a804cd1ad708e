"""Run one notebook headlessly; save the tables that it makes."""

import functools
import itertools
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, DominoperfError, ReportFailed
from dominoperf.reports import provenance
from dominoperf.reports.missing import Missing
from dominoperf.reports.notebooks import check_run, given_parameters
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.columns import check_columns, column_names

LOOK = "Run the notebook in JupyterLab to see more."
MEMORY = "See what the cell keeps in memory; take smaller data, fewer --jobs, or a machine with more."
OUT = "DOMINOPERF_OUT"  # environment variable: where a notebook's tables go
_MISTAKES = {kind.__name__ for kind in DominoperfError.__subclasses__()}  # told in words that say what to do
_LONG = 200  # rows: a longer table is for machines, and is not written as Markdown
_LONG_ERROR = 1000  # characters: an error's text may be as long as the data
_PLAIN = r"[A-Za-z0-9_][A-Za-z0-9_.-]*"  # a data folder's name may be part of it
_MADE_WITH = ".parameters.json"  # in a folder of tables: how papermill was called
_NAME = re.compile(rf"({_PLAIN}/)?{_PLAIN}")


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


def save(table, name, *, show=None, computed_from=()):
    """Save a result table of a notebook as ``name.csv`` and, unless it is long, as ``name.md``.

    What it stands on is said by its column ``locator``, row by row, or by `computed_from`: below the table, and in
    ``name.resource.json``, which describes the CSV file as a data resource (Frictionless Data Package).

    Inside a run they go to the run's folder. Where ``papermill in.ipynb out.ipynb`` runs a notebook they go beside
    ``out.ipynb``, to the folder ``out_tables``; elsewhere to ``runs/interactive`` under the current one. Numbers are
    written to six significant digits, so that another version of the arithmetic gives the same file.

    Parameters
    ----------
    table : DataFrame or Missing
        Of results; its index is left out. What is missing is not saved.
    name : str
        Letters, digits, - _ and ., not first a point. With a folder before it, ``my_runs/scaling``, it is one of
        many alike, and gets no Markdown.
    show : list of str, optional
        The columns that the page shows, where all that are saved would be too wide for it. Without a column
        ``locator`` among them, the place of a row is shown over it, and the site links it.
    computed_from : str, path or list of them
        What the numbers are computed from, as for `provenance.origins`: tables, series, documents, ``benchmarks``,
        ``claims``, ``errata``, files, or tables saved before.

    Returns
    -------
    rendering.Table
        Shows the table, so that a cell can save and show it; of a long one its first rows. Of one that is missing, why.

    Raises
    ------
    BadTable
        When the name could leave the folder, or nothing says what the table stands on.
    UnknownName
        When `computed_from` names what is not there.
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        remedy = "Use letters, digits, underscores, hyphens and points, with one folder before them if need be."
        raise BadTable("save(table, name)", expected="a plain name", found=repr(name), remedy=remedy)
    if isinstance(table, Missing):
        return table
    if not isinstance(table, pd.DataFrame):
        remedy = "Give a frame; of a result its tidy()."
        raise BadTable("save(table, name)", expected="a DataFrame", found=type(table).__name__, remedy=remedy)
    if "locator" not in table and isinstance(computed_from, (str, list, tuple)) and not computed_from:
        expected = "what the numbers are computed from: a column locator, or computed_from"
        remedy = 'Give computed_from="smp_mail", say: a table, series, document, data file, or Path of yours.'
        raise BadTable(f"save(table, {name!r})", expected=expected, found="neither", remedy=remedy)
    if show is not None:
        show = column_names(show, "save(show=...)")
        check_columns(table, show, "the table")
    folder = Path(os.environ.get(OUT) or _papermill_tables_folder() or Path("runs", "interactive"))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    sources = provenance.origins_of_table(computed_from, folder)
    about_table = {
        "name": name,
        "headings": tables.meanings(),
        "computed_from": tuple((origin.name, origin.words) for origin in sources),
    }
    if "locator" in table:
        table = table.assign(locator=_full_places(table))
    short, shown = rendering.rounded(table), table
    if show is not None:
        used = carried_errata.columns_used(table, *show)  # whose runs may not be shown
        shown = carried_errata.propagate(table[show], used)
    if "locator" in table and "locator" not in shown:
        about_table["locators"] = tuple(table["locator"])
    rendering.replace_file(folder / f"{name}.csv", rendering.as_csv(short))
    about = provenance.resource_of_saved_table(name, table, sources)
    rendering.replace_file(folder / f"{name}{provenance.SIDECAR}", json.dumps(about, ensure_ascii=False))
    if len(table) > _LONG:
        note = f"The first {_LONG} of {len(table)} rows; all of them are in {name}.csv."
        return rendering.Table(shown.head(_LONG), note=note, **about_table)
    if "/" not in name:
        rendering.replace_file(
            folder / f"{name}.md", rendering.as_markdown(short) + provenance.origins_as_markdown(sources)
        )
    return rendering.Table(shown, **about_table)


def _full_places(table):
    """The place of each row with the title of its document, which its source or the id of its table names."""
    titles = tables.sources().set_index("source")["title"].to_dict()
    of_row = table["source"] if "source" in table else table["id"] if "id" in table else [""] * len(table)
    places = []
    for place, source in zip(table["locator"], of_row, strict=True):
        title = titles.get(str(source).partition("/")[0], "")
        if isinstance(place, str) and place and title and not place.startswith(tuple(titles.values())):
            place = "; ".join(f"{title}, {part}" for part in place.split("; "))
        places.append(place)
    return places


@functools.cache
def _papermill_tables_folder():
    """Where tables go when papermill's own command started this kernel: a folder for each output; None elsewhere.

    The kernel is told of the output only with ``--inject-output-path``; else it stands in the command of its parent.
    An output that is made again with other parameters gets a further folder, so that no table is lost.
    """
    import psutil  # a part of ipykernel, which runs the kernel

    try:
        parent = psutil.Process().parent()
        words, folder = (parent.cmdline(), Path(parent.cwd())) if parent else ([], Path())
    except psutil.Error:  # it has ended, or is another user's
        return None
    notebooks = [word for word in words if word.endswith(".ipynb")]
    if len(notebooks) != 2 or not any(Path(word).stem == "papermill" for word in words):
        return None
    output = folder / notebooks[1]
    given = [word for word in words[words.index(notebooks[1]) + 1 :] if not word.endswith("progress-bar")]
    files = [path.read_text(encoding="utf-8") for word in given if (path := folder / word).is_file()]
    parameters = json.dumps([notebooks[0], *given, *files], ensure_ascii=False)
    endings = itertools.chain([""], map("_{}".format, itertools.count(2)))
    folders = (output.with_name(f"{output.stem}_tables{ending}") for ending in endings)
    said = lambda folder: (folder / _MADE_WITH).read_text("utf-8") if (folder / _MADE_WITH).exists() else None  # noqa: E731
    made = next(folder for folder in folders if not folder.exists() or said(folder) == parameters)
    made.mkdir(parents=True, exist_ok=True)
    (made / _MADE_WITH).write_text(parameters, encoding="utf-8")
    return made


def run_notebook(notebook, parameters=None, *, out, limits=None, on_cell=lambda number, of: None, warm=False):
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

    Raises
    ------
    UnknownName
        When the notebook or one of the parameters does not exist.
    ReportFailed
        When the file is no notebook with a cell tagged ``parameters``, a cell fails or takes too long, the output is
        too much, or the kernel dies: the message names notebook, cell and error.
    """
    import papermill

    from dominoperf.reports.execution import ENGINE

    parameters = given_parameters(parameters)
    if not (limits is None or isinstance(limits, Limits)):
        remedy = "Give reports.Limits(cell_s=..., output_mb=...), or leave it out."
        raise BadTable("limits", expected="a Limits", found=repr(limits), remedy=remedy)
    path, out = check_run(notebook, parameters), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    cells = len(json.loads(path.read_text(encoding="utf-8"))["cells"]) + bool(parameters)  # papermill puts one in
    try:
        papermill.execute_notebook(
            str(path),
            str(out / "executed.ipynb"),
            parameters=parameters,
            engine_name=ENGINE,
            limits=limits or Limits(),
            progress_bar=False,
            kernel_name="python3",
            language="python",
            variables={OUT: str(out.resolve())},
            warm=warm,
            on_cell=lambda number: on_cell(number, cells),
        )
    except papermill.PapermillExecutionError as error:
        mistake = error.ename in _MISTAKES
        found = error.evalue if mistake else f"{error.ename}: {error.evalue}"
        found = (found if len(found) <= _LONG_ERROR else f"{found[:_LONG_ERROR]}…").rstrip(".: ")
        expected, remedy = "the notebook to run to its end", MEMORY if error.ename.endswith("MemoryError") else LOOK
        if mistake:
            expected, found, remedy = "input that it can use", f"this: {found}", "Mend that, then run again."
        where = f"{path.name}, cell {error.cell_index}"
        raise ReportFailed(where, expected=expected, found=found, remedy=remedy) from error
