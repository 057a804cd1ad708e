"""What a plan, its risk, a recommendation and a count of nodes say in full: values, words and order by hand."""

import dataclasses
import functools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import capacity, node_count, planning
from dominoperf.errors import BadTable, CannotFit, CannotPlan, DominoperfError, UnknownName, at_shell
from dominoperf.machines.observations import runs_of_data_folders
from dominoperf.planning import (
    Group,
    Request,
    assess,
    choose,
    example,
    fitted_rating,
    modelled_rating,
    plan,
    rating,
    recommend,
    rules_named,
    systems,
)
from dominoperf.planning.catalogue import systems_of_folders
from dominoperf.planning.risk import resource_use_of_plan
from dominoperf.planning.server_set_problem import server_set_problem
from dominoperf.planning.steps import people_as_benchmark_users
from dominoperf.planning.systems import rating_describes_machine
from dominoperf.planning.uncertainty import uncertain_ratings
from dominoperf.tables import carried_errata
from dominoperf.tables.folders import stamp_of_data_folders

ONE = "ProLiant 5000 1xP6/200-512"
SYSTEM = {"system": "S", "users": 2000.0, "response_s": 0.5, "think_s": 45.0, "processors": 1, "price_usd": 1000.0}


def catalogue(*names, **changed):
    """Systems of a user's own, by default one, measured with every workload."""
    rows = [SYSTEM | {"system": name, "workload": each} | changed for name in names or ("S",)
            for each in planning.WORKLOADS]  # fmt: skip
    return pd.DataFrame(rows)


def mail(users, name="mail", **fields):
    """A group of light mail."""
    return Group(name, users, fields.pop("profile", "light_mail"), **fields)


# ---- nodes for a rate

CURVE = pd.DataFrame(
    {
        "load": [1, 4, 16, 32, 64],
        "throughput_per_s": [100.0, 380, 900, 1000, 980],
        "throughput_std_error": [2.0, 5, 20, 20, 20],
        "response_s": [0.010, 0.0105, 0.0178, 0.032, 0.065],
        "response_std_error": 0.0001,
        "response_p95_s": [0.02, 0.03, 0.09, 0.18, 0.5],
        "load_unit": "connections",
    }
)


def test_nodes_in_words():
    """Every sentence: what is bought, what a node carries, what binds, how surely, what it costs, what to test."""
    found = node_count(CURVE, 5000, utilization=0.7, spare=2, node_price=3.0, growth=0.2, headroom=0.1)
    row = found.glance().iloc[0]
    assert found.headline() == (
        "12 nodes, 2 of them spare, for 6,000 requests per second. A node carries 700 per second (95\N{NO-BREAK SPACE}%"
        f" interval {row['low']:.1f} to {row['high']:.1f}) at a share of the highest throughput of 0.7: measured, at"
        " 11.38 connections. They suffice without the spare with a probability of 1.000, by the errors of the curve."
        " Cost: 36. Test 8 connections next: the answer rests on the stretch between 4 and 16 connections."
    ).replace("95\N{NO-BREAK SPACE}%", "95 %")
    assert row[["nodes", "spare", "node_rate_per_s", "objective", "peak_rate_per_s", "cost", "next_load"]].tolist() == [
        12, 2, 700, "utilization", 6000, 36, 8,
    ]  # fmt: skip
    assert (row["utilization"], row["reason"]) == (0.5, "")
    bare = node_count(CURVE.drop(columns=["throughput_std_error", "load_unit"]), 500, spare=0)
    assert bare.headline() == (
        "1 node, for 500 requests per second. A node carries 700 per second at a share of the highest throughput of"
        " 0.7: measured, at 11.38 users. Test 8 users next: the answer rests on the stretch between 4 and 16 users. No"
        " probability: the curve has no standard errors; run each load again."
    )


def test_the_think_time_that_is_told():
    """Implied and given; where the curve has none at all, 0 is what it is answered with."""
    said = node_count(CURVE, 5000, response_s=0.02, think_s=5).think_remark
    assert said == "the curve implies a think time of 0 s (load / throughput - response), not 5 s"
    assert node_count(CURVE, 5000, response_s=0.02).think_s == pytest.approx(
        max(np.median(CURVE["load"] / CURVE["throughput_per_s"] - CURVE["response_s"]), 0)
    )
    slow = CURVE.assign(response_s=2 * CURVE["load"] / CURVE["throughput_per_s"])
    assert node_count(slow, 5000, think_s=1).think_remark == "no think time fits the curve, not 1 s either"
    assert node_count(slow, 5000).think_remark == ""
    assert node_count(slow, 5000).think_s == 0
    assert node_count(CURVE.drop(columns="response_s"), 5000, think_s=5).think_remark == ""


