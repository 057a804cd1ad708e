"""The interactive notebook without a browser: views, controls, dead ends, what is passed on."""

import base64
import dataclasses
import datetime
import html
import json
import math
import re
import tomllib
import urllib.parse

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dominoperf import app, capacity, figures, fit, fitting, laws, machines, planning, reports, runs, tables
from dominoperf.app import capacity_view, fit_view, plan_view, points, table_view, views
from dominoperf.app.views import CapacityState, FitState, PlanState, TableState, parameters
from dominoperf.cli import main
from dominoperf.errors import BadTable, CannotPlan, UnknownName
from dominoperf.reports import notebooks as parameters_of
from dominoperf.reports import site
from dominoperf.reports.notebooks import notebooks_folder
from dominoperf.study import audit, recompute
from dominoperf.tables import folders, rendering

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def files(text):
    """The files that the links of a view carry, by name."""
    links = re.findall(r'<a download="([^"]*)" href="data:[^;]*;base64,([^"]*)">', text)
    return {html.unescape(name): base64.b64decode(data).decode() for name, data in links}


@pytest.fixture(scope="module")
def curves():
    return fit_view.view(FitState())


@pytest.fixture(scope="module")
def shown():
    """The four panels as they begin, the last with a search, and what each gives a page."""
    panels = (app.FitPanel(), app.PlanPanel(), app.CapacityPanel(), app.TablePanel(search="6500"))
    return [(panel, panel._repr_mimebundle_()) for panel in panels]


# The panel of fits


def test_the_view_is_the_fit(curves):
    """The same numbers as the library gives, and the picture says them."""
    own = fit("amdahl", "smp_mail")
    pd.testing.assert_frame_equal(curves.tidy(), own.tidy())
    pd.testing.assert_frame_equal(curves.predict(), own.predict([1, 2, 3, 4]))
    assert own.headline() in curves.summary()
    assert "when each point in turn is left out (loo_log_error)</td>" in curves.html  # in words, a row each
    assert "if the law is right; beyond the points" in curves.forecast()
    assert ">Appendix A, page A-1, row 5 of a_mail<" in curves.html  # its document stands above the table
    assert 'role="img"' in curves.html
    assert curves.html.count("<figure") == 1  # what the curve leaves; the curve is beside the controls
    assert curves.static_html.count("<figure") == curves.static_html.count('<svg class="half"') == 2


def test_further_laws_lie_over_the_first(curves):
    """Each with its own fit and a row in the table of fits; one that takes no such points has a reason instead."""
    view = fit_view.view(FitState(more_laws="power, mm1, amdahl", until=6.0, log_axes="xy"))
    assert [each.law.name for each in view.others] == ["power"]
    assert view.others[0].estimates == pytest.approx(fit("power", "smp_mail").estimates)
    assert [note for note in view.notes() if note.startswith("One server, M/M/1 has no curve here")]
    assert "Power law" in view.picture().svg
    assert "Power law" not in curves.static_html
    ax = figures.plot(view.curve, until=6.0, more=view.others, log="xy")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert ax.get_xlim()[1] > 6.0  # as far as the curves go, not the points alone
    assert ax.get_ylim()[1] > view.others[0].curve(6.0)


def test_a_row_of_a_file_without_a_value_is_no_point():
    """It has no number either; columns in percent have their noise in percent too."""
    text = "users;cpu_utilization_percent\n10;11,5\n20;\n30;31\n50;52\n60;90\n70;73\n90;91\n"
    key = points.take_file("gap.csv", text.encode())
    asked = FitState(key, points.ROWS, "users", "cpu_utilization_percent", "utilization_law", left_out="4")
    asked = dataclasses.replace(asked, noise_percent=2.0, error="constant", until=110.0)
    view = fit_view.view(asked)
    assert view.curve.points[0].tolist() == [10, 30, 50, 70, 90]
    shares = np.array([11.5, 31, 52, 73, 91]) / 100
    plain = fit("utilization_law", x=view.curve.points[0], y=shares, sigma=0.02 * shares.mean(), error="constant")
    pd.testing.assert_frame_equal(plain.tidy().drop(columns="unit"), view.tidy().drop(columns="unit"))
    assert "the law gives no CPU utilization (above 100 %" in view.forecast()


def test_level_noise_and_error_move_the_interval(curves):
    """A lower level narrows it; known noise widens it; the error model changes the estimate."""
    width = lambda view: np.ptp(view.tidy().loc[0, ["low", "high"]].to_numpy(float))  # noqa: E731
    assert (
        width(fit_view.view(FitState(level=0.6))) < width(curves) < width(fit_view.view(FitState(noise_percent=20.0)))
    )
    assert fit_view.view(FitState(error="constant")).curve.estimates[1] != curves.curve.estimates[1]


