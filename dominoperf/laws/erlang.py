"""Erlang's formula C, until queueing is merged: then `dominoperf.queueing.erlang_c` takes its place."""

import numpy as np


def erlang_c(servers, offered_load):  # until queueing is merged
    """Probability to wait in M/M/c at an offered load A below c, by the recursion of Erlang's B; whole servers.

    ``B = A B / (k + A B)`` for k = 1 to c, then ``C = c B / (c - A (1 - B))``. Complex loads keep their derivative.
    """
    blocked = 1.0 + 0 * (servers + offered_load)
    for k in range(1, int(np.max(servers)) + 1):
        blocked = np.where(k <= servers, offered_load * blocked / (k + offered_load * blocked), blocked)
    return servers * blocked / (servers - offered_load * (1 - blocked))
