"""Counts of several kinds as bars side by side in one."""

from matplotlib.ticker import MaxNLocator

from dominoperf.doubts import over, within
from dominoperf.figures.marks import name_rows
from dominoperf.figures.style import GREY, MARKS, OKABE_ITO, SMALL, legend, legend_below

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
            ax.annotate(f"{total:,.0f}", (total, y), (4, 0), textcoords="offset points", va="center", color=GREY,
                        fontsize=SMALL)  # fmt: skip
        name_rows(ax, frame[label])
        ax.set(xlim=(0, 1.1 * left.max()), xlabel=unit)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(ax, "lower right")

    return over(draw, within(frame, label, *parts))


def tornado(frame, label, low, high, centre, *, unit=""):
    """Give a drawing of one line a row from what a result is at the low end of an input to what it is at the high end.

    It has no bars: those would have to start at zero, and the ends lie far from it.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top: the input that moves the result most comes first.
    label, low, high : str
        Columns: the words at the left, and the result with the input at its low and at its high end.
    centre : float
        The result with every input in the middle.
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
        name_rows(ax, frame[label])
        ends = [centre, *frame[low], *frame[high]]
        span = max(ends) - min(ends) or 1.0
        ax.set(xlim=(min(ends) - 0.1 * span, max(ends) + 0.1 * span), xlabel=unit)
        legend_below(ax)

    return over(draw, within(frame, low, high))
