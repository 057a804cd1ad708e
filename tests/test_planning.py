"""The planner: requests, rules, the five steps, systems; worked by hand or printed on pages 4-2 to 4-25."""

import dataclasses
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dominoperf import catalog, planning
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotPlan, DominoperfError, UnknownName
from dominoperf.laws.response import closed
from dominoperf.planning import Group, Request, example, plan
from dominoperf.planning.sizes import fewest_drives, usable_drives

PL5000 = "ProLiant 5000 1xP6/200-512"


def asked(*groups, **settings):
    """A request on the case study's system."""
    return Request(groups=tuple(groups), **{"system": PL5000} | settings)


def values(found):
    """The values of a plan by server and quantity."""
    return found.tidy().set_index(["server", "quantity"])["value"]


def test_case_study_as_published():
    """Pages 4-20 to 4-25: 1600, 900, 100; 1.69 systems, two servers; 448 and 448 MB; six and four drives."""
    found = values(plan(example(), rules="compaq_1998"))
    assert found["", "mail: Mail users"] == 1600
    assert found["", "active: MailDB users"] == 900
    assert found["", "systems, sum of the shares"] == pytest.approx(1600 / 1920 + 900 / 1440 + 100 / 440)
    assert found["", "servers needed"] == 2
    assert [found[f"Server {k}", "memory"] for k in (1, 2)] == [448, 448]
    assert [found[f"Server {k}", "paging file"] for k in (1, 2)] == [500, 500]
    assert [found[f"Server {k}", "storage needed"] for k in (1, 2)] == [40.5, 28]
    assert [found[f"Server {k}", "drives"] for k in (1, 2)] == [6, 4]
    assert [found[f"Server {k}", "usable space"] for k in (1, 2)] == pytest.approx([46.8, 29.12])


def test_case_study_corrected():
    """RAID 1 for critical data: ten and eight drives; one column of memory: 512 MB on the second server."""
    found = values(plan(example()))
    assert [found[f"Server {k}", "memory"] for k in (1, 2)] == [448, 512]
    assert [found[f"Server {k}", "drives"] for k in (1, 2)] == [10, 8]
    glance = plan(example()).glance().iloc[0]
    assert (glance["servers"], glance["ram_mb"], glance["drives"]) == (2, 960, 20)


def test_rule_sets_have_the_same_keys():
    """And differ where the document contradicts itself, or has no rule."""
    written = tomllib.loads((catalog.home() / "rules.toml").read_text(encoding="utf-8"))
    keys = [{(step, name) for step, rules in each.items() for name in rules} for each in written.values()]
    assert keys[0] == keys[1]
    assert all("locator" in rule for each in written.values() for rules in each.values() for rule in rules.values())
    published, corrected = planning.rules("compaq_1998"), planning.rules("corrected")
    assert set(published.differing(corrected)) == {
        ("users", "maildb_reader"),
        ("memory", "groupware_column"),
        ("memory", "mail_above_mb"),
        ("memory", "groupware_above_mb"),
        ("disk", "raid_critical"),
        ("disk", "raid5_lost"),
    }


def test_constants_are_the_documents():
    """Those of the rules stand in the transcribed case study and worked examples."""
    rules = planning.rules("compaq_1998")
    case = catalog.load("compaq_domino45/case_study").set_index("order")["value"]
    assert [rules.value("disk", name) for name in ("mail_mb", "database_mb", "groupware_mb", "drive_gb")] == [
        case[row] for row in (56, 91, 97, 71)
    ]
    assert rules.value("disk", "paging_percent") == case[62]
    assert rules.value("disk", "raid_critical") == case[54]
    worked = catalog.load("compaq_domino45/worked_examples").set_index("order")["value"]
    assert [rules.value("classes", f"{name}_to_kb") for name in ("light", "medium", "heavy")] == [
        worked[row] for row in (14, 16, 18)
    ]
    assert rules.value("classes", "groupware_above_kb") == worked[19]
    assert rules.value("headroom", "planned_percent") == worked[11]
    assert rules.value("headroom", "threshold_percent") == worked[8]


