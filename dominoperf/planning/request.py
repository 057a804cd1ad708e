"""What is asked of a plan: groups of people, the system, the targets; read from TOML, a dict or Python, and checked."""

import dataclasses
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dominoperf import tables
from dominoperf.errors import CannotPlan, UnknownName, as_typed, is_number, names_its_keywords, spelling
from dominoperf.planning.rules import planning_method
from dominoperf.tables.files import read_users_toml, value_as_toml
from dominoperf.tables.validation import schema_fault

PROFILES = {
    "light_mail": "Mail",
    "medium_mail": "Mail",
    "heavy_mail": "Mail",
    "maildb_reader": "MailDB",
    "maildb_active": "MailDB",
    "groupware": "Groupware_A",
    "discdb": "DiscDB",
}
"""Profiles of people, and the NotesBench workload that stands for each."""
WORKLOADS = tuple(dict.fromkeys(PROFILES.values()))
"""The NotesBench workloads that the planner knows."""
MAIL = "mail"  # a profile that the size of the messages decides
OWN = "own"  # a profile of a workload of the user's own
_OWN_FIELDS = ("workload", "ram_mb_per_user", "disk_mb_per_user")  # that it needs


@dataclass(frozen=True)
class Group:
    """People of one profile.

    Parameters
    ----------
    name : str
    users : float
        People now.
    profile : str
        One of `PROFILES`, "mail" with `message_kb`, or "own" with a `workload` that a catalogue of yours has.
    message_kb : float, optional
        Average size of a message, which classifies mail.
    databases : int
        Shared databases of the group's own.
    growth_percent : float, optional
        Growth a year; by default that of the request.
    hours : tuple of 24 float, optional
        Share of the people at work in each hour, percent; by default all, always.
    spread : dict, optional
        What is known of the number of people: ``{kind = "triangular", low = 700, high = 1000}`` (or "uniform", or
        "normal" with `sd`).
    workload, multiplier, ram_mb, ram_mb_per_user, disk_mb_per_user : optional
        Of the profile "own" alone: its workload; users of the benchmark that a person counts for (by default as many as
        keep the utilization of the rules, 2 for 50 %; above 1 it follows the request's `utilization_percent`); MB of
        memory of a server at all (by default none) and for each person; MB of disk for each person.

    Examples
    --------
    >>> Group("sales", 120, "mail", message_kb=15).users
    120
    """

    name: str
    users: float
    profile: str
    message_kb: float | None = None
    databases: int = 0
    growth_percent: float | None = None
    hours: tuple | None = None
    spread: dict | None = None
    workload: str | None = None
    multiplier: float | None = None
    ram_mb: float | None = None
    ram_mb_per_user: float | None = None
    disk_mb_per_user: float | None = None


@dataclass(frozen=True)
class Request:
    """A request for a plan.

    Parameters
    ----------
    groups : tuple of Group
    system : str, optional
        One of `systems`, or another of the data, as "IBM PC Server 330"; none leaves the choice to `choose`.
    critical : bool
        Whether the data are critical, which decides the RAID level.
    raid : int, optional
        The RAID level, in place of the rules'.
    overlap : tuple of dict
        People in two groups: ``{groups = ["mail", "power"], users = 50}``. They are planned in the second alone.
    placement : dict, optional
        Groups by server: ``{"Server 1" = ["mail"], "Server 2" = ["active", "power"]}``; by default our own packing.
    utilization_percent : float, optional
        CPU utilization to plan at, in place of the rules' 50. It needs a group whose multiplier is above 1.
    response_s : float, optional
        Response that no server may exceed. It needs systems whose own response is known.
    growth_percent, months_ahead : float
        Growth of the people a year, and how far ahead the plan is to suffice; by default today.
    spare_servers : int
        Servers beyond the need: 1 for n + 1.
    drive_gb : float, optional
        Size of a drive, in place of the rules'.
    name : str
        How the plan is called.

    Examples
    --------
    >>> from dominoperf.planning import plan
    >>> request = Request((Group("mail", 3000, "light_mail"),), "ProLiant 5000 1xP6/200-512", spare_servers=1)
    >>> plan(request).servers
    5
    """

    groups: tuple
    system: str | None = None
    critical: bool = False
    raid: int | None = None
    overlap: tuple = ()
    placement: dict | None = None
    utilization_percent: float | None = None
    response_s: float | None = None
    growth_percent: float = 0.0
    months_ahead: float | None = None
    spare_servers: int = 0
    drive_gb: float | None = None
    name: str = field(default="plan", compare=False)


RequestLike = Request | dict | str | os.PathLike
"""What stands for a request: itself, a dict of its fields, or the path of a TOML file."""


