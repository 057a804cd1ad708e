"""The planner: requests, rules, the five steps, systems; worked by hand or printed on pages 4-2 to 4-25."""

import dataclasses
import functools
import json
import tomllib
from pathlib import Path

import hypothesis
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from own_systems import OWN_GROUP, PL5000, asked, known, mail, values

from dominoperf import planning, tables
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotPlan, UnknownName
from dominoperf.planning import Group, Request, example, plan
from dominoperf.planning.request import request_with_fields
from dominoperf.planning.steps import fewest_drives, planned_rating, usable_drives


def test_rule_sets_have_the_keys_of_the_first():
    """And differ where the document contradicts itself, or has no rule."""
    written = tomllib.loads((tables.home() / "rules.toml").read_text(encoding="utf-8"))
    keys = [{(step, name) for step, rules in each.items() for name in rules} for each in written.values()]
    assert [*filter(None, (more - keys[0] for more in keys))] == [], "rules.toml: rules that no step of a plan knows"
    assert all("locator" in rule for each in written.values() for rules in each.values() for rule in rules.values())
    published, corrected = planning.rules_named("compaq_1998"), planning.rules_named("corrected")
    assert [each.rating_column() for each in (published, corrected)] == ["users", "users_low"]
    assert all(published.words(*key) for key in keys[0])
    assert set(published.differing(corrected)) == {
        ("users", "maildb_reader"),
        ("memory", "groupware_column"),
        ("memory", "mail_above_mb"),
        ("memory", "groupware_above_mb"),
        ("disk", "raid_critical"),
        ("disk", "raid5_usable"),
    }


def test_constants_are_the_documents():
    """Those of the rules stand in the transcribed case study and worked examples."""
    rules = planning.rules_named("compaq_1998")
    case = tables.load("compaq_domino45/case_study").set_index("order")["value"]
    assert [rules.value("disk", name) for name in ("mail_mb", "database_mb", "groupware_mb", "drive_gb")] == [
        case[row] for row in (56, 91, 97, 71)
    ]
    assert rules.value("disk", "paging_percent") == case[62]
    assert rules.value("disk", "raid_critical") == case[54]
    worked = tables.load("compaq_domino45/worked_examples").set_index("order")["value"]
    assert [rules.value("classes", f"{name}_to_kb") for name in ("light", "medium", "heavy")] == [
        worked[row] for row in (14, 16, 18)
    ]
    assert rules.value("classes", "groupware_above_kb") == worked[19]
    assert rules.value("headroom", "planned_percent") == worked[11]
    assert rules.value("headroom", "threshold_percent") == worked[8]


@pytest.mark.parametrize(
    ("profile", "sizes"),
    [
        ("light_mail", (1, 10)),
        ("medium_mail", (10.1, 20)),
        ("heavy_mail", (30, 35, 40)),
        ("groupware", (60,)),
    ],
)
def test_mail_is_classified_by_size(profile, sizes):
    """Page 4-8: a bound belongs to the lighter class; 30 to 40 KB are flagged; far above they are groupware."""
    for size in sizes:
        request = asked(Group("a", 100, "mail", message_kb=size))
        found = plan(request)
        tidy = found.tidy()
        assert tidy["quantity"][0] == f"a: people, {profile}"
        assert ("no rule" in tidy["basis"][0]) == ("no rule" in found.glance()["basis"][0]) == (30 < size <= 40)
        assert values(request)["", "a", "users"] == 100 * planning.rules_named().value("users", profile)


UNANSWERED = pd.DataFrame({"system": ["S"], "workload": ["Mail"], "users": [900.0]})


