"""Pictures: the same bytes every time, data on top, extrapolation dashed, words for a reader who cannot see."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dominoperf import benchmarks, figures, fit, fitting, load
from dominoperf.laws import memory


def test_svg_is_the_same_twice():
    """No date, no random ids; nothing fetched from elsewhere."""
    once, twice = (figures.picture(fit("amdahl", "smp_mail"), title="t", until=4).svg for _ in range(2))
    assert once == twice
    assert "<dc:date>" not in once
    assert 'href="http' not in once.replace("xlink:href", "href")


def test_alternative_text_is_escaped():
    """What a reader would have seen, as an attribute."""
    html = figures.picture(fit("amdahl", "smp_mail"), title='a "quoted" <finding>')._repr_html_()
    assert 'role="img" aria-label="a &quot;quoted&quot; &lt;finding&gt;"' in html


def test_points_on_top_curve_and_dashes():
    """Points above lines; a dashed line beyond the last point only where asked; capacity from zero."""
    ax = figures.plot(fit("amdahl", "smp_mail"), Figure().subplots(), until=4)
    curve, ahead, points = ax.get_lines()
    assert points.get_zorder() > max(curve.get_zorder(), ahead.get_zorder())
    assert (curve.get_linestyle(), ahead.get_linestyle()) == ("-", "--")
    assert ahead.get_xdata().min() == 3
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 3400
    assert ax.get_ylabel() == "NotesBench users"
    assert len(figures.plot(fit("amdahl", "smp_mail"), Figure().subplots()).get_lines()) == 2


def test_band_and_hollow_points():
    """The band is the interval of the curve; points that were not fitted are drawn beside it."""
    found = fit("amdahl", "smp_mail")
    ax = figures.plot(found, Figure().subplots(), until=2, beside=benchmarks.find("smp_mail").beside())
    assert len(ax.get_lines()) == 3
    assert list(ax.get_lines()[-1].get_ydata()) == [5150, 3600, 2850]
    band, at = ax.collections[0].get_paths()[0].vertices, found.predict([3]).iloc[0]
    ends = band[np.isclose(band[:, 0], 3), 1]
    assert np.allclose([ends.min(), ends.max()], [at["mean_low"], at["mean_high"]])
    assert figures.picture(found, title="t", alt="words").alt == "words"


def test_no_interval_is_no_band_in_the_legend():
    """A curve through every point has none."""
    exact = fit("amdahl", pd.DataFrame({"processors": [1, 2], "users": [100, 190]}))
    legend = figures.plot(exact, Figure().subplots()).get_legend_handles_labels()[1]
    assert not any("interval" in label for label in legend)


def test_text_is_no_mathematics_and_axes_have_few_ticks():
    """Prices in a title stay prices; 2,500 users on the x axis do not make 2,500 ticks."""
    svg = figures.picture(fit("amdahl", "smp_mail"), title=r"$13 or $\\foo$").svg
    assert "<svg" in svg
    rule = fit("linear", "compaq_domino45/table_3_2", x="users", y="ram_min_mb")
    assert len(figures.plot(rule, Figure().subplots()).get_xticks()) < 15


def test_several_fits_over_all_points():
    """Each curve reaches over all points, dashed where its own end; filled points are those that a fit took."""
    every = pd.DataFrame({"clock_mhz": [100, 133, 166, 200.0], "users": [350, 600, 740, 1500.0], "name": list("abcd")})
    found = fit("clock_power", "clock_mail_clean", bounded=False)
    ax = Figure().subplots()
    figures.overlay({"pair": found}, every, names="name")(ax)
    before, own, after, filled, hollow = ax.get_lines()
    assert [line.get_linestyle() for line in (before, own, after)] == ["--", "-", "--"]
    assert (own.get_xdata()[0], own.get_xdata()[-1], after.get_xdata()[-1]) == (133, 166, 200)
    assert (list(filled.get_ydata()), list(hollow.get_ydata())) == ([600, 740], [350, 1500])
    assert {"a", "b", "c", "d", "  pair"} <= {text.get_text() for text in ax.texts}


def test_rows_of_one_label_share_a_line():
    """Two readings of one number stand side by side, told apart by their marks, with the legend below."""
    rows = pd.DataFrame({"label": ["a", "a", "b"], "value": [1, 2, 3.0], "kind": ["x", "y", "x"]})
    ax = Figure().subplots()
    figures.dots(rows, "label", "value", group="kind")(ax)
    assert [list(line.get_ydata()) for line in ax.get_lines()] == [[0, 1], [0]]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_legend().get_bbox_to_anchor().y0 < ax.bbox.y0


def test_names_do_not_cover_each_other():
    """Two points at one height, too near for both names at their right."""
    ax = Figure((7, 4)).subplots()
    ax.set(xlim=(0, 10), ylim=(0, 10))
    near = pd.DataFrame({"x": [5, 5.6], "y": [5, 5], "name": ["a long name", "another"]})
    figures.marks.name_points(ax, near, "x", "y", "name")
    assert [text.get_ha() for text in ax.texts] == ["right", "left"]


def test_quoted_numbers_are_hollow():
    """Numbers that a text states are rings, so that a measurement may lie within; curves lie below them."""
    frame = pd.DataFrame({"item": ["a", "a"], "ratio": [0.9, 0.94], "basis": ["sentence", "table"]})
    ax = Figure().subplots()
    figures.dots(frame, "item", "ratio", group="basis", hollow="sentence", log=True)(ax)
    ring, dot = ax.get_lines()[:2]
    assert (ring.get_markerfacecolor(), dot.get_markerfacecolor() != "none") == ("none", True)
    assert len(ax.get_xticks()) > 2
    ratios = benchmarks.response_by_memory()
    fits = fitting.fit_each("paging_power", ratios, "workload", y="ratio", fixed={"reference_mb": 128}, interval="none")
    ax = Figure().subplots()
    figures.curves(fits, ratios, "ram_mb", "ratio", log="xy")(ax)
    assert [line.get_markerfacecolor() for line in ax.get_lines()[:4]] == ["white"] * 4
    assert len(ax.get_lines()) == 8


def test_rule_is_another_mark_than_a_measurement():
    """Hollow squares for the rule, filled points for runs, dashes beyond the table."""
    rows = load("compaq_domino45/table_3_2")
    found = memory.sizing_rule(rows["users"], rows["ram_min_mb"], 64)
    ax = Figure().subplots()
    figures.rule(rows, found, module=64, runs=pd.DataFrame({"users": [5000], "ram_mb": [1536]}))(ax)
    steps, ahead, rule, runs = ax.get_lines()
    assert (steps.get_linestyle(), ahead.get_linestyle()) == ("-", "--")
    assert ahead.get_xdata().min() > 2500
    assert (rule.get_markerfacecolor(), runs.get_markerfacecolor()) == ("white", "black")
    assert ax.get_ylim()[0] == 0
