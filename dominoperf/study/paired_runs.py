"""Runs in pairs: what differs besides the factor asked about; gains that a text quotes; peak loads."""

import math
import re
from collections.abc import Sequence
from itertools import combinations

import pandas as pd

from dominoperf import tables
from dominoperf.errors import UnknownName
from dominoperf.runs import benchmarks, printed_text, table_of
from dominoperf.runs.printed_runs import TEXTS
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
_OTHER_FAMILY, _SAME_CLOCK = "another processor family", "the clock is the same"


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
        gain_per_doubling_percent, exponent, implied_by (the run between the two, where the ratio is the product of two
        other rows, baseline to that run and from it to the comparison: no evidence of its own), other_differences,
        unknown (in words: what at least one of the two does not tell), locator. Empty where no two runs differ in
        the factor.

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
        raise UnknownName.among("factor of a machine", factor, _NUMBERS, f"Known are {', '.join(_NUMBERS)}.")
    frame = benchmarks() if data is None else tables.read_table(data)
    measured = frame[frame[factor].notna() & frame["users"].notna()].sort_values(factor, kind="stable")
    rows = [
        _run_pair(one, other, factor)
        for one, other in combinations(measured.to_dict("records"), 2)
        if one[factor] != other[factor] and not set(_differing_cells(one, other)) & (set(same) - {factor})
    ]
    paired = {row[side] for row in rows for side in ("baseline", "comparison")}
    runs = measured[measured["run"].isin(paired)]
    frame = pd.DataFrame(rows, columns=_COLUMNS)
    steps = set(zip(frame["baseline"], frame["comparison"], strict=True))
    frame["implied_by"] = [
        next((run for run in sorted(paired) if (first, run) in steps and (run, last) in steps), "")
        for first, last in zip(frame["baseline"], frame["comparison"], strict=True)
    ]
    return carried_errata.propagate(frame, carried_errata.columns_used(runs, "users", *DESCRIBED))


def _run_pair(one, other, factor):
    """Two runs side by side: ratio, exponent, what else differs and what is not told."""
    times, ratio = other[factor] / one[factor], other["users"] / one["users"]
    exponent = math.log(ratio) / math.log(times)
    cells = {name: one[name] for name in ("workload", "processor_family", "processors")}
    cells |= {"factor": factor, "unit": tables.units()[factor]}
    for side, run in (("baseline", one), ("comparison", other)):
        cells |= {side: run["run"], f"value_{side}": run[factor], f"users_{side}": run["users"]}
    cells |= {"ratio": ratio, "exponent": exponent, "gain_per_doubling_percent": 100 * (2**exponent - 1)}
    others = [DESCRIBED[name] for name in _differing_cells(one, other) if name != factor]
    lost = [
        words
        for name, words in DESCRIBED.items()
        if None in (_comparable_level(name, one[name]), _comparable_level(name, other[name]))
    ]
    places = dict.fromkeys((one["locator"], other["locator"]))
    return cells | {"other_differences": ", ".join(others), "unknown": ", ".join(lost), "locator": "; ".join(places)}


def differing_parts(one, other):
    """Return in words what both runs tell, and tell otherwise: memory, cache, release, ..."""
    return [DESCRIBED[name] for name in _differing_cells(one, other)]


def _differing_cells(one, other):
    """What both runs tell, and tell otherwise."""
    cells = {name: (_comparable_level(name, one[name]), _comparable_level(name, other[name])) for name in DESCRIBED}
    return [name for name, (a, b) in cells.items() if a is not None and b is not None and a != b]


def _comparable_level(column, value):
    """A cell in a form that can be compared, None where it tells nothing: releases by number, names by letters."""
    if value is None or value != value or value == "":
        return None
    if column == "domino_release":
        return printed_text.read_release(value) or None
    return re.sub(r"\W", "", printed_text.latin(value)).casefold() if column in TEXTS else value


def pair_labels(frame: pd.DataFrame) -> list[str]:
    """Return each pair in a few words.

    Parameters
    ----------
    frame : DataFrame
        As `pairs` returns it.

    Examples
    --------
    >>> pair_labels(pairs("l2_kb"))[0]
    'Mail, 1 x Pentium Pro, 256 to 512 KiB'
    """
    return [
        f"{row.workload}, {number(row.processors)} x {row.processor_family}, "
        f"{number(row.value_baseline)} to {number(row.value_comparison)} {row.unit}"
        for row in frame.itertuples()
    ]


def quoted_gains(table: str) -> pd.DataFrame:
    """Return the gains between two processors that a text quotes, as ratios of speed: a row for each way to read them.

    The readings are those of `speed_ratios`; ``exponent = ln(ratio) / ln(clock_ratio)`` for two clocks of
    one family of processors.

    Parameters
    ----------
    table : str
        Id of a table with from_configuration, to_configuration, metric, value, value_upper, unit.

    Returns
    -------
    DataFrame
        The rows of the table that name two processors with their clocks, as printed, and beside them clock_ratio,
        reading, ratio, gain_percent, exponent, reason (why there is none).

    Examples
    --------
    >>> quoted_gains("compaq_netware/cpu_upgrades")[["value", "unit", "reading", "ratio"]].head(2)
       value     unit    reading  ratio
    0     20  percent       more   1.20
    1     20  percent  less time   1.25
    """
    rows, named = [], set()
    printed = tables.load(table).assign(locator=tables.locators(table))
    for k, row in enumerate(printed.to_dict("records"), start=1):
        ends = (row["from_configuration"], row["to_configuration"])
        gains = list(
            _gain_readings(row, *(printed_text.read_processor(text) if isinstance(text, str) else {} for text in ends))
        )
        rows += [row | gain for gain in gains]
        named |= {k} if gains else set()
    frame = pd.DataFrame(rows)
    return carried_errata.propagate(frame, carried_errata.attach(frame, loading.errata_touching(table, rows=named)))


def _gain_readings(row, before, after):
    """A row for each way to read a gain; none where the two texts name no clocks."""
    if "clock_mhz" not in before or "clock_mhz" not in after:
        return
    clocks = after["clock_mhz"] / before["clock_mhz"]
    alike = before.get("processor_family") == after.get("processor_family")
    reason = _OTHER_FAMILY if not alike else _SAME_CLOCK if clocks == 1 else ""
    for name, ratio in speed_ratios(row):
        exponent = math.nan if reason else math.log(ratio) / math.log(clocks)
        cells = {"clock_ratio": clocks, "reading": name, "ratio": ratio, "gain_percent": 100 * (ratio - 1)}
        yield cells | {"exponent": exponent, "reason": reason}


def peak_loads(source="domino6", as_="corrected"):
    """Return the runs of a document's table of peak loads, in the columns of `benchmarks`.

    Parameters
    ----------
    source : str
        Key of the document.
    as_ : {"corrected", "printed", "suspected"}
        As for `benchmarks`.

    Examples
    --------
    >>> peak_loads()["workload"].unique().tolist()
    ['R6Mail', 'R6iNotes', 'R6IMAP', 'R5Mail', 'R5iNotes', 'R5IMAP']
    """
    runs = benchmarks(as_)
    return runs[runs["run"].map(table_of) == f"{source}/peak_load"]
