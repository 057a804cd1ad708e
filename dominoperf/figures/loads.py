"""Pictures of load: how far a utilization is from its targets, and responses beside what one queue would give."""

import matplotlib as mpl
import numpy as np

from dominoperf import queueing, tables
from dominoperf.figures.fits import plot
from dominoperf.figures.style import GREY, OKABE_ITO, SMALL, halo, legend, looks, narrow, plain_numbers, wrapped
from dominoperf.tables.doubts import over, within

_FULL = 0.97  # theory lines end here: at 1 a queue grows without end


def reaching(fit, targets):
    """Give a drawing of a utilization law with the users at each target marked on a rule; for `picture`.

    Parameters
    ----------
    fit : Fit
        A law of utilization (a share) against users.
    targets : list of float
        Shares; each is a rule across the picture, and a cross where the line meets it.

    Returns
    -------
    callable
        Draws on given axes. The axis ends at 1, where nothing is idle.
    """

    def draw(ax):
        users = fit.inverse(targets)["estimate"].to_numpy(float)
        plot(fit, ax, until=1.12 * np.nanmax(users))
        for target in targets:
            ax.axhline(target, color=GREY, linewidth=1, linestyle=":", zorder=1)
            ax.annotate(f"target {target:.0%}", (0.01, target), xycoords=("axes fraction", "data"), xytext=(0, 3),
                        textcoords="offset points", fontsize=SMALL, color=GREY)  # fmt: skip
        ax.plot(users, targets, "X", color=OKABE_ITO[1], markersize=9, zorder=4, linestyle="", label="law at a target")
        ax.set(xlim=(0, 1.12 * np.nanmax(users)), ylim=(0, 1))
        ax.xaxis.set_major_formatter(plain_numbers)
        ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
        legend(ax, "upper left")

    return over(draw, fit)


def queue_lines(runs, label, group):
    """Give a drawing of responses against utilization, each beside the curve of its own processors; for `picture`.

    Parameters
    ----------
    runs : DataFrame
        processors, cpu_utilization_percent, response_s, demand_s, as `study.transaction_demand` gives them.
    label : str
        Column of the words beside each point.
    group : str
        Column that gives runs one colour and mark, named in the legend.

    Returns
    -------
    callable
        Draws on given axes. A curve is M/M/m with the run's demand as service time: theory, not fitted; the thin
        upright joins it with the point. Seconds are on a logarithmic axis.
    """

    def draw(ax):
        shown = looks(runs[group].unique())
        for row in runs.to_dict("records"):
            _beside_theory(ax, row, *shown[row[group]], row[label])
        _name(ax, runs, label)
        for name, (colour, mark) in shown.items():
            ax.plot([], [], mark, color=colour, markersize=8, label=f"printed, {name}")
        ax.plot([], [], "--", color=GREY, linewidth=1.3, label="theory: the processors the only queue")
        ax.set(xlim=(0, 100), yscale="log", ylim=(runs["demand_s"].min() / 2, 4 * runs["response_s"].max()))
        ax.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(plain_numbers)
        ax.yaxis.set_minor_locator(mpl.ticker.NullLocator())
        ax.set(xlabel=tables.label("cpu_utilization_percent"), ylabel=tables.label("response_s"))
        legend(ax, "upper left")

    return over(draw, within(runs, "cpu_utilization_percent", "response_s", "demand_s"))


def _beside_theory(ax, row, colour, mark, words):
    """One printed response, the curve of its machine, and the distance between them."""
    share, percent = np.linspace(0, _FULL, 98), row["cpu_utilization_percent"]
    curve = queueing.mmc_response(row["demand_s"], share, row["processors"])
    ax.plot(100 * share, curve, "--", color=colour, linewidth=1.3, zorder=2)
    there = queueing.mmc_response(row["demand_s"], percent / 100, row["processors"])
    ax.plot([percent, percent], [there, row["response_s"]], color=colour, linewidth=0.8, zorder=1)
    ax.plot(percent, row["response_s"], mark, color=colour, markersize=8, zorder=3, label=f"_{words}")


def _name(ax, runs, label):
    """Words beside the points: above at the left, at the right towards the middle, below but for the highest."""
    right = runs["cpu_utilization_percent"] > 50
    highest = runs.groupby(right)["response_s"].transform("max")
    below = (right | narrow(ax)) & (runs["response_s"] < highest)
    for x, y, words, far, under in zip(
        runs["cpu_utilization_percent"], runs["response_s"], runs[label], right, below, strict=True
    ):
        place = {"xytext": (-8 if far else 8, -3 if under else 3), "ha": "right" if far else "left"}
        place |= {"va": "top" if under else "bottom", "fontsize": SMALL, "path_effects": halo()}
        ax.annotate(wrapped(words, 12) if narrow(ax) else words, (x, y), textcoords="offset points", **place)
