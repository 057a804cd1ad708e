"""Logs of load tests, beside pandas reading their cells and no more: one of many requests, and many of a run each."""

import random
import tempfile
from pathlib import Path

import pandas as pd
from timing import race

from dominoperf.loadtests import curve, readers

_ROWS = 500_000
_RUNS = 1_000
_LOADS = (1, 2, 4, 8, 16, 32, 64, 96, 128, 192)
_HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,allThreads\n"


def races():
    """Give the line of half a million requests as JMeter writes them, and that of a thousand runs to a curve."""
    with tempfile.TemporaryDirectory() as folder:
        path, rng = Path(folder) / "run.jtl", random.Random(1)
        with path.open("w") as file:
            file.write(_HEAD)
            for k in range(_ROWS):
                spent = int(rng.expovariate(1 / 40))
                file.write(
                    f"{1_700_000_000_000 + k // 5 - spent},{spent},some page,200,OK,Group 1-{k % 32},true,512,32\n"
                )
        what = f"{_ROWS:,} requests of JMeter to seconds"
        yield race(
            what, lambda: readers.read(path), "pandas.read_csv of all cells", lambda: pd.read_csv(path), repeats=3
        )

    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(2)
        for k in range(_RUNS):
            load = _LOADS[k % len(_LOADS)]
            rows = "".join(
                f"{second},{rng.gauss(100 * load, 3 * load):.2f},{rng.expovariate(50):.6f}\n" for second in range(120)
            )
            (Path(folder) / f"run{k}_c{load}.csv").write_text(f"time_s,throughput_per_s,response_s\n{rows}")
        files = sorted(Path(folder).iterdir())
        what = f"{_RUNS:,} files of a run each to a curve"
        yield race(
            what,
            lambda: curve(folder),
            "pandas.read_csv of each",
            lambda: [pd.read_csv(path) for path in files],
            repeats=1,
            target="ours at most 30,000 ms",
        )
