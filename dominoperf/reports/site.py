"""The site: Sphinx over executed notebooks. Nothing is executed again, nothing is fetched when a page is read."""

import contextlib
import copy
import gc
import hashlib
import importlib
import io
import json
import os
import re
import shutil
import tempfile
import warnings
from functools import partial
from pathlib import Path

import nbformat

from dominoperf.errors import ReportFailed
from dominoperf.parallel import processors
from dominoperf.reports import front, gallery, handbook, shown, trusted

NOTEBOOK_ONLY = "notebook-only"  # tag of a cell that a page leaves out: it speaks of the notebook itself
LIVE_ONLY = "live-only"  # tag of one that speaks of controls, which live in JupyterLab and the app
_LEFT_OUT = {NOTEBOOK_ONLY, LIVE_ONLY}
_CONFIGURATION = Path(__file__).parent / "sphinx"
_SOURCE, _HTML, _FILES, _KNOWN, _READ = "source", "html", "files", "known.json", "read.json"
_TREES = "doctrees"  # what Sphinx keeps of the pages, as pickles
_PREPARED, _KEY = "prepared", "key"  # files: the key of what was prepared, and what Sphinx read last, signed
_NOT_KEPT = (".buildinfo*", "objects.inv", "*.map", "_sources")  # for Sphinx, and for those who mend a theme
_LINK = re.compile(r"\[([^\]\n]*)\]\((\d\d_\w+)\.ipynb\)")  # of a notebook to another one beside it
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def load():
    """Import what a build needs, while notebooks run; Sphinx itself would do so only then."""
    for name in ("myst_nb.sphinx_", "pydata_sphinx_theme", "sphinx.application", "sphinx.builders.html"):
        importlib.import_module(name)


