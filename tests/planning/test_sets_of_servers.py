"""Sets of servers small enough to be counted out by hand: the cheapest, what they hold, who is where, and why not."""

import math

import numpy as np
import pandas as pd
import pytest
from own_systems import known, mail

from dominoperf import planning
from dominoperf.errors import CannotPlan
from dominoperf.planning import Request, choose, recommend, rules_named
from dominoperf.planning.assignment import (
    IntegerProgram,
    assign_to_servers,
    assignment_without_rounding,
    fill_one_by_one,
    relax_and_fix,
)
from dominoperf.planning.server_set_problem import server_kinds_left, server_set_problem
from dominoperf.planning.server_set_search import ServerSetSearch
from dominoperf.planning.steps import memory_needed, people_as_benchmark_users

# Name, users of every workload, MB, USD; light mail counts two users a person.
KINDS = {"A": (2000, 4096, 1000.0), "B": (3000, 4096, 1400.0), "C": (800, 4096, 505.0)}


def catalogue(**kinds):
    """The systems as a frame."""
    rows = (kinds or KINDS).items()
    return pd.concat([known(name, users=users, ram_mb=ram, price_usd=usd) for name, (users, ram, usd) in rows])


def problem(*groups, kinds=None, **asked):
    """The problem of groups on the systems."""
    limits = {name: asked.pop(name) for name in ("max_servers", "max_price_usd") if name in asked}
    demand = people_as_benchmark_users(Request(groups, critical=False, **asked), rules_named())
    return server_set_problem(demand, planning.ratings(catalogue(**(kinds or {}))), **limits)


def test_limits_that_are_kept_or_stand_in_the_way():
    """At most so many servers, at most so dear; what is refused is named with the share that fits."""
    one = choose(Request((mail(1400),)), catalogue=catalogue(), max_servers=1, runners_up=0)
    assert one.glance()["set"].item() == "1 B"
    assert (
        choose(Request((mail(400),)), catalogue=catalogue(), max_price_usd=505, runners_up=0).glance()["set"][0]
        == "1 C"
    )
    with pytest.raises(CannotPlan) as caught:
        choose(Request((mail(3000),)), catalogue=catalogue(), max_servers=1)
    assert str(caught.value) == (
        "choose: expected servers that carry all the people within the limits, found none because of max_servers. Lift"
        " max_servers; as it is, 50.00 % of the people of every group fit."
    )
    with pytest.raises(CannotPlan, match=r"max_price_usd; as it is, 13\.33 % of the people"):
        choose(Request((mail(3000),)), catalogue=catalogue(), max_price_usd=600)


@pytest.mark.parametrize("spare", [0, 1])
def test_a_budget_that_is_too_small_by_cents_is_told_the_price(spare):
    """Prices print in whole dollars, so a budget of the printed price was refused without a word of what is missing."""
    priced, request = catalogue(), Request((mail(1400),), spare_servers=spare)
    priced["price_usd"] += 0.25
    price = choose(request, catalogue=priced, runners_up=0).glance()["price_usd"][0]
    with pytest.raises(CannotPlan) as caught:
        choose(request, catalogue=priced, max_price_usd=int(price))
    assert str(caught.value).endswith(f" Without max_price_usd the cheapest set that is enough costs ${price:,.2f}.")
    assert choose(request, catalogue=priced, max_price_usd=price, runners_up=0).glance()["price_usd"][0] == price


# ---- the problem


