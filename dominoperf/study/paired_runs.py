"""Runs in pairs: what differs besides the factor asked about; gains that a text quotes; two prices of one machine."""

import math
import re
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.runs import benchmarks, printed_text, table_of
from dominoperf.runs.tidy_runs import TEXTS
from dominoperf.study.changes import speed_ratios
from dominoperf.tables import carried_errata, loading
from dominoperf.tables.rendering import number

# What describes a run, and the words for it.
DESCRIBED = {
    "system": "server", "processor_family": "processor family", "processors": "processors", "clock_mhz": "clock",
    "l2_kb": "cache", "ram_mb": "memory", "drives": "drives", "operating_system": "operating system",
    "domino_release": "release", "workload": "workload",
}  # fmt: skip
SAME = ("workload", "processor_family", "processors", "clock_mhz", "l2_kb")
_NUMBERS = tuple(name for name in DESCRIBED if name not in TEXTS)
_COLUMNS = (
    *("workload", "processor_family", "processors", "factor", "unit", "value_baseline", "value_comparison"),
    *("baseline", "comparison", "users_baseline", "users_comparison", "ratio", "gain_per_doubling_percent"),
    *("exponent", "implied_by", "other_differences", "unknown", "locator"),
)
_PRICED = "ibm_330/pricing"


def pairs(factor: str, data: pd.DataFrame | None = None, *, same: Sequence[str] = SAME) -> pd.DataFrame:
    """Return the pairs of runs that differ in one factor, with what else differs between the two or is not known.

    ``ratio = users_comparison / users_baseline``; ``exponent = ln(ratio) / ln(value_comparison / value_baseline)``;
    ``gain_per_doubling_percent = 100 (2^exponent - 1)``: what a doubling would bring if the factor alone were at work.

    Parameters
    ----------
    factor : str
        A number that describes the machine: processors, clock_mhz, l2_kb, ram_mb or drives.
    data : DataFrame, path or URL, optional
        Runs in the columns of `benchmarks`; by default those.
    same : sequence of str
        What must not differ, as far as both runs tell it.

    Returns
    -------
    DataFrame
        workload, processor_family, processors (of the baseline), factor, unit, value_baseline, value_comparison (the
        larger), baseline, comparison (ids of the runs), users_baseline, users_comparison, ratio,
        gain_per_doubling_percent, exponent, implied_by (the run in between, where two other rows by way of it give this
        one: no evidence of its own), other_differences, unknown (in words: what at least one of the two does not tell),
        locator.

    Raises
    ------
    UnknownName
        When no number of a machine has that name.

    Examples
    --------
    >>> found = pairs("clock_mhz", same=("workload", "processor_family", "processors"))
    >>> found.head(3)[["value_comparison", "ratio", "other_differences"]].round(2).values.tolist()
    [[133.0, 1.71, 'cache'], [166.0, 2.11, 'cache'], [166.0, 1.23, '']]
    """
    if factor not in _NUMBERS:
        raise UnknownName.among("factor of a machine", factor, _NUMBERS)
    frame = benchmarks() if data is None else tables.read_table(data)
    measured = frame[frame[factor].notna() & frame["users"].notna()].sort_values(factor, kind="stable")
    rows = []
    for one, other in combinations(measured.to_dict("records"), 2):
        differing = _differing_cells(one, other)
        if one[factor] == other[factor] or set(differing) & (set(same) - {factor}):
            continue
        times, ratio = other[factor] / one[factor], other["users"] / one["users"]
        exponent = math.log(ratio) / math.log(times)
        cells = {name: one[name] for name in ("workload", "processor_family", "processors")}
        cells |= {"factor": factor, "unit": tables.units()[factor], "ratio": ratio, "exponent": exponent}
        cells |= {"gain_per_doubling_percent": 100 * (2**exponent - 1)}
        for side, run in (("baseline", one), ("comparison", other)):
            cells |= {side: run["run"], f"value_{side}": run[factor], f"users_{side}": run["users"]}
        cells["other_differences"] = ", ".join(DESCRIBED[name] for name in differing if name != factor)
        unknown = [name for name in DESCRIBED if None in [_comparable_cell(name, run[name]) for run in (one, other)]]
        cells["unknown"] = ", ".join(DESCRIBED[name] for name in unknown)
        rows.append(cells | {"locator": "; ".join(dict.fromkeys((one["locator"], other["locator"])))})
    paired = {row[side] for row in rows for side in ("baseline", "comparison")}
    runs = measured[measured["run"].isin(paired)]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    steps = set(zip(frame["baseline"], frame["comparison"], strict=True))
    frame["implied_by"] = [
        next((run for run in sorted(paired) if (first, run) in steps and (run, last) in steps), "")
        for first, last in zip(frame["baseline"], frame["comparison"], strict=True)
    ]
    return carried_errata.propagate_errata(frame, carried_errata.columns_used(runs, "users", *DESCRIBED))


