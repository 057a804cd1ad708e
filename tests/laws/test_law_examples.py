"""Each law on an example that somebody published, or that a closed form or a hand gives."""

import numpy as np
import pandas as pd
import pytest

from dominoperf.errors import UnknownName
from dominoperf.laws import LAWS
from dominoperf.laws.disk import raid_usable, write_penalty
from dominoperf.laws.price import cheapest, pareto
from dominoperf.laws.universal_scalability import karp_flatt
from dominoperf.tables import load

# Page 3-16/3-19, Table 3-4; fitted with relative errors.
SPINDLES_FIT = (58.733, 0.89689, 61.391)


def curve(name, x, *params):
    return LAWS[name].function(np.asarray(x, float), *params)


def derived(name, quantity, *args):
    return next(q.function for q in LAWS[name].derived if q.name == quantity)(*args)


def test_a_fixed_capacity_of_very_many_whole_loads():
    """The fourth power of 100,000 is more than an integer of 64 bits holds."""
    law = LAWS["saturation"]
    assert law.function(np.array([100_000]), 100.0, 0.01) == law.function(1e5, 100.0, 0.01)


def test_usl_inverse_where_another_package_is_wrong():
    """usl4j takes 11,048 for N = 15.35, whose capacity is 9,843: ours goes there and back."""
    params = 995.65, 0.02671, 7.69e-4
    assert np.isclose(curve("usl", LAWS["usl"].inverse(11048, *params), *params), 11048, rtol=1e-12, atol=0)
    top = derived("usl", "peak_capacity", *params)
    assert np.isnan(LAWS["usl"].inverse(top * 1.001, *params))
    assert LAWS["usl"].inverse(top * 0.999, *params) < derived("usl", "peak", *params)
    assert np.isclose(
        LAWS["usl"].inverse(300, 100, 0.1, 0.0), LAWS["amdahl"].inverse(300, 100, 0.1), rtol=1e-14, atol=0
    )


def test_geometric_by_hand():
    """1 + q + q^2 + q^3; next to q = 1 too, with the derivative N (N - 1) / 2; at q = 0 one processor's worth."""
    for q in (0.5, 0.9, 0.97, 0.98, 0.9999, 1 - 1e-9, 1.0):
        assert np.isclose(curve("geometric", 4, 1, q), 1 + q + q**2 + q**3, rtol=1e-14, atol=0)
    assert np.isclose(LAWS["geometric"].gradient(np.array([5.0]), 1.0, 1.0)[1, 0], 10, rtol=1e-13, atol=0)
    assert np.isclose(
        LAWS["geometric"].gradient(np.array([5.0]), 1.0, 0.98)[1, 0], sum(k * 0.98 ** (k - 1) for k in range(5))
    )
    assert np.allclose(curve("geometric", [1, 2, 8], 100, 0.0), 100)


@pytest.mark.parametrize(
    ("name", "y", "params"),
    [
        ("amdahl", 2.0, (1, 0.5)),  # the limit
        ("overhead_three_halves", 1e9, (100, 0.1)),  # above the peak
        ("overhead_square", 50, (100, 5.0)),  # capacity falls from the first on, behind a pole at 0.77
        ("gustafson", 130, (100, 1.0)),  # a flat curve, each
        ("geometric", 70, (100, 0.0)),
        ("saturation", 70, (100, 1.0)),
        ("clock_time", 800, (1e-3, 0.0)),
        ("cache_time", 80, (0.01, 0.0, 0.5)),
        ("cache_time", 80, (0.01, 0.2, 0.0)),
        ("drive_hyperbola", 300, (0.0, 60)),
        ("spindles", 300, (60, 0.0, 25)),
        ("spindles", 300, (0.0, 0.5, 25)),
        ("paging", 0.5, (2.0, 2, 0.5, 128)),  # the floor
        ("memory_knee", 0.2, (0.01, 400, 0.2)),
        ("spindles", 1.0, (1, 0.5, 0)),  # drives without a load
        ("utilization_law", 0.04, (3e-4, 0.05)),  # below what is idle
        ("mm1", 0.1, (0.2,)),  # below the time of an idle server
        ("mmc", 0.1, (0.2, 4)),
        ("sakasegawa", 0.1, (0.2, 4)),
        ("mg1", 0.1, (0.2, 2)),
        ("closed", 0.1, (0.2, 5, 1)),
        ("price_linear", 7000, (12, 8000)),  # below the price without users
    ],
)
def test_no_x_has_that_y(name, y, params):
    """Where the curve never is there is no inverse."""
    assert np.isnan(LAWS[name].inverse(y, *params))


