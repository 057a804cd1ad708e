"""What a user names (files, folders, patterns, standard input) as a list of files in natural order."""

import glob
import os
import re

from dominoperf.errors import BadTable, MissingFile
from dominoperf.tables.files import STDIN, WEB, is_url
from dominoperf.tables.folders import WRITTEN, path_of_argument

PathOrPaths = str | os.PathLike | list | tuple
"""What names files: a file, folder, pattern or URL, or a list of them."""
_PATTERN = re.compile(r"[*?\[]")
_HIDDEN = "."  # names that begin so are the system's own


def files(*paths: PathOrPaths) -> list[str]:
    """Return the files that paths name: each once, in natural order (``c2.txt`` before ``c10.txt``).

    Parameters
    ----------
    *paths : str, Path, or list of them
        A file; a folder, for all files below it whose names do not begin with a dot, without those of our reports in
        it; a pattern with ``*``, ``?``, ``[...]`` or ``**``; ``-``, for standard input; an fsspec URL, which may name
        a folder or be a pattern. Files packed with gzip, bzip2, xz or zstd are unpacked when they are read.

    Returns
    -------
    list of str
        Paths as `read` takes them. That one is a file of a load test is not looked at here.

    Raises
    ------
    BadTable
        When a pattern or folder has no file, or nothing is named.
    OSError
        When there is no such file.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("c10.txt", "c2.txt", ".hidden"):
    ...     _ = (folder / name).write_text("")
    >>> [pathlib.Path(path).name for path in files(folder)]
    ['c2.txt', 'c10.txt']
    """
    named = [file for path in paths for file in (path if isinstance(path, (list, tuple)) else [path])]
    if not named:
        raise BadTable("files", expected="the path of a file", found="none", remedy="Name one at least.")
    by_place = {}
    for path in named:
        path_of_argument(path, "files(path)", "the path, pattern or URL of recorded files")
        for file in _files_of_path(os.fspath(path)):
            by_place.setdefault(file if file == STDIN or is_url(file) else os.path.realpath(file), file)
    return sorted(by_place.values(), key=natural_order)


def natural_order(path):
    """Return a key by which numbers in names are compared as numbers; standard input comes first."""
    parts = re.split(r"(\d+)", path, flags=re.ASCII)
    return path != STDIN, [int(part) if k % 2 else part.casefold() for k, part in enumerate(parts)], path


def _files_of_path(text):
    if text == STDIN or text.startswith(WEB):
        return [text]
    if is_url(text):
        return _files_of_url(text)
    text = os.path.expanduser(text)
    if os.path.isdir(text):
        return _at_least_one_file(_files_of_folder(text), text, "a folder with files", "it has none")
    if os.path.exists(text):
        return [text]
    if _PATTERN.search(text) and "\0" not in text:
        places = [file for place in glob.glob(text, recursive=True) if not os.path.basename(place).startswith(_HIDDEN)
                  for file in (_files_of_folder(place) if os.path.isdir(place) else _files_of_path(place))]  # fmt: skip
        return _at_least_one_file(places, text, "a pattern that some file matches", "none that does")
    raise MissingFile(text)


def _files_of_folder(folder):
    """The files of a folder and of those in it; links to folders are not followed, so there is an end.

    A folder in it that reports were written to is left out: their tables would be read as runs.
    """
    files = []
    for place, folders, names in os.walk(folder):
        ours = {name for name in folders if os.path.exists(os.path.join(place, name, WRITTEN))}
        folders[:] = [name for name in folders if not name.startswith(_HIDDEN) and name not in ours]
        paths = (os.path.join(place, name) for name in names if not name.startswith(_HIDDEN))
        files += filter(os.path.isfile, paths)
    return files


def _files_of_url(text):
    """The files that a URL, a folder or a pattern behind one names."""
    import fsspec

    try:
        system, path = fsspec.url_to_fs(text)
        pattern = _PATTERN.search(path)
        folder = not pattern and system.isdir(path)
        paths = system.glob(path) if pattern else system.find(path) if folder else []
    except (ValueError, ImportError):  # told when it is opened
        return [text]
    if not pattern and not folder:
        return [text]
    start = len(_PATTERN.split(path)[0])
    shown = [place for place in paths if not any(part.startswith(_HIDDEN) for part in place[start:].split("/"))]
    paths = [system.unstrip_protocol(place) for place in shown if not system.isdir(place)]
    return _at_least_one_file(paths, text, "a folder or pattern with files", "it has none")


def _at_least_one_file(paths, where, expected, found):
    if not paths:
        raise BadTable(where, expected=expected, found=found, remedy="Look at the name, and at what lies there.")
    return paths
