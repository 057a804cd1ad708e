"""The main job: every report, against the same notebooks run one after another by papermill's command line.

Whole commands in a copy of the checkout, each once: they take minutes, and their tables must be the same to the byte.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import Row, took

from dominoperf import reports
from dominoperf.reports import saving

ROOT = Path(__file__).parents[2]
PAPERMILL = (sys.executable, "-m", "papermill")
COMMAND = (sys.executable, "-m", "dominoperf.cli")
_CHANGED = "20_processors"


def races():
    """Yield a row for everything at once, nothing, and one notebook, its prose or code; then the command line alone."""
    with tempfile.TemporaryDirectory(prefix="dominoperf-bench-") as folder:
        place = Path(folder)
        for name in ("data", "dominoperf", "notebooks"):
            shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "CITATION.cff", place)  # a page of the site is made from it
        run(place, *COMMAND, "report", "sources")  # both sides find their modules compiled
        theirs = took(lambda: one_after_another(place))
        ours = took(lambda: run(place, *COMMAND, "report", "--fresh"))
        check_equal(place / "reports" / "tables", place / "theirs")
        count = len(reports.runs())
        yield Row(f"report --fresh, {count} notebooks", "papermill, one after another", ours, theirs, ">= 6")
        unchanged = took(lambda: run(place, *COMMAND, "report"))
        yield Row("report, nothing changed", "papermill, one after another", unchanged, theirs, "< 1,000 ms")
        for kind, part in (("markdown", "prose"), ("code", "code")):
            change(place / "notebooks" / f"{_CHANGED}.ipynb", kind)
            changed = took(lambda: run(place, *COMMAND, "report"))
            yield Row(
                f"report, {part} of {_CHANGED} changed", "papermill, one after another", changed, theirs, "< 4,000 ms"
            )
        for ours, other in (((*COMMAND, "--help"), "import pandas"), (("-c", "import dominoperf"), "import pandas")):
            mine = took(lambda ours=ours: run(place, *(ours if ours[0] == sys.executable else (sys.executable, *ours))))
            its = took(lambda: run(place, sys.executable, "-c", "import pandas"))
            yield Row(" ".join(ours[-2:]).removeprefix("dominoperf.cli "), other, mine, its, "< 200 ms")


def one_after_another(place):
    """Run every notebook of the run list by papermill's command line, one after another."""
    for each in reports.runs():
        out = place / "papermill" / each.name
        out.mkdir(parents=True)
        values = [word for name, value in each.parameters.items() for word in ("-p", name, value)]
        notebook = place / "notebooks" / f"{each.notebook}.ipynb"
        command = [*PAPERMILL, "--no-progress-bar", str(notebook), str(out / "executed.ipynb"), *values]
        run(place, *command, DOMINOPERF_OUT=str(place / "theirs"))


def run(place, *command, **variables):
    """Run a command in the copy, quietly; its words are shown where it fails."""
    environment = {**os.environ, "PYTHONPATH": str(place), **variables}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # with it each process of the copy compiles the library anew
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def check_equal(ours, theirs):
    """Stop where a table differs: what is quick and other is no race. The list of all tables is the report's alone."""
    content = [
        {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.suffix in {".csv", ".md"} and path.name != saving.PLACES
        }
        for folder in (ours, theirs)
    ]
    if content[0] != content[1]:
        differing = sorted(name for name in {*content[0], *content[1]} if content[0].get(name) != content[1].get(name))
        raise SystemExit(f"tables differ: {', '.join(differing)}")


def change(path, kind):
    """Add a line to the last cell of a kind of a notebook: a word, or a comment."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    [cell for cell in notebook["cells"] if cell["cell_type"] == kind][-1]["source"].append("\n# One word more")
    path.write_text(json.dumps(notebook), encoding="utf-8")