@pytest.mark.parametrize(
    ("name", "parameter", "x", "y"),
    [
        ("amdahl", "contention", [1, 2, 9], [100, 100, 100]),  # all work is serial: nothing is gained
        ("usl", "contention", [1, 2, 9], [100, 100, 100]),
        ("log_usl", "contention", [1, 2, 9], [100, 100, 100]),
        ("gustafson", "contention", [1, 2, 9], [100, 100, 100]),
        ("saturation", "overhead", [1, 2, 9], [100, 100, 100]),  # the limit is reached by the first
        ("geometric", "factor", [1, 2, 9], [100, 200, 900]),  # each adds what the first did
        ("quadratic", "loss", [1, 2], [100, 0]),  # two take everything from each other
        ("spindles_open", "load", [1, 2], [np.inf, 200]),  # one drive is full, two are half full
        ("utilization_law", "idle", [0], [1]),  # busy without anybody
        ("clock_power", "exponent", [1, 2, 9], [100, 200, 900]),  # no more than in proportion
        ("cache_power", "exponent", [1, 2, 9], [100, 200, 900]),
    ],
)
def test_no_parameter_goes_beyond_what_it_means(name, parameter, x, y):
    """The upper bound is where a share is all of it: the curve there, the scale 100, all else zero."""
    given = [{"scale": 100, "service_s": 100}.get(param.name, 0.0) for param in LAWS[name].params]
    k = LAWS[name].names.index(parameter)
    given[k] = LAWS[name].params[k].high
    assert np.allclose(curve(name, x, *given), y, rtol=1e-12, atol=1e-12)
    assert LAWS[name].params[k].low == 0


def test_start_leaves_out_what_comes_out_negative():
    """Points that bend up: the coherency of least squares is below zero, so the contention is that of Amdahl's law."""
    x, y = np.array([1.0, 2, 3, 4, 6]), np.array([100.0, 160, 225, 295, 440])
    terms = np.stack([np.ones(5), x - 1, x * (x - 1)]).T
    assert np.linalg.lstsq(terms * (y / x)[:, None], np.ones(5), rcond=None)[0][2] < -1e-4
    _, contention, coherency = LAWS["usl"].start(x, y, {})
    assert np.isclose(contention, LAWS["amdahl"].start(x, y, {})[1], rtol=0.1, atol=0)
    assert 0 < coherency < 1e-3


def test_peaks_that_are_not_there():
    """Without coherency capacity never falls; with more overhead than work it falls from the start."""
    assert np.isinf(derived("usl", "peak", 100, 0.1, 0.0))
    assert derived("usl", "peak_capacity", 100, 0.1, 0.0) == 1000
    assert np.isinf(derived("log_usl", "peak", 100, 0.1, 0.0))
    assert derived("log_usl", "peak_capacity", 100, 0.1, 0.0) == 1000
    assert derived("log_usl", "peak", 100, 1.0, 0.3) == 1
    for share in (0.8, 0.3, 1e-6):  # contention 0.1: share (N - 1 + ln N) = 0.9
        peak = derived("log_usl", "peak", 100, 0.1, share)
        assert np.isclose(share * (peak - 1 + np.log(peak)), 0.9, rtol=1e-12, atol=0)
    assert derived("overhead_three_halves", "peak", 100, 5.0) == 1
    for share in (0.8, 0.3, 1e-6):  # of the square: share (N^2 + 1) / 2 = 1
        assert np.isclose(derived("overhead_square", "peak", 100, share), np.sqrt(2 / share - 1), rtol=1e-12, atol=0)
    assert np.isinf(derived("quadratic", "peak", 100, 0.0))
    assert np.isinf(derived("amdahl", "limit", 1, 0.0))
    less = LAWS["overhead_three_halves"].inverse(50, 100, 0.1)  # than one processor carries
    assert np.isclose(curve("overhead_three_halves", less, 100, 0.1), 50)