def test_curves_of_few_loads():
    """Two are enough, in any order; two rows of one load are not, nor are loads and rates of nothing."""
    two = node_count(CURVE.iloc[[3, 0]], 500, spare=0)
    assert (two.nodes, two.curve["load"].tolist()) == (1, [1, 32])
    with pytest.raises(CannotPlan, match="expected two different loads or more, a row each, found 2 in 3 rows"):
        node_count(CURVE.iloc[[0, 1, 1]], 500)
    with pytest.raises(CannotPlan, match="found 1 in 1 row"):
        node_count(CURVE.iloc[:3].assign(load=[0, 1, 2], throughput_per_s=[1, 5, 0]), 500)
    with pytest.raises(CannotPlan, match=r"column response_s: expected finite numbers, found infinity in row 2\."):
        node_count(CURVE.assign(response_s=[1, math.inf, 1, 1, 1]), 500)
    with pytest.raises(CannotPlan, match="found no load and no throughput_per_s"):
        node_count(CURVE[["response_s"]], 500)


@pytest.mark.parametrize(
    ("objective", "limit", "rate", "load"),
    [
        ("utilization", 1, 1000, 32),
        ("utilization", 0.1, 100, 1),
        ("utilization", 0.05, 50, 0.5),
        ("utilization", 0.38, 380, 4),
        ("response_p95_s", 0.09, 900, 16),
        ("response_p95_s", 0.02, 100, 1),
        ("response_p95_s", 0.18, 1000, 32),
        ("response_p95_s", 0.025, 2.5 / 0.01025, 2.5),
        ("response_s", 0.0103, 2.8 / 0.0103, 2.8),
    ],
)
def test_the_safe_rate_at_and_between_loads(objective, limit, rate, load):
    """At a measured load its own rate, by Little's law between two; a share below the first in proportion."""
    found = node_count(CURVE, 5000, **{objective: limit}).tidy().iloc[0]
    assert found["load"] == pytest.approx(load)
    assert found["node_rate_per_s"] == pytest.approx(rate)


def test_how_many_nodes_at_the_edges():
    """A rate that so many nodes carry to the digit needs no further one; headroom, growth and spare ones add up."""
    assert [node_count(CURVE, rate, spare=0).nodes for rate in (700, 700.1, 1400, 1)] == [1, 2, 2, 1]
    assert node_count(CURVE, 700, growth=-0.5, headroom=0.5, spare=3).nodes == 4
    assert node_count(CURVE, 700, utilization=0.35, spare=0).nodes == 2
    for asked in ({"spare": 1.5}, {"spare": -1}, {"think_s": -1}, {"growth": -1}, {"utilization": 1.01}):
        with pytest.raises(CannotPlan, match=next(iter(asked))):
            node_count(CURVE, 700, **asked)
    with pytest.raises(CannotPlan, match="a number above 0"):
        node_count(CURVE, None)


def test_what_to_test_next():
    """Beyond the last load while throughput rises by more than its errors; between two; the last one again."""
    rising = CURVE.head(4)
    assert node_count(rising, 500).next_test[0] == 64
    level = rising.assign(throughput_per_s=[100.0, 380, 980, 1000])
    assert node_count(level, 500).next_test == (8, "the answer rests on the stretch between 4 and 16 connections")
    near = CURVE.assign(load=[1, 2, 3, 4, 5])
    assert node_count(near, 500).next_test == (3, "again, for a smaller error of the load at the limit")


# ---- ratings


def test_ratings_of_runs_by_hand():
    """Think time by N / X - R of the printed run; a lower bound is the run itself, and nothing else is known."""
    run = runs_of_data_folders(stamp_of_data_folders(ours=True)).set_index("run").loc["ibm_330/results#1"]
    row = rating(None, "IBM PC Server 330", "Mail")
    assert row["think_s"] == pytest.approx(60 * run["users"] / run["notesmark_tpm"] - run["response_s"])
    assert [row[name] for name in ("users", "users_low", "response_s", "ram_mb")] == [
        2200,
        2200,
        run["response_s"],
        512,
    ]
    assert (row["basis"], row["law"], row["extrapolated"], row["locator"]) == ("measured", "", False, run["locator"])
    assert all(math.isnan(row[name]) for name in ("users_high", "std_error", "dof"))
    ours = systems()
    printed = (
        runs_of_data_folders(stamp_of_data_folders(ours=True)).query("source == 'compaq_domino45'").set_index("locator")
    )
    for row in ours.to_dict("records"):
        runs = printed.loc[[row["locator"]]]
        runs = runs[runs["users"] == row["users"]]
        think = 60 * runs["users"] / runs["notesmark_tpm"] - runs["response_s"]
        assert np.isclose(think, row["think_s"]).any()
    assert ours[["basis", "law", "extrapolated"]].drop_duplicates().to_numpy().tolist() == [["measured", "", False]]
    assert ours["users_low"].equals(ours["users"])
    errata = carried_errata.errata_of(ours)
    used = {"users", "response_s", "notesmark_tpm", "price_usd", "think_s"}
    assert {erratum.column for erratum in errata} <= used
    of_price = [erratum for erratum in errata if erratum.column == "price_usd"]
    others = [erratum for erratum in errata if erratum.column not in ("price_usd", "think_s")]
    assert len(errata) == len(of_price) + 2 * len(others)


