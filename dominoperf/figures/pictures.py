"""A picture for a page: the finding as title, the data below it, the source at the foot, in two sizes, with words."""

import html
import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.transforms as mtransforms
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text
from matplotlib.ticker import PercentFormatter

from dominoperf.figures.labels import height_of_rows, place_ends, place_names
from dominoperf.figures.theme import GREY, HALF, HEIGHT, PLACE, SMALL, TEXT, theme, words_in_even_lines, words_in_lines
from dominoperf.tables import carried_errata
from dominoperf.tables.rendering import number, typeset

BEHIND = "_behind"
"""The label of marks that repeat those of other panels, and are not told again."""
_MARKS_TOLD_ONE_BY_ONE = 6  # marks of a kind that are reported one by one
_LINE = 0.145  # inches: a line of small words in a narrow picture
_AXES = (0.4, 0.62)  # of the height that is asked for, at least this much is left to the axes, wide and narrow
_UPRIGHT = 36  # characters: more in a line would reach from beside the axis into the title
# A mark: its words and its place, as yet without an address, for only a page knows where that stands.
_MARK = re.compile(f'<a xlink:href="{PLACE}(.*?){PLACE}(.*?)"(?: target="_blank")?>')


@dataclass(frozen=True)
class Drawing:
    """Something to draw, for `picture`; called as ``draw`` is."""

    draw: Callable[[Any], Any]
    """Draws on the axes that it is given; where it is `figure_level`, makes a grid of panels of the size given."""
    errata: tuple = ()
    chart: Callable[[], list] | None = None
    """Returns the layers of a chart for a reader's pointer."""
    figure_level: bool = False

    def __call__(self, where: Any) -> Any:
        """Draw."""
        return self.draw(where)

    def with_errata_of(self, *things: Any) -> "Drawing":
        """Return the drawing with the errata that touch what it draws, for `picture` to tell."""
        return replace(self, errata=tuple(carried_errata.errata_of(*things)))


@dataclass(frozen=True)
class Picture:
    """A drawn figure as SVG, `half` of half width; `alt` for a reader who cannot see it, `title` its finding."""

    svg: str
    alt: str
    half: str = ""
    title: str = ""
    figures: tuple = field(default=(), repr=False, compare=False)  # what both were written from
    errata: tuple = field(default=(), repr=False, compare=False)  # that touch what is drawn
    chart: str = field(default="", repr=False)  # for a pointer, with the words around it, as JSON

    def __repr__(self):
        """Tell the picture in words."""
        return f"Picture: {self.alt}"

    def _repr_html_(self):
        """Both sizes; the narrow one is shown only where a style sheet turns that round, as ours does on a phone."""
        narrow = self.half.replace("<svg", '<svg class="half" display="none"', 1)
        words = f'aria-label="{html.escape(self.alt)}" data-title="{html.escape(self.title)}"'
        chart = f'<script type="application/json">{self.chart}</script>' if self.chart else ""
        return (
            f'<figure role="img" {words}>{self.svg}{narrow}{chart}</figure>{carried_errata.errata_as_html(self.errata)}'
        )


def picture_for_page(draw, *, title="", subtitle="", foot="", alt="", height=HEIGHT, errata=(), pointer=False):
    """Return ``draw(ax)`` as a picture for a page: the finding as title, the data below it, the source at the foot.

    Errata that touch it are reported at the foot, where a dagger leads from the title. What the axes show is added to
    `alt`, in words. A drawing that is ``figure_level`` is given a size, and makes the grid of its panels itself. With
    `pointer` goes the chart that a drawing has for one.
    """
    notes = carried_errata.errata_as_foot(errata)
    shown = title + carried_errata.DAGGER * (title != "" and carried_errata.DAGGER in notes)
    foot = "\n".join(filter(None, (foot, notes)))
    drawing, made = draw if isinstance(draw, Drawing) else Drawing(draw), []
    for size in (TEXT, HALF):
        with theme(size):
            figure = figure_with_words(drawing, size, height, shown, subtitle, foot)
            made.append((figure_as_svg(figure), figure))
    (wide, first), (half, second) = made
    words = " ".join(filter(None, (_with_full_stop(alt or title), _with_full_stop(notes), alt_text(first))))
    chart = ""
    if pointer and drawing.chart:
        from dominoperf.figures import interactive  # with Altair, which takes a second

        around = {"title": typeset(shown), "subtitle": typeset(subtitle), "foot": typeset(foot)}
        chart = interactive.for_a_page(drawing.chart(), around, first.axes[0].texts)
    return Picture(wide, typeset(words), half, typeset(shown), (first, second), tuple(errata), chart)