def _differing_cells(one, other):
    """What both runs tell, and tell otherwise."""
    cells = {name: (_comparable_cell(name, one[name]), _comparable_cell(name, other[name])) for name in DESCRIBED}
    return [name for name, (a, b) in cells.items() if a is not None and b is not None and a != b]


def _comparable_cell(column, value):
    """A cell in a form that can be compared, None where it tells nothing: releases by number, names by letters."""
    if value is None or value != value or value == "":
        return None
    if column == "domino_release":
        return printed_text.read_release(value) or None
    return re.sub(r"\W", "", printed_text.latin_letters(value)).casefold() if column in TEXTS else value


def pair_labels(frame: pd.DataFrame) -> list[str]:
    """Return each pair of `pairs` in a few words.

    >>> pair_labels(pairs("l2_kb"))[0]
    'Mail, 1 x Pentium Pro, 256 to 512 KB'
    """
    return [
        f"{row.workload}, {number(row.processors)} x {row.processor_family}, "
        f"{number(row.value_baseline)} to {number(row.value_comparison)} {row.unit.replace('KiB', 'KB')}"
        for row in frame.itertuples()
    ]


def quoted_gains(table: str) -> pd.DataFrame:
    """Return the gains between two processors that a text quotes, as ratios of speed: a row for each way to read them.

    Rows of the table that name two processors with their clocks are returned as printed. The readings are those of
    `speed_ratios`; ``exponent = ln(ratio) / ln(clock_ratio)`` for two clocks of one family of processors, else `reason`
    says why there is none.
    """
    rows, named = [], set()
    printed = tables.load(table).assign(locator=tables.locators(table))
    for k, row in enumerate(printed.to_dict("records"), start=1):
        ends = (row["from_configuration"], row["to_configuration"])
        before, after = (printed_text.read_processor(text) if isinstance(text, str) else {} for text in ends)
        if "clock_mhz" not in before or "clock_mhz" not in after:
            continue
        named.add(k)
        clocks = after["clock_mhz"] / before["clock_mhz"]
        is_alike = before.get("processor_family") == after.get("processor_family")
        reason = "another processor family" if not is_alike else "the clock is the same" if clocks == 1 else ""
        for reading, ratio in speed_ratios(row):
            gain = {"clock_ratio": clocks, "reading": reading, "ratio": ratio, "gain_percent": 100 * (ratio - 1)}
            exponent = math.nan if reason else math.log(ratio) / math.log(clocks)
            rows.append(row | gain | {"exponent": exponent, "reason": reason})
    frame = pd.DataFrame(rows)
    return carried_errata.propagate_errata(
        frame, carried_errata.attach_errata(frame, loading.errata_touching(table, rows=named))
    )


