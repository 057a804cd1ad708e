"""Parquet of one's own, a batch of rows at a time."""

import contextlib

from dominoperf.errors import BadTable
from dominoperf.loadtests.readers import frames
from dominoperf.tables.reading import PARQUET


def read(source):
    """Read a Parquet file; columns are named and mapped as in CSV. `line` is the row, counting from 1."""
    with _opened(source) as file:
        columns = frames.chosen(source, file.schema_arrow.names)
    return frames.names(columns), frames.timed(source, columns, _rows(source, columns))


def recognises(head):
    """Tell by the four letters that every Parquet file begins with."""
    return head.start == PARQUET


@contextlib.contextmanager
def _opened(source):
    """The open file; one that is torn is told as such."""
    import pyarrow
    import pyarrow.parquet

    with source.open(compression=None) as bytes_:
        try:
            with pyarrow.parquet.ParquetFile(bytes_) as file:
                yield file
        except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:  # dates beyond the calendar's
            raise source.wrong(None, "a whole Parquet file", str(error).strip(), "Write it again.") from error


def _rows(source, columns):
    line = 0
    with _opened(source) as file:
        for batch in file.iter_batches(columns=[column.source for column in columns]):
            for values in batch.to_pylist():
                line += 1
                cells = {each.name: _value(source, line, each, values[each.source]) for each in columns}
                yield cells | {"line": line}


def _value(source, line, column, value):
    """A value that is missing stays so."""
    if column.factor is None:
        return value.isoformat() if hasattr(value, "isoformat") else None if value is None else str(value)
    try:
        return float("nan") if value is None else float(value) * column.factor
    except (TypeError, ValueError) as error:
        expected, remedy = f"a number in column {column.source!r}", "Write the column as numbers."
        raise BadTable(f"{source.path}, row {line}", expected=expected, found=repr(value), remedy=remedy) from error
