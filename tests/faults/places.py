"""A place to break: a checkout of links with notebooks of its own, the real command in it, and what it left behind."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent.parent
LINKED = ("data", "README.md", "CHANGELOG.md", "CITATION.cff", "LICENSE")
LONG_S = 300  # for a command that ought to end
GONE_S = 30  # for the processes of a command that was killed
PARAMETERS = "value: int = 1  # what is saved"
SAVES = (  # leaves word of its kernel, takes a little time, and saves a table that says which version made it
    "import os, pathlib, time\npathlib.Path(f'kernel-{os.getpid()}').touch()",
    "time.sleep(0.2)",
    "import dominoperf, pandas\n"
    "dominoperf.save(pandas.DataFrame({'row': range(50), 'value': value}), name, computed_from='claims')",
)
SITE = '''"""In the place of Sphinx, which takes ten seconds: many small pages of what the notebooks gave."""

import hashlib


def prepare_common_pages(pages, cache, key):
    """Have nothing to make ahead."""


def build_site(pages, folder, **_):
    """Write the pages."""
    (folder / "pages").mkdir(parents=True)
    made = [path.read_bytes() for run, notebook in pages for path in sorted(notebook.parent.glob("*.csv"))]
    text = hashlib.sha256(b"".join(made)).hexdigest()
    for number in range(60):
        (folder / "pages" / f"{number}.html").write_text(f"{text} {number}")
    (folder / "index.html").write_text(text)
'''


@dataclass(frozen=True)
class Done:
    """What a command came to: its exit status (a signal is negative) and what it said on stderr."""

    status: int
    said: str

    @classmethod
    def of(cls, process):
        """Wait for a command to end."""
        _, said = process.communicate(timeout=LONG_S)
        return cls(process.returncode, said)

    @property
    def message(self):
        """The first line that is the command's own."""
        lines = [line for line in self.said.splitlines() if line.startswith("dominoperf: ")]
        return lines[0].removeprefix("dominoperf: ") if lines else ""


class Place:
    """A folder with the package, the data and notebooks of its own; `out` is where the reports go."""

    def __init__(self, home, *, quick=True):
        self.home, self.out = Path(home).resolve(), Path(home).resolve() / "out"
        (self.home / "notebooks").mkdir(parents=True)
        for name in LINKED:
            (self.home / name).symlink_to(ROOT / name)
        if quick:
            shutil.copytree(ROOT / "dominoperf", self.home / "dominoperf")
            (self.home / "dominoperf" / "reports" / "site.py").write_text(SITE, encoding="utf-8")
        else:
            (self.home / "dominoperf").symlink_to(ROOT / "dominoperf")

    def list_reports(self, *names, value=1):
        """Make notebooks that save a table each; the value is the version."""
        for number, name in enumerate(names):
            cells = (f"name = {name!r}", *SAVES)
            self.notebook(f"1{number}_{name}", *cells, parameters=PARAMETERS.replace("= 1", f"= {value}"))

    def notebook(self, stem, *cells, parameters=PARAMETERS):
        """Write a notebook and put it on the run list."""
        tagged = [_cell(parameters, ["parameters"]), *map(_cell, cells)]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        whole = {"cells": tagged, "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        path = self.home / "notebooks" / f"{stem}.ipynb"
        path.write_text(json.dumps(whole), encoding="utf-8")
        listed = sorted(each.stem for each in path.parent.glob("*.ipynb"))
        (path.parent / "runs.toml").write_text("".join(f"[{each}]\n" for each in listed), encoding="utf-8")
        return path

    def start(self, *words, code=None, before=None, stdout=subprocess.PIPE):
        """Start the command, or code in its place that gets the words, as leader of processes of its own."""
        program = ["-m", "dominoperf.cli"] if code is None else ["-c", code]
        variables = {name: value for name, value in os.environ.items() if not name.startswith("DOMINOPERF")}
        return subprocess.Popen(
            [sys.executable, *program, *map(str, words)],
            cwd=self.home,
            env=variables | {"PYTHONPATH": str(self.home)},
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=before,
        )

    def run(self, *words, **how):
        """Run the command to its end."""
        return Done.of(self.start(*words, **how))

    def report(self, *words, **how):
        """Run the reports."""
        return self.run("report", "--out", self.out, *words, **how)

    def verify(self):
        """Compare them with their ledger."""
        return self.run("verify", "--out", self.out)

    def processes(self):
        """Every process that works in this place, however it was started."""
        return [process for process in psutil.process_iter() if _works_in(process, self.home)]

    def gone_after(self):
        """Wait until no process works here any more; give the seconds, or None where some stay (and are ended)."""
        began = time.monotonic()
        while time.monotonic() - began < GONE_S:
            if not self.processes():
                return time.monotonic() - began
            time.sleep(0.1)
        for process in self.processes():
            with contextlib.suppress(psutil.Error):
                process.kill()
        return None

    def kernels(self):
        """The processes of the kernels that left word."""
        return [int(path.name.partition("-")[2]) for path in self.home.glob("kernel-*")]

    def forget_kernels(self):
        """Take away the words that kernels left."""
        for path in self.home.glob("kernel-*"):
            path.unlink()


def ended(process):
    """Kill a command as no program can prevent, and wait for that process alone."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=LONG_S)
    process.stderr.close()
    if process.stdout:
        process.stdout.close()


def outputs(out):
    """What a reader of the folder has: name to the digest of every table and page, and of the ledger."""
    files = [path for part in ("tables", "site") for path in (Path(out) / part).rglob("*") if path.is_file()]
    files += [path for path in [Path(out) / "ledger.toml"] if path.is_file()]
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def left_behind(out):
    """Names in the folder that are neither outputs nor what the next run needs."""
    ours = {"tables", "site", "ledger.toml", ".written", ".engine", ".sweep"}
    return sorted(path.name for path in Path(out).iterdir() if path.name not in ours)


def _cell(source, tags=()):
    metadata = {"tags": list(tags)} if tags else {}
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": source}


def _works_in(process, home):
    try:
        return process.status() != psutil.STATUS_ZOMBIE and Path(process.cwd()).is_relative_to(home)
    except (psutil.Error, OSError):
        return False
