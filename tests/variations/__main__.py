"""``python tests/variations [NAME...]``: the reports in copies of the checkout, each under other settings.

Without names everything but ``site``, an hour on two cores. Exit 1 where anything differs or fails.
"""

import sys
import tempfile
import time
from pathlib import Path

from settings import NAMES, TOGETHER
from varying import outcomes


def main():
    """Print a line for every variation as it ends."""
    asked = sys.argv[1:] or [name for name in NAMES if name != TOGETHER.name]
    unknown = sorted({*asked} - {*NAMES})
    if unknown:
        print(f"unknown: {', '.join(unknown)}. Known are {', '.join(NAMES)}.", file=sys.stderr)
        return 2
    wrong, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dominoperf-") as work:
        for outcome in outcomes(asked, Path(work)):
            print(outcome, flush=True)
            wrong += bool(outcome.differing)
    print(f"{wrong or 'no'} variation{'' if wrong == 1 else 's'} differing, {(time.monotonic() - began) / 60:.1f} min")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
