"""Generate the descriptors of our own data: ``datapackage.json`` of every document folder.

A person writes ``package.toml`` (titles, locators, kinds, keys, headings, notes), ``columns.toml`` and
``sources.toml``; what can be computed (rows, bytes, checksum, types) is computed here. ``make data`` writes,
``make check`` compares.
"""

import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

from dominoperf.tables import rendering
from dominoperf.tables.folders import DESCRIPTOR, home
from dominoperf.tables.printed import read_printed

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
_BARE = re.compile(r"[\d,.]*")
_COPIED = ("title", "number", "numbered", "prose", "locator", "kind", "notes", "assigned", "resolution", "identities")


def generate(data=None):
    """Return the paths of the descriptors under `data` that were stale, each now written anew."""
    data = Path(data or home())
    stale = _stale_descriptors(data)
    for path, text in stale.items():
        rendering.replace_file(path, text)
    return list(stale)


def descriptors(data):
    """Return the text of every descriptor under `data` as it should be, by path."""
    columns = tomllib.loads((data / "columns.toml").read_text(encoding="utf-8"))
    sources = tomllib.loads((data / "sources.toml").read_text(encoding="utf-8"))
    packages = {
        data / key / DESCRIPTOR: _descriptor_of_folder(data / key, facts, columns) for key, facts in sources.items()
    }
    return {path: json.dumps(package, indent=1, ensure_ascii=False) + "\n" for path, package in packages.items()}


def _stale_descriptors(data):
    """The descriptors that are not as they should be: path to the right text."""
    texts = descriptors(data)
    return {path: text for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text}


def _descriptor_of_folder(folder, facts, columns):
    """The descriptor of one document folder."""
    written = tomllib.loads((folder / "package.toml").read_text(encoding="utf-8"))
    package = {
        "$schema": PROFILE,
        "name": folder.name.replace("_", "-"),
        "title": facts["title"],
        "document": facts,
        "sources": [{"title": f"{facts['title']}, {facts['publisher']}, {facts['date']}"}],
        "licenses": [{"name": "MIT", "title": "MIT for selection and arrangement; facts are free"}],
        "resources": [_resource_of_table(folder, name, table, columns) for name, table in written["tables"].items()],
    }
    return package | ({"views": written["views"]} if "views" in written else {})


def _resource_of_table(folder, name, table, columns):
    """What a person wrote of a table, with what can be computed of its file."""
    path = folder / f"{name}.csv"
    content = path.read_bytes()
    frame = read_printed(path)
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
            "fields": [_field_of_column(column, table, columns, frame) for column in table["columns"]],
            "primaryKey": table["key"],
            "missingValues": ["", *table.get("missing", [])],
        },
    }


def _field_of_column(column, table, columns, frame):
    """A column in the words of the Table Schema; its cells say whether numbers carry a sign."""
    about = columns[column]
    field = {"name": column, "title": table["columns"][column], "type": "number" if "unit" in about else "string"}
    if "unit" in about:
        cells = [cell for cell in frame[column] if cell not in ("", *table.get("missing", []))]
        bare = all(_BARE.fullmatch(cell) for cell in cells)
        field |= {"unit": about["unit"], "groupChar": ","} | ({} if bare else {"bareNumber": False})
    field["description"] = about["meaning"]
    if column not in table.get("optional", []) and not table.get("missing"):
        field["constraints"] = {"required": True}
    return field


def main(arguments):
    """Write the descriptors; with ``--check`` write nothing, name the stale ones and give 1 when there are any."""
    data = home()
    if "--check" not in arguments:
        for path in generate(data):
            print(f"wrote {path.relative_to(data.parent)}")
        return 0
    stale = _stale_descriptors(data)
    for path in stale:
        print(f"{path.relative_to(data.parent)} is stale: run `make data` and commit it.", file=sys.stderr)
    return int(bool(stale))
