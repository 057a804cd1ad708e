"""Tables recomputed as far as other cells imply them."""

from dominoperf.recompute.drives import capacity_shares, drive_percentages, drive_ratios
from dominoperf.recompute.expressions import evaluate
from dominoperf.recompute.models import MODELS
from dominoperf.recompute.pages import pages
from dominoperf.recompute.tables import cells, counts, regenerate

__all__ = [
    "MODELS",
    "capacity_shares",
    "cells",
    "counts",
    "drive_percentages",
    "drive_ratios",
    "evaluate",
    "pages",
    "regenerate",
]
