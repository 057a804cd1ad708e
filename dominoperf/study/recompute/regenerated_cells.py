"""Every printed cell beside what regenerates it (other cells, the planner, a law) or what a model predicts."""

import functools
import math
import re

import numpy as np
import pandas as pd

from dominoperf import fitting, runs, tables
from dominoperf.errors import DominoperfError
from dominoperf.machines import service_demands
from dominoperf.machines.levels import level_of_printed_cell
from dominoperf.study import capacity_evidence, memory_rules, release_migration
from dominoperf.study.recompute.case_study import case_study_beside, worked_examples_beside
from dominoperf.study.recompute.readings import PRINTED, sizing_tables
from dominoperf.study.recompute.regeneration import as_printed, cells_of
from dominoperf.study.recompute.regeneration import printed_cell_as_number as cell_number
from dominoperf.tables import columns, loading
from dominoperf.tables.folders import cached_until_data_change, our_toml_file
from dominoperf.tables.loading import find_table
from dominoperf.tables.reading import read_number
from dominoperf.tables.rendering import number

HOW = ("other table", "arithmetic", "planner", "law", "predicted", "copied")
"""How a cell's value was come by, the strongest first: a cell that has several is counted once, under the first."""
OTHER_TABLE, ARITHMETIC, PLANNER, LAW, PREDICTED, COPIED = HOW
_PLANNED = {"case_study": case_study_beside, "worked_examples": worked_examples_beside}
_SIZED = ("table_3_2", "table_3_3")  # the tables that print the sizing rules first; others repeat them
_MAIN = "compaq_domino45"
_A_CELL = re.compile(r"cell\([^()]*\)")
_CARRIED = "measured, chosen or advised: no other cell implies it"
_TYPES = {
    "row": "int64", "column": "str", "printed": "str", "corrected": "str", "how": "str", "regenerated": "str",
    "unit": "str", "difference": "float64", "predicted": "float64", "low": "float64", "high": "float64",
    "inside": "float64", "computed_from": "str", "reason": "str", "locator": "str",
}  # fmt: skip
_BLANK = {name: "" if kind == "str" else np.nan for name, kind in _TYPES.items()}


def every_cell(id: str, level: float = 0.95) -> pd.DataFrame:
    """Return each printed cell of a table beside every value that is regenerated or predicted for it.

    A value is *regenerated* where something other than its own measurement implies it: another table that prints it,
    arithmetic over other cells, the planner by the document's own rules, or a law. A measured cell that only a model of
    other machines can give is *predicted*, with its interval, and is not called regenerated. The rest is copied.

    A row is a cell and a way (see `HOW`). The interval of a law is for one more run beside the points that it is fitted
    to, which the cell is one of; that of the interactive response law goes from the least to the most think time
    of the other runs, that of the utilization law of a task from the least to the most CPU time; that of a prediction
    is from a model to which no run of the machine was fitted.

    >>> cells = every_cell("ibm_330/driver_counts").query("how != 'copied'")
    >>> cells[["row", "column", "printed", "regenerated", "how"]]
        row column printed regenerated         how
    14    5  count      14          14  arithmetic
    17    6  count      13          13  arithmetic
    23    8  count      16          16  arithmetic
    26    9  count      15          15  arithmetic
    """
    printed, corrected = loading.load(id, "printed", text=True), loading.load(id, text=True)
    places, rows = tables.locators(id), []
    values, units = {}, tables.units()
    for way in (
        _cells_implied,
        _cells_of_plans,
        _cells_of_memory_rule,
        _cells_of_laws,
        _think_time_law,
        _demand_law,
        _cells_of_release_6,
        _cells_predicted,
    ):
        for (row, column), value in way(id, level):
            values.setdefault((row, column), []).append(value)
    for row in range(1, len(printed) + 1):
        for column in printed.columns.drop("locator", errors="ignore"):
            cell = {"row": row, "column": column, "printed": printed[column][row - 1], "locator": places[row - 1]}
            unit = units.get(column, "")
            unit = printed["unit"][row - 1] if unit == "row" and "unit" in printed else unit
            cell |= {"corrected": corrected[column][row - 1], "unit": unit}
            if not cell["printed"]:
                continue
            found, was = values.get((row, column), []), read_number(cell["printed"])
            if not found:
                rows.append(_BLANK | cell | {"how": COPIED, "regenerated": cell["corrected"], "reason": _CARRIED})
            # The planner follows the document's own steps: arithmetic on them adds nothing.
            for value in [value for value in found if value["how"] == PLANNER] or found:
                estimate, is_prediction = value.pop("value"), value["how"] == PREDICTED
                text = value.pop("text", "") or as_printed(estimate, cell["printed"])
                shown = estimate if is_prediction else read_number(text)
                low, high = value.get("low", np.nan), value.get("high", np.nan)
                inside = float(low <= was <= high) if np.isfinite([low, high]).all() else np.nan
                value |= {"predicted": estimate} if is_prediction else {"regenerated": text}
                rows.append(_BLANK | cell | value | {"difference": round(shown - was, 9), "inside": inside})
    return pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)


