"""Charts for a pointer: they show what the still picture shows, and no text of data becomes an expression."""

import json
import re

import altair as alt
import pandas as pd
import pytest

from dominoperf import compare, figures, fit
from dominoperf.study.pictures import picture_loads

EVIL = '</script><img src=x onerror=alert(1)> {"expr": "datum.x"} datum[\'x\'] \\u0022'
OURS = {"x", "y", "kind", "words", "place", "href", "row", "above", "high", "part", "share", "count", "name", "curve",
        "width", "low", "mean"}  # fmt: skip


def inside(spec, key):
    """Everything in a specification that stands under a key, its data left out."""
    if isinstance(spec, list):
        return [found for each in spec for found in inside(each, key)]
    if not isinstance(spec, dict):
        return []
    here = [spec[key]] if key in spec else []
    return here + [found for name, each in spec.items() if name != "values" for found in inside(each, key)]


def rows(spec):
    """The rows of all layers."""
    return [row for data in inside(spec, "data") for row in data["values"]]


@pytest.fixture
def evil():
    """Rows whose names, places and columns are a stranger's."""
    values = {EVIL: [100, 200, 400], "y": [0.5, 0.9, 1.3], "what": [EVIL, "b", EVIL], "locator": [EVIL, "page 2", None]}
    return pd.DataFrame(values | {"name": [EVIL, EVIL, "c"]})


def drawings(evil):
    """A drawing of each kind."""
    yield figures.points(evil, EVIL, "y", group="what", log="xy", names="name")
    yield figures.points(evil, EVIL, "y", steps=True)
    yield figures.dots(evil, "name", EVIL, group="what", hollow=EVIL, joined=True, unit=EVIL)
    yield figures.shares(evil.assign(b=[1, 2, 3]), "name", [EVIL, "b"], unit=EVIL, asks=EVIL)


@pytest.mark.filterwarnings("ignore:constrained_layout not applied")  # such names leave a still picture no room
def test_no_text_of_data_is_read_as_more_than_text(evil):
    """Fields have our names, expressions are ours, and nothing ends the script that holds the chart."""
    for drawing in drawings(evil):
        made = figures.picture(drawing, title=EVIL, foot=EVIL, pointer=True)
        assert "<" not in made.chart
        chart = json.loads(made.chart)
        assert chart["title"].startswith("</script>")
        spec = chart["spec"]
        alt.Chart.from_dict(spec)  # holds it against the schema of Vega-Lite
        assert {*inside(spec, "field")} <= OURS
        assert {*inside(spec, "labelExpr")} <= {"split(datum.label, '\\n')"}
        assert all(re.fullmatch(r"(width \+|height \*) [\d.]+", words) for words in inside(spec, "expr"))
        for key in ("signal", "test", "filter", "calculate", "url", "image", "transform", "params"):
            assert inside(spec, key) == [], key
        assert any(EVIL in " ".join(map(str, row.values())) for row in rows(spec))


def test_a_chart_has_the_marks_of_its_picture():
    """Each load with its words and its place; the kinds in the colours and the order of the still picture."""
    made = picture_loads()
    chart = json.loads(made.chart)
    marks = [row for row in rows(chart["spec"]) if "words" in row]
    assert len(marks) == 75
    assert chart["title"] == made.title
    first = [row["place"].partition("; ")[0] for row in marks]  # where the mark leads
    for row, place in zip(marks, first, strict=True):
        without_id = re.sub(r" of (results|peak_load|utilization_points|[abc]_\w+)(?=,|$)", "", place)
        assert row["words"].endswith(without_id)
        assert "users" in row["words"]
    assert not any(id in row["words"] for row in marks for id in ("peak_load", "a_mail"))
    places = {row["place"].replace("&", "&amp;") for row in marks}
    assert all(f'data-place="{place}"' in made.svg for place in places)
    assert inside(chart["spec"], "fill")[0]["scale"] == {
        "domain": ["the server", "the load drivers", "the testers' choice", "not told"],
        "range": ["#0072b2", "#d55e00", "#009e73", "#aaaaaa"],
    }


def test_all_curves_tell_what_they_give():
    """Over a place across, in words: each law by its name; beyond the points it says so."""
    laws = compare(["linear", "amdahl", "gustafson"], "smp_mail")
    spec = json.loads(figures.picture(laws, until=4, pointer=True).chart)["spec"]
    alt.Chart.from_dict(spec)
    over = {row["words"].partition("\n")[0]: row["words"] for row in rows(spec) if "\n" in row.get("words", "")}
    assert list(over) == ["processors: 1", "processors: 2", "processors: 3", "processors: 4, extrapolated"]
    for each in laws.fits:
        value = float(each.curve(pd.Series([4.0]).to_numpy())[0])
        assert f"\n{each.law.title}: {value:,.0f}" in over["processors: 4, extrapolated"]
    assert {row.get("name") for row in rows(spec)} >= {"Amdahl's law", "Linear scaling (refuted)"}


def test_a_fit_to_points_at_one_place_is_drawn():
    """Its only place tells what the curve gives there."""
    at_four = fit("linear", x=[4], y=[100])
    told = {}
    for until in (None, 6):
        spec = json.loads(figures.picture(at_four, until=until, pointer=True).chart)["spec"]
        alt.Chart.from_dict(spec)
        told[until] = [row["words"] for row in rows(spec) if "\nLinear" in row.get("words", "")]
        assert sum(row.get("kind") == "points fitted" for row in rows(spec)) == 1
    assert told[None] == ["x: 4\nLinear scaling: 100"]
    assert told[6] == [*told[None], *(f"x: {x}, extrapolated\nLinear scaling: {25 * x}" for x in (5, 6))]


def test_a_chart_is_the_same_at_every_run():
    """Byte for byte; its axis has whole processors alone, which vega does not learn from the step of its ticks."""
    drawn = [figures.picture(fit("amdahl", "smp_mail"), until=4, pointer=True) for _ in range(2)]
    assert drawn[0].chart == drawn[1].chart != ""
    axes = inside(json.loads(drawn[0].chart)["spec"], "axis")
    assert {tuple(axis["values"]) for axis in axes if axis and "values" in axis} == {(1, 2, 3, 4)}
