"""Response times of ratings: what is asked of them, the users at a shorter one, and clients that are no people."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from scipy import optimize

from dominoperf.errors import CannotPlan
from dominoperf.laws.response import closed
from dominoperf.planning.conversion import Part
from dominoperf.tables.rendering import number

AT_RESPONSE = "at_response"  # whether the users of a row are those at a response that was asked for


def check_response(
    rows_by_name: Mapping, systems: Collection[str], groups: Sequence[Part], response_s: float | None
) -> None:
    """Refuse a response that some group has on none of the systems, and name the shortest that all groups can have.

    Parameters
    ----------
    rows_by_name : dict
        As `ratings` gives it.
    systems : collection of str
        Of which each group may have any.
    groups : list of Part
        With group and workload.
    response_s : float or None
        What is asked; of None, or where no run of a workload tells, nothing is refused.

    Raises
    ------
    CannotPlan
        When a request takes longer even alone.
    """
    if response_s is None:
        return
    least = {}
    for part in groups:
        rows = [rows_by_name[name, part.workload] for name in systems if (name, part.workload) in rows_by_name]
        alone = [(_alone_s(row), row["system"]) for row in rows if row["think_s"] > 0]
        if alone:
            least[part] = min(alone)
    if all(response_s > alone for alone, _ in least.values()):
        return
    part = max(least, key=lambda group: least[group][0])
    alone, system = least[part]
    step = 10.0 ** (math.floor(math.log10(alone)) - 2)
    shortest = (math.floor(alone / step) + 1) * step  # the next number of three digits above
    expected = f"{shortest:g} or more, as a request of group {part.group!r} takes nearly that alone on {system}"
    remedy = "Ask for a longer one, or plan with a faster system."
    raise CannotPlan("request, response_s", expected=expected, found=f"{response_s:g}", remedy=remedy)


def check_pauses(row: dict) -> None:
    """Refuse to take the clients of a closed loop for people: each sends its next request when it has an answer.

    By Little's law a client waits for an answer for ``R / (R + Z)`` of its time, R the response and Z the think time.
    Who waits longer than it pauses is a request in progress, not somebody who reads what came; a short pause may be
    what the load tool itself takes.

    Parameters
    ----------
    row : dict
        Of `systems`; without response or think time nothing is known, and nothing refused.

    Raises
    ------
    CannotPlan
        When the think time is no longer than the response.
    """
    response, think = row["response_s"], row["think_s"]
    if not think <= response:
        return
    where = f"system {row['system']!r}, {row['workload']}"
    found = f"{row['users']:,.0f} that pause {max(think, 0.0):.2g} s between answers of {response:.2g} s"
    remedy = (
        "Clients without think time are concurrent requests, not people. Say how many of them a person counts for "
        "(multiplier), or measure with the pauses that people make."
    )
    raise CannotPlan(where, expected="clients that pause as people do", found=found, remedy=remedy)


def users_at_response(row: dict, response_s: float) -> dict:
    """Return a rating at a response below that of its run, by the closed queue of one station that gives the run's own.

    Raises
    ------
    CannotPlan
        When the think time is not known, or a request takes longer even alone.
    """
    think, users, measured_s = row["think_s"], row["users"], row["response_s"]
    if not think > 0:
        remedy = "Give think_s in the catalogue, or ask for no response."
        raise CannotPlan(f"system {row['system']!r}, think_s", expected="seconds above 0", found="none", remedy=remedy)
    service = _alone_s(row)
    if response_s <= service:
        least = f"more than the {number(service, 3)} s that a request takes alone on {row['system']}"
        raise CannotPlan("request, response_s", expected=least, found=f"{response_s:g}", remedy="Ask for a longer one.")
    fewer = float(np.floor(optimize.brentq(lambda n: closed(n, service, think, 1.0) - response_s, 1.0, users)))
    # what is known of the rating stays as sure, relative to it
    return row | {
        "users": fewer,
        "users_low": row["users_low"] * fewer / users,
        "users_high": float("nan"),
        "std_error": row["std_error"] * fewer / users,
        "response_s": response_s,
        "basis": f"closed queue through the run of {number(users)} users at {number(measured_s)} s",
        AT_RESPONSE: True,
    }


def _alone_s(row):
    """How long a request takes alone, in seconds: the service of the closed queue that gives the run's response."""
    users, think, response = row["users"], row["think_s"], row["response_s"]
    return optimize.brentq(lambda s: closed(users, s, think, 1.0) - response, 1e-9, response)
