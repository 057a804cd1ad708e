"""The one reader of tables that somebody brings: a path, a URL or a frame becomes a pandas frame.

The bytes come first, wherever they lie, packed or not; then the text, in the encodings that programs write. What the
cells of a text say is read by `dominoperf.tables.sheets`.
"""

import codecs
import contextlib
import io
import os
import urllib.error
import urllib.request

import pandas as pd

from dominoperf.errors import BadTable, did_you_mean, system_reason
from dominoperf.tables.columns import OF_ITS_ROW, column_names, units
from dominoperf.tables.packed import BROKEN, STDIN, compression, member_of, open_member, standard_input, unpacked
from dominoperf.tables.sheets import check_sign, read_sheet

PARQUET = b"PAR1"
"""What every Parquet file begins with."""
ANY = "a DataFrame, or the path or URL of a CSV, TSV or Parquet file"
"""What is expected where a table is given, in the words of a message."""
WEB = ("http://", "https://")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WAIT_S = 60  # for a server that does not answer
_PLACES = "a path, or a URL such as file:///data/runs.csv or https://example.org/runs.csv"


def read_table(data, *, texts=(), mixed=False, where="data"):
    """Return any table as a frame: whatever takes a table takes it through here.

    A text file has commas, semicolons or tabs between its cells, told from the cells, and a header. Numbers may have a
    decimal point or comma, thousands apart (``1,234.5``, ``1.234,5``, ``1'234``), an exponent (``3.2e3``) and a unit
    (``44 %``), as long as all cells of a column can be told (`dominoperf.tables.sheets`). It is in UTF-8, UTF-16 or
    Windows-1252, and may be packed (gzip, bzip2, xz, zstd), a member of a zip or tar archive (``runs.zip/c4.csv``), or
    come from standard input (``-``).

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
        When it is no table, cannot be read, a cell may be two numbers, or a number carries the sign of another unit
        than that of its column: with line and column, what was expected, what was found and what to do.

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
    texts = column_names(texts, "texts")
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
    sheet = read_sheet(data, decoded(content, str(data)))
    for name, cells in sheet.columns.items():  # 44 % in a column of shares would be wrong by a factor of a hundred
        unit = units().get(name.strip(), OF_ITS_ROW[0])
        for line, cell in zip(sheet.lines, cells, strict=True) if unit not in OF_ITS_ROW else ():
            check_sign(f"{sheet.path}, line {line}", name, cell, unit)
    return sheet.frame(texts=texts, mixed=mixed)


def lines_of(place):
    """Return the line where each row of a text file begins; none of a Parquet file, or what cannot be read again."""
    try:
        content = read_bytes(place)
        return [] if content.startswith(PARQUET) else read_sheet(place, decoded(content, str(place))).lines
    except BadTable:
        return []


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
        found = str(error).strip().partition("\n")[0].rstrip(".")
        raise BadTable(str(path), expected="a whole Parquet file", found=found, remedy="Write it again.") from error


def read_bytes(place):
    """Return all bytes of a file, as `opened` gives them.

    Raises
    ------
    BadTable
        When it cannot be read.
    """
    try:
        with opened(place) as file:
            return file.read()
    except (OSError, ValueError, *BROKEN) as error:  # a path with a zero byte is a ValueError
        remedy = f"{did_you_mean(place)}Name a file that can be read: {_PLACES}."
        found = system_reason(error)
        raise BadTable(str(place), expected="a table, in CSV or Parquet", found=found, remedy=remedy) from None


@contextlib.contextmanager
def opened(place, how="infer"):
    """Open a file for reading bytes: a path, a member of a zip or tar archive, standard input (``-``), http(s), or any
    other URL that fsspec reaches.

    What gzip, bzip2, xz or zstd packed is unpacked, unless `how` is None; UTF-16, which says of itself what it is,
    comes as UTF-8.

    Raises
    ------
    OSError
        When it is not there, or may not be read.
    BadTable
        When nothing here reads such a URL, its server has no such file, or a packed file is torn at its beginning.
    """
    text = os.fspath(place)
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(_raw_bytes(text))
            if not file.seekable():  # a pipe gives its bytes once
                file = io.BytesIO(file.read())
            if how == "infer":
                how = compression(text, file.read(6))
                file.seek(0)
            if how:
                file = stack.enter_context(unpacked(file, how, text))
            begins = file.read(2)
            file.seek(0)
            if begins in _UTF16:
                file = io.BytesIO(file.read().decode("utf-16").encode())
        except BROKEN as error:
            expected, remedy = "a whole packed file", "Pack it again, or give the file itself."
            raise BadTable(text, expected=expected, found=str(error), remedy=remedy) from error
        except UnicodeError as error:
            expected, remedy = "UTF-16, as its mark says", "Save it as text in UTF-8."
            raise BadTable(text, expected=expected, found=str(error), remedy=remedy) from error
        yield file


def _raw_bytes(text):
    """The open file, as its bytes lie."""
    if text.startswith(WEB):
        try:
            with urllib.request.urlopen(text, timeout=_WAIT_S) as answer:
                return io.BytesIO(answer.read())
        except (OSError, ValueError) as error:  # HTTPError and URLError are OSErrors
            found = str(getattr(error, "reason", error))
            found = f"HTTP {error.code} {found}" if isinstance(error, urllib.error.HTTPError) else found
            remedy = "Look whether the address opens in a browser, or save the file and name that."
            raise BadTable(text, expected="an address that answers with a file", found=found, remedy=remedy) from error
    if text == STDIN:
        return io.BytesIO(standard_input())
    if not is_url(text):
        member = member_of(os.path.expanduser(text))
        return open_member(*member) if member else open(os.path.expanduser(text), "rb")
    import fsspec

    try:
        return fsspec.open(text, "rb", compression=None)
    except (ValueError, ImportError) as error:
        remedy = f"Give {_PLACES}; some need a package of their own (s3fs for s3:)."
        raise BadTable(text, expected="a path or a URL that can be read", found=str(error), remedy=remedy) from error


def is_url(text):
    """Tell whether a text is a URL rather than a path.

    Examples
    --------
    >>> is_url("https://example.org/runs.csv"), is_url("runs.csv"), is_url(r"C:\\runs.csv")
    (True, False, False)
    """
    return "://" in text


def decoded(content, where):
    """Return the text of bytes: UTF-8 with or without a byte-order mark, else Windows-1252, which has Latin-1 in it.

    Digits and signs are the same in all of these; of a file in another old encoding letters may come out wrong, and
    numbers do not.

    Raises
    ------
    BadTable
        When it is text in neither.
    """
    remedy = "Save it as text in UTF-8."
    if b"\0" in content:
        found = "zero bytes, as in a binary file or in UTF-16 without a byte-order mark"
        raise BadTable(where, expected="text in UTF-8", found=found, remedy=remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        line, byte = bad_byte(error)
        where = where if ", line" in where else f"{where}, line {line}"
        expected = "text in UTF-8, UTF-16 or Windows-1252"
        raise BadTable(where, expected=expected, found=byte, remedy=remedy) from error


def bad_byte(error):
    """Return the line and the value of the byte that a `UnicodeDecodeError` is about.

    Of the bytes that it carries: a byte-order mark, which a codec takes off before, is not among them.
    """
    return error.object[: error.start].count(b"\n") + 1, f"byte 0x{error.object[error.start]:02x}"
