"""Hand out a table with its provenance; know the folders of data in use.

A table's contract is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what the
document prints; `load` gives numbers, and with ``text=True`` the printed digits.
"""

from dominoperf.catalog.folders import document, home, inside, listed, ours, packages, sources, use, using, vocabulary
from dominoperf.catalog.pages import Description, Page, Pages, View, describe, pages, show
from dominoperf.catalog.tables import (
    cells,
    check_columns,
    errata,
    figures,
    identities,
    is_number,
    is_view,
    label,
    load,
    locators,
    meanings,
    read_number,
    read_records,
    read_table,
    resolution,
    sign_of,
    tables,
    units,
)

__all__ = [
    "Description",
    "Page",
    "Pages",
    "View",
    "cells",
    "check_columns",
    "describe",
    "document",
    "errata",
    "figures",
    "home",
    "identities",
    "inside",
    "is_number",
    "is_view",
    "label",
    "listed",
    "load",
    "locators",
    "meanings",
    "ours",
    "packages",
    "pages",
    "read_number",
    "read_records",
    "read_table",
    "resolution",
    "show",
    "sign_of",
    "sources",
    "tables",
    "units",
    "use",
    "using",
    "vocabulary",
]
