"""Which folders of data are in use, and where our own lies."""

import contextlib
import functools
import os
import tomllib
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable, UnknownName
from dominoperf.tables.descriptors import CLAIMS, DESCRIPTOR, ERRATA, NAME_IN_WORDS, SERIES, fault_of_name, package

IN_USE = "DOMINOPERF_DATA"  # environment variable: data folders beside ours; processes that we start inherit it
_A_FOLDER = "the path of a data folder"


@functools.cache
def home():
    """Return the folder of our own data: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent.parent / "_data"
    return inside if inside.is_dir() else Path(__file__).parent.parent.parent / "data"


def our_file(name):
    """Return what a TOML file of our own data says; nothing in it is to be changed."""
    path = home() / name
    return _toml(path, path.stat().st_mtime_ns)


@functools.cache
def _toml(path, _stamp):
    return tomllib.loads(path.read_text(encoding="utf-8"))


def path_of(given, where, expected):
    """Return the path that an argument names.

    Raises
    ------
    BadTable
        When it is neither text nor a path: a number would be taken for a file that is open already.
    """
    if not isinstance(given, (str, os.PathLike)):
        raise BadTable(where, expected=expected, found=type(given).__name__, remedy="Give the path as text.")
    return Path(given)


def use(folder):
    """Add a data folder of your own to every later call; its tables get the folder's name as their source.

    Parameters
    ----------
    folder : path
        With a ``datapackage.json``; nothing in it is written to.

    Raises
    ------
    BadTable
        When the folder has no usable ``datapackage.json``, or its name is that of a source in use.
    """
    path = path_of(folder, "use(folder)", _A_FOLDER).resolve()
    package(path)
    before = os.environ.get(IN_USE, "")
    if path in in_use():
        return
    # Names are judged of all folders together: this one has to be among them before it can be refused.
    os.environ[IN_USE] = os.pathsep.join([*filter(None, before.split(os.pathsep)), str(path)])
    try:
        in_use()
    except BadTable:
        os.environ[IN_USE] = before
        raise


@contextlib.contextmanager
def using(folder):
    """Add a data folder for the length of a ``with`` block; gives its path."""
    path = path_of(folder, "using(folder)", _A_FOLDER).resolve()
    known = path in in_use()
    use(path)
    try:
        yield path
    finally:
        if not known:
            _forget(path)


def _forget(path):
    """Take a folder out of use, and no other: what is in use may have changed since it came."""
    left = [each for each in os.environ.get(IN_USE, "").split(os.pathsep) if each not in ("", str(path))]
    os.environ.pop(IN_USE, None)
    if left:
        os.environ[IN_USE] = os.pathsep.join(left)


def packages(folder):
    """List the data folders that a path means: itself, or, where it has no descriptor, those in it that have one."""
    folder = path_of(folder, "folder", _A_FOLDER)
    inner = [] if (folder / DESCRIPTOR).exists() else sorted(path.parent for path in folder.glob(f"*/{DESCRIPTOR}"))
    return inner or [folder]


def in_turn(folder):
    """Return the path of each data folder that a path means, in use while it is looked at."""
    for each in packages(folder):
        with using(each) as path:
            yield path


def ours():
    """List the folders of the five documents, in the order of ``sources.toml``."""
    return list(_ours(home()))


@functools.cache
def _ours(home):
    return [home / key for key in our_file("sources.toml")]


def foreign():
    """List the data folders in use that are not ours."""
    known = ours()
    return [folder for folder in in_use() if folder not in known]


def files(folder):
    """List the files of a data folder that are read: its descriptor, what that names, and what may stand beside it."""
    named = (DESCRIPTOR, CLAIMS, ERRATA, SERIES, *(each["path"] for each in package(folder)["resources"]))
    return [path for path in dict.fromkeys(folder / name for name in named) if path.is_file()]


def stamp(*, ours=False):
    """Return what tells whether the user's data in use, or with ours all, are the same: every file with its time."""
    paths = [path for folder in (in_use() if ours else foreign()) for path in files(folder)]
    paths += [path for path in sorted(home().iterdir()) if path.is_file()] if ours else []
    return tuple((path, path.stat().st_mtime_ns) for path in paths)


def sources():
    """List the documents in use.

    Returns
    -------
    DataFrame
        source, title, count (of its tables).
    """
    rows = [(f.name, package(f)["title"], len(package(f)["resources"])) for f in in_use()]
    return pd.DataFrame(rows, columns=["source", "title", "count"])


def document(source):
    """Return what is known of a document.

    Parameters
    ----------
    source : str
        Its key, see `sources`.

    Returns
    -------
    dict
        title, publisher, date, rights, year, system, as far as they are known.
    """
    return dict(package(folder_of(source))["document"])


def in_use():
    """List the folders in use: our documents, then those of ``DOMINOPERF_DATA``.

    Raises
    ------
    BadTable
        When two folders have one name, or a name cannot be the first part of ids and file names.
    """
    named = os.environ.get(IN_USE, "")
    return list(_in_use(tuple(ours()), named, os.getcwd() if named else ""))


@functools.lru_cache(maxsize=8)
def _in_use(ours, named, _where):
    """The folders; asked for at every look at a table, so what was found for the same names is remembered."""
    listed = [Path(part).resolve() for part in named.split(os.pathsep) if part]
    found = list(dict.fromkeys([*ours, *listed]))
    taken = {folder.name: folder for folder in reversed(found)}
    remedy = "Rename the folder: its name is the first part of its tables' ids."
    for folder in listed:
        if fault_of_name(folder.name):
            raise BadTable(str(folder), expected=NAME_IN_WORDS, found=repr(folder.name), remedy=remedy)
        if taken[folder.name] != folder:
            other = "a document of ours" if taken[folder.name] in ours else str(taken[folder.name])
            found_ = f"{folder.name!r}, also the name of {other}"
            raise BadTable(str(folder), expected="a name that no other data folder has", found=found_, remedy=remedy)
    return found


def folder_of(source):
    """Return the folder of a source.

    Raises
    ------
    UnknownName
        When no folder in use has that name.
    """
    used = {folder.name: folder for folder in in_use()}
    if not isinstance(source, str) or source not in used:
        raise UnknownName.among("source", source, used, f"Known are {', '.join(used)}.")
    return used[source]
