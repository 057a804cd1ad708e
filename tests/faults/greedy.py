"""Notebooks that take too much: time, output, memory; and kernels that die of it. Each is stopped and named."""

import tempfile

from places import Place, outputs

_TIME, _OUTPUT = "every cell to end within 3 s", "at most 20 MB of output"
# Cells, the words of the command, and what its message has to say.
FAULTS = {
    "a notebook that hangs": ("while True: pass", _TIME),
    "one that sleeps": ("import time; time.sleep(1e6)", _TIME),
    "one deaf to signals": (
        "import signal, time\nfor number in (2, 15): signal.signal(number, signal.SIG_IGN)\nwhile True: time.sleep(1)",
        _TIME,
    ),
    "one that is stopped": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", _TIME),
    "100 MB in one print": ("print('x' * 100_000_000)", _OUTPUT),
    "100 MB in many": ("for k in range(100): print('x' * 1_000_000)", _OUTPUT),
    "prints without end": ("while True: print('x' * 100_000)", _OUTPUT),
    "shows 100 MB": (
        "from IPython.display import HTML, display\nfor k in range(100): display(HTML('x' * 1_000_000))",
        _OUTPUT,
    ),
    "an error of 100 MB": ("raise ValueError('x' * 100_000_000)", _OUTPUT),
    "no memory for Python": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\nx = bytearray(8 << 30)",
        "MemoryError",
    ),
    "no memory for numpy": (
        "import numpy, resource\nresource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\nnumpy.ones(1 << 30)",
        "MemoryError",
    ),
    "ended as for lack of memory": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
    "crashed in compiled code": ("import ctypes; ctypes.string_at(0)", "ended by SIGSEGV"),
    "left by itself": ("import os; os._exit(3)", "exit status 3"),
}
MOST_MB = 200  # beside a quiet notebook: some copies of the 20 MB that are allowed
# The command, which says at its end how much memory it had: its own, not that of the kernel.
MEASURED = """
import resource, sys
from dominoperf.cli import main
status = main(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, file=sys.stderr)
sys.exit(status)
"""


def report(_):
    """A report whose notebook takes too much: exit 2, its cell is named, the old outputs stay, the kernel ends."""
    with tempfile.TemporaryDirectory() as home:
        place = Place(home)
        place.notebook("10_greedy", "1")
        quiet = _peak(place.report("--fresh", code=MEASURED))
        old = outputs(place.out)
        for fault, (cell, says) in FAULTS.items():
            place.notebook("10_greedy", "1", cell)
            limit = ("--timeout", "3") if "3 s" in says else ()
            done = place.report(*limit, code=MEASURED)
            same, gone = outputs(place.out) == old, place.gone_after()
            more = _peak(done) - quiet
            good = done.status == 2 and says in done.message and "10_greedy.ipynb, cell 3" in done.message
            good = good and same and gone is not None and more < MOST_MB and done.said.endswith(f"peak {_peak(done)}\n")
            after = f"{'old outputs' if same else 'OUTPUTS CHANGED'}; {more:+} MB beside a quiet one"
            yield good, (fault, "", done.status, done.message, after + ("" if gone is not None else "; KERNEL STAYS"))


def sweep(_):
    """A set that takes too much is a row of the failures; the others have their tables."""
    with tempfile.TemporaryDirectory() as home:
        place = Place(home)
        table = "pandas.DataFrame({'n': [value]})"
        save = f"import dominoperf, pandas\ndominoperf.save({table}, 'numbers', computed_from='claims')"
        notebook = place.notebook("10_sets", "if value == 2:\n    while True: pass", save)
        grid = place.home / "grid.toml"
        grid.write_text("value = [1, 2, 3]\n", encoding="utf-8")
        done = place.run("sweep", notebook, grid, "--out", place.out, "--timeout", "20")
        failures = (place.out / "tables/failures.csv").read_text().splitlines()
        good = done.status == 1 and len(failures) == 2 and "one still at work" in failures[1]
        good = good and (place.out / "tables/numbers.csv").read_text() == "value,n\n1,1\n3,3\n"
        good = good and place.gone_after() is not None
        yield good, ("a set that hangs", "", done.status, failures[-1], "the tables of the other two")


def _peak(done):
    return int(done.said.rpartition("peak ")[2].partition("\n")[0])
