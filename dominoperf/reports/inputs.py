"""The files and versions that a report depends on."""

import hashlib
import platform
import re
from importlib import metadata
from pathlib import Path

from dominoperf import __version__, tables

PACKAGE = Path(__file__).parent.parent
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


def package():
    """List every file of the package: modules, and what the site is made with."""
    found = [(path, path.relative_to(PACKAGE).parts) for path in PACKAGE.rglob("*") if path.is_file()]
    return sorted(path for path, parts in found if not _COPIES & {*parts} and not any(p.startswith(".") for p in parts))


def library():
    """List every module of the package."""
    return [path for path in package() if path.suffix == ".py"]


def versions():
    """Return the versions of Python, of the package and of what it is declared to need."""
    found = {"python": platform.python_version(), "dominoperf": __version__}
    try:
        needed = metadata.requires("dominoperf") or ()
    except metadata.PackageNotFoundError:  # a checkout on the path, not installed
        needed = ()
    for name in [re.match(r"[\w.-]+", line)[0] for line in needed if ";" not in line]:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def digest(path):
    """Return the SHA-256 of a file."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()
