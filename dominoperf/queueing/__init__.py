"""Closed networks, M/M/c and other single queues, bounds, and the operational laws."""

from dominoperf.queueing.closed import mva
from dominoperf.queueing.operational_laws import (
    bounds,
    interactive_response,
    little_population,
    service_demand,
    station_throughput,
    utilization,
)
from dominoperf.queueing.single_queue import (
    erlang_b,
    erlang_c,
    mmc_response,
)

__all__ = [
    "bounds",
    "erlang_b",
    "erlang_c",
    "interactive_response",
    "little_population",
    "mmc_response",
    "mva",
    "service_demand",
    "station_throughput",
    "utilization",
]