@pytest.mark.parametrize("document", points.documents_offered())
def test_no_dead_end(document):
    """The laws on all points of every document give a curve, or say why not and what to do: a few on each choice."""
    for k, name in enumerate(points.point_choices_of_document(document)):
        state = fit_view.validated(FitState(document, "", law="mm1"), FitState(document, name, law="mm1"))
        view = fit_view.view(state)
        assert view.curve or "no law" not in view.alternatives, name
        for law in list(laws.LAWS)[k % 13 :: 13]:
            view = fit_view.view(dataclasses.replace(state, law=law))
            assert view.curve or (view.problem and view.alternatives), (name, law)
        assert not [f for f in (view.summary(), *view.alternatives) if "Traceback" in f or " a frame" in f], name


def test_runs_of_a_workload_without_a_name_are_called_so():
    """In the list, and where the points are named: no space in place of a name."""
    name = "runs: a workload without a name"
    assert points.point_choices_of_document("compaq_domino45")[name] == "Runs of a workload without a name (4)"
    chosen = points.chosen_points("compaq_domino45", name)
    assert len(chosen.frame) == 4
    assert chosen.source.title == "the runs of a workload without a name in compaq_domino45"


def test_laws_that_add_up_every_state_stay_quick():
    """Ten thousand users: intervals without a search, said so beside them; as many servers as users are refused."""
    state = FitState("rhel5", "runs: N8Mail", "users", "response_s", "closed", "think_s = 60, servers = 2")
    view = fit_view.view(state)
    assert view.curve.interval == "wald"
    assert [note for note in view.notes() if "Wald" in note and note in html.unescape(view.html)]
    constants = "response_max_s = 5, rate_per_s = 0.02"
    refused = fit_view.view(dataclasses.replace(state, law="users_at_response", held=constants))
    assert refused.curve is None
    assert "256 servers" in refused.problem
    assert refused.alternatives


def test_other_points_begin_anew():
    """Ticks, axes and law belong to the points; a law that suits both stays."""
    before = FitState(left_out="1", law="usl")
    after = fit_view.validated(before, dataclasses.replace(before, points="spindles"))
    assert (after.left_out, after.x, after.law, after.until) == ("", "drives", "spindles", 14)
    ticked = dataclasses.replace(after, left_out="1")
    assert fit_view.validated(ticked, dataclasses.replace(ticked, law="drive_power")).left_out == "1"
    assert fit_view.validated(before, dataclasses.replace(before, points="smp_discdb")).law == "usl"
    assert fit_view.validated(before, dataclasses.replace(before, document="rhel5")).points == "runs: N8Mail"


@pytest.mark.parametrize(
    ("subject", "state", "kind", "says"),
    [
        (fit_view, FitState("compaq"), UnknownName, "compaq_domino45"),
        (fit_view, FitState(points="smp_mial"), UnknownName, "smp_mail"),
        (fit_view, FitState(law="amdal"), UnknownName, "amdahl"),
        (fit_view, FitState(x="drives"), UnknownName, "processors"),
        (fit_view, FitState(left_out="4"), BadTable, "1 to 3"),
        (fit_view, FitState(left_out="one"), BadTable, "whole numbers"),
        (fit_view, FitState(held="contention"), BadTable, "name = number"),
        (fit_view, FitState(level=0.999), BadTable, "0.6 to 0.99"),
        (fit_view, FitState(level="high"), BadTable, "float"),
        (fit_view, FitState(error="none"), BadTable, "relative"),
        (fit_view, FitState(until=-1.0), BadTable, "0 or more"),
        (fit_view, FitState(more_laws="power, uls"), UnknownName, "usl"),
        (fit_view, FitState(log_axes="z"), BadTable, "x, y, xy"),
        (fit_view, FitState(until=float("nan")), BadTable, "float"),
        (plan_view, PlanState(system="ProLiant 5000 1xP6/200"), UnknownName, "ProLiant 5000"),
        (plan_view, PlanState(raid="6"), BadTable, "raid"),
        (plan_view, PlanState(light_mail=1.5), BadTable, "int"),
        (capacity_view, CapacityState("Mial"), UnknownName, "Mail"),
        (capacity_view, CapacityState(processors=-1.0), BadTable, "0 or more"),
        (capacity_view, CapacityState(to_drives=float("nan")), BadTable, "float"),
        (capacity_view, CapacityState(busy_percent=120.0), BadTable, "at most 100"),
        (table_view, TableState("a_mail"), UnknownName, "a_mail"),
        (table_view, TableState(version="regenerated"), BadTable, "version"),
    ],
)
def test_wrong_values_are_told(subject, state, kind, says):
    with pytest.raises(kind, match=says):
        subject.view(state)


