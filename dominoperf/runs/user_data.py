"""The runs of data folders of the user's: what the descriptor of a folder says of its tables, as blocks like ours.

``"benchmarks": [{"table": "runs"}]`` in a ``datapackage.json`` says that the rows of a table are runs; a block may say
whatever one of our ``benchmarks.toml`` may. A field with ``"as": "response_s"`` is that column of ours; a field with a
name of ours needs no such word, and one of neither kind is shown under its own name.
"""

from dominoperf import tables
from dominoperf.errors import BadTable
from dominoperf.tables.folders import fields_of, package

_KINDS = ("measured",)
# Of a row, not of a run; and what `benchmarks` itself says of a run.
_NOT_OF_RUNS = ("unit", "qualifier", "locator", "run", "source", "basis")


def own_blocks():
    """List the blocks of the folders in use that are not ours, with every column of their tables.

    Raises
    ------
    BadTable
        When a table is not of measured values, or two tables have a column outside the vocabulary in different units.
    """
    found = [_block(block, folder) for folder in tables.foreign() for block in package(folder).get("benchmarks", ())]
    _one_unit(found)
    return found


def meaning_of(field):
    """Return the column of ours that a field of a descriptor is, or its own name; a question left open is no answer."""
    said = field.get("as", "")
    return said if said and said in tables.vocabulary() else field["name"]


def told(block, error):
    """Make the error for a block that cannot be read as runs."""
    found = f"{type(error).__name__}: {error}"
    remedy = f"Run `dominoperf check` on the folder of {block['table'].partition('/')[0]!r}, and mend its `benchmarks`."
    return BadTable(f"benchmarks, {block['table']}", expected="a table of runs", found=found, remedy=remedy)


def _block(block, folder):
    """A block with whole ids and all columns."""
    resource = _resource(block, folder)
    whole = {"table": f"{folder.name}/{resource['name']}", "own": True}
    if resource.get("kind", "measured") not in _KINDS:
        remedy = "Take the table out of `benchmarks`, or mend its kind."
        expected, found = "a table of kind measured", f"kind {resource['kind']!r}"
        raise BadTable(f"benchmarks, {whole['table']}", expected=expected, found=found, remedy=remedy)
    if "joins" in block:
        whole["joins"] = _id(block["joins"], folder)
    if "facts" in block:
        whole["facts"] = [each | {"table": _id(str(each.get("table", "")), folder)} for each in block["facts"]]
    if "metrics" in block:
        return block | whole
    return block | whole | {"columns": _columns(resource) | block.get("columns", {})}


def _resource(block, folder):
    name = block["table"].rpartition("/")[2]
    return next(each for each in package(folder)["resources"] if each["name"] == name)


def _id(name, folder):
    return name if "/" in name else f"{folder.name}/{name}"


def _columns(resource):
    """Every column of a table by the name that `benchmarks` gives it: first the processor, which others may refine."""
    known = {meaning_of(field): field["name"] for field in fields_of(resource)}
    first = {"processor": known["processor"]} if "processor" in known else {}
    return first | {name: heading for name, heading in known.items() if name not in _NOT_OF_RUNS}


def _one_unit(blocks):
    """Two tables cannot share a column of their own in two units: nobody could say what stands in it."""
    seen, vocabulary = {}, tables.vocabulary()
    for block in blocks:
        columns = tables.describe(block["table"]).columns.set_index("column")["unit"]
        for name, heading in block.get("columns", {}).items():
            unit = columns[heading]
            other, where = seen.setdefault(name, (unit, block["table"]))
            if name not in vocabulary and unit != other:
                expected, found = f"{name!r} in {other or 'words'}, as in {where}", unit or "words"
                remedy = "Give the column another name, or convert it."
                raise BadTable(f"{block['table']}, column {name}", expected=expected, found=found, remedy=remedy)
