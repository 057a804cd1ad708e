"""Logs of requests: reading one to a row per second, beside pandas reading its cells and no more."""

import random
import tempfile
from pathlib import Path

import pandas as pd
from timing import race

from dominoperf.loadtests import readers

_ROWS = 500_000
_HEAD = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes,allThreads\n"


def races():
    """Give the line of half a million requests as JMeter writes them."""
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
