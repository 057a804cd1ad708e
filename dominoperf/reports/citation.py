"""How to cite the software, its data and each document: in words and as BibTeX, from CITATION.cff and descriptors."""

import hashlib
import re

from dominoperf import tables
from dominoperf.tables import folders
from dominoperf.tables.folders import DESCRIPTOR

CITATION = "CITATION.cff"  # beside the data: in a checkout, and put there in an installed package


def software_citation():
    """Return what CITATION.cff says, with the checksum of the data, and authors as a list of references has them."""
    import yaml

    about = yaml.safe_load((tables.home().parent / CITATION).read_text(encoding="utf-8"))
    parts = [[author.get("name"), author.get("family-names"), author.get("given-names")] for author in about["authors"]]
    return about | {"checksum": data_checksum(), "authors": [", ".join(filter(None, names)) for names in parts]}


def data_checksum():
    """Return one checksum for all our data: of the descriptors, which hold those of the tables."""
    descriptors = [(folder / DESCRIPTOR).read_bytes() for folder in folders.our_data_folders()]
    return hashlib.sha256(b"".join(descriptors)).hexdigest()[:16]


def bibtex(about):
    """Return the reference to the software as an entry of BibTeX."""
    version, note = about["version"], f"Software and data set; checksum of the data {about['checksum']}"
    authors = " and ".join(f"{{{bibtex_text(author)}}}" for author in about["authors"])
    fields = {"author": authors, "title": f"{{{bibtex_text(about['title'])}}}", "year": about["date-released"][:4]}
    return bibtex_entry(
        "software", f"dominoperf_{version.replace('.', '_')}", fields | {"version": version, "note": note}
    )


def document_references():
    """Return a row for every document in use: its reference in words, as BibTeX, and its rights.

    Each is a report in a list of references; what a user's folder does not tell is left out.
    """
    rows = []
    for source in tables.sources()["source"]:
        about = tables.document(source)
        number, publisher = about.get("document_number", ""), about.get("publisher", "")
        dated = about.get("date") or about.get("year") or "n.d."
        text = f"{publisher or source} ({dated}). {about['title']}.{f' No. {number}.' if number else ''}"
        fields = {
            "author": publisher and f"{{{bibtex_text(publisher)}}}",
            "title": f"{{{bibtex_text(about['title'])}}}",
        }
        fields |= {"year": about.get("year", ""), "number": bibtex_text(number)}
        bib = bibtex_entry("techreport", source, {name: value for name, value in fields.items() if value})
        rows.append({"source": source, "text": text, "bibtex": bib, "rights": about.get("rights", "")})
    return rows


def bibtex_entry(kind, key, fields):
    """Return an entry of BibTeX."""
    lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"


def bibtex_text(text):
    """Return a text for BibTeX, on one line."""
    return re.sub(r"([\\{}#$%&_])", r"\\\1", " ".join(str(text).split()))
