"""Pictures of what a user costs: CPU against users in panels, and paired ratios as dots."""

import matplotlib as mpl
import pandas as pd
import seaborn as sns

from dominoperf.figures.labels import name_rows
from dominoperf.figures.pictures import Picture, drawn
from dominoperf.figures.theme import GREY, TEXT, legend_below, looks, plain_numbers, plain_ticks
from dominoperf.tables import doubts


def demand_panels(demand: pd.DataFrame, *, title: str = "", subtitle: str = "", foot: str = "",
                  alt: str = "") -> Picture:  # fmt: skip
    """Return CPU utilization against users as a picture: a row of panels per workload, a column per platform.

    Parameters
    ----------
    demand : DataFrame
        platform, workload, release_family, users, cpu_utilization_percent, as `capacity.demand` gives them.
    title, subtitle, foot, alt : str
        What stands above and below, and the text for who cannot see the picture.

    Returns
    -------
    Picture
        Points are what the document prints, a mark per release; the dashed line joins the origin with the point of the
        most users: the curve if CPU were proportional to users.
    """
    x, y, group = "users", "cpu_utilization_percent", "release"
    demand = demand.assign(release="release " + demand["release_family"])
    looking = looks(sorted(demand["release_family"].unique()))
    looking = {name: {f"release {key}": look for key, look in each.items()} for name, each in looking.items()}
    most = demand.sort_values(x, kind="stable").drop_duplicates(["platform", "workload", group], keep="last")
    lines = pd.concat([most, most.assign(**{x: 0, y: 0})])

    def draw(size):
        row, col = ("workload", "platform") if size is TEXT else ("platform", "workload")  # the narrow one is turned
        height, columns = 1.75 if size is TEXT else 1.45, demand[col].nunique()
        grid = sns.relplot(demand, x=x, y=y, row=row, col=col, hue=group, style=group, **looking,
                           s=45, zorder=3, height=height, aspect=size.width / columns / height,
                           facet_kws={"margin_titles": True})  # fmt: skip
        for (one, other), ax in grid.axes_dict.items():
            ax.set_label(f"{one}, {other}")
            panel = lines[(lines[row] == one) & (lines[col] == other)]
            sns.lineplot(panel, x=x, y=y, hue=group, palette=looking["palette"], linestyle=(0, (4, 3)), linewidth=1.1,
                         legend=False, ax=ax)  # fmt: skip
            if panel.empty:
                ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color=GREY)
        grid.set(xlim=(0, 1.1 * demand[x].max()), ylim=(0, 105), yticks=(0, 50, 100))
        grid.set_titles(row_template="{row_name}", col_template="{col_name}").set_axis_labels("users", "CPU (percent)")
        grid.axes.flat[0].xaxis.set_major_locator(mpl.ticker.MaxNLocator(3))
        grid.axes.flat[0].xaxis.set_major_formatter(plain_numbers)
        return grid

    draw.figure_level = True
    errata = doubts.doubts(doubts.within(demand, x, y))
    about = f"{subtitle}; dashes: if CPU were proportional to users"
    return drawn(draw, title=title, subtitle=about, foot=foot, alt=alt, errata=errata)


def ratio_dots(pairs, *, title: str = "", subtitle: str = "", foot: str = "",
               alt: str = "") -> Picture:  # fmt: skip
    """Return the ratios of pairs as a picture: dots on a logarithmic axis, each workload's mean with its interval.

    Parameters
    ----------
    pairs : PairedRatios
        See `paired_ratios`.
    title, subtitle, foot, alt : str
        What stands above and below, and the text for who cannot see the picture.

    Returns
    -------
    Picture
        Over each bar, the interval of a geometric mean, the pairs that it is the mean of.
    """
    known = pairs.tidy()[lambda frame: frame["ratio"].notna()]
    means = pd.concat([pairs.by("workload"), pairs.glance().assign(workload="all pairs")], ignore_index=True)
    means["row"] = means["workload"] + " (" + means["n"].astype(str) + ")"
    known = known.merge(means[["workload", "row"]], on="workload")
    looking = looks(known["platform"].unique())
    ends = means.melt("row", ["low", "ratio", "high"], value_name="end")  # of these the mean is the median

    def draw(ax):
        ax.set_xscale("log")
        ax.axvline(1, color="#888888", linewidth=0.9, zorder=0)
        sns.pointplot(ends, x="end", y="row", estimator="median", errorbar=("pi", 100), linestyle="none", marker="|",
                      markersize=16, markeredgewidth=2.2, color="black", label="geometric mean",
                      err_kws={"color": "#bbbbbb", "linewidth": 6, "solid_capstyle": "butt"}, ax=ax)  # fmt: skip
        for platform, colour in looking["palette"].items():
            here, mark = known[known["platform"] == platform], looking["markers"][platform]
            sns.stripplot(here, x="ratio", y="row", order=means["row"], jitter=False, color=colour, marker=mark,
                          size=7.5, label=platform, zorder=3, ax=ax)  # fmt: skip
        name_rows(ax, means["row"])
        plain_ticks(ax.xaxis, *ax.get_xlim())
        ax.set_xlabel(f"CPU per user, release {pairs.comparison} over release {pairs.baseline} (log scale)")
        legend_below(ax)

    about = f"{subtitle}; bar: geometric mean, {pairs.level:.0%} interval; in brackets the number of pairs"
    words = {"title": title, "subtitle": about, "foot": foot, "alt": alt or f"{title}. {pairs.say()}."}
    return drawn(draw, **words, height=2 + 0.46 * len(means), errata=doubts.doubts(pairs))
