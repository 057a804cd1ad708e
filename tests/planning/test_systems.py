"""Systems, their ratings and catalogues of one's own: as printed, by a law, as given, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from own_systems import OWN_GROUP, PL5000, SYSTEM, known, mail, only, planned
from scipy import stats

from dominoperf import planning, tables
from dominoperf.errors import BadTable, CannotPlan, UnknownName
from dominoperf.planning import Group, Request, assess, choose, example, fitted_rating, plan, rating, systems
from dominoperf.planning.catalogue import systems_of_folders
from dominoperf.planning.risk import uncertain_ratings
from dominoperf.runs import benchmarks
from dominoperf.tables import carried_errata


def test_systems_are_the_appendices():
    """21 audited runs of 13 machines; one machine's prices agree to the cents; ratings are lower bounds."""
    known = planning.systems()
    assert (len(known), known["system"].nunique()) == (21, 13)
    assert set(known["workload"][known["system"] == PL5000]) == set(planning.WORKLOADS)
    assert (known["users_low"] == known["users"]).all()
    assert known["users_high"].isna().all()
    assert set(known) | set(plan(example()).tidy()) | set(plan(example()).glance()) <= set(tables.vocabulary())
    assert set(planning.differing(example())) <= set(tables.vocabulary())


def test_ratings_of_runs_by_hand():
    """Think time by N / X - R of the printed run; a lower bound is the run itself, and nothing else is known."""
    run = benchmarks().set_index("run").loc["ibm_330/results#1"]
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
    printed = benchmarks().query("source == 'compaq_domino45'").set_index("locator")
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


def benchmark_columns():
    """The columns of the runs of the documents."""
    return benchmarks().columns


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
        systems_of_folders(systems().replace({PL5000: "Box"}))
    assert mine["users"].tolist() == mine["users_low"].tolist() == [100, 50, 90]
    assert mine["think_s"].tolist() == pytest.approx([100 / 2 - 0.5, 50 - 1, 90 - 1])
    assert mine["price_usd"].tolist() == [900, 700, 800]
    assert mine[["basis", "law", "extrapolated"]].to_numpy().tolist() == [["measured", "", False]] * 3
    assert mine["std_error"].isna().all()


def test_a_name_of_several_configurations_is_told_with_theirs(tmp_path):
    """Of a system with 1 and 4 processors neither row is taken for it."""
    path = tmp_path / "box.csv"
    head = "system,processors,ram_mb,drives,workload,users,price_usd\n"
    path.write_text(f"{head}Box,1,1024,8,Mail,1000,10000\nBox,4,4096,16,Mail,2000,60000\n", encoding="utf-8")
    tables.new(tmp_path / "mine", from_=path)
    with tables.using(tmp_path / "mine"):
        told = r"system: expected one configuration, found 'Box', of which there are 2\. Name one of them: "
        with pytest.raises(UnknownName, match=told + "Box, 1 processor; Box, 4 processors"):
            rating(None, "Box", "Mail")
        assert rating(None, "Box, 4 processors", "Mail")["users"] == 2000


def test_systems_of_ones_own(tmp_path):
    """A CSV file with three columns is enough; what is wrong in it is named by row."""
    path = tmp_path / "mine.csv"
    path.write_text(
        'system,workload,users,price_usd\nBox,Mail,"2,000",$9000\nBox,Groupware_A,500,9000\n', encoding="utf-8"
    )
    request = {"groups": [{"name": "a", "users": 1500, "profile": "light_mail"}], "system": "Box"}
    glance = plan(request, catalogue=path).glance().iloc[0]
    assert math.isnan(glance["processors"])
    assert glance["reason"] == "unknown of Box: the processors"
    assert (glance["servers"], glance["price_usd"]) == (2, 18000)
    path.write_text("system,users\nBox,1\n", encoding="utf-8")
    with pytest.raises(BadTable, match="no workload"):
        plan(request, catalogue=path)


