"""Operational laws, identities between averages of one measured interval, and what no closed network can exceed.

The laws hold whatever the distributions; after Denning and Buzen, Computing Surveys 10(3) 1978. Sections are those of
Lazowska and others, Quantitative System Performance, 1984. They take numbers or arrays that broadcast. They refuse no
number: a share above 1 or a negative think time says that the numbers are not of one interval.
"""

import numpy as np
import pandas as pd

from dominoperf.errors import CannotSolve, names_its_keywords
from dominoperf.queueing.arguments import (
    Numbers,
    RealNumbers,
    checked_closed_network,
    network_populations,
    queueing_formula,
)


@queueing_formula
def utilization(
    throughput_per_s: Numbers, demand_s: Numbers, servers: Numbers = 1
) -> np.number | np.ndarray | pd.Series:
    """Return the busy share of each server, ``U = X D / m`` (utilization law, 3.2), D the service time per completion.

    Examples
    --------
    >>> float(utilization(40, 0.025, 2))
    0.5
    """
    return throughput_per_s * demand_s / servers


@queueing_formula
def service_demand(
    utilization: Numbers, throughput_per_s: Numbers, servers: Numbers = 1
) -> np.number | np.ndarray | pd.Series:
    """Return the service time per completion in seconds, ``D = U m / X`` (service demand law, 3.4).

    Examples
    --------
    >>> float(service_demand(0.5, 40, 2))
    0.025
    """
    return utilization * servers / throughput_per_s


@queueing_formula
def station_throughput(throughput_per_s: Numbers, visits: Numbers) -> np.number | np.ndarray | pd.Series:
    """Return the completions per second of a station, ``X_k = X V_k`` (forced flow law, 3.4), V_k its visits per one.

    Examples
    --------
    >>> float(station_throughput(40, 4))
    160.0
    """
    return throughput_per_s * visits


@queueing_formula
def little_population(throughput_per_s: Numbers, response_s: Numbers) -> np.number | np.ndarray | pd.Series:
    """Return the mean number inside, ``N = X R`` (Little's law, 3.3); with think time added to the response, all users.

    Examples
    --------
    >>> float(little_population(40, 0.1875))
    7.5
    """
    return throughput_per_s * response_s


@queueing_formula
def interactive_response(
    users: Numbers, throughput_per_s: Numbers, think_s: Numbers = 0.0
) -> np.number | np.ndarray | pd.Series:
    """Return the response time in seconds, ``R = N / X - Z`` (interactive response time law, 3.3).

    Examples
    --------
    >>> float(interactive_response(37.5, 40, 0.75))
    0.1875
    """
    return users / throughput_per_s - think_s


@names_its_keywords()
def bounds(demand_s: RealNumbers, users: RealNumbers, *, think_s: float = 0.0) -> pd.DataFrame:
    """Return bounds of throughput and response of a closed network of one class whose stations have one server each.

    With N users, D the sum of the demands, M the largest and A the mean of those above 0, and Z the think time:

    - asymptotic: ``X <= min(1/M, N/(D + Z))`` and ``R >= max(D, N M - Z)``, true of any network;
    - balanced job: ``X`` between ``N/(D + Z + (N-1) M/(1 + Z/(N D)))`` and
      ``min(1/M, N/(D + Z + (N-1) A/(1 + Z/D)))``, true of product-form networks; ``R = N/X - Z`` of both.

    Parameters
    ----------
    demand_s : array
        Seconds of service of one round, one per station.
    users : int or list
        A population or several, 1 or more.
    think_s : float
        Seconds between a response and the next request.

    Returns
    -------
    DataFrame
        A row per population: `users`, `throughput_most_per_s` and `response_least_s` (asymptotic),
        `throughput_low_per_s`, `throughput_high_per_s`, `response_low_s` and `response_high_s` (balanced job), and
        `saturation_users`, the population ``N* = (D + Z)/M`` where both lines of the asymptote meet.

    Raises
    ------
    CannotSolve
        When an argument cannot be, or no station has a demand.

    Notes
    -----
    Zahorjan, Sevcik, Eager and Galler, CACM 25(2) 1982; Lazowska and others, 1984.

    Examples
    --------
    >>> bounds([1, 2, 3], 2, think_s=6)[["throughput_low_per_s", "throughput_high_per_s"]].round(3).to_numpy().tolist()
    [[0.143, 0.154]]
    """
    network, n = checked_closed_network("bounds", demand_s, think_s), network_populations("bounds", users)[:, 0]
    demand, think = network.demand[network.demand > 0], network.think[0]
    if np.ndim(demand_s) > 1 or not demand.size:
        expected, found = "one per station, one above 0", f"shape {np.shape(demand_s)}, {demand.size} above 0"
        remedy = "Bound one class at a time; think time alone limits nothing."
        raise CannotSolve("bounds(demand_s=...)", expected=expected, found=found, remedy=remedy)
    if n.min() < 1:
        raise CannotSolve("bounds(users=...)", expected="1 user or more", found="0", remedy="Leave it out.")
    total, largest, mean = demand.sum(), demand.max(), demand.mean()
    slowest_s = total + (n - 1) * largest / (1 + think / (n * total))
    fastest_s = np.maximum(total + (n - 1) * mean / (1 + think / total), n * largest - think)
    columns = {
        "users": n,
        "throughput_most_per_s": np.minimum(1 / largest, n / (total + think)),
        "throughput_low_per_s": n / (slowest_s + think),
        "throughput_high_per_s": n / (fastest_s + think),
        "response_least_s": np.maximum(total, n * largest - think),
        "response_low_s": fastest_s,
        "response_high_s": slowest_s,
        "saturation_users": (total + think) / largest,
    }
    return pd.DataFrame(columns)
