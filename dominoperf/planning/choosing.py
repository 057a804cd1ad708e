"""The cheapest set of servers for a request, the next ones, and what more money buys: mixed-integer programs."""

import dataclasses
import functools
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize, sparse

from dominoperf import rendering
from dominoperf.errors import CannotPlan
from dominoperf.planning.plan import plan
from dominoperf.planning.request import read_request
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.sizes import DATABASES, MEMORY_RULES, memory_needed, raid_level, stored, usable_drives
from dominoperf.planning.steps import classify, convert
from dominoperf.planning.systems import capacities, capacity

_STEP = 0.01  # of head-room, between two points of the front
_POINTS = 12
_BY_RULES = "memory by the rules"
_LIMITS = ("max_servers", "max_price_usd", "memory", "disk", "redundancy")


@dataclass(frozen=True)
class Market:
    """A demand and the kinds of systems for sale: G groups, S kinds, H hours."""

    names: tuple  # S
    groups: tuple  # G
    people: np.ndarray  # G
    share: np.ndarray  # S x G: of a server that a person takes at work; inf where the kind was not measured
    hours: np.ndarray  # H x G: share of the people at work
    memory_mb: np.ndarray  # 2 x G: of a server for a group at all, and for each person
    disk_mb: np.ndarray  # 2 x G: the databases of a group, and for each person, each with its paging file
    ram_mb: np.ndarray  # S; inf where unknown
    space_mb: np.ndarray  # S: usable of a server with the most drives, less what its paging file is rounded up by
    price_usd: np.ndarray  # S
    spare: int
    limits: dict  # max_servers, max_price_usd

    def without(self, name):
        """Give the market with one kind of limit lifted."""
        lifted = {
            "memory": {"ram_mb": np.full_like(self.ram_mb, np.inf)},
            "disk": {"space_mb": np.full_like(self.space_mb, np.inf)},
            "redundancy": {"spare": 0},
        }.get(name, {"limits": self.limits | {name: math.inf}})
        return dataclasses.replace(self, **lifted)


@dataclass(frozen=True)
class Bought:
    """Servers by kind, and people of each group on each kind."""

    servers: np.ndarray  # S
    people: np.ndarray  # G x S
    price_usd: float
    factor: float  # on the demand that it was solved for
    basis: str = "memory bounded from above"  # or "memory by the rules": how it was kept within what is priced


