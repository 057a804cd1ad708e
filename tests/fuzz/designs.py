"""Random designs of measurements, for `compare` and `forecast`: what fuzzing begins with there.

A design is what somebody measured: 1 to 40 points, repeats, zeros and negative values, scales from 1e-300 to 1e300,
cells that are missing or words, errors of points, capacities between two loads. Each is drawn from the seed of its
number.
"""

import json

import numpy as np

FAMILIES = ("clock", "cache", "sizing", "memory", "disk", "utilization", "response", "price", "cost")


def design(number):
    """Return the design of a number: the bytes of a call, as the target "design" takes them."""
    random = np.random.default_rng(number)
    n = int(random.choice([1, 2, 3, 4, 5, 6, 8, 12, 20, 40]))
    x = _loads(random, n)
    y = _capacities(random, x)
    x, y = (_scaled(random, values) for values in (x, y))
    settings = {"x": _spoiled(random, x), "y": _spoiled(random, y)}
    if random.random() < 0.15:
        settings["y_err"] = _spoiled(random, np.abs(y) * random.choice([1e-9, 0.01, 0.1, 10]), chance=0.05)
    if random.random() < 0.25:
        settings["level"] = float(random.choice([0.5, 0.6, 0.9, 0.99, 0.999999, 1.0, 95]))
    if random.random() < 0.25:
        with np.errstate(over="ignore"):
            at = np.max(x) * random.choice([0.1, 0.5, 1, 2, 10, 1e3, 1e30], 3)
        at = _spoiled(random, at, chance=0.03)
        data = {"processors": settings.pop("x"), "users": settings.pop("y")}
        return _written("forecast", at, {"data": data, **settings})
    if random.random() < 0.2:
        settings["error"] = str(random.choice(["relative", "constant", "auto"]))
    if random.random() < 0.1:
        settings["sigma"] = float(random.choice([1e-9, 0.02, 0.5, 1e9]))
    if random.random() < 0.1:
        settings["bounded"] = False
    if random.random() < 0.1:
        settings["fixed"] = {str(random.choice(["scale", "contention", "coherency"])): float(random.random())}
    if random.random() < 0.1:
        settings |= {"y_low": settings.pop("y"), "y_high": _spoiled(random, y * 1.1)}
    return _written("compare", _laws(random), settings)


def _laws(random):
    """A family as people compare it: three laws as a rule, sometimes a whole one."""
    draw = random.random()
    if draw < 0.06:
        return "processors"
    if draw < 0.12:
        return "overhead"
    if draw < 0.3:
        return str(random.choice(FAMILIES))
    return [["linear", "amdahl", "usl"], ["linear", "amdahl"], ["usl", "log_usl"], ["usl"]][random.integers(4)]


def _loads(random, n):
    """Loads of some design: doubled, in steps, at random, repeated, all the same."""
    kind = random.integers(5)
    if kind == 0:
        return 2.0 ** np.arange(n)
    if kind == 1:
        return np.arange(1.0, n + 1)
    if kind == 2:
        return np.sort(random.uniform(0.1, 100, n))
    if kind == 3:
        return random.choice([1.0, 2.0, 4.0, 8.0, 16.0], n)
    return np.full(n, float(random.integers(1, 9)))


def _capacities(random, x):
    """What was measured there: a law with noise, a straight line, a constant, anything."""
    kind = random.integers(5)
    if kind < 2:
        contention, coherency = random.choice([0, 1e-3, 0.1, 0.9]), random.choice([0, 1e-6, 1e-3, 0.1])
        noise = random.choice([0, 1e-12, 1e-3, 0.05, 0.5])
        y = 100 * x / (1 + contention * (x - 1) + coherency * x * (x - 1))
        return np.abs(y * (1 + noise * random.standard_normal(len(x))))
    if kind == 2:
        return 3.0 * x
    if kind == 3:
        return np.full(len(x), 7.0)
    return random.choice([-1.0, 1.0]) * random.standard_exponential(len(x))


def _scaled(random, values):
    """The same in units of any size."""
    return values * (10.0 ** random.choice([-300, -100, -12, -3, 3, 12, 100, 300]) if random.random() < 0.15 else 1.0)


def _spoiled(random, values, chance=0.12):
    """The values as a list, with some of what people have in their files."""
    cells = [float(value) for value in values]
    if random.random() < chance and cells:
        spoilt = [0.0, -1.0, float("nan"), float("inf"), 1e308, 5e-324, "n/a", "", None, "12 tps", True]
        cells[random.integers(len(cells))] = spoilt[random.integers(len(spoilt))]
    return cells


def _written(call, first, settings):
    """The bytes of a call."""
    return json.dumps({"call": call, "first": first, "settings": settings}).encode()
