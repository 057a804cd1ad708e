"""Pictures of load: how far a utilization is from its targets, and responses beside what one queue would give."""

from collections.abc import Callable

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns

from dominoperf import queueing, tables
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.fits import plot
from dominoperf.figures.labels import name_points
from dominoperf.figures.marks import scatter
from dominoperf.figures.theme import GREY, SMALL, legend, looks, plain_numbers, plain_ticks
from dominoperf.fitting import Fit
from dominoperf.tables.doubts import over, within

_FULL = 0.97  # theory lines end here: at 1 a queue grows without end


def reaching(fit: Fit, targets: list[float]) -> Callable:
    """Return a drawing of a utilization law with the users at each target marked on a rule; for `picture`.

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
        crosses = {"color": OKABE_ITO[1], "marker": "X", "size": 9.5, "label": "law at a target"}
        scatter(ax, pd.DataFrame({"x": users, "y": targets}), "x", "y", **crosses)
        ax.set(xlim=(0, 1.12 * np.nanmax(users)), ylim=(0, 1))
        ax.xaxis.set_major_formatter(plain_numbers)
        ax.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
        legend(ax, "upper left")

    return over(draw, fit)


def queue_lines(runs: pd.DataFrame, label: str, group: str) -> Callable:
    """Return a drawing of responses against utilization, each beside the curve of its own processors; for `picture`.

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
    share = np.linspace(0, _FULL, 98)
    runs = runs.assign(printed="printed, " + runs[group])
    curves = [queueing.mmc_response(run.demand_s, share, run.processors) for run in runs.itertuples()]
    theory = runs[["printed"]].assign(run=range(len(runs)), percent=[100 * share] * len(runs), response_s=curves)
    theory = theory.explode(["percent", "response_s"]).astype({"percent": float, "response_s": float})
    x, y = "cpu_utilization_percent", "response_s"
    palette = looks(runs["printed"].unique())["palette"]
    queue = [
        queueing.mmc_response(*run) for run in zip(runs["demand_s"], runs[x] / 100, runs["processors"], strict=True)
    ]

    def draw(ax):
        ax.set_yscale("log")
        sns.lineplot(theory, x="percent", y=y, hue="printed", palette=palette, units="run", estimator=None,
                     linestyle="--", legend=False, ax=ax)  # fmt: skip
        ax.vlines(runs[x], queue, runs[y], colors=list(runs["printed"].map(palette)), linewidth=0.8, zorder=1)
        scatter(ax, runs, x, y, "printed")
        ax.plot([], [], "--", color=GREY, linewidth=1.3, label="theory: the processors the only queue")
        ax.set(xlim=(0, 100), ylim=(runs["demand_s"].min() / 2, 4 * runs["response_s"].max()))
        plain_ticks(ax.yaxis, *ax.get_ylim())
        ax.set(xlabel=tables.label(x), ylabel=tables.label(y))
        name_points(ax, runs, x, y, label)
        legend(ax, "upper left")

    return over(draw, within(runs, x, y, "demand_s"))
