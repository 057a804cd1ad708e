"""A given set of servers: how many people it is recommended for, and how much headroom is in it."""

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf.errors import (
    CannotPlan,
    UnknownName,
    as_python,
    as_typed,
    capitalized,
    counted,
    is_number,
    names_its_keywords,
    spelling,
)
from dominoperf.planning.catalogue import Catalogue, as_catalogue_spells, rating, ratings
from dominoperf.planning.request import PROFILES, Group, Request, RequestLike, read_request
from dominoperf.planning.rules import Rules, rules_named
from dominoperf.planning.server_set_problem import not_offered_in_words, server_kinds_left, server_set_problem
from dominoperf.planning.server_set_search import ServerSetSearch
from dominoperf.planning.steps import MEMORY_TABLES, MOST_SYSTEMS, growth_of_group, people_as_benchmark_users
from dominoperf.tables.rendering import Result, number

Servers = Mapping[str, int] | Sequence[str] | str
"""What stands for a set: a dict of names to numbers, names, or one name."""
_COLUMNS = ["group", "workload", "planned_users", "users", "headroom_percent", "binds"]
_COLUMNS += ["basis", "reason"]
_PARTS = ["processors", "ram_mb", "price_usd"]


@dataclass(frozen=True, eq=False)
class Recommendation(Result):
    """The people that a set of servers is recommended for. `tidy` has a row per profile or group, `glance` one row.

    Examples
    --------
    >>> set_of_two = recommend({"ProLiant 5000 1xP6/200-512": 2})
    >>> set_of_two.glance()[["servers", "processors", "ram_mb"]].iloc[0].tolist()
    [2.0, 2.0, 1024.0]
    """

    numbers: dict[str, int]
    request: Request | None
    rules: Rules
    rows: pd.DataFrame
    parts: pd.DataFrame  # processors, ram_mb and price_usd of a server of each system

    def tidy(self) -> pd.DataFrame:
        """Return a row for each profile, which has the set alone, or for each group of the request, which share it.

        Returns
        -------
        DataFrame
            group, workload; planned_users (the people that the set is recommended for, after their growth);
            users (what these are as users of the benchmark); headroom_percent (by how much they could grow until a
            server is full, without the headroom of the rules and by the users of the ratings rather than their lower
            bounds); binds (processor, memory or disk_space); basis (of the ratings); reason.
        """
        return self.rows.copy()

    def glance(self) -> pd.DataFrame:
        """Return one row: servers, processors, ram_mb, price_usd (of all), rules, set, basis, reason (of a NaN)."""
        counts = pd.Series(self.numbers)
        totals = self.parts.mul(counts, axis=0).sum(skipna=False).to_dict()
        unknown = [f"{name} of {system}" for name in totals for system in self.parts.index[self.parts[name].isna()]]
        bases = ", ".join(dict.fromkeys(word for basis in self.rows["basis"] for word in basis.split(", ") if word))
        words = {"rules": self.rules.name, "set": self._words(), "basis": bases}
        words["reason"] = f"not known: {', '.join(unknown)}" if unknown else ""
        return pd.DataFrame([{"servers": counts.sum()} | totals | words])

    def headline(self) -> str:
        """Return in a sentence how many people the set is recommended for; then the notes."""
        rows = self.rows.dropna(subset="planned_users")
        if rows.empty:
            return f"{self._words()}: no recommendation. {self.rows['reason'].iloc[0]}"
        people = [f"{number(row.planned_users)} {row.group.replace('_', ' ')}" for row in rows.itertuples()]
        together = " together" if self.request and len(people) > 1 else ""
        people = (", " if self.request else " or ").join(people)
        told = f"{self._words()}: recommended for {people} people{together}."
        if not MEMORY_TABLES.keys().isdisjoint(rows["workload"]):
            told += " Column users has them as users of the benchmark, whom `capacity` counts; memory is for people."
        return " ".join([told, *(f"{capitalized(note)}." for note in self.notes)])

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether some of the servers may fail, and at what time the people are so many, as the request has both."""
        if self.request is None:
            return ()
        spare, months, notes = self.request.spare_servers, self.request.months_ahead, []
        if spare:
            notes.append(f"{counted(spare, 'server')} of the set may fail: those left carry these people")
        growth = np.array([growth_of_group(group, self.request) for group in self.request.groups])
        if (growth != 1).any():
            today = np.floor(self.rows["planned_users"] / growth + 1e-6).map(number)
            today = ", ".join(f"{now} {group}" for now, group in zip(today, self.rows["group"], strict=True))
            notes.append(f"these are the people in {number(months)} months; today they are {today}")
        return tuple(notes)

    def _words(self):
        """The set in words."""
        return " + ".join(f"{count} {name}" for name, count in self.numbers.items())

    def _page_tables(self):
        return self.tidy(), self.glance()


@names_its_keywords()
def recommend(
    servers: Servers,
    request: RequestLike | None = None,
    *,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
) -> Recommendation:
    """Return how many people a given set of servers is recommended for.

    By the rules of the five steps, server by server: ``people x multiplier / rating <= 1`` in every hour, memory by the
    tables within what the system is rated with, disks within the drives that an array controller holds. Without a
    request each profile has the whole set, filled server by server; with one its groups grow or shrink together, in the
    proportions of their people, until no more fit (`spare_servers` may fail).

    Parameters
    ----------
    servers : dict or names
        Systems with their numbers: ``{"ProLiant 5000 1xP6/200-512": 2, "IBM PC Server 330": 1}``, a list of names, or
        one.
    request : Request, dict or path, optional
        Groups in the proportions that are asked for; its own `system` and `placement` are not looked at.
    rules, catalogue : as `plan` takes them

    Returns
    -------
    Recommendation

    Raises
    ------
    CannotPlan
        When the set is empty, a number is no whole number, or no system has a rating for a group of the request.
    UnknownName
        When there is no such system, profile or set of rules.

    Examples
    --------
    >>> one = recommend("ProLiant 5000 1xP6/200-512").tidy().set_index("group")
    >>> float(one.loc["light_mail", "planned_users"]), one.loc["light_mail", "binds"]
    (800.0, 'memory')
    """
    where = spelling("recommend, servers", "--servers")
    numbers = _systems_of_set(servers, where)
    chosen, by_name = rules_named(rules), ratings(catalogue)
    mix = None if request is None else as_catalogue_spells(read_request(request), by_name)
    one_by_one = [Request((Group(profile, 1, profile),)) for profile in PROFILES]
    rows, parts = [], pd.DataFrame(np.nan, index=list(numbers), columns=_PARTS)
    for asked_for in one_by_one if mix is None else [mix]:
        demand = people_as_benchmark_users(asked_for, chosen)
        rated, reasons = {}, []
        for name in numbers:
            for workload in dict.fromkeys(part.workload for part in demand.groups):
                try:
                    row = rating(by_name, name, workload)
                except UnknownName as error:
                    raise UnknownName(where, expected=error.expected, found=error.found, remedy=error.remedy) from None
                except CannotPlan as error:
                    reasons.append(f"{name}: no rating for {workload}; found {error.found}")
                    continue
                if not parts.at[name, "price_usd"] > 0:  # of a tested row, which has one, rather than of a modelled one
                    parts.loc[name] = [row[part] for part in _PARTS]
                rated[name, workload] = row | {"price_usd": 1.0}  # it is there, whatever it costs
        if rated or mix is not None:
            rows += _recommendation_rows_of_demand(demand, numbers, rated, reasons)
        else:
            group = demand.groups[0]
            words = {"group": group.group, "workload": group.workload, "reason": "; ".join(reasons)}
            rows.append({"binds": "", "basis": ""} | words)
    return Recommendation(numbers, mix, chosen, pd.DataFrame(rows, columns=_COLUMNS), parts)


def _systems_of_set(servers, where):
    """How many servers of each system there are, by its name: of a dict, a list of names or one name."""
    if isinstance(servers, Mapping):
        numbers = dict(servers)
    else:
        names = list(servers) if isinstance(servers, (list, tuple)) else [servers]
        numbers = dict(collections.Counter(name if isinstance(name, str) else as_python(name) for name in names))
    remedy = spelling(
        'Write {"ProLiant 5000 1xP6/200-512": 2}.',
        "Write --servers '2 ProLiant 5000 1xP6/200-512', once for each system.",
    )
    if not numbers:
        raise CannotPlan(where, expected="the systems of the set", found="none", remedy=remedy)
    for name, count in numbers.items():
        whole = is_number(count) and count >= 1 and count == count // 1
        if not (whole and isinstance(name, str)):
            found = f"{as_typed(count)} of {name!r}"
            raise CannotPlan(where, expected="a whole number of each", found=found, remedy=remedy)
        if not name.strip() or name.strip().isdecimal():
            expected = "the name of a system beside a number of them"
            raise CannotPlan(where, expected=expected, found=as_python(name), remedy=remedy)
        numbers[name] = int(count)
    if sum(numbers.values()) > MOST_SYSTEMS:
        expected, found = f"{MOST_SYSTEMS:,} servers at most", as_typed(sum(numbers.values()))
        raise CannotPlan(where, expected=expected, found=found, remedy="Give fewer.")
    return numbers


def _recommendation_rows_of_demand(demand, numbers, rated, reasons):
    """The rows of `tidy` for the groups of a demand, which share the set."""
    problem = server_set_problem(demand, rated)
    # Whichever servers fail, those left have to carry the people.
    left = list(server_kinds_left([numbers[name] for name in problem.names], problem.spare))
    scale = _largest_scale(problem, left)
    without_limit = {"memory": problem.without("memory"), "disk_space": problem.without("disk")}
    scales = {name: _largest_scale(other, left) for name, other in without_limit.items()}
    binds = max(scales, key=scales.get)
    binds = binds if scales[binds] > scale * (1 + 1e-6) else "processor"

    request = dataclasses.replace(demand.request, utilization_percent=100.0)
    steps = demand.rules.steps
    share = steps["servers"]["share"] | {"rating": "users"}
    without_headroom = Rules(demand.rules.name, steps | {"servers": steps["servers"] | {"share": share}})
    full = server_set_problem(people_as_benchmark_users(request, without_headroom), rated)
    headroom = max(0.0, round(100 * (_largest_scale(full, left) / scale - 1), 4)) if scale else np.nan

    whole = np.floor(scale * problem.people + 1e-6)
    unlimited = sorted({name for (name, _), row in rated.items() if np.isnan(row["ram_mb"])})
    late = not_offered_in_words(problem.not_offered, of="the set")
    reasons = [*reasons, *late, *(f"the memory of {name} is not known" for name in unlimited)]
    rows = []
    for group, planned in zip(demand.groups, whole, strict=True):
        bases = [row["basis"] for (_, run), row in rated.items() if run == group.workload]
        rows.append({
            "group": group.group, "workload": group.workload, "planned_users": planned,
            "users": planned * group.users_per_person,
            "headroom_percent": headroom, "binds": binds,
            "basis": ", ".join(dict.fromkeys(bases)), "reason": "; ".join(reasons),
        })  # fmt: skip
    return rows


def _largest_scale(problem, left):
    """How many times the demand servers hold, whichever of the kinds that may be left is the case."""
    return min(_largest_scale_on(problem, kinds) for kinds in left)


def _largest_scale_on(problem, kinds):
    """How many times the demand servers of some kinds hold."""
    groups = range(len(problem.people))
    alone = np.array([[max(problem.most_alone(kind, group, 0.0), 0.0) for kind in kinds] for group in groups])
    if len(alone) == 1 and not problem.databases_mb[0]:
        return alone.sum() / problem.people[0]
    there = problem.people > 0
    if not (there.any() and alone[there].any(axis=1).all()):
        return 0.0
    # The search looks for no more than so many times the demand: begin near what is to be found.
    near = 1 / np.sum(problem.people[there] / alone[there].sum(axis=1))
    nearby = dataclasses.replace(problem, people=problem.people * near)
    return near * ServerSetSearch(nearby).largest_scale_on(kinds)[0]
