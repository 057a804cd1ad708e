"""Forecasts of left-out points of the public curves: ours, the USL alone, and Extra-P.

Each point of a curve is forecast from the others, and every choice is made on the others alone. The error of a curve is
its SMAPE, the mean of 2 |forecast - measured| / (forecast + measured).
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from curves import AXES, public

from dominoperf.fitting import compare, fit

ROOT = Path(__file__).parent.parent.parent
PYTHON = ROOT / ".venv-extrap" / "bin" / "python"
NAMES = ("USL alone", "ours", "Extra-P N/X", "Extra-P X")


def left_out(curve, model):
    """Forecast each point by ``model(rest)``, a fit to the others."""
    points = range(len(curve))
    return [model(curve.drop(index=k)).predict([curve["load"][k]])["predicted"].iloc[0] for k in points]


def usl(points):
    """The USL, its coefficients not below zero, relative errors."""
    return fit("usl", points, **AXES, error="relative", interval="none")


def ours(points):
    """The best law of the family, by its left-out error on these points."""
    return compare("overhead", points, **AXES).best


def extrap(curves):
    """Extra-P's forecasts by curve, and why there are none."""
    made = subprocess.run(["sh", str(ROOT / ".ci" / "venv-extrap")], capture_output=True, text=True, check=False)
    if made.returncode:
        return {}, (made.stderr.strip().splitlines() or ["its environment could not be made"])[-1]
    asked = json.dumps({name: curve.to_dict("list") for name, curve in curves.items()})
    script = str(Path(__file__).with_name("extrap_forecasts.py"))
    done = subprocess.run([str(PYTHON), script], input=asked, capture_output=True, text=True, check=False)
    if done.returncode:
        return {}, (done.stderr.strip().splitlines() or ["it failed without a word"])[-1]
    return json.loads(done.stdout), ""


def smape(forecast, measured):
    """In per cent; NaN where a point could not be forecast."""
    forecast, measured = np.array(forecast, dtype=float), np.asarray(measured)
    return 200 * np.mean(np.abs(forecast - measured) / (np.abs(forecast) + np.abs(measured)))


def table():
    """Give a row of errors per curve, and why Extra-P is missing, if it is."""
    curves = public()
    theirs, missing = extrap(curves)
    rows = {}
    for name, curve in curves.items():
        other = theirs.get(name, {})
        forecasts = (left_out(curve, usl), left_out(curve, ours), other.get("N/X", [np.nan]), other.get("X", [np.nan]))
        rows[name] = [smape(forecast, curve["throughput"]) for forecast in forecasts]
        print(f"  {name}", file=sys.stderr)
    return rows, missing


def report():
    """Yield the lines of the table, the means and the two statements."""
    rows, missing = table()
    yield f"{'SMAPE of left-out points, %':<28}" + "".join(f"{name:>13}" for name in NAMES)
    for name, errors in rows.items():
        yield f"{name:<28}" + "".join(f"{error:>13.2f}" for error in errors)
    means = np.mean(list(rows.values()), axis=0)
    yield f"{f'mean of {len(rows)} curves':<28}" + "".join(f"{error:>13.2f}" for error in means)
    alone, mine, theirs, _ = means
    yield f"ours below the USL alone: {'yes' if mine < alone else 'no'}"
    if missing:
        yield f"ours not above Extra-P on N/X: not measured. {missing}"
    else:
        yield f"ours not above Extra-P on N/X: {'yes' if mine <= theirs else 'no'}"
