"""One tidy row per run of any data folder: runs as tables print them, those that several tables print joined to one.

Which tables hold runs is said in blocks: ours in ``benchmarks.toml``, a user's in the ``datapackage.json`` of a data
folder (``"benchmarks": [{"table": "runs"}]``), where a block may say whatever one of ours may. Each row of such a table
(or each column, where a row is a metric) becomes cells, and each cell is read: a number in its unit, a count in words,
a processor in parts, as `printed_text` has them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pandas as pd

from dominoperf import tables
from dominoperf.errors import BadTable, UnknownName, names_its_keywords
from dominoperf.runs import printed_text
from dominoperf.tables import carried_errata, document, folders, load, rendering, vocabulary
from dominoperf.tables.columns import OF_ITS_ROW, column_unit_factor, meaning_of
from dominoperf.tables.folders import (
    cached_until_data_change,
    fields_of,
    folder_descriptor,
    our_toml_file,
    setting_as_list,
)
from dominoperf.tables.loading import VIEWS_OF_DATA, errata_touching, locators_within_document
from dominoperf.tables.reading import read_number

TEXTS = ("system", "processor", "processor_family", "operating_system", "domino_release", "workload", "factor")
MEASURED = (
    *("notesmark_tpm", "response_s", "cpu_utilization_percent", "network_bytes_per_s", "disk_bytes_per_s"),
    *("price_per_user_usd", "price_per_tpm_usd"),
)
"""The columns of `benchmarks` that a run measures."""
COLUMNS = (
    *("system", "processor", "processor_family", "processors", "clock_mhz", "l2_kb", "ram_mb", "drives"),
    *("operating_system", "domino_release", "workload", "factor", "workstations", "users"),
    *(*MEASURED, "price_usd"),
)
"""The columns of `benchmarks`, in order, before those of its provenance."""
# Printed cells that are more than a number in the column's own unit.
_READ = {
    "processors": printed_text.read_count,
    "drives": printed_text.read_count,
    "l2_kb": printed_text.read_kb,
    "ram_mb": printed_text.read_mb,
}
# Of a row, not of a run; and what `benchmarks` itself says of a run.
_NOT_OF_RUNS = ("unit", "qualifier", "locator", "run", "source", "origin")
_NAMED_TWICE = {"processor", "factor"}  # worded differently wherever they are printed: never a reason to differ


@dataclass(frozen=True)
class Value:
    """A value of a run: what it is, the characters it was read from, how, and where in its document they stand.

    `step` is that of its digits, in its own unit; `at` the cell: row and column of the run's table, where it has one.
    """

    value: object
    printed: str
    origin: str  # printed, derived or corrected
    locator: str
    step: float = 0.0
    at: tuple = ()
    note: str = ""  # the formula of what is derived, the qualifier of what is printed


@dataclass(frozen=True)
class PrintedRun:
    """A run: its table and row, its values by column, the places that print it."""

    source: str
    table: str
    name: str
    values: dict = field(default_factory=dict)
    locators: tuple = ()  # in its document
    joins: str = ""


def prints(as_: str = "corrected", *, of: str | None = None) -> Iterator[PrintedRun]:
    """Return every print of a run as a record, of the tables as corrected or as printed; with `of` of a table."""
    return iter(_prints_of_runs(as_, of if isinstance(of, str) else None))


@cached_until_data_change(maxsize=128, ours=True)  # a series asks for those of its table
def _prints_of_runs(as_, of):
    """The prints of runs of a table, or of all."""
    runs = []
    for block in _blocks_of_runs():
        if of in (None, block["table"]):
            try:
                runs += _runs_of_block(block, as_)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                if "of_user" not in block:
                    raise
                # A user may name columns or rows that are not there, or units that do not fit.
                source, wrong = block["table"].partition("/")[0], f"{type(error).__name__}: {error}"
                remedy = f"Run `dominoperf check` on the folder of {source!r}, and mend its `benchmarks`."
                where = f"benchmarks, {block['table']}"
                raise BadTable(where, expected="a table of runs", found=wrong, remedy=remedy) from error
    return tuple(runs)


def _blocks_of_runs():
    """The blocks of all tables of runs: ours, then those of the user's folders in use."""
    return (*our_toml_file("benchmarks.toml")["runs"], *blocks_of_users_runs())


