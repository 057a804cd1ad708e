"""Pictures: the same bytes every time, data on top, extrapolation dashed, words for a reader who cannot see."""

import itertools
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import PercentFormatter

from dominoperf import compare, figures, fit, load, loadtests
from dominoperf.errors import UnknownName
from dominoperf.figures import labels, theme
from dominoperf.figures.fits import overlay, panels_of_fits
from dominoperf.figures.pictures import alt_text
from dominoperf.laws import FAMILIES
from dominoperf.loadtests import readers
from dominoperf.runs import benchmarks, find
from dominoperf.study import changes
from dominoperf.study.pictures import picture_memory_response, space_bullets

TITLE = r'a "quoted" <finding> of $13 or $\foo$, in more than a few words ' * 2


def draw():
    return figures.picture(fit("amdahl", "smp_mail"), title=TITLE, foot="Source: x")


@pytest.fixture(scope="module")
def drawn():
    """A picture of a fit, for what is asked of every picture."""
    return draw()


def test_svg_is_the_same_twice(drawn):
    """No date, no random ids; nothing fetched from elsewhere; a price in a title is no mathematics."""
    assert draw() == drawn
    assert "<dc:date>" not in drawn.svg
    assert 'href="http' not in drawn.svg.replace("xlink:href", "href")
    assert r"$\foo$" in drawn.svg


def test_alternative_text_is_escaped(drawn):
    """What a reader would have seen, as an attribute."""
    html = drawn._repr_html_()
    assert 'role="img" aria-label="a &quot;quoted&quot; &lt;finding&gt; of' in html
    assert 'data-title="a &quot;quoted&quot; &lt;finding&gt; of' in html


def test_shares_on_an_axis_of_percentages_are_told_as_percentages():
    """As the axis has them: 7.1 % and not 0.071."""
    ax = Figure().subplots()
    ax.scatter([600, 1200], [0.071, 0.1514], label="points fitted")
    ax.set(xlabel="users", ylabel="CPU utilization", xlim=(0, 2000), ylim=(0, 1))
    ax.yaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    told = "Axes: users across, 0 to 2,000; CPU utilization upwards, 0 % to 100 %. "
    assert alt_text(ax.figure) == told + "points fitted: 7.1 % at 600, 15.14 % at 1,200."


def lines_of(ax):
    """The lines that are drawn; those without points explain others in the legend."""
    return [line for line in ax.get_lines() if len(line.get_xdata())]


def marks_of(ax):
    """The marks of axes: each collection with the places of its marks."""
    return [(marks, marks.get_offsets().tolist()) for marks in ax.collections if isinstance(marks, PathCollection)]


def test_points_on_top_curve_and_dashes():
    """Points above lines; a dashed line beyond the last point only where asked; capacity from zero."""
    ax = figures.plot(fit("amdahl", "smp_mail"), Figure().subplots(), until=4)
    curve, ahead = lines_of(ax)
    ((points, places),) = marks_of(ax)
    assert places == [[1, 1920], [2, 2850], [3, 3400]]
    assert points.get_zorder() > max(curve.get_zorder(), ahead.get_zorder())
    assert (curve.is_dashed(), ahead.is_dashed()) == (False, True)
    assert ahead.get_xdata().min() == 3
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 3400
    assert ax.get_ylabel() == "NotesBench users"
    assert len(lines_of(figures.plot(fit("amdahl", "smp_mail"), Figure().subplots()))) == 1


def test_users_are_called_what_their_tool_calls_them():
    """NotesBench users where NotesBench ran, clients of pgbench; users of Locust, a frame, a mix of documents."""
    runs = benchmarks()
    means = loadtests.steady_runs(readers.read(readers.sample())).means(columns=["throughput_tps"])
    means = means.rename(columns={"mean": "throughput_tps"}).dropna(subset="throughput_tps")
    history = readers.read(ROOT / "tests" / "samples" / "locust" / "demo_stats_history.csv")
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
    assert "at 20 clients" in curve.describe_forecast(20)
    assert "at 20 users" in plain.describe_forecast(20)


