"""Check a data folder against its contract, and name every problem at once.

frictionless judges the descriptor by the Data Package standard, `folders.descriptor_faults` by our schemas. Here are
the files beside it (paths, encodings, checksums, links), units and columns against the vocabulary, questions left open,
errata; then the rows of each table: header, numbers, units, keys, shape.

Of rows, numbers and keys are judged here, and other cells by frictionless. A number that is not bare it takes as what
is left between the first digit and the last: it reads ``.890`` as 890, and ``<5``, ``(5)`` and ``5*`` as 5, which are
problems here. It also takes ten times as long for 200,000 wrong rows.
"""

import codecs
import functools
import hashlib
import itertools
import json
import math
import os
import re
import shlex
from array import array
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, names_its_keywords, shortened, spelling
from dominoperf.tables import folders, loading, reading
from dominoperf.tables.columns import OF_ITS_ROW, known_unit, meaning_of, sign_fits, unit_fits, vocabulary
from dominoperf.tables.files import byte_that_is_no_utf8

_FOLLOWED = ("profile", "dialect", "schema")  # of a text there frictionless makes a file or an address, and fetches it
# What answers a question that `new` left open, by the key of the field or of the package.
_ANSWERS = {
    "unit": "Write the unit in place of the question (with `new`: --unit COLUMN=UNIT).",
    "as": "Write the name in place of the question, or remove the line (with `new`: --as COLUMN=NAME).",
    "title": "Write the title in place of the question (with `new`: --title TEXT).",
    "sources": "Write the source in place of the question (with `new`: --source TEXT).",
    "licenses": "Write the licence in place of the question (with `new`: --licence NAME).",
}
_OF_FIELD = ("unit", "as")
_COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
_UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)
"""What libraries raise over a file or descriptor that is none: all mean the same to the user."""
_DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}|-?\d+,\d{4,}")  # 1,234 may be a thousand
_LONGEST = 350  # characters of a part of a problem: a line for a terminal


