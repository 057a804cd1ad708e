"""What can be wrong with a CSV file apart from its schema: header, numbers, units, keys, shape.

Numbers and keys are judged here; other cells are judged by frictionless. A number that is not bare it takes as what is
left between the first digit and the last: it reads ``.890`` as 890, and ``<5``, ``(5)`` and ``5*`` as 5, which are
problems here. It also takes ten times as long for 200,000 wrong rows.
"""

import itertools
import math
import re
from array import array

import numpy as np

from dominoperf.errors import shortened
from dominoperf.tables.columns import OF_ITS_ROW, known_unit, meaning_of, sign_fits, vocabulary
from dominoperf.tables.folders import fields_of, setting_as_list
from dominoperf.tables.numerals import in_plain_digits, is_number_field, read_number, unit_sign
from dominoperf.tables.reading import read_csv_records

COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)
"""What libraries raise over a file or descriptor that is none: all mean the same to the user."""
_DECIMAL_COMMA = re.compile(r"-?\d+,\d{1,2}|-?\d+,\d{4,}")  # 1,234 may be a thousand
_LONGEST = 350  # characters of a part of a problem: a line for a terminal


def table_problem(file, line, column, expected, found, remedy):
    """Return a problem as a row of `check`: where, what was expected, what was found, what to do."""
    file, column, *parts = (shortened(text, _LONGEST) for text in (file, column, expected, found, remedy))
    return dict(zip(COLUMNS, (file, line, column, *parts), strict=True))


def unknown_unit_problem(file, line, column, unit):
    """Return the problem of a unit that pint does not know."""
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return table_problem(file, line, column, "a unit that pint knows", repr(unit), remedy)


def check_rows(file, path, resource, tables, schema_is_wrong):
    """Return every problem of a table's file, which is readable and in UTF-8; problems call it `file`.

    `tables` are the folder's readable tables by name, as (path, resource): where foreign keys lead. Where
    `schema_is_wrong`, the schema, which is usable, has been found wrong, and is not reported again.
    """
    names, schema = [field["name"] for field in fields_of(resource)], resource["schema"]
    records, lines, torn = read_csv_records(path)
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
    nothing = {None, "", *map(str, setting_as_list(schema.get("missingValues") or []))}
    for name, field in numbers.items():
        problems += check_numbers(file, lines, field, columns[name], units, nothing)
    for field in fields_of(resource):
        if (name := field["name"]) in columns and name not in numbers:
            problems += _check_measure_has_numbers(file, lines, field, columns[name], nothing)
    if "unit" in names:
        unknown = {unit for unit in {*units} if unit and not known_unit(unit)}
        problems += [unknown_unit_problem(file, line, "unit", unit) for line, unit in zip(lines, units, strict=True)
                     if unit in unknown]  # fmt: skip

    primary = [str(name) for name in setting_as_list(schema.get("primaryKey") or [])]
    unique = [[field["name"]] for field in fields_of(resource) if _constraints_of_field(field).get("unique")]
    for key in filter(None, (primary, *unique)):
        if {*key} <= {*header}:
            problems += _check_key(file, lines, _key_cells(key, columns, numbers), key, key is primary)
    for foreign_key in setting_as_list(schema.get("foreignKeys") or []):
        try:
            problems += _check_foreign_key(file, lines, columns, numbers, foreign_key, resource, tables)
        except UNREADABLE:
            remedy = "Name fields here and in a readable table of the folder."
            problems.append(
                table_problem(file, None, "", "a foreign key that can be followed", repr(foreign_key), remedy)
            )
    try:
        readers, faults = _cell_readers(file, header, resource)
        problems += [] if schema_is_wrong else faults
        problems += _check_shape(file, lines, records, columns, readers) if readers else []
    except (*UNREADABLE, re.error) as error:
        remedy, found = "Mend the schema in datapackage.json; see datapackage.org.", f"{type(error).__name__}: {error}"
        problems.append(table_problem(file, None, "", "a schema that can be used", found, remedy))
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


