"""Sentences that open the notebooks: their numbers, worked out again from the tables beside them."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from dominoperf import audit_claims, capacity, compare, fit, fitting, machines, planning
from dominoperf.runs import benchmarks
from dominoperf.study import answers, audit, changes, recompute
from dominoperf.study.answers import (
    answer_capacity,
    answer_case_study,
    answer_choice,
    answer_claims,
    answer_disk,
    answer_memory,
    answer_price,
    answer_response,
    describe_size,
    equal_servers,
)
from dominoperf.study.paired_runs import priced_runs
from dominoperf.study.recompute.case_study import worked_examples_beside
from dominoperf.tables.carried_errata import errata_of


@pytest.mark.parametrize("law", ["drive_power", "spindles", "drive_hyperbola"])
def test_a_law_predicts_within_a_percentage_of_the_observed(law):
    """A logarithm of 0.5 is two thirds too much, not a half; the answer is rounded up to a tenth of a percent."""
    laws = compare("disk", "spindles", interval="none")
    left = laws.left_out().query("law == @law and x > 1")
    worst = max(abs(100 * row.predicted / row.observed - 100) for row in left.itertuples())
    words = answer_disk(laws, fit(law, "spindles"), changes.capacity_shares(), drives=3)
    told = float(words.partition("from the others within ")[2].partition(" %")[0])
    assert 0 <= told - worst <= 0.1 + 1e-9
    assert "outside the others" not in words  # so does the last


def test_drives_whose_every_law_is_refuted_have_no_forecast():
    """Points that are known to a thousandth of a percent refute all five; the one that is asked is no other law."""
    laws = compare("disk", "spindles", interval="none", sigma=1e-5)
    assert laws.not_refuted == []
    words = answer_disk(laws, fit("spindles", "spindles"), changes.capacity_shares(), drives=5)
    assert "it is not known how much one more would cut the response time. The points refute every law" in words
    assert "nan" not in words


@pytest.mark.parametrize(
    ("ram_mb", "told"),
    [
        (512, "The interval is wider than the runs need: when"),
        (96, "beyond what was measured, in memory; within it: when"),
    ],
)
def test_machines_within_the_measured_do_not_vouch_for_one_beyond(ram_mb, told):
    """The least memory of a run was 128 MB."""
    shares = pd.DataFrame({"level": [0.8, 0.95], "n": 23, "coverage": 1.0})
    machine = {"processors": 1, "clock_mhz": 200, "ram_mb": ram_mb}
    assert told in answer_capacity(capacity(machine, "Mail"), machine, "Mail", pd.concat([shares, shares]))


def test_a_plan_of_known_people_has_no_probabilities():
    """Without a spread nothing is drawn: the set and the plan are told, no share of futures."""
    request = planning.example("case_study")
    choice = planning.choose(request, rules="corrected")
    risk = planning.assess(planning.plan(planning.with_spread(request, 0)), n=10)
    words = answer_choice(choice, risk, spread_percent=0, level=0.6)
    assert "one future alone" in words
    assert "nan" not in words
    short = dataclasses.replace(choice, cheapest=choice.cheapest._replace(bound=50_000.0))
    words = answer_choice(short, risk, spread_percent=0, level=0.6)
    assert "for $59,053; no set can cost less than $50,000" in words


def test_the_memory_of_a_user_is_that_of_both_rows():
    """With two digits: Table 3-3 asks 1,216 MB for 1,000 users, 1.2 MB each and not 1."""
    rule = pd.DataFrame({"users": [500, 1000], "ram_least_mb": [500, 1216]})
    line = pd.DataFrame({"estimate": [16, 0.5], "low": [10, 0.4], "high": [20, 0.6]})
    short = pd.DataFrame({"view": ["as printed"], "n": [8], "fewer": [3], "ram_share_percent": [40.0]})
    exponents = pd.DataFrame({"workload": ["Mail", "Mail"], "estimate": [1.2, 2.0]})
    words = answer_memory(rule, line, 32, short, exponents)
    assert "500 MB for 500 users and 1,216 MB for 1,000 (1 and 1.2 MB per user)" in words
    assert "Measured runs that passed with less: 3 of 8" in words  # with 0 of 8 it said that they did
    none = answer_memory(rule, line.assign(estimate=float("nan")), 32, short, exponents)  # it said: The line is nan to
    assert "No straight line, rounded up to modules of 32 MB, gives every value of the rule." in none
    assert "plus a base" not in none


def test_several_equal_servers():
    """1,000 users: ten at 10, five at 20, four at 30; a row without a price is out. Errata of both columns are kept."""
    frame = pd.DataFrame({"price_usd": [10, 20, 30, np.nan], "users": [100, 200, 250, 900]}, index=list("abcd"))
    found = equal_servers(frame, 1000)
    assert [*found.index] == ["a", "b", "c"]
    assert [*found["servers"]] == [10, 5, 4]
    assert [*found["fleet_price_usd"]] == [100, 100, 120]
    small = pd.DataFrame({"users": [0.1], "price_usd": [5.0]})
    assert equal_servers(small, 1.1)["servers"].tolist() == [11]  # in binary 1.1 / 0.1 is a little over 11
    assert 0 < len(errata_of(equal_servers(benchmarks(), 1000))) < len(errata_of(benchmarks()))


def test_what_an_exponent_says_of_size():
    """The price of a user grows as cost^(1 - exponent); an interval around 1 says nothing, an unknown one neither."""
    assert "more" in describe_size(0.5, 0.9)
    assert "less" in describe_size(1.2, 2)
    assert (
        describe_size(0.9, 1.1)
        == describe_size(np.nan, np.nan)
        == "the fit does not settle whether a user costs more on a bigger server"
    )


@pytest.mark.parametrize(("workload", "platform"), [("Mail", "OS/2"), ("DiscDB", "Windows NT")])
def test_prices_that_settle_nothing(workload, platform):
    """Of two machines no fit has an interval; an exponent of the price from -2.6 to 11.7 may be below or above one."""
    priced = priced_runs(workload, platform)
    priced = priced[priced["source"] == priced["source"].iloc[0]].assign(name=priced["system"])
    curve = fit("price_power", priced, x="price_usd", y="users")
    turned = fit("price_power", priced, x="users", y="price_usd", bounded=False)
    how = {"by": "processor_family", "x": "price_usd", "y": "users", "interval": "profile"}
    families = fitting.fit_many(priced, "price_power", **how).assign(n=1)
    fleets = equal_servers(priced, 5000).merge(priced[["run", "name"]])
    scope = {"workload": workload, "platform": platform, "demand": 5000}
    words = answer_price(priced, curve, turned, families, fleets, **scope)
    assert "If the price is fitted to the users instead, the fit does not settle" in words
    assert "nan" not in words
    assert "if users can be spread at no cost; no one machine carries them." in words
    words = answer_price(
        priced, curve, turned, families, equal_servers(priced, 1).assign(name="x"), **scope | {"demand": 1}
    )
    assert "- 1 simulated user costs $" in words
    assert words.count("on one machine") == 1  # it was said twice


@pytest.mark.parametrize(
    ("rules", "changes", "told"),
    [
        (
            "corrected",
            {"light_mail": 5000, "active": 3000, "groupware": 1000, "databases": 50, "overlap": 1000,
             "system": "IBM PC Server 330"},
            ["buy 11 servers, 77 drives and 6,635 MB of memory for $325,391.",
             "The corrected rules buy 12 servers, 134 drives and 7,083 MB of memory for $354,972. The price is of the "
             "servers as tested: drives and memory beyond theirs are not in it."],
        ),
        ("compaq_1998", {"light_mail": 0, "active": 150, "groupware": 0}, ["buy 1 server, ", "is by the same rules"]),
    ],
)  # fmt: skip
def test_both_plans_are_told_with_servers_and_price(rules, changes, told):
    """As `Plan.glance` has them: a server more is no less than a drive more; the document's rules are not corrected."""
    beside = recompute.PlanComparison(recompute.case_request(**changes), rules)
    words = answer_case_study(beside, worked_examples_beside())
    for each in told:
        assert each in words
    assert ("corrected rules" in words) == (rules == "corrected")


