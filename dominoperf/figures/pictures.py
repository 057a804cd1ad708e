"""A picture for a page: the finding as title, the data below it, the source at the foot, in two sizes, with words."""

import dataclasses
import html
import io
import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import matplotlib.transforms as mtransforms
import seaborn as sns
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.text import Text

from dominoperf.figures.alt_text import alt_text
from dominoperf.figures.drawing import Drawing
from dominoperf.figures.labels import height_of_rows, place_ends, place_names
from dominoperf.figures.theme import GREY, HALF, HEIGHT, PLACE, SMALL, TEXT, balanced, theme, wrapped
from dominoperf.tables import carried_errata
from dominoperf.tables.rendering import typeset

_LINE = 0.145  # inches: a line of small words in a narrow picture
_AXES = (0.4, 0.62)  # of the height that is asked for, at least this much is left to the axes, wide and narrow
_UPRIGHT = 36  # characters: more in a line would reach from beside the axis into the title
# A mark: its words and its place, as yet without an address, for only a page knows where that stands.
_MARK = re.compile(f'<a xlink:href="{PLACE}(.*?){PLACE}(.*?)"(?: target="_blank")?>')


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawn figure as SVG, `half` of half width; `alt` for a reader who cannot see it, `title` its finding."""

    svg: str
    alt: str
    half: str = ""
    title: str = ""
    figures: tuple = dataclasses.field(default=(), repr=False, compare=False)  # what both were written from
    errata: tuple = dataclasses.field(default=(), repr=False, compare=False)  # that touch what is drawn
    chart: str = dataclasses.field(default="", repr=False)  # for a pointer, with the words around it, as JSON

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


def drawn(draw, *, title="", subtitle="", foot="", alt="", height=HEIGHT, errata=(), pointer=False):
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
            figure = laid_out(drawing, size, height, shown, subtitle, foot)
            made.append((svg(figure), figure))
    (wide, first), (half, second) = made
    words = " ".join(filter(None, (_with_full_stop(alt or title), _with_full_stop(notes), alt_text(first))))
    chart = ""
    if pointer and drawing.chart:
        from dominoperf.figures import interactive  # with Altair, which takes a second

        around = {"title": typeset(shown), "subtitle": typeset(subtitle), "foot": typeset(foot)}
        chart = interactive.for_a_page(drawing.chart(), around, first.axes[0].texts)
    return Picture(wide, typeset(words), half, typeset(shown), (first, second), tuple(errata), chart)


def laid_out(drawing, size, height, title, subtitle, foot):
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
        ax.set(ylabel=wrapped(ax.get_ylabel(), _UPRIGHT // (1 + several)))
        if size is HALF:
            ax.set(xlabel=wrapped(ax.get_xlabel(), size.axis))
        elif several:  # panels beside each other share the width with their axes
            ax.set(xlabel=wrapped(ax.get_xlabel(), size.axis // ax.get_subplotspec().get_gridspec().ncols - 8))
    title, subtitle, foot = balanced(title, size.title), balanced(subtitle, size.subtitle), wrapped(foot, size.foot)
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


def svg(figure):
    """The figure as SVG, the same bytes at every run: no date, no random ids."""
    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})  # `savefig` would draw twice
    text = buffer.getvalue().replace("'DejaVu Sans', ", "'DejaVu Sans', Verdana, ")  # which has letters as wide
    # Marks take their colours from where they stand, not from where they are defined: a page in the dark changes them.
    text = re.sub(r'(<path id="m\w+" d="[^"]*") style="[^"]*"', r"\1", text)
    text = _MARK.sub(r'<a data-place="\2"><title>\1. \2</title>', text)
    return text[text.index("<svg") :].strip()
