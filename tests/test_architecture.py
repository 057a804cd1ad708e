"""The map of the code (ARCHITECTURE.md) is the code's: rooms, imports, and no document outside the study."""

import ast
import re
import subprocess
import sys
import tomllib

from conftest import ROOT

from dominoperf import tables

LIBRARY = ROOT / "dominoperf"
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"][0]["layers"]


def room(path):
    """The room that a file of the library lies in."""
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def imported(path):
    """The rooms that a file imports."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "dominoperf":
            rooms |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dominoperf."):
            rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {name.name.split(".")[1] for name in node.names if name.name.startswith("dominoperf.")}
    return rooms & set(LAYERS)


def drawing():
    """The rooms from top to bottom, a mark where the room of the row imports that of the column."""
    uses = {name: set() for name in LAYERS}
    for path in LIBRARY.rglob("*.py"):
        if room(path) in uses:
            uses[room(path)] |= imported(path) - {room(path)}
    return "\n".join(
        f"{name:<10}{'  ' * k} {name[0]}" + "".join(" x" if other in uses[name] else " ." for other in LAYERS[k + 1 :])
        for k, name in enumerate(LAYERS)
    )


def test_every_room_is_on_the_map():
    """In the order of the layers, and each of them exists."""
    table = re.search(r"\| Room \|.*?\n\n", MAP, re.DOTALL)[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == LAYERS
    assert {room(path) for path in LIBRARY.rglob("*.py")} - {"__init__"} == set(LAYERS)


def test_the_drawing_is_the_codes():
    """Who imports whom; on a difference the right drawing is in the message."""
    assert drawing() in MAP, f"ARCHITECTURE.md should have\n{drawing()}"


def test_every_file_of_data_is_on_the_map():
    """In the table of the files, and nothing there that does not exist; folders of documents go by their pattern."""
    table = re.search(r"\| File \|.*?\n\n", MAP, re.DOTALL)[0]
    told = re.findall(r"`([^`]*)`", "".join(line.split("|")[1] for line in table.strip().splitlines()[2:]))
    folders = {f"{name}/" for name in tables.sources()["source"]}
    there = {path.name + "/" * path.is_dir() for path in (ROOT / "data").iterdir()} - folders
    assert there == {name.removeprefix("data/") for name in told if "<source>" not in name}


def test_what_the_map_says_to_open_is_there():
    """Every file of its last table."""
    names = [name for name in re.findall(r"`([\w./]+)`", MAP[MAP.index("## Where to look first") :]) if "/" in name]
    assert len(names) >= 10
    assert [name for name in names if not (ROOT / name).exists()] == []


def test_only_the_study_knows_a_document():
    """No key of a document, and so no id of a table of one, in the code of another room."""
    keys = "|".join(map(re.escape, tables.sources()["source"]))
    found = [
        f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"
        for path in LIBRARY.rglob("*")
        if path.suffix in (".py", ".toml", ".md", ".j2", ".html") and room(path) not in ("study", "_data", "_notebooks")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(rf"\b({keys})\b", line)
    ]
    assert not found, "\n".join(found)


def test_only_data_and_study_cite_a_page():
    """No page of a document, as "page 3" or the page of a chapter, in the code of another room."""
    pages = re.compile(r"\bpages? \d|(?<![\w.-])\d-\d{1,2}(/\d-\d{1,2}| to \d-\d{1,2})|\(\d-\d{1,2}\)")
    found = [
        f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"
        for path in LIBRARY.rglob("*.py")
        if room(path) not in ("study", "_data", "_notebooks")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pages.search(line)
    ]
    assert not found, "\n".join(found)


def test_nothing_is_cited_that_a_reader_does_not_have():
    """Links of the Markdown files lead to files, and no text names the notes that the project was planned with."""
    for page in ROOT.glob("*.md"):
        links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (ROOT / link).exists()] == [], page.name
    texts = [
        *ROOT.glob("*.*"),
        *LIBRARY.rglob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "data").glob("*.toml"),
    ]
    notes = re.compile(r"\b(house|models|pages|prose|tooling|anchors)\.md\b|shared/design")
    assert [
        path.name
        for path in texts
        if path.name != "test_architecture.py" and path.is_file() and notes.search(path.read_text("utf-8"))
    ] == []


LOADS = """
import sys

def lacks(step, *names):
    assert not {*names} & {*sys.modules}, (step, {*names} & {*sys.modules})

import dominoperf, dominoperf.cli
lacks("--help", "pandas", "scipy", "matplotlib", "papermill", "frictionless", "pint", "statsmodels", "seaborn")
import dominoperf.app
lacks("the room of the panels", "ipywidgets", "itables")
from dominoperf import figures, reports
lacks("the room of pictures", "seaborn")
reports.explain("out")
lacks("finding that nothing has to run", "papermill", "nbconvert", "nbformat", "joblib", "scipy", "matplotlib")
dominoperf.curve
lacks("a curve of load tests", "dominoperf.fitting", "dominoperf.laws")
figures.picture
assert "seaborn" in sys.modules
lacks("a still picture", "altair")
"""


def test_nothing_is_loaded_before_it_is_needed(tmp_path):
    """Step after step in one process: a command that needs none of the heavy packages does not wait for them."""
    done = subprocess.run([sys.executable, "-c", LOADS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
