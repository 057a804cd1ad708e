"""Who goes on which server: groups, and parts of groups where one is more than a server carries."""

import math
from typing import NamedTuple

import numpy as np

from dominoperf.errors import CannotPlan

_FULL = 1 + 1e-9  # a server, with room for rounding
_MOST = 10_000  # systems of one kind: a plan of more takes minutes, and is a slip
_NONE = 1e-9  # of a group: less is nobody


class Own(NamedTuple):
    """What the request says of a workload of its own."""

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
    own: Own | None = None
    busy: tuple = (1.0,)  # share of its people at work in each hour; a single one for a day that is alike throughout


def whole(total):
    """Give the servers that so many systems' worth takes: rounded up, at least one."""
    return max(math.ceil(total - 1e-9), 1)  # 0.2 + 0.4 + 0.3 + 0.1 are a little over 1 in binary


def check_count(total):
    """Refuse more systems than anybody has.

    Raises
    ------
    CannotPlan
        Also when the total is no number.
    """
    if not total <= _MOST:
        remedy = "Mend the people, their growth or the utilization, or choose a system that carries more."
        found = f"as many as {total:.6g} of them carry"
        raise CannotPlan("request", expected=f"people for {_MOST:,} systems at most", found=found, remedy=remedy)


def load(parts):
    """Give the load of parts together, in shares of a system, in every hour."""
    return sum(part.share * np.asarray(part.busy) for part in parts)


def by_server(parts):
    """Give a dict of server to its parts."""
    found = {}
    for part in parts:
        found.setdefault(part.server, []).append(part)
    return found


def placed(groups, request):
    """Give the parts of the groups by server, and how they came there, in words.

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
        return _as_asked(groups, request.placement), "request"
    fewest = whole(total)
    for pack, words in ((_first_fit, "first-fit, largest share first"), (_filled, "filled, server after server")):
        parts = pack(groups)
        if len({part.server for part in parts}) <= fewest:
            return parts, words
    return _spread(groups, fewest), "spread evenly"


def _as_asked(groups, placement):
    server = {name: where for where, names in placement.items() for name in names}
    order = list(placement)
    parts = (each._replace(server=server[each.group]) for each in groups)
    return sorted(parts, key=lambda part: order.index(part.server))


def _first_fit(groups):
    """Largest share first, each on the first server with room; a group beyond a server is cut into equal parts."""
    pieces, loads = [], []
    for each in _largest_first(groups):
        parts, k = whole(load([each]).max()), 0
        taken = load([each]) / parts
        for part in range(parts):  # those before the last one's server have no room for its like
            k = next((at for at in range(k, len(loads)) if (loads[at] + taken).max() <= _FULL), len(loads))
            loads += [np.zeros_like(taken)] * (k == len(loads))
            loads[k] = loads[k] + taken
            pieces.append((k, _piece(each, 1 / parts, k, first=part == 0)))
    return _sorted(pieces)


def _filled(groups):
    """Fill server after server, cutting a group where one is full: without hours, as few servers as can be."""
    pieces, k, used = [], 0, 0.0
    for each in _largest_first(groups):
        rest, first, own = 1.0, True, load([each])
        while rest > _NONE or first:
            share = min(rest, _room(used, own))
            if share <= _NONE:
                k, used = k + 1, 0.0
                continue
            pieces.append((k, _piece(each, share, k, first=first)))
            rest, used, first = rest - share, used + share * own, False
    return _sorted(pieces)


def _room(used, own):
    """Which share of a group a server takes beside the load that is there, in its fullest hour."""
    busy = own > 0
    return ((1 - used * np.ones_like(own))[busy] / own[busy]).min() if busy.any() else 1.0


def _spread(groups, servers):
    return _sorted(
        (k, _piece(each, 1 / servers, k, first=k == 0)) for k in range(servers) for each in _largest_first(groups)
    )


def _largest_first(groups):
    return sorted(groups, key=lambda each: -load([each]).max())


def _piece(group, part, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    return group._replace(
        planned_users=part * group.planned_users,
        users=part * group.users,
        share=part * group.share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )


def _sorted(pieces):
    return [piece for _, piece in sorted(pieces, key=lambda each: each[0])]
