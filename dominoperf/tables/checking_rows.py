"""What can be wrong with a CSV file apart from its schema: header, numbers, units, keys, shape.

Numbers and keys are judged here, because the cells keep their printed digits (``$5,150``) which the standard's reading
of a number would not compare; other cells are judged by frictionless. A file is read in parts, of which each column is
judged as a whole where all its cells are in order.
"""

import itertools
import re

from dominoperf.errors import shortened
from dominoperf.tables.columns import known_unit, sign_fits
from dominoperf.tables.folders import fields_of
from dominoperf.tables.printed import (
    TornRow,
    delimiter_of,
    in_plain_digits,
    is_number,
    plain,
    read_number,
    read_records,
    rows_with_lines,
    sign_of,
)

COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)
"""What libraries raise over a file or descriptor that is none: all mean the same to the user."""
_LONGEST = 350  # characters of a part of a problem: a line for a terminal
_TOGETHER = 20_000  # rows that are in memory at once


def problem(file, line, column, expected, found, remedy):
    """Return a problem as a row of `check`: where, what was expected, what was found, what to do."""
    file, column, *parts = (shortened(text, _LONGEST) for text in (file, column, expected, found, remedy))
    return dict(zip(COLUMNS, (file, line, column, *parts), strict=True))


def unknown_unit(file, line, column, unit):
    """Return the problem of a unit that pint does not know."""
    remedy = "Write it as pint does: s, MB, GB, percent, user, USD/user, tpm."
    return problem(file, line, column, "a unit that pint knows", repr(unit), remedy)


def check_rows(file, path, resource, tables, schema_is_wrong):
    """Return every problem of a table's file.

    Parameters
    ----------
    file : str
        What the problems call it.
    path : Path
        A readable file in UTF-8.
    resource : dict
        Its description, with a usable schema.
    tables : dict
        The folder's readable tables by name, as (path, resource): where foreign keys lead.
    schema_is_wrong : bool
        Whether the schema itself has been found wrong: it is then not reported again.
    """
    problems, names = [], [field["name"] for field in fields_of(resource)]
    with open(path, encoding="utf-8-sig", newline="") as text:
        rows = _until_torn(file, text, resource, problems)
        _, header = next(rows, (1, []))
        if not header:
            remedy, found = "Write the column names in the first line.", "an empty line"
            found = found if path.stat().st_size else "an empty file"
            return problems or [problem(file, 1, "", "a header line", found, remedy)]
        if len(header) == 1 < len(names) and re.search("[;\t|]", header[0]):
            remedy = "Save the file with commas between the cells, or name the `delimiter` in the table's `dialect`."
            return [*problems, problem(file, 1, "", "cells separated by commas", repr(header[0]), remedy)]
        problems += _check_header(file, header, names)
        if len(set(header)) < len(header):
            return problems
        readers, faults = _cell_readers(file, header, resource)
        problems += [] if schema_is_wrong else faults
        primary = [str(name) for name in _as_list(resource["schema"].get("primaryKey"))]
        unique = [[field["name"]] for field in fields_of(resource) if _constraints_of_field(field).get("unique")]
        # The columns that tell rows apart, what has been seen in them, and whether they are the primary key.
        keys = [(key, {}, key is primary) for key in (primary, *unique) if key and {*key} <= {*header}]
        foreign_keys = _foreign_keys(file, header, resource, tables, problems)
        numbers = _number_fields(resource)
        while part := list(itertools.islice(rows, _TOGETHER)):
            problems += [_blank_row(file, line) for line, record in part if not record]
            part = [row for row in part if row[1]]
            if not part:
                continue
            lines, records = zip(*part, strict=True)
            columns = dict(zip(header, itertools.zip_longest(*records), strict=False))  # None where a row is too short
            columns |= {name: (None,) * len(lines) for name in header if name not in columns}
            numeric = {name: field for name, field in numbers.items() if name in columns}
            in_order = {name for name, field in numeric.items() if _in_order(columns[name], field)}
            for name in [name for name in numeric if name not in in_order]:
                units = columns.get("unit", (None,) * len(lines))
                problems += _check_numbers(file, lines, numeric[name], columns[name], units, resource)
            if "unit" in names and "unit" in columns:
                unknown = {unit for unit in {*columns["unit"]} if unit and not known_unit(unit)}
                cells = zip(lines, columns["unit"], strict=True)
                problems += [unknown_unit(file, line, "unit", unit) for line, unit in cells if unit in unknown]
            for names_of_key, *key in keys:
                cells = _key_cells(names_of_key, columns, numeric, in_order)
                problems += _check_key(file, lines, cells, names_of_key, *key)
            for names_of_key, *key in foreign_keys:
                cells = _key_cells(names_of_key, columns, numeric, in_order)
                problems += _check_foreign_key(file, lines, cells, names_of_key, *key)
            try:
                problems += _check_shape(file, lines, records, columns, readers)
            except (*UNREADABLE, re.error) as error:
                problems += [_unusable_schema(file, error)]
                readers = {}
    return problems


