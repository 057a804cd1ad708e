"""The cheapest set of servers for a request, the next ones, and what more money buys."""

import dataclasses
import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan, as_typed, capitalized, is_number, names_its_keywords, spelling
from dominoperf.planning.assignment import Assignment, most_compact_assignment
from dominoperf.planning.catalogue import Catalogue, as_catalogue_spells, is_modelled_rating, ratings, systems
from dominoperf.planning.plans import Plan, plan_of_parts, rules_errata
from dominoperf.planning.request import Request, RequestLike, check_people_are_no_shares, read_request
from dominoperf.planning.risk import PEOPLE, draw_inputs, uncertain_people
from dominoperf.planning.rules import Rules, rules_named
from dominoperf.planning.server_set_problem import (
    ServerSetProblem,
    kind_of_each_server,
    not_offered_in_words,
    server_set_problem,
)
from dominoperf.planning.server_set_search import WORK, ServerSetFound, ServerSetSearch
from dominoperf.planning.steps import (
    Placement,
    check_target_utilization,
    people_as_benchmark_users,
    planned_people,
    system_shares_of_groups,
    whole_people,
)
from dominoperf.planning.unmeasured import MODELLED
from dominoperf.tables import carried_errata, rendering
from dominoperf.tables.rendering import Result

_CLOSE = 1e-6  # of the demand, between headroom found and the most there can be
MOST_GROUPS = 1_000  # of a search, which takes seconds for so many
LIMITS = ("max_servers", "max_price_usd", "memory", "disk", "redundancy")
_OPTIONS = {"max_servers": "--max-servers", "max_price_usd": "--max-price"}
_MOST_SCALE, _SCALE_STEP = 2.0, 0.01  # of the people, up to which price is set against headroom, and in what steps
_FUTURES = 100_000  # drawn for a probability, as `assess` draws
_POINTS = 12  # of price against headroom: each is a search of its own


@dataclass(frozen=True)
class ServerSet:
    """A set of servers, and who is on which."""

    numbers: tuple  # servers of each kind of the problem
    kinds: tuple  # of each server that people are on
    idle: tuple  # kinds of the spare servers
    assignment: Assignment  # by server of `kinds`, and group
    price_usd: float
    bound_usd: float  # below which there is no such set
    proved: bool  # whether there is none cheaper

    def people(self) -> np.ndarray:
        """Return the people of each group on each kind, groups × kinds."""
        people = np.zeros((self.assignment.people.shape[1], len(self.numbers)))
        np.add.at(people.T, list(self.kinds), self.assignment.people)
        return people

    def whole_people(self) -> np.ndarray:
        """Return the same in whole numbers, which are shown: a group may be cut within a person."""
        return np.array([whole_people(people, round(people.sum())) for people in self.people()])

    def used(self) -> list[int]:
        """Return the kinds that people are on."""
        present = self.assignment.present.any(axis=1)
        return sorted({kind for kind, there in zip(self.kinds, present, strict=True) if there})


