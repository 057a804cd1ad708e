"""The tables of many runs as one: a CSV and a Parquet file a table, the parameters of each run in the first columns.

Two passes, a run at a time: the first finds the columns and whether they hold numbers, the second writes. Memory does
not grow with the number of runs.
"""

import csv
import io
import re

from dominoperf.tables import rendering

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?|-?inf")  # as Python writes them
_EMPTY, _INT, _FLOAT, _TEXT = range(4)
_NAMES = {_EMPTY: "str", _INT: "int", _FLOAT: "float", _TEXT: "str"}
ROWS = 50_000  # of a row group


def collect(runs, kinds, folder):
    """Write the tables of runs, in the order of the runs, into a folder.

    Parameters
    ----------
    runs : list
        Of pairs: the values of a run, and a function that gives its tables, name to the text of a CSV file.
    kinds : dict
        Name of each parameter to its declared type.
    folder : Path

    Returns
    -------
    list of str
        Names of the tables.

    Notes
    -----
    A column is of whole numbers or of numbers where all its cells in all runs are, else text; an empty cell is null.
    A column of a table that is called as a parameter becomes ``table_<name>``.
    """
    found = {}
    for _, read in runs:
        for name, text in read().items():
            header, *rows = csv.reader(io.StringIO(text))
            columns = found.setdefault(name, {})
            for k, column in enumerate(header):
                columns[column] = max([columns.get(column, _EMPTY), *(_kind(row[k]) for row in rows)])
    for name, columns in found.items():
        _write(name, columns, runs, kinds, folder)
    return sorted(found)


def free(name, taken):
    """Return a name for a column beside those of the parameters."""
    while name in taken:
        name = f"table_{name}"
    return name


def _kind(text):
    if text == "":
        return _EMPTY
    return _INT if _WHOLE.fullmatch(text) else _FLOAT if _NUMBER.fullmatch(text) else _TEXT


def _write(name, columns, runs, kinds, folder):
    """Write both files of a table."""
    import pyarrow
    import pyarrow.parquet

    types = kinds | {free(each, kinds): _NAMES[kind] for each, kind in columns.items()}
    arrow = {"int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_()}
    schema, rows = pyarrow.schema([(each, arrow.get(kind, pyarrow.string())) for each, kind in types.items()]), []

    def flush():
        """Write the rows as a group; an empty text is null where the column has numbers."""
        arrays = []
        for k, (kind, field) in enumerate(zip(types.values(), schema, strict=True)):
            column = [row[k] for row in rows]
            if kind in ("int", "float"):
                number = int if kind == "int" else float
                column = [None if value in (None, "") else number(value) for value in column]
            arrays.append(pyarrow.array(column, field.type))
        parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
        rows.clear()

    with (
        open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as text,
        pyarrow.parquet.ParquetWriter(folder / f"{name}.parquet", schema) as parquet,
    ):
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(types)
        for values, read in runs:
            first = [values.get(each) for each in kinds]
            for row in csv.DictReader(io.StringIO(read().get(name, ""))):
                rows.append([*first, *(row.get(column, "") for column in columns)])
                lines.writerow([*map(rendering.csv_cell, first), *rows[-1][len(first) :]])
            if len(rows) >= ROWS:
                flush()
        flush()