def test_band_and_hollow_points():
    """The band is the interval of the curve; points that were not fitted are drawn beside it."""
    found = fit("amdahl", "smp_mail")
    ax = figures.plot(found, Figure().subplots(), until=2, beside=find("smp_mail").left_out_points())
    assert len(lines_of(ax)) == 1
    others, places = marks_of(ax)[-1]
    assert [y for _, y in places] == [5150, 3600, 2850]
    assert to_hex(others.get_facecolor()[0]) == "#ffffff"
    band, at = ax.collections[0].get_paths()[0].vertices, found.predict([3]).iloc[0]
    ends = band[np.isclose(band[:, 0], 3), 1]
    assert np.allclose([ends.min(), ends.max()], [at["mean_low"], at["mean_high"]])
    assert figures.picture(found, title="t", alt="words").alt.startswith("words. Axes: ")


def test_a_name_is_told_of_the_point_that_it_names():
    """Where a fitted point and another lie at one place, the alternative text gives the name to the other alone."""
    named = pd.DataFrame({"processors": [2], "users": [2850], "name": ["1 MB"]})
    drawn = figures.picture(fit("amdahl", "smp_mail"), title="t", beside=named, names="name")
    assert "points fitted: 1,920 at 1, 2,850 at 2, 3,400 at 3." in drawn.alt
    assert "not fitted: 2,850 at 2 (1 MB)." in drawn.alt


def powers_of(ratios):
    """The fit of each workload, by its name."""
    groups = ratios.groupby("workload", sort=False)
    return {name: fit("paging_power", rows, y="ratio", fixed={"reference_mb": 64}) for name, rows in groups}


def test_a_name_is_not_nearer_to_another_point():
    """A point without a name counts too: the name of its neighbour would seem to be its own."""
    ratios = changes.response_by_memory()
    powers = powers_of(ratios)
    narrow = picture_memory_response(powers).figures[1]
    named = [(ax, text) for ax in narrow.axes for text in ax.texts if text.get_text()]
    assert len(named) == 8
    for ax, text in named:
        if text.arrow_patch.get_visible():
            continue  # a line leads to its point
        at = ax.transData.transform(np.concatenate([marks.get_offsets() for marks in ax.collections]))
        box = Text.get_window_extent(text)
        gaps = np.hypot(*np.clip([box.min - at, at - box.max], 0, None).max(axis=0).T)
        assert np.allclose(at[gaps.argmin()], ax.transData.transform(text.xy)), text.get_text()


def test_bars_are_told():
    """How long each bar is, beside the ticks of what is needed."""
    rows = [("Server 2", "needed", 28.0), ("Server 2", "RAID 5 by definition", 27.3)]
    spaces = pd.DataFrame(rows, columns=["server", "space", "space_gb"])
    words = figures.picture(space_bullets(spaces), title="t").alt
    assert "held by drives: 27.3 for Server 2: RAID 5 by definition. missing: 0.7 for Server 2" in words


def test_ticks_within_a_factor_of_two_are_round():
    """0.9, 0.95, 1: with the one that means no change, and not 0.915."""
    assert theme.plain_steps(0.898, 1.012, 8) == pytest.approx([0.9, 0.92, 0.94, 0.96, 0.98, 1])


def test_many_samples_are_drawn_as_their_range():
    """From the least to the greatest of each stretch."""
    samples = pd.DataFrame({"time_s": range(2400), "throughput_tps": [90, 110] * 1200})
    ax = figures.plot(loadtests.steady_state(samples))
    (shade,) = [marks for marks in ax.collections if marks.get_label() == "range of samples"]
    assert {*shade.get_paths()[0].vertices[:, 1]} == {90, 110}


def test_no_interval_is_no_band_in_the_legend():
    """A curve through every point has none."""
    exact = fit("amdahl", pd.DataFrame({"processors": [1, 2], "users": [100, 190]}))
    legend = figures.plot(exact, Figure().subplots()).get_legend_handles_labels()[1]
    assert not any("interval" in label for label in legend)


def test_points_of_one_x_are_drawn_without_a_curve():
    one = fit("linear", x=[1], y=[440], sigma=0.03)
    assert lines_of(figures.plot(one, Figure().subplots())) == []
    assert len(lines_of(figures.plot(one, Figure().subplots(), until=4))) == 1


def test_several_fits_over_all_points():
    """Each curve reaches over all points, dashed where its own end; filled points are those that a fit took."""
    every = pd.DataFrame({"clock_mhz": [100, 133, 166, 200.0], "users": [350, 600, 740, 1500.0], "name": list("abcd")})
    found = fit("clock_power", "clock_mail_clean", bounded=False)
    ax = Figure().subplots()
    overlay({"pair": found}, every, names="name")(ax)
    stretches = {(*line.get_xdata()[[0, -1]], line.is_dashed()) for line in lines_of(ax)}
    assert stretches == {(100, 133, True), (133, 166, False), (166, 200, True)}
    (filled, taken), (hollow, left) = marks_of(ax)
    assert (taken, left) == ([[133, 600], [166, 740]], [[100, 350], [200, 1500]])
    assert [to_hex(marks.get_facecolor()[0]) for marks in (filled, hollow)] == ["#000000", "#ffffff"]
    assert {"a", "b", "c", "d", "pair"} <= {text.get_text() for text in ax.texts}


