"""Mixed-integer programs: columns, rows, SciPy's HiGHS, and its stray line of output kept off the standard one."""

import contextlib
import ctypes
import os

import numpy as np
from scipy import optimize, sparse

CLOSE, FIRST = 1e-6, 1.0  # gaps at which a search ends: proved, any that fits
_EACH = 500  # of a column in the work at a node
NODES = 2_000  # nodes, not seconds: the same answer on every machine


class Program:
    """A mixed-integer program that grows by columns and rows."""

    def __init__(self):
        self.lower, self.upper, self.whole = [], [], []
        self._at, self._by, self._starts, self.low, self.high = [], [], [0], [], []

    def column(self, lower=0.0, upper=np.inf, *, whole=False):
        """Add a column, give its number."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.lower) - 1

    def row(self, terms, low=-np.inf, high=np.inf):
        """Ask for low <= sum of coefficient × column <= high, of pairs of column and coefficient; give its number."""
        for column, by in terms:
            self._at.append(column)
            self._by.append(by)
        self._starts.append(len(self._at))
        self.low.append(low)
        self.high.append(high)
        return len(self.low) - 1

    def work(self, found):
        """Give the work of a solution: nodes, each by the cube of the whole-number columns, and by all columns."""
        return (sum(self.whole) ** 3 + _EACH * len(self.whole)) * max(int(found.mip_node_count or 0), 1)

    def matrix(self):
        """Give all rows as a sparse array."""
        parts = (np.array(self._by, float), np.array(self._at, np.int32), np.array(self._starts, np.int32))
        return sparse.csr_array(parts, shape=(len(self.low), len(self.lower)))

    def solve(self, cost, *, gap=CLOSE, nodes=NODES):
        """Minimise a cost, of pairs of column and coefficient; give what SciPy gives."""
        objective = np.zeros(len(self.lower))
        for column, by in cost:
            objective[column] += by
        with quiet():
            return optimize.milp(
                objective,
                integrality=np.array(self.whole, int),
                bounds=optimize.Bounds(self.lower, self.upper),
                constraints=optimize.LinearConstraint(self.matrix(), self.low, self.high),
                options={"mip_rel_gap": gap, "node_limit": nodes},
            )


@contextlib.contextmanager
def quiet():
    """Drop what the solver prints of its own: a line of debugging that no option silences, and that says nothing.

    It would stand in the CSV or JSON of the command line (HiGHS.jl issue 312; seen with the HiGHS of scipy 1.17).
    """
    try:
        kept, c = os.dup(1), ctypes.CDLL(None)
        nothing = os.open(os.devnull, os.O_WRONLY)
    except (OSError, TypeError):  # no standard output, or a C library that cannot be asked to flush
        yield
        return
    try:
        c.fflush(None)
        os.dup2(nothing, 1)
        yield
    finally:
        c.fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)
