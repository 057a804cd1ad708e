"""Drawings that one page needs: what a user costs, load and its targets, a published sizing rule, space of volumes."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns

from dominoperf import tables
from dominoperf.errors import counted
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.fits import plot
from dominoperf.figures.labels import name_rows
from dominoperf.figures.marks import Panels, draw_marks, shade_stretch
from dominoperf.figures.pictures import Drawing, Picture, picture_for_page
from dominoperf.figures.theme import GREY, SMALL, TEXT, legend, legend_below, plain_numbers, plain_ticks, series_styles
from dominoperf.fitting import Fit
from dominoperf.runs import benchmarks
from dominoperf.study import memory_rules
from dominoperf.tables import carried_errata
from dominoperf.tables.carried_errata import columns_used


def machine_names(runs: pd.DataFrame) -> pd.Series:
    """Return the processors of each run by a name that a reader can hold: ``2 × Pentium Pro 200, 512 KB``.

    A cache that is not known is left out; where no family is known it is the system's own name, with its processors
    where the runs have it with several numbers of them.
    """
    count = runs["processors"].map("{:.0f} × ".format).where(runs["processors"] > 1, "")
    megabytes = (runs["l2_kb"] / 1024).map(", {:g} MB".format)
    cache = runs["l2_kb"].map(", {:.0f} KB".format).where(runs["l2_kb"] < 1024, megabytes)
    clock = runs["clock_mhz"].map(" {:.0f}".format).where(runs["clock_mhz"].notna(), "")
    names = count + runs["processor_family"] + clock + cache.where(runs["l2_kb"].notna(), "")
    apart = runs.groupby("system")["processors"].transform("nunique") > 1
    number = (
        runs["processors"]
        .map(lambda n: f", {counted(round(n), 'processor')}", na_action="ignore")
        .where(apart)
        .fillna("")
    )
    return names.where(runs["processor_family"].fillna("") != "", runs["system"] + number)


def named_points(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a published series with the machine of each as `name`; "" where no run is printed there."""
    runs = benchmarks()
    runs = runs.assign(name=machine_names(runs), locator=runs["locator"].str.split("; ")).explode("locator")
    names = runs.drop_duplicates("locator").set_index("locator")["name"]
    return rows.assign(name=rows["locator"].map(names).fillna(""))


def beside_grosch(fit: Fit, beside: pd.DataFrame) -> Drawing:
    """Return a drawing of capacity against price on logarithmic axes, beside the slope of Grosch's law; for `picture`.

    The dotted line has Grosch's exponent of two, through the middle of the points. Machines `beside` are hollow.
    """

    def draw(ax):
        plot(fit, ax, beside=beside, log="xy")
        price, users = fit.points
        middle, ends = np.exp(np.mean(np.log(price))), np.array([min(price), max(price)])
        limits = ax.get_ylim()
        grosch = np.exp(np.mean(np.log(users))) * (ends / middle) ** 2
        about = {"color": GREY, "linestyle": ":", "linewidth": 1.4}
        ax.plot(ends, grosch, **about, label="Grosch's law: twice the price, four times the users")
        ax.set_ylim(limits)
        if ax.get_legend():
            ax.get_legend().remove()
        legend_below(ax)

    return Drawing(draw).with_errata_of(fit, columns_used(beside, fit.x, fit.y))