def test_a_modelled_rating_in_full():
    """Error and ends of ln(users) at the level, one-sided; the machine's own name, or none; no price by default."""
    machine = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "processor_family": "Pentium Pro"}
    row = modelled_rating(machine, "Mail", level=0.9).iloc[0]
    answer = capacity(machine, "Mail", level=0.8).glance().iloc[0]
    assert row[["users", "users_low", "users_high"]].tolist() == answer[["users", "low", "high"]].tolist()
    z = stats.norm.ppf(0.9)
    assert row["std_error"] == pytest.approx(answer["users"] * math.log(answer["users"] / answer["low"]) / z)
    assert (row["dof"], row["basis"], row["system"], row["law"]) == (math.inf, "modelled", "machine", "")
    assert math.isnan(row["price_usd"])
    assert row[["processors", "ram_mb", "clock_mhz", "workload", "extrapolated"]].tolist() == [
        2,
        512,
        200,
        "Mail",
        False,
    ]
    far = modelled_rating(machine | {"processors": 16, "system": "PC Server 330"}, "mail").iloc[0]
    assert far["basis"] == "modelled, extrapolated in processors"
    assert (far["extrapolated"], far["system"], far["workload"]) == (True, "PC Server 330", "Mail")
    for changed, told in (
        ({"system": 3}, "modelled_rating, system: expected its name, found 3"),
        ({"price_usd": "dear"}, "modelled_rating, price_usd: expected a number of USD"),
        ({"workload": None}, "modelled_rating, workload: expected its name"),
    ):
        with pytest.raises(CannotPlan, match=told):
            modelled_rating(machine, **{"workload": "Mail"} | changed)


@pytest.mark.parametrize(
    ("part", "value", "describes"),
    [
        ("clock_mhz", 200.0, True), ("clock_mhz", math.nan, False), ("processor_family", "", False),
        ("operating_system", None, False), ("domino_release", "4.5", True), ("ram_mb", 512, False),
    ],
)  # fmt: skip
def test_what_describes_a_machine(part, value, describes):
    """A part that is told, beside its processors and memory."""
    assert rating_describes_machine({"system": "S", "processors": 2, part: value}) is describes


def test_an_uncertain_rating_by_hand():
    """Student's t cut at nothing; what is known exactly is not uncertain; each system and workload once."""
    row = SYSTEM | {"workload": "Mail", "std_error": 1500.0, "dof": 2.0, "basis": "given"}
    (found,) = uncertain_ratings(
        [row, row, row | {"workload": "MailDB", "std_error": 0.0}, row | {"dof": math.nan}][:3]
    )
    below = stats.t.cdf(-2000 / 1500, 2)
    at = np.array([0.0, 0.1, 0.5, 0.9])
    expected = 2000 + 1500 * stats.t.ppf(below + at * (1 - below), 2)
    assert found.quantile(at) == pytest.approx(expected, abs=1e-6)
    assert found.quantile(np.zeros(1)) == pytest.approx(0, abs=1e-6)
    assert (found.key, found.kind, found.unit, found.value) == ("S: Mail", "rating", "user", 2000.0)
    assert (found.name, found.words) == ("S: Mail users", "t, std_error 1,500, dof 2")
    (modelled,) = uncertain_ratings([row | {"basis": "modelled", "std_error": 400.0, "dof": math.inf}])
    ends = stats.norm.ppf([0.1, 0.5, 0.9])
    assert modelled.quantile(np.array([0.1, 0.5, 0.9])) == pytest.approx(2000 * np.exp(0.2 * ends))
    assert modelled.words == "lognormal, standard deviation of ln users 0.2"


