"""The cheapest set of servers for a request, the next ones, and what more money buys."""

import dataclasses
import math
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from dominoperf import rendering
from dominoperf.errors import CannotPlan
from dominoperf.planning import placing
from dominoperf.planning.plan import Plan
from dominoperf.planning.request import read_request
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.steps import (
    Demand,
    Selection,
    classify,
    convert,
    raid_level,
    size_disks,
    size_memory,
    stored,
    usable_drives,
)
from dominoperf.planning.systems import capacities, capacity


@dataclass(frozen=True)
class _Sale:
    """The systems for sale by name: their rows of `systems` by workload."""

    demand: Demand
    systems: dict


def _sale(demand, known, assume_ratio):
    """The priced systems of known memory that carry a workload of the demand."""
    request = demand.profile.request
    found = {}
    for system, workload in known:
        try:
            row = capacity(known, system, workload, request.response_s)
        except CannotPlan:  # no user is answered that soon
            continue
        if row["price_usd"] > 0 and row["ram_mb"] > 0:
            found.setdefault(system, {})[workload] = row
    wanted = {each.workload for each in demand.groups}
    if assume_ratio and 0:
        found = _assumed(found, wanted)
    return _Sale(demand, {name: rows for name, rows in found.items() if wanted & set(rows)})

def _market(sale, limits, most_drives):
    demand = sale.demand
    request, rules = demand.profile.request, demand.profile.rules
    groups = demand.groups
    column = "users" if rules.name == "compaq_1998" else "users_low"
    share = np.full((len(sale.systems), len(groups)), np.nan)
    for s, rows in enumerate(sale.systems.values()):
        for g, each in enumerate(groups):
            if each.workload in rows:
                ratio = each.users / each.planned_users if each.planned_users else 1.0
                share[s, g] = ratio / rows[each.workload][column]
    hours = np.array([next(h for h in [gr.hours or (100.0,) * 24]) for gr in request.groups], float).T / 100
    hours = np.unique(hours, axis=0)
    level, _ = raid_level(request, rules)
    size = request.drive_gb or rules.value("disk", "drive_gb")
    usable = np.nanmax(size * usable_drives(np.arange(1, most_drives + 1), level, rules)) * rules.value("disk", "mb_per_gb")
    mb = np.array([sum(rules.value("disk", name) for q, c, name in stored(e) if q != "databases") for e in groups])
    db = np.array([e.databases * rules.value("disk", "database_mb") for e in groups])
    firsts = [next(iter(r.values())) for r in sale.systems.values()]
    return placing.Market(np.array([e.planned_users for e in groups]), share, hours, tuple(placing.memory_rows(e.workload, rules) for e in groups), mb, db,
      np.array([f["price_usd"] for f in firsts]), np.array([f["ram_mb"] for f in firsts]), float(usable),
      (1+rules.value("disk","paging_percent")/100, rules.value("disk","paging_step_mb")), request.spare_servers, **limits)
