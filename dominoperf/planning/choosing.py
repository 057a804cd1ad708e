"""The cheapest set of servers for a request, the next ones, and what more money buys."""

import dataclasses
import html
import itertools
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
from dominoperf.planning.searching import Search
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

_SPARE = "(spare)"
_GLANCE = ["rank", "chosen", "servers", "price_usd", "headroom_percent", "processors", "ram_mb", "basis"]
_TIDY = ["rank", "system", "servers", "group", "planned_users", "users", "systems", "basis"]
_PARETO = ["price_usd", "headroom_percent", "servers", "chosen"]


@dataclass(frozen=True)
class Choice:
    """Sets of servers that hold the people of a request, cheapest first.

    Parameters
    ----------
    demand : Demand
        The record of step 2.
    systems : dict
        What could be bought: rows of `systems` by name and workload.
    sets : tuple
        The numbers of each system in a set, in the order of `systems`.
    plans : tuple of Plan
        The five steps for each server of a set.
    """

    demand: Demand
    systems: dict
    sets: tuple
    plans: tuple
    search: Search = field(repr=False, compare=False)

    @property
    def plan(self):
        """The plan of the cheapest set."""
        return self.plans[0]

    def tidy(self):
        """Give a row a set, system and group: rank, system, servers (bought), group, planned_users, users, systems.

        `systems` is the load in servers, at the busiest hour of each; a spare server is a group of its own.
        """
        rows = [
            row for rank, plan in enumerate(self.plans, start=1) for row in _shares(rank, plan.selection, self.systems)
        ]
        return pd.DataFrame(rows, columns=_TIDY)

    def glance(self):
        """Give a row a set: rank, chosen (in words), servers, price_usd, headroom_percent, processors, ram_mb, basis.

        Head-room is by how much all groups can grow; `basis` says where a search ended before it had proved all.
        """
        rows = [self._glanced(rank, *each) for rank, each in enumerate(zip(self.sets, self.plans, strict=True), 1)]
        return pd.DataFrame(rows, columns=_GLANCE)

    def pareto(self, *, up_to_percent=100.0, apart_percent=0.1):
        """Give the cheapest price of each head-room: price_usd, headroom_percent, servers, chosen.

        No point is beaten in both by another set; points closer in head-room than `apart_percent` are not told apart.

        Parameters
        ----------
        up_to_percent : float
            The first point with so much head-room is the last.
        """
        scale, points = 1.0, {}
        while scale <= 1 + up_to_percent / 100:
            found = self.search.cheapest(scale)
            if found is None:
                break
            much = max(self.search.most(found)[0], scale)
            points[self._price(found)] = (_percent(much), sum(found), self._words(found))
            scale = much + apart_percent / 100
        return pd.DataFrame([(price, *rest) for price, rest in points.items()], columns=_PARETO)

    def _glanced(self, rank, numbers, plan):
        much, exact = self.search.most(numbers)
        bought = plan.selection.bought
        basis = ["" if self.search.certain else "search cut short", "" if exact else "head-room at least"]
        basis = [plan.glance()["basis"].iloc[0], *filter(None, basis)]
        return (
            rank,
            self._words(numbers),
            sum(numbers),
            self._price(numbers),
            _percent(much),
            sum(row["processors"] for row in bought),
            sum(row["ram_mb"] for row in bought),
            ", ".join(basis),
        )

    def _price(self, numbers):
        return float(np.dot(numbers, self.search.market.price_usd))

    def _words(self, numbers):
        return "; ".join(f"{count} × {name}" for name, count in zip(self.systems, numbers, strict=True) if count)

    def __repr__(self):
        """Lay the sets and the placement on the cheapest one out for a terminal."""
        tidy = self.tidy()
        frames = (self.glance(), tidy[tidy["rank"] == 1].drop(columns="rank"))
        return "\n".join(rendering.as_text(rendering.rounded(frame, 7)) for frame in frames)

    def _repr_html_(self):
        tidy = rendering.as_html(rendering.rounded(self.tidy(), 5))
        glance = rendering.as_html(rendering.rounded(self.glance(), 7))
        return f"<h4>Sets of servers</h4>{glance}<h4>{html.escape('Who is where')}</h4>{tidy}"


