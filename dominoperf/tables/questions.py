"""What `new` could not tell and left as a question in the descriptor: a text that begins with ``?``."""

import json

from dominoperf.tables.descriptors import fields_of
from dominoperf.tables.problems import problem

MARK = "?"
_OF_FIELD = {
    "unit": "Write the unit in place of the question (with `new`: --unit COLUMN=UNIT).",
    "as": "Write the name in place of the question, or remove the line (with `new`: --as COLUMN=NAME).",
    "decimalChar": "Write . or , in place of the question.",
    "description": "Write what the column holds; another name is given in the file and here.",
}
_OF_PACKAGE = {
    "title": "Write the title in place of the question (with `new`: --title TEXT).",
    "sources": "Write the source in place of the question (with `new`: --source TEXT).",
    "licenses": "Write the licence in place of the question (with `new`: --licence NAME).",
}


def asked(text):
    """Return a question as it stands in a descriptor; `text` is what is expected in its place."""
    return f"{MARK} {text}"


def is_question(value):
    """Tell whether a value of a descriptor is a question left open."""
    return isinstance(value, str) and value.startswith(MARK)


def questions(name, path, descriptor):
    """Return a problem for every question left open in a descriptor.

    Parameters
    ----------
    name : str
        What the problems call the file.
    path : Path
        The file, for the lines.
    descriptor : dict
        Its resources can be used.
    """
    lines, seen = path.read_text(encoding="utf-8").splitlines(), set()
    found = []
    for column, value, remedy in _open(descriptor):
        line = _line(lines, value, seen)
        expected = value.removeprefix(MARK).strip() or "an answer"
        found.append(problem(name, line, column, expected, "a question left open", remedy))
    return found


def _open(descriptor):
    """The name, text and remedy of every question."""
    for key, remedy in _OF_PACKAGE.items():
        values = descriptor.get(key)
        texts = [values] if key == "title" else [each.get("title") for each in values or () if isinstance(each, dict)]
        yield from ((key, text, remedy) for text in texts if is_question(text))
    for resource in descriptor["resources"]:
        for field in fields_of(resource):
            told = ((key, field.get(key)) for key in _OF_FIELD)
            yield from ((field["name"], value, _OF_FIELD[key]) for key, value in told if is_question(value))


def _line(lines, value, seen):
    """The first line with the question that none before it has; none where it is written in an unusual way."""
    text = json.dumps(value, ensure_ascii=False)
    for number, line in enumerate(lines, start=1):
        if text in line and number not in seen:
            seen.add(number)
            return number
    return None