def _until_torn(file, text, resource, problems):
    """Yield the rows of an open file with their lines; a torn quote ends them, and is added to the problems."""
    try:
        yield from rows_with_lines(text, delimiter_of(resource))
    except TornRow as torn:
        remedy = "Mend the quotes: one that opens a cell must close it, and a quote inside is written twice."
        problems.append(problem(file, torn.args[0], "", "closed quotes", torn.args[1], remedy))


def _check_header(file, header, names):
    """Columns that are missing, too many, twice or in another order than the schema has them."""
    missing, absent = "Add the column, or take it out of the schema in datapackage.json.", "no such column"
    problems = [problem(file, 1, n, f"a column {n!r}", absent, missing) for n in names if n not in header]
    expected, remedy = "a column that datapackage.json lists", "Describe it there, or take it out of the file."
    problems += [problem(file, 1, n, expected, repr(n), remedy) for n in header if n not in names]
    for name in sorted({name for name in header if header.count(name) > 1}):
        problems.append(problem(file, 1, name, "every column once", f"{name!r} twice", "Rename one of them."))
    if not problems and header != names:
        expected, remedy = f"the columns {', '.join(names)}", "Set the columns in this order."
        problems = [problem(file, 1, "", expected, ", ".join(header), remedy)]
    return problems


def _in_order(cells, field):
    """Whether all numbers of a column are in plain digits and within their limits: then no cell has to be looked at."""
    sign = "," if field.get("decimalChar") == "," else "."
    if not in_plain_digits([cell or "" for cell in cells], "" if field["type"] == "integer" else sign):
        return False
    limits = [_constraints_of_field(field).get(name) for name in ("minimum", "maximum")]
    if limits == [None, None]:
        return True
    numbers = [float(cell.replace(",", ".")) for cell in cells if cell]
    low, high = (limit if isinstance(limit, (int, float)) else None for limit in limits)
    return not numbers or ((low is None or min(numbers) >= low) and (high is None or max(numbers) <= high))


def _check_numbers(file, lines, field, cells, units, resource):
    """What stands in a column of numbers."""
    nothing = {None, "", *map(str, _as_list(resource["schema"].get("missingValues")))}
    problems = []
    for line, cell, unit in zip(lines, cells, units, strict=True):
        if cell not in nothing and (fault := _fault_of_printed_number(plain(cell, field), field, unit)):
            problems.append(problem(file, line, field["name"], fault[0], repr(cell), fault[1]))
    return problems


