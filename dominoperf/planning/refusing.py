"""Why no set of servers is enough: the limits that stand in the way, and how much of the demand fits."""

import itertools

from dominoperf.errors import CannotPlan
from dominoperf.planning.searching import Search

LIMITS = ("max_servers", "max_price_usd", "memory", "disk", "redundancy")


def refusal(search):
    """Give the error for a demand that nothing carries: each limit, or two, lifted in turn; the share that fits."""
    market = search.market
    lifted = {name: each for name in LIMITS if (each := market.without(name)) is not None}
    ways = [name for name, each in lifted.items() if _enough(each, search.work)]
    named = " or ".join(ways) if ways else _pair(lifted, search.work)
    share, more = search.largest()
    told = " at least" if more else ""
    remedy = f"Lift {named}; as it is, {int(1e4 * share + 1e-3) / 100:.2f} %{told} of the people of every group fit."
    expected = "servers that carry all the people within the limits"
    return CannotPlan("choose", expected=expected, found=f"none because of {named}", remedy=remedy)


def _enough(market, work):
    """Whether some set is enough."""
    return Search(market, work).cheapest().numbers is not None


def _pair(lifted, work):
    """Two limits without which some set is enough, in words; all of them where no two are."""
    for one, other in itertools.combinations(lifted, 2):
        both = lifted[one].without(other)
        if both is not None and _enough(both, work):
            return f"{one} and {other} together"
    return " and ".join(lifted) + " together"
