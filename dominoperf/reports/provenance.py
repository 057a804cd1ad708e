"""What the tables of reports are computed from, so that each number leads back to the page that printed it.

A table with a column ``locator`` says it row by row. Of any other, `save` is told, and writes it below the table and
into the descriptor beside the CSV file: a data resource of the Frictionless Data Package.
"""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.tables import folders, rendering
from dominoperf.tables.folders import DESCRIPTOR, PROFILE

SIDECAR = ".resource.json"  # behind the name of a table, where a run has saved it
REGISTRIES = {
    "benchmarks": ("the runs of all documents", "data/benchmarks.toml"),
    "claims": ("the claims of the documents", "data/claims.csv"),
    "errata": ("the errata of the documents", "data/errata.csv"),
}


@dataclass(frozen=True)
class Origin:
    """One thing that a table is computed from: its name, or that of its printed table; words for a reader; its file."""

    name: str
    words: str
    path: str


def origins_of_table(names, folder=None):
    """Return what a table is computed from, by name.

    Parameters
    ----------
    names : str, path or list of them
        Each the id of a table or view, a series, a document, ``benchmarks``, ``claims``, ``errata``, a file or folder
        of ``data``, or a table that was saved in the same folder before; a ``Path`` is a file of the user's, and is
        told by its name alone.
    folder : path, optional
        Where tables were saved before.

    Returns
    -------
    tuple of Origin

    Raises
    ------
    UnknownName
        When a name is none of these.

    Examples
    --------
    >>> [each.path for each in origins_of_table(["benchmarks", "rules.toml"])]
    ['data/benchmarks.toml', 'data/rules.toml']
    """
    names = [names] if isinstance(names, (str, Path)) or not isinstance(names, Iterable) else names
    return tuple(_origin_by_name(name, Path(folder or ".")) for name in names)


def _origin_by_name(name, folder):
    """One origin by its name."""
    if not isinstance(name, (str, Path)):
        remedy = "Name tables, series, documents or files."
        raise BadTable("save, computed_from", expected="a name or a path", found=repr(name), remedy=remedy)
    if isinstance(name, Path):
        return Origin(name.name, name.name, name.name)
    ids, documents, data = set(tables.list_tables()["id"]), set(tables.sources()["source"]), tables.home()
    with contextlib.suppress(UnknownName):
        table = tables.describe(runs.find(name).table)
        return Origin(table.id, f"the series {name} of {_table_in_words(table)}", _file_from_project(f"{table.id}.csv"))
    if name in ids:
        table = tables.describe(name)
        return Origin(name, _table_in_words(table), _file_from_project(f"{name}.csv"))
    if name in documents:
        return Origin(name, f"the tables of {tables.document(name)['title']}", _file_from_project(name))
    if name in REGISTRIES:
        return Origin(name, *REGISTRIES[name])
    if folders.inside(data, name) and (data / name).exists():
        return Origin(name, f"data/{name}", f"data/{name}")
    if (folder / f"{name}.csv").is_file():
        return Origin(name, f"the table {name}", f"{name}.csv")
    names = [*runs.named()["series"], *ids, *documents, *REGISTRIES, *(path.name for path in data.iterdir())]
    listing = "Name a table, a series, a document, benchmarks, claims, errata, a data file, or a table saved before."
    raise UnknownName.among("save, computed_from", name, sorted(names), listing)


def _file_from_project(path):
    """A file of ours from the project on; one of a folder of the user's from its folder on, wherever that is."""
    return f"data/{path}" if path.partition("/")[0] in {folder.name for folder in folders.ours()} else path


def _table_in_words(table):
    """A printed table in words: title, place and document."""
    return f"{table.title} ({table.place}, {table.document})"


def resource_of_saved_table(name, table, sources):
    """Return the data resource of a saved table as a dict: its columns in our vocabulary, and what it stands on."""
    units, meanings = tables.units(), tables.meanings()
    fields = []
    for column in map(str, table.columns):
        dtype = table[column].dtype  # a truth value is written as yes or no, which is a text
        plain = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
        field = {"name": column, "type": "number" if plain else "string"}
        field |= {"unit": units[column]} if units.get(column) else {}
        fields.append(field | ({"description": meanings[column]} if column in meanings else {}))
    resource = {"name": name, "type": "table", "path": f"{name}.csv", "format": "csv", "encoding": "utf-8"}
    resource |= {"sources": [{"title": origin.words, "path": origin.path} for origin in sources]} if sources else {}
    return resource | {"schema": {"fields": fields}}


def tables_package(resources):
    """Return the descriptor of a folder of tables as text, from their data resources."""
    head = {"$schema": PROFILE, "name": "dominoperf-reports", "title": "Tables of the reports"}
    ordered = sorted(resources, key=lambda resource: resource["name"])
    return json.dumps(head | {"resources": ordered}, indent=1, ensure_ascii=False) + "\n"


def resources_of_tables(paths):
    """Return the data resources that runs have written beside these tables."""
    beside = [path.with_suffix(SIDECAR) for path in paths if path.suffix == ".csv"]
    return [json.loads(path.read_text(encoding="utf-8")) for path in beside if path.is_file()]


def kept_resources(folder, written):
    """Return the data resources of a folder for those of its tables that stay: there, and not among the written."""
    path = Path(folder, DESCRIPTOR)
    listed = json.loads(path.read_text(encoding="utf-8"))["resources"] if path.is_file() else []
    return [
        resource for resource in listed if resource["path"] not in written and Path(folder, resource["path"]).is_file()
    ]


def origins_as_markdown(sources):
    """Return the line below a table in Markdown."""
    return (
        f"\nComputed from {rendering.as_markdown_text('; '.join(origin.words for origin in sources))}.\n"
        if sources
        else ""
    )
