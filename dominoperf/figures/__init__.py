"""Draw a result or printed numbers in one style."""

from dominoperf.figures.fits import curves, picture, plot, rule
from dominoperf.figures.marks import dots, points
from dominoperf.figures.style import OKABE_ITO, Picture
from dominoperf.figures.workloads import demand_panels, ratio_dots

__all__ = ["OKABE_ITO", "Picture", "curves", "demand_panels", "dots", "picture", "plot", "points", "ratio_dots", "rule"]
