"""Step 3 of a plan: the share of a system that each group takes, and which server its people are on."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.conversion import Demand, Part, Row
from dominoperf.planning.request import Request
from dominoperf.planning.response_limits import check_pauses, check_response
from dominoperf.planning.rules import Rules
from dominoperf.planning.systems import caveats, rating
from dominoperf.tables.rendering import number

FULL = 1 + 1e-9  # a server, with room for rounding
_MOST = 10_000  # systems of one kind: a plan of more takes minutes, and is a slip
_NONE = 1e-9  # of a group: less is nobody
_ROUNDING = 1e-6  # of a server, by which a solver may be out


def shares(demand: Demand, catalogue: Mapping) -> tuple[list[Part], dict[str, dict]]:
    """Return the groups with the share of the system that each takes, and the row of `systems` that each stands on.

    Raises
    ------
    CannotPlan
        When the system was not measured with a workload, or its rating may be none at all.
    """
    request, rules, busy = demand.request, demand.rules, busy_hours(demand.request)
    check_response(catalogue, [request.system], demand.groups, request.response_s)
    groups, ratings = [], {}
    for part in demand.groups:
        row = rating(catalogue, request.system, part.workload, request.response_s)
        if part.needs and part.needs.multiplier is None:
            check_pauses(row)
        users = planned_rating(row, rules)
        groups.append(part._replace(share=part.users / users, rating=users, busy=busy[part.group]))
        ratings[part.group] = row
    return groups, ratings


def busy_hours(request: Request) -> dict[str, tuple[float, ...]]:
    """Return the share of the people of each group at work, hour by hour; one number where no group has hours."""
    hours = (100.0,) * (24 if any(group.hours for group in request.groups) else 1)
    return {group.name: tuple(percent / 100 for percent in group.hours or hours) for group in request.groups}


def planned_rating(row: Mapping, rules: Rules) -> float:
    """Return the users that the rules plan a system with, see `Rules.rating_column`.

    The users of the rating itself where its lower bound is unknown.

    Raises
    ------
    CannotPlan
        When they are not above 0, as a lower bound may be.
    """
    users = row[rules.rating_column()]
    users = row["users"] if math.isnan(users) else users
    if not users > 0:
        where, found = (
            f"system {row['system']!r}, {row['workload']}",
            f"{number(users)} of {number(row['users'])} users",
        )
        remedy = "The law is too unsure there: take a measured system, or a lower level of the bound."
        raise CannotPlan(where, expected="a lower bound of its rating above 0", found=found, remedy=remedy)
    return users


def whole_servers(systems: float) -> int:
    """Return the number of servers for a load in systems: rounded up, at least one.

    Examples
    --------
    >>> whole_servers(0.2 + 0.4 + 0.3 + 0.1), whole_servers(1.1)
    (1, 2)
    """
    return max(math.ceil(systems - 1e-9), 1)  # 0.2 + 0.4 + 0.3 + 0.1 are a little over 1 in binary


def check_count(systems: float) -> None:
    """Refuse more systems than anybody has.

    Raises
    ------
    CannotPlan
        Also when the count is no number.
    """
    if not systems <= _MOST:
        remedy = "Mend the people, their growth or the utilization, or choose a system that carries more."
        found = f"as many as {systems:.6g} of them carry"
        raise CannotPlan("request", expected=f"people for {_MOST:,} systems at most", found=found, remedy=remedy)


def load_by_hour(parts: Iterable[Part]) -> np.ndarray:
    """Return the load of parts together, in shares of a system, in every hour."""
    return sum(part.share * np.asarray(part.busy) for part in parts)


def by_server(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """Return the parts on each server, by its name."""
    servers = {}
    for part in parts:
        servers.setdefault(part.server, []).append(part)
    return servers


def pack(groups: Sequence[Part], request: Request) -> tuple[list[Part], str]:
    """Return the parts of the groups by server, and how they were put there, in words.

    As the request asks for; else first-fit; else, where that takes more servers than the peak of the sum of the loads
    adds up to, filled up in turn; else each group on every server.

    Raises
    ------
    CannotPlan
        When that takes more systems than anybody has.
    """
    total = load_by_hour(groups).max()
    check_count(total)
    if request.placement:
        order = list(request.placement)
        server = {group: name for name, here in request.placement.items() for group in here}
        parts = (group._replace(server=server[group.group]) for group in groups)
        return sorted(parts, key=lambda part: order.index(part.server)), "request"
    fewest = whole_servers(total)
    largest_first = sorted(groups, key=lambda group: -load_by_hour([group]).max())
    for method, words in (
        (_first_fit, "first-fit, largest share first"),
        (_fill_servers, "filled, server after server"),
    ):
        parts = method(largest_first)
        if len({part.server for part in parts}) <= fewest:
            return parts, words
    evenly = [_piece_of_group(group, 1 / fewest, k, first=k == 0) for k in range(fewest) for group in largest_first]
    return evenly, "spread evenly"


def _first_fit(groups):
    """Each group on the first server with room; one beyond a server is cut into equal parts."""
    pieces, loads = [], []
    for group in groups:
        count, k = whole_servers(load_by_hour([group]).max()), 0
        taken = load_by_hour([group]) / count
        for part in range(count):  # those before the last one's server have no room for its like
            k = next((at for at in range(k, len(loads)) if (loads[at] + taken).max() <= FULL), len(loads))
            loads += [np.zeros_like(taken)] * (k == len(loads))
            loads[k] = loads[k] + taken
            pieces.append((k, _piece_of_group(group, 1 / count, k, first=part == 0)))
    return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]


def _fill_servers(groups):
    """Fill server after server, cutting a group where one is full: without hours, as few servers as can be."""
    pieces, k, used = [], 0, 0.0
    for group in groups:
        rest, first, whole = 1.0, True, load_by_hour([group])
        while rest > _NONE or first:
            busy = whole > 0
            room = ((1 - used * np.ones_like(whole))[busy] / whole[busy]).min() if busy.any() else 1.0
            share = min(rest, room)
            if share <= _NONE:
                k, used = k + 1, 0.0
                continue
            pieces.append(_piece_of_group(group, share, k, first=first))
            rest, used, first = rest - share, used + share * whole, False
    return pieces


def _piece_of_group(group, share, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    return group._replace(
        planned_users=share * group.planned_users,
        users=share * group.users,
        share=share * group.share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )


def place(
    demand: Demand, groups: Sequence[Part], ratings: Mapping, parts: Sequence[Part], how: str, servers: int
) -> list[Row]:
    """Return the rows of step 3: the share of each group, the servers that makes, who is on which.

    share = users / users that the system carries, added over the workloads. With hours, the sum is that of the hour in
    which it is greatest, and the load of a server that of its own fullest hour: what is left of 1 is headroom beyond
    that of the multipliers.

    Parameters
    ----------
    groups, ratings : as `shares` returns them
    parts : sequence of Part
        Groups, or pieces of them, each with its server.
    how : str
        How they were put there, in words: the basis of their rows.
    servers : int
        Without spare ones.

    Raises
    ------
    CannotPlan
        When a server has more than it carries, in any hour.
    """
    request, rules = demand.request, demand.rules
    by_hour = load_by_hour(groups)
    total, hour = float(by_hour.max()), int(by_hour.argmax())
    share, rounded, placement = (rules.locator("servers", name) for name in ("share", "whole", "placement"))
    rows = [_share_row(part, ratings[part.group], hour, share) for part in groups]
    rows.append(Row(3, "", "", "systems", "systems, sum of the shares", total, "server", "sum", share, "derived"))
    rule = "rounded up" if servers == whole_servers(total) else how
    rows.append(Row(3, "", "", "servers", "servers needed", float(servers), "server", rule, rounded, "derived"))
    for part in parts:
        people = f"{part.group}: people", float(part.planned_users), "person"
        rows.append(Row(3, part.server, part.group, "people", *people, "placement", placement, how))
    for server, here in by_server(parts).items():
        by_hour = load_by_hour(here)
        fullest, when = float(by_hour.max()), _at_hour(int(by_hour.argmax()), here[0].busy)
        if fullest > 1 + _ROUNDING:
            remedy = "Put fewer groups on it, or leave the placement out."
            found = f"{number(fullest, 3)} of it on {server}{when}"
            raise CannotPlan("request, placement", expected="at most one system's worth", found=found, remedy=remedy)
        rows.append(Row(3, server, "", "load", "load", fullest, "server", f"sum{when}", rounded, "derived"))
    if request.spare_servers:
        spare = "spare servers", float(request.spare_servers), "server"
        rows.append(Row(3, "", "", "spare_servers", *spare, "request", "", "request"))
    return rows


def _share_row(part, row, hour, locator):
    """The share of a system that a group takes, with the range of its rating, open where that is unknown."""
    share, quantity = part.share * part.busy[hour], f"{part.group}: share of a system{_at_hour(hour, part.busy)}"
    low, high = (share * part.rating / row[name] if row[name] > 0 else math.nan for name in ("users_high", "users_low"))
    rule, locator = f"users / {number(part.rating)}", f"{locator}; {row['locator']}"
    unknown = " and ".join(end for end, share in (("upper", low), ("lower", high)) if math.isnan(share))
    return Row(3, "", part.group, "share", quantity, float(share), "server", rule, locator, row["basis"],
               low, high, caveats(row), f"the rating has no {unknown} limit" * bool(unknown))  # fmt: skip


def _at_hour(hour, busy):
    """The words for an hour, none for a day that is alike throughout."""
    return f", at {hour}:00" if len(busy) > 1 else ""
