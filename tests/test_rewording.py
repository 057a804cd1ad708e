"""Prose is exchanged without a run, and what comes out is what a run would give."""

import copy
import json

import nbformat
import pytest
from conftest import write_notebook

from dominoperf import reports
from dominoperf.reports import rewording


@pytest.fixture
def source(tmp_path):
    """A notebook with prose before, between and after its code."""
    path = write_notebook(tmp_path / "10_one.ipynb", "n + 1", "print(n)")
    notebook = nbformat.read(path, as_version=4)
    for at in (0, 2, 4):
        notebook.cells.insert(at, nbformat.v4.new_markdown_cell(f"Words {at}."))
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    return path


def changed(path, change):
    """The digests of a notebook before and after a change."""
    before = rewording.digests(path)
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change(notebook)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    after = rewording.digests(path)
    return {name for name in before if before[name] != after[name]}


CHANGES = {
    "nothing but the layout": (lambda notebook: None, set()),
    "a word": (lambda notebook: notebook["cells"][0].update(source="Other."), {"prose"}),
    "a tag of prose": (lambda notebook: notebook["cells"][0]["metadata"].update(tags=["notebook-only"]), {"prose"}),
    "a place": (lambda notebook: notebook["cells"].insert(0, notebook["cells"].pop(2)), {"prose"}),
    "code": (lambda notebook: notebook["cells"][3].update(source="n + 2"), {"code"}),
    "a tag of code": (lambda notebook: notebook["cells"][3]["metadata"].update(tags=["finding"]), {"code"}),
    "the order of code": (lambda notebook: notebook["cells"].insert(3, notebook["cells"].pop(5)), {"code", "prose"}),
    "the kernel": (lambda notebook: notebook["metadata"]["kernelspec"].update(name="other"), {"code"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_code_and_prose_are_told_apart(source, what):
    """What changes the outputs is code; what only stands around them is prose."""
    change, expected = CHANGES[what]
    assert changed(source, change) == expected


@pytest.mark.parametrize("parameters", [{}, {"n": 5}])
def test_what_comes_out_is_what_a_run_gives(source, tmp_path, parameters):
    """But for the times that papermill writes down, and the number of the cell that it puts in."""
    reports.run_notebook(str(source), parameters, out=tmp_path / "out")
    notebook = nbformat.read(source, as_version=4)
    notebook.cells[2].source = "Other words."
    notebook.cells.insert(3, nbformat.v4.new_markdown_cell("A cell more."))
    del notebook.cells[0]
    source.write_text(nbformat.writes(notebook), encoding="utf-8")
    executed = tmp_path / "out" / "executed.ipynb"
    assert rewording.reword(executed, source)
    reports.run_notebook(str(source), parameters, out=tmp_path / "again")
    assert cells_of(executed) == cells_of(tmp_path / "again" / "executed.ipynb")
    assert len(cells_of(executed)) == 6 + bool(parameters)


def test_other_code_is_refused(source, tmp_path):
    """One cell more, one less, or another."""
    reports.run_notebook(str(source), {}, out=tmp_path / "out")
    text = (tmp_path / "out" / "executed.ipynb").read_text(encoding="utf-8")
    notebook = nbformat.read(source, as_version=4)
    more, less, other = (copy.deepcopy(notebook) for _ in range(3))
    more.cells.append(nbformat.v4.new_code_cell("n"))
    del less.cells[3]
    other.cells[3].source = "n + 2"
    for each in (more, less, other):
        source.write_text(nbformat.writes(each), encoding="utf-8")
        (tmp_path / "executed.ipynb").write_text(text, encoding="utf-8")
        assert not rewording.reword(tmp_path / "executed.ipynb", source)


def cells_of(path):
    """What a reader sees of every cell of an executed notebook."""
    cells = nbformat.read(path, as_version=4).cells
    tags = [list(cell.metadata.get("tags", [])) for cell in cells]
    return [(cell.cell_type, cell.source, tag, cell.get("outputs")) for cell, tag in zip(cells, tags, strict=True)]