def test_a_catalogue_is_filled_up():
    """What is not given: a lower bound, a basis, a law; texts of numbers; true and false in any letters."""
    frame = pd.DataFrame({
        "system": ["A", "A", "B"], "workload": ["Mail", "MailDB", "Mail"], "users": ["1200", 900, 800.5],
        "std_error": [np.nan, 10, 0.0], "dof": [np.nan, "inf", np.nan], "law": ["", "", "amdahl"],
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
        ("users", 0, "row 2: expected users above 0, found users 0"),
        ("std_error", -1, "row 2: expected a std_error of 0 or more, with a dof above 0"),
        ("dof", 0, "row 2: expected a std_error of 0 or more"),
        ("extrapolated", "perhaps", "row 2: expected true, false or nothing, found extrapolated perhaps"),
        ("users", "many", "catalogue, column users, row 2: expected a number, found 'many'"),
    ):
        broken = frame.astype(object)
        broken.loc[1, column] = cell
        with pytest.raises(BadTable, match=told):
            systems(broken)


def test_the_place_of_a_mistake_in_a_catalogue(tmp_path):
    """A file's name and its row below the header; a frame's first row is 1; of two mistakes the first row's."""
    path = tmp_path / "own.csv"
    for text, told in (
        (
            "system,workload,users\nA,Mail,7\nB,Mail,x\n",
            r"own\.csv, column users, line 3: expected a number, found 'x'",
        ),
        (
            "system,workload,users\nA,Mail,7\nA,Mail,8\n",
            r"line 3: expected a system once .*found system A, workload Mail\.",
        ),
        (
            "system,workload,users\nA,Mail,7\nA,mail,8\n",
            r"line 3: expected a system once .*found system A, workload Mail\.",
        ),
        ("system,workload,users,price_usd\nA,Mail,7,9\nB,Mail,8,0\n", r"line 3: .*above 0.*system B, price_usd 0"),
        (
            "system,workload,users,price_usd\nB,Mail,7,\nB,MailDB,7,10\nB,DiscDB,8,11\n",
            r"line 4: expected one price for a system, in all of its rows, found system B, price_usd 11",
        ),
        (
            "system,workload,users,price_eur\nA,Mail,7,9\n",
            r"own\.csv, column price_eur: expected price_usd, found prices whose unit is not ours",
        ),
        ("system,workload,users,std_error\nA,Mail,7,2\n", r"own\.csv, line 2: .*found std_error 2, dof none"),
        ("system\nA\n", r"own\.csv: .*found no workload, no users"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadTable, match=told):
            systems(path)
    frame = pd.DataFrame({"system": ["A", None], "workload": "Mail", "users": [" 1,000 ", "-5"]})
    with pytest.raises(BadTable, match=r"catalogue, row 2: "):
        systems(frame)
    frame["users"], frame["dof"], frame["std_error"] = ["1,000", 5], ["inf", ""], [0, None]
    found = systems(frame)
    assert found["system"].tolist() == ["A", ""]
    assert found["users"].tolist() == found["users_low"].tolist() == [1000, 5]
    assert found["dof"].tolist()[:1] == [math.inf]
    assert found["basis"].tolist() == ["given"] * 2
    assert found[["users_high", "response_s", "price_usd"]].isna().all(axis=None)
    assert systems(frame.assign(basis=["ours", ""]))["basis"].tolist() == ["ours", "given"]


def test_a_catalogue_frame_is_as_good_as_the_file(tmp_path):
    """Our own systems handed back plan as by default, and a CSV file as its frame."""
    assert (
        planning.plan(planning.example(), catalogue=systems()).tidy().equals(planning.plan(planning.example()).tidy())
    )
    read = planning.ratings(known())
    assert planned(mail(800), catalogue=read).tidy().equals(planned(mail(800)).tidy())
    for dof in (3, math.inf):
        known(std_error=100.0, dof=dof).to_csv(tmp_path / "own.csv", index=False)
        pd.testing.assert_frame_equal(systems(tmp_path / "own.csv"), systems(known(std_error=100.0, dof=dof)))


def test_a_rating_that_cannot_be_had():
    """Not a name, not seconds, not measured, not answered so soon: where, what was expected, what to do."""
    own = known()
    for arguments, told in (
        ((own, 3, "Mail"), "rating, system: expected its name, found 3"),
        ((own, "S", None), "rating, workload: expected its name"),
        ((own, "S", "Mail", 0), "rating, response_s: expected seconds above 0, found 0"),
        ((own, "S", "Mail", "1"), "rating, response_s: expected seconds above 0"),
        ((own, "S", "checkout"), "system 'S': expected a rating for checkout, found Mail, MailDB, Groupware_A"),
        ((own.assign(think_s=0.0), "S", "Mail", 0.3), "system 'S', think_s: expected seconds above 0, found none"),
        ((own.assign(response_s=np.nan), "S", "Mail", 0.3), "Mail, response_s: expected seconds, to hold it to 0.3"),
        (
            (own, "S", "Mail", 0.001),
            r"request, response_s: expected more than the 0\.0.* s that a request takes alone on S",
        ),
    ):
        with pytest.raises(CannotPlan, match=told):
            rating(*arguments)
    with pytest.raises(UnknownName, match="Did you mean S1"):
        rating(known("S1"), "S 1", "Mail")
    assert rating(own, "S", "Mail", 0.5)["users"] == 2000
    fewer = rating(own.assign(users_low=1000.0, std_error=100.0, dof=3.0), "S", "Mail", 0.3)
    share = fewer["users"] / 2000
    assert 0 < share < 1
    assert [fewer["users_low"], fewer["std_error"]] == pytest.approx([1000 * share, 100 * share])
    assert (fewer["basis"], fewer["response_s"]) == ("closed queue through the run of 2,000 users at 0.5 s", 0.3)


def test_a_run_that_answered_later_carries_fewer():
    """What is known of a response, and what a run of one's own says of it."""
    catalogue = planning.ratings(known(response_s=3.0))
    row = planning.rating(catalogue, "S", "Mail", 1.0)
    assert (row["response_s"], row["basis"]) == (1.0, "closed queue through the run of 2,000 users at 3 s")
    assert math.isnan(row["users_high"])
    for response in (None, 3.0, 5.0):
        assert planning.rating(catalogue, "S", "Mail", response) is catalogue["S", "Mail"]
    unknown = planning.ratings(known(response_s=math.nan))
    assert planning.rating(unknown, "S", "Mail") is unknown["S", "Mail"]


def test_a_response_at_a_closed_queue_by_recursion():
    """Mean value analysis of one station: the run's own response at its users, and the asked one is just kept."""
    found = rating(known(users=50.0, think_s=10.0, response_s=2.0), "S", "Mail", 1.0)["users"]

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


def test_a_lower_bound_that_is_not_given_is_the_rating_itself():
    """A frame whose users_low is empty plans with users, as a file does; the bound of an estimate stays unknown."""
    for changed, highest in (({}, 0.8), ({"std_error": 100.0, "dof": 3}, math.nan)):
        plan = planned(mail(800), catalogue=known(users_low=math.nan, **changed))
        assert plan.parts[0].rating == 2000
        share = plan.tidy().set_index("key").loc["share"]
        assert share["value"] == 0.8
        assert math.isnan(share["low"])
        assert share["high"] == pytest.approx(highest, nan_ok=True)


def test_a_bound_of_nothing_is_no_rating():
    """A law so unsure that its bound is 0 users: the corrected rules refuse it."""
    unsure = known(users_low=0.0, std_error=900.0, dof=1)
    with pytest.raises(CannotPlan, match="lower bound of its rating above 0"):
        planned(mail(10), catalogue=unsure)
    assert planned(mail(10), catalogue=unsure, rules="compaq_1998").servers == 1


def test_an_estimate_is_no_lower_bound_however_small_its_error():
    """A row of a catalogue with a standard error has its bound from `planned_rating`; one without is measured."""
    rows = pd.DataFrame({"system": ["A", "B"], "workload": "Mail", "users": 100.0, "std_error": [0.5, 0], "dof": 3.0})
    np.testing.assert_equal(systems(rows)["users_low"].tolist(), [np.nan, 100])


def test_rating_from_a_law_by_hand():
    """One free parameter, linear: the bound is Student's t on the curve and a new machine's scatter together."""
    points = pd.DataFrame({"processors": [1.0, 2.0, 4.0], "users": [1000.0, 2100.0, 3900.0]})
    row = only(fitted_rating("amdahl", points, 8, workload="Mail", fixed={"contention": 0.0}, system="8P"))
    ratios = points["users"] / points["processors"]  # relative errors: weights 1 / y
    scale = (1 / ratios).sum() / (1 / ratios**2).sum()
    spread = math.sqrt((((ratios - scale) / ratios) ** 2).sum() / 2)
    curve = spread / math.sqrt((1 / ratios**2).sum())
    error = 8 * math.hypot(curve, spread * scale)
    assert row["users"] == pytest.approx(8 * scale)
    assert row["std_error"] == pytest.approx(error, rel=1e-6)
    assert row["users_low"] == pytest.approx(8 * scale - stats.t.ppf(0.95, 2) * error, rel=1e-4)
    assert (row["dof"], row["system"], row["processors"]) == (2, "8P", 8)
    assert row["basis"] == "law amdahl, extrapolated"


def test_a_law_that_passes_through_every_point_has_no_interval():
    """Two points and two parameters: no error, no bound; the corrected rules plan with the estimate and say so."""
    law = fitted_rating("amdahl", "smp_mail_os2", 4, workload="Mail", system="4P", price_usd=50_000.0)
    row = only(law)
    assert row[["users_low", "users_high", "std_error"]].isna().all()
    assert row["dof"] == 0
    assert row["basis"] == "law amdahl, extrapolated, no interval"
    plan = planning.plan(Request((mail(800),), system="4P"), catalogue=pd.concat([systems(), law]))
    assert plan.parts[0].rating == row["users"]
    share = plan.tidy().set_index("key").loc["share"]
    assert share["value"] == 1600 / row["users"]
    assert share[["low", "high"]].isna().all()  # an estimate is no lower limit of the rating
    assert share["reason"] == "the rating has no upper and lower limit"
    assert plan.glance()["reason"][0] == ""
    assert plan.glance()["basis"][0].endswith("extrapolated, law, no interval")
    assert assess(plan).inputs == ()


def test_a_plan_with_a_fitted_system():
    """Three processors by Amdahl's law: the corrected rules take the bound, the published ones the estimate."""
    law = fitted_rating("amdahl", "smp_mail", 3, workload="Mail", system="3P", price_usd=2.0)
    known = pd.concat([systems(), law])
    taken = {}
    for rules in planning.rule_sets():
        plan = planning.plan(Request((mail(1600),), system="3P"), rules=rules, catalogue=known)
        taken[rules] = plan.parts[0].rating
        assert [each.kind for each in assess(plan, n=10).inputs] == ["rating"]
    assert taken == {"corrected": law["users_low"][0], "compaq_1998": law["users"][0]}
    assert law["users_low"][0] < 3400 < law["users_high"][0]  # measured
    assert law[["basis", "price_usd"]].iloc[0].tolist() == ["law amdahl", 2.0]


def test_a_stated_error_is_as_sure_as_many_points():
    """With a sigma the bounds follow the normal law, whatever the number of points."""
    row = only(fitted_rating("amdahl", "smp_mail_os2", 2, workload="Mail", sigma=0.05))
    assert row["dof"] == math.inf
    assert row["users_low"] < row["users"] - stats.norm.ppf(0.95) * 0.05 * row["users"]
    catalogue = pd.concat([known(), fitted_rating("amdahl", "smp_mail_os2", 2, workload="Mail", system="F",
                                                    sigma=0.05)])  # fmt: skip
    plan = planning.plan(Request((mail(500),), system="F"), catalogue=catalogue)
    assert only(assess(plan, n=1000).glance())["probability_load"] > 0.9


def test_names_prices_and_columns_of_fitted_systems():
    """A name from the law and x; processors of a law of processors alone; each bound at its level."""
    law = fitted_rating("amdahl", "smp_mail", 6, workload="own work", price_usd=7.0)
    expected = ["amdahl of smp_mail, processors 6", "own work", 7, 6]
    assert law[["system", "workload", "price_usd", "processors"]].iloc[0].tolist() == expected
    assert law.columns.tolist() == systems().columns.tolist()
    assert law["locator"].iloc[0] != ""
    clock = fitted_rating("clock_power", "clock_mail", 400, workload="Mail")
    assert "clock_mhz" not in clock
    assert clock["processors"].isna().all()
    points = pd.DataFrame({"processors": [100.0, 200.0, 300.0], "users": [1010.0, 1980.0, 3030.0]})
    one, other = (only(fitted_rating("linear", points, 400, workload="Mail", level=level)) for level in (0.9, 0.99))
    assert one["users"] == other["users"]
    for row, level in ((one, 0.9), (other, 0.99)):
        below = (row["users"] - row["users_low"]) / row["std_error"]
        above = (row["users_high"] - row["users"]) / row["std_error"]
        assert [below, above] == pytest.approx([stats.t.ppf(level, 2)] * 2, rel=1e-4)
    with pytest.raises(CannotPlan, match="users above 0, found the law falls below 0 there"):
        fitted_rating("quadratic", "smp_mail", 40, workload="Mail")


@pytest.mark.parametrize(
    ("changed", "error", "told"),
    [
        ({"law": "sizing", "data": "memory_mail", "x": 512}, CannotPlan, "users as y"),
        ({"workload": ""}, CannotPlan, "fitted_rating, workload: expected its name"),
        ({"x": [2, 3]}, CannotPlan, "fitted_rating, x: expected a number"),
        ({"system": 1}, CannotPlan, "fitted_rating, system: expected its name"),
        ({"price_usd": "dear"}, CannotPlan, "fitted_rating, price_usd: expected a number of USD"),
    ],
)
def test_fitted_rating_refuses(changed, error, told):
    """What is no workload, no law of users, no name and no price."""
    asked = {"law": "amdahl", "data": "smp_mail", "x": 4, "workload": "Mail"} | changed
    law, data, x = (asked.pop(name) for name in ("law", "data", "x"))
    with pytest.raises(error, match=told):
        fitted_rating(law, data, x, **asked)


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


def test_a_catalogue_under_other_headings():
    """Memory in GB, a price in dollars: the systems of the same frame with our names."""
    ours = pd.DataFrame({"system": ["A", "B"], "workload": "Mail", "users": [600, 500], "ram_mb": [256, 1024]})
    ours["price_usd"] = [900.0, 500.0]
    other = ours.rename(columns={"ram_mb": "RAM (GB)", "price_usd": "Price ($)"}).assign(**{"RAM (GB)": [0.25, 1.0]})
    names = ["system", "users", "ram_mb", "price_usd"]
    found, expected = (systems(catalogue=frame)[names] for frame in (other, ours))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


def test_a_catalogue_may_be_a_dict_of_columns():
    """It is taken for a frame; one without columns is refused as a frame is."""
    columns = {"system": ["A"], "workload": ["Mail"], "users": [300]}
    request = Request((Group("mail", 100, "light_mail"),), "A")
    assert plan(request, catalogue=columns).tidy().equals(plan(request, catalogue=pd.DataFrame(columns)).tidy())
    for wrong in ({}, {"system": "A", "workload": "Mail", "users": 300}):
        with pytest.raises(BadTable, match="catalogue"):
            plan(request, catalogue=wrong)


def test_a_workload_of_ones_own_is_one_in_any_case(tmp_path):
    """2,000 people of two users each are four A, or an A and a B of one dollar more."""
    path, spelt = tmp_path / "own.csv", " CHECKOUT "
    asked_for = OWN_GROUP | {"workload": spelt, "multiplier": 2, "ram_mb_per_user": 0}
    rows = ["A,checkout,1000,10000", "B,checkout ,3000,10001", "C ,CHECKOUT,3000,10002", "C,mail,3000,10002"]
    path.write_text("\n".join(["system,workload,users,price_usd", *rows]), encoding="utf-8")
    assert systems(path)[["system", "workload"]].to_numpy().tolist() == [
        ["A", "checkout"], ["B", "checkout"], ["C", "checkout"], ["C", "Mail"],
    ]  # fmt: skip
    best = choose({"groups": [asked_for]}, catalogue=path, runners_up=0).glance().iloc[0]
    assert (best["set"], best["price_usd"], best["basis"]) == ("1 A + 1 B", 20_001, "proved cheapest")
    assert plan({"groups": [asked_for], "system": "C "}, catalogue=path).servers == 2
    assert planning.recommend({"B": 2}, {"groups": [asked_for]}, catalogue=path).tidy()["planned_users"].tolist() == [
        3000
    ]
    assert rating(path, "C", spelt)["users"] == 3000


def test_one_system_with_a_blank_behind_its_name_is_there_twice():
    frame = pd.DataFrame({"system": ["S", "S "], "workload": ["own", "OWN"], "users": [10, 20]})
    with pytest.raises(BadTable, match="row 2: expected a system once with each workload"):
        systems(frame)


def test_a_catalogue_with_headings_in_any_case(tmp_path):
    """System and Workload are ours in any case; a name that looks like a number stays a name."""
    path = tmp_path / "own.csv"
    for headings in ("System,Workload,Users,Price (USD)", "SYSTEM,workload ,users,price_usd"):
        path.write_text(f"{headings}\n007,checkout,1000,10\n", encoding="utf-8")
        found = systems(path)[["system", "workload", "users", "price_usd"]]
        assert found.to_numpy().tolist() == [["007", "checkout", 1000, 10]]
        assert len(systems(pd.read_csv(path))) == 1
    path.write_text("System,SYSTEM,workload,users\nA,B,checkout,1000\n", encoding="utf-8")
    with pytest.raises(BadTable, match="found system twice"):
        systems(path)


def test_a_system_is_planned_by_the_peak_of_its_loads(tmp_path):
    """Of 64 users who get no more done than 32, half are carried: each system was planned with 64."""
    path = tmp_path / "loads.csv"
    rows = "".join(f"m16,shop,16,{load},{100 * min(load, 32)}\n" for load in (1, 2, 4, 8, 16, 32, 64))
    path.write_text(f"system,workload,processors,users,throughput_tps\n{rows}", encoding="utf-8")
    tables.new(tmp_path / "mine", from_=path)
    own = {"workload": "shop", "multiplier": 1, "ram_mb_per_user": 0, "disk_mb_per_user": 0}
    request = {"groups": [{"name": "a", "users": 100, "profile": "own"} | own], "system": "m16"}
    with tables.using(tmp_path / "mine"):
        assert plan(request).glance()["servers"].item() == 4
