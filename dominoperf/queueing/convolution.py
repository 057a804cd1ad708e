"""Exact solution of a closed network of one class by Buzen's convolution, held in range at any population.

The constant G(n) of the product form is the convolution of one sequence per station. Multiplying every demand by the
same number t multiplies G(n) by t^n and changes no result. With t the throughput at which the *open* network would hold
as many users on average as the closed one has, and each sequence scaled to the sum 1, G(n) is the probability of n in
that open network: near n it is never small, so nothing overflows, and what underflows does not matter. All terms are
positive and nothing is subtracted.
"""

import numpy as np
from scipy import optimize

from dominoperf.queueing.single_queue import mmc_response

_LEAST_CONSTANT = 1e-250  # below, terms that underflowed (1e-308) could begin to count


def convolve(network, users):
    """Return throughput ``X(n) = G(n-1) / G(n)`` of each population, 1 or more, and the mean number at each station.

    Buzen, CACM 16(9) 1973. A pass serves the populations whose G is not far below that of the largest one; the others
    get passes of their own.
    """
    throughput, queue = np.empty(len(users)), np.empty((len(users), network.demand.shape[1]))
    unsolved = np.ones(len(users), bool)
    while unsolved.any():
        top = users[unsolved].max()
        constants, rate, numbers = _convolution_pass(network, top)
        now = unsolved & ((constants[users * unsolved] > _LEAST_CONSTANT) | (users == top))
        at = users[now]
        throughput[now] = rate * constants[at - 1] / constants[at]
        queue[now] = (numbers[:, at] / constants[at]).T
        unsolved &= ~now
    return throughput, queue


def _convolution_pass(network, top):
    """G up to a population, the rate it is scaled with, and per station the sum of n weighted with its share of G."""
    demand, servers = network.demand[0], network.servers
    endless = servers >= top
    rate = _open_network_throughput(demand, servers, network.think[0], top)
    stations = [
        _station_fraction(rate * load, count, top)
        for load, count in zip(demand[~endless], servers[~endless], strict=True)
    ]
    waitless = _poisson_terms(rate * (network.think[0] + demand[endless].sum()), top)
    constants = _convolved_sequence(waitless, stations)
    numbers = np.empty((len(demand), top + 1))
    # With a server for everybody nobody waits: n f(n) is the load times f(n - 1), so its sum is that of the throughput.
    numbers[endless] = np.outer(rate * demand[endless], _sequence_multiplied_by_z(constants))
    for k, row in enumerate(np.flatnonzero(~endless)):
        numbers[row] = _mean_number_term(waitless, stations, k, constants)
    return constants, rate, numbers


def _open_network_throughput(demand, servers, think, users):
    """Throughput at which the open network holds about `users` on average."""
    queues = (servers < users) & (demand > 0)
    delay = think + demand[~queues].sum()
    demand, servers = demand[queues], servers[queues]
    if not demand.size:
        return users / delay
    saturation = (servers / demand).min()

    def excess(number):
        """Users of the open network beyond those wanted, with a number of them at the busiest station."""
        rate = saturation * number / (1 + number)
        return rate * (delay + mmc_response(demand, rate * demand / servers, servers).sum()) - users

    # Sought as the number at the busiest station, had it one server: the sum is nearly straight in it up to saturation.
    # Nobody waiting anywhere, or everybody there, gives the most that it can be.
    share = min(users / (delay + demand.sum()) / saturation, users / (1 + users))
    number = share / (1 - share)
    if excess(number) > 0:
        number = optimize.brentq(excess, 0, number, rtol=1e-4)
    return saturation * number / (1 + number)


def _poisson_terms(load, count):
    """Return ``load^n / n!`` for n up to `count`, scaled to the sum 1; built outwards from the largest term."""
    peak = min(int(load), count)
    up = np.cumprod(load / np.arange(peak + 1, count + 1))
    down = np.cumprod(np.arange(peak, 0, -1) / load)[::-1] if peak else []
    terms = np.concatenate([down, [1.0], up])
    return terms / terms.sum()


def _station_fraction(load, servers, top):
    """Return the generating function of a station as the coefficients of a fraction, ``b(z) / (1 - (load/m) z)``.

    Its sequence is ``load^n / n!`` up to n = m and falls by ``load/m`` with every further n. Multiplied by the
    denominator, ``load^n / n! (1 - n/m)`` is left of it for n < m, and nothing after: no term is negative.
    """
    ratio, last = load / servers, int(min(servers - 1, top))
    above = _poisson_terms(load, last) * (1 - np.arange(last + 1) / servers)
    return above * ((1 - ratio) / above.sum()), np.array([1.0, -ratio])


def _convolved_sequence(sequence, stations):
    """Convolve a sequence with those of stations; a fraction costs no more than its own length per term."""
    from scipy.signal import lfilter  # slow to import, and not needed for the laws of single queues

    for above, below in stations:
        sequence = lfilter(above, below, sequence)
    return sequence


def _mean_number_term(waitless, stations, k, constants):
    """Convolve ``n f(n)`` of station k with the sequences of the others: the sum of its number over all states.

    For ``F = b / (1 - r z)`` the function of ``n f(n)`` is ``z F' = z b' / (1 - r z) + r z / (1 - r z) F``. With one
    server b is constant and the first part is absent.
    """
    above, below = stations[k]
    number = _convolved_sequence(_sequence_multiplied_by_z(constants) * -below[1], [([1.0], below)])
    if len(above) > 1:
        others = _convolved_sequence(waitless, stations[:k] + stations[k + 1 :])
        number += _convolved_sequence(others, [(above * np.arange(len(above)), below)])
    return number


def _sequence_multiplied_by_z(sequence):
    """Multiply by z: every term one place on."""
    return np.concatenate([[0.0], sequence[:-1]])
