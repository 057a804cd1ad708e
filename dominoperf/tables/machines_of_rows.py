"""Rows of load tests that are of several systems: by their names, or by the parts in which they differ."""

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.tables.headings import LOADS, THROUGHPUTS, columns_of_headings, possible_meaning
from dominoperf.tables.rendering import cell_text

PARTS = (
    "system", "nodes", "servers", "processors", "clock_mhz", "l2_kb", "ram_mb", "drives", "operating_system",
    "domino_release",
)  # fmt: skip
"""Columns by which systems differ, whose curves over a load are not one."""
_NAMES_TOLD = 5


def values_in_words(values: pd.Series) -> str:
    """Return how many different values a column has, and the first of them.

    Examples
    --------
    >>> values_in_words(pd.Series(["A", "A", "B"]))
    '2 (A, B)'
    """
    names = list(dict.fromkeys(map(cell_text, values)))
    return f"{len(names)} ({', '.join(names[:_NAMES_TOLD])}{', ...' * (len(names) > _NAMES_TOLD)})"


def several_systems(frame: pd.DataFrame, x: str, y: str) -> tuple[str, str] | None:
    """Return by which column the points of a table are of several curves, and its values in words; None if by none.

    Over a load no part of a system may differ; at one size no other part may, nor the load of a throughput. Of other
    laws, as of price, nothing is said: their points are of different machines.

    Examples
    --------
    >>> frame = pd.DataFrame({"host": ["A", "A", "B", "B"], "users": [1, 2, 1, 2], "tps": [10, 19, 20, 39]})
    >>> several_systems(frame, "users", "tps"), several_systems(frame[:2], "users", "tps")
    (('host', '2 (A, B)'), None)
    """
    try:
        columns, others = columns_of_headings(frame)
    except BadTable:  # two columns that mean the same
        return None
    meant = {name: possible_meaning(name) for name in others} | {column.source: column.name for column in columns}
    if meant.get(x, "") not in (*LOADS, *PARTS):
        return None
    points = frame[frame[x].notna() & frame[y].notna()]
    loads = LOADS if meant[x] in PARTS and meant.get(y) in THROUGHPUTS else ()
    for part in (*PARTS, *loads):
        for name in (name for name, meaning in meant.items() if meaning == part and name not in (x, y)):
            values = points[name].replace("", np.nan).dropna()
            if values.groupby(points[x]).nunique().max() > 1 or (meant[x] in LOADS and values.nunique() > 1):
                return name, values_in_words(values)
    return None
