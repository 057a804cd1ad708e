"""A printed table of memory by users: what it asks, and the straight line in whole modules behind it."""

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from dominoperf.errors import UnknownName
from dominoperf.laws.elementary import line
from dominoperf.planning.steps import memory_of_next_row
from dominoperf.tables import carried_errata, list_tables, load

_COLUMNS = {"users", "ram_least_mb"}


def published_rule(table):
    """Return a printed table of memory by users; `UnknownName` where the table with this id is none."""
    printed = load(table)
    if not _COLUMNS.issubset(printed):
        known = [id for id in list_tables()["id"] if _COLUMNS.issubset(load(id))]
        expected = "a table of the memory that numbers of users need"
        raise UnknownName.among("table", table, known, expected=expected)
    return printed


def memory_sizing_steps(users, per_user, base, module):
    """Memory that a sizing rule asks for: ``per_user users + base`` in whole modules, one at least; unit of `module`.

    A line that meets a module but for the last binary digits is not rounded up to the next.
    """
    modules = np.ceil(np.round(line(np.asarray(users, float), per_user, base) / module, 9))
    return module * np.maximum(modules, 1)


def memory_by_table(people, users, memory):
    """Return the memory that a table asks for numbers of people: that of its next row, as the planner reads it.

    Above the last row it is continued with the slope of the last two. Users and memory have a number for each row of
    the table, fewest users first.
    """
    people, users, memory = (np.asarray(values, float) for values in (people, users, memory))
    return memory_of_next_row(people, users, memory, (memory[-1] - memory[-2]) / (users[-1] - users[-2]))


def sizing_rule(users, memory, module):
    """Return the rules ``base + per_user users``, rounded up to modules, that give every printed memory exactly.

    A printed value M stands for the interval (M - module, M]; one module, the least there is, for all up to M. Linear
    programs find how far each number can go: the two low ends are no rule together, and an end where a value would fall
    on the open side can only be neared. The estimate is the rule furthest inside, one that does it. Without such a rule
    the numbers are NaN and the reason says so.
    """
    errata = carried_errata.errata_of(users, memory)
    users, memory = np.asarray(users, float), np.asarray(memory, float)
    size = max(np.max(np.abs(users)), 1.0)  # so that both unknowns are of the size of a module
    columns = np.column_stack([np.ones_like(users), users / size])
    above = memory > module
    limits = np.vstack([columns, -columns[above]]) / module, np.concatenate([memory, module - memory[above]]) / module
    inside = dict(zip(("A_ub", "b_ub"), limits, strict=True))
    # The third unknown is the margin by which all limits are kept.
    by_margin = inside | {"A_ub": np.column_stack([inside["A_ub"], np.ones(len(inside["b_ub"]))])}
    middle = linprog([0, 0, -1], **by_margin, bounds=[(None, None), (None, None), (None, 1)])
    frame = pd.DataFrame(
        {"term": ["base", "per_user"], "unit": ["MB", "MB/user"], "estimate": np.nan, "low": np.nan, "high": np.nan}
        | {"reason": ""}
    )
    carried_errata.attach_errata(frame, (erratum._replace(column="") for erratum in errata))
    if middle.status != 0 or middle.x[2] < 1e-9:
        frame["reason"] = f"no straight line, rounded up to {module:g}, gives every value"
        return frame
    ends = [[linprog(way * axis, **inside, bounds=(None, None)) for axis in np.eye(2)] for way in (1, -1)]
    low, high = (np.array([end.x[k] if end.status == 0 else end_less for k, end in enumerate(row)])
                 for row, end_less in zip(ends, (-np.inf, np.inf), strict=True))  # fmt: skip
    return frame.assign(estimate=middle.x[:2] / [1, size], low=low / [1, size], high=high / [1, size])
