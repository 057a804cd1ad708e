"""Printed numbers as marks: points by group, and ratios as dots; nothing fitted."""

import matplotlib as mpl
import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.figures.style import (
    GREY,
    HALF,
    SMALL,
    halo,
    label_ends,
    legend,
    legend_below,
    looks,
    narrow,
    plain_numbers,
    plain_ticks,
    wrapped,
)
from dominoperf.tables.doubts import over, within

_HOLLOW = {"markerfacecolor": "white", "markeredgewidth": 1.6}
_RING = _HOLLOW | {"markerfacecolor": "none"}  # a dot of another group may lie within


def points(frame, x, y, *, group="", lines=False, steps=False, log="", names="", key=False, hollow=False, unit=""):
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
    steps : bool
        Whether they are joined as a staircase instead: y stays until the next x, as the best that can be had for so
        much does where nothing lies between two points.
    log : str, optional
        "x", "y" or "xy": axes on which ratios matter.
    names : str, optional
        Column of words written beside each point.
    key : bool
        Whether groups are explained in a legend, however few: where they are kinds of points and no lines.
    hollow : bool
        Hollow marks: numbers derived from what a text states, rather than measurements that it prints.
    unit : str, optional
        Words of the axis upwards, where those of the column do not say enough: a ratio of what to what.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        known = frame[frame[x].notna() & frame[y].notna()]
        groups = list(known[group].unique()) if group else [""]
        for name, (colour, mark) in looks(groups).items():
            here = (known[known[group] == name] if group else known).sort_values(x, kind="stable")
            style = {"marker": mark, "color": colour, "zorder": 3}
            style |= _HOLLOW if hollow else {}
            style |= {"linestyle": "-", "drawstyle": "steps-post"} if steps else {"linestyle": ":" if lines else ""}
            ax.plot(here[x], here[y], markersize=7, label=name or None, **style)
        _scales(ax, known, x, y, log)
        ax.set_ylabel(unit or tables.label(y, tables.user_of(frame)))
        if names:
            name_points(ax, known, x, y, names)
        if key:
            legend_below(ax)
        elif group:
            _name_groups(ax, known, groups, (x, y, group))

    return over(draw, within(frame, x, y))


def _scales(ax, frame, x, y, log):
    """From zero, or logarithmic with plain ticks."""
    ax.set_xlabel(tables.label(x, tables.user_of(frame)))
    for axis, name in (("x", x), ("y", y)):
        low, high = frame[name].min(), frame[name].max()
        if axis in log:
            ax.set(**{f"{axis}scale": "log", f"{axis}lim": (low / 1.25, high * 1.25)})
            plain_ticks(getattr(ax, f"{axis}axis"), low / 1.25, high * 1.25)
        else:
            ax.set(**{f"{axis}lim": (0, 1.12 * high)})
            whole = bool((frame[name] % 1 == 0).all())  # there is no half a processor
            getattr(ax, f"{axis}axis").set_major_locator(mpl.ticker.MaxNLocator(6, integer=whole))
            getattr(ax, f"{axis}axis").set_major_formatter(plain_numbers)


# How the words at a point are shifted, in points of print, and aligned; the last two are for where it is crowded.
_SIDES = {
    "right": (8, -1, "left"),
    "left": (-8, -1, "right"),
    "below": (0, -13, "center"),
    "above": (0, 12, "center"),
    "far below": (0, -25, "center"),
    "far above": (0, 24, "center"),
}


def name_points(ax, frame, x, y, names, *, sides=tuple(_SIDES)):
    """Write the words of a column beside the points of a frame, on the first side where they cover least."""
    words, spots = [str(each) for each in frame[names]], frame[[x, y]].astype(float).to_numpy()
    written = []
    for _ in range(2):  # the words take room from the axes: the second time the points lie where they will lie
        ax.figure.draw_without_rendering()
        at = ax.transData.transform(spots) * 72 / ax.figure.dpi
        chosen = _chosen(at, words, sides, ax.bbox.x0 * 72 / ax.figure.dpi)
        for text in written:
            text.remove()
        written = [_beside(ax, *each) for each in zip(spots, words, chosen, strict=True)]


