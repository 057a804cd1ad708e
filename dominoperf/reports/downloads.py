"""The files of the site to download: every table as CSV, printed and corrected, what all documents share, one zip."""

import io
import re
import zipfile

import pandas as pd

from dominoperf import runs
from dominoperf.reports.cells import handbook_text, notebook_of_cells, rendered_template
from dominoperf.reports.notebooks import pages_of_documents
from dominoperf.tables import document, errata, in_use, list_tables, rendering, sources, vocabulary
from dominoperf.tables.columns import meaning_and_empty
from dominoperf.tables.document_pages import page_as_csv
from dominoperf.tables.folders import DESCRIPTOR

FILES = "files"  # below the folder of the page
_ALL = "dominoperf_data.zip"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell: two builds have the same bytes


_SHARED = {
    "benchmarks.csv": "Every run of any document, a row each, in our units",
    "series.csv": "The points of every named series",
    "claims.csv": "The claims of the texts, with what was computed and the verdict",
    "errata.csv": "The corrections, with their evidence",
    "columns.csv": "Every column with its unit and meaning",
}


def shared_tables_to_download(audited):
    """Return the data that belong to no single document, with the audit of their claims, as frames by their files."""
    series = []
    for name in runs.series_names():
        record = runs.find(name)
        points = record.points()
        values = {"series": name, "table": record.table, "x": points[record.x], "y": points[record.y]}
        series.append(pd.DataFrame(values).assign(x_column=record.x, y_column=record.y))
    entries = vocabulary().items()
    columns = [
        {"column": name, "unit": column.get("unit", ""), "meaning": meaning_and_empty(column)}
        for name, column in entries
    ]
    return {
        "benchmarks.csv": runs.benchmarks(),
        "series.csv": pd.concat(series, ignore_index=True),
        "claims.csv": audited.tidy(),
        "errata.csv": errata(),
        "columns.csv": pd.DataFrame(columns),
    }


def downloads_page(pages):
    """Return the page as a notebook: every file with what it is."""
    hrefs = pages_of_documents(run for run, _ in pages)
    documents = []
    for source in sources()["source"]:
        about, where = document(source), {"source": source, "href": f"../{hrefs[source]}" if source in hrefs else ""}
        tables = [
            row | {"files": [f"{FILES}/{download_file_name(row['id'], as_)}" for as_ in ("printed", "corrected")]}
            for row in list_tables(source).to_dict("records")
        ]
        where |= {"descriptor": f"{FILES}/{source}/{DESCRIPTOR}", "tables": tables}
        documents.append(where | {"title": about["title"], "rights": about.get("rights", "")})
    listed = [{"file": f"{FILES}/{name}", "name": name, "about": about} for name, about in _SHARED.items()]
    body = rendered_template("handbook/data.html", shared=listed, documents=documents, all=f"{FILES}/{_ALL}")
    return notebook_of_cells(handbook_text("data.md"), body)


def write_download_files(folder, audited):
    """Write every file below a folder, and a zip of them all, with nothing in it of the day or the machine.

    `audited` is a function that gives the `Audit` of the claims of all documents.
    """
    contents = {name: rendering.as_csv(frame).encode() for name, frame in shared_tables_to_download(audited()).items()}
    for source in in_use():
        contents[f"{source.name}/{DESCRIPTOR}"] = (source / DESCRIPTOR).read_bytes()
        for id in list_tables(source.name)["id"]:
            contents |= {download_file_name(id, as_): page_as_csv(id, as_).encode() for as_ in ("printed", "corrected")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(contents.items()):
            path = folder / FILES / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            about = zipfile.ZipInfo(f"dominoperf_data/{name}", _TIME)
            about.compress_type, about.create_system = zipfile.ZIP_DEFLATED, 3
            archive.writestr(about, content)
    (folder / FILES / _ALL).write_bytes(packed.getvalue())


def download_file_name(id, as_):
    """Return the file of a table; what is no plain sign in a user's name for it is none here."""
    source, _, table = id.partition("/")
    plain = re.sub(r"[^\w.-]", "_", table, flags=re.ASCII)
    return f"{source}/{source}_{plain}{'' if as_ == 'printed' else '_corrected'}.csv"
