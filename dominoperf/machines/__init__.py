"""What users cost on a machine, from many runs at once, and what limited a run."""

from dominoperf.machines.censoring import censored, driver_limits
from dominoperf.machines.cpu_per_user import PROPORTIONAL, PairedRatios, demand, paired_ratios, proportionality
from dominoperf.machines.regression import NO_RANKING, RESPONSES, FactorModel, factor_model

__all__ = [
    "NO_RANKING",
    "PROPORTIONAL",
    "RESPONSES",
    "FactorModel",
    "PairedRatios",
    "censored",
    "demand",
    "driver_limits",
    "factor_model",
    "paired_ratios",
    "proportionality",
]
