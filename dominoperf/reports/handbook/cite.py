"""How to cite: the software by CITATION.cff, the data by their checksum, the documents that numbers come from."""

import hashlib
import re

from dominoperf import tables
from dominoperf.reports.cells import notebook, prose, rendered
from dominoperf.tables.folders import DESCRIPTOR

CITATION = "CITATION.cff"  # beside the data: in a checkout, and put there in an installed package


def page(pages):
    """Return the page."""
    about = citation()
    values = {"about": about, "bibtex": bibtex(about), "entries": documents()}
    return notebook(prose("cite.md"), rendered("handbook/cite.html", **values))


def citation():
    """Return what CITATION.cff says, with the checksum of the data, and authors as a list of references has them."""
    import yaml

    about = yaml.safe_load((tables.home().parent / CITATION).read_text(encoding="utf-8"))
    parts = [[each.get("name"), each.get("family-names"), each.get("given-names")] for each in about["authors"]]
    return about | {"checksum": data_checksum(), "authors": [", ".join(filter(None, each)) for each in parts]}


def data_checksum():
    """Return one checksum for all our data: of the descriptors, which hold those of the tables."""
    descriptors = [(folder / DESCRIPTOR).read_bytes() for folder in tables.ours()]
    return hashlib.sha256(b"".join(descriptors)).hexdigest()[:16]


def bibtex(about):
    """Return the reference to the software as an entry of BibTeX."""
    version, note = about["version"], f"Software and data set; checksum of the data {about['checksum']}"
    authors = " and ".join(f"{{{escaped(each)}}}" for each in about["authors"])
    fields = {"author": authors, "title": f"{{{escaped(about['title'])}}}", "year": about["date-released"][:4]}
    return entry("software", f"dominoperf_{version.replace('.', '_')}", fields | {"version": version, "note": note})


def documents():
    """Return a row for every document in use: its reference in words, as BibTeX, and its rights.

    Each is a report in a list of references; what a user's folder does not tell is left out.
    """
    rows = []
    for source in tables.sources()["source"]:
        about = tables.document(source)
        number, publisher = about.get("document_number", ""), about.get("publisher", "")
        dated = about.get("date") or about.get("year") or "n.d."
        text = f"{publisher or source} ({dated}). {about['title']}.{f' No. {number}.' if number else ''}"
        fields = {"author": publisher and f"{{{escaped(publisher)}}}", "title": f"{{{escaped(about['title'])}}}"}
        fields |= {"year": about.get("year", ""), "number": escaped(number)}
        bib = entry("techreport", source, {name: each for name, each in fields.items() if each})
        rows.append({"source": source, "text": text, "bibtex": bib, "rights": about.get("rights", "")})
    return rows


def entry(kind, key, fields):
    """Return an entry of BibTeX."""
    lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"


def escaped(text):
    """Return a text for BibTeX, on one line."""
    return re.sub(r"([\\{}#$%&_])", r"\\\1", " ".join(str(text).split()))