@pytest.mark.parametrize(
    ("size", "profile"),
    [(1, "light"), (10, "light"), (10.1, "medium"), (20, "medium"), (30, "heavy"), (35, "heavy"), (40, "heavy")],
)
def test_mail_is_classified_by_size(size, profile):
    """Page 4-8: a bound belongs to the lighter class; 30 to 40 KB are flagged."""
    tidy = plan(asked(Group("a", 100, "mail", message_kb=size))).tidy()
    assert tidy["quantity"][0] == f"a: people, {profile}_mail"
    assert ("no rule" in tidy["basis"][0]) == (size > 30)


def test_large_messages_are_groupware():
    """Page 4-8: considerably above 40 KB."""
    assert values(plan(asked(Group("a", 100, "mail", message_kb=60))))["", "a: Groupware_A users"] == 100


def test_growth_overlap_and_spare():
    """1000 people growing by 10 % for two years are 1210; 200 of 1000 in both groups are planned in the second."""
    grown = plan(asked(Group("a", 1000, "light_mail"), growth_percent=10, months_ahead=24, spare_servers=1))
    assert values(grown)["", "a: people, light_mail"] == pytest.approx(1210)
    assert grown.servers == 3  # 2420 / 1920 are two, and a spare one
    both = asked(
        Group("a", 1000, "light_mail"),
        Group("b", 200, "groupware"),
        overlap=({"groups": ("a", "b"), "users": 200},),
    )
    assert values(plan(both))["", "a: people, light_mail"] == 800
    assert values(plan(both))["", "b: people, groupware"] == 200


def test_utilization_target_scales_the_head_room_alone():
    """At 70 % in place of 50 a light user counts 2 × 50 / 70; groupware, which has no head-room in it, counts 1."""
    found = values(plan(asked(Group("a", 700, "light_mail"), Group("b", 70, "groupware"), utilization_percent=70)))
    assert found["", "a: Mail users"] == pytest.approx(1000)
    assert found["", "b: Groupware_A users"] == 70


def test_peak_of_the_sum():
    """A day and a night group of 900 each need one server of 1920, not two."""
    day, night = (0,) * 8 + (100,) * 16, (100,) * 8 + (0,) * 16
    shifts = asked(Group("day", 900, "light_mail", hours=day), Group("night", 900, "light_mail", hours=night))
    assert values(plan(shifts))["", "servers needed"] == 1
    always = asked(Group("day", 900, "light_mail"), Group("night", 900, "light_mail"))
    assert values(plan(always))["", "servers needed"] == 2


def test_response_target_takes_fewer_users():
    """The closed queue through 1440 MailDB users at 2.49 s: at 1 s it answers the users that the plan takes."""
    known = planning.capacities()
    row = known[PL5000, "MailDB"]
    found = planning.capacity(known, PL5000, "MailDB", response_s=1.0)
    service = found["response_s"]
    assert service == 1.0
    from scipy.optimize import brentq

    s = brentq(lambda s: closed(1440, s, row["think_s"], 1.0) - 2.49, 1e-9, 2.49)
    assert closed(found["users"], s, row["think_s"], 1.0) <= 1.0 < closed(found["users"] + 1, s, row["think_s"], 1.0)
    assert "closed queue" in plan(asked(Group("a", 300, "maildb_active"), response_s=1.0)).glance()["basis"][0]
    with pytest.raises(CannotPlan, match="response_s"):
        plan(asked(Group("a", 300, "maildb_active"), response_s=1e-6))


def test_memory_rules():
    """Tables 4-5 and 4-6; a third of the way for MailDB; 640 to 704 MB for 600 DiscDB users (page 4-18)."""
    tidy = plan(asked(Group("a", 600, "discdb"))).tidy().set_index("quantity")
    assert tuple(tidy.loc["a: memory", ["low", "high", "value"]]) == (640, 704, 704)
    for people, memory in ((1, 128), (150, 128), (151, 192), (800, 448), (801, 576)):
        assert values(plan(asked(Group("a", people, "light_mail"))))["Server 1", "memory"] == memory


def test_above_the_last_row():
    """The document has no rule; ours goes on with 0.64 MB for each user and says so."""
    many = asked(Group("a", 2600, "light_mail"), system="ProLiant 7000 4xP6/200-1024")
    assert many.groups[0].users * 2 > 5150  # two servers, of 1300 each: within the table
    whole = dataclasses.replace(many, groups=(Group("a", 2575, "light_mail"),))
    with pytest.raises(CannotPlan, match="last row"):
        plan(whole, rules="compaq_1998")
    found = plan(whole)
    assert values(found)["Server 1", "memory"] == pytest.approx(1536 + 0.64 * 75)
    assert "extrapolated" in found.glance()["basis"][0]


