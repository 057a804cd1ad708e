"""The folder that reports are written to: one run at a time in it, files put in place all or none, refusals in words.

Files cannot be renamed all in one go. So they are laid ready beside with a list of what goes where, and one rename of
the folder decides: before it nothing has happened, after it whoever comes next completes what a kill cut short. What
somebody else put there is left alone.
"""

import contextlib
import errno
import filecmp
import json
import os
import shutil
import time
from datetime import datetime
from pathlib import Path, PurePosixPath

from dominoperf.errors import ReportFailed
from dominoperf.tables import folders, rendering

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

LOCK = ".lock"
LEDGER = "ledger.toml"
WRITTEN = ".written"  # in the out folder: the files of ours there, the only ones that we ever remove
PENDING = ".publishing"  # in the out folder: decided, and on its way into place
DAY_S = 24 * 60 * 60
_MOVES = "moves.json"
_BEYOND = 1 << 20  # Windows lets nobody read what is locked: a byte behind all that is said
_held = set()  # descriptors of this process
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_ROOM = "Nothing unfinished was put in place. Make room there, or name another folder with --out, then run again."
_LEAVE = "Name a folder that you may write to with --out."


@contextlib.contextmanager
def exclusive_lock(out, home):
    """Keep other runs out of a folder for as long as this one is at work.

    The lock is the operating system's and ends with its process, whose forks give it back: what is left on disk after a
    kill blocks nobody.

    Parameters
    ----------
    out : Path
        The folder, which is made where there is none.
    home : str
        Name of the folder in it where the lock lies.

    Yields
    ------
    bool
        Whether others are kept out for certain: some network file systems have no locks.

    Raises
    ------
    ReportFailed
        When another run is at work there (its process and when it began are told), or the folder cannot be written to.
    """
    with naming_refused_files(out):
        Path(out).mkdir(parents=True, exist_ok=True)
    for folder in (Path(out), *(Path(out, name) for name in (home, "tables", "site"))):
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            expected, found = "a folder to write to", "one that may only be read"
            raise ReportFailed(str(folder), expected=expected, found=found, remedy=_LEAVE)
    path = Path(out, home, LOCK)
    with naming_refused_files(path):
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _held.add(descriptor)
    try:
        certain = _take_lock(descriptor, out)
        with naming_refused_files(path):  # who is at work, for the message of the next one
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            os.write(descriptor, f"process {os.getpid()}, since {datetime.now():%Y-%m-%d %H:%M:%S}".encode())
        yield certain
    finally:
        _held.discard(descriptor)
        os.close(descriptor)


def _take_lock(descriptor, out):
    """Take the lock, or tell who has it; False where the file system has none."""
    try:
        if fcntl:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        found = os.read(descriptor, 100).decode(errors="replace") or "one that has just begun"
        expected, remedy = "a folder where no other run is at work", "Wait for it, or name another folder with --out."
        raise ReportFailed(str(out), expected=expected, found=found, remedy=remedy) from error
    return True


def _release_in_fork():
    """In a process that was forked: it may outlive the run, and must not keep the next one out."""
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_fork)


@contextlib.contextmanager
def naming_refused_files(place):
    """Turn the operating system's refusal of a file into one that names it, or the place where it had to go."""
    try:
        yield
    except BrokenPipeError:  # whoever read our lines went away: no file's matter
        raise
    except OSError as error:
        raise refused_file(error, place) from error


def refused_file(error, place):
    """Return the error that tells of an `OSError`; `place` is named where it names no file itself."""
    where = str(error.filename2 or error.filename or place)
    found = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        return ReportFailed(where, expected="room for what is written", found=found, remedy=_ROOM)
    if error.errno in _FORBIDDEN:
        return ReportFailed(where, expected="leave to write there", found=found, remedy=_LEAVE)
    expected, remedy = "a file that can be read and written", "Mend that, then run again."
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)


def remove_killed_runs(out, pattern, *, older_s):
    """Remove what runs that were killed left in a folder; what is younger may belong to one that is at work."""
    for path in Path(out).glob(pattern):
        if time.time() - path.stat().st_mtime >= older_s:
            shutil.rmtree(path, ignore_errors=True)


