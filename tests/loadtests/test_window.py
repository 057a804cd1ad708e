"""The phases of runs whose shape is sharp, so that each begins and ends at a known sample; and what is said of them."""

import numpy as np
import pytest
from made import every_second, noisy

from dominoperf.errors import BadTable
from dominoperf.loadtests import steady_state
from dominoperf.tables.rendering import number

LEVEL = noisy(100, 100)
EVEN = np.tile([0.99, 0.99, 1.01, 1.01], 25)  # noise without autocorrelation that looks like a level


def shape(*parts):
    """Constants, each for so many samples."""
    return np.concatenate([np.full(count, float(value)) for value, count in parts])


def response(*parts):
    return EVEN * shape(*parts)


STARTED, ENDING, CHANGES = "users are still being started", "users are ending", "the response still changes"
AFTER_IT = "and 29 % of the samples lie after it"
STEP = [("level", 0, 70, "level 1 of 2"), ("level", 71, 99, "level 2 of 2")]
THROUGHOUT = "no steady state: the users at work change throughout, from {0} to {1}"
ALONE = "look between the times of one alone"
FEW = "cannot tell: the samples from 0 to 99 s are worth fewer than 10 independent ones"
LONG = np.r_[noisy(100, 23) / 10, noisy(100, 180, 1)]
# values, columns -> phases as (name, first, last second, reason); the reasons
SHAPES = {
    "level": (LEVEL, {}, [("steady", 0, 99, "")], []),
    "ramp-up": (LEVEL * shape((0.1, 10), (1, 90)), {}, [("ramp-up", 0, 9, ""), ("steady", 10, 99, "")], []),
    "ramp-down": (LEVEL * shape((1, 90), (0.1, 10)), {}, [("steady", 0, 89, ""), ("ramp-down", 90, 99, "")], []),
    "both": (
        LEVEL * shape((0.1, 10), (1, 80), (0.2, 10)), {},
        [("ramp-up", 0, 9, ""), ("steady", 10, 89, ""), ("ramp-down", 90, 99, "")], [],
    ),
    "a batch of both levels goes": (LONG, {}, [("ramp-up", 0, 24, ""), ("steady", 25, 202, "")], []),
    "two levels": (
        100 * EVEN * shape((1, 48), (2, 52)), {},
        [("level", 0, 47, "level 1 of 2"), ("level", 48, 99, "level 2 of 2")],
        ["cannot tell: 2 levels, 100 from 0 to 47 s, 200 from 48 to 99 s", ALONE],
    ),
    "three levels": (
        LEVEL * shape((1, 30), (2, 40), (3, 30)), {}, [("unknown", 0, 99, "")],
        ["cannot tell: the longest level part, 30 to 69 s, is 40 % of the run"],
    ),
    "a short level before": (
        np.r_[noisy(60, 150), noisy(100, 350, 1)], {},
        [("ramp-up", 0, 149, "has a level of its own"), ("steady", 150, 499, "")],
        ["the ramp-up has a level of its own"],
    ),
    "a short level behind": (
        np.r_[noisy(100, 350, 1), noisy(60, 150)], {},
        [("level", 0, 349, "level 1 of 2"), ("level", 350, 499, "level 2 of 2")],
        [f"cannot tell: 2 levels, {number(noisy(100, 350, 1).mean())} from 0 to 349 s, {number(noisy(60, 150).mean())} "
         "from 350 to 499 s: a fall by 40 %, and no users tell whether it is a ramp-down", ALONE],
    ),
    "a fall under unchanged users": (
        LEVEL * shape((1, 71), (0.4, 29)), {"users": 8}, STEP,
        [f"no steady state: the throughput falls by 60 % at 71 s under unchanged users, {AFTER_IT}", ALONE],
    ),
    "a rise under unchanged users": (
        LEVEL * shape((1, 71), (1.5, 29)), {"users": 8}, STEP,
        [f"no steady state: the throughput rises by 50 % at 71 s under unchanged users, {AFTER_IT}", ALONE],
    ),
    "a rise, where users may have come": (
        LEVEL * shape((1, 70), (1.5, 30)), {}, [("steady", 0, 69, ""), ("ramp-down", 70, 99, "")], [],
    ),
    "a fall before users leave": (
        LEVEL * shape((1, 60), (0.4, 20), (0.1, 20)), {"users": shape((8, 80), (2, 20))},
        [("level", 0, 59, "level 1 of 2"), ("level", 60, 79, "level 2 of 2"), ("ramp-down", 80, 99, ENDING)],
        ["no steady state: the throughput falls by 60 % at 60 s under unchanged users, and 25 % of the samples lie "
         "after it", ALONE],
    ),
    "a fall at the very end": (
        np.r_[noisy(100, 290), noisy(40, 10, 1)], {"users": 8}, [("steady", 0, 289, ""), ("ramp-down", 290, 299, "")],
        ["behind it the throughput falls by 60 % at 290 s under unchanged users"],
    ),
    "a short fall, where users may leave": (
        np.r_[noisy(100, 276), noisy(40, 24, 1)], {}, [("steady", 0, 274, ""), ("ramp-down", 275, 299, "")], [],
    ),
    "a fall for more than a tenth": (
        np.r_[noisy(100, 256), noisy(30, 44, 1)], {},
        [("level", 0, 255, "level 1 of 2"), ("level", 256, 299, "level 2 of 2")],
        [f"cannot tell: 2 levels, {number(noisy(100, 256).mean())} from 0 to 255 s, {number(noisy(30, 44, 1).mean())} "
         "from 256 to 299 s: a fall by 70 %, and no users tell whether it is a ramp-down", ALONE],
    ),
    "a fall for more than a twentieth": (
        np.r_[noisy(100, 276), noisy(40, 24, 1)], {"users": 8},
        [("level", 0, 275, "level 1 of 2"), ("level", 276, 299, "level 2 of 2")],
        ["no steady state: the throughput falls by 60 % at 276 s under unchanged users, and 8 % of the samples lie "
         "after it", ALONE],
    ),
    "a low beginning behind few samples at the level": (
        noisy(100, 300) * shape((1, 12), (0.7, 60), (1, 228)), {"users": 50},
        [("ramp-up", 0, 74, ""), ("steady", 75, 299, "")], [],
    ),
    "a recording that ends with requests under way": (
        noisy(1, 100) * shape((1, 92), (0.4, 8)), {"users": 5}, [("steady", 0, 91, ""), ("ramp-down", 92, 99, "")], [],
    ),
    "a fall for longer than requests can be under way": (
        noisy(1, 100) * shape((1, 88), (0.4, 12)), {"users": 5},
        [("level", 0, 87, "level 1 of 2"), ("level", 88, 99, "level 2 of 2")],
        ["no steady state: the throughput falls by 60 % at 88 s under unchanged users, and 12 % of the samples lie "
         "after it", ALONE],
    ),
    "a long ramp-down of users who are not told": (
        LEVEL * np.minimum(1, (100 - np.arange(100)) / 40), {}, [("steady", 0, 59, ""), ("ramp-down", 60, 99, "")], [],
    ),
    "a dip that recovers": (
        LEVEL * shape((1, 20), (0.4, 6), (1, 74)), {"users": 8}, [("unknown", 0, 99, "")],
        [FEW, "it falls by 60 % from 20 to 25 s and comes back, so that is no ramp"],
    ),
    "a dip that recovers at the end": (
        LEVEL * shape((1, 70), (0.4, 6), (1, 24)), {"users": 8}, [("unknown", 0, 99, "")],
        [FEW, "it falls by 60 % from 70 to 75 s and comes back, so that is no ramp"],
    ),
    "dips near the beginning and the end": (
        noisy(100, 600) * shape((1, 60), (0.75, 10), (1, 490), (0.75, 10), (1, 30)), {"users": 8},
        [("steady", 0, 599, "")],
        ["it falls by 25 % from 60 to 69 s and comes back, so that is no ramp",
         "it falls by 24 % from 560 to 569 s and comes back, so that is no ramp"],
    ),
    "a response that rises in the middle": (
        LEVEL, {"response_s": response((1, 20), (3, 6), (1, 74))}, [("steady", 0, 99, "")], [],
    ),
    "users on sharply": (
        LEVEL, {"users": shape((5, 20), (10, 80))}, [("ramp-up", 0, 19, STARTED), ("steady", 20, 99, "")], [],
    ),
    "users on and off": (
        LEVEL, {"users": shape((5, 20), (10, 60), (5, 20))},
        [("ramp-up", 0, 19, STARTED), ("steady", 20, 79, ""), ("ramp-down", 80, 99, ENDING)], [],
    ),
    "users who leave and come back": (
        LEVEL * shape((1, 20), (0.5, 20), (1, 60)), {"users": shape((10, 20), (5, 20), (10, 60))},
        [("ramp-up", 0, 39, STARTED), ("steady", 40, 99, "")], [],
    ),
    "users one by one": (
        LEVEL, {"users": np.minimum(2.0 * np.arange(100), 60)},
        [("ramp-up", 0, 29, STARTED), ("steady", 30, 99, "")], [],
    ),
    "users unknown at first": (LEVEL, {"users": shape((np.nan, 30), (10, 70))}, [("steady", 0, 99, "")], []),
    "users all the time": (
        LEVEL, {"users": np.arange(100.0)}, [("unknown", 0, 99, THROUGHOUT.format(0, 99))], [THROUGHOUT.format(0, 99)],
    ),
    "users of two levels": (
        LEVEL, {"users": shape((5, 50), (10, 50))}, [("unknown", 0, 99, THROUGHOUT.format(5, 10))],
        [THROUGHOUT.format(5, 10)],
    ),
    "users of many levels": (
        noisy(100, 157), {"users": shape((23, 42), (58, 47), (2, 42), (40, 12), (18, 14))},
        [("unknown", 0, 156, THROUGHOUT.format(2, 58))], [THROUGHOUT.format(2, 58)],
    ),
    "a response that rises": (
        LEVEL, {"response_ms": response((0.1, 20), (1, 80))}, [("ramp-up", 0, 19, CHANGES), ("steady", 20, 99, "")], [],
    ),
    "an empty response before another": (
        LEVEL, {"response_s": np.nan, "response_min": response((0.1, 20), (1, 80))},
        [("ramp-up", 0, 19, CHANGES), ("steady", 20, 99, "")], [],
    ),
    "a response that rises after the throughput": (
        LEVEL * shape((0.1, 10), (1, 90)), {"response_s": response((0.1, 40), (1, 60))},
        [("ramp-up", 0, 9, ""), ("ramp-up", 10, 39, CHANGES), ("steady", 40, 99, "")], [],
    ),
    "a response that rises before the throughput": (
        LEVEL * shape((0.1, 20), (1, 80)), {"response_s": response((0.1, 10), (1, 90))},
        [("ramp-up", 0, 19, ""), ("steady", 20, 99, "")], [],
    ),
    "a response that rises for three quarters": (
        LEVEL, {"response_s": response((0.1, 74), (1, 26))}, [("ramp-up", 0, 73, CHANGES), ("steady", 74, 99, "")], [],
    ),
    "a response that rises for longer": (
        LEVEL, {"response_s": response((0.1, 76), (1, 24))}, [("ramp-up", 0, 75, CHANGES), ("unknown", 76, 99, "")],
        ["no steady state: the response changes until 76 s"],
    ),
    "a response that rises to the end": (
        LEVEL, {"response_s": np.linspace(0.1, 10, 100)}, [("unknown", 0, 99, "the response rises")],
        ["no steady state: the response rises to the end, from 6.3 to 8.8 s between the third and the last quarter, so"
         " more may arrive than is served"],
    ),
    **{f"a response that rises {rise}": (
        LEVEL, {"response_s": np.linspace(1, last, 100)}, phases, [f"no steady state: {told}"],
    ) for rise, last, phases, told in (
        ("by 23 % of its mean in the second half", 1.7,
         [("ramp-up", 0, 87, CHANGES), ("unknown", 88, 99, "")], "the response changes until 88 s"),
        ("by 28 % of it", 1.95, [("unknown", 0, 99, "the response rises")],
         "the response rises to the end, from 1.6 to 1.8 s between the third and the last quarter, so more may arrive "
         "than is served"),
    )},
    "users, then the response": (
        LEVEL, {"users": shape((5, 20), (10, 80)), "response_s": response((0.1, 40), (1, 60))},
        [("ramp-up", 0, 19, STARTED), ("ramp-up", 20, 39, CHANGES), ("steady", 40, 99, "")], [],
    ),
    "a response too short for a search": (
        LEVEL[:39], {"response_s": response((0.1, 10), (1, 90))[:39]}, [("steady", 0, 38, "")], [],
    ),
    "samples as few as there may be": (100 * EVEN[1::2][:20], {}, [("steady", 0, 19, "")], []),
    "samples too few": (
        LEVEL[:19], {}, [("unknown", 0, 18, "cannot tell: 19 samples, at least 20 are needed")],
        ["cannot tell: 19 samples, at least 20 are needed"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_the_phases_of_a_shape(name):
    """All rows of the phases, the window and the reasons."""
    values, columns, phases, reasons = SHAPES[name]
    found = steady_state(every_second(values, **columns))
    assert found.tidy().to_numpy().tolist() == [[each, a, b, b - a + 1, why] for each, a, b, why in phases]
    assert [*found.reasons] == reasons
    steady = [(first, last) for each, first, last, _ in phases if each == "steady"]
    assert found.found == bool(steady)
    if steady:
        ((first, last),) = steady
        assert (found.from_s, found.to_s, found.drifting) == (first, last, "no")
        assert found.mean.value == pytest.approx(values[first : last + 1].mean())
    else:
        assert (found.drifting, found.window.any()) == ("cannot tell", False)


@pytest.mark.parametrize("seed", range(3))
def test_users_in_any_steps_are_no_mistake(seed):
    """Of some steps the best window had no batch at all, and nothing could be fitted to it."""
    random = np.random.default_rng(seed)
    for _ in range(6):
        steps = list(zip(random.integers(1, 60, 6), random.integers(3, 60, 6), strict=True))
        users = shape(*steps)
        found = steady_state(every_second(noisy(100, len(users)), users=users))
        assert found.found or found.reason
        assert found.tidy()["samples"].sum() == len(users)


@pytest.mark.parametrize(("factor", "way"), [(1, "rising"), (-1, "falling")])
def test_a_drift_in_all_its_numbers(factor, way):
    """The line by least squares; how much of the mean it is in an hour; no window, and the part that drifts."""
    values = LEVEL * np.linspace(1, 2, 100)[::factor]
    found = steady_state(every_second(values))
    pairs = [each.reshape(50, 2).mean(axis=1) for each in (np.arange(100) / 3600, values)]  # 48 batches or more
    slope = np.polyfit(*pairs, 1)[0] / values.mean()
    assert found.drift.value == pytest.approx(slope, rel=1e-9)
    assert found.drifting == "yes"
    assert found.tidy().to_numpy().tolist() == [["drifting", 0, 99, 100, ""]]
    over, hourly = (number(100 * abs(share), 2) for share in (slope * 99 / 3600, slope))
    told = f"keeps {way} from 0 to 99 s, by {over} % of its mean ({hourly} % an hour)"
    assert found.reasons == (f"no steady state: it {told}",)
    assert not found.found
    glance = found.glance().iloc[0]
    assert glance[["method", "metric", "samples", "drifting", "reason"]].tolist() == [
        "mser", "throughput_tps", 0, "yes", found.reason,
    ]  # fmt: skip
    assert glance["drift_per_hour"] == found.drift.value
    assert (glance["drift_low_per_hour"], glance["drift_high_per_hour"]) == (found.drift.low, found.drift.high)
    assert np.isnan([glance["from_s"], glance["to_s"]]).all()
    fixed = steady_state(every_second(values), method="fixed", settle_s=0, measure_s=np.inf)
    assert (fixed.drifting, fixed.found, fixed.reasons) == ("yes", True, ())


@pytest.mark.parametrize(
    ("change", "tolerance", "drifting"),
    [(0.0, 0.05, "no"), (0.04, 0.06, "no"), (0.04, 0.02, "yes"), (0.04, 0.04, "yes"), (0.0, 0.0001, "cannot tell")],
)
def test_what_counts_as_drift(change, tolerance, drifting):
    """Within the tolerance it is none; beyond 0 it is one; else it cannot be told."""
    frame = every_second(LEVEL * np.linspace(1 - change / 2, 1 + change / 2, 100))
    found = steady_state(frame, method="fixed", settle_s=0, measure_s=np.inf, tolerance=tolerance)
    assert found.drifting == drifting
    assert steady_state(frame, tolerance=tolerance).found == (drifting != "yes")


def test_what_is_looked_at_and_left_out():
    """A stretch of time without its end; rows without a number; a gap; the level of the intervals."""
    values = LEVEL * shape((1, 40), (2, 60))
    values[[50, 60]] = np.nan
    frame = every_second(values, users=7).drop(range(70, 85)).reset_index(drop=True)
    found = steady_state(frame, between=(40, 100), level=0.9)
    assert found.tidy().to_numpy().tolist() == [["steady", 40, 99, 43, ""]]
    assert found.reasons == ("no samples from 69 to 85 s", "2 rows without a number left out")
    assert found.window.sum() == 45
    assert found.level == 0.9
    wide = steady_state(frame, between=(40, 100)).mean
    assert wide.high - wide.low > found.mean.high - found.mean.low
    assert "90" in found.headline()
    for between in ((100, 200), (5,), "x", (40, 30)):
        with pytest.raises(BadTable) as caught:
            steady_state(frame, between=between)
        assert caught.value.where == "steady_state(between=...)"
        assert caught.value.expected == "two times"
        assert caught.value.found.endswith(", and samples from 0 to 99 s")
        assert caught.value.remedy == "Give the first and the last second of a stretch with samples."