def test_rows_of_one_label_share_a_line():
    """Two readings of one number stand side by side, told apart by their marks, with the legend below."""
    rows = pd.DataFrame({"label": ["a", "a", "b"], "value": [1, 2, 3.0], "kind": ["x", "y", "x"]})
    ax = Figure().subplots()
    figures.dots(rows, "label", "value", group="kind")(ax)
    ((marks, places),) = marks_of(ax)
    assert places == [[1, 0], [2, 0], [3, 1]]
    assert [to_hex(colour) for colour in marks.get_facecolor()] == ["#0072b2", "#d55e00", "#0072b2"]
    assert len({str(path.vertices) for path in marks.get_paths()}) == 2
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["x", "y"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_legend().get_bbox_to_anchor().y0 < ax.bbox.y0


def test_quoted_numbers_are_hollow():
    """Numbers that a text states are rings below the others, so that a measurement within is seen."""
    frame = pd.DataFrame({"item": ["a", "a"], "ratio": [0.9, 0.94], "basis": ["sentence", "table"]})
    ax = Figure().subplots()
    figures.dots(frame, "item", "ratio", group="basis", hollow="sentence", log=True)(ax)
    (ring, at), (dot, _) = marks_of(ax)
    assert at == [[0.9, 0]]
    assert (to_hex(ring.get_facecolor()[0]), to_hex(ring.get_edgecolor()[0])) == ("#ffffff", "#0072b2")
    assert to_hex(dot.get_facecolor()[0]) == "#d55e00"
    assert ring.get_zorder() < dot.get_zorder()
    assert len(ax.get_xticks()) > 2


def test_each_group_has_a_panel_with_its_curve():
    """Quoted ratios hollow, the curve of each own fit; both axes are shared, and their words stand outside alone."""
    ratios = changes.response_by_memory()
    drawing = panels_of_fits(powers_of(ratios), ratios, "ram_mb", "ratio", group="workload", log="xy")
    made = figures.picture(drawing, title="t")
    assert [ax.get_title() for ax in made.figures[0].axes] == list(ratios["workload"].unique())
    for ax in made.figures[0].axes:
        ((marks, places),) = marks_of(ax)
        (curve,) = lines_of(ax)
        mine = ratios[(ratios["workload"] == ax.get_title()) & ratios["ratio"].notna()]
        assert np.allclose(places, mine[["ram_mb", "ratio"]])
        assert to_hex(marks.get_facecolor()[0]) == "#ffffff"
        assert to_hex(marks.get_edgecolor()[0]) == to_hex(curve.get_color())
        assert (ax.get_xscale(), ax.get_ylim()) == ("log", made.figures[0].axes[0].get_ylim())
    assert [ax.xaxis.label.get_visible() for ax in made.figures[0].axes] == [False, False, True, True]
    assert " Mail: 1 at 128" in made.alt
    assert plt.get_fignums() == []


def test_panels_show_the_others_behind():
    """Each group in a panel, the points of all pale behind; these are told once."""
    frame = pd.DataFrame({"users": [1, 2, 3], "response_s": [1.0, 2, 3], "workload": ["a", "b", "b"]})
    made = figures.picture(figures.points(frame, "users", "response_s", group="workload", panels=True), title="t")
    wide, narrow = made.figures
    assert [len(places) for ax in wide.axes for _, places in marks_of(ax)] == [1, 3, 2, 3]
    assert made.alt.endswith("a: 1 at 1. b: 2 at 2, 3 at 3.")
    assert [figure.get_figwidth() for figure in (wide, narrow)] == [7, 3.6]


def test_words_of_a_picture_tell_its_marks(drawn):
    """Axes with their units and ends, each kind of mark with its numbers; of many, how many and between which."""
    told = drawn.alt
    assert "NotesBench users upwards, 0 to" in told
    assert "points fitted: 1,920 at 1, 2,850 at 2, 3,400 at 3." in told
    many = pd.DataFrame({"users": range(1, 9), "ram_mb": range(11, 19)})
    assert "points: 8, from 1 to 8, 11 to 18." in figures.picture(figures.points(many, "users", "ram_mb")).alt
    rows = pd.DataFrame({"label": ["a", "b"], "value": [1.0, 2.5], "kind": ["x", "y"]})
    told = figures.picture(figures.dots(rows, "label", "value", group="kind", unit="s")).alt
    assert told.endswith("x: 1 for a. y: 2.5 for b.")
    counts = pd.DataFrame({"topic": ["a", "b"], "good": [3, 5], "bad": [0, 2]})
    told = figures.picture(figures.shares(counts, "topic", ["good", "bad"], unit="claims")).alt
    assert told.endswith("good, the most: b (7) 5, a (3) 3. bad, the most: b (7) 2.")


def test_two_sizes_of_one_picture(drawn):
    """The narrow one has its own ids, is not displayed by itself, and its words are no smaller than 8 points."""
    widths = [float(re.search(r'<svg[^>]* width="([0-9.]+)pt"', svg)[1]) / 72 for svg in (drawn.svg, drawn.half)]
    assert np.allclose(widths, [7, 3.6])
    ids = [set(re.findall(r'<(?:clipPath|path) id="([^"]+)"', svg)) for svg in (drawn.svg, drawn.half)]
    assert not {each for each in ids[0] & ids[1] if not each.startswith("DejaVu")}
    assert drawn._repr_html_().count('class="half" display="none"') == 1
    for svg in (drawn.svg, drawn.half):
        assert min(float(size) for size in re.findall(r"font-size: ([\d.]+)px", svg)) >= 8
        assert '>a "quoted" &lt;finding&gt; of' in svg  # as text, which can be found and selected


def test_what_is_no_result_is_refused():
    """By its type, with the calls that give one."""
    with pytest.raises(UnknownName, match="found DataFrame"):
        figures.plot(load("compaq_domino45/a_mail"))


def test_a_name_keeps_its_look():
    """In every picture, whatever stands beside it; two names never share a look while there are enough."""
    for word in ("palette", "markers"):
        alone = theme.series_styles(["Mail"])[word]["Mail"]
        assert theme.series_styles(["DiscDB", "Mail"])[word]["Mail"] == alone
        assert theme.series_styles(["another", "Mail"])[word]["Mail"] == alone
        every = theme.series_styles(["N8Mail", "Mail", "a", "R6Mail", "b", "6", "c"])[word]
        assert len(set(every.values())) == 7


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.2)), min_size=1, max_size=9))
def test_labels_are_moved_apart_as_little_as_needed(things):
    """In order, none over another; alone or with room enough they stay."""
    things.sort()
    wanted, heights = [each[0] for each in things], [each[1] for each in things]
    places = labels.places_apart(wanted, heights)
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
    assert marks_of(ax)[0][1] == [[1.6, 0], [1.9, 0]]
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "limit"
    assert ax.get_xlim()[0] == 0
    assert ax.get_xlim()[1] > 2


