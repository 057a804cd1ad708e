"""Read, check, describe, show and write tables; know the folders of data in use.

The contract of a table is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what
the document prints; `load` returns numbers, and with ``text=True`` the printed digits.
"""

from dominoperf.tables.checking import check, notes
from dominoperf.tables.columns import label, meanings, units, user_of, vocabulary
from dominoperf.tables.folders import document, home, in_use, sources, use, using
from dominoperf.tables.loading import cells, errata, figures, is_view, list_tables, load, locators, resolution
from dominoperf.tables.new_folder import new
from dominoperf.tables.pages import Description, Page, Pages, describe, pages, show
from dominoperf.tables.reading import read_table

__all__ = [
    "Description",
    "Page",
    "Pages",
    "cells",
    "check",
    "describe",
    "document",
    "errata",
    "figures",
    "home",
    "in_use",
    "is_view",
    "label",
    "list_tables",
    "load",
    "locators",
    "meanings",
    "new",
    "notes",
    "pages",
    "read_table",
    "resolution",
    "show",
    "sources",
    "units",
    "use",
    "user_of",
    "using",
    "vocabulary",
]
