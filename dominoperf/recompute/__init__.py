"""Tables recomputed as far as other cells imply them; the case study beside the planner."""

from dominoperf.recompute.beside import Beside, plans_beside, steps
from dominoperf.recompute.cases import case_request, case_study_beside, worked_examples_beside
from dominoperf.recompute.consequences import price_consequences, price_pairs, raid_consequences, reader_consequences
from dominoperf.recompute.drives import capacity_shares, drive_percentages, drive_ratios
from dominoperf.recompute.expressions import FUNCTIONS, evaluate
from dominoperf.recompute.figures import figure_values
from dominoperf.recompute.models import MODELS
from dominoperf.recompute.pages import pages
from dominoperf.recompute.tables import cells, cells_of, computed, counts, regenerate

__all__ = [
    "FUNCTIONS",
    "MODELS",
    "Beside",
    "capacity_shares",
    "case_request",
    "case_study_beside",
    "cells",
    "cells_of",
    "computed",
    "counts",
    "drive_percentages",
    "drive_ratios",
    "evaluate",
    "figure_values",
    "pages",
    "plans_beside",
    "price_consequences",
    "price_pairs",
    "raid_consequences",
    "reader_consequences",
    "regenerate",
    "steps",
    "worked_examples_beside",
]
