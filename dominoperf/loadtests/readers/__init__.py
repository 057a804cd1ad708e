"""Read benchmark files of your own: a path in, rows in our columns out. A small reader per format."""

from pathlib import Path

from dominoperf import _lazy_import

# Where each name lives; imported when first asked for, so that a module with a reader may take `reader` from here.
_HOMES = {
    "naming": ("files",),
    "reading": ("READERS", "files_of_runs", "formats", "read", "read_parts", "recognise", "write"),
    "recording": ("Reader", "Recording", "reader"),
}  # fmt: skip
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
__all__ += ["sample"]


def sample() -> Path:
    """Return the path of a file to begin with: pgbench at several numbers of clients, recorded for these pages."""
    return Path(__file__).parent / "recorded_pgbench.txt"