@carried_errata.carries_errata("glance", "tidy", "pareto")
@dataclass(frozen=True, eq=False)
class Choice(Result):
    """The cheapest sets of servers, the best first; the runners-up and headroom are looked for when asked for.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> choice = choose(example(), runners_up=0)
    >>> choice.bound_usd, {system: plan.ram_mb for system, plan in choice.plans().items()}
    (59052.73, {'ProLiant 3000 1xP2/300': {'Server 1': 448.0}, 'ProLiant 5000 1xP6/200-512': {'Server 2': 512.0}})
    """

    request: Request
    rules: Rules
    problem: ServerSetProblem
    catalogue: Mapping
    search: ServerSetSearch
    cheapest: ServerSetFound
    runners_up: int
    catalogue_errata: tuple = ()  # that touch the users and prices of our systems

    @functools.cached_property
    def errata(self) -> tuple:
        """The errata of our systems' users and prices, and of the cells that print the rules it follows."""
        return (*self.catalogue_errata, *rules_errata(self.request, self.rules))

    @property
    def notes(self) -> tuple[str, ...]:
        """Which rows of the catalogue are not offered, and why; how likely the cheapest set suffices."""
        rows = not_offered_in_words(self.problem.not_offered)
        if not uncertain_people(self.request):
            return rows
        share = rendering.percent(math.floor(100 * self.probability()) / 100)
        enough = f"the cheapest set suffices in at least {share} of {_FUTURES:,} futures"
        return (*rows, f"the spread of people is not used in choosing servers: {enough}; for a surer one raise users")

    @functools.cached_property
    def _workloads(self):
        """The workloads that people of the request run."""
        return {part.workload for part in people_as_benchmark_users(self.request, self.rules).groups}

    @functools.cached_property
    def sets(self) -> tuple[ServerSet, ...]:
        """The sets, the next ones in price that are no cheaper one with servers added after the cheapest."""
        answers = [self.cheapest]
        while len(answers) <= self.runners_up:
            more = self.search.cheapest(1.0, [answer.numbers for answer in answers if answer.numbers is not None])
            if more.numbers is None:
                break
            answers.append(more)
        return (self._best_set, *map(self._server_set, answers[1:]))

    @functools.cached_property
    def _best_set(self):
        return self._server_set(self.cheapest)

    def _server_set(self, answer):
        """The servers and the assignment of a set that the search found; its dearest servers are the spare ones."""
        dearest_first = sorted(kind_of_each_server(answer.numbers), key=lambda kind: -self.problem.price_usd[kind])
        idle, kinds = dearest_first[: self.problem.spare], tuple(sorted(dearest_first[self.problem.spare :]))
        assignment = most_compact_assignment(self.problem, kinds, self.search.assignment(kinds))
        price, bound = self.problem.price(answer.numbers), math.floor(100 * answer.bound + 1e-3) / 100
        return ServerSet(answer.numbers, kinds, tuple(idle), assignment, price, min(bound, price), answer.proved)

    @property
    def bound_usd(self) -> float:
        """The price below which no set can be; that of the cheapest set where it is proved."""
        return self._best_set.bound_usd

    @functools.cached_property
    def headroom(self) -> tuple[tuple[float, float], ...]:
        """By which share of the demand all groups could grow on each set, at least and at most."""
        scales = [self.search.largest_scale(chosen.numbers) for chosen in self.sets]
        return tuple((max(low - 1, 0.0), max(high - 1, 0.0)) for low, high in scales)

    def glance(self) -> pd.DataFrame:
        """Return one row per set: rank, price_usd, bound_usd, servers, headroom_percent, set (in words), basis, reason.

        bound_usd is a price below which there is no such set. basis says whether the set is "proved cheapest" or
        "proved next", or the "search cut short"; "headroom at least" where more was not excluded; "modelled" where a
        system of the set has its users from the model. reason says why headroom is NaN.
        """
        rows = []
        for rank, (chosen, room) in enumerate(zip(self.sets, self.headroom, strict=True), start=1):
            proof = "proved cheapest" if rank == 1 else "proved next"
            about = self._about(chosen.numbers, proof if chosen.proved else "search cut short", room)
            rows.append({"rank": rank, "bound_usd": chosen.bound_usd} | about)
        columns = ["rank", "price_usd", "bound_usd", "servers", "headroom_percent", "set", "basis", "reason"]
        return pd.DataFrame(rows)[columns]

    def _about(self, numbers, proof, room):
        """What `glance` and `pareto` say of a set; `room` is its headroom, at least and at most."""
        there = {name for name, count in zip(self.problem.names, numbers, strict=True) if count}
        used = [row for (name, run), row in self.catalogue.items() if name in there and run in self._workloads]
        at_least = ", headroom at least" * (room[1] - room[0] > _CLOSE * (1 + room[1]))
        return {
            "price_usd": self.problem.price(numbers),
            "headroom_percent": max(round(100 * room[0], 4), 0.0),
            "servers": sum(numbers),
            "set": self.problem.words(numbers),
            "basis": proof + at_least + f", {MODELLED}" * any(map(is_modelled_rating, used)),
            "reason": "no people that could grow" if math.isnan(room[0]) else "",
        }

    def tidy(self) -> pd.DataFrame:
        """Return a row for the people of a group on a kind: rank, system, servers, group, planned_users, share.

        share is of a server, all at work. A spare server is a group of its own, without people.
        """
        rows, problem = [], self.problem
        for rank, chosen in enumerate(self.sets, start=1):
            people = chosen.people()
            whole = chosen.whole_people()
            here = [
                (s, problem.groups[g], whole[g, s], people[g, s] * problem.share[s, g])
                for g, s in np.argwhere(people > 0)
            ]
            here += [(s, "(spare)", 0.0, 0.0) for s in sorted(set(chosen.idle))]
            rows += [(rank, problem.names[s], chosen.numbers[s], *who) for s, *who in here]
        columns = {"rank": int, "system": "str", "servers": int, "group": "str", "planned_users": float, "share": float}
        return pd.DataFrame(rows, columns=list(columns)).astype(columns)  # of nobody, too

    def plans(self, rank: int = 1) -> dict[str, Plan]:
        """Return the plan of each kind of system of a set, by its name: the five steps, server by server.

        Parameters
        ----------
        rank : int
            Of the set, as in `glance`: 1 the cheapest. Another makes the runners-up be looked for.

        Returns
        -------
        dict of str to Plan
            Each has the people that the set puts on that kind, and the spare servers that are of it.
        """
        chosen = self._best_set if rank == 1 else self.sets[rank - 1]
        return {self.problem.names[kind]: self._plan(chosen, kind) for kind in chosen.used()}

    def _plan(self, chosen, kind):
        """The plan of a kind of system in a set: the five steps for the people on its servers."""
        assignment = chosen.assignment
        in_use = assignment.present.any(axis=1)
        servers = [at for at, of_kind in enumerate(chosen.kinds) if of_kind == kind and in_use[at]]
        present = np.flatnonzero(assignment.present[servers].any(axis=0))
        groups_here = []
        whole = chosen.whole_people()
        for g in present:
            databases = self.request.groups[g].databases if assignment.databases[servers, g].any() else 0
            people = {"users": float(whole[g, kind]), "databases": databases}
            groups_here.append(dataclasses.replace(self.request.groups[g], **people, growth_percent=None, spread=None))
        plain = {"growth_percent": 0.0, "months_ahead": 0.0, "overlap": (), "placement": None}
        idle, system = chosen.idle.count(kind), self.problem.names[kind]
        plain |= {"groups": tuple(groups_here), "system": system, "spare_servers": idle}
        request = dataclasses.replace(self.request, **plain)
        demand = people_as_benchmark_users(request, self.rules)
        # Of the people asked for these are as many as the set puts on this kind of system.
        rows = [row._replace(basis="cheapest set") if row.basis == "request" else row for row in demand.rows]
        demand = dataclasses.replace(demand, rows=tuple(rows))
        groups, rated = system_shares_of_groups(demand, self.catalogue)
        parts = []
        for at in servers:
            for group, g in zip(groups, present, strict=True):
                if assignment.present[at, g]:
                    people = float(assignment.people[at, g])
                    part = people / group.planned_users if group.planned_users else 0.0
                    databases = group.databases if assignment.databases[at, g] else 0
                    here = {"planned_users": people, "databases": databases, "server": f"Server {at + 1}"}
                    parts.append(group._replace(**here, users=part * group.users, share=part * group.share))
        plan = plan_of_parts(demand, groups, rated, Placement(parts, "cheapest set", len(servers)))
        check_servers_hold_plan(plan)
        return plan

    def probability(self) -> float:
        """Return how likely, at least, the cheapest set suffices for groups with a spread of people; NaN without one.

        The share of 100,000 futures in which no group has more than ``planned people × (1 + headroom)``. The set may
        carry more of one group while there are fewer of another. Ratings are held.
        """
        people = uncertain_people(self.request)
        if not people:
            return math.nan
        drawn = draw_inputs(people, (), _FUTURES, seed=0)
        most = dict(zip(self.problem.groups, self.problem.people * (1 + self.headroom[0][0]), strict=True))
        suffices = np.ones(_FUTURES, dtype=bool)
        for group in self.request.groups:
            if (PEOPLE, group.name) in drawn:
                suffices &= planned_people(group, drawn[PEOPLE, group.name], self.request) <= most[group.name]
        return float(suffices.mean())

    def pareto(self) -> pd.DataFrame:
        """Return price against headroom: price_usd, headroom_percent, servers, set, basis, reason.

        No row beats another. Headroom is by how many percent the people of all groups could grow together on the set.
        Each row is the cheapest set of at least one percent more headroom than the row before has; the first with 100 %
        is the last.
        """
        rows, scale = [], 1.0
        while scale <= _MOST_SCALE and len(rows) < _POINTS:
            answer = self.search.cheapest(scale) if rows else self.cheapest
            if answer.numbers is None:
                break
            low, high = self.search.largest_scale(answer.numbers)
            low = max(low, scale)
            proof = "proved cheapest" if answer.proved else "search cut short"
            rows.append(self._about(answer.numbers, proof, (low - 1, max(high, low) - 1)))
            scale = low + _SCALE_STEP
        frame = pd.DataFrame(rows)
        frame = frame.sort_values(["price_usd", "headroom_percent"], ascending=[True, False])
        best = frame["headroom_percent"].cummax().shift(fill_value=-1.0)
        return frame[~(frame["headroom_percent"] <= best)].reset_index(drop=True)  # NaN of nobody stays

    def headline(self) -> str:
        """Return the cheapest set, its price and how surely it is the cheapest, and how much more the next costs."""
        best, *others = self.sets
        proof = "No set of these systems that is enough costs less."
        if not best.proved:
            cheaper = rendering.number(100 * (1 - best.bound_usd / best.price_usd), 2)
            proof = f"The search was cut short: another may cost up to {cheaper} % less."
        told = f"The cheapest set that is enough: {self.problem.words(best.numbers)}, ${best.price_usd:,.0f}. {proof}"
        if others and others[0].price_usd == best.price_usd:
            told += " Another costs the same."
        elif others:
            more = rendering.number(100 * (others[0].price_usd / best.price_usd - 1), 2)
            told += f" The next{' that was found' * (not others[0].proved)} costs {more} % more."
        return " ".join([told, *(f"{capitalized(note)}." for note in self.notes)])

    def _tables(self):
        return self.glance(), self.tidy()


