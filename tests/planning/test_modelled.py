"""Systems that nobody measured: their users from the model of `capacity`, in plans, choices and assessments."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from dominoperf import capacity, machines, planning
from dominoperf.errors import BadTable, CannotFit, CannotPlan, UnknownName
from dominoperf.machines import fitted_users_model
from dominoperf.machines.asked_machines import read_machines
from dominoperf.machines.resources import capacity_draws
from dominoperf.planning import Group, Request, assess, choose, modelled_rating, plan, rating, systems
from dominoperf.runs import benchmarks

MACHINE = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 4}
MACHINE |= {"processor_family": "Pentium Pro"}
CSV = """system,workload,users,processors,clock_mhz,l2_kb,ram_mb,drives,processor_family,price_usd
Mine,Mail,,2,200,512,512,4,Pentium Pro,20000
Tested,Mail,1500,1,,,512,,,19000
Absurd,Mail,,2,2000000,512,512,4,Pentium Pro,100
"""


@pytest.fixture
def catalogue(tmp_path):
    """A file with a machine that nobody measured, a tested system, and a clock in Hz."""
    path = tmp_path / "own.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def asked(people, system=None):
    """Light mail: two users of the benchmark each."""
    return Request((Group("mail", people, "light_mail"),), system, critical=True)


def test_a_rating_is_the_capacity_of_the_machine(catalogue):
    """The median, and one-sided ends at 95 %: those of both sides at 90 %, of a row as of a machine alone."""
    known = capacity(MACHINE, "Mail", level=0.9).glance().iloc[0]
    alone = modelled_rating(MACHINE, "Mail", system="Mine", price_usd=20_000.0).iloc[0]
    listed = systems(catalogue).set_index("system").loc["Mine"]
    for row in (alone, listed):
        assert row[["users", "users_low", "users_high"]].tolist() == pytest.approx(
            known[["users", "low", "high"]].tolist(), rel=1e-12
        )
        assert (row["basis"], row["price_usd"], row["extrapolated"]) == ("modelled", 20_000.0, False)
    columns = modelled_rating(MACHINE, "Mail").columns.tolist()
    assert columns == [*planning.systems().columns, *columns[-7:]]
    assert alone[["clock_mhz", "drives", "processor_family"]].tolist() == [200, 4, "Pentium Pro"]


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


def test_a_plan_says_that_a_rating_is_modelled(catalogue):
    """The corrected rules plan with the lower bound; the range of the share is that of the interval."""
    bought = plan(asked(1000, "Mine"), catalogue=catalogue)
    share = bought.tidy().set_index("key").loc["share"]
    row = bought.ratings["mail"]
    assert share["basis"] == "modelled"
    assert share["value"] == pytest.approx(2000 / row["users_low"])
    assert share["low"] == pytest.approx(2000 / row["users_high"])
    assert bought.glance()["basis"][0] == "measured and rules, modelled"
    assert plan(asked(1000, "Mine"), catalogue=catalogue, rules="compaq_1998").parts[0].rating == row["users"]


def test_the_cheapest_set_names_modelled_systems(catalogue):
    """A set with a modelled system says so, one of tested systems does not; the absurd machine is never chosen."""
    found = choose(asked(1100), catalogue=catalogue, runners_up=2).glance()
    for row in found.itertuples():
        assert ("Mine" in row.set) == row.basis.endswith("modelled")
        assert "Absurd" not in row.set
    assert found["basis"].str.endswith("modelled").nunique() == 2


def test_the_chance_of_a_plan_follows_the_model(catalogue):
    """Filled to the bound that 95 % of such machines carry, a server suffices in 95 % of futures (4 standard errors).

    The bound at 98 % of the model itself is the quantile of those futures within 2 %.
    """
    low = rating(systems_of(catalogue), "Mine", "Mail")["users_low"]
    found = assess(plan(asked(low / 2, "Mine"), catalogue=catalogue), n=40_000, seed=2)
    chance = found.servers().set_index("servers").loc[1, "probability"]
    assert abs(chance - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 40_000)
    (uncertain,) = found.inputs
    low_98 = capacity(MACHINE, "Mail", level=0.96).glance()["low"].item()
    assert uncertain.quantile(np.array([0.02])).item() == pytest.approx(low_98, rel=0.02)


def systems_of(catalogue):
    """What `rating` looks up."""
    return planning.ratings(catalogue)


def test_beyond_reach_there_is_no_rating_but_a_reason(catalogue):
    """A clock in Hz: the row has no users, and whoever plans with it is told why."""
    row = systems(catalogue).set_index("system").loc["Absurd"]
    assert math.isnan(row["users"])
    assert "clock_mhz 2000000 is too far" in row["reason"]
    with pytest.raises(CannotPlan, match=r"system 'Absurd', Mail: .*clock_mhz 2000000 is too far"):
        plan(asked(10, "Absurd"), catalogue=catalogue)
    only = systems(catalogue).query("system == 'Absurd'")
    with pytest.raises(CannotPlan, match="too far"):
        choose(asked(10), catalogue=only)
    with pytest.raises(CannotFit, match="too far"):
        modelled_rating(MACHINE | {"clock_mhz": 2e6}, "Mail")


def test_a_workload_that_nobody_ran_has_a_reason():
    """The model knows no such workload; the tested row beside it stays."""
    rows = [{"system": "A"} | MACHINE, {"system": "B", "users": 90}]
    found = systems(pd.DataFrame(rows).assign(workload="checkout")).set_index("system")
    assert "checkout" in found.loc["A", "reason"]
    assert found.loc["B", ["users", "users_low", "basis", "reason"]].tolist() == [90.0, 90.0, "given", ""]


def test_a_machine_without_a_workload_has_all_but_the_tested_ones():
    """A system's own test of Mail stays; the other workloads of the planner are modelled."""
    tested = {"system": "A", "workload": "Mail", "users": 1234}
    found = systems(pd.DataFrame([tested, {"system": "A"} | MACHINE])).set_index("workload")
    assert set(found.index) == set(planning.WORKLOADS)
    assert found.loc["Mail", ["users", "basis"]].tolist() == [1234.0, "given"]
    assert found.drop(index="Mail")["basis"].str.startswith("modelled").all()
    assert systems(pd.DataFrame([{"system": "A"} | MACHINE]))["workload"].tolist() == list(planning.WORKLOADS)


