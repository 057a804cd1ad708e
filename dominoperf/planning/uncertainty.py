"""What of a plan is uncertain, and how much of what it buys is used when the uncertain is known: for many at once."""

import functools
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from dominoperf.planning.packing import Part
from dominoperf.planning.plan import Plan
from dominoperf.planning.request import Request
from dominoperf.planning.rules import Rules
from dominoperf.planning.sizes import DATABASES, part_memory, stored
from dominoperf.planning.steps import multiplier, planned_capacity, planned_people
from dominoperf.tables.rendering import number

PEOPLE, CAPACITY = "people", "capacity"


class Input(NamedTuple):
    """An uncertain number: which it is, its name in words, unit, central value and quantile function."""

    id: tuple  # its kind, then the group of people, or the system and workload of a capacity
    name: str
    unit: str
    value: float
    quantile: Callable
    words: str  # how it is distributed

    @property
    def kind(self) -> str:
        """Whether it is a number of people or a capacity."""
        return self.id[0]

    @property
    def key(self) -> str:
        """Which of its kind it is, as the tables have it."""
        return ": ".join(self.id[1:])


class Uses(NamedTuple):
    """What is used, an array of futures each; by server (rows) a share of what is bought of load, memory and disk.

    `total` is the number of systems that the people need together: people may then be moved between the servers.
    """

    total: np.ndarray
    load: np.ndarray
    memory: np.ndarray
    disk: np.ndarray


def inputs(plan: Plan) -> tuple[Input, ...]:
    """Return the uncertain inputs of a plan: people with a spread, capacities with a std_error and dof.

    People: uniform, triangular with its mode at `users`, or normal around them, cut at 0. A capacity is
    ``users + std_error × t`` with Student's t on the dof of its fit: the law's own interval, whether its errors are
    relative or not. It is cut at 0, which raises its quantiles a little where few dof leave much below, and drawn once
    for all servers of a system, as they are one model.

    Examples
    --------
    >>> from dominoperf.planning import example, plan, with_spread
    >>> [(each.key, each.words) for each in inputs(plan(with_spread(example(), 20)))][0]
    ('mail', 'triangular, low 640, high 960')
    """
    people = [_people(group) for group in plan.request.groups if group.spread]
    rows = {capacity_id(row): row for row in (plan.capacities[part.group] for part in plan.parts)}
    unsure = [row for row in rows.values() if row.get("std_error", np.nan) > 0 and row.get("dof", np.nan) > 0]
    return (*filter(None, people), *map(_capacity, unsure))


def _people(group):
    """The people of a group; None where both ends of the spread are one."""
    from scipy import stats

    spread, users = group.spread, float(group.users)
    if spread["kind"] == "normal":
        law = stats.truncnorm(-users / spread["sd"], np.inf, users, spread["sd"]) if spread["sd"] else None
    else:
        low, wide = spread["low"], spread["high"] - spread["low"]
        kinds = {"uniform": lambda: stats.uniform(low, wide)}
        kinds["triangular"] = lambda: stats.triang((users - low) / wide, low, wide)
        law = kinds[spread["kind"]]() if wide else None
    words = f"{spread['kind']}, " + ", ".join(f"{name} {spread[name]:g}" for name in spread if name != "kind")
    return law and Input((PEOPLE, group.name), f"{group.name}: people", "person", users, law.ppf, words)


def capacity_id(row: Mapping) -> tuple[str, str, str]:
    """Return the id of the input that a capacity would be: one for all servers of a system."""
    return CAPACITY, row["system"], row["workload"]


def _capacity(row):
    """A capacity: Student's t around the estimate, what lies at or below 0 cut off."""
    from scipy import stats

    law = stats.t(row["dof"], row["users"], row["std_error"])
    below = law.cdf(0.0)
    words = f"t, std_error {number(row['std_error'])}, dof {row['dof']:g}"
    quantile = lambda u: law.ppf(below + u * (1 - below))  # noqa: E731
    return Input(capacity_id(row), f"{row['system']}: {row['workload']} users", "user", row["users"], quantile, words)


