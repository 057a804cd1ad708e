"""Extra-P's forecasts beyond the points of the public scaling curves, in its own environment; writes them as a table.

Run ``sh .ci/venv-extrap``, then ``python tests/benchmarks/beyond.py``, which calls this with the curves on stdin.
"""

import contextlib
import io
import json
import logging
import sys
import warnings

from extrap_forecasts import FEWEST, model


def main():
    """Read curves without their last points, write forecasts of these by a model of N/X, and by one of X."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    found = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for cut in json.load(sys.stdin):
            if len(cut["x"]) < FEWEST:
                found.append(None)
                continue
            work = model(cut["x"], [x / y for x, y in zip(cut["x"], cut["y"], strict=True)])
            direct = model(cut["x"], cut["y"])
            found.append({
                "N/X": [at / float(work(at)) for at in cut["at"]],
                "X": [float(direct(at)) for at in cut["at"]],
            })  # fmt: skip
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