@names_its_keywords()
def check(folder: str | os.PathLike | None = None) -> pd.DataFrame:
    """Return the problems of a data folder, one a row; an empty frame when there are none.

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
        problems = [row for path in folders.in_use() for row in _check_data_folder(path, f"{path.name}/")]
        problems += _check_errata(loading.errata_of_our_tables(), folders.ERRATA)
    else:
        folder = folders.folder_path(folder, "check(folder)")
        if not folder.is_dir():
            found, remedy = "a file" if folder.exists() else "none", "Name the folder that holds the datapackage.json."
            raise BadTable(str(folder), expected="a folder", found=found, remedy=remedy)
        if (folder / folders.DESCRIPTOR).exists() or not any(folder.glob(f"*/{folders.DESCRIPTOR}")):
            problems = _check_data_folder(folder, "")
        else:
            inner = [path for path in sorted(folder.iterdir()) if path.is_dir()]
            inner = [path for path in inner if (path / folders.DESCRIPTOR).exists() or _csv_files(path)]
            problems = [row for path in inner for row in _check_data_folder(path, f"{path.name}/")]
    frame = pd.DataFrame(problems, columns=_COLUMNS)
    return frame.sort_values(["file", "line"], na_position="first", ignore_index=True)


def questions_left_in_draft(folder):
    """Return what is left to write in a folder that is a draft, as problems: questions of its descriptor, its claims.

    A folder is a draft while its descriptor says so; of another one these are problems, which `check` gives.
    """
    rows = []
    for path in folders.data_folders_in(folder):
        if not folders.is_draft_folder(descriptor := folders.folder_descriptor(path)):
            continue
        prefix = "" if path == Path(folder) else f"{path.name}/"
        rows += _open_questions(
            f"{prefix}{folders.DESCRIPTOR}", (path / folders.DESCRIPTOR).read_text(encoding="utf-8"), descriptor
        )
        claims = (
            reading.read_printed_csv(path / folders.CLAIMS)
            if (path / folders.CLAIMS).is_file()
            else pd.DataFrame({"claim": []})
        )
        asked = [k for k, text in enumerate(claims["claim"], start=2) if folders.question_in_descriptor(text)]
        if asked:
            found = f"{len(asked)} of {len(claims)} rows as drafted, the first in this line"
            remedy = "Write claim, reading, inputs, expression and expected_verdict, or take the row out."
            file, expected = f"{prefix}{folders.CLAIMS}", "statements in your own words"
            rows.append(table_problem(file, asked[0], "claim", expected, found, remedy))
        remedy = (
            f'Take `"draft": true` out of {folders.DESCRIPTOR} when all is written; what is open then is a problem.'
        )
        rows.append(
            table_problem(f"{prefix}{folders.DESCRIPTOR}", None, "draft", "a finished folder", "a draft", remedy)
        )
    return pd.DataFrame(rows, columns=_COLUMNS)


def table_problem(file, line, column, expected, found, remedy):
    """Return a problem as a row of `check`: where, what was expected, what was found, what to do."""
    file, column, *parts = (shortened(text, _LONGEST) for text in (file, column, expected, found, remedy))
    return dict(zip(_COLUMNS, (file, line, column, *parts), strict=True))


def _unknown_unit_problem(file, line, column, unit):
    """The problem of a unit that pint does not know."""
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return table_problem(file, line, column, "a unit that pint knows", repr(unit), remedy)


def _check_data_folder(folder, prefix):
    """Every problem of one package; `prefix` goes before file names."""
    name, path = f"{prefix}{folders.DESCRIPTOR}", folder / folders.DESCRIPTOR
    if not path.is_file():
        files = shlex.quote(os.path.join(str(folder), "")) + "*.csv"
        make = spelling("new(folder, from_=files)", f"`dominoperf new FOLDER --from {files}`")
        remedy = (
            f"Let {make} make a folder that describes its tables, or write a datapackage.json here (datapackage.org)."
        )
        return [table_problem(name, None, "", "a descriptor of the folder", "no such file", remedy)]
    try:
        text = path.read_bytes().decode("utf-8")
        descriptor = folders.read_descriptor(text)
    except UnicodeDecodeError as error:
        return [_encoding_problem(name, error)]
    except json.JSONDecodeError as error:
        return [table_problem(name, error.lineno, "", "JSON", error.msg, "Mend the file at this line.")]
    except _UNREADABLE as error:  # nested too deep, a number of too many digits
        return [table_problem(name, None, "", "JSON", f"{type(error).__name__}: {error}", "Simplify the file.")]
    if not isinstance(descriptor, dict) or not isinstance(descriptor.get("resources"), list):
        remedy = "Add the folder's tables to `resources`."
        return [table_problem(name, None, "resources", "a list of resources", "none", remedy)]
    problems = _check_frictionless_standard(name, descriptor)
    schema_is_wrong = bool(problems)
    source = folder.resolve().name
    if not folders.can_be_table_source(source):
        remedy = "Rename the folder: its name is the first part of its tables' ids."
        problems.append(table_problem(name, None, "", folders.NAME_IN_WORDS, repr(source), remedy))
    if link := folders.link_out_of_data_folder(folder):
        remedy = "Put the file itself into the folder."
        problems.append(table_problem(name, None, "", "files inside the folder", link, remedy))
    faults = list(folders.descriptor_faults(descriptor, folder))
    problems += [
        table_problem(name, None, fault.locator, fault.expected, fault.found, fault.remedy) for fault in faults
    ]
    unusable = {fault.path[1] for fault in faults if fault.path[0] == "resources" and len(fault.path) > 1}
    resources = enumerate(descriptor["resources"])
    usable = [resource for k, resource in resources if k not in unusable and isinstance(resource, dict)]
    if not unusable and not folders.is_draft_folder(descriptor):
        problems += _open_questions(name, text, descriptor | {"resources": usable})
    tables = {}
    for resource in usable:
        in_file, path = _check_table_file(folder, prefix, name, resource)
        problems += in_file + _check_fields(name, resource)
        if path:
            tables[resource["name"]] = path, resource
    for path, resource in tables.values():
        problems += _check_rows(f"{prefix}{resource['path']}", path, resource, tables, schema_is_wrong)
    listed = [str(resource.get("path")) for resource in descriptor["resources"] if isinstance(resource, dict)]
    listed = {folders.CLAIMS, folders.ERRATA, *(os.path.normpath(path).replace(os.sep, "/") for path in listed)}
    for file in _csv_files(folder):  # that nobody would ever read
        if file not in listed and (folder / file).is_file():
            expected = "a file that datapackage.json lists"
            remedy = "Describe the file in datapackage.json, or move it elsewhere."
            problems.append(table_problem(f"{prefix}{file}", None, "", expected, "an unlisted file", remedy))
    if (folder / folders.ERRATA).exists() and folder.resolve() not in folders.our_data_folders():
        problems += _check_users_errata(folder, f"{prefix}{folders.ERRATA}", bool(problems))
    return problems


def _check_users_errata(folder, file, has_problems):
    """The errata of a user's folder whose row is none, else those that do not meet what they correct."""
    try:
        if faults := loading.faults_of_errata(folder / folders.ERRATA):
            return [
                table_problem(file, line, fault.locator, fault.expected, fault.found, fault.remedy)
                for line, fault in faults
            ]
        with folders.using(folder) as path:
            frame = loading.errata()
            return _check_names_in_errata(path, file) + _check_errata(frame[frame["source"] == path.name], file)
    except BadTable as error:  # where a table cannot be used this is told already
        return [] if has_problems else [table_problem(file, None, "", error.expected, error.found, "Mend the file.")]


