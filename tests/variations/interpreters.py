"""The Pythons of a machine: one for each minor version that the project allows."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

_MINORS = range(9, 40)
_ASK = "import sys, venv, ensurepip; print(*sys.version_info[:2])"


def found(project):
    """Map each minor version that is allowed and runs, ``(3, 12)``, to an interpreter; this one is first."""
    lowest = allowed(project)
    told = {}
    for path in candidates():
        version = _version(path)
        if version and version >= lowest:
            told.setdefault(version, path)
    return dict(sorted(told.items()))


def allowed(project):
    """Give the lowest version that ``pyproject.toml`` allows."""
    said = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["requires-python"]
    return tuple(int(part) for part in re.fullmatch(r">=(\d+)\.(\d+)", said).groups())


def candidates():
    """List what may be a Python: the one that runs this, those of pyenv, those on the path.

    Those of pyenv first: what it puts on the path refuses to run unless a version was selected.
    """
    own = Path(sys.base_prefix, "bin", "python3")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv", "versions")
    kept = sorted(pyenv.glob("3.*/bin/python"), key=_numbers, reverse=True)
    folders = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    named = [folder / f"python3.{minor}" for minor in _MINORS for folder in folders]
    return [path for path in (own, *kept, *named) if path.is_file() and os.access(path, os.X_OK)]


def _numbers(path):
    return [int(number) for number in re.findall(r"\d+", path.parent.parent.name)]


def _version(path):
    """Its minor version; None where it does not run, or makes no environments."""
    done = subprocess.run([path, "-c", _ASK], capture_output=True, text=True, check=False)
    return tuple(int(part) for part in done.stdout.split()) if done.returncode == 0 else None
