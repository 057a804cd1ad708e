"""A fit, a comparison or a forecast as a picture: points on top, a line with its band, extrapolation dashed."""

import html
import itertools
import math
from collections.abc import Callable, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dominoperf import runs, tables
from dominoperf.errors import BadTable, UnknownName, as_python, check_number, names_its_keywords
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.labels import label_ends, name_points
from dominoperf.figures.load_tests import plot_difference, plot_run, run_words
from dominoperf.figures.marks import draw_marks, hollow_marks, panels_of, set_axis_scales, shade_interval, shade_stretch
from dominoperf.figures.pictures import Drawing, Picture, alt_text, figure_as_svg, picture_for_page
from dominoperf.figures.theme import (
    HALF,
    HEIGHT,
    TEXT,
    is_half_width,
    legend,
    logarithmic,
    plain_numbers,
    series_styles,
    theme,
)
from dominoperf.fitting import Comparison, Fit, Forecast
from dominoperf.fitting.comparison import check_laws_share_axis
from dominoperf.loadtests import Difference, Steady
from dominoperf.tables import carried_errata
from dominoperf.tables.carried_errata import columns_used

# As many as the largest family has laws, those that it borrows too: no two may look alike.
_LINES = (*OKABE_ITO, "#661100", "#882255", "#999933", "#332288")
_REFUTED = "#767676"
_FEW_ENDS = 3  # curves whose names stand at their ends in a narrow picture
_POINTS_THAT_ARE_TICKS = 6  # points across whose places are the ticks of a logarithmic axis


@names_its_keywords()
def plot(result: Fit | Comparison | Forecast | Steady | Difference, ax: Axes | None = None, *,
         until: float | None = None, beside: pd.DataFrame | None = None, names: str = "", log: str = "",
         untested: tuple[float, float] | None = None, more: Sequence[Fit] = ()) -> Axes:  # fmt: skip
    """Return axes with a fit (points, curve and its interval), a comparison (each law's curve), a forecast, a run or
    the two curves of `ab`.

    Parameters
    ----------
    result : Fit, Comparison, Forecast, Steady or Difference
        What is drawn.
    ax : Axes, optional
        Where to draw; by default on axes of a new figure.
    until : float, optional
        Draw the curve to here; what lies beyond the points is dashed. A forecast is drawn to its last x by default.
    beside : DataFrame, optional
        Published points that the curve was not fitted to, with the fit's columns: drawn hollow.
    names : str, optional
        Column of `beside` with words to write at these points.
    log : str, optional
        "x", "y" or "xy": axes on which ratios matter; of a fit or a comparison.
    untested : (float, float), optional
        Stretch of the axis across that is shaded, for nothing was tested there.
    more : sequence of Fit, optional
        Further fits of the same columns, each drawn as a curve in a colour of its own, without a band.

    Returns
    -------
    Axes

    Raises
    ------
    UnknownName
        When it is no result that can be drawn.

    Examples
    --------
    >>> from dominoperf import figures, fit
    >>> frame = pd.DataFrame({"processors": [1, 2, 3], "users": [1920, 2850, 3400]})
    >>> ax = figures.plot(fit("amdahl", frame), until=4)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ["Amdahl's law, 95 % interval of the curve", 'points fitted']
    """
    if not isinstance(result, (Fit, Comparison, Forecast, Steady, Difference)):
        expected = "a Fit, a Comparison, a Forecast, a Steady or a Difference"
        remedy = "Give what fit, compare, forecast, steady_state or ab returned."
        raise UnknownName("plot(result=...)", expected=expected, found=type(result).__name__, remedy=remedy)
    for name, is_right, expected, found, remedy in (
        ("ax", ax is None or isinstance(ax, Axes), "axes of matplotlib", type(ax).__name__,
         "Give what plt.subplots() made"),
        ("beside", beside is None or isinstance(beside, pd.DataFrame), "a DataFrame", type(beside).__name__,
         "Give points with the columns of the fit"),
        ("log", log in ("", "x", "y", "xy", "yx"), '"x", "y" or "xy"', as_python(log),
         'Name the axes on which ratios matter, say log="xy"'),
        ("untested", untested is None or (isinstance(untested, tuple | list) and len(untested) == 2), "two numbers",
         as_python(untested), "Give where the stretch begins and ends, say untested=(1, 4)"),
        ("more", isinstance(more, tuple | list) and all(isinstance(each, Fit) for each in more), "fits, in a list",
         type(more).__name__, "Give what fit returned, in a list"),
    ):  # fmt: skip
        if not is_right:
            remedy = f"{remedy}, or leave it out."
            raise BadTable(f"plot({name}=...)", expected=expected, found=found, remedy=remedy)
    for name, number in [("until", until), *(("untested", end) for end in untested or ())]:
        if number is not None:
            check_number(f"plot({name}=...)", number, -math.inf, math.inf)
    ax = ax or Figure((TEXT.width, HEIGHT), layout="constrained").subplots()
    if isinstance(result, Steady):
        return plot_run(result, ax)
    if isinstance(result, Difference):
        return plot_difference(result, ax)
    if isinstance(result, Forecast):
        _draw_forecast(ax, result, until)
    else:
        _draw_fits(ax, result, until, beside if beside is None or len(beside) else None, names, log, untested, more)
    return ax


