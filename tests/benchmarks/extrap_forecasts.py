"""Extra-P's forecasts, in its own environment: curves as JSON on stdin, forecasts as JSON on stdout.

It pins an older NumPy than ours, so it is not imported but run: by ``forecasts.py`` with curves by name, to forecast
each point from the others, and by ``beyond.py`` with a list of curves, each with places beyond it to forecast.
"""

import contextlib
import io
import json
import logging
import sys
import warnings

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.experiment import Experiment
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.modelers.model_generator import ModelGenerator

FEWEST = 5  # points that Extra-P needs


def model(x, y):
    """Give the function that Extra-P finds with its defaults, chosen by its own cross-validation."""
    experiment = Experiment()
    experiment.add_parameter(Parameter("n"))
    callpath, metric = Callpath("curve"), Metric("y")
    experiment.add_callpath(callpath)
    experiment.add_metric(metric)
    for point, value in zip(x, y, strict=True):
        experiment.add_coordinate(Coordinate(point))
        experiment.add_measurement(Measurement(Coordinate(point), callpath, metric, [value]))
    generator = ModelGenerator(experiment)
    generator.model_all()
    return generator.models[callpath, metric].hypothesis.function.evaluate


def left_out(x, y):
    """Forecast each point from the others; nothing (null) where fewer than Extra-P needs are left."""
    if len(x) - 1 < FEWEST:
        return [None] * len(x)
    rests = [([*x[:k], *x[k + 1 :]], [*y[:k], *y[k + 1 :]]) for k in range(len(x))]
    return [float(model(*rest)(point)) for rest, point in zip(rests, x, strict=True)]


def forecasts(load, throughput):
    """Forecast throughput by a model of processors x time (N/X), as its documentation advises, and by one of X."""
    work = left_out(load, [n / x for n, x in zip(load, throughput, strict=True)])
    direct = left_out(load, throughput)
    through = [None if value is None else n / value for n, value in zip(load, work, strict=True)]
    return {"N/X": through, "X": direct}


def beyond(x, y, at):
    """Forecast at places beyond the points by a model of N/X, and by one of X; None where Extra-P needs more points."""
    if len(x) < FEWEST:
        return None
    work, direct = model(x, [n / rate for n, rate in zip(x, y, strict=True)]), model(x, y)
    return {"N/X": [place / float(work(place)) for place in at], "X": [float(direct(place)) for place in at]}


def main():
    """Read curves, write forecasts; Extra-P's progress bars and warnings stay in here."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    curves = json.load(sys.stdin)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if isinstance(curves, list):
            found = [beyond(**curve) for curve in curves]
        else:
            found = {name: forecasts(curve["load"], curve["throughput"]) for name, curve in curves.items()}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
