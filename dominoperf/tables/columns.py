"""The vocabulary: what every column name means, and its unit; units as pint reads them."""

import functools
import re
import tomllib
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

import pandas as pd

from dominoperf.errors import BadTable, UnknownName, as_python, names_its_keywords, spelling
from dominoperf.tables.folders import cached_until_file_changes, document, our_toml_file, path_of_our_file

USER = "user"
"""What a user is called where nothing more is known, and the key of the word in the ``attrs`` of a frame."""
_A_USER = re.compile(rf"\b{USER}(s?)\b")
OF_ITS_ROW = ("row", "axis")
"""Units that the vocabulary leaves to the row of a number, or to the axis that it is drawn on."""

_LONGEST = 100  # characters of a unit: pint takes a second over some thousands
_FREE = ("1", *OF_ITS_ROW)  # units that pint need not know
# Names joined by * and /, each to a small power: what pint would compute (9**9**9) or run is refused before it sees it.
_NAME = r"[^\W\d]\w*(?:(?:\*\*|\^)-?\d)?"
_SHAPE = re.compile(rf"(?:1\s*/\s*)?{_NAME}(?:\s*[*/]\s*{_NAME})*")
_CURRENCY = re.compile(r"[A-Z]{3}")
COUNTED = ("user", "person", "processor", "server", "drive", "database")  # a plain count may be one of these
_MEMORY = ("ram_mb", "l2_kb", "ram_free_mib", "ram_available_mib", "process_ram_mib")
_BINARY = {"kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB"}
# What a printed number carries, and the units that it may stand for.
_SIGNS = {"$": ("USD",), "%": ("percent",), "KB": ("kB", "KiB"), "MB": ("MB", "MiB"), "GB": ("GB", "GiB")}


def vocabulary() -> dict[str, dict]:
    """Return every column name used anywhere: a dict of name to its meaning, its unit if it has one, and more."""
    return our_toml_file("columns.toml")


def units() -> dict[str, str]:
    """Return the unit of every column of the vocabulary that holds numbers, by name; nothing in it is to be changed."""
    return _units(path_of_our_file("columns.toml"))


@cached_until_file_changes
def _units(_path):
    return {name: column["unit"] for name, column in vocabulary().items() if "unit" in column}


@names_its_keywords()
def label(name: str, user: str = USER) -> str:
    """Say what a column holds, for an axis or a sentence: its label, or its name in words with the unit.

    Parameters
    ----------
    name : str
        Of a column.
    user : str
        What a user is called where the numbers come from, see `user_of`.

    Raises
    ------
    BadTable
        When one of them is no text.

    Examples
    --------
    >>> label("users", "NotesBench user"), label("users", "client"), label("response_s")
    ('NotesBench users', 'clients', 'response time (s)')
    """
    for where, text in (("label(name)", name), ("label(user=...)", user)):
        if not isinstance(text, str):
            remedy = "Give the name of a column, as text."
            raise BadTable(where, expected="a text", found=as_python(text), remedy=remedy)
    column = vocabulary().get(name, {})
    words, unit = _PER_S.sub(" per second", name.replace("_", " ")), column.get("unit", "")
    if unit.endswith(("/s", "/hour")) and words.endswith((" per second", " per hour")):
        unit = ""  # the words have it
    words = column.get("label") or (words if unit in ("", "1") or unit in words else f"{words} ({unit})")
    return _A_USER.sub(lambda match: plural_of_user(user) if match[1] else user, words)


def plural_of_user(user):
    """Return the plural of what a user is called, as `user_of` has it: "clients", "requests per second"."""
    return re.sub(r"(?= per |$)", "s", user, count=1)


def is_rate_of_requests(user):
    """Tell whether a load counts no users but requests a second, as `user_of` calls them: an open test offers these."""
    return "request" in user


def singular_of_users(users):
    """Return what one of the users is called: "client", "request per second"."""
    return re.sub(r"s(?= per |$)", "", users, count=1)


_PER_S = re.compile(r" per s$")
_UNIT_SIGNS = {"percent": "%", "kB": "KB", "KiB": "KB", "byte/s": "bytes/s", "min": "minutes"}
_ENDS = ("per_s", "s", "ms", "tps", "tpm", "usd", "percent", "gb", "mb", "mib", "kb", "mhz", "min")  # of names: units
_SHORT = {
    "cpu": "CPU", "ram": "memory", "l2": "L2 cache", "mhz": "MHz", "raid": "RAID", "aicc": "AICc", "p": "p-value",
    "dof": "degrees of freedom", "std": "standard", "n": "number of", "params": "parameters", "loo": "left-out",
    "p95": "95th percentile", "id": "identifier", "notesmark": "NotesMark", "locator": "printed in",
}  # fmt: skip