def _check_names_in_errata(folder, file):
    """Errata of a user's folder that say another source than the folder, or name claims that it does not have."""
    try:
        claims = {*reading.read_printed_csv(folder / folders.CLAIMS)["id"]}
    except (OSError, ValueError, KeyError):  # none, or a file whose own problems are told
        claims = set()
    problems = []
    for line, row in enumerate(reading.read_printed_csv(folder / folders.ERRATA).to_dict("records"), start=2):
        if row.get("source", "") not in ("", folder.name):
            expected = f"{folder.name!r}, the folder, or nothing"
            remedy = "Mend the source: errata of a folder are of its own tables."
            problems.append(table_problem(file, line, "source", expected, repr(row["source"]), remedy))
        for id in row.get("claim_ids", "").split():
            if id not in claims:
                remedy = f"Mend the id, or add the claim to {folders.CLAIMS}; several are separated by spaces."
                problems.append(table_problem(file, line, "claim_ids", f"an id of {folders.CLAIMS}", repr(id), remedy))
    return problems


def _csv_files(folder):
    """The CSV files at any depth, named from the folder; hidden ones are nobody's data."""
    inner = (path.relative_to(folder) for path in folder.rglob("*"))
    return sorted(path.as_posix() for path in inner if path.suffix.lower() == ".csv" and not path.name.startswith("."))


def _check_frictionless_standard(name, descriptor):
    """What frictionless finds in the descriptor itself; paths are left to us, and it is given none to follow.

    To check a folder nothing else is read and nobody is asked: a description that stands elsewhere is a problem.
    """
    import frictionless

    def without_places(described):
        return {key: value for key, value in described.items() if key not in _FOLLOWED or not isinstance(value, str)}

    resources = [without_places(r) | {"path": "x.csv"} if isinstance(r, dict) else r for r in descriptor["resources"]]
    try:
        errors = frictionless.Package.metadata_validate(without_places(descriptor) | {"resources": resources})
        notes = [error.note for error in errors]
    except frictionless.FrictionlessException as error:
        notes = [reason.note for reason in error.reasons or [error.error]]
    except _UNREADABLE as error:
        notes = [f"{type(error).__name__}: {error}"]
    remedy = "See datapackage.org for what a descriptor may say."
    problems = [table_problem(name, None, "", "a valid Data Package", note, remedy) for note in dict.fromkeys(notes)]
    resources = [resource for resource in descriptor["resources"] if isinstance(resource, dict)]
    for place in (r[key] for r in resources for key in _FOLLOWED[1:] if isinstance(r.get(key), str)):
        expected, remedy = "a description that stands in the descriptor", "Write it out in datapackage.json."
        problems.append(table_problem(name, None, "", expected, f"the place {place!r}", remedy))
    names = [str(resource.get("name")) for resource in resources]
    for twice in sorted({name for name in names if names.count(name) > 1}):
        problems.append(
            table_problem(name, None, "name", "a name of its own", f"{twice!r} twice", "Rename one of them.")
        )
    return problems


