"""What an error of the main TechNote costs a reader who plans by it: printed, what follows, the difference."""

import numpy as np
import pandas as pd

from dominoperf import tables
from dominoperf.laws import disk
from dominoperf.runs.printed_text import read_count
from dominoperf.study.recompute.regeneration import printed_cell_as_number
from dominoperf.tables import carried_errata, loading, rendering
from dominoperf.tables.reading import read_number

_SOURCE = "compaq_domino45"
_CASE, _PROSE, _CONVERT = (f"{_SOURCE}/{name}" for name in ("case_study", "worked_examples", "table_4_2"))
# Rows of the case study: what the data volume of a server needs, its drives, their size, the usable space.
_VOLUMES = {"Server 1": (69, 70, 71, 79), "Server 2": (114, 115, 116, 125)}
_READERS = 43  # the row of the worked examples with the multiplier of those who only read


def price_consequences():
    """Return what a user costs on each system whose price columns are exchanged: as printed, and as it is.

    The difference is printed less corrected, in percent of the corrected.
    """
    errata = tables.errata()
    wrong = errata[(errata["column"] == "price_per_user_usd") & (errata["status"] == "certain")]
    ids, rows = wrong["source"] + "/" + wrong["table"], wrong["row"].astype(int)
    frames = {id: tables.load(id).assign(locator=tables.locators(id)) for id in ids.unique()}
    systems = pd.DataFrame([frames[id].iloc[row - 1] for id, row in zip(ids, rows, strict=True)])
    both = {"printed_usd": wrong["printed"], "corrected_usd": wrong["corrected"]}
    prices = {name: [read_number(text) for text in texts] for name, texts in both.items()}
    result = systems[["system", "users"]].assign(table=ids.to_numpy(), **prices, locator=systems["locator"])
    change = 100 * (result["printed_usd"] / result["corrected_usd"] - 1)
    names = ["table", "system", "users", "printed_usd", "corrected_usd", "difference_percent", "locator"]
    result = result.assign(difference_percent=change)[names].reset_index(drop=True)
    result.attrs[rendering.PRINTED] = {name: rendering.forms_of_printed_numbers(texts) for name, texts in both.items()}
    return carried_errata.propagate_errata(
        result, *(carried_errata.columns_used(frame, "price_per_user_usd") for frame in frames.values())
    )


def raid_consequences():
    """Return the drives of the case study's data volumes under the share that its notes take, and under the definition.

    The notes take n/(n + 1) of the space as usable for RAID 5; the definition, and page 3-24, (n - 1)/n. The rule of
    page 3-25 asks for RAID 1 where data are critical, as the case study calls its own. drives_raid_5 and drives_raid_1
    are the fewest that do suffice. All but the definitions is as printed.
    """
    cells = [row for rows in _VOLUMES.values() for row in rows]
    printed = loading.load_where(_CASE, lambda frame: frame["order"].isin(cells), "printed")
    values = printed.set_index("order")["value"]
    rows = []
    for server, cells in _VOLUMES.items():
        needed, drives, size, stated = values[list(cells)]
        usable = float(size * disk.raid_usable(drives, 5))
        counts = np.arange(1, 100)  # far more than any volume of the case study needs
        fewest = (int(counts[size * disk.raid_usable(counts, level) >= needed].min()) for level in (5, 1))
        rows.append((server, needed, int(drives), stated, usable, usable >= needed, *fewest))
    names = ["server", "needed_gb", "drives", "stated_gb", "usable_gb", "enough", "drives_raid_5", "drives_raid_1"]
    places = [tables.locators(_CASE)[cells[0] - 1] for cells in _VOLUMES.values()]
    return carried_errata.propagate_errata(pd.DataFrame(rows, columns=names).assign(locator=places), printed)


def reader_consequences():
    """Return the systems that readers of shared databases need, by the prose and by Table 4-2.

    For as many readers as the case study has users of shared databases, on the system that it takes for them; systems
    are a share of one.
    """
    planned, capacity = printed_cell_as_number(_CASE, "value", 2), printed_cell_as_number(_CASE, "value", 22)
    rows = [
        ("the prose", printed_cell_as_number(_PROSE, "value", _READERS), tables.locators(_PROSE)[_READERS - 1]),
        (
            "Table 4-2",
            read_count(tables.load(_CONVERT)["formula"][0].rpartition("/")[2]),
            tables.locators(_CONVERT)[0],
        ),
    ]
    rules = pd.DataFrame(rows, columns=["rule", "multiplier", "locator"])
    users = planned * rules["multiplier"]
    names = ["rule", "multiplier", "planned_users", "users", "systems", "locator"]
    rules = rules.assign(planned_users=planned, users=users, systems=users / capacity)[names]
    return carried_errata.propagate_errata(rules, loading.load_where(_PROSE, lambda frame: frame["order"] == _READERS))
