"""What the descriptor of a data folder says, and what keeps it from being used."""

import functools
import json
import re
from pathlib import PurePosixPath

from dominoperf.errors import BadTable
from dominoperf.tables.validating import Fault, fault_in

DESCRIPTOR = "datapackage.json"
CLAIMS, ERRATA, SERIES = "claims.csv", "errata.csv", "series.toml"
"""Files that may stand beside the descriptor of a data folder: its claims, its errata, its point series."""
NAME_IN_WORDS = "a folder name of letters, digits, - _ and ., first a letter or digit"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def names(folder):
    """List the names of a folder's tables, then of its views."""
    descriptor = package(folder)
    return [*(resource["name"] for resource in descriptor["resources"]), *descriptor.get("views", {})]


def fields_of(resource):
    """List the fields of a table's schema."""
    return resource["schema"]["fields"]


def package(folder):
    """Return a folder's descriptor as a dict.

    Raises
    ------
    BadTable
        When there is none that can be used.
    """
    path = folder / DESCRIPTOR
    try:
        return _json(path, path.stat().st_mtime_ns)
    except (OSError, ValueError, RuntimeError) as error:  # no file, no JSON, nested too deep
        raise unusable(path, error) from error


def unusable(path, error):
    """Make the error for a file of a data folder that cannot be used, and send the user to the check that says why."""
    return BadTable(
        str(path),
        expected="a file of a data folder (a Frictionless Data Package) that can be used",
        found=getattr(error, "strerror", None) or str(error),
        remedy=f"Run `dominoperf check {path.parent}` for all that is wrong with the folder.",
    )


def listed(value):
    """Return what a setting names as a list: the several values of one, or its only one."""
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def inside(folder, path):
    """Tell whether a path that a descriptor gives stays inside its folder, through links too."""
    pure = PurePosixPath(path.replace("\\", "/"))  # a path may have been written on Windows
    safe = (
        "\0" not in path
        and pure.parts
        and not pure.is_absolute()
        and ".." not in pure.parts
        and ":" not in pure.parts[0]  # a drive, or a URL
    )
    try:
        (folder / path).exists()  # falls over a name that no file can have
        return bool(safe) and (folder / path).resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name that no file can have
        return False


def fault_of_links(folder):
    """Say which of the files that are read by their names leads out of the folder as a link, in one phrase, or nothing.

    A folder that somebody else packed must not show what else is on this machine.
    """
    names = (DESCRIPTOR, CLAIMS, ERRATA, SERIES)
    return next((f"{name}, a link that leaves the folder" for name in names if not inside(folder, name)), "")


def read_descriptor(text):
    """Read the text of a descriptor; half of a character, which JSON can write, could not be written anywhere else."""
    descriptor = json.loads(text)
    json.dumps(descriptor, ensure_ascii=False).encode()
    return descriptor


@functools.cache
def _json(path, _stamp):
    """A descriptor that can be used, with a title and what is known of its document filled in."""
    descriptor = read_descriptor(path.read_text(encoding="utf-8"))
    fault = fault_of_links(path.parent) or _fault(descriptor, path.parent)
    if fault:
        raise ValueError(fault)
    descriptor.setdefault("title", path.parent.name)
    descriptor.setdefault("document", _document(descriptor))
    return descriptor


def _document(descriptor):
    """What a descriptor in the words of the standard says of where its data come from."""
    told = {"title": descriptor["title"], "description": descriptor.get("description")}
    told |= {"publisher": _titles(descriptor, "sources"), "rights": _titles(descriptor, "licenses")}
    return {name: text for name, text in told.items() if isinstance(text, str) and text}


def _titles(descriptor, key):
    """The titles, else the names, of what is listed."""
    listed_ = descriptor.get(key)
    each = [one for one in listed_ if isinstance(one, dict)] if isinstance(listed_, list) else []
    return "; ".join(str(one.get("title") or one.get("name") or "") for one in each)


