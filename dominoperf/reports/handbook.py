"""The handbook in the site: how to, methods, glossary, reference, data, citation; made from registries and files.

Its pages lie in a folder of their own, so that their names meet no run's: those are plain file names.
"""

import csv
import hashlib
import io
import math
import re
import tomllib
import zipfile

import pandas as pd

from dominoperf import planning, runs, tables
from dominoperf.laws import FAMILIES, LAWS
from dominoperf.machines import effects
from dominoperf.reports import reference
from dominoperf.reports.cells import notebook, prose, rendered
from dominoperf.study import audit
from dominoperf.study.commands import RUN_IT
from dominoperf.tables import document, errata, folders, in_use, list_tables, rendering, sources, vocabulary
from dominoperf.tables.folders import DESCRIPTOR
from dominoperf.tables.pages import as_csv

FOLDER = "handbook"
SEAMS = ("data", "law", "series", "reader", "report", "claim", "document", "rules")
"""What can be added: a section each of the page that says how, with an example that a test runs."""
PAGES = {
    "run_it": "Run it",
    "how_to": "How to add something",
    "load_tests": "Load tests, from files to a decision",
    "methods": "Methods and formulas",
    "codebook": "How a claim gets its verdict",
    "glossary": "Glossary",
    "reference": "API reference",
    "data": "Data to download",
    "cite": "How to cite",
}
LISTED = tuple((f"{FOLDER}/{name}", label) for name, label in PAGES.items())


def notebooks(pages):
    """Return the pages that follow from the library and the data alone, as notebooks by the name Sphinx knows them by.

    Parameters
    ----------
    pages : list of (Run, path)
        The runs that have a page, with their executed notebooks: what the data link to.

    Returns
    -------
    dict
    """
    made = {
        "run_it": notebook(RUN_IT.read_text(encoding="utf-8")),
        "how_to": notebook(prose("how_to.md"), *(prose(f"how_to/{seam}.md") for seam in SEAMS)),
        "load_tests": notebook(prose("load_tests.md")),
        "methods": methods_page(),
        "codebook": codebook_page(),
        "data": data_page(pages),
        "cite": cite_page(),
        "reference": reference.page(),
    }
    return {f"{FOLDER}/{name}": page for name, page in (made | reference.room_pages()).items()}


def collected(pages):
    """Return what the glossary takes from the data alone, as JSON can hold it."""
    return {"headers": list(table_headers(pages))}


_ERRORS = {
    "relative": "grows with the value: a residual counts as a share of it",
    "constant": "the same at every value",
}
_SHORT = {"S": "service_s", "R_max": "response_max_s", "rate": "rate_per_s", "c": "servers"}  # letters in formulas
_HEADS = {
    "processors": "Users against processors",
    "overhead": "Forms of overhead, for forecasts",
    "clock": "Capacity against the clock",
    "cache": "Capacity against the cache",
    "sizing": "Memory that users need",
    "memory": "Response against memory",
    "disk": "Response against drives",
    "utilization": "Utilization against users",
    "response": "Response against utilization or users",
    "price": "Users against price",
    "cost": "Price against users",
}


def methods_page():
    """Return the page: the laws by family, each once, then inference, planning and audit in words."""
    cells = [prose("methods.md")]
    for family in dict.fromkeys(law.family for law in LAWS.values()):
        listed = ", ".join(f"{{ref}}`{name} <law-{name}>`" for name in FAMILIES[family])
        cells.append(f"### {_HEADS.get(family, family.capitalize())}\n\nFamily `{family}`: {listed}.")
        for law in (law for law in LAWS.values() if law.family == family):
            formula = law.latex or rf"\text{{{law.formula}}}"
            cells.append(f"(law-{law.name})=\n#### {law.title}\n\n$$\n{formula}\n$$")
            params = [_param(law, param) for param in law.params]
            cells.append(rendered("handbook/law.html", law=law, about=_about(law), params=params))
    return notebook(
        *cells,
        prose("inference.md"),
        prose("capacity.md"),
        _priors(),
        prose("planning.md"),
        _rules(),
        prose("audit.md"),
    )


def letters(law):
    """Return what a formula calls its x and y, and its short names of parameters; nothing where it is no equation."""
    equation, _, solved_for = law.formula.partition(", solved for ")
    if " = " not in equation:
        return "", "", {}
    names = set(re.findall(r"[A-Za-z_]+(?![\w(])", equation)) - {"ln"}
    short = {letter: long for letter, long in _SHORT.items() if letter in names and long in law.names}
    y = solved_for or equation.partition(" = ")[0]
    (x,) = names - {*law.names, *short, y}
    return x, y, short


