"""Parquet of one's own, a batch of rows at a time."""

from dominoperf.errors import BadTable
from dominoperf.ingest import tables


def read(source):
    """Read a Parquet file; columns are named and mapped as in CSV. `line` is the row, counting from 1."""
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(source.open(compression=None))
    except pyarrow.ArrowException as error:
        raise source.wrong(None, "a whole Parquet file", str(error).splitlines()[0], "Write it again.") from error
    columns = tables.chosen(source, file.schema_arrow.names)
    return tables.names(columns), tables.timed(source, columns, _rows(source, file, columns))


def recognises(head):
    """Tell by the four letters that every Parquet file begins with."""
    return head.start == b"PAR1"


def _rows(source, file, columns):
    line = 0
    with file:
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
