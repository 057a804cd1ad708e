"""Loads that failed: which share of the requests failed, and what is said of it.

A load that failed is no point of a curve: one of which a run had more failed requests than a share of all
(`failed_share` in data/capacity.toml). What fails is done in another time than what succeeds, so what still succeeded
there is not what the server can deliver to so many users. `curve`, `capacity` and `node_count` go by this rule; a fit
or a forecast of a table has such loads all the same, and says so.
"""

import numpy as np
import pandas as pd

from dominoperf.errors import BadTable, counted
from dominoperf.tables.columns import units
from dominoperf.tables.folders import our_toml_file
from dominoperf.tables.headings import THROUGHPUTS, columns_of_headings, in_our_columns
from dominoperf.tables.reading import as_numbers

FAILURES = ("failures", "test_failures", "test_errors")  # counts of a row; a rate is failures_per_s


def loads_that_failed(runs, failed_share):
    """Return which rows are of a load of which a run failed: more than this share of its requests did."""
    return runs["load"].isin(runs["load"][runs["failed_share"] > failed_share])


def failed_load_in_words(load, share, limit):
    """Return in words why a load that failed is no point, by the share of a run of it.

    Examples
    --------
    >>> failed_load_in_words(32.0, 0.943, 0.01), failed_load_in_words(32.0, 0.0, 0.01)
    ('94.3 % of the requests at load 32 failed, more than 1 %', 'another run of load 32 failed')
    """
    if not share > limit:
        return f"another run of load {load:g} failed"
    return f"{100 * share:.4g} % of the requests at load {load:g} failed, more than {100 * limit:.4g} %"


def failed_loads_that_count_in_words(runs, which, limit):
    """Return a note, or "", on the loads of one build at which more requests failed than a load may have.

    Examples
    --------
    >>> runs = pd.DataFrame({"load": [8, 16, 32], "failed_share": [0.001, 0.05, 0.4]})
    >>> failed_loads_that_count_in_words(runs, "after", 0.01)
    'after: 40 % of the requests at load 32 failed, more than 1 % at 2 loads: rates and responses are of those \
that succeeded'
    """
    failed = runs[loads_that_failed(runs, limit)]
    if failed.empty:
        return ""
    worst, loads = failed.loc[failed["failed_share"].idxmax()], counted(failed["load"].nunique(), "load")
    share, most = f"{100 * worst['failed_share']:.4g} %", f"more than {100 * limit:.4g} % at {loads}"
    at = f"at load {worst['load']:g}"
    return f"{which}: {share} of the requests {at} failed, {most}: rates and responses are of those that succeeded"


def failures_of_unknown_share_in_words(runs):
    """Return in words at which loads requests failed, but not of how many; "" where there are none."""
    failed = (as_numbers(runs["failures"]) > 0) & runs["failed_share"].isna()
    if not failed.any():
        return ""
    loads = ", ".join(f"{load:g}" for load in sorted({*runs["load"][failed]}))
    return (
        f"requests failed at load {loads}, but it is not told of how many, so what succeeded is taken for the "
        "throughput there; a column requests, test_time_s or failed_share would tell"
    )


def shares_of_failed_requests(frame, throughput_per_s):
    """Return which share of the requests failed, for each row of a table of whole runs; NaN where it does not tell."""

    def numbers(*names):
        name = next((name for name in names if name in frame), None)
        return as_numbers(frame[name]).astype(float) if name else pd.Series(np.nan, frame.index)

    failures, rate = numbers(*FAILURES), numbers("failures_per_s")
    done = numbers("transactions").fillna(throughput_per_s * numbers("test_time_s"))
    requests = numbers("requests").fillna(done + failures)  # those that failed among them
    shares = numbers("failed_share").fillna(failures / requests.clip(lower=failures))
    return shares.fillna(rate / (rate + throughput_per_s)).mask(failures == 0, 0.0)


def failed_points_in_words(frame, x, y):
    """Return in words which points of a table of load tests are of loads that failed; "" where it tells of none.

    Examples
    --------
    >>> frame = pd.DataFrame({"users": [8, 16], "tps": [90, 50], "failures": [0, 3000], "test_time_s": [60, 60]})
    >>> failed_points_in_words(frame, "users", "tps")
    '50 % of the requests at load 16 failed, more than 1 %: `curve` leaves such a load out, here it is a point'
    """
    try:
        columns, _ = columns_of_headings(frame)
    except BadTable:  # two columns that mean the same
        return ""
    y_name = next((column.name for column in columns if column.source == y), "")
    told = {"failures_per_s", "failed_share", *FAILURES} & {column.name for column in columns}
    if y_name not in THROUGHPUTS or not told:
        return ""
    loads, frame = as_numbers(frame[x]), in_our_columns(frame, columns)
    rates = as_numbers(frame[y_name]).astype(float) / (60 if units()[y_name] == "tpm" else 1)
    limit = our_toml_file("capacity.toml")["load_test"]["failed_share"]
    shares = shares_of_failed_requests(frame, rates).groupby(loads).max()
    failed = [failed_load_in_words(load, share, limit) for load, share in shares[shares > limit].items()]
    which = "such a load out, here it is a point" if len(failed) == 1 else "such loads out, here they are points"
    return f"{'; '.join(failed)}: `curve` leaves {which}" if failed else ""
