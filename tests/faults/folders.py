"""A full disk, a folder that may only be read, two runs at once in one folder."""

import contextlib
import os
import resource
import shutil
import subprocess
import tempfile
from pathlib import Path

from places import Place, ended, left_behind, outputs

ROOM_KB = (0, 4, 32, 64, 128, 256)  # from none at all to enough for all but some pages
# The command as a user whom no permission is given, once all is loaded that such a user may not be able to read.
AS_NOBODY = """
import os, sys
import dominoperf.reports
from dominoperf.cli import main
dominoperf.reports.runs()  # the validator, too
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
sys.exit(main(sys.argv[1:]))
"""


def full_disk(_):
    """A small file system with version 1 on it, and little room for version 2; or files that may not grow."""
    with tempfile.TemporaryDirectory() as home:
        place = _first_version(home)
        old = outputs(place.out)
        if os.geteuid():
            yield _told(
                "full disk (files of 1 KB)", "", place, place.report(before=_small_files), old, "file too large"
            )
            return
        kept = Path(home, "kept")
        shutil.move(place.out, kept)
        for room in ROOM_KB:
            with _mounted(place.out, kept, room):
                done = place.report()
                if done.status == 0:  # there was room enough
                    return
                told = _told("full disk", f"{room} KB left", place, done, old, "no space left")
                Path(place.out, "ballast").unlink()
                again = place.report()
                good = again.status == 0 and outputs(place.out) != old and not left_behind(place.out)
                then = "; with room again: new outputs" if good else f"; WITH ROOM AGAIN: {again.message}"
                yield told[0] and good, (*told[1][:-1], told[1][-1] + then)


def full_output(_):
    """The path of the site cannot be printed: that is an error too."""
    with tempfile.TemporaryDirectory() as home:
        place = _first_version(home)
        with open("/dev/full", "w") as full:
            done = place.report(stdout=full)
        good = done.status not in (0, None) and "No space left" in done.said and "Traceback" not in done.said
        yield good, ("stdout on a full disk", "", done.status, done.message, "new outputs")


def read_only(_):
    """Said before any notebook runs: a file system that is mounted so, a folder of somebody else's."""
    with tempfile.TemporaryDirectory() as home:
        place = _first_version(home)
        old = outputs(place.out)
        if not os.geteuid():
            kept = Path(home, "kept")
            shutil.move(place.out, kept)
            with _mounted(place.out, kept, 1000, read_only=True):
                yield _told("read-only file system", "", place, place.report(), old, "read", ran=False)
            shutil.move(kept, place.out)
        Path(home).chmod(0o755)
        for name in ("", "tables"):
            Path(place.out, name).chmod(0o555)
            done = place.report(code=None if os.geteuid() else AS_NOBODY)
            Path(place.out, name).chmod(0o755)
            yield _told(f"read-only folder {'out/' + name}", "", place, done, old, "read", ran=False)


def two_at_once(_):
    """The second says who is there; when the first is killed, nothing of it blocks the third."""
    with tempfile.TemporaryDirectory() as home:
        place = _first_version(home)
        old = outputs(place.out)
        place.notebook("19_slow", "import time; time.sleep(4)")
        for words in (("report",), ("sweep", Path(place.home, "notebooks/19_slow.ipynb"), _grid(place))):
            out = place.out if words == ("report",) else place.home / "swept"
            first = place.start(*words, "--out", out)
            first.stderr.readline()
            second = place.run(*words, "--out", out)
            good, line = _told(f"two at once: {words[0]}", "", place, second, old, f"found process {first.pid}, since")
            ended(first)
            third = place.run(*words, "--out", out)
            then = "; the first killed, a third at once: "
            then += "new outputs" if third.status == 0 else f"FAILED {third.message}"
            yield good and third.status == 0, (*line[:-1], line[-1] + then)
            old = outputs(place.out)


def _grid(place):
    path = place.home / "grid.toml"
    path.write_text("value = [1, 2]\n", encoding="utf-8")
    return path


def _first_version(home):
    """A place with version 1 in its folder and version 2 to be made."""
    place = Place(Path(home))
    place.list_reports("one", "two", value=1)
    assert place.report().status == 0
    place.list_reports("one", "two", value=2)
    place.forget_kernels()
    return place


def _told(fault, moment, place, done, old, says, *, ran=True):
    """The line of a run that had to fail: exit 2, one message that says it, the old outputs, no kernel started."""
    same = outputs(place.out) == old
    good = done.status == 2 and says in done.message.lower() and same and "Traceback" not in done.said
    good = good and (ran or not place.kernels())
    after = ("old outputs" if same else "OUTPUTS CHANGED") + ("" if ran else ", no notebook had run")
    return good, (fault, moment, done.status, done.message.replace(str(place.home), "…"), after)


@contextlib.contextmanager
def _mounted(out, kept, room_kb, *, read_only=False):
    """The folder on a file system of its own with so much room left."""
    used = sum(4096 * -(-path.stat().st_size // 4096) + 4096 for path in kept.rglob("*"))
    out.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={used + 2_000_000}", "tmpfs", out], check=True)
    try:
        shutil.copytree(kept, out, dirs_exist_ok=True)
        free = shutil.disk_usage(out).free
        with open(out / "ballast", "wb") as ballast:
            ballast.write(bytes(max(free - 1024 * room_kb, 0)))
        if read_only:
            subprocess.run(["mount", "-o", "remount,ro", out], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", out], check=True)
        out.rmdir()


def _small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))
