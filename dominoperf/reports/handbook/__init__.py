"""The handbook in the site: how to, methods, glossary, reference, data, citation; made from registries and files.

Its pages lie in a folder of their own, so that their names meet no run's: those are plain file names. What they need
is imported when they are made, for a notebook that only saves a table can do without.
"""

import importlib

from dominoperf.reports.cells import notebook, prose

FOLDER = "handbook"
SEAMS = ("data", "law", "series", "reader", "report", "claim", "rules")
"""What can be added: a section each of the page that says how, with an example that a test runs."""
PAGES = {
    "how_to": "How to add something",
    "methods": "Methods and formulas",
    "glossary": "Glossary",
    "reference": "API reference",
    "data": "Data to download",
    "cite": "How to cite",
}
LISTED = tuple((f"{FOLDER}/{name}", label) for name, label in PAGES.items())


def notebooks(pages):
    """Return the pages that follow from the library and the data alone, as notebooks by the name Sphinx knows them by.

    Parameters
    ----------
    pages : list of (Run, path)
        The runs that have a page, with their executed notebooks: what the data link to.

    Returns
    -------
    dict
    """
    found = {"how_to": notebook(prose("how_to.md"), *(prose(f"how_to/{seam}.md") for seam in SEAMS))}
    found |= {name: _module(name).page(pages) for name in PAGES if name not in ("how_to", "glossary")}
    found |= _module("reference").room_pages()
    return {f"{FOLDER}/{name}": page for name, page in found.items()}


def known(pages):
    """Return what the other pages take from the data alone, as JSON can hold it."""
    return {"headers": list(_module("glossary").headers(pages))}


def following(pages, known):
    """Return the pages that tell of the runs' tables too, in the same form; `known` gave the rest."""
    return {f"{FOLDER}/glossary": _module("glossary").page(pages, known)}


def write_files(site):
    """Write the files that the handbook offers for download into a built site."""
    _module("data").write(site / FOLDER)


def _module(name):
    return importlib.import_module(f"{__name__}.{name}")
