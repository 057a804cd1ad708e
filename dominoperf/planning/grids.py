"""A plan, or the risk of a plan, for each row of a table."""

import functools
import os

import numpy as np
import pandas as pd

from dominoperf import parallel
from dominoperf.errors import CannotPlan, DominoperfError, check_level, names_its_keywords
from dominoperf.fitting.resampling import check_draws
from dominoperf.planning.catalogue import Catalogue, ratings
from dominoperf.planning.plans import check_system_is_named, five_steps
from dominoperf.planning.request import RequestLike, check_request_fields, read_request, request_with_fields
from dominoperf.planning.risk import assess
from dominoperf.planning.rules import Rules, rules_named
from dominoperf.tables import read_table
from dominoperf.tables.columns import check_columns

PLANS_AT_ONCE, RISKS_AT_ONCE = 1_000, 10  # rows of a table that one process is given
_ROWS_PLANNED_HERE = 20  # times so many rows are planned before other processes have begun


@names_its_keywords()
def grid(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Return a plan for each row of a table, whose columns replace fields of the request.

    Parameters
    ----------
    request : Request, dict or path
        What the rows do not change.
    table : DataFrame, or path or URL of a CSV or Parquet file
        Columns are fields of the request (``system``, ``months_ahead``) or of a group (``mail.users``,
        ``power.profile``). An empty cell changes nothing.
    rules, catalogue
        As for `plan`.
    jobs, scheduler
        As for `pmap`; by default a table that is done before other processes have begun is planned in this one.

    Returns
    -------
    DataFrame
        The columns of the table, then servers, processors, ram_mb, drives, price_usd, rules, basis, and reason: why a
        row has no plan, which stops none of the others, or why a value of its plan is NaN. ``attrs["notes"]`` says that
        a spread of people is not used, where a group has one.

    Raises
    ------
    BadTable
        When the table is neither, or the file cannot be read.
    CannotPlan
        When neither the request nor a column names a system.
    UnknownName
        When a column is no field.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> grid(example(), pd.DataFrame({"mail.users": [800, 3000]}))["servers"].tolist()
    [2, 4]
    """
    frame = _plan_for_each_row(request, table, rules, catalogue, jobs, scheduler, PLANS_AT_ONCE)
    note = "the spread of people is not used in a grid: for a probability plan one row alone, or call planning.risks"
    frame.attrs["notes"] = [note] * any(group.spread for group in read_request(request).groups)
    return frame


@names_its_keywords()
def risks(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    n: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    rules: str | Rules | None = None,
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Return a plan for each row of a table, as `grid` does, and its risk, simulated as `assess` does.

    The seed of row k follows from ``SeedSequence([seed, k])``, the first row being 0: the answers are the same however
    the rows are distributed over processes.

    Returns
    -------
    DataFrame
        The columns of the table, then those of `Assessment.glance`.

    Raises
    ------
    BadTable, CannotPlan, UnknownName
        As for `grid`.

    Examples
    --------
    >>> from dominoperf.planning import example, with_spread
    >>> people = pd.DataFrame({"mail.users": [700, 800]})
    >>> risks(with_spread(example(), 20), people, n=1_000)["probability_memory"].round(1).tolist()
    [0.3, 0.2]
    """
    check_draws("risks", n, seed, CannotPlan)
    check_level(level, "risks", CannotPlan)
    draws = {"n": n, "seed": seed, "level": level}
    return _plan_for_each_row(request, table, rules, catalogue, jobs, scheduler, RISKS_AT_ONCE, draws)


def _plan_for_each_row(request, table, rules, catalogue, jobs, scheduler, at_once, draws=None):
    """The table with a plan for each row, or with draws its risk, the rows handed out so many at once."""
    frame = read_table(table, mixed=True, where="table").reset_index(drop=True)
    where = "table" if isinstance(table, pd.DataFrame) else str(table)
    check_columns(frame, frame.columns, where)
    frame = pd.DataFrame({name: [_cell_as_request_field(value) for value in frame[name]] for name in frame})
    request = read_request(request)
    check_request_fields(request, frame.columns, where)
    known = ratings(catalogue)
    if "system" not in frame:
        check_system_is_named(request, known, "give the table a column `system`: each row is planned with one system")
    work = functools.partial(_plan_rows, request=request, catalogue=known, rules=rules_named(rules), draws=draws)
    chunks = ((first, frame.iloc[first : first + at_once]) for first in range(0, len(frame), at_once))
    if jobs is None and len(frame) <= _ROWS_PLANNED_HERE * at_once:
        jobs = 1
    answers = list(parallel.pmap(work, chunks, jobs, scheduler=scheduler, ordered=True))
    return pd.concat([frame, pd.concat(answers, ignore_index=True)] if answers else [frame], axis=1)


def _cell_as_request_field(value):
    """A cell as a field has it: true and false, a whole number without decimals, else as it is."""
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plan_rows(chunk, *, request, catalogue, rules, draws):
    """The answers for some rows of a table, here or on another machine; a chunk is the number of the first, and all."""
    first, frame = chunk
    answers = []
    for number, row in enumerate(frame.to_dict("records"), start=first):
        fields = {name: value for name, value in row.items() if not (value is None or value == "" or value != value)}
        try:
            bought = five_steps(read_request(request_with_fields(request, fields)), rules, catalogue)
            if draws is None:
                answers.append(bought.summary())
            else:
                seed = np.random.SeedSequence([draws["seed"], number]).generate_state(1, np.uint64)[0]
                answers.append(assess(bought, **draws | {"seed": int(seed)}).glance().iloc[0].to_dict())
        except DominoperfError as error:
            answers.append({"reason": str(error)})
    return pd.DataFrame(answers)
