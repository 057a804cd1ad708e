"""The case study and the worked examples: every number beside the planner; requests worked by hand; bad requests."""

import copy
import dataclasses
import re

import pytest

from dominoperf import tables
from dominoperf.errors import BadTable, CannotPlan, UnknownName
from dominoperf.planning import Group, Request, example, plan, rule_sets
from dominoperf.study import recompute
from dominoperf.study.recompute import case_study
from dominoperf.tables.folders import our_file

PL5000 = "ProLiant 5000 1xP6/200-512"
# Orders of the rows in which the corrected plan has another number: memory of Server 2, RAID 1 with its drives and
# space, and the paging file and storage that follow from the memory.
DIFFERING = {39, 50, 51, 54, 70, 72, 74, 76, 77, 78, 79, 80, 82, 102, 104, 105, 106, 107, 108, 109, 113, 114}
DIFFERING |= {115, 117, 120, 122, 124, 125, 126, 128}


@pytest.fixture(scope="module")
def beside():
    """The numbers of the case study by their order."""
    return recompute.case_study_beside().set_index("order")


@pytest.fixture(scope="module")
def examples():
    """The numbers of the worked examples by their order."""
    return recompute.worked_examples_beside().set_index("order")


def values(request, rules="corrected"):
    """Value by server, group and key."""
    return plan(request, rules=rules).tidy().set_index(["server", "group", "key"])["value"]


def test_every_number_of_the_case_study_is_planned(beside):
    """All 128 rows, none carried, and each prints as the document prints it."""
    assert list(beside.index) == list(range(1, 129))
    assert beside["planned"].notna().all()
    assert list(beside.index[~beside["agrees"]]) == []
    assert (
        beside["printed"].tolist() == tables.load("compaq_domino45/case_study", "printed", text=True)["value"].tolist()
    )


def test_the_documents_errors_are_reproduced(beside):
    """46.8, 37.9, 29 and 20.5 GB; 448, 493 and 500 MB; the shares and their sum; as computed, before rounding."""
    rows = {79: 9.1 * 36 / 7, 82: 9.1 * 25 / 6, 125: 9.1 * 16 / 5, 128: 9.1 * 9 / 4, 51: 448, 107: 492.8, 109: 500}
    rows |= {20: 1600 / 1920, 23: 900 / 1440, 26: 100 / 440, 27: 1600 / 1920 + 900 / 1440 + 100 / 440, 28: 2}
    for order, expected in rows.items():
        assert beside["planned"][order] == pytest.approx(expected, rel=1e-12), order


def test_exactly_the_expected_numbers_differ(beside):
    """Row 123 stays 4: four eighths of the mirrored drives in place of four fifths."""
    assert set(beside.index[beside["differs"]]) == DIFFERING
    shown = {
        39: 512,
        50: 256,
        54: 1,
        70: 10,
        79: 45.5,
        80: 8,
        82: 36.4,
        109: 600,
        114: 28.1,
        115: 8,
        125: 36.4,
        128: 27.3,
    }
    for order, expected in shown.items():
        assert beside["corrected"][order] == pytest.approx(expected), order


def test_the_arithmetic_gives_the_plans_own_number():
    """What is written out beside a result is how the plan got it, by both sets of rules."""
    checked = 0
    for table in ("case_study", "worked_examples"):
        for order, (request, value, how) in case_study._expressions(table).items():
            for known in (case_study._allowed(request, each) for each in rule_sets() if how):
                found = [case_study._computed(each, known, order) for each in (value, how)]
                assert found[0] == pytest.approx(found[1], rel=1e-12), (table, order)
                checked += 1
    assert checked > 100


def test_arithmetic_is_written_with_numbers(beside):
    """1,600 / 1,920 of one plan; of two that differ both."""
    assert beside["arithmetic"][20] == "1,600 / 1,920"
    assert beside["arithmetic"][79] == "6 × 9.1 × 6 / 7; 10 × 9.1 × 5 / 10"
    assert beside["arithmetic"][1] == ""


def test_agreement_is_strict():
    """Half a unit of the last digit; "over" cuts; thousands are read."""
    assert case_study.agrees(46.8, "46", "over")
    assert not case_study.agrees(46.8, "46")
    assert not case_study.agrees(47.1, "46", "over")
    assert not case_study.agrees(46.0, "46", "over")
    assert case_study.agrees(1425.0, "1,425")
    assert case_study.agrees(0.625, "0.63")
    assert not case_study.agrees(0.6249, "0.63")
    assert not case_study.agrees(float("nan"), "5")


def test_worked_examples(examples):
    """65 agree, 4 belong to no plan and say why; only the readers of databases have another rule when corrected."""
    carried = examples["agrees"].isna()
    assert set(examples.index) == set(range(1, 70))
    assert set(examples.index[carried]) == {13, 62, 63, 64}
    assert (examples["reason"][carried] != "").all()
    assert examples["planned"][carried].isna().all()
    assert examples["agrees"][~carried].all()
    assert set(examples.index[examples["differs"].fillna(False)]) == {42, 43}
    shown = {3: 300, 10: 20, 11: 50, 21: 2850, 23: 1425, 28: 1800, 61: 2, 68: 640, 69: 704}
    shown |= {53: 1800 / 1920, 56: 700 / 1440, 59: 200 / 440, 60: 1800 / 1920 + 700 / 1440 + 200 / 440}
    for order, expected in shown.items():
        assert examples["planned"][order] == pytest.approx(expected), order