@names_its_keywords()
def read_request(request: RequestLike) -> Request:
    """Return a `Request` of a `Request`, a dict or the path of a TOML file, checked.

    Raises
    ------
    CannotPlan
        Names the field, what was found and what is allowed.
    UnknownName
        When a key, a profile or a group does not exist.
    MissingFile
        When there is no such file.

    Examples
    --------
    >>> group = {"name": "mail", "users": 800, "profile": "light_mail"}
    >>> read_request({"groups": [group], "system": "ProLiant 3000 1xP2/300"}).groups[0].users
    800
    """
    checked = request_of(request)
    if isinstance(request, Request):
        groups = [_request_fields_set(group) for group in request.groups]
        _check_request_schema(_request_fields_set(request) | {"groups": groups}, "request")
    _check_request_contradictions(checked, os.fspath(request) if isinstance(request, (str, os.PathLike)) else "request")
    return checked


def request_of(request: RequestLike) -> Request:
    """Return a `Request` of whatever `read_request` takes, which raises the same; a `Request` is not checked here."""
    if isinstance(request, Request):
        return request
    if isinstance(request, dict):
        return _request_of_dict(request, "request")
    if isinstance(request, (str, os.PathLike)):
        remedy = f"{_template_shows()}{spelling('', ' A curve of load tests follows --curve.')}"
        written = read_users_toml(request, "a request in TOML", remedy, CannotPlan)
        return dataclasses.replace(_request_of_dict(written, os.fspath(request)), name=Path(request).stem)
    expected, found = "a Request, a dict or the path of a TOML file", type(request).__name__
    raise CannotPlan("request", expected=expected, found=found, remedy=_template_shows())


def _template_shows():
    """Where a user sees how a request is written."""
    return f"{spelling('planning.template()', '`dominoperf plan --template`')} shows how each field is written."


def _request_of_dict(written, where):
    """The request of a dict; what the schema does not allow is refused. None stands for what is left out."""
    with_tuples = lambda of: {name: tuple(item) if isinstance(item, list) else item for name, item in of.items()}  # noqa: E731
    written = _request_without_none(written)
    if isinstance(written.get("groups"), (list, tuple)):
        written["groups"] = [
            _request_without_none(group) if isinstance(group, dict) else group for group in written["groups"]
        ]
    _check_request_schema(written, where)
    groups = tuple(Group(**with_tuples(group)) for group in written["groups"])
    return Request(**with_tuples(written) | {"groups": groups})


def _request_without_none(written):
    """A dict without the keys whose value is None."""
    return {name: value for name, value in written.items() if value is not None}


def _request_fields_set(record):
    """The fields of a request or a group that are not left at their default."""
    values = {attribute: getattr(record, attribute.name) for attribute in dataclasses.fields(record)}
    return {attribute.name: value for attribute, value in values.items() if value is not attribute.default}


def _check_request_schema(written, where):
    """Refuse a request, as a dict, that ``tables/schemas/request.json`` does not allow."""
    remedy = _template_shows()
    try:
        written = _request_as_json(written)
    except RecursionError as error:
        raise CannotPlan(where, expected="keys in one table or two", found="tables in tables", remedy=remedy) from error
    fault = schema_fault("request", written)
    if fault is None:
        return
    path, in_toml = list(fault.path), where != "request"
    if path[:1] == ["groups"] and len(path) > 1:
        number, name = path[1], written["groups"][path[1]]
        name = name.get("name") if isinstance(name, dict) else None
        where = _place_of_group(where, name if isinstance(name, str) and name.strip() else number)
        path = path[2:]
    where += "".join(f"[{key + 1}]" if isinstance(key, int) else f", {key}" for key in path)
    if fault.expected != "a known key":
        raise CannotPlan(where, expected=fault.expected, found=fault.found, remedy=(in_toml and fault.remedy) or remedy)
    remedy = fault.remedy
    of_group, of_request = ([repr(key.name) for key in dataclasses.fields(kind)] for kind in (Group, Request))
    if not fault.path and fault.found in of_group:
        remedy = "It is a key of a group: write it under [[groups]]."
    elif fault.path[:1] == ("groups",) and len(fault.path) == 2 and fault.found in of_request:
        remedy = "It is a key of the request: write it above the first [[groups]]."
    raise UnknownName(f"{where}, key", expected=fault.expected, found=fault.found, remedy=remedy)


def _place_of_group(where, group):
    """Where a group stands, by its name, or its number where it has none."""
    place = f"groups[{group + 1}]" if isinstance(group, int) else f"group {group!r}"
    return place if where == "request" and isinstance(group, str) else f"{where}, {place}"


