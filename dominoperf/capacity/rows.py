"""Which rows enter a model, which are left out, and why."""

from dataclasses import dataclass

import pandas as pd

from dominoperf import tables
from dominoperf.capacity import families
from dominoperf.capacity.censoring import CENSORED, censored, no_capacity
from dominoperf.capacity.demand import COST
from dominoperf.capacity.selection import names, runs_of, texts
from dominoperf.errors import BadTable, CannotFit
from dominoperf.tables import doubts

_FACTORS = ("clock_mhz", "l2_kb", "processors", "ram_mb", "operating_system", "workload", "domino_release")


@dataclass(frozen=True)
class Response:
    """What a model explains: its column, the columns it is computed from, the factors by default."""

    name: str
    column: str
    needs: tuple
    factors: tuple
    is_capacity: bool


RESPONSES = {
    "users": Response("users", "users", ("users",), _FACTORS, True),
    "cpu_per_user": Response(
        "cpu_per_user", COST, ("users", "cpu_utilization_percent"), ("operating_system", *_FACTORS[-2:]), False
    ),
}
"""What `factor_model` can explain, by name."""


def gather(response, factors, data, where):
    """Give the rows of a model and those left out.

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
    frame = runs_of(data, (*response.needs, *factors, *(where or {})), "factor_model")
    place = "factor_model(data=...)"
    frame = _chosen(frame, where or {}).reset_index(drop=True)
    known = pd.DataFrame(
        {"run": names(frame), "source": texts(frame, "source")}
        | {name: read_cells(frame, name, place) for name in factors}
    )
    known[response.column] = _response(frame, response, place)
    reasons = _reasons(frame, known, response, factors, data is None)
    rows = known[reasons == ""].reset_index(drop=True)
    doubts.hand_on(rows, doubts.within(frame, *response.needs, *factors))
    _check_rows(rows, response, factors, len(frame), place)
    return rows, pd.DataFrame({"run": known["run"], "reason": reasons})[reasons != ""].reset_index(drop=True)


def is_numeric(frame, name):
    """Tell whether a factor is a number, by the vocabulary or else by its type."""
    number = pd.api.types.is_numeric_dtype(frame[name]) and not pd.api.types.is_bool_dtype(frame[name])
    return name in tables.units() or number


def _chosen(frame, where):
    for name, wanted in where.items():
        frame = frame[frame[name].isin(tables.listed(wanted))]
    return frame


def read_cells(frame, name, place):
    """Give a factor's cells: numbers of a column with a unit, else levels."""
    if not is_numeric(frame, name):
        return frame[name].map(lambda value: families.level(name, value))
    numbers = pd.to_numeric(frame[name], errors="coerce").astype(float)
    lost = numbers.isna() & frame[name].notna() & (frame[name].astype(str) != "")
    if lost.any():
        row, found = lost.idxmax(), repr(frame[name][lost.idxmax()])
        remedy = "Give the column as plain numbers."
        raise BadTable(f"{place}, row {row}, column {name}", expected="a number", found=found, remedy=remedy)
    return numbers


def _response(frame, response, place):
    numbers = {name: read_cells(frame, name, place) for name in response.needs}
    if response.is_capacity:
        return numbers["users"]
    # Without users there is no cost of one: unknown, not infinite.
    return (numbers["cpu_utilization_percent"] / numbers["users"] * 1000).where(numbers["users"] != 0)


def _reasons(frame, known, response, factors, ours):
    """Why each row is left out; "" where it is not."""
    reasons = pd.Series("", index=known.index, dtype=object)
    if response.is_capacity:
        reasons = _no_capacity(frame, known, ours)
    columns = {response.column: response.name} | {name: name for name in factors}
    for k in known.index[reasons == ""]:
        missing = [shown for name, shown in columns.items() if known[name][k] != known[name][k] or known[name][k] == ""]
        reasons[k] = f"no {', '.join(missing)}" if missing else ""
    return reasons


def _no_capacity(frame, known, ours):
    """Why a row's users are no capacity: its document, or what limited the run."""
    source = frame["source"] if "source" in frame else pd.Series("", index=frame.index)
    reasons = source.map(no_capacity()).fillna("").astype(object)
    if ours:
        verdicts = censored(frame).set_index("run")["limited_by"].to_dict()
        limited = known["run"].map(verdicts)
    else:
        limited = frame.get("limited_by", pd.Series("", index=frame.index))
    stopped = limited.isin(CENSORED) & (reasons == "")
    return reasons.where(~stopped, "censored: the load was set by " + limited.astype(str) + ", not by the server")


def _check_rows(rows, response, factors, of, place):
    """Refuse rows that are too few, or that have no logarithm."""
    if len(rows) < 2:
        remedy = f"Name fewer factors, other rows, or add what is missing; {', '.join(factors)} were asked for."
        found = f"{len(rows)} of {of}"
        raise CannotFit(
            place, expected=f"two or more rows with {response.name} and every factor", found=found, remedy=remedy
        )
    for name in (response.column, *factors):
        low = pd.api.types.is_numeric_dtype(rows[name]) and rows[name] <= 0
        if low is not False and low.any():
            bad = rows[low].iloc[0]
            remedy = "A logarithm needs it; leave the row out."
            raise CannotFit(
                f"{place}, {bad['run']}", expected=f"{name} above zero", found=f"{bad[name]:g}", remedy=remedy
            )
