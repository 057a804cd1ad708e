"""The cheapest set of servers for a request, the next ones, and what more money buys."""

import functools
import math
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan
from dominoperf.planning.buying import Bought, planned
from dominoperf.planning.market import Market, market_of
from dominoperf.planning.placing import tidied
from dominoperf.planning.refusing import refusal
from dominoperf.planning.request import read_request
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.searching import WORK, Found, Search
from dominoperf.planning.steps import check_target, classify, convert
from dominoperf.planning.systems import capacities, systems
from dominoperf.tables import doubts, rendering

_PROVED, _NEXT, _CUT_SHORT, _AT_LEAST = "proved cheapest", "proved next", "search cut short", "head-room at least"
_CLOSE = 1e-6  # of the demand, between head-room found and the most there can be
_GLANCE = ["rank", "price_usd", "bound_usd", "servers", "headroom_percent", "set", "basis"]
_TIDY = ["rank", "system", "servers", "group", "planned_users", "share"]
_PARETO = ["price_usd", "headroom_percent", "servers", "set", "basis"]
_POINTS = 12  # of price against head-room: each is a search of its own


@doubts.handing_on("glance", "tidy", "pareto")
@dataclass(frozen=True)
class Choice:
    """The cheapest sets of servers, the best first; the runners-up and head-room are looked for when asked for."""

    request: object
    rules: object
    market: Market
    known: dict = field(repr=False)
    search: Search = field(repr=False)
    cheapest: Found
    runners_up: int
    errata: tuple = field(default=(), repr=False)  # that touch the users and prices of our systems

    @functools.cached_property
    def bought(self):
        """The sets, as `Bought`."""
        return (self._best, *map(self._bought, self._next()))

    @functools.cached_property
    def _best(self):
        return self._bought(self.cheapest)

    def _next(self):
        """The next sets in price that are no cheaper one with servers added."""
        found = [self.cheapest]
        while len(found) <= self.runners_up:
            more = self.search.cheapest(1.0, [each.numbers for each in found])
            if more.numbers is None:
                break
            found.append(more)
        return found[1:]

    def _bought(self, found):
        kinds, idle = self.search.kept(found.numbers)
        placement = tidied(self.market, kinds, self.search.placement(kinds))
        price, bound = self.market.price(found.numbers), math.floor(100 * found.bound_usd + 1e-3) / 100
        return Bought(found.numbers, kinds, idle, placement, price, min(bound, price), found.proved)

    @property
    def bound_usd(self):
        """The price below which no set can be; that of the cheapest set where it is proved."""
        return self._best.bound_usd

    @functools.cached_property
    def headroom(self):
        """By which share of the demand all groups could grow on each set, at least and at most."""
        found = [self.search.most(each.numbers) for each in self.bought]
        return tuple((max(low - 1, 0.0), max(high - 1, 0.0)) for low, high in found)

    def glance(self):
        """Give a row a set: rank, price_usd, bound_usd, servers, headroom_percent, set (in words), basis.

        bound_usd is a price below which there is no such set. basis says whether the set is "proved cheapest" or
        "proved next", or the "search cut short"; "head-room at least" where more was not excluded.
        """
        rows = []
        for rank, (each, room) in enumerate(zip(self.bought, self.headroom, strict=True), start=1):
            proof = (_PROVED if rank == 1 else _NEXT) if each.proved else _CUT_SHORT
            prices = (each.price_usd, each.bound_usd, sum(each.numbers))
            rows.append((rank, *prices, *_percent(room), self.market.words(each.numbers), _basis(proof, room)))
        return pd.DataFrame(rows, columns=_GLANCE)

    def tidy(self):
        """Give a row for the people of a group on a kind: rank, system, servers, group, planned_users, share.

        share is of a server, all at work. A spare server is a group of its own, without people.
        """
        rows = []
        for rank, each in enumerate(self.bought, start=1):
            people = each.people()
            for g, s in np.argwhere(people > 0):
                names = (self.market.names[s], each.numbers[s], self.market.groups[g])
                rows.append((rank, *names, people[g, s], people[g, s] * self.market.share[s, g]))
            rows += [(rank, self.market.names[s], each.numbers[s], "(spare)", 0.0, 0.0) for s in sorted(set(each.idle))]
        return pd.DataFrame(rows, columns=_TIDY)

    def plans(self, rank=1):
        """Give the plan of each kind of system of a set, by its name: the five steps, server by server.

        Parameters
        ----------
        rank : int
            Of the set, as in `glance`: 1 the cheapest. Another makes the runners-up be looked for.

        Returns
        -------
        dict of str to Plan
            Each has the people that the set puts on that kind, and the spare servers that are of it.
        """
        each = self._best if rank == 1 else self.bought[rank - 1]
        given = (self.market, self.request, self.rules, self.known)
        return {self.market.names[kind]: planned(each, kind, *given) for kind in each.used()}

    def pareto(self, *, up_to_percent=100.0, apart_percent=1.0):
        """Give price against head-room: price_usd, headroom_percent, servers, set, basis; no row is beaten by another.

        Head-room is by how many percent the people of all groups could grow together on the set. Each row is the
        cheapest set of at least `apart_percent` more head-room than the row before has.

        Parameters
        ----------
        up_to_percent : float
            The first set with so much head-room is the last.
        apart_percent : float
            How much more each row has than the row before, at least.
        """
        rows, scale = [], 1.0
        while scale <= 1 + up_to_percent / 100 and len(rows) < _POINTS:
            found = self.search.cheapest(scale) if rows else self.cheapest
            if found.numbers is None:
                break
            low, high = self.search.most(found.numbers)
            low = max(low, scale)
            room = (low - 1, max(high, low) - 1)
            price, servers = self.market.price(found.numbers), sum(found.numbers)
            basis = _basis(_PROVED if found.proved else _CUT_SHORT, room)
            rows.append((price, *_percent(room), servers, self.market.words(found.numbers), basis))
            scale = low + apart_percent / 100
        return _unbeaten(pd.DataFrame(rows, columns=_PARETO))

    def __repr__(self):
        """Lay the sets out for a terminal."""
        return "\n".join(rendering.as_text(each) for each in (self.glance(), self.tidy()))

    def _repr_html_(self):
        return "".join(rendering.as_html(each) for each in (self.glance(), self.tidy()))