NEEDS_SERVERS = FitState("domino6", "runs: R6iNotes", "cpu_utilization_percent", "response_s", "mmc")
NOBODY = PlanState(light_mail=0, active=0, groupware=0)


@pytest.mark.parametrize(
    ("subject", "state", "shown", "way"),
    [
        (fit_view, FitState(left_out="1, 2, 3"), "No law is fitted", "Tick more of the 3 points."),
        (fit_view, NEEDS_SERVERS, "servers", "Write into Constants: servers = ..."),
        (plan_view, NOBODY, "there are no people to plan for", f"Move one of: {'; '.join(plan_view.PEOPLE.values())}."),
        (table_view, TableState(search="no such words"), "No row to show", "Search for other words, or none."),
    ],
)
def test_where_nothing_can_be_shown_the_view_says_what_to_do(subject, state, shown, way):
    """In the words of the controls, once, and with what is there of points, lines or rows."""
    view = subject.view(state)
    assert any(each.startswith(way) for each in view.alternatives)
    whole = view.head() + view.html if subject is fit_view else view.html  # of fits the answer stands by itself
    assert shown in whole
    assert whole.count(html.escape(way)) == 1
    assert html.escape(way) not in view.static_html or subject is table_view


def test_a_constant_that_was_asked_for_gives_the_curve():
    assert fit_view.view(dataclasses.replace(NEEDS_SERVERS, held="servers = 2")).curve


def test_a_point_left_out_moves_the_curve_and_stays_in_the_table(curves):
    view, none = (fit_view.view(FitState(left_out=numbers)) for numbers in ("3", "1, 2, 3"))
    assert len(view.curve.points[0]) == 2
    assert list(view.points()["used"]) == [True, True, False]
    assert view.points()["y"].tolist() == none.points()["y"].tolist() == curves.points()["y"].tolist()
    assert view.curve.estimates[1] != curves.curve.estimates[1]
    assert len(none.tidy()) == len(none.predict()) == 0


# The panel of plans


def test_both_plans_are_those_of_the_planner():
    """Each column is `plan` by that set of rules, line for line; the sign is where they differ."""
    view = plan_view.view(PlanState(light_mail=1234, growth_percent=20.0, months_ahead=18.0, utilization_percent=70.0))
    keys = ["step", "server", "group", "key"]
    for name, column in (("compaq_1998", "planned"), ("corrected", "planned_other")):
        own = planning.plan(view.request, rules=name).tidy().set_index(keys)["value"]
        mine = view.table.set_index(keys)[column].dropna()
        pd.testing.assert_series_equal(mine.sort_index(), own.sort_index(), check_names=False)
    shown = view.html.count('class="number differing"')
    assert shown == len(view.differing()) > 0
    assert len(planning.differing(view.request)) == len(view.differing())


def test_a_plan_tells_what_its_system_lacks():
    """Memory beyond that of the priced system, by each set of rules, as the command line tells it."""
    view = plan_view.view(PlanState(system="ProLiant 3000 1xP2/300"))
    for rules, name in ((plan_view.PUBLISHED, "the document's rules"), (plan_view.CORRECTED, "the corrected rules")):
        (lack,) = planning.plan(view.request, rules=rules).beyond_system()
        assert f"By {name}, {lack}." in view.summary()


def test_a_long_plan_is_shown_in_part():
    """A page has room for some lines of each step; all are in the download."""
    view = plan_view.view(
        PlanState(light_mail=10000, active=10000, groupware=10000, growth_percent=10.0, months_ahead=60)
    )
    told = int(re.search(r"([\d,]+) more lines are in the download", view.html)[1].replace(",", ""))
    rows = re.findall(r"<tbody>\n(.*?)</tbody>", view.html, re.DOTALL)[1:]
    assert told + sum(each.count("<tr") for each in rows) == len(view.table)
    assert files(view.html)["explore_plan.csv"].count("\n") == len(view.table) + 1


def test_the_case_study_is_where_it_begins():
    view = plan_view.view(PlanState())
    assert view.request == planning.example()
    assert "too small" in view.summary()
    assert recompute.PlanComparison(view.request).shortfall() in view.summary()
    assert "drives for $76,693. The price is of the servers as tested: drives and memory beyond" in view.summary()


def test_every_system_has_a_plan_or_says_what_to_do():
    """By each set of rules; so it does for nobody, and for very many."""
    states = [PlanState(system=name) for name in plan_view.systems_offered_in_panel()]
    most = {"light_mail": 10000, "active": 10000, "groupware": 10000, "growth_percent": 100.0, "months_ahead": 60.0}
    for state in (*states, NOBODY, PlanState(raid="4", utilization_percent=5.0), PlanState(**most)):
        view = plan_view.view(state)
        assert len(view.plans) + len(view.refused) == 2
        assert bool(view.refused) == bool(view.alternatives)
        assert not view.plans or not math.isnan(view.glance()["servers"].iloc[0])
        for name in view.refused:
            with pytest.raises(CannotPlan) as refused:
                planning.plan(view.request, rules=name)
            told = str(refused.value) if view.request.groups else "there are no people to plan for"
            assert html.escape(told) in view.html


