"""How often `ab` finds a slow-down, by simulation: the table of the handbook's page on load tests.

Two builds are run at 1, 2, 4 ... 64 clients; runs of a load differ by a standard deviation of 2 %, and a run's own
samples explain 0.4 %. The true change is the same at all loads. Run it by hand, it takes some minutes:
``python tests/benchmarks/ab_power.py``.
"""

import numpy as np
import pandas as pd

from dominoperf import ab

LOADS = 2.0 ** np.arange(7)
CURVE = 100 * LOADS / (1 + 0.03 * (LOADS - 1) + 0.0002 * LOADS * (LOADS - 1))
RUNS, CHANGES = (2, 3, 5, 10), (0, 3, 5, 10)
PAIRS = 200
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
    """Return the shares of pairs that `ab` calls slower, faster, and failed at a threshold of 5 %."""
    random = np.random.default_rng([runs, slower])
    answers = [ab(build(runs, 0, random), build(runs, slower, random)) for _ in range(pairs)]
    random = np.random.default_rng([runs, slower])
    failed = [ab(build(runs, 0, random), build(runs, slower, random), fail_below=0.05).failed for _ in range(pairs)]
    verdicts = pd.Series([answer.verdict for answer in answers])
    return float((verdicts == "slower").mean()), float((verdicts == "faster").mean()), float(np.mean(failed))


def row(runs, pairs=PAIRS):
    """Return a row of the table in Markdown."""
    found = [shares(runs, slower, pairs) for slower in CHANGES]
    told = [f"{found[0][0] + found[0][1]:.1%}", *(f"{slower:.0%}" for slower, _, _ in found[1:])]
    return f"| {runs} | {' | '.join(told)} | {found[2][2]:.0%} | {found[3][2]:.0%} |"


if __name__ == "__main__":
    for runs in RUNS:
        print(row(runs), flush=True)
