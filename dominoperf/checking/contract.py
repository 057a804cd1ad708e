"""Check a data folder against its contract, and tell every problem at once.

Structure, keys and constraints are judged by frictionless; paths, checksums, encodings, printed numbers and units here.
"""

import csv
import functools
import hashlib
import json
import re
from pathlib import Path

import pandas as pd

from dominoperf import catalog
from dominoperf.errors import BadTable

KINDS = ("measured", "rule", "config", "price", "workload", "example")
COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
# What frictionless lets through from a descriptor that is no descriptor: all mean the same to the user.
_UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RecursionError)
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
        return _frame([*found, *_errata()])
    folder = Path(folder)
    if not folder.is_dir():
        found, remedy = "a file" if folder.exists() else "none", "Name the folder that holds the datapackage.json."
        raise BadTable(str(folder), expected="a folder", found=found, remedy=remedy)
    inner = sorted(path.parent for path in folder.glob("*/datapackage.json"))
    if inner and not (folder / "datapackage.json").exists():
        found = [problem for each in inner for problem in _package(each, f"{each.name}/")]
    else:
        found = _package(folder, "")
    return _frame(found)


def _frame(found):
    """The problems as a frame, in the order in which an editor would meet them."""
    return pd.DataFrame(found, columns=COLUMNS).sort_values(["file", "line"], na_position="first", ignore_index=True)


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

    resources = [dict(r, path="x.csv") if isinstance(r, dict) else r for r in descriptor["resources"]]
    remedy = "See datapackage.org for what a descriptor may say."
    try:
        notes = [error.note for error in frictionless.Package.metadata_validate(dict(descriptor, resources=resources))]
    except frictionless.FrictionlessException as error:
        notes = [each.note for each in error.reasons or [error.error]]
    except _UNREADABLE as error:
        notes = [f"{type(error).__name__}: {error}"]
    found = [_problem(name, None, "", "a valid Data Package", note, remedy) for note in dict.fromkeys(notes)]
    named = [str(r.get("name")) for r in descriptor["resources"] if isinstance(r, dict)]
    for twice in sorted({each for each in named if named.count(each) > 1}):
        found.append(_problem(name, None, "name", "a name of its own", f"{twice!r} twice", "Rename one of them."))
    return found


def _resource(folder, prefix, descriptor, resource):
    """Every problem of one table."""
    fault = catalog.folders.fault_of(resource)
    if fault:
        expected, remedy = "a name, a path and a schema with named fields", "See datapackage.org on describing a table."
        return [_problem(descriptor, None, "resources", expected, fault, remedy)]
    path = resource["path"]
    if not catalog.inside(folder, path):
        remedy = "Move the file into the folder and name it relative to the folder."
        return [_problem(descriptor, None, "path", "a file inside the folder", repr(path), remedy)]
    file, real = f"{prefix}{path}", folder / path
    if not real.is_file():
        remedy = f"Add the file, or take {resource.get('name')!r} out of datapackage.json."
        return [_problem(file, None, "", "the file that datapackage.json lists", "no such file", remedy)]
    content = real.read_bytes()
    problems = _checksum(file, content, resource) + _facts(descriptor, resource)
    if content.startswith(b"\xef\xbb\xbf"):
        expected, remedy = "UTF-8 without a byte-order mark", "Save the file without it."
        return [*problems, _problem(file, 1, "", expected, "a byte-order mark", remedy)]
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [*problems, _bad_encoding(file, content, error)]
    return problems + _table(file, real, resource)


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
        if catalog.is_number(field) and unit is None:
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
    return resource["schema"]["fields"]


def _listed(value):
    """What a descriptor gives as one or as a list of them."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _table(file, path, resource):
    """Header, rows, cells: what needs the file read."""
    try:
        records, lines = _records(path)
    except csv.Error as error:
        return [_problem(file, None, "", "a CSV file", str(error), "Save the file as CSV, with cells below 128 kB.")]
    if not records:
        return [_problem(file, 1, "", "a header line", "an empty file", "Write the column names in the first line.")]
    header, names = records[0], [field.get("name") for field in _fields(resource)]
    if len(header) == 1 < len(names) and re.search("[;\t|]", header[0]):
        remedy = "Save the file with commas between the cells."
        return [_problem(file, 1, "", "cells separated by commas", repr(header[0]), remedy)]
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
    """The records of a CSV file, empty ones too, and the line each starts in."""
    records, lines, line = [], [], 1
    with open(path, encoding="utf-8", newline="") as text:
        reader = csv.reader(text)
        for record in reader:
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
    empty = {"", *map(str, _listed(resource["schema"].get("missingValues")))}
    numeric = {field["name"] for field in _fields(resource) if catalog.is_number(field)}
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

    kept = ("name", "type", "format", "mediatype", "encoding", "dialect")
    plain = {key: resource[key] for key in kept if key in resource} | {"path": path.name}
    try:
        plain["schema"] = _schema_of(header, resource)
        table = frictionless.Resource.from_descriptor(plain, basepath=str(path.parent))
        errors = [error for task in table.validate().tasks for error in task.errors]
    except frictionless.FrictionlessException as error:
        errors = error.reasons or [error.error]
    except _UNREADABLE as error:
        remedy = "Mend the schema in datapackage.json; see datapackage.org."
        return [_problem(file, None, "", "a schema that can be used", f"{type(error).__name__}: {error}", remedy)]
    blank = {error.row_number for error in errors if error.type == "blank-row"}
    numeric = {field["name"] for field in _fields(resource) if catalog.is_number(field)}
    return [_told(file, lines, error) for error in errors if not _told_elsewhere(error, numeric, blank)]


def _told_elsewhere(error, numeric, blank):
    """Numbers are ours to judge; a blank row is told as that alone."""
    number = error.type == "type-error" and getattr(error, "field_name", "") in numeric
    return number or (error.type != "blank-row" and getattr(error, "row_number", None) in blank)


def _schema_of(header, resource):
    """The schema, its fields as the file has them: a wrong header is told once, by us, and hides no wrong row."""
    known = {field["name"]: field for field in _fields(resource)}
    fields = [known.get(name) or {"name": name, "type": "any"} for name in header]
    schema = resource["schema"] | {"fields": fields}
    if not {str(name) for name in _listed(schema.get("primaryKey"))} <= set(header):
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
_FOUND = {"missing-cell": "too few", "extra-cell": "too many", "blank-row": "an empty row"}


def _told(file, lines, error):
    row = getattr(error, "row_number", None)
    line = lines[row - 1] if row and row <= len(lines) else row
    column = getattr(error, "field_name", "") or ""
    expected, remedy = _REMEDIES.get(error.type, ("what the Table Schema allows", "See datapackage.org."))
    found = _FOUND.get(error.type) or error.note or error.message
    return _problem(file, line, column, expected, re.sub(r'row at position "(\d+)"', _line_of(lines), found), remedy)


def _line_of(lines):
    """How frictionless's words for a row become the line of the file."""
    return lambda match: f"line {lines[int(match[1]) - 1]}"


def _unlisted(folder, prefix, resources):
    listed = {str(resource.get("path")).removeprefix("./") for resource in resources}
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
        found = cells[row.column].get(row.row - 1) if row.column in cells else None
        if found != row.printed or row.status not in ("certain", "suspected"):
            expected = f"the printed cell {row.source}/{row.table}, row {row.row}, and a status certain or suspected"
            problems.append(
                _problem("errata.csv", line, row.column, expected, f"{found!r}, {row.status!r}", "Mend the erratum.")
            )
    return problems
