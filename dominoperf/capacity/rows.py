"""Which rows enter a model, which are left out, and why."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.capacity.censoring import CENSORED, censored, no_capacity
from dominoperf.capacity.demand import COST
from dominoperf.capacity.families import level
from dominoperf.capacity.selection import names, runs_of, texts
from dominoperf.errors import BadTable, CannotFit
from dominoperf.tables import doubts

_SOFTWARE = ("operating_system", "workload", "domino_release")


@dataclass(frozen=True)
class Response:
    """What a model explains: its column, the columns it is computed from, the factors by default."""

    name: str
    column: str
    needs: tuple[str, ...]
    factors: tuple[str, ...]
    is_capacity: bool


RESPONSES = {
    "users": Response("users", "users", ("users",), ("clock_mhz", "l2_kb", "processors", "ram_mb", *_SOFTWARE), True),
    "cpu_per_user": Response("cpu_per_user", COST, ("users", "cpu_utilization_percent"), _SOFTWARE, False),
}
"""What `factor_model` can explain, by name."""


def gather(
    response: Response, factors: tuple[str, ...], data: pd.DataFrame | None, where: Mapping | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a model and those left out.

    Returns
    -------
    (DataFrame, DataFrame)
        run, source (the document, "" where it is not told), the response's column and the factors, with levels in
        place of printed texts; run and reason of the others.

    Raises
    ------
    UnknownName
        When a factor or a column of `where` does not exist.
    BadTable
        When a numeric column holds text.
    CannotFit
        When a value is not above zero, or fewer than two rows are left.
    """
    place = "factor_model(data=...)"
    frame = runs_of(data, (*response.needs, *factors, *(where or {})), "factor_model")
    for name, wanted in (where or {}).items():
        frame = frame[frame[name].isin(tables.listed(wanted))]
    frame = frame.reset_index(drop=True)
    known = pd.DataFrame(
        {"run": names(frame), "source": texts(frame, "source")}
        | {name: read_cells(frame, name, place) for name in factors}
    )
    needed = {name: read_cells(frame, name, place) for name in response.needs}
    known[response.column] = needed["users"]
    if not response.is_capacity:  # without users there is no cost of one: unknown, not infinite
        known[response.column] = (needed["cpu_utilization_percent"] / needed["users"] * 1000).where(
            needed["users"] != 0
        )
    reasons = (
        _no_capacity(frame, known, data is None) if response.is_capacity else pd.Series("", known.index, dtype=object)
    )
    missing = known[[response.column, *factors]].rename(columns={response.column: response.name})
    missing = (missing.isna() | (missing == "")).to_dict("records")
    incomplete = [f"no {', '.join(name for name in row if row[name])}" if any(row.values()) else "" for row in missing]
    reasons = reasons.where(reasons != "", pd.Series(incomplete, known.index, dtype=object))
    rows = known[reasons == ""].reset_index(drop=True)
    doubts.hand_on(rows, doubts.within(frame, *response.needs, *factors))
    _check_rows(rows, response, factors, len(frame), place)
    return rows, pd.DataFrame({"run": known["run"], "reason": reasons})[reasons != ""].reset_index(drop=True)


def is_numeric(frame: pd.DataFrame, name: str) -> bool:
    """Return whether a factor is a number: by the vocabulary of columns, or else by its type."""
    number = pd.api.types.is_numeric_dtype(frame[name]) and not pd.api.types.is_bool_dtype(frame[name])
    return name in tables.units() or number


def read_cells(frame: pd.DataFrame, name: str, place: str) -> pd.Series:
    """Return the cells of a factor: numbers, or the levels of printed texts.

    Raises
    ------
    BadTable
        When a column of numbers holds text.
    """
    if not is_numeric(frame, name):
        return frame[name].map(lambda value: level(name, value))
    numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
    lost = numbers.isna() & frame[name].notna() & (frame[name].astype(str) != "")
    if lost.any():
        row, found = lost.idxmax(), repr(frame[name][lost.idxmax()])
        remedy = "Give the column as plain numbers."
        raise BadTable(f"{place}, row {row}, column {name}", expected="a number", found=found, remedy=remedy)
    return numbers


def _no_capacity(frame, known, ours):
    """Why a row's users are no capacity, its document or what limited the run; "" where they may be one."""
    reasons = known["source"].map(no_capacity()).fillna("").astype(object)
    if ours:
        limited = known["run"].map(censored(frame).set_index("run")["limited_by"].to_dict())
    else:
        limited = frame.get("limited_by", pd.Series("", index=frame.index))
    stopped = limited.isin(CENSORED) & (reasons == "")
    return reasons.where(~stopped, "censored: the load was set by " + limited.astype(str) + ", not by the server")


def _check_rows(rows, response, factors, of, place):
    """Refuse rows that are too few, or that have no logarithm."""
    if len(rows) < 2:
        expected = f"two or more rows with {response.name} and every factor"
        remedy = f"Name fewer factors, other rows, or add what is missing; {', '.join(factors)} were asked for."
        raise CannotFit(place, expected=expected, found=f"{len(rows)} of {of}", remedy=remedy)
    for name, values in rows[[response.column, *factors]].select_dtypes(np.number).items():
        if (values <= 0).any():
            at = (values <= 0).idxmax()
            remedy = "A logarithm needs it; leave the row out."
            raise CannotFit(
                f"{place}, {rows['run'][at]}", expected=f"{name} above zero", found=f"{values[at]:g}", remedy=remedy
            )
