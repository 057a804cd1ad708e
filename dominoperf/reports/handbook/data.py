"""The data as files: each table as printed and corrected, its descriptor, what stands across documents, all in one."""

import io
import re
import zipfile

import pandas as pd

from dominoperf import audit, benchmarks, catalog, rendering
from dominoperf.catalog.descriptors import DESCRIPTOR
from dominoperf.catalog.pages import as_csv
from dominoperf.reports.cells import notebook, prose, rendered

FILES = "files"
_ALL = "dominoperf_data.zip"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell: two builds have the same bytes
_ACROSS = {
    "benchmarks.csv": ("Every run of any document, a row each, in our units", benchmarks.benchmarks),
    "series.csv": ("The points of every named series", lambda: series_points()),
    "claims.csv": (
        "The claims of the texts, with what was computed and the verdict",
        lambda: audit.audit_claims().tidy(),
    ),
    "errata.csv": ("The corrections, with their evidence", catalog.errata),
    "columns.csv": ("Every column with its unit and meaning", lambda: columns()),
}


def page(pages):
    """Give the page: every file with what it is."""
    across = [{"file": f"{FILES}/{name}", "name": name, "about": about} for name, (about, _) in _ACROSS.items()]
    hrefs = {run.parameters["source"]: f"../{run.name}.html" for run, _ in pages if "source" in run.parameters}
    documents = [_document(source, hrefs.get(source, "")) for source in catalog.sources()["source"]]
    body = rendered("handbook/data.html", across=across, documents=documents, all=f"{FILES}/{_ALL}")
    return notebook(prose("data.md"), body)


def write(folder):
    """Write every file below a folder, and a zip of them all."""
    contents = files()
    for name, text in contents.items():
        path = folder / FILES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    (folder / FILES / _ALL).write_bytes(_zipped(contents))


def files():
    """Give the content of every file, as bytes, by its name below `FILES`."""
    found = {name: rendering.as_csv(make()).encode() for name, (_, make) in _ACROSS.items()}
    for source in catalog.sources()["source"]:
        found[f"{source}/{DESCRIPTOR}"] = (_folder(source) / DESCRIPTOR).read_bytes()
        for id in catalog.tables(source)["id"]:
            found |= {_name(id, as_): as_csv(id, as_).encode() for as_ in ("printed", "corrected")}
    return dict(sorted(found.items()))


def series_points():
    """Give the points of every series in use as one frame, a row each."""
    rows = []
    for name in benchmarks.named()["series"]:
        record = benchmarks.find(name)
        points = record.points()
        values = {"series": name, "table": record.table, "x": points[record.x], "y": points[record.y]}
        rows.append(pd.DataFrame(values).assign(x_column=record.x, y_column=record.y))
    return pd.concat(rows, ignore_index=True)


def columns():
    """Give the vocabulary as a frame: column, unit, meaning."""
    known = catalog.vocabulary().items()
    return pd.DataFrame([{"column": k, "unit": v.get("unit", ""), "meaning": v["meaning"]} for k, v in known])


def _folder(source):
    return next(folder for folder in catalog.in_use() if folder.name == source)


def _name(id, as_):
    """The file of a table; what is no plain sign in a user's name for it is none here."""
    source, _, table = id.partition("/")
    plain = re.sub(r"[^\w.-]", "_", table, flags=re.ASCII)
    return f"{source}/{source}_{plain}{'' if as_ == 'printed' else '_corrected'}.csv"


def _document(source, href):
    rows = catalog.tables(source).to_dict("records")
    about = catalog.document(source)
    tables = [row | {"files": [f"{FILES}/{_name(row['id'], as_)}" for as_ in ("printed", "corrected")]} for row in rows]
    where = {"source": source, "href": href, "descriptor": f"{FILES}/{source}/{DESCRIPTOR}"}
    return where | {"title": about["title"], "rights": about.get("rights", ""), "tables": tables}


def _zipped(contents):
    """A zip with nothing in it of the day or the machine that made it."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in contents.items():
            about = zipfile.ZipInfo(f"dominoperf_data/{name}", _TIME)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, 3
            packed.writestr(about, content)
    return made.getvalue()