def figure_with_words(drawing, size, height, title, subtitle, foot):
    """Return the figure of one size with its words around it, each in its place."""
    if drawing.figure_level:
        figure = drawing(size).figure
        plt.close(figure)  # else a notebook shows it once more
        figure.set_figwidth(size.width)  # seaborn has made room for a legend at the right
        inches = figure.get_figheight()
    else:
        inches = height if size is TEXT else 0.75 * height
        figure = Figure((size.width, inches))
        drawing(figure.subplots())
    _frame_picture(figure, size, inches, title, subtitle, foot)
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    for ax in figure.axes:
        place_ends(ax)
        place_names(ax)
    return figure


def _with_full_stop(words):
    """Words with a full stop, where they have no end of their own."""
    return words if not words or words.endswith((".", "!", "?")) else f"{words}."


def _frame_picture(figure, size, inches, title, subtitle, foot):
    """Title and subtitle above the axes, the foot below them, all from the left; few ticks; as high as that needs."""
    for text in figure.findobj(Text):
        text.set_text(typeset(text.get_text()))
    several = len(figure.axes) > 1
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if isinstance(axis.get_major_locator(), mpl.ticker.MaxNLocator):
                ticks = max(size.ticks // (1 + several * (axis is ax.xaxis)), 2)
                axis.get_major_locator().set_params(nbins=ticks, steps=[1, 2, 2.5, 5, 10])
        ax.set(ylabel=words_in_lines(ax.get_ylabel(), _UPRIGHT // (1 + several)))
        if size is HALF:
            ax.set(xlabel=words_in_lines(ax.get_xlabel(), size.axis))
        elif several:  # panels beside each other share the width with their axes
            ax.set(xlabel=words_in_lines(ax.get_xlabel(), size.axis // ax.get_subplotspec().get_gridspec().ncols - 8))
    title, subtitle = words_in_even_lines(title, size.title), words_in_even_lines(subtitle, size.subtitle)
    foot = words_in_lines(foot, size.foot)
    small = mpl.rcParams["font.size"] if size is TEXT else SMALL
    line, space = 1.2 * mpl.rcParams["figure.titlesize"] / 72, 0.05  # inches
    under = space + (line * (title.count("\n") + 1) + space if title else 0)
    head = under + (line * (subtitle.count("\n") + 1) + space if subtitle else 0)
    top = head
    for legend in figure.legends:
        columns = len(legend.get_texts()) if size is TEXT else 2
        sns.move_legend(figure, "upper left", ncols=columns, fontsize=small, title=None)
        head += 1.2 * line * -(-len(legend.get_texts()) // columns) + space
    figure.text(0.01, 1, title, va="top", fontsize=mpl.rcParams["figure.titlesize"], fontweight="bold",
                transform=_below_top(figure, space))  # fmt: skip
    figure.text(0.01, 1, subtitle, va="top", fontsize=small, color=GREY, transform=_below_top(figure, under))
    figure.supxlabel(foot, x=0.01, ha="left", fontsize=8.5 if size is TEXT else SMALL, color=GREY)
    if several:
        inches += head + _LINE * (2 + foot.count("\n"))
    else:  # what the axes leave to the words around them is known once all are laid out, with room to spare
        (ax,) = figure.axes
        spare = inches + max(10, head + 5)  # somebody's title may be long
        figure.set_figheight(spare)
        figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - head / spare))
        figure.get_layout_engine().execute(figure)
        around = spare - ax.get_window_extent().height / figure.dpi
        least = _AXES[size is HALF] * inches
        least = max(least, height_of_rows(ax)) if ax.yaxis_inverted() else least
        inches = max(around + least, head + least, inches if size is TEXT else 0)  # a strange layout may take no room
    figure.set_figheight(inches)
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0, 1 - top / inches))
    figure.set_layout_engine("constrained", rect=(0, 0, 1, 1 - head / inches))


def _below_top(figure, inches):
    """Places on a figure by shares of it, so many inches lower."""
    return figure.transFigure + mtransforms.ScaledTranslation(0, -inches, figure.dpi_scale_trans)


def figure_as_svg(figure):
    """The figure as SVG, the same bytes at every run: no date, no random ids."""
    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})  # `savefig` would draw twice
    text = buffer.getvalue().replace("'DejaVu Sans', ", "'DejaVu Sans', Verdana, ")  # which has letters as wide
    # Marks take their colours from where they stand, not from where they are defined: a page in the dark changes them.
    text = re.sub(r'(<path id="m\w+" d="[^"]*") style="[^"]*"', r"\1", text)
    text = _MARK.sub(r'<a data-place="\2"><title>\1. \2</title>', text)
    return text[text.index("<svg") :].strip()