def test_users_at_response_by_hand():
    """One processor: 1/S - 1/R_max requests a second; several: their response at that load is the limit."""
    assert np.isclose(curve("users_at_response", 1, 0.2, 0.5, 0.01), (1 / 0.2 - 1 / 0.5) / 0.01, rtol=1e-12, atol=0)
    for servers in (2, 4, 8):
        busy = curve("users_at_response", servers, 0.2, 0.5, 0.01) * 0.01 * 0.2 / servers
        assert np.isclose(curve("mmc", busy, 0.2, servers), 0.5, rtol=1e-10, atol=0)
    assert curve("users_at_response", 4, 0.6, 0.5, 0.01) == 0
    assert curve("users_at_response", 4.7, 0.2, 0.5, 0.01) == curve("users_at_response", 4, 0.2, 0.5, 0.01)


def test_clock_of_the_clean_pair():
    """P5/133 to P5/166, 600 to 740 users, page 3-2/3-3: exponent 0.95; the times explain both."""
    x, y = np.array([133.0, 166]), np.array([600.0, 740])
    assert np.isclose(LAWS["clock_power"].start(x, y, {})[1], 0.946, atol=5e-4)
    found = LAWS["clock_time"].start(x, y, {})
    assert np.allclose(curve("clock_time", x, *found), y, rtol=1e-6, atol=0)
    assert np.isclose(derived("clock_time", "core_share", 133.0, *found), (1 / 600 - 1 / 740) / (1 - 133 / 166) * 600)


def test_cache_of_the_pair():
    """256 to 512 KB, 1,500 to 1,920 users: exponent 0.356. A cache four times as large halves misses."""
    assert np.isclose(
        LAWS["cache_power"].start(np.array([256.0, 512]), np.array([1500.0, 1920]), {})[1], 0.356, atol=5e-4
    )
    assert np.isclose(
        1 / curve("cache_time", 400, 0.1, 6, 0.5) - 0.1, (1 / curve("cache_time", 100, 0.1, 6, 0.5) - 0.1) / 2
    )
    free = LAWS["cache_time"].start(
        np.array([128.0, 256, 512]), curve("cache_time", [128, 256, 512], 3e-4, 0.01, 0.7), {}
    )
    assert np.isclose(free[2], 0.7)


def test_spindles_of_table_3_4():
    """631, 137, 129, 124 ms with 1, 4, 7 and 14 drives: log error 0.12 % with a base, 2.5 % without."""
    y = load("compaq_domino45/table_3_4")["response_s"].to_numpy(float)
    x = np.array([1.0, 4, 7, 14])

    def error(name, *params):
        return np.sqrt(np.mean(np.log(curve(name, x, *params) / y) ** 2))

    assert np.isclose(error("spindles", *SPINDLES_FIT), 0.0012, atol=5e-5)
    assert np.allclose(SPINDLES_FIT, (58.7, 0.897, 61.4), atol=0.04)
    assert np.isclose(error("spindles_open", 113, 0.82), 0.025, atol=5e-4)
    found = LAWS["spindles"].start(x, y, {})
    assert np.allclose(curve("spindles", x, *found), y, rtol=0.05)
    assert np.isclose(found[1], SPINDLES_FIT[1], atol=0.02)


def test_raid():
    """Chen and others, Computing Surveys 26(2), 1994: a small write costs 1, 2, 4, 2 operations; space left."""
    assert [write_penalty(level) for level in (0, 1, 5, 10)] == [1, 2, 4, 2]
    assert [float(raid_usable(6, level)) for level in (0, 1, 5, 10)] == [6, 3, 5, 3]
    assert np.isnan(raid_usable([3, 5], 1)).all()
    assert np.array_equal(raid_usable([2, 3], 5), [np.nan, 2], equal_nan=True)
    with pytest.raises(UnknownName, match="Known are 0, 1, 4, 5, 10"):
        write_penalty(3)


