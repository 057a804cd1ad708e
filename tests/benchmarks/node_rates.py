"""How often the interval of a node's rate holds the truth, by simulation, as a table.

A design is a law of throughput without noise, the loads that are tested, the runs of each and how they differ. Of each
design many load tests are drawn; `curve_of_runs` makes a curve of them, as ``dominoperf curve`` does, and `node_count`
answers, as ``dominoperf plan --curve`` does. A run's response time is that of the law times ``exp(e)``, e normal, its
throughput ``N / (R + Z)`` (Little's law), and its 95th percentile that of exponential responses, times another
``exp(e)``; its own samples explain 0.4 %.

The truth is sought by brute force along the law, from the first to the last load: the share asked for of its highest
throughput, or the highest throughput whose 95th percentile keeps the limit. An interval holds where the truth is
within its ends, these included. Each test also asks for nodes for a rate of 5 to 30 times the truth; they suffice if as
many times the truth is that rate at least, and count where `node_count` says so with a probability of 0.85 to 0.95.

``python tests/benchmarks/node_rates.py`` prints the table for 100 tests of each design as CSV, in some ten minutes on
two processors; another number of tests may follow. What it prints is ``node_rates.csv`` beside the handbook's page of
load tests, which counts its figures from it. No constant of the planner was chosen by these designs.
"""

import functools
import math
import sys
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import mva, node_count
from dominoperf.loadtests import curve_of_runs

TESTS = 100  # of a design
FIRST = 20  # of them, with columns of their own: so few are drawn again to see that the file is of today
WITHIN = 0.004
P95_OF_MEAN = math.log(20)
SURE = (0.85, 0.95)
GRID = 20_001
DOUBLED, WIDE = (1, 2, 4, 8, 16, 32, 64), (1, 4, 16, 32, 64)


def usl(contention, coherency):
    """Return the universal scalability law, 100 per second at a load of 1."""
    return lambda n: 100 * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def knee(at):
    """Return a throughput that rises in proportion to the load up to a hard knee."""
    return lambda n: 100 * np.minimum(n, at)


def peak(at, until, contention, on=False):
    """Return Amdahl's law up to a peak; it falls by 10 % until another load, and then stays or falls on."""
    law, power = usl(contention, 0), math.log(0.9) / math.log(until / at)
    return lambda n: law(np.minimum(n, at)) * (np.clip(n / at, 1, math.inf if on else until / at) ** power)


def network(*demands, think_s=0.0):
    """Return the throughput of a closed network by mean value analysis, lines between whole loads."""

    @functools.cache
    def solved():
        return mva(list(demands), list(range(1, 129)), think_s=think_s)["throughput_per_s"].to_numpy()

    return lambda n: np.interp(n, np.arange(1, 129), solved())


