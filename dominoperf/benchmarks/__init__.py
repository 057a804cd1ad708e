"""Parse printed text into one tidy row per run; named series of points for fits."""

from dominoperf.benchmarks.pairs import pairs, quoted, worded
from dominoperf.benchmarks.phases import steady_states
from dominoperf.benchmarks.reading import read_processor, step
from dominoperf.benchmarks.runs import COLUMNS, MEASURED, Value, benchmarks, prints, values
from dominoperf.benchmarks.scripts import script_share
from dominoperf.benchmarks.series import Series, find, named, series

__all__ = [
    "COLUMNS",
    "MEASURED",
    "Series",
    "Value",
    "benchmarks",
    "find",
    "named",
    "pairs",
    "prints",
    "quoted",
    "read_processor",
    "script_share",
    "series",
    "steady_states",
    "step",
    "values",
    "worded",
]