def test_saturated_points_do_not_spoil_a_start():
    """A row at or above a utilization of 1 has no response in the formula: the start comes from the others."""
    U = np.array([0.2, 0.5, 0.8, 1.0, 1.1])
    for name, known in {"mm1": {}, "mmc": {"servers": 1.0}, "mg1": {}}.items():
        service, *rest = LAWS[name].start(U, np.array([0.25, 0.4, 1.0, 7, 9]), known)
        assert np.isclose(service, 0.2, rtol=1e-6, atol=0)
        assert np.allclose(rest, 1.0, rtol=1e-6, atol=0)


def test_closed_is_mean_value_analysis():
    """One server: R(n) = S (1 + Q(n - 1)), Q = n R / (R + Z), step by step (Reiser and Lavenberg, 1980)."""
    queue, steps = 0.0, []
    for n in range(1, 81):
        response = 0.2 * (1 + queue)
        queue = n * response / (response + 5)
        steps.append(response)
    assert np.allclose(curve("closed", np.arange(1, 81), 0.2, 5, 1), steps, rtol=1e-11, atol=0)


def test_closed_of_very_many_users_is_the_line_of_saturation():
    """Far behind the knee R = N S / c - Z, by the asymptotic bounds; the states that count are few even there."""
    assert np.isclose(curve("closed", 1e16, 0.3, 5.0, 2), 1e16 * 0.3 / 2 - 5.0, rtol=1e-12, atol=0)
    assert np.isnan(curve("closed", 1e16, 0.3, 1e15, 2))  # thinkers by the billion


def test_closed_with_several_servers():
    """Three servers by the balance of births and deaths; nobody waits with servers for all; no think time."""
    S, Z, c = 0.2, 5.0, 3
    for N in (1, 3, 10, 60):
        rates = [1.0]
        for k in range(1, N + 1):
            rates.append(rates[-1] * (N - k + 1) / Z * S / min(k, c))
        p = np.array(rates) / sum(rates)
        k = np.arange(N + 1)
        assert np.isclose(curve("closed", N, S, Z, c), (p * k).sum() / ((N - (p * k).sum()) / Z), rtol=1e-11, atol=0)
    assert np.allclose(curve("closed", [1, 2, 3], S, Z, c), S, rtol=1e-14, atol=0)
    assert np.allclose(curve("closed", [3, 6, 30], S, 0, c), [S, 2 * S, 10 * S], rtol=1e-14, atol=0)
    assert np.isclose(curve("closed", 8000, S, Z, c), 8000 * S / c - Z, rtol=1e-9, atol=0)
    many, few = curve("closed", [1e6, 7.0], S, Z, c)
    assert np.isclose(many, 1e6 * S / c - Z, rtol=1e-9, atol=0)
    assert np.isclose(few, curve("closed", 7, S, Z, c), rtol=1e-12, atol=0)
    assert np.isclose(curve("closed", 5.5, S, Z, 1), curve("closed", [5, 6], S, Z, 1).mean())
    assert np.isclose(derived("closed", "knee", S, Z, 1), 26)


def test_what_is_worth_its_price():
    """Dominated rows go, twins stay together, rows without a number are out; the cheapest that is large enough."""
    rows = {"price_usd": [10, 20, 20, 30, 30, np.nan, 15], "users": [100, 200, 200, 150, 300, 900, 100]}
    frame = pd.DataFrame(rows, index=list("abcdefg"))
    assert [*frame.index[pareto(frame)]] == ["a", "b", "c", "e"]
    assert [*cheapest(frame, 150).index] == ["b", "c"]
    assert [*cheapest(frame, 200).index] == ["b", "c"]
    assert [*cheapest(frame, 201).index] == ["e"]
    assert cheapest(frame, 1000).empty


def test_serial_share_of_a_measured_speed_up():
    """Karp and Flatt, CACM 33(5) 1990: a speed-up of 1.5 on two processors is a third serial; NaN for one alone."""
    share = karp_flatt(np.array([1, 2, 4]), np.array([1, 1.5, 2]))
    assert np.allclose(share[1:], [1 / 3, 1 / 3])
    assert np.isnan(share[0])
    assert np.isclose(karp_flatt(3, curve("amdahl", 3, 1, 0.2)), 0.2)
