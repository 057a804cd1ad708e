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
import tempfile
from datetime import datetime
from pathlib import Path, PurePosixPath

from dominoperf.errors import ReportFailed
from dominoperf.tables import folders
from dominoperf.tables.files import replace_file
from dominoperf.tables.folders import WRITTEN

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

LOCK = ".lock"
LEDGER = "ledger.toml"
WORK = ".building"  # in the out folder: begins the names of folders of files on their way
PENDING = ".publishing"  # in the out folder: decided, and on its way into place
_MOVES = "moves.json"
_BEYOND = 1 << 20  # Windows lets nobody read what is locked: a byte behind all that is said
_held = set()  # locks of this process
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_ROOM = "Nothing unfinished was put in place. Make room there, or name another folder with --out, then run again."
_LEAVE = "Name a folder that you may write to with --out."


@contextlib.contextmanager
def work_folder_of_reports(out, home):
    """Keep other runs out of a folder, and yield an empty one in it for files on their way, which goes in the end.

    First what a run that was killed on its way has left is put in place, or removed where nothing was decided yet. The
    lock lies in the folder `home`; the operating system's refusals of files become `ReportFailed`.
    """
    with exclusive_lock_on_reports(out, home), naming_refused_files(out):
        complete_pending_moves(out)
        for path in out.glob(f"{WORK}*"):
            shutil.rmtree(path, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=WORK, dir=out.resolve()) as work:
            yield Path(work)


@contextlib.contextmanager
def exclusive_lock_on_reports(out, home):
    """Keep other runs out of a folder, which is made where there is none, for as long as this one is at work.

    The lock, in the folder `home` there, is the operating system's and ends with its process, whose forks give it back:
    what is left on disk after a kill blocks nobody. `ReportFailed` names the process that is at work there and when it
    began, or the folder that cannot be written to, or has no locks, as those of some networks.
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
        lock = open(path, "a+", encoding="utf-8", errors="replace")  # noqa: SIM115
    _held.add(lock)
    try:
        try:
            if fcntl:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                os.lseek(lock.fileno(), _BEYOND, os.SEEK_SET)
                msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise refused_report_file(error, path) from error
            lock.seek(0)
            found = lock.read(100) or "one that has just begun"
            expected = "a folder where no other run is at work"
            remedy = "Wait for it, or name another folder with --out."
            raise ReportFailed(str(out), expected=expected, found=found, remedy=remedy) from error
        with naming_refused_files(path):  # who is at work, for the message of the next one
            lock.truncate(0)
            lock.write(f"process {os.getpid()}, since {datetime.now():%Y-%m-%d %H:%M:%S}")
            lock.flush()
        yield
    finally:
        _held.discard(lock)
        lock.close()


def _release_report_lock_in_fork():
    """In a process that was forked: it may outlive the run, and must not keep the next one out."""
    while _held:
        _held.pop().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_report_lock_in_fork)


@contextlib.contextmanager
def naming_refused_files(place):
    """Turn the operating system's refusal of a file into one that names it, or the place where it had to go."""
    try:
        yield
    except BrokenPipeError:  # whoever read our lines went away: no file's matter
        raise
    except OSError as error:
        raise refused_report_file(error, place) from error


def refused_report_file(error, place):
    """Return the error that tells of an `OSError`; `place` is named where it names no file itself."""
    where = str(error.filename2 or error.filename or place)
    found = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        return ReportFailed(where, expected="room for what is written", found=found, remedy=_ROOM)
    if error.errno in _FORBIDDEN:
        return ReportFailed(where, expected="leave to write there", found=found, remedy=_LEAVE)
    expected, remedy = "a file that can be read and written", "Mend that, then run again."
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)


def move_reports_into_place(out, fresh, unchanged=(), *, gone, replace, work):
    """Move files into place in `out` and remove old ones of ours; refuse first what would replace a file of another's.

    `fresh` has the finished file of each name below `out`; one that is there with the same content is not touched.
    Names in `unchanged` stay as they are; of our other names `gone` tells whether each goes. With `replace` everything
    in `out` may be replaced: it is where reports go by default. `work` is a folder beside, for copies on their way.
    """
    now, before = {*fresh, *unchanged}, files_written_by_reports(out)
    _refuse_foreign_files(out, set() if replace else now - before, fresh)
    leaving = {name for name in before - now if gone(name)}
    replace_file(work / WRITTEN, "\n".join(sorted((before | now) - leaving)) + "\n")
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
    replace_file(ready / _MOVES, json.dumps({"put": sorted(put), "remove": sorted(leaving)}))
    complete_pending_moves(out)
    os.rename(ready, out / PENDING)
    complete_pending_moves(out)


def complete_pending_moves(out):
    """Put in place what was decided, also by a run that was killed on its way; nothing where all is done."""
    ready, moves = out / PENDING, {"put": (), "remove": ()}
    try:
        if are_report_moves_pending(out):
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


def are_report_moves_pending(out):
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
    return name in (LEDGER, WRITTEN) or (below and folders.is_inside_folder(out, name))


def _refuse_foreign_files(out, names, fresh):
    """Refuse to replace what no report wrote, and a file where a folder has to be."""
    taken = [out / name for name in sorted(names) if (out / name).exists()]
    above = {out / parent for name in fresh for parent in PurePosixPath(name).parents}
    taken += sorted(path for path in above if path.exists() and not path.is_dir())
    if taken:
        expected = "a name that is free, or a file that a report wrote"
        remedy = "Choose another --out, or move the file."
        raise ReportFailed(str(taken[0]), expected=expected, found="a file of somebody else's", remedy=remedy)
