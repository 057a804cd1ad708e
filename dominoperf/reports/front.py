"""The first page: the documents, what the data say, what is wrong in the documents, and where to go on."""

from pathlib import Path

import jinja2
import nbformat
from markupsafe import Markup

from dominoperf import __version__
from dominoperf.reports import handbook, shown
from dominoperf.reports.handbook.cells import KERNEL
from dominoperf.reports.handbook.cite import data_checksum
from dominoperf.tables import cells as printed_cells
from dominoperf.tables import document, figures, list_tables, sources

FINDING = "finding"  # tag of the cell whose output is the answer of a notebook in a sentence or two
TEMPLATES = jinja2.Environment(loader=jinja2.FileSystemLoader(Path(__file__).parent / "sphinx"), autoescape=True)
_SAYS = "1"  # before it are the notebooks of what there is, and of what a reader brings: they find nothing in the data
_GRAVEST = 5  # errors that the first page tells
HIDDEN = {"tags": ["remove-input"]}
_TITLE = "How many users a mail server carried, 1994 to 2008"


def known():
    """Give what the first page tells of the data, and no notebook says, as JSON can hold it."""
    return {
        "documents": [row(source) for source in sources()["source"]],
        "errors": _errors(),
        "identities": _identities(),
        "data": data_checksum(),
    }


def page(pages, known):
    """Give the first page as a notebook: its words and tables are one output.

    Parameters
    ----------
    pages : list of (Run, notebook)
        Every run that has a page, in order, with its executed notebook.
    known : dict
        What `known` gives.
    """
    hrefs = _hrefs(pages)
    values = {
        "documents": _documents(known["documents"], pages),
        "findings": [_finding(run, notebook) for run, notebook in pages if run.notebook >= _SAYS],
        "extras": _extras(pages),
        "explore": _page_of("explore", pages),
        "errors": {
            "rows": [each | {"href": hrefs.get(each["source"], "")} for each in known["errors"]["rows"]],
            "count": known["errors"]["count"],
            "href": _page_of("errata", pages),
        },
        "identities": known["identities"],
        "version": __version__,
        "data": known["data"],
    }
    body = TEMPLATES.get_template("front.html").render(values)
    output = nbformat.v4.new_output("display_data", {"text/html": body})
    listed = [*(run.name for run, _ in pages), *dict(_extras(pages)), *(name for name, _ in handbook.LISTED)]
    names = "\n".join(f"{name}.ipynb" for name in listed)
    cells = [
        nbformat.v4.new_markdown_cell(f"# {_TITLE}", id="title"),
        nbformat.v4.new_code_cell("front.page(pages)", outputs=[output], metadata=HIDDEN, id="body"),
        nbformat.v4.new_markdown_cell(f"```{{toctree}}\n:hidden:\n\n{names}\n```", id="pages"),
    ]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def context(pages):
    """Give what the templates of every page show: the list of pages in groups, and how each is made again."""
    documents = [(run.name, _label(run)) for run, _ in pages if "source" in run.parameters]
    results = [(run.name, run.title) for run, _ in pages if "source" not in run.parameters]
    groups = [
        group for group in (("Questions", results), ("Documents", documents), ("Handbook", handbook.LISTED)) if group[1]
    ]
    return {
        "default_mode": "auto",  # light or dark as the reader's system has it
        "page_extras": _extras(pages),
        "page_groups": groups,
        "page_foots": {run.name: _foot(run) for run, _ in pages},
        "data_checksum": data_checksum(),
    }


def _extras(pages):
    """Pages that stand in no group, as (name, label): that of the pictures, where there are any."""
    drawn = any(shown.pictures(run, notebook) for run, notebook in pages)
    return [("gallery", "All pictures")] if drawn else []


def _label(run):
    """A document as the list of pages calls it: with its year, where that is known."""
    year = document(run.parameters["source"]).get("year", "")
    return f"{year}: {run.title}" if year else run.title


def _foot(run):
    said = ", ".join(f"{name} = {value}" for name, value in run.parameters.items())
    return (
        f"Notebook {run.notebook}{f' with {said}' if said else ''}; again with: dominoperf report {run.name}{run.data}."
    )


def _documents(rows, pages):
    """A row for every document in use, the oldest first."""
    hrefs, listed = _hrefs(pages), _page_of("claims_audit", pages)
    return sorted((each | {"href": hrefs.get(each["source"], ""), "claims_href": listed} for each in rows), key=_date)


def _page_of(name, pages):
    """The file of a page, where the site has it."""
    return next((f"{run.name}.html" for run, _ in pages if run.name == name), "")


def row(source):
    """Give what the table of documents says of one."""
    about, tables = document(source), list_tables(source)
    counts = {"tables": len(tables), "figures": len(figures(source)), "cells": len(printed_cells(source))}
    return about | counts | {"source": source, "verdicts": _verdicts(source)}


def _verdicts(source):
    """How many claims of a document have each verdict, as (verdict, count)."""
    from dominoperf.study import audit  # it loads scipy, which a notebook that only saves a table can do without

    counts = audit.audit_claims(source).glance().iloc[0]
    return [(verdict, int(counts[verdict])) for verdict in audit.VERDICTS]


def _date(about):
    return str(about.get("date", "9999"))


def _hrefs(pages):
    return {run.parameters["source"]: f"{run.name}.html" for run, _ in pages if "source" in run.parameters}


def _finding(run, notebook):
    """A question with its answer and picture, as far as the executed notebook has them."""
    tagged = [cell for cell in notebook.cells if FINDING in cell.metadata.get("tags", [])]
    said = [text for cell in tagged for text in _outputs(cell, "markdown")]
    drawn = shown.pictures(run, notebook)
    return {
        "href": f"{run.name}.html",
        "title": run.title,
        "text": _as_html("\n\n".join(said)),
        "picture": drawn[0] if drawn else None,
        "doubted": Markup(shown.doubted(notebook.cells)),  # of our own making, escaped there
    }


def _outputs(cell, kind):
    return [
        output["data"][f"text/{kind}"] for output in cell.get("outputs", ()) if f"text/{kind}" in output.get("data", {})
    ]


def _as_html(text):
    """Markdown of a notebook as HTML; tags in it stay text."""
    from markdown_it import MarkdownIt

    return Markup(MarkdownIt("commonmark", {"html": False}).render(text))


def _errors():
    """The errors that change most, the gravest first, and how many there are in all."""
    from dominoperf.study import audit

    groups = audit.errata_groups()
    shown = groups.head(_GRAVEST).to_dict("records")
    documents = {each["source"]: document(each["source"]) for each in shown}
    rows = [each | {"year": documents[each["source"]].get("year", "")} for each in shown]
    return {"rows": rows, "count": len(groups)}


def _identities():
    """How many cells break each identity, and how many of those no erratum explains."""
    from dominoperf.study import audit

    broken = audit.check_consistency()
    rows = [(identity.statement, broken[broken["identity"] == name]) for name, identity in audit.IDENTITIES.items()]
    counted = [
        {"statement": text, "cells": len(cells), "fresh": int((cells["status"] == "").sum())} for text, cells in rows
    ]
    return {"rows": counted, "cells": len(broken), "fresh": int((broken["status"] == "").sum())}
