"""A published sizing rule of memory: its printed values, the steps that give them, and measured runs."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import seaborn as sns

from dominoperf import tables
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.marks import scatter
from dominoperf.figures.theme import legend, plain_numbers
from dominoperf.laws import memory
from dominoperf.tables.doubts import over, within


def rule(table: pd.DataFrame, fitted: pd.DataFrame, *, module: float, runs: pd.DataFrame | None = None,
         other: tuple[pd.DataFrame, pd.DataFrame] | None = None) -> Callable:  # fmt: skip
    """Return a drawing of a sizing rule: the printed values, the steps that give them, measured runs; for `picture`.

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
    last = table["users"].max()
    most = last if runs is None or runs.empty else max(last, runs["users"].max())
    at = np.linspace(1, most, 2001)
    lines = [("rule that gives every printed value", fitted, at <= last, "-", OKABE_ITO[0])]
    lines += [("the rule beyond its table", fitted, at > last, "--", OKABE_ITO[0])]
    if other is not None:
        lines += [("the rule as a suspected erratum reads it", other[1], at > 0, "-.", OKABE_ITO[2])]

    def draw(ax):
        for name, line, here, style, colour in lines:
            terms = line.set_index("term")["estimate"]
            steps = memory.sizing_steps(at[here], terms["per_user"], terms["base"], module)
            sns.lineplot(x=at[here], y=steps, estimator=None, linestyle=style, color=colour, label=name, ax=ax)
        printed = {"color": OKABE_ITO[1], "marker": "s", "hollow": True, "size": 6.5}
        scatter(ax, table, "users", "ram_min_mb", label="published rule: least memory", **printed)
        if runs is not None:
            scatter(ax, runs, "users", "ram_mb", color="black", label="measured runs")
        user = tables.user_of(table)
        ax.set(xlabel=tables.label("users", user), ylabel=tables.label("ram_mb"), xlim=(0, 1.04 * most))
        ax.set_ylim(0, 1.08 * ax.get_ylim()[1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter(plain_numbers)
        legend(ax, "upper left")

    measured = () if runs is None else within(runs, "users", "ram_mb")
    return over(draw, within(table, "users", "ram_min_mb"), fitted, measured)
