"""The site: Sphinx over executed notebooks. Nothing is executed again, nothing is fetched when a page is read."""

import io
import os
import re
import shutil
import tempfile
import warnings
from functools import partial
from pathlib import Path

import nbformat

from dominoperf.errors import ReportFailed
from dominoperf.reports import front, gallery, handbook, shown

NOTEBOOK_ONLY = "notebook-only"  # tag of a cell that a page leaves out: it speaks of the notebook itself
_CONFIGURATION = Path(__file__).parent / "sphinx"
_NOT_KEPT = (".buildinfo", "objects.inv", "*.map")  # for Sphinx and for those who mend a theme, not for readers
_LINK = re.compile(r"\[([^\]\n]*)\]\((\d\d_\w+)\.ipynb\)")  # of a notebook to another one beside it
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def build_site(pages, folder):
    """Build the site of executed notebooks.

    Parameters
    ----------
    pages : list of (Run, path)
        Every run that has a page, in order, with its executed notebook.
    folder : path
        Gets the site; it must not be there yet.

    Raises
    ------
    ReportFailed
        When Sphinx fails; there is no folder then.
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site", dir=folder.parent.resolve()) as work:
        work = Path(work)
        _assemble(pages, work / "source")
        _sphinx(work, front.context(pages))
        shown.write([each for run, path in pages for each in shown.pictures(run, path)], work / "html" / shown.FOLDER)
        handbook.write_files(work / "html")
        os.replace(_finished(work / "html"), folder)


def _assemble(pages, folder):
    """Write what Sphinx reads: a notebook for every page."""
    folder.mkdir()
    led = _led([run for run, _ in pages])
    for run, executed in pages:
        _write(_page(run, nbformat.read(executed, as_version=4), led), folder / f"{run.name}.ipynb")
    _write(front.page(pages), folder / "index.ipynb")
    drawn = gallery.entries(pages)
    if drawn:
        _write(gallery.page(drawn), folder / f"{gallery.NAME}.ipynb")
    (folder / handbook.FOLDER).mkdir()
    for name, page in handbook.notebooks(pages).items():
        _write(page, folder / f"{name}.ipynb")


def _led(runs):
    """The page that each notebook has; where it has one for each document, the first page, which lists them."""
    notebooks = [run.notebook for run in runs]
    return {run.notebook: run.name if notebooks.count(run.notebook) == 1 else "index" for run in runs}


def _page(run, executed, led):
    """An executed notebook as its page: without what speaks of the notebook, and of the machine that ran it."""
    cells = [cell for cell in executed.cells if NOTEBOOK_ONLY not in cell.metadata.get("tags", [])]
    for cell in [cell for cell in cells if cell.cell_type == "markdown"]:
        cell.source = _LINK.sub(partial(_link, led), cell.source)
    if cells and cells[0].cell_type == "markdown" and "source" in run.parameters:
        _, _, rest = cells[0].source.partition("\n")  # the question heads the notebook, the document its page
        cells[0].source = f"# {as_myst(run.title) or run.name}\n{rest}"
    return nbformat.v4.new_notebook(cells=_answered(shown.numbered(cells)), metadata={"kernelspec": front.KERNEL})


def _link(led, found):
    """A link from notebook to notebook as one from page to page; its words alone where the site has no such page."""
    text, notebook = found.groups()
    return f"[{text}]({led[notebook]}.ipynb)" if notebook in led else text


def _answered(cells):
    """The cells with the answer, where one gives it, below the question too: a reader may have ten seconds."""
    said = [output for cell in cells if front.FINDING in cell.metadata.get("tags", []) for output in cell.outputs]
    where = "# The answer; what gives it stands further down."
    answer = [nbformat.v4.new_code_cell(where, outputs=said)] if said else []
    return [*cells[:1], *answer, *cells[1:]]


def as_myst(text):
    """Give a text from data as MyST that shows it to the letter: no markup, formula, role or substitution."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _write(notebook, path):
    path.write_text(nbformat.writes(notebook), encoding="utf-8")


def _sphinx(work, context):
    """Run Sphinx quietly; its warnings count only where it fails."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    said = io.StringIO()
    folders = (str(work / "source"), str(_CONFIGURATION), str(work / "html"), str(work / "doctrees"))
    try:
        with patch_docutils(str(_CONFIGURATION)), docutils_namespace(), warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # MyST's calls of Sphinx are theirs to renew
            warnings.simplefilter("ignore", DeprecationWarning)
            told = {"status": None, "warning": said, "freshenv": True}
            Sphinx(*folders, "html", confoverrides={"html_context": context}, **told).build()
    except (SphinxError, OSError) as error:
        raise _failed("the site", "Sphinx to build it", str(error), "Mend that, then run again.") from error
    return said.getvalue()


def _finished(html):
    """The built site without what is no reader's."""
    for path in [path for pattern in _NOT_KEPT for path in html.rglob(pattern)]:
        path.unlink()
    shutil.rmtree(html / "_sources", ignore_errors=True)  # Sphinx 9 makes it, and copies nothing into it
    return html


def _failed(where, expected, found, remedy):
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)
