"""Who goes on which server by simple packing: whole groups, and pieces of those that are more than a server carries."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from dominoperf.errors import CannotPlan
from dominoperf.planning.request import Request

_FULL = 1 + 1e-9  # a server, with room for rounding
_MOST = 10_000  # systems of one kind: a plan of more takes minutes, and is a slip
_NONE = 1e-9  # of a group: less is nobody


class Needs(NamedTuple):
    """What the request says of a workload of the user's own."""

    multiplier: float | None  # users of the benchmark that a person counts for; by default the rules' head-room
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
    capacity: float = math.nan  # users of the benchmark that the system carries
    server: str = ""
    needs: Needs | None = None  # of a workload of the user's own
    busy: tuple = (1.0,)  # share of its people at work in each hour; a single one for a day that is alike throughout


def whole_servers(systems: float) -> int:
    """Return the servers that so many systems' worth takes: rounded up, at least one.

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


def load(parts: Iterable[Part]) -> np.ndarray:
    """Return the load of parts together, in shares of a system, in every hour."""
    return sum(part.share * np.asarray(part.busy) for part in parts)


def by_server(parts: Iterable[Part]) -> dict[str, list[Part]]:
    """Return the parts on each server, by its name."""
    servers = {}
    for part in parts:
        servers.setdefault(part.server, []).append(part)
    return servers


def pack(groups: Sequence[Part], request: Request) -> tuple[list[Part], str]:
    """Return the parts of the groups by server, and how they came there, in words.

    As the request asks for; else first-fit; else, where that takes more servers than the peak of the sum of the loads
    adds up to, filled up in turn; else each group on every server.

    Raises
    ------
    CannotPlan
        When that are more systems than anybody has.
    """
    total = load(groups).max()
    check_count(total)
    if request.placement:
        order = list(request.placement)
        server = {group: name for name, here in request.placement.items() for group in here}
        parts = (group._replace(server=server[group.group]) for group in groups)
        return sorted(parts, key=lambda part: order.index(part.server)), "request"
    fewest = whole_servers(total)
    largest_first = sorted(groups, key=lambda group: -load([group]).max())
    for method, words in ((_first_fit, "first-fit, largest share first"), (_fill, "filled, server after server")):
        parts = method(largest_first)
        if len({part.server for part in parts}) <= fewest:
            return parts, words
    evenly = [_piece(group, 1 / fewest, k, first=k == 0) for k in range(fewest) for group in largest_first]
    return evenly, "spread evenly"


def _first_fit(groups):
    """Each group on the first server with room; one beyond a server is cut into equal parts."""
    pieces, loads = [], []
    for group in groups:
        count, k = whole_servers(load([group]).max()), 0
        taken = load([group]) / count
        for part in range(count):  # those before the last one's server have no room for its like
            k = next((at for at in range(k, len(loads)) if (loads[at] + taken).max() <= _FULL), len(loads))
            loads += [np.zeros_like(taken)] * (k == len(loads))
            loads[k] = loads[k] + taken
            pieces.append((k, _piece(group, 1 / count, k, first=part == 0)))
    return [piece for _, piece in sorted(pieces, key=lambda pair: pair[0])]


def _fill(groups):
    """Fill server after server, cutting a group where one is full: without hours, as few servers as can be."""
    pieces, k, used = [], 0, 0.0
    for group in groups:
        rest, first, whole = 1.0, True, load([group])
        while rest > _NONE or first:
            busy = whole > 0
            room = ((1 - used * np.ones_like(whole))[busy] / whole[busy]).min() if busy.any() else 1.0
            share = min(rest, room)
            if share <= _NONE:
                k, used = k + 1, 0.0
                continue
            pieces.append(_piece(group, share, k, first=first))
            rest, used, first = rest - share, used + share * whole, False
    return pieces


def _piece(group, share, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    return group._replace(
        planned_users=share * group.planned_users,
        users=share * group.users,
        share=share * group.share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )
