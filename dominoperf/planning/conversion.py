"""Steps 1 and 2 of a plan: people, classified and grown, as users of the benchmark."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.request import MAIL, OWN, PROFILES, Group, Request, growth
from dominoperf.planning.rules import Rules


class Row(NamedTuple):
    """A quantity of a plan. Server, group and key say which, "" where it is of none; `quantity` says it in words."""

    step: int
    server: str
    group: str
    key: str
    quantity: str
    value: float
    unit: str
    rule: str
    locator: str
    basis: str
    low: float = math.nan
    high: float = math.nan
    caveats: tuple = ()  # keys of `plan.CAVEATS`
    reason: str = ""  # why an end of the range is unknown


class Needs(NamedTuple):
    """What the request says of a workload of the user's own."""

    multiplier: float | None  # users of the benchmark that a person counts for; by default the rules' headroom
    ram_mb: float
    ram_mb_per_user: float
    disk_mb_per_user: float


class Part(NamedTuple):
    """People of a group on a server; before step 3 the whole group, its share and server unknown."""

    group: str
    profile: str
    workload: str
    planned_users: float
    databases: int
    users: float = math.nan  # of the benchmark
    share: float = math.nan  # of a system, with all its people at work
    rating: float = math.nan  # users of the benchmark that the system carries
    server: str = ""
    needs: Needs | None = None  # of a workload of the user's own
    busy: tuple = (1.0,)  # share of its people at work in each hour; a single one for a day that is alike throughout


@dataclass(frozen=True)
class Demand:
    """Steps 1 and 2: a `Part` for each group, with its people and, after step 2, its users of the benchmark."""

    request: Request
    rules: Rules
    groups: tuple[Part, ...]
    rows: tuple[Row, ...]


def classify(request: Request, rules: Rules) -> Demand:
    """Return step 1: the people of each group, classified, with growth, without those counted twice."""
    rows, groups = [], []
    for group in request.groups:
        profile, locator, unruled, needs = group.profile, "", False, None
        if profile == OWN:
            needs = Needs(group.multiplier, group.ram_mb or 0.0, group.ram_mb_per_user, group.disk_mb_per_user)
        elif profile == MAIL:
            profile, locator, unruled = _mail_class(group.message_kb, rules)
        else:
            locator = rules.locator("users", profile)
        planned = planned_people(group, group.users, request)
        workload = group.workload or PROFILES[profile]
        groups.append(Part(group.name, profile, workload, planned, group.databases, needs=needs))
        basis = ("derived" if planned != group.users else "request") + ", no rule for this size" * unruled
        quantity = f"{group.name}: people, {profile}"
        rows.append(Row(1, "", group.name, "people", quantity, float(planned), "person", "classes", locator, basis,
                        caveats=("no_rule",) * unruled))  # fmt: skip
    return Demand(request, rules, tuple(groups), tuple(rows))


def _mail_class(message_kb, rules):
    """The profile of a size of message, the page of the rule, whether there is none; a bound is the lighter one's."""
    for name, limit in (("light_mail", "light_to_kb"), ("medium_mail", "medium_to_kb"), ("heavy_mail", "heavy_to_kb")):
        if message_kb <= rules.value("classes", limit):
            return name, rules.locator("classes", limit), False
    above = "groupware_above_kb"
    unruled = message_kb <= rules.value("classes", above)
    return "heavy_mail" if unruled else "groupware", rules.locator("classes", above), unruled


def planned_people(group: Group, users: float | np.ndarray, request: Request) -> float | np.ndarray:
    """Return the people to plan for, of a number or an array of people now: without those counted twice, grown.

    ``(users - double) (1 + growth / 100)^(months / 12)``; who is in two groups is planned in the second alone.

    Examples
    --------
    >>> group = Group("mail", 1000, "light_mail")
    >>> round(planned_people(group, 1000, Request((group,), growth_percent=10, months_ahead=24)))
    1210
    """
    percent = request.growth_percent if group.growth_percent is None else group.growth_percent
    double = sum(overlap["users"] for overlap in request.overlap if overlap["groups"][0] == group.name)
    return (users - double) * growth(percent, request.months_ahead or 0.0)


def convert(demand: Demand) -> Demand:
    """Return step 2: people as users of the benchmark, ``users = people × multiplier``.

    The multipliers above 1 keep the utilization at 50 %; another target scales them by 50 / target. They hold the
    headroom already, so it is never applied a second time. A group with another multiplier is planned as measured, and
    its row says so.
    """
    request, rules = demand.request, demand.rules
    target, planned = request.utilization_percent, rules.value("headroom", "planned_percent")
    rows, groups = [], []
    for group in demand.groups:
        scaled = multiplier(group.profile, request, rules, group.needs)
        follows = _follows_target(group, request, rules)
        as_measured = not follows and target not in (None, planned)
        users = group.planned_users * scaled
        groups.append(group._replace(users=users))
        locator = rules.locator("headroom", "planned_percent") if group.needs else rules.locator("users", group.profile)
        rule = f"× {scaled:g}" + (f", {target:g} % in place of {planned:g} %" if follows else "")
        basis = f"derived, as measured: not at {target:g} %" if as_measured else "derived"
        quantity = f"{group.group}: {group.workload} users"
        rows.append(Row(2, "", group.group, "users", quantity, float(users), "user", rule, locator, basis,
                        caveats=("as_measured",) * as_measured))  # fmt: skip
    return Demand(request, rules, tuple(groups), (*demand.rows, *rows))


def multiplier(profile: str, request: Request, rules: Rules, needs: Needs | None = None) -> float:
    """Return the benchmark users that one person of a profile counts as; `needs` of a user's own workload.

    That of the rules, times 50 / target where the request has a target of its own. A multiplier of 1 holds no
    headroom that could be scaled: those workloads are planned as measured.

    Examples
    --------
    >>> from dominoperf.planning import example, rules
    >>> multiplier("light_mail", example(), rules()), multiplier("groupware", example(), rules())
    (2, 1)
    """
    planned, target = rules.value("headroom", "planned_percent"), request.utilization_percent
    unscaled = _benchmark_users_per_person(profile, rules, needs)
    return unscaled * planned / target if target and unscaled > 1 else unscaled


def _benchmark_users_per_person(profile, rules, needs):
    """The users of the benchmark that stand for a person at the rules' utilization."""
    if needs:
        return needs.multiplier or 100 / rules.value("headroom", "planned_percent")
    return rules.value("users", profile)


def _follows_target(group, request, rules):
    """Whether the users of a group follow the request's CPU utilization: headroom in a multiplier alone can."""
    return multiplier(group.profile, request, rules, group.needs) != _benchmark_users_per_person(
        group.profile, rules, group.needs
    )


def check_target(demand: Demand) -> None:
    """Refuse a CPU utilization that no group follows: all would be planned as measured, as if none had been asked.

    Raises
    ------
    CannotPlan
        Names the groups.
    """
    request, rules = demand.request, demand.rules
    target, planned = request.utilization_percent, rules.value("headroom", "planned_percent")
    if target in (None, planned) or any(_follows_target(group, request, rules) for group in demand.groups):
        return
    expected = "a group whose users count more than one each, for their headroom alone can be changed"
    found = ", ".join(
        f"{part.group} (× {_benchmark_users_per_person(part.profile, rules, part.needs):g})" for part in demand.groups
    )
    remedy = "Leave utilization_percent out: these workloads are planned as measured."
    raise CannotPlan(f"request, utilization_percent {target:g}", expected=expected, found=found, remedy=remedy)