def choose(
    request,
    *,
    rules="corrected",
    catalogue=None,
    max_servers=None,
    max_price_usd=None,
    runners_up=3,
    most_drives=14,
    assume_ratio=False,
):
    """Choose the cheapest set of servers, of one system or several, and place the groups on it.

    A set holds the demand if each person is on a server and no server has more than it carries (in every hour), than
    its memory as priced, or than the usable space of its drives. Memory, paging file and databases follow the exact
    rules of steps 4 and 5, server by server. Groups can be divided; the databases of a group lie on one server.
    With `spare_servers` k in the request, what is left holds the demand whichever k servers fail.

    Parameters
    ----------
    request : Request, dict or path
        As for `plan`; its `system` is not looked at.
    rules, catalogue
        As for `plan`.
    max_servers : int, optional
        Servers there may be, spare ones too.
    max_price_usd : float, optional
        What the servers may cost.
    runners_up : int
        How many sets after the cheapest: the next in price that do not merely add servers to one before them, up to
        three times its price.
    most_drives : int
        Drives of a server's data volume at most.
    assume_ratio : bool
        Whether a system not measured with a workload may be taken to carry it in the least ratio to another workload
        that any system measured with both shows; its basis says "assumed".

    Returns
    -------
    Choice

    Raises
    ------
    CannotPlan
        When no set holds the demand: what stands in the way, and how much of the demand would fit.
    """
    asked = read_request(request)
    _check(asked, max_servers, max_price_usd, runners_up, most_drives)
    demand = convert(classify(asked, rules_named(rules)))
    systems = _for_sale(demand, capacities(catalogue), assume_ratio)
    limits = {"most_servers": math.inf if max_servers is None else max_servers}
    limits |= {"most_usd": math.inf if max_price_usd is None else max_price_usd}
    search = Search(_market(demand, systems, most_drives, limits))
    sets = _sets(search, 1 + runners_up)
    if not sets:
        raise _refusal(search, most_drives)
    plans = tuple(_planned(demand, systems, search, numbers, most_drives) for numbers in sets)
    return Choice(demand, systems, tuple(sets), plans, search)


def _percent(much):
    """Head-room of a set that holds so many times the demand, without the solver's rounding."""
    return max(round(100 * (much - 1), 6), 0.0)


def _check(request, max_servers, max_price_usd, runners_up, most_drives):
    if request.placement is not None:
        remedy = "Leave it out, or name a system and use `plan`."
        raise CannotPlan("request, placement", expected="none, where servers are chosen", found="one", remedy=remedy)
    for name, value, least in (
        ("max_servers", max_servers, 1),
        ("runners_up", runners_up, 0),
        ("most_drives", most_drives, 1),
    ):
        if value is not None and (value != value or value < least or value != int(value)):
            expected = f"a whole number, {least} or more"
            raise CannotPlan(f"choose, {name}", expected=expected, found=str(value), remedy="Mend the call.")
    if max_price_usd is not None and not max_price_usd > 0:
        raise CannotPlan("choose, max_price_usd", expected="above 0", found=str(max_price_usd), remedy="Mend the call.")


def _sets(search, count):
    found = []
    while len(found) < count and (numbers := search.cheapest(1.0, found)) is not None:
        found.append(numbers)
    return found


def _for_sale(demand, known, assume_ratio):
    """The systems with a price and a known memory that carry a workload of the demand; each workload needs one."""
    found, wanted = {}, dict.fromkeys(each.workload for each in demand.groups)
    for system, workload in known:
        try:
            row = capacity(known, system, workload, demand.profile.request.response_s)
        except CannotPlan:  # no user is answered that soon
            continue
        if row["price_usd"] > 0 and row["ram_mb"] > 0:
            found.setdefault(system, {})[workload] = row
    found = _assumed(found, wanted) if assume_ratio else found
    for workload in wanted:
        if not any(workload in rows for rows in found.values()):
            remedy = "Give its capacity, price and memory in a catalogue of your own, or set assume_ratio."
            names = ", ".join(each.group for each in demand.groups if each.workload == workload)
            expected = f"a system with a price, a memory and a capacity for {workload} (needed by {names})"
            raise CannotPlan("choose, catalogue", expected=expected, found="none", remedy=remedy)
    return {name: rows for name, rows in found.items() if set(wanted) & set(rows)}


def _assumed(measured, wanted):
    """Add what the systems would carry of the workloads they were not measured with, by the least ratio seen."""
    found = {name: dict(rows) for name, rows in measured.items()}
    for (name, rows), workload in itertools.product(measured.items(), wanted):
        guesses = [
            (ratio * row["users_low"], ratio, other)
            for other, row in rows.items()
            if workload not in rows and (ratio := _ratio(measured, workload, other))
        ]
        if guesses:
            users, ratio, other = min(guesses)
            basis = f"assumed: {ratio:.3g} of its {other} users"
            changed = {"workload": workload, "users": users, "users_low": users, "users_high": np.nan, "basis": basis}
            found[name][workload] = rows[other] | changed
    return found


