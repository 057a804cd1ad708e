"""Read benchmark files of your own: a path in, rows in our columns out. A small reader per format."""

from dominoperf.ingest.formats import READERS, Reader
from dominoperf.ingest.reading import read, read_parts, recognise, write

__all__ = ["READERS", "Reader", "read", "read_parts", "recognise", "write"]