def _about(law):
    """What stands beside the table of a law, as (word, text); the letters of the formula first."""
    x, y, short = letters(law)
    axes = [(y, law.y, law.y_unit), (x, law.x, law.x_unit)] if x else []
    letters_in_words = [
        f"`{letter}` is `{column}`" + (f" (in {unit})" if unit else "") for letter, column, unit in axes
    ]
    letters_in_words += [f"`{letter}` is `{param}`" for letter, param in short.items()]
    pairs = {
        "Letters": f"{', '.join(letters_in_words)}." if letters_in_words else "",
        "Source": law.source,
        "Equation": law.equation,
        "Where it stops": law.limits,
        "Error": _ERRORS[law.error],
        "Is also": f"`{law.reduces[0]}` where {law.reduces[1]} = {law.reduces[2]:g}" if law.reduces else "",
        "What follows": "; ".join(f"`{quantity.name}`, {quantity.meaning}" for quantity in law.derived),
    }
    return [pair for pair in pairs.items() if pair[1]]


def _param(law, param):
    """A row of the table of a law's parameters."""
    low, high, held = param.low, param.high, param.held
    above = "any" if math.isinf(low) else f"{low:g} or more"
    below = f"up to {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"
    fitted = "fitted" if held is None else "to be given" if math.isnan(held) else f"held at {held:g}"
    unit = param.unit.replace("{x}", law.x).replace("{y}", law.y)
    about = {"range": above if math.isinf(high) else below, "held": fitted}
    return {"name": param.name, "unit": unit, "meaning": param.meaning} | about


def _priors():
    """What the model of users knows before it sees a run, and what the runs leave of it; without those of levels."""
    terms = effects().round(2)
    return rendering.as_markdown(terms[~terms["term"].str.contains("[", regex=False)])


def _rules():
    """Both sets of planning rules side by side, each rule with its page."""
    printed, corrected = map(planning.rules, planning.rule_sets())
    rows = []
    for step, name in [(step, name) for step, rules in printed.steps.items() for name in rules]:
        values = {"printed": printed.value(step, name), "corrected": corrected.value(step, name)}
        about = {"place": printed.locator(step, name), "note": corrected.steps[step][name].get("note", "")}
        rows.append({"step": step, "name": name} | values | about)
    return rendered("handbook/rules.html", rows=rows)


_PARTS = {
    "verdict": "The verdicts",
    "evidence": "The grades of evidence",
    "tolerance": "How exact a number is",
    "hedge": "Hedges",
    "assumption": "Assumptions",
}


def codebook_page():
    """Return the page: each rule by which claims are coded, with a claim that it decides, and every assumption."""
    whole = audit.audit_claims()
    rules = audit.codebook(whole).groupby("part", sort=False)
    parts = [{"name": name, "heading": _PARTS[name], "rules": rows.to_dict("records")} for name, rows in rules]
    assumed = audit.assumptions(whole).to_dict("records")
    return notebook(prose("codebook.md"), rendered("handbook/codebook.html", parts=parts, assumptions=assumed))


_OF_ITS_ROW = {"row": "that of its row", "axis": "that of its axis", "1": "a plain number", "": "text"}


def glossary_page(pages, collected):
    """Return the page."""
    listed = glossary_columns([*collected["headers"], *saved_headers(pages)])
    return notebook(prose("glossary.md"), rendered("handbook/glossary.html", terms=glossary_terms(), columns=listed))


def glossary_terms():
    """Return the words of the field in alphabetical order, as dicts of key, term and text."""
    listed = tomllib.loads(prose("terms.toml"))
    return sorted(({"key": key} | term for key, term in listed.items()), key=lambda term: term["term"].lower())


def table_headers(pages):
    """Yield the name of every table in use, the link to it or nothing, and its columns."""
    hrefs = {run.parameters["source"]: f"../{run.name}.html" for run, _ in pages if "source" in run.parameters}
    for source in tables.sources()["source"]:
        for id in tables.list_tables(source)["id"]:
            columns = list(tables.load(id, "printed", text=True).columns)
            yield id, f"{hrefs[source]}#{id}" if source in hrefs else "", columns


