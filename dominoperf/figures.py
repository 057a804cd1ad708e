"""Draw a result on given axes in one style: data are points on top, a law is a line, extrapolation is dashed."""

import html
import io
import textwrap
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


_RELEASES = {"5.0": ("s", OKABE_ITO[1]), "6": ("o", OKABE_ITO[0])}  # mark and colour of a release, in every picture


def demand_panels(demand, *, title="", subtitle="", foot="", alt=""):
    """Draw CPU utilization against users: a row of panels per workload, a column per platform, a mark per release.

    Parameters
    ----------
    demand : DataFrame
        platform, workload, release_family, users, cpu_utilization_percent, as `regression.demand` gives them.

    Returns
    -------
    Picture
        Points are what the document prints; the dashed line joins the origin with the point of the most users: the
        curve if CPU were proportional to users.
    """
    platforms, workloads = demand["platform"].unique(), demand["workload"].unique()
    with mpl.rc_context(_STYLE | {"font.size": 9.5, "axes.titlesize": 10, "axes.titleweight": "normal"}):
        figure = Figure((WIDTH, 1.1 + 1.75 * len(workloads)), layout="constrained")
        grid = figure.subplots(len(workloads), len(platforms), sharex=True, sharey=True, squeeze=False)
        for row, workload in zip(grid, workloads, strict=True):
            for ax, platform in zip(row, platforms, strict=True):
                here = demand[(demand["platform"] == platform) & (demand["workload"] == workload)]
                _panel(ax, here)
                ax.set_title(platform if ax in grid[0] else "", loc="center")
            row[0].set_ylabel(f"{workload}\nCPU (percent)")
        grid[0, 0].set(xlim=(0, 1.1 * demand["users"].max()), ylim=(0, 105), yticks=(0, 50, 100))
        grid[0, 0].xaxis.set_major_locator(mpl.ticker.MaxNLocator(3))
        grid[0, 0].xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda x, _: f"{x / 1000:g}"))
        for ax in grid[-1]:
            ax.set_xlabel("users (thousands)")
        _head(figure, title, subtitle, foot, _release_marks(demand["release_family"].unique()))
        return Picture(_svg(figure), alt or f"{title}. {_told(demand)}")


def ratio_dots(pairs, *, title="", subtitle="", foot="", alt=""):
    """Draw the ratios of pairs as dots on a logarithmic axis, each workload's geometric mean with its interval.

    Parameters
    ----------
    pairs : PairedRatios

    Returns
    -------
    Picture
    """
    known = pairs.tidy()[lambda frame: frame["ratio"].notna()]
    groups = [*pairs.by("workload").to_dict("records"), {"workload": "all pairs"} | pairs.glance().iloc[0].to_dict()]
    with mpl.rc_context(_STYLE):
        figure = Figure((WIDTH, 1.6 + 0.46 * len(groups)), layout="constrained")
        ax = figure.subplots()
        for k, platform in enumerate(known["platform"].unique()):
            part = known[known["platform"] == platform]
            at = [[group["workload"] for group in groups].index(name) - 0.22 for name in part["workload"]]
            mark, colour = _MARKS[k % len(_MARKS)]
            ax.plot(part["ratio"], at, mark, color=colour, markersize=7, label=platform, zorder=3)
        for at, group in enumerate(groups):
            ax.plot([group["low"], group["high"]], [at + 0.18] * 2, color="black", linewidth=1.6)
            ax.plot(group["ratio"], at + 0.18, "|", color="black", markersize=12, markeredgewidth=2.2)
        ax.axvline(1, color="#888888", linewidth=0.9, zorder=0)
        ax.set(xscale="log", yticks=range(len(groups)), yticklabels=[f"{g['workload']} ({g['n']})" for g in groups])
        ax.set(xlabel=f"CPU per user, release {pairs.comparison} over release {pairs.baseline} (log scale)")
        ax.set_ylim(len(groups) - 0.5, -0.6)
        _ratio_ticks(ax)
        ax.tick_params(axis="y", length=0)
        said = f"bar: geometric mean, {pairs.level:.0%} interval; in brackets the number of pairs"
        _head(figure, title, f"{subtitle}; {said}", foot, ax.get_legend_handles_labels()[0])
        return Picture(_svg(figure), alt or f"{title}. {pairs.say()}.")


# Marks and colours of platforms: none is a release's.
_MARKS = (("^", OKABE_ITO[2]), ("D", OKABE_ITO[3]), ("v", OKABE_ITO[4]), ("P", OKABE_ITO[5]), ("X", OKABE_ITO[6]))


def _panel(ax, here):
    """One platform under one workload."""
    for release, points in here.groupby("release_family"):
        mark, colour = _RELEASES.get(release, ("^", OKABE_ITO[2]))
        most = points.loc[points["users"].idxmax()]
        line = {"color": colour, "linewidth": 1.1, "dashes": (4, 3), "zorder": 1}
        ax.plot([0, most["users"]], [0, most["cpu_utilization_percent"]], **line)
        ax.plot(points["users"], points["cpu_utilization_percent"], mark, color=colour, markersize=6, zorder=3)
    if here.empty:
        ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color="#444444")


def _told(demand):
    """The points of the panels in words: per panel and release the load with the most users."""
    most = demand.sort_values("users").drop_duplicates(["workload", "platform", "release_family"], keep="last")
    said = [
        f"{each.platform} {each.workload} release {each.release_family}: {each.cpu_utilization_percent:g} % at"
        f" {each.users:,.0f} users"
        for each in most.sort_values(["workload", "platform", "release_family"]).itertuples()
    ]
    return f"CPU utilization at the largest printed loads: {'; '.join(said)}."


def _release_marks(releases):
    """Handles of a legend, a release each, and the dashed line."""
    shown = {release: _RELEASES.get(release, ("^", OKABE_ITO[2])) for release in sorted(releases)}
    marks = [
        mpl.lines.Line2D([], [], marker=mark, color=colour, linestyle="", markersize=6, label=f"release {release}")
        for release, (mark, colour) in shown.items()
    ]
    line = {"color": "#444444", "linewidth": 1.1, "dashes": (4, 3)}
    return [*marks, mpl.lines.Line2D([], [], label="if CPU were proportional to users", **line)]


def _ratio_ticks(ax):
    """Ticks of a ratio at plain numbers, as many as the axis has room for."""
    low, high = ax.get_xlim()
    ticks = [tick for tick in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10) if low <= tick <= high]
    ax.xaxis.set_major_locator(mpl.ticker.FixedLocator(ticks))
    ax.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_locator(mpl.ticker.NullLocator())


def _head(figure, title, subtitle, foot, handles):
    """Set the finding, the data below it, the legend below that, and the source at the foot."""
    lines = textwrap.wrap(title, 68)
    figure.suptitle("\n".join([*lines, "", ""]), x=0.01, ha="left", fontsize=12, fontweight="bold")
    down = lambda inches: 1 - (inches + 0.21 * len(lines)) / figure.get_figheight()  # noqa: E731
    figure.text(0.01, down(0.12), subtitle, va="top", fontsize=9.5, color="#444444")
    place = {"loc": "upper left", "bbox_to_anchor": (0, down(0.25)), "borderaxespad": 0.2}
    figure.legend(handles=handles, ncols=len(handles), fontsize=9.5, columnspacing=1.4, handletextpad=0.4, **place)
    figure.supxlabel(foot, x=0.01, ha="left", fontsize=8.5, color="#444444")