def alt_text(figure):
    """Return what the axes of a figure show and which marks are on them.

    Returns
    -------
    str
        Sentences: the axes with their units and ends, then each kind of mark with its numbers, panel by panel; of more
        than six marks of a kind, how many they are and between which numbers they lie.
    """
    panels = figure.axes
    first = panels[0]  # rows are named by their place, where the axis runs from the first row at the top
    named = zip(first.get_yticks(), first.get_yticklabels(), strict=True) if first.yaxis_inverted() else ()
    rows = {at: " ".join(label.get_text().split()) for at, label in named}
    axes = [_axis_in_words(panels, "x", "across")] + ([] if rows else [_axis_in_words(panels, "y", "upwards")])
    sentences = [f"Axes: {'; '.join(filter(None, axes))}"]
    for ax in panels:
        marks = list(_greatest_cells(ax, rows) if _is_heat_map(ax) else _marks_in_words(ax, rows))
        panel = ax.get_label() or " ".join(ax.get_title().split())
        marks = [words.removeprefix("points: ").removeprefix(f"{panel}: ") for words in marks] if panel else marks
        sentences += [f"{panel}: {'; '.join(marks)}"] if panel and marks else marks
    return " ".join(f"{sentence}." for sentence in sentences)


def _axis_in_words(panels, name, way):
    """Words, ends and scale of the axis that panels share; the first that has words tells them."""
    words = next((words for ax in panels if (words := " ".join(getattr(ax, f"get_{name}label")().split()))), "")
    low, high = getattr(panels[0], f"get_{name}lim")()
    scale = ", logarithmic" if getattr(panels[0], f"get_{name}scale")() == "log" else ""
    if not words or _is_heat_map(panels[0]):
        return words
    written = _numbers_of_axis(getattr(panels[0], f"{name}axis"))
    return f"{words} {way}, {written(low, 3)} to {written(high, 3)}{scale}"


def _numbers_of_axis(axis):
    """What writes a number of an axis: where the axis has shares as percentages, so too."""
    formatter = axis.get_major_formatter()
    if not isinstance(formatter, PercentFormatter):
        return number
    return lambda value, *digits: f"{number(100 * value / formatter.xmax, *digits)}{formatter.symbol}"


def _is_heat_map(ax):
    """Tell whether axes show a grid of cells."""
    return any(isinstance(grid, QuadMesh) for grid in ax.collections)