def _draw_fits(ax, result, until, beside, names, log, untested, more):
    """The curve of a fit with its band, or of each law of a comparison, below the points."""
    one = result.best if isinstance(result, Comparison) else result
    if isinstance(result, Comparison):  # the best law thicker, the refuted ones thin and grey
        check_laws_share_axis(result.fits, "x")
        laws = _looks_of_laws(result, one)
        _draw_curves(ax, laws, until=until)
    else:
        has_interval = np.isfinite(one.residual_sd) and one.interval != "none"
        note = f", {100 * one.level:g} % interval of the curve" if has_interval else ""
        note = ": the points refute it" if one.refuted else note
        _draw_curves(ax, {f"{one.law.title}{note}": (one, OKABE_ITO[0], 1.8)}, until=until)
        if not one.refuted:
            low, high = np.min(one.points[0]), np.max(one.points[0])
            at = _curve_positions(low, high if until is None else max(until, high), 41)  # smoother than the curve
            interval = one.predict(at)
            shade_interval(ax, interval["x"], interval["mean_low"], interval["mean_high"], color=OKABE_ITO[0])
    for each, colour in zip(more, itertools.cycle(_LINES[2:]), strict=False):
        _draw_curves(ax, {each.law.title: (each, colour, 1.4)}, until=until)

    if one.y_err is not None:
        ax.errorbar(*one.points, yerr=one.y_err, fmt="none", ecolor="black", elinewidth=1, capsize=2.5)
    named = "published rule" if one.error_from == "rule" else "points fitted"  # a rule is no measurement
    points = _printed_points(one)
    draw_marks(ax, points, one.x, one.y, color="black", label=named)
    if beside is not None:
        others = {"color": OKABE_ITO[1], "marker": "s", "size": 9.5, "label": "other points, not fitted"}
        draw_marks(ax, beside, one.x, one.y, hollow=True, **others)

    _label_axes(ax, one)
    x, y = one.points
    top = 1.08 * max(ax.get_ylim()[1], y.max())
    ax.set_ylim(0, min(top, 3 * y.max()))
    rises = y[x.argmax()] >= y[x.argmin()]
    legend(ax, "best" if np.isfinite(one.residual_sd) else "lower right" if rises else "upper right")
    if log:
        shown = [points[[one.x, one.y]]] + ([beside[[one.x, one.y]]] if beside is not None else [])
        if until is not None:  # where the curves end
            shown += [pd.DataFrame({one.x: [until], one.y: fit.curve(np.array([until]))}) for fit in (one, *more)]
        for axis, name in ((ax.xaxis, one.x), (ax.yaxis, one.y)):
            values = pd.concat(shown)[name].astype(float)
            if axis.axis_name in log:
                logarithmic(axis, values.min(), values.max())
                if axis is ax.xaxis and values.nunique() <= _POINTS_THAT_ARE_TICKS:
                    axis.set_major_locator(mpl.ticker.FixedLocator(sorted(set(values))))
    if untested:
        shade_stretch(ax, *untested, "nothing tested")
    if names and beside is not None:
        name_points(ax, beside, one.x, one.y, names, others["label"])

    if isinstance(result, Comparison):
        _name_laws(ax, laws, result.refuted, max(until or 0, x.max()))


