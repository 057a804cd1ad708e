"""The curves that are measured with: simulated ones for speed, public ones for forecasts."""

from pathlib import Path

import numpy as np
import pandas as pd

LOAD = np.array([1.0, 2, 4, 8, 12, 16, 24, 32])
TRUTH = (100.0, 0.04, 0.002)  # scale, contention, coherency
NOISE = 0.02
FOLDER = Path(__file__).parent.parent / "fitting" / "curves"
AXES = {"x": "load", "y": "throughput"}


def usl(load, scale, contention, coherency):
    """The law as a user of scipy or lmfit would write it."""
    return scale * load / (1 + contention * (load - 1) + coherency * load * (load - 1))


def simulated(curves, seed=0):
    """Give a frame of curves of eight points with relative noise, a row per point."""
    rng = np.random.default_rng(seed)
    noise = 1 + NOISE * rng.standard_normal((curves, len(LOAD)))
    number = np.repeat(np.arange(curves), len(LOAD))
    return pd.DataFrame(
        {"curve": number, "load": np.tile(LOAD, curves), "throughput": (usl(LOAD, *TRUTH) * noise).ravel()}
    )


def public():
    """Give every public curve by name: a frame of load and throughput."""
    return {path.stem: pd.read_csv(path)[["load", "throughput"]] for path in sorted(FOLDER.glob("*.csv"))}