def test_more_of_a_machine_never_carries_less():
    """More clock, cache, processors or memory; a clock beyond those measured is said to be extrapolated."""
    more = [MACHINE | {name: 2 * MACHINE[name]} for name in ("processors", "clock_mhz", "l2_kb", "ram_mb")]
    rows = [{"system": f"S{k}", "workload": "Mail"} | each for k, each in enumerate([MACHINE, *more])]
    found = systems(pd.DataFrame(rows))
    assert (found["users"][1:] >= found["users"][0]).all()
    assert found["basis"].tolist()[2] == "modelled, extrapolated in clock_mhz"
    assert found["extrapolated"].tolist()[2]


def test_modelled_systems_handed_back_are_the_same(catalogue, tmp_path):
    """As a frame and as its file, reasons and all."""
    found = systems(catalogue)
    found.to_csv(tmp_path / "again.csv", index=False)
    for again in (systems(found), systems(tmp_path / "again.csv")):
        pd.testing.assert_frame_equal(again, found, check_exact=False, rtol=1e-12)


def test_what_is_no_machine_is_refused(catalogue):
    """A row without users that says nothing of a machine; a clock in words; two machines; no one-sided level."""
    for text, told in (
        ("system,workload,users,clock_mhz\nA,Mail,,\n", r"line 2: expected users above 0, found users none"),
        (
            "system,workload,users,clock_mhz\nA,Mail,,fast\n",
            r"column clock_mhz, line 2: expected a number, found 'fast'",
        ),
    ):
        catalogue.write_text(text, encoding="utf-8")
        with pytest.raises(BadTable, match=told):
            systems(catalogue)
    with pytest.raises(CannotPlan, match="one machine"):
        modelled_rating(pd.DataFrame([MACHINE]), "Mail")


