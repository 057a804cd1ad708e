"""The one reader of tables that somebody brings: CSV, TSV, Parquet, a URL or a frame becomes a pandas frame."""

import io
import os

import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.tables.opening import read_bytes
from dominoperf.tables.sheets import read_sheet
from dominoperf.tables.unit_signs import with_units

PARQUET = b"PAR1"
"""What every Parquet file begins with."""
ANY = "a DataFrame, or the path or URL of a CSV, TSV or Parquet file"
"""What is expected where a table is given, in the words of a message."""


def read_table(data, *, texts=(), mixed=False, where="data"):
    """Return any table as a frame: whatever takes a table takes it through here.

    A text file has commas, semicolons or tabs between its cells, told from the cells, and a header. Numbers may have a
    decimal point or comma, thousands apart (``1,234.5``, ``1.234,5``, ``1'234``), an exponent (``3.2e3``) and a unit
    (``44 %``), as long as all cells of a column can be told (`dominoperf.tables.sheets`). It is in UTF-8, UTF-16 or
    Windows-1252, and may be packed (``.gz``, ``.bz2``, ``.xz``).

    Parameters
    ----------
    data : DataFrame, path or URL
        A frame is returned as it is; one of another library (Polars, Arrow) is converted by its ``to_pandas``.
    texts : collection of str
        Columns of a text file that are texts, whatever they look like; types of Parquet and frames stay.
    mixed : bool
        Whether a column may have words among its numbers; else one word makes it a column of texts.
    where : str
        What messages call the argument.

    Returns
    -------
    DataFrame
        Columns of numbers as numbers (whole ones written in plain digits as integers), NaN where a cell stands for
        nothing (``n/a``, ``-``, an empty one); the others as text.

    Raises
    ------
    BadTable
        When it is no table, cannot be read, or a cell may be two numbers: with line and column, what was expected,
        what was found and what to do.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "runs.csv"
    >>> _ = path.write_text("machine;users;response_s\\nA;100;0,25\\nB;1.200;0,5\\n")
    >>> read_table(path)
      machine   users  response_s
    0       A   100.0        0.25
    1       B  1200.0        0.50
    """
    if isinstance(data, pd.DataFrame):
        return data
    if hasattr(data, "to_pandas"):
        return data.to_pandas()
    if not isinstance(data, (str, os.PathLike)):
        remedy = "Give one of these."
        raise BadTable(where, expected=ANY, found=type(data).__name__, remedy=remedy)
    content = read_bytes(data)
    if content.startswith(PARQUET):
        return read_parquet(data, content).to_pandas()
    return with_units(read_sheet(data, content)).frame(texts=texts, mixed=mixed)


def read_parquet(path, content):
    """Return the Arrow table of the bytes of a Parquet file; messages call it `path`.

    Raises
    ------
    BadTable
        When it is torn, or holds what cannot be read.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, ValueError, OSError, OverflowError) as error:
        found = str(error).strip().partition("\n")[0]
        raise BadTable(str(path), expected="a whole Parquet file", found=found, remedy="Write it again.") from error
