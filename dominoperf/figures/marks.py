"""Numbers as marks: points by group, dots in rows, counts as a heat map, what moves a result most; nothing fitted."""

from collections.abc import Iterable, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
import seaborn as sns

from dominoperf import tables
from dominoperf.figures import OKABE_ITO
from dominoperf.figures.labels import HALO, label_ends, name_points, name_rows
from dominoperf.figures.pictures import BEHIND, Drawing
from dominoperf.figures.theme import (
    GREY,
    PALE,
    PLACE,
    SMALL,
    TEXT,
    is_half_width,
    legend,
    legend_below,
    logarithmic,
    plain_numbers,
    plain_ticks,
    series_styles,
)
from dominoperf.tables.carried_errata import columns_used
from dominoperf.tables.rendering import number

_ASIDE = 0.5  # rows: how far dots that would hide each other stand apart
_NEAR = (0.02, 0.05)  # of the axis, wide and narrow: dots that are nearer would hide each other
_HEIGHT = "height"  # column of `dots` that says where a mark stands, and is no number of the data
_NAMES = ("machine", "name", "item", "label", "workload")  # columns that say what a row is


def draw_marks(ax, frame, x, y, group="", *, hollow=False, pale="", size=7.5, clip=True, **look):
    """Draw the rows of a frame as marks, those of a `group` (a column) in its colour and shape.

    Hollow ones, all or those of some groups, lie below the others, so that a mark within is seen; those of the group
    `pale` are grey: no evidence, or beaten by others. `size` is points of print across, a third more for hollow marks
    among others; without `clip` marks do not end where the axes end. `look` goes to seaborn's `scatterplot`.
    """
    ax.set(xlabel=ax.get_xlabel() or x, ylabel=ax.get_ylabel() or y)  # seaborn looks at all ticks before it names axes
    looking = series_styles(frame[group].unique()) if group else {}
    groups = list(looking["palette"]) if group else [""]
    if group and pale in groups:
        looking["palette"][pale] = PALE
    for is_hollow in (True, False):
        names = [name for name in groups if (hollow is True or name in (hollow or ())) == is_hollow]
        here = frame[frame[group].isin(names)] if group else frame
        if not names or here.empty:
            continue
        by = {"hue": group, "style": group, "hue_order": names, "style_order": names} | looking if group else {}
        here = here.dropna(subset=[x, y])
        across = size * (4 / 3 if is_hollow and len(here) < len(frame) else 1)  # another may lie within
        sns.scatterplot(here, x=x, y=y, ax=ax, s=across**2, **{"color": OKABE_ITO[0], "zorder": 3} | by | look)
        ax.collections[-1].set_clip_on(clip)
        if "locator" in here:
            ax.collections[-1].set_urls(list(_mark_links(here, (x, y) if y != _HEIGHT else (x,))))
        if is_hollow:
            hollow_marks(ax)
    if ax.get_legend():
        ax.get_legend().remove()  # each picture puts its own where there is room


def _mark_links(rows, columns):
    """What each mark is and where it is printed, as `figure_as_svg` writes it; None for one that is printed nowhere."""
    for words, place in zip(words_of_marks(rows, columns), rows["locator"], strict=True):
        yield f"{PLACE}{words}{PLACE}{place}" if place == place else None


def words_of_marks(rows, columns):
    """List what each row is, in words: its names, then its numbers, each with the words and the unit of its column."""
    names = [name for name in _NAMES if name in rows]
    named = [[" ".join(str(name or "").split()) for name in each] for each in rows[names].to_numpy(object)]
    numbers = [[f"{tables.label(column)} {number(value)}" for column, value in zip(columns, each, strict=True)]
               for each in rows[list(columns)].to_numpy(object)]  # fmt: skip
    return [", ".join(filter(None, [*name, *each])) for name, each in zip(named, numbers, strict=True)]


def piles_of(row, values, *, log=False, joined=False, near=_NEAR[0]):
    """Return of how many dots that would hide each other each is one, and how far it stands from the middle of them.

    Dots hide each other that are on one row, and nearer than a share of the axis.
    """
    along = (np.log(values) if log else values).sort_values(kind="stable")
    whole = np.ptp(along) if log else max(along.max(), 0) - min(along.min(), 0)
    least = 0 if joined else whole * near
    piles = row.groupby([row, (along.groupby(row).diff() > least).groupby(row).cumsum().sort_index()])
    sizes = piles.transform("size")
    return sizes, piles.cumcount() - (sizes - 1) / 2


def shade_interval(ax, x, low, high, **look):
    """Shade an interval between its ends, one colour light and without an edge; `look` goes to `fill_between`."""
    ax.fill_between(x, low, high, **{"alpha": 0.18, "linewidth": 0} | look)


