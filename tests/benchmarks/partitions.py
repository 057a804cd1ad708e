"""Millions of curves in partitions: how many a second on two cores, and whether memory grows with their number.

``python tests/benchmarks/partitions.py [CURVES]``. Each size runs in a process of its own; that and its workers are
asked for their peak memory at the end (Linux).
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from curves import AXES, LOAD, NOISE, TRUTH, usl

from dominoperf import parallel
from dominoperf.fitting import fit_parts

MANY = 10_000_000
EACH = 50_000  # curves of a partition
JOBS = 2


def generate(curves, folder):
    """Write partitions, one at a time, seeded each."""
    fitted = usl(LOAD, *TRUTH)
    for part, first in enumerate(range(0, curves, EACH)):
        count = min(EACH, curves - first)
        noise = np.random.default_rng([0, part]).standard_normal((count, len(LOAD)))
        frame = pd.DataFrame(
            {
                "curve": np.repeat(np.arange(first, first + count), len(LOAD)),
                "load": np.tile(LOAD, count),
                "throughput": (fitted * (1 + NOISE * noise)).ravel(),
            }
        )
        frame.to_parquet(folder / f"{part:06d}.parquet", index=False)


def measure(curves):
    """Fit so many curves from partitions into partitions; give seconds and peak memory of this and of the workers."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "source"), Path(folder, "out")
        source.mkdir()
        generate(curves, source)
        begun = time.perf_counter()
        listed = fit_parts(source, "usl", by="curve", out=out, jobs=JOBS, **AXES)
        seconds = time.perf_counter() - begun
    if listed["curves"].sum() != curves:
        raise SystemExit(f"{listed['curves'].sum():,} curves of {curves:,}")
    workers = dict(parallel.pmap(_peak, range(8 * JOBS), JOBS))
    return {"seconds": seconds, "own": _peak()[1], "workers": max(workers.values())}


def _peak(_=None):
    """Give the number of this process and its peak memory in MB; it waits, so that all workers are asked."""
    time.sleep(0.1)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return os.getpid(), int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024


def report(curves=MANY):
    """Yield a line for a quarter of the curves and for all, and whether the workers' memory is the same."""
    found = []
    for size in (curves // 4, curves):
        command = [sys.executable, __file__, "--one", str(size)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found.append(json.loads(done.stdout))
        rate = size / found[-1]["seconds"]
        yield (
            f"fit_parts, {size:,} curves, {EACH:,} a partition, {JOBS} processes: {rate:,.0f} curves a second; peak "
            f"memory of a worker {found[-1]['workers']:.0f} MB, here {found[-1]['own']:.0f} MB"
        )
    flat = all(found[1][who] <= 1.2 * found[0][who] for who in ("workers", "own"))
    yield f"memory of {curves:,} curves at most 1.2 times that of a quarter of them: {'yes' if flat else 'no'}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(int(sys.argv[2]))))
    else:
        for line in report(int(sys.argv[1]) if sys.argv[1:] else MANY):
            print(line, flush=True)
