"""The site: Sphinx over executed notebooks. Nothing is executed again, nothing is fetched when a page is read."""

import contextlib
import functools
import hmac
import importlib
import io
import itertools
import json
import logging
import os
import re
import shutil
import tempfile
import warnings
from pathlib import Path

import nbformat

from dominoperf.errors import ReportFailed
from dominoperf.parallel import processors
from dominoperf.reports import downloads, explorer, front_page, gallery, handbook, linking, saving, searching
from dominoperf.reports.cells import FOLDER as CONFIGURATION
from dominoperf.reports.cells import KERNEL, html_outputs
from dominoperf.reports.citation import data_checksum
from dominoperf.reports.notebooks import FINDING, LIVE_ONLY, NOTEBOOK_ONLY, PARAMETERS, find_notebook
from dominoperf.reports.page_html import FOLDED
from dominoperf.study import audit
from dominoperf.tables import document, rendering
from dominoperf.tables.files import replace_file

_INJECTED = "injected-parameters"  # papermill's tag of the cell that it puts below the declared ones
_SOURCE, _HTML, _FILES, _COLLECTED = "source", "html", "files", "collected.json"  # in the folder of the work
_TREES = "doctrees"  # what Sphinx keeps of the pages, as pickles
_PREPARED, _KEY = "prepared", "key"  # files: the key of what was prepared, and what Sphinx read last, signed
# For Sphinx, for those who mend a theme, and for a search that is not ours.
_NOT_KEPT = (".buildinfo*", "objects.inv", "*.map", "_sources", "searchindex.js", "searchtools.js", "language_data.js")
_LINK = re.compile(r"\[([^\]\n]*)\]\((\d\d_\w+)\.ipynb\)")  # of a notebook to another one beside it
_SAVED = re.compile(r'<div data-table="([^"]+)"><table>')
_ADDRESS = "table-{}"  # of a saved table in its page, by its number
TABLES = "tables"  # in the site: the files of the tables that its pages show
_PLACES_IN_WORDS = "What every table is computed from, and where that is printed"
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def build_site(pages, folder, *, cache=None, key=""):
    """Build the site of executed notebooks in a folder that is not there yet; there is none if Sphinx fails.

    `pages` has every run that has a page, in order, with its executed notebook. The folder `cache` keeps what can be
    used again: a build with the same key makes only the pages of notebooks that are others. `key` changes with all that
    pages have in common: the library, the data, the list of pages.
    """
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".site", dir=folder.parent.resolve()) as beside:
        work = prepare_common_pages(pages, cache or beside, key)
        fresh = not key or _text_or_nothing(work / _KEY) != folder_signature(work / _TREES, key)
        context, drawn = write_sphinx_sources(pages, work)
        (work / _KEY).unlink(missing_ok=True)  # until all is done, for what a kill leaves is no site
        # A page names the style sheets that it finds, and a whole build finds none: they go in any case.
        shutil.rmtree(work / _HTML if fresh else work / _HTML / "_static", ignore_errors=True)
        if fresh:
            shutil.rmtree(work / _TREES, ignore_errors=True)
        run_sphinx(work, context, fresh=fresh)
        gallery.write_picture_files(drawn, work / _HTML)
        (work / _KEY).write_text(folder_signature(work / _TREES, key), encoding="utf-8")
        finished = Path(beside, "html")
        hidden = shutil.ignore_patterns(*_NOT_KEPT)
        shutil.copytree(work / _HTML, finished, ignore=hidden, copy_function=shutil.copyfile)
        shutil.copytree(work / _FILES, finished, copy_function=shutil.copyfile, dirs_exist_ok=True)
        (finished / searching.NAME).write_text(searching.search_index(finished), encoding="utf-8")
        os.replace(finished, folder)


