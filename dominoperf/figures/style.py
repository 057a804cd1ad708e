"""The one style of all pictures: two sizes, colours and marks that names keep, ticks, legends, words at points."""

import textwrap
from dataclasses import dataclass, field

import matplotlib as mpl
import matplotlib.patheffects as patheffects
import matplotlib.transforms as mtransforms

from dominoperf.tables.rendering import number

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of all pictures, told apart with any kind of colour vision (Okabe and Ito)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")  # with the colours, in this order: told apart in grey too
WIDTH, HEIGHT = 7.0, 4.2  # inches: the width of the text
GREY = "#444444"
STYLE = {
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "figure.constrained_layout.w_pad": 0.08,
    "legend.frameon": False,
    "svg.hashsalt": "dominoperf",  # without it every SVG gets new ids
    "svg.fonttype": "path",
    "text.parse_math": False,  # a dollar sign in a title is one
}
SMALL = "small"  # words within a picture: 8 points or more in either size
_NARROW = {
    "font.size": 9.7,
    "axes.titlesize": 10.5,
    "axes.labelsize": SMALL,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "svg.hashsalt": "dominoperf half",  # both sizes stand in one page: their ids are others
}


@dataclass(frozen=True)
class Size:
    """How large a picture is: its width in inches, characters in a line of each kind, ticks of an axis, its style."""

    width: float
    title: int
    subtitle: int
    foot: int
    names: int
    axis: int
    ticks: int
    style: dict = field(default_factory=dict)


TEXT = Size(WIDTH, 68, 90, 110, 60, 90, 6, STYLE)
HALF = Size(3.6, 36, 50, 56, 23, 30, 4, STYLE | _NARROW)

# A name keeps its place among the colours and marks in every picture; others take what is free.
_PLACES = (
    dict(zip(("Mail", "DiscDB", "MailDB", "Groupware_A", "Repl_Hub", "Mail-Only", "N8Mail"), range(7), strict=True))
    | {"R6Mail": 0, "R6iNotes": 1, "R6IMAP": 2, "R5Mail": 5, "R5iNotes": 4, "R5IMAP": 3}
    | {"6": 0, "5.0": 1, "Solaris": 2, "z/OS": 3, "Windows 2000": 4, "AIX": 5}  # releases, and platforms beside them
)


def narrow(ax):
    """Tell whether axes stand in a picture of half width."""
    return ax.figure.get_figwidth() < (TEXT.width + HALF.width) / 2


def looks(names):
    """Give each of some names its colour and mark, as a dict of name to (colour, mark)."""
    names = list(names)
    places = {}
    for name in names:
        wanted = _PLACES.get(name)
        if wanted is not None and wanted not in places.values():
            places[name] = wanted
    free = (k for k in range(len(names) + len(MARKS)) if k not in places.values())
    places |= {name: next(free) for name in names if name not in places}
    return {name: (OKABE_ITO[k % len(OKABE_ITO)], MARKS[k % len(MARKS)]) for name, k in places.items()}


def legend(ax, place="best"):
    """Explain marks: within the axes at a place; in a narrow picture, which has no room there, below them."""
    if ax.get_legend_handles_labels()[1]:
        if narrow(ax):
            legend_below(ax)
        else:
            ax.legend(loc=place, fontsize=SMALL)


def legend_below(ax):
    """Explain marks below the axis and its words, where none can be; in a row, if the names are short."""
    handles, names = ax.get_legend_handles_labels()
    if not narrow(ax):
        _below(ax, ax.transAxes, 0.5, handles, names, 62)
        return
    from_the_left = mtransforms.blended_transform_factory(ax.figure.transFigure, ax.transAxes)
    depth = 0.45 + 0.13 * (len(ax.get_xlabel()) > HALF.axis)  # its words then take two lines
    _below(ax, from_the_left, depth, handles, [wrapped(name, 46) for name in names], 44)


def _below(ax, place, inches, handles, names, most):
    """A legend so far below the axes; in a row, if that has no more than so many characters."""
    columns = len(names) if sum(len(str(name)) + 4 for name in names) < most else 1
    ax.legend(handles, names, loc="upper left", ncols=columns, bbox_to_anchor=(0, 0), fontsize=SMALL,
              bbox_transform=place + mtransforms.ScaledTranslation(0, -inches, ax.figure.dpi_scale_trans))  # fmt: skip


def wrapped(words, most):
    """Words in lines of at most so many characters; lines that they have stay, and a number stays with its percent."""
    words = str(words).replace(" %", "\N{NO-BREAK SPACE}%")
    return "\n".join(
        textwrap.fill(line, most, break_long_words=False, break_on_hyphens=False) for line in words.split("\n")
    )


def balanced(words, most):
    """Words in as few lines as they need, of about the same length: no word alone in the last one."""
    lines = wrapped(words, most).count("\n")
    return next(
        (tried for width in range(10, most) for tried in [wrapped(words, width)] if tried.count("\n") == lines),
        wrapped(words, most),
    )


def halo():
    """Words over a line stay legible: a white edge round each letter."""
    return [patheffects.withStroke(linewidth=2.5, foreground="white")]


def plain_numbers(value, _place=None):
    """Write the number of a tick: 1,500,000 and not 1.5e+06."""
    return number(value, 6).replace("-", "\N{MINUS SIGN}")


def plain_ticks(axis, low, high):
    """Ticks of a logarithmic axis at plain numbers, as many as it has room for."""
    steps = [base * 10**power for power in range(-6, 7) for base in (1, 1.5, 2, 3, 5, 7)]
    inside = [step for step in steps if low <= step <= high]
    if len(inside) < 3:  # less than a factor of two: steps of equal size
        inside = [step for step in mpl.ticker.MaxNLocator(5).tick_values(low, high) if low <= step <= high]
    room = 5 if narrow(axis.axes) else 8
    few = inside if len(inside) <= room else [step for step in inside if f"{step:e}"[:3] in ("1.0", "2.0", "5.0")]
    axis.set_major_locator(mpl.ticker.FixedLocator(few if len(few) <= room else [s for s in few if f"{s:e}"[0] == "1"]))
    axis.set_major_formatter(plain_numbers)
    axis.set_minor_locator(mpl.ticker.NullLocator())


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
    """Give places of things in order, none over another, as near to the wanted places as that allows."""
    blocks = []  # of [sum of wanted middles, how many, height] that touch each other
    for middle, height in zip(wanted, heights, strict=True):
        blocks.append([[middle], [height]])
        while len(blocks) > 1 and _top(blocks[-2]) > _bottom(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [blocks[-1][0] + last[0], blocks[-1][1] + last[1]]
    places = []
    for block in blocks:
        at = _bottom(block)
        for height in block[1]:
            places.append(at + height / 2)
            at += height
    return places


def _bottom(block):
    return sum(block[0]) / len(block[0]) - sum(block[1]) / 2


def _top(block):
    return _bottom(block) + sum(block[1])
