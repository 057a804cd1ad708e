"""The vocabulary: what every column name means, and its unit."""

import re

from dominoperf.errors import UnknownName
from dominoperf.tables.folders import document, our_file

USER = "user"
"""What a user is called where nothing more is known, and the key of the word in the ``attrs`` of a frame."""
_A_USER = re.compile(rf"\b{USER}(?=s?\b)")
OF_ITS_ROW = ("row", "axis")
"""Units that the vocabulary leaves to the row of a number, or to the axis that it is drawn on."""


def vocabulary():
    """Return every column name used anywhere: a dict of name to its unit, where it has one, and meaning."""
    return our_file("columns.toml")


def units():
    """Return the unit of every column of the vocabulary that holds numbers, by name."""
    return {name: known["unit"] for name, known in vocabulary().items() if "unit" in known}


def label(name, user=USER):
    """Say what a column holds, for an axis or a sentence: its label, or its name in words with the unit.

    Parameters
    ----------
    name : str
        Of a column.
    user : str
        What a user is called where the numbers come from, see `user_of`.

    Examples
    --------
    >>> label("users"), label("users", "NotesBench user"), label("users", "client")
    ('users', 'NotesBench users', 'clients')
    """
    known = vocabulary().get(name, {})
    words, unit = name.replace("_", " "), known.get("unit", "")
    words = known.get("label") or (words if unit in ("", "1") or unit in words else f"{words} ({unit})")
    return _A_USER.sub(user, words)


def user_of(data):
    """Say what a user is called where numbers come from: "NotesBench user", "client", or no more than "user".

    Parameters
    ----------
    data : DataFrame or str
        A frame that carries the word in its ``attrs`` (those of `load`, of series and of `read` do) or has a
        column `source`, all of whose documents played users with one tool; or a source, or the id of a table of one.
    """
    if isinstance(data, str):
        return _user_in(data.partition("/")[0])
    if USER in data.attrs:
        return data.attrs[USER]
    names = {_user_in(source) for source in data["source"].unique()} if "source" in data else set()
    return names.pop() if len(names) == 1 else USER


def _user_in(source):
    """A frame of one's own may have a column `source` that names no document."""
    try:
        tool = document(source).get("benchmark")
    except UnknownName:
        return USER
    return f"{tool} {USER}" if tool else USER


def meanings():
    """Return what every column of the vocabulary means, by name, with its unit."""
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
