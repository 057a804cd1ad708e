"""Queueing agrees with textbooks, closed forms, sums over all states, many digits, and a simulation."""

import itertools
import math
import pickle
import re
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import dominoperf
from dominoperf import queueing, tables
from dominoperf.errors import CannotSolve, UnknownName
from dominoperf.laws import gradient
from dominoperf.queueing import (
    bounds,
    closed,
    erlang_b,
    erlang_c,
    interactive_response,
    little_population,
    mmc_response,
    mva,
    service_demand,
    station_throughput,
    utilization,
)
from dominoperf.queueing.single_queue import mg1, mm1, mmc, sakasegawa

# Lazowska, Zahorjan, Graham and Sevcik, Quantitative System Performance, 1984, p. 117: CPU and two disks, seconds a
# round, 3 users who think 15 s; the approximate solution. Tolerance: half of the last digit.
PAGE_117 = {"demand_s": [0.605, 2.1, 1.35], "users": 3, "think_s": 15}
PAGE_117_QUEUES, PAGE_117_THROUGHPUT, PAGE_117_RESPONSE = [0.0973, 0.4021, 0.2359], 0.1510, 4.87
# The same, p. 142: classes A and B at CPU and disk, a user each. Exact; checked by hand.
PAGE_142 = {"demand_s": [[1, 3], [2, 4]], "users": [1, 1]}
PAGE_142_THROUGHPUT, PAGE_142_RESPONSE = [3 / 19, 2 / 19], [4 / 3 + 5, 5 / 2 + 7]
PAGE_142_QUEUES = [[4 / 19, 15 / 19], [5 / 19, 14 / 19]]
# Any printed table of Erlang's B at a blocking of 1 %: the servers, and the load to the digits given.
ONE_PERCENT = {1: "0.0101", 2: "0.153", 5: "1.36", 10: "4.46", 20: "12.0", 50: "37.9", 100: "84.1"}

TINY = 1e-100


def stations(table, name):
    """Columns of a name, as an array with a column per station."""
    return table.filter(regex=rf"^{name}_\d+$").to_numpy()


# ---- Erlang and single queues


@pytest.mark.parametrize(("servers", "printed"), ONE_PERCENT.items())
def test_erlang_b_against_the_printed_table(servers, printed):
    """One percent is lost at a load within half of the last printed digit."""
    half = 0.5 * 10.0 ** -len(printed.partition(".")[2])
    assert erlang_b(servers, float(printed) - half) < 0.01 < erlang_b(servers, float(printed) + half)


