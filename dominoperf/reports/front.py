"""The first page: the documents, what the data say, what is wrong in the documents, and where to go on."""

from markupsafe import Markup

from dominoperf import __version__
from dominoperf.reports import handbook, pictures
from dominoperf.reports.cells import notebook, rendered
from dominoperf.reports.handbook.cite import data_checksum
from dominoperf.tables import cells as printed_cells
from dominoperf.tables import document, figures, list_tables
from dominoperf.tables import sources as all_sources

FINDING = "finding"  # tag of the cell whose output is the answer of a notebook in a sentence or two
_SAYS = "1"  # before it are the notebooks of what there is, and of what a reader brings: they find nothing in the data
_GRAVEST = 5  # errors that the first page tells
_TITLE = "How many users a mail server carried, 1994 to 2008"


def known():
    """Return what the first page tells of the data, and no notebook says, as JSON can hold it."""
    from dominoperf.study import audit  # it loads scipy, which a notebook that only saves a table can do without

    sources = list(all_sources()["source"])
    groups, broken = audit.errata_groups(), audit.check_consistency()
    years = {source: document(source).get("year", "") for source in sources}
    errors = [each | {"year": years[each["source"]]} for each in groups.head(_GRAVEST).to_dict("records")]
    fresh, identities = broken["status"] == "", []
    for name, identity in audit.IDENTITIES.items():
        cells = broken["identity"] == name
        counts = {"cells": int(cells.sum()), "fresh": int((cells & fresh).sum())}
        identities.append({"statement": identity.statement} | counts)
    return {
        "documents": sorted(map(row, sources), key=lambda about: str(about.get("date", "9999"))),  # the oldest first
        "errors": {"rows": errors, "count": len(groups)},
        "identities": {"rows": identities, "cells": len(broken), "fresh": int(fresh.sum())},
        "data": data_checksum(),
    }


def row(source):
    """Return what the table of documents says of one, with how many of its claims have each verdict."""
    from dominoperf.study import audit

    tables, claims = list_tables(source), audit.audit_claims(source).glance().iloc[0]
    counts = {"tables": len(tables), "figures": len(figures(source)), "cells": len(printed_cells(source))}
    verdicts = [(verdict, int(claims[verdict])) for verdict in audit.VERDICTS]
    return document(source) | counts | {"source": source, "verdicts": verdicts}


def page(pages, known, drawn=()):
    """Return the first page as a notebook: its words and tables are one output.

    Parameters
    ----------
    pages : list of (Run, notebook)
        Every run that has a page, in order, with its executed notebook.
    known : dict
        What `known` gives.
    drawn : list of pictures.Shown
        All pictures of the pages.
    """
    of = {run.parameters["source"]: f"{run.name}.html" for run, _ in pages if "source" in run.parameters}
    named = {run.name: f"{run.name}.html" for run, _ in pages}
    listed = [*named, *dict(_extras(drawn)), *(name for name, _ in handbook.LISTED)]
    names = "\n".join(f"{name}.ipynb" for name in listed)
    body = rendered(
        "front.html",
        **known,
        version=__version__,
        hrefs=of,
        named=named,
        extras=_extras(drawn),
        findings=[_finding(run, made, drawn) for run, made in pages if run.notebook >= _SAYS],
    )
    return notebook(f"# {_TITLE}", body, f"```{{toctree}}\n:hidden:\n\n{names}\n```")


def _finding(run, made, drawn):
    """A question with its answer and first picture, as far as the executed notebook has them."""
    from markdown_it import MarkdownIt

    tagged = [cell for cell in made.cells if FINDING in cell.metadata.get("tags", [])]
    data = [output.get("data", {}) for cell in tagged for output in cell.get("outputs", ())]
    said = "\n\n".join(each["text/markdown"] for each in data if "text/markdown" in each)
    return {
        "href": f"{run.name}.html",
        "title": run.title,
        "text": Markup(MarkdownIt("commonmark", {"html": False}).render(said)),  # tags in it stay text
        "picture": next((each for each in drawn if each.run.name == run.name), None),
        "doubted": Markup(pictures.doubted(made.cells)),  # of our own making, escaped there
    }


def context(pages, drawn=()):
    """Return what the templates of every page show: the list of pages in groups, and how each is made again."""
    groups, feet = {"Questions": [], "Documents": [], "Handbook": handbook.LISTED}, {}
    for run, _ in pages:
        kind, label = "Questions", run.title
        if "source" in run.parameters:  # a document, with its year, where that is known
            year = document(run.parameters["source"]).get("year", "")
            kind, label = "Documents", f"{year}: {label}" if year else label
        groups[kind].append((run.name, label))
        said = ", ".join(f"{name} = {value}" for name, value in run.parameters.items())
        made = f"Notebook {run.notebook}{f' with {said}' if said else ''}"
        feet[run.name] = f"{made}; again with: dominoperf report {run.name}{run.data}."
    return {
        "default_mode": "auto",  # light or dark as the reader's system has it
        "page_extras": _extras(drawn),
        "page_groups": [group for group in groups.items() if group[1]],
        "page_foots": feet,
        "data_checksum": data_checksum(),
    }


def _extras(drawn):
    """Pages that stand in no group, as (name, label): that of the pictures, where there are any."""
    return [(pictures.NAME, "All pictures")] if drawn else []