@pytest.mark.parametrize(
    ("groups", "targets", "says"),
    [
        ([("a", 300, "light_mail")], {"response_s": 1e-6, "system": "S"}, "S', Mail, response_s: expected seconds"),
        ([("a", 300, "groupware")], {"utilization_percent": 70}, "utilization_percent 70: expected a group"),
        ([("a", 9, "discdb"), ("b", 9, "groupware")], {"utilization_percent": 10}, r"found a \(× 1\), b \(× 1\)"),
        (
            [("a", 300, "light_mail")],
            {"growth_percent": 50},
            "months_ahead: expected the months over",
        ),
        ([("a", 300, "light_mail", None, 0, 50)], {}, "months_ahead: expected the months over"),
    ],
)
def test_no_target_is_ignored(groups, targets, says):
    """What a plan cannot hold to it is refused; what only some groups follow is told in their rows and the basis."""
    catalogue = UNANSWERED if "response_s" in targets else None
    request = asked(*(Group(*each) for each in groups), **targets)
    with pytest.raises(CannotPlan, match=says):
        plan(request, catalogue=catalogue)
    if "utilization_percent" in targets:
        with pytest.raises(CannotPlan, match=says):
            planning.choose(request)
        mixed = plan(asked(*request.groups, Group("m", 100, "light_mail"), **targets))
        basis = mixed.tidy().query("key == 'users'").set_index("group")["basis"]
        assert basis["a"] == f"derived, as measured: not at {targets['utilization_percent']} %"
        assert basis["m"] == "derived"
        assert "as measured: not at" in mixed.glance()["basis"][0]
    assert plan(asked(Group("a", 300, "groupware"), utilization_percent=50)).servers == 1  # the rules' own


def test_a_placement_names_no_servers_that_are_to_be_found():
    """`choose` refuses what it would not look at."""
    request = Request((Group("a", 10, "light_mail"),), placement={"Server 1": ["a"]})
    with pytest.raises(CannotPlan, match="placement: expected none where servers are chosen, found Server 1"):
        planning.choose(request)


def test_clients_without_think_time_are_no_people(tmp_path):
    """8 clients of a closed loop are 8 requests in progress, which make no 500 servers for 2,000 people."""
    closed_loop = pd.DataFrame({"system": ["db"], "workload": ["tpcb"], "users": [8.0], "response_s": [0.0149]})
    people = {"name": "all", "users": 2000, "profile": "own", "workload": "tpcb", "ram_mb_per_user": 1,
              "disk_mb_per_user": 1}  # fmt: skip
    for think in (0.0, -1e-5, 0.0148):
        with pytest.raises(CannotPlan, match="concurrent requests, not people"):
            plan({"groups": [people], "system": "db"}, catalogue=closed_loop.assign(think_s=think))
    known = closed_loop.assign(think_s=0.0)
    assert plan({"groups": [people | {"multiplier": 0.001}], "system": "db"}, catalogue=known).servers == 1
    assert plan({"groups": [people], "system": "db"}, catalogue=closed_loop.assign(think_s=0.2)).servers == 500
    (tmp_path / "runs.csv").write_text("system,workload,users,throughput_tps,response_s\ndb,tpcb,8,537.1,0.01487\n")
    tables.new(tmp_path / "mine", tmp_path / "runs.csv", title="T", source="S", licence="MIT")
    with tables.using(tmp_path / "mine"), pytest.raises(CannotPlan, match="found 8 that pause"):
        plan({"groups": [people], "system": "db"})


def test_memory_rules():
    """Tables 4-5 and 4-6; a third of the way for MailDB; 640 to 704 MB for 600 DiscDB users (page 4-18)."""
    tidy = plan(asked(Group("a", 600, "discdb"))).tidy().set_index(["group", "key"])
    assert tuple(tidy.loc[("a", "memory"), ["low", "high", "value"]]) == (640, 704, 704)
    for people, memory in ((1, 128), (150, 128), (151, 192), (800, 448), (801, 576)):
        assert values(asked(Group("a", people, "light_mail")))["Server 1", "", "memory"] == memory


def test_above_the_last_row():
    """The document has no rule; ours goes on with 0.64 MB for each user and says so."""
    many = asked(Group("a", 2600, "light_mail"), system="ProLiant 7000 4xP6/200-1024")
    assert many.groups[0].users * 2 > 5150  # two servers, of 1300 each: within the table
    whole = dataclasses.replace(many, groups=(Group("a", 2575, "light_mail"),))
    with pytest.raises(CannotPlan, match="last row"):
        plan(whole, rules="compaq_1998")
    found = plan(whole)
    assert values(whole)["Server 1", "", "memory"] == pytest.approx(1536 + 0.64 * 75)
    assert "extrapolated" in found.glance()["basis"][0]
    last = dataclasses.replace(many, groups=(Group("a", 2500, "light_mail"),))
    assert values(last)["Server 1", "", "memory"] == 1536
    assert "extrapolated" not in plan(last).glance()["basis"][0]