@pytest.mark.parametrize("table", ["case_study", "worked_examples"])
def test_every_row_is_mapped_once(table):
    """An expression or a reason, not both, for each printed row and no other."""
    written = our_file("case_study.toml")
    mapped = [order for rows in written[table].values() for order in rows] + list(written["carried"].get(table, {}))
    assert sorted(mapped) == sorted(tables.load(f"compaq_domino45/{table}", "printed", text=True)["order"])


def test_a_wrong_expression_is_named(monkeypatch):
    """File, table and row."""
    written = copy.deepcopy(our_file("case_study.toml"))
    written["case_study"]["case_study"]["1"] = "nothing(1)"
    monkeypatch.setattr(case_study, "our_file", lambda name: written)
    with pytest.raises(BadTable, match=r"case_study.toml, case_study, row 1: expected an expression .*plan"):
        recompute.case_study_beside()


def test_unknown_rules_are_named():
    """With the nearest."""
    with pytest.raises(UnknownName, match="Did you mean corrected"):
        recompute.case_study_beside("correct")


def test_the_request_of_the_case_study():
    """Its own numbers are the example; a change is not; groups without people are left out."""
    same = recompute.case_request(800, 300, 100, 5, True, PL5000)
    assert same == recompute.case_request() == example()
    assert recompute.Beside(same).is_printed
    for change in ({"light_mail": 801}, {"critical": False}, {"overlap": 1}, {"databases": 6}):
        assert not recompute.Beside(recompute.case_request(**change)).is_printed
    assert [group.name for group in recompute.case_request(groupware=0).groups] == ["mail", "active"]


def test_final_configuration():
    """Page 4-22 to 4-24 beside the corrected plan, server by server."""
    found = recompute.Beside(example()).configuration().set_index(["server", "group", "key"])[["planned", "corrected"]]
    shown = {
        ("Server 1", "mail", "people"): (800, 800),
        ("Server 1", "", "memory"): (448, 448),
        ("Server 1", "", "storage_needed"): (40.5, 40.5),
        ("Server 1", "", "drives"): (6, 10),
        ("Server 1", "", "usable_space"): (46.8, 45.5),
        ("Server 1", "", "raid_level"): (5, 1),
        ("Server 1", "", "system_drives"): (1, 1),
        ("Server 2", "active", "people"): (300, 300),
        ("Server 2", "power", "people"): (100, 100),
        ("Server 2", "", "memory"): (448, 512),
        ("Server 2", "", "paging_file"): (500, 600),
        ("Server 2", "", "storage_needed"): (28, 28.1),
        ("Server 2", "", "drives"): (4, 8),
        ("Server 2", "", "usable_space"): (29.12, 36.4),
    }
    for key, expected in shown.items():
        assert tuple(found.loc[key]) == pytest.approx(expected), key


def test_servers_stay_in_their_order():
    """The tenth comes after the ninth."""
    found = recompute.Beside(recompute.case_request(light_mail=9000)).configuration()["server"].unique().tolist()
    assert found == [f"Server {k}" for k in range(1, len(found) + 1)]
    assert len(found) > 10


def test_what_the_document_buys_is_too_small():
    """Four drives of 9.1 GB in RAID 5 hold 27.3 of 28 GB; six hold 45.5 of 40.5."""
    beside = recompute.Beside(example())
    assert beside.lacking().to_dict("records") == [
        {"server": "Server 2", "drives": 4, "needed_gb": 28.0, "usable_gb": pytest.approx(27.3)}
    ]
    assert (
        beside.shortfall()
        == "1 of 2 data volumes cannot hold what they need: the 4 drives of Server 2 hold 27.3 of the 28 GB"
    )
    bought = beside.glance().set_index("rules")
    assert bought["drives"].to_dict() == {"compaq_1998": 12, "corrected": 20}
    assert bought["ram_mb"].to_dict() == {"compaq_1998": 896, "corrected": 960}
    assert beside.spaces()["space_gb"].tolist() == pytest.approx([40.5, 46.8, 45.5, 45.5, 28, 29.12, 27.3, 36.4])


def test_another_request_has_no_printed_numbers():
    """It says so, and lays the plans' own quantities side by side."""
    beside = recompute.Beside(recompute.case_request(light_mail=400))
    assert "not the document's request" in beside.headline()
    assert "printed" not in beside.tidy()
    assert "printed" not in beside._repr_html_().partition("<details")[0]  # where errata are told
    same = recompute.Beside(recompute.case_request(light_mail=400), "compaq_1998")
    assert not same.tidy()["differs"].any()
    assert not len(same.differing())
    assert not len(same.constants())


