"""The theme of all pictures: seaborn's, in two sizes; colours and marks that names keep; plain ticks; legends."""

import textwrap
from dataclasses import dataclass, field

import matplotlib as mpl
import matplotlib.style
import matplotlib.transforms as mtransforms
import seaborn as sns

from dominoperf.figures import OKABE_ITO
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.rendering import number, typeset

MARKS = ("o", "s", "^", "D", "v", "P", "X")  # with the colours, in this order: told apart in grey too
GREY = "#444444"
PALE = "#aaaaaa"  # of what is no evidence
PLACE = "place:"  # before the words of a mark, and before the place where it is printed
SMALL = "small"  # words within a picture: 8 points or more in either size
HEIGHT = 4.2  # inches


@dataclass(frozen=True)
class Size:
    """How large a picture is: width in inches, characters in a line of each kind, ticks of an axis, letters, ids."""

    width: float
    title: int
    subtitle: int
    foot: int
    names: int
    axis: int
    ticks: int
    letters: float
    salt: str
    style: dict = field(default_factory=dict)


_SMALL = dict.fromkeys(("axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize"), SMALL)
TEXT = Size(7.0, 68, 90, 106, 60, 90, 6, 1.1, "dominoperf")
HALF = Size(3.6, 36, 50, 56, 23, 30, 4, 1.01, "dominoperf half", _SMALL)  # both sizes stand in one page


def theme(size=TEXT):
    """Return the settings of a picture of a size: a context manager that draws by them, and then restores the others.

    They are seaborn's theme of ticks for papers, in letters that matplotlib brings along, and with ids in an SVG that
    are the same at every run.
    """
    basics = {
        "font.sans-serif": ["DejaVu Sans"],  # whatever letters the machine has
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.dpi": 72,  # as an SVG is written: what is measured before fits in it
        "figure.titlesize": 12 if size is TEXT else 10.5,
        "figure.constrained_layout.w_pad": 0.08,
        "legend.frameon": False,
        "svg.hashsalt": size.salt,
        "svg.fonttype": "none",  # words that a reader can find and select
        "text.parse_math": False,  # a dollar sign in a title is one
    }
    context = sns.plotting_context("paper", font_scale=size.letters)
    settings = {**sns.axes_style("ticks"), **context, **basics, **size.style}
    return mpl.style.context(["default", settings])  # over Matplotlib's own: nobody's matplotlibrc changes a page


def is_half_width(ax):
    """Return whether axes belong to a picture of half width."""
    return ax.figure.get_figwidth() < (TEXT.width + HALF.width) / 2


def series_styles(names):
    """Return the colour and the mark of each of some names, as the `palette` and `markers` of seaborn's functions.

    A name of ``data/looks.toml`` keeps its place among them in every picture; others take what is free.
    """
    names = list(names)
    reserved = our_toml_file("looks.toml")["places"]
    places = {}
    for name in names:
        wanted = reserved.get(name)
        if wanted is not None and wanted not in places.values():
            places[name] = wanted
    free = (k for k in range(len(names) + len(MARKS)) if k not in places.values())
    places |= {name: next(free) for name in names if name not in places}
    styles = {"palette": sns.color_palette(OKABE_ITO).as_hex(), "markers": MARKS}
    return {word: {name: some[k % len(some)] for name, k in places.items()} for word, some in styles.items()}


def legend(ax, place="best"):
    """Explain marks: within the axes at a place; in a narrow picture, which has no room there, below them."""
    if is_half_width(ax):
        legend_below(ax)
    elif ax.get_legend_handles_labels()[1]:
        handles, names = ax.get_legend_handles_labels()
        ax.legend(handles, [textwrap.fill(name, 44) for name in names], loc=place, fontsize=SMALL, title="")


def legend_below(ax):
    """Explain marks below the axis and its words, where none can be; in a row, if the names are short."""
    named = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))  # a name once
    handles, names = list(named.values()), list(named)
    place, inches, most = ax.transAxes, 0.5 + 0.15 * ax.get_xlabel().count("\n"), 62
    if is_half_width(ax):  # from the left edge of the picture; the words of the axis may take two lines
        place = mtransforms.blended_transform_factory(ax.figure.transFigure, ax.transAxes)
        inches, most = 0.45 + 0.13 * (len(ax.get_xlabel()) > HALF.axis), 44
        names = [words_in_lines(name, 46) for name in names]
    if names:
        columns = len(names) if sum(len(str(name)) + 4 for name in names) < most else 1
        down = mtransforms.ScaledTranslation(0, -inches, ax.figure.dpi_scale_trans)
        ax.legend(handles, names, loc="upper left", ncols=columns, bbox_to_anchor=(0, 0), fontsize=SMALL, title="",
                  bbox_transform=place + down)  # fmt: skip


def words_in_lines(words, most):
    """Return words in lines of at most so many characters; their own lines stay."""
    lines = typeset(str(words)).split("\n")
    return "\n".join(textwrap.fill(line, most, break_long_words=False, break_on_hyphens=False) for line in lines)


def words_in_even_lines(words, most):
    """Return words in as few lines as they need, of about the same length: no word alone in the last one."""
    lines = words_in_lines(words, most).count("\n")
    return next(
        (tried for width in range(10, most) for tried in [words_in_lines(words, width)] if tried.count("\n") == lines),
        words_in_lines(words, most),
    )


def plain_numbers(value, _place=None):
    """Return the number of a tick as it is written: 1,500,000 and not 1.5e+06."""
    return typeset(number(value, 6))


def plain_ticks(axis, low, high):
    """Put the ticks of a logarithmic axis at plain numbers: at least two, and as many as it has room for."""
    columns = axis.axes.get_subplotspec().get_gridspec().ncols if axis.axis_name == "x" else 1
    room = (4 if is_half_width(axis.axes) else 8) // columns
    axis.set_major_locator(mpl.ticker.FixedLocator(plain_steps(low, high, room)))
    axis.set_major_formatter(plain_numbers)
    axis.set_minor_locator(mpl.ticker.NullLocator())


def plain_steps(low, high, room):
    """List the plain numbers of a logarithmic axis: at least two, and as many as it has room for."""
    steps = [
        [base * 10**power for power in range(-6, 7) for base in bases if low <= base * 10**power <= high]
        for bases in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
    ]
    if len(steps[0]) < 3:  # less than a factor of two: steps of equal size
        equal = mpl.ticker.MaxNLocator(room, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
        steps = [[step for step in equal if low <= step <= high]]
    return next((some for some in steps if 2 <= len(some) <= room), steps[0][:: max(len(steps[0]) - 1, 1)])


def logarithmic(axis, least, most):
    """Make an axis logarithmic, from a little below the least number to a little above the most, with plain ticks."""
    low, high = least / 1.25, most * 1.25
    axis.axes.set(**{f"{axis.axis_name}scale": "log", f"{axis.axis_name}lim": (low, high)})
    plain_ticks(axis, low, high)