def blocks_of_users_runs():
    """List the blocks of the folders in use that are not ours, with every column of their tables.

    `BadTable` where a table is not of measured values, or two tables have a column outside the vocabulary in different
    units.
    """
    blocks, first, known = [], {}, vocabulary()
    for folder in folders.users_data_folders():
        for block in folder_descriptor(folder).get("benchmarks", ()):
            block = _block_of_users_runs(block, folder)
            blocks.append(block)
            columns = tables.describe(block["table"]).columns.set_index("column")["unit"]
            for name, heading in block.get("columns", {}).items():
                unit = columns[heading]
                other, where = first.setdefault(name, (unit, block["table"]))
                if name not in known and unit != other:  # nobody could say what is in the column
                    expected = f"{name!r} in {other or 'words'}, as in {where}"
                    where, remedy = f"{block['table']}, column {name}", "Give the column another name, or convert it."
                    raise BadTable(where, expected=expected, found=unit or "words", remedy=remedy)
    return blocks


def _block_of_users_runs(block, folder):
    """A block with whole ids and all columns of its table: those of ours by our name, others by their own."""
    whole_id = lambda name: name if "/" in name else f"{folder.name}/{name}"  # noqa: E731
    name = block["table"].rpartition("/")[2]
    resource = next(entry for entry in folder_descriptor(folder)["resources"] if entry["name"] == name)
    whole = {"table": whole_id(name), "of_user": True}
    if (kind := resource.get("kind", "measured")) != "measured":
        remedy = "Take the table out of `benchmarks`, or mend its kind."
        where = f"benchmarks, {whole['table']}"
        raise BadTable(where, expected="a table of kind measured", found=f"kind {kind!r}", remedy=remedy)
    if "joins" in block:
        whole["joins"] = whole_id(block["joins"])
    if "facts" in block:
        whole["facts"] = [entry | {"table": whole_id(str(entry.get("table", "")))} for entry in block["facts"]]
    if "metrics" not in block:
        columns = {meaning_of(entry) or entry["name"]: entry["name"] for entry in fields_of(resource)}
        # The processor first: what it tells of clock and cache other columns may refine.
        first = {"processor": columns["processor"]} if "processor" in columns else {}
        columns = first | {name: heading for name, heading in columns.items() if name not in _NOT_OF_RUNS}
        whole["columns"] = columns | block.get("columns", {})
    return block | whole


def _runs_of_block(block, as_):
    """The runs of one block: those that have something measured; of a user's every row."""
    id, of_all = block["table"], {}
    facts_rows = {
        each: load(each, text=True).assign(place=locators_within_document(each)).to_dict("records")
        for each in {facts["table"] for facts in block.get("facts", ())}
    }
    for column, text in block.get("said", {}).items():
        of_all |= _read_cell_of_run(column, text, "caption or heading")
    for name, row, printed, place in (_runs_in_columns if "metrics" in block else _runs_in_rows)(block, as_):
        values = dict(of_all)
        for facts in block.get("facts", ()):
            values |= _read_machine_facts(facts, facts_rows[facts["table"]], row)
        values |= printed
        if "of_user" in block or any(column in values for column in MEASURED):
            yield PrintedRun(
                id.partition("/")[0], id, name, _run_values_in_order(values), (place,), block.get("joins", "")
            )


def _runs_in_rows(block, as_):
    """A run a row: its name, the row, its values, its place."""
    id, where = block["table"], block.get("where", {})
    about = tables.describe(id).columns.set_index("column")
    units, types = about["unit"].to_dict(), about["type"].to_dict()
    columns = {name: name for name in COLUMNS if name in units} | block.get("columns", {})
    rows, printed = (load(id, view, text=True).to_dict("records") for view in (as_, "printed"))
    places = locators_within_document(id)
    for number, (row, page, place) in enumerate(zip(rows, printed, places, strict=True), start=1):
        if not all(row[name] in setting_as_list(wanted) for name, wanted in where.items()):
            continue
        values = {}
        for column, heading in columns.items():
            unit, corrected = units[heading], row[heading] != page[heading]
            values |= _read_cell_of_run(
                column,
                row[heading],
                place,
                origin="corrected" if corrected else "printed",
                unit=row["unit"] if unit == "row" else unit,
                at=(number, heading),
                words=column not in COLUMNS and types[heading] not in ("number", "integer"),
                note="" if corrected else row.get("qualifier", ""),
            )
        yield f"{id}#{number}", row, values, place


