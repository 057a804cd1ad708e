"""What of a plan is uncertain, and how much of what it buys is used when the uncertain is known: for many at once."""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import stats

from dominoperf.planning.steps import memory_mb, multiplier, planned_capacity, planned_people, stored

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
    """What is used, an array of scenarios each; by server (rows) a share of what is bought of load, memory and space.

    `total` is the number of systems that the people need together: people may then be moved between the servers.
    """

    total: np.ndarray
    load: np.ndarray
    memory: np.ndarray
    space: np.ndarray


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
    """Give the row of `systems` for each part; where the plan did not keep them, its capacity, held."""
    chosen, name = plan.selection, plan.selection.system["system"]
    if chosen.carried:
        return chosen.carried
    return tuple(
        {"system": name, "workload": each.workload, "users": each.capacity, "users_low": each.capacity}
        for each in chosen.parts
    )


def _people(group):
    """The people of a group; None where both ends of the spread are one."""
    spread, users = group.spread, float(group.users)
    words = f"{spread['kind']}, " + ", ".join(f"{name} {spread[name]:g}" for name in spread if name != "kind")
    if spread["kind"] == "normal":
        wide = spread["sd"]
        known = stats.truncnorm(-users / wide, np.inf, users, wide) if wide else None
    else:
        low, wide = spread["low"], spread["high"] - spread["low"]
        shape = {"uniform": lambda: stats.uniform(low, wide)}
        shape |= {"triangular": lambda: stats.triang((users - low) / wide, low, wide)}
        known = shape[spread["kind"]]() if wide else None
    name = f"{group.name}: people"
    return known and Input((PEOPLE, group.name), PEOPLE, name, "person", users, known.ppf, words)


def _is_unsure(row):
    """Whether a capacity has an error and the freedom to believe it."""
    return row.get("std_error", np.nan) > 0 and row.get("dof", np.nan) > 0


def capacity_key(row):
    """Give the key of a capacity: one for all servers of a system."""
    return CAPACITY, row["system"], row["workload"]


def _capacity(key, row):
    """A capacity: Student's t around the estimate, what lies at or below 0 cut off."""
    law = stats.t(row["dof"], row["users"], row["std_error"])
    below = law.cdf(0.0)
    name = f"{row['system']}: {row['workload']} users"
    words = f"t, std_error {row['std_error']:.4g}, dof {row['dof']:g}"
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
        users = found[part.group] * multiplier(profiles[part.group], request, rules)
        key = capacity_key(row)
        most = values[key] if key in values else planned_capacity(row, rules)
        with np.errstate(divide="ignore"):
            taken.append(piece * users / most)
    return found, taken


def systems_needed(plan, values, request=None, rules=None, profiles=None):
    """Give the systems that the people need together, at the peak of their sum; of a scenario's request and rules."""
    groups = plan.selection.demand.groups
    profiles = profiles or {each.group: each.profile for each in groups}
    _, taken = shares(plan, values, request or plan.request, rules or plan.rules, profiles)
    return _peak(plan.selection.parts, taken, plan.request)


def uses(plan, values):
    """Give the `Uses` of a plan as bought: its servers, who is on which, their memory and their drives.

    load = the server's own peak of the shares of its groups; memory = what the tables ask for over what is bought;
    space = what is stored and the paging file of the memory bought, over the usable space.
    """
    profiles = {each.group: each.profile for each in plan.selection.demand.groups}
    people, taken = shares(plan, values, plan.request, plan.rules, profiles)
    parts, pieces, volumes = plan.selection.parts, _pieces(plan), plan.disks.volumes
    rows = []
    for volume in volumes:
        here = [k for k, part in enumerate(parts) if part.server == volume.server]
        own = [parts[k]._replace(planned_users=pieces[k] * people[parts[k].group]) for k in here]
        load = _peak([parts[k] for k in here], [taken[k] for k in here], plan.request)
        ram = sum(_memory(part, plan.rules) for part in own) / plan.disks.memory.ram_mb[volume.server]
        space = (sum(_data(part, plan.rules) for part in own) + volume.paging_mb) / _space_mb(volume, plan.rules)
        rows.append((load, ram, space))
    total = np.atleast_1d(_peak(parts, taken, plan.request))
    many = max((np.size(each) for each in values.values()), default=1)
    kinds = (np.array([np.broadcast_to(each, many) for each in kind]) for kind in zip(*rows, strict=True))
    return Uses(np.broadcast_to(total, many), *kinds)


def _pieces(plan):
    """The share of its group that each part is; equal ones of a group without people."""
    parts = plan.selection.parts
    whole, count = {}, {}
    for part in parts:
        whole[part.group] = whole.get(part.group, 0.0) + part.planned_users
        count[part.group] = count.get(part.group, 0) + 1
    return [part.planned_users / whole[part.group] if whole[part.group] else 1 / count[part.group] for part in parts]


def _peak(parts, taken, request):
    """The greatest sum of the shares in any hour; without hours their sum."""
    hours = {group.name: group.hours for group in request.groups}
    if not any(hours[part.group] for part in parts):
        return sum(taken)
    busy = {name: np.array(each or (100.0,) * 24) / 100 for name, each in hours.items()}
    by_hour = (
        sum(share * busy[part.group][hour] for part, share in zip(parts, taken, strict=True)) for hour in range(24)
    )
    return functools.reduce(np.maximum, by_hour)


def _memory(part, rules):
    """Memory that a part asks for; infinite where the rules have none for so many."""
    needed, _ = memory_mb(part.workload, part.planned_users, rules)
    return np.where(np.isnan(needed), np.inf, needed)


def _data(part, rules):
    return sum(count * rules.value("disk", name) for _, count, name in stored(part))


def _space_mb(volume, rules):
    return volume.usable_gb * rules.value("disk", "mb_per_gb")
