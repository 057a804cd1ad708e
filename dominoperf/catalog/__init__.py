"""Hand out a table with its provenance; know the folders of data in use.

A table's contract is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what the
document prints; `load` gives numbers, and with ``text=True`` the printed digits.
"""

from dominoperf.catalog.columns import USER, check_columns, label, meanings, units, user_of, vocabulary
from dominoperf.catalog.descriptors import CLAIMS, ERRATA, SERIES, inside, listed
from dominoperf.catalog.folders import (
    document,
    files,
    foreign,
    home,
    in_turn,
    in_use,
    ours,
    packages,
    path_of,
    sources,
    stamp,
    use,
    using,
)
from dominoperf.catalog.pages import Description, Page, Pages, View, describe, pages, show
from dominoperf.catalog.printed import (
    delimiter_of,
    is_number,
    plain,
    read_number,
    read_records,
    read_table,
    sign_of,
)
from dominoperf.catalog.sheets import Sheet, number_in, read_sheet
from dominoperf.catalog.tables import (
    cells,
    errata,
    figures,
    identities,
    is_view,
    load,
    locators,
    resolution,
    tables,
)

__all__ = [
    "CLAIMS",
    "ERRATA",
    "SERIES",
    "USER",
    "Description",
    "Page",
    "Pages",
    "Sheet",
    "View",
    "cells",
    "check_columns",
    "delimiter_of",
    "describe",
    "document",
    "errata",
    "figures",
    "files",
    "foreign",
    "home",
    "identities",
    "in_turn",
    "in_use",
    "inside",
    "is_number",
    "is_view",
    "label",
    "listed",
    "load",
    "locators",
    "meanings",
    "number_in",
    "ours",
    "packages",
    "pages",
    "path_of",
    "plain",
    "read_number",
    "read_records",
    "read_sheet",
    "read_table",
    "resolution",
    "show",
    "sign_of",
    "sources",
    "stamp",
    "tables",
    "units",
    "use",
    "user_of",
    "using",
    "vocabulary",
]
