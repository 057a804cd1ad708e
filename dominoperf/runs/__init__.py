"""One tidy row per benchmark run of any data folder; named series of points for fits."""

from dominoperf.runs.printed_text import read_processor, step_of_digits
from dominoperf.runs.series import Series, find, list_series, read_own_series, series, series_names
from dominoperf.runs.tidy_runs import COLUMNS, MEASURED, Value, benchmarks, prints, table_of, values

__all__ = [
    "COLUMNS",
    "MEASURED",
    "Series",
    "Value",
    "benchmarks",
    "find",
    "list_series",
    "prints",
    "read_own_series",
    "read_processor",
    "series",
    "series_names",
    "step_of_digits",
    "table_of",
    "values",
]
