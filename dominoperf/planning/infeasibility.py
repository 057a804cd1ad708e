"""Why no set of servers is enough: the limits that stand in the way, and how much of the demand fits."""

import itertools

from dominoperf.errors import CannotPlan
from dominoperf.planning.search import Search

LIMITS = ("max_servers", "max_price_usd", "memory", "disk", "redundancy")


def infeasibility(search: Search) -> CannotPlan:
    """Return the error for a demand that nothing carries: each limit, or two, lifted in turn; the share that fits."""
    enough = lambda problem: problem and Search(problem, search.work).cheapest().numbers is not None  # noqa: E731
    lifted = {name: each for name in LIMITS if (each := search.problem.without(name)) is not None}
    ways = [name for name, problem in lifted.items() if enough(problem)]
    if not ways:
        pairs = itertools.combinations(lifted, 2)
        pair = next((pair for pair in pairs if enough(lifted[pair[0]].without(pair[1]))), tuple(lifted))
        ways = [" and ".join(pair) + " together"]
    share, more = search.largest_share()
    named, least = " or ".join(ways), " at least" if more else ""
    remedy = f"Lift {named}; as it is, {int(1e4 * share + 1e-3) / 100:.2f} %{least} of the people of every group fit."
    expected = "servers that carry all the people within the limits"
    return CannotPlan("choose", expected=expected, found=f"none because of {named}", remedy=remedy)
