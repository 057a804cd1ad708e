"""A fit or a comparison as a picture: points on top, a law as a line with its band, extrapolation dashed."""

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.figures.marks import name_points, points
from dominoperf.figures.pictures import drawn
from dominoperf.figures.runs import run, run_words
from dominoperf.figures.style import HEIGHT, OKABE_ITO, WIDTH, label_ends, legend, looks, plain_numbers
from dominoperf.fitting import Comparison, Fit
from dominoperf.laws import memory
from dominoperf.loadtests import Steady
from dominoperf.tables import doubts
from dominoperf.tables.doubts import over, within

# As many as the largest family has laws, those that it borrows too: no two may look alike.
_LINES = (*OKABE_ITO, "#661100", "#882255", "#999933", "#332288")
_REFUTED = "#767676"


def plot(result, ax=None, *, until=None, beside=None):
    """Draw a fit (its points, curve and the interval of the curve), a comparison (each law's curve) or a run.

    Parameters
    ----------
    result : Fit, Comparison or Steady
        What is drawn.
    ax : Axes, optional
        Where to draw; by default on axes of a new figure.
    until : float, optional
        Draw the curve to here; what lies beyond the points is dashed.
    beside : DataFrame, optional
        Published points that the curve was not fitted to, with the fit's columns: drawn hollow.

    Returns
    -------
    Axes

    Raises
    ------
    UnknownName
        When it is no result that can be drawn.
    """
    if not isinstance(result, (Fit, Comparison, Steady)):
        expected, remedy = "a Fit, a Comparison or a Steady", "Give what fit, compare or steady_state returned."
        raise UnknownName("plot(result=...)", expected=expected, found=type(result).__name__, remedy=remedy)
    if isinstance(result, Steady):
        return run(result, ax)
    ax = ax or Figure((WIDTH, HEIGHT), layout="constrained").subplots()
    draw = _comparison if isinstance(result, Comparison) else _fit
    one = result.best if isinstance(result, Comparison) else result
    draw(ax, result, until)
    ax.plot(*one.points, "o", color="black", markersize=7, zorder=3, label=_named(one))
    if beside is not None and len(beside):
        hollow = {"color": OKABE_ITO[1], "markerfacecolor": "white", "markersize": 7, "zorder": 2.5}
        ax.plot(beside[one.x], beside[one.y], "s", label="other points, not fitted", **hollow)
    _axes(ax, one)
    if isinstance(result, Comparison):
        _label_curves(ax, result, until)
    return ax


def picture(result, *, until=None, beside=None, **words):
    """Draw a result as a picture for a page.

    Parameters
    ----------
    result : Fit, Comparison, Steady or callable
        What to draw; a callable draws on the axes it is given.
    until, beside
        As for `plot`.
    **words
        title (the finding), subtitle (the data), foot (the source), alt (for a reader who cannot see it), height. A
        run has words of its own for those that are not given.

    Returns
    -------
    Picture
        SVG with `alt` as the text for a reader who cannot see it.
    """
    draw = result if callable(result) else lambda ax: plot(result, ax, until=until, beside=beside)
    own = run_words(result) if isinstance(result, Steady) else {}
    return drawn(draw, errata=doubts.doubts(result, beside), **own | words)


def residuals(fit):
    """Give a drawing of what a fit leaves at each point, in percent of the curve or in units of y; for `picture`.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    callable
        Draws on given axes.
    """
    rows = fit.augment()
    left = 100 * rows["residual"] / rows["fitted"] if fit.relative else rows["residual"]
    unit = "%" if fit.relative else tables.units().get(fit.y, "")

    def draw(ax):
        ax.axhline(0, color=OKABE_ITO[0], linewidth=1.2)
        ax.vlines(rows["x"], 0, left, color="black", linewidth=1.2)
        ax.plot(rows["x"], left, "o", color="black", markersize=5)
        most = 1.25 * np.abs(left[np.isfinite(left)]).max()
        ax.set(xlabel=fit.label(fit.x), ylabel=f"residual, {unit}", ylim=(-most or -1, most or 1))
        ax.yaxis.set_major_locator(mpl.ticker.MaxNLocator(4))
        ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=_whole(fit)))
        ax.xaxis.set_major_formatter(plain_numbers)

    return over(draw, fit)


