"""Who goes on which server: groups, and parts of groups where one is more than a server carries."""

import math
from typing import NamedTuple


class Part(NamedTuple):
    """People of a group on a server; before step 3 the whole group, its share and server unknown."""

    group: str
    profile: str
    workload: str
    planned_users: float
    databases: int
    users: float = math.nan  # of the benchmark
    share: float = math.nan  # of a system
    capacity: float = math.nan  # users of the benchmark that the system carries
    server: str = ""


def whole(total):
    """Give the servers that so many systems' worth takes: rounded up, at least one."""
    return max(math.ceil(total - 1e-9), 1)


def placed(groups, request):
    """The parts of the groups by server: as asked for, else first-fit, else filled up in turn."""
    if request.placement:
        server = {name: where for where, names in request.placement.items() for name in names}
        order = list(request.placement)
        return sorted(
            (each._replace(server=server[each.group]) for each in groups), key=lambda part: order.index(part.server)
        )
    uncut = _first_fit(groups)
    fewest = whole(sum(each.share for each in groups))
    return uncut if len({part.server for part in uncut}) <= fewest else _filled(groups)


def _first_fit(groups):
    """Largest share first, each on the first server with room; a group beyond a server is cut into equal parts."""
    pieces, room = [], []
    for each in _largest_first(groups):
        parts = whole(each.share)
        for part in range(parts):
            share = each.share / parts
            k = next((k for k, left in enumerate(room) if left >= share - 1e-9), len(room))
            room += [1.0] * (k == len(room))
            room[k] -= share
            pieces.append((k, _piece(each, share, k, first=part == 0)))
    return _sorted(pieces)


def _filled(groups):
    """Fill server after server, cutting a group where one is full: as few servers as the shares add up to."""
    pieces, k, left = [], 0, 1.0
    for each in _largest_first(groups):
        rest, first = each.share, True
        while rest > 1e-9 or first:
            if left <= 1e-9:
                k, left = k + 1, 1.0
            share = min(rest, left)
            pieces.append((k, _piece(each, share, k, first=first)))
            rest, left, first = rest - share, left - share, False
    return _sorted(pieces)


def _largest_first(groups):
    return sorted(groups, key=lambda each: -each.share)


def _piece(group, share, k, *, first):
    """A part of a group on a server; its databases are on the first."""
    part = share / group.share if group.share else 1.0
    return group._replace(
        planned_users=part * group.planned_users,
        users=part * group.users,
        share=share,
        databases=group.databases * first,
        server=f"Server {k + 1}",
    )


def _sorted(pieces):
    return [piece for _, piece in sorted(pieces, key=lambda each: each[0])]
