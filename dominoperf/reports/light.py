"""jsonschema without a grammar that it builds as it is imported.

nbformat checks notebooks by jsonschema, which builds a parser of internationalised addresses (rfc3987_syntax) whenever
that is installed, and JupyterLab brings it: two seconds, for a format that the schema of notebooks does not have.
"""

import sys

_GRAMMAR = "rfc3987_syntax"


def load():
    """Import jsonschema without the grammar, for a process of our own: its checks know no "iri" from then on."""
    if "jsonschema" in sys.modules or _GRAMMAR in sys.modules:
        return
    sys.modules[_GRAMMAR] = None  # an import of it fails, and jsonschema goes without
    try:
        import jsonschema  # noqa: F401
    finally:
        del sys.modules[_GRAMMAR]