def shade_stretch(ax, low, high, words):
    """Shade a stretch of the axis across and say at its top what it is; the limits of the axis stay."""
    limits = ax.get_xlim()
    low, high = max(low, limits[0]), min(high, limits[1])
    ax.axvspan(low, high, color="#dddddd", alpha=0.35, linewidth=0, zorder=0)
    place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "va": "bottom"}
    at_end = low > limits[0] and high == limits[1]
    place |= {"xytext": (0, 2), "ha": "right"} if at_end else {"xytext": (3, 2)}
    ax.annotate(words, (high if at_end else low, 1), fontsize=SMALL, color=GREY, annotation_clip=False, **place)
    ax.set_xlim(limits)


def hollow_marks(ax):
    """Make the marks drawn last white within, and what explains them."""
    marks = ax.collections[-1]
    marks.set(edgecolor=marks.get_facecolor(), facecolor="white", linewidth=1.6, zorder=2.5)
    for handle in ax.get_legend_handles_labels()[0]:
        if isinstance(handle, mpl.lines.Line2D):
            handle.set(markeredgecolor=handle.get_color(), markerfacecolor="white", markeredgewidth=1.6)


def points(frame: pd.DataFrame, x: str, y: str, *, group: str = "", lines: bool = False, steps: bool = False,
           log: str = "", names: str = "", key: bool = False, hollow: bool = False, pale: str = "",
           start: float = 0, unit: str = "", panels: bool = False) -> Drawing:  # fmt: skip
    """Return a drawing of points, those of a group in one colour and mark; for `picture`.

    Parameters
    ----------
    frame : DataFrame
    x, y : str
        Columns of numbers.
    group : str, optional
        Column that tells groups apart: named at the last point of each where there are up to four, else in a legend.
    lines : bool
        Whether the points of a group are joined, in the order of x: a guide to the eye.
    steps : bool
        Whether they are joined as a staircase instead: y stays until the next x, as the best that can be had for so
        much does where nothing lies between two points.
    log : str, optional
        "x", "y" or "xy": axes on which ratios matter.
    names : str, optional
        Column of words written beside each point.
    key : bool
        Whether groups are explained in a legend, however few: where they are kinds of points and no lines.
    hollow : bool
        Hollow marks: numbers derived from what a text states, rather than measurements that it prints.
    pale : str, optional
        The group whose marks are grey and not joined: those that another point beats.
    start : float
        Where the axis across begins, if it is not logarithmic.
    unit : str, optional
        Words of the axis upwards, where those of the column do not say enough: a ratio of what to what.
    panels : bool
        Whether each group has a panel of its own, with the points of the others pale behind.

    Examples
    --------
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"users": [100, 200], "response_s": [0.5, 0.9]})
    >>> figures.picture(figures.points(frame, "users", "response_s"), title="Twice the users, 0.4 s more")
    Picture: Twice the users, 0.4 s more. Axes: users across, 0 to 224; response time (s) upwards, 0 to 1.01. points: 0.5 at 100, 0.9 at 200.
    """  # noqa: E501
    rows = frame[frame[x].notna() & frame[y].notna()]
    colours = series_styles(rows[group].unique())["palette"] if group else {}

    def draw(ax):
        if lines or steps:
            style = {"linestyle": "-", "drawstyle": "steps-post"} if steps else {"linestyle": ":"}
            by = {"hue": group, "palette": colours} if group else {"color": OKABE_ITO[0]}
            joined = rows[rows[group] != pale] if pale else rows
            sns.lineplot(joined, x=x, y=y, estimator=None, legend=False, ax=ax, **style, **by)
        draw_marks(ax, rows, x, y, group, hollow=hollow, pale=pale)
        set_axis_scales([ax], rows, x, y, log, unit)
        if start and "x" not in log:
            ax.set_xlim(left=start)
        if key:
            legend_below(ax)
        elif len(colours) > 4:
            legend(ax)
        elif group:
            last = rows.sort_values(x, kind="stable").drop_duplicates(group, keep="last").set_index(group)
            label_ends(ax, [(*last.loc[name, [x, y]], str(name), colour) for name, colour in colours.items()])
        if names:
            name_points(ax, rows, x, y, names)

    def draw_panels(size):
        grid = panels_of(rows, x, y, group, size)
        for ax in grid.axes.flat:
            sns.scatterplot(rows, x=x, y=y, color="#dddddd", s=16, zorder=1, label=BEHIND, legend=False, ax=ax)
        set_axis_scales(grid.axes.flat, rows, x, y, log, unit)
        return grid

    looks = {"group": group, "lines": lines, "steps": steps, "log": log, "names": names, "hollow": hollow, "pale": pale}
    looks |= {"start": start, "unit": unit}
    drawing = Drawing(draw, chart=lambda: _interactive().points(frame, x, y, **looks))
    drawing = Drawing(draw_panels, figure_level=True) if panels else drawing
    return drawing.with_errata_of(columns_used(frame, x, y))


