"""Percentages that prose states of drives, beside what the table and the definitions give."""

import pandas as pd

from dominoperf import runs, study, tables
from dominoperf.laws.disk import raid_usable
from dominoperf.runs.reading import read_count
from dominoperf.tables import doubts

_STATED = "compaq_domino45/disk_ratios"


def drive_percentages(series="spindles"):
    """Return what the sentences state of more drives, as printed, beside the changes of the table that they are about.

    "Several drives" is read as the most that were tested, since the sentence says "up to".

    Returns
    -------
    DataFrame
        comparison, baseline, qualifier, value, unit, ratio (of the times), shorter_percent, faster_percent, locator.
    """
    known = runs.find(series)
    points = known.points()
    changes = study.pair_changes(points, known.x, known.y).set_index(["x_from", "x_to"])
    rows = tables.load_where(_STATED, _of_more_drives, "printed")
    most = int(points[known.x].max())
    steps = [(read_count(row.baseline), read_count(row.comparison) or most) for row in rows.itertuples()]
    stated = rows[["comparison", "baseline", "qualifier", "value", "unit", "locator"]]
    found = pd.concat([stated, changes.loc[steps].reset_index(drop=True)], axis=1)
    return doubts.hand_on(found[[*found.columns.drop("locator"), "locator"]], stated, changes)


def _of_more_drives(rows):
    return rows["comparison"].str.endswith(" drives") & (rows["metric"] == "response time")


def drive_ratios():
    """Return the ratios of response times that sentences state, in the order of the pages, and those of the table.

    Returns
    -------
    DataFrame
        item (what over what, in two lines), basis ("sentence" or "table"), ratio, low, high.
    """
    stated, table = study.stated_ratios(), drive_percentages()
    stated = stated[~stated["metric"].isin(["CPU utilization", "disk queue length"])]
    both = pd.concat([stated.assign(basis="sentence"), table.assign(basis="table")], ignore_index=True)
    both["item"] = both["comparison"] + " over\n" + both["baseline"]
    return doubts.hand_on(both[["item", "basis", "ratio", "low", "high"]], stated, table)


def capacity_shares():
    """Return the printed shares of capacity beside those that the drives give: (n - 1)/n usable for RAID 4 and 5.

    The planner of the same document takes n/(n + 1) instead (page 4-24). A pair of drives stands for RAID 1, whose
    share does not depend on the number.

    Returns
    -------
    DataFrame
        comparison, metric, drives, value, unit, computed_percent, planner_percent (NaN for RAID 1), locator.
    """
    rows = tables.load_where(_STATED, lambda rows: rows["direction"] == "share", "printed")
    names = ["drives", "computed_percent", "planner_percent"]
    usable = pd.DataFrame([_usable(text) for text in rows["comparison"]], columns=names)
    lost = rows["metric"].str.contains("fault tolerance")
    usable.loc[lost, names[1:]] = 100 - usable.loc[lost, names[1:]]
    return rows.join(usable)[["comparison", "metric", "drives", "value", "unit", *names[1:], "locator"]]


def _usable(text):
    """Drives, and the percent of them that is usable by the definition of the level and by the planner."""
    level, _, words = text.partition(", ")
    drives = read_count(words) or 2
    planner = 100 * drives / (drives + 1) if words else float("nan")
    return drives, 100 * float(raid_usable(drives, int(level.removeprefix("RAID ")))) / drives, planner
