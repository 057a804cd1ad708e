"""One tidy row per run of any document, put together from the tables that print it."""

import functools
from dataclasses import dataclass, field, replace

import pandas as pd

from dominoperf.runs import reading
from dominoperf.runs import user_data as own
from dominoperf.tables import (
    describe,
    document,
    doubted,
    doubts,
    factor_of,
    listed,
    load,
    read_number,
    rendering,
    stamp,
    units,
)
from dominoperf.tables import places as places_of
from dominoperf.tables.columns import OF_ITS_ROW
from dominoperf.tables.folders import our_file

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
    "processors": reading.read_count,
    "drives": reading.read_count,
    "l2_kb": reading.read_kb,
    "ram_mb": reading.read_mb,
}
_NAMED_TWICE = {"processor", "factor"}  # worded differently wherever they are printed: never a reason to differ


@dataclass(frozen=True)
class Value:
    """A value of a run: what it is, the characters it was read from, how, and where in its document they stand.

    `step` is that of its digits, in its own unit; `at` the cell: row and column of the run's table, where it has one.
    """

    value: object
    printed: str
    basis: str  # printed, derived or corrected
    locator: str
    step: float = 0.0
    at: tuple = ()
    note: str = ""  # the formula of what is derived, the qualifier of what is printed


@dataclass(frozen=True)
class Run:
    """A run: its table and row, its values by column, the places that print it."""

    source: str
    table: str
    name: str
    values: dict = field(default_factory=dict)
    locators: tuple = ()  # in its document
    joins: str = ""


def benchmarks(as_="corrected"):
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
        price_per_user_usd, price_per_tpm_usd, price_usd; locator (every place that prints the run); basis (which values
        are not simply printed). What no document prints is NaN, or "" in a column of text. The runs of data folders of
        the user's come after ours; what their tables have beside these columns stands before locator. Its ``attrs``
        carry the errata that touch a value, by column and run (`doubts.doubts`).

    Notes
    -----
    "Users" is, as we read it, the last load that passed: the capacity lies between it and the next load tried.
    `values` gives the basis and the place of every value.
    """
    found = runs(as_)
    more = dict.fromkeys(name for run in found for name in run.values if name not in COLUMNS)
    words = {name for name in more if any(isinstance(_value(run, name), str) for run in found)} | set(TEXTS)
    columns = (*COLUMNS, *more)
    rows = [_row(run, columns, words) for run in found]
    frame = pd.DataFrame(rows, columns=["run", "source", *columns, "locator", "basis"])
    frame = frame.astype({name: "float64" for name in columns if name not in words})
    frame.attrs[rendering.PRINTED] = _printed_forms(found)
    return doubts.mark(frame, _doubted(found, as_))


def _printed_forms(found):
    """The printed forms of the numbers of the frame; one in another unit than the page's keeps all its digits too."""
    texts = {}
    for run in found:
        for column, each in run.values.items():
            number = read_number(each.printed)
            if number is not None and isinstance(each.value, (int, float)):
                texts.setdefault(column, []).append(each.printed if number == each.value else f"{each.value:.12g}")
    forms = {column: rendering.printed_forms(each) for column, each in texts.items()}
    return {column: each for column, each in forms.items() if each}


def values():
    """Return every value of `benchmarks` in a row of its own: run, column, value, printed, basis, locator."""
    rows = []
    for run in runs():
        title = document(run.source)["title"]
        for column, each in run.values.items():
            basis = f"{each.basis}: {each.note}" if each.note else each.basis
            rows.append((run.name, column, str(each.value), each.printed, basis, f"{title}, {each.locator}"))
    return pd.DataFrame(rows, columns=["run", "column", "value", "printed", "basis", "locator"])


def runs(as_="corrected"):
    """List every run as a record, those that are printed twice joined."""
    found, tables = [], {}
    for run in prints(as_):
        # Within a table alike rows are two runs: only another table can print a run again.
        others = [k for table, ks in tables.get(run.source, {}).items() if table != run.table for k in ks]
        known = next((k for k in sorted(others) if _same(found[k], run)), None)
        if known is None:
            tables.setdefault(run.source, {}).setdefault(run.table, []).append(len(found))
            found.append(run)
        else:
            found[known] = _joined(found[known], run)
    return [_priced(run) for run in found]


def prints(as_="corrected", *, of=None):
    """Return every print of a run as a record, of the tables as corrected or as printed; with `of` of a table."""
    return iter(_prints(as_, of, stamp(ours=True)))


@functools.lru_cache(maxsize=128)  # a series asks for those of its table
def _prints(as_, of, _stamp):
    return tuple(_read_prints(as_, of))


def _read_prints(as_, of):
    for block in _blocks():
        if of in (None, block["table"]):
            yield from _of_own(block, as_) if "own" in block else _of_block(block, as_)


