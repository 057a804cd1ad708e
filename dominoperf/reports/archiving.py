"""A folder to deposit: data, results, notebooks and site, with what programs need to know of them.

``ro-crate-metadata.json`` describes the files outside ``site/`` (RO-Crate 1.1), ``croissant.json`` every column of the
corrected tables (Croissant 1.0), ``README.md`` the whole for people. The two JSON files have a few kinds of entries, so
they are written here: their libraries bring ten packages for what is a dict, and read it in the tests.
"""

import json
import os
import shutil
from pathlib import Path

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.reports import citation, notebooks
from dominoperf.reports.cache import file_digest
from dominoperf.reports.folder import LEDGER, naming_refused_files
from dominoperf.tables import folders, new_folder, rendering

CONTEXT = Path(__file__).with_name("croissant_context.json")  # of Croissant 1.0, as its standard prints it
CRATE, CROISSANT, CHECKSUMS = "ro-crate-metadata.json", "croissant.json", "SHA256SUMS"
_TYPES = {".csv": "text/csv", ".md": "text/markdown", ".json": "application/json", ".toml": "application/toml"}
_TYPES |= {".ipynb": "application/x-ipynb+json", ".txt": "text/plain", ".cff": "text/yaml", ".svg": "image/svg+xml"}
_PARTS = {
    "data": "The documents' numbers as printed, with errata, claims and the vocabulary of columns",
    "corrected": "The published tables as plain numbers, certain errata applied, each row with its place",
    "notebooks": "The notebooks that make the results",
    "results": "The tables that the notebooks made, and the ledger of what they were made from",
    "site": "The pages of the reports; index.html is the first",
}


def archive(out: str | os.PathLike, reports: str | os.PathLike = "reports") -> Path:
    """Return the path of a new folder with data, results, notebooks and site, described for other programs.

    Beside copies it holds the published tables as plain numbers (``corrected/``), ``croissant.json`` with their columns
    and units, ``ro-crate-metadata.json`` with every file outside ``site/``, ``README.md``, licence, citation and
    ``SHA256SUMS``. The same inputs give the same bytes.

    Parameters
    ----------
    out : path
        The folder to make.
    reports : path
        The folder of the standard reports, as `build` writes it.

    Returns
    -------
    Path

    Raises
    ------
    BadTable
        When the folder is there already and not empty, or there are no reports.
    ReportFailed
        When it cannot be written; then nothing is there.
    """
    out = folders.folder_path(out, "archive(out)", "the path of the folder to make").resolve()
    reports = folders.folder_path(reports, "archive(reports=...)", "the folder of the reports")
    new_folder.check_new_or_empty_folder(out)
    if not (reports / LEDGER).is_file() or not (reports / "tables").is_dir():
        expected, remedy = "a folder of standard reports", "Run `dominoperf report`, or name the folder with --reports."
        raise BadTable(str(reports), expected=expected, found="no ledger and tables", remedy=remedy)
    hidden = shutil.ignore_patterns(".*", "__pycache__")
    with naming_refused_files(out), new_folder.new_folder_beside(out) as made:
        shutil.copytree(tables.home(), made / "data", ignore=hidden)
        for folder in folders.users_data_folders():
            shutil.copytree(folder, made / "data" / folder.name, ignore=hidden)
        shutil.copytree(notebooks.notebooks_folder(), made / "notebooks", ignore=hidden)
        shutil.copytree(reports / "tables", made / "results" / "tables", ignore=hidden)
        shutil.copy(reports / LEDGER, made / "results")
        if (reports / "site").is_dir():
            shutil.copytree(reports / "site", made / "site", ignore=hidden)
        for name in (citation.CITATION, "LICENSE"):
            shutil.copy(tables.home().parent / name, made)
        ids = [id for folder in folders.in_use() for id in tables.list_tables(folder.name)["id"]]
        records = [_write_corrected_table(made, id) for id in ids if not tables.is_view(id)]
        about = citation.software_citation()
        croissant = {
            "@context": json.loads(CONTEXT.read_text(encoding="utf-8")),
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": "dominoperf",
            "description": " ".join(about["abstract"].split()),
            "license": f"https://spdx.org/licenses/{about['license']}",
            "version": about["version"],
            "datePublished": about["date-released"],
            "creator": [{"@type": "sc:Organization", "name": author} for author in about["authors"]],
            "citeAs": citation.bibtex(about),
            "distribution": [file for file, _ in records],
            "recordSet": [fields for _, fields in records],
        }
        _write_archive_json(made / CROISSANT, croissant)
        (made / "README.md").write_text(_readme_of_archive(about, made), encoding="utf-8", newline="\n")
        files = sorted(path for path in made.rglob("*") if path.is_file())
        rows = [(path.relative_to(made).as_posix(), path.stat().st_size, file_digest(path)) for path in files]
        described = [row for row in rows if not row[0].startswith("site/")]
        _write_archive_json(made / CRATE, _ro_crate_description(about, described, (made / "site").is_dir()))
        rows.append((CRATE, 0, file_digest(made / CRATE)))
        sums = "".join(f"{checksum}  {name}\n" for name, _, checksum in rows)
        (made / CHECKSUMS).write_text(sums, encoding="utf-8", newline="\n")
    return out


