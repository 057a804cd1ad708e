"""What the heading of a column says: which column of our vocabulary it is, and in which unit."""

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from dominoperf.errors import BadTable, UnknownName
from dominoperf.tables.columns import OF_ITS_ROW, vocabulary
from dominoperf.tables.questions import asked, is_question
from dominoperf.tables.unit_signs import COUNTED, fits, in_brackets, known_unit

_WORD = re.compile(r"[^\W_]+")
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")  # responseTime
_LONGEST = 4  # words of a unit
_SIGNS = {"%": "percent", "$": "USD", "KB": "kB", "MB": "MB", "GB": "GB"}


@dataclass(frozen=True)
class Heading:
    """What is known of a column beside its heading: whether it holds numbers, with which sign, what the user said."""

    name: str
    numeric: bool
    whole: bool = True  # every number is a whole one
    sign: str = ""
    unit: str = ""
    as_: str = ""


def field_of(heading, taken=()):
    """Return unit, ``as`` and description of a field; what cannot be told is a question.

    Parameters
    ----------
    heading : Heading
    taken : collection of str
        Columns of the vocabulary that other columns of the table are.

    Raises
    ------
    BadTable
        When what the user said does not fit the vocabulary.
    """
    _check_said(heading)
    known = vocabulary()
    if heading.name in known and known[heading.name].get("unit") not in OF_ITS_ROW:
        return _of_ours(heading, known[heading.name])
    unit = heading.unit or _unit_of(heading)
    sure, perhaps = _meaning(heading, unit, taken)
    if sure:
        return _of_meaning(heading, unit, sure)
    own = {"unit": unit or _unit_question(heading.name)} if heading.numeric else {}
    if perhaps:
        text = f"{perhaps!r} if {heading.name!r} is that ({known[perhaps]['meaning']}), else no `as` at all"
        own["as"] = asked(text)
    return own | {"description": repr(heading.name) if is_question(heading.name) else heading.name}


def sure_meaning(field):
    """Return the column of the vocabulary that a field is by name, or is said to be; nothing where it is none."""
    name = field.get("as") or field["name"]
    return name if isinstance(name, str) and name in vocabulary() else ""


def words_of(name):
    """Return a heading as words joined by ``_`` without its unit, the unit as pint reads it, and all words together."""
    before, bracket = in_brackets(name)
    base = _joined(before)
    if bracket:
        said = _joined(bracket)
        unit = _units().get(said) or (bracket if known_unit(bracket) else "")
        return base, unit if said != "min" else "", f"{base}_{said}"
    words = base.split("_")
    for first in range(max(1, len(words) - _LONGEST), len(words)):
        unit = _units().get("_".join(words[first:]))
        if unit:
            return "_".join(words[:first]), unit, base
    return base, _units().get(base, ""), base


def _joined(text):
    spelt = _HUMPS.sub(" ", text).replace("%", " percent ").replace("$", " usd ")
    return "_".join(word.lower() for word in _WORD.findall(spelt))


def _check_said(heading):
    """Refuse a unit or a meaning that nobody knows, or that contradict each other."""
    known, where = vocabulary(), f"column {heading.name!r}"
    if heading.unit and not known_unit(heading.unit):
        remedy = "Write it as pint does: s, ms, MB, GB, percent, user, USD/user, 1."
        raise BadTable(f"--unit, {where}", expected="a unit that pint knows", found=repr(heading.unit), remedy=remedy)
    if heading.as_ and heading.as_ != heading.name and heading.as_ not in known:
        listing = "See data/columns.toml for the vocabulary; COLUMN=COLUMN says that it is none of ours."
        raise UnknownName.among(f"--as, {where}", heading.as_, known, listing)
    ours = known.get(heading.as_ or heading.name, {}).get("unit", "")
    if heading.as_ and heading.name in known and heading.name != heading.as_:
        remedy = "Leave out --as, or rename the column in a copy of the file."
        found = f"{heading.as_!r}, while the name itself is one of ours"
        raise BadTable(f"--as, {where}", expected=repr(heading.name), found=found, remedy=remedy)
    if not heading.unit or not ours or ours in OF_ITS_ROW:  # "row" and "axis" are no units: there any one will do
        return
    if not (heading.unit == ours if heading.name in known else fits(heading.unit, ours)):
        name = heading.as_ or heading.name
        remedy = f"Leave out --unit, or rename the column in a copy of the file: {name} has {ours}."
        raise BadTable(f"--unit, {where}", expected=repr(ours), found=repr(heading.unit), remedy=remedy)


def _of_ours(heading, known):
    """A column by exact name: it has our unit and meaning."""
    if "unit" in known:
        return ({"unit": known["unit"]} if heading.numeric else {}) | {"description": known["meaning"]}
    if heading.numeric and not heading.whole:
        text = f"whether {heading.name!r} holds what it means here ({known['meaning']}); if not, another name"
        return {"description": asked(text)}
    return {"description": known["meaning"]}


def _of_meaning(heading, unit, meaning):
    """A column that is one of ours under another name."""
    known = vocabulary()[meaning]
    ours = known.get("unit", "")
    if not heading.numeric or not ours:
        return {"as": meaning, "description": known["meaning"]}
    plain = ours if ours in (*COUNTED, "1") or heading.as_ else ""
    unit = unit or plain or _unit_question(heading.name, f"{meaning} is in {ours}")
    return {"unit": unit, "as": meaning, "description": known["meaning"]}


def _meaning(heading, unit, taken):
    """Which column of ours it surely is, and which it perhaps is; one said to be itself is none."""
    if heading.as_:
        return ("" if heading.as_ == heading.name else heading.as_), ""
    if heading.name in vocabulary():
        return "", ""
    base, _, whole = words_of(heading.name)
    sure, perhaps = (_reading(kind, whole) or _reading(kind, base) for kind in ("columns", "perhaps"))
    sure = next((each for each in (whole, base) if each in _synonyms()["columns"]), sure)
    free = [each if each not in taken and _can_be(each, unit, heading) else "" for each in (sure, perhaps)]
    return free[0], free[1]


def _can_be(meaning, unit, heading):
    """Whether the cells and the unit allow it."""
    ours = vocabulary().get(meaning, {}).get("unit", "")
    return bool(meaning) and bool(ours) == heading.numeric and (not unit or not ours or fits(unit, ours))


def _unit_of(heading):
    return _SIGNS.get(heading.sign, "") or words_of(heading.name)[1]


def _unit_question(name, more="1 for a plain count or ratio"):
    return asked(f"the unit of {name!r}, as pint writes it: s, ms, MB, percent...; {more}")


def _reading(kind, words):
    return next((name for name, others in _synonyms()[kind].items() if words in others), "")


@functools.cache
def _synonyms():
    return tomllib.loads((Path(__file__).parent / "synonyms.toml").read_text(encoding="utf-8"))


@functools.cache
def _units():
    """The words for a unit to the unit."""
    return {word: unit for unit, words in _synonyms()["units"].items() for word in words}
