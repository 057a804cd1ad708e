"""Closed networks, M/M/c and other single queues, bounds, and the operational laws."""

from dominoperf.queueing.bounds import bounds
from dominoperf.queueing.erlang import erlang_b, erlang_c
from dominoperf.queueing.mean_values import mva
from dominoperf.queueing.operational import (
    interactive_response,
    little_population,
    service_demand,
    station_throughput,
    utilization,
)
from dominoperf.queueing.single import mg1_response, mm1_response, mmc_response, sakasegawa_response

__all__ = [
    "bounds",
    "erlang_b",
    "erlang_c",
    "interactive_response",
    "little_population",
    "mg1_response",
    "mm1_response",
    "mmc_response",
    "mva",
    "sakasegawa_response",
    "service_demand",
    "station_throughput",
    "utilization",
]
