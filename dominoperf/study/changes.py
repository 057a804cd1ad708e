"""Ratios of printed numbers: a table's rows over one of them, and the percentages of prose in their possible readings.

Nothing is fitted here. An interval is what the rounding of the printed digits leaves open, or the two ways in which a
sentence can be read; it is no confidence interval.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dominoperf import runs, tables
from dominoperf.errors import check_number
from dominoperf.laws.disk import RAID_WRITES, raid_usable, write_penalty
from dominoperf.runs.printed_text import read_count, step_of_digits
from dominoperf.tables import carried_errata, loading

_LONGER = ("longer", "increase")
_MEMORY, _STATED = "compaq_domino45/memory_response", "compaq_domino45/disk_ratios"


def speed_ratios(row: Mapping) -> list[tuple[str, float]]:
    """Return the ratios of speed that a stated change may mean, each after the name of its reading.

    A gain of p percent is ``1 + p/100`` ("more"). Of a response time it may also be meant that the time is p percent
    less, ``1 / (1 - p/100)`` ("less time"); of a load that is p percent lower it is ("less load"). A time that is p
    percent longer is ``1 / (1 + p/100)`` ("longer"). A range is read at both its ends. 100 % less of a time or a load
    is no speed, and gives none. A row has metric, value, value_upper, unit; some have direction and comparison.

    >>> change = {"metric": "response time", "value": 60, "value_upper": float("nan"), "unit": "percent"}
    >>> speed_ratios(change)
    [('more', 1.6), ('less time', 2.5)]
    """
    values = [value for value in (row["value"], row["value_upper"]) if value == value]
    if row["unit"] != "percent":
        return [("factor", value) for value in values]
    direction, drives = row.get("direction"), read_count(row.get("comparison", ""))
    ratios = []
    for share in (value / 100 for value in values):
        less = [1 / (1 - share)] if share < 1 else []
        if direction in _LONGER and drives is None:  # of more drives the page calls a shorter response an increase
            ratios.append(("longer", 1 / (1 + share)))
        elif direction == "lower":
            ratios += [("less load", ratio) for ratio in less]
        else:
            ratios.append(("more", 1 + share))
            ratios += [("less time", ratio) for ratio in less if row["metric"] == "response time"]
    return ratios


def response_by_memory() -> pd.DataFrame:
    """Return response times as ratios to the one with the least memory, from printed percentages of change.

    The ratio is ``1 - p/100`` for a decrease and ``1 + p/100`` for an increase; at the base it is 1 by definition. low
    and high are what the rounding of the percentage allows.
    """
    rows, printed = tables.load(_MEMORY).assign(locator=tables.locators(_MEMORY)), tables.load(_MEMORY, text=True)
    sign = np.where(rows["direction"] == "increase", 1, -1)
    half = printed["response_change_percent"].map(step_of_digits).to_numpy(float) / 200
    ratio = 1 + sign * rows["response_change_percent"].astype(float) / 100
    changed = rows[["workload", "users"]].assign(ram_mb=rows["ram_base_mb"] + rows["ram_added_mb"])
    changed = changed.assign(ratio=ratio, low=ratio - half, high=ratio + half, locator=rows["locator"])
    first = rows.drop_duplicates("workload")
    base = first[["workload", "users"]].assign(ram_mb=first["ram_base_mb"], ratio=1.0, low=1.0, high=1.0)
    whole = pd.concat([base.assign(locator=first["locator"]), changed]).astype({"ram_mb": float})
    on_page = whole["workload"].map({name: k for k, name in enumerate(first["workload"])})
    return whole.assign(on_page=on_page).sort_values(["on_page", "ram_mb"], ignore_index=True).drop(columns="on_page")


def local_exponents(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return how fast the response falls from each memory to the next, no law assumed.

    ``k = -ln(R2/R1) / ln(M2/M1)`` for responses R at memories M, of the ratios of `response_by_memory`: one exponent
    from two points, without an error; low and high are those of the rounded percentages. Below zero the response grew
    with the memory.
    """
    after = ratios.groupby("workload", sort=False)[["ram_mb", "ratio", "low", "high"]].shift(-1)
    there = after["ram_mb"].notna()
    before, after = ratios[there], after[there]
    doublings = np.log(after["ram_mb"] / before["ram_mb"])
    exponents = before[["workload"]].assign(
        ram_base_mb=before["ram_mb"], ram_mb=after["ram_mb"], term="exponent", unit="1"
    )
    exponents = exponents.assign(
        estimate=np.log(before["ratio"] / after["ratio"]) / doublings,
        low=np.log(before["low"] / after["high"]) / doublings,
        high=np.log(before["high"] / after["low"]) / doublings,
    )
    return exponents.reset_index(drop=True)


def table_ratios(*ids: str) -> pd.DataFrame:
    """Return the response times of each table, in seconds or minutes, as ratios to that of its first row.

    low and high are what the rounding of both allows.
    """
    frames = []
    for id in ids:
        numbers, printed = tables.load(id), tables.load(id, text=True)
        key, name = printed.columns[0], "response_s" if "response_s" in numbers else "response_min"
        values, half = numbers[name].astype(float), printed[name].map(step_of_digits).astype(float) / 2
        parts = {"table": id, "comparison": printed[key], "baseline": printed[key][0], "metric": name}
        low, high = (values - half) / (values[0] + half[0]), (values + half) / (values[0] - half[0])
        ends = {"ratio": values / values[0], "low": low, "high": high, "locator": tables.locators(id)}
        used = carried_errata.columns_used(numbers, key, name)
        frames.append(carried_errata.propagate_errata(pd.DataFrame(parts | ends).iloc[1:], used))
    return carried_errata.propagate_errata(pd.concat(frames, ignore_index=True), *frames)


