"""How many people a given set of servers is recommended for, against plans tried one by one and futures drawn."""

import math

import numpy as np
import pandas as pd
import pytest
from own_systems import PL5000, known, mail

from dominoperf import tables
from dominoperf.errors import CannotPlan, DominoperfError, UnknownName
from dominoperf.planning import PROFILES, Group, Request, example, plan, ratings, recommend, rules_named

MACHINE = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 8192, "processor_family": "Pentium Pro"}


def one_server_carries(groups, system):
    """Whether a plan of these people takes a single server, no more memory than it has and one array of drives."""
    try:
        bought = plan(Request(groups, system))
    except DominoperfError:
        return False
    ram_mb = ratings()[system, "Mail"]["ram_mb"]
    most_drives = rules_named().value("disk", "array_drives")
    fits = bought.ram_mb["Server 1"] <= ram_mb and all(volume.drives <= most_drives for volume in bought.volumes)
    return bought.servers == 1 and fits


@pytest.mark.parametrize("system", [PL5000, "ProLiant 7000 4xP6/200-1024", "ProSignia 200 1xP2/233, 128 MB"])
@pytest.mark.parametrize("profile", ["light_mail", "heavy_mail", "maildb_active", "groupware", "discdb"])
def test_it_is_the_most_that_a_plan_puts_on_one_server(system, profile):
    """Every number of people below it in steps of 7 has a plan with one such server; the next one above has none."""
    people = recommend(system).tidy().set_index("group").loc[profile, "planned_users"]
    carries = lambda number: one_server_carries((Group("g", float(number), profile),), system)  # noqa: E731
    assert all(carries(number) for number in np.arange(people, 0, -max(people // 7, 1)))
    assert not carries(people + 1)


def test_a_mix_is_the_most_that_a_plan_puts_on_one_server():
    """Mail and groupware four to one: 1 % fewer fit on the server by the five steps, 1 % more do not."""
    mix = Request((Group("mail", 400, "light_mail"), Group("power", 100, "groupware")))
    found = recommend(PL5000, mix).tidy().set_index("group")["planned_users"]
    groups = lambda factor: tuple(  # noqa: E731
        Group(name, factor * found[name], profile) for name, profile in (("mail", "light_mail"), ("power", "groupware"))
    )
    assert one_server_carries(groups(0.99), PL5000)
    assert not one_server_carries(groups(1.01), PL5000)
    assert found["mail"] == pytest.approx(4 * found["power"], abs=4)
    alone = recommend(PL5000).tidy().set_index("group")["planned_users"]
    assert found["mail"] < alone["light_mail"]


def test_a_set_carries_what_its_servers_carry():
    """One profile at a time the numbers add up over unlike servers; of a mix the set carries no less than its parts."""
    other = "ProLiant 7000 4xP6/200-1024"
    parts = [recommend(name).tidy()["planned_users"] for name in (PL5000, other)]
    both = recommend({PL5000: 2, other: 1}).tidy()
    assert (both["planned_users"] - (2 * parts[0] + parts[1])).abs().max() <= 2
    single, double = (recommend({PL5000: count}, example()).tidy()["planned_users"] for count in (1, 2))
    assert (double >= 2 * single).all()
    spare = recommend({PL5000: 2}, Request((Group("mail", 10, "light_mail"),), spare_servers=1)).tidy()
    assert spare["planned_users"][0] == parts[0][0]


def test_the_request_of_a_plan_comes_back():
    """The servers that the case study buys with their memory are recommended for its people or more."""
    bought = plan(example())
    row = ratings()[bought.request.system, "Mail"]
    own = [{"system": "Bought", "workload": name, "users": ratings()[bought.request.system, name]["users"],
            "ram_mb": max(bought.ram_mb.values()), "processors": row["processors"]}
           for name in ("Mail", "MailDB", "Groupware_A")]  # fmt: skip
    found = recommend({"Bought": bought.servers}, example(), catalogue=pd.DataFrame(own)).tidy()
    assert (found["planned_users"] >= [group.users for group in bought.request.groups]).all()


def test_head_room_is_to_the_users_of_the_rating():
    """A measured system at 50 %: twice the people fill it; what memory ends has none."""
    roomy = {"system": "R", "workload": "Mail", "users": 1000, "ram_mb": 8192, "processors": 1}
    found = recommend("R", catalogue=pd.DataFrame([roomy])).tidy().set_index("group")
    assert found.loc["light_mail", ["planned_users", "headroom_percent", "binds"]].tolist() == [500, 100, "processor"]
    short = (
        recommend("R", catalogue=pd.DataFrame([roomy | {"ram_mb": 192}])).tidy().set_index("group").loc["light_mail"]
    )
    assert short[["planned_users", "headroom_percent", "binds"]].tolist() == [300, 0, "memory"]
    assert "no rating for MailDB; found " in found.loc["maildb_reader", "reason"]
    assert math.isnan(found.loc["maildb_reader", "planned_users"])


def test_an_unknown_memory_is_said():
    """It sets no limit, and the row says so."""
    found = recommend("R", catalogue=pd.DataFrame([{"system": "R", "workload": "Mail", "users": 1000}])).tidy()
    assert found["reason"][0].startswith("the memory of R is not known")


def test_columns_and_sums():
    """Every column is described; processors, memory and price are those of all servers."""
    found = recommend({PL5000: 2, "IBM PC Server 330": 1})
    assert set(found.tidy().columns) | set(found.glance().columns) <= set(tables.vocabulary())
    assert found.tidy()["group"].tolist() == list(PROFILES)
    priced = [ratings()[PL5000, "Mail"]["price_usd"], 29_581]
    assert found.glance()[["servers", "processors", "ram_mb"]].iloc[0].tolist() == [3, 4, 1536]
    assert found.glance()["price_usd"].item() == pytest.approx(2 * priced[0] + priced[1])
    assert "recommended for" in str(found)
    assert "recommended for" in found._repr_html_()


RELATION = "Column users has them as users of the benchmark, whom `capacity` counts; memory is for people."


def test_a_recommendation_in_words_and_sums():
    """The set, the people of each group, together or one by one; no rating, and nobody that it carries."""
    roomy = known("R", users=1000.0, ram_mb=8192.0)
    mix = Request((mail(200), mail(100, name="power", profile="groupware")))
    both = recommend({"R": 2}, mix, catalogue=roomy)
    people = both.tidy().set_index("group")["planned_users"]
    assert both.headline() == f"2 R: recommended for 800 mail, 400 power people together. {RELATION}"
    assert people.tolist() == [800, 400]  # 2 x 200 + 100 users fill half a server: 4 times the people on two
    row = both.tidy().iloc[0]
    assert row[["binds", "basis", "users"]].tolist() == ["processor", "given", 1600]
    assert row["headroom_percent"] == pytest.approx(100 * (500 / 300 - 1), rel=1e-3)  # 200 + 100 users without any
    one = recommend("R", Request((mail(10),)), catalogue=roomy)
    assert one.headline() == f"1 R: recommended for 500 mail people. {RELATION}"
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


def test_servers_that_may_fail_and_people_of_later_are_told():
    """Two servers carry 1,000 people and one 500; of 500 in two years at 10 % and 30 % a year 413 and 295 are there."""
    roomy = known("R", users=1000.0, ram_mb=8192.0)
    plain = {"groups": (mail(100),), "spare_servers": 0}
    assert recommend({"R": 2}, Request(**plain), catalogue=roomy).notes == ()
    spare = recommend({"R": 2}, Request(**plain | {"spare_servers": 1}), catalogue=roomy)
    assert spare.headline() == (
        f"2 R: recommended for 500 mail people. {RELATION} 1 server of the set may fail: those left carry these people."
    )
    later = {"growth_percent": 10.0, "months_ahead": 24.0}
    grown = recommend("R", Request((mail(100),), **later), catalogue=roomy)
    assert grown.headline().endswith("These are the people in 24 months; today they are 413 mail.")
    own = recommend("R", Request((mail(100, growth_percent=30.0),), **later), catalogue=roomy)
    assert own.notes == ("these are the people in 24 months; today they are 295 mail",)


@pytest.mark.parametrize(
    ("servers", "error", "told"),
    [
        ({}, CannotPlan, "the systems of the set"),
        ({PL5000: 0}, CannotPlan, "0 of"),
        ({PL5000: 1.5}, CannotPlan, "1.5 of"),
        ({PL5000: 10**9}, CannotPlan, "10,000 servers at most"),
        ({3: 1}, CannotPlan, "1 of 3"),
        ("ProLiant 5000 1xP6/200", UnknownName, "^recommend, servers: .*Did you mean ProLiant 5000"),
    ],
)
def test_sets_that_are_none(servers, error, told):
    """Nothing, parts of servers, too many, a name that no system has."""
    with pytest.raises(error, match=told):
        recommend(servers)


def test_a_group_without_a_rating_is_refused():
    """Of a request every group has to be somewhere."""
    only_mail = pd.DataFrame([{"system": "R", "workload": "Mail", "users": 1000}])
    with pytest.raises(CannotPlan, match="MailDB"):
        recommend({"R": 1}, example(), catalogue=only_mail)


def test_servers_that_answer_too_late_are_told():
    """B takes more than a second for a single user: it is left out, which the reason says."""
    rows = {"system": ["A", "B"], "users": [1000, 3], "response_s": [0.5, 5.0], "think_s": [10, 0.1]}
    machines = pd.DataFrame(rows | {"workload": "Mail", "processors": 1, "ram_mb": 512})
    request = {"groups": [{"name": "staff", "users": 100, "profile": "light_mail"}], "response_s": 1.0}
    both = recommend({"A": 1, "B": 1}, request, catalogue=machines).tidy()
    alone = recommend({"A": 1}, request, catalogue=machines).tidy()
    assert both["planned_users"].tolist() == alone["planned_users"].tolist()
    told = "1 row of the set is not offered, without a known answer within 1 s: B"
    assert told in both["reason"].item()
    assert "not offered" not in alone["reason"].item()


def test_servers_that_may_fail_bind_by_what_they_leave():
    """Either server holds 150 people, A by its memory and B by its processor: more memory helps no one."""
    rows = [("A", "Mail", 1600, 128), ("B", "Mail", 300, math.nan)]
    catalogue = pd.DataFrame(rows, columns=["system", "workload", "users", "ram_mb"])
    request = {"groups": [{"name": "mail", "users": 500, "profile": "light_mail"}], "spare_servers": 1}
    row = recommend({"A": 1, "B": 1}, request, catalogue=catalogue).tidy().iloc[0]
    assert (row["planned_users"], row["binds"]) == (150, "processor")
    alone = recommend("A", request | {"spare_servers": 0}, catalogue=catalogue).tidy().iloc[0]
    assert (alone["planned_users"], alone["binds"]) == (150, "memory")


def test_a_solution_that_the_presolve_of_the_solver_loses():
    """By hand 105 × 2 / 150 + 158 / 900 + 159 × 3 / 150 = 4.756 of the server: 0.2103 of the people; it was none."""
    rows = [("A", "Mail", 150), ("A", "DiscDB", 900), ("B", "Mail", 1600), ("B", "DiscDB", 150)]
    catalogue = pd.DataFrame(rows, columns=["system", "workload", "users"])
    people = {"light_mail": 105, "discdb": 158, "medium_mail": 159}
    groups = [{"name": profile, "users": users, "profile": profile} for profile, users in people.items()]
    request = {"groups": groups, "spare_servers": 2, "raid": 1}
    found = recommend({"A": 2, "B": 1}, request, catalogue=catalogue).tidy()
    assert found["planned_users"].tolist() == [22, 33, 33]
