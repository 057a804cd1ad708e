"""Tables recomputed as far as other cells imply them; the case study beside the planner."""

from dominoperf import _lazy_import

_HOMES = {
    "case_study": ("case_request", "case_study_beside", "worked_examples_beside"),
    "claim_models": ("MODELS",),
    "plan_comparison": ("PlanComparison", "steps"),
    "regenerated_cells": ("HOW", "every_cell", "every_table", "kinds"),
    "regeneration": ("cells", "cells_of", "failing", "figure_values", "pages", "regenerate"),
}
__getattr__, __dir__, __all__ = _lazy_import(__name__, _HOMES)
