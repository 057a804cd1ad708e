"""The first page of the site: the documents, what the data say, what is wrong in the documents, where to go on."""

import re
from collections import Counter
from pathlib import Path

from markupsafe import Markup

from dominoperf import __version__, tables
from dominoperf.reports import gallery, handbook, linking
from dominoperf.reports.cells import notebook_of_cells, rendered_template
from dominoperf.reports.citation import data_checksum
from dominoperf.reports.notebooks import FINDING, pages_of_documents
from dominoperf.runs import benchmarks
from dominoperf.study import audit
from dominoperf.tables.folders import users_data_folders
from dominoperf.tables.loading import erratum_name

_BOLD = re.compile(r"\*\*.+?\*\*", re.DOTALL)  # how an answer begins
_SAYS = "1"  # before it are the notebooks of what there is, and of what a reader brings: they find nothing in the data
_LOADS = "02_benchmarks"  # the notebook whose first picture opens the first page
_GRAVEST = 3  # errors that the first page tells
_CARDS = "Findings"  # the group of pages that the first page shows with a picture; of others it has the headline
_TITLE = "What vendor reports really say about mail-server capacity"


def facts_of_data(audited):
    """Return what the first page tells of the data, and no notebook says, as JSON can hold it.

    `audited` is a function that gives the `Audit` of the claims of all documents.
    """
    sources = list(tables.sources()["source"])
    groups, broken = audit.errata_groups(), audit.check_consistency()
    years = {source: tables.document(source).get("year", "") for source in sources}
    errors = []
    for erratum in groups.head(_GRAVEST).to_dict("records"):
        (printed, *others), right = erratum["printed"].split("; "), erratum["corrected"].partition("; ")[0]
        more = f" (and {len(others)} more)" if others else ""
        cell = {"printed": printed + more, "corrected": right or "not known"}
        name = erratum_name(erratum["source"], erratum["mistake"])
        errors.append(erratum | cell | {"year": years[erratum["source"]], "name": name})
    fresh, identities = broken["status"] == "", []
    for name, identity in audit.IDENTITIES.items():
        cells = broken["identity"] == name
        counts = {"cells": int(cells.sum()), "fresh": int((cells & fresh).sum())}
        identities.append({"statement": identity.statement} | counts)
    return {
        "documents": sorted(
            (row_of_document(source, audited()) for source in sources),
            key=lambda about: str(about.get("date", "9999")),
        ),  # the oldest first
        "own": [tables.document(folder.name)["title"] for folder in users_data_folders()],
        "errors": {"rows": errors, "count": len(groups), "cells": int(groups["count"].sum())},
        "identities": {"rows": identities, "cells": len(broken), "fresh": int(fresh.sum())},
        "runs": len(benchmarks()),
        "claims": len(audit.claims()),
        "data": data_checksum(),
    }


def row_of_document(source, audited):
    """Return what the table of documents says of one, with how many of its claims an audit gave each verdict."""
    found = Counter(judgement.verdict for claim, judgement in audited.judged if claim.source == source)
    counts = {
        "tables": len(tables.list_tables(source)),
        "figures": len(tables.figures(source)),
        "cells": len(tables.cells(source)),
    }
    verdicts = [(verdict, found[verdict]) for verdict in audit.VERDICTS]
    return tables.document(source) | counts | {"source": source, "verdicts": verdicts}


def front_page_notebook(pages, collected, drawn=(), kinds=()):
    """Return the first page as a notebook: its words and tables are one output.

    `pages` has every run that has a page, in order, with its executed notebook, `drawn` all their pictures; `collected`
    is of `facts_of_data`, `kinds` of `kinds_of_cells`.
    """
    named = {run.name: f"{run.name}.html" for run, _ in pages}
    listed = [*named, *dict(gallery.LISTED), *(name for name, _ in handbook.LISTED)]
    names = "\n".join(f"{name}.ipynb" for name in listed)
    loads = next((gallery.first_picture(made) for run, made in pages if run.notebook == _LOADS), "")
    body = rendered_template(
        "front.html",
        **collected,
        loads=Markup(loads),
        version=__version__,
        hrefs=pages_of_documents(run for run, _ in pages),
        named=named,
        kinds=kinds,
        extras=gallery.LISTED,
        findings=[_question_with_answer(run, made, drawn) for run, made in pages if run.notebook >= _SAYS],
    )
    return notebook_of_cells(f"# {_TITLE}", body, f"```{{toctree}}\n:hidden:\n\n{names}\n```")


def kinds_of_cells(pages):
    """Return how the printed cells of each document were come by, and how many, as its page saved it."""
    kinds = {}
    for run, executed in pages:
        path = Path(executed).parent / f"regenerated_{run.parameters.get('source')}.csv"
        if path.is_file():
            cells = tables.read_table(path)
            counts = zip(cells["how"], cells["cells"].astype(int), strict=True)
            kinds[run.parameters["source"]] = [(how, f"{count:,}") for how, count in counts]
    return kinds


def _question_with_answer(run, made, drawn):
    """A question with its answer and first picture, as far as the executed notebook has them."""
    from markdown_it import MarkdownIt

    tagged = [cell for cell in made.cells if FINDING in cell.metadata.get("tags", [])]
    data = [output.get("data", {}) for cell in tagged for output in cell.get("outputs", ())]
    answer = "\n\n".join(formats["text/markdown"] for formats in data if "text/markdown" in formats)
    bold = _BOLD.match(answer)
    headline = bold[0] if bold else answer
    shown = MarkdownIt("commonmark", {"html": False}).render  # tags in it stay text
    return {
        "href": f"{run.name}.html",
        "title": run.title,
        "label": run.label or run.title,
        "card": run.group == _CARDS,
        "headline": Markup(shown(headline)),
        "picture": next((picture for picture in drawn if picture.run.name == run.name), None),
        "errata": linking.errata_in_outputs(made.cells)[1],
    }
