"""What a folder does not allow, in words: no room, no leave to write; and what a run that was killed left in it."""

import contextlib
import errno
import os
import shutil
import time
from pathlib import Path

from dominoperf.errors import ReportFailed

DAY_S = 24 * 60 * 60
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_ROOM = "Nothing unfinished was put in place. Make room there, or name another folder with --out, then run again."
_LEAVE = "Name a folder that you may write to with --out."


def check_writable(out, *names):
    """Refuse a folder that cannot be written to, or folders in it, before anything starts.

    Raises
    ------
    ReportFailed
        Names the folder.
    """
    with writing(out):
        Path(out).mkdir(parents=True, exist_ok=True)
    for folder in (Path(out), *(Path(out) / name for name in names)):
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            expected, found = "a folder to write to", "one that may only be read"
            raise ReportFailed(str(folder), expected=expected, found=found, remedy=_LEAVE)


@contextlib.contextmanager
def writing(place):
    """Turn the operating system's refusal of a file into one that names it, or the place where it had to go."""
    try:
        yield
    except BrokenPipeError:  # whoever read our lines went away: no file's matter
        raise
    except OSError as error:
        raise refused(error, place) from error


def refused(error, place):
    """Give the error that tells of an `OSError`; `place` is named where it names no file itself."""
    where = str(error.filename2 or error.filename or place)
    found = (error.strerror or str(error)).lower()
    if error.errno in _FULL:
        return ReportFailed(where, expected="room for what is written", found=found, remedy=_ROOM)
    if error.errno in _FORBIDDEN:
        return ReportFailed(where, expected="leave to write there", found=found, remedy=_LEAVE)
    expected, remedy = "a file that can be read and written", "Mend that, then run again."
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)


def clear(out, pattern, *, older_s):
    """Remove what runs that were killed left in a folder; what is younger may belong to one that is at work."""
    for path in Path(out).glob(pattern):
        if time.time() - path.stat().st_mtime >= older_s:
            shutil.rmtree(path, ignore_errors=True)