def _doubted(found, as_):
    """The errata of the tables of runs, for every column and run that they touch."""
    at = {(run.source, place): run.name for run in found for place in run.locators}
    return [
        doubt._replace(column=column, row=0, run=run)
        for block in _blocks()
        for doubt in doubted(block["table"], as_)
        for run in _runs_at(block, doubt, at)
        for column in _columns_at(block, doubt)
    ]


def _runs_at(block, doubt, at):
    """The names of the runs of a table that an erratum touches."""
    id = block["table"]
    if "metrics" in block:
        return sorted({name for name in at.values() if table_of(name) == id})
    places = [(_source(id), place) for row, place in enumerate(places_of(id), start=1) if doubt.row in (0, row)]
    return [at[place] for place in places if place in at]


def _columns_at(block, doubt):
    """The columns of `benchmarks` that an erratum touches; of a caption those that it says, else "", which is any."""
    headings = {name: name for name in COLUMNS} | block.get("columns", {})
    wanted = doubt.column
    if "metrics" in block and doubt.row:  # a row a metric: whatever cell of it is wrong
        headings = block["metrics"]["columns"]
        wanted = load(block["table"], "printed", text=True)[block["metrics"]["name"]][doubt.row - 1]
    found = [name for name, heading in headings.items() if heading == wanted]
    derived = ["price_usd"] if "price_per_user_usd" in found else []
    said = [name for name, text in block.get("said", {}).items() if text in doubt.printed]
    return [*found, *derived] if wanted else said or [""]


def _blocks():
    return (*our_file("benchmarks.toml")["runs"], *own.own_blocks())


def _of_own(block, as_):
    """The runs of a block that a user wrote, and may have written wrongly."""
    try:
        return list(_of_block(block, as_))
    except (KeyError, TypeError, ValueError, AttributeError) as error:  # no such column or row, units that do not fit
        raise own.told(block, error) from error


def table_of(run):
    """Return the id of the table that a run is of, by the id of the run.

    Examples
    --------
    >>> table_of("mine/loads#1")
    'mine/loads'
    """
    return run.rpartition("#")[0]


def _source(table):
    return table.partition("/")[0]


def _value(run, name):
    return run.values[name].value if name in run.values else None


def _row(run, columns, words):
    cells = [_value(run, name) if name in run.values else "" if name in words else None for name in columns]
    return [run.name, run.source, *cells, "; ".join(run.locators), _basis(run)]


def _basis(run):
    """Which values are not simply printed, in words."""
    kinds = {}
    for column, each in run.values.items():
        kinds.setdefault(each.basis, []).append(column)
    return "; ".join(f"{kind}: {', '.join(columns)}" for kind, columns in kinds.items() if kind != "printed")


def _of_block(block, as_):
    """The runs of one block of ``benchmarks.toml``: those that have something measured; of a user's every row."""
    said = [_Cell(name, text, "printed", "caption or heading") for name, text in block.get("said", {}).items()]
    facts = [_Facts(**each) for each in block.get("facts", ())]
    gather = _of_metrics if "metrics" in block else _of_rows
    for name, row, cells, place in gather(block, as_):
        values = {}
        for known in (*map(_read, said), *(each.of(row) for each in facts), *map(_read, cells)):
            values |= known
        if "own" in block or any(column in values for column in MEASURED):
            yield Run(_source(block["table"]), block["table"], name, _ordered(values), (place,), block.get("joins", ""))


def _ordered(values):
    return {name: values[name] for name in COLUMNS if name in values} | values


@dataclass(frozen=True)
class _Cell:
    """What prints a column of a run: the characters, how they got there, their place and unit."""

    column: str
    text: str
    basis: str
    place: str
    unit: str | None = None
    at: tuple = ()
    words: bool = False  # a text, of a column that only a user's table has
    note: str = ""  # the qualifier


def _of_rows(block, as_):
    """A run a row: its name, the row, its cells, its place."""
    id, where = block["table"], block.get("where", {})
    text, printed = (load(id, each, text=True).to_dict("records") for each in (as_, "printed"))
    about = describe(id).columns.set_index("column")
    columns = {name: name for name in COLUMNS if name in about.index} | block.get("columns", {})
    for number, (row, page, place) in enumerate(zip(text, printed, places_of(id), strict=True), start=1):
        if all(row[name] in listed(wanted) for name, wanted in where.items()):
            cells = [_of_cell(name, each, row, page, place, number, about) for name, each in columns.items()]
            yield f"{id}#{number}", row, cells, place


def _of_cell(name, heading, row, page, place, number, about):
    """The cell of a row under a heading as the column `name` of its run; `page` is the row as printed."""
    words = name not in COLUMNS and about["type"][heading] not in ("number", "integer")
    basis = "printed" if row[heading] == page[heading] else "corrected"
    note = row.get("qualifier", "") if basis == "printed" else ""
    unit = row["unit"] if about["unit"][heading] == "row" else about["unit"][heading]
    return _Cell(name, row[heading], basis, place, unit, (number, heading), words, note)


