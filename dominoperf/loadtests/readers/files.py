"""Lines of a file or URL, numbered, one at a time."""

import codecs
import contextlib
import csv
import io
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from dominoperf.errors import BadTable
from dominoperf.loadtests.readers.notes import Notes
from dominoperf.tables.reading import BROKEN, WEB, decoded, opened, read_bytes

_LONGEST = 1 << 20  # bytes of a line: a file without line ends must not fill the memory
_HEAD = 64 << 10  # bytes by which a file is recognised


def split(text, delimiter=","):
    """Split a row of CSV; none where its quotes or line ends make no sense."""
    try:
        return next(csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter), [])
    except csv.Error:
        return []


@dataclass
class Source:
    """A file to be read: a path or an fsspec URL, what is mapped, and the notes made on the way."""

    path: str
    mapping: dict = field(default_factory=dict)  # name in the file -> ours, for the formats with names of one's own
    notes: Notes = field(default_factory=Notes)
    cut: bool = False  # whether a line without an end was met: the last one
    others: tuple = ()  # further files of the same run, each a Source
    fetched: bytes | None = None  # what a server sent

    @property
    def name(self):
        """The name of the file, without that of a compression."""
        name = PurePosixPath(self.path.replace("\\", "/")).name.lower()
        return name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")

    @contextlib.contextmanager
    def open(self, compression="infer"):
        """Open for reading bytes, as `dominoperf.tables.reading.opened` does; what comes from the web is fetched once.

        Raises
        ------
        OSError
            When it is not there, or may not be read.
        BadTable
            When nothing here reads such a URL.
        """
        if self.fetched is None and self.path.startswith(WEB):
            self.fetched = read_bytes(self.path)
        with opened(self.path, compression) if self.fetched is None else io.BytesIO(self.fetched) as file:
            yield file

    def head(self):
        """Return the first bytes."""
        head = b""
        with self.open() as file, contextlib.suppress(*BROKEN):
            while len(head) < _HEAD and (line := file.readline(_HEAD - len(head))):
                head += line
        return head

    def first_lines(self):
        """Return the first lines as far as they are text, to recognise the format by."""
        text = self.head().removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
        return [line.rstrip("\r") for line in text.split("\n")]

    def lines(self, place=(1, 0), *, keep_last=False):
        """Yield the number and text of every line; the text is without its end.

        A last line without a line end is one that a recorder had not finished: its last number may lack digits. It
        is noted and left out, or with `keep_last` noted and kept.
        """
        for number, _, text in self.places(place, keep_last=keep_last):
            yield number, text

    def places(self, place=(1, 0), *, keep_last=False):
        """Yield the number, the offset in bytes and the text of every line from a `place` (number, offset) on."""
        number, offset = place
        with self.open() as file:
            file.seek(offset)
            while raw := self._next(file, number):
                text = self._text(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, number)
                if raw.endswith(b"\n") or self._unfinished(number, keep_last):
                    yield number, offset, text
                number, offset = number + 1, offset + len(raw)

    def _next(self, file, number):
        """The next line as bytes; a compressed file that breaks off ends here, with a note."""
        try:
            raw = file.readline(_LONGEST)
        except BROKEN as error:
            self.notes.add("cut", number, f"the file cannot be read beyond here ({error})")
            return b""
        if len(raw) == _LONGEST and not raw.endswith(b"\n"):
            remedy = "Save it as text with line ends, or name the reader of its format."
            raise self.wrong(number, "lines of text", f"a line longer than {_LONGEST:,} bytes", remedy)
        return raw

    def _unfinished(self, number, keep):
        self.cut = True
        done = "its last cell may lack characters" if keep else "the line is left out"
        self.notes.add("cut", number, f"no line end, so the file may be cut off here; {done}")
        return keep

    def _text(self, raw, number):
        """The text of a line; what is no text is refused, for nothing behind it could be trusted."""
        return decoded(raw, f"{self.path}, line {number}").rstrip("\r\n")

    def wrong(self, number, expected, found, remedy):
        """Return the error of a line."""
        where = f"{self.path}, line {number}" if number else self.path
        return BadTable(where, expected=expected, found=found, remedy=remedy)

    def skip(self, number, expected):
        """Note a line of a recording that cannot be read, and go on."""
        self.notes.add("left out", number, f"not {expected}; the line is left out")
