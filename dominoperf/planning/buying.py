"""A set of servers as bought: the five steps for each kind of system in it, server by server."""

import dataclasses
from dataclasses import dataclass

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.placing import Placement
from dominoperf.planning.plan import Plan
from dominoperf.planning.steps import classify, convert, selected, shared, size_disks, size_memory

_SMALL = 1e-6  # of an MB


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
    placement = bought.placement
    servers = [at for at, each in enumerate(bought.kinds) if each == kind and placement.present[at].any()]
    present = np.flatnonzero(placement.present[servers].any(axis=0))
    demand = convert(classify(_asked(bought, kind, servers, present, market, request), rules))
    groups, carried = shared(demand, known)
    parts = [
        _part(group, placement.people[at, g], placement.databases[at, g], f"Server {at + 1}")
        for at in servers
        for group, g in zip(groups, present, strict=True)
        if placement.present[at, g]
    ]
    selection = selected(demand, groups, carried, parts, "cheapest set", len(servers))
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


def _part(group, people, databases, server):
    """The part of a group on a server."""
    part = people / group.planned_users if group.planned_users else 0.0
    return group._replace(
        planned_users=float(people),
        users=float(part * group.users),
        share=float(part * group.share),
        databases=group.databases if databases else 0,
        server=server,
    )


def _checked(plan, ram_mb, rules):
    """Give the plan if every server has the memory and the drives that the rules ask for."""
    drives = int(rules.value("disk", "array_drives"))
    for volume in plan.disks.volumes:
        needed = plan.disks.memory.ram_mb[volume.server]
        if needed > ram_mb + _SMALL or volume.drives > drives:
            expected = f"{ram_mb:g} MB and {drives} drives at most"
            remedy = "The solver's rounding is at fault: change the demand a little."
            found = f"{needed:g} MB and {volume.drives} drives"
            raise CannotPlan(volume.server, expected=expected, found=found, remedy=remedy)
    return plan
