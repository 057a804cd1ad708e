"""Pictures: the same bytes every time, data on top, extrapolation dashed, words for a reader who cannot see."""

import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from dominoperf import benchmarks, compare, figures, fit, fitting, ingest, load, steady
from dominoperf.errors import UnknownName
from dominoperf.figures import labels, theme
from dominoperf.laws import FAMILIES, memory


def test_svg_is_the_same_twice():
    """No date, no random ids; nothing fetched from elsewhere."""
    once, twice = (figures.picture(fit("amdahl", "smp_mail"), title="t", until=4).svg for _ in range(2))
    assert once == twice
    assert "<dc:date>" not in once
    assert 'href="http' not in once.replace("xlink:href", "href")


def test_alternative_text_is_escaped():
    """What a reader would have seen, as an attribute."""
    html = figures.picture(fit("amdahl", "smp_mail"), title='a "quoted" <finding>')._repr_html_()
    assert 'role="img" aria-label="a &quot;quoted&quot; &lt;finding&gt;. Axes: ' in html
    assert 'data-title="a &quot;quoted&quot; &lt;finding&gt;"' in html


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


def test_users_are_called_what_their_tool_calls_them():
    """NotesBench users where NotesBench ran, clients of pgbench; users of Locust, a frame, a mix of documents."""
    runs = benchmarks.benchmarks()
    means = steady.steady_means(ingest.read(ingest.sample()), on="throughput_tps", columns=["throughput_tps"])
    means = means.rename(columns={"mean": "throughput_tps"}).dropna(subset="throughput_tps")
    history = ingest.read(Path(__file__).parent / "samples" / "locust" / "demo_stats_history.csv")
    mine = pd.DataFrame(means.to_dict("list"))
    for words, frame in (
        ("NotesBench users", runs[runs["source"].isin(["compaq_domino45", "domino6"])]),
        ("Server.Load users", runs[runs["source"] == "rhel5"]),
        ("users", runs),
        ("clients", means.assign(response_s=1.0)),
        ("users", mine.assign(response_s=1.0)),
        ("users", history),
    ):
        ax = Figure().subplots()
        figures.points(frame, "users", "response_s")(ax)
        assert ax.get_xlabel() == words
    curve, plain = (fit("usl", frame, x="users", y="throughput_tps") for frame in (means, mine))
    assert figures.plot(curve).get_xlabel() == "clients"
    assert "at 20 clients" in curve.say_forecast(20)
    assert "at 20 users" in plain.say_forecast(20)


def test_band_and_hollow_points():
    """The band is the interval of the curve; points that were not fitted are drawn beside it."""
    found = fit("amdahl", "smp_mail")
    ax = figures.plot(found, Figure().subplots(), until=2, beside=benchmarks.find("smp_mail").beside())
    assert len(ax.get_lines()) == 3
    assert list(ax.get_lines()[-1].get_ydata()) == [5150, 3600, 2850]
    band, at = ax.collections[0].get_paths()[0].vertices, found.predict([3]).iloc[0]
    ends = band[np.isclose(band[:, 0], 3), 1]
    assert np.allclose([ends.min(), ends.max()], [at["mean_low"], at["mean_high"]])
    assert figures.picture(found, title="t", alt="words").alt.startswith("words. Axes: ")


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
    assert {"a", "b", "c", "d", "pair"} <= {text.get_text() for text in ax.texts}


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


def test_words_of_a_picture_tell_its_marks():
    """Axes with their units and ends, each kind of mark with its numbers; of many, how many and between which."""
    told = figures.picture(fit("amdahl", "smp_mail"), title="t").alt
    assert "NotesBench users upwards, 0 to" in told
    assert "points fitted: 1,920 at 1, 2,850 at 2, 3,400 at 3." in told
    many = pd.DataFrame({"users": range(1, 9), "ram_mb": range(11, 19)})
    assert "points: 8, from 1 to 8, 11 to 18." in figures.picture(figures.points(many, "users", "ram_mb")).alt
    rows = pd.DataFrame({"label": ["a", "b"], "value": [1.0, 2.5], "kind": ["x", "y"]})
    told = figures.picture(figures.dots(rows, "label", "value", group="kind", unit="s")).alt
    assert told.endswith("x: a 1. y: b 2.5.")
    bars = pd.DataFrame({"topic": ["a", "b"], "good": [3, 5], "bad": [0, 2]})
    assert "bad, the most: b 2." in figures.picture(figures.stacked(bars, "topic", ["good", "bad"])).alt


def test_two_sizes_of_one_picture():
    """The narrow one has its own ids, is not displayed by itself, and its words are no smaller than 8 points."""
    made = figures.picture(fit("amdahl", "smp_mail"), title="A finding of more than a few words " * 2, foot="Source: x")
    widths = [float(re.search(r'<svg[^>]* width="([0-9.]+)pt"', svg)[1]) / 72 for svg in (made.svg, made.half)]
    assert np.allclose(widths, [7, 3.6])
    ids = [set(re.findall(r'<(?:clipPath|path) id="([^"]+)"', svg)) for svg in (made.svg, made.half)]
    assert not {each for each in ids[0] & ids[1] if not each.startswith("DejaVu")}
    assert made._repr_html_().count('class="half" display="none"') == 1
    for svg in (made.svg, made.half):
        assert min(float(size) for size in re.findall(r"scale\((0\.\d+) -0\.\d+\)", svg)) >= 0.08


