"""The case study and the worked examples: every number beside the planner; requests worked by hand; bad requests."""

import copy
import dataclasses

import pytest

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName
from dominoperf.planning import example, rule_sets
from dominoperf.study import recompute
from dominoperf.study.recompute import case_study
from dominoperf.tables.folders import our_toml_file

PL5000 = "ProLiant 5000 1xP6/200-512"
# Orders of the rows in which the corrected plan has another number: memory of Server 2, RAID 1 with its drives and
# space, and the paging file and storage that follow from the memory.
DIFFERING = {39, 50, 51, 54, 70, 72, 74, 76, 77, 78, 79, 80, 82, 102, 104, 105, 106, 107, 108, 109, 113, 114}
DIFFERING |= {115, 117, 120, 122, 124, 125, 126, 128}


@pytest.fixture(scope="module")
def beside():
    """The numbers of the case study by their order."""
    return case_study.case_study_beside().set_index("order")


@pytest.fixture(scope="module")
def examples():
    """The numbers of the worked examples by their order."""
    return case_study.worked_examples_beside().set_index("order")


def test_every_number_of_the_case_study_is_planned(beside):
    """All 128 rows, none carried, and each prints as the document prints it."""
    assert list(beside.index) == list(range(1, 129))
    assert beside["planned"].notna().all()
    assert list(beside.index[~beside["agrees"]]) == []
    assert (
        beside["printed"].tolist() == tables.load("compaq_domino45/case_study", "printed", text=True)["value"].tolist()
    )


def test_exactly_the_expected_numbers_differ(beside):
    """Row 123 stays 4: four eighths of the mirrored drives in place of four fifths."""
    assert set(beside.index[beside["differs"]]) == DIFFERING
    shown = {39: 512, 50: 256, 54: 1, 70: 10, 79: 45.5, 80: 8, 82: 36.4, 109: 600, 114: 28.1, 115: 8}
    shown |= {125: 36.4, 128: 27.3}
    for order, expected in shown.items():
        assert beside["planned_other"][order] == pytest.approx(expected), order


def test_the_arithmetic_gives_the_plans_own_number():
    """What is written out beside a result is how the plan got it, by both sets of rules."""
    checked = 0
    for table in ("case_study", "worked_examples"):
        for order, (request, value, how) in case_study._expressions_of_table(table).items():
            for known in (case_study._names_in_expressions(request, each) for each in rule_sets() if how):
                found = [case_study._value_of_plan_expression(each, known, order) for each in (value, how)]
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
    assert case_study.plan_agrees_with_print(46.8, "46", "over")
    assert not case_study.plan_agrees_with_print(46.8, "46")
    assert not case_study.plan_agrees_with_print(47.1, "46", "over")
    assert not case_study.plan_agrees_with_print(46.0, "46", "over")
    assert case_study.plan_agrees_with_print(1425.0, "1,425")
    assert case_study.plan_agrees_with_print(0.625, "0.63")
    assert not case_study.plan_agrees_with_print(0.6249, "0.63")
    assert not case_study.plan_agrees_with_print(float("nan"), "5")


def test_worked_examples(examples):
    """65 agree, 4 belong to no plan and say why; only the readers of databases have another rule when corrected."""
    carried = examples["agrees"].isna()
    assert set(examples.index) == set(range(1, 70))
    assert set(examples.index[carried]) == {13, 62, 63, 64}
    assert (examples["reason"][carried] != "").all()
    assert examples["planned"][carried].isna().all()
    assert examples["agrees"][~carried].all()
    assert set(examples.index[examples["differs"].fillna(False)]) == {42, 43}
    shown = {3: 300, 23: 1425, 61: 2, 69: 704, 60: 1800 / 1920 + 700 / 1440 + 200 / 440}
    for order, expected in shown.items():
        assert examples["planned"][order] == pytest.approx(expected), order


@pytest.mark.parametrize("table", ["case_study", "worked_examples"])
def test_every_row_is_mapped_once(table):
    """An expression or a reason, not both, for each printed row and no other."""
    written = our_toml_file("case_study.toml")
    mapped = [order for rows in written[table].values() for order in rows] + list(written["carried"].get(table, {}))
    assert sorted(mapped) == sorted(tables.load(f"compaq_domino45/{table}", "printed", text=True)["order"])


def test_a_wrong_expression_is_named(monkeypatch):
    """File, table and row."""
    written = copy.deepcopy(our_toml_file("case_study.toml"))
    written["case_study"]["case_study"]["1"] = "nothing(1)"
    monkeypatch.setattr(case_study, "our_toml_file", lambda name: written)
    with pytest.raises(BadTable, match=r"case_study.toml, case_study, row 1: expected an expression .*plan"):
        case_study.case_study_beside()


def test_unknown_rules_are_named():
    """With the nearest."""
    with pytest.raises(UnknownName, match="Did you mean corrected"):
        case_study.case_study_beside("correct")


