"""A given set of servers: how many people it is recommended for, how sure that is, and how much headroom is in it."""

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd

from dominoperf.errors import CannotPlan
from dominoperf.planning.assignment import assign, relax_and_fix
from dominoperf.planning.conversion import classify, convert
from dominoperf.planning.packing import check_count
from dominoperf.planning.problem import problem_of
from dominoperf.planning.request import PROFILES, Group, Request, RequestLike, read_request
from dominoperf.planning.risk import check_draws, drawn, rating_id, rating_inputs
from dominoperf.planning.rules import Rules
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.search import Search
from dominoperf.planning.systems import Catalogue, rating, ratings
from dominoperf.tables.rendering import number
from dominoperf.tables.results import Result

Servers = Mapping[str, int] | Sequence[str] | str | pd.DataFrame
"""What stands for a set: a dict of names to numbers, names, one name, or a frame of machines with a column servers."""
_COLUMNS = ["group", "workload", "planned_users", "users", "headroom_percent", "probability", "probability_std_error"]
_COLUMNS += ["binds", "basis", "reason"]
_SLACK = 1 + 1e-9
_LARGE = 300  # servers times groups, beyond which they are filled one after the other


@dataclass(frozen=True)
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
    rows: tuple[dict, ...] = field(repr=False)
    about: dict[str, dict] = field(repr=False)  # a rating of each system, for its parts and price

    def tidy(self) -> pd.DataFrame:
        """Return a row for each profile, which has the set alone, or for each group of the request, which share it.

        Returns
        -------
        DataFrame
            group, workload; planned_users (the people that the set is recommended for); users (what these are as users
            of the benchmark); headroom_percent (by how much they could grow until a server is full, without the
            headroom of the rules and by the users of the ratings rather than their lower bounds); probability (that
            every server carries its people and keeps the headroom), probability_std_error; binds (processor, memory
            or disk_space); basis (of the ratings); reason.
        """
        return pd.DataFrame(self.rows, columns=_COLUMNS)

    def glance(self) -> pd.DataFrame:
        """Return one row: servers, processors, ram_mb, price_usd (of all; NaN where not known), rules, set, basis."""
        totals = {"servers": float(sum(self.numbers.values()))}
        for part in ("processors", "ram_mb", "price_usd"):
            totals[part] = sum(count * self.about[name][part] for name, count in self.numbers.items())
        bases = ", ".join(dict.fromkeys(word for row in self.rows for word in row["basis"].split(", ") if word))
        return pd.DataFrame([totals | {"rules": self.rules.name, "set": self._words(), "basis": bases}])

    def headline(self) -> str:
        """Return in a sentence how many people the set is recommended for."""
        rows = [row for row in self.rows if row["planned_users"] == row["planned_users"]]
        if not rows:
            return f"{self._words()}: no recommendation. {self.rows[0]['reason']}"
        people = [f"{number(row['planned_users'])} {row['group'].replace('_', ' ')}" for row in rows]
        joined = ", ".join(people) if self.request else " or ".join(people)
        return (
            f"{self._words()}: recommended for {joined} people{' together' * bool(self.request and len(people) > 1)}."
        )

    def _words(self):
        """The set in words."""
        return " + ".join(f"{count} {name}" for name, count in self.numbers.items())

    def _page_tables(self):
        return self.tidy(), self.glance()