def demand_panels(demand: pd.DataFrame, *, title: str, subtitle: str = "", foot: str = "") -> Picture:
    """Return CPU utilization against users as a picture: a row of panels per workload, a column per platform.

    Points are what the document prints (`machines.demand`), a mark per release; the dashed line joins the origin with
    the point of the most users: the curve if CPU were proportional to users. The words are as for `figures.picture`.
    """
    x, y, group = "users", "cpu_utilization_percent", "release"
    demand = demand.assign(release="release " + demand["release_family"])
    looking = series_styles(sorted(demand["release_family"].unique()))
    looking = {
        name: {f"release {key}": look for key, look in by_release.items()} for name, by_release in looking.items()
    }
    most = demand.sort_values(x, kind="stable").drop_duplicates(["platform", "workload", group], keep="last")
    lines = pd.concat([most, most.assign(**{x: 0, y: 0})])

    def draw(size):
        row, col = ("workload", "platform") if size is TEXT else ("platform", "workload")  # the narrow one is turned
        height, columns = 1.75 if size is TEXT else 1.45, demand[col].nunique()
        how = {"height": height, "aspect": size.width / columns / height, "margin_titles": True, "dropna": False}
        grid = Panels(demand, row=row, col=col, **how)
        grid.map_dataframe(sns.scatterplot, x=x, y=y, hue=group, style=group, **looking, s=45, zorder=3, legend=False)
        for name in demand[group].unique():
            look = {"color": looking["palette"][name], "marker": looking["markers"][name], "linestyle": "none"}
            grid.axes.flat[0].plot([], [], label=name, markersize=7.5, markeredgecolor="white", **look)
        grid.figure.legend(*grid.axes.flat[0].get_legend_handles_labels(), loc="center right")
        for (one, other), ax in grid.axes_dict.items():
            ax.set_label(f"{one}, {other}")
            panel = lines[(lines[row] == one) & (lines[col] == other)]
            if panel.empty:
                ax.text(0.5, 0.5, "not printed", transform=ax.transAxes, ha="center", color=GREY)
                continue
            sns.lineplot(panel, x=x, y=y, hue=group, palette=looking["palette"], linestyle=(0, (4, 3)), linewidth=1.1,
                         legend=False, ax=ax)  # fmt: skip
        grid.set(xlim=(0, 1.1 * demand[x].max()), ylim=(0, 105), yticks=(0, 50, 100))
        grid.set_titles(row_template="{row_name}", col_template="{col_name}").set_axis_labels("users", "CPU (percent)")
        grid.axes.flat[0].xaxis.set_major_locator(mpl.ticker.MaxNLocator(3))
        grid.axes.flat[0].xaxis.set_major_formatter(plain_numbers)
        return grid

    errata = carried_errata.errata_of(columns_used(demand, x, y))
    about = f"{subtitle}; dashes: if CPU were proportional to users"
    drawing = Drawing(draw, figure_level=True)
    return picture_for_page(drawing, title=title, subtitle=about, foot=foot, errata=errata)


def ratio_dots(pairs, *, title: str, subtitle: str = "", foot: str = "") -> Picture:
    """Return the ratios of pairs as a picture: dots on a logarithmic axis, each workload's mean with its interval.

    Over each bar, the interval of a mean, are the pairs that it is the mean of: a geometric mean of each workload, that
    of crossed random effects over all pairs. The words are as for `figures.picture`.
    """
    ratios = pairs.tidy()[lambda frame: frame["ratio"].notna()]
    means = pd.concat([pairs.by("workload"), pairs.glance().assign(workload="all pairs")], ignore_index=True)
    means["row"] = means["workload"] + " (" + means["n"].astype(str) + ")"
    ratios = ratios.merge(means[["workload", "row"]], on="workload")
    looking = series_styles(ratios["platform"].unique())
    ends = means.melt("row", ["low", "ratio", "high"], value_name="end")  # of these the mean is the median
    across = f"CPU per user of release {pairs.comparison}, divided by that of release {pairs.baseline} (log scale)"

    def draw(ax):
        ax.set_xscale("log")
        ax.axvline(1, color="#888888", linewidth=0.9, zorder=0)
        sns.pointplot(ends, x="end", y="row", estimator="median", errorbar=("pi", 100), linestyle="none", marker="|",
                      markersize=16, markeredgewidth=2.2, color="black", label="mean",
                      err_kws={"color": "#bbbbbb", "linewidth": 6, "solid_capstyle": "butt"}, ax=ax)  # fmt: skip
        for platform, colour in looking["palette"].items():
            here, mark = ratios[ratios["platform"] == platform], looking["markers"][platform]
            sns.stripplot(here, x="ratio", y="row", order=means["row"], jitter=False, color=colour, marker=mark,
                          size=7.5, label=platform, zorder=3, ax=ax)  # fmt: skip
        name_rows(ax, means["row"])
        plain_ticks(ax.xaxis, *ax.get_xlim())
        ax.set_xlabel(across)
        legend_below(ax)

    def chart():
        from dominoperf.figures import interactive

        look = {"group": "platform", "reference": 1, "log": True, "unit": across, "means": means}
        return interactive.dots(ratios, "row", "ratio", order=means["row"], **look)

    about = f"{subtitle}; in brackets the number of pairs; tick: geometric mean, of all pairs by random effects"
    about += f"; bar: {100 * pairs.level:g} % interval"
    words = {"title": title, "subtitle": about, "foot": foot, "alt": f"{title}. {pairs.describe()}."}
    how = {"height": 2 + 0.46 * len(means), "errata": carried_errata.errata_of(pairs), "pointer": True}
    return picture_for_page(Drawing(draw, chart=chart), **words, **how)