def test_the_request_of_the_case_study():
    """Its own numbers are the example; a change is not; groups without people are left out."""
    same = recompute.case_request(800, 300, 100, 5, True, PL5000)
    assert same == recompute.case_request() == example()
    assert recompute.PlanComparison(same).is_printed
    for change in ({"light_mail": 801}, {"critical": False}, {"overlap": 1}, {"databases": 6}):
        assert not recompute.PlanComparison(recompute.case_request(**change)).is_printed
    assert [group.name for group in recompute.case_request(groupware=0).groups] == ["mail", "active"]


def test_final_configuration():
    """Page 4-22 to 4-24 beside the corrected plan, server by server."""
    found = recompute.PlanComparison(example()).configuration().set_index(["server", "group", "key"])
    found = found[["planned", "planned_other"]]
    shown = {
        ("Server 1", "mail", "people"): (800, 800),
        ("Server 1", "", "memory"): (448, 448),
        ("Server 1", "", "drives"): (6, 10),
        ("Server 1", "", "raid_level"): (5, 1),
        ("Server 1", "", "system_drives"): (1, 1),
        ("Server 2", "active", "people"): (300, 300),
        ("Server 2", "", "memory"): (448, 512),
        ("Server 2", "", "paging_file"): (500, 600),
        ("Server 2", "", "usable_space"): (29.12, 36.4),
    }
    for key, expected in shown.items():
        assert tuple(found.loc[key]) == pytest.approx(expected), key


def test_servers_stay_in_their_order():
    """The tenth comes after the ninth."""
    many = recompute.PlanComparison(recompute.case_request(light_mail=9000))
    found = many.configuration()["server"].unique().tolist()
    assert found == [f"Server {k}" for k in range(1, len(found) + 1)]
    assert len(found) > 10


def test_what_the_document_buys_is_too_small():
    """Four drives of 9.1 GB in RAID 5 hold 27.3 of 28 GB; six hold 45.5 of 40.5."""
    beside = recompute.PlanComparison(example())
    assert beside.lacking_volumes().to_dict("records") == [
        {"server": "Server 2", "drives": 4, "needed_gb": 28.0, "usable_gb": pytest.approx(27.3)}
    ]
    said = "1 of 2 data volumes is too small: Server 2 has 27.3 of the 28 GB needed"
    assert beside.shortfall() == said
    bought = beside.glance().set_index("rules")
    assert bought["drives"].to_dict() == {"compaq_1998": 12, "corrected": 20}
    assert bought["ram_mb"].to_dict() == {"compaq_1998": 896, "corrected": 960}
    assert beside.spaces()["space_gb"].tolist() == pytest.approx([40.5, 46.8, 45.5, 45.5, 28, 29.12, 27.3, 36.4])


def test_another_request_has_no_printed_numbers():
    """It says so, and lays the plans' own quantities side by side."""
    beside = recompute.PlanComparison(recompute.case_request(light_mail=400))
    assert "not the document's request" in beside.headline()
    assert "printed" not in beside.beside_print
    assert "printed" not in beside._repr_html_().partition("<details")[0]  # where errata are told
    same = recompute.PlanComparison(recompute.case_request(light_mail=400), "compaq_1998")
    assert not same.tidy()["differs"].any()
    assert not len(same.differing())
    assert not len(same.constants())


def test_each_plan_of_another_request_has_its_own_arithmetic():
    """A share is users divided by those that a server carries: both divisors are told, and each gives its share."""
    request = recompute.case_request(light_mail=5000, active=3000, groupware=1000, databases=50, overlap=1000,
                                     system="IBM PC Server 330")  # fmt: skip
    row = recompute.PlanComparison(request).tidy().query("key == 'share' and group == 'power'").iloc[0]
    divisors = [float(each.removeprefix("users / ")) for each in row["rule"].split("; ")]
    shares = [1000 / divisor for divisor in divisors]
    assert shares == pytest.approx([row["planned"], row["planned_other"]], rel=1e-3)


def test_page_marks_what_differs():
    """A line for each number, 30 marked, the page of each over it, text escaped."""
    page = recompute.PlanComparison(example())._repr_html_()
    assert page.count("<tr") == 128 + 6  # and the heads of the six parts
    assert page.count('class="number differing"') == len(DIFFERING)
    assert "Step 5 disk" in page
    assert "page 4-24/4-25, item 125" in page
    group = dataclasses.replace(example().groups[0], name="<b>mail</b>")
    odd = recompute.PlanComparison(dataclasses.replace(example(), groups=(group,)))
    odd = odd._repr_html_().partition("<details")[0]
    assert "<b>" not in odd
    assert "&lt;b&gt;mail" in odd
    assert "\n   5  Server 1" not in repr(recompute.PlanComparison(example()))  # steps are words here
    assert "5 disk" in repr(recompute.PlanComparison(example()))


def test_frames_are_the_callers_own():
    """To change one changes no other."""
    beside = recompute.PlanComparison(example())
    frame = beside.beside_print
    frame["planned"] = 0.0
    assert (beside.beside_print["planned"] > 0).all()