def _cells_implied(id, _level):
    """Cells that other cells imply, as ``recomputed.toml`` has them."""
    for cell in cells_of(id).itertuples():
        how = OTHER_TABLE if _A_CELL.fullmatch(cell.expression) else ARITHMETIC
        yield (cell.row, cell.column), {"how": how, "value": cell.implied, "computed_from": cell.expression}


def _cells_of_plans(id, _level):
    """Numbers of the case study and the worked examples by the planner and the document's own rules."""
    source, _, name = id.partition("/")
    if source != _MAIN or name not in _PLANNED:
        return
    for row, line in enumerate(_PLANNED[name]().itertuples(), start=1):
        if np.isfinite(line.planned):
            value = {"how": PLANNER, "value": line.planned, "computed_from": line.arithmetic or "the plan"}
            value |= {"text": line.printed} if line.agrees else {}  # also what "over" cuts to its digits
            yield (row, "value"), value


def _cells_of_memory_rule(id, _level):
    """Least memories by the line behind the published sizing rule, in its steps."""
    if id not in [f"{_MAIN}/{name}" for name in _SIZED]:
        return
    rows = sizing_tables(id)[PRINTED]
    module = math.gcd(*rows["ram_least_mb"])  # the greatest that divides every printed memory
    line = memory_rules.sizing_rule(rows["users"], rows["ram_least_mb"], module)
    per_user, base = line.set_index("term")["estimate"][["per_user", "base"]]
    sizes = memory_rules.memory_sizing_steps(rows["users"], per_user, base, module)
    words = f"the sizing rule: {number(base)} MB and {number(per_user)} MB per user, in steps of {module} MB"
    for row, size in enumerate(sizes, start=1):
        yield (
            (row, "ram_least_mb"),
            {"how": LAW, "value": float(size), "computed_from": words, "reason": "an exact rule"},
        )


def _cells_of_laws(id, level):
    """The y of each point of a series by the law through its points."""
    for name, law in our_toml_file("law_cells.toml").items():
        series = runs.find(name)
        if series.table != id:
            continue
        points, places = series.points(), tables.locators(id)
        curve = fitting.fit(law, name, level=level)
        ahead = curve.predict(points[series.x])
        for place, row in zip(points["locator"], ahead.itertuples(), strict=True):
            words = f"{curve.law.title} through the {len(points)} points of {name}, level {level:g}"
            value = {"how": LAW, "value": row.predicted, "low": row.obs_low, "high": row.obs_high}
            reason = "" if np.isfinite(row.obs_low) else "as many parameters as points: no interval"
            yield (places.index(place) + 1, series.y), value | {"computed_from": words, "reason": reason}


