"""Requests worked by hand: growth, overlaps, day and night, several servers; and those that cannot be."""

import dataclasses
import math
import re

import numpy as np
import pandas as pd
import pytest
from own_systems import OWN_GROUP, PL5000, asked, mail, values

from dominoperf import planning
from dominoperf.errors import CannotPlan, UnknownName
from dominoperf.planning import Group, Request, plan


def test_growth():
    """800 × 1.2^1.5 = 1051.63, so 1052 people, 2104 users, 2104 / 1920 systems: two servers of 526 people each.

    Each: 600's row, 320 MB; 526 × 50 + 400 MB = 26.70 GB; four drives, for three of RAID 5 hold 18.2, four 27.3 GB.
    """
    found = values(Request((Group("mail", 800, "light_mail"),), PL5000, growth_percent=20, months_ahead=18))
    assert found["", "mail", "people"] == 1052
    assert found["", "", "systems"] == pytest.approx(2104 / 1920, abs=1e-6)
    assert found["", "", "servers"] == 2
    assert found["Server 2", "", "memory"] == 320
    assert found["Server 2", "", "paging_file"] == 400
    assert found["Server 2", "", "storage_needed"] == pytest.approx(26.7, abs=1e-9)
    assert (found["Server 2", "", "drives"], found["Server 2", "", "usable_space"]) == (4, pytest.approx(27.3))


def test_overlap():
    """1000 with mail, 100 with groupware, 60 in both: 940 × 2 / 1920 + 100 / 440 = 1.2064: two servers, 576, 256 MB."""
    groups = (Group("mail", 1000, "light_mail"), Group("power", 100, "groupware"))
    found = values(Request(groups, PL5000, overlap=({"groups": ["mail", "power"], "users": 60},)))
    assert found["", "mail", "people"] == 940
    assert found["", "", "systems"] == pytest.approx(940 * 2 / 1920 + 100 / 440)
    assert (found["Server 1", "", "memory"], found["Server 2", "", "memory"]) == (576, 256)
    assert values(Request(groups, PL5000))["", "mail", "people"] == 1000


def test_day_and_night():
    """800 by day and 600 by night, a tenth at other hours: 0.8333 + 0.0625 by day is one server, not 1.4583.

    Their memory and mail are there all day: 448 + 320 MB; (800 + 600) × 50 + 900 MB = 70.9 GB.
    """
    day = tuple(100 if 8 <= hour < 18 else 10 for hour in range(24))
    night = tuple(100 if hour >= 20 or hour < 6 else 10 for hour in range(24))
    groups = (Group("day", 800, "light_mail", hours=day), Group("night", 600, "light_mail", hours=night))
    found = values(Request(groups, PL5000))
    assert found["", "", "systems"] == pytest.approx(1600 / 1920 + 0.1 * 1200 / 1920)
    assert found["", "", "servers"] == 1
    assert found["Server 1", "", "memory"] == 768
    assert found["Server 1", "", "storage_needed"] == pytest.approx(70.9)
    always = tuple(dataclasses.replace(group, hours=None) for group in groups)
    assert values(Request(always, PL5000))["", "", "servers"] == 2


def test_several_servers():
    """5,000 light mail users: 10,000 / 1920 = 5.21, six servers of 833.3 people: the row of 1000, 576 MB.

    833.3 × 50 + 700 MB = 42.37 GB: six drives of RAID 5 by either count, for 46.8 or 45.5 GB.
    """
    request = Request((Group("mail", 5000, "light_mail"),), PL5000)
    for rules, usable in (("compaq_1998", 46.8), ("corrected", 45.5)):
        found = values(request, rules)
        assert found["", "", "servers"] == 6
        assert sum(found[f"Server {k}", "mail", "people"] for k in range(1, 7)) == 5000
        for server in (f"Server {k}" for k in range(1, 7)):
            assert found[server, "mail", "people"] in (833, 834)  # whole, and 5,000 together
            assert found[server, "", "memory"] == 576
            assert found[server, "", "storage_needed"] == pytest.approx(5000 / 6 * 0.05 + 0.7)
            assert (found[server, "", "drives"], found[server, "", "usable_space"]) == (6, pytest.approx(usable))


def written(group=None, **settings):
    """A good request as a dict, with changes; a setting of None is left out."""
    base = {"name": "mail", "users": 100, "profile": "light_mail"}
    groups = [base | (group or {}), {"name": "power", "users": 50, "profile": "groupware"}]
    both = {"groups": groups, "system": PL5000} | settings
    return {name: value for name, value in both.items() if value is not None}