def panels_of(frame, x, y, group, size, *, columns=3, height=1.75):
    """Return seaborn's grid of a panel per group, each with its points; in a narrow picture two are in a row."""
    looking = series_styles(frame[group].unique())
    columns = min(columns if size is TEXT else 2, len(looking["palette"]))
    how = {"col_wrap": columns, "height": height, "aspect": size.width / columns / height, "dropna": False}
    grid = Panels(frame, col=group, **how)
    grid.map_dataframe(sns.scatterplot, x=x, y=y, hue=group, style=group, **looking, s=50, zorder=3, legend=False)
    return grid.set_titles("{col_name}")


class Panels(sns.FacetGrid):
    """Seaborn's grid of panels without its layout, which takes a third of the drawing: a picture has its own."""

    def tight_layout(self, *_given, **_named):
        """Leave everything where it is."""
        return self


def set_axis_scales(axes, frame, x, y, log, unit=""):
    """Let axes begin at zero, or be logarithmic with plain ticks; with the words of their columns."""
    user = tables.user_of(frame)
    for ax in axes:
        ax.set(xlabel=tables.label(x, user), ylabel=unit or tables.label(y, user))
        for axis, name in ((ax.xaxis, x), (ax.yaxis, y)):
            low, high = frame[name].min(), frame[name].max()
            if axis.axis_name in log:
                logarithmic(axis, low, high)
            else:
                ax.set(**{f"{axis.axis_name}lim": (min(0, low - 0.08 * (high - low)), 1.12 * high)})
                whole = bool((frame[name] % 1 == 0).all())  # there is no half a processor
                axis.set_major_locator(mpl.ticker.MaxNLocator(6, integer=whole))
                axis.set_major_formatter(plain_numbers)


def dots(frame: pd.DataFrame, label: str, value: str, *, low: str = "", high: str = "", group: str = "",
         hollow: str = "", pale: str = "", joined: bool = False, notes: str = "", reference: float | None = None,
         beyond: str = "", order: Iterable[str] = (), log: bool = False, unit: str = "") -> Drawing:  # fmt: skip
    """Return a drawing of one dot a row, named at the left, with its interval where there is one; for `picture`.

    Rows of one label share a line, which is as high as the dots need that would else hide each other.

    Parameters
    ----------
    frame : DataFrame
        In the order of the picture, from the top.
    label, value : str
        Columns: the words at the left, and the number.
    low, high : str, optional
        Columns of the ends of an interval.
    group : str, optional
        Column that gives dots of a kind one colour and mark, explained in a legend.
    hollow : str, optional
        The group whose marks are hollow: numbers derived from what a text states.
    pale : str, optional
        The group whose marks are grey: those that are no evidence.
    joined : bool
        Whether the dots of a row are joined: a number before and after, or two readings of one.
    notes : str, optional
        Column of words written beside the last dot of a row.
    reference : float, optional
        Where a line is drawn: no change.
    beyond : str, optional
        What a number right of that line would mean; there the picture is shaded.
    order : sequence of str, optional
        The labels from the top, if they are to stand otherwise than they come in the frame.
    log : bool
        A logarithmic axis, for ratios.
    unit : str, optional
        Words of the axis.

    Examples
    --------
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"server": ["old", "new"], "users": [600, 1200]})
    >>> figures.picture(figures.dots(frame, "server", "users"), title="The new one carries twice as many")
    Picture: The new one carries twice as many. Axes: users across, 0 to 1,328. points: 600 for old, 1,200 for new.
    """
    names = list(order) or list(dict.fromkeys(frame[label]))
    rows = frame[frame[value].notna()].reset_index(drop=True)
    row = rows[label].map({name: k for k, name in enumerate(names)}).astype(float)  # of no rows too

    def draw(ax):
        sizes, above = piles_of(row, rows[value], log=log, joined=joined, near=_NEAR[int(is_half_width(ax))])
        tall = (_ASIDE * sizes).groupby(row).max().reindex(range(len(names)), fill_value=1)
        tall = tall.clip(lower=1)
        middle = tall.cumsum() - tall / 2 - 0.5
        at = row.map(middle)
        ax.set_xscale("log" if log else "linear")
        if low:
            ax.hlines(at + _ASIDE * above, rows[low], rows[high], color=GREY, linewidth=1.6, zorder=2)
        ends = rows.groupby(at)[value].agg(["min", "max"])
        if joined:
            ax.hlines(ends.index, ends["min"], ends["max"], color=GREY, linewidth=1.6, zorder=2)
        ax.grid(axis="y", color="#dddddd", linewidth=0.8)
        look = {"hollow": [hollow] if hollow else False, "pale": pale, "size": 8.5, "clip": False}
        draw_marks(ax, rows.assign(**{_HEIGHT: at + _ASIDE * above}), value, _HEIGHT, group, **look)
        for place, words in rows.groupby(at)[notes].last().items() if notes else ():
            ax.annotate(words, (ends.at[place, "max"], place), xytext=(8, 0), textcoords="offset points", va="center",
                        fontsize=SMALL, bbox=HALO, in_layout=False)  # fmt: skip
        name_rows(ax, names, middle)
        ax.set_ylim(max(tall.sum(), 1) - 0.5, -0.5)
        if reference is not None:
            ax.axvline(reference, color=GREY, linewidth=1.1, zorder=1)
        if log:
            plain_ticks(ax.xaxis, *ax.get_xlim())
        else:
            ax.xaxis.set_major_formatter(plain_numbers)
            if frame[value].min() >= 0:
                room = 1.08 + 0.1 * bool(notes) * (1 + 2 * is_half_width(ax))
                ax.set_xlim(0, room * max(ax.get_xlim()[1], frame[value].max()))
        if beyond:
            shade_stretch(ax, reference, ax.get_xlim()[1], beyond)
        ax.set_xlabel(unit or tables.label(value, tables.user_of(frame)))
        legend_below(ax)

    looks = {"low": low, "high": high, "group": group, "hollow": hollow, "pale": pale, "joined": joined}
    looks |= {"reference": reference, "order": order, "log": log, "unit": unit}
    drawing = Drawing(draw, chart=lambda: _interactive().dots(frame, label, value, **looks))
    return drawing.with_errata_of(columns_used(frame, value, low, high))


