"""One tidy row per run of any data folder: the runs that several tables print are joined to one."""

from dataclasses import replace

import pandas as pd

from dominoperf.errors import UnknownName
from dominoperf.runs import printed_text
from dominoperf.runs.printed_runs import COLUMNS, MEASURED, TEXTS, Value, blocks_of_runs, prints, run_values_in_order
from dominoperf.tables import carried_errata, document, load, rendering
from dominoperf.tables.folders import cached_until_data_change
from dominoperf.tables.loading import VIEWS_OF_DATA, errata_touching, locators_within_document
from dominoperf.tables.numerals import read_number

_NAMED_TWICE = {"processor", "factor"}  # worded differently wherever they are printed: never a reason to differ


def benchmarks(as_: str = "corrected") -> pd.DataFrame:
    """Return every run that the documents print, one tidy row each; a run printed twice is one row.

    Parameters
    ----------
    as_ : {"corrected", "printed", "suspected"}
        From the tables as `tables.load` gives them.

    Returns
    -------
    DataFrame
        run, source; system, processor (as printed), processor_family, processors, clock_mhz, l2_kb (of each), ram_mb,
        drives; operating_system, domino_release, workload, factor (what the table varies), workstations, users;
        notesmark_tpm, response_s, cpu_utilization_percent, network_bytes_per_s, disk_bytes_per_s,
        price_per_user_usd, price_per_tpm_usd, price_usd; locator (document and place of every print of the run); origin
        (which values are not simply printed). What no document prints is NaN, or "" in a column of text. The runs of
        data folders of the user's come after ours; what their tables have beside these columns is before locator.
        Its ``attrs`` carry the errata that touch a value, by column and run (`carried_errata.errata_of`).

    Notes
    -----
    "Users" is, as we read it, the last load that passed: the capacity lies between it and the next load tried.
    `values` gives the origin and the place of every value.
    """
    if as_ not in VIEWS_OF_DATA:
        raise UnknownName.among("as_", as_, VIEWS_OF_DATA, f"Known are {', '.join(VIEWS_OF_DATA)}.")
    return _benchmarks(as_).copy()


@cached_until_data_change(maxsize=16, ours=True)
def _benchmarks(as_):
    """The frame: a capacity, a plan and a picture each ask for it."""
    joined = runs(as_)
    every = [(name, value) for run in joined for name, value in run.values.items()]
    columns = list(dict.fromkeys((*COLUMNS, *(name for name, _ in every))))
    words = {*TEXTS, *(name for name, value in every if name not in COLUMNS and isinstance(value.value, str))}
    rows = []
    for run in joined:
        empty = {name: "" if name in words else None for name in columns}
        cells = (empty | {name: value.value for name, value in run.values.items()}).values()
        kinds = {}
        for column, value in run.values.items():
            kinds.setdefault(value.origin, []).append(column)
        origin = "; ".join(f"{kind}: {', '.join(of_kind)}" for kind, of_kind in kinds.items() if kind != "printed")
        title = document(run.source)["title"]
        locator = "; ".join(f"{title}, {place}" for place in run.locators)
        rows.append([run.name, run.source, *cells, locator, origin])
    frame = pd.DataFrame(rows, columns=["run", "source", *columns, "locator", "origin"])
    frame = frame.astype({name: "float64" for name in columns if name not in words})
    texts = {}  # a number in another unit than the page's keeps all its digits too
    for column, value in every:
        number = read_number(value.printed)
        if number is not None and isinstance(value.value, (int, float)):
            texts.setdefault(column, []).append(value.printed if number == value.value else f"{value.value:.12g}")
    forms = {column: rendering.printed_forms(of_column) for column, of_column in texts.items()}
    forms = {column: of_column for column, of_column in forms.items() if of_column}
    frame.attrs[rendering.PRINTED] = rendering.PrintedForms(forms)
    return carried_errata.attach_errata(frame, _errata_of_runs(joined, as_))


def values() -> pd.DataFrame:
    """Return every value of `benchmarks` in a row of its own: run, column, as_read, printed, origin, locator."""
    rows = []
    for run in runs():
        title = document(run.source)["title"]
        for column, value in run.values.items():
            origin = f"{value.origin}: {value.note}" if value.note else value.origin
            rows.append((run.name, column, str(value.value), value.printed, origin, f"{title}, {value.locator}"))
    return pd.DataFrame(rows, columns=["run", "column", "as_read", "printed", "origin", "locator"])