def test_a_system_of_the_data_can_be_planned_with():
    """IBM's disclosure: 2,200 Mail and 1,700 MailDB users, 29,581 USD; of Groupware nothing, so the model's users."""
    groups = (Group("mail", 500, "light_mail"), Group("active", 300, "maildb_active"), Group("power", 60, "groupware"))
    bought = plan(Request(groups, "IBM PC Server 330"))
    assert [bought.ratings[name]["users"] for name in ("mail", "active")] == [2200, 1700]
    known = capacity("IBM PC Server 330", "Groupware_A", level=0.9).glance().iloc[0]
    assert bought.ratings["power"]["users_low"] == pytest.approx(known["low"])
    shares = bought.tidy().query("key == 'share'").set_index("group")
    assert shares["basis"].tolist() == ["measured", "measured", "modelled, extrapolated in processors, clock_mhz"]
    assert shares.loc["mail", "value"] == 1000 / 2200
    assert bought.glance()[["processors", "price_usd"]].iloc[0].tolist() == [
        2 * bought.servers,
        29_581 * bought.servers,
    ]
    assert assess(bought, n=1000).inputs[0].id == ("rating", "IBM PC Server 330", "Groupware_A")


def test_a_response_holds_a_system_of_the_data():
    """The run answered in 0.36 s with 2,200 users: sooner than that it carries fewer, later as many."""
    assert rating(None, "IBM PC Server 330", "Mail", 0.5)["users"] == 2200
    assert rating(None, "IBM PC Server 330", "Mail", 0.2)["users"] < 2200


def test_a_response_holds_a_modelled_system(catalogue):
    """As `capacity` has it at that response, of a catalogue and of the data; not below the shortest measured one."""
    for name, machine, workload in (("Mine", MACHINE, "Mail"), ("IBM PC Server 330", "IBM PC Server 330", "DiscDB")):
        known = capacity(machine, workload, response_s=0.4, level=0.9).glance().iloc[0]
        row = rating(catalogue, name, workload, 0.4)
        assert [row["users"], row["users_low"]] == pytest.approx([known["users"], known["low"]], rel=1e-12)
        assert row["users"] < rating(catalogue, name, workload)["users"]
        assert row["basis"] == "modelled"
        with pytest.raises(CannotPlan, match=r"0\.05 s, the shortest measured, or more"):
            rating(catalogue, name, workload, 0.01)
    wanted = plan(Request((Group("mail", 800, "light_mail"),), "Mine", response_s=0.4), catalogue=catalogue)
    assert wanted.parts[0].rating == rating(catalogue, "Mine", "Mail", 0.4)["users_low"]


def test_every_system_of_the_data_has_a_rating():
    """Of its own test of Mail where it has one, the most users that passed; else the model's."""
    of_mail = benchmarks().query("workload in ('Mail', 'Mail-Only')")
    printed = of_mail["system"].str.replace(" ", "")  # one name is printed in two ways
    for name in sorted({name for name in benchmarks()["system"] if name}):
        runs, row = of_mail[printed == name.replace(" ", "")], rating(None, name, "Mail")
        assert row["users"] > 0, name
        assert (row["basis"] == "measured") == (len(runs) > 0), name
        assert row["basis"].startswith("modelled") or row["users"] in set(runs["users"]), name


def test_what_passed_is_a_lower_bound():
    """A machine that carried a load short of its limit is planned with no less, whatever the model's bound."""
    runs = benchmarks().query("source == 'domino6' and system == 'S80'")
    raised = 0
    for workload, printed in runs.groupby("workload"):
        row, low = rating(None, "S80", workload), modelled_rating("S80", workload).iloc[0]["users_low"]
        passed = row["basis"].endswith("no less than what passed")
        assert row["users_low"] in set(printed["users"]) if passed else row["users_low"] == low
        assert low <= row["users_low"] <= row["users"] <= row["users_high"]
        raised += passed
    assert raised


