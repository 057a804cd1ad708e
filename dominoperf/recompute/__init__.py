"""Tables recomputed as far as other cells imply them."""

from dominoperf.recompute.consequences import price_consequences, price_pairs, raid_consequences, reader_consequences
from dominoperf.recompute.drives import capacity_shares, drive_percentages, drive_ratios
from dominoperf.recompute.expressions import FUNCTIONS, evaluate
from dominoperf.recompute.figures import figure_values
from dominoperf.recompute.models import MODELS
from dominoperf.recompute.pages import pages
from dominoperf.recompute.tables import cells, cells_of, counts, regenerate

__all__ = [
    "FUNCTIONS",
    "MODELS",
    "capacity_shares",
    "cells",
    "cells_of",
    "counts",
    "drive_percentages",
    "drive_ratios",
    "evaluate",
    "figure_values",
    "pages",
    "price_consequences",
    "price_pairs",
    "raid_consequences",
    "reader_consequences",
    "regenerate",
]
