"""A request as the TOML file that `dominoperf plan` reads."""

import dataclasses
import json
import re

from dominoperf.planning.request import request_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def as_toml(request):
    """Write a request as TOML: what differs from the defaults, then the groups; `read_request` gives it back.

    Parameters
    ----------
    request : Request, dict or path
        As `plan` takes it; it need not be one that can be planned.

    Returns
    -------
    str
    """
    request = request_of(request)
    groups = "".join(f"\n[[groups]]\n{_lines(group)}" for group in request.groups)
    return _lines(request, but=("groups", "name")) + groups


def _lines(record, but=()):
    """A line a field that says something."""
    fields = [each for each in dataclasses.fields(record) if each.name not in but]
    given = {each.name: getattr(record, each.name) for each in fields if getattr(record, each.name) != each.default}
    return "".join(f"{name} = {_value(value)}\n" for name, value in given.items())


def _value(value):
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(name)} = {_value(each)}' for name, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    return _text(value) if isinstance(value, str) else str(value).lower()


def _key(name):
    return name if _BARE.fullmatch(name) else _text(name)


def _text(value):
    """A text in quotes; JSON's escapes are TOML's too, but for one character that JSON leaves bare."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
