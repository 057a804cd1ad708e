"""The same question answered twice: with the numbers as printed, and as suspected errata would have them.

Each function returns a row, or a key, for each view: "as printed", with certain errata applied, and "as suspected".
"""

import pandas as pd

from dominoperf import machines, tables
from dominoperf.runs import find
from dominoperf.study import memory_rules
from dominoperf.study.paired_runs import peak_loads
from dominoperf.tables import carried_errata

PRINTED = "as printed"
"""The view of the data as the page prints them, with certain errata mended."""
SUSPECTED = "as suspected"
"""The view in which a suspected erratum of a heading is right too."""
_VIEWS = {PRINTED: "corrected", SUSPECTED: "suspected"}  # a certain erratum is applied in both


def sizing_tables(table):
    """Return a published table of memory by users in each of its views; "as suspected" only where it differs."""
    tables_by_view = {view: tables.load(table, as_) for view, as_ in _VIEWS.items()}
    if tables_by_view[SUSPECTED].equals(tables_by_view[PRINTED]):
        del tables_by_view[SUSPECTED]
    return tables_by_view


def beside_rule(table, runs):
    """Return measured runs beside the memory that a published sizing table asks at their users, in each of its views.

    The runs come once for each view, fewest users first; what the table asks is by `memory_rules.memory_by_table`.
    """
    runs, parts = runs.sort_values("users", kind="stable"), []
    for view, rows in sizing_tables(table).items():
        rule_mb = memory_rules.memory_by_table(runs["users"], rows["users"], rows["ram_least_mb"])
        cells = {"view": view, "ram_rule_mb": rule_mb, "ram_share_percent": 100 * runs["ram_mb"] / rule_mb}
        part = runs.assign(**cells, extrapolated=runs["users"] > rows["users"].max())
        read = carried_errata.columns_used(rows, "users", "ram_least_mb")
        parts.append(carried_errata.propagate_errata(part, carried_errata.columns_used(runs, "users", "ram_mb"), read))
    return carried_errata.propagate_errata(pd.concat(parts, ignore_index=True), *parts)


def count_short(beside):
    """Return how many runs within the range of a rule passed with less memory than it asks, in each of its views.

    Of what `beside_rule` gives: n runs are within the range, fewer of them had less, ram_share_percent is the least
    share.
    """
    inside = beside[~beside["extrapolated"]]
    counted = inside.assign(fewer=inside["ram_share_percent"] < 100).groupby("view")
    counts = counted.agg(n=("fewer", "size"), fewer=("fewer", "sum"), ram_share_percent=("ram_share_percent", "min"))
    counts = counts.reindex(beside["view"].unique()).fillna({"n": 0, "fewer": 0}).astype({"n": int, "fewer": int})
    return carried_errata.propagate_errata(counts.rename_axis("view").reset_index(), beside)


def describe_both(frame, say):
    """Return a finding as printed and, where that changes it, as it is if the suspected errata that touch it are right.

    `say` is what is said of a row of the frame, the names of its columns in braces; it has a row per view, that as
    printed first. So ``8 of 8 as printed; 4 of 12 if the heading in the table should say "Number of Real World
    Users"``, or ``8 of 8`` alone.
    """
    first, *others = (say.format(**row) for row in frame.to_dict("records"))
    others = [other for other in others if other != first]
    if not others:
        return first
    instead = {erratum.corrected for erratum in carried_errata.errata_of(frame) if erratum.status == "suspected"}
    one = next(iter(instead))
    several = len(instead) > 1 or ";" in one
    right = "the suspected errata are right" if several else f'the heading in the table should say "{one}"'
    return f"{first} as printed; {others[0]} if {right}"


def describe_unit(series):
    """Say whether the unit of a series of drives is suspected, and what the response with the fewest drives then is."""
    drives, rows = find(series), []
    for view, as_ in _VIEWS.items():
        points = drives.points(as_)
        rows.append({"view": view, "first_s": points.loc[points[drives.x].idxmin(), drives.y]})
    both = carried_errata.propagate_errata(pd.DataFrame(rows), drives.points())
    if not any(erratum.corrected and erratum.status == "suspected" for erratum in carried_errata.errata_of(both)):
        return "The unit of these responses is not doubted."
    words = describe_both(both, "{first_s:,g} s")
    ratios = "The ratios stay, and with them what the laws say of drives."
    return f"Whether these are seconds is doubted: with the fewest drives the response is {words}. {ratios}"


def releases(level=0.95):
    """Return what a user costs in release 6 over release 5, in each view: `machines.paired_ratios` over all pairs."""
    rows, frames = [], []
    for view, as_ in _VIEWS.items():
        pairs = machines.paired_ratios(peak_loads(as_), level=level)
        rows.append({"view": view} | pairs.glance()[["ratio", "low", "high"]].iloc[0].to_dict())
        frames.append(pairs)
    return carried_errata.propagate_errata(pd.DataFrame(rows), frames[0])
