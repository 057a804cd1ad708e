"""Plain HTML pages: one a run, and an index. Nothing is fetched from anywhere when they are read."""

import hashlib
from pathlib import Path

import jinja2
import nbformat

from dominoperf import __version__, catalog, rendering

NOTEBOOK_ONLY = "notebook-only"  # tag of a cell that a page leaves out: it speaks of the notebook itself
_TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent), autoescape=True)


def write_page(notebook, run, folder):
    """Write the page of an executed notebook."""
    from nbconvert import HTMLExporter

    # The basic template is the body alone: the full ones load MathJax and RequireJS from elsewhere.
    exporter = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)
    read = nbformat.read(notebook, as_version=4)
    read.cells = [cell for cell in read.cells if NOTEBOOK_ONLY not in cell.metadata.get("tags", [])]
    body, _ = exporter.from_notebook_node(read)
    if "source" in run.parameters:  # the question heads the notebook, the document its page
        body = body.replace("<h1", "<h2", 1).replace("</h1>", "</h2>", 1)
    _write(folder / f"{run.name}.html", "page.html", run=run, body=body, title=run.title)


def write_index(runs, folder):
    """Write the index: the documents, then the runs that have a page."""
    pages = [run for run in runs if (folder / f"{run.name}.html").exists()]
    of = {run.parameters["source"]: f"{run.name}.html" for run in pages if "source" in run.parameters}
    documents = sorted((_row(source, of.get(source, "")) for source in catalog.sources()["source"]), key=_date)
    results = [run for run in pages if "source" not in run.parameters]
    said = {"title": "dominoperf", "documents": documents, "results": results, "data": _data_checksum()}
    _write(folder / "index.html", "index.html", **said)


def _row(source, href):
    about, tables = catalog.document(source), catalog.tables(source)
    counts = {"tables": len(tables), "figures": len(catalog.figures(source)), "cells": len(catalog.cells(source))}
    errata = catalog.errata()
    return about | counts | {"source": source, "href": href, "errata": int((errata["source"] == source).sum())}


def _data_checksum():
    """One checksum for all data: of the descriptors, which hold those of the tables."""
    descriptors = [(folder / "datapackage.json").read_bytes() for folder in catalog.ours()]
    return hashlib.sha256(b"".join(descriptors)).hexdigest()[:16]


def _date(row):
    return str(row.get("date", "9999"))


def _write(path, template, **values):
    style = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
    text = _TEMPLATES.get_template(template).render(version=__version__, style=style, **values)
    rendering.replace_file(path, text)
