"""Draw a result or printed numbers in one style."""

from dominoperf.figures.fits import picture, plot
from dominoperf.figures.marks import dots, points
from dominoperf.figures.style import OKABE_ITO, Picture

__all__ = ["OKABE_ITO", "Picture", "dots", "picture", "plot", "points"]