@given(st.floats(0.1, 500), st.sampled_from([0, 1, 5]), st.sampled_from(planning.rule_sets()))
def test_the_fewest_drives(needed, level, name):
    """They hold what is needed, and one drive (or pair) fewer does not."""
    rules = planning.rules(name)
    drives = fewest_drives(needed, 9.1, level, rules)
    assert 9.1 * usable_drives(drives, level, rules) >= needed - 1e-9
    fewer = 9.1 * usable_drives(np.arange(1, drives), level, rules)
    assert not (fewer >= needed).any()


@given(st.lists(st.integers(1, 6000), min_size=1, max_size=6))
def test_packing_loses_nobody(sizes):
    """Every person is on a server, no server is over its capacity, and the servers are as few as the shares allow."""
    groups = [Group(f"g{k}", n, "light_mail") for k, n in enumerate(sizes)]
    found = plan(asked(*groups))
    placed = {}
    for part in found.selection.parts:
        placed[part.group] = placed.get(part.group, 0) + part.planned_users
    assert placed == pytest.approx({group.name: group.users for group in groups})
    loads = {name: sum(part.share for part in parts) for name, parts in found.selection.servers.items()}
    assert max(loads.values()) <= 1 + 1e-9
    assert len(loads) == int(np.ceil(sum(sizes) * 2 / 1920 - 1e-9))


_HOURS = st.lists(st.integers(0, 100), min_size=24, max_size=24)


@given(st.lists(st.tuples(st.integers(1, 6000), st.none() | _HOURS), min_size=1, max_size=5))
def test_no_server_is_beyond_its_load_in_any_hour(asked_for):
    """With hours: nobody is lost, every server holds in each of its hours, as few as the peak of the sum takes."""
    groups = [Group(f"g{k}", n, "light_mail", hours=hours and tuple(hours)) for k, (n, hours) in enumerate(asked_for)]
    found = plan(asked(*groups))
    day = {group.name: np.array(group.hours or [100] * 24) / 100 for group in groups}
    carried = {
        name: sum(part.planned_users * 2 / 1920 * day[part.group] for part in parts)
        for name, parts in found.selection.servers.items()
    }
    assert max(each.max() for each in carried.values()) <= 1 + 1e-9
    whole = sum(group.users * 2 / 1920 * day[group.name] for group in groups)
    assert sum(carried.values()) == pytest.approx(whole)
    assert len(carried) == max(int(np.ceil(whole.max() - 1e-9)), 1)


def test_a_server_is_looked_at_in_its_own_fullest_hour():
    """At noon the fleet is fullest; the server of the night's people is not, and is refused for its own hour."""
    night, noon = (100,) + (0,) * 23, (0,) * 12 + (100,) + (0,) * 11
    groups = [Group("clerks", 900, "light_mail", hours=noon), Group("porters", 500, "light_mail", hours=noon)]
    groups += [Group(name, 600, "light_mail", hours=night) for name in ("guards", "nurses")]
    with pytest.raises(CannotPlan, match=r"1\.25 of it on B, at 0:00"):
        plan(asked(*groups, placement={"A": ["clerks"], "C": ["porters"], "B": ["guards", "nurses"]}))
    shown = plan(asked(*groups)).tidy().set_index(["server", "quantity"])["rule"]
    assert set(shown.xs("load", level="quantity")) <= {"sum, at 0:00", "sum, at 12:00"}


def test_placement_is_kept_or_refused():
    """As asked for; too much on a server is named."""
    placed = dataclasses.replace(example(), placement={"A": ["mail", "power"], "B": ["active"]})
    with pytest.raises(CannotPlan, match=r"1\.06 of it on A"):
        plan(placed)
    apart = dataclasses.replace(example(), placement={"A": ["mail"], "B": ["active"], "C": ["power"]})
    assert plan(apart).servers == 3


