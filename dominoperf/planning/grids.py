"""Many plans at once: a table of requests, a plan a row; and a request to begin with."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from dominoperf import parallel, tables
from dominoperf.errors import DominoperfError
from dominoperf.planning.plan import Plan, five_steps
from dominoperf.planning.request import Request, RequestLike, check_fields, of_fields, read_request
from dominoperf.planning.rules import Rules
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.systems import Catalogue, capacities

_FEW = 20  # chunks that are done before other processes have begun


def template() -> str:
    """Return a request to begin with, as the text of a TOML file.

    Examples
    --------
    >>> template().splitlines()[0]
    '# A request for a plan: dominoperf plan REQUEST.toml. Everything but `groups` may be left out.'
    """
    return (Path(__file__).parent / "template.toml").read_text(encoding="utf-8")


def grid(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    rules: str | Rules = "corrected",
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Plan once for each row of a table, whose columns stand in for fields of the request.

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
        row has no plan, which stops none of the others.

    Raises
    ------
    BadTable
        When the table is neither, or the file cannot be read.
    UnknownName
        When a column is no field.

    Examples
    --------
    >>> from dominoperf.planning import example
    >>> grid(example(), pd.DataFrame({"mail.users": [800, 3000]}))["servers"].tolist()
    [2, 4]
    """
    return _for_each_row(Planner, request, table, rules, catalogue, jobs, scheduler, {})


def risks(
    request: RequestLike,
    table: pd.DataFrame | str | os.PathLike,
    *,
    n: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    rules: str | Rules = "corrected",
    catalogue: Catalogue | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
) -> pd.DataFrame:
    """Plan once for each row of a table, as `grid` does, and simulate each plan, as `assess` does.

    The seed of row k follows from ``SeedSequence([seed, k])``, the first row being 0: the answers are the same however
    the rows are spread over processes.

    Returns
    -------
    DataFrame
        The columns of the table, then those of `Assessment.glance`.

    Raises
    ------
    BadTable, UnknownName
        As for `grid`.

    Examples
    --------
    >>> from dominoperf.planning import example, with_spread
    >>> people = pd.DataFrame({"mail.users": [700, 800]})
    >>> risks(with_spread(example(), 20), people, n=1_000)["probability_memory"].round(1).tolist()
    [0.3, 0.2]
    """
    settings = {"n": n, "seed": seed, "level": level}
    return _for_each_row(Assessor, request, table, rules, catalogue, jobs, scheduler, settings)


def _for_each_row(kind, request, table, rules, catalogue, jobs, scheduler, settings):
    """Hand out the rows of a table in chunks."""
    frame = tables.read_table(table, mixed=True, where="table").reset_index(drop=True)
    frame = pd.DataFrame({name: [_field(value) for value in frame[name]] for name in frame})
    request = read_request(request)
    check_fields(request, frame.columns)
    worker = kind(request, capacities(catalogue), rules_named(rules), settings)
    chunks = ((first, frame.iloc[first : first + kind.rows]) for first in range(0, len(frame), kind.rows))
    if jobs is None and len(frame) <= _FEW * kind.rows:
        jobs = 1
    answers = list(parallel.pmap(worker, chunks, jobs, scheduler=scheduler, ordered=True))
    return pd.concat([frame, pd.concat(answers, ignore_index=True)] if answers else [frame], axis=1)


@dataclass(frozen=True)
class Planner:
    """Plans the rows of a chunk, here or on another machine: a function for `pmap`."""

    base: Request
    catalogue: dict
    rules: Rules
    settings: dict
    rows = 1_000  # of a chunk

    def __call__(self, chunk):
        """Return the frame of a chunk: the number of its first row, and its rows."""
        first, frame = chunk
        rows = enumerate(frame.to_dict("records"), start=first)
        return pd.DataFrame([self._answered(number, row) for number, row in rows])

    def _answered(self, number, row):
        """The answer for one row, or the reason why there is none."""
        try:
            fields = {name: value for name, value in row.items() if not _empty(value)}
            asked = read_request(of_fields(self.base, fields))
            return self.answer(number, five_steps(asked, self.rules, self.catalogue))
        except DominoperfError as error:
            return {"reason": str(error)}

    def answer(self, _number, plan: Plan) -> dict:
        """Return the row of a plan; the number of its row is for those who draw, see `Assessor`."""
        return plan.summary() | {"reason": ""}


@dataclass(frozen=True)
class Assessor(Planner):
    """Plans the rows of a chunk and simulates each plan; the seed of a row is its own."""

    rows = 10

    def answer(self, number, plan: Plan) -> dict:
        """Return what the futures of a plan give."""
        from dominoperf.planning.confidence import assess

        seed = np.random.SeedSequence([self.settings["seed"], number]).generate_state(1, np.uint64)[0]
        return assess(plan, **self.settings | {"seed": int(seed)}).glance().iloc[0].to_dict()


def _empty(value):
    return value is None or value == "" or value != value


def _field(value):
    """A cell as a field has it: true and false, a whole number without decimals, else what stands there."""
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    return int(value) if isinstance(value, float) and value.is_integer() else value