@dataclass(frozen=True)
class Choice:
    """The cheapest sets of servers, the best first."""

    request: object
    rules: object
    market: Market
    bought: tuple
    catalogue: object = None

    @functools.cached_property
    def bound_usd(self):
        """The price below which no set can be, whatever its memory."""
        return solve(self.market.without("memory")).price_usd

    @functools.cached_property
    def headroom(self):
        """By which share of the demand all groups could grow on each set."""
        return tuple(map(self._headroom, self.bought))

    def _headroom(self, each):
        if each.basis != _BY_RULES:
            return solve(self.market, fixed=each.servers, widest=True).factor - 1
        s = int(np.argmax(each.servers))
        asks = lambda growth: _servers_of(self.request, self.rules, self.market, s, self.catalogue, growth)  # noqa: E731
        return _most_growth(lambda growth: asks(growth) <= each.servers[s])

    def glance(self):
        """Give a row a set: rank, price_usd, bound_usd, servers, headroom_percent, set (in words), basis.

        bound_usd is a price below which no set can be, memory aside; basis says how memory was kept within the price.
        """
        bound = round(self.bound_usd, 2)
        rows = [
            (
                rank,
                each.price_usd,
                bound,
                int(each.servers.sum()),
                100 * room,
                self._words(each),
                each.basis,
            )
            for rank, (each, room) in enumerate(zip(self.bought, self.headroom, strict=True), start=1)
        ]
        names = ["rank", "price_usd", "bound_usd", "servers", "headroom_percent", "set", "basis"]
        return pd.DataFrame(rows, columns=names)

    def tidy(self):
        """Give a row for the people of a group on a kind: rank, system, servers, group, planned_users, share."""
        rows = []
        for rank, each in enumerate(self.bought, start=1):
            for g, s in np.argwhere(each.people > 1e-6):
                people = each.people[g, s]
                names = (self.market.names[s], int(each.servers[s]), self.market.groups[g])
                rows.append((rank, *names, people, people * self.market.share[s, g]))
        return pd.DataFrame(rows, columns=["rank", "system", "servers", "group", "planned_users", "share"])

    def plans(self, rank=1):
        """Give the plan of each kind of system of a set, by its name: the five steps for the people that it gets."""
        each = self.bought[rank - 1]
        return {self.market.names[s]: self._plan(each, s) for s in np.flatnonzero(each.people.sum(axis=0) > 1e-6)}

    def _plan(self, each, s):
        groups = []
        for group, known, people in zip(self.request.groups, self.market.groups, each.people[:, s], strict=True):
            if people > 1e-6:
                groups.append(dataclasses.replace(group, name=known, users=float(people), spread=None))
        plain = {"growth_percent": 0.0, "months_ahead": 0.0, "overlap": (), "placement": None}
        asked = dataclasses.replace(self.request, groups=tuple(groups), system=self.market.names[s], **plain)
        return plan(asked, rules=self.rules, catalogue=self.catalogue)

    def pareto(self):
        """Give price against head-room: price_usd, headroom_percent, servers, set; no row is beaten by another.

        Head-room is by how many percent the people of all groups could grow together on the set.
        """
        rows, least = [], 1.0
        while len(rows) < _POINTS:
            cheapest = solve(self.market, least=least)
            if cheapest is None:
                break
            widest = solve(self.market, budget=cheapest.price_usd, widest=True)
            rows.append(self._point(widest, widest.factor - 1))
            least = widest.factor + _STEP
        rows += [self._point(*pair) for pair in zip(self.bought, self.headroom, strict=True)]
        found = pd.DataFrame(rows, columns=["price_usd", "headroom_percent", "servers", "set"])
        found = found.sort_values(["price_usd", "headroom_percent"], ascending=[True, False], ignore_index=True)
        return found[found["headroom_percent"] > found["headroom_percent"].cummax().shift(fill_value=-1)].reset_index(
            drop=True
        )

    def _point(self, each, room):
        return each.price_usd, 100 * room, int(each.servers.sum()), self._words(each)

    def _words(self, each):
        kinds = np.flatnonzero(each.servers)
        return " + ".join(f"{int(each.servers[s])} {self.market.names[s]}" for s in kinds)

    def __repr__(self):
        """Lay the sets out for a terminal."""
        return "\n".join(rendering.as_text(rendering.rounded(each, 5)) for each in (self.glance(), self.tidy()))

    def _repr_html_(self):
        return "".join(rendering.as_html(rendering.rounded(each, 5)) for each in (self.glance(), self.tidy()))


def choose(request, *, rules="corrected", catalogue=None, max_servers=None, max_price_usd=None, runners_up=3):
    """Find the cheapest set of servers that carries the people of a request, and the next ones.

    Servers of each kind are whole numbers, people are divided among kinds. On each kind the load of every hour stays
    within the servers (with `spare_servers`, within those that are left when so many of each kind in use fail); memory
    by the rules, from above by a line over their tables, within the memory as priced; data within the drives that an
    array controller takes. Solved by SciPy's HiGHS. Sets of one kind are tried beside by the rules themselves, server
    by server. A runner-up is not a cheaper set with servers added.

    Parameters
    ----------
    request : Request, dict or path
        Its `system` is not looked at.
    rules, catalogue : as `plan` takes them
    max_servers : int, optional
    max_price_usd : float, optional
    runners_up : int

    Returns
    -------
    Choice

    Raises
    ------
    CannotPlan
        When no set is enough: which limit stands in the way, and what share of the demand fits.
    """
    asked = read_request(request)
    chosen = rules_named(rules) if isinstance(rules, str) else rules
    limits = {"max_servers": max_servers or math.inf, "max_price_usd": max_price_usd or math.inf}
    market = _market(asked, chosen, capacities(catalogue), limits)
    found = _uniform(asked, chosen, market, catalogue)
    for _ in range(runners_up + 1):
        each = solve(market, without=[other.servers for other in found])
        if each is None:
            break
        found.append(each)
    if not found:
        raise _impossible(market)
    found.sort(key=lambda each: each.price_usd)
    kept = [each for k, each in enumerate(found) if not any(_within(other, each) for other in found[:k])]
    return Choice(asked, chosen, market, tuple(kept[: runners_up + 1]), catalogue)


