"""Counts of several kinds as bars of rows, and what moves a result most."""

import pandas as pd
import seaborn as sns
from matplotlib.ticker import MaxNLocator

from dominoperf.doubts import over, within
from dominoperf.figures.labels import name_rows
from dominoperf.figures.marks import dots
from dominoperf.figures.theme import GREY, SMALL, legend, legend_below
from dominoperf.rendering import number

_COLOURS = ("#0072B2", "#56B4E9", "#D55E00", "#BBBBBB")  # good, fair, bad, unknown
_HATCHES = ("", "///", "xxx", "...")  # told apart in grey too


def stacked(frame, label, parts, *, unit=""):
    """Return a drawing of one bar a row, of the counts in the columns `parts` one after the other; for `picture`.

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

    Examples
    --------
    >>> import pandas as pd
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"topic": ["disk", "memory"], "right": [3, 5], "wrong": [1, 2]})
    >>> figures.picture(figures.stacked(frame, "topic", ["right", "wrong"], unit="claims"), title="3 of 11 are wrong")
    Picture: 3 of 11 are wrong. Axes: claims across, 0 to 7.7. right, the most: memory 5, disk 3. wrong, the most: memory 2, disk 1.
    """  # noqa: E501
    parts = list(parts)
    counts = frame.melt(label, parts, "part", "count")
    colours = {name: _COLOURS[k % len(_COLOURS)] for k, name in enumerate(parts)}
    totals = frame[parts].sum(axis="columns")

    def draw(ax):
        sns.histplot(counts, y=label, weights="count", hue="part", hue_order=parts[::-1], palette=colours, alpha=1,
                     multiple="stack", shrink=0.62, edgecolor="white", legend=False, ax=ax)  # fmt: skip
        for k, (bars, name) in enumerate(zip(ax.containers, parts, strict=True)):
            bars.set_label(name)
            for bar in bars:
                bar.set_hatch(_HATCHES[k % len(_HATCHES)])
        for row, total in enumerate(totals):
            ax.annotate(number(total), (total, row), (4, 0), textcoords="offset points", va="center", color=GREY,
                        fontsize=SMALL)  # fmt: skip
        name_rows(ax, frame[label])
        ax.set(xlim=(0, 1.1 * totals.max()), xlabel=unit)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        legend(ax, "lower right")

    return over(draw, within(frame, label, *parts))


def tornado(frame, label, low, high, centre, *, limit=None, unit=""):
    """Return a drawing of what a result is at the low and at the high end of each input, a row each; for `picture`.

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

    Examples
    --------
    >>> import pandas as pd
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"input": ["users", "mail"], "low": [1.2, 1.5], "high": [2.1, 1.7]})
    >>> drawing = figures.tornado(frame, "input", "low", "high", 1.6, unit="systems")
    >>> figures.picture(drawing, title="Users move it most")
    Picture: Users move it most. Axes: systems across, 0 to 2.268. input at its low end: users 1.2, mail 1.5. input at its high end: users 2.1, mail 1.7.
    """  # noqa: E501
    ends = (
        frame.assign(at=frame[low], end="input at its low end"),
        frame.assign(at=frame[high], end="input at its high end"),
    )
    swings = dots(pd.concat(ends), label, "at", low=low, high=high, group="end", reference=centre, unit=unit)

    def draw(ax):
        swings(ax)
        if limit is not None:
            ax.axvline(limit, color="black", linewidth=1.2, linestyle="--", zorder=0, label="limit")
        ax.set_xlim(0, 1.08 * max([centre, limit or 0, *frame[low], *frame[high]]))
        legend_below(ax)

    return over(draw, within(frame, low, high))
