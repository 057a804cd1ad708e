"""How sure a plan is: exact probabilities, what moves what, named scenarios, and ratings from fitted laws."""

import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest
from own_systems import known, mail, only, planned
from scipy import stats

from dominoperf import planning
from dominoperf.errors import CannotPlan
from dominoperf.planning import Group, Request, assess, steps
from dominoperf.planning.risk import resource_use_of_plan, sensitivity_scenarios

BUSY_AT = lambda hour: tuple(100.0 * (each == hour) for each in range(24))  # noqa: E731


def uniform(low, high):
    """A uniform spread."""
    return {"kind": "uniform", "low": low, "high": high}


def normal(sd):
    """A normal spread."""
    return {"kind": "normal", "sd": sd}


def triangular(low, high):
    """A triangular spread, its mode the people of the group."""
    return {"kind": "triangular", "low": low, "high": high}


def near(found, exact, n):
    """Within four binomial standard errors."""
    return abs(found - exact) <= 4 * math.sqrt(exact * (1 - exact) / n)


def case_study(**changed):
    """The case study with three spreads."""
    request = planning.example()
    spreads = (triangular(700, 1000), uniform(250, 400), normal(15))
    groups = tuple(
        dataclasses.replace(group, spread=spread) for group, spread in zip(request.groups, spreads, strict=True)
    )
    return planning.plan(dataclasses.replace(request, groups=groups, **changed))


_CUT = stats.norm(300, 900).cdf([0, 1000])  # a wide normal is cut at 0
_T = stats.t.cdf([-1, -0.5], 2)  # of an error as wide as the rating a third lies below 0: cut, not drawn
EXACT = {  # groups, what else is planned, and the probability that one server carries them
    "600, 800, 1,200: the share below 1,000": ([mail(800, triangular(600, 1200))], {}, 1 - 200**2 / (600 * 400)),
    "a triangle that leans on its end": ([mail(800, triangular(800, 1200))], {}, 1 - (200 / 400) ** 2),
    "a normal is never fewer than none": ([mail(300, normal(900))], {}, (_CUT[1] - _CUT[0]) / (1 - _CUT[0])),
    "2 X + 4 Y of 1,700, X ~ N(400, 40), Y ~ N(200, 30)": (
        [mail(400, normal(40)), mail(200, normal(30), "b", profile="heavy_mail")],
        {"catalogue": known(users=1700)},
        stats.norm.cdf(100 / math.hypot(80, 120)),
    ),
    "a rating is above nothing": (
        [mail(500)],
        {"catalogue": known(users_low=1500, std_error=2000, dof=2)},
        1 - (_T[1] - _T[0]) / (1 - _T[0]),
    ),
    "of 400 to 1,600 people 200 are among b's 250: 950 fill the 1,000": (
        [mail(600, uniform(400, 1600)), mail(250, name="b")],
        {"overlap": ({"groups": ["mail", "b"], "users": 200},)},
        550 / 1200,
    ),
    "two groups at work in different hours": (
        [mail(800, uniform(700, 1100), hours=BUSY_AT(3)), mail(750, uniform(600, 1200), name="b", hours=BUSY_AT(15))],
        {"placement": {"one": ["mail", "b"]}},
        300 / 400 * 400 / 600,
    ),
    "nobody now": ([mail(0, uniform(0, 2000))], {}, 0.5),
}


@pytest.mark.parametrize("case", EXACT)
def test_the_exact_probability_of_one_server(case):
    """Within four binomial standard errors; no future has fewer than no people or ratings."""
    groups, settings, exact = EXACT[case]
    found = assess(planned(*groups, **settings), n=40_000, seed=2)
    assert near(only(found.glance())["probability_load"], exact, found.n)
    assert found.servers()["probability"][0] == found.glance()["probability_load"][0]
    assert (found.futures.load >= 0).all()