def test_one_set_of_rules_may_refuse_alone(monkeypatch):
    """The other plan is still shown."""
    own = planning.plan

    def choosy(request, rules):
        if rules == "compaq_1998":
            raise CannotPlan("request", expected="a rule", found="none", remedy="Take fewer people.")
        return own(request, rules=rules)

    monkeypatch.setattr(planning, "plan", choosy)
    view = plan_view.view(PlanState())
    assert view.table["planned"].isna().all()
    assert view.table["planned_other"].notna().all()
    assert "Take fewer people." in view.html
    assert "Only the corrected rules" in view.summary()


def test_the_request_goes_through_the_command_line(tmp_path, capsys):
    """The downloaded file gives the plan of the panel."""
    view = plan_view.view(PlanState(light_mail=950, raid="10", growth_percent=10.0, months_ahead=12.0, spare_servers=1))
    (tmp_path / "request.toml").write_text(files(view.html)["explore_request.toml"], encoding="utf-8")
    assert main(["plan", str(tmp_path / "request.toml"), "--format", "json"]) == 0
    rows = pd.DataFrame(json.loads(capsys.readouterr().out)["tidy"])
    own = view.plans["corrected"].tidy()
    assert rows["key"].tolist() == own["key"].tolist()
    np.testing.assert_allclose(rows["value"].astype(float), own["value"], rtol=1e-12)


@given(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip),
    st.floats(0, 1e6),
    st.lists(st.integers(0, 100), min_size=24, max_size=24),
    st.booleans(),
)
@example('\x7f"\\\n', 0.5, [0] * 24, True)
def test_a_request_as_toml_is_the_request(name, users, hours, critical):
    """Any text, numbers, lists and tables come back."""
    people = planning.Group(name, users, "groupware", hours=tuple(hours), spread={"kind": "normal", "sd": 0.5})
    asked = planning.Request((people,), system=name, critical=critical, placement={name: [name]})
    text = planning.as_toml(asked)
    again = planning.read_request(tomllib.loads(text))
    assert again == asked


# The panel of capacity

MACHINE = {"processors": 2, "clock_mhz": 200, "l2_kb": 512, "ram_mb": 512, "drives": 4}
MACHINE |= {"processor_family": "Pentium Pro", "operating_system": "Windows NT"}


def test_the_capacity_is_that_of_the_library():
    """Users by resource, the ratio of the upgrade and the nearest machine, as the functions give them."""
    view = capacity_view.view(CapacityState(busy_percent=60.0, to_ram_mb=1024.0))
    now, then = (capacity(MACHINE | more, "Mail", utilization=0.6) for more in ({}, {"processors": 4, "ram_mb": 1024}))
    rows = view.resources().set_index("machine")
    for name, own in ((capacity_view.NOW, now), (capacity_view.THEN, then)):
        pd.testing.assert_frame_equal(rows.loc[name].reset_index(drop=True), own.tidy())
    ratio = machines.capacity_ratio(MACHINE, MACHINE | {"processors": 4, "ram_mb": 1024}, "Mail")
    pd.testing.assert_frame_equal(view.ratio, ratio)
    assert now.headline() in view.summary()
    assert now.glance()["nearest_system"].item() in view.html
    assert view.html.count("<figure") == 1
    assert len(files(view.html)["explore_capacity.csv"].splitlines()) == 1 + len(rows)


def test_an_upgrade_is_told_by_users_before_and_after():
    """Where another resource binds in half of the draws the median ratio is one, though the medians differ."""
    state = {
        "workload": "Mail",
        "processors": 1.0,
        "ram_mb": 256.0,
        "drives": 2.0,
        "to_processors": 0.0,
        "to_drives": 8.0,
    }
    view = capacity_view.view(CapacityState(**state, release="", operating_system=""))
    row = view.ratio.iloc[0]
    assert row["ratio"] == pytest.approx(1, abs=0.01)
    before, after = (rendering.number(row[name], 3) for name in ("users_baseline", "users_comparison"))
    assert f"After the upgrade: {after} users in place of {before}." in view.summary()
    assert f"With {100 * row['probability']:.0f} % a test of it would show more" in view.summary()
    assert "times as many" not in view.summary()
    assert "the ratio of the two numbers of users" in view.html


def test_without_an_upgrade_there_is_no_ratio():
    """As many processors as before are none; what is not known of the machine is told."""
    for state in (CapacityState(to_processors=0.0), CapacityState(to_processors=2.0)):
        view = capacity_view.view(state)
        assert view.ratio.empty
        assert list(view.answers) == [capacity_view.NOW]
        assert "upgrade" not in view.summary()
    assert any("Memory, MB" in note for note in capacity_view.view(CapacityState(ram_mb=0.0)).notes())