def test_a_tornado_of_nothing_uncertain_has_its_lines():
    """No bar, but what the plan needs and what it buys."""
    frame = pd.DataFrame({"input": pd.Series([], dtype=str), "low": [], "high": []}).astype(
        {"low": float, "high": float}
    )
    ax = Figure().subplots()
    figures.tornado(frame, "input", "low", "high", 1.7, limit=2)(ax)
    assert sorted(line.get_xdata()[0] for line in ax.lines) == [1.7, 2]


def test_a_heat_map_is_as_dark_as_a_share():
    """Counts in the cells, shares of a row as colours."""
    frame = pd.DataFrame({"input": ["a", "b"], "one": [3, 10], "two": [1, 0]})
    figures.shares(frame, "input", ["one", "two"], unit="things")(ax := Figure().subplots())
    assert np.allclose(ax.collections[0].get_array().ravel(), [0.75, 0.25, 1, 0])
    assert [text.get_text() for text in ax.texts] == ["3", "1", "10", "0"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a (4)", "b (10)"]


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
    """Each law has a colour of its own, for its curve and for the line to its name, in the largest family too."""
    laws = compare("processors", "smp_mail")
    ax = figures.plot(laws, Figure().subplots(), until=4)
    drawn = {to_hex(line.get_color()) for line in lines_of(ax)}
    assert len(drawn) == len(laws.fits) == 8
    assert {to_hex(text.arrow_patch.get_edgecolor()) for text in ax.texts} == drawn
    largest = max(map(len, FAMILIES.values()))
    several = {str(k): fit("amdahl", "smp_mail", interval="none") for k in range(largest)}
    points = pd.DataFrame({"processors": [1, 2, 3], "users": [1920, 2850, 3400]})
    overlay(several, points)(ax := Figure().subplots())
    assert len({to_hex(line.get_color()) for line in lines_of(ax)}) == largest


def test_a_law_that_leaves_the_axes_is_named_at_their_edge():
    """Quadratic scaling falls below zero with six processors: its name says so, and stays within the picture."""
    ax = figures.plot(compare("processors", "smp_discdb"), Figure().subplots(), until=6)
    (name,) = (text for text in ax.texts if text.get_text().startswith("Quadratic scaling"))
    assert name.get_text() == "Quadratic scaling (below zero)"
    assert 0 <= name.xyann[1] <= 1
    near = figures.plot(compare("processors", "smp_discdb"), Figure().subplots(), until=4)
    assert "Quadratic scaling" in {text.get_text() for text in near.texts}


def test_a_mark_knows_where_it_is_printed(drawn):
    """A drawing has the words and the place of a printed mark, for a page to make a link of; of other marks neither."""
    places = re.findall(r'<a data-place="([^"]*)"><title>([^<]*)</title>', drawn.svg)
    assert [place.rpartition(", ")[2] for place, _ in places] == [f"row {row} of a_mail" for row in (5, 6, 7)]
    assert places[0][1].startswith("processors 1, users 1,920. ")
    rows = pd.DataFrame({"label": ["a", "a", "b"], "users": [5, 5, 7], "locator": ["page 1", "page 2", None]})
    dots = figures.picture(figures.dots(rows, "label", "users"), title="t").svg
    assert re.findall(r'data-place="(.*?)"><title>(.*?)<', dots) == [
        ("page 1", "a, users 5. page 1"),
        ("page 2", "a, users 5. page 2"),
    ]
    assert "data-place" not in figures.picture(fit("linear", x=[1, 2, 4], y=[10, 21, 39]), title="t").svg


def test_an_interval_stays_with_its_dot():
    """Dots of one number are moved apart, and the interval of each with it; those of a row alone are in its middle."""
    rows = pd.DataFrame({"label": ["a", "a", "b"], "users": [5, 5, 7], "low": [4, 3, 6], "high": [6, 8, 9]})
    figures.dots(rows, "label", "users", low="low", high="high")(ax := Figure().subplots())
    ((_, places),) = marks_of(ax)
    (bars,) = [line for line in ax.collections if isinstance(line, LineCollection)]
    ends = [[(x, y) for x, y in segment] for segment in bars.get_segments()]
    assert ends == [[(low, y), (high, y)] for low, high, (_, y) in zip(rows["low"], rows["high"], places, strict=True)]
    assert len({y for _, y in places}) == 3
    assert figures.picture(figures.dots(rows, "label", "users")).alt.endswith("points: 2 times 5 for a, 7 for b.")


def test_words_stay_above_the_axis():
    """Ends of lines at the foot of a picture keep clear of its numbers."""
    assert labels.places_apart([0.0, 0.01, 0.5], [0.1, 0.1, 0.1], within=1) == pytest.approx([0.05, 0.15, 0.5])
    assert labels.places_apart([0.5, 0.99, 1.0], [0.1, 0.1, 0.1], within=1) == pytest.approx([0.5, 0.85, 0.95])
    assert labels.places_apart([0.0, 0.01], [0.1, 0.1])[0] < 0


def test_what_is_beaten_is_grey_and_what_is_impossible_is_shaded():
    """A pale group is no colour of another; a row's dots are joined; the stretch beyond a line says what it means."""
    rows = pd.DataFrame({"label": ["a", "a"], "value": [1, 3.0], "kind": ["x", "y"], "note": ["", "−67 %"]})
    about = {"group": "kind", "pale": "y", "joined": True, "notes": "note", "reference": 2, "beyond": "too much"}
    figures.dots(rows, "label", "value", **about)(ax := Figure().subplots())
    ((marks, _),) = marks_of(ax)
    assert [to_hex(colour) for colour in marks.get_facecolor()] == ["#0072b2", "#aaaaaa"]
    (bar,) = [line for line in ax.collections if isinstance(line, LineCollection)]
    assert bar.get_segments()[0].tolist() == [[1, 0], [3, 0]]
    assert {text.get_text() for text in ax.texts} == {"−67 %", "too much"}
    assert ax.patches[-1].get_x() == 2