def reaching(fit: Fit, targets: list[float]) -> Drawing:
    """Return a drawing of a utilization law with the users at each target marked on a rule; for `picture`."""

    def draw(ax):
        users, tested = fit.inverse(targets)["estimate"].to_numpy(float), np.max(fit.points[0])
        end = 1.12 * np.nanmax([*users, tested])
        plot(fit, ax, until=end)
        for target in targets:
            ax.axhline(target, color=GREY, linewidth=1, linestyle=":", zorder=1)
            ax.annotate(f"target {100 * target:g} %", (0.01, target), xycoords=("axes fraction", "data"), xytext=(0, 3),
                        textcoords="offset points", fontsize=SMALL, color=GREY)  # fmt: skip
        crosses = {"color": OKABE_ITO[1], "marker": "X", "size": 9.5, "label": "law at a target"}
        draw_marks(ax, pd.DataFrame({"x": users, "y": targets}), "x", "y", **crosses)
        ax.set(xlim=(0, end), ylim=(0, 1))
        ax.xaxis.set_major_formatter(plain_numbers)
        ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1, symbol="\N{NO-BREAK SPACE}%"))
        shade_stretch(ax, tested, end, "no load this large was tested")
        legend(ax, "lower right")

    return Drawing(draw).with_errata_of(fit)


def rule_steps(table: pd.DataFrame, runs: pd.DataFrame, other: pd.DataFrame | None = None) -> Drawing:
    """Return a drawing of a sizing table: its rows, what it asks between them, measured runs; for `picture`.

    A rule is hollow, measurements are filled; beyond the last printed row the rule is dashed. Of `other`, the table in
    another reading, what it asks is drawn alone.
    """
    last = table["users"].max()
    most = max([last, *runs["users"]])
    at = np.linspace(1, most, 2001)
    lines = [("what the table asks: its next row", table, at <= last, "-", OKABE_ITO[0])]
    lines += [("the same beyond the table", table, at > last, "--", OKABE_ITO[0])]
    if other is not None:
        lines += [("what it asks if the suspected erratum is right", other, at > 0, "-.", OKABE_ITO[2])]

    def draw(ax):
        for name, rows, here, style, colour in lines:
            steps = memory_rules.memory_by_table(at[here], rows["users"], rows["ram_least_mb"])
            sns.lineplot(x=at[here], y=steps, estimator=None, linestyle=style, color=colour, label=name, ax=ax)
        printed = {"color": OKABE_ITO[1], "marker": "s", "hollow": True, "size": 6.5}
        draw_marks(ax, table, "users", "ram_least_mb", label="published rule: least memory", **printed)
        draw_marks(ax, runs, "users", "ram_mb", color="black", label="measured runs")
        user = tables.user_of(table)
        ax.set(xlabel=tables.label("users", user), ylabel=tables.label("ram_mb"), xlim=(0, 1.04 * most))
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(plain_numbers)
        legend(ax, "upper left")

    printed, measured = columns_used(table, "users", "ram_least_mb"), columns_used(runs, "users", "ram_mb")
    return Drawing(draw).with_errata_of(printed, measured)


def space_bullets(spaces: pd.DataFrame) -> Drawing:
    """Return a drawing of what each data volume needs, a tick, and what its drives hold, a bar; for `picture`.

    What a bar lacks to the tick is red, with its size. The first row of a server is its need.
    """
    need = spaces.drop_duplicates("server").set_index("server")["space_gb"]
    held = spaces[spaces.duplicated("server")].fillna({"space_gb": 0}).reset_index(drop=True)  # too few drives: nothing
    held = held.assign(need=held["server"].map(need), item=held["server"] + ": " + held["space"])
    short = held[held["space_gb"] < held["need"]]

    def draw(ax):
        ax.barh(held.index, held["space_gb"], height=0.5, color=OKABE_ITO[5], label="held by drives")
        ax.barh(short.index, short["need"] - short["space_gb"], left=short["space_gb"], height=0.5, color=OKABE_ITO[1],
                label="missing")  # fmt: skip
        ax.plot(held["need"], held.index, linestyle="none", marker="|", markersize=20, markeredgewidth=2.4,
                color="black", label="needed")  # fmt: skip
        for row in short.itertuples():
            ax.annotate(f"{row.need - row.space_gb:.1f} GB short", (row.need, row.Index), xytext=(8, 0), va="center",
                        textcoords="offset points", fontsize=SMALL, color=OKABE_ITO[1])  # fmt: skip
        name_rows(ax, held["item"])
        ax.set(xlim=(0, 1.12 * spaces["space_gb"].max()), xlabel=tables.label("space_gb"))
        ax.xaxis.set_major_formatter(plain_numbers)
        legend_below(ax)

    return Drawing(draw).with_errata_of(columns_used(spaces, "space_gb"))