def prepare_common_pages(pages, cache, key=""):
    """Make what follows from the data and the library alone, unless it is there; return the folder of the work.

    The executed notebooks need not be there yet: `build_site` finds what was made while they ran. The key is written
    last, so what a kill leaves is made again.
    """
    for name in ("myst_nb.sphinx_", "pydata_sphinx_theme", "sphinx.application", "sphinx.builders.html"):
        importlib.import_module(name)  # now, while notebooks run; Sphinx itself would do so only when it is run
    listed = [run for run, _ in pages]
    links = linking.LocatorLinks(listed, page_of_notebook(listed))
    linking.collect_row_uses([], links)  # the tables and claims that both read are kept for the pages
    work = Path(cache, "work")
    if not key or _text_or_nothing(work / _PREPARED) != key:
        shutil.rmtree(work, ignore_errors=True)
        (work / _SOURCE / handbook.FOLDER).mkdir(parents=True)
        audited = functools.cache(audit.audit_claims)  # once for all who ask
        _write_changed_pages(handbook.handbook_pages(pages, audited), work)
        downloads.write_download_files(work / _FILES / handbook.FOLDER, audited)
        if any(run.notebook == explorer.NOTEBOOK for run in listed):
            explorer.write_explore_page(work / _FILES / explorer.FOLDER, links)
        (work / _FILES / explorer.VEGA).write_text(explorer.vega_script(), encoding="utf-8")
        collected = front_page.facts_of_data(audited) | {"headers": list(handbook.table_headers(pages))}
        (work / _COLLECTED).write_text(json.dumps(collected), encoding="utf-8")
        (work / _PREPARED).write_text(key, encoding="utf-8")
    return work


def _text_or_nothing(path):
    """The text of a file; "" where there is none."""
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def folder_signature(folder, key):
    """Sign the files of a folder, names and content, and a key, with the secret by which Jupyter trusts notebooks.

    Sphinx keeps pickles, which run what is in them, and a stranger's folder may have some: they are read again only
    with this user's signature. Where no secret can be kept nothing is trusted the next time.
    """
    from jupyter_core.paths import jupyter_data_dir
    from nbformat.sign import MemorySignatureStore, NotebookNotary

    secret, jupyter = os.urandom(32), Path(jupyter_data_dir())
    with contextlib.suppress(OSError):
        jupyter.mkdir(parents=True, exist_ok=True)
        # Told its folder, it looks for no settings of Jupyter, which it would run from the current folder too.
        secret = NotebookNotary(data_dir=str(jupyter), store_factory=MemorySignatureStore).secret or secret
    mac = hmac.new(secret, key.encode(), "sha256")
    for path in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
        content = path.read_bytes()
        mac.update(f"\0{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return mac.hexdigest()


def write_sphinx_sources(pages, work):
    """Write what Sphinx reads of the executed notebooks, a notebook for every page; a page that is the same stays.

    Return what the templates of every page show, and the pictures of all pages.
    """
    read = [
        (run, executed_with_new_prose(run, nbformat.v4.reads_json(path.read_text(encoding="utf-8"))))
        for run, path in pages
    ]
    page_of = page_of_notebook([run for run, _ in pages])
    tables = {file.relative_to(path.parent): file for _, path in pages for file in path.parent.rglob("*.csv")}
    # Of each table the address: in a page that shows it, else of its file.
    saved = {file.with_suffix("").as_posix(): f"{TABLES}/{file.as_posix()}" for file in tables}
    for run, executed in read:
        shown = [name for data in html_outputs(_cells_of_page(executed)) for name in _SAVED.findall(data["text/html"])]
        for number, name in enumerate(shown, start=1):
            saved[name] = f"{run.name}.html#{_ADDRESS.format(number)}"
    links = linking.LocatorLinks([run for run, _ in pages], page_of, saved)
    outputs = {run.name: html_outputs(executed.cells) for run, executed in read}
    for data in [data for each in outputs.values() for data in each]:
        data["text/html"] = explorer.panel_with_controls(links.linked(data["text/html"]))
    shown = [(run, "".join(data["text/html"] for data in outputs[run.name])) for run, _ in read]
    used = linking.collect_row_uses(shown, links)
    for data in [data for each in outputs.values() for data in each]:
        data["text/html"] = linking.table_with_use_counts(data["text/html"], used)
    (work / _FILES / linking.USES).write_text(linking.uses_script(used), encoding="utf-8")
    drawn = [picture for run, executed in read for picture in gallery.pictures_of_notebook(run, executed)]
    collected = json.loads(_text_or_nothing(work / _COLLECTED))
    made = {
        "index": front_page.front_page_notebook(read, collected, drawn, front_page.kinds_of_cells(pages)),
        gallery.NAME: gallery.gallery_page(drawn),
        f"{handbook.FOLDER}/glossary": handbook.glossary_page(pages, collected),
    } | {run.name: page_of_run(run, executed, page_of) for run, executed in read}
    _write_changed_pages(made, work)
    shutil.rmtree(work / _FILES / TABLES, ignore_errors=True)
    (work / _FILES / TABLES).mkdir(parents=True)
    for file, path in tables.items():
        place = work / _FILES / TABLES / file
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, place)
    places = saving.places_of_tables(saving.resources_of_tables(tables.values()))
    replace_file(work / _FILES / TABLES / saving.PLACES, rendering.as_csv(places))
    return template_context(pages), drawn


