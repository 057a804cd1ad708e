"""Put finished files in place, all at the end, each at once; leave alone what is somebody else's."""

import filecmp
import os
import shutil
from pathlib import PurePosixPath

from dominoperf import catalog, rendering
from dominoperf.errors import ReportFailed

LEDGER = "ledger.toml"
WRITTEN = ".written"  # in the out folder: the files of ours there, the only ones that we ever remove
_FOLDERS = ("tables", "site")


def publish(out, fresh, kept, *, gone, own, work):
    """Move files into place and remove old ones of ours.

    Parameters
    ----------
    out : Path
    fresh : dict
        Name below `out` to the finished file; one that is there with the same content is not touched.
    kept : collection of str
        Names of ours that stay as they are.
    gone : callable
        Tells of a name of ours that is neither fresh nor kept whether it goes.
    own : bool
        Whether everything in `out` may be replaced: it is where reports go by default.
    work : Path
        A folder beside `out`, for copies on their way.

    Raises
    ------
    ReportFailed
        When a file of somebody else's is in the way; then nothing has been moved.
    """
    now, before = {*fresh, *kept}, written(out)
    _keep_strangers(out, set() if own else now - before, fresh)
    for name, path in fresh.items():
        _put(path, out / name, work)
    leaving = {name for name in before - now if gone(name)}
    for name in leaving:
        _remove(out, out / name)
    listed = "\n".join(sorted((before | now) - leaving)) + "\n"
    if not (out / WRITTEN).exists() or (out / WRITTEN).read_text("utf-8") != listed:
        rendering.replace_file(out / WRITTEN, listed)


def written(out):
    """Give the names that we wrote into the folder before; a line that leads anywhere else is not ours."""
    path = out / WRITTEN
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line for line in lines if line == LEDGER or (_is_below(line) and catalog.inside(out, line))}


def _is_below(line):
    parts = PurePosixPath(line).parts
    return len(parts) > 1 and parts[0] in _FOLDERS and "\\" not in line


def _keep_strangers(out, names, fresh):
    """Refuse to replace what no report wrote, and a file where a folder has to be."""
    taken = [out / name for name in sorted(names) if (out / name).exists()]
    above = {out / parent for name in fresh for parent in PurePosixPath(name).parents}
    taken += sorted(path for path in above if path.exists() and not path.is_dir())
    if taken:
        expected = "a name that is free, or a file that a report wrote"
        remedy = "Choose another --out, or move the file."
        raise ReportFailed(str(taken[0]), expected=expected, found="a file of somebody else's", remedy=remedy)


def _put(path, place, work):
    """Copy beside, then rename: a reader meets the old file or the new, never half of one."""
    if place.is_file() and filecmp.cmp(place, path, shallow=False):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = work / ".moving"
    shutil.copyfile(path, beside)
    os.replace(beside, place)


def _remove(out, path):
    """Remove a file, and the folders of the site that are empty without it."""
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder.parent in (out, out.parent) or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()