def _request_as_json(value):
    """A value as JSON has it: numbers of numpy as Python's, what is no number as the text "nan", which none allows."""
    if isinstance(value, dict):
        return {name: _request_as_json(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_request_as_json(item) for item in value]
    value = value.item() if isinstance(value, np.generic) else value
    return str(value) if isinstance(value, float) and math.isnan(value) else value


def _check_request_contradictions(request, place):
    """Refuse a request whose fields, each as its schema has it, contradict each other; `place` is where it stands."""
    names = [group.name for group in request.groups]
    if len(set(names)) < len(names):
        _refuse_request_field(f"{place}, groups", "a name of its own for each group", ", ".join(names))
    grows = any(record.growth_percent for record in (request, *request.groups))
    if grows and request.months_ahead is None:
        _refuse_request_field(
            f"{place}, months_ahead", "the months over which people grow, as growth_percent is given", "none"
        )
    of_groups = [(_place_of_group(place, group.name), group) for group in request.groups]
    for where, record in ((place, request), *of_groups):
        if not math.isfinite(growth_of_people(record.growth_percent or 0.0, request.months_ahead or 0.0)):
            found = f"{record.growth_percent:g} percent over {request.months_ahead:g} months"
            _refuse_request_field(f"{where}, growth_percent", "a growth to a number of people", found)
    for where, group in of_groups:
        _check_group_of_request(group, where)
    counted_twice = dict.fromkeys(names, 0.0)
    for k, overlap in enumerate(request.overlap, start=1):
        where = f"{place}, overlap[{k}]"
        for name in overlap["groups"]:
            _check_group_name_of_request(name, names, where)
        counted_twice[overlap["groups"][0]] += overlap["users"]
        for group in (group for group in request.groups if group.name in overlap["groups"]):
            most = max(overlap["users"], counted_twice[group.name])
            if most > group.users:
                expected = f"at most the {group.users:g} users of {group.name!r}"
                _refuse_request_field(f"{where}, users", expected, f"{most:g} in all")
    if request.placement is not None:
        if not all(isinstance(server, str) and server.strip() for server in request.placement):
            found = ", ".join(map(repr, request.placement))
            _refuse_request_field(f"{place}, placement", "a name in words for each server", found)
        placed = [name for here in request.placement.values() for name in here]
        for name in placed:
            _check_group_name_of_request(name, names, f"{place}, placement")
        if sorted(placed) != sorted(names):
            _refuse_request_field(f"{place}, placement", f"each group once: {', '.join(names)}", ", ".join(placed))


def _check_group_of_request(group, where):
    """Refuse a profile that is none, and fields that belong to another profile or to other people."""
    profiles = (*PROFILES, MAIL, OWN)
    if group.profile not in profiles:
        raise UnknownName.among(f"{where}, profile", group.profile, profiles)
    if (group.profile == MAIL) != (group.message_kb is not None):
        found = f"profile {group.profile!r} and message_kb {group.message_kb}"
        _refuse_request_field(where, "message_kb together with the profile 'mail', which it classifies", found)
    own_fields = [name for name in (*_OWN_FIELDS, "multiplier", "ram_mb") if getattr(group, name) is not None]
    if group.profile != OWN and own_fields:
        _refuse_request_field(where, f"{own_fields[0]} with the profile 'own' alone", f"profile {group.profile!r}")
    missing = [name for name in _OWN_FIELDS if name not in own_fields]
    if group.profile == OWN and missing:
        needed = f"{', '.join(_OWN_FIELDS)} with the profile 'own', each 0 where it does not count"
        _refuse_request_field(where, needed, f"no {', '.join(missing)}")
    if group.hours and 0 < max(group.hours) <= 1:
        expected = "24 shares of the people in percent, one above 1 (a share of 0.7 is 70)"
        _refuse_request_field(f"{where}, hours", expected, f"at most {max(group.hours):g}")
    spread = group.spread or {}
    if "low" in spread and not spread["low"] <= group.users <= spread["high"]:
        _refuse_request_field(f"{where}, spread", f"low and high around {group.users:g} users", spread)


def _check_group_name_of_request(name, names, where):
    if name not in names:
        raise UnknownName.among(f"{where}, group", name, names)


def _refuse_request_field(where, expected, found):
    """Raise the error for a field of the request."""
    raise CannotPlan(where, expected=expected, found=str(found), remedy=_template_shows())


def check_people_are_no_shares(request: Request) -> None:
    """Refuse a request of at most one person a group, and fewer than one in some: shares of a total that it lacks."""
    users = [group.users for group in request.groups]
    if max(users) > 1 or not any(0 < number < 1 for number in users):
        return
    found = ", ".join(f"{group.users:g} of {group.name!r}" for group in request.groups)
    how = spelling("`recommend(servers, request)`", "`plan REQUEST.toml --servers '2 ...'`")
    remedy = f"Write how many people each group has. How many in such proportions given servers carry, {how} says."
    raise CannotPlan("request, users", expected="numbers of people", found=found, remedy=remedy)


def growth_of_people(percent, months):
    """Return ``(1 + percent / 100)^(months / 12)``, infinity where it is beyond all numbers."""
    try:
        return (1 + percent / 100) ** (months / 12)
    except OverflowError:
        return math.inf


def request_with_fields(request: Request, fields: dict) -> Request:
    """Return a request with other values: of its own fields, or of a group's as ``group.field``.

    `UnknownName` where there is no such field or group.
    """
    plain = {name: value for name, value in fields.items() if "." not in name}
    check_request_fields(request, fields)
    groups = {group.name: group for group in request.groups}
    for name, value in fields.items():
        group, dot, key = name.rpartition(".")
        if dot:
            groups[group] = dataclasses.replace(groups[group], **{key: value})
    return dataclasses.replace(request, groups=tuple(groups.values()), **plain)


def check_request_fields(request: Request, names: Iterable[str], where: str = "") -> None:
    """Refuse names that are neither fields of a request nor, as ``group.field``, of one of its groups.

    The message begins with `where`, the file that has the names.
    """
    where = f"{where}, " if where else ""
    for name in names:
        group, dot, key = str(name).rpartition(".")
        if dot:
            _check_group_name_of_request(group, [one.name for one in request.groups], f"{where}column {name}")
        fields = [attribute.name for attribute in dataclasses.fields(Group if dot else Request)]
        if key not in fields:
            raise UnknownName.among(f"{where}column {name}, key", key, fields)


@names_its_keywords()
def with_spread(request: RequestLike, percent: float) -> Request:
    """Return a request whose groups vary by a percentage (above 0, to 100), triangularly around the people now.

    A spread that a group has is replaced.

    Raises
    ------
    CannotPlan, UnknownName
        As `read_request` raises them; a percentage above 100 is refused once the request is planned.

    Examples
    --------
    >>> with_spread(example(), 20).groups[0].spread
    {'kind': 'triangular', 'low': 640.0, 'high': 960.0}
    """
    if not is_number(percent):
        _refuse_request_field("with_spread, percent", "a number above 0, to 100", as_typed(percent))
    request, share = read_request(request), percent / 100
    groups = tuple(
        dataclasses.replace(
            group, spread={"kind": "triangular", "low": group.users * (1 - share), "high": group.users * (1 + share)}
        )
        for group in request.groups
    )
    return dataclasses.replace(request, groups=groups)


@names_its_keywords()
def example(name: str = "case_study") -> Request:
    """Return a request to begin with: the worked case of the document whose method a plan follows.

    Raises
    ------
    UnknownName
        When there is no such example.

    Examples
    --------
    >>> [(group.name, group.users) for group in example().groups]
    [('mail', 800.0), ('active', 300.0), ('power', 100.0)]
    """
    examples = list(planning_method()["examples"])
    if name not in examples:
        raise UnknownName.among("example", name, examples)
    about = planning_method()["examples"][name]
    printed = tables.load(about["table"])["value"]
    groups = []
    for group in about["groups"]:
        rows = {key: group[key] for key in ("users", "databases") if key in group}  # counted from 1
        groups.append(Group(**group | {key: float(printed.iloc[row - 1]) for key, row in rows.items()}))
    return Request(tuple(groups), system=about["system"], critical=about["critical"], name=name)


def template() -> str:
    """Return a request to begin with, as the text of a TOML file.

    Examples
    --------
    >>> template().splitlines()[0]
    '# A request for a plan: dominoperf plan REQUEST.toml. Everything but `groups` may be left out.'
    """
    return (Path(__file__).parent / "template.toml").read_text(encoding="utf-8")


@names_its_keywords()
def as_toml(request: RequestLike) -> str:
    """Return a request, which need not be one that can be planned, as TOML; `read_request` gives it back.

    Examples
    --------
    >>> print(as_toml({"groups": [{"name": "mail", "users": 800, "profile": "light_mail"}], "critical": True}))
    critical = true
    <BLANKLINE>
    [[groups]]
    name = "mail"
    users = 800
    profile = "light_mail"
    <BLANKLINE>
    """
    request = request_of(request)
    groups = "".join(f"\n[[groups]]\n{_request_toml_lines(group)}" for group in request.groups)
    return _request_toml_lines(request, but=("groups", "name")) + groups


def _request_toml_lines(record, but=()):
    """A line a field that says something."""
    values = {attribute: getattr(record, attribute.name) for attribute in dataclasses.fields(record)}
    return "".join(
        f"{attribute.name} = {value_as_toml(value)}\n"
        for attribute, value in values.items()
        if attribute.name not in but and value != attribute.default
    )