def _looks_of_laws(result, one):
    """Each law of a comparison by its name: its fit, its colour and its width, that of the best one thicker."""
    return {
        fit.law.title: (fit, _REFUTED, 0.8)
        if fit.law.name in result.refuted
        else (fit, _LINES[k % len(_LINES)], 2.4 if fit is one else 1.3)
        for k, fit in enumerate(result.fits)
    }


def _name_laws(ax, laws, refuted, last):
    """Each law's name at the right end of its curve, or where the axes end; in a legend, where there is no room."""
    low, high, ends = *ax.get_ylim(), []
    for name, (fit, colour, width) in laws.items():
        y = float(fit.curve(np.array([last]))[0])
        notes = ["refuted"] * (fit.law.name in refuted)
        notes += ["below zero"] * int(y < low) + ["above the axis"] * int(y > high)
        words = f"{name} ({', '.join(notes)})" if notes else name
        ends.append((last, min(max(y, low), high), words, colour, width))
    if is_half_width(ax) and len(ends) > _FEW_ENDS:
        for *_, words, colour, width in sorted(ends, key=lambda end: -end[1]):
            ax.plot([], [], color=colour, linewidth=width, label=words)
        legend(ax)
    else:
        ax.margins(x=0.02)
        label_ends(ax, [end[:4] for end in ends])


def _draw_forecast(ax, forecast, until):
    """The points, the laws through them, and beyond them the forecast, dashed, in its band."""
    x, y = forecast.points
    until = max(until or 0, forecast.at.max())
    inside = forecast.tidy_at(np.union1d(np.linspace(x[0], x[-1], 161), x))
    ax.plot(inside["x"], inside["predicted"], color=OKABE_ITO[0], linewidth=1.2, label="laws through the points")
    if until > x[-1]:
        beyond = forecast.tidy_at(np.linspace(x[-1] * (1 + 1e-9), until, 161))
        ax.plot(beyond["x"], beyond["predicted"], color=OKABE_ITO[0], linewidth=1.8, dashes=(4, 2), label="forecast")
        words = f"{100 * forecast.level:g} % band"
        shade_interval(ax, beyond["x"], beyond["low"], beyond["high"], color=OKABE_ITO[0], label=words)
    draw_marks(ax, _printed_points(forecast), forecast.x, forecast.y, color="black", label="points")
    predicted = forecast.tidy()
    draw_marks(ax, predicted, "x", "predicted", hollow=True, color=OKABE_ITO[0], label="forecast asked for")
    _label_axes(ax, forecast)
    top = np.nanmax([y.max(), predicted["predicted"].max(), *predicted["high"].clip(upper=3 * y.max())])
    ax.set_ylim(0, 1.08 * top)
    legend(ax, "upper left")


@names_its_keywords("dominoperf.figures.pictures:picture_for_page")
def picture(result: Fit | Comparison | Forecast | Steady | Callable, *, until: float | None = None,
            beside: pd.DataFrame | None = None, names: str = "", log: str = "",
            untested: tuple[float, float] | None = None, more: Sequence[Fit] = (), pointer: bool = False,
            **words: str | float) -> Picture:  # fmt: skip
    """Return a result as a picture for a page.

    Parameters
    ----------
    result : Fit, Comparison, Forecast, Steady or callable
        What to draw; a callable draws on the axes it is given.
    until, beside, names, log, untested, more
        As for `plot`.
    pointer : bool
        Whether a chart for a reader's pointer goes with it, to be in its place on a page: each mark tells its
        numbers and leads to where they are printed.
    **words
        title (the finding), subtitle (the data), foot (the source), alt (for a reader who cannot see it), height. A
        run has words of its own for those that are not given.

    Returns
    -------
    Picture
        SVG with `alt` as the text for a reader who cannot see it.

    Examples
    --------
    >>> from dominoperf import figures, fit
    >>> frame = pd.DataFrame({"processors": [1, 2, 3], "users": [1920, 2850, 3400]})
    >>> figures.picture(fit("amdahl", frame), title="Each further processor brings less").title
    'Each further processor brings less'
    """
    how = {"until": until, "beside": beside, "names": names, "log": log, "untested": untested, "more": more}
    draw = result if callable(result) else lambda ax: plot(result, ax, **how)
    if isinstance(result, Fit | Comparison):
        layers = lambda: chart(result, until=until, beside=beside, names=names, log=log, more=more)  # noqa: E731
        draw = Drawing(draw, chart=layers)
    defaults = run_words(result) if isinstance(result, Steady) else {}
    return picture_for_page(draw, errata=carried_errata.errata_of(result, beside), pointer=pointer, **defaults | words)


