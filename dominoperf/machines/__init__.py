"""How many users a machine carries, what users cost on it, from many runs at once, and what limited a run.

The way to an answer of `capacity`: `asked_machines` reads the question, `observations` the runs; `users_model` is
fitted to these; `resources` says what each part of the machine carries, and `capacity_answer` puts it in words.
`upgrades` compares machines. Without that model, `regression` and `cpu_per_user` explain runs by several factors and
pair by pair, `service_demands` by operational laws.
"""

from dominoperf.machines.asked_machines import parts_of_machine
from dominoperf.machines.capacity_answer import Capacity, capacity, effects, fitted_users_model, prior_influence
from dominoperf.machines.censoring import censored, driver_limits
from dominoperf.machines.cpu_per_user import PROPORTIONAL, PairedRatios, demand, paired_ratios, proportionality
from dominoperf.machines.parts import MACHINE_PARTS
from dominoperf.machines.regression import NO_RANKING, RESPONSES, FactorModel, factor_model
from dominoperf.machines.service_demands import added_demand, stretch, task_demand, transaction_demand
from dominoperf.machines.upgrades import capacity_ratio, cheapest_upgrades, correlation

__all__ = [
    "MACHINE_PARTS",
    "NO_RANKING",
    "PROPORTIONAL",
    "RESPONSES",
    "Capacity",
    "FactorModel",
    "PairedRatios",
    "added_demand",
    "capacity",
    "capacity_ratio",
    "censored",
    "cheapest_upgrades",
    "correlation",
    "demand",
    "driver_limits",
    "effects",
    "factor_model",
    "fitted_users_model",
    "paired_ratios",
    "parts_of_machine",
    "prior_influence",
    "proportionality",
    "stretch",
    "task_demand",
    "transaction_demand",
]