def _think_time_law(id, _level):
    """Throughput from users and response, and response from users and throughput, by the think time of other runs."""
    demand, _ = _demands_of_all_runs()
    demand = demand.assign(workload=demand["workload"].map(functools.partial(level_of_printed_cell, "workload")))
    for run, throughput, response in _cells_of_run_to_regenerate(id, demand):
        others = demand[demand["workload"] == run["workload"]].drop(run.name)
        at_home = others[others["source"] == run["source"]]
        think = (others if at_home.empty else at_home)["think_s"]
        if think.empty:
            continue
        usual, least, most = think.median(), think.min(), think.max()
        whose = f"{'other ' if len(at_home) else ''}run{'s' if len(think) > 1 else ''} of {run['workload']}"
        whose = f"the median of the {len(think)} {whose}" if len(think) > 1 else f"that of the one {whose}"
        where = "" if len(at_home) else " in other documents"
        value = {"how": LAW, "computed_from": f"N = X (R + Z), Z = {number(usual, 4)} s: {whose}{where}", "reason": ""}
        if len(think) == 1:
            least = most = np.nan
            value |= {"reason": "a single other run: no interval"}
        cycle = 60 * run["users"] / run["notesmark_tpm"]  # seconds from one transaction of a user to the next
        rates = {
            name: 60 * run["users"] / (run["response_s"] + z)
            for name, z in (("value", usual), ("low", most), ("high", least))
        }
        yield throughput, value | rates
        if response and cycle > usual:
            ends = {"value": cycle - usual, "low": max(cycle - most, 0), "high": cycle - least}
            printed = cell_number(id, response[1], response[0])
            in_its_unit = 10 ** round(np.log10(printed / run["response_s"]))  # 1,000 where milliseconds are printed
            yield response, value | {name: in_its_unit * end for name, end in ends.items()}


@cached_until_data_change(maxsize=1)
def _demands_of_all_runs():
    """Demands of transactions and of tasks in all runs, once for all tables."""
    return service_demands.transaction_demand(), service_demands.task_demand()


def _cells_of_run_to_regenerate(id, demand):
    """Each run of a table with the cells of its throughput and its response: in its row, or in those of two metrics."""
    run_of = demand["run"].str.partition("#")
    rows = (run_of[0] == id) & run_of[2].str.isdecimal()
    heading = {columns.meaning_of(field): field["name"] for field in find_table(id).fields.values()}
    for (_, run), row in zip(demand[rows].iterrows(), run_of[2][rows].astype(int), strict=True):
        yield run, (row, heading["notesmark_tpm"]), (row, heading["response_s"])
    for block in our_toml_file("benchmarks.toml")["runs"]:
        if block["table"] != id or "metrics" not in block:
            continue
        names = list(tables.load(id)[block["metrics"]["name"]])
        row_of = {name: names.index(metric) + 1 for name, metric in block["metrics"]["columns"].items()}
        of_document = demand[demand["source"] == id.partition("/")[0]]
        for column in block["metrics"]["values"]:
            same = of_document[of_document["users"] == cell_number(id, column, row_of["users"])]
            for _, run in same.iterrows():
                response = (row_of["response_s"], column) if "response_s" in row_of else None
                yield run, (row_of["notesmark_tpm"], column), response


def _demand_law(id, _level):
    """CPU utilization of a run of tasks from its response, by the CPU time per task of the runs of other tables."""
    _, tasks = _demands_of_all_runs()
    run_of = tasks["run"].str.partition("#")
    for run in tasks[run_of[0] == id].itertuples():
        demand = tasks.loc[(tasks["workload"] == run.workload) & (run_of[0] != id), "demand_s"]
        if demand.empty:
            continue
        busy = 100 * run.workstations / run.response_s * demand.agg(["median", "min", "max"])
        words = f"U = W D / R, D = {number(demand.median(), 4)} s: the median of {len(demand)} runs of other tables"
        value = {"how": LAW, "value": busy["median"], "low": busy["min"], "high": busy["max"]}
        cell = (int(run_of[2][run.Index]), "cpu_utilization_percent")
        yield cell, value | {"computed_from": words, "reason": ""}