def test_what_is_no_result_is_refused():
    """By its type, with the calls that give one."""
    with pytest.raises(UnknownName, match="found DataFrame"):
        figures.plot(load("compaq_domino45/a_mail"))


def test_a_picture_is_saved_as_svg_or_png(tmp_path):
    """By the suffix, in either size, the same bytes twice; another suffix is an error, and nothing is left behind."""
    made = figures.picture(fit("amdahl", "smp_mail"), title="t")
    assert made.save(tmp_path / "one.svg").read_text() == made.svg
    assert made.save(tmp_path / "half.svg", half=True).read_text() == made.half
    first, again = (made.save(tmp_path / name).read_bytes() for name in ("one.png", "two.png"))
    assert first == again
    assert first[:8] == b"\x89PNG\r\n\x1a\n"
    size = lambda data: int.from_bytes(data[16:20])  # noqa: E731
    assert (size(first), size(made.save(tmp_path / "half.png", half=True).read_bytes())) == (1400, 720)
    (tmp_path / "kept.jpg").write_text("mine")
    with pytest.raises(UnknownName, match=r"saved as \.svg or \.png"):
        made.save(tmp_path / "kept.jpg")
    assert (tmp_path / "kept.jpg").read_text() == "mine"
    assert {path.name for path in tmp_path.iterdir()} == {
        "one.svg",
        "half.svg",
        "one.png",
        "two.png",
        "half.png",
        "kept.jpg",
    }


def test_a_name_keeps_its_look():
    """In every picture, whatever stands beside it; two names never share a look while there are enough."""
    assert style.looks(["DiscDB", "Mail"])["Mail"] == style.looks(["Mail"])["Mail"]
    assert style.looks(["another", "Mail"])["Mail"] == style.looks(["Mail"])["Mail"]
    every = style.looks(["N8Mail", "Mail", "a", "R6Mail", "b", "6", "c"])
    assert len(set(every.values())) == 7


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.2)), min_size=1, max_size=9))
def test_labels_are_moved_apart_as_little_as_needed(things):
    """In order, none over another; alone or with room enough they stay."""
    things.sort()
    wanted, heights = [each[0] for each in things], [each[1] for each in things]
    places = style.apart(wanted, heights)
    gaps = [(low + high) / 2 for low, high in itertools.pairwise(heights)]
    assert all(b - a >= gap - 1e-9 for (a, b), gap in zip(itertools.pairwise(places), gaps, strict=True))
    if all(b - a >= gap for (a, b), gap in zip(itertools.pairwise(wanted), gaps, strict=True)):
        assert np.allclose(places, wanted)


def test_no_bar_starts_above_zero():
    """A swing is seen beside the whole: a tornado's axis begins at zero too, and reaches its limit."""
    frame = pd.DataFrame({"input": ["a"], "low": [1.6], "high": [1.9]})
    ax = Figure().subplots()
    figures.tornado(frame, "input", "low", "high", 1.7, limit=2)(ax)
    assert not ax.patches
    assert [list(line.get_xdata()) for line in ax.get_lines()[:2]] == [[1.6], [1.9]]
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 2
    frame = pd.DataFrame({"input": ["a", "b"], "one": [3, 4], "two": [1, 2]})
    figures.stacked(frame, "input", ["one", "two"])(ax := Figure().subplots())
    assert ax.get_xlim()[0] == 0


def test_a_front_is_a_staircase():
    """Between two sets that can be bought nothing lies: the line stays level until the next price."""
    frame = pd.DataFrame({"price_usd": [1, 3], "headroom_percent": [0, 40]})
    figures.points(frame, "price_usd", "headroom_percent", steps=True)(ax := Figure().subplots())
    assert ax.get_lines()[0].get_drawstyle() == "steps-post"


def test_whole_things_have_whole_ticks():
    """There is no half a processor."""
    frame = pd.DataFrame({"processors": [1, 2, 3], "ratio": [1, 1.2, 1.4]})
    figures.points(frame, "processors", "ratio", unit="of one processor's")(ax := Figure().subplots())
    assert all(tick == round(tick) for tick in ax.get_xticks())
    assert ax.get_ylabel() == "of one processor's"


def test_no_two_laws_look_alike():
    """Each law has a colour of its own, for its curve and for its name, in the largest family too."""
    laws = compare("processors", "smp_mail")
    ax = figures.plot(laws, Figure().subplots(), until=4)
    drawn = {line.get_color() for line in ax.get_lines() if line.get_marker() == "None"}
    assert len(drawn) == len(laws.fits) == 8
    assert {text.get_color() for text in ax.texts} == drawn
    largest = max(map(len, FAMILIES.values()))
    assert len({figures.fits._colour(k) for k in range(largest)}) == largest


def test_a_law_that_leaves_the_axes_is_named_at_their_edge():
    """Quadratic scaling falls below zero with six processors: its name says so, and stays within the picture."""
    ax = figures.plot(compare("processors", "smp_discdb"), Figure().subplots(), until=6)
    (name,) = (text for text in ax.texts if text.get_text().startswith("quadratic"))
    assert name.get_text() == "quadratic (below zero)"
    assert 0 <= name.xyann[1] <= 1
    near = figures.plot(compare("processors", "smp_discdb"), Figure().subplots(), until=4)
    assert "quadratic" in {text.get_text() for text in near.texts}