def test_a_rating_that_cannot_be_had():
    """Not a name, not seconds, not measured, not answered so soon: where, what was expected, what to do."""
    own = catalogue()
    for arguments, told in (
        ((own, 3, "Mail"), "rating, system: expected its name, found 3"),
        ((own, "S", None), "rating, workload: expected its name"),
        ((own, "S", "Mail", 0), "rating, response_s: expected seconds above 0, found 0"),
        ((own, "S", "Mail", "1"), "rating, response_s: expected seconds above 0"),
        ((own, "S", "checkout"), "system 'S': expected a rating for checkout, found Mail, MailDB"),
        ((own.assign(think_s=0.0), "S", "Mail", 0.3), "system 'S', think_s: expected seconds above 0, found none"),
        ((own.assign(response_s=np.nan), "S", "Mail", 0.3), "Mail, response_s: expected seconds, to hold it to 0.3"),
        ((own, "S", "Mail", 0.001), "request, response_s: expected more than the 0.0"),
    ):
        with pytest.raises(CannotPlan, match=told):
            rating(*arguments)
    with pytest.raises(UnknownName, match="Did you mean S1"):
        rating(catalogue("S1"), "S 1", "Mail")
    assert rating(own, "S", "Mail", 0.5)["users"] == 2000
    fewer = rating(own.assign(users_low=1000.0, std_error=100.0, dof=3.0), "S", "Mail", 0.3)
    share = fewer["users"] / 2000
    assert 0 < share < 1
    assert [fewer["users_low"], fewer["std_error"]] == pytest.approx([1000 * share, 100 * share])
    assert (fewer["basis"], fewer["response_s"]) == ("closed queue through the run of 2,000 users at 0.5 s", 0.3)


def test_a_response_at_a_closed_queue_by_recursion():
    """Mean value analysis of one station: the run's own response at its users, and the asked one is just kept."""
    found = rating(catalogue(users=50.0, think_s=10.0, response_s=2.0), "S", "Mail", 1.0)["users"]

    def response(users, service):
        queue = 0.0
        for n in range(1, users + 1):
            time = service * (1 + queue)
            queue = n * time / (time + 10.0)
        return time

    low, high = 1e-6, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if response(50, middle) < 2.0 else (low, middle)
    assert response(int(found), low) <= 1.0 < response(int(found) + 1, low)


# ---- catalogues


def test_a_catalogue_is_filled_up():
    """What is not given: a lower bound, a basis, a law; texts of numbers; true and false in any letters."""
    frame = pd.DataFrame({
        "system": ["A", "A", "B"], "workload": ["Mail", "MailDB", "Mail"], "users": ["1200", 900, 800.5],
        "std_error": [np.nan, 10, np.nan], "dof": [np.nan, "inf", np.nan], "law": ["", "", "amdahl"],
        "extrapolated": ["", "True", "false"], "basis": ["", "mine", ""],
    })  # fmt: skip
    found = systems(frame)
    assert found["users"].tolist() == [1200, 900, 800.5]
    assert found["users_low"].tolist() == pytest.approx([1200, np.nan, np.nan], nan_ok=True)
    assert found["basis"].tolist() == ["given", "mine", "given"]
    assert found["extrapolated"].tolist() == [False, True, False]
    assert found["dof"].tolist()[1] == math.inf
    assert [*found] == [*systems()]
    for column, cell, told in (
        ("users", 0, "row 2: expected a system and workload once, with users above 0, found system A, workload MailDB"),
        ("std_error", -1, "row 2: expected a std_error of 0 or more, with a dof above 0"),
        ("dof", 0, "row 2: expected a std_error of 0 or more"),
        ("extrapolated", "perhaps", "row 2: expected true, false or nothing, found extrapolated perhaps"),
        ("users", "many", "catalogue, row 2, users: expected a number, found 'many'"),
        ("workload", "Mail", "row 2: expected a system and workload once"),
    ):
        broken = frame.astype(object)
        broken.loc[1, column] = cell
        with pytest.raises(BadTable, match=told):
            systems(broken)
    with pytest.raises(BadTable, match="found no workload, no users"):
        systems(frame[["system"]])


# ---- a plan and its risk


def halves(spread=None):
    """Nobody now in a group that its placement-free plan cuts in two, and people beside it."""
    groups = (mail(1600, spread=spread), mail(0, "later"))
    return plan(Request(groups, "S", critical=True), catalogue=catalogue())


def test_use_of_a_group_of_nobody_is_spread_over_its_parts():
    """Its people, once there are some, are on each server that has a part of it, alike."""
    bought = halves()
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


