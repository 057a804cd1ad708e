"""Pictures of what a user costs: CPU against users in panels, and paired ratios as dots."""

import matplotlib as mpl
from matplotlib.figure import Figure

from dominoperf.figures.pictures import doubted, pictured
from dominoperf.figures.style import GREY, HALF, SMALL, TEXT, balanced, looks, wrapped
from dominoperf.tables import doubts
from dominoperf.tables.rendering import number


def demand_panels(demand, *, title="", subtitle="", foot="", alt=""):
    """Draw CPU utilization against users: a row of panels per workload, a column per platform, a mark per release.

    Parameters
    ----------
    demand : DataFrame
        platform, workload, release_family, users, cpu_utilization_percent, as `capacity.demand` gives them.
    title, subtitle, foot, alt : str
        What stands above and below, and the text for who cannot see the picture.

    Returns
    -------
    Picture
        Points are what the document prints; the dashed line joins the origin with the point of the most users: the
        curve if CPU were proportional to users.
    """
    errata = doubts.doubts(doubts.within(demand, "users", "cpu_utilization_percent"))
    alt = alt or f"{title}. {_told(demand)}"
    title, foot = doubted(title, foot, errata)

    def make(size):
        small = {
            "font.size": 9.5 if size is TEXT else HALF.style["font.size"],
            "axes.titlesize": "medium",
            "axes.titleweight": "normal",
        }
        with mpl.rc_context(small | {"axes.titlepad": 6}):
            return _panels(demand, size, title, subtitle, foot)

    return pictured(make, alt, title, errata)


def _panels(demand, size, title, subtitle, foot):
    """A row per workload and a column per platform; in a narrow picture the other way round, for those are more."""
    sides = ("workload", "platform") if size is TEXT else ("platform", "workload")
    rows, columns = (demand[side].unique() for side in sides)
    figure = Figure((size.width, 1.1 + (1.75 if size is TEXT else 1.45) * len(rows)), layout="constrained")
    grid = figure.subplots(len(rows), len(columns), sharex=True, sharey=True, squeeze=False)
    for line, row in zip(grid, rows, strict=True):
        for ax, column in zip(line, columns, strict=True):
            _panel(ax, demand[(demand[sides[0]] == row) & (demand[sides[1]] == column)])
            ax.set_title(column if ax in grid[0] else "", loc="center")
        line[0].set_ylabel(f"{row}\nCPU (percent)")
    grid[0, 0].set(xlim=(0, 1.1 * demand["users"].max()), ylim=(0, 105), yticks=(0, 50, 100))
    grid[0, 0].xaxis.set_major_locator(mpl.ticker.MaxNLocator(3))
    grid[0, 0].xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda x, _: f"{x / 1000:g}"))
    axis, letters = ("users (thousands)", None) if size is TEXT else ("users (1,000)", SMALL)
    for ax in grid[-1]:
        ax.set_xlabel(axis, fontsize=letters)
    _head(figure, size, title, subtitle, foot, _release_marks(demand["release_family"].unique()))
    return figure


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
    alt = alt or f"{title}. {pairs.say()}."
    title, foot = doubted(title, foot, doubts.doubts(pairs))
    said = f"{subtitle}; bar: geometric mean, {pairs.level:.0%} interval; in brackets the number of pairs"
    axis = f"CPU per user, release {pairs.comparison} over release {pairs.baseline} (log scale)"

    def make(size):
        figure = Figure((size.width, 1.6 + 0.46 * len(groups)), layout="constrained")
        ax = figure.subplots()
        _pair_marks(ax, known, [group["workload"] for group in groups])
        _intervals(ax, groups)
        ax.set_xlabel(wrapped(axis, 60 if size is TEXT else 32))
        _ratio_ticks(ax, size)
        _head(figure, size, title, said, foot, ax.get_legend_handles_labels()[0])
        return figure

    return pictured(make, alt, title, doubts.doubts(pairs))


def _pair_marks(ax, known, workloads):
    """A dot a pair, of the colour and mark of its platform, in the row of its workload."""
    for platform, (colour, mark) in looks(known["platform"].unique()).items():
        part = known[known["platform"] == platform]
        at = [workloads.index(name) - 0.22 for name in part["workload"]]
        ax.plot(part["ratio"], at, mark, color=colour, markersize=7, label=platform, zorder=3)