def _open_questions(name, text, descriptor):
    """A problem for every question that `new` left open in a descriptor, at its line of the text."""
    values = [("title", "title", descriptor.get("title"))]
    for key in ("sources", "licenses"):
        values += [(key, key, entry.get("title")) for entry in descriptor.get(key) or () if isinstance(entry, dict)]
    for field in (field for resource in descriptor["resources"] for field in folders.fields_of(resource)):
        values += [(field["name"], key, field.get(key)) for key in _OF_FIELD]
    problems, lines, seen = [], text.splitlines(), set()
    for column, key, value in values:
        if question := folders.question_in_descriptor(value):
            written = json.dumps(value, ensure_ascii=False)
            having = (k for k, line in enumerate(lines, start=1) if written in line and k not in seen)
            line = next(having, None)  # none where it is written in an unusual way
            seen.add(line)
            problems.append(table_problem(name, line, column, question, "a question left open", _ANSWERS[key]))
    return problems


def _check_table_file(folder, prefix, descriptor, resource):
    """The problems of a table's file as a whole, and its path where its rows can be read."""
    file, path = f"{prefix}{resource['path']}", folder / resource["path"]
    if not path.is_file():
        found = "a folder" if path.is_dir() else "no such file"
        remedy = f"Add the file, or take {resource['name']!r} out of datapackage.json."
        return [table_problem(file, None, "", "the file that datapackage.json lists", found, remedy)], None
    content = path.read_bytes()
    problems, checksum = [], str(resource.get("hash", ""))
    size, digest = resource.get("bytes", len(content)), f"sha256:{hashlib.sha256(content).hexdigest()}"
    if checksum and not checksum.startswith("sha256:"):
        remedy = "Write the checksum as sha256:<64 hexadecimal digits>, or leave it out."
        problems.append(table_problem(file, None, "", "a sha256 checksum", repr(checksum), remedy))
    elif checksum not in ("", digest):
        remedy = "Undo the change, or, where it is meant, renew the descriptor (ours: `make data`)."
        problems.append(table_problem(file, None, "", f"checksum {checksum}", digest, remedy))
    elif size != len(content):
        remedy = "Mend `bytes` in datapackage.json (ours: `make data`)."
        problems.append(table_problem(file, None, "", f"{size!r} bytes", f"{len(content)} bytes", remedy))
    if content.startswith(codecs.BOM_UTF8):
        expected, remedy = "UTF-8 without a byte-order mark", "Save the file without it."
        return [*problems, table_problem(file, 1, "", expected, "a byte-order mark", remedy)], None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return [*problems, _encoding_problem(file, error)], None
    return problems, path


def _encoding_problem(file, error):
    """The problem of a file with bytes that are no UTF-8."""
    line, byte = byte_that_is_no_utf8(error)
    return table_problem(file, line, "", "UTF-8", f"{byte} at offset {error.start}", "Save the file as UTF-8.")