def check_servers_hold_plan(plan: Plan) -> None:
    """Refuse a plan of which a server needs more memory or drives than it can have.

    The solver's rounding alone can bring one about.
    """
    beyond = plan.beyond_system()
    if beyond:
        remedy = "The solver's rounding is at fault: change the demand a little."
        raise CannotPlan("choose", expected="servers that hold the plan", found="; ".join(beyond), remedy=remedy)


@names_its_keywords()
def choose(
    request: RequestLike,
    *,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    max_servers: int | None = None,
    max_price_usd: float | None = None,
    runners_up: int = 3,
    work: float = WORK,
) -> Choice:
    """Return the cheapest set of servers that carries the people of a request, of one system or several.

    A set is enough if each person has a server, and no server has more than it carries (in every hour), than its
    memory as priced, or than the drives of an array controller hold; memory, paging file and databases are those of
    steps 4 and 5, server by server. Groups can be divided; the databases of a group are on one server. With
    `spare_servers` k in the request, what is left is enough whichever k servers fail.

    What the servers of a kind hold together bounds the price from below and proposes sets in its order; the exact
    integer program accepts one or cuts it off (both solved by HiGHS). Where that takes more than `work`, or the servers
    are very many, the best set met with is given, and the bound; its basis says "search cut short". The runners-up are
    the next sets in price, up to three times that of the cheapest, that are not a cheaper one with servers added.

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
        What each search may take: nodes of the programs, by the cube of their integer columns; no seconds, so that
        the answer is the same on every machine.

    Returns
    -------
    Choice

    Raises
    ------
    CannotPlan
        When no set is enough: which limit is in the way, and what share of the demand fits. When there are more
        than `MOST_GROUPS` groups.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> choose(example(), runners_up=0).glance()[["set", "basis"]].iloc[0].tolist()
    ['1 ProLiant 3000 1xP2/300 + 1 ProLiant 5000 1xP6/200-512', 'proved cheapest']
    """
    checked = read_request(request)
    for name, value, least in (
        ("max_servers", max_servers, 1), ("runners_up", runners_up, 0), ("max_price_usd", max_price_usd, None),
        ("work", work, None),
    ):  # fmt: skip
        unset = value is None and name in ("max_servers", "max_price_usd")
        above = is_number(value) and (value > 0 if least is None else value >= least and float(value).is_integer())
        if not (unset or above):
            expected = "above 0" if least is None else f"a whole number, {least} or more"
            where, remedy = f"choose, {name}", "Mend the call."
            if name in _OPTIONS:
                where, remedy = spelling(where, _OPTIONS[name]), spelling(remedy, "Mend it, or leave it out.")
            raise CannotPlan(where, expected=expected, found=as_typed(value), remedy=remedy)
    if checked.placement is not None:
        remedy = "Leave it out, or name a system and use `plan`."
        found = ", ".join(map(str, checked.placement))
        raise CannotPlan("request, placement", expected="none where servers are chosen", found=found, remedy=remedy)
    if len(checked.groups) > MOST_GROUPS:
        remedy = "Join groups of one profile, or name the system: a plan of one system takes any number of groups."
        expected, found = f"at most {MOST_GROUPS} groups where servers are chosen", f"{len(checked.groups):,}"
        raise CannotPlan("request, groups", expected=expected, found=found, remedy=remedy)
    check_people_are_no_shares(checked)
    chosen, priced = rules_named(rules), ratings(catalogue)
    checked = as_catalogue_spells(checked, priced)
    demand = people_as_benchmark_users(checked, chosen)
    check_target_utilization(demand)
    limits = {"max_servers": max_servers or math.inf, "max_price_usd": max_price_usd or math.inf}
    problem = server_set_problem(demand, priced, **limits)
    search = ServerSetSearch(problem, work)
    cheapest = search.cheapest()
    if cheapest.numbers is None:
        raise infeasibility_of_demand(search)
    errata = ()
    if catalogue is None:
        errata = carried_errata.errata_of(carried_errata.columns_used(systems(), "users", "price_usd"))
    choice = Choice(checked, chosen, problem, priced, search, cheapest, int(runners_up), errata)
    choice.plans()  # which checks the set by the five steps
    return choice