def test_rows_of_a_risk_by_hand():
    """700 to 1,300 people, 2 users each of 2,000: quantiles of what was drawn, chances, errors and reasons."""
    spread = {"kind": "uniform", "low": 700, "high": 1300}
    found = assess(plan(Request((mail(800, spread=spread),), "S", critical=True), catalogue=catalogue()), n=397, seed=4)
    people = 700 + 600 * np.random.default_rng(4).random((1, 397))[0]
    load = found.tidy().set_index("resource").loc["load"]
    drawn = np.sort(people / 1000)
    ends = [drawn[math.ceil(share * 397) - 1] for share in (0.025, 0.5, 0.975, 0.95)]
    assert load[["use_low", "use_median", "use_high", "use_bound"]].tolist() == pytest.approx(ends)
    chance = np.mean(drawn <= 1)
    assert load["probability"] == chance
    assert load["probability_std_error"] == pytest.approx(math.sqrt(chance * (1 - chance) / 397))
    assert (load["use_central"], load["reason"], load["at_row_end"]) == (0.8, "", False)
    whole = found.glance().iloc[0]
    assert whole[["draws", "level", "probability_load"]].tolist() == [397, 0.95, chance]
    assert whole[["systems_bound", "servers_bound"]].tolist() == pytest.approx([ends[3], 2])
    sure = assess(found.plan, n=397, seed=4, level=0.6).tidy().set_index("resource").loc["load"]
    assert sure["use_low"] == pytest.approx(drawn[math.ceil(0.2 * 397) - 1])
    wide = {"kind": "uniform", "low": 1, "high": 810}
    few = assess(plan(Request((mail(800, spread=wide),), "S", critical=True), catalogue=catalogue()), n=400).tidy()
    rows = few.set_index("resource")
    assert rows.loc["load", "reason"] == "none of 400 futures fails: the chance of one is below about 0.0075"
    assert rows.loc["memory", "at_row_end"]
    assert rows["reason"]["memory"].startswith("planned for the most people of its row of the memory table")
    assert rows.index.tolist() == ["load", "memory", "disk", "load, people spread evenly"]
    assert few["server"].tolist() == ["Server 1"] * 3 + [""]


def test_arguments_of_a_risk():
    """No plan, no futures, a level of a half: each by its name."""
    bought = plan(Request((mail(800),), "S"), catalogue=catalogue())
    with pytest.raises(CannotPlan, match="assess: expected a Plan, as `plan` gives it, found dict"):
        assess({})
    for arguments in ({"n": 0}, {"seed": -1}, {"level": 0.5}, {"level": 1.0}, {"level": 1}):
        with pytest.raises(CannotPlan, match=f"assess, {next(iter(arguments))}"):
            assess(bought, **arguments)
    assert assess(bought, n=1).headline() == (
        "No probability: nothing is uncertain: give a group a spread, or a rating its std_error and dof."
    )


def test_a_plan_in_words():
    """Servers, spare ones, what each has, the price, and which need more than there is."""
    first = plan(example()).headline()
    assert first == (
        f"2 servers ({ONE}): 448 and 512 MB of memory, 10 and 8 data drives in RAID 1; $76,693 as priced, by the"
        " corrected rules."
    )
    grown = Request((mail(9000), mail(300, "g", profile="groupware", databases=4)), ONE, spare_servers=1,
                    growth_percent=10, months_ahead=12)  # fmt: skip
    found = plan(grown)
    assert found.headline() == (
        f"12 servers and 1 spare ({ONE}): 576 to 640 MB of memory each, 5 to 7 data drives in RAID 5 each; $498,506 as"
        " priced, by the corrected rules. 12 of 12 servers need up to 640 MB of memory, but the system as priced has"
        " 512 MB."
    )
    row = found.glance().iloc[0]
    assert row["servers"] == row["processors"] == 13
    memory, drives = list(found.ram_mb.values()), [volume.drives for volume in found.volumes]
    assert row["ram_mb"] == sum(memory) + max(memory)
    assert row["drives"] == sum(drives) + max(drives) + 13
    assert (row["basis"], row["rules"]) == ("measured and rules", "corrected")
    bare = plan(Request((mail(700), mail(50, "b")), "S"), catalogue=catalogue(price_usd=np.nan, processors=np.nan))
    assert bare.headline().startswith("1 server (S): ")
    assert "; price not known, by the corrected rules." in bare.headline()
    assert bare.glance()["reason"].item().startswith("unknown of S: ")


# ---- a set that is given, and one that is looked for