@pytest.mark.parametrize("servers", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("load", [Fraction(0), Fraction(1, 8), Fraction(3, 2), Fraction(39), Fraction(200)])
def test_erlang_by_their_sums(servers, load):
    """Both formulas as printed, in fractions; to 1e-13."""
    terms = [load**k / math.factorial(k) for k in range(servers + 1)]
    assert np.isclose(erlang_b(servers, float(load)), float(terms[-1] / sum(terms)), rtol=1e-13, atol=0)
    if load < servers:
        queued = terms[-1] * servers / (servers - load)
        assert np.isclose(
            erlang_c(servers, float(load)), float(queued / (sum(terms[:-1]) + queued)), rtol=1e-13, atol=0
        )
    else:
        assert erlang_c(servers, float(load)) == 1


def test_erlang_in_a_law_has_a_derivative_by_its_load():
    """A law hands on all its parameters as complex; of the servers only the real part counts. Central differences."""
    by_servers, by_load = gradient(erlang_c, (4.0, 2.5))
    assert by_servers == 0
    assert np.isclose(by_load, (erlang_c(4, 2.5 + 1e-6) - erlang_c(4, 2.5 - 1e-6)) / 2e-6, rtol=1e-8)


def test_erlang_of_arrays():
    """Servers and loads broadcast; each cell is what it is alone; scalars give scalars; none give none."""
    servers, load = np.array([[1], [4], [9]]), np.array([0.0, 0.5, 3.0, 12.0])
    for formula in (erlang_b, erlang_c):
        table = formula(servers, load)
        assert table.shape == (3, 4)
        assert all(table[i, j] == formula(int(servers[i, 0]), load[j]) for i in range(3) for j in range(4))
        assert np.ndim(formula(3, 1.5)) == 0
        assert formula(3, []).shape == (0,)
    assert np.isclose(erlang_c(2, 1.0), 2 * 0.5**2 / 1.5)  # two servers: 2 U^2 / (1 + U)
    assert np.isclose(erlang_b(10_000, 10_000.0), math.sqrt(2 / (math.pi * 10_000)), rtol=0.01)  # its limit


def test_derivatives_by_an_imaginary_step():
    """Of B by the load ``B (c/a - 1 + B)`` (a known identity); those of the queues are tested with their laws."""
    servers, load = np.array([1, 3, 20]), 2.3
    lost = erlang_b(servers, load)
    assert np.allclose(erlang_b(servers, load + 1j * TINY).imag / TINY, lost * (servers / load - 1 + lost), rtol=1e-12)
    assert np.isclose(mmc_response(2.0 + 1j * TINY, 0.7, 4).imag / TINY, mmc_response(1.0, 0.7, 4))
    assert np.isfinite(mmc_response(2.0, 0.7, 4 + 1j * TINY))  # a step in what is held does no harm


def test_single_queues_become_simpler_ones():
    """One server, and times that vary as exponential ones; two servers have a closed form."""
    share = np.array([0.0, 0.3, 0.75, 0.99])
    for found in (mmc(share, 2.0, 1), sakasegawa(share, 2.0, 1), mg1(share, 2.0, 1.0)):
        assert np.allclose(found, mm1(share, 2.0))
    assert np.allclose(mmc_response(2.0, share, [[2], [2]]), 2 / (1 - share**2))


def test_sakasegawa_is_near():
    """Within 3 % of M/M/c from 2 to 32 servers at 50 to 99 % busy."""
    share, servers = np.array([0.5, 0.7, 0.9, 0.99]), np.array([[2], [4], [8], [32]])
    assert np.allclose(sakasegawa(share, 1.0, servers), mmc(share, 1.0, servers), rtol=0.03)


def test_no_steady_state_has_no_response():
    """Infinite from saturation on, NaN below zero, and only there."""
    share = np.array([-0.1, 0.0, 0.999, 1.0, 1.5, np.nan])
    for found in (mm1(share, 1.0), mmc(share + 1j * TINY, 1.0, 3), sakasegawa(share, 1.0, 3), mg1(share, 1.0, 0.5)):
        assert np.isfinite(found).tolist() == [False, True, True, False, False, False]
        assert np.isinf(found).tolist() == [False, False, False, True, True, False]


def test_operational_laws_by_hand():
    """40 rounds a second of 4 visits and 25 ms of service; 7.5 users inside; 30 think."""
    assert utilization(40, 0.025, 2) == utilization(throughput_per_s=20, demand_s=0.025) == 0.5
    assert service_demand(utilization(40, 0.025, 2), 40, 2) == service_demand(0.5, 20) == 0.025
    assert utilization([40, 80], 0.025, 2).tolist() == [0.5, 1.0]
    assert station_throughput(40, 4) == 160
    assert little_population(40, 0.1875) == 7.5
    assert interactive_response(37.5, 40, 0.75) == 0.1875
    assert little_population(40, interactive_response(37.5, 40)) == 37.5


# ---- closed networks of one class


def test_published_example_of_one_class():
    """Lazowska et al. p. 117, and the exact answer by fractions."""
    near, exact = mva(**PAGE_117, method="schweitzer").iloc[0], mva(**PAGE_117).iloc[0]
    assert np.allclose(near[["queue_1", "queue_2", "queue_3"]].astype(float), PAGE_117_QUEUES, atol=0.00006)
    assert abs(near["throughput_per_s"] - PAGE_117_THROUGHPUT) < 0.00005
    assert abs(near["response_s"] - PAGE_117_RESPONSE) < 0.005
    *_, (throughput, queue) = recursion([Fraction(605, 1000), Fraction(21, 10), Fraction(135, 100)], 3, 15)
    assert np.isclose(exact["throughput_per_s"], float(throughput), rtol=1e-14)
    assert np.allclose(exact[["queue_1", "queue_2", "queue_3"]].astype(float), [float(q) for q in queue], rtol=1e-14)


def recursion(demand, users, think):
    """Throughput and queues of 1, 2 ... users by Reiser and Lavenberg's recursion, for stations of one server."""
    queue = [0] * len(demand)
    for n in range(1, users + 1):
        times = [each * (1 + before) for each, before in zip(demand, queue, strict=True)]
        throughput = n / (think + sum(times))
        queue = [throughput * each for each in times]
        yield throughput, queue


@pytest.mark.parametrize("think", [0, 3, 1000])
def test_the_recursion_agrees(think):
    """Every population to 2,000 at once, far beyond what one scaling holds when users think long; to 1e-11."""
    demand = [0.2, 1.0, 0.7, 0.0]
    table = mva(demand, range(1, 2001), think_s=think)
    throughput, queue = zip(*recursion(demand, 2000, think), strict=True)
    assert np.allclose(table["throughput_per_s"], throughput, rtol=1e-11, atol=0)
    assert np.allclose(stations(table, "queue"), queue, rtol=1e-11, atol=0)


@pytest.mark.parametrize("servers", [1, [3, 1, math.inf, 40]])
def test_asking_for_many_populations_is_asking_for_each(servers):
    """A row does not depend on what else is asked, nor on the order; to 1e-11."""
    demand, think = [1.5, 0.4, 2.0, 9.0], 600.0
    asked = [1, 1700, 3, 0, 40, 900, 1201, 3, 1500]
    table = mva(demand, asked, think_s=think, servers=servers)
    alone = pd.concat([mva(demand, n, think_s=think, servers=servers) for n in asked], ignore_index=True)
    pd.testing.assert_frame_equal(table, alone, rtol=1e-11, atol=0)
    assert list(table["users"]) == asked


@pytest.mark.parametrize(("users", "servers"), [(5, 2), (12, 12), (12, 30), (60, 7)])
def test_machine_repair(users, servers):
    """One station of several servers and think time is M/M/c//N: its states by birth and death, in fractions."""
    think, service = Fraction(5), Fraction(2, 3)
    weights = [Fraction(1)]
    for n in range(users):
        weights.append(weights[-1] * (users - n) / think / (min(n + 1, servers) / service))
    total = sum(weights)
    throughput = sum(w * min(n, servers) / service for n, w in enumerate(weights)) / total
    found = mva([float(service)], users, think_s=5, servers=servers).iloc[0]
    assert np.isclose(found["throughput_per_s"], float(throughput), rtol=1e-13)
    assert np.isclose(found["queue_1"], float(sum(n * w for n, w in enumerate(weights)) / total), rtol=1e-13)
    assert np.isclose(found["utilization_1"], float(throughput * service / servers), rtol=1e-13)


@pytest.mark.parametrize("users", [10, 300_000])
def test_one_server_at_its_knee(users):
    """Idle as often as N trunks lose a call at a load of Z/S (a known identity): terms of Poisson; to 1e-8."""
    service = 0.001
    load = users * np.array([0.99, 1.0, 1.01])
    idle = stats.poisson.pmf(users, load) / stats.poisson.cdf(users, load)
    found = [mva([service], users, think_s=each * service)["utilization_1"][0] for each in load]
    assert np.allclose(found, 1 - idle, rtol=1e-8, atol=0)


def shares(users, count):
    """Every way to share users out among stations."""
    for cuts in itertools.combinations(range(users + count - 1), count - 1):
        yield np.diff([-1, *cuts, users + count - 1]) - 1


@pytest.mark.parametrize("servers", [[1, 1, 1], [2, 1, 3], [2, math.inf, 2], [9, 4, math.inf], [math.inf] * 3])
@pytest.mark.parametrize("think", [0.0, 4.0])
def test_one_class_by_all_its_states(servers, think):
    """The product form summed over every state of 6 users; to 1e-13."""
    demand, users = [0.7, 0.3, 1.9], 6
    total, constant, number = 0.0, [0.0, 0.0], np.zeros(3)
    for size in (users - 1, users):
        for state in shares(size, 4):
            weight = think ** state[3] / math.factorial(state[3])
            for load, count, n in zip(demand, servers, state, strict=False):
                weight *= math.prod(load / min(k, count) for k in range(1, n + 1))
            constant[size - users + 1] += weight
            if size == users:
                total, number = total + weight, number + weight * state[:3]
    found = mva(demand, users, think_s=think, servers=servers)
    assert np.isclose(found["throughput_per_s"][0], constant[0] / constant[1], rtol=1e-13)
    assert np.allclose(stations(found, "queue")[0], number / total, rtol=1e-13)


# Demands, servers of the last station, think time, users: 4,000 users and 4 processors 89 % busy, where mean value
# analysis with load-dependent stations gives a negative throughput; the same at the knee; 8,000 users below it, at it
# and beyond; no think time.
LARGE = [
    ([0.008, 0.005, 0.04], 4, 44.8, 4000),
    ([0.02, 0.015, 0.09], 4, 90.0, 4000),
    ([0.02, 0.015, 0.01, 0.03], 4, 240.0, 8000),
    ([0.02, 0.015, 0.01, 0.09], 4, 180.0, 8000),
    ([0.02, 0.015, 0.01, 0.09], 4, 20.0, 8000),
    ([0.001, 0.07], 64, 8.7, 8000),
    ([0.02, 0.019, 0.02, 0.079], 4, 0.0, 8000),
]


@pytest.mark.parametrize(("demand", "servers", "think", "users"), LARGE)
def test_thousands_of_users_to_fifty_digits(demand, servers, think, users):
    """Convolution of the sequences themselves in decimals, the last station by its whole sum; to 1e-10."""
    throughput, number = decimals(demand, servers, think, users)
    found = mva(demand, users, think_s=think, servers=[*[1] * (len(demand) - 1), servers])
    assert abs(Decimal(found["throughput_per_s"][0]) / throughput - 1) < Decimal("1e-10")
    assert abs(Decimal(found[f"queue_{len(demand)}"][0]) / number - 1) < Decimal("1e-10")
    response = users / throughput - Decimal(think)
    assert abs(Decimal(found["response_s"][0]) / response - 1) < Decimal("1e-10")


def decimals(demand, servers, think, users):
    """Throughput, and the mean number at the last station, in 50 digits; exponents have no end."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 50, -(10**9), 10**9
        rest = [Decimal(1)]
        for n in range(1, users + 1):
            rest.append(rest[-1] * Decimal(think) / n)
        for load in map(Decimal, demand[:-1]):
            for n in range(1, users + 1):
                rest[n] += load * rest[n - 1]
        last = [Decimal(1)]
        for n in range(1, users + 1):
            last.append(last[-1] * Decimal(demand[-1]) / min(n, servers))
        ways = [last[n] * rest[users - n] for n in range(users + 1)]
        fewer = sum(last[n] * rest[users - 1 - n] for n in range(users))
        return fewer / sum(ways), sum(n * way for n, way in enumerate(ways)) / sum(ways)


def test_many_stations_stay_in_range():
    """A thousand stations of four servers, symmetric: every queue is N / K, below, at and beyond their servers."""
    for users in (10, 4000, 15_000):
        found = mva([0.01] * 30 + [0.0], users, servers=4)
        assert np.allclose(stations(found, "queue")[0], [*[users / 30] * 30, 0], rtol=1e-11)
    found = mva([0.01] * 1000, 5000)
    assert np.isclose(found["throughput_per_s"][0], 5000 / (0.01 * 5999), rtol=1e-11)


def test_what_delays_is_a_delay():
    """Think time, a delay station, and more servers than users are the same to the others; no such station is busy."""
    think, station, many = (
        mva([0.5, 1.0], 50, think_s=30.0),
        mva([0.5, 1.0, 30.0], 50, servers=[1, 1, math.inf]),
        mva([0.5, 1.0, 30.0], 50, servers=[1, 1, 10**9]),
    )
    for found in (station, many):
        assert np.isclose(found["throughput_per_s"][0], think["throughput_per_s"][0], rtol=1e-12)
        assert np.isclose(found["response_s"][0], think["response_s"][0] + 30, rtol=1e-12)
        assert np.isclose(found["queue_3"][0], found["throughput_per_s"][0] * 30, rtol=1e-12)
    assert np.isnan(station["utilization_3"][0])
    assert np.isclose(many["utilization_3"][0], many["throughput_per_s"][0] * 30 / 1e9)
    for users, think_s in ((7, 2.0), (10_000, 0.01)):
        only = mva([0.0], users, think_s=think_s)
        assert np.isclose(only["throughput_per_s"][0], users / think_s, rtol=1e-14)
        assert only["response_s"][0] == 0


def test_units_do_not_matter():
    """A million users or a clock of another unit change nothing but the unit."""
    small, large = (mva([0.5 * k, 0.3 * k], 400, think_s=90 * k, servers=[2, 1]) for k in (1, 1e180))
    assert np.isclose(small["throughput_per_s"][0], large["throughput_per_s"][0] * 1e180, rtol=1e-12)
    assert np.allclose(stations(small, "queue"), stations(large, "queue"), rtol=1e-12)
    assert np.isclose(mva([0.001, 0.0005], 1_000_000, think_s=3)["throughput_per_s"][0], 1000, rtol=1e-9)


def test_nobody():
    """No users: nothing moves, and there is no response to speak of."""
    found = mva([0.5, 1.0], 0).iloc[0]
    assert found["throughput_per_s"] == found["queue_1"] == found["utilization_2"] == 0
    assert np.isnan(found["response_s"])


seconds = st.floats(0.001, 10)
counts = st.sampled_from([1, 1, 2, 3, 16, math.inf])
networks = st.lists(st.tuples(seconds, counts), min_size=1, max_size=5)


@given(networks, st.floats(0, 500), st.integers(1, 400), st.sampled_from(["exact", "schweitzer"]))
@settings(max_examples=80)
def test_laws_that_hold_in_any_network(parts, think, users, method):
    """Little's law, no user lost, no server busier than always, and more users never do less."""
    demand, servers = zip(*parts, strict=True)
    table = mva(demand, [users, users + 1], think_s=think, servers=servers, method=method)
    throughput, response, queue = table["throughput_per_s"], table["response_s"], stations(table, "queue")
    assert np.allclose(little_population(throughput, response + think), [users, users + 1], rtol=1e-8)
    assert np.allclose(queue.sum(axis=1), little_population(throughput, response), rtol=1e-8)
    assert np.allclose(interactive_response(table["users"], throughput, think), response, rtol=1e-6, atol=1e-6)
    busy = stations(table, "utilization")
    assert np.nanmax(busy, initial=0) <= 1 + 1e-9
    finite = np.isfinite(servers)
    assert np.allclose(busy[0, finite], throughput[0] * np.array(demand)[finite] / np.array(servers)[finite])
    assert throughput[0] <= throughput[1] * (1 + 1e-9)
    assert (response >= sum(demand) * (1 - 1e-9)).all()


@given(st.lists(seconds, min_size=1, max_size=6), st.floats(0, 300), st.integers(1, 300))
@settings(max_examples=80)
def test_bounds_hold_the_exact_answer(demand, think, users):
    """Balanced-job bounds lie within the asymptotes and hold the exact answer between them."""
    limit, exact = bounds([*demand, 0.0], users, think_s=think).iloc[0], mva(demand, users, think_s=think).iloc[0]
    slack = 1 + 1e-9
    assert limit["throughput_low_per_s"] <= exact["throughput_per_s"] * slack
    assert exact["throughput_per_s"] <= limit["throughput_high_per_s"] * slack
    assert limit["throughput_high_per_s"] <= limit["throughput_most_per_s"] * slack
    assert limit["response_least_s"] <= limit["response_low_s"] * slack
    assert limit["response_low_s"] <= exact["response_s"] * slack + 1e-9 * think
    assert exact["response_s"] <= limit["response_high_s"] * slack + 1e-9 * think


def test_bounds_by_hand():
    """Demands 1, 2 and 3 s, 6 s of thinking: N* = 4; at 2 users the bounds by hand; equal demands meet them."""
    limit = bounds([1, 2, 3], [1, 2, 50], think_s=6)
    assert (limit["saturation_users"] == 4).all()
    assert np.allclose(limit["throughput_most_per_s"], [1 / 12, 2 / 12, 1 / 3])
    assert np.allclose(limit["response_least_s"], [6, 6, 144])
    assert np.allclose(limit["throughput_low_per_s"][:2], [1 / 12, 2 / (12 + 3 / 1.5)])
    assert np.allclose(limit["response_high_s"][:2], [6, 6 + 3 / 1.5])
    assert np.allclose(limit["throughput_high_per_s"], [1 / 12, 2 / (12 + 2 / 2), 1 / 3])
    assert np.allclose(limit["response_low_s"], [6, 6 + 2 / 2, 144])
    level = bounds([2, 2], 9).iloc[0]
    assert np.isclose(level["throughput_low_per_s"], level["throughput_high_per_s"])
    assert np.isclose(level["throughput_low_per_s"], mva([2, 2], 9)["throughput_per_s"][0])


# ---- several classes


def test_published_example_of_two_classes():
    """Lazowska et al. p. 142, in nineteenths."""
    found = mva(**PAGE_142)
    assert np.allclose(found["throughput_per_s"], PAGE_142_THROUGHPUT, rtol=1e-14)
    assert np.allclose(found["response_s"], PAGE_142_RESPONSE, rtol=1e-14)
    assert np.allclose(stations(found, "queue"), PAGE_142_QUEUES, rtol=1e-14)
    assert np.allclose(stations(found, "utilization"), [[3 / 19, 9 / 19], [4 / 19, 8 / 19]], rtol=1e-14)
    assert found[["population", "user_class", "users"]].to_numpy().tolist() == [[1, 1, 1], [1, 2, 1]]


def weight_of(state, demand, think, delay):
    """Product form of a state: numbers of every class (rows) at every station and, last, thinking."""
    weight = 1.0
    for k, present in enumerate(np.array(state).T):
        loads = think if k == demand.shape[1] else demand[:, k]
        weight *= math.prod(load**n / math.factorial(n) for load, n in zip(loads, present, strict=True))
        weight *= 1 if k == demand.shape[1] or delay[k] else math.factorial(present.sum())
    return weight


@pytest.mark.parametrize("delay", [(False, False), (False, True)])
def test_classes_by_all_their_states(delay):
    """Three classes of 2, 1 and 3 users at two stations, two of them thinking; to 1e-12."""
    demand, think, users = np.array([[0.7, 0.3], [0.2, 1.1], [0.5, 0.0]]), np.array([0.0, 2.0, 5.0]), (2, 1, 3)

    def total(population):
        states = list(itertools.product(*(list(shares(n, 3)) for n in population)))
        weights = [weight_of(state, demand, think, delay) for state in states]
        return sum(weights), sum(w * np.array(s)[:, :2] for w, s in zip(weights, states, strict=True))

    constant, number = total(users)
    fewer = [total(np.array(users) - np.eye(3, dtype=int)[c])[0] for c in range(3)]
    servers = [math.inf if each else 1 for each in delay]
    found = mva(demand, users, think_s=think, servers=servers)
    assert np.allclose(found["throughput_per_s"], np.array(fewer) / constant, rtol=1e-12)
    assert np.allclose(stations(found, "queue"), number / constant, rtol=1e-12)


@pytest.mark.parametrize("method", ["exact", "schweitzer"])
def test_a_row_alone_is_a_class_too(method):
    """With one row of demands the frame has the shape of classes; several populations are numbered."""
    found = mva([[0.4, 1.2]], [[3], [5], [0]], servers=[2, 1], method=method)
    plain = mva([0.4, 1.2], [3, 5, 0], servers=[2, 1], method=method)
    assert list(found["population"]) == [1, 2, 3]
    pd.testing.assert_frame_equal(found.drop(columns=["population", "user_class"]), plain)


@pytest.mark.parametrize("method", ["exact", "schweitzer"])
def test_equal_classes_are_one_class(method):
    """Users who differ in name only share what one class of them all would have; an absent class changes nothing."""
    demand = [0.4, 1.2]
    found = mva([demand, demand, [9, 9]], [[3, 5, 0], [8, 0, 0]], think_s=2.0, method=method)
    one = mva(demand, 8, think_s=2.0, method=method).iloc[0]
    for _, rows in found.groupby("population"):
        assert np.isclose(rows["throughput_per_s"].sum(), one["throughput_per_s"], rtol=1e-10)
        assert np.allclose(stations(rows, "queue").sum(axis=0), [one["queue_1"], one["queue_2"]], rtol=1e-10)
    absent = found[found["users"] == 0]
    assert (absent["throughput_per_s"] == 0).all()
    assert absent["response_s"].isna().all()
    alone = mva([demand, demand], [[1, 0], [0, 1]], method=method)["response_s"].dropna()
    assert np.allclose(alone, sum(demand), rtol=1e-10)  # who is alone waits for nobody


small = st.lists(st.lists(seconds, min_size=2, max_size=2), min_size=2, max_size=3)


@given(small, st.floats(0, 30), st.lists(st.integers(0, 6), min_size=3, max_size=3))
@settings(max_examples=40)
def test_no_user_of_any_class_is_lost(demand, think, users):
    """Thinking and present users of each class are all there are, exactly and nearly; both methods agree to 20 %."""
    users = users[: len(demand)]
    exact, near = (mva(demand, users, think_s=think, method=method) for method in ("exact", "schweitzer"))
    for found in (exact, near):
        inside = stations(found, "queue").sum(axis=1) + found["throughput_per_s"] * think
        assert np.allclose(inside, users, rtol=1e-8)
        assert stations(found, "utilization").sum(axis=0).max() <= 1 + 1e-9
    assert np.allclose(
        near["throughput_per_s"], exact["throughput_per_s"], rtol=0.24
    )  # the largest error that was seen


# ---- the approximation


def test_schweitzer_is_near():
    """Within 3 % of the exact throughput on a whole curve, and exact for one user."""
    demand, users = [0.2, 0.35, 0.3], [1, 5, 20, 60, 400]
    near, exact = (mva(demand, users, think_s=8, method=method) for method in ("schweitzer", "exact"))
    assert np.allclose(near["throughput_per_s"], exact["throughput_per_s"], rtol=0.03)
    assert np.isclose(near["throughput_per_s"][0], exact["throughput_per_s"][0], rtol=1e-12)
    assert not np.allclose(near["throughput_per_s"], exact["throughput_per_s"], rtol=1e-4)
    for n, rate in zip(users, near["throughput_per_s"], strict=True):  # its fixed point, solved for the queues
        queues = [rate * load / (1 - rate * load * (n - 1) / n) for load in demand]
        assert np.isclose(sum(queues) + rate * 8, n, rtol=1e-9)


def test_several_servers_by_seidmann():
    """Exact for one user and far beyond saturation, within 8 % between; two classes may meet there too."""
    demand, users = [0.2, 1.4], [1, 10, 25, 40, 1000]
    near, exact = (mva(demand, users, think_s=8, servers=[1, 4], method=m) for m in ("schweitzer", "exact"))
    assert np.allclose(near["throughput_per_s"], exact["throughput_per_s"], rtol=0.08)
    assert np.allclose(near["throughput_per_s"][[0, 4]], exact["throughput_per_s"][[0, 4]], rtol=1e-3)
    both = mva([demand, demand], [20, 20], think_s=8, servers=[1, 4], method="schweitzer")
    assert np.isclose(both["throughput_per_s"].sum(), exact["throughput_per_s"][3], rtol=0.08)


# ---- a simulation


def simulated(horizon, **parts):
    """Records of a simulated network (ciw), seeded."""
    ciw = pytest.importorskip("ciw")
    ciw.seed(20)
    simulation = ciw.Simulation(ciw.create_network(**parts))
    simulation.simulate_until_max_time(horizon)
    return pd.DataFrame(simulation.get_all_records())


def test_closed_network_against_simulation():
    """40 users think 5 s, four processors, one disk: throughput within 2 %, time at the processors within 3 %."""
    ciw = pytest.importorskip("ciw")
    exponential, one = ciw.dists.Exponential, ciw.dists.Deterministic(1)

    class Once(ciw.dists.Distribution):
        """One arrival, at the start; ciw's own Sequential cannot be copied from Python 3.14 on."""

        waits = (0.0,)

        def sample(self, t=None, ind=None):
            wait, self.waits = (*self.waits, math.inf)[0], ()
            return wait

    records = simulated(
        600,
        arrival_distributions=[Once(), None, None],
        batching_distributions=[ciw.dists.Deterministic(40), one, one],
        service_distributions=[exponential(1 / 5), exponential(1 / 0.4), exponential(1 / 0.1)],
        number_of_servers=[math.inf, 4, 1],
        routing=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]],
    )
    records = records[records["exit_date"] > 100]
    at = records[records["node"] == 2]
    exact = mva([0.4, 0.1], 40, think_s=5, servers=[4, 1]).iloc[0]
    assert np.isclose(len(at) / 500, exact["throughput_per_s"], rtol=0.02)
    spent = (at["waiting_time"] + at["service_time"]).mean()
    assert np.isclose(spent, exact["queue_1"] / exact["throughput_per_s"], rtol=0.03)


