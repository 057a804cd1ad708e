"""Put finished files in place, all or none, each at once; leave alone what is somebody else's.

Files cannot be renamed all in one go. So they are laid ready beside with a list of what goes where, and one rename of
the folder decides: before it nothing has happened, after it whoever comes next completes what a kill cut short.
"""

import filecmp
import json
import os
import shutil
from pathlib import PurePosixPath

from dominoperf import tables
from dominoperf.errors import ReportFailed
from dominoperf.tables import rendering

LEDGER = "ledger.toml"
WRITTEN = ".written"  # in the out folder: the files of ours there, the only ones that we ever remove
PENDING = ".publishing"  # in the out folder: decided, and on its way into place
_FOLDERS = ("tables", "site")
_MOVES = "moves.json"


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
    leaving = {name for name in before - now if gone(name)}
    listed = work / WRITTEN
    rendering.replace_file(listed, "\n".join(sorted((before | now) - leaving)) + "\n")
    put = {name: path for name, path in {**fresh, WRITTEN: listed}.items() if not _is_same(out / name, path)}
    if put or leaving:
        complete(out)
        os.rename(_laid_ready(put, leaving, work), out / PENDING)
        complete(out)


def complete(out):
    """Put in place what was decided, also by a run that was killed on its way; nothing where all is done."""
    ready = out / PENDING
    for name in _moves(out, "put"):
        if (ready / name).is_file():  # otherwise it was moved before the kill
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            os.replace(ready / name, out / name)
    for name in _moves(out, "remove"):
        _remove(out, out / name)
    (ready / _MOVES).unlink(missing_ok=True)
    shutil.rmtree(ready, ignore_errors=True)


def is_pending(out):
    """Tell whether a run was ended while its files went into place: some are of before, some are new."""
    return (out / PENDING / _MOVES).is_file()


def _laid_ready(put, leaving, work):
    """Lay the files ready below one folder, with the list of what goes where."""
    ready = work / "ready"
    for name, path in put.items():
        (ready / name).parent.mkdir(parents=True, exist_ok=True)
        if path.is_relative_to(work):
            os.rename(path, ready / name)
        else:
            shutil.copyfile(path, ready / name)
    ready.mkdir(exist_ok=True)
    rendering.replace_file(ready / _MOVES, json.dumps({"put": sorted(put), "remove": sorted(leaving)}))
    return ready


def _moves(out, which):
    """The names of a list that is pending; one that leads anywhere else is not ours."""
    path = out / PENDING / _MOVES
    try:
        names = json.loads(path.read_text("utf-8"))[which] if path.is_file() else ()
        return [name for name in names if name == WRITTEN or _is_ours(out, name)]
    except (ValueError, KeyError, TypeError) as error:
        expected, remedy = "the list of files on their way", "Remove its folder, then run again."
        raise ReportFailed(str(path), expected=expected, found="something else", remedy=remedy) from error


def written(out):
    """Give the names that we wrote into the folder before; a line that leads anywhere else is not ours."""
    path = out / WRITTEN
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return {line for line in lines if _is_ours(out, line)}


def _is_ours(out, line):
    parts = PurePosixPath(line).parts
    below = len(parts) > 1 and parts[0] in _FOLDERS and "\\" not in line
    return line == LEDGER or (below and tables.inside(out, line))


def _keep_strangers(out, names, fresh):
    """Refuse to replace what no report wrote, and a file where a folder has to be."""
    taken = [out / name for name in sorted(names) if (out / name).exists()]
    above = {out / parent for name in fresh for parent in PurePosixPath(name).parents}
    taken += sorted(path for path in above if path.exists() and not path.is_dir())
    if taken:
        expected = "a name that is free, or a file that a report wrote"
        remedy = "Choose another --out, or move the file."
        raise ReportFailed(str(taken[0]), expected=expected, found="a file of somebody else's", remedy=remedy)


def _is_same(place, path):
    return place.is_file() and filecmp.cmp(place, path, shallow=False)


def _remove(out, path):
    """Remove a file, and the folders of the site that are empty without it."""
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder.parent in (out, out.parent) or not folder.is_dir() or any(folder.iterdir()):
            return
        folder.rmdir()
