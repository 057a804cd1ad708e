"""Counts of several kinds as bars side by side in one."""

from matplotlib.ticker import MaxNLocator

from dominoperf.figures.marks import name_rows
from dominoperf.figures.style import GREY, MARKS, OKABE_ITO, SMALL, legend, legend_below
from dominoperf.tables.doubts import over, within
from dominoperf.tables.rendering import number

_COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#BBBBBB")  # good, fair, bad, unknown
_HATCHES = ("", "///", "xxx", "...")  # told apart in grey too
_HEIGHT = 0.62  # of a bar, of the distance between two


def _look(k):
    """Colour and hatch of the k-th kind of bar."""
    return {"color": _COLOURS[k % len(_COLOURS)], "hatch": _HATCHES[k % len(_HATCHES)], "edgecolor": "white"}


def stacked(frame, label, parts, *, unit=""):
    """Give a drawing of one bar a row, of the counts in the columns `parts` one after the other; for `picture`.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top.
    label : str
        Column of the words at the left.
    parts : sequence of str
        Columns of counts, in the order of the bar.
    unit : str
        Words of the axis.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        at, left = range(len(frame)), 0.0 * frame[parts[0]].to_numpy()
        for k, name in enumerate(parts):
            counts = frame[name].to_numpy()
            ax.barh(at, counts, left=left, height=_HEIGHT, label=name, **_look(k))
            left = left + counts
        for y, total in zip(at, left, strict=True):
            ax.annotate(number(total), (total, y), (4, 0), textcoords="offset points", va="center", color=GREY,
                        fontsize=SMALL)  # fmt: skip
        name_rows(ax, frame[label])
        ax.set(xlim=(0, 1.1 * left.max()), xlabel=unit)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(ax, "lower right")

    return over(draw, within(frame, label, *parts))


def tornado(frame, label, low, high, centre, *, limit=None, unit=""):
    """Give a drawing of one bar a row from what a result is at the low end of an input to what it is at the high end.

    The axis begins at zero, so that a swing is seen beside the whole and not beside the other swings alone.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top: the input that moves the result most comes first.
    label, low, high : str
        Columns: the words at the left, and the result with the input at its low and at its high end.
    centre : float
        The result with every input in the middle.
    limit : float, optional
        What the result must not exceed, a dashed line.
    unit : str
        Words of the axis.

    Returns
    -------
    callable
        Draws on given axes.
    """

    def draw(ax):
        at = range(len(frame))
        ax.hlines(at, frame[low], frame[high], color=GREY, linewidth=2, zorder=1)
        for k, (name, ends) in enumerate((("low end", frame[low]), ("high end", frame[high]))):
            style = {"color": OKABE_ITO[k], "marker": MARKS[k], "markersize": 8, "clip_on": False, "zorder": 3}
            ax.plot(ends, at, linestyle="", label=f"input at its {name}", **style)
        ax.axvline(centre, color=GREY, linewidth=1.1, zorder=0)
        if limit is not None:
            ax.axvline(limit, color="black", linewidth=1.2, linestyle="--", zorder=0, label="limit")
        name_rows(ax, frame[label])
        ax.set(xlim=(0, 1.08 * max([centre, limit or 0, *frame[low], *frame[high]])), xlabel=unit)
        legend_below(ax)

    return over(draw, within(frame, low, high))