def executed_with_new_prose(run, executed):
    """Return an executed notebook with the prose that its source has now; as it is where they differ in code."""
    source = nbformat.v4.reads_json(find_notebook(run.notebook).read_text(encoding="utf-8"))
    is_code = lambda cell: cell.cell_type == "code"  # noqa: E731
    ran = list(filter(is_code, executed.cells))
    injected = [cell for cell in ran if _INJECTED in cell.metadata.get("tags", [])]
    cells = [cell for cell in ran if cell not in injected]
    if [cell.source for cell in source.cells if is_code(cell)] != [cell.source for cell in cells]:
        return executed
    remaining, executed.cells = iter(cells), []
    for cell in source.cells:
        executed.cells.append(next(remaining) if is_code(cell) else cell)
        executed.cells += injected if PARAMETERS in cell.metadata.get("tags", []) else []
    return executed


def page_of_notebook(runs):
    """Return the page that each notebook has; where it has one for each document, the first page, which lists them."""
    notebooks = [run.notebook for run in runs]
    return {run.notebook: run.name if notebooks.count(run.notebook) == 1 else "index" for run in runs}


def _cells_of_page(executed):
    """The cells of an executed notebook that its page has."""
    left_out = {NOTEBOOK_ONLY, LIVE_ONLY}
    return [cell for cell in executed.cells if not left_out & {*cell.metadata.get("tags", [])}]


def page_of_run(run, executed, page_of):
    """Return an executed notebook, which is changed, as its page.

    It has nothing that speaks of the notebook or of the machine that ran it; links lead to pages, not notebooks; every
    picture and saved table has a number, and a table a link to the file that has all of it.
    """
    cells = _cells_of_page(executed)

    def link(match):
        text, notebook = match.groups()
        return f"[{text}]({page_of[notebook]}.ipynb)" if notebook in page_of else text

    for cell in [cell for cell in cells if cell.cell_type == "markdown"]:
        cell.source = _LINK.sub(link, cell.source)
    if cells and cells[0].cell_type == "markdown" and "source" in run.parameters:
        _, _, rest = cells[0].source.partition("\n")  # the question heads the notebook, the document its page
        cells[0].source = f"# {as_myst(run.title) or run.name}\n{rest}"
    gallery.number_pictures(cells, run.name)
    numbers = itertools.count(1)

    def caption(match):
        name, number = match[1], next(numbers)
        file = f'<a href="{TABLES}/{name}.csv" download>{name}.csv</a>'
        places = f'<a href="{TABLES}/{saving.PLACES}" title="{_PLACES_IN_WORDS}" download>its sources</a>'
        caption = f"<caption>Table {number} <small>{file}, {places}</small></caption>"
        return f'<div class="scroll" id="{_ADDRESS.format(number)}"><table>{caption}'

    for data in html_outputs(cells):
        data["text/html"] = _SAVED.sub(caption, data["text/html"])
    cells = _cells_with_answer_first(cells, closed=run.notebook != explorer.NOTEBOOK)  # its panels are its answer
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def _cells_with_answer_first(cells, *, closed):
    """The cells in the order of a reader's time: the question, the answer, the first picture, then the sections.

    Of these all but the first and the last are `closed`. The heading right before the answer is left out.
    """
    findings = [cell for cell in cells if FINDING in cell.metadata.get("tags", [])]
    outputs = [output for cell in findings for output in cell.outputs]
    if not outputs:
        return cells
    errata, count = linking.errata_in_outputs(cells)
    if errata:
        for data in html_outputs(cells):
            data["text/html"] = linking.errata_as_link(data["text/html"], "#errata-here")
        words = linking.errata_touch(count, "numbers on this page")
        note = f'<details class="errata" id="errata-here"><summary>{words}</summary>{errata}</details>'
        outputs.append(nbformat.v4.new_output("display_data", {"text/html": note}))
    for cell in findings:
        cell.outputs = []
    outputs += gallery.take_first_picture(cells)
    where = "# The answer and its picture; the code that gives them stands further down."
    answer = nbformat.v4.new_code_cell(where, outputs=outputs, id="answer")
    pairs = zip(cells[1:], [*cells[2:], None], strict=True)
    rest = [cell for cell, after in pairs if cell.cell_type == "code" or after not in findings]
    question, _, background = cells[0].source.partition("\n")
    sections = [cell for cell in rest if cell.cell_type == "markdown" and cell.source.startswith("## ")]
    for cell in sections[1:-1] if closed else ():
        heading, _, text = cell.source.partition("\n")
        cell.source = f"{heading}\n\n% {FOLDED}\n{text}"
    markdown = nbformat.v4.new_markdown_cell
    return [markdown(question, id="question"), answer, markdown(background, id="background"), *rest]