def overlay(fits, frame, *, names=""):
    """Give a drawing of several fits in one plane, over all points whether fitted or not; for `picture`.

    Parameters
    ----------
    fits : dict
        Words to name a curve by, and its `Fit`; all have the same columns. A curve is dashed where it leaves its own
        points behind. It has no band, for bands would hide each other.
    frame : DataFrame
        Has those columns; points that a fit took are filled, others hollow.
    names : str, optional
        Column of words written beside each point.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        one = next(iter(fits.values()))
        known = frame[frame[one.x].notna() & frame[one.y].notna()]
        first, last = known[one.x].min(), known[one.x].max()
        ends = []
        for k, (name, fit) in enumerate(fits.items()):
            for at, style in _stretches(fit, first, last):
                ax.plot(at, fit.curve(at), style, color=_colour(k), linewidth=1.8)
            ends.append((last, float(fit.curve(np.array([last]))[0]), name, _colour(k)))
        _all_points(ax, known, fits.values(), one)
        if names:
            name_points(ax, known, one.x, one.y, names, sides=("below", "right", "left"))
        ax.set(xlabel=one.label(one.x), ylabel=one.label(one.y), ylim=(0, 1.08 * known[one.y].max()))
        ax.margins(x=0.09 if names else 0.05)  # the name of the first point needs room
        ax.yaxis.set_major_formatter(plain_numbers)
        label_ends(ax, ends)

    return over(draw, *fits.values(), within(frame, *(name for fit in fits.values() for name in (fit.x, fit.y))))


def _all_points(ax, points, fits, one):
    """Filled where a fit took them, hollow where none did."""
    taken = {each for fit in fits for each in zip(*map(tuple, fit.points), strict=True)}
    mine = np.array([each in taken for each in zip(points[one.x], points[one.y], strict=True)], bool)
    for here, style in ((mine, {"label": "points fitted"}), (~mine, {"label": "not fitted", "mfc": "white"})):
        ax.plot(points[one.x][here], points[one.y][here], "o", color="black", markersize=7, zorder=3, **style)
    legend(ax, "upper left")


def curves(fits, frame, x, y, *, log="", unit=""):
    """Give a drawing of each group's quoted numbers, hollow, and the curve of its own fit; for `picture`.

    Parameters
    ----------
    fits : Fits
    frame : DataFrame
        The points of all groups.
    x, y : str
    log, unit : str, optional
        As for `points`.
    """
    marks = points(frame, x, y, group=fits.by, log=log, hollow=True, unit=unit)
    colours = looks(frame[frame[x].notna() & frame[y].notna()][fits.by].unique())

    def draw(ax):
        marks(ax)
        for name, fit in fits.fits.items():
            at = np.geomspace(fit.points[0].min(), fit.points[0].max(), 41)
            ax.plot(at, fit.curve(at), color=colours[name][0], linewidth=1.3, zorder=2)

    return over(draw, *fits.fits.values(), within(frame, x, y))


def rule(table, fitted, *, module, runs=None, other=None):
    """Give a drawing of a sizing rule: the printed values, the steps that reproduce them, measured runs; for `picture`.

    Parameters
    ----------
    table : DataFrame
        users, ram_min_mb, as printed.
    fitted : DataFrame
        term, estimate, as `sizing_rule` gives them.
    module : float
        What memory is rounded up to, in MB.
    runs : DataFrame, optional
        users, ram_mb of measured runs.
    other : (DataFrame, DataFrame), optional
        Table and line in another reading of the rule: its steps alone are drawn, as far as the axis goes.

    Returns
    -------
    callable
        Draws on given axes: a rule is hollow, measurements are filled; beyond the last printed row the rule is dashed.
    """
    terms = fitted.set_index("term")["estimate"]
    last = table["users"].max()
    most = last if runs is None or runs.empty else max(last, runs["users"].max())
    read = [] if other is None else [other[1].set_index("term")["estimate"]]

    def draw(ax):
        at = np.linspace(1, most, 2001)
        steps = memory.sizing_steps(at, terms["per_user"], terms["base"], module)
        inside = at <= last
        ax.plot(at[inside], steps[inside], color=OKABE_ITO[0], label="rule that gives every printed value")
        ax.plot(at[~inside], steps[~inside], "--", color=OKABE_ITO[0], label="the rule beyond its table")
        for line in read:
            steps = memory.sizing_steps(at, line["per_user"], line["base"], module)
            ax.plot(at, steps, "-.", color=OKABE_ITO[2], label="the rule as a suspected erratum reads it")
        hollow = {"color": OKABE_ITO[1], "markerfacecolor": "white", "markersize": 6, "zorder": 3}
        ax.plot(table["users"], table["ram_min_mb"], "s", label="published rule: least memory", **hollow)
        if runs is not None:
            ax.plot(runs["users"], runs["ram_mb"], "o", color="black", markersize=7, zorder=4, label="measured runs")
        user = tables.user_of(table)
        ax.set(xlabel=tables.label("users", user), ylabel=tables.label("ram_mb"), xlim=(0, 1.04 * most))
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(plain_numbers)
        legend(ax, "upper left")

    measured = () if runs is None else within(runs, "users", "ram_mb")
    return over(draw, within(table, "users", "ram_min_mb"), fitted, measured)


def _whole(fit):
    """Whether all x are whole numbers."""
    return bool(np.all(fit.points[0] == np.round(fit.points[0])))


def _named(fit):
    """What the marks are: a published rule is no measurement."""
    return "published rule" if fit.error_from == "rule" else "points fitted"


def _fit(ax, fit, until):
    """One law with the interval of its curve."""
    known = np.isfinite(fit.spread) and fit.interval != "none"
    band = f", {fit.level:.0%} interval of the curve" if known else ""
    for at, style in _stretches(fit, None, until):
        _curve(ax, at, fit.curve(at), style, f"{fit.law.title}{band}" if style == "-" else None)
        _band(ax, fit.predict(at[::4]))  # intervals are slow, and between these the band is straight to 0.3 % of it


def _comparison(ax, comparison, until):
    """A line for every law, the best one thicker, the refuted thin and grey; no bands, which would hide each other."""
    comparison.check_x()
    for fit, colour in _coloured(comparison):
        width = 0.8 if fit.law.name in comparison.refuted else 2.4 if fit is comparison.best else 1.3
        for at, style in _stretches(fit, None, until):
            ax.plot(at, fit.curve(at), style, color=colour, linewidth=width)


def _coloured(comparison):
    """Each law with its colour; grey for one that is refuted."""
    for k, fit in enumerate(comparison.fits):
        yield fit, _REFUTED if fit.law.name in comparison.refuted else _colour(k)


def _stretches(fit, first, last):
    """The x of a line from first to last (None: as far as the points go), dashed where it leaves the points behind."""
    low, high = np.min(fit.points[0]), np.max(fit.points[0])
    first, last = low if first is None else first, high if last is None else last
    for start, stop, style in ((first, low, "--"), (low, high, "-"), (high, last, "--")):
        if start < stop:
            yield np.linspace(start, stop, 81), style


def _colour(k):
    return _LINES[k % len(_LINES)]


def _label_curves(ax, comparison, until):
    """Each law's name at the right end of its curve; of one that has left the axes, where it would be."""
    last = max(until or 0, np.max(comparison.best.points[0]))
    low, high, ends = *ax.get_ylim(), []
    for fit, colour in _coloured(comparison):
        y = float(fit.curve(np.array([last]))[0])
        notes = ["refuted"] * (fit.law.name in comparison.refuted)
        notes += ["below zero"] * int(y < low) + ["above the axis"] * int(y > high)
        told = f" ({', '.join(notes)})" if notes else ""
        ends.append((last, min(max(y, low), high), f"{fit.law.name}{told}", colour))
    ax.margins(x=0.02)
    label_ends(ax, ends)


def _axes(ax, fit):
    """Axes from zero with units and few ticks; a legend where it hides least."""
    ax.set(xlabel=fit.label(fit.x), ylabel=fit.label(fit.y))
    top = 1.08 * max(ax.get_ylim()[1], fit.points[1].max())
    ax.set_ylim(0, min(top, 3 * fit.points[1].max()))
    ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=_whole(fit)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain_numbers)
    rising = fit.points[1][np.argmax(fit.points[0])] >= fit.points[1][np.argmin(fit.points[0])]
    legend(ax, "best" if np.isfinite(fit.spread) else "lower right" if rising else "upper right")


def _curve(ax, x, y, style, label):
    ax.plot(x, y, style, color=OKABE_ITO[0], linewidth=1.8, label=label)


def _band(ax, forecast):
    look = {"color": OKABE_ITO[0], "alpha": 0.18, "linewidth": 0}
    ax.fill_between(forecast["x"], forecast["mean_low"], forecast["mean_high"], **look)
