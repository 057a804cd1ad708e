"""The vocabulary: what every column name means, and its unit."""

from dominoperf.catalog.folders import our_file
from dominoperf.errors import UnknownName

OF_ITS_ROW = ("row", "axis")
"""Units that the vocabulary leaves to the row of a number, or to the axis that it is drawn on."""


def vocabulary():
    """Give every column name used anywhere: a dict of name to its unit, where it has one, and meaning."""
    return our_file("columns.toml")


def units():
    """Give the unit of every column of the vocabulary that holds numbers, by name."""
    return {name: known["unit"] for name, known in vocabulary().items() if "unit" in known}


def label(name):
    """Say what a column holds, for an axis or a sentence: its label, or its name in words with the unit."""
    known = vocabulary().get(name, {})
    words, unit = name.replace("_", " "), known.get("unit", "")
    return known.get("label") or (words if unit in ("", "1") or unit in words else f"{words} ({unit})")


def meanings():
    """Give what every column of the vocabulary means, by name, with its unit."""
    units_ = {name: f" ({unit})" if unit not in ("1", *OF_ITS_ROW) else "" for name, unit in units().items()}
    return {name: known["meaning"] + units_.get(name, "") for name, known in vocabulary().items()}


def check_columns(frame, needed, where, *, hint=""):
    """Refuse a frame that lacks a column; `hint` is a further sentence of help.

    Raises
    ------
    UnknownName
        When one of the needed columns is not there.
    """
    for name in needed:
        if name not in frame:
            listing = f"Columns are {', '.join(map(str, frame.columns))}. {hint}".strip()
            raise UnknownName.among(f"column of {where}", name, frame.columns, listing)