def _check_fields(name, resource):
    """Columns of numbers without a unit that pint knows, and columns that are said to be one of ours and cannot be."""
    problems, first = [], {}
    for field in folders.fields_of(resource):
        column, unit, ours_by, meaning = field["name"], field.get("unit"), field.get("as"), meaning_of(field)
        if reading.is_number_field(field) and unit is None:
            remedy = "Give the field a `unit` (1 for a plain count or ratio)."
            problems.append(table_problem(name, None, column, "a unit", "none", remedy))
        elif unit is not None and not folders.question_in_descriptor(unit) and not known_unit(unit):
            problems.append(_unknown_unit_problem(name, None, column, unit))
        if ours_by and not folders.question_in_descriptor(ours_by) and not meaning:
            remedy = "Write a name of our vocabulary (data/columns.toml), or remove `as`."
            problems.append(table_problem(name, None, column, "a column of the vocabulary", repr(ours_by), remedy))
        if meaning and meaning in first:
            remedy, found = "Remove `as` from one of them.", f"{meaning!r} also in {first[meaning]!r}"
            problems.append(table_problem(name, None, column, "a meaning of its own", found, remedy))
        first.setdefault(meaning, column)
        ours = vocabulary().get(meaning, {}).get("unit", "")
        has_unit = reading.is_number_field(field) and ours not in ("", *OF_ITS_ROW)
        if has_unit and unit and known_unit(unit) and not unit_fits(unit, ours):
            remedy = f"Mend the unit, or the name: {meaning!r} is a column of our vocabulary."
            problems.append(table_problem(name, None, column, f"a unit that can be {ours}", repr(unit), remedy))
    return problems


def _check_errata(errata, file):
    """Errata that do not meet what they correct: a cell, or a heading; prose and captions are not in the tables.

    And those that leave a cell with two corrections, or with what a cell of its column cannot be.
    """
    problems, first = [], {}
    ids = {
        f"{source}/{name}"
        for source in errata["source"].unique()
        for name in folders.table_names(folders.folder_of(source))
    }
    cells_of = functools.cache(lambda id: loading.find_table(id).printed_cells())
    for line, row in enumerate(errata.itertuples(), start=2):
        id, found, there = f"{row.source}/{row.table}", None, f"a table, one of {', '.join(sorted(ids))}"
        if not row.table or not row.column:
            found = row.printed
        elif id in ids:
            table, cells = loading.find_table(id), cells_of(id)
            there = f"a row from 1 to {len(cells)}" if row.column in cells else f"a column, one of {', '.join(cells)}"
            if row.column in cells and pd.notna(row.row):
                found = cells[row.column].get(row.row - 1)
            elif row.column in cells:  # without a title a column has its heading for a name
                found = table.fields.get(row.column, {}).get("title") or row.column
        if found != row.printed or row.status not in ("certain", "suspected"):
            place = f"row {row.row}" if pd.notna(row.row) else "the heading"
            if found is None:
                expected, wrong = there, f"no such cell in {id}, {place}"
            elif found != row.printed:
                expected, wrong = f"as printed {found!r}, which {id} has in {place}", repr(row.printed)
            else:
                expected, wrong = "a status certain or suspected", repr(row.status)
            problems.append(table_problem(file, line, row.column, expected, wrong, "Mend the erratum."))
        elif pd.notna(row.row):
            if (above := first.setdefault((id, row.row, row.column), line)) != line:
                expected, remedy = "one erratum for each cell", "Remove one of the two."
                found = f"{row.corrected!r}, where line {above} corrects the same cell"
                problems.append(table_problem(file, line, row.column, expected, found, remedy))
            if reading.is_number_field(field := table.fields.get(row.column, {})):  # an unknown right number is empty
                unit = cells["unit"][row.row - 1] if "unit" in cells else ""
                problems += _check_numbers(file, [line], field, [row.corrected], [unit], {""})
    return problems


