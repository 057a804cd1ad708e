"""Draw a result on given axes in one style: data are points on top, a law is a line, extrapolation is dashed."""

import html
import io
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from dominoperf import catalog

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
WIDTH, HEIGHT = 7.0, 4.2  # inches: the width of the text
_STYLE = {
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "svg.hashsalt": "dominoperf",  # without it every SVG gets new ids
    "svg.fonttype": "path",
    "text.parse_math": False,  # a dollar sign in a title is one
}


def plot(result, ax=None, *, until=None, beside=None):
    """Draw a fit: its points, its curve and the interval of the curve.

    Parameters
    ----------
    result : Fit
    ax : Axes, optional
        Where to draw; by default on axes of a new figure.
    until : float, optional
        Draw the curve to here; what lies beyond the points is dashed.
    beside : DataFrame, optional
        Published points that the curve was not fitted to, with the fit's columns: drawn hollow.

    Returns
    -------
    Axes
    """
    ax = ax or Figure((WIDTH, HEIGHT), layout="constrained").subplots()
    points = result.augment()
    first, last = points["x"].min(), points["x"].max()
    inside = result.predict(np.linspace(first, last, 21))
    band = f", {result.level:.0%} interval of the curve" if np.isfinite(result.spread) else ""
    _curve(ax, inside, "-", f"{result.law.title}{band}")
    if until and until > last:
        _curve(ax, result.predict(np.linspace(last, until, 9)), "--", None)
    ax.plot(points["x"], points["y"], "o", color="black", markersize=7, zorder=3, label="points fitted")
    if beside is not None and len(beside):
        hollow = {"color": OKABE_ITO[1], "markerfacecolor": "white", "markersize": 7, "zorder": 2.5}
        ax.plot(beside[result.x], beside[result.y], "s", label="other points, not fitted", **hollow)
    ax.set(xlabel=catalog.label(result.x), ylabel=catalog.label(result.y))
    ax.set_ylim(0, 1.08 * max(ax.get_ylim()[1], points["y"].max()))
    ax.xaxis.set_major_locator(mpl.ticker.MaxNLocator(integer=True))
    ax.yaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:,.0f}"))
    ax.legend(loc="lower right")
    return ax


def picture(result, *, title="", subtitle="", foot="", alt="", until=None, beside=None):
    """Draw a result as a picture for a page: the finding as title, the data below it, the source at the foot.

    Returns
    -------
    Picture
        SVG with `alt` as the text for a reader who cannot see it.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure((WIDTH, HEIGHT), layout="constrained")
        ax = plot(result, figure.subplots(), until=until, beside=beside)
        ax.set_title(f"{title}\n" if subtitle else title, wrap=True)
        ax.text(0, 1.02, subtitle, transform=ax.transAxes, color="#444444")
        figure.supxlabel(foot, x=0.01, ha="left", fontsize=8.5, color="#444444")
        return Picture(_svg(figure), alt or title)


@dataclass(frozen=True)
class Picture:
    """A drawn figure: `svg` as text, `alt` for a reader who cannot see it."""

    svg: str
    alt: str

    def __repr__(self):
        """Tell the picture in words."""
        return f"Picture: {self.alt}"

    def _repr_html_(self):
        return f'<figure role="img" aria-label="{html.escape(self.alt)}">{self.svg}</figure>'


def _curve(ax, forecast, style, label):
    ax.fill_between(
        forecast["x"], forecast["mean_low"], forecast["mean_high"], color=OKABE_ITO[0], alpha=0.18, linewidth=0
    )
    ax.plot(forecast["x"], forecast["predicted"], style, color=OKABE_ITO[0], linewidth=1.8, label=label)


def _svg(figure):
    """The figure as SVG, the same bytes at every run: no date, no random ids."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