def _intervals(ax, groups):
    """The geometric mean of each row with its interval, and a line at no change."""
    for at, group in enumerate(groups):
        ax.plot([group["low"], group["high"]], [at + 0.18] * 2, color="black", linewidth=1.6)
        ax.plot(group["ratio"], at + 0.18, "|", color="black", markersize=12, markeredgewidth=2.2)
    ax.axvline(1, color="#888888", linewidth=0.9, zorder=0)
    ax.set(xscale="log", yticks=range(len(groups)), yticklabels=[f"{g['workload']} ({g['n']})" for g in groups])
    ax.set_ylim(len(groups) - 0.5, -0.6)
    ax.tick_params(axis="y", length=0)


def _panel(ax, here):
    """One platform under one workload."""
    for release, points in here.groupby("release_family"):
        colour, mark = looks([release])[release]
        most = points.loc[points["users"].idxmax()]
        line = {"color": colour, "linewidth": 1.1, "dashes": (4, 3), "zorder": 1}
        ax.plot([0, most["users"]], [0, most["cpu_utilization_percent"]], **line)
        ax.plot(points["users"], points["cpu_utilization_percent"], mark, color=colour, markersize=6, zorder=3)
    if here.empty:
        ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color=GREY)


def _told(demand):
    """The points of the panels in words: per panel and release the load with the most users."""
    panel = ["workload", "platform", "release_family"]
    most = demand.sort_values("users", kind="stable").drop_duplicates(panel, keep="last")
    said = [
        f"{each.platform} {each.workload} release {each.release_family}: {number(each.cpu_utilization_percent)} % at"
        f" {number(each.users)} users"
        for each in most.sort_values(panel, kind="stable").itertuples()
    ]
    return f"CPU utilization at the largest printed loads: {'; '.join(said)}."


def _release_marks(releases):
    """Handles of a legend, a release each, and the dashed line."""
    shown = looks(sorted(releases))
    marks = [
        mpl.lines.Line2D([], [], marker=mark, color=colour, linestyle="", markersize=6, label=f"release {release}")
        for release, (colour, mark) in shown.items()
    ]
    line = {"color": GREY, "linewidth": 1.1, "dashes": (4, 3)}
    return [*marks, mpl.lines.Line2D([], [], label="if CPU were proportional to users", **line)]


def _ratio_ticks(ax, size):
    """Ticks of a ratio at plain numbers, as many as the axis has room for."""
    low, high = ax.get_xlim()
    some = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.5, 2, 3, 5, 10) if size is TEXT else (0.1, 0.2, 0.5, 1, 2, 5, 10)
    ticks = [tick for tick in some if low <= tick <= high]
    ax.xaxis.set_major_locator(mpl.ticker.FixedLocator(ticks))
    ax.xaxis.set_major_formatter(mpl.ticker.StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_locator(mpl.ticker.NullLocator())


def _head(figure, size, title, subtitle, foot, handles):
    """Set the finding, the data below it, the legend below that, and the source at the foot."""
    small = 9.5 if size is TEXT else SMALL
    head, below = balanced(title, size.title), wrapped(subtitle, size.subtitle + 10 * (size is TEXT))
    columns = len(handles) if size is TEXT else 2
    lines, more, marks = 1 + head.count("\n"), below.count("\n"), -(-len(handles) // columns)
    figure.set_figheight(figure.get_figheight() + 0.15 * (lines - 1 + more + marks - 1))
    figure.suptitle("\n".join([head, *[""] * (1 + more + marks)]), x=0.01, ha="left", fontsize="large",
                    fontweight="bold")  # fmt: skip
    down = lambda inches: 1 - (inches + 0.19 * lines) / figure.get_figheight()  # noqa: E731
    figure.text(0.01, down(0.12), below, va="top", fontsize=small, color=GREY)
    place = {"loc": "upper left", "bbox_to_anchor": (0, down(0.27 + 0.14 * more)), "borderaxespad": 0.2}
    figure.legend(handles=handles, ncols=columns, fontsize=small, columnspacing=1.4, handletextpad=0.4, **place)
    figure.supxlabel(wrapped(foot, size.foot), x=0.01, ha="left", fontsize=8.5 if size is TEXT else SMALL, color=GREY)