def _check_rows(file, path, resource, tables, schema_is_wrong):
    """Every problem of a table's file, which is readable and in UTF-8; problems call it `file`.

    `tables` are the folder's readable tables by name, as (path, resource): where foreign keys lead. Where
    `schema_is_wrong`, the schema, which is usable, has been found wrong, and is not reported again.
    """
    from frictionless import FrictionlessException

    names, schema = [field["name"] for field in folders.fields_of(resource)], resource["schema"]
    records, lines, torn = reading.read_csv_records(path)
    problems = []
    if torn:
        remedy = "Mend the quotes: one that opens a cell must close it, and a quote inside is written twice."
        problems.append(table_problem(file, torn[0], "", "closed quotes", torn[1], remedy))
    header = list(records[0]) if records else []
    if not header:
        remedy, found = "Write the column names in the first line.", "an empty line"
        found = found if path.stat().st_size else "an empty file"
        return problems or [table_problem(file, 1, "", "a header line", found, remedy)]
    if len(header) == 1 < len(names) and re.search("[;\t|]", header[0]):
        remedy = "Save the file with commas between the cells; `dominoperf new` does so."
        return [*problems, table_problem(file, 1, "", "cells separated by commas", repr(header[0]), remedy)]
    problems += _check_header(file, header, names)
    if len(set(header)) < len(header):
        return problems
    del records[0], lines[0]
    problems += [_blank_row_problem(file, line) for line, record in zip(lines, records, strict=True) if not record]
    lines = array("q", itertools.compress(lines, records))
    records = list(filter(None, records))
    columns = dict(zip(header, itertools.zip_longest(*records), strict=False))  # None where a row is too short
    columns |= {name: (None,) * len(lines) for name in header if name not in columns}

    units = columns.get("unit", (None,) * len(lines))
    numbers = {name: field for name, field in _number_fields(resource).items() if name in columns}
    nothing = {None, "", *map(str, folders.setting_as_list(schema.get("missingValues") or []))}
    for name, field in numbers.items():
        problems += _check_numbers(file, lines, field, columns[name], units, nothing)
    for field in folders.fields_of(resource):
        if (name := field["name"]) in columns and name not in numbers:
            problems += _check_measure_has_numbers(file, lines, field, columns[name], nothing)
    if "unit" in names:
        unknown = {unit for unit in {*units} if unit and not known_unit(unit)}
        problems += [_unknown_unit_problem(file, line, "unit", unit) for line, unit in zip(lines, units, strict=True)
                     if unit in unknown]  # fmt: skip

    primary = [str(name) for name in folders.setting_as_list(schema.get("primaryKey") or [])]
    unique = [[field["name"]] for field in folders.fields_of(resource) if _constraints_of_field(field).get("unique")]
    for key in filter(None, (primary, *unique)):
        if {*key} <= {*header}:
            problems += _check_key(file, lines, _key_cells(key, columns, numbers), key, key is primary)
    for foreign_key in folders.setting_as_list(schema.get("foreignKeys") or []):
        try:
            problems += _check_foreign_key(file, lines, columns, numbers, foreign_key, resource, tables)
        except _UNREADABLE:
            remedy = "Name fields here and in a readable table of the folder."
            problems.append(
                table_problem(file, None, "", "a foreign key that can be followed", repr(foreign_key), remedy)
            )
    try:
        problems += _check_shape(file, lines, records, columns, _cell_readers(header, resource), nothing)
    except (*_UNREADABLE, re.error, FrictionlessException) as error:
        if not schema_is_wrong:
            expected, found = "a schema that can be used", f"{type(error).__name__}: {error}"
            remedy = "Mend the schema in datapackage.json; see datapackage.org."
            problems.append(table_problem(file, None, "", expected, found, remedy))
    return problems


def _check_header(file, header, names):
    """Columns that are missing, too many, twice or in another order than the schema has them."""
    missing, absent = "Add the column, or take it out of the schema in datapackage.json.", "no such column"
    problems = [table_problem(file, 1, n, f"a column {n!r}", absent, missing) for n in names if n not in header]
    expected, remedy = "a column that datapackage.json lists", "Describe it there, or take it out of the file."
    problems += [table_problem(file, 1, n, expected, repr(n), remedy) for n in header if n not in names]
    for name in sorted({name for name in header if header.count(name) > 1}):
        problems.append(table_problem(file, 1, name, "every column once", f"{name!r} twice", "Rename one of them."))
    if not problems and header != names:
        expected, remedy = f"the columns {', '.join(names)}", "Set the columns in this order."
        problems = [table_problem(file, 1, "", expected, ", ".join(header), remedy)]
    return problems


