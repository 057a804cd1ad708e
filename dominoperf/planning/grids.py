"""Many plans at once: a table of requests, a plan a row; and a request to begin with."""

from pathlib import Path

import pandas as pd

from dominoperf import catalog
from dominoperf.errors import BadTable, DominoperfError, UnknownName
from dominoperf.planning.plan import Plan
from dominoperf.planning.request import of_fields, read_request
from dominoperf.planning.rules import rules as rules_named
from dominoperf.planning.steps import classify, convert, select, size_disks, size_memory
from dominoperf.planning.systems import capacities


def template():
    """Give a request to begin with, as the text of a TOML file."""
    return (Path(__file__).parent / "template.toml").read_text(encoding="utf-8")


def grid(request, table, *, rules="corrected", catalogue=None):
    """Plan once for each row of a table, whose columns stand in for fields of the request.

    Parameters
    ----------
    request : Request, dict or path
        What the rows do not change.
    table : DataFrame or path of a CSV file
        Columns are fields of the request (``system``, ``months_ahead``) or of a group (``mail.users``,
        ``power.profile``). An empty cell changes nothing.

    Returns
    -------
    DataFrame
        The columns of the table, then servers, processors, ram_mb, drives, price_usd, rules, basis, and reason: why a
        row has no plan, which stops none of the others.

    Raises
    ------
    BadTable
        When the file cannot be read.
    UnknownName
        When a column is no field.
    """
    frame = _read(table) if isinstance(table, (str, Path)) else table.reset_index(drop=True)
    base, known, chosen = read_request(request), capacities(catalogue), rules_named(rules)
    found = pd.DataFrame([_planned(base, row, chosen, known) for row in frame.to_dict("records")])
    return pd.concat([frame, found], axis=1)


def _planned(base, row, rules, known):
    """The glance of one row's plan, or the reason why there is none."""
    try:
        asked = read_request(of_fields(base, {name: value for name, value in row.items() if not _empty(value)}))
        demand = convert(classify(asked, rules))
        found = Plan(size_disks(size_memory(select(demand, known)))).glance().iloc[0].to_dict()
        return found | {"reason": ""}
    except UnknownName as error:
        if "column" in error.where:
            raise
        return {"reason": str(error)}
    except DominoperfError as error:
        return {"reason": str(error)}


def _empty(value):
    return value is None or value == "" or value != value


def _read(path):
    try:
        frame = catalog.read_table(path)
    except (OSError, ValueError) as error:
        remedy = "Mend the file."
        raise BadTable(str(path), expected="a CSV file, a row a plan", found=str(error), remedy=remedy) from error
    return frame.apply(lambda column: [_value(text) for text in column])


def _value(text):
    """A cell as a field has it: true and false, a number, else the text."""
    if text in ("true", "false"):
        return text == "true"
    number = catalog.read_number(text)
    return text if number is None else int(number) if number == int(number) else number
