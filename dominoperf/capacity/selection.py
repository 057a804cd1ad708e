"""The runs that a question is asked of, ours unless others are given, and what describes each."""

import pandas as pd

from dominoperf import tables
from dominoperf.capacity import families
from dominoperf.runs import benchmarks
from dominoperf.tables import rendering


def runs_of(data, needed, where):
    """Give the frame of the runs, by default those of `benchmarks`; refuse one that lacks a column."""
    frame = benchmarks() if data is None else tables.read_table(data, where=f"{where}(data=...)")
    tables.check_columns(frame, needed, f"{where}(data=...)")
    return frame


def names(frame):
    """Give what the rows of a frame are called: their run, else their number counting from 1."""
    if "run" in frame:
        return frame["run"].astype(str)
    return pd.Series([f"row {k + 1}" for k in range(len(frame))], index=frame.index, dtype=object)


def described(frame):
    """Give the columns that say which run a row is, and its users and CPU utilization."""
    found = pd.DataFrame(
        {
            "run": names(frame),
            "source": texts(frame, "source"),
            "system": texts(frame, "system"),
            "platform": frame["operating_system"].map(families.platform),
            "workload": frame["workload"].map(families.workload),
            "domino_release": frame["domino_release"],
            "release_family": frame["domino_release"].map(families.release),
            "users": frame["users"].astype(float),
            "cpu_utilization_percent": frame["cpu_utilization_percent"].astype(float),
        }
    )
    return rendering.keep_printed(found, frame)


def texts(frame, name):
    """Give a column as texts, empty ones where it is not there."""
    return frame[name].astype(str) if name in frame else ""