def move_into_place(out, fresh, unchanged=(), *, gone, replace, work):
    """Move files into place and remove old ones of ours.

    Parameters
    ----------
    out : Path
    fresh : dict
        Name below `out` to the finished file; one that is there with the same content is not touched.
    unchanged : collection of str
        Names of ours that stay as they are.
    gone : callable
        Tells of a name of ours that is neither fresh nor unchanged whether it goes.
    replace : bool
        Whether everything in `out` may be replaced: it is where reports go by default.
    work : Path
        A folder beside `out`, for copies on their way.

    Raises
    ------
    ReportFailed
        When a file of somebody else's is in the way; then nothing has been moved.
    """
    now, before = {*fresh, *unchanged}, files_written_by_reports(out)
    _refuse_foreign_files(out, set() if replace else now - before, fresh)
    leaving = {name for name in before - now if gone(name)}
    rendering.replace_file(work / WRITTEN, "\n".join(sorted((before | now) - leaving)) + "\n")
    fresh = {**fresh, WRITTEN: work / WRITTEN}
    same = lambda name, path: (out / name).is_file() and filecmp.cmp(out / name, path, shallow=False)  # noqa: E731
    put = {name: path for name, path in fresh.items() if not same(name, path)}
    if not put and not leaving:
        return
    ready = work / "ready"
    for name, path in put.items():
        (ready / name).parent.mkdir(parents=True, exist_ok=True)
        (os.rename if path.is_relative_to(work) else shutil.copyfile)(path, ready / name)
    ready.mkdir(exist_ok=True)
    rendering.replace_file(ready / _MOVES, json.dumps({"put": sorted(put), "remove": sorted(leaving)}))
    complete_pending_moves(out)
    os.rename(ready, out / PENDING)
    complete_pending_moves(out)


def complete_pending_moves(out):
    """Put in place what was decided, also by a run that was killed on its way; nothing where all is done."""
    ready, moves = out / PENDING, {"put": (), "remove": ()}
    try:
        if is_pending(out):
            moves |= json.loads((ready / _MOVES).read_text("utf-8"))
        put, remove = ([name for name in moves[part] if _can_be_report_file(out, name)] for part in ("put", "remove"))
    except (ValueError, KeyError, TypeError) as error:
        expected, remedy = "the list of files on their way", "Remove its folder, then run again."
        raise ReportFailed(str(ready / _MOVES), expected=expected, found="something else", remedy=remedy) from error
    for name in put:
        if (ready / name).is_file():  # otherwise it was moved before the kill
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(ready / name, out / name)
    for name in remove:
        (out / name).unlink(missing_ok=True)
        for folder in (out / name).parents:  # those of the site that are empty without it
            if folder.parent in (out, out.parent) or not folder.is_dir() or any(folder.iterdir()):
                break
            folder.rmdir()
    (ready / _MOVES).unlink(missing_ok=True)
    shutil.rmtree(ready, ignore_errors=True)


def is_pending(out):
    """Tell whether a run was ended while its files went into place: some are of before, some are new."""
    return (out / PENDING / _MOVES).is_file()


def files_written_by_reports(out):
    """Return the names that we wrote into the folder before; a line that leads anywhere else is not ours."""
    path = out / WRITTEN
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line for line in lines if line != WRITTEN and _can_be_report_file(out, line)}


def _can_be_report_file(out, name):
    """Whether a name in the out folder can be one that we wrote."""
    parts = PurePosixPath(name).parts
    below = len(parts) > 1 and parts[0] in ("tables", "site") and "\\" not in name
    return name in (LEDGER, WRITTEN) or (below and folders.inside(out, name))


def _refuse_foreign_files(out, names, fresh):
    """Refuse to replace what no report wrote, and a file where a folder has to be."""
    taken = [out / name for name in sorted(names) if (out / name).exists()]
    above = {out / parent for name in fresh for parent in PurePosixPath(name).parents}
    taken += sorted(path for path in above if path.exists() and not path.is_dir())
    if taken:
        expected = "a name that is free, or a file that a report wrote"
        remedy = "Choose another --out, or move the file."
        raise ReportFailed(str(taken[0]), expected=expected, found="a file of somebody else's", remedy=remedy)