def _sentences_as_printed(wanted):
    """The sentences on drives for which ``wanted(frame)`` is true, as printed, each with its full place."""
    places = np.array(tables.locators(_STATED))[wanted(tables.load(_STATED, "printed"))]
    return loading.load_where(_STATED, wanted, "printed").assign(locator=places)


def stated_ratios() -> pd.DataFrame:
    """Return the percentages that sentences on drives print, as ratios of the comparison to its baseline.

    "60 % better" in a response time can be ``1 - 0.6`` of the time or ``1 / (1 + 0.6)`` of it, and the document does
    not say which: `low` and `high` span the readings (`speed_ratios`), and `ratio` is the one of the rate, which exists
    for any percentage.
    """
    rows = _sentences_as_printed(lambda rows: rows["direction"] != "share")  # a share of capacity compares nothing
    read = [[1 / speed for _, speed in speed_ratios(row)] for row in rows.to_dict("records")]
    names = ["comparison", "baseline", "metric", "qualifier", "value", "unit"]
    ends = {
        "ratio": [ratios[0] for ratios in read],
        "low": [min(ratios) for ratios in read],
        "high": [max(ratios) for ratios in read],
    }
    return rows[names].assign(**ends, locator=rows["locator"])


# Rows of that table, counted from 1: the drives that sentences compare, from and to (0: the most that were tested), ...
_DRIVES_COMPARED = {3: (1, 0), 4: (4, 7), 5: (7, 14)}
# ... and the RAID level and the drives of each share of capacity; a pair for RAID 1, whose share is that of any number.
_CAPACITY_SHARES = {9: (1, 2), 10: (4, 3), 11: (4, 14), 12: (5, 3), 13: (5, 14), 16: (1, 2)}


def drive_percentages():
    """Return what the sentences state of more drives, as printed, beside the changes of the table that they are about.

    "Several drives" is read as the most that were tested, since the sentence says "up to". The ratio is that of times.
    One change of a time is two percentages: a shorter time, ``1 - ratio``, or a higher rate, ``1/ratio - 1``.
    """
    drives = runs.find("spindles")
    points = drives.points()
    time = points.set_index(drives.x)[drives.y]
    stated = _sentences_as_printed(lambda rows: (rows.index + 1).isin(_DRIVES_COMPARED))
    steps = [(fewer, more or time.index.max()) for fewer, more in _DRIVES_COMPARED.values()]
    ratio = np.array([time[more] / time[fewer] for fewer, more in steps])
    changes = {"ratio": ratio, "shorter_percent": 100 * (1 - ratio), "faster_percent": 100 / ratio - 100}
    both = stated[["comparison", "baseline", "qualifier", "value", "unit"]].assign(**changes, locator=stated["locator"])
    return carried_errata.propagate_errata(both, stated, points)


def drive_ratios():
    """Return the ratios of response times that sentences state, in the order of the pages, and those of the table.

    `item` says what is divided by what, in two lines; `origin` is "sentence" or "table".
    """
    stated, table = stated_ratios(), drive_percentages()
    stated = stated[~stated["metric"].isin(["CPU utilization", "disk queue length"])]
    both = pd.concat([stated.assign(origin="sentence"), table.assign(origin="table")], ignore_index=True)
    both["item"] = both["comparison"] + "\ninstead of " + both["baseline"]
    return carried_errata.propagate_errata(both[["item", "origin", "ratio", "low", "high"]], stated, table)


def capacity_shares():
    """Return the printed shares of capacity beside those that the drives give: (n - 1)/n usable for RAID 4 and 5.

    The planner of the same document takes n/(n + 1) instead (page 4-24), but for RAID 1. The share of RAID 1 is that of
    any number of drives; a pair is shown.
    """
    rows = _sentences_as_printed(lambda rows: (rows.index + 1).isin(_CAPACITY_SHARES))
    shares = []
    for raid_level, drives in _CAPACITY_SHARES.values():
        by_planner = float("nan") if raid_level == 1 else 100 * drives / (drives + 1)
        shares.append((drives, 100 * float(raid_usable(drives, raid_level)) / drives, by_planner))
    names = ["drives", "computed_percent", "planner_percent"]
    usable = pd.DataFrame(shares, columns=names)
    lost = rows["metric"] == "capacity used for fault tolerance"
    usable.loc[lost, names[1:]] = 100 - usable.loc[lost, names[1:]]
    return rows.join(usable)[["comparison", "metric", "drives", "value", "unit", *names[1:], "locator"]]


def raid_levels(drives, writes):
    """Return what each RAID level makes of drives, in theory: space, operations of a small write, load of each drive.

    `writes` is their share among the requests. The load of a drive is in operations for a request, over those of level
    0; the space is NaN where the level cannot have that number of drives. Small writes that no cache gathers; Chen and
    others, Computing Surveys 26(2), 1994. No document prints them.
    """
    check_number("writes", writes, 0, 1, low_included=True)
    usable = [100 * float(raid_usable(drives, level)) / drives for level in RAID_WRITES]
    load = [1 - writes + write_penalty(level) * writes for level in RAID_WRITES]
    parts = {"raid_level": [f"RAID {level}" for level in RAID_WRITES], "drives": drives, "usable_percent": usable}
    return pd.DataFrame(parts | {"operations_per_write": [*RAID_WRITES.values()], "drive_load": load})
