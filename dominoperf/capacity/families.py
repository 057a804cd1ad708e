"""What printed names of systems, releases and workloads have in common: the levels that a model compares."""

import re

from dominoperf.runs.reading import latin
from dominoperf.tables.folders import our_file


def level(column: str, value: object) -> str:
    """Return the level of a printed cell: its family, else its own text; "" where nothing is printed.

    The families of a column are those of ``data/families.toml``. A release is known by its first two numbers.

    Examples
    --------
    >>> level("operating_system", "Windows 2000 Advanced Server"), level("operating_system", "BeOS 5")
    ('Windows 2000', 'BeOS 5')
    >>> level("domino_release", "R5.0.10"), level("workload", None)
    ('5.0', '')
    """
    text = "" if value is None or value != value else str(value).strip()
    if column == "domino_release":
        return release(text)
    families = our_file("families.toml").get(column, {})
    text = latin(text) if families else text
    return next((name for name, form in families.items() if re.search(form, text, re.IGNORECASE)), text)


def release(text: str) -> str:
    """Return a release as its first two numbers; "" where it has none: a starter pack stays unknown.

    A width in bits before the name is no release.

    Examples
    --------
    >>> [release(text) for text in ("R5.0.10", "Domino 6", "32-bit Domino 8.0.1", "starter pack")]
    ['5.0', '6', '8.0', '']
    """
    found = re.search(r"\d+(\.\d+)?", re.sub(r"\d+-bit", "", text))
    return found[0] if found else ""