def _within(one, other):
    """Whether a set has every server of another one."""
    return bool((one.servers <= other.servers).all())


def _uniform(request, rules, market, catalogue):
    """The sets of one kind that the rules themselves allow, server by server."""
    found = []
    for s in np.flatnonzero(np.isfinite(market.share).all(axis=1)):
        count = _servers_of(request, rules, market, s, catalogue)
        price = round(float(count * market.price_usd[s]), 2)
        if math.isfinite(count) and count <= market.limits["max_servers"] and price <= market.limits["max_price_usd"]:
            servers, people = np.zeros(len(market.names)), np.zeros((len(market.people), len(market.names)))
            servers[s], people[:, s] = count, market.people
            found.append(Bought(servers, people, price, 1.0, _BY_RULES))
    return found


def _servers_of(request, rules, market, s, catalogue, factor=1.0):
    """Servers of a kind that the five steps ask for, for `factor` times the people; infinite where one is too small."""
    groups = tuple(dataclasses.replace(group, users=factor * group.users, spread=None) for group in request.groups)
    overlap = tuple(each | {"users": factor * each["users"]} for each in request.overlap)
    asked = dataclasses.replace(request, groups=groups, overlap=overlap, system=market.names[s], placement=None)
    try:
        found = plan(asked, rules=rules, catalogue=catalogue)
    except CannotPlan:
        return math.inf
    small = max(found.disks.memory.ram_mb.values()) > market.ram_mb[s]
    crowded = max(volume.drives for volume in found.disks.volumes) > rules.value("disk", "array_drives")
    return math.inf if small or crowded else found.servers


def _most_growth(enough):
    """The largest growth, as a share, for which something is enough: by halving."""
    low, high = 0.0, 1.0
    while enough(1 + high) and high < 2**10:
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(1 + middle) else (low, middle)
    return low


def _market(request, rules, known, limits):
    """The priced systems, and what a person of each group takes of them."""
    groups = convert(classify(request, rules)).groups
    kinds = {name: row for (name, _), row in known.items() if row["price_usd"] > 0}
    column = "users" if rules.name == "compaq_1998" else "users_low"
    share = np.array([[_share(known, name, part, request, column) for part in groups] for name in kinds])
    for g, part in enumerate(groups):
        if not np.isfinite(share[:, g]).any():
            remedy = "Give a capacity in a catalogue of your own, or ask for a longer response."
            expected = f"a priced system measured with {part.workload}"
            raise CannotPlan(f"group {part.group!r}", expected=expected, found="none", remedy=remedy)
    level, _ = raid_level(request, rules)
    per_gb, drives = rules.value("disk", "mb_per_gb"), np.arange(1, rules.value("disk", "array_drives") + 1)
    size = request.drive_gb or rules.value("disk", "drive_gb")
    usable = np.nanmax(size * usable_drives(drives, level, rules)) * per_gb
    ram = np.array([row["ram_mb"] for row in kinds.values()], float)
    memory = np.array([memory_line(part.workload, rules) for part in groups]).T
    paging = memory * (1 + rules.value("disk", "paging_percent") / 100)
    hours = np.array([group.hours or (100.0,) * 24 for group in request.groups], float).T / 100
    return Market(
        names=tuple(kinds),
        groups=tuple(part.group for part in groups),
        people=np.array([part.planned_users for part in groups]),
        share=share,
        hours=np.unique(hours, axis=0),
        memory_mb=memory,
        disk_mb=np.array([_disk(part, rules) for part in groups]).T + paging,
        ram_mb=np.where(np.isnan(ram), np.inf, ram),
        space_mb=np.full(len(kinds), usable - rules.value("disk", "paging_step_mb")),
        price_usd=np.array([row["price_usd"] for row in kinds.values()]),
        spare=request.spare_servers,
        limits=limits,
    )