_COMPARED = re.compile(r" (baseline|comparison)$")  # one of two numbers that a row compares


def column_heading(name):
    """Return what the heading of a column says to a reader: its heading, or its name in words, the unit in brackets.

    Examples
    --------
    >>> [column_heading(name) for name in ("response_s", "cpu_utilization_percent", "loo_log_error", "users_baseline")]
    ['Response (s)', 'CPU utilization (%)', 'Left-out error (log)', 'Users, baseline']
    """
    if given := vocabulary().get(name, {}).get("heading"):
        return given
    unit, words = vocabulary().get(name, {}).get("unit", ""), name
    unit = "" if unit in _FREE or unit in COUNTED else _UNIT_SIGNS.get(unit, unit)
    end = next((end for end in _ENDS if unit and name.endswith(f"_{end}")), "")
    words = " ".join(_SHORT.get(word, word) for word in name.removesuffix(f"_{end}").split("_"))
    words = _COMPARED.sub(r", \1", words)
    words += f" ({unit.removesuffix('/user') if 'per user' in words else unit})" if end else ""
    return words[:1].upper() + words[1:]


def key_in_words(key):
    """Return a key as a reader would say it: the heading of a column for its name, any other without underscores."""
    return column_heading(key) if key in vocabulary() else key.replace("_", " ")


@names_its_keywords()
def user_of(data: pd.DataFrame | str) -> str:
    """Say what a user is called where numbers come from: "NotesBench user", "client", or no more than "user".

    Parameters
    ----------
    data : DataFrame or str
        A frame with the word in its ``attrs`` (of `load`, of series, of `read`), or in a column `load_unit` (a curve),
        or with a column `source`, all of whose documents played users with one tool; or a source, or a table's id.

    Raises
    ------
    BadTable
        When it is neither a frame nor a text.
    """
    if isinstance(data, str):
        return _user_in(data.partition("/")[0])
    if not hasattr(data, "attrs"):
        expected, remedy = "a DataFrame, a source or the id of a table", "Give one of these."
        raise BadTable("user_of(data)", expected=expected, found=as_python(data), remedy=remedy)
    if USER in data.attrs:
        return data.attrs[USER]
    if "load_unit" in data and data["load_unit"].nunique() == 1:  # a curve, read back from a file
        return singular_of_users(str(data["load_unit"].iloc[0]))
    names = {_user_in(source) for source in data["source"].unique()} if "source" in data else set()
    return names.pop() if len(names) == 1 else USER


def _user_in(source):
    """A frame of one's own may have a column `source` that names no document."""
    try:
        tool = document(source).get("benchmark")
    except UnknownName:
        return USER
    return f"{tool} {USER}" if tool else USER


def names_are_listed() -> str:
    """Return where a user finds the names of our columns."""
    return spelling("tables.meanings() has all names", "`dominoperf ingest --formats` lists names")


def meanings() -> dict[str, str]:
    """Return what every column of the vocabulary means, by name, with its unit."""
    units_ = {name: f" ({unit})" if unit not in ("1", *OF_ITS_ROW) else "" for name, unit in units().items()}
    return {name: meaning_and_empty(column) + units_.get(name, "") for name, column in vocabulary().items()}


def meaning_and_empty(column):
    """Return what a column of the vocabulary means, and when its cells may be empty."""
    return column["meaning"] + (f"; empty: {column['empty']}" if "empty" in column else "")


def meaning_of(field):
    """Return the column of the vocabulary that a field of a descriptor is, by ``as`` or by name; "" where none."""
    name = field.get("as") or field["name"]
    return name if isinstance(name, str) and name in vocabulary() else ""


def check_columns(frame, needed, where, *, hint=""):
    """Refuse a frame that lacks a needed column (`UnknownName`), or has two of that name (`BadTable`).

    `hint` is a further sentence of help.
    """
    for name in needed:
        listing = f"Columns are {', '.join(map(str, frame.columns))}. {hint}".strip()
        if not isinstance(name, Hashable):
            found = f"a {type(name).__name__}"
            raise UnknownName(f"column of {where}", expected="the name of a column", found=found, remedy=listing)
        if name not in frame:
            raise UnknownName.among(f"column of {where}", name, frame.columns, listing, "one that is there")
        if list(frame.columns).count(name) > 1:
            remedy = "Rename one of them."
            raise BadTable(where, expected="every column once", found=f"{name!r} twice", remedy=remedy)