def test_a_document_without_percentages_has_an_answer():
    """IBM's disclosure claims none: the page of its claims ended in a KeyError."""
    whole = audit_claims("ibm_330")
    words = answer_claims(whole, audit.causes(whole))
    assert "percentages" not in words
    assert " and 0 depend on an assumption" in words


@pytest.mark.parametrize(("target", "far"), [(0.1, False), (0.7, True)])
def test_a_target_below_the_largest_load_is_not_far(target, far):
    """Within the loads tried the wait is printed."""
    costs = machines.demand()[lambda frame: frame["source"] == "rhel5"]
    loads = benchmarks()[lambda frame: frame["source"] == "rhel5"]
    curve = fit("utilization_proportional", costs, y="cpu_utilization_percent")
    loads = loads.assign(cpu_utilization=loads["cpu_utilization_percent"] / 100)
    queues = compare("response", loads, fixed={"servers": 2, "think_s": 610})
    words = answer_response(curve, costs, machines.added_demand(costs), queues, loads, target=target, sigma=0.5)
    assert ("How long a user would then wait is unknown." in words) == ("if the law holds that far (" in words) == far


def test_runs_unlike_the_others_are_named_with_their_influence():
    """The four partitioned servers of Appendix A, and the ProSignia with 128 MB."""
    rows = benchmarks().set_index("run").loc[[f"compaq_domino45/a_mail#{k}" for k in (5, 9, 1)]].reset_index()
    assert answers.describe_influence(rows) == (
        f"The run with the least memory ({rows['system'][1]}, Mail) is number 2, the run of partitioned servers "
        f"({rows['system'][2]}, Mail) is number 3 of 3 by its influence."
    )