def test_page_marks_what_differs():
    """A line for each number, 30 marked, the page of each over it, text escaped."""
    page = recompute.Beside(example())._repr_html_()
    assert page.count("<tr") == 128 + 6  # and the heads of the six parts
    assert page.count('class="number differing"') == len(DIFFERING)
    assert "Step 5 disk" in page
    assert "page 4-24/4-25, item 125" in page
    group = dataclasses.replace(example().groups[0], name="<b>mail</b>")
    odd = recompute.Beside(dataclasses.replace(example(), groups=(group,)))._repr_html_().partition("<details")[0]
    assert "<b>" not in odd
    assert "&lt;b&gt;mail" in odd
    assert "\n   5  Server 1" not in repr(recompute.Beside(example()))  # steps are words here
    assert "5 disk" in repr(recompute.Beside(example()))


# Requests of our own, worked by hand.


def test_growth():
    """800 × 1.2^1.5 = 1051.63 people, 2103.26 users, 1.0954 systems: two servers of 525.8 people each.

    Each: 600's row, 320 MB; 525.8 × 50 + 400 MB = 26.69 GB; four drives, for three of RAID 5 hold 18.2, four 27.3 GB.
    """
    found = values(Request((Group("mail", 800, "light_mail"),), PL5000, growth_percent=20, months_ahead=18))
    assert found["", "mail", "people"] == pytest.approx(1051.6273, abs=1e-4)
    assert found["", "", "systems"] == pytest.approx(1.095445, abs=1e-6)
    assert found["", "", "servers"] == 2
    assert found["Server 2", "", "memory"] == 320
    assert found["Server 2", "", "paging_file"] == 400
    assert found["Server 2", "", "storage_needed"] == pytest.approx(26.6907, abs=1e-4)
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
        for server in (f"Server {k}" for k in range(1, 7)):
            assert found[server, "mail", "people"] == pytest.approx(5000 / 6)
            assert found[server, "", "memory"] == 576
            assert found[server, "", "storage_needed"] == pytest.approx(5000 / 6 * 0.05 + 0.7)
            assert (found[server, "", "drives"], found[server, "", "usable_space"]) == (6, pytest.approx(usable))


def test_a_size_without_a_rule():
    """Messages of 35 KB: heavy, × 4, and flagged."""
    tidy = plan(Request((Group("staff", 100, "mail", message_kb=35),), PL5000)).tidy()
    first = tidy.iloc[0]
    assert (first["quantity"], first["basis"]) == ("staff: people, heavy_mail", "request, no rule for this size")
    assert "no rule" in plan(Request((Group("staff", 100, "mail", message_kb=35),), PL5000)).glance()["basis"][0]
    assert tidy[tidy["key"] == "users"]["value"].item() == 400


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
    "hours over 100": (written({"hours": [101] * 24}), ["group 'mail', hours[1]", "found 101"]),
    "hours no list": (written({"hours": 8}), ["group 'mail', hours", "24 shares", "found 8"]),
    "percent over 100": (written(utilization_percent=101), ["utilization_percent", "to 100", "found 101"]),
    "no system": (written(system=None), ["request, system", "found none", "Known are", PL5000]),
    "unknown system": (written(system="ProLiant 5000 4xP6/200-512"), ["system", "Did you mean ProLiant 5000"]),
    "size and class": (written({"message_kb": 5}), ["group 'mail'", "message_kb", "profile 'light_mail'"]),
    "no size": (written({"profile": "mail"}), ["group 'mail'", "message_kb None"]),
    "unknown key": (written({"database": 5}), ["groups[1], key", "'database'", "Did you mean databases"]),
    "unknown setting": (written(systm=PL5000), ["request, key", "'systm'", "Did you mean system"]),
    "more than there are": (written(overlap=[overlap("mail", "power", 60)]), ["overlap[1], users", "at most the 50"]),
    "with itself": (written(overlap=[overlap("mail", "mail", 6)]), ["overlap[1]", "two different groups"]),
    "no overlap": (written(overlap=3), ["request, overlap", "a list of overlaps", "found 3"]),
    "placed as a number": (written(placement={"Server 1": 3}), ["placement", "lists of groups by server"]),
    "placed twice": (written(placement={"A": ["mail", "mail", "power"]}), ["placement", "each group once"]),
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


def test_overlaps_of_a_group_add_up():
    """80 of 100 in one group and 80 in another leave less than nobody."""
    groups = tuple(Group(name, 100, "light_mail") for name in "abc")
    twice = (overlap("a", "b", 80), overlap("a", "c", 80))
    with pytest.raises(CannotPlan, match=re.escape("overlap[2], users: expected at most the 100 users of 'a'")):
        plan(Request(groups, PL5000, overlap=twice))
    found = values(Request(groups, PL5000, overlap=(overlap("a", "b", 80), overlap("a", "c", 20))))
    assert found["", "a", "people"] == 0


def test_frames_are_the_callers_own():
    """To change one changes no other."""
    beside = recompute.Beside(example())
    frame = beside.tidy()
    frame["planned"] = 0.0
    assert (beside.tidy()["planned"] > 0).all()