def infeasibility_of_demand(search: ServerSetSearch) -> CannotPlan:
    """Return the error for a demand that nothing carries: each limit, or two, lifted in turn; the share that fits."""
    enough = lambda problem: problem and ServerSetSearch(problem, search.work).cheapest().numbers is not None  # noqa: E731
    lifted = {name: problem for name in LIMITS if (problem := search.problem.without(name)) is not None}
    called = {name: spelling(name, _OPTIONS.get(name, name)) for name in lifted}
    ways = [name for name, problem in lifted.items() if enough(problem)]
    if not ways:
        pairs = itertools.combinations(lifted, 2)
        pair = next((pair for pair in pairs if enough(lifted[pair[0]].without(pair[1]))), tuple(lifted))
        ways = [" and ".join(called[name] for name in pair) + " together"]
    share, more = search.largest_share()
    named, least = " or ".join(called.get(way, way) for way in ways), " at least" if more else ""
    remedy = f"Lift {named}; as it is, {int(1e4 * share + 1e-3) / 100:.2f} %{least} of the people of every group fit."
    if "max_price_usd" in ways:  # to the cent: a budget of the price in whole dollars may be too small by less than one
        without = ServerSetSearch(lifted["max_price_usd"], search.work).cheapest()
        price = f"{np.dot(without.numbers, lifted['max_price_usd'].price_usd):,.2f}".removesuffix(".00")
        which = "the cheapest set" if without.proved else "a set"
        remedy += f" Without {called['max_price_usd']} {which} that is enough costs ${price}."
    expected = "servers that carry all the people within the limits"
    where = spelling("choose", "dominoperf plan")
    return CannotPlan(where, expected=expected, found=f"none because of {named}", remedy=remedy)
