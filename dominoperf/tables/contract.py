"""Check a data folder against its contract, and tell every problem at once.

The descriptor is judged by frictionless, what is our own in it here: paths, checksums, kinds, units, views. Rows are
judged in `rows`.
"""

import codecs
import hashlib
import json
import os

import pandas as pd

from dominoperf.errors import BadTable
from dominoperf.tables import descriptors
from dominoperf.tables.csv_checks import check_rows
from dominoperf.tables.descriptors import CLAIMS, DESCRIPTOR, ERRATA, fields_of, inside
from dominoperf.tables.folders import in_use, ours, path_of, using
from dominoperf.tables.loading import errata as all_errata
from dominoperf.tables.loading import list_tables, load
from dominoperf.tables.outside import contradictions
from dominoperf.tables.pages import describe
from dominoperf.tables.printed import is_number
from dominoperf.tables.problems import COLUMNS, UNREADABLE, bad_byte, problem, unknown_unit
from dominoperf.tables.questions import is_question, questions
from dominoperf.tables.unit_signs import known_unit

_FOLLOWED = ("profile", "dialect", "schema")  # of a text there frictionless makes a file or an address, and fetches it
KINDS = ("measured", "rule", "config", "price", "workload", "example")


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
        When there is no such folder, or the argument is no path.
    """
    if folder is None:
        found = [row for each in in_use() for row in _package(each, f"{each.name}/")]
        return _frame([*found, *_errata(all_errata(), "")])
    folder = path_of(folder, "check(folder)", "the path of a data folder")
    if not folder.is_dir():
        found, remedy = "a file" if folder.exists() else "none", "Name the folder that holds the datapackage.json."
        raise BadTable(str(folder), expected="a folder", found=found, remedy=remedy)
    if (folder / DESCRIPTOR).exists() or not any(folder.glob(f"*/{DESCRIPTOR}")):
        return _frame(_package(folder, ""))
    inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and _holds_data(path)]
    return _frame([row for each in inner for row in _package(each, f"{each.name}/")])


def _holds_data(folder):
    return (folder / DESCRIPTOR).exists() or any(_csv_files(folder))


def _csv_files(folder):
    """The CSV files at any depth, named from the folder; hidden ones are nobody's data."""
    inner = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(path.as_posix() for path in inner if path.suffix.lower() == ".csv" and not path.name.startswith("."))


def _frame(found):
    """The problems as a frame, in the order in which an editor would meet them."""
    return pd.DataFrame(found, columns=COLUMNS).sort_values(["file", "line"], na_position="first", ignore_index=True)


