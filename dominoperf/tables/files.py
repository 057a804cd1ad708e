"""Bytes and text of a file wherever it lies: a path, a URL, standard input; packed or not. A file is replaced whole."""

import bz2
import codecs
import contextlib
import functools
import gzip
import io
import json
import lzma
import os
import re
import sys
import tomllib
import urllib.error
import urllib.request
import zlib

from dominoperf.errors import BadTable, DominoperfError, MissingFile, system_reason

WEB = ("http://", "https://")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WAIT_S = 60  # for a server that does not answer
_PLACES = "a path, or a URL such as file:///data/runs.csv or https://example.org/runs.csv"
STDIN = "-"
"""The name of standard input."""
BROKEN = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What reading raises where the end of a packed file is missing, where it is torn in its middle, or the disk fails."""
_NAMED = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
ENDINGS = tuple(_NAMED)
"""What the names of packed files end in."""
_OPENERS = {"gzip": gzip.open, "bz2": bz2.open, "xz": lzma.open}
_BEGINS = {b"\x1f\x8b\x08": "gzip", b"BZh": "bz2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
# No honest log shrinks to less than this share; a file made to fill a disk does (deflate reaches 1 in 1,032).
_MOST_TIMES = 200
_HARMLESS = 100 << 20  # bytes unpacked, up to which the share is not asked for


def read_bytes(place):
    """Return all bytes of a file, as `opened_file` gives them; a `BadTable` where it cannot be read."""
    try:
        with opened_file(place) as file:
            return file.read()
    except FileNotFoundError:
        raise MissingFile(place) from None
    except (ValueError, *BROKEN) as error:  # a path with a zero byte is a ValueError
        remedy = f"Name a file that can be read: {_PLACES}."
        raise BadTable(str(place), expected="a file", found=system_reason(error), remedy=remedy) from None


def read_users_toml(path, expected: str, remedy: str, refused: type[DominoperfError] = BadTable) -> dict:
    """Return what a TOML file of a user's says.

    `MissingFile` where there is none; the class `refused` where it cannot be read, or is no TOML: with the line and the
    column, what was `expected`, and a `remedy` that says how it is written.
    """
    where = os.fspath(path)
    try:
        with open(path, encoding="utf-8") as file:
            return tomllib.loads(file.read())
    except FileNotFoundError:
        raise MissingFile(where) from None
    except tomllib.TOMLDecodeError as error:
        fault, _, place = str(error).removesuffix(")").rpartition(" (at ")
        found = f"text that is no TOML ({fault})"
        raise refused(f"{where}, {place}", expected=expected, found=found, remedy=remedy) from error
    except (OSError, ValueError, RecursionError) as error:  # a folder, no UTF-8, nested too deep
        raise refused(where, expected=expected, found=system_reason(error), remedy=remedy) from error


@contextlib.contextmanager
def opened_file(place, how="infer"):
    """Open a file for reading bytes: a path, standard input (``-``), http(s), or any other URL that fsspec reaches.

    What gzip, bzip2, xz or zstd packed is unpacked, unless `how` is None; UTF-16, which says of itself what it is,
    comes as UTF-8. `OSError` where it is not there, or may not be read; `BadTable` where nothing here reads such a URL,
    its server has no such file, or a packed file is torn at its beginning.
    """
    text = os.fspath(place)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_raw_bytes(text))
        try:
            if not file.seekable():  # a pipe gives its bytes once
                file = io.BytesIO(file.read())
            if how == "infer":
                begins = file.read(6)
                how = _NAMED.get(os.path.splitext(text.partition("?")[0])[1].lower())
                how = how or next((name for magic, name in _BEGINS.items() if begins.startswith(magic)), None)
                file.seek(0)
            if how:
                file = stack.enter_context(_unpacked_file(file, how, text))
            begins = file.read(2)
            file.seek(0)
            if begins in _UTF16:
                file = io.BytesIO(file.read().decode("utf-16").encode())
        except BROKEN as error:
            if getattr(error, "errno", None):  # of the disk
                raise
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
        return io.BytesIO(_standard_input())
    if not is_url(text):
        return open(os.path.expanduser(text), "rb")
    import fsspec

    try:
        return fsspec.open(text, "rb", compression=None)
    except (ValueError, ImportError) as error:
        remedy = f"Give {_PLACES}; some need a package of their own (s3fs for s3:)."
        raise BadTable(text, expected="a path or a URL that can be read", found=str(error), remedy=remedy) from error


def is_url(text):
    """Tell whether a text is a URL rather than a path."""
    return "://" in text


def check_no_spreadsheet(content, place, expected):
    """Refuse the bytes, or the first of them, of a spreadsheet: of Excel, old or new, or OpenDocument."""
    zipped = content.startswith(b"PK\x03\x04")
    of_office = b"xl/" in content or b"opendocument.spreadsheet" in content[:200]
    if (zipped and of_office) or content.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        remedy = "Save its sheet as CSV, and give that file."
        raise BadTable(str(place), expected=expected, found="a spreadsheet", remedy=remedy)


def decoded_text(content, where):
    """Return the text of bytes: UTF-8 with or without a byte-order mark, else Windows-1252, which has Latin-1 in it.

    Digits and signs are the same in all of these; of a file in another old encoding letters may come out wrong, and
    numbers do not. `BadTable` where it is text in neither.
    """
    remedy = "Save it as text in UTF-8."
    if b"\0" in content:
        check_no_spreadsheet(content, where, "text in UTF-8")
        found = "zero bytes, as in a binary file or in UTF-16 without a byte-order mark"
        raise BadTable(where, expected="text in UTF-8", found=found, remedy=remedy)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        line, byte = byte_that_is_no_utf8(error)
        where = where if ", line" in where else f"{where}, line {line}"
        expected = "text in UTF-8, UTF-16 or Windows-1252"
        raise BadTable(where, expected=expected, found=byte, remedy=remedy) from error


def byte_that_is_no_utf8(error):
    """Return the line and the value of the byte that a `UnicodeDecodeError` is about.

    Of the bytes that it carries: a byte-order mark, which a codec takes off before, is not among them.
    """
    return error.object[: error.start].count(b"\n") + 1, f"byte 0x{error.object[error.start]:02x}"


def _standard_input():
    """All bytes of standard input, which gives them once: later calls return the same.

    A `BadTable` where it is a terminal, where nothing comes.
    """
    if sys.stdin is None or sys.stdin.isatty():
        remedy = "Pipe a file in: `zcat run.jtl.gz | dominoperf ingest -`."
        raise BadTable("standard input (-)", expected="a file", found="a terminal", remedy=remedy)
    return _bytes_of_stream(sys.stdin.buffer)


@functools.lru_cache(maxsize=1)
def _bytes_of_stream(stream):
    """All bytes of a stream, read once."""
    return stream.read()


def _unpacked_file(file, how, where):
    """What a packed file holds, as a file in which one can go to any place; messages call it `where`.

    A `BadTable` where it holds far more than an honest one: before that has filled the memory.
    """
    most, size = max(_HARMLESS, _MOST_TIMES * file.seek(0, io.SEEK_END)), 0
    file.seek(0)
    if how == "zstd":
        import pyarrow

        content = pyarrow.CompressedInputStream(pyarrow.BufferReader(file.read()), how).read(most + 1)
        size, unpacked = len(content), io.BytesIO(content)  # Arrow's own stream does not go back
    else:
        with contextlib.suppress(*BROKEN):  # who reads it keeps the part before the damage
            size = _OPENERS[how](file).seek(most + 1)
        file.seek(0)
        unpacked = _OPENERS[how](file)
    if size > most:
        expected = f"a packed file that unpacks to at most {_MOST_TIMES} times its size"
        found, remedy = f"more than {most:,} bytes in it", "Unpack it yourself if you trust it."
        raise BadTable(where, expected=expected, found=found, remedy=remedy)
    return unpacked


def value_as_toml(value):
    """Return a value as TOML has it in a line: a text, number or truth value, a list or a dict of such."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key_as_toml(name)} = {value_as_toml(item)}' for name, item in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(value_as_toml, value))}]"
    return _text_as_toml(value) if isinstance(value, str) else str(value).lower()


def key_as_toml(name):
    """Return a key of TOML, in quotes where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text_as_toml(name)


def _text_as_toml(text):
    """A text in quotes; JSON's escapes are TOML's too, but for one character that JSON leaves bare."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def replace_file(path, text):
    """Write a text beside the old file, then rename: a reader meets the old text or the new, never half of one."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