@pytest.mark.parametrize("dof", [1, 30])
def test_a_plan_on_the_lower_bound_holds_at_its_level(dof):
    """A server full at the one-sided bound of its rating suffices in 95 % of the scenarios, by what a bound is.

    What Student's t has below 0 is cut off: 0.3 % with one dof and a hundred standard errors.
    """
    low = 2000 - 20 * stats.t.ppf(0.95, dof)
    found = assess(planned(mail(low / 2), catalogue=known(users_low=low, std_error=20, dof=dof)), n=40_000, seed=6)
    assert found.plan.systems == pytest.approx(1)
    assert near(only(found.glance())["probability_load"], 0.95 / (1 - stats.t.cdf(-100, dof)), found.n)


def test_one_draw_for_all_servers_of_a_system():
    """Two servers of one model fail together: at half a server's worth over each, the chance is that of one."""
    unsure = known(users_low=1850, std_error=100, dof=5)
    groups = [mail(900), mail(900, name="b")]
    found = assess(planned(*groups, catalogue=unsure), n=20_000)
    assert len(found.plan.by_server) == 2
    tidy = found.tidy()
    loads = tidy[tidy["resource"] == "load"]["probability"]
    assert only(found.glance())["probability_load"] == loads.iloc[0] == loads.iloc[1]


def test_databases_do_not_grow_with_people():
    """Shared databases alone are on the drives: no number of people moves them, and they have no probability."""
    group = Group("shared", 500, "discdb", databases=20, spread=uniform(400, 700))
    found = assess(planned(group), n=1000)
    row = only(found.glance())
    assert math.isnan(row["probability_disk"])
    assert "held, so without a probability: disk" in row["reason"]
    assert row["probability_load"] == 1


