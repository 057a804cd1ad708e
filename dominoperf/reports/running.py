"""Run one notebook headlessly, within limits of time and output."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dominoperf.errors import BadTable, ReportFailed, as_python, names_its_keywords
from dominoperf.reports.notebooks import check_run, given_parameters
from dominoperf.reports.saving import OUT

LOOK = "Run the notebook in JupyterLab to see more."
MEMORY = "See what the cell keeps in memory; take smaller data, fewer --jobs, or a machine with more."
_LONG_ERROR = 1000  # characters: an error's text may be as long as the data


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
    def output_bytes(self) -> int:
        """The bound on output, in bytes."""
        return self.output_mb * 1_000_000


@names_its_keywords()
def run_notebook(
    notebook: str | os.PathLike,
    parameters: Mapping[str, Any] | None = None,
    *,
    out: str | os.PathLike,
    limits: Limits | None = None,
    on_cell: Callable[[int, int], object] = lambda number, of: None,
    warm: bool = False,
) -> None:
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
        raise BadTable("limits", expected="a Limits", found=as_python(limits), remedy=remedy)
    path, out = check_run(notebook, parameters), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    tags = [cell.get("metadata", {}).get("tags", []) for cell in cells]
    declared = next(index for index, of_cell in enumerate(tags) if "parameters" in of_cell)

    def number_of_cell(index):
        """The number of a cell in the file, from 1: below the declared parameters papermill puts a cell with values."""
        return index + 1 - (bool(parameters) and index > declared)

    mistakes = []  # errors of ours, told in words that say what to do
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
            number_of_cell=number_of_cell,
            on_cell=lambda number: on_cell(number, len(cells)),
            on_mistake=mistakes.append,
        )
    except papermill.PapermillExecutionError as error:
        cell = number_of_cell(error.cell_index)
        where = f"{path.name}, cell {cell}"
        if mistakes:
            (mistake,) = mistakes
            told = {"expected": mistake.expected, "found": mistake.found, "remedy": mistake.remedy}
            raise ReportFailed(f"{mistake.where} ({where})", **told, cell=cell) from mistake
        found = f"{error.ename}: {error.evalue}"
        found = (found if len(found) <= _LONG_ERROR else f"{found[:_LONG_ERROR]}…").rstrip(": ").removesuffix(".")
        expected, remedy = "the notebook to run to its end", MEMORY if error.ename.endswith("MemoryError") else LOOK
        raise ReportFailed(where, expected=expected, found=found, remedy=remedy, cell=cell) from error