def _beside(ax, spot, words, side):
    """Words at a point, with a thin line to it where they are far."""
    across, up, align = _SIDES[side]
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    return ax.annotate(words, spot, xytext=(across, up), textcoords="offset points", ha=align, va="center",
                       fontsize=SMALL, path_effects=halo(),
                       arrowprops=line if side.startswith("far") else None)  # fmt: skip


def _chosen(at, words, sides, edge):
    """For each point at a place, in points of print, the first of the sides where its words cover least."""
    taken, chosen = [(x - 5, x + 5, y - 5, y + 5) for x, y in at], []
    for (x, y), each in zip(at, words, strict=True):
        width = 4.9 * len(each)
        boxes = {}
        for side in sides:
            across, up, align = _SIDES[side]
            boxes[side] = _box(x + across, y + up - 2, {"left": 0, "right": -width, "center": -width / 2}[align], width)
        covered = {side: sum(_meet(box, other) for other in taken) + 2 * (box[0] < edge) for side, box in boxes.items()}
        chosen.append(min(sides, key=covered.get))
        taken.append(boxes[chosen[-1]])
    return chosen


def _box(x, y, shift, width):
    """Edges of a line of words, in points of print."""
    return x + shift, x + shift + width, y - 3, y + 7


def _meet(one, other):
    return one[0] < other[1] and other[0] < one[1] and one[2] < other[3] and other[2] < one[3]


def _name_groups(ax, frame, groups, columns):
    """Up to four groups are named at their last points."""
    x, y, group = columns
    if len(groups) > 4:
        legend(ax)
        return
    ends = []
    for name, (colour, _) in looks(groups).items():
        last = frame[frame[group] == name].sort_values(x, kind="stable").iloc[-1]
        ends.append((last[x], last[y], str(name), colour))
    label_ends(ax, ends)


def dots(frame, label, value, *, low="", high="", group="", hollow="", reference=None, log=False, unit=""):
    """Give a drawing of one dot a row, named at the left, with its interval where there is one; for `picture`.

    Rows of one label share a line.

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
        at, names = pd.factorize(frame[label])
        if low:
            ax.hlines(at, frame[low], frame[high], color=GREY, linewidth=1.6, zorder=2)
        groups = list(frame[group].unique()) if group else [""]
        for name, (colour, mark) in looks(groups).items():
            mine = (frame[group] == name).to_numpy() if group else np.ones(len(frame), bool)
            style = {"marker": mark, "color": colour, "zorder": 3}
            around = group and name == hollow
            style |= {**_RING, "zorder": 4} if around else {}
            ax.plot(
                frame[value][mine],
                at[mine],
                ls="",
                markersize=11 if around else 8,
                label=name or None,
                clip_on=False,
                **style,
            )
        _sideways(ax, frame, names, value, reference, log)
        ax.set_xlabel(unit or tables.label(value, tables.user_of(frame)))
        if group:
            legend_below(ax)

    return over(draw, within(frame, value, low, high))


def name_rows(ax, names):
    """Write the names of rows at the left, the first one on top."""
    ax.set_yticks(range(len(names)), labels=[_row_name(ax, name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0, pad=8)


def _row_name(ax, name):
    """As it is, or in the lines that a narrow picture has room for."""
    return wrapped(" ".join(str(name).split()), HALF.names) if narrow(ax) else name


def _sideways(ax, frame, names, value, reference, log):
    """Names at the left, the first row on top, guides to the eye; an axis from zero unless it is logarithmic."""
    name_rows(ax, names)
    ax.grid(axis="y", color="#dddddd", linewidth=0.8)
    if reference is not None:
        ax.axvline(reference, color=GREY, linewidth=1.1)
    if log:
        ax.set_xscale("log")
        low, high = ax.get_xlim()
        plain_ticks(ax.xaxis, low, high)
        return
    ax.xaxis.set_major_formatter(plain_numbers)
    if frame[value].min() >= 0:
        ax.set_xlim(0, 1.08 * max(ax.get_xlim()[1], frame[value].max()))
