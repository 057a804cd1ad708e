"""Parse printed text into one tidy row per run; named series of points for fits."""

from dominoperf.benchmarks.changes import (
    local_exponents,
    memory_for,
    pair_changes,
    response_by_memory,
    stated_ratios,
    table_ratios,
)
from dominoperf.benchmarks.pairs import pairs, quoted, worded
from dominoperf.benchmarks.phases import steady_states
from dominoperf.benchmarks.reading import read_processor, step
from dominoperf.benchmarks.runs import COLUMNS, MEASURED, Value, benchmarks, prints, table_of, values
from dominoperf.benchmarks.scripts import script_share
from dominoperf.benchmarks.series import Series, find, named, read_own, series

__all__ = [
    "COLUMNS",
    "MEASURED",
    "Series",
    "Value",
    "benchmarks",
    "find",
    "local_exponents",
    "memory_for",
    "named",
    "pair_changes",
    "pairs",
    "prints",
    "quoted",
    "read_own",
    "read_processor",
    "response_by_memory",
    "script_share",
    "series",
    "stated_ratios",
    "steady_states",
    "step",
    "table_of",
    "table_ratios",
    "values",
    "worded",
]
