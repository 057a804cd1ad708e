"""Read, check, describe, show and write tables; know the folders of data in use.

The contract of a table is the ``datapackage.json`` of its folder (Frictionless Data Package). The CSV files hold what
the document prints; `load` returns numbers, and with ``text=True`` the printed digits.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
