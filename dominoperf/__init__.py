"""Published Lotus Domino capacity benchmarks as checked data, honest fits and regenerated reports."""

import sys

from lazy_loader import attach_stub

__version__ = "0.2.0"  # the one place: pyproject.toml reads it here


def _without_address_grammar():
    """Keep jsonschema from building a grammar of internationalised addresses, for which nothing here asks.

    It takes two seconds of every process of ours that loads jsonschema after this.
    """
    sys.modules.setdefault("rfc3987_syntax", None)


# Each public name is imported when it is first asked for, from where `__init__.pyi` has it; so in the rooms below.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