def _runs_in_columns(block, as_):
    """Runs in columns, of a table with one row per metric."""
    id, metrics = block["table"], block["metrics"]
    frame = load(id, as_, text=True).assign(place=locators_within_document(id))
    frame = frame.assign(at=range(1, len(frame) + 1), named=frame[metrics["name"]] != "")
    frame.index = load(id, "printed", text=True)[metrics["name"]]
    rows = {name: frame.loc[metric] for name, metric in metrics["columns"].items() if frame["named"][metric]}
    for column in metrics["values"]:
        values = {}
        for name, row in rows.items():
            at = row["at"], column
            values |= _read_cell_of_run(name, row[column], row["place"], unit=row.get("unit"), at=at)
        yield f"{id}#{column}", {}, values, f"{rows['users']['place']}, column {column}"


def _read_machine_facts(facts, facts_rows, row):
    """The values that rows of a table of facts about the machine give for the run of a row."""
    match = facts.get("match", "")
    wanted = facts.get("where", {}) | ({match: row[match]} if match else {})
    of_machine = [each for each in facts_rows if all(each[name] == cell for name, cell in wanted.items())]
    values = {}
    for column, keys in facts["columns"].items():
        rows = [each for each in of_machine if each[facts["key"]] in setting_as_list(keys)]
        read = [_read_cell_of_run(column, each[facts["value"]], each["place"]) for each in rows]
        if column == "drives" and len(read) > 1:  # groups of drives in several rows
            groups = [group[column] for group in read]
            text, drives = " + ".join(group.printed for group in groups), sum(group.value for group in groups)
            values[column] = replace(groups[0], value=drives, printed=text)
        elif read:
            values |= read[0]
    return values


def _read_cell_of_run(column, text, place, *, origin="printed", unit=None, at=(), words=False, note=""):
    """What a printed cell gives: its column's value, of a processor those of its parts; nothing where it is none.

    `words` says that it is a text, of a column that only a user's table has; `note` is its qualifier.
    """
    derived = lambda value: Value(value, text, "derived", place, at=at, note=f"read from {text!r}")  # noqa: E731
    as_it_is = lambda value: Value(value, text, origin, place, at=at, note=note)  # noqa: E731
    if column == "processor":
        return {column: as_it_is(text)} | {
            name: derived(value) for name, value in printed_text.read_processor(text).items()
        }
    if column in TEXTS or words:
        return {column: as_it_is(text)} if text else {}
    number = _READ[column](text) if column in _READ else None
    if number is not None:
        return {column: as_it_is(number) if text.isdecimal() else derived(number)}
    number = read_number(text)
    if number is None:
        return {}
    wanted = vocabulary().get(column, {}).get("unit", unit)
    factor = column_unit_factor(column, unit, wanted) if unit and wanted not in OF_ITS_ROW else 1.0
    if factor != 1:
        origin, note = "derived", f"{text} {unit}"
    value = float(f"{number * factor:.12g}")  # 7.8 and not 7.800000000000001: what follows is compared with print
    return {column: Value(value, text, origin, place, printed_text.step_of_digits(text) * factor, at, note)}


def _run_values_in_order(values):
    """The values of a run by column, in the order of `COLUMNS`."""
    return {name: values[name] for name in COLUMNS if name in values} | values


@names_its_keywords()
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
        raise UnknownName.among("as_", as_, VIEWS_OF_DATA)
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
    forms = {column: rendering.forms_of_printed_numbers(of_column) for column, of_column in texts.items()}
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
    joined, of_source = [], {}
    for run in prints(as_):
        # Within a table alike rows are two runs: only another table can print a run again.
        others = [k for table, ks in of_source.get(run.source, {}).items() if table != run.table for k in ks]
        same = next((k for k in sorted(others) if _is_same_run(joined[k], run)), None)
        if same is None:
            of_source.setdefault(run.source, {}).setdefault(run.table, []).append(len(joined))
            joined.append(run)
            continue
        one = joined[same]  # of a value that both have the one with the finer digits
        finer = {name: value for name, value in run.values.items() if value.step < one.values.get(name, value).step}
        values = _run_values_in_order(run.values | one.values | finer)
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
        joined[k] = replace(run, values=_run_values_in_order(values | {name: implied}))
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
    for block in _blocks_of_runs():
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
