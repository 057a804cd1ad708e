"""How often `ab` finds a slow-down, by simulation: the table of the handbook's page on load tests.

Two builds are run at 1, 2, 4 ... 64 clients; runs of a load differ by a standard deviation of 2 %, and a run's own
samples explain 0.4 %. The true change is the same at all loads. Run it by hand, it takes some minutes:
``python tests/benchmarks/ab_power.py``.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from dominoperf import ab
from dominoperf.loadtests.build_comparison import UNKNOWN

LOADS = 2.0 ** np.arange(7)
CURVE = 100 * LOADS / (1 + 0.03 * (LOADS - 1) + 0.0002 * LOADS * (LOADS - 1))
RUNS, CHANGES = (2, 3, 5, 10), (0, 3, 5, 10)
PAIRS, EQUAL = 200, 400
BETWEEN, WITHIN = 0.02, 0.004


def build(runs, slower, random):
    """Return the runs of a build that is slower by this percentage, as `measured_runs` gives them."""
    load = np.repeat(LOADS, runs)
    noise = random.normal(0, np.hypot(BETWEEN, WITHIN), len(load))
    rate = np.repeat(CURVE, runs) * (1 - slower / 100) * np.exp(noise)
    errors = {"throughput_std_error": WITHIN * rate, "response_std_error": WITHIN * load / rate}
    return pd.DataFrame(
        {"load": load, "throughput_per_s": rate, "response_s": load / rate, "steady": 1, "reason": ""} | errors
    )


def shares(runs, slower, pairs=PAIRS):
    """Return the shares of pairs that `ab` tells apart, and that it fails at a threshold of 5 %."""
    random = np.random.default_rng([runs, slower])
    found = [ab(build(runs, 0, random), build(runs, slower, random)) for _ in range(pairs)]
    apart = [each.verdict != UNKNOWN for each in found]
    return float(np.mean(apart)), float(np.mean([replace(each, fail_below=0.05).failed for each in found]))


def row(runs):
    """Return a row of the table in Markdown: told apart at each true change, and failed."""
    found = [shares(runs, slower, EQUAL if slower == 0 else PAIRS) for slower in CHANGES]
    cells = [f"{apart:.1%}" if k == 0 else f"{apart:.0%}" for k, (apart, _) in enumerate(found)]
    return f"| {runs} | {' | '.join([*cells, *(f'{failed:.0%}' for _, failed in found)])} |".replace("%", " %")


if __name__ == "__main__":
    for runs in RUNS:
        print(row(runs), flush=True)
