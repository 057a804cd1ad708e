"""What can be wrong with a CSV file beside its schema: header, numbers, units, keys, shape.

Numbers and keys are judged here, because the cells keep their printed digits (``$5,150``) which the standard's reading
of a number would not compare; the rest is judged by frictionless.
"""

import re

from dominoperf.tables.descriptors import fields_of
from dominoperf.tables.printed import delimiter_of, is_number, read_number, read_records, sign_of
from dominoperf.tables.printed import plain as plain_text
from dominoperf.tables.problems import UNREADABLE, problem, unknown_unit
from dominoperf.tables.unit_signs import known_unit, sign_fits

_ALL = 10**9  # frictionless stops telling at a thousand
_QUOTES = "Mend the quotes: one that opens a cell must close it, and a quote inside is written twice."


def check_rows(file, path, resource, tables, told):
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
    told : bool
        Whether the schema itself has been found wrong: it is then not told again.
    """
    records, lines, fault = read_records(path, delimiter_of(resource))
    torn = [problem(file, fault[0], "", "closed quotes", fault[1], _QUOTES)] if fault else []
    return torn if fault and not records else torn + _judged(file, path, records, lines, resource, tables, told)


def _judged(file, path, records, lines, resource, tables, told):
    """The problems of the records that could be read."""
    if not records:
        return [problem(file, 1, "", "a header line", "an empty file", "Write the column names in the first line.")]
    header, names = records[0], [field["name"] for field in fields_of(resource)]
    if len(header) == 1 < len(names) and re.search("[;\t|]", header[0]):
        remedy = "Save the file with commas between the cells, or name the `delimiter` in the table's `dialect`."
        return [problem(file, 1, "", "cells separated by commas", repr(header[0]), remedy)]
    problems = _header(file, header, names)
    if len(set(header)) < len(header):
        return problems
    rows = [
        (line, dict(zip(header, record, strict=False))) for line, record in zip(lines[1:], records[1:], strict=True)
    ]
    rows = [row for row in rows if row[1]]  # a blank row is told as that alone
    problems += _numbers(file, rows, resource) + _cell_units(file, rows, names) + _keys(file, rows, header, resource)
    return problems + _foreign(file, rows, resource, tables) + _shape(file, path, header, lines, resource, told)


def _listed(value):
    """What a descriptor gives as one or as a list of them."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _empty(resource):
    """The cells that stand for nothing."""
    return {"", *map(str, _listed(resource["schema"].get("missingValues")))}


def _header(file, header, names):
    """Columns that are missing, too many, twice or in another order than the schema has them."""
    if header == names:
        return []
    missing = [name for name in names if name not in header]
    extra = [name for name in header if name not in names]
    twice = sorted({name for name in header if header.count(name) > 1})
    remedy = "Add the column, or take it out of the schema in datapackage.json."
    problems = [problem(file, 1, name, f"a column {name!r}", "no such column", remedy) for name in missing]
    remedy = "Describe the column in datapackage.json, or take it out of the file."
    problems += [problem(file, 1, name, "a column that datapackage.json lists", repr(name), remedy) for name in extra]
    problems += [
        problem(file, 1, name, "every column once", f"{name!r} twice", "Rename one of them.") for name in twice
    ]
    if not problems:
        remedy = "Set the columns in this order."
        problems = [problem(file, 1, "", f"the columns {', '.join(names)}", ", ".join(header), remedy)]
    return problems


def _numbers(file, rows, resource):
    """What stands in the columns of numbers."""
    empty, numeric = _empty(resource), _numeric(resource).values()
    problems = []
    for line, row in rows:
        for field in numeric:
            cell = row.get(field["name"], "")
            fault = None if cell in empty else _fault(plain_text(cell, field), field, row)
            problems += [problem(file, line, field["name"], fault[0], repr(cell), fault[1])] if fault else []
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
    limits = field.get("constraints") if isinstance(field.get("constraints"), dict) else {}
    for name, holds in (("minimum", number.__ge__), ("maximum", number.__le__)):
        limit = limits.get(name)
        if isinstance(limit, (int, float)) and holds(float(limit)) is False:
            return f"a {name} of {limit}", "Mend the cell, or the constraint in datapackage.json."
    return None


def _cell_units(file, rows, names):
    """Units that stand in cells of a column `unit`."""
    cells = [(line, row.get("unit", "")) for line, row in rows] if "unit" in names else []
    return [unknown_unit(file, line, "unit", cell) for line, cell in cells if cell and not known_unit(cell)]


