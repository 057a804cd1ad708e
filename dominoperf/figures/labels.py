"""Text within a picture: next to points, at the ends of lines, at the left of rows."""

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
HALO = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}  # words over a line stay legible
_LETTER = 4.9  # points of print across


def name_points(ax, frame, x, y, names, *, sides=tuple(_SIDES)):
    """Write the text of a column next to the points of a frame, on the first side where it covers least."""
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    look = {"va": "center", "fontsize": SMALL, "bbox": HALO, "arrowprops": line, "in_layout": False}
    named = frame[frame[names].fillna("") != ""]
    for spot, name in zip(named[[x, y]].astype(float).to_numpy(), named[names], strict=True):
        words = wrapped(name, 14 if narrow(ax) else 28)
        text = ax.annotate(words, spot, xytext=(0, 0), textcoords="offset points", **look)
        text.sides = sides
    place_names(ax)


def place_names(ax):
    """Put the names of points where they cover least as the axes lie now; a thin line leads to one that is far."""
    scale = mtransforms.Affine2D().scale(72 / ax.figure.dpi)  # pixels to points of print
    inside = ax.bbox.transformed(scale)
    named = [text for text in ax.texts if hasattr(text, "sides")]
    at = (ax.transData + scale).transform(np.reshape([text.xy for text in named], (-1, 2)))
    fixed = [mtransforms.Bbox.from_bounds(x - 5, y - 5, 10, 10) for x, y in at]
    fixed += [text.get_window_extent().transformed(scale) for text in ax.texts if text not in named]
    taken = {}
    for text, (x, y) in [*zip(named, at, strict=True)] * 2:  # once more where the others stand by now
        lines, boxes = text.get_text().split("\n"), {}
        wide, high = _LETTER * max(map(len, lines)), 10 * len(lines)
        others = [*fixed, *(box for other, box in taken.items() if other is not text)]
        for side in text.sides:
            across, up, align = _SIDES[side]
            up += np.sign(up) * (high - 10) / 2 * (abs(up) > 1)  # more lines go away from the point
            left = x + across - wide * {"left": 0, "right": 1, "center": 0.5}[align]
            box = mtransforms.Bbox.from_bounds(left, y + up - high / 2, wide, high)
            met = [both for other in others if (both := mtransforms.Bbox.intersection(box, other))]
            outside = (box.x0 < inside.x0) + (box.x1 > inside.x1 + 20)
            cost = sum(both.width * both.height for both in met) + wide * high * outside
            boxes[side] = (cost, across, up, align, box)
        side = min(text.sides, key=lambda side: boxes[side][0])
        _, across, up, align, taken[text] = boxes[side]
        text.xyann = (across, up)
        text.set_ha(align)
        text.arrow_patch.set_visible(side.startswith("far"))


def label_ends(ax, ends):
    """Write words at the right ends of lines, moved apart where they would overlap: (x, y, words, colour).

    The limits of the axes must be set. A thin line joins words that were moved with the end that they name.
    """
    ax.get_xlim(), ax.get_ylim()  # the limits are worked out when they are asked for
    inside = ax.transScale + ax.transLimits
    ends = sorted([(*inside.transform((x, y)), x, y, *rest) for x, y, *rest in ends], key=lambda end: end[1])
    words = [wrapped(end[4], 15 if narrow(ax) else 34) for end in ends]
    places = spaced([end[1] for end in ends], [0.065 * (1 + text.count("\n")) for text in words])
    for (right, middle, x, y, _, colour), named, at in zip(ends, words, places, strict=True):
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "relpos": (0, 0.5), "shrinkA": 0, "shrinkB": 0}
        ax.annotate(named, (x, y), xytext=(right + 0.035, at), textcoords="axes fraction", color=colour, va="center",
                    fontsize=SMALL, annotation_clip=False,
                    arrowprops=line if abs(at - middle) > 0.02 else None)  # fmt: skip


def spaced(wanted, heights):
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
