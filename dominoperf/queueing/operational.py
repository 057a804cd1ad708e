"""Operational laws: identities between averages of one measured interval, whatever the distributions.

After Denning and Buzen, Computing Surveys 10(3) 1978. All take numbers or arrays that broadcast, and complex ones.
Nothing is refused: a share above 1 or a negative think time says that the numbers are not of one interval.
"""


def utilization(throughput_per_s, demand_s, servers=1):
    """Return the busy share of each server, ``U = X D / m`` (utilization law), D the service time a completion."""
    return throughput_per_s * demand_s / servers


def service_demand(utilization, throughput_per_s, servers=1):
    """Return the service time a completion in seconds, ``D = U m / X`` (service demand law)."""
    return utilization * servers / throughput_per_s


def station_throughput(throughput_per_s, visits):
    """Return the completions a second of a station, ``X_k = X V_k`` (forced flow law), from its visits a completion."""
    return throughput_per_s * visits


def little_population(throughput_per_s, response_s):
    """Return the mean number inside, ``N = X R`` (Little's law); with think time added to the response, all users."""
    return throughput_per_s * response_s


def interactive_response(users, throughput_per_s, think_s=0.0):
    """Return the response time in seconds, ``R = N / X - Z`` (interactive response time law)."""
    return users / throughput_per_s - think_s
