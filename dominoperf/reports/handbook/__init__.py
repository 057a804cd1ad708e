"""The handbook in the site: how to, methods, glossary, reference, data, citation; made from registries and files.

Its pages lie in a folder of their own, so that their names meet no run's: those are plain file names. What they need
is imported when they are made, for a notebook that only saves a table can do without.
"""

import importlib

FOLDER = "handbook"
_PAGES = {
    "how_to": "How to add something",
    "methods": "Methods and formulas",
    "glossary": "Glossary",
    "reference": "API reference",
    "data": "Data to download",
    "cite": "How to cite",
}
LISTED = tuple((f"{FOLDER}/{name}", label) for name, label in _PAGES.items())


def notebooks(pages):
    """Give every page of the handbook as a notebook, by the name that Sphinx knows it by.

    Parameters
    ----------
    pages : list of (Run, path)
        The runs that have a page, with their executed notebooks: what the glossary and the data link to.

    Returns
    -------
    dict
    """
    found = {f"{FOLDER}/{name}": _module(name).page(pages) for name in _PAGES}
    return found | {f"{FOLDER}/{name}": page for name, page in _module("reference").room_pages().items()}


def write_files(site):
    """Write the files that the handbook offers for download into a built site."""
    _module("data").write(site / FOLDER)


def _module(name):
    return importlib.import_module(f"{__name__}.{name}")