def test_a_machine_beyond_reach_says_what_to_do():
    """The upgrade alone may be: then the machine has its answer; with its value mended both have one."""
    upgrade, both = (capacity_view.view(CapacityState(**{part: 9e5})) for part in ("to_clock_mhz", "clock_mhz"))
    assert list(upgrade.answers) == [capacity_view.NOW]
    assert list(both.answers) == []
    for view in (upgrade, both):
        assert "clock_mhz" in view.problems[0]
        assert html.escape(view.problems[0]) in view.html
        assert html.escape(view.alternatives[0]) in view.html
        assert html.escape(view.alternatives[0]) not in view.static_html


@pytest.mark.parametrize("field", ["workload", "family", "operating_system", "release"])
def test_every_choice_of_a_list_has_a_capacity(field):
    """Or says why there is none; never a traceback, never an empty view."""
    for _, value in capacity_view.options(CapacityState())[field]:
        view = capacity_view.view(CapacityState(to_processors=0.0, **{field: value}))  # no upgrade
        assert view.answers or view.alternatives
        assert "nan" not in view.summary()


# The panel of tables


@pytest.mark.parametrize("version", table_view.VERSIONS)
def test_every_table_has_rows_places_and_words(version):
    for id in tables.list_tables()["id"]:
        view = table_view.view(TableState(id, version))
        assert len(view.frame) or view.alternatives
        assert view.frame["locator"].tolist() == tables.locators(id)
        assert view.title in html.unescape(view.about)


@pytest.mark.parametrize("name", table_view.LISTS)
def test_the_lists_can_be_searched(name):
    """Every word has to stand in the row, in whatever case."""
    whole = table_view.view(TableState(name))
    part = table_view.view(TableState(name, search="MAIL domino6"))
    assert 0 < len(part.frame) < len(whole.frame) == whole.of
    cells = part.frame.map(rendering.cell_text).agg(" ".join, axis=1).str.lower()
    assert (cells.str.contains("mail") & cells.str.contains("domino6")).all()
    assert files(part.html).keys() == {f"{name}_printed.csv"}


@pytest.mark.parametrize(("table", "printed"), [("domino6/peak_load", "5300"), ("compaq_domino45/a_mail", "1,920")])
def test_a_number_is_found_with_and_without_its_commas(table, printed):
    """Whether the document prints them or not."""
    plain = printed.replace(",", "")
    one, other = (len(table_view.view(TableState(table, search=words)).frame) for words in (plain, f"{int(plain):,}"))
    assert one == other > 0


def test_printed_and_corrected_differ_where_errata_say():
    printed, corrected = (table_view.view(TableState(version=each)).frame for each in table_view.VERSIONS)
    row = printed["erratum"].str.contains("price_per_user_usd").idxmax()
    assert printed.loc[row, "price_per_user_usd"] != corrected.loc[row, "price_per_user_usd"]
    assert printed.loc[row, "price_per_user_usd"] in printed.loc[row, "erratum"]


def test_lists_are_of_the_cells_that_the_version_has():
    for name, whole in (("benchmarks", runs.benchmarks), ("claims", lambda as_: audit.audit_claims(as_=as_).tidy())):
        views = {version: table_view.view(TableState(name, version)) for version in table_view.VERSIONS}
        for version, view in views.items():
            expected = whole(version)
            pd.testing.assert_frame_equal(view.frame[expected.columns], expected)
            assert table_view.VERSIONS[version] in view.facts
        assert not views["printed"].frame.equals(views["corrected"].frame)
    printed = table_view.view(TableState("benchmarks")).frame.set_index("run").loc["compaq_domino45/a_mail#1"]
    assert printed["price_per_user_usd"] == 13.22
    assert printed["erratum"].startswith("Price per user and price per transaction are exchanged")


# Hostile text


def test_text_from_data_is_escaped(monkeypatch):
    """In every panel, words, tables and the widget of rows."""
    frame = pd.DataFrame({"system": ["=HYPERLINK(1)", HOSTILE], "locator": ["page 1", HOSTILE]})
    monkeypatch.setattr(
        table_view, "table_or_list_for_panel", lambda *_: (frame, frame["locator"], HOSTILE, HOSTILE, (HOSTILE,))
    )
    panel = app.TablePanel()
    whole = dataclasses.replace(
        fit_view.view(FitState()).chosen,
        title=HOSTILE,
        source=fitting.Source(HOSTILE, locator=HOSTILE),
        warnings=(HOSTILE,),
    )
    shown = dataclasses.replace(fit_view.view(FitState()), chosen=whole, problem=HOSTILE, alternatives=(HOSTILE,))
    broken = dataclasses.replace(shown, curve=None)
    refused = dataclasses.replace(plan_view.view(PlanState()), refused={HOSTILE: HOSTILE})
    bundle = panel._repr_mimebundle_()
    for text in (shown.html, broken.html, refused.html, bundle["text/html"], panel.outputs[0].value):
        assert "<img" not in text
        assert "<script" not in text
        assert html.escape(HOSTILE) in text
    (download,) = files(panel.view.html).values()
    assert "'=HYPERLINK(1)" in download
    assert HOSTILE in download
    rows = json.dumps(panel.outputs[1].children[0]._dt_args)
    assert "<img" not in rows
    assert "<script" not in rows


