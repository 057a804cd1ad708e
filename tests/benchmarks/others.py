"""What we are compared with, written as its users write it; errors are relative on every side."""

import importlib.util
from pathlib import Path

import lmfit
import numpy as np
from curves import LOAD, TRUTH, usl
from scipy.optimize import curve_fit

PROFILES = Path(__file__).parent.parent / "fitting" / "profiles" / "brute_force.py"
START = (90.0, 0.05, 0.001)
BOUNDS = ((0, 0, 0), (np.inf, 1, np.inf))


def scipy_fit(y):
    """One unbounded curve_fit."""
    return curve_fit(usl, LOAD, y, p0=START, sigma=y)[0]


def scipy_bounded_fit(y):
    """One curve_fit within the bounds of the law."""
    return curve_fit(usl, LOAD, y, p0=START, sigma=y, bounds=BOUNDS)[0]


def lmfit_fit(y):
    """One bounded fit of lmfit: the minimizer and its result."""
    params = lmfit.Parameters()
    for name, value, low, high in zip(("scale", "contention", "coherency"), START, *BOUNDS, strict=True):
        params.add(name, value, min=low, max=high)
    minimizer = lmfit.Minimizer(lambda p: usl(LOAD, *p.valuesdict().values()) / y - 1, params)
    return minimizer, minimizer.leastsq()


def lmfit_intervals(y):
    """The profile intervals of lmfit, 95 %."""
    return lmfit.conf_interval(*lmfit_fit(y), sigmas=[0.95])


def scipy_profile_end(x, y, at):
    """The upper end of a forecast of the USL, by `profiles/brute_force.py`."""
    spec = importlib.util.spec_from_file_location("brute_force", PROFILES)
    brute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(brute)
    profile = brute.Profile("usl", "relative", x, y)
    squares, params = brute.best(profile)
    limit = brute.limit(squares, len(x) - 3)
    return brute.end(profile, "predict", at, brute.usl(at, *params), limit, 1)


def scipy_bootstrap(one, replicates, seed=0):
    """Refit resampled residuals of one curve in a loop, each by one of the fits above."""
    rng = np.random.default_rng(seed)
    fitted = usl(LOAD, *TRUTH)
    for _ in range(replicates):
        one(fitted * (1 + 0.02 * rng.standard_normal(len(LOAD))))


def plain_mva(demands, users):
    """Exact mean value analysis of one closed class, as the textbooks print it."""
    queues = [0.0] * len(demands)
    for population in range(1, users + 1):
        times = [demand * (1 + queue) for demand, queue in zip(demands, queues, strict=True)]
        throughput = population / sum(times)
        queues = [throughput * time for time in times]
    return throughput
