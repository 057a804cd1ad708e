"""The page of all pictures: each small, with the line of code that makes it and all that this line needs."""

import itertools

import nbformat

from dominoperf.reports import front, recipes, shown

NAME = "gallery"
TITLE = "All pictures, and the code that makes each"


def page(found):
    """Give the page as a notebook: its pictures, which `entries` lists, are one output."""
    groups = [{"run": run, "pictures": list(of)} for run, of in itertools.groupby(found, lambda each: each["run"])]
    body = front.TEMPLATES.get_template("gallery.html").render(groups=groups, count=len(found))
    output = nbformat.v4.new_output("display_data", {"text/html": body})
    cells = [
        nbformat.v4.new_markdown_cell(f"# {TITLE}", id="title"),
        nbformat.v4.new_code_cell("gallery.page(found)", outputs=[output], metadata=front.HIDDEN, id="body"),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": front.KERNEL})


def entries(pages):
    """List every picture of the pages: run, the picture as `shown.Shown`, its line of code and its recipe.

    Parameters
    ----------
    pages : list of (Run, notebook)
        Executed.

    Returns
    -------
    list of dict
        run, shown, line, recipe.
    """
    return [entry for run, notebook in pages for entry in _of(run, notebook)]


def _of(run, notebook):
    """The pictures of one page, each with the code of the cell that shows it."""
    found = shown.pictures(run, notebook)
    if not found:
        return []
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return [
        {
            "run": run,
            "shown": each,
            "line": recipes.last_line(sources[each.cell]),
            "recipe": recipes.recipe(sources, shown=each.cell),
        }
        for each in found
    ]
