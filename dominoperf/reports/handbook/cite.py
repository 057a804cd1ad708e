"""How to cite: the software by CITATION.cff, the data by their checksum, the documents that numbers come from."""

import hashlib
import re

from dominoperf import tables
from dominoperf.reports.handbook.cells import notebook, prose, rendered
from dominoperf.tables.descriptors import DESCRIPTOR

CITATION = "CITATION.cff"  # beside the data: in a checkout, and put there in an installed package
_SIGNS = re.compile(r"([\\{}#$%&_])")


def page(pages):
    """Give the page."""
    about = citation()
    values = {"about": about, "text": in_words(about), "bibtex": bibtex(about), "entries": documents()}
    return notebook(prose("cite.md"), rendered("cite.html", **values))


def citation():
    """Give what CITATION.cff says, and the checksum of the data with it."""
    import yaml

    path = tables.home().parent / CITATION
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    return about | {"checksum": data_checksum(), "authors": [_author(each) for each in about["authors"]]}


def data_checksum():
    """Give one checksum for all our data: of the descriptors, which hold those of the tables."""
    descriptors = [(folder / DESCRIPTOR).read_bytes() for folder in tables.ours()]
    return hashlib.sha256(b"".join(descriptors)).hexdigest()[:16]


def _author(each):
    return each.get("name") or ", ".join(filter(None, (each.get("family-names"), each.get("given-names"))))


def in_words(about):
    """Give the reference as a line of a list of references."""
    year = about["date-released"][:4]
    return (
        f"{'; '.join(about['authors'])} ({year}). {about['title']} (Version {about['version']}) "
        f"[Software and data set; checksum of the data {about['checksum']}]."
    )


def bibtex(about):
    """Give the reference as an entry of BibTeX."""
    fields = {
        "author": " and ".join(f"{{{_escaped(each)}}}" for each in about["authors"]),
        "title": f"{{{_escaped(about['title'])}}}",
        "year": about["date-released"][:4],
        "version": about["version"],
        "note": f"Software and data set; checksum of the data {about['checksum']}",
    }
    return _entry("software", f"dominoperf_{about['version'].replace('.', '_')}", fields)


def documents():
    """Give a row for every document in use: its reference in words, as BibTeX, and its rights."""
    return [_document(source) for source in tables.sources()["source"]]


def _document(source):
    """A document as a report in a list of references; what a user's folder does not tell is left out."""
    about = tables.document(source)
    number = f" No. {about['document_number']}." if about.get("document_number") else ""
    dated = about.get("date") or about.get("year") or "n.d."
    words = f"{about.get('publisher') or source} ({dated}). {about['title']}.{number}"
    fields = {
        "author": f"{{{_escaped(about.get('publisher', ''))}}}",
        "title": f"{{{_escaped(about['title'])}}}",
        "year": about.get("year", ""),
        "number": _escaped(about.get("document_number", "")),
    }
    entry = _entry("techreport", source, {name: text for name, text in fields.items() if text not in ("", "{}")})
    return {"source": source, "text": words, "bibtex": entry, "rights": about.get("rights", "")}


def _entry(kind, key, fields):
    lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"


def _escaped(text):
    """A text for BibTeX, on one line."""
    return _SIGNS.sub(r"\\\1", " ".join(str(text).split()))