def test_a_recommendation_in_words_and_sums():
    """The set, the people of each group, together or one by one; no rating, and nobody that it carries."""
    roomy = catalogue("R", users=1000.0, ram_mb=8192.0)
    mix = Request((mail(200), mail(100, "power", profile="groupware")))
    both = recommend({"R": 2}, mix, catalogue=roomy)
    people = both.tidy().set_index("group")["planned_users"]
    assert both.headline() == (
        f"2 R: recommended for {people['mail']:,.0f} mail, {people['power']:,.0f} power people together."
    )
    assert people.tolist() == [800, 400]  # 2 x 200 + 100 users fill half a server: 4 times the people on two
    row = both.tidy().iloc[0]
    assert row[["binds", "basis", "users"]].tolist() == ["processor", "given", 1600]
    assert row["headroom_percent"] == pytest.approx(100 * (500 / 300 - 1), rel=1e-3)  # 200 + 100 users without any
    one = recommend("R", Request((mail(10),)), catalogue=roomy)
    assert one.headline() == "1 R: recommended for 500 mail people."
    nothing = recommend("R", Request((mail(10),)), catalogue=roomy.assign(ram_mb=1.0)).tidy().iloc[0]
    assert (nothing["planned_users"], nothing["users"]) == (0, 0)
    assert math.isnan(nothing["headroom_percent"])
    blocked = recommend("R", mix, catalogue=roomy.assign(ram_mb=1.0)).tidy()
    assert blocked["planned_users"].tolist() == [0, 0]
    assert blocked["binds"].tolist() == ["memory"] * 2
    free = recommend("R", catalogue=roomy[roomy["workload"] == "Mail"])
    assert " or " in free.headline()
    assert "together" not in free.headline()
    assert free.glance()[["servers", "processors", "ram_mb", "set"]].iloc[0].tolist() == [1, 1, 8192, "1 R"]


def test_machines_in_a_frame_are_as_many_as_it_says():
    """A column of numbers, or one each; names are counted; half a server is none."""
    frame = catalogue("R", users=1000.0).query("workload == 'Mail'").assign(servers=3)
    assert recommend(frame).numbers == {"R": 3}
    assert recommend(frame.drop(columns="servers")).numbers == {"R": 1}
    assert recommend(["R", "R"], catalogue=frame.drop(columns="servers")).numbers == {"R": 2}
    with pytest.raises(CannotPlan, match=r"found 2\.5 of 'R'"):
        recommend(frame.assign(servers=2.5))


def test_a_set_in_words_and_prices():
    """What costs what, to the cent; the kinds in the order of the catalogue; what nobody sells is not there."""
    rows = pd.concat(
        [catalogue("A", price_usd=10.005), catalogue("B", price_usd=np.nan), catalogue("C", price_usd=3.0)]
    )
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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"max_servers": 0}, "choose, max_servers: expected a whole number, 1 or more, found 0"),
        ({"max_servers": 1.5}, "choose, max_servers"), ({"runners_up": -1}, "a whole number, 0 or more, found -1"),
        ({"max_price_usd": 0}, "choose, max_price_usd: expected above 0, found 0"), ({"work": 0}, "choose, work"),
        ({"work": None}, "choose, work: expected above 0"),
    ],
)  # fmt: skip
def test_limits_of_a_choice(arguments, told):
    """Each by its name, with what it may be."""
    with pytest.raises(CannotPlan, match=told):
        choose(Request((mail(100),)), catalogue=catalogue(), **arguments)


def test_a_fitted_rating_is_checked():
    """The workload's name, a law of users, a name and a price for each x."""
    points = pd.DataFrame({"processors": [1, 2, 3, 4], "users": [1000.0, 1900, 2800, 3500]})
    for changed, told in (
        ({"workload": ""}, "fitted_rating, workload: expected its name"),
        ({"system": ["A"]}, "fitted_rating, system: expected 2 of them, one for each x"),
        ({"system": ["A", "A"]}, "fitted_rating, system: expected 2 of them"),
        ({"price_usd": "dear"}, "fitted_rating, price_usd: expected prices"),
        ({"system": [1, 2]}, "fitted_rating, system: expected names"),
    ):
        with pytest.raises(CannotPlan, match=told):
            fitted_rating("amdahl", points, [5, 6], **{"workload": "Mail"} | changed)
    with pytest.raises(CannotFit, match=r"^fitted_rating\(level"):
        fitted_rating("amdahl", points, 5, workload="Mail", level=0.5)


def benchmark_columns():
    """The columns of the runs of the documents."""
    return runs_of_data_folders(stamp_of_data_folders(ours=True)).columns