def build_site(pages, folder, *, kept=None, key=""):
    """Build the site of executed notebooks.

    Parameters
    ----------
    pages : list of (Run, path)
        Every run that has a page, in order, with its executed notebook.
    folder : path
        Gets the site; it must not be there yet.
    kept : path, optional
        Keeps what can be used again: a build with the same key makes only the pages of notebooks that are others.
    key : str
        Changes with all that pages have in common: the library, the data, the list of pages.

    Raises
    ------
    ReportFailed
        When Sphinx fails; there is no folder then.
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site", dir=folder.parent.resolve()) as beside:
        work = prepare(pages, kept or beside, key)
        fresh = not key or _said(work / _KEY) != trusted.signature(work / _TREES, key)
        read = _assemble(pages, work)
        _make_room(work, fresh)
        _sphinx(work, front.context(read), fresh=fresh)
        shown.write([each for run, notebook in read for each in shown.pictures(run, notebook)], work / _HTML)
        (work / _KEY).write_text(trusted.signature(work / _TREES, key), encoding="utf-8")
        os.replace(_finished(work, Path(beside, "html")), folder)


def prepare(pages, kept, key=""):
    """Make what follows from the data and the library alone, unless it is there; give the folder of the work.

    The executed notebooks need not be there yet: `build_site` finds what was made while they ran. The key is written
    last, so what a kill leaves is made again.
    """
    work = Path(kept, "work")
    if not key or _said(work / _PREPARED) != key:
        shutil.rmtree(work, ignore_errors=True)
        (work / _SOURCE / handbook.FOLDER).mkdir(parents=True)
        for name, page in handbook.notebooks(pages).items():
            _write(page, work / _SOURCE / f"{name}.ipynb")
        handbook.write_files(work / _FILES)
        (work / _KNOWN).write_text(json.dumps(front.known() | handbook.known(pages)), encoding="utf-8")
        (work / _PREPARED).write_text(key, encoding="utf-8")
    return work


def _said(path):
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _make_room(work, fresh):
    """Remove what Sphinx would not make again; the key goes until all is done, for what a kill leaves is no site."""
    (work / _KEY).unlink(missing_ok=True)
    # A page names the style sheets that it finds, and a whole build finds none: they go in any case.
    shutil.rmtree(work / _HTML if fresh else work / _HTML / "_static", ignore_errors=True)
    if fresh:
        shutil.rmtree(work / _TREES, ignore_errors=True)


def _assemble(pages, work):
    """Write what Sphinx reads of the executed notebooks, a notebook for every page; give them as they were read.

    What is there of the same executed notebook stays: all else that a page is made from changes the key.
    """
    texts = {run.name: path.read_text(encoding="utf-8") for run, path in pages}
    read = [(run, nbformat.v4.reads_json(texts[run.name])) for run, _ in pages]
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    before, led = json.loads(_said(work / _READ) or "{}"), _led([run for run, _ in pages])
    made = {run.name: _page(run, executed, led) for run, executed in read if before.get(run.name) != digests[run.name]}
    known = json.loads(_said(work / _KNOWN))
    made["index"] = front.page(read, known)
    drawn = gallery.entries(read)
    made |= {gallery.NAME: gallery.page(drawn)} if drawn else {}
    for name, page in (made | handbook.following(pages, known)).items():
        _write(page, work / _SOURCE / f"{name}.ipynb")
    (work / _READ).write_text(json.dumps(digests), encoding="utf-8")
    return read


def _led(runs):
    """The page that each notebook has; where it has one for each document, the first page, which lists them."""
    notebooks = [run.notebook for run in runs]
    return {run.notebook: run.name if notebooks.count(run.notebook) == 1 else "index" for run in runs}


def _page(run, executed, led):
    """An executed notebook as its page: without what speaks of the notebook, and of the machine that ran it."""
    cells = [copy.deepcopy(cell) for cell in executed.cells if not _LEFT_OUT & {*cell.metadata.get("tags", [])}]
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
    doubted = shown.doubted(cells)
    if said and doubted:
        told = f'<div class="doubts"><p>Errata touch numbers on this page:</p>{doubted}</div>'
        said = [*said, nbformat.v4.new_output("display_data", {"text/html": told})]
    where = "# The answer; what gives it stands further down."
    answer = [nbformat.v4.new_code_cell(where, outputs=said, id="answer")] if said else []
    return [*cells[:1], *answer, *cells[1:]]


def as_myst(text):
    """Give a text from data as MyST that shows it to the letter: no markup, formula, role or substitution."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _write(notebook, path):
    """Write a page that is new or another; Sphinx reads those alone that were written since."""
    text = nbformat.v4.writes_json(notebook)
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _sphinx(work, context, *, fresh=True):
    """Run Sphinx quietly; its warnings count only where it fails."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    said = io.StringIO()
    folders = (str(work / _SOURCE), str(_CONFIGURATION), str(work / _HTML), str(work / _TREES))
    try:
        with patch_docutils(str(_CONFIGURATION)), docutils_namespace(), warnings.catch_warnings(), _unswept():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # MyST's calls of Sphinx are theirs to renew
            warnings.simplefilter("ignore", DeprecationWarning)
            told = {"status": None, "warning": said, "freshenv": fresh, "parallel": processors() if fresh else 1}
            Sphinx(*folders, "html", confoverrides={"html_context": context}, **told).build()
    except (SphinxError, OSError) as error:
        raise _failed("the site", "Sphinx to build it", str(error), "Mend that, then run again.") from error
    return said.getvalue()


@contextlib.contextmanager
def _unswept():
    """Look for no cycles meanwhile: of the trees of whole pages nothing is rubbish, and to see that takes a quarter."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def _finished(work, folder):
    """The built site without what is no reader's, and the files for download."""
    html = work / _HTML
    shutil.copytree(html, folder, ignore=shutil.ignore_patterns(*_NOT_KEPT), copy_function=shutil.copyfile)
    shutil.copytree(work / _FILES, folder, copy_function=shutil.copyfile, dirs_exist_ok=True)
    (folder / "searchindex.js").write_text(_index((html / "searchindex.js").read_text("utf-8")), encoding="utf-8")
    return folder


def _index(text):
    """The index of the search as it is after a first build too.

    Sphinx finds some names only in pages it has just read: those of the library's objects, which the index has a second
    time. And it keeps words that no page has any more.
    """
    begin, end = text.index("{"), text.rindex("}") + 1
    found = json.loads(text[begin:end]) | {"indexentries": {}}
    for kind in ("terms", "titleterms"):
        found[kind] = {word: pages for word, pages in found[kind].items() if pages != []}
    return text[:begin] + json.dumps(found, separators=(",", ":")) + text[end:]


def _failed(where, expected, found, remedy):
    return ReportFailed(where, expected=expected, found=found, remedy=remedy)
