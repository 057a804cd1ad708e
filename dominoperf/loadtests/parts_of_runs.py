"""Rows without a time that are parts of one run: each has a kind of request, and one may be the total of them all."""

import re

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, spelling
from dominoperf.tables.headings import MEAN_RESPONSES
from dominoperf.tables.reading import as_numbers
from dominoperf.tables.rows_of_one_curve import PARTS, names_a_total, values_in_words

_ADDED_UP = ("requests", "failures", "test_failures", "test_errors", "transactions", "requests_per_s", "failures_per_s")
_RUNS = re.compile(r"[\W\d_]+")  # by what texts differ that number the runs of one test: run 1, run-2


def rows_of_whole_runs(frame, rate, load):
    """Return the rows of a table that has no times with those that are parts of one run taken as one.

    Rows that name different requests (``request``) at one load are parts of one run: of those the total counts, where a
    row has the name of one (TOTAL, Aggregated); else throughputs are added up, and the mean response is that over the
    requests. A request that comes again belongs to another run.
    """
    loads = frame[load] if load in frame else pd.Series(0, frame.index)
    if "request" not in frame or frame["request"].nunique() < 2:
        return frame
    run = frame.groupby([loads, frame["request"]], dropna=False).cumcount()
    rows = []
    for _, part in frame.groupby([loads, run], dropna=False, sort=False):
        totals = part[part["request"].map(names_a_total)]
        if len(part) == 1 or len(totals) == 1:
            rows.append((totals if len(totals) else part).iloc[0])
            continue
        row, weight = part.iloc[0].copy(), as_numbers(part["requests"] if "requests" in part else part[rate])
        row["request"] = ", ".join(map(str, part["request"]))
        for name in (name for name in part if name in (rate, *_ADDED_UP)):
            row[name] = as_numbers(part[name]).sum(min_count=1)
        for name in (name for name in part if name.startswith("response_")):  # of percentiles there is no mean
            mean = (weight * as_numbers(part[name])).sum(skipna=False) / weight.sum()
            row[name] = mean if name in MEAN_RESPONSES else np.nan
        if "failed_share" in part:
            tried = as_numbers(part[rate]) / (1 - as_numbers(part["failed_share"])).clip(lower=1e-9)
            row["failed_share"] = (tried * as_numbers(part["failed_share"])).sum(skipna=False) / tried.sum()
        rows.append(row)
    whole = pd.DataFrame(rows).reset_index(drop=True).astype(frame.dtypes.to_dict(), errors="ignore")
    whole.attrs = dict(frame.attrs)
    return whole


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
            together = spelling("mapping={COLUMN: 'request'}", "--map 'COLUMN=request'")
            remedy = "Make a file of each: a test by itself for every workload."
            if frame.attrs.get("reader") in ("csv", "parquet"):
                remedy = (
                    "Make a file of each, if they ran one after the other; if they ran at the same time, "
                    f"{together} adds them up, where COLUMN is the heading of these names."
                )
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
            raise BadTable(where, expected="runs of one machine", found=values_in_words(values), remedy=remedy)
