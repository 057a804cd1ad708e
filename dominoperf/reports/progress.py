"""How far the runs are: lines for a log, and for a terminal one line that changes."""

import contextlib
import shutil
import threading

_LOOK_S = 0.2


class Progress:
    """Tells of runs in other processes: each leaves the number of its cell in a file, a thread here looks at the files.

    Parameters
    ----------
    folder : Path
        Where the files are.
    names : list of str
        The runs.
    tell : callable
        Gets a line when a run starts or ends.
    show : callable, optional
        Gets a text whenever a run is at another cell, and an empty one at the end.
    """

    def __init__(self, folder, names, tell, show=None):
        self._folder, self._waiting, self._running = folder, list(names), {}
        self._tell, self._show, self._shown = tell, show or (lambda text: None), ""
        self._lock, self._over = threading.Lock(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        """Begin to look."""
        self._thread.start()
        return self

    def __exit__(self, *_):
        """Look no more."""
        self._over.set()
        self._thread.join()
        self._show("")

    def ended(self, name, how):
        """Tell that a run ended; that it started, if it was too short to be seen."""
        with self._lock:
            if name in self._waiting:
                self._begin(name)
            self._running.pop(name, None)
            self._tell(how)

    def _watch(self):
        with contextlib.suppress(OSError, ValueError):  # whoever read our lines went away
            while not self._over.wait(_LOOK_S):
                with self._lock:
                    self._look()

    def _look(self):
        for name in [*self._waiting, *self._running]:
            cell = _cell(self._folder, name)
            if cell and name in self._waiting:
                self._begin(name)
            if cell:
                self._running[name] = cell
        text = ", ".join(f"{name}: cell {cell}" for name, cell in self._running.items() if cell)
        if text != self._shown:
            self._show(text)
            self._shown = text

    def _begin(self, name):
        self._waiting.remove(name)
        self._running[name] = ""
        self._tell(f"start {name}")


def mark(folder, name, number, of):
    """Leave word, from the process of a run, that it is at a cell."""
    (folder / f"{name}.cell").write_text(f"{number}/{of}", encoding="utf-8")


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


def _cell(folder, name):
    try:
        return (folder / f"{name}.cell").read_text(encoding="utf-8")
    except OSError:
        return ""
