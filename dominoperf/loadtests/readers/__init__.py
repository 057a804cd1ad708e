"""Read benchmark files of your own: a path in, rows in our columns out. A small reader per format."""

from pathlib import Path

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
__all__ += ["sample"]


def sample() -> Path:
    """Return the path of a file to begin with: pgbench at several numbers of clients, recorded for these pages."""
    return Path(__file__).parent / "recorded_pgbench.txt"
