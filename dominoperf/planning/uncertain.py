"""What of a plan is uncertain, and how much of what it buys is used when the uncertain is known: for many at once."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dominoperf.planning.sizes import DATABASES, part_memory, stored
from dominoperf.planning.steps import multiplier, planned_capacity, planned_people
from dominoperf.tables.rendering import number

PEOPLE, CAPACITY = "people", "capacity"


class Input(NamedTuple):
    """An uncertain number: its key, kind, name, unit and central value, and its quantile function."""

    key: tuple
    kind: str
    name: str
    unit: str
    value: float
    quantile: Callable
    words: str


class Uses(NamedTuple):
    """What is used, an array of futures each; by server (rows) a share of what is bought of load, memory and disk.

    `total` is the number of systems that the people need together: people may then be moved between the servers.
    """

    total: np.ndarray
    load: np.ndarray
    memory: np.ndarray
    disk: np.ndarray


def inputs(plan):
    """List the uncertain inputs of a plan: people with a spread, capacities with a std_error and dof.

    People: uniform, triangular with its mode at `users`, or normal around them, cut at 0. A capacity is
    ``users + std_error × t`` with Student's t on the dof of its fit: the law's own interval, whether its errors are
    relative or not. It is cut at 0, which raises its quantiles a little where few dof leave much below, and drawn once
    for all servers of a system, as they are one model.
    """
    groups = [_people(group) for group in plan.request.groups if group.spread]
    rows = {capacity_key(row): row for row in carried(plan)}
    found = [*groups, *(_capacity(key, row) for key, row in rows.items() if _is_unsure(row))]
    return tuple(each for each in found if each is not None)


def carried(plan):
    """Give the row of `systems` for each part."""
    chosen = plan.selection
    groups = (each.group for each in chosen.demand.groups)
    rows = dict(zip(groups, chosen.carried, strict=True))
    return tuple(rows[part.group] for part in chosen.parts)


def _people(group):
    """The people of a group; None where both ends of the spread are one."""
    spread, users = group.spread, float(group.users)
    words = f"{spread['kind']}, " + ", ".join(f"{name} {spread[name]:g}" for name in spread if name != "kind")
    known = _law(spread, users)
    name = f"{group.name}: people"
    return known and Input((PEOPLE, group.name), PEOPLE, name, "person", users, known.ppf, words)


def _law(spread, users):
    """The distribution of a spread; None where it is a point."""
    from scipy import stats

    if spread["kind"] == "normal":
        return stats.truncnorm(-users / spread["sd"], np.inf, users, spread["sd"]) if spread["sd"] else None
    low, wide = spread["low"], spread["high"] - spread["low"]
    if not wide:
        return None
    return stats.uniform(low, wide) if spread["kind"] == "uniform" else stats.triang((users - low) / wide, low, wide)


def _is_unsure(row):
    """Whether a capacity has an error and the freedom to believe it."""
    return row.get("std_error", np.nan) > 0 and row.get("dof", np.nan) > 0


def capacity_key(row):
    """Give the key of a capacity: one for all servers of a system."""
    return CAPACITY, row["system"], row["workload"]


def _capacity(key, row):
    """A capacity: Student's t around the estimate, what lies at or below 0 cut off."""
    from scipy import stats

    law = stats.t(row["dof"], row["users"], row["std_error"])
    below = law.cdf(0.0)
    name = f"{row['system']}: {row['workload']} users"
    words = f"t, std_error {number(row['std_error'])}, dof {row['dof']:g}"
    return Input(key, CAPACITY, name, "user", row["users"], lambda u: law.ppf(below + u * (1 - below)), words)


def shares(plan, values, request, rules, profiles):
    """Give a dict of group to people planned for, and a list of the share of a system that each part takes.

    Parameters
    ----------
    values : dict
        Numbers or arrays in place of the plan's, by the key of the input.
    request, rules, profiles
        Those of the plan, or of a scenario; profiles by group.
    """
    found = {
        each.name: np.maximum(planned_people(each, values.get((PEOPLE, each.name), each.users), request), 0.0)
        for each in request.groups
    }
    taken = []
    for part, row, piece in zip(plan.selection.parts, carried(plan), _pieces(plan), strict=True):
        users = found[part.group] * multiplier(profiles[part.group], request, rules, part.own)
        key = capacity_key(row)
        most = values[key] if key in values else planned_capacity(row, rules)
        with np.errstate(divide="ignore"):
            taken.append(piece * users / most)
    return found, taken


def systems_needed(plan, values, request=None, rules=None, profiles=None):
    """Give the systems that the people need together, at the peak of their sum; of a scenario's request and rules."""
    profiles = profiles or _profiles(plan)
    _, taken = shares(plan, values, request or plan.request, rules or plan.rules, profiles)
    return _peak(plan.selection.parts, taken)


def uses(plan, values):
    """Give the `Uses` of a plan as bought: its servers, who is on which, their memory and their drives.

    load = the sum of the shares of the groups of a server in its own busiest hour; memory = what the tables ask for
    over what is bought; disk = what is stored and the paging file of the memory bought, over the usable space.
    """
    people, taken = shares(plan, values, plan.request, plan.rules, _profiles(plan))
    parts, pieces = plan.selection.parts, _pieces(plan)
    rows, on = [], {}
    for k, part in enumerate(parts):
        on.setdefault(part.server, []).append(k)
    for volume in plan.disks.volumes:
        here = on[volume.server]
        own = [parts[k]._replace(planned_users=pieces[k] * people[parts[k].group]) for k in here]
        load = _peak([parts[k] for k in here], [taken[k] for k in here])
        memory = sum(_memory(part, plan.rules) for part in own) / plan.disks.memory.ram_mb[volume.server]
        rows.append((load, memory, _disk(own, volume, plan.rules)))
    many = max((np.size(each) for each in values.values()), default=1)
    total = np.broadcast_to(_peak(parts, taken), many)
    return Uses(total, *(np.array([np.broadcast_to(each, many) for each in kind]) for kind in zip(*rows, strict=True)))


def stores_people(part, rules):
    """Whether what a part stores grows with its people; databases do not."""
    return any(each.quantity != DATABASES for each in stored(part, rules))


def _profiles(plan):
    return {each.group: each.profile for each in plan.selection.demand.groups}


def _pieces(plan):
    """The share of its group that each part is; equal ones of a group without people."""
    parts = plan.selection.parts
    whole, count = {}, {}
    for part in parts:
        whole[part.group] = whole.get(part.group, 0.0) + part.planned_users
        count[part.group] = count.get(part.group, 0) + 1
    return [part.planned_users / whole[part.group] if whole[part.group] else 1 / count[part.group] for part in parts]


def _peak(parts, taken):
    """The greatest sum of the shares in any hour; without hours their sum."""
    day = np.unique(np.array([part.busy for part in parts]).T, axis=0)  # hours that are alike once
    by_hour = (sum(share * each for share, each in zip(taken, busy, strict=True)) for busy in day)
    return functools.reduce(np.maximum, by_hour)


def _memory(part, rules):
    """Memory that a part asks for; infinite where the rules have none for so many."""
    needed = part_memory(part, rules)
    return np.where(np.isnan(needed), np.inf, needed)


def _disk(parts, volume, rules):
    """The share of a data volume that its parts and the paging file use."""
    data = sum(each.count * each.each_mb for part in parts for each in stored(part, rules))
    return (data + volume.paging_mb) / (volume.usable_gb * rules.value("disk", "mb_per_gb"))
