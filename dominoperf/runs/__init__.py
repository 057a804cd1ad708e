"""One tidy row per benchmark run of any data folder; named series of points for fits."""

from dominoperf.runs.reading import read_processor, step
from dominoperf.runs.series import Series, find, named, read_own, series
from dominoperf.runs.tidy import COLUMNS, MEASURED, Value, benchmarks, prints, values

__all__ = [
    "COLUMNS",
    "MEASURED",
    "Series",
    "Value",
    "benchmarks",
    "find",
    "named",
    "prints",
    "read_own",
    "read_processor",
    "series",
    "step",
    "values",
]