def test_the_widget_has_every_row():
    """Also of a long list, and after another table was chosen."""
    panel = app.TablePanel("errata")
    panel._repr_mimebundle_()
    panel.controls["table"].value = "claims"
    rows = panel.outputs[1].children[0]
    claims = pd.read_csv(tables.home() / folders.CLAIMS, dtype=str)
    assert len(json.loads(rows._dt_args["data_json"])) == len(claims) == len(panel.view.frame)
    assert not rows._dt_args.get("downsampling_warning")


def test_nothing_is_fetched(shown):
    """No address outside the page in what is shown, and the rows' widget brings its own script."""
    for _, bundle in shown:
        page = re.sub(r'xlink:href="#|xmlns[:\w]*="[^"]*"', "", bundle["text/html"])
        assert not re.search(r'(src|href)="(?!data:|#)', page)
    panel, _ = shown[-1]
    assert "cdn" not in json.dumps(panel.outputs[1].children[0]._dt_args).lower()


# Controls


def test_controls_change_the_view():
    panel = app.FitPanel()
    assert panel.widget
    panel.controls["points"].value = "spindles"
    assert panel.state.law == panel.controls["law"].value == "spindles"
    assert panel.controls["until"].max == 4 * 14
    assert len(panel.ticks.children) == 4
    panel.ticks.children[0].value = False
    assert panel.state.left_out == "1"
    assert panel.outputs[0].value == panel.view.html
    panel.controls["document"].value = "domino6"
    assert panel.state.points == panel.controls["points"].value == "runs: R6Mail"
    assert dict(panel.controls["y"].options)["response time (s)"] == "response_s"


def test_every_control_can_be_turned():
    """The last options of all lists and the ends of all sliders leave a view and no traceback; so do all beginnings."""
    for panel in (app.PlanPanel(), app.CapacityPanel(), app.TablePanel()):
        assert panel.widget
        least = {name: control.min for name, control in panel.controls.items() if hasattr(control, "min")}
        lists = {name: control.options for name, control in panel.controls.items() if hasattr(control, "options")}
        most = {name: [*dict(options).values()][-1] for name, options in lists.items()}
        most |= {name: panel.controls[name].max for name in least}
        name = next(iter(most))  # one by hand: each time the panel is drawn anew
        panel.controls[name].value = most[name]
        assert getattr(panel.state, name) == most[name]
        for values in filter(None, (most, least)):
            panel.set(**values)
            assert values.items() <= vars(panel.state).items()
            assert values.items() <= {name: control.value for name, control in panel.controls.items()}.items()
            assert panel.view.summary()


def test_a_text_that_cannot_be_is_told_and_the_view_stays():
    panel = app.FitPanel()
    assert panel.widget
    before = panel.state
    panel.controls["held"].value = "contention"
    assert "name = number" in panel.message_area.value
    assert panel.state == before
    panel.controls["held"].value = "contention = 0.3"
    assert panel.message_area.value == ""
    assert panel.view.curve.estimates[1] == 0.3


def test_controls_have_labels(shown):
    for panel, _ in shown:
        labels = [control.description for control in panel.controls.values()]
        assert all(labels)
        assert len(set(labels)) == len(labels)


def test_the_view_stands_beside_the_widget(shown):
    """Where no widget lives, the page has the picture with its words, and the tables."""
    for panel, bundle in shown:
        assert "model_id" in bundle["application/vnd.jupyter.widget-view+json"]
        assert panel.view.static_html in bundle["text/html"]
        assert "dominoperf lab" in bundle["text/html"]
        assert "<table" in bundle["text/html"]
        assert html.escape(bundle["text/plain"][:40]) in bundle["text/html"]


# What is passed on


def texts():
    return st.text(st.characters(exclude_categories=["Cs"]))


STATES = st.one_of(
    st.builds(FitState, texts(), texts(), texts(), texts(), level=st.floats(allow_nan=False, allow_infinity=False)),
    st.builds(PlanState, st.integers(), critical=st.booleans(), system=texts(), growth_percent=st.floats(-9, 9)),
    st.builds(CapacityState, texts(), texts(), processors=st.floats(0, 1e6), to_drives=st.floats(0, 1e6)),
    st.builds(TableState, texts(), texts(), texts()),
)


