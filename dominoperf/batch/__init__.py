"""Many curves or replicates at once, vectorised: the engine under every fit."""

from dominoperf.batch.arguments import check_error, check_level, check_number, check_points
from dominoperf.batch.curves import Curves
from dominoperf.batch.many import bootstrap, fit_many, without_each
from dominoperf.batch.parts import fit_parts

__all__ = [
    "Curves",
    "bootstrap",
    "check_error",
    "check_level",
    "check_number",
    "check_points",
    "fit_many",
    "fit_parts",
    "without_each",
]
