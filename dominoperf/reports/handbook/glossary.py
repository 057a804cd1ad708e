"""The glossary: words of the field, and every column of the vocabulary with the tables and results it stands in."""

import csv
import tomllib

from dominoperf import tables
from dominoperf.reports.cells import notebook, prose, rendered

_OF_ITS_ROW = {"row": "that of its row", "axis": "that of its axis", "1": "a plain number", "": "text"}


def page(pages, known):
    """Return the page."""
    listed = columns([*known["headers"], *results(pages)])
    return notebook(prose("glossary.md"), rendered("handbook/glossary.html", terms=terms(), columns=listed))


def terms():
    """Return the words of the field in alphabetical order, as dicts of key, term and text."""
    listed = tomllib.loads(prose("terms.toml"))
    return sorted(({"key": key} | each for key, each in listed.items()), key=lambda each: each["term"].lower())


def headers(pages):
    """Yield the name of every table in use, the link to it or nothing, and its columns."""
    hrefs = {run.parameters["source"]: f"../{run.name}.html" for run, _ in pages if "source" in run.parameters}
    for source in tables.sources()["source"]:
        for id in tables.list_tables(source)["id"]:
            columns = list(tables.load(id, "printed", text=True).columns)
            yield id, f"{hrefs[source]}#{id}" if source in hrefs else "", columns


def results(pages):
    """Yield the same of every table that the reports save beside their notebooks."""
    for run, executed in pages:
        for path in sorted(executed.parent.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as lines:
                yield path.stem, f"../{run.name}.html", next(csv.reader(lines), [])


def columns(headers):
    """Return every column as a dict of name, unit, meaning and places, each with the link to it where there is one."""
    places = {}
    for name, href, header in headers:
        for column in header:
            places.setdefault(column, []).append({"name": name, "href": href})
    found = []
    for name, known in tables.vocabulary().items():
        unit = known.get("unit", "")
        about = {"unit": _OF_ITS_ROW.get(unit, unit), "meaning": known["meaning"]}
        found.append({"name": name, "places": places.get(name, [])} | about)
    return found
