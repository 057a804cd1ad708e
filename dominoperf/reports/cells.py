"""Pages as notebooks: of Markdown and of templates, which escape what is in them; and the HTML that cells show."""

from pathlib import Path

import nbformat
from markupsafe import Markup

from dominoperf.tables import rendering

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
FOLDER = Path(__file__).parent / "sphinx"  # templates, prose, and what Sphinx needs


def handbook_text(name):
    """Return the text of a file of the handbook, in MyST."""
    return (FOLDER / "handbook" / name).read_text(encoding="utf-8")


def rendered_template(template, **values):
    """Return the HTML of a template; text from data is escaped in it."""
    return rendering.rendered_template(FOLDER, template, **values)


def notebook_of_cells(*cells):
    """Return a notebook of cells: of str Markdown, of Markup an output as it is."""
    made = []
    for number, cell in enumerate(cells):
        if isinstance(cell, Markup):
            shown = nbformat.v4.new_output("display_data", {"text/html": str(cell)})
            about = {"metadata": {"tags": ["remove-input"]}, "id": f"cell{number}"}
            source = "# Made from registries and files."  # a cell without a source is left out, its output too
            made.append(nbformat.v4.new_code_cell(source, outputs=[shown], **about))
        else:
            made.append(nbformat.v4.new_markdown_cell(cell, id=f"cell{number}"))
    return nbformat.v4.new_notebook(cells=made, metadata={"kernelspec": KERNEL})


def html_outputs(cells):
    """List the data of every output of cells that has HTML: formats to content, to be read or changed."""
    data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
    return [formats for formats in data if "text/html" in formats]
