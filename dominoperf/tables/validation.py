"""What a person writes, held against the JSON Schema of its kind (``schemas/``): one validator for all.

A schema says, beside the words of the standard, what a message needs: ``expected`` in a reader's words, and ``remedy``.
"""

import functools
import json
from pathlib import Path
from typing import NamedTuple

from dominoperf.errors import BadTable, UnknownName, as_python

_KEY = "a known key"
_SCHEMAS = Path(__file__).parent / "schemas"


class SchemaFault(NamedTuple):
    """The first thing that is wrong: where in the value, what was expected and found, what to do."""

    path: tuple  # keys and positions that lead to it
    expected: str
    found: str
    remedy: str

    @property
    def locator(self):
        """The path in words: ``columns, users``; positions count from 1."""
        return ", ".join(f"number {step + 1}" if isinstance(step, int) else str(step) for step in self.path)


def schema_fault(kind, value):
    """Return the first `SchemaFault` of a value of some kind, which names a schema, or None.

    The value is as `tomllib` or `json` reads it; of a CSV file, a row as a dict of texts.
    """
    import fastjsonschema

    try:
        _compiled_validator(kind)(value)
        return None
    except fastjsonschema.JsonSchemaValueException as raised:
        error, schema = raised, _schema_of_kind(kind)
    path = tuple(int(step) if isinstance(step, str) and step.isdigit() else step for step in error.path[1:])
    remedy, below = schema.get("remedy", "Mend the file."), schema  # or one that is nearer to the place
    for step in path:
        named = below.get("properties", {})
        below = below.get("items") if isinstance(step, int) else named.get(step, below.get("additionalProperties"))
        below = below if isinstance(below, dict) else {}
        remedy = below.get("remedy", remedy)
    definition = error.definition
    remedy, keys = definition.get("remedy") or remedy, list(definition.get("properties", ()))
    closed = error.rule in ("additionalProperties", "required") and definition.get("additionalProperties") is False
    unknown = [key for key in error.value if key not in keys] if closed else []
    if unknown:  # of one that is needed, often, with a slip in its name
        remedy = UnknownName.among("", unknown[0], keys, remedy).remedy
        return SchemaFault(path, _KEY, repr(unknown[0]), remedy)
    if error.rule == "required":
        name = next(key for key in definition["required"] if key not in error.value)
        return SchemaFault(path, f"the key {name!r}", "none", remedy)
    return SchemaFault(path, definition.get("expected", "what the schema allows"), as_python(error.value), remedy)


def validate_by_schema(kind, value, where):
    """Refuse a value that its schema does not allow.

    `UnknownName` where it has a key that is not known, with the nearest that is; `BadTable` where something else is
    wrong with it.
    """
    fault = schema_fault(kind, value)
    if fault is None:
        return
    where = f"{where}, {fault.locator}" if fault.path else where
    raise (UnknownName if fault.expected == _KEY else BadTable)(
        where, expected=fault.expected, found=fault.found, remedy=fault.remedy
    )


def keys_needed_by_schema(kind):
    """Return the keys or columns that every value of a kind must have."""
    return tuple(_schema_of_kind(kind)["required"])


@functools.cache
def _schema_of_kind(kind):
    return json.loads((_SCHEMAS / f"{kind}.json").read_text(encoding="utf-8"))


@functools.cache
def _compiled_validator(kind):
    import fastjsonschema  # its messages are not used; jsonschema takes two seconds to import, and this none

    return fastjsonschema.compile(_schema_of_kind(kind), use_default=False, use_formats=False)
