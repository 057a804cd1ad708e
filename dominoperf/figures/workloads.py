"""Pictures of what a user costs: CPU against users in panels, and paired ratios as dots."""

import textwrap

import matplotlib as mpl
from matplotlib.figure import Figure

from dominoperf.figures.style import GREY, OKABE_ITO, STYLE, WIDTH, Picture, svg

_RELEASES = {"5.0": ("s", OKABE_ITO[1]), "6": ("o", OKABE_ITO[0])}  # mark and colour of a release, in every picture


def demand_panels(demand, *, title="", subtitle="", foot="", alt=""):
    """Draw CPU utilization against users: a row of panels per workload, a column per platform, a mark per release.

    Parameters
    ----------
    demand : DataFrame
        platform, workload, release_family, users, cpu_utilization_percent, as `regression.demand` gives them.
    title, subtitle, foot, alt : str
        What stands above and below, and the text for who cannot see the picture.

    Returns
    -------
    Picture
        Points are what the document prints; the dashed line joins the origin with the point of the most users: the
        curve if CPU were proportional to users.
    """
    platforms, workloads = demand["platform"].unique(), demand["workload"].unique()
    with mpl.rc_context(STYLE | {"font.size": 9.5, "axes.titlesize": 10, "axes.titleweight": "normal"}):
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
        return Picture(svg(figure), alt or f"{title}. {_told(demand)}")


def ratio_dots(pairs, *, title="", subtitle="", foot="", alt=""):
    """Draw the ratios of pairs as dots on a logarithmic axis, each workload's geometric mean with its interval.

    Parameters
    ----------
    pairs : PairedRatios
        See `paired_ratios`.
    title, subtitle, foot, alt : str
        What stands above and below, and the text for who cannot see the picture.

    Returns
    -------
    Picture
    """
    known = pairs.tidy()[lambda frame: frame["ratio"].notna()]
    groups = [*pairs.by("workload").to_dict("records"), {"workload": "all pairs"} | pairs.glance().iloc[0].to_dict()]
    with mpl.rc_context(STYLE):
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
        return Picture(svg(figure), alt or f"{title}. {pairs.say()}.")


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
        ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color=GREY)


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
    line = {"color": GREY, "linewidth": 1.1, "dashes": (4, 3)}
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
    figure.text(0.01, down(0.12), subtitle, va="top", fontsize=9.5, color=GREY)
    place = {"loc": "upper left", "bbox_to_anchor": (0, down(0.25)), "borderaxespad": 0.2}
    figure.legend(handles=handles, ncols=len(handles), fontsize=9.5, columnspacing=1.4, handletextpad=0.4, **place)
    figure.supxlabel(foot, x=0.01, ha="left", fontsize=8.5, color=GREY)
