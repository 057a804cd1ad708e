"""Check a data folder against its contract, and tell every problem at once.

Structure, keys and constraints are judged by frictionless; paths, checksums, encodings, printed numbers and units here.
"""

import csv
import functools
import hashlib
import json
from pathlib import Path, PurePosixPath

import pandas as pd

from dominoperf import catalog
from dominoperf.errors import BadTable

KINDS = ("measured", "rule", "config", "price", "workload", "example")
COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
_FREE_UNITS = ("1", "row", "axis")  # a plain number; given by the row's unit cell; that of the axis


def check(folder=None):
    """Check a data folder and give a frame of problems, one a row, empty when there are none.

    Parameters
    ----------
    folder : path, optional
        A folder with a ``datapackage.json``, or a folder of such folders; by default every folder in use.

    Returns
    -------
    DataFrame
        file, line (counting the header as 1), column, expected, found, remedy.

    Raises
    ------
    BadTable
        When there is no such folder.
    """
    if folder is None:
        found = [problem for each in catalog.folders.folders() for problem in _package(each, f"{each.name}/")]
        return pd.DataFrame([*found, *_errata()], columns=COLUMNS)
    folder = Path(folder)
    if not folder.is_dir():
        raise BadTable(
            str(folder), expected="a folder", found="none", remedy="Name a folder that holds a datapackage.json."
        )
    inner = sorted(path.parent for path in folder.glob("*/datapackage.json"))
    if inner and not (folder / "datapackage.json").exists():
        found = [problem for each in inner for problem in _package(each, f"{each.name}/")]
    else:
        found = _package(folder, "")
    return pd.DataFrame(found, columns=COLUMNS)


def _problem(file, line, column, expected, found, remedy):
    return dict(zip(COLUMNS, (file, line, column, expected, found, remedy), strict=True))


