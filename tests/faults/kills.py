"""SIGKILL of the report, the sweep and single kernels: the outputs are old or new, and the next run makes the new."""

import contextlib
import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path

from places import SAVES, Done, Place, ended, left_behind, outputs

SEED = 20_241_122
NAMES = ("one", "two", "three")
KERNELS = {"plain": ("--jobs", "2"), "forked": ("--jobs", "1")}  # a server is loaded for many notebooks a processor
# The command, whose process kills itself at the n-th rename or removal after the site is built: n is the first word.
AT_A_MOVE = """
import os, signal, sys
from dominoperf.reports import folder
left, publish = [int(sys.argv.pop(1))], folder.move_reports_into_place
def counted(real):
    def move(*args, **how):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **how)
    return move
class Counting:
    def __getattr__(self, name):
        real = getattr(os, name)
        return counted(real) if name in ("replace", "rename") else real
folder.os = Counting()
from dominoperf.cli import main
sys.exit(main(sys.argv[1:]))
"""


def report(moments, *, quick=True):
    """Kill the report at random moments of its run; all of it, from the start of Python to the end."""
    with _place(quick) as (place, old, new, kept, took):
        draw = random.Random(SEED)
        for number, moment in enumerate(sorted(draw.uniform(0, took) for _ in range(moments))):
            _restore(place, kept)
            kind, jobs = list(KERNELS.items())[number % 2]
            process = place.start("report", "--out", place.out, *jobs)
            time.sleep(moment)
            ended(process)
            fault = f"kill -9 of the report{'' if quick else ' with Sphinx'}, {kind} kernels"
            yield _line(fault, f"{moment:.2f} s of {took:.1f}", place, process.returncode, old, new)


def publishing(moments):
    """Kill the report at moves of files into place, of which a random moment would hardly meet one."""
    with _place(True) as (place, old, new, kept, _):
        for moment in [round(k * 70 / max(moments - 1, 1)) for k in range(moments)]:
            _restore(place, kept)
            done = place.report(code=f"import sys; sys.argv.insert(1, {str(moment)!r})\n{AT_A_MOVE}")
            yield _line("kill -9 of the report", f"at move {moment}", place, done.status, old, new)


def kernels(moments):
    """Kill a kernel: exit 2, a message that says so, the old outputs."""
    with _place(True) as (place, old, new, kept, _):
        draw = random.Random(SEED)
        for number in range(moments):
            _restore(place, kept)
            kind, jobs = list(KERNELS.items())[number % 2]
            process = place.start("report", "--out", place.out, *jobs)
            while not place.kernels() and process.poll() is None:
                time.sleep(0.01)
            moment = draw.uniform(0, 0.3)
            time.sleep(moment)
            with contextlib.suppress(ProcessLookupError, IndexError):
                os.kill(place.kernels()[0], signal.SIGKILL)
            done = Done.of(process)
            yield _line(f"kill -9 of a kernel, {kind}", f"{moment:.2f} s after it began", place, done.status, old, new,
                        done.message)  # fmt: skip


def sweep(moments):
    """Kill the sweep: the tables of the smaller grid, or those of the larger; what is finished is not run again."""
    with tempfile.TemporaryDirectory() as home:
        place = Place(home)
        notebook = place.notebook("10_sets", "name = 'sets'", *SAVES)
        grids = [Path(home, f"{size}.toml") for size in (2, 6)]
        for grid, size in zip(grids, (2, 6), strict=True):
            grid.write_text(f"value = {list(range(size))}\n", encoding="utf-8")
        small, large = (("sweep", notebook, grid, "--out", place.out) for grid in grids)
        place.run(*small)
        old, kept = outputs(place.out), Path(home, "kept")
        shutil.copytree(place.out, kept)
        began = time.monotonic()
        place.run(*large)
        took, new = time.monotonic() - began, outputs(place.out)
        draw = random.Random(SEED)
        for moment in sorted(draw.uniform(0, took) for _ in range(moments)):
            _restore(place, kept)
            process = place.start(*large)
            time.sleep(moment)
            ended(process)
            yield _line("kill -9 of the sweep", f"{moment:.2f} s of {took:.1f}", place, process.returncode, old, new,
                        again=large)  # fmt: skip


@contextlib.contextmanager
def _place(quick):
    """A place with version 1 in its folder, version 2 to be made, and what both look like."""
    with tempfile.TemporaryDirectory() as home:
        place = Place(home, quick=quick)
        place.list_reports(*NAMES, value=1)
        assert place.report().status == 0
        old, kept = outputs(place.out), place.home / "kept"
        shutil.copytree(place.out, kept)
        place.list_reports(*NAMES, value=2)
        began = time.monotonic()
        assert place.report().status == 0
        took, new = time.monotonic() - began, outputs(place.out)
        assert old.keys() == new.keys()
        alike = {"tables/datapackage.json", "tables/computed_from.csv"}  # which tell of columns and places, no value
        assert {name for name in new if old[name] == new[name] and (quick or not name.startswith("site/"))} == alike
        yield place, old, new, kept, took


def _restore(place, kept):
    """Version 1 again, as it was."""
    shutil.rmtree(place.out)
    shutil.copytree(kept, place.out)
    place.forget_kernels()


def _line(fault, moment, place, status, old, new, message="", again=()):
    """Look at what is there after the kill, then run once more; give the line, which says what is not as it should."""
    gone = place.gone_after()
    state, there = _state(place, old, new)
    done = place.run(*again) if again else place.report()
    right = outputs(place.out) == new and done.status == 0 and not left_behind(place.out)
    after = f"{state}; processes gone after {gone:.1f} s" if gone is not None else f"{state}; PROCESSES STAY"
    then = "next run gives the new ones" if right else f"NEXT RUN WRONG: {done.status} {done.message}"
    good = there and gone is not None and right
    return good, (fault, moment, status, message, f"{after}; {then}")


def _state(place, old, new):
    """Which set of outputs stands there; a mixture is what `verify` has to tell."""
    found = outputs(place.out)
    if found in (old, new):
        return ("old outputs" if found == old else "new outputs"), True
    told = place.verify()
    pending = told.status == 1 and (place.out / ".publishing").exists()
    return ("on their way, as verify says" if pending else "A MIXTURE THAT NOBODY TELLS"), pending
