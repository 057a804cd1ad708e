"""Text within a picture: next to points, at the ends of lines, at the left of rows."""

import matplotlib.transforms as mtransforms
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.text import Text
from scipy.optimize import isotonic_regression

from dominoperf.figures.theme import GREY, HALF, SMALL, is_half_width, words_in_even_lines, words_in_lines
from dominoperf.tables.rendering import typeset

# How the words at a point are shifted, in points of print, and aligned; the far ones are for where it is crowded.
_SIDES = {
    "right": (8, -1, "left"),
    "left": (-8, -1, "right"),
    "below": (0, -13, "center"),
    "above": (0, 12, "center"),
    "above right": (7, 9, "left"),
    "above left": (-7, 9, "right"),
    "below right": (7, -10, "left"),
    "below left": (-7, -10, "right"),
    "far below": (0, -25, "center"),
    "far above": (0, 24, "center"),
    "far above right": (14, 22, "left"),
    "far above left": (-14, 22, "right"),
    "far below right": (14, -23, "left"),
    "far below left": (-14, -23, "right"),
    "farther below": (0, -42, "center"),
    "farther above": (0, 41, "center"),
    "farther above right": (26, 36, "left"),
    "farther above left": (-26, 36, "right"),
    "farther below right": (26, -37, "left"),
    "farther below left": (-26, -37, "right"),
}
_LEFT = {"left": 0.0, "right": 1.0, "center": 0.5}  # the share of the words that is left of where they are shifted to
_FAR = 60  # what it costs to be far, as much as so many square points of print covered
_STRANGE = 150  # and to be nearer to another point, which the words would seem to name
_MARGIN = np.array([-2, -1, 2, 1])  # points of print around words that others should leave free
HALO = {"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.4}  # words over a line stay legible


def name_points(ax, frame, x, y, names, kind=""):
    """Write the text of a column next to the points of a frame, on the first side where it covers least.

    `kind` is the label of these points, where points of another kind may lie at the same places.
    """
    line = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 4}
    look = {"va": "center", "fontsize": SMALL, "bbox": HALO, "arrowprops": line, "in_layout": False}
    named = frame[frame[names].fillna("") != ""]
    for spot, name in zip(named[[x, y]].astype(float).to_numpy(), named[names], strict=True):
        words = words_in_lines(name, 16 if is_half_width(ax) else 28)
        text = ax.annotate(words, spot, xytext=(0, 0), textcoords="offset points", **look)
        text.names_point, text.kind = True, kind
    place_names(ax)


def place_names(ax):
    """Put the names of points where they cover least as the axes lie now; a thin line leads to one that is far."""
    scale = mtransforms.Affine2D().scale(72 / ax.figure.dpi)  # pixels to points of print
    inside = ax.bbox.transformed(scale).extents[np.newaxis] + (2, 0, 20, 10)  # names may go a little beyond
    inside[0, 2] = min(inside[0, 2], 72 * ax.figure.get_figwidth() - 2)
    named = [text for text in ax.texts if hasattr(text, "names_point")]
    at = (ax.transData + scale).transform(np.reshape([text.xy for text in named], (-1, 2)))
    covered, others = [_boxes_around(at, 10)], [np.empty((0, 2))]
    for marks in ax.collections:
        if isinstance(marks, PathCollection):
            others.append((ax.transData + scale).transform(np.ma.compress_rows(marks.get_offsets())))
            covered.append(_boxes_around(others[-1], 13))
    others = np.concatenate(others)
    for line in ax.get_lines():
        path = (line.get_transform() + scale).transform_path(line.get_path().interpolated(4))
        covered.append(_boxes_around(path.vertices[np.isfinite(path.vertices).all(axis=1)], 2))
    words = [Text.get_window_extent(text).transformed(scale).extents for text in ax.texts if text not in named]
    covered = np.concatenate([*covered, np.reshape(words, (-1, 4))])
    sizes = [Text.get_window_extent(text).transformed(scale).size for text in named]
    across, up, aligned = map(np.array, zip(*_SIDES.values(), strict=True))
    left_share = np.array([_LEFT[align] for align in aligned])
    is_far, is_farther = (np.array([side.startswith(word) for side in _SIDES]) for word in ("far", "farther"))
    taken = np.zeros((len(named), 4))
    for k in [*range(len(named))] * 4:  # again where the others stand by now
        text, (x, y), (width, height) = named[k], at[k], sizes[k]
        raised = up + np.sign(up) * (height - 10) / 2 * (np.abs(up) > 1)  # more lines go away from the point
        left, middle = x + across - width * left_share, y + raised
        boxes = np.array([left, middle - height / 2, left + width, middle + height / 2]).T  # one for each side
        lost = width * height - _shared_areas(boxes, inside)
        outside = np.maximum(boxes[:, np.newaxis, :2] - others, others - boxes[:, np.newaxis, 2:])
        gaps = np.hypot(*np.maximum(outside, 0).transpose(2, 0, 1))
        own = np.hypot(*(others - (x, y)).T) < 1
        nearest_own = gaps[:, own].min(axis=1, initial=np.inf)
        strange = (gaps[:, ~own] < nearest_own[:, np.newaxis] + 3).any(axis=1) & ~is_far  # which a line leads to
        met = np.concatenate([covered, np.delete(taken, k, axis=0)])
        cost = _shared_areas(boxes + _MARGIN, met) + 4 * lost + _STRANGE * strange
        cost += _FAR * is_far + _FAR * is_farther  # the farther ones are far too
        best = int(np.argmin(cost))
        taken[k] = boxes[best]
        text.xyann = (across[best], raised[best])
        text.set_ha(str(aligned[best]))
        text.arrow_patch.set_visible(bool(is_far[best]))