def _marks_in_words(ax, rows):
    """Each kind of mark: its name, and its numbers, each with the words that stand beside it."""
    place = "{:.6g} {:.6g}".format
    texts = [text for text in ax.texts if isinstance(text, Annotation)]
    across, upwards = map(_numbers_of_axis, (ax.xaxis, ax.yaxis))
    beside = {(getattr(text, "kind", ""), place(*text.xy)): " ".join(text.get_text().split()) for text in texts}
    for name, marks in _kinds_of_marks(ax).groupby("kind", sort=False):
        if len(marks) > _MARKS_TOLD_ONE_BY_ONE:
            columns = (across, marks["x"]), (upwards, marks["y"])
            ends = [f"{written(values.min())} to {written(values.max())}" for written, values in columns]
            yield f"{name}: {len(marks)}, from {', '.join(ends[:1] if rows else ends)}"
            continue
        if rows:
            marks["row"] = [rows[min(rows, key=lambda row: abs(row - y))] for y in marks["y"]]
            listed = []
            for row, of_row in marks.groupby("row", sort=False):  # equal numbers once: 3 times 4,000
                counts = of_row["x"].map(across).value_counts(sort=False)
                values = [value if count == 1 else f"{count} times {value}" for value, count in counts.items()]
                listed.append(f"{' and '.join(values)} for {row}")
        else:
            at = marks.sort_values("x", kind="stable")[["x", "y"]].to_numpy()
            words = [beside.get((name, place(x, y)), beside.get(("", place(x, y)), "")) for x, y in at]
            told = [f" ({each})" if each not in ("", name) else "" for each in words]
            listed = [f"{upwards(y)} at {across(x)}{each}" for (x, y), each in zip(at, told, strict=True)]
        yield f"{name}: {', '.join(listed)}"


def _kinds_of_marks(ax):
    """All marks of axes: kind, x, y."""
    handles, names = ax.get_legend_handles_labels()
    for legend in ax.figure.legends:
        handles, names = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    # Seaborn draws the marks of all groups at once, without their names: the legend has them, by colour.
    lines = [(handle, name) for handle, name in zip(handles, names, strict=True) if hasattr(handle, "get_color")]
    of_colour = {to_hex(handle.get_color()): name for handle, name in lines}
    kinds = [pd.DataFrame(columns=["kind", "x", "y"])]
    for bars in ax.containers:
        if isinstance(bars, BarContainer) and bars.orientation == "horizontal" and len(bars):
            lengths = [(bar.get_width(), bar.get_y() + bar.get_height() / 2) for bar in bars]
            kinds.append(pd.DataFrame(lengths, columns=["x", "y"]).assign(kind=bars.get_label()))
    for line in ax.get_lines():
        if line.get_marker() not in ("", " ", "None", None) and len(line.get_xdata()):
            x, y = (np.asarray(values, float) for values in (line.get_xdata(), line.get_ydata()))
            kinds.append(pd.DataFrame({"kind": _name_of_mark(line), "x": x, "y": y}))
    for marks in ax.collections:
        if isinstance(marks, PathCollection) and marks.get_label() != BEHIND:
            x, y = np.asarray(marks.get_offsets(), float).T
            colours = (np.resize(shades, (len(x), 4)) for shades in (marks.get_facecolor(), marks.get_edgecolor()))
            seen = [edge if to_hex(face) == "#ffffff" else face for face, edge in zip(*colours, strict=True)]
            name = _name_of_mark(marks)
            kind = [of_colour.get(to_hex(colour), name) if name == "points" else name for colour in seen]
            kinds.append(pd.DataFrame({"kind": kind, "x": x, "y": y}))
    return pd.concat(kinds[1:] or kinds)


def _name_of_mark(artist):
    """What a mark is called: its label, or "points"."""
    label = str(artist.get_label())  # those that begin with an underscore are not in the legend
    return "points" if label.startswith("_child") else label.removeprefix("_")


def _greatest_cells(ax, rows):
    """Each column of a heat map: the greatest numbers written in its cells, by the names of their rows."""
    cells = pd.DataFrame([(*text.get_position(), text.get_text()) for text in ax.texts], columns=["x", "y", "words"])
    cells["count"] = cells["words"].str.replace(",", "").astype(float)
    for name, column in zip(ax.get_xticklabels(), cells.groupby("x"), strict=True):
        most = (
            column[1]
            .sort_values("count", ascending=False, kind="stable")
            .head(_MARKS_TOLD_ONE_BY_ONE)
            .query("count > 0")
        )
        listed = [f"{rows[cell.y]} {cell.words}" for cell in most.itertuples()]
        yield f"{name.get_text()}, the most: {', '.join(listed) or 'none'}"