@dataclass(frozen=True)
class Design:
    """A design: its law and the load tests of it."""

    design: str
    group: str
    law: Callable
    loads: tuple
    runs: int | dict  # of each load; or of some loads, of the others one
    noise: tuple  # standard deviation of a run at the first load and at the last, between them a power of the load
    limit_at: float | None = None  # load whose 95th percentile is the limit; without it 0.7 of the highest throughput
    think_s: float = 0.0

    def p95_s(self, load):
        """Return the 95th percentile of the response by the law."""
        return P95_OF_MEAN * (load / self.law(load) - self.think_s)

    @property
    def objective(self):
        """Return the objective as `node_count` takes it."""
        if self.limit_at is None:
            return {"utilization": 0.7}
        return {"response_p95_s": float(self.p95_s(np.array(self.limit_at)))}

    @property
    def truth(self):
        """Return the true rate of a node."""
        loads = np.linspace(self.loads[0], self.loads[-1], GRID)
        rates = self.law(loads)
        if self.limit_at is None:
            return 0.7 * rates.max()
        return rates[self.p95_s(loads) <= self.objective["response_p95_s"] * (1 + 1e-12)].max()

    def runs_of_test(self, random):
        """Return the runs of a load test, as `measured_runs` gives them."""
        times = self.runs if isinstance(self.runs, dict) else dict.fromkeys(self.loads, self.runs)
        load = np.repeat(np.array(self.loads, dtype=float), [times.get(each, 1) for each in self.loads])
        first, last = self.noise
        spread = first * (last / first) ** (np.log(load / self.loads[0]) / np.log(self.loads[-1] / self.loads[0]))
        noise = np.hypot(spread, WITHIN) * random.standard_normal((2, len(load)))
        response = (load / self.law(load) - self.think_s) * np.exp(noise[0])
        rows = {"load": load, "throughput_per_s": load / (response + self.think_s), "response_s": response}
        rows["response_p95_s"] = P95_OF_MEAN * response * np.exp(noise[1])
        for name in ("throughput", "response", "response_p95"):
            rows[f"{name}_std_error"] = WITHIN * rows[f"{name}_per_s" if name == "throughput" else f"{name}_s"]
        rest = {"response_p95_of": "requests", "failures": 0, "steady": 1, "file": "", "reason": ""}
        return pd.DataFrame(rows | rest)

    def answers(self, tests):
        """Return a row for each test: low and high divided by the truth; how surely the nodes suffice, and whether."""
        truth, rows = self.truth, []
        for k in tests:
            random = np.random.default_rng([zlib.crc32(self.design.encode()), k])
            rate = truth * random.uniform(5, 30)
            found = node_count(curve_of_runs(self.runs_of_test(random)), rate, spare=0, **self.objective)
            low, high = found.interval
            row = {"low": low / truth, "high": high / truth, "probability": found.probability}
            rows.append(row | {"suffices": found.nodes * truth >= rate})
        return pd.DataFrame(rows, index=tests)


