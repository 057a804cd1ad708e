"""What the explore page answers from disk is what the library answers; the script that draws it is there."""

import json
import math
import re

import pandas as pd
import pytest

from dominoperf import planning, runs
from dominoperf.errors import ReportFailed
from dominoperf.fitting import fit
from dominoperf.machines import capacity
from dominoperf.reports import explorer
from dominoperf.study import recompute
from dominoperf.tables import locators
from dominoperf.tables.folders import our_toml_file


def read(path):
    """The answers of a file, as the page gets them."""
    return json.loads(re.fullmatch(r'exploreData\("\w+", (.*)\);\n', path.read_text(encoding="utf-8"))[1])


@pytest.fixture
def written(built):
    """The answers in the built site."""
    return built[0] / "site" / explorer.FOLDER


def leads_to(href, places):
    """Whether an address is that of the row which is printed in one of the places."""
    page, _, row = href.partition("#")
    id, _, number = row.partition(":row")
    return page == f"published_tables_{id.partition('/')[0]}.html" and locators(id)[int(number) - 1] in places


def test_a_fit_of_the_page_is_that_of_the_library(written):
    """Curve, band, intervals and words, with a point left out and at another level; points lead to their rows."""
    data = read(written / "fit.js")
    assert [each["name"] for each in data["series"]] == list(runs.list_series()["series"])
    series = next(each for each in data["series"] if each["name"] == "smp_mail")
    law = next(each for each in series["laws"] if each["name"] == "amdahl")
    assert {*law["fits"]} == {"111", "110", "101", "011", "100", "010", "001"}
    assert "expected at least 2 points" in law["fits"]["100"]
    points = runs.series("smp_mail")
    for mask, rows in {"111": points, "101": points.drop([1])}.items():
        for k, level in enumerate(data["levels"]):
            made = fit("amdahl", rows, x="processors", y="users", level=level)
            forecast = made.predict([4]).iloc[0]
            there = law["fits"][mask]
            at = series["grid"].index(4)
            assert there["curve"][at] == pytest.approx(forecast["predicted"], rel=1e-4)
            assert there["levels"][k]["words"] == made.headline()
            band, ends = there["levels"][k]["band"], forecast[["mean_low", "mean_high"]].tolist()
            if mask == "111":
                assert band[at] == pytest.approx(ends, rel=1e-4)
            else:  # as many points as parameters have no interval
                assert (band, *map(math.isnan, ends)) == (None, True, True)
    other = next(each for each in data["series"] if each["name"] == "smp_mail_os2")
    law = next(each for each in other["laws"] if each["name"] == "amdahl")
    exact = fit("amdahl", "smp_mail_os2").predict([3])["predicted"].item()
    assert f"{exact:.4f}" == "2245.4545"  # which is rounded once
    assert round(law["fits"]["1" * len(other["points"])]["curve"][other["grid"].index(3)]) == 2245
    for point, place in zip(series["points"], points["locator"], strict=True):
        assert leads_to(point["href"], [place]), place


def test_a_capacity_of_the_page_is_that_of_the_library(written):
    """At the place in the list where the script looks for it."""
    data, grid = read(written / "capacity.js"), our_toml_file("start.toml")["capacity"]
    chosen = ("Pentium II 233 MHz, 512 KB cache", 4, 1024, 2)
    place = 0
    for name, value in zip(("processor", "processors", "ram_mb", "drives"), chosen, strict=True):
        place = place * len(data[name]) + data[name].index(value)
    about = {name: grid[name] for name in ("operating_system", "domino_release") if grid[name]}
    machine = grid["processor"][chosen[0]] | about | {"processors": 4, "ram_mb": 1024, "drives": 2}
    wanted = capacity(pd.DataFrame([machine]), "DiscDB").iloc[0]
    users, low, high, binds, recommended, near, note, limit = data["answers"]["DiscDB"][place]
    assert (users, low, high) == tuple(round(wanted[name]) for name in ("users", "low", "high"))
    assert data["binds"][binds] == wanted["binds"].replace("_", " ")
    words = capacity(machine, "DiscDB").sentences()
    assert (data["first_out"][binds], data["notes"][note]) == (words["first_out"], words["notes"])
    assert any("by a rule rather than a test" in each for each in data["first_out"])
    assert recommended == round(wanted["recommended_users"])
    limited = re.search(r"limited by (?:the document's advice on )?([a-z ]+)", capacity(machine, "DiscDB").headline())
    assert data["binds"][limit] == (limited[1] if limited else "processor")
    place = runs.benchmarks().set_index("run").loc[wanted["nearest_run"], "locator"]
    assert leads_to(data["nearest"][near]["href"], [place, *place.split("; ")])


def test_a_plan_of_the_page_is_that_of_the_library(written):
    """By both sets of rules, at the place in the list where the script looks for it."""
    data = read(written / "plan.js")
    place = 0
    for name, value in (("light_mail", 1600), ("active", 150), ("groupware", 50)):
        place = place * len(data[name]) + data[name].index(value)
    request = recompute.case_request(1600, 150, 50, data["databases"], False, data["system"])
    for k, rules in enumerate(("compaq_1998", "corrected")):
        wanted = planning.plan(request, rules=rules).summary()
        bought = [wanted[name] for name in ("servers", "ram_mb", "drives", "price_usd")]
        assert data["answers"][2 * place + 1][k] == pytest.approx(bought)
    assert data["answers"][0] == ["There are no people to plan for."] * 2  # not how a file of a request is written


def test_controls_stand_over_the_panels_alone():
    """Of our own still; a text that only looks like one stays as it is."""
    page = explorer.panel_with_controls('<div data-panel="plan"><p>The still</p></div><!-- panel -->')
    assert 'id="panel-plan"' in page
    assert page.index("<select") < page.index("<p>The still</p>")
    for other in ("<p>data-panel</p>", '<div data-panel="table"><p>x</p></div><!-- panel -->'):
        assert explorer.panel_with_controls(other) == other


def test_a_voila_without_the_script_is_told(monkeypatch, tmp_path):
    """What is missing, and what to do."""
    monkeypatch.setattr(explorer, "jupyter_path", lambda *_: [str(tmp_path)])
    with pytest.raises(ReportFailed, match=r"expected the script of Vega-Embed .*Install the Voilà of"):
        explorer.vega_script()
