"""The files and versions that a report depends on."""

import hashlib
import platform
import re
from importlib import metadata
from pathlib import Path

from dominoperf import __version__, tables

_PACKAGE = Path(__file__).parent.parent
_COPIES = {"_data", "_notebooks", "__pycache__"}  # of an installed package: the first two are inputs of their own
_KINDS = {".csv", ".json", ".toml"}


def our_data():
    """List every file of our own data, in order."""
    return sorted(path for path in tables.home().rglob("*") if path.suffix in _KINDS and path.is_file())


def data():
    """List every data file in use: ours, and what the descriptors of other folders name.

    Not all that lies in a folder of the user's: it may hold much that is no table.
    """
    return our_data() + [path for folder in tables.foreign() for path in tables.files(folder)]


def library(files=None):
    """List every module of the package, or of these files of it."""
    return [path for path in files or package() if path.suffix == ".py"]


def package():
    """List every file of the package: modules, and what the site is made with."""
    return sorted(path for path in _PACKAGE.rglob("*") if _of_package(path.relative_to(_PACKAGE)) and path.is_file())


def versions():
    """Give the versions of Python, of the package and of what it is declared to need."""
    try:
        needed = [re.match(r"[\w.-]+", line)[0] for line in metadata.requires("dominoperf") or () if ";" not in line]
    except metadata.PackageNotFoundError:  # a checkout on the path, not installed
        needed = []
    return {"python": platform.python_version(), "dominoperf": __version__} | {name: _version(name) for name in needed}


def digest(path):
    """Give the SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def _of_package(path):
    return not _COPIES & {*path.parts} and not any(part.startswith(".") for part in path.parts)


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"
