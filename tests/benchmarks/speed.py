"""The races: one fit, many fits, bootstrap, queueing, memory."""

import numpy as np
import others
import pandas as pd
from curves import AXES, LOAD, simulated
from timing import peak_beyond_the_result, race

from dominoperf.fitting import bootstrap, fit, fit_many
from dominoperf.queueing import mva

MANY = 100_000
REPLICATES = 10_000
DEMANDS = [0.005, 0.02, 0.01, 0.008]


def one_fit():
    """One curve of eight points, without and with profile intervals."""
    points = simulated(1)
    y = points["throughput"].to_numpy()
    for what, ours in (
        ("fit, USL, arrays, no intervals", lambda: fit("usl", x=LOAD, y=y, interval="none").estimates),
        ("fit, USL, a frame, no intervals", lambda: fit("usl", points, **AXES, interval="none").params),
    ):
        for other, theirs, target in (
            ("scipy curve_fit, without bounds", others.scipy_fit, ">= 0.67"),
            ("scipy curve_fit, the same bounds", others.scipy_bounded_fit, ">= 0.67"),
        ):
            yield race(what, ours, other, lambda theirs=theirs: theirs(y), repeats=25, inner=1, target=target)
    yield race(
        "fit, USL, profile intervals",
        lambda: fit("usl", points, **AXES).tidy(),
        "lmfit leastsq + conf_interval",
        lambda: others.lmfit_intervals(y),
        repeats=7,
    )


def forecasts_of_an_ill_determined_fit(count=41):
    """Six points that hardly tell the three parameters; the other side finds one end, scaled up."""
    x, y = np.array([1.0, 2, 4, 8, 12, 24]), np.array([36.645, 55.859, 118.615, 252.3625, 238.13, 343.1225])
    points, at = pd.DataFrame({"load": x, "throughput": y}), np.linspace(1, 48, count)
    yield race(
        f"predict at {count} x, USL, profile intervals",
        lambda: fit("usl", points, **AXES).predict(at),
        "scipy least_squares + brentq (1 end)",
        lambda: others.scipy_profile_end(x, y, 24.0),
        scale=2 * count,
        repeats=3,
        target="ours <= 200 ms",
    )


def refits(sample=150):
    """Bootstrap refits of one curve; the other side does a sample, scaled up."""
    found = fit("usl", simulated(1), **AXES, interval="none")
    for name, one, target in (
        ("bounded curve_fit loop", others.scipy_bounded_fit, ">= 100"),
        ("curve_fit loop", others.scipy_fit, ""),
    ):
        yield race(
            f"bootstrap, {REPLICATES:,} refits",
            lambda: bootstrap(found, REPLICATES, seed=0),
            f"{name} ({sample}, scaled up)",
            lambda one=one: others.scipy_bootstrap(one, sample),
            scale=REPLICATES / sample,
            target=target,
        )


def many_curves(sample=150):
    """A hundred thousand bounded curves; the other sides do a sample, scaled up."""
    frame = simulated(MANY)
    curves = frame["throughput"].to_numpy().reshape(MANY, -1)[:sample]

    def ours():
        return fit_many(frame, "usl", by="curve", **AXES)

    for name, one, target in (
        ("bounded curve_fit loop", others.scipy_bounded_fit, ">= 1,000"),
        ("curve_fit loop", others.scipy_fit, ""),
        ("lmfit loop", others.lmfit_fit, ""),
    ):
        yield race(
            f"fit_many, {MANY:,} bounded USL curves",
            ours,
            f"{name} ({sample}, scaled up)",
            lambda one=one: [one(y) for y in curves],
            scale=MANY / sample,
            repeats=3,
            target=target,
        )


def queueing():
    """Exact mean value analysis of four stations."""
    for users, target in ((1_000, "ours <= 2 ms"), (8_000, "")):
        yield race(
            f"mva, {users:,} users, 4 stations",
            lambda users=users: mva(DEMANDS, users),
            "plain Python loop",
            lambda users=users: others.plain_mva(DEMANDS, users),
            target=target,
        )


def memory():
    """Say what fit_many needs beyond its result for one and for four times the curves: it should not grow."""
    small, large = (
        peak_beyond_the_result(lambda frame=frame: fit_many(frame, "usl", by="curve", **AXES))
        for frame in (simulated(curves) for curves in (MANY, 4 * MANY))
    )
    flat = large <= max(1.2 * small, 1.0)
    return (
        f"fit_many, peak memory beyond data and result: {small:.1f} MB at {MANY:,} curves, {large:.1f} MB at "
        f"{4 * MANY:,} (target: not growing, or below 1 MB: {'yes' if flat else 'no'})"
    )