def _fault_of_printed_number(cell, field, unit_of_row):
    """What is wrong with a printed number: what was expected and what to do, or nothing."""
    number = read_number(cell)
    if number is None:
        remedy = "Keep the printed digits alone; a hedge belongs in `qualifier`, a sign for nothing in missingValues."
        return "a number such as 5,150, .890, $13.22 or 44.4%", remedy
    unit = unit_of_row if field.get("unit") == "row" else field.get("unit")
    if not sign_fits(sign_of(cell), unit):
        return f"a number in {unit or 'plain digits'}", "Give the column the unit that is printed, or convert the cell."
    if field["type"] == "integer" and not number.is_integer():
        return "a whole number", "Mend the cell, or make the field's type `number`."
    for name, keeps in (("minimum", number.__ge__), ("maximum", number.__le__)):
        limit = _constraints_of_field(field).get(name)
        if isinstance(limit, (int, float)) and keeps(float(limit)) is False:
            return f"a {name} of {limit}", "Mend the cell, or the constraint in datapackage.json."
    return None


def _key_cells(names, columns, numeric, in_order=()):
    """The cells of a key in each row: numbers as numbers, so that 1,000 and 1000 are one."""
    parts = []
    for name in names:
        cells, field = columns[name], numeric.get(name)
        if name in in_order and field.get("decimalChar") != ",":
            cells = [float(cell) if cell else cell for cell in cells]
        elif field:
            numbers = [None if cell is None else read_number(plain(cell, field)) for cell in cells]
            cells = [cell if number is None else number for cell, number in zip(cells, numbers, strict=True)]
        parts.append(cells)
    return parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))


def _check_key(file, lines, values, names, seen, primary):
    """Rows whose key is that of a row above; of the primary one, those that have no cell at all."""
    problems, column = [], ", ".join(names)
    for line, value in zip(lines, values, strict=True):
        if value in (None, "") or (len(names) > 1 and all(cell in (None, "") for cell in value)):
            if primary:
                remedy = "Fill in the cells of the key."
                problems.append(problem(file, line, column, "a key that has a cell", "none", remedy))
        elif (above := seen.setdefault(value, line)) != line:
            found, expected = f"the same as in line {above}", f"a {'key' if primary else 'cell'} that no other row has"
            remedy = f"Mend or remove a row, or widen `{'primaryKey' if primary else 'unique'}`."
            problems.append(problem(file, line, column, expected, found, remedy))
    return problems


def _foreign_keys(file, header, resource, tables, problems):
    """The foreign keys of a table: its columns, the table where they lead, the keys there; one that is none is told."""
    foreign_keys = []
    for foreign_key in _as_list(resource["schema"].get("foreignKeys")):
        try:
            names, reference = [str(name) for name in _as_list(foreign_key["fields"])], foreign_key["reference"]
            other = reference.get("resource") or resource["name"]
            path, referred = tables[other]
            (there, *records), *_ = read_records(path, delimiter_of(referred))
            columns = dict(zip(there, itertools.zip_longest(*records, fillvalue=""), strict=False))
            columns = dict.fromkeys(there, ()) | columns
            keys = {*_key_cells(_as_list(reference["fields"]), columns, _number_fields(referred))}
        except UNREADABLE:
            remedy = "Name fields here and in a readable table of the folder."
            problems.append(problem(file, None, "", "a foreign key that can be followed", repr(foreign_key), remedy))
            continue
        foreign_keys += [(names, other, keys)] if {*names} <= {*header} else []
    return foreign_keys


def _check_foreign_key(file, lines, values, names, other, keys):
    """Rows whose foreign key leads to no row."""
    remedy = f"Add the row to {other!r}, or mend the cell."
    return [
        problem(file, line, ", ".join(names), f"a row of {other!r}", repr(value), remedy)
        for line, value in zip(lines, values, strict=True)
        if value not in keys and (value if len(names) == 1 else any(value))
    ]


