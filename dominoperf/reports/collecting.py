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
_DECLARED = {"int": _INT, "float": _FLOAT, "str": _TEXT}
_ROWS = 50_000  # of a row group


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
            _look(found.setdefault(name, {}), *_records(text))
    for name, columns in found.items():
        _write(name, columns, runs, kinds, folder)
    return sorted(found)


def free(name, taken):
    """Give a name for a column beside those of the parameters."""
    while name in taken:
        name = f"table_{name}"
    return name


def _records(text):
    header, *rows = csv.reader(io.StringIO(text))
    return header, rows


def _look(columns, header, rows):
    """Remember the columns of a table, and the most general kind of cell in each."""
    for k, name in enumerate(header):
        columns[name] = max([columns.get(name, _EMPTY), *(_kind(row[k]) for row in rows)])


def _kind(text):
    if text == "":
        return _EMPTY
    return _INT if _WHOLE.fullmatch(text) else _FLOAT if _NUMBER.fullmatch(text) else _TEXT


def _write(name, columns, runs, kinds, folder):
    """Both files of a table."""
    import pyarrow.parquet

    types = {each: _DECLARED.get(kind, kind) for each, kind in kinds.items()}
    types |= {free(each, kinds): kind for each, kind in columns.items()}
    schema, rows = _schema(types), []
    with (
        open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as text,
        pyarrow.parquet.ParquetWriter(folder / f"{name}.parquet", schema) as parquet,
    ):
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(types)
        for values, read in runs:
            more = _rows(values, read().get(name), columns, kinds)
            lines.writerows([*_escaped(row[: len(kinds)]), *row[len(kinds) :]] for row in more)
            rows += more
            if len(rows) >= _ROWS:
                parquet.write_table(_table(rows, types, schema))
                rows = []
        parquet.write_table(_table(rows, types, schema))


def _rows(values, text, columns, kinds):
    """The rows of a run in all the columns; none where it has no such table."""
    if text is None:
        return []
    header, rows = _records(text)
    at = [header.index(name) if name in header else None for name in columns]
    first = [values.get(name) for name in kinds]
    return [[*first, *("" if k is None else row[k] for k in at)] for row in rows]


def _escaped(values):
    """Values of parameters as cells of a CSV file."""
    return [rendering.csv_cell(value) for value in values]


def _schema(types):
    import pyarrow

    arrow = {_INT: pyarrow.int64(), _FLOAT: pyarrow.float64(), "bool": pyarrow.bool_()}
    return pyarrow.schema([(name, arrow.get(kind, pyarrow.string())) for name, kind in types.items()])


def _table(rows, types, schema):
    """The rows of a group as an Arrow table, cells read as the kinds that the first pass found."""
    import pyarrow

    columns = zip(*rows, strict=True) if rows else [()] * len(types)
    read = {_INT: int, _FLOAT: float}
    made = [
        pyarrow.array([_cell(value, read.get(kind)) for value in column], field.type)
        for column, kind, field in zip(columns, types.values(), schema, strict=True)
    ]
    return pyarrow.Table.from_arrays(made, schema=schema)


def _cell(value, read):
    """A cell as Arrow takes it: nothing for an empty text, a number of the text of one."""
    if value is None or (value == "" and read):
        return None
    return read(value) if read else value