def _readme_of_archive(about, folder):
    """What somebody who opens the folder has to know: what is where, who made it, how to cite it, whose rights."""
    parts = "".join(f"| `{name}/` | {text} |\n" for name, text in _PARTS.items() if (folder / name).is_dir())
    return f"""# {about["title"]}

Version {about["version"]}, {about["date-released"]}, by {"; ".join(about["authors"])}.

{" ".join(about["abstract"].split())}

| Part | What it holds |
|---|---|
{parts}| `{CROISSANT}` | Every column of the tables in `corrected/`, with its meaning and unit (Croissant 1.0) |
| `{CRATE}` | Every file but the pages of `site/`, the authors and the source documents (RO-Crate 1.1) |
| `{CHECKSUMS}` | A checksum of every file: `sha256sum --check {CHECKSUMS}` |

Rights: see `LICENSE`, for the data its last paragraph. Cite this, and the document that a number comes from:

```bibtex
{citation.bibtex(about)}
```
"""


def _write_archive_json(path, value):
    """Write JSON with a line for each key."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _write_corrected_table(folder, id):
    """Write a table as plain numbers; its file and its record set, as Croissant has them."""
    frame, known = tables.load(id), tables.describe(id)
    frame = frame.assign(locator=tables.locators(id))
    name = f"corrected/{id}.csv"
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(rendering.as_csv(frame), encoding="utf-8", newline="\n")
    file = {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": "text/csv",
        "sha256": file_digest(path),
    }
    columns = known.columns.set_index("column")
    fields = []
    for column in frame:
        kind = frame[column].dtype.kind
        meaning, unit = (str(columns[key].get(column, "")) for key in ("meaning", "unit"))
        fields.append(
            {
                "@type": "cr:Field",
                "@id": f"{id}/{column}",
                "name": column,
                "description": f"{meaning or column}{f' [{unit}]' if unit else ''}",
                "dataType": {"i": "sc:Integer", "f": "sc:Float", "b": "sc:Boolean"}.get(kind, "sc:Text"),
                "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
            }
        )
    described = f"{known.title} ({known.locator})"
    return file, {"@type": "cr:RecordSet", "@id": id, "name": id, "description": described, "field": fields}


def _ro_crate_description(about, files, has_site):
    """The description of every file (name, bytes, sha256) and folder; of the site as a whole."""

    def entity(id, kind, **known):
        return {"@id": id, "@type": kind, **known}

    def named(ids):
        return [{"@id": id} for id in ids]

    names = [name for name, _, _ in files]
    folders_of = [name for name in _PARTS if name != "site" or has_site]
    sources = []
    for row in citation.document_references():
        rights = {"creditText": row["text"], "copyrightNotice": row["rights"]}
        title = tables.document(row["source"])["title"]
        sources.append(entity(f"#{row['source']}", "CreativeWork", name=title, **rights))
    parts = []
    for name in folders_of:
        inside = named(file for file in names if file.startswith(f"{name}/"))
        part = entity(f"{name}/", "Dataset", name=name, description=_PARTS[name], hasPart=inside)
        based = {"isBasedOn": named(source["@id"] for source in sources)} if name in ("data", "corrected") else {}
        parts.append(part | based)
    described = []
    for name, size, checksum in files:
        kind = ["File", "SoftwareSourceCode"] if name.endswith(".ipynb") else "File"
        content = {"contentSize": str(size), "sha256": checksum}
        content |= {"encodingFormat": _TYPES.get(Path(name).suffix, "text/plain")}
        described.append(entity(name, kind, name=name.rpartition("/")[2], **content))
    people = [entity(f"#author-{k}", "Organization", name=author) for k, author in enumerate(about["authors"], start=1)]
    authors = named(author["@id"] for author in people)
    license = f"https://spdx.org/licenses/{about['license']}"
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": about["title"],
        "description": " ".join(about["abstract"].split()),
        "datePublished": about["date-released"],
        "version": about["version"],
        "license": {"@id": license},
        "author": authors if len(authors) > 1 else authors[0],
        "publisher": authors[0],
        "keywords": ", ".join(about["keywords"]),
        "hasPart": named([*(f"{name}/" for name in folders_of), *(name for name in names if "/" not in name)]),
    }
    standard = {"conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"}, "about": {"@id": "./"}}
    head, licence = entity(CRATE, "CreativeWork", **standard), entity(license, "CreativeWork", name=about["license"])
    graph = [head, root, *people, licence, *sources, *parts, *described]
    more = {name: f"http://schema.org/{name}" for name in ("copyrightNotice", "creditText", "sha256")}
    return {"@context": ["https://w3id.org/ro/crate/1.1/context", more], "@graph": graph}
