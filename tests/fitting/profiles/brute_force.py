"""Ends of profile intervals by brute force, with scipy alone: ``python brute_force.py`` writes ends.csv beside it.

A quantity is held at a value by solving for one parameter; scipy's bounded least squares, from several starts, seeks
the best of the others. The quantity is walked outwards from its estimate, on beyond the first value that the points
exclude, and `brentq` finds where the last one that they allow ends. Nothing of dominoperf is used.
"""

import itertools
import math
from pathlib import Path

import numpy as np
from scipy import optimize, stats

ENDS = Path(__file__).with_name("ends.csv")
CURVES = 60  # of each law
FACTOR, BEYOND = 1.25, 8  # of the walk: its steps, and how many excluded values in a row end it
GRID = np.array([0, *np.geomspace(1e-7, 1, 22)])  # shares of the way from a bound to the other, or to 100
STARTS = 2  # of the grid; the last answer is one more
FAR = 1e5  # a quantity that may be so many times its estimate may be anything


def amdahl(n, scale, contention):
    return scale * n / (1 + contention * (n - 1))


def usl(n, scale, contention, coherency):
    return scale * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def log_usl(n, scale, contention, coherency):
    return scale * n / (1 + contention * (n - 1) + coherency * np.log(n) * (n - 1))


def clock_time(f, memory_time, core_cycles):
    return 1 / (memory_time + core_cycles / f)


def usl_peak_capacity(contention, coherency):
    """Of a scale of 1."""
    if coherency == 0:
        return 1 / contention if contention > 0 else math.inf
    return usl(math.sqrt(max((1 - contention) / coherency, 1)), 1, contention, coherency)


class Law:
    """How each quantity is held: ``(at, value) -> (bounds of the rest, rest -> all parameters)``."""

    def __init__(self, curve, truths, loads, hold, quantity):
        self.curve, self.truths, self.loads, self.hold, self.quantity = curve, truths, loads, hold, quantity
        self.names = curve.__code__.co_varnames[1 : curve.__code__.co_argcount]


SHARES = {1: [(0, 1)], 2: [(0, 1), (0, math.inf)]}


def by_scale(curve, shares):
    """Hold a forecast, or the x of a value: the scale follows from the shares."""

    def forecast(at, value):
        return SHARES[shares], lambda rest: (value / curve(at, 1, *rest), *rest)

    def inverse(at, value):
        return SHARES[shares], lambda rest: (at / curve(value, 1, *rest), *rest)

    return forecast, inverse


LAWS = {
    "amdahl": Law(
        amdahl,
        [(100, 0), (100, 0.002), (100, 0.05), (100, 0.3)],
        lambda n: 2.0 ** np.arange(n),
        {
            "predict": by_scale(amdahl, 1)[0],
            "inverse": by_scale(amdahl, 1)[1],
            "limit": lambda at, value: ([(0, 1)], lambda rest: (value * rest[0], rest[0])),
        },
        {
            "limit": lambda scale, a: scale / a if a > 0 else math.inf,
            "inverse": lambda y, s, a: y * (1 - a) / (s - a * y),
        },
    ),
    "usl": Law(
        usl,
        [*itertools.product([100], [0, 0.03, 0.2], [0, 1e-5, 0.002, 0.02])],
        lambda n: np.array([1.0, 2, 4, 8, 12, 16, 24, 32])[:n],
        {
            "predict": by_scale(usl, 2)[0],
            "peak_capacity": lambda at, value: (SHARES[2], lambda rest: (value / usl_peak_capacity(*rest), *rest)),
        },
        {"peak_capacity": lambda scale, a, b: scale * usl_peak_capacity(a, b)},
    ),
    "log_usl": Law(
        log_usl,
        [*itertools.product([100], [0, 0.03, 0.2], [0, 1e-4, 0.01, 0.05])],
        lambda n: np.array([1.0, 2, 4, 8, 12, 16, 24, 32])[:n],
        {"predict": by_scale(log_usl, 2)[0]},
        {},
    ),
    "clock_time": Law(
        clock_time,
        [(0, 0.25), (1e-5, 0.25), (4e-4, 0.25), (2e-3, 0.25)],
        lambda n: np.array([100.0, 133, 166, 200, 233, 300, 333, 400])[:n],
        {
            "predict": lambda at, value: ([(0, at / value)], lambda rest: (max(1 / value - rest[0] / at, 0), rest[0])),
            "inverse": lambda at, value: ([(0, value / at)], lambda rest: (max(1 / at - rest[0] / value, 0), rest[0])),
        },
        {"inverse": lambda y, m, c: c / (1 / y - m) if 1 / y > m else math.nan},
    ),
}


def curves(law, count):
    """Seeded points: a truth on, next to or away from its bounds, 4 to 8 points, 1 to 12 % noise of either kind."""
    truths = LAWS[law].truths
    for number in range(count):
        rng = np.random.default_rng([len(law), number])
        truth, x = truths[number % len(truths)], LAWS[law].loads(int(rng.integers(4, 9)))
        error, noise = ("relative", "constant")[number % 3 == 2], float(rng.choice([0.01, 0.03, 0.06, 0.12]))
        curve = LAWS[law].curve(x, *truth)
        size = curve if error == "relative" else curve.mean()
        yield (
            number,
            error,
            x,
            np.round(np.maximum(curve + noise * size * rng.standard_normal(len(x)), 0.05 * curve), 3),
        )


