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

from dominoperf.tables.files import replace_file
from dominoperf.tables.folders import DESCRIPTOR, PROFILE, csv_resource, home
from dominoperf.tables.reading import read_printed_csv

_BARE = re.compile(r"[\d,.]*")
_COPIED = ("title", "number", "numbered", "prose", "locator", "kind", "notes", "assigned", "resolution", "identities")


def generate_descriptors(data=None):
    """Return the paths of the descriptors under `data` that were stale, each now written anew."""
    data = Path(data or home())
    stale = _stale_descriptors(data)
    for path, text in stale.items():
        replace_file(path, text)
    return list(stale)


def _stale_descriptors(data):
    """The descriptors under `data` that are not as they should be: path to the right text."""
    columns, sources = (
        tomllib.loads((data / name).read_text(encoding="utf-8")) for name in ("columns.toml", "sources.toml")
    )
    stale = {}
    for key, facts in sources.items():
        written = tomllib.loads((data / key / "package.toml").read_text(encoding="utf-8"))
        package = {
            "$schema": PROFILE,
            "name": key.replace("_", "-"),
            "title": facts["title"],
            "document": facts,
            "sources": [{"title": f"{facts['title']}, {facts['publisher']}, {facts['date']}"}],
            "licenses": [{"name": "MIT", "title": "MIT for selection and arrangement; facts are free"}],
            "resources": [
                _resource_of_table(data / key / f"{name}.csv", table, columns)
                for name, table in written["tables"].items()
            ],
        }
        package |= {"views": written["views"]} if "views" in written else {}
        path, text = data / key / DESCRIPTOR, json.dumps(package, indent=1, ensure_ascii=False) + "\n"
        if not path.exists() or path.read_text("utf-8") != text:
            stale[path] = text
    return stale


def _resource_of_table(path, table, columns):
    """What a person wrote of a table, with what can be computed of its file."""
    content, frame, fields = path.read_bytes(), read_printed_csv(path), []
    missing = ["", *table.get("missing", [])]
    for column, title in table["columns"].items():
        about = columns[column]
        field = {"name": column, "title": title, "type": "number" if "unit" in about else "string"}
        if "unit" in about:
            bare = all(_BARE.fullmatch(cell) for cell in frame[column] if cell not in missing)
            field |= {"unit": about["unit"], "groupChar": ","} | ({} if bare else {"bareNumber": False})
        field["description"] = about["meaning"]
        if column not in table.get("optional", []) and not table.get("missing"):
            field["constraints"] = {"required": True}
        fields.append(field)
    return csv_resource(path.stem) | {
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "rows": len(frame),
        **{key: table[key] for key in _COPIED if key in table},
        "schema": {"fields": fields, "primaryKey": table["key"], "missingValues": missing},
    }


def write_or_check_descriptors(arguments):
    """Write the descriptors; with ``--check`` write nothing, name the stale ones and give 1 when there are any."""
    data = home()
    if "--check" not in arguments:
        for path in generate_descriptors(data):
            print(f"wrote {path.relative_to(data.parent)}")
        return 0
    stale = _stale_descriptors(data)
    for path in stale:
        print(f"{path.relative_to(data.parent)} is stale: run `make data` and commit it.", file=sys.stderr)
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(write_or_check_descriptors(sys.argv[1:]))