def _check_numbers(file, lines, field, cells, units, nothing):
    """What is in a column of numbers and is none, or has the sign of another unit, or breaks its limits."""
    limits = {name: _constraints_of_field(field).get(name) for name in ("minimum", "maximum")}
    limits = {name: limit for name, limit in limits.items() if isinstance(limit, (int, float))}
    ours = field.get("as", field["name"])
    least = vocabulary().get(ours, {}).get("minimum", -math.inf)
    sign = "" if field["type"] == "integer" else "."
    plain = [cell or "" for cell in cells]
    if not limits and reading.in_plain_digits(plain, sign):  # most columns: no cell needs a look
        numbers = [cell or "nan" for cell in plain] if math.isfinite(least) else []
        if not (np.array(numbers, dtype=float) < least).any():
            return []
    mend, problems = "Mend the cell, or the constraint in datapackage.json.", []
    for line, cell, unit_of_row in zip(lines, cells, units, strict=True):
        if cell in nothing:
            continue
        number, unit = reading.read_number(cell), unit_of_row if field.get("unit") == "row" else field.get("unit")
        if number is None:
            expected = "a number such as 5,150, .890, $13.22 or 44.4%"
            remedy = "Keep the printed digits alone; a hedge belongs in `qualifier`, "
            remedy += "a sign for nothing in missingValues."
            if _DECIMAL_COMMA.fullmatch(cell):
                remedy = "Write a point before decimals; `dominoperf new` does so."
        elif not sign_fits(reading.unit_sign(cell), unit):
            expected = f"a number in {unit or 'plain digits'}"
            remedy = "Give the column the unit that is printed, or convert the cell."
        elif field["type"] == "integer" and not number.is_integer():
            expected, remedy = "a whole number", "Mend the cell, or make the field's type `number`."
        elif number < limits.get("minimum", number):
            expected, remedy = f"a minimum of {limits['minimum']}", mend
        elif number > limits.get("maximum", number):
            expected, remedy = f"a maximum of {limits['maximum']}", mend
        elif number < least:
            expected = f"{least:g} or more, as of {ours}"
            remedy = f"Mend the cell; or give the column another name, if it is not {ours} by the glossary."
        else:
            continue
        problems.append(table_problem(file, line, field["name"], expected, repr(cell), remedy))
    return problems


def _check_measure_has_numbers(file, lines, field, cells, nothing):
    """A column of texts or dates that is called, or said to be, one of ours that holds numbers in a unit."""
    ours = meaning_of(field)
    unit = vocabulary().get(ours, {}).get("unit", "")
    if not unit or unit in OF_ITS_ROW:
        return []
    kind = field.get("type", "string")
    remedy = f"Write numbers alone and make the field's type `number`; or give the column another name than {ours}."
    for line, cell in zip(lines, cells, strict=True):
        if cell not in nothing:
            found = f"{cell!r} in a column of type {kind}"
            return [table_problem(file, line, field["name"], f"a number of {unit}", found, remedy)]
    return []


def _key_cells(names, columns, numbers):
    """The cells of a key in each row: numbers as numbers, so that 1,000 and 1000 are one."""
    parts = []
    for name in names:
        cells, field = columns[name], numbers.get(name)
        if field:
            read = [None if cell is None else reading.read_number(cell) for cell in cells]
            cells = [cell if number is None else number for cell, number in zip(cells, read, strict=True)]
        parts.append(cells)
    return parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))


def _check_key(file, lines, values, names, primary):
    """Rows whose key is that of a row above; of the primary one, those that have no cell at all."""
    problems, first, column = [], {}, ", ".join(names)
    for line, value in zip(lines, values, strict=True):
        if value in (None, "") or (len(names) > 1 and all(cell in (None, "") for cell in value)):
            if primary:
                remedy = "Fill in the cells of the key."
                problems.append(table_problem(file, line, column, "a key that has a cell", "none", remedy))
        elif (above := first.setdefault(value, line)) != line:
            found, expected = f"the same as in line {above}", f"a {'key' if primary else 'cell'} that no other row has"
            remedy = f"Mend or remove a row, or widen `{'primaryKey' if primary else 'unique'}`."
            problems.append(table_problem(file, line, column, expected, found, remedy))
    return problems


