"""What several test modules share: the source texts, and a small data folder to break."""

import json
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # nothing is timed in a test
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def source_texts():
    """The folder of the extracted texts; without it the test is skipped, visibly."""
    folder = os.environ.get("DOMINOPERF_SOURCES", "")
    if not folder or not Path(folder).is_dir():
        pytest.skip("DOMINOPERF_SOURCES names no folder: the printed cells are not compared with the source texts")
    return Path(folder)


@pytest.fixture
def folder(tmp_path):
    """A good data folder of one table; tests change `package` or the CSV and write it with `write_package`."""
    path = tmp_path / "mine"
    path.mkdir()
    (path / "runs.csv").write_text('system,users,unit\nA,"1,200",user\nB,.5,user\n', encoding="utf-8")
    fields = [
        {"name": "system", "type": "string", "description": "System"},
        {"name": "users", "type": "number", "unit": "user", "groupChar": ",", "description": "Users"},
        {"name": "unit", "type": "string", "description": "Unit"},
    ]
    schema = {"fields": fields, "primaryKey": ["system"], "missingValues": [""]}
    resource = {
        "name": "runs",
        "type": "table",
        "path": "runs.csv",
        "format": "csv",
        "encoding": "utf-8",
        "schema": schema,
    }
    write_package(path, {"name": "mine", "resources": [resource]})
    return path


def write_package(folder, package):
    """Write the descriptor of a folder."""
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")


def read_package(folder):
    """Read the descriptor of a folder."""
    return json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))


def write_notebook(path, *cells, parameters="n: int = 1  # a number"):
    """Write a notebook with a parameters cell and the given code cells."""
    import nbformat

    tagged = nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=[tagged, *map(nbformat.v4.new_code_cell, cells)], metadata=kernel)
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path
