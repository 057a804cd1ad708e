"""Which folders of data are in use, and their descriptors."""

import functools
import json
import os
import tomllib
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable, UnknownName

_used = []


def home():
    """Give the folder of our own data: inside an installed package, or beside it in a checkout."""
    inside = Path(__file__).parent.parent / "_data"
    return inside if inside.is_dir() else Path(__file__).parent.parent.parent / "data"


def use(folder):
    """Add a data folder of your own to every later call; its tables get the folder's name as their source.

    Raises
    ------
    BadTable
        When the folder has no ``datapackage.json``, or its name is that of a source in use.
    """
    path = Path(folder).resolve()
    package(path)
    if path not in folders():
        _used.append(path)
        try:
            folders()
        except BadTable:
            _used.remove(path)
            raise


def sources():
    """List the documents in use: a frame of source, title and number of tables."""
    rows = [(f.name, package(f)["title"], len(package(f)["resources"])) for f in folders()]
    return pd.DataFrame(rows, columns=["source", "title", "count"])


def document(source):
    """Give what is known of a document as a dict: title, publisher, date, rights, year, system."""
    return dict(package(folder_of(source))["document"])


def vocabulary():
    """Give every column name used anywhere: a dict of name to its unit, where it has one, and meaning."""
    return _toml(home() / "columns.toml")


def folders():
    """List the folders in use: our documents, those of ``DOMINOPERF_DATA``, those added by `use`."""
    listed = [Path(part).resolve() for part in os.environ.get("DOMINOPERF_DATA", "").split(os.pathsep) if part]
    ours = [home() / key for key in _toml(home() / "sources.toml")]
    found = list(dict.fromkeys([*ours, *listed, *_used]))
    taken = [folder.name for folder in found]
    for folder in found:
        if taken.count(folder.name) > 1 and folder not in ours:
            raise BadTable(
                str(folder),
                expected="a name that no other data folder has",
                found=f"{folder.name!r}, also the name of another folder in use",
                remedy="Rename the folder: its name is the first part of its tables' ids.",
            )
    return found


def folder_of(source):
    """Give the folder of a source.

    Raises
    ------
    UnknownName
        When no folder in use has that name.
    """
    used = {folder.name: folder for folder in folders()}
    if source not in used:
        raise UnknownName.among("source", source, used, f"Known are {', '.join(used)}.")
    return used[source]


def names(folder):
    """List the names of a folder's tables, then of its views."""
    descriptor = package(folder)
    return [*(resource["name"] for resource in descriptor["resources"]), *descriptor.get("views", {})]


def package(folder):
    """Give a folder's descriptor as a dict.

    Raises
    ------
    BadTable
        When there is none that can be read.
    """
    path = folder / "datapackage.json"
    try:
        return _json(path, path.stat().st_mtime_ns)
    except (OSError, ValueError) as error:
        raise BadTable(
            str(path),
            expected="the descriptor of a data folder (a Frictionless Data Package)",
            found=f"none that can be read ({error})",
            remedy=f"Run `dominoperf check {folder}` for all that is wrong with the folder.",
        ) from error


@functools.cache
def _json(path, _stamp):
    descriptor = json.loads(path.read_text(encoding="utf-8"))
    descriptor.setdefault("title", path.parent.name)
    descriptor.setdefault("document", {"title": descriptor["title"]})
    return descriptor


@functools.cache
def _toml(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))
