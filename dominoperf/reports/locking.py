"""One run at a time in a folder: a lock of the operating system, which ends with the process that holds it."""

import contextlib
import errno
import os
from datetime import datetime
from pathlib import Path

from dominoperf.errors import ReportFailed
from dominoperf.reports.storage import check_writable, writing

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

LOCK = ".lock"
_BEYOND = 1 << 20  # Windows lets nobody read what is locked: a byte behind all that is said
_TAKEN = {errno.EAGAIN, errno.EACCES}
_held = set()  # descriptors of this process


@contextlib.contextmanager
def alone(out, home):
    """Keep other runs out of a folder for as long as this one is at work.

    A process that was killed holds no lock any more, and one that it forked never does: what is left on disk blocks
    nobody.

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
    check_writable(out, home, "tables", "site")
    path = Path(out) / home / LOCK
    with writing(path):
        path.parent.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    _held.add(descriptor)
    try:
        certain = _take(descriptor, out)
        with writing(path):
            _say(descriptor)
        yield certain
    finally:
        _held.discard(descriptor)
        os.close(descriptor)


def _take(descriptor, out):
    """Take the lock, or tell who has it."""
    try:
        if fcntl:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            os.lseek(descriptor, _BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno not in _TAKEN:
            return False
        expected, remedy = "a folder where no other run is at work", "Wait for it, or name another folder with --out."
        raise ReportFailed(str(out), expected=expected, found=_said(descriptor), remedy=remedy) from error
    return True


def _say(descriptor):
    """Write down who is at work, for the message of the next one."""
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, f"process {os.getpid()}, since {datetime.now():%Y-%m-%d %H:%M:%S}".encode())


def _said(descriptor):
    os.lseek(descriptor, 0, os.SEEK_SET)
    return os.read(descriptor, 100).decode(errors="replace") or "one that has just begun"


def _let_go():
    """In a process that was forked: it may outlive the run, and must not keep the next one out."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)