def test_the_most_people_that_a_server_holds_alone():
    """By processors, by memory and by disks, whichever is least; databases lie on the first one."""
    kinds = {"P": (2000, 1e6, 1.0), "M": (1e6, 448, 1.0), "D": (1e6, 1e6, 1.0), "N": (10, 100, 1.0)}
    found = problem(mail(5000), kinds=kinds)
    alone = [found.most_alone(kind, 0, 0.0) for kind in range(4)]
    assert alone[0] == pytest.approx(1000)
    assert memory_needed("Mail", alone[1], "ram_recommended_mb", rules_named()) <= 448
    assert memory_needed("Mail", alone[1] + 1, "ram_recommended_mb", rules_named()) > 448
    paging, step = found.paging
    used = 50 * alone[2] + step * math.ceil(
        paging * memory_needed("Mail", alone[2], "ram_recommended_mb", rules_named()) / step
    )
    assert used <= found.usable_mb * (1 + 1e-9)
    assert used + 2 * step > found.usable_mb
    assert alone[3] == -1
    assert found.most_alone(2, 0, found.usable_mb) == -1
    less = found.most_alone(2, 0, 10_000.0)
    assert less == pytest.approx(alone[2] - 10_000 / 50, abs=2 * step / 50)
    with_gap = problem(mail(10), mail(10, name="power", profile="groupware"))
    assert with_gap.serves(0).tolist() == [0, 1]
    assert with_gap.rest([1], np.array([3.0, 4.0]), np.array([0.0, 5.0])).people.tolist() == [4]


def test_kinds_that_others_dominate():
    """No dearer, no less memory, no greater share: out, unless fewer than so many dominate it."""
    kinds = {
        "good": (2000, 512, 1000.0),
        "dear": (2000, 512, 1100.0),
        "slow": (1500, 512, 1200.0),
        "big": (2000, 1024, 1200.0),
    }
    found = problem(mail(10), kinds=kinds)
    assert found.undominated.tolist() == [0, 3]
    assert found.dominated_at_most(1).tolist() == [0, 1, 3]
    assert found.dominated_at_most(3).tolist() == [0, 1, 2, 3]
    assert found.integer_columns(3) == 13


def test_which_servers_are_left():
    """Every choice of those that fail, alike ones once; of fewer servers than may fail none is left."""
    assert list(server_kinds_left((2, 1), 0)) == [(0, 0, 1)]
    assert sorted(server_kinds_left((2, 1), 2)) == [(0,), (1,)]
    assert list(server_kinds_left((1, 0), 3)) == [()]


def test_a_set_in_words_and_prices():
    """What costs what, to the cent; the kinds in the order of the catalogue; what nobody sells is not there."""
    rows = pd.concat([known("A", price_usd=10.005), known("B", price_usd=np.nan), known("C", price_usd=3.0)])
    demand = people_as_benchmark_users(Request((mail(100),)), rules_named())
    problem = server_set_problem(demand, planning.ratings(rows))
    assert problem.names == ("A", "C")
    assert problem.words([2, 1]) == "2 A + 1 C"
    assert problem.words([0, 1]) == "1 C"
    assert problem.price([2, 1]) == 23.01
    assert problem.share.tolist() == [[0.001], [0.001]]
    assert problem.ram_mb.tolist() == [math.inf, math.inf]
    assert (problem.people.tolist(), problem.groups, problem.spare) == ([100], ("mail",), 0)
    assert problem.without("redundancy") is problem.without("max_servers") is problem.without("max_price_usd") is None
    limited = server_set_problem(demand, planning.ratings(rows), max_servers=2, max_price_usd=5.0)
    assert limited.without("max_servers").max_servers == limited.without("max_price_usd").max_price_usd == math.inf
    assert limited.without("disk").mb_each.tolist() == [0]
    with pytest.raises(CannotPlan, match="group 'mail': expected a priced system measured with Mail, found none"):
        server_set_problem(demand, planning.ratings(rows[rows["workload"] == "MailDB"]))


# ---- assignments