def _fault(descriptor, folder):
    """What keeps a descriptor from being used at all: one phrase, or nothing."""
    resources = descriptor.get("resources") if isinstance(descriptor, dict) else None
    if not isinstance(resources, list) or not all(isinstance(resource, dict) for resource in resources):
        return "no list of resources"
    faults = (
        fault_of(each) or ("" if inside(folder, each["path"]) else "a path that leaves the folder")
        for each in resources
    )
    document = descriptor.get("document", {})
    if not isinstance(document, dict) or not all(isinstance(each, str) for each in document.values()):
        return "a document that is no table of texts"
    return next(filter(None, faults), "") or fault_of_views(descriptor) or _runs_fault(descriptor)


def _runs_fault(descriptor):
    fault = fault_of_benchmarks(descriptor)
    return f"{fault.found} in benchmarks" if fault else ""


def fault_of(resource):
    """Say what keeps a resource of a descriptor from being a table at all, in one phrase, or nothing."""
    if not isinstance(resource.get("name"), str) or not isinstance(resource.get("path"), str):
        return "a resource without name or path"
    schema = resource.get("schema")
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not fields:
        return f"no schema with a list of fields for {resource['name']!r}"
    if not all(isinstance(field, dict) and isinstance(field.get("name"), str) for field in fields):
        return f"a field without a name in the schema of {resource['name']!r}"
    wrong = (
        f"{name} {resource[name]!r} of {resource['name']!r}"
        for name in resource
        if not _OURS.get(name, _any)(resource[name])
    )
    return next(wrong, "")


def fault_of_name(name):
    """Say what keeps a folder's name from being the first part of ids and file names, or nothing."""
    return "" if _NAME.fullmatch(name) else repr(name)


def fault_of_views(descriptor):
    """Say what keeps the views of a descriptor with good resources from being laid out, in one phrase, or nothing."""
    views = descriptor.get("views", {})
    if not isinstance(views, dict):
        return "views that are no table of names"
    columns = {each["name"]: {field["name"] for field in each["schema"]["fields"]} for each in descriptor["resources"]}
    for name, view in views.items():
        known = columns.get(view.get("of")) if isinstance(view, dict) and isinstance(view.get("of"), str) else None
        where = view.get("where") if known else None
        if not isinstance(where, dict) or not {*where, str(view.get("rows")), str(view.get("across"))} <= known:
            return f"no table, or columns that it does not have, in the view {name!r}"
    return ""


def fault_of_benchmarks(descriptor):
    """Return what keeps the ``benchmarks`` of a descriptor with good resources from being runs, or None.

    They are blocks as in our own ``benchmarks.toml``; a table is named with or without the folder's name before it.
    """
    blocks = descriptor.get("benchmarks", [])
    if fault := fault_in("benchmarks", blocks):
        return fault
    tables = {each["name"]: {field["name"] for field in fields_of(each)} for each in descriptor["resources"]}
    for k, block in enumerate(blocks):
        name = block["table"].rpartition("/")[2]
        if name not in tables:
            return Fault((k, "table"), f"one of {', '.join(tables)}", f"no table {block['table']!r}", _NAMED)
        for column in (*block.get("columns", {}).values(), *block.get("where", {})):
            if column not in tables[name]:
                expected = f"one of {', '.join(sorted(tables[name]))}"
                return Fault((k,), expected, f"no column {column!r} in {name!r}", _NAMED)
    return None


_NAMED = "Name a table of the folder, and columns that it has."


def _any(value):
    return True


def _texts(value):
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _steps(value):
    numbers = value.values() if isinstance(value, dict) else [None]
    return all(
        isinstance(each, (int, float)) and not isinstance(each, bool) and 0 < each < float("inf") for each in numbers
    )


# Properties of a table that are ours, beside those of the standard, and what they must be.
_OURS = dict.fromkeys(("title", "number", "locator"), lambda value: isinstance(value, str)) | {
    "notes": _texts,
    "assigned": _texts,
    "resolution": _steps,
}