def saved_headers(pages):
    """Yield the same of every table that the reports save beside their notebooks."""
    for run, executed in pages:
        for path in sorted(executed.parent.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as lines:
                yield path.stem, f"../{run.name}.html", next(csv.reader(lines), [])


def glossary_columns(headers):
    """Return every column as a dict of name, unit, meaning and places, each with the link to it where there is one."""
    places = {}
    for name, href, header in headers:
        for column in header:
            places.setdefault(column, []).append({"name": name, "href": href})
    rows = []
    for name, column in tables.vocabulary().items():
        unit = column.get("unit", "")
        about = {"unit": _OF_ITS_ROW.get(unit, unit), "meaning": column["meaning"]}
        rows.append({"name": name, "places": places.get(name, [])} | about)
    return rows


FILES = "files"
_ALL = "dominoperf_data.zip"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell: two builds have the same bytes


_ACROSS = {
    "benchmarks.csv": "Every run of any document, a row each, in our units",
    "series.csv": "The points of every named series",
    "claims.csv": "The claims of the texts, with what was computed and the verdict",
    "errata.csv": "The corrections, with their evidence",
    "columns.csv": "Every column with its unit and meaning",
}


def across():
    """Return the data that belong to no single document as frames, by their files."""
    series = []
    for name in runs.named()["series"]:
        record = runs.find(name)
        points = record.points()
        values = {"series": name, "table": record.table, "x": points[record.x], "y": points[record.y]}
        series.append(pd.DataFrame(values).assign(x_column=record.x, y_column=record.y))
    entries = vocabulary().items()
    columns = [
        {"column": name, "unit": column.get("unit", ""), "meaning": column["meaning"]} for name, column in entries
    ]
    return {
        "benchmarks.csv": runs.benchmarks(),
        "series.csv": pd.concat(series, ignore_index=True),
        "claims.csv": audit.audit_claims().tidy(),
        "errata.csv": errata(),
        "columns.csv": pd.DataFrame(columns),
    }


def data_page(pages):
    """Return the page: every file with what it is."""
    hrefs = {run.parameters["source"]: f"../{run.name}.html" for run, _ in pages if "source" in run.parameters}
    documents = []
    for source in sources()["source"]:
        about, where = document(source), {"source": source, "href": hrefs.get(source, "")}
        tables = [
            row | {"files": [f"{FILES}/{file_of(row['id'], as_)}" for as_ in ("printed", "corrected")]}
            for row in list_tables(source).to_dict("records")
        ]
        where |= {"descriptor": f"{FILES}/{source}/{DESCRIPTOR}", "tables": tables}
        documents.append(where | {"title": about["title"], "rights": about.get("rights", "")})
    listed = [{"file": f"{FILES}/{name}", "name": name, "about": about} for name, about in _ACROSS.items()]
    body = rendered("handbook/data.html", across=listed, documents=documents, all=f"{FILES}/{_ALL}")
    return notebook(prose("data.md"), body)


def write_files(folder):
    """Write every file below a folder, and a zip of them all, with nothing in it of the day or the machine."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in downloads().items():
            path = folder / FILES / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            about = zipfile.ZipInfo(f"dominoperf_data/{name}", _TIME)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, 3
            archive.writestr(about, content)
    (folder / FILES / _ALL).write_bytes(packed.getvalue())


def downloads():
    """Return the content of every file, as bytes, by its name below `FILES`."""
    contents = {name: rendering.as_csv(frame).encode() for name, frame in across().items()}
    for folder in in_use():
        contents[f"{folder.name}/{DESCRIPTOR}"] = (folder / DESCRIPTOR).read_bytes()
        for id in list_tables(folder.name)["id"]:
            contents |= {file_of(id, as_): as_csv(id, as_).encode() for as_ in ("printed", "corrected")}
    return dict(sorted(contents.items()))


def file_of(id, as_):
    """Return the file of a table; what is no plain sign in a user's name for it is none here."""
    source, _, table = id.partition("/")
    plain = re.sub(r"[^\w.-]", "_", table, flags=re.ASCII)
    return f"{source}/{source}_{plain}{'' if as_ == 'printed' else '_corrected'}.csv"


CITATION = "CITATION.cff"  # beside the data: in a checkout, and put there in an installed package


def cite_page():
    """Return the page."""
    about = citation()
    values = {"about": about, "bibtex": bibtex(about), "entries": documents()}
    return notebook(prose("cite.md"), rendered("handbook/cite.html", **values))


def citation():
    """Return what CITATION.cff says, with the checksum of the data, and authors as a list of references has them."""
    import yaml

    about = yaml.safe_load((tables.home().parent / CITATION).read_text(encoding="utf-8"))
    parts = [[author.get("name"), author.get("family-names"), author.get("given-names")] for author in about["authors"]]
    return about | {"checksum": data_checksum(), "authors": [", ".join(filter(None, names)) for names in parts]}


def data_checksum():
    """Return one checksum for all our data: of the descriptors, which hold those of the tables."""
    descriptors = [(folder / DESCRIPTOR).read_bytes() for folder in folders.ours()]
    return hashlib.sha256(b"".join(descriptors)).hexdigest()[:16]


def bibtex(about):
    """Return the reference to the software as an entry of BibTeX."""
    version, note = about["version"], f"Software and data set; checksum of the data {about['checksum']}"
    authors = " and ".join(f"{{{escaped(author)}}}" for author in about["authors"])
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
        bib = entry("techreport", source, {name: value for name, value in fields.items() if value})
        rows.append({"source": source, "text": text, "bibtex": bib, "rights": about.get("rights", "")})
    return rows


def entry(kind, key, fields):
    """Return an entry of BibTeX."""
    lines = "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"


def escaped(text):
    """Return a text for BibTeX, on one line."""
    return re.sub(r"([\\{}#$%&_])", r"\\\1", " ".join(str(text).split()))
