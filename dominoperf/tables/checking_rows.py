"""What can be wrong with a CSV file beside its schema: header, numbers, units, keys, shape.

Numbers and keys are judged here, because the cells keep their printed digits (``$5,150``) which the standard's reading
of a number would not compare; the rest is judged by frictionless.
"""

import re

from dominoperf.errors import shortened
from dominoperf.tables.columns import known_unit, sign_fits
from dominoperf.tables.folders import fields_of
from dominoperf.tables.printed import delimiter_of, is_number, plain, read_number, read_records, sign_of

COLUMNS = ["file", "line", "column", "expected", "found", "remedy"]
UNREADABLE = (TypeError, AttributeError, KeyError, ValueError, IndexError, RuntimeError, OSError)
"""What libraries raise over a file or descriptor that is none: all mean the same to the user."""
_LONGEST = 350  # characters of a part of a problem: a line for a terminal
_ALL = 10**9  # frictionless stops at a thousand errors unless asked for more
# By the type of an error of frictionless: what is expected and what to do.
_REMEDIES = {
    "missing-cell": ("as many cells as the header has", "Add the missing cells."),
    "extra-cell": ("as many cells as the header has", "Quote a cell that holds a comma, or remove what is too much."),
    "blank-row": ("a row with cells", "Remove the empty row."),
    "constraint-error": ("a cell that keeps its constraints", "Fill in or mend the cell."),
    "type-error": ("a cell of the field's type", "Mend the cell, or the field's type."),
}
_FOUND = {"missing-cell": "too few", "extra-cell": "too many", "blank-row": "an empty row"}


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
    records, lines, fault = read_records(path, delimiter_of(resource))
    problems = []
    if fault:
        remedy = "Mend the quotes: one that opens a cell must close it, and a quote inside is written twice."
        problems.append(problem(file, fault[0], "", "closed quotes", fault[1], remedy))
    if not records:
        remedy = "Write the column names in the first line."
        return problems or [problem(file, 1, "", "a header line", "an empty file", remedy)]
    header, names = records[0], [field["name"] for field in fields_of(resource)]
    if len(header) == 1 < len(names) and re.search("[;\t|]", header[0]):
        remedy = "Save the file with commas between the cells, or name the `delimiter` in the table's `dialect`."
        return [*problems, problem(file, 1, "", "cells separated by commas", repr(header[0]), remedy)]
    problems += _check_header(file, header, names)
    if len(set(header)) < len(header):
        return problems
    rows = [(n, dict(zip(header, record, strict=False))) for n, record in zip(lines[1:], records[1:], strict=True)]
    rows = [(line, row) for line, row in rows if row]  # frictionless reports a blank row
    problems += _check_numbers(file, rows, resource)
    if "unit" in names:
        units = [(line, row.get("unit", "")) for line, row in rows]
        problems += [unknown_unit(file, line, "unit", unit) for line, unit in units if unit and not known_unit(unit)]
    problems += _check_key(file, rows, header, resource) + _check_foreign_keys(file, rows, resource, tables)
    return problems + _check_shape(file, path, header, lines, resource, schema_is_wrong)


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


def _check_numbers(file, rows, resource):
    """What stands in the columns of numbers."""
    nothing = {"", *map(str, _listed(resource["schema"].get("missingValues")))}
    problems = []
    for line, row in rows:
        for name, field in _numeric(resource).items():
            cell = row.get(name, "")
            fault = None if cell in nothing else _fault(plain(cell, field), field, row)
            problems += [problem(file, line, name, fault[0], repr(cell), fault[1])] if fault else []
    return problems


def _fault(cell, field, row):
    """What is wrong with a printed number: what was expected and what to do, or nothing."""
    number = read_number(cell)
    if number is None:
        remedy = "Keep the printed digits alone; a hedge belongs in `qualifier`, a sign for nothing in missingValues."
        return "a number such as 5,150, .890, $13.22 or 44.4%", remedy
    unit = row.get("unit") if field.get("unit") == "row" else field.get("unit")
    if not sign_fits(sign_of(cell), unit):
        return f"a number in {unit or 'plain digits'}", "Give the column the unit that is printed, or convert the cell."
    if field["type"] == "integer" and not number.is_integer():
        return "a whole number", "Mend the cell, or make the field's type `number`."
    for name, keeps in (("minimum", number.__ge__), ("maximum", number.__le__)):
        limit = _constraints(field).get(name)
        if isinstance(limit, (int, float)) and keeps(float(limit)) is False:
            return f"a {name} of {limit}", "Mend the cell, or the constraint in datapackage.json."
    return None


