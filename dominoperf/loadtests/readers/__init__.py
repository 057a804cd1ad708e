"""Read benchmark files of your own: a path in, rows in our columns out. A small reader per format."""

from pathlib import Path

from dominoperf.loadtests.readers.source import Reader, Source, reader  # first: modules with a reader import them

# isort: split
from dominoperf.loadtests.readers.naming import files
from dominoperf.loadtests.readers.reading import (
    READERS,
    files_of_runs,
    formats,
    read,
    read_parts,
    recognise,
    together,
    together_parts,
    write,
)

__all__ = [
    "READERS",
    "Reader",
    "Source",
    "files",
    "files_of_runs",
    "formats",
    "read",
    "read_parts",
    "reader",
    "recognise",
    "sample",
    "together",
    "together_parts",
    "write",
]


def sample():
    """Return the path of a file to begin with: pgbench at several numbers of clients, recorded for these pages."""
    return Path(__file__).parent / "recorded_pgbench.txt"