def test_systems_of_a_folder_by_hand(monkeypatch):
    """Think time by the rate of its tests, of two runs the one with more users; what tells like systems apart."""
    rows = [
        {"system": "Box", "workload": "Mail", "users": 100, "notesmark_tpm": 120, "response_s": 0.5, "price_usd": 900},
        {"system": "Box", "workload": "Mail", "users": 80, "notesmark_tpm": 90, "response_s": 0.2, "price_usd": 900},
        {"system": "Duo", "workload": "Mail", "users": 50, "notesmark_tpm": 60, "response_s": 1.0, "price_usd": 700},
        {"system": "Duo", "workload": "Mail", "users": 90, "notesmark_tpm": 60, "response_s": 1.0, "price_usd": 800},
    ]
    frame = pd.DataFrame(rows).assign(source="mine", processors=[2.0, 2, 1, 2], run="mine/runs#1")
    frame = pd.concat([frame, frame.iloc[[0, 0, 0]].assign(system=["", "Box", "Box"], workload=["Mail", "", "Mail"],
                       users=[9, 9, 0])], ignore_index=True).reindex(columns=benchmark_columns())  # fmt: skip
    monkeypatch.setattr("dominoperf.planning.catalogue.users_data_folders", lambda: [Path("mine")])
    monkeypatch.setattr("dominoperf.planning.catalogue.benchmarks", lambda: frame)
    mine = systems_of_folders(systems()).set_index("system")
    assert mine.index.tolist() == ["Box", "Duo, 1 processor", "Duo, 2 processors"]
    with pytest.raises(BadTable, match="expected a name of its own, found also in ours"):
        systems_of_folders(systems().replace({ONE: "Box"}))
    assert mine["users"].tolist() == mine["users_low"].tolist() == [100, 50, 90]
    assert mine["think_s"].tolist() == pytest.approx([100 / 2 - 0.5, 50 - 1, 90 - 1])
    assert mine["price_usd"].tolist() == [900, 700, 800]
    assert mine[["basis", "law", "extrapolated"]].to_numpy().tolist() == [["measured", "", False]] * 3
    assert mine["std_error"].isna().all()


def test_a_spread_by_percent():
    """As much below as above, of each group; a number alone is taken."""
    spread = planning.with_spread(Request((mail(200), mail(50, "b"))), 30)
    assert [group.spread for group in spread.groups] == [
        {"kind": "triangular", "low": pytest.approx(140), "high": pytest.approx(260)},
        {"kind": "triangular", "low": pytest.approx(35), "high": pytest.approx(65)},
    ]
    with pytest.raises(CannotPlan, match="with_spread, percent: expected a number above 0, to 100, found 'many'"):
        planning.with_spread(Request((mail(200),)), "many")


def test_percentiles_of_samples_are_told_in_words():
    """As a reason of its own, whatever else the curve has."""
    found = node_count(CURVE.assign(response_p95_of="samples"), 5000, response_p95_s=0.12).glance().iloc[0]
    assert found["reason"].startswith("no interval and no probability: the 95th percentiles of the curve are means of")
    assert math.isnan(found["probability"])
    assert node_count(CURVE, 5000, response_p95_s=0.12).glance()["reason"].item() == ""


def test_the_chance_of_a_recommendation_by_hand():
    """People up to the bound of the rating: as often as Student's t is above it, of two servers of one model alike."""
    low = 2000 - 100 * stats.t.ppf(0.95, 5)
    unsure = catalogue("R", users_low=low, std_error=100.0, dof=5.0)
    for servers in (1, 2):
        row = recommend({"R": servers}, Request((mail(10),)), catalogue=unsure, n=4000, seed=1).tidy().iloc[0]
        assert row["planned_users"] == math.floor(servers * low / 2)
        exact = stats.t.sf((2 * row["planned_users"] / servers - 2000) / 100, 5)
        assert row["probability"] == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))
        assert row["probability_std_error"] == pytest.approx(
            math.sqrt(row["probability"] * (1 - row["probability"]) / 4000)
        )
        assert "no chance" not in row["reason"]


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"rate_per_s": 0}, "--rate"), ({"response_p95_s": 0}, "--p95"), ({"response_s": 0}, "--response"),
        ({"utilization": 2}, "--utilization"), ({"headroom": 1}, "--headroom"), ({"growth": -1}, "--growth"),
        ({"spare": 0.5}, "--spare"), ({"think_s": -1}, "--think"), ({"node_price": -1}, "--node-price"),
        ({"level": 3}, "--level"), ({"response_p95_s": 0.001}, "--p95"), ({"response_s": 0.001}, "--response"),
        ({"curve": CURVE[["load"]]}, "--curve"),
    ],
)  # fmt: skip
def test_a_mistake_about_nodes_at_the_shell_names_the_option(settings, option):
    """As it was typed there; a share that was meant in percent has both spellings."""
    with at_shell(["plan", "x"]), pytest.raises(DominoperfError) as caught:
        node_count(**{"curve": CURVE, "rate_per_s": 100} | settings).glance()
    assert caught.value.where.startswith(option)
    if "utilization" in settings:
        assert caught.value.remedy == "Write it as a share: 0.02 or 2%."


