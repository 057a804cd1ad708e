"""Counts of several kinds as bars side by side in one."""

from matplotlib.ticker import MaxNLocator

from dominoperf.figures.style import GREY

_COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#BBBBBB")  # good, fair, bad, unknown
_HATCHES = ("", "///", "xxx", "...")  # told apart in grey too


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
            style = {"color": _COLOURS[k % len(_COLOURS)], "hatch": _HATCHES[k % len(_HATCHES)], "edgecolor": "white"}
            ax.barh(at, counts, left=left, height=0.62, label=name, **style)
            left = left + counts
        for y, total in zip(at, left, strict=True):
            ax.annotate(f"{total:,.0f}", (total, y), (4, 0), textcoords="offset points", va="center", color=GREY)
        ax.set_yticks(at, labels=frame[label])
        ax.set(ylim=(len(frame) - 0.4, -0.6), xlim=(0, 1.1 * left.max()), xlabel=unit)
        ax.tick_params(axis="y", length=0, pad=8)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.legend(loc="lower right", fontsize=9)

    return draw