def chart(result, *, until=None, beside=None, names="", log="", more=()):
    """Return the layers of a chart for a reader's pointer: a fit with its band, or each law of a comparison.

    The arguments are those of `plot`.
    """
    from dominoperf.figures import interactive

    is_one, one = isinstance(result, Fit), result if isinstance(result, Fit) else result.best
    laws = {one.law.title: (one, OKABE_ITO[0], 1.8)} if is_one else _looks_of_laws(result, one)
    laws |= {each.law.title: (each, colour, 1.4) for each, colour in zip(more, itertools.cycle(_LINES[2:]))}
    high = max(until or 0, np.max(one.points[0]))
    at = _curve_positions(np.min(one.points[0]), high, 41)
    band = one.predict(at) if is_one and not one.refuted else None
    how = {"until": until, "beside": beside, "names": names, "band": band, "log": log}
    return interactive.laws(laws, _printed_points(one), one.x, one.y, **how)


def small(result: Fit | Comparison | Steady) -> str:
    """Return a result as a small SVG for a notebook, with a text for a reader who cannot see it; needs no network.

    Examples
    --------
    >>> from dominoperf import figures, fit
    >>> figures.small(fit("linear", x=[1, 2, 4], y=[10, 21, 39]))[:39]
    '<figure role="img" aria-label="Axes: x '
    """
    with theme(HALF):
        figure = Figure((HALF.width, 0.75 * HEIGHT), layout="constrained")
        plot(result, figure.subplots())
        return f'<figure role="img" aria-label="{html.escape(alt_text(figure))}">{figure_as_svg(figure)}</figure>'


def residuals(fit: Fit) -> Drawing:
    """Return a drawing of what a fit leaves at each point, in percent of the curve or in units of y; for `picture`.

    Examples
    --------
    >>> from dominoperf import figures, fit
    >>> frame = pd.DataFrame({"processors": [1, 2, 3], "users": [1920, 2850, 3400]})
    >>> figures.picture(figures.residuals(fit("power", frame)), title="The middle one lies above the power")
    Picture: The middle one lies above the power. Axes: processors across, 0.9 to 3.1; residual, % upwards, −2.89 to 2.89. points: −0.8023 at 1, 2.312 at 2, −1.356 at 3.
    """  # noqa: E501
    rows = fit.augment()
    residual = 100 * rows["residual"] / rows["fitted"] if fit.relative else rows["residual"]
    unit = "%" if fit.relative else tables.units().get(fit.y, "")

    def draw(ax):
        ax.axhline(0, color=OKABE_ITO[0], linewidth=1.2)
        ax.vlines(rows["x"], 0, residual, color="black", linewidth=1.2)
        draw_marks(ax, rows.assign(residual=residual), "x", "residual", color="black", size=5)
        most = 1.25 * np.abs(residual[np.isfinite(residual)]).max()
        _label_axes(ax, fit)
        ax.set(ylabel=f"residual, {unit}", ylim=(-most or -1, most or 1))
        ax.yaxis.set_major_locator(mpl.ticker.MaxNLocator(4))

    return Drawing(draw).with_errata_of(fit)