def shares(
    plan: Plan, values: Mapping, request: Request, rules: Rules, profiles: Mapping[str, str]
) -> tuple[dict, list]:
    """Return a dict of group to people planned for, and a list of the share of a system that each part takes.

    Parameters
    ----------
    values : dict
        Numbers or arrays in place of the plan's, by the id of the input.
    request, rules, profiles
        Those of the plan, or of a scenario; profiles by group.
    """
    people = {
        group.name: np.maximum(planned_people(group, values.get((PEOPLE, group.name), group.users), request), 0.0)
        for group in request.groups
    }
    taken = []
    for part, piece in zip(plan.parts, _pieces(plan), strict=True):
        row = plan.capacities[part.group]
        users = people[part.group] * multiplier(profiles[part.group], request, rules, part.needs)
        key = capacity_id(row)
        most = values[key] if key in values else planned_capacity(row, rules)
        with np.errstate(divide="ignore"):
            taken.append(piece * users / most)
    return people, taken


def systems_needed(
    plan: Plan,
    values: Mapping,
    request: Request | None = None,
    rules: Rules | None = None,
    profiles: Mapping[str, str] | None = None,
) -> np.ndarray:
    """Return the systems that the people need together, at the peak of their sum; of a scenario's request and rules."""
    profiles = profiles or {part.group: part.profile for part in plan.groups}
    _, taken = shares(plan, values, request or plan.request, rules or plan.rules, profiles)
    return _peak(plan.parts, taken)


def uses(plan: Plan, values: Mapping) -> Uses:
    """Return the `Uses` of a plan as bought: its servers, who is on which, their memory and their drives.

    load = the sum of the shares of the groups of a server in its own busiest hour; memory = what the tables ask for
    over what is bought; disk = what is stored and the paging file of the memory bought, over the usable space.
    """
    profiles = {part.group: part.profile for part in plan.groups}
    people, taken = shares(plan, values, plan.request, plan.rules, profiles)
    by_server = {}
    for part, piece, share in zip(plan.parts, _pieces(plan), taken, strict=True):
        moved = part._replace(planned_users=piece * people[part.group])
        by_server.setdefault(part.server, []).append((moved, share))
    rows = []
    for volume in plan.volumes:
        parts, here = zip(*by_server[volume.server], strict=True)
        memory = sum(_memory(part, plan.rules) for part in parts) / plan.ram_mb[volume.server]
        data = sum(each.count * each.each_mb for part in parts for each in stored(part, plan.rules))
        space = (data + volume.paging_mb) / (volume.usable_gb * plan.rules.value("disk", "mb_per_gb"))
        rows.append((_peak(parts, here), memory, space))
    many = max((np.size(each) for each in values.values()), default=1)
    total = np.broadcast_to(_peak(plan.parts, taken), many)
    return Uses(total, *(np.array([np.broadcast_to(each, many) for each in kind]) for kind in zip(*rows, strict=True)))


def stores_people(part: Part, rules: Rules) -> bool:
    """Return whether what a part stores grows with its people; databases do not."""
    return any(each.key != DATABASES for each in stored(part, rules))


def _pieces(plan):
    """The share of its group that each part is; equal ones of a group without people."""
    whole, count = {}, {}
    for part in plan.parts:
        whole[part.group] = whole.get(part.group, 0.0) + part.planned_users
        count[part.group] = count.get(part.group, 0) + 1
    return [
        part.planned_users / whole[part.group] if whole[part.group] else 1 / count[part.group] for part in plan.parts
    ]


def _peak(parts, taken):
    """The greatest sum of the shares in any hour; without hours their sum."""
    day = np.unique(np.array([part.busy for part in parts]).T, axis=0)  # hours that are alike once
    by_hour = (sum(share * each for share, each in zip(taken, busy, strict=True)) for busy in day)
    return functools.reduce(np.maximum, by_hour)


def _memory(part, rules):
    """Memory that a part asks for; infinite where the rules have none for so many."""
    needed = part_memory(part, rules)
    return np.where(np.isnan(needed), np.inf, needed)