def column_names(names, where, *, least=0):
    """Return the names of columns that somebody gave as a list: one by its name alone, or several, `least` or more.

    A `BadTable` where they are no names, too few, or one twice.
    """
    several = isinstance(names, Iterable) and not isinstance(names, Mapping)
    listed_names = [names] if isinstance(names, str) else list(names) if several else None
    if listed_names is None or len(listed_names) < least:
        remedy = "Name columns of the table."
        raise BadTable(where, expected="the name of a column, or a list of them", found=as_python(names), remedy=remedy)
    if twice := [name for place, name in enumerate(listed_names) if name in listed_names[:place]]:
        raise BadTable(
            where, expected="every column once", found=f"{twice[0]!r} twice", remedy="Leave one of them out."
        )
    return listed_names


def check_group_columns(groups, answer, where):
    """Refuse columns of groups that have the name of a column of the answer: one of the two would be lost."""
    if shared := [name for name in groups if name in answer]:
        expected, remedy = "a name that no column of the answer has", "Rename that column of the data."
        raise BadTable(where, expected=expected, found=as_python(shared[0]), remedy=remedy)


def known_unit(unit):
    """Tell whether pint, with the units of the field, can read `unit`."""
    text = str(unit)
    if text in OF_ITS_ROW or text in _usual_units():
        return True
    if len(text) > _LONGEST or not _SHAPE.fullmatch(text):
        return False
    try:
        _unit_registry().parse_units(text)
    except Exception:  # pint raises many kinds, from its own to those of the tokenizer: all mean the same here
        return False
    return True


def is_currency(unit):
    """Tell whether a unit is a currency: three capital letters."""
    return bool(_CURRENCY.fullmatch(unit)) and known_unit(unit)


def sign_fits(sign, unit):
    """Tell whether a number printed with ``$``, ``%``, ``KB``... can be one in `unit`; dollars may be per user."""
    return not sign or str(unit).partition("/")[0].strip() in _SIGNS.get(sign, ())


@functools.cache
def unit_factor(unit, wanted):
    """Return what a number in `unit` is multiplied with to be one in `wanted`.

    `pint.DimensionalityError` or `ValueError` where the two measure different things.
    """
    if unit == wanted or (unit == "1" and wanted in COUNTED):
        return 1.0
    (kind, size), (other, wanted_size) = (_usual_units().get(each, ("", 1.0)) for each in (unit, wanted))
    if kind and kind == other:
        return size / wanted_size
    if not known_unit(unit):  # pint would take minutes over a long one, or fail in ways of its own
        raise ValueError(f"no unit that is known: {unit[:_LONGEST]}")
    one, target = (_unit_registry().Quantity(1.0, each) for each in (unit, wanted))
    roots = [each.to_root_units().units for each in (one, target)]
    if one.check(target.dimensionality) and roots[0] != roots[1]:  # pint has bits and radians as plain numbers
        raise ValueError(f"{unit} are no {wanted}")
    return float(one.to(wanted).magnitude)


def factor_to_per_second(rate):
    """Return what a column of throughput is multiplied with to be operations per second."""
    return 1 / 60 if units().get(rate) == "tpm" else 1.0


def column_unit_factor(column, unit, wanted):
    """Return `unit_factor` for a column of the vocabulary, or `memory_unit_factor` where it is one of memory."""
    return (memory_unit_factor if column in _MEMORY else unit_factor)(unit, wanted)


def memory_unit_factor(unit, wanted):
    """Return `unit_factor` of memory, which counts in steps of 1,024, whatever its unit: a GB is 1,024 MB."""
    return unit_factor(_BINARY.get(unit, unit), _BINARY.get(wanted, wanted))


def unit_fits(unit, wanted):
    """Tell whether a number in `unit` can be one in `wanted`: both measure the same thing."""
    usual = _usual_units()
    try:
        if unit in usual and wanted in usual:
            return usual[unit][0] == usual[wanted][0] or (unit == "1" and wanted in COUNTED)
        return bool(unit_factor(unit, wanted))
    except (TypeError, AttributeError, ValueError):  # as pint tells that they differ, or that it knows no such unit
        return False


@functools.cache
def _usual_units():
    """Return the units that need no pint, each with the one that it is counted in, and how many of them it is."""
    kinds = tomllib.loads((Path(__file__).parent / "usual_units.toml").read_text(encoding="utf-8"))
    return {unit: (kind, size) for kind, sizes in kinds.items() for unit, size in sizes.items()}


@functools.cache
def _unit_registry():
    """The units of pint with those of the field, loaded when first needed."""
    import pint

    registry = pint.UnitRegistry(on_redefinition="ignore")  # a bit
    registry.load_definitions(Path(__file__).parent / "units.txt")
    return registry
