"""The cheapest set of servers as one integer program: what the search is compared with."""

import itertools

from dominoperf import planning
from dominoperf.planning.assignment import IntegerProgram, add_assignment
from dominoperf.planning.server_set_problem import server_set_problem
from dominoperf.planning.steps import people_as_benchmark_users


def cheapest_by_one_program(request, catalogue, limit_usd):
    """The price of the cheapest set, infinite where none within the limit holds the people whichever servers fail.

    Of each kind as many servers are in the program as the limit pays for, and they are bought in turn. For each choice
    of kinds that may fail, the people are placed on what is left.
    """
    demand = people_as_benchmark_users(planning.read_request(request), planning.rules_named())
    problem = server_set_problem(demand, planning.ratings(catalogue))
    price_usd = problem.price_usd.tolist()
    kinds = [kind for kind, usd in enumerate(price_usd) for _ in range(int(limit_usd // usd))]
    program = IntegerProgram()
    bought = [program.column(upper=1.0, integer=True) for _ in kinds]
    for (kind, one), (next_kind, next_one) in itertools.pairwise(zip(kinds, bought, strict=True)):
        if kind == next_kind:
            program.row([(one, 1.0), (next_one, -1.0)], low=0)
    for failing in itertools.combinations_with_replacement(sorted(set(kinds)), problem.spare):
        left = [k for k, kind in enumerate(kinds) if k - kinds.index(kind) >= failing.count(kind)]
        servers, everybody = [[(bought[k], 1.0)] for k in left], program.column(1.0, 1.0)
        of_left = [kinds[k] for k in left]
        add_assignment(program, problem, of_left, servers, everybody, 1.0, single=[True] * len(left))
    solution = program.solve([(column, price_usd[kind]) for column, kind in zip(bought, kinds, strict=True)])
    assert solution.optimal or solution.infeasible
    return solution.objective if solution.optimal else float("inf")
