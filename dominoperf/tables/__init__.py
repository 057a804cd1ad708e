"""Read, check, describe, show and write tables; know the folders of data in use.

The contract of a table is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what
the document prints; `load` returns numbers, and with ``text=True`` the printed digits.
"""

from dominoperf import _lazy_import

# Where each name lives; imported when first asked for: who reads a file does not wait for what checks a folder.
_HOMES = {
    "checking": ("check", "notes"),
    "columns": ("label", "meanings", "units", "user_of", "vocabulary"),
    "document_pages": ("Description", "Page", "Pages", "describe", "pages", "show"),
    "folders": ("document", "home", "in_use", "sources", "use", "using"),
    "loading": ("cells", "errata", "figures", "is_view", "list_tables", "load", "locators", "resolution"),
    "new_folder": ("new",),
    "reading": ("read_table",),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
