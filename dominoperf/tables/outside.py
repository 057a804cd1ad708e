"""A user's columns beside our vocabulary: which contradict it, and which it does not know."""

import json
from pathlib import Path

import pandas as pd

from dominoperf.tables.columns import OF_ITS_ROW, vocabulary
from dominoperf.tables.descriptors import DESCRIPTOR, fields_of
from dominoperf.tables.folders import packages
from dominoperf.tables.naming import sure_meaning
from dominoperf.tables.printed import is_number
from dominoperf.tables.problems import COLUMNS, problem
from dominoperf.tables.questions import is_question
from dominoperf.tables.unit_signs import factor_of, fits, known_unit


def contradictions(name, resource):
    """Return a problem for every field that is called one of our columns, or said to be one, and cannot be.

    Parameters
    ----------
    name : str
        What the problems call the descriptor.
    resource : dict
        A table with usable fields.
    """
    found, seen = [], {}
    for field in fields_of(resource):
        said, meaning = field.get("as"), sure_meaning(field)
        if said and not is_question(said) and not meaning:
            remedy = "Write a name of our vocabulary (data/columns.toml), or remove `as`."
            found.append(problem(name, None, field["name"], "a column of the vocabulary", repr(said), remedy))
        if meaning and meaning in seen:
            remedy, found_ = "Remove `as` from one of them.", f"{meaning!r} also in {seen[meaning]!r}"
            found.append(problem(name, None, field["name"], "a meaning of its own", found_, remedy))
        found += _unit(name, field, meaning)
        seen.setdefault(meaning, field["name"])
    return found


def notes(folder):
    """Return what is worth knowing of a data folder and no mistake, as problems: file, column, expected, found, remedy.

    Of a column that our vocabulary does not have: that it is shown under its own unit and description. Of one of ours
    in another unit: what `benchmarks` makes of it, and what would have to be done to the file.
    """
    rows = []
    for path in packages(folder):
        descriptor = json.loads((path / DESCRIPTOR).read_text(encoding="utf-8"))
        for resource in descriptor["resources"]:
            file = (path / resource["path"]).relative_to(Path(folder)).as_posix()
            rows += [note for field in fields_of(resource) for note in _notes(file, field)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _unit(name, field, meaning):
    """A unit that measures something else than our column does."""
    ours, unit = vocabulary().get(meaning, {}).get("unit", ""), field.get("unit")
    told = not is_number(field) or not ours or ours in OF_ITS_ROW or not unit or is_question(unit)
    if told or not known_unit(unit) or fits(unit, ours):
        return []
    remedy = f"Mend the unit, or the name: {meaning!r} is a column of our vocabulary."
    return [problem(name, None, field["name"], f"a unit that can be {ours}", repr(unit), remedy)]


def _notes(file, field):
    """What a user may want to know of a column that is none of ours, or is ours in another unit."""
    meaning, unit = sure_meaning(field), field.get("unit", "")
    if not meaning:
        expected, found = "a column of our vocabulary", "one of its own"
        remedy = "Nothing has to be done: it is shown with its own unit and description."
        return [problem(file, 1, field["name"], expected, found, remedy)]
    ours = vocabulary()[meaning].get("unit", "")
    if not is_number(field) or not ours or ours in OF_ITS_ROW or unit == ours or is_question(unit):
        return []
    if not fits(unit, ours):  # told by the check
        return []
    times = f"{factor_of(meaning, unit, ours):.6g}"
    if times == "1":
        return []
    remedy = (
        f"Nothing has to be done: benchmarks() gives {meaning} in {ours}. A fit to the table itself finds it only when "
        f"a copy of the file has a column {meaning}, with the cells times {times}."
    )
    return [problem(file, 1, field["name"], f"{meaning} in {ours}", unit, remedy)]
