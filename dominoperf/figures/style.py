"""The one style of all pictures: sizes, colours, marks, and a picture with title, source and words for the blind."""

import html
import io
import textwrap
from dataclasses import dataclass

import matplotlib as mpl
from matplotlib.figure import Figure

OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""The colours of all pictures, told apart with any kind of colour vision (Okabe and Ito)."""
MARKS = ("o", "s", "^", "D", "v", "P", "X")  # with the colours, in this order: told apart in grey too
WIDTH, HEIGHT = 7.0, 4.2  # inches: the width of the text
GREY = "#444444"
STYLE = {
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "legend.frameon": False,
    "svg.hashsalt": "dominoperf",  # without it every SVG gets new ids
    "svg.fonttype": "path",
    "text.parse_math": False,  # a dollar sign in a title is one
}
_SUBTITLE = "subtitle"
_LINE = 68  # characters of a title in one line


@dataclass(frozen=True)
class Picture:
    """A drawn figure: `svg` as text, `alt` for a reader who cannot see it."""

    svg: str
    alt: str

    def __repr__(self):
        """Tell the picture in words."""
        return f"Picture: {self.alt}"

    def _repr_html_(self):
        return f'<figure role="img" aria-label="{html.escape(self.alt)}">{self.svg}</figure>'


def drawn(draw, *, title="", subtitle="", foot="", alt="", height=HEIGHT):
    """Draw ``draw(ax)`` as a picture for a page: the finding as title, the data below it, the source at the foot."""
    with mpl.rc_context(STYLE):
        figure = Figure((WIDTH, height), layout="constrained")
        ax = figure.subplots()
        draw(ax)
        head = "\n".join(textwrap.wrap(title, _LINE)) + ("\n" * (1 + subtitle.count("\n")) if subtitle else "")
        ax.set_title(head)
        ax.text(0, 1.02, subtitle, transform=ax.transAxes, color=GREY, gid=_SUBTITLE, in_layout=False)
        figure.supxlabel(textwrap.fill(foot, 110), x=0.01, ha="left", fontsize=8.5, color=GREY)
        _words_from_the_left(figure, ax)
        return Picture(svg(figure), alt or title)


def _words_from_the_left(figure, ax):
    """Title and subtitle begin at the edge of the picture: beside long names at an axis there is no room for them."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    box = ax.get_position()
    edge = (0.01 - box.x0) / box.width
    for words in (ax._left_title, *(text for text in ax.texts if text.get_gid() == _SUBTITLE)):
        words.set_x(edge)


def svg(figure):
    """The figure as SVG, the same bytes at every run: no date, no random ids."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def plain_ticks(axis, low, high):
    """Ticks of a logarithmic axis at plain numbers, as many as it has room for."""
    steps = [base * 10**power for power in range(-6, 7) for base in (1, 1.5, 2, 3, 5, 7)]
    inside = [step for step in steps if low <= step <= high]
    if len(inside) < 3:  # less than a factor of two: steps of equal size
        inside = [step for step in mpl.ticker.MaxNLocator(5).tick_values(low, high) if low <= step <= high]
    few = inside if len(inside) <= 8 else [step for step in inside if f"{step:e}"[:3] in ("1.0", "2.0", "5.0")]
    axis.set_major_locator(mpl.ticker.FixedLocator(few if len(few) <= 8 else [s for s in few if f"{s:e}"[0] == "1"]))
    axis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:,.7g}"))
    axis.set_minor_locator(mpl.ticker.NullLocator())


def label_ends(ax, ends):
    """Write words at the right ends of lines, moved apart where they would overlap: (x, y, words, colour)."""
    low, high = ax.get_ylim()
    least, at = (high - low) * 0.055, -float("inf")
    for x, y, words, colour in sorted(ends, key=lambda end: end[1]):
        at = max(y, at + least)
        ax.annotate(words, (x, y), xytext=(x, at), textcoords="data", color=colour, va="center", fontsize=9,
                    annotation_clip=False, xycoords="data")  # fmt: skip
