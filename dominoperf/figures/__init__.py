"""Draw a result or printed numbers in one style."""

from dominoperf.figures.bars import shares, tornado
from dominoperf.figures.fits import curves, overlay, picture, plot, residuals
from dominoperf.figures.loads import queue_lines, reaching
from dominoperf.figures.marks import dots, points
from dominoperf.figures.pictures import Picture
from dominoperf.figures.sizing import rule
from dominoperf.figures.theme import OKABE_ITO
from dominoperf.figures.timeline import run, run_words
from dominoperf.figures.workloads import demand_panels, ratio_dots

__all__ = [
    "OKABE_ITO",
    "Picture",
    "curves",
    "demand_panels",
    "dots",
    "overlay",
    "picture",
    "plot",
    "points",
    "queue_lines",
    "ratio_dots",
    "reaching",
    "residuals",
    "rule",
    "run",
    "run_words",
    "shares",
    "tornado",
]
