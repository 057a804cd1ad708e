"""``python tests/benchmarks [CURVES]``: everything in one run, some minutes.

CURVES is the number of curves in partitions, ten million unless told.
"""

import platform
import sys
from importlib.metadata import version

import forecasts
import logs
import partitions
import plans
import regenerating
import speed
from timing import HEAD


def main():
    """Print both tables, line by line as they come."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pandas", "lmfit"))
    print(
        f"Python {platform.python_version()}, {versions}. Medians of alternating runs; relative errors on every side."
    )
    print(HEAD)
    told = speed.forecasts_of_an_ill_determined_fit
    for races in (
        speed.one_fit,
        told,
        speed.refits,
        speed.many_curves,
        speed.queueing,
        plans.races,
        regenerating.races,
        logs.races,
    ):
        for row in races():
            print(row, flush=True)
    print(speed.memory(), flush=True)
    for line in partitions.report(int(sys.argv[1]) if sys.argv[1:] else partitions.MANY):
        print(line, flush=True)
    print()
    for line in forecasts.report():
        print(line, flush=True)


if __name__ == "__main__":
    main()
