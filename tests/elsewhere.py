"""Functions that other processes find by name; light, since each of these processes imports them."""

import os
import signal
import time


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