def _cells_of_release_6(id, _level):
    """What release 6 changes: CPU per user, and users with the CPU of release 5, by the ratio of the peak loads."""
    if id != "domino6/release_changes":
        return
    ratios = release_migration.peak_ratios(sentences=True)
    value = {"how": LAW, "reason": "one pair of loads: no interval; the curve that the sentence is about is lost"}
    for row, change in enumerate(tables.load(id).itertuples(), start=1):
        if change.metric != "CPU utilization" or (change.platform, change.workload) not in ratios:
            continue
        ratio = ratios[change.platform, change.workload]
        words = f"CPU in proportion to users: {number(ratio, 3)} of that of release 5 per user, by the two peak loads"
        if change.value > 0:
            yield (row, "value"), value | {"value": 100 * (1 - ratio), "computed_from": words}
        elif change.direction == "same":
            yield (row, "users_comparison"), value | {"value": change.users_baseline / ratio, "computed_from": words}


def _cells_predicted(id, level):
    """Users and CPU utilization of a run by the model of users, fitted to all runs but those of its machine."""
    of_rows, source = tables.load(id), id.partition("/")[0]
    for column, forecasts in _left_out_forecasts_of_document(source, level, tuple(tables.in_use())).items():
        if column not in of_rows:
            continue
        for forecast in forecasts.itertuples():
            table, _, row = forecast.run.partition("#")
            if table == id:
                value = {"how": PREDICTED, "value": forecast.predicted, "low": forecast.low, "high": forecast.high}
                words = f"the model of users without the runs of this machine, level {level:g}"
                yield (int(row), column), value | {"computed_from": words, "reason": ""}


@functools.cache
def _left_out_forecasts_of_document(source, level, _folders):
    """Forecasts of the model of users for each run of a document, its machine left out: seconds, so once for all."""
    return {
        "users": capacity_evidence.left_out("machine", level, unknown_memory=True, source=source),
        "cpu_utilization_percent": capacity_evidence.utilization_left_out("machine", level, source=source),
    }


def every_table(source: str | None = None) -> dict[str, pd.DataFrame]:
    """Return `every_cell` of each table of a document, or of all, by its id.

    A view lays cells of another table out again, and is left out. Of a table that cannot be regenerated it is a frame
    without rows, whose ``attrs["reason"]`` says why; the rest are made.
    """
    made = {}
    for id in [id for id in tables.list_tables(source)["id"] if not tables.is_view(id)]:
        try:
            made[id] = every_cell(id)
        except DominoperfError as error:
            made[id] = pd.DataFrame(columns=list(_TYPES)).astype(_TYPES)
            made[id].attrs["reason"] = str(error)
    return made


def kinds(made: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Count the printed cells of tables by how their value was come by, each once, under the first of `HOW`.

    Of what `every_table` returned, a row per document and kind. Cells that are ours (labels, units, paraphrases) are
    not counted, as in `tables.cells`.
    """
    frames = [frame.assign(source=id.partition("/")[0], table=id) for id, frame in made.items() if len(frame)]
    order = list(dict.fromkeys(id.partition("/")[0] for id in made))
    of_page = pd.concat([tables.cells(source)[["id", "row", "column"]] for source in order])
    cells = pd.concat(frames, ignore_index=True).merge(of_page.rename(columns={"id": "table"}))
    cells = cells.assign(how=pd.Categorical(cells["how"], HOW, ordered=True)).sort_values("how", kind="stable")
    cells = cells.drop_duplicates(["table", "row", "column"])
    cells = cells.assign(differing=cells["difference"].fillna(0) != 0, outside=cells["inside"] == 0)
    groups = cells.groupby(["source", "how"], sort=False, observed=True)
    counts = groups.agg(
        cells=("row", "size"), differing=("differing", "sum"), n_inside=("inside", "sum"), n_outside=("outside", "sum")
    )
    counts = counts.reset_index().astype({"how": "str", "n_inside": "int64", "n_outside": "int64"})
    return counts.sort_values("source", key=lambda names: names.map(order.index), kind="stable", ignore_index=True)