class Profile:
    """The least sum of squares of some points with a quantity held."""

    def __init__(self, law, error, x, y):
        self.law, self.x, self.y = LAWS[law], x, y
        self.weights = 1 / y if error == "relative" else np.full(len(y), 1 / y.mean())
        self.warm = []

    def residuals(self, params):
        with np.errstate(all="ignore"):
            found = (self.law.curve(self.x, *params) - self.y) * self.weights
        return np.where(np.isfinite(found), found, 1e6)

    def least(self, bounds, whole):
        """The best of several starts within the bounds: the best of a grid that has their ends, and the last answer."""
        ends = [(low, high if math.isfinite(high) else 100.0) for low, high in bounds]
        grids = [low + (high - low) * GRID for low, high in ends]
        tried = [(np.sum(self.residuals(whole(each)) ** 2), each) for each in itertools.product(*grids)]
        starts = [np.array(each) for _, each in sorted(tried)[:STARTS]] + [np.array(warm) for warm in self.warm]
        low, high = np.array(bounds, float).T
        best = (math.inf, None)
        for start in starts:
            size = np.maximum(start, 1e-3)
            found = optimize.least_squares(
                lambda u: self.residuals(whole(u)), np.clip(start, low, high), bounds=(low, high), x_scale=size,
                method="dogbox", xtol=1e-12, ftol=1e-12, gtol=1e-12, max_nfev=200,
            )  # fmt: skip
            best = min(best, (2 * found.cost, tuple(found.x)), key=lambda each: each[0])
        return best

    def at(self, quantity, at, value):
        cost, rest = self.least(*self.law.hold[quantity](at, value))
        self.warm = [rest]
        return cost


def best(profile):
    """The best parameters of the law: the sum of squares and all of them."""
    at, middle = profile.x[len(profile.x) // 2], profile.y[len(profile.x) // 2]

    def best_at(value):
        bounds, whole = profile.law.hold["predict"](at, value)
        cost, rest = profile.least(bounds, whole)
        return cost, whole(rest)

    starts = [best_at(middle * factor)[1] for factor in (0.7, 1.0, 1.3)]
    high = [1.0 if name == "contention" else math.inf for name in profile.law.names]
    tried = [
        optimize.least_squares(
            profile.residuals, start, bounds=([0] * len(start), high), x_scale=np.maximum(start, 1e-5), method="dogbox",
            xtol=1e-14, ftol=1e-14, gtol=1e-14,
        )
        for start in starts
    ]  # fmt: skip
    found = min(tried, key=lambda each: each.cost)
    return 2 * found.cost, found.x


def end(profile, quantity, at, estimate, limit, way):
    """Walk from the estimate: the last value that the points allow, by brentq."""
    value, inner, excluded, first = estimate, estimate, 0, None
    while excluded < BEYOND:
        value *= FACTOR**way
        if not estimate / FAR < value < estimate * FAR:
            break
        if profile.at(quantity, at, value) <= limit:
            inner, excluded, first = value, 0, None
        else:
            first = first or value
            excluded += 1
    if first is None:
        return math.inf if way > 0 else 0.0
    return optimize.brentq(
        lambda v: profile.at(quantity, at, v) - limit, inner, first, rtol=1e-7, xtol=1e-12 * estimate
    )


def questions(law, x, params):
    """What is asked of each curve: forecasts within, at and beyond its points, what follows, an inverse."""
    curve = LAWS[law].curve
    for at in (x[0], (x[1] + x[2]) / 2, 1.7 * x[-1]):
        yield "predict", at, curve(at, *params)
    for name, function in LAWS[law].quantity.items():
        if name == "inverse":
            y = curve(1.2 * x[-1], *params)
            yield name, y, function(y, *params)
        else:
            yield name, math.nan, function(*params)


def limit(squares, dof):
    """How far the sum of squares may rise at 95 %."""
    return squares * (1 + stats.f.ppf(0.95, 1, dof) / dof)


def answers(law, number, error, x, y):
    """The rows of one curve."""
    profile = Profile(law, error, x, y)
    squares, params = best(profile)
    rise = limit(squares, len(x) - len(params))
    for quantity, at, estimate in questions(law, x, params):
        if not math.isfinite(estimate):
            continue
        low, high = (end(profile, quantity, at, estimate, rise, way) for way in (-1, 1))
        yield [law, number, error, quantity, f"{at:.10g}", *(f"{v:.8g}" for v in (estimate, low, high))]


def of_curve(task):
    law, row = task
    return list(answers(law, *row))


HEADER = "law,curve,error,quantity,at,estimate,low,high"


def main():
    """Write the file; it takes a quarter of an hour."""
    from concurrent.futures import ProcessPoolExecutor

    tasks = [(law, row) for law in LAWS for row in curves(law, CURVES)]
    with ProcessPoolExecutor(2) as workers:
        rows = [row for found in workers.map(of_curve, tasks) for row in found]
    ENDS.write_text("\n".join([HEADER, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