def _package(folder, prefix):
    """Every problem of one package; `prefix` goes before file names."""
    name = f"{prefix}datapackage.json"
    path = folder / "datapackage.json"
    if not path.exists():
        remedy = "Describe the folder's tables in a datapackage.json (datapackage.org)."
        return [_problem(name, None, "", "a descriptor of the folder", "no such file", remedy)]
    try:
        descriptor = json.loads(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        return [_bad_encoding(name, path.read_bytes(), error)]
    except json.JSONDecodeError as error:
        return [_problem(name, error.lineno, "", "JSON", error.msg, "Mend the file at this line.")]
    if not isinstance(descriptor, dict) or not isinstance(descriptor.get("resources"), list):
        return [
            _problem(name, None, "resources", "a list of resources", "none", "Add the folder's tables to `resources`.")
        ]
    resources = [resource for resource in descriptor["resources"] if isinstance(resource, dict)]
    problems = _metadata(name, descriptor)
    for resource in resources:
        problems += _resource(folder, prefix, name, resource)
    return problems + _unlisted(folder, prefix, resources)


def _metadata(name, descriptor):
    """What frictionless says of the descriptor itself; unsafe paths are ours to tell."""
    import frictionless

    safe = dict(
        descriptor, resources=[dict(r, path="x.csv") if isinstance(r, dict) else r for r in descriptor["resources"]]
    )
    errors = frictionless.Package.metadata_validate(safe)
    remedy = "See datapackage.org for what a descriptor may say."
    found = [_problem(name, None, "", "a valid Data Package", error.note, remedy) for error in errors]
    named = [str(r.get("name")) for r in descriptor["resources"] if isinstance(r, dict)]
    for twice in sorted({each for each in named if named.count(each) > 1}):
        found.append(
            _problem(name, None, "name", "a name of its own", f"two resources {twice!r}", "Rename one of them.")
        )
    return found


def _resource(folder, prefix, descriptor, resource):
    """Every problem of one table."""
    path = resource.get("path")
    if not isinstance(path, str) or not _inside(folder, path):
        remedy = "Move the file into the folder and name it relative to the folder."
        return [_problem(descriptor, None, "path", "a file inside the folder", repr(path), remedy)]
    file, real = f"{prefix}{path}", folder / path
    if not real.is_file():
        remedy = f"Add the file, or take {resource.get('name')!r} out of datapackage.json."
        return [_problem(file, None, "", "the file that datapackage.json lists", "no such file", remedy)]
    content = real.read_bytes()
    problems = _checksum(file, content, resource) + _facts(descriptor, resource)
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [*problems, _bad_encoding(file, content, error)]
    return problems + _table(file, real, resource)


def _inside(folder, path):
    pure = PurePosixPath(path.replace("\\", "/"))
    safe = not pure.is_absolute() and ".." not in pure.parts and ":" not in pure.parts[0]
    return safe and (folder / path).resolve().is_relative_to(folder.resolve())


def _checksum(file, content, resource):
    expected = str(resource.get("hash", ""))
    found = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if not expected or expected == found:
        return []
    if not expected.startswith("sha256:"):
        remedy = "Write the checksum as sha256:<64 hexadecimal digits>, or leave it out."
        return [_problem(file, None, "", "a sha256 checksum", repr(expected), remedy)]
    remedy = "Undo the change, or, where it is meant, renew the descriptor (ours: `make data`)."
    return [_problem(file, None, "", f"checksum {expected}", found, remedy)]


def _bad_encoding(file, content, error):
    line = content[: error.start].count(b"\n") + 1
    remedy = "Save the file as UTF-8."
    return _problem(file, line, "", "UTF-8", f"byte 0x{content[error.start]:02x} at offset {error.start}", remedy)


def _facts(descriptor, resource):
    """Kind and units, as the descriptor gives them."""
    problems = []
    if resource.get("kind", "measured") not in KINDS:
        expected, remedy = f"one of {', '.join(KINDS)}", f"Mend `kind` of {resource.get('name')!r}."
        problems.append(_problem(descriptor, None, "kind", expected, repr(resource["kind"]), remedy))
    for field in _fields(resource):
        unit, name = field.get("unit"), field.get("name", "")
        if field.get("type") in ("number", "integer") and unit is None:
            remedy = "Give the field a `unit` (1 for a plain count or ratio)."
            problems.append(_problem(descriptor, None, name, "a unit", "none", remedy))
        elif unit is not None and not known_unit(unit):
            problems.append(_unknown_unit(descriptor, None, name, unit))
    return problems


def _unknown_unit(file, line, column, unit):
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return _problem(file, line, column, "a unit that pint knows", repr(unit), remedy)


def known_unit(unit):
    """Tell whether pint, with the units of the field, can read `unit`."""
    return unit in _FREE_UNITS or _parses(str(unit))


@functools.cache
def _parses(unit):
    try:
        _registry().parse_units(unit)
    except Exception:  # pint raises many kinds, from its own to those of the tokenizer: all mean the same here
        return False
    return bool(unit.strip())


@functools.cache
def _registry():
    import pint

    registry = pint.UnitRegistry()
    registry.load_definitions(Path(__file__).parent / "units.txt")
    return registry


def _fields(resource):
    schema = resource.get("schema")
    fields = schema.get("fields", []) if isinstance(schema, dict) else []
    return [field for field in fields if isinstance(field, dict)]


def _table(file, path, resource):
    """Header, rows, cells: what needs the file read."""
    records, lines = _records(path)
    if not records:
        return [_problem(file, 1, "", "a header line", "an empty file", "Write the column names in the first line.")]
    header, names = records[0], [field.get("name") for field in _fields(resource)]
    problems = _header(file, header, names)
    cells = [(line, name, cell) for line, record in zip(lines[1:], records[1:], strict=True)
             for name, cell in zip(header, record, strict=False)]  # fmt: skip
    return (
        problems
        + _numbers(file, cells, resource)
        + _cell_units(file, cells, names)
        + _rows(file, path, header, lines, resource)
    )


def _records(path):
    """The records of a CSV file, and the line each starts in."""
    records, lines, line = [], [], 1
    with open(path, encoding="utf-8", newline="") as text:
        reader = csv.reader(text)
        for record in reader:
            if record:
                records.append(record)
                lines.append(line)
            line = reader.line_num + 1
    return records, lines


def _header(file, header, names):
    if header == names:
        return []
    missing = [name for name in names if name not in header]
    extra = [name for name in header if name not in names]
    twice = sorted({name for name in header if header.count(name) > 1})
    remedy = "Add the column, or take it out of the schema in datapackage.json."
    problems = [_problem(file, 1, name, f"a column {name!r}", "no such column", remedy) for name in missing]
    remedy = "Describe the column in datapackage.json, or take it out of the file."
    problems += [_problem(file, 1, name, "a column that datapackage.json lists", repr(name), remedy) for name in extra]
    problems += [
        _problem(file, 1, name, "every column once", f"{name!r} twice", "Rename one of them.") for name in twice
    ]
    if not problems:
        remedy = "Set the columns in this order."
        problems = [_problem(file, 1, "", f"the columns {', '.join(names)}", ", ".join(header), remedy)]
    return problems


def _numbers(file, cells, resource):
    """Text where a number should stand. Stricter than the standard's reading of a number with a sign around it."""
    schema = resource.get("schema") or {}
    empty = {"", *schema.get("missingValues", [])}
    numeric = {field["name"] for field in _fields(resource) if field.get("type") in ("number", "integer")}
    remedy = "Keep the printed digits alone; a hedge belongs in `qualifier`, a sign for nothing in missingValues."
    expected = "a number such as 5,150, .890, $13.22 or 44.4%"
    wrong = [c for c in cells if c[1] in numeric and c[2] not in empty and catalog.read_number(c[2]) is None]
    return [_problem(file, line, name, expected, repr(cell), remedy) for line, name, cell in wrong]


def _cell_units(file, cells, names):
    """Units that stand in cells of a column `unit`."""
    wrong = [c for c in cells if c[1] == "unit" and "unit" in names and c[2] and not known_unit(c[2])]
    return [_unknown_unit(file, line, name, cell) for line, name, cell in wrong]


def _rows(file, path, header, lines, resource):
    """What frictionless says of the rows: keys, constraints, widths, types other than number."""
    import frictionless

    kept = ("name", "type", "path", "format", "mediatype", "encoding", "schema", "dialect")
    plain = {key: resource[key] for key in kept if key in resource} | {"path": path.name}
    plain["schema"] = _schema_of(header, resource)
    numeric = {field["name"] for field in _fields(resource) if field.get("type") in ("number", "integer")}
    try:
        table = frictionless.Resource.from_descriptor(plain, basepath=str(path.parent))
        errors = [error for task in table.validate().tasks for error in task.errors]
    except frictionless.FrictionlessException as error:
        errors = error.reasons or [error.error]
    told = [e for e in errors if not (e.type == "type-error" and getattr(e, "field_name", "") in numeric)]
    return [_told(file, lines, error) for error in told]


def _schema_of(header, resource):
    """The schema, its fields as the file has them: a wrong header is told once, by us, and hides no wrong row."""
    known = {field.get("name"): field for field in _fields(resource)}
    schema = dict(
        resource.get("schema") or {}, fields=[known.get(name) or {"name": name, "type": "any"} for name in header]
    )
    if not set(schema.get("primaryKey", [])) <= set(header):
        del schema["primaryKey"]
    return schema


_REMEDIES = {
    "primary-key": ("a key that no other row has", "Mend or remove one of the rows, or widen `primaryKey`."),
    "missing-cell": ("as many cells as the header has", "Add the missing cells."),
    "extra-cell": ("as many cells as the header has", "Quote a cell that holds a comma, or remove what is too much."),
    "blank-row": ("a row with cells", "Remove the empty row."),
    "constraint-error": ("a cell that keeps its constraints", "Fill in or mend the cell."),
    "type-error": ("a cell of the field's type", "Mend the cell, or the field's type."),
}


def _told(file, lines, error):
    row = getattr(error, "row_number", None)
    line = lines[row - 1] if row and row <= len(lines) else row
    column = getattr(error, "field_name", "") or ""
    expected, remedy = _REMEDIES.get(error.type, ("what the Table Schema allows", "See datapackage.org."))
    return _problem(file, line, column, expected, error.note or error.message, remedy)


def _unlisted(folder, prefix, resources):
    listed = {str(resource.get("path")) for resource in resources}
    files = sorted(path.name for path in folder.glob("*.csv") if path.name not in listed)
    remedy = "Describe the file in datapackage.json, or move it elsewhere."
    return [
        _problem(f"{prefix}{name}", None, "", "a file that datapackage.json lists", "an unlisted file", remedy)
        for name in files
    ]


def _errata():
    """Errata of ours that do not meet the cell they correct."""
    problems = []
    for line, row in enumerate(catalog.errata().itertuples(), start=2):
        if not row.table:
            continue  # an error of the prose
        cells = catalog.load(f"{row.source}/{row.table}", "printed", text=True)
        found = cells[row.column].get(int(row.row) - 1) if row.column in cells else None
        if found != row.printed or row.status not in ("certain", "suspected"):
            expected = f"the printed cell {row.source}/{row.table}, row {row.row}, and a status certain or suspected"
            problems.append(
                _problem("errata.csv", line, row.column, expected, f"{found!r}, {row.status!r}", "Mend the erratum.")
            )
    return problems