def test_open_queues_against_simulation():
    """M/M/3 and M/D/1 at 60 % for 8,000 arrivals: responses within 3 standard errors, as 8 seeds scatter."""
    ciw = pytest.importorskip("ciw")
    for servers, service, expected, tolerance in (
        (3, ciw.dists.Exponential(2), mmc_response(0.5, 0.6, 3), 0.12),
        (1, ciw.dists.Deterministic(0.5), mg1(0.6, 0.5, 0.0), 0.04),
    ):
        rate = 0.6 * servers / 0.5
        records = simulated(
            8_000 / rate,
            arrival_distributions=[ciw.dists.Exponential(rate)],
            service_distributions=[service],
            number_of_servers=[servers],
        )
        assert np.isclose((records["waiting_time"] + records["service_time"]).mean(), expected, rtol=tolerance)
        assert abs((records["waiting_time"] > 0).mean() - erlang_c(servers, 0.6 * servers)) < 0.04


# ---- what is refused, and the shape of results


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mva([0.1, -0.2], 5), "finite seconds from 0, found -0.2"),
        (lambda: mva([], 5), "one per station"),
        (lambda: mva([[0.1, 0.2], [0.3]], [1, 1]), "rows of several lengths"),
        (lambda: mva([[0.1], [0.0]], [5, 5]), "every class"),
        (lambda: mva([0.1], 2.5), "whole numbers from 0, found 2.5"),
        (lambda: mva([0.1], True), "users"),
        (
            lambda: mva([0.1], [[1, 2]]),
            "a number, or a list, found shape (1, 2). With classes, demand_s has a row",
        ),
        (lambda: mva([[0.1], [0.2]], [1, 1], think_s=[1, 2, 3]), "one per class (2)"),
        (lambda: mva([0.1], 5, servers=0), "math.inf"),
        (
            lambda: mva([[0.1], [0.2]], [1, 1], servers=2),
            'where classes meet, found several. Ask for method="schweitzer"',
        ),
        (lambda: mva([0.1, 0.2, 0.3], 7_000_000), "21,000,003"),
        (lambda: mva([0.1], 1e16, method="schweitzer"), "whole numbers from 0, found 1e+16"),
        (lambda: bounds([0.1], 0), "1 user or more"),
        (lambda: bounds([0.0], 1, think_s=1), "one class at a time"),
        (lambda: erlang_b(2.5, 1.0), "Count the servers"),
        (lambda: erlang_c(2, [1.0, math.nan]), "finite loads from 0, found nan"),
        (lambda: utilization(40, "x"), "utilization(demand_s=...): expected a number, or an array of them, found 'x'"),
    ],
)
def test_refusals_teach(call, says):
    """Every refusal names the argument, what it takes, what it got and what to do; none passes a wrong number on."""
    with pytest.raises(CannotSolve, match=re.escape(says)) as error:
        call()
    assert re.fullmatch(
        rf"{call.__code__.co_names[0]}\((demand_s|users|think_s|servers|offered_load)=...\)", error.value.where
    )
    assert all((error.value.expected, error.value.found, error.value.remedy))
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_schweitzer_that_does_not_settle(monkeypatch):
    """Where the rounds run out it says so, and what else to ask for; a method misspelt is offered."""
    with pytest.raises(UnknownName, match="schweitzer"):
        mva([0.1], 5, method="schweizer")
    monkeypatch.setattr(closed, "_ROUNDS", 3)
    with pytest.raises(CannotSolve, match=r"schweitzer.*queues that settle.*exact"):
        mva([0.2, 0.35], 60, method="schweitzer")


def test_columns_are_the_vocabulary():
    """Every column, without the number of its station, is in columns.toml; the order is the one promised."""
    one, several = mva([0.1, 0.2], [1, 2]), mva([[0.1, 0.2], [0.2, 0.1]], [1, 2])
    for table in (one, several, bounds([0.1, 0.2], 3)):
        assert {re.sub(r"_\d+$", "", name) for name in table.columns} <= set(tables.vocabulary())
    ends = ["utilization_1", "utilization_2", "queue_1", "queue_2"]
    assert list(one.columns) == ["users", "throughput_per_s", "response_s", *ends]
    assert list(several.columns) == ["population", "user_class", "users", "throughput_per_s", "response_s", *ends]
    assert dominoperf.mva is mva
    assert all(callable(getattr(queueing, name)) for name in queueing.__all__)
