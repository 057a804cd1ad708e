"""Scaling laws as records; adding one is adding a record to the `LAWS` of its module."""

from dominoperf.laws import cache, clock, disk, memory, overhead, price, processors, response, users, utilization
from dominoperf.laws.record import Law, Param, Quantity

_MODULES = (processors, users, overhead, clock, cache, memory, disk, utilization, response, price)

LAWS = {law.name: law for module in _MODULES for law in module.LAWS}

# Which laws are compared with each other. The ladder of overheads is for forecasts; laws with two terms stand by it.
FAMILIES = {family: tuple(law.name for law in LAWS.values() if law.family == family) for family in
            dict.fromkeys(law.family for law in LAWS.values())}  # fmt: skip
FAMILIES["overhead"] += ("usl", "log_usl")

__all__ = ["FAMILIES", "LAWS", "Law", "Param", "Quantity"]