GOOD = {"name": "a", "users": 5, "profile": "groupware"}
SPREAD = {"kind": "uniform", "low": 6, "high": 9}
BAD = {
    "negative users": ({"users": -1}, "users: expected people, 0 or"),
    "a name that is none": ({"name": 7}, "a name in words"),
    "text for users": ({"users": "many"}, "found many"),
    "unknown profile": ({"profile": "lite_mail"}, "Did you mean light_mail"),
    "unknown key": ({"user": 1}, "Did you mean users"),
    "hours": ({"hours": [100] * 23}, "24 shares"),
    "over 100": ({"hours": [101] * 24}, "0 to 100"),
    "contradiction": ({"message_kb": 5}, "together with"),
    "spread": ({"spread": SPREAD}, "low and high around 5"),
    "spread without its numbers": ({"spread": {"kind": "normal"}}, "normal with sd"),
}


@pytest.mark.parametrize(
    "written", [{"group": [], "groups": []}, {"groups": []}, {"groups": 3}, {"groups": [{"name": "a"}]}]
)
def test_requests_without_groups_are_named(written):
    """A key that does not exist, none, no list, a group without users."""
    with pytest.raises(
        DominoperfError, match=r"Did you mean groups|a group at least|a list of groups|no users, profile"
    ):
        plan(written | {"system": PL5000})


@pytest.mark.parametrize("case", BAD)
def test_bad_requests_are_named(case):
    """Field, value, what is allowed."""
    change, told = BAD[case]
    with pytest.raises(DominoperfError, match=told):
        plan({"groups": [GOOD | change], "system": PL5000})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"utilization_percent": 120}, "utilization_percent"),
        ({"system": None}, "the name of a system"),
        ({"system": "ProLiant 9000"}, "Did you mean"),
        ({"raid": 3}, "0, 1, 4, 5 or 10"),
        ({"overlap": ({"groups": ("mail", "power"), "users": 900},)}, "at most the 800 users"),
        ({"overlap": ({"groups": ("mail", "none"), "users": 9},)}, "'none'"),
        ({"placement": {"A": ["mail"]}}, "each group once"),
        ({"system": "ProLiant 3000 1xP2/300"}, "a capacity for MailDB"),
        ({"spare_servers": 0.5}, "whole number"),
        ({"critical": "yes"}, "true or false"),
    ],
)
def test_bad_settings_are_named(settings, told):
    """Of the case study, with one thing wrong."""
    with pytest.raises(DominoperfError, match=told):
        plan(dataclasses.replace(example(), **settings))


def test_systems_are_the_appendices():
    """21 audited runs of 13 machines; one machine's prices agree to the cents; capacities are lower bounds."""
    known = planning.systems()
    assert (len(known), known["system"].nunique()) == (21, 13)
    assert set(known["workload"][known["system"] == PL5000]) == set(planning.WORKLOADS)
    assert (known["users_low"] == known["users"]).all()
    assert known["users_high"].isna().all()
    assert set(known) | set(plan(example()).tidy()) | set(plan(example()).glance()) <= set(catalog.vocabulary())
    assert set(planning.differing(example())) <= set(catalog.vocabulary())


def test_systems_of_ones_own(tmp_path):
    """A CSV file with three columns is enough; what is wrong in it is named by row."""
    path = tmp_path / "mine.csv"
    path.write_text(
        'system,workload,users,price_usd\nBox,Mail,"2,000",$9000\nBox,Groupware_A,500,9000\n', encoding="utf-8"
    )
    request = {"groups": [{"name": "a", "users": 1500, "profile": "light_mail"}], "system": "Box"}
    glance = plan(request, catalogue=path).glance().iloc[0]
    assert (glance["servers"], glance["price_usd"]) == (2, 18000)
    path.write_text("system,workload,users\nBox,Mail,many\n", encoding="utf-8")
    with pytest.raises(BadTable, match="row 2, users"):
        plan(request, catalogue=path)
    path.write_text("system,users\nBox,1\n", encoding="utf-8")
    with pytest.raises(BadTable, match="no workload"):
        plan(request, catalogue=path)


