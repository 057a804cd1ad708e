"""What printed names of systems, releases and workloads have in common: the levels that a model compares."""

import re

from dominoperf.runs.reading import latin

# What a platform is called, by the forms in which its systems are printed; the first that fits.
_PLATFORMS = (
    ("Windows NT", r"Windows NT"),
    ("Windows 2000", r"Windows 2000"),
    ("OS/2", r"OS/2"),
    ("NetWare", r"NetWare"),
    ("Solaris", r"Solaris"),
    ("z/OS", r"z/OS"),
    ("AIX", r"AIX"),
    ("Linux", r"Linux|RHEL|Red Hat"),
)
_WORKLOADS = {"Mail-Only": "Mail"}  # one workload of NotesBench, under two printed names


def platform(text):
    """Give the platform of a printed operating system: ``Windows 2000`` of ``Windows 2000 Advanced Server``.

    A text that names none of ours is its own platform, so that a table of your own keeps its names.
    """
    text = latin(text).strip()
    return next((name for name, form in _PLATFORMS if re.search(form, text, re.IGNORECASE)), text)


def release(text):
    """Give the release as its first two numbers: ``5.0`` of ``R5.0.10``, ``4.51``, ``6``; the text where it has none.

    A width in bits before the name (``32-bit Domino 8.0.1``) is no release. A product without a number, such as a
    starter pack, stays unknown: "".
    """
    found = re.search(r"\d+(\.\d+)?", re.sub(r"\d+-bit", "", text))
    return found[0] if found else ""


def workload(text):
    """Give a workload by one name: ``Mail`` for ``Mail-Only``."""
    return _WORKLOADS.get(text.strip(), text.strip())


# The reader of each column whose printed texts are not yet levels.
READERS = {"operating_system": platform, "domino_release": release, "workload": workload}


def level(column, value):
    """Give the level of a printed cell of a text column; "" where there is none."""
    text = "" if value is None or value != value else str(value)
    return READERS.get(column, str.strip)(text)