def _share(known, name, part, request, column):
    """Share of a server that a person of a group takes; infinite where nothing is known."""
    if (name, part.workload) not in known:
        return math.inf
    try:
        row = capacity(known, name, part.workload, request.response_s)
    except CannotPlan:  # no user is answered that soon
        return math.inf
    return (part.users / part.planned_users if part.planned_users else 1.0) / row[column]


def memory_line(workload, rules):
    """Give a line that is nowhere below the memory rule: MB for any people at all, and MB for each of them."""
    column = rules.value("memory", MEMORY_RULES[workload])
    people = np.arange(0.0, 5001.0)  # to twice the last row of the tables and beyond
    needed = memory_needed(workload, people + 1e-6, column, rules)
    people, needed = people[~np.isnan(needed)], needed[~np.isnan(needed)]
    each = (needed[-1] - needed[0]) / (people[-1] - people[0])
    return float(np.max(needed - each * people)), float(each)


def _disk(part, rules):
    """MB of a group's databases, and of each person."""
    sizes = {each.quantity: (each.count, each.each_mb) for each in stored(part._replace(planned_users=1.0), rules)}
    count, size = sizes.pop(DATABASES, (0, 0.0))
    return count * size, sum(each for _, each in sizes.values())


def solve(market, *, without=(), least=1.0, budget=math.inf, fixed=None, widest=False):
    """Solve for the cheapest servers that carry `least` times the demand; None where there are none.

    Columns: servers n of each kind, people y of each group on each kind, servers m of a kind that hold a group, the
    factor t on the demand, whether a kind is in use z, and for every set in `without` which kind has fewer servers.
    With `widest` t is maximised, within the budget or for `fixed` servers.
    """
    S, G = market.share.shape
    n, y, m = np.arange(S), S + np.arange(S * G).reshape(S, G), S + S * G + np.arange(S * G).reshape(S, G)
    t, z = S + 2 * S * G, S + 2 * S * G + 1 + np.arange(S)
    cuts = [t + 1 + S + k * S + np.arange(S) for k in range(len(without))]
    width = t + 1 + S + S * len(without)
    rows = _Rows(width)
    possible = np.isfinite(market.share)
    share = np.where(possible, market.share, 0.0)
    most = _most(market)
    for g in range(G):  # everybody is somewhere
        rows.add([*y[:, g], t], [*np.ones(S), -market.people[g]], 0.0, 0.0)
    for s in range(S):
        for hour in market.hours:
            rows.add([*y[s], n[s], z[s]], [*(hour * share[s]), -1.0, market.spare], -np.inf, 0.0)
        if np.isfinite(market.ram_mb[s]):
            base, each = market.memory_mb
            rows.add([*y[s], *m[s], n[s]], [*each, *base, -market.ram_mb[s]], -np.inf, 0.0)
        if np.isfinite(market.space_mb[s]):
            base, each = market.disk_mb
            rows.add([*y[s], *m[s], n[s]], [*each, *base, -market.space_mb[s]], -np.inf, 0.0)
        for g in range(G):
            rows.add([y[s, g], m[s, g]], [1.0, -_on_one(market, s, g)], -np.inf, 0.0)
            rows.add([m[s, g], n[s]], [1.0, -1.0], -np.inf, 0.0)
        rows.add([n[s], z[s]], [1.0, -most], -np.inf, 0.0)
    rows.add(n, market.price_usd, -np.inf, min(budget * (1 + 1e-12), market.limits["max_price_usd"]))
    rows.add(n, np.ones(S), -np.inf, market.limits["max_servers"])
    for cut, servers in zip(cuts, without, strict=True):  # some kind has fewer servers than in that set
        for s in range(S):
            rows.add([n[s], cut[s]], [1.0, most], -np.inf, servers[s] - 1 + most)
        rows.add(cut, np.ones(S), 1.0, np.inf)
    lower, upper, whole = np.zeros(width), np.full(width, np.inf), np.ones(width)
    whole[y.ravel()] = whole[t] = 0
    upper[y[~possible]] = upper[m[~possible]] = 0.0
    upper[n], upper[z] = most, 1
    for cut in cuts:
        upper[cut] = 1
    lower[t], upper[t] = (0.0, 1e3) if widest else (least, least)
    if fixed is not None:
        lower[n] = upper[n] = fixed
    cost = np.zeros(width)
    cost[t if widest else n] = -1.0 if widest else market.price_usd
    found = optimize.milp(
        cost, integrality=whole, bounds=optimize.Bounds(lower, upper), constraints=rows.constraint(), options=_OPTIONS
    )
    if found.x is None:
        return None
    servers = np.round(found.x[n])
    people = np.maximum(found.x[y].T, 0.0)
    return Bought(servers, people, round(float(servers @ market.price_usd), 2), float(found.x[t]))


