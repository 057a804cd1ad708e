"""A mixed-integer program that grows by columns and rows, and its solution by HiGHS."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import highspy
import numpy as np

PROVED, ANY_FEASIBLE = 1e-6, 1.0  # relative gaps between a solution and its bound, at which a search ends
MOST_NODES = 2_000  # a limit in nodes rather than seconds gives the same answer on every machine
_WORK_PER_COLUMN = 500  # in the work at a node
Terms = Iterable[tuple[int, float]]
"""A sum: pairs of column and coefficient."""


class Solution(NamedTuple):
    """What the solver found: a value for each column or None, the objective, a bound of it, and the nodes it took."""

    x: np.ndarray | None
    objective: float
    bound: float  # infinite where there is none
    optimal: bool
    infeasible: bool
    nodes: int


class IntegerProgram:
    """A mixed-integer program that grows by columns and rows, solved by HiGHS.

    Examples
    --------
    >>> program = IntegerProgram()
    >>> a, b = program.column(integer=True), program.column(upper=1.0, integer=True)
    >>> _ = program.row([(a, 2.0), (b, 3.0)], low=7.0)
    >>> program.solve([(a, 1.0), (b, 1.25)]).x.tolist()
    [2.0, 1.0]
    """

    def __init__(self):
        self.lower, self.upper, self.integer = [], [], []
        self.low, self.high = [], []
        self._columns, self._coefficients, self._starts = [], [], [0]

    def column(self, lower: float = 0.0, upper: float = math.inf, *, integer: bool = False) -> int:
        """Add a column, return its number."""
        self.lower.append(lower)
        self.upper.append(upper)
        self.integer.append(integer)
        return len(self.lower) - 1

    def row(self, terms: Terms, low: float = -math.inf, high: float = math.inf) -> int:
        """Ask for low <= sum of the terms <= high; return the number of the row."""
        for column, coefficient in terms:
            self._columns.append(column)
            self._coefficients.append(coefficient)
        self._starts.append(len(self._columns))
        self.low.append(low)
        self.high.append(high)
        return len(self.low) - 1

    def work(self, nodes: int = 1) -> int:
        """Return the work of a solution: nodes, one at least, each by the cube of the integer columns and by all."""
        return (sum(self.integer) ** 3 + _WORK_PER_COLUMN * len(self.integer)) * max(nodes, 1)

    def solver(self, cost: Terms) -> highspy.Highs:
        """Return HiGHS with the program and a cost to minimise, not yet run."""
        objective = np.zeros(len(self.lower))
        for column, coefficient in cost:
            objective[column] += coefficient
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = len(self.lower), len(self.low)
        model.col_cost_, model.col_lower_, model.col_upper_ = objective, np.array(self.lower), np.array(self.upper)
        model.row_lower_, model.row_upper_ = np.array(self.low), np.array(self.high)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.num_col_, model.a_matrix_.num_row_ = model.num_col_, model.num_row_
        model.a_matrix_.start_ = np.array(self._starts, np.int32)
        model.a_matrix_.index_ = np.array(self._columns, np.int32)
        model.a_matrix_.value_ = np.array(self._coefficients, float)
        kinds = highspy.HighsVarType
        model.integrality_ = [kinds.kInteger if integer else kinds.kContinuous for integer in self.integer]
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.passModel(model)
        return solver

    def solve(self, cost: Terms, *, gap: float = PROVED, nodes: int = MOST_NODES) -> Solution:
        """Minimise a cost."""
        solver = self.solver(cost)
        solver.setOptionValue("mip_rel_gap", gap)
        solver.setOptionValue("mip_max_nodes", nodes)
        solver.run()
        status, info = solver.getModelStatus(), solver.getInfo()
        optimal = status == highspy.HighsModelStatus.kOptimal
        feasible = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
        return Solution(
            np.array(solver.getSolution().col_value) if feasible else None,
            info.objective_function_value,
            info.mip_dual_bound if any(self.integer) else info.objective_function_value if optimal else -math.inf,
            optimal,
            status == highspy.HighsModelStatus.kInfeasible,
            max(int(info.mip_node_count), 0),
        )
