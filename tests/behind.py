"""Locked packages that have a newer version, and why: `python tests/behind.py` asks the index and writes behind.csv.

What holds one back is the bound of a package that needs it; without one, the version came out after the lock was made.
"""

import csv
import json
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import licences
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TABLE = Path(__file__).with_name("behind.csv")
COLUMNS = ("package", "locked", "newest", "held_by")


def bounds(name, version):
    """List the installed packages that do not allow this version, each with its bound."""
    found = {}
    for package in metadata.distributions():
        for need in map(Requirement, package.requires or ()):
            applies = not need.marker or need.marker.evaluate({"extra": ""})
            if canonicalize_name(need.name) == name and applies and not need.specifier.contains(version):
                found[package.name] = f"{package.name} needs {need.specifier}"
    return sorted(found.values())


if __name__ == "__main__":
    command = [sys.executable, "-m", "pip", "list", "--outdated", "--format", "json", "--disable-pip-version-check"]
    newer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for each in newer:
            name = canonicalize_name(each["name"])
            if name in licences.locked():
                held = "; ".join(bounds(name, each["latest_version"])) or "nothing: newer than the lock"
                writer.writerow((name, each["version"], each["latest_version"], held))