def test_the_seed_decides():
    """The same seed gives the same frames, another other ones."""
    plan = case_study()
    first, again, other = (assess(plan, n=2000, seed=seed) for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(first.tidy(), again.tidy())
    pd.testing.assert_frame_equal(first.glance(), again.glance())
    assert first.glance()["probability_load"][0] != other.glance()["probability_load"][0]


def test_what_is_held_does_not_move():
    """Two servers, the people of one uncertain: the other's rows stand still, without a probability, and say so."""
    groups = [mail(800, uniform(700, 900)), mail(900, name="b")]
    tidy = assess(planned(*groups), n=1000).tidy()
    moving = tidy["server"].isin(["", "Server 2"])  # the larger group is on the first
    held = tidy[~moving]
    for name in ("use_low", "use_median", "use_high", "use_bound"):
        np.testing.assert_allclose(held[name], held["use_central"])
    assert held["probability"].isna().all()
    assert held["probability_std_error"].isna().all()
    assert held["reason"].str.startswith("held").all()
    assert tidy[moving]["probability"].notna().all()


def test_central_values_are_those_of_the_plan():
    """With nothing uncertain the use of load and space is what the plan's own rows say, and memory is all used."""
    for rules in planning.rule_sets():
        plan = planning.plan(planning.example(), rules=rules)
        tidy, own = assess(plan).tidy(), plan.tidy()
        value = lambda name, own=own: own[own["key"] == name]["value"].to_numpy()  # noqa: E731
        by = lambda kind, tidy=tidy: tidy[tidy["resource"] == kind]["use_central"]  # noqa: E731
        np.testing.assert_allclose(by("load"), value("load"))
        np.testing.assert_allclose(by("disk"), value("storage_needed") / value("usable_space"))
        np.testing.assert_allclose(by("memory"), 1.0)


def test_without_anything_uncertain_there_is_no_probability():
    """NaN with the reason, never 1; the margin stands alone."""
    found = assess(planned(mail(800)))
    row = only(found.glance())
    assert row[[name for name in row.index if "probability" in name or "bound" in name]].isna().all()
    assert row["draws"] == 0
    assert "nothing is uncertain" in row["reason"]
    assert row["margin"] == pytest.approx(1 - 40.5 / 45.5)
    assert found.tidy()["probability"].isna().all()
    assert found.tidy()[["use_low", "use_median", "use_high", "use_bound"]].isna().all(axis=None)
    assert found.tidy()["use_central"].tolist() == pytest.approx([0.8, 1, 40.5 / 45.5, 0.8])
    assert (found.tidy()["reason"] == row["reason"]).all()
    assert found.servers()["probability"].isna().all()
    assert (found.servers()["reason"] != "").all()
    assert set(found.tornado()["input_kind"]) == {"scenario"}
    assert "nothing is uncertain" in repr(found)


@pytest.mark.parametrize("spread", [normal(0), uniform(800, 800), triangular(800, 800)])
def test_a_spread_of_nothing_is_held(spread):
    """A spread of one point is no uncertainty."""
    assert assess(planned(mail(800, spread))).inputs == ()
    exact = known(std_error=0.0, dof=3)
    assert assess(planned(mail(800, spread), catalogue=exact)).inputs == ()


def test_one_more_server():
    """700 to 2,700 people on servers of 1,000 each: (k - 0.7) / 2 with k servers, and the gain between."""
    found = assess(planned(mail(1600, uniform(700, 2700))), n=40_000, seed=10)
    frame = found.servers()
    assert list(frame["servers"]) == [1, 2, 3, 4]  # two are bought
    for k, chance in zip(frame["servers"], frame["probability"], strict=True):
        assert near(chance, min((k - 0.7) / 2, 1), found.n)
    assert frame["probability"].is_monotonic_increasing
    np.testing.assert_allclose(frame["probability_gain"].to_numpy(), np.diff([0, *frame["probability"]]))
    assert list(frame["price_usd"]) == [1000, 2000, 3000, 4000]
    assert "below about 7.5e-05" in frame["reason"].iloc[-1]  # 3 / 40,000: no failure seen is not no failure


def test_spare_servers_carry_nothing():
    """A server in reserve does not raise the chance of the others."""
    plain, spared = (assess(planned(mail(800, uniform(700, 1300)), spare_servers=k), n=1000) for k in (0, 1))
    assert plain.glance()["probability_load"][0] == spared.glance()["probability_load"][0]
    assert list(spared.servers()["servers"]) == list(plain.servers()["servers"])


def test_tornado_by_hand():
    """Each input at its 5 % and 95 %, the others held: people 730 to 1,270 of 1,000; rating by Student's t."""
    unsure = known(std_error=50, dof=6)
    groups = [mail(800, uniform(700, 1300)), mail(100, normal(10), "b", profile="heavy_mail")]
    found = assess(planned(*groups, catalogue=unsure), n=100, level=0.9).tornado().set_index("key")
    assert found["swing"].is_monotonic_decreasing
    assert found.loc["mail", ["input_kind", "unit", "value"]].tolist() == ["people", "person", 800]
    assert found.loc["S: Mail", ["input_kind", "unit", "value"]].tolist() == ["rating", "user", 2000]
    assert found.loc["mail", ["input_low", "input_high"]].tolist() == pytest.approx([730, 1270])
    assert found.loc["mail", "swing"] == pytest.approx(2 * 540 / 2000)
    z, t = stats.norm.ppf(0.95), stats.t.ppf(0.95, 6)
    assert found.loc["b", "swing"] == pytest.approx(4 * 20 * z / 2000)
    ends = [2000 / (2000 + 50 * side) for side in (-t, t)]
    assert found.loc["S: Mail", ["systems_low", "systems_high"]].tolist() == pytest.approx(ends)
    np.testing.assert_allclose(found["systems_central"], 1.0)  # (1,600 + 400) / 2,000
    assert found.loc["utilization.70", "swing"] == pytest.approx(1 - 50 / 70)
    assert found.loc["utilization.100", "systems_high"] == pytest.approx(0.5)
    scenarios = found[found["input_kind"] == "scenario"]
    assert scenarios[["value", "input_low", "input_high"]].isna().all(axis=None)  # no distribution is made up
    assert "probability" not in found


def test_the_reader_multiplier_is_a_scenario():
    """400 readers: × 2 corrected, × 4 in the prose; of 2,000 users 0.4 of a system against 0.8."""
    found = assess(planned(mail(400, profile="maildb_reader"))).tornado().set_index("key")
    name = "users.maildb_reader"
    assert found.loc[name, ["systems_low", "systems_high", "swing"]].tolist() == pytest.approx([0.4, 0.8, 0.4])
    assert found.loc["rules.compaq_1998", "swing"] == pytest.approx(0.4)


def test_growth_and_overlap():
    """(people - 50) × 1.2² on 1,000: no growth is a scenario; people enough to fill it are 1,000 / 1.44 + 50."""
    groups = [mail(600, uniform(500, 900)), mail(50, name="b")]
    overlap = ({"groups": ["mail", "b"], "users": 50},)
    plan = planned(*groups, growth_percent=20.0, months_ahead=24.0, overlap=overlap)
    found = assess(plan, n=40_000, seed=11)
    edge = (1000 - 50 * 1.44) / 1.44 + 50
    assert near(only(found.glance())["probability_load"], (edge - 500) / 400, found.n)
    grown = found.tornado().set_index("key").loc["growth.none"]
    assert grown["systems_central"] == pytest.approx(1.44 * 600 / 1000)
    assert grown["systems_high"] == pytest.approx(600 / 1000)


def test_people_counted_twice_are_no_fewer_than_none():
    """Of a group of 0 to 120 people 50 are planned in another; where fewer come, none are left, and not less."""
    groups = [mail(60, uniform(0, 120)), mail(100, name="b")]
    found = assess(planned(*groups, overlap=({"groups": ["mail", "b"], "users": 50},)), n=1000)
    assert found.futures.total.min() == pytest.approx(0.1)  # b's alone


def test_another_target_has_the_others_as_scenarios():
    """A plan at 70 % is set against the rules' 50 %, not against itself."""
    names = set(assess(planned(mail(500), utilization_percent=70)).tornado()["key"])
    assert names == {"utilization.50", "utilization.100"}


def test_the_busiest_hour_is_another_in_another_future():
    """500 people at 3:00 and 900 at 15:00 as planned; where more of the first come than 1,000, 3:00 is the peak."""
    groups = [mail(500, uniform(200, 1400), hours=BUSY_AT(3)), mail(900, name="b", hours=BUSY_AT(15))]
    found = assess(planned(*groups, placement={"one": ["mail", "b"]}), n=40_000, seed=22)
    assert near(only(found.glance())["probability_load"], 800 / 1200, found.n)
    total = found.futures.total
    assert total.min() == pytest.approx(0.9)  # b's hour, however few of the first come
    assert total.max() == pytest.approx(1.4, abs=0.001)


def test_each_server_has_a_peak_of_its_own():
    """The servers' groups are busy in different hours: the second is not idle because the sum peaks in the first's."""
    groups = [
        mail(950, uniform(900, 1000), hours=BUSY_AT(3)),
        mail(800, uniform(600, 1200), name="b", hours=BUSY_AT(15)),
    ]
    found = assess(planned(*groups, placement={"one": ["mail"], "two": ["b"]}), n=40_000, seed=23)
    assert near(only(found.glance())["probability_load"], 400 / 600, found.n)
    loads = found.tidy().query("resource == 'load'").set_index("server")["use_central"]
    assert loads.tolist() == pytest.approx([0.95, 0.8])


def test_a_group_on_several_servers():
    """1,600 people on two servers in equal parts, 1,500 to 2,500: each carries half of them, to 2,000 in all."""
    found = assess(planned(mail(1600, uniform(1500, 2500))), n=40_000, seed=13)
    assert len(found.plan.by_server) == 2
    tidy = found.tidy()
    loads = tidy[tidy["resource"].str.startswith("load")]["probability"]
    assert all(near(chance, 0.5, found.n) for chance in loads)
    assert len(loads) == 3


def test_beyond_the_memory_tables():
    """The published rules have no memory beyond 1,450 people of light mail: such a scenario does not suffice."""
    most = steps.memory_table("Mail", "ram_recommended_mb")[0][-1]
    plan = planned(mail(most, uniform(most - 100, most + 300)), catalogue=known(users=9000), rules="compaq_1998")
    found = assess(plan, n=40_000, seed=15)
    assert near(only(found.glance())["probability_memory"], 0.25, found.n)
    row = found.tidy().set_index("resource").loc["memory"]
    assert math.isnan(row["use_high"])
    assert "above the last row" in row["reason"]


def _people(workload, users):
    return steps.PartOnServer("a", "", workload, users, 0)


@pytest.mark.parametrize("rules", planning.rule_sets())
@pytest.mark.parametrize("workload", planning.WORKLOADS)
def test_memory_of_many_is_that_of_each(workload, rules):
    """The array gives what the plan's own step gives for each number of people."""
    people, rules = np.arange(1, 1200, 7.0), planning.rules_named(rules)
    many = steps.memory_needed(workload, people, rules.value("memory", steps.MEMORY_RULES[workload]), rules)
    asked = steps.Demand(Request(()), rules, (), ())
    assert np.isfinite(many[0])
    for users, value in zip(people, many, strict=True):
        if math.isnan(value):
            with pytest.raises(CannotPlan):
                steps.size_memory(asked, [_people(workload, users)])
        else:
            assert steps.size_memory(asked, [_people(workload, users)])[0] == {"": value}


def test_scenarios_of_the_case_study():
    """The plans that the document and its corrections give: 960 and 896 MB, 20 and 12 drives; RAID 5 13."""
    frame = assess(planning.plan(planning.example())).scenarios().set_index("key")
    bought = ["servers", "ram_mb", "drives"]
    assert frame.loc["planned", bought].tolist() == [2, 960, 20]
    assert frame.loc["rules.compaq_1998", bought].tolist() == [2, 896, 12]
    assert frame.loc["disk.raid_critical", bought].tolist() == [2, 960, 13]
    assert frame.loc["memory.maildb_as_groupware", bought].tolist() == [2, 1088, 20]
    assert frame.loc["utilization.100", bought].tolist() == [1, 960, 17]
    assert frame.loc["rules.compaq_1998", "changes"] == "memory (MB) 960 → 896, drives 20 → 12"
    columns = "Memory table for groupware: the column taken: Least memory (MB) in place of Recommended memory (MB)"
    assert frame.loc["memory.groupware_column", "scenario"] == columns
    assert "users.maildb_reader" not in frame.index  # nobody reads alone
    assert (frame["reason"] == "").all()


def test_a_scenario_without_a_plan_says_why():
    """Readers × 4 overload the server that the request puts them on."""
    plan = planned(mail(600, profile="maildb_reader"), placement={"one": ["mail"]})
    row = assess(plan).scenarios().set_index("key").loc["users.maildb_reader"]
    assert math.isnan(row["servers"])
    assert "at most one system's worth" in row["reason"]


@pytest.mark.parametrize(
    ("spread", "told"),
    [
        ({"kind": "gamma", "low": 1, "high": 2}, "kind and its numbers"),
        ({"kind": "uniform", "low": 700}, "kind and its numbers"),
        (normal(-1), "0 or more"),
        ({"kind": "uniform", "low": "many", "high": 900}, "0 or more"),
        (uniform(810, 900), "around 800"),
        ("wide", "kind and its numbers"),
    ],
)
def test_a_spread_is_checked(spread, told):
    """Another kind, a number missing or too many, ends that leave the people out: refused, the group named."""
    with pytest.raises(CannotPlan, match=told) as raised:
        planned(mail(800, spread))
    assert "group 'mail'" in str(raised.value)


@pytest.mark.parametrize(
    "asked",
    [{"seed": -1}, {"seed": None}],
)
def test_arguments_are_checked(asked):
    """A seed that cannot be is refused by name, and what is no plan."""
    with pytest.raises(CannotPlan, match=f"assess, {next(iter(asked))}"):
        assess(planned(mail(800)), **asked)
    with pytest.raises(CannotPlan, match="assess: expected a Plan, as `plan` gives it, found dict"):
        assess({})


def test_each_row_of_a_uniform_group_by_hand():
    """700 to 1,300 people: of loads 2.5 %, 50 %, 97.5 % and 95 % are 0.715, 1, 1.285, 1.27; and what they store.

    Load suffices for 1,000 of them, memory (448 MB) for 800, ten 9.1 GB drives in RAID 1 for 900.
    """
    found = assess(planned(mail(800, uniform(700, 1300))), n=40_000, seed=31)
    tidy = found.tidy().set_index(["server", "resource"])
    assert list(tidy.index) == [("Server 1", kind) for kind in ("load", "memory", "disk")] + [
        ("", "load, people spread evenly")
    ]
    names = ["use_central", "use_low", "use_median", "use_high", "use_bound"]
    people = np.array([800, 715, 1000, 1285, 1270])
    for key in (("Server 1", "load"), ("", "load, people spread evenly")):
        assert tidy.loc[key, names].tolist() == pytest.approx(people / 1000, abs=0.01)
    assert tidy.loc[("Server 1", "disk"), names].tolist() == pytest.approx((people * 50 + 500) / 45_500, abs=0.01)
    memory = tidy.loc[("Server 1", "memory"), names].drop("use_median")  # at the end of a row
    assert memory.tolist() == pytest.approx(np.array([448, 448, 832, 832]) / 448)
    chance = tidy["probability"]
    assert chance[("Server 1", "load")] == found.glance()["probability_load"][0] == chance.iloc[-1]
    errors = np.sqrt(chance * (1 - chance) / 40_000)
    np.testing.assert_allclose(tidy["probability_std_error"], errors)
    assert tidy["reason"].map(bool).tolist() == [False, True, False, False]  # 800 is the most of a row of memory
    narrow = assess(found.plan, n=40_000, seed=31, level=0.8)
    row = narrow.tidy().iloc[0]
    assert row[names].tolist() == pytest.approx([0.8, 0.76, 1.0, 1.24, 1.18], abs=0.01)
    assert only(narrow.glance())["level"] == 0.8
    assert only(assess(found.plan, n=10, level=np.float32(0.75)).glance())["level"] == 0.75
    with pytest.raises(CannotPlan, match=r"Write it as a share: 0\.95"):
        assess(found.plan, level=95)
    row = only(found.glance())
    assert row["draws"] == 40_000
    assert row[["systems_bound", "servers_bound"]].tolist() == pytest.approx([1.27, 2], abs=0.01)
    for resource, exact in (("load", 300 / 600), ("memory", 100 / 600), ("disk", 200 / 600)):
        assert near(row[f"probability_{resource}"], exact, found.n)
    assert row["probability"] == row["probability_memory"]  # the tightest of three that move together
    assert row["probability_std_error"] == pytest.approx(
        math.sqrt(row["probability"] * (1 - row["probability"]) / 40_000)
    )
    assert row["margin"] == pytest.approx(1 - 40.5 / 45.5)  # of the space; the load leaves 0.2


def test_an_empty_count_says_how_little_it_says():
    """None of 1,000 futures fails, or suffices: below 3 in 1,000 either way."""
    for spread, words, chance in ((uniform(780, 800), "fails", 1), (uniform(1600, 1700), "suffices", 0)):
        group = mail(spread["low"], spread)
        plan = planned(dataclasses.replace(group, users=800, spread=None))
        moved = dataclasses.replace(plan, request=dataclasses.replace(plan.request, groups=(group,)))
        row = only(assess(moved, n=1000).glance())
        assert [row[f"probability_{kind}"] for kind in ("load", "memory", "disk")] == [chance] * 3
        assert row["reason"] == f"none of 1,000 futures {words}: the chance of one is below about 0.003"
        assert row["probability_std_error"] == 0
    first = assess(planned(mail(300, uniform(200, 350))), n=10).servers()
    assert first["servers"].tolist() == [1, 2, 3]
    assert first["probability_gain"].tolist() == [1, 0, 0]


def test_what_is_uncertain_is_told():
    """In a line, each with its numbers; nothing is, and says what would be."""
    unsure = known(std_error=50.5, dof=6)
    group = mail(800, normal(15))
    found = assess(planned(group, catalogue=unsure), n=10)
    shares = r"\(load in \d+ %, memory in \d+ %, disk in \d+ %\)"
    assert re.fullmatch(
        rf"The plan suffices in \d+ % of 10 futures {shares}, spare servers left out\. Uncertain: mail: people "
        r"\(normal, sd 15\); S: Mail users \(t, std_error 50\.5, dof 6\)\. All else is held\.",
        found.headline(),
    )
    nothing = assess(planned(mail(800))).headline()
    assert nothing == "No probability: nothing is uncertain: give a group a spread, or a rating its std_error and dof."
    text, page = repr(found), found._repr_html_()
    assert text.startswith(found.headline())
    assert [name in text for name in ("systems_bound", "use_median", "probability_gain", "swing", "scenario")] == [
        True
    ] * 5
    assert page.count("<table") == 5
    assert page.startswith("<p>The plan suffices in")
    marked = assess(planned(dataclasses.replace(group, name="<b>")), n=10)._repr_html_()
    assert "&lt;b&gt;: people" in marked
    assert "<b>: people" not in marked
    assert assess(planned(group), n=np.int64(10), seed=np.int32(3)).n == 10


def test_each_scenario_changes_one_thing():
    """Of a plan that grows: the other rules whole and one by one, memory, targets, and no growth; pages stay."""
    plan = planned(mail(600), growth_percent=50.0, months_ahead=12.0)
    frame = assess(plan).scenarios().set_index("key")
    assert frame.index[0] == "planned"
    assert frame.loc["planned", ["servers", "systems", "changes", "reason"]].tolist() == [1, 0.9, "", ""]
    assert frame.loc["growth.none", ["systems", "ram_mb", "changes"]].tolist() == [
        0.6,
        320,
        "memory (MB) 576 → 320, drives 13 → 9",
    ]
    told = sensitivity_scenarios(plan)
    names = [each.key for each in told]
    published = planning.rules_named("compaq_1998")
    assert names[0] == "rules.compaq_1998"
    assert len(names) == 1 + len(plan.rules.differing(published)) + 2 + 3 + 1
    assert names[-6:-4] == ["memory.maildb_as_mail", "memory.maildb_as_groupware"]
    assert names[-4:] == ["utilization.50", "utilization.70", "utilization.100", "growth.none"]
    for each in told[1:-4]:
        changed = each.rules.differing(plan.rules)
        assert len(changed) == 1
        assert each.request == plan.request
        assert each.rules.locator(*changed[0])
    raid = next(each for each in told if each.key == "disk.raid_critical")
    assert raid.name == "RAID level of critical data: 5 in place of 1"
    assert raid.rules.locator("disk", "raid_critical").startswith("page 4-22/4-23 (the case study")
    share = told[-6].rules
    assert share.value("memory", "maildb_share") == 0.0
    assert share.locator("memory", "maildb_share") == "page 4-22/4-23"
    assert [each.request.utilization_percent for each in told[-4:-1]] == [50, 70, 100]


def test_use_of_a_group_of_nobody_is_spread_over_its_parts():
    """Its people, once there are some, are on each server that has a part of it, alike."""
    bought = planned(mail(1600), mail(0, name="later"))
    parts = [part.server for part in bought.parts if part.group == "later"]
    use = resource_use_of_plan(bought, {("people", "later"): np.array([0.0, 400.0])})
    assert use.total.tolist() == pytest.approx([1.6, 2.0])
    more = (use.load[:, 1] - use.load[:, 0]).tolist()
    servers = [volume.server for volume in bought.volumes]
    assert more == pytest.approx([0.4 * parts.count(server) / len(parts) for server in servers])
    cut = dataclasses.replace(bought, parts=tuple(
        part._replace(server=server) for part in bought.parts if part.group == "later" for server in servers
    ) + tuple(part for part in bought.parts if part.group == "mail"))  # fmt: skip
    use = resource_use_of_plan(cut, {("people", "later"): np.array([0.0, 400.0])})
    assert (use.load[:, 1] - use.load[:, 0]).tolist() == pytest.approx([0.2, 0.2])


def test_use_of_a_group_is_spread_over_its_parts_in_proportion():
    """With half of its people each server has half of what it was planned for, though its parts are not equal."""
    even = planned(mail(1700, name="a"), mail(500, name="b"))
    parts = dict(zip((part.server for part in even.parts if part.group == "a"), (1000.0, 700.0), strict=True))
    moved = [part._replace(planned_users=parts[part.server]) if part.group == "a" else part for part in even.parts]
    bought = dataclasses.replace(even, parts=tuple(moved))
    use = resource_use_of_plan(bought, {("people", "a"): np.array([1700.0, 850.0])})
    less = (use.load[:, 0] - use.load[:, 1]).tolist()
    assert less == pytest.approx([parts.get(volume.server, 0) / 2 / 1000 for volume in bought.volumes])


def test_what_runs_short_first_is_told_from_noise():
    """800 people are the most of a row of the memory table: one half of the futures has more, whatever seed or spread.

    The drives of 700 hold 718, so that they run short in (1000 - 718) / 360 of the futures: that is the first.
    """
    groups = [mail(800, uniform(*ends), name) for name, ends in (("one", (640, 960)), ("two", (720, 880)))]
    for seed in range(3):
        found = assess(planned(*groups, catalogue=known(users=1800.0)), n=4000, seed=seed)
        weak = found.weakest()
        assert weak[["server", "resource"]].to_numpy().tolist() == [["Server 1", "memory"], ["Server 2", "memory"]]
        assert weak["at_row_end"].all()
        assert all(near(chance, 0.5, found.n) for chance in weak["probability"])
    wide = assess(planned(mail(700, uniform(640, 1000)), mail(790, uniform(780, 800), "two")), n=4000).weakest()
    assert wide[["server", "resource", "reason"]].to_numpy().tolist() == [["Server 2", "disk", ""]]
    assert near(1 - wide["probability"].iloc[0], (1000 - 718) / 360, 4000)
    assert assess(planned(mail(800))).weakest().empty


def test_a_set_that_is_chosen_says_how_likely_it_suffices():
    """Of unlike systems, of people who grow, as `assess` has it of one system; NaN without a spread."""
    of_mail = known("A", users=2000.0, ram_mb=8192.0).query("workload == 'Mail'")
    of_databases = known("B", users=1500.0, ram_mb=8192.0).query("workload == 'MailDB'")
    both = pd.concat([of_mail, of_databases])  # 1,000 people fill A, and 500 fill B
    active = Group("db", 500, "maildb_active", spread=triangular(300, 900))
    found = planning.choose(Request((mail(1000), active)), catalogue=both)
    assert found.glance()["set"][0] == "1 A + 1 B"
    assert near(found.probability(), 200**2 / (600 * 200), 100_000)
    assert "the cheapest set suffices in at least 33 % of 100,000 futures" in found.headline()
    assert math.isnan(planning.choose(Request((mail(1000),)), catalogue=both).probability())
    growing = Request((mail(700, triangular(600, 1000)),), growth_percent=20.0, months_ahead=12.0)
    alone = planning.choose(growing, catalogue=both)
    today = 1000 / 1.2
    assert near(alone.probability(), 1 - (1000 - today) ** 2 / (400 * 300), 100_000)
    named = dataclasses.replace(growing, system="A")
    assert alone.probability() == assess(planning.plan(named, catalogue=both)).glance()["probability_load"].item()