@given(st.floats(0.1, 500), st.sampled_from([0, 1, 5]), st.sampled_from(planning.rule_sets()))
def test_the_fewest_drives(needed, level, name):
    """They hold what is needed, and one drive (or pair) fewer does not."""
    rules = planning.rules_named(name)
    drives = fewest_drives(needed, 9.1, level, rules)
    assert 9.1 * usable_drives(drives, level, rules) >= needed - 1e-9
    fewer = 9.1 * usable_drives(np.arange(1, drives), level, rules)
    assert not (fewer >= needed).any()


@hypothesis.example([700] * 4)
@given(st.lists(st.integers(1, 6000), min_size=1, max_size=6))
def test_packing_loses_nobody(sizes):
    """Every person is on a server, no server is over its rating, servers are as few as can be, and cuts are few."""
    groups = [Group(f"g{k}", n, "light_mail") for k, n in enumerate(sizes)]
    found = plan(asked(*groups))
    placed = {}
    for part in found.parts:
        placed[part.group] = placed.get(part.group, 0) + part.planned_users
    assert placed == pytest.approx({group.name: group.users for group in groups})
    loads = {name: sum(part.share for part in parts) for name, parts in found.by_server.items()}
    assert max(loads.values()) <= 1 + 1e-9
    assert len(loads) == int(np.ceil(sum(sizes) * 2 / 1920 - 1e-9))
    assert len(found.parts) < len(groups) + len(loads)  # spread evenly, each group would be on every server


_HOURS = st.lists(st.integers(0, 100), min_size=24, max_size=24)