def _keys(file, rows, header, resource):
    """Rows whose primary key is that of a row above, or has no cell at all."""
    key = _listed(resource["schema"].get("primaryKey"))
    if not key or not set(map(str, key)) <= set(header):
        return []
    problems, seen, numeric = [], {}, _numeric(resource)
    for line, row in rows:
        value = _value(row, key, numeric)
        if not any(each not in (None, "") for each in value):
            remedy = "Fill in the cells of the key."
            problems.append(problem(file, line, ", ".join(key), "a key that has a cell", "none", remedy))
        elif value in seen:
            found, remedy = (
                f"the same as in line {seen[value]}",
                "Mend or remove one of the rows, or widen `primaryKey`.",
            )
            problems.append(problem(file, line, ", ".join(key), "a key that no other row has", found, remedy))
        seen.setdefault(value, line)
    return problems


def _numeric(resource):
    """The fields of numbers by name."""
    return {field["name"]: field for field in fields_of(resource) if is_number(field)}


def _value(row, names, numeric):
    """The cells of a key: numbers as numbers, so that 1,000 and 1000 are one."""
    numbers = {name: plain_text(row.get(name, ""), numeric[name]) for name in names if name in numeric}
    read = {name: read_number(text) for name, text in numbers.items()}
    return tuple(row.get(name) if read.get(name) is None else read[name] for name in names)


def _foreign(file, rows, resource, tables):
    """Foreign keys that lead to no row."""
    problems = []
    for each in _listed(resource["schema"].get("foreignKeys")):
        try:
            names, where = _listed(each["fields"]), each["reference"]
            other = where.get("resource") or resource["name"]
            known = _known(tables[other], _listed(where["fields"]))
        except UNREADABLE:
            remedy = "Name fields here and in a readable table of the folder."
            problems.append(problem(file, None, "", "a foreign key that can be followed", repr(each), remedy))
            continue
        for line, row in rows:
            if (cells := _value(row, names, _numeric(resource))) not in known and any(cells):
                remedy = f"Add the row to {other!r}, or mend the cell."
                problems.append(problem(file, line, ", ".join(names), f"a row of {other!r}", repr(cells), remedy))
    return problems


def _known(table, names):
    """The keys that a table has."""
    path, resource = table
    records, *_ = read_records(path, delimiter_of(resource))
    rows = [dict(zip(records[0], record, strict=False)) for record in records[1:]]
    return {_value(row, names, _numeric(resource)) for row in rows}


def _shape(file, path, header, lines, resource, told):
    """What frictionless says of the rows: constraints, widths, types other than number."""
    import frictionless

    kept = ("name", "type", "encoding") + ("dialect",) * isinstance(resource.get("dialect"), dict)
    plain = {key: resource[key] for key in kept if key in resource} | {"path": path.name, "format": "csv"}
    try:
        plain["schema"] = _schema_of(header, resource)
        table = frictionless.Resource.from_descriptor(plain, basepath=str(path.parent))
        errors = [error for task in table.validate(limit_errors=_ALL).tasks for error in task.errors]
    except frictionless.FrictionlessException as error:
        errors = error.reasons or [error.error]
    except (*UNREADABLE, re.error) as error:
        remedy = "Mend the schema in datapackage.json; see datapackage.org."
        return [problem(file, None, "", "a schema that can be used", f"{type(error).__name__}: {error}", remedy)]
    blank = {error.row_number for error in errors if error.type == "blank-row"}
    return [_told(file, lines, error) for error in errors if not _told_elsewhere(error, len(lines), blank, told)]


def _told_elsewhere(error, count, blank, told):
    """A blank row is told as that alone; a wrong schema where the descriptor was judged; a torn row by its quote."""
    row = getattr(error, "row_number", None)
    if row is None:
        return told
    return row > count or (error.type != "blank-row" and row in blank)


def _schema_of(header, resource):
    """The schema for the file as it is, without what is judged here: keys, and numbers, which are left as text.

    Frictionless takes the blanks around a heading away.
    """
    known = {field["name"]: _left(field) for field in fields_of(resource)}
    fields = [(known.get(name) or {"type": "any"}) | {"name": name.strip()} for name in header]
    schema = {key: value for key, value in resource["schema"].items() if key not in ("primaryKey", "foreignKeys")}
    return schema | {"fields": fields}


def _left(field):
    """What frictionless is to judge of a field."""
    if not is_number(field):
        return field
    limits = field.get("constraints") if isinstance(field.get("constraints"), dict) else {}
    kept = {name: limits[name] for name in ("required", "unique") if name in limits}
    return {"name": field["name"], "type": "string", "constraints": kept}


_REMEDIES = {
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
    return problem(file, line, column, expected, _FOUND.get(error.type) or error.note or error.message, remedy)
