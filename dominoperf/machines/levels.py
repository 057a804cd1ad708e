"""The runs that a question is asked of, and what describes each: the levels of its platform, workload and release."""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.machines.parts import NUMBERS, TEXTS
from dominoperf.runs import benchmarks
from dominoperf.runs.printed_text import latin_letters
from dominoperf.tables import rendering
from dominoperf.tables.columns import check_columns
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.reading import numbers_of_column


def benchmark_runs(data: pd.DataFrame | None, needed: Iterable[str], where: str) -> pd.DataFrame:
    """Return the runs with their names, by default those of `benchmarks`; refuse a frame that lacks a column."""
    frame = benchmarks() if data is None else tables.read_table(data, where=f"{where}(data=...)")
    check_columns(frame, needed, f"{where}(data=...)")
    return frame.assign(run=run_names(frame))  # before rows are left out: row 3 stays row 3


def run_names(frame: pd.DataFrame) -> pd.Series:
    """Return what the rows of a frame are called: their run, else their number counting from 1."""
    if "run" in frame:
        return frame["run"].astype(str)
    return pd.Series([f"row {k + 1}" for k in range(len(frame))], index=frame.index, dtype=object)


def columns_of_run(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that say which run a row is, and its users and CPU utilization."""
    columns = {
        "run": frame["run"],
        "source": texts_of_column(frame, "source"),
        "system": texts_of_column(frame, "system"),
    }
    columns["platform"] = [level_of_printed_cell("operating_system", text) for text in frame["operating_system"]]
    columns["workload"] = [level_of_printed_cell("workload", text) for text in frame["workload"]]
    columns["domino_release"] = frame["domino_release"]
    columns["release_family"] = [level_of_printed_cell("domino_release", text) for text in frame["domino_release"]]
    columns |= {name: frame[name].astype(float) for name in ("users", "cpu_utilization_percent")}
    return rendering.keep_printed_forms(pd.DataFrame(columns, index=frame.index), frame)


def texts_of_column(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column as texts: "" in a blank cell, and everywhere where the column is not there."""
    if name not in frame:
        return pd.Series("", frame.index, dtype=str)
    cells = frame[name].astype(object)
    return cells.where(cells.notna(), "").astype(str)


def cells_that_are_no_number(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return which cells of a column have something that is no number; a blank one has nothing."""
    blank = [not rendering.cell_text(cell).strip() for cell in frame[name]]
    return numbers_of_column(frame, name).isna() & ~np.array(blank, dtype=bool)


def level_of_printed_cell(column: str, value: object) -> str:
    """Return the level of a printed cell: its family, else its own text; "" where nothing is printed.

    The families of a column are those of ``data/families.toml``. A release is known by its first two numbers, "" where
    it has none; a width in bits before its name is no number of it.

    Examples
    --------
    >>> [level_of_printed_cell("operating_system", text) for text in ("Windows 2000 Advanced Server", "BeOS 5")]
    ['Windows 2000', 'BeOS 5']
    >>> releases = ("R5.0.10", "Domino 6", "32-bit Domino 8.0.1", "starter pack")
    >>> [level_of_printed_cell("domino_release", text) for text in releases]
    ['5.0', '6', '8.0', '']
    """
    text = rendering.cell_text(value).strip()
    if column == "domino_release":
        version = re.search(r"\d+(\.\d+)?", re.sub(r"\d+-bit", "", text))
        return version[0] if version else ""
    families = our_toml_file("families.toml").get(column, {})
    text = latin_letters(text) if families else text
    return next((name for name, form in families.items() if re.search(form, text, re.IGNORECASE)), text)


def spelt_as_known(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return names as the known ones are spelt that differ from them in case alone; the others as they are."""
    by_lower_case = {name.casefold(): name for name in known}
    return [by_lower_case.get(name.casefold(), name) for name in names]


def machine_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of NUMBERS and TEXTS of a frame: numbers as they are, texts as levels, "" where unknown."""
    cells = {name: numbers_of_column(frame, name) for name in NUMBERS}
    for name in TEXTS:
        column = frame[name] if name in frame else pd.Series(np.nan, frame.index, dtype=object)
        codes, distinct = pd.factorize(column)  # of a large frame each text is read once
        levels = [system_model(text) if name == "system" else level_of_printed_cell(name, text) for text in distinct]
        cells[name] = pd.Series(np.array([*levels, ""], dtype=object)[codes], frame.index, dtype=object)
    return pd.DataFrame(cells, index=frame.index)


def system_model(name: object) -> str:
    """Return the model of a system as printed: its name without the vendor and without what it is fitted with.

    Examples
    --------
    >>> system_model("Compaq ProLiant 5000 P6/200- 512 Model 1- X 2P"), system_model("my server"), system_model(pd.NA)
    ('ProLiant 5000', 'my server', '')
    """
    text = rendering.cell_text(name).strip()
    match = re.match(our_toml_file("capacity.toml")["model"]["system_model"], text)
    return match[1] if match else text