ALIKE, PAUSE, GROWS = "runs differ alike", "users pause", "runs differ more at high loads"
FALL, UNSEEN = "throughput falls", "throughput falls unseen"
STATION = network(0.010, think_s=0.1)
STATIONS = network(0.010, 0.006, think_s=0.1)
BATCH = network(0.010, 0.006)
DESIGNS = (
    Design("USL", ALIKE, usl(0.03, 0.0001), DOUBLED, 2, (0.02, 0.02)),
    Design("USL, p95", ALIKE, usl(0.03, 0.0001), DOUBLED, 2, (0.03, 0.03), 22),
    Design("USL, flat at its peak", ALIKE, usl(0.05, 0.0004), (2, 8, 16, 32, 48, 64), 3, (0.06, 0.06)),
    Design("Amdahl", ALIKE, usl(0.05, 0), DOUBLED, 3, (0.03, 0.03)),
    Design("Amdahl, p95", ALIKE, usl(0.05, 0), WIDE, 2, (0.02, 0.02), 24),
    Design("Amdahl, one run and four", ALIKE, usl(0.05, 0), DOUBLED, {16: 4}, (0.03, 0.03)),
    Design("linear", ALIKE, usl(0, 0), (1, 2, 4, 6, 8, 12), 2, (0.015, 0.015)),
    Design("linear, scattered", ALIKE, usl(0, 0), (1, 2, 4, 8, 12), 3, (0.06, 0.06)),
    Design("knee", ALIKE, knee(12), (1, 2, 4, 8, 16, 32), 2, (0.02, 0.02)),
    Design("knee, p95", ALIKE, knee(12), (1, 2, 4, 8, 16, 24, 32), 3, (0.03, 0.03), 20),
    Design("one station", PAUSE, STATION, (1, 2, 4, 8, 12, 16, 24, 32), 2, (0.02, 0.02), None, 0.1),
    Design("one station, p95", PAUSE, STATION, (1, 4, 8, 12, 16, 24), 3, (0.04, 0.04), 14, 0.1),
    Design("two stations", PAUSE, STATIONS, (1, 2, 4, 6, 8, 12, 16, 24, 32), 3, (0.03, 0.03), None, 0.1),
    Design("two stations, p95, one run and three", PAUSE, STATIONS, (2, 4, 8, 12, 16, 24), {8: 3, 16: 3}, (0.03, 0.03),
           14, 0.1),
    Design("one station, p95, last two loads", PAUSE, STATION, (1, 4, 8, 12, 18), 7, (0.015, 0.015), 15, 0.1),
    Design("two stations, no pauses", ALIKE, BATCH, (1, 2, 4, 8, 16), 2, (0.04, 0.04)),
    Design("USL, falling", FALL, usl(0.02, 0.001), DOUBLED, 2, (0.02, 0.02)),
    Design("USL, falling, p95", FALL, usl(0.02, 0.001), DOUBLED, 3, (0.03, 0.03), 20),
    Design("peak midway, then level", UNSEEN, peak(22, 32, 0.02), (2, 4, 8, 16, 32, 64), 2, (0.015, 0.015)),
    Design("peak midway", FALL, peak(22, 32, 0.02, on=True), (2, 4, 8, 16, 32, 64), 2, (0.015, 0.015)),
    Design("peak midway, long p95", FALL, peak(22, 32, 0.02, on=True), (2, 4, 8, 16, 32, 64), 3, (0.02, 0.02), 34),
    Design("peak midway, scattered", FALL, peak(22, 32, 0.02, on=True), (2, 4, 8, 16, 32, 64), 3, (0.06, 0.06)),
    Design("peak soon after a load", FALL, peak(18, 32, 0.02, on=True), DOUBLED, 3, (0.02, 0.02)),
    Design("peak soon before a load", FALL, peak(28, 40, 0.05, on=True), (4, 8, 16, 32, 48, 64), 2, (0.03, 0.03)),
    Design("USL, two runs", GROWS, usl(0.03, 0.0001), DOUBLED, 2, (0.015, 0.06)),
    Design("Amdahl, three runs", GROWS, usl(0.05, 0), WIDE, 3, (0.015, 0.06)),
    Design("two stations, p95, two runs", GROWS, STATIONS, (1, 2, 4, 8, 12, 16, 24, 32), 2, (0.015, 0.06), 14, 0.1),
)  # fmt: skip


def answers_of(design, tests):
    """Return `answers` of a design by its place in `DESIGNS`: what a process is sent."""
    return DESIGNS[design].answers(tests)


def row_of(design, answers):
    """Return the row of the table: how many of the intervals hold, and lie below and above; and of the nodes."""
    low, high = answers["low"], answers["high"]
    held, width = (low <= 1) & (high >= 1), high - low
    sure = answers[answers["probability"].between(*SURE)]
    runs = design.runs if isinstance(design.runs, int) else f"1 or {max(design.runs.values())}"
    return {
        "design": design.design, "group": design.group,
        "limit": "share" if design.limit_at is None else "p95", "loads": len(design.loads), "runs": runs,
        "noise_first_percent": 100 * design.noise[0], "noise_last_percent": 100 * design.noise[1],
        "tests": len(answers), "held": held.sum(), "truth_above": (high < 1).sum(), "truth_below": (low > 1).sum(),
        "width_percent": round(100 * width.median(), 1),
        "nodes": len(sure), "nodes_suffice": sure["suffices"].sum(), "held_of_first": held[:FIRST].sum(),
        "width_of_first_percent": round(100 * width[:FIRST].median(), 1),
    }  # fmt: skip


def table(tests=TESTS):
    """Return the table: a row for each design."""
    with ProcessPoolExecutor(2) as pool:
        found = pool.map(answers_of, range(len(DESIGNS)), [range(tests)] * len(DESIGNS))
        return pd.DataFrame([row_of(*each) for each in zip(DESIGNS, found, strict=True)])


if __name__ == "__main__":
    print(table(int(sys.argv[1]) if sys.argv[1:] else TESTS).to_csv(index=False), end="")