def overlap(one, other, users):
    """An overlap of two groups."""
    return {"groups": [one, other], "users": users}


BAD = {
    "negative users": (written({"users": -1}), ["group 'mail', users", "0 or more", "found -1"]),
    "unknown profile": (written({"profile": "ligth_mail"}), ["group 'mail', profile", "Did you mean light_mail"]),
    "23 hours": (written({"hours": [50] * 23}), ["group 'mail', hours", "24 shares", "0 to 100 percent"]),
    "hours as shares": (
        written({"hours": [0.5] * 23 + [1]}),
        ["group 'mail', hours", "a share of 0.7 is 70", "at most 1"],
    ),
    "percent over 100": (written(utilization_percent=101), ["utilization_percent", "to 100", "found 101"]),
    "no system": (
        written(system=None),
        ["request, system", "found none", PL5000, "; IBM PC Server 330; "],
    ),
    "unknown system": (written(system="ProLiant 5000 4xP6/200-512"), ["system", "Did you mean ProLiant 5000"]),
    "size and class": (written({"message_kb": 5}), ["group 'mail'", "message_kb", "profile 'light_mail'"]),
    "no size": (written({"profile": "mail"}), ["group 'mail'", "message_kb None"]),
    "unknown key": (written({"database": 5}), ["group 'mail', key", "'database'", "Did you mean databases"]),
    "unknown setting": (
        written(systm=PL5000),
        ["request, key", "'systm'", "Did you mean system?", "Known are groups,"],
    ),
    "a setting in a group": (
        written({"system": PL5000}),
        ["'system'. It is a key of the request: write it above the first [[groups]]."],
    ),
    "a group's key as a setting": (written(users=5), ["'users'. It is a key of a group: write it under [[groups]]."]),
    "own without a workload": (written(OWN_GROUP | {"workload": None}), ["no workload"]),
    "own without memory": (written(OWN_GROUP | {"ram_mb_per_user": None}), ["no ram_mb_per_user"]),
    "a workload of a known class": (
        written(OWN_GROUP | {"profile": "groupware"}),
        ["workload with the profile 'own' alone"],
    ),
    "more than there are": (written(overlap=[overlap("mail", "power", 60)]), ["overlap[1], users", "at most the 50"]),
    "with itself": (written(overlap=[overlap("mail", "mail", 6)]), ["overlap[1]", "two different groups"]),
    "placed twice": (written(placement={"A": ["mail", "mail", "power"]}), ["placement", "each group once"]),
    "no groups": ({"groups": [], "system": PL5000}, ["request, groups", "a list of groups, at least one"]),
    "no users": ({"groups": [{"name": "a"}]}, ["the key 'users'"]),
    "one name twice": (written({"name": "power"}), ["a name of its own for each group", "found power, power"]),
    "overlap with none": (written(overlap=[overlap("mail", "none", 9)]), ["overlap[1], group", "'none'"]),
    "placed nowhere": (written(placement={"": ["mail", "power"]}), ["a name in words for each server, found ''"]),
    "drives too small": (written({"users": 800}, drive_gb=0.01), ["drive_gb", "fewer than 1000 drives"]),
    "spread": (
        written({"spread": {"kind": "uniform", "low": 200, "high": 300}}),
        ["group 'mail', spread", "around 100 users"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_requests_say_what_to_mend(case):
    """Where, what is allowed, what was found."""
    request, parts = BAD[case]
    with pytest.raises((CannotPlan, UnknownName)) as told:
        plan(request)
    assert not [part for part in parts if part not in str(told.value)], str(told.value)


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("utilization_percent", (1.5, 100), (0, 0.7, 1, 100.1, math.nan, True)),
        ("response_s", (9,), (0, -1, math.inf)),
        ("growth_percent", (-99.5, 300), (-100, -101)),
        ("months_ahead", (0, 0.5), (-0.5,)),
        ("spare_servers", (0, 2, 2.0), (-1, 1.5)),
        ("drive_gb", (0.5, 400.0), (0,)),
        ("raid", (None, 0, 1, 4, 5, 10), (2, 6, "5")),
        ("critical", (True, False), (1, None)),
    ],
)
def test_the_ends_of_what_a_request_may_say(field, good, bad):
    """The last value that is allowed, and the first that is not."""
    request = asked(Group("a", 10, "light_mail"), months_ahead=6)
    for value in good:
        given = dataclasses.replace(request, **{field: value})
        assert planning.read_request(given) is given
    for value in bad:
        with pytest.raises(CannotPlan, match=f"request, {field}"):
            planning.read_request(dataclasses.replace(request, **{field: value}))


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        ("users", (0, 0.5), (-1, "7", math.nan)),
        ("message_kb", (0.5,), (0, -1)),
        ("databases", (0, 3), (-1, 0.5)),
        ("growth_percent", (-99, 0, 50), (-100,)),
        ("hours", ((0,) * 24, (100,) * 24), ((50,) * 25, (-1,) * 24, ("9",) * 24, (True,) * 24, "x" * 24)),
        ("name", ("a", "mail room"), ("", " ", 3)),
    ],
)
def test_the_ends_of_what_a_group_may_say(field, good, bad):
    """The last value that is allowed, and the first that is not."""
    group = Group(
        "a", 10, "mail" if field == "message_kb" else "light_mail", message_kb=5 if field == "message_kb" else None
    )
    for value in good:
        planning.read_request(asked(dataclasses.replace(group, **{field: value}), months_ahead=6))
    for value in bad:
        with pytest.raises(CannotPlan, match=field):
            planning.read_request(asked(dataclasses.replace(group, **{field: value}), months_ahead=6))