def _percent(room):
    """Head-room at least, without the solver's rounding, as the one cell of it."""
    return (max(round(100 * room[0], 4), 0.0),)


def _basis(proof, room):
    return proof if room[1] - room[0] <= _CLOSE * (1 + room[1]) else f"{proof}, {_AT_LEAST}"


def _unbeaten(frame):
    """The rows that no other beats in price and head-room, by price."""
    frame = frame.sort_values(["price_usd", "headroom_percent"], ascending=[True, False], ignore_index=True)
    best = frame["headroom_percent"].cummax().shift(fill_value=-1.0)
    return frame[frame["headroom_percent"] > best].reset_index(drop=True)


def choose(
    request, *, rules="corrected", catalogue=None, max_servers=None, max_price_usd=None, runners_up=3, work=WORK
):
    """Find the cheapest set of servers that carries the people of a request, of one system or several.

    A set is enough if each person is on a server and no server has more than it carries (in every hour), than its
    memory as priced, or than the drives of an array controller hold. Memory, paging file and databases follow the
    rules of steps 4 and 5 exactly, server by server; groups can be divided, the databases of a group lie on one server.
    With `spare_servers` k in the request, what is left is enough whichever k servers fail. Solved by SciPy's HiGHS:
    what the servers of a kind hold together bounds the price from below and proposes sets in its order, the exact
    program accepts one or cuts it off. Where that takes more than `work`, or the servers are very many, the best set
    met with is given, and the bound; its basis says "search cut short". The runners-up are the next sets in price, up
    to three times that of the cheapest, that are not a cheaper one with servers added.

    Parameters
    ----------
    request : Request, dict or path
        Its `system` is not looked at. A `placement` is refused: it names servers that are to be found here.
    rules, catalogue : as `plan` takes them
    max_servers : int, optional
        Servers there may be, spare ones too.
    max_price_usd : float, optional
    runners_up : int
        Looked for when they are asked for.
    work : float
        What each search may take: nodes of the programs, by the cube of their whole-number columns; no seconds, so that
        the answer is the same on every machine.

    Returns
    -------
    Choice

    Raises
    ------
    CannotPlan
        When no set is enough: which limit stands in the way, and what share of the demand fits.
    """
    asked = read_request(request)
    _check(max_servers, max_price_usd, runners_up, work)
    if asked.placement is not None:
        remedy = "Leave it out, or name a system and use `plan`."
        found = ", ".join(map(str, asked.placement))
        raise CannotPlan("request, placement", expected="none where servers are chosen", found=found, remedy=remedy)
    chosen = rules_named(rules)
    known = capacities(catalogue)
    limits = {"max_servers": max_servers or math.inf, "max_price_usd": max_price_usd or math.inf}
    demand = convert(classify(asked, chosen))
    check_target(demand)
    market = market_of(demand, known, **limits)
    search = Search(market, work)
    found = search.cheapest()
    if found.numbers is None:
        raise refusal(search)
    touched = doubts.doubts(doubts.within(systems(), "users", "price_usd")) if catalogue is None else ()
    choice = Choice(asked, chosen, market, known, search, found, int(runners_up), touched)
    choice.plans()  # which checks the set by the five steps
    return choice


def _check(max_servers, max_price_usd, runners_up, work):
    """Refuse limits that mean nothing."""
    for name, value, least in (("max_servers", max_servers, 1), ("runners_up", runners_up, 0)):
        unset = value is None and name != "runners_up"
        if not unset and not (isinstance(value, Real) and value >= least and value == value // 1):
            expected = f"a whole number, {least} or more"
            raise CannotPlan(f"choose, {name}", expected=expected, found=str(value), remedy="Mend the call.")
    for name, value in (("max_price_usd", max_price_usd), ("work", work)):
        if value is not None and not (isinstance(value, Real) and value > 0):
            raise CannotPlan(f"choose, {name}", expected="above 0", found=str(value), remedy="Mend the call.")