def recommend(
    servers: Servers,
    request: RequestLike | None = None,
    *,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    n: int = 100_000,
    seed: int = 0,
) -> Recommendation:
    """Return how many people a given set of servers is recommended for, with the chance that it carries them.

    By the rules of the five steps, server by server: ``people x multiplier / rating <= 1`` in every hour, memory by the
    tables within what the system is rated with, disks within the drives that an array controller holds. Without a
    request each profile has the whole set, filled server by server; with one its groups grow or shrink together, in the
    proportions of their people, until no more fit (`spare_servers` may fail).

    Parameters
    ----------
    servers : dict, names, or DataFrame
        Systems with their numbers: ``{"ProLiant 5000 1xP6/200-512": 2, "IBM PC Server 330": 1}``, a list of names, or
        one. A frame of machines has a row for each system as `systems` takes them, and may have a column servers.
    request : Request, dict or path, optional
        Groups in the proportions that are asked for; its own `system` and `placement` are not looked at.
    rules, catalogue : as `plan` takes them
    n, seed : int
        Futures to draw for the probability, as in `assess`.

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
    check_draws("recommend", n, seed, 0.95)
    if isinstance(servers, pd.DataFrame):
        catalogue = servers.drop(columns="servers", errors="ignore")
        counts = np.broadcast_to(servers.get("servers", 1), len(servers)).tolist()
        numbers = dict(zip(catalogue["system"], counts, strict=True)) if "system" in catalogue else {}
    elif isinstance(servers, Mapping):
        numbers = dict(servers)
    else:
        names = list(servers) if isinstance(servers, (list, tuple)) else [servers]
        numbers = dict(collections.Counter(name if isinstance(name, str) else repr(name) for name in names))
    _check_numbers(numbers)
    chosen, by_name = rules_named(rules), ratings(catalogue)
    mix = None if request is None else read_request(request)
    one_by_one = [Request((Group(profile, 1, profile),)) for profile in PROFILES]
    rows, about = [], {}
    for asked_for in one_by_one if mix is None else [mix]:
        demand = convert(classify(asked_for, chosen))
        rated, reasons = _ratings_of_set(numbers, demand, by_name)
        for (name, _), row in rated.items():  # a tested row, which has a price, rather than a modelled one
            about[name] = about[name] if name in about and about[name]["price_usd"] > 0 else row
        if rated or mix is not None:
            rows += _rows_of_demand(demand, numbers, rated, reasons, n, seed)
        else:
            group = demand.groups[0]
            unknown = dict.fromkeys(_COLUMNS, np.nan) | {"binds": "", "basis": "", "reason": "; ".join(reasons)}
            rows.append(unknown | {"group": group.group, "workload": group.workload})
    unrated = dict.fromkeys(("processors", "ram_mb", "price_usd"), np.nan)
    about = {name: about.get(name, unrated) for name in numbers}
    return Recommendation(numbers, mix, chosen, tuple(rows), about)


def _check_numbers(numbers):
    """Refuse a set without servers, and a number of servers that is none."""
    remedy = 'Write {"ProLiant 5000 1xP6/200-512": 2}, or "2 ProLiant 5000 1xP6/200-512" on the command line.'
    if not numbers:
        raise CannotPlan("recommend, servers", expected="the systems of the set", found="none", remedy=remedy)
    for name, count in numbers.items():
        whole = isinstance(count, Real) and not isinstance(count, bool) and count >= 1 and count == count // 1
        if not (whole and isinstance(name, str)):
            found = f"{count!r} of {name!r}"
            raise CannotPlan("recommend, servers", expected="a whole number of each", found=found, remedy=remedy)
        numbers[name] = int(count)
    check_count(sum(numbers.values()))


def _ratings_of_set(numbers, demand, catalogue):
    """The ratings of the systems of a set for the workloads of a demand, as a catalogue; why others have none."""
    rows, reasons = {}, []
    for name in numbers:
        for workload in dict.fromkeys(part.workload for part in demand.groups):
            try:
                rows[name, workload] = rating(catalogue, name, workload)
            except CannotPlan as error:
                reasons.append(f"{name}: no rating for {workload}, {error.found}")
    return rows, reasons


def _rows_of_demand(demand, numbers, rated, reasons, n, seed):
    """The rows of `tidy` for the groups of a demand, which share the set."""
    problem = _problem(demand, rated)
    counts = tuple(numbers.get(name, 0) for name in problem.names)
    failing = Search(problem).without_failing(counts)
    scale, people, kinds = min((_filled(problem, kinds) for _, kinds in failing), key=lambda filled: filled[0])
    without_limit = {"memory": problem.without("memory"), "disk_space": problem.without("disk")}
    gains = {name: _filled(other, kinds)[0] / scale if scale else np.inf for name, other in without_limit.items()}
    binds = max(gains, key=gains.get) if max(gains.values()) > 1 + 1e-6 else "processor"

    request = dataclasses.replace(demand.request, utilization_percent=100.0)
    steps = demand.rules.steps
    share = steps["servers"]["share"] | {"rating": "users"}
    without_headroom = Rules(demand.rules.name, steps | {"servers": steps["servers"] | {"share": share}})
    full = _problem(convert(classify(request, without_headroom)), rated)
    headroom = max(round(100 * (_filled(full, kinds)[0] / scale - 1), 4), 0.0) if scale else np.nan

    whole = np.floor(scale * problem.people + 1e-6)
    part_of_all = np.divide(whole, scale * problem.people, out=np.ones_like(whole), where=scale * problem.people > 0)
    chance, error, why = _chance(demand, problem, kinds, people * part_of_all, rated, n, seed)
    used = {problem.names[kind] for kind in kinds}
    reasons = [*reasons, *(f"the memory of {name} is not known" for name in _without_memory(used, rated))]
    rows = []
    for group, number_of_people in zip(demand.groups, whole, strict=True):
        bases = [
            row["basis"] for (name, workload), row in rated.items() if (name in used and workload == group.workload)
        ]
        per_person = group.users / group.planned_users if group.planned_users else 0.0
        rows.append({
            "group": group.group, "workload": group.workload, "planned_users": number_of_people,
            "users": number_of_people * per_person, "headroom_percent": headroom, "probability": chance,
            "probability_std_error": error, "binds": binds, "basis": ", ".join(dict.fromkeys(bases)),
            "reason": "; ".join(filter(None, [*reasons, why])),
        })  # fmt: skip
    return rows


def _without_memory(used, rated):
    """The systems of a set whose memory is not known, so that it sets no limit."""
    return sorted({name for (name, _), row in rated.items() if name in used and np.isnan(row["ram_mb"])})


def _problem(demand, rated):
    """The problem of a demand on the systems of the set; what they cost does not matter."""
    return problem_of(demand, {key: row | {"price_usd": 1.0} for key, row in rated.items()})


def _filled(problem, kinds):
    """How many times the demand some servers hold, the people of each group on each of them, and the servers."""
    search = Search(problem)
    groups = range(len(problem.people))
    alone = np.array([[max(search.most_alone(kind, group, 0.0), 0.0) for kind in kinds] for group in groups])
    if len(alone) == 1 and not problem.databases_mb[0]:
        return alone.sum() / problem.people[0], alone.T, kinds
    nobody, there = np.zeros((len(kinds), len(alone))), problem.people > 0
    if not (there.any() and alone[there].any(axis=1).all()):
        return 0.0, nobody, kinds
    # The search looks for no more than so many times the demand: begin near what is to be found.
    near = 1 / np.sum(problem.people[there] / alone[there].sum(axis=1))
    nearby = dataclasses.replace(problem, people=problem.people * near)
    low, _ = Search(nearby).largest_scale_on(kinds)
    held = low * (1 - 1e-7)  # which the solver, with its rounding, can assign again
    large = 4 * len(kinds) * len(alone) > _LARGE
    attempt = (relax_and_fix if large else assign)(nearby, kinds, held)
    return near * low, nobody if attempt.assignment is None else attempt.assignment.people, kinds


def _chance(demand, problem, kinds, people, rated, n, seed):
    """The chance that every server carries its people with the headroom, its error, and why there is none."""
    response_s = demand.request.response_s
    rows = {}
    for kind in set(kinds):
        for group in problem.serves(kind):
            key = problem.names[kind], demand.groups[group].workload
            rows[key] = rating(rated, *key, response_s)
    uncertain = rating_inputs(rows.values())
    if not uncertain:
        return np.nan, np.nan, "no chance: the ratings are of tests, what passed is a lower bound"
    values = drawn(uncertain, rows.values(), n, seed)
    suffices = np.ones(n, dtype=bool)
    for kind, *here in np.unique(np.column_stack([kinds, people]), axis=0):
        kind, load = int(kind), 0.0
        for group in problem.serves(kind):
            part = demand.groups[group]
            row = rows[problem.names[kind], part.workload]
            per_person = part.users / part.planned_users if part.planned_users else 1.0
            carried = values.get(rating_id(row), per_person / problem.share[kind, group])
            load = load + np.multiply.outer(problem.hours[:, group] * here[group] * per_person, 1 / carried)
        suffices &= (load <= _SLACK).all(axis=0)
    chance = float(suffices.mean())
    return chance, float(np.sqrt(chance * (1 - chance) / n)), ""
