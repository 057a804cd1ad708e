"""Columns of a file of one's own: which of ours each is, in what unit, and whether a test measures it."""

from dataclasses import dataclass

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, spelling
from dominoperf.loadtests.readers import resources
from dominoperf.tables.columns import COUNTED, OF_ITS_ROW, column_unit_factor, heading_and_unit, known_unit

_SPELLINGS = {"%": "percent", "msec": "ms", "msecs": "ms", "sec": "s", "secs": "s", "usec": "us", "users": "user"}
_COUNTS = ("1", *OF_ITS_ROW, *COUNTED)  # need no unit named
_PLACES = ("line", "time_s", "from_s", "to_s", "test_time_s", "threads")  # of a sample or run, not measured in it
_PLAIN = ("load", "throughput", "utilization", "cpu_utilization", "client_drivers", "failures", "requests", "run_queue",
          "test_errors", "test_failures", "test_warnings", "transactions")  # fmt: skip
"""Columns without a unit that are measures all the same."""
_UNSIGNED = ("user", "s", "1/s", "tps", "tpm")  # units of loads, responses and rates
_SMALLER = ("ms", "us", "ns")  # units that a name in seconds may end in instead
_OFTEN = {"s": "ms", "1": "percent"}  # in what a column of ours is often recorded, where not in its own unit


@dataclass(frozen=True)
class Column:
    """A column of a file: its position, our name, and the factor of its numbers; no factor for text."""

    source: str
    name: str
    factor: float | None


def is_mapped_measure(name):
    """Return whether a name is that of a load, a throughput, a response or a use: what a table is read for."""
    unit = tables.vocabulary().get(name, {}).get("unit")  # of every name of a file: too often for a dict of all units
    return unit is not None and name not in _PLACES and (name in _PLAIN or unit not in ("1", *OF_ITS_ROW))


def is_unsigned_measure(name):
    """Return whether a name is that of a measure that cannot be below zero."""
    return is_mapped_measure(name) and (name in (*_PLAIN, *resources.COLUMNS) or tables.units()[name] in _UNSIGNED)


def heading_without_unit(header):
    """Return the name and the unit of ``response (ms)``; the unit is None where none is named."""
    text = header.strip()
    if text.endswith("%"):
        return text[:-1].rstrip(), "%"
    name, unit = heading_and_unit(text)
    return name, unit or None


def columns_of_file(headers, mapping, where):
    """Choose the columns of a file that are ours.

    Parameters
    ----------
    headers : list of str
    mapping : dict
        Header, with or without its unit, to our name; the name may be followed by the unit of the file's numbers:
        ``{"elapsed": "response_s[ms]"}``. A header that is one of our names needs no mapping, nor one that is it in a
        smaller unit: ``time_ms`` is ``time_s``.
    where : str
        The file, for messages.

    Returns
    -------
    chosen : list of Column
    others : list of str
        Headers of no column of ours.

    Raises
    ------
    UnknownName
        When the mapping names a header that is not there, or a name that is not ours.
    BadTable
        When a unit is not known or not of the kind, or two columns are the same of ours.
    """
    mapped = {}
    for name, text in mapping.items():
        same = [header for header in headers if header == name] or [
            h for h in headers if heading_without_unit(h)[0] == name
        ]
        if len(same) != 1:
            listing = "Its columns are" if not same else "More than one column has that name; give one of"
            place = f"{where}, {spelling('a key of the mapping', 'what stands before = in --map')}"
            raise UnknownName.among(place, name, headers, f"{listing} {', '.join(headers)}.")
        mapped[same[0]] = text
    for header in headers:  # time_ms is our time_s
        name, _, unit = header.rpartition("_")
        ours = f"{name}_s"
        known = header in mapped or header in tables.vocabulary() or ours in headers
        if unit in _SMALLER and ours in tables.units() and not known:
            mapped[header] = f"{ours}[{unit}]"
    chosen, others = [], []
    for header in headers:
        if header not in mapped and header not in tables.vocabulary():
            others.append(header)
            continue
        name, unit = mapping_target(mapped[header]) if header in mapped else (header, None)
        if name not in tables.units() and unit is None:
            chosen.append(Column(header, name, None))
        elif header == name and unit is None:
            chosen.append(Column(header, name, 1.0))
        else:
            chosen.append(
                Column(header, name, factor_to_our_unit(unit or heading_without_unit(header)[1], name, header, where))
            )
    names = [column.name for column in chosen]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        remedy = "Map each to a name of its own."
        raise BadTable(where, expected="every column once", found=f"{twice[0]} more than once", remedy=remedy)
    return chosen, others


def mapping_targets(mapping):
    """Return our names of numbers that are mapped: who names one wants it, whatever it is."""
    return {mapping_target(text)[0] for text in mapping.values()} & set(tables.units())


def mapping_target(text):
    """Return our name in ``response_s[ms]``, which must be in the vocabulary, and the unit or None.

    Examples
    --------
    >>> mapping_target("response_s[ms]"), mapping_target("users")
    (('response_s', 'ms'), ('users', None))
    """
    name, unit = heading_without_unit(text)
    if name not in tables.vocabulary():
        listing = "data/columns.toml lists the names; NAME[unit] says the unit of the file's numbers."
        place = spelling("a value of the mapping", "what stands after = in --map")
        raise UnknownName.among(place, name, tables.vocabulary(), listing)
    return name, unit


def factor_to_our_unit(unit, name, source, where):
    """Return what numbers in `unit` are multiplied with to be those of our column `name`; a GB of memory is 1,024 MB.

    Raises
    ------
    BadTable
        When the unit is missing, not known, or of another kind.
    """
    import pint

    wanted = tables.units().get(name)
    place = f"{where}, column {source!r}"
    if wanted is None:
        remedy = f"Leave the unit away: {_mapping_as_typed(source, name)}."
        raise BadTable(place, expected="a name of a column of numbers", found=f"{name}, of texts", remedy=remedy)
    often = _OFTEN.get(wanted, wanted)
    if wanted in _COUNTS:
        remedy = f"It is a count, and needs no unit: {_mapping_as_typed(source, name)}."
    else:
        other = "" if often == wanted else f" where they are {often}; any unit that goes into {wanted} will do"
        remedy = f"Name the unit of the file's numbers: {_mapping_as_typed(source, f'{name}[{often}]')}{other}."
    if unit is None:
        if wanted in _COUNTS:
            return 1.0
        raise BadTable(place, expected=f"a unit, to be {name} in {wanted}", found="none", remedy=remedy)
    spelt = _SPELLINGS.get(unit, unit)
    if wanted in OF_ITS_ROW or not known_unit(spelt):
        raise BadTable(place, expected=f"a unit that goes into {wanted}", found=repr(unit), remedy=remedy)
    try:
        return column_unit_factor(name, spelt, wanted)
    except pint.errors.PintError as error:
        raise BadTable(place, expected=f"a unit that goes into {wanted}", found=repr(unit), remedy=remedy) from error


def _mapping_as_typed(source, target):
    return spelling(f"mapping={{{source!r}: {target!r}}}", f"--map '{source}={target}'")
