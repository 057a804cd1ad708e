"""Rows without a time that are parts of one run: each has a kind of request, and one may be the total of them all."""

import re

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, spelling
from dominoperf.tables.rows_of_one_curve import PARTS, different_values_in_words, names_a_total

_RUNS = re.compile(r"[\W\d_]+")  # by what texts differ that number the runs of one test: run 1, run-2


def rows_of_whole_runs(frame, load, where):
    """Return the rows of a table that has no times; of those that name different requests at one load the total alone.

    A request that comes again belongs to another run. Requests without a row that has the name of a total (TOTAL,
    Aggregated) are refused.
    """
    if "request" not in frame or frame["request"].nunique() < 2:
        return frame
    loads, rows = frame[load] if load in frame else pd.Series(0, frame.index), []
    run = frame.groupby([loads, frame["request"]], dropna=False).cumcount()
    for _, part in frame.groupby([loads, run], dropna=False, sort=False):
        whole = part if len(part) == 1 else part[part["request"].map(names_a_total)]
        if len(whole) != 1:
            found, remedy = (
                different_values_in_words(part["request"]),
                "Give the row of all requests, called TOTAL, or it alone.",
            )
            raise BadTable(where, expected="one row for all requests of a run", found=found, remedy=remedy)
        rows += [*whole.index]
    return frame.loc[rows].reset_index(drop=True)


def check_one_workload(frame, load, where):
    """Refuse rows without a time of one load whose workloads have names that differ in more than a number.

    Whether they ran at the same time nobody can say.
    """
    if "workload" not in frame:
        return
    loads = frame[load] if load in frame else pd.Series(0, frame.index)
    for at, names in frame["workload"].dropna().astype(str).groupby(loads, sort=True):
        if len({_RUNS.sub("", name.casefold()) for name in names}) > 1:
            found = f"{', '.join(dict.fromkeys(names))}{f' at load {at:g}' if load in frame else ''}"
            remedy = "Make a file of each: a test by itself for every workload."
            raise BadTable(where, expected="one workload or test at a load", found=found, remedy=remedy)


def check_one_machine(frame, load, where):
    """Refuse rows without a time that name several systems, or of one load on machines that differ in a part.

    The curve of each is one by itself, and no row repeats one of another.
    """
    loads = frame[load] if load in frame else pd.Series(0, frame.index)
    for column in (name for name in PARTS if name in frame and name != load):
        values = frame[column].replace("", np.nan).dropna()
        several = values.nunique() if column == "system" else values.groupby(loads).nunique().max()
        if several > 1:
            how = spelling(
                "where={COLUMN: NAME} of `curve` and `ab`, or fitting.rows_of(FILE, [(COLUMN, NAME)]) for `fit`",
                "`--where COLUMN=NAME` of `curve`, `ab` and `fit`",
            )
            remedy = "Their curves are not one: make a file of the rows of each, or take those of one ("
            remedy += f"{how}, where COLUMN is the heading of these names)."
            where = f"{where}, column {column}{' (or machine, host)' * (column == 'system')}"
            raise BadTable(
                where, expected="runs of one machine", found=different_values_in_words(values), remedy=remedy
            )