def _cell_readers(file, header, resource):
    """What frictionless reads the cells of each column with, and whether it takes any text; problems of the schema.

    It gets the columns of the file as it is, without what is judged here: keys, and numbers, which are left as text. It
    takes the blanks around a heading away.
    """
    import frictionless

    fields = {field["name"]: field for field in fields_of(resource)}
    try:
        for name, field in _number_fields(resource).items():
            limits = {key: limit for key, limit in _constraints_of_field(field).items() if key == "required"}
            fields[name] = {"name": name, "type": "string", "constraints": limits}
        schema = {key: part for key, part in resource["schema"].items() if key not in ("primaryKey", "foreignKeys")}
        schema["fields"] = [(fields.get(name) or {"type": "any"}) | {"name": name.strip()} for name in header]
        read = frictionless.Schema.from_descriptor(schema).fields
        any_text = [
            field.type in ("string", "any") and field.format == "default" and not field.constraints for field in read
        ]
        return {
            name: (field.create_cell_reader(), takes_all)
            for name, field, takes_all in zip(header, read, any_text, strict=True)
        }, []
    except frictionless.FrictionlessException as error:
        expected, remedy = "what the Table Schema allows", "See datapackage.org."
        notes = [reason.note or reason.message for reason in error.reasons or [error.error]]
        return {}, [problem(file, None, "", expected, note, remedy) for note in notes]
    except (*UNREADABLE, re.error) as error:
        return {}, [_unusable_schema(file, error)]


def _unusable_schema(file, error):
    """The problem of a schema that frictionless stumbles over."""
    remedy = "Mend the schema in datapackage.json; see datapackage.org."
    return problem(file, None, "", "a schema that can be used", f"{type(error).__name__}: {error}", remedy)


def _check_shape(file, lines, records, columns, readers):
    """Rows of nothing or of another width than the header, and cells that their field does not allow."""
    if not readers:  # the schema has been found wrong
        return []
    problems, (first, *others) = [], columns
    empty = {cell for cell in {*columns[first]} if _is_empty(readers[first][0], cell)}
    blank = {
        k
        for k, cell in enumerate(columns[first])
        if cell in empty and all(_is_empty(readers[name][0], columns[name][k]) for name in others)
    }
    for name, (read, takes_all) in readers.items():
        notes = {} if takes_all else {cell: read(cell)[1] for cell in {*columns[name]}}
        for k, cell in enumerate(columns[name] if any(notes.values()) else ()):
            for kind, note in (notes[cell] or {}).items() if k not in blank else ():
                expected, remedy = "a cell that keeps its constraints", "Fill in or mend the cell."
                if kind == "type":
                    expected, remedy = "a cell of the field's type", "Mend the cell, or the field's type."
                problems.append(problem(file, lines[k], name.strip(), expected, note, remedy))
    expected = "as many cells as the header has"
    for k, (line, record) in enumerate(zip(lines, records, strict=True)):
        if k in blank:
            problems.append(_blank_row(file, line))
        elif len(record) < len(columns):
            names = [name.strip() for name in columns][len(record) :]
            problems += [problem(file, line, name, expected, "too few", "Add the missing cells.") for name in names]
        elif len(record) > len(columns):
            remedy = "Quote a cell that holds a comma, or remove what is too much."
            problems += [problem(file, line, "", expected, "too many", remedy)] * (len(record) - len(columns))
    return problems


def _blank_row(file, line):
    """The problem of a row of nothing."""
    return problem(file, line, "", "a row with cells", "an empty row", "Remove the empty row.")


def _is_empty(read, cell):
    """Whether a cell stands for nothing, as frictionless reads it."""
    value, notes = read(cell)
    return value is None and "type" not in (notes or ())


def _number_fields(resource):
    """The fields of numbers by name."""
    return {field["name"]: field for field in fields_of(resource) if is_number(field)}


def _constraints_of_field(field):
    """The constraints of a field, where it has any."""
    constraints = field.get("constraints")
    return constraints if isinstance(constraints, dict) else {}


def _as_list(value):
    """What a descriptor gives as one or as a list of them."""
    return value if isinstance(value, list) else [] if value is None else [value]
