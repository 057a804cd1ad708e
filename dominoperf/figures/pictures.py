"""A picture for a page: the finding as title, the data below it, the source at the foot, in two sizes, with words."""

import dataclasses
import html
import io
import os
import tempfile
from pathlib import Path

import matplotlib as mpl
import matplotlib.style
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from dominoperf.errors import UnknownName
from dominoperf.figures.seen import seen
from dominoperf.figures.style import GREY, HALF, HEIGHT, SMALL, TEXT, balanced, wrapped
from dominoperf.tables import doubts

_SUBTITLE = "subtitle"
_LINE = 0.145  # inches: a line of small words in a narrow picture
_UPRIGHT = 36  # characters: more in a line would reach from beside the axis into the title
_DPI = 200
_SUFFIXES = (".svg", ".png")


@dataclasses.dataclass(frozen=True)
class Picture:
    """A drawn figure as SVG, `half` of half width; `alt` for a reader who cannot see it, `title` its finding."""

    svg: str
    alt: str
    half: str = ""
    title: str = ""
    figures: tuple = dataclasses.field(default=(), repr=False, compare=False)  # what both were written from, for `save`
    errata: tuple = dataclasses.field(default=(), repr=False, compare=False)  # that touch what is drawn

    def __repr__(self):
        """Tell the picture in words."""
        return f"Picture: {self.alt}"

    def _repr_html_(self):
        """Both sizes; the narrow one is shown only where a style sheet turns that round, as ours does on a phone."""
        narrow = self.half.replace("<svg", '<svg class="half" display="none"', 1)
        words = f'aria-label="{html.escape(self.alt)}" data-title="{html.escape(self.title)}"'
        return f'<figure role="img" {words}>{self.svg}{narrow}</figure>{doubts.as_html(self.errata)}'

    def save(self, path, *, half=False):
        """Write the picture to a file, SVG or PNG by its suffix; what stood there stays if that fails.

        Parameters
        ----------
        path : path
            Ends in ``.svg`` or ``.png``; a PNG has 200 dots an inch.
        half : bool
            The picture of half width, 3.6 inches, rather than that of the width of a text, 7 inches.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        UnknownName
            Where the suffix is another.
        """
        path = Path(path)
        if path.suffix not in _SUFFIXES:
            listing = "A picture is saved as .svg or .png."
            raise UnknownName.among("the suffix of a picture's file", path.suffix, _SUFFIXES, listing)
        content = (self.half if half else self.svg).encode() if path.suffix == ".svg" else self._png(half)
        with tempfile.TemporaryDirectory(prefix=".picture", dir=path.parent) as work:
            (Path(work) / path.name).write_bytes(content)
            os.replace(Path(work) / path.name, path)
        return path

    def _png(self, half):
        """The same figure as pixels, the same bytes at every run of one version of the drawing library."""
        buffer = io.BytesIO()
        with _drawing(HALF if half else TEXT):
            self.figures[half].savefig(buffer, format="png", dpi=_DPI, metadata={"Software": None})
        return buffer.getvalue()


def doubted(title, foot, errata):
    """Give title and foot of a picture that errata touch: the foot tells them, a dagger leads there from the title."""
    told = doubts.as_foot(errata)
    return title + doubts.DAGGER * (title != "" and doubts.DAGGER in told), "\n".join(filter(None, (foot, told)))


def _drawing(size):
    """Our style over Matplotlib's own defaults alone: a ``matplotlibrc`` of a user or a folder changes no page."""
    return mpl.style.context(["default", size.style])


def pictured(make, alt, title, errata=()):
    """Give the picture of what ``make(size)`` draws as a figure, in both sizes; the errata are those that touch it."""
    made = []
    for size in (TEXT, HALF):
        with _drawing(size):
            figure = make(size)
            made.append((svg(figure), figure))
    (wide, first), (half, second) = made
    said = " ".join(filter(None, (_sentence(alt), _sentence(doubts.as_foot(errata)))))
    return Picture(wide, said, half, title, (first, second), tuple(errata))


def drawn(draw, *, title="", subtitle="", foot="", alt="", height=HEIGHT, errata=()):
    """Draw ``draw(ax)`` as a picture for a page: the finding as title, the data below it, the source at the foot.

    What the axes show is added to `alt`, in words.
    """
    named = title
    title, foot = doubted(title, foot, errata)

    def make(size):
        figure = Figure((size.width, height if size is TEXT else 0.75 * height), layout="constrained")
        ax = figure.subplots()
        draw(ax)
        _few_ticks(ax, size)
        words = balanced(subtitle, size.subtitle) if subtitle else ""
        ax.set_title(balanced(title, size.title) + ("\n" * (1 + words.count("\n")) if words else ""))
        small = {"fontsize": SMALL if size is HALF else None, "color": GREY, "gid": _SUBTITLE, "in_layout": False}
        ax.annotate(words, (0, 1), xycoords="axes fraction", xytext=(0, 8), textcoords="offset points", **small)
        figure.supxlabel(
            wrapped(foot, size.foot), x=0.01, ha="left", fontsize=8.5 if size is TEXT else SMALL, color=GREY
        )
        ax.set(ylabel=wrapped(ax.get_ylabel(), _UPRIGHT))
        if size is HALF:
            ax.set(xlabel=wrapped(ax.get_xlabel(), size.axis))
            _room(figure, ax)
        _words_from_the_left(figure, ax)
        return figure

    made = pictured(make, alt or named, title, errata)
    said = " ".join((made.alt, seen(made.figures[0].axes[0])))
    return dataclasses.replace(made, alt=said.strip())


def _sentence(words):
    return words if not words or words.endswith((".", "!", "?")) else f"{words}."


def _few_ticks(ax, size):
    """As many ticks as a reader needs, where the axis is free to choose them."""
    for axis in (ax.xaxis, ax.yaxis):
        if isinstance(axis.get_major_locator(), mpl.ticker.MaxNLocator):
            axis.get_major_locator().set_params(nbins=size.ticks, steps=[1, 2, 2.5, 5, 10])


def _room(figure, ax):
    """A narrow picture is as high as its many lines need: those of words around the axes, and of the names of rows."""
    legend = ax.get_legend()
    marks = [text.get_text() for text in legend.get_texts()] if legend else []
    lines = sum(1 + words.count("\n") for words in (ax.get_title(loc="left"), figure.get_supxlabel(), *marks))
    names = [1.4 + label.get_text().count("\n") for label in ax.get_yticklabels()] if ax.yaxis_inverted() else [0]
    figure.set_figheight(max(figure.get_figheight(), 1.9, _LINE * len(names) * max(names)) + _LINE * lines)


def _words_from_the_left(figure, ax):
    """Title and subtitle begin at the edge of the picture: beside long names at an axis there is no room for them."""
    figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")
    box = ax.get_position()
    edge = (0.01 - box.x0) / box.width
    ax._left_title.set_x(edge)
    for words in ax.texts:
        if words.get_gid() == _SUBTITLE:
            words.xy = (edge, 1)


def svg(figure):
    """The figure as SVG, the same bytes at every run: no date, no random ids."""
    buffer = io.StringIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None})  # `savefig` would draw twice
    text = buffer.getvalue()
    return text[text.index("<svg") :].strip()
