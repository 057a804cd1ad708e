"""Run notebooks here with every cell of an erratum changed: their outputs, as JSON; for ``test_carried_errata``.

A process of its own, since the library keeps what it has read.
"""

import ast
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path

from matplotlib.layout_engine import ConstrainedLayoutEngine
from seaborn.axisgrid import Grid

import dominoperf
from dominoperf.figures import pictures
from dominoperf.tables import errata
from dominoperf.tables.reading import read_number

tables = importlib.import_module("dominoperf.tables.loading")  # the room hands out a function of that name
_UNKNOWN = 0.5  # times a number whose right value is not known: two prints of it to other digits agree as before


def main(paths):
    """Print the outputs of each notebook: its stem to a list of (index of the code cell, what it says)."""
    tables.TableRecord.cells = _changed(tables.TableRecord.cells)
    dominoperf._without_address_grammar()
    _without_looks()
    with tempfile.TemporaryDirectory() as out:
        os.environ["DOMINOPERF_OUT"] = out
        print(json.dumps({Path(path).stem: _run(Path(path)) for path in paths}))


def _without_looks():
    """Draw only what the words of a picture are read from: one size, wherever things stand in it."""
    wide = pictures.figure_with_words
    pictures.figure_with_words = lambda draw, size, *how: wide(draw, size, *how) if size is pictures.TEXT else None
    pictures.figure_as_svg = lambda figure: ""
    ConstrainedLayoutEngine.execute = Grid.tight_layout = lambda *_, **__: None


def _changed(cells):
    """What a table holds if every suspected erratum is right: in all views but the printed one."""

    def changed(table, as_):
        frame = cells(table, "printed" if as_ == "printed" else "suspected")
        if as_ == "printed" or table.view:
            return frame
        wrong = errata(table.base)
        for item in wrong[(wrong["status"] == "suspected") & wrong["row"].notna()].itertuples():
            number = read_number(item.printed)
            if number is not None and not item.corrected:
                frame.loc[item.row - 1, item.column] = f"{_UNKNOWN * number:.6g}"
            elif not item.corrected:
                frame.loc[item.row - 1, item.column] = item.printed  # a word
        return frame

    return changed


def _run(path):
    """The outputs of the code cells of a notebook."""
    codes = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    names, said = {}, []
    for k, cell in enumerate(codes):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        shown = eval(compile(ast.Expression(last.value), path.name, "eval"), names) if last else None
        if shown is not None:
            said.append((k, told(shown)))
    return said


def told(shown):
    """What an output says: of a picture its words, else its HTML or its text."""
    return shown.alt if hasattr(shown, "alt") else shown._repr_html_() if hasattr(shown, "_repr_html_") else repr(shown)


if __name__ == "__main__":
    main(sys.argv[1:])