def _ratio(measured, workload, other):
    """The least ratio of users between two workloads on a system measured with both; 0 where there is none."""
    both = [rows for rows in measured.values() if workload in rows and other in rows]
    return min((rows[workload]["users_low"] / rows[other]["users_low"] for rows in both), default=0.0)


def _column(demand):
    return "users" if demand.profile.rules.name == "compaq_1998" else "users_low"


def _market(demand, systems, most_drives, limits):
    """The demand and the systems as arrays."""
    request, rules, groups = demand.profile.request, demand.profile.rules, demand.groups
    machines = [next(iter(rows.values())) for rows in systems.values()]
    hours = np.array([group.hours or (100.0,) * 24 for group in request.groups], float).T / 100
    disk = lambda name: rules.value("disk", name)  # noqa: E731
    return placing.Market(
        people=np.array([each.planned_users for each in groups]),
        share=np.array([[_share(each, rows, _column(demand)) for each in groups] for rows in systems.values()]),
        hours=np.unique(hours, axis=0),
        rows=tuple(placing.memory_rows(each.workload, rules) for each in groups),
        mb_each=np.array(
            [sum(disk(name) for kind, _, name in stored(e) if kind != "databases") for e in groups], float
        ),
        databases_mb=np.array([each.databases * disk("database_mb") for each in groups], float),
        price_usd=np.array([row["price_usd"] for row in machines]),
        ram_mb=np.array([row["ram_mb"] for row in machines]),
        usable_mb=_usable_mb(request, rules, most_drives),
        paging=(1 + disk("paging_percent") / 100, disk("paging_step_mb")),
        spare=int(request.spare_servers),
        **limits,
    )


def _share(part, rows, column):
    """The share of a server that a person takes; NaN where the system does not carry the workload."""
    each = part.users / part.planned_users if part.planned_users else 1.0
    return each / rows[part.workload][column] if part.workload in rows else np.nan


def _usable_mb(request, rules, most_drives):
    level, _ = raid_level(request, rules)
    size = request.drive_gb or rules.value("disk", "drive_gb")
    usable = size * usable_drives(np.arange(1, most_drives + 1), level, rules)
    if np.isnan(usable).all():
        expected, remedy = f"enough drives for RAID {level}", "Allow more."
        raise CannotPlan("choose, most_drives", expected=expected, found=str(most_drives), remedy=remedy)
    return float(np.nanmax(usable) * rules.value("disk", "mb_per_gb"))


def _planned(demand, systems, search, numbers, most_drives):
    """The plan of a set: the five steps, its dearest spare servers idle; each server checked by the exact rules."""
    kinds, spares = search.kept(numbers)
    neat, _ = placing.placed(search.market, kinds, neat=True)
    people, databases, present = neat or placing.placed(search.market, kinds)[0]  # the first found, which exists
    names, parts, machines = list(systems), [], {}
    for at, kind in enumerate(kinds):
        here = np.flatnonzero(present[at])
        server, rows = f"Server {len(machines) + 1}", systems[names[kind]]
        if not len(here):
            spares = [*spares, kind]
            continue
        machines[server] = rows[demand.groups[here[0]].workload]
        hour = _busiest(search.market, kind, people[at])
        for g in here:
            share = people[at, g] * search.market.share[kind, g] * hour[g]
            parts.append(_part(demand, demand.groups[g], rows, people[at, g], databases[at, g], share, server))
    spares = tuple(next(iter(systems[names[kind]].values())) for kind in spares)
    total = sum(part.share for part in parts)
    rows = _rows(parts, machines, spares, systems)
    selection = Selection(demand, tuple(parts), total, next(iter(machines.values())), rows, machines, spares)
    return _checked(Plan(size_disks(size_memory(selection))), most_drives)


def _busiest(market, kind, people):
    load = np.nan_to_num(market.share[kind]) * people
    return market.hours[np.argmax(market.hours @ load)]


def _part(demand, group, rows, people, databases, share, server):
    part = people / group.planned_users if group.planned_users else 1.0
    return group._replace(
        planned_users=float(people),
        users=float(part * group.users),
        share=float(share),
        capacity=rows[group.workload][_column(demand)],
        databases=group.databases if databases else 0,
        server=server,
    )