def _boxes_around(places, side):
    """Squares around places, with sides of so many points of print: left, lower, right and upper end of each."""
    return np.hstack([places - side / 2, places + side / 2])


def _shared_areas(boxes, others):
    """The square points of print that each box shares with others."""
    boxes = boxes[:, np.newaxis]
    ends = np.minimum(boxes[..., 2:], others[:, 2:]) - np.maximum(boxes[..., :2], others[:, :2])
    return np.maximum(ends, 0).prod(axis=2).sum(axis=1)


def label_ends(ax, ends):
    """Write words at the right ends of lines, joined to them by a line of their colour: (x, y, words, colour).

    The limits of the axes must be set.
    """
    for x, y, words, colour in ends:
        line = {"arrowstyle": "-", "color": colour, "linewidth": 1.4, "relpos": (0, 0.5), "shrinkA": 2, "shrinkB": 0}
        line["patchA"] = None  # to stop where the box of the words begins takes a third of the time of a picture
        text = ax.annotate(words_in_lines(words, 15 if is_half_width(ax) else 34), (x, y), xytext=(1, y),
                           textcoords="axes fraction", va="center", fontsize=SMALL, annotation_clip=False,
                           arrowprops=line)  # fmt: skip
        text.end = True
    place_ends(ax)


def place_ends(ax):
    """Move the words at the ends of lines apart as the axes lie now."""
    ax.get_xlim(), ax.get_ylim()  # the limits are worked out when they are asked for
    inside = ax.transScale + ax.transLimits
    ends = [(*inside.transform(text.xy), text) for text in ax.texts if hasattr(text, "end")]
    ends.sort(key=lambda end: end[1])
    heights = [1.15 * Text.get_window_extent(text).height / ax.bbox.height for *_, text in ends]
    places = places_apart([end[1] for end in ends], heights, within=1)  # none below the axes, where their numbers are
    for (right, _, text), up in zip(ends, places, strict=True):
        text.xyann = (right + 0.045, up)


def places_apart(wanted, heights, within=np.inf):
    """Return places of things in order, none over another, as near to the wanted places as that allows.

    With `within` they lie between nought and that number, if there is room for all.

    Less the room that the things before it take, a place only has to be no lower than the one before: the nearest such
    places, by the sum of squares, are an isotonic regression.
    """
    heights = np.asarray(heights, float)
    room = np.cumsum(heights) - heights / 2
    placed = isotonic_regression(np.asarray(wanted) - room).x
    if np.isfinite(within):
        placed = np.clip(placed, 0, max(within - heights.sum(), 0))
    return placed + room


def name_rows(ax, names, at=None):
    """Write the names of rows at the left, the first one on top; in lines, where a narrow picture has no room.

    `at` has the middle of each row on the axis as it is; by default they are 0, 1 and so on, and the axis has them all.
    """
    lines = [
        words_in_even_lines(" ".join(str(name).split()), HALF.names) if is_half_width(ax) else typeset(str(name))
        for name in names
    ]
    ax.set_yticks(range(len(names)) if at is None else at, labels=lines, rotation=0)
    if at is None:
        ax.set_ylim(len(names) - 0.5, -0.5)
    ax.set_ylabel("")
    ax.tick_params(axis="y", length=0, pad=8)


def height_of_rows(ax):
    """Return the inches that axes need upwards, so that no name of a row meets the next."""
    high = np.array([text.get_window_extent().height for text in ax.get_yticklabels()]) / ax.figure.dpi + 0.08
    shares = np.diff(ax.get_yticks()) / np.ptp(ax.get_ylim())
    return np.max((high[1:] + high[:-1]) / 2 / shares, initial=0)