def test_overlaps_of_a_group_add_up():
    """80 of 100 in one group and 80 in another leave less than nobody."""
    groups = tuple(Group(name, 100, "light_mail") for name in "abc")
    twice = (overlap("a", "b", 80), overlap("a", "c", 80))
    with pytest.raises(CannotPlan, match=re.escape("overlap[2], users: expected at most the 100 users of 'a'")):
        plan(Request(groups, PL5000, overlap=twice))
    found = values(Request(groups, PL5000, overlap=(overlap("a", "b", 80), overlap("a", "c", 20))))
    assert found["", "a", "people"] == 0


def test_a_mistake_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "asked.toml"
    path.write_text('[[groups]]\nname = "mail"\nprofile = "light_mail"\nusers = "many"\n', encoding="utf-8")
    with pytest.raises(CannotPlan, match=r"asked\.toml, group 'mail', users: expected people, .* found 'many'"):
        plan(path)


def test_a_spread_by_percent():
    """As much below as above, of each group; a number alone is taken."""
    spread = planning.with_spread(Request((mail(200), mail(50, name="b"))), 30)
    assert [group.spread for group in spread.groups] == [
        {"kind": "triangular", "low": pytest.approx(140), "high": pytest.approx(260)},
        {"kind": "triangular", "low": pytest.approx(35), "high": pytest.approx(65)},
    ]
    with pytest.raises(CannotPlan, match="with_spread, percent: expected a number above 0, to 100, found 'many'"):
        planning.with_spread(Request((mail(200),)), "many")


@pytest.mark.parametrize("shares", [(0.333, 0.333, 0.333), (0.5, 1, 0)])
def test_shares_are_no_people(shares):
    """Neither a plan nor a choice takes them, a grid says why; given servers hold so many in these proportions."""
    profiles = ("light_mail", "medium_mail", "groupware")
    in_shares, in_people = (
        Request(tuple(Group(f"g{k}", times * share, profiles[k]) for k, share in enumerate(shares)), PL5000)
        for times in (1, 1000)
    )
    told = re.escape(f"request, users: expected numbers of people, found {shares[0]:g} of 'g0', {shares[1]:g} of 'g1'")
    for planned in (plan, planning.choose):
        with pytest.raises(CannotPlan, match=told):
            planned(in_shares)
    assert "numbers of people" in planning.grid(in_shares, pd.DataFrame({"months_ahead": [12]}))["reason"][0]
    columns = ["planned_users", "headroom_percent"]
    held = [planning.recommend({PL5000: 2}, request).tidy()[columns] for request in (in_shares, in_people)]
    assert held[0].equals(held[1])
    assert not np.signbit(held[1].to_numpy()).any()  # no -0 %


def test_what_uses_no_spread_says_so():
    """choose takes the people as they are, and so does a grid; a request without a spread has no such note."""
    uncertain = planning.with_spread(planning.example(), 20)
    table = pd.DataFrame({"mail.users": [800]})
    for request, told in ((uncertain, True), (planning.example(), False)):
        chosen = planning.choose(dataclasses.replace(request, system=None))
        assert any("spread of people is not used in choosing servers" in note for note in chosen.notes) is told
        notes = planning.grid(request, table).attrs["notes"]
        assert any("spread of people is not used in a grid" in note for note in notes) is told