def _rows(parts, machines, spares, systems):
    """The rows of step 3 of a set."""
    rows, chosen = [], "cheapest set that holds all"
    tell = lambda server, quantity, value, unit, rule, locator, basis: rows.append(  # noqa: E731
        (3, server, quantity, float(value), np.nan, np.nan, unit, rule, locator, basis)
    )
    for server, row in machines.items():
        tell(server, f"{row['system']}: price", row["price_usd"], "USD", "choice", row["locator"], "given")
    for part in parts:
        row = machines[part.server]
        tell(part.server, f"{part.group}: people", part.planned_users, "person", "placement", "page 4-22/4-23", chosen)
        row, rule = systems[row["system"]][part.workload], f"users / {part.capacity:,.0f}"
        where = f"page 4-14/4-15; {row['locator']}"
        tell(part.server, f"{part.group}: share of a system", part.share, "server", rule, where, row["basis"])
    for server in machines:
        load = sum(part.share for part in parts if part.server == server)
        tell(server, "load", load, "server", "sum", "page 4-16/4-17", "derived")
    tell(
        "",
        "systems, sum of the shares",
        sum(part.share for part in parts),
        "server",
        "sum",
        "page 4-14/4-15",
        "derived",
    )
    for row in spares:
        tell("", f"spare {row['system']}: price", row["price_usd"], "USD", "choice", row["locator"], "request")
    return tuple(rows)


def _checked(plan, most_drives):
    """Give the plan if every server has the memory and the drives that the rules ask for."""
    disks = plan.disks
    for server, needed in disks.memory.ram_mb.items():
        drives = next(volume.drives for volume in disks.volumes if volume.server == server)
        there = plan.selection.machines[server]["ram_mb"]
        if needed > there + 1e-6 or drives > most_drives:
            expected = f"at most {there:g} MB and {most_drives} drives"
            remedy = "The solver's rounding is at fault: change the demand a little."
            raise CannotPlan(server, expected=expected, found=f"{needed:g} MB and {drives} drives", remedy=remedy)
    return plan


def _shares(rank, selection, systems):
    """The rows of `Choice.tidy` for a set."""
    machines, spares = selection.machines, selection.spares
    count = lambda system: sum(row["system"] == system for row in selection.bought)  # noqa: E731
    for system in dict.fromkeys(row["system"] for row in selection.bought):
        mine = [part for part in selection.parts if machines[part.server]["system"] == system]
        for group in dict.fromkeys(part.group for part in mine):
            parts = [part for part in mine if part.group == group]
            people, users, share = (sum(part[k] for part in parts) for k in (3, 5, 6))
            basis = systems[system][parts[0].workload]["basis"]
            yield rank, system, count(system), group, people, users, share, basis
        idle = sum(row["system"] == system for row in spares)
        if idle:
            yield rank, system, count(system), _SPARE, 0.0, 0.0, float(idle), "request"


def _refusal(search, most_drives):
    """The error that says what stands in the way, each limit dropped in turn, and how much of the demand fits."""
    market = search.market
    free = {
        "max_servers": {"most_servers": math.inf} if market.most_servers < math.inf else None,
        "max_price_usd": {"most_usd": math.inf} if market.most_usd < math.inf else None,
        "spare_servers": {"spare": 0} if market.spare else None,
        "memory": {"rows": (((0.0, math.inf, 0.0, 0.0),),) * len(market.people)},
        "disk": {"mb_each": 0 * market.mb_each, "databases_mb": 0 * market.databases_mb, "paging": (0.0, 1.0)},
        "processors": {"share": 1e-9 * market.share},
    }
    free = {name: change for name, change in free.items() if change}
    binding = _binding(market, free, 1) or _binding(market, free, 2) or list(free)
    much, held = search.largest()
    nearest = f"The nearest demand that fits is {100 * much:.2f} % of every group" if held else "No part of it fits"
    limits = {"max_servers": market.most_servers, "max_price_usd": market.most_usd, "spare_servers": market.spare}
    limits["disk"] = f"{most_drives} drives"
    named = ", ".join(f"{name} ({limits[name]})" if name in limits else name for name in binding)
    return CannotPlan(
        "choose", expected="a set of servers that holds the demand", found=f"none; in the way: {named}",
        remedy=f"{nearest}; or ease what is in the way.",
    )  # fmt: skip


def _binding(market, free, together):
    """The limits without which the demand fits; of several at once, the first such."""
    found = []
    for names in itertools.combinations(free, together):
        changes = {key: value for name in names for key, value in free[name].items()}
        if Search(dataclasses.replace(market, **changes)).cheapest() is not None:
            found.append(names)
            if together > 1:
                break
    return list(dict.fromkeys(itertools.chain.from_iterable(found)))
