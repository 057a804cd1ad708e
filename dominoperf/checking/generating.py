"""Generate the descriptors of our own data: ``datapackage.json`` of every document folder.

A person writes ``package.toml`` (titles, locators, kinds, keys, headings, notes), ``columns.toml`` and ``sources.toml``;
what can be computed (rows, bytes, checksum, types) is computed here. ``make data`` writes, ``make check`` compares.
"""

import hashlib
import json
import os
import re
import tempfile
import tomllib
from pathlib import Path

from dominoperf import catalog

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
_BARE = re.compile(r"[\d,.]*")
_COPIED = ("title", "number", "locator", "kind", "notes", "assigned", "resolution")


def generate(data=None):
    """Write the descriptor of every document folder under `data`; give the paths that changed."""
    data = Path(data or catalog.home())
    changed = []
    for path, text in descriptors(data).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            _replace(path, text)
            changed.append(path)
    return changed


def descriptors(data):
    """Give the text of every descriptor under `data` as it should be, by path."""
    columns = tomllib.loads((data / "columns.toml").read_text(encoding="utf-8"))
    sources = tomllib.loads((data / "sources.toml").read_text(encoding="utf-8"))
    return {data / key / "datapackage.json": _text(_package(data / key, facts, columns)) for key, facts in sources.items()}


def _package(folder, facts, columns):
    """The descriptor of one document folder."""
    written = tomllib.loads((folder / "package.toml").read_text(encoding="utf-8"))
    package = {
        "$schema": PROFILE,
        "name": folder.name.replace("_", "-"),
        "title": facts["title"],
        "document": facts,
        "sources": [{"title": f"{facts['title']}, {facts['publisher']}, {facts['date']}"}],
        "licenses": [{"name": "MIT", "title": "MIT for selection and arrangement; facts are free"}],
        "resources": [_resource(folder, name, table, columns) for name, table in written["tables"].items()],
    }
    return package | ({"views": written["views"]} if "views" in written else {})


def _resource(folder, name, table, columns):
    path = folder / f"{name}.csv"
    content = path.read_bytes()
    frame = catalog.read_table(path)
    return {
        "name": name,
        "type": "table",
        "path": path.name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "rows": len(frame),
        **{key: table[key] for key in _COPIED if key in table},
        "schema": {
            "fields": [_field(column, table, columns, frame) for column in table["columns"]],
            "primaryKey": table["key"],
            "missingValues": ["", *table.get("missing", [])],
        },
    }


def _field(column, table, columns, frame):
    known = columns[column]
    field = {"name": column, "title": table["columns"][column], "type": "number" if "unit" in known else "string"}
    if "unit" in known:
        cells = [cell for cell in frame[column] if cell not in ("", *table.get("missing", []))]
        bare = all(_BARE.fullmatch(cell) for cell in cells)
        field |= {"unit": known["unit"], "groupChar": ","} | ({} if bare else {"bareNumber": False})
    field["description"] = known["meaning"]
    if column not in table.get("optional", []) and not table.get("missing"):
        field["constraints"] = {"required": True}
    return field


def _text(package):
    return json.dumps(package, indent=1, ensure_ascii=False) + "\n"


def _replace(path, text):
    """Write beside the old file, then rename: a reader meets the old text or the new, never half of one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".datapackage")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(name, 0o644)
    os.replace(name, path)