def test_grid_and_template(tmp_path, capsys):
    """A plan a row; a row without one says why; an unknown column is refused; the template is a request."""
    path = tmp_path / "grid.csv"
    path.write_text("mail.users,months_ahead\n800,0\n3000,\n-5,\n", encoding="utf-8")
    found = planning.grid(example(), path)
    assert found["servers"].tolist()[:2] == [2, 4]
    assert "found -5" in found["reason"].iloc[2]
    path.write_text("mail.user\n800\n", encoding="utf-8")
    with pytest.raises(UnknownName, match="Did you mean users"):
        planning.grid(example(), path)
    request = tmp_path / "request.toml"
    request.write_text(planning.template(), encoding="utf-8")
    assert main(["plan", str(request), "--format", "csv", "--show", "glance"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("2,2,960,20,76693.2,corrected")


def test_command_chooses_where_no_system_is_named(tmp_path, capsys):
    """The cheapest sets, and the plan of each kind in the best one."""
    request = tmp_path / "request.toml"
    lines = planning.template().splitlines()
    request.write_text("\n".join(line for line in lines if not line.startswith("system")), encoding="utf-8")
    assert main(["plan", str(request)]) == 0
    assert "2 ProLiant 5000 1xP6/200-512" in capsys.readouterr().out
    assert main(["plan", str(request), "--format", "csv", "--show", "glance"]) == 0
    assert "76693.2" in capsys.readouterr().out


def test_command_says_what_differs(capsys):
    """Without --rules both sets; a mistake is one message and status 2."""
    assert main(["plan", "--example", "case_study"]) == 0
    assert "What compaq_1998 has otherwise" in capsys.readouterr().out
    assert main(["plan", "--example", "case_study", "--rules", "compaq_1998"]) == 0
    assert "46.8" in capsys.readouterr().out
    assert main(["plan"]) == 2
    assert main(["plan", "nowhere.toml"]) == 2
    assert capsys.readouterr().err.count("dominoperf: ") == 2


OWN_GROUP = {"name": "callers", "users": 2000, "profile": "own", "workload": "checkout"}
OWN_GROUP |= {"ram_mb": 512, "ram_mb_per_user": 0.5, "disk_mb_per_user": 2}
OWN_SYSTEM = pd.DataFrame({"system": ["web 8"], "workload": ["checkout"], "users": [1500.0], "price_usd": [9000.0]})


def test_a_workload_of_ones_own():
    """2,000 people count for 4,000 users at 50 %, 2.67 of a server of 1,500: three, each with its share of memory."""
    found = plan({"groups": [OWN_GROUP], "system": "web 8"}, catalogue=OWN_SYSTEM)
    shown = values(found)
    assert shown["", "callers: checkout users"] == 4000
    assert shown["", "systems, sum of the shares"] == pytest.approx(4000 / 1500)
    assert found.servers == 3
    assert shown["Server 1", "memory"] == pytest.approx(512 + 0.5 * 2000 / 3)
    assert shown["Server 1", "callers: data"] == pytest.approx(2 * 2000 / 3)
    assert found.glance()["basis"][0] == "given"
    at_70 = plan({"groups": [OWN_GROUP], "system": "web 8", "utilization_percent": 70}, catalogue=OWN_SYSTEM)
    assert values(at_70)["", "callers: checkout users"] == pytest.approx(2000 * 100 / 70)
    plain = plan({"groups": [OWN_GROUP | {"multiplier": 1}], "system": "web 8", "utilization_percent": 70},
                 catalogue=OWN_SYSTEM)  # fmt: skip
    assert values(plain)["", "callers: checkout users"] == 2000
    spread = {"kind": "uniform", "low": 1500, "high": 2500}
    unsure = plan({"groups": [OWN_GROUP | {"spread": spread}], "system": "web 8"}, catalogue=OWN_SYSTEM)
    chance = planning.assess(unsure, n=100_000).glance().iloc[0]
    assert chance["probability_load"] == pytest.approx(0.75, abs=0.01)  # three servers carry 2,250 people


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"workload": None}, "no workload"),
        ({"workload": " "}, "the name of a workload"),
        ({"ram_mb_per_user": None}, "no ram_mb_per_user"),
        ({"multiplier": 0}, "users a person, above 0"),
        ({"profile": "groupware"}, "workload with the profile 'own' alone"),
        ({"workload": "check out"}, "a capacity for check out"),
    ],
)
def test_mistakes_about_it_are_named(change, told):
    """Field, value, what is allowed; a workload that no system has."""
    with pytest.raises(DominoperfError, match=told):
        plan({"groups": [OWN_GROUP | change], "system": "web 8"}, catalogue=OWN_SYSTEM)