def _check_key(file, rows, header, resource):
    """Rows whose primary key is that of a row above, or has no cell at all."""
    key = _listed(resource["schema"].get("primaryKey"))
    if not key or not set(map(str, key)) <= set(header):
        return []
    problems, first, column = [], {}, ", ".join(key)
    for line, row in rows:
        value = _key_cells(row, key, resource)
        if not any(cell not in (None, "") for cell in value):
            remedy = "Fill in the cells of the key."
            problems.append(problem(file, line, column, "a key that has a cell", "none", remedy))
        elif value in first:
            found, remedy = f"the same as in line {first[value]}", "Mend or remove a row, or widen `primaryKey`."
            problems.append(problem(file, line, column, "a key that no other row has", found, remedy))
        first.setdefault(value, line)
    return problems


def _check_foreign_keys(file, rows, resource, tables):
    """Foreign keys that lead to no row."""
    problems = []
    for foreign_key in _listed(resource["schema"].get("foreignKeys")):
        try:
            names, reference = _listed(foreign_key["fields"]), foreign_key["reference"]
            other = reference.get("resource") or resource["name"]
            path, referred = tables[other]
            (there, *records), *_ = read_records(path, delimiter_of(referred))
            records = (dict(zip(there, record, strict=False)) for record in records)
            keys = {_key_cells(record, _listed(reference["fields"]), referred) for record in records}
        except UNREADABLE:
            remedy = "Name fields here and in a readable table of the folder."
            problems.append(problem(file, None, "", "a foreign key that can be followed", repr(foreign_key), remedy))
            continue
        for line, row in rows:
            if (value := _key_cells(row, names, resource)) not in keys and any(value):
                remedy = f"Add the row to {other!r}, or mend the cell."
                problems.append(problem(file, line, ", ".join(names), f"a row of {other!r}", repr(value), remedy))
    return problems


def _key_cells(row, names, resource):
    """The cells of a key: numbers as numbers, so that 1,000 and 1000 are one."""
    numeric = _numeric(resource)
    numbers = {name: read_number(plain(row.get(name, ""), numeric[name])) for name in names if name in numeric}
    return tuple(row.get(name) if numbers.get(name) is None else numbers[name] for name in names)


def _check_shape(file, path, header, lines, resource, schema_is_wrong):
    """What frictionless finds in the rows: constraints, widths, types other than number.

    It gets the columns of the file as it is, without what is judged here: keys, and numbers, which are left as text. It
    takes the blanks around a heading away.
    """
    import frictionless

    described_keys = ("name", "type", "encoding") + ("dialect",) * isinstance(resource.get("dialect"), dict)
    described = {key: resource[key] for key in described_keys if key in resource} | {"path": path.name, "format": "csv"}
    fields = {field["name"]: field for field in fields_of(resource)}
    try:
        for name, field in _numeric(resource).items():
            limits = {key: limit for key, limit in _constraints(field).items() if key in ("required", "unique")}
            fields[name] = {"name": name, "type": "string", "constraints": limits}
        schema = {key: part for key, part in resource["schema"].items() if key not in ("primaryKey", "foreignKeys")}
        schema["fields"] = [(fields.get(name) or {"type": "any"}) | {"name": name.strip()} for name in header]
        table = frictionless.Resource.from_descriptor(described | {"schema": schema}, basepath=str(path.parent))
        errors = [error for task in table.validate(limit_errors=_ALL).tasks for error in task.errors]
    except frictionless.FrictionlessException as error:
        errors = error.reasons or [error.error]
    except (*UNREADABLE, re.error) as error:
        remedy = "Mend the schema in datapackage.json; see datapackage.org."
        return [problem(file, None, "", "a schema that can be used", f"{type(error).__name__}: {error}", remedy)]
    problems = []
    for error in errors:
        row = getattr(error, "row_number", None)
        if (row is None and schema_is_wrong) or (row and row > len(lines)):  # below a torn quote, reported above
            continue
        line = lines[row - 1] if row else None
        expected, remedy = _REMEDIES.get(error.type, ("what the Table Schema allows", "See datapackage.org."))
        found = _FOUND.get(error.type) or error.note or error.message
        problems.append(problem(file, line, getattr(error, "field_name", "") or "", expected, found, remedy))
    return problems


def _numeric(resource):
    """The fields of numbers by name."""
    return {field["name"]: field for field in fields_of(resource) if is_number(field)}


def _constraints(field):
    """The constraints of a field, where it has any."""
    constraints = field.get("constraints")
    return constraints if isinstance(constraints, dict) else {}


def _listed(value):
    """What a descriptor gives as one or as a list of them."""
    return value if isinstance(value, list) else [] if value is None else [value]
