"""Tables recomputed as far as other cells imply them; the case study beside the planner."""

from dominoperf.study.recompute.beside import Beside, plans_beside, steps
from dominoperf.study.recompute.cases import case_request, case_study_beside, worked_examples_beside
from dominoperf.study.recompute.consequences import (
    price_consequences,
    price_pairs,
    raid_consequences,
    reader_consequences,
)
from dominoperf.study.recompute.drives import capacity_shares, drive_percentages, drive_ratios
from dominoperf.study.recompute.expressions import FUNCTIONS, evaluate
from dominoperf.study.recompute.figures import figure_values
from dominoperf.study.recompute.models import MODELS
from dominoperf.study.recompute.pages import pages
from dominoperf.study.recompute.readings import (
    PRINTED,
    SUSPECTED,
    beside_rule,
    count_short,
    load_ranks,
    releases,
    responses,
    say_both,
    say_unit,
    sizing_rules,
)
from dominoperf.study.recompute.regeneration import cells, cells_of, computed, counts, regenerate

__all__ = [
    "FUNCTIONS",
    "MODELS",
    "PRINTED",
    "SUSPECTED",
    "Beside",
    "beside_rule",
    "capacity_shares",
    "case_request",
    "case_study_beside",
    "cells",
    "cells_of",
    "computed",
    "count_short",
    "counts",
    "drive_percentages",
    "drive_ratios",
    "evaluate",
    "figure_values",
    "load_ranks",
    "pages",
    "plans_beside",
    "price_consequences",
    "price_pairs",
    "raid_consequences",
    "reader_consequences",
    "regenerate",
    "releases",
    "responses",
    "say_both",
    "say_unit",
    "sizing_rules",
    "steps",
    "worked_examples_beside",
]
