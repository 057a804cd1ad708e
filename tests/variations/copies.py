"""Copies of the checkout, and what is run in them."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
LOCK = Path(__file__).with_name("lowest.lock")
_OURS = ("DOMINOPERF_", "PYTHON", "LC_", "LANG", "PYTEST_")  # of the caller's environment, what would vary with it
_KEPT = ("DOMINOPERF_SOURCES",)
_LINES = 15  # of what a program said before it failed


class Failed(Exception):
    """A command of a variation failed: its last lines."""


def clone(folder):
    """Copy what is committed; what is not is not varied."""
    run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], ROOT, {})
    return folder


def environment(varied):
    """Give the environment of a run: the caller's without what would vary with the caller, and what is varied."""
    mine = {name: value for name, value in os.environ.items() if name in _KEPT or not name.startswith(_OURS)}
    return mine | varied


def report(python, checkout, varied, *, jobs=2, out=None):
    """Make the reports of a copy, in its own folder of reports or another; give that.

    The committed tables go first: what is not made again must not pass for it.
    """
    if out is None:
        shutil.rmtree(checkout / "reports" / "tables")
    command = [str(python), "-m", "dominoperf.cli", "report", "--jobs", str(jobs)]
    run(command + (["--out", str(out)] if out else []), checkout, {"PYTHONPATH": str(checkout)} | varied)
    return out or checkout / "reports"


def make_environment(checkout, python, lock=None):
    """Make the copy's own environment as a user would, from its lock or from another; give its Python."""
    if lock:
        shutil.copyfile(lock, checkout / "requirements.lock")
    run(["sh", ".ci/venv"], checkout, {"PYTHON": str(python)})
    return checkout / ".venv" / "bin" / "python"


def test(python, checkout, *more):
    """Run the copy's tests in its own environment; give the line that counts them."""
    path = os.pathsep.join([str(python.parent), os.environ.get("PATH", "")])
    command = [str(python), "-m", "pytest", "-n", "auto", "--dist", "loadfile", "-p", "no:cacheprovider", *more]
    return run(command, checkout, {"PATH": path}).strip().splitlines()[-1]


def run(command, folder, varied):
    """Run a command; give what it printed."""
    done = subprocess.run(
        command, cwd=folder, env=environment(varied), capture_output=True, encoding="utf-8", errors="replace"
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-_LINES:]
        raise Failed("\n".join([f"{' '.join(map(str, command[:5]))} ... ended with {done.returncode}:", *said]))
    return done.stdout