def check_numbers(file, lines, field, cells, units, nothing):
    """What is in a column of numbers and is none, or has the sign of another unit, or breaks its limits."""
    limits = {name: _constraints_of_field(field).get(name) for name in ("minimum", "maximum")}
    limits = {name: limit for name, limit in limits.items() if isinstance(limit, (int, float))}
    ours = field.get("as", field["name"])
    least = vocabulary().get(ours, {}).get("minimum", -math.inf)
    sign = "" if field["type"] == "integer" else "."
    plain = [cell or "" for cell in cells]
    if not limits and in_plain_digits(plain, sign):  # most columns: no cell needs a look
        numbers = [cell or "nan" for cell in plain] if math.isfinite(least) else []
        if not (np.array(numbers, dtype=float) < least).any():
            return []
    mend, problems = "Mend the cell, or the constraint in datapackage.json.", []
    for line, cell, unit_of_row in zip(lines, cells, units, strict=True):
        if cell in nothing:
            continue
        number, unit = read_number(cell), unit_of_row if field.get("unit") == "row" else field.get("unit")
        if number is None:
            expected = "a number such as 5,150, .890, $13.22 or 44.4%"
            remedy = "Keep the printed digits alone; a hedge belongs in `qualifier`, "
            remedy += "a sign for nothing in missingValues."
            if _DECIMAL_COMMA.fullmatch(cell):
                remedy = "Write a point before decimals; `dominoperf new` does so."
        elif not sign_fits(unit_sign(cell), unit):
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
            read = [None if cell is None else read_number(cell) for cell in cells]
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
    """Rows whose foreign key leads to no row; a key that is none raises one of `UNREADABLE`."""
    names, reference = [str(name) for name in setting_as_list(foreign_key["fields"])], foreign_key["reference"]
    other = reference.get("resource") or resource["name"]
    path, referred = tables[other]
    (header, *records), *_ = read_csv_records(path)
    there = dict.fromkeys(header, ()) | dict(zip(header, itertools.zip_longest(*records, fillvalue=""), strict=False))
    keys = {*_key_cells(setting_as_list(reference["fields"]), there, _number_fields(referred))}
    if not {*names} <= {*columns}:
        return []
    remedy = f"Add the row to {other!r}, or mend the cell."
    return [
        table_problem(file, line, ", ".join(names), f"a row of {other!r}", repr(value), remedy)
        for line, value in zip(lines, _key_cells(names, columns, numbers), strict=True)
        if value not in keys and (value if len(names) == 1 else any(value))
    ]


def _cell_readers(file, header, resource):
    """What frictionless reads the cells of each column with, and whether it takes any text; problems of the schema.

    It gets the columns of the file as it is, without what is judged here: keys, and numbers, which are left as text. It
    takes the blanks around a heading away.
    """
    import frictionless

    fields = {field["name"]: field for field in fields_of(resource)}
    for name, field in _number_fields(resource).items():
        limits = {key: limit for key, limit in _constraints_of_field(field).items() if key == "required"}
        fields[name] = {"name": name, "type": "string", "constraints": limits}
    schema = {key: part for key, part in resource["schema"].items() if key not in ("primaryKey", "foreignKeys")}
    schema["fields"] = [(fields.get(name) or {"type": "any"}) | {"name": name.strip()} for name in header]
    readers = {}
    try:
        for name, field in zip(header, frictionless.Schema.from_descriptor(schema).fields, strict=True):
            takes_all = field.type in ("string", "any") and field.format == "default" and not field.constraints
            readers[name] = field.create_cell_reader(), takes_all
    except frictionless.FrictionlessException as error:
        expected, remedy = "what the Table Schema allows", "See datapackage.org."
        notes = [reason.note or reason.message for reason in error.reasons or [error.error]]
        return {}, [table_problem(file, None, "", expected, note, remedy) for note in notes]
    return readers, []


def _check_shape(file, lines, records, columns, readers):
    """Rows of nothing or of another width than the header, and cells that their field does not allow."""
    problems, (first, *others) = [], columns
    empty = {cell for cell in {*columns[first]} if _is_empty_cell(readers[first][0], cell)}
    blank = {
        k
        for k, cell in enumerate(columns[first])
        if cell in empty and all(_is_empty_cell(readers[name][0], columns[name][k]) for name in others)
    }
    for name, (read, takes_all) in readers.items():
        notes = {} if takes_all else {cell: read(cell)[1] for cell in {*columns[name]}}
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


def _is_empty_cell(read, cell):
    """Whether a cell stands for nothing, as frictionless reads it."""
    value, notes = read(cell)
    return value is None and "type" not in (notes or ())


def _number_fields(resource):
    return {field["name"]: field for field in fields_of(resource) if is_number_field(field)}


def _constraints_of_field(field):
    constraints = field.get("constraints")
    return constraints if isinstance(constraints, dict) else {}