# ---- every row of a plan


def test_every_row_of_a_plan_by_hand():
    """Growth, people counted twice, hours, a target of 60 %, databases, a workload of one's own, drives of 4.5 GB."""
    day = (50.0,) * 12 + (100.0,) * 12
    own = {"ram_mb": 64.0, "ram_mb_per_user": 0.5, "disk_mb_per_user": 20.0, "multiplier": 3.0}
    groups = (
        Group("mail", 1200, "mail", message_kb=3.0, growth_percent=10.0),
        Group("notes", 300, "maildb_active", databases=2, hours=day),
        Group("power", 100, "groupware"),
        Group("disc", 50, "discdb", databases=3),
        Group("mine", 80, "own", workload="orders", **own),
    )
    overlap = ({"groups": ["notes", "power"], "users": 20},)
    asked = {"months_ahead": 12, "spare_servers": 1, "overlap": overlap, "utilization_percent": 60.0, "drive_gb": 4.5}
    systems_known = catalogue(users_high=2500.0, locator="page 1")
    orders = systems_known.iloc[:1].assign(workload="orders")
    found = plan(Request(groups, "S", **asked), catalogue=pd.concat([systems_known, orders]))
    steps = found.rules.steps.items()
    pages = {f"{step}.{name}": found.rules.locator(step, name) for step, names in steps for name in names}
    expected = pd.read_csv(Path(__file__).with_name("plan_in_full.csv"), keep_default_na=False, dtype=str)
    for row, wanted in zip(found.rows, expected.to_dict("records"), strict=True):
        page = functools.reduce(lambda text, name: text.replace(f"{{{name}}}", pages[name]), pages, wanted["page"])
        server = wanted["server"] and f"Server {wanted['server']}"
        assert (row.step, row.server, row.locator) == (int(wanted["step"]), server, page)
        for name in ("group", "key", "quantity", "unit", "rule", "basis"):
            assert getattr(row, name) == wanted[name]
        for name in ("value", "low", "high"):
            assert getattr(row, name) == pytest.approx(float(wanted[name] or "nan"), nan_ok=True)
        assert ("".join(row.caveats), row.reason) == (wanted["caveats"], "")
    summary = found.glance().iloc[0]
    assert summary[["servers", "processors", "ram_mb", "drives", "price_usd"]].tolist() == [3, 3, 2600, 41, 3000]
    assert summary["basis"] == "measured and rules, as measured: not at the utilization asked for"
    assert found.headline() == (
        "2 servers and 1 spare (S): 808 and 896 MB of memory, 13 and 12 data drives in RAID 5; $3,000 as priced, by the"
        " corrected rules."
    )


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"groups": [{"name": "a", "users": 1, "profile": "light_mail"}], "users": 5}, UnknownName,
         "It is a key of a group: write it under [[groups]]."),
        ({"groups": [{"name": "a", "users": 1, "profile": "light_mail", "system": "S"}]}, UnknownName,
         "It is a key of the request: write it above the first [[groups]]."),
        ({"groups": [{"name": "a", "users": -1, "profile": "light_mail"}]}, CannotPlan, "group 'a', users: expected"),
        ({"groups": [{"name": " ", "users": 1, "profile": "light_mail"}]}, CannotPlan, "groups[1], name: expected"),
        ({"groups": [{"name": "a", "users": 1, "profile": "light_mail"}] * 2}, CannotPlan,
         "request, groups: expected a name of its own for each group, found a, a."),
        ({"groups": [{"name": "a", "users": 1, "profile": "mail"}]}, CannotPlan, "message_kb None"),
        ({"groups": [{"name": "a", "users": 1, "profile": "light_mail", "growth_percent": 5}]}, CannotPlan,
         "request, months_ahead: expected the months over which people grow"),
        ({"groups": [{"name": "a", "users": 1, "profile": "light_mail"}], "sistem": "S"}, UnknownName, "system"),
    ],
)  # fmt: skip
def test_a_request_that_cannot_be_read(asked, error, told):
    """Which field of which group, and where a key belongs."""
    with pytest.raises(error) as caught:
        plan(asked)
    assert told in str(caught.value)


def test_the_names_of_the_audited_systems():
    """Model, processors, clock, cache; the operating system or the memory where two would be alike."""
    names = systems()["system"].unique().tolist()
    assert "ProSignia 200 1xP2/233, 128 MB" in names
    assert {ONE, "ProLiant 3000 1xP2/300", "ProLiant 7000 4xP6/200-1024"} < set(names)
    assert all(isinstance(name, str) and name for name in names)
