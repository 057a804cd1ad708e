"""Functions that other processes find by name, light, since each of these imports them; and curves to fit there."""

import os
import signal
import time

AXES = {"x": "load", "y": "rate"}
LOAD = (1.0, 2.0, 4.0, 8.0)


def drawn(item):
    """Something of a chunk that only its seed decides; slow enough to be interrupted."""
    import numpy as np

    seed, chunk = item
    time.sleep(0.05)
    return np.random.default_rng([seed, chunk]).standard_normal(100).cumsum().tolist()


def fatal_once(item):
    """A process that dies of one item, the first time."""
    number, mark = item
    if number == 5 and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def fatal(number):
    """A process that dies of one item, always."""
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused(number):
    """An error of ours."""
    from dominoperf.errors import CannotFit

    raise CannotFit("here", expected="a", found=str(number), remedy="C.")


def own_number(_):
    """The number of the process; slow enough that it is still at work when it is looked for."""
    time.sleep(0.5)
    return os.getpid()


def curves(count, first=0):
    """Seeded curves of the USL, a row a point, keys rising."""
    import numpy as np
    import pandas as pd

    load, noise = np.array(LOAD), np.random.default_rng([7, first]).standard_normal((count, len(LOAD)))
    rate = 100 * load / (1 + 0.04 * (load - 1) + 0.002 * load * (load - 1)) * (1 + 0.02 * noise)
    keys = np.repeat(np.arange(first, first + count), len(load))
    return pd.DataFrame({"curve": keys, "load": np.tile(load, count), "rate": rate.ravel(), "unused": "x"})