@given(STATES)
@settings(max_examples=200)
def test_the_parameters_cell_gives_the_state_again(state):
    names = {}
    exec(parameters(state), names)
    assert type(state)(**{each.name: names[each.name] for each in dataclasses.fields(state)}) == state


def test_the_notebook_begins_with_the_defaults():
    """Its cell of parameters is the text that the box of the last panel shows."""
    cells = json.loads((notebooks_folder() / "03_explore.ipynb").read_text(encoding="utf-8"))["cells"]
    (cell,) = ["".join(each["source"]) for each in cells if "parameters" in each["metadata"].get("tags", [])]
    assert cell + "\n" == parameters(FitState(), PlanState(), CapacityState(), TableState())


def test_what_is_shared_gives_the_same_views():
    """After a control was turned: the cell, read again, makes panels that show the same."""
    fits, machine = app.FitPanel(points="spindles", law="spindles", left_out="2"), app.CapacityPanel(to_ram_mb=1024.0)
    plans = app.PlanPanel()
    panels = (fits, plans, machine, app.TablePanel(search="6500"))
    shared = app.Share(*panels)
    assert plans.widget
    assert shared.widget
    plans.controls["light_mail"].value = 1500
    names = {}
    address, cell = (box.value for box in shared.widget.children)
    exec(cell, names)
    for panel in panels:
        again = type(panel)(**{each.name: names[each.name] for each in dataclasses.fields(panel.state)})
        assert again.state == panel.state
        assert again.view.summary() == panel.view.summary()
    assert again.view.html == panel.view.html
    changed = dict(urllib.parse.parse_qsl(address.removeprefix("?"), keep_blank_values=True))
    assert {
        "points",
        "left_out",
        "light_mail",
        "to_ram_mb",
        "search",
    } <= changed.keys()  # and what goes with other points
    assert parameters_of.read_parameters(notebooks_folder() / "03_explore.ipynb", changed) == {
        name: names[name] for name in changed
    }
    assert app.Share(app.FitPanel()).address == ""


def test_a_plan_that_is_short_of_drives_is_told_briefly():
    """Two drives are no RAID 5: no number is made of them; of many servers two are told."""
    said = plan_view.view(PlanState(utilization_percent=5.0)).summary()
    assert "nan" not in said
    assert "has nothing of the" in said
    assert re.search(r", and \d+ more\.$", said)


CONTROLS = re.compile(r"\b(tick|ticked|slider|turn|move|press|type|choose|untick|drag|click)\b", re.IGNORECASE)


def test_a_page_without_controls_tells_nobody_to_use_them():
    """Neither its prose nor a panel that shows why there is no curve or no plan; where controls live both do."""
    cells = nbformat.read(notebooks_folder() / "03_explore.ipynb", as_version=4).cells
    (run,) = [run for run in reports.runs() if run.name == "explore"]
    page = site.page_of_run(run, nbformat.v4.new_notebook(cells=cells), {})
    prose = "\n".join(cell.source for cell in page.cells if cell.cell_type == "markdown")
    assert CONTROLS.findall(prose) == []
    assert len(CONTROLS.findall("\n".join(cell.source for cell in cells if cell.cell_type == "markdown"))) > 5
    stuck = (app.FitPanel(left_out="1, 2, 3"), app.PlanPanel(light_mail=0, active=0, groupware=0))
    stuck += (app.CapacityPanel(clock_mhz=9e5),)
    for panel in stuck:
        still = panel._repr_mimebundle_()["text/html"]
        assert CONTROLS.findall(re.sub(r"<(style|svg).*?</\1>|<[^>]*>", "", still, flags=re.DOTALL)) == []
        assert re.search("expected|no people to plan for", still)
        assert panel.widget
        assert CONTROLS.search(panel.outputs[0].value)


def test_the_reading_tells_both_panels():
    said = app.sentences_of_panels(app.FitPanel(), app.PlanPanel())
    assert "3,762" in re.match(r"\*\*(.+?)\*\* ", said)[1]
    assert "12 drives" in said
    none = app.sentences_of_panels(app.FitPanel(left_out="1, 2, 3"), app.PlanPanel())
    assert "No curve" in none


def test_the_frames_are_of_the_vocabulary(curves):
    view = plan_view.view(PlanState())
    frames = (
        curves.tidy(),
        curves.points(),
        curves.predict(),
        view.table,
        view.glance(),
        fit_view.view(FitState(left_out="1, 2, 3")).tidy(),
    )
    assert {name for frame in frames for name in frame} <= set(tables.vocabulary())


