"""Counts of several kinds as a heat map, and what moves a result most."""

from collections.abc import Callable, Sequence

import pandas as pd
import seaborn as sns

from dominoperf.figures import OKABE_ITO
from dominoperf.figures.labels import name_rows
from dominoperf.figures.marks import dots
from dominoperf.figures.theme import SMALL, legend_below, narrow
from dominoperf.tables.doubts import over, within


def shares(frame: pd.DataFrame, label: str, parts: Sequence[str], *, unit: str = "") -> Callable:
    """Return a drawing of counts as a heat map, a row each and a column per kind; for `picture`.

    A cell has its count written in it, and is as dark as its share of the row.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top.
    label : str
        Column of the words at the left.
    parts : sequence of str
        Columns of counts, from the left.
    unit : str
        What is counted.

    Returns
    -------
    callable
        Draws on given axes.

    Examples
    --------
    >>> import pandas as pd
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"topic": ["disk", "memory"], "right": [3, 5], "wrong": [1, 2]})
    >>> figures.picture(figures.shares(frame, "topic", ["right", "wrong"], unit="claims"), title="3 of 11 are wrong")
    Picture: 3 of 11 are wrong. Axes: number of claims, colour: share of the row. right, the most: memory (7) 5, disk (4) 3. wrong, the most: memory (7) 2, disk (4) 1.
    """  # noqa: E501
    counts = frame[list(parts)]
    total = counts.sum(axis="columns")
    colours = sns.light_palette(OKABE_ITO[5], as_cmap=True)  # light enough for dark words everywhere

    def draw(ax):
        words = {"annot": counts, "fmt": ",", "annot_kws": {"fontsize": SMALL, "color": "black"}}
        of_row = counts.div(total, axis="index")
        sns.heatmap(of_row, vmin=0, vmax=1, cmap=colours, cbar=False, linewidths=1, ax=ax, **words)
        names = [f"{name} ({count:,})" for name, count in zip(frame[label], total, strict=True)]
        name_rows(ax, names, middle=0.5)
        ax.tick_params(axis="x", length=0, labelrotation=20 if narrow(ax) else 0)
        ax.set_xlabel(f"number of {unit}, colour: share of the row")

    return over(draw, within(frame, label, *parts))


def tornado(frame: pd.DataFrame, label: str, low: str, high: str, centre: float, *, limit: float | None = None,
            unit: str = "") -> Callable:  # fmt: skip
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