def as_myst(text):
    """Return a text from data as MyST that shows it to the letter: no markup, formula, role or substitution."""
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


def _write_changed_pages(made, work):
    """Write the pages that are new or others; Sphinx reads those alone that were written since."""
    for name, page in made.items():
        path, text = work / _SOURCE / f"{name}.ipynb", json.dumps(page, ensure_ascii=False, sort_keys=True)
        if _text_or_nothing(path) != text:
            path.write_text(text, encoding="utf-8")


def run_sphinx(work, context, *, fresh=True):
    """Run Sphinx quietly; return its warnings, which count only where it fails."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    sphinx_warnings = io.StringIO()
    folders = (str(work / _SOURCE), str(CONFIGURATION), str(work / _HTML), str(work / _TREES))
    # The styles of accessible-pygments set up logging for the whole process, unless somebody has.
    root, set_up = logging.getLogger(), logging.NullHandler()
    root.addHandler(set_up)
    try:
        with patch_docutils(str(CONFIGURATION)), docutils_namespace(), warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # MyST's calls of Sphinx are theirs to renew
            warnings.simplefilter("ignore", DeprecationWarning)
            how = {
                "status": None,
                "warning": sphinx_warnings,
                "freshenv": fresh,
                "parallel": processors() if fresh else 1,
            }
            Sphinx(*folders, "html", confoverrides={"html_context": context}, **how).build()
    except (SphinxError, OSError) as error:
        remedy = "Mend that, then run again."
        raise ReportFailed("the site", expected="Sphinx to build it", found=str(error), remedy=remedy) from error
    finally:
        root.removeHandler(set_up)
    return sphinx_warnings.getvalue()


def template_context(pages):
    """Return what the templates of every page show: the list of pages in groups, and how each is made again."""
    groups, feet = {}, {}
    for run, _ in pages:
        about = document(run.parameters["source"]) if "source" in run.parameters else {}
        groups.setdefault(run.group, []).append((run.name, about.get("short") or run.label or run.title))
        values = ", ".join(f"{name} = {value}" for name, value in run.parameters.items())
        made = f"Notebook {run.notebook}{f' with {values}' if values else ''}"
        feet[run.name] = f"{made}; again with: dominoperf report {run.name}{run.data}."
    return {
        "default_mode": "auto",  # light or dark as the reader's system has it
        "page_extras": gallery.LISTED,
        "page_groups": [*groups.items(), ("Handbook", handbook.LISTED)],
        "page_foots": feet,
        "data_checksum": data_checksum(),
    }