def test_a_program_by_hand():
    """Integers, bounds and rows; where nothing fits it says so; work grows with the cube of the integers."""
    program = IntegerProgram()
    a, b = program.column(upper=3.0, integer=True), program.column()
    assert (a, b, program.row([(a, 2.0), (b, 1.0)], low=7.5), program.row([(b, 1.0)], high=4.0)) == (0, 1, 0, 1)
    found = program.solve([(a, 1.0), (b, 1.0)])
    assert found.x.tolist() == pytest.approx([3, 1.5])
    assert (found.objective, found.bound) == (pytest.approx(4.5), pytest.approx(4.5))
    assert (found.optimal, found.infeasible) == (True, False)
    assert (program.work(), program.work(3)) == (1 + 1000, 3 * 1001)
    program.row([(b, 1.0)], high=1.0)
    assert program.solve([(a, 1.0)]).infeasible
    smooth = IntegerProgram()
    x = smooth.column(upper=2.0)
    assert smooth.solve([(x, -1.0)]).bound == -2


@pytest.mark.parametrize("assign", [assign_to_servers, relax_and_fix, fill_one_by_one])
def test_an_assignment_puts_everybody_somewhere(assign):
    """All people of each group, no server beyond its processors or memory, databases on one server alone."""
    found = problem(
        mail(900), mail(200, name="data", profile="discdb", databases=3), mail(300, name="power", profile="groupware")
    )
    kinds = (0, 1, 1)
    attempt = assign(found, kinds, 1.0)
    assert attempt.certain
    people, databases, present = attempt.assignment
    assert people.sum(axis=0).tolist() == pytest.approx([900, 200, 300])
    assert databases.sum(axis=0).tolist() == [0, 1, 0]
    assert (present >= (people > 0)).all()
    for server, kind in enumerate(kinds):
        load = people[server] @ found.share[kind]
        assert load <= 1 + 1e-6
        memory = sum(memory_needed(work, people[server, g], "ram_recommended_mb", rules_named())
                     for g, work in enumerate(("Mail", "DiscDB", "Groupware_A")) if people[server, g] > 0)  # fmt: skip
        assert memory <= 4096
    none = assign(found, (2,), 1.0)
    assert none.assignment is None
    assert none.certain == (assign is assign_to_servers)
    assert assign(found, (2,), 0.1).assignment.people.sum() == pytest.approx(140)


def test_an_assignment_without_rounding_adds_up():
    """What is missing goes where there is most room, what is too much leaves the fullest; nobody beyond the room."""
    people, room = np.array([[4.0, 5.0], [5.9, 0.0]]), np.array([[5.0, 9.0], [6.0, 3.0]])
    none = np.zeros((2, 2), bool)
    found = assignment_without_rounding(people.copy(), room, np.array([10.0, 3.0]), none, none)
    assert found.people.ravel().tolist() == pytest.approx([4.1, 3.0, 5.9, 0.0])
    assert found.present.tolist() == [[True, True], [True, False]]
    nobody = assignment_without_rounding(
        np.zeros((1, 1)), np.ones((1, 1)), np.zeros(1), np.zeros((1, 1), bool), np.ones((1, 1), bool)
    )
    assert nobody.present.tolist() == [[True]]


@pytest.mark.parametrize(
    ("numbers", "spare", "scale"), [((1, 0, 0), 0, 1), ((1, 1, 0), 0, 2.5), ((1, 1, 1), 1, 1.4), ((0, 0, 2), 0, 0.8)]
)
def test_how_many_times_the_demand_a_set_holds(numbers, spare, scale):
    """By its processors, without its dearest server where one may fail."""
    search = ServerSetSearch(problem(mail(1000), spare_servers=spare))
    assert search.largest_scale(numbers) == (pytest.approx(scale, rel=1e-4), pytest.approx(scale, rel=1e-4))


def test_a_recommendation_with_a_server_that_may_fail():
    """The people of the set without its largest server; headroom against a full one."""
    asked = Request((mail(10),), spare_servers=1)
    found = recommend({"A": 1, "B": 1}, asked, catalogue=catalogue()).tidy().iloc[0]
    assert (found["planned_users"], found["users"], found["binds"]) == (1000, 2000, "processor")
    assert found["headroom_percent"] == pytest.approx(100)