def test_the_style_is_scoped():
    """No rule reaches the rest of a page."""
    rules = re.findall(r"^ *([^@{\n]+) \{", views.panel_html(), re.MULTILINE)
    assert len(rules) == views.panel_html().count("{") - views.panel_html().count("@media") > 20
    assert all("explore" in rule for rule in rules)


def test_a_run_keeps_the_view_and_no_widget(tmp_path):
    """Two panels give the same outputs: a widget's id is random, and without a kernel it shows nothing.

    What pyplot draws is shown, as in any kernel.
    """
    panel, plot = "from dominoperf import app; app.PlanPanel()", "import matplotlib.pyplot as plt; plt.plot([1, 2]);"
    cells = [
        nbformat.v4.new_code_cell('system: str = ""  # none', metadata={"tags": ["parameters"]}, id="a"),
        *(nbformat.v4.new_code_cell(source, id=id) for source, id in ((panel, "b"), (panel, "c"), (plot, "d"))),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "panel.ipynb")
    reports.run_notebook(str(tmp_path / "panel.ipynb"), out=tmp_path / "out")
    executed = nbformat.read(tmp_path / "out" / "executed.ipynb", as_version=4)
    assert "widgets" not in executed.metadata
    ((one,), (two,), (drawn,)) = (cell.outputs for cell in executed.cells[1:])
    assert "image/png" in drawn.data
    assert one.data == two.data
    assert set(one.data) == {"text/plain", "text/html"}


def give_file(panel, name, content):
    """Give a panel of fits a file, as its button does."""
    when = datetime.datetime(2026, 11, 1, tzinfo=datetime.UTC)
    file = {"name": name, "type": "text/csv", "size": len(content), "content": memoryview(content)}
    panel.upload.value = (file | {"last_modified": when},)


def test_a_file_of_the_reader_is_fitted(monkeypatch):
    """By a scaling law, as processors and users are; a response beside a load by the power law. Words are refused.

    Given again, with fewer rows than a tick that was left out, or with other columns, the new file takes its place.
    """
    monkeypatch.setattr(points, "_FILES", {})
    panel = app.FitPanel()
    assert panel.widget
    give_file(panel, "../mine.csv", b"threads,tps,note,p95_s\n1,100,a,3\n2,190,b,4\n4,330,c,6\n8,500,d,9\n")
    assert (panel.state.document, panel.state.x, panel.state.y) == ("file: mine.csv", "threads", "tps")
    assert panel.state.law == "amdahl"
    laws_offered = {law: title for title, law in panel.controls["law"].options}
    assert not laws_offered["usl"].startswith("other")
    panel.set(y="p95_s")
    assert panel.state.law == "power"
    assert panel.view.curve.estimates == pytest.approx(fit("power", x=[1, 2, 4, 8], y=[3, 4, 6, 9]).estimates)
    assert list(panel.view.points()["locator"]) == [f"mine.csv, row {k}" for k in (1, 2, 3, 4)]
    give_file(panel, "words.csv", b"a,b\nx,y\n")
    assert "two columns of numbers" in panel.message_area.value
    assert panel.state.document == "file: mine.csv"
    panel.set(left_out="4")
    give_file(panel, "mine.csv", b"processors,users\n1,100\n2,185\n4,310\n")
    assert panel.view.points()["y"].tolist() == [100, 185, 310]
    assert (panel.state.left_out, panel.state.until, panel.message_area.value) == ("", 4, "")


def test_values_of_an_address_beyond_a_slider_are_shown_and_shared():
    """What the answer is computed with is what the control shows and what is shared."""
    fits, plans = app.FitPanel(until=100.0), app.PlanPanel(spare_servers=9, growth_percent=-10.0, months_ahead=12)
    assert fits.widget
    assert plans.widget
    assert fits.controls["until"].value == fits.state.until == fits.view.until == 100
    assert (plans.controls["spare_servers"].value, plans.controls["growth_percent"].value) == (9, -10)
    assert "until=100.0&" in app.Share(fits, plans).address


def test_the_curve_answers_a_pointer():
    """Over any place all its curves tell what they give, on the axes chosen; it is interpreted, not run as a script."""
    panel = app.FitPanel(app.FitState(more_laws="power", log_axes="xy"))
    assert panel.widget
    (output,) = panel.outputs[1].outputs
    ((kind, about),) = output["metadata"].items()
    assert about["embed_options"]["ast"] is True
    spec = output["data"][kind]
    scales = [layer["encoding"]["x"]["scale"]["type"] for layer in spec["layer"]]
    assert set(scales) == {"log"}
    words = [row["words"] for layer in spec["layer"] for row in layer["data"]["values"] if "\n" in row.get("words", "")]
    assert words[-1].startswith("processors: 4, extrapolated\nAmdahl's law: 3,762\nPower law: ")