def overlay(fits, frame, *, names=""):
    """Return a drawing of several fits in one plane, over all points whether fitted or not; for `picture`.

    `fits` has words to name a curve by, and its `Fit`; all have the same columns, and so has `frame`, the points. A
    curve is dashed where it leaves its own points behind, and has no band, for bands would hide each other. Points that
    a fit took are filled. `names` is a column of words written beside each point.
    """
    one = next(iter(fits.values()))
    rows = frame[frame[one.x].notna() & frame[one.y].notna()]
    taken = {point for fit in fits.values() for point in zip(*map(tuple, fit.points), strict=True)}
    filled = np.array([point in taken for point in zip(rows[one.x], rows[one.y], strict=True)], dtype=bool)

    def draw(ax):
        first, last = rows[one.x].min(), rows[one.x].max()
        shown = {name: (fit, _LINES[k % len(_LINES)], 1.8) for k, (name, fit) in enumerate(fits.items())}
        _draw_curves(ax, shown, since=first, until=last)
        draw_marks(ax, rows[filled], one.x, one.y, color="black", label="points fitted")
        draw_marks(ax, rows[~filled], one.x, one.y, hollow=True, color="black", label="not fitted")
        legend(ax, "upper left")
        if names:
            name_points(ax, rows, one.x, one.y, names)
        _label_axes(ax, one)
        ax.set_ylim(0, 1.08 * rows[one.y].max())
        ax.margins(x=0.09 if names else 0.05)  # the name of the first point needs room
        ends = [(last, float(fit.curve(np.array([last]))[0]), name, colour) for name, (fit, colour, _) in shown.items()]
        label_ends(ax, ends)

    return Drawing(draw).with_errata_of(*fits.values(), columns_used(frame, one.x, one.y))


def panels_of_fits(fits, frame, x, y, *, group, log="", unit="", names=""):
    """Return a drawing of a panel per group: its quoted numbers, hollow, and the curve of its own fit; for `picture`.

    `fits` has the `Fit` of each group, `frame` the points of all; the rest is as for `points`.
    """
    rows = frame[frame[x].notna() & frame[y].notna()]
    colours = series_styles(rows[group].unique())["palette"]

    def draw(size):
        grid = panels_of(rows, x, y, group, size, columns=2, height=2.1)
        for name, ax in grid.axes_dict.items():
            hollow_marks(ax)
            if name in fits:
                _draw_curves(ax, {name: (fits[name], colours[name], 1.3)})
        set_axis_scales(grid.axes.flat, rows, x, y, log, unit)
        for name, ax in grid.axes_dict.items() if names else ():
            name_points(ax, rows[rows[group] == name], x, y, names)
        return grid

    return Drawing(draw, figure_level=True).with_errata_of(*fits.values(), columns_used(frame, x, y))


def _printed_points(result):
    """The points of a fit or a forecast by the names of their columns; of a series each with its place."""
    points = pd.DataFrame(dict(zip((result.x, result.y), result.points, strict=True)))
    rows = runs.series(result.source.series) if result.source.series else points
    if "locator" not in rows or not {result.x, result.y} <= {*rows}:
        return points
    axes = [result.x, result.y]
    places = rows[[*axes, "locator"]].drop_duplicates(axes)
    return points.astype(float).merge(places.astype(dict.fromkeys(axes, float)), how="left")


def _draw_curves(ax, fits, *, since=None, until=None):
    """A line for each named (fit, colour, width), dashed where it leaves its points behind."""
    label = {"label": next(iter(fits))} if len(fits) == 1 else {}  # of its first line alone
    for fit, colour, width in fits.values():
        low, high = np.min(fit.points[0]), np.max(fit.points[0])
        first, last = low if since is None else since, high if until is None else until
        for start, stop, dashes in ((low, high, ()), (first, low, (4, 2)), (high, last, (4, 2))):
            if start < stop:
                at = _curve_positions(start, stop, 161)
                look = {"color": colour, "linewidth": width} | ({"dashes": dashes} if dashes else {}) | label
                ax.plot(at, fit.curve(at), **look)
                label = {}


def _curve_positions(start, stop, count):
    """Positions at which a curve is drawn: even ones, and where they span a decade as many that are even in ln."""
    even = np.linspace(start, stop, count)
    return np.union1d(even, np.geomspace(start, stop, count)) if 0 < 10 * start <= stop else even


def _label_axes(ax, result):
    """Words and units of the axes of a fit or a forecast, with few plain ticks; whole ones where all x are whole."""
    ax.set(xlabel=result.label(result.x), ylabel=result.label(result.y))
    is_whole = bool(np.all(result.points[0] == np.round(result.points[0])))
    ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=is_whole))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain_numbers)