def test_a_name_that_nobody_has_is_told():
    """A slip in a name, and a file's name, are no systems of the data."""
    for name, told in (("IBM PC Server 33O", r"Did you mean IBM PC Server 330\?"), ("machine.toml", "Known are")):
        with pytest.raises(UnknownName, match=told):
            rating(None, name, "Mail")
    with pytest.raises(UnknownName, match="workload"):
        rating(None, "IBM PC Server 330", "checkout")


def test_workloads_of_one_machine_are_drawn_together():
    """Mail and Groupware fill a server each: both suffice as often as in joint draws of the model (within 0.01).

    Drawn one by one they would in 0.95 times 0.95 of the futures.
    """
    catalogue = pd.DataFrame([{"system": "Mine", "ram_mb": 8192} | MACHINE | {"drives": np.nan}])
    low = {name: rating(planning.ratings(catalogue), "Mine", name)["users_low"] for name in ("Mail", "Groupware_A")}
    groups = Group("mail", low["Mail"] / 2, "light_mail"), Group("power", low["Groupware_A"], "groupware")
    bought = plan(Request(groups, "Mine", placement={"S1": ["mail"], "S2": ["power"]}), catalogue=catalogue)
    together = assess(bought, n=40_000).glance()["probability_load"].item()

    posterior = fitted_users_model()
    rows = pd.concat([catalogue] * 2).assign(workload=list(low)).reset_index(drop=True)
    logs = capacity_draws(posterior, read_machines(posterior.model, rows)[0], None)
    both = (logs >= np.log(list(low.values()))).all(axis=1).mean()
    assert together == pytest.approx(both, abs=0.01)
    assert together > 0.95**2 + 0.02
    shared = machines.correlation(rows)
    assert shared[0, 1] == pytest.approx(np.corrcoef(logs, rowvar=False)[0, 1])


def test_another_machine_shares_less_than_another_workload():
    """Of one machine two workloads share its error; two machines share the model's terms alone."""
    rows = [
        MACHINE | {"system": name, "workload": work} for name, work in (("A", "Mail"), ("A", "DiscDB"), ("B", "Mail"))
    ]
    shared = machines.correlation(pd.DataFrame(rows).drop(columns="drives"))
    assert 0 < shared[0, 2] < shared[0, 1] - 0.05 < 0.95
    assert np.allclose(shared, shared.T)


def test_an_audited_system_has_a_modelled_rating_for_other_workloads():
    """The ProLiant 3000 ran Mail alone: its MailDB is that of the model for the printed machine, and a plan says so."""
    name = "ProLiant 3000 1xP2/300"
    row, known = rating(None, name, "MailDB"), capacity("ProLiant 3000", "MailDB", level=0.9).glance().iloc[0]
    assert [row["users"], row["users_low"]] == pytest.approx([known["users"], known["low"]], rel=1e-9)
    assert row["price_usd"] == rating(None, name, "Mail")["price_usd"]
    assert row["basis"] == "modelled, extrapolated in clock_mhz"  # which no MailDB test had
    bought = plan(Request((Group("active", 200, "maildb_active"),), name))
    assert bought.glance()["basis"].item().endswith("modelled")
    every = systems(modelled=True)
    assert len(every) == every["system"].nunique() * len(planning.WORKLOADS)
    tested = every[every["basis"] == "measured"].drop(columns=every.columns[16:])
    pd.testing.assert_frame_equal(tested, systems(), check_dtype=False)
    assert choose(Request((Group("active", 200, "maildb_active"),)), catalogue=every, runners_up=0).glance().size
    own = pd.DataFrame([{"system": name, "workload": "Mail", "users": 10.0}])
    with pytest.raises(CannotPlan, match="a rating for MailDB"):  # another system of that name
        rating(own, name, "MailDB")
