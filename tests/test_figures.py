"""Pictures: the same bytes every time, data on top, extrapolation dashed, words for a reader who cannot see."""

from matplotlib.figure import Figure

from dominoperf import figures, fit


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
