"""Printed numbers as marks: points by group, and ratios as dots; nothing fitted."""

import numpy as np

from dominoperf import catalog
from dominoperf.figures.style import GREY, MARKS, OKABE_ITO, label_ends, plain_ticks


def points(frame, x, y, *, group="", lines=False, log="", names="", hollow=False):
    """Give a drawing of points, those of a group in one colour and mark; for `picture`.

    Parameters
    ----------
    frame : DataFrame
    x, y : str
        Columns of numbers.
    group : str, optional
        Column that tells groups apart: named at the last point of each where there are up to four, else in a legend.
    lines : bool
        Whether the points of a group are joined, in the order of x: a guide to the eye.
    log : str, optional
        "x", "y" or "xy": axes on which ratios matter.
    names : str, optional
        Column of words written beside each point.
    hollow : bool
        Hollow marks: numbers derived from what a text states, rather than measurements that it prints.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        known = frame[frame[x].notna() & frame[y].notna()]
        groups = list(known[group].unique()) if group else [""]
        for k, name in enumerate(groups):
            here = (known[known[group] == name] if group else known).sort_values(x)
            style = {"marker": MARKS[k % len(MARKS)], "color": OKABE_ITO[k % len(OKABE_ITO)], "zorder": 3}
            style |= {"markerfacecolor": "white", "markeredgewidth": 1.6} if hollow else {}
            ax.plot(here[x], here[y], linestyle=":" if lines else "", markersize=7, label=name or None, **style)
        _scales(ax, known, x, y, log)
        if names:
            _name_points(ax, known, x, y, names)
        if group:
            _name_groups(ax, known, groups, (x, y, group))

    return draw


def _scales(ax, frame, x, y, log):
    """From zero, or logarithmic with plain ticks."""
    ax.set(xlabel=catalog.label(x), ylabel=catalog.label(y))
    for axis, name in (("x", x), ("y", y)):
        low, high = frame[name].min(), frame[name].max()
        if axis in log:
            ax.set(**{f"{axis}scale": "log", f"{axis}lim": (low / 1.25, high * 1.25)})
            plain_ticks(getattr(ax, f"{axis}axis"), low / 1.25, high * 1.25)
        else:
            ax.set(**{f"{axis}lim": (0, 1.12 * high)})
            getattr(ax, f"{axis}axis").set_major_formatter("{x:,.6g}")


def _name_points(ax, frame, x, y, names):
    for row in frame.to_dict("records"):
        ax.annotate(row[names], (row[x], row[y]), xytext=(7, 0), textcoords="offset points", va="center", fontsize=8.5)


def _name_groups(ax, frame, groups, columns):
    """Up to four groups are named at their last points."""
    x, y, group = columns
    if len(groups) > 4:
        ax.legend(loc="best", fontsize=9)
        return
    ends = []
    for k, name in enumerate(groups):
        last = frame[frame[group] == name].sort_values(x).iloc[-1]
        ends.append((_beside(ax, last[x]), last[y], str(name), OKABE_ITO[k]))
    label_ends(ax, ends)


def _beside(ax, x):
    """A little to the right of x, on either kind of axis."""
    low, high = ax.get_xlim()
    return x * (high / low) ** 0.025 if ax.get_xscale() == "log" else x + 0.02 * (high - low)


def dots(frame, label, value, *, low="", high="", group="", hollow="", reference=None, log=False, unit=""):
    """Give a drawing of one dot a row, named at the left, with its interval where there is one; for `picture`.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top.
    label, value : str
        Columns: the words at the left, and the number.
    low, high : str, optional
        Columns of the ends of an interval.
    group : str, optional
        Column that gives dots of a kind one colour and mark, explained in a legend.
    hollow : str, optional
        The group whose marks are hollow: numbers derived from what a text states.
    reference : float, optional
        Where a line is drawn: no change.
    log : bool
        A logarithmic axis, for ratios.
    unit : str, optional
        Words of the axis.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        at = np.arange(len(frame))
        if low:
            ax.hlines(at, frame[low], frame[high], color=GREY, linewidth=1.6, zorder=2)
        groups = list(frame[group].unique()) if group else [""]
        for k, name in enumerate(groups):
            mine = (frame[group] == name).to_numpy() if group else np.ones(len(frame), bool)
            style = {"marker": MARKS[k % len(MARKS)], "color": OKABE_ITO[k % len(OKABE_ITO)], "zorder": 3}
            style |= {"markerfacecolor": "white", "markeredgewidth": 1.6} if group and name == hollow else {}
            ax.plot(frame[value][mine], at[mine], linestyle="", markersize=8, label=name or None, **style)
        _sideways(ax, frame, label, value, reference, log)
        ax.set_xlabel(unit or catalog.label(value))
        if group:
            ax.legend(loc="best", fontsize=9)

    return draw


def _sideways(ax, frame, label, value, reference, log):
    """Names at the left, the first row on top, guides to the eye; an axis from zero unless it is logarithmic."""
    ax.set_yticks(range(len(frame)), labels=frame[label])
    ax.set_ylim(len(frame) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="y", color="#dddddd", linewidth=0.8)
    if reference is not None:
        ax.axvline(reference, color=GREY, linewidth=1.1)
    if log:
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        plain_ticks(ax.xaxis, low, high)
    elif frame[value].min() >= 0:
        ax.set_xlim(0, 1.08 * max(ax.get_xlim()[1], frame[value].max()))
