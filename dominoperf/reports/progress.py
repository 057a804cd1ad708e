"""How far the runs are: lines for a log, and for a terminal one line that changes."""

import shutil
import threading
import time


class Progress:
    """Tells of runs as they start, go from cell to cell and end, each in a thread of its own.

    Parameters
    ----------
    tell : callable
        Gets a line when a run starts or ends.
    show : callable, optional
        Gets a text whenever a run is at another cell, and an empty one at the end.
    """

    def __init__(self, tell, show=None):
        self._tell, self._show = tell, show or (lambda text: None)
        self._cells, self._since, self._lock = {}, {}, threading.Lock()

    def __enter__(self):
        """Return itself."""
        return self

    def __exit__(self, *_):
        """Leave the line empty."""
        self._show("")

    def began(self, name):
        """Tell that a run started."""
        with self._lock:
            self._since[name] = time.monotonic()
            self._tell(f"start {name}")

    def at(self, name, number, of):
        """Tell that a run is at a cell."""
        with self._lock:
            self._cells[name] = f"{number}/{of}"
            self._show(", ".join(f"{each}: cell {cell}" for each, cell in self._cells.items()))

    def ended(self, name, *, well):
        """Tell that a run ended, and how long it took; or that it failed, perhaps before it started."""
        with self._lock:
            self._cells.pop(name, None)
            self._tell(f"done {name} {time.monotonic() - self._since[name]:.1f} s" if well else f"failed {name}")


def printers(stream):
    """Return `tell` and `show` for a stream; what is no terminal is shown nothing that changes."""
    if not stream.isatty():
        return lambda line: print(line, file=stream, flush=True), None
    width = 0

    def tell(line, end="\n"):
        nonlocal width
        print(f"\r{line.ljust(width)}", end=end, file=stream, flush=True)
        width = 0

    def show(text):
        nonlocal width
        text = text[: shutil.get_terminal_size().columns - 1]
        tell(text, end="" if text else "\r")
        width = len(text)

    return tell, show
