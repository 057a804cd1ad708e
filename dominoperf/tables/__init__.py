"""Read, check, describe, show and write tables; know the folders of data in use.

The contract of a table is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what
the document prints; `load` returns numbers, and with ``text=True`` the printed digits.
"""

from dominoperf.tables.columns import USER, check_columns, label, meanings, units, user_of, vocabulary
from dominoperf.tables.contract import check
from dominoperf.tables.descriptors import CLAIMS, ERRATA, SERIES, inside, listed
from dominoperf.tables.folders import (
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
from dominoperf.tables.generating import generate
from dominoperf.tables.loading import (
    cells,
    doubted,
    errata,
    erratum_name,
    figures,
    identities,
    is_view,
    list_tables,
    load,
    load_where,
    locators,
    places,
    resolution,
)
from dominoperf.tables.new_folder import new
from dominoperf.tables.opening import is_url
from dominoperf.tables.outside import notes
from dominoperf.tables.pages import Description, Page, Pages, View, describe, pages, show
from dominoperf.tables.printed import delimiter_of, is_number, plain, read_number, read_printed, read_records, sign_of
from dominoperf.tables.reading import ANY, read_table
from dominoperf.tables.unit_signs import factor, factor_of, known_unit

__all__ = [
    "ANY",
    "CLAIMS",
    "ERRATA",
    "SERIES",
    "USER",
    "Description",
    "Page",
    "Pages",
    "View",
    "cells",
    "check",
    "check_columns",
    "delimiter_of",
    "describe",
    "document",
    "doubted",
    "errata",
    "erratum_name",
    "factor",
    "factor_of",
    "figures",
    "files",
    "foreign",
    "generate",
    "home",
    "identities",
    "in_turn",
    "in_use",
    "inside",
    "is_number",
    "is_url",
    "is_view",
    "known_unit",
    "label",
    "list_tables",
    "listed",
    "load",
    "load_where",
    "locators",
    "meanings",
    "new",
    "notes",
    "ours",
    "packages",
    "pages",
    "path_of",
    "places",
    "plain",
    "read_number",
    "read_printed",
    "read_records",
    "read_table",
    "resolution",
    "show",
    "sign_of",
    "sources",
    "stamp",
    "units",
    "use",
    "user_of",
    "using",
    "vocabulary",
]
