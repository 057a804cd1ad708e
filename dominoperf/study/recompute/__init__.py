"""Tables recomputed as far as other cells imply them; the case study beside the planner."""

from dominoperf.study.recompute.case_study import (
    PlanComparison,
    case_request,
    case_study_beside,
    steps,
    worked_examples_beside,
)
from dominoperf.study.recompute.claim_models import MODELS
from dominoperf.study.recompute.consequences import (
    price_consequences,
    price_pairs,
    raid_consequences,
    reader_consequences,
)
from dominoperf.study.recompute.every_cell import HOW, every_cell, every_table, kinds
from dominoperf.study.recompute.readings import (
    PRINTED,
    SUSPECTED,
    beside_rule,
    count_short,
    describe_both,
    describe_unit,
    load_ranks,
    releases,
    responses,
    sizing_rules,
)
from dominoperf.study.recompute.regeneration import (
    cells,
    cells_of,
    computed,
    failing,
    figure_values,
    pages,
    regenerate,
)
from dominoperf.tables.expressions import FUNCTIONS, evaluate

__all__ = [
    "FUNCTIONS",
    "HOW",
    "MODELS",
    "PRINTED",
    "SUSPECTED",
    "PlanComparison",
    "beside_rule",
    "case_request",
    "case_study_beside",
    "cells",
    "cells_of",
    "computed",
    "count_short",
    "describe_both",
    "describe_unit",
    "evaluate",
    "every_cell",
    "every_table",
    "failing",
    "figure_values",
    "kinds",
    "load_ranks",
    "pages",
    "price_consequences",
    "price_pairs",
    "raid_consequences",
    "reader_consequences",
    "regenerate",
    "releases",
    "responses",
    "sizing_rules",
    "steps",
    "worked_examples_beside",
]