def runs(as_="corrected"):
    """List every run as a record, those that are printed twice joined."""
    joined, tables = [], {}
    for run in prints(as_):
        # Within a table alike rows are two runs: only another table can print a run again.
        others = [k for table, ks in tables.get(run.source, {}).items() if table != run.table for k in ks]
        same = next((k for k in sorted(others) if _is_same_run(joined[k], run)), None)
        if same is None:
            tables.setdefault(run.source, {}).setdefault(run.table, []).append(len(joined))
            joined.append(run)
            continue
        one = joined[same]  # of a value that both have the one with the finer digits
        finer = {name: value for name, value in run.values.items() if value.step < one.values.get(name, value).step}
        values = run_values_in_order(run.values | one.values | finer)
        joined[same] = replace(one, values=values, locators=(*one.locators, *run.locators))
    for k, run in enumerate(joined):  # of the price and the price per user the one that the other implies
        values = run.values
        given = {"users", "price_usd", "price_per_user_usd"} & set(values)
        if given == {"users", "price_per_user_usd"}:
            name, note = "price_usd", "users × price_per_user_usd"
            amount = values["users"].value * values["price_per_user_usd"].value
        elif given == {"users", "price_usd"} and values["users"].value > 0:
            name, note = "price_per_user_usd", "price_usd / users"
            amount = values["price_usd"].value / values["users"].value
        else:
            continue
        implied = Value(amount, "", "derived", values[(given - {"users"}).pop()].locator, note=note)
        joined[k] = replace(run, values=run_values_in_order(values | {name: implied}))
    return joined


def table_of(run: str) -> str:
    """Return the id of the table that a run is of, by the id of the run: ``mine/loads`` of ``mine/loads#1``."""
    return run.rpartition("#")[0]


def _is_same_run(one, other):
    """Whether two printed runs are one: nothing they share differs, and something measured agrees."""
    if one.source != other.source or one.table == other.table:
        return False
    shared = [name for name in one.values if name in other.values and name not in _NAMED_TWICE]
    if not all(_prints_agree(name, one.values[name], other.values[name]) for name in shared):
        return False
    return one.table == other.joins or any(name in shared for name in MEASURED)


def _prints_agree(column, one, other):
    """Whether two prints of a column can be of one run: a name may be shortened, a number rounded."""
    if column == "domino_release":
        return printed_text.read_release(one.value) == printed_text.read_release(other.value)
    if column in TEXTS:
        short, long = sorted((value.value.partition(",")[0].casefold() for value in (one, other)), key=len)
        return short in long
    return abs(one.value - other.value) <= max(one.step, other.step) / 2 * (1 + 1e-9)  # half a step is no binary number


def _errata_of_runs(runs, as_):
    """The errata of the tables of runs, for every column of `benchmarks` and run that they touch.

    One of a caption touches the columns that the block states for it, else "", which is any.
    """
    at = {(run.source, place): run.name for run in runs for place in run.locators}
    touching = []
    for block in blocks_of_runs():
        id, metrics = block["table"], block.get("metrics")
        for erratum in errata_touching(id, as_):
            headings, wanted = {name: name for name in COLUMNS} | block.get("columns", {}), erratum.column
            if metrics:
                names = sorted({name for name in at.values() if table_of(name) == id})
                if erratum.row:  # one row per metric: whatever cell of it is wrong
                    headings = metrics["columns"]
                    wanted = load(id, "printed", text=True)[metrics["name"]][erratum.row - 1]
            else:
                rows = [
                    place for row, place in enumerate(locators_within_document(id), start=1) if erratum.row in (0, row)
                ]
                names = [at[key] for key in ((id.partition("/")[0], place) for place in rows) if key in at]
            columns = [name for name, heading in headings.items() if heading == wanted]
            prices = {"price_usd", "price_per_user_usd"}  # either may be derived from the other
            columns += sorted(prices.difference(columns)) if prices.intersection(columns) else []
            columns = columns if wanted else block.get("captioned", [""])
            touching += [erratum._replace(column=column, row=0, run=name) for name in names for column in columns]
    return touching