def chosen_runs(
    runs: pd.DataFrame, column: str, wanted: str, *, how: str = "is", least: int = 1, where: str | None = None
) -> pd.DataFrame:
    """Return the runs that have a name: in the notebooks, those that a parameter asks for.

    A name is in a column, and how it "is" to what is wanted may also be "begins with", "contains" or "matches", which
    takes `wanted` for a regular expression of the whole name. `UnknownName` where fewer runs than `least` are such: it
    calls the name `where`, by default as the column, and lists the names that have as many.
    """
    names = runs[column]
    if how == "is":
        expected, wanted_ones = "a known name", names == wanted
    elif how == "begins with":
        expected, wanted_ones = "the beginning of a known name", names.str.startswith(wanted)
    elif how == "contains":
        expected, wanted_ones = "part of a known name", names.str.contains(wanted, regex=False)
    else:
        expected = "a pattern of known names"
        try:
            wanted_ones = names.map(re.compile(wanted).fullmatch).notna()
        except re.error:
            wanted_ones = names != names
    chosen = runs[wanted_ones]
    if len(chosen) >= least:
        return chosen
    counts = names[names != ""].value_counts(sort=False)
    known = list(counts.index[counts >= least])
    expected += f" of at least {least} runs" if least > 1 else ""
    none = f"No {column} has as many here: ask the other parameters for more."
    listing = f"Known are {', '.join(known)}." if known else none
    raise UnknownName.among(where or column, wanted, known, listing, expected)


def priced_runs(workload: str, platform: str) -> pd.DataFrame:
    """Return the runs of a workload that have users and a price, where the operating system's name contains `platform`.

    "Mail-Only" counts as "Mail". `UnknownName` where there is none; the known are named.
    """
    runs = benchmarks().dropna(subset=["users", "price_usd"])
    runs = runs.assign(workload=runs["workload"].replace("Mail-Only", "Mail"))
    runs = chosen_runs(runs, "workload", workload, where="workload of runs with a price")
    return chosen_runs(runs, "operating_system", platform, how="contains", where="platform of runs with a price")


def two_prices() -> pd.DataFrame:
    """Return every machine of the documents that has two prices, the lowest and the highest, and why they differ.

    A price per user is printed to the cent; times the users it is the price of the machine, give or take ``rounding_usd
    = 0.005 (users + users)``: half a cent for each user of either run, 0 where a total is printed. A larger difference
    is that of parts or system software, of the seller, or has no printed reason.
    """
    priced = benchmarks().dropna(subset=["price_usd", "price_per_user_usd", "users"])
    names = priced["system"].str.replace(r"\W", "", regex=True).str.casefold()
    rows = []
    for _, machine in priced.groupby([names, "processors"], sort=False):
        several = machine.sort_values(["price_usd", "run"]).to_dict("records")
        one, other = several[0], next(run for run in several if run["price_usd"] == several[-1]["price_usd"])
        difference, rounding = other["price_usd"] - one["price_usd"], 0.005 * (one["users"] + other["users"])
        if difference == 0:
            continue
        priced_parts = ("ram_mb", "operating_system", "drives", "l2_kb")
        parts = [DESCRIBED[name] for name in _differing_cells(one, other) if name in priced_parts]
        if difference <= rounding:
            reason = "the cents of the prices per user, times the users"
        elif parts:
            reason = f"another {' and '.join(parts)}"
        else:
            reason = "more than the cents explain, and nothing printed differs"
        place = "; ".join(dict.fromkeys((one["locator"], other["locator"])))
        ends = one["price_usd"], other["price_usd"], difference, rounding
        rows.append((one["system"], one["processors"], *ends, reason, place))
    total, machine = tables.load(_PRICED).iloc[-1], tables.load("ibm_330/server_under_test")["setting"][0]
    low, high = sorted((total["quote_usd"], total["unit_price_usd"]))
    seller = "the quote of a business partner, which its prices per user take, and IBM's estimate for resellers"
    rows.append((machine, 2.0, low, high, high - low, 0.0, seller, tables.locators(_PRICED)[-1]))
    names = ["system", "processors", "price_low_usd", "price_high_usd", "difference_usd", "rounding_usd", "reason"]
    return pd.DataFrame(rows, columns=[*names, "locator"])


def peak_loads(as_="corrected"):
    """Return the runs of the article's table of peak loads, in the columns of `benchmarks`, whose `as_` it takes."""
    runs = benchmarks(as_)
    return runs[runs["run"].map(table_of) == "domino6/peak_load"]
