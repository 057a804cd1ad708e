"""Words within a picture: beside points, at the ends of lines, at the left of rows."""

import matplotlib.patheffects as patheffects
import matplotlib.transforms as mtransforms
import numpy as np
from scipy.optimize import isotonic_regression

from dominoperf.figures.theme import GREY, HALF, SMALL, narrow, wrapped

# How the words at a point are shifted, in points of print, and aligned; the last two are for where it is crowded.
_SIDES = {
    "right": (8, -1, "left"),
    "left": (-8, -1, "right"),
    "below": (0, -13, "center"),
    "above": (0, 12, "center"),
    "above right": (7, 9, "left"),
    "above left": (-7, 9, "right"),
    "far below": (0, -25, "center"),
    "far above": (0, 24, "center"),
}
_LETTER = 4.9  # points of print across


def name_points(ax, frame, x, y, names, *, sides=tuple(_SIDES)):
    """Write the words of a column beside the points of a frame, on the first side where they cover least."""
    words = [wrapped(each, 14) if narrow(ax) else str(each) for each in frame[names]]
    spots = frame[[x, y]].astype(float).to_numpy()
    written = []
    for _ in range(2):  # the words take room from the axes: the second time the points lie where they will lie
        ax.figure.draw_without_rendering()
        points = mtransforms.Affine2D().scale(72 / ax.figure.dpi)
        chosen = _sides(points.transform(ax.transData.transform(spots)), words, sides, ax.bbox.transformed(points))
        for text in written:
            text.remove()
        written = [_beside(ax, *each) for each in zip(spots, words, chosen, strict=True)]


def _sides(at, words, sides, inside):
    """For each point at a place, in points of print, the first of the sides where its words cover least."""
    marks, taken, chosen = [mtransforms.Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in at], {}, {}
    for k in [*range(len(words))] * 2:  # once more where the others stand by now
        (x, y), each, boxes = at[k], words[k], {}
        width = _LETTER * max(map(len, each.split("\n")))
        others = [*marks, *(box for other, box in taken.items() if other != k)]
        for side in sides:
            across, up, align = _shift(side, each)
            left, high = x + across - width * {"left": 0, "right": 1, "center": 0.5}[align], 10 + 10 * each.count("\n")
            boxes[side] = mtransforms.Bbox.from_bounds(left, y + up - high / 2, width, high)
        outside = {side: (box.x0 < inside.x0) + (box.x1 > inside.x1 + 20) for side, box in boxes.items()}
        chosen[k] = min(sides, key=lambda side: boxes[side].count_overlaps(others) + 2 * outside[side])
        taken[k] = boxes[chosen[k]]
    return list(chosen.values())


def _shift(side, words):
    """How far words are from their point, across and up, and how they are aligned; more lines go away from it."""
    across, up, align = _SIDES[side]
    return across, up + np.sign(up) * 5 * words.count("\n") * (abs(up) > 1), align


def _beside(ax, spot, words, side):
    """Words at a point, with a thin line to it where they are far."""
    across, up, align = _shift(side, words)
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    return ax.annotate(words, spot, xytext=(across, up), textcoords="offset points", ha=align, va="center",
                       fontsize=SMALL, path_effects=halo(),
                       arrowprops=line if side.startswith("far") else None)  # fmt: skip


def halo():
    """Words over a line stay legible: a white edge round each letter."""
    return [patheffects.withStroke(linewidth=2.5, foreground="white")]


def label_ends(ax, ends):
    """Write words at the right ends of lines, moved apart where they would overlap: (x, y, words, colour).

    The limits of the axes must be set. A thin line joins words that were moved with the end that they name.
    """
    ax.get_xlim(), ax.get_ylim()  # the limits are worked out when they are asked for
    inside = ax.transScale + ax.transLimits
    ends = sorted([(*inside.transform((x, y)), x, y, *rest) for x, y, *rest in ends], key=lambda end: end[1])
    words = [wrapped(end[4], 15) if narrow(ax) else end[4] for end in ends]
    places = apart([end[1] for end in ends], [0.06 * (1 + each.count("\n")) for each in words])
    for (right, middle, x, y, _, colour), named, at in zip(ends, words, places, strict=True):
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 0}
        ax.annotate(named, (x, y), xytext=(right + 0.035, at), textcoords="axes fraction", color=colour, va="center",
                    fontsize=SMALL, annotation_clip=False,
                    arrowprops=line if abs(at - middle) > 0.02 else None)  # fmt: skip


def apart(wanted, heights):
    """Return places of things in order, none over another, as near to the wanted places as that allows.

    Less the room that the things before it take, a place only has to be no lower than the one before: the nearest such
    places, by the sum of squares, are an isotonic regression.
    """
    heights = np.asarray(heights, float)
    room = np.cumsum(heights) - heights / 2
    return isotonic_regression(np.asarray(wanted) - room).x + room


def name_rows(ax, names, *, middle=0.0):
    """Write the names of rows at the left, the first one on top; in lines, where a narrow picture has no room."""
    lines = [wrapped(" ".join(str(name).split()), HALF.names) if narrow(ax) else name for name in names]
    ax.set_yticks([row + middle for row in range(len(names))], labels=lines, rotation=0)
    ax.set(ylim=(len(names) - 0.5 + middle, -0.5 + middle), ylabel="")
    ax.tick_params(axis="y", length=0, pad=8)
