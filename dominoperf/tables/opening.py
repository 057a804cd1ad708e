"""The bytes and the text of anybody's file: a path or a URL, packed or not, in the encodings that programs write."""

import codecs
import contextlib
import io
import lzma
import os
import urllib.error
import urllib.request
import zlib

from dominoperf.errors import BadTable
from dominoperf.tables.problems import bad_byte

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
WEB = ("http://", "https://")
BROKEN = (EOFError, zlib.error, lzma.LZMAError)
"""What a packed file raises whose end is missing, or that is torn in its middle."""
_WAIT_S = 60  # for a server that does not answer
_PLACES = "a path, or a URL such as file:///data/runs.csv or https://example.org/runs.csv"


def is_url(text):
    """Tell whether a text is a URL rather than a path.

    Examples
    --------
    >>> is_url("https://example.org/runs.csv"), is_url("runs.csv"), is_url(r"C:\\runs.csv")
    (True, False, False)
    """
    return "://" in text


@contextlib.contextmanager
def opened(place, compression="infer"):
    """Open a file for reading bytes: a path, http(s), or any other URL that fsspec reaches.

    ``.gz``, ``.bz2`` and ``.xz`` are unpacked; UTF-16, which says of itself what it is, comes as UTF-8.

    Raises
    ------
    OSError
        When it is not there, or may not be read.
    BadTable
        When nothing here reads such a URL, or its server has no such file.
    """
    text = os.fspath(place)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_raw(text))
        if packed := _compression(text) if compression == "infer" else compression:
            import fsspec

            file = stack.enter_context(fsspec.compression.compr[packed](file, mode="rb"))
        if not file.seekable():  # a pipe gives its bytes once
            file = io.BytesIO(file.read())
        begins = file.read(2)
        file.seek(0)
        yield io.BytesIO(_recoded(file.read(), text)) if begins in _UTF16 else file


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
        found = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", "") or str(error)
        remedy = f"Name a file that can be read: {_PLACES}."
        raise BadTable(str(place), expected="a table, in CSV or Parquet", found=found, remedy=remedy) from None


def decoded(content, where):
    """Return the text of bytes: UTF-8 with or without a byte-order mark, else Windows-1252, which has Latin-1 in it.

    Digits and signs are the same in all of these; of a file in another old encoding letters may come out wrong, and
    numbers do not.

    Raises
    ------
    BadTable
        When it is text in neither.
    """
    if b"\0" in content:
        found = "zero bytes, as in a binary file or in UTF-16 without a byte-order mark"
        raise BadTable(where, expected="text in UTF-8", found=found, remedy="Save it as text in UTF-8.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _western(content, where)


def _western(content, where):
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        line, byte = bad_byte(error)
        expected, remedy = "text in UTF-8, UTF-16 or Windows-1252", "Save it as text in UTF-8."
        where = where if ", line" in where else f"{where}, line {line}"
        raise BadTable(where, expected=expected, found=byte, remedy=remedy) from error


def _compression(text):
    """How a file is packed, by the end of its name; what a URL asks of its server is no part of it."""
    return {".gz": "gzip", ".bz2": "bz2", ".xz": "xz"}.get(os.path.splitext(text.partition("?")[0])[1].lower())


def _raw(text):
    """The open file, as its bytes lie."""
    if text.startswith(WEB):
        return _from_web(text)
    if not is_url(text):
        return open(os.path.expanduser(text), "rb")
    import fsspec

    try:
        return fsspec.open(text, "rb", compression=None)
    except (ValueError, ImportError) as error:
        remedy = f"Give {_PLACES}; some need a package of their own (s3fs for s3:)."
        raise BadTable(text, expected="a path or a URL that can be read", found=str(error), remedy=remedy) from error


def _from_web(url):
    try:
        with urllib.request.urlopen(url, timeout=_WAIT_S) as answer:
            return io.BytesIO(answer.read())
    except (OSError, ValueError) as error:  # HTTPError and URLError are OSErrors
        found = str(getattr(error, "reason", error))
        found = f"HTTP {error.code} {found}" if isinstance(error, urllib.error.HTTPError) else found
        remedy = "Look whether the address opens in a browser, or save the file and name that."
        raise BadTable(url, expected="an address that answers with a file", found=found, remedy=remedy) from error


def _recoded(content, where):
    try:
        return content.decode("utf-16").encode()
    except UnicodeError as error:
        remedy = "Save it as text in UTF-8."
        raise BadTable(where, expected="UTF-16, as its mark says", found=str(error), remedy=remedy) from error