def _interactive():
    """The module of charts, with Altair, which takes a second."""
    from dominoperf.figures import interactive

    return interactive


def shares(frame: pd.DataFrame, label: str, parts: Sequence[str], *, unit: str = "", asks: str = "") -> Drawing:
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
    asks : str, optional
        The name by which the list below a picture knows what is over the columns: a click on a cell of the picture
        for a pointer asks it for what is counted there.

    Examples
    --------
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"topic": ["disk", "memory"], "right": [3, 5], "wrong": [1, 2]})
    >>> figures.picture(figures.shares(frame, "topic", ["right", "wrong"], unit="claims"), title="3 of 11 are wrong")
    Picture: 3 of 11 are wrong. Axes: number of claims, colour: share of the row. right, the most: memory (7) 5, disk (4) 3. wrong, the most: memory (7) 2, disk (4) 1.
    """  # noqa: E501
    counts = frame[list(parts)]
    total = counts.sum(axis="columns")
    colours = sns.light_palette(OKABE_ITO[5], as_cmap=True)  # light enough for dark words everywhere

    def draw(ax):
        words = {"annot": counts, "fmt": ",", "annot_kws": {"fontsize": SMALL, "color": "#111111"}}  # dark on any page
        of_row = counts.div(total, axis="index")
        sns.heatmap(of_row, vmin=0, vmax=1, cmap=colours, cbar=False, linewidths=1, ax=ax, **words)
        names = [f"{name} ({count:,})" for name, count in zip(frame[label], total, strict=True)]
        name_rows(ax, names, [row + 0.5 for row in range(len(names))])
        ax.tick_params(axis="x", length=0, labelrotation=90 if is_half_width(ax) else 0)
        ax.set_xlabel(f"number of {unit}, colour: share of the row")

    drawing = Drawing(draw, chart=lambda: _interactive().shares(frame, label, parts, unit=unit, asks=asks))
    return drawing.with_errata_of(columns_used(frame, label, *parts))


def tornado(frame: pd.DataFrame, label: str, low: str, high: str, centre: float, *, limit: float | None = None,
            unit: str = "") -> Drawing:  # fmt: skip
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

    Examples
    --------
    >>> from dominoperf import figures
    >>> frame = pd.DataFrame({"input": ["users", "mail"], "low": [1.2, 1.5], "high": [2.1, 1.7]})
    >>> drawing = figures.tornado(frame, "input", "low", "high", 1.6, unit="systems")
    >>> figures.picture(drawing, title="Users move it most")
    Picture: Users move it most. Axes: systems across, 0 to 2.27. input at its low end: 1.2 for users, 1.5 for mail. input at its high end: 2.1 for users, 1.7 for mail.
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

    return Drawing(draw).with_errata_of(columns_used(frame, low, high))