@given(st.lists(st.tuples(st.integers(1, 6000), st.none() | _HOURS), min_size=1, max_size=5))
def test_no_server_is_beyond_its_load_in_any_hour(asked_for):
    """With hours: nobody is lost, every server holds in each of its hours, as few as the peak of the sum takes."""
    groups = [Group(f"g{k}", n, "light_mail", hours=hours and tuple(hours)) for k, (n, hours) in enumerate(asked_for)]
    found = plan(asked(*groups))
    day = {group.name: np.array(group.hours or [100] * 24) / 100 for group in groups}
    carried = {
        name: sum(part.planned_users * 2 / 1920 * day[part.group] for part in parts)
        for name, parts in found.by_server.items()
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
    tidy = plan(asked(*groups)).tidy()
    assert set(tidy["rule"][tidy["key"] == "load"]) <= {"sum, at 0:00", "sum, at 12:00"}


def test_placement_is_kept_or_refused():
    """As asked for; too much on a server is named."""
    placed = dataclasses.replace(example(), placement={"A": ["mail", "power"], "B": ["active"]})
    with pytest.raises(CannotPlan, match=r"1\.06 of it on A"):
        plan(placed)
    apart = dataclasses.replace(example(), placement={"A": ["mail"], "B": ["active"], "C": ["power"]})
    assert plan(apart).servers == 3


def test_grid_and_template(tmp_path, capsys):
    """A plan a row; a row without one says why; an unknown column is refused; the template is a request."""
    path = tmp_path / "grid.csv"
    path.write_text("mail.users,months_ahead\n800,0\n3000,\n-5,\n", encoding="utf-8")
    found = planning.grid(example(), path)
    assert found["servers"].tolist()[:2] == [2, 4]
    assert "found -5" in found["reason"].iloc[2]
    path.write_text("mail.user\n800\n", encoding="utf-8")
    with pytest.raises(UnknownName, match=r"grid\.csv, column mail\.user, key: .* Did you mean users"):
        planning.grid(example(), path)
    request = tmp_path / "request.toml"
    request.write_text(planning.template(), encoding="utf-8")
    assert main(["plan", str(request), "--format", "csv", "--show", "glance"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("2,2,960,20,76693.2,corrected")


def test_a_grid_without_a_system_says_what_to_name():
    """Once for the table; of a row whose cell is empty in its reason."""
    mail = {"name": "mail", "users": 800, "profile": "light_mail"}
    people = pd.DataFrame({"mail.users": [800, 900]})
    words = "request, system: expected the name of a system, found none. Name one, or give the table a column `system`"
    with pytest.raises(CannotPlan, match=words):
        planning.grid({"groups": [mail]}, people)
    found = planning.grid({"groups": [mail]}, people.assign(system=["", PL5000]))
    assert found["reason"][0].startswith("request, system: expected the name of a system, found none. Name one")
    assert "let dominoperf.planning.choose(request) find the cheapest. Known are" in found["reason"][0]
    with pytest.raises(CannotPlan, match=r"let dominoperf\.planning\.choose\(request\) find the cheapest"):
        plan({"groups": [mail]})
    assert found["servers"][1] == 1


def test_command_says_what_differs(capsys):
    """Without --rules both sets; a mistake is one message and status 2."""
    assert main(["plan", "--example", "case_study"]) == 0
    assert "What compaq_1998 has otherwise" in capsys.readouterr().out
    assert main(["plan", "--example", "case_study", "--rules", "compaq_1998"]) == 0
    assert "46.8" in capsys.readouterr().out
    assert main(["plan"]) == 2
    assert main(["plan", "nowhere.toml"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("dominoperf plan: expected a request or --example, found neither. ")
    assert told.count("dominoperf: ") == 1
    assert "nowhere.toml: expected a file or folder, found no such file" in told


OWN_SYSTEM = pd.DataFrame({"system": ["web 8"], "workload": ["checkout"], "users": [1500.0], "price_usd": [9000.0]})


def test_a_workload_of_ones_own():
    """2,000 people count for 4,000 users at 50 %, 2.67 of a server of 1,500: three, each with its share of memory."""
    request = {"groups": [OWN_GROUP], "system": "web 8"}
    found, shown = plan(request, catalogue=OWN_SYSTEM), values(request, catalogue=OWN_SYSTEM)
    assert shown["", "callers", "users"] == 4000
    assert shown["", "", "systems"] == pytest.approx(4000 / 1500)
    assert found.servers == 3
    assert shown["Server 1", "", "memory"] == pytest.approx(512 + 0.5 * 2000 / 3)
    assert shown["Server 1", "callers", "data"] == pytest.approx(2 * 2000 / 3)
    assert found.glance()["basis"][0] == "given"
    with pytest.raises(CannotPlan, match="a rating for check out"):
        plan({"groups": [OWN_GROUP | {"workload": "check out"}], "system": "web 8"}, catalogue=OWN_SYSTEM)
    at_70 = values(request | {"utilization_percent": 70}, catalogue=OWN_SYSTEM)
    assert at_70["", "callers", "users"] == pytest.approx(2000 * 100 / 70)
    plain = values(request | {"groups": [OWN_GROUP | {"multiplier": 1}]}, catalogue=OWN_SYSTEM)
    assert plain["", "callers", "users"] == 2000
    spread = {"kind": "uniform", "low": 1500, "high": 2500}
    unsure = plan({"groups": [OWN_GROUP | {"spread": spread}], "system": "web 8"}, catalogue=OWN_SYSTEM)
    chance = planning.assess(unsure, n=100_000).glance().iloc[0]
    assert chance["probability_load"] == pytest.approx(0.75, abs=0.01)  # three servers carry 2,250 people


def test_a_group_of_nobody_changes_nothing():
    """By its number or by an overlap: no memory and no paging more; a choice is the same, too."""
    one = Group("b", 400, "groupware")
    alone = plan(Request((one,), system=PL5000))
    for group, more in (
        (Group("a", 0, "light_mail"), {}),
        (Group("a", 300, "light_mail"), {"overlap": ({"groups": ["a", "b"], "users": 300},)}),
    ):
        with_nobody = plan(Request((one, group), system=PL5000, **more))
        assert with_nobody.ram_mb == alone.ram_mb
        assert [volume.paging_mb for volume in with_nobody.volumes] == [volume.paging_mb for volume in alone.volumes]
    nobody = Group("a", 0, "light_mail")
    priced = [planning.choose(Request(groups)).glance().iloc[0] for groups in ((one,), (one, nobody))]
    assert priced[0][["price_usd", "set"]].equals(priced[1][["price_usd", "set"]])
    empty = plan(Request((nobody,), system=PL5000)).tidy().set_index("key")
    assert empty.loc["servers", ["value", "rule"]].tolist() == [1, "at least one"]


@pytest.mark.parametrize("name", ["compaq_1998", "corrected"])
def test_a_server_that_needs_no_space_has_no_data_drives(name):
    """A server with memory has some, for the document puts the paging file on the data volume; its row says so."""
    own = {"profile": "own", "workload": "Mail", "disk_mb_per_user": 0}
    for group in (Group("a", 0, "light_mail"), Group("a", 100, **own, ram_mb_per_user=0)):
        without = plan(Request((group,), system=PL5000), rules=name)
        rows = without.tidy().set_index("key")["value"]
        assert rows[["storage_needed", "drives", "usable_space"]].tolist() == [0, 0, 0]
        assert without.glance()["drives"][0] == 1  # of the system
        assert planning.assess(without).tidy().set_index("resource").loc["disk", "use_central"] == 0
    paging = plan(Request((Group("a", 100, **own, ram_mb_per_user=8),), system=PL5000), rules=name)
    rows = paging.tidy().set_index("key")
    assert rows.loc[["paging_file", "drives"], "value"].tolist() == [900, 1 if name == "compaq_1998" else 3]
    assert rows.loc["drives", "rule"] == "fewest of 9.1 GB, for the paging file alone"


def test_people_of_a_chosen_set_are_not_called_those_asked_for():
    """Grown, and some of them on this kind of server: the set says how many."""
    request = Request((Group("mail", 3000, "light_mail"),), growth_percent=50, months_ahead=6)
    for part in planning.choose(request).plans().values():
        rows = part.tidy().query("key == 'people' and step == 1")
        assert rows["basis"].tolist() == ["cheapest set"]


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
    systems_known = known(users_high=2500.0, locator="page 1")
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
        " corrected rules. Memory is the sum of the rules, not a size one can buy: the memory tables go up in steps of"
        " 64 MB."
    )


def test_people_are_whole_and_add_up():
    """Of 7,003 people on three servers 2,334.3 were planned on each; of 1,000 who grow by 3 % a year 1,012.4."""
    spread = plan(Request((Group("a", 7003, "light_mail"),), "ProLiant 7000 4xP6/200-1024"))
    assert spread.tidy().query("key == 'people'")["value"].tolist() == [7003, 2334, 2335, 2334]
    growing = plan(asked(Group("a", 1000, "light_mail"), growth_percent=3, months_ahead=5))
    assert growing.tidy().query("key == 'people'")["value"].tolist() == [1013, 506, 507]
    assert growing.tidy().query("key == 'users'")["value"].tolist() == [2026]


def test_growth_and_level_say_where_they_are_from():
    """People who grow are derived; a RAID level that the request names is the request's, without a page."""
    tidy = plan(asked(Group("a", 100, "groupware", growth_percent=10), months_ahead=12, raid=0)).tidy()
    assert tidy["basis"][0] == "derived"
    assert tidy["value"][0] == pytest.approx(110)
    level = tidy.set_index("key").loc["raid_level"]
    assert (level["value"], level["locator"]) == (0, "request")
    spare = plan(asked(Group("a", 100, "groupware"), spare_servers=2)).tidy().set_index("key").loc["spare_servers"]
    assert (spare["step"], spare["server"], spare["value"], spare["unit"]) == (3, "", 2, "server")
    assert (spare["rule"], spare["locator"], spare["basis"]) == ("request", "", "request")


def test_what_the_rule_sets_differ_in():
    """The case study again: a row for each quantity that differs, by step and server, those of one plan alone too."""
    found = planning.differing(example()).set_index(["server", "group", "key"])
    assert found.columns.tolist() == ["step", "quantity", "planned", "planned_other", "unit", "rule", "locator"]
    assert found.loc[("Server 2", "", "memory")].tolist()[:5] == [4, "memory", 448, 512, "MB"]
    assert found.drop(columns="rule").loc[("", "", "raid_level")].tolist() == [
        5,
        "RAID level of the data volumes",
        5,
        1,
        "1",
        "page 3-24/3-25 (the document's own rule for critical data)",
    ]
    assert found.loc[("Server 1", "", "drives")].tolist()[2:4] == [6, 10]
    assert ("Server 1", "", "memory") not in found.index
    assert found["step"].is_monotonic_increasing
    readers = planning.differing(asked(Group("a", 400, "maildb_reader"))).set_index("key")
    one_plan_only = readers[["planned", "planned_other"]].isna().any(axis=1)
    assert readers.loc["users", ["planned", "planned_other"]].tolist() == [1600, 800]
    assert set(readers.loc[one_plan_only, "server"]) <= {"Server 1", "Server 2"}
    assert one_plan_only.any()


def test_a_plan_on_paper():
    """For a terminal and a page: five headings with their numbers, and the row of the whole."""
    found = plan(dataclasses.replace(example(), groups=(Group("<i>", 800, "light_mail"),)))
    text, page = repr(found), found._repr_html_()
    assert [line for line in text.splitlines() if line[:2] in {f"{k}." for k in range(1, 6)}] == [
        f"{k}. {name}" for k, name in enumerate(planning.STEPS, start=1)
    ]
    assert [page.count(f"<h4>{k}. ") for k in range(1, 6)] == [1] * 5
    assert page.count("<table") == 6
    assert "&lt;i&gt;: people" in page
    assert "<i>" not in page
    for shown in (text, page):
        assert found.headline() in shown.splitlines()[0]
        assert shown.index("paging file") < shown.index("processors")
        assert "46.8" not in shown
        assert "45.5" in shown
        assert "page 4-8/4-9" in shown
    assert text.count("the rating has no upper limit") == 1  # why an end is blank, below the heading of its step
    assert text.count("reason") == 2  # of step 3 and of the whole; no step without one has the column


def test_a_plan_in_words():
    """Servers, spare ones, what each has, the price, and which need more than there is."""
    first = plan(example()).headline()
    assert first == (
        f"2 servers ({PL5000}): 448 and 512 MB of memory, 10 and 8 data drives in RAID 1; $76,693 as priced, by the"
        " corrected rules."
    )
    grown = Request((mail(9000), mail(300, name="g", profile="groupware", databases=4)), PL5000, spare_servers=1,
                    growth_percent=10, months_ahead=12)  # fmt: skip
    found = plan(grown)
    assert found.headline() == (
        f"12 servers and 1 spare ({PL5000}): 576 to 640 MB of memory each, 5 to 7 data drives in RAID 5 each; $498,506"
        " as priced, by the corrected rules. 12 of 12 servers need up to 640 MB of memory, but the system as priced has"
        " 512 MB."
    )
    row = found.glance().iloc[0]
    assert row["servers"] == row["processors"] == 13
    memory, drives = list(found.ram_mb.values()), [volume.drives for volume in found.volumes]
    assert row["ram_mb"] == sum(memory) + max(memory)
    assert row["drives"] == sum(drives) + max(drives) + 13
    assert (row["basis"], row["rules"]) == ("measured and rules", "corrected")
    bare = plan(Request((mail(700), mail(50, name="b")), "S"), catalogue=known(price_usd=np.nan, processors=np.nan))
    assert bare.headline().startswith("1 server (S): ")
    assert "; price not known, by the corrected rules." in bare.headline()
    assert bare.glance()["reason"].item().startswith("unknown of S: ")


def test_a_run_without_think_time_says_nothing_of_a_shorter_response():
    """And an example that is none is named."""
    with pytest.raises(UnknownName, match="Did you mean case_study"):
        example("case_studies")
    lonely = pd.DataFrame({"system": ["S"], "workload": ["Mail"], "users": [900.0], "response_s": [2.0]})
    with pytest.raises(CannotPlan, match="system 'S', think_s"):
        plan(Request((Group("a", 1, "light_mail"),), "S", response_s=1.0), catalogue=lonely)


def test_a_growth_beyond_all_numbers_is_refused():
    """It would be told as "inf of them"."""
    for growing in ({"growth_percent": 1e6}, {"groups": (Group("a", 10, "light_mail", growth_percent=1e6),)}):
        request = dataclasses.replace(asked(Group("a", 10, "light_mail"), months_ahead=1000), **growing)
        with pytest.raises(CannotPlan, match=r"growth_percent: expected .* found 1e\+06 percent over 1000 months"):
            planning.read_request(request)


def test_a_request_as_toml_says_what_differs_from_the_defaults():
    """Numbers, lists, tables, keys that want quotes; and the file is the request again."""
    day = (100.0,) * 24
    group = Group('a "b"', 10.0, "light_mail", hours=day, spread={"kind": "normal", "sd": 2})
    both = ({"groups": ['a "b"', "c"], "users": 3},)
    request = asked(group, Group("c", 5, "groupware"), critical=True, overlap=both,
                    placement={"Server 1": ['a "b"', "c"]}, name="left out")  # fmt: skip
    hours = ", ".join(["100.0"] * 24)
    text = planning.as_toml(request)
    assert text == (
        f'system = "{PL5000}"\ncritical = true\n'
        'overlap = [{groups = ["a \\"b\\"", "c"], users = 3}]\nplacement = {"Server 1" = ["a \\"b\\"", "c"]}\n'
        f'\n[[groups]]\nname = "a \\"b\\""\nusers = 10.0\nprofile = "light_mail"\nhours = [{hours}]\n'
        'spread = {kind = "normal", sd = 2}\n'
        '\n[[groups]]\nname = "c"\nusers = 5\nprofile = "groupware"\n'
    )
    assert planning.read_request(tomllib.loads(text)) == request
    of_frames = planning.as_toml(Request((Group("a", np.int64(7), "groupware", growth_percent=np.float64(0.5)),)))
    assert of_frames.endswith('users = 7\nprofile = "groupware"\ngrowth_percent = 0.5\n')


def test_a_plan_says_which_server_needs_more_than_the_system_has():
    """Memory as priced and drives of a controller, which `choose` holds to; named in headline, glance and terminal."""
    system, mail = "ProSignia 200 1xP2/233, 128 MB", {"name": "mail", "users": 300, "profile": "light_mail"}
    found = plan({"system": system, "groups": [mail]})
    words = "Server 1 needs 192 MB of memory, but the system as priced has 128 MB"
    assert found.headline().endswith(f"by the corrected rules. {words}.")
    assert (found.glance()["reason"][0], found.ram_mb) == (words, {"Server 1": 192.0})
    chosen = planning.choose({"groups": [mail]}, runners_up=0).plans().values()
    assert not any(each.beyond_system() for each in chosen)
    stored = {"name": "d", "users": 100, "profile": "light_mail", "databases": 500}
    drives = "Server 1 needs 30 data drives, but an array controller takes 14"
    assert plan({"system": system, "groups": [stored]}).beyond_system() == [drives]
    six = plan({"system": system, "groups": [{**mail, "users": 6 * 300}]})
    assert six.beyond_system() == ["6 of 6 servers need 192 MB of memory, but the system as priced has 128 MB"]
    unpriced = pd.DataFrame({"system": ["Box"], "workload": ["Mail"], "users": [600.0], "ram_mb": [128.0]})
    (found,) = plan({"system": "Box", "groups": [mail]}, catalogue=unpriced).beyond_system()
    assert found.endswith("the system has 128 MB")


def test_cells_of_a_grid(tmp_path):
    """true and false, whole numbers, others, words; an empty cell changes nothing; a file that is none is named."""
    path = tmp_path / "grid.csv"
    path.write_text("critical,spare_servers,mail.users,power.profile\ntrue,1,800,groupware\nfalse,,100.5,\n", "utf-8")
    found = planning.grid(example(), path)
    wanted = [
        plan(request_with_fields(example(), fields)).summary()["drives"]
        for fields in ({"critical": True, "spare_servers": 1}, {"critical": False, "mail.users": 100.5})
    ]
    assert found["drives"].tolist() == wanted
    assert found["servers"].tolist() == [3, 1]
    memory = "Server 1 needs 640 MB of memory, but the system as priced has 512 MB"
    assert found["reason"].tolist() == ["", memory]
    assert found.columns.tolist() == [
        "critical", "spare_servers", "mail.users", "power.profile", "servers", "processors", "ram_mb", "drives",
        "price_usd", "rules", "basis", "reason",
    ]  # fmt: skip
    with pytest.raises(BadTable, match=r"none\.csv"):
        planning.grid(example(), tmp_path / "none.csv")
    table = pd.DataFrame({"power.profile": ["grupware", None, "discdb"]}, index=[7, 8, 9])
    found = planning.grid(example(), table, rules="compaq_1998")
    assert found["rules"].tolist()[1:] == ["compaq_1998"] * 2
    assert "Did you mean groupware" in found["reason"][0]
    assert planning.grid(example(), table.head(0)).columns.tolist() == ["power.profile"]


def test_the_futures_of_a_row_are_those_of_its_seed():
    """Row k of `risks` is `assess` with the seed that follows from k; a row without a plan says why."""
    request = planning.with_spread(example(), 20)
    table = pd.DataFrame({"months_ahead": [0.0, -1.0, 12.0], "growth_percent": 10.0})
    found = planning.risks(request, table, n=200, seed=3, level=0.9, rules="compaq_1998")
    assert "found -1" in found["reason"][1]
    for k in (0, 2):
        own = plan(request_with_fields(request, table.iloc[k].to_dict()), rules="compaq_1998")
        seed = int(np.random.SeedSequence([3, k]).generate_state(1, np.uint64)[0])
        wanted = planning.assess(own, n=200, seed=seed, level=0.9).glance()
        pd.testing.assert_frame_equal(found.loc[[k], wanted.columns].reset_index(drop=True), wanted, check_dtype=False)


def test_rules_say_which_users_a_system_is_planned_with():
    """Not their name: a set of one's own that begins with the document's takes what passed, as that does."""
    published, corrected = planning.rules_named("compaq_1998"), planning.rules_named("corrected")
    row = {"system": "S", "workload": "Mail", "users": 1000.0, "users_low": 800.0}
    ours = planning.Rules("ours", published.steps)
    assert [planned_rating(row, each) for each in (published, corrected, ours)] == [1000, 800, 1000]
    silent = {"share": {"value": "users / users carried", "locator": "ours"}}
    assert planned_rating(row, planning.Rules("silent", published.steps | {"servers": silent})) == 800


def test_a_set_of_rules_is_taken_wherever_its_name_is():
    """As it is, by the grid too."""
    corrected = planning.rules_named("corrected")
    assert planning.rules_named(corrected) is corrected
    table = pd.DataFrame({"mail.users": [500, 900]})
    assert planning.grid(example(), table, rules=corrected).equals(planning.grid(example(), table))


def test_a_row_is_known_by_its_keys():
    """Step, server, group and key name one row, also where groups are cut over servers; words may say the same."""
    odd = Group("b: people", 900, "maildb_active", databases=3)
    found = plan(asked(Group("b", 5000, "light_mail"), odd, Group("memory", 300, "groupware"), spare_servers=1))
    tidy = found.tidy()
    assert not tidy.duplicated(["step", "server", "group", "key"]).any()
    assert (tidy["key"] != "").all()
    assert found.servers == int(tidy["value"][tidy["key"] == "servers"].item()) + 1


def test_a_basis_in_the_users_words_is_no_caveat():
    """What a catalogue writes of a system is handed on, and not taken for a forecast or an extrapolation."""
    box = pd.DataFrame({"system": ["S"], "workload": ["Mail"], "users": [1800.0], "basis": ["by-law 7, no rule"]})
    request = Request((Group("a", 800, "light_mail"),), "S")
    found = plan(request, catalogue=box)
    assert "by-law 7, no rule" in set(found.tidy()["basis"])
    assert found.glance()["basis"][0] == "measured and rules"
    forecast = plan(request, catalogue=box.assign(law="amdahl", extrapolated="True"))
    assert forecast.glance()["basis"][0] == "measured and rules, extrapolated, law, no interval"
    with pytest.raises(BadTable, match="expected true, false or nothing, found extrapolated perhaps"):
        plan(request, catalogue=box.assign(extrapolated="perhaps"))


def test_a_choice_and_a_risk_tell_the_errata_of_their_rules():
    """As the plan does, whose rules they follow; a choice among our systems also those of their users and prices."""
    request = example()
    of_plan = {each.name for each in plan(request).errata}
    choice, risk = planning.choose(request, runners_up=0), planning.assess(plan(request), n=10)
    assert of_plan
    assert {each.name for each in risk.errata} == of_plan
    assert {each.name for each in choice.errata} > of_plan
    for frame in (choice.glance(), choice.tidy(), risk.glance(), risk.tidy(), risk.tornado(), risk.scenarios()):
        assert of_plan <= {each.name for each in frame.attrs["errata"]}
    assert choice._repr_html_().count("data-erratum") == len({each.name for each in choice.errata})


def test_the_schema_has_the_fields_of_a_request():
    """A field that the schema lacks could never be given; one that the classes lack would end in a traceback."""
    path = Path(tables.__file__).parent / "schemas" / "request.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    for record, named in ((Request, schema), (Group, schema["definitions"]["group"])):
        assert set(named["properties"]) == {each.name for each in dataclasses.fields(record)}
