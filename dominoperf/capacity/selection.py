"""The runs that a question is asked of, ours unless others are given, and what describes each."""

from collections.abc import Iterable

import pandas as pd

from dominoperf import tables
from dominoperf.capacity.families import level
from dominoperf.runs import benchmarks
from dominoperf.tables import rendering


def runs_of(data: pd.DataFrame | None, needed: Iterable[str], where: str) -> pd.DataFrame:
    """Return the frame of the runs, by default those of `benchmarks`; refuse one that lacks a column."""
    frame = benchmarks() if data is None else tables.read_table(data, where=f"{where}(data=...)")
    tables.check_columns(frame, needed, f"{where}(data=...)")
    return frame


def names(frame: pd.DataFrame) -> pd.Series:
    """Return what the rows of a frame are called: their run, else their number counting from 1.

    Examples
    --------
    >>> names(pd.DataFrame({"users": [600, 740]})).tolist()
    ['row 1', 'row 2']
    """
    if "run" in frame:
        return frame["run"].astype(str)
    return pd.Series([f"row {k + 1}" for k in range(len(frame))], index=frame.index, dtype=object)


def described(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that say which run a row is, and its users and CPU utilization."""
    columns = {"platform": "operating_system", "workload": "workload", "release_family": "domino_release"}
    of = {
        name: frame[column].map(lambda value, column=column: level(column, value)) for name, column in columns.items()
    }
    found = pd.DataFrame(
        {
            "run": names(frame),
            "source": texts(frame, "source"),
            "system": texts(frame, "system"),
            "platform": of["platform"],
            "workload": of["workload"],
            "domino_release": frame["domino_release"],
            "release_family": of["release_family"],
            "users": frame["users"].astype(float),
            "cpu_utilization_percent": frame["cpu_utilization_percent"].astype(float),
        }
    )
    return rendering.keep_printed(found, frame)


def texts(frame: pd.DataFrame, name: str) -> pd.Series | str:
    """Return a column as texts, "" where it is not there."""
    return frame[name].astype(str) if name in frame else ""
