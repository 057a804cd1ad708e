"""A set of servers as bought: the five steps for each kind of system in it, server by server."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.market import COLUMN
from dominoperf.planning.placing import Placement
from dominoperf.planning.plan import Plan
from dominoperf.planning.steps import Selection, classify, convert, size_disks, size_memory
from dominoperf.planning.systems import capacity

_SMALL = 1e-6  # of a server or an MB


@dataclass(frozen=True)
class Bought:
    """A set of servers, and who is on which.

    Parameters
    ----------
    numbers : tuple
        Servers of each kind of the market.
    kinds : tuple
        The kind of each server that people are on.
    idle : tuple
        The kinds of the spare servers.
    placement : Placement
        By server of `kinds`, and group.
    price_usd, bound_usd : float
        The price, and one below which there is no such set.
    proved : bool
        Whether there is none cheaper.
    """

    numbers: tuple
    kinds: tuple
    idle: tuple
    placement: Placement
    price_usd: float
    bound_usd: float
    proved: bool

    def people(self):
        """Give the people of each group on each kind, groups × kinds."""
        found = np.zeros((self.placement.people.shape[1], len(self.numbers)))
        np.add.at(found.T, list(self.kinds), self.placement.people)
        return found

    def used(self):
        """Give the kinds that people are on."""
        there = self.placement.present.any(axis=1)
        return sorted({kind for kind, each in zip(self.kinds, there, strict=True) if each})


def planned(bought, kind, market, request, rules, known):
    """Give the plan of a kind of system in a set: the five steps for the people on its servers.

    Raises
    ------
    CannotPlan
        When a server carries more than it can, which the solver's rounding alone can bring about.
    """
    placement, name = bought.placement, market.names[kind]
    servers = [at for at, each in enumerate(bought.kinds) if each == kind and placement.present[at].any()]
    groups = np.flatnonzero(placement.present[servers].any(axis=0))
    demand = convert(classify(_asked(bought, kind, servers, groups, market, request), rules))
    carried = [capacity(known, name, each.workload, request.response_s) for each in demand.groups]
    users = [row[COLUMN.get(rules.name, "users_low")] for row in carried]
    parts = []
    for at in servers:
        hour = _busiest(market, kind, placement.people[at])
        for k, g in enumerate(groups):
            if placement.present[at, g]:
                there = (placement.people[at, g], placement.databases[at, g])
                parts.append(_part(demand.groups[k], *there, hour[g], users[k], f"Server {at + 1}"))
    total = sum(part.share for part in parts)
    selection = Selection(demand, tuple(parts), total, tuple(carried), _rows(parts, demand, carried, len(servers)))
    return _checked(Plan(size_disks(size_memory(selection))), market.ram_mb[kind], rules)


def _asked(bought, kind, servers, groups, market, request):
    """The request for the people and databases on the servers of a kind."""
    placement, found = bought.placement, []
    for g in groups:
        people = float(placement.people[servers, g].sum())
        databases = request.groups[g].databases if placement.databases[servers, g].any() else 0
        plain = {"users": people, "databases": databases, "growth_percent": None, "spread": None}
        found.append(dataclasses.replace(request.groups[g], **plain))
    plain = {"growth_percent": 0.0, "months_ahead": 0.0, "overlap": (), "placement": None}
    idle = bought.idle.count(kind)
    return dataclasses.replace(request, groups=tuple(found), system=market.names[kind], spare_servers=idle, **plain)


def _busiest(market, kind, people):
    """The shares of the people at work in the hour in which the load of a server is greatest."""
    return market.hours[np.argmax(market.hours @ (np.nan_to_num(market.share[kind]) * people))]


def _part(group, people, databases, hour, capacity, server):
    """The part of a group on a server."""
    users = group.users * people / group.planned_users if group.planned_users else 0.0
    return group._replace(
        planned_users=float(people),
        users=float(users),
        share=float(users / capacity * hour),
        capacity=capacity,
        databases=group.databases if databases else 0,
        server=server,
    )


def _rows(parts, demand, carried, servers):
    """The rows of step 3."""
    rows, known = [], {each.group: row for each, row in zip(demand.groups, carried, strict=True)}
    tell = lambda server, quantity, value, unit, rule, locator, basis: rows.append(  # noqa: E731
        (3, server, quantity, float(value), np.nan, np.nan, unit, rule, locator, basis)
    )
    for part in parts:
        row, where = known[part.group], "page 4-14/4-15; " + known[part.group]["locator"]
        rule = f"users / {part.capacity:,.0f}"
        tell(part.server, f"{part.group}: share of a system", part.share, "server", rule, where, row["basis"])
    total = sum(part.share for part in parts)
    tell("", "systems, sum of the shares", total, "server", "sum", "page 4-14/4-15", "derived")
    tell("", "servers needed", servers, "server", "cheapest set", "page 4-16/4-17", "derived")
    for part in parts:
        about = ("placement", "page 4-22/4-23", "cheapest set")
        tell(part.server, f"{part.group}: people", part.planned_users, "person", *about)
    for name in dict.fromkeys(part.server for part in parts):
        load = sum(part.share for part in parts if part.server == name)
        tell(name, "load", load, "server", "sum", "page 4-16/4-17", "derived")
    spare = demand.profile.request.spare_servers
    if spare:
        tell("", "spare servers", spare, "server", "request", "", "request")
    return tuple(rows)


def _checked(plan, ram_mb, rules):
    """Give the plan if every server carries its load, and has the memory and the drives that the rules ask for."""
    drives = int(rules.value("disk", "array_drives"))
    for volume in plan.disks.volumes:
        parts = plan.selection.servers[volume.server]
        load, needed = sum(part.share for part in parts), plan.disks.memory.ram_mb[volume.server]
        if load > 1 + _SMALL or needed > ram_mb + _SMALL or volume.drives > drives:
            expected = f"a load of 1, {ram_mb:g} MB and {drives} drives at most"
            remedy = "The solver's rounding is at fault: change the demand a little."
            found = f"{load:.6f}, {needed:g} MB and {volume.drives} drives"
            raise CannotPlan(volume.server, expected=expected, found=found, remedy=remedy)
    return plan