def _of_metrics(block, as_):
    """A run a column, of a table with a row a metric."""
    id, metrics = block["table"], block["metrics"]
    frame = load(id, as_, text=True).assign(place=places_of(id))
    frame = frame.assign(at=range(1, len(frame) + 1), named=frame[metrics["name"]] != "")
    frame.index = load(id, "printed", text=True)[metrics["name"]]
    for column in metrics["values"]:
        rows = {name: frame.loc[metric] for name, metric in metrics["columns"].items() if frame["named"][metric]}
        cells = [
            _Cell(name, row[column], "printed", row["place"], row.get("unit"), (row["at"], column))
            for name, row in rows.items()
        ]
        yield f"{id}#{column}", {}, cells, f"{rows['users']['place']}, column {column}"


@dataclass(frozen=True)
class _Facts:
    """Rows of a table of facts about the machine."""

    table: str
    key: str
    value: str
    columns: dict
    where: dict = field(default_factory=dict)
    match: str = ""

    def of(self, row):
        """The values that the facts give for the run of a row."""
        frame = load(self.table, text=True).assign(place=places_of(self.table))
        for name, wanted in (self.where | ({self.match: row[self.match]} if self.match else {})).items():
            frame = frame[frame[name] == wanted]
        found = {}
        for column, keys in self.columns.items():
            rows = frame[frame[self.key].isin(listed(keys))]
            read = [
                _read(_Cell(column, text, "printed", place))
                for text, place in zip(rows[self.value], rows["place"], strict=True)
            ]
            found |= _added(read, column) if column == "drives" and len(read) > 1 else read[0] if read else {}
        return found


def _added(read, column):
    """Groups of drives in several rows."""
    parts = [each[column] for each in read]
    text = " + ".join(part.printed for part in parts)
    return {column: replace(parts[0], value=sum(part.value for part in parts), printed=text)}


def _read(cell):
    """What a printed cell gives: its column's value, of a processor those of its parts; nothing where it is none."""
    column, text, place = cell.column, cell.text, cell.place
    derived = lambda value: Value(value, text, "derived", place, note=f"read from {text!r}")  # noqa: E731
    as_it_is = lambda value: Value(value, text, cell.basis, place, note=cell.note)  # noqa: E731
    if column == "processor":
        return {column: as_it_is(text)} | {name: derived(value) for name, value in reading.read_processor(text).items()}
    if column in TEXTS or cell.words:
        return {column: as_it_is(text)} if text else {}
    number = _READ[column](text) if column in _READ else None
    if number is not None:
        return {column: as_it_is(number) if text.isdecimal() else derived(number)}
    return _number(cell)


def _number(cell):
    """A number, in the column's own unit."""
    number = read_number(cell.text)
    if number is None:
        return {}
    wanted = units().get(cell.column, cell.unit)
    factor = factor_of(cell.column, cell.unit, wanted) if cell.unit and wanted not in OF_ITS_ROW else 1.0
    basis, note = (cell.basis, cell.note) if factor == 1 else ("derived", f"{cell.text} {cell.unit}")
    value = float(f"{number * factor:.12g}")  # 7.8 and not 7.800000000000001: what follows is compared with print
    return {cell.column: Value(value, cell.text, basis, cell.place, reading.step(cell.text) * factor, cell.at, note)}


def _same(one, other):
    """Whether two printed runs are one: nothing they share differs, and something measured agrees."""
    if one.source != other.source or one.table == other.table:
        return False
    shared = [name for name in one.values if name in other.values and name not in _NAMED_TWICE]
    if not all(_agree(name, one.values[name], other.values[name]) for name in shared):
        return False
    return one.table == other.joins or any(name in shared for name in MEASURED)


def _agree(column, one, other):
    """Whether two prints of a column can be of one run: a name may be shortened, a number rounded."""
    if column == "domino_release":
        return reading.read_release(one.value) == reading.read_release(other.value)
    if column in TEXTS:
        short, long = sorted((each.value.partition(",")[0].casefold() for each in (one, other)), key=len)
        return short in long
    return abs(one.value - other.value) <= max(one.step, other.step) / 2 * (1 + 1e-9)  # half a step is no binary number


def _joined(one, other):
    """Both together: of a value that both have the one with the finer digits."""
    finer = {name: each for name, each in other.values.items() if each.step < one.values.get(name, each).step}
    values = other.values | one.values | finer
    return replace(one, values=_ordered(values), locators=(*one.locators, *other.locators))


def _priced(run):
    """The system price, where a price per user implies it."""
    known = run.values
    if "price_usd" in known or not {"users", "price_per_user_usd"} <= set(known):
        return run
    users, price = known["users"], known["price_per_user_usd"]
    product = Value(users.value * price.value, "", "derived", price.locator, note="users × price_per_user_usd")
    return replace(run, values=_ordered(known | {"price_usd": product}))
