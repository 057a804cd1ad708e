"""The cheapest servers: against exhaustive search, the front, limits that stand in the way, the case study."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

from dominoperf import catalog, planning
from dominoperf.errors import CannotPlan
from dominoperf.planning import Group, Request, choose, example
from dominoperf.planning.choosing import memory_line, solve
from dominoperf.planning.sizes import MEMORY_RULES, memory_needed

PROFILES = ("light_mail", "maildb_active", "groupware")
WORKLOADS = ("Mail", "MailDB", "Groupware_A")


def asked(**settings):
    """A request whose drives are never short."""
    return Request(drive_gb=1000.0, **settings)


def catalogue(rng, systems, ram_mb=1e6):
    """Systems for sale with capacities of three workloads, and memory that is never short."""
    row = dict.fromkeys(planning.systems().columns, np.nan) | {"basis": "given", "locator": ""}
    rows = [
        row | {"system": f"S{s}", "workload": workload, "users": float(rng.integers(300, 3000)), "ram_mb": ram_mb}
        for s in range(systems)
        for workload in WORKLOADS
    ]
    prices = {f"S{s}": float(rng.integers(5, 60) * 1000) for s in range(systems)}
    frame = pd.DataFrame(rows)
    return frame.assign(users_low=frame["users"], price_usd=frame["system"].map(prices))


def exhaustive(request, known, most):
    """All sets of servers that carry the people, by price: a linear program for each says whether they do."""
    names = list(known["system"].unique())
    price = np.array([known["price_usd"][known["system"] == name].iloc[0] for name in names])
    multiplier = [planning.rules().value("users", group.profile) for group in request.groups]
    users = np.array([m * group.users for m, group in zip(multiplier, request.groups, strict=True)])
    table = known.pivot(index="system", columns="workload", values="users")
    carried = table.loc[names, [planning.PROFILES[group.profile] for group in request.groups]].to_numpy()
    found = []
    for n in itertools.product(range(most + 1), repeat=len(names)):
        if sum(n) and _carries(np.array(n), users, carried):
            found.append((float(np.array(n) @ price), n))
    return sorted(found)


def _carries(n, users, carried):
    """Whether some division of the users among kinds keeps the load of each within its servers."""
    S, G = carried.shape
    everybody = np.kron(np.ones(S), np.eye(G))
    load = np.zeros((S, S * G))
    for s in range(S):
        load[s, s * G : (s + 1) * G] = 1 / carried[s]
    return optimize.linprog(np.zeros(S * G), A_ub=load, b_ub=n + 1e-9, A_eq=everybody, b_eq=users).status == 0


@pytest.mark.parametrize("seed", range(12))
def test_against_exhaustive_search(seed):
    """The price of the best set, and of the runners-up that are no cheaper set with servers added."""
    rng = np.random.default_rng(seed)
    known = catalogue(rng, systems=int(rng.integers(2, 4)))
    groups = tuple(Group(name, float(rng.integers(50, 900)), name) for name in PROFILES[: int(rng.integers(1, 4))])
    request = asked(groups=groups)
    found = choose(request, catalogue=known, runners_up=2, rules="corrected")
    kept = []
    for price, n in exhaustive(request, known, most=6):
        if not any((np.array(other) <= n).all() for _, other in kept):
            kept.append((price, n))
    prices = found.glance()["price_usd"].tolist()
    assert prices == pytest.approx([price for price, _ in kept[: len(prices)]])
    assert found.bound_usd == pytest.approx(prices[0])  # memory is never short here


def test_the_front_is_attained_and_not_beaten():
    """More money buys more head-room; each point is what the cheapest set with that head-room costs."""
    rng = np.random.default_rng(3)
    known = catalogue(rng, systems=3)
    found = choose(asked(groups=(Group("a", 700, "light_mail"), Group("b", 60, "groupware"))), catalogue=known)
    front = found.pareto()
    assert front["price_usd"].is_monotonic_increasing
    assert front["headroom_percent"].is_monotonic_increasing
    for row in front.head(4).itertuples():
        cheapest = solve(found.market, least=1 + row.headroom_percent / 100 - 1e-6)
        assert cheapest.price_usd == pytest.approx(row.price_usd)


def test_everybody_is_placed_within_the_load():
    """The people of each group add up; no kind has more load than servers; its plan asks for no more of them."""
    rng = np.random.default_rng(5)
    known = catalogue(rng, systems=3)
    groups = (Group("a", 1700, "light_mail"), Group("b", 400, "maildb_active"), Group("c", 90, "groupware"))
    found = choose(asked(groups=groups), catalogue=known)
    table = found.tidy().query("rank == 1")
    assert table.groupby("group")["planned_users"].sum().to_dict() == pytest.approx({"a": 1700, "b": 400, "c": 90})
    load = table.groupby("system")["share"].sum()
    servers = table.groupby("system")["servers"].first()
    assert (load <= servers + 1e-6).all()
    assert sum(each.servers for each in found.plans().values()) <= servers.sum()


def test_spare_servers():
    """With one spare, the load fits on one server fewer of each kind in use."""
    known = catalogue(np.random.default_rng(7), systems=2)
    plain = choose(asked(groups=(Group("a", 900, "light_mail"),)), catalogue=known)
    spare = choose(asked(groups=(Group("a", 900, "light_mail"),), spare_servers=1), catalogue=known)
    assert spare.glance()["price_usd"][0] > plain.glance()["price_usd"][0]
    load = spare.tidy().query("rank == 1")
    assert (load.groupby("system")["share"].sum() <= load.groupby("system")["servers"].first() - 1 + 1e-6).all()


def test_limits_are_named():
    """Which one stands in the way, and what share of the demand is certain to fit."""
    rng = np.random.default_rng(9)
    known = catalogue(rng, systems=2)
    request = asked(groups=(Group("a", 4000, "light_mail"),))
    best = choose(request, catalogue=known).glance().iloc[0]
    with pytest.raises(CannotPlan, match="because of max_price_usd") as refused:
        choose(request, catalogue=known, max_price_usd=best["price_usd"] / 2)
    share = float(str(refused.value).partition("as it is, ")[2].partition(" %")[0]) / 100
    fewer = asked(groups=(Group("a", 4000 * (share - 0.001), "light_mail"),))
    assert choose(fewer, catalogue=known, max_price_usd=best["price_usd"] / 2)
    more = asked(groups=(Group("a", 4000 * (share + 0.01), "light_mail"),))
    with pytest.raises(CannotPlan, match="max_price_usd"):
        choose(more, catalogue=known, max_price_usd=best["price_usd"] / 2)
    with pytest.raises(CannotPlan, match="max_servers"):
        choose(request, catalogue=known, max_servers=1)
    with pytest.raises(CannotPlan, match="measured with DiscDB"):
        choose(asked(groups=(Group("a", 10, "discdb"),)), catalogue=known)
    small = known.assign(ram_mb=64.0)
    with pytest.raises(CannotPlan, match="because of memory"):
        choose(request, catalogue=small)


def test_the_memory_line_is_nowhere_below_the_rule():
    """For every workload and number of people to 5,000."""
    rules, people = planning.rules(), np.arange(1.0, 5000.0)
    for workload, rule in MEMORY_RULES.items():
        base, each = memory_line(workload, rules)
        needed = memory_needed(workload, people, rules.value("memory", rule), rules)
        assert (base + each * people >= needed - 1e-6).all()
        assert base + each * 800 < 1.5 * memory_needed(workload, 800.0, rules.value("memory", rule), rules)


def test_case_study():
    """The document's own choice is the cheapest of one kind: two ProLiant 5000 for 76,693.20 USD."""
    found = choose(example())
    best = found.glance().iloc[0]
    assert best["set"] == "2 ProLiant 5000 1xP6/200-512"
    assert best["price_usd"] == pytest.approx(76693.20)
    assert best["bound_usd"] <= best["price_usd"]
    assert set(found.glance()) | set(found.tidy()) | set(found.pareto()) <= set(catalog.vocabulary())
    (planned,) = found.plans().values()
    assert planned.servers == 2
    assert "ProLiant" in found._repr_html_()