def _package(folder, prefix):
    """Every problem of one package; `prefix` goes before file names."""
    name, path = f"{prefix}{DESCRIPTOR}", folder / DESCRIPTOR
    if not path.is_file():
        remedy = "Describe the folder's tables in a datapackage.json (datapackage.org)."
        return [problem(name, None, "", "a descriptor of the folder", "no such file", remedy)]
    try:
        descriptor = descriptors.read_descriptor(path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        return [_bad_encoding(name, error)]
    except json.JSONDecodeError as error:
        return [problem(name, error.lineno, "", "JSON", error.msg, "Mend the file at this line.")]
    except UNREADABLE as error:  # nested too deep, a number of too many digits
        return [problem(name, None, "", "JSON", f"{type(error).__name__}: {error}", "Simplify the file.")]
    if not isinstance(descriptor, dict) or not isinstance(descriptor.get("resources"), list):
        remedy = "Add the folder's tables to `resources`."
        return [problem(name, None, "resources", "a list of resources", "none", remedy)]
    return _contents(folder, prefix, name, descriptor)


def _contents(folder, prefix, name, descriptor):
    """Every problem of a package whose descriptor can be read."""
    resources = [resource for resource in descriptor["resources"] if isinstance(resource, dict)]
    problems, tables = _metadata(name, descriptor), {}
    told = bool(problems)
    problems += _name_of(folder, name) + _links(folder, name) + _views(name, descriptor, resources)
    if not any(descriptors.fault_of(resource) for resource in resources):
        usable = descriptor | {"resources": resources}
        problems += questions(name, folder / DESCRIPTOR, usable) + _benchmarks(name, usable)
    for resource in resources:
        found, path = _file(folder, prefix, name, resource)
        problems += found
        if path:
            tables[resource["name"]] = path, resource
    for path, resource in tables.values():
        problems += check_rows(f"{prefix}{resource['path']}", path, resource, tables, told)
    problems += _unlisted(folder, prefix, resources)
    return problems or _own_errata(folder, prefix)


def _name_of(folder, name):
    """The folder's name is the first part of its tables' ids and of file names."""
    fault = descriptors.fault_of_name(folder.resolve().name)
    remedy = "Rename the folder: its name is the first part of its tables' ids."
    return [problem(name, None, "", descriptors.NAME_IN_WORDS, fault, remedy)] if fault else []


def _links(folder, name):
    fault = descriptors.fault_of_links(folder)
    remedy = "Put the file itself into the folder."
    return [problem(name, None, "", "files inside the folder", fault, remedy)] if fault else []


def _views(name, descriptor, resources):
    if any(descriptors.fault_of(resource) for resource in resources):
        return []  # told of the tables
    fault = descriptors.fault_of_views(descriptor | {"resources": resources})
    remedy = "Give each view a table (`of`), the rows shown (`where`) and the columns `rows` and `across`."
    return [problem(name, None, "views", "views that can be laid out", fault, remedy)] if fault else []


def _benchmarks(name, descriptor):
    fault = descriptors.fault_of_benchmarks(descriptor)
    if not fault:
        return []
    found = f"{fault.found} in {fault.place}" if fault.path else fault.found
    return [problem(name, None, "benchmarks", fault.expected, found, fault.remedy)]


def _metadata(name, descriptor):
    """What frictionless says of the descriptor itself; paths are ours to tell, and it is given none to follow."""
    import frictionless

    resources = [_whole(r) | {"path": "x.csv"} if isinstance(r, dict) else r for r in descriptor["resources"]]
    remedy = "See datapackage.org for what a descriptor may say."
    try:
        notes = [
            error.note
            for error in frictionless.Package.metadata_validate(_whole(descriptor) | {"resources": resources})
        ]
    except frictionless.FrictionlessException as error:
        notes = [each.note for each in error.reasons or [error.error]]
    except UNREADABLE as error:
        notes = [f"{type(error).__name__}: {error}"]
    found = [problem(name, None, "", "a valid Data Package", note, remedy) for note in dict.fromkeys(notes)]
    found += [each for r in descriptor["resources"] if isinstance(r, dict) for each in _elsewhere(name, r)]
    named = [str(r.get("name")) for r in descriptor["resources"] if isinstance(r, dict)]
    for twice in sorted({each for each in named if named.count(each) > 1}):
        found.append(problem(name, None, "name", "a name of its own", f"{twice!r} twice", "Rename one of them."))
    return found


def _whole(described):
    """A package or resource without what stands elsewhere: to check a folder reads nothing else, and asks nobody."""
    return {key: value for key, value in described.items() if key not in _FOLLOWED or not isinstance(value, str)}


def _elsewhere(name, resource):
    """Descriptions of a table that stand in a file of their own; of a profile its words are enough."""
    expected, remedy = "a description that stands in the descriptor", "Write it out in datapackage.json."
    said = [resource[key] for key in _FOLLOWED[1:] if isinstance(resource.get(key), str)]
    return [problem(name, None, "", expected, f"the place {place!r}", remedy) for place in said]


def _file(folder, prefix, descriptor, resource):
    """The problems of a table's description and file, and the file's path where its rows can be read."""
    fault = descriptors.fault_of(resource)
    if fault:
        expected, remedy = "a name, a path and a schema with named fields", "See datapackage.org on describing a table."
        return [problem(descriptor, None, "resources", expected, fault, remedy)], None
    path = resource["path"]
    if not inside(folder, path):
        remedy = "Move the file into the folder and name it relative to the folder."
        return [problem(descriptor, None, "path", "a file inside the folder", repr(path), remedy)], None
    file, real = f"{prefix}{path}", folder / path
    if not real.is_file():
        remedy = f"Add the file, or take {resource['name']!r} out of datapackage.json."
        found = "a folder" if real.is_dir() else "no such file"
        return [problem(file, None, "", "the file that datapackage.json lists", found, remedy)], None
    content = real.read_bytes()
    encoding = _encoding(file, content, resource.get("encoding"))
    problems = _checksum(file, content, resource) + _facts(descriptor, resource) + encoding
    return problems, None if encoding else real


def _encoding(file, content, encoding):
    """What keeps a file from being read as UTF-8."""
    if content.startswith(codecs.BOM_UTF8) and encoding != "utf-8-sig":
        expected, remedy = "UTF-8 without a byte-order mark", "Save the file without it, or say `utf-8-sig` of it."
        return [problem(file, 1, "", expected, "a byte-order mark", remedy)]
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [_bad_encoding(file, error)]
    return []


def _checksum(file, content, resource):
    """A file that is not the one the descriptor was written for."""
    expected, size = str(resource.get("hash", "")), resource.get("bytes", len(content))
    found = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if not expected or expected == found:
        remedy = "Mend `bytes` in datapackage.json (ours: `make data`)."
        wrong = problem(file, None, "", f"{size!r} bytes", f"{len(content)} bytes", remedy)
        return [] if size == len(content) else [wrong]
    if not expected.startswith("sha256:"):
        remedy = "Write the checksum as sha256:<64 hexadecimal digits>, or leave it out."
        return [problem(file, None, "", "a sha256 checksum", repr(expected), remedy)]
    remedy = "Undo the change, or, where it is meant, renew the descriptor (ours: `make data`)."
    return [problem(file, None, "", f"checksum {expected}", found, remedy)]


def _bad_encoding(file, error):
    line, byte = bad_byte(error)
    return problem(file, line, "", "UTF-8", f"{byte} at offset {error.start}", "Save the file as UTF-8.")


def _facts(descriptor, resource):
    """Kind and units, as the descriptor gives them."""
    problems = []
    if resource.get("kind", "measured") not in KINDS:
        expected, remedy = f"one of {', '.join(KINDS)}", f"Mend `kind` of {resource.get('name')!r}."
        problems.append(problem(descriptor, None, "kind", expected, repr(resource["kind"]), remedy))
    for field in fields_of(resource):
        unit, name = field.get("unit"), field.get("name", "")
        if is_number(field) and unit is None:
            remedy = "Give the field a `unit` (1 for a plain count or ratio)."
            problems.append(problem(descriptor, None, name, "a unit", "none", remedy))
        elif unit is not None and not is_question(unit) and not known_unit(unit):
            problems.append(unknown_unit(descriptor, None, name, unit))
    return problems + contradictions(descriptor, resource)


def _unlisted(folder, prefix, resources):
    """CSV files that lie in the folder and that nobody would ever read."""
    listed = {os.path.normpath(str(resource.get("path"))).replace(os.sep, "/") for resource in resources}
    listed |= {CLAIMS, ERRATA}  # read as they are
    expected, remedy = (
        "a file that datapackage.json lists",
        "Describe the file in datapackage.json, or move it elsewhere.",
    )
    return [
        problem(f"{prefix}{name}", None, "", expected, "an unlisted file", remedy)
        for name in _csv_files(folder)
        if name not in listed and (folder / name).is_file()
    ]


def _own_errata(folder, prefix):
    """What is wrong with the errata of a folder without other problems, where it has some."""
    if not (folder / ERRATA).exists() or folder.resolve() in ours():
        return []
    try:
        with using(folder) as path:
            found = all_errata()
            return _errata(found[found["source"] == path.name], prefix)
    except BadTable as error:
        return [problem(f"{prefix}{ERRATA}", None, "", error.expected, error.found, "Mend the file.")]


def _errata(errata, prefix):
    """Errata that do not meet what they correct."""
    problems = []
    for line, row in enumerate(errata.itertuples(), start=2):
        found = _corrected_text(row)
        if found != row.printed or row.status not in ("certain", "suspected"):
            place = f"row {row.row}" if pd.notna(row.row) else "the heading"
            expected = f"what {row.source}/{row.table}, {place}, prints, and a status certain or suspected"
            told = f"{found!r}, {row.status!r}"
            problems.append(problem(f"{prefix}{ERRATA}", line, row.column, expected, told, "Mend the erratum."))
    return problems


def _corrected_text(row):
    """What stands where an erratum points: a cell, or a heading; prose and captions are not in the tables."""
    if not row.table or not row.column:
        return row.printed
    id = f"{row.source}/{row.table}"
    if id not in set(list_tables(row.source)["id"]):
        return None
    if pd.isna(row.row):
        headings = describe(id).columns.set_index("column")["heading"]
        return headings.get(row.column)
    cells = load(id, "printed", text=True)
    return cells[row.column].get(row.row - 1) if row.column in cells else None