def _check_foreign_key(file, lines, columns, numbers, foreign_key, resource, tables):
    """Rows whose foreign key leads to no row; a key that is none raises one of `_UNREADABLE`."""
    names, reference = [str(name) for name in folders.setting_as_list(foreign_key["fields"])], foreign_key["reference"]
    other = reference.get("resource") or resource["name"]
    path, referred = tables[other]
    (header, *records), *_ = reading.read_csv_records(path)
    there = dict.fromkeys(header, ()) | dict(zip(header, itertools.zip_longest(*records, fillvalue=""), strict=False))
    keys = {*_key_cells(folders.setting_as_list(reference["fields"]), there, _number_fields(referred))}
    if not {*names} <= {*columns}:
        return []
    remedy = f"Add the row to {other!r}, or mend the cell."
    return [
        table_problem(file, line, ", ".join(names), f"a row of {other!r}", repr(value), remedy)
        for line, value in zip(lines, _key_cells(names, columns, numbers), strict=True)
        if value not in keys and (value if len(names) == 1 else any(value))
    ]


def _cell_readers(header, resource):
    """What frictionless reads the cells of each column with; nothing of a column that takes any text.

    It gets the columns of the file as it is, without what is judged here: keys, and numbers, which are left as text. It
    takes the blanks around a heading away.
    """
    import frictionless

    fields = {field["name"]: field for field in folders.fields_of(resource)}
    for name, field in _number_fields(resource).items():
        limits = {key: limit for key, limit in _constraints_of_field(field).items() if key == "required"}
        fields[name] = {"name": name, "type": "string", "constraints": limits}
    schema = {key: part for key, part in resource["schema"].items() if key not in ("primaryKey", "foreignKeys")}
    schema["fields"] = [(fields.get(name) or {"type": "any"}) | {"name": name.strip()} for name in header]
    columns = zip(header, frictionless.Schema.from_descriptor(schema).fields, strict=True)
    return {
        name: field.create_cell_reader()
        for name, field in columns
        if field.type not in ("string", "any") or field.format != "default" or field.constraints
    }


def _check_shape(file, lines, records, columns, readers, nothing):
    """Rows of nothing or of another width than the header, and cells that their field does not allow."""
    problems, blank = [], {k for k, record in enumerate(records) if nothing.issuperset(record)}
    for name, read in readers.items():
        notes = {cell: read(cell)[1] for cell in {*columns[name]}}
        for k, cell in enumerate(columns[name] if any(notes.values()) else ()):
            for kind, note in (notes[cell] or {}).items() if k not in blank else ():
                expected, remedy = "a cell that keeps its constraints", "Fill in or mend the cell."
                if kind == "type":
                    expected, remedy = "a cell of the field's type", "Mend the cell, or the field's type."
                problems.append(table_problem(file, lines[k], name.strip(), expected, note, remedy))
    expected = "as many cells as the header has"
    for k, (line, record) in enumerate(zip(lines, records, strict=True)):
        if k in blank:
            problems.append(_blank_row_problem(file, line))
        elif len(record) < len(columns):
            names = [name.strip() for name in columns][len(record) :]
            problems += [
                table_problem(file, line, name, expected, "too few", "Add the missing cells.") for name in names
            ]
        elif len(record) > len(columns):
            remedy = "Quote a cell that holds a comma, or remove what is too much."
            problems += [table_problem(file, line, "", expected, "too many", remedy)] * (len(record) - len(columns))
    return problems


def _blank_row_problem(file, line):
    return table_problem(file, line, "", "a row with cells", "an empty row", "Remove the empty row.")


def _number_fields(resource):
    return {field["name"]: field for field in folders.fields_of(resource) if reading.is_number_field(field)}


def _constraints_of_field(field):
    constraints = field.get("constraints")
    return constraints if isinstance(constraints, dict) else {}