_OPTIONS = {"mip_rel_gap": 1e-6, "node_limit": 20_000}  # nodes, not seconds: the same answer on every machine


def _most(market):
    """More servers of a kind than any sensible set has: each group alone on the kind that carries it worst."""
    share = np.where(np.isfinite(market.share), market.share, 0.0)
    ram = np.where(np.isfinite(market.ram_mb), market.memory_mb[1].max() * market.people.sum() / market.ram_mb, 0.0)
    disk = market.disk_mb[1].max() * market.people.sum() / market.space_mb.min()
    load = float((share * market.people).sum(axis=1).max())
    return math.ceil(4 * max(load, ram.max(), disk)) + len(market.people) + market.spare + 1


def _on_one(market, s, g):
    """The most people of a group on one server of a kind."""
    share, (base, each) = market.share[s, g], market.memory_mb[:, g]
    by_load = (
        1 / (share * market.hours[:, g].max()) if np.isfinite(share) and market.hours[:, g].max() > 0 else math.inf
    )
    by_memory = max((market.ram_mb[s] - base) / each, 0.0)
    return min(by_load, by_memory, 10 * market.people[g] + 1)


class _Rows:
    """Rows of a program: low <= sum of coefficient x column <= high."""

    def __init__(self, width):
        self.width, self.at, self.by, self.low, self.high = width, [], [], [], []

    def add(self, columns, coefficients, low, high):
        """Add a row."""
        self.at.append(np.asarray(columns, int))
        self.by.append(np.asarray(coefficients, float))
        self.low.append(low)
        self.high.append(high)

    def constraint(self):
        """Give all rows as SciPy has them."""
        starts = np.cumsum([0, *map(len, self.at)])
        parts = (np.concatenate(self.by), np.concatenate(self.at), starts)
        matrix = sparse.csr_array(parts, shape=(len(self.at), self.width))
        return optimize.LinearConstraint(matrix, self.low, self.high)


def _impossible(market):
    """The error for a demand that nothing carries: which limits stand in the way, and what share of it fits."""
    ways = [name for name in _LIMITS if solve(market.without(name)) is not None]
    named = " or ".join(ways) if ways else " and ".join(_LIMITS) + " together"
    part = solve(market, least=0.0, widest=True)
    share = 100 * part.factor if part is not None else 0.0
    remedy = f"Lift {named}; as it is, {share:.3g} % of the people of every group can be served for certain."
    expected = "servers that carry all the people within the limits"
    return CannotPlan("choose", expected=expected, found=f"none because of {named}", remedy=remedy)
