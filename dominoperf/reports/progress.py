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
        self._running, self._since, self._lock = {}, {}, threading.Lock()

    def __enter__(self):
        """Give itself."""
        return self

    def __exit__(self, *_):
        """Leave the line empty."""
        with self._lock:
            self._show("")

    def began(self, name):
        """Tell that a run started."""
        with self._lock:
            self._since[name] = time.monotonic()
            self._tell(f"start {name}")

    def at(self, name, number, of):
        """Tell that a run is at a cell."""
        with self._lock:
            self._running[name] = f"{number}/{of}"
            self._show(", ".join(f"{each}: cell {cell}" for each, cell in self._running.items()))

    def done(self, name):
        """Tell that a run ended well, and how long it took."""
        self._ended(name, f"done {name} {time.monotonic() - self._since[name]:.1f} s")

    def failed(self, name):
        """Tell that a run failed, perhaps before it started."""
        self._ended(name, f"failed {name}")

    def _ended(self, name, how):
        with self._lock:
            self._running.pop(name, None)
            self._tell(how)


def printers(stream):
    """Give `tell` and `show` for a stream; what is no terminal is shown nothing that changes."""
    if not stream.isatty():
        return lambda line: print(line, file=stream, flush=True), None
    last = [0]

    def show(text):
        text = text[: shutil.get_terminal_size().columns - 1]
        print(f"\r{text.ljust(last[0])}", end="" if text else "\r", file=stream, flush=True)
        last[0] = len(text)

    def tell(line):
        print(f"\r{line.ljust(last[0])}", file=stream, flush=True)
        last[0] = 0

    return tell, show
