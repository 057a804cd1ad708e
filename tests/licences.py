"""The licence of every locked package as its own metadata say it: `python tests/licences.py` writes licences.csv.

A package that says "BSD" and no more is listed with three clauses, the stricter of the two in use.
"""

import csv
import re
import sys
from importlib import metadata
from pathlib import Path

TABLE, LOCK = Path(__file__).parent / "licences.csv", Path(__file__).parent.parent / "requirements.lock"
COLUMNS = ("package", "licence", "said_by", "needed_by")
_PACKAGE = re.compile(r"^([A-Za-z0-9._-]+)==.*?(?=^\S|\Z)", re.MULTILINE | re.DOTALL)
# Read in the licence file of the package or its project: its metadata say nothing. Below, what others say as SPDX.
_FILES = {"axe-playwright-python": "MIT", "ciw": "MIT", "mlcroissant": "Apache-2.0"}
_WORDS = (  # in the order in which they are looked for
    ("text-unidecode", "Artistic-1.0-Perl OR GPL-2.0-or-later"),
    ("Public Domain, BSD License, GNU", "BSD-2-Clause AND CC0-1.0 AND GPL-3.0-or-later"),
    ("Mozilla Public License 2.0", "MPL-2.0"),
    ("MPL-2.0 AND MIT", "MPL-2.0 AND MIT"),
    ("ISC", "ISC"),
    ("Apache", "Apache-2.0"),
    ("Python Software Foundation", "PSF-2.0"),
    ("matplotlib", "PSF-2.0"),
    ("BSD-2", "BSD-2-Clause"),
    ("BSD 2", "BSD-2-Clause"),
    ("2-clause BSD", "BSD-2-Clause"),
    ("BSD", "BSD-3-Clause"),
    ("MIT", "MIT"),
)


def locked():
    """Give every locked package: its name, and what needs it as the lock says, our own lists first."""
    found = {}
    for each in _PACKAGE.finditer(LOCK.read_text(encoding="utf-8")):
        via = re.findall(r"^    #(?: via)? +(\S.*)$", each[0], re.MULTILINE)
        names = {re.sub(r"dominoperf \(pyproject.toml(.*)\)", r"dominoperf\1", name) for name in via if name != "via"}
        found[each[1]] = "; ".join(sorted(names, key=lambda name: (not name.startswith("dominoperf"), name)))
    return found


def licence(name):
    """Give the licence of an installed package and where that stands; nothing of one for another machine."""
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    if about.get("License-Expression"):
        return about["License-Expression"], "expression"
    classes = [each.split(" :: ")[-1] for each in about.get_all("Classifier") or () if each.startswith("License ::")]
    words = f"{name}; {', '.join(classes)}; {(about.get('License') or '')[:80]}"
    known = next((spdx for sign, spdx in _WORDS if sign in words), _FILES.get(name, "unknown"))
    return known, "classifier" if classes else "text" if about.get("License") else "file"


def read():
    """Give the committed rows by package."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["package"]: row for row in csv.DictReader(file)}


def rows():
    """Give the rows as they should be; of a package that is not for this machine, what was written of it before."""
    before = read() if TABLE.exists() else {}
    for name, needed in locked().items():
        known = licence(name) or tuple(before.get(name, {}).get(key, "unknown") for key in COLUMNS[1:3])
        yield dict(zip(COLUMNS, (name, *known, needed), strict=True))


if __name__ == "__main__":
    made = list(rows())
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(made)
    sys.exit(any(row["licence"] == "unknown" for row in made))
